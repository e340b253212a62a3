//! The loop under one policy and seed.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::evaluate::belief_check::CheckedBelief;
use crate::input::labels::Labels;
use crate::input::question::LabelValue;
use crate::model::chosen::AnsweredQueue;
use crate::model::decompose::luck_of;
use crate::model::kind::{Decomposition, Kind, Study};
use crate::queue::fill::{of_wholes, share_stream};
use crate::queue::ranked::{priorities, values_held_to};
use crate::queue::{Amount, LabelsPerItem, Order, QueueRequest, advice};
use crate::results::advice::Advice;
use judge_uncertainty_core::belief::{Belief, BeliefModel, TrustPrior};
use judge_uncertainty_core::escalation::{Rule, Selection, top};
use judge_uncertainty_core::stats::estimator::LEAST_ITEMS;
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_evaluation::protocol::seeded;
use judge_uncertainty_evaluation::{Journal, Pool};
use judge_uncertainty_system::progress::Silent;

/// Number of the stream of a seed that orders the labels; a round's own draws are those of a queue.
const LABELS_STREAM: u64 = 1 << 61;

/// What is known when the loop begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// No label: only items with many labels take part.
    Cold,
    /// The labels of the items that have too few of them to be played with.
    Hand,
}

/// What a policy's loop came to, round by round from 0, with so many labels given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// Labels given so far.
    pub labels: Vec<usize>,
    /// Items that have any of them.
    pub labelled: Vec<usize>,
    /// Error of every item that is played with.
    pub errors: Vec<Vec<f64>>,
    /// Squared error of the belief's means, averaged over these items.
    pub squared: Vec<f64>,
    /// What the belief takes it for: the mean of v.
    pub hoped: Vec<f64>,
}

/// A simulation that is set up.
pub struct Game<'a, K: Kind> {
    /// The study under each belief, with its name.
    studies: &'a [(String, Study<K>)],
    /// The policies.
    pub policies: Vec<Policy>,
    /// Items that beliefs are about, by position in the study.
    kept: Vec<usize>,
    /// Items that are played with, by position in `kept`.
    played: Vec<usize>,
    /// What a queue sends whole: the number of the thing that each of `kept` is about where `items.item` is set, of the
    /// item itself otherwise.
    about: Vec<usize>,
    /// How many of these are played with.
    wholes: usize,
    /// The labels of each item of the study that is played with.
    urns: Vec<Vec<Vec<LabelValue>>>,
    /// The labels that are there from the beginning.
    in_hand: Labels,
    whole: <K::Pool as Pool>::Held,
    /// Rounds.
    pub rounds: usize,
    /// Items that get a label in a round, or things whose items do.
    pub batch: usize,
    pub(super) seed: u64,
    pub(super) start: Start,
}

impl<'a, K: Kind> Game<'a, K> {
    /// Sets up the loop on the items that have `evaluation.least_labels` or more, for one study under each of some
    /// beliefs (with their names) and each of the rules: `batch` of the items get a label in each of `rounds` rounds,
    /// or so many things, with all their items, where `items.item` is set.
    ///
    /// # Errors
    /// Too few such items.
    ///
    /// # Panics
    /// If there is no study.
    pub fn new(
        studies: &'a [(String, Study<K>)],
        rules: &[Chooses],
        (rounds, batch): (usize, Amount),
        start: Start,
        seed: u64,
    ) -> Result<Self, Error> {
        let study = &studies[0].1;
        let (least, numbers) = (study.file.config.evaluation.least_labels, study.numbers());
        let many: Vec<bool> = numbers.iter().map(|&n| n >= least).collect();
        let found = many.iter().filter(|many| **many).count();
        if found < LEAST_ITEMS {
            return Err(Error::NothingToPlay { least, found, needed: LEAST_ITEMS, items: study.len() });
        }
        let kept: Vec<usize> = (0..study.len()).filter(|&i| many[i] || start == Start::Hand).collect();
        let played: Vec<usize> = (0..kept.len()).filter(|&k| many[kept[k]]).collect();
        let of_item = |(i, own): (usize, Vec<Vec<LabelValue>>)| if many[i] { own } else { vec![] };
        let urns = one_by_one(&study.labels).into_iter().enumerate().map(of_item).collect();
        let in_hand = match start {
            Start::Cold => study.labels.without_added().without(&vec![true; study.len()]),
            Start::Hand => study.labels.without(&many),
        };
        let whole = K::pool(study, &study.labels, &kept).whole();
        let with = |(belief, _): &(String, Study<K>)| {
            rules.iter().map(|&rule| Policy { belief: belief.clone(), rule }).collect::<Vec<_>>()
        };
        let policies = studies.iter().flat_map(with).collect();
        let about = match study.items.about {
            Some(_) => study.items.twins(&kept),
            None => (0..kept.len()).collect(),
        };
        let wholes = played.iter().map(|&k| about[k]).collect::<BTreeSet<usize>>().len();
        let batch = batch.among(wholes);
        Ok(Self { studies, policies, kept, played, about, wholes, urns, in_hand, whole, rounds, batch, seed, start })
    }

    /// The study.
    pub fn study(&self) -> &Study<K> {
        &self.studies[0].1
    }

    /// Items that are played with.
    pub fn items(&self) -> usize {
        self.played.len()
    }

    /// Things whose items are sent together, where `items.item` is set.
    pub fn wholes(&self) -> Option<usize> {
        self.study().items.about.as_ref().map(|_| self.wholes)
    }

    /// The thing that each of these items is about.
    pub fn things(&self) -> Vec<usize> {
        let played: Vec<usize> = self.played.iter().map(|&k| self.kept[k]).collect();
        let twins = self.study().items.twins(&played);
        if twins.is_empty() { (0..played.len()).collect() } else { twins }
    }

    /// Number `number` of all loops: those of the first seed under every policy come first.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn course(&self, number: u64) -> Result<Course, Error> {
        let policies = self.policies.len() as u64;
        let (seed, policy) = (self.seed + number / policies, (number % policies) as usize);
        let study = &self.studies[policy * self.studies.len() / self.policies.len()].1;
        let chooses = self.policies[policy].rule;
        let urns = self.shuffled(seed);
        let mut given = vec![0_usize; self.kept.len()];
        let mut course = Course::default();
        let mut now = study.clone();
        now.labels = self.in_hand.clone();
        now.queues.retain(|_| self.start == Start::Hand);
        for round in 0..=self.rounds {
            let decomposition = decompose(&now, &now.labels, &self.kept)?;
            self.note(&decomposition, &given, &mut course);
            if round < self.rounds {
                let left = |k: usize| urns[self.kept[k]].len() - given[k];
                let (request, [ranked, drawn]) = self.chosen(&now, &decomposition, (chooses, seed), left)?;
                let chosen = || ranked.iter().chain(&drawn).copied();
                let added: Vec<(usize, Vec<LabelValue>)> =
                    chosen().map(|k| (self.kept[k], urns[self.kept[k]][given[k]].clone())).collect();
                chosen().for_each(|k| given[k] += 1);
                let in_study = |places: &[usize]| places.iter().map(|&k| self.kept[k]).collect();
                // Of the probabilities nothing is asked: they follow from what was drawn from which items.
                let selection = Selection { ranked: in_study(&ranked), drawn: in_study(&drawn), probability: vec![] };
                now.queues.push(AnsweredQueue {
                    folder: format!("round {round}"),
                    rule: request.rule.key().to_owned(),
                    selection: Ok(selection),
                    draws_unlabelled: request.rule.draws_unlabelled(request.amount),
                    batches_before: now.batches(),
                    batches: [now.batches()].into(),
                });
                now.labels.add_batch(&added);
            }
        }
        Ok(course)
    }

    /// The labels of every item in the order in which a seed draws them.
    fn shuffled(&self, seed: u64) -> Vec<Vec<Vec<LabelValue>>> {
        let mut stream = seeded(seed, LABELS_STREAM);
        let mut urns = self.urns.clone();
        for own in &mut urns {
            for last in (1..own.len()).rev() {
                own.swap(last, stream.choice(last as u32 + 1) as usize);
            }
        }
        urns
    }

    fn note(&self, decomposition: &Decomposition<K>, given: &[usize], course: &mut Course) {
        let errors = decomposition.pool.errors(&decomposition.fitted.beliefs, &self.whole);
        let over = |of: &dyn Fn(usize) -> f64| self.played.iter().map(|&k| of(k)).collect::<Vec<_>>();
        course.labels.push(given.iter().sum());
        course.labelled.push(given.iter().filter(|given| **given > 0).count());
        course.squared.push(mean(&over(&|k| errors[k].squared)));
        course.hoped.push(mean(&over(&|k| decomposition.belief(k).spread())));
        course.errors.push(over(&|k| errors[k].error));
    }

    /// The queue that a study sends next, as `study queue` does: by rank and at random, by position among those kept.
    /// Items of which no label is `left` are passed over, and so are things without any such item.
    fn chosen(
        &self,
        study: &Study<K>,
        decomposition: &Decomposition<K>,
        (chooses, seed): (Chooses, u64),
        left: impl Fn(usize) -> usize,
    ) -> Result<(QueueRequest, [Vec<usize>; 2]), Error> {
        let has_no_labels = decomposition.numbers.iter().all(|n| *n == 0);
        let (order, share) = advice(has_no_labels);
        let (rule, explore) = match chooses.rule {
            Some(rule) => (rule.into(), chooses.explore),
            None => (order, chooses.explore.or(share)),
        };
        let request = QueueRequest {
            rule,
            amount: Amount::Number(self.batch),
            labels_per_item: LabelsPerItem::Fixed(1),
            explore: explore.filter(|share| *share > 0.0),
            seed,
        };
        let batches = study.batches();
        let luck = luck_of(seed, batches, self.kept.len());
        let held_to = if rule == Order::By(Rule::Delta) { self.checked(study)? } else { None };
        let priority = match held_to {
            Some(checked) => values_held_to(decomposition, &checked),
            None => priorities(study, decomposition, &self.kept, (&request, &luck))?,
        };
        let (priority, tie_break) = of_wholes(&priority, &luck.jitter, &self.about);
        let ranking = top(&priority, &tie_break, priority.len());
        let mut open = vec![vec![]; priority.len()];
        (0..self.kept.len()).filter(|&k| left(k) > 0).for_each(|k| open[self.about[k]].push(k));
        let mut stream = share_stream(seed, batches);
        let (ranked, drawn) =
            Selection::passing_over(&ranking, self.batch, request.explore, |whole| open[whole].is_empty(), &mut stream);
        let items = |wholes: Vec<usize>| wholes.into_iter().flat_map(|whole| open[whole].iter().copied()).collect();
        Ok((request, [ranked, drawn].map(items)))
    }

    /// What a queue by Delta holds the belief to.
    fn checked(&self, study: &Study<K>) -> Result<Option<CheckedBelief>, Error> {
        let all: Vec<usize> = (0..study.len()).collect();
        let decomposition = decompose(study, &study.labels, &all)?;
        let advice = Advice::of_run(None, study, &decomposition)?;
        Ok(advice.and_then(|advice| advice.checked))
    }
}

/// What needs labels before the first one starts from the weak prior.
fn decompose<K: Kind>(study: &Study<K>, labels: &Labels, kept: &[usize]) -> Result<Decomposition<K>, Error> {
    let trust = &study.file.config.trust;
    if trust.prior == TrustPrior::None
        && trust.belief == BeliefModel::Published
        && labels.numbers().iter().all(|n| *n == 0)
    {
        let mut weak = study.clone();
        weak.file.config.trust.prior = TrustPrior::Weak;
        return Decomposition::over(&weak, labels, kept, &Silent);
    }
    Decomposition::over(study, labels, kept, &Silent)
}

/// The labels of every item, each by itself; those of one annotator who gives scores are one.
fn one_by_one(labels: &Labels) -> Vec<Vec<Vec<LabelValue>>> {
    if labels.counts.ncols() == 0 {
        let of_one = |scores: Vec<f64>| scores.into_iter().map(LabelValue::Score).collect();
        return labels.scores(|_| true).into_iter().map(|own| own.into_iter().map(of_one).collect()).collect();
    }
    let times = |(class, &count): (usize, &u32)| (0..count).map(move |_| vec![LabelValue::Class(class)]);
    labels.counts.rows().into_iter().map(|row| row.iter().enumerate().flat_map(times).collect()).collect()
}

/// Opens the journal of a simulation, beside its folder, so that an interrupted one goes on.
///
/// # Errors
/// It can't be read or written, or is not as it was written.
pub fn journal<K: Kind>(folder: &Path, game: &Game<'_, K>) -> Result<Journal<Course>, Error> {
    let configs: Vec<_> = game.studies.iter().map(|(_, study)| &study.file.config).collect();
    let settings = ("simulation", configs, &game.policies, game.rounds, game.batch, game.seed, game.start);
    Ok(Journal::open(folder, &settings, game.study().inputs.sums())?)
}

/// What chooses the items of a round: a rule, with a share of the batch drawn at random from the other items.
///
/// Written as `epistemic`, or as `epistemic+0.2` for a share of 0.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chooses {
    /// The rule; `None` for what a queue does where no rule is named.
    pub rule: Option<Rule>,
    /// Share of the batch drawn at random, 0 to 1; `None` for what the rule has by itself.
    pub explore: Option<f64>,
}

impl Chooses {
    /// Name of what a queue does where nothing is asked for.
    const ADVICE_KEY: &'static str = "advice";
}

impl FromStr for Chooses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (rule, share) = text.split_once('+').map_or((text, None), |(rule, share)| (rule, Some(share)));
        let rule = if rule == Self::ADVICE_KEY {
            None
        } else {
            Some(rule.parse().map_err(|error| format!("{error}, nor {}", Self::ADVICE_KEY))?)
        };
        let explore = share.map(|share| {
            let number = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
            number.ok_or_else(|| format!("{share:?} is not a share from 0 to 1, as in epistemic+0.1"))
        });
        Ok(Self { rule, explore: explore.transpose()? })
    }
}

impl fmt::Display for Chooses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule.map_or(Self::ADVICE_KEY, Rule::name))?;
        self.explore.map_or(Ok(()), |share| write!(f, "+{share}"))
    }
}

impl Serialize for Chooses {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A way of running the loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Policy {
    /// The belief's name, as `trust.belief` has it.
    pub belief: String,
    /// What chooses the items.
    pub rule: Chooses,
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.belief, self.rule)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Classes;
    use crate::queue::{Presentation, Ranked, queued_ids};
    use judge_uncertainty_core::random::Stream;

    const ITEMS: usize = 120;

    /// Things of `each` items, of half of them with three labels in hand and of the others with six to play with, which
    /// are in `study` if it `knows` them; the judge is too sure.
    fn load(knows: bool, each: usize) -> Study<Classes> {
        let (mut stream, folder) = (Stream::new(5), tempfile::tempdir().unwrap());
        let (mut items, mut judge, mut labels) =
            ("id,about\n".to_owned(), "id,p_a,p_b\n".to_owned(), "id,annotator,label\n".to_owned());
        for i in 0..ITEMS {
            let (p, off) = (stream.random(), stream.random());
            let q = (0.5 * p + 0.5 * off).clamp(0.02, 0.98).powi(3);
            items += &format!("i{i},t{}\n", i / each);
            judge += &format!("i{i},{q},{}\n", 1.0 - q);
            let number = if is_open(i, each) { 6 } else { 3 };
            for k in 0..number {
                let label = if stream.random() < p { "a" } else { "b" };
                if number == 3 || knows {
                    labels += &format!("i{i},ann{k},{label}\n");
                }
            }
        }
        let about = if each > 1 { "item = \"about\"\n" } else { "" };
        let toml = format!(
            "title = \"t\"\nclasses = [\"a\", \"b\"]\n[items]\nfile = \"items.csv\"\n{about}[judge]\nfile = \
             \"judge.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \
             \"long\"\n[trust]\nbelief = \"published\"\n[evaluation]\nleast_labels = 6\nreveal = [0, 1]\n"
        );
        for (name, text) in
            [("items.csv", &*items), ("judge.csv", &judge), ("labels.csv", &labels), ("study.toml", &toml)]
        {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Study::load(folder.path()).unwrap()
    }

    /// Whether there are further labels of an item.
    fn is_open(item: usize, each: usize) -> bool {
        item / each % 2 == 1
    }

    /// From the labels at hand the first queue that is played is the one that `study queue` sends, of items as of
    /// things with all their items. Where there are no further labels of some items, others take their places.
    #[test]
    fn the_first_queue_is_that_of_a_study() {
        let rules = ["advice", "delta", "epistemic", "random"];
        for (each, rule, seed) in [(1, 0), (1, 7), (3, 0), (3, 7)]
            .into_iter()
            .flat_map(|(each, seed)| rules.into_iter().map(move |rule| (each, rule, seed)))
        {
            let (studies, study) = ([("published".to_owned(), load(true, each))], load(false, each));
            let amount = Amount::Number(12);
            let chooses: Chooses = rule.parse().unwrap();
            let game = Game::new(&studies, &[chooses], (1, amount), Start::Hand, seed).unwrap();
            let mut now = studies[0].1.clone();
            now.labels = game.in_hand.clone();
            let decomposition = decompose(&now, &now.labels, &game.kept).unwrap();
            let played = |left: &dyn Fn(usize) -> usize| -> BTreeSet<usize> {
                let (_, places) = game.chosen(&now, &decomposition, (chooses, seed), left).unwrap();
                places.concat().into_iter().map(|k| game.kept[k]).collect()
            };

            let decomposition = Decomposition::new(&study, &Silent).unwrap();
            let advised = QueueRequest { seed, ..QueueRequest::advised(&study, amount) };
            let request = match chooses.rule {
                Some(rule) => QueueRequest { rule: rule.into(), explore: None, ..advised },
                None => advised,
            };
            let advice = Advice::of_run(None, &study, &decomposition).unwrap().unwrap();
            let checked = advice.checked.expect("the belief is too sure");
            let ranked = Ranked::new(&study, &decomposition, &request).unwrap().held_to_labels(request.rule, &checked);
            let (staged, _) = ranked.send(&request, Presentation::default()).unwrap();
            let queued: BTreeSet<usize> = queued_ids(&staged).map(|id| id[1..].parse().unwrap()).collect();
            assert_eq!(played(&|_| 1), queued, "{each} {rule} {seed}");
            let open = played(&|k| game.urns[game.kept[k]].len());
            assert!(
                open.len() == 12 * each && open.iter().all(|&i| is_open(i, each)),
                "{each} {rule} {seed}: {open:?}"
            );
        }
    }

    /// Every round of a loop about things labels all items of so many of them, and draws whole things at random.
    #[test]
    fn things_are_labelled_with_all_their_items() {
        let studies = [("published".to_owned(), load(true, 3))];
        for rule in ["random", "epistemic+0.4", "advice"] {
            let chooses = [rule.parse().unwrap()];
            let game = Game::new(&studies, &chooses, (3, Amount::Number(5)), Start::Cold, 2).unwrap();
            let course = game.course(0).unwrap();
            assert_eq!((course.labels, game.wholes()), (vec![0, 15, 30, 45], Some(20)), "{rule}");
            assert!(course.labelled.iter().all(|items| items % 3 == 0), "{rule}: {:?}", course.labelled);
        }
    }

    #[test]
    fn rules_are_read_and_shown_alike() {
        for text in ["advice", "epistemic", "fewest_labels+0.2", "random"] {
            assert_eq!(text.parse::<Chooses>().unwrap().to_string(), text);
        }
        for bad in ["", "best", "info+2", "info+", "info+x", "cover"] {
            assert!(bad.parse::<Chooses>().is_err(), "{bad}");
        }
    }
}
