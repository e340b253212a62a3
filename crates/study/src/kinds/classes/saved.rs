//! The fitted belief about classes as a file, and how it reads further items.

use std::path::Path;

use ndarray::Array2;

use super::carried::added;
use super::config::JudgeKind;
use super::judge::{ClassJudge, JudgeReport, ONLY_VARIANT, answer_of, confidence_of};
use super::labels::{Added, Labels, LabelsReport, too_many};
use super::reports::{self, ClassStudy};
use crate::belief_file::file::BeliefFile;
use crate::belief_file::kind::{Saved, Shape, Wrong, wrong};
use crate::belief_file::names::{InputColumns, filled};
use crate::carried_map::{CarriedMap, CarriedScale};
use crate::input::config::StudyConfig;
use crate::judge_files::JudgeFiles;
use crate::kind::{Decomposition, Study};
use judge_uncertainty_core::belief::{FittedBelief, Recalibration, Unfit, entropy};
use judge_uncertainty_formats::batches::{Batch, Header};
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::items::{ItemIds, LabelCounts};
use judge_uncertainty_formats::judge::{JudgeAnswers, JudgeVariants};

/// Columns of the counts of labels where a study has none of its own.
const LABELS: &str = "n_{class}";
/// Of so many classes the judge's shares are watched for drift.
const MOST_SHARES: usize = 50;

/// Where judge and labels stand in a table of further items.
#[derive(Debug)]
pub struct ClassLayout {
    /// Per variant, the column of each class.
    answers: Vec<Vec<String>>,
    confidence: Vec<String>,
    /// The column of each class; none where the table has no labels.
    labels: Vec<String>,
}

/// What a row says.
#[derive(Debug)]
pub struct ClassRow {
    answers: JudgeAnswers,
    labels: Vec<u32>,
}

impl<K: ClassStudy> Saved for K {
    type Fit = FittedBelief;
    type Kept = Option<CarriedMap>;
    type Layout = ClassLayout;
    type Row = ClassRow;

    fn fit(decomposition: &Decomposition<K>) -> FittedBelief {
        decomposition.fitted.fit.clone()
    }

    fn kept(study: &Study<K>, decomposition: &Decomposition<K>) -> Option<CarriedMap> {
        let starts = decomposition.fitted.fit.mapped().is_some_and(|mapped| mapped.map.is_on_a_carried_map());
        study.carried_map.clone().filter(|_| starts)
    }

    fn of_file(fit: &FittedBelief) -> FittedBelief {
        fit.clone()
    }

    fn check_fit(
        config: &StudyConfig<K>,
        fit: &FittedBelief,
        kept: &Option<CarriedMap>,
        shape: Shape<'_>,
    ) -> std::result::Result<(), Unfit> {
        let classes = K::classes(&config.scale).len();
        if let Some(carried) = kept {
            carried.check(classes)?;
        }
        let starts = fit.mapped().is_some_and(|mapped| mapped.map.is_on_a_carried_map());
        if starts != kept.is_some() {
            let problem =
                "does not hold the map that the fit starts from, or one that it does not start from".to_owned();
            return Err(Unfit { field: "kept", problem });
        }
        fit.check(shape.features, classes, shape.groups)
    }

    fn by_group(fit: &FittedBelief) -> bool {
        match fit {
            FittedBelief::Published(_) => false,
            FittedBelief::Recalibrated(fit) => fit.recalibration == Recalibration::ByGroup,
            FittedBelief::Mapped(mapped) => mapped.map.is_by_group(),
        }
    }

    fn names(config: &StudyConfig<K>, variants: &[String]) -> InputColumns {
        let judge = &config.judge;
        let alone = variants.iter().all(|variant| variant == ONLY_VARIANT);
        let answers = match &judge.columns {
            Some(columns) if alone || !judge.variants.is_empty() => columns.clone(),
            _ if alone => "p_{class}".to_owned(),
            _ => "p_{variant}_{class}".to_owned(),
        };
        let labels = config.labels.as_ref().and_then(|labels| labels.columns.clone());
        let labels = labels.filter(|columns| *columns != answers);
        let other = if answers == LABELS { "labels_{class}" } else { LABELS };
        let labels = labels.unwrap_or_else(|| other.to_owned());
        let mut names = InputColumns::new(config.items.id.as_deref(), answers, labels, config.items.group.as_deref());
        names.confidence.clone_from(&judge.confidence);
        names
    }

    fn said(judge: &ClassJudge) -> Vec<(String, Vec<Option<f64>>)> {
        let q = &judge.predictions.q;
        let of_item = |row: ndarray::ArrayView1<f64>| Some(entropy(row.as_slice().expect("rows are contiguous")));
        let entropies = q.rows().into_iter().map(of_item).collect();
        let share = |(k, class): (usize, &String)| {
            (format!("q_{class}"), q.column(k).iter().copied().map(Some).collect::<Vec<_>>())
        };
        let shares = judge.variants.classes().iter().enumerate().take(MOST_SHARES).map(share);
        std::iter::once(("judge_entropy".to_owned(), entropies)).chain(shares).collect()
    }

    fn wanted(config: &StudyConfig<K>, variants: &[String], names: &InputColumns) -> Vec<String> {
        let classes = K::classes(&config.scale);
        let answers =
            variants.iter().flat_map(|variant| classes.iter().map(move |class| filled(&names.answers, variant, class)));
        let labels = classes.iter().map(|class| filled(&names.labels, "", class));
        let confidence = names.confidence.iter().flat_map(|name| {
            let of_variants = variants.iter().map(move |variant| match name.contains("{variant}") {
                true => filled(name, variant, ""),
                false => format!("{name}_{variant}"),
            });
            of_variants.chain([name.clone()])
        });
        answers.chain(labels).chain(confidence).collect()
    }

    fn layout(
        config: &StudyConfig<K>,
        variants: &[String],
        names: &InputColumns,
        header: &Header,
    ) -> Result<ClassLayout> {
        let classes = K::classes(&config.scale);
        let of_variant = |pattern: &str, variant: &String| -> Vec<String> {
            classes.iter().map(|class| filled(pattern, variant, class)).collect()
        };
        let answers: Vec<Vec<String>> = variants.iter().map(|variant| of_variant(&names.answers, variant)).collect();
        answers.iter().flatten().try_for_each(|name| header.need(name))?;
        let labels = of_variant(&names.labels, &String::new());
        let mut known: Vec<String> = answers.iter().flatten().chain(&labels).cloned().collect();
        known.extend(config.items.numbers.iter().chain(&config.items.categories).cloned());
        known.extend([names.id.clone(), names.embedding.clone()]);
        known.extend(names.group.iter().chain(&names.confidence).cloned());
        for variant in variants {
            header.refuse_other_classes(&names.answers.replace("{variant}", variant), classes, &known)?;
        }
        let any = labels.iter().any(|name| header.has(name));
        if any {
            header.refuse_other_classes(&names.labels, classes, &known)?;
            labels.iter().filter(|_| header.complete).try_for_each(|name| header.need(name))?;
        }
        let labels = if any { labels } else { vec![] };
        Ok(ClassLayout { answers, confidence: confidence_columns(variants, names, header)?, labels })
    }

    fn row(
        config: &StudyConfig<K>,
        _: &FittedBelief,
        layout: &ClassLayout,
        batch: &Batch,
        row: usize,
    ) -> std::result::Result<ClassRow, Wrong> {
        let number = |name: &String| batch.number(name, row).map_err(|problem| wrong(Some(name), problem));
        let answer = |columns: &Vec<String>| {
            let cells: Vec<Option<f64>> = columns.iter().map(number).collect::<std::result::Result<_, _>>()?;
            let texts = || columns.iter().map(|name| batch.text(name, row).into_owned()).collect();
            // Samples are counted, and counts are on any scale.
            let kind = if config.judge.kind == JudgeKind::Labels { JudgeKind::Counts } else { config.judge.kind };
            answer_of(&cells, texts, kind)
                .map_err(|(class, problem)| wrong(class.map(|k| columns[k].as_str()), problem))
        };
        let variants: Vec<Option<Vec<f64>>> =
            layout.answers.iter().map(answer).collect::<std::result::Result<_, _>>()?;
        if variants.iter().all(Option::is_none) {
            return Err(wrong(None, Problem::NoAnswer));
        }
        let (mut sum, mut count) = (0.0, 0_u32);
        for name in &layout.confidence {
            if let Some(stated) = number(name)? {
                sum += confidence_of(stated, config.judge.confidence_range)
                    .map_err(|problem| wrong(Some(name), problem))?;
                count += 1;
            }
        }
        let of_class = |name: &String| batch.count(name, row).map_err(|problem| wrong(Some(name), problem));
        let labels: Vec<u32> = layout.labels.iter().map(of_class).collect::<std::result::Result<_, _>>()?;
        if let Some((class, problem)) = too_many(labels.iter().copied()) {
            return Err(wrong(class.map(|class| layout.labels[class].as_str()), problem));
        }
        let confidence = (count > 0).then(|| sum / f64::from(count));
        Ok(ClassRow { answers: JudgeAnswers { variants, confidence, ..JudgeAnswers::default() }, labels })
    }

    fn gather(
        config: &StudyConfig<K>,
        variants: &[String],
        ids: &ItemIds,
        rows: Vec<ClassRow>,
    ) -> Result<(ClassJudge, Labels)> {
        let classes = K::classes(&config.scale);
        let mut counts = Array2::zeros((rows.len(), classes.len()));
        let mut answers = Vec::with_capacity(rows.len());
        for (mut of_item, row) in counts.rows_mut().into_iter().zip(rows) {
            of_item.iter_mut().zip(row.labels).for_each(|(cell, n)| *cell = n);
            answers.push(row.answers);
        }
        let floor = config.judge.floor(classes.len());
        let variants = JudgeVariants::new(ids.clone(), classes.to_vec(), variants.to_vec(), answers)?;
        let predictions = variants.aggregate(Some(floor))?;
        let report = JudgeReport::of_rows(config.judge.kind, ids.len(), floor);
        let counts = LabelCounts::new(classes.to_vec(), counts)?;
        let labels = Labels {
            counts,
            annotations: vec![],
            annotators: vec![],
            report: LabelsReport::default(),
            added: Added::default(),
        };
        Ok((ClassJudge { variants, predictions, report }, labels))
    }

    fn applied_pool(study: &Study<K>, kept: &Option<CarriedMap>, groups: Vec<usize>) -> K::Pool {
        let all: Vec<usize> = (0..study.len()).collect();
        reports::pool(study, &study.labels, &all)
            .with_belief(study.file.config.trust.belief, groups)
            .with_carried(kept.as_ref().map(|carried| added(carried, study, &all)))
    }
}

/// The map of another study's belief, as [`crate::kind::Kind::carried_map`].
///
/// # Errors
/// No belief, one of other classes, or one that reads variants or features that this study does not have.
pub fn carried_map<K: ClassStudy>(study: &Study<K>, path: &Path, bytes: &[u8]) -> Result<Option<CarriedMap>> {
    let belief = BeliefFile::<K>::parse(path, bytes)?;
    let refuse = |reason: String, remedy: String| Error::refused(Place::file(path), Problem::Unfit { reason, remedy });
    let FittedBelief::Mapped(mapped) = belief.fit else { return Ok(None) };
    let [there, here] = [&belief.settings, &study.file.config].map(|config| K::classes(&config.scale));
    if there != here {
        let reason = format!("the map is of the classes {}, and those here are {}", there.join(", "), here.join(", "));
        let remedy = "name the same classes in the same order, or leave out trust.carry_from".to_owned();
        return Err(refuse(reason, remedy));
    }
    if mapped.map.is_on_a_carried_map() {
        let reason = "that study's map itself starts from the map of another".to_owned();
        let remedy =
            "name the run that it was carried from under trust.carry_from, or run that study without it".to_owned();
        return Err(refuse(reason, remedy));
    }
    let reads = mapped.map.reads();
    let own = study.judge.variants.variants();
    if let Some(lacking) = belief.variants.iter().filter(|_| reads.variants > 0).find(|name| !own.contains(name)) {
        let reason = format!("the map reads the judge's variant {lacking:?}, which this study does not have");
        let remedy = "ask the judge under it as well, or carry a map that weighs no variants: `groups`, `temperature`"
            .to_owned();
        return Err(refuse(reason, remedy));
    }
    let columns = study.feature_columns(&[], &[], None);
    let has = |name: &str| columns.iter().any(|column| column.name == name);
    if let Some(lacking) = reads.features.iter().find(|name| !has(name)) {
        let reason = format!("the map reads the feature {lacking:?}, which this study does not have");
        let remedy = "give the items that column and list it under trust.features, or carry a map that reads no features: `matrix`, `groups`, \
                      `temperature`"
            .to_owned();
        return Err(refuse(reason, remedy));
    }
    let scale = |f: &crate::belief_file::features::FeatureDefinition| CarriedScale {
        name: f.name.clone(),
        mean: f.mean,
        sd: f.sd,
        limits: f.low.zip(f.high),
    };
    let features = belief.features.iter().map(scale).collect();
    let another_judge = belief.judge.is_other(&JudgeFiles::of(&study.file));
    let (title, variants, groups) = (belief.settings.title, belief.variants, belief.groups);
    Ok(Some(CarriedMap { study: title, map: mapped.map, variants, groups, features, another_judge }))
}

/// The column of the confidence, or one for each variant.
fn confidence_columns(variants: &[String], names: &InputColumns, header: &Header) -> Result<Vec<String>> {
    let Some(name) = &names.confidence else { return Ok(vec![]) };
    let of_variants = |pattern: &str| -> Vec<String> {
        let columns = variants.iter().map(|variant| filled(pattern, variant, ""));
        columns.filter(|name| header.has(name)).collect()
    };
    let found = match () {
        () if name.contains("{variant}") => of_variants(name),
        () if header.has(name) => vec![name.clone()],
        () => of_variants(&format!("{name}_{{variant}}")),
    };
    if found.is_empty() {
        header.need(name)?;
    }
    Ok(found)
}
