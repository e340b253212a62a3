//! The components of a mixture with their weights, and what labels and draws make of them.

use super::weights::{add, add_one};
use crate::belief::dirichlet::Dirichlet;
use crate::belief::traits::Belief;
use crate::random::Stream;

/// A belief sum_c w_c Dir(alpha_c) about one item's label distribution p over K >= 2 classes, of C >= 1 components.
///
/// w_c > 0 are the components' weights, which sum to 1, alpha_c their evidence by class in labels, s_c = sum_j
/// alpha_cj, m_c = alpha_c / s_c, and m = sum_c w_c m_c the mean. With [`Dirichlet`]'s parts of each component and G(m)
/// = 1 - sum_j m_j^2, in nats:
///
/// ```text
/// total       H(m)                                                         0 .. ln K
/// aleatoric   E[H(p)]  = sum_c w_c E_c[H(p)]                               0 .. total
/// epistemic   I(y; p)  = sum_c w_c (I_c + sum_j m_cj ln(m_cj / m_j))       total - aleatoric, >= 0
/// spread      v        = sum_c w_c (v_c + |m_c - m|^2)                     expected squared error of m
/// label value Delta    = sum_y m_y |m' - m|^2                              its expected fall by one label
/// evidence             = G(m) / v - 1                                      of a Dirichlet belief with this mean and v
/// ```
///
/// m' being the mean after a label y. Labels update the components as ever, alpha_c + n, and the weights by how likely
/// each component found them:
///
/// ```text
/// w_c' ~ w_c G(s_c) / G(s_c + |n|) prod_j G(alpha_cj + n_j) / G(alpha_cj),    G the gamma function
/// ```
///
/// What k labels are expected to do is a sum over the numbers of labels by class that they may show, where there are at
/// most [`Mixture::MOST_OUTCOMES`] of them; of more outcomes 256 are drawn (64 for the Manhattan and Wasserstein
/// error), from a stream of a fixed seed, so that the same belief has the same value. The expected v and I fall with
/// every label, and I by less and less; v may fall by more with a later label than with the one before: the first may
/// only tell the components apart.
///
/// A belief of one component is that [`Dirichlet`], bit by bit.
///
/// ```
/// use judge_uncertainty_core::belief::{Belief, Dirichlet, Mixture};
///
/// // The judge says "yes", and is either right or has it the wrong way round.
/// let (weights, alpha) = ([0.8, 0.2], [9.0, 1.0, 1.0, 9.0]);
/// let belief = Mixture::new(&weights, &alpha, 2);
/// assert!((belief.mean().next().unwrap() - 0.74).abs() < 1e-12);
/// assert!((belief.total() - belief.aleatoric() - belief.epistemic()).abs() < 1e-12);
/// // One label tells more than it would of a Dirichlet belief of the same mean and evidence in all.
/// assert!(belief.epistemic() > 3.0 * Dirichlet::new(&[7.4, 2.6]).epistemic());
/// // A "no" makes the second component the likelier one.
/// assert!(belief.after(&[0, 1]).get().mean().next().unwrap() < 0.4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixture<'a> {
    /// The first component, and the only one where there are no weights.
    first: Dirichlet<'a>,
    /// Empty for one component.
    weights: &'a [f64],
    /// The evidence of all components, one after the other.
    alpha: &'a [f64],
    classes: usize,
}

impl<'a> From<Dirichlet<'a>> for Mixture<'a> {
    fn from(first: Dirichlet<'a>) -> Self {
        Self { first, weights: &[], alpha: first.alpha(), classes: first.alpha().len() }
    }
}

impl<'a> Mixture<'a> {
    /// Of so many outcomes of k further labels none is left out of an expectation.
    pub const MOST_OUTCOMES: usize = 128;

    /// The belief of components with these weights and evidence, one component after the other; no weights for one
    /// component.
    ///
    /// # Panics
    /// If there is no evidence. In debug builds, if the sizes do not fit each other, the weights are not positive or do
    /// not sum to 1, or as [`Dirichlet::new`].
    #[inline]
    pub fn new(weights: &'a [f64], alpha: &'a [f64], classes: usize) -> Self {
        debug_assert_eq!(alpha.len(), classes * weights.len().max(1), "evidence of every class and component");
        debug_assert!(weights.is_empty() || (weights.iter().sum::<f64>() - 1.0).abs() < 1e-9, "weights sum to 1");
        debug_assert!(weights.iter().all(|w| *w >= 0.0), "weights are not negative");
        let weights = if weights.len() > 1 { weights } else { &[] };
        Self { first: Dirichlet::new(&alpha[..classes]), weights, alpha, classes }
    }

    /// The Dirichlet distribution that it is, if there is one component.
    pub fn alone(&self) -> Option<&Dirichlet<'a>> {
        self.weights.is_empty().then_some(&self.first)
    }

    /// Number of classes K.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The components with their weights.
    pub fn components(&self) -> impl ExactSizeIterator<Item = (f64, Dirichlet<'a>)> + 'a {
        let (weights, alpha, classes) = (self.weights, self.alpha, self.classes);
        let weight = move |c: usize| if weights.is_empty() { 1.0 } else { weights[c] };
        (0..weights.len().max(1)).map(move |c| (weight(c), Dirichlet::new(&alpha[c * classes..(c + 1) * classes])))
    }

    /// The mean m, the current estimate of the label distribution.
    pub fn mean(&self) -> impl ExactSizeIterator<Item = f64> {
        let this = *self;
        (0..self.classes).map(move |j| this.mean_of(j))
    }

    /// The mean share of a class.
    #[inline]
    pub fn mean_of(&self, class: usize) -> f64 {
        match self.alone() {
            Some(alone) => alone.alpha()[class] / alone.evidence(),
            None => self.components().map(|(w, d)| w * (d.alpha()[class] / d.evidence())).sum(),
        }
    }

    /// The belief after further labels, so many of each class.
    pub fn after(&self, labels: &[u32]) -> HeldMixture {
        let mut held = HeldMixture::new(self);
        held.add(labels);
        held
    }

    pub(in crate::belief) fn after_one(&self, label: usize) -> HeldMixture {
        let mut held = HeldMixture::new(self);
        held.add_one(label);
        held
    }

    /// A label distribution drawn from the belief. Stream: one uniform draw for the component where there are several,
    /// and a gamma draw per class.
    pub fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let mut left = if self.weights.is_empty() { 0.0 } else { stream.random() };
        let last = self.components().len() - 1;
        let chosen = self.components().enumerate().find(|(c, (w, _))| {
            left -= w;
            left < 0.0 || *c == last
        });
        let (_, (_, dirichlet)) = chosen.expect("the last component is taken if none before it is");
        let mut p: Vec<f64> = dirichlet.alpha().iter().map(|&a| if a > 0.0 { stream.gamma(a) } else { 0.0 }).collect();
        let sum: f64 = p.iter().sum();
        if sum > 0.0 {
            p.iter_mut().for_each(|x| *x /= sum);
            return p;
        }
        // Draws too small for numbers: nearly all on one class.
        let likeliest =
            (0..p.len()).fold(0, |best, j| if dirichlet.alpha()[j] > dirichlet.alpha()[best] { j } else { best });
        p[likeliest] = 1.0;
        p
    }
}

/// A [`Mixture`] that owns its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldMixture {
    /// Empty for one component.
    weights: Vec<f64>,
    alpha: Vec<f64>,
    classes: usize,
}

impl HeldMixture {
    pub(super) fn new(mixture: &Mixture) -> Self {
        Self { weights: mixture.weights.to_vec(), alpha: mixture.alpha.to_vec(), classes: mixture.classes }
    }

    /// The belief.
    pub fn get(&self) -> Mixture<'_> {
        Mixture::new(&self.weights, &self.alpha, self.classes)
    }

    /// Adds labels, so many of each class.
    pub(super) fn add(&mut self, labels: &[u32]) {
        add(&mut self.weights, &mut self.alpha, labels);
    }

    /// Adds one label.
    pub(super) fn add_one(&mut self, label: usize) {
        add_one(&mut self.weights, &mut self.alpha, self.classes, label);
    }
}
