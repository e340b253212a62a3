//! What the labels by themselves say about the typical trust, where the normal approximation would not do.

use ndarray::Array2;

use super::newton::{Expansion, Objective, maximise};
use crate::stats::Interval;

/// The 95% interval ends where the profile has fallen by so many nats: half the 95% quantile of chi squared with one
/// degree of freedom.
const FALL: f64 = 1.920_729_410_347_062;
/// The profile is followed from ln 1e-3 labels,
const LEAST: f64 = -6.907_755_278_982_137;
/// to ln 1e6 labels.
const MOST: f64 = 13.815_510_557_964_274;
/// The first step away from the mode, in standard deviations,
const FIRST_STEP: f64 = 0.5;
/// and by how much each step is longer than the one before.
const GROWTH: f64 = 1.5;
/// Ends are found to this share of a standard deviation.
const PRECISION: f64 = 1e-4;
/// The other parameters are searched with a tolerance on the gradient so many times as large as that of the fit. The
/// height is then off by the square of the gradient, some 1e-6 nats with 10,000 labels and less with fewer, while it
/// changes by 2e-4 nats over [`PRECISION`] at an end.
const LOOSE: f64 = 1e4;

/// The evidence of the labels about ln lambda of an item with average features, without its prior.
///
/// ```text
/// profile(b) = max over the other parameters of (log-likelihood + log prior of the others)
/// 1e-3 <= e^b <= 1e6 labels
/// interval   = { b : profile(b) >= its maximum - 1.92 }
/// ```
///
/// 1.92 is half the 95% quantile of chi squared with one degree of freedom. The prior on b is not part of the profile,
/// so it cannot set an end of the interval. If the profile has not fallen by 1.92 anywhere up to the limit of 1e-3 or
/// 1e6 labels, the interval has no end on that side, and the labels give a bound at most. Source: Venzon and Moolgavkar
/// (1988), "A method for computing profile-likelihood-based confidence intervals". Integrating the other parameters out
/// instead moves the interval up with every feature: in simulated studies with four features, 0.89 to 0.93 of such 95%
/// intervals contained the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrustProfile {
    /// Lower end of the 95% interval; `None` where the labels do not rule out 1e-3 labels.
    pub at_least: Option<f64>,
    /// Its upper end; `None` where the labels do not rule out 1e6 labels.
    pub at_most: Option<f64>,
    /// The maximum of the posterior, its prior included, which the belief rests on.
    mode: f64,
}

impl TrustProfile {
    /// The 95% interval, if the labels determine the trust: they bound it on both sides, and the belief lies between.
    pub fn interval(&self) -> Option<Interval> {
        let interval = Interval { lo: self.at_least?, hi: self.at_most? };
        (interval.lo..=interval.hi).contains(&self.mode).then_some(interval)
    }

    /// Whether the labels determine the trust.
    pub fn determined(&self) -> bool {
        self.interval().is_some()
    }

    /// The profile at the strength s between another (0) and this one (1): the modes on average, and so the squares of
    /// how far the ends lie from them, plus 1.96^2 s (1 - s) times the squared distance of the modes, because which of
    /// the two is right counts as unknown. An end that one of them lacks is missing.
    pub(super) fn drawn_back(&self, s: f64, other: &Self) -> Self {
        let mode = other.mode + s * (self.mode - other.mode);
        let open = 2.0 * FALL * s * (1.0 - s) * (self.mode - other.mode).powi(2);
        // Squares keep their signs, for a prior may have drawn a mode beyond an end.
        let square = |x: f64| x * x.abs();
        let reach = |own: Option<f64>, others: Option<f64>, towards: f64| {
            let (own, others) = (towards * (own? - self.mode), towards * (others? - other.mode));
            let squared = s * square(own) + (1.0 - s) * square(others) + open;
            Some(mode + towards * squared.signum() * squared.abs().sqrt())
        };
        Self {
            at_least: reach(self.at_least, other.at_least, -1.0),
            at_most: reach(self.at_most, other.at_most, 1.0),
            mode,
        }
    }

    /// Whether the interval, with no end where the labels give none, holds a value.
    pub fn holds(&self, log_trust: f64) -> bool {
        self.at_least.is_none_or(|least| least <= log_trust) && self.at_most.is_none_or(|most| log_trust <= most)
    }

    /// The profile along the first parameter of `objective`. `mode` is where the objective has its maximum; `prior` is
    /// the mean and standard deviation of the normal prior on that parameter; `sd` is the parameter's standard
    /// deviation by the normal approximation, which sets the steps.
    pub(super) fn of_first(objective: &impl Objective, mode: &[f64], sd: f64, prior: (f64, f64)) -> Self {
        let scale = if sd > 0.0 { sd.min(prior.1) } else { prior.1 };
        let ridge = Ridge { objective, prior };
        let path = ridge.path(mode, FIRST_STEP * scale);
        let top = ridge.top(&path, PRECISION * scale);
        // The outermost fall through the ends counts, wherever else the profile may dip.
        let end = |path: &mut dyn Iterator<Item = &ProfilePoint>| {
            let mut beyond: Option<&ProfilePoint> = None;
            for place in path {
                if place.height >= top - FALL {
                    return beyond.map(|beyond| ridge.crossing(place, beyond, top - FALL, PRECISION * scale));
                }
                beyond = Some(place);
            }
            None
        };
        Self { at_least: end(&mut path.iter()), at_most: end(&mut path.iter().rev()), mode: mode[0] }
    }
}

/// A point of the profile.
struct ProfilePoint {
    at: f64,
    height: f64,
    slope: f64,
    /// Where the other parameters are best.
    others: Vec<f64>,
}

/// The profile, a ridge of the objective.
struct Ridge<'a, O> {
    objective: &'a O,
    /// Mean and standard deviation of the prior on the first parameter.
    prior: (f64, f64),
}

impl<O: Objective> Ridge<'_, O> {
    /// The profile at some value of the first parameter, the others searched from `others`.
    fn place(&self, at: f64, others: &[f64]) -> ProfilePoint {
        let held = |others: &[f64]| WithFirstHeld::<O>::with(at, others);
        let others = match others {
            [] => vec![],
            _ => maximise(&mut WithFirstHeld { objective: self.objective, first: at }, others.to_vec()).parameters,
        };
        let point = self.objective.at(&held(&others));
        let (value, slope) = (point.value, point.gradient[0]);
        // Taken out of the objective again, in which it is a constant to the others.
        let (mean, sd) = self.prior;
        let off = (at - mean) / sd;
        ProfilePoint { at, height: value + 0.5 * off * off, slope: slope + off / sd, others }
    }

    /// Places from limit to limit, in growing steps away from the mode.
    fn path(&self, mode: &[f64], first_step: f64) -> Vec<ProfilePoint> {
        let start = self.place(mode[0].clamp(LEAST, MOST), &mode[1..]);
        let side = |limit: f64| {
            let (mut places, mut step) = (vec![], first_step);
            let (mut at, mut others) = (start.at, start.others.clone());
            while at != limit {
                at = if (limit - at).abs() <= step { limit } else { at + step * (limit - at).signum() };
                step *= GROWTH;
                let place = self.place(at, &others);
                others.clone_from(&place.others);
                places.push(place);
            }
            places
        };
        let (below, above) = (side(LEAST), side(MOST));
        below.into_iter().rev().chain(std::iter::once(start)).chain(above).collect()
    }

    /// The height of the maximum.
    fn top(&self, path: &[ProfilePoint], precision: f64) -> f64 {
        let highest = (0..path.len()).fold(0, |best, i| if path[i].height > path[best].height { i } else { best });
        let place = &path[highest];
        let beside = if place.slope > 0.0 { path.get(highest + 1) } else { highest.checked_sub(1).map(|i| &path[i]) };
        let Some(beside) = beside.filter(|beside| beside.slope * place.slope < 0.0) else {
            return place.height;
        };
        let slope = |at: f64| self.place(at, &place.others).slope;
        let at = root((place.at, place.slope), (beside.at, beside.slope), precision, slope);
        self.place(at, &place.others).height.max(place.height)
    }

    /// Where the profile falls through `height` between a place above and one beyond.
    fn crossing(&self, above: &ProfilePoint, beyond: &ProfilePoint, height: f64, precision: f64) -> f64 {
        let excess = |at: f64| self.place(at, &above.others).height - height;
        root((above.at, above.height - height), (beyond.at, beyond.height - height), precision, excess)
    }
}

/// A root of `f` between two arguments at which it has different signs, by the Illinois variant of regula falsi (Dowell
/// and Jarratt 1971).
fn root(mut a: (f64, f64), mut b: (f64, f64), precision: f64, f: impl Fn(f64) -> f64) -> f64 {
    while (b.0 - a.0).abs() > precision && b.1 != 0.0 {
        let between = b.0 - b.1 * (b.0 - a.0) / (b.1 - a.1);
        let at = (between, f(between));
        if at.1 * b.1 < 0.0 {
            a = b;
        } else {
            a.1 *= 0.5;
        }
        let moved = (at.0 - b.0).abs();
        b = at;
        if moved <= precision {
            break;
        }
    }
    b.0
}

/// An objective whose first parameter is held.
struct WithFirstHeld<'a, O> {
    objective: &'a O,
    first: f64,
}

impl<O> WithFirstHeld<'_, O> {
    fn with(first: f64, others: &[f64]) -> Vec<f64> {
        std::iter::once(first).chain(others.iter().copied()).collect()
    }
}

impl<O: Objective> Objective for WithFirstHeld<'_, O> {
    fn at(&self, others: &[f64]) -> Expansion {
        let Expansion { value, gradient, hessian } = self.objective.at(&Self::with(self.first, others));
        let p = others.len();
        let hessian = Array2::from_shape_fn((p, p), |(a, b)| hessian[[a + 1, b + 1]]);
        Expansion { value, gradient: gradient[1..].to_vec(), hessian }
    }

    fn tolerance(&self) -> f64 {
        LOOSE * self.objective.tolerance()
    }

    fn most_idle(&self) -> usize {
        self.objective.most_idle()
    }

    fn shorten(&self, step: &mut [f64]) {
        let mut whole = Self::with(0.0, step);
        self.objective.shorten(&mut whole);
        step.copy_from_slice(&whole[1..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::trust::START_TRUST;

    const PRIOR_SD: f64 = 3.0;

    /// log of b ~ ln Gamma(2, 1), with a prior on b, and a second parameter that follows it: -(c - b^2)^2 at any b is 0
    /// at best.
    struct Known;

    impl Objective for Known {
        fn at(&self, x: &[f64]) -> Expansion {
            let (b, off) = (x[0], x[1] - x[0] * x[0]);
            let (from, precision) = (b - START_TRUST.ln(), PRIOR_SD.powi(-2));
            let value = 2.0 * b - b.exp() - off * off - 0.5 * precision * from * from;
            let gradient = vec![2.0 - b.exp() + 4.0 * b * off - precision * from, -2.0 * off];
            let bend = -b.exp() + 4.0 * off - 8.0 * b * b - precision;
            let hessian = ndarray::array![[bend, 4.0 * b], [4.0 * b, -2.0]];
            Expansion { value, gradient, hessian }
        }

        fn tolerance(&self) -> f64 {
            1e-10
        }

        fn shorten(&self, _: &mut [f64]) {}
    }

    /// The ends solve 2 b - e^b = 2 ln 2 - 2 - 1.92 (SciPy 1.17, brentq), whatever the prior on b.
    #[test]
    fn the_interval_is_that_of_a_known_profile_without_its_prior() {
        let mode = maximise(&mut Known, vec![0.0, 0.0]);
        let profile = TrustProfile::of_first(&Known, &mode.parameters, 0.7, (START_TRUST.ln(), PRIOR_SD));
        let interval = profile.interval().expect("both ends are within the limits");
        assert!((interval.lo - -1.1009380313138892_f64).abs() < 1e-3, "{profile:?}");
        assert!((interval.hi - 1.8206173323202064_f64).abs() < 1e-3, "{profile:?}");
        assert!(profile.holds(0.0) && !profile.holds(2.0) && !profile.holds(-1.2));
    }

    /// A logistic rise: 0 far below, and 3 from about b = 4 on. The prior holds the mode; nothing but the prior bounds
    /// b above.
    struct Rising;

    impl Objective for Rising {
        fn at(&self, x: &[f64]) -> Expansion {
            let (from, precision) = (x[0] - START_TRUST.ln(), PRIOR_SD.powi(-2));
            let share = 1.0 / (1.0 + (-2.0 * x[0]).exp());
            let value = 3.0 * share - 0.5 * precision * from * from;
            let bend = 12.0 * share * (1.0 - share) * (1.0 - 2.0 * share) - precision;
            let gradient = vec![6.0 * share * (1.0 - share) - precision * from];
            Expansion { value, gradient, hessian: ndarray::array![[bend]] }
        }

        fn tolerance(&self) -> f64 {
            1e-10
        }

        fn shorten(&self, _: &mut [f64]) {}
    }

    /// 3 / (1 + e^(-2 b)) = 3 - 1.92 at b = -0.28766.
    #[test]
    fn an_end_that_only_the_prior_has_is_none() {
        let mode = maximise(&mut Rising, vec![START_TRUST.ln()]);
        let profile = TrustProfile::of_first(&Rising, &mode.parameters, 1.0, (START_TRUST.ln(), PRIOR_SD));
        assert_eq!((profile.at_most, profile.interval()), (None, None));
        let share = 1.0 - FALL / 3.0;
        let expected = -0.5 * (1.0 / share - 1.0_f64).ln();
        assert!((profile.at_least.unwrap() - expected).abs() < 1e-3, "{profile:?} for {expected}");
        assert!(profile.holds(100.0) && !profile.holds(-2.0));
    }

    /// Ends 1 and 2 below modes that are 1 apart, at a half: the square of the reach is (1 + 4)/2 + 1.96^2/4.
    #[test]
    fn a_profile_is_drawn_back_as_variances_are() {
        let of =
            |mode: f64, at_least: f64, at_most: Option<f64>| TrustProfile { at_least: Some(at_least), at_most, mode };
        let part = of(1.0, 0.0, None).drawn_back(0.5, &of(0.0, -2.0, Some(1.0)));
        let reach = (2.5 + 1.959_963_984_540_054_f64.powi(2) / 4.0).sqrt();
        assert!((part.at_least.unwrap() - (0.5 - reach)).abs() < 1e-12 && part.mode == 0.5, "{part:?}");
        assert_eq!(part.at_most, None);
        // Both modes beyond their ends, drawn there by a prior: so is the one between.
        let beyond = of(1.0, 1.5, Some(3.0)).drawn_back(0.5, &of(1.0, 1.5, Some(3.0)));
        assert!((beyond.at_least.unwrap() - 1.5).abs() < 1e-12 && !beyond.determined(), "{beyond:?}");
    }
}
