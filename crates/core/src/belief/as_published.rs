//! The kind of search that the published fits were made with: a diagnostic, not how anything is fitted here.

use ndarray::ArrayView2;

use super::design::Design;
use super::newton::{Maximum, dot, largest};
use super::prior::START_TRUST;
use super::trust::{LabelLikelihood, TrustError, TrustFit, fit_trusts};

/// Pairs of steps and slope changes that the search remembers.
const MEMORY: usize = 10;
/// Step of the forward differences that stand for the slope.
const DIFFERENCE: f64 = 1e-8;
/// The search ends where no component of the slope is larger.
const SLOPE: f64 = 1e-5;
/// Or where a step lowers the objective by no more than this share of it.
const FALL: f64 = 2.220_446_049_250_313e-9;
/// Evaluations within one line search.
const MOST_TRIALS: usize = 20;
/// Steps of a search.
const MOST_STEPS: usize = 15_000;

/// How the trust of the paper's experiments is fitted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum TrustSearch {
    /// At the optimum of the likelihood ([`super::fit_trust`]).
    #[default]
    Optimum,
    /// Where the published kind of search ends ([`fit_trust_as_published`]).
    AsPublished(AsPublished),
}

impl TrustSearch {
    /// The fit.
    ///
    /// # Errors
    /// As [`super::fit_trust`].
    pub fn fit(self, design: &Design, q: ArrayView2<f64>, counts: ArrayView2<u32>) -> Result<TrustFit, TrustError> {
        Ok(self.fit_each(&[design], q, counts)?.remove(0))
    }

    /// The fit under each of several designs of the same items.
    ///
    /// # Errors
    /// As [`super::fit_trust`].
    pub fn fit_each(
        self,
        designs: &[&Design],
        q: ArrayView2<f64>,
        counts: ArrayView2<u32>,
    ) -> Result<Vec<TrustFit>, TrustError> {
        match self {
            Self::Optimum => fit_trusts(designs, q, counts),
            Self::AsPublished(search) => {
                designs.iter().map(|design| fit_trust_as_published(search, design, q, counts)).collect()
            }
        }
    }
}

/// What may be varied about the search: none of it is known of the published fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AsPublished {
    /// Step of the forward differences.
    pub difference: f64,
    /// Largest component of the slope at which the search ends.
    pub slope: f64,
    /// Fall of the objective, as a share of it, at which the search ends.
    pub fall: f64,
}

impl Default for AsPublished {
    /// SciPy's defaults: differences of 1e-8, an end at a slope of 1e-5 or a fall of 2.2e-9.
    fn default() -> Self {
        Self { difference: DIFFERENCE, slope: SLOPE, fall: FALL }
    }
}

/// [`super::fit_trust`] by the kind of search that the published numbers come from: a quasi-Newton search with numeric
/// gradients, from a trust of 8 labels and zeros (the paper's likelihood in log-gamma functions, to be minimised).
///
/// It follows L-BFGS-B as SciPy ships it (`minimize(method="L-BFGS-B")`, defaults) in the case without bounds: ten
/// pairs of memory, forward differences, the line search of Moré and Thuente. It ends within about 1e-4 of the optimum,
/// and where exactly depends on the last bits of the objective, so two such searches differ by that much too. The fit
/// says `converged` if the search ended by itself; its other figures are those of the likelihood at its end.
///
/// Sources: Byrd, Lu, Nocedal and Zhu (1995), "A limited memory algorithm for bound constrained optimization"; Moré and
/// Thuente (1994), "Line search algorithms with guaranteed sufficient decrease".
///
/// # Errors
/// As [`super::fit_trust`].
pub fn fit_trust_as_published(
    search: AsPublished,
    design: &Design,
    q: ArrayView2<f64>,
    counts: ArrayView2<u32>,
) -> Result<TrustFit, TrustError> {
    let likelihood = LabelLikelihood::new(design, q, counts)?;
    let mut start = vec![0.0; design.features() + 1];
    start[0] = START_TRUST.ln();
    let objective = |beta: &[f64]| -likelihood.in_log_gamma(beta);
    let (parameters, iterations, converged) = minimise(&search, &objective, start);
    let at = likelihood.at(&parameters);
    let maximum = Maximum { gradient_norm: at.gradient_norm(), parameters, at, iterations, converged };
    Ok(likelihood.fitted(design, maximum))
}

/// A point with the objective and its slope.
#[derive(Clone)]
struct SearchPoint {
    x: Vec<f64>,
    f: f64,
    g: Vec<f64>,
}

impl SearchPoint {
    fn at(objective: &dyn Fn(&[f64]) -> f64, x: Vec<f64>, difference: f64) -> Self {
        let f = objective(&x);
        let slope = |i: usize| {
            let mut there = x.clone();
            there[i] += difference;
            (objective(&there) - f) / (there[i] - x[i])
        };
        let g = (0..x.len()).map(slope).collect();
        Self { x, f, g }
    }

    fn steepest(&self) -> f64 {
        largest(&self.g)
    }
}

/// Where the search ends, after how many steps, and whether by itself.
fn minimise(search: &AsPublished, objective: &dyn Fn(&[f64]) -> f64, start: Vec<f64>) -> (Vec<f64>, usize, bool) {
    let mut here = SearchPoint::at(objective, start, search.difference);
    let mut memory = StepMemory::default();
    let mut steps = 0;
    if here.steepest() <= search.slope {
        return (here.x, steps, true);
    }
    while steps < MOST_STEPS {
        let direction = memory.direction(&here.g);
        let first = if steps == 0 { 1.0 / dot(&direction, &direction).sqrt() } else { 1.0 };
        let at = |step: f64| {
            let x = here.x.iter().zip(&direction).map(|(x, d)| x + step * d).collect();
            SearchPoint::at(objective, x, search.difference)
        };
        let Some((step, there)) = line_search(&here, &direction, first, at) else {
            if memory.pairs.is_empty() {
                return (here.x, steps, false);
            }
            memory = StepMemory::default();
            continue;
        };
        steps += 1;
        let fall = (here.f - there.f) / here.f.abs().max(there.f.abs()).max(1.0);
        let over = there.steepest() <= search.slope || fall <= search.fall;
        memory.remember(&here, &there, &direction, step);
        here = there;
        if over {
            return (here.x, steps, true);
        }
    }
    (here.x, steps, false)
}

/// The last steps with the changes of the slope along them.
#[derive(Default)]
struct StepMemory {
    pairs: Vec<(Vec<f64>, Vec<f64>)>,
}

impl StepMemory {
    /// Minus the slope times the inverse of the curvature that the pairs tell of.
    fn direction(&self, slope: &[f64]) -> Vec<f64> {
        let mut d: Vec<f64> = slope.iter().map(|g| -g).collect();
        let mut shares = vec![];
        for (s, y) in self.pairs.iter().rev() {
            let share = dot(s, &d) / dot(s, y);
            d.iter_mut().zip(y).for_each(|(d, y)| *d -= share * y);
            shares.push(share);
        }
        if let Some((s, y)) = self.pairs.last() {
            let scale = dot(s, y) / dot(y, y);
            d.iter_mut().for_each(|d| *d *= scale);
        }
        for ((s, y), share) in self.pairs.iter().zip(shares.iter().rev()) {
            let more = share - dot(y, &d) / dot(s, y);
            d.iter_mut().zip(s).for_each(|(d, s)| *d += more * s);
        }
        d
    }

    fn remember(&mut self, here: &SearchPoint, there: &SearchPoint, direction: &[f64], step: f64) {
        let s: Vec<f64> = direction.iter().map(|d| step * d).collect();
        let y: Vec<f64> = there.g.iter().zip(&here.g).map(|(there, here)| there - here).collect();
        if dot(&s, &y) > -f64::EPSILON * dot(&s, &here.g) {
            if self.pairs.len() == MEMORY {
                self.pairs.remove(0);
            }
            self.pairs.push((s, y));
        }
    }
}

/// A step with objective and slope along the direction.
#[derive(Debug, Clone, Copy)]
struct Trial {
    step: f64,
    f: f64,
    g: f64,
}

impl Trial {
    /// This trial, less a line through the start.
    fn less(self, slope: f64) -> Self {
        Self { f: self.f - self.step * slope, g: self.g - slope, ..self }
    }
}

/// The line search of Moré and Thuente: the step that falls enough and whose slope is small enough, with where it
/// leads.
fn line_search(
    here: &SearchPoint,
    direction: &[f64],
    first: f64,
    at: impl Fn(f64) -> SearchPoint,
) -> Option<(f64, SearchPoint)> {
    const ENOUGH: f64 = 1e-3;
    const FLAT: f64 = 0.9;
    const NARROW: f64 = 0.1;
    const LONGEST: f64 = 1e10;
    let down = dot(&here.g, direction);
    if down >= 0.0 {
        return None;
    }
    let line = ENOUGH * down;
    let mut interval = Bracket {
        best: Trial { step: 0.0, f: here.f, g: down },
        other: Trial { step: 0.0, f: here.f, g: down },
        bracketed: false,
    };
    let (mut least, mut most) = (0.0, first + 4.0 * first);
    let (mut width, mut width_before) = (LONGEST, 2.0 * LONGEST);
    let (mut step, mut modified) = (first, true);
    for _ in 0..MOST_TRIALS {
        let there = at(step);
        let trial = Trial { step, f: there.f, g: dot(&there.g, direction) };
        let bound = here.f + step * line;
        if modified && trial.f <= bound && trial.g >= ENOUGH.min(FLAT) * down {
            modified = false;
        }
        let stuck = interval.bracketed && (step <= least || step >= most || most - least <= NARROW * most);
        if stuck || trial.f <= bound && trial.g.abs() <= -FLAT * down {
            return Some((step, there));
        }
        step = if modified && trial.f <= interval.best.f && trial.f > bound {
            let mut less = Bracket {
                best: interval.best.less(line),
                other: interval.other.less(line),
                bracketed: interval.bracketed,
            };
            let next = less.next(trial.less(line), least, most);
            interval =
                Bracket { best: less.best.less(-line), other: less.other.less(-line), bracketed: less.bracketed };
            next
        } else {
            interval.next(trial, least, most)
        };
        let (a, b) = (interval.best.step, interval.other.step);
        if interval.bracketed {
            if (b - a).abs() >= 0.66 * width_before {
                step = a + 0.5 * (b - a);
            }
            width_before = width;
            width = (b - a).abs();
            (least, most) = (a.min(b), a.max(b));
        } else {
            (least, most) = (step + 1.1 * (step - a), step + 4.0 * (step - a));
        }
        step = step.clamp(0.0, LONGEST);
        if interval.bracketed && (step <= least || step >= most || most - least <= NARROW * most) {
            step = a;
        }
    }
    None
}

/// Where the step that is sought lies.
#[derive(Debug, Clone, Copy)]
struct Bracket {
    /// The trial with the lowest objective.
    best: Trial,
    /// The other end.
    other: Trial,
    /// Whether a minimum lies between the two.
    bracketed: bool,
}

impl Bracket {
    /// Takes a trial in and says which step to try next.
    fn next(&mut self, trial: Trial, least: f64, most: f64) -> f64 {
        let Self { best, other, bracketed } = *self;
        let turned = trial.g * (best.g / best.g.abs()) < 0.0;
        let theta = 3.0 * (best.f - trial.f) / (trial.step - best.step) + best.g + trial.g;
        let scale = theta.abs().max(best.g.abs()).max(trial.g.abs());
        let square = (theta / scale) * (theta / scale) - (best.g / scale) * (trial.g / scale);
        let next = if trial.f > best.f {
            let gamma = scale * square.sqrt() * if trial.step < best.step { -1.0 } else { 1.0 };
            let r = ((gamma - best.g) + theta) / (((gamma - best.g) + gamma) + trial.g);
            let cubic = best.step + r * (trial.step - best.step);
            let quadratic = best.step
                + ((best.g / ((best.f - trial.f) / (trial.step - best.step) + best.g)) / 2.0)
                    * (trial.step - best.step);
            self.bracketed = true;
            if (cubic - best.step).abs() < (quadratic - best.step).abs() {
                cubic
            } else {
                cubic + (quadratic - cubic) / 2.0
            }
        } else if turned {
            let gamma = scale * square.sqrt() * if trial.step > best.step { -1.0 } else { 1.0 };
            let r = ((gamma - trial.g) + theta) / (((gamma - trial.g) + gamma) + best.g);
            let cubic = trial.step + r * (best.step - trial.step);
            let secant = trial.step + (trial.g / (trial.g - best.g)) * (best.step - trial.step);
            self.bracketed = true;
            if (cubic - trial.step).abs() > (secant - trial.step).abs() { cubic } else { secant }
        } else if trial.g.abs() < best.g.abs() {
            let gamma = scale * square.max(0.0).sqrt() * if trial.step > best.step { -1.0 } else { 1.0 };
            let r = ((gamma - trial.g) + theta) / ((gamma + (best.g - trial.g)) + gamma);
            let cubic = if r < 0.0 && gamma != 0.0 {
                trial.step + r * (best.step - trial.step)
            } else if trial.step > best.step {
                most
            } else {
                least
            };
            let secant = trial.step + (trial.g / (trial.g - best.g)) * (best.step - trial.step);
            let nearer = (cubic - trial.step).abs() < (secant - trial.step).abs();
            if bracketed {
                let next = if nearer { cubic } else { secant };
                let limit = trial.step + 0.66 * (other.step - trial.step);
                if trial.step > best.step { next.min(limit) } else { next.max(limit) }
            } else {
                (if nearer { secant } else { cubic }).clamp(least, most)
            }
        } else if bracketed {
            let theta = 3.0 * (trial.f - other.f) / (other.step - trial.step) + other.g + trial.g;
            let scale = theta.abs().max(other.g.abs()).max(trial.g.abs());
            let square = (theta / scale) * (theta / scale) - (other.g / scale) * (trial.g / scale);
            let gamma = scale * square.sqrt() * if trial.step > other.step { -1.0 } else { 1.0 };
            let r = ((gamma - trial.g) + theta) / (((gamma - trial.g) + gamma) + other.g);
            trial.step + r * (other.step - trial.step)
        } else if trial.step > best.step {
            most
        } else {
            least
        };
        if trial.f > best.f {
            self.other = trial;
        } else {
            if turned {
                self.other = best;
            }
            self.best = trial;
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The valley of Rosenbrock. SciPy 1.17.1 ends at (0.99999622, 0.99999253) after 36 steps
    /// (`minimize(rosen, [-1.2, 1], method="L-BFGS-B")`).
    #[test]
    fn a_bent_valley_is_followed_to_its_end() {
        let valley = |x: &[f64]| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2);
        let (parameters, steps, converged) = minimise(&AsPublished::default(), &valley, vec![-1.2, 1.0]);
        // The last bits of the differences that stand for slopes decide on one step more, and on the sixth digit of
        // where it ends.
        assert!(converged && steps.abs_diff(36) <= 1, "{steps}");
        let scipy = [0.999_996_22, 0.999_992_53];
        assert!(parameters.iter().zip(scipy).all(|(x, s)| (x - s).abs() < 3e-6), "{parameters:?}");
    }

    #[test]
    fn a_minimum_at_the_start_takes_no_step() {
        let bowl = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() * 1e-4;
        let (_, steps, converged) = minimise(&AsPublished::default(), &bowl, vec![0.0, 0.0]);
        assert!(converged && steps == 0);
    }
}
