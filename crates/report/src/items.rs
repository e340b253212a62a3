//! The section on single items: which come first, and why.

use super::blocks::section;
use super::prose::{paragraph, table};
use super::shown::Vocabulary;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::figures::show;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, FigureBlock, ItemsBlock, ScatterAxis, Section, Table};
use judge_uncertainty_study::StudyResults;
use judge_uncertainty_study::input::question::Question;
use judge_uncertainty_study::results::cards::{Card, Cards, FIRST, Profile};
use judge_uncertainty_study::results::columns::MOST_IN_CSV;
use judge_uncertainty_system::numbers::three;
use serde_json::{Value, json};
use tera::context;

/// Classes that a card shows; with more, those with most probability.
const MOST_CLASSES: usize = 6;
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
    let (question, words) = (results.input.scale.question(), Vocabulary::of(&results.input.scale));
    let view = |(number, card): (usize, &Card)| {
        let parts = format!(
            "aleatoric {}, epistemic {} {}; the judge counts as {} labels",
            show(card.aleatoric),
            show(card.epistemic),
            words.unit,
            three(card.trust)
        );
        json!({
            "number": number,
            "id": card.id,
            "text": card.text,
            "cut": card.cut,
            "answered": answered(&card.profile, &question),
            "transcript": card.transcript,
            "remarks": card.remarks,
            "group": card.group,
            "labels": held(card),
            "bars": bars(&card.profile, &question),
            "parts": parts,
            "why": card.why,
            "ranks": ranks(card),
            "place": card.ranks[&cards.rule],
            "dot": {"x": across.at(card.aleatoric), "y": up.at(card.epistemic)},
        })
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
        texts => &cards.cards.iter().any(|card| card.text.is_some()),
    };
    Ok(paragraph("items", view)?.to_string())
}

fn group(cards: &Cards, place: usize, name: &str) -> Value {
    let own = || cards.cards.iter().enumerate().filter(|(_, card)| card.group.as_deref() == Some(name));
    let choice = |(number, card): (usize, &Card)| json!({"key": number, "name": card.id});
    let first = own().take(OF_A_GROUP).map(choice).collect::<Vec<_>>();
    json!({"id": anchor(place), "name": name, "shown": own().count(), "first": first})
}

fn ranks(card: &Card) -> String {
    let of = |(rule, place): (&Rule, &usize)| format!("{}:{place}", rule.key());
    card.ranks.iter().map(of).collect::<Vec<_>>().join(" ")
}

fn held(card: &Card) -> String {
    match (card.labels, &card.profile) {
        (0, _) => "no label".to_owned(),
        (1, _) => "1 label".to_owned(),
        (n, Profile::Shares { .. }) => format!("{n} labels"),
        (n, Profile::Scores { labels, .. }) => {
            let mean = labels.iter().sum::<f64>() / labels.len() as f64;
            format!("{n} labels, mean {}", three(mean))
        }
    }
}

/// What the judge answered: its likeliest class, or its mean score.
fn answered(profile: &Profile, question: &Question) -> String {
    match profile {
        Profile::Shares { judge, .. } => {
            let likeliest = (0..judge.len()).max_by(|a, b| judge[*a].total_cmp(&judge[*b]).then(b.cmp(a)));
            likeliest.map_or_else(String::new, |k| question.classes()[k].clone())
        }
        Profile::Scores { judge, .. } => three(judge.0),
    }
}

/// The bars of a card: a pair per class, or one pair on the scale from `low` to `high`, with the labels as marks; places
/// and widths are in percent of the width.
fn bars(profile: &Profile, question: &Question) -> Vec<Value> {
    let (low, high) = match *question {
        Question::Score { low, high } => (low, high),
        Question::Classes(_) => (0.0, 1.0),
    };
    match profile {
        Profile::Shares { judge, belief, counts } => {
            let mut classes: Vec<usize> = (0..judge.len()).collect();
            if classes.len() > MOST_CLASSES {
                let weight = |k: &usize| judge[*k].max(belief[*k]);
                classes.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
                classes.truncate(MOST_CLASSES);
                classes.sort_unstable();
            }
            let track = |share: f64| json!({"from": 0.0, "width": percent(share), "text": format!("{share:.2}")});
            let bar = |k: usize| {
                let held = if counts[k] > 0 { counts[k].to_string() } else { String::new() };
                let (judge, belief) = (track(judge[k]), track(belief[k]));
                json!({"name": question.classes()[k], "judge": judge, "belief": belief, "held": held, "marks": []})
            };
            classes.into_iter().map(bar).collect()
        }
        Profile::Scores { judge, belief, labels } => {
            let place = |value: f64| percent((value - low) / (high - low));
            let track = |mean: f64, sd: Option<f64>| {
                let reach = sd.unwrap_or(0.0);
                let (from, to) = (place(mean - reach), place(mean + reach));
                let text = sd.map_or_else(|| three(mean), |sd| format!("{} ± {}", three(mean), three(sd)));
                // A score without a spread is still to be seen.
                json!({"from": from.min(99.0), "width": tenths((to - from).max(1.0)), "text": text})
            };
            let name = format!("{} to {}", three(low), three(high));
            let (judge, belief) = (track(judge.0, judge.1), track(belief.0, Some(belief.1)));
            let marks: Vec<f64> = labels.iter().map(|label| place(*label)).collect();
            vec![json!({"name": name, "judge": judge, "belief": belief, "held": "", "marks": marks})]
        }
    }
}

fn percent(share: f64) -> f64 {
    tenths(100.0 * share.clamp(0.0, 1.0))
}

fn tenths(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

fn first_table(cards: &Cards, words: &Vocabulary) -> Result<Table, Error> {
    let row = |card: &Card| {
        let why = if card.why.is_empty() { "—".to_owned() } else { card.why.join("; ") };
        [card.id.clone(), card.labels.to_string(), show(card.aleatoric), show(card.epistemic), why]
    };
    let rows = cards.cards.iter().take(FIRST).map(row);
    Ok(table("first", context! { rule => words.rule_words(cards.rule) })?.with_rows(rows))
}
