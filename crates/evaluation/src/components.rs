//! Both parts of the uncertainty, item by item, and which items a rule escalates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use judge_uncertainty_core::belief::Quantity;
use judge_uncertainty_core::escalation::{Budget, Rule, RuleInputs, top};

/// The two components of every item in one replicate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemComponents {
    /// Aleatoric part by item, nats.
    pub aleatoric: Vec<f64>,
    /// Epistemic part by item, nats.
    pub epistemic: Vec<f64>,
    /// Budget of the escalations below.
    pub budget: Budget,
    /// Positions of the items that a rule escalates, in ascending order.
    pub escalated: BTreeMap<Rule, Vec<usize>>,
}

impl ItemComponents {
    /// Decomposes every item and ranks them by each rule; equal priorities keep the order of the items.
    pub fn new(inputs: &RuleInputs, rules: &[Rule], budget: Budget) -> Self {
        let aleatoric = inputs.beliefs.all(Quantity::Aleatoric);
        let escalate = |rule: Rule| {
            let mut items = top(&rule.priority(inputs).unwrap_or_default(), &[], budget.of(aleatoric.len()));
            items.sort_unstable();
            items
        };
        let escalated = rules.iter().map(|&rule| (rule, escalate(rule))).collect();
        Self { epistemic: inputs.beliefs.all(Quantity::Epistemic), aleatoric, budget, escalated }
    }
}
