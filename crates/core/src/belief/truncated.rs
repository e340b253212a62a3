//! Searches that may be over many parameters: truncated Newton, without the matrix of second derivatives.

use ndarray::Array2;

use super::newton::{self, Expansion, HessianFree, MANY, Maximum, Objective, climb, dot, largest};

/// Searches end after this many steps.
const MAX_ITERATIONS: usize = 200;
/// Newton's equations are solved to this share of the gradient at first, and the better the smaller it becomes.
const LOOSEST: f64 = 0.1;

/// Newton's method; from 64 parameters on a truncated one, if the objective has products with its curvature. The
/// maximum's Hessian is then left empty.
pub(super) fn maximise(objective: &mut impl Objective, start: Vec<f64>) -> Maximum {
    if start.len() >= MANY
        && let Some(local) = objective.local(&start)
    {
        return ascend(objective, &start, local);
    }
    newton::maximise(objective, start)
}

/// Newton's method whose steps solve their equations by preconditioned conjugate gradients, with a backtracking line
/// search.
///
/// Each product of the curvature with a direction costs as much as a gradient, so a step over K biases and n items
/// takes some dozens of n K operations where the matrix takes n K^2 and its factor K^3 / 3. Where the curvature along a
/// direction is not that of a maximum the equations are left as far solved as they are. Source: Steihaug (1983), "The
/// conjugate gradient method and trust regions in large scale optimization"; Nash (2000), "A survey of truncated-Newton
/// methods".
fn ascend<'a, O: Objective>(objective: &'a O, start: &[f64], mut at: HessianFree<'a>) -> Maximum {
    let tolerance = objective.tolerance();
    let mut parameters = start.to_vec();
    let mut iterations = 0;
    loop {
        let gradient_norm = largest(&at.gradient);
        let converged = gradient_norm <= tolerance;
        if converged || iterations == MAX_ITERATIONS {
            return end(parameters, &at, iterations, converged);
        }
        let mut step = solve(&at, LOOSEST.min(gradient_norm.sqrt()));
        objective.shorten(&mut step);
        let at_trial = |trial: &[f64]| {
            let there = objective.local(trial).expect("an objective that had products has them everywhere");
            (there.value, there)
        };
        match climb(objective, at_trial, &parameters, (at.value, &at.gradient), &step) {
            Some((higher, there)) => (parameters, at) = (higher, there),
            None => return end(parameters, &at, iterations, converged),
        }
        iterations += 1;
    }
}

fn end(parameters: Vec<f64>, at: &HessianFree, iterations: usize, converged: bool) -> Maximum {
    let gradient = at.gradient.clone();
    let gradient_norm = largest(&gradient);
    let at = Expansion { value: at.value, gradient, hessian: Array2::zeros((0, 0)), at_limit: 0 };
    Maximum { parameters, at, iterations, gradient_norm, converged }
}

/// The step that minus the Hessian takes to the gradient, to a share of the gradient's length.
fn solve(at: &HessianFree, share: f64) -> Vec<f64> {
    let p = at.gradient.len();
    let steepness = at.diagonal.iter().fold(0.0_f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
    let precondition =
        |r: &[f64]| -> Vec<f64> { r.iter().zip(&at.diagonal).map(|(r, d)| r / (-d).max(1e-6 * steepness)).collect() };
    let mut residual = at.gradient.clone();
    let mut step = vec![0.0; p];
    let enough = share * dot(&residual, &residual).sqrt();
    let mut preconditioned = precondition(&residual);
    let mut direction = preconditioned.clone();
    let mut along = dot(&residual, &preconditioned);
    for k in 0..2 * p {
        let product = (at.product)(&direction);
        let curvature = -dot(&direction, &product);
        if curvature <= 1e-12 * dot(&direction, &direction) {
            return if k == 0 { direction } else { step };
        }
        let length = along / curvature;
        step.iter_mut().zip(&direction).for_each(|(s, d)| *s += length * d);
        residual.iter_mut().zip(&product).for_each(|(r, h)| *r += length * h);
        if dot(&residual, &residual).sqrt() <= enough {
            break;
        }
        preconditioned = precondition(&residual);
        let next = dot(&residual, &preconditioned);
        direction.iter_mut().zip(&preconditioned).for_each(|(d, z)| *d = z + next / along * *d);
        along = next;
    }
    step
}
