//! The ranking that users of ActiveLab know, for pools whose annotators are not told apart.

use ndarray::{ArrayView1, ArrayView2};

/// A weight is never below this, as in the source.
const LEAST_WEIGHT: f64 = 1e-6;

/// ActiveLab-style priority of every item, highest first: the doubt about each item's consensus label.
///
/// ```text
/// P(y) = (w_M q_y + w / K + w sum_z c_z R_zy) / (w_M + w + w n),   R_zy = A if z = y, else (1 - A) / (K - 1)
/// priority = -P(consensus)
/// ```
///
/// with q the judge's prediction, c the labels in hand and n their sum. Consensus: the class with most labels, ties by q;
/// without labels the class with the highest q. Over the items with at least two labels, A is the mean share of labels
/// that equal the consensus, g the share of agreeing pairs of labels, M the share of consensus labels that the judge's
/// top class hits, and B the share that the commonest consensus class makes up. Then w = 1 - (1 - g)/(1 - B) and
/// w_M = (1 - (1 - M)/(1 - B)) sqrt(mean n of the labelled items), neither below 1e-6.
///
/// Source: Goh and Mueller (2023), "ActiveLab: active learning with re-labeling by multiple annotators", whose annotator
/// weights are one weight here because the annotators of a pool are anonymous. It aims at the consensus label, not at
/// the distribution over labels. Without an item that has two labels, A, g, M and B are taken as 1, 1, 1 and 1/K.
///
/// # Panics
/// If the shapes differ.
pub fn active_lab_priority(q: ArrayView2<f64>, counts: ArrayView2<u32>) -> Vec<f64> {
    assert_eq!(q.dim(), counts.dim(), "predictions and counts must have the same shape");
    let weights = Weights::learn(q, counts);
    q.rows().into_iter().zip(counts.rows()).map(|(q, c)| -weights.confidence(q, c)).collect()
}

struct Weights {
    model: f64,
    annotator: f64,
    /// How often a label equals the consensus.
    agreement: f64,
}

impl Weights {
    fn learn(q: ArrayView2<f64>, counts: ArrayView2<u32>) -> Self {
        let classes = q.ncols();
        let mut consensus_counts = vec![0.0; classes];
        let (mut items, mut agreeing, mut hits, mut pairs, mut equal_pairs) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let (mut labelled, mut labels) = (0.0, 0.0);
        for (q, c) in q.rows().into_iter().zip(counts.rows()) {
            let n = f64::from(c.sum());
            if n > 0.0 {
                labelled += 1.0;
                labels += n;
            }
            if n < 2.0 {
                continue;
            }
            let class = consensus(q, c);
            items += 1.0;
            consensus_counts[class] += 1.0;
            agreeing += f64::from(c[class]) / n;
            hits += if consensus(q, ArrayView1::from(&vec![0; classes])) == class { 1.0 } else { 0.0 };
            pairs += n * (n - 1.0);
            equal_pairs += c.iter().map(|&c| f64::from(c) * (f64::from(c) - 1.0)).sum::<f64>();
        }
        if items == 0.0 {
            return Self { model: (labels / f64::max(labelled, 1.0)).sqrt().max(1.0), annotator: 1.0, agreement: 1.0 };
        }
        let commonest = consensus_counts.iter().copied().fold(0.0, f64::max) / items;
        let weight = |share: f64| (1.0 - (1.0 - share) / (1.0 - commonest).max(LEAST_WEIGHT)).max(LEAST_WEIGHT);
        Self {
            model: weight(hits / items) * (labels / labelled).sqrt(),
            annotator: weight(equal_pairs / pairs),
            agreement: agreeing / items,
        }
    }

    /// P(consensus) of an item.
    fn confidence(&self, q: ArrayView1<f64>, c: ArrayView1<u32>) -> f64 {
        let (classes, n, class) = (q.len() as f64, f64::from(c.sum()), consensus(q, c));
        let own = f64::from(c[class]);
        let others = (n - own) * (1.0 - self.agreement) / (classes - 1.0);
        let sum = self.model * q[class] + self.annotator / classes + self.annotator * (own * self.agreement + others);
        sum / (self.model + self.annotator * (1.0 + n))
    }
}

/// The class with most labels, ties by the judge's probability, then the earlier class.
fn consensus(q: ArrayView1<f64>, c: ArrayView1<u32>) -> usize {
    let better = |&a: &usize, &b: &usize| c[a].cmp(&c[b]).then(q[a].total_cmp(&q[b])).then(b.cmp(&a));
    (0..q.len()).max_by(better).expect("there are classes")
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// By hand. Consensus classes 0, 1, 0, 0 (the last has no label). Items with two labels: 0, 1 and 2, so
    /// A = (1 + 2/3 + 3/4)/3 = 29/36, pairs 2 + 6 + 12 = 20 of which 2 + 2 + 6 = 10 agree, M = 2/3, B = 2/3.
    #[test]
    fn priorities_by_hand() {
        let q = array![[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.4, 0.3, 0.3]];
        let counts = array![[2, 0, 0], [1, 2, 0], [3, 0, 1], [0, 0, 0]];
        let priorities = active_lab_priority(q.view(), counts.view());
        // w = max(1 - (1/2)/(1/3), 1e-6) = 1e-6 and w_M = max(1 - 1, 1e-6) sqrt(3).
        let (w, model, agreement) = (1e-6, 1e-6 * 3.0_f64.sqrt(), 29.0 / 36.0);
        let expected = [
            (model * 0.7 + w / 3.0 + w * 2.0 * agreement) / (model + 3.0 * w),
            (model * 0.3 + w / 3.0 + w * (2.0 * agreement + (1.0 - agreement) / 2.0)) / (model + 4.0 * w),
            (model * 0.6 + w / 3.0 + w * (3.0 * agreement + (1.0 - agreement) / 2.0)) / (model + 5.0 * w),
            (model * 0.4 + w / 3.0) / (model + w),
        ];
        for (got, expected) in priorities.iter().zip(expected) {
            assert!((got + expected).abs() < 1e-12, "{got} for {expected}");
        }
    }

    #[test]
    fn doubt_grows_with_disagreement_and_falls_with_labels() {
        let mut q = ndarray::Array2::from_elem((40, 2), 0.5);
        let mut counts = ndarray::Array2::zeros((40, 2));
        for i in 0..40 {
            let class = i % 2;
            q[[i, class]] = 0.8;
            q[[i, 1 - class]] = 0.2;
            counts[[i, class]] = 5;
        }
        counts.row_mut(0).assign(&array![3, 2]);
        counts.row_mut(2).assign(&array![9, 0]);
        counts.row_mut(4).assign(&array![0, 0]);
        let priorities = active_lab_priority(q.view(), counts.view());
        assert!(
            priorities[4] > priorities[6] && priorities[0] > priorities[6] && priorities[6] > priorities[2],
            "{:?}",
            &priorities[..7]
        );
    }
}
