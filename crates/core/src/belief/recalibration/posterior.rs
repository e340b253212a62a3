//! What is maximised: the log-likelihood of the labels plus the log density of the weak priors.

use ndarray::{Array2, ArrayView2};

use super::fitted::RecalibratedFit;
use super::items::{JudgedItems, check, group_of};
use super::options::{Options, Prior, Recalibration};
use super::terms::ItemTerms;
use crate::belief::newton::{Local, LogProduct, Maximum, Objective, Point};
use crate::belief::regression::{LARGEST_MOVE, Regression, coefficient_names, linear, undetermined};
use crate::belief::truncated::maximise;
use crate::belief::trust::TrustError;

/// Newton steps are shortened so that no ln tau and no bias moves by more than this at once.
const LARGEST_RECALIBRATION_MOVE: f64 = 1.0;

/// The labelled items, packed row by row, and the priors.
///
/// Parameters: beta with the intercept first, then for each group ln tau and the biases of all classes but the first.
pub(super) struct Posterior {
    features: usize,
    classes: usize,
    groups: usize,
    items: usize,
    labels: f64,
    z: Vec<f64>,
    log_q: Vec<f64>,
    counts: Vec<u32>,
    group: Vec<usize>,
    options: Options,
    /// Where the prior on beta is centred.
    centre: Vec<f64>,
}

impl Posterior {
    pub(super) fn new(
        items: &JudgedItems,
        counts: ArrayView2<u32>,
        options: &Options,
        keep: impl Fn(usize) -> bool,
    ) -> Result<Self, TrustError> {
        check(items, counts)?;
        if options.recalibration == Recalibration::ByGroup && items.groups.is_empty() {
            return Err(TrustError::Shape { detail: "recalibration by group needs the group of each item".to_owned() });
        }
        let Prior { log_tau_sd, bias_sd, log_trust_sd } = options.prior;
        let positive = [
            ("the ridge penalty", options.ridge),
            ("the prior's log_tau_sd", log_tau_sd),
            ("the prior's bias_sd", bias_sd),
            ("the prior's log_trust_sd", log_trust_sd),
        ];
        if let Some(&(option, value)) = positive.iter().find(|(_, x)| !(*x > 0.0 && x.is_finite())) {
            return Err(TrustError::Option { option, value });
        }
        let groups = match options.recalibration {
            Recalibration::Off => 0,
            Recalibration::Shared => 1,
            Recalibration::ByGroup => items.groups.iter().max().map_or(0, |g| g + 1),
        };
        let mut this = Self {
            features: items.design.features(),
            classes: items.q.ncols(),
            groups,
            items: 0,
            labels: 0.0,
            z: vec![],
            log_q: vec![],
            counts: vec![],
            group: vec![],
            options: *options,
            centre: items.design.centre(),
        };
        for (i, c) in counts.rows().into_iter().enumerate() {
            let n: u32 = c.sum();
            if n > 0 && keep(i) {
                this.items += 1;
                this.labels += f64::from(n);
                this.z.extend_from_slice(items.features(i));
                this.log_q.extend(items.q.row(i).iter().map(|q| q.ln()));
                this.counts.extend(c);
                this.group.push(match options.recalibration {
                    Recalibration::ByGroup => group_of(items.groups, i),
                    Recalibration::Off | Recalibration::Shared => 0,
                });
            }
        }
        Ok(this)
    }

    /// Whether no item has a label.
    pub(super) fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// The fit at the maximum.
    pub(super) fn maximum(mut self, items: &JudgedItems) -> RecalibratedFit {
        let start = self.start();
        let maximum = maximise(&mut self, start);
        self.conclude(coefficient_names(items.design), maximum)
    }

    fn parameters(&self) -> usize {
        1 + self.features + self.groups * self.classes
    }

    /// Position of a group's ln tau; its biases follow.
    fn offset(&self, group: usize) -> usize {
        1 + self.features + group * self.classes
    }

    /// The centre of the prior, and the prediction as it is.
    pub(super) fn start(&self) -> Vec<f64> {
        let mut parameters = self.centre.clone();
        parameters.resize(self.parameters(), 0.0);
        parameters
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.items).map(|i| &self.z[i * self.features..(i + 1) * self.features])
    }

    /// Adds the log prior and its slope.
    fn add_prior_slope(&self, parameters: &[f64], value: &mut f64, gradient: &mut [f64]) {
        let Options { ridge, prior, .. } = self.options;
        let mut pull = |k: usize, centre: f64, precision: f64| {
            let x = parameters[k] - centre;
            *value -= 0.5 * precision * x * x;
            gradient[k] -= precision * x;
        };
        pull(0, self.centre[0], prior.log_trust_sd.powi(-2));
        (1..=self.features).for_each(|k| pull(k, self.centre[k], ridge));
        (0..self.groups).for_each(|g| pull(self.offset(g), 0.0, prior.log_tau_sd.powi(-2)));
        let (precision, classes) = (prior.bias_sd.powi(-2), self.classes as f64);
        for g in 0..self.groups {
            let own = self.offset(g) + 1..self.offset(g + 1);
            let biases = &parameters[own.clone()];
            // The first class's bias, 0, counts in the mean.
            let mean = biases.iter().sum::<f64>() / classes;
            let squares: f64 = biases.iter().map(|b| b * b).sum::<f64>() - classes * mean * mean;
            *value -= 0.5 * precision * squares;
            own.for_each(|a| gradient[a] -= precision * (parameters[a] - mean));
        }
    }

    /// Adds the log prior's second derivatives, which are the same everywhere.
    fn add_prior_bend(&self, hessian: &mut Array2<f64>) {
        let Options { ridge, prior, .. } = self.options;
        hessian[[0, 0]] -= prior.log_trust_sd.powi(-2);
        (1..=self.features).for_each(|k| hessian[[k, k]] -= ridge);
        (0..self.groups).for_each(|g| hessian[[self.offset(g), self.offset(g)]] -= prior.log_tau_sd.powi(-2));
        let (precision, classes) = (prior.bias_sd.powi(-2), self.classes as f64);
        for g in 0..self.groups {
            let own = self.offset(g) + 1..self.offset(g + 1);
            for a in own.clone() {
                for b in own.clone() {
                    hessian[[a, b]] -= precision * (f64::from(u8::from(a == b)) - 1.0 / classes);
                }
            }
        }
    }

    /// Adds the log prior's second derivatives in each parameter by itself.
    fn add_prior_diagonal(&self, diagonal: &mut [f64]) {
        let Options { ridge, prior, .. } = self.options;
        diagonal[0] -= prior.log_trust_sd.powi(-2);
        diagonal[1..=self.features].iter_mut().for_each(|d| *d -= ridge);
        for g in 0..self.groups {
            diagonal[self.offset(g)] -= prior.log_tau_sd.powi(-2);
            let own = self.offset(g) + 1..self.offset(g + 1);
            diagonal[own].iter_mut().for_each(|d| *d -= prior.bias_sd.powi(-2) * (1.0 - 1.0 / self.classes as f64));
        }
    }

    /// The log prior's second derivatives times a direction: its slope is linear.
    fn add_prior_product(&self, direction: &[f64], product: &mut [f64]) {
        let mut from = vec![0.0; product.len()];
        self.add_prior_slope(&vec![0.0; product.len()], &mut 0.0, &mut from);
        self.add_prior_slope(direction, &mut 0.0, product);
        product.iter_mut().zip(&from).for_each(|(x, from)| *x -= from);
    }

    pub(super) fn conclude(&self, names: Vec<String>, maximum: Maximum) -> RecalibratedFit {
        let Maximum { parameters, mut at, iterations, gradient_norm, converged } = maximum;
        let p = parameters.len();
        let (mut log_prior, mut prior) = (0.0, Array2::zeros((p, p)));
        self.add_prior_slope(&parameters, &mut log_prior, &mut vec![0.0; p]);
        self.add_prior_bend(&mut prior);
        if at.hessian.is_empty() {
            at = self.at(&parameters);
        }
        let covariance = at.curvature().covariance();
        let recalibrations = || (0..self.groups).map(|g| &parameters[self.offset(g)..self.offset(g + 1)]);
        RecalibratedFit {
            recalibration: self.options.recalibration,
            tau: recalibrations().map(|w| w[0].exp()).collect(),
            bias: recalibrations().map(|w| std::iter::once(0.0).chain(w[1..].iter().copied()).collect()).collect(),
            regression: Regression {
                rank: names.len(),
                unidentified: undetermined(&names, &covariance, &prior),
                names,
                coefficients: parameters[..=self.features].to_vec(),
                covariance,
                log_likelihood: at.value - log_prior,
                iterations,
                gradient_norm,
                converged,
                labelled_items: self.items,
                at_limit: 0,
            },
        }
    }
}

impl Objective for Posterior {
    /// Log-likelihood plus log prior, with exact derivatives.
    fn at(&self, parameters: &[f64]) -> Point {
        let p = parameters.len();
        let mut value = LogProduct::default();
        let mut gradient = vec![0.0; p];
        // The upper triangle, row by row.
        let mut hessian = vec![0.0; p * p];
        let mut item = ItemTerms::new(self.classes, true);
        let (beta, _) = parameters.split_at(1 + self.features);
        for (i, z) in self.rows().enumerate() {
            let k = i * self.classes..(i + 1) * self.classes;
            let offset = self.offset(self.group[i]);
            let recalibration = (self.groups > 0).then(|| &parameters[offset..offset + self.classes]);
            let log_trust = linear(beta, z).clamp(-50.0, 50.0);
            item.compute(log_trust, recalibration, &self.log_q[k.clone()], &self.counts[k], &mut value);

            gradient[0] += item.slope;
            hessian[0] += item.bend;
            for (a, &za) in z.iter().enumerate() {
                gradient[a + 1] += item.slope * za;
                let bend = item.bend * za;
                hessian[a + 1] += bend;
                let row = &mut hessian[(a + 1) * p + a + 1..(a + 1) * p + 1 + z.len()];
                row.iter_mut().zip(&z[a..]).for_each(|(h, zb)| *h += bend * zb);
            }
            if self.groups == 0 {
                continue;
            }
            for w in 0..self.classes {
                gradient[offset + w] += item.own_slope[w];
                hessian[offset + w] += item.cross[w];
                for (a, &za) in z.iter().enumerate() {
                    hessian[(a + 1) * p + offset + w] += item.cross[w] * za;
                }
                for v in w..self.classes {
                    hessian[(offset + w) * p + offset + v] += item.own_bend[w * self.classes + v];
                }
            }
        }
        let mut point = Point {
            value: value.ln(),
            gradient,
            hessian: Array2::from_shape_fn((p, p), |(a, b)| hessian[a.min(b) * p + a.max(b)]),
            at_limit: 0,
        };
        self.add_prior_slope(parameters, &mut point.value, &mut point.gradient);
        self.add_prior_bend(&mut point.hessian);
        point
    }

    /// One pass over the items; products with the curvature keep what is needed of each, classes x items numbers.
    fn local(&self, parameters: &[f64]) -> Option<Local<'_>> {
        if self.groups == 0 {
            return None;
        }
        let mut value = LogProduct::default();
        let (mut gradient, mut diagonal) = (vec![0.0; parameters.len()], vec![0.0; parameters.len()]);
        let mut terms = ItemTerms::new(self.classes, false);
        let mut curvatures = Vec::with_capacity(self.items);
        for (i, z) in self.rows().enumerate() {
            let k = i * self.classes..(i + 1) * self.classes;
            let own = self.offset(self.group[i])..self.offset(self.group[i] + 1);
            let log_trust = linear(&parameters[..=self.features], z).clamp(-50.0, 50.0);
            let recalibration = Some(&parameters[own.clone()]);
            terms.compute(log_trust, recalibration, &self.log_q[k.clone()], &self.counts[k], &mut value);
            let curvature = terms.curvature();
            gradient[0] += terms.slope;
            diagonal[0] += terms.bend;
            for (a, za) in z.iter().enumerate() {
                gradient[a + 1] += terms.slope * za;
                diagonal[a + 1] += terms.bend * za * za;
            }
            gradient[own.clone()].iter_mut().zip(&terms.own_slope).for_each(|(g, slope)| *g += slope);
            curvature.add_diagonal(&mut diagonal[own]);
            curvatures.push(curvature);
        }
        let mut value = value.ln();
        self.add_prior_slope(parameters, &mut value, &mut gradient);
        self.add_prior_diagonal(&mut diagonal);
        let product = move |direction: &[f64]| {
            let mut product = vec![0.0; direction.len()];
            for ((curvature, z), group) in curvatures.iter().zip(self.rows()).zip(&self.group) {
                let own = self.offset(*group)..self.offset(*group + 1);
                let turn = linear(&direction[..=self.features], z);
                let turned = curvature.multiply(turn, &direction[own.clone()], &mut product[own]);
                product[0] += turned;
                product[1..].iter_mut().zip(z).for_each(|(x, za)| *x += turned * za);
            }
            self.add_prior_product(direction, &mut product);
            product
        };
        Some(Local { value, gradient, diagonal, product: Box::new(product) })
    }

    fn tolerance(&self) -> f64 {
        1e-11 * self.labels.max(100.0)
    }

    /// Neither a log trust nor the recalibration moves too far.
    fn shorten(&self, step: &mut [f64]) {
        let (beta, others) = step.split_at(1 + self.features);
        let trust = self.rows().map(|z| linear(beta, z).abs()).fold(0.0, f64::max) / LARGEST_MOVE;
        let other = others.iter().fold(0.0, |m: f64, s| m.max(s.abs())) / LARGEST_RECALIBRATION_MOVE;
        let excess = trust.max(other);
        if excess > 1.0 {
            step.iter_mut().for_each(|s| *s /= excess);
        }
    }
}

#[cfg(test)]
mod tests {
    use statrs::function::gamma::ln_gamma;

    use super::super::world::World;
    use super::*;
    use crate::belief::design::{Design, FeatureColumn};
    use crate::belief::newton;
    use crate::belief::truncated::maximise;

    #[test]
    fn value_matches_gamma_functions_and_derivatives_match_differences() {
        let world = World::draw(60, 3, &[(0.5, [0.0, 0.4, -0.3]), (1.4, [0.0, -0.2, 0.1])]);
        let design = Design::raw(&world.columns).unwrap();
        let items = world.items(&design);
        let options = Options {
            recalibration: Recalibration::ByGroup,
            ridge: 0.3,
            prior: Prior { log_tau_sd: 0.7, bias_sd: 0.9, log_trust_sd: 2.0 },
        };
        let objective = Posterior::new(&items, world.counts.view(), &options, |_| true).unwrap();
        let at: [f64; 8] = [1.2, -0.5, -0.4, 0.3, 0.2, 0.25, -0.6, 0.1];
        let by_gamma: f64 = (0..60)
            .filter(|&i| world.counts.row(i).sum() > 0)
            .map(|i| {
                let w = &at[2 + 3 * world.groups[i]..];
                let bias: [f64; 3] = [0.0, w[1], w[2]];
                let weights: Vec<f64> = (0..3).map(|j| world.q[[i, j]].powf(w[0].exp()) * bias[j].exp()).collect();
                let sum: f64 = weights.iter().sum();
                let trust = (at[0] + at[1] * design.row(i)[0]).exp();
                let n = f64::from(world.counts.row(i).sum());
                let class = |j: usize| {
                    let a = trust * weights[j] / sum;
                    ln_gamma(a + f64::from(world.counts[[i, j]])) - ln_gamma(a)
                };
                ln_gamma(trust) - ln_gamma(trust + n) + (0..3).map(class).sum::<f64>()
            })
            .sum();
        // Biases of the first class are 0: means (0.3 + 0.2)/3 and (-0.6 + 0.1)/3.
        let centred = |b: [f64; 3]| -> f64 {
            let mean = (b[0] + b[1] + b[2]) / 3.0;
            b.iter().map(|b| (b - mean).powi(2)).sum()
        };
        let prior = -0.3 * 0.25 / 2.0
            - (1.2 - 8.0_f64.ln()).powi(2) / 8.0
            - (0.16 + 0.0625) / (2.0 * 0.49)
            - (centred([0.0, 0.3, 0.2]) + centred([0.0, -0.6, 0.1])) / (2.0 * 0.81);
        let point = objective.at(&at);
        assert!((point.value - by_gamma - prior).abs() < 1e-9, "{} against {}", point.value, by_gamma + prior);
        let h = 1e-5;
        for a in 0..at.len() {
            let shifted = |sign: f64| {
                let mut there = at;
                there[a] += sign * h;
                objective.at(&there)
            };
            let (up, down) = (shifted(1.0), shifted(-1.0));
            let slope = (up.value - down.value) / (2.0 * h);
            assert!((slope - point.gradient[a]).abs() < 1e-6 * (1.0 + slope.abs()), "gradient {a}");
            for b in 0..at.len() {
                let bend = (up.gradient[b] - down.gradient[b]) / (2.0 * h);
                assert!((bend - point.hessian[[a, b]]).abs() < 1e-6 * (1.0 + bend.abs()), "Hessian {a} {b}");
            }
        }
    }

    /// The lines of a golden file: names and numbers.
    fn golden() -> Vec<(String, Vec<f64>)> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/recalibration/derivatives.txt");
        let line = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            (words.next().unwrap(), words.map(|word| word.parse().unwrap()).collect())
        };
        std::fs::read_to_string(path).unwrap().lines().map(line).collect()
    }

    /// Value, gradient, Hessian and maximum against mpmath (`tests/golden/recalibration/derivatives.py`).
    #[test]
    fn derivatives_and_maximum_are_those_of_an_independent_program() {
        let lines = golden();
        let of = |name: &str| -> Vec<&[f64]> {
            lines.iter().filter(|(line, _)| line == name).map(|(_, values)| &values[..]).collect()
        };
        let items = of("item");
        let table = |from: usize| Array2::from_shape_fn((items.len(), 3), |(i, j)| items[i][from + j]);
        let design = Design::raw(&[FeatureColumn::complete("z", items.iter().map(|item| item[6]))]).unwrap();
        let (q, counts) = (table(0), table(3).mapv(|c| c as u32));
        let groups: Vec<usize> = items.iter().map(|item| item[7] as usize).collect();
        let judged = JudgedItems { design: &design, q: q.view(), groups: &groups };
        let [ridge, log_tau_sd, bias_sd, log_trust_sd] = of("options")[0].try_into().unwrap();
        let prior = Prior { log_tau_sd, bias_sd, log_trust_sd };
        let options = Options { recalibration: Recalibration::ByGroup, ridge, prior };
        let mut posterior = Posterior::new(&judged, counts.view(), &options, |_| true).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12 * (1.0 + b.abs());
        for (k, name) in ["point", "maximum"].into_iter().enumerate() {
            let at = of(name)[0];
            let Point { value, gradient, hessian, .. } = posterior.at(at);
            assert!(near(value, of("value")[k][0]), "value at the {name}: {value}");
            for (a, (got, expected)) in gradient.iter().zip(of("gradient")[k]).enumerate() {
                assert!(near(*got, *expected), "gradient {a} at the {name}: {got} for {expected}");
            }
            for (a, (got, expected)) in hessian.iter().zip(of("hessian")[k]).enumerate() {
                assert!(near(*got, *expected), "Hessian {a} at the {name}: {got} for {expected}");
            }
        }
        let start = posterior.start();
        let found = maximise(&mut posterior, start);
        assert!(found.converged);
        for (got, expected) in found.parameters.iter().zip(of("maximum")[0]) {
            assert!((got - expected).abs() < 1e-9, "{got} for {expected}");
        }
    }

    /// With many classes the search goes without the matrix and ends where Newton's own does.
    #[test]
    fn many_classes_are_searched_without_the_matrix() {
        let (items, classes) = (150, 80);
        let mut stream = crate::random::Stream::new(7);
        let (mut q, mut counts) = (Array2::zeros((items, classes)), Array2::<u32>::zeros((items, classes)));
        let mut drawn = vec![0; classes];
        for i in 0..items {
            let mut weights: Vec<f64> = (0..classes).map(|_| stream.gamma(0.3) + 1e-3).collect();
            let sum: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|w| *w /= sum);
            stream.multinomial(6, &weights, &mut drawn);
            (0..classes).for_each(|j| (q[[i, j]], counts[[i, j]]) = (weights[j], drawn[j]));
        }
        let design = Design::over(items, &[]).unwrap();
        let judged = JudgedItems { design: &design, q: q.view(), groups: &[] };
        let mut posterior = Posterior::new(&judged, counts.view(), &Options::default(), |_| true).unwrap();
        let start = posterior.start();
        let (without, with) = (maximise(&mut posterior, start.clone()), newton::maximise(&mut posterior, start));
        assert!(without.at.hessian.is_empty() && without.converged && with.converged, "{}", without.iterations);
        for (a, b) in without.parameters.iter().zip(&with.parameters) {
            assert!((a - b).abs() < 1e-6, "{a} for {b}");
        }
        let fit = posterior.conclude(vec!["intercept".to_owned()], without);
        let profile = crate::belief::profile::Profile::of_first(
            &posterior,
            &with.parameters,
            fit.regression.standard_errors()[0],
            (8f64.ln(), 3.0),
        );
        assert!(profile.at_least.is_some_and(|least| least < with.parameters[0]), "{profile:?}");
    }

    /// Products with the curvature, its diagonal, value and slope are those of the whole matrix.
    #[test]
    fn products_are_those_of_the_matrix() {
        let world = World::draw(60, 3, &[(0.5, [0.0, 0.4, -0.3]), (1.4, [0.0, -0.2, 0.1])]);
        let design = Design::raw(&world.columns).unwrap();
        let options = Options { recalibration: Recalibration::ByGroup, ridge: 0.3, ..Options::default() };
        let objective = Posterior::new(&world.items(&design), world.counts.view(), &options, |_| true).unwrap();
        let at: [f64; 8] = [1.2, -0.5, -0.4, 0.3, 0.2, 0.25, -0.6, 0.1];
        let (point, local) = (objective.at(&at), objective.local(&at).unwrap());
        let near = |a: f64, b: f64| (a - b).abs() < 1e-10 * (1.0 + b.abs());
        assert!(near(local.value, point.value));
        for a in 0..at.len() {
            assert!(near(local.gradient[a], point.gradient[a]), "gradient {a}");
            assert!(near(local.diagonal[a], point.hessian[[a, a]]), "diagonal {a}");
            let direction: Vec<f64> = (0..at.len()).map(|b| f64::from(u8::from(a == b))).collect();
            for (b, got) in (local.product)(&direction).into_iter().enumerate() {
                assert!(near(got, point.hessian[[a, b]]), "Hessian {a} {b}: {got} for {}", point.hessian[[a, b]]);
            }
        }
    }

    /// The surface may have several maxima: a search from little trust and from much must not end higher.
    #[test]
    fn small_problems_end_at_the_highest_maximum() {
        let mut lower = vec![];
        for seed in 0..400 {
            let mut stream = crate::random::Stream::new(seed);
            let (n, d, k) = (20 + 10 * (seed as usize % 4), seed as usize % 5, 2 + seed as usize % 3);
            let columns: Vec<FeatureColumn> = (0..d)
                .map(|j| FeatureColumn::complete(format!("x{j}"), (0..n).map(|_| stream.standard_normal())))
                .collect();
            let design = Design::over(n, &columns).unwrap();
            let dirichlet = |alpha: &[f64], stream: &mut crate::random::Stream| -> Vec<f64> {
                let x: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a) + 1e-9).collect();
                x.iter().map(|v| v / x.iter().sum::<f64>()).collect()
            };
            let mut q = Array2::zeros((n, k));
            let mut counts = Array2::<u32>::zeros((n, k));
            let mut drawn = vec![0; k];
            for i in 0..n {
                let prediction = dirichlet(&vec![1.0; k], &mut stream);
                let pool = dirichlet(&prediction.iter().map(|p| 6.0 * p).collect::<Vec<_>>(), &mut stream);
                let labels = stream.choice(6);
                stream.multinomial(labels, &pool, &mut drawn);
                (0..k).for_each(|j| (q[[i, j]], counts[[i, j]]) = (prediction[j], drawn[j]));
            }
            let items = JudgedItems { design: &design, q: q.view(), groups: &[] };
            let options = Options {
                recalibration: Recalibration::Off,
                ridge: 1.0,
                prior: Prior { log_trust_sd: 1.5, ..Prior::default() },
            };
            let mut posterior = Posterior::new(&items, counts.view(), &options, |_| true).unwrap();
            let start = posterior.start();
            let usual = maximise(&mut posterior, start.clone());
            for first in [-3.0, 0.0, 5.0, 9.0] {
                let mut other = start.clone();
                other[0] = first;
                let other = maximise(&mut posterior, other);
                if other.at.value > usual.at.value + 1e-8 || !usual.converged {
                    lower.push((seed, first, other.at.value - usual.at.value));
                }
            }
        }
        assert!(lower.is_empty(), "{lower:?}");
    }
}
