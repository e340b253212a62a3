//! A study as its queue sees it, whatever its labels are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::files::LEAST_DRAWN;
use super::files::{NotSelected, QueueRecord, QueueTask, write_files};
use super::fill::{Amount, Order, Purpose};
use super::fill::{Candidates, Queue, QueueRequest, SentItem};
use crate::error::Error;
use crate::input::items::{numbered, swapped};
use crate::input::question::{is_swapped, mirrored, task_id};
use crate::model::study::draws_of;
use crate::model::study::{Decomposition, Study};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_evaluation::RuleDraws;
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::{Staged, limits};

/// The items of a study, ranked by a rule.
#[derive(Debug)]
pub struct Ranked<'a> {
    study: &'a Study,
    decomposition: &'a Decomposition,
    priority: Vec<f64>,
    draws: RuleDraws,
}

impl<'a> Ranked<'a> {
    /// Ranks the items.
    ///
    /// # Errors
    /// A rule that does not rank such labels, or that needs what the study does not have.
    ///
    /// # Examples
    ///
    /// ```
    /// use judge_uncertainty_core::escalation::Rule;
    /// use judge_uncertainty_study::queue::files::LEAST_DRAWN;
    /// use judge_uncertainty_system::progress::Silent;
    /// use judge_uncertainty_study::queue::{QueueRequest, Ranked};
    /// use judge_uncertainty_study::{Decomposition, Study};
    ///
    /// let study = Study::load("../../examples/starter".as_ref())?;
    /// let decomposition = Decomposition::new(&study, &Silent)?;
    /// let amount = "10%".parse().expect("a share of the items");
    /// let request = QueueRequest { rule: Rule::Info.into(), amount, labels_per_item: 1, explore: None, seed: 0 };
    /// let ranked = Ranked::new(&study, &decomposition, &request)?;
    /// let (files, record) = ranked.send(&request, false)?;
    /// assert_eq!(record.queued, 4);
    /// assert!(files.text("queue.csv").is_some_and(|text| text.starts_with("rank,id,text")));
    /// # Ok::<(), judge_uncertainty_study::Error>(())
    /// ```
    pub fn new(study: &'a Study, decomposition: &'a Decomposition, request: &QueueRequest) -> Result<Self, Error> {
        check_rule(study, request.rule)?;
        let draws = draws_of(request.seed, study.batches(), study.len());
        let priority = match request.rule {
            Order::By(rule) => decomposition.priority_with(rule, &draws).ok_or_else(|| not_ranked(study, rule))?,
            Order::LikelyErrors => {
                let expected = expected_errors(study, Some(decomposition)).ok_or(Error::NoErrors)?;
                // A further label of an item that has one tells little of the judge.
                let last = |(error, labels): (f64, &u32)| if *labels > 0 { 1e-9 * error } else { error };
                expected.into_iter().zip(&decomposition.numbers).map(last).collect()
            }
        };
        Ok(Self { study, decomposition, priority, draws })
    }

    /// What to know of a ranking that hardly tells items apart, as where the judge gives a verdict alone: how few
    /// priorities the items without a label have. `None` where they have more than one in ten.
    pub fn hardly_ranks(&self, order: Order) -> Option<String> {
        if matches!(order, Order::By(Rule::FewestLabels | Rule::Random)) {
            return None;
        }
        let numbers = &self.decomposition.numbers;
        let open = || (0..numbers.len()).filter(|&i| numbers[i] == 0);
        let values: BTreeSet<u64> = open().map(|i| self.priority[i].to_bits()).collect();
        let items = open().count();
        (items >= 10 && values.len() * 10 <= items).then(|| {
            format!(
                "the {items} items without a label have {} priorities in all: there is nothing to rank them by beyond \
                 groups and features, and \
                 items with equal priorities are drawn at random",
                values.len()
            )
        })
    }

    /// Fills a request and writes the queue's files, in which annotators see the judge's prediction with `suggestions`.
    ///
    /// # Errors
    /// A request that contradicts itself.
    pub fn send(&self, request: &QueueRequest, suggestions: bool) -> Result<(Staged, QueueRecord), Error> {
        let study = self.study;
        let (queue, tasks) = self.filled(request)?;
        let (config, inputs) = (&study.file.config, study.relative_inputs());
        let sums: String = inputs.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
        let record = QueueRecord {
            program: concat!("judge-uncertainty ", env!("CARGO_PKG_VERSION")).to_owned(),
            study: config.title.clone(),
            criterion: config.criterion.clone(),
            rule: request.rule.key().to_owned(),
            trust: self.trust(),
            direction: "higher first".to_owned(),
            amount: request.amount.to_string(),
            labels_per_item: request.labels_per_item.to_string(),
            explore: request.explore,
            suggestions,
            seed: request.seed,
            items: study.len(),
            queued: tasks.len(),
            not_selected: self.not_selected(request, &queue),
            labels: tasks.iter().map(|task| u64::from(task.sent.labels)).sum(),
            batches_before: study.batches(),
            estimates: self.estimates(request),
            inputs,
            inputs_sha256: sha256_hex(sums.as_bytes()),
            written: BTreeMap::new(),
            files: vec![],
        };
        write_files(record, &tasks, config.asked())
    }

    /// The queue of a request with the texts that annotators see.
    ///
    /// # Errors
    /// A request that contradicts itself; more rows of one cluster than one person can label; texts that can't be told
    /// apart.
    fn filled(&self, request: &QueueRequest) -> Result<(Queue, Vec<QueueTask>), Error> {
        let study = self.study;
        let queue = self.fill(request)?;
        if let Some(about) = study.items.about_numbers() {
            let mut rows: HashMap<usize, u64> = HashMap::new();
            queue.entries.iter().for_each(|entry| *rows.entry(about[entry.item]).or_default() += 1);
            let most = rows.into_values().max().unwrap_or(0);
            limits::ROWS_TOGETHER.check(most).map_err(|exceeded| Error::Together { exceeded })?;
        }
        let (other_order, sides) = (swapped(&study.file)?, study.file.config.sides());
        let other_order = other_order.as_ref().zip(sides.as_ref()).map(|(texts, sides)| (texts.as_slice(), sides));
        let tasks: Vec<QueueTask> =
            queue.entries.iter().map(|entry| self.task(entry, &queue, request.seed, other_order)).collect();
        refuse_alike(&tasks)?;
        Ok((queue, tasks))
    }

    /// The items that a queue left out; `None` where there are none.
    fn not_selected(&self, request: &QueueRequest, queue: &Queue) -> Option<NotSelected> {
        let Self { study, decomposition, .. } = self;
        let selected: BTreeSet<usize> = queue.entries.iter().map(|entry| entry.item).collect();
        let mut rest: Vec<usize> = (0..study.len()).filter(|item| !selected.contains(item)).collect();
        // Where those without a label are drawn, what is known of the others is in their labels.
        let open = |item: &usize| decomposition.numbers[*item] == 0;
        if request.rule.draws_unlabelled() && rest.iter().any(open) {
            rest.retain(open);
        }
        let probability = queue.probability[*rest.first()?];
        Some(NotSelected { probability })
    }

    fn fill(&self, request: &QueueRequest) -> Result<Queue, Error> {
        let Self { study, decomposition, priority, draws } = self;
        let candidates = Candidates {
            priority,
            labels: &decomposition.numbers,
            tie_break: &draws.jitter,
            batches_before: study.batches(),
        };
        Ok(match study.items.about_numbers() {
            Some(about) => Queue::fill_whole(request, &candidates, &about)?,
            None => Queue::fill(request, &candidates)?,
        })
    }

    /// What can be estimated of all items from the labels of a queue, in words.
    fn estimates(&self, request: &QueueRequest) -> String {
        let text = match request.explore {
            _ if request.rule.draws_unlabelled() => {
                "items without a label were drawn at random among themselves, so `study run` estimates rates of all items"
            }
            None if request.rule == Rule::Random.into() => {
                "items were drawn at random, so `study run` estimates rates of all items"
            }
            _ if self.study.items.clusters.is_some() => {
                "none: single items of clusters are ranked, which stand for no others of theirs; --for items or --for rate \
                 draws them at random"
            }
            Some(_) => "every item had a chance above 0, so `study run` estimates rates of all items",
            None => {
                "biased: items were selected for their rank only, so averages over their labels say nothing about all \
                 items; select with --explore for estimates"
            }
        };
        text.to_owned()
    }

    /// What the trust behind parts and priorities rests on, in words.
    fn trust(&self) -> String {
        let labelled = self.decomposition.numbers.iter().filter(|n| **n > 0).count();
        match (&self.study.carried, labelled) {
            (None, 0) => {
                "the prior alone, for no item has a label yet: parts and priorities are not findings".to_owned()
            }
            (None, n) => format!("fitted to {n} labelled items"),
            (Some(carried), 0) => {
                format!("carried over from {:?} ({}); no item has a label yet", carried.study, carried.from)
            }
            (Some(carried), n) => {
                format!(
                    "fitted to {n} labelled items, with a prior about that of {:?} ({})",
                    carried.study, carried.from
                )
            }
        }
    }

    /// The task of an entry; `other_order` are the texts with two answers in each other's place, and their classes.
    fn task(
        &self,
        sent: &SentItem,
        queue: &Queue,
        seed: u64,
        other_order: Option<(&[String], &[String; 2])>,
    ) -> QueueTask {
        let (Self { study, decomposition, priority, .. }, i) = (self, sent.item);
        let belief = decomposition.belief(i);
        let parts = [
            ("aleatoric", belief.aleatoric()),
            ("epistemic", belief.epistemic()),
            ("total", belief.total()),
            ("trust", decomposition.trust[i]),
        ];
        let names = study.file.config.scale.quantities();
        let means = names.into_iter().zip(decomposition.pool.believed(&decomposition.fitted.beliefs, i));
        let (id, prediction) = (study.items.ids[i].to_owned(), study.prediction(i));
        let swapped = other_order.filter(|_| is_swapped(seed, &id));
        let text = study.items.texts.as_ref().map(|texts| swapped.map_or(&texts[i], |(texts, _)| &texts[i]).clone());
        let suggestion = swapped.map_or(&*prediction, |(_, sides)| mirrored(&prediction, sides)).to_owned();
        QueueTask {
            sent: sent.clone(),
            rank: queue.ranks[i],
            probability: queue.probability[i],
            task_id: if other_order.is_some() { task_id(&id, swapped.is_some()) } else { id.clone() },
            id,
            text,
            priority: priority[i],
            prediction,
            suggestion,
            record: parts.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(means).collect(),
        }
    }
}

/// Refuses a queue in which an annotator could not tell two tasks of one sample apart, as `sample/tone` and `sample/facts`: what
/// is asked of them differs. Of samples that are alike, as refusals in the same words, a label of each is as good.
fn refuse_alike(tasks: &[QueueTask]) -> Result<(), Error> {
    let mut seen: HashMap<(&str, &str), &str> = HashMap::new();
    let other = tasks.iter().find_map(|task| {
        let key = (task.text.as_deref()?, task.id.rsplit_once('/')?.0);
        Some((seen.insert(key, &task.id)?, &task.id))
    });
    other.map_or(Ok(()), |(one, other)| Err(Error::LookAlike { one: one.to_owned(), other: other.clone() }))
}

/// Refuses a rule by which the items of a study can't be ranked, before any work.
///
/// # Errors
/// A rule that does not rank such labels, or that needs a stated confidence if no item has one.
pub fn check_rule(study: &Study, order: Order) -> Result<(), Error> {
    let rule = match order {
        Order::By(rule) => rule,
        Order::LikelyErrors if expected_errors(study, None).is_none() => return Err(Error::NoErrors),
        Order::LikelyErrors => return Ok(()),
    };
    if !study.scale().rules().contains(&rule) {
        return Err(not_ranked(study, rule));
    }
    if rule == Rule::LowConfidence && !study.rules().contains(&rule) {
        return Err(Error::NoConfidence { study: study.file.path.clone() });
    }
    Ok(())
}

impl QueueRequest {
    /// What the queue of a study is asked for where nothing is but its amount ([`advice`]).
    pub fn advised(study: &Study, amount: Amount) -> Self {
        let (order, explore) = advice(study.has_no_labels());
        let amount = match amount {
            Amount::Number(number) => Amount::Number(number.min(study.len())),
            other => other,
        };
        // Single labels do not tell a judge that is ignorant from people who disagree.
        let labels_per_item = if study.has_no_labels() { 2 } else { 1 };
        Self { rule: order, amount, labels_per_item, explore, seed: study.file.config.seed }
    }

    /// This request for a purpose, of a study with so many items.
    pub fn with_purpose(self, purpose: Purpose, items: usize) -> Self {
        const SHARE: f64 = 0.2;
        match purpose {
            Purpose::Items => self,
            // Before the first label all are drawn at random anyway.
            Purpose::Rate if self.rule == Rule::Random.into() => self,
            Purpose::Rate => Self { rule: Rule::FewestLabels.into(), explore: None, ..self },
            Purpose::Errors => {
                let draws = (SHARE * self.amount.among(items) as f64).round();
                let explore = (draws >= LEAST_DRAWN as f64).then_some(SHARE);
                Self { rule: Order::LikelyErrors, explore, ..self }
            }
        }
    }
}

/// The entries of the queue that a study has where nothing is asked for but its amount, with its request.
///
/// # Errors
/// As [`Ranked::new`].
pub fn advised_entries(
    study: &Study,
    decomposition: &Decomposition,
    amount: Amount,
) -> Result<(QueueRequest, Vec<SentItem>), Error> {
    let request = QueueRequest::advised(study, amount);
    let (queue, _) = Ranked::new(study, decomposition, &request)?.filled(&request)?;
    Ok((request, queue.entries))
}

/// The default queue of a study: fewest labels first, items with equal numbers in random order, and a tenth of the
/// budget (the share returned), at least two items, from all other items at random. Before the first label all are
/// drawn at random.
///
/// So no item gets a further label for its value while others have none. With one label per item the labels cannot show
/// how much to trust the belief, and a wrong belief would request label after label for the items that surprise it.
/// Items without a label are equals, so those that get one are a random sample, from which every statistic can be
/// estimated; the tenth gives second labels to some items, which show how much to trust the belief. Chosen on worlds
/// with known truth, as registered beforehand (`data/registration/STATUS.md`).
pub fn advice(has_no_labels: bool) -> (Order, Option<f64>) {
    const SHARE: f64 = 0.1;
    if has_no_labels {
        return (Rule::Random.into(), None);
    }
    (Rule::FewestLabels.into(), Some(SHARE))
}

pub(crate) fn not_ranked(study: &Study, rule: Rule) -> Error {
    let keys: Vec<&str> = study.scale().rules().into_iter().map(Rule::name).collect();
    let (last, others) = keys.split_last().expect("some rule ranks all labels");
    let rules = format!("{} or {last}", others.join(", "));
    Error::NotRanked { study: study.file.path.clone(), rule: rule.name(), labels: study.scale().labels(), rules }
}

/// Labelled items of the mean error that a group counts as having more, at least.
const LEAST_MORE: f64 = 4.0;
/// Labelled items of the mean error that a group counts as having more, at most: groups that are not told apart keep
/// their order.
const MOST_MORE: f64 = 1e6;
/// With more different answers than this, answers do not form groups.
const MOST_ANSWERS: usize = 20;

/// The expected error of the judge on every item, as the labels have it by belief, group and answer; `None` without labels
/// that stand one by one.
///
/// ```text
/// e_i = e + b (d_i - d) + r(group of i) + r(answer of i)                           on a scale
/// e_i = s(logit(e + r(group of i)) + logit(e + r(answer of i)) - logit(e)) + r(group and answer of i)      of classes
/// r(h) = sum over labelled items of h of what their error is beyond the terms before it / (n_h + m); of group or answer of
///        classes, beyond e
/// m   = s^2/t^2, at least 4,   t^2 = max(0, (sum_h n_h mean_h^2 - (H - 1) s^2)/(n - sum_h n_h^2/n))
/// b   = max(0, 1 - v/c^2) c for c > 0 and else 0,   c = sum (d_i - d)(error_i - e)/S,   v = its squared standard error
/// ```
///
/// with e the mean error of all labelled items, and the error of an item the share of its labels that contradict the
/// judge's answer; on a scale, how far they lie from it on average. s(x) = 1/(1 + exp(-x)), so that an error of classes is a
/// probability. On a scale d_i is the distance from the judge's answer that
/// the belief expects of a label ([`ItemBelief::label_distance`]) before it has labels of the item itself, and d its mean, S its
/// sum of squares. A belief knows how sure the judge is, but may be wrong about that: b is how far its expectation has come true
/// on labelled items, drawn towards 0. s^2 is the variance of errors within the H groups that have labels and t^2 that of the
/// groups' means (DerSimonian and Laird 1986, "Meta-analysis in clinical trials"). So where labels tell neither beliefs, groups
/// nor answers apart, all items are expected to have the mean error, and a queue draws among them: the worst of many that are
/// alike is the worst by chance. On a scale with many answers, fifths of them are groups.
///
/// [`ItemBelief::label_distance`]: judge_uncertainty_core::belief::ItemBelief::label_distance
pub fn expected_errors(study: &Study, decomposition: Option<&Decomposition>) -> Option<Vec<f64>> {
    let ratings = study.ratings();
    let error = |i: usize| (!ratings.people[i].is_empty()).then(|| ratings.miss(i, ratings.verdict[i]));
    let errors: Vec<Option<f64>> = (0..study.len()).map(error).collect();
    let known: Vec<f64> = errors.iter().copied().flatten().collect();
    if known.is_empty() {
        return None;
    }
    let mut expected = vec![mean(&known); study.len()];
    let distances = decomposition.and_then(|decomposition| distances(decomposition, &ratings.verdict));
    if let Some(distances) = distances.filter(|distances| distances.len() == study.len()) {
        let slope = slope(&distances, &errors);
        let labelled = distances.iter().zip(&errors).filter(|(_, error)| error.is_some());
        let middle = mean(&labelled.map(|(distance, _)| *distance).collect::<Vec<_>>());
        expected.iter_mut().zip(&distances).for_each(|(e, distance)| *e += slope * (distance - middle));
    }
    let beyond = |expected: &[f64]| -> Vec<Option<f64>> {
        errors.iter().zip(expected).map(|(error, expected)| Some((*error)? - expected)).collect()
    };
    let with = |expected: &[f64], groups: &[usize]| -> Vec<f64> {
        let own = drawn_in(groups, &beyond(expected), 0.0);
        expected.iter().zip(own).map(|(e, own)| (e + own).max(0.0)).collect()
    };
    let answers = answers(study, &ratings.verdict);
    let Some(groups) = study.items.groups.as_ref().map(|groups| &groups.of) else {
        return Some(with(&expected, &answers));
    };
    let by_group = with(&expected, groups);
    if study.scale().has_order() {
        return Some(with(&by_group, &answers));
    }
    let by_answer = with(&expected, &answers);
    let least = 0.5 / (known.len() as f64 + 1.0);
    let logit = |p: f64| p.clamp(least, 1.0 - least).ln() - (1.0 - p.clamp(least, 1.0 - least)).ln();
    let both = |i: usize| 1.0 / (1.0 + (logit(expected[i]) - logit(by_group[i]) - logit(by_answer[i])).exp());
    let both: Vec<f64> = (0..study.len()).map(both).collect();
    let cells: Vec<usize> = groups.iter().zip(&answers).map(|(group, answer)| group * MOST_ANSWERS + answer).collect();
    Some(with(&both, &cells))
}

/// The answers of the judge as groups: each where they are few, fifths of them on a scale, and one of all classes.
fn answers(study: &Study, verdict: &[f64]) -> Vec<usize> {
    let (answers, known) = numbered((0..study.len()).map(|i| match study.judge.answers {
        Some(_) => study.likeliest(i) as u64,
        None => study.judge.predictions[[i, 0]].to_bits(),
    }));
    if known.len() <= MOST_ANSWERS {
        return answers;
    }
    let mut sorted = if study.scale().has_order() { verdict.to_vec() } else { vec![] };
    sorted.sort_by(f64::total_cmp);
    let cuts: Vec<f64> = (1..5).filter_map(|k| sorted.get(k * sorted.len() / 5).copied()).collect();
    verdict.iter().map(|value| cuts.iter().filter(|cut| *cut <= value).count()).collect()
}

/// The distance that the belief expects between the judge's answer and a label of each item, before its own labels; `None` for
/// classes without an order, or where some distance is infinite.
fn distances(decomposition: &Decomposition, verdict: &[f64]) -> Option<Vec<f64>> {
    let Decomposition { pool, fitted, .. } = decomposition;
    let beliefs = pool.beliefs(&fitted.fit, &fitted.design, &pool.without(&vec![true; pool.len()]));
    let distance = |i: usize| beliefs.get(i).label_distance(verdict[i]).filter(|distance| distance.is_finite());
    (0..verdict.len().min(beliefs.len())).map(distance).collect()
}

/// By how much errors rise with what is expected of them, see [`expected_errors`].
fn slope(distances: &[f64], errors: &[Option<f64>]) -> f64 {
    let pairs: Vec<(f64, f64)> = distances.iter().zip(errors).filter_map(|(x, y)| Some((*x, (*y)?))).collect();
    let n = pairs.len() as f64;
    let [x, y] = [pairs.iter().map(|pair| pair.0).sum::<f64>() / n, pairs.iter().map(|pair| pair.1).sum::<f64>() / n];
    let squares: f64 = pairs.iter().map(|pair| (pair.0 - x).powi(2)).sum();
    let slope = pairs.iter().map(|pair| (pair.0 - x) * (pair.1 - y)).sum::<f64>() / squares;
    let rest: f64 = pairs.iter().map(|pair| (pair.1 - y - slope * (pair.0 - x)).powi(2)).sum();
    let variance = rest / (n - 2.0) / squares;
    if n > 2.0 && squares > 0.0 && slope > 0.0 { (1.0 - variance / (slope * slope)).max(0.0) * slope } else { 0.0 }
}

/// The mean error in the group of each item, drawn towards the mean of all.
fn drawn_in(groups: &[usize], errors: &[Option<f64>], all: f64) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); groups.iter().max().map_or(0, |last| last + 1)];
    for (&group, error) in groups.iter().zip(errors) {
        if let Some(error) = error {
            sums[group] = (sums[group].0 + error, sums[group].1 + 1.0);
        }
    }
    let more = more(groups, errors, &sums, all);
    groups.iter().map(|&group| (sums[group].0 + more * all) / (sums[group].1 + more)).collect()
}

/// How many items of the mean error a group counts as having more, see [`expected_errors`].
fn more(groups: &[usize], errors: &[Option<f64>], sums: &[(f64, f64)], all: f64) -> f64 {
    let with_labels: Vec<(f64, f64)> = sums.iter().copied().filter(|(_, number)| *number > 0.0).collect();
    let items: f64 = with_labels.iter().map(|(_, number)| number).sum();
    let apart = with_labels.len() as f64 - 1.0;
    let square = |(group, error): (&usize, &Option<f64>)| {
        let (sum, number) = sums[*group];
        error.map_or(0.0, |error| (error - sum / number).powi(2))
    };
    let within = groups.iter().zip(errors).map(square).sum::<f64>() / (items - apart - 1.0).max(1.0);
    // In the order of size: the numbers of groups say nothing.
    let mut parts: Vec<f64> = with_labels.iter().map(|(sum, number)| number * (sum / number - all).powi(2)).collect();
    parts.sort_by(f64::total_cmp);
    let mut squares: Vec<f64> = with_labels.iter().map(|(_, number)| number * number).collect();
    squares.sort_by(f64::total_cmp);
    let between = (parts.iter().sum::<f64>() - apart * within) / (items - squares.iter().sum::<f64>() / items);
    match between > 0.0 {
        true => (within / between).clamp(LEAST_MORE, MOST_MORE),
        false if within > 0.0 => MOST_MORE,
        false => LEAST_MORE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 and 40 groups in each of which the judge errs in 7%: among the 50 items with the highest expected error, the
    /// number of errors expected equals the true 3.5.
    #[test]
    fn the_worst_of_groups_that_are_alike_is_no_worse() {
        for groups in [10, 40] {
            let mut expected = 0.0;
            for seed in 0..200 {
                let mut stream = judge_uncertainty_core::random::Stream::new(seed);
                let of: Vec<usize> = (0..1200).map(|i| i % groups).collect();
                let wrong: Vec<f64> = of.iter().map(|_| f64::from(u8::from(stream.random() < 0.07))).collect();
                let errors: Vec<Option<f64>> = (0..1200).map(|i| (i < 300).then_some(wrong[i])).collect();
                let all = mean(&wrong[..300]);
                let mut found = drawn_in(&of, &errors, all)[300..].to_vec();
                found.sort_by(|a, b| b.total_cmp(a));
                expected += found[..50].iter().sum::<f64>() / 200.0;
            }
            assert!((expected / 3.5 - 1.0).abs() < 0.35, "{groups} groups: {expected} for 3.5");
        }
    }

    /// Groups that differ clearly keep their own errors.
    #[test]
    fn groups_that_differ_are_told_apart() {
        let of: Vec<usize> = (0..120).map(|i| i % 3).collect();
        let errors: Vec<Option<f64>> = (0..120).map(|i| Some(f64::from(u8::from(i % 3 == 0 && i % 12 > 0)))).collect();
        let all = mean(&errors.iter().copied().flatten().collect::<Vec<_>>());
        let found = drawn_in(&of, &errors, all);
        assert!(found[0] > 0.65 && found[1] < 0.05, "{found:?}");
    }

    #[test]
    fn few_labels_are_drawn_towards_all() {
        let errors = [Some(1.0), Some(1.0), Some(0.0), None, None];
        let found = drawn_in(&[0, 0, 1, 1, 2], &errors, 0.5);
        assert_eq!(found, [4.0 / 6.0, 4.0 / 6.0, 2.0 / 5.0, 2.0 / 5.0, 0.5]);
    }
}
