//! The section on single items: which come first, and why.

use super::blocks::section;
use super::cards::{Card, Cards, FIRST};
use super::prose::{paragraph, table};
use super::shown::Vocabulary;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::figures::show;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, FigureBlock, ItemsBlock, ScatterAxis, Section, Table};
use judge_uncertainty_study::StudyResults;
use judge_uncertainty_study::results::columns::MOST_IN_CSV;
use serde_json::{Value, json};
use tera::context;

/// Items of a group that its list names.
const OF_A_GROUP: usize = 10;
/// Width and height of the drawing.
const SIZE: [f64; 2] = [760.0, 480.0];
/// Left, right, top and bottom of its field.
const FIELD: [f64; 4] = [66.0, 748.0, 14.0, 430.0];

/// The anchor of the items of a group, by its place among the groups of the page.
pub(super) fn anchor(place: usize) -> String {
    format!("items-of-{place}")
}

/// The section; `groups` are the groups that the page lists, in order.
pub(super) fn items_section(
    results: &StudyResults,
    cards: &Cards,
    groups: &[&str],
    figures: &[Figure],
) -> Result<Section, Error> {
    let figure = figures.iter().find(|figure| figure.name == "components").map(FigureBlock::new);
    let items = ItemsBlock {
        explorer: explorer(results, cards, groups)?,
        table: first_table(cards, Vocabulary::of(&results.input.scale))?,
        figure: "components".to_owned(),
        figure_title: figure.as_ref().map_or_else(String::new, |figure| figure.title.clone()),
        figure_note: figure.and_then(|figure| figure.note),
    };
    Ok(section("items", "Which items, and why", vec![Block::Items(Box::new(items))]))
}

/// What `report/items.html` shows: which items are here and how they are to be read, the rules and groups to choose among,
/// a card of each item, the first ones apart, and the drawing in which each is a dot.
fn explorer(results: &StudyResults, cards: &Cards, groups: &[&str]) -> Result<Value, Error> {
    let across = ScatterAxis::over(cards.cards.iter().map(|card| card.aleatoric), FIELD[0], FIELD[1]);
    let up = ScatterAxis::over(cards.cards.iter().map(|card| card.epistemic), FIELD[3], FIELD[2]);
    let words = Vocabulary::of(&results.input.scale);
    let view = |(number, card): (usize, &Card)| {
        let mut view = card.view.clone();
        view["number"] = json!(number);
        view["dot"] = json!({"x": across.at(card.aleatoric), "y": up.at(card.epistemic)});
        view
    };
    let mut first: Vec<Value> = cards.cards.iter().enumerate().map(view).collect();
    let others = first.split_off(FIRST.min(first.len()));
    let mut rules = cards.rules.clone();
    rules.retain(|rule| !words.left_out.contains(rule));
    rules.sort_by_key(|rule| *rule != cards.rule);
    let rule = |rule: &Rule| json!({"key": rule.key(), "name": words.rule_words(*rule)});
    Ok(json!({
        "said": said(cards)?,
        "rules": rules.iter().map(rule).collect::<Vec<_>>(),
        "groups": groups.iter().enumerate().map(|(place, name)| group(cards, place, name)).collect::<Vec<_>>(),
        "bars": ["the judge", "the belief, labels included"],
        "first": first,
        "others": others,
        "scatter": {
            "size": SIZE,
            "field": FIELD,
            "across": across.ticks(),
            "up": up.ticks(),
            "names": [format!("aleatoric, {}", words.unit), format!("epistemic, {}", words.unit)],
            "description": paragraph("scatter", context! { shown => &cards.cards.len() })?.to_string(),
        },
    }))
}

fn said(cards: &Cards) -> Result<String, Error> {
    let view = context! {
        partial => &cards.is_partial(),
        items => &cards.items,
        shown => &cards.cards.len(),
        first => &FIRST,
        in_csv => &(cards.items <= MOST_IN_CSV),
        texts => &cards.texts,
    };
    Ok(paragraph("items", view)?.to_string())
}

fn group(cards: &Cards, place: usize, name: &str) -> Value {
    let own = || cards.cards.iter().enumerate().filter(|(_, card)| card.group.as_deref() == Some(name));
    let choice = |(number, card): (usize, &Card)| json!({"key": number, "name": card.id});
    let first = own().take(OF_A_GROUP).map(choice).collect::<Vec<_>>();
    json!({"id": anchor(place), "name": name, "shown": own().count(), "first": first})
}

fn first_table(cards: &Cards, words: &Vocabulary) -> Result<Table, Error> {
    let row = |card: &Card| {
        let why = if card.why.is_empty() { "—".to_owned() } else { card.why.join("; ") };
        [card.id.clone(), card.labels.to_string(), show(card.aleatoric), show(card.epistemic), why]
    };
    let rows = cards.cards.iter().take(FIRST).map(row);
    Ok(table("first", context! { rule => words.rule_words(cards.rule) })?.with_rows(rows))
}
