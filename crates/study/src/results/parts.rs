//! How the parts of the uncertainty and the evidence vary over items.

use std::collections::BTreeMap;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::input::label_store::LabelBatch;
use crate::input::labels::Labels;
use crate::model::study::{Decomposition, Study};
use crate::results::SPREAD;
use judge_uncertainty_core::belief::{Belief, Gaussian, ItemBelief, ItemBeliefs, Ratings, Repeats, mean_place};
use judge_uncertainty_core::escalation::{Budget, Rule, top};
use judge_uncertainty_core::stats::quantile::percentiles;
use judge_uncertainty_core::stats::{correlation_of_ranks, mean, population_sd, ranks, sample_sd};
use judge_uncertainty_evaluation::{ItemComponents, RuleDraws};
use judge_uncertainty_system::progress::Progress;

/// Means over all items, in squared units of the scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartAverages {
    /// Variance of a fresh label.
    pub total: f64,
    /// Its part that labels cannot reduce.
    pub aleatoric: f64,
    /// Its part that they do.
    pub epistemic: f64,
    /// Noise of an annotator who rates again; `None` without repeats.
    pub within_annotators: Option<f64>,
    /// Disagreement between annotators; `None` without repeats, for then the two are not identified.
    pub between_annotators: Option<f64>,
    /// Degrees of freedom behind the noise; 0 without repeats.
    pub repeats: u32,
    /// 5, 50 and 95 percentiles over items of each part.
    pub over_items: BTreeMap<UncertaintyPart, [f64; 3]>,
}

/// A part of an item's variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UncertaintyPart {
    /// Variance of a fresh label.
    Total,
    /// What labels reduce.
    Epistemic,
    /// What they don't.
    Aleatoric,
    /// Its part within annotators, where ratings were repeated.
    WithinAnnotators,
    /// Its part between annotators, where ratings were repeated.
    BetweenAnnotators,
}

impl PartAverages {
    /// Averages the parts of a decomposition; `repeats` is the noise of annotators who rated again, if any did.
    pub fn new(decomposition: &Decomposition, repeats: Option<Repeats>) -> Self {
        let mut parts: BTreeMap<UncertaintyPart, Vec<f64>> = [
            (UncertaintyPart::Total, decomposition.map(|b| b.total())),
            (UncertaintyPart::Aleatoric, decomposition.map(|b| b.aleatoric())),
            (UncertaintyPart::Epistemic, decomposition.map(|b| b.epistemic())),
        ]
        .into();
        if let Some(repeats) = repeats {
            let (within, between) =
                parts[&UncertaintyPart::Aleatoric].iter().map(|aleatoric| repeats.split(*aleatoric)).unzip();
            parts.extend([(UncertaintyPart::WithinAnnotators, within), (UncertaintyPart::BetweenAnnotators, between)]);
        }
        let average = |part: UncertaintyPart| parts.get(&part).map(|values| mean(values));
        Self {
            total: mean(&parts[&UncertaintyPart::Total]),
            aleatoric: mean(&parts[&UncertaintyPart::Aleatoric]),
            epistemic: mean(&parts[&UncertaintyPart::Epistemic]),
            within_annotators: average(UncertaintyPart::WithinAnnotators),
            between_annotators: average(UncertaintyPart::BetweenAnnotators),
            repeats: repeats.map_or(0, |repeats| repeats.degrees),
            over_items: parts.iter().map(|(part, values)| (*part, percentiles(values, SPREAD))).collect(),
        }
    }

    /// The parts that are identified, with their means.
    pub fn parts(&self) -> Vec<(UncertaintyPart, f64)> {
        let all = [
            (UncertaintyPart::Total, Some(self.total)),
            (UncertaintyPart::Epistemic, Some(self.epistemic)),
            (UncertaintyPart::Aleatoric, Some(self.aleatoric)),
            (UncertaintyPart::WithinAnnotators, self.within_annotators),
            (UncertaintyPart::BetweenAnnotators, self.between_annotators),
        ];
        all.into_iter().filter_map(|(part, mean)| mean.map(|mean| (part, mean))).collect()
    }
}

/// Whether ranking by entropy would go wrong: with equal total evidence alpha_0 it ranks items nearly as the epistemic
/// part does, and the more the evidence varies, the more the two come apart (the paper, App. B, "When entropy-ranking
/// is safe").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceReport {
    /// 5, 50 and 95 percentiles over items of alpha_0 = trust + labels, in labels.
    pub evidence_percentiles: [f64; 3],
    /// Standard deviation over items of ln(alpha_0 + 1), on whose scale the value of a label falls.
    pub sd_log_evidence: f64,
    /// Spearman correlation of the epistemic part with the entropy of the posterior mean; `None` where one is constant.
    pub spearman_entropy_info: Option<f64>,
    /// Spearman correlation of the epistemic part with the entropy of the judge's prediction; `None` where one is
    /// constant.
    pub spearman_judge_entropy_info: Option<f64>,
    /// Share of the tenth of the items with most epistemic uncertainty that entropy (of the posterior mean) finds too.
    pub shared_picks: f64,
    /// Epistemic uncertainty of entropy's tenth as a share of that of the best tenth.
    pub information_kept: f64,
    /// Whether entropy forgoes more than [`FORGONE`] of it.
    pub entropy_goes_wrong: bool,
}

/// Share of the epistemic uncertainty within the budget that a ranking may forgo and still count as agreeing.
pub const FORGONE: f64 = 0.1;

impl EvidenceReport {
    /// Compares the rankings of a decomposition at a tenth of the items; `None` for labels that are not ranked by these
    /// rules.
    pub fn new(decomposition: &Decomposition) -> Option<Self> {
        let evidence = decomposition.map(|b| b.evidence());
        let log: Vec<f64> = evidence.iter().map(|a| (a + 1.0).ln()).collect();
        let info = decomposition.map(|b| b.epistemic());
        let k = Budget::HEADLINE.of(decomposition.len());
        let picks = |priority: &[f64]| top(priority, &decomposition.draws.jitter, k);
        let by_entropy = decomposition.priority(Rule::PosteriorEntropy)?;
        let (best, entropy) = (picks(&decomposition.priority(Rule::Info)?), picks(&by_entropy));
        let mut chosen = vec![false; decomposition.len()];
        best.iter().for_each(|&i| chosen[i] = true);
        let shared = entropy.iter().filter(|&&i| chosen[i]).count();
        let sum = |items: &[usize]| items.iter().map(|&i| info[i]).sum::<f64>();
        let most = sum(&best);
        let of_info = ranks(&info);
        let spearman = |priority: &[f64]| correlation_of_ranks(&ranks(priority), &of_info);
        let information_kept = if most > 0.0 { sum(&entropy) / most } else { 1.0 };
        Some(Self {
            evidence_percentiles: percentiles(&evidence, SPREAD),
            sd_log_evidence: population_sd(&log),
            spearman_entropy_info: spearman(&by_entropy),
            spearman_judge_entropy_info: spearman(&decomposition.priority(Rule::JudgeEntropy)?),
            shared_picks: shared as f64 / k as f64,
            information_kept,
            entropy_goes_wrong: 1.0 - information_kept > FORGONE,
        })
    }
}

// The items that figures show.

/// Items that a figure shows at most.
pub const MOST_SHOWN: usize = 2000;

/// Items for a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemSample {
    /// Items of the study. Where they are more than the components hold, these are a simple random sample: the items
    /// that the rule `random` ranks first.
    pub items: usize,
    /// The items shown, in their order; escalated are those of a tenth of all items that are shown.
    pub components: ItemComponents,
}

impl ItemSample {
    /// Samples the items of a decomposition, with what the epistemic part and the judge's uncertainty escalate.
    pub fn new(decomposition: &Decomposition) -> Self {
        let priorities =
            [Rule::Info, Rule::JudgeEntropy].into_iter().filter_map(|rule| Some((rule, decomposition.priority(rule)?)));
        let parts = |i: usize| {
            let belief = decomposition.belief(i);
            (belief.aleatoric(), belief.epistemic())
        };
        Self::drawn(&decomposition.draws, parts, priorities.collect())
    }

    /// `parts` gives aleatoric and epistemic part of an item, `priorities` what rules rank the items by.
    fn drawn(draws: &RuleDraws, parts: impl Fn(usize) -> (f64, f64), priorities: BTreeMap<Rule, Vec<f64>>) -> Self {
        let items = draws.random.len();
        let mut shown = top(&draws.random, &[], MOST_SHOWN);
        shown.sort_unstable();
        let budget = Budget::HEADLINE;
        let escalated = |priority: Vec<f64>| -> Vec<usize> {
            let picks = top(&priority, &draws.jitter, budget.of(items));
            let mut places: Vec<usize> = picks.iter().filter_map(|item| shown.binary_search(item).ok()).collect();
            places.sort_unstable();
            places
        };
        let (aleatoric, epistemic) = shown.iter().map(|&i| parts(i)).unzip();
        let escalated = priorities.into_iter().map(|(rule, priority)| (rule, escalated(priority))).collect();
        Self { items, components: ItemComponents { aleatoric, epistemic, budget, escalated } }
    }

    /// Whether some items are left out.
    pub fn is_partial(&self) -> bool {
        self.components.aleatoric.len() < self.items
    }
}

// What moved when labels came back from experts: epistemic uncertainty drained, aleatoric left, error against promise.

/// The study with the added labels against the study without them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Movement {
    /// What was added, in order.
    pub batches: Vec<LabelBatch>,
    /// Labels added.
    pub labels: usize,
    /// Items that got some.
    pub touched: Shift,
    /// Items that got none; they move with the fitted trust only.
    pub untouched: Option<Shift>,
    /// The labels against what the belief before them expected.
    pub first: MeanForesight,
    /// Error removed by the labels, measured on labels held out; `None` if no item got two.
    pub removed: Option<MeanForesight>,
}

/// Means over a group of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Items.
    pub items: usize,
    /// Epistemic part, in the unit of the study's decomposition.
    pub epistemic: Stages,
    /// Aleatoric part, in the same unit.
    pub aleatoric: Stages,
    /// Expected squared error of the mean.
    pub spread: Stages,
}

/// One quantity at three stages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// Without the added labels.
    pub before: f64,
    /// With them, the fit being as it was.
    pub by_labels: f64,
    /// With them, everything fitted anew.
    pub after: f64,
}

/// A quantity that the belief had foreseen, and what came of it, averaged over items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeanForesight {
    /// Items.
    pub items: usize,
    /// As foreseen before the labels.
    pub predicted: f64,
    /// As it came.
    pub realised: f64,
    /// Standard error of the latter over items; `None` for one item.
    pub se: Option<f64>,
}

impl MeanForesight {
    /// Averages over items, each as foreseen and as it came; `None` without any.
    fn new(items: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let (predicted, realised): (Vec<f64>, Vec<f64>) = items.into_iter().unzip();
        let items = realised.len();
        (items > 0).then(|| Self {
            items,
            predicted: mean(&predicted),
            realised: mean(&realised),
            se: (items > 1).then(|| sample_sd(&realised) / (items as f64).sqrt()),
        })
    }
}

impl Shift {
    /// Means over the items at positions `items` of the beliefs at the three stages; `None` without any.
    fn new(beliefs: [&ItemBeliefs; 3], items: &[usize]) -> Option<Self> {
        let stages = |part: &dyn Fn(ItemBelief<'_>) -> f64| {
            let over = |beliefs: &ItemBeliefs| {
                items.iter().fold(0.0, |sum, &i| sum + part(beliefs.get(i))) / items.len() as f64
            };
            let [before, by_labels, after] = beliefs.map(over);
            Stages { before, by_labels, after }
        };
        (!items.is_empty()).then(|| Self {
            items: items.len(),
            epistemic: stages(&|belief| belief.epistemic()),
            aleatoric: stages(&|belief| belief.aleatoric()),
            spread: stages(&|belief| belief.spread()),
        })
    }
}

impl Movement {
    /// Compares a study's decomposition with that of the study without its added labels; `None` if none were added,
    /// or if there were no others.
    ///
    /// Squared errors are those of the belief's mean. How far labels lowered the error is measured by holding one label
    /// of an item out at a time and comparing the errors with and without the item's other new labels (`removed`); it
    /// is foreseen to be the fall of the spread by that many labels.
    ///
    /// # Errors
    /// As [`Decomposition::new`].
    pub fn new(study: &Study, after: &Decomposition, progress: &dyn Progress) -> Result<Option<Self>, Error> {
        let labels = study.labels.added().count();
        if labels == 0 {
            return Ok(None);
        }
        let own = study.labels.without_added();
        if own.numbers().iter().all(|&n| n == 0) {
            return Ok(None);
        }
        let before = Decomposition::over(study, &own, &(0..study.len()).collect::<Vec<_>>(), progress)?;
        let came = came_back(study, &before);
        let (touched, untouched): (Vec<usize>, Vec<usize>) = (0..study.len()).partition(|&i| came[i].is_some());
        let by_labels = before.pool.beliefs(&before.fitted.fit, &before.fitted.design, &after.pool.all());
        let shift = |items: &[usize]| Shift::new([&before.fitted.beliefs, &by_labels, &after.fitted.beliefs], items);
        let (first, removed): (Vec<_>, Vec<_>) = came.into_iter().flatten().unzip();
        let (Some(touched), Some(first)) = (shift(&touched), MeanForesight::new(first)) else {
            return Ok(None);
        };
        Ok(Some(Self {
            batches: study.labels.batches.clone(),
            labels,
            touched,
            untouched: shift(&untouched),
            first,
            removed: MeanForesight::new(removed.into_iter().flatten()),
        }))
    }
}

/// Labels that came back for an item, against the belief without them: squared errors of the belief's mean, each as
/// foreseen before the labels and as it came. The first is the error against a single label, the mean over the labels; the
/// second is the error removed by all of the labels but one, measured on that one and averaged over which it is, `None`
/// for one label.
type CameBack = ((f64, f64), Option<(f64, f64)>);

/// The labels of each item that were added later, against the belief without them; `None` for items without any.
fn came_back(study: &Study, before: &Decomposition) -> Vec<Option<CameBack>> {
    let beliefs = &before.fitted.beliefs;
    if let ItemBeliefs::Ratings(beliefs) = beliefs {
        return ratings_came_back(beliefs, &study.labels);
    }
    let classes = beliefs.of_classes();
    let added = study.labels.counts_of(&study.labels.added().copied().collect::<Vec<_>>());
    let Some(places) = study.file.config.scale.places() else {
        let gini = |item: usize| classes.get(item).gini();
        return against(beliefs, &added, gini, squared_error);
    };
    let error = |alpha: &[f64], label: usize| {
        let total: f64 = alpha.iter().sum();
        let mean: Vec<f64> = alpha.iter().map(|a| a / total).collect();
        (places[label] - mean_place(&mean, places)).powi(2)
    };
    against(beliefs, &added, |item| beliefs.get(item).total(), error)
}

/// Compares the added ratings of every item with the belief before them, in squared error of the mean.
fn ratings_came_back(before: &[Gaussian], labels: &Labels) -> Vec<Option<CameBack>> {
    let mut added: Vec<Vec<f64>> = vec![vec![]; before.len()];
    labels.added().for_each(|label| added[label.item].push(label.value));
    let of = |(labels, belief): (&Vec<f64>, &Gaussian)| {
        let error = |belief: &Gaussian, y: f64| (y - belief.mean).powi(2);
        let realised = mean(&labels.iter().map(|&y| error(belief, y)).collect::<Vec<_>>());
        let gain = |k: usize| {
            let others: Vec<f64> =
                labels.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, y)| *y).collect();
            error(belief, labels[k]) - error(&belief.updated(&Ratings::new(&others)), labels[k])
        };
        let removed = (labels.len() > 1).then(|| {
            let others = labels.len() as f64 - 1.0;
            let foreseen = belief.epistemic() * others / (belief.evidence() + others);
            (foreseen, mean(&(0..labels.len()).map(gain).collect::<Vec<_>>()))
        });
        (!labels.is_empty()).then_some(((belief.total(), realised), removed))
    };
    added.iter().zip(before).map(of).collect()
}

/// Compares the added labels of every item with the belief before them; `foreseen` is the expected squared error of an
/// item's mean against a single label, and `error` that error for a label of a class, from numbers in proportion to
/// the mean.
fn against(
    beliefs: &ItemBeliefs,
    added: &Array2<u32>,
    foreseen: impl Fn(usize) -> f64,
    error: impl Fn(&[f64], usize) -> f64,
) -> Vec<Option<CameBack>> {
    let of = |item: usize| {
        let labels: Vec<u32> = added.row(item).to_vec();
        let n: u32 = labels.iter().sum();
        let (belief, before) = (beliefs.get(item), beliefs.of_classes().get(item));
        let first = (foreseen(item), over_labels(&labels, |y| error(before.alpha(), y)));
        let gain = |y: usize| {
            let mut others = labels.clone();
            others[y] -= 1;
            error(before.alpha(), y) - error(&before.after(&others), y)
        };
        let removed = (n > 1).then(|| (belief.spread() - belief.spread_after(n - 1), over_labels(&labels, gain)));
        (n > 0).then_some((first, removed))
    };
    (0..added.nrows()).map(of).collect()
}

/// Mean of `f` over the labels of an item.
fn over_labels(labels: &[u32], f: impl Fn(usize) -> f64) -> f64 {
    let n: u32 = labels.iter().sum();
    labels.iter().enumerate().filter(|(_, c)| **c > 0).map(|(y, &c)| f64::from(c) * f(y)).sum::<f64>() / f64::from(n)
}

/// |e_y - m|^2 of the mean m of a belief with evidence `alpha`.
fn squared_error(alpha: &[f64], y: usize) -> f64 {
    let total: f64 = alpha.iter().sum();
    alpha.iter().enumerate().map(|(j, a)| (a / total - if j == y { 1.0 } else { 0.0 }).powi(2)).sum()
}

#[cfg(test)]
mod tests_of_errors {
    use ndarray::array;

    use super::*;
    use judge_uncertainty_core::belief::Beliefs;
    use judge_uncertainty_core::random::Stream;
    use judge_uncertainty_core::stats::{mean, sample_sd};

    #[test]
    fn squared_errors_by_hand() {
        assert!((squared_error(&[1.0, 3.0], 1) - (0.25_f64.powi(2) * 2.0)).abs() < 1e-15);
        assert_eq!(over_labels(&[3, 0, 1], |y| y as f64), 0.5);
    }

    /// Labels that come from the belief itself: both comparisons hold on average, which is what makes them tests of it.
    #[test]
    fn what_is_foreseen_comes_true_for_a_right_belief() {
        let mut stream = Stream::new(9);
        let alpha = [0.8, 2.0, 1.1];
        let draws = 20_000;
        let mut added = Array2::zeros((draws, 3));
        for mut row in added.rows_mut() {
            let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a)).collect();
            let sum: f64 = g.iter().sum();
            let p: Vec<f64> = g.iter().map(|g| g / sum).collect();
            let mut labels = [0; 3];
            stream.multinomial(4, &p, &mut labels);
            row.iter_mut().zip(labels).for_each(|(to, n)| *to = n);
        }
        let beliefs = Beliefs::new(Array2::from_shape_fn((draws, 3), |(_, j)| alpha[j]));
        let came = against(&ItemBeliefs::Classes(beliefs.clone()), &added, |i| beliefs.get(i).gini(), squared_error);
        let (first, removed): (Vec<_>, Vec<_>) = came.into_iter().flatten().unzip();
        for pairs in [first, removed.into_iter().flatten().collect()] {
            let realised: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
            let se = sample_sd(&realised) / (draws as f64).sqrt();
            let foreseen = pairs[0].0;
            assert!((mean(&realised) - foreseen).abs() < 4.0 * se && se < 0.01, "{foreseen} {se}");
            assert!(foreseen > 0.05);
        }
        let even = Beliefs::new(array![[1.0, 1.0], [1.0, 1.0]]);
        let one = against(
            &ItemBeliefs::Classes(even.clone()),
            &array![[0, 0], [1, 0]],
            |i| even.get(i).gini(),
            squared_error,
        );
        assert_eq!((one[0], one[1].unwrap().1), (None, None));
    }
}

#[cfg(test)]
mod tests_of_sample {
    use super::*;
    use judge_uncertainty_core::random::Stream;

    fn sample(items: usize) -> ItemSample {
        let mut stream = Stream::new(4);
        let random: Vec<f64> = (0..items).map(|_| stream.random()).collect();
        let priority: Vec<f64> = (0..items).map(|i| i as f64).collect();
        let draws = RuleDraws { jitter: vec![], random };
        ItemSample::drawn(&draws, |i| (i as f64, -(i as f64)), [(Rule::Info, priority)].into())
    }

    #[test]
    fn a_small_study_is_shown_whole() {
        let all = sample(30);
        assert!(!all.is_partial());
        assert_eq!(all.components.aleatoric, (0..30).map(f64::from).collect::<Vec<_>>());
        assert_eq!(all.components.escalated[&Rule::Info], [27, 28, 29]);
    }

    /// A simple random sample of 2000 out of 20,000: about a tenth of it is escalated (200 in expectation, standard
    /// deviation 12.7 by the hypergeometric law), and its mean is that of all items (9999.5; standard error 122).
    #[test]
    fn a_large_one_by_a_random_sample_that_keeps_the_proportions() {
        let part = sample(20_000);
        let shown = &part.components;
        assert!(part.is_partial() && part.items == 20_000 && shown.aleatoric.len() == MOST_SHOWN);
        assert!(shown.aleatoric.is_sorted());
        let escalated = &shown.escalated[&Rule::Info];
        assert!((150..250).contains(&escalated.len()), "{}", escalated.len());
        assert!(escalated.iter().all(|&k| shown.aleatoric[k] >= 18_000.0));
        let mean = shown.aleatoric.iter().sum::<f64>() / MOST_SHOWN as f64;
        assert!((mean - 9999.5).abs() < 500.0, "{mean}");
        assert_eq!(part, sample(20_000));
    }
}

#[cfg(test)]
mod tests_of_movement {
    use super::*;

    #[test]
    fn comparisons_by_hand() {
        let one = MeanForesight::new([(1.0, 2.0)]).unwrap();
        assert_eq!((one.items, one.predicted, one.realised, one.se), (1, 1.0, 2.0, None));
        // Of 2 and 4: standard deviation sqrt 2, over sqrt 2.
        assert_eq!(MeanForesight::new([(1.0, 2.0), (3.0, 4.0)]).unwrap().se, Some(1.0));
        assert_eq!(MeanForesight::new([]), None);
    }
}
