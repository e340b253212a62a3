//! Blocks of a page from a template of running text, so that sentences stand in templates and not in the program.
//!
//! A blank line ends a paragraph. `## TEXT` is a heading, `![NAME]` a figure, and lines that begin with `- ` are a list. A
//! table begins with `|= ID ALIGN CAPTION` ([`Table::new`] says what ALIGN is); a line of headings and the rows follow,
//! with `|` between cells, and its note begins with `|?`. Below `|#`, each line has a number that stands out, its label and
//! its tone. Backticks mark code, and `[LABEL](TARGET)` is a link.

use std::collections::BTreeMap;

use judge_uncertainty_system::numbers::{NumberStyle, three};
use tera::{Kwargs, State, Tera, TeraResult};

use crate::description::Tone;
use crate::description::{Block, FigureBlock, KeyNumber, Table};
use crate::figures::say;
use crate::text::Text;

/// Adds filters that write numbers: `fixed`, `signed`, `said` (as within a sentence), `count` and `three` (significant digits), and of a
/// mean with its bounds `interval` and `difference`; `to` is the number of decimals.
pub(crate) fn add_filters(tera: &mut Tera) {
    tera.register_filter("count", |number: f64, _: Kwargs, _: &State| {
        NumberStyle { thousands: true, ..NumberStyle::plain(0) }.format(number)
    });
    tera.register_filter("three", |number: f64, _: Kwargs, _: &State| three(number));
    tera.register_filter("said", |number: f64, arguments: Kwargs, _: &State| -> TeraResult<String> {
        Ok(say(number, arguments.must_get::<i8>("to")?))
    });
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

#[cfg(test)]
mod tests {
    use tera::Context;

    use super::*;

    fn rendered(template: &str, view: &serde_json::Value) -> tera::TeraResult<String> {
        let mut tera = Tera::new();
        add_filters(&mut tera);
        tera.add_raw_template("page.txt", template)?;
        tera.render("page.txt", &Context::from_serialize(view)?)
    }

    #[test]
    fn numbers_are_written_in_the_styles_of_the_page() {
        let view = serde_json::json!({"n": 3113, "x": -0.256, "of": {"mean": 6.87, "lo": -0.04, "hi": 12.5}});
        let text = "{{ n | count }}; {{ x | fixed(to=2) }}; {{ x | three }}; {{ of.mean | signed(to=1) }}; \
                    {{ of | interval(to=0) }}; {{ of | difference(to=1) }}";
        let written = rendered(text, &view).unwrap();
        assert_eq!(written, "3,113; -0.26; -0.256; +6.9; 7 [-0, 12]; +6.9 [-0.0, +12.5]");
        assert!(rendered("{{ x | interval(to=1) }}", &view).is_err());
        assert!(rendered("{{ x | fixed }}", &view).is_err());
    }

    #[test]
    fn a_text_becomes_blocks() {
        let text = "\n## A heading\nTwo lines\nof `code` and a [link](a.json).\n![none]\n\n- one\n  and more\n- two\n\n\
                    |= t lr What it shows\n| Name | Number |\n| a | 1 |\n| b |  |\n|? How to\nread it\n|#\n| 5 | differ | bad |\n";
        let found = blocks(text, &mut BTreeMap::new());
        let prose =
            Text::marked("Two lines of `code` and a ").then(Text::link("link", "a.json")).then(Text::plain("."));
        let rows = [["a", "1"], ["b", ""]].map(|row| row.map(Text::marked));
        let expected = [
            Block::Heading("A heading".to_owned()),
            Block::Prose(prose),
            Block::List(["one and more", "two"].map(Text::plain).to_vec()),
            Block::Table(Table::new("t", "What it shows", "lr", &["Name", "Number"], rows).with_note("How to read it")),
            Block::Numbers(vec![KeyNumber { value: "5".to_owned(), label: "differ".to_owned(), tone: Tone::Bad }]),
        ];
        assert_eq!(found, expected);
    }
}
