//! The queue as imports for annotation tools.
//!
//! Annotators see an item's text and the question. The judge's prediction is in these files only if it was asked for,
//! because seeing it anchors them. The item's id travels in a field that the tool hands back (`uid` in Label Studio,
//! doccano and Prodigy, where a task's own `id` would be overwritten; `id` in Argilla), and [`crate::intake`] reads it
//! there. Formats: labelstud.io "Import pre-annotated data", docs.argilla.io "Import datasets" (2.x), prodi.gy "API
//! interfaces", doccano "Import dataset". `argilla-settings.json` is what `rg.Settings.from_json` of Argilla 2.8 loads.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;

use crate::error::Error;
use crate::input::question::{Asked, Criterion};
use crate::input::scale::Scale;
use crate::queue::files::{QueueRecord, QueueTask};
use judge_uncertainty_system::{json_lines, to_json};

/// A queue with everything that its forms in the tools are made from.
pub(super) struct Sheet<'a> {
    pub record: &'a QueueRecord,
    pub tasks: &'a [QueueTask],
    pub asked: Asked<'a>,
}

impl Sheet<'_> {
    /// What annotators read; items without a text are shown by their id.
    fn text<'t>(&self, task: &'t QueueTask) -> &'t str {
        task.text.as_deref().unwrap_or(&task.id)
    }

    /// What annotators judge by, with its rubric.
    fn criterion(&self) -> Option<String> {
        self.asked.criterion.map(Criterion::text)
    }

    /// Criterion and text as one, for tools that show one text only.
    fn text_and_criterion(&self, task: &QueueTask) -> String {
        let text = self.text(task);
        self.criterion().map_or_else(|| text.to_owned(), |criterion| format!("{criterion}\n\n{text}"))
    }

    /// The judge's prediction as the tool's own value, if annotators are to see it.
    fn suggestion(&self, task: &QueueTask) -> Option<Value> {
        self.record.suggestions.then(|| match self.asked.scale.is_numbers() {
            false => json!(task.suggestion),
            // A prediction of a score was written by this program from a number.
            true => task.suggestion.parse::<f64>().map_or(Value::Null, |score| json!(score)),
        })
    }

    /// Tasks as a JSON list.
    pub(super) fn label_studio(&self) -> String {
        let tasks = self.tasks.iter().map(|task| {
            let mut row = json!({"data": {
                "uid": task.task_id,
                "text": self.text(task),
                "rank": task.rank,
                "score": task.priority,
                "rule": self.record.rule,
                "labels_suggested": task.sent.labels,
            }});
            if let Some(criterion) = self.criterion() {
                row["data"]["criterion"] = json!(criterion);
            }
            if let Some(value) = self.suggestion(task) {
                let (kind, value) = match self.asked.scale.is_numbers() {
                    false => ("choices", json!({"choices": [value]})),
                    true => ("number", json!({"number": value})),
                };
                let result = json!({"from_name": "label", "to_name": "text", "type": kind, "value": value});
                row["predictions"] = json!([{"model_version": "judge", "result": [result]}]);
            }
            row
        });
        to_json(&tasks.collect::<Vec<_>>())
    }

    /// The labelling interface for the project's settings.
    pub(super) fn label_studio_interface(&self) -> String {
        let control = match self.asked.scale {
            Scale::Classes(_) | Scale::Places(_) => {
                let classes = self.asked.scale.classes().iter();
                let choices: String =
                    classes.map(|class| format!("    <Choice value=\"{}\"/>\n", escaped(class))).collect();
                format!(
                    "  <Choices name=\"label\" toName=\"text\" choice=\"single\" required=\"true\">\n{choices}  \
                     </Choices>\n"
                )
            }
            Scale::Scores(low, high) => format!(
                "  <Number name=\"label\" toName=\"text\" min=\"{low}\" max=\"{high}\" step=\"any\" \
                 required=\"true\"/>\n"
            ),
        };
        let told = self
            .asked
            .instruction
            .as_deref()
            .map_or_else(String::new, |text| format!("  <Header value=\"{}\"/>\n", escaped(text)));
        let criterion = self.asked.criterion.map_or("", |_| "  <Text name=\"criterion\" value=\"$criterion\"/>\n");
        format!("<View>\n{told}{criterion}  <Text name=\"text\" value=\"$text\"/>\n{control}</View>\n")
    }

    /// Records, one per line.
    pub(super) fn argilla(&self) -> String {
        json_lines(self.tasks.iter().map(|task| {
            let mut row = json!({
                "id": task.task_id,
                "fields": {"text": self.text(task)},
                "metadata": {
                    "rank": task.rank,
                    "score": task.priority,
                    "labels_suggested": task.sent.labels,
                },
            });
            if let Some(criterion) = self.criterion() {
                row["fields"]["criterion"] = json!(criterion);
            }
            if let Some(value) = self.suggestion(task) {
                // Argilla asks for free numbers as text.
                let value = if self.asked.scale.is_numbers() { json!(task.suggestion) } else { value };
                row["suggestions"] = json!({"label": {"value": value, "agent": "judge"}});
            }
            row
        }))
    }

    /// Settings of the dataset, which asks for the number of answers that the item with the most labels needs.
    pub(super) fn argilla_settings(&self) -> String {
        let question = match self.asked.scale {
            Scale::Classes(_) | Scale::Places(_) => {
                let classes = self.asked.scale.classes().iter();
                let options: Vec<_> = classes.map(|class| json!({"value": class, "text": class})).collect();
                json!({
                    "name": "label", "title": "Label", "required": true,
                    "settings": {"type": "label_selection", "options": options},
                })
            }
            Scale::Scores(low, high) => json!({
                "name": "label", "title": "Score", "required": true,
                "description": format!("A number from {low} to {high}"),
                "settings": {"type": "text"},
            }),
        };
        let most = self.tasks.iter().map(|task| task.sent.labels).max().unwrap_or(1);
        let metadata = |name: &str, kind: &str| {
            let settings = json!({"type": kind, "visible_for_annotators": false});
            json!({"name": name, "title": name, "visible_for_annotators": false, "settings": settings})
        };
        let field = |name: &str| json!({"name": name, "title": name, "required": true, "settings": {"type": "text"}});
        let fields: Vec<Value> =
            self.asked.criterion.map(|_| field("criterion")).into_iter().chain([field("text")]).collect();
        let mut settings = json!({
            "fields": fields,
            "questions": [question],
            "metadata": [
                metadata("rank", "integer"), metadata("score", "float"), metadata("labels_suggested", "integer"),
            ],
            "distribution": {"strategy": "overlap", "min_submitted": most},
        });
        if let Some(text) = &self.asked.instruction {
            settings["guidelines"] = json!(text);
        }
        to_json(&settings)
    }

    /// Tasks, one per line, in the order in which Prodigy shows them.
    pub(super) fn prodigy(&self) -> String {
        json_lines(self.tasks.iter().map(|task| {
            let mut row = json!({
                "uid": task.task_id,
                "text": self.text_and_criterion(task),
                "labels_suggested": task.sent.labels,
                "meta": {"rank": task.rank},
            });
            match self.asked.scale {
                Scale::Classes(_) | Scale::Places(_) => {
                    let classes = self.asked.scale.classes().iter();
                    row["options"] = classes.map(|class| json!({"id": class, "text": class})).collect();
                    if let Some(value) = self.suggestion(task) {
                        row["accept"] = json!([value]);
                    }
                }
                Scale::Scores(low, high) => {
                    row["field_label"] = json!(format!("Score from {low} to {high}"));
                    if self.record.suggestions {
                        row["user_input"] = json!(task.suggestion);
                    }
                }
            }
            row
        }))
    }

    /// Settings with which Prodigy shows the instruction, and the file of the instruction; `None` without one.
    pub(super) fn prodigy_instruction(&self) -> Option<[String; 2]> {
        let text = escaped(self.asked.instruction.as_deref()?).replace("&#10;", "\n");
        let settings = to_json(&json!({"instructions": PRODIGY_INSTRUCTION}));
        Some([settings, format!("<p style=\"white-space: pre-wrap\">{text}</p>\n")])
    }

    /// Examples for doccano, one per line, without labels, because doccano would count imported labels as answers.
    pub(super) fn doccano(&self) -> String {
        json_lines(self.tasks.iter().map(|task| {
            let mut row = json!({
                "text": self.text_and_criterion(task),
                "label": [],
                "uid": task.task_id,
                "rank": task.rank,
                "labels_suggested": task.sent.labels,
            });
            if self.record.suggestions {
                row["suggestion"] = json!(task.suggestion);
            }
            row
        }))
    }

    /// The labels of doccano's project, as its page of labels imports them; `None` where labels are numbers.
    pub(super) fn doccano_labels(&self) -> Option<String> {
        let classes = Some(self.asked.scale.classes()).filter(|classes| !classes.is_empty())?;
        let label = |class: &String| json!({"text": class, "background_color": "#209cee", "text_color": "#ffffff"});
        Some(to_json(&classes.iter().map(label).collect::<Vec<_>>()))
    }

    /// A table for any spreadsheet: the choices beside the text, and the cells `label` and `annotator` to be filled in.
    pub(super) fn spreadsheet(&self) -> Vec<Vec<String>> {
        let mut header = SPREADSHEET.map(str::to_owned).to_vec();
        header.extend(self.asked.criterion.map(|_| "criterion".to_owned()));
        if self.record.suggestions {
            header.push("suggestion".to_owned());
        }
        let choices = match self.asked.scale {
            Scale::Classes(_) | Scale::Places(_) => self.asked.scale.classes().join(" | "),
            Scale::Scores(low, high) => format!("{low} to {high}"),
        };
        let rows = self.tasks.iter().map(|task| {
            let mut row =
                vec![task.task_id.clone(), self.text(task).to_owned(), choices.clone(), String::new(), String::new()];
            row.extend(self.criterion());
            if self.record.suggestions {
                row.push(task.suggestion.clone());
            }
            row
        });
        std::iter::once(header).chain(rows).collect()
    }
}

/// Columns of the spreadsheet.
pub(super) const SPREADSHEET: [&str; 5] = ["id", "text", "choices", "label", "annotator"];
/// File of the instruction that Prodigy's settings name.
pub(super) const PRODIGY_INSTRUCTION: &str = "prodigy-instruction.html";

// The queue as an Excel workbook: a sheet to fill in, whose cells `label` offer the classes, and a sheet with these.

/// Most characters of a cell.
const MOST_CHARACTERS: usize = 32_767;
/// Most characters of the hint that stands at a cell, counted as UTF-16.
const MOST_OF_HINT: usize = 255;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// The parts that are the same in every workbook: style 0 is a text that wraps, style 1 the header.
const PARTS: [(&str, &str); 5] = [
    ("[Content_Types].xml", include_str!("workbook/content_types.xml")),
    ("_rels/.rels", include_str!("workbook/package_relations.xml")),
    ("xl/workbook.xml", include_str!("workbook/sheets.xml")),
    ("xl/_rels/workbook.xml.rels", include_str!("workbook/relations.xml")),
    ("xl/styles.xml", include_str!("workbook/styles.xml")),
];

/// A workbook with the rows of [`Sheet::spreadsheet`](super::tools::Sheet::spreadsheet), whose first is the header.
///
/// # Errors
/// The archive can't be written, which memory never refuses.
pub(super) fn workbook(rows: &[Vec<String>], asked: &Asked<'_>) -> Result<Vec<u8>, Error> {
    let (question, instruction) = (asked.scale, asked.instruction.as_deref());
    let label = rows[0].iter().position(|name| name == "label").unwrap_or(0);
    let sheets = [
        ("xl/worksheets/sheet1.xml", sheet(rows, &validation(question, label, rows.len(), instruction))),
        ("xl/worksheets/sheet2.xml", sheet(&choices(question), "")),
    ];
    packed(&sheets).map_err(|error| Error::Workbook(error.to_string()))
}

fn packed(sheets: &[(&str, String)]) -> ZipResult<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(vec![]));
    // The same queue is the same bytes at any time.
    let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
    let sheets = sheets.iter().map(|(name, text)| (*name, text.as_str()));
    for (name, text) in PARTS.into_iter().map(|(name, text)| (name, text.trim_end())).chain(sheets) {
        archive.start_file(name, options)?;
        archive.write_all(text.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}

fn sheet(rows: &[Vec<String>], validation: &str) -> String {
    let mut text = format!(
        "{DECLARATION}<worksheet xmlns=\"{MAIN}\"><sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"1\" \
         topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews><cols>"
    );
    for (name, column) in rows[0].iter().zip(1..) {
        let width = if ["text", "criterion"].contains(&name.as_str()) { 80 } else { 20 };
        let _ =
            write!(text, "<col min=\"{column}\" max=\"{column}\" width=\"{width}\" style=\"0\" customWidth=\"1\"/>");
    }
    text += "</cols><sheetData>";
    for (cells, row) in rows.iter().zip(1..) {
        let style = u8::from(row == 1);
        let _ = write!(text, "<row r=\"{row}\">");
        for (k, cell) in cells.iter().enumerate() {
            let place = format!("{}{row}", column(k));
            // A blank cell that is to be filled in has the style of a text, too.
            let _ = match cell.as_str() {
                "" => write!(text, "<c r=\"{place}\" s=\"{style}\"/>"),
                cell => write!(
                    text,
                    "<c r=\"{place}\" s=\"{style}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>",
                    escaped(&cut(cell))
                ),
            };
        }
        text += "</row>";
    }
    text + "</sheetData>" + validation + "</worksheet>"
}

/// Name of a column from its number, from 0; there are fewer than 26.
fn column(number: usize) -> char {
    (b'A'..=b'Z').nth(number).map_or('Z', char::from)
}

/// What the cells of the label take: the choices, or a number between two ends.
fn validation(scale: &Scale, label: usize, rows: usize, instruction: Option<&str>) -> String {
    let (kind, formulas) = match scale {
        Scale::Classes(_) | Scale::Places(_) => {
            ("type=\"list\"", format!("<formula1>choices!$A$2:$A${}</formula1>", scale.classes().len() + 1))
        }
        Scale::Scores(low, high) => {
            ("type=\"decimal\" operator=\"between\"", format!("<formula1>{low}</formula1><formula2>{high}</formula2>"))
        }
    };
    let hint = instruction
        .map_or_else(String::new, |text| format!(" showInputMessage=\"1\" prompt=\"{}\"", escaped(&hint(text))));
    format!(
        "<dataValidations count=\"1\"><dataValidation {kind} allowBlank=\"1\" showErrorMessage=\"1\"{hint} \
         sqref=\"{0}2:{0}{rows}\">{formulas}</dataValidation></dataValidations>",
        column(label)
    )
}

fn choices(scale: &Scale) -> Vec<Vec<String>> {
    let names = match scale {
        Scale::Classes(_) | Scale::Places(_) => scale.classes().to_vec(),
        Scale::Scores(low, high) => vec![format!("{low} to {high}")],
    };
    std::iter::once("choice".to_owned()).chain(names).map(|name| vec![name]).collect()
}

/// The start of a text that is longer than a cell.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS - 1) {
        Some((end, _)) => text[..end].to_owned() + "…",
        None => text.to_owned(),
    }
}

fn hint(text: &str) -> String {
    let mut room = MOST_OF_HINT - 1;
    let fits = |c: &char| {
        let fits = c.len_utf16() <= room;
        room = room.saturating_sub(c.len_utf16());
        fits
    };
    let start: String = text.chars().take_while(fits).collect();
    if start.len() < text.len() { start + "…" } else { start }
}

/// Text of a user for an element of XML or an attribute; what XML can't hold becomes a question mark in a box.
pub(super) fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
        out
    })
}

#[cfg(test)]
mod tests_of_workbook {
    use std::path::Path;

    use super::*;
    use judge_uncertainty_formats::xlsx;
    use proptest::prelude::*;

    fn rows(cells: &[[&str; 3]]) -> Vec<Vec<String>> {
        let header = ["id", "text", "label"];
        std::iter::once(&header).chain(cells).map(|row| row.map(str::to_owned).to_vec()).collect()
    }

    #[test]
    fn a_workbook_is_read_again_by_the_sheet_of_the_items() {
        let scale = Scale::Classes(["id", "a, b"].map(str::to_owned).to_vec());
        let found = rows(&[["007", "=HYPERLINK(\"x\") <b> &\n\tß", "a, b"], ["é ", "", ""]]);
        let told = "“Long” ".repeat(80);
        let asked = Asked { scale: &scale, criterion: None, instruction: Some(told.as_str().into()) };
        let bytes = workbook(&found, &asked).unwrap();
        assert_eq!(bytes, workbook(&found, &asked).unwrap());
        assert!(xlsx::is(&bytes));
        let table = xlsx::read(Path::new("w.xlsx"), &bytes, "id").unwrap();
        let read: Vec<Vec<&str>> = table.rows().map(|row| row.cells().collect()).collect();
        assert_eq!(read, found[1..]);
        assert_eq!(table.rows().map(|row| row.line()).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn hints_and_cells_are_cut_where_excel_would_refuse_them() {
        assert_eq!(hint("short"), "short");
        assert_eq!(hint(&"😀".repeat(200)).encode_utf16().count(), MOST_OF_HINT);
        assert_eq!(cut(&"ß".repeat(40_000)).chars().count(), MOST_CHARACTERS);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What is written comes back to the same ids; a file that is cut off anywhere, or whose bytes are edited, is
        /// refused, or says the same.
        #[test]
        fn a_valid_file_survives_and_a_damaged_one_is_refused(
            cells in proptest::collection::btree_map("[ -~\u{e4}\u{4e00}]{1,8}[a-z]", "[ -~]{0,9}", 1..20),
            at in 0.0..1.0f64,
            byte in any::<u8>(),
        ) {
            let mut found = rows(&[]);
            found.extend(cells.iter().map(|(id, text)| vec![id.clone(), text.clone(), "yes".to_owned()]));
            let scale = Scale::Scores(0.0, 1.0);
            let bytes = workbook(&found, &Asked { scale: &scale, criterion: None, instruction: None }).unwrap();
            let file = Path::new("w.xlsx");
            let ids = |bytes: &[u8]| xlsx::read(file, bytes, "id").map(|table| {
                table.rows().map(|row| row.cells().map(str::to_owned).collect::<Vec<_>>()).collect::<Vec<_>>()
            });
            prop_assert_eq!(ids(&bytes).unwrap(), found[1..].to_vec());
            let at = (at * bytes.len() as f64) as usize;
            let error = ids(&bytes[..at]).unwrap_err().to_string();
            prop_assert!(error.starts_with("w.xlsx") && error.contains(';'), "{}", error);
            let mut edited = bytes.clone();
            edited[at] = byte;
            match ids(&edited) {
                Ok(read) => prop_assert_eq!(read, found[1..].to_vec()),
                Err(error) => prop_assert!(error.to_string().starts_with("w.xlsx"), "{}", error),
            }
        }
    }
}
