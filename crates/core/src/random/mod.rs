//! The random streams of the experiments: those of NumPy 2.4.6's `default_rng(seed)`, bit for bit.
//!
//! The published numbers were drawn from these streams, so every draw here returns the same bits and leaves the stream
//! at the same position as NumPy does on x86-64 Linux. Floating-point expressions keep NumPy's order of operations,
//! and none is fused except where said. Equality in the last bit also needs the C library's `exp`, `log`, `log1p` and
//! `pow` (glibc 2.36 was the reference); another one may change the last digit of a gamma draw or of a rare tail draw.
//!
//! | file | draws | method |
//! |---|---|---|
//! | `stream` | words, uniforms, indices | PCG64 XSL-RR, seeded after `seed_seq_fe` (both O'Neill 2014), Lemire (2019) |
//! | `multinomial` | label counts | binomials by inversion (Kachitvichyanukul and Schmeiser 1988) |
//! | `hypergeometric` | labels from a finite pool | urn, or ratio of uniforms (Stadlober 1990) |
//! | `ziggurat` | standard normal and exponential | Marsaglia and Tsang (2000b), 256 layers; two correlated normals by the factor of the covariance as NumPy computes it |
//! | `gamma` | gamma | Marsaglia and Tsang (2000a); Ahrens and Dieter (1974) for shapes below 1 |

mod gamma;
mod hypergeometric;
mod multinomial;
mod stream;
mod ziggurat;

pub use stream::{Position, Stream};
pub use ziggurat::{UnsupportedCorrelation, bivariate_normal};
