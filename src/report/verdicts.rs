//! Every claim with its verdict, ready to be shown.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::claims::{self, Claim, Claims, ClaimsError, Class, Experiment, Judged, Verdict, VerdictTally, judge, tally};
use crate::artifact::{Manifest, Results};

/// File of the verdicts within an artifact folder.
pub const FILE: &str = "results/claims.json";

/// Version of the file's fields. 2: the verdict `papers-rounding`.
const SCHEMA: u32 = 2;

/// All claims, judged.
#[derive(Debug, Clone)]
pub struct Verdicts<'c> {
    rows: Vec<Judged<'c>>,
    reasons: &'c BTreeMap<String, String>,
}

impl<'c> Verdicts<'c> {
    /// Holds the claims against results. Results of reduced size or from another judge are shown beside the claims but not
    /// judged.
    ///
    /// # Errors
    /// Results that lack a number which a claim asks for.
    pub fn judge(claims: &'c Claims, results: &Results, manifest: &Manifest) -> Result<Self, ClaimsError> {
        let published_size = |e: Experiment| manifest.deterministic.get(&e).is_some_and(|facts| facts.published_size);
        Self::of(claims, &results.values(), published_size)
    }

    /// Judges claims by results as JSON; `published_size` says which of them have the paper's size.
    ///
    /// # Errors
    /// As [`Self::judge`].
    pub fn of(
        claims: &'c Claims,
        values: &claims::ResultValues,
        published_size: impl Fn(Experiment) -> bool,
    ) -> Result<Self, ClaimsError> {
        let mut rows = judge(claims, values)?;
        for row in &mut rows {
            if row.reproduced.is_some() && !published_size(row.claim.experiment) {
                row.verdict = Verdict::NotJudged;
            }
        }
        Ok(Self { rows, reasons: &claims.reasons })
    }

    /// The claims in the order of the paper.
    pub fn rows(&self) -> &[Judged<'c>] {
        &self.rows
    }

    /// Counts by experiment.
    pub fn tallies(&self) -> BTreeMap<Experiment, VerdictTally> {
        tally(&self.rows)
    }

    /// Counts over all experiments.
    pub fn total(&self) -> VerdictTally {
        self.tallies().into_values().fold(VerdictTally::default(), |a, b| a + b)
    }

    /// Why a claim's printed digits may be missed; `None` for an exact claim.
    pub fn reason(&self, claim: &Claim) -> Option<&'c str> {
        self.reasons.get(claim.reason()?).map(|text| text.trim())
    }

    /// The verdicts in full, for machines.
    pub fn to_json(&self) -> Value {
        let claims: Vec<Value> = self.rows.iter().map(|row| self.row_json(row)).collect();
        json!({
            "schema": SCHEMA,
            "counts": self.total(),
            "experiments": self.tallies(),
            "claims": claims,
        })
    }

    fn row_json(&self, row: &Judged<'c>) -> Value {
        let claim = row.claim;
        let tolerance = match claim.class {
            Class::Exact => None,
            Class::MonteCarlo { tolerance, .. } => Some(tolerance),
        };
        json!({
            "id": claim.id,
            "experiment": claim.experiment,
            "place": claim.place,
            "statement": claim.statement,
            "published": claim.published,
            "published_value": claim.value,
            "unit": claim.unit,
            "quantity": claim.quantity,
            "reproduced": row.reproduced,
            "reproduced_text": row.text(),
            "tolerance": tolerance,
            "reason": self.reason(claim),
            "verdict": row.verdict,
        })
    }
}
