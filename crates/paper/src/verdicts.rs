//! Every claim with its verdict, ready to be shown.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::claims::{
    self, Claim, Claims, ClaimsError, ConclusionOutcome, Experiment, Judged, JudgedConclusion, Notation, ReadingTally,
    RecordTally, Verdict, VerdictTally, judge, smallest_misprint, tally,
};
use crate::artifact::{self, Manifest, Provenance, Results};

/// File of the verdicts within an artifact folder.
pub const FILE: &str = "results/claims.json";

/// Version of the file's fields. 6: `beside`, the other procedure, and `record`.
const SCHEMA: u32 = 6;

/// All claims, judged.
#[derive(Debug, Clone)]
pub struct Verdicts<'c> {
    /// The claims in the order of the paper.
    pub rows: Vec<Judged<'c>>,
    /// What sentences say word for word, in the order of the file.
    pub readings: Vec<Judged<'c>>,
    /// What the paper concludes, in the order of the file.
    pub conclusions: Vec<JudgedConclusion<'c>>,
    /// The figures of the authors' record compared with those computed here, by group.
    pub record: BTreeMap<String, RecordTally>,
    claims: &'c Claims,
}

impl<'c> Verdicts<'c> {
    /// Judges the claims by results. Results of reduced size or from another judge are shown with the claims but not
    /// judged.
    ///
    /// # Errors
    /// Results that lack a number which a claim asks for.
    pub fn judge(claims: &'c Claims, results: &Results, manifest: &Manifest) -> Result<Self, ClaimsError> {
        let published_size = |e: Experiment| manifest.deterministic.get(&e).is_some_and(Provenance::is_papers);
        Self::from_values(claims, &results.values(), published_size)
    }

    /// Judges claims by results as JSON; `published_size` says which of them have the paper's size.
    ///
    /// # Errors
    /// As [`Self::judge`].
    pub fn from_values(
        claims: &'c Claims,
        values: &claims::ResultValues,
        published_size: impl Fn(Experiment) -> bool,
    ) -> Result<Self, ClaimsError> {
        let judged = |these| judge(these, values, &claims.judged_by);
        let (mut rows, mut readings) = (judged(&claims.claims)?, judged(&claims.readings)?);
        for row in rows.iter_mut().chain(&mut readings) {
            if row.reproduced.is_some() && !published_size(row.claim.experiment) {
                row.verdict = Verdict::NotJudged;
                row.beside = None;
            }
        }
        let mut conclusions = claims.judge_conclusions(values)?;
        for judged in conclusions.iter_mut().filter(|judged| !published_size(judged.conclusion.experiment)) {
            judged.outcome = ConclusionOutcome::NotJudged;
        }
        let record = match Experiment::ALL.into_iter().all(&published_size) {
            true => claims.record.compare(values)?,
            false => BTreeMap::new(),
        };
        Ok(Self { rows, readings, conclusions, record, claims })
    }

    /// The literal readings of a claim.
    pub fn readings_of<'s>(&'s self, claim: &'s Claim) -> impl Iterator<Item = &'s Judged<'c>> {
        self.readings.iter().filter(move |reading| reading.claim.of.as_ref() == Some(&claim.id))
    }

    /// How many conclusions of the paper, without literal readings, have this outcome.
    pub fn concluded(&self, outcome: ConclusionOutcome) -> usize {
        self.conclusions.iter().filter(|judged| !judged.conclusion.literal && judged.outcome == outcome).count()
    }

    /// How many conclusions hold, are undetermined, flip and are not judged, in this order.
    pub fn conclusion_counts(&self) -> [usize; 4] {
        use ConclusionOutcome::{Flips, Holds, NotJudged, Undetermined};
        [Holds, Undetermined, Flips, NotJudged].map(|outcome| self.concluded(outcome))
    }

    /// These verdicts, of some experiments alone.
    #[must_use]
    pub fn only(&self, experiments: &[Experiment]) -> Self {
        let mut some = self.clone();
        some.rows.retain(|row| experiments.contains(&row.claim.experiment));
        some.readings.retain(|reading| experiments.contains(&reading.claim.experiment));
        some.conclusions.retain(|judged| experiments.contains(&judged.conclusion.experiment));
        some
    }

    /// Whether a claim differs, or a conclusion flips, here and in every run that the authors could plausibly have had.
    pub fn any_differs(&self) -> bool {
        self.rows.iter().any(|row| row.verdict == Verdict::Differs) || self.concluded(ConclusionOutcome::Flips) > 0
    }

    /// Why a claim differs, here or by the other procedure, where that is known.
    pub fn deviation(&self, claim: &Claim) -> Option<&'c str> {
        self.claims.deviations.get(&claim.id).map(|text| text.trim())
    }

    /// The claims whose verdict is another by the other procedure.
    pub fn depending_on_the_reading(&self) -> impl Iterator<Item = &Judged<'c>> {
        let is_met = |verdict| !matches!(verdict, Verdict::Differs);
        self.rows.iter().filter(move |row| row.beside.is_some_and(|b| is_met(b.verdict) != is_met(row.verdict)))
    }

    /// Counts of the claims in digits and of those in words.
    pub fn kinds(&self) -> BTreeMap<Notation, VerdictTally> {
        BTreeMap::from([Notation::Digits, Notation::Words].map(|kind| (kind, self.kind(kind))))
    }

    /// Counts of the claims of a kind.
    pub fn kind(&self, kind: Notation) -> VerdictTally {
        VerdictTally::new(self.rows.iter().filter(|row| row.claim.kind() == kind))
    }

    /// How many computed numbers the claims are about.
    pub fn quantities(&self) -> usize {
        let quantities = self.rows.iter().map(|row| row.claim.quantity.as_str());
        quantities.collect::<std::collections::BTreeSet<_>>().len()
    }

    /// Counts by experiment.
    pub fn tallies(&self) -> BTreeMap<Experiment, VerdictTally> {
        tally(&self.rows)
    }

    /// Counts over all experiments.
    pub fn total(&self) -> VerdictTally {
        VerdictTally::new(&self.rows)
    }

    /// Why a claim's printed digits may be missed; `None` for an exact claim.
    pub fn reason(&self, claim: &Claim) -> Option<&'c str> {
        self.claims.reasons.get(claim.reason.as_deref()?).map(|text| text.trim())
    }

    /// File and function that compute a claim's number; `None` for numbers of other programs.
    pub fn code(&self, claim: &Claim) -> Option<(&'c str, &'c str)> {
        self.claims.code_of(&self.claims.judged_by.quantities(&claim.quantity).0)
    }

    /// The verdicts in full, for machines.
    pub fn to_json(&self) -> Value {
        let claims: Vec<Value> = self.rows.iter().map(|row| self.row_json(row)).collect();
        let readings: Vec<Value> = self.readings.iter().map(reading_json).collect();
        let conclusions: Vec<Value> = self.conclusions.iter().map(conclusion_json).collect();
        json!({
            "schema": SCHEMA,
            "conclusions": conclusions,
            "counts": self.total(),
            "kinds": self.kinds(),
            "quantities": self.quantities(),
            "reading_counts": ReadingTally::new(&self.readings),
            "experiments": self.tallies(),
            "record": self.record,
            "claims": claims,
            "readings": readings,
        })
    }

    fn row_json(&self, row: &Judged<'c>) -> Value {
        let claim = row.claim;
        let mut json = judged_json(row);
        json["class"] = json!(claim.class);
        json["tolerance"] = json!(claim.tolerance());
        json["reason"] = json!(self.reason(claim));
        json["smallest_misprint"] = json!(row.reproduced.and_then(|value| misprint(claim, value)));
        json["deviation"] = json!(self.deviation(claim).filter(|_| row.verdict == Verdict::Differs));
        json
    }
}

/// What the file of verdicts in a folder says of a claim or a conclusion.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Said {
    /// The claim or conclusion.
    pub id: String,
    /// What it is judged by.
    pub experiment: Experiment,
    /// Verdict of a claim.
    pub verdict: Option<Verdict>,
    /// What the paper prints, of a claim.
    pub published: Option<String>,
    /// The reproduced number as the paper would print it, of a claim.
    pub reproduced_text: Option<String>,
    /// What became of a conclusion.
    pub outcome: Option<ConclusionOutcome>,
}

impl Said {
    /// Claims and conclusions of a folder, in the order of the file.
    ///
    /// # Errors
    /// A file that is missing or that no run wrote.
    pub fn read(folder: &Path) -> Result<Vec<Self>, artifact::Error> {
        #[derive(Deserialize)]
        struct All {
            claims: Vec<Said>,
            conclusions: Vec<Said>,
        }
        let path = folder.join(FILE);
        let all: All = serde_json::from_slice(&artifact::read(&path)?).map_err(artifact::Error::json(&path))?;
        Ok(all.claims.into_iter().chain(all.conclusions).collect())
    }

    /// The verdict in a word, with the reproduced number of a claim.
    pub fn text(&self) -> String {
        let word = self.verdict.map(Verdict::word).or(self.outcome.map(ConclusionOutcome::word)).unwrap_or_default();
        self.reproduced_text.as_ref().map_or_else(|| word.to_owned(), |here| format!("{word} ({here})"))
    }
}

/// What claims and literal readings have in common.
fn judged_json(row: &Judged) -> Value {
    let claim = row.claim;
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
        "verdict": row.verdict,
        "beside": row.beside,
    })
}

fn reading_json(reading: &Judged) -> Value {
    let mut json = judged_json(reading);
    json["of"] = json!(reading.claim.of);
    json["status"] = json!(reading.status());
    json
}

/// The smallest misprint of a claim's number that it would catch, in the unit of the claim.
pub fn misprint(claim: &Claim, reproduced: f64) -> Option<f64> {
    let units = smallest_misprint(claim, reproduced)?;
    let value = units as f64 * 10f64.powi(-i32::from(claim.decimals));
    Some(judge_uncertainty_system::numbers::rounded(value, claim.decimals))
}

fn conclusion_json(judged: &JudgedConclusion) -> Value {
    let mut json = json!(judged.conclusion);
    json["here"] = json!(judged.here);
    json["beside"] = json!(judged.beside);
    json["evidence"] = json!(judged.evidence());
    json["runs"] = json!(judged.runs.map(|(held, of)| json!({"held": held, "of": of})));
    json["outcome"] = json!(judged.outcome);
    json
}
