//! The others that can be among the nearest of one item.

use multiversion::multiversion;

/// Products that are compared with a floor at once.
pub(super) const CHUNK: usize = 32;

/// The others that can be among the `width` nearest of one item, by similarities in 32 bits.
///
/// The similarities only preselect: every other within their rounding error of the last place stays, to be compared in
/// 64 bits, so the list does not depend on how the products were summed, nor on the order in which others came.
pub(super) struct Shortlist {
    /// Which of the others the item is itself, if it is one of them.
    own: Option<usize>,
    width: usize,
    /// How far two similarities may be off, together.
    error: f32,
    /// What lies below cannot be among the nearest.
    floor: f32,
    near: Vec<(u32, f32)>,
    /// Length at which `near` is pruned.
    limit: usize,
}

impl Shortlist {
    /// An empty list of an item that is `own` among the others, for vectors of so many dimensions.
    pub(super) fn new(own: Option<usize>, width: usize, dimensions: usize) -> Self {
        // A sum of d products is off by less than d/2 epsilon of the lengths, its scaling by less than 4.
        let error = 2.0 * (dimensions + 8) as f32 * f32::EPSILON;
        Self { own, width, error, floor: f32::NEG_INFINITY, near: Vec::new(), limit: 4 * width }
    }

    /// The list that no similarity enters.
    pub(super) fn closed(self) -> Self {
        Self { floor: f32::INFINITY, ..self }
    }

    /// What a similarity must reach to be of use.
    pub(super) fn floor(&self) -> f32 {
        self.floor
    }

    /// Offers all others, by their products with the item.
    pub(super) fn offer_all(&mut self, products: &[f32], inverse: &[f32], scale: f32, others: &[usize]) {
        let chunks = products.chunks(CHUNK).zip(inverse.chunks(CHUNK)).zip(others.chunks(CHUNK));
        for ((products, inverse), others) in chunks {
            if any_reaches(products, inverse, scale, &[self.floor; CHUNK]) {
                for ((product, inverse), &other) in products.iter().zip(inverse).zip(others) {
                    self.offer(other, product * inverse * scale);
                }
            }
        }
    }

    /// Offers one.
    pub(super) fn offer(&mut self, other: usize, similarity: f32) {
        if similarity >= self.floor && Some(other) != self.own {
            self.near.push((other as u32, similarity));
            if self.near.len() == self.limit {
                self.prune();
            }
        }
    }

    fn prune(&mut self) {
        if self.width < self.near.len() {
            let (_, &mut (_, last), _) = self.near.select_nth_unstable_by(self.width - 1, |a, b| b.1.total_cmp(&a.1));
            self.floor = last - self.error;
            self.near.retain(|&(_, similarity)| similarity >= self.floor);
        }
        // Items as near as the last are all kept, however many they are.
        self.limit = self.limit.max(2 * self.near.len());
    }

    /// Those that are left.
    pub(super) fn others(mut self) -> impl Iterator<Item = usize> {
        self.prune();
        self.near.into_iter().map(|(other, _)| other as usize)
    }
}

/// Whether a product, scaled twice, reaches its floor.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
pub(super) fn any_reaches(products: &[f32], scales: &[f32], scale: f32, floors: &[f32]) -> bool {
    let mut reaches = false;
    for ((&product, &own), &floor) in products.iter().zip(scales).zip(floors) {
        reaches |= product * own * scale >= floor;
    }
    reaches
}
