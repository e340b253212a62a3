//! What is said of a study, from the templates of running text in `templates/study/`;
//! [`prose`] says how they are written.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tera::{Context, Kwargs, State, Tera, TeraResult, Value};

use super::blocks::{prediction_name, score_name, text};
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_evaluation::held_out::Given;
use judge_uncertainty_page::prose::{self, Line, read};
use judge_uncertainty_page::templates::{self, Error};
use judge_uncertainty_page::{Block, Table, Text};
use judge_uncertainty_system::built_in;

const TEMPLATES: [(&str, &str); 19] = built_in![
    "study/": "answer.txt", "apply.txt", "compare.txt", "evaluation.txt", "figures.txt", "findings.txt", "fit.txt", "held_out.txt", "input.txt",
    "movement.txt", "page.txt", "plan.txt", "queue.txt", "ranking.txt", "registered.txt", "tables.txt", "trust.txt", "variance.txt", "warnings.txt",
];

static TERA: LazyLock<Tera> = LazyLock::new(|| {
    let mut tera = prose::engine();
    add_filters(&mut tera);
    tera.add_raw_templates(TEMPLATES).expect("the templates are tested");
    tera
});

/// Filters that name what a study has: scores, predictions and estimates.
fn add_filters(tera: &mut Tera) {
    tera.register_filter("score", |score: Value, _: Kwargs, _: &State| Ok::<_, tera::Error>(score_name(read(score)?)));
    tera.register_filter("prediction", |name: &str, arguments: Kwargs, _: &State| -> TeraResult<String> {
        Ok(prediction_name(name, read(arguments.must_get("given")?)?))
    });
    tera.register_filter("belief", |name: &str, _: Kwargs, _: &State| {
        let called = prediction_name(name, Given::NoLabel);
        called.split(',').next().unwrap_or_default().to_owned()
    });
    // An estimate with its interval; without one the value for these items or, if asked for, the reason.
    tera.register_filter("known", |found: Value, arguments: Kwargs, _: &State| -> TeraResult<String> {
        let found: Estimable = read(found)?;
        Ok(match (found.reason(), arguments.get::<&str>("reason")?) {
            (Some(reason), Some("alone")) => reason.to_owned(),
            (Some(reason), Some(_)) => format!("not estimable ({reason})"),
            _ => text(&found),
        })
    });
}

/// The lines that a template says of a view, with their ranks.
pub(crate) fn ranked(template: &str, view: &Context) -> Result<Vec<(u8, Line)>, Error> {
    Ok(prose::lines(&templates::render_own(&TERA, template, view)?))
}

/// The lines that a template says of a view.
pub(crate) fn lines(template: &str, view: &Context) -> Result<Vec<Line>, Error> {
    Ok(ranked(template, view)?.into_iter().map(|(_, line)| line).collect())
}

/// The blocks that a template says of a view.
pub(crate) fn blocks(template: &str, view: &Context) -> Result<Vec<Block>, Error> {
    Ok(prose::blocks(&templates::render_own(&TERA, template, view)?, &mut BTreeMap::new()))
}

/// What a template says in the part of a name, read by `kind`.
fn part<T>(
    template: &str,
    name: &str,
    mut view: Context,
    kind: impl FnOnce(Vec<Block>) -> Option<T>,
) -> Result<T, Error> {
    view.insert("part", name);
    let other =
        || Error::Own { name: template.to_owned(), detail: format!("the part {name:?} is missing or of another kind") };
    kind(blocks(template, &view)?).ok_or_else(other)
}

/// The table of a name with these rows; its caption, columns and note stand in `tables.txt`.
pub(crate) fn table(
    name: &str,
    view: Context,
    rows: impl IntoIterator<Item: IntoIterator<Item: Into<Text>>>,
) -> Result<Table, Error> {
    part("tables.txt", name, view, |mut blocks| match blocks.pop() {
        Some(Block::Table(table)) => Some(table.with_rows(rows)),
        _ => None,
    })
}

/// A paragraph of a page, as `page.txt` has it.
pub(crate) fn paragraph(name: &str, view: Context) -> Result<Text, Error> {
    part("page.txt", name, view, |mut blocks| blocks.pop()?.into_prose())
}

/// Title, description and note of the figure of a name, or what else `figures.txt` has of it.
pub(crate) fn figure<const PARTS: usize>(name: &str, view: Context) -> Result<[String; PARTS], Error> {
    let text = |block: Block| Some(block.into_prose()?.to_string());
    part("figures.txt", name, view, |blocks| blocks.into_iter().filter_map(text).collect::<Vec<_>>().try_into().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tera::context;

    use super::*;

    fn view(of: Value) -> Context {
        Context::from_serialize(&of).unwrap()
    }

    fn fit(own: Value, further: Value) -> Vec<String> {
        let mut fit = json!({
            "prior": "weak", "typical_trust": null, "trust_percentiles": [1.0, 2.0, 3.0], "assumed_trust": 2.0,
            "converged": true, "iterations": 9, "gradient_norm": 1.5e-7, "at_limit": 0, "labelled_items": 7,
            "unidentified": [], "coefficients": [],
        });
        fit.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
        let words = json!({"prediction": "prediction", "labels": "labels"});
        let mut of = json!({"fit": fit, "words": words, "own": own, "unidentified": [], "reading": "as it is"});
        of.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
        lines("fit.txt", &view(of)).unwrap().iter().map(|line| line.text().to_owned()).collect()
    }

    #[test]
    fn a_value_stays_within_its_line() {
        let hypotheses = [json!({"status": "open", "claim": "a\n\n> b", "found": null, "note": "| c"})];
        let of = json!({
            "registered": "then", "digest": "0123456789abcdef", "hypotheses": hypotheses, "level": 0.95, "labels": 5,
            "announced": 9, "deviations": [{"what": "> x\n\ny", "registered": null, "found": "y"}],
        });
        let told = lines("registered.txt", &context! { of => &of, hypotheses => &hypotheses, there => &3 }).unwrap();
        let expected = [
            Line::sentence(
                "Registered then (digest 0123456789ab): 1 hypothesis, whose intervals hold together with probability 0.95; \
                 all other findings are exploratory.",
            ),
            Line::sentence("3 of the 5 labels were there at registration and may have been seen before."),
            Line::sentence("The plan announced 9 labels and 5 are there: an interim look, which decides nothing."),
            Line::sentence(
                "Intervals hold for one look at these hypotheses, and earlier looks can't be told: each is another chance of \
                 a false verdict.",
            ),
            Line::Row("  OPEN          a\n\n> b".to_owned()),
            Line::Row("                | c".to_owned()),
            Line::Row("  DEVIATION     > x\n\ny: registered absent, found y".to_owned()),
        ];
        assert_eq!(told, expected);
        let old = lines("registered.txt", &context! { of => &of, hypotheses => &hypotheses, there => &5 }).unwrap();
        assert!(old[1].text().starts_with("All 5 labels were there at registration and may have been"), "{old:?}");
    }

    #[test]
    fn a_table_has_the_columns_of_its_template_whatever_its_values_are() {
        let classes = ["a | b", "c\nd"];
        let found = table("confusion", context! { classes => &classes }, [["x"; 5]]).unwrap();
        let heads: Vec<&str> = found.columns.iter().map(|column| column.head.as_str()).collect();
        assert_eq!(heads, ["people", "judge: a | b", "judge: c\nd", "recall", "precision"]);
        assert_eq!(found.caption, "Labels of people by the judge's answer, in shares of all labels");
        assert!(found.columns[1..].iter().all(|column| column.numeric) && found.id == "table-confusion");
        assert_eq!(
            found.note.unwrap().to_string(),
            "Recall: how often the judge gives this answer if a person does. Precision: how often a person gives it if the \
             judge does. The intervals are simultaneous."
        );
    }

    #[test]
    fn the_trust_is_an_interval_a_bound_or_a_number_without_estimate() {
        let of = |further: Value| fit(json!({}), further).swap_remove(0);
        let trust = json!({"value": 2.0, "standard_error": 0.1, "lo": 1.0, "hi": 3.0});
        assert_eq!(
            of(json!({"typical_trust": trust})),
            "A typical prediction of the judge is worth 1.00 to 3.00 labels (95% interval; we use 2.00); nine in ten items \
             lie between 1.00 and 3.00."
        );
        assert!(
            of(json!({"typical_trust": trust, "trust_percentiles": [2.0, 2.0, 2.0]}))
                .ends_with("(95% interval; we use 2.00), the same for all items.")
        );
        let bounds = |least: Value, most: Value| {
            of(json!({"bounds": {"at_least": least, "at_most": most}, "undetermined": "of that"}))
        };
        let rest = " (95% interval); more is not estimable, because of that. We use 2.00 labels, which is partly the prior \
                    and not an estimate.";
        for (least, most, worth) in [
            (json!(1.0), json!(null), "1.00 labels or more"),
            (json!(null), json!(0.0), "0.00 labels or fewer"),
            (json!(null), json!(null), "any number of labels"),
        ] {
            assert_eq!(bounds(least, most), format!("A typical prediction of the judge is worth {worth}{rest}"));
        }
        assert_eq!(
            of(json!({"prior": "none"})),
            "How many labels a typical prediction of the judge is worth is not estimable, because it is not determined. We \
             use 2.00 labels, which is where the search ended and not an estimate."
        );
        let carried = json!({"from": "run", "study": "s", "trust": 4.0, "features": [], "left": ["a", "b"]});
        let told = fit(json!({}), json!({"carried": carried, "converged": false, "at_limit": 3, "neighbours": "five"}));
        assert!(told[0].contains("which is partly the trust of the other study and not"), "{told:?}");
        assert_eq!(
            told[1..],
            [
                "The prior on the trust is centred on what \"s\" found (run): 4.00 labels, with the features: none; left \
                 out, because this study lacks them: a, b. Half splits of an evaluation do not use it.",
                "The fit of the trust did NOT converge (9 steps, gradient 1.5e-7); use the numbers with care.",
                "The trust of 3 of 7 labelled items is at a limit of the likelihood, which is not an estimate; use the weak \
                 prior.",
                "Labelled neighbours: five.",
            ]
        );
    }

    #[test]
    fn a_recalibration_of_another_study_is_told_with_what_labels_say_of_it() {
        let told = |labels_here: Value, sd: Value| {
            let carried = json!({
                "map": "temperature", "study": "s", "labels_here": labels_here, "sd_of_weight": sd, "weight": 0.5,
                "new_groups": ["g"], "another_judge": "another model",
            });
            let map = json!({"name": "bias", "guesses": 0.1, "variances": [], "carried": carried});
            fit(json!({"map": map}), json!({"has_line": true})).split_off(1)
        };
        let here = |verdict: &str, advantage: Value, se: Value, items: usize| json!({"labelled_items": items, "advantage": advantage, "se": se, "verdict": verdict});
        let rest = " It was fitted without these groups, whose items it treats like items without a group: g. The judge here \
                    is another one: another model.";
        let measured = "the labels of 8 items here are likelier after it than before it, by 0.200 nats per labelled item \
                        (standard error 0.100).";
        let found = told(here("supported", json!(0.2), json!(0.1), 8), json!(0.3));
        assert_eq!(
            found[0],
            format!(
                "The recalibration `temperature` of \"s\" also fits the labels here: {measured} The labels give it a weight \
                 of 0.500 (1: unchanged; 0: left out; standard deviation 0.300).{rest}"
            )
        );
        assert_eq!(
            found[1],
            "After that recalibration, the belief reads the prediction as it is, and a bias and a slope along the scale \
             (recalibration `bias`). 0.100 of each prediction counts as a guess by how often people choose each class. The \
             study names this recalibration; belief = \"auto\" compares it with the others."
        );
        let found = told(here("contradicted", json!(-0.2), json!(0.1), 8), json!(null));
        assert_eq!(
            found[0],
            format!(
                "The recalibration `temperature` of \"s\" does NOT fit here: {} Do not rely on it; more labels will decide. \
                 It does not make held-out labels likelier than a recalibration fitted here does, so it is left out.{rest}",
                measured.replace("likelier", "less likely")
            )
        );
        let found = told(here("open", json!(null), json!(null), 1), json!(null));
        assert!(
            found[0].starts_with(
                "The recalibration `temperature` of \"s\" may or may not fit here: 1 labelled item cannot decide. Label some \
                 items before you rely on it. It does not make"
            ),
            "{found:?}"
        );
        let found = told(here("open", json!(0.2), json!(0.1), 8), json!(null));
        assert!(
            found[0]
                .contains(&format!("may or may not fit here: {measured} Do not rely on it before more labels decide.")),
            "{found:?}"
        );
    }

    #[test]
    fn a_choice_among_recalibrations_comes_with_its_evidence() {
        let told = |choice: Value| {
            let map = json!({"name": "groups", "guesses": 0.0, "variances": [], "choice": choice});
            fit(json!({"map": map}), json!({"has_line": false})).swap_remove(1)
        };
        let start = "The belief reads the prediction as it is (recalibration `groups`). ";
        assert_eq!(
            told(json!({"chosen": "groups", "best": null, "labelled_items": 3, "candidates": []})),
            format!("{start}3 labelled items are too few to compare recalibrations on held-out labels.")
        );
        let candidate = |map: &str, below: f64| json!({"map": map, "below_best": below, "se": 0.01});
        let candidates = [candidate("bias", 0.1), candidate("groups", 0.0), candidate("none", 0.2)];
        let rest = "Each of 30 labelled items was held out once. The intervals do not include the chance that other labels \
                    would have chosen another recalibration.";
        assert_eq!(
            told(json!({"chosen": "groups", "best": "groups", "labelled_items": 30, "candidates": candidates})),
            format!(
                "{start}It has the best log score on held-out labels; the others are worse by these nats per labelled item: \
                 bias 0.100 (standard error 0.0100), none 0.200 (standard error 0.0100). {rest}"
            )
        );
        let other = json!({
            "chosen": "none", "best": "groups", "labelled_items": 30, "candidates": candidates, "strength": 0.5,
        });
        assert_eq!(
            told(other),
            format!(
                "{start}On held-out labels `groups` is better by 0.200 (standard error 0.0100) nats per labelled item, which \
                 is too little to choose a recalibration that could do more harm. Its weight is 0.500, because the labels \
                 leave some doubt about it. {rest}"
            )
        );
    }

    #[test]
    fn scores_are_read_with_bias_slope_and_factor_as_far_as_these_are_known() {
        let of = |value: f64, lo: f64, hi: f64| json!({"value": value, "standard_error": 0.1, "lo": lo, "hi": hi});
        let told = |read: Value, variance: Value, unidentified: Value| {
            let own = json!({"freedom": 5.0, "common_variance": variance, "recalibration": [read]});
            fit(own, json!({"unidentified": unidentified, "curve": null, "apart": null})).split_off(1)
        };
        let read = |bias: Value, slope: Value, factor: Value, stated: Value| {
            json!({
                "group": null, "centre": 6.0, "bias": bias, "slope": slope, "factor": factor, "assumed": {"factor": stated},
            })
        };
        let found =
            told(read(of(-0.5, -0.7, -0.3), of(0.8, 0.7, 0.9), of(1.5, 1.2, 1.8), json!(1.5)), json!(2.0), json!([]));
        assert_eq!(
            found[..3],
            [
                "Variances are known as from 5.00 labels; where the judge states none it is about 2.00.",
                "The judge's scores are read on the scale of the ratings: at its average of 6.00 they are too low by 0.500 \
                 (0.300 to 0.700); a point of theirs is 0.800 (0.700 to 0.900) of the ratings', so they exaggerate how far \
                 items differ; its standard deviations are multiplied by 1.50 (1.20 to 1.80): it is overconfident of how \
                 far annotators agree.",
                "Uncertainty about this reading widens the epistemic part, so an item's trust is below the typical one.",
            ]
        );
        let found = told(
            read(of(0.5, 0.3, 0.7), of(1.5, 1.2, 1.8), of(0.5, 0.3, 0.7), json!(0.5)),
            json!(2.0),
            json!(["ln s0^2"]),
        );
        assert_eq!(
            found[..2],
            [
                "Variances are known as from 5.00 labels. What they are where the judge states none cannot be determined: \
                 disagreement and ignorance look the same where no item has two ratings.",
                "The judge's scores are read on the scale of the ratings: at its average of 6.00 they are too high by 0.500 \
                 (0.300 to 0.700); a point of theirs is 1.50 (1.20 to 1.80) of the ratings', so they play down how far \
                 items differ; its standard deviations are multiplied by 0.500 (0.300 to 0.700): annotators agree more \
                 than it says.",
            ]
        );
        let found = told(read(json!(null), json!(null), json!(null), json!(1.0)), json!(null), json!(["ln(nu - 2)"]));
        assert_eq!(
            found[..2],
            [
                "How well the judge's variances are known cannot be determined from these ratings.",
                "The judge's scores are read on the scale of the ratings: their bias cannot be determined; how many points of \
                 the ratings a point of theirs is cannot be determined; by what its standard deviations are to be \
                 multiplied cannot be determined (have more items rated twice or more).",
            ]
        );
        let found = told(read(of(0.1, -0.1, 0.3), of(1.0, 0.9, 1.1), json!(null), json!(null)), json!(null), json!([]));
        assert_eq!(
            found[..2],
            [
                "The judge's variances are worth about 5.00 labels.",
                "The judge's scores are read on the scale of the ratings: at its average of 6.00 they show no clear bias, \
                 0.100 (-0.100 to 0.300); a point of theirs is 1.00 (0.900 to 1.10) of the ratings'.",
            ]
        );
    }
}
