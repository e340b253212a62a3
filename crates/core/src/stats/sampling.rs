//! Estimates about new items from labelled items that were chosen by a known design: means, shares, differences and
//! functions of means.
//!
//! A label queue does not draw items at random. It takes those that a rule ranks highest, and with an exploring share
//! some of the others at random. Averages over such items are biased for new items, and intervals that take them for a
//! random sample do not hold. A [`SamplingDesign`] knows with which probability each labelled item was chosen, and
//! which items belong together because they are about one thing (a document under several criteria, or one text twice).
//!
//! ```text
//! stage t      the items that could be chosen at one time fall into strata h of N_h things, of which n_h are labelled
//! at
//!              random: what had labels before and what was taken for its rank are strata of their own with n_h = N_h
//! weights      w_tc = 1/p_tc, p_tc = n_h/N_h; mu_t = sum_c w_tc y_c / sum_c w_tc m_c            (Hajek 1971)
//! combined     mu = sum_t a_t mu_t, a_t proportional to 1/sum_c (1 - p_tc) w_tc^2, normalised
//! variance     sum_t a_t^2 D_t + S^2/N
//! D_t          sum_h n_h/(n_h - 1) sum_c in h (1 - p_tc) (u_tc - mean_h u_t)^2,   u_tc = w_tc z_c / sum w_t m
//! ```
//!
//! y_c is the sum of the values of thing c, m_c the number of its values, z_c = sum of (value - mu) over its values, N
//! the number of things of the study and S^2/N the variance of the mean over all of them when they are a sample of all
//! things there could be.
//!
//! - Within a stage: stratified sampling with ratio means and variances between things (Cochran 1977, sections 5 and 6;
//!   Hajek 1971).
//! - Over stages: given all that happened before stage t, the items that it drew at random are a simple random sample
//!   of the rest, and labelled ones are known, so each mu_t has the mean over all items for its expectation, and the
//!   errors of two stages are uncorrelated. The shares a_t depend on the design alone. This is the argument of unbiased
//!   active testing (Kossen et al. 2021, after Farquhar, Gal and Rainforth 2021, "On statistical bias in active
//!   learning", whose weights LURE combine stages of one draw each), in batches and with strata; of one queue the two
//!   are the same mean.
//! - Intervals are Hall's (1992) with Student's t, degrees of freedom after Satterthwaite (1946) over the strata.

mod design;
mod linear;
mod stage;

pub use design::SamplingDesign;
pub use stage::{NotAStage, Stage};
