//! Sampled labels of a judge read as distributions.
//!
//! One label is not a distribution: as a point mass it would say that every other class is impossible, for every item
//! alike. What it is worth is fitted to human labels, by the map of the belief; here it gets a form from which a map
//! can start.
//!
//! ```text
//! several samples, or one without confidence:  (n_j + 1/2) / (n + K/2)
//! one with a stated confidence c:              c for its class (an even share to 0.98), the rest evenly
//! ```
//!
//! with n_j of n samples for class j of K: the mean under the prior of Jeffreys. A map that scales log predictions by
//! tau turns the second into c^tau, normalised, so that tau is the slope that calibrates the stated confidence.

use judge_uncertainty_formats::judge::CONFIDENCE_RANGE;

/// The most that one label counts for, however sure the judge says it is.
const SUREST: f64 = 0.98;
/// How far a label that counts least is above an even share, so that it stays the likeliest class.
const AHEAD: f64 = 1e-9;

/// Makes a distribution of an answer's sampled labels by class, of whose item a confidence may be stated.
pub(super) fn read(counts: &mut [f64], confidence: Option<f64>) {
    let samples: f64 = counts.iter().sum();
    let classes = counts.len() as f64;
    let stated = confidence.map(|confidence| confidence / CONFIDENCE_RANGE.1);
    let sure = stated.filter(|_| samples == 1.0).map(|stated| stated.clamp(1.0 / classes + AHEAD, SUREST));
    for n in counts.iter_mut() {
        *n = match sure {
            Some(sure) if *n > 0.0 => sure,
            Some(sure) => (1.0 - sure) / (classes - 1.0),
            None => (*n + 0.5) / (samples + classes / 2.0),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(counts: &[f64], confidence: Option<f64>) -> Vec<f64> {
        let mut counts = counts.to_vec();
        read(&mut counts, confidence);
        counts
    }

    #[test]
    fn no_verdict_is_a_point_mass() {
        let close = |a: Vec<f64>, b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(answered(&[0.0, 1.0, 0.0], None), [0.2, 0.6, 0.2]));
        assert!(close(answered(&[0.0, 1.0, 0.0], Some(90.0)), [0.05, 0.9, 0.05]));
        assert!(close(answered(&[1.0, 0.0, 0.0], Some(100.0)), [0.98, 0.01, 0.01]));
        // A verdict stays the likeliest class, however low the confidence.
        for (verdict, confidence) in [(0, 10.0), (1, 10.0), (2, 100.0 / 3.0), (2, 0.0)] {
            let mut counts = [0.0; 3];
            counts[verdict] = 1.0;
            let shares = answered(&counts, Some(confidence));
            assert_eq!(crate::model::study::largest(shares.iter().copied()), verdict);
            assert!(shares.iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-8), "{shares:?}");
        }
        assert!(close(answered(&[3.0, 1.0, 0.0], Some(90.0)), [3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5]));
    }
}
