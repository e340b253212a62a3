//! LeWiDi's files: items with their annotations as one JSON object, and predictions as tab-separated lines.
//!
//! | file | holds |
//! |---|---|
//! | `SET_dev.json` | `{"1": {"text": ..., "annotations": {" Ann1": "0", ...}}, ...}`; a test set has no annotations |
//! | `SET_test_soft.tsv` | `ID<TAB>[share, ...]`, the shares of the classes in their order, without a header |
//! | `SET_test_pe.tsv` | `ID<TAB>[label, ...]`, a label for each annotator of the item |
//!
//! In VariErrNLI an annotator may give several labels. Its lists are nested: one list for each label, in soft files of
//! the shares of 0 and 1, in perspectivist files of a 0 or 1 for each annotator.

use std::path::Path;

use serde_json::Value;

use super::error::{Error, Place, Problem, Result, excerpt};
use super::items::names;
use super::jsonl::{ObjectRows, fields, utf8};
use super::records::Document;
use super::spelling::class_of;
use super::table::{DataTable, Rows};

/// Reads a LeWiDi file, `{"1": {"text": ..., "annotations": {" Ann1": "0", ...}, ...}, ...}`: one row per item, whose
/// id is the key. The annotations are left to [`read_labels`].
///
/// With `labels`, for a file whose annotators may give several, there is one row per item and label: its id is
/// `KEY/LABEL`, and the column [`LABEL`] names the label.
///
/// # Errors
/// As [`read`](super::records::read).
pub fn read_items(file: &Path, bytes: &[u8], labels: &[String]) -> Result<DataTable> {
    let mut objects = ObjectRows::default();
    each_item(file, bytes, |line, id, item| {
        let mut found = fields(file, line, item)?;
        found.retain(|(field, _)| !field.starts_with(ANNOTATIONS));
        if labels.is_empty() {
            found.insert(0, (ID.to_owned(), id.to_owned()));
            return objects.add(file, line, found);
        }
        for label in labels {
            let own = [(ID.to_owned(), asked(id, label)), (LABEL.to_owned(), label.clone())];
            objects.add(file, line, own.into_iter().chain(found.clone()).collect())?;
        }
        Ok(())
    })?;
    objects.into_table(file, ID)
}

/// Reads the labels of a LeWiDi file: one row per item and annotator, with the columns [`ID`], `annotator` and
/// [`LABEL`].
///
/// Annotators are trimmed, because the files separate them by commas with blanks.
///
/// With `labels`, the table has one row per item, label and annotator. It says `1` if the annotator gave this label,
/// perhaps with others, and `0` if not: each label is a question of its own, so that counts stay whole numbers. Several
/// labels are separated by commas, or are a list. An annotation without any is blank, and so missing for all labels.
///
/// # Errors
/// As [`read`](super::records::read); an annotation with a label that is not in `labels`.
pub fn read_labels(file: &Path, bytes: &[u8], labels: &[String]) -> Result<DataTable> {
    let mut rows = Rows::default();
    each_item(file, bytes, |line, id, item| {
        for (field, given) in &fields(file, line, item)? {
            let Some(annotator) = field.strip_prefix(ANNOTATIONS).map(str::trim) else { continue };
            if labels.is_empty() {
                rows.push(0, line, [id, annotator, given.trim()]);
                continue;
            }
            let given = several(given);
            if let Some(unknown) = given.iter().find(|label| !labels.contains(label)) {
                let place = Place::file(file).at_line(line).of_item(id).in_field(field);
                let problem = Problem::NotOneOf { value: unknown.clone(), allowed: labels.to_vec() };
                return Err(Error::refused(place, problem));
            }
            for label in labels {
                let answer = match (given.is_empty(), given.contains(label)) {
                    (true, _) => "",
                    (_, true) => "1",
                    (_, false) => "0",
                };
                rows.push(0, line, [asked(id, label).as_str(), annotator, answer]);
            }
        }
        Ok(())
    })?;
    // A file of items for a contest has no labels.
    DataTable::new(vec![file.to_owned()], None, names(&[ID, "annotator", LABEL]), rows).with_ids(ID)
}

/// Id of the item that asks whether a label applies.
fn asked(id: &str, label: &str) -> String {
    format!("{id}/{label}")
}

/// The labels of an annotation, `a, b` or `["a", "b"]`.
fn several(text: &str) -> Vec<String> {
    let list = serde_json::from_str::<Vec<String>>(text);
    let labels = list.unwrap_or_else(|_| text.split(',').map(str::to_owned).collect());
    labels.iter().map(|label| label.trim().to_owned()).filter(|label| !label.is_empty()).collect()
}

/// Column of the keys of a LeWiDi file.
pub const ID: &str = "id";
/// Column of a label.
pub const LABEL: &str = "label";
/// How the columns of the annotations begin once they are flattened.
const ANNOTATIONS: &str = "annotations_";

/// Calls `f` with line, key and text of each member of the outer object, in the order of the file.
fn each_item(file: &Path, bytes: &[u8], mut f: impl FnMut(u64, &str, &str) -> Result<()>) -> Result<()> {
    let text = utf8(file, bytes)?;
    let document = Document { file, text };
    let (ids, items): (Vec<String>, Vec<&str>) = document.members(text)?.into_iter().unzip();
    ids.iter().zip(document.lines(items)).try_for_each(|(id, (line, item))| f(line, id, item))
}

/// What a file of predictions holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicted<'a> {
    /// Shares of these classes, in this order: columns `p_CLASS`.
    Shares(&'a [String]),
    /// One of these classes for each annotator: columns `n_CLASS` with how many were given each.
    Labels(&'a [String]),
    /// A rating for each annotator: columns `mean` and `sd`, blank where they are all the same or only one.
    Ratings,
}

/// Reads a file of predictions: one row per item, or, with `labels`, one per item and label, whose id is `KEY/LABEL`.
///
/// # Errors
/// Text that is not UTF-8, a line without an id and a list, a list of another length or depth, a value that is not a
/// number or class.
pub fn read_predictions(file: &Path, bytes: &[u8], predicted: Predicted<'_>, labels: &[String]) -> Result<DataTable> {
    let mut rows = Rows::default();
    for (line, number) in utf8(file, bytes)?.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let place = Place::file(file).at_line(number);
        let (id, list) = predicted.parse(line).map_err(|problem| Error::refused(place.clone(), problem))?;
        let lists = predicted.lists(&id, &list, labels);
        let cells = lists.and_then(|lists| lists.into_iter().map(|(id, list)| predicted.cells(id, list)).collect());
        let cells: Vec<Vec<String>> = cells.map_err(|problem| Error::refused(place.of_item(&id), problem))?;
        cells.into_iter().for_each(|cells| rows.push(0, number, cells));
    }
    DataTable::new(vec![file.to_owned()], None, predicted.columns(), rows).checked(ID)
}

impl Predicted<'_> {
    fn columns(self) -> Vec<String> {
        let named =
            |prefix: &str, classes: &[String]| classes.iter().map(|class| format!("{prefix}_{class}")).collect();
        let own: Vec<String> = match self {
            Self::Shares(classes) => named("p", classes),
            Self::Labels(classes) => named("n", classes),
            Self::Ratings => ["mean", "sd"].map(str::to_owned).to_vec(),
        };
        std::iter::once(ID.to_owned()).chain(own).collect()
    }

    fn unfit(self, reason: &str) -> Problem {
        let remedy = match self {
            Self::Shares(_) => "write each line as ID<TAB>[share, ...], with a share for each class",
            _ => "write each line as ID<TAB>[label, ...], with a label for each annotator",
        };
        Problem::unfit(reason, remedy)
    }

    /// The id and the list of a line.
    fn parse(self, line: &str) -> Result<(String, Vec<Value>), Problem> {
        let (id, list) = line.split_once('\t').ok_or_else(|| self.unfit("the line has no tab"))?;
        // Lists of texts as Python prints them.
        let list = list.trim().replace('\'', "\"");
        match serde_json::from_str(&list) {
            Ok(Value::Array(list)) if !id.trim().is_empty() => Ok((id.trim().to_owned(), list)),
            Ok(Value::Array(_)) => Err(self.unfit("the id is blank")),
            _ => Err(self.unfit(&format!("{:?} is not a list", excerpt(&list)))),
        }
    }

    /// The lists of the items that a line is about, by their ids.
    fn lists<'l>(self, id: &str, list: &'l [Value], labels: &[String]) -> Result<Vec<(String, &'l [Value])>, Problem> {
        if labels.is_empty() {
            return Ok(vec![(id.to_owned(), list)]);
        }
        if list.len() != labels.len() {
            let expected = format!("a list for each of {}", labels.join(", "));
            return Err(self.unfit(&format!("it has {} lists, not {expected}", list.len())));
        }
        let inner = |(label, inner): (&String, &'l Value)| {
            let list = inner.as_array().ok_or_else(|| self.unfit(&format!("{inner} is not a list for {label}")))?;
            Ok((asked(id, label), list.as_slice()))
        };
        labels.iter().zip(list).map(inner).collect()
    }

    fn cells(self, id: String, list: &[Value]) -> Result<Vec<String>, Problem> {
        let number = |value: &Value| -> Result<f64, Problem> {
            let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
            let number = number.filter(|number| number.is_finite());
            number.ok_or_else(|| self.unfit(&format!("{value} is not a number")))
        };
        let own: Vec<String> = match self {
            Self::Shares(classes) => {
                if list.len() != classes.len() {
                    let expected = format!("{} classes", classes.len());
                    return Err(self.unfit(&format!("it has {} shares, and there are {expected}", list.len())));
                }
                list.iter().map(|value| Ok(number(value)?.to_string())).collect::<Result<_, Problem>>()?
            }
            Self::Labels(classes) => {
                let mut counts = vec![0u32; classes.len()];
                for value in list {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let class = class_of(&value, classes).ok_or_else(|| Problem::NotOneOf {
                        value: value.trim().to_owned(),
                        allowed: classes.to_vec(),
                    })?;
                    counts[class] += 1;
                }
                counts.iter().map(u32::to_string).collect()
            }
            Self::Ratings => {
                let ratings: Vec<f64> = list.iter().map(number).collect::<Result<_, Problem>>()?;
                if ratings.is_empty() {
                    return Err(self.unfit("the list is empty"));
                }
                let n = ratings.len() as f64;
                let mean = ratings.iter().sum::<f64>() / n;
                let squares: f64 = ratings.iter().map(|rating| (rating - mean).powi(2)).sum();
                let sd = if squares > 0.0 { (squares / (n - 1.0)).sqrt().to_string() } else { String::new() };
                vec![mean.to_string(), sd]
            }
        };
        Ok(std::iter::once(id).chain(own).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "a.jsonl";

    #[test]
    fn lewidi_items_keep_their_order_and_line() {
        let text = "{\n \"2\": {\"text\": {\"post\": \"p\"},\n  \"annotations\": {\"Ann1\": \"1\", \" Ann2\": \
                    \"0\"}},\n \"1\": {\"text\": {\"post\": \"q\"}, \"annotations\": {}}\n}";
        let items = read_items(Path::new(FILE), text.as_bytes(), &[]).unwrap();
        let post = items.column("text_post").unwrap();
        let rows: Vec<_> = items.rows().map(|row| (row.id(), row.line(), row.cell(post))).collect();
        assert_eq!(rows, [("2", 2, "p"), ("1", 4, "q")]);
        let labels = read_labels(Path::new(FILE), text.as_bytes(), &[]).unwrap();
        let [annotator, label] = ["annotator", "label"].map(|name| labels.column(name).unwrap());
        let rows: Vec<_> = labels.rows().map(|row| (row.id(), row.cell(annotator), row.cell(label))).collect();
        assert_eq!(rows, [("2", "Ann1", "1"), ("2", "Ann2", "0")]);
    }
    #[test]
    fn several_labels_of_an_annotator_answer_a_question_each() {
        let text = "{\"1\": {\"text\": {\"context\": \"p\"}, \"annotations\": {\"Ann1\": \"yes\", \" Ann2\": \"yes, \
                    maybe\", \"Ann3\": [\"no\"], \"Ann4\": \"\"}},\n \"2\": {\"text\": {\"context\": \"q\"}, \
                    \"annotations\": {}}}";
        let labels = ["yes", "no", "maybe"].map(str::to_owned);
        let items = read_items(Path::new(FILE), text.as_bytes(), &labels).unwrap();
        let [label, context] = [LABEL, "text_context"].map(|name| items.column(name).unwrap());
        let rows: Vec<_> = items.rows().map(|row| (row.id(), row.cell(label), row.cell(context))).collect();
        assert_eq!(
            rows[..4],
            [("1/yes", "yes", "p"), ("1/no", "no", "p"), ("1/maybe", "maybe", "p"), ("2/yes", "yes", "q")]
        );
        assert_eq!(rows.len(), 6);
        let answers = read_labels(Path::new(FILE), text.as_bytes(), &labels).unwrap();
        let [annotator, label] = ["annotator", LABEL].map(|name| answers.column(name).unwrap());
        let of = |wanted: &str| -> Vec<(&str, &str)> {
            let own = answers.rows().filter(|row| row.id() == wanted);
            own.map(|row| (row.cell(annotator), row.cell(label))).collect()
        };
        assert_eq!(of("1/yes"), [("Ann1", "1"), ("Ann2", "1"), ("Ann3", "0"), ("Ann4", "")]);
        assert_eq!(of("1/maybe"), [("Ann1", "0"), ("Ann2", "1"), ("Ann3", "0"), ("Ann4", "")]);
        let error = read_labels(Path::new(FILE), text.as_bytes(), &labels[1..]).unwrap_err().to_string();
        assert!(
            error.starts_with("a.jsonl:1 (column \"annotations_Ann1\", item \"1\"): \"yes\" is not one of no"),
            "{error}"
        );
    }

    fn rows(table: &DataTable) -> Vec<String> {
        table.rows().map(|row| row.cells().collect::<Vec<_>>().join(" ")).collect()
    }

    fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
        names.map(str::to_owned).to_vec()
    }

    #[test]
    fn predictions_are_shares_labels_or_ratings() {
        let read = |text: &str, predicted, labels: &[String]| {
            read_predictions(Path::new("p.tsv"), text.as_bytes(), predicted, labels)
        };
        let classes = names(["0", "1", "2"]);
        let soft = "7\t[0.25, 0.5, 0.25]\n\n8\t[0, 1, 0.0]\r\n";
        let table = read(soft, Predicted::Shares(&classes), &[]).unwrap();
        assert_eq!(
            (table.header(), rows(&table)),
            (&names(["id", "p_0", "p_1", "p_2"])[..], names(["7 0.25 0.5 0.25", "8 0 1 0"]))
        );
        assert_eq!(table.rows().map(|row| row.line()).collect::<Vec<_>>(), [1, 3]);
        let perspectivist = "7\t[2, 1.0, '1']\n";
        assert_eq!(rows(&read(perspectivist, Predicted::Labels(&classes), &[]).unwrap()), ["7 0 2 1"]);
        assert_eq!(
            rows(&read("7\t[1, 3]\n8\t[2, 2]\n", Predicted::Ratings, &[]).unwrap()),
            ["7 2 1.4142135623730951", "8 2 "]
        );
        let (yes, labels) = (names(["0", "1"]), names(["contradiction", "entailment"]));
        let nested = read("9\t[[0.75, 0.25], [0, 1]]\n", Predicted::Shares(&yes), &labels).unwrap();
        assert_eq!(rows(&nested), ["9/contradiction 0.75 0.25", "9/entailment 0 1"]);
        let nested = read("9\t[[0, 0, 1, 0], [1, 1, 0, 1]]\n", Predicted::Labels(&yes), &labels).unwrap();
        assert_eq!(rows(&nested), ["9/contradiction 3 1", "9/entailment 1 3"]);
        for (text, labels, message) in [
            (
                "7 [0.5]\n",
                &[][..],
                "p.tsv:1: the line has no tab; write each line as ID<TAB>[share, ...], with a share for each class",
            ),
            ("7\t[0.5\n", &[], "p.tsv:1: \"[0.5\" is not a list; write"),
            (
                "7\t[0.5, 0.5, 0]\n8\t[0.5, 0.5]\n",
                &[],
                "p.tsv:2 (item \"8\"): it has 2 shares, and there are 3 classes",
            ),
            ("7\t[0.5, null, 0]\n", &[], "p.tsv:1 (item \"7\"): null is not a number"),
            (
                "7\t[[1, 0, 0]]\n",
                &labels,
                "(item \"7\"): it has 1 lists, not a list for each of contradiction, entailment",
            ),
            ("7\t[1, 0]\n", &labels, "1 is not a list for contradiction"),
            ("\t[1, 0, 0]\n", &[], "p.tsv:1: the id is blank"),
            ("\n", &[], "p.tsv: the table has no rows"),
        ] {
            let error = read(text, Predicted::Shares(&classes), labels).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        let error = read("7\t[1, 9]\n", Predicted::Labels(&classes), &[]).unwrap_err().to_string();
        assert!(error.starts_with("p.tsv:1 (item \"7\"): \"9\" is not one of 0, 1, 2"), "{error}");
    }
}
