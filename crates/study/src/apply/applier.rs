//! A belief applied to some rows.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ndarray::{Array2, Axis};
use sha2::{Digest, Sha256};

use super::audited::Answered;
use crate::audit::columns::Correction;
use crate::belief_file::SentenceModel;
use crate::belief_file::drift::{Baseline, Tally};
use crate::belief_file::{BeliefFile, belief_of};
use crate::belief_file::{FeatureDefinition, FeatureSource, design_on};
use crate::belief_file::{RowColumns, said};
use crate::error::Error;
use crate::input::config::StudyFile;
use crate::input::items::{Grouping, ItemColumn, ItemRows, Items, measured};
use crate::input::judge::{JudgeFile, JudgeReport, StudyJudge};
use crate::input::labels::Labels;
use crate::input::scale::Scale;
use crate::model::study::Decomposition;
use crate::model::study::Relation;
use crate::results::columns::columns_with;
use judge_uncertainty_core::belief::{Feature, FeatureColumn, FeatureScale};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_evaluation::{Fit, Fitted, RuleDraws};
use judge_uncertainty_familiarity::embedding::Template;
use judge_uncertainty_familiarity::features::{FamiliarityFeatures, SelfNeighbour, familiarity_of_further};
use judge_uncertainty_familiarity::neighbours::UnitRows;
use judge_uncertainty_formats::batches::{Bad, Batch, Header};
use judge_uncertainty_formats::error::{Error as DataError, Place, Problem, excerpt};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::output::OutputColumn;
use judge_uncertainty_formats::table::{ColumnIndex, DataTable, Row};

/// Name of the column that breaks ties.
pub const TIE_BREAK: &str = "tie_break";

/// What a belief says of some rows.
#[derive(Debug, Clone)]
pub struct AppliedRows {
    /// The columns of the table of items, in the order of the rows that could be used.
    pub columns: Vec<OutputColumn>,
    /// The rows that could not.
    pub bad: Vec<Bad>,
    /// Whether rows without an answer of the judge are left out, as in an audit, and not refused.
    pub may_lack_answers: bool,
    /// Judge and features in the bins of the fit, in the order of [`BeliefFile::drift`].
    pub tallies: Vec<Tally>,
}

impl AppliedRows {
    /// The first row that is refused where none are set aside.
    pub fn refused(&self) -> Option<&Bad> {
        self.bad.iter().find(|bad| !self.may_lack_answers || bad.problem != Problem::NoAnswer)
    }
}

/// A fitted belief, ready to be applied.
#[derive(Debug)]
pub struct Applier {
    /// The file that it was read from.
    pub path: PathBuf,
    /// What it holds.
    pub file: BeliefFile,
    /// Its features, columns by their number among those that are.
    features: Vec<Feature<usize>>,
    /// The labelled items that familiarity compares with: their ids and embeddings.
    reference: Option<(ItemIds, UnitRows)>,
    template: Option<Template>,
    groups: BTreeMap<String, usize>,
    /// Whether the fit has parameters for every group of its own.
    by_group: bool,
    /// What the user says of the columns of tables that are read as `audit` reads them.
    pub(super) corrections: Vec<Correction>,
}

impl Applier {
    /// Reads a belief with the files beside it: `path` is a `belief.json`, or a run folder that holds one. `columns` say what
    /// columns of further items hold: `ROLE=COLUMN` as `audit` takes it, or `KEY=NAME` as [`crate::belief_file::InputColumns::set`] does.
    ///
    /// # Errors
    /// As [`BeliefFile::read`], a file beside it that is missing or belongs to another belief, a change without effect.
    pub fn read(path: &Path, columns: &[String]) -> Result<Self, Error> {
        let path = belief_of(path);
        Self::new(&path, BeliefFile::read(&path)?, columns)
    }

    /// Prepares a belief that was read.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn new(path: &Path, mut belief: BeliefFile, columns: &[String]) -> Result<Self, Error> {
        let mut corrections = vec![];
        for change in columns {
            let correction = change.parse::<Correction>();
            if let (Err(reason), Err(_)) = (belief.columns.set(change), &correction) {
                return Err(Error::Column { reason });
            }
            corrections.extend(correction);
        }
        let reference = belief.familiarity.as_ref().map(|familiarity| familiarity.read(path)).transpose()?;
        let items = &belief.settings.items;
        let template = match belief.familiarity.as_ref().and_then(|familiarity| familiarity.model.as_ref()) {
            Some(_) => items.text.as_deref().map(str::parse::<Template>).transpose(),
            None => Ok(None),
        };
        let template = template.map_err(|error| {
            let reason = format!("the field settings.items.text is not a template: {error}");
            DataError::unfit(Place::file(path), reason, "run the study again")
        })?;
        StudyFile::checked(path, "", belief.settings.clone())?;
        let mut columns = 0..;
        let mut feature =
            |definition: &FeatureDefinition| definition.source.map(|_| columns.next().unwrap_or_default());
        let features = belief.features.iter().map(&mut feature).collect();
        let groups = belief.groups.iter().cloned().zip(0..).collect();
        let by_group = belief.is_by_group();
        Ok(Self { path: path.to_owned(), file: belief, features, reference, template, groups, by_group, corrections })
    }

    /// The columns of judge and labels that a table has.
    fn columns(&self, header: &Header) -> Result<RowColumns, DataError> {
        let (names, settings, classes) = (&self.file.columns, &self.file.settings, self.file.settings.scale.classes());
        let mut columns = RowColumns::new(&self.file.settings.scale, &self.file.variants, names);
        columns.answers.iter().flatten().try_for_each(|name| header.need(name))?;
        columns.deviations.iter_mut().for_each(|name| *name = name.take().filter(|name| header.has(name)));
        let has_labels = columns.labels.iter().any(|name| header.has(name));
        if !classes.is_empty() {
            let mut known = self.wanted();
            known.extend(settings.items.numbers.iter().chain(&settings.items.categories).cloned());
            for variant in &self.file.variants {
                header.refuse_other_classes(&names.answers.replace("{variant}", variant), classes, &known)?;
            }
            if has_labels {
                header.refuse_other_classes(&names.labels, classes, &known)?;
                columns.labels.iter().filter(|_| header.complete).try_for_each(|name| header.need(name))?;
            }
        }
        if !has_labels {
            columns.labels.clear();
        }
        if let Some(name) = &names.confidence {
            // One for all variants comes before one for each.
            let for_all = !name.contains("{variant}") && header.has(name);
            columns.confidence.retain(|column| header.has(column) && (column == name) == for_all);
            if columns.confidence.is_empty() {
                header.need(name)?;
            }
        }
        Ok(columns)
    }

    /// What judge and people say in the columns of some rows.
    fn answers(&self, columns: &RowColumns, table: &DataTable, rows: &mut ItemRows<'_>) -> Result<Answered, Error> {
        let BeliefFile { settings, variants, fit, .. } = &self.file;
        let may_lack_sd = match fit {
            Fit::Ratings(fit) => fit.reads_unstated(),
            Fit::Classes(_) => true,
        };
        let judge = JudgeFile::read_rows(settings, (table, columns, variants), may_lack_sd, rows)?;
        let labels = Labels::read_rows(&self.file.settings.scale, (table, &columns.labels), rows)?;
        Ok(Answered { judge, labels })
    }

    /// The values of each feature that is a column of some rows, which need an id and, if the study has groups, one of these.
    fn features(&self, table: &DataTable, rows: &mut ItemRows<'_>) -> Result<Vec<Vec<Option<f64>>>, Error> {
        let belief = &self.file;
        let group = belief.columns.group.as_ref().map(|name| table.column(name)).transpose()?;
        let columns = belief.features.iter().filter_map(FeatureDefinition::column);
        let columns: Vec<(&FeatureSource, ColumnIndex)> =
            columns.map(|source| Ok((source, table.column(source.column())?))).collect::<Result<_, DataError>>()?;
        let mut values = vec![vec![None; rows.items()]; columns.len()];
        rows.read(table, |row, item| {
            if row.id().is_empty() {
                return Err(row.refuse_id(Problem::Blank));
            }
            if let Some(column) = group
                && !self.groups.contains_key(row.text(column)?)
                && self.by_group
            {
                let problem = Problem::NotOneOf { value: row.cell(column).to_owned(), allowed: belief.groups.clone() };
                let remedy = "write it as in the study, or leave such rows out: --set-aside FILE";
                return Err(row.refuse(column, Problem::unfit(problem.to_string(), remedy)));
            }
            for ((source, column), values) in columns.iter().zip(&mut values) {
                values[item] = of_column(source, row, *column)?;
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// The items at some rows, with their `values` of each feature that is a column.
    fn items(&self, table: &DataTable, kept: &[usize], values: &[Vec<Option<f64>>]) -> Result<Items, Error> {
        let belief = &self.file;
        let group = belief.columns.group.as_ref().map(|name| table.column(name)).transpose()?;
        let definitions = belief.features.iter().filter_map(|feature| Some((feature, feature.column()?.column())));
        let column = |((definition, source), values): ((&FeatureDefinition, &str), &Vec<Option<f64>>)| {
            let feature = FeatureColumn::partial(definition.name.as_str(), kept.iter().map(|&row| values[row]));
            ItemColumn { source: source.to_owned(), categories: vec![], feature }
        };
        Ok(Items {
            ids: ItemIds::from_rows(kept.iter().map(|&row| table.row(row).id())),
            groups: group.map(|group| Grouping::new(kept.iter().map(|&row| table.row(row).cell(group)))),
            columns: definitions.zip(values).map(column).collect(),
            ..Items::default()
        })
    }

    /// The embeddings of the usable rows, those that were made of their texts or else of their column; `None` where they are
    /// not needed.
    fn unit_rows(
        &self,
        table: &DataTable,
        made: Option<&Array2<f32>>,
        rows: &mut ItemRows<'_>,
    ) -> Result<Option<UnitRows>, Error> {
        let familiarity = self.file.familiarity.as_ref().filter(|_| self.needs_embeddings());
        let Some(dimensions) = familiarity.map(|familiarity| familiarity.dimensions) else { return Ok(None) };
        let matrix = match made {
            Some(made) if made.ncols() == dimensions => made.select(Axis(0), &rows.usable()),
            Some(made) => {
                let reason = format!("embeddings have {} dimensions, and those of the fit {dimensions}", made.ncols());
                return Err(Error::Column { reason });
            }
            None => {
                let (column, mut values) = (table.column(&self.file.columns.embedding)?, vec![]);
                rows.read(table, |row, _| {
                    let vector = vector(row.text(column)?, dimensions).map_err(|problem| row.refuse(column, problem));
                    values.extend(vector?);
                    Ok(())
                })?;
                let shape = (rows.usable().len(), dimensions);
                Array2::from_shape_vec(shape, values).expect("a vector of this length per row")
            }
        };
        Ok(Some(UnitRows::new(matrix.view())?))
    }

    fn near(&self, rows: &UnitRows, names: &ItemIds, numbers: &[u32]) -> Option<FamiliarityFeatures> {
        let (familiarity, (ids, reference)) = self.file.familiarity.as_ref().zip(self.reference.as_ref())?;
        let own: Vec<Option<usize>> = names.iter().map(|id| ids.position(id)).collect();
        let labelled: Vec<bool> = numbers.iter().map(|n| *n > 0).collect();
        let mode = if familiarity.count_itself { SelfNeighbour::Published } else { SelfNeighbour::LeaveOneOut };
        Some(familiarity_of_further(rows, reference, &own, &labelled, familiarity.neighbours, mode))
    }

    /// The decomposition of further items under the fit.
    fn decompose(&self, relation: &Relation<'_>, rows: Option<&UnitRows>) -> Result<Decomposition, Error> {
        let (belief, items) = (&self.file, relation.items);
        let number = |group: &str| self.groups.get(group).copied().unwrap_or(belief.groups.len());
        let number_of: Vec<usize> = items.group_names().into_iter().map(number).collect();
        let groups = items.group_numbers().iter().map(|&group| number_of[group]).collect();
        let all: Vec<usize> = (0..items.len()).collect();
        let model = relation.config.trust.belief();
        let pool = relation.pool_under(relation.labels, &all, (model, groups), Some(&belief.kept));
        let in_hand = pool.all();
        let numbers = in_hand.numbers();
        let near = rows.and_then(|rows| self.near(rows, &items.ids, &numbers));
        let features = relation.feature_columns(&all, &numbers, near.as_ref());
        let scale =
            |d: &FeatureDefinition| FeatureScale { name: d.name.clone(), mean: d.mean, sd: d.sd, missing: d.missing };
        let scales: Vec<FeatureScale> = belief.features.iter().map(scale).collect();
        let limits: Vec<Option<(f64, f64)>> = belief.features.iter().map(|d| d.low.zip(d.high)).collect();
        let design = design_on(scales.clone(), &limits, (&features, items.len()))?;
        let fit = belief.fit.clone();
        let (beliefs, trust) = pool.beliefs_and_trust(&fit, &design, &in_hand);
        let fitted = Fitted { design, fit, beliefs };
        let none = vec![0.0; items.len()];
        let draws = RuleDraws { jitter: none.clone(), random: none };
        Ok(Decomposition { pool, features, neighbours: None, scales, fitted, trust, numbers, draws })
    }

    fn priorities(&self, relation: &Relation<'_>, decomposition: &Decomposition) -> Vec<OutputColumn> {
        let of = |rule: &Rule| {
            let values = match rule {
                // The mean confidence is that of the fit, not of these items.
                Rule::LowConfidence => {
                    let fill = self.file.mean_confidence.unwrap_or(0.0);
                    let stated = |i: usize| relation.judge.confidence.get(i).copied().flatten();
                    (0..decomposition.len()).map(|i| -stated(i).unwrap_or(fill) + 0.0).collect()
                }
                rule => decomposition.priority(*rule)?,
            };
            let meaning = format!("Priority under the rule {}: higher is escalated first", rule.words());
            Some(OutputColumn::numbers(priority_column(*rule), "that of the rule", meaning, values))
        };
        let mut columns: Vec<OutputColumn> = self.file.rules.iter().filter_map(of).collect();
        let seed = self.file.settings.seed;
        let meaning = "Breaks ties of priorities, higher first: the same for an id wherever it stands";
        columns.push(OutputColumn::numbers(
            TIE_BREAK,
            "0 to 1",
            meaning,
            relation.items.ids.iter().map(|id| tie_break(seed, id)),
        ));
        columns
    }

    fn tallies(&self, judge: &StudyJudge, decomposition: &Decomposition) -> Vec<Tally> {
        let said = said(&self.file.settings.scale, judge).into_iter();
        let features =
            decomposition.features.iter().map(|feature| (feature.name().to_owned(), feature.values.to_vec()));
        let values: BTreeMap<String, Vec<Option<f64>>> = said.chain(features).collect();
        let of = |baseline: &Baseline| {
            let mut tally = baseline.tally();
            values.get(&baseline.name).into_iter().flatten().for_each(|value| tally.add(baseline, *value));
            tally
        };
        self.file.drift.iter().map(of).collect()
    }
}

/// Name of the column with the priority under a rule.
pub fn priority_column(rule: Rule) -> String {
    format!("priority_{}", rule.name())
}

/// A number from 0 to 1 that depends on seed and id alone.
fn tie_break(seed: u64, id: &str) -> f64 {
    let mut sum = Sha256::new();
    sum.update(seed.to_le_bytes());
    sum.update(id.as_bytes());
    let bytes: [u8; 8] = sum.finalize()[..8].try_into().expect("a sum has 32 bytes");
    (u64::from_le_bytes(bytes) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The value of a feature that is a column.
fn of_column(source: &FeatureSource, row: &Row<'_>, column: ColumnIndex) -> Result<Option<f64>, DataError> {
    match source {
        FeatureSource::Category { value, known, .. } => {
            let category = row.optional_word(column, known)?;
            Ok(category.map(|category| f64::from(u8::from(known[category] == *value))))
        }
        _ => measured(*row, column),
    }
}

/// The embedding in a cell.
fn vector(cell: &str, dimensions: usize) -> Result<Vec<f32>, Problem> {
    let vector = serde_json::from_str::<Vec<f32>>(cell).ok().filter(|vector| vector.iter().all(|x| x.is_finite()));
    let vector = vector.ok_or_else(|| {
        let reason = format!("{} is not a list of numbers", excerpt(cell));
        Problem::unfit(reason, "write the embedding as a list, such as [0.5, -0.25]")
    })?;
    if vector.len() == dimensions {
        return Ok(vector);
    }
    let reason = format!("the embedding has {} dimensions, and those of the fit have {dimensions}", vector.len());
    Err(Problem::unfit(reason, "embed with the model of the study"))
}

impl Applier {
    /// The model that embeds texts, and the template of a text, where the belief needs embeddings that a table may
    /// lack.
    pub fn text(&self) -> Option<(&SentenceModel, &Template)> {
        let model = self.file.familiarity.as_ref()?.model.as_ref()?;
        self.needs_embeddings().then_some(()).and(self.template.as_ref()).map(|template| (model, template))
    }

    /// Whether it needs embeddings.
    pub fn needs_embeddings(&self) -> bool {
        self.features.iter().any(Feature::is_distance)
    }

    /// The columns that it reads of a table.
    pub fn wanted(&self) -> Vec<String> {
        let names = &self.file.columns;
        let mut wanted = vec![names.id.clone()];
        wanted.extend(names.group.clone());
        wanted.extend(RowColumns::new(&self.file.settings.scale, &self.file.variants, names).all().cloned());
        wanted.extend(self.file.features.iter().filter_map(|feature| Some(feature.column()?.column().to_owned())));
        if self.needs_embeddings() {
            wanted.push(names.embedding.clone());
            wanted.extend(self.template.iter().flat_map(|template| template.columns().map(str::to_owned)));
        }
        let mut once = std::collections::BTreeSet::new();
        wanted.retain(|name| once.insert(name.clone()));
        wanted
    }

    /// Whether a table has columns with the judge's answers as the belief names them, and not those of the table that its
    /// study was made from.
    pub fn reads_answers_of(&self, header: &Header) -> bool {
        let audited = self.file.settings.audited.as_ref();
        if audited.is_some_and(|audited| !audited.columns.for_another(&header.names).is_empty()) {
            return false;
        }
        let columns = RowColumns::new(&self.file.settings.scale, &self.file.variants, &self.file.columns);
        header.has(&self.file.columns.id) && columns.answers.iter().flatten().any(|name| header.has(name))
    }

    /// Holds a table to what the belief needs.
    ///
    /// # Errors
    /// A column that is missing, or one of a class that the fit does not know.
    pub fn check(&self, header: &Header) -> Result<(), Error> {
        self.columns(header)?;
        self.check_items(header)
    }

    /// [`Self::check`] of a table whose answers do not stand in columns of the belief's.
    ///
    /// # Errors
    /// As there.
    pub fn check_items(&self, header: &Header) -> Result<(), Error> {
        let names = &self.file.columns;
        header.need(&names.id)?;
        names.group.iter().try_for_each(|name| header.need(name))?;
        let columns = self.file.features.iter().filter_map(FeatureDefinition::column);
        columns.map(FeatureSource::column).try_for_each(|name| header.need(name))?;
        if self.needs_embeddings() && !header.has(&names.embedding) {
            match &self.template {
                Some(template) => template.columns().try_for_each(|name| header.need(name))?,
                None => header.need(&names.embedding)?,
            }
        }
        Ok(())
    }

    /// What the belief says of some rows, whose answers stand in their columns or, one for each row, beside them;
    /// `embeddings`, a row each, take the place of the column of embeddings.
    ///
    /// # Errors
    /// A table that lacks a column; embeddings of another size. Faults of single rows are not errors.
    pub fn apply(
        &self,
        header: &Header,
        (batch, beside): (&Batch, Option<&Answered>),
        embeddings: Option<&Array2<f32>>,
    ) -> Result<AppliedRows, Error> {
        let (belief, table) = (&self.file, &batch.table);
        let mut rows = ItemRows::each_its_own(batch.len());
        let values = self.features(table, &mut rows)?;
        let answered = match beside {
            Some(answered) => Cow::Borrowed(answered),
            None => Cow::Owned(self.answers(&self.columns(header)?, table, &mut rows)?),
        };
        rows.read(table, |row, item| match answered.judge.has(item) {
            true => Ok(()),
            false => Err(row.refuse_row(Problem::NoAnswer)),
        })?;
        let unit = self.unit_rows(table, embeddings, &mut rows)?;
        let kept = rows.usable();
        let items = self.items(table, &kept, &values)?;
        let Answered { judge, labels } = answered.select(&kept);
        let blank = match belief.settings.scale {
            Scale::Scores(..) => JudgeReport::Ratings(Default::default()),
            _ => JudgeReport::Classes(Default::default()),
        };
        let judge = StudyJudge::new(&belief.settings, &items.ids, &belief.variants, judge, blank)?;
        let mut bad = batch.broken.clone();
        for (row, fault) in rows.faults.into_iter().enumerate() {
            bad.extend(fault.map(|fault| batch.bad(row, fault)).transpose()?);
        }
        bad.sort_by_key(|bad| bad.line);
        let (items, judge, labels) = (&items, &judge, &labels);
        let relation =
            Relation { config: &belief.settings, items, judge, labels, features: &self.features, start: None };
        let decomposition = self.decompose(&relation, unit.as_ref())?;
        let priorities = self.priorities(&relation, &decomposition);
        let columns = columns_with(&relation, &decomposition, priorities);
        let tallies = self.tallies(judge, &decomposition);
        Ok(AppliedRows { columns, bad, may_lack_answers: beside.is_some(), tallies })
    }
}
