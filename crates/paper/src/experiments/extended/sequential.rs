//! Buying labels round after round: error against labels spent, which is what a labelling team plans with.

use crate::rules::{CONTENDERS, Contender};
use serde::{Deserialize, Serialize};

use super::contest::scores;
use super::corpus::{BeliefSpec, Deployment};
use super::stage::BeliefName;
use crate::experiments::Error;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::escalation::value::{label_of, pool_values};
use judge_uncertainty_core::escalation::{Rule, top};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Summary, mean};
use judge_uncertainty_evaluation::{CountLabels, Luck, counts::split_counts, protocol::REVEALED, replicate};
use judge_uncertainty_system::progress::Progress;

/// Seed of the first replicate's stream.
pub const SEED: u64 = 4_000_000;
/// Rounds of buying.
const ROUNDS: usize = 15;
/// Percent of the items that get one label in each round.
const PERCENT_PER_ROUND: usize = 20;
/// The belief is fitted anew before every so many rounds, and only re-scored in between.
const ROUNDS_PER_FIT: usize = 5;

/// Error against labels spent under one belief and rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// The belief that ranks and predicts.
    pub belief: BeliefName,
    /// The rule that buys.
    pub rule: Contender,
    /// Mean Manhattan error after each round, before the first at the front.
    pub error: Vec<Summary>,
    /// The error minus that of buying where labels are fewest under the same belief, with the same labels at the start.
    pub minus_fewest: Vec<Summary>,
    /// Bought labels per item with which this path reaches the error that fewest labels has under the same belief at
    /// 1 label per item; `None` if it does not within the rounds.
    pub labels_for_fewest_at_one: Option<f64>,
}

/// All paths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sequential {
    /// Replicates.
    pub replicates: usize,
    /// Bought labels per item at each point of the paths, up to 3.
    pub labels_per_item: Vec<f64>,
    /// The paths.
    pub paths: Vec<Path>,
    /// Bought labels per item that the published belief needs, buying fewest labels first, to reach the error that the
    /// recalibrated one has before buying any.
    pub published_labels_for_recalibrated_start: Option<f64>,
}

/// Belief and rule of each path: every rule under both beliefs.
fn strategies() -> Vec<(BeliefName, Contender)> {
    let beliefs = [BeliefName::Published, BeliefName::Recalibrated];
    beliefs.into_iter().flat_map(|belief| CONTENDERS.into_iter().map(move |rule| (belief, rule))).collect()
}

/// Buys labels under every strategy.
///
/// Each round gives one label to a fifth of the items, those that the rule ranks first; it is drawn from the item's
/// unrevealed pool and taken out of it. The belief is fitted to all labels in hand, revealed and bought, before every
/// fifth round. Streams: replicate r from seed 4,000,000 + r draws the labels and one seed-like word; each strategy
/// buys from a stream of that word, first the draws for ties and the random rule, then per round one uniform per label.
///
/// # Errors
/// A fit that is impossible.
pub fn run(
    deployment: &Deployment,
    recalibrated: &BeliefSpec,
    replicates: usize,
    progress: &dyn Progress,
) -> Result<Sequential, Error> {
    let strategies = strategies();
    let published = BeliefSpec::published();
    let jobs: Vec<(u64, usize)> =
        (0..replicates as u64).flat_map(|r| (0..strategies.len()).map(move |s| (SEED + r, s))).collect();
    let paths = replicate("buying in rounds", &jobs, progress, |&(seed, s)| {
        let (belief, rule) = strategies[s];
        let spec = if belief == BeliefName::Published { &published } else { recalibrated };
        let mut stream = Stream::new(seed);
        let labels = split_counts(deployment.pool.view(), &REVEALED, &mut stream);
        buy(deployment, spec, rule, labels, &mut stream)
    })?;

    let per_round = deployment.len() * PERCENT_PER_ROUND / 100;
    let labels_per_item: Vec<f64> =
        (0..=ROUNDS).map(|round| (round * per_round) as f64 / deployment.len() as f64).collect();
    let fewest = |belief: BeliefName| {
        let wanted = (belief, Contender::Rule(Rule::FewestLabels));
        strategies.iter().position(|s| *s == wanted).expect("fewest labels buys under every belief")
    };
    // The paths of a strategy, one per replicate.
    let of = |s: usize| paths.iter().skip(s).step_by(strategies.len());
    let after = |s: usize, round: usize| Summary::over(&of(s).collect::<Vec<_>>(), |path| path[round]);
    let minus = |s: usize, other: usize, round: usize| {
        Summary::over(&of(s).zip(of(other)).collect::<Vec<_>>(), |(path, other)| path[round] - other[round])
    };
    let curves: Vec<Vec<Summary>> =
        (0..strategies.len()).map(|s| (0..=ROUNDS).map(|round| after(s, round)).collect()).collect();
    let path = |(s, &(belief, rule)): (usize, &(BeliefName, Contender))| {
        let at_one = error_at(&curves[fewest(belief)], &labels_per_item, 1.0);
        Path {
            belief,
            rule,
            error: curves[s].clone(),
            minus_fewest: (0..=ROUNDS).map(|round| minus(s, fewest(belief), round)).collect(),
            labels_for_fewest_at_one: labels_for(&curves[s], &labels_per_item, at_one),
        }
    };
    let start = curves[fewest(BeliefName::Recalibrated)][0].mean;
    Ok(Sequential {
        replicates,
        published_labels_for_recalibrated_start: labels_for(
            &curves[fewest(BeliefName::Published)],
            &labels_per_item,
            start,
        ),
        paths: strategies.iter().enumerate().map(path).collect(),
        labels_per_item,
    })
}

/// Mean errors before the first round and after each.
fn buy(
    deployment: &Deployment,
    spec: &BeliefSpec,
    rule: Contender,
    mut labels: CountLabels,
    stream: &mut Stream,
) -> Result<Vec<f64>, Error> {
    let items = deployment.len();
    let luck = Luck::draw(stream, items);
    let per_round = items * PERCENT_PER_ROUND / 100;
    let mut believed = deployment.believe(spec, &labels, 0..items)?;
    let error = |beliefs: &judge_uncertainty_core::belief::Beliefs, labels: &CountLabels| {
        let errors: Vec<f64> = beliefs.iter().zip(labels.held.truth.rows()).map(|(b, p)| b.manhattan(row(p))).collect();
        mean(&errors)
    };
    let mut path = vec![error(&believed.beliefs, &labels)];
    for round in 0..ROUNDS {
        if round > 0 && round % ROUNDS_PER_FIT == 0 {
            believed = deployment.believe(spec, &labels, 0..items)?;
        }
        let gains = pool_values(&believed.beliefs, labels.held.unrevealed.view(), labels.held.truth.view());
        let ranking = scores(rule, deployment, &labels, &believed, &luck, &gains);
        for i in top(&ranking, &[], per_round) {
            let u = stream.random();
            let left: u32 = labels.held.unrevealed.row(i).sum();
            if left == 0 {
                continue;
            }
            let weights = labels.held.unrevealed.row(i);
            let class = label_of(u, weights.iter().map(|&c| f64::from(c) / f64::from(left)));
            labels.held.unrevealed[[i, class]] -= 1;
            labels.revealed[[i, class]] += 1;
            labels.numbers[i] += 1;
            believed.beliefs.add_label(i, class);
        }
        path.push(error(&believed.beliefs, &labels));
    }
    Ok(path)
}

/// Error of a path after `labels` bought labels per item, between points linearly.
fn error_at(curve: &[Summary], labels_per_item: &[f64], labels: f64) -> f64 {
    let after = labels_per_item.iter().position(|&x| x >= labels).unwrap_or(labels_per_item.len() - 1).max(1);
    let (x0, x1) = (labels_per_item[after - 1], labels_per_item[after]);
    let share = (labels - x0) / (x1 - x0);
    curve[after - 1].mean * (1.0 - share) + curve[after].mean * share
}

/// Bought labels per item at which a path first reaches an error, between points linearly.
fn labels_for(curve: &[Summary], labels_per_item: &[f64], error: f64) -> Option<f64> {
    let reached = curve.iter().position(|s| s.mean <= error)?;
    if reached == 0 {
        return Some(0.0);
    }
    let (before, after) = (curve[reached - 1].mean, curve[reached].mean);
    let (x0, x1) = (labels_per_item[reached - 1], labels_per_item[reached]);
    Some(x0 + (before - error) / (before - after) * (x1 - x0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_interpolated() {
        let at = |mean: f64| Summary { mean, se: 0.0, lo: mean, hi: mean };
        let (curve, x) = ([at(0.4), at(0.3), at(0.25)], [0.0, 0.5, 1.5]);
        let close = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-12;
        assert!(close(labels_for(&curve, &x, 0.35), 0.25) && close(labels_for(&curve, &x, 0.275), 1.0));
        assert_eq!((labels_for(&curve, &x, 0.5), labels_for(&curve, &x, 0.1)), (Some(0.0), None));
        assert!(close(Some(error_at(&curve, &x, 1.0)), 0.275) && close(Some(error_at(&curve, &x, 0.5)), 0.3));
    }
}
