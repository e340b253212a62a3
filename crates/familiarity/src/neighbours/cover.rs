//! Items that together cover all others: where to label first.

use rayon::prelude::*;

use super::rows::UnitRows;

/// `picks` items, in order, spread over the rows; none of those `covered` already.
///
/// Each is drawn with a probability proportional to its cosine distance from the nearest item that is covered or drawn
/// before, the first uniformly where nothing is covered. The cosine distance is half the squared Euclidean distance of
/// directions, so this is the seeding of k-means++ (Arthur and Vassilvitskii 2007), whose expected sum of squared
/// distances to the picks is within 8 (ln k + 2) of the least possible. Unlike the farthest item first, it does not
/// begin with outliers: a direction counts by how many items lie there. Items that lie where a pick lies are drawn
/// last, uniformly.
///
/// Stream: one draw in [0, 1) per pick, from `uniform`. Time: picks x items x dimensions.
///
/// # Panics
/// If `covered` names an item that there is not.
pub fn cover(rows: &UnitRows, covered: &[usize], picks: usize, mut uniform: impl FnMut() -> f64) -> Vec<usize> {
    let items = rows.len();
    let mut distance = vec![f64::INFINITY; items];
    let mut open = vec![true; items];
    let take = |item: usize, distance: &mut Vec<f64>, open: &mut Vec<bool>| {
        open[item] = false;
        distance.par_iter_mut().enumerate().for_each(|(other, nearest)| {
            *nearest = nearest.min(rows.distance(item, other));
        });
    };
    covered.iter().for_each(|&item| take(item, &mut distance, &mut open));
    let left = open.iter().filter(|open| **open).count();
    (0..picks.min(left))
        .map(|_| {
            let item = drawn(&distance, &open, uniform());
            take(item, &mut distance, &mut open);
            item
        })
        .collect()
}

/// The open item at the share `u` of the summed distances; of the number of open items where none or all are far.
fn drawn(distance: &[f64], open: &[bool], u: f64) -> usize {
    let weight = |item: usize| if open[item] { distance[item] } else { 0.0 };
    let sum: f64 = (0..distance.len()).map(weight).sum();
    let flat = !(sum > 0.0 && sum.is_finite());
    let weight = |item: usize| if flat { f64::from(u8::from(open[item])) } else { weight(item) };
    let sum = if flat { open.iter().filter(|open| **open).count() as f64 } else { sum };
    let mut ahead = u * sum;
    let mut last = 0;
    for item in (0..distance.len()).filter(|&item| weight(item) > 0.0) {
        last = item;
        ahead -= weight(item);
        if ahead < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    /// Numbers of the Weyl sequence of the golden ratio, which fill [0, 1) evenly.
    fn weyl(start: u32) -> impl FnMut() -> f64 {
        let mut k = start;
        move || {
            k += 1;
            (f64::from(k) * 0.618_033_988_749_895).fract()
        }
    }

    /// Directions about three axes: 90 items about the first, 5 about each of the others.
    fn three_groups() -> UnitRows {
        let rows = Array2::from_shape_fn((100, 3), |(i, axis)| {
            let own = if i < 90 { 0 } else { 1 + (i - 90) / 5 };
            if axis == own { 1.0 } else { 1e-3 * ((i * 7 + axis * 3) % 11) as f32 }
        });
        UnitRows::new(rows.view()).unwrap()
    }

    #[test]
    fn the_first_picks_reach_every_group() {
        let rows = three_groups();
        for start in 0..50 {
            let picks = cover(&rows, &[], 3, weyl(start));
            let mut groups: Vec<usize> = picks.iter().map(|&i| if i < 90 { 0 } else { 1 + (i - 90) / 5 }).collect();
            groups.sort_unstable();
            assert_eq!(groups, [0, 1, 2], "{start}: {picks:?}");
        }
    }

    #[test]
    fn what_is_covered_is_not_drawn_and_not_gone_back_to() {
        let rows = three_groups();
        for start in 0..50 {
            let picks = cover(&rows, &[0, 91], 1, weyl(start));
            assert!(picks[0] >= 95, "{start}: {picks:?}");
        }
    }

    #[test]
    fn all_items_can_be_drawn_each_once_and_equal_rows_too() {
        let mut all = cover(&three_groups(), &[3], 1000, weyl(1));
        all.sort_unstable();
        assert_eq!(all, (0..100).filter(|i| *i != 3).collect::<Vec<_>>());
        let equal = UnitRows::new(Array2::from_elem((5, 2), 1.0).view()).unwrap();
        let mut all = cover(&equal, &[], 5, weyl(1));
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4]);
    }
}
