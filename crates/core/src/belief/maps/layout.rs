//! What a map adds to an item's log prediction: the terms of a linear model of its logits.

use std::fmt;
use std::ops::Range;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::guesses::Guesses;
use super::names::MapName;
use super::waves::{LENGTH_SCALES, Waves};
use crate::belief::contrasts::{self, centred};
use crate::belief::dirichlet_multinomial::{DirichletMultinomial, FIRST_CONTRAST, LabelledItem};
use crate::belief::engine::{Likelihood, Move, Shape, Terms, VarianceBlock, trust_moves};
use crate::belief::judged::{JudgedItems, ascend};
use crate::belief::regression::{Unfit, that};
use crate::random::Stream;

/// More parameters than this are not fitted: their second derivatives are a matrix.
pub const MOST_PARAMETERS: usize = 600;
/// No fit has more classes, groups or variants.
const MOST_SIZE: usize = 1 << 20;
/// Frequencies of each length scale for two or three classes, and at least.
const FREQUENCIES: (usize, usize) = (12, 4);
/// Seed of the frequencies.
const SEED: u64 = 0x1ADD;

/// The terms of a recalibration, with the scales of its inputs: enough to apply it to items outside the fit.
///
/// ```text
/// u = ln r + a_0 + sum_s theta_s a_s + C V phi,   r = (1 - g) q + g pi
/// ```
///
/// with g the share of guesses, pi the distribution of guesses ([`Guesses`]), a_0 the logits that another study's
/// recalibration adds (0 without one; with one a_1 = a_0, and theta_1 is its weight less 1), a_s vectors over classes
/// (log predictions, their slopes along a scale), phi numbers of the item (1, its group, log predictions, waves), C the
/// orthonormal contrasts of the classes and V a (K - 1) x d matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MapLayout {
    #[serde(rename = "rung")]
    pub(super) name: MapName,
    pub(super) classes: usize,
    /// The part of every prediction that counts as a guess.
    pub(super) guesses: Guesses,
    /// Names of the trust's features.
    pub(super) features: Vec<String>,
    groups: usize,
    variants: usize,
    /// Which of the trust's features are inputs of the process.
    inputs: Vec<usize>,
    /// Where the classes stand, if they have a bias and a slope along a scale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    places: Vec<f64>,
    /// Of the inputs of waves: the contrasts of the log prediction; 0 and 1 where the map has no waves.
    prediction: InputScale,
    /// Of the variants' deviations from the prediction.
    deviation: InputScale,
    of_prediction: Vec<Waves>,
    /// Of predictions, variants and features together; none where there is nothing beside the prediction.
    of_all: Vec<Waves>,
    /// Blocks that the labels want none of: their parameters are 0, and they have no terms.
    without: Vec<TermKind>,
    /// Whether a map that was fitted elsewhere is where this one starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) carried: bool,
}

/// Where inputs are centred and by what they are divided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct InputScale {
    centre: Vec<f64>,
    unit: f64,
}

impl InputScale {
    /// One unit for all coordinates, so that no direction among the classes is stretched.
    fn new(rows: &[f64], width: usize) -> Self {
        let rows = || rows.chunks_exact(width.max(1));
        let n = rows().len().max(1) as f64;
        let mut centre = vec![0.0; width];
        rows().for_each(|row| centre.iter_mut().zip(row).for_each(|(c, x)| *c += x / n));
        let square = |row: &[f64]| row.iter().zip(&centre).map(|(x, c)| (x - c) * (x - c)).sum::<f64>();
        let variance = rows().map(square).sum::<f64>() / (n * width.max(1) as f64);
        Self { centre, unit: if variance > 1e-18 { variance.sqrt() } else { 1.0 } }
    }

    fn is_for(&self, width: usize) -> bool {
        let finite = self.centre.iter().chain([&self.unit]).all(|x| x.is_finite());
        self.centre.len() == width && finite && self.unit > 0.0
    }

    fn append(&self, row: &[f64], out: &mut Vec<f64>) {
        out.extend(row.iter().zip(&self.centre).map(|(x, c)| (x - c) / self.unit));
    }
}

/// What the terms of a block are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TermKind {
    Line,
    Common,
    Groups,
    LineOfGroups,
    Variants,
    Matrix,
    /// Waves of the prediction, by length scale.
    Prediction(usize),
    /// Waves of all inputs, by length scale.
    All(usize),
    /// The weight of another study's recalibration, less 1.
    Carried,
}

impl TermKind {
    /// What the block is called in results.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Line => BIAS_AND_SLOPE,
            Self::Common => "temperature and biases",
            Self::Groups => "groups",
            Self::LineOfGroups => "biases and slopes of groups",
            Self::Variants => "variants",
            Self::Matrix => "matrix",
            Self::Prediction(0) => "short waves of the prediction",
            Self::Prediction(_) => "long waves of the prediction",
            Self::All(0) => "short waves of all inputs",
            Self::All(_) => "long waves of all inputs",
            Self::Carried => "weight of the carried map",
        }
    }
}

/// Terms that share a variance.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TermBlock {
    pub(super) kind: TermKind,
    /// Positions among the vectors over classes.
    pub(super) vectors: Range<usize>,
    /// Positions among an item's numbers.
    pub(super) numbers: Range<usize>,
}

/// What of an item a map reads beside its prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reads<'a> {
    /// Features of the trust, by name.
    pub features: Vec<&'a str>,
    /// How many of the judge's variants; 0 for none.
    pub variants: usize,
    /// Whether it has terms of the items' groups.
    pub groups: bool,
}

impl MapLayout {
    /// The terms of a map of these items; `None` where it would add nothing to a simpler one or has too many
    /// parameters.
    pub(super) fn try_new(name: MapName, items: &JudgedItems, guesses: Guesses) -> Result<Self, Unavailable> {
        let mut layout = Self::without_scales(name, items, guesses.clone())?;
        if layout.of_prediction.is_empty() {
            return Ok(layout);
        }
        let (width, variants) = (layout.classes - 1, layout.variants);
        let smoothed = |q: ArrayView1<f64>| guesses.smoothed(q);
        let mut of_predictions = Vec::with_capacity(items.len() * width);
        items.q.rows().into_iter().for_each(|q| of_predictions.extend(coordinates(smoothed(q))));
        let deviations: Vec<f64> = (0..items.len())
            .flat_map(|i| (0..variants).map(move |v| (i, v)))
            .flat_map(|(i, v)| deviation(smoothed(items.variants[v].row(i)), smoothed(items.q.row(i))))
            .collect();
        layout.prediction = InputScale::new(&of_predictions, width);
        // Deviations have mean 0 over the variants, and their size is what counts.
        layout.deviation = InputScale { centre: vec![0.0; width], ..InputScale::new(&deviations, width) };
        Ok(layout)
    }

    /// [`Self::try_new`] but for the scales, which a process reads.
    pub(super) fn without_scales(name: MapName, items: &JudgedItems, guesses: Guesses) -> Result<Self, Unavailable> {
        let classes = items.q.ncols();
        let groups = items.groups.iter().max().map_or(0, |g| g + 1);
        let variants = if items.variants.len() > 1 { items.variants.len() } else { 0 };
        let features = items.design.measures();
        // How the labels were collected says nothing about what an item is.
        let inputs: Vec<usize> = (0..features.len()).filter(|&k| !features[k].is_about_labels()).collect();
        match name {
            name if name.words_of_classes().is_none() => return Err(Unavailable::OfRatings),
            MapName::Groups if groups < 2 => return Err(Unavailable::OneGroup),
            _ => {}
        }
        let mut layout = Self {
            name,
            classes,
            guesses,
            features: items.design.names().map(str::to_owned).collect(),
            groups: if groups > 1 { groups } else { 0 },
            variants,
            inputs,
            places: if has_line(items.places) { items.places.to_vec() } else { vec![] },
            prediction: InputScale::new(&[], classes - 1),
            deviation: InputScale::new(&[], classes - 1),
            of_prediction: vec![],
            of_all: vec![],
            without: vec![],
            carried: items.carried.is_some(),
        };
        if name == MapName::Recalibrated {
            layout.draw_waves();
        }
        if layout.parameters() > MOST_PARAMETERS && name > MapName::Temperature {
            return Err(Unavailable::TooMany(layout.parameters()));
        }
        Ok(layout)
    }

    /// Whether it is a layout of these features, classes and groups that can be computed with.
    pub(super) fn check(&self, features: &[&str], classes: usize, groups: usize) -> Result<(), Unfit> {
        let of_classes = self.name.words_of_classes().is_some();
        that(of_classes, "layout", || format!("has the map {}, which reads ratings", self.name))?;
        that(self.classes == classes && classes > 1, "layout", || format!("is for {} classes", self.classes))?;
        let same = self.features.len() == features.len() && self.features.iter().zip(features).all(|(a, b)| a == b);
        that(same, "layout", || format!("has the features {:?}, which are not those of the belief", self.features))?;
        let grouped = if self.name >= MapName::Groups && groups > 1 { groups } else { self.groups };
        that(self.groups == grouped, "layout", || format!("has {} groups and must have {grouped}", self.groups))?;
        // Every term is a parameter, so these sizes bound the room that is taken.
        let sizes = [self.classes, self.groups, self.variants];
        let small = sizes.iter().all(|&size| size <= MOST_SIZE) && self.inputs.iter().all(|&k| k < features.len());
        that(small, "layout", || format!("has sizes that no fit has: {sizes:?}, inputs {:?}", self.inputs))?;
        let Guesses { share, seen } = &self.guesses;
        let possible = (0.0..1.0).contains(share) && (*share == 0.0 || self.name > MapName::Identity);
        let guess = seen.len() == classes && seen.iter().all(|p| *p >= 1.0 && p.is_finite());
        that(possible && guess, "layout", || format!("has {share} as the share of guesses among {seen:?}"))?;
        let placed = self.places.is_empty() || self.places.len() == classes && has_line(&self.places);
        that(placed, "layout", || format!("has the places {:?}", self.places))?;
        let width = classes - 1;
        let all = width * (1 + self.variants) + self.inputs.len();
        let waves = |waves: &[Waves], inputs: usize| {
            waves.len() <= LENGTH_SCALES.len() && waves.iter().all(|w| w.takes(inputs))
        };
        let of_process = self.name == MapName::Recalibrated || self.of_prediction.is_empty() && self.of_all.is_empty();
        let shaped = of_process && waves(&self.of_prediction, width) && waves(&self.of_all, all);
        that(shaped, "layout", || "has waves that do not fit its inputs".to_owned())?;
        let scaled = [&self.prediction, &self.deviation].iter().all(|scale| scale.is_for(width));
        that(scaled, "layout", || "has a scale that does not fit its classes, or is not finite".to_owned())
    }

    fn draw_waves(&mut self) {
        let width = self.classes - 1;
        let (usual, least) = FREQUENCIES;
        let frequencies = if width <= 2 { usual } else { (2 * usual / width).max(least) };
        let mut stream = Stream::new(SEED);
        let all = width * (1 + self.variants) + self.inputs.len();
        let mut draw = |inputs: usize| -> Vec<Waves> {
            LENGTH_SCALES.map(|length| Waves::draw(&mut stream, inputs, frequencies, length)).to_vec()
        };
        self.of_prediction = draw(width);
        if all > width {
            self.of_all = draw(all);
        }
    }

    /// What of an item it reads beside the prediction.
    pub(super) fn reads(&self) -> Reads<'_> {
        let kinds: Vec<TermKind> = self.sizes().into_iter().map(|(kind, ..)| kind).collect();
        let all = kinds.iter().any(|kind| matches!(kind, TermKind::All(_)));
        Reads {
            features: if all { self.inputs.iter().map(|&k| self.features[k].as_str()).collect() } else { vec![] },
            variants: if all || kinds.contains(&TermKind::Variants) { self.variants } else { 0 },
            groups: kinds.contains(&TermKind::Groups),
        }
    }

    /// Whether it has terms of each group.
    pub(super) fn is_by_group(&self) -> bool {
        self.name >= MapName::Groups && self.groups > 0
    }

    /// Number of vectors over classes.
    pub(super) fn vectors(&self) -> usize {
        self.blocks().last().map_or(0, |block| block.vectors.end)
    }

    /// Number of an item's numbers, d.
    pub(super) fn numbers(&self) -> usize {
        self.blocks().last().map_or(0, |block| block.numbers.end)
    }

    /// Number of the map's parameters.
    pub(super) fn parameters(&self) -> usize {
        self.vectors() + (self.classes - 1) * self.numbers()
    }

    /// The blocks of terms, in order.
    pub(super) fn blocks(&self) -> Vec<TermBlock> {
        let mut blocks: Vec<TermBlock> = vec![];
        for (kind, vectors, numbers) in self.sizes() {
            let (v, n) = blocks.last().map_or((0, 0), |last: &TermBlock| (last.vectors.end, last.numbers.end));
            blocks.push(TermBlock { kind, vectors: v..v + vectors, numbers: n..n + numbers });
        }
        blocks
    }

    /// Numbers of vectors and of numbers by kind, of the kinds that there are.
    fn sizes(&self) -> Vec<(TermKind, usize, usize)> {
        let at_least = |name: MapName, size: usize| if self.name >= name { size } else { 0 };
        let variants = if self.name == MapName::Recalibrated { self.variants } else { 0 };
        let groups = at_least(MapName::Groups, self.groups);
        let common = at_least(MapName::Temperature, 1);
        let line = if self.places.is_empty() { 0 } else { at_least(MapName::Temperature, VECTORS) };
        let mut sizes = vec![
            (TermKind::Carried, usize::from(self.carried), 0),
            (TermKind::Line, line, 0),
            (TermKind::Common, common, common),
            (TermKind::Groups, groups, groups),
            (TermKind::LineOfGroups, groups * line, 0),
            (TermKind::Variants, variants, 0),
            (TermKind::Matrix, 0, if self.name == MapName::Recalibrated { self.classes } else { 0 }),
        ];
        sizes.extend(
            self.of_prediction.iter().enumerate().map(|(k, waves)| (TermKind::Prediction(k), 0, waves.features())),
        );
        sizes.extend(self.of_all.iter().enumerate().map(|(k, waves)| (TermKind::All(k), 0, waves.features())));
        sizes.retain(|(kind, vectors, numbers)| vectors + numbers > 0 && !self.without.contains(kind));
        sizes
    }

    /// This layout without some blocks.
    pub(super) fn leave_out(&mut self, kinds: &[TermKind]) {
        self.without.extend(kinds);
    }

    /// Whether the weight of another study's recalibration is its first parameter.
    pub(super) fn has_weight(&self) -> bool {
        self.carried && !self.without.contains(&TermKind::Carried)
    }

    /// The order of the parameters of this recalibration, which follow those of `features` features.
    pub(super) fn shape(&self, features: usize) -> Shape {
        let first_number = 1 + features + self.vectors();
        Shape { features, size: self.likelihood().size(), first_moved: 1, first_number, numbers: self.numbers() }
    }

    /// The likelihood of the labels, as this map reads their items.
    pub(super) fn likelihood(&self) -> DirichletMultinomial {
        DirichletMultinomial { classes: self.classes, bent: self.vectors() + self.numbers() > 0 }
    }

    /// The blocks of parameters whose variances are fitted, in order; they follow the parameters of `features`
    /// features.
    pub(super) fn variance_blocks(&self, features: usize) -> Vec<VarianceBlock> {
        let (shape, width) = (self.shape(features), self.likelihood().width());
        let of_block = |block: TermBlock| {
            let vectors = block.vectors.map(|s| 1 + features + s);
            let numbers = |m: usize| block.numbers.clone().map(move |f| shape.of_numbers(m).start + f);
            let positions = vectors.chain((0..width).flat_map(numbers)).collect();
            let own = VarianceBlock::new(block.kind.name(), positions);
            match block.kind {
                TermKind::Carried => {
                    VarianceBlock { variance: PRIOR_OF_VARIANCE.0, prior: Some(PRIOR_OF_VARIANCE), ..own }
                }
                _ => own,
            }
        };
        self.blocks().into_iter().map(of_block).collect()
    }
}

/// Reads items as a layout has them; what all of them share is worked out once.
pub(super) struct ItemReader<'a, 'b> {
    layout: &'a MapLayout,
    items: &'a JudgedItems<'b>,
    shape: Shape,
    blocks: Vec<TermBlock>,
    /// The part that counts as a guess, at first the layout's; an item with labels is read without its own.
    pub(super) guesses: Guesses,
    contrast: Vec<f64>,
}

impl<'a, 'b> ItemReader<'a, 'b> {
    pub(super) fn new(layout: &'a MapLayout, items: &'a JudgedItems<'b>) -> Self {
        let shape = layout.shape(items.design.features());
        let contrast = vec![0.0; layout.classes - 1];
        Self { layout, items, shape, blocks: layout.blocks(), guesses: layout.guesses.clone(), contrast }
    }

    /// Item `i` with labels. An item of a group that the fit did not have is one of no group.
    pub(super) fn read(&mut self, i: usize, labels: Vec<u32>) -> Terms<LabelledItem> {
        let own = LabelledItem { base: vec![], counts: labels };
        let mut item = Terms { moves: vec![], numbers: vec![], times: 1, item: own };
        self.read_again(i, &mut item);
        item
    }

    /// Reads item `i` once more, under another share of guesses; its labels stay.
    pub(super) fn read_again(&mut self, i: usize, item: &mut Terms<LabelledItem>) {
        let (items, z) = (self.items, self.items.features(i));
        let Terms { moves, numbers, item: LabelledItem { base, counts }, .. } = item;
        let guesses =
            if self.guesses.share > 0.0 { self.guesses.clone().without(counts) } else { self.guesses.clone() };
        base.clear();
        base.extend(guesses.smoothed(items.q.row(i)).into_iter().map(f64::ln));
        let q = centred(base.clone());
        if self.layout.carried {
            base.iter_mut().zip(carried(items).added(i)).for_each(|(u, a)| *u += a);
        }
        moves.clear();
        moves.extend(trust_moves(z));
        numbers.clear();
        numbers.reserve_exact(self.shape.numbers);
        self.append_terms(i, &guesses, &q, moves, numbers);
    }

    /// What moves the vectors over classes, one after the other, and the numbers of item `i`.
    fn append_terms(&mut self, i: usize, guesses: &Guesses, q: &[f64], moves: &mut Vec<Move>, numbers: &mut Vec<f64>) {
        let (layout, items, shape, contrast) = (self.layout, self.items, self.shape, &mut self.contrast);
        let mut inputs = WaveInputs { guesses, of_prediction: vec![], of_all: vec![] };
        let group = items.groups.get(i).copied().filter(|g| *g < layout.groups);
        let mut vector = |s: usize, vector: &[f64]| {
            contrasts::project(vector, contrast);
            let moved = contrast.iter().enumerate().filter(|(_, by)| **by != 0.0);
            let (parameter, first) = (1 + shape.features + s, FIRST_CONTRAST);
            let of = |(m, by): (usize, &f64)| Move { parameter, coordinate: first + m, weight: *by };
            moves.extend(moved.map(of));
        };
        for TermBlock { kind, vectors, numbers: places } in &self.blocks {
            let first = vectors.start;
            match *kind {
                TermKind::Carried => vector(first, &carried(items).added(i).to_vec()),
                TermKind::Line => along(&layout.places, q).iter().enumerate().for_each(|(k, x)| vector(first + k, x)),
                TermKind::Common => {
                    vector(first, q);
                    numbers.push(1.0);
                }
                TermKind::Groups => {
                    numbers.resize(places.end, 0.0);
                    if let Some(g) = group {
                        vector(first + g, q);
                        numbers[places.start + g] = 1.0;
                    }
                }
                TermKind::LineOfGroups => {
                    if let Some(g) = group {
                        let own = first + VECTORS * g;
                        along(&layout.places, q).iter().enumerate().for_each(|(k, x)| vector(own + k, x));
                    }
                }
                // Items of another judge, without its variants, have no deviation.
                TermKind::Variants => {
                    for (v, variant) in items.variants.iter().enumerate().take(layout.variants) {
                        let mut own = centred_log(guesses.smoothed(variant.row(i)));
                        own.iter_mut().zip(q).for_each(|(own, q)| *own -= q);
                        vector(first + v, &own);
                    }
                }
                TermKind::Matrix => numbers.extend(q),
                TermKind::Prediction(k) => {
                    layout.of_prediction[k].append(inputs.of_prediction(layout, items, i), numbers)
                }
                TermKind::All(k) => layout.of_all[k].append(inputs.of_all(layout, items, i), numbers),
            }
        }
    }
}

/// An item's inputs of waves, as far as they are needed.
struct WaveInputs<'a> {
    guesses: &'a Guesses,
    of_prediction: Vec<f64>,
    of_all: Vec<f64>,
}

impl WaveInputs<'_> {
    fn of_prediction(&mut self, layout: &MapLayout, items: &JudgedItems, i: usize) -> &[f64] {
        if self.of_prediction.is_empty() {
            let q = self.guesses.smoothed(items.q.row(i));
            layout.prediction.append(&coordinates(q), &mut self.of_prediction);
        }
        &self.of_prediction
    }

    fn of_all(&mut self, layout: &MapLayout, items: &JudgedItems, i: usize) -> &[f64] {
        if self.of_all.is_empty() {
            self.of_all = self.of_prediction(layout, items, i).to_vec();
            let guesses = self.guesses;
            for v in 0..layout.variants {
                let read = |q: &ArrayView2<f64>| guesses.smoothed(q.row(i));
                let of = |variant: &Array2<f64>| deviation(read(&variant.view()), read(&items.q));
                let row = items.variants.get(v).map_or_else(|| vec![0.0; layout.classes - 1], of);
                layout.deviation.append(&row, &mut self.of_all);
            }
            let features = items.features(i);
            self.of_all.extend(layout.inputs.iter().map(|&k| features[k]));
        }
        &self.of_all
    }
}

/// Why a map is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unavailable {
    /// All items are of one group.
    OneGroup,
    /// No share of guesses makes the labels likelier.
    NoGuesses,
    /// So many parameters.
    TooMany(usize),
    /// It would have more parameters than the labels carry numbers ([`super::choose`]).
    TooFewLabels {
        /// Its parameters.
        parameters: usize,
        /// What the labels carry.
        numbers: usize,
    },
    /// It reads ratings.
    OfRatings,
    /// It reads classes.
    OfClasses,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneGroup => f.write_str("all items are of one group"),
            Self::NoGuesses => f.write_str("no share of guesses makes the labels likelier"),
            Self::OfClasses => f.write_str("it reads classes, and these are ratings"),
            Self::OfRatings => f.write_str("it reads ratings, and these are classes"),
            Self::TooFewLabels { parameters, numbers } => {
                write!(
                    f,
                    "it would have {parameters} parameters, more than the {numbers} numbers that the labels carry"
                )
            }
            Self::TooMany(parameters) => {
                write!(f, "it would have {parameters} parameters, more than {MOST_PARAMETERS}")
            }
        }
    }
}

fn carried<'a>(items: &JudgedItems<'a>) -> &'a CarriedOffsets {
    items.carried.expect("the items must come with the map that was carried to those of the fit")
}

/// ln q less its mean over the classes.
fn centred_log(q: Vec<f64>) -> Vec<f64> {
    centred(q.into_iter().map(f64::ln).collect())
}

/// The contrasts of a log prediction.
fn coordinates(q: Vec<f64>) -> Vec<f64> {
    let logs = centred_log(q);
    let mut out = vec![0.0; logs.len() - 1];
    contrasts::project(&logs, &mut out);
    out
}

/// The contrasts of a variant's log prediction less those of the prediction.
fn deviation(variant: Vec<f64>, q: Vec<f64>) -> Vec<f64> {
    let mut out = coordinates(variant);
    out.iter_mut().zip(coordinates(q)).for_each(|(x, q)| *x -= q);
    out
}

/// Prior standard deviation of the weight of a recalibration from another study, about 1; a weight of 0 ignores it.
const SD_OF_WEIGHT: f64 = 0.5;
/// What that counts for beside the labels here, in parameters that they determine.
const DEGREES: f64 = 1.0;

/// The prior of the variance of the weight about 1: what it is before any label, and for how many weights that counts.
pub(super) const PRIOR_OF_VARIANCE: (f64, f64) = (SD_OF_WEIGHT * SD_OF_WEIGHT, DEGREES);

/// The logits that a recalibration fitted on another study adds to the log predictions of some items.
///
/// ```text
/// u = ln r + w a + what the map here adds,   w ~ N(1, s^2),   a = u' - ln q
/// ```
///
/// with u' the logits of the recalibration from the other study, q the prediction and r the prediction with the share
/// of guesses found here. The weight w is fitted together with the recalibration here. s^2 maximises the labels'
/// marginal likelihood under a prior that counts as one label-determined weight of variance 0.25 (a scaled inverse
/// chi-squared with one degree of freedom). Without labels s^2 is 0.25 and w is 1, so the other study's recalibration
/// applies unchanged. Labels that contradict it raise s^2, which lets w go to 0. The other study's uncertainty about
/// its recalibration counts w^2 times.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedOffsets {
    added: Array2<f64>,
    unknown: Vec<f64>,
}

impl CarriedOffsets {
    pub(super) fn new(added: Array2<f64>, unknown: Vec<f64>) -> Self {
        Self { added, unknown }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.unknown.len()
    }

    /// That of the items at these positions.
    pub fn select(&self, kept: &[usize]) -> Self {
        Self { added: self.added.select(Axis(0), kept), unknown: kept.iter().map(|&i| self.unknown[i]).collect() }
    }

    /// What it adds to the log prediction of item `i`, of mean 0 over the classes.
    pub(in crate::belief) fn added(&self, i: usize) -> ArrayView1<'_, f64> {
        self.added.row(i)
    }

    /// The part of the expected squared error of the recalibrated mean that is due to the other study's uncertainty
    /// about its parameters.
    pub(in crate::belief) fn unknown(&self, i: usize) -> f64 {
        self.unknown[i]
    }
}

/// A slope at a place is that of a parabola through so many.
const FEWEST_PLACES: usize = 3;
/// Places nearer to each other than this share of the mean step have no slope between them.
const LEAST_STEP: f64 = 0.01;

/// What the block of a bias and a slope is called among a map's variances ([`super::Variance`]).
pub const BIAS_AND_SLOPE: &str = "bias and slope";

/// For the bias and for the slope.
pub(super) const VECTORS: usize = 2;

/// What moves a log prediction along its places x, in mean steps from one place to the next: minus its slope there, and
/// minus (x - m) times its slope, m the middle of the scale.
///
/// ln q(x - b) = ln q(x) - b (ln q)'(x) to the first order in b, and but for a constant exactly if ln q is a parabola;
/// likewise ln q(x - s (x - m)). The slope at a place is that of the parabola through it and its neighbours.
pub(super) fn along(places: &[f64], logs: &[f64]) -> [Vec<f64>; VECTORS] {
    let last = places.len() - 1;
    let step = (places[last] - places[0]) / last as f64;
    let middle = 0.5 * places[0] + 0.5 * places[last];
    let slope = |j: usize| {
        let a = j.clamp(1, last - 1);
        let (x, y) = (&places[a - 1..=a + 1], &logs[a - 1..=a + 1]);
        let first = (y[1] - y[0]) / (x[1] - x[0]);
        let second = (y[2] - y[1]) / (x[2] - x[1]);
        let bend = (second - first) / (x[2] - x[0]);
        first + bend * (2.0 * places[j] - x[0] - x[1])
    };
    let bias: Vec<f64> = (0..places.len()).map(|j| -slope(j) * step).collect();
    let stretch = bias.iter().zip(places).map(|(b, x)| b * ((x - middle) / step)).collect();
    [bias, stretch].map(centred)
}

/// Whether classes at these places, ascending, can have a bias and a slope: three places or more, none nearer
/// to the next than a hundredth of the mean step.
pub(super) fn has_line(places: &[f64]) -> bool {
    places.len() >= FEWEST_PLACES && {
        let least = LEAST_STEP * (places[places.len() - 1] - places[0]) / (places.len() - 1) as f64;
        ascend(places) && places.windows(2).all(|pair| pair[1] - pair[0] >= least)
    }
}
