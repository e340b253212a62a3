//! What the labels of an exploring queue say about all items: shares of the classes, or the mean score.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use serde::Serialize;

use crate::model::chosen::asked_at_random;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::escalation::{
    NoEstimate, Observed, ResponseCount, Selection, TOP_RANKED, WeightedMean, responses, weighted_mean,
};
use judge_uncertainty_core::stats::crossed::LabelScore;
use judge_uncertainty_core::stats::sampling::{SamplingDesign, Stage};
use judge_uncertainty_core::stats::{Estimable, Interval, ItemEstimate, mean};
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
        let table = DataTable::parse(&file, &read_file(&file)?, "id")?.unescaped();
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

    /// Estimates one quantity, which lies in `range`, from what was observed of the items that came back.
    ///
    /// # Errors
    /// As [`weighted_mean`] without a baseline.
    pub fn estimate(
        &self,
        name: &str,
        observed: &[Option<Observed>],
        by_annotator: &[Vec<Option<Observed>>],
        (range, level): ((f64, f64), f64),
    ) -> std::result::Result<PoolMean, NoEstimate> {
        let weighted = weighted_mean(&self.selection, observed, None, range, level)?;
        let assisted = self
            .baselines
            .get(name)
            .map(|baseline| weighted_mean(&self.selection, observed, Some(baseline), range, level));
        let (assisted, not_assisted) = match assisted {
            Some(Ok(assisted)) => (Some(assisted), None),
            Some(Err(reason)) => (None, Some(reason.to_string())),
            None => (None, None),
        };
        let if_missing = self.if_missing(observed, range, level);
        let mut strata = responses(&self.selection, observed);
        if self.draws_unlabelled {
            strata
                .iter_mut()
                .filter(|stratum| stratum.stratum == TOP_RANKED)
                .for_each(|s| s.stratum = ALREADY_LABELLED);
        }
        let with_other_annotators = self.with_other_annotators(by_annotator, range);
        let quantity = name.to_owned();
        Ok(PoolMean { quantity, weighted, assisted, not_assisted, if_missing, with_other_annotators, strata })
    }

    /// The mean if other annotators had labelled, from what each of them says of the things, by the design of the
    /// selection; the annotators of a thing weigh alike.
    fn with_other_annotators(&self, by_annotator: &[Vec<Option<Observed>>], (least, most): (f64, f64)) -> Estimable {
        let Selection { ranked, drawn, probability } = &self.selection;
        let came = |things: &[usize], stratum: usize| -> Vec<(usize, usize)> {
            let is_there = |thing: &usize| by_annotator.iter().any(|of| of[*thing].is_some());
            things.iter().copied().filter(is_there).map(|thing| (thing, stratum)).collect()
        };
        let there = [came(ranked, 0), came(drawn, 1)].concat();
        let strata: Vec<Option<usize>> = there.iter().map(|(_, stratum)| Some(*stratum)).collect();
        let sizes = [ranked.len(), probability.len() - ranked.len()];
        let stage = match Stage::try_stratified(&strata, &sizes) {
            Ok(stage) => stage,
            Err(reason) => return Estimable::not(reason.to_string()),
        };
        let design = SamplingDesign::from_stages((0..there.len()).collect(), vec![stage], probability.len());
        let label = |(annotator, of): (usize, &Vec<Option<Observed>>)| {
            let of_thing = |(item, (thing, _)): (usize, &(usize, usize))| {
                Some(LabelScore::single(item, annotator, of[*thing].as_ref()?.mean))
            };
            there.iter().enumerate().filter_map(of_thing).collect::<Vec<_>>()
        };
        let labels: Vec<LabelScore> = by_annotator.iter().enumerate().flat_map(label).collect();
        match design.expect("it has a stage").crossed(&labels, SamplingDesign::mean) {
            Estimable::Estimated(found) => {
                let [lo, hi] = [found.lo, found.hi].map(|end| end.clamp(least, most));
                Estimable::Estimated(ItemEstimate { lo, hi, ..found })
            }
            not => not,
        }
    }

    /// What the mean can be whatever those would have said that did not come back: the lower end of the interval with
    /// all of them at the lower end of the range, and the upper one with all at the upper end (Manski 1990,
    /// "Nonparametric bounds on treatment effects"); `None` where all came back.
    fn if_missing(&self, observed: &[Option<Observed>], range: (f64, f64), level: f64) -> Option<Interval> {
        let selected = || self.selection.ranked.iter().chain(&self.selection.drawn);
        if selected().all(|&i| observed[i].is_some()) {
            return None;
        }
        let filled = |value: f64| {
            let mut observed = observed.to_vec();
            selected().for_each(|&i| observed[i] = observed[i].or(Some(Observed::once(value))));
            weighted_mean(&self.selection, &observed, None, range, level).ok()
        };
        Some(Interval { lo: filled(range.0)?.low, hi: filled(range.1)?.high })
    }
}

/// What is observed of things, the mean over their rows; `about` numbers the thing of each row.
///
/// How far its rows differ does not say how far other experts would: one answer may decide all rows that an expert
/// labels ([`among_annotators`]).
fn observed_by_thing(observed: &[Option<Observed>], about: &[usize]) -> Vec<Option<Observed>> {
    let number = about.iter().max().map_or(0, |last| last + 1);
    let (mut sums, mut rows) = (vec![0.0; number], vec![0.0; number]);
    for (row, &thing) in about.iter().enumerate() {
        if let Some(observed) = observed[row] {
            sums[thing] += observed.mean;
            rows[thing] += 1.0;
        }
    }
    sums.iter().zip(&rows).map(|(sum, rows)| (*rows > 0.0).then(|| Observed::once(sum / rows))).collect()
}

/// What is observed of things with how far other experts would say something else, as far as several annotators
/// labelled one: from how far what each of them says of it differs, `by_annotator` and thing. Where they labelled other
/// rows of it that counts as well, on the safe side.
fn among_annotators(things: &mut [Option<Observed>], by_annotator: &[Vec<Option<Observed>>]) {
    for (thing, observed) in things.iter_mut().enumerate() {
        let said: Vec<f64> = by_annotator.iter().filter_map(|of| Some(of[thing]?.mean)).collect();
        let centre = mean(&said);
        let squares = said.iter().map(|x| (x - centre).powi(2)).sum();
        let Observed { within, .. } = Observed::from_labels(said.len() as u32, centre, squares);
        *observed = observed.map(|Observed { mean, .. }| Observed { mean, within });
    }
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
    /// ([`SamplingDesign::crossed`]).
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
    /// A record of the queue that can't be read; as [`weighted_mean`] without a baseline.
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
            let of_things = |observed: &Vec<Vec<Option<Observed>>>| match &about {
                Some(about) => observed_by_thing(&observed[k], about),
                None => observed[k].clone(),
            };
            let by_annotator: Vec<_> = by_annotator.iter().map(of_things).collect();
            let mut observed = of_things(&observed);
            if about.is_some() {
                among_annotators(&mut observed, &by_annotator);
            }
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
                    observed[i] = Some(Observed::once(classes[i]));
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
            labelled.for_each(|i| observed[i] = Some(Observed::once(classes[i])));
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

    /// 48 of 80 things of five rows, of each of which annotators have one impression that decides all rows: with two of
    /// them the share holds in as many studies as promised, with one in somewhat more, for that tells nothing of how
    /// far another would differ. Taken for independent labels, the rows of one would make it hold in far fewer.
    #[test]
    fn rows_of_one_annotator_tell_nothing_of_others() {
        let about: Vec<usize> = (0..400).map(|row| row / 5).collect();
        let mut held = [0; 3];
        for seed in 0..1000 {
            let mut stream = Stream::new(seed);
            let shares: Vec<f64> = (0..80).map(|_| stream.random()).collect();
            let selection = Selection::exploring(&(0..80).collect::<Vec<_>>(), 48, 1.0, &mut stream);
            let drawn: Vec<usize> = selection.drawn.clone();
            let mut of_each = vec![vec![None; 400]; 2];
            for &thing in &drawn {
                for rows in &mut of_each {
                    let says = Observed::once(f64::from(u8::from(stream.random() < shares[thing])));
                    rows[5 * thing..5 * thing + 5].fill(Some(says));
                }
            }
            let of_each: Vec<_> = of_each.iter().map(|rows| observed_by_thing(rows, &about)).collect();
            let both = |thing: usize| Some(Observed::once((of_each[0][thing]?.mean + of_each[1][thing]?.mean) / 2.0));
            let mut two: Vec<Option<Observed>> = (0..80).map(both).collect();
            among_annotators(&mut two, &of_each);
            let mut one = of_each[0].clone();
            among_annotators(&mut one, &of_each[..1]);
            let as_rows = one.iter().map(|said| said.map(|said| Observed { within: Some(0.0), ..said })).collect();
            let file = SelectionFile {
                selection,
                draws_unlabelled: false,
                batches_before: 0,
                read: BTreeSet::new(),
                baselines: HashMap::new(),
            };
            let truth = shares.iter().sum::<f64>() / 80.0;
            for (held, observed) in held.iter_mut().zip([two, one, as_rows]) {
                let found = file.estimate("mean_a", &observed, &[], ((0.0, 1.0), 0.95)).unwrap().weighted;
                *held += usize::from((found.low..=found.high).contains(&truth));
            }
        }
        let [two, one, as_rows] = held;
        assert!((930..=970).contains(&two) && one >= 950 && as_rows < 900, "{held:?} of 1000");
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
                        by_annotator[who][i] = Some(Observed::once(yes));
                        yes
                    });
                    let mean = 0.5 * (both[0] + both[1]);
                    observed[i] = Some(Observed::from_labels(2, mean, both.iter().map(|y| (y - mean).powi(2)).sum()));
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
