//! Agreement of two raters on an ordered scale.

/// Cohen's kappa with quadratic weights: agreement beyond chance where a miss counts by its squared distance.
///
/// ```text
/// 1 - sum_i (s_{a_i} - s_{b_i})^2 / N  /  sum_{j,k} f_j g_k (s_j - s_k)^2
/// ```
///
/// with s the `places` of the classes, (a_i, b_i) the classes that the two raters gave item i of N, and f and g the
/// shares of the classes among the first and the second rater's. 1 for perfect agreement, 0 for what chance would give,
/// negative below. `None` without items, and where chance alone agrees perfectly because both raters give one and the
/// same class throughout. Source: Cohen (1968), "Weighted kappa".
///
/// # Panics
/// If a class has no place.
pub fn quadratic_kappa(places: &[f64], pairs: impl IntoIterator<Item = (usize, usize)>) -> Option<f64> {
    let pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
    // Places from the first item's: their distances keep their digits however far from 0 the scale lies.
    let from = places[pairs.first()?.0];
    let (mut first, mut second, mut missed) = (RunningMoments::default(), RunningMoments::default(), 0.0);
    for (a, b) in pairs {
        first.add(places[a] - from);
        second.add(places[b] - from);
        missed += (places[a] - places[b]).powi(2);
    }
    // Two independent draws differ by both variances and the distance of the means.
    let by_chance = first.squares + second.squares + first.count * (first.mean - second.mean).powi(2);
    (by_chance > 0.0).then(|| 1.0 - missed / by_chance)
}

/// Mean and scatter of the values added so far (Welford's updates).
#[derive(Default)]
struct RunningMoments {
    count: f64,
    mean: f64,
    /// Sum of squared differences from the mean.
    squares: f64,
}

impl RunningMoments {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let off = value - self.mean;
        self.mean += off / self.count;
        self.squares += off * (value - self.mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three items at places 0, 1 and 3: squared misses 0, 0 and 4; the first rater's shares are 1/3 each, the second's
    /// 1/3, 0 and 2/3. By chance: (0 + 2 * 9 + 1 + 2 * 4 + 9 + 2 * 0) / 9 = 4; observed 4/3.
    #[test]
    fn kappa_by_hand() {
        let places = [0.0, 1.0, 3.0];
        let kappa = quadratic_kappa(&places, [(0, 0), (2, 2), (1, 2)]).unwrap();
        assert!((kappa - (1.0 - (4.0 / 3.0) / 4.0)).abs() < 1e-15, "{kappa}");
        assert_eq!(quadratic_kappa(&places, [(0, 0), (1, 1), (2, 2)]), Some(1.0));
        assert_eq!(quadratic_kappa(&places, [(1, 1), (1, 1)]), None);
        assert_eq!(quadratic_kappa(&places, []), None);
        // Always the other end: nothing but disagreement.
        assert_eq!(quadratic_kappa(&places, [(0, 2), (2, 0)]), Some(-1.0));
    }

    /// Only distances count.
    #[test]
    fn far_away_places_keep_their_digits() {
        let pairs = [(0, 1), (1, 1), (2, 0), (2, 2), (1, 2)];
        let near = quadratic_kappa(&[0.0, 1.0, 2.0], pairs).unwrap();
        let far = quadratic_kappa(&[1e12, 1e12 + 1.0, 1e12 + 2.0], pairs).unwrap();
        assert!((near - far).abs() < 1e-15, "{near} {far}");
    }
}
