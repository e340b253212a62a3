//! What of an item its components' trust, logits and weights are linear in.

use std::ops::Range;

use crate::belief::ladder::contrasts;
use crate::belief::ladder::layout::{Layout, Terms};
use crate::belief::ladder::readings::Readings;

/// Where parameters stand: beta with the intercept first, then the map that all components share (theta, then V row by row), then of every
/// component a temperature, a bias of each contrast, its trust and its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    pub(super) components: usize,
    pub(super) classes: usize,
    pub(super) features: usize,
    vectors: usize,
    numbers: usize,
    /// What the weights of components read: 1, the prediction, features.
    pub(super) inputs: usize,
}

/// Number of parameters of so many components beside the map that they share.
pub(in crate::belief::ladder) fn own_parameters(layout: &Layout, components: usize) -> usize {
    components * (layout.classes + 1 + layout.inputs_of_weights())
}

impl Places {
    pub(super) fn of(layout: &Layout, features: usize, components: usize) -> Self {
        let (vectors, numbers) = (layout.vectors(), layout.numbers());
        Self { components, classes: layout.classes, features, vectors, numbers, inputs: layout.inputs_of_weights() }
    }

    /// Contrasts of the classes.
    pub(super) fn width(&self) -> usize {
        self.classes - 1
    }

    pub(super) fn shared(&self) -> usize {
        1 + self.features + self.vectors + self.width() * self.numbers
    }

    /// Parameters of one component.
    fn own(&self) -> usize {
        self.classes + 1 + self.inputs
    }

    pub(super) fn all(&self) -> usize {
        self.shared() + self.components * self.own()
    }

    fn first(&self, component: usize) -> usize {
        self.shared() + component * self.own()
    }

    /// Temperature and biases of a component.
    pub(super) fn map(&self, component: usize) -> Range<usize> {
        let first = self.first(component);
        first..first + self.classes
    }

    /// What a component's trust is above the others'.
    pub(super) fn trust(&self, component: usize) -> usize {
        self.first(component) + self.classes
    }

    /// What its weight reads.
    pub(super) fn weight(&self, component: usize) -> Range<usize> {
        let first = self.trust(component) + 1;
        first..first + self.inputs
    }
}

/// An item's numbers.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// 1 and the features of the trust.
    pub(super) z: Vec<f64>,
    /// The logits that all parameters at 0 leave.
    pub(super) base: Vec<f64>,
    /// By contrast, the shared vectors' contrast.
    vectors: Vec<f64>,
    numbers: Vec<f64>,
    /// The contrasts of the log prediction.
    prediction: Vec<f64>,
    /// What weights read.
    inputs: Vec<f64>,
}

/// A number's coefficients, by the position of the parameter.
pub(super) type Row = Vec<(usize, f64)>;

impl Item {
    pub(super) fn of(layout: &Layout, readings: &Readings, i: usize) -> Self {
        let Terms { vectors, numbers } = layout.terms(readings, i);
        let width = layout.classes - 1;
        let mut by_contrast = vec![0.0; vectors.len() / layout.classes * width];
        for (vector, to) in vectors.chunks_exact(layout.classes).zip(by_contrast.chunks_exact_mut(width)) {
            contrasts::of(vector, to);
        }
        Self {
            z: std::iter::once(1.0).chain(readings.items.features(i).iter().copied()).collect(),
            base: layout.base(readings, i),
            vectors: by_contrast,
            numbers,
            prediction: layout.contrasts_of_prediction(readings, i),
            inputs: layout.inputs_of_weight(readings, i),
        }
    }

    /// The shared part of the log trust.
    pub(super) fn shared_trust(&self) -> Row {
        self.z.iter().copied().enumerate().collect()
    }

    /// The shared part of the logits' contrast `m`.
    pub(super) fn shared_contrast(&self, places: &Places, m: usize) -> Row {
        let width = places.width();
        let theta = 1 + places.features;
        let v = theta + places.vectors + m * places.numbers;
        let vectors = (0..places.vectors).map(|s| (theta + s, self.vectors[s * width + m]));
        vectors.chain(self.numbers.iter().enumerate().map(|(f, x)| (v + f, *x))).filter(|(_, x)| *x != 0.0).collect()
    }

    /// A component's own part of it.
    pub(super) fn own_contrast(&self, places: &Places, component: usize, m: usize) -> Row {
        let first = places.map(component).start;
        vec![(first, self.prediction[m]), (first + 1 + m, 1.0)]
    }

    /// The logit of a component's weight.
    pub(super) fn weight(&self, places: &Places, component: usize) -> Row {
        places.weight(component).zip(self.inputs.iter().copied()).collect()
    }
}

/// Its value at some parameters.
pub(super) fn value(row: &[(usize, f64)], parameters: &[f64]) -> f64 {
    row.iter().map(|(k, x)| x * parameters[*k]).sum()
}
