//! Studies made from logs of a judge: items, answers, labels where people gave some, and a `study.toml`.
//!
//! Every criterion is a study of its own, with the scale of its own answers: labels of two criteria have nothing in
//! common that a study could learn from, and an annotator is never offered the choices of another criterion.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::input::source::Source;
use crate::audit::KnownScale;
use crate::audit::answers::{AnswerCoding, MOST_CLASSES};
use crate::audit::columns::{HUMAN, JUDGE, Role, has_word, words};
use crate::audit::table::present;
use crate::input::question::Criterion;
use crate::input::scale::{Given, Scale};
use crate::input::spelling::{folded, number};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::logs::pairs::{ANSWERS, CLASSES, QUESTION, SYSTEMS};
use judge_uncertainty_formats::logs::{LogFile, LogRows, LoggedAnswer, Logs, tokens};
use judge_uncertainty_formats::table::{DataTable, Row};
use judge_uncertainty_system::csv_text;
use judge_uncertainty_system::limits::CRITERIA;

#[cfg(test)]
mod tests;

/// How logs become studies.
#[derive(Debug, Clone, Default)]
pub struct LogOptions<'k> {
    /// Field that holds the ids of the items, in place of those of the log.
    pub id: Option<String>,
    /// Field with a label of each item, such as a reference answer that people gave.
    pub labels_from: Option<String>,
    /// Field with the group of each item.
    pub group_from: Option<String>,
    /// What answers can be, of further items; every one of these is kept, even one that looks like another.
    pub known: Option<KnownScale<'k>>,
}

/// What logs become.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// A study for each criterion.
    pub studies: Vec<StudyFiles>,
    /// Criteria that make no study, with the reason.
    pub left_out: Vec<(String, String)>,
}

/// The files of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFiles {
    /// The criterion; `None` of a log that names none.
    pub criterion: Option<String>,
    /// Its folder; `None` of the only study.
    pub folder: Option<String>,
    /// Name and content of each; the configuration comes last.
    pub files: Vec<(&'static str, String)>,
    /// Numbers of items, answers and labels.
    pub found: Found,
    /// The columns of its items.
    pub columns: Vec<String>,
    /// The template of what annotators read; `None` where items have no text.
    pub text: Option<String>,
    /// The column of the group.
    pub group: Option<String>,
    /// How answers were interpreted.
    pub notices: Vec<String>,
}

impl StudyFiles {
    /// Which columns of its items hold what an audit tells of.
    pub fn roles(&self) -> Vec<(Role, String)> {
        let is_text = |name: &str| self.text.as_ref().is_some_and(|text| text.contains(&format!("{{{name}}}")));
        let role = |name: &str| match name {
            "id" => Some(Role::Id),
            name if self.group.as_deref() == Some(name) => Some(Role::Group),
            TRANSCRIPT => Some(Role::Transcript),
            name => is_text(name).then_some(Role::Text),
        };
        self.columns.iter().filter_map(|name| Some((role(name)?, name.clone()))).collect()
    }
}

/// What a log held under a criterion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Items.
    pub items: usize,
    /// Items that look to an annotator like another one, which is labelled in their place.
    pub alike: usize,
    /// Answers of the judge, failed ones included.
    pub answers: usize,
    /// Answers that can't be read.
    pub failed: usize,
    /// Labels that people gave.
    pub labels: usize,
    /// Items that have any.
    pub labelled: usize,
    /// Labels that are not on the scale, or a second one by an annotator for an item: left out.
    pub other_labels: usize,
}

/// Fields that annotators don't see: what is right is theirs to say.
const HIDDEN: &str = "target targets reference gold label expected expected_output ground_truth answer ideal \
                      reference_contexts";

fn is_hidden(field: &str) -> bool {
    HIDDEN.split(' ').any(|hidden| hidden == field)
}

/// The column with what the judge wrote beside its answers.
pub(crate) const TRANSCRIPT: &str = "judge_transcript";
/// What is known of an item beside what was judged begins so; annotators don't see it either.
const METADATA: &str = "metadata.";

fn unfit(reason: String, remedy: &str) -> Error {
    Error::unfit(Place::default(), reason, remedy)
}

fn no_answer() -> Error {
    let remedy = "add the file with the judge's answers: several files of one tool are read as one";
    unfit("the logs hold no answer of the judge".to_owned(), remedy)
}

/// Makes studies of logs, one for each criterion.
///
/// # Errors
/// Logs that tell one item in two ways, answers under no criterion that show what labels can be, a field that is not
/// there.
pub fn studies(logs: Logs, source: &Source, options: &LogOptions<'_>) -> Result<Made> {
    let names: Vec<String> = logs.criteria().into_iter().map(str::to_owned).collect();
    let [_, _, ..] = names.as_slice() else {
        let mut only = study(&logs, source, options)?;
        only.criterion = names.into_iter().next();
        return Ok(Made { studies: vec![only], left_out: vec![] });
    };
    CRITERIA.check(names.len() as u64).map_err(|exceeded| unfit(exceeded.reason(), &exceeded.remedy()))?;
    let mut made = Made { studies: vec![], left_out: vec![] };
    let mut folders = BTreeSet::new();
    for name in names {
        match study(&logs.under(&name), source, options) {
            Ok(files) => {
                let folder = Some(folder(&name, &mut folders));
                made.studies.push(StudyFiles { criterion: Some(name), folder, ..files });
            }
            Err(error) => made.left_out.push((name, error.to_string())),
        }
    }
    match made.left_out.first() {
        Some((name, reason)) if made.studies.is_empty() => Err(unfit(format!("{name}: {reason}"), "give another log")),
        _ => Ok(made),
    }
}

/// A name of a folder for a criterion: letters, digits, `_` and `-`.
pub(crate) fn folder(criterion: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = criterion.chars().map(plain).collect();
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    let name: String =
        if words.is_empty() { "criterion".to_owned() } else { words.join("-").chars().take(60).collect() };
    let mut free = name.clone();
    let mut number = 2;
    // Folders whose names differ in case alone are one on some machines.
    while !taken.insert(free.to_lowercase()) {
        free = format!("{name}-{number}");
        number += 1;
    }
    free
}

/// A study of the answers under one criterion, or none.
fn study(logs: &Logs, source: &Source, options: &LogOptions<'_>) -> Result<StudyFiles> {
    let id = options.id.as_deref();
    let given = logs.labels_given();
    if given.is_empty() && options.known.is_none() {
        return Err(no_answer());
    }
    let items = logs.table(LogRows::Items, id)?;
    // One id twice would only be seen when the study is read.
    items.ids()?;
    if let Some(group) = &options.group_from {
        items.column(group)?;
    }
    let asked = LogQuestion::new(&items)?;
    let template = asked.text.as_deref().filter(|_| options.known.is_none());
    let alike = alike(&items, template)?;
    let of_people = said_by_people(logs, options, &items)?;
    let coding = coding(logs, (&given, &of_people), options.known)?;
    let numbers = given.iter().flat_map(|(label, times)| number(label).map(|x| std::iter::repeat_n(x, *times)));
    let of_known = options.known.and_then(|known| known.reading?.scores);
    let ends = || of_known.unwrap_or_else(|| Given::new(numbers.flatten()).usual_ends());
    let scores = coding.judge_scores.then(ends);
    let judge = AnswerTable::new((logs, items.rows().len()), (&coding, scores), id, &alike)?;
    let (given, other_labels) = labels(of_people, &coding, &alike);
    let found = Found {
        items: items.rows().len() - alike.len(),
        alike: alike.len(),
        answers: judge.rows.len(),
        failed: judge.failed,
        labels: given.len(),
        labelled: given.iter().map(|[id, ..]| id).collect::<BTreeSet<_>>().len(),
        other_labels,
    };
    if found.answers == 0 {
        return Err(no_answer());
    }
    let noted = serde_json::to_string_pretty(&source.logs("".as_ref())).expect("names and texts are plain data") + "\n";
    let config = configuration((&coding.scale, scores), options, &asked, &judge, &found, source);
    let kept = |name: &str| match name {
        "criterion" => false,
        "item" => asked.several,
        "rubric" => asked.rubrics,
        _ => true,
    };
    let (columns, rows) = item_rows(&items, kept, |id| !alike.contains_key(id), &judge.said);
    let head = ["id", "annotator", "label"].map(str::to_owned).to_vec();
    let files = vec![
        ("items.csv", table(columns.clone(), rows)),
        ("judge.csv", table(judge.header, judge.rows)),
        ("labels.csv", table(head, given.into_iter().map(Vec::from).collect())),
        ("log.json", noted),
        ("study.toml", config),
    ];
    Ok(StudyFiles {
        criterion: None,
        folder: None,
        files,
        found,
        columns,
        notices: coding.notices,
        text: asked.text,
        group: options.group_from.clone(),
    })
}

pub(crate) fn quote(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Items that look to annotators as an earlier one does, with its id.
fn alike(items: &DataTable, template: Option<&str>) -> Result<HashMap<String, String>> {
    let mut alike = HashMap::new();
    let Some(template) = template else { return Ok(alike) };
    let seen: Vec<_> = items
        .header()
        .iter()
        .filter(|name| template.contains(&format!("{{{name}}}")))
        .map(|name| items.column(name))
        .collect::<Result<_>>()?;
    let mut first: HashMap<Vec<&str>, &str> = HashMap::new();
    for row in items.rows() {
        let text = seen.iter().map(|column| row.cell(*column)).collect();
        let earlier = *first.entry(text).or_insert(row.id());
        if earlier != row.id() {
            alike.insert(row.id().to_owned(), earlier.to_owned());
        }
    }
    Ok(alike)
}

/// The judge's answers, failed ones blank.
struct AnswerTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    failed: usize,
    /// What it wrote beside its answers, by item.
    said: HashMap<String, String>,
    /// Whether some item has no answer that can be read.
    unanswered: bool,
    /// Probabilities of classes.
    shares: bool,
    /// A column of variants.
    variants: bool,
    /// A column with the order of two answers.
    pairs: bool,
}

impl AnswerTable {
    fn new(
        (logs, items): (&Logs, usize),
        (coding, scores): (&AnswerCoding, Option<(f64, f64)>),
        id: Option<&str>,
        alike: &HashMap<String, String>,
    ) -> Result<Self> {
        let shares = scores.is_some()
            || logs
                .records()
                .any(|record| matches!(record.prediction, Some(LoggedAnswer::Tokens(_) | LoggedAnswer::Shares(_))));
        let pairs = logs.records().any(|record| record.swapped.is_some());
        let scale = &coding.scale;
        let is_numbers = scores.is_some() || scale.is_numbers();
        let table = logs.table(LogRows::Judge(if is_numbers { &[] } else { scale.classes() }), id)?;
        let columns: Vec<String> = match scale {
            Scale::Scores(..) => vec!["mean".to_owned()],
            _ if shares => scale.classes().iter().map(|name| format!("p_{name}")).collect(),
            _ => vec!["label".to_owned()],
        };
        let held = if is_numbers { &["mean".to_owned()][..] } else { &columns };
        let of_answer: Vec<_> = held.iter().map(|name| table.column(name)).collect::<Result<_>>()?;
        let of_score = |cells: Vec<&str>| -> Vec<String> {
            match scores.zip(number(cells[0])) {
                Some(((low, high), score)) => {
                    let good = ((score - low) / (high - low)).clamp(0.0, 1.0);
                    [1.0 - good, good].map(|p| p.to_string()).to_vec()
                }
                None if scores.is_some() => vec![String::new(); columns.len()],
                None => cells.into_iter().map(str::to_owned).collect(),
            }
        };
        let [variant, swapped, said] = ["variant", "swapped", "said"].map(|name| table.column(name));
        let (variant, swapped, said) = (variant?, swapped?, said?);
        let several = logs.variants().len() > 1;
        let mut transcripts: HashMap<String, String> = HashMap::new();
        // Labels may be given again and again; of scores and probabilities every further one is a variant.
        let numbered = shares || matches!(scale, Scale::Scores(..));
        let mut times: HashMap<[&str; 3], usize> = HashMap::new();
        let (mut rows, mut failed, mut repeated) = (vec![], 0, false);
        let (mut asked, mut answered) = (BTreeSet::new(), BTreeSet::new());
        for row in table.rows().filter(|row| !alike.contains_key(row.id())) {
            let cells = of_score(of_answer.iter().map(|column| row.cell(*column)).collect());
            let time = times.entry([row.id(), row.cell(variant), row.cell(swapped)]).or_insert(0);
            *time += 1;
            let mut name = row.cell(variant).to_owned();
            if numbered && *time > 1 {
                name = format!("{name} {time}");
                repeated = true;
            }
            if !row.cell(said).is_empty() {
                let all = transcripts.entry(row.id().to_owned()).or_default();
                let [gap, who] = [if all.is_empty() { "" } else { "\n\n" }, if several { &name } else { "" }];
                *all += &format!("{gap}{who}{}{}", if several { ": " } else { "" }, row.cell(said));
            }
            asked.insert(row.id());
            match cells.iter().all(String::is_empty) {
                true => failed += 1,
                false => drop(answered.insert(row.id())),
            }
            let own = [row.id(), &name, row.cell(swapped)].map(str::to_owned);
            rows.push(own.into_iter().chain(cells).collect());
        }
        let variants = pairs || repeated || several;
        let header = ["id", "variant", "swapped"].map(str::to_owned).into_iter().chain(columns).collect();
        let (unanswered, said) = (answered.len() < items - alike.len(), transcripts);
        let mut answers = Self { header, rows, failed, said, unanswered, shares, variants, pairs };
        answers.keep([true, variants, pairs]);
        Ok(answers)
    }

    /// Keeps some of the first three columns.
    fn keep(&mut self, kept: [bool; 3]) {
        for row in std::iter::once(&mut self.header).chain(&mut self.rows) {
            let mut column = 0..;
            row.retain(|_| kept.get(column.next().unwrap_or_default()).copied().unwrap_or(true));
        }
    }
}

/// What people said, and what a field says that the user names, each (item, annotator, label).
fn said_by_people(logs: &Logs, options: &LogOptions<'_>, items: &DataTable) -> Result<Vec<[String; 3]>> {
    let found = logs.table(LogRows::Labels, options.id.as_deref())?;
    let mut said: Vec<[String; 3]> = vec![];
    if found.rows().len() > 0 {
        let [annotator, label] = [found.column("annotator")?, found.column("label")?];
        let own =
            |row: Row<'_>| [row.id().to_owned(), row.cell(annotator).to_owned(), tokens::label_of(row.cell(label))];
        said.extend(found.rows().map(own));
    }
    if let Some(field) = &options.labels_from {
        let column = items.column(field)?;
        let filled = items.rows().filter(|row| !row.cell(column).is_empty());
        said.extend(filled.map(|row| [row.id().to_owned(), field.clone(), tokens::label_of(row.cell(column))]));
    }
    Ok(said)
}

/// What answers can be, as judge and people gave them, or as it is known.
fn coding(
    logs: &Logs,
    (given, people): (&BTreeMap<String, usize>, &[[String; 3]]),
    known: Option<KnownScale<'_>>,
) -> Result<AnswerCoding> {
    let judge = given.iter().flat_map(|(label, times)| std::iter::repeat_n(label.as_str(), *times));
    let (judge, people) = (judge.filter_map(present), people.iter().filter_map(|[.., label]| present(label)));
    if let Some(known) = known {
        let scores = known.reading.is_some_and(|reading| reading.scores.is_some());
        return Ok(AnswerCoding::from_scale((known.scale.clone(), scores), judge, people));
    }
    // A reference answer may be one that the judge never gave; those of another vocabulary say nothing of classes.
    let right = logs.told(is_hidden);
    let is_given = |label: &String| given.keys().any(|known| folded(known) == folded(label));
    let is_word = given.keys().any(|label| number(label).is_none());
    let is_known = is_word && right.len() <= MOST_CLASSES && right.iter().any(is_given);
    let right = right.iter().filter(|_| is_known).map(String::as_str);
    AnswerCoding::new(judge.chain(right), people).map_err(|reason| {
        unfit(
            reason,
            "give a log with a few different answers, or say in a study.toml what answers can be (`study init`)",
        )
    })
}

/// The labels on the scale, one of each annotator for an item; with how many are none.
fn labels(said: Vec<[String; 3]>, coding: &AnswerCoding, alike: &HashMap<String, String>) -> (Vec<[String; 3]>, usize) {
    let (mut rows, mut seen, all) = (vec![], BTreeSet::new(), said.len());
    for [id, annotator, label] in said {
        let id = alike.get(&id).cloned().unwrap_or(id);
        if let Some(answer) = coding.of_human(&label)
            && seen.insert([id.clone(), annotator.clone()])
        {
            rows.push([id, annotator, coding.scale.text(answer)]);
        }
    }
    let unused = all - rows.len();
    (rows, unused)
}

fn table(header: Vec<String>, rows: Vec<Vec<String>>) -> String {
    String::from_utf8(csv_text(std::iter::once(header).chain(rows))).expect("cells are text")
}

/// Some columns and rows of a table, with a column of what the judge said where it said something.
fn item_rows(
    items: &DataTable,
    column: impl Fn(&str) -> bool,
    row: impl Fn(&str) -> bool,
    said: &HashMap<String, String>,
) -> (Vec<String>, Vec<Vec<String>>) {
    let kept: Vec<bool> = items.header().iter().map(|name| column(name)).collect();
    let some = |cells: &mut dyn Iterator<Item = &str>| -> Vec<String> {
        cells.zip(&kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell.to_owned()).collect()
    };
    let with = |id: &str| (!said.is_empty()).then(|| said.get(id).cloned().unwrap_or_default());
    let row_of = |row: Row<'_>| some(&mut row.cells()).into_iter().chain(with(row.id())).collect();
    let rows = items.rows().filter(|found| row(found.id())).map(row_of).collect();
    let mut header = some(&mut items.header().iter().map(String::as_str));
    header.extend((!said.is_empty()).then(|| TRANSCRIPT.to_owned()));
    (header, rows)
}

/// What annotators are asked, and what they read.
struct LogQuestion {
    /// The criterion, with its rubric where that is one for all items.
    criterion: Option<Criterion>,
    /// The instruction for annotators if the log names no criterion.
    instruction: Option<String>,
    /// Whether every item has a rubric of its own.
    rubrics: bool,
    /// Whether ids hold the criterion, so that the item's own stands in a column.
    several: bool,
    /// The template of the texts; `None` where items have none.
    text: Option<String>,
    /// Whether items name two systems.
    pairs: bool,
    /// Whether they hold two answers.
    sides: bool,
}

impl LogQuestion {
    fn new(items: &DataTable) -> Result<Self> {
        let all = |name: &str| -> Result<BTreeSet<&str>> {
            let column = items.column(name)?;
            Ok(items.rows().map(|row| row.cell(column)).filter(|cell| !cell.is_empty()).collect())
        };
        let (names, rubrics) = (all("criterion")?, all("rubric")?);
        let rubric = rubrics.first().filter(|_| rubrics.len() == 1).map(|&text| text.to_owned());
        let name = names.first().filter(|_| names.len() == 1).map(|&name| name.to_owned());
        let column = items.column("item")?;
        let text = template(items, rubrics.len() > 1);
        let has = |names: &[&str]| names.iter().all(|name| items.header().iter().any(|known| known == name));
        let sides = has(&ANSWERS);
        let which = || "Which answer is better, A or B?".to_owned();
        Ok(Self {
            instruction: if name.is_none() { rubric.clone().or_else(|| sides.then(which)) } else { None },
            criterion: name.map(|name| Criterion { name, rubric }),
            rubrics: rubrics.len() > 1,
            several: items.rows().any(|row| row.cell(column) != row.id()),
            pairs: has(&SYSTEMS),
            sides,
            text,
        })
    }
}

/// The texts that annotators read: all fields that have some, but for what is right and what is known beside them.
fn template(items: &DataTable, rubrics: bool) -> Option<String> {
    let shown = |name: &&String| {
        let part = name.rsplit('.').next().unwrap_or(name);
        let last = part.rsplit('_').next().unwrap_or(part);
        // What people or the judge said, and ids, are no part of what is judged.
        let own = words(part);
        let answers = [HUMAN, JUDGE, "id uid uuid"].iter().any(|known| has_word(&own, known));
        !is_hidden(last) && !is_hidden(name) && !name.starts_with(METADATA) && !answers
    };
    // Names of systems tell an annotator more than their answers do, and without answers there is nothing to compare.
    let pairs = [SYSTEMS[0], SYSTEMS[1], QUESTION];
    let has = |names: [&str; 2]| names.iter().all(|name| items.header().iter().any(|known| known == name));
    if has(SYSTEMS) && !has(ANSWERS) {
        return None;
    }
    let shown = |name: &&String| shown(name) && !(has(SYSTEMS) && pairs.contains(&name.as_str()));
    let own = ["id", "item", "criterion", "rubric"];
    let fields = items.header().iter().filter(|name| !own.contains(&name.as_str())).filter(shown);
    let title = |name: &String| match ANSWERS.iter().position(|answer| answer == name) {
        Some(side) => CLASSES[side].to_owned(),
        None => name.clone(),
    };
    let fields: Vec<String> = fields.map(|name| format!("{}: {{{name}}}", title(name))).collect();
    let rubric = rubrics.then(|| "rubric: {rubric}".to_owned());
    (!fields.is_empty()).then(|| rubric.into_iter().chain(fields).collect::<Vec<_>>().join("\n\n"))
}

fn configuration(
    (scale, scores): (&Scale, Option<(f64, f64)>),
    options: &LogOptions<'_>,
    asked: &LogQuestion,
    judge: &AnswerTable,
    found: &Found,
    source: &Source,
) -> String {
    let logs = source.logs("".as_ref());
    let tool = |log: &LogFile| match &log.provenance.version {
        Some(version) => format!("{} {version}", log.provenance.tool),
        None => log.provenance.tool.to_string(),
    };
    let tools = logs.values().map(tool).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
    let about = asked.criterion.as_ref().map_or_else(|| "Log".to_owned(), |one| format!("{}: log", one.name));
    let setting = |key: &str, value: Option<&String>| value.map(|value| format!("{key} = {}\n", quote(value)));
    let line = |holds: bool, text: &str| holds.then(|| text.to_owned() + "\n");
    let (is_scores, criterion) = (matches!(scale, Scale::Scores(..)), asked.criterion.as_ref());
    let (rubric, alike) = (criterion.and_then(|one| one.rubric.as_ref()), found.alike);
    let lacks = criterion.is_some() && rubric.is_none();
    let lines = [
        setting("title", Some(&format!("{about} of {tools}"))),
        line(true, "# As the judge's answers are; correct it if labels can be something else."),
        line(true, &scale.setting()),
        line(true, "made_from = \"log.json\""),
        line(judge.unanswered, "# Items to which the judge gave no answer that can be read are left out and counted."),
        line(judge.unanswered, "unmatched = \"leave_out\""),
        setting("instruction", asked.instruction.as_ref()),
        line(criterion.is_some(), "\n[criterion]"),
        setting("name", criterion.map(|one| &one.name)),
        setting("rubric", rubric),
        line(lacks && asked.rubrics, "# Every item has a rubric of its own."),
        line(
            lacks && !asked.rubrics,
            "# The log does not hold the rubric: write here what annotators are to judge by.\n# rubric = \"\"",
        ),
        line(true, "\n[items]\nfile = \"items.csv\""),
        line(alike > 0, &format!("# {alike} items that look like another one to an annotator are left out.")),
        setting("text", asked.text.as_ref()),
        setting("group", options.group_from.as_ref()),
        line(asked.pairs, &format!("pair = [{}]", SYSTEMS.map(quote).join(", "))),
        line(
            asked.sides,
            &format!("sides = [{}]   # annotators see them in random order", ANSWERS.map(quote).join(", ")),
        ),
        line(!judge.said.is_empty(), &format!("transcript = \"{TRANSCRIPT}\"")),
        line(true, "\n[judge]\nfile = \"judge.csv\""),
        line(!is_scores && judge.shares, "kind = \"probabilities\""),
        line(!is_scores && !judge.shares, "kind = \"labels\""),
        line(judge.variants, "variant = \"variant\""),
        line(judge.pairs, "# Verdicts name the same answers in either order.\nswapped = \"swapped\""),
        scores.map(|(low, high)| format!("\n[audited]\ncolumns = {{}}\nscores = [{low:?}, {high:?}]\n")),
        line(true, "\n[labels]\nfile = \"labels.csv\""),
        line(is_scores, "score = \"label\""),
        line(!is_scores, "form = \"long\""),
    ];
    lines.into_iter().flatten().collect()
}
