//! A hierarchical graph in flat blocks of memory, and the search on it.

use std::sync::Mutex;

use multiversion::multiversion;

use super::directions::{Directions, Near, distance, near, point_of};

/// Layers above the lowest that a point may have.
pub(super) const MOST_LAYERS: u8 = 15;

/// Lists of points, each in a place of the same size; the first number of a place is how many there are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Links {
    /// Most points in a list.
    pub(super) most: usize,
    pub(super) values: Vec<u32>,
}

impl Links {
    fn empty(lists: usize, most: usize) -> Self {
        Self { most, values: vec![0; lists * (most + 1)] }
    }

    #[inline(always)]
    fn get(&self, list: usize) -> &[u32] {
        let place = &self.values[list * (self.most + 1)..][..=self.most];
        &place[1..=place[0] as usize]
    }

    fn fits(&self, list: usize) -> bool {
        self.values[list * (self.most + 1)] as usize <= self.most
    }

    fn set(&mut self, list: usize, points: impl ExactSizeIterator<Item = u32>) {
        let place = &mut self.values[list * (self.most + 1)..][..=self.most];
        place[0] = points.len() as u32;
        place[1..=points.len()].iter_mut().zip(points).for_each(|(place, point)| *place = point);
    }
}

/// For each point its links in each of its layers. Points without links are not reached.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Graph {
    /// The highest layer of each point.
    pub(super) levels: Vec<u8>,
    /// Where searches start: a point of the highest layer.
    pub(super) entry: u32,
    pub(super) lowest: Links,
    pub(super) upper: Links,
    /// The list of each point's layer 1 among the upper ones; those of its other layers follow.
    first_upper: Vec<u32>,
}

impl Graph {
    /// A graph without links: at most so many in the lowest layer and above it.
    pub(super) fn unlinked(levels: Vec<u8>, most: [usize; 2]) -> Self {
        let lists = levels.iter().map(|&level| usize::from(level)).sum();
        let lowest = Links::empty(levels.len(), most[0]);
        Self::from_parts(levels, 0, lowest, Links::empty(lists, most[1]))
    }

    /// A graph from its parts.
    pub(super) fn from_parts(levels: Vec<u8>, entry: u32, lowest: Links, upper: Links) -> Self {
        let mut lists = 0;
        let first = |level: &u8| {
            let first = lists;
            lists += u32::from(*level);
            first
        };
        let first_upper = levels.iter().map(first).collect();
        Self { levels, entry, lowest, upper, first_upper }
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.levels.len()
    }

    /// The highest layer.
    pub(super) fn top(&self) -> usize {
        self.levels.get(self.entry as usize).copied().unwrap_or(0).into()
    }

    /// Most links of a point in a layer.
    pub(super) fn most(&self, layer: usize) -> usize {
        if layer == 0 { self.lowest.most } else { self.upper.most }
    }

    fn upper_list(&self, point: u32, layer: usize) -> usize {
        self.first_upper[point as usize] as usize + layer - 1
    }

    /// The links of a point in one of its layers.
    #[inline(always)]
    pub(super) fn links(&self, point: u32, layer: usize) -> &[u32] {
        match layer {
            0 => self.lowest.get(point as usize),
            _ => self.upper.get(self.upper_list(point, layer)),
        }
    }

    /// Whether every list fits its place, and every link leads to a point of its own layer.
    pub(super) fn is_sound(&self) -> bool {
        let layer_is_sound = |point: usize, layer: usize| {
            let links = if layer == 0 { &self.lowest } else { &self.upper };
            let list = if layer == 0 { point } else { self.upper_list(point as u32, layer) };
            let reaches =
                |&other: &u32| self.levels.get(other as usize).is_some_and(|&level| usize::from(level) >= layer);
            links.fits(list) && links.get(list).iter().all(reaches)
        };
        (0..self.len()).all(|point| (0..=usize::from(self.levels[point])).all(|layer| layer_is_sound(point, layer)))
    }

    /// Replaces the links of a point in one of its layers.
    pub(super) fn set(&mut self, point: u32, layer: usize, points: impl ExactSizeIterator<Item = u32>) {
        match layer {
            0 => self.lowest.set(point as usize, points),
            _ => self.upper.set(self.upper_list(point, layer), points),
        }
    }

    /// The `effort` nearest points that a search from the top finds, nearest first; fewer in a small or a torn graph.
    pub(super) fn search<'s>(
        &self,
        directions: &Directions,
        query: &[i16],
        effort: usize,
        state: &'s mut SearchState,
    ) -> &'s [Near] {
        state.found.clear();
        if self.len() > 0 {
            self.descend(directions, query, 0, state);
            search_layer(self, directions, query, 0, effort, state);
        }
        &state.found
    }

    /// The `effort` nearest points that a search from a point finds, itself included.
    pub(super) fn search_around<'s>(
        &self,
        directions: &Directions,
        point: u32,
        effort: usize,
        state: &'s mut SearchState,
    ) -> &'s [Near] {
        state.found.clear();
        state.found.push(near(0, point));
        search_layer(self, directions, directions.row(point), 0, effort, state);
        &state.found
    }

    /// Leaves in `state` the nearest point that a greedy search finds in the layers above `layer`.
    pub(super) fn descend(&self, directions: &Directions, query: &[i16], layer: usize, state: &mut SearchState) {
        state.found.clear();
        state.found.push(near(super::directions::distance_at_once(query, directions.row(self.entry)), self.entry));
        for layer in (layer + 1..=self.top()).rev() {
            search_layer(self, directions, query, layer, 1, state);
        }
    }
}

/// The room that a search needs, to be used again by the next one.
#[derive(Debug)]
pub(super) struct SearchState {
    /// The nearest points so far, nearest first; marked if their links were followed.
    pub(super) found: Vec<Near>,
    /// When a point was seen last.
    seen: Vec<u8>,
    now: u8,
    fresh: Vec<u32>,
}

impl SearchState {
    fn new(points: usize) -> Self {
        Self { found: Vec::new(), seen: vec![0; points], now: 0, fresh: Vec::new() }
    }

    /// Forgets which points were seen.
    fn begin(&mut self) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.seen.fill(0);
            self.now = 1;
        }
    }
}

/// Room for as many searches as run at once.
#[derive(Debug)]
pub(super) struct Searches {
    points: usize,
    idle: Mutex<Vec<SearchState>>,
}

impl Searches {
    /// For graphs of so many points.
    pub(super) fn new(points: usize) -> Self {
        Self { points, idle: Mutex::new(Vec::new()) }
    }

    /// Lends room to a search.
    pub(super) fn with<R>(&self, search: impl FnOnce(&mut SearchState) -> R) -> R {
        let idle = self.idle.lock().expect("no search ends while it holds the lock").pop();
        let mut state = idle.unwrap_or_else(|| SearchState::new(self.points));
        let result = search(&mut state);
        self.idle.lock().expect("no search ends while it holds the lock").push(state);
        result
    }
}

/// Follows links in one layer from what was found before, nearest point first, until the `effort` nearest have been
/// followed.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
pub(super) fn search_layer(
    graph: &Graph,
    directions: &Directions,
    query: &[i16],
    layer: usize,
    effort: usize,
    state: &mut SearchState,
) {
    state.begin();
    let SearchState { found, seen, now, fresh } = state;
    for start in found.iter_mut() {
        *start &= !1;
        seen[point_of(*start) as usize] = *now;
    }
    let mut next = 0;
    while next < found.len() {
        let here = found[next];
        found[next] |= 1;
        next += 1;
        if here & 1 == 1 {
            continue;
        }
        fresh.clear();
        for &other in graph.links(point_of(here), layer) {
            let seen = &mut seen[other as usize];
            if *seen != *now {
                *seen = *now;
                fresh.push(other);
            }
        }
        for &other in fresh.iter() {
            let other = near(distance(query, directions.row(other)), other);
            if found.len() < effort {
                let place = found.partition_point(|&near| near < other);
                found.insert(place, other);
                next = next.min(place);
            } else if found.last().is_some_and(|&last| other < last) {
                let place = found.partition_point(|&near| near < other);
                found.pop();
                found.insert(place, other);
                next = next.min(place);
            }
        }
    }
}
