//! Neighbour lists and familiarity features at the size of ChaosNLI (3,113 items, 384 dimensions).

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use judge_uncertainty::familiarity::features::{SelfNeighbour, familiarity};
use judge_uncertainty::familiarity::neighbours::{Exact, NeighbourLists, UnitRows};
use ndarray::Array2;

const ITEMS: usize = 3113;

/// Directions without structure: the hardest case for a graph.
fn directions(items: usize) -> Array2<f32> {
    let mut state = 7u64;
    Array2::from_shape_fn((items, 384), |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 40) as f32 / (1u64 << 24) as f32) - 0.5
    })
}

fn neighbours(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("neighbours");
    group.sample_size(10);
    let exact = Exact::new(UnitRows::new(directions(ITEMS).view()).expect("finite"));
    group.bench_function("exact lists", |b| b.iter(|| NeighbourLists::build(black_box(&exact), 64)));

    let lists = NeighbourLists::build(&exact, 64);
    // As in the experiment, four items in five are labelled.
    let most: Vec<bool> = (0..ITEMS).map(|item| item % 5 != 0).collect();
    let few: Vec<bool> = (0..ITEMS).map(|item| item % 50 == 0).collect();
    for (name, labelled) in [("features, 80% labelled", most), ("features, 2% labelled, every search widened", few)] {
        group.bench_function(name, |b| {
            b.iter(|| familiarity(&lists, &exact, black_box(&labelled), 10, SelfNeighbour::Published))
        });
    }
    group.finish();
}

criterion_group!(benches, neighbours);
criterion_main!(benches);
