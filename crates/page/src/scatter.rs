//! The axes of the drawing in which each item of a page is a dot.

use serde::Serialize;

/// A tick of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScatterTick {
    /// Where it stands.
    pub at: f64,
    /// Its number.
    pub text: String,
}

/// An axis from 0 to the largest of some values, with four to eight ticks at round numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScatterAxis {
    step: f64,
    end: f64,
    from: f64,
    to: f64,
}

impl ScatterAxis {
    /// An axis drawn from place `from` to place `to`.
    pub fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let most = values.fold(0.0, f64::max);
        let most = if most > 0.0 && most.is_finite() { most } else { 1.0 };
        let power = 10f64.powi((most / 4.0).log10().floor() as i32);
        let step =
            [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).rfind(|step| most / step >= 4.0).unwrap_or(power);
        Self { step, end: step * (most / step).ceil(), from, to }
    }

    /// Where a value lies, rounded to a tenth of a unit.
    pub fn at(&self, value: f64) -> f64 {
        ((self.from + (self.to - self.from) * value / self.end) * 10.0).round() / 10.0
    }

    /// The ticks.
    pub fn ticks(&self) -> Vec<ScatterTick> {
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        let count = (self.end / self.step).round() as usize;
        (0..=count)
            .map(|k| {
                let value = self.step * k as f64;
                ScatterTick { at: self.at(value), text: format!("{value:.decimals$}") }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers_beyond_all_values() {
        for (most, end, last) in
            [(0.69, 0.7, "0.7"), (0.043, 0.05, "0.05"), (7.3, 8.0, "8"), (130.0, 140.0, "140"), (0.0, 1.0, "1.0")]
        {
            let axis = ScatterAxis::over([most].into_iter(), 0.0, 100.0);
            assert!((axis.end - end).abs() < 1e-9, "{most}: {axis:?}");
            let ticks = axis.ticks();
            assert!((4..=11).contains(&ticks.len()), "{ticks:?}");
            assert_eq!(
                (ticks[0].at, ticks[ticks.len() - 1].at, ticks[ticks.len() - 1].text.as_str()),
                (0.0, 100.0, last)
            );
        }
    }
}
