//! Newton's method, as the likelihoods of the trust share it.

use std::borrow::Cow;

use multiversion::multiversion;
use nalgebra::{Cholesky, DMatrix, DVector, DVectorView, Dyn, SymmetricEigen};
use ndarray::{Array2, ArrayViewMut2};

/// From so many parameters on, the Hessian is factored rather than split into its eigenvectors, if it is that of a
/// maximum.
pub(super) const MANY: usize = 64;
/// Curvature below this share of the largest counts as none: the direction is not identified by the labels.
const RANK_TOLERANCE: f64 = 1e-10;
/// Searches end after this many steps.
const MAX_ITERATIONS: usize = 100;

/// What is maximised, with what is peculiar to its search.
pub(super) trait Objective {
    /// Value and derivatives at some parameters.
    fn at(&self, parameters: &[f64]) -> Expansion;

    /// The search ends where the gradient is at most this.
    fn tolerance(&self) -> f64;

    /// Shortens a step that would move something too far.
    fn shorten(&self, step: &mut [f64]);

    /// The search ends after so many steps by which neither the objective rose beyond rounding nor its slope fell by a
    /// hundredth.
    fn most_idle(&self) -> usize {
        MAX_ITERATIONS
    }

    /// The size of a gradient, 0 at a maximum.
    fn size(&self, point: &Expansion, curvature: &Curvature) -> f64 {
        let _ = curvature;
        point.gradient_norm()
    }

    /// The point with slope and curvature along those directions only in which the objective is smooth.
    fn smooth<'a>(&self, point: &'a Expansion) -> Cow<'a, Expansion> {
        Cow::Borrowed(point)
    }

    /// Called where no share of a step leads up: whether a bend of the objective was found there, along which
    /// [`Self::smooth`] will look from now on.
    fn bends(&mut self, parameters: &[f64]) -> bool {
        let _ = parameters;
        false
    }
}

/// Where a search ended.
pub(super) struct Maximum {
    pub(super) parameters: Vec<f64>,
    pub(super) at: Expansion,
    pub(super) iterations: usize,
    pub(super) gradient_norm: f64,
    pub(super) converged: bool,
}

/// Newton's method with a backtracking line search.
pub(super) fn maximise(objective: &mut impl Objective, start: Vec<f64>) -> Maximum {
    maximise_with_curvature(objective, start).0
}

/// [`maximise`], with the curvature at the end along directions in which the objective is smooth.
pub(super) fn maximise_with_curvature(objective: &mut impl Objective, start: Vec<f64>) -> (Maximum, Curvature) {
    let tolerance = objective.tolerance();
    let mut at = objective.at(&start);
    let mut parameters = start;
    let mut iterations = 0;
    let (mut highest, mut least, mut idle) = (f64::NEG_INFINITY, f64::INFINITY, 0);
    loop {
        let (curvature, gradient_norm, mut step) = {
            let smooth = objective.smooth(&at);
            let curvature = smooth.curvature();
            let step = curvature.ascent(&smooth.gradient);
            let gradient_norm = objective.size(&smooth, &curvature);
            (curvature, gradient_norm, step)
        };
        let converged = gradient_norm <= tolerance;
        let gains = at.value > highest + 1e-14 * highest.abs() || gradient_norm < 0.99 * least;
        idle = if gains || iterations == 0 { 0 } else { idle + 1 };
        (highest, least) = (highest.max(at.value), least.min(gradient_norm));
        if converged || iterations == MAX_ITERATIONS || idle == objective.most_idle() {
            return (Maximum { parameters, at, iterations, gradient_norm, converged }, curvature);
        }
        objective.shorten(&mut step);
        match climb(objective, &parameters, &at, &step) {
            Some((higher, there)) => (parameters, at) = (higher, there),
            None if objective.bends(&parameters) => {}
            None => return (Maximum { parameters, at, iterations, gradient_norm, converged }, curvature),
        }
        iterations += 1;
    }
}

/// An objective and its derivatives at one point, the Hessian in full.
#[derive(Clone)]
pub(super) struct Expansion {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Array2<f64>,
}

impl Expansion {
    /// From the upper triangle of the Hessian, row by row.
    pub(super) fn of_triangle(value: f64, gradient: Vec<f64>, triangle: &[f64]) -> Self {
        let p = gradient.len();
        let hessian = Array2::from_shape_fn((p, p), |(a, b)| triangle[a.min(b) * p + a.max(b)]);
        Self { value, gradient, hessian }
    }

    pub(super) fn gradient_norm(&self) -> f64 {
        largest(&self.gradient)
    }

    pub(super) fn curvature(&self) -> Curvature {
        Curvature::new(self)
    }
}

/// A product kept as a logarithm plus a factor within the range of f64, so that a sum of many logarithms costs few.
pub(super) struct LogProduct {
    ln: f64,
    factor: f64,
}

impl Default for LogProduct {
    fn default() -> Self {
        Self { ln: 0.0, factor: 1.0 }
    }
}

impl LogProduct {
    /// Multiplies it by a factor.
    #[inline]
    pub(super) fn multiply(&mut self, by: f64) {
        self.factor *= by;
        if !(1e-200..1e200).contains(&self.factor) {
            self.ln += std::mem::replace(&mut self.factor, 1.0).ln();
        }
    }

    /// Multiplies it by e to a power.
    pub(super) fn add(&mut self, power: f64) {
        self.ln += power;
    }

    /// The logarithm.
    pub(super) fn ln(&self) -> f64 {
        self.ln + self.factor.ln()
    }
}

/// Backtracks along a step until the objective rises enough; `None` where no share of the step does.
fn climb(objective: &impl Objective, from: &[f64], here: &Expansion, step: &[f64]) -> Option<(Vec<f64>, Expansion)> {
    let slope = dot(step, &here.gradient);
    // Near the maximum a full step gains less than the value's rounding; a shortened one has to gain something.
    let mut rounding = 1e-14 * here.value.abs();
    let mut share = 1.0;
    while share > 1e-8 {
        let trial: Vec<f64> = from.iter().zip(step).map(|(b, s)| b + share * s).collect();
        let there = objective.at(&trial);
        if there.value >= here.value + 1e-4 * share * slope - rounding {
            return Some((trial, there));
        }
        share *= 0.5;
        rounding = 0.0;
    }
    None
}

/// The sum of products.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The largest absolute value.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| x.abs().max(m))
}

/// Minus the Hessian, taken apart.
pub(super) enum Curvature {
    /// Eigenvalues and eigenvectors, and which of these directions have curvature.
    Spectrum { values: DVector<f64>, vectors: DMatrix<f64>, identified: Vec<bool> },
    /// The factor of many parameters with curvature in every direction.
    Factor(Box<Cholesky<f64, Dyn>>),
}

impl Curvature {
    fn new(point: &Expansion) -> Self {
        let p = point.gradient.len();
        // Of a symmetric matrix rows are columns, and they are read as they lie.
        let minus = || DMatrix::from_fn(p, p, |a, b| -point.hessian[[b, a]]);
        if p >= MANY
            && let Some(factor) = Cholesky::new(minus())
        {
            return Self::Factor(Box::new(factor));
        }
        let eigen = SymmetricEigen::new(minus());
        let largest = eigen.eigenvalues.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let is_curved = |x: &f64| largest > 1e-12 && x.abs() > RANK_TOLERANCE * largest;
        let identified = eigen.eigenvalues.iter().map(is_curved).collect();
        Self::Spectrum { values: eigen.eigenvalues, vectors: eigen.eigenvectors, identified }
    }

    /// Directions with curvature, each with its own; none of a factor.
    fn directions(&self) -> impl Iterator<Item = (DVectorView<'_, f64>, f64)> {
        let spectrum = match self {
            Self::Spectrum { values, vectors, identified } => Some((values, vectors, identified)),
            Self::Factor(_) => None,
        };
        spectrum.into_iter().flat_map(|(values, vectors, identified)| {
            let curved = (0..values.len()).filter(|&k| identified[k]);
            curved.map(|k| (vectors.column(k), values[k]))
        })
    }

    /// Newton's step, with the absolute curvature so that it goes uphill where the likelihood is not concave.
    fn ascent(&self, gradient: &[f64]) -> Vec<f64> {
        if let Self::Factor(factor) = self {
            return factor.solve(&DVector::from_column_slice(gradient)).iter().copied().collect();
        }
        let mut step = vec![0.0; gradient.len()];
        for (u, curvature) in self.directions() {
            let along: f64 = u.iter().zip(gradient).map(|(u, g)| u * g).sum::<f64>() / curvature.abs();
            step.iter_mut().zip(u.iter()).for_each(|(s, u)| *s += along * u);
        }
        step
    }

    /// Largest absolute component of a gradient's part along directions with curvature.
    pub(super) fn identified_norm(&self, gradient: &[f64]) -> f64 {
        if let Self::Factor(_) = self {
            return largest(gradient);
        }
        let mut along = vec![0.0; gradient.len()];
        for (u, _) in self.directions() {
            let share: f64 = u.iter().zip(gradient).map(|(u, g)| u * g).sum();
            along.iter_mut().zip(u.iter()).for_each(|(a, u)| *a += share * u);
        }
        largest(&along)
    }

    /// The (pseudo-)inverse, row by row.
    pub(super) fn covariance(&self) -> Vec<Vec<f64>> {
        match self {
            Self::Spectrum { values, .. } => {
                let entry = |a: usize, b: usize| self.directions().map(|(u, x)| u[a] * u[b] / x).sum::<f64>();
                (0..values.len()).map(|a| (0..values.len()).map(|b| entry(a, b)).collect()).collect()
            }
            Self::Factor(factor) => {
                let columns: Vec<DVector<f64>> = inverse_columns(factor).collect();
                let entry = |a: usize, b: usize| columns[b].dot(&columns[a].rows(b - a, columns[b].len()));
                let p = columns.len();
                (0..p).map(|a| (0..p).map(|b| entry(a.min(b), a.max(b))).collect()).collect()
            }
        }
    }

    /// The diagonal of [`Self::covariance`], at a fraction of its cost where there are many parameters.
    pub(super) fn variances(&self) -> Vec<f64> {
        match self {
            Self::Spectrum { values, .. } => {
                (0..values.len()).map(|a| self.directions().map(|(u, x)| u[a] * u[a] / x).sum()).collect()
            }
            Self::Factor(factor) => inverse_columns(factor).map(|column| column.norm_squared()).collect(),
        }
    }

    /// Whether the objective falls in every direction in which it is curved: a maximum and no saddle.
    pub(super) fn is_maximum(&self) -> bool {
        self.directions().all(|(_, curvature)| curvature > 0.0)
    }

    pub(super) fn rank(&self) -> usize {
        match self {
            Self::Spectrum { .. } => self.directions().count(),
            Self::Factor(factor) => factor.l_dirty().nrows(),
        }
    }

    /// Parameters that lie (partly) in directions without curvature.
    pub(super) fn unidentified(&self) -> Vec<usize> {
        let Self::Spectrum { values, vectors, identified } = self else { return vec![] };
        let flat = || (0..values.len()).filter(|k| !identified[*k]);
        let share = |j: usize| flat().map(|k| vectors[(j, k)] * vectors[(j, k)]).sum::<f64>();
        (0..values.len()).filter(|&j| share(j) > 1e-6).collect()
    }
}

/// The columns of the inverse of a factor L, each from its diagonal on.
fn inverse_columns(factor: &Cholesky<f64, Dyn>) -> impl Iterator<Item = DVector<f64>> {
    let l = factor.l_dirty();
    let p = l.nrows();
    (0..p).map(move |k| {
        let mut column = DVector::zeros(p - k);
        column[0] = 1.0;
        l.view((k, k), (p - k, p - k)).solve_lower_triangular_mut(&mut column);
        column
    })
}

/// Adds so many times some numbers, in the widest registers that the processor has.
#[multiversion(targets("x86_64+avx2"))]
pub(super) fn add_times(to: &mut [f64], times: f64, numbers: &[f64]) {
    for (to, x) in to.iter_mut().zip(numbers) {
        *to += times * x;
    }
}

/// Fills the lower triangle of a matrix from its upper one.
pub(super) fn mirror(mut matrix: ArrayViewMut2<f64>) {
    for a in 0..matrix.nrows() {
        for b in 0..a {
            matrix[[a, b]] = matrix[[b, a]];
        }
    }
}
