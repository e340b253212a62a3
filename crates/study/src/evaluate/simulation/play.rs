//! The loop under one policy and seed.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::policy::{Chooses, Policy};
use crate::error::Error;
use crate::input::labels::{Labels, RowLabels};
use crate::model::kind::{Decomposition, Kind, Study};
use crate::queue::{Amount, Order, advice};
use judge_uncertainty_core::belief::{Belief, BeliefModel, TrustPrior};
use judge_uncertainty_core::escalation::{Rule, Selection, top};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_core::stats::over_items::LEAST_ITEMS;
use judge_uncertainty_evaluation::protocol::seeded;
use judge_uncertainty_evaluation::{Journal, Luck, Pool};
use judge_uncertainty_system::progress::Silent;

/// Numbers of the streams of a seed: the order of the labels, and from here on the draws of every round.
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
    policies: Vec<Policy>,
    /// Items that beliefs are about, by position in the study.
    kept: Vec<usize>,
    /// Items that are played with, by position in `kept`.
    played: Vec<usize>,
    /// The labels of each item of the study that is played with.
    urns: Vec<Vec<RowLabels>>,
    /// The labels of each item that are there from the beginning.
    in_hand: Vec<RowLabels>,
    whole: <K::Pool as Pool>::Held,
    rounds: usize,
    batch: usize,
    seed: u64,
    start: Start,
}

impl<'a, K: Kind> Game<'a, K> {
    /// Sets up the loop on the items that have `evaluation.least_labels` or more, for one study under each of some
    /// beliefs (with their names) and each of the rules: `batch` of the items get a label in each of `rounds` rounds.
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
        let of_item = |(i, own): (usize, Vec<RowLabels>)| {
            if many[i] { (own, RowLabels::default()) } else { (vec![], joined(own.iter())) }
        };
        let (urns, in_hand) = one_by_one(&study.labels).into_iter().enumerate().map(of_item).unzip();
        let whole = K::pool(study, &study.labels, &kept).whole();
        let policies = Policy::each(studies.iter().map(|(name, _)| name), rules);
        let batch = batch.among(played.len());
        Ok(Self { studies, policies, kept, played, urns, in_hand, whole, rounds, batch, seed, start })
    }

    /// The study.
    pub fn study(&self) -> &Study<K> {
        &self.studies[0].1
    }

    /// What is known when the loop begins.
    pub fn start(&self) -> Start {
        self.start
    }

    /// The first seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The policies.
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }

    /// Items that are played with.
    pub fn items(&self) -> usize {
        self.played.len()
    }

    /// Items that get a label in a round.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Rounds.
    pub fn rounds(&self) -> usize {
        self.rounds
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
        for round in 0..=self.rounds {
            let labels = self.labels(&urns, &given);
            let decomposition = decompose(study, &labels, &self.kept)?;
            self.note(&decomposition, &given, &mut course);
            if round < self.rounds {
                let stream = LABELS_STREAM + 1 + round as u64;
                for k in self.chosen(study, &decomposition, chooses, &urns, &given, (seed, stream))? {
                    given[k] += 1;
                }
            }
        }
        Ok(course)
    }

    /// The labels of every item in the order in which a seed draws them.
    fn shuffled(&self, seed: u64) -> Vec<Vec<&RowLabels>> {
        let mut stream = seeded(seed, LABELS_STREAM);
        let mut shuffle = |own: &'_ Vec<RowLabels>| -> Vec<usize> {
            let mut order: Vec<usize> = (0..own.len()).collect();
            for last in (1..order.len()).rev() {
                order.swap(last, stream.choice(last as u32 + 1) as usize);
            }
            order
        };
        self.urns.iter().map(|own| shuffle(own).into_iter().map(|k| &own[k]).collect()).collect()
    }

    /// The labels in hand when each kept item was given so many.
    fn labels(&self, urns: &[Vec<&RowLabels>], given: &[usize]) -> Labels {
        let mut rows: Vec<RowLabels> = self.in_hand.clone();
        for &k in &self.played {
            rows[self.kept[k]] = joined(urns[self.kept[k]][..given[k]].iter().copied());
        }
        Labels::from_rows(rows, self.study().labels.counts.ncols())
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

    /// The items that get a label next, by position among those kept: those that the policy ranks highest among the
    /// ones whose labels are not used up.
    fn chosen(
        &self,
        study: &Study<K>,
        decomposition: &Decomposition<K>,
        chooses: Chooses,
        urns: &[Vec<&RowLabels>],
        given: &[usize],
        (seed, stream): (u64, u64),
    ) -> Result<Vec<usize>, Error> {
        let mut stream = seeded(seed, stream);
        let luck = Luck::draw(&mut stream, self.kept.len());
        let advice = advice(study, decomposition.numbers.iter().all(|n| *n == 0));
        let rule = chooses.rule.unwrap_or(match advice.order {
            Order::By(rule) => rule,
            // Spreading over the embeddings is for a first queue alone, where nothing else is known.
            Order::Cover | Order::LikelyErrors => Rule::Random,
        });
        let explore = chooses.explore.or(if chooses.rule.is_none() { advice.explore } else { None }).unwrap_or(0.0);
        let priority =
            decomposition.priority_with(rule, &luck).ok_or_else(|| crate::queue::ranked::not_ranked(study, rule))?;
        let has_more = |k: &usize| given[*k] < urns[self.kept[*k]].len();
        let open: Vec<usize> = self.played.iter().copied().filter(has_more).collect();
        let of = |values: &[f64]| open.iter().map(|&k| values[k]).collect::<Vec<_>>();
        let ranking = top(&of(&priority), &of(&luck.jitter), open.len());
        let selection = if explore > 0.0 {
            Selection::exploring(&ranking, self.batch, explore, &mut stream)
        } else {
            Selection::top(&ranking, self.batch)
        };
        Ok(selection.ranked.iter().chain(&selection.drawn).map(|&place| open[place]).collect())
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
fn one_by_one(labels: &Labels) -> Vec<Vec<RowLabels>> {
    let classes = labels.counts.ncols();
    if classes == 0 {
        let of_one = |scores: Vec<f64>| RowLabels { counts: vec![], scores: vec![scores] };
        return labels.scores(|_| true).into_iter().map(|own| own.into_iter().map(of_one).collect()).collect();
    }
    let one = |class: usize| {
        let mut counts = vec![0; classes];
        counts[class] = 1;
        RowLabels { counts, scores: vec![] }
    };
    let times = |(class, &count): (usize, &u32)| (0..count).map(move |_| one(class));
    labels.counts.rows().into_iter().map(|row| row.iter().enumerate().flat_map(times).collect()).collect()
}

/// Several labels of an item together.
fn joined<'a>(labels: impl Iterator<Item = &'a RowLabels>) -> RowLabels {
    let mut all = RowLabels::default();
    for label in labels {
        all.counts.resize(label.counts.len(), 0);
        all.counts.iter_mut().zip(&label.counts).for_each(|(sum, n)| *sum += n);
        all.scores.extend(label.scores.iter().cloned());
    }
    all
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
