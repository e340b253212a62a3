//! A study's page: the same report as the paper's, filled from a run.

use std::collections::BTreeMap;

use super::answer::{
    classes_section, confidence_section, disagreements_section, first_section, groups_section, rates_section,
    systems_section,
};
use super::blocks::{figure, section, sentences, some_figures, with_interval};
use super::bundle::DOCUMENT;
use super::cards::Cards;
use super::held_out::held_out_section;
use super::input::input_blocks;
use super::items::{anchor, items_section};
use super::movement::movement_section;
use super::prose::{blocks, paragraph, table};
use super::ratings;
use super::reading::reading_blocks;
use super::registered::registered_section;
use super::sentences::describe;
use super::shown::{Vocabulary, decomposition_blocks, elsewhere, shown_rules};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::new_items::NewItems;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::figures::{headline, show};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Page, Section, Table, Text};
use judge_uncertainty_study::evaluate::OrReason;
use judge_uncertainty_study::results::columns::MOST_IN_CSV;
use judge_uncertainty_study::results::own::OwnFit;
use judge_uncertainty_study::results::{Coefficient, GroupReport};
use judge_uncertainty_study::{Evaluation, EvaluationOutcome, Scale, StudyResults};
use judge_uncertainty_system::numbers::three;
use tera::{Context, context};

/// Groups that the page lists; with more, the largest.
const MOST_GROUPS: usize = 50;

/// Rows of a table among the answers that are seen at once; a longer one waits behind its caption.
const MOST_ROWS: usize = 15;

/// The page of a run; `figures` are those of its results, `cards` the items that are shown one by one.
///
/// # Errors
/// A template that does not fit.
pub fn page(results: &StudyResults, cards: &Cards, figures: &[Figure]) -> Result<Page, Error> {
    let words = Vocabulary::of(&results.input.scale);
    let groups = listed_groups(&results.groups);
    let of_items: Vec<&str> = groups.iter().map(|(name, _)| *name).filter(|name| !name.is_empty()).collect();
    let read = input_blocks(&results.input)?;
    let answer = &results.answer;
    let mut sections = vec![first_section(results, cards)?];
    let own = [
        systems_section(answer)?,
        classes_section(answer)?,
        groups_section(answer)?,
        confidence_section(answer, figures)?,
        disagreements_section(answer, cards)?,
    ];
    sections.extend(own.into_iter().flatten());
    sections.push(rates_section(answer, figures)?);
    // The answer ends here. What it rests on waits until somebody asks.
    let answered = sections.len();
    sections.extend([
        items_section(results, cards, &of_items, figures)?,
        section("findings", "What was found", vec![sentences(describe(results)?)]),
        section("input", &format!("Items, judge and {}", words.labels), read),
        trust(results, figures)?,
        decomposition(results, &groups, figures)?,
    ]);
    if let Some(calibration) = &results.findings.calibration {
        sections.push(ratings::calibration(calibration, figures)?);
    }
    sections.push(held_out_section(&results.held_out)?);
    match &results.evaluation {
        EvaluationOutcome::Evaluated(evaluation) => {
            sections.push(escalation(evaluation, &results.input.scale, figures)?)
        }
        EvaluationOutcome::NotEvaluated(reason) => sections.push(not_evaluated(reason)?),
    }
    sections.extend(results.registered.as_ref().map(registered_section).transpose()?);
    sections.extend(results.movement.as_ref().map(|movement| movement_section(movement, words.unit)).transpose()?);
    sections.push(files(results.input.items)?);
    let (answers, further) = sections.split_at_mut(answered);
    for block in answers.iter_mut().flat_map(|section| &mut section.blocks) {
        if let Block::Table(table) = block {
            table.folded |= table.rows.len() > MOST_ROWS;
        }
    }
    for section in further {
        section.folded = true;
    }
    let lead = match &results.input.criterion {
        Some(criterion) => format!("Judged by {}. {}", criterion.text().trim_end_matches('.'), words.lead).into(),
        None => words.lead.into(),
    };
    Ok(Page { title: results.input.title.clone(), lead, sections })
}

/// Coefficients as a table and, where the labels identify any, as a figure.
fn coefficients(coefficients: &[Coefficient], figures: &[Figure]) -> Result<Vec<Block>, Error> {
    if coefficients.is_empty() {
        return Ok(vec![Block::Prose(paragraph("no-feature", Context::new())?)]);
    }
    let figure = match figure(figures, "coefficients") {
        Some(figure) => figure,
        None => Block::Prose(paragraph("no-coefficient", Context::new())?),
    };
    Ok(vec![Block::Table(table("trust", context! { coefficients => coefficients })?), figure])
}

fn trust(results: &StudyResults, figures: &[Figure]) -> Result<Section, Error> {
    let fit = &results.fit;
    let view = context! { fit => fit, own => &fit.own, words => Vocabulary::of(&results.input.scale) };
    let mut blocks = blocks("trust.txt", &view)?;
    if let OwnFit::Ratings(own) = &fit.own {
        blocks.extend(reading_blocks(own)?);
    }
    blocks.extend(coefficients(&fit.coefficients, figures)?);
    Ok(section("trust", "Trust", blocks))
}

fn decomposition(results: &StudyResults, groups: &[NamedGroup<'_>], figures: &[Figure]) -> Result<Section, Error> {
    let words = Vocabulary::of(&results.input.scale);
    let mut blocks = decomposition_blocks(results)?;
    // Without groups, what a kind shows of its own says the same of all items.
    if blocks.is_empty() || results.groups.len() > 1 {
        blocks.push(Block::Table(groups_table(groups, results.groups.len(), words.unit)?));
    }
    blocks.extend(some_figures(figures, &["parts"]));
    Ok(section(words.decomposition, "Decomposition", blocks))
}

/// A group by its name, `""` for all items.
type NamedGroup<'r> = (&'r str, &'r GroupReport);

/// The groups that the page lists.
fn listed_groups(groups: &BTreeMap<String, GroupReport>) -> Vec<NamedGroup<'_>> {
    let mut groups: Vec<NamedGroup<'_>> = groups.iter().map(|(name, group)| (name.as_str(), group)).collect();
    // All items, and then the largest groups in the order of their names.
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.items));
    groups.truncate(MOST_GROUPS + 1);
    groups.sort_by_key(|(name, _)| *name);
    groups
}

/// Means over the items of each of these groups, of `all` that there are, with links to their items; `unit` is that of
/// the decomposition.
fn groups_table(groups: &[NamedGroup<'_>], all: usize, unit: &str) -> Result<Table, Error> {
    let left = all - groups.len();
    let mut place = 0..;
    let rows = groups.iter().map(|&(name, group)| {
        let name = match (name, &mut place) {
            ("", _) => Text::plain("all items"),
            (name, place) => Text::link(name, format!("#{}", anchor(place.next().unwrap_or_default()))),
        };
        let cells = [group.labels, group.trust, group.total, group.aleatoric, group.epistemic].map(show);
        let mut row = vec![name, Text::plain(group.items.to_string())];
        row.extend(cells.map(Text::plain));
        row
    });
    Ok(table("groups", context! { unit => unit, left => &left })?.with_rows(rows))
}

/// The section that gives the reason for a missing evaluation; its tables and figures are left out.
fn not_evaluated(reason: &str) -> Result<Section, Error> {
    let text = paragraph("not-evaluated", context! { reason => reason })?;
    Ok(section("escalation", "What escalation achieves", vec![Block::Prose(text)]))
}

fn escalation(evaluation: &Evaluation, scale: &Scale, figures: &[Figure]) -> Result<Section, Error> {
    let words = Vocabulary::of(scale);
    let full = &evaluation.full;
    let budget = headline(full);
    let compared = &evaluation.for_new_items;
    let rows = shown_rules(evaluation, words).into_iter().map(|rule| {
        let minus = |of: &BTreeMap<Rule, OrReason<NewItems>>| match of.get(&rule) {
            None => "—".to_owned(),
            Some(OrReason::Found(found)) => with_interval(found.difference, found.simultaneous),
            Some(OrReason::NotEstimable { .. }) => "not estimable".to_owned(),
        };
        let value = &full.value[&rule][&budget];
        let mut cells = vec![
            words.rule_name()(rule).to_owned(),
            format!("{} ({})", show(value.mean), show(value.se)),
            minus(&compared.value),
        ];
        cells.extend(compared.squared_value.as_ref().map(minus));
        cells.push(
            full.selective_error[&rule].get(&budget).map_or_else(|| "not estimable".to_owned(), |left| show(left.mean)),
        );
        cells
    });
    let squared = evaluation.squared.as_ref().map_or(0.0, |squared| squared.oracle[&budget].mean);
    let oracle = words.oracle.replace("{oracle}", &three(evaluation.oracle[&budget].mean));
    let oracle = oracle.replace("{squared}", &three(squared));
    let view = context! {
        words => words,
        escalated => &budget.of(evaluation.items),
        items => &evaluation.items,
        replicates => &evaluation.replicates,
        squared => &compared.squared_value.is_some(),
        oracle => &oracle,
        level => &compared.level,
    };
    let table = table("escalation", view)?.with_rows(rows);
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(some_figures(figures, &["budget", "advantage"]));
    blocks.extend(elsewhere(evaluation, scale)?);
    Ok(section("escalation", "What escalation achieves", blocks))
}

/// What else a run folder holds.
fn files(items: usize) -> Result<Section, Error> {
    let view = context! { part => "files", document => DOCUMENT, in_csv => &(items <= MOST_IN_CSV) };
    Ok(section("files", "Files beside this page", blocks("page.txt", &view)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page names the files that a run of so many items has.
    #[test]
    fn a_large_run_has_no_csv_of_its_items() {
        let first = |items: usize| match &files(items).unwrap().blocks[..] {
            [Block::List(list)] => list[0].clone(),
            other => panic!("{other:?}"),
        };
        let named = |names: &str| Text::marked(&format!("{names}: every item with its decomposition"));
        assert_eq!(first(MOST_IN_CSV), named("`items.csv` and `items.parquet`"));
        assert_eq!(first(MOST_IN_CSV + 1), named("`items.parquet`"));
    }
}
