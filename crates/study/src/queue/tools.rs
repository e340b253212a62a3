//! The queue as imports for annotation tools.
//!
//! Annotators see an item's text and the question. The judge's prediction is in these files only if it was asked for,
//! because seeing it anchors them. The item's id travels in a field that the tool hands back (`uid` in Label Studio,
//! doccano and Prodigy, where a task's own `id` would be overwritten; `id` in Argilla), and [`crate::intake`] reads it
//! there. Formats: labelstud.io "Import pre-annotated data", docs.argilla.io "Import datasets" (2.x), prodi.gy "API
//! interfaces", doccano "Import dataset". `argilla-settings.json` is what `rg.Settings.from_json` of Argilla 2.8 loads.

use serde_json::{Value, json};

use super::files::{QueueRecord, QueueTask};
use super::workbook::escaped;
use crate::input::question::{Asked, Criterion};
use crate::input::scale::Scale;
use judge_uncertainty_system::json_lines;
use judge_uncertainty_system::to_json;

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
                "labels_suggested": task.labels,
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
                    "labels_suggested": task.labels,
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
        let most = self.tasks.iter().map(|task| task.labels).max().unwrap_or(1);
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
                "labels_suggested": task.labels,
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
                "labels_suggested": task.labels,
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
