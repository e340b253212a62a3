//! What a run of a study of scores reports, and the table of all its items.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ScoreDecomposition, ScoreEvaluation, ScoreInputs, ScoreStudy};
use crate::belief::{Belief, Gaussian, Scores};
use crate::escalation::Rule;
use crate::experiments::score_split::{LEVELS, Places};
use crate::progress::Progress;
use crate::stats::quantile::percentiles;
use crate::stats::{mean, population_sd};
use crate::study::Error;
use crate::study::decompose::{Coefficient, Estimate};
use crate::study::evaluation::Outcome;
use crate::study::movement::{Comparison, Movement, Shift};
use crate::study::output::{OutputColumn, Values, describe};
use crate::study::registered::Registered;
use crate::study::results::SCHEMA;
use crate::study::sample::ItemSample;

/// Everything that a run of a study of scores reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreResults {
    /// Version of the layout.
    pub schema: u32,
    /// What the study is called.
    pub title: String,
    /// Seed of all draws.
    pub seed: u64,
    /// Lowest and highest score.
    pub scale: (f64, f64),
    /// What was read.
    pub input: ScoreInputs,
    /// Items left out because the judge has no score for them.
    pub left_out: Vec<String>,
    /// The fitted trust.
    pub fit: ScoreFitReport,
    /// Averages over all items.
    pub decomposition: ScoreAverages,
    /// Both parts of the items that figures show, with what the epistemic part and the judge's variance escalate.
    pub items: ItemSample,
    /// Held-out ratings against their intervals, one for each item with two labels or more; none without such items.
    pub calibration: Vec<Coverage>,
    /// Where these ratings lie in their predicted distributions (probability integral transform).
    pub places: Places,
    /// What escalation achieves, where labels suffice.
    pub evaluation: Outcome<ScoreEvaluation>,
    /// What ratings moved that came back from a queue; `None` without any.
    pub movement: Option<Movement>,
    /// The evaluation held against its registration; `None` without one, and everything is exploratory.
    pub registered: Option<Registered>,
}

/// The fitted trust in a judge's scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreFitReport {
    /// What the judge's mean is worth for an item with average features, in labels.
    pub typical_trust: Estimate,
    /// exp of ln lambda averaged over all items, in labels.
    pub labels_worth: f64,
    /// 5, 50 and 95 percentiles of lambda over items, in labels.
    pub trust_percentiles: [f64; 3],
    /// Standard deviation of ln lambda over items.
    pub sd_log_trust: f64,
    /// nu: what the judge's variance is worth, in degrees of freedom.
    pub freedom: f64,
    /// The fitted variance of items whose judge states none; `None` if all do.
    pub common_variance: Option<f64>,
    /// The coefficients of the features.
    pub coefficients: Vec<Coefficient>,
    /// How labelled neighbours were found, in words; `None` without embeddings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<String>,
    /// Whether the fit converged.
    pub converged: bool,
    /// Newton steps.
    pub iterations: usize,
    /// Largest component of the gradient at the end.
    pub gradient_norm: f64,
    /// Log-likelihood, in nats.
    pub log_likelihood: f64,
    /// Items with ratings.
    pub labelled_items: usize,
    /// Coefficients that the ratings don't identify.
    pub unidentified: Vec<String>,
}

/// Means over all items, in squared units of the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreAverages {
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
    pub over_items: BTreeMap<Part, [f64; 3]>,
}

/// A part of an item's variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
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

/// How many held-out ratings fell into their central intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Probability that the intervals are to have.
    pub level: f64,
    /// Share of ratings inside.
    pub inside: f64,
    /// Ratings held out.
    pub ratings: u64,
}

impl Coverage {
    /// The coverage at each of [`LEVELS`]; none without ratings.
    pub(super) fn of(places: &Places) -> Vec<Self> {
        let ratings = places.ratings();
        if ratings == 0 {
            return vec![];
        }
        let at = |(level, n): (f64, u64)| Self { level, inside: n as f64 / ratings as f64, ratings };
        LEVELS.into_iter().zip(places.inside).map(at).collect()
    }
}

impl ScoreResults {
    /// Puts the results together.
    ///
    /// # Errors
    /// As [`ScoreDecomposition::of`], when it is fitted without added ratings.
    pub fn new(
        study: &ScoreStudy,
        d: &ScoreDecomposition,
        evaluation: Outcome<ScoreEvaluation>,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        let places = held_out(study, d);
        Ok(Self {
            schema: SCHEMA,
            title: study.file.config.title.clone(),
            seed: study.file.config.seed,
            scale: study.file.config.scale,
            input: study.report.clone(),
            left_out: study.left_out.clone(),
            fit: ScoreFitReport::of(d),
            decomposition: ScoreAverages::of(d),
            items: sample(d),
            calibration: Coverage::of(&places),
            places,
            evaluation,
            movement: movement(study, d, progress)?,
            registered: None,
        })
    }
}

impl ScoreFitReport {
    fn of(d: &ScoreDecomposition) -> Self {
        let fit = &d.fit.regression;
        let errors = fit.standard_errors();
        let estimate = |k: usize| Estimate::new(fit.coefficients[k], errors[k]);
        let trust: Vec<f64> = d.priors.iter().map(|prior| prior.evidence).collect();
        let log_trust: Vec<f64> = trust.iter().map(|trust| trust.ln()).collect();
        let coefficients = d.scales.iter().enumerate().map(|(k, scale)| Coefficient {
            feature: scale.name.clone(),
            per_sd: estimate(k + 1),
            per_unit: estimate(k + 1).scaled(1.0 / scale.sd),
            mean: scale.mean,
            sd: scale.sd,
            missing: scale.missing,
            identified: !fit.unidentified.contains(&scale.name),
        });
        Self {
            typical_trust: estimate(0).exp(),
            labels_worth: mean(&log_trust).exp(),
            trust_percentiles: percentiles(&trust, [5.0, 50.0, 95.0]),
            sd_log_trust: population_sd(&log_trust),
            freedom: d.fit.freedom,
            common_variance: d.fit.common_variance,
            coefficients: coefficients.collect(),
            neighbours: d.neighbours.clone(),
            converged: fit.converged,
            iterations: fit.iterations,
            gradient_norm: fit.gradient_norm,
            log_likelihood: fit.log_likelihood,
            labelled_items: fit.labelled_items,
            unidentified: fit.unidentified.clone(),
        }
    }
}

impl ScoreAverages {
    fn of(d: &ScoreDecomposition) -> Self {
        let over = |part: fn(&Gaussian) -> f64| -> Vec<f64> { d.beliefs.iter().map(part).collect() };
        let mut parts: BTreeMap<Part, Vec<f64>> = [
            (Part::Total, over(Gaussian::total)),
            (Part::Aleatoric, over(Gaussian::aleatoric)),
            (Part::Epistemic, over(Gaussian::epistemic)),
        ]
        .into();
        if let Some(repeats) = d.repeats {
            let splits = d.beliefs.iter().map(|belief| repeats.split(belief.aleatoric()));
            let (within, between) = splits.unzip();
            parts.extend([(Part::WithinAnnotators, within), (Part::BetweenAnnotators, between)]);
        }
        let average = |part: Part| parts.get(&part).map(|values| mean(values));
        Self {
            total: mean(&parts[&Part::Total]),
            aleatoric: mean(&parts[&Part::Aleatoric]),
            epistemic: mean(&parts[&Part::Epistemic]),
            within_annotators: average(Part::WithinAnnotators),
            between_annotators: average(Part::BetweenAnnotators),
            repeats: d.repeats.map_or(0, |repeats| repeats.degrees),
            over_items: parts.iter().map(|(part, values)| (*part, percentiles(values, [5.0, 50.0, 95.0]))).collect(),
        }
    }

    /// The parts that are identified, with their means.
    pub fn parts(&self) -> Vec<(Part, f64)> {
        let all = [
            (Part::Total, Some(self.total)),
            (Part::Epistemic, Some(self.epistemic)),
            (Part::Aleatoric, Some(self.aleatoric)),
            (Part::WithinAnnotators, self.within_annotators),
            (Part::BetweenAnnotators, self.between_annotators),
        ];
        all.into_iter().filter_map(|(part, mean)| mean.map(|mean| (part, mean))).collect()
    }
}

fn sample(d: &ScoreDecomposition) -> ItemSample {
    let parts = |i: usize| [d.beliefs[i].aleatoric(), d.beliefs[i].epistemic()];
    let scores = [Rule::Info, Rule::JudgeEntropy].into_iter().filter_map(|rule| Some((rule, d.scores(rule)?)));
    ItemSample::of(&d.random, &d.jitter, parts, scores.collect())
}

/// Where held-out ratings lie in their predicted distributions, 0 to 1: each item's first annotator is held out, and one
/// of their ratings compared with the belief from the others. The fitted trust has seen the rating, among all others.
fn held_out(study: &ScoreStudy, d: &ScoreDecomposition) -> Places {
    let within = d.repeats.map(|repeats| repeats.variance);
    let of = |(i, groups): (usize, &Vec<Vec<f64>>)| {
        let (first, others) = groups.split_first().filter(|(_, others)| !others.is_empty())?;
        let others = Scores::by_annotator(others.iter().map(Vec::as_slice), within);
        Some(d.priors[i].updated(&others).label_cdf(first[0]))
    };
    Places::of(study.ratings.grouped(study.len()).iter().enumerate().filter_map(of))
}

/// What added ratings moved; as [`Movement::of`], with the squared error of the mean against single labels.
fn movement(
    study: &ScoreStudy,
    after: &ScoreDecomposition,
    progress: &dyn Progress,
) -> Result<Option<Movement>, Error> {
    let own = study.ratings.own();
    let added = study.ratings.rows.len() - own.rows.len();
    if added == 0 || own.rows.is_empty() {
        return Ok(None);
    }
    let before = ScoreDecomposition::of(study, &own, progress)?;
    let mut new: Vec<Vec<f64>> = vec![vec![]; study.len()];
    study.ratings.rows.iter().filter(|r| r.batch.is_some()).for_each(|r| new[r.item].push(r.score));
    let (touched, untouched): (Vec<usize>, Vec<usize>) = (0..study.len()).partition(|&i| !new[i].is_empty());
    let by_labels: Vec<Gaussian> = before.priors.iter().zip(&after.labels).map(|(p, l)| p.updated(l)).collect();
    let parts = |stage: usize, i: usize| {
        let belief = [&before.beliefs, &by_labels, &after.beliefs][stage][i];
        [belief.epistemic(), belief.aleatoric(), belief.epistemic()]
    };
    let (mut first, mut removed) = (vec![], vec![]);
    for &i in &touched {
        let (belief, labels) = (before.beliefs[i], &new[i]);
        let error = |belief: &Gaussian, y: f64| (y - belief.mean).powi(2);
        first.push((belief.total(), mean(&labels.iter().map(|&y| error(&belief, y)).collect::<Vec<_>>())));
        if labels.len() > 1 {
            let gains = (0..labels.len()).map(|k| {
                let others: Vec<f64> =
                    labels.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, y)| *y).collect();
                error(&belief, labels[k]) - error(&belief.updated(&Scores::of(&others)), labels[k])
            });
            let others = labels.len() as f64 - 1.0;
            let fall = belief.epistemic() * others / (belief.evidence + others);
            removed.push((fall, mean(&gains.collect::<Vec<_>>())));
        }
    }
    let (Some(touched), Some(first)) = (Shift::of(&touched, parts), Comparison::of(&first)) else {
        return Ok(None);
    };
    Ok(Some(Movement {
        batches: study.ratings.batches.clone(),
        labels: added,
        touched,
        untouched: Shift::of(&untouched, parts),
        first,
        removed: Comparison::of(&removed),
    }))
}

/// Everything known about every item, column by column.
pub fn columns(study: &ScoreStudy, d: &ScoreDecomposition) -> Vec<OutputColumn> {
    let mut columns = vec![];
    let mut put = |name: &str, unit: &'static str, meaning: &str, values: Values| {
        columns.push(OutputColumn { name: name.to_owned(), meaning: meaning.to_owned(), unit, values });
    };
    const SCORE: &str = "units of the score";
    const SQUARE: &str = "squared units of the score";
    let of = |f: &dyn Fn(usize) -> f64| Values::Number((0..study.len()).map(|i| Some(f(i))).collect());
    let some = |f: &dyn Fn(usize) -> Option<f64>| Values::Number((0..study.len()).map(f).collect());
    let belief = |f: fn(&Gaussian) -> f64| of(&|i| f(&d.beliefs[i]));

    put("id", "", "Id of the item, as in the input", Values::Text(study.items.ids.iter().map(str::to_owned).collect()));
    if let Some(groups) = &study.items.groups {
        put("group", "", "Group of the item", Values::Text(groups.clone()));
    }
    let numbers = d.labels.iter().map(|labels| labels.n).collect();
    put("labels", "labels", "Human labels in hand, one for each annotator", Values::Count(numbers));
    let label_mean = |i: usize| (d.labels[i].n > 0).then(|| d.labels[i].mean);
    put("label_mean", SCORE, "Mean of the labels; blank without any", some(&label_mean));
    put("judge_mean", SCORE, "The judge's expected mean of the annotators' scores", of(&|i| study.judge.mean[i]));
    let judge_sd = |i: usize| study.judge.variance[i].map(f64::sqrt);
    put("judge_sd", SCORE, "The judge's expected standard deviation; blank where none is stated", some(&judge_sd));
    put("trust", "labels", "Trust lambda: how many labels the judge's mean is worth", of(&|i| d.priors[i].evidence));
    put("total_evidence", "labels", "Total evidence about the mean, lambda' = trust + labels", belief(|b| b.evidence));
    put("freedom", "degrees", "Evidence about the variance, nu' = nu + labels", belief(|b| b.freedom));
    put("mean", SCORE, "Posterior mean of the pool's scores", belief(|b| b.mean));
    let interval = |i: usize| d.beliefs[i].mean_interval(0.95);
    put("mean_low", SCORE, "Lower end of the mean's central 95% interval", of(&|i| interval(i).low));
    put("mean_high", SCORE, "Upper end of it", of(&|i| interval(i).high));
    put("total", SQUARE, "Variance of a fresh label = aleatoric + epistemic", belief(Gaussian::total));
    put("aleatoric", SQUARE, "Disagreement that labels cannot reduce, E[s^2]", belief(Gaussian::aleatoric));
    if d.repeats.is_some() {
        let split = |k: usize| some(&move |i| d.split(i).map(|(within, between)| [within, between][k]));
        put("within_annotators", SQUARE, "Aleatoric part: noise of an annotator who rates again", split(0));
        put("between_annotators", SQUARE, "Aleatoric part: disagreement between annotators", split(1));
    }
    put("epistemic", SQUARE, "Var(m), the expected squared error of the mean; also v", belief(Gaussian::epistemic));
    put("delta", SQUARE, "One-label value: how much one label is expected to lower it", belief(Gaussian::label_value));
    for rule in Rule::FOR_SCORES {
        let mut ranks = vec![0; study.len()];
        for (item, rank) in d.ranking(rule).unwrap_or_default().into_iter().zip(1..) {
            ranks[item] = rank;
        }
        let meaning = format!("Place under the rule {} (1 = escalate first); ties by the seed", describe(rule));
        put(&format!("rank_{}", rule.key()), "1 to items", &meaning, Values::Count(ranks));
    }
    for feature in &d.features {
        let meaning = format!("Feature {:?} of the trust regression; blank counts as the mean", feature.name);
        put(&format!("feature_{}", feature.name), "its own", &meaning, Values::Number(feature.values.clone()));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_and_coverage_by_hand() {
        let places = [0.0, 0.05, 0.3, 0.5, 0.7, 0.99, 1.0];
        let places = Places::of(places);
        assert_eq!(places.tenths, [2, 0, 0, 1, 0, 1, 0, 1, 0, 2]);
        // Within 0.25 to 0.75: three of seven; within 0.1 to 0.9 the same; within 0.025 to 0.975: four.
        let inside: Vec<f64> = Coverage::of(&places).iter().map(|c| 7.0 * c.inside).collect();
        assert!(inside.iter().zip([3.0, 3.0, 4.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{inside:?}");
        assert_eq!(Coverage::of(&Places::of([])), []);
    }
}
