//! The paper's simulations on synthetic pools with known truth (Sec. 5.1 and App. A).

pub mod calibrated;
pub mod misspecified;
pub mod results;

use std::collections::{BTreeMap, BTreeSet};

use calibrated::{CalibratedWorld, CellOutcome, Ground, Shared, TrustKnowledge, WorldSpec};

use super::isolation::Isolation;
use super::steps::Steps;
use super::{Error, Extremes};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Summary, mean, quantile::percentiles, spearman};
use judge_uncertainty_evaluation::replicate;
use judge_uncertainty_system::numbers::rounded;
use judge_uncertainty_system::progress::Progress;
use results::{
    CalibratedPoint, CriterionCell, DosePoint, InformativenessPoint, Inversion, MisspecifiedPoint, Null,
    SimulationResults, SimulationStatements, SweepPoint, Tracking,
};

const ITEMS: usize = 2000;
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
const ISOLATION_INFORMATIVENESS: u32 = 70;
/// The authors round the correlations of each world before they summarise them.
const WORLD_DIGITS: i8 = 3;

sizes! {
    /// Seeds per sweep; the paper's by [`Default`].
    SimulationSizes {
        /// S1, regret against trust spread.
        trust_spread: "trust spread (S1)" = 200,
        /// S2, trust spread and correlation.
        correlation: "correlation (S2)" = 50,
        /// S3, informativeness of the signal.
        informativeness: "informativeness (S3)" = 100,
        /// S4, the criterion cell.
        criterion: "criterion (S4)" = 500,
        /// S5, estimated trust over the spread.
        tracking: "tracking (S5)" = 100,
        /// S6, the trust range.
        dose_response: "dose response (S6)" = 100,
        /// The null: equal trust, equal label counts.
        null: "null" = 5,
        /// Calibrated isolation.
        isolation: "isolation" = 20,
        /// Misspecified, judge-supplied features only.
        misspecified: "misspecified" = 100,
        /// Misspecified with a familiarity signal.
        misspecified_familiarity: "misspecified with familiarity" = 50,
    }
}

/// Runs all simulations by `steps`.
///
/// # Errors
/// A fit that is impossible.
pub fn run(sizes: &SimulationSizes, steps: &dyn Steps, progress: &dyn Progress) -> Result<SimulationResults, Error> {
    let cells = CellOutcomes::compute(&plan(sizes), steps, progress)?;
    let estimated = TrustKnowledge::Estimated;
    let sweep = |correlation: i32, known, seeds| -> Vec<SweepPoint> {
        let point = |width| SweepPoint {
            width: f64::from(width) / 100.0,
            point: cells.point(spec(width, correlation, TRUST_RATIO, 0), known, seeds),
        };
        WIDTHS.map(point).into()
    };
    let trust_spread = sweep(0, TrustKnowledge::Oracle, sizes.trust_spread);
    let tracking_points = sweep(0, estimated(100), sizes.tracking);
    let advantages = |points: &[SweepPoint]| -> Vec<f64> { points.iter().map(|p| p.point.advantage_pp.mean).collect() };
    let tracking = Tracking {
        spearman: spearman(&advantages(&trust_spread), &advantages(&tracking_points))
            .ok_or(Error::Undefined { experiment: "simulations", quantity: "tracking" })?,
        points: tracking_points,
    };
    let correlation =
        CORRELATIONS.map(|rho| (correlation_key(rho), sweep(rho, TrustKnowledge::Oracle, sizes.correlation)));
    let informativeness = INFORMATIVENESS_WIDTHS.map(|(width, key)| {
        let cell = spec(width, 0, TRUST_RATIO, 0);
        let points = INFORMATIVENESS.map(|r| InformativenessPoint {
            informativeness: f64::from(r) / 100.0,
            signal: cells.signal(cell, estimated(r), sizes.informativeness),
            point: cells.point(cell, estimated(r), sizes.informativeness),
        });
        (key.to_owned(), points.into())
    });
    let dose_response = TRUST_RATIOS.map(|trust_ratio| {
        let at = |known| cells.point(spec(FULL_WIDTH, 0, trust_ratio, 0), known, sizes.dose_response);
        DosePoint { trust_ratio, oracle: at(TrustKnowledge::Oracle), estimated: at(estimated(100)) }
    });
    let criterion = |known| {
        let outcomes = cells.outcomes(spec(FULL_WIDTH, 0, TRUST_RATIO, 0), known, sizes.criterion);
        bootstrap(&outcomes.map(advantage_pp).collect::<Vec<_>>(), steps.seeds().bootstrap)
    };
    let mut results = SimulationResults {
        trust_spread,
        correlation: correlation.into(),
        informativeness: informativeness.into(),
        tracking,
        dose_response: dose_response.into(),
        misspecified: misspecified_sweeps(sizes, steps, progress)?,
        criterion: BTreeMap::from([
            ("oracle".to_owned(), criterion(TrustKnowledge::Oracle)),
            ("estimated".to_owned(), criterion(estimated(100))),
        ]),
        null: null(sizes.null, steps, progress)?,
        isolation: isolation(sizes.isolation, steps, progress)?,
        inversion: inversion(sizes.isolation, steps, progress)?,
        derived: SimulationStatements::default(),
    };
    results.derived = derive(&results);
    Ok(results)
}

fn spec(width: u32, correlation: i32, trust_ratio: u32, seed: u64) -> WorldSpec {
    WorldSpec { items: ITEMS, width, correlation, trust_ratio, fixed_labels: None, seed }
}

/// Worlds and what is wanted to be known in each: sweeps share worlds, and every world is drawn once.
fn plan(sizes: &SimulationSizes) -> BTreeMap<WorldSpec, BTreeSet<TrustKnowledge>> {
    let mut plan: BTreeMap<WorldSpec, BTreeSet<TrustKnowledge>> = BTreeMap::new();
    let mut want = |width, correlation, trust_ratio, known, seeds: usize| {
        for seed in 0..seeds as u64 {
            plan.entry(spec(width, correlation, trust_ratio, seed)).or_default().insert(known);
        }
    };
    for width in WIDTHS {
        want(width, 0, TRUST_RATIO, TrustKnowledge::Oracle, sizes.trust_spread);
        want(width, 0, TRUST_RATIO, TrustKnowledge::Estimated(100), sizes.tracking);
        for rho in CORRELATIONS {
            want(width, rho, TRUST_RATIO, TrustKnowledge::Oracle, sizes.correlation);
        }
    }
    for (width, _) in INFORMATIVENESS_WIDTHS {
        for r in INFORMATIVENESS {
            want(width, 0, TRUST_RATIO, TrustKnowledge::Estimated(r), sizes.informativeness);
        }
    }
    for known in [TrustKnowledge::Oracle, TrustKnowledge::Estimated(100)] {
        want(FULL_WIDTH, 0, TRUST_RATIO, known, sizes.criterion);
        for trust_ratio in TRUST_RATIOS {
            want(FULL_WIDTH, 0, trust_ratio, known, sizes.dose_response);
        }
    }
    plan
}

/// Outcomes of all planned cells.
struct CellOutcomes(BTreeMap<(WorldSpec, TrustKnowledge), CellOutcome>);

impl CellOutcomes {
    fn compute(
        plan: &BTreeMap<WorldSpec, BTreeSet<TrustKnowledge>>,
        steps: &dyn Steps,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        let mut grounds: BTreeMap<_, Vec<(&WorldSpec, Vec<TrustKnowledge>)>> = BTreeMap::new();
        for (spec, known) in plan {
            let worlds = grounds.entry((spec.seed, spec.items, spec.correlation)).or_default();
            worlds.push((spec, known.iter().copied().collect()));
        }
        let jobs: Vec<_> = grounds.into_values().collect();
        let outcomes = replicate("calibrated simulation", &jobs, progress, |worlds| {
            let ground = Ground::draw(worlds[0].0, steps)?;
            let known = worlds.iter().flat_map(|(_, known)| known);
            let shared = Shared::new(&ground, known, worlds[0].0.seed + steps.seeds().world_rules);
            let of_world = |(spec, known): &(&WorldSpec, Vec<TrustKnowledge>)| {
                calibrated::evaluate(&ground.world(spec), known, &shared, steps)
            };
            worlds.iter().map(of_world).collect::<Result<Vec<_>, Error>>()
        })?;
        let worlds = jobs.into_iter().flatten().zip(outcomes.into_iter().flatten());
        let cells = worlds
            .flat_map(|((spec, known), outcomes)| known.into_iter().map(move |known| (*spec, known)).zip(outcomes));
        Ok(Self(cells.collect()))
    }

    /// The outcomes of a cell in worlds of the first so many seeds.
    fn outcomes(&self, cell: WorldSpec, known: TrustKnowledge, seeds: usize) -> impl Iterator<Item = &CellOutcome> {
        (0..seeds as u64).map(move |seed| &self.0[&(WorldSpec { seed, ..cell }, known)])
    }

    fn point(&self, cell: WorldSpec, known: TrustKnowledge, seeds: usize) -> CalibratedPoint {
        let outcomes: Vec<&CellOutcome> = self.outcomes(cell, known, seeds).collect();
        let regrets = |of: fn(&CellOutcome) -> &[f64; calibrated::RULES.len()]| -> BTreeMap<Rule, Summary> {
            let rules = calibrated::RULES.into_iter().enumerate();
            rules.map(|(k, rule)| (rule, Summary::over(&outcomes, |o| 100.0 * of(o)[k]))).collect()
        };
        CalibratedPoint {
            regret_pp: regrets(|o| &o.squared_error),
            log_loss_regret_pp: regrets(|o| &o.log_loss),
            advantage_pp: Summary::over(&outcomes, |o| advantage_pp(o)),
        }
    }

    fn signal(&self, cell: WorldSpec, known: TrustKnowledge, seeds: usize) -> f64 {
        mean(&self.outcomes(cell, known, seeds).filter_map(|o| o.signal).collect::<Vec<_>>())
    }
}

/// Regret of a rule minus that of Delta at 10%, in pp.
fn minus_delta(outcome: &CellOutcome, rule: Rule) -> f64 {
    let at = |rule: Rule| {
        let k = calibrated::RULES.iter().position(|r| *r == rule).expect("both rules are in the list");
        outcome.squared_error[k]
    };
    100.0 * (at(rule) - at(Rule::Delta))
}

/// Advantage of Delta over the judge's entropy: difference of regrets at 10%, in pp.
fn advantage_pp(outcome: &CellOutcome) -> f64 {
    minus_delta(outcome, Rule::JudgeEntropy)
}

/// Mean advantage with a percentile interval over bootstrap means of the seeds.
fn bootstrap(advantages: &[f64], seed: u64) -> CriterionCell {
    let mut stream = Stream::new(seed);
    let n = advantages.len();
    let means: Vec<f64> = (0..BOOTSTRAP_MEANS)
        .map(|_| (0..n).map(|_| advantages[stream.choice(n as u32) as usize]).sum::<f64>() / n as f64)
        .collect();
    let [ci_lo_pp, ci_hi_pp] = percentiles(&means, [2.5, 97.5]);
    CriterionCell { advantage_pp: mean(advantages), ci_lo_pp, ci_hi_pp }
}

/// Equal trust and equal label counts: entropy ranking should lose nothing.
fn null(seeds: usize, steps: &dyn Steps, progress: &dyn Progress) -> Result<Null, Error> {
    let jobs: Vec<u64> = (0..seeds as u64).collect();
    let outcomes = replicate("null", &jobs, progress, |&seed| {
        let spec = WorldSpec { fixed_labels: Some(NULL_LABELS), ..spec(0, 0, TRUST_RATIO, seed) };
        let ground = Ground::draw(&spec, steps)?;
        let shared = Shared::new(&ground, &[TrustKnowledge::Oracle], seed + steps.seeds().null_rules);
        Ok::<_, Error>(calibrated::evaluate(&ground.world(&spec), &[TrustKnowledge::Oracle], &shared, steps)?[0])
    })?;
    let against = |rule: Rule| Summary::over(&outcomes, |o| minus_delta(o, rule));
    Ok(Null {
        posterior_entropy_advantage_pp: against(Rule::PosteriorEntropy),
        judge_entropy_advantage_pp: against(Rule::JudgeEntropy),
    })
}

fn isolation(seeds: usize, steps: &dyn Steps, progress: &dyn Progress) -> Result<Isolation, Error> {
    let jobs: Vec<u64> = (0..seeds as u64).map(|s| steps.seeds().isolation + s).collect();
    let worlds = replicate("isolation", &jobs, progress, |&seed| {
        let spec = WorldSpec { items: ISOLATION_ITEMS, ..spec(FULL_WIDTH, 0, TRUST_RATIO, seed) };
        calibrated::isolation(&spec, ISOLATION_INFORMATIVENESS, steps)
    })?;
    Ok(Isolation::over(&worlds, |world| world.map(|r| rounded(r, WORLD_DIGITS))))
}

/// In the first worlds of the widest spread of trust.
fn inversion(seeds: usize, steps: &dyn Steps, progress: &dyn Progress) -> Result<Inversion, Error> {
    let jobs: Vec<u64> = (0..seeds as u64).collect();
    let worlds = replicate("inversion", &jobs, progress, |&seed| {
        let world = CalibratedWorld::draw(&spec(FULL_WIDTH, 0, TRUST_RATIO, seed), steps)?;
        let undefined = Error::Undefined { experiment: "simulations", quantity: "inversion" };
        calibrated::entropy_with_value(&world).ok_or(undefined)
    })?;
    let over = |k: usize| Summary::over(&worlds, |world| world[k]);
    Ok(Inversion { judge_entropy: over(0), posterior_entropy: over(1) })
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

/// Regret of v minus regret of Delta.
fn gap(p: &CalibratedPoint) -> f64 {
    p.regret_pp[&Rule::Spread].mean - p.regret_pp[&Rule::Delta].mean
}

/// Regret of v minus regret of Delta over each sweep and over all of them.
fn spread_minus_delta(results: &SimulationResults) -> BTreeMap<String, Extremes> {
    let of = |points: &mut dyn Iterator<Item = &CalibratedPoint>| Extremes::new(points.map(gap));
    let dose_response = &results.dose_response;
    let mut ranges = BTreeMap::from([
        ("trust_spread", of(&mut results.trust_spread.iter().map(|p| &p.point))),
        ("correlation", of(&mut results.correlation.values().flatten().map(|p| &p.point))),
        ("informativeness", of(&mut results.informativeness.values().flatten().map(|p| &p.point))),
        ("tracking", of(&mut results.tracking.points.iter().map(|p| &p.point))),
        ("dose_response_oracle", of(&mut dose_response.iter().map(|p| &p.oracle))),
        ("dose_response_estimated", of(&mut dose_response.iter().map(|p| &p.estimated))),
    ]);
    ranges.insert("everywhere", Extremes::new(ranges.values().flat_map(|range| [range.min, range.max])));
    ranges.into_iter().map(|(sweep, range)| (sweep.to_owned(), range)).collect()
}

/// What the familiarity signal restores at corruption 1, in percent, and its smallest gain at the others.
fn gain_by_familiarity(results: &SimulationResults) -> (f64, f64) {
    let (plain, signal) = (&results.misspecified["plain"], &results.misspecified["familiarity"]);
    let dead = "gamma_1";
    let elsewhere = || plain.iter().filter(|(gamma, _)| *gamma != dead);
    let kept = mean(&elsewhere().map(|(_, p)| p.advantage_pp.mean).collect::<Vec<_>>());
    let gain = |gamma: &str| signal[gamma].advantage_pp.mean - plain[gamma].advantage_pp.mean;
    let lost = kept - plain[dead].advantage_pp.mean;
    (100.0 * gain(dead) / lost, Extremes::new(elsewhere().map(|(gamma, _)| gain(gamma))).min)
}

fn derive(results: &SimulationResults) -> SimulationStatements {
    let SimulationResults { trust_spread, informativeness, dose_response, .. } = results;
    let gaps = Extremes::new(trust_spread.iter().map(|p| gap(&p.point)));
    let total = |of: &dyn Fn(&CalibratedPoint) -> f64| trust_spread.iter().map(|p| of(&p.point)).sum::<f64>();
    let advantage = |p: &CalibratedPoint| p.regret_pp[&Rule::JudgeEntropy].mean - p.regret_pp[&Rule::Delta].mean;
    let delta_regret =
        |points: &[SweepPoint]| Extremes::new(points.iter().map(|p| p.point.regret_pp[&Rule::Delta].mean)).max;
    let (familiarity_recovers_percent, familiarity_smallest_gain_elsewhere_pp) = gain_by_familiarity(results);
    let full = &informativeness["width_full"];
    let rises = full.windows(2).map(|w| w[1].point.advantage_pp.mean - w[0].point.advantage_pp.mean);
    let apart = dose_response.iter().map(|p| (p.oracle.advantage_pp.mean - p.estimated.advantage_pp.mean).abs());
    SimulationStatements {
        entropy_forfeits_fraction: trust_spread[0].point.regret_pp[&Rule::JudgeEntropy].mean / 100.0,
        spread_minus_delta_min_pp: gaps.min,
        spread_minus_delta_max_pp: gaps.max,
        spread_captures_percent: 100.0 * (1.0 - total(&gap) / total(&advantage)),
        spread_minus_delta_pp: spread_minus_delta(results),
        delta_regret_max_pp: delta_regret(trust_spread),
        estimated_delta_regret_max_pp: delta_regret(&results.tracking.points),
        familiarity_recovers_percent,
        familiarity_smallest_gain_elsewhere_pp,
        informativeness_smallest_rise_pp: Extremes::new(rises).min,
        dose_response_oracle_minus_estimated_max_pp: Extremes::new(apart).max,
    }
}
