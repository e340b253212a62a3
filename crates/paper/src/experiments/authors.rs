//! Experiment 2 by the authors' own procedure: the trust where their search ends, items in the order in which their sort
//! leaves the scores as they are.
//!
//! The other reading of the experiment ([`super::chaosnli`]) fits the trust at the optimum and lets scores tie that
//! agree to 12 digits. Draws, features and everything behind the ranking are the same.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use judge_uncertainty_core::belief::{
    Beliefs, Design, Feature, FeatureColumn, FitError, FittedBelief, ItemBeliefs, Quantity, Regression,
};
use judge_uncertainty_core::escalation::{Budget, Rule, RuleInputs, top};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Summary, mean, spearman};
use judge_uncertainty_evaluation::counts::split_counts;
use judge_uncertainty_evaluation::{
    BeliefErrors, CountPool, Escalation, Fit, Fitted, Held, InHand, LabelGains, Measured, Pool, RuleDraws, Split,
};
use judge_uncertainty_familiarity::features::SelfNeighbour;
use judge_uncertainty_familiarity::neighbours::Neighbours;
use judge_uncertainty_formats::{ChaosNliData, Predictions};
use judge_uncertainty_system::progress::Progress;
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::bfgs::minimise;
use super::chaosnli::{
    ChaosNliExperiment, ChaosNliResults, ChaosNliStatements, FLOOR, counts_only_advantage, derive, evaluate,
    half_splits,
};
use super::numpy_math::{self, ln_gamma};
use super::{Error, numpy_sort};

/// Where the search starts: a trust of 8 labels for every item.
const START: f64 = 8.0;
/// The limits of the trust, in labels, in the likelihood and in what is made of the fit.
const LIMITS: (f64, f64) = (1e-3, 1e6);
/// Terms of the likelihood that are multiplied before a logarithm: of 10 labels and a trust of 1e6 far below the largest number.
const TOGETHER: usize = 4;

/// Items whose share of labels is asked about: those that the rule escalates at 10%.
const OVERLAP: Budget = Budget::HEADLINE;

/// What Experiment 2 reports under the authors' procedure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuthorsResults {
    /// Items.
    pub items: usize,
    /// Replicates: half splits with revealed labels.
    pub replicates: usize,
    /// All features.
    pub full: Escalation,
    /// The number of labels as the only feature.
    pub counts_only: Escalation,
    /// Delta's value under counts-only trust minus judge entropy's in the full run, by budget.
    pub counts_only_delta_minus_full_judge_entropy: BTreeMap<Budget, Summary>,
    /// Statements derived from the above.
    pub derived: ChaosNliStatements,
    /// How far ranking by I is ranking by the number of labels, at 10%.
    pub overlap: Overlap,
}

/// Ranking by I compared with ranking by fewest labels first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overlap {
    /// Items that a budget of 10% escalates.
    pub escalated: usize,
    /// Of these, items that both rules escalate.
    pub shared: Summary,
    /// Items that two random choices of this size would share: escalated^2 / items.
    pub shared_by_chance: f64,
    /// Percent of the items that I escalates that have no label.
    pub unlabelled_percent: Summary,
    /// Percent of the items that fewest labels first escalates that have no label.
    pub fewest_unlabelled_percent: Summary,
    /// Spearman correlation of I with minus the number of labels.
    pub spearman: Summary,
    /// Items that both rules escalate if every item has the same trust.
    pub shared_with_equal_trust: Summary,
    /// Percent of the items that I escalates without a label if every item has the same trust.
    pub unlabelled_with_equal_trust_percent: Summary,
    /// Mean trust of the items without labels over that of the others.
    pub trust_ratio: Summary,
}

/// Both readings of the experiment, with `replicates` half splits: at the optimum, and by the authors' procedure, from
/// the same draws.
///
/// # Errors
/// As [`ChaosNliExperiment::new`] and [`ChaosNliExperiment::run`].
pub fn run(
    data: &ChaosNliData,
    engine: &dyn Neighbours,
    self_neighbour: SelfNeighbour,
    replicates: usize,
    progress: &dyn Progress,
) -> Result<(ChaosNliResults, AuthorsResults), Error> {
    let experiment = ChaosNliExperiment::new(data, engine, self_neighbour)?;
    let (labels, judge) = (data.labels.view(), data.judge.aggregate(Some(FLOOR))?);
    let q = judge.q.clone();
    let authors = half_splits(AuthorsPool::new(labels, judge), None, Box::new(|_, _| vec![]));
    let (ours, theirs) = experiment.replicates(replicates, progress, |split, features, draws, stream| {
        let (full, counts_only) = evaluate(&authors, split, features, stream)?;
        let compared = compared(&full.fitted, split, q.view(), draws);
        let compared = compared.ok_or(Error::Undefined { experiment: "authors", quantity: "overlap" })?;
        Ok((full.measured, counts_only.measured, compared))
    })?;
    Ok((experiment.summarise(ours)?, summarise(theirs, labels.nrows())))
}

/// What the authors' procedure gives in all replicates.
fn summarise(outcomes: Vec<(Measured, Measured, [f64; 7])>, items: usize) -> AuthorsResults {
    let (mut full, mut counts_only, mut compared) = (vec![], vec![], vec![]);
    for (a, b, c) in outcomes {
        full.push(a);
        counts_only.push(b);
        compared.push(c);
    }
    let over = |k: usize| Summary::over(&compared, |values| values[k]);
    let escalated = OVERLAP.of(items);
    let summary = Escalation::over(&full);
    AuthorsResults {
        items,
        replicates: full.len(),
        derived: derive(&summary.value),
        full: summary,
        counts_only_delta_minus_full_judge_entropy: counts_only_advantage(&counts_only, &full),
        counts_only: Escalation::over(&counts_only),
        overlap: Overlap {
            escalated,
            shared: over(0),
            shared_by_chance: (escalated * escalated) as f64 / items as f64,
            unlabelled_percent: over(1),
            fewest_unlabelled_percent: over(2),
            spearman: over(3),
            shared_with_equal_trust: over(4),
            unlabelled_with_equal_trust_percent: over(5),
            trust_ratio: over(6),
        },
    }
}

/// One replicate of the summaries of [`Overlap`], in the order of its fields.
fn compared(fitted: &Fitted, split: &Split, q: ArrayView2<f64>, draws: &RuleDraws) -> Option<[f64; 7]> {
    let (numbers, size) = (&split.numbers, OVERLAP.of(q.nrows()));
    let log_trust = log_trust(fitted.fit.regression(), &fitted.design);
    let equal = vec![mean(&log_trust).exp(); log_trust.len()];
    let equal = Beliefs::posterior(&equal, q, split.revealed.of_classes().view());
    let fewest: Vec<f64> = numbers.iter().zip(&draws.jitter).map(|(&n, tie)| -f64::from(n) + 1e-9 * tie).collect();
    let fewest = top(&fewest, &[], size);
    let shared = |ranked: &[usize]| ranked.iter().filter(|i| fewest.contains(i)).count() as f64;
    let unlabelled =
        |ranked: &[usize]| 100.0 * ranked.iter().filter(|i| numbers[**i] == 0).count() as f64 / ranked.len() as f64;
    let mean_trust = |labelled: bool| {
        let of = log_trust.iter().zip(numbers).filter(|(_, n)| (**n > 0) == labelled);
        mean(&of.map(|(log, _)| log.exp()).collect::<Vec<f64>>())
    };
    let info = fitted.beliefs.all(Quantity::Epistemic);
    let (by_info, by_info_if_equal) = (top(&info, &[], size), top(&equal.all(Quantity::Epistemic), &[], size));
    let few: Vec<f64> = numbers.iter().map(|n| -f64::from(*n)).collect();
    Some([
        shared(&by_info),
        unlabelled(&by_info),
        unlabelled(&fewest),
        spearman(&info, &few)?,
        shared(&by_info_if_equal),
        unlabelled(&by_info_if_equal),
        mean_trust(false) / mean_trust(true),
    ])
}

/// ln lambda of every item, within the limits.
fn log_trust(fit: &Regression, design: &Design) -> Vec<f64> {
    let (intercept, slopes) = fit.coefficients.split_first().expect("an intercept");
    let eta = |i| intercept + design.row(i).iter().zip(slopes).map(|(z, b)| z * b).sum::<f64>();
    (0..design.items()).map(|i| eta(i).clamp(LIMITS.0.ln(), LIMITS.1.ln())).collect()
}

/// Items that the largest budget escalates; no order matters behind them.
fn most_escalated(items: usize) -> usize {
    Budget::PAPER.iter().map(|budget| budget.of(items)).fold(0, usize::max)
}

/// The items of Experiment 2, fitted and ranked as by the authors.
pub struct AuthorsPool {
    counts: CountPool,
    judge: Predictions,
}

impl AuthorsPool {
    /// Items with their labels, items x classes, and the judge's predictions of them.
    pub fn new(labels: ArrayView2<u32>, judge: Predictions) -> Self {
        Self { counts: CountPool::new(labels, judge.clone()), judge }
    }
}

/// Where BFGS ends on the likelihood of the labels, from a trust of 8 labels and zeros.
///
/// The last bits of the objective decide where the search ends. So the trust that depends on the number of labels alone,
/// whose claims this procedure judges, is fitted to the likelihood as the textbooks write it, in log-gamma functions of
/// a_0 = sum_j a_j and a_j, with the last bits of NumPy and SciPy. That is many times the work of products, in which the
/// trust with all features is fitted.
///
/// # Errors
/// No item has a label.
pub fn fit(design: &Design, q: ArrayView2<f64>, labels: ArrayView2<u32>) -> Result<Regression, FitError> {
    let likelihood = Likelihood::new(design, q, labels);
    if likelihood.items.is_empty() {
        return Err(FitError::NoLabels);
    }
    let mut start = vec![0.0; design.features() + 1];
    start[0] = START.ln();
    let found = if design.features() == 1 {
        minimise(&remembered(|beta| -log_likelihood_by_gammas(&likelihood, beta)), start)
    } else {
        minimise(&remembered(|beta| -log_likelihood(&likelihood, beta)), start)
    };
    Ok(Regression {
        names: std::iter::once("intercept").chain(design.names()).map(str::to_owned).collect(),
        coefficients: found.x,
        covariance: vec![],
        log_likelihood: -found.f,
        iterations: found.steps,
        gradient_norm: f64::NAN,
        converged: found.converged,
        labelled_items: likelihood.items.len(),
        rank: design.features() + 1,
        unidentified: vec![],
        at_limit: 0,
    })
}

/// A function that computes each value once: where rounding ends a search, it asks for the same parameters again and again.
fn remembered(function: impl Fn(&[f64]) -> f64) -> impl Fn(&[f64]) -> f64 {
    let known: RefCell<HashMap<Vec<u64>, f64>> = RefCell::default();
    move |x| {
        let key = x.iter().map(|x| x.to_bits()).collect();
        *known.borrow_mut().entry(key).or_insert_with(|| function(x))
    }
}

/// An item with labels: how many, the prediction, and of each class that has some the share of the prediction and their number.
struct Item {
    labels: u32,
    q: Vec<f64>,
    classes: Vec<(f64, u32)>,
}

/// The Dirichlet-multinomial likelihood of the labels.
struct Likelihood {
    items: Vec<Item>,
    /// Features of these items, feature after feature.
    z: Vec<Vec<f64>>,
    /// The items by how many labels they and their classes have: what follows equal ones costs less.
    alike: Vec<usize>,
}

impl Likelihood {
    fn new(design: &Design, q: ArrayView2<f64>, labels: ArrayView2<u32>) -> Self {
        let with_labels: Vec<usize> = (0..labels.nrows()).filter(|&i| labels.row(i).sum() > 0).collect();
        let item = |&i: &usize| Item {
            labels: labels.row(i).sum(),
            q: q.row(i).to_vec(),
            classes: q.row(i).iter().zip(labels.row(i)).filter(|(_, c)| **c > 0).map(|(q, c)| (*q, *c)).collect(),
        };
        let feature = |k: usize| with_labels.iter().map(|&i| design.row(i)[k]).collect();
        let items: Vec<Item> = with_labels.iter().map(item).collect();
        let mut alike: Vec<usize> = (0..items.len()).collect();
        alike.sort_by_cached_key(|&i| (items[i].labels, items[i].classes.iter().map(|(_, c)| *c).collect::<Vec<_>>()));
        Self { items, z: (0..design.features()).map(feature).collect(), alike }
    }
}

/// The likelihood as a product of ratios, so that several ratios need only one logarithm.
///
/// ```text
/// sum_i ln [prod_j (l q_j)(l q_j + 1)..(l q_j + c_j - 1) / l (l + 1)..(l + n - 1)],   ln l = beta_0 + beta'z
/// ```
///
/// The product of each item and the sum over items run in the order of classes and of items.
fn log_likelihood(Likelihood { items, z, alike }: &Likelihood, beta: &[f64]) -> f64 {
    let mut trust = vec![beta[0]; items.len()];
    for (b, z) in beta[1..].iter().zip(z) {
        trust.iter_mut().zip(z).for_each(|(eta, z)| *eta += b * z);
    }
    let (least, most) = (LIMITS.0.ln(), LIMITS.1.ln());
    trust.iter_mut().for_each(|eta| *eta = eta.clamp(least, most).exp());
    let rising = |from: f64, factors: u32| (0..factors).fold(1.0, |product, k| product * (from + f64::from(k)));
    let probability = |item: &Item, trust: f64| {
        let of_classes = item.classes.iter().fold(1.0, |product, (q, labels)| product * rising(trust * q, *labels));
        of_classes / rising(trust, item.labels)
    };
    let mut probabilities = vec![0.0; items.len()];
    alike.iter().for_each(|&i| probabilities[i] = probability(&items[i], trust[i]));
    let terms: Vec<f64> = probabilities.chunks(TOGETHER).map(|some| some.iter().product::<f64>().ln()).collect();
    pairwise(&terms)
}

/// The likelihood of a trust that depends on one feature, in log-gamma functions of a_j = l q_j and a_0 = sum_j a_j:
/// sum_i lnG(a_0) - lnG(a_0 + n) + sum_j [lnG(a_j + c_j) - lnG(a_j)], ln l = beta_0 + beta_1 z.
fn log_likelihood_by_gammas(Likelihood { items, z, alike }: &Likelihood, beta: &[f64]) -> f64 {
    let (least, most) = (LIMITS.0.ln(), LIMITS.1.ln());
    let rise = |a: f64, labels: u32| ln_gamma(a + f64::from(labels)) - ln_gamma(a);
    let (mut terms, mut last, mut trust) = (vec![0.0; items.len()], f64::NAN, f64::NAN);
    for &i in alike {
        let (item, z) = (&items[i], z[0][i]);
        if z != last {
            (last, trust) = (z, numpy_math::exp((beta[0] + beta[1] * z).clamp(least, most)));
        }
        let evidence: f64 = item.q.iter().map(|q| trust * q).sum();
        let own: f64 = item.classes.iter().map(|(q, labels)| rise(trust * q, *labels)).sum();
        terms[i] = ln_gamma(evidence) - ln_gamma(evidence + f64::from(item.labels)) + own;
    }
    numpy_math::sum(&terms)
}

/// A sum whose rounding grows with the logarithm of the number of terms.
fn pairwise(terms: &[f64]) -> f64 {
    const FEW: usize = 16;
    if terms.len() <= FEW {
        return terms.iter().sum();
    }
    let (left, right) = terms.split_at(terms.len() / 2);
    pairwise(left) + pairwise(right)
}

impl Pool for AuthorsPool {
    fn len(&self) -> usize {
        self.judge.q.nrows()
    }

    fn without(&self, hidden: &[bool]) -> InHand {
        self.counts.without(hidden)
    }

    fn draw(&self, reveal: &[u32], stream: &mut Stream) -> Split {
        split_counts(self.counts.all().of_classes().view(), reveal, stream)
    }

    fn extrapolates(&self) -> bool {
        true
    }

    /// The number of labels, alone, is standardised to their last bits.
    fn design(&self, features: &[FeatureColumn]) -> Result<Design, FitError> {
        let [FeatureColumn { feature: Feature::LogLabels, values }] = features else {
            return Ok(Design::over(self.len(), features)?);
        };
        let theirs = |log: f64| numpy_math::ln_1p(log.exp_m1().round());
        let values: Vec<f64> = values.iter().flatten().copied().map(theirs).collect();
        let standardised = numpy_math::standardised(&values);
        Ok(Design::raw(&[FeatureColumn::complete(Feature::LogLabels, standardised)])?)
    }

    fn fit(&self, design: &Design, labels: &InHand) -> Result<Fit, FitError> {
        let fit = fit(design, self.judge.q.view(), labels.of_classes().view())?;
        Ok(Fit::Classes(FittedBelief::Published(fit)))
    }

    fn log_trust(&self, fit: &Fit, design: &Design) -> Vec<f64> {
        log_trust(fit.regression(), design)
    }

    fn beliefs_and_trust(&self, fit: &Fit, design: &Design, labels: &InHand) -> (ItemBeliefs, Vec<f64>) {
        let trust: Vec<f64> = self.log_trust(fit, design).into_iter().map(numpy_math::exp).collect();
        let beliefs = Beliefs::posterior(&trust, self.judge.q.view(), labels.of_classes().view());
        (ItemBeliefs::Classes(beliefs), trust)
    }

    fn priority(&self, rule: Rule, fitted: &Fitted, numbers: &[u32], draws: &RuleDraws) -> Option<Vec<f64>> {
        let scores = match rule {
            Rule::Info => fitted.beliefs.all(Quantity::Epistemic),
            Rule::Delta => fitted.beliefs.all(Quantity::LabelValue),
            Rule::Spread => fitted.beliefs.all(Quantity::Spread),
            Rule::PosteriorEntropy => fitted.beliefs.all(Quantity::Total),
            other => other.priority(&RuleInputs {
                q: Some(&self.judge.q),
                confidence: Some(&self.judge.confidence),
                labels: Some(numbers),
                jitter: Some(&draws.jitter),
                random: Some(&draws.random),
                ..RuleInputs::new(&fitted.beliefs)
            })?,
        };
        Some(numpy_sort::ranked(scores, most_escalated(self.len())))
    }

    fn errors(&self, beliefs: &ItemBeliefs, held: &Held) -> Vec<BeliefErrors> {
        self.counts.errors(beliefs, held)
    }

    fn gains(&self, beliefs: &ItemBeliefs, errors: &[BeliefErrors], held: &Held) -> LabelGains {
        self.counts.gains(beliefs, errors, held)
    }
}
