//! The bugs, each a change to one step of the experiment.

use judge_uncertainty::belief::{Beliefs, Design, FeatureColumn, FitError, ItemBeliefs};
use judge_uncertainty::escalation::Rule;
use judge_uncertainty::evaluation::protocol::FLOOR;
use judge_uncertainty::evaluation::{
    BeliefErrors, CountPool, FamiliaritySearch, Features, Fit, Fitted, Held, InHand, LabelGains, Pool, RuleDraws, Split,
};
use judge_uncertainty::experiments;
use judge_uncertainty::experiments::chaosnli::{ChaosNliExperiment, ChaosNliResults, NEIGHBOURS, features};
use judge_uncertainty::familiarity::features::SelfNeighbour;
use judge_uncertainty::familiarity::neighbours::Neighbours;
use judge_uncertainty::formats::{ChaosNliData, Predictions};
use judge_uncertainty::random::Stream;
use judge_uncertainty::system::progress::Progress;
use ndarray::{Array2, Axis};

/// One thing done wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bug {
    None,
    LeaveOneOut,
    NoFamiliarity,
    NoConfidence,
    RawCounts,
    FiveNeighbours,
    FlatTrust,
    TrustTenthMore,
    TrustDoubled,
    LabelsOfTheTruth,
    NotStandardised,
}

impl Bug {
    /// All, first the experiment as it is.
    pub(crate) const ALL: [Self; 11] = [
        Self::None,
        Self::LeaveOneOut,
        Self::NoFamiliarity,
        Self::NoConfidence,
        Self::RawCounts,
        Self::FiveNeighbours,
        Self::FlatTrust,
        Self::TrustTenthMore,
        Self::TrustDoubled,
        Self::LabelsOfTheTruth,
        Self::NotStandardised,
    ];

    /// Name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::LeaveOneOut => "leave-one-out distances",
            Self::NoFamiliarity => "no familiarity",
            Self::NoConfidence => "no confidence",
            Self::RawCounts => "raw label counts",
            Self::FiveNeighbours => "five neighbours",
            Self::FlatTrust => "flat trust",
            Self::TrustTenthMore => "trust x 1.1",
            Self::TrustDoubled => "trust x 2",
            Self::LabelsOfTheTruth => "labels from the truth half",
            Self::NotStandardised => "features not standardised",
        }
    }

    /// The experiment with this bug.
    pub(crate) fn run(
        self,
        data: &ChaosNliData,
        engine: &dyn Neighbours,
        replicates: usize,
        progress: &dyn Progress,
    ) -> Result<ChaosNliResults, experiments::Error> {
        let judge = data.judge.aggregate(Some(FLOOR))?;
        let labels = data.labels.view();
        let own = if self == Self::LeaveOneOut { SelfNeighbour::LeaveOneOut } else { SelfNeighbour::Published };
        let neighbours = if self == Self::FiveNeighbours { 5 } else { NEIGHBOURS };
        let familiarity = FamiliaritySearch::new(engine, neighbours, own);
        let pool = Planted { pool: CountPool::new(labels, judge.clone()), q: judge.q.clone(), bug: self };
        let features = self.features(&judge);
        ChaosNliExperiment::with_pool(labels, judge, pool, familiarity, features).run(replicates, progress)
    }

    /// Features: variant spread, ln(1 + n), stated confidence, nearest labelled item, mean of the nearest labelled
    /// items.
    fn features<'a>(self, judge: &Predictions) -> Features<'a> {
        let published = features(judge);
        Box::new(move |numbers, near| {
            let mut columns = published(numbers, near);
            match self {
                Self::NoFamiliarity => columns.truncate(3),
                Self::NoConfidence => drop(columns.remove(2)),
                Self::RawCounts => {
                    columns[1] = FeatureColumn::complete("labels", numbers.iter().map(|&n| f64::from(n)));
                }
                Self::FlatTrust => {
                    let flat = |k: usize| FeatureColumn::complete(format!("flat_{k}"), numbers.iter().map(|_| 0.0));
                    columns = (0..columns.len()).map(flat).collect();
                }
                _ => {}
            }
            columns
        })
    }

    /// By what the fitted trust is multiplied.
    fn factor(self) -> f64 {
        match self {
            Self::TrustTenthMore => 1.1,
            Self::TrustDoubled => 2.0,
            _ => 1.0,
        }
    }
}

/// The paper's pool with a bug.
struct Planted {
    pool: CountPool,
    q: Array2<f64>,
    bug: Bug,
}

impl Pool for Planted {
    fn len(&self) -> usize {
        self.pool.len()
    }

    fn without(&self, hidden: &[bool]) -> InHand {
        self.pool.without(hidden)
    }

    fn draw(&self, reveal: &[u32], stream: &mut Stream) -> Split {
        let Split { numbers, revealed, held } = self.pool.draw(reveal, stream);
        let mut held = held.of_classes().clone();
        if self.bug == Bug::LabelsOfTheTruth {
            let first = revealed.of_classes() + &held.unrevealed;
            let sizes = first.sum_axis(Axis(1)).mapv(f64::from);
            held.truth = first.mapv(f64::from) / sizes.view().insert_axis(Axis(1));
            held.sizes = sizes.to_vec();
        }
        Split { numbers, revealed, held: Held::Classes(held) }
    }

    fn extrapolates(&self) -> bool {
        self.pool.extrapolates()
    }

    fn design(&self, features: &[FeatureColumn]) -> Result<Design, FitError> {
        if self.bug == Bug::NotStandardised { Ok(Design::raw(features)?) } else { self.pool.design(features) }
    }

    fn fit(&self, design: &Design, labels: &InHand) -> Result<Fit, FitError> {
        self.pool.fit(design, labels)
    }

    fn log_trust(&self, fit: &Fit, design: &Design) -> Vec<f64> {
        self.pool.log_trust(fit, design).into_iter().map(|log| log + self.bug.factor().ln()).collect()
    }

    fn beliefs_and_trust(&self, fit: &Fit, design: &Design, labels: &InHand) -> (ItemBeliefs, Vec<f64>) {
        if self.bug.factor() == 1.0 {
            return self.pool.beliefs_and_trust(fit, design, labels);
        }
        let trust: Vec<f64> = self.log_trust(fit, design).into_iter().map(f64::exp).collect();
        let beliefs = Beliefs::posterior(&trust, self.q.view(), labels.of_classes().view());
        (ItemBeliefs::Classes(beliefs), trust)
    }

    fn priority(&self, rule: Rule, fitted: &Fitted, numbers: &[u32], draws: &RuleDraws) -> Option<Vec<f64>> {
        self.pool.priority(rule, fitted, numbers, draws)
    }

    fn errors(&self, beliefs: &ItemBeliefs, held: &Held) -> Vec<BeliefErrors> {
        self.pool.errors(beliefs, held)
    }

    fn gains(&self, beliefs: &ItemBeliefs, errors: &[BeliefErrors], held: &Held) -> LabelGains {
        self.pool.gains(beliefs, errors, held)
    }
}
