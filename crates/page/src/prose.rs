//! Blocks of a page from a template of running text, so that sentences stand in templates and not in the program.
//!
//! A blank line ends a paragraph. `## TEXT` is a heading, `![NAME]` a figure, and lines that begin with `- ` are a list. A
//! table begins with `|= ID ALIGN CAPTION` ([`Table::new`] says what ALIGN is); a line of headings and the rows follow,
//! with `|` between cells, and its note begins with `|?`. Below `|#`, each line has a number that stands out, its label and
//! its tone. Backticks mark code, and `[LABEL](TARGET)` is a link.

use std::collections::BTreeMap;

use judge_uncertainty_system::numbers::{NumberStyle, three};
use tera::{Kwargs, State, Tera, TeraResult};

use crate::description::{Block, FigureBlock, KeyNumber, Table};
use crate::text::Text;
use crate::tone::Tone;

/// Adds filters that write numbers: `fixed`, `signed`, `count` and `three` (significant digits), and of a mean with its bounds `interval` and
/// `difference`; `to` is the number of decimals.
pub(crate) fn add_filters(tera: &mut Tera) {
    tera.register_filter("count", |number: f64, _: Kwargs, _: &State| {
        NumberStyle { thousands: true, ..NumberStyle::plain(0) }.format(number)
    });
    tera.register_filter("three", |number: f64, _: Kwargs, _: &State| three(number));
    for (one, between, plus) in [("fixed", "interval", false), ("signed", "difference", true)] {
        let style = move |arguments: &Kwargs| -> TeraResult<NumberStyle> {
            Ok(NumberStyle { plus, ..NumberStyle::plain(arguments.must_get::<i8>("to")?) })
        };
        tera.register_filter(one, move |number: f64, arguments: Kwargs, _: &State| -> TeraResult<String> {
            Ok(style(&arguments)?.format(number))
        });
        tera.register_filter(between, move |summary: tera::Value, arguments: Kwargs, _: &State| {
            let summary = serde_json::to_value(&summary).map_err(|error| tera::Error::message(error.to_string()))?;
            let style = style(&arguments)?;
            let text = |key: &str| summary[key].as_f64().map(|number| style.format(number));
            let parts = [text("mean"), text("lo"), text("hi")];
            let [Some(mean), Some(lo), Some(hi)] = parts else {
                return Err(tera::Error::message("a mean with its bounds is asked for"));
            };
            Ok(format!("{mean} [{lo}, {hi}]"))
        });
    }
}

/// The blocks that a rendered text describes; figures are taken out of `figures`, and those that are not there left out.
pub(crate) fn blocks(text: &str, figures: &mut BTreeMap<String, FigureBlock>) -> Vec<Block> {
    let mut chunks: Vec<Vec<&str>> = vec![vec![]];
    for line in text.lines().map(str::trim) {
        let alone = line.is_empty() || line.starts_with("## ") || line.starts_with("![");
        if alone || line.starts_with("|=") || line.starts_with("|#") {
            chunks.push(vec![]);
        }
        chunks.last_mut().expect("one at least").push(line);
        if alone {
            chunks.push(vec![]);
        }
    }
    chunks.retain(|chunk| chunk.iter().any(|line| !line.is_empty()));
    chunks.iter().filter_map(|chunk| block(chunk, figures)).collect()
}

fn block(lines: &[&str], figures: &mut BTreeMap<String, FigureBlock>) -> Option<Block> {
    let text = lines.join(" ");
    if let Some(heading) = text.strip_prefix("## ") {
        Some(Block::Heading(heading.to_owned()))
    } else if let Some(name) = text.strip_prefix("![") {
        figures.remove(name.trim_end_matches(']')).map(Block::Figure)
    } else if let Some(points) = text.strip_prefix("- ") {
        Some(Block::List(points.split(" - ").map(written).collect()))
    } else if text.starts_with("|=") {
        Some(Block::Table(table(lines)))
    } else if text.starts_with("|#") {
        Some(Block::Numbers(lines[1..].iter().filter_map(|line| number(line)).collect()))
    } else {
        Some(Block::Prose(written(&text)))
    }
}

/// Text with its code and links.
fn written(text: &str) -> Text {
    let link = text.split_once("](").and_then(|(before, after)| {
        let ((before, label), (target, after)) = (before.rsplit_once('[')?, after.split_once(')')?);
        Some((before, label, target, after))
    });
    match link {
        Some((before, label, target, after)) => {
            Text::marked(before).then(Text::link(label, target)).then(written(after))
        }
        None => Text::marked(text),
    }
}

fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

fn number(line: &str) -> Option<KeyNumber> {
    let [value, label, tone] = cells(line).try_into().ok()?;
    let tone = match tone.as_str() {
        "good" => Tone::Good,
        "fair" => Tone::Fair,
        "bad" => Tone::Bad,
        _ => Tone::Neutral,
    };
    Some(KeyNumber { value, label, tone })
}

fn table(lines: &[&str]) -> Table {
    let noted = lines.iter().position(|line| line.starts_with("|?")).unwrap_or(lines.len());
    let (rows, note) = lines.split_at(noted);
    let mut title = rows[0].trim_start_matches("|=").trim().splitn(3, ' ');
    let mut part = || title.next().unwrap_or_default();
    let (id, align, caption) = (part(), part(), part());
    let heads = rows.get(1).map(|line| cells(line)).unwrap_or_default();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let row = |line: &&str| cells(line).iter().map(|cell| written(cell)).collect::<Vec<_>>();
    let table = Table::new(id, caption, align, &heads, rows.iter().skip(2).map(row));
    if note.is_empty() { table } else { table.with_note(written(note.join(" ").trim_start_matches("|?").trim())) }
}
