//! What a fit and a decomposition of classes say, with or without a scale.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::judge::answers;
use crate::model::study::{CameBack, CarriedReading, Decomposition, Study};
use crate::results::parts::EvidenceReport;
use crate::results::parts::PartAverages;
use judge_uncertainty_core::belief::maps::{Map, MapChoice, MapName, Transfer, Variance};
use judge_uncertainty_core::belief::{ItemBeliefs, Mapped};
use judge_uncertainty_evaluation::Error as EvaluationError;
use judge_uncertainty_evaluation::LabelPool;

/// What the fit says besides the trust regression.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassFit {
    /// The map from the prediction to the belief, where it is one of the ladder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<FittedMap>,
}

/// A map of the ladder as it was fitted, and how it came to be taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FittedMap {
    /// Which one.
    pub name: MapName,
    /// The share of every prediction that counts as a guess by the distribution of the labels, 0 to 1.
    #[serde(default)]
    pub guesses: f64,
    /// The fitted variances, by block of parameters.
    pub variances: Vec<Variance>,
    /// The choice with its evidence; `None` where the study names the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<MapChoice>,
    /// The map of another study that it starts from; `None` where it starts from the prediction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<CarriedStart>,
}

/// The map of another study where the map here starts, and whether the labels here support it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CarriedStart {
    /// What that study is called.
    pub study: String,
    /// Which map it is.
    pub map: MapName,
    /// What it counts for: 1 takes it as it was, 0 leaves it out; as the belief takes it.
    pub weight: f64,
    /// Standard deviation of what is unknown of the weight, by the normal approximation; `None` where the labels left
    /// the map out.
    pub sd_of_weight: Option<f64>,
    /// Groups here for which that map has no terms of their own, as it has for others.
    pub new_groups: Vec<String>,
    /// What the judge here differs in, in words; `None` where nothing tells another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub another_judge: Option<String>,
    /// The likelihood of the labels here under the other study's recalibration, compared with the plain prediction.
    pub labels_here: Transfer,
}

impl CarriedStart {
    fn new(study: &Study, decomposition: &Decomposition, map: &Map) -> Result<Option<Self>, EvaluationError> {
        let (LabelPool::Classes(pool), Some(CarriedReading::Classes(carried))) =
            (&decomposition.pool, &study.carried_map)
        else {
            return Ok(None);
        };
        let Some(labels_here) = pool.transfer(&decomposition.fitted.design)? else { return Ok(None) };
        let weight = map.weight_of_carried();
        let is_new = |name: &&str| carried.map.reads().groups && !carried.groups.iter().any(|known| known == name);
        Ok(Some(Self {
            study: carried.study.clone(),
            map: carried.map.name(),
            weight: weight.map_or(0.0, |(weight, _)| weight),
            sd_of_weight: weight.map(|(_, sd)| sd),
            new_groups: study.items.group_names().into_iter().filter(is_new).map(str::to_owned).collect(),
            another_judge: carried.another_judge.clone(),
            labels_here,
        }))
    }
}

impl ClassFit {
    /// Reads the fit of a decomposition.
    pub fn new(study: &Study, decomposition: &Decomposition) -> Self {
        let read = |mapped: &Mapped| FittedMap {
            name: mapped.map.name(),
            guesses: mapped.map.guesses(),
            variances: mapped.map.variances.clone(),
            choice: mapped.choice.clone(),
            carried: CarriedStart::new(study, decomposition, &mapped.map)
                .expect("a trust that was fitted under a map can be fitted without"),
        };
        Self { map: decomposition.fitted.fit.of_classes().mapped().map(read) }
    }
}

/// What the decomposition says besides the parts of every item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassFindings {
    /// Averages over all items, in squared units of the scale; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decomposition: Option<PartAverages>,
    /// Whether total uncertainty would rank well here.
    pub evidence: EvidenceReport,
}

impl ClassFindings {
    /// Reads a decomposition.
    pub(crate) fn new(study: &Study, decomposition: &Decomposition) -> Self {
        Self {
            decomposition: study.scale().has_order().then(|| PartAverages::new(decomposition, None)),
            evidence: EvidenceReport::new(decomposition).expect("classes are ranked by total uncertainty"),
        }
    }
}

/// Says by how much the floor under predicted probabilities raises the mean of a class, where it does by a tenth or
/// more.
pub(super) fn lifted(study: &Study, classes: &[String]) -> Option<String> {
    let floored = &study.judge.predictions;
    let stated = answers(&study.judge).aggregate(None).ok()?.q;
    let means = |k: usize| [&stated, floored].map(|q| q.column(k).mean().unwrap_or_default());
    let (name, [stated, floored]) = classes
        .iter()
        .enumerate()
        .map(|(k, name)| (name, means(k)))
        .filter(|(_, [stated, floored])| *stated > 0.0 && floored / stated >= 1.1)
        .max_by(|(_, a), (_, b)| (a[1] / a[0]).total_cmp(&(b[1] / b[0])))?;
    Some(format!(
        "the floor of {} under predicted probabilities (judge.floor) raises the judge's mean share of {name:?} from \
         {:.2}% to {:.2}%; set a smaller one where rare classes matter",
        study.judge.report.of_classes().floor,
        100.0 * stated,
        100.0 * floored
    ))
}

/// Compares the added labels of every item with the belief before them; `foreseen` is the expected squared error of an
/// item's mean against a single label, and `error` that error for a label of a class, from numbers in proportion to
/// the mean.
pub fn came_back(
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
pub fn squared_error(alpha: &[f64], y: usize) -> f64 {
    let total: f64 = alpha.iter().sum();
    alpha.iter().enumerate().map(|(j, a)| (a / total - if j == y { 1.0 } else { 0.0 }).powi(2)).sum()
}

#[cfg(test)]
mod tests {
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
        let came = came_back(&ItemBeliefs::Classes(beliefs.clone()), &added, |i| beliefs.get(i).gini(), squared_error);
        let (first, removed): (Vec<_>, Vec<_>) = came.into_iter().flatten().unzip();
        for pairs in [first, removed.into_iter().flatten().collect()] {
            let realised: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
            let se = sample_sd(&realised) / (draws as f64).sqrt();
            let foreseen = pairs[0].0;
            assert!((mean(&realised) - foreseen).abs() < 4.0 * se && se < 0.01, "{foreseen} {se}");
            assert!(foreseen > 0.05);
        }
        let even = Beliefs::new(array![[1.0, 1.0], [1.0, 1.0]]);
        let one = came_back(
            &ItemBeliefs::Classes(even.clone()),
            &array![[0, 0], [1, 0]],
            |i| even.get(i).gini(),
            squared_error,
        );
        assert_eq!((one[0], one[1].unwrap().1), (None, None));
    }
}
