//! What a map that is carried over from another study is worth here, and what harm it does where it does not fit: the
//! tables of `docs/beliefs.md`, as `data/registration/carried.toml` registers them.
//!
//! ```text
//! cargo bench -p judge-uncertainty-paper --bench carried -- worlds [WORLDS] [SEED]
//! cargo bench -p judge-uncertainty-paper --bench carried -- chaosnli [REDRAWS] [SEED]
//! ```
//!
//! It prints Markdown.

use std::path::Path;

use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::maps::{ChoiceOptions, Map, TransferVerdict, transfer};
use judge_uncertainty_core::belief::{
    BeliefModel, BeliefTable, Beliefs, Design, FeatureColumn, FittedBelief, JudgedItems, Standardizer, TrustPrior,
};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_evaluation::counts::split_counts;
use judge_uncertainty_evaluation::protocol::REVEALED;
use judge_uncertainty_evaluation::{CountLabels, replicate};
use judge_uncertainty_familiarity::features::SelfNeighbour;
use judge_uncertainty_familiarity::neighbours::{Exact, UnitRows};
use judge_uncertainty_formats::ChaosNliData;
use judge_uncertainty_paper::experiments::Error;
use judge_uncertainty_paper::experiments::chaosnli::FLOOR;
use judge_uncertainty_paper::experiments::extended::corpus::{Corpus, TrustFeature};
use judge_uncertainty_paper::experiments::simulations::calibrated::{CalibratedWorld, WorldSpec};
use judge_uncertainty_paper::experiments::steps::Published;
use judge_uncertainty_system::progress::Silent;
use ndarray::{Array2, Axis};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const SEED: usize = 10_000_000;
/// Labelled items of the study that the map comes from, and items of this one.
const THERE: usize = 500;
const HERE: usize = 500;
const LABELLED: [usize; 5] = [0, 10, 30, 100, 300];
/// Labels of a labelled item.
const LABELS: u32 = 5;
const FEATURES: [TrustFeature; 2] = [TrustFeature::Spread, TrustFeature::Confidence];
/// The margin, and the normal quantile of a one-sided 5%.
const MARGIN: f64 = 0.002;
const Z: f64 = 1.645;

fn main() -> Outcome<()> {
    // cargo bench adds --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number = |k: usize, otherwise: usize| arguments.get(k).and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    match arguments.first().map(String::as_str) {
        Some("worlds") => worlds(number(1, 16), number(2, SEED)),
        Some("chaosnli") => chaosnli(number(1, 6), number(2, 6)),
        _ => Err("name what to run: worlds or chaosnli".into()),
    }
}

/// Items with their labels in hand and what is true of them.
struct Items {
    columns: Vec<FeatureColumn>,
    q: Array2<f64>,
    variants: Vec<Array2<f64>>,
    truth: Array2<f64>,
    counts: Array2<u32>,
}

impl Items {
    fn readings<'a>(&'a self, design: &'a Design) -> JudgedItems<'a> {
        let items = JudgedItems::new(design, self.q.view(), &[]);
        JudgedItems { variants: &self.variants, ..items }
    }

    /// The labels of the first so many items.
    fn first(&self, labelled: usize) -> Array2<u32> {
        let mut counts = self.counts.clone();
        counts.slice_mut(ndarray::s![labelled.., ..]).fill(0);
        counts
    }
}

/// Errors of the items that none of [`LABELLED`] labels, under each belief.
#[derive(Debug, Clone, Copy)]
struct Seen {
    published: f64,
    own: f64,
    carried: f64,
    /// The other study's fit applied to these items as it is.
    applied: f64,
    weight: f64,
    /// By the labels here.
    fits: TransferVerdict,
    coverage: f64,
}

/// A map there, and items here with so many of them labelled.
fn see(there: &Items, here: &Items, auto: BeliefModel) -> Result<Vec<Seen>, Error> {
    let scale = Standardizer::fit(&there.columns)?;
    let design = scale.apply(&there.columns)?;
    let found = auto.fit(&there.readings(&design), there.counts.view(), TrustPrior::Weak)?;
    let map: &Map = &found.mapped().expect("auto fits a map").map;
    let on_their_scale = scale.apply(&here.columns)?;
    let carried = map.carry(&here.readings(&on_their_scale));
    // The trust as the same function of the features, as a study carries it.
    let own = Standardizer::fit(&here.columns)?;
    let design = own.apply(&here.columns)?;
    let coefficients = &map.regression.coefficients;
    let mut centre = coefficients.clone();
    for (k, (a, b)) in own.scales().iter().zip(scale.scales()).enumerate() {
        centre[0] += coefficients[k + 1] * (a.mean - b.mean) / b.sd;
        centre[k + 1] *= a.sd / b.sd;
    }
    let centred = design.clone().centred(centre);
    let bare: Vec<usize> = (LABELLED[LABELLED.len() - 1]..here.q.nrows()).collect();
    let error = |beliefs: &Beliefs| {
        mean(&bare.iter().map(|&i| beliefs.get(i).manhattan(row(here.truth.row(i)))).collect::<Vec<_>>())
    };
    let of = |labelled: usize| {
        let counts = here.first(labelled);
        let plain = here.readings(&design);
        let readings = JudgedItems { carried: Some(&carried), ..here.readings(&centred) };
        let fit = |model: BeliefModel, readings: JudgedItems| model.fit(&readings, counts.view(), TrustPrior::Weak);
        let with_map: FittedBelief = fit(auto, readings)?;
        let beliefs = with_map.posterior(&readings, counts.view());
        let said = transfer(&readings, counts.view())?.expect("a map is carried");
        Ok(Seen {
            published: error(&fit(BeliefModel::Published, plain)?.posterior(&plain, counts.view())),
            own: error(&fit(auto, plain)?.posterior(&plain, counts.view())),
            carried: error(&beliefs),
            applied: error(&map.posterior(&here.readings(&on_their_scale), counts.view())),
            weight: with_map.mapped().and_then(|m| m.map.weight_of_carried()).map_or(0.0, |(weight, _)| weight),
            fits: said.verdict,
            coverage: coverage(&beliefs, &here.truth, &bare),
        })
    };
    LABELLED.into_iter().map(of).collect()
}

/// Share of class probabilities inside their central 95% credible interval.
fn coverage(beliefs: &Beliefs, truth: &Array2<f64>, items: &[usize]) -> f64 {
    let inside = |i: usize| {
        let belief = beliefs.get(i);
        let cell =
            |(class, p): (usize, &f64)| f64::from(u8::from((0.025..=0.975).contains(&belief.share_cdf(class, *p))));
        mean(&row(truth.row(i)).iter().enumerate().map(cell).collect::<Vec<_>>())
    };
    mean(&items.iter().map(|&i| inside(i)).collect::<Vec<_>>())
}

// Worlds whose truth is known.

/// A judge of whose prediction q softmax(tau ln q + b) is the true prior mean.
type JudgeOf = (f64, [f64; 3]);
const HONEST: JudgeOf = (1.0, [0.0; 3]);
const OVERCONFIDENT: JudgeOf = (0.5, [0.0, 0.4, -0.4]);
const BIASED: JudgeOf = (1.0, [0.8, 0.0, -0.8]);
const BIASED_AGAINST: JudgeOf = (1.0, [-0.8, 0.0, 0.8]);
const CASES: [(&str, JudgeOf, JudgeOf); 4] = [
    ("same judge, overconfident", OVERCONFIDENT, OVERCONFIDENT),
    ("same judge, biased", BIASED, BIASED),
    ("misfit: overconfident there, calibrated here", OVERCONFIDENT, HONEST),
    ("misfit: biased there, biased the other way here", BIASED, BIASED_AGAINST),
];

fn world(items: usize, labels: Option<u32>, (tau, bias): JudgeOf, seed: u64) -> Result<Items, Error> {
    let spec = WorldSpec { items, width: 100, correlation: 0, trust_ratio: 64, fixed_labels: labels, seed };
    let world = CalibratedWorld::draw(&spec, &Published)?;
    let mut q = world.q.clone();
    for mut row in q.rows_mut() {
        row.iter_mut().zip(bias).for_each(|(q, b)| *q = ((q.ln() - b) / tau).exp());
        let sum = row.sum();
        row.mapv_inplace(|q| q / sum);
    }
    let columns = vec![FeatureColumn::complete("familiarity", world.familiarity)];
    Ok(Items { columns, q, variants: vec![], truth: world.p, counts: world.counts })
}

fn worlds(worlds: usize, first: usize) -> Outcome<()> {
    header();
    for (name, there, here) in CASES {
        let seeds: Vec<u64> = (0..worlds).map(|s| (first + 2 * s) as u64).collect();
        let all = replicate("worlds", &seeds, &Silent, |&seed| {
            see(
                &world(THERE, None, there, seed)?,
                &world(HERE, Some(LABELS), here, seed + 1)?,
                BeliefModel::Auto(ChoiceOptions::default()),
            )
        })?;
        print_case(name, &all);
    }
    Ok(())
}

fn header() {
    println!(
        "| case | labelled items | published | own auto | carried | the other fit as it is | carried minus published | \
         carried minus own auto | no harm | weight | borne out | contradicted | coverage |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
}

fn print_case(name: &str, all: &[Vec<Seen>]) {
    for (k, labelled) in LABELLED.iter().enumerate() {
        let of = |f: &dyn Fn(&Seen) -> f64| all.iter().map(|seen| f(&seen[k])).collect::<Vec<_>>();
        let average = |f: &dyn Fn(&Seen) -> f64| mean(&of(f));
        let with_se = |f: &dyn Fn(&Seen) -> f64| {
            let values = of(f);
            (mean(&values), sample_sd(&values) / (values.len() as f64).sqrt())
        };
        let against = with_se(&|s| s.carried - s.published);
        let verdict = match against {
            (d, se) if d + Z * se <= MARGIN => "shown",
            (d, se) if d - Z * se > MARGIN => "failed",
            _ => "open",
        };
        let text = |(d, se): (f64, f64)| format!("{d:+.4} (se {se:.4})");
        let share = |fits: TransferVerdict| average(&|s| f64::from(u8::from(s.fits == fits)));
        println!(
            "| {name} | {labelled} | {:.4} | {:.4} | {:.4} | {:.4} | {} | {} | {verdict} | {:.2} | {:.2} | {:.2} | \
             {:.3} |",
            average(&|s| s.published),
            average(&|s| s.own),
            average(&|s| s.carried),
            average(&|s| s.applied),
            text(against),
            text(with_se(&|s| s.carried - s.own)),
            average(&|s| s.weight),
            share(TransferVerdict::Supported),
            share(TransferVerdict::Contradicted),
            average(&|s| s.coverage),
        );
    }
}

// ChaosNLI.

fn chaosnli(redraws: usize, first: usize) -> Outcome<()> {
    let data = ChaosNliData::load(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/chaosnli")))?;
    let engine = Exact::new(UnitRows::new(data.embeddings.view())?);
    let corpus = Corpus::new(&data, &engine)?;
    let variants = data.judge.by_variant(FLOOR)?;
    let all: Vec<usize> = corpus.halves().concat();
    let sources = corpus.deploy(all.clone()).sources;
    let of_source = |source: usize| -> Vec<usize> {
        let mut own: Vec<usize> = all.iter().zip(&sources).filter(|(_, s)| **s == source).map(|(&i, _)| i).collect();
        own.sort_unstable();
        own
    };
    let drawn = |source: usize, reveal: &[u32], stream: &mut Stream| {
        let mut items = of_source(source);
        for last in (1..items.len()).rev() {
            items.swap(last, stream.choice(last as u32 + 1) as usize);
        }
        let deployment = corpus.deploy(items.clone());
        let labels: CountLabels = split_counts(deployment.pool.view(), reveal, stream);
        Items {
            columns: deployment.columns(&labels.numbers, &FEATURES, SelfNeighbour::LeaveOneOut),
            variants: variants.iter().map(|q| q.select(Axis(0), &items)).collect(),
            q: deployment.q,
            truth: labels.held.truth,
            counts: labels.revealed,
        }
    };
    header();
    for (name, there, here) in [("MNLI to SNLI", 1, 0), ("SNLI to MNLI", 0, 1)] {
        let seeds: Vec<u64> = (first..first + redraws).map(|seed| seed as u64).collect();
        let all = replicate("re-draws", &seeds, &Silent, |&seed| {
            let mut stream = Stream::new(seed);
            let there = drawn(there, &REVEALED, &mut stream);
            let here = drawn(here, &[LABELS], &mut stream);
            see(&there, &here, BeliefModel::Auto(ChoiceOptions::default()))
        })?;
        print_case(name, &all);
    }
    Ok(())
}
