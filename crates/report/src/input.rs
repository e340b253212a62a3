//! What a study has read.

use super::lines::wrap;
use super::shown::input_rows;
use judge_uncertainty_page::{Block, Table, Text};
use judge_uncertainty_study::InputReport;
use judge_uncertainty_study::audit::columns::{ReadColumn, RecognisedBy};
use judge_uncertainty_study::input::labels::LabelsReport;

/// Width of the first column on a terminal.
const NAMES: usize = 12;

/// What annotators skipped and commented on; the cards of the items have their words.
fn skipped(labels: &LabelsReport) -> Option<String> {
    let reasons: Vec<String> = labels.skip_reasons.iter().map(|(why, number)| format!("{why:?} {number}")).collect();
    let skips = match labels.skipped {
        0 => "no answer".to_owned(),
        n => format!("{n} answers, which count as missing ({})", reasons.join(", ")),
    };
    (labels.skipped + labels.comments > 0).then(|| format!("{skips}; {} comments", labels.comments))
}

/// What was read: rows of a name and what was found.
fn rows(input: &InputReport) -> Vec<(&'static str, String)> {
    let items = match input.groups.len() {
        0 => input.items.to_string(),
        groups => format!("{} in {groups} groups", input.items),
    };
    let criterion = input.criterion.as_ref().map(|criterion| ("criterion", criterion.text()));
    let mut rows: Vec<(&'static str, String)> = criterion.into_iter().collect();
    rows.push(("items", items));
    rows.extend(input_rows(input));
    rows.extend(skipped(&input.labels).map(|text| ("skipped", text)));
    rows.extend(input.dimensions.map(|width| ("embeddings", format!("{width} dimensions"))));
    rows.extend(input.to_embed.map(|texts| {
        let text = format!("{texts} different texts are still to be embedded, by the next run");
        ("embeddings", text)
    }));
    let features = input.features.iter().map(|feature| match feature.missing {
        Some(missing) if missing > 0 => format!("{} ({missing} missing)", feature.feature),
        _ => feature.feature.clone(),
    });
    let features = features.collect::<Vec<_>>().join(", ");
    let trust =
        if features.is_empty() { "no feature: all predictions have the same trust".to_owned() } else { features };
    rows.push(("trust from", trust));
    let evaluated = match input.evaluated_items {
        Some(items) => format!("{items} items have labels enough for half splits"),
        None => format!("none: {}", input.no_evaluation.as_deref().unwrap_or("too few items have labels enough")),
    };
    rows.push(("evaluation", evaluated));
    rows
}

/// What was read and what to think of before using it, in the lines of a terminal of `width` columns; of rows about the
/// same only the first names it.
pub fn input_lines(input: &InputReport, width: usize) -> Vec<String> {
    let mut lines = wrap(&input.title, width, "", "");
    lines.push(String::new());
    let mut before = "";
    for (name, text) in rows(input) {
        let shown = if name == before { "" } else { name };
        lines.extend(wrap(&text, width, &format!("{shown:<NAMES$}"), &" ".repeat(NAMES)));
        before = name;
    }
    lines.extend(input.warnings.iter().flat_map(|warning| wrap(warning, width, "warning: ", "  ")));
    lines
}

/// Columns that a page lists; `audit.json` has all.
const MOST_COLUMNS: usize = 100;

/// The columns of the table that was audited; `None` of another study.
fn columns_read(input: &InputReport) -> Option<Block> {
    let row = |column: &ReadColumn| {
        let by = match column.by {
            None => "",
            Some(RecognisedBy::Given) => "you or its rows",
            Some(RecognisedBy::Name) => "its name",
            Some(RecognisedBy::Values) => "its values",
        };
        let role = column.role.as_deref().unwrap_or("not used");
        [column.column.clone(), role.to_owned(), by.to_owned(), column.filled.to_string()]
    };
    let all = &input.columns;
    let title = match all.len() {
        0 => return None,
        n if n > MOST_COLUMNS => format!("Columns of the table, the first {MOST_COLUMNS} of {n} (audit.json has all)"),
        _ => "Columns of the table".to_owned(),
    };
    let head = ["column", "holds", "recognised by", "rows with a value"];
    let rows = all.iter().take(MOST_COLUMNS).map(row);
    Some(Block::Table(Table::new("table-columns", title, "lllr", &head, rows)))
}

/// What was read and what to think of before using it, as the blocks of a page.
pub(super) fn input_blocks(input: &InputReport) -> Vec<Block> {
    let rows = rows(input).into_iter().map(|(name, text)| [name.to_owned(), text]);
    let mut blocks = vec![Block::Table(Table::new("table-input", "What was read", "ll", &["input", "found"], rows))];
    blocks.extend(columns_read(input));
    if !input.warnings.is_empty() {
        blocks.push(Block::Heading("To look at before the results are used".to_owned()));
        blocks.push(Block::List(input.warnings.iter().map(|warning| Text::plain(warning.as_str())).collect()));
    }
    blocks
}
