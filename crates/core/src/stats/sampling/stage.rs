//! One stage of a sampling design: which things were chosen at one time, and how many there were.

/// Things that a stratum needs before its own spread is had from it.
const LEAST_IN_STRATUM: usize = 2;

/// How many things of a stratum there are, and which of the labelled ones were chosen from it at one stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// For each labelled thing its stratum and weight; `None` where it has no part in this stage's estimate.
    pub(super) members: Vec<Option<Member>>,
    /// Number of strata.
    pub(super) strata: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Member {
    pub(super) stratum: usize,
    /// 1 over its probability of being chosen.
    pub(super) weight: f64,
    /// That probability; 0 where the population has no end.
    pub(super) fraction: f64,
}

/// Why a stage tells nothing about all items.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum NotAStage {
    #[error("{things} of {of} had no chance of being chosen")]
    NoChance { things: usize, of: usize },
    #[error(
        "{came_back} of the {of} that a random draw stands for have labels, and an estimate takes {LEAST_IN_STRATUM}"
    )]
    TooFew { came_back: usize, of: usize },
}

impl Stage {
    /// Things that were drawn at random from a population without end: items like these.
    pub fn random(things: usize) -> Self {
        let member = Member { stratum: 0, weight: 1.0, fraction: 0.0 };
        Self { members: vec![Some(member); things], strata: 1 }
    }

    /// Things drawn at random within strata: `strata` has the stratum of each labelled thing (`None` for one that was
    /// not chosen at this stage), and `sizes` how many things each stratum has, labelled or not. Things of a stratum
    /// that were chosen and have no label count as a random part of it.
    ///
    /// # Errors
    /// A stratum of which too few things have labels.
    ///
    /// # Panics
    /// If a stratum has no size.
    pub fn try_stratified(strata: &[Option<usize>], sizes: &[usize]) -> Result<Self, NotAStage> {
        let mut labelled = vec![0_usize; sizes.len()];
        strata.iter().flatten().for_each(|&h| labelled[h] += 1);
        for (&n, &of) in labelled.iter().zip(sizes) {
            if n < LEAST_IN_STRATUM.min(of) {
                return Err(NotAStage::TooFew { came_back: n, of });
            }
        }
        let member = |&h: &usize| {
            let fraction = labelled[h] as f64 / sizes[h].max(labelled[h]) as f64;
            Member { stratum: h, weight: 1.0 / fraction, fraction }
        };
        Ok(Self { members: strata.iter().map(|h| h.as_ref().map(member)).collect(), strata: sizes.len() })
    }

    /// Things that were chosen each with a probability of its own, independently of each other: 0 to 1, `None` for one
    /// that was not chosen at this stage.
    ///
    /// # Errors
    /// A probability of 0.
    pub fn try_unequal(probabilities: &[Option<f64>]) -> Result<Self, NotAStage> {
        let none = probabilities.iter().flatten().filter(|p| p.is_nan() || **p <= 0.0).count();
        if none > 0 {
            return Err(NotAStage::NoChance { things: none, of: probabilities.len() });
        }
        let member = |p: &f64| Member { stratum: 0, weight: 1.0 / p, fraction: p.min(1.0) };
        Ok(Self { members: probabilities.iter().map(|p| p.as_ref().map(member)).collect(), strata: 1 })
    }

    /// Sum over things of (1 - p) w^2, over the square of the sum of weights: how much the stage's mean varies, values
    /// that vary alike taken.
    pub(super) fn noise(&self) -> f64 {
        let members = || self.members.iter().flatten();
        let sum: f64 = members().map(|m| m.weight).sum();
        members().map(|m| (1.0 - m.fraction) * m.weight * m.weight).sum::<f64>() / (sum * sum)
    }

    /// Sum over items of the weights; `things` numbers the thing of each item.
    pub(super) fn total(&self, things: &[usize]) -> f64 {
        things.iter().filter_map(|&thing| self.members[thing]).map(|member| member.weight).sum()
    }
}
