//! Running text from templates: sentences are written there and not in the program.
//!
//! A blank line ends a paragraph, and lines that follow one another are one. What a paragraph begins with says what it is;
//! without any of these marks it is prose:
//!
//! | mark | what it begins |
//! |---|---|
//! | `## TEXT` | a heading, in a line of its own |
//! | `![NAME]` | a figure, in a line of its own |
//! | `- ` | a list; each of its points begins so |
//! | `\|= ID ALIGN CAPTION` | a table ([`Table::new`] says what ALIGN is): a line of headings and the rows follow, with `\|` between cells, and its note begins with `\|?` |
//! | `\|#` | numbers: each further line has one that stands out, its label and its tone |
//! | `> ` | a [lead](Line::Lead) of a terminal |
//! | `\| ` | a [row](Line::Row) of a terminal, with the spaces that follow |
//!
//! A digit behind the last two ranks the line: where there is little room, those with a high one are left out first.
//! Within blocks, backticks mark code, and `[LABEL](TARGET)` is a link. Values are texts, whatever is in them.

use std::collections::BTreeMap;

use judge_uncertainty_system::numbers::{NumberStyle, shortest, three, two};
use serde::Deserialize;
use tera::{Kwargs, State, Tera, TeraResult, Value};

use crate::description::{Block, FigureBlock, KeyNumber, Table, Tone};
use crate::figures::{percent, say, show};
use crate::marks::{as_given, unmarked};
use crate::text::Text;

/// An engine for templates of running text, whose names end with `.txt`.
///
/// Filters write a number with three significant digits (`three`, with a true minus sign `show`) or two (`two`), as a
/// percentage (`percent`), a count (`count`), a power of ten (`exponent`, `magnitude`), in full (`plain`), with decimals
/// (`fixed(to=2)`; with a plus sign `signed`, with a true minus sign `said`), and a mean with its bounds (`interval`,
/// `difference`). `exp` and `negative` calculate, `quoted` and `pad(to=8)` write a text, to the right where `to` is negative.
pub fn engine() -> Tera {
    let mut tera = Tera::new();
    tera.autoescape_on(vec![".txt"]);
    tera.set_escape_fn(|value, to| to.write_all(unmarked(value).as_bytes()));
    type Style = (&'static str, fn(f64) -> String);
    let styles: [Style; 8] = [
        ("three", three),
        ("show", show),
        ("two", two),
        ("percent", percent),
        ("count", |number| NumberStyle { thousands: true, ..NumberStyle::plain(0) }.format(number)),
        ("exponent", |number| format!("{number:e}")),
        ("magnitude", |number| format!("{number:.0e}")),
        ("plain", shortest),
    ];
    for (name, format) in styles {
        tera.register_filter(name, move |number: f64, _: Kwargs, _: &State| format(number));
    }
    type Decimals = fn(f64, i8) -> String;
    let fixed: Decimals = |number, to| NumberStyle::plain(to).format(number);
    let signed: Decimals = |number, to| NumberStyle { plus: true, ..NumberStyle::plain(to) }.format(number);
    for (name, format) in [("fixed", fixed), ("signed", signed), ("said", say)] {
        tera.register_filter(name, move |number: f64, arguments: Kwargs, _: &State| -> TeraResult<String> {
            Ok(format(number, arguments.must_get("to")?))
        });
    }
    for (name, format) in [("interval", fixed), ("difference", signed)] {
        tera.register_filter(name, move |summary: Value, arguments: Kwargs, _: &State| -> TeraResult<String> {
            let Bounds { mean, lo, hi } = read(summary)?;
            let to = arguments.must_get("to")?;
            Ok(format!("{} [{}, {}]", format(mean, to), format(lo, to), format(hi, to)))
        });
    }
    tera.register_filter("exp", |number: f64, _: Kwargs, _: &State| number.exp());
    tera.register_filter("negative", |number: f64, _: Kwargs, _: &State| -number);
    tera.register_filter("quoted", |text: &str, _: Kwargs, _: &State| format!("{text:?}"));
    tera.register_filter("pad", |text: &str, arguments: Kwargs, _: &State| -> TeraResult<String> {
        let to = arguments.must_get::<i64>("to")?;
        let width = to.unsigned_abs() as usize;
        Ok(if to < 0 { format!("{text:>width$}") } else { format!("{text:<width$}") })
    });
    tera
}

/// A mean with its bounds.
#[derive(Deserialize)]
struct Bounds {
    mean: f64,
    lo: f64,
    hi: f64,
}

/// A value of a view as its type.
///
/// # Errors
/// It is of another type.
pub fn read<T: for<'de> Deserialize<'de>>(value: Value) -> TeraResult<T> {
    T::deserialize(value).map_err(|error| tera::Error::message(error.to_string()))
}

/// A line of a description. A terminal shows all of them; a page, which has tables of its own, the sentences.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A sentence that needs no lead.
    Sentence(String),
    /// What introduces the rows that follow.
    Lead(String),
    /// A row of figures.
    Row(String),
}

impl Line {
    /// A sentence.
    pub fn sentence(text: impl Into<String>) -> Self {
        Self::Sentence(text.into())
    }

    /// The text of a sentence.
    pub fn into_sentence(self) -> Option<String> {
        match self {
            Self::Sentence(text) => Some(text),
            Self::Lead(_) | Self::Row(_) => None,
        }
    }

    /// The line as a terminal shows it.
    pub fn text(&self) -> &str {
        match self {
            Self::Sentence(text) | Self::Lead(text) | Self::Row(text) => text,
        }
    }
}

/// The paragraphs of a text, as their lines.
fn paragraphs(text: &str) -> Vec<Vec<&str>> {
    let is_alone = |line: &str| line.is_empty() || line.starts_with("## ") || line.starts_with("![");
    let begins = |line: &str| is_alone(line) || line.starts_with("|=") || line.starts_with("|#");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let paragraphs = lines.chunk_by(|line, next| !is_alone(line) && !begins(next));
    paragraphs.filter(|lines| !lines[0].is_empty()).map(<[&str]>::to_vec).collect()
}

/// The lines that a rendered text describes, with their ranks.
pub fn lines(text: &str) -> Vec<(u8, Line)> {
    paragraphs(text).iter().map(|lines| line(&lines.join(" "))).collect()
}

fn line(text: &str) -> (u8, Line) {
    let marked = |mark: char| {
        let (rank, rest) = text.strip_prefix(mark)?.split_once(' ')?;
        Some((if rank.is_empty() { 0 } else { rank.parse().ok()? }, as_given(rest)))
    };
    match (marked('>'), marked('|')) {
        (Some((rank, text)), _) => (rank, Line::Lead(text)),
        (_, Some((rank, text))) => (rank, Line::Row(text)),
        _ => (0, Line::Sentence(as_given(text))),
    }
}

/// The blocks that a rendered text describes; figures are taken out of `figures`, and those that are not there left out.
pub fn blocks(text: &str, figures: &mut BTreeMap<String, FigureBlock>) -> Vec<Block> {
    paragraphs(text).iter().filter_map(|lines| block(lines, figures)).collect()
}

fn block(lines: &[&str], figures: &mut BTreeMap<String, FigureBlock>) -> Option<Block> {
    let text = lines.join(" ");
    if let Some(heading) = text.strip_prefix("## ") {
        Some(Block::Heading(as_given(heading)))
    } else if let Some(name) = text.strip_prefix("![") {
        figures.remove(name.trim_end_matches(']')).map(Block::Figure)
    } else if let Some(points) = text.strip_prefix("- ") {
        Some(Block::List(points.split(" - ").map(Text::marked).collect()))
    } else if text.starts_with("|=") {
        Some(Block::Table(table(lines)))
    } else if text.starts_with("|#") {
        Some(Block::Numbers(lines[1..].iter().filter_map(|line| number(line)).collect()))
    } else {
        Some(Block::Prose(Text::marked(&text)))
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.trim_matches('|').split('|').map(str::trim)
}

fn number(line: &str) -> Option<KeyNumber> {
    let [value, label, tone] = cells(line).map(as_given).collect::<Vec<_>>().try_into().ok()?;
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
    let mut part = || as_given(title.next().unwrap_or_default());
    let (id, align, caption) = (part(), part(), part());
    let heads: Vec<String> = rows.get(1).into_iter().flat_map(|line| cells(line)).map(as_given).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let table = Table::new(&id, caption, &align, &heads, rows.iter().skip(2).map(|line| cells(line).map(Text::marked)));
    let note = note.join(" ");
    let note = note.trim_start_matches("|?").trim();
    if note.is_empty() { table } else { table.with_note(Text::marked(note)) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tera::Context;

    use super::*;

    fn rendered(template: &str, view: &Value) -> TeraResult<String> {
        let mut tera = engine();
        tera.add_raw_template("page.txt", template)?;
        tera.render("page.txt", &Context::from_serialize(view)?)
    }

    #[test]
    fn numbers_are_written_in_the_styles_of_the_page() {
        let view = json!({"n": 3113, "x": -0.256, "of": {"mean": 6.87, "lo": -0.04, "hi": 12.5}});
        let text = "{{ n | count }}; {{ x | fixed(to=2) }}; {{ x | three }}; {{ of.mean | signed(to=1) }}; \
                    {{ of | interval(to=0) }}; {{ of | difference(to=1) }}; {{ x | show }}; {{ x | said(to=1) }}; {{ x | percent }}";
        let written = as_given(&rendered(text, &view).unwrap());
        assert_eq!(written, "3,113; -0.26; -0.256; +6.9; 7 [-0, 12]; +6.9 [-0.0, +12.5]; −0.256; −0.3; -26%");
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

    #[test]
    fn no_value_is_taken_for_a_mark() {
        let hostile = "## a | b\n\n- `c` - [d](e)\n|= > f\n![g]";
        let [text, value] = [hostile, "good |"];
        let template = "## {{ text }}\n\n{{ text }}\n\n- {{ text }}\n- `{{ text }}`, [{{ text }}]({{ text }})\n\n|= t l {{ text }}\n\
                        | {{ text }} |\n| {{ text }} |\n|? {{ text }}\n|#\n| {{ text }} | {{ value }} | bad |";
        let found = blocks(&rendered(template, &json!({"text": text, "value": value})).unwrap(), &mut BTreeMap::new());
        let linked = Text::code(text).then(Text::plain(", ")).then(Text::link(text, text));
        let expected = [
            Block::Heading(text.to_owned()),
            Block::Prose(Text::plain(text)),
            Block::List(vec![Text::plain(text), linked]),
            Block::Table(Table::new("t", text, "l", &[text], [[text]]).with_note(text)),
            Block::Numbers(vec![KeyNumber { value: text.to_owned(), label: value.to_owned(), tone: Tone::Bad }]),
        ];
        assert_eq!(found, expected);
        let template = "{{ text }}\n\n>0 {{ text }}\n\n|3   {{ text }}\nx";
        let row = Line::Row(format!("  {text} x"));
        let expected = [(0, Line::sentence(text)), (0, Line::Lead(text.to_owned())), (3, row)];
        assert_eq!(lines(&rendered(template, &json!({"text": text})).unwrap()), expected);
    }

    #[test]
    fn a_line_may_begin_with_any_letter() {
        for (text, expected) in [
            ("é a", Line::sentence("é a")),
            (">12 é", Line::Lead("é".to_owned())),
            ("|x é", Line::sentence("|x é")),
            ("|   é", Line::Row("  é".to_owned())),
        ] {
            assert_eq!(line(text).1, expected);
        }
        assert_eq!(lines(">3 a\nb"), [(3, Line::Lead("a b".to_owned()))]);
    }
}
