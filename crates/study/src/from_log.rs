//! Studies made from logs of a judge: items, answers, labels where people gave some, and a `study.toml`.
//!
//! Every criterion is a study of its own, with the scale of its own answers: labels of two criteria have nothing in
//! common that a study could learn from, and an annotator is never offered the choices of another criterion.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::input::source::Source;
use crate::audit::answers::{AnswerCoding, MOST_CLASSES, share_of_score};
use crate::audit::columns::{HUMAN, JUDGE, Mapping, Role, has_word, words};
use crate::audit::folder::{Lines, MadeStudy, RUBRIC};
use crate::audit::table::present;
use crate::audit::{Audited, Labelled, not_used};
use crate::input::config::{StudyConfig, TableReading};
use crate::input::question::Criterion;
use crate::input::scale::Given;
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
    /// How a table of pairs was read.
    pub read: TableReading,
    /// The study whose answers further items have; every one of these is kept, even one that looks like another.
    pub known: Option<&'k StudyConfig>,
    /// How the labelled items were chosen.
    pub given: Labelled,
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

/// Makes studies of logs, one for each criterion; the first says which criteria make none.
///
/// # Errors
/// Logs that tell one item in two ways, answers under no criterion that show what labels can be, a field that is not
/// there.
pub fn studies(logs: Logs, source: &Source, options: &LogOptions<'_>) -> Result<Vec<MadeStudy>> {
    let names: Vec<String> = logs.criteria().into_iter().map(str::to_owned).collect();
    let [_, _, ..] = names.as_slice() else {
        let only = study(&logs, source, options)?;
        return Ok(vec![MadeStudy { criterion: names.into_iter().next(), ..only }]);
    };
    CRITERIA.check(names.len() as u64).map_err(|exceeded| unfit(exceeded.reason(), &exceeded.remedy()))?;
    let (mut made, mut left_out, mut folders) = (vec![], vec![], BTreeSet::new());
    for name in names {
        match study(&logs.under(&name), source, options) {
            Ok(study) => {
                let folder = Some(folder(&name, &mut folders));
                made.push(MadeStudy { criterion: Some(name), folder, ..study });
            }
            Err(reason) => left_out.push(format!("{name} is left out: {reason}.")),
        }
    }
    match (made.first_mut(), left_out.first()) {
        (None, Some(reason)) => return Err(unfit(reason.clone(), "give another log")),
        (Some(first), _) => drop(first.audited.notices.splice(..0, left_out)),
        (None, None) => {}
    }
    Ok(made)
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
fn study(logs: &Logs, source: &Source, options: &LogOptions<'_>) -> Result<MadeStudy> {
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
    let values = |name: &str| -> Result<BTreeSet<&str>> {
        let column = items.column(name)?;
        Ok(items.rows().map(|row| row.cell(column)).filter(|cell| !cell.is_empty()).collect())
    };
    let (names, rubrics) = (values("criterion")?, values("rubric")?);
    let only = |of: &BTreeSet<&str>| of.first().filter(|_| of.len() == 1).map(|&text| text.to_owned());
    let rubric = only(&rubrics);
    let criterion = only(&names).map(|name| Criterion { name, rubric: rubric.clone() });
    let has = |names: &[&str]| names.iter().all(|name| items.header().iter().any(|known| known == name));
    let (pairs, sides) = (has(&SYSTEMS), has(&ANSWERS));
    // In a table `question` is a text; in a log of pairs it is the id of one.
    let of_log = logs.provenance().any(|(_, log)| log.format != "pairs");
    let text = template(&items, (pairs, sides, of_log), rubrics.len() > 1);
    let alike = alike(&items, text.as_deref().filter(|_| options.known.is_none()))?;
    let of_people = said_by_people(logs, options, &items)?;
    let coding = coding(logs, (&given, &of_people), options.known)?;
    let numbers = given.iter().flat_map(|(label, times)| number(label).map(|x| std::iter::repeat_n(x, *times)));
    let of_known = options.known.and_then(StudyConfig::scores);
    let ends = || of_known.unwrap_or_else(|| Given::new(numbers.flatten()).usual_ends());
    let scores = coding.judge_scores.then(ends);
    let judge = AnswerTable::new((logs, items.rows().len()), (&coding, scores), id, &alike)?;
    let (given, other_labels) = labels(of_people, &coding, &alike);
    let (number, labelled) =
        (items.rows().len() - alike.len(), given.iter().map(|[id, ..]| id).collect::<BTreeSet<_>>().len());
    if judge.number == 0 {
        return Err(no_answer());
    }
    let of_scores = scores.map(|ends| coding.of_scores("The judge's score", ends));
    let mut notices: Vec<String> = coding.notices.into_iter().chain(of_scores).collect();
    for (number, what) in [
        (judge.failed, "answers of the judge that failed"),
        (alike.len(), "items that look like another one to an annotator"),
        (other_labels, "labels of people that are not on the scale, or given twice"),
    ] {
        notices.extend((number > 0).then(|| format!("Left out: {what} ({number}).")));
    }
    let files = source.logs("".as_ref());
    let noted = serde_json::to_string_pretty(&files).expect("names and texts are plain data") + "\n";
    let tool = |log: &LogFile| match &log.version {
        Some(version) => format!("{} {version}", log.tool),
        None => log.tool.clone(),
    };
    let tools = files.values().map(tool).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
    let about = criterion.as_ref().map_or_else(|| "Log".to_owned(), |one| format!("{}: log", one.name));
    let mut head = Lines::default();
    head.set("made_from", Some("log.json"), "");
    let unanswered = judge.unanswered.then_some("leave_out");
    head.set("unmatched", unanswered, "items to which the judge gave no answer that can be read are counted");
    let which = || "Which answer is better, A or B?".to_owned();
    let instruction = rubric.or_else(|| sides.then(which)).filter(|_| criterion.is_none());
    head.set("instruction", instruction, "");
    let missing = if rubrics.len() > 1 { "Every item has a rubric of its own." } else { RUBRIC };
    head.set_criterion(criterion.as_ref(), missing);
    let mut of_items = Lines::default();
    if !alike.is_empty() {
        of_items.note(&format!("{} items that look like another one to an annotator are left out.", alike.len()));
    }
    of_items.set("text", text.as_deref(), "what experts read: columns in braces");
    of_items.set_group(options.group_from.as_deref());
    of_items.set("pair", pairs.then(|| SYSTEMS.to_vec()), "");
    of_items.set("sides", sides.then(|| ANSWERS.to_vec()), "annotators see them in random order");
    let transcript = (!judge.said.is_empty()).then_some(TRANSCRIPT);
    of_items.set("transcript", transcript, "what the judge wrote; annotators do not see it");
    // Where ids hold the criterion, the item's own stands in a column.
    let own_id = items.column("item")?;
    let kept = |name: &str| match name {
        "criterion" => false,
        "item" => items.rows().any(|row| row.cell(own_id) != row.id()),
        "rubric" => rubrics.len() > 1,
        _ => true,
    };
    let kept: Vec<usize> = (0..items.header().len()).filter(|&k| kept(&items.header()[k])).collect();
    let some = |cells: &[&str], said: Option<&str>| -> Vec<String> {
        kept.iter().map(|&k| cells[k]).chain(transcript.and(said)).map(str::to_owned).collect()
    };
    let header = some(&items.header().iter().map(String::as_str).collect::<Vec<_>>(), Some(TRANSCRIPT));
    let said = |id: &str| Some(judge.said.get(id).map_or("", String::as_str));
    let rows = items.rows().filter(|row| !alike.contains_key(row.id()));
    let rows = rows.map(|row| some(&row.cells().collect::<Vec<_>>(), said(row.id())));
    let columns = Mapping::from_roles(roles(&header, text.as_deref(), options.group_from.as_deref()));
    let own = ["id", "item", "rubric", SYSTEMS[0], SYSTEMS[1], TRANSCRIPT];
    let is_used = |name: &str| {
        own.contains(&name) || columns.names().contains(name) || options.labels_from.as_deref() == Some(name)
    };
    notices.extend(not_used(&header, is_used));
    let mut files = vec![
        ("items.csv", csv_text(std::iter::once(header).chain(rows))),
        ("judge.csv", judge.table),
        ("log.json", noted.into_bytes()),
    ];
    let labels = std::iter::once(["id", "annotator", "label"].map(str::to_owned)).chain(given).map(Vec::from);
    files.extend((labelled > 0).then(|| ("labels.csv", csv_text(labels))));
    let mut of_judge = judge.lines;
    of_judge.set_reading(&TableReading { scores, ..options.read.clone() });
    let chosen = options.given.unless_all(labelled == number);
    Ok(MadeStudy {
        audited: Audited { rows: number, columns, chosen, notices, ..Audited::default() },
        criterion: None,
        folder: None,
        title: format!("{about} of {tools}"),
        scale: coding.scale,
        head,
        items: of_items,
        judge: of_judge,
        is_counted: false,
        files,
        lines: vec![],
        bad: vec![],
    })
}

/// Which columns of items hold what an audit tells of.
fn roles(columns: &[String], text: Option<&str>, group: Option<&str>) -> Vec<(Role, String)> {
    let is_text = |name: &str| text.is_some_and(|text| text.contains(&format!("{{{name}}}")));
    let role = |name: &str| match name {
        "id" => Some(Role::Id),
        name if group == Some(name) => Some(Role::Group),
        TRANSCRIPT => Some(Role::Transcript),
        name => is_text(name).then_some(Role::Text),
    };
    columns.iter().filter_map(|name| Some((role(name)?, name.clone()))).collect()
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
    /// The columns, of which that of the variants and that of the order of two answers are left out if they say nothing.
    table: Vec<u8>,
    number: usize,
    failed: usize,
    /// What it wrote beside its answers, by item.
    said: HashMap<String, String>,
    /// Whether some item has no answer that can be read.
    unanswered: bool,
    /// What its columns hold.
    lines: Lines,
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
        let columns: Vec<String> = match shares && !scale.is_numbers() {
            true => scale.classes().iter().map(|name| format!("p_{name}")).collect(),
            false => vec!["label".to_owned()],
        };
        let held = if is_numbers { &["mean".to_owned()][..] } else { &columns };
        let of_answer: Vec<_> = held.iter().map(|name| table.column(name)).collect::<Result<_>>()?;
        let cells_of = |row: Row<'_>| -> Vec<String> {
            let cells = of_answer.iter().map(|column| row.cell(*column));
            let Some(ends) = scores else { return cells.map(str::to_owned).collect() };
            let good = cells.filter_map(number).map(|score| share_of_score(score, ends)).next();
            [good.map(|p| 1.0 - p), good].map(|p| p.map_or_else(String::new, |p| p.to_string())).to_vec()
        };
        let [variant, swapped, said] = ["variant", "swapped", "said"].map(|name| table.column(name));
        let (variant, swapped, said) = (variant?, swapped?, said?);
        let several = logs.variants().len() > 1;
        let mut transcripts: HashMap<String, String> = HashMap::new();
        // Labels may be given again and again; of scores and probabilities every further one is a variant.
        let numbered = shares || scale.is_numbers();
        let mut times: HashMap<[&str; 3], usize> = HashMap::new();
        let (mut rows, mut failed, mut repeated): (Vec<Vec<String>>, _, _) = (vec![], 0, false);
        let mut answered = BTreeSet::new();
        for row in table.rows().filter(|row| !alike.contains_key(row.id())) {
            let cells = cells_of(row);
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
            match cells.iter().all(String::is_empty) {
                true => failed += 1,
                false => drop(answered.insert(row.id())),
            }
            let own = [row.id(), &name, row.cell(swapped)].map(str::to_owned);
            rows.push(own.into_iter().chain(cells).collect());
        }
        let variants = pairs || repeated || several;
        let header: Vec<String> = ["id", "variant", "swapped"].map(str::to_owned).into_iter().chain(columns).collect();
        let says = |(k, _): &(usize, String)| [true, variants, pairs].get(*k).is_none_or(|says| *says);
        let some =
            |row: Vec<String>| row.into_iter().enumerate().filter(says).map(|(_, cell)| cell).collect::<Vec<_>>();
        let mut lines = Lines::of_judge(scale, shares, variants);
        lines.set("swapped", pairs.then_some("swapped"), "verdicts name the same answers in either order");
        Ok(Self {
            number: rows.len(),
            table: csv_text(std::iter::once(header).chain(rows).map(some)),
            failed,
            said: transcripts,
            unanswered: answered.len() < items - alike.len(),
            lines,
        })
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
    known: Option<&StudyConfig>,
) -> Result<AnswerCoding> {
    let judge = given.iter().flat_map(|(label, times)| std::iter::repeat_n(label.as_str(), *times));
    let (judge, people) = (judge.filter_map(present), people.iter().filter_map(|[.., label]| present(label)));
    if let Some(known) = known {
        return Ok(AnswerCoding::from_study(known, judge, people));
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
            rows.push([id, annotator, coding.scale.text(answer).into_owned()]);
        }
    }
    let unused = all - rows.len();
    (rows, unused)
}

/// The texts that annotators read: all fields that have some, but for what is right and what is known beside them.
fn template(items: &DataTable, (pairs, sides, of_log): (bool, bool, bool), rubrics: bool) -> Option<String> {
    let shown = |name: &&String| {
        let part = name.rsplit('.').next().unwrap_or(name);
        let last = part.rsplit('_').next().unwrap_or(part);
        // What people or the judge said, and ids, are no part of what is judged.
        let own = words(part);
        let answers = [HUMAN, JUDGE, "id uid uuid"].iter().any(|known| has_word(&own, known));
        !is_hidden(last) && !is_hidden(name) && !name.starts_with(METADATA) && !answers
    };
    // Names of systems tell an annotator more than their answers do, and without answers there is nothing to compare.
    if pairs && !sides {
        return None;
    }
    let of_pairs = |name: &str| SYSTEMS.contains(&name) || of_log && name == QUESTION;
    let shown = |name: &&String| shown(name) && !(pairs && of_pairs(name));
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
