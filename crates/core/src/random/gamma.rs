//! Gamma draws, from which Dirichlet draws are made.

use super::Stream;

impl Stream {
    /// A draw from the gamma distribution with the given shape and scale 1.
    ///
    /// The mean and the variance are both `shape`; shape 0 gives 0. Tiny shapes (0.01 and below) may underflow to 0.
    ///
    /// # Panics
    ///
    /// If the shape is negative, infinite or not a number.
    #[inline]
    pub fn gamma(&mut self, shape: f64) -> f64 {
        assert!((0.0..f64::INFINITY).contains(&shape), "the shape of a gamma draw is {shape}, not in [0, infinity)");
        if shape > 1.0 {
            self.gamma_above_one(shape)
        } else if shape == 1.0 {
            self.standard_exponential()
        } else if shape == 0.0 {
            0.0
        } else {
            self.gamma_below_one(shape)
        }
    }

    /// Marsaglia and Tsang (2000): the cube of a shifted normal, rarely rejected.
    fn gamma_above_one(&mut self, shape: f64) -> f64 {
        let b = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * b).sqrt();
        loop {
            let x = self.standard_normal();
            let root = 1.0 + c * x;
            if root <= 0.0 {
                continue;
            }
            let cube = root * root * root;
            let u = self.random();
            // The first test implies the second and spares its logarithms.
            if u < 1.0 - 0.0331 * (x * x) * (x * x) || u.ln() < 0.5 * x * x + b * (1.0 - cube + cube.ln()) {
                return b * cube;
            }
        }
    }

    /// Ahrens and Dieter (1974): rejection from a power law up to 1 and an exponential beyond, tested against an
    /// exponential draw.
    fn gamma_below_one(&mut self, shape: f64) -> f64 {
        loop {
            let u = self.random();
            let e = self.standard_exponential();
            if u <= 1.0 - shape {
                let x = u.powf(1.0 / shape);
                if x <= e {
                    return x;
                }
            } else {
                let y = -((1.0 - u) / shape).ln();
                let x = (1.0 - shape + shape * y).powf(1.0 / shape);
                if x <= e + y {
                    return x;
                }
            }
        }
    }
}
