//! One comparison of beliefs and rules: re-draws of labels on the items at hand, and on samples of them.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::contest::{Contender, Contest};
use super::corpus::{BeliefSpec, Corpus, Deployment};
use crate::Error;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_data::progress::Progress;
use judge_uncertainty_evaluation::Luck;
use judge_uncertainty_evaluation::counts::split_counts;
use judge_uncertainty_evaluation::protocol::REVEALED;
use judge_uncertainty_evaluation::replicate;

/// Seed of the stream of the first item sample; label re-draw r of the items at hand has seed r.
pub const SAMPLE_SEED: u64 = 3_000_000;

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
}

/// Contests by belief, under the same labels.
pub type Contests = BTreeMap<BeliefName, Contest>;

/// A belief with the items that it is fitted to.
pub type Fitted = (BeliefName, BeliefSpec, Range<usize>);

/// Numbers of re-draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draws {
    /// Label re-draws of the items at hand.
    pub redraws: usize,
    /// Bootstrap samples of items.
    pub samples: usize,
    /// Label re-draws per sample.
    pub per_sample: usize,
}

/// A deployment with what competes in it.
pub struct Stage<'a> {
    /// The items at hand.
    pub deployment: Deployment<'a>,
    /// Where they come from.
    pub corpus: &'a Corpus<'a>,
    /// The beliefs.
    pub beliefs: Vec<Fitted>,
    /// The rules.
    pub contenders: Vec<Contender>,
    /// The items that are escalated and evaluated; the others only teach.
    pub over: Range<usize>,
}

/// What a stage's re-draws gave.
pub struct StageRun {
    /// One per re-draw of the items at hand.
    pub on_items: Vec<Contests>,
    /// For each item sample, one per re-draw.
    pub on_samples: Vec<Vec<Contests>>,
}

impl Stage<'_> {
    /// Holds all contests.
    ///
    /// Streams: re-draw r of the items at hand from seed r; sample b from seed 3,000,000 + b, first the items (those that
    /// only teach, then those evaluated), then its re-draws one after the other. A re-draw takes the labels, then the draws
    /// for ties and for the random rule.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn run(&self, name: &str, draws: Draws, progress: &dyn Progress) -> Result<StageRun, Error> {
        let seeds: Vec<u64> = (0..draws.redraws as u64).collect();
        let on_items = replicate(name, &seeds, progress, |&seed| self.hold(&self.deployment, &mut Stream::new(seed)))?;
        let samples: Vec<u64> = (0..draws.samples as u64).map(|b| SAMPLE_SEED + b).collect();
        let on_samples = replicate(name, &samples, progress, |&seed| {
            let mut stream = Stream::new(seed);
            let mut items = self.deployment.resample(0..self.over.start, &mut stream);
            items.extend(self.deployment.resample(self.over.clone(), &mut stream));
            let sampled = self.corpus.deploy(items);
            (0..draws.per_sample).map(|_| self.hold(&sampled, &mut stream)).collect::<Result<Vec<_>, Error>>()
        })?;
        Ok(StageRun { on_items, on_samples })
    }

    fn hold(&self, deployment: &Deployment, stream: &mut Stream) -> Result<Contests, Error> {
        let labels = split_counts(deployment.pool.view(), &REVEALED, stream);
        let luck = Luck::draw(stream, deployment.len());
        let contest = |(name, spec, fitted): &Fitted| {
            let believed = deployment.believe(spec, &labels, fitted.clone())?;
            Ok((*name, Contest::hold(deployment, &labels, &believed, &luck, &self.contenders, self.over.clone())))
        };
        self.beliefs.iter().map(contest).collect()
    }
}

impl StageRun {
    /// Values of the same quantities in every contest: re-draws x quantities, and samples x re-draws x quantities.
    pub fn quantities(&self, of: impl Fn(&Contests) -> Vec<f64>) -> (Vec<Vec<f64>>, Vec<Vec<Vec<f64>>>) {
        let on_items = self.on_items.iter().map(&of).collect();
        let on_samples = self.on_samples.iter().map(|sample| sample.iter().map(&of).collect()).collect();
        (on_items, on_samples)
    }

    /// Fits that did not converge.
    pub fn unconverged(&self) -> usize {
        let all = self.on_items.iter().chain(self.on_samples.iter().flatten());
        all.flat_map(|contests| contests.values()).filter(|contest| !contest.converged).count()
    }
}
