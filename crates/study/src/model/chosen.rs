//! How the labelled items of a study were chosen, and which of them are about one thing.
//!
//! Labels of the user's own files count as drawn at random unless `items.drawn` or `items.probability` says otherwise.
//! Labels that were added answer the queues in the study's folder, and those that it notes elsewhere: a batch belongs
//! to the queue, among those made before it, that holds most of its items. An exploring queue gives every item a
//! chance, one that goes by rank alone does not, and neither do batches without a queue.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::input::items::Items;
use crate::input::source::Source;
use crate::model::kind::{Kind, Study};
use crate::queue::estimates::SelectionFile;
use crate::queue::record::{QUEUES_ELSEWHERE, QueueRecord};
use judge_uncertainty_core::escalation::Selection;
use judge_uncertainty_core::stats::sampling::{SamplingDesign, Stage};
use judge_uncertainty_evaluation::held_out::{Score, Scored};
use judge_uncertainty_system::Record;
use judge_uncertainty_system::read;

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
    /// The queues in the folder of a study to which any of `batches` batches came back; `added` are their labels.
    ///
    /// # Errors
    /// A record that can't be read.
    pub fn read_all(
        folder: &Path,
        items: &Items,
        (added, batches): (&[(usize, usize)], usize),
        source: &mut Source,
    ) -> judge_uncertainty_formats::error::Result<Vec<Self>> {
        if batches == 0 {
            return Ok(vec![]);
        }
        let mut queues: Vec<(Self, BTreeSet<usize>)> = vec![];
        let unreadable = |file: &Path| {
            let file = file.to_owned();
            move |source| judge_uncertainty_formats::Error::Unreadable { file, source }
        };
        for name in folders(folder).map_err(unreadable(folder))? {
            let queue = folder.join(&name);
            let record = queue.join(QueueRecord::FILE);
            let Some(text) = read::bytes_if_there(&record).map_err(unreadable(&record))? else { continue };
            // A file of that name that some other program wrote is none of a queue.
            let Ok(record) = serde_json::from_slice::<QueueRecord>(&text) else { continue };
            let selection = match SelectionFile::read(&queue, &items.ids, &items.file, &[]) {
                Ok(file) => Ok(file.selection),
                Err(judge_uncertainty_formats::Error::Unreadable { file, source })
                    if source.kind() != std::io::ErrorKind::NotFound =>
                {
                    return Err(unreadable(&file)(source));
                }
                Err(error) => Err(error.to_string()),
            };
            let selected = selection.iter().flat_map(|s| s.ranked.iter().chain(&s.drawn)).copied().collect();
            let draws_unlabelled =
                record.draws_unlabelled() || selection.as_ref().is_ok_and(|selection| selection.ranked.is_empty());
            let (rule, batches_before) = (record.rule, record.batches_before);
            let batches = BTreeSet::new();
            queues.push((Self { folder: name, rule, selection, draws_unlabelled, batches_before, batches }, selected));
        }
        queues.sort_by_key(|(queue, _)| queue.batches_before);
        for batch in 0..batches {
            let of_batch: BTreeSet<usize> = added.iter().filter(|(_, b)| *b == batch).map(|(item, _)| *item).collect();
            let shared = |k: usize| queues[k].1.intersection(&of_batch).count();
            let before = (0..queues.len()).filter(|&k| queues[k].0.batches_before <= batch && shared(k) > 0);
            // Of queues that hold as many of its items the latest.
            if let Some(answered) = before.max_by_key(|&k| shared(k)) {
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
}

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

/// How the labelled items of a study were chosen, in words and as a design.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// Weights and things of the items.
    pub design: SamplingDesign,
    /// What readers should know of it; `None` where every item of the study is labelled and a thing of its own.
    pub words: Option<String>,
}

/// What is known of every thing of a study.
struct Things {
    /// The thing of each item.
    of: Vec<usize>,
    /// Whether it has an item that is not excluded.
    counts: Vec<bool>,
    /// Whether the user's own files label it.
    own: Vec<bool>,
    /// First batch that labels it.
    first: Vec<Option<usize>>,
}

impl Things {
    fn new<K: Kind>(study: &Study<K>) -> Self {
        let all: Vec<usize> = (0..study.len()).collect();
        let twins = study.items.twins(&all);
        let of = if twins.is_empty() { all } else { twins };
        let number = of.iter().max().map_or(0, |last| last + 1);
        let (mut counts, mut own, mut first) = (vec![false; number], vec![false; number], vec![None; number]);
        let labelled = study.own_numbers();
        for (item, &thing) in of.iter().enumerate() {
            counts[thing] |= !study.excluded.contains_key(&item);
            own[thing] |= labelled[item] > 0;
        }
        for (item, batch) in study.added() {
            let known: &mut Option<usize> = &mut first[of[item]];
            *known = Some(known.map_or(batch, |known| known.min(batch)));
        }
        Self { of, counts, own, first }
    }

    fn number(&self) -> usize {
        self.counts.len()
    }

    /// Whether a thing had a label when a queue was made.
    fn known_before(&self, thing: usize, queue: &AnsweredQueue) -> bool {
        self.own[thing] || self.first[thing].is_some_and(|batch| batch < queue.batches_before)
    }

    /// Whether each thing is among the answers to a queue.
    fn answering<K: Kind>(&self, study: &Study<K>, queue: &AnsweredQueue) -> Vec<bool> {
        let mut answered = vec![false; self.number()];
        for (item, batch) in study.added() {
            answered[self.of[item]] |= queue.batches.contains(&batch);
        }
        answered
    }

    /// Things that count and are as asked.
    fn count(&self, is: impl Fn(usize) -> bool) -> usize {
        (0..self.number()).filter(|&thing| self.counts[thing] && is(thing)).count()
    }
}

/// Things that were drawn one after another, by the user and by queues, each time a random sample of those without a
/// label: together they are a random sample of all.
struct AtRandom {
    /// The things.
    drawn: Vec<bool>,
    /// Whether some are labelled by the user's own files.
    own: bool,
    /// Queues that drew some.
    queues: usize,
}

impl AtRandom {
    /// Those of the user's own files, which count as drawn at random where nothing else is said.
    fn new<K: Kind>(study: &Study<K>, things: &Things) -> Self {
        let said = study.items.probabilities.is_none() && study.file.config.items.drawn != Some(Drawn::Unknown);
        let drawn: Vec<bool> = things.own.iter().map(|own| *own && said).collect();
        Self { own: drawn.contains(&true), drawn, queues: 0 }
    }

    /// Takes in what a queue drew; not where it ranked, or followed on things that were chosen otherwise.
    fn goes_on<K: Kind>(&mut self, study: &Study<K>, things: &Things, queue: &AnsweredQueue) -> bool {
        let known = |thing: usize| things.known_before(thing, queue);
        if !queue.draws_unlabelled || things.count(|thing| known(thing) && !self.drawn[thing]) > 0 {
            return false;
        }
        let answered = things.answering(study, queue);
        (0..things.number()).for_each(|thing| self.drawn[thing] |= answered[thing] && !known(thing));
        self.queues += 1;
        true
    }
}

impl Chosen {
    /// How the items at positions `kept` were chosen, all of which have labels.
    pub fn new<K: Kind>(study: &Study<K>, kept: &[usize]) -> Self {
        let things = Things::new(study);
        // The things of these items, numbered from 0 without gaps.
        let mut place = vec![None; things.number()];
        let mut of_kept: Vec<usize> = vec![];
        let mut named: Vec<usize> = vec![];
        for &item in kept {
            let next = named.len();
            let number = *place[things.of[item]].get_or_insert(next);
            if number == next {
                named.push(things.of[item]);
            }
            of_kept.push(number);
        }
        let population = things.count(|_| true);
        let all_labelled = things.count(|thing| things.own[thing]) == population;
        let (mut stages, mut words, mut reasons) = (vec![], vec![], vec![]);
        if let Some((stage, word)) = own_stage(study, &things, &named, all_labelled) {
            match stage {
                Ok(stage) => stages.push(stage),
                Err(reason) => reasons.push(reason),
            }
            words.extend(word);
        }
        let mut answered: BTreeSet<usize> = BTreeSet::new();
        let mut at_random = AtRandom::new(study, &things);
        for queue in &study.queues {
            answered.extend(&queue.batches);
            // A queue of things that were all labelled before tells nothing more of all items.
            let Some((stage, word)) = queue_stage(study, &things, &named, queue) else { continue };
            words.push(word);
            match stage {
                Ok(_) if at_random.goes_on(study, &things, queue) => {}
                Ok(stage) => stages.push(stage),
                Err(reason) => reasons.push(reason),
            }
        }
        if at_random.queues > 0 {
            let strata: Vec<Option<usize>> = named.iter().map(|&thing| at_random.drawn[thing].then_some(0)).collect();
            // It holds what the user's own labels tell.
            stages.drain(..usize::from(at_random.own));
            stages.insert(0, Stage::try_stratified(&strata, &[population]).expect("each of the queues gives a stage"));
        }
        let lost = (0..study.batches()).filter(|batch| !answered.contains(batch)).count();
        if lost > 0 && !all_labelled {
            let reason =
                format!("how the items of {lost} added batches of labels were chosen is not recorded by a queue here");
            words.push(reason.clone());
            reasons.push(reason);
        }
        let one_each = named.len() == kept.len();
        let pool = K::pool(study, &study.labels, kept);
        // On a scale the rows are something else.
        let classes = |row: Vec<f64>| row[1..=(row.len() - 1) / 2].to_vec();
        let of_labels: Vec<Option<Vec<f64>>> = match K::Pool::SQUARED {
            Score::Brier => (0..kept.len()).map(|i| pool.agreement_row(i).map(classes)).collect(),
            _ => vec![],
        };
        let design = match SamplingDesign::from_stages(of_kept.clone(), stages, population) {
            Some(design) => design,
            None => {
                let reason = format!(
                    "{}; this describes these {} items, not new ones (a random share, `study queue --explore`, would \
                     tell of new ones)",
                    reasons.join("; "),
                    kept.len()
                );
                SamplingDesign::unknown(of_kept, reason)
            }
        };
        let design = design.with_classes(&of_labels);
        Self { words: in_words(&design, &words, (named.len(), kept.len()), all_labelled && one_each), design }
    }
}

fn in_words(
    design: &SamplingDesign,
    words: &[String],
    (things, items): (usize, usize),
    nothing: bool,
) -> Option<String> {
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
            sentence += &format!(" {without} items that only a rule chose count for the belief and not in means.");
        }
    }
    if things < items {
        sentence += &format!(" The items are about {things} things, over which intervals and folds go.");
    }
    (!sentence.is_empty()).then(|| sentence.trim().to_owned())
}

/// A stage or why there is none, and what is to be said of it.
type StageInWords = (Result<Stage, String>, Option<String>);

/// What the user's own labels tell of all items; `None` where there are no such labels.
fn own_stage<K: Kind>(study: &Study<K>, things: &Things, named: &[usize], all: bool) -> Option<StageInWords> {
    let labelled = things.count(|thing| things.own[thing]);
    if labelled == 0 {
        return None;
    }
    let population = things.count(|_| true);
    if let Some(probabilities) = &study.items.probabilities {
        let of_thing = |thing: usize| (0..study.len()).find(|&i| things.of[i] == thing).and_then(|i| probabilities[i]);
        let own: Vec<Option<f64>> =
            named.iter().map(|&thing| things.own[thing].then(|| of_thing(thing).unwrap_or(0.0))).collect();
        let word = format!("{labelled} by your own files, each with the probability in items.probability");
        return Some((Stage::try_unequal(&own).map_err(|error| format!("items.probability: {error}")), Some(word)));
    }
    match study.file.config.items.drawn {
        Some(Drawn::Unknown) if !all => {
            let reason = "how the items of your own files were chosen is not known (items.drawn)".to_owned();
            Some((Err(reason.clone()), Some(reason)))
        }
        said => {
            let strata: Vec<Option<usize>> = named.iter().map(|&thing| things.own[thing].then_some(0)).collect();
            let word = match said {
                _ if all => None,
                Some(_) => Some(format!("{labelled} of {population} at random, by your own files")),
                None => Some(format!(
                    "{labelled} of {population} by your own files, taken as drawn at random because items.drawn does \
                     not say"
                )),
            };
            Some((Stage::try_stratified(&strata, &[population]).map_err(|error| error.to_string()), word))
        }
    }
}

/// What a queue tells of all items; `None` where it brought no thing that had no label before.
fn queue_stage<K: Kind>(
    study: &Study<K>,
    things: &Things,
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
    let mut of_thing = vec![None; things.number()];
    selection.drawn.iter().for_each(|&item| of_thing[things.of[item]] = Some(2));
    let ranked = if queue.draws_unlabelled { 2 } else { 1 };
    selection.ranked.iter().for_each(|&item| of_thing[things.of[item]] = Some(ranked));
    let answered = things.answering(study, queue);
    let known = |thing: usize| things.known_before(thing, queue);
    let by_rank = |thing: usize| !known(thing) && of_thing[thing] == Some(1);
    let by_chance = |thing: usize| !known(thing) && of_thing[thing] == Some(2);
    let came_back = |is: &dyn Fn(usize) -> bool| things.count(|thing| is(thing) && answered[thing]);
    let (ranked, drawn) = (came_back(&by_rank), came_back(&by_chance));
    if ranked + drawn == 0 {
        return None;
    }
    let rest = things.count(|thing| !known(thing) && of_thing[thing] != Some(1));
    if selection.drawn.is_empty() && !queue.draws_unlabelled {
        let word = format!("{ranked} by {name}, for their rank alone");
        return Some((Err(format!("{ranked} of the items were chosen by {}", queue.rule)), word));
    }
    let word = match ranked {
        0 => format!("{drawn} by {name}, at random from {rest}"),
        _ => format!("{ranked} by {name} for their rank and {drawn} of the {rest} others at random"),
    };
    let stratum = |&thing: &usize| match () {
        () if known(thing) => Some(0),
        () if !answered[thing] => None,
        () => of_thing[thing],
    };
    let strata: Vec<Option<usize>> = named.iter().map(stratum).collect();
    let sizes = [things.count(known), things.count(by_rank), rest];
    Some((Stage::try_stratified(&strata, &sizes).map_err(|error| format!("{name}: {error}")), word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::compare::Compared;
    use crate::evaluate::held_out::HeldOutScores;
    use crate::input::log::{LabelLog, NewLabel};
    use crate::queue::estimates::QueueEstimates;
    use crate::queue::{LabelsPerItem, Presentation, Ranked, Request};
    use crate::{Classes, Decomposition};
    use judge_uncertainty_core::escalation::{Observed, Rule};
    use judge_uncertainty_formats::error::Place;
    use judge_uncertainty_system::progress::Silent;
    use tempfile::TempDir;

    const ITEMS: usize = 120;

    /// A study of items i0 to i119 of which the first `own` have one label by the user's own file; of `each` rows a
    /// thing.
    fn folder(own: usize, each: usize, settings: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let (mut items, mut judge, mut labels) = ("id,about,pi\n".to_owned(), "id,p_a,p_b\n".to_owned(), String::new());
        for i in 0..ITEMS {
            items += &format!("i{i},t{},{}\n", i / each, if i % 2 == 0 { 0.5 } else { 0.25 });
            judge += &format!("i{i},{},{}\n", 0.05 + 0.9 * (i as f64 / 119.0), 0.95 - 0.9 * (i as f64 / 119.0));
            if i < own {
                labels += &format!("i{i},ann,{}\n", if i * 7 % 3 == 0 { "a" } else { "b" });
            }
        }
        let with_labels = if own > 0 { "[labels]\nfile = \"labels.csv\"\nform = \"long\"\n" } else { "" };
        let toml = format!(
            "title = \"t\"\nclasses = [\"a\", \"b\"]\n[items]\nfile = \"items.csv\"\n{settings}\n[judge]\nfile = \
             \"judge.csv\"\nkind = \"probabilities\"\n{with_labels}"
        );
        let labels = format!("id,annotator,label\n{labels}");
        for (name, text) in [("study.toml", toml), ("items.csv", items), ("judge.csv", judge), ("labels.csv", labels)] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn load(folder: &TempDir) -> Study<Classes> {
        Study::load(folder.path()).unwrap()
    }

    /// A queue of 30 by the rule info, answered once by all of it.
    fn answered(folder: &TempDir, name: &str, explore: Option<f64>, answer: bool) {
        answered_by(Rule::Info, folder, name, explore, answer);
    }

    fn answered_by(rule: Rule, folder: &TempDir, name: &str, explore: Option<f64>, answer: bool) {
        let study = load(folder);
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        let (amount, labels_per_item) = ("30".parse().unwrap(), LabelsPerItem::Fixed(1));
        let request = Request { rule: rule.into(), amount, labels_per_item, explore, seed: 5 };
        let ranked = Ranked::new(&study, &decomposition, &request).unwrap();
        let (staged, _) = ranked.send(&request, Presentation::default()).unwrap();
        let queue = folder.path().join(name);
        fs::create_dir(&queue).unwrap();
        for file in ["queue.json", "selection.csv"] {
            fs::write(queue.join(file), staged.text(file).unwrap()).unwrap();
        }
        let ids = staged.text("queue.csv").unwrap().lines().skip(1).map(|line| line.split(',').nth(1).unwrap());
        let label = |id: &str| NewLabel {
            id: id.to_owned(),
            annotator: "zoe".to_owned(),
            value: if id.len().is_multiple_of(2) { "a" } else { "b" }.to_owned(),
            given: String::new(),
            place: Place::file(folder.path()),
        };
        if answer {
            let log = LabelLog::read(folder.path(), &mut Source::default()).unwrap();
            log.append(&queue, &format!("{:064}", name.len()), &ids.map(label).collect::<Vec<_>>()).unwrap();
        }
    }

    fn chosen(study: &Study<Classes>) -> (Vec<usize>, Chosen) {
        let kept: Vec<usize> = (0..study.len()).filter(|&i| study.numbers()[i] > 0).collect();
        let chosen = Chosen::new(study, &kept);
        (kept, chosen)
    }

    #[test]
    fn items_that_a_rule_chose_describe_themselves() {
        let folder = folder(0, 1, "");
        answered(&folder, "queue", None, true);
        let study = load(&folder);
        let (kept, told) = chosen(&study);
        assert_eq!(kept.len(), 30);
        assert!(told.design.reason().unwrap().contains("chosen by epistemic"), "{told:?}");
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        let scores = HeldOutScores::new(&study, &decomposition);
        let report = scores.report().unwrap();
        assert!(report.scores.iter().all(|one| one.mean.estimate().is_none() && one.mean.described().is_some()));
        assert!(report.comparisons.iter().all(|one| one.advantage.estimate().is_none()), "no verdict");
        assert!(report.chosen.as_ref().unwrap().contains("no new items"), "{:?}", report.chosen);
    }

    /// A queue in random order, as the first one is by default, is a random sample for all statements, also of things.
    #[test]
    fn a_queue_at_random_is_a_random_sample() {
        for (each, settings, things) in [(1, "", 30), (5, "item = \"about\"", 24)] {
            let folder = folder(0, each, settings);
            answered_by(Rule::Random, &folder, "queue", None, true);
            let study = load(&folder);
            let (kept, told) = chosen(&study);
            assert!(told.design.is_even() && told.design.reason().is_none(), "{told:?}");
            assert!(!told.words.unwrap().contains("Means weight"));
            let found = QueueEstimates::new(&study, &folder.path().join("queue"), 0.95).unwrap();
            let a = kept.iter().filter(|&&i| study.items.ids[i].len().is_multiple_of(2)).count();
            let (mean, strata) = (&found.means[0].weighted, &found.means[0].strata);
            assert_eq!((strata[0].came_back, strata[0].items), (things, ITEMS / each));
            assert!((mean.mean - a as f64 / kept.len() as f64).abs() < 1e-12 && mean.low < mean.high, "{mean:?}");
        }
    }

    /// Fewest labels first takes any of the unlabelled items, so queues of it are one random sample, whatever share
    /// gives second labels; behind a queue by rank they tell of the rest.
    #[test]
    fn queues_by_fewest_labels_are_a_random_sample() {
        for (own, each, settings) in [(0, 1, ""), (20, 1, "drawn = \"random\""), (0, 3, "item = \"about\"")] {
            let folder = folder(own, each, settings);
            for (queue, name) in ["queue", "queue-2"].into_iter().enumerate() {
                answered_by(Rule::FewestLabels, &folder, name, Some(0.1), true);
                let study = load(&folder);
                let (kept, told) = chosen(&study);
                assert!(told.design.is_even() && told.design.reason().is_none(), "{told:?}");
                assert!(!told.words.unwrap().contains("Means weight"));
                let found = QueueEstimates::new(&study, &folder.path().join(name), 0.95).unwrap();
                let all: u32 = found.means[0].strata.iter().map(|s| s.items as u32).sum();
                let with: usize = found.means[0].strata.iter().map(|s| s.came_back).sum();
                assert_eq!((all as usize, with), (ITEMS / each, kept.len() / each), "queue {queue}");
            }
            let before = load(&folder);
            let (kept, _) = chosen(&before);
            answered_by(Rule::Info, &folder, "queue-3", None, true);
            let (later, told) = chosen(&load(&folder));
            let weights = later.iter().zip(told.design.weights());
            assert!(weights.into_iter().all(|(item, weight)| (weight > 0.0) == kept.contains(item)), "{told:?}");
            answered_by(Rule::FewestLabels, &folder, "queue-4", Some(0.1), true);
            let (_, told) = chosen(&load(&folder));
            assert!(!told.design.is_even() && told.design.weights().iter().all(|weight| *weight > 0.0), "{told:?}");
        }
    }

    /// Where every item is labelled, further labels of some change nothing of how they were chosen.
    #[test]
    fn a_queue_of_labelled_items_changes_no_chances() {
        let folder = folder(ITEMS, 1, "");
        answered(&folder, "queue", Some(0.5), true);
        let (_, told) = chosen(&load(&folder));
        assert!(told.design.is_simple() && told.words.is_none(), "{told:?}");
    }

    #[test]
    fn behind_a_queue_by_rank_the_random_items_alone_count() {
        let folder = folder(40, 1, "drawn = \"random\"");
        answered(&folder, "queue", None, true);
        let (kept, told) = chosen(&load(&folder));
        let weights = told.design.weights();
        assert!(kept.iter().zip(&weights).all(|(&item, weight)| (*weight > 0.0) == (item < 40)), "{weights:?}");
        assert!(told.words.unwrap().contains("40 of 120 at random"));
    }

    /// 40 known, 15 by rank, and the drawn ones stand for the others: weights of the second stage sum to the number of
    /// items.
    #[test]
    fn an_exploring_queue_stands_for_all_items() {
        let folder = folder(40, 1, "drawn = \"random\"");
        answered(&folder, "queue", Some(0.5), true);
        let study = load(&folder);
        let (kept, told) = chosen(&study);
        assert!(told.design.reason().is_none() && !told.design.is_simple());
        assert!(told.design.weights().iter().all(|weight| *weight > 0.0));
        assert_eq!(study.queues[0].batches, [0].into());
        assert!(kept.len() > 40, "{}", kept.len());
        // A later queue by rank alone takes nothing from what the first one tells, and its answers are its own.
        answered(&folder, "queue-2", None, true);
        let study = load(&folder);
        assert_eq!(
            study.queues.iter().map(|queue| queue.batches.clone()).collect::<Vec<_>>(),
            [[0].into(), [1].into()]
        );
        assert_eq!(study.answers_to(&folder.path().join("queue"), 0), [0].into());
    }

    /// A queue that was written elsewhere is known by the note in the study's folder.
    #[test]
    fn a_queue_elsewhere_is_recorded() {
        let folder = folder(40, 1, "drawn = \"random\"");
        answered(&folder, "queue", Some(0.5), true);
        let elsewhere = tempfile::tempdir().unwrap();
        let moved = elsewhere.path().join("sent");
        fs::rename(folder.path().join("queue"), &moved).unwrap();
        let (_, told) = chosen(&load(&folder));
        assert!(told.words.unwrap().contains("not recorded by a queue"));
        fs::write(folder.path().join(QUEUES_ELSEWHERE), format!("{}\n", moved.display())).unwrap();
        let study = load(&folder);
        let (_, told) = chosen(&study);
        assert!(told.design.reason().is_none() && told.words.unwrap().contains("at random"));
        assert_eq!(study.answers_to(&moved, 0), [0].into());
    }

    #[test]
    fn what_is_said_of_own_labels_counts() {
        let all = folder(ITEMS, 1, "");
        let (_, told) = chosen(&load(&all));
        assert!(told.design.is_simple() && told.words.is_none(), "{told:?}");
        let unsaid = folder(60, 1, "");
        let (_, told) = chosen(&load(&unsaid));
        assert!(told.design.is_simple() && told.words.unwrap().contains("items.drawn does not say"));
        let unknown = folder(60, 1, "drawn = \"unknown\"");
        let (_, told) = chosen(&load(&unknown));
        assert!(told.design.reason().unwrap().contains("not known"));
        let unequal = folder(60, 1, "probability = \"pi\"");
        let (_, told) = chosen(&load(&unequal));
        let weights = told.design.weights();
        assert!((weights[1] / weights[0] - 2.0).abs() < 1e-12, "{weights:?}");
        let both = folder(60, 1, "probability = \"pi\"\ndrawn = \"random\"");
        let refused = Study::<Classes>::load(both.path()).unwrap_err().to_string();
        assert!(refused.contains("items.probability") && refused.contains("remove items.drawn"), "{refused}");
    }

    /// Five rows a thing: they share a fold, and intervals go over things; a queue draws things.
    #[test]
    fn rows_of_one_thing_belong_together() {
        let folder = folder(100, 5, "item = \"about\"");
        let study = load(&folder);
        let (kept, told) = chosen(&study);
        let of = |items: usize| told.design.things()[..items].to_vec();
        assert_eq!((kept.len(), of(6)), (100, vec![0, 0, 0, 0, 0, 1]));
        assert!(!told.design.is_simple() && told.design.is_even());
        assert!(told.words.unwrap().contains("about 20 things"));
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        let scores = crate::evaluate::held_out::Scores::new(&study, &decomposition, &kept).unwrap();
        assert!(scores.folds.chunks(5).all(|thing| thing.iter().all(|fold| *fold == thing[0])), "{:?}", scores.folds);
        let (amount, labels_per_item) = ("10".parse().unwrap(), LabelsPerItem::Fixed(1));
        let request = Request { rule: Rule::Info.into(), amount, labels_per_item, explore: Some(1.0), seed: 5 };
        let (_, record) =
            Ranked::new(&study, &decomposition, &request).unwrap().send(&request, Presentation::default()).unwrap();
        assert_eq!(record.queued, 50);
    }

    /// A queue whose record has a line for every item, as older ones do, gives the same estimates.
    #[test]
    fn what_a_queue_left_out_is_known_by_its_mean() {
        for (each, settings) in [(1, ""), (5, "item = \"about\"")] {
            let folder = folder(40, each, settings);
            let study = load(&folder);
            let decomposition = Decomposition::new(&study, &Silent).unwrap();
            let request = Request {
                rule: Rule::Info.into(),
                amount: (80 / each).to_string().parse().unwrap(),
                labels_per_item: LabelsPerItem::Fixed(1),
                explore: Some(0.9),
                seed: 5,
            };
            let ranked = Ranked::new(&study, &decomposition, &request).unwrap();
            let (staged, mut record) = ranked.send(&request, Presentation::default()).unwrap();
            let quantities = Classes::quantities(&study.file.config.scale);
            let names: Vec<String> = quantities.into_iter().map(|quantity| quantity.name).collect();
            let read = |record: &QueueRecord, selection: &str| {
                let folder = tempfile::tempdir().unwrap();
                fs::write(folder.path().join("queue.json"), serde_json::to_string(record).unwrap()).unwrap();
                fs::write(folder.path().join("selection.csv"), selection).unwrap();
                SelectionFile::read(folder.path(), &study.items.ids, &study.items.file, &names).unwrap()
            };
            let mut selection = staged.text("selection.csv").unwrap().to_owned();
            let now = read(&record, &selection);
            assert_eq!(selection.lines().count(), 81);
            let rest = record.not_selected.take().unwrap();
            let header: Vec<String> = selection.lines().next().unwrap().split(',').map(str::to_owned).collect();
            let listed: BTreeSet<String> =
                selection.lines().map(|line| line.split(',').next().unwrap().to_owned()).collect();
            for item in (0..ITEMS).filter(|&item| !listed.contains(&study.items.ids[item])) {
                let means = decomposition.pool.believed(&decomposition.fitted.beliefs, item);
                let cell = |name: &String| match name.as_str() {
                    "id" => study.items.ids[item].to_owned(),
                    "selection_probability" => rest.probability.to_string(),
                    _ => names.iter().position(|n| n == name).map(|k| means[k].to_string()).unwrap_or_default(),
                };
                selection += &(header.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
            }
            let then = read(&record, &selection);
            assert_eq!(now.selection, then.selection);
            let about = study.items.about_numbers().unwrap_or_else(|| (0..ITEMS).collect());
            let (now, then) = (now.by_thing(&about), then.by_thing(&about));
            let observed = |i: usize| Some(Observed::once(f64::from(u8::from(i.is_multiple_of(3)))));
            let observed: Vec<_> = (0..now.selection.probability.len()).map(observed).collect();
            let mean = |file: &SelectionFile| {
                let found = file.estimate(&names[0], &observed, &[], ((0.0, 1.0), 0.95)).unwrap();
                [Some(found.weighted), found.assisted].map(|of| of.map(|of| [of.mean, of.low, of.high]))
            };
            assert!(each > 1 || mean(&now)[1].is_some(), "enough for the belief's help");
            for (a, b) in mean(&now).into_iter().zip(mean(&then)) {
                let apart = a.unwrap_or_default().into_iter().zip(b.unwrap_or_default()).map(|(a, b)| (a - b).abs());
                assert!(a.is_some() == b.is_some() && apart.fold(0.0, f64::max) < 1e-12, "{a:?} and {b:?}");
            }
        }
    }

    /// One label an item: no prediction knows another label of the item.
    #[test]
    fn studies_with_one_label_an_item_are_compared() {
        let folder = folder(60, 1, "");
        let study = load(&folder);
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        let compared = Compared::new([&study, &study], [&decomposition, &decomposition]).unwrap();
        assert!(!compared.scores.is_empty());
    }
}
