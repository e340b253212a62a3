//! Ratings that predictions have not seen. An annotator's label is the mean of their ratings of the item.

use super::pool::RatingPool;
use judge_uncertainty_core::belief::{Belief, Gaussian, Ratings};
use judge_uncertainty_core::stats::label_scores::StudentLabel;
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_evaluation::Pool;
use judge_uncertainty_evaluation::held_out::{COVERED, Foreseen, Given, Score, Scored, squared_agreement};

/// Scores of a label, in the order of [`Scored::SCORES`].
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
        self.ratings()[item].iter().map(|ratings| mean(ratings)).collect()
    }
}

impl Scored for RatingPool {
    const SCORES: &'static [Score] = &[Score::Log, Score::Crps, Score::Squared, Score::Coverage];
    const SQUARED: Score = Score::Squared;

    fn without(labels: &Vec<Ratings>, hidden: &[bool]) -> Vec<Ratings> {
        labels.iter().zip(hidden).map(|(labels, hidden)| if *hidden { Ratings::default() } else { *labels }).collect()
    }

    fn belief_scores(&self, priors: &Vec<Gaussian>, item: usize, given: Given) -> Option<Vec<Option<f64>>> {
        let (labels, annotators) = (self.labels(item), &self.ratings()[item]);
        if given == Given::OtherLabels && labels.len() < 2 {
            return None;
        }
        let within = self.repeats().map(|repeats| repeats.variance);
        let of = |(k, &y): (usize, &f64)| {
            let belief = match given {
                Given::NoLabel => priors[item],
                Given::OtherLabels => {
                    let others = annotators.iter().enumerate().filter(|(other, _)| *other != k);
                    priors[item].updated(&Ratings::by_annotator(others.map(|(_, ratings)| ratings.as_slice()), within))
                }
            };
            scores_of(&fresh(&belief), y)
        };
        averaged(&labels.iter().enumerate().map(of).collect::<Vec<_>>())
    }

    fn foreseen(&self, priors: &Vec<Gaussian>, item: usize, given: Given) -> Option<Foreseen> {
        let annotators = &self.ratings()[item];
        let within = self.repeats().map(|repeats| repeats.variance);
        let of = |belief: Gaussian| {
            let (error, disagreement) = (belief.spread(), belief.aleatoric());
            (1.0, Foreseen { error, disagreement, evidence: belief.evidence })
        };
        let without = |k: usize| {
            let others = annotators.iter().enumerate().filter(|(other, _)| *other != k);
            of(priors[item].updated(&Ratings::by_annotator(others.map(|(_, ratings)| ratings.as_slice()), within)))
        };
        match given {
            Given::NoLabel => Foreseen::mean(&[of(priors[item])]),
            Given::OtherLabels if annotators.len() < 2 => None,
            Given::OtherLabels => Foreseen::mean(&(0..annotators.len()).map(without).collect::<Vec<_>>()),
        }
    }

    /// Of the mean of the labels.
    fn within(&self, priors: &Vec<Gaussian>, item: usize, level: f64) -> Option<f64> {
        let (labels, belief) = (self.labels(item), &priors[item]);
        let scale = (belief.scale * (1.0 / labels.len() as f64 + 1.0 / belief.evidence)).sqrt();
        let label = StudentLabel { centre: belief.mean, scale, freedom: belief.freedom };
        (!labels.is_empty()).then(|| f64::from(u8::from(label.covers(mean(&labels), level))))
    }

    /// The judge taken at its word: a normal with its mean and standard deviation; without the latter only the squared
    /// error.
    fn judge_scores(&self, item: usize) -> Option<Vec<Option<f64>>> {
        let (centre, variance) = (self.judge().mean[item], self.judge().variance[item]);
        let scale = variance.map_or(1.0, f64::sqrt);
        let label = StudentLabel { centre, scale, freedom: StudentLabel::NORMAL };
        let mut scores = averaged(&self.labels(item).iter().map(|&y| scores_of(&label, y)).collect::<Vec<_>>())?;
        if variance.is_none() {
            [0, 1, 3].into_iter().for_each(|k| scores[k] = None);
        }
        Some(scores)
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

    fn disagreement(&self, item: usize) -> Option<f64> {
        let labels = self.labels(item);
        (labels.len() > 1).then(|| sample_sd(&labels).powi(2))
    }

    fn agreement_row(&self, item: usize) -> Option<Vec<f64>> {
        let (labels, at) = (self.labels(item), self.judge().mean[item]);
        let over = |f: &dyn Fn(f64) -> f64| mean(&labels.iter().map(|&y| f(y)).collect::<Vec<_>>());
        (!labels.is_empty()).then(|| vec![over(&|y| (y - at).powi(2)), at, at * at, over(&|y| y), over(&|y| y * y)])
    }

    fn label_numbers(&self, item: usize) -> Vec<f64> {
        let mut labels: Vec<f64> = self.ratings()[item].iter().flatten().copied().collect();
        labels.sort_by(f64::total_cmp);
        labels
    }

    fn predicted(&self, item: usize) -> Vec<f64> {
        vec![self.judge().mean[item]]
    }

    fn believed(&self, priors: &Vec<Gaussian>, item: usize) -> Vec<f64> {
        vec![priors[item].mean]
    }

    fn observed(&self, item: usize) -> Option<Vec<f64>> {
        let labels = self.labels(item);
        (!labels.is_empty()).then(|| vec![mean(&labels)])
    }

    fn agreement(means: &[f64]) -> Option<f64> {
        squared_agreement(means)
    }

    fn calibration(&self, item: usize) -> Option<(f64, f64)> {
        let labels = self.labels(item);
        (!labels.is_empty()).then(|| (self.judge().mean[item], mean(&labels)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_core::belief::JudgeScores;

    #[test]
    fn ratings_by_hand() {
        let judge = JudgeScores { mean: vec![3.0, 3.0], variance: vec![Some(4.0), None] };
        let pool = RatingPool::new(vec![vec![vec![4.0], vec![2.0, 4.0], vec![5.0]], vec![vec![1.0]]], judge);
        // Labels 4, 3 and 5; squared errors 1, 0 and 4, disagreement 1.
        let found = pool.judge_scores(0).unwrap();
        assert!((found[2].unwrap() - 5.0 / 3.0).abs() < 1e-15);
        assert_eq!((found[3], pool.disagreement(0)), (Some(1.0), Some(1.0)));
        assert_eq!(pool.judge_scores(1), Some(vec![None, None, Some(4.0), None]));
        let prior = Gaussian { mean: 3.0, evidence: 2.0, freedom: 6.0, scale: 0.5 };
        let others = pool.belief_scores(&vec![prior, prior], 0, Given::OtherLabels).unwrap()[2].unwrap();
        // Means after two of the labels: (6 + 8)/4, (6 + 9)/4 and (6 + 7)/4.
        let by_hand = [(4.0, 3.5), (3.0, 3.75), (5.0, 3.25)].map(|(y, m): (f64, f64)| (y - m).powi(2));
        assert!((others - by_hand.iter().sum::<f64>() / 3.0).abs() < 1e-12);
        assert_eq!(pool.belief_scores(&vec![prior, prior], 1, Given::OtherLabels), None);
    }
}
