//! The trust regression for ratings: how many labels a judge's rating is worth, and how its scale is to be read.
//!
//! The design of a fit are the trust's features, ln(nu - 2), and as far as the scale is read a bias, a slope, a factor
//! on stated deviations and a common variance, for each group what it has beyond them, and a curve ([`Layout`]); its
//! likelihood is Student's t ([`super::student_t`]), and the engine's is the search ([`super::engine`]).

use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::design::Design;
use super::engine::{
    Likelihood, Move, Posterior, Search, Shape, Terms, Variance, VarianceBlock, held_out, rows, trust_moves,
};
use super::gaussian::{Gaussian, Ratings};
use super::maps::{Clusters, FEWEST, MOST_PARAMETERS, MapChoice, MapName, Tries, Try, Unavailable};
use super::newton::Objective;
use super::profile::TrustProfile;
use super::regression::{Regression, coefficient_names};
use super::regression::{Unfit, quadratic, that};
use super::student_t::{FREEDOM, LOG_SCALE, MEAN, RatedItem, StudentT, freedom};
use super::traits::Belief;
use super::trust::{FitError, TrustPrior, UNDETERMINED};
use crate::stats::student::student_quantile;
use crate::stats::{Estimate, mean, population_sd};

/// Where ln(nu - 2) starts and its prior is centred: nu = 6.
const START_FREEDOM_BEYOND_TWO: f64 = 4.0;
/// The names of the weights of a curve begin so; which of them the ratings tell says nothing by itself.
const CURVE: &str = "curve ";
/// The block of a curve's weights.
const OF_CURVE: &str = "curve";

/// What a judge says about the ratings of every item.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeScores {
    /// Expected mean mu of the pool's ratings, in units of the rating.
    pub mean: Vec<f64>,
    /// Expected variance s0^2 of the pool's ratings; `None` where the judge states none, and a common one is fitted.
    pub variance: Vec<Option<f64>>,
}

/// What a judge says about the ratings of every item, as a fit reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadScores {
    /// Expected mean of the pool's ratings, on the scale of the ratings.
    pub mean: Vec<f64>,
    /// Expected variance of the pool's ratings; the fitted one where the judge states none.
    pub variance: Vec<f64>,
}

/// Items as the judge left them: everything that is known of them before their labels.
#[derive(Debug, Clone, Copy)]
pub struct JudgedRatings<'a> {
    /// Features of the trust.
    pub design: &'a Design,
    /// What the judge says.
    pub judge: &'a JudgeScores,
    /// The group of each item, counted from 0, empty where there are none.
    pub groups: &'a [usize],
    /// Where the priors on the reading are centred; `None` for the judge's scores as they are.
    pub start: Option<RatingStart<'a>>,
}

/// A fit to other items, from which a fit starts: what it found is the mean of the priors on how the judge is read.
#[derive(Debug, Clone, Copy)]
pub struct RatingStart<'a> {
    /// The fit.
    pub fit: &'a GaussianFit,
    /// By group of the items here, its number there; `None` for one that is new.
    pub groups: &'a [Option<usize>],
}

/// Refuses items and labels that no likelihood can use; `grouped` where every item needs its group.
fn check(items: &JudgedRatings, labels: &[Ratings], grouped: bool) -> Result<(), FitError> {
    let JudgedRatings { design, judge, groups, .. } = items;
    let same = judge.mean.len() == labels.len()
        && judge.variance.len() == labels.len()
        && (design.features() == 0 || design.items() == labels.len())
        && (!grouped || groups.len() == labels.len());
    if !same {
        return Err(FitError::Shape {
            detail: format!(
                "{} items with features, {} judge's means, {} judge's variances, {} items with labels, {} groups",
                design.items(),
                judge.mean.len(),
                judge.variance.len(),
                labels.len(),
                groups.len()
            ),
        });
    }
    for (item, scores) in labels.iter().enumerate() {
        let wrong = |what, value| Err(FitError::Value { what, item, value });
        let (mean, variance) = (judge.mean[item], judge.variance[item]);
        if !mean.is_finite() {
            return wrong("judge's mean", mean);
        }
        if let Some(value) = variance.filter(|v| !(v.is_finite() && *v > 0.0)) {
            return wrong("judge's variance", value);
        }
        if !(scores.mean.is_finite() && scores.squares.is_finite()) {
            return wrong("labels' mean", scores.mean);
        }
    }
    Ok(())
}

/// mu' = centre - bias + slope (mu - centre).
#[derive(Debug, Clone, Copy, PartialEq)]
struct ScoreLine {
    centre: f64,
    bias: f64,
    slope: f64,
}

impl ScoreLine {
    /// The judge's scores as they are.
    const AS_GIVEN: Self = Self { centre: 0.0, bias: 0.0, slope: 1.0 };

    fn read(&self, judge: f64) -> f64 {
        self.centre - self.bias + self.slope * (judge - self.centre)
    }

    /// This line with its bias told at another centre.
    fn about(&self, centre: f64) -> Self {
        Self { centre, bias: centre - self.read(centre), slope: self.slope }
    }

    /// Sum of the squared differences of an item's labels from the judge's score as it is read.
    fn squares(&self, (judge, labels): &(f64, Ratings)) -> f64 {
        let off = labels.mean - self.read(*judge);
        labels.squares + f64::from(labels.n) * off * off
    }

    /// Least squares through the mean rating of each rated item, every item with equal weight; the slope is 1 if the
    /// judge gives all items the same score or if there are only two items.
    fn through(rated: &[(f64, Ratings)]) -> Self {
        let n = rated.len() as f64;
        let mean = |f: &dyn Fn(&(f64, Ratings)) -> f64| rated.iter().map(f).sum::<f64>() / n;
        let (centre, labels) = (mean(&|(judge, _)| *judge), mean(&|(_, labels)| labels.mean));
        let sxx = mean(&|(judge, _)| (judge - centre).powi(2));
        let sxy = mean(&|(judge, of)| (judge - centre) * (of.mean - labels));
        let varies = rated.len() > 2 && sxx > 1e-12 * (centre * centre + sxx);
        Self { centre, bias: centre - labels, slope: if varies { sxy / sxx } else { 1.0 } }
    }
}

/// A fitted regression of the trust in a judge's ratings, with the recalibration of its scores.
///
/// As for categorical labels ([`super::fit_trust`]), a parameter about which the labels contain no information keeps its
/// start and is named in the regression's `unidentified`, as is a nu that rises without bound. If the trust rises
/// without bound, the likelihood becomes flat and the search ends on the plateau, with a large standard error. A factor
/// on deviations, or a common variance, is unidentified if every item that it concerns has fewer than two labels: one
/// label per item cannot separate disagreement from ignorance, whatever the prior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GaussianFit {
    /// The coefficients and all that the search says about them: "intercept", the features, "ln(nu - 2)" and, as far as
    /// they are fitted, "bias", "slope", "ln factor" and, if some judge's variance is missing, "ln s0^2", what every
    /// group has beyond each of these, and the weights of a curve. Among `unidentified` is a part of a group's reading
    /// as a whole ("bias of group 0").
    #[serde(flatten)]
    pub regression: Regression,
    /// nu, the degrees of freedom of every item's variance before its labels.
    pub freedom: f64,
    /// s0^2 of the items whose judge states no variance, if there are any and all share it.
    pub common_variance: Option<f64>,
    /// How the scores of each group are recalibrated (one entry if shared, none if scores are used unchanged).
    pub readings: Vec<Reading>,
    /// Which map of the ladder it is, where it was fitted as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<RatingMap>,
    /// The waves of its curve, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    curve: Option<Curve>,
    /// Where each parameter stands.
    layout: Layout,
}

/// How a judge's scores are read.
///
/// ```text
/// mu'   = centre - bias + slope (mu - centre)
/// s0'^2 = factor^2 s0^2, or the common variance where the judge states none
/// ```
///
/// with mu and s0 what the judge says of the mean and standard deviation of an item's ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Labelled items that it is fitted to.
    pub rated_items: usize,
    /// The judge's mean score over them, in units of the rating.
    pub centre: f64,
    /// How far the judge's score is above the ratings at the centre, in units of the rating.
    pub bias: f64,
    /// Points of the ratings per point of the judge's score: below 1 the judge exaggerates differences between items.
    pub slope: f64,
    /// Factor on stated standard deviations: above 1 the judge is overconfident. `None` if none is stated.
    pub factor: Option<f64>,
    /// s0^2 of the items whose judge states no variance; `None` if all are stated.
    pub common_variance: Option<f64>,
}

/// A reading with its uncertainty; `None` for what the labels do not determine.
///
/// 95% intervals of bias and slope are by Student t with two degrees of freedom less than there are labelled items, as
/// for a line through points whose scatter is not known (of all groups, where these are drawn towards each other);
/// those of factor and common variance by the normal approximation of the logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimatedReading {
    /// The reading itself, determined or not.
    pub reading: Reading,
    /// The bias.
    pub bias: Option<Estimate>,
    /// The slope.
    pub slope: Option<Estimate>,
    /// The factor; also `None` where the judge states no deviation.
    pub factor: Option<Estimate>,
    /// The common variance; also `None` where every deviation is stated.
    pub common_variance: Option<Estimate>,
}

/// A point of a fitted curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The judge's mean score.
    pub score: f64,
    /// What the curve adds there to what the line reads it as, in units of the rating. No interval: where the fitted
    /// variance takes a bend away, one from the posterior is too narrow (95% ones held 0.61 to 0.87 in worlds whose
    /// curve is known).
    pub adds: f64,
}

impl GaussianFit {
    /// Trust lambda of every item of a design, in labels; its logarithm is kept within +-50.
    ///
    /// # Panics
    /// If the design has another number of features.
    pub fn trust(&self, design: &Design) -> Vec<f64> {
        assert_eq!(design.features(), self.layout.features, "the design must have the features of the fit");
        (0..design.items()).map(|i| self.regression.log_trust_of(design.row(i)).exp()).collect()
    }

    /// What the judge says of the items as this fit reads it, with a variance for every item; `groups` as in
    /// [`JudgedRatings`].
    ///
    /// # Panics
    /// If the fit is by group and an item has none that the fit knows, or lacks a variance where the fit has no common
    /// one.
    pub fn read(&self, judge: &JudgeScores, groups: &[usize]) -> ReadScores {
        let (mean, variance) = (0..judge.mean.len()).map(|i| self.read_item(judge, groups, i).1).unzip();
        ReadScores { mean, variance }
    }

    /// What moves the coordinates of item `i`, in units of the rating and its features aside, with its mean and variance.
    fn read_item(&self, judge: &JudgeScores, groups: &[usize], i: usize) -> (Terms<RatedItem>, (f64, f64)) {
        let layout = &self.layout;
        let is_known = layout.common || judge.variance[i].is_some();
        assert!(is_known, "a common variance is fitted when a judge's variance is missing");
        let reading = layout.reading(groups, i);
        let centre = self.readings.get(reading).map_or(0.0, |reading| reading.centre);
        let terms = layout.terms((judge, i), (&[], reading), (centre, 1.0), self.curve.as_ref());
        let at = terms.coordinates(&layout.shape(0), &self.regression.coefficients);
        let read = (terms.item.mean + at[MEAN], (terms.item.log_scale + at[LOG_SCALE]).exp());
        (terms, read)
    }

    /// The belief about every item before its labels.
    ///
    /// What is not known of the reading is added to Var(m), so a score that is read is worth less than lambda labels:
    ///
    /// ```text
    /// 1/evidence = 1/lambda + Var(mu') / E[s^2]
    /// Var(mu')   = Var(bias) + x^2 Var(slope) - 2 x Cov(bias, slope),  x = mu - centre
    /// ```
    ///
    /// with the variances of the posterior. It is little where many items are rated, more for scores far from the
    /// centre, and much for a group without ratings, whose judge might have any scale.
    ///
    /// # Panics
    /// If the design has other features, or the judge other items; as [`Self::read`].
    pub fn priors_of(&self, items: &JudgedRatings) -> Vec<Gaussian> {
        let trust = self.trust(items.design);
        assert_eq!(trust.len(), items.judge.mean.len(), "one judge's rating per item");
        let of = |(i, lambda): (usize, f64)| {
            let (terms, (mean, scale)) = self.read_item(items.judge, items.groups, i);
            let prior = Gaussian { mean, evidence: lambda, freedom: self.freedom, scale };
            let along = terms.row(&self.layout.shape(0), MEAN);
            let unknown = quadratic(&along, &self.regression.covariance).max(0.0);
            Gaussian { evidence: 1.0 / (1.0 / lambda + unknown / prior.aleatoric()), ..prior }
        };
        trust.into_iter().enumerate().map(of).collect()
    }

    /// What the curve adds to the line at these scores; none without a curve, or where the ratings want none.
    pub fn curve_points(&self, scores: &[f64]) -> Vec<CurvePoint> {
        let wanted = |map: &RatingMap| map.variances.iter().any(|of| of.block == OF_CURVE && of.variance > 0.0);
        let weights = &self.regression.coefficients[self.layout.curve()];
        let point = |curve: &Curve, score: f64| CurvePoint { score, adds: curve.adds(score, weights) };
        let curve = self.curve.as_ref().filter(|_| self.map.as_ref().is_some_and(wanted));
        curve.map_or(vec![], |curve| scores.iter().map(|&score| point(curve, score)).collect())
    }

    /// The readings with what is known of them.
    pub fn estimated_readings(&self) -> Vec<EstimatedReading> {
        let estimate = |part: Part, reading: usize| {
            let positions = self.layout.positions(part, reading);
            let told = !self.regression.unidentified.contains(&self.layout.name(part, reading));
            let ones: Vec<(usize, f64)> = positions.iter().map(|&k| (k, 1.0)).collect();
            let value: f64 = positions.iter().map(|&k| self.regression.coefficients[k]).sum();
            (told && !positions.is_empty())
                .then(|| Estimate::new(value, quadratic(&ones, &self.regression.covariance).max(0.0).sqrt()))
        };
        let draws = self.map.as_ref().is_some_and(|map| !map.variances.is_empty());
        let points = |reading: &Reading| if draws { self.regression.labelled_items } else { reading.rated_items };
        let of = |(r, reading): (usize, &Reading)| EstimatedReading {
            reading: *reading,
            bias: estimate(Part::Bias, r).map(|bias| of_line(bias, points(reading))),
            slope: estimate(Part::Slope, r).map(|slope| of_line(slope, points(reading))),
            factor: estimate(Part::Factor, r).map(Estimate::exp),
            common_variance: estimate(Part::Variance, r).map(Estimate::exp),
        };
        self.readings.iter().enumerate().map(of).collect()
    }

    /// Whether each group has a reading of its own.
    pub fn is_by_group(&self) -> bool {
        self.layout.groups > 0
    }
}

/// An estimate with the interval of a line through so many points.
fn of_line(estimate: Estimate, points: usize) -> Estimate {
    let freedom = points.saturating_sub(2).max(1) as f64;
    let reach = student_quantile(0.975, freedom) * estimate.standard_error;
    Estimate { lo: estimate.value - reach, hi: estimate.value + reach, ..estimate }
}

/// Which map of the ladder a fit of ratings is, and how it came to be taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatingMap {
    /// The map.
    pub name: MapName,
    /// The variances that the ratings' marginal likelihood chose: of what tells the groups' readings apart, and of the
    /// curve. Those of biases and of the curve are in squared units of the rating.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variances: Vec<Variance>,
    /// The choice with its evidence; `None` where the map was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<MapChoice>,
}

/// What of a judge's scale is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Bias,
    Slope,
    Factor,
    /// ln s0^2 of items whose judge states none.
    Variance,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Bias => "bias",
            Self::Slope => "slope",
            Self::Factor => "ln factor",
            Self::Variance => "ln s0^2",
        }
    }

    /// The block of what groups have beyond the common value.
    fn of_groups(self) -> &'static str {
        match self {
            Self::Bias => "biases of groups",
            Self::Slope => "slopes of groups",
            Self::Factor => "ln factors of groups",
            Self::Variance => "ln s0^2 of groups",
        }
    }
}

/// Positions of the parameters: beta with the intercept first, ln(nu - 2), the parts of the reading that there are, for
/// each part what every group has beyond it, and the weights of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Layout {
    features: usize,
    /// Whether the judge's scale is read.
    reads: bool,
    /// Groups with a reading of their own; 0 where all items share one.
    groups: usize,
    /// Whether some item of the study, rated or not, has a variance that its judge states.
    stated: bool,
    /// Whether some item needs a common variance.
    common: bool,
    /// Weights of a curve for all items.
    waves: usize,
}

impl Layout {
    fn parts(&self) -> impl Iterator<Item = Part> {
        let of_scale = [(Part::Bias, self.reads), (Part::Slope, self.reads), (Part::Factor, self.reads && self.stated)];
        of_scale.into_iter().chain([(Part::Variance, self.common)]).filter_map(|(part, is)| is.then_some(part))
    }

    /// Position of ln(nu - 2).
    fn freedom(&self) -> usize {
        self.features + 1
    }

    fn first_of_groups(&self) -> usize {
        self.freedom() + 1 + self.parts().count()
    }

    fn first_of_curve(&self) -> usize {
        self.first_of_groups() + self.parts().count() * self.groups
    }

    fn len(&self) -> usize {
        self.first_of_curve() + self.waves
    }

    fn curve(&self) -> std::ops::Range<usize> {
        self.first_of_curve()..self.len()
    }

    /// Position of the value of a part that all items share.
    fn shared(&self, part: Part) -> Option<usize> {
        self.parts().position(|own| own == part).map(|k| self.freedom() + 1 + k)
    }

    /// Positions of what all groups have beyond that; none where they share it.
    fn beyond(&self, part: Part) -> std::ops::Range<usize> {
        let first = self.parts().position(|own| own == part).map_or(0, |k| self.first_of_groups() + k * self.groups);
        first..first + self.groups
    }

    /// Positions whose parameters add up to a part of a reading; none where it has no such part.
    fn positions(&self, part: Part, reading: usize) -> Vec<usize> {
        let beyond = self.beyond(part).nth(reading);
        self.shared(part).into_iter().flat_map(|shared| std::iter::once(shared).chain(beyond)).collect()
    }

    fn readings(&self) -> usize {
        self.groups.max(1)
    }

    /// The reading that item `i` has.
    fn reading(&self, groups: &[usize], i: usize) -> usize {
        if self.groups > 0 { groups.get(i).copied().expect("one group per item") } else { 0 }
    }

    /// What a part of a reading is called.
    fn name(&self, part: Part, reading: usize) -> String {
        if self.groups > 0 { format!("{} of group {reading}", part.name()) } else { part.name().to_owned() }
    }

    fn names(&self, design: &Design) -> Vec<String> {
        let mut names = coefficient_names(design);
        names.push("ln(nu - 2)".to_owned());
        names.extend(self.parts().map(|part| part.name().to_owned()));
        let of_groups = self.parts().flat_map(|part| (0..self.groups).map(move |g| (part, g)));
        names.extend(of_groups.map(|(part, g)| format!("{} of group {g} beyond that", part.name())));
        names.extend((1..=self.waves).map(|k| format!("{CURVE}{k}")));
        names
    }

    /// Blocks of parameters whose variances are fitted.
    fn blocks(&self) -> Vec<VarianceBlock> {
        let of_groups = self.parts().filter(|_| self.groups > 0);
        let of_groups = of_groups.map(|part| VarianceBlock::new(part.of_groups(), self.beyond(part).collect()));
        let of_curve = (self.waves > 0).then(|| VarianceBlock::new(OF_CURVE, self.curve().collect()));
        of_groups.chain(of_curve).collect()
    }

    /// How many units of the ratings one unit of each parameter is, where `unit` is that of the bias and the curve.
    fn units(&self, unit: f64) -> Vec<f64> {
        let of_rating =
            self.shared(Part::Bias).into_iter().flat_map(|at| std::iter::once(at).chain(self.beyond(Part::Bias)));
        let mut units = vec![1.0; self.len()];
        of_rating.chain(self.curve()).for_each(|at| units[at] = unit);
        units
    }
}

/// The labelled items of a fit with the priors on its parameters.
///
/// The bias is counted in units of [`StudentT::unit`], so that all parameters are of the same size whatever the ratings
/// count.
struct RatingSearch {
    search: Search<StudentT>,
    layout: Layout,
    curve: Option<Curve>,
    /// The line of each reading that a search begins to read the judge by; it turns about the judge's mean score over
    /// the labelled items.
    lines: Vec<ScoreLine>,
    /// By reading: its labelled items, and whether one with a stated deviation, and one without, has two labels.
    rated: Vec<(usize, bool, bool)>,
    /// Items that nothing tells apart are one row.
    row_of: Rows,
}

/// The row of a search that each item is; `None` without labels.
type Rows = Vec<Option<usize>>;

/// What of the judge's scale a fit reads.
struct Model {
    reads: bool,
    by_group: bool,
    curve: Option<Curve>,
}

impl RatingSearch {
    fn new(model: Model, items: &JudgedRatings, labels: &[Ratings], prior: TrustPrior) -> Result<Self, FitError> {
        check(items, labels, model.by_group)?;
        let (judge, curve) = (items.judge, model.curve);
        let layout = Layout {
            features: items.design.features(),
            reads: model.reads,
            groups: if model.by_group { items.groups.iter().max().map_or(0, |g| g + 1) } else { 0 },
            stated: judge.variance.iter().any(Option::is_some),
            common: judge.variance.iter().any(Option::is_none),
            waves: curve.as_ref().map_or(0, Curve::waves),
        };
        let kept: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].n > 0).collect();
        if kept.is_empty() && prior == TrustPrior::None {
            return Err(FitError::NoLabels);
        }
        let reading = |i: usize| layout.reading(items.groups, i);
        let rated: Vec<Vec<(f64, Ratings)>> = (0..layout.readings())
            .map(|r| kept.iter().filter(|&&i| reading(i) == r).map(|&i| (judge.mean[i], labels[i])).collect())
            .collect();
        let (lines, unit, variance) = scales(layout, judge, &rated);
        let (mut centre, precision) = layout.prior(items.design, variance, prior);
        if let Some(start) = items.start.filter(|_| layout.reads) {
            layout.centre_on(&mut centre, start, (lines[0].centre, unit));
        }
        let terms = |&(i, times): &(usize, usize)| {
            let z = if layout.features > 0 { items.design.row(i) } else { &[] };
            let turns = (lines[reading(i)].centre, unit);
            let terms = layout.terms((judge, i), (z, reading(i)), turns, curve.as_ref());
            Terms { times, item: RatedItem { labels: labels[i], ..terms.item }, ..terms }
        };
        let twice = |r: usize, stated: bool| {
            kept.iter().any(|&i| reading(i) == r && judge.variance[i].is_some() == stated && labels[i].n > 1)
        };
        let rated = rated.iter().enumerate().map(|(r, of)| (of.len(), twice(r, true), twice(r, false))).collect();
        let key = |&i: &usize| (i, all_of(items, &labels[i], i, reading(i)));
        let (rows, row_of) = rows(labels.len(), kept.iter().map(key));
        let terms = rows.iter().map(terms).collect();
        let posterior = Posterior::new(StudentT { unit }, layout.shape(layout.features), terms, (centre, precision));
        let search = Search { posterior, blocks: layout.blocks(), loose: 1.0 };
        Ok(Self { search, layout, curve, lines, rated, row_of })
    }

    fn unit(&self) -> f64 {
        self.search.posterior.likelihood.unit
    }

    /// Where searches begin: with a trust of 8 for every item and nu = 6, from the judge's scores as they are and,
    /// where they are read, from the line of least squares through the ratings.
    fn starts(&self) -> Vec<Vec<f64>> {
        let (layout, as_given) = (&self.layout, &self.search.posterior.centre);
        if !layout.reads {
            return vec![as_given.clone()];
        }
        let mut start = as_given.clone();
        let mut set = |part: Part, of: &dyn Fn(&ScoreLine) -> f64| {
            let values: Vec<f64> = self.lines.iter().map(of).collect();
            let shared = mean(&values);
            layout.shared(part).into_iter().for_each(|at| start[at] = shared);
            layout.beyond(part).zip(&values).for_each(|(at, value)| start[at] = value - shared);
        };
        set(Part::Bias, &|line| line.bias / self.unit());
        set(Part::Slope, &|line| line.slope);
        vec![start, as_given.clone()]
    }

    /// Parameters at the maximum, variances by the ratings' marginal likelihood.
    fn fit(mut self, name: Option<MapName>, design: &Design) -> GaussianFit {
        let starts = self.starts();
        let (maximum, curvature) = self.search.settle(starts, |_, parameters| parameters);
        let (layout, unit, of_variance) = (self.layout, self.unit(), curvature.variances());
        let variances = self.search.blocks.iter().map(|block| in_units(block.found(&of_variance), unit)).collect();
        let precision = &self.search.posterior.precision;
        let (regression, _) = self.search.posterior.conclude(layout.names(design), maximum, &curvature);
        let mut fit = GaussianFit {
            regression,
            freedom: 0.0,
            common_variance: None,
            readings: vec![],
            map: name.map(|name| RatingMap { name, variances, choice: None }),
            curve: self.curve.clone(),
            layout,
        };
        // Of what adds up to a reading the sum counts, and which weights of a curve are told says nothing by itself.
        let own = layout.first_of_groups();
        let inner: Vec<String> =
            fit.regression.names[if layout.groups > 0 { layout.freedom() + 1 } else { own }..].to_vec();
        fit.regression.unidentified.retain(|name| !inner.contains(name));
        for (r, &(_, stated, unstated)) in self.rated.iter().enumerate() {
            for part in layout.parts() {
                let positions = layout.positions(part, r);
                let before: f64 = positions.iter().map(|&k| 1.0 / precision[k]).sum();
                let ones: Vec<(usize, f64)> = positions.iter().map(|&k| (k, 1.0)).collect();
                let name = layout.name(part, r);
                let loose = layout.groups > 0 && quadratic(&ones, &fit.regression.covariance) > UNDETERMINED * before;
                let never_twice = part == Part::Factor && !stated || part == Part::Variance && !unstated;
                if (loose || never_twice) && !fit.regression.unidentified.contains(&name) {
                    fit.regression.unidentified.push(name);
                }
            }
        }
        let units = layout.units(unit);
        fit.regression.coefficients.iter_mut().zip(&units).for_each(|(x, unit)| *x *= unit);
        for (row, of_row) in fit.regression.covariance.iter_mut().zip(&units) {
            row.iter_mut().zip(&units).for_each(|(x, unit)| *x *= of_row * unit);
        }
        let readings = self.rated.iter().zip(&self.lines).map(|((rated, ..), line)| (*rated, line.centre));
        fit.with_readings(readings)
    }
}

/// A variance with biases and curves counted in so many of the units that they are counted in now.
fn in_units(of: Variance, unit: f64) -> Variance {
    let of_rating = [Part::Bias.of_groups(), OF_CURVE].contains(&of.block.as_str());
    Variance { variance: of.variance * if of_rating { unit * unit } else { 1.0 }, ..of }
}

/// All that a fit reads of item `i`, bit by bit.
fn all_of(items: &JudgedRatings, own: &Ratings, i: usize, reading: usize) -> Vec<u64> {
    let numbers = [own.mean, own.squares, items.judge.mean[i], items.judge.variance[i].unwrap_or(f64::NAN)];
    let features = if items.design.features() > 0 { items.design.row(i) } else { &[] };
    let counts = [u64::from(own.n), reading as u64];
    counts.into_iter().chain(numbers.iter().chain(features).map(|x| x.to_bits())).collect()
}

/// The line of each reading, the root mean square difference of the ratings from the judge's scores, and their variance
/// about the lines; all computed from the judge's scores without ratings. All readings share one centre.
fn scales(layout: Layout, judge: &JudgeScores, rated: &[Vec<(f64, Ratings)>]) -> (Vec<ScoreLine>, f64, f64) {
    let all: Vec<(f64, Ratings)> = rated.concat();
    if all.is_empty() {
        let sd = population_sd(&judge.mean);
        let unit = if sd > 0.0 { sd } else { 1.0 };
        return (vec![ScoreLine::AS_GIVEN; rated.len()], unit, unit * unit);
    }
    let labels: f64 = all.iter().map(|(_, labels)| f64::from(labels.n)).sum();
    let about_judge = all.iter().map(|item| ScoreLine::AS_GIVEN.squares(item)).sum::<f64>() / labels;
    // Ratings that all equal the judge's scores leave no scale; any will do.
    let about_judge = if about_judge > 0.0 { about_judge } else { 1.0 };
    if !layout.reads {
        return (vec![ScoreLine::AS_GIVEN; rated.len()], about_judge.sqrt(), about_judge);
    }
    let line =
        |rated: &Vec<(f64, Ratings)>| if rated.is_empty() { ScoreLine::AS_GIVEN } else { ScoreLine::through(rated) };
    let lines: Vec<ScoreLine> = rated.iter().map(line).collect();
    let squares =
        |(line, rated): (&ScoreLine, &Vec<(f64, Ratings)>)| rated.iter().map(|r| line.squares(r)).sum::<f64>();
    let variance = lines.iter().zip(rated).map(squares).sum::<f64>() / labels;
    // Ratings that all lie on the lines leave no scale either.
    let variance = if variance > 1e-12 * about_judge { variance } else { about_judge };
    let centre = mean(&all.iter().map(|(judge, _)| *judge).collect::<Vec<_>>());
    (lines.iter().map(|line| line.about(centre)).collect(), about_judge.sqrt(), variance)
}

impl Layout {
    /// Means and precisions of the priors, before any variance is fitted: on the trust, nu and a common variance those
    /// of [`TrustPrior`]; on bias (in units of what ratings are off the judge's scores), slope and ln factor of standard
    /// deviation 1 about 0, 1 and 0, so that some ten rated items outweigh them.
    fn prior(&self, design: &Design, variance: f64, prior: TrustPrior) -> (Vec<f64>, Vec<f64>) {
        let (mut centre, mut precision) = (vec![0.0; self.len()], vec![1.0; self.len()]);
        let of_trust = |sd: f64| if prior == TrustPrior::Weak { sd.powi(-2) } else { 0.0 };
        centre[..=self.features].copy_from_slice(&design.centre());
        precision[..=self.features].fill(of_trust(TrustPrior::SLOPE_SD));
        precision[0] = of_trust(TrustPrior::LOG_TRUST_SD);
        centre[self.freedom()] = START_FREEDOM_BEYOND_TWO.ln();
        precision[self.freedom()] = of_trust(TrustPrior::LOG_FREEDOM_SD);
        self.shared(Part::Slope).into_iter().for_each(|at| centre[at] = 1.0);
        if let Some(at) = self.shared(Part::Variance) {
            (centre[at], precision[at]) = (variance.ln(), of_trust(TrustPrior::LOG_SCALE_SD));
        }
        (centre, precision)
    }

    /// Centres the priors on how another fit reads the judge, whose bias turns about `centre` here and is counted in
    /// `unit`.
    fn centre_on(&self, centres: &mut [f64], start: RatingStart, (centre, unit): (f64, f64)) {
        let (fit, there) = (start.fit, start.fit.layout);
        let Some(turns) = fit.readings.first().map(|reading| reading.centre) else { return };
        // Of all items there, or of one of its groups.
        let value = |part: Part, group: Option<usize>| {
            let at = |part: Part| {
                let own = group.and_then(|group| there.beyond(part).nth(group));
                let positions = there.shared(part).into_iter().chain(own.filter(|_| there.shared(part).is_some()));
                positions.map(|k| fit.regression.coefficients[k]).reduce(|a, b| a + b)
            };
            match part {
                Part::Bias => {
                    let line = ScoreLine { centre: turns, bias: at(Part::Bias)?, slope: at(Part::Slope)? };
                    Some(line.about(centre).bias / unit)
                }
                _ => at(part),
            }
        };
        for part in self.parts() {
            let (Some(at), Some(shared)) = (self.shared(part), value(part, None)) else { continue };
            centres[at] = shared;
            for (k, group) in self.beyond(part).zip(start.groups) {
                centres[k] = value(part, *group).map_or(0.0, |own| own - shared);
            }
        }
        let weights = fit.regression.coefficients[there.curve()].iter().map(|weight| weight / unit);
        self.curve().zip(weights).for_each(|(k, weight)| centres[k] = weight);
    }

    /// What moves the coordinates of an item with features `z`, whose reading turns by a line about `centre`; biases and
    /// the curve are counted in `unit`.
    fn terms(
        &self,
        (judge, i): (&JudgeScores, usize),
        (z, reading): (&[f64], usize),
        (centre, unit): (f64, f64),
        curve: Option<&Curve>,
    ) -> Terms<RatedItem> {
        let (mean, variance) = (judge.mean[i], judge.variance[i]);
        let to = |parameter, coordinate, weight| Move { parameter, coordinate, weight };
        let mut moves: Vec<Move> = trust_moves(z).collect();
        moves.push(to(self.freedom(), FREEDOM, 1.0));
        for part in self.parts() {
            let by = match (part, variance) {
                (Part::Bias, _) => Some((MEAN, -unit)),
                (Part::Slope, _) => Some((MEAN, mean - centre)),
                // The factor is one on deviations, and the scale is a variance.
                (Part::Factor, Some(_)) => Some((LOG_SCALE, 2.0)),
                (Part::Variance, None) => Some((LOG_SCALE, 1.0)),
                _ => None,
            };
            let own = self.positions(part, reading).into_iter();
            moves.extend(by.into_iter().flat_map(|(at, by)| own.clone().map(move |k| to(k, at, by))));
        }
        moves.sort_by_key(|of| of.parameter);
        let mean = if self.reads { centre } else { mean };
        let item = RatedItem { labels: Ratings::default(), mean, log_scale: variance.map_or(0.0, f64::ln) };
        let numbers = curve.map_or(vec![], |curve| curve.at(judge.mean[i])).into_iter().map(|phi| unit * phi);
        Terms { moves, numbers: numbers.collect(), times: 1, item }
    }

    /// Where the coordinates of items with so many features are among the parameters.
    fn shape(&self, features: usize) -> Shape {
        let first_number = self.first_of_curve();
        Shape { features, size: MEAN + 1, first_moved: MEAN, first_number, numbers: self.waves }
    }
}

/// Fits the trust in a judge's ratings as they are, with nu, by the marginal likelihood of the labels, a product of
/// Student t densities.
///
/// ```text
/// log lambda_x = beta_0 + beta^T z_x
/// L = sum over items with n_x >= 1 of
///     lnG((nu + n)/2) - lnG(nu/2) + (nu/2) ln A - ((nu + n)/2) ln B - (n/2) ln pi + (1/2) ln(lambda / (lambda + n))
/// A = nu s0^2       B = A + SS + lambda n/(lambda + n) (ybar - mu)^2
/// ```
///
/// with z the item's features, mu and s0^2 the judge's mean and variance, and n, ybar and SS the labels' number, mean
/// and scatter. All items share one nu > 2, so that the expected variance exists for items without labels too; items
/// without a variance stated by the judge share a fitted one. Without labels the fit is the prior, a common variance
/// that of the judge's own scores over the items. Gradient and Hessian are exact; Newton's method with a backtracking
/// line search.
///
/// Source: the marginal likelihood of the normal-inverse-gamma prior, Murphy (2007), "Conjugate Bayesian analysis of
/// the Gaussian distribution".
///
/// # Errors
/// Tables of different lengths, or numbers that are not finite (a variance not above 0); without a prior, no labels at
/// all.
pub fn fit_ratings(items: &JudgedRatings, labels: &[Ratings], prior: TrustPrior) -> Result<GaussianFit, FitError> {
    let model = Model { reads: false, by_group: false, curve: None };
    Ok(RatingSearch::new(model, items, labels, prior)?.fit(None, items.design))
}

/// Fits a recalibration of ratings and the trust, under the weak prior, or gives the reason why it does not apply.
///
/// | map | reads the judge's mean mu and standard deviation s0 |
/// |---|---|
/// | [`MapName::Identity`] | as they are, as [`fit_ratings`] does |
/// | [`MapName::Line`] | as c - bias + slope (mu - c) and factor x s0, one for all items |
/// | [`MapName::Groups`] | the same for each group, drawn towards a common one |
/// | [`MapName::Recalibrated`] | as the line does, by group where there are groups, plus a smooth curve f(mu) for all items where the judge gives three different scores |
///
/// with c the judge's mean score over the labelled items. Bias, slope and ln factor have independent normal priors of
/// standard deviation 1 about 0, 1 and 0, the bias in root mean square differences of the ratings from the judge's
/// scores: 95% of the belief is on a bias within twice what the ratings are off, a slope of -1 to 3, and stated
/// deviations that are wrong by a factor of 7 at most. A fit that starts from another one ([`RatingStart`]) has these
/// priors, and those on a common variance and a curve, about what that one found. What a group has beyond the common value of each, and of ln s0^2
/// where no deviation is stated, is normal about 0 with a variance of its own. A curve is a sum of sixteen waves whose
/// weights are normal about 0 with one variance: a cubic smoothing spline over the judge's scores of all items, straight
/// in no part. The ratings' marginal likelihood chooses these variances, by Laplace's approximation and MacKay's fixed
/// point. So groups that do not differ share one reading, few ratings in a group do no harm, and a curve without
/// support in the ratings is flat (a variance falls to 1e-4, in squared units of the root mean square difference of the
/// ratings from the judge's scores where it is one of ratings). Searches start from the judge's scores unchanged and
/// from the line of least squares, and the end with the higher likelihood is used. Sources: linear recalibration of a
/// predicted mean and variance, Gneiting
/// et al. (2005), "Calibrated probabilistic forecasting using ensemble model output statistics", here fitted with the
/// weight of the prediction; partial pooling, Gelman and Hill (2007), "Data analysis using regression and
/// multilevel/hierarchical models", chapter 12.
///
/// # Errors
/// As [`fit_ratings`]; by group, no group for an item.
///
/// ```
/// use judge_uncertainty_core::belief::maps::MapName;
/// use judge_uncertainty_core::belief::{Design, JudgeScores, JudgedRatings, Ratings, fit_rating_map};
///
/// // A judge that stretches the scale upwards: its 16 is the annotators' 4.
/// let judge = JudgeScores { mean: (0..60).map(|i| f64::from(i % 17)).collect(), variance: vec![Some(0.1); 60] };
/// let labels: Vec<Ratings> = judge.mean.iter().map(|mu| Ratings::new(&[mu.sqrt() - 0.2, mu.sqrt() + 0.2])).collect();
/// let design = Design::constant(60);
/// let items = JudgedRatings { design: &design, judge: &judge, groups: &[], start: None };
///
/// let fit = fit_rating_map(MapName::Recalibrated, &items, &labels)?.expect("scores enough for a curve");
/// let further = JudgeScores { mean: vec![4.0, 12.25], variance: vec![Some(0.1); 2] };
/// let read = fit.read(&further, &[]).mean;
/// assert!((read[0] - 2.0).abs() < 0.1 && (read[1] - 3.5).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_rating_map(
    name: MapName,
    items: &JudgedRatings,
    labels: &[Ratings],
) -> Result<Result<GaussianFit, Unavailable>, FitError> {
    let several = items.groups.iter().max().is_some_and(|last| *last > 0);
    let (by_group, curve) = match name {
        MapName::Identity | MapName::Line => (false, None),
        MapName::Groups if !several => return Ok(Err(Unavailable::OneGroup)),
        MapName::Groups => (true, None),
        MapName::Recalibrated => {
            // The weights of a curve are those of its waves.
            let there = items.start.and_then(|start| start.fit.curve.clone());
            (several, there.or_else(|| Curve::new(&items.judge.mean)))
        }
        _ => return Ok(Err(Unavailable::OfClasses)),
    };
    let model = Model { reads: name != MapName::Identity, by_group, curve };
    let search = RatingSearch::new(model, items, labels, TrustPrior::Weak)?;
    Ok(match search.layout.len() {
        many if many > MOST_PARAMETERS => Err(Unavailable::TooMany(many)),
        _ => Ok(search.fit(Some(name), items.design)),
    })
}

/// The profile of the posterior along ln lambda of an item with average features, under a fit to the same labels with
/// this prior; `None` without a prior on the trust. Of a map that is taken at a part of its strength it lies between the
/// profiles of the map and of the scores as they are.
///
/// # Errors
/// As [`fit_ratings`].
pub fn typical_log_trust(
    items: &JudgedRatings,
    labels: &[Ratings],
    prior: TrustPrior,
    fit: &GaussianFit,
) -> Result<Option<TrustProfile>, FitError> {
    if prior == TrustPrior::None {
        return Ok(None);
    }
    let taken = fit.map.as_ref().and_then(|map| map.choice.as_ref().filter(|choice| choice.strength < 1.0));
    if let Some(MapChoice { chosen, strength, .. }) = taken {
        let profile = |name: MapName| {
            let fit = fit_rating_map(name, items, labels)?;
            typical_log_trust(items, labels, prior, &fit.expect("the map was taken before"))
        };
        let (stated, whole) = (profile(MapName::Identity)?, profile(*chosen)?);
        return Ok(stated.zip(whole).map(|(stated, whole)| whole.drawn_back(*strength, &stated)));
    }
    let (posterior, mode, _) = fit.at_maximum(items, labels, prior)?;
    Ok(Some(posterior.profile(&mode, fit.regression.standard_errors()[0])))
}

/// Chooses a recalibration of ratings by held-out labels, as [`super::maps::choose`] does for classes, and fits it to
/// all labels.
///
/// The score of an item is the joint log-likelihood of its ratings, per rating, without the labels of its cluster.
/// [`MapName::Recalibrated`] is compared with the unchanged scores. Its common bias, slope and factor have fixed
/// priors, and groups and the curve add to them only as far as the ratings support it, so that one recalibration serves
/// for few ratings and for many. `clusters` has the cluster of each item; it is empty if every item is a cluster of its
/// own. A fit that starts from another study compares that study's recalibration, and uses it if there are too few
/// labels to compare.
///
/// # Errors
/// As [`fit_rating_map`].
pub fn choose_rating_map(
    items: &JudgedRatings,
    labels: &[Ratings],
    clusters: &[usize],
) -> Result<GaussianFit, FitError> {
    let labelled: Vec<bool> = labels.iter().map(|labels| labels.n > 0).collect();
    let clusters = Clusters::new(clusters, &labelled);
    let of_start = items.start.and_then(|start| start.fit.map.as_ref()).map(|map| map.name);
    let maps = [MapName::Identity, of_start.unwrap_or(MapName::Recalibrated)];
    let mut tries = Tries::new(false);
    for name in maps.into_iter().take_while(|_| clusters.are_enough(FEWEST)) {
        let tried = match fit_rating_map(name, items, labels)? {
            Ok(fit) => {
                let scores = fit.held_out_scores(items, labels, &clusters)?;
                let parameters = fit.layout.readings() * fit.layout.parts().count() + fit.layout.waves;
                Ok(Try { name, parameters, scores, fit })
            }
            Err(unavailable) => Err(unavailable),
        };
        tries.add(name, tried);
    }
    let (fit, mut choice) = tries.conclude(&clusters, GaussianFit::drawn_back);
    let mut fit = match fit {
        Some(fit) => fit,
        None => match fit_rating_map(of_start.unwrap_or(MapName::Identity), items, labels)? {
            Ok(fit) => fit,
            Err(_) => fit_rating_map(MapName::Recalibrated, items, labels)?.expect("it reads any scores"),
        },
    };
    choice.chosen = fit.map.as_ref().map_or(choice.chosen, |map| map.name);
    fit.map.iter_mut().for_each(|map| map.choice = Some(choice.clone()));
    Ok(fit)
}

impl GaussianFit {
    /// What the fit maximised, with its own parameters at the maximum, and the row that each item is there.
    fn at_maximum(
        &self,
        items: &JudgedRatings,
        labels: &[Ratings],
        prior: TrustPrior,
    ) -> Result<(Posterior<StudentT>, Vec<f64>, Rows), FitError> {
        let model = Model { reads: self.layout.reads, by_group: self.is_by_group(), curve: self.curve.clone() };
        let RatingSearch { mut search, layout, row_of, .. } = RatingSearch::new(model, items, labels, prior)?;
        let unit = search.posterior.likelihood.unit;
        let variances = self.map.iter().flat_map(|map| map.variances.iter().cloned());
        search.take(&variances.map(|of| in_units(of, 1.0 / unit)).collect::<Vec<_>>());
        let mode = self.regression.coefficients.iter().zip(layout.units(unit)).map(|(x, unit)| x / unit).collect();
        Ok((search.posterior, mode, row_of))
    }

    /// The score of each item's ratings without those of its cluster, 0 for an item without ratings.
    fn held_out_scores(
        &self,
        items: &JudgedRatings,
        labels: &[Ratings],
        clusters: &Clusters,
    ) -> Result<Vec<f64>, FitError> {
        let (posterior, mode, row_of) = self.at_maximum(items, labels, TrustPrior::Weak)?;
        let covariance = posterior.at(&mode).curvature().covariance();
        let (likelihood, shape) = (&posterior.likelihood, &posterior.shape);
        let read = |i: usize| posterior.items()[row_of[i].expect("it has ratings")].clone();
        let score = |_, terms: Terms<RatedItem>, fall: &[f64]| {
            StudentT::log_likelihood(&terms.item, &terms.fallen(shape, &mode, fall)) / StudentT::labels(&terms.item)
        };
        Ok(held_out((likelihood, shape), (&mode, &covariance), (&clusters.members, &row_of), read, score))
    }

    /// What follows from the coefficients, with each reading's number of rated items and centre.
    fn with_readings(mut self, readings: impl Iterator<Item = (usize, f64)>) -> Self {
        let (layout, coefficients) = (self.layout, &self.regression.coefficients);
        let of = |part: Part, r: usize| {
            let positions = layout.positions(part, r);
            (!positions.is_empty()).then(|| positions.iter().map(|&k| coefficients[k]).sum::<f64>())
        };
        let reading = |(r, (rated_items, centre)): (usize, (usize, f64))| {
            Some(Reading {
                rated_items,
                centre,
                bias: of(Part::Bias, r)?,
                slope: of(Part::Slope, r)?,
                factor: of(Part::Factor, r).map(f64::exp),
                common_variance: of(Part::Variance, r).map(f64::exp),
            })
        };
        self.readings = readings.enumerate().filter_map(reading).collect();
        self.freedom = freedom(coefficients[layout.freedom()]).0;
        self.common_variance = if layout.groups == 0 { of(Part::Variance, 0).map(f64::exp) } else { None };
        self
    }

    /// This fit of a map at the strength s between `stated` (0), the fit to the scores as they are, and itself (1).
    ///
    /// ```text
    /// mu' = mu + s (mu'_map - mu)        ln lambda, ln nu - 2, ln s0'^2: s times the map's, 1 - s times the other's
    /// ```
    ///
    /// Which of the two is right counts as unknown, with variance s (1 - s).
    fn drawn_back(mut self, s: f64, stated: &Self) -> Self {
        let layout = self.layout;
        let mut at: Vec<Option<usize>> = (0..layout.len()).map(|k| (k <= layout.freedom()).then_some(k)).collect();
        layout.shared(Part::Variance).into_iter().for_each(|k| at[k] = stated.layout.shared(Part::Variance));
        let mut from: Vec<f64> = at.iter().map(|at| at.map_or(0.0, |at| stated.regression.coefficients[at])).collect();
        layout.shared(Part::Slope).into_iter().for_each(|k| from[k] = 1.0);
        let off: Vec<f64> = self.regression.coefficients.iter().zip(&from).map(|(own, from)| own - from).collect();
        self.regression.draw_back_covariance(s, &off, (&stated.regression, &at));
        self.regression.coefficients = from.iter().zip(&off).map(|(from, off)| from + s * off).collect();
        let readings: Vec<(usize, f64)> = self.readings.iter().map(|r| (r.rated_items, r.centre)).collect();
        self.with_readings(readings.into_iter())
    }

    /// Whether an item whose judge states no deviation can be read, for every group.
    pub fn reads_unstated(&self) -> bool {
        self.layout.common
    }

    /// Whether this fit can be applied to items with these features, in order, and so many groups.
    ///
    /// # Errors
    /// The first field that contradicts them, or is not finite.
    pub fn check(&self, features: &[&str], groups: usize) -> Result<(), Unfit> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let layout = &self.layout;
        let own = layout.features;
        that(own == features.len(), "layout", || format!("is of {own} features"))?;
        let own = layout.groups;
        that(own == 0 || own == groups, "layout", || format!("is of {own} groups and must be of {groups}"))?;
        let waves = self.curve.as_ref().map_or(0, Curve::waves);
        let bends = waves == layout.waves && self.curve.as_ref().is_none_or(Curve::is_whole);
        that(bends, "curve", || "does not belong to the layout, or is not finite".to_owned())?;
        match &self.map {
            Some(map) => map.check(layout)?,
            None => that(!layout.reads && waves == 0, "map", || "is missing, and the layout reads a scale".to_owned())?,
        }
        that(self.freedom > 2.0, "freedom", || format!("is {} and must be above 2", self.freedom))?;
        let common = layout.common && layout.groups == 0;
        let one = self.common_variance.is_some() == common && self.common_variance.is_none_or(positive);
        that(one, "common_variance", || "does not belong to the layout, or is not above 0".to_owned())?;
        let readings = if layout.reads { layout.readings() } else { 0 };
        let found = self.readings.len();
        that(found == readings, "readings", || format!("are {found} and must be {readings}"))?;
        let whole = |r: &Reading| {
            let factor = r.factor.is_some() == layout.stated && r.factor.is_none_or(positive);
            let variance = r.common_variance.is_some() == layout.common && r.common_variance.is_none_or(positive);
            [r.centre, r.bias, r.slope].iter().all(|x| x.is_finite()) && factor && variance
        };
        that(self.readings.iter().all(whole), "readings", || "have an entry out of its range".to_owned())?;
        self.regression.check(features, layout.len(), 0)
    }
}

impl RatingMap {
    /// Whether a fit of this layout can be this map.
    fn check(&self, layout: &Layout) -> Result<(), Unfit> {
        let curved = layout.waves > 0;
        let own = match self.name {
            MapName::Identity => !layout.reads && !curved,
            MapName::Line => layout.reads && layout.groups == 0 && !curved,
            MapName::Groups => layout.reads && layout.groups > 0 && !curved,
            MapName::Recalibrated => layout.reads,
            _ => false,
        };
        that(own, "map", || format!("{} does not belong to the layout", self.name))?;
        let blocks: Vec<&str> = self.variances.iter().map(|variance| variance.block.as_str()).collect();
        let wanted: Vec<&str> = layout.blocks().iter().map(|block| block.name).collect();
        that(blocks == wanted, "map.variances", || format!("are of {blocks:?} and must be of {wanted:?}"))?;
        let possible = |v: &Variance| v.variance.is_finite() && v.variance >= 0.0 && v.determined.is_finite();
        that(self.variances.iter().all(possible), "map.variances", || "are not finite, or below 0".to_owned())
    }
}

#[cfg(test)]
mod tests;
