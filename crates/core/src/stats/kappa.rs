//! Agreement beyond chance where disagreements differ in size.

/// Cohen's kappa of two raters who place the same items at places of a scale, disagreements weighted by their squared
/// distance.
///
/// ```text
/// kappa = 1 - sum_ij w_ij o_ij / sum_ij w_ij e_ij,   w_ij = (s_i - s_j)^2
/// ```
///
/// with o the shares of items by both raters' places, e those expected from how often either names each place, and s the
/// `places`; `pairs` are positions of places. At most 1; `None` without pairs, or where chance alone gives no disagreement.
/// Source: Cohen (1968), "Weighted kappa".
pub fn quadratic_kappa(pairs: &[(usize, usize)], places: &[f64]) -> Option<f64> {
    let n = pairs.len() as f64;
    let weight = |a: usize, b: usize| (places[a] - places[b]).powi(2);
    let observed: f64 = pairs.iter().map(|&(a, b)| weight(a, b)).sum::<f64>() / n;
    let (mut first, mut second) = (vec![0.0; places.len()], vec![0.0; places.len()]);
    for &(a, b) in pairs {
        first[a] += 1.0 / n;
        second[b] += 1.0 / n;
    }
    let chance = |(a, p): (usize, &f64)| second.iter().enumerate().map(|(b, q)| p * q * weight(a, b)).sum::<f64>();
    let by_chance: f64 = first.iter().enumerate().map(chance).sum();
    (by_chance > 0.0).then(|| 1.0 - observed / by_chance)
}
