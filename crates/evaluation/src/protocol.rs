//! Constants and draws of the protocol.

use judge_uncertainty_core::random::Stream;

/// Numbers of labels that an item may hold before escalation, each as likely as the others.
pub const REVEALED: [u32; 5] = [0, 1, 2, 5, 10];
/// Half splits by default.
pub const REPLICATES: usize = 200;
/// Zero probabilities are raised to half a count of the judge's 100, and the rest is scaled down.
pub const FLOOR: f64 = 0.005;

/// A stream of its own for every seed and number; those of seed 0 are NumPy's of the number.
pub fn seeded(seed: u64, number: u64) -> Stream {
    Stream::from_entropy(&[number as u32, (number >> 32) as u32, seed as u32, (seed >> 32) as u32])
}

/// `n` uniform draws in [0, 1).
pub fn uniforms(stream: &mut Stream, n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    stream.fill_random(&mut out);
    out
}

/// ln(1 + n), the feature that the number of labels n enters as.
pub fn log_labels(numbers: &[u32]) -> impl Iterator<Item = f64> {
    numbers.iter().map(|&n| f64::from(n).ln_1p())
}
