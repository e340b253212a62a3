//! Ratings as decompositions and half splits see them.
//!
//! An annotator is one label, the mean of their ratings of the item, and stays with all of them in one half. The error
//! is the absolute difference of the belief's mean from the mean of the held-out half, in units of the score; the
//! squared one stands beside it.

use judge_uncertainty_core::belief::{
    BeliefModel, Design, Gaussian, GaussianFit, JudgeScores, JudgedRatings, RatingStart, Ratings, ReadScores,
    Regression, Repeats, TrustError, TrustPrior, TrustProfile, choose_rating_map, fit_rating_map, fit_ratings,
    typical_log_trust_of_ratings,
};
use judge_uncertainty_core::escalation::{Rule, RuleInputs};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_evaluation::counts::most_revealed;
use judge_uncertainty_evaluation::{
    BeliefErrors, Error, ErrorReduction, LabelGains, NoiseCeiling, PitHistogram, Pool, Ranking, Split,
};

/// Items with annotators' ratings and the judge's scores.
#[derive(Debug, Clone)]
pub struct RatingPool {
    /// Items x annotators x ratings.
    ratings: Vec<Vec<Vec<f64>>>,
    judge: JudgeScores,
    /// The group of each item; empty where the belief needs none.
    groups: Vec<usize>,
    /// Items with the same number are one thing; empty where every item stands for itself.
    twins: Vec<usize>,
    model: BeliefModel,
    prior: TrustPrior,
    /// The variance of repeats where it is that of other items, among which there may have been none.
    repeats: Option<Option<Repeats>>,
    /// The fit of another study from which fits start, and the number there of each group here.
    start: Option<(GaussianFit, Vec<Option<usize>>)>,
}

/// Ratings that a half split keeps from fitting, per item.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldRatings {
    /// The labels of the first half that are not revealed, from which labels are bought.
    pub unrevealed: Vec<Vec<f64>>,
    /// The second half.
    pub truth: Vec<HeldOutHalf>,
}

/// The second half of an item's annotators.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutHalf {
    /// Mean of their labels: the truth of the evaluation.
    pub mean: f64,
    /// Its expected squared distance from the pool's mean, s^2/n.
    pub noise: f64,
    /// The first rating of each.
    pub ratings: Vec<f64>,
}

impl HeldOutHalf {
    /// Of the ratings of each annotator.
    fn new(annotators: &[&[f64]]) -> Self {
        let labels: Vec<f64> = annotators.iter().map(|ratings| mean(ratings)).collect();
        Self {
            mean: mean(&labels),
            noise: sample_sd(&labels).powi(2) / labels.len() as f64,
            ratings: annotators.iter().map(|ratings| ratings[0]).collect(),
        }
    }
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
            groups: vec![],
            twins: vec![],
            model: BeliefModel::Published,
            prior: TrustPrior::None,
            repeats: None,
            start: None,
        }
    }

    /// These items under another belief; `groups` is the group of each, counted from 0, for beliefs that are fitted by
    /// group, and empty otherwise.
    pub fn with_belief(self, model: BeliefModel, groups: Vec<usize>) -> Self {
        Self { model, groups, ..self }
    }

    /// These items with the number by which those about one thing are known, so that a choice of the map keeps them
    /// together.
    pub fn with_twins(self, twins: Vec<usize>) -> Self {
        Self { twins, ..self }
    }

    /// These items with fits that start from that of another study, and the number there of each group here.
    pub fn with_start(self, start: Option<(GaussianFit, Vec<Option<usize>>)>) -> Self {
        Self { start, ..self }
    }

    /// These items with a prior on the trust; without this call there is none.
    pub fn with_prior(self, prior: TrustPrior) -> Self {
        Self { prior, ..self }
    }

    /// These items with the variance of repeats that other items have.
    pub fn with_repeats(self, repeats: Option<Repeats>) -> Self {
        Self { repeats: Some(repeats), ..self }
    }

    /// The ratings of every item by annotator.
    pub fn ratings(&self) -> &[Vec<Vec<f64>>] {
        &self.ratings
    }

    /// What the judge says of every item.
    pub(super) fn judge(&self) -> &JudgeScores {
        &self.judge
    }

    /// Variance of repeated ratings; `None` if nobody rated an item twice, and then noise within annotators and
    /// disagreement between them are not told apart.
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

    /// Maps always have the weak prior.
    fn prior(&self) -> TrustPrior {
        match self.model {
            BeliefModel::Map(_) | BeliefModel::Auto => TrustPrior::Weak,
            BeliefModel::Published => self.prior,
        }
    }

    /// The annotators of an item in random order: the first `half`, of which there are so many, are the first half.
    ///
    /// Stream: one draw for each annotator of the first half, of its place among those that are left.
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
    type Labels = Vec<Ratings>;
    type Held = HeldRatings;
    type Fit = GaussianFit;
    type Beliefs = Vec<Gaussian>;

    fn len(&self) -> usize {
        self.ratings.len()
    }

    fn without(&self, hidden: &[bool]) -> Vec<Ratings> {
        let within = self.repeats().map(|repeats| repeats.variance);
        let of = |(item, annotators): (usize, &Vec<Vec<f64>>)| match hidden.get(item) {
            Some(true) => Ratings::default(),
            _ => Ratings::by_annotator(annotators.iter().map(Vec::as_slice), within),
        };
        self.ratings.iter().enumerate().map(of).collect()
    }

    fn numbers(labels: &Vec<Ratings>) -> Vec<u32> {
        labels.iter().map(|labels| labels.n).collect()
    }

    /// Stream: item by item the split, then how many of its labels are revealed.
    fn draw(&self, reveal: &[u32], stream: &mut Stream) -> Split<Self> {
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
            revealed: known
                .iter()
                .map(|annotators| Ratings::by_annotator(annotators.iter().copied(), within))
                .collect(),
            held: HeldRatings { unrevealed, truth },
        }
    }

    fn whole(&self) -> HeldRatings {
        let all = |item: &Vec<Vec<f64>>| HeldOutHalf::new(&item.iter().map(Vec::as_slice).collect::<Vec<_>>());
        HeldRatings { unrevealed: vec![vec![]; self.len()], truth: self.ratings.iter().map(all).collect() }
    }

    fn extrapolates(&self) -> bool {
        self.prior() == TrustPrior::None
    }

    fn fit(&self, design: &Design, labels: &Vec<Ratings>) -> Result<GaussianFit, Error> {
        let items = self.judged(design);
        Ok(match self.model {
            BeliefModel::Map(map) => fit_rating_map(map, &items, labels)?
                .map_err(|why| TrustError::Map { map: map.key(), why: why.to_string() })?,
            BeliefModel::Auto => choose_rating_map(&items, labels, &self.twins)?,
            BeliefModel::Published => fit_ratings(&items, labels, self.prior())?,
        })
    }

    fn typical_log_trust(
        &self,
        fit: &GaussianFit,
        design: &Design,
        labels: &Vec<Ratings>,
    ) -> Result<Option<TrustProfile>, Error> {
        Ok(typical_log_trust_of_ratings(&self.judged(design), labels, self.prior(), fit)?)
    }

    fn regression(fit: &GaussianFit) -> &Regression {
        &fit.regression
    }

    fn beliefs(&self, fit: &GaussianFit, design: &Design, labels: &Vec<Ratings>) -> Vec<Gaussian> {
        self.priors(fit, design).iter().zip(labels).map(|(prior, labels)| prior.updated(labels)).collect()
    }

    /// Ties are left to the tie break.
    fn priority(&self, rule: Rule, ranking: &Ranking<Self>) -> Option<Vec<f64>> {
        // The judge's own word where it gives one, whatever the belief makes of it.
        let variance = || {
            let read = self.read(ranking.fit).variance;
            self.judge.variance.iter().zip(read).map(|(stated, read)| stated.unwrap_or(read)).collect()
        };
        rule.priority(&RuleInputs {
            judged: Some(&variance),
            labels: Some(ranking.numbers),
            random: Some(&ranking.luck.random),
            ..RuleInputs::new(ranking.beliefs)
        })
    }

    fn errors(&self, beliefs: &Vec<Gaussian>, held: &HeldRatings) -> Vec<BeliefErrors> {
        beliefs.iter().zip(&held.truth).map(|(belief, truth)| errors(belief.mean, truth)).collect()
    }

    fn gains(&self, beliefs: &Vec<Gaussian>, _: &[BeliefErrors], held: &HeldRatings) -> LabelGains {
        let mut gains = LabelGains::default();
        for ((belief, pool), truth) in beliefs.iter().zip(&held.unrevealed).zip(&held.truth) {
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

    fn halves_apart(&self, stream: &mut Stream) -> NoiseCeiling {
        let mut sum = NoiseCeiling::default();
        for item in 0..self.ratings.len() {
            let (half, annotators) = self.shuffled(item, stream);
            let labels: Vec<f64> = annotators.iter().map(|ratings| mean(ratings)).collect();
            let apart = (mean(&labels[..half]) - mean(&labels[half..])).abs();
            let (first, second) = (half as f64, (labels.len() - half) as f64);
            sum.halves += apart;
            sum.all_labels += apart * (first * second).sqrt() / (first + second);
        }
        sum.over(self.ratings.len())
    }

    fn held_out(&self, beliefs: &Vec<Gaussian>, held: &HeldRatings) -> Option<PitHistogram> {
        let of = |(belief, half): (&Gaussian, &HeldOutHalf)| -> Vec<f64> {
            half.ratings.iter().map(|&y| belief.label_cdf(y)).collect()
        };
        Some(PitHistogram::new(beliefs.iter().zip(&held.truth).flat_map(of)))
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
