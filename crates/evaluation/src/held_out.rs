//! Predictions scored on labels that they have not seen, from one label an item: labels are left out one by one, and
//! items in folds for what is fitted.

use std::collections::BTreeMap;

use judge_uncertainty_core::belief::{
    Belief, Design, Dirichlet, FeatureColumn, FitError, ItemBeliefs, OrdinalBelief, Standardizer, dirichlet::row,
};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::label_scores::{
    brier_score, log_score, pair_disagreement, ranked_probability_score,
};
use judge_uncertainty_core::stats::predictive::count_within;
use ndarray::ArrayView1;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::counts::CountPool;
use super::pool::{Fitted, Pool};

/// Folds of items; an item is scored by fits to the labels of the other folds.
pub const FOLDS: usize = 10;

/// What a prediction of one label is scored by; lower is better, but for the coverage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// -ln of the label's probability or density, in nats.
    Log,
    /// Brier's score, 0 to 2.
    Brier,
    /// Continuous ranked probability score, in units of the scale.
    Crps,
    /// Squared difference of the predicted mean from the label, in squared units.
    Squared,
    /// Whether the central interval of [`COVERED`] holds the label.
    Coverage,
}

/// Probability of the intervals whose coverage is counted.
pub const COVERED: f64 = 0.9;

/// Which labels of an item a prediction of one of them knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// None.
    NoLabel,
    /// All its other labels, one or more.
    OtherLabels,
}

/// A pool whose predictions can be scored label by label.
pub trait Scored: Pool {
    /// What is scored, in the order of all scores here.
    fn scores(&self) -> &'static [Score];

    /// The one of them that exceeds the squared error against the pool by the disagreement within the item.
    fn squared(&self) -> Score {
        match self.scores() {
            [_, Score::Brier, ..] => Score::Brier,
            _ => Score::Squared,
        }
    }

    /// What the belief about an item before its labels, which `priors` holds, foresees of them, and how they score it.
    fn forecast(&self, priors: &ItemBeliefs, item: usize) -> Forecast;

    /// The mean of that belief, in the terms of [`JudgedItem::predicted`].
    fn believed(&self, priors: &ItemBeliefs, item: usize) -> Vec<f64>;

    /// The judge's prediction of an item against the labels of the item; `None` without labels.
    fn judged_item(&self, item: usize) -> Option<JudgedItem>;

    /// Scores of an item's labels under what the labels of all items but the `hidden` ones have in common: no judge at
    /// all.
    fn base_rate_scores(&self, hidden: &[bool]) -> Box<dyn Fn(usize) -> Option<Vec<Option<f64>>> + Send + '_>;

    /// What the judge predicts of a label's value or of its likeliest class, and the mean over the item's labels of
    /// what came.
    fn calibration(&self, item: usize) -> Option<(f64, f64)> {
        let JudgedItem { predicted, observed, .. } = self.judged_item(item)?;
        let at = if self.squared() == Score::Brier { largest(&predicted) } else { 0 };
        Some((predicted[at], observed[at]))
    }
}

/// The judge's prediction of an item against its labels.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedItem {
    /// What the judge predicts: the mean on a scale, and the shares of the classes.
    pub predicted: Vec<f64>,
    /// What the labels are, in the same terms.
    pub observed: Vec<f64>,
    /// Scores of the labels, averaged over them, in the order of [`Scored::scores`]; `None` for one that the judge
    /// states too little for.
    pub scores: Vec<Option<f64>>,
    /// How much the labels disagree, in units of [`Scored::squared`], without bias; `None` for fewer than two.
    pub disagreement: Option<f64>,
}

/// What a belief about an item foresees of its labels, and how they score it, given none of them and given all but the
/// one that is foreseen; the latter is `None` for fewer than two labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// Scores of the labels, averaged over them, in the order of [`Scored::scores`]; `None` without labels.
    pub scores: [Option<Vec<Option<f64>>>; 2],
    /// What the belief foresees of its own error, on average over the labels that are left out; `None` where that is
    /// not bounded.
    pub foreseen: [Option<Foreseen>; 2],
    /// How much of the labels lies in the belief's central interval, for the probabilities [`LEVELS`], 0 to 1; `None`
    /// without labels.
    pub within: [Option<f64>; 2],
}

/// What a belief about an item foresees, in units of [`Scored::squared`].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Foreseen {
    /// Squared error of its mean against the pool.
    pub error: f64,
    /// Disagreement of two labels.
    pub disagreement: f64,
    /// What it is worth in labels: with k more of them the error falls by the factor e/(e + k).
    pub evidence: f64,
}

impl Foreseen {
    /// The mean of several, each with its weight; `None` where one of them is not bounded, or there are none.
    pub fn mean(of: &[(f64, Self)]) -> Option<Self> {
        let all: f64 = of.iter().map(|(weight, _)| weight).sum();
        let over = |f: fn(&Self) -> f64| of.iter().map(|(weight, x)| weight * f(x)).sum::<f64>() / all;
        let found =
            Self { error: over(|x| x.error), disagreement: over(|x| x.disagreement), evidence: over(|x| x.evidence) };
        (!of.is_empty() && found.error.is_finite() && found.disagreement.is_finite()).then_some(found)
    }
}

/// Probabilities of the intervals that [`Forecast::within`] is about.
pub const LEVELS: [f64; 2] = [0.8, 0.95];

/// Scores item by item: `None` for an item without the labels or the statements that a score takes.
pub type ItemScores = Vec<Option<f64>>;

/// A prediction and what of the item it knows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prediction {
    /// `base_rate`, `judge`, or the name of a belief.
    pub name: String,
    /// What it knows.
    pub given: Given,
}

/// Predictions held against labels that they have not seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scoring {
    /// The scores of every prediction.
    pub table: ScoreTable,
    /// What each belief predicted of every item before its labels ([`Scored::believed`]), by its name.
    pub believed: BTreeMap<String, Vec<Vec<f64>>>,
    /// What each belief foresees of its error of every item ([`Forecast::foreseen`]).
    pub foreseen: BTreeMap<Prediction, Vec<Option<Foreseen>>>,
    /// How much of an item's labels lies where each belief expects them ([`Forecast::within`]), by its name and by
    /// level as in [`LEVELS`].
    pub within: BTreeMap<String, [ItemScores; 2]>,
}

/// What a prediction, by its name, foresees of an item, and what a belief predicts.
type NamedForecast<'a> = (&'a str, usize, Forecast, Option<Vec<f64>>);

const GIVEN: [Given; 2] = [Given::NoLabel, Given::OtherLabels];

/// The scores of every prediction, by score.
pub type ScoreTable = BTreeMap<Prediction, BTreeMap<Score, ItemScores>>;

/// The fold of each item, drawn at random in equal sizes; `clusters` has the cluster of each item, numbered from 0, and
/// items of one cluster share a fold.
///
/// Stream: one draw for each cluster except the last, of its place among the places left.
pub fn folds(clusters: &[usize], stream: &mut Stream) -> Vec<usize> {
    let number = clusters.iter().max().map_or(0, |last| last + 1);
    let mut order: Vec<usize> = (0..number).collect();
    for k in 0..number.saturating_sub(1) {
        let other = k + stream.choice((number - k) as u32) as usize;
        order.swap(k, other);
    }
    let mut of_cluster = vec![0; number];
    order.into_iter().enumerate().for_each(|(place, cluster)| of_cluster[cluster] = place % FOLDS);
    clusters.iter().map(|&cluster| of_cluster[cluster]).collect()
}

/// Scores the base rate, the judge and the beliefs of these `pools`, all of the same items, on the items' labels.
///
/// Features count the labels of an item, never what they say.
///
/// # Errors
/// A fit that is impossible.
pub fn score(
    pools: &[(String, &dyn Scored)],
    features: &[FeatureColumn],
    folds: &[usize],
) -> Result<Scoring, FitError> {
    let items = folds.len();
    let design = match features {
        [] => Design::constant(items),
        _ => Standardizer::fit(features)?.apply(features)?,
    };
    let of_fold = |fold: usize| -> Result<Vec<NamedForecast>, FitError> {
        let hidden: Vec<bool> = folds.iter().map(|f| *f == fold).collect();
        let own: Vec<usize> = (0..items).filter(|&i| hidden[i]).collect();
        let base_rate = pools[0].1.base_rate_scores(&hidden);
        let judge = |item: usize| pools[0].1.judged_item(item).map(|judged| judged.scores);
        let of_scores = |scores| Forecast { scores: [scores, None], foreseen: [None; 2], within: [None; 2] };
        let mut found: Vec<NamedForecast> = vec![];
        for &i in &own {
            found.push(("base_rate", i, of_scores(base_rate(i)), None));
            found.push(("judge", i, of_scores(judge(i)), None));
        }
        for (name, pool) in pools {
            let beliefs = Fitted::new(*pool, design.clone(), &pool.without(&hidden))?.beliefs;
            let of_item = |&i: &usize| (name.as_str(), i, pool.forecast(&beliefs, i), Some(pool.believed(&beliefs, i)));
            found.extend(own.iter().map(of_item));
        }
        Ok(found)
    };
    let used: std::collections::BTreeSet<usize> = folds.iter().copied().collect();
    let parts: Vec<Vec<NamedForecast>> =
        used.into_iter().collect::<Vec<_>>().into_par_iter().map(of_fold).collect::<Result<_, _>>()?;
    let mut scoring = Scoring::default();
    for (name, item, forecast, believed) in parts.into_iter().flatten() {
        for ((given, scores), foreseen) in GIVEN.into_iter().zip(forecast.scores).zip(forecast.foreseen) {
            let prediction = Prediction { name: name.to_owned(), given };
            if believed.is_some() {
                let of = scoring.foreseen.entry(prediction.clone());
                of.or_insert_with(|| vec![None; items])[item] = foreseen;
            }
            let Some(scores) = scores else { continue };
            let of = scoring.table.entry(prediction).or_default();
            for (score, value) in pools[0].1.scores().iter().zip(scores) {
                of.entry(*score).or_insert_with(|| vec![None; items])[item] = value.filter(|value| value.is_finite());
            }
        }
        let Some(means) = believed else { continue };
        let of = scoring.within.entry(name.to_owned()).or_insert_with(|| [vec![None; items], vec![None; items]]);
        of.iter_mut().zip(forecast.within).for_each(|(of, within)| of[item] = within);
        scoring.believed.entry(name.to_owned()).or_insert_with(|| vec![vec![]; items])[item] = means;
    }
    Ok(scoring)
}

/// Averages over the labels of an item, given by class with their counts.
fn over_labels(counts: ArrayView1<u32>, mut scores: impl FnMut(usize) -> Vec<f64>) -> Option<Vec<Option<f64>>> {
    let n = f64::from(counts.sum());
    let mut sums: Vec<f64> = vec![];
    for (y, &c) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
        let of_label = scores(y);
        sums.resize(of_label.len(), 0.0);
        sums.iter_mut().zip(of_label).for_each(|(sum, score)| *sum += f64::from(c) * score / n);
    }
    (n > 0.0).then(|| sums.into_iter().map(Some).collect())
}

/// The labels of an item but for one of class `y`.
fn but_one(counts: ArrayView1<u32>, y: usize) -> Vec<u32> {
    let mut labels = counts.to_vec();
    labels[y] -= 1;
    labels
}

/// Position of the largest number; the first of several.
fn largest(values: &[f64]) -> usize {
    (0..values.len()).rev().max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap_or(0)
}

impl CountPool {
    /// Scores of a label of class `y`, in the order of [`Score`].
    fn scores_of(&self, p: &[f64], y: usize) -> Vec<f64> {
        match &self.places {
            None => vec![log_score(p, y), brier_score(p, y)],
            Some(places) => {
                let mean: f64 = p.iter().zip(places).map(|(p, s)| p * s).sum();
                vec![log_score(p, y), ranked_probability_score(p, places, y), (mean - places[y]).powi(2)]
            }
        }
    }

    /// Shares of the classes, with their mean place before them where they have places.
    fn with_mean(&self, shares: Vec<f64>) -> Vec<f64> {
        let mean = self.places.as_ref().map(|places| places.iter().zip(&shares).map(|(s, p)| s * p).sum());
        mean.into_iter().chain(shares).collect()
    }

    fn foreseen_by(&self, belief: Dirichlet) -> Foreseen {
        let evidence = belief.evidence();
        let (error, disagreement) = match &self.places {
            None => (belief.spread(), belief.gini() - belief.spread()),
            Some(places) => {
                let on_places = OrdinalBelief::new(belief, places);
                (on_places.spread(), on_places.aleatoric())
            }
        };
        Foreseen { error, disagreement, evidence }
    }
}

impl Scored for CountPool {
    fn scores(&self) -> &'static [Score] {
        match &self.places {
            None => &[Score::Log, Score::Brier],
            Some(_) => &[Score::Log, Score::Crps, Score::Squared],
        }
    }

    /// Intervals are about the number of labels in the class that the belief holds likeliest.
    fn forecast(&self, priors: &ItemBeliefs, item: usize) -> Forecast {
        let (belief, counts) = (priors.of_classes().get(item), self.counts.row(item));
        let (n, mean) = (counts.sum(), belief.mean().collect::<Vec<f64>>());
        let class = largest(&mean);
        let own = belief.alpha()[class];
        let share = (own, belief.evidence() - own);
        let others = |y: usize| belief.after(&but_one(counts, y));
        let scored_by_others =
            || over_labels(counts, |y| self.scores_of(&Dirichlet::new(&others(y)).mean().collect::<Vec<_>>(), y));
        let foreseen_by_others = || {
            let labels = counts.iter().enumerate().filter(|(_, c)| **c > 0);
            let of = |(y, &c): (usize, &u32)| (f64::from(c), self.foreseen_by(Dirichlet::new(&others(y))));
            Foreseen::mean(&labels.map(of).collect::<Vec<_>>())
        };
        Forecast {
            scores: [over_labels(counts, |y| self.scores_of(&mean, y)), (n > 1).then(scored_by_others).flatten()],
            foreseen: [Foreseen::mean(&[(1.0, self.foreseen_by(belief))]), (n > 1).then(foreseen_by_others).flatten()],
            within: LEVELS.map(|level| (n > 0).then(|| count_within(share, n, counts[class], level))),
        }
    }

    fn believed(&self, priors: &ItemBeliefs, item: usize) -> Vec<f64> {
        self.with_mean(priors.of_classes().get(item).mean().collect())
    }

    fn judged_item(&self, item: usize) -> Option<JudgedItem> {
        let (counts, p) = (self.counts.row(item), row(self.judge.q.row(item)));
        let n = f64::from(counts.sum());
        let scores = over_labels(counts, |y| self.scores_of(p, y))?;
        let shares: Vec<f64> = counts.iter().map(|&c| f64::from(c) / n).collect();
        let disagreement = match &self.places {
            None => pair_disagreement(row(counts)),
            Some(places) => {
                let moment = |k: i32| counts.iter().zip(places).map(|(&c, s)| f64::from(c) * s.powi(k)).sum::<f64>();
                (n > 1.0).then(|| (moment(2) - moment(1).powi(2) / n) / (n - 1.0))
            }
        };
        let (predicted, observed) = (self.with_mean(p.to_vec()), self.with_mean(shares));
        Some(JudgedItem { predicted, observed, scores, disagreement })
    }

    /// Shares of the classes, with half a label of each added.
    fn base_rate_scores(&self, hidden: &[bool]) -> Box<dyn Fn(usize) -> Option<Vec<Option<f64>>> + Send + '_> {
        let mut shares = vec![0.5; self.counts.ncols()];
        for (counts, _) in self.counts.rows().into_iter().zip(hidden).filter(|(_, hidden)| !**hidden) {
            shares.iter_mut().zip(counts).for_each(|(sum, &c)| *sum += f64::from(c));
        }
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        Box::new(move |item| over_labels(self.counts.row(item), |y| self.scores_of(&shares, y)))
    }
}

#[cfg(test)]
mod tests {
    use judge_uncertainty_core::belief::maps::MapName;
    use judge_uncertainty_core::belief::{BeliefModel, Beliefs, TrustPrior};
    use judge_uncertainty_formats::Predictions;
    use ndarray::{Array2, array};

    use super::*;
    use judge_uncertainty_core::stats::estimator::{Ask, Design as Sample};

    fn pool() -> CountPool {
        let q = array![[0.5, 0.25, 0.25], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]];
        let counts = array![[2, 1, 0], [0, 0, 1], [0, 0, 0]];
        let judge = Predictions { q, spread: vec![None; 3], confidence: vec![None; 3] };
        let mut pool = CountPool::new(counts.view(), judge);
        pool.prior = TrustPrior::Weak;
        pool
    }

    #[test]
    fn scores_of_an_item_by_hand() {
        let pool = pool();
        let judged = pool.judged_item(0).unwrap();
        let judge = &judged.scores;
        assert!((judge[0].unwrap() - (2.0 * 2.0_f64.ln() + 4.0_f64.ln()) / 3.0).abs() < 1e-15);
        // 0.25 + 0.125 for the first class, 0.25 + 0.5625 + 0.0625 for the second.
        assert!((judge[1].unwrap() - (2.0 * 0.375 + 0.875) / 3.0).abs() < 1e-15);
        assert_eq!((pool.judged_item(2), pool.judged_item(1).unwrap().disagreement), (None, None));
        assert!((judged.disagreement.unwrap() - 2.0 / 3.0).abs() < 1e-15);
        // Half a label of each class and the one label of another fold.
        let base = pool.base_rate_scores(&[true, false, false])(0).unwrap();
        assert!((base[0].unwrap() - 5.0_f64.ln()).abs() < 1e-12, "{base:?}");
        assert_eq!(pool.calibration(0), Some((0.5, 2.0 / 3.0)));
    }

    /// Foreseen and shown errors, before and after the other labels, and where labels lie:
    /// `tests/golden/belief_check/make.py`.
    #[test]
    fn errors_foreseen_and_shown_as_computed_elsewhere() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../../tests/golden/belief_check/expected.json")).unwrap();
        let numbers = |of: &serde_json::Value| -> Vec<f64> {
            of.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
        };
        let close = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-10, "{got} for {expected}");
        for case in golden["cases"].as_array().unwrap() {
            let [alpha, counts] = ["alpha", "counts"].map(|key| numbers(&case[key]));
            let counts = Array2::from_shape_fn((1, 3), |(_, k)| counts[k] as u32);
            let judge = Predictions { q: array![[0.2, 0.3, 0.5]], spread: vec![None], confidence: vec![None] };
            let pool = CountPool::new(counts.view(), judge);
            let priors = ItemBeliefs::Classes(Beliefs::new(Array2::from_shape_fn((1, 3), |(_, k)| alpha[k])));
            let (forecast, disagreement) =
                (pool.forecast(&priors, 0), pool.judged_item(0).unwrap().disagreement.unwrap());
            for (given, foreseen, shown) in [(0, "foreseen", "shown"), (1, "foreseen_after", "shown_after")] {
                let (got, expected) = (forecast.foreseen[given].unwrap(), numbers(&case[foreseen]));
                close(got.error, expected[0]);
                close(got.disagreement, expected[1]);
                let brier = forecast.scores[given].as_ref().unwrap()[1].unwrap();
                close(brier - disagreement, case[shown].as_f64().unwrap());
            }
            let expected = numbers(&case["within"]);
            forecast.within.iter().zip(expected).for_each(|(within, held)| close(within.unwrap(), held));
        }
    }

    /// With a trust lambda the other labels (1, 1, 0) and (2, 0, 0) give what is known in closed form.
    #[test]
    fn a_label_is_scored_by_the_others() {
        let pool = pool();
        let known = pool.without(&[true, false, false]);
        assert_eq!(known.of_classes(), array![[0, 0, 0], [0, 0, 1], [0, 0, 0]]);
        let fitted = Fitted::new(&pool, Design::constant(3), &known).unwrap();
        let trust = pool.log_trust(&fitted.fit, &fitted.design)[0].exp();
        let [_, found] = pool.forecast(&fitted.beliefs, 0).scores;
        let found = found.unwrap()[0].unwrap();
        let first = ((0.5 * trust + 1.0) / (trust + 2.0)).ln();
        let second = (0.25 * trust / (trust + 2.0)).ln();
        assert!((found + (2.0 * first + second) / 3.0).abs() < 1e-12);
        assert_eq!(pool.forecast(&fitted.beliefs, 1).scores[1], None);
    }

    /// What is scored does not know the label: a changed label changes the scores of others, but the prediction of its
    /// own item before labels is that of the other folds.
    #[test]
    fn a_fold_is_scored_without_its_labels() {
        let mut stream = Stream::new(5);
        let items = 60;
        let q = Array2::from_shape_fn((items, 2), |(i, k)| if (i % 2 == 0) == (k == 0) { 0.7 } else { 0.3 });
        let counts = Array2::from_shape_fn((items, 2), |(i, k)| u32::from(i % 3 == 0) + u32::from(k == 0));
        let judge = Predictions { q, spread: vec![None; items], confidence: vec![None; items] };
        let folds = folds(&(0..items).collect::<Vec<_>>(), &mut stream);
        assert!((0..FOLDS).all(|fold| folds.iter().filter(|f| **f == fold).count() == 6));
        let of = |counts: &Array2<u32>| {
            let mut pool = CountPool::new(counts.view(), judge.clone());
            pool.prior = TrustPrior::Weak;
            let mut recalibrated = pool.clone();
            recalibrated.model = BeliefModel::Map(MapName::Temperature);
            let pools: [(String, &dyn Scored); 2] =
                [("published".to_owned(), &pool), ("recalibrated".to_owned(), &recalibrated)];
            score(&pools, &[], &folds).unwrap()
        };
        let before = of(&counts);
        let mut changed = counts.clone();
        changed.row_mut(0).assign(&array![0, counts.row(0).sum()]);
        let after = of(&changed);
        let log = |table: &ScoreTable, name: &str, given: Given, i: usize| {
            table[&Prediction { name: name.to_owned(), given }][&Score::Log][i]
        };
        // The judge and the published belief before labels are the same prediction.
        let apart = |i| {
            let of = |name| log(&before.table, name, Given::NoLabel, i).unwrap();
            (of("judge") - of("published")).abs()
        };
        assert!((0..items).all(|i| apart(i) < 1e-12));
        let fold = |i: usize| folds[i] == folds[0];
        let moved = |i: usize| {
            log(&before.table, "recalibrated", Given::NoLabel, i)
                != log(&after.table, "recalibrated", Given::NoLabel, i)
        };
        assert!((1..items).all(|i| moved(i) != fold(i)), "items of the same fold have the same fit, others another");
        // What a belief is said to have predicted is what it was scored for, and knows no label of the fold.
        let (predicted, later) = (&before.believed["recalibrated"], &after.believed["recalibrated"]);
        let scored =
            |i: usize| counts.row(i).iter().zip(&predicted[i]).map(|(c, p)| -f64::from(*c) * p.ln()).sum::<f64>();
        for i in 0..items {
            let found = log(&before.table, "recalibrated", Given::NoLabel, i).unwrap();
            assert!((scored(i) / f64::from(counts.row(i).sum()) - found).abs() < 1e-12);
            assert_eq!(predicted[i] == later[i], fold(i), "{i}");
        }
        let observed = CountPool::new(counts.view(), judge.clone()).judged_item(0).unwrap().observed;
        assert_eq!(observed, [2.0 / 3.0, 1.0 / 3.0]);
    }

    /// The quick form of `examples/few_labels.rs ... null`: of two judges that are equally good either is called better
    /// in at most 2.5% of studies, up to three standard errors of 400 studies.
    #[test]
    fn equally_good_judges_are_seldom_told_apart() {
        let (studies, items) = (400, 50);
        let mut called = [0; 2];
        for seed in 0..studies {
            let mut stream = Stream::new(seed);
            let mut shares = |by: f64| {
                let first = stream.gamma(3.0 * by) + 0.01;
                first / (first + stream.gamma(3.0 * (1.0 - by)) + 0.01)
            };
            let p: Vec<f64> = (0..items).map(|_| shares(0.5)).collect();
            let [one, other] = [(); 2].map(|()| p.iter().map(|p| shares(0.1 + 0.8 * p)).collect::<Vec<f64>>());
            let counts = Array2::from_shape_fn((items, 2), |(i, k)| u32::from((p[i] > 0.5) == (k == 0)));
            let scores = |judged: &[f64]| -> ItemScores {
                let q = Array2::from_shape_fn((items, 2), |(i, k)| if k == 0 { judged[i] } else { 1.0 - judged[i] });
                let judge = Predictions { q, spread: vec![None; items], confidence: vec![None; items] };
                let pool = CountPool::new(counts.view(), judge);
                (0..items).map(|i| pool.judged_item(i).and_then(|judged| judged.scores[0])).collect()
            };
            let (one, other) = (scores(&one), scores(&other));
            let apart: Vec<Option<f64>> = other.iter().zip(&one).map(|(a, b)| Some(a.unwrap() - b.unwrap())).collect();
            let design = Sample::random((0..items).collect());
            let found = *design.estimate(&Ask::difference(&apart, false)).estimate().unwrap();
            called[0] += u32::from(found.lo > 0.0);
            called[1] += u32::from(found.hi < 0.0);
        }
        assert!(called.iter().all(|called| f64::from(*called) <= 0.048 * studies as f64), "{called:?}");
    }
}
