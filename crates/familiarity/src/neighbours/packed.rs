//! The file of a saved graph: 32-bit little-endian numbers and nothing else.
//!
//! In this order: points, entry, most links in the lowest layer, most in the upper ones, unreachable items, lists; the
//! level of each point; the links of the lowest layer, of the upper layers (each list: how many, then room for the
//! most); the unreachable items; the exact lists (each: item, how many neighbours, they themselves).

use std::collections::BTreeMap;

use super::graph::{Graph, Links, MOST_LAYERS};
use super::neighbour::Neighbour;

/// What the file holds.
pub(super) struct Packed {
    pub(super) graph: Graph,
    /// Items that the graph lost.
    pub(super) unreachable: Vec<usize>,
    /// The neighbours of items whose lists are exact.
    pub(super) lists: Vec<(usize, Vec<usize>)>,
}

/// The bytes of the file.
pub(super) fn packed(graph: &Graph, unreachable: &[usize], lists: &BTreeMap<usize, Vec<Neighbour>>) -> Vec<u8> {
    let number = |size: usize| u32::try_from(size).expect("items are numbered in 31 bits");
    let sizes =
        [graph.len(), graph.entry as usize, graph.lowest.most, graph.upper.most, unreachable.len(), lists.len()];
    let list = |(item, list): (&usize, &Vec<Neighbour>)| {
        [*item, list.len()].into_iter().chain(list.iter().map(|near| near.item)).map(number).collect::<Vec<_>>()
    };
    let numbers = (sizes.into_iter().map(number))
        .chain(graph.levels.iter().map(|&level| level.into()))
        .chain(graph.lowest.values.iter().copied())
        .chain(graph.upper.values.iter().copied())
        .chain(unreachable.iter().copied().map(number))
        .chain(lists.iter().flat_map(list));
    numbers.flat_map(u32::to_le_bytes).collect()
}

/// What the bytes of a file hold, if it is a graph of so many points over so many items.
pub(super) fn unpacked(bytes: &[u8], points: usize, items: usize) -> Result<Packed, &'static str> {
    let (numbers, rest) = bytes.as_chunks();
    let mut numbers = Numbers(numbers);
    let head = numbers.take(6)?;
    let [found, entry, lowest, upper, unreachable, lists] = head[..] else { unreachable!("six were asked for") };
    if found as usize != points || !rest.is_empty() {
        return Err("it is not the graph of as many different rows as there are");
    }
    let levels: Vec<u8> = numbers.take(points)?.into_iter().map(|level| level.min(u8::MAX.into()) as u8).collect();
    if levels.iter().any(|&level| level > MOST_LAYERS) || (entry as usize) >= points.max(1) {
        return Err("it has layers or an entry that no graph has");
    }
    let lowest = numbers.links(points, lowest as usize)?;
    let upper = numbers.links(levels.iter().map(|&level| usize::from(level)).sum(), upper as usize)?;
    let graph = Graph::from_parts(levels, entry, lowest, upper);
    if !graph.is_sound() {
        return Err("a link leads to a point that is not in its layer");
    }
    let unreachable = numbers.items(unreachable as usize, items)?;
    let list = |_| {
        let head = numbers.take(2)?;
        let item = Some(head[0] as usize).filter(|&item| item < items).ok_or(NO_ITEM)?;
        Ok((item, numbers.items(head[1] as usize, items)?))
    };
    let lists = (0..lists).map(list).collect::<Result<_, &'static str>>()?;
    if !numbers.0.is_empty() {
        return Err("it goes on where it should end");
    }
    Ok(Packed { graph, unreachable, lists })
}

const NO_ITEM: &str = "it names an item that there is not";

/// Numbers that are still to be read.
struct Numbers<'a>(&'a [[u8; 4]]);

impl Numbers<'_> {
    fn take(&mut self, count: usize) -> Result<Vec<u32>, &'static str> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("it ends too early")?;
        self.0 = rest;
        Ok(taken.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect())
    }

    fn links(&mut self, lists: usize, most: usize) -> Result<Links, &'static str> {
        let values = self.take(lists.saturating_mul(most.saturating_add(1)))?;
        Ok(Links { most, values })
    }

    fn items(&mut self, count: usize, items: usize) -> Result<Vec<usize>, &'static str> {
        let found: Vec<usize> = self.take(count)?.into_iter().map(|item| item as usize).collect();
        if found.iter().all(|&item| item < items) { Ok(found) } else { Err(NO_ITEM) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Packed {
        let mut graph = Graph::unlinked(vec![0, 2, 1], [3, 2]);
        graph.entry = 1;
        graph.set(0, 0, [1, 2].into_iter());
        graph.set(1, 1, [2].into_iter());
        Packed { graph, unreachable: vec![3], lists: vec![(0, vec![3, 1]), (4, vec![])] }
    }

    fn bytes(small: &Packed) -> Vec<u8> {
        let near = |&item: &usize| Neighbour { item, distance: 0.5 };
        let lists = small.lists.iter().map(|(item, list)| (*item, list.iter().map(near).collect())).collect();
        packed(&small.graph, &small.unreachable, &lists)
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let small = small();
        let found = unpacked(&bytes(&small), 3, 5).unwrap();
        assert!(found.graph == small.graph && found.unreachable == [3] && found.lists == small.lists);
        let none = Graph::unlinked(vec![], [3, 2]);
        assert_eq!(unpacked(&packed(&none, &[], &BTreeMap::new()), 0, 7).unwrap().graph, none);
    }

    #[test]
    fn no_byte_can_make_a_graph_that_leads_out_of_itself() {
        let bytes = bytes(&small());
        for place in 0..bytes.len() {
            for value in [0, 1, 2, 3, 4, 16, 255] {
                let mut changed = bytes.clone();
                changed[place] = value;
                if let Ok(found) = unpacked(&changed, 3, 5) {
                    assert!(found.graph.is_sound() && found.graph.len() == 3, "byte {place} = {value}");
                }
            }
        }
        (0..bytes.len()).for_each(|end| assert!(unpacked(&bytes[..end], 3, 5).is_err(), "{end} bytes"));
        assert!(unpacked(&[&bytes[..], &[0; 4]].concat(), 3, 5).is_err());
        let outside = |place: usize, value: u8| {
            let mut changed = bytes.clone();
            changed[4 * place] = value;
            unpacked(&changed, 3, 5).err()
        };
        // The first link of point 0, and the link of point 1 in layer 1 to a point of layer 0 alone.
        assert_eq!(outside(6 + 3 + 1, 3), Some("a link leads to a point that is not in its layer"));
        assert_eq!(outside(6 + 3 + 3 * 4 + 1, 0), Some("a link leads to a point that is not in its layer"));
    }
}
