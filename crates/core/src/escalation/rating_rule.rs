//! The rules that rank items whose labels are ratings.

use super::rule::Rule;
use crate::belief::{Belief, Gaussian};

/// What rules look at where labels are numbers; everything is per item.
#[derive(Debug, Clone, Copy)]
pub struct RatingRuleInputs<'a> {
    /// The judge's variance of a rating.
    pub judged: &'a [f64],
    /// Beliefs given the labels.
    pub beliefs: &'a [Gaussian],
    /// Labels in hand.
    pub labels: &'a [u32],
    /// Uniform draws that the random rule ranks by.
    pub random: &'a [f64],
}

impl Rule {
    /// The rules that rank items whose labels are numbers, in the order in which they are evaluated (it is part of the random
    /// stream). `Info` and `Spread` agree there: both rank by Var(m).
    pub const OF_RATINGS: [Rule; 7] = [
        Rule::Info,
        Rule::Delta,
        Rule::Spread,
        Rule::PosteriorEntropy,
        Rule::JudgeEntropy,
        Rule::FewestLabels,
        Rule::Random,
    ];

    /// The priority of every item whose labels are numbers: its epistemic part (info, v), the value of a label (delta), the
    /// variance of a fresh label (posterior_entropy), the judge's variance (judge_entropy), fewest labels or a random
    /// draw; `None` for the other rules, which need classes or a stated confidence.
    ///
    /// Ties are left to the tie break of [`super::top`].
    pub fn priority_of_ratings(self, inputs: &RatingRuleInputs) -> Option<Vec<f64>> {
        let of = |f: fn(&Gaussian) -> f64| Some(inputs.beliefs.iter().map(f).collect());
        match self {
            Rule::Info | Rule::Spread => of(Gaussian::epistemic),
            Rule::Delta => of(Gaussian::label_value),
            Rule::PosteriorEntropy => of(Gaussian::total),
            Rule::JudgeEntropy => Some(inputs.judged.to_vec()),
            Rule::FewestLabels => Some(inputs.labels.iter().map(|&n| -f64::from(n)).collect()),
            Rule::Random => Some(inputs.random.to_vec()),
            _ => None,
        }
    }
}
