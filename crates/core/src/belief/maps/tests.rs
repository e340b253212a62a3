//! Maps against differences, against each other, and in worlds where the right map is known.

use ndarray::{Array2, Axis};

use super::choice::choose;
use super::fitting::{FitItems, fit};
use super::layout::along;
use super::layout::{MapLayout, Unavailable};
use super::names::MapName;
use crate::belief::design::{Design, Feature, FeatureColumn};
use crate::belief::dirichlet_multinomial::softmax;
use crate::belief::judged::JudgedItems;
use crate::belief::newton::Objective;
use crate::belief::traits::Belief;
use crate::belief::{BeliefModel, TrustPrior};
use crate::random::Stream;

/// Items of three classes whose prior is a function of what the judge states.
pub(super) struct World {
    pub(super) columns: Vec<FeatureColumn>,
    pub(super) q: Array2<f64>,
    pub(super) variants: Vec<Array2<f64>>,
    pub(super) groups: Vec<usize>,
    pub(super) p: Array2<f64>,
    pub(super) counts: Array2<u32>,
}

pub(super) fn dirichlet(stream: &mut Stream, alpha: &[f64]) -> Vec<f64> {
    let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a) + 1e-6).collect();
    let sum: f64 = g.iter().sum();
    g.into_iter().map(|g| g / sum).collect()
}

impl World {
    /// `prior` is the logits of an item from ln q, its group and its feature; trust 8 throughout.
    pub(super) fn draw(items: usize, seed: u64, prior: impl Fn(&[f64], usize, f64) -> Vec<f64>) -> Self {
        let mut stream = Stream::new(seed);
        let mut world = Self {
            columns: vec![],
            q: Array2::zeros((items, 3)),
            variants: vec![Array2::zeros((items, 3)), Array2::zeros((items, 3))],
            groups: (0..items).map(|i| i % 2).collect(),
            p: Array2::zeros((items, 3)),
            counts: Array2::zeros((items, 3)),
        };
        let x: Vec<f64> = (0..items).map(|_| stream.standard_normal()).collect();
        for (i, &x) in x.iter().enumerate() {
            let stated = dirichlet(&mut stream, &[1.5, 1.5, 1.5]);
            let noise = dirichlet(&mut stream, &[1.0, 1.0, 1.0]);
            let logs: Vec<f64> = stated.iter().map(|q| q.ln()).collect();
            let mut mean = prior(&logs, world.groups[i], x);
            softmax(&mut mean);
            let p = dirichlet(&mut stream, &mean.iter().map(|m| 8.0 * m).collect::<Vec<_>>());
            let mut c = [0; 3];
            let n = stream.choice(11);
            stream.multinomial(n, &p, &mut c);
            for j in 0..3 {
                world.q[[i, j]] = stated[j];
                world.variants[0][[i, j]] = 0.5 * stated[j] + 0.5 * noise[j];
                world.variants[1][[i, j]] = stated[j];
                world.p[[i, j]] = p[j];
                world.counts[[i, j]] = c[j];
            }
        }
        world.columns = vec![FeatureColumn::complete("x", x)];
        world
    }

    pub(super) fn judged<'a>(&'a self, design: &'a Design) -> JudgedItems<'a> {
        let items = JudgedItems::new(design, self.q.view(), &self.groups);
        JudgedItems { variants: &self.variants, ..items }
    }

    pub(super) fn design(&self) -> Design {
        Design::standardized(&self.columns).unwrap()
    }

    pub(super) fn error(&self, means: &Array2<f64>) -> f64 {
        (means - &self.p).mapv(f64::abs).sum() / self.p.nrows() as f64
    }
}

fn guesses(share: f64) -> super::guesses::Guesses {
    super::guesses::Guesses { share, seen: vec![500.0, 300.0, 200.0] }
}

pub(super) fn as_stated(logs: &[f64], _: usize, _: f64) -> Vec<f64> {
    logs.to_vec()
}

pub(super) fn bent(logs: &[f64], _: usize, x: f64) -> Vec<f64> {
    vec![logs[0] + 1.5 * (2.0 * x).sin(), logs[1], logs[2] - 1.5 * (logs[2] + 1.5).tanh()]
}

/// Items with equal inputs share one row of the fit, which gives the same result as a row for each.
#[test]
fn items_that_are_alike_are_fitted_as_one_row() {
    let mut world = World::draw(40, 5, bent);
    let of: Vec<usize> = (0..400).map(|i| (i * 7) % 40).collect();
    world.q = world.q.select(Axis(0), &of);
    world.counts = world.counts.select(Axis(0), &of);
    world.variants.clear();
    world.groups = of.iter().map(|i| i % 2).collect();
    world.columns[0].values = of.iter().map(|i| world.columns[0].values[*i]).collect();
    let mut apart = world.q.clone();
    apart.rows_mut().into_iter().zip(0..).for_each(|(mut q, i)| q[0] += 1e-15 * f64::from(i));
    let design = world.design();
    let (alike, apart) = (world.judged(&design), JudgedItems { q: apart.view(), ..world.judged(&design) });
    for name in [MapName::Identity, MapName::Guesses, MapName::Temperature, MapName::Groups, MapName::Recalibrated] {
        let [one, each] = [alike, apart].map(|items| fit(name, &items, world.counts.view()).unwrap().unwrap());
        assert_eq!(one.regression.labelled_items, each.regression.labelled_items);
        let off =
            (one.predictions(&alike) - each.predictions(&apart)).mapv(f64::abs).iter().fold(0.0_f64, |a, b| a.max(*b));
        assert!(off < 1e-6, "{name:?}: {off}");
        assert!((one.regression.log_likelihood - each.regression.log_likelihood).abs() < 1e-6, "{name:?}");
    }
}

/// A column that records how labels were collected is not an input of a recalibration; a user's column is one, whatever
/// its name.
#[test]
fn inputs_of_a_map_are_told_by_what_features_measure() {
    let mut world = World::draw(300, 5, bent);
    let values = world.columns.remove(0).values;
    for (name, feature) in Feature::COMPUTED {
        for (feature, is_input) in [(Feature::from(name), true), (feature.clone(), !feature.is_about_labels())] {
            world.columns = vec![FeatureColumn::partial(feature, values.iter().copied())];
            let design = world.design();
            let map = fit(MapName::Recalibrated, &world.judged(&design), world.counts.view()).unwrap().unwrap();
            assert_eq!(map.reads().features, if is_input { vec![name] } else { vec![] });
        }
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    let world = World::draw(25, 4, |logs, group, _| vec![0.5 * logs[0], logs[1] + group as f64, logs[2]]);
    let design = world.design();
    let readings = world.judged(&design);
    for rung in MapName::of_classes() {
        let guesses = guesses(if rung == MapName::Identity { 0.0 } else { 0.1 });
        let layout = MapLayout::try_new(rung, &readings, guesses).unwrap();
        let mut posterior = FitItems::try_new(readings, world.counts.view()).unwrap().posterior(&layout);
        posterior.precision.iter_mut().enumerate().for_each(|(k, s)| *s = 1.0 + 0.1 * k as f64);
        let mut stream = Stream::new(9);
        let at: Vec<f64> = posterior.centre.iter().map(|c| c + 0.2 * stream.standard_normal()).collect();
        assert_derivatives(rung.key(), &posterior, &at, at.len().div_ceil(40));
    }
}

/// Gradient and every `step`th row of the Hessian against differences.
pub(super) fn assert_derivatives(what: &str, objective: &impl Objective, at: &[f64], step: usize) {
    let (here, h) = (objective.at(at), 1e-5);
    for k in (0..at.len()).step_by(step) {
        let moved = |by: f64| {
            let mut at = at.to_vec();
            at[k] += by;
            objective.at(&at)
        };
        let (up, down) = (moved(h), moved(-h));
        let slope = (up.value - down.value) / (2.0 * h);
        let near = |got: f64, want: f64| (got - want).abs() < 1e-5 * (1.0 + want.abs());
        assert!(near(here.gradient[k], slope), "{what} {k}: {} for {slope}", here.gradient[k]);
        for l in 0..at.len() {
            let bend = (up.gradient[l] - down.gradient[l]) / (2.0 * h);
            assert!(near(here.hessian[[k, l]], bend), "{what} {k} {l}: {} for {bend}", here.hessian[[k, l]]);
        }
    }
}

#[test]
fn every_map_converges_and_predicts_distributions() {
    let world = World::draw(200, 11, bent);
    let design = world.design();
    let readings = world.judged(&design);
    for rung in MapName::of_classes() {
        let map = fit(rung, &readings, world.counts.view()).unwrap().unwrap();
        assert!(map.regression.converged, "{rung}: {:?}", map.regression.gradient_norm);
        assert_eq!(map.name(), rung);
        let means = map.predictions(&readings);
        assert!(means.rows().into_iter().all(|row| (row.sum() - 1.0).abs() < 1e-12 && row.iter().all(|m| *m > 0.0)));
        let text = serde_json::to_string(&map).unwrap();
        let back: super::Map = serde_json::from_str(&text).unwrap();
        assert_eq!(back.predictions(&readings), means);
    }
}

/// A map is plain data: it reads items that the fit has not seen, one by one.
#[test]
fn new_items_are_read_as_the_items_of_the_fit_are() {
    let world = World::draw(120, 3, bent);
    let design = world.design();
    let map = fit(MapName::Recalibrated, &world.judged(&design), world.counts.view()).unwrap().unwrap();
    let all = map.predictions(&world.judged(&design));
    for i in [0, 17, 119] {
        let value = design.row(i)[0];
        let one = Design::raw(&[FeatureColumn::complete("x", [value])]).unwrap();
        let q = world.q.select(Axis(0), &[i]);
        let variants: Vec<Array2<f64>> = world.variants.iter().map(|q| q.select(Axis(0), &[i])).collect();
        let items = JudgedItems::new(&one, q.view(), &world.groups[i..=i]);
        let alone = JudgedItems { variants: &variants, ..items };
        assert_eq!(map.log_trust(&alone), [map.log_trust(&world.judged(&design))[i]]);
        assert_eq!(map.predictions(&alone).row(0), all.row(i));
    }
}

#[test]
fn without_labels_the_prediction_stands_as_it_is() {
    let world = World::draw(30, 3, as_stated);
    let design = world.design();
    let none = Array2::<u32>::zeros((30, 3));
    for rung in MapName::of_classes() {
        let map = fit(rung, &world.judged(&design), none.view()).unwrap().unwrap();
        let off = (map.predictions(&world.judged(&design)) - &world.q).mapv(f64::abs).sum();
        assert!(off < 1e-9, "{rung}: {off}");
    }
    let (map, choice) = choose(&world.judged(&design), none.view()).unwrap();
    assert_eq!((map.name(), choice.best, choice.candidates.len()), (MapName::Identity, None, 0));
}

#[test]
fn little_labels_leave_more_unknown_and_that_lowers_the_trust() {
    let unknown = |items: usize| {
        let world = World::draw(items, 5, bent);
        let design = world.design();
        let map = fit(MapName::Recalibrated, &world.judged(&design), world.counts.view()).unwrap().unwrap();
        let of = |i: usize| {
            let before = map.reader(&world.judged(&design)).read(i);
            let (trust, of_known_map) = (before.evidence(), before.log_trust.exp());
            assert!(trust <= of_known_map);
            trust / of_known_map
        };
        (0..items).map(of).sum::<f64>() / items as f64
    };
    let (few, many) = (unknown(60), unknown(1500));
    assert!(few < many - 0.05 && many < 1.0, "{few} {many}");
}

/// What a belief says of the next label is what happens when each is tried: its mean stays where it is on average and
/// moves by Delta, and its spread and epistemic part fall as foretold.
#[test]
fn the_next_label_does_what_a_belief_says_of_it() {
    let world = World::draw(80, 73, bent);
    let design = world.design();
    let items = world.judged(&design);
    let named = MapName::of_classes().map(BeliefModel::Map);
    for model in named.chain([BeliefModel::Published, BeliefModel::Auto]) {
        let fit = model.fit(&items, world.counts.view(), TrustPrior::Weak).unwrap();
        let here = fit.posterior(&items, world.counts.view()).0;
        let next = [0, 1, 2].map(|y| {
            let mut counts = world.counts.clone();
            counts.column_mut(y).iter_mut().for_each(|count| *count += 1);
            fit.posterior(&items, counts.view()).0
        });
        for i in 0..80 {
            let belief = here.get(i);
            let mean: Vec<f64> = belief.mean().collect();
            let expected = |f: &dyn Fn(&crate::belief::Dirichlet) -> f64| -> f64 {
                mean.iter().zip(&next).map(|(m, next)| m * f(&next.get(i))).sum()
            };
            let moved = |after: &crate::belief::Dirichlet| after.mean().zip(&mean).map(|(a, b)| (a - b).powi(2)).sum();
            for (what, got, want) in [
                ("Delta", belief.label_value(), expected(&moved)),
                ("v", belief.spread_after(1), expected(&|after| after.spread())),
                ("fall of v", belief.spread() - belief.label_value(), expected(&|after| after.spread())),
                ("mean", mean[0], expected(&|after| after.mean().next().unwrap())),
            ] {
                assert!((got / want - 1.0).abs() < 1e-6, "{model:?} {i}: {what} {got} for {want}");
            }
        }
    }
}

/// The expected squared error of the mean that a lowered trust stands for is that of draws of the map.
#[test]
fn the_lowered_trust_is_that_of_draws_of_the_map() {
    let world = World::draw(150, 8, bent);
    let design = world.design();
    let readings = world.judged(&design);
    let map = fit(MapName::Temperature, &readings, world.counts.view()).unwrap().unwrap();
    let covariance = &map.regression.covariance;
    let p = covariance.len();
    let root = nalgebra::DMatrix::from_fn(p, p, |a, b| covariance[a][b]).cholesky().unwrap().l();
    let (mut stream, draws, item) = (Stream::new(1), 20_000, 3);
    let prior = map.reader(&readings).read(item);
    let mut expected = 0.0;
    for _ in 0..draws {
        let normals = nalgebra::DVector::from_fn(p, |_, _| stream.standard_normal());
        let step = &root * normals;
        let mut drawn = map.clone();
        let first = drawn.regression.coefficients.len();
        drawn.regression.coefficients.iter_mut().zip(step.iter()).for_each(|(b, s)| *b += s);
        drawn.parameters.iter_mut().zip(step.iter().skip(first)).for_each(|(w, s)| *w += s);
        let known = drawn.reader(&readings).read(item);
        let gini = 1.0 - known.mean.iter().map(|m| m * m).sum::<f64>();
        let off: f64 = known.mean.iter().zip(&prior.mean).map(|(a, b)| (a - b) * (a - b)).sum();
        expected += (gini / (1.0 + known.log_trust.exp()) + off) / f64::from(draws);
    }
    let gini = 1.0 - prior.mean.iter().map(|m| m * m).sum::<f64>();
    let stated = gini / (1.0 + prior.evidence());
    assert!((stated / expected - 1.0).abs() < 0.02, "{stated} for {expected}");
    assert!(prior.evidence() < 0.99 * prior.log_trust.exp());
}

/// A judge whose prediction scatters about the truth states next to 0 for what people say now and then. That is a share
/// of guesses and no temperature, which would flatten every other prediction too.
#[test]
fn a_judge_that_scatters_is_smoothed_rather_than_flattened() {
    let mut world = World::draw(300, 41, as_stated);
    let mut stream = Stream::new(6);
    for (mut q, p) in world.q.rows_mut().into_iter().zip(world.p.rows()) {
        let concentration = 8.0 * 256_f64.powf(stream.random() - 0.5);
        let drawn = dirichlet(&mut stream, &p.mapv(|p| (concentration * p).max(0.05)).to_vec());
        q.iter_mut().zip(drawn).for_each(|(q, x)| *q = x);
    }
    let design = world.design();
    let readings = JudgedItems { variants: &[], ..world.judged(&design) };
    let error = |model: BeliefModel| {
        let fit = model.fit(&readings, world.counts.view(), TrustPrior::Weak).unwrap();
        let (beliefs, _) = fit.posterior(&readings, world.counts.view());
        let of = |i: usize| beliefs.get(i).manhattan(world.p.row(i).to_slice().unwrap());
        (0..beliefs.len()).map(of).sum::<f64>() / beliefs.len() as f64
    };
    let [published, auto] = [BeliefModel::Published, BeliefModel::Auto].map(error);
    assert!(auto < published - 0.005, "{auto} {published}");
    let map = fit(MapName::Temperature, &readings, world.counts.view()).unwrap().unwrap();
    assert!((0.1..0.5).contains(&map.guesses()), "{}", map.guesses());
    let honest = World::draw(300, 42, as_stated);
    let map = fit(MapName::Temperature, &honest.judged(&design), honest.counts.view()).unwrap().unwrap();
    assert!(map.guesses() < 0.1, "{}", map.guesses());
}

/// Of all ways to weigh prediction and labels that are linear in both, the mean after labels has the least expected
/// squared error over draws of the trust: its weight on the prediction is (1 - r) / (1 - r + n r), r = E 1 / (1 +
/// lambda).
#[test]
fn the_mean_after_labels_is_the_best_linear_one_over_draws_of_the_trust() {
    let world = World::draw(20, 12, as_stated);
    let design = world.design();
    let readings = world.judged(&design);
    let map = fit(MapName::Identity, &readings, world.counts.view()).unwrap().unwrap();
    let (beliefs, _) = map.posterior(&readings, world.counts.view());
    let (item, draws) = ((0..20).find(|&i| world.counts.row(i).sum() == 2).unwrap(), 200_000);
    let x = design.row(item)[0];
    let c = &map.regression.covariance;
    let sd = (c[0][0] + 2.0 * x * c[0][1] + x * x * c[1][1]).sqrt();
    assert!(sd > 0.3, "{sd}: nothing to average over");
    let mut stream = Stream::new(2);
    let draw = |_| 1.0 / (1.0 + (map.regression.log_trust_of(&[x]) + sd * stream.standard_normal()).exp());
    let r = (0..draws).map(draw).sum::<f64>() / f64::from(draws);
    let weight = (1.0 - r) / (1.0 - r + 2.0 * r);
    for (j, got) in beliefs.get(item).mean().enumerate() {
        let want = weight * world.q[[item, j]] + (1.0 - weight) * f64::from(world.counts[[item, j]]) / 2.0;
        assert!((got - want).abs() < 2e-3, "{got} for {want}");
    }
}

#[test]
fn maps_that_add_nothing_are_said_to() {
    let world = World::draw(30, 2, as_stated);
    let design = world.design();
    let items = JudgedItems { groups: &[], ..world.judged(&design) };
    assert_eq!(fit(MapName::Groups, &items, world.counts.view()).unwrap().unwrap_err(), Unavailable::OneGroup);
    let error = BeliefModel::Map(MapName::Groups).fit(&items, world.counts.view(), TrustPrior::Weak).unwrap_err();
    assert!(error.to_string().contains("`groups`") && error.to_string().contains("one group"), "{error}");
    let beliefs = BeliefModel::Map(MapName::Recalibrated).fit(&items, world.counts.view(), TrustPrior::Weak).unwrap();
    let (posterior, _) = beliefs.posterior(&items, world.counts.view());
    assert!(posterior.get(0).epistemic() > 0.0);
}

/// Ordinal labels: a judge that rates every item one place too high is corrected by a line, for which a handful of
/// labelled items is enough.
mod places {
    use super::*;

    const PLACES: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];

    fn bell(centre: f64, spread: f64) -> Vec<f64> {
        let mut logits: Vec<f64> = PLACES.iter().map(|place| -0.5 * ((place - centre) / spread).powi(2)).collect();
        softmax(&mut logits);
        logits
    }

    struct OnScale {
        q: Array2<f64>,
        p: Array2<f64>,
        counts: Array2<u32>,
        groups: Vec<usize>,
    }

    /// The judge's centre is off by so much in two groups.
    fn draw(items: usize, seed: u64, off: [f64; 2]) -> OnScale {
        let mut stream = Stream::new(seed);
        let empty = || Array2::zeros((items, 5));
        let mut world = OnScale { q: empty(), p: empty(), counts: Array2::zeros((items, 5)), groups: vec![] };
        for i in 0..items {
            world.groups.push(i % 2);
            let (centre, spread) = (2.0 + 2.0 * stream.random(), 0.7 + 0.5 * stream.random());
            let stated = bell(centre + off[i % 2], spread);
            let p = dirichlet(&mut stream, &bell(centre, spread).iter().map(|m| 8.0 * m).collect::<Vec<_>>());
            let mut counts = [0; 5];
            stream.multinomial(4, &p, &mut counts);
            for j in 0..5 {
                (world.q[[i, j]], world.p[[i, j]], world.counts[[i, j]]) = (stated[j], p[j], counts[j]);
            }
        }
        world
    }

    impl OnScale {
        fn judged<'a>(&'a self, design: &'a Design, places: &'a [f64]) -> JudgedItems<'a> {
            let items = JudgedItems::new(design, self.q.view(), &self.groups);
            JudgedItems { places, ..items }
        }

        fn error(&self, rung: MapName, places: &[f64]) -> f64 {
            let design = Design::constant(self.groups.len());
            let readings = self.judged(&design, places);
            let map = fit(rung, &readings, self.counts.view()).unwrap().unwrap();
            (&map.predictions(&readings) - &self.p).mapv(f64::abs).sum() / self.groups.len() as f64
        }
    }

    #[test]
    fn a_bell_is_moved_and_widened_as_it_should() {
        let moved = |bias: f64, slope: f64| {
            let logs: Vec<f64> = bell(2.5, 0.8).iter().map(|q| q.ln()).collect();
            let [by_bias, by_slope] = along(&PLACES, &logs);
            let mut logits: Vec<f64> = (0..5).map(|j| logs[j] + bias * by_bias[j] + slope * by_slope[j]).collect();
            softmax(&mut logits);
            logits
        };
        assert_close(&moved(0.7, 0.0), &bell(3.2, 0.8));
        // ln q(x - s (x - 3)) to the first order: a parabola of bend (1 - 2 s)/0.64 about a centre that is moved.
        let bend = 0.6 / 0.64_f64;
        let centre = (2.5 / 0.64 - 0.2 * (3.0 + 2.5) / 0.64) / bend;
        assert_close(&moved(0.0, 0.2), &bell(centre, bend.powf(-0.5)));
    }

    #[track_caller]
    fn assert_close(got: &[f64], want: &[f64]) {
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?} for {want:?}");
    }

    #[test]
    fn a_line_needs_few_labels() {
        let errors = |off: [f64; 2], rung: MapName, places: &[f64]| -> f64 {
            (12..18).map(|seed| draw(40, seed, off).error(rung, places)).sum::<f64>() / 6.0
        };
        let (line, biases) =
            (errors([1.0; 2], MapName::Temperature, &PLACES), errors([1.0; 2], MapName::Temperature, &[]));
        assert!(line < biases - 0.02, "{line} {biases}");
        let apart = [1.0, -1.0];
        let (known, names) = (errors(apart, MapName::Groups, &PLACES), errors(apart, MapName::Groups, &[]));
        assert!(known < names - 0.02, "{known} {names}");
        let world = draw(40, 12, [1.0, 1.0]);
        let design = Design::constant(40);
        let readings = world.judged(&design, &PLACES);
        let map = fit(MapName::Temperature, &readings, world.counts.view()).unwrap().unwrap();
        assert_eq!((map.variances[0].block.as_str(), map.variances[0].parameters), ("bias and slope", 2));
        let text = serde_json::to_string(&map).unwrap();
        let read: super::super::Map = serde_json::from_str(&text).unwrap();
        read.check(&[], 5, 2).unwrap();
        assert_eq!(read.predictions(&world.judged(&design, &[])), map.predictions(&readings));
        let fewer =
            serde_json::from_str::<super::super::Map>(&text.replace("[1.0,2.0,3.0,4.0,5.0]", "[1.0,2.0,2.0,4.0,5.0]"));
        assert!(fewer.unwrap().check(&[], 5, 2).unwrap_err().to_string().contains("has the places [1.0, 2.0, 2.0"));
    }

    #[test]
    fn names_have_no_line() {
        let world = draw(20, 14, [0.0; 2]);
        let design = Design::constant(20);
        let close = world.judged(&design, &[0.0, 1e-300, 1.0, 2.0, 3.0]);
        let map = fit(MapName::Temperature, &close, world.counts.view()).unwrap().unwrap();
        assert!(map.variances.iter().all(|variance| variance.block != "bias and slope"), "{:?}", map.variances);
        for places in [&[1.0, 2.0][..], &[1.0, 3.0, 2.0, 4.0, 5.0]] {
            let error = fit(MapName::Temperature, &world.judged(&design, places), world.counts.view()).unwrap_err();
            assert!(error.to_string().contains("5 classes at the places"), "{error}");
        }
    }
}

#[test]
fn a_belief_is_named_in_one_word() {
    let read = |text: &str| serde_json::from_str::<BeliefModel>(text).map_err(|e| e.to_string());
    assert_eq!(read("\"auto\""), Ok(BeliefModel::Auto));
    for rung in MapName::of_classes() {
        assert_eq!(read(&format!("\"{rung}\"")), Ok(BeliefModel::Map(rung)));
        let written = serde_json::to_string(&BeliefModel::Map(rung)).unwrap();
        assert_eq!(read(&written), Ok(BeliefModel::Map(rung)));
    }
    for gone in ["\"mixture\"", "\"smoothing\"", "{\"recalibrated\": {}}"] {
        assert!(read(gone).is_err(), "{gone}");
    }
    assert!(read("\"best\"").unwrap_err().contains("temperature"));
}

/// A map of another study: without labels it stands, and labels that contradict it take its weight away.
mod carried {
    use super::super::choice::{TransferVerdict, transfer};
    use super::*;

    fn sharpened(logs: &[f64], _: usize, _: f64) -> Vec<f64> {
        vec![0.4 * logs[0] + 0.8, 0.4 * logs[1], 0.4 * logs[2] - 0.8]
    }

    fn opposite(logs: &[f64], _: usize, _: f64) -> Vec<f64> {
        vec![logs[0] - 0.8, logs[1], logs[2] + 0.8]
    }

    fn map_of(world: &World, rung: MapName) -> super::super::Map {
        let design = world.design();
        fit(rung, &world.judged(&design), world.counts.view()).unwrap().unwrap()
    }

    #[test]
    fn without_labels_the_carried_map_stands_as_it_is() {
        let (there, here) = (World::draw(300, 51, sharpened), World::draw(40, 52, as_stated));
        let design = here.design();
        let none = Array2::<u32>::zeros((40, 3));
        for rung in [MapName::Temperature, MapName::Groups, MapName::Recalibrated] {
            let map = map_of(&there, rung);
            let carried = map.carry(&here.judged(&design));
            let readings = JudgedItems { carried: Some(&carried), ..here.judged(&design) };
            let wanted = map.predictions(&here.judged(&design));
            for own in MapName::of_classes() {
                let fitted = fit(own, &readings, none.view()).unwrap().unwrap();
                let off = (fitted.predictions(&readings) - &wanted).mapv(f64::abs).sum();
                assert!(off < 1e-9, "{rung} under {own}: {off}");
                let (weight, sd) = fitted.weight_of_carried().unwrap();
                assert!((weight - 1.0).abs() < 1e-12 && (sd - 0.5).abs() < 1e-9, "{weight} {sd}");
                // That it may not hold here, and what was unknown of it, lower the evidence.
                let before = fitted.reader(&readings).read(0);
                assert!(before.evidence() < before.log_trust.exp());
            }
            let (chosen, choice) = choose(&readings, none.view()).unwrap();
            assert_eq!((chosen.name(), choice.best), (MapName::Identity, None));
            let said = transfer(&readings, none.view()).unwrap().unwrap();
            assert_eq!((said.labelled_items, said.advantage, said.verdict), (0, None, TransferVerdict::Open));
        }
        assert_eq!(transfer(&here.judged(&design), none.view()).unwrap(), None);
    }

    #[test]
    fn labels_bear_a_map_out_or_take_its_weight_away() {
        let there = map_of(&World::draw(400, 53, sharpened), MapName::Temperature);
        let weigh = |here: &World| {
            let design = here.design();
            let carried = there.carry(&here.judged(&design));
            let readings = JudgedItems { carried: Some(&carried), ..here.judged(&design) };
            let (map, choice) = choose(&readings, here.counts.view()).unwrap();
            assert_eq!(choice.carried.unwrap().kept, map.is_on_a_carried_map());
            let alone = fit(MapName::Identity, &readings, here.counts.view()).unwrap().unwrap();
            let plain = fit(MapName::Identity, &here.judged(&design), here.counts.view()).unwrap().unwrap();
            let error = |map: &super::super::Map| here.error(&map.predictions(&readings));
            let said = transfer(&readings, here.counts.view()).unwrap().unwrap();
            (alone.weight_of_carried().unwrap(), error(&map) - error(&plain), said)
        };
        let ((weight, sd), gain, said) = weigh(&World::draw(150, 54, sharpened));
        assert!((weight - 1.0).abs() < 0.3 && sd < 0.2, "{weight} {sd}");
        assert!(gain < -0.05 && said.verdict == TransferVerdict::Supported, "{gain} {said:?}");
        let ((weight, _), harm, said) = weigh(&World::draw(150, 55, opposite));
        assert!(weight < 0.3 && harm < 0.01, "{weight} {harm}");
        assert!(said.verdict == TransferVerdict::Contradicted && said.advantage.unwrap() < -0.05, "{said:?}");
    }

    /// Left out, it leaves the study that would be without it.
    #[test]
    fn a_map_that_does_not_help_with_labels_held_out_is_left_out() {
        let there = map_of(&World::draw(400, 58, sharpened), MapName::Temperature);
        let here = World::draw(120, 59, as_stated);
        let design = here.design();
        let carried = there.carry(&here.judged(&design));
        let readings = JudgedItems { carried: Some(&carried), ..here.judged(&design) };
        let (map, choice) = choose(&readings, here.counts.view()).unwrap();
        let weighed = choice.carried.unwrap();
        assert!(!weighed.kept && weighed.ahead <= 0.0 && !map.is_on_a_carried_map(), "{weighed:?}");
        assert_eq!(map.weight_of_carried(), None);
        let (own, _) = choose(&here.judged(&design), here.counts.view()).unwrap();
        assert_eq!(map, own);
    }

    #[test]
    fn derivatives_and_files_hold_with_a_carried_map() {
        let there = map_of(&World::draw(120, 56, sharpened), MapName::Groups);
        let world = World::draw(25, 57, opposite);
        let design = world.design();
        let carried = there.carry(&world.judged(&design));
        let readings = JudgedItems { carried: Some(&carried), ..world.judged(&design) };
        let layout = MapLayout::try_new(MapName::Recalibrated, &readings, guesses(0.1)).unwrap();
        let posterior = FitItems::try_new(readings, world.counts.view()).unwrap().posterior(&layout);
        let mut stream = Stream::new(9);
        let at: Vec<f64> = posterior.centre.iter().map(|c| c + 0.2 * stream.standard_normal()).collect();
        let (here, h) = (posterior.at(&at), 1e-5);
        for k in 0..at.len() {
            let moved = |by: f64| {
                posterior.at(&at.iter().enumerate().map(|(i, x)| x + if i == k { by } else { 0.0 }).collect::<Vec<_>>())
            };
            let (up, down) = (moved(h), moved(-h));
            let slope = (up.value - down.value) / (2.0 * h);
            assert!((here.gradient[k] - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{k}: {} {slope}", here.gradient[k]);
        }
        let map = fit(MapName::Recalibrated, &readings, world.counts.view()).unwrap().unwrap();
        let back: super::super::Map = serde_json::from_str(&serde_json::to_string(&map).unwrap()).unwrap();
        assert_eq!(back.posterior(&readings, world.counts.view()), map.posterior(&readings, world.counts.view()));
        assert!(back.is_on_a_carried_map() && back.weight_of_carried() == map.weight_of_carried());
        let other = carried.select(&[0, 1]);
        let error = fit(MapName::Recalibrated, &JudgedItems { carried: Some(&other), ..readings }, world.counts.view())
            .unwrap_err();
        assert!(error.to_string().contains("25 items, a map carried over for 2"), "{error}");
    }
}
