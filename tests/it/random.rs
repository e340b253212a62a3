//! The random streams against NumPy's, bit for bit, and the functions that accompany them.
//!
//! `tests/golden/README.md` says how `streams.json` was made.

use std::sync::LazyLock;

use judge_uncertainty::random::{Position, Stream, UnsupportedCorrelation, bivariate_normal};
use judge_uncertainty::stats::normal::{normal_cdf, normal_quantile};
use judge_uncertainty::stats::quantile::percentiles;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

static GOLDEN: LazyLock<Golden> =
    LazyLock::new(|| serde_json::from_str(include_str!("../golden/streams.json")).unwrap());

#[derive(Deserialize)]
struct Golden {
    seed_sequence: Vec<Seeding>,
    cases: Vec<Case>,
    functions: Functions,
}

#[derive(Deserialize)]
struct Seeding {
    seed: String,
    state: String,
    inc: String,
    first_words: Vec<String>,
    first_halves: Vec<String>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    seed: Option<String>,
    start: Option<Start>,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Start {
    state: String,
    inc: String,
    has32: u32,
    half: u32,
}

#[derive(Deserialize)]
struct Call {
    #[serde(flatten)]
    draw: Draw,
    out: Option<Value>,
    sha256: Option<String>,
    head: Option<Value>,
    tail: Option<Value>,
    after: After,
}

#[derive(Deserialize, Debug)]
#[serde(tag = "method", rename_all = "snake_case")]
enum Draw {
    Random { size: Option<Vec<usize>> },
    StandardNormal { size: Option<Vec<usize>> },
    Choice { pop: u32, size: Option<Vec<usize>> },
    Multinomial { n: u32, pvals: Floats },
    Hypergeometric { ngood: Vec<u32>, nbad: Vec<u32>, nsample: Vec<u32> },
    MultivariateNormal { rho: f64, n: usize },
    Gamma { shape: Floats },
}

#[derive(Deserialize)]
struct After {
    state: String,
    has32: u32,
    half: u32,
    next_random_dec: String,
}

#[derive(Deserialize, Debug)]
struct Floats {
    #[serde(default)]
    shape: Vec<usize>,
    dec: Vec<String>,
}

impl Floats {
    fn values(&self) -> Vec<f64> {
        self.dec.iter().map(|text| text.parse().unwrap()).collect()
    }
}

#[derive(Deserialize)]
struct Functions {
    percentile: Vec<Percentile>,
    norm_cdf: Curve,
    norm_ppf: Curve,
}

#[derive(Deserialize)]
struct Percentile {
    q: [f64; 2],
    a: Option<Floats>,
    a_from: Option<String>,
    out: Floats,
}

#[derive(Deserialize)]
struct Curve {
    #[serde(alias = "x", alias = "u")]
    at: Floats,
    out: Floats,
}

impl Curve {
    fn points(&self) -> Vec<(f64, f64)> {
        assert_eq!(self.at.dec.len(), self.out.dec.len());
        self.at.values().into_iter().zip(self.out.values()).collect()
    }
}

/// A draw's output as 64-bit patterns, in row-major order: integers as they are, floats by their bits.
type Bits = Vec<u64>;

fn bits(values: impl IntoIterator<Item = f64>) -> Bits {
    values.into_iter().map(f64::to_bits).collect()
}

fn elements(size: &Option<Vec<usize>>) -> usize {
    size.as_ref().map_or(1, |size| size.iter().product())
}

fn perform(stream: &mut Stream, draw: &Draw) -> Bits {
    match draw {
        Draw::Random { size } => {
            let mut out = vec![0.0; elements(size)];
            stream.fill_random(&mut out);
            bits(out)
        }
        Draw::StandardNormal { size } => bits((0..elements(size)).map(|_| stream.standard_normal())),
        Draw::Choice { pop, size } => (0..elements(size)).map(|_| u64::from(stream.choice(*pop))).collect(),
        Draw::Multinomial { n, pvals } => {
            let classes = *pvals.shape.last().unwrap();
            let draw_row = |p: &[f64]| {
                let mut counts = vec![0; classes];
                stream.multinomial(*n, p, &mut counts);
                counts
            };
            pvals.values().chunks(classes).flat_map(draw_row).map(u64::from).collect()
        }
        Draw::Hypergeometric { ngood, nbad, nsample } => {
            assert_eq!((ngood.len(), nbad.len()), (nsample.len(), nsample.len()));
            (0..nsample.len()).map(|i| u64::from(stream.hypergeometric(ngood[i], nbad[i], nsample[i]))).collect()
        }
        Draw::MultivariateNormal { rho, n } => bits(bivariate_normal(stream, *rho, *n).unwrap().into_iter().flatten()),
        Draw::Gamma { shape } => bits(shape.values().into_iter().map(|shape| stream.gamma(shape))),
    }
}

/// The patterns of an output in the golden file: nested integers, or an object of floats.
fn expected(out: &Value) -> Bits {
    match out {
        Value::Number(number) => vec![number.as_u64().unwrap()],
        Value::Array(rows) => rows.iter().flat_map(expected).collect(),
        floats => bits(Floats::deserialize(floats).unwrap().values()),
    }
}

fn hex(text: &str) -> u128 {
    u128::from_str_radix(text, 16).unwrap()
}

fn pending(has32: u32, half: u32) -> Option<u32> {
    (has32 == 1).then_some(half)
}

/// The 32-bit words of an integer in decimal, least significant first.
fn entropy(decimal: &str) -> Vec<u32> {
    let mut words = vec![0];
    for digit in decimal.bytes() {
        let mut carry = u64::from(digit - b'0');
        for word in &mut words {
            let value = u64::from(*word) * 10 + carry;
            *word = value as u32;
            carry = value >> 32;
        }
        if carry > 0 {
            words.push(carry as u32);
        }
    }
    words
}

fn start(case: &Case) -> Stream {
    match (&case.seed, &case.start) {
        (Some(seed), None) => Stream::from_entropy(&entropy(seed)),
        (None, Some(start)) => Stream {
            position: Position {
                state: hex(&start.state),
                increment: hex(&start.inc),
                pending: pending(start.has32, start.half),
            },
        },
        _ => panic!("{} has not exactly one start", case.name),
    }
}

#[test]
fn seeds_lead_to_the_states_of_numpy() {
    assert_eq!(GOLDEN.seed_sequence.len(), 19);
    for seeding in &GOLDEN.seed_sequence {
        let seed = &seeding.seed;
        let fresh = Stream::from_entropy(&entropy(seed));
        let position = Position { state: hex(&seeding.state), increment: hex(&seeding.inc), pending: None };
        assert_eq!(fresh.position, position, "seed {seed}");
        if let Ok(small) = seed.parse() {
            assert_eq!(Stream::new(small).position, position, "seed {seed}");
        }

        let mut stream = fresh.clone();
        let words: Vec<_> = seeding.first_words.iter().map(|_| format!("{:016x}", stream.word())).collect();
        assert_eq!(words, seeding.first_words, "seed {seed}");
        let mut stream = fresh;
        let halves: Vec<_> = seeding.first_halves.iter().map(|_| format!("{:08x}", stream.half_word())).collect();
        assert_eq!(halves, seeding.first_halves, "seed {seed}");
    }
}

#[test]
fn draws_and_positions_are_those_of_numpy() {
    let mut calls = 0;
    for case in &GOLDEN.cases {
        let mut stream = start(case);
        let increment = stream.position.increment;
        for (i, call) in case.calls.iter().enumerate() {
            let place = format!("case {:?}, seed {:?}, call {i}: {:?}", case.name, case.seed, call.draw);
            let drawn = perform(&mut stream, &call.draw);
            match (&call.out, &call.sha256, &call.head, &call.tail) {
                (Some(out), None, None, None) => assert_eq!(drawn, expected(out), "{place}"),
                (None, Some(sha256), Some(head), Some(tail)) => {
                    let (head, tail) = (expected(head), expected(tail));
                    assert!(drawn.starts_with(&head) && drawn.ends_with(&tail), "{place}");
                    let digest = Sha256::digest(drawn.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
                    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                    assert_eq!(&digest, sha256, "{place}");
                }
                _ => panic!("{place}: neither an output nor its sum"),
            }

            let after = &call.after;
            let position = Position { state: hex(&after.state), increment, pending: pending(after.has32, after.half) };
            assert_eq!(stream.position, position, "{place}");
            assert_eq!(stream.clone().random(), after.next_random_dec.parse::<f64>().unwrap(), "{place}");
            calls += 1;
        }
    }
    // As many as the golden file holds, so that none was lost in reading.
    assert_eq!(calls, 507);
}

#[test]
fn percentiles_are_those_of_numpy() {
    assert_eq!(GOLDEN.functions.percentile.len(), 10);
    for (i, case) in GOLDEN.functions.percentile.iter().enumerate() {
        let values = match (&case.a, case.a_from.as_deref()) {
            (Some(values), None) => values.values(),
            (None, Some("default_rng(10000).standard_normal(10000)")) => {
                let mut stream = Stream::new(10000);
                (0..10000).map(|_| stream.standard_normal()).collect()
            }
            (_, from) => panic!("case {i} is made in an unknown way: {from:?}"),
        };
        assert_eq!(bits(percentiles(&values, case.q)), bits(case.out.values()), "case {i}");
    }
}

#[test]
fn normal_cdf_is_that_of_scipy() {
    let points = GOLDEN.functions.norm_cdf.points();
    assert_eq!(points.len(), 29);
    for (x, expected) in points {
        let error = (normal_cdf(x) - expected).abs();
        assert!(error <= 3e-16 && error <= 3e-14 * expected, "Φ({x}) is off by {error:e}");
    }
}

#[test]
fn normal_quantile_is_that_of_scipy() {
    let points = GOLDEN.functions.norm_ppf.points();
    assert_eq!(points.len(), 24);
    for (u, expected) in points {
        let error = (normal_quantile(u) - expected).abs();
        assert!(error <= 4e-15 * expected.abs(), "Φ⁻¹({u}) is off by {error:e}");
    }
}

proptest! {
    #[test]
    fn multinomial_counts_sum_to_n(seed: u64, n in 0..=60u32, weights in prop::collection::vec(0.0..1.0f64, 1..6)) {
        let total: f64 = weights.iter().sum();
        prop_assume!(total > 0.0);
        let p: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        // What an earlier draw left in the counts must not show.
        let mut counts = vec![99; p.len()];
        Stream::new(seed).multinomial(n, &p, &mut counts);
        prop_assert_eq!(counts.iter().sum::<u32>(), n);
    }

    #[test]
    fn an_impossible_class_stays_empty(seed: u64, n in 0..=60u32, share in 0.0..=1.0f64) {
        let mut counts = [0; 3];
        Stream::new(seed).multinomial(n, &[share, 0.0, 1.0 - share], &mut counts);
        prop_assert_eq!(counts[1], 0);
    }

    #[test]
    fn hypergeometric_stays_within_the_pool(seed: u64, good in 0..=1000u32, bad in 0..=1000u32, share in 0.0..=1.0f64) {
        let sample = (f64::from(good + bad) * share) as u32;
        let drawn = Stream::new(seed).hypergeometric(good, bad, sample);
        prop_assert!(drawn <= good.min(sample), "{drawn}");
        prop_assert!(sample - drawn <= bad, "{drawn}");
    }

    #[test]
    fn choices_are_among_the_items(seed: u64, m in 1..=u32::MAX) {
        prop_assert!(Stream::new(seed).choice(m) < m);
    }

    #[test]
    fn gammas_and_exponentials_are_never_negative(seed: u64, shape in 0.0..200.0f64) {
        let mut stream = Stream::new(seed);
        let gamma = stream.gamma(shape);
        prop_assert!(gamma >= 0.0 && gamma.is_finite(), "{gamma}");
        prop_assert!(stream.standard_exponential() >= 0.0);
    }
}

/// Mean and variance of a shape-s gamma are both s; of a hypergeometric the mean is sample·good/pool. Bounds are five
/// standard errors of the mean of 20,000 draws.
#[test]
fn means_are_those_of_the_distributions() {
    let mut stream = Stream::new(2024);
    let mut mean = |draw: &mut dyn FnMut(&mut Stream) -> f64| (0..20_000).map(|_| draw(&mut stream)).sum::<f64>() / 2e4;
    for shape in [0.05, 0.7, 1.0, 4.0, 60.0_f64] {
        let found = mean(&mut |stream| stream.gamma(shape));
        assert!((found - shape).abs() < 5.0 * (shape / 2e4).sqrt(), "gamma {shape}: {found}");
    }
    for (good, bad, sample) in [(30, 70, 50), (70, 30, 20), (70, 30, 80), (5, 90, 6), (90, 5, 92)] {
        let found = mean(&mut |stream| f64::from(stream.hypergeometric(good, bad, sample)));
        let (good, pool, sample) = (f64::from(good), f64::from(good + bad), f64::from(sample));
        let share = good / pool;
        let variance = sample * share * (1.0 - share) * (pool - sample) / (pool - 1.0);
        assert!((found - sample * share).abs() < 5.0 * (variance / 2e4).sqrt(), "{good} of {pool}, {sample}: {found}");
    }
    let exponential = mean(&mut Stream::standard_exponential);
    assert!((exponential - 1.0).abs() < 5.0 / 2e4_f64.sqrt(), "{exponential}");
}

#[test]
fn an_unknown_correlation_is_refused_before_any_draw() {
    for rho in [0.3, 1.0, -0.0001, f64::INFINITY] {
        let mut stream = Stream::new(1);
        let before = stream.position;
        let error = bivariate_normal(&mut stream, rho, 5).unwrap_err();
        assert_eq!(error, UnsupportedCorrelation { rho });
        assert!(error.to_string().contains(&format!("rho = {rho} ")), "{error}");
        assert_eq!(stream.position, before);
    }
    assert!(bivariate_normal(&mut Stream::new(1), f64::NAN, 5).is_err());
}

#[test]
fn no_pairs_take_nothing() {
    let mut stream = Stream::new(1);
    let before = stream.position;
    assert_eq!(bivariate_normal(&mut stream, 0.8, 0), Ok(vec![]));
    assert_eq!(stream.position, before);
}

mod refused {
    use super::*;

    fn multinomial(n: u32, p: &[f64]) {
        Stream::new(1).multinomial(n, p, &mut vec![0; p.len()]);
    }

    #[test]
    #[should_panic(expected = "the probability of class 1 is 1.5, not in [0, 1]")]
    fn a_probability_above_one() {
        multinomial(5, &[0.1, 1.5, 0.1]);
    }

    #[test]
    #[should_panic(expected = "the probability of class 2 is NaN")]
    fn a_probability_that_is_no_number_even_if_it_is_not_used() {
        multinomial(5, &[0.5, 0.5, f64::NAN]);
    }

    #[test]
    #[should_panic(expected = "more than 1")]
    fn probabilities_that_sum_to_more_than_one() {
        multinomial(5, &[0.6, 0.6, 0.1]);
    }

    #[test]
    #[should_panic(expected = "2 probabilities for the counts of 3 classes")]
    fn counts_of_another_length() {
        Stream::new(1).multinomial(5, &[0.5, 0.5], &mut [0; 3]);
    }

    #[test]
    #[should_panic(expected = "at least one class")]
    fn no_class_at_all() {
        multinomial(5, &[]);
    }

    #[test]
    #[should_panic(expected = "expects more than 30 successes")]
    fn more_labels_than_inversion_serves() {
        multinomial(61, &[0.5, 0.5]);
    }

    #[test]
    #[should_panic(expected = "cannot draw 8 labels from a pool of 7")]
    fn a_sample_larger_than_its_pool() {
        Stream::new(1).hypergeometric(3, 4, 8);
    }

    #[test]
    #[should_panic(expected = "too large")]
    fn a_pool_beyond_32_bits() {
        Stream::new(1).hypergeometric(u32::MAX, 1, 1);
    }

    #[test]
    #[should_panic(expected = "the shape of a gamma draw is -1")]
    fn a_negative_shape() {
        Stream::new(1).gamma(-1.0);
    }

    #[test]
    #[should_panic(expected = "the shape of a gamma draw is NaN")]
    fn a_shape_that_is_no_number() {
        Stream::new(1).gamma(f64::NAN);
    }
}

/// Beyond the table of ln(j!), `tests/golden/hypergeometric.json`.
#[test]
fn large_pools_are_split_as_numpy_splits_them() {
    let golden = crate::support::golden("hypergeometric.json");
    for case in golden["cases"].as_array().unwrap() {
        let [seed, good, bad, sample] = ["seed", "ngood", "nbad", "nsample"].map(|key| case[key].as_u64().unwrap());
        let mut stream = Stream::new(seed);
        let drawn: Vec<u64> =
            (0..2000).map(|_| u64::from(stream.hypergeometric(good as u32, bad as u32, sample as u32))).collect();
        let first: Vec<u64> = case["first"].as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect();
        assert_eq!(drawn[..first.len()], first, "{case}");
        assert_eq!(drawn.iter().sum::<u64>(), case["sum"].as_u64().unwrap(), "{case}");
        assert_eq!(stream.word().to_string(), case["next_word"].as_str().unwrap(), "{case}");
    }
}
