//! Nanoseconds per draw from the random streams, and per value of the functions that accompany them.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use judge_uncertainty::random::{Stream, bivariate_normal};
use judge_uncertainty::stats::normal::{normal_cdf, normal_quantile};

fn draws(c: &mut Criterion) {
    let mut group = c.benchmark_group("draw");
    let mut stream = Stream::new(1);
    group.bench_function("random", |b| b.iter(|| stream.random()));
    group.bench_function("choice of 5", |b| b.iter(|| stream.choice(black_box(5))));
    group.bench_function("standard normal", |b| b.iter(|| stream.standard_normal()));
    group.bench_function("standard exponential", |b| b.iter(|| stream.standard_exponential()));
    for shape in [0.05, 0.5, 1.0, 3.0, 50.0] {
        group.bench_function(format!("gamma {shape}"), |b| b.iter(|| stream.gamma(black_box(shape))));
    }
    for n in [1, 5, 10] {
        let p = [0.5, 0.3, 0.2];
        let mut counts = [0; 3];
        group.bench_function(format!("multinomial {n} of 3 classes"), |b| {
            b.iter(|| {
                stream.multinomial(black_box(n), black_box(&p), &mut counts);
                counts
            });
        });
    }
    for sample in [5, 50] {
        group.bench_function(format!("hypergeometric {sample} of 100"), |b| {
            b.iter(|| stream.hypergeometric(black_box(60), black_box(40), black_box(sample)));
        });
    }
    group.finish();

    let mut group = c.benchmark_group("2000 draws");
    let mut out = [0.0; 2000];
    group.bench_function("random", |b| {
        b.iter(|| {
            stream.fill_random(&mut out);
            out[1999]
        });
    });
    group.bench_function("bivariate normal", |b| b.iter(|| bivariate_normal(&mut stream, black_box(0.4), 2000)));
    group.bench_function("seed", |b| b.iter(|| Stream::new(black_box(12345))));
    group.finish();
}

fn functions(c: &mut Criterion) {
    let mut stream = Stream::new(2);
    let x: Vec<f64> = (0..2000).map(|_| stream.standard_normal()).collect();
    let u: Vec<f64> = (0..2000).map(|_| stream.random()).collect();
    let mut group = c.benchmark_group("2000 values");
    group.bench_function("normal cdf", |b| b.iter(|| x.iter().map(|&x| normal_cdf(x)).sum::<f64>()));
    group.bench_function("normal quantile", |b| b.iter(|| u.iter().map(|&u| normal_quantile(u)).sum::<f64>()));
    group.finish();
}

criterion_group!(benches, draws, functions);
criterion_main!(benches);
