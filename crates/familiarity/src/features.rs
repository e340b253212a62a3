//! The familiarity features of the trust regression.

use std::collections::BTreeMap;

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
    let in_list = |item: usize| lists.of(item).iter().filter(|neighbour| labelled[neighbour.item]);
    let mut asked: BTreeMap<usize, Vec<Neighbour>> = BTreeMap::new();
    for own in 0..=usize::from(mode == SelfNeighbour::Published) {
        let others = |item: usize| (k - own).min(all_labelled - usize::from(labelled[item]));
        let lacks = |&item: &usize| itself(labelled[item], mode) == own && in_list(item).count() < others(item);
        let lacking: Vec<usize> = (0..lists.items()).filter(lacks).collect();
        let found = engine.nearest(&lacking, k - own, Some(labelled));
        asked.extend(lacking.into_iter().zip(found));
    }
    let near = |item: usize| asked.get(&item).map_or(lists.of(item), Vec::as_slice).iter();
    from_lists(|item| near(item).filter(|neighbour| labelled[neighbour.item]), labelled, k, mode)
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
    let lists = engine.nearest(&Vec::from_iter(0..labelled.len()), k, Some(labelled));
    from_lists(|item| lists[item].iter(), labelled, k, mode)
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
    let lists = nearest_of_further(further, reference, own, k);
    from_lists(|item| lists[item].iter(), labelled, k, mode)
}

/// How often an item counts among its own labelled neighbours.
fn itself(is_labelled: bool, mode: SelfNeighbour) -> usize {
    usize::from(is_labelled && mode == SelfNeighbour::Published)
}

/// The features of items by their nearest labelled others, in ascending order of their distances.
fn from_lists<'a, L: Iterator<Item = &'a Neighbour>>(
    near: impl Fn(usize) -> L,
    labelled: &[bool],
    k: usize,
    mode: SelfNeighbour,
) -> FamiliarityFeatures {
    let of = |(item, &is_labelled): (usize, &bool)| {
        // The item itself lies at distance 0.
        let own = itself(is_labelled, mode);
        let (mut nearest, mut sum, mut count) = ((own > 0).then_some(0.0), 0.0, own);
        for neighbour in near(item).take(k - own) {
            nearest.get_or_insert(neighbour.distance);
            sum += neighbour.distance;
            count += 1;
        }
        (nearest, (count > 0).then(|| sum / count as f64))
    };
    let (nearest, mean_nearest) = labelled.iter().enumerate().map(of).unzip();
    FamiliarityFeatures { nearest, mean_nearest }
}
