//! Neighbours and familiarity features: one battery over every engine, brute force as the oracle.

use std::fs::File;

use judge_uncertainty::familiarity::features::{FamiliarityFeatures, SelfNeighbour, familiarity, familiarity_once};
use judge_uncertainty::familiarity::neighbours::{
    Engine, Exact, Hnsw, IndexedItems, Neighbour, NeighbourLists, Neighbours, UnitRows,
};
use judge_uncertainty::system::progress::Silent;
use ndarray::{Array2, ArrayView2, array};
use proptest::prelude::*;
use serde_json::Value;

fn engines(embeddings: ArrayView2<f32>) -> Vec<Box<dyn Neighbours>> {
    let rows = UnitRows::new(embeddings).unwrap();
    vec![Box::new(Exact::new(rows)), Box::new(hnsw(embeddings))]
}

fn hnsw(embeddings: ArrayView2<f32>) -> Hnsw {
    let rows = UnitRows::new(embeddings).unwrap();
    let all = IndexedItems::all(rows.len());
    Hnsw::new(rows, all, 64, &Silent)
}

/// All others of `item` sorted by (distance, index), by the definition: rows normalised first, no blocks, no shortcuts.
fn brute_force(embeddings: ArrayView2<f32>, item: usize) -> Vec<Neighbour> {
    let unit = |i: usize| -> Vec<f64> {
        let row: Vec<f64> = embeddings.row(i).iter().map(|&x| f64::from(x)).collect();
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.iter().map(|x| if length == 0.0 { 0.0 } else { x / length }).collect()
    };
    let own = unit(item);
    let mut others: Vec<Neighbour> = (0..embeddings.nrows())
        .filter(|&other| other != item)
        .map(|other| {
            let cosine: f64 = own.iter().zip(unit(other)).map(|(a, b)| a * b).sum();
            Neighbour { item: other, distance: (1.0 - cosine).max(0.0) }
        })
        .collect();
    others.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item)));
    others
}

/// Familiarity by the definition, from brute-force neighbours.
fn brute_force_familiarity(
    embeddings: ArrayView2<f32>,
    labelled: &[bool],
    k: usize,
    mode: SelfNeighbour,
) -> FamiliarityFeatures {
    let (nearest, mean_nearest) = (0..labelled.len())
        .map(|item| {
            let mut distances = Vec::new();
            if mode == SelfNeighbour::Published && labelled[item] {
                distances.push(0.0);
            }
            distances.extend(brute_force(embeddings, item).iter().filter(|n| labelled[n.item]).map(|n| n.distance));
            distances.truncate(k);
            let mean = distances.iter().sum::<f64>() / distances.len() as f64;
            (distances.first().copied(), (!distances.is_empty()).then_some(mean))
        })
        .unzip();
    FamiliarityFeatures { nearest, mean_nearest }
}

fn assert_close(found: &[Option<f64>], expected: &[Option<f64>], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (item, (found, expected)) in found.iter().zip(expected).enumerate() {
        match (found, expected) {
            (Some(f), Some(e)) => assert!((f - e).abs() <= tolerance, "{what}, item {item}: {f} is not {e}"),
            (None, None) => {}
            _ => panic!("{what}, item {item}: {found:?} is not {expected:?}"),
        }
    }
}

/// Directions without structure, from a plain linear congruence so that a test needs no stream of the project.
fn directions(items: usize, dimensions: usize) -> Array2<f32> {
    let mut state = 12345u64;
    Array2::from_shape_fn((items, dimensions), |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 40) as f32 / (1u64 << 24) as f32) - 0.5
    })
}

/// The embeddings of the repository, in 32 bits.
fn chaosnli_embeddings() -> Array2<f32> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/chaosnli/embeddings_f16.npy");
    let npy = npyz::NpyFile::new(File::open(path).unwrap()).unwrap();
    let shape = (npy.shape()[0] as usize, npy.shape()[1] as usize);
    let values: Vec<half::f16> = npy.into_vec().unwrap();
    Array2::from_shape_vec(shape, values.into_iter().map(f32::from).collect()).unwrap()
}

/// tests/golden/familiarity.json; its note says how it was made.
fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/familiarity.json")).unwrap()
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

const MODES: [(SelfNeighbour, &str); 2] =
    [(SelfNeighbour::Published, "published"), (SelfNeighbour::LeaveOneOut, "leave_one_out")];

/// Compares with one entry of the golden file: first and last values, mean and spread over all items.
fn assert_golden(features: &FamiliarityFeatures, golden: &Value, what: &str) {
    for (name, found) in [("nearest", &features.nearest), ("mean_nearest", &features.mean_nearest)] {
        let found: Vec<f64> = found.iter().map(|x| x.unwrap()).collect();
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        let sd = (found.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / found.len() as f64).sqrt();
        let mut triples = vec![
            // Sums over all items carry the rounding of their own order.
            (mean, golden[format!("{name}_mean")].as_f64().unwrap(), 1e-13),
            (sd, golden[format!("{name}_sd")].as_f64().unwrap(), 1e-13),
        ];
        for (part, found) in [("first12", &found[..12]), ("last3", &found[found.len() - 3..])] {
            let expected = floats(&golden[format!("{name}_{part}")]);
            assert_eq!(found.len(), expected.len());
            triples.extend(found.iter().zip(expected).map(|(&f, e)| (f, e, 2e-15)));
        }
        for (found, expected, tolerance) in triples {
            assert!((found - expected).abs() < tolerance, "{what}, {name}: {found} is not {expected}");
        }
    }
}

#[test]
fn features_of_the_paper_equal_an_independent_calculation() {
    let embeddings = chaosnli_embeddings();
    let graph = hnsw(embeddings.view());
    let quality = graph.quality();
    // Of what searches find; the exact lists of all items are kept.
    assert!(quality.recall.unwrap() > 0.99 && quality.error < 0.03, "{quality}");
    assert_eq!((quality.items, quality.compared, quality.width, quality.unreachable), (3113, 3113, 64, 0));
    let exact = Exact::new(UnitRows::new(embeddings.view()).unwrap());
    let engines: [&dyn Neighbours; 2] = [&exact, &graph];

    let golden = golden();
    for engine in engines {
        let lists = NeighbourLists::build(engine, 32);
        // The nearest 4 do not hold 10 labelled ones, so every search is widened.
        let short_lists = NeighbourLists::build(engine, 4);
        for replicate in golden["replicates"].as_array().unwrap() {
            let labelled: Vec<bool> = floats(&replicate["counts"]).iter().map(|&n| n > 0.0).collect();
            for (mode, name) in MODES {
                let what = format!("seed {} {name}", replicate["seed"]);
                assert_golden(&familiarity(&lists, engine, &labelled, 10, mode), &replicate[name], &what);
            }
            if replicate["seed"] == 1 {
                let features = familiarity(&short_lists, engine, &labelled, 10, SelfNeighbour::LeaveOneOut);
                assert_golden(&features, &replicate["leave_one_out"], "short lists");
            }
        }
        let sparse: Vec<bool> = (0..lists.items()).map(|item| item % 97 == 0).collect();
        let few: Vec<bool> = (0..lists.items()).map(|item| [5, 1000, 3000].contains(&item)).collect();
        for (which, labelled) in [("sparse", sparse), ("few", few)] {
            for (mode, name) in MODES {
                let features = familiarity(&lists, engine, &labelled, 10, mode);
                assert_golden(&features, &golden[which][name], &format!("{which} {name}"));
            }
        }
    }
}

#[test]
fn lists_equal_brute_force() {
    let embeddings = directions(300, 7);
    for engine in engines(embeddings.view()) {
        let lists = NeighbourLists::build(&*engine, 20);
        assert_eq!((lists.items(), lists.width()), (300, 20));
        for item in 0..300 {
            let expected = &brute_force(embeddings.view(), item)[..20];
            assert_same(lists.of(item), expected, item);
            assert_eq!(
                engine.nearest(&[item], 20, None)[0],
                lists.of(item),
                "one item alone finds what all together find"
            );
        }
    }
}

fn assert_same(found: &[Neighbour], expected: &[Neighbour], item: usize) {
    let items = |list: &[Neighbour]| list.iter().map(|n| n.item).collect::<Vec<_>>();
    assert_eq!(items(found), items(expected), "neighbours of item {item}");
    for (f, e) in found.iter().zip(expected) {
        assert!((f.distance - e.distance).abs() < 1e-14, "item {item}: {f:?} is not {e:?}");
    }
}

/// Directions that differ by less than 32-bit products can tell apart: the preselection must not decide.
#[test]
fn neighbours_closer_together_than_32_bit_rounding_are_told_apart() {
    let base = directions(1, 384);
    let noise = directions(200, 384);
    let embeddings =
        Array2::from_shape_fn((200, 384), |(item, column)| base[[0, column]] + noise[[item, column]] * 1e-3);
    for engine in engines(embeddings.view()) {
        let lists = NeighbourLists::build(&*engine, 20);
        for item in 0..200 {
            assert_same(lists.of(item), &brute_force(embeddings.view(), item)[..20], item);
        }
    }
}

#[test]
fn ties_go_to_the_item_that_stands_first() {
    // Items 1, 3 and 4 are copies; 0 and 5 mirror each other around them.
    let embeddings = array![[1.0, 0.5], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [1.0, -0.5]];
    for engine in engines(embeddings.view()) {
        let lists = NeighbourLists::build(&*engine, 4);
        let items = |item: usize| lists.of(item).iter().map(|n| n.item).collect::<Vec<_>>();
        assert_eq!(items(1), [3, 4, 0, 5]);
        assert_eq!(items(3), [1, 4, 0, 5]);
        assert_eq!(items(2), [0, 1, 3, 4]);
        assert_eq!(lists.of(4)[1], Neighbour { item: 3, distance: 0.0 });
    }
}

#[test]
fn many_copies_of_one_text() {
    let mut embeddings = directions(400, 16);
    let copied = embeddings.row(3).to_owned();
    (0..400).filter(|item| item % 2 == 0).for_each(|item| embeddings.row_mut(item).assign(&copied));
    for engine in engines(embeddings.view()) {
        let lists = NeighbourLists::build(&*engine, 30);
        for item in 0..400 {
            assert_same(lists.of(item), &brute_force(embeddings.view(), item)[..30], item);
        }
    }
}

/// More items than are multiplied at once, so many of them equal that a shortlist outgrows its first length.
#[test]
fn lists_across_blocks_of_candidates_equal_brute_force() {
    let mut embeddings = directions(9_000, 6);
    let copied = embeddings.row(3).to_owned();
    (0..9_000).filter(|item| item % 5 == 0).for_each(|item| embeddings.row_mut(item).assign(&copied));
    let engine = Exact::new(UnitRows::new(embeddings.view()).unwrap());
    let items = [0, 3, 4_095, 4_096, 8_192, 8_999];
    for (&item, found) in items.iter().zip(&engine.nearest(&items, 30, None)) {
        assert_same(found, &brute_force(embeddings.view(), item)[..30], item);
    }
    let wanted: Vec<bool> = (0..9_000).map(|item| item % 7 < 6).collect();
    let among = engine.nearest(&Vec::from_iter(0..9_000), 30, Some(&wanted));
    for item in items {
        let mut expected = brute_force(embeddings.view(), item);
        expected.retain(|near| wanted[near.item]);
        assert_same(&among[item], &expected[..30], item);
    }
}

#[test]
fn zero_vectors_lie_at_distance_one_from_everything() {
    let mut embeddings = directions(60, 5);
    [7, 8, 40].iter().for_each(|&item| embeddings.row_mut(item).fill(0.0));
    for engine in engines(embeddings.view()) {
        let lists = NeighbourLists::build(&*engine, 59);
        assert!(lists.of(8).iter().all(|n| n.distance == 1.0));
        assert_eq!(lists.of(8).iter().map(|n| n.item).collect::<Vec<_>>()[..9], [0, 1, 2, 3, 4, 5, 6, 7, 9]);
        for item in 0..60 {
            assert_same(lists.of(item), &brute_force(embeddings.view(), item), item);
        }
        for (mode, expected) in [(SelfNeighbour::Published, 0.0), (SelfNeighbour::LeaveOneOut, 1.0)] {
            let features = familiarity(&lists, &*engine, &[true; 60], 10, mode);
            assert_eq!(features.nearest[40], Some(expected));
        }
    }
}

#[test]
fn one_item_and_none() {
    for engine in engines(array![[0.6, 0.8]].view()) {
        let lists = NeighbourLists::build(&*engine, 64);
        assert_eq!(lists.of(0), []);
        let features = |labelled, mode| familiarity(&lists, &*engine, &[labelled], 10, mode);
        assert_eq!(features(true, SelfNeighbour::Published).mean_nearest, [Some(0.0)]);
        assert_eq!(features(true, SelfNeighbour::LeaveOneOut).nearest, [None]);
        assert_eq!(features(false, SelfNeighbour::Published).nearest, [None]);
    }
    for engine in engines(Array2::zeros((0, 4)).view()) {
        let lists = NeighbourLists::build(&*engine, 64);
        assert_eq!(familiarity(&lists, &*engine, &[], 10, SelfNeighbour::Published).nearest, []);
    }
}

#[test]
fn familiarity_equals_brute_force_for_any_share_of_labels() {
    let embeddings = directions(120, 6);
    // With lists of 8 every share below all has items whose list holds fewer than k labelled ones.
    for engine in engines(embeddings.view()) {
        let lists = NeighbourLists::build(&*engine, 8);
        for every in [1, 2, 5, 40, 119, 500] {
            let labelled: Vec<bool> = (0..120).map(|item| item % every == every - 1).collect();
            for (mode, name) in MODES {
                for k in [1, 3, 10, 200] {
                    let found = familiarity(&lists, &*engine, &labelled, k, mode);
                    let expected = brute_force_familiarity(embeddings.view(), &labelled, k, mode);
                    let what = format!("every {every}, {name}, k = {k}");
                    assert_close(&found.nearest, &expected.nearest, 1e-14, &what);
                    assert_close(&found.mean_nearest, &expected.mean_nearest, 1e-14, &what);
                }
            }
        }
    }
}

#[test]
fn nothing_labelled_gives_nothing() {
    for engine in engines(directions(20, 4).view()) {
        let lists = NeighbourLists::build(&*engine, 8);
        for (mode, _) in MODES {
            let features = familiarity(&lists, &*engine, &[false; 20], 10, mode);
            assert_eq!(features.nearest, [None; 20]);
            assert_eq!(features.mean_nearest, [None; 20]);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let embeddings = directions(700, 24);
    for engine in engines(embeddings.view()) {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| NeighbourLists::build(&*engine, 32))
        };
        assert!(with(1) == with(5), "the same lists, bit for bit");
    }
}

/// Of a few labelled items among many: neighbours of every item are found among them, by an engine that holds no
/// others.
#[test]
fn an_engine_that_holds_the_labelled_items_finds_them_for_every_item() {
    let mut embeddings = directions(900, 12);
    [7, 8, 500].iter().for_each(|&item| embeddings.row_mut(item).fill(0.0));
    let copied = embeddings.row(3).to_owned();
    (0..900).filter(|item| item % 9 == 3).for_each(|item| embeddings.row_mut(item).assign(&copied));
    let labelled: Vec<bool> = (0..900).map(|item| item % 4 == 3 || item == 8).collect();
    let rows = UnitRows::new(embeddings.view()).unwrap();
    let whole = Exact::new(rows.clone());
    for engine in [Engine::Exact, Engine::Hnsw] {
        let engine = engine.over(rows.clone(), IndexedItems::those(&labelled), 10, &Silent);
        assert_eq!(engine.indexed().len(), 226);
        for (mode, name) in MODES {
            let expected = familiarity_once(&whole, &labelled, 10, mode);
            assert!(familiarity_once(&*engine, &labelled, 10, mode) == expected, "{name}, {}", engine.describe());
        }
        let lists = NeighbourLists::build(&*engine, 300);
        assert_eq!((lists.items(), lists.width()), (900, 225));
        for item in 0..900 {
            assert_eq!(lists.of(item), whole.nearest(&[item], 225, Some(&labelled))[0], "item {item}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Small integers make many ties, copies and zero vectors.
    #[test]
    fn any_small_set_equals_brute_force(
        values in proptest::collection::vec(-2i8..=2, 3 * 24),
        labelled in proptest::collection::vec(any::<bool>(), 24),
        width in 0usize..30,
        k in 1usize..30,
    ) {
        let embeddings = Array2::from_shape_vec((24, 3), values.into_iter().map(f32::from).collect()).unwrap();
        for engine in engines(embeddings.view()) {
            let lists = NeighbourLists::build(&*engine, width);
            for item in 0..24 {
                let expected = brute_force(embeddings.view(), item);
                let distances = |list: &[Neighbour]| list.iter().map(|n| Some(n.distance)).collect::<Vec<_>>();
                assert_close(&distances(lists.of(item)), &distances(&expected)[..width.min(23)], 1e-14, "distances");
                prop_assert!(lists.of(item).is_sorted_by(|a, b| (a.distance, a.item) < (b.distance, b.item)));
                prop_assert!(lists.of(item).iter().all(|n| n.item != item && (0.0..=2.0).contains(&n.distance)));
            }
            for (mode, name) in MODES {
                let found = familiarity(&lists, &*engine, &labelled, k, mode);
                let expected = brute_force_familiarity(embeddings.view(), &labelled, k, mode);
                assert_close(&found.nearest, &expected.nearest, 1e-14, name);
                assert_close(&found.mean_nearest, &expected.mean_nearest, 1e-14, name);
            }
        }
    }
}
