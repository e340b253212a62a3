//! Every claim with its verdict, ready to be shown.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::claims::{
    self, Claim, Claims, ClaimsError, Class, Experiment, Judged, JudgedReading, ReadingTally, Verdict, VerdictTally,
    judge, judge_readings, tally,
};
use crate::artifact::{Manifest, Results};

/// File of the verdicts within an artifact folder.
pub const FILE: &str = "results/claims.json";

/// Version of the file's fields. 2: the verdict `papers-rounding`. 3: `quantities`, `readings` and their counts. 4: `class` and
/// `leaves_sign_open`.
const SCHEMA: u32 = 4;

/// All claims, judged.
#[derive(Debug, Clone)]
pub struct Verdicts<'c> {
    rows: Vec<Judged<'c>>,
    readings: Vec<JudgedReading<'c>>,
    claims: &'c Claims,
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
        let mut readings = judge_readings(claims, values)?;
        for row in rows.iter_mut().chain(readings.iter_mut().map(|reading| &mut reading.judged)) {
            if row.reproduced.is_some() && !published_size(row.claim.experiment) {
                row.verdict = Verdict::NotJudged;
            }
        }
        Ok(Self { rows, readings, claims })
    }

    /// The claims in the order of the paper.
    pub fn rows(&self) -> &[Judged<'c>] {
        &self.rows
    }

    /// What sentences say word for word, in the order of the file.
    pub fn readings(&self) -> &[JudgedReading<'c>] {
        &self.readings
    }

    /// The literal readings beside a claim.
    pub fn readings_of<'s>(&'s self, claim: &'s Claim) -> impl Iterator<Item = &'s JudgedReading<'c>> {
        self.readings.iter().filter(move |reading| reading.reading.of == claim.id)
    }

    /// Counts of the literal readings.
    pub fn reading_tally(&self) -> ReadingTally {
        ReadingTally::of(&self.readings)
    }

    /// How many computed numbers the claims are about.
    pub fn quantities(&self) -> usize {
        self.claims.quantities()
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
        self.claims.reasons.get(claim.reason()?).map(|text| text.trim())
    }

    /// File and function that compute a claim's number; `None` for numbers of other programs.
    pub fn code(&self, claim: &Claim) -> Option<(&'c str, &'c str)> {
        self.claims.code_of(&claim.quantity)
    }

    /// The verdicts in full, for machines.
    pub fn to_json(&self) -> Value {
        let claims: Vec<Value> = self.rows.iter().map(|row| self.row_json(row)).collect();
        let readings: Vec<Value> = self.readings.iter().map(reading_json).collect();
        json!({
            "schema": SCHEMA,
            "counts": self.total(),
            "quantities": self.quantities(),
            "reading_counts": self.reading_tally(),
            "experiments": self.tallies(),
            "claims": claims,
            "readings": readings,
        })
    }

    fn row_json(&self, row: &Judged<'c>) -> Value {
        let claim = row.claim;
        let (class, tolerance) = match claim.class {
            Class::Exact => ("exact", None),
            Class::Approximate { tolerance } => ("approximate", Some(tolerance)),
            Class::MonteCarlo { tolerance, .. } => ("monte-carlo", Some(tolerance)),
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
            "class": class,
            "tolerance": tolerance,
            "leaves_sign_open": claim.leaves_sign_open(),
            "reason": self.reason(claim),
            "verdict": row.verdict,
        })
    }
}

fn reading_json(reading: &JudgedReading) -> Value {
    let (claim, of) = (&reading.reading.literal, &reading.reading.of);
    json!({
        "id": claim.id,
        "of": of,
        "experiment": claim.experiment,
        "place": claim.place,
        "statement": claim.statement,
        "published": claim.published,
        "published_value": claim.value,
        "unit": claim.unit,
        "quantity": claim.quantity,
        "reproduced": reading.judged.reproduced,
        "reproduced_text": reading.judged.text(),
        "verdict": reading.judged.verdict,
        "status": reading.status(),
    })
}
