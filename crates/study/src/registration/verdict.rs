//! The registered family, judged.

use std::collections::BTreeMap;

use super::file::Registration;
use crate::registration::hypothesis::{Hypothesis, IntervalRule, JudgedHypothesis, Measure};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::new_items::{Contributions, NewItems, new_items};
use judge_uncertainty_evaluation::Contrast;

/// Why a hypothesis has no figures.
const NOT_EVALUATED: &str = "not estimable: the run could not evaluate this comparison";
const NO_DIFFERENCE: &str =
    "not estimable: the two rules escalate the same items in every replicate, or there are too few replicates or items";

impl Registration {
    /// The comparisons that an evaluation has to keep item by item, one per hypothesis.
    pub fn contrasts(&self) -> Vec<Contrast> {
        self.plan.hypotheses.iter().filter_map(Hypothesis::contrast).collect()
    }

    /// Judges every hypothesis. `differences` gives the paired difference of each replicate, in replicate order, and
    /// `contributions` those of the items; `None` if the run could not evaluate it; `not_new` is why the
    /// items say nothing of new ones, where they don't. The critical value is drawn from a stream
    /// that the family's size alone fixes, so it is the same in every run.
    pub fn judge(
        &self,
        differences: impl Fn(&Hypothesis) -> Option<Vec<f64>>,
        contributions: impl Fn(usize) -> Option<Contributions>,
        not_new: Option<&str>,
    ) -> Vec<JudgedHypothesis> {
        let (plan, family) = (&self.plan, self.plan.hypotheses.len());
        let wants = |h: &Hypothesis| h.interval == IntervalRule::NewItems;
        let own: Vec<(usize, Contributions)> = (0..family)
            .filter(|&k| wants(&plan.hypotheses[k]))
            .filter_map(|k| contributions(k).map(|own| (k, own)))
            .collect();
        let (places, own): (Vec<usize>, Vec<Contributions>) = own.into_iter().unzip();
        let found: BTreeMap<usize, Option<NewItems>> =
            places.into_iter().zip(new_items(&own, plan.level, &mut Stream::new(family as u64))).collect();
        let replicates = own.first().map_or(0, |own| own.of_redraws.len());
        let judged = |(k, h): (usize, &Hypothesis)| {
            if wants(h) {
                if let Some(reason) = not_new {
                    return JudgedHypothesis::not_estimable(h, family, &format!("not estimable: {reason}"));
                }
                return match found.get(&k) {
                    Some(Some(found)) => JudgedHypothesis::by_new_items(h, family, replicates, *found),
                    Some(None) => JudgedHypothesis::not_estimable(h, family, NO_DIFFERENCE),
                    None => JudgedHypothesis::not_estimable(h, family, NOT_EVALUATED),
                };
            }
            match differences(h).filter(|d| !d.is_empty()) {
                Some(differences) => JudgedHypothesis::by_redraws(h, &differences, plan.level, family),
                None => JudgedHypothesis::not_estimable(h, family, NOT_EVALUATED),
            }
        };
        plan.hypotheses.iter().enumerate().map(judged).collect()
    }

    /// Whether a comparison of two rules at a budget belongs to the registered family; others are exploratory.
    pub fn covers(&self, better: Rule, than: Rule, budget: Budget, measure: Measure) -> bool {
        let same = |h: &Hypothesis| {
            let pair = (h.better, h.than) == (better, than) || (h.better, h.than) == (than, better);
            pair && h.budget() == Some(budget) && h.measure == measure
        };
        self.plan.hypotheses.iter().any(same)
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::{DRAFT, map, plan, registered};
    use super::*;
    use crate::registration::hypothesis::Status;

    #[test]
    fn percentiles_over_redraws_describe_and_never_decide() {
        let registration = registered();
        // Differences 0, 1, ..., 1000: percentiles are known.
        let ramp = |shift: f64| (0..=1000).map(|i| f64::from(i) + shift).collect::<Vec<f64>>();
        let status = |shift: f64| {
            let judged = registration.judge(|h| (h.id == "info-fewest").then(|| ramp(shift)), |_| None, None);
            assert_eq!((judged.len(), judged[0].family, judged[1].status), (2, 2, Status::Inconclusive));
            assert!(judged[1].note.as_deref().unwrap().contains("could not evaluate"));
            judged[0].clone()
        };
        // Level 0.9 and a family of two: 5% and 95% plain, 2.5% and 97.5% adjusted.
        let found = status(-26.0);
        for (got, want) in [(found.interval, [24.0, 924.0]), (found.adjusted, [-1.0, 949.0])] {
            assert!(<[f64; 2]>::from(got.unwrap()).iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-9), "{got:?}");
        }
        assert_eq!((found.status, found.difference), (Status::Inconclusive, Some(474.0)));
        // Wholly above or below the margin, and yet nothing of it is about new items.
        for shift in [-24.0, -975.0, -976.0] {
            let found = status(shift);
            assert_eq!(found.status, Status::Inconclusive, "{shift}");
            assert!(found.note.unwrap().contains("says nothing of new items"));
        }
    }

    /// t quantile of 1 - 0.05/2 with 3 degrees, from scipy.stats.t.ppf.
    #[test]
    fn student_intervals_over_redraws_describe_and_never_decide() {
        let registration = registered();
        let judged = registration.judge(|h| (h.id == "info-entropy").then(|| vec![3.0, 5.0, 4.0, 4.0]), |_| None, None);
        let [low, high] = <[f64; 2]>::from(judged[1].adjusted.unwrap());
        let reach = 3.182446305284263 * (2.0_f64 / 3.0).sqrt() / 2.0;
        assert!((low - (4.0 - reach)).abs() < 1e-9 && (high - (4.0 + reach)).abs() < 1e-9);
        assert_eq!(judged[1].status, Status::Inconclusive);
        let few = registration.judge(|_| Some(vec![1.0, 1.5, 2.0]), |_| None, None);
        assert!(few[0].note.as_deref().unwrap().contains("3 replicates are too few"), "{few:?}");
    }

    /// Forty items of which each rule picks ten others, worth `gain` more or less; the same in every replicate.
    fn picks(gain: f64, noise: f64) -> Contributions {
        let picked: Vec<f64> = (0..40).map(|i| [1.0, -1.0, 0.0, 0.0][i % 4]).collect();
        let worth = |i: usize, c: f64| 0.5 * gain * c + [0.3, -0.3, 0.1, -0.1][i / 4 % 4];
        let of_items: Vec<f64> = picked.iter().enumerate().map(|(i, c)| c * worth(i, *c)).collect();
        let sum: f64 = of_items.iter().sum();
        let worth = (0..40).map(|i| (picked[i] != 0.0).then(|| worth(i, picked[i]))).collect();
        Contributions { of_items, picked, worth, of_redraws: vec![sum - noise, sum + noise] }
    }

    #[test]
    fn intervals_for_new_items_decide_unless_chance_would() {
        let mut plan = plan(DRAFT).unwrap();
        plan.hypotheses.iter_mut().for_each(|h| (h.interval, h.margin) = (IntervalRule::NewItems, 0.0));
        let registration = Registration::freeze(plan, (map(&[]), map(&[])), None);
        let status = |gain: f64, noise: f64| {
            let judged = registration.judge(|_| None, |k| (k == 0).then(|| picks(gain, noise)), None);
            assert!(judged[1].note.as_deref().unwrap().contains("not estimable"), "{judged:?}");
            judged[0].clone()
        };
        assert_eq!((status(1.0, 0.0).status, status(-1.0, 0.0).status), (Status::Confirmed, Status::Refuted));
        assert_eq!(status(0.1, 0.0).status, Status::Inconclusive);
        let found = status(1.0, 0.0);
        assert!(found.adjusted.unwrap().lo > 0.0 && found.new_items.unwrap().se > 0.0, "{found:?}");
        // Above the margin, but within what other re-draws might have given.
        let by_chance = status(0.45, 0.6);
        assert!(by_chance.adjusted.unwrap().lo > 0.0, "{by_chance:?}");
        assert_eq!(by_chance.status, Status::Inconclusive);
        assert!(by_chance.note.unwrap().contains("register more replicates"));
    }

    #[test]
    fn the_family_is_the_registered_one() {
        let registration = registered();
        let budget = |p| Budget::percent(p).unwrap();
        assert!(registration.covers(Rule::FewestLabels, Rule::Info, budget(10), Measure::Value));
        assert!(!registration.covers(Rule::FewestLabels, Rule::Info, budget(20), Measure::Value));
        assert!(!registration.covers(Rule::FewestLabels, Rule::Delta, budget(10), Measure::Value));
    }
}
