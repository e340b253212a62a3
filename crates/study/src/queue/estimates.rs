//! What the labels of an exploring queue say about all items: shares of the classes, or the mean score.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use serde::Serialize;

use crate::model::chosen::asked_at_random;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::escalation::Selection;
use judge_uncertainty_core::stats::estimator::{Ask, Design, Help, LabelScore, Stage};
use judge_uncertainty_core::stats::{Estimable, Interval};
use judge_uncertainty_formats::checksum::read_file;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::table::{DataTable, Row};
use judge_uncertainty_system::Record;
use judge_uncertainty_system::read::bytes_if_there;

use super::files::{QueueRecord, batches_before};

/// Column of `selection.csv`: batches of added labels that were there before the queue.
pub const BATCHES_BEFORE: &str = "batches_before";

/// Name of the stratum of things that had labels when the others were drawn at random.
pub const ALREADY_LABELLED: &str = "already labelled";

/// Name of the stratum of items that are selected for sure.
pub const TOP_RANKED: &str = "top-ranked";

/// Randomly drawn items with labels that an estimate needs, where there are as many.
pub const LEAST_DRAWN: usize = 10;

/// An estimate of a mean over all items of a study, with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WeightedMean {
    /// The estimate, in the unit of the values.
    pub mean: f64,
    /// Its standard error; 0 where the values of no stratum differ, and the interval is not 0 wide all the same.
    pub se: f64,
    /// Lower end of the interval, within the range of the values.
    #[serde(rename = "lo")]
    pub low: f64,
    /// Upper end, within the range.
    #[serde(rename = "hi")]
    pub high: f64,
    /// Probability with which such intervals are to hold the mean of what these annotators say of all items.
    pub level: f64,
}

/// Items of a stratum that came back, and those that did not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResponseCount {
    /// "top-ranked" or "randomly drawn".
    pub stratum: &'static str,
    /// Items that the stratum stands for.
    pub items: usize,
    /// Items selected.
    pub selected: usize,
    /// Selected items with labels.
    pub came_back: usize,
}

/// Why a mean over all items can't be estimated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoEstimate {
    /// Items that could not have been selected.
    #[error(
        "{items} of {of} items had no chance of being selected: a top-ranked selection is biased for population \
         estimates; select with --explore"
    )]
    Biased {
        /// Such items.
        items: usize,
        /// All items.
        of: usize,
    },
    /// Too few items came back with labels.
    #[error("{came_back} of the {selected} {stratum} items have labels, and an estimate for all items needs {needed}")]
    TooFew {
        /// "top-ranked" or "randomly drawn".
        stratum: &'static str,
        /// Items with labels.
        came_back: usize,
        /// Items selected.
        selected: usize,
        /// Items needed.
        needed: usize,
    },
    /// What the estimator says.
    #[error("{0}")]
    Not(String),
}

/// The strata of a selection that are not empty: name, selected items, and the number that it stands for.
fn strata(selection: &Selection) -> Vec<(&'static str, &[usize], usize)> {
    let rest = selection.probability.len() - selection.ranked.len();
    let ranked = (TOP_RANKED, selection.ranked.as_slice(), selection.ranked.len());
    [ranked, ("randomly drawn", selection.drawn.as_slice(), rest)].into_iter().filter(|one| one.2 > 0).collect()
}

/// What came back, by stratum.
fn responses(selection: &Selection, came_back: &[bool]) -> Vec<ResponseCount> {
    let of = |(stratum, selected, items): (&'static str, &[usize], usize)| ResponseCount {
        stratum,
        items,
        selected: selected.len(),
        came_back: selected.iter().filter(|&&i| came_back[i]).count(),
    };
    strata(selection).into_iter().map(of).collect()
}

/// The items of a selection that came back, and the design by which they were chosen: what did not come back counts as a
/// random part of its stratum, and is known to be missing where `missing`.
///
/// # Errors
/// Items without a chance of being selected; a stratum from which too few came back ([`LEAST_DRAWN`] of the random ones,
/// two of the top-ranked).
pub fn design(selection: &Selection, came_back: &[bool], missing: bool) -> Result<(Vec<usize>, Design), NoEstimate> {
    if selection.excluded() > 0 {
        return Err(NoEstimate::Biased { items: selection.excluded(), of: selection.probability.len() });
    }
    let (mut items, mut of) = (vec![], vec![]);
    for one in responses(selection, came_back) {
        let ResponseCount { stratum, items, selected, came_back } = one;
        let needed = if stratum == TOP_RANKED { 2.min(items) } else { LEAST_DRAWN.min(items) };
        if came_back < needed {
            return Err(NoEstimate::TooFew { stratum, came_back, selected, needed });
        }
    }
    let strata = strata(selection);
    for (h, (_, selected, _)) in strata.iter().enumerate() {
        let came: Vec<usize> = selected.iter().copied().filter(|&i| came_back[i]).collect();
        of.extend(came.iter().map(|_| Some(h)));
        items.extend(came);
    }
    let sizes: Vec<usize> = strata.iter().map(|(_, _, size)| *size).collect();
    let stage = Stage::try_stratified(&of, &sizes).map_err(|not| NoEstimate::Not(not.to_string()))?;
    let lost = responses(selection, came_back).iter().map(|one| one.selected - one.came_back).collect();
    let stage = if missing { stage.with_missing(lost) } else { stage };
    let design = Design::from_stages((0..items.len()).collect(), vec![stage], selection.probability.len());
    Ok((items, design.expect("it has a stage")))
}

/// How a queue was selected, read back from its `selection.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionFile {
    /// The selection, by position of the items.
    pub selection: Selection,
    /// Whether those of the items without a label that it selected are a random sample of them.
    pub draws_unlabelled: bool,
    /// Batches of added labels that were there when the queue was made, and are no answers to it.
    pub batches_before: usize,
    /// Sums of the added labels that the queue read.
    pub read: BTreeSet<String>,
    /// Belief's mean of each quantity before the labels, by name of its column.
    baselines: HashMap<String, Vec<f64>>,
}

impl SelectionFile {
    /// Reads the selection of the queue in a folder; `names` are the columns with the belief's means.
    ///
    /// # Errors
    /// A file that can't be read or does not belong to these items.
    pub fn read(folder: &Path, ids: &ItemIds, items: &Path, names: &[String]) -> Result<Self> {
        let record = folder.join(QueueRecord::FILE);
        let text = bytes_if_there(&record).map_err(|source| Error::Unreadable { file: record, source })?;
        let record = text.and_then(|text| serde_json::from_slice::<QueueRecord>(&text).ok());
        let by_chance = record.as_ref().is_some_and(QueueRecord::is_by_chance);
        let draws_unlabelled = record.as_ref().is_some_and(QueueRecord::draws_unlabelled);
        let read = record.as_ref().map(QueueRecord::added).unwrap_or_default();
        let rest = record.and_then(|record| record.not_selected);
        let file = folder.join("selection.csv");
        let table = DataTable::parse(&file, &read_file(&file)?, "id")?;
        let rows: Vec<(usize, Row<'_>)> = match &rest {
            None => table.rows_of(ids, items)?.into_iter().enumerate().collect(),
            Some(_) => table.rows_among(ids, items)?,
        };
        let [by, chance] = [table.column("selected_by")?, table.column("selection_probability")?];
        let words = ["rank", "random"].map(str::to_owned);
        let number =
            |row: &Row<'_>, column| row.optional_number(column)?.ok_or_else(|| row.refuse(column, Problem::Blank));
        let probability = vec![rest.as_ref().map_or(0.0, |rest| rest.probability); ids.len()];
        let mut selection = Selection { ranked: vec![], drawn: vec![], probability };
        for (i, row) in &rows {
            match row.optional_word(by, &words)? {
                Some(0) => selection.ranked.push(*i),
                Some(_) => selection.drawn.push(*i),
                None => {}
            }
            let probability = number(row, chance)?;
            if !(0.0..=1.0).contains(&probability) {
                return Err(row.refuse(chance, Problem::OutOfRange { value: probability, low: 0.0, high: 1.0 }));
            }
            selection.probability[*i] = probability;
        }
        let before = table.column(BATCHES_BEFORE)?;
        let batches = rows.iter().map(|(_, row)| row.optional_number(before)).collect::<Result<Vec<_>>>()?;
        let batches_before = batches.into_iter().flatten().next().unwrap_or(0.0) as usize;
        let mut baselines = HashMap::new();
        for name in names {
            let column = table.column(name)?;
            // Estimates take no more of the others than their mean.
            let of_rest = rest.as_ref().and_then(|rest| rest.means.get(name)).copied().unwrap_or(0.0);
            let mut values = vec![of_rest; ids.len()];
            for (i, row) in &rows {
                values[*i] = number(row, column)?;
            }
            baselines.insert(name.clone(), values);
        }
        if selection.ranked.is_empty() && selection.drawn.is_empty() {
            return Err(Error::refused(Place::file(&file), Problem::NoRows));
        }
        if by_chance {
            let chance = selection.ranked.len() as f64 / ids.len() as f64;
            selection = Selection { ranked: vec![], drawn: selection.ranked, probability: vec![chance; ids.len()] };
        }
        Ok(Self { selection, draws_unlabelled, batches_before, read, baselines })
    }

    /// The selection where those without a label were drawn at random: the things that had one, `known`, are all in,
    /// by their labels from before, and the selected ones among the others stand for these.
    fn beside_known(mut self, known: &[bool]) -> Self {
        let Selection { ranked, drawn, .. } = &self.selection;
        let drawn: Vec<usize> = ranked.iter().chain(drawn).copied().filter(|&thing| !known[thing]).collect();
        let ranked: Vec<usize> = (0..known.len()).filter(|&thing| known[thing]).collect();
        let chance = drawn.len() as f64 / (known.len() - ranked.len()).max(1) as f64;
        let probability = known.iter().map(|known| if *known { 1.0 } else { chance }).collect();
        self.selection = Selection { ranked, drawn, probability };
        self
    }

    /// The selection where what was asked about before, answered or not, is a random sample of all, and so is it
    /// together with what is selected now. What the belief foresaw rests on labels of that sample, and is no help.
    fn one_sample(mut self, asked: &[bool]) -> Self {
        let Selection { ranked, drawn, .. } = &self.selection;
        let new = ranked.iter().chain(drawn).copied().filter(|&thing| !asked[thing]);
        let drawn: Vec<usize> = (0..asked.len()).filter(|&thing| asked[thing]).chain(new).collect();
        let chance = drawn.len() as f64 / asked.len() as f64;
        self.selection = Selection { ranked: vec![], drawn, probability: vec![chance; asked.len()] };
        self.baselines.clear();
        self
    }

    /// How a queue selected things, of which each item of it is a row; `about` numbers the thing of each.
    pub fn by_thing(&self, about: &[usize]) -> Self {
        let number = about.iter().max().map_or(0, |last| last + 1);
        let once = |rows: &[usize]| -> Vec<usize> {
            let mut seen = BTreeSet::new();
            rows.iter().map(|&row| about[row]).filter(|thing| seen.insert(*thing)).collect()
        };
        let [ranked, drawn] = [&self.selection.ranked, &self.selection.drawn].map(|rows| once(rows));
        // Things have the chance that they share; rows of a queue in random order have another.
        let mut probability = vec![drawn.len() as f64 / number as f64; number];
        if !ranked.is_empty() {
            about.iter().zip(&self.selection.probability).for_each(|(&thing, p)| probability[thing] = *p);
        }
        let mean_of = |values: &Vec<f64>| {
            let (mut sums, mut rows) = (vec![0.0; number], vec![0.0; number]);
            about
                .iter()
                .zip(values)
                .for_each(|(&thing, x)| (sums[thing], rows[thing]) = (sums[thing] + x, rows[thing] + 1.0));
            sums.into_iter().zip(rows).map(|(sum, rows)| sum / rows).collect()
        };
        Self {
            selection: Selection { ranked, drawn, probability },
            draws_unlabelled: self.draws_unlabelled,
            batches_before: self.batches_before,
            read: self.read.clone(),
            baselines: self.baselines.iter().map(|(name, values)| (name.clone(), mean_of(values))).collect(),
        }
    }

    /// Estimates one quantity, which lies in `range`, from what was observed of the items that came back: from the labels
    /// alone, with the belief's help, and whatever those would have said that did not come back.
    ///
    /// # Errors
    /// As [`design`].
    pub fn estimate(
        &self,
        name: &str,
        observed: &[Option<f64>],
        by_annotator: &[Vec<Option<f64>>],
        (range, level): ((f64, f64), f64),
    ) -> std::result::Result<PoolMean, NoEstimate> {
        let came_back: Vec<bool> = observed.iter().map(Option::is_some).collect();
        let (items, design) = design(&self.selection, &came_back, false)?;
        let values: Vec<Option<f64>> = items.iter().map(|&i| observed[i]).collect();
        let ask = Ask::mean(&values).within(range.0, range.1).of_study().at(level);
        let of = |found: Estimable| match found {
            Estimable::Estimated(found) => {
                Ok(WeightedMean { mean: found.value, se: found.standard_error, low: found.lo, high: found.hi, level })
            }
            Estimable::NotEstimable { not_estimable, .. } => Err(NoEstimate::Not(not_estimable)),
        };
        let weighted = of(design.estimate(&ask))?;
        let assisted = match self.baselines.get(name) {
            Some(all) => {
                let own: Vec<f64> = items.iter().map(|&i| all[i]).collect();
                let overall = judge_uncertainty_core::stats::mean(all);
                Some(of(design.estimate(&ask.helped(Help { of_labelled: &own, overall, range })))?)
            }
            None => None,
        };
        let narrower = assisted.filter(|assisted| *assisted != weighted);
        let not_assisted = assisted.filter(|_| narrower.is_none());
        let not_assisted = not_assisted.map(|_| "the belief can't help: it does not narrow the interval".to_owned());
        let selected = || self.selection.ranked.iter().chain(&self.selection.drawn);
        let if_missing = match selected().all(|&i| came_back[i]) {
            true => None,
            false => {
                let (_, with_missing) = self::design(&self.selection, &came_back, true)?;
                with_missing.estimate(&ask).estimate().map(|found| Interval { lo: found.lo, hi: found.hi })
            }
        };
        let mut strata = responses(&self.selection, &came_back);
        if self.draws_unlabelled {
            strata
                .iter_mut()
                .filter(|stratum| stratum.stratum == TOP_RANKED)
                .for_each(|s| s.stratum = ALREADY_LABELLED);
        }
        let with_other_annotators = self.with_other_annotators(by_annotator, range);
        let quantity = name.to_owned();
        Ok(PoolMean { quantity, weighted, assisted: narrower, not_assisted, if_missing, with_other_annotators, strata })
    }

    /// The mean if other annotators had labelled, from what each of them says of the things, by the design of the
    /// selection; the annotators of a thing weigh alike.
    fn with_other_annotators(&self, by_annotator: &[Vec<Option<f64>>], range: (f64, f64)) -> Estimable {
        let things = self.selection.probability.len();
        let came_back: Vec<bool> = (0..things).map(|thing| by_annotator.iter().any(|of| of[thing].is_some())).collect();
        let (there, design) = match design(&self.selection, &came_back, false) {
            Ok(found) => found,
            Err(reason) => return Estimable::not(reason.to_string()),
        };
        let label = |(annotator, of): (usize, &Vec<Option<f64>>)| {
            let each = there.iter().enumerate();
            each.filter_map(|(item, thing)| Some(LabelScore::single(item, annotator, of[*thing]?))).collect::<Vec<_>>()
        };
        let labels: Vec<LabelScore> = by_annotator.iter().enumerate().flat_map(label).collect();
        design.crossed(&labels, Ask::mean(&[]).within(range.0, range.1).of_study())
    }
}

/// What is observed of things, the mean over their rows; `about` numbers the thing of each row.
fn observed_by_thing(observed: &[Option<f64>], about: &[usize]) -> Vec<Option<f64>> {
    let number = about.iter().max().map_or(0, |last| last + 1);
    let (mut sums, mut rows) = (vec![0.0; number], vec![0.0; number]);
    for (value, &thing) in observed.iter().zip(about) {
        if let Some(value) = value {
            (sums[thing], rows[thing]) = (sums[thing] + value, rows[thing] + 1.0);
        }
    }
    sums.iter().zip(&rows).map(|(sum, rows)| (*rows > 0.0).then(|| sum / rows)).collect()
}

/// A mean over all items, estimated in two ways.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoolMean {
    /// The quantity, as its column is called.
    pub quantity: String,
    /// From the labels alone, weighted by 1 over the selection probability.
    pub weighted: WeightedMean,
    /// The belief's mean before the labels, corrected by them.
    pub assisted: Option<WeightedMean>,
    /// Why the belief can't help, where it can't.
    pub not_assisted: Option<String>,
    /// What it can be whatever those would have said that did not come back, see [`SelectionFile::estimate`]; `None`
    /// where all came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_missing: Option<Interval>,
    /// The mean if other annotators had labelled; annotators vary as items do, crossed with them
    /// ([`Design::crossed`]).
    pub with_other_annotators: Estimable,
    /// What was sent out and what came back; those that did not come back are taken for a random part of their stratum.
    pub strata: Vec<ResponseCount>,
}

/// Whether a quantity is the one that a user means: by its own name, or a share by its class.
pub fn is_called(quantity: &str, name: &str) -> bool {
    quantity == name || quantity.strip_prefix("mean_") == Some(name)
}

/// What the answers to a queue say of all items of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueEstimates {
    /// Each quantity.
    pub means: Vec<PoolMean>,
    /// The batches of added labels that answer the queue.
    pub batches: BTreeSet<usize>,
    /// Annotators who gave these labels.
    pub annotators: usize,
    /// First batch of added labels that counts; `None` where labels of the user's own files count, too.
    pub earliest_batch: Option<usize>,
}

impl QueueEstimates {
    /// Estimates every quantity from the answers to the queue in a folder, with intervals that hold with probability
    /// `level` each.
    ///
    /// # Errors
    /// A record of the queue that can't be read; as [`design`].
    pub fn new<K: Kind>(study: &Study<K>, queue: &Path, level: f64) -> std::result::Result<Self, crate::Error> {
        let quantities = K::quantities(&study.file.config.scale);
        let names: Vec<String> = quantities.iter().map(|quantity| quantity.name.clone()).collect();
        let mut file = SelectionFile::read(queue, &study.items.ids, &study.items.file, &names)?;
        file.batches_before = batches_before(&file.read, file.batches_before, &study.labels.batches);
        let batches = study.answers_to(queue, file.batches_before);
        // What was known of the labelled items when the unlabelled ones were drawn counts as well.
        let with_known = file.draws_unlabelled;
        let counts = |batch| batches.contains(&batch) || (with_known && batch < file.batches_before);
        let labels = study.labels.of_batches(with_known, counts);
        let annotators: BTreeSet<usize> = labels.rows.iter().map(|label| label.annotator).collect();
        let observed = K::observed(study, &labels);
        let of_one = |who: &usize| labels.rows.iter().filter(|label| label.annotator == *who).copied().collect();
        let by_annotator: Vec<_> = annotators.iter().map(|who| K::observed(study, &labels.only(of_one(who)))).collect();
        let about = study.items.about_numbers();
        let mut whole = about.as_ref().map_or_else(|| file.clone(), |about| file.by_thing(about));
        if with_known {
            let things = whole.selection.probability.len();
            let of_things = |items: Vec<bool>| {
                let mut found = vec![false; things];
                items
                    .into_iter()
                    .enumerate()
                    .for_each(|(item, is)| found[about.as_ref().map_or(item, |a| a[item])] |= is);
                found
            };
            let before = study.labels.of_batches(true, |batch| batch < file.batches_before).numbers();
            let known = of_things(before.iter().map(|labels| *labels > 0).collect());
            let asked = asked_at_random(study, file.batches_before).filter(|_| known.contains(&true));
            whole = match asked {
                Some(asked) => whole.one_sample(&of_things(asked)),
                None => whole.beside_known(&known),
            };
        }
        let estimate = |k: usize| {
            let of_things = |observed: &Vec<Vec<Option<f64>>>| match &about {
                Some(about) => observed_by_thing(&observed[k], about),
                None => observed[k].clone(),
            };
            let by_annotator: Vec<_> = by_annotator.iter().map(of_things).collect();
            let observed = of_things(&observed);
            whole.estimate(&names[k], &observed, &by_annotator, (quantities[k].range, level))
        };
        let means = (0..names.len()).map(estimate).collect::<std::result::Result<_, _>>()?;
        let with_own = with_known && study.own_numbers().iter().any(|number| *number > 0);
        let earliest_batch = if with_own { None } else { labels.rows.iter().filter_map(|label| label.batch).min() };
        Ok(Self { means, batches, annotators: annotators.len(), earliest_batch })
    }

    /// A quantity with an interval that holds whatever those would have said that did not come back; `None` where
    /// nothing is called so.
    pub fn whatever_is_missing(&self, name: &str) -> Option<(f64, Interval)> {
        let found = self.means.iter().find(|mean| is_called(&mean.quantity, name))?;
        let WeightedMean { mean, low, high, .. } = found.weighted;
        Some((mean, found.if_missing.unwrap_or(Interval { lo: low, hi: high })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_core::random::Stream;

    /// Items of a class come back half as often as others. Taken for a random part, what came back holds the share in
    /// few studies; what it can be whatever the others say holds it in at least as many as promised.
    #[test]
    fn bounds_hold_where_missing_answers_depend_on_the_class() {
        let (mut plainly, mut bounded) = (0, 0);
        for seed in 0..200 {
            let mut stream = Stream::new(seed);
            let classes: Vec<f64> = (0..400).map(|_| f64::from(u8::from(stream.random() < 0.4))).collect();
            let order: Vec<usize> = (0..400).collect();
            let selection = Selection::exploring(&order, 120, 1.0, &mut stream);
            let mut observed = vec![None; 400];
            for &i in &selection.drawn {
                if stream.random() < if classes[i] > 0.0 { 0.45 } else { 0.9 } {
                    observed[i] = Some(classes[i]);
                }
            }
            let file = SelectionFile {
                selection,
                draws_unlabelled: false,
                batches_before: 0,
                read: BTreeSet::new(),
                baselines: HashMap::new(),
            };
            let found = file.estimate("mean_a", &observed, &[], ((0.0, 1.0), 0.95)).unwrap();
            let truth = classes.iter().sum::<f64>() / 400.0;
            plainly += usize::from((found.weighted.low..=found.weighted.high).contains(&truth));
            let Interval { lo, hi } = found.if_missing.unwrap();
            bounded += usize::from((lo..=hi).contains(&truth));
        }
        assert!(plainly < 150 && bounded >= 190, "{plainly} and {bounded} of 200");
    }

    /// Labelled before were items of a class more often than others: beside these the drawn ones hold the share in as
    /// many studies as promised, and taken for one random sample with them, in hardly any.
    #[test]
    fn shares_hold_beside_items_that_somebody_picked() {
        let (mut beside, mut as_one) = (0, 0);
        for seed in 0..400 {
            let mut stream = Stream::new(seed);
            let classes: Vec<f64> = (0..400).map(|_| f64::from(u8::from(stream.random() < 0.4))).collect();
            let known: Vec<bool> = classes.iter().map(|a| stream.random() < if *a > 0.0 { 0.4 } else { 0.1 }).collect();
            let order: Vec<usize> = (0..400).filter(|&i| !known[i]).collect();
            let ranked: Vec<usize> =
                Selection::exploring(&(0..order.len()).collect::<Vec<_>>(), 80, 1.0, &mut stream).drawn;
            let ranked: Vec<usize> = ranked.into_iter().map(|k| order[k]).collect();
            let mut observed = vec![None; 400];
            let labelled = (0..400).filter(|&i| known[i]).chain(ranked.iter().copied());
            labelled.for_each(|i| observed[i] = Some(classes[i]));
            let selection = Selection { ranked, drawn: vec![], probability: vec![1.0; 400] };
            let file = SelectionFile {
                selection,
                draws_unlabelled: true,
                batches_before: 0,
                read: BTreeSet::new(),
                baselines: HashMap::new(),
            };
            let truth = classes.iter().sum::<f64>() / 400.0;
            let holds = |file: SelectionFile| {
                let found = file.estimate("mean_a", &observed, &[], ((0.0, 1.0), 0.95)).unwrap();
                usize::from((found.weighted.low..=found.weighted.high).contains(&truth))
            };
            beside += holds(file.clone().beside_known(&known));
            as_one += holds(file.one_sample(&known));
        }
        assert!(beside >= 372 && as_one < 100, "{beside} and {as_one} of 400");
    }

    /// Annotators with biases of sd 0.8 logits, two an item: what they say of all items is not what annotators say.
    #[test]
    fn a_share_among_all_annotators_takes_five_of_them() {
        let shown = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        let mut normal = Stream::new(1);
        // At 0 logits of item and annotator the mean is one half.
        let truth = 0.5;
        for (annotators, holds) in [(2, 0), (12, 183)] {
            let (mut these, mut held, mut estimable) = (0, 0, 0);
            for _ in 0..200 {
                let bias: Vec<f64> = (0..annotators).map(|_| 0.8 * normal.standard_normal()).collect();
                let level: Vec<f64> = (0..400).map(|_| normal.standard_normal()).collect();
                let order: Vec<usize> = (0..400).collect();
                let selection = Selection::exploring(&order, 150, 1.0, &mut normal);
                let mut by_annotator = vec![vec![None; 400]; annotators];
                let mut observed = vec![None; 400];
                for &i in &selection.drawn {
                    let first = normal.choice(annotators as u32) as usize;
                    let both = [first, (first + 1) % annotators].map(|who| {
                        let yes = f64::from(u8::from(normal.random() < shown(level[i] + bias[who])));
                        by_annotator[who][i] = Some(yes);
                        yes
                    });
                    let mean = 0.5 * (both[0] + both[1]);
                    observed[i] = Some(mean);
                }
                let file = SelectionFile {
                    selection,
                    draws_unlabelled: false,
                    batches_before: 0,
                    read: BTreeSet::new(),
                    baselines: HashMap::new(),
                };
                let found = file.estimate("mean_a", &observed, &by_annotator, ((0.0, 1.0), 0.95)).unwrap();
                these += usize::from((found.weighted.low..=found.weighted.high).contains(&truth));
                if let Some(found) = found.with_other_annotators.estimate() {
                    estimable += 1;
                    held += usize::from((found.lo..=found.hi).contains(&truth));
                }
            }
            assert!(these < 160 && held >= holds, "{annotators}: {these} and {held} of 200");
            assert_eq!(estimable > 0, annotators > 2);
        }
    }
}
