//! Labels on their way back: read from a table or an annotation tool's export, checked, and appended to the study's
//! log.
//!
//! | module | holds |
//! |---|---|
//! | [`tools`] | the exports of Label Studio, Argilla, Prodigy and doccano |
//!
//! A file is taken whole or not at all. The files that the user wrote are never changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::audit::answers::is_skipped;
use crate::audit::table::present;
use crate::input::items::Items;
use crate::input::label_store::NewLabel;
use crate::input::question::{Remark, mirrored, of_task};
use crate::input::scale::Scale;
use crate::input::spelling::folded;
use crate::intake::tools::doccano;
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::encoding::{encoding_of, name_of};
use judge_uncertainty_formats::error::{Error, Faults, Place, Problem, Result, excerpt};
use judge_uncertainty_formats::logs::pairs::CLASSES;
use judge_uncertainty_formats::table::{ColumnIndex, DataTable, Row};
use judge_uncertainty_formats::{parquet, xlsx};
use judge_uncertainty_system::formula::unescaped;
use judge_uncertainty_system::limits::check_labels;

#[cfg(test)]
mod property_tests;
pub mod tools;

// A file of labels: read, and checked against a study.

/// A file of labels, and what is in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intake {
    /// The file.
    pub file: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How it was read, such as "Label Studio JSON".
    pub form: &'static str,
    /// The labels, in the order of the file.
    pub labels: Vec<NewLabel>,
    /// Answers that are not labels (cancelled, rejected, blank), counted by kind.
    pub skipped: BTreeMap<&'static str, usize>,
    /// What is to be said of how the file was read.
    pub notices: BTreeSet<String>,
    /// Who gave the labels that have no annotator in the file.
    by: Option<String>,
    /// What the rows of a queue's table are judged by, each with its first place.
    criteria: BTreeMap<String, Place>,
}

impl Intake {
    /// Reads a file: a table `id,annotator,label` in any layout that tables have, or a tool's export, told apart by
    /// content. `by` gave the labels that have no annotator in the file.
    ///
    /// # Errors
    /// A file that can't be read or is of no known form, or a label without an item, an annotator or one clear value.
    pub fn read(file: &Path, by: Option<&str>) -> Result<Self> {
        let bytes = read_file(file)?;
        let mut found = found(file, &bytes, by)?;
        for label in &mut found.labels {
            label.annotator = label.annotator.trim().to_owned();
            if label.annotator.is_empty() {
                let remedy = "fill the cell in, or say who gave the labels without a name: --annotator NAME";
                let place = label.place.clone().in_field("annotator");
                return Err(Error::unfit(place, Problem::Blank.to_string(), remedy));
            }
        }
        Ok(Self { file: file.to_owned(), sha256: sha256_hex(&bytes), ..found })
    }

    /// Refuses a queue's table of another criterion than the study's, which has items of the same ids.
    ///
    /// # Errors
    /// The first row that names one.
    pub fn check_criterion(&self, own: &str) -> Result<()> {
        // Behind the name, a queue's table has the rubric.
        let is_own = |name: &str| name.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        let Some((other, place)) = self.criteria.iter().find(|(name, _)| !is_own(name)) else { return Ok(()) };
        let reason = format!("this label is about {}, and the study is about {}", excerpt(other), excerpt(own));
        Err(Error::unfit(place.clone(), reason, "add it to the study of its own criterion"))
    }

    /// Checks labels against a study and returns those to be appended.
    ///
    /// Values become the texts that the scale knows them by, and where a task had two answers in the other order, one of
    /// the classes `sides` becomes the other; one that is a class but for case or quotes is that
    /// class, with a notice. A skip or a comment is no label, and no obstacle to a later one. `known` has the labels
    /// that are there already, by item and annotator, as text and place: those are left out and counted. Where the scale
    /// allows repeats (ratings), a label by the same annotator is a further rating, unless it says the same and was given
    /// at the same time.
    ///
    /// # Errors
    /// Unknown items or values, labels that the file has twice, or that contradict what is there: the first of them, and how
    /// many more.
    pub fn check(
        &mut self,
        items: &Items,
        (scale, sides): (&Scale, Option<&[String; 2]>),
        before: &Known,
    ) -> Result<Vec<NewLabel>> {
        let (mut known, repeats) = (before.clone(), scale.allows_repeats());
        let mut fresh = vec![];
        let (mut skipped, mut remarks, mut notices) = (0, [0, 0], BTreeSet::new());
        let mut faults = Faults::default();
        for label in &self.labels {
            let mut refuse = |problem| faults.add(Error::refused(label.place.clone(), problem));
            let (item, swapped) = match item_of(items, &label.id) {
                Ok(found) => found,
                Err(problem) => {
                    refuse(problem);
                    continue;
                }
            };
            if let Some((remark, _)) = scale.remark(&label.value) {
                remarks[usize::from(remark == Remark::Comment)] += 1;
                fresh.push(NewLabel { id: items.ids[item].to_owned(), ..label.clone() });
                continue;
            }
            let parsed = scale.parse(&label.value);
            let parsed = parsed.or_else(|problem| unescaped(&label.value).map_or(Err(problem), |v| scale.parse(v)));
            let respelled = |problem| scale.respelled(&label.value).ok_or(problem);
            let parsed = parsed.map(|value| scale.written(value)).or_else(respelled);
            // The name of a system is the verdict for its answer, in whichever order the task had them.
            let is_named = |name: &String| folded(name) == folded(&label.value);
            let named = items.pairs.as_ref().and_then(|pairs| pairs[item].iter().position(is_named));
            let class = |k: usize| sides.map_or(CLASSES[k], |sides| sides[k].as_str());
            let named = named.map(class).filter(|class| scale.parse(class).is_ok());
            let is_name = parsed.is_err() && named.is_some();
            let value = match parsed.or_else(|problem| named.map(str::to_owned).ok_or(problem)) {
                Ok(value) => value,
                // As in a table that is audited.
                Err(_) if present(&label.value).is_none_or(|value| is_skipped(&folded(value))) => {
                    remarks[0] += 1;
                    let value = Remark::Skip.value(&label.value);
                    fresh.push(NewLabel { id: items.ids[item].to_owned(), value, ..label.clone() });
                    continue;
                }
                Err(problem) => {
                    refuse(problem);
                    continue;
                }
            };
            if is_name {
                notices.insert("The name of a system is read as the verdict for its answer.".to_owned());
            } else if value != label.value && !scale.classes().is_empty() {
                notices.insert(format!("{:?} is read as {value:?}.", label.value));
            }
            let value = match sides.filter(|_| swapped && !is_name) {
                Some(sides) => mirrored(&value, sides).to_owned(),
                None => value,
            };
            let there = |k: &NewLabel| k.value == value && (!repeats || k.given == label.given && !k.given.is_empty());
            if before.given_by(item, &label.annotator).iter().any(there) {
                skipped += 1;
                continue;
            }
            let same = known.given_by(item, &label.annotator).iter().find(|k| there(k));
            let clash = match (repeats, same) {
                (true, Some(same)) => Some(again(same)),
                (true, None) => None,
                (false, _) => known.clash(item, &label.annotator, &value),
            };
            if let Some(problem) = clash {
                refuse(problem);
                continue;
            }
            let label = NewLabel { id: items.ids[item].to_owned(), value, ..label.clone() };
            known.add(item, label.clone());
            fresh.push(label);
        }
        faults.told()?;
        notices.extend(self.alike(&known));
        let [skips, comments] = remarks;
        notices.extend((skips > 0).then(|| format!("{skips} answers skipped their items: they count as missing.")));
        notices.extend((comments > 0).then(|| format!("{comments} comments: `study labels list` shows them.")));
        self.notices.extend(notices);
        if skipped > 0 {
            self.skipped.insert("already there", skipped);
        }
        Ok(fresh)
    }

    /// What is to be said of annotators in the file whose names differ in case alone from others that are `known`.
    fn alike(&self, known: &Known) -> Vec<String> {
        let mut spelt: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for name in known.0.keys().map(|(_, name)| name) {
            spelt.entry(name.to_lowercase()).or_default().insert(name);
        }
        let own: BTreeSet<String> = self.labels.iter().map(|label| label.annotator.to_lowercase()).collect();
        let several = spelt.into_iter().filter(|(name, spelt)| spelt.len() > 1 && own.contains(name));
        let names = |spelt: BTreeSet<&str>| spelt.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        several
            .map(|(_, spelt)| format!("Names that differ in case count as several annotators: {}.", names(spelt)))
            .collect()
    }

    /// The items of the labels in the file, by the ids that the study gives them, each with the annotator.
    pub fn pairs<'a>(&'a self, items: &'a Items) -> BTreeSet<[&'a str; 2]> {
        let pair =
            |label: &'a NewLabel| Some([&items.ids[item_of(items, &label.id).ok()?.0], label.annotator.as_str()]);
        self.labels.iter().filter_map(pair).collect()
    }

    /// A file that is still to be read; `by` gave those without an annotator.
    pub(super) fn new(form: &'static str, by: Option<&str>) -> Self {
        Self { form, by: by.map(str::to_owned), ..Self::default() }
    }

    /// Who gave an answer: the one that the file names, or the one that the user named.
    pub(super) fn annotator(&self, named: Option<String>) -> Option<String> {
        // A blank name that nobody makes up for is refused with its place.
        match named {
            Some(name) if !name.trim().is_empty() => Some(name),
            other => self.by.clone().or(other),
        }
    }

    /// Takes an answer to an item, with who gave it and when; a blank one is counted, and one without a name is the
    /// error `unnamed`.
    pub(super) fn take(
        &mut self,
        (id, place): (String, Place),
        value: Option<String>,
        (named, given): (Option<String>, String),
        unnamed: impl FnOnce(Place) -> Error,
    ) -> Result<()> {
        let Some(value) = value.filter(|value| !value.trim().is_empty()) else {
            self.skip("blank");
            return Ok(());
        };
        let Some(annotator) = self.annotator(named) else { return Err(unnamed(place)) };
        self.labels.push(NewLabel { id, annotator, value, given, place });
        Ok(())
    }

    /// Counts an answer that is not a label.
    pub(super) fn skip(&mut self, kind: &'static str) {
        *self.skipped.entry(kind).or_default() += 1;
    }
}

/// The item of an id as a file has it, and whether the task had its two answers in the other order: with an apostrophe before
/// it if it looks like a formula, or without; with the order of two answers behind it, or without.
fn item_of(items: &Items, id: &str) -> std::result::Result<(usize, bool), Problem> {
    let found = |id: &str| {
        let of_task = || of_task(id).and_then(|(id, swapped)| Some((items.ids.position(id)?, swapped)));
        items.ids.position(id).map(|item| (item, false)).or_else(of_task)
    };
    match (found(id), unescaped(id).and_then(found)) {
        (Some(found), None) | (None, Some(found)) => Ok(found),
        (None, None) => Err(items.unknown(id)),
        (Some(_), Some(_)) => {
            let reason = format!("the id {id:?} may stand for two items, one of which has no apostrophe before it");
            Err(Problem::unfit(reason, "give the labels of these items in another file, such as queue.jsonl"))
        }
    }
}

/// What a file says, whatever its layout.
fn found(file: &Path, bytes: &[u8], by: Option<&str>) -> Result<Intake> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if parquet::is(bytes) {
        return from_table(&parquet::read(file, bytes, "id")?, bytes.len(), by);
    }
    if xlsx::is(bytes) {
        return from_table(&xlsx::read(file, bytes, "id")?, bytes.len(), by);
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return doccano::archive(file, bytes, by);
    }
    if text.starts_with(b"[") || text.starts_with(b"{") {
        return tools::read(file, bytes, by);
    }
    let encoding = name_of(encoding_of(file, bytes)?);
    let mut answers = match tools::table(file, bytes, by)? {
        Some(answers) => answers,
        None => from_table(&DataTable::parse(file, bytes, "id")?, bytes.len(), by)?,
    };
    answers.notices.extend(encoding.map(|name| format!("The file is read as text in {name}.")));
    Ok(answers)
}

/// The labels of a table `id,annotator,label`, or of one whose columns `human` and `human_NAME` hold the labels of a
/// person each; the file has so many bytes.
fn from_table(table: &DataTable, bytes: usize, by: Option<&str>) -> Result<Intake> {
    let mut answers = Intake::new("table", by);
    // The labels of one person each: `human`, `human_1`, `human_ann`.
    let is_person = |name: &str| name == "human" || name.starts_with("human_");
    let names = || table.header().iter().map(String::as_str);
    let people: Vec<&str> = names().filter(|name| is_person(name) && names().all(|name| name != "label")).collect();
    let annotator = match table.column("annotator") {
        Ok(column) => Some(column),
        Err(_) if by.is_some() || !people.is_empty() => None,
        Err(error) if table.header().iter().any(|name| name.trim().eq_ignore_ascii_case("annotator")) => {
            return Err(error);
        }
        Err(_) => {
            let found = table.header().join(", ");
            let reason = format!("the table has no column \"annotator\", but {found}");
            let remedy = "add one that says who gave each label, or name the only one: --annotator NAME";
            return Err(Error::unfit(Place::file(table.file()), reason, remedy));
        }
    };
    let columns = if people.is_empty() { &["label"][..] } else { &people };
    for &name in columns {
        if annotator.is_none() && by.is_none() {
            answers.notices.insert(format!("The column {name:?} is read as the labels of an annotator {name:?}."));
        }
        let unnamed = by.or(annotator.is_none().then_some(name)).unwrap_or_default();
        take_column(&mut answers, (table, bytes), table.column(name)?, &|row| {
            let named = annotator.map(|column| row.cell(column)).filter(|name| !name.trim().is_empty());
            named.unwrap_or(unnamed).to_owned()
        })?;
    }
    Ok(answers)
}

/// Takes the labels of a column, given by whoever `by` says; in the column `skipped` stands why there is none, in
/// `comment` what was written about the item.
fn take_column(
    answers: &mut Intake,
    (table, bytes): (&DataTable, usize),
    label: ColumnIndex,
    by: &dyn Fn(&Row<'_>) -> String,
) -> Result<()> {
    let [skipped, comment, given, criterion] =
        ["skipped", "comment", "given", "criterion"].map(|name| table.column(name).ok());
    for row in table.rows() {
        if let Some(name) = criterion.map(|column| row.cell(column).trim()).filter(|name| !name.is_empty()) {
            let place = || Place::file(table.file()).at_line(row.line()).of_item(row.id()).in_field("criterion");
            answers.criteria.entry(name.to_owned()).or_insert_with(place);
        }
        let [reason, comment] = [skipped, comment].map(|column| column.map_or("", |column| row.cell(column)));
        let [reason, comment] = [reason, comment].map(|cell| plain(cell.to_owned()));
        let value =
            match (Some(row.cell(label)).filter(|cell| !cell.trim().is_empty()).unwrap_or_default(), reason.as_str()) {
                ("", "") => None,
                ("", reason) => Some(Remark::Skip.value(reason)),
                (label, _) => Some(label.to_owned()),
            };
        let comment = (!comment.is_empty()).then(|| Remark::Comment.value(&comment));
        if value.is_none() && comment.is_none() {
            answers.skip("blank");
        }
        answers.labels.extend([value, comment].into_iter().flatten().map(|value| NewLabel {
            id: row.id().to_owned(),
            annotator: plain(by(&row)),
            value,
            given: given.map_or("", |column| row.cell(column)).to_owned(),
            place: Place::file(table.file()).at_line(row.line()).of_item(row.id()),
        }));
        check_labels(answers.labels.len(), bytes as u64).map_err(|exceeded| {
            let remedy = format!("add the labels in several files; {}", exceeded.remedy());
            Error::unfit(Place::file(table.file()).at_line(row.line()), exceeded.reason(), remedy)
        })?;
    }
    Ok(())
}

/// A cell as it was before this program's tables and pages made a text of a formula.
fn plain(cell: String) -> String {
    unescaped(&cell).map_or(cell.clone(), str::to_owned)
}

/// What is wrong with a label that is there already.
fn again(label: &NewLabel) -> Problem {
    let [annotator, value] = [&label.annotator, &label.value].map(|text| excerpt(text));
    let reason = format!("{annotator:?} has given this item the label {value:?} already ({})", label.place);
    Problem::unfit(reason, "remove the row")
}

/// The labels that are there already, by item and annotator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known(HashMap<(usize, String), Vec<NewLabel>>);

impl Known {
    fn given_by(&self, item: usize, annotator: &str) -> &[NewLabel] {
        self.0.get(&(item, annotator.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Whether an annotator has given an item this label.
    pub fn has(&self, item: usize, annotator: &str, value: &str) -> bool {
        self.given_by(item, annotator).iter().any(|known| known.value == value)
    }

    /// What is wrong with one more label of an annotator who may give an item only one.
    pub fn clash(&self, item: usize, annotator: &str, value: &str) -> Option<Problem> {
        let there = self.given_by(item, annotator);
        there.iter().find(|known| known.value == value).map(again).or_else(|| {
            there.first().map(|k| {
                let [annotator, value, other] = [annotator, value, &k.value].map(excerpt);
                let reason = format!(
                    "{annotator:?} gives this item the label {value:?}, but gave it {other:?} before ({})",
                    k.place
                );
                Problem::unfit(reason, "keep the label that holds and remove the other; nothing was added")
            })
        })
    }

    /// Notes a label of an item.
    pub fn add(&mut self, item: usize, label: NewLabel) {
        self.0.entry((item, label.annotator.clone())).or_default().push(label);
    }
}

#[cfg(test)]
mod tests_of_file {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Intake> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        Intake::read(&path, None)
    }

    fn listed(intake: &Intake) -> Vec<(&str, &str, &str)> {
        intake.labels.iter().map(|l| (l.id.as_str(), l.annotator.as_str(), l.value.as_str())).collect()
    }

    /// Fields as in Label Studio's documentation of its raw JSON format.
    #[test]
    fn label_studio_tasks() {
        let text = r#"[
          {"id": 7, "data": {"uid": "a", "text": "x"}, "annotations": [
            {"id": 1, "completed_by": 3, "was_cancelled": false, "created_at": "2026-01-02T03:04:05Z",
             "result": [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["yes"]}}]},
            {"id": 2, "completed_by": {"id": 4, "email": "e@x.org"}, "was_cancelled": false,
             "result": [{"from_name": "label", "type": "choices", "value": {"choices": ["no"]}}]},
            {"id": 3, "completed_by": 5, "was_cancelled": true, "result": []}]},
          {"id": 8, "data": {"uid": "b"}, "annotations": [
            {"completed_by": 3, "result": [{"from_name": "label", "type": "number", "value": {"number": 2.5}}]},
            {"completed_by": 3, "result": []}]}]"#;
        let intake = read("export.json", text).unwrap();
        assert_eq!(intake.form, "Label Studio JSON");
        assert_eq!(
            listed(&intake),
            [("a", "label-studio-3", "yes"), ("a", "e@x.org", "no"), ("b", "label-studio-3", "2.5")]
        );
        assert_eq!(intake.labels[0].given, "2026-01-02T03:04:05Z");
        assert_eq!(intake.skipped, [("blank", 1), ("cancelled", 1)].into());
        let both = text.replace(r#"["yes"]"#, r#"["yes", "no"]"#);
        assert!(read("export.json", &both).unwrap_err().to_string().contains(r#"the choices are ["yes","no"]"#));
        let nameless = text.replace(r#""uid": "a""#, r#""vid": "a""#);
        assert!(read("export.json", &nameless).unwrap_err().to_string().contains("data.uid"));
        let min = r#"[{"uid": "a", "annotator": 3, "label": "yes"}, {"uid": "b", "annotator": 3}]"#;
        let intake = read("export.json", min).unwrap();
        assert_eq!((listed(&intake), intake.skipped["blank"]), (vec![("a", "label-studio-3", "yes")], 1));
    }

    #[test]
    fn argilla_records_nested_and_flat() {
        let nested = r#"[{"id": "a", "fields": {"text": "x"}, "responses": {"label": [
            {"value": "yes", "user_id": "u1", "status": "submitted"},
            {"value": "no", "user_id": "u2", "status": "draft"}]}},
            {"id": "b", "responses": {}}]"#;
        let intake = read("records.json", nested).unwrap();
        assert_eq!((intake.form, listed(&intake)), ("Argilla records", vec![("a", "u1", "yes")]));
        assert_eq!(intake.skipped, [("not submitted", 1)].into());
        let flat = "{\"id\": \"a\", \"label.responses\": [\"3.5\", \"4\"], \"label.responses.users\": [\"u1\", \
                    \"u2\"], \"label.responses.status\": [\"submitted\", \"discarded\"]}\n";
        assert_eq!(listed(&read("records.jsonl", flat).unwrap()), [("a", "u1", "3.5")]);
    }

    #[test]
    fn prodigy_answers() {
        let text = r#"{"uid": "a", "accept": ["yes"], "answer": "accept", "_annotator_id": "set-ann", "_timestamp": 1}
{"uid": "b", "accept": [], "answer": "ignore", "_annotator_id": "set-ann"}
{"uid": "b", "accept": ["no"], "answer": "reject", "_annotator_id": "set-ann"}

{"uid": "c", "user_input": "4.5", "answer": "accept", "_session_id": "s1"}"#;
        let intake = read("answers.jsonl", text).unwrap();
        assert_eq!(listed(&intake), [("a", "set-ann", "yes"), ("c", "s1", "4.5")]);
        assert_eq!(intake.labels[1].place.line, Some(5));
        assert_eq!(intake.skipped, [("ignored", 1), ("rejected", 1)].into());
    }

    #[test]
    fn tables_and_unknown_files() {
        let intake = read("new.csv", "id,annotator,label\na,ann,yes\nb,ann,\n").unwrap();
        assert_eq!((listed(&intake), intake.skipped["blank"]), (vec![("a", "ann", "yes")], 1));
        for (name, text, message) in [
            ("new.csv", "id,label\na,yes\n", "no column \"annotator\""),
            ("new.json", "[]", "no rows"),
            (
                "new.json",
                "[{\"x\": 1, \"id\": 2}]",
                "not an export that this program knows: its first entry has id, x; export",
            ),
            (
                "new.csv",
                "id,uid,annotator,label\n1,a,ann,yes\n",
                "both columns id and uid could be the items' ids; keep",
            ),
            ("new.csv", "id,annotator,label\na, ,yes\n", "(column \"annotator\", item \"a\"): the cell is blank"),
            ("new.csv", "id,annotator,label.responses\na,b,c\n", "this is a table of Argilla's records; write"),
            ("new.jsonl", "{\"answer\": \"accept\", \"uid\": \"a\"\n", ":1:31: not a JSON object"),
            ("new.json", "{\"uid\": \"a\", \"accept\": [\"yes\"], \"answer\": \"accept\"}", "no _annotator_id"),
        ] {
            let error = read(name, text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    /// Files of the folder `tests/golden/tools`, which the tools' own packages wrote.
    fn of_tool(name: &str) -> Result<Intake> {
        Intake::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/tools").join(name), None)
    }

    /// Task numbers are ids of other items: `id` 1 belongs to the item 3.
    #[test]
    fn every_export_of_label_studio_comes_back_to_the_same_items() {
        for (study, labels) in
            [("choices", ["yes", "no", "no"]), ("comment", ["yes", "no", "no"]), ("scores", ["2.5", "7", "0"])]
        {
            for (layout, form) in [
                ("json", "Label Studio JSON"),
                ("min.json", "Label Studio JSON-MIN"),
                ("csv", "Label Studio table"),
                ("tsv", "Label Studio table"),
            ] {
                let intake = of_tool(&format!("label-studio-{study}.{layout}")).unwrap();
                let mut found = listed(&intake);
                found.sort_unstable();
                let [first, second, third] = labels;
                let expected =
                    [("1", "label-studio-7", third), ("3", "label-studio-7", first), ("3", "label-studio-8", second)];
                assert_eq!((intake.form, found.as_slice()), (form, &expected[..]), "{study} {layout}");
                assert_eq!(intake.skipped, [("blank", 1)].into(), "{study} {layout}");
                assert!(intake.labels.iter().all(|label| label.given.starts_with("2026-01-0")));
            }
        }
        let table = std::fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/tools/label-studio-choices.csv"),
        );
        let table = table.unwrap();
        let error = read("export.csv", &table.replace("\"uid\"", "\"key\"")).unwrap_err().to_string();
        assert!(
            error.contains("export.csv:1: this is Label Studio's table, whose id is the number of its task"),
            "{error}"
        );
        let error = read("export.csv", &table.replace("\"label\"", "\"quality\"")).unwrap_err().to_string();
        assert!(error.contains("no answer has the field \"label\"; there are annotation_id"), "{error}");
        let cut: String = table.chars().take(table.len() - 45).collect();
        assert!(read("export.csv", &cut).unwrap_err().to_string().contains(":5"));
    }

    /// A list gives each item its place, buckets their names; Label Studio's number of the task is not an item.
    #[test]
    fn rankings_of_label_studio_are_labels_of_the_items_that_they_name() {
        let buckets = [("1", "label-studio-7", "no"), ("2", "label-studio-7", "no"), ("3", "label-studio-7", "yes")];
        let places = [("1", "label-studio-7", "2"), ("2", "label-studio-7", "3"), ("3", "label-studio-7", "1")];
        for (kind, expected) in [("ranking", places), ("buckets", buckets)] {
            for layout in ["json", "min.json", "csv", "tsv"] {
                let intake = of_tool(&format!("label-studio-{kind}.{layout}")).unwrap();
                let mut found = listed(&intake);
                found.sort_unstable();
                assert_eq!(found, expected, "{kind} {layout}");
                assert_eq!(intake.skipped, [("blank", 1)].into(), "{kind} {layout}");
            }
        }
    }

    #[test]
    fn of_several_controls_of_label_studio_the_label_is_taken() {
        let of = |control: &str, class: &str| {
            format!(r#"{{"from_name": "{control}", "type": "choices", "value": {{"choices": ["{class}"]}}}}"#)
        };
        let text = |results: &[String]| {
            let results = results.join(", ");
            let annotation = format!(r#"{{"completed_by": 3, "result": [{results}]}}"#);
            format!(r#"[{{"id": 1, "data": {{"uid": "a"}}, "annotations": [{annotation}]}}]"#)
        };
        let intake = read("e.json", &text(&[of("topic", "no"), of("label", "yes")])).unwrap();
        assert_eq!(listed(&intake), [("a", "label-studio-3", "yes")]);
        let error = read("e.json", &text(&[of("topic", "no"), of("quality", "yes")])).unwrap_err().to_string();
        assert!(error.contains("none is named \"label\": quality, topic; name the control"), "{error}");
        assert_eq!(listed(&read("e.json", &text(&[of("topic", "no")])).unwrap()), [("a", "label-studio-3", "no")]);
        let nobody = text(&[of("label", "no")]).replace("\"completed_by\": 3", "\"completed_by\": {\"email\": \" \"}");
        assert!(read("e.json", &nobody).unwrap_err().to_string().contains("nobody is named"));
    }

    #[test]
    fn answers_of_argilla_need_a_status() {
        let intake = of_tool("argilla-flat.json").unwrap();
        let [ann, ben] = [1, 2].map(|user| format!("00000000-0000-0000-0000-{user:012}"));
        assert_eq!(listed(&intake), [("3", ann.as_str(), "yes"), ("3", ben.as_str(), "no")]);
        assert_eq!(intake.skipped, [("not submitted", 2)].into());
        let error = of_tool("argilla-nested.json").unwrap_err().to_string();
        assert!(error.contains("(item \"3\"): the answer has no status") && error.contains("flatten=True"), "{error}");
        let other = r#"[{"id": "a", "quality.responses": ["yes"], "quality.responses.status": ["submitted"],
            "_server_id": "x"}]"#;
        let error = read("r.json", other).unwrap_err().to_string();
        assert!(error.contains("no answer is one to the question \"label\"; there are quality"), "{error}");
        let none = r#"[{"id": "a", "fields": {"text": "x"}, "responses": {}}]"#;
        assert!(read("r.json", none).unwrap_err().to_string().contains("hold no answer; export it after annotating"));
        let blank =
            r#"[{"id": "a", "responses": {"label": [{"value": "yes", "user_id": "", "status": "submitted"}]}}]"#;
        assert!(
            read("r.json", blank)
                .unwrap_err()
                .to_string()
                .contains("column \"annotator\", item \"a\"): the cell is blank")
        );
        // Version 1: a list of responses, each with the values of all questions.
        let first = r#"[{"fields": {"text": "x"}, "external_id": "a", "responses": [
            {"user_id": "u1", "status": "submitted", "values": {"label": {"value": "yes"}}},
            {"user_id": "u2", "status": "draft", "values": {"label": {"value": "no"}}}]}]"#;
        let intake = read("r.json", first).unwrap();
        assert_eq!((intake.form, listed(&intake)), ("Argilla 1 records", vec![("a", "u1", "yes")]));
        assert_eq!(intake.skipped, [("not submitted", 1)].into());
        let error = read("r.json", &first.replace("\"label\"", "\"quality\"")).unwrap_err().to_string();
        assert!(error.contains("there are quality"), "{error}");
    }
}
