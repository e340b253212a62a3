//! One comparison of beliefs and rules: re-draws of labels, and what each item adds to what is compared.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::contest::{Contest, ErrorsByLabels, ItemContest};
use super::corpus::{BeliefSpec, Deployment};
use crate::experiments::Error;
use crate::rules::Contender;
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_core::stats::new_items::{Contribution, Contributions, Gathered};
use judge_uncertainty_evaluation::Luck;
use judge_uncertainty_evaluation::counts::split_counts;
use judge_uncertainty_evaluation::protocol::REVEALED;
use judge_uncertainty_system::progress::Progress;

/// The beliefs that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BeliefName {
    /// The paper's.
    Published,
    /// The recalibrated one, as developed.
    Recalibrated,
    /// The recalibrated one as it was planned before the development: one recalibration, many trust features.
    Planned,
    /// The one whose map the labels choose.
    Chosen,
}

/// Contests by belief with what they rest on, item by item.
pub type ItemContests = BTreeMap<BeliefName, ItemContest>;

/// Jobs that the re-draws of a stage are done in, each of which sums what items add.
const JOBS: usize = 20;

/// A deployment with what competes in it.
pub struct ContestStage<'a> {
    /// The items at hand.
    pub deployment: Deployment<'a>,
    /// The beliefs, each with the items that it is fitted to.
    pub beliefs: Vec<(BeliefName, BeliefSpec, Range<usize>)>,
    /// The rules.
    pub contenders: Vec<Contender>,
    /// The items that are escalated and evaluated; the others only teach.
    pub over: Range<usize>,
}

/// What a stage's re-draws gave.
pub struct StageRun {
    /// One per re-draw.
    pub contests: Vec<BTreeMap<BeliefName, Contest>>,
    /// What items contribute to each quantity.
    pub contributions: Vec<Contributions>,
}

impl ContestStage<'_> {
    /// Holds all contests, and sums what items add to quantities: `parts` gives what each adds in one re-draw, a list
    /// per quantity, the items counted within [`Self::over`].
    ///
    /// Streams: re-draw r from seed r; it takes the labels, then the draws for ties and for the random rule.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn run(
        &self,
        name: &str,
        redraws: usize,
        parts: &(dyn Fn(&ItemContests) -> Vec<Vec<Contribution>> + Sync),
        progress: &dyn Progress,
    ) -> Result<StageRun, Error> {
        progress.start(name, redraws as u64);
        let seeds: Vec<u64> = (0..redraws as u64).collect();
        let job = |seeds: &[u64]| {
            let mut contests: Vec<BTreeMap<BeliefName, Contest>> = vec![];
            let mut gathered: Vec<Gathered> = vec![];
            for &seed in seeds {
                let held = self.hold(&mut Stream::new(seed))?;
                let parts = parts(&held);
                gathered.resize(parts.len(), Gathered::over(self.over.len()));
                gathered.iter_mut().zip(parts).for_each(|(gathered, parts)| gathered.add(parts));
                contests.push(held.into_iter().map(|(name, held)| (name, held.contest)).collect());
                progress.advance(1);
            }
            Ok::<_, Error>((contests, gathered))
        };
        // Jobs depend on the number of re-draws alone, so sums are the same for any number of threads.
        let done: Vec<_> = seeds.par_chunks(redraws.div_ceil(JOBS).max(1)).map(job).collect();
        progress.finish();
        let (mut contests, mut all): (Vec<BTreeMap<BeliefName, Contest>>, Vec<Gathered>) = (vec![], vec![]);
        for job in done {
            let (own, gathered) = job?;
            contests.extend(own);
            match all.is_empty() {
                true => all = gathered,
                false => all.iter_mut().zip(gathered).for_each(|(all, gathered)| all.append(gathered)),
            }
        }
        Ok(StageRun { contests, contributions: all.into_iter().filter_map(Gathered::contributions).collect() })
    }

    fn hold(&self, stream: &mut Stream) -> Result<ItemContests, Error> {
        let deployment = &self.deployment;
        let labels = split_counts(deployment.pool.view(), &REVEALED, stream);
        let luck = Luck::draw(stream, deployment.len());
        let contest = |(name, spec, fitted): &(BeliefName, BeliefSpec, Range<usize>)| {
            let believed = deployment.believe(spec, &labels, fitted.clone())?;
            Ok((*name, Contest::hold(deployment, &labels, &believed, &luck, &self.contenders, self.over.clone())))
        };
        self.beliefs.iter().map(contest).collect()
    }
}

impl StageRun {
    /// Fits that did not converge.
    pub fn unconverged(&self) -> usize {
        let all = self.contests.iter().flat_map(BTreeMap::values);
        all.filter(|contest| !contest.converged).count()
    }

    /// The contests of a belief, one per re-draw.
    pub fn of(&self, belief: BeliefName) -> Vec<&Contest> {
        self.contests.iter().map(|contests| &contests[&belief]).collect()
    }

    /// Errors of each belief over the re-draws.
    pub fn errors(&self) -> BTreeMap<BeliefName, ErrorsByLabels<Summary>> {
        self.contests[0].keys().map(|&belief| (belief, ErrorsByLabels::over(&self.of(belief)))).collect()
    }
}

/// What items add to the value of a contender minus that of another, under one belief.
pub fn advantage(held: &ItemContest, rule: Contender, over: Contender, budget: Budget) -> Vec<Contribution> {
    let mut shares = vec![0.0; held.gains.len()];
    held.top(rule, budget).iter().for_each(|&i| shares[i] += 1.0);
    held.top(over, budget).iter().for_each(|&i| shares[i] -= 1.0);
    let differing = shares.into_iter().enumerate().filter(|(_, share)| *share != 0.0);
    differing.map(|(item, share)| Contribution { item, share, worth: held.gains[item] }).collect()
}

/// What items add to the mean error of a belief minus that of another, over all items or over those without labels.
pub fn error_change(belief: &ItemContest, than: &ItemContest, unlabelled_only: bool) -> Vec<Contribution> {
    let counted = |&i: &usize| !(unlabelled_only && belief.labelled[i]);
    let items: Vec<usize> = (0..belief.errors.len()).filter(counted).collect();
    let share = 1.0 / items.len() as f64;
    items.into_iter().map(|item| Contribution { item, share, worth: belief.errors[item] - than.errors[item] }).collect()
}
