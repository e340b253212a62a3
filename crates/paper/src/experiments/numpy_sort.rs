//! The order in which the authors' sort leaves items, equal ones among them.
//!
//! They rank by NumPy's `argsort` of the negated scores. Its default sort is not stable: with AVX-512 instructions a
//! quicksort moves eight numbers at a time, and a bitonic network sorts what is short. That order of equals decides which
//! items a budget reaches. Here it is computed number by number, on any processor.
//!
//! Source: Intel, x86-simd-sort, as in NumPy 2.4.6 (`argsort` of 64-bit floats).

/// Numbers that one instruction handles.
const LANES: usize = 8;
/// Numbers that the partition moves between two looks at where there is room.
const BLOCK: usize = 4 * LANES;
/// Numbers that the network sorts.
const SHORT: usize = 256;

/// Priorities without equals that put the first `most` items in the authors' order, the highest score first, before the others.
pub(super) fn ranked(scores: Vec<f64>, most: usize) -> Vec<f64> {
    let mut sorted = scores.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    if sorted.windows(2).all(|pair| pair[0] < pair[1]) {
        return scores;
    }
    let mut priorities = vec![0.0; scores.len()];
    let negated: Vec<f64> = scores.iter().map(|score| -score).collect();
    for (place, item) in argsort(&negated, most).into_iter().enumerate() {
        priorities[item] = -(place as f64);
    }
    priorities
}

/// The items by rising key, correct for the first `most`; no key may be NaN.
fn argsort(keys: &[f64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    if !keys.is_sorted() {
        quicksort(keys, &mut order, most);
    }
    order
}

/// NumPy falls back to another sort below a depth of 2 log2(n), which numbers of experiments do not reach.
fn quicksort(keys: &[f64], order: &mut [usize], most: usize) {
    if order.len() <= SHORT {
        return network(keys, order);
    }
    let step = (order.len() - 1) / LANES;
    let mut sample: [f64; LANES] = std::array::from_fn(|k| keys[order[(k + 1) * step]]);
    sample.sort_unstable_by(f64::total_cmp);
    let pivot = sample[LANES / 2];
    let (mut is_least, mut is_most) = (true, true);
    for item in order.iter() {
        is_least &= keys[*item] >= pivot;
        is_most &= keys[*item] <= pivot;
    }
    let below = partition(keys, order, pivot);
    if !is_least {
        quicksort(keys, &mut order[..below], most);
    }
    if !is_most && below < most {
        quicksort(keys, &mut order[below..], most - below);
    }
}

/// Moves the items below the pivot to the front, and says how many they are.
fn partition(keys: &[f64], order: &mut [usize], pivot: f64) -> usize {
    let (mut left, mut right) = (0, order.len());
    for _ in 0..order.len() % BLOCK {
        if keys[order[left]] < pivot {
            left += 1;
        } else {
            right -= 1;
            order.swap(left, right);
        }
    }
    // The blocks at both ends make room, and come last. What is stored lies before `front` and from `back` on.
    let load = |order: &[usize], from: usize| -> [usize; BLOCK] { std::array::from_fn(|k| order[from + k]) };
    let ends = [load(order, left), load(order, right - BLOCK)];
    let (mut front, mut back) = (left, right);
    left += BLOCK;
    right -= BLOCK;
    let store = |order: &mut [usize], block: [usize; BLOCK], front: &mut usize, back: &mut usize| {
        for items in block.chunks(LANES) {
            *back -= items.iter().filter(|item| keys[**item] >= pivot).count();
            let mut behind = *back;
            for &item in items {
                let place = if keys[item] >= pivot { &mut behind } else { &mut *front };
                order[*place] = item;
                *place += 1;
            }
        }
    };
    while left < right {
        let block = if back - right < left - front {
            right -= BLOCK;
            load(order, right)
        } else {
            left += BLOCK;
            load(order, left - BLOCK)
        };
        store(order, block, &mut front, &mut back);
    }
    for block in ends {
        store(order, block, &mut front, &mut back);
    }
    front
}

/// The bitonic network; what fills up to a power of two is larger than every key. Keys without equals have one order.
fn network(keys: &[f64], order: &mut [usize]) {
    let mut sorted = order.to_vec();
    sorted.sort_unstable_by(|a, b| keys[*a].total_cmp(&keys[*b]));
    if sorted.windows(2).all(|pair| keys[pair[0]] < keys[pair[1]]) {
        return order.copy_from_slice(&sorted);
    }
    let size = order.len().next_power_of_two().max(LANES);
    let mut rows: Vec<(f64, usize)> = order.iter().map(|item| (keys[*item], *item)).collect();
    rows.resize(size, (f64::INFINITY, usize::MAX));
    let starts = |step: usize| (0..size).step_by(step);
    let mut width = 2;
    while width <= size {
        let mut exchange = |a: usize, b: usize| {
            if rows[b].0 < rows[a].0 {
                rows.swap(a, b);
            }
        };
        for start in starts(width) {
            (0..width / 2).for_each(|k| exchange(start + k, start + width - 1 - k));
        }
        let mut apart = width / 4;
        while apart > 0 {
            for start in starts(2 * apart) {
                (start..start + apart).for_each(|k| exchange(k, k + apart));
            }
            apart /= 2;
        }
        width *= 2;
    }
    order.iter_mut().zip(rows).for_each(|(place, (_, item))| *place = item);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_stand_as_numpy_leaves_them() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/golden/numpy_sort/expected.json")).unwrap();
        for case in golden["cases"].as_array().unwrap() {
            let [size, values] = ["size", "values"].map(|key| case[key].as_u64().unwrap());
            let number = |i: u64| ((((i * i + 3 * i) * 2_654_435_761 % (1 << 32)) >> 16) % values) as f64;
            let keys: Vec<f64> = (0..size).map(number).collect();
            let expected: Vec<usize> = serde_json::from_value(case["order"].clone()).unwrap();
            assert_eq!(argsort(&keys, keys.len()), expected, "{size} numbers of {values} values");
            let most = keys.len() / 5;
            assert_eq!(argsort(&keys, most)[..most], expected[..most], "{most} of {size} numbers of {values} values");
        }
    }
}
