//! Standard normal and exponential draws by the ziggurat of 256 layers (Marsaglia and Tsang 2000).
//!
//! One word picks a layer and a place in it. Nearly always that place lies wholly under the curve and is the result;
//! otherwise it lies in the wedge at the layer's edge or in the tail, and further draws decide.

use super::Stream;
use super::tables::{
    EXPONENTIAL_DENSITY, EXPONENTIAL_LIMIT, EXPONENTIAL_SCALE, NORMAL_DENSITY, NORMAL_LIMIT, NORMAL_SCALE,
};

/// Where the tail of the normal ziggurat begins.
const NORMAL_TAIL: f64 = 3.654152885361009;
/// The double nearest to the exact 1 / [`NORMAL_TAIL`], not the quotient of doubles.
const NORMAL_TAIL_INVERSE: f64 = 0.2736612373297583;
/// Where the tail of the exponential ziggurat begins.
const EXPONENTIAL_TAIL: f64 = 7.69711747013105;

impl Stream {
    /// A draw from the normal distribution with mean 0 and variance 1.
    #[inline]
    pub fn standard_normal(&mut self) -> f64 {
        loop {
            let word = self.word();
            let layer = (word & 0xff) as usize;
            let magnitude = word >> 9 & ((1 << 52) - 1);
            let x = magnitude as i64 as f64 * NORMAL_SCALE[layer];
            // Bit 8 is the sign.
            let x = f64::from_bits(x.to_bits() | (word >> 8 & 1) << 63);
            if magnitude < NORMAL_LIMIT[layer] {
                return x;
            }
            if let Some(x) = self.normal_at_edge(layer, magnitude, x) {
                return x;
            }
        }
    }

    #[cold]
    fn normal_at_edge(&mut self, layer: usize, magnitude: u64, x: f64) -> Option<f64> {
        if layer == 0 {
            let tail = self.normal_tail();
            // The tail takes its sign from a bit of the magnitude, not from the layer's.
            return Some(if magnitude >> 8 & 1 == 1 { -tail } else { tail });
        }
        let (above, here) = (NORMAL_DENSITY[layer - 1], NORMAL_DENSITY[layer]);
        ((above - here) * self.random() + here < (-0.5 * x * x).exp()).then_some(x)
    }

    /// Marsaglia's rejection for a normal draw beyond [`NORMAL_TAIL`].
    fn normal_tail(&mut self) -> f64 {
        loop {
            let x = -NORMAL_TAIL_INVERSE * (-self.random()).ln_1p();
            let y = -(-self.random()).ln_1p();
            if y + y > x * x {
                return NORMAL_TAIL + x;
            }
        }
    }

    /// A draw from the exponential distribution with mean 1.
    #[inline]
    pub fn standard_exponential(&mut self) -> f64 {
        loop {
            let word = self.word();
            let layer = (word >> 3 & 0xff) as usize;
            let magnitude = word >> 11;
            let x = magnitude as i64 as f64 * EXPONENTIAL_SCALE[layer];
            if magnitude < EXPONENTIAL_LIMIT[layer] {
                return x;
            }
            if let Some(x) = self.exponential_at_edge(layer, x) {
                return x;
            }
        }
    }

    #[cold]
    fn exponential_at_edge(&mut self, layer: usize, x: f64) -> Option<f64> {
        if layer == 0 {
            return Some(EXPONENTIAL_TAIL - (-self.random()).ln_1p());
        }
        let (above, here) = (EXPONENTIAL_DENSITY[layer - 1], EXPONENTIAL_DENSITY[layer]);
        ((above - here) * self.random() + here < (-x).exp()).then_some(x)
    }
}
