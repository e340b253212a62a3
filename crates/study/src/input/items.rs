//! The items of a study: ids, texts, groups, and the columns that are features.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::path::PathBuf;

use super::config::{FileFormat, StudyFile, Unmatched};
use super::source::{Source, read_joined, read_table};
use judge_uncertainty_core::belief::FeatureColumn;
use judge_uncertainty_familiarity::embedding::{Template, TemplateError, texts};
use judge_uncertainty_formats::error::{Error, Problem, Result, excerpt, near};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::lewidi;
use judge_uncertainty_formats::logs::LogRows;
use judge_uncertainty_formats::logs::pairs::ANSWERS;
use judge_uncertainty_formats::table::{ColumnIndex, DataTable, Row};
use judge_uncertainty_system::numbers::LARGEST;

/// The items, in the order of their file.
#[derive(Debug, Clone, Default)]
pub struct Items {
    /// Ids, letter by letter as they stand in the file.
    pub ids: ItemIds,
    /// What experts will read; `None` without a template.
    pub texts: Option<Vec<String>>,
    /// The group of each item.
    pub groups: Option<Grouping>,
    /// The system that produced each item, if a column names it.
    pub systems: Option<Grouping>,
    /// The two systems whose answers each holds side by side.
    pub pairs: Option<Vec<[String; 2]>>,
    /// What the judge's bias may depend on: the length in letters of each column that the text shows, and the numbers of
    /// `items.compare` and `items.numbers`, each with its name.
    pub covariates: Vec<(String, Vec<Option<f64>>)>,
    /// What the judge wrote beside its answer, blank where it wrote nothing; `None` without a column.
    pub transcripts: Option<Vec<String>>,
    /// The probability with which each was chosen for the labels of the user's own files; `None` without a column, or
    /// where it is blank.
    pub probabilities: Option<Vec<Option<f64>>>,
    /// What each is about, where several are the criteria of one item.
    pub about: Option<Vec<String>>,
    /// The conversation, document or other cause that each shares with others.
    pub clusters: Option<Vec<String>>,
    /// The columns that are features, numbers first.
    pub columns: Vec<ItemColumn>,
    /// The file that the ids come from.
    pub file: PathBuf,
    /// Ids of the items of the file that were left out, whose rows elsewhere are left out with them.
    pub left_out: BTreeSet<String>,
}

/// Groups, or systems: their names and the one of each item.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouping {
    /// Names, in the order of the alphabet.
    pub names: Vec<String>,
    /// The position of each item's.
    pub of: Vec<usize>,
}

impl Grouping {
    /// By the name of each item's.
    pub fn new<'n>(of_items: impl IntoIterator<Item = &'n str>) -> Self {
        let (mut of, known) = numbered(of_items);
        let mut names: Vec<(&str, usize)> = known.into_iter().collect();
        names.sort_unstable();
        let mut place = vec![0; names.len()];
        names.iter().enumerate().for_each(|(k, (_, found))| place[*found] = k);
        of.iter_mut().for_each(|group| *group = place[*group]);
        Self { names: names.into_iter().map(|(name, _)| name.to_owned()).collect(), of }
    }

    /// The name of an item's.
    pub fn name(&self, item: usize) -> &str {
        &self.names[self.of[item]]
    }

    /// The name of each item's.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.of.len()).map(|item| self.name(item))
    }

    /// The items of a group.
    pub fn items(&self, group: usize) -> Vec<usize> {
        (0..self.of.len()).filter(|&item| self.of[item] == group).collect()
    }
}

/// The number of each value, by the order in which they first appear, and those numbers by value.
pub(crate) fn numbered<T: Eq + Hash>(values: impl IntoIterator<Item = T>) -> (Vec<usize>, HashMap<T, usize>) {
    let mut known = HashMap::new();
    let number = |value| {
        let next = known.len();
        *known.entry(value).or_insert(next)
    };
    (values.into_iter().map(number).collect(), known)
}

/// The rows of tables about items, as they are read: by the ids of a study's items, where the first row that can't be used ends
/// the reading, or each an item of its own, where such rows are noted and the others are read.
pub struct ItemRows<'a> {
    /// The items, and whether rows of others are left out.
    joined: Option<(&'a Items, Unmatched)>,
    /// Rows of ids that the items don't have, left out.
    pub unknown: usize,
    /// Per row that is an item of its own, what is wrong with it.
    pub faults: Vec<Option<Error>>,
}

impl<'a> ItemRows<'a> {
    /// Rows about the items of a study.
    pub fn about(items: &'a Items, unmatched: Unmatched) -> Self {
        Self { joined: Some((items, unmatched)), unknown: 0, faults: vec![] }
    }

    /// So many rows, each an item.
    pub fn each_its_own(rows: usize) -> Self {
        Self { joined: None, unknown: 0, faults: (0..rows).map(|_| None).collect() }
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.joined.map_or(self.faults.len(), |(items, _)| items.len())
    }

    /// The rows without a fault so far, where each is an item.
    pub fn usable(&self) -> Vec<usize> {
        (0..self.faults.len()).filter(|&row| self.faults[row].is_none()).collect()
    }

    /// Reads every row that is about an item, with the item's position, if nothing was wrong with it before.
    ///
    /// # Errors
    /// About the items of a study the first row that can't be read, or whose id is unknown and may not be; otherwise none.
    pub fn read<'t>(
        &mut self,
        table: &'t DataTable,
        mut read: impl FnMut(&Row<'t>, usize) -> Result<()>,
    ) -> Result<()> {
        for (number, row) in table.rows().enumerate() {
            let Some((items, unmatched)) = self.joined else {
                let fault = &mut self.faults[number];
                *fault = fault.take().or_else(|| read(&row, number).err());
                continue;
            };
            // Most files have their rows in the order of the items.
            let here = Some(number).filter(|&item| item < items.len() && items.ids[item] == *row.id());
            match here.or_else(|| items.ids.position(row.id())) {
                Some(item) => read(&row, item)?,
                None if unmatched == Unmatched::Refuse => return Err(row.refuse_id(items.unknown(row.id()))),
                None => self.unknown += usize::from(!items.left_out.contains(row.id())),
            }
        }
        Ok(())
    }
}

/// A feature from a column of the items.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemColumn {
    /// The column of the file, which for a category is that of several features.
    pub source: String,
    /// The categories of the column, in order; the first has no feature of its own. Empty for numbers.
    pub categories: Vec<String>,
    /// The feature: the numbers, or 1 for items of one category and 0 for the others (`domain=law`).
    pub feature: FeatureColumn,
}

/// ChaosNLI's own template and id.
const CHAOSNLI_TEXT: &str = "Premise: {example_premise}\nHypothesis: {example_hypothesis}";

/// Reads the items.
///
/// # Errors
/// A file that can't be read, a repeated or blank id, a column that is missing, a template that names a column which
/// the file lacks, a blank group, a cell that is not a number, a column of one category.
pub fn read(file: &StudyFile, source: &mut Source) -> Result<Items> {
    let config = &file.config.items;
    if let (Some(column), Some(_)) = (&config.probability, &config.drawn) {
        let reason = "items.drawn and items.probability both say how the items of your own files were chosen";
        let remedy = "remove items.drawn where the column has their probabilities, or items.probability otherwise";
        return Err(file.refuse("items.probability", &format!("{column:?}"), reason, remedy));
    }
    let paths = file.resolve_all(&config.file);
    source.criterion = file.config.criterion.as_ref().map(|criterion| criterion.name.clone());
    let table = match config.multilabel.is_empty() {
        true => read_table(&paths, config.format, config.id.as_deref(), LogRows::Items, source)?,
        false => read_joined(&paths, |path| lewidi::read_items(path, &source.read(path)?, &config.multilabel))?,
    };
    let chaosnli = (config.format == Some(FileFormat::ChaosNli)).then_some(CHAOSNLI_TEXT);
    let template = config.text.as_deref().or(chaosnli);
    let mut covariates = vec![];
    let texts = template.map(|template| render(file, &table, template, &mut covariates)).transpose()?;
    let text = |row: Row<'_>, column| row.text(column).map(str::to_owned);
    let transcripts = named(&table, &config.transcript, |row, column| Ok(row.cell(column).to_owned()))?;
    let probabilities = named(&table, &config.probability, probability)?;
    let (groups, systems) = (grouping(&table, &config.group)?, grouping(&table, &config.system)?);
    let (about, clusters) = (named(&table, &config.item, text)?, named(&table, &config.cluster, text)?);
    let pairs = config.pair.as_ref().map(|names| pairs(&table, names)).transpose()?;
    let mut columns = Vec::new();
    let compared = config.compare.iter().map(|name| (name, false));
    for (name, is_feature) in compared.chain(config.numbers.iter().map(|name| (name, true))) {
        let column = table.column(name)?;
        let values: Vec<Option<f64>> = table.rows().map(|row| measured(row, column)).collect::<Result<_>>()?;
        if is_feature {
            let feature = FeatureColumn::partial(name.as_str(), values.clone());
            columns.push(ItemColumn { source: name.clone(), categories: vec![], feature });
        }
        covariates.push((name.clone(), values));
    }
    for name in &config.categories {
        columns.extend(indicators(file, &table, name)?);
    }
    Ok(Items {
        ids: table.ids()?,
        texts,
        groups,
        systems,
        pairs,
        covariates,
        transcripts,
        probabilities,
        about,
        clusters,
        columns,
        file: file.resolve(config.file.first()),
        left_out: BTreeSet::new(),
    })
}

/// The texts with the two answers of [`items.sides`] in each other's place; `None` where the text has no two, or the
/// classes none for each. Studies of older versions do not name the two, so that of pairs has those of its text.
///
/// [`items.sides`]: super::config::ItemsConfig::sides
///
/// # Errors
/// As [`read`].
pub fn swapped(file: &StudyFile) -> Result<Option<Vec<String>>> {
    let (Some(text), Some(_)) = (&file.config.items.text, file.config.sides()) else { return Ok(None) };
    let in_text = |names: &[String; 2]| names.iter().all(|name| text.contains(&format!("{{{name}}}")));
    let of_pairs = || file.config.items.pair.as_ref().map(|_| ANSWERS.map(str::to_owned)).filter(in_text);
    let Some(sides) = file.config.items.sides.clone().or_else(of_pairs) else { return Ok(None) };
    let [one, other] = sides.map(|name| format!("{{{name}}}"));
    let parts: Vec<String> = text.split(&one).map(|part| part.replace(&other, &one)).collect();
    let mut file = file.clone();
    file.config.items.text = Some(parts.join(&other));
    Ok(read(&file, &mut Source::default())?.texts)
}

/// The two systems of each row.
fn pairs(table: &DataTable, names: &[String; 2]) -> Result<Vec<[String; 2]>> {
    let [one, other] = [table.column(&names[0])?, table.column(&names[1])?];
    table.rows().map(|row| Ok([row.text(one)?.to_owned(), row.text(other)?.to_owned()])).collect()
}

/// The cells of the column of this name; `None` without a name.
fn named<T>(
    table: &DataTable,
    name: &Option<String>,
    cell: impl Fn(Row<'_>, ColumnIndex) -> Result<T>,
) -> Result<Option<Vec<T>>> {
    let Some(name) = name else { return Ok(None) };
    let column = table.column(name)?;
    table.rows().map(|row| cell(row, column)).collect::<Result<_>>().map(Some)
}

/// The group, or the system, of each item, which none may lack; `None` without a column.
fn grouping(table: &DataTable, name: &Option<String>) -> Result<Option<Grouping>> {
    let Some(name) = name else { return Ok(None) };
    let column = table.column(name)?;
    let names: Vec<&str> = table.rows().map(|row| row.text(column)).collect::<Result<_>>()?;
    Ok(Some(Grouping::new(names)))
}

/// A number that trust may depend on, of a size whose squares can be summed; `None` for a blank cell.
///
/// # Errors
/// No number, or one that is too large.
pub fn measured(row: Row<'_>, column: ColumnIndex) -> Result<Option<f64>> {
    let value = row.optional_number(column)?;
    match value.filter(|value| value.abs() > LARGEST) {
        None => Ok(value),
        Some(value) => {
            let reason = format!("{value:e} is too large: squares of it are beyond what can be computed with");
            let remedy = "give the column in a larger unit, from -1e70 to 1e70";
            Err(row.refuse(column, Problem::unfit(reason, remedy)))
        }
    }
}

/// The probability with which an item was chosen; blank where it was not.
fn probability(row: Row<'_>, column: ColumnIndex) -> Result<Option<f64>> {
    match row.optional_number(column)? {
        Some(value) if !(value > 0.0 && value <= 1.0) => {
            let reason = format!("{value} is no probability of a chosen item, which is above 0 and at most 1");
            let remedy = "correct it, or leave the cell blank for an item that could not be chosen".to_owned();
            Err(row.refuse(column, Problem::Unfit { reason, remedy }))
        }
        value => Ok(value),
    }
}

/// What experts read of each item, and how long each column in it is.
fn render(
    file: &StudyFile,
    table: &DataTable,
    template: &str,
    lengths: &mut Vec<(String, Vec<Option<f64>>)>,
) -> Result<Vec<String>> {
    let refuse = |reason: String| {
        let remedy = "name columns of the items in braces, such as \"{question}\"";
        file.refuse("items.text", &format!("{template:?}"), &reason, remedy)
    };
    let template: Template = template.parse().map_err(|error: TemplateError| refuse(error.to_string()))?;
    if let Some(name) = template.columns().find(|name| table.column(name).is_err()) {
        return Err(refuse(format!("{name:?} is not a column of the items")));
    }
    for name in template.columns() {
        let column = table.column(name)?;
        let length = |row: Row<'_>| Some(row.cell(column).chars().count() as f64).filter(|letters| *letters > 0.0);
        lengths.push((format!("length of {name}"), table.rows().map(length).collect()));
    }
    texts(table, &template)
}

/// One 0/1 feature per category but the first in the order of the alphabet, which the intercept stands for. A blank
/// cell is missing in all of them.
fn indicators(file: &StudyFile, table: &DataTable, name: &str) -> Result<Vec<ItemColumn>> {
    /// More features than this from one column are a sign that it holds no categories.
    const MOST: usize = 50;
    let column = table.column(name)?;
    let cells: Vec<&str> = table.rows().map(|row| row.cell(column)).collect();
    let categories: BTreeSet<&str> = cells.iter().copied().filter(|cell| !cell.is_empty()).collect();
    if !(2..=MOST).contains(&categories.len()) {
        let reason = format!("the column has {} different values, but 2 to {MOST} make a feature", categories.len());
        let remedy = "remove it, merge rare categories, or list it under numbers";
        return Err(file.refuse("items.categories", &format!("{name:?}"), &reason, remedy));
    }
    let all: Vec<String> = categories.iter().map(|category| (*category).to_owned()).collect();
    let indicator = |category: &&str| ItemColumn {
        source: name.to_owned(),
        categories: all.clone(),
        feature: FeatureColumn::partial(
            format!("{name}={category}"),
            cells.iter().map(|cell| (!cell.is_empty()).then(|| f64::from(u8::from(cell == category)))),
        ),
    };
    Ok(categories.iter().skip(1).map(indicator).collect())
}

impl Items {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// What is wrong with an id that no item has.
    pub fn unknown(&self, id: &str) -> Problem {
        let (id, reference) = (id.to_owned(), self.file.display().to_string());
        match near(&id, self.ids.iter()).map(str::to_owned) {
            Some(near) => {
                let [id, near] = [&id, &near].map(|id| excerpt(id));
                let reason = format!("the id {id:?} is unknown: {reference} has {near:?}");
                Problem::unfit(reason, format!("write {near:?}, letter by letter"))
            }
            None => Problem::UnknownId { id, reference },
        }
    }

    /// The names of the groups, in order; none without groups.
    pub fn group_names(&self) -> Vec<&str> {
        self.groups.iter().flat_map(|groups| &groups.names).map(String::as_str).collect()
    }

    /// The group of each item by its place in [`Self::group_names`]; empty without groups.
    pub fn group_numbers(&self) -> &[usize] {
        self.groups.as_ref().map_or(&[], |groups| &groups.of)
    }

    /// The groups of the items at positions `kept` by their numbers; empty without groups.
    pub fn groups_of(&self, kept: &[usize]) -> Vec<usize> {
        let numbers = self.group_numbers();
        kept.iter().filter_map(|&i| numbers.get(i).copied()).collect()
    }

    /// The cluster of each of the items at positions `kept`: items share one if they have the same cluster column, are
    /// about the same item or, without either column, have the same text; empty if nothing in the file shows this.
    pub fn clusters(&self, kept: &[usize]) -> Vec<usize> {
        let Some(clusters) = self.clusters.as_ref().or(self.about.as_ref()).or(self.texts.as_ref()) else {
            return vec![];
        };
        numbered(kept.iter().map(|&i| &clusters[i])).0
    }

    /// The item that each row is about, by the order in which they first appear; `None` where every row is one of its
    /// own.
    pub fn about_numbers(&self) -> Option<Vec<usize>> {
        self.about.as_ref().map(|about| numbered(about).0)
    }

    /// Some of the items, by position in ascending order.
    pub(crate) fn select(&self, kept: &[usize]) -> Result<Self> {
        let kept_ids: BTreeSet<usize> = kept.iter().copied().collect();
        let left_out = (0..self.len()).filter(|i| !kept_ids.contains(i)).map(|i| self.ids[i].to_owned()).collect();
        let those = |of: &Grouping| Grouping::new(kept.iter().map(|&i| of.name(i)));
        let some = |values: &Vec<String>| kept.iter().map(|&i| values[i].clone()).collect();
        let column = |column: &ItemColumn| ItemColumn {
            source: column.source.clone(),
            categories: column.categories.clone(),
            feature: column.feature.select(kept),
        };
        Ok(Self {
            ids: ItemIds::new(kept.iter().map(|&i| &self.ids[i]))?,
            texts: self.texts.as_ref().map(some),
            groups: self.groups.as_ref().map(those),
            systems: self.systems.as_ref().map(those),
            pairs: self.pairs.as_ref().map(|of| kept.iter().map(|&i| of[i].clone()).collect()),
            covariates: self
                .covariates
                .iter()
                .map(|(name, values)| (name.clone(), kept.iter().map(|&i| values[i]).collect()))
                .collect(),
            transcripts: self.transcripts.as_ref().map(some),
            probabilities: self.probabilities.as_ref().map(|of| kept.iter().map(|&i| of[i]).collect()),
            about: self.about.as_ref().map(some),
            clusters: self.clusters.as_ref().map(some),
            columns: self.columns.iter().map(column).collect(),
            file: self.file.clone(),
            left_out,
        })
    }
}
