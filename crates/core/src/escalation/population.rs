//! Means over all items from an exploring selection: bounded, and with few random items and rare classes as good as
//! they say.

use super::exploration::Selection;
use crate::stats::beta::beta_quantile;
use crate::stats::mean;
use crate::stats::student::student_quantile;

/// Randomly drawn items with labels that an estimate needs, where there are as many.
pub const LEAST_DRAWN: usize = 10;
/// Randomly drawn items with labels from which a baseline may help.
const LEAST_ASSISTED: usize = 20;
/// Intervals are said to hold at least as often as promised where more than this share of a variance is in doubt.
const IN_DOUBT: f64 = 0.1;
/// What the drawn items' values, and what they lack to the most, must sum to for a baseline to help (in whole answers).
const LEAST_ANSWERS: f64 = 5.0;

/// What an item's labels show of a quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observed {
    /// Mean over the labels.
    pub mean: f64,
    /// How much that mean would vary if other experts had labelled the item (its variance), without bias, from how far
    /// its labels disagree; `None` for a single label, which can't tell.
    pub within: Option<f64>,
}

impl Observed {
    /// A single label.
    pub fn once(value: f64) -> Self {
        Self { mean: value, within: None }
    }

    /// So many labels with this mean and this sum of squared differences from it.
    pub fn from_labels(labels: u32, mean: f64, squares: f64) -> Self {
        let n = f64::from(labels);
        Self { mean, within: (labels > 1).then(|| squares / (n - 1.0) / n) }
    }
}

/// An estimate of a mean over all items, with its interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct WeightedMean {
    /// The estimate, in the unit of the values.
    pub mean: f64,
    /// Its standard error; 0 where the values of no stratum differ, and the interval is not 0 wide all the same.
    pub se: f64,
    /// Lower end of the interval, within the range of the values.
    #[serde(rename = "lo")]
    pub low: f64,
    /// Upper end, within the range.
    #[serde(rename = "hi")]
    pub high: f64,
    /// Probability with which such intervals are to hold the truth.
    pub level: f64,
    /// Whether that is the least: single labels of items that are much of the population do not show how other labels
    /// would differ, and count as if they differed as items do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
}

/// Items of a stratum that came back, and those that did not.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ResponseCount {
    /// "top-ranked" or "randomly drawn".
    pub stratum: &'static str,
    /// Items that the stratum stands for.
    pub items: usize,
    /// Items selected.
    pub selected: usize,
    /// Selected items with labels.
    pub came_back: usize,
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
    #[error("{came_back} of the {selected} {stratum} items have labels, and an estimate for all items needs {needed}")]
    TooFew {
        /// "top-ranked" or "randomly drawn".
        stratum: &'static str,
        /// Items with labels.
        came_back: usize,
        /// Items selected.
        selected: usize,
        /// Items needed.
        needed: usize,
    },
    /// Too little for a baseline to help.
    #[error(
        "the belief can't help: of the {came_back} randomly drawn items with labels, {inside} answers speak for it and \
         {outside} against; {LEAST_ASSISTED} items with {LEAST_ANSWERS} of each are needed"
    )]
    NotAssisted {
        /// Items with labels.
        came_back: usize,
        /// Sum of their values, as shares of the range.
        inside: f64,
        /// Sum of what they lack to the upper end.
        outside: f64,
    },
}

/// Name of the stratum of items that are selected for sure.
pub const TOP_RANKED: &str = "top-ranked";

/// The items of a stratum.
struct Stratum<'a> {
    name: &'static str,
    selected: &'a [usize],
    /// All that it stands for.
    size: usize,
    /// Items with labels that it needs.
    needed: usize,
}

fn strata(selection: &Selection) -> impl Iterator<Item = Stratum<'_>> {
    let rest = selection.probability.len() - selection.ranked.len();
    let ranked = Stratum { name: TOP_RANKED, selected: &selection.ranked, size: selection.ranked.len(), needed: 1 };
    let drawn =
        Stratum { name: "randomly drawn", selected: &selection.drawn, size: rest, needed: LEAST_DRAWN.min(rest) };
    [ranked, drawn].into_iter().filter(|stratum| stratum.size > 0)
}

/// What came back, by stratum.
///
/// Estimates take those that did not come back for a random part of their stratum: nothing in the labels can tell.
pub fn responses(selection: &Selection, observed: &[Option<Observed>]) -> Vec<ResponseCount> {
    let of = |stratum: Stratum<'_>| ResponseCount {
        stratum: stratum.name,
        items: stratum.size,
        selected: stratum.selected.len(),
        came_back: stratum.selected.iter().filter(|&&i| observed[i].is_some()).count(),
    };
    strata(selection).map(of).collect()
}

/// A stratum's mean as a share of the range, with its variance and the number of yes-or-no answers that would vary as
/// much.
#[derive(Clone, Copy)]
struct StratumMean {
    mean: f64,
    variance: f64,
    answers: f64,
}

/// The values of a stratum's items that came back, as shares of the range.
struct AnsweredShares {
    values: Vec<f64>,
    /// Variance of each value, where it is known.
    within: Vec<Option<f64>>,
    /// Share of the stratum that came back.
    fraction: f64,
}

impl AnsweredShares {
    /// Share of the variance of their mean that may not be there.
    fn in_doubt(&self) -> f64 {
        let single = self.within.iter().filter(|within| within.is_none()).count() as f64;
        self.fraction * single / self.within.len() as f64
    }

    /// Variance of the mean of values whose own mean square (about a mean or a line) is `square`.
    fn of_mean(&self, square: f64) -> f64 {
        let of_labels =
            self.within.iter().map(|within| within.unwrap_or(square)).sum::<f64>() / self.values.len() as f64;
        ((1.0 - self.fraction) * square + self.fraction * of_labels.min(square)) / self.values.len() as f64
    }
}

impl StratumMean {
    /// Without a baseline.
    fn plain(came: &AnsweredShares, level: f64) -> Self {
        let n = came.values.len() as f64;
        let centre = mean(&came.values);
        let squares: f64 = came.values.iter().map(|y| (y - centre) * (y - centre)).sum();
        let variance = if n > 1.0 { came.of_mean(squares / (n - 1.0)) } else { 0.0 };
        Self { mean: centre, variance, answers: n }.with_variance(variance, n - 1.0, level)
    }

    /// With the baseline's help: `baseline` of the items that came back, and its mean over the stratum.
    fn assisted(self, came: &AnsweredShares, baseline: &[f64], overall: f64, level: f64) -> Self {
        let (values, n) = (&came.values, came.values.len() as f64);
        let (y, b) = (mean(values), mean(baseline));
        let squares: f64 = baseline.iter().map(|x| (x - b) * (x - b)).sum();
        let products: f64 = baseline.iter().zip(values).map(|(x, v)| (x - b) * (v - y)).sum();
        let slope = if squares > 0.0 { (products / squares).clamp(0.0, 1.0) } else { 0.0 };
        let off = |(x, v): (&f64, &f64)| (v - y - slope * (x - b)).powi(2);
        let variance = came.of_mean(baseline.iter().zip(values).map(off).sum::<f64>() / (n - 2.0));
        let mean = (y + slope * (overall - b)).clamp(0.0, 1.0);
        // Never wider than without.
        Self { mean, variance: variance.min(self.variance), ..self }.with_variance(variance, n - 2.0, level)
    }

    /// The answers that a variance is worth, never fewer than before; no variance at all tells nothing.
    fn with_variance(self, variance: f64, freedom: f64, level: f64) -> Self {
        if variance <= 0.0 || freedom < 1.0 {
            return self;
        }
        let u = 0.5 + 0.5 * level;
        let small = student_quantile(u, 1e9) / student_quantile(u, freedom);
        let answers = self.mean * (1.0 - self.mean) / variance * small * small;
        Self { answers: self.answers.max(answers), ..self }
    }

    /// Its own interval (Clopper and Pearson).
    fn bounds(self, level: f64) -> [f64; 2] {
        let (yes, no) = (self.answers * self.mean, self.answers * (1.0 - self.mean));
        let miss = 0.5 * (1.0 - level);
        let low = if yes > 0.0 { beta_quantile(miss, yes, no + 1.0) } else { 0.0 };
        let high = if no > 0.0 { beta_quantile(1.0 - miss, yes + 1.0, no) } else { 1.0 };
        [low.min(self.mean), high.max(self.mean)]
    }
}

/// Inverse-probability-weighted estimate of the mean over all items of what the labels show, with its interval.
///
/// `observed` has the value of each selected item that came back, such as the share of its new labels in a class, and
/// `None` elsewhere; values lie in `range`, and are taken as shares of it. Stratum h (the N_1 top-ranked items; the N_2
/// others, of which a simple random sample was drawn) has weight w_h = N_h/N and mean m_h over the n_h items that came
/// back:
///
/// ```text
/// estimate  m = sum_h w_h m_h
/// interval  m - sqrt(sum_h w_h^2 (m_h - l_h)^2),   m + sqrt(sum_h w_h^2 (u_h - m_h)^2)
/// ```
///
/// with [l_h, u_h] the interval of Clopper and Pearson for n*_h m_h of n*_h yes-or-no answers, and
///
/// ```text
/// n*_h = max(n_h, m_h (1 - m_h) / var(m_h) (z/t)^2)
/// ```
///
/// z and t the normal and Student's quantile (n_h - 1 degrees of freedom). No value in the range varies more than
/// answers of yes or no, so n_h of these are the least that n_h items are worth. The interval lies in the range, and is
/// not 0 wide when no drawn item showed a rare class.
///
/// The population is finite, and what was drawn of it varies no more; only what its labels would say in other experts'
/// hands does. With f = n_h/N_h and w the mean over the drawn items of the variance of their values, from the
/// disagreement of their labels,
///
/// ```text
/// var(m_h) = ((1 - f) s_h^2 + f min(w, s_h^2))/n_h
/// ```
///
/// (s_h^2 holds the variance between items, which f takes out, and w). An item with a single label counts with s_h^2,
/// because that does not tell whether another label would say the same: where experts agree, items have one label and
/// much of the population is drawn, intervals hold more often than promised ([`WeightedMean::at_least`]).
///
/// With a `baseline` (one number per item, known for all and fixed before the labels were, such as the belief's mean),
/// m_2 becomes m_2 + b (mean of the baseline over the stratum - over its drawn items), b the slope of values on the
/// baseline, 0 to 1, and s_2^2 that of the residuals (n_2 - 2 degrees of freedom), as far as that is smaller.
///
/// Sources: Horvitz and Thompson (1952); Cochran (1977, "Sampling techniques", sections 2.6 and 13.9), finite
/// population and errors of measurement; Clopper and Pearson (1934); Korn and Graubard (1998, "Confidence intervals for
/// proportions with small expected number of positive counts estimated from survey data"), effective sample size; Zou
/// and Donner (2008, "Construction of confidence limits about effect measures"), limits of a sum from those of its
/// parts; Angelopoulos, Duchi and Zrnic (2023, "PPI++"), slope.
///
/// # Errors
/// Items without a chance of being selected; a stratum from which too few came back ([`LEAST_DRAWN`] of the random
/// ones, one of the top-ranked); with a baseline, too little in the drawn items for it to help.
///
/// # Panics
/// If the lists differ in length.
pub fn weighted_mean(
    selection: &Selection,
    observed: &[Option<Observed>],
    baseline: Option<&[f64]>,
    range: (f64, f64),
    level: f64,
) -> Result<WeightedMean, NoEstimate> {
    let all = selection.probability.len();
    assert_eq!(all, observed.len(), "one observation or none per item");
    assert!(baseline.is_none_or(|b| b.len() == all), "one baseline per item, or none");
    if selection.excluded() > 0 {
        return Err(NoEstimate::Biased { items: selection.excluded(), of: all });
    }
    let share = |y: f64| ((y - range.0) / (range.1 - range.0)).clamp(0.0, 1.0);
    let (mut estimate, mut variance, mut below, mut above, mut at_least) = (0.0, 0.0, 0.0, 0.0, false);
    for Stratum { name, selected, size, needed } in strata(selection) {
        let came: Vec<usize> = selected.iter().copied().filter(|&i| observed[i].is_some()).collect();
        if came.len() < needed {
            let (came_back, selected) = (came.len(), selected.len());
            return Err(NoEstimate::TooFew { stratum: name, came_back, selected, needed });
        }
        let known: Vec<Observed> = came.iter().filter_map(|&i| observed[i]).collect();
        let width = range.1 - range.0;
        let back = AnsweredShares {
            values: known.iter().map(|known| share(known.mean)).collect(),
            within: known.iter().map(|known| known.within.map(|within| within / (width * width))).collect(),
            fraction: came.len() as f64 / size as f64,
        };
        let mut part = StratumMean::plain(&back, level);
        if let Some(baseline) = baseline.filter(|_| size > selected.len()) {
            let (n, inside) = (back.values.len() as f64, back.values.iter().sum::<f64>());
            if came.len() < LEAST_ASSISTED || inside < LEAST_ANSWERS || n - inside < LEAST_ANSWERS {
                return Err(NoEstimate::NotAssisted { came_back: came.len(), inside, outside: n - inside });
            }
            let of_came: Vec<f64> = came.iter().map(|&i| share(baseline[i])).collect();
            let ranked: f64 = selection.ranked.iter().map(|&i| share(baseline[i])).sum();
            let overall = (baseline.iter().map(|&b| share(b)).sum::<f64>() - ranked) / size as f64;
            part = part.assisted(&back, &of_came, overall, level);
        }
        at_least |= back.in_doubt() > IN_DOUBT;
        let weight = size as f64 / all as f64;
        let [low, high] = part.bounds(level);
        estimate += weight * part.mean;
        variance += weight * weight * part.variance;
        below += (weight * (part.mean - low)).powi(2);
        above += (weight * (high - part.mean)).powi(2);
    }
    let back = |share: f64| range.0 + (range.1 - range.0) * share;
    Ok(WeightedMean {
        mean: back(estimate),
        se: variance.sqrt() * (range.1 - range.0),
        low: back((estimate - below.sqrt()).max(0.0)),
        high: back((estimate + above.sqrt()).min(1.0)),
        level,
        at_least,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const UNIT: (f64, f64) = (0.0, 1.0);

    #[test]
    fn an_estimate_by_hand() {
        // Two items taken whole, both in the class; of twenty others ten are drawn, and three are in it.
        let mut probability = vec![1.0; 2];
        probability.resize(22, 0.5);
        let selection = Selection { ranked: vec![0, 1], drawn: (2..12).collect(), probability };
        let observed: Vec<Option<Observed>> =
            (0..22).map(|i| (i < 12).then(|| Observed::once(if i < 5 { 1.0 } else { 0.0 }))).collect();
        let e = weighted_mean(&selection, &observed, None, UNIT, 0.95).unwrap();
        assert!((e.mean - (2.0 + 20.0 * 0.3) / 22.0).abs() < 1e-12);
        // Clopper and Pearson (scipy: binomtest(3, 10).proportion_ci()): 0.0667395, 0.6524529; 2 of 2: from 0.1581139.
        let below =
            ((2.0_f64 / 22.0 * (1.0 - 0.158_113_9)).powi(2) + (20.0_f64 / 22.0 * (0.3 - 0.066_739_5)).powi(2)).sqrt();
        let above = 20.0 / 22.0 * (0.652_452_9 - 0.3);
        assert!((e.mean - e.low - below).abs() < 1e-6 && (e.high - e.mean - above).abs() < 1e-6, "{e:?}");
        // Shares of a range: scores 1 to 5.
        let scores: Vec<Option<Observed>> =
            observed.iter().map(|y| y.map(|y| Observed::once(1.0 + 4.0 * y.mean))).collect();
        let s = weighted_mean(&selection, &scores, None, (1.0, 5.0), 0.95).unwrap();
        assert!((s.low - 1.0 - 4.0 * e.low).abs() < 1e-12 && (s.mean - 1.0 - 4.0 * e.mean).abs() < 1e-12);
    }

    /// Sixty of eighty items, each rated twice: (a, b) in turns of (1, 1), (0, 0), (1, 0). Values 1, 0, 1/2: s^2 =
    /// 10/59; the variances of the means are 0, 0 and 1/4, so w = 1/12, and var = (s^2/4 + 3/4 w)/60.
    #[test]
    fn what_was_drawn_of_few_items_varies_with_its_labels_only() {
        let selection = Selection { ranked: vec![], drawn: (0..60).collect(), probability: vec![0.75; 80] };
        let of = |i: usize| {
            [Observed::from_labels(2, 1.0, 0.0), Observed::from_labels(2, 0.0, 0.0), Observed::from_labels(2, 0.5, 0.5)]
                [i % 3]
        };
        let twice: Vec<Option<Observed>> = (0..80).map(|i| (i < 60).then(|| of(i))).collect();
        let e = weighted_mean(&selection, &twice, None, UNIT, 0.95).unwrap();
        let square = 10.0 / 59.0;
        assert!((e.se - ((0.25 * square + 0.75 / 12.0) / 60.0_f64).sqrt()).abs() < 1e-12, "{e:?}");
        // Single labels can't tell whether experts agree, and take no credit for having seen much.
        let once: Vec<Option<Observed>> = twice.iter().map(|y| y.map(|y| Observed::once(y.mean))).collect();
        let wider = weighted_mean(&selection, &once, None, UNIT, 0.95).unwrap();
        assert!((wider.se - (square / 60.0_f64).sqrt()).abs() < 1e-12 && wider.high > e.high, "{wider:?}");
        assert!(wider.at_least && !e.at_least);
    }

    #[test]
    fn a_class_that_nobody_saw_is_not_certainly_absent() {
        let selection = Selection { ranked: vec![], drawn: (0..20).collect(), probability: vec![0.1; 200] };
        let observed: Vec<Option<Observed>> = (0..200).map(|i| (i < 20).then_some(Observed::once(0.0))).collect();
        let e = weighted_mean(&selection, &observed, None, UNIT, 0.95).unwrap();
        // 1 - 0.025^(1/20)
        assert!((e.high - 0.168_433_5).abs() < 1e-6 && e.low == 0.0 && e.mean == 0.0, "{e:?}");
        let error = weighted_mean(&selection, &observed, Some(&[0.1; 200]), UNIT, 0.95).unwrap_err();
        assert!(error.to_string().contains("0 answers speak for it and 20 against"), "{error}");
    }

    #[test]
    fn what_cannot_be_estimated_is_refused_and_says_what_is_needed() {
        let top = Selection::top(&[1, 0, 2], 1);
        let error = weighted_mean(&top, &[None, Some(Observed::once(1.0)), None], None, UNIT, 0.95).unwrap_err();
        assert_eq!(error, NoEstimate::Biased { items: 2, of: 3 });
        assert!(error.to_string().contains("biased for population estimates"));
        let selection = Selection { ranked: vec![0], drawn: (1..13).collect(), probability: vec![0.5; 40] };
        let observed: Vec<Option<Observed>> = (0..40).map(|i| (i < 10).then_some(Observed::once(1.0))).collect();
        let error = weighted_mean(&selection, &observed, None, UNIT, 0.95).unwrap_err();
        assert!(error.to_string().contains("9 of the 12 randomly drawn items have labels"), "{error}");
        assert!(error.to_string().contains("needs 10"), "{error}");
        let told = responses(&selection, &observed);
        assert_eq!((told[0].items, told[0].came_back), (1, 1));
        assert_eq!((told[1].items, told[1].selected, told[1].came_back), (39, 12, 9));
        let mut nobody = observed.clone();
        (nobody[0], nobody[10]) = (None, Some(Observed::once(0.0)));
        let error = weighted_mean(&selection, &nobody, None, UNIT, 0.95).unwrap_err();
        assert!(error.to_string().contains("0 of the 1 top-ranked items"), "{error}");
    }

    /// The quick form of `examples/coverage.rs`: few random items and a rare class, where intervals of Student's t hold
    /// the truth in 0.81 and 0.32 of cases.
    #[test]
    fn intervals_keep_their_promise_for_rare_classes_and_few_items() {
        for (budget, explore, share, seed) in [(200, 0.1, 0.06, 1), (100, 0.1, 0.06, 2), (60, 0.5, 0.2, 3)] {
            let mut stream = Stream::new(seed);
            const ITEMS: usize = 1000;
            let truth: Vec<f64> = (0..ITEMS).map(|_| if stream.random() < share { 1.0 } else { 0.0 }).collect();
            let belief: Vec<f64> = truth.iter().map(|p| 0.1 + 0.3 * p + 0.3 * stream.random()).collect();
            let ranking = super::super::top(&belief, &[], ITEMS);
            let (target, mut covered, mut assisted, mut helped) = (mean(&truth), 0, 0, 0);
            const ROUNDS: usize = 400;
            for _ in 0..ROUNDS {
                let s = Selection::exploring(&ranking, budget, explore, &mut stream);
                let mut observed = vec![None; ITEMS];
                s.ranked.iter().chain(&s.drawn).for_each(|&i| observed[i] = Some(Observed::once(truth[i])));
                let e = weighted_mean(&s, &observed, None, UNIT, 0.95).unwrap();
                assert!(0.0 <= e.low && e.low <= e.mean && e.mean <= e.high && e.high <= 1.0);
                covered += usize::from((e.low..=e.high).contains(&target));
                if let Ok(a) = weighted_mean(&s, &observed, Some(&belief), UNIT, 0.95) {
                    helped += 1;
                    assisted += usize::from((a.low..=a.high).contains(&target));
                }
            }
            // 0.93 of 400, less two standard errors.
            assert!(covered as f64 >= 0.905 * ROUNDS as f64, "{budget} {explore} {share}: {covered}");
            assert!(
                assisted as f64 >= 0.905 * helped as f64 - 3.0,
                "{budget} {explore} {share}: {assisted} of {helped}"
            );
        }
    }
}
