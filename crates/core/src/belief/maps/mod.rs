//! A ladder of maps from the judge's prediction to the belief before any label, from none to a full recalibration.
//!
//! | map ([`MapName`]) | what it adds to ln q |
//! |---|---|
//! | identity | nothing: the published belief under the weak prior |
//! | guesses | a share g of guesses: (1 - g) q + g pi, pi the distribution of the labels |
//! | temperature | theta (ln q - its mean), a bias of each class, and of places a bias and a slope along the scale |
//! | groups | the same once more for each group |
//! | recalibrated | a weight for each variant, a linear and a smooth function of predictions, variants and features |
//!
//! Those after it read the prediction with a share of guesses, too.
//!
//! A map that was fitted elsewhere may be where they all start ([`CarriedOffsets`]).
//!
//! All are fitted by one likelihood with the trust, and every penalty of a map is a variance that the labels' marginal
//! likelihood chooses ([`fit`]). [`choose`] takes one by its likelihood of labels held out. What is unknown of a map
//! lowers the trust of the items it is unknown for ([`Map::log_trust`]).

mod choice;
#[cfg(test)]
mod choice_tests;
mod fitted;
mod fitting;
mod guesses;
mod held_out;
mod layout;
mod names;
#[cfg(test)]
mod tests;
mod waves;

pub use super::engine::Variance;
pub use choice::{Candidate, CarriedChoice, MapChoice, Transfer, TransferVerdict, choose, transfer};
pub(super) use choice::{Clusters, FEWEST, Tries, Try};
pub use fitted::Map;
pub(super) use fitting::fit_stated;
pub use fitting::{fit, typical_log_trust};
pub use layout::BIAS_AND_SLOPE;
pub use layout::CarriedOffsets;
pub use layout::{MOST_PARAMETERS, Reads, Unavailable};
pub use names::MapName;
