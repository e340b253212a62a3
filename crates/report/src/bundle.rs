//! A study's report in its run folder: the page, and the same sections, tables and figures for LaTeX.
//!
//! ```text
//! report/index.html   the page
//! tables/*            its tables, tex for LaTeX and csv to calculate with
//! figures/NAME.*      pdf for LaTeX, svg for a page and for editing, csv the data
//! study.tex           includes all of the above; compiles with pdflatex
//! ```

use std::collections::BTreeMap;

use serde_json::{Value, json};

use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::bundle::{Error, put_figure};
use judge_uncertainty_page::latex::Templates;
use judge_uncertainty_page::{self as page, Block, Column, Page, Table, Text};
use judge_uncertainty_system::Staged;
use judge_uncertainty_system::formula::csv_text;

/// The document within a run folder.
pub const DOCUMENT: &str = "study.tex";

/// Lines of a table for LaTeX, whose pages end.
const MOST_LINES: usize = 40;
/// Letters of a cell above which its column breaks lines.
const LONG: usize = 28;
/// Least width of such a column, as a share of the text's; a table that gets too wide is scaled down.
const NARROWEST: f64 = 0.34;
/// Letters that fit across the text.
const LETTERS: f64 = 80.0;

/// Adds a page and its bundle to a run folder; `figures` are those that the page shows.
///
/// # Errors
/// A template that asks for something its view does not have; a figure with a character that the font lacks.
pub fn write(
    latex: &Templates,
    html: &page::PageTemplates,
    page: &Page,
    figures: &[Figure],
    staged: &mut Staged,
) -> Result<(), Error> {
    staged.put(page::FILE, html.html(page)?);
    for block in page.sections.iter().flat_map(|section| &section.blocks) {
        let table = match block {
            Block::Table(table) => Some(table),
            Block::Items(items) => Some(&items.table),
            _ => None,
        };
        if let Some(table) = table {
            // `table-trust` is in `tables/trust.tex`.
            let stem = table.id.strip_prefix("table-").unwrap_or(&table.id);
            staged.put(format!("tables/{stem}.tex"), latex.render("table.tex", &view(table))?);
            staged.put(format!("tables/{stem}.csv"), csv_text(cells(table)));
        }
    }
    for figure in figures {
        put_figure("figures", figure, staged)?;
    }
    staged.put(DOCUMENT, latex.render(DOCUMENT, &BTreeMap::from([("page", page)]))?);
    Ok(())
}

/// A table's headings and rows to calculate with: an estimate `62% [35, 84]` is three cells, in columns `x`, `x from` and
/// `x to`, and numbers are plain.
fn cells(table: &Table) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(Text::to_string).collect()).collect();
    let parts = |cell: &str| {
        let (value, interval) = cell.strip_suffix(']')?.split_once(" [")?;
        let (from, to) = interval.split_once(", ")?;
        Some([value, from, to].map(str::to_owned))
    };
    let mut columns = vec![];
    for (k, column) in table.columns.iter().enumerate() {
        let cells = || rows.iter().map(|row| row[k].as_str());
        if !column.numeric {
            columns.push(std::iter::once(column.head.clone()).chain(cells().map(str::to_owned)).collect());
            continue;
        }
        let estimates = cells().any(|cell| parts(cell).is_some());
        let unit = if cells().any(|cell| cell.contains('%')) { " (%)" } else { "" };
        for (part, name) in ["", " from", " to"].into_iter().enumerate().take(if estimates { 3 } else { 1 }) {
            let plain = |cell: &str| match parts(cell) {
                Some(parts) => parts[part].clone(),
                None if part == 0 => cell.to_owned(),
                None => String::new(),
            };
            let number = |cell: &str| plain(cell).replace('\u{2212}', "-").replace('%', "");
            columns.push(std::iter::once(format!("{}{name}{unit}", column.head)).chain(cells().map(number)).collect());
        }
    }
    (0..=rows.len()).map(|row| columns.iter().map(|column: &Vec<String>| column[row].clone()).collect()).collect()
}

/// A table as its template asks for it: the columns for `tabular`, headings, rows, and how many rows are left out.
fn view(table: &Table) -> Value {
    let (spec, each) = columns(table);
    let letters = |row: &Vec<Text>| row.iter().map(Text::len).max().unwrap_or(0);
    let mut lines = table.rows.iter().scan(0, |lines, row| {
        *lines += (letters(row) as f64 / (each * LETTERS)).ceil().max(1.0) as usize;
        Some(*lines)
    });
    let shown = lines.position(|lines| lines > MOST_LINES).unwrap_or(table.rows.len());
    let more = table.rows.len() - shown;
    let heads: Vec<&str> = table.columns.iter().map(|column| column.head.as_str()).collect();
    json!({"spec": spec, "heads": heads, "rows": table.rows[..shown], "more": (more > 0).then_some(more)})
}

/// Numbers are aligned right and short texts left; columns of long texts share the remaining width and break lines.
///
/// Returns the columns for `tabular`, and the share of the width that each column of long texts has.
fn columns(table: &Table) -> (String, f64) {
    let long = |k: usize| table.rows.iter().any(|row| row[k].len() > LONG);
    let breaks: Vec<bool> = table.columns.iter().enumerate().map(|(k, c)| !c.numeric && long(k)).collect();
    let others = breaks.iter().filter(|breaks| !**breaks).count();
    let share = (0.92 - 0.16 * others as f64) / breaks.iter().filter(|breaks| **breaks).count().max(1) as f64;
    let each = share.max(NARROWEST);
    let spec = |(column, breaks): (&Column, &bool)| match (breaks, column.numeric) {
        (true, _) => format!(">{{\\raggedright\\arraybackslash}}p{{{each:.2}\\linewidth}}"),
        (false, true) => "r".to_owned(),
        (false, false) => "l".to_owned(),
    };
    (table.columns.iter().zip(&breaks).map(spec).collect(), each)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: [&str; 2], rows: usize) -> Table {
        Table::new("t", "c", "lr", &["name", "n"], vec![cells.map(Text::plain).to_vec(); rows])
    }

    #[test]
    fn long_texts_break_and_long_tables_end() {
        assert_eq!(columns(&table(["short", "1"], 2)).0, "lr");
        let long = table(["a name that is longer than a line of a narrow column", "1"], 50);
        assert_eq!(columns(&long).0, ">{\\raggedright\\arraybackslash}p{0.76\\linewidth}r");
        let view = view(&long);
        assert_eq!((view["rows"].as_array().unwrap().len(), &view["more"]), (40, &json!(10)));
    }

    #[test]
    fn an_estimate_is_three_numbers_and_a_name_no_formula() {
        let rows = [["=a", "62% [35, 84]"], ["b", "not estimable"], ["c−", "−9.5% [−20.1, 3]"]];
        let table = Table::new("t", "c", "lr", &["name", "n"], rows);
        let text = String::from_utf8(csv_text(cells(&table))).unwrap();
        assert_eq!(text, "name,n (%),n from (%),n to (%)\n'=a,62,35,84\nb,not estimable,,\nc−,-9.5,-20.1,3\n");
    }

    #[test]
    fn whatever_a_table_holds_is_escaped() {
        let templates = Templates::load(None).unwrap();
        let tex = templates.render("table.tex", &view(&table(["50% \\of_{it} & #1", "−3"], 1))).unwrap();
        assert!(tex.contains(r"{}50\% \textbackslash{}of\_\{it\} \& \#1 & \ensuremath{-}3 \\"), "{tex}");
    }
}
