//! The paper's simulations on synthetic pools with known truth (Sec. 5.1 and App. A).

pub mod calibrated;
pub mod misspecified;
pub mod results;

use std::collections::{BTreeMap, BTreeSet};

use calibrated::{CellOutcome, Condition, Ground, Shared, WorldSpec};

use super::Error;
use super::isolation::Isolation;
use super::steps::{Published, Steps};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Summary, mean, quantile::percentiles, spearman};
use judge_uncertainty_evaluation::replicate;
use judge_uncertainty_system::progress::Progress;
use results::{
    CalibratedPoint, Criterion, Derived, DosePoint, InformativenessPoint, MisspecifiedPoint, Null, RangePp,
    SimulationResults, SweepPoint, Tracking,
};

/// Seeds of the random streams; s counts worlds from 0.
pub const SEEDS: &[(&str, &str)] = &[
    ("calibrated world s", "s, its rules 1000000 + s"),
    ("null world s", "s, its rules 500 + s"),
    ("isolation world s", "42 + s"),
    ("bootstrap", "0"),
    ("misspecified world s", "s, its rules 2000000 + s"),
];
const ITEMS: usize = 2000;
const SECOND_SEED: u64 = 1_000_000;
const NULL_SECOND_SEED: u64 = 500;
const NULL_LABELS: u32 = 5;
/// Trust ratio of every sweep but the dose-response.
const TRUST_RATIO: u32 = 256;
const BOOTSTRAP_MEANS: usize = 10_000;
/// Widths of the familiarity range, percent.
const WIDTHS: [u32; 11] = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
const FULL_WIDTH: u32 = 100;
/// Correlations of contentiousness and unfamiliarity, percent.
const CORRELATIONS: [i32; 5] = [-80, -40, 0, 40, 80];
/// Informativeness of the familiarity signal, percent.
const INFORMATIVENESS: [u32; 11] = WIDTHS;
const INFORMATIVENESS_WIDTHS: [(u32, &str); 3] = [(25, "width_quarter"), (50, "width_half"), (100, "width_full")];
const TRUST_RATIOS: [u32; 5] = [4, 16, 64, 256, 1024];
const GAMMAS: [(u32, &str); 6] =
    [(0, "gamma_0"), (25, "gamma_0_25"), (50, "gamma_0_5"), (75, "gamma_0_75"), (100, "gamma_1"), (150, "gamma_1_5")];
const ISOLATION_ITEMS: usize = 4000;
const ISOLATION_FIRST_SEED: u64 = 42;
const ISOLATION_INFORMATIVENESS: u32 = 70;

/// Seeds per sweep; the paper's by [`Default`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimulationSizes {
    /// S1, regret against trust spread.
    pub trust_spread: usize,
    /// S2, trust spread and correlation.
    pub correlation: usize,
    /// S3, informativeness of the signal.
    pub informativeness: usize,
    /// S4, the criterion cell.
    pub criterion: usize,
    /// S5, estimated trust over the spread.
    pub tracking: usize,
    /// S6, the trust range.
    pub dose_response: usize,
    /// The null: equal trust, equal label counts.
    pub null: usize,
    /// Calibrated isolation.
    pub isolation: usize,
    /// Misspecified, judge-supplied features only.
    pub misspecified: usize,
    /// Misspecified with a familiarity signal.
    pub misspecified_familiarity: usize,
}

impl Default for SimulationSizes {
    fn default() -> Self {
        Self {
            trust_spread: 200,
            correlation: 50,
            informativeness: 100,
            criterion: 500,
            tracking: 100,
            dose_response: 100,
            null: 5,
            isolation: 20,
            misspecified: 100,
            misspecified_familiarity: 50,
        }
    }
}

impl SimulationSizes {
    /// The sizes by name of the part.
    pub fn named(&self) -> BTreeMap<String, usize> {
        let sizes = [
            ("trust spread (S1)", self.trust_spread),
            ("correlation (S2)", self.correlation),
            ("informativeness (S3)", self.informativeness),
            ("criterion (S4)", self.criterion),
            ("tracking (S5)", self.tracking),
            ("dose response (S6)", self.dose_response),
            ("null", self.null),
            ("isolation", self.isolation),
            ("misspecified", self.misspecified),
            ("misspecified with familiarity", self.misspecified_familiarity),
        ];
        sizes.map(|(name, size)| (name.to_owned(), size)).into()
    }

    /// At most `seeds` per sweep.
    pub fn capped(seeds: usize) -> Self {
        let full = Self::default();
        Self {
            trust_spread: full.trust_spread.min(seeds),
            correlation: full.correlation.min(seeds),
            informativeness: full.informativeness.min(seeds),
            criterion: full.criterion.min(seeds),
            tracking: full.tracking.min(seeds),
            dose_response: full.dose_response.min(seeds),
            null: full.null.min(seeds),
            isolation: full.isolation.min(seeds),
            misspecified: full.misspecified.min(seeds),
            misspecified_familiarity: full.misspecified_familiarity.min(seeds),
        }
    }
}

/// Runs all simulations.
///
/// # Errors
/// A fit that is impossible.
pub fn run(sizes: &SimulationSizes, progress: &dyn Progress) -> Result<SimulationResults, Error> {
    run_by(sizes, &Published, progress)
}

/// Runs all simulations with `steps` in the place of the published ones.
///
/// # Errors
/// As [`run`].
pub fn run_by(sizes: &SimulationSizes, steps: &dyn Steps, progress: &dyn Progress) -> Result<SimulationResults, Error> {
    let cells = Cells::compute(&plan(sizes), steps, progress)?;
    let trust_spread: Vec<SweepPoint> = WIDTHS
        .iter()
        .map(|&width| SweepPoint {
            width: f64::from(width) / 100.0,
            point: cells.point(width, 0, TRUST_RATIO, Condition::Oracle, sizes.trust_spread),
        })
        .collect();
    let tracking_points: Vec<SweepPoint> = WIDTHS
        .iter()
        .map(|&width| SweepPoint {
            width: f64::from(width) / 100.0,
            point: cells.point(width, 0, TRUST_RATIO, Condition::Estimated(100), sizes.tracking),
        })
        .collect();
    let advantages = |points: &[SweepPoint]| -> Vec<f64> { points.iter().map(|p| p.point.advantage_pp.mean).collect() };
    let tracking = Tracking {
        spearman: spearman(&advantages(&trust_spread), &advantages(&tracking_points))
            .ok_or(Error::Undefined { experiment: "simulations", quantity: "tracking" })?,
        points: tracking_points,
    };
    let correlation: BTreeMap<String, Vec<SweepPoint>> = CORRELATIONS
        .iter()
        .map(|&rho| {
            let points = WIDTHS.iter().map(|&width| SweepPoint {
                width: f64::from(width) / 100.0,
                point: cells.point(width, rho, TRUST_RATIO, Condition::Oracle, sizes.correlation),
            });
            (correlation_key(rho), points.collect())
        })
        .collect();
    let informativeness: BTreeMap<String, Vec<InformativenessPoint>> = INFORMATIVENESS_WIDTHS
        .iter()
        .map(|&(width, key)| {
            let points = INFORMATIVENESS.iter().map(|&r| InformativenessPoint {
                informativeness: f64::from(r) / 100.0,
                signal: cells.signal(width, Condition::Estimated(r), sizes.informativeness),
                point: cells.point(width, 0, TRUST_RATIO, Condition::Estimated(r), sizes.informativeness),
            });
            (key.to_owned(), points.collect())
        })
        .collect();
    let dose_response: Vec<DosePoint> = TRUST_RATIOS
        .iter()
        .map(|&trust_ratio| {
            let at = |condition| cells.point(FULL_WIDTH, 0, trust_ratio, condition, sizes.dose_response);
            DosePoint { trust_ratio, oracle: at(Condition::Oracle), estimated: at(Condition::Estimated(100)) }
        })
        .collect();
    let criterion = |condition| {
        cells
            .point_outcomes(FULL_WIDTH, 0, TRUST_RATIO, condition, sizes.criterion)
            .map(advantage_pp)
            .collect::<Vec<_>>()
    };
    let misspecified = misspecified_sweeps(sizes, steps, progress)?;
    Ok(SimulationResults {
        derived: derive(&Sweeps {
            trust_spread: &trust_spread,
            correlation: &correlation,
            informativeness: &informativeness,
            tracking: &tracking.points,
            dose_response: &dose_response,
            misspecified: &misspecified,
        }),
        trust_spread,
        correlation,
        informativeness,
        criterion: BTreeMap::from([
            ("oracle".to_owned(), bootstrap(&criterion(Condition::Oracle))),
            ("estimated".to_owned(), bootstrap(&criterion(Condition::Estimated(100)))),
        ]),
        tracking,
        dose_response,
        null: null(sizes.null, steps, progress)?,
        isolation: isolation(sizes.isolation, steps, progress)?,
        misspecified,
    })
}

/// Worlds and the conditions wanted in each: sweeps share worlds, and every world is drawn once.
type Plan = BTreeMap<WorldSpec, BTreeSet<Condition>>;

fn spec(width: u32, correlation: i32, trust_ratio: u32, seed: u64) -> WorldSpec {
    WorldSpec { items: ITEMS, width, correlation, trust_ratio, fixed_labels: None, seed }
}

fn plan(sizes: &SimulationSizes) -> Plan {
    let mut plan = Plan::new();
    let mut want = |width, correlation, trust_ratio, condition, seeds: usize| {
        for seed in 0..seeds as u64 {
            plan.entry(spec(width, correlation, trust_ratio, seed)).or_default().insert(condition);
        }
    };
    for width in WIDTHS {
        want(width, 0, TRUST_RATIO, Condition::Oracle, sizes.trust_spread);
        want(width, 0, TRUST_RATIO, Condition::Estimated(100), sizes.tracking);
        for rho in CORRELATIONS {
            want(width, rho, TRUST_RATIO, Condition::Oracle, sizes.correlation);
        }
    }
    for (width, _) in INFORMATIVENESS_WIDTHS {
        for r in INFORMATIVENESS {
            want(width, 0, TRUST_RATIO, Condition::Estimated(r), sizes.informativeness);
        }
    }
    for condition in [Condition::Oracle, Condition::Estimated(100)] {
        want(FULL_WIDTH, 0, TRUST_RATIO, condition, sizes.criterion);
        for trust_ratio in TRUST_RATIOS {
            want(FULL_WIDTH, 0, trust_ratio, condition, sizes.dose_response);
        }
    }
    plan
}

/// Outcomes of all planned cells.
struct Cells(BTreeMap<(WorldSpec, Condition), CellOutcome>);

impl Cells {
    fn compute(plan: &Plan, steps: &dyn Steps, progress: &dyn Progress) -> Result<Self, Error> {
        let mut grounds: BTreeMap<_, Vec<(&WorldSpec, Vec<Condition>)>> = BTreeMap::new();
        for (spec, conditions) in plan {
            let worlds = grounds.entry((spec.seed, spec.items, spec.correlation)).or_default();
            worlds.push((spec, conditions.iter().copied().collect()));
        }
        let jobs: Vec<_> = grounds.into_values().collect();
        let outcomes = replicate("calibrated simulation", &jobs, progress, |worlds| {
            let ground = Ground::draw_by(worlds[0].0, steps)?;
            let conditions = worlds.iter().flat_map(|(_, conditions)| conditions);
            let shared = Shared::new(&ground, conditions, worlds[0].0.seed + SECOND_SEED);
            let of_world = |(spec, conditions): &(&WorldSpec, Vec<Condition>)| {
                calibrated::evaluate(&ground.world(spec), conditions, &shared, steps)
            };
            worlds.iter().map(of_world).collect::<Result<Vec<_>, Error>>()
        })?;
        let worlds = jobs.into_iter().flatten().zip(outcomes.into_iter().flatten());
        let cells = worlds.flat_map(|((spec, conditions), outcomes)| {
            conditions.into_iter().map(move |condition| (*spec, condition)).zip(outcomes)
        });
        Ok(Self(cells.collect()))
    }

    fn point_outcomes(
        &self,
        width: u32,
        correlation: i32,
        trust_ratio: u32,
        condition: Condition,
        seeds: usize,
    ) -> impl Iterator<Item = &CellOutcome> {
        (0..seeds as u64).map(move |seed| &self.0[&(spec(width, correlation, trust_ratio, seed), condition)])
    }

    fn point(
        &self,
        width: u32,
        correlation: i32,
        trust_ratio: u32,
        condition: Condition,
        seeds: usize,
    ) -> CalibratedPoint {
        let outcomes: Vec<&CellOutcome> =
            self.point_outcomes(width, correlation, trust_ratio, condition, seeds).collect();
        let regrets = |of: fn(&CellOutcome) -> &calibrated::Regrets| -> BTreeMap<Rule, Summary> {
            let rules = calibrated::RULES.into_iter().enumerate();
            rules.map(|(k, rule)| (rule, Summary::over(&outcomes, |o| 100.0 * of(o)[k]))).collect()
        };
        CalibratedPoint {
            regret_pp: regrets(|o| &o.squared_error),
            log_loss_regret_pp: regrets(|o| &o.log_loss),
            advantage_pp: Summary::over(&outcomes, |o| advantage_pp(o)),
        }
    }

    fn signal(&self, width: u32, condition: Condition, seeds: usize) -> f64 {
        let signals = self.point_outcomes(width, 0, TRUST_RATIO, condition, seeds).filter_map(|o| o.signal);
        mean(&signals.collect::<Vec<_>>())
    }
}

/// Advantage of Delta over the judge's entropy: difference of regrets at 10%, in pp.
fn advantage_pp(outcome: &CellOutcome) -> f64 {
    let at = |rule: Rule| {
        let k = calibrated::RULES.iter().position(|r| *r == rule).expect("both rules are in the list");
        outcome.squared_error[k]
    };
    100.0 * (at(Rule::JudgeEntropy) - at(Rule::Delta))
}

/// Mean advantage with a percentile interval over bootstrap means of the seeds.
fn bootstrap(advantages: &[f64]) -> Criterion {
    let mut stream = Stream::new(0);
    let n = advantages.len();
    let means: Vec<f64> = (0..BOOTSTRAP_MEANS)
        .map(|_| (0..n).map(|_| advantages[stream.choice(n as u32) as usize]).sum::<f64>() / n as f64)
        .collect();
    let [ci_lo_pp, ci_hi_pp] = percentiles(&means, [2.5, 97.5]);
    Criterion { advantage_pp: mean(advantages), ci_lo_pp, ci_hi_pp }
}

/// Equal trust and equal label counts: entropy ranking should lose nothing.
fn null(seeds: usize, steps: &dyn Steps, progress: &dyn Progress) -> Result<Null, Error> {
    let jobs: Vec<u64> = (0..seeds as u64).collect();
    let outcomes = replicate("null", &jobs, progress, |&seed| {
        let spec = WorldSpec { fixed_labels: Some(NULL_LABELS), ..spec(0, 0, TRUST_RATIO, seed) };
        let ground = Ground::draw_by(&spec, steps)?;
        let shared = Shared::new(&ground, &[Condition::Oracle], seed + NULL_SECOND_SEED);
        Ok::<_, Error>(calibrated::evaluate(&ground.world(&spec), &[Condition::Oracle], &shared, steps)?[0])
    })?;
    let against = |rule: Rule| {
        let at = |o: &CellOutcome, rule: Rule| {
            let k = calibrated::RULES.iter().position(|r| *r == rule).expect("the rule is in the list");
            o.squared_error[k]
        };
        Summary::over(&outcomes, |o| 100.0 * (at(o, rule) - at(o, Rule::Delta)))
    };
    Ok(Null {
        posterior_entropy_advantage_pp: against(Rule::PosteriorEntropy),
        judge_entropy_advantage_pp: against(Rule::JudgeEntropy),
    })
}

fn isolation(seeds: usize, steps: &dyn Steps, progress: &dyn Progress) -> Result<Isolation, Error> {
    let jobs: Vec<u64> = (0..seeds as u64).map(|s| ISOLATION_FIRST_SEED + s).collect();
    let worlds = replicate("isolation", &jobs, progress, |&seed| {
        let spec = WorldSpec { items: ISOLATION_ITEMS, ..spec(FULL_WIDTH, 0, TRUST_RATIO, seed) };
        calibrated::isolation(&spec, ISOLATION_INFORMATIVENESS, steps)
    })?;
    Ok(Isolation::over(&worlds, |world| *world))
}

fn misspecified_sweeps(
    sizes: &SimulationSizes,
    steps: &dyn Steps,
    progress: &dyn Progress,
) -> Result<BTreeMap<String, BTreeMap<String, MisspecifiedPoint>>, Error> {
    let variants = [("plain", false, sizes.misspecified), ("familiarity", true, sizes.misspecified_familiarity)];
    let jobs: Vec<(u32, bool, u64)> = variants
        .iter()
        .flat_map(|&(_, familiarity, seeds)| {
            GAMMAS.iter().flat_map(move |&(gamma, _)| (0..seeds as u64).map(move |s| (gamma, familiarity, s)))
        })
        .collect();
    let outcomes = replicate("misspecified simulation", &jobs, progress, |&(gamma, familiarity, seed)| {
        misspecified::world_outcome(gamma, familiarity, seed, steps)
    })?;
    let mut rest = outcomes.as_slice();
    let mut results = BTreeMap::new();
    for (name, _, seeds) in variants {
        let mut by_gamma = BTreeMap::new();
        for (_, key) in GAMMAS {
            let (these, later) = rest.split_at(seeds);
            rest = later;
            by_gamma.insert(key.to_owned(), MisspecifiedPoint::new(these));
        }
        results.insert(name.to_owned(), by_gamma);
    }
    Ok(results)
}

fn correlation_key(rho: i32) -> String {
    let size = match rho.abs() {
        0 => "0".to_owned(),
        percent => format!("0_{}", percent / 10),
    };
    format!("rho_{}{size}", if rho < 0 { "minus_" } else { "" })
}

/// What statements are derived from.
struct Sweeps<'a> {
    trust_spread: &'a [SweepPoint],
    correlation: &'a BTreeMap<String, Vec<SweepPoint>>,
    informativeness: &'a BTreeMap<String, Vec<InformativenessPoint>>,
    tracking: &'a [SweepPoint],
    dose_response: &'a [DosePoint],
    misspecified: &'a BTreeMap<String, BTreeMap<String, MisspecifiedPoint>>,
}

impl Sweeps<'_> {
    /// Regret of v minus regret of Delta over each sweep and over all of them.
    fn spread_minus_delta(&self) -> BTreeMap<String, RangePp> {
        let gap = |p: &CalibratedPoint| p.regret_pp[&Rule::Spread].mean - p.regret_pp[&Rule::Delta].mean;
        let of = |points: &mut dyn Iterator<Item = &CalibratedPoint>| RangePp::new(points.map(gap));
        let mut ranges = BTreeMap::from([
            ("trust_spread", of(&mut self.trust_spread.iter().map(|p| &p.point))),
            ("correlation", of(&mut self.correlation.values().flatten().map(|p| &p.point))),
            ("informativeness", of(&mut self.informativeness.values().flatten().map(|p| &p.point))),
            ("tracking", of(&mut self.tracking.iter().map(|p| &p.point))),
            ("dose_response_oracle", of(&mut self.dose_response.iter().map(|p| &p.oracle))),
            ("dose_response_estimated", of(&mut self.dose_response.iter().map(|p| &p.estimated))),
        ]);
        ranges.insert("everywhere", RangePp::new(ranges.values().flat_map(|range| [range.min, range.max])));
        ranges.into_iter().map(|(sweep, range)| (sweep.to_owned(), range)).collect()
    }

    /// What the familiarity signal restores at corruption 1, in percent, and its smallest gain at the others.
    fn familiarity(&self) -> (f64, f64) {
        let (plain, signal) = (&self.misspecified["plain"], &self.misspecified["familiarity"]);
        let dead = "gamma_1";
        let elsewhere = || plain.iter().filter(|(gamma, _)| *gamma != dead);
        let kept = mean(&elsewhere().map(|(_, p)| p.advantage_pp.mean).collect::<Vec<_>>());
        let gain = |gamma: &str| signal[gamma].advantage_pp.mean - plain[gamma].advantage_pp.mean;
        let lost = kept - plain[dead].advantage_pp.mean;
        (100.0 * gain(dead) / lost, RangePp::new(elsewhere().map(|(gamma, _)| gain(gamma))).min)
    }
}

fn derive(sweeps: &Sweeps) -> Derived {
    let Sweeps { trust_spread, informativeness, tracking, dose_response, .. } = sweeps;
    let gap = |p: &CalibratedPoint| p.regret_pp[&Rule::Spread].mean - p.regret_pp[&Rule::Delta].mean;
    let gaps: Vec<f64> = trust_spread.iter().map(|p| gap(&p.point)).collect();
    let total = |of: &dyn Fn(&CalibratedPoint) -> f64| trust_spread.iter().map(|p| of(&p.point)).sum::<f64>();
    let advantage = |p: &CalibratedPoint| p.regret_pp[&Rule::JudgeEntropy].mean - p.regret_pp[&Rule::Delta].mean;
    let largest = |x: Vec<f64>| x.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let smallest = |x: Vec<f64>| x.into_iter().fold(f64::INFINITY, f64::min);
    let delta_regret =
        |points: &[SweepPoint]| largest(points.iter().map(|p| p.point.regret_pp[&Rule::Delta].mean).collect());
    let (familiarity_recovers_percent, familiarity_smallest_gain_elsewhere_pp) = sweeps.familiarity();
    let full = &informativeness["width_full"];
    let rises = full.windows(2).map(|w| w[1].point.advantage_pp.mean - w[0].point.advantage_pp.mean).collect();
    Derived {
        entropy_forfeits_fraction: trust_spread[0].point.regret_pp[&Rule::JudgeEntropy].mean / 100.0,
        spread_minus_delta_min_pp: smallest(gaps.clone()),
        spread_minus_delta_max_pp: largest(gaps),
        spread_captures_percent: 100.0 * (1.0 - total(&gap) / total(&advantage)),
        spread_minus_delta_pp: sweeps.spread_minus_delta(),
        delta_regret_max_pp: delta_regret(trust_spread),
        estimated_delta_regret_max_pp: delta_regret(tracking),
        familiarity_recovers_percent,
        familiarity_smallest_gain_elsewhere_pp,
        informativeness_smallest_rise_pp: smallest(rises),
        dose_response_oracle_minus_estimated_max_pp: largest(
            dose_response.iter().map(|p| (p.oracle.advantage_pp.mean - p.estimated.advantage_pp.mean).abs()).collect(),
        ),
    }
}
