//! What the ladder of beliefs is worth: the tables of `docs/beliefs.md`, as `data/registration/beliefs.toml`,
//! `beliefs-2.toml`, `beliefs-3.toml` and `mixture.toml` register them.
//!
//! ```text
//! cargo bench -p judge-uncertainty-paper --bench beliefs -- worlds [SHARE] [KIND] [SEED]
//! cargo bench -p judge-uncertainty-paper --bench beliefs -- development [REDRAWS] [SEED]
//! cargo bench -p judge-uncertainty-paper --bench beliefs -- confirmation [REDRAWS] [SAMPLES] [DIRECTORY] [SEED]
//! cargo bench -p judge-uncertainty-paper --bench beliefs -- mixture-worlds [SHARE] [KIND] [SEED]
//! cargo bench -p judge-uncertainty-paper --bench beliefs -- mixture [REDRAWS] [SAMPLES] [DIRECTORY] [SEED]
//! ```
//!
//! SHARE is how much of the registered number of worlds is drawn, in percent, SEED the first seed; without samples no
//! rules are run. Run it in the root of the repository; it prints Markdown. With a directory, every re-draw and sample
//! is kept there as soon as it is done, and is not computed again by a later run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::maps::{ChoiceOptions, MapName};
use judge_uncertainty_core::belief::{
    BeliefModel, BeliefTable, Beliefs, Design, FeatureColumn, FittedBelief, JudgedItems, Recalibration, TrustPrior,
};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{mean, population_sd, sample_sd};
use judge_uncertainty_evaluation::counts::split_counts;
use judge_uncertainty_evaluation::protocol::REVEALED;
use judge_uncertainty_evaluation::{CountLabels, Luck, replicate};
use judge_uncertainty_familiarity::features::SelfNeighbour;
use judge_uncertainty_familiarity::neighbours::{Exact, UnitRows};
use judge_uncertainty_formats::{ChaosNliData, DiceData};
use judge_uncertainty_paper::experiments::Error;
use judge_uncertainty_paper::experiments::chaosnli::FLOOR;
use judge_uncertainty_paper::experiments::dice::{DiceExperiment, FeatureSet, Tier};
use judge_uncertainty_paper::experiments::extended::contest::Contest;
use judge_uncertainty_paper::experiments::extended::corpus::{BeliefSpec, Believed, Corpus, Deployment, TrustFeature};
use judge_uncertainty_paper::experiments::simulations::calibrated::{CalibratedWorld, WorldSpec};
use judge_uncertainty_paper::experiments::simulations::misspecified::MisspecifiedWorld;
use judge_uncertainty_paper::experiments::steps::Published;
use judge_uncertainty_paper::rules::Contender;
use judge_uncertainty_system::progress::Silent;
use ndarray::{Array2, Axis, concatenate};
use serde::{Deserialize, Serialize};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    // cargo bench adds --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number = |k: usize, otherwise: usize| arguments.get(k).and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    match arguments.first().map(String::as_str) {
        Some(which @ ("worlds" | "mixture-worlds")) => {
            let (own, seed) = if which == "worlds" { (AUTO, SEED) } else { (MIXTURE, SEED_OF_MIXTURE) };
            worlds(number(1, 100), arguments.get(2).map(String::as_str), number(3, seed), own)
        }
        Some("development") => chaosnli(DEVELOPMENT, number(1, 5), 0, None, number(2, 0)),
        Some("confirmation") => {
            chaosnli(CONFIRMATION, number(1, 40), number(2, 100), arguments.get(3).map(PathBuf::from), number(4, 0))
        }
        Some("mixture") => {
            let run = Run { half: 1, maps: &[("mixture", GENERAL, MIXTURE.1)] };
            chaosnli(run, number(1, 20), number(2, 0), arguments.get(3).map(PathBuf::from), number(4, 0))
        }
        _ => Err("name what to run: worlds, development, confirmation, mixture-worlds or mixture".into()),
    }
}

/// The belief that is held against the others, with its name.
type Own = (&'static str, BeliefModel);

const AUTO: Own = ("auto", BeliefModel::Auto(ChoiceOptions { mixture: false }));
const MIXTURE: Own = ("mixture", BeliefModel::Map(MapName::Mixture));

// Worlds whose truth is known.

/// Items with everything that a belief may know, and their true label distributions.
struct Known {
    columns: Vec<FeatureColumn>,
    q: Array2<f64>,
    variants: Vec<Array2<f64>>,
    groups: Vec<usize>,
    p: Array2<f64>,
    counts: Array2<u32>,
}

const KINDS: [&str; 7] = [
    "calibrated",
    "overconfident",
    "misspecified_honest",
    "misspecified_uninformative",
    "dice",
    "dice_by_tier",
    "opposite_groups",
];
/// Numbers of items, and of worlds.
const SIZES: [(usize, usize); 4] = [(50, 60), (200, 30), (700, 10), (3000, 3)];
/// Numbers of dice, and of re-draws.
const SIZES_OF_DICE: [(usize, usize); 3] = [(50, 60), (200, 30), (500, 10)];
/// Seed of the first world.
const SEED: usize = 9_000_000;
const SEED_OF_MIXTURE: usize = 9_500_000;
/// By how much `auto` may lose, and by how many standard errors that must be shown.
const MARGIN: f64 = 0.002;
const Z: f64 = 1.645;

fn known(kind: &str, items: usize, seed: u64, dice: &(DiceExperiment, Vec<Array2<f64>>)) -> Result<Known, Error> {
    match kind {
        "calibrated" => distorted(items, seed, |_| (1.0, [0.0; 3])),
        "overconfident" => distorted(items, seed, |_| (0.5, [0.0, 0.4, -0.4])),
        "opposite_groups" => {
            distorted(items, seed, |i| (1.0, if i % 2 == 0 { [0.8, 0.0, -0.8] } else { [-0.8, 0.0, 0.8] }))
        }
        "misspecified_honest" => Ok(misspecified(items, 0, seed)),
        "misspecified_uninformative" => Ok(misspecified(items, 100, seed)),
        "dice" => Ok(rolled(items, seed, dice, false)),
        _ => Ok(rolled(items, seed, dice, true)),
    }
}

/// Worlds of the calibrated simulation whose judge states a prediction of which softmax(tau ln q + b) is the true prior
/// mean.
fn distorted(items: usize, seed: u64, how: impl Fn(usize) -> (f64, [f64; 3])) -> Result<Known, Error> {
    let spec = WorldSpec { items, width: 100, correlation: 0, trust_ratio: 64, fixed_labels: None, seed };
    let world = CalibratedWorld::draw(&spec, &Published)?;
    let mut q = world.q.clone();
    for (i, mut row) in q.rows_mut().into_iter().enumerate() {
        let (tau, bias) = how(i);
        row.iter_mut().zip(bias).for_each(|(q, b)| *q = ((q.ln() - b) / tau).exp());
        let sum = row.sum();
        row.mapv_inplace(|q| q / sum);
    }
    let differs = how(0) != how(1);
    Ok(Known {
        columns: vec![FeatureColumn::complete("familiarity", world.familiarity)],
        q,
        variants: vec![],
        groups: if differs { (0..items).map(|i| i % 2).collect() } else { vec![] },
        p: world.p,
        counts: world.counts,
    })
}

/// The paper's misspecified worlds, as many as it takes to have so many items.
fn misspecified(items: usize, gamma_percent: u32, seed: u64) -> Known {
    let parts: Vec<MisspecifiedWorld> = (0..items.div_ceil(2000) as u64)
        .map(|k| MisspecifiedWorld::draw(gamma_percent, seed + 1_000_000 * k, &Published))
        .collect();
    let kept: Vec<usize> = (0..items).collect();
    let table = |of: &dyn Fn(&MisspecifiedWorld) -> &Array2<f64>| {
        let views: Vec<_> = parts.iter().map(|part| of(part).view()).collect();
        concatenate(Axis(0), &views).expect("worlds of one shape").select(Axis(0), &kept)
    };
    let counts: Vec<_> = parts.iter().map(|part| part.counts.view()).collect();
    let spread = parts.iter().flat_map(|part| part.stated_spread.iter().copied()).take(items);
    Known {
        columns: vec![FeatureColumn::complete("stated_spread", spread)],
        q: table(&|part| &part.q),
        variants: vec![],
        groups: vec![],
        p: table(&|part| &part.p),
        counts: concatenate(Axis(0), &counts).expect("worlds of one shape").select(Axis(0), &kept),
    }
}

/// Dice with new labels: so many of the 500, drawn at random.
fn rolled(items: usize, seed: u64, (dice, variants): &(DiceExperiment, Vec<Array2<f64>>), by_tier: bool) -> Known {
    let mut order: Vec<usize> = (0..dice.world().p.nrows()).collect();
    let mut stream = Stream::new(seed);
    for last in (1..order.len()).rev() {
        order.swap(last, stream.choice(last as u32 + 1) as usize);
    }
    order.truncate(items);
    let judged = dice.judged(FeatureSet::Tier);
    let column = |(k, name): (usize, &str)| {
        FeatureColumn::complete(name, order.iter().map(|&i| judged.design.row(i)[k]).collect::<Vec<_>>())
    };
    Known {
        columns: judged.design.names().enumerate().map(column).collect(),
        q: judged.q.select(Axis(0), &order),
        variants: variants.iter().map(|q| q.select(Axis(0), &order)).collect(),
        groups: if by_tier { order.iter().map(|&i| Tier::from_die(i) as usize).collect() } else { vec![] },
        p: dice.world().p.select(Axis(0), &order),
        counts: dice.redraw(seed).select(Axis(0), &order),
    }
}

/// What one belief is worth in one world.
#[derive(Clone)]
struct Seen {
    error: f64,
    unlabelled: f64,
    coverage: f64,
    map: Option<MapName>,
}

fn seen(fit: &FittedBelief, readings: &JudgedItems, world: &Known) -> Seen {
    let beliefs = fit.posterior(readings, world.counts.view());
    let errors: Vec<f64> = (0..beliefs.len()).map(|i| beliefs.get(i).manhattan(row(world.p.row(i)))).collect();
    let bare: Vec<f64> = (0..errors.len()).filter(|&i| world.counts.row(i).sum() == 0).map(|i| errors[i]).collect();
    Seen {
        error: mean(&errors),
        unlabelled: mean(&bare),
        coverage: coverage(&beliefs, &world.p),
        map: fit.mapped().map(|mapped| mapped.map.name()),
    }
}

/// Share of class probabilities inside their central 95% credible interval.
fn coverage(beliefs: &Beliefs, p: &Array2<f64>) -> f64 {
    let (mut inside, mut all) = (0.0, 0.0);
    for (belief, p) in beliefs.iter().zip(p.rows()) {
        for (class, p) in p.iter().enumerate() {
            let u = belief.share_cdf(class, *p);
            inside += f64::from(u8::from((0.025..=0.975).contains(&u)));
            all += 1.0;
        }
    }
    inside / all
}

fn models(grouped: bool, own: Own) -> Vec<Own> {
    let recalibrated = |recalibration| {
        BeliefModel::Recalibrated(judge_uncertainty_core::belief::recalibration::RecalibrationOptions {
            recalibration,
            ..Default::default()
        })
    };
    let mut models = vec![("published", BeliefModel::Published), ("recalibrated", recalibrated(Recalibration::Shared))];
    if grouped {
        models.push(("recalibrated by group", recalibrated(Recalibration::ByGroup)));
    }
    models.push(own);
    models
}

fn worlds(percent: usize, only: Option<&str>, first: usize, own: Own) -> Outcome<()> {
    let data = DiceData::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/dice")))?;
    let dice = (DiceExperiment::new(&data, &Published)?, data.judge.by_variant(data.floor.unwrap_or(FLOOR))?);
    let name = own.0;
    println!(
        "| world | items | worlds | published | recalibrated | by group | {name} | {name} minus the better | margin | \
         without labels | coverage of {name} | maps chosen |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for kind in KINDS.into_iter().filter(|kind| only.is_none_or(|only| only.split(',').any(|only| only == *kind))) {
        let sizes = if kind.starts_with("dice") { SIZES_OF_DICE.to_vec() } else { SIZES.to_vec() };
        for (items, worlds) in sizes {
            let worlds = (worlds * percent).div_ceil(100);
            let seeds: Vec<u64> = (0..worlds).map(|s| (first + s) as u64).collect();
            let all = replicate("worlds", &seeds, &Silent, |&seed| {
                let world = known(kind, items, seed, &dice)?;
                let design = Design::standardized(&world.columns)?;
                let judged = JudgedItems::new(&design, world.q.view(), &world.groups);
                let readings = JudgedItems { variants: &world.variants, ..judged };
                let one = |(name, model): (&'static str, BeliefModel)| {
                    let fit = model.fit(&readings, world.counts.view(), TrustPrior::Weak)?;
                    Ok::<_, Error>((name, seen(&fit, &readings, &world)))
                };
                models(!world.groups.is_empty(), own).into_iter().map(one).collect::<Result<BTreeMap<_, _>, Error>>()
            })?;
            print_world(kind, items, &all, own.0);
        }
    }
    Ok(())
}

fn print_world(kind: &str, items: usize, all: &[BTreeMap<&'static str, Seen>], own: &str) {
    let of = |name: &str, f: &dyn Fn(&Seen) -> f64| -> Vec<f64> {
        all.iter().filter_map(|seen| seen.get(name)).map(f).collect()
    };
    let error = |name: &str| of(name, &|s| s.error);
    let shown = |name: &str| if error(name).is_empty() { "".to_owned() } else { format!("{:.4}", mean(&error(name))) };
    let better = if mean(&error("published")) <= mean(&error("recalibrated")) { "published" } else { "recalibrated" };
    let difference = |f: &dyn Fn(&Seen) -> f64| {
        let d: Vec<f64> = of(own, f).iter().zip(of(better, f)).map(|(a, b)| a - b).collect();
        (mean(&d), sample_sd(&d) / (d.len() as f64).sqrt())
    };
    let with_se = |(d, se): (f64, f64)| format!("{d:+.4} (se {se:.4})");
    let against = difference(&|s| s.error);
    let verdict = match against {
        (d, se) if d + Z * se <= MARGIN => "shown",
        (d, se) if d - Z * se > MARGIN => "failed",
        _ => "open",
    };
    let mut maps: BTreeMap<MapName, usize> = BTreeMap::new();
    all.iter().filter_map(|seen| seen[own].map).for_each(|map| *maps.entry(map).or_default() += 1);
    let maps: Vec<String> = maps.iter().map(|(map, n)| format!("{map} {n}")).collect();
    println!(
        "| {kind} | {items} | {} | {} | {} | {} | {} | {} | {verdict} | {} | {:.3} | {} |",
        all.len(),
        shown("published"),
        shown("recalibrated"),
        shown("recalibrated by group"),
        shown(own),
        with_se(against),
        with_se(difference(&|s| s.unlabelled)),
        mean(&of(own, &|s| s.coverage)),
        maps.join(", ")
    );
}

// ChaosNLI.

const GENERAL: &[TrustFeature] = &[TrustFeature::Spread, TrustFeature::Confidence, TrustFeature::Source];
const ITEM: &[TrustFeature] = &[
    TrustFeature::Spread,
    TrustFeature::Confidence,
    TrustFeature::Source,
    TrustFeature::LogPremiseLength,
    TrustFeature::LogHypothesisLength,
];
const REGIMES: [(&str, &[u32]); 3] = [("mixed", &REVEALED), ("equal", &[2]), ("pilot", &[5, 0, 0, 0])];
const RULES: [Rule; 8] = [
    Rule::FewestLabelsByInfo,
    Rule::Info,
    Rule::Delta,
    Rule::Spread,
    Rule::Manhattan,
    Rule::ManhattanTen,
    Rule::Random,
    Rule::FewestLabels,
];
const BUDGETS: [u32; 3] = [5, 10, 20];

/// Errors by belief, the map that was chosen, and values of rules under `auto` with general features by regime.
#[derive(Serialize, Deserialize)]
struct Draw {
    errors: BTreeMap<String, [f64; 2]>,
    maps: BTreeMap<String, MapName>,
    /// By how much each map falls short of the best by labels held out, with its standard error, in nats per labelled
    /// item.
    evidence: BTreeMap<MapName, [f64; 2]>,
    /// By [`Draw::key`].
    values: BTreeMap<String, f64>,
}

impl Draw {
    fn key(regime: usize, rule: usize, percent: u32) -> String {
        format!("{} {} {percent}", REGIMES[regime].0, RULES[rule].key())
    }

    /// The draw of this name as it is kept in a directory, or a new one.
    fn kept(directory: Option<&Path>, name: &str, new: impl FnOnce() -> Result<Self, Error>) -> Result<Self, Error> {
        let Some(file) = directory.map(|directory| directory.join(name)) else { return new() };
        if let Ok(text) = std::fs::read_to_string(&file) {
            return Ok(toml::from_str(&text).expect("a draw that an earlier run has kept"));
        }
        let draw = new()?;
        std::fs::write(&file, toml::to_string(&draw).expect("tables of numbers")).expect("a directory to write to");
        Ok(draw)
    }
}

/// A belief by its name, with the features of its trust.
type Named = (&'static str, &'static [TrustFeature], BeliefModel);

/// A half of the items with the beliefs that are compared there; rules rank under the first.
struct Run {
    half: usize,
    maps: &'static [Named],
}

const DEVELOPMENT: Run = Run {
    half: 0,
    maps: &[
        ("auto", GENERAL, AUTO.1),
        ("identity", GENERAL, BeliefModel::Map(MapName::Identity)),
        ("smoothing", GENERAL, BeliefModel::Map(MapName::Smoothing)),
        ("temperature", GENERAL, BeliefModel::Map(MapName::Temperature)),
        ("groups", GENERAL, BeliefModel::Map(MapName::Groups)),
        ("mixture", GENERAL, BeliefModel::Map(MapName::Mixture)),
        ("process", GENERAL, BeliefModel::Map(MapName::Process)),
        ("process, item features", ITEM, BeliefModel::Map(MapName::Process)),
    ],
};
const CONFIRMATION: Run = Run { half: 1, maps: &[("auto", GENERAL, AUTO.1), ("auto, item features", ITEM, AUTO.1)] };

struct Half<'a> {
    corpus: &'a Corpus<'a>,
    variants: &'a [Array2<f64>],
    maps: &'static [Named],
    /// How many of the regimes are run.
    regimes: usize,
}

impl Half<'_> {
    fn map(
        &self,
        deployment: &Deployment,
        items: &[usize],
        labels: &CountLabels,
        (features, model): (&[TrustFeature], BeliefModel),
    ) -> Result<Believed, Error> {
        let columns = deployment.columns(&labels.numbers, features, SelfNeighbour::LeaveOneOut);
        let design = Design::standardized(&columns)?;
        let judged = JudgedItems::new(&design, deployment.q.view(), &deployment.sources);
        let variants: Vec<Array2<f64>> = self.variants.iter().map(|q| q.select(Axis(0), items)).collect();
        let readings = JudgedItems { variants: &variants, twins: items, ..judged };
        let fit = model.fit(&readings, labels.revealed.view(), TrustPrior::Weak)?;
        let beliefs = fit.posterior(&readings, labels.revealed.view());
        Ok(Believed { sd_log_trust: population_sd(&fit.log_trust(&readings)), beliefs, fit })
    }

    fn draw(&self, items: &[usize], stream: &mut Stream) -> Result<Draw, Error> {
        let deployment = self.corpus.deploy(items.to_vec());
        let mut draw =
            Draw { errors: BTreeMap::new(), maps: BTreeMap::new(), evidence: BTreeMap::new(), values: BTreeMap::new() };
        for (regime, (_, reveal)) in REGIMES.iter().enumerate().take(self.regimes) {
            let labels = split_counts(deployment.pool.view(), reveal, stream);
            let luck = Luck::draw(stream, items.len());
            let (_, features, model) = self.maps[0];
            let believed = self.map(&deployment, items, &labels, (features, model))?;
            if regime == 0 {
                self.compare(&deployment, items, &labels, &believed, &mut draw)?;
            }
            let contenders: Vec<Contender> = RULES.map(Contender::Rule).to_vec();
            let contest = Contest::hold(&deployment, &labels, &believed, &luck, &contenders, 0..items.len());
            for (r, rule) in RULES.into_iter().enumerate() {
                for percent in BUDGETS {
                    let budget = Budget::percent(percent).expect("a percentage");
                    let value = contest.contest.value(Contender::Rule(rule), budget);
                    draw.values.insert(Draw::key(regime, r, percent), value);
                }
            }
        }
        Ok(draw)
    }

    fn compare(
        &self,
        deployment: &Deployment,
        items: &[usize],
        labels: &CountLabels,
        first: &Believed,
        draw: &mut Draw,
    ) -> Result<(), Error> {
        let by_source =
            BeliefSpec { features: vec![], familiarity: SelfNeighbour::LeaveOneOut, model: models(true, AUTO)[2].1 };
        for (name, spec) in [("published", BeliefSpec::published()), ("recalibrated by source", by_source)] {
            let believed = deployment.believe(&spec, labels, 0..items.len())?;
            draw.errors.insert(name.to_owned(), errors(&believed.beliefs, labels));
        }
        for (k, (name, features, model)) in self.maps.iter().enumerate() {
            let own = (k > 0).then(|| self.map(deployment, items, labels, (features, *model))).transpose()?;
            let believed = own.as_ref().unwrap_or(first);
            draw.errors.insert((*name).to_owned(), errors(&believed.beliefs, labels));
            if let Some(mapped) = believed.fit.mapped() {
                draw.maps.insert((*name).to_owned(), mapped.map.name());
                let candidates = mapped.choice.iter().filter(|_| k == 0).flat_map(|choice| &choice.candidates);
                draw.evidence.extend(candidates.map(|c| (c.map, [c.below_best, c.se])));
            }
        }
        Ok(())
    }
}

/// Mean error of all items, and of those without labels.
fn errors(beliefs: &Beliefs, labels: &CountLabels) -> [f64; 2] {
    let of = |i: usize| beliefs.get(i).manhattan(row(labels.held.truth.row(i)));
    let all: Vec<f64> = (0..beliefs.len()).map(of).collect();
    let bare: Vec<f64> = (0..beliefs.len()).filter(|&i| labels.numbers[i] == 0).map(of).collect();
    [mean(&all), mean(&bare)]
}

fn chaosnli(run: Run, redraws: usize, samples: usize, directory: Option<PathBuf>, first: usize) -> Outcome<()> {
    let Run { half, maps } = run;
    let directory = directory.as_deref();
    directory.map_or(Ok(()), std::fs::create_dir_all)?;
    let data = ChaosNliData::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/chaosnli")))?;
    let engine = Exact::new(UnitRows::new(data.embeddings.view())?);
    let corpus = Corpus::new(&data, &engine)?;
    let variants = data.judge.by_variant(FLOOR)?;
    let items = corpus.halves()[half].clone();
    let regimes = if half == 0 || samples == 0 { 1 } else { REGIMES.len() };
    let this = Half { corpus: &corpus, variants: &variants, maps, regimes };
    let seeds: Vec<u64> = (first..first + redraws).map(|seed| seed as u64).collect();
    let draws = replicate("re-draws", &seeds, &Silent, |&seed| {
        Draw::kept(directory, &format!("redraw-{seed}.toml"), || this.draw(&items, &mut Stream::new(seed)))
    })?;
    let seeds: Vec<u64> = (0..samples as u64).map(|b| 3_000_000 + b).collect();
    let sampled = replicate("samples", &seeds, &Silent, |&seed| {
        let mut stream = Stream::new(seed);
        let drawn: Vec<usize> = items.iter().map(|_| items[stream.choice(items.len() as u32) as usize]).collect();
        Draw::kept(directory, &format!("sample-{seed}.toml"), || this.draw(&drawn, &mut stream))
    })?;
    print_errors(&draws, &sampled);
    print_evidence(&draws);
    if regimes > 1 {
        print_rules(&draws, &sampled);
    }
    Ok(())
}

/// Mean over re-draws, with the 95% interval by the standard deviation over samples of items.
fn estimate(draws: &[Draw], sampled: &[Draw], of: &dyn Fn(&Draw) -> f64, digits: usize) -> String {
    let centre = mean(&draws.iter().map(of).collect::<Vec<_>>());
    if sampled.len() < 2 {
        return format!("{centre:+.digits$}");
    }
    let half = 1.96 * sample_sd(&sampled.iter().map(of).collect::<Vec<_>>());
    format!("{centre:+.digits$} [{:+.digits$}, {:+.digits$}]", centre - half, centre + half)
}

fn print_errors(draws: &[Draw], sampled: &[Draw]) {
    println!("| belief | error | of items without labels | minus recalibrated by source | maps chosen |");
    println!("|---|---|---|---|---|");
    for name in draws[0].errors.keys() {
        let mut maps: BTreeMap<MapName, usize> = BTreeMap::new();
        draws.iter().filter_map(|d| d.maps.get(name)).for_each(|map| *maps.entry(*map).or_default() += 1);
        let maps: Vec<String> = maps.iter().map(|(map, n)| format!("{map} {n}")).collect();
        let average = |k: usize| mean(&draws.iter().map(|d| d.errors[name][k]).collect::<Vec<_>>());
        let against = |d: &Draw| d.errors[name][0] - d.errors["recalibrated by source"][0];
        println!(
            "| {name} | {:.4} | {:.4} | {} | {} |",
            average(0),
            average(1),
            estimate(draws, sampled, &against, 4),
            maps.join(", ")
        );
    }
}

fn print_evidence(draws: &[Draw]) {
    println!("\n| map | short of the best, nats per labelled item | standard error |");
    println!("|---|---|---|");
    for map in draws[0].evidence.keys() {
        let average = |k: usize| mean(&draws.iter().map(|d| d.evidence[map][k]).collect::<Vec<_>>());
        println!("| {map} | {:.4} | {:.4} |", average(0), average(1));
    }
}

fn print_rules(draws: &[Draw], sampled: &[Draw]) {
    println!("\n| regime | rule | 5% | 10% | 20% |");
    println!("|---|---|---|---|---|");
    for (regime, (name, _)) in REGIMES.iter().enumerate() {
        for (r, rule) in RULES.into_iter().enumerate() {
            let cell = |percent: u32| {
                let value = |d: &Draw| d.values[&Draw::key(regime, r, percent)];
                if r == 0 {
                    return format!("{:.2}", mean(&draws.iter().map(value).collect::<Vec<_>>()));
                }
                estimate(draws, sampled, &|d| value(d) - d.values[&Draw::key(regime, 0, percent)], 2)
            };
            let cells: Vec<String> = BUDGETS.into_iter().map(cell).collect();
            println!("| {name} | {} | {} |", rule.key(), cells.join(" | "));
        }
    }
}
