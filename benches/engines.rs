//! The engines of the experiments: one trust regression, one replicate, one simulated cell.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use judge_uncertainty::belief::{Design, Feature, FeatureColumn, fit_trust};
use judge_uncertainty::evaluation::protocol::log_labels;
use judge_uncertainty::experiments::chaosnli::{ChaosNliExperiment, FLOOR};
use judge_uncertainty::experiments::dice::DiceExperiment;
use judge_uncertainty::experiments::simulations::calibrated::{
    CalibratedWorld, Ground, Shared, TrustKnowledge, WorldSpec, evaluate,
};
use judge_uncertainty::experiments::simulations::misspecified;
use judge_uncertainty::experiments::steps::Published;
use judge_uncertainty::familiarity::features::SelfNeighbour;
use judge_uncertainty::familiarity::neighbours::{Exact, UnitRows};
use judge_uncertainty::formats::{ChaosNliData, DiceData};
use judge_uncertainty::random::Stream;

fn data() -> &'static Path {
    Path::new("data")
}

fn chaosnli(c: &mut Criterion) {
    let data = ChaosNliData::load(&data().join("chaosnli")).expect("run from the repository");
    let engine = Exact::new(UnitRows::new(data.embeddings.view()).expect("embeddings are finite"));
    let experiment = ChaosNliExperiment::new(&data, &engine, SelfNeighbour::Published).expect("the data are complete");
    let judge = data.judge.aggregate(Some(FLOOR)).expect("every item has an answer");
    let labels = experiment.draw_labels(&mut Stream::new(0));
    let features = [
        FeatureColumn::partial(Feature::Spread, judge.spread.iter().copied()),
        FeatureColumn::complete(Feature::LogLabels, log_labels(&labels.numbers)),
        FeatureColumn::partial(Feature::Confidence, judge.confidence.iter().copied()),
    ];
    let design = Design::standardized(&features).expect("features are present");
    c.bench_function("trust regression, 2505 labelled items, 4 coefficients", |b| {
        b.iter(|| fit_trust(black_box(&design), judge.q.view(), labels.revealed.of_classes().view()))
    });
    c.bench_function("labels of one ChaosNLI replicate", |b| {
        b.iter(|| experiment.draw_labels(&mut Stream::new(black_box(0))))
    });
    c.bench_function("one ChaosNLI replicate, full and counts only", |b| b.iter(|| experiment.replicate(black_box(0))));
}

fn dice(c: &mut Criterion) {
    let data = DiceData::load(&data().join("dice")).expect("run from the repository");
    let experiment = DiceExperiment::new(&data, &Published).expect("the data are complete");
    c.bench_function("one re-draw of the dice", |b| b.iter(|| experiment.draw(black_box(0)).map(|d| d.counts)));
}

fn simulations(c: &mut Criterion) {
    let spec = WorldSpec { items: 2000, width: 100, correlation: 0, trust_ratio: 256, fixed_labels: None, seed: 0 };
    c.bench_function("draw a calibrated world", |b| b.iter(|| CalibratedWorld::draw(black_box(&spec), &Published)));
    let ground = Ground::draw(&spec, &Published).expect("the correlation is supported");
    let world = ground.world(&spec);
    for (name, condition) in [("oracle", TrustKnowledge::Oracle), ("estimated", TrustKnowledge::Estimated(100))] {
        let shared = Shared::new(&ground, &[condition], 1_000_000);
        c.bench_function(&format!("evaluate a calibrated world, {name}"), |b| {
            b.iter(|| evaluate(black_box(&world), &[condition], &shared, &Published))
        });
    }
    c.bench_function("one misspecified world", |b| {
        b.iter(|| misspecified::world_outcome(black_box(50), true, 0, &Published))
    });
}

criterion_group!(benches, chaosnli, dice, simulations);
criterion_main!(benches);
