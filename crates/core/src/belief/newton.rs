//! Newton's method, as the likelihoods of the trust share it.

use std::borrow::Cow;

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, SymmetricEigen};
use ndarray::Array2;

/// From so many parameters on, the Hessian is factored rather than split into its eigenvectors, if it is that of a maximum.
pub(super) const MANY: usize = 64;
/// Curvature below this share of the largest counts as none: the direction is not identified by the labels.
const RANK_TOLERANCE: f64 = 1e-10;
/// Searches end after this many steps.
const MAX_ITERATIONS: usize = 100;

/// What is maximised, with what is peculiar to its search.
pub(super) trait Objective {
    /// Value and derivatives at some parameters.
    fn at(&self, parameters: &[f64]) -> Point;

    /// Value, slope and products with the curvature at some parameters; `None` where [`Self::at`] is what there is.
    fn local(&self, parameters: &[f64]) -> Option<Local<'_>> {
        let _ = parameters;
        None
    }

    /// The search ends where the gradient is no larger than this.
    fn tolerance(&self) -> f64;

    /// Shortens a step that would move something too far.
    fn shorten(&self, step: &mut [f64]);

    /// The size of a gradient, 0 at a maximum.
    fn size(&self, point: &Point, curvature: &Curvature) -> f64 {
        let _ = curvature;
        point.gradient_norm()
    }

    /// The point with slope and curvature along those directions only in which the objective is smooth.
    fn smooth<'a>(&self, point: &'a Point) -> Cow<'a, Point> {
        Cow::Borrowed(point)
    }

    /// Called where no share of a step leads up: whether a bend of the objective was found there, along which
    /// [`Self::smooth`] will look from now on.
    fn bends(&mut self, parameters: &[f64]) -> bool {
        let _ = parameters;
        false
    }
}

/// Where a search of another kind ended.
pub(super) struct End {
    pub(super) parameters: Vec<f64>,
    pub(super) steps: usize,
    pub(super) converged: bool,
}

/// Where a search ended.
pub(super) struct Maximum {
    pub(super) parameters: Vec<f64>,
    pub(super) at: Point,
    pub(super) iterations: usize,
    pub(super) gradient_norm: f64,
    pub(super) converged: bool,
}

/// Newton's method with a backtracking line search.
pub(super) fn maximise(objective: &mut impl Objective, start: Vec<f64>) -> Maximum {
    let tolerance = objective.tolerance();
    let mut at = objective.at(&start);
    let mut parameters = start;
    let mut iterations = 0;
    loop {
        let (gradient_norm, mut step) = {
            let smooth = objective.smooth(&at);
            let curvature = smooth.curvature();
            (objective.size(&smooth, &curvature), curvature.ascent(&smooth.gradient))
        };
        let converged = gradient_norm <= tolerance;
        let end = |parameters, at| Maximum { parameters, at, iterations, gradient_norm, converged };
        if converged || iterations == MAX_ITERATIONS {
            return end(parameters, at);
        }
        objective.shorten(&mut step);
        match climb(|trial| objective.at(trial), &parameters, (at.value, &at.gradient), &step) {
            Some((higher, there)) => (parameters, at) = (higher, there),
            None if objective.bends(&parameters) => {}
            None => return end(parameters, at),
        }
        iterations += 1;
    }
}

/// An objective and its derivatives at one point, the Hessian in full.
#[derive(Clone)]
pub(super) struct Point {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Array2<f64>,
    pub(super) at_limit: usize,
}

impl Point {
    pub(super) fn gradient_norm(&self) -> f64 {
        self.gradient.iter().fold(0.0, |m, g| g.abs().max(m))
    }

    pub(super) fn curvature(&self) -> Curvature {
        Curvature::of(self)
    }
}

impl Valued for Point {
    fn value(&self) -> f64 {
        self.value
    }
}

/// Something that has a value at a point.
pub(super) trait Valued {
    fn value(&self) -> f64;
}

/// The Hessian times a direction.
pub(super) type Product<'a> = Box<dyn Fn(&[f64]) -> Vec<f64> + 'a>;

/// An objective at one point, without the matrix of its second derivatives.
pub(super) struct Local<'a> {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// The Hessian's diagonal.
    pub(super) diagonal: Vec<f64>,
    pub(super) product: Product<'a>,
}

impl Valued for Local<'_> {
    fn value(&self) -> f64 {
        self.value
    }
}

/// A product kept as logarithm plus a factor within the range of f64, so that a sum of many logarithms costs few.
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
    #[inline]
    pub(super) fn multiply(&mut self, x: f64) {
        self.factor *= x;
        if !(1e-200..1e200).contains(&self.factor) {
            self.ln += self.factor.ln();
            self.factor = 1.0;
        }
    }

    pub(super) fn ln(&self) -> f64 {
        self.ln + self.factor.ln()
    }
}

/// Backtracks along a step until the objective rises enough; `None` where no share of the step does.
pub(super) fn climb<P: Valued>(
    objective: impl Fn(&[f64]) -> P,
    from: &[f64],
    (value, gradient): (f64, &[f64]),
    step: &[f64],
) -> Option<(Vec<f64>, P)> {
    let slope: f64 = step.iter().zip(gradient).map(|(s, g)| s * g).sum();
    // Near the maximum a full step gains less than the value's rounding; a shortened one has to gain something.
    let mut rounding = 1e-14 * value.abs();
    let mut share = 1.0;
    while share > 1e-8 {
        let trial: Vec<f64> = from.iter().zip(step).map(|(b, s)| b + share * s).collect();
        let there = objective(&trial);
        if there.value() >= value + 1e-4 * share * slope - rounding {
            return Some((trial, there));
        }
        share *= 0.5;
        rounding = 0.0;
    }
    None
}

/// Minus the Hessian, taken apart.
pub(super) enum Curvature {
    /// Eigenvalues and eigenvectors, split into directions with and without curvature.
    Spectrum(Spectrum),
    /// The factor of many parameters with curvature in every direction.
    Factor(Box<Cholesky<f64, Dyn>>),
}

impl Curvature {
    fn of(point: &Point) -> Self {
        let p = point.gradient.len();
        let minus = DMatrix::from_fn(p, p, |a, b| -point.hessian[[a, b]]);
        if p >= MANY
            && let Some(factor) = Cholesky::new(minus.clone())
        {
            return Self::Factor(Box::new(factor));
        }
        Self::Spectrum(Spectrum::of(minus))
    }

    /// Newton's step, with the absolute curvature so that it goes uphill where the likelihood is not concave.
    fn ascent(&self, gradient: &[f64]) -> Vec<f64> {
        match self {
            Self::Spectrum(spectrum) => spectrum.ascent(gradient),
            Self::Factor(factor) => factor.solve(&DVector::from_column_slice(gradient)).iter().copied().collect(),
        }
    }

    /// Largest absolute component of a gradient's part along directions with curvature.
    pub(super) fn identified_norm(&self, gradient: &[f64]) -> f64 {
        match self {
            Self::Spectrum(spectrum) => spectrum.identified_norm(gradient),
            Self::Factor(_) => gradient.iter().fold(0.0, |m, g| m.max(g.abs())),
        }
    }

    /// The (pseudo-)inverse, row by row.
    pub(super) fn covariance(&self) -> Vec<Vec<f64>> {
        match self {
            Self::Spectrum(spectrum) => spectrum.covariance(),
            Self::Factor(factor) => factor.inverse().row_iter().map(|row| row.iter().copied().collect()).collect(),
        }
    }

    /// Whether the objective falls in every direction in which it is curved: a maximum and no saddle.
    pub(super) fn is_maximum(&self) -> bool {
        match self {
            Self::Spectrum(spectrum) => spectrum.is_maximum(),
            Self::Factor(_) => true,
        }
    }

    pub(super) fn rank(&self) -> usize {
        match self {
            Self::Spectrum(spectrum) => spectrum.identified.iter().filter(|x| **x).count(),
            Self::Factor(factor) => factor.l_dirty().nrows(),
        }
    }

    /// Parameters that lie (partly) in directions without curvature.
    pub(super) fn unidentified(&self) -> Vec<usize> {
        match self {
            Self::Spectrum(spectrum) => spectrum.unidentified(),
            Self::Factor(_) => vec![],
        }
    }
}

/// Eigen-decomposition of minus the Hessian, split into directions with and without curvature.
pub(super) struct Spectrum {
    values: DVector<f64>,
    vectors: DMatrix<f64>,
    identified: Vec<bool>,
}

impl Spectrum {
    fn of(minus_hessian: DMatrix<f64>) -> Self {
        let eigen = SymmetricEigen::new(minus_hessian);
        let largest = eigen.eigenvalues.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let identified =
            eigen.eigenvalues.iter().map(|x| largest > 1e-12 && x.abs() > RANK_TOLERANCE * largest).collect();
        Self { values: eigen.eigenvalues, vectors: eigen.eigenvectors, identified }
    }

    fn directions(&self) -> impl Iterator<Item = (usize, f64)> {
        self.values.iter().copied().enumerate().filter(|(k, _)| self.identified[*k])
    }

    fn ascent(&self, gradient: &[f64]) -> Vec<f64> {
        let mut step = vec![0.0; gradient.len()];
        for (k, curvature) in self.directions() {
            let u = self.vectors.column(k);
            let along: f64 = u.iter().zip(gradient).map(|(u, g)| u * g).sum::<f64>() / curvature.abs();
            step.iter_mut().zip(u.iter()).for_each(|(s, u)| *s += along * u);
        }
        step
    }

    fn identified_norm(&self, gradient: &[f64]) -> f64 {
        let mut along = vec![0.0; gradient.len()];
        for (k, _) in self.directions() {
            let u = self.vectors.column(k);
            let share: f64 = u.iter().zip(gradient).map(|(u, g)| u * g).sum();
            along.iter_mut().zip(u.iter()).for_each(|(a, u)| *a += share * u);
        }
        along.iter().fold(0.0, |m, a| m.max(a.abs()))
    }

    fn covariance(&self) -> Vec<Vec<f64>> {
        let p = self.values.len();
        let entry = |a: usize, b: usize| {
            self.directions().map(|(k, x)| self.vectors[(a, k)] * self.vectors[(b, k)] / x).sum::<f64>()
        };
        (0..p).map(|a| (0..p).map(|b| entry(a, b)).collect()).collect()
    }

    fn is_maximum(&self) -> bool {
        self.directions().all(|(_, curvature)| curvature > 0.0)
    }

    fn unidentified(&self) -> Vec<usize> {
        let p = self.values.len();
        let share = |j: usize| -> f64 {
            (0..p).filter(|k| !self.identified[*k]).map(|k| self.vectors[(j, k)] * self.vectors[(j, k)]).sum()
        };
        (0..p).filter(|&j| share(j) > 1e-6).collect()
    }
}

/// Fills the lower triangle of a matrix from its upper one.
pub(super) fn mirror(matrix: &mut Array2<f64>) {
    for a in 0..matrix.nrows() {
        for b in 0..a {
            matrix[[a, b]] = matrix[[b, a]];
        }
    }
}
