//! What is said of a study, from the templates of running text in `templates/study/`, so that sentences stand there and
//! not in the program.
//!
//! A blank line ends a line of the description; the lines of a template that follow one another are one. `> ` begins a
//! [lead](Line::Lead) and `| ` a [row](Line::Row), of which the spaces that follow are kept; all others are sentences. A
//! digit behind these marks ranks the line: where there is little room, those with a high one are left out first.

use std::sync::LazyLock;

use serde::Deserialize;
use tera::{Context, Kwargs, State, Tera, TeraResult, Value};

use super::blocks::{percent, prediction_name, score_name, show, text};
use super::lines::Line;
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_evaluation::held_out::Given;
use judge_uncertainty_page::{Block, Table, Text};
use judge_uncertainty_system::built_in;
use judge_uncertainty_system::numbers::{three, two};

const TEMPLATES: [(&str, &str); 19] = built_in![
    "study/": "answer.txt", "apply.txt", "compare.txt", "evaluation.txt", "figures.txt", "findings.txt", "fit.txt", "held_out.txt", "input.txt",
    "movement.txt", "page.txt", "plan.txt", "queue.txt", "ranking.txt", "registered.txt", "tables.txt", "trust.txt", "variance.txt", "warnings.txt",
];

/// What tells the parts of a template apart, and what stands for it within a value meanwhile: characters that Unicode keeps
/// free.
const MARKS: [(&str, &str); 3] = [("\n", "\u{fdd0}"), ("|", "\u{fdd1}"), (">", "\u{fdd2}")];

/// A value in which no mark is left.
fn unmarked(value: &str) -> String {
    MARKS.iter().fold(value.to_owned(), |text, (mark, stands)| text.replace(mark, stands))
}

/// A text with its values as they were given.
fn as_given(text: &str) -> String {
    MARKS.iter().fold(text.to_owned(), |text, (mark, stands)| text.replace(stands, mark))
}

static TERA: LazyLock<Tera> = LazyLock::new(|| {
    let mut tera = Tera::new();
    tera.autoescape_on(vec![".txt"]);
    tera.set_escape_fn(|value, to| to.write_all(unmarked(value).as_bytes()));
    add_filters(&mut tera);
    tera.add_raw_templates(TEMPLATES).expect("the templates are tested");
    tera
});

/// A value of the view as its type.
fn read<T: for<'de> Deserialize<'de>>(value: Value) -> TeraResult<T> {
    T::deserialize(value).map_err(|error| tera::Error::message(error.to_string()))
}

fn add_filters(tera: &mut Tera) {
    type Style = (&'static str, fn(f64) -> String);
    let numbers: [Style; 7] = [
        ("show", show),
        ("three", three),
        ("percent", percent),
        ("plain", |number| number.to_string()),
        ("two", two),
        ("exponent", |number| format!("{number:e}")),
        ("magnitude", |number| format!("{number:.0e}")),
    ];
    for (name, format) in numbers {
        tera.register_filter(name, move |number: f64, _: Kwargs, _: &State| format(number));
    }
    tera.register_filter("fixed", |number: f64, arguments: Kwargs, _: &State| -> TeraResult<String> {
        let decimals = arguments.must_get::<u64>("to")? as usize;
        Ok(format!("{number:.decimals$}"))
    });
    tera.register_filter("exp", |number: f64, _: Kwargs, _: &State| number.exp());
    tera.register_filter("negative", |number: f64, _: Kwargs, _: &State| -number);
    tera.register_filter("quoted", |text: &str, _: Kwargs, _: &State| format!("{text:?}"));
    // To the left in so many columns, or to the right where the number is below 0.
    tera.register_filter("pad", |text: &str, arguments: Kwargs, _: &State| -> TeraResult<String> {
        let to = arguments.must_get::<i64>("to")?;
        let width = to.unsigned_abs() as usize;
        Ok(if to < 0 { format!("{text:>width$}") } else { format!("{text:<width$}") })
    });
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

fn render(template: &str, view: &Context) -> String {
    TERA.render(template, view).unwrap_or_else(|error| panic!("{template} does not fit its view: {error}"))
}

/// The lines that a template says of a view, with their ranks.
pub(crate) fn ranked(template: &str, view: &Context) -> Vec<(u8, Line)> {
    let said = render(template, view);
    let all: Vec<&str> = said.lines().map(str::trim).collect();
    all.split(|line| line.is_empty()).filter(|lines| !lines.is_empty()).map(line).collect()
}

fn line(of: &[&str]) -> (u8, Line) {
    let text = of.join(" ");
    let marked = |mark: char| {
        let (rank, rest) = text.strip_prefix(mark)?.split_once(' ')?;
        Some((if rank.is_empty() { 0 } else { rank.parse().ok()? }, as_given(rest)))
    };
    match (marked('>'), marked('|')) {
        (Some((rank, text)), _) => (rank, Line::Lead(text)),
        (_, Some((rank, text))) => (rank, Line::Row(text)),
        _ => (0, Line::Sentence(as_given(&text))),
    }
}

/// The lines that a template says of a view.
pub(crate) fn lines(template: &str, view: &Context) -> Vec<Line> {
    ranked(template, view).into_iter().map(|(_, line)| line).collect()
}

/// What a template says of a view, as one paragraph of a page.
pub(crate) fn sentence(template: &str, view: &Context) -> Block {
    let said = lines(template, view).into_iter().filter_map(Line::into_sentence);
    Block::Prose(said.collect::<Vec<_>>().join(" ").into())
}

/// The table of a name with these rows; its caption, columns and note stand in `tables.txt`.
pub(crate) fn table(
    name: &str,
    mut view: Context,
    rows: impl IntoIterator<Item: IntoIterator<Item: Into<Text>>>,
) -> Table {
    view.insert("table", name);
    let said = render("tables.txt", &view);
    let (caption, rest) = head(&said);
    let (columns, note) = head(rest);
    let mut columns = columns.split('|').map(|part| as_given(part.trim()));
    let align = columns.next().unwrap_or_default();
    let heads: Vec<String> = columns.collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let table = Table::new(&format!("table-{name}"), as_given(caption), &align, &heads, rows);
    let note = joined(note);
    if note.is_empty() { table } else { table.with_note(note) }
}

/// A paragraph of a page, as `page.txt` has it.
pub(crate) fn paragraph(part: &str, mut view: Context) -> String {
    view.insert("part", part);
    joined(&render("page.txt", &view))
}

/// Title, description and note of the figure of a name, as `figures.txt` has them.
pub(crate) fn figure(name: &str, mut view: Context) -> [String; 3] {
    view.insert("figure", name);
    let said = render("figures.txt", &view);
    let (title, rest) = head(&said);
    let (alt, note) = head(rest);
    [as_given(title), as_given(alt), joined(note)]
}

/// The first line of a text that is not blank, and what follows it.
fn head(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    (first.trim_end(), rest)
}

/// Lines as one.
fn joined(lines: &str) -> String {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    as_given(&lines.collect::<Vec<_>>().join(" "))
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
        lines("fit.txt", &view(of)).iter().map(|line| line.text().to_owned()).collect()
    }

    #[test]
    fn a_value_stays_within_its_line() {
        let hypotheses = [json!({"status": "open", "claim": "a\n\n> b", "found": null, "note": "| c"})];
        let of = json!({
            "registered": "then", "digest": "0123456789abcdef", "hypotheses": hypotheses, "level": 0.95, "labels": 5,
            "announced": 9, "deviations": [{"what": "> x\n\ny", "registered": null, "found": "y"}],
        });
        let told = lines("registered.txt", &context! { of => &of, hypotheses => &hypotheses, there => &3 });
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
        let old = lines("registered.txt", &context! { of => &of, hypotheses => &hypotheses, there => &5 });
        assert!(old[1].text().starts_with("All 5 labels were there at registration and may have been"), "{old:?}");
    }

    #[test]
    fn a_line_may_begin_with_any_letter() {
        for (text, expected) in [
            ("é a", Line::sentence("é a")),
            (">12 é", Line::Lead("é".to_owned())),
            ("|x é", Line::sentence("|x é")),
            ("|   é", Line::Row("  é".to_owned())),
        ] {
            assert_eq!(line(&[text]).1, expected);
        }
        assert_eq!(line(&[">3 a", "b"]), (3, Line::Lead("a b".to_owned())));
    }

    #[test]
    fn a_table_has_the_columns_of_its_template_whatever_its_values_are() {
        let classes = ["a | b", "c\nd"];
        let found = table("confusion", context! { classes => &classes }, [["x"; 5]]);
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
