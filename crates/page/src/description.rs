//! A page as finished strings: sections of prose, figures, tables, and a table of claims.

use serde::Serialize;

use crate::text::Text;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_system::numbers::shortest;

/// A page: what it is about, and its sections.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// Title, the only heading of the first level.
    pub title: String,
    /// What this page is, in one or two sentences.
    pub lead: Text,
    /// The sections, which the contents list.
    pub sections: Vec<Section>,
}

/// A section with a heading of the second level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// Anchor, unique in the page: letters, digits and hyphens.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Whether only the heading is seen until a reader opens the section. On paper everything is.
    pub folded: bool,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum Block {
    /// A heading of the third level.
    Heading(String),
    /// A paragraph.
    Prose(Text),
    /// A list of points.
    List(Vec<Text>),
    /// What to do next: points in a panel beside the others.
    Next(Vec<Text>),
    /// A few numbers that stand out.
    Numbers(Vec<KeyNumber>),
    /// A figure.
    Figure(FigureBlock),
    /// A table.
    Table(Table),
    /// Claims with a filter: the view that the template `report/claims.html` shows.
    Claims(serde_json::Value),
    /// Items, to be looked at one by one.
    Items(Box<ItemsBlock>),
    /// "How to read": behind a summary that opens.
    Note(Note),
}

impl Block {
    /// The text of a paragraph.
    pub fn into_prose(self) -> Option<Text> {
        match self {
            Self::Prose(text) => Some(text),
            _ => None,
        }
    }
}

/// Items on a screen, and their replacement in a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemsBlock {
    /// The items: the view that the template `report/items.html` shows. It is whole without scripts, which only choose among
    /// what is there.
    #[serde(flatten)]
    pub explorer: serde_json::Value,
    /// The first of them as a table.
    pub table: Table,
    /// Name of the figure that shows the same parts.
    pub figure: String,
    /// Its caption.
    pub figure_title: String,
    /// How to read it.
    pub figure_note: Option<Text>,
}

/// A number that stands out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeyNumber {
    /// The number.
    pub value: String,
    /// What it counts or measures.
    pub label: String,
    /// What it means for the reader.
    pub tone: Tone,
}

/// A figure with what is said below it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureBlock {
    /// Unique name: letters, digits and hyphens.
    pub name: String,
    /// Title.
    pub title: String,
    /// The drawing: an `svg` element with the role `img`, a title and a description, whose ids start with `name`.
    pub svg: String,
    /// Width at which its text has the size it has in print, as a CSS length; a wide screen shows it larger.
    pub width: String,
    /// How to read it.
    pub note: Option<Text>,
}

impl FigureBlock {
    /// A drawn figure, with its own note on how to read it.
    pub fn new(figure: &Figure) -> Self {
        Self {
            name: figure.name.clone(),
            title: figure.title.clone(),
            svg: figure.svg(),
            width: format!("{}pt", shortest(figure.width.points())),
            note: Some(Text::plain(&figure.note)),
        }
    }
}

/// A table with a caption; the first column names the rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Anchor, unique in the page: letters, digits and hyphens.
    pub id: String,
    /// Caption.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// Cells by row, one for each column.
    pub rows: Vec<Vec<Text>>,
    /// How to read it.
    pub note: Option<Text>,
    /// Heading of a last column of drawings, and the interval of each row, `None` for a row without one. LaTeX leaves it out.
    pub bars: Option<(String, Vec<Option<IntervalBar>>)>,
    /// How dark each cell is, 0 to 100, by row, for the columns behind the first; empty for a table without shades.
    pub shades: Vec<Vec<f64>>,
    /// Whether only the caption is seen until a reader opens the table. On paper everything is.
    pub folded: bool,
}

/// An interval as a drawing: places in percent of the drawing's width.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IntervalBar {
    /// Its lower end.
    pub from: f64,
    /// Its width.
    pub width: f64,
    /// Its value.
    pub at: f64,
    /// The numbers to compare it with.
    pub marks: Vec<f64>,
}

impl IntervalBar {
    /// The interval `[lo, hi]` with its value and a number to compare it with, where the drawing runs from `ends.0` to
    /// `ends.1`.
    pub fn new([lo, value, hi]: [f64; 3], mark: Option<f64>, ends: (f64, f64)) -> Self {
        // A tenth of a percent is a third of a pixel.
        let place = |x: f64| (1000.0 * ((x - ends.0) / (ends.1 - ends.0)).clamp(0.0, 1.0)).round() / 10.0;
        let width = (10.0 * (place(hi) - place(lo))).round() / 10.0;
        Self { from: place(lo), width, at: place(value), marks: mark.map(place).into_iter().collect() }
    }
}

impl Table {
    /// A table without a note. `align` has a letter for each heading: `l` for a column of text, `r` for one of numbers;
    /// the last letter holds for all further columns.
    pub fn new(
        id: &str,
        caption: impl Into<String>,
        align: &str,
        heads: &[&str],
        rows: impl IntoIterator<Item: IntoIterator<Item: Into<Text>>>,
    ) -> Self {
        let column = |(kind, head): (char, &&str)| if kind == 'r' { Column::numbers(head) } else { Column::text(head) };
        let further = std::iter::repeat(align.chars().last().unwrap_or('l'));
        let columns = align.chars().chain(further).zip(heads).map(column).collect();
        let table = Self {
            id: id.to_owned(),
            caption: caption.into(),
            columns,
            rows: vec![],
            note: None,
            bars: None,
            shades: vec![],
            folded: false,
        };
        table.with_rows(rows)
    }

    /// The table with these rows.
    #[must_use]
    pub fn with_rows(self, rows: impl IntoIterator<Item: IntoIterator<Item: Into<Text>>>) -> Self {
        let rows = rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()).collect();
        Self { rows, ..self }
    }

    /// The table with an interval drawn behind each row, below a heading.
    #[must_use]
    pub fn with_bars(self, head: &str, bars: Vec<Option<IntervalBar>>) -> Self {
        Self { bars: Some((head.to_owned(), bars)), ..self }
    }

    /// The table with shaded cells: shares of 1, by row, for the columns behind the first.
    #[must_use]
    pub fn with_shades(self, shares: &[Vec<f64>]) -> Self {
        let shades =
            shares.iter().map(|row| row.iter().map(|share| (1000.0 * share).round() / 10.0).collect()).collect();
        Self { shades, ..self }
    }

    /// The table with a note on how to read it.
    #[must_use]
    pub fn with_note(self, note: impl Into<Text>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Heading.
    pub head: String,
    /// Whether it holds numbers, which are set right.
    pub numeric: bool,
}

impl Column {
    /// A column of text.
    pub fn text(head: &str) -> Self {
        Self { head: head.to_owned(), numeric: false }
    }

    /// A column of numbers.
    pub fn numbers(head: &str) -> Self {
        Self { head: head.to_owned(), numeric: true }
    }
}

/// A note behind a summary that opens.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Note {
    /// What the note is about.
    pub summary: String,
    /// The note.
    pub text: Text,
}

/// What a number or a verdict means for the reader; words say it too, never colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// As it should be.
    Good,
    /// Acceptable, with a reason.
    Fair,
    /// Not as it should be.
    Bad,
    /// Neither.
    Neutral,
}
