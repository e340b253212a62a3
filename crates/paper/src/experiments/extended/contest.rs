//! What each escalation rule is worth under one belief in one deployment.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::corpus::{Believed, Deployment};
use crate::experiments::priority;
use crate::rules::Contender;
use judge_uncertainty_core::belief::BeliefTable;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::escalation::value::pool_values;
use judge_uncertainty_core::escalation::{Budget, RuleInputs, top};
use judge_uncertainty_core::stats::{Summary, mean};
use judge_uncertainty_evaluation::{CountLabels, Luck};

/// Mean Manhattan error of the posterior mean before any label is bought, 0 to 2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorsByLabels<T> {
    /// Over all items.
    pub all: T,
    /// Over items with a label.
    pub labelled: T,
    /// Over items without one.
    pub unlabelled: T,
}

impl ErrorsByLabels<Summary> {
    /// Over re-draws of the labels.
    pub fn over(contests: &[&Contest]) -> Self {
        Self {
            all: Summary::over(contests, |c| c.error.all),
            labelled: Summary::over(contests, |c| c.error.labelled),
            unlabelled: Summary::over(contests, |c| c.error.unlabelled),
        }
    }
}

/// One belief in one deployment.
#[derive(Debug, Clone)]
pub struct Contest {
    /// Before any label is bought.
    pub error: ErrorsByLabels<f64>,
    /// Standard deviation over items of ln lambda.
    pub sd_log_trust: f64,
    /// Whether the fit converged.
    pub converged: bool,
    /// The map from the prediction to the belief, where there is one.
    pub map: Option<MapName>,
    /// tau of each recalibrated group; empty without recalibration.
    pub tau: Vec<f64>,
    /// Biases of each recalibrated group by class.
    pub bias: Vec<Vec<f64>>,
    /// Manhattan error removed by one label per escalated item, averaged over each item's unrevealed pool and summed.
    pub value: BTreeMap<Contender, BTreeMap<Budget, f64>>,
}

/// A contest item by item; positions count within the items that were escalated among.
#[derive(Debug, Clone)]
pub struct ItemContest {
    /// The sums.
    pub contest: Contest,
    /// What escalating each item removes of the Manhattan error.
    pub gains: Vec<f64>,
    /// Manhattan error of each item before any label is bought.
    pub errors: Vec<f64>,
    /// Whether each item has a label.
    pub labelled: Vec<bool>,
    /// The items that each contender escalates at the largest budget, first ones first.
    pub ranked: BTreeMap<Contender, Vec<usize>>,
}

impl ItemContest {
    /// The items that a contender escalates at a budget.
    pub fn top(&self, contender: Contender, budget: Budget) -> &[usize] {
        &self.ranked[&contender][..budget.of(self.gains.len())]
    }
}

impl Contest {
    /// Value of a contender at a budget.
    pub fn value(&self, contender: Contender, budget: Budget) -> f64 {
        self.value[&contender][&budget]
    }

    /// Lets contenders escalate among the items of `range`.
    pub fn hold(
        deployment: &Deployment,
        labels: &CountLabels,
        believed: &Believed,
        luck: &Luck,
        contenders: &[Contender],
        range: Range<usize>,
    ) -> ItemContest {
        let beliefs = &believed.beliefs;
        let gains = pool_values(beliefs, labels.held.unrevealed.view(), labels.held.truth.view());
        let error = |i: usize| beliefs.get(i).manhattan(row(labels.held.truth.row(i)));
        let errors: Vec<f64> = range.clone().map(error).collect();
        let labelled: Vec<bool> = range.clone().map(|i| labels.numbers[i] > 0).collect();
        let mean_where = |wanted: &dyn Fn(bool) -> bool| {
            let of = errors.iter().zip(&labelled).filter(|(_, labelled)| wanted(**labelled));
            mean(&of.map(|(error, _)| *error).collect::<Vec<_>>())
        };
        let largest = Budget::PAPER[Budget::PAPER.len() - 1].of(range.len());
        let rank = |&contender: &Contender| {
            let scores = scores(contender, deployment, labels, believed, luck, &gains);
            (contender, top(&scores[range.clone()], &luck.jitter[range.clone()], largest))
        };
        let ranked: BTreeMap<Contender, Vec<usize>> = contenders.iter().map(rank).collect();
        let value = ranked.iter().map(|(&contender, ranked)| {
            let value = |b: Budget| ranked[..b.of(range.len())].iter().map(|&i| gains[range.start + i]).sum();
            (contender, Budget::PAPER.map(|b| (b, value(b))).into())
        });
        let contest = Self {
            error: ErrorsByLabels {
                all: mean_where(&|_| true),
                labelled: mean_where(&|labelled| labelled),
                unlabelled: mean_where(&|labelled| !labelled),
            },
            sd_log_trust: believed.sd_log_trust,
            converged: believed.fit.regression().converged,
            map: believed.fit.mapped().map(|mapped| mapped.map.name()),
            tau: believed.fit.recalibrated().map_or_else(Vec::new, |fit| fit.tau.clone()),
            bias: believed.fit.recalibrated().map_or_else(Vec::new, |fit| fit.bias.clone()),
            value: value.collect(),
        };
        ItemContest { contest, gains: gains[range].to_vec(), errors, labelled, ranked }
    }
}

/// Scores of all items of a deployment; `gains` is what the oracle ranks by.
pub fn scores(
    contender: Contender,
    deployment: &Deployment,
    labels: &CountLabels,
    believed: &Believed,
    luck: &Luck,
    gains: &[f64],
) -> Vec<f64> {
    match contender {
        Contender::Rule(rule) => priority(
            rule,
            &RuleInputs {
                q: Some(&deployment.q),
                confidence: Some(&deployment.confidence),
                labels: Some(&labels.numbers),
                counts: Some(&labels.revealed),
                jitter: Some(&luck.jitter),
                random: Some(&luck.random),
                ..RuleInputs::new(&believed.beliefs)
            },
        ),
        Contender::Oracle => gains.to_vec(),
    }
}
