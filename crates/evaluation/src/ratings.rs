//! Ratings as decompositions and half splits see them.
//!
//! An annotator counts as one label, the mean of their ratings of the item, and all of these are in one half. The error
//! is the absolute difference of the belief's mean from the mean of the held-out half, in units of the score; the
//! squared difference is reported next to it.

use judge_uncertainty_core::belief::{
    Belief, BeliefModel, Design, FitError, Gaussian, GaussianFit, ItemBeliefs, JudgeScores, JudgedRatings, RatingStart,
    Ratings, ReadScores, Repeats, TrustPrior, TrustProfile, choose_rating_map, fit_rating_map, fit_ratings,
    typical_log_trust_of_ratings,
};
use judge_uncertainty_core::escalation::{Rule, RuleInputs};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::label_scores::StudentLabel;
use judge_uncertainty_core::stats::{mean, sample_sd};

use super::counts::most_revealed;
use super::escalation::{BeliefErrors, ErrorReduction, PitHistogram};
use super::held_out::{COVERED, Forecast, Foreseen, JudgedItem, LEVELS, Score, Scored};
use super::pool::{Fit, Fitted, Held, HeldOutHalf, HeldRatings, InHand, LabelGains, Pool, RuleDraws, Split};

/// Items with annotators' ratings and the judge's scores.
#[derive(Debug, Clone)]
pub struct RatingPool {
    /// Items x annotators x ratings.
    ratings: Vec<Vec<Vec<f64>>>,
    judge: JudgeScores,
    /// Which belief is fitted; at first the paper's.
    pub model: BeliefModel,
    /// The prior on the trust; at first without one. Recalibrations always have the weak one.
    pub prior: TrustPrior,
    /// The group of each item, counted from 0, for beliefs that are fitted by group; empty without groups.
    pub groups: Vec<usize>,
    /// The cluster of each item, which a choice of the recalibration keeps together; empty if every item is a cluster of
    /// its own.
    pub clusters: Vec<usize>,
    /// The variance of repeats where it is that of other items, among which there may have been none.
    pub repeats: Option<Option<Repeats>>,
    /// The fit of another study from which fits start, and the number there of each group here.
    pub start: Option<(GaussianFit, Vec<Option<usize>>)>,
}

impl RatingPool {
    /// Items whose ratings are grouped by annotator (items x annotators x ratings), no annotator without a rating.
    ///
    /// # Panics
    /// If the sizes of ratings and judge differ.
    pub fn new(ratings: Vec<Vec<Vec<f64>>>, judge: JudgeScores) -> Self {
        assert_eq!(ratings.len(), judge.mean.len(), "a judge's score per item");
        Self {
            ratings,
            judge,
            model: BeliefModel::Published,
            prior: TrustPrior::None,
            groups: vec![],
            clusters: vec![],
            repeats: None,
            start: None,
        }
    }

    /// The ratings of every item by annotator.
    pub fn ratings(&self) -> &[Vec<Vec<f64>>] {
        &self.ratings
    }

    /// What the judge says of every item.
    pub fn judge(&self) -> &JudgeScores {
        &self.judge
    }

    /// Variance of repeated ratings; `None` if no annotator rated an item twice, so that noise within annotators and
    /// disagreement between them cannot be separated.
    pub fn repeats(&self) -> Option<Repeats> {
        self.repeats.unwrap_or_else(|| Repeats::pooled(self.ratings.iter().flatten().map(Vec::as_slice)))
    }

    /// The beliefs about all items before their labels; the `evidence` of each is its trust.
    pub fn priors(&self, fit: &GaussianFit, design: &Design) -> Vec<Gaussian> {
        fit.priors_of(&self.judged(design))
    }

    /// What the judge says of the items as a fit reads it.
    pub fn read(&self, fit: &GaussianFit) -> ReadScores {
        fit.read(&self.judge, &self.groups)
    }

    fn judged<'a>(&'a self, design: &'a Design) -> JudgedRatings<'a> {
        let start = self.start.as_ref().map(|(fit, groups)| RatingStart { fit, groups });
        JudgedRatings { design, judge: &self.judge, groups: &self.groups, start }
    }

    fn prior(&self) -> TrustPrior {
        match self.model {
            BeliefModel::Map(_) | BeliefModel::Auto => TrustPrior::Weak,
            BeliefModel::Published => self.prior,
        }
    }

    /// The annotators of an item in random order, with the number of them in the first half.
    ///
    /// Stream: one draw for each annotator of the first half, of its place among the places left.
    fn shuffled(&self, item: usize, stream: &mut Stream) -> (usize, Vec<&[f64]>) {
        let mut annotators: Vec<&[f64]> = self.ratings[item].iter().map(Vec::as_slice).collect();
        let half = annotators.len() / 2;
        for k in 0..half {
            let other = k + stream.choice((annotators.len() - k) as u32) as usize;
            annotators.swap(k, other);
        }
        (half, annotators)
    }
}

impl Pool for RatingPool {
    fn len(&self) -> usize {
        self.ratings.len()
    }

    fn without(&self, hidden: &[bool]) -> InHand {
        let within = self.repeats().map(|repeats| repeats.variance);
        let of = |(item, annotators): (usize, &Vec<Vec<f64>>)| match hidden.get(item) {
            Some(true) => Ratings::default(),
            _ => Ratings::by_annotator(annotators.iter().map(Vec::as_slice), within),
        };
        InHand::Ratings(self.ratings.iter().enumerate().map(of).collect())
    }

    /// Stream: item by item the split, then how many of its labels are revealed.
    fn draw(&self, reveal: &[u32], stream: &mut Stream) -> Split {
        let (mut known, mut unrevealed, mut truth) = (vec![], vec![], vec![]);
        for item in 0..self.ratings.len() {
            let (half, annotators) = self.shuffled(item, stream);
            let asked = reveal[stream.choice(reveal.len() as u32) as usize] as usize;
            let (first, second) = annotators.split_at(half);
            let (revealed, rest) = first.split_at(asked.min(most_revealed(half as u32) as usize));
            known.push(revealed.to_vec());
            unrevealed.push(rest.iter().map(|ratings| mean(ratings)).collect());
            truth.push(HeldOutHalf::new(second));
        }
        // The noise of repeats is taken from the revealed ones alone: the truth must not enter the belief.
        let within = Repeats::pooled(known.iter().flatten().copied()).map(|repeats| repeats.variance);
        Split {
            numbers: known.iter().map(|annotators| annotators.len() as u32).collect(),
            revealed: InHand::Ratings(
                known.iter().map(|annotators| Ratings::by_annotator(annotators.iter().copied(), within)).collect(),
            ),
            held: Held::Ratings(HeldRatings { unrevealed, truth }),
        }
    }

    fn extrapolates(&self) -> bool {
        self.prior() == TrustPrior::None
    }

    fn fit(&self, design: &Design, labels: &InHand) -> Result<Fit, FitError> {
        let (items, labels) = (self.judged(design), labels.of_ratings());
        Ok(Fit::Ratings(match self.model {
            BeliefModel::Map(map) => fit_rating_map(map, &items, labels)?
                .map_err(|why| FitError::Map { map: map.key(), why: why.to_string() })?,
            BeliefModel::Auto => choose_rating_map(&items, labels, &self.clusters)?,
            BeliefModel::Published => fit_ratings(&items, labels, self.prior())?,
        }))
    }

    fn typical_log_trust(&self, fit: &Fit, design: &Design, labels: &InHand) -> Result<Option<TrustProfile>, FitError> {
        let judged = self.judged(design);
        typical_log_trust_of_ratings(&judged, labels.of_ratings(), self.prior(), fit.of_ratings())
    }

    fn log_trust(&self, fit: &Fit, design: &Design) -> Vec<f64> {
        self.priors(fit.of_ratings(), design).iter().map(|prior| prior.evidence.ln()).collect()
    }

    fn beliefs_and_trust(&self, fit: &Fit, design: &Design, labels: &InHand) -> (ItemBeliefs, Vec<f64>) {
        let priors = self.priors(fit.of_ratings(), design);
        let beliefs = priors.iter().zip(labels.of_ratings()).map(|(prior, labels)| prior.updated(labels)).collect();
        (ItemBeliefs::Ratings(beliefs), priors.iter().map(|prior| prior.evidence).collect())
    }

    /// Ties are left to the tie break.
    fn priority(&self, rule: Rule, fitted: &Fitted, numbers: &[u32], draws: &RuleDraws) -> Option<Vec<f64>> {
        // The judge's own word where it gives one, whatever the belief makes of it.
        let variance = || {
            let read = self.read(fitted.fit.of_ratings()).variance;
            self.judge.variance.iter().zip(read).map(|(stated, read)| stated.unwrap_or(read)).collect()
        };
        rule.priority(&RuleInputs {
            judged: Some(&variance),
            labels: Some(numbers),
            random: Some(&draws.random),
            ..RuleInputs::new(&fitted.beliefs)
        })
    }

    fn errors(&self, beliefs: &ItemBeliefs, held: &Held) -> Vec<BeliefErrors> {
        beliefs
            .of_ratings()
            .iter()
            .zip(&held.of_ratings().truth)
            .map(|(belief, truth)| errors(belief.mean, truth))
            .collect()
    }

    fn gains(&self, beliefs: &ItemBeliefs, _: &[BeliefErrors], held: &Held) -> LabelGains {
        let held = held.of_ratings();
        let mut gains = LabelGains::default();
        for ((belief, pool), truth) in beliefs.of_ratings().iter().zip(&held.unrevealed).zip(&held.truth) {
            let n = pool.len() as f64;
            let mut expected = ErrorReduction { error: 0.0, squared: Some(0.0) };
            gains.push(pool.iter().zip(1..).map(|(&label, k)| {
                let gain = gain(belief, label, truth);
                let ErrorReduction { error, squared } = gain;
                expected.add(ErrorReduction { error: error / n, squared: squared.map(|squared| squared / n) });
                (f64::from(k) / n, gain)
            }));
            gains.expected.push(expected);
        }
        gains
    }

    fn held_out(&self, beliefs: &ItemBeliefs, held: &Held) -> Option<PitHistogram> {
        let of = |(belief, half): (&Gaussian, &HeldOutHalf)| -> Vec<f64> {
            half.ratings.iter().map(|&y| belief.label_cdf(y)).collect()
        };
        Some(PitHistogram::new(beliefs.of_ratings().iter().zip(&held.of_ratings().truth).flat_map(of)))
    }
}

/// Absolute error of a mean, and its squared error less the sampling noise of the truth.
fn errors(of: f64, truth: &HeldOutHalf) -> BeliefErrors {
    let off = of - truth.mean;
    BeliefErrors { error: off.abs(), squared: off * off - truth.noise }
}

/// Fall of both errors by one label.
fn gain(belief: &Gaussian, label: f64, truth: &HeldOutHalf) -> ErrorReduction {
    let (before, after) = (errors(belief.mean, truth), errors(belief.updated(&Ratings::new(&[label])).mean, truth));
    ErrorReduction { error: before.error - after.error, squared: Some(before.squared - after.squared) }
}

/// Scores of a label, in the order of [`Scored::scores`].
fn scores_of(label: &StudentLabel, y: f64) -> [f64; 4] {
    let covered = f64::from(u8::from(label.covers(y, COVERED)));
    [label.log_score(y), label.crps(y), (y - label.centre).powi(2), covered]
}

/// What a belief says of a fresh label.
fn fresh(belief: &Gaussian) -> StudentLabel {
    let scale = (belief.scale * (1.0 + 1.0 / belief.evidence)).sqrt();
    StudentLabel { centre: belief.mean, scale, freedom: belief.freedom }
}

fn averaged(scores: &[[f64; 4]]) -> Option<Vec<Option<f64>>> {
    let of = |k: usize| Some(mean(&scores.iter().map(|score| score[k]).collect::<Vec<_>>()));
    (!scores.is_empty()).then(|| (0..4).map(of).collect())
}

impl RatingPool {
    /// One label for each annotator of an item.
    fn labels(&self, item: usize) -> Vec<f64> {
        self.ratings[item].iter().map(|ratings| mean(ratings)).collect()
    }
}

impl Scored for RatingPool {
    fn scores(&self) -> &'static [Score] {
        &[Score::Log, Score::Crps, Score::Squared, Score::Coverage]
    }

    /// Intervals are about the mean of the labels.
    fn forecast(&self, priors: &ItemBeliefs, item: usize) -> Forecast {
        let (labels, annotators, prior) = (self.labels(item), &self.ratings[item], priors.of_ratings()[item]);
        let within = self.repeats().map(|repeats| repeats.variance);
        let without = |k: usize| {
            let others = annotators.iter().enumerate().filter(|(other, _)| *other != k);
            prior.updated(&Ratings::by_annotator(others.map(|(_, ratings)| ratings.as_slice()), within))
        };
        let by_others: Vec<Gaussian> = if labels.len() < 2 { vec![] } else { (0..labels.len()).map(without).collect() };
        let foreseen = |belief: &Gaussian| {
            let (error, disagreement) = (belief.spread(), belief.aleatoric());
            (1.0, Foreseen { error, disagreement, evidence: belief.evidence })
        };
        let scored = |(belief, y): (&Gaussian, &f64)| scores_of(&fresh(belief), *y);
        let of_mean = |level: f64| {
            let scale = (prior.scale * (1.0 / labels.len() as f64 + 1.0 / prior.evidence)).sqrt();
            let label = StudentLabel { centre: prior.mean, scale, freedom: prior.freedom };
            (!labels.is_empty()).then(|| f64::from(u8::from(label.covers(mean(&labels), level))))
        };
        Forecast {
            scores: [
                averaged(&labels.iter().map(|y| scored((&prior, y))).collect::<Vec<_>>()),
                averaged(&by_others.iter().zip(&labels).map(scored).collect::<Vec<_>>()),
            ],
            foreseen: [
                Foreseen::mean(&[foreseen(&prior)]),
                Foreseen::mean(&by_others.iter().map(foreseen).collect::<Vec<_>>()),
            ],
            within: LEVELS.map(of_mean),
        }
    }

    fn believed(&self, priors: &ItemBeliefs, item: usize) -> Vec<f64> {
        vec![priors.of_ratings()[item].mean]
    }

    /// The judge is taken at its word: a normal with its mean and standard deviation; without the latter only the
    /// squared error.
    fn judged_item(&self, item: usize) -> Option<JudgedItem> {
        let (labels, at, variance) = (self.labels(item), self.judge.mean[item], self.judge.variance[item]);
        let scale = variance.map_or(1.0, f64::sqrt);
        let label = StudentLabel { centre: at, scale, freedom: StudentLabel::NORMAL };
        let mut scores = averaged(&labels.iter().map(|&y| scores_of(&label, y)).collect::<Vec<_>>())?;
        if variance.is_none() {
            [0, 1, 3].into_iter().for_each(|k| scores[k] = None);
        }
        Some(JudgedItem {
            predicted: vec![at],
            observed: vec![mean(&labels)],
            scores,
            disagreement: (labels.len() > 1).then(|| sample_sd(&labels).powi(2)),
        })
    }

    /// A normal with mean and standard deviation of the items' labels.
    fn base_rate_scores(&self, hidden: &[bool]) -> Box<dyn Fn(usize) -> Option<Vec<Option<f64>>> + Send + '_> {
        let seen = (0..self.len()).filter(|&i| !hidden[i]);
        let labels: Vec<f64> = seen.flat_map(|i| self.labels(i)).collect();
        let sd = if labels.len() > 1 { sample_sd(&labels) } else { 0.0 };
        let label = StudentLabel { centre: mean(&labels), scale: sd, freedom: StudentLabel::NORMAL };
        Box::new(move |item| {
            let mut scores = averaged(&self.labels(item).iter().map(|&y| scores_of(&label, y)).collect::<Vec<_>>())?;
            if sd == 0.0 {
                [0, 1, 3].into_iter().for_each(|k| scores[k] = None);
            }
            Some(scores)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_by_hand() {
        let judge = JudgeScores { mean: vec![3.0, 3.0], variance: vec![Some(4.0), None] };
        let pool = RatingPool::new(vec![vec![vec![4.0], vec![2.0, 4.0], vec![5.0]], vec![vec![1.0]]], judge);
        // Labels 4, 3 and 5; squared errors 1, 0 and 4, disagreement 1.
        let JudgedItem { scores, disagreement, .. } = pool.judged_item(0).unwrap();
        assert!((scores[2].unwrap() - 5.0 / 3.0).abs() < 1e-15);
        assert_eq!((scores[3], disagreement), (Some(1.0), Some(1.0)));
        assert_eq!(pool.judged_item(1).unwrap().scores, [None, None, Some(4.0), None]);
        let prior = Gaussian { mean: 3.0, evidence: 2.0, freedom: 6.0, scale: 0.5 };
        let priors = ItemBeliefs::Ratings(vec![prior; 2]);
        let [_, others] = pool.forecast(&priors, 0).scores;
        let others = others.unwrap()[2].unwrap();
        // Means after two of the labels: (6 + 8)/4, (6 + 9)/4 and (6 + 7)/4.
        let by_hand = [(4.0, 3.5), (3.0, 3.75), (5.0, 3.25)].map(|(y, m): (f64, f64)| (y - m).powi(2));
        assert!((others - by_hand.iter().sum::<f64>() / 3.0).abs() < 1e-12);
        assert_eq!(pool.forecast(&priors, 1).scores[1], None);
    }
}
