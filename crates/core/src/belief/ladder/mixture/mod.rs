//! A mixture of maps: components that each bend the prediction and trust it in their own way.
//!
//! ```text
//! p ~ sum_c pi_c Dir(lambda_c m_c),   m_c = softmax(u + theta_c l + C v_c),   ln lambda_c = ln lambda + d_c,   pi = softmax_c(g_c^T x)
//! ```
//!
//! with u the logits and lambda the trust of [`Rung::Groups`](super::Rung::Groups) (or of the temperature, without groups), l the centred log prediction, C the contrasts of
//! the classes, and x the number 1, the contrasts of the log prediction and the trust's features. Every component's theta_c, v_c, d_c and g_c are normal
//! about 0, so that no component is another than the others before the labels, and one that they do not want is as the rest of them.

mod fitting;
mod objective;
mod read;
mod rows;
#[cfg(test)]
mod tests;

pub(super) use fitting::fit_mixture;
pub use read::Component;
pub(super) use rows::own_parameters;

/// Number of components.
pub(super) const COMPONENTS: usize = 4;
