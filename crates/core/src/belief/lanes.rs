//! Dirichlet-multinomial likelihoods of many items at once, some side by side in the lanes of the processor.

use multiversion::multiversion;

/// Items side by side.
const LANES: usize = 8;

/// A product is put into a logarithm before it leaves this range.
const LEAST: f64 = 1e-75;
const MOST: f64 = 1e75;

/// Factors share * lambda + before of the likelihoods of some items.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Factors {
    share: [f64; LANES],
    before: [f64; LANES],
}

/// Items with equal numbers of labels.
#[derive(Debug, Clone)]
struct LaneGroup {
    /// Their positions; lanes behind the last one have none.
    items: [usize; LANES],
    /// Lanes that have an item.
    size: usize,
    /// How many labels each has.
    labels: usize,
}

/// The labels of some items as the likelihood of a trust reads them.
///
/// ```text
/// L = sum over items of   sum_j sum_{i < c_j} ln(lambda q_j + i)   -   sum_{i < n} ln(lambda + i)
/// ```
///
/// Both halves have n terms for an item of n labels.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelsInLanes {
    blocks: Vec<LaneGroup>,
    /// Of each block those of the first half.
    factors: Vec<Factors>,
}

impl LabelsInLanes {
    /// Of items of so many classes, from predictions and counts, item by item; every item has labels.
    pub(super) fn new(classes: usize, q: &[f64], counts: &[u32]) -> Self {
        let numbers: Vec<u32> = counts.chunks_exact(classes.max(1)).map(|own| own.iter().sum()).collect();
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        // Few numbers of labels are many items': a stable sort has little to do.
        order.sort_by_key(|&item| numbers[item]);
        let all = counts.iter().sum::<u32>() as usize;
        let mut lanes = Self { blocks: vec![], factors: Vec::with_capacity(all / LANES + 1) };
        for same in order.chunk_by(|a, b| numbers[*a] == numbers[*b]) {
            same.chunks(LANES).for_each(|items| lanes.push(items, numbers[items[0]] as usize, (classes, q, counts)));
        }
        lanes
    }

    /// Adds some items with so many labels each.
    fn push(&mut self, of_block: &[usize], labels: usize, (classes, q, counts): (usize, &[f64], &[u32])) {
        let start = self.factors.len();
        self.factors.resize(start + labels, Factors { share: [0.0; LANES], before: [1.0; LANES] });
        let mut items = [0; LANES];
        items[..of_block.len()].copy_from_slice(of_block);
        // How many classes end before each label: counting them needs no jumps that depend on the counts.
        let (mut ended, mut starts) = (vec![0; labels + 1], vec![0; classes]);
        for (lane, &item) in of_block.iter().enumerate() {
            let own = item * classes..(item + 1) * classes;
            let mut end = 0;
            for (start, &count) in starts.iter_mut().zip(&counts[own.clone()]) {
                *start = end;
                end += count as usize;
                ended[end] += 1;
            }
            let (q, mut class) = (&q[own], 0);
            for (label, factors) in self.factors[start..].iter_mut().enumerate() {
                class += std::mem::take(&mut ended[label]);
                (factors.share[lane], factors.before[lane]) = (q[class], (label - starts[class]) as f64);
            }
            ended[labels] = 0;
        }
        self.blocks.push(LaneGroup { items, size: of_block.len(), labels });
    }

    /// L, and the first two derivatives of every item's part of it in lambda, at the trust of every item.
    ///
    /// The derivatives are sums of one term for each label, class by class, in that order.
    pub(super) fn differentiate(&self, trust: &[f64]) -> (f64, Vec<[f64; 2]>) {
        let mut derivatives = vec![[0.0; 2]; trust.len()];
        let value = differentiate(&self.blocks, &self.factors, trust, &mut derivatives);
        (value, derivatives)
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn differentiate(blocks: &[LaneGroup], factors: &[Factors], trust: &[f64], derivatives: &mut [[f64; 2]]) -> f64 {
    let (mut ln, mut product) = (0.0, [1.0; LANES]);
    let mut rest = factors;
    for LaneGroup { items, size, labels } in blocks {
        let (own, later) = rest.split_at(*labels);
        rest = later;
        let mut of_items = [0.0; LANES];
        for k in 0..LANES {
            of_items[k] = trust[items[k]];
        }
        let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
        let (mut above, mut below) = ([1.0; LANES], [1.0; LANES]);
        for Factors { share, before } in own {
            for k in 0..LANES {
                let x = of_items[k] * share[k] + before[k];
                let r = share[k] / x;
                above[k] *= x;
                first[k] += r;
                second[k] -= r * r;
            }
            ln += put_away(&mut above, *size);
        }
        for i in 0..*labels {
            let before = i as f64;
            for k in 0..LANES {
                let x = of_items[k] + before;
                let r = 1.0 / x;
                below[k] *= x;
                first[k] -= r;
                second[k] += r * r;
            }
            ln -= put_away(&mut below, *size);
        }
        for k in 0..LANES {
            product[k] *= if k < *size { above[k] / below[k] } else { 1.0 };
        }
        for (k, &item) in items[..*size].iter().enumerate() {
            derivatives[item] = [first[k], second[k]];
        }
        ln += put_away(&mut product, LANES);
    }
    ln + product.iter().map(|product| product.ln()).sum::<f64>()
}

/// The logarithm of the first `size` products if one of all left the range, which are 1 then.
#[inline(always)]
fn put_away(products: &mut [f64; LANES], size: usize) -> f64 {
    let mut left = false;
    for product in products.iter() {
        left |= *product < LEAST || *product > MOST;
    }
    if !left {
        return 0.0;
    }
    std::mem::replace(products, [1.0; LANES])[..size].iter().map(|product| product.ln()).sum()
}
