//! The search by which the paper's trust was fitted: BFGS without a gradient.

/// Step of the forward differences that approximate the slope: the square root of the machine epsilon.
const DIFFERENCE: f64 = 1.490_116_119_384_765_6e-8;
/// The search ends where no component of the slope is larger.
const FLAT: f64 = 1e-5;
/// Share of the initial slope by which a step has to lower the objective (Wolfe's first condition).
const ENOUGH: f64 = 1e-4;
/// Share of the initial slope that may be left at a step's end (Wolfe's second condition).
const CURVED: f64 = 0.9;
/// Shortest and longest step, and how near to each other the ends of an interval may come.
const SHORTEST: f64 = 1e-100;
const LONGEST: f64 = 1e100;
const NARROW: f64 = 1e-14;
/// Trials of the two line searches.
const MOST_TRIALS: [usize; 2] = [100, 10];

/// Where a search ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The parameters.
    pub x: Vec<f64>,
    /// The objective there.
    pub f: f64,
    /// Steps of the search.
    pub steps: usize,
    /// Whether the slope vanished; otherwise no step could be found that lowers the objective enough.
    pub converged: bool,
}

/// Minimises `objective` from `start` by BFGS with a dense inverse Hessian that starts as the identity, forward
/// differences of 1.49e-8 for the slope, and steps that meet the strong Wolfe conditions with c1 = 1e-4, c2 = 0.9.
///
/// A step is sought by the method of Moré and Thuente, and if that fails by bracketing and zooming. The settings, and
/// the first trial of each step, min(1, 2.02 x last fall / slope), are those of SciPy's `minimize(method="BFGS")`, whose
/// figures the tests hold. Near a minimum the differences are rounding, so the search usually ends because no step meets
/// the conditions, some 1e-5 from the minimum; where exactly depends on the last bits of the objective.
///
/// Sources: Nocedal and Wright (2006), Numerical Optimization, algorithms 6.1, 3.5 and 3.6; Moré and Thuente (1994),
/// Line search algorithms with guaranteed sufficient decrease.
pub fn minimise(objective: &dyn Fn(&[f64]) -> f64, start: Vec<f64>) -> Minimum {
    let n = start.len();
    let mut inverse: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
    let (mut x, mut f) = (start.clone(), objective(&start));
    let mut g = slope(objective, &x, f);
    let mut f_before = f + dot(&g, &g).sqrt() / 2.0;
    let mut steps = 0;
    let end = |x, f, steps, converged| Minimum { x, f, steps, converged };
    while largest(&g) > FLAT {
        if steps == 200 * n {
            return end(x, f, steps, false);
        }
        let direction: Vec<f64> = inverse.iter().map(|row| -dot_from_last(row, &g)).collect();
        let line = Line { objective, x: &x, direction: &direction };
        let zero = Trial { step: 0.0, f, g: dot(&g, &direction) };
        let first = 2.02 * (f - f_before) / zero.g;
        let first = if first < 0.0 { 1.0 } else { first.min(1.0) };
        let Some((step, there)) = more_thuente(&line, zero, first).or_else(|| bracket(&line, zero, first)) else {
            return end(x, f, steps, false);
        };
        let s: Vec<f64> = direction.iter().map(|d| step * d).collect();
        let y: Vec<f64> = there.g.iter().zip(&g).map(|(there, here)| there - here).collect();
        (f_before, f, g, x) = (f, there.f, there.g, there.x);
        steps += 1;
        if !f.is_finite() {
            return end(x, f, steps, false);
        }
        let curvature = dot(&y, &s);
        update(&mut inverse, &s, &y, if curvature == 0.0 { 1000.0 } else { 1.0 / curvature });
    }
    end(x, f, steps, true)
}

/// The BFGS formula, (I - r s y') H (I - r y s') + r s s' with r = 1 / y's.
fn update(inverse: &mut Vec<Vec<f64>>, s: &[f64], y: &[f64], r: f64) {
    let n = s.len();
    let matrix = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    };
    let times =
        |a: &[Vec<f64>], b: &[Vec<f64>]| matrix(&|i, j| (0..n).fold(0.0, |sum, k| a[i][k].mul_add(b[k][j], sum)));
    let left = matrix(&|i, j| f64::from(i == j) - s[i] * y[j] * r);
    let right = matrix(&|i, j| f64::from(i == j) - y[i] * s[j] * r);
    let both = times(&left, &times(inverse, &right));
    *inverse = matrix(&|i, j| both[i][j] + r * s[i] * s[j]);
}

/// Products are added to the sum without being rounded, as the routines below NumPy do it.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
}

/// [`dot`] from the last product on: the order in which a matrix of two rows is applied to two numbers.
fn dot_from_last(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).rev().fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
}

fn largest(g: &[f64]) -> f64 {
    g.iter().fold(0.0, |most, g| most.max(g.abs()))
}

/// The slope by forward differences.
fn slope(objective: &dyn Fn(&[f64]) -> f64, x: &[f64], f: f64) -> Vec<f64> {
    let mut there = x.to_vec();
    let mut along = |i: usize| {
        there[i] = x[i] + DIFFERENCE;
        let g = (objective(&there) - f) / (there[i] - x[i]);
        there[i] = x[i];
        g
    };
    (0..x.len()).map(&mut along).collect()
}

/// A point with objective and slope.
struct Point {
    x: Vec<f64>,
    f: f64,
    g: Vec<f64>,
}

/// The objective along a direction.
struct Line<'a> {
    objective: &'a dyn Fn(&[f64]) -> f64,
    x: &'a [f64],
    direction: &'a [f64],
}

impl Line<'_> {
    fn value(&self, step: f64) -> (Vec<f64>, f64) {
        let x: Vec<f64> = self.x.iter().zip(self.direction).map(|(x, d)| x + step * d).collect();
        let f = (self.objective)(&x);
        (x, f)
    }

    /// A point on the line with its slope, and the trial that it is.
    fn with_slope(&self, step: f64, (x, f): (Vec<f64>, f64)) -> (Trial, Point) {
        let g = slope(self.objective, &x, f);
        (Trial { step, f, g: dot(&g, self.direction) }, Point { x, f, g })
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

    fn falls_enough(self, zero: Self) -> bool {
        self.f <= zero.f + ENOUGH * self.step * zero.g
    }

    fn is_flat(self, zero: Self) -> bool {
        self.g.abs() <= -CURVED * zero.g
    }
}

/// The line search of Moré and Thuente; `None` where rounding ends it first.
fn more_thuente(line: &Line, zero: Trial, first: f64) -> Option<(f64, Point)> {
    if zero.g >= 0.0 {
        return None;
    }
    let enough = ENOUGH * zero.g;
    let mut interval = Interval { best: zero, other: zero, bracketed: false };
    let (mut least, mut most) = (0.0, first + 4.0 * first);
    let (mut width, mut width_before) = (LONGEST - SHORTEST, 2.0 * (LONGEST - SHORTEST));
    let (mut step, mut modified) = (first, true);
    for _ in 0..MOST_TRIALS[0] {
        let (trial, there) = line.with_slope(step, line.value(step));
        let bound = zero.f + step * enough;
        modified &= !(trial.f <= bound && trial.g >= 0.0);
        if trial.f <= bound && trial.is_flat(zero) {
            return Some((step, there));
        }
        let is_stuck = |bracketed: bool, step: f64, least: f64, most: f64| {
            bracketed && (step <= least || step >= most || most - least <= NARROW * most)
        };
        if is_stuck(interval.bracketed, step, least, most) || !trial.f.is_finite() {
            return None;
        }
        step = if modified && trial.f <= interval.best.f && trial.f > bound {
            let mut less =
                Interval { best: interval.best.less(enough), other: interval.other.less(enough), ..interval };
            let next = less.next(trial.less(enough), least, most);
            interval = Interval { best: less.best.less(-enough), other: less.other.less(-enough), ..less };
            next
        } else {
            interval.next(trial, least, most)
        };
        let (a, b) = (interval.best.step, interval.other.step);
        if interval.bracketed {
            if (b - a).abs() >= 0.66 * width_before {
                step = a + 0.5 * (b - a);
            }
            (width_before, width) = (width, (b - a).abs());
            (least, most) = (a.min(b), a.max(b));
        } else {
            (least, most) = (step + 1.1 * (step - a), step + 4.0 * (step - a));
        }
        step = step.clamp(SHORTEST, LONGEST);
        if is_stuck(interval.bracketed, step, least, most) {
            step = a;
        }
    }
    None
}

/// Where the step that is sought lies.
#[derive(Debug, Clone, Copy)]
struct Interval {
    /// The trial with the lowest objective.
    best: Trial,
    /// The other end.
    other: Trial,
    /// Whether a minimum lies between the two.
    bracketed: bool,
}

impl Interval {
    /// Takes a trial in and says which step to try next, by cubic and quadratic interpolation.
    fn next(&mut self, trial: Trial, least: f64, most: f64) -> f64 {
        let Self { best, other, bracketed } = *self;
        let turned = trial.g * best.g.signum() < 0.0;
        // The cubic through two trials: its coefficients theta and gamma.
        let cubic_of = |a: Trial, b: Trial, ends: (f64, f64), keep: bool| {
            let theta = 3.0 * (a.f - b.f) / (b.step - a.step) + ends.0 + ends.1;
            let scale = theta.abs().max(a.g.abs()).max(b.g.abs());
            let square = (theta / scale) * (theta / scale) - (a.g / scale) * (b.g / scale);
            (theta, scale * if keep { square } else { square.max(0.0) }.sqrt())
        };
        let (theta, gamma) = cubic_of(best, trial, (best.g, trial.g), trial.f > best.f || turned);
        let secant = trial.step + (trial.g / (trial.g - best.g)) * (best.step - trial.step);
        let next = if trial.f > best.f {
            let gamma = if trial.step < best.step { -gamma } else { gamma };
            let r = ((gamma - best.g) + theta) / (((gamma - best.g) + gamma) + trial.g);
            let cubic = best.step + r * (trial.step - best.step);
            let quadratic = best.step
                + ((best.g / ((best.f - trial.f) / (trial.step - best.step) + best.g)) / 2.0)
                    * (trial.step - best.step);
            self.bracketed = true;
            if (cubic - best.step).abs() <= (quadratic - best.step).abs() {
                cubic
            } else {
                cubic + (quadratic - cubic) / 2.0
            }
        } else if turned {
            let gamma = if trial.step > best.step { -gamma } else { gamma };
            let r = ((gamma - trial.g) + theta) / (((gamma - trial.g) + gamma) + best.g);
            let cubic = trial.step + r * (best.step - trial.step);
            self.bracketed = true;
            if (cubic - trial.step).abs() > (secant - trial.step).abs() { cubic } else { secant }
        } else if trial.g.abs() < best.g.abs() {
            let gamma = if trial.step > best.step { -gamma } else { gamma };
            let r = ((gamma - trial.g) + theta) / ((gamma + (best.g - trial.g)) + gamma);
            let cubic = if r < 0.0 && gamma != 0.0 {
                trial.step + r * (best.step - trial.step)
            } else if trial.step > best.step {
                most
            } else {
                least
            };
            let nearer = (cubic - trial.step).abs() < (secant - trial.step).abs();
            if bracketed {
                let next = if nearer { cubic } else { secant };
                let limit = trial.step + 0.66 * (other.step - trial.step);
                if trial.step > best.step { next.min(limit) } else { next.max(limit) }
            } else {
                (if nearer { secant } else { cubic }).clamp(least, most)
            }
        } else if bracketed {
            let (theta, gamma) = cubic_of(trial, other, (other.g, trial.g), true);
            let gamma = if trial.step > other.step { -gamma } else { gamma };
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

/// The line search that doubles a step until it brackets one that meets the conditions.
fn bracket(line: &Line, zero: Trial, first: f64) -> Option<(f64, Point)> {
    let (mut before, mut step) = (zero, first);
    for turn in 0..MOST_TRIALS[1] {
        if step == 0.0 {
            return None;
        }
        let value = line.value(step);
        let rises = Trial { step, f: value.1, g: 0.0 };
        if !rises.falls_enough(zero) || (turn > 0 && value.1 >= before.f) {
            return zoom(line, zero, before, rises);
        }
        let (trial, there) = line.with_slope(step, value);
        if trial.is_flat(zero) {
            return Some((step, there));
        }
        if trial.g >= 0.0 {
            return zoom(line, zero, trial, before);
        }
        (before, step) = (trial, (2.0 * step).min(LONGEST));
    }
    // The last step falls, and is taken for want of a better one.
    let value = line.value(step);
    Some((step, line.with_slope(step, value).1))
}

/// Narrows an interval until a step in it meets the conditions; the slope at `low` is known, at `high` not asked for.
fn zoom(line: &Line, zero: Trial, mut low: Trial, mut high: Trial) -> Option<(f64, Point)> {
    let mut recent = Trial { step: 0.0, ..zero };
    for turn in 0..=MOST_TRIALS[1] {
        let wide = high.step - low.step;
        let (a, b) = (low.step.min(high.step), low.step.max(high.step));
        let within = |step: &f64, margin: f64| step.is_finite() && *step <= b - margin && *step >= a + margin;
        let cubic = (turn > 0).then(|| cubic_minimum(low, high, recent)).filter(|step| within(step, 0.2 * wide));
        let quadratic = || Some(quadratic_minimum(low, high)).filter(|step| within(step, 0.1 * wide));
        let step = cubic.or_else(quadratic).unwrap_or(low.step + 0.5 * wide);
        let value = line.value(step);
        let trial = Trial { step, f: value.1, g: 0.0 };
        if !trial.falls_enough(zero) || trial.f >= low.f {
            (recent, high) = (high, trial);
            continue;
        }
        let (trial, there) = line.with_slope(step, value);
        if trial.is_flat(zero) {
            return Some((step, there));
        }
        if trial.g * wide >= 0.0 {
            (recent, high) = (high, low);
        } else {
            recent = low;
        }
        low = trial;
    }
    None
}

/// Where the cubic through three values, with the slope at the first, has its minimum.
fn cubic_minimum(a: Trial, b: Trial, c: Trial) -> f64 {
    let (db, dc) = (b.step - a.step, c.step - a.step);
    let denominator = (db * dc) * (db * dc) * (db - dc);
    let rest = [b.f - a.f - a.g * db, c.f - a.f - a.g * dc];
    let cube = dot_from_last(&[dc * dc, -(db * db)], &rest) / denominator;
    let square = dot_from_last(&[-dc.powf(3.0), db.powf(3.0)], &rest) / denominator;
    a.step + (-square + (square * square - 3.0 * cube * a.g).sqrt()) / (3.0 * cube)
}

/// Where the parabola through two values, with the slope at the first, has its minimum.
fn quadratic_minimum(a: Trial, b: Trial) -> f64 {
    let wide = b.step - a.step;
    let square = (b.f - a.f - a.g * wide) / (wide * wide);
    a.step - a.g / (2.0 * square)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    fn golden() -> Value {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/bfgs/expected.json");
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    }

    /// By SciPy (`tests/golden/bfgs/make.py`): the parameters, the objective, steps and evaluations.
    fn assert_is(name: &str, objective: &dyn Fn(&[f64]) -> f64) {
        let want = &golden()[name];
        let calls = std::cell::Cell::new(0);
        let counted = |x: &[f64]| {
            calls.set(calls.get() + 1);
            objective(x)
        };
        let found = minimise(&counted, numbers(&want["start"]));
        let steps = want["steps"].as_u64().unwrap() as usize;
        assert!(found.steps.abs_diff(steps) <= 1, "{name}: {} steps, not {steps}", found.steps);
        let most = found.x.iter().zip(numbers(&want["x"])).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(most < want["within"].as_f64().unwrap(), "{name}: {most}");
        assert!((found.f - want["f"].as_f64().unwrap()).abs() < 1e-8, "{name}: {}", found.f);
    }

    #[test]
    fn valleys_are_followed_as_by_scipy() {
        let valley = |x: &[f64]| -> f64 {
            x.windows(2).map(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)).sum()
        };
        assert_is("rosenbrock_2", &valley);
        assert_is("rosenbrock_5", &valley);
        let beale = |x: &[f64]| -> f64 {
            [1.5, 2.25, 2.625].iter().zip(1..).map(|(c, k)| (c - x[0] * (1.0 - x[1].powi(k))).powi(2)).sum()
        };
        assert_is("beale", &beale);
        let wavy = |x: &[f64]| (x[0] - 3.0).abs().powf(1.5) + (4.0 * x[1]).cos() + x[1] * x[1];
        assert_is("wavy", &wavy);
    }

    #[test]
    fn a_minimum_at_the_start_takes_no_step() {
        let bowl = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() * 1e-4;
        let found = minimise(&bowl, vec![0.0, 0.0]);
        assert!(found.converged && found.steps == 0);
    }
}
