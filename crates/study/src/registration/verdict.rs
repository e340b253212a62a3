//! The registered family, judged.

use std::collections::BTreeMap;

use super::file::Registration;
use crate::registration::hypothesis::{About, Hypothesis, IntervalRule, JudgedHypothesis, Measure};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_core::stats::new_items::{Contributions, NewItems, new_items};
use judge_uncertainty_evaluation::Contrast;

/// Why a hypothesis has no figures.
const NOT_EVALUATED: &str = "not estimable: the run could not evaluate this comparison";
const NO_DIFFERENCE: &str =
    "not estimable: the two rules escalate the same items in every replicate, or there are too few replicates or items";

impl Registration {
    /// The comparisons that an evaluation has to keep item by item, one per hypothesis about rules.
    pub fn contrasts(&self) -> Vec<Contrast> {
        self.plan.hypotheses.iter().filter_map(|h| h.about.contrast()).collect()
    }

    /// Judges every hypothesis. Of one about rules `differences` gives the paired difference of each replicate, in
    /// replicate order, and `contributions` those of the items, by its place among the comparisons of
    /// [`Self::contrasts`]; `None` if the run could not evaluate it; `not_new` is why the items say nothing of new
    /// ones, where they don't. Of any other `estimate` gives the value with intervals that miss with two
    /// probabilities, or why there is none.
    ///
    /// The family's chance of an error is shared out: a hypothesis that is estimated has an equal part, and those about
    /// rules have theirs together. The critical value is drawn from a stream that the family's size alone fixes, so it
    /// is the same in every run.
    pub fn judge(
        &self,
        differences: impl Fn(Contrast) -> Option<Vec<f64>>,
        (contributions, not_new): (impl Fn(usize) -> Option<Contributions>, Option<&str>),
        estimate: impl Fn(&About, [f64; 2]) -> Result<(f64, [Interval; 2]), String>,
    ) -> Vec<JudgedHypothesis> {
        let (plan, family) = (&self.plan, self.plan.hypotheses.len());
        let wants = |h: &Hypothesis| h.interval == IntervalRule::NewItems && h.about.contrast().is_some();
        let mut of_rules = 0..;
        let places: Vec<Option<usize>> =
            plan.hypotheses.iter().map(|h| h.about.contrast().and_then(|_| of_rules.next())).collect();
        let own: Vec<(usize, Contributions)> = (0..family)
            .filter(|&k| wants(&plan.hypotheses[k]))
            .filter_map(|k| Some((k, contributions(places[k]?)?)))
            .collect();
        let (compared, own): (Vec<usize>, Vec<Contributions>) = own.into_iter().unzip();
        let miss = (1.0 - plan.level) / family as f64;
        let estimated = places.iter().filter(|place| place.is_none()).count();
        let level = plan.level + miss * estimated as f64;
        let found: BTreeMap<usize, Option<NewItems>> =
            compared.into_iter().zip(new_items(&own, level, &mut Stream::new(family as u64))).collect();
        let replicates = own.first().map_or(0, |own| own.of_redraws.len());
        let judged = |(k, h): (usize, &Hypothesis)| {
            let Some(contrast) = h.about.contrast() else {
                return match estimate(&h.about, [1.0 - plan.level, miss]) {
                    Ok((value, intervals)) => JudgedHypothesis::by_estimate(h, family, value, intervals),
                    Err(reason) => JudgedHypothesis::not_estimable(h, family, &format!("not estimable: {reason}")),
                };
            };
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
            match differences(contrast).filter(|d| !d.is_empty()) {
                Some(differences) => JudgedHypothesis::by_redraws(h, &differences, plan.level, family),
                None => JudgedHypothesis::not_estimable(h, family, NOT_EVALUATED),
            }
        };
        plan.hypotheses.iter().enumerate().map(judged).collect()
    }

    /// Whether a comparison of two rules at a budget belongs to the registered family; others are exploratory.
    pub fn covers(&self, better: Rule, than: Rule, budget: Budget, measure: Measure) -> bool {
        let same = |h: Contrast| {
            let pair = (h.better, h.than) == (better, than) || (h.better, h.than) == (than, better);
            pair && h.budget == budget && h.measure == measure
        };
        self.contrasts().into_iter().any(same)
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::{DRAFT, map, plan, registered};
    use super::*;
    use crate::registration::hypothesis::Status;

    const NO_ITEM: fn(usize) -> Option<Contributions> = |_| None;

    fn none(_: &About, _: [f64; 2]) -> Result<(f64, [Interval; 2]), String> {
        Err("nothing is estimated".to_owned())
    }

    /// A family of four of which two are about rules: each estimate misses with 0.1/4, and the rules together with half
    /// of 0.1. What is between the claimed ends is confirmed, what is outside refuted.
    #[test]
    fn estimates_are_held_against_what_is_claimed() {
        let share = "\n[[hypothesis]]\nid = \"share\"\nstatement = \"s\"\nshare = \"a\"\nqueue = \"q\"\nabove = 0.1\n\
                     below = 0.3\n\n[[hypothesis]]\nid = \"judge\"\nstatement = \"s\"\nthan_judge = \"../b\"\n";
        // Those about rules come last, so that their places differ from those in the family.
        let draft = DRAFT.replace(
            "\n[[hypothesis]]\nid = \"info-fewest\"",
            &format!("{share}\n[[hypothesis]]\nid = \"info-fewest\""),
        );
        let mut plan = plan(&draft).unwrap();
        plan.hypotheses[2].interval = IntervalRule::NewItems;
        let level = |registration: &Registration| {
            let one = |k: usize| (k == 0).then(|| picks(1.0, 0.0));
            registration.judge(|_| None, (one, None), none)[2].new_items.unwrap().simultaneous
        };
        let registration = Registration::freeze(plan.clone(), [map(&[]), map(&[])], None);
        plan.hypotheses.drain(..2);
        plan.level = 0.95;
        let without = Registration::freeze(plan, [map(&[]), map(&[])], None);
        let rules = without.judge(|_| None, (|k| (k == 0).then(|| picks(1.0, 0.0)), None), none);
        assert_eq!(level(&registration), rules[0].new_items.unwrap().simultaneous);
        let status = |lo: f64, hi: f64| {
            let estimate = |about: &About, misses: [f64; 2]| {
                assert!((misses[0] - 0.1).abs() < 1e-12 && (misses[1] - 0.025).abs() < 1e-12, "{about:?} {misses:?}");
                Ok((0.5 * (lo + hi), [Interval { lo: 0.0, hi: 1.0 }, Interval { lo, hi }]))
            };
            let judged = registration.judge(|_| None, (NO_ITEM, None), estimate);
            assert_eq!((judged[0].difference, judged[0].family), (Some(0.5 * (lo + hi)), 4));
            (judged[0].status, judged[1].status)
        };
        assert_eq!(status(0.11, 0.29), (Status::Confirmed, Status::Confirmed));
        assert_eq!(status(0.09, 0.29), (Status::Inconclusive, Status::Confirmed));
        assert_eq!(status(0.31, 0.4), (Status::Refuted, Status::Confirmed));
        assert_eq!(status(-0.2, 0.09), (Status::Refuted, Status::Inconclusive));
        assert_eq!(status(-0.2, -0.1), (Status::Refuted, Status::Refuted));
        let unknown = registration.judge(|_| None, (NO_ITEM, None), none);
        assert_eq!(unknown[0].note.as_deref(), Some("not estimable: nothing is estimated"));
    }

    #[test]
    fn percentiles_over_redraws_describe_and_never_decide() {
        let registration = registered();
        // Differences 0, 1, ..., 1000: percentiles are known.
        let ramp = |shift: f64| (0..=1000).map(|i| f64::from(i) + shift).collect::<Vec<f64>>();
        let status = |shift: f64| {
            let judged =
                registration.judge(|of| (of.measure == Measure::Value).then(|| ramp(shift)), (NO_ITEM, None), none);
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
        let four = |of: Contrast| (of.measure != Measure::Value).then(|| vec![3.0, 5.0, 4.0, 4.0]);
        let judged = registration.judge(four, (NO_ITEM, None), none);
        let [low, high] = <[f64; 2]>::from(judged[1].adjusted.unwrap());
        let reach = 3.182446305284263 * (2.0_f64 / 3.0).sqrt() / 2.0;
        assert!((low - (4.0 - reach)).abs() < 1e-9 && (high - (4.0 + reach)).abs() < 1e-9);
        assert_eq!(judged[1].status, Status::Inconclusive);
        let few = registration.judge(|_| Some(vec![1.0, 1.5, 2.0]), (NO_ITEM, None), none);
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
        plan.hypotheses.iter_mut().for_each(|h| (h.interval, h.claim.lo) = (IntervalRule::NewItems, 0.0));
        let registration = Registration::freeze(plan, [map(&[]), map(&[])], None);
        let status = |gain: f64, noise: f64| {
            let judged = registration.judge(|_| None, (|k| (k == 0).then(|| picks(gain, noise)), None), none);
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
