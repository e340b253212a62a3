//! The familiarity features of the trust regression.

use super::neighbours::{Neighbour, NeighbourLists, Neighbours, UnitRows, nearest_of_further};

/// Whether a labelled item counts among its own neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelfNeighbour {
    /// It does, at distance 0, as the paper's numbers were made. The distance to the nearest labelled item then is 0
    /// for every labelled item, nearly an indicator of being labelled.
    Published,
    /// It does not: the features say what is known about an item from others only.
    LeaveOneOut,
}

/// Distances from each item to the labelled ones; `None` where no item is labelled that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct FamiliarityFeatures {
    /// Cosine distance to the nearest labelled item, 0..=2.
    pub nearest: Vec<Option<f64>>,
    /// Mean cosine distance to the k nearest labelled items, or to all of them where fewer than k are labelled.
    pub mean_nearest: Vec<Option<f64>>,
}

/// Familiarity of every item with the labelled ones (paper, section on the familiarity channel; k = 10 there).
///
/// `lists` were built by `engine`, which is asked again only for items that have fewer than `k` labelled neighbours
/// in their list. `labelled` has one entry per item.
///
/// # Panics
/// If `k` is 0, or if `lists`, `engine` and `labelled` do not speak of the same number of items.
pub fn familiarity(
    lists: &NeighbourLists,
    engine: &dyn Neighbours,
    labelled: &[bool],
    k: usize,
    mode: SelfNeighbour,
) -> FamiliarityFeatures {
    assert!(k > 0, "familiarity needs at least one neighbour");
    assert_eq!(labelled.len(), lists.items(), "one label flag per item of the neighbour lists");
    assert_eq!(labelled.len(), engine.rows().len(), "one label flag per item of the engine");
    let all_labelled = labelled.iter().filter(|&&is| is).count();

    let (nearest, mean_nearest) = (0..lists.items())
        .map(|item| {
            let own = usize::from(labelled[item] && mode == SelfNeighbour::Published);
            let others = (k - own).min(all_labelled - usize::from(labelled[item]));
            let mut distances = Distances::start(own);
            let in_list = lists.of(item).iter().filter(|neighbour| labelled[neighbour.item]);
            in_list.take(others).for_each(|neighbour| distances.add(neighbour));
            if distances.count < own + others {
                distances = Distances::start(own);
                engine.nearest_among(item, others, labelled).iter().for_each(|neighbour| distances.add(neighbour));
            }
            (distances.nearest, distances.mean())
        })
        .unzip();
    FamiliarityFeatures { nearest, mean_nearest }
}

/// [`familiarity`] for one choice of labelled items, without neighbour lists: every item is compared with the labelled
/// ones only.
///
/// # Panics
/// If `k` is 0, or if `engine` and `labelled` do not speak of the same number of items.
pub fn familiarity_once(
    engine: &dyn Neighbours,
    labelled: &[bool],
    k: usize,
    mode: SelfNeighbour,
) -> FamiliarityFeatures {
    assert!(k > 0, "familiarity needs at least one neighbour");
    assert_eq!(labelled.len(), engine.rows().len(), "one label flag per item of the engine");
    from_lists(&engine.nearest_of_all_among(k, labelled), labelled, k, mode)
}

/// Familiarity of further items with labelled ones that are kept elsewhere. `own` is the place of each among the
/// labelled ones, if it is one of them; `labelled` says whether it is labelled, which counts where an item is its own
/// neighbour.
///
/// The numbers are those that [`familiarity_once`] has of all items together.
///
/// # Panics
/// If `k` is 0, or there is not one entry of `own` and `labelled` per further item.
pub fn familiarity_of_further(
    further: &UnitRows,
    reference: &UnitRows,
    own: &[Option<usize>],
    labelled: &[bool],
    k: usize,
    mode: SelfNeighbour,
) -> FamiliarityFeatures {
    assert!(k > 0, "familiarity needs at least one neighbour");
    assert!(own.len() == further.len() && labelled.len() == further.len(), "an entry for each further item");
    from_lists(&nearest_of_further(further, reference, own, k), labelled, k, mode)
}

/// The features of items by the lists of their nearest labelled neighbours.
fn from_lists(lists: &[Vec<Neighbour>], labelled: &[bool], k: usize, mode: SelfNeighbour) -> FamiliarityFeatures {
    let of = |(item, list): (usize, &Vec<Neighbour>)| {
        let own = usize::from(labelled[item] && mode == SelfNeighbour::Published);
        let mut distances = Distances::start(own);
        list.iter().take(k - own).for_each(|neighbour| distances.add(neighbour));
        (distances.nearest, distances.mean())
    };
    let (nearest, mean_nearest) = lists.iter().enumerate().map(of).unzip();
    FamiliarityFeatures { nearest, mean_nearest }
}

/// Distances to labelled items, collected in ascending order.
struct Distances {
    nearest: Option<f64>,
    sum: f64,
    count: usize,
}

impl Distances {
    /// `own` is 1 if the item itself counts, at distance 0.
    fn start(own: usize) -> Self {
        Self { nearest: (own > 0).then_some(0.0), sum: 0.0, count: own }
    }

    fn add(&mut self, neighbour: &Neighbour) {
        self.nearest.get_or_insert(neighbour.distance);
        self.sum += neighbour.distance;
        self.count += 1;
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}
