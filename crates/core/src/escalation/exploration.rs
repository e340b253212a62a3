//! A share of the budget spent at random, so that what comes back says something about all items.
//!
//! The items with the highest priorities are not like the others: averages over them are biased for the whole, and no
//! reweighting helps, because the others had no chance. Exploring gives every item a selection probability above 0. The
//! design is a stratified one: the top of the ranking is taken whole (probability 1), and the rest of the budget goes to a
//! simple random sample of all other items.

use crate::random::Stream;
use crate::stats::student::student_quantile;
use crate::stats::{mean, sample_sd};

/// Items that were selected, and the probability that each item had of being so.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The items taken for their rank, best first.
    pub ranked: Vec<usize>,
    /// The items drawn at random from all others, in the order of the draws.
    pub drawn: Vec<usize>,
    /// Selection probability of every item, 0 to 1.
    pub probability: Vec<f64>,
}

impl Selection {
    /// The first `budget` items of a ranking; all other items have no chance.
    pub fn top(ranking: &[usize], budget: usize) -> Self {
        let ranked = ranking[..budget.min(ranking.len())].to_vec();
        let mut probability = vec![0.0; ranking.len()];
        ranked.iter().for_each(|&i| probability[i] = 1.0);
        Self { ranked, drawn: vec![], probability }
    }

    /// The top of a ranking of all items, and a random sample of the others.
    ///
    /// Of the `budget` items, a share `explore` (0 to 1, rounded to items) is drawn, at least two, because one item says
    /// nothing about how far to trust it. Stream: one choice per drawn item, in order.
    pub fn exploring(ranking: &[usize], budget: usize, explore: f64, stream: &mut Stream) -> Self {
        let budget = budget.min(ranking.len());
        let draws = ((explore * budget as f64).round() as usize).max(2).min(budget);
        let (top, rest) = ranking.split_at(budget - draws);
        let mut probability = vec![draws as f64 / rest.len().max(1) as f64; ranking.len()];
        top.iter().for_each(|&i| probability[i] = 1.0);
        let mut urn = rest.to_vec();
        for k in 0..draws {
            let left = u32::try_from(urn.len() - k).expect("studies have fewer than 2^32 items");
            urn.swap(k, k + stream.choice(left) as usize);
        }
        urn.truncate(draws);
        Self { ranked: top.to_vec(), drawn: urn, probability }
    }

    /// Items with no chance of being selected.
    pub fn excluded(&self) -> usize {
        self.probability.iter().filter(|p| **p == 0.0).count()
    }
}

/// An estimate of a mean over all items, with its interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct WeightedMean {
    /// The estimate, in the unit of the values.
    pub mean: f64,
    /// Its standard error.
    pub se: f64,
    /// Degrees of freedom of the standard error (Satterthwaite).
    pub freedom: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability with which such intervals are to hold the truth.
    pub level: f64,
}

/// Why a mean over all items can't be estimated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoEstimate {
    /// Items that could not have been selected.
    #[error(
        "{items} of {of} items had no chance of being selected: a top-ranked selection is biased for population \
         estimates; select with --explore"
    )]
    Biased {
        /// Such items.
        items: usize,
        /// All items.
        of: usize,
    },
    /// Too few items came back with labels.
    #[error("{came_back} of the {selected} {stratum} items have labels; an interval needs two")]
    TooFew {
        /// "top-ranked" or "randomly drawn".
        stratum: &'static str,
        /// Items with labels.
        came_back: usize,
        /// Items selected.
        selected: usize,
    },
}

/// Inverse-probability-weighted estimate of the mean over all items of what the labels show, with its interval.
///
/// ```text
/// sum over strata of (N_h / N) mean_h,   variance sum over strata of (N_h / N)^2 s_h^2 / n_h
/// ```
///
/// `observed` has the value of each selected item that came back, such as the share of its new labels in a class, and
/// `None` elsewhere. An item's weight is 1 over its selection probability, corrected for items of its stratum that did not
/// come back (N_h/n_h in place of 1/pi). With a `baseline` (one number per item, known for all and fixed before the labels
/// were, such as the belief's mean), the mean of its errors is estimated and added to its own mean; that narrows the
/// interval as far as the baseline is right and is unbiased in any case. The variance takes items as if drawn with
/// replacement, so that the noise of single labels counts for the stratum taken whole too; intervals are a little too
/// wide rather than too narrow. Sources: Horvitz and Thompson (1952); Särndal, Swensson and Wretman (1992), difference
/// estimator; Angelopoulos et al. (2023), prediction-powered inference.
///
/// # Errors
/// Items without a chance of being selected, or a stratum with fewer than two items that came back.
///
/// # Panics
/// If the lists differ in length.
pub fn weighted_mean(
    selection: &Selection,
    observed: &[Option<f64>],
    baseline: Option<&[f64]>,
    level: f64,
) -> Result<WeightedMean, NoEstimate> {
    let all = selection.probability.len();
    assert_eq!(all, observed.len(), "one observation or none per item");
    assert!(baseline.is_none_or(|b| b.len() == all), "one baseline per item, or none");
    if selection.excluded() > 0 {
        return Err(NoEstimate::Biased { items: selection.excluded(), of: all });
    }
    let strata = [
        ("top-ranked", &selection.ranked, selection.ranked.len()),
        ("randomly drawn", &selection.drawn, all - selection.ranked.len()),
    ];
    let (mut estimate, mut variance, mut fourth) = (baseline.map_or(0.0, mean), 0.0, 0.0);
    for (stratum, selected, size) in strata {
        if size == 0 {
            continue;
        }
        let off = |&i: &usize| observed[i].map(|y| y - baseline.map_or(0.0, |b| b[i]));
        let values: Vec<f64> = selected.iter().filter_map(off).collect();
        let n = values.len();
        if n < 2 {
            return Err(NoEstimate::TooFew { stratum, came_back: n, selected: selected.len() });
        }
        let weight = size as f64 / all as f64;
        let part = (weight * sample_sd(&values)).powi(2) / n as f64;
        estimate += weight * mean(&values);
        variance += part;
        fourth += part * part / (n as f64 - 1.0);
    }
    let se = variance.sqrt();
    let freedom = if fourth > 0.0 { variance * variance / fourth } else { f64::INFINITY };
    let reach = if se > 0.0 { student_quantile(0.5 + 0.5 * level, freedom) * se } else { 0.0 };
    Ok(WeightedMean { mean: estimate, se, freedom, low: estimate - reach, high: estimate + reach, level })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_drawn_as_often_as_its_probability_says() {
        let ranking: Vec<usize> = (0..12).rev().collect();
        let mut stream = Stream::new(4);
        let mut hits = [0_u32; 12];
        const ROUNDS: u32 = 20_000;
        for _ in 0..ROUNDS {
            let s = Selection::exploring(&ranking, 6, 0.5, &mut stream);
            assert_eq!((s.ranked.as_slice(), s.drawn.len()), (&[11, 10, 9][..], 3));
            s.ranked.iter().chain(&s.drawn).for_each(|&i| hits[i] += 1);
        }
        let s = Selection::exploring(&ranking, 6, 0.5, &mut stream);
        for (i, hits) in hits.into_iter().enumerate() {
            let expected = f64::from(ROUNDS) * s.probability[i];
            let noise = (expected * (1.0 - s.probability[i])).sqrt();
            assert!((f64::from(hits) - expected).abs() <= 4.0 * noise, "item {i}: {hits} for {expected}");
        }
        assert_eq!((s.probability[11], s.probability[0]), (1.0, 1.0 / 3.0));
        assert_eq!(s.excluded(), 0);
    }

    #[test]
    fn small_budgets_and_pools() {
        let mut stream = Stream::new(1);
        let s = Selection::exploring(&[2, 0, 1], 9, 0.1, &mut stream);
        assert_eq!((s.ranked.as_slice(), s.drawn.len(), s.probability.as_slice()), (&[2][..], 2, &[1.0; 3][..]));
        let s = Selection::exploring(&[0, 1, 2, 3], 1, 0.1, &mut stream);
        assert_eq!((s.ranked.len(), s.drawn.len(), s.probability[0]), (0, 1, 0.25));
        let s = Selection::exploring(&[], 1, 0.1, &mut stream);
        assert_eq!((s.ranked.len(), s.drawn.len()), (0, 0));
    }

    #[test]
    fn an_estimate_by_hand() {
        // Two items taken whole with values 1 and 3, four others of which two are drawn, with 5 and 9.
        let selection =
            Selection { ranked: vec![0, 1], drawn: vec![3, 5], probability: vec![1.0, 1.0, 0.5, 0.5, 0.5, 0.5] };
        let observed = [Some(1.0), Some(3.0), None, Some(5.0), None, Some(9.0)];
        let e = weighted_mean(&selection, &observed, None, 0.95).unwrap();
        let (a, b) = (2.0 / 2.0 / 9.0, 8.0 / 2.0 * 4.0 / 9.0);
        assert!((e.mean - (2.0 * 2.0 + 4.0 * 7.0) / 6.0).abs() < 1e-12);
        assert!((e.se * e.se - (a + b)).abs() < 1e-12 && (e.freedom - (a + b).powi(2) / (a * a + b * b)).abs() < 1e-9);
        // A baseline that is right up to a constant leaves no doubt.
        let right = [0.0, 2.0, 3.0, 4.0, 5.0, 8.0];
        let e = weighted_mean(&selection, &observed, Some(&right), 0.95).unwrap();
        assert!((e.mean - (22.0 / 6.0 + 1.0)).abs() < 1e-12 && e.se < 1e-12, "{e:?}");
    }

    #[test]
    fn what_cannot_be_estimated_is_refused() {
        let top = Selection::top(&[1, 0, 2], 1);
        let error = weighted_mean(&top, &[None, Some(1.0), None], None, 0.95).unwrap_err();
        assert_eq!(error, NoEstimate::Biased { items: 2, of: 3 });
        assert!(error.to_string().contains("biased for population estimates"));
        let selection = Selection { ranked: vec![], drawn: vec![0, 1], probability: vec![0.5; 4] };
        let error = weighted_mean(&selection, &[Some(1.0), None, None, None], None, 0.95).unwrap_err();
        assert!(error.to_string().contains("1 of the 2 randomly drawn items have labels"), "{error}");
    }

    /// Pools whose shares rise with the ranking, one label each: the naive mean of a top-ranked selection misses, the
    /// weighted intervals hold the truth about as often as they say.
    #[test]
    fn intervals_cover_the_truth() {
        let mut stream = Stream::new(77);
        const ITEMS: usize = 400;
        let truth: Vec<f64> = (0..ITEMS).map(|_| stream.random()).collect();
        let belief: Vec<f64> = truth.iter().map(|p| 0.1 + 0.6 * p + 0.2 * stream.random()).collect();
        let ranking = super::super::top(&belief, &[], ITEMS);
        let target = mean(&truth);
        let (mut plain, mut assisted, mut widths, mut bias) = (0, 0, [0.0; 2], 0.0);
        const ROUNDS: usize = 2000;
        for _ in 0..ROUNDS {
            let s = Selection::exploring(&ranking, 120, 0.5, &mut stream);
            let mut observed = vec![None; ITEMS];
            for &i in s.ranked.iter().chain(&s.drawn) {
                observed[i] = Some(if stream.random() < truth[i] { 1.0 } else { 0.0 });
            }
            let a = weighted_mean(&s, &observed, None, 0.95).unwrap();
            let b = weighted_mean(&s, &observed, Some(&belief), 0.95).unwrap();
            plain += usize::from((a.low..=a.high).contains(&target));
            assisted += usize::from((b.low..=b.high).contains(&target));
            widths[0] += a.high - a.low;
            widths[1] += b.high - b.low;
            bias += b.mean - target;
        }
        let share = |n: usize| n as f64 / ROUNDS as f64;
        for covered in [share(plain), share(assisted)] {
            assert!((0.94..0.985).contains(&covered), "{covered}");
        }
        assert!(widths[1] < widths[0], "{widths:?}");
        assert!((bias / ROUNDS as f64).abs() < 0.005, "{bias}");
        let naive = mean(&ranking[..120].iter().map(|&i| truth[i]).collect::<Vec<_>>());
        assert!(naive - target > 0.2, "the simulated selection must be one that biases: {naive}");
    }
}
