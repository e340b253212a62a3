//! Ratings that predictions have not seen. An annotator's label is the mean of their ratings of the item.

use super::pool::RatingPool;
use judge_uncertainty_core::belief::{Belief, Gaussian, Ratings};
use judge_uncertainty_core::stats::label_scores::StudentLabel;
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_evaluation::Pool;
use judge_uncertainty_evaluation::held_out::{COVERED, Forecast, Foreseen, JudgedItem, LEVELS, Score, Scored};

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

    /// Intervals are about the mean of the labels.
    fn forecast(&self, priors: &Vec<Gaussian>, item: usize) -> Forecast {
        let (labels, annotators, prior) = (self.labels(item), &self.ratings()[item], &priors[item]);
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
                averaged(&labels.iter().map(|y| scored((prior, y))).collect::<Vec<_>>()),
                averaged(&by_others.iter().zip(&labels).map(scored).collect::<Vec<_>>()),
            ],
            foreseen: [
                Foreseen::mean(&[foreseen(prior)]),
                Foreseen::mean(&by_others.iter().map(foreseen).collect::<Vec<_>>()),
            ],
            within: LEVELS.map(of_mean),
        }
    }

    fn believed(&self, priors: &Vec<Gaussian>, item: usize) -> Vec<f64> {
        vec![priors[item].mean]
    }

    /// The judge is taken at its word: a normal with its mean and standard deviation; without the latter only the
    /// squared error.
    fn judged_item(&self, item: usize) -> Option<JudgedItem> {
        let (labels, at, variance) = (self.labels(item), self.judge().mean[item], self.judge().variance[item]);
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
    use judge_uncertainty_core::belief::JudgeScores;

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
        let [_, others] = pool.forecast(&vec![prior, prior], 0).scores;
        let others = others.unwrap()[2].unwrap();
        // Means after two of the labels: (6 + 8)/4, (6 + 9)/4 and (6 + 7)/4.
        let by_hand = [(4.0, 3.5), (3.0, 3.75), (5.0, 3.25)].map(|(y, m): (f64, f64)| (y - m).powi(2));
        assert!((others - by_hand.iter().sum::<f64>() / 3.0).abs() < 1e-12);
        assert_eq!(pool.forecast(&vec![prior, prior], 1).scores[1], None);
    }
}
