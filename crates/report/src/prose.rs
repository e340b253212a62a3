//! What is said of a study, from the templates of running text in `templates/study/`;
//! [`prose`] says how they are written.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tera::{Context, Kwargs, State, Tera, TeraResult, Value};

use super::blocks::{prediction_name, score_name, text, with_interval, without_interval};
use judge_uncertainty_core::stats::{Estimable, Estimate};
use judge_uncertainty_evaluation::held_out::Given;
use judge_uncertainty_page::prose::{self, Line, read};
use judge_uncertainty_page::templates::{self, Error};
use judge_uncertainty_page::{Block, Table, Text};
use judge_uncertainty_study::findings::words::{Unit, side};
use judge_uncertainty_system::built_in;

const TEMPLATES: [(&str, &str); 20] = built_in![
    "study/": "answer.txt", "apply.txt", "compare.txt", "evaluation.txt", "figures.txt", "findings.txt", "fit.txt", "held_out.txt", "input.txt",
    "judge.txt", "movement.txt", "page.txt", "plan.txt", "queue.txt", "ranking.txt", "registered.txt", "tables.txt", "trust.txt", "variance.txt", "warnings.txt",
];

static TERA: LazyLock<Tera> = LazyLock::new(|| {
    let mut tera = prose::engine();
    add_filters(&mut tera);
    tera.add_raw_templates(TEMPLATES).expect("the templates are tested");
    #[cfg(test)]
    tests::note_branches(&mut tera);
    tera
});

/// Filters that name what a study has: scores, predictions and estimates, these in a sentence (`known`) or in a `cell`; and in a
/// `unit` findings with their intervals (`measured`), the `size` of a difference, and what is known of all items (`whole`).
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
    tera.register_filter("cell", |found: Value, _: Kwargs, _: &State| -> TeraResult<String> {
        Ok(match read::<Estimate>(found.clone()) {
            Ok(found) => with_interval(found.value, found.interval()),
            Err(_) => without_interval(&read(found)?),
        })
    });
    tera.register_filter("side", |found: Value, _: Kwargs, _: &State| {
        Ok::<_, tera::Error>(i64::from(side(&read(found)?)))
    });
    tera.register_filter("measured", |found: Value, arguments: Kwargs, _: &State| -> TeraResult<String> {
        Ok(unit(&arguments)?.estimable(&read(found)?))
    });
    tera.register_filter("size", |found: Value, arguments: Kwargs, _: &State| -> TeraResult<String> {
        Ok(unit(&arguments)?.size(&read(found)?))
    });
    tera.register_filter("whole", |value: f64, arguments: Kwargs, _: &State| -> TeraResult<String> {
        Ok(unit(&arguments)?.plain(value))
    });
}

fn unit(arguments: &Kwargs) -> TeraResult<Unit> {
    read(arguments.must_get("unit")?)
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

/// The table of a name, as `tables.txt` has it; rows that need more than its view are added by who asks.
pub(crate) fn table(name: &str, view: Context) -> Result<Table, Error> {
    part("tables.txt", name, view, |mut blocks| match blocks.pop() {
        Some(Block::Table(table)) => Some(table),
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
mod tests;
