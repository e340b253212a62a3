//! How the labelled items of a study were chosen, and which of them form a cluster.
//!
//! Where neither `items.drawn` nor `items.probability` says how the labels of the user's own files were chosen, they count
//! as drawn at random, on condition, as long as no queue tells more and the judge's answers do not show otherwise.
//! Labels that were added answer the queues in the study's folder, and those that it notes elsewhere: a batch belongs
//! to the queue, among those made before it, that holds most of its items, if they asked for half of them. An exploring queue gives every item a
//! chance, and so does one by fewest labels, to which all items without a label are equals; one that goes by rank alone
//! does not, and neither do batches without a queue.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::input::items::{Items, numbered};
use crate::input::label_store::LabelBatch;
use crate::input::labels::{Label, Labels};
use crate::input::source::Source;
use crate::model::study::Study;
use crate::queue::files::read_selection;
use crate::queue::files::{QUEUES_ELSEWHERE, QueueRecord, batches_before};
use judge_uncertainty_core::escalation::Selection;
use judge_uncertainty_core::stats::estimator::{Design, Stage};
use judge_uncertainty_evaluation::held_out::Score;
use judge_uncertainty_system::Record;
use judge_uncertainty_system::read;

#[cfg(test)]
mod tests;

/// How the items that the user's own files label were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drawn {
    /// At random from the items of the study.
    Random,
    /// Nobody knows.
    Unknown,
}

/// A queue to which labels came back.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredQueue {
    /// Its folder, as seen from that of the study.
    pub folder: String,
    /// Key of the rule that ranked.
    pub rule: String,
    /// What it took by rank and what at random; `None` where its record does not fit the items of the study, and why.
    pub selection: Result<Selection, String>,
    /// Whether those of the items without a label that it chose are a random sample of them.
    pub draws_unlabelled: bool,
    /// Batches of added labels that were there before it.
    pub batches_before: usize,
    /// Batches that answer it, by position among those that count.
    pub batches: BTreeSet<usize>,
}

impl AnsweredQueue {
    /// The queues in the folder of a study to which any of its `batches` came back; `added` are their labels.
    ///
    /// # Errors
    /// A record that can't be read.
    pub fn read_all(
        folder: &Path,
        items: &Items,
        (added, batches): (&[(usize, usize)], &[LabelBatch]),
        source: &mut Source,
    ) -> judge_uncertainty_formats::error::Result<Vec<Self>> {
        if batches.is_empty() {
            return Ok(vec![]);
        }
        let mut queues: Vec<(Self, BTreeSet<usize>)> = vec![];
        for (name, record) in records(folder)? {
            let queue = folder.join(&name);
            let selection = match read_selection(&queue, Some(&record), &items.ids, &items.file) {
                Ok(selection) => Ok(selection),
                Err(judge_uncertainty_formats::Error::Unreadable { file, source })
                    if source.kind() != std::io::ErrorKind::NotFound =>
                {
                    return Err(judge_uncertainty_formats::Error::Unreadable { file, source });
                }
                Err(error) => Err(error.to_string()),
            };
            let selected = selection.iter().flat_map(|s| s.ranked.iter().chain(&s.drawn)).copied().collect();
            let draws_unlabelled =
                record.draws_unlabelled() || selection.as_ref().is_ok_and(|selection| selection.ranked.is_empty());
            let batches_before = batches_before(&record.added(), record.batches_before, batches);
            let rule = record.rule;
            let batches = BTreeSet::new();
            queues.push((Self { folder: name, rule, selection, draws_unlabelled, batches_before, batches }, selected));
        }
        queues.sort_by_key(|(queue, _)| queue.batches_before);
        for batch in 0..batches.len() {
            let of_batch: BTreeSet<usize> = added.iter().filter(|(_, b)| *b == batch).map(|(item, _)| *item).collect();
            let shared = |k: usize| queues[k].1.intersection(&of_batch).count();
            let before: Vec<usize> =
                (0..queues.len()).filter(|&k| queues[k].0.batches_before <= batch && shared(k) > 0).collect();
            // Labels most of which no queue asked for share some of its items by chance.
            let is_asked = |item: &&usize| before.iter().any(|&k| queues[k].1.contains(item));
            if 2 * of_batch.iter().filter(is_asked).count() < of_batch.len() {
                continue;
            }
            // Of queues that hold as many of its items the one of which it answers most, and then the latest.
            if let Some(answered) = before.into_iter().max_by_key(|&k| (shared(k), Reverse(queues[k].1.len()))) {
                queues[answered].0.batches.insert(batch);
            }
        }
        let answered: Vec<Self> =
            queues.into_iter().map(|(queue, _)| queue).filter(|q| !q.batches.is_empty()).collect();
        for queue in &answered {
            for file in [QueueRecord::FILE, "selection.csv"] {
                source.read(&folder.join(&queue.folder).join(file))?;
            }
        }
        Ok(answered)
    }

    /// Whether it took items for what they are, and not by chance alone.
    fn ranks(&self) -> bool {
        !self.draws_unlabelled && self.selection.as_ref().is_ok_and(|selection| !selection.ranked.is_empty())
    }

    /// Whether more than a twentieth of its items have neither an added label nor a remark of an annotator.
    pub(crate) fn is_unfinished(&self, study: &Study) -> bool {
        let Ok(selection) = &self.selection else { return false };
        let Labels { remarks, .. } = &study.labels;
        let labels = study.labels.added().map(|label| label.item);
        let answered: BTreeSet<usize> = labels.chain(remarks.iter().map(|remark| remark.item)).collect();
        let all = selection.ranked.len() + selection.drawn.len();
        let open = selection.ranked.iter().chain(&selection.drawn).filter(|item| !answered.contains(item)).count();
        open as f64 > MOST_OPEN * all as f64
    }
}

/// Share of a queue's items that may lack an answer where it counts as finished.
pub(crate) const MOST_OPEN: f64 = 0.05;

/// Folders that may hold a queue: those in the folder of a study, by name, and those that it notes elsewhere.
///
/// # Errors
/// The folder can't be listed, or that note can't be read.
fn folders(study: &Path) -> std::io::Result<BTreeSet<String>> {
    let here = if study == Path::new("") { Path::new(".") } else { study };
    let inside = fs::read_dir(here)?.collect::<std::io::Result<Vec<_>>>()?;
    let names = inside.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let elsewhere = read::bytes_if_there(&study.join(QUEUES_ELSEWHERE))?.unwrap_or_default();
    let elsewhere = String::from_utf8_lossy(&elsewhere);
    Ok(names.chain(elsewhere.lines().map(str::to_owned)).collect())
}

/// The records of the queues in the folder of a study, and of those that it notes elsewhere, by the names of their folders.
///
/// # Errors
/// The folder can't be listed, or a record can't be read.
pub(crate) fn records(study: &Path) -> judge_uncertainty_formats::error::Result<Vec<(String, QueueRecord)>> {
    let unreadable = judge_uncertainty_formats::Error::unreadable;
    let mut records = vec![];
    for name in folders(study).map_err(unreadable(study))? {
        let file = study.join(&name).join(QueueRecord::FILE);
        let text = read::bytes_if_there(&file).map_err(unreadable(&file))?;
        // A file of that name that some other program wrote is none of a queue.
        records.extend(text.and_then(|text| Some((name, serde_json::from_slice(&text).ok()?))));
    }
    Ok(records)
}

/// How the labelled items of a study were chosen, in words and as a design.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemSampling {
    /// Weights and clusters of the items.
    pub design: Design,
    /// What readers should know of the design; `None` if every item of the study is labelled and a cluster of its own.
    pub words: Option<String>,
    /// Whether the design assumes random labels because the study does not state how they were chosen.
    pub is_assumed: bool,
}

/// The labels and queues of every cluster of a study.
struct StudyClusters {
    /// The cluster of each item.
    of: Vec<usize>,
    /// Whether the user's own files label it.
    own: Vec<bool>,
    /// First batch that labels it.
    first: Vec<Option<usize>>,
    /// Its items, and those of them that count as labelled.
    items: Vec<usize>,
    labelled: Vec<usize>,
    /// Whether it has labels and was drawn at random: by the user or by a queue, each time from those without a label, so that
    /// together they are a random sample of all.
    drawn: Vec<bool>,
    /// Whether that, or it was asked about without an answer.
    asked: Vec<bool>,
}

impl StudyClusters {
    /// The clusters of a study, of whose items those `kept` count as labelled.
    fn new(study: &Study, kept: &[usize]) -> Self {
        let all: Vec<usize> = (0..study.len()).collect();
        let clusters = study.items.clusters(&all);
        let of = if clusters.is_empty() { all } else { clusters };
        let number = of.iter().max().map_or(0, |last| last + 1);
        let (mut own, mut first) = (vec![false; number], vec![None; number]);
        let labelled = study.own_numbers();
        for (item, &cluster) in of.iter().enumerate() {
            own[cluster] |= labelled[item] > 0;
        }
        for (item, batch) in study.added() {
            let known: &mut Option<usize> = &mut first[of[item]];
            *known = Some(known.map_or(batch, |known| known.min(batch)));
        }
        let (mut items, mut labelled) = (vec![0; number], vec![0; number]);
        of.iter().for_each(|&cluster| items[cluster] += 1);
        kept.iter().for_each(|&item| labelled[of[item]] += 1);
        let said = study.items.probabilities.is_none() && study.file.config.items.drawn == Some(Drawn::Random);
        let drawn: Vec<bool> = own.iter().map(|own| *own && said).collect();
        Self { of, own, first, items, labelled, asked: drawn.clone(), drawn }
    }

    fn number(&self) -> usize {
        self.own.len()
    }

    /// Whether a cluster had a label when a queue was made.
    fn known_before(&self, cluster: usize, queue: &AnsweredQueue) -> bool {
        self.own[cluster] || self.first[cluster].is_some_and(|batch| batch < queue.batches_before)
    }

    /// Whether a cluster has a label by now.
    fn is_labelled(&self, cluster: usize) -> bool {
        self.own[cluster] || self.first[cluster].is_some()
    }

    /// What is counted, where that is not items.
    fn unit(&self) -> &'static str {
        if self.number() < self.of.len() { " clusters" } else { "" }
    }

    /// Adds the clusters that a queue drew to those that were drawn at random; refuses a queue that ranked, or that followed
    /// on clusters chosen otherwise.
    fn goes_on(&mut self, queue: &AnsweredQueue) -> bool {
        let Ok(selection) = &queue.selection else { return false };
        if !queue.draws_unlabelled
            || self.count(|cluster| self.known_before(cluster, queue) && !self.drawn[cluster]) > 0
        {
            return false;
        }
        for &item in selection.ranked.iter().chain(&selection.drawn) {
            let cluster = self.of[item];
            if !self.known_before(cluster, queue) {
                self.asked[cluster] = true;
                self.drawn[cluster] |= self.is_labelled(cluster);
            }
        }
        true
    }

    /// Clusters that are as asked.
    fn count(&self, is: impl Fn(usize) -> bool) -> usize {
        (0..self.number()).filter(|&cluster| is(cluster)).count()
    }

    /// How many clusters those that are as asked stand for, as [`population_of`] counts them.
    fn population(&self, is: &dyn Fn(usize) -> bool) -> usize {
        let sum = |of: &[usize]| -> usize {
            (0..self.number()).filter(|&cluster| is(cluster)).map(|cluster| of[cluster]).sum()
        };
        let labelled = self.count(|cluster| is(cluster) && self.labelled[cluster] > 0);
        population_of(self.count(is), labelled, sum(&self.labelled), sum(&self.items))
    }
}

impl Study {
    /// The labels without those that a queue by rank asked for of items that had labels before it; `None` where there are none.
    pub(crate) fn without_asked_by_rank(&self) -> Option<Labels> {
        let own = self.own_numbers();
        let mut first: HashMap<usize, usize> = HashMap::new();
        for (item, batch) in self.added() {
            first.entry(item).and_modify(|known| *known = batch.min(*known)).or_insert(batch);
        }
        let known = |item: usize, queue: &AnsweredQueue| {
            own[item] > 0 || first.get(&item).is_some_and(|batch| *batch < queue.batches_before)
        };
        let of_queue = |queue: &AnsweredQueue| -> Vec<(usize, usize)> {
            let items =
                self.added().into_iter().filter(|(item, batch)| queue.batches.contains(batch) && known(*item, queue));
            items.collect()
        };
        let out: HashSet<(usize, usize)> =
            self.queues.iter().filter(|queue| queue.ranks()).flat_map(of_queue).collect();
        let is_out = |label: &Label| label.batch.is_some_and(|batch| out.contains(&(label.item, batch)));
        (!out.is_empty()).then(|| self.labels.without(is_out))
    }
}

impl ItemSampling {
    /// How the items at positions `kept` were chosen; all of them have labels.
    pub fn new(study: &Study, kept: &[usize]) -> Self {
        let mut clusters = StudyClusters::new(study, kept);
        // The clusters of these items, numbered from 0 without gaps.
        let (of_kept, place) = numbered(kept.iter().map(|&item| clusters.of[item]));
        let mut named = vec![0; place.len()];
        place.iter().for_each(|(&cluster, &number)| named[number] = cluster);
        let all_labelled = study.own_numbers().iter().all(|number| *number > 0);
        let population = clusters.population(&|_| true);
        let (mut stages, mut words, mut reasons) = (vec![], vec![], vec![]);
        let mut assumed = None;
        if let Some((stage, word)) = own_stage(study, &clusters, (&named, population), all_labelled) {
            match stage {
                Ok(stage) if is_assumed(study) && !all_labelled => assumed = Some(stage),
                Ok(stage) => stages.push(stage),
                Err(reason) => reasons.push(reason),
            }
            words.extend(word);
        }
        let own = [stages.len(), reasons.len()];
        let mut answered: BTreeSet<usize> = BTreeSet::new();
        // Whether the user's own labels are drawn at random, and queues that went on with that.
        let (own_at_random, mut queues_at_random) = (clusters.drawn.contains(&true), 0);
        let mut ranked = None;
        for queue in &study.queues {
            answered.extend(&queue.batches);
            // A queue of clusters that were all labelled before tells nothing more of all items.
            let Some((stage, word)) = queue_stage(&clusters, &named, queue) else { continue };
            // A sample that needs no answer of it tells more than one whose answers are mostly missing, and no label widens it.
            if own_at_random && queue.is_unfinished(study) {
                words.push(format!("{word}, whose labels do not count in means until the others are there"));
                continue;
            }
            if study.items.clusters.is_some() && !all_labelled && queue.ranks() {
                ranked = Some(format!(
                    "the queue {:?} ranked single items of clusters, and they stand for no others of theirs",
                    queue.folder
                ));
            }
            words.push(word);
            match stage {
                _ if clusters.goes_on(queue) => queues_at_random += 1,
                Ok(stage) => stages.push(stage),
                Err(reason) => reasons.push(reason),
            }
        }
        if queues_at_random > 0 {
            let strata: Vec<Option<usize>> =
                named.iter().map(|&cluster| clusters.drawn[cluster].then_some(0)).collect();
            // It holds what the user's own labels tell.
            if own_at_random {
                stages.drain(..own[0]);
                reasons.drain(..own[1]);
            }
            let missing = clusters.count(|cluster| clusters.asked[cluster] && !clusters.drawn[cluster]);
            match Stage::try_stratified(&strata, &[population]) {
                Ok(stage) => stages.insert(0, stage.with_missing(vec![missing])),
                Err(error) => reasons.push(error.to_string()),
            }
        }
        // A queue that drew at random needs no such assumption; labels that no queue asked for leave it as it is.
        let assumed = assumed.filter(|_| stages.is_empty() && reasons.is_empty());
        let lost = (0..study.batches()).filter(|batch| !answered.contains(batch)).count();
        if lost > 0 && !all_labelled {
            let reason =
                format!("how the items of {lost} added batches of labels were chosen is not recorded by a queue here");
            words.push(reason.clone());
            reasons.push(reason);
        }
        let is_assumed = assumed.is_some();
        stages.extend(assumed);
        let one_each = named.len() == kept.len();
        let pool = study.pool(&study.labels, kept);
        let of_labels: Vec<Option<Vec<f64>>> = match pool.squared() {
            Score::Brier => (0..kept.len()).map(|i| pool.judged_item(i).map(|judged| judged.observed)).collect(),
            _ => vec![],
        };
        let design = match (Design::from_stages(of_kept.clone(), stages, population), ranked) {
            (_, Some(reason)) => {
                Design::unknown(of_kept, format!("{reason}; this describes these {} items", kept.len()))
            }
            (Some(design), None) => design,
            (None, None) => {
                let reason = format!(
                    "{}; this describes these {} items, not new ones (a random share, `study queue --explore`, would \
                     tell of new ones)",
                    reasons.join("; "),
                    kept.len()
                );
                Design::unknown(of_kept, reason)
            }
        };
        let of_those = |labelled: bool| -> Vec<usize> {
            let own = (0..clusters.number()).filter(|&cluster| (clusters.labelled[cluster] > 0) == labelled);
            own.map(|cluster| clusters.items[cluster]).collect()
        };
        let (of_labelled, others) = (of_those(true), of_those(false));
        let design = design.with_sizes(&of_labelled, &others).with_classes(&of_labels);
        let mut words = in_words(&design, &words, (named.len(), kept.len()), all_labelled && one_each);
        if design.widest() > MUCH_WIDER {
            let largest = 100.0 * others.into_iter().max().unwrap_or_default() as f64 / study.len() as f64;
            *words.get_or_insert_default() += &format!(
                " {largest:.0}% of all rows are in one cluster without a label; intervals allow for what it may hold: label some \
                 of its rows."
            );
        }
        Self { words, is_assumed, design }
    }
}

/// The factor of variances from which the answer mentions a long cluster without a label.
const MUCH_WIDER: f64 = 1.5;

fn in_words(design: &Design, words: &[String], (clusters, items): (usize, usize), nothing: bool) -> Option<String> {
    if nothing && words.is_empty() {
        return None;
    }
    let mut sentence = match words {
        [] => String::new(),
        words => format!("How the {items} labelled items were chosen: {}.", words.join("; ")),
    };
    if design.reason().is_some() {
        sentence += " They describe themselves and no new items.";
    } else if !design.is_even() {
        let without = design.weights().iter().filter(|weight| **weight == 0.0).count();
        if !words.is_empty() {
            sentence += " Means weight each item by 1 over its probability of being chosen.";
        }
        if without > 0 {
            sentence +=
                &format!(" {without} items that no queue drew at random count for the belief and not in means.");
        }
    }
    if clusters < items {
        sentence += &format!(" The items form {clusters} clusters, over which intervals and folds go.");
    }
    (!sentence.is_empty()).then(|| sentence.trim().to_owned())
}

/// The number of clusters that the labelled ones represent: all clusters; but if only some of the items of the labelled
/// clusters have labels, the number that makes the share of labelled clusters equal to that of labelled items.
pub(crate) fn population_of(clusters: usize, labelled_clusters: usize, labelled: usize, items: usize) -> usize {
    clusters.max((labelled_clusters * items).div_ceil(labelled.max(1)).min(items))
}

/// Whether the study does not state how the items of the user's own files were chosen.
fn is_assumed(study: &Study) -> bool {
    study.items.probabilities.is_none() && study.file.config.items.drawn != Some(Drawn::Random)
}

/// The stage that the user's own labels form, or the reason why they form none, with a sentence for readers; `None`
/// without such labels.
fn own_stage(
    study: &Study,
    clusters: &StudyClusters,
    (named, population): (&[usize], usize),
    all: bool,
) -> Option<(Result<Stage, String>, Option<String>)> {
    let labelled = clusters.count(|cluster| clusters.own[cluster]);
    if labelled == 0 {
        return None;
    }
    let all_clusters = clusters.number();
    if let Some(probabilities) = &study.items.probabilities {
        let mut of_cluster = vec![None; clusters.number()];
        clusters.of.iter().zip(probabilities).rev().for_each(|(&cluster, first)| of_cluster[cluster] = *first);
        let own: Vec<Option<f64>> =
            named.iter().map(|&cluster| clusters.own[cluster].then(|| of_cluster[cluster].unwrap_or(0.0))).collect();
        let word =
            format!("{labelled}{} by your own files, each with the probability in items.probability", clusters.unit());
        let stage = Stage::try_unequal(&own).map_err(|error| format!("items.probability: {error}"));
        return Some((stage.map(|stage| stage.with_all_probabilities(of_cluster.into_iter().flatten())), Some(word)));
    }
    let own: Vec<usize> = (0..study.len()).filter(|&item| clusters.own[clusters.of[item]]).collect();
    let unlike = (is_assumed(study) && !all).then(|| study.ratings().unlike(&own)).flatten();
    match (unlike, study.file.config.items.drawn) {
        (Some(reason), _) => Some((Err(reason.clone()), Some(reason))),
        (None, said) => {
            let strata: Vec<Option<usize>> = named.iter().map(|&cluster| clusters.own[cluster].then_some(0)).collect();
            let word = match said {
                _ if all => None,
                Some(Drawn::Random) => {
                    Some(format!("{labelled} of {all_clusters}{} at random, by your own files", clusters.unit()))
                }
                _ => Some(format!(
                    "{labelled} of {all_clusters}{} by your own files, which nobody says were drawn at random",
                    clusters.unit()
                )),
            };
            Some((Stage::try_stratified(&strata, &[population]).map_err(|error| error.to_string()), word))
        }
    }
}

/// The stage that a queue forms; `None` if every cluster in it had a label before.
fn queue_stage(
    clusters: &StudyClusters,
    named: &[usize],
    queue: &AnsweredQueue,
) -> Option<(Result<Stage, String>, String)> {
    let name = format!("the queue {:?} (rule {})", queue.folder, queue.rule);
    let selection = match &queue.selection {
        Ok(selection) => selection,
        Err(error) => {
            let reason = format!("{name} can't be read as a record of how its items were chosen: {error}");
            return Some((Err(reason.clone()), reason));
        }
    };
    let mut of_cluster = vec![None; clusters.number()];
    selection.drawn.iter().for_each(|&item| of_cluster[clusters.of[item]] = Some(2));
    let ranked = if queue.draws_unlabelled { 2 } else { 1 };
    selection.ranked.iter().for_each(|&item| of_cluster[clusters.of[item]] = Some(ranked));
    let known = |cluster: usize| clusters.known_before(cluster, queue);
    let by_rank = |cluster: usize| !known(cluster) && of_cluster[cluster] == Some(1);
    let by_chance = |cluster: usize| !known(cluster) && of_cluster[cluster] == Some(2);
    let came_back = |is: &dyn Fn(usize) -> bool| clusters.count(|cluster| is(cluster) && clusters.is_labelled(cluster));
    let (ranked, drawn) = (came_back(&by_rank), came_back(&by_chance));
    let missing = [0, clusters.count(by_rank) - ranked, clusters.count(by_chance) - drawn];
    if ranked + drawn == 0 {
        return None;
    }
    let is_rest = |cluster: usize| !known(cluster) && of_cluster[cluster] != Some(1);
    let (rest, unit) = (clusters.count(is_rest), clusters.unit());
    if selection.drawn.is_empty() && !queue.draws_unlabelled {
        let word = format!("{ranked}{unit} by {name}, for their rank alone");
        return Some((Err(format!("{ranked} of the items were chosen by {}", queue.rule)), word));
    }
    let mut word = match ranked {
        0 => format!("{drawn}{unit} by {name}, at random from {rest}"),
        _ => format!("{ranked}{unit} by {name} for their rank and {drawn} of the {rest} others at random"),
    };
    match missing.iter().sum::<usize>() {
        0 => {}
        number => word += &format!(" (of the {} that it selected {number} have no label)", number + ranked + drawn),
    }
    let stratum = |&cluster: &usize| if known(cluster) { Some(0) } else { of_cluster[cluster] };
    let strata: Vec<Option<usize>> = named.iter().map(stratum).collect();
    let sizes = [clusters.population(&known), clusters.population(&by_rank), clusters.population(&is_rest)];
    let stage = Stage::try_stratified(&strata, &sizes).map(|stage| stage.with_missing(missing.to_vec()));
    Some((stage.map_err(|error| format!("{name}: {error}")), word))
}
