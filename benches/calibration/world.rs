//! Worlds whose trust and pools are known, and studies drawn from them.

use std::fmt;

use judge_uncertainty::belief::{Beliefs, Design, FeatureColumn};
use judge_uncertainty::random::Stream;
use ndarray::Array2;

/// ln lambda rises by so much with each standard deviation of each feature.
const SLOPE: f64 = 0.5;

/// How many labels items have.
#[derive(Clone, Copy)]
pub(crate) enum Pattern {
    /// Every item one.
    OneEach,
    /// Any number up to this one, with equal chances.
    UpTo(u32),
    /// A quarter of the items have five, the others none.
    Pilot,
}

impl Pattern {
    pub(crate) const ALL: [Self; 5] = [Self::OneEach, Self::UpTo(2), Self::UpTo(5), Self::UpTo(10), Self::Pilot];

    fn draw(self, stream: &mut Stream) -> u32 {
        match self {
            Self::OneEach => 1,
            Self::UpTo(most) => stream.choice(most + 1),
            Self::Pilot => 5 * u32::from(stream.choice(4) == 0),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::OneEach => write!(f, "one each"),
            Self::UpTo(most) => write!(f, "0 to {most}"),
            Self::Pilot => write!(f, "5 on a quarter"),
        }
    }
}

/// How the prediction that the judge states differs from the one that its trust is about.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Judge {
    /// Not at all.
    Right,
    /// Its odds are squared.
    Overconfident,
    /// The odds of every other class are doubled.
    Biased,
    /// The odds of every other class are doubled for every other item, and halved for the rest: two groups.
    ByGroup,
}

impl Judge {
    pub(crate) const ALL: [Self; 4] = [Self::Right, Self::Overconfident, Self::Biased, Self::ByGroup];

    /// The group of an item.
    fn group(item: usize) -> usize {
        item % 2
    }

    fn states(self, q: &[f64], item: usize) -> Vec<f64> {
        let halved = |(j, q): (usize, &f64)| q * if j % 2 == 1 { 0.5 } else { 1.0 };
        let doubled = |(j, q): (usize, &f64)| q * if j % 2 == 1 { 2.0 } else { 1.0 };
        match self {
            Self::Right => q.to_vec(),
            Self::Overconfident => floored(&q.iter().map(|q| q * q).collect::<Vec<_>>()),
            Self::ByGroup if Self::group(item) == 1 => floored(&q.iter().enumerate().map(halved).collect::<Vec<_>>()),
            Self::Biased | Self::ByGroup => floored(&q.iter().enumerate().map(doubled).collect::<Vec<_>>()),
        }
    }
}

impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "right",
            Self::Overconfident => "overconfident",
            Self::Biased => "biased",
            Self::ByGroup => "biased by group",
        })
    }
}

#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) trust: f64,
    pub(crate) classes: usize,
    pub(crate) features: usize,
    pub(crate) pattern: Pattern,
    pub(crate) items: usize,
    pub(crate) judge: Judge,
}

/// A study, and what made it.
pub(crate) struct Drawn {
    /// What the judge states.
    pub(crate) q: Array2<f64>,
    pub(crate) counts: Array2<u32>,
    pub(crate) design: Design,
    /// The group of each item.
    pub(crate) groups: Vec<usize>,
    /// The distributions that labels are drawn from.
    pub(crate) pools: Array2<f64>,
    /// The belief by which pools were drawn, given the labels.
    pub(crate) true_beliefs: Beliefs,
    /// True ln lambda of an item with average features.
    pub(crate) log_trust: f64,
}

impl World {
    /// A study; `None` where no item has a label.
    pub(crate) fn draw(&self, stream: &mut Stream) -> Option<Drawn> {
        let Self { items, features, classes, .. } = *self;
        let z = Array2::from_shape_fn((items, features), |_| stream.standard_normal());
        let (mut truth, mut q, mut pools) =
            (Array2::zeros((items, classes)), Array2::zeros((items, classes)), Array2::zeros((items, classes)));
        let mut counts = Array2::zeros((items, classes));
        let mut drawn = vec![0; classes];
        let mut trusts = vec![];
        for i in 0..items {
            let right = floored(&dirichlet(stream, &vec![1.0; classes]));
            let stated = self.judge.states(&right, i);
            let trust = self.trust * (SLOPE * z.row(i).sum()).exp();
            let pool = dirichlet(stream, &right.iter().map(|q| trust * q).collect::<Vec<_>>());
            let labels = self.pattern.draw(stream);
            stream.multinomial(labels, &pool, &mut drawn);
            for j in 0..classes {
                (truth[[i, j]], q[[i, j]], pools[[i, j]], counts[[i, j]]) = (right[j], stated[j], pool[j], drawn[j]);
            }
            trusts.push(trust);
        }
        let labelled: Vec<bool> = counts.rows().into_iter().map(|row| row.sum() > 0).collect();
        if !labelled.contains(&true) {
            return None;
        }
        let column = |j: usize| FeatureColumn::complete(format!("x{j}"), z.column(j).iter().copied());
        let columns: Vec<FeatureColumn> = (0..features).map(column).collect();
        let design = Design::over(items, &columns).expect("features are finite").within(&labelled);
        let true_beliefs = Beliefs::posterior(&trusts, truth.view(), counts.view());
        let average = z.mean_axis(ndarray::Axis(0)).map_or(0.0, |means| means.sum());
        let groups = (0..items).map(Judge::group).collect();
        Some(Drawn { q, counts, design, groups, pools, true_beliefs, log_trust: self.trust.ln() + SLOPE * average })
    }
}

fn dirichlet(stream: &mut Stream, alpha: &[f64]) -> Vec<f64> {
    normalised(alpha.iter().map(|a| stream.gamma(*a).max(1e-300)).collect())
}

/// As judges' answers are read: raised off 0.
fn floored(weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    normalised(weights.iter().map(|w| w / sum + 0.005).collect())
}

fn normalised(weights: Vec<f64>) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|w| w / sum).collect()
}
