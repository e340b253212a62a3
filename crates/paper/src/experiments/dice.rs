//! Experiment 1: a real LLM judge on 500 dice whose true bias is known (the paper, Sec. 5.2 and App. C).

use crate::rules::PAPER;
use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::calibration::{ConfidenceGroup, calibration};
use super::isolation::{Isolation, correlations};
use super::steps::Steps;
use super::world::{counts_in_order, grouped_counts, peaked_distributions, revealed_numbers};
use super::{Error, Extremes, numpy_sort, priority};
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::{
    Beliefs, Design, Feature, FeatureColumn, ItemBeliefs, JudgedItems, Quantity, Regression, entropy, fit_trust,
    manhattan,
};
use judge_uncertainty_core::escalation::value::prophet_values;
use judge_uncertainty_core::escalation::{Budget, Rule, RuleInputs, regret};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Summary, mean, spearman};
use judge_uncertainty_evaluation::protocol::{log_labels, uniforms};
use judge_uncertainty_evaluation::replicate;
use judge_uncertainty_formats::{DiceData, Predictions};
use judge_uncertainty_system::progress::Progress;

/// Label re-draws of the paper.
pub const PUBLISHED_DRAWS: usize = 200;

/// Dice of the paper.
pub const DICE: usize = 500;
const PROPHET_ROUNDS: usize = 20;
/// Labels per die up to which the convergence of the decomposition is followed.
const MOST_LABELS: usize = 10;

/// How much a die's description reveals of its bias; die i has tier i mod 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Nothing.
    None,
    /// That the die is weighted.
    Weak,
    /// Towards which face.
    Directional,
    /// Nearly the exact probabilities.
    Strong,
}

impl Tier {
    /// All tiers, least informative first.
    pub const ALL: [Tier; 4] = [Tier::None, Tier::Weak, Tier::Directional, Tier::Strong];

    /// Tier of die `i`.
    pub fn from_die(i: usize) -> Self {
        Self::ALL[i % 4]
    }
}

/// Everything Experiment 1 reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiceResults {
    /// Dice that the judge's answers are about.
    pub items: usize,
    /// Fewest dice of a description tier.
    pub items_per_tier: usize,
    /// Label re-draws.
    pub draws: usize,
    /// Mean true disagreement H(p), in nats.
    pub mean_true_disagreement: f64,
    /// The judge by description tier.
    pub tiers: BTreeMap<Tier, TierRow>,
    /// Spearman correlation of stated confidence with the error of the judge's prediction, over dice that have one.
    pub spearman_confidence_error: f64,
    /// That error by stated confidence.
    pub calibration: Vec<ConfidenceGroup>,
    /// Rank correlations of estimates with truths, tier features.
    pub isolation: DiceIsolation,
    /// Regret in percentage points by feature set, rule and budget.
    pub regret_pp: BTreeMap<FeatureSet, BTreeMap<Rule, BTreeMap<Budget, Summary>>>,
    /// Regret of low stated confidence minus regret of random at 10%, in pp; tier features alone in the stream.
    pub low_confidence_minus_random_pp: Summary,
    /// Regret of judge entropy minus regret of Delta at 10%, in pp; tier features.
    pub judge_entropy_minus_delta_pp: Summary,
    /// Regret of judge entropy minus regret of Delta by budget, in pp, tier features, with equal values of Delta in the
    /// order in which the authors' sort leaves them.
    pub judge_entropy_minus_delta_by_numpys_sort_pp: BTreeMap<Budget, Summary>,
    /// The decomposition as labels arrive, 0 to 10 per die.
    pub convergence: Convergence<Vec<Summary>>,
    /// Smallest and largest mean over 0 to 10 labels.
    pub convergence_range: Convergence<Extremes>,
    /// The judge's own update against conjugate updating.
    pub self_update: SelfUpdate,
    /// Fitted coefficients over draws, by feature set: name and summary, intercept first.
    pub coefficients: BTreeMap<FeatureSet, Vec<(String, Summary)>>,
    /// Fits that did not converge, over all draws and feature sets.
    pub unconverged_fits: usize,
}

/// The judge on the dice of one tier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TierRow {
    /// Mean Manhattan distance of the judge's prediction to the true bias, 0 to 2.
    pub judge_error: f64,
    /// Mean stated confidence, 0 to 100, over dice that have one.
    pub stated_confidence: f64,
    /// Mean over dice of the spread of the predicted probabilities over prompt variants.
    pub variant_spread: f64,
    /// Dice with a stated confidence.
    pub with_confidence: usize,
}

/// Which features the trust regression sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureSet {
    /// Variant spread, ln(1 + n), stated confidence.
    Base,
    /// All features, and indicators of the description tier: the dice's familiarity channel.
    Tier,
}

/// Isolation of the components and, for comparison, of the judge's undivided output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiceIsolation {
    /// The estimated components.
    #[serde(flatten)]
    pub components: Isolation,
    /// Entropy of the judge's prediction with the true disagreement.
    pub judge_entropy_disagreement: Summary,
    /// Entropy of the judge's prediction with the true error.
    pub judge_entropy_error: Summary,
    /// Total uncertainty H(m), the entropy of the posterior mean, with the true disagreement.
    pub total_disagreement: Summary,
    /// Total uncertainty H(m) with the true error.
    pub total_error: Summary,
    /// Entropy of the judge's prediction with the epistemic estimate I.
    pub judge_entropy_epistemic: Summary,
    /// Total uncertainty H(m) with the epistemic estimate I.
    pub total_epistemic: Summary,
}

/// One quantity per line of the convergence figure, means over dice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Convergence<T> {
    /// Total uncertainty H(m), nats.
    pub total: T,
    /// Aleatoric estimate, nats.
    pub aleatoric: T,
    /// Epistemic estimate I, nats.
    pub epistemic: T,
    /// Posterior spread v.
    pub spread: T,
    /// Manhattan error of the posterior mean.
    pub error: T,
    /// Manhattan error of the add-one rule (1 + counts)/(3 + n), which ignores the judge.
    pub add_one_error: T,
}

/// The judge shown its own rolls against Bayes' rule, mean Manhattan errors over the dice with a self-update.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfUpdate {
    /// Dice with a self-update.
    pub items: usize,
    /// Error of the judge's own update.
    pub judge_error: f64,
    /// Error of the posterior mean, trust fitted without the tier.
    pub conjugate_base_error: f64,
    /// Error of the posterior mean, trust fitted with the tier.
    pub conjugate_tier_error: f64,
    /// `judge_error` - `conjugate_tier_error`: above 0 where the judge's own update is the worse of the two.
    pub judge_minus_conjugate_tier_error: f64,
}

/// The dice with their true biases and the labels revealed.
#[derive(Debug, Clone)]
pub struct DiceWorld {
    /// True biases, dice x faces.
    pub p: Array2<f64>,
    /// Rolls revealed per die.
    pub numbers: Vec<u32>,
    /// The world's own label counts.
    pub counts: Array2<u32>,
}

impl DiceWorld {
    /// The world of the paper by `steps` (protocol, section 3).
    pub fn draw(steps: &dyn Steps) -> Self {
        let mut stream = Stream::new(steps.seeds().dice);
        let contentiousness = uniforms(&mut stream, DICE);
        let p = peaked_distributions(&mut stream, &contentiousness, steps);
        let numbers = revealed_numbers(&mut stream, DICE);
        let counts = grouped_counts(&mut stream, &numbers, p.view());
        Self { p, numbers, counts }
    }

    fn redraw_counts(&self, stream: &mut Stream) -> Array2<u32> {
        let order: Vec<usize> = (0..self.numbers.len()).filter(|&i| self.numbers[i] > 0).collect();
        counts_in_order(stream, &order, &self.numbers, self.p.view())
    }
}

/// The experiment: a world, the judge's predictions of it, and the two designs of the trust regression.
pub struct DiceExperiment<'a> {
    steps: &'a dyn Steps,
    world: DiceWorld,
    judge: Predictions,
    self_update: Vec<Option<Vec<f64>>>,
    designs: BTreeMap<FeatureSet, Design>,
    disagreement: Vec<f64>,
    judge_entropy: Vec<f64>,
}

/// One label re-draw, evaluated.
pub struct DiceDraw {
    /// Label counts.
    pub counts: Array2<u32>,
    /// By feature set: the fit, prophet values and regrets, in the stream order base, tier.
    pub evaluations: BTreeMap<FeatureSet, DiceEvaluation>,
    /// Isolation of the components under the tier features.
    pub isolation: [f64; 5],
    /// Rank correlations of the judge's entropy, then of the total uncertainty H(m), with the true disagreement and the
    /// error; then of both with the epistemic estimate I.
    pub taken_whole: [f64; 6],
    tier_alone: DiceEvaluation,
}

/// A fitted belief with what its rankings forgo.
pub struct DiceEvaluation {
    /// The trust regression.
    pub fit: Regression,
    /// Posterior beliefs.
    pub beliefs: ItemBeliefs,
    /// Prophet value of each die.
    pub values: Vec<f64>,
    /// Regret as a share, by rule and budget.
    pub regret: BTreeMap<Rule, BTreeMap<Budget, f64>>,
    /// Regret of Delta as a share, by budget, with equal values in the order in which the authors' sort leaves them.
    pub regret_by_numpys_sort: BTreeMap<Budget, f64>,
}

impl<'a> DiceExperiment<'a> {
    /// Sets the experiment up from the judge's answers, by `steps`.
    ///
    /// # Errors
    /// Another number of dice than 500, a die without any prediction, or features that can't be used.
    pub fn new(data: &DiceData, steps: &'a dyn Steps) -> Result<Self, Error> {
        let world = DiceWorld::draw(steps);
        let judge = data.judge.aggregate(data.floor)?;
        if judge.q.dim() != world.p.dim() {
            return Err(Error::Shape {
                experiment: "dice",
                detail: format!("{DICE} dice with 3 faces expected, found {:?}", judge.q.dim()),
            });
        }
        let tier = |t: Tier, name: &str| {
            FeatureColumn::complete(name, (0..DICE).map(|i| if Tier::from_die(i) == t { 1.0 } else { 0.0 }))
        };
        let base = vec![
            FeatureColumn::partial(Feature::Spread, judge.spread.iter().copied()),
            FeatureColumn::complete(Feature::LogLabels, log_labels(&world.numbers)),
            FeatureColumn::partial(Feature::Confidence, judge.confidence.iter().copied()),
        ];
        let mut with_tier =
            vec![tier(Tier::Weak, "weak"), tier(Tier::Directional, "directional"), tier(Tier::Strong, "strong")];
        with_tier.extend(base.iter().cloned());
        Ok(Self {
            disagreement: world.p.rows().into_iter().map(|p| entropy(row(p))).collect(),
            judge_entropy: judge.q.rows().into_iter().map(|q| entropy(row(q))).collect(),
            designs: BTreeMap::from([
                (FeatureSet::Base, steps.standardised(&steps.features(base))?),
                (FeatureSet::Tier, steps.standardised(&steps.features(with_tier))?),
            ]),
            self_update: (0..DICE).map(|i| data.judge.self_update(i)).collect(),
            world,
            judge,
            steps,
        })
    }

    /// The judged dice with the features of a set.
    pub fn judged(&self, set: FeatureSet) -> JudgedItems<'_> {
        JudgedItems::new(&self.designs[&set], self.judge.q.view(), &[])
    }

    /// The labels of re-draw `r`.
    pub fn redraw(&self, r: u64) -> Array2<u32> {
        self.world.redraw_counts(&mut Stream::new(self.steps.seeds().dice_draws + r))
    }

    /// The world of the experiment.
    pub fn world(&self) -> &DiceWorld {
        &self.world
    }

    /// Runs the experiment with `draws` label re-draws (200 in the paper).
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn run(&self, draws: usize, progress: &dyn Progress) -> Result<DiceResults, Error> {
        let seeds: Vec<u64> = (0..draws as u64).collect();
        let replicates =
            replicate("dice", &seeds, progress, |&r| Ok::<_, Error>((self.draw(r)?, self.convergence(r)?)))?;
        let (draws_done, paths): (Vec<DiceDraw>, Vec<Vec<[f64; 6]>>) = replicates.into_iter().unzip();

        let predicted = self.judge.q.rows().into_iter().zip(self.world.p.rows());
        let errors: Vec<f64> = predicted.map(|(q, p)| manhattan(row(q), row(p))).collect();
        let (confident, their_errors): (Vec<f64>, Vec<f64>) =
            self.judge.confidence.iter().zip(&errors).filter_map(|(c, e)| c.map(|c| (c, *e))).unzip();
        let pp_at = |evaluation: &DiceEvaluation, rule: Rule| 100.0 * evaluation.regret[&rule][&Budget::HEADLINE];
        let line = |k: usize| -> Vec<Summary> {
            (0..=MOST_LABELS).map(|n| Summary::over(&paths, |path| path[n][k])).collect()
        };
        let whole = |k: usize| Summary::over(&draws_done, |d| d.taken_whole[k]);
        Ok(DiceResults {
            items: self.judge.q.nrows(),
            items_per_tier: self.fewest_per_tier(),
            draws,
            mean_true_disagreement: mean(&self.disagreement),
            tiers: Tier::ALL.into_iter().map(|t| (t, self.tier_row(t, &errors))).collect(),
            spearman_confidence_error: spearman(&confident, &their_errors).ok_or(Error::Undefined {
                experiment: "dice",
                quantity: "correlation of stated confidence with error",
            })?,
            calibration: calibration(&self.judge.confidence, &errors),
            isolation: DiceIsolation {
                components: Isolation::over(&draws_done, |d| d.isolation),
                judge_entropy_disagreement: whole(0),
                judge_entropy_error: whole(1),
                total_disagreement: whole(2),
                total_error: whole(3),
                judge_entropy_epistemic: whole(4),
                total_epistemic: whole(5),
            },
            regret_pp: self.summarise_regrets(&draws_done),
            low_confidence_minus_random_pp: Summary::over(&draws_done, |d| {
                pp_at(&d.tier_alone, Rule::LowConfidence) - pp_at(&d.tier_alone, Rule::Random)
            }),
            judge_entropy_minus_delta_pp: Summary::over(&draws_done, |d| {
                let tier = &d.evaluations[&FeatureSet::Tier];
                pp_at(tier, Rule::JudgeEntropy) - pp_at(tier, Rule::Delta)
            }),
            judge_entropy_minus_delta_by_numpys_sort_pp: Budget::PAPER
                .map(|budget| {
                    let summary = Summary::over(&draws_done, |d| {
                        let tier = &d.evaluations[&FeatureSet::Tier];
                        100.0 * (tier.regret[&Rule::JudgeEntropy][&budget] - tier.regret_by_numpys_sort[&budget])
                    });
                    (budget, summary)
                })
                .into(),
            convergence_range: Convergence::from_lines(|k| Extremes::new(line(k).iter().map(|s| s.mean))),
            convergence: Convergence::from_lines(line),
            self_update: self.self_updating()?,
            coefficients: self
                .designs
                .keys()
                .map(|set| {
                    let names = draws_done[0].evaluations[set].fit.names.clone();
                    let rows = names.into_iter().enumerate().map(|(k, name)| {
                        (name, Summary::over(&draws_done, |d| d.evaluations[set].fit.coefficients[k]))
                    });
                    (*set, rows.collect())
                })
                .collect(),
            unconverged_fits: draws_done
                .iter()
                .flat_map(|d| d.evaluations.values())
                .filter(|e| !e.fit.converged)
                .count(),
        })
    }

    /// Label re-draw `r`: both feature sets evaluated in one stream, and the tier set alone in a stream of its own.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn draw(&self, r: u64) -> Result<DiceDraw, Error> {
        let mut stream = Stream::new(self.steps.seeds().dice_draws + r);
        let counts = self.world.redraw_counts(&mut stream);
        let mut alone = stream.clone();
        let (base, tier) = (self.fit(FeatureSet::Base, counts.view())?, self.fit(FeatureSet::Tier, counts.view())?);
        let tier_alone = self.evaluate(tier.clone(), &mut alone)?;
        let evaluations = BTreeMap::from([
            (FeatureSet::Base, self.evaluate(base, &mut stream)?),
            (FeatureSet::Tier, self.evaluate(tier, &mut stream)?),
        ]);
        let beliefs = evaluations[&FeatureSet::Tier].beliefs.of_classes();
        let errors = beliefs.errors(self.world.p.view());
        let undefined = || Error::Undefined { experiment: "dice", quantity: "rank correlation of a component" };
        let isolation = correlations(beliefs, &self.disagreement, &errors).ok_or_else(undefined)?;
        let correlation = |x: &[f64], y: &[f64]| spearman(x, y).ok_or_else(undefined);
        let [total, epistemic] = [Quantity::Total, Quantity::Epistemic].map(|part| beliefs.all(part));
        Ok(DiceDraw {
            counts,
            evaluations,
            isolation,
            taken_whole: [
                correlation(&self.judge_entropy, &self.disagreement)?,
                correlation(&self.judge_entropy, &errors)?,
                correlation(&total, &self.disagreement)?,
                correlation(&total, &errors)?,
                correlation(&self.judge_entropy, &epistemic)?,
                correlation(&total, &epistemic)?,
            ],
            tier_alone,
        })
    }

    fn fit(&self, set: FeatureSet, counts: ArrayView2<u32>) -> Result<(Regression, Beliefs), Error> {
        let design = &self.designs[&set];
        let counts = self.steps.labels(&counts.to_owned());
        let fit = fit_trust(design, self.judge.q.view(), counts.view())?;
        let beliefs = Beliefs::posterior(&self.steps.trust(fit.trust(design)), self.judge.q.view(), counts.view());
        Ok((fit, beliefs))
    }

    /// Equal priorities keep the order of the dice: only the rules that have draws added break ties by them.
    fn evaluate(&self, (fit, beliefs): (Regression, Beliefs), stream: &mut Stream) -> Result<DiceEvaluation, Error> {
        let values = prophet_values(&beliefs, self.world.p.view(), PROPHET_ROUNDS, stream);
        let beliefs = ItemBeliefs::Classes(beliefs);
        let jitter = uniforms(stream, DICE);
        let random = uniforms(stream, DICE);
        let inputs = RuleInputs {
            q: Some(&self.judge.q),
            confidence: Some(&self.judge.confidence),
            labels: Some(&self.world.numbers),
            jitter: Some(&jitter),
            random: Some(&random),
            ..RuleInputs::new(&beliefs)
        };
        let tie_break = self.steps.tie_breaks(&[]);
        let by_budget = |scores: &[f64]| -> Result<BTreeMap<Budget, f64>, Error> {
            let regrets = Budget::PAPER.map(|b| Some((b, regret(&values, scores, &tie_break, b.of(DICE))?)));
            let undefined = Error::Undefined { experiment: "dice", quantity: "regret" };
            regrets.into_iter().collect::<Option<_>>().ok_or(undefined)
        };
        let regrets = PAPER.map(|rule| Ok((rule, by_budget(&priority(rule, &inputs))?)));
        let regrets = regrets.into_iter().collect::<Result<_, Error>>()?;
        let regret_by_numpys_sort = by_budget(&numpy_sort::ranked(beliefs.all(Quantity::LabelValue), DICE))?;
        Ok(DiceEvaluation { fit, beliefs, values, regret: regrets, regret_by_numpys_sort })
    }

    /// Mean components after 0..=10 labels per die, as in [`Convergence`], under the trust fitted to the re-drawn labels.
    fn convergence(&self, r: u64) -> Result<Vec<[f64; 6]>, Error> {
        let mut stream = Stream::new(self.steps.seeds().dice_draws + r);
        let deployed = self.world.redraw_counts(&mut stream);
        let (fit, _) = self.fit(FeatureSet::Tier, deployed.view())?;
        let trust = self.steps.trust(fit.trust(&self.designs[&FeatureSet::Tier]));
        let p = &self.world.p;
        let mut beliefs = Beliefs::posterior(&trust, self.judge.q.view(), Array2::zeros(p.dim()).view());
        let mut add_one = Beliefs::new(Array2::ones(p.dim()));
        let mut path = vec![];
        let mut label = [0; 3];
        for n in 0..=MOST_LABELS {
            if n > 0 {
                for i in 0..DICE {
                    stream.multinomial(1, row(p.row(i)), &mut label);
                    let face = label.iter().position(|&c| c == 1).unwrap_or(label.len() - 1);
                    beliefs.add_label(i, face);
                    add_one.add_label(i, face);
                }
            }
            let components = [Quantity::Total, Quantity::Aleatoric, Quantity::Epistemic, Quantity::Spread];
            let [total, aleatoric, epistemic, spread] = components.map(|quantity| mean(&beliefs.all(quantity)));
            let [error, add_one_error] = [&beliefs, &add_one].map(|beliefs| mean(&beliefs.errors(self.world.p.view())));
            path.push([total, aleatoric, epistemic, spread, error, add_one_error]);
        }
        Ok(path)
    }

    fn tier_row(&self, tier: Tier, errors: &[f64]) -> TierRow {
        let of_tier = |values: &[Option<f64>]| -> Vec<f64> {
            values.iter().enumerate().filter(|(i, _)| Tier::from_die(*i) == tier).filter_map(|(_, x)| *x).collect()
        };
        let errors: Vec<Option<f64>> = errors.iter().copied().map(Some).collect();
        let confidence = of_tier(&self.judge.confidence);
        TierRow {
            judge_error: mean(&of_tier(&errors)),
            stated_confidence: mean(&confidence),
            variant_spread: mean(&of_tier(&self.judge.spread)),
            with_confidence: confidence.len(),
        }
    }

    fn self_updating(&self) -> Result<SelfUpdate, Error> {
        let updated: Vec<(usize, &Vec<f64>)> =
            self.self_update.iter().enumerate().filter_map(|(i, d)| d.as_ref().map(|d| (i, d))).collect();
        let error_of = |set| -> Result<f64, Error> {
            let (_, beliefs) = self.fit(set, self.world.counts.view())?;
            let errors = beliefs.errors(self.world.p.view());
            Ok(mean(&updated.iter().map(|(i, _)| errors[*i]).collect::<Vec<_>>()))
        };
        let own: Vec<f64> = updated.iter().map(|(i, d)| manhattan(d, row(self.world.p.row(*i)))).collect();
        let (judge_error, conjugate_tier_error) = (mean(&own), error_of(FeatureSet::Tier)?);
        Ok(SelfUpdate {
            items: updated.len(),
            judge_error,
            conjugate_base_error: error_of(FeatureSet::Base)?,
            conjugate_tier_error,
            judge_minus_conjugate_tier_error: judge_error - conjugate_tier_error,
        })
    }

    fn fewest_per_tier(&self) -> usize {
        let of = |tier: Tier| (0..self.judge.q.nrows()).filter(|&i| Tier::from_die(i) == tier).count();
        Tier::ALL.into_iter().map(of).min().unwrap_or(0)
    }

    fn summarise_regrets(&self, draws: &[DiceDraw]) -> BTreeMap<FeatureSet, BTreeMap<Rule, BTreeMap<Budget, Summary>>> {
        let at = |set: &FeatureSet, rule: Rule, budget: Budget| {
            Summary::over(draws, |d| 100.0 * d.evaluations[set].regret[&rule][&budget])
        };
        let by_rule =
            |set: &FeatureSet| PAPER.map(|rule| (rule, Budget::PAPER.map(|b| (b, at(set, rule, b))).into())).into();
        self.designs.keys().map(|set| (*set, by_rule(set))).collect()
    }
}

impl<T> Convergence<T> {
    /// The lines by their position.
    fn from_lines(line: impl Fn(usize) -> T) -> Self {
        let [total, aleatoric, epistemic, spread, error, add_one_error] = std::array::from_fn(line);
        Self { total, aleatoric, epistemic, spread, error, add_one_error }
    }
}
