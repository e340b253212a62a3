//! ActiveLab, the ranking of the package `cleanlab`, as it is shipped and with its slip repaired.

use ndarray::{Array2, ArrayView1, ArrayView2};

/// A weight and an error share are never below this, as in the package.
const LEAST_WEIGHT: f64 = 1e-6;
/// A probability is never below this where its logarithm is taken, as in the package.
const LEAST_PROBABILITY: f64 = 1e-30;
/// Temperatures that are tried first, as in the package.
const COARSE: [f64; 9] = [0.1, 0.2, 0.5, 0.8, 1.0, 2.0, 3.0, 5.0, 8.0];
/// Temperatures that are tried then between two of them.
const FINE: usize = 4;

/// Which ActiveLab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// The package's own. Its labels are floating-point numbers, because a missing label is "not a number", and for
    /// such labels its `value_counts` puts the counts of the classes that an item has into the first positions and not
    /// into those of the classes: the temperature is fitted to wrong labels for every item that lacks a class other
    /// than the last ones.
    AsShipped,
    /// The package's score with counts put where they belong.
    Repaired,
}

/// Labels with who gave them: what the package calls a table of annotators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatorLabels {
    annotators: usize,
    /// (annotator, class) of every label of an item, annotators ascending.
    items: Vec<Vec<(usize, usize)>>,
}

impl AnnotatorLabels {
    /// From one row per item with a place for every annotator, `None` where there is no label. Annotators without any
    /// label are left out, as the package asks for.
    pub fn new(rows: &[Vec<Option<usize>>]) -> Self {
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        let gave: Vec<usize> =
            (0..width).filter(|&k| rows.iter().any(|row| row.get(k).is_some_and(Option::is_some))).collect();
        let labels = |row: &Vec<Option<usize>>| -> Vec<(usize, usize)> {
            gave.iter().enumerate().filter_map(|(k, &old)| Some((k, (*row.get(old)?)?))).collect()
        };
        Self { annotators: gave.len(), items: rows.iter().map(labels).collect() }
    }

    /// From counts, items x classes, whose annotators are not known: the k-th label of an item counts as annotator k's,
    /// labels in the order of the classes. This is what filling the package's table from counts gives.
    pub fn of_counts(counts: ArrayView2<u32>) -> Self {
        let classes = |c: ArrayView1<u32>| -> Vec<(usize, usize)> {
            let labels = c.iter().enumerate().flat_map(|(class, &n)| std::iter::repeat_n(class, n as usize));
            labels.enumerate().collect()
        };
        let items: Vec<Vec<(usize, usize)>> = counts.rows().into_iter().map(classes).collect();
        Self { annotators: items.iter().map(Vec::len).max().unwrap_or(0), items }
    }
}

/// ActiveLab's priority of every item, highest first, where annotators are not known: [`active_lab_scores`] of
/// [`AnnotatorLabels::of_counts`], negated, since the package asks for the lowest scores to be labelled first.
///
/// # Panics
/// If the shapes differ.
pub fn active_lab_priority(q: ArrayView2<f64>, counts: ArrayView2<u32>, form: Form) -> Vec<f64> {
    assert_eq!(q.dim(), counts.dim(), "predictions and counts must have the same shape");
    active_lab_scores(q, &AnnotatorLabels::of_counts(counts), form).into_iter().map(|score| -score).collect()
}

/// ActiveLab's score of every item, 0 to 1: how sure its consensus label is. The lowest is labelled first.
///
/// ```text
/// score = (Q_i (sum_z w_z + w_M) + w / K) / (sum_z w_z + w_M + w)
/// ```
///
/// over the annotators z that labelled item i, with w the mean of all w_z, K the number of classes and Q_i the
/// posterior probability of the consensus label,
///
/// ```text
/// P_i(y) = (w_M q_iy + sum_z w_z R_zy) / (w_M + sum_z w_z),   R_zy = A if z said y, else (1 - A) / (K - 1)
/// ```
///
/// q is the judge's prediction scaled by the temperature at which its cross entropy with the items' labels is lowest,
/// among a few that are tried ([`Form`]). The consensus is the class with the highest P under a first consensus, the
/// majority's; all quantities are then computed again. Over items with more than one label, A is the mean share of
/// labels that equal the consensus, M the share of consensus labels that the judge's top class misses, and B the share
/// that is not the commonest consensus. w_M = max(1 - M / B, 1e-6) sqrt(mean labels of the labelled items) and w_z =
/// max(1 - E_z / B, 1e-6) with E_z the share of the other labels of z's items that differ from z's. An item without
/// labels has Q = max q, the scaled prediction, and weights w_M and w. Where no item has more than one label,
/// temperature and all weights are 1, and Q is the prediction of the label.
///
/// Source: the package `cleanlab`, version 2.9.0, `multiannotator.get_active_learning_scores`; Goh and Mueller (2023),
/// "ActiveLab: active learning with re-labeling by multiple annotators". Where even the package's tie breaks of a
/// majority leave a tie, it draws at random; here the first class is taken.
///
/// # Panics
/// If there is not one prediction per item.
pub fn active_lab_scores(q: ArrayView2<f64>, labels: &AnnotatorLabels, form: Form) -> Vec<f64> {
    assert_eq!(q.nrows(), labels.items.len(), "one prediction per item");
    let classes = q.ncols();
    let labelled: Vec<usize> = (0..q.nrows()).filter(|&i| !labels.items[i].is_empty()).collect();
    let given = LabelledItems {
        q: q.select(ndarray::Axis(0), &labelled),
        labels: labelled.iter().map(|&i| labels.items[i].as_slice()).collect(),
        annotators: labels.annotators,
    };
    let found = given.learn(form);
    let share = 1.0 / classes as f64;
    let mean_weight = found.annotators.iter().sum::<f64>() / found.annotators.len() as f64;
    let mut scores: Vec<f64> = scaled(q, found.temperature)
        .rows()
        .into_iter()
        .map(|q| {
            let surest = q.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (surest * found.model + share * mean_weight) / (found.model + mean_weight)
        })
        .collect();
    for ((&item, labels), quality) in labelled.iter().zip(&given.labels).zip(&found.quality) {
        let weight = labels.iter().map(|&(z, _)| found.annotators[z]).sum::<f64>() + found.model;
        scores[item] = (quality * weight + share * mean_weight) / (weight + mean_weight);
    }
    scores
}

/// What is learned from the labelled items.
struct Learned {
    temperature: f64,
    model: f64,
    annotators: Vec<f64>,
    /// Probability of the consensus label, per labelled item.
    quality: Vec<f64>,
}

/// The labelled items.
struct LabelledItems<'a> {
    q: Array2<f64>,
    labels: Vec<&'a [(usize, usize)]>,
    annotators: usize,
}

impl LabelledItems<'_> {
    fn learn(&self, form: Form) -> Learned {
        if self.labels.iter().all(|labels| labels.len() == 1) {
            let quality = self.labels.iter().zip(self.q.rows()).map(|(labels, q)| q[labels[0].1]).collect();
            return Learned { temperature: 1.0, model: 1.0, annotators: vec![1.0; self.annotators.max(1)], quality };
        }
        let temperature = self.temperature(form);
        let q = scaled(self.q.view(), temperature);
        let majority = self.majority(q.view());
        let (first, ..) = self.posterior(q.view(), &majority);
        let best: Vec<usize> =
            first.rows().into_iter().zip(&majority).map(|(p, &c)| only_highest(p).unwrap_or(c)).collect();
        let (p, model, annotators) = self.posterior(q.view(), &best);
        let quality = best.iter().enumerate().map(|(i, &class)| p[[i, class]]).collect();
        Learned { temperature, model, annotators, quality }
    }

    fn counts(&self, item: usize) -> Vec<f64> {
        let mut counts = vec![0.0; self.q.ncols()];
        self.labels[item].iter().for_each(|&(_, class)| counts[class] += 1.0);
        counts
    }

    /// The temperature at which the cross entropy is lowest: the best of a few, then the best between its neighbours.
    fn temperature(&self, form: Form) -> f64 {
        let shares: Vec<Vec<f64>> = (0..self.labels.len())
            .map(|i| {
                let mut counts = self.counts(i);
                if form == Form::AsShipped {
                    counts.sort_by_key(|&n| n == 0.0);
                }
                counts.iter().map(|n| n / self.labels[i].len() as f64).collect()
            })
            .collect();
        let log = self.q.mapv(f64::ln);
        let lowest = |temperatures: &[f64]| {
            let entropies: Vec<f64> = temperatures.iter().map(|&t| cross_entropy(&shares, log.view(), t)).collect();
            (0..entropies.len()).fold(0, |best, k| if entropies[k] < entropies[best] { k } else { best })
        };
        let best = lowest(&COARSE);
        let mut fine = vec![];
        let between = |from: f64, to: f64| (0..FINE).map(move |k| k as f64 * ((to - from) / FINE as f64) + from);
        if best > 0 {
            fine.extend(between(COARSE[best - 1], COARSE[best]));
        }
        if let Some(&next) = COARSE.get(best + 1) {
            fine.extend(between(COARSE[best], next).chain([next]));
        }
        fine[lowest(&fine)]
    }

    /// The majority's label of every item; ties by the prediction, then the class that is rarer among all labels, then
    /// the one whose annotators agree more with clear majorities.
    fn majority(&self, q: ArrayView2<f64>) -> Vec<usize> {
        let counts: Vec<Vec<f64>> = (0..self.labels.len()).map(|i| self.counts(i)).collect();
        let frequency: Vec<f64> = (0..q.ncols()).map(|class| counts.iter().map(|c| c[class]).sum()).collect();
        let modes: Vec<Vec<usize>> = counts.iter().map(|c| highest(0..c.len(), |k| c[k])).collect();
        let agreement = self.agreement_with_modes(&modes);
        (0..modes.len())
            .map(|i| {
                let likely = highest(modes[i].iter().copied(), |k| q[[i, k]]);
                let rare = highest(likely, |k| -frequency[k]);
                if rare.len() == 1 {
                    return rare[0];
                }
                let of = |class: usize| {
                    let by = self.labels[i].iter().filter(|label| label.1 == class).map(|label| agreement[label.0]);
                    by.clone().sum::<f64>() / by.count() as f64
                };
                highest(rare, of)[0]
            })
            .collect()
    }

    /// How often each annotator's label is that of the majority, where there is one; the mean of the others for those
    /// who label no such item.
    fn agreement_with_modes(&self, modes: &[Vec<usize>]) -> Vec<f64> {
        let (mut same, mut all) = (vec![0.0; self.annotators], vec![0.0; self.annotators]);
        for (labels, mode) in self.labels.iter().zip(modes).filter(|(_, mode)| mode.len() == 1) {
            for &(z, class) in *labels {
                all[z] += 1.0;
                same[z] += f64::from(u8::from(class == mode[0]));
            }
        }
        shares(&same, &all)
    }

    /// Probabilities under a consensus, and the weights of the model and the annotators.
    fn posterior(&self, q: ArrayView2<f64>, consensus: &[usize]) -> (Array2<f64>, f64, Vec<f64>) {
        let classes = q.ncols();
        let several = || (0..self.labels.len()).filter(|&i| self.labels[i].len() > 1);
        let items = several().count() as f64;
        let agreeing = |i: usize| {
            self.labels[i].iter().filter(|label| label.1 == consensus[i]).count() as f64 / self.labels[i].len() as f64
        };
        let likelihood = several().map(agreeing).sum::<f64>() / items;
        let other = (1.0 - likelihood) / (classes as f64 - 1.0);
        let commonest = {
            let mut counts = vec![0_usize; classes];
            several().for_each(|i| counts[consensus[i]] += 1);
            highest(0..classes, |k| counts[k] as f64)[0]
        };
        let share = |wrong: &dyn Fn(usize) -> bool| several().filter(|&i| wrong(i)).count() as f64 / items;
        let guess = share(&|i| consensus[i] != commonest).max(LEAST_WEIGHT);
        let annotators: Vec<f64> =
            self.agreement_with_others().iter().map(|a| (1.0 - (1.0 - a) / guess).max(LEAST_WEIGHT)).collect();
        let missed = share(&|i| highest(0..classes, |k| q[[i, k]])[0] != consensus[i]);
        let mean_labels =
            self.labels.iter().map(|labels| labels.len()).sum::<usize>() as f64 / self.labels.len() as f64;
        let model = (1.0 - missed / guess).max(LEAST_WEIGHT) * mean_labels.sqrt();
        let mut p = q.mapv(|q| q * model);
        for (i, mut p) in p.rows_mut().into_iter().enumerate() {
            let mut weight = 0.0;
            for &(z, said) in self.labels[i] {
                weight += annotators[z];
                for (class, p) in p.iter_mut().enumerate() {
                    *p += annotators[z] * if class == said { likelihood } else { other };
                }
            }
            p.mapv_inplace(|p| p / (weight + model));
        }
        (p, model, annotators)
    }

    /// The share of the other labels of an annotator's items that equal the annotator's; the mean of the others for
    /// those who share no item.
    fn agreement_with_others(&self) -> Vec<f64> {
        let (mut same, mut all) = (vec![0.0; self.annotators], vec![0.0; self.annotators]);
        for (i, labels) in self.labels.iter().enumerate() {
            let counts = self.counts(i);
            for &(z, class) in *labels {
                same[z] += counts[class] - 1.0;
                all[z] += labels.len() as f64 - 1.0;
            }
        }
        shares(&same, &all)
    }
}

/// Shares of totals; the mean of the others where the total is 0.
fn shares(parts: &[f64], totals: &[f64]) -> Vec<f64> {
    let share = |(part, &total): (&f64, &f64)| (total > 0.0).then(|| part / total);
    let values: Vec<Option<f64>> = parts.iter().zip(totals).map(share).collect();
    let present: Vec<f64> = values.iter().flatten().copied().collect();
    let mean = present.iter().sum::<f64>() / present.len() as f64;
    values.into_iter().map(|value| value.unwrap_or(mean)).collect()
}

/// Those of some classes whose value is highest, in their order.
fn highest(classes: impl IntoIterator<Item = usize>, value: impl Fn(usize) -> f64) -> Vec<usize> {
    let classes: Vec<usize> = classes.into_iter().collect();
    let most = classes.iter().map(|&class| value(class)).fold(f64::NEG_INFINITY, f64::max);
    classes.into_iter().filter(|&class| value(class) == most).collect()
}

/// The class with the highest probability, unless two have it.
fn only_highest(p: ArrayView1<f64>) -> Option<usize> {
    match highest(0..p.len(), |k| p[k])[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Rows to a power and divided by their sums.
fn softened(log: ArrayView2<f64>, temperature: f64) -> Array2<f64> {
    let mut p = log.mapv(|log| (log / temperature).exp());
    divide_by_sums(&mut p);
    p
}

fn divide_by_sums(p: &mut Array2<f64>) {
    for mut p in p.rows_mut() {
        let sum = p.sum();
        p.mapv_inplace(|p| p / sum);
    }
}

/// Predictions at a temperature: q^(1/T), divided by its sum; above 1 they are flatter.
fn scaled(q: ArrayView2<f64>, temperature: f64) -> Array2<f64> {
    let mut q = q.mapv(|q| q.max(LEAST_PROBABILITY));
    divide_by_sums(&mut q);
    let mut p = softened(q.mapv(f64::ln).view(), temperature);
    divide_by_sums(&mut p);
    p
}

/// Mean over items of the cross entropy of predictions at a temperature with shares of labels, as a share of ln K.
fn cross_entropy(shares: &[Vec<f64>], log: ArrayView2<f64>, temperature: f64) -> f64 {
    let p = softened(log, temperature);
    let of = |(shares, p): (&Vec<f64>, ArrayView1<f64>)| -> f64 {
        -shares.iter().zip(p).map(|(share, p)| share * p.max(LEAST_PROBABILITY).ln()).sum::<f64>()
    };
    let sum: f64 = shares.iter().zip(p.rows()).map(of).sum();
    sum / (p.ncols() as f64).ln() / shares.len() as f64
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn counts_fill_the_table_of_annotators_in_the_order_of_the_classes() {
        let of_counts = AnnotatorLabels::of_counts(array![[1, 0, 2], [0, 0, 0], [0, 1, 0]].view());
        let rows = [vec![Some(0), Some(2), Some(2)], vec![None; 3], vec![Some(1), None, None]];
        assert_eq!(of_counts, AnnotatorLabels::new(&rows));
        let with_nobody = rows.map(|row| [vec![None], row].concat());
        assert_eq!(of_counts, AnnotatorLabels::new(&with_nobody));
    }

    #[test]
    fn doubt_grows_with_disagreement_and_falls_with_labels() {
        let mut q = Array2::from_elem((40, 2), 0.5);
        let mut counts = Array2::zeros((40, 2));
        for i in 0..40 {
            let class = i % 2;
            q[[i, class]] = 0.8;
            q[[i, 1 - class]] = 0.2;
            counts[[i, class]] = 5;
        }
        counts.row_mut(0).assign(&array![3, 2]);
        counts.row_mut(2).assign(&array![9, 0]);
        counts.row_mut(4).assign(&array![0, 0]);
        for form in [Form::AsShipped, Form::Repaired] {
            let priorities = active_lab_priority(q.view(), counts.view(), form);
            assert!(
                priorities[4] > priorities[6] && priorities[0] > priorities[6] && priorities[6] > priorities[2],
                "{form:?} {:?}",
                &priorities[..7]
            );
        }
    }
}
