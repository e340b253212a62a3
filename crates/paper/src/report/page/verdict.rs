//! What the page says of the verdicts, as a view for its template.

use serde_json::{Value, json};

use crate::claims::{Judged, JudgedConclusion, Notation, ReadingTally, VerdictTally};
use crate::experiments::Experiment;
use crate::report::claims_table::experiment_name;
use crate::verdicts::Verdicts;

pub(in crate::report) fn view(verdicts: &Verdicts) -> Value {
    let [digits, words] = [Notation::Digits, Notation::Words].map(|kind| verdicts.kind(kind));
    // What does not hold comes first.
    let mut concluded: Vec<&JudgedConclusion> = verdicts.conclusions.iter().collect();
    concluded.sort_by_key(|judged| (judged.conclusion.literal, std::cmp::Reverse(judged.outcome)));
    let named = |name: &str, of: Value| json!({"name": name, "of": of});
    let of_experiments = verdicts.tallies();
    let tallies = of_experiments.iter().map(|(experiment, of)| named(experiment_name(*experiment), tally(of)));
    let kinds = [("Of all, in digits", &digits), ("Of all, in words, with ~ or as thresholds", &words)];
    let all = kinds
        .into_iter()
        .chain([("All", &verdicts.total())])
        .map(|(name, of)| named(name, tally(of)))
        .collect::<Vec<_>>();
    json!({
        "concluded": verdicts.conclusion_counts(),
        "conclusions": concluded.into_iter().map(conclusion).collect::<Vec<_>>(),
        "total": tally(&verdicts.total()),
        "digits": tally(&digits),
        "words": tally(&words),
        "quantities": verdicts.quantities(),
        "readings": ReadingTally::new(&verdicts.readings),
        "tallies": tallies.chain(all).collect::<Vec<_>>(),
        "twofold": verdicts.rows.iter().any(|row| row.beside.is_some()),
        "depending": verdicts.depending_on_the_reading().map(|row| depending(row, verdicts)).collect::<Vec<_>>(),
        "record": verdicts.record.iter().map(|(group, of)| named(&group.replace('_', " "), json!(of))).collect::<Vec<_>>(),
    })
}

fn tally(tally: &VerdictTally) -> Value {
    let mut value = json!(tally);
    value["claims"] = tally.total().into();
    value
}

pub(in crate::report) fn conclusion(judged: &JudgedConclusion) -> Value {
    let conclusion = judged.conclusion;
    let literally = if conclusion.literal { "As literally stated: " } else { "" };
    json!({
        "says": format!("{literally}{}", conclusion.says),
        "word": judged.outcome.word(),
        "place": conclusion.place,
        "evidence": judged.evidence(),
        "note": conclusion.note,
    })
}

/// A claim whose verdict depends on the procedure.
fn depending(row: &Judged, verdicts: &Verdicts) -> Value {
    let judged_by_authors = row.beside.is_some_and(|beside| beside.reading != Experiment::Authors);
    let (judging, other) = (row.reproduced, row.beside.map(|beside| beside.reproduced));
    let (ours, authors) = if judged_by_authors { (other, judging) } else { (judging, other) };
    json!({
        "statement": row.claim.statement,
        "published": row.claim.published,
        "ours": ours,
        "authors": authors,
        "judge": if judged_by_authors { "the authors'" } else { "ours" },
        "why": verdicts.deviation(row.claim).unwrap_or_default(),
    })
}
