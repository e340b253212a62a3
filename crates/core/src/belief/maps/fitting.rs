//! Fits of maps: which parameters and blocks there are, and what is left out.

use ndarray::ArrayView2;

use super::fitted::Map;
use super::guesses::{self, Guesses};
use super::layout::{ItemReader, MapLayout, TermKind, Unavailable};
use super::names::MapName;
use crate::belief::dirichlet_multinomial::DirichletMultinomial;
use crate::belief::engine::LEAST;
use crate::belief::engine::{Posterior, Search, Terms, rows};
use crate::belief::judged::JudgedItems;
use crate::belief::profile::TrustProfile;
use crate::belief::regression::coefficient_names;
use crate::belief::trust::FitError;
use crate::belief::trust::TrustPrior;

/// How loosely the search for the parameters may end while the variances still move. It leaves means within 0.0002 of
/// those of the independent program of `tests/golden/ladder`, of the full recalibration too.
const LOOSE: f64 = 1e3;

/// The labelled items of a fit.
pub(super) struct FitItems<'a> {
    pub(super) items: JudgedItems<'a>,
    /// The position of one of those that nothing tells apart, their labels by class, and how many they are. A judge that
    /// answers with a class alone leaves few that differ, however many items there are.
    kept: Vec<(usize, Vec<u32>, usize)>,
    /// Which of them each item is; `None` without labels.
    pub(super) row_of: Vec<Option<usize>>,
}

impl<'a> FitItems<'a> {
    pub(super) fn try_new(items: JudgedItems<'a>, counts: ArrayView2<u32>) -> Result<Self, FitError> {
        items.check(counts)?;
        let labelled = (0..counts.nrows()).filter(|&i| counts.row(i).sum() > 0);
        let all_of = |i: usize| {
            let mut all = vec![];
            items.all_of(i, counts.row(i), &mut all);
            (i, all)
        };
        let (rows, row_of) = rows(counts.nrows(), labelled.map(all_of));
        let kept = rows.into_iter().map(|(i, times)| (i, counts.row(i).to_vec(), times)).collect();
        Ok(Self { items, kept, row_of })
    }

    /// No guesses, of these labels.
    pub(super) fn without_guesses(&self) -> Guesses {
        Guesses::none(
            self.items.q.ncols(),
            self.kept.iter().flat_map(|(_, counts, times)| std::iter::repeat_n(counts.as_slice(), *times)),
        )
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Reads the items of a posterior once more, under another share of guesses.
    pub(super) fn read_again(
        &self,
        layout: &MapLayout,
        guesses: Guesses,
        posterior: &mut Posterior<DirichletMultinomial>,
    ) {
        let mut reader = ItemReader::new(layout, &self.items);
        reader.guesses = guesses;
        let mut items = posterior.replace_items(vec![]);
        items.iter_mut().zip(&self.kept).for_each(|(item, (i, ..))| reader.read_again(*i, item));
        posterior.replace_items(items);
    }

    /// What is maximised for a map; all variances are 1 at first. The trust keeps the weak prior of studies, whatever
    /// the map.
    pub(super) fn posterior(&self, layout: &MapLayout) -> Posterior<DirichletMultinomial> {
        let design = self.items.design;
        let mut centre = design.centre();
        centre.resize(1 + design.features() + layout.parameters(), 0.0);
        let mut precision = vec![1.0; centre.len()];
        precision[0] = TrustPrior::LOG_TRUST_SD.powi(-2);
        precision[1..=design.features()].fill(TrustPrior::SLOPE_SD.powi(-2));
        let mut reader = ItemReader::new(layout, &self.items);
        let read =
            |(i, counts, times): &(usize, Vec<u32>, usize)| Terms { times: *times, ..reader.read(*i, counts.clone()) };
        let items = self.kept.iter().map(read).collect();
        Posterior::new(layout.likelihood(), layout.shape(design.features()), items, (centre, precision))
    }
}

/// Fits a recalibration and the trust to the labels.
///
/// ```text
/// u = ln r + sum_s theta_s a_s + C V phi,   r = (1 - g) q + g pi,   q' = softmax(u),   ln lambda = beta_0 + beta^T z
/// L = sum over items with n >= 1 of lnG(lambda) - lnG(lambda + n) + sum_j [lnG(lambda q'_j + c_j) - lnG(lambda q'_j)]
/// maximised: L - (beta_0 - ln 8)^2 / 2 - |beta|^2 / (2 * 0.5^2) - sum over blocks b of |w_b|^2 / (2 s_b^2)
/// ```
///
/// with q the judge's prediction, z its features, c the label counts and n their sum. The trust has the weak prior of
/// studies ([`crate::belief::TrustPrior`]); the blocks are the map's terms ([`MapName`]). Each variance s_b^2 maximises
/// the labels' marginal likelihood, by Laplace's approximation and MacKay's fixed point: s_b^2 = |w_b|^2 / g_b, with
/// g_b = d_b - tr(S_bb) / s_b^2 the number of well-determined ones among its d_b parameters and S the inverse of minus
/// the Hessian. Terms that the labels do not support shrink to zero and are left out, so the map is the simpler one. pi
/// is the distribution of the labels of all items, for an item with labels that of the others. g, the share of guesses,
/// is where labels and priors are likeliest under [`MapName::Temperature`] at variance 1, with a prior of density
/// 10 (1 - g)^9; for [`MapName::Guesses`] it is s times where the labels are likeliest, s = L^2 / (L^2 + 3^2), L by how
/// many nats they are likelier there than without guesses; it is 0 for [`MapName::Identity`]. Source: MacKay (1992), "Bayesian interpolation". Gradient and Hessian
/// are exact.
///
/// Without labels the result is the plain prediction, or the recalibration of another study ([`super::CarriedOffsets`])
/// unchanged.
///
/// # Errors
/// Tables of different shapes, or a prediction that is not strictly positive.
pub fn fit(name: MapName, items: &JudgedItems, counts: ArrayView2<u32>) -> Result<Result<Map, Unavailable>, FitError> {
    let labelled = FitItems::try_new(*items, counts)?;
    let guesses = guesses::find(name, &labelled);
    Ok(fit_sharing(name, &labelled, guesses))
}

/// [`fit`] with so many guesses.
pub(super) fn fit_sharing(name: MapName, labelled: &FitItems, guesses: Guesses) -> Result<Map, Unavailable> {
    Ok(fit_layout(MapLayout::try_new(name, &labelled.items, guesses)?, labelled))
}

/// Fits the trust with the plain prediction, or with the recalibration of another study and its weight.
pub(in crate::belief) fn fit_stated(items: &JudgedItems, counts: ArrayView2<u32>) -> Result<Map, FitError> {
    let map = fit(MapName::Identity, items, counts)?;
    Ok(map.expect("the prediction as it is can always be taken"))
}

/// The prediction with its share of guesses if that is `at_least` this; otherwise as it is.
pub(super) fn fit_guesses(items: &JudgedItems, counts: ArrayView2<u32>, at_least: f64) -> Result<Map, FitError> {
    let labelled = FitItems::try_new(*items, counts)?;
    let guesses = guesses::find(MapName::Guesses, &labelled);
    if guesses.share == 0.0 || guesses.share < at_least {
        return fit_stated(items, counts);
    }
    Ok(fit_sharing(MapName::Guesses, &labelled, guesses).expect("it reads no more than the prediction"))
}

/// Fits the trust alone, with the recalibration of another study unchanged.
pub(super) fn fit_as_carried(items: &JudgedItems, counts: ArrayView2<u32>) -> Result<Map, FitError> {
    let labelled = FitItems::try_new(*items, counts)?;
    let mut layout = MapLayout::try_new(MapName::Identity, items, labelled.without_guesses())
        .expect("the prediction as it is can always be taken");
    layout.leave_out(&[TermKind::Carried]);
    Ok(fit_layout(layout, &labelled))
}

fn fit_layout(mut layout: MapLayout, labelled: &FitItems) -> Map {
    let (posterior, features) = (labelled.posterior(&layout), labelled.items.design.features());
    let mut parameters = posterior.centre.clone();
    let mut search = Search { posterior, blocks: layout.variance_blocks(features), loose: LOOSE };
    let mut gone = vec![];
    // Blocks at the least variance are left out, and the map is the simpler one.
    let mut leave_out = |search: &mut Search<DirichletMultinomial>, parameters: Vec<f64>| -> Vec<f64> {
        let kept: Vec<bool> = search.blocks.iter().map(|block| block.variance > LEAST).collect();
        if kept.iter().all(|kept| *kept) {
            return parameters;
        }
        let kinds: Vec<TermKind> = layout.blocks().iter().map(|terms| terms.kind).collect();
        let without: Vec<TermKind> =
            kinds.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(kind, _)| *kind).collect();
        layout.leave_out(&without);
        search.posterior = labelled.posterior(&layout);
        let mut fewer = parameters[..=features].to_vec();
        fewer.resize(search.posterior.centre.len(), 0.0);
        let old = std::mem::replace(&mut search.blocks, layout.variance_blocks(features));
        let (left, dropped): (Vec<_>, Vec<_>) = old.into_iter().zip(kinds).zip(kept).partition(|(_, kept)| *kept);
        gone.extend(dropped.into_iter().map(|((block, kind), _)| (kind, block)));
        for (fresh, ((block, _), _)) in search.blocks.iter_mut().zip(left) {
            for (from, to) in block.positions.iter().zip(&fresh.positions) {
                fewer[*to] = parameters[*from];
            }
            fresh.variance = block.variance;
        }
        fewer
    };
    if labelled.is_empty() {
        search.blocks.iter_mut().filter(|block| block.prior.is_none()).for_each(|block| block.variance = LEAST);
        parameters = leave_out(&mut search, parameters);
    }
    let (maximum, curvature) = search.settle(vec![parameters], leave_out);
    let (regression, parameters) =
        search.posterior.conclude(coefficient_names(labelled.items.design), maximum, &curvature);
    let variances = curvature.variances();
    let kinds = layout.blocks().into_iter().map(|terms| terms.kind);
    let mut found: Vec<_> = kinds.zip(search.blocks.iter().map(|block| block.found(&variances))).collect();
    found.extend(gone.iter().map(|(kind, block)| (*kind, block.found(&[]))));
    found.sort_by_key(|(kind, _)| *kind);
    let variances = found.into_iter().map(|(_, variance)| variance).collect();
    Map { regression, variances, layout, parameters }
}

/// The profile of what [`fit`] maximised, at the variances that it found, along ln lambda of an item with average
/// features, whose prior is left out.
///
/// `taken` is a fit to the same labels at the strength `s`, as [`super::choose`] takes it: its profile lies between that
/// of the map and that of the prediction as it is, or with its share of guesses where that is 2/3 or more.
///
/// # Errors
/// As [`fit`].
pub fn typical_log_trust(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    taken: &Map,
    s: f64,
) -> Result<TrustProfile, FitError> {
    let items = JudgedItems { carried: items.carried.filter(|_| taken.layout.carried), ..*items };
    let labelled = FitItems::try_new(items, counts)?;
    if s == 1.0 || taken.is_as_stated() {
        return Ok(profile(taken, &labelled));
    }
    let start = fit_guesses(&items, counts, guesses::MOSTLY)?;
    let of_start = profile(&start, &labelled);
    let whole = profile(&taken.clone().drawn_out(s, &start), &labelled);
    Ok(whole.drawn_back(s, &of_start))
}

fn profile(map: &Map, labelled: &FitItems) -> TrustProfile {
    let (posterior, features) = (labelled.posterior(&map.layout), labelled.items.design.features());
    let mut search = Search { posterior, blocks: map.layout.variance_blocks(features), loose: LOOSE };
    search.take(&map.variances);
    search.posterior.profile(&map.all_parameters(), map.regression.standard_errors()[0])
}
