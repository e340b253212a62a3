//! Tables with a column that names who gave the label of each row: `id, annotator, label`, perhaps with the judge's answer
//! beside it, or with the judge as one of the raters; and `judge, human, reviewer`, with one row or several for an item. They
//! become a row for each item, with a column for each rater.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use crate::audit::columns::{
    BESIDE, CLUSTER, COMPARED, CONFIDENCE, Correction, HUMAN, ITEM, JUDGE, MACHINE, Mapping, OF_JUDGE, PREDICTED,
    RecognisedBy, Role, has_word, identifies, is_model, words,
};
use crate::audit::shares;
use crate::audit::table::{CellTable, present};
use crate::input::spelling::{folded, number, polarity};

pub(super) const WHO: &str = "annotator annotators rater reviewer labeler labeller worker participant prolific coder checker assessor prüfer bewerter";
/// What a person did to a row, in a name such as `labeled_by`.
const DONE: &str = "labeled labelled annotated reviewed checked rated graded scored evaluated assessed verified approved \
                    audited tagged completed geprüft bewertet";
/// Columns that name raters where their values are a judge's and people's.
const PERHAPS_WHO: &str = "source by user evaluator grader judge who";
pub(super) const WHAT: &str = "label labels rating ratings score vote annotation value accept choices";
/// What an answer is called where no column has a name of [`WHAT`].
const PERHAPS_WHAT: &str = "verdict answer grade judgement judgment decision preference choice";
/// Words of columns that are about a rater or an answer.
const ABOUT: &str = "kind type count number comment comments note notes reason confidence time date age gender sex seconds \
                     minutes duration country education answer";
/// Columns that tell the answers of one item apart, as turns of a conversation do.
const PARTS: &str = "turn step round system model policy arm candidate";
/// Raters with a column each; of more, columns hold the first, second, ... answer of each item.
const MOST: usize = 200;
/// Cells that the columns of more than [`FEW`] raters may have.
const MOST_CELLS: usize = 5_000_000;
const FEW: usize = 50;

/// Whether a column is called after those who give labels.
fn names_raters(name: &str) -> bool {
    let words = words(name);
    let is_beside = has_word(&words, &format!("{COMPARED} {CONFIDENCE} {BESIDE} number"));
    !is_beside && (has_word(&words, WHO) || has_word(&words, DONE) && has_word(&words, "by von"))
}

/// Columns that may name the rater of each row, the likeliest first.
fn who(cells: &CellTable, mapping: Option<&Mapping>) -> Vec<usize> {
    let columns = |is: &dyn Fn(usize, &[String]) -> bool| -> Vec<usize> {
        (0..cells.names.len()).filter(|&k| is(k, &words(&cells.names[k]))).collect()
    };
    let with_both = |k: usize| {
        let names: HashSet<&str> = cells.distinct(k).collect();
        names.iter().any(|name| is_model(name)) && names.iter().any(|name| !is_model(name))
    };
    let about = format!("{JUDGE} {ABOUT}");
    let named = |k: usize, words: &[String]| names_raters(&cells.names[k]) && !has_word(words, &about);
    // A column that is called after people and has no answers of theirs.
    let is_free = |k: usize| mapping.is_some_and(|mapping| !mapping.names().contains(cells.names[k].as_str()));
    let mut found = columns(&|k, words| named(k, words) && !has_word(words, "id"));
    found.extend(columns(&|k, words| named(k, words) && has_word(words, "id")));
    let names_people = format!("{HUMAN} label labels by name names of");
    let is_person = |word: &String| has_word(std::slice::from_ref(word), &names_people) || number(word).is_some();
    let of_people = |words: &[String]| {
        has_word(words, HUMAN) && words.iter().all(is_person) && !has_word(words, "gold golden truth")
    };
    found.extend(columns(&|k, words| of_people(words) && is_free(k)));
    found.extend(columns(&|k, words| has_word(words, PERHAPS_WHO) && !has_word(words, ABOUT) && with_both(k)));
    // Failing names, the kinds of raters.
    found.extend(columns(&|k, words| has_word(words, PERHAPS_WHO) && has_word(words, "type kind") && with_both(k)));
    found
}

/// The column of the answers: the only one of people's; or else one of its name, among which those are that also hold the
/// judge's.
///
/// # Errors
/// Several columns of people's answers.
fn what(cells: &CellTable, mapping: &Mapping, who: usize) -> Result<Option<usize>, String> {
    let people: Vec<&str> = mapping.of(Role::Human).into_iter().filter(|name| *name != cells.names[who]).collect();
    let named = |known: &str, not: &str| {
        (0..cells.names.len()).find(|&k| {
            let words = words(&cells.names[k]);
            k != who && has_word(&words, known) && !has_word(&words, not)
        })
    };
    let others = format!("id kind type rater annotator {PREDICTED}");
    match people.as_slice() {
        [] => Ok(named(WHAT, &format!("{JUDGE} {others}"))
            .or_else(|| named(PERHAPS_WHAT, "judge llm id kind type rater annotator"))
            .or_else(|| match mapping.perhaps_people(cells)[..] {
                [only] => cells.column(only).filter(|&what| tells_apart(cells, mapping, [who, what])),
                _ => None,
            })),
        [one] => Ok(cells.column(one)),
        several => Err(format!(
            "The column {:?} is not used: it names people, and several columns hold labels ({}). If it says who gave one of \
             these, name that one with --columns human=COLUMN.",
            cells.names[who],
            several.join(", ")
        )),
    }
}

/// Names of raters that rows may have, in a table with a row for each answer.
pub fn raters(cells: &CellTable) -> BTreeSet<&str> {
    who(cells, None).into_iter().flat_map(|who| cells.distinct(who)).collect()
}

/// The columns with who gave each label and with the labels; `asked` is what the user says of the first.
///
/// # Errors
/// What is to be said of a column that names people and can't be used.
fn columns(cells: &CellTable, mapping: &Mapping, asked: Option<usize>) -> Result<Option<[usize; 2]>, String> {
    let mut undecided = Ok(None);
    let is_free = |who: usize| names_raters(&cells.names[who]) && !mapping.names().contains(cells.names[who].as_str());
    for who in asked.map_or_else(|| who(cells, Some(mapping)), |who| vec![who]) {
        match what(cells, mapping, who) {
            Ok(Some(what)) if are_names(cells, mapping, [who, what]) => return Ok(Some([who, what])),
            Err(reason) if is_free(who) && come_again(cells, who) => undecided = Err(reason),
            Ok(_) | Err(_) => {}
        }
    }
    undecided
}

/// Whether the values of a column come again, as names of raters do.
fn come_again(cells: &CellTable, column: usize) -> bool {
    let names = cells.distinct(column);
    names.len() > 0 && names.len() < cells.number_filled(column)
}

/// Whether a column names who gave the answers of another: its values come again, stand in most rows with an answer, and are
/// no answers themselves. Numbers that are ids, or that differ among the rows of an item, are names even where answers are
/// numbers too.
fn are_names(cells: &CellTable, mapping: &Mapping, [who, what]: [usize; 2]) -> bool {
    let (names, answers): (HashSet<&str>, HashSet<&str>) =
        (cells.distinct(who).collect(), cells.distinct(what).collect());
    let answered: Vec<usize> = (0..cells.len()).filter(|&row| present(cells.cell(row, what)).is_some()).collect();
    let named = answered.iter().filter(|&&row| present(cells.cell(row, who)).is_some()).count();
    let is_id = identifies(&words(&cells.names[who]));
    let are_apart = || names.is_disjoint(&answers) || is_id || tells_apart(cells, mapping, [who, what]);
    come_again(cells, who) && 2 * named > answered.len() && are_apart()
}

/// Whether items have several rows with an answer, each by another of those that a column names.
fn tells_apart(cells: &CellTable, mapping: &Mapping, [who, what]: [usize; 2]) -> bool {
    let answered: Vec<usize> = (0..cells.len()).filter(|&row| present(cells.cell(row, what)).is_some()).collect();
    let key = key(cells, mapping, [who, what]);
    let rows = |key: &[usize]| answered.iter().map(|&row| cells.cells_of(key, row)).collect::<HashSet<_>>().len();
    let with = [&key[..], &[who]].concat();
    !key.is_empty() && rows(&with) == answered.len() && 2 * rows(&key) <= answered.len()
}

/// The columns that tell items apart: the ids of items, which come again where several rate one, or failing them the texts;
/// with the turn or the system, where one rater answers to several of an item. Rows of an item have one answer of the judge
/// beside those of people; where they have several, and neither systems nor texts tell them apart, every row is an item, and
/// the list is empty.
fn key(cells: &CellTable, mapping: &Mapping, [who, what]: [usize; 2]) -> Vec<usize> {
    let distinct = |key: &[usize]| (0..cells.len()).map(|row| cells.cells_of(key, row)).collect::<HashSet<_>>().len();
    let is_whole = |k: &usize| cells.is_whole(*k);
    let names_items = |k: &usize| {
        let words = words(&cells.names[*k]);
        identifies(&words) || has_word(&words, ITEM)
    };
    let of_role = |role: Role| -> Vec<usize> {
        cells.of_role(mapping, role).into_iter().filter(|k| ![who, what].contains(k)).collect()
    };
    let shared = |k: &usize| has_word(&words(&cells.names[*k]), CLUSTER);
    let all = || (0..cells.names.len()).filter(|k| ![who, what].contains(k)).filter(is_whole);
    let candidates: Vec<usize> = all().filter(names_items).chain(all().filter(shared)).collect();
    let texts: Vec<usize> = of_role(Role::Text).into_iter().filter(is_whole).collect();
    // A number of each row identifies none of its items.
    let is_of_rows = || !texts.is_empty() && 2 * distinct(&texts) <= cells.len();
    let first = candidates.iter().find(|&&k| distinct(&[k]) < cells.len());
    let first = first.or(candidates.first().filter(|_| !is_of_rows()));
    let mut key = first.map_or_else(|| texts.clone(), |first| vec![*first]);
    if key.is_empty() {
        return key;
    }
    let answered = |key: &[usize]| distinct(&[key, &[who]].concat());
    let is_part = |k: &usize| !key.contains(k) && has_word(&words(&cells.names[*k]), PARTS);
    let parts: Vec<usize> = of_role(Role::System).into_iter().chain(all().filter(is_part)).collect();
    for part in parts {
        let with = [&key[..], &[part]].concat();
        if !key.contains(&part) && answered(&with) > answered(&key) && distinct(&with) < cells.len() {
            key = with;
        }
    }
    let judged = [Role::Verdict, Role::Score, Role::Probability, Role::System].map(of_role).concat();
    let has_one_answer = |key: &Vec<usize>| {
        let mut first: HashMap<(Vec<&str>, usize), &str> = HashMap::new();
        (0..cells.len()).all(|row| {
            judged.iter().all(|&k| {
                let cell = present(cells.cell(row, k));
                cell.is_none_or(|cell| *first.entry((cells.cells_of(key, row), k)).or_insert(cell) == cell)
            })
        })
    };
    let with = |further: Vec<usize>| [&key[..], &further].concat();
    let keys = [key.clone(), with(of_role(Role::System)), with([of_role(Role::System), texts].concat())];
    keys.into_iter().find(has_one_answer).unwrap_or_default()
}

/// The column that names who gave the labels in a column of people's, of a table of pairs.
pub(super) fn gave(cells: &CellTable, mapping: &Mapping, what: usize, corrections: &[Correction]) -> Option<usize> {
    match corrections.iter().find(|one| one.role == Role::Annotator) {
        Some(one) => cells.column(one.column.as_deref()?),
        None => {
            who(cells, Some(mapping)).into_iter().find(|&who| who != what && are_names(cells, mapping, [who, what]))
        }
    }
}

/// What is said of a column that names who gave the labels in another.
pub(super) fn names_who(cells: &CellTable, [who, what]: [usize; 2]) -> String {
    format!("The column {:?} names who gave each label in {:?}.", cells.names[who], cells.names[what])
}

/// A column that says of each rater whether it is a machine, with what it says; `None` where no column does.
fn kinds(cells: &CellTable, [who, what]: [usize; 2]) -> Option<(usize, HashMap<&str, bool>)> {
    (0..cells.names.len()).filter(|k| ![who, what].contains(k)).find_map(|column| {
        let mut found = HashMap::new();
        for row in 0..cells.len() {
            let (Some(name), Some(kind)) = (present(cells.cell(row, who)), present(cells.cell(row, column))) else {
                continue;
            };
            let is_human = has_word(&words(kind), &format!("{HUMAN} person people crowd"));
            if !is_human && !is_model(kind) || found.insert(name, !is_human) == Some(is_human) {
                return None;
            }
        }
        let both = [true, false].iter().all(|kind| found.values().any(|found| found == kind));
        both.then_some((column, found))
    })
}

/// A table with other columns, and what those of raters are.
pub type Widened = (CellTable, Vec<Correction>);

/// A row for each item; `None` of a table in which no column names who gave the labels. The user may name that column, or say
/// that the table has no such column, and name the column of labels.
///
/// # Errors
/// What is to be said of a column that names people and can't be used.
pub fn widened(cells: &CellTable, mapping: &Mapping, corrections: &[Correction]) -> Result<Option<Widened>, String> {
    let of_user = corrections.iter().find(|one| one.role == Role::Annotator);
    if of_user.is_some_and(|one| one.column.is_none()) {
        return Ok(None);
    }
    let asked = of_user.and_then(|one| cells.column(one.column.as_deref()?));
    let Some([who, what]) = columns(cells, mapping, asked)? else { return Ok(None) };
    // The user's word on people is about raters, or names the column that is read.
    let is_own = |one: &Correction| {
        let name = one.column.as_deref();
        name.is_some_and(|name| cells.column(name).is_none_or(|k| k == what))
    };
    if corrections.iter().any(|one| one.role == Role::Human && !is_own(one)) {
        return Ok(None);
    }
    let key = key(cells, mapping, [who, what]);
    let names: BTreeSet<&str> = cells.distinct(who).collect();
    let kinds = kinds(cells, [who, what]);
    let is_machine = |name: &str| match &kinds {
        Some((_, kinds)) => kinds.get(name).copied().unwrap_or(false),
        None => is_model(name),
    };
    let judges = OF_JUDGE.iter().any(|role| cells.of_role(mapping, *role).iter().any(|k| ![who, what].contains(k)));
    let by_name = names.len() <= FEW || names.len() <= MOST && names.len() * cells.len() <= MOST_CELLS;
    let mut place: HashMap<(usize, Vec<&str>), usize> = HashMap::new();
    // Of each item its rows' first cells that are not blank, and the answers of its raters.
    let mut items: Vec<(Vec<String>, BTreeMap<String, String>)> = vec![];
    // Without columns that tell items apart, each row is one.
    let key_of =
        |row: usize| -> (usize, Vec<&str>) { (if key.is_empty() { row } else { 0 }, cells.cells_of(&key, row)) };
    // A confidence that differs among the labels of an item is that of who gave them.
    let mut first_of = HashMap::new();
    let mut differs = |k: usize| {
        (0..cells.len()).any(|row| {
            let stated = present(cells.cell(row, k));
            stated.is_some_and(|cell| *first_of.entry((key_of(row), k)).or_insert(cell) != cell)
        })
    };
    let is_given = corrections.iter().any(|one| one.role == Role::Confidence);
    let confidence = cells.of_role(mapping, Role::Confidence).into_iter().find(|&k| !is_given && differs(k));
    let kept: Vec<usize> = (0..cells.names.len())
        .filter(|k| {
            ![who, what].contains(k) && kinds.as_ref().is_none_or(|(kind, _)| kind != k) && confidence != Some(*k)
        })
        .collect();
    let row_of = |row: usize| cells.row(row).collect::<Vec<_>>();
    // Raters who were asked again, whose equal rows are answers of their own.
    let (mut first, mut asked_again) = (HashMap::new(), HashSet::new());
    for row in 0..cells.len() {
        let name = cells.cell(row, who).trim();
        let before = *first.entry((key_of(row), name)).or_insert(row);
        if row_of(before) != row_of(row) {
            asked_again.insert(name);
        }
    }
    let (mut seen, mut nobody) = (HashSet::new(), 0);
    for row in 0..cells.len() {
        // Another row that is there twice says nothing new.
        if !asked_again.contains(cells.cell(row, who).trim()) && !seen.insert(row_of(row)) {
            continue;
        }
        let at = *place.entry(key_of(row)).or_insert_with(|| {
            items.push((vec![String::new(); kept.len()], BTreeMap::new()));
            items.len() - 1
        });
        let (of_item, given) = &mut items[at];
        for (own, &k) in of_item.iter_mut().zip(&kept) {
            if own.trim().is_empty() {
                cells.cell(row, k).clone_into(own);
            }
        }
        let Some(answer) = present(cells.cell(row, what)) else { continue };
        let name = match present(cells.cell(row, who)) {
            Some(name) => name,
            // Beside the judge's, answers of nobody are a person's.
            None if judges => &cells.names[what],
            None => {
                nobody += 1;
                continue;
            }
        };
        let people = given.keys().filter(|name| name.starts_with("person ")).count();
        let name =
            if by_name || !judges && is_machine(name) { name.to_owned() } else { format!("person {}", people + 1) };
        // A rater who answers again has a further column.
        let mut again = std::iter::once(name.clone()).chain((2..).map(|k| format!("{name} ({k})")));
        let name = again.find(|name| !given.contains_key(name)).unwrap_or(name);
        given.insert(name, answer.to_owned());
    }
    let raters: BTreeSet<String> = items.iter().flat_map(|(_, given)| given.keys().cloned()).collect();
    let rater_of =
        |column: &str| names.iter().find(|name| column == **name || column.starts_with(&format!("{name} ("))).copied();
    let by_name_or_kind = |rater: &String| rater_of(rater).is_some_and(&is_machine);
    let whole = |rater: &&String| items.iter().all(|(_, given)| given.contains_key(*rater));
    // Failing a name that tells it, the judge is the only rater who answered everything.
    let of_all: Vec<&String> = raters.iter().filter(whole).collect();
    let by_coverage = match of_all.as_slice() {
        [one] if !judges && raters.len() > 1 && !raters.iter().any(by_name_or_kind) => Some((*one).clone()),
        _ => None,
    };
    let is_judge = |rater: &String| !judges && (by_name_or_kind(rater) || by_coverage.as_ref() == Some(rater));
    // A rater that is called as a column is another one.
    let is_column = |rater: &str| cells.column(rater).is_some_and(|k| kept.contains(&k));
    let title = |rater: &String| if is_column(rater) { format!("{rater} (rater)") } else { rater.clone() };
    let rows = items.iter().map(|(of_item, given)| {
        let given = raters.iter().map(|rater| given.get(rater).cloned().unwrap_or_default());
        of_item.iter().cloned().chain(given).collect::<Vec<_>>()
    });
    let role = |rater: &String| if is_judge(rater) { Role::Verdict } else { Role::Human };
    let correction = |rater| Correction { role: role(rater), column: Some(title(rater)), by: RecognisedBy::Rows };
    let corrections = raters.iter().map(correction).collect();
    let columns = kept.iter().map(|&k| cells.names[k].clone()).chain(raters.iter().map(title)).collect();
    let mut table = CellTable::new(columns, rows, &cells.format);
    (table.bytes, table.criterion, table.notices) = (cells.bytes, cells.criterion.clone(), cells.notices.clone());
    table.notices.push(names_who(cells, [who, what]));
    table.notices.extend(confidence.map(|k| {
        let name = &cells.names[k];
        format!(
            "Not used: {name}, which differs among the labels of an item, so that it is not the judge's confidence."
        )
    }));
    if !by_name {
        let n = names.len();
        table.notices.push(format!("{n} people are too many to compare them: the labels of each item are numbered."));
    }
    if nobody > 0 {
        table.notices.push(format!("Left out: answers without a name in {:?} ({nobody}).", cells.names[who]));
    }
    table.notices.extend(by_coverage.map(|rater| {
        format!(
            "{rater} is read as the judge, because of all raters in the column {:?} only this one answered every item. If it is a person, name the \
             judge: --columns verdict=NAME.",
            cells.names[who]
        )
    }));
    Ok(Some((table, corrections)))
}

// Cells with the answers of several people: `pass;fail;pass`, `["pass", "fail"]`, or a list of objects with a name and a label
// each. They become a column for each person.

/// People that a cell can hold answers of.
const MOST_IN_CELL: usize = 50;

/// An answer in a cell, with who gave it where the cell tells.
type Given = (Option<String>, String);

/// A column for each person of the first column that holds several answers of the judge's kind in a cell, and which the user
/// gives to people if to anything; `None` of a table that has no such column.
pub(super) fn unpacked(cells: &CellTable, mapping: &Mapping, corrections: &[Correction]) -> Option<Widened> {
    let judge = [Role::Verdict, Role::Score].iter().find_map(|role| cells.column(mapping.one(*role)?))?;
    let known: BTreeSet<String> = cells.distinct(judge).map(folded).collect();
    // A judge that was asked as often for every row; where it gives several labels, all that are in a cell are one answer.
    let is_list = |cell: &str| cell.starts_with('[');
    let asked =
        || (0..cells.len()).map(|row| list(present(cells.cell(row, judge))?)).collect::<Option<Vec<Vec<Given>>>>();
    let asked = cells.filled(judge).next().filter(|cell| is_list(cell)).and_then(|_| asked());
    let samples = asked.filter(|all| all[0].len() > 1 && all.iter().all(|of_row| of_row.len() == all[0].len()));
    if samples.is_none() && known.iter().any(|answer| list(answer).is_some_and(|all| all.len() > 1)) {
        return None;
    }
    let (numbers, two) = (known.iter().all(|k| number(k).is_some()), known.iter().all(|k| polarity(k).is_some()));
    let is_answer = |text: &str| {
        let text = folded(text);
        known.contains(&text) || numbers && number(&text).is_some() || two && polarity(&text).is_some()
    };
    let of_judge = |k: usize| {
        let words = words(&cells.names[k]);
        has_word(&words, &format!("{JUDGE} {MACHINE}")) && !has_word(&words, HUMAN)
    };
    let of_people = || corrections.iter().filter(|one| one.role == Role::Human && one.by == RecognisedBy::Given);
    let is = |one: &Correction, k: usize| one.column.as_ref() == Some(&cells.names[k]);
    // Beside a column that was read so, another one has to be called after people.
    let is_second = corrections.iter().any(|one| one.by == RecognisedBy::Cells);
    let lists = |k: &usize| -> Option<(usize, Vec<Vec<Given>>)> {
        let role = |role: Role| mapping.of(role).contains(&cells.names[*k].as_str());
        let is_other = of_people().count() > 0 && !of_people().any(|one| is(one, *k))
            || corrections.iter().any(|one| one.role != Role::Human && is(one, *k))
            || is_second && !has_word(&words(&cells.names[*k]), HUMAN);
        let is_text = || role(Role::Text) && !cells.filled(*k).all(is_list);
        if is_other || of_judge(*k) || is_text() || [Role::Id, Role::Verdict, Role::Score].into_iter().any(role) {
            return None;
        }
        let of_row = |row: usize| match present(cells.cell(row, *k)) {
            Some(cell) => list(cell).filter(|all| all.iter().all(|(_, text)| text.is_empty() || is_answer(text))),
            None => Some(vec![]),
        };
        let lists: Vec<Vec<Given>> = (0..cells.len()).map(of_row).collect::<Option<_>>()?;
        let is_there = lists.iter().any(|list| list.len() > 1) || cells.filled(*k).any(is_list);
        (is_there && lists.iter().any(|list| !list.is_empty())).then_some((*k, lists))
    };
    let role = if samples.is_some() { Role::Verdict } else { Role::Human };
    let found = samples.map(|samples| (judge, samples));
    let found = found.or_else(|| (0..cells.names.len()).find_map(|k| lists(&k))).map(|(k, lists)| (vec![k], lists));
    let is_asked = of_people().count() == 0;
    let is_counted = found.is_none();
    let (columns, lists) = found.or_else(|| votes(cells, mapping, &known).filter(|_| is_asked))?;
    let name = columns.iter().map(|&k| cells.names[k].as_str()).collect::<Vec<_>>().join(", ");
    let title = |(at, (who, _)): (usize, &Given)| match who {
        Some(name) => name.clone(),
        None if is_counted => format!("person {}", at + 1),
        None => format!("{name} {}", at + 1),
    };
    let people: BTreeSet<String> = lists.iter().flat_map(|list| list.iter().enumerate().map(title)).collect();
    if people.len() > MOST_IN_CELL || people.iter().any(|name| cells.column(name).is_some()) {
        return None;
    }
    let answer = |row: usize, person: &String| {
        let mut of_row = lists[row].iter().enumerate();
        of_row.find(|given| title(*given) == *person).map_or("", |(_, (_, answer))| answer)
    };
    let row = |row: usize| (row, people.iter().map(|person| answer(row, person)).collect::<Vec<_>>());
    let mut table = cells.replaced(&columns, people.iter().cloned(), (0..cells.len()).map(row));
    table.is_counted |= is_counted;
    let n = people.len();
    table.notices.push(match role {
        Role::Verdict => format!("The column {name:?} holds {n} answers of the judge in a cell."),
        _ if is_counted => {
            format!("{name} are read as how many people gave each answer (else --columns human=).")
        }
        _ => format!("The column {name:?} holds several labels in a cell, which are read as those of {n} people."),
    });
    let by = if of_people().count() > 0 { RecognisedBy::Given } else { RecognisedBy::Cells };
    let raters = people.into_iter().map(|name| Correction { role, column: Some(name), by }).collect();
    Some((table, raters))
}

/// The answers that people gave, from columns that count them or are true for one: `n_pass` and `n_fail` where the judge answers
/// `pass` or `fail`, with a column for each of its answers.
fn votes(cells: &CellTable, mapping: &Mapping, known: &BTreeSet<String>) -> Option<(Vec<usize>, Vec<Vec<Given>>)> {
    let of_people = format!("{HUMAN} {WHO} {WHAT} n num count counts votes winner answer people");
    let people = mapping.of(Role::Human);
    let times = |cell: &str| match folded(cell).as_str() {
        "true" => Some(1),
        "false" => Some(0),
        cell => cell.parse::<usize>().ok().filter(|n| *n <= MOST_IN_CELL),
    };
    let column = |class: &String| {
        let is_said = |word: &String| words(class).contains(word) || has_word(std::slice::from_ref(word), &of_people);
        let is_theirs = |name: &str| people.contains(&name) || words(name).iter().all(is_said);
        let is_about = |name: &str| shares::told(name, known.iter().map(String::as_str)) == Some(class);
        let is_count = |k: usize| cells.filled(k).all(|cell| times(cell).is_some()) && number(class).is_none();
        let is_it = |k: &usize| is_about(&cells.names[*k]) && is_theirs(&cells.names[*k]) && is_count(*k);
        (0..cells.names.len()).find(is_it)
    };
    let columns: Vec<usize> = known.iter().map(column).collect::<Option<_>>()?;
    let is_other = |name: &&str| columns.iter().all(|&k| cells.names[k] != *name);
    if columns.len() < 2 || people.iter().any(is_other) {
        return None;
    }
    let of_row = |row: usize| -> Vec<Given> {
        let given = |(class, &k)| vec![(None, String::clone(class)); times(cells.cell(row, k)).unwrap_or(0)];
        known.iter().zip(&columns).flat_map(given).collect()
    };
    let lists = (0..cells.len()).map(of_row).collect();
    Some((columns, lists))
}

/// A table whose first column of JSON objects has a column for each of their fields, with a row for each object of a list; `None`
/// of one that has no such column, or that has the judge's answers in another one, where some were opened before with people's.
pub(super) fn opened(cells: &CellTable, mapping: &Mapping, before: bool) -> Option<Widened> {
    let objects = |k: usize| -> Option<Vec<Vec<Value>>> {
        let of_row = |row: usize| match present(cells.cell(row, k)) {
            None => Some(vec![Value::Null]),
            Some(cell) => match serde_json::from_str(cell).ok()? {
                Value::Array(all) if all.is_empty() => Some(vec![Value::Null]),
                Value::Array(all) if all.len() <= MOST_IN_CELL && all.iter().all(Value::is_object) => Some(all),
                one @ Value::Object(_) => Some(vec![one]),
                _ => None,
            },
        };
        cells.filled(k).next().filter(|cell| cell.starts_with(['{', '[']))?;
        let found: Vec<Vec<Value>> = (0..cells.len()).map(of_row).collect::<Option<_>>()?;
        found.iter().flatten().any(Value::is_object).then_some(found)
    };
    let has = |roles: &[Role]| {
        roles.iter().filter_map(|role| cells.column(mapping.one(*role)?)).any(|k| objects(k).is_none())
    };
    if has(&OF_JUDGE) && (!before || has(&[Role::Human])) {
        return None;
    }
    let (column, found) = (0..cells.names.len()).find_map(|k| Some((k, objects(k)?)))?;
    let mut names: Vec<String> = vec![];
    let mut fields = |value: &Value| -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        flatten(value, &cells.names[column], &mut all);
        let new: Vec<String> = all.keys().filter(|name| !names.contains(name)).cloned().collect();
        names.extend(new);
        all
    };
    let found: Vec<Vec<BTreeMap<String, String>>> =
        found.iter().map(|of_row| of_row.iter().map(&mut fields).collect()).collect();
    let rows = found.iter().enumerate().flat_map(|(row, all)| all.iter().map(move |fields| (row, fields)));
    let cells_of = |fields: &BTreeMap<String, String>| -> Vec<String> {
        names.iter().map(|name| fields.get(name).cloned().unwrap_or_default()).collect()
    };
    let rows = rows.map(|(row, fields)| (row, cells_of(fields)));
    Some((cells.replaced(&[column], names.iter().cloned(), rows), vec![]))
}

/// The fields of a value, by their names behind that of what they are in; of a list with one text the text.
fn flatten(value: &Value, name: &str, all: &mut BTreeMap<String, String>) {
    match value {
        Value::Null => {}
        Value::Object(fields) => fields.iter().for_each(|(key, value)| flatten(value, &format!("{name}_{key}"), all)),
        Value::Array(one) if one.len() == 1 && !one[0].is_object() => flatten(&one[0], name, all),
        Value::String(text) => drop(all.insert(name.to_owned(), text.clone())),
        other => drop(all.insert(name.to_owned(), other.to_string())),
    }
}

/// The answers in a cell; `None` if its text is not a list of them.
fn list(cell: &str) -> Option<Vec<Given>> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    };
    if cell.starts_with('[') {
        // As Python prints a list.
        let all: Vec<Value> =
            serde_json::from_str(cell).or_else(|_| serde_json::from_str(&cell.replace('\'', "\""))).ok()?;
        let given = |value: &Value| match value {
            Value::Object(fields) => {
                let of = |known: &str| fields.iter().find(|(name, _)| has_word(&words(name), known));
                let (_, answer) = of(WHAT).or_else(|| of("answer verdict choice response classname"))?;
                let who = of(&format!("{WHO} user by name author")).and_then(|(_, who)| text(who));
                Some((who.filter(|who| !who.is_empty()), text(answer)?))
            }
            other => Some((None, text(other)?)),
        };
        return all.iter().map(given).collect();
    }
    let mark = [';', '|'].into_iter().find(|mark| cell.contains(*mark));
    Some(match mark {
        Some(mark) => cell.split(mark).map(|part| (None, part.trim().to_owned())).collect(),
        None => vec![(None, cell.to_owned())],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str) -> Option<[Vec<String>; 3]> {
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let cells = CellTable::new(lines.next().unwrap(), lines, "CSV");
        let mapping = Mapping::new(&cells, &[]).unwrap();
        let (table, raters) = widened(&cells, &mapping, &[]).unwrap()?;
        let said = raters.iter().map(|one| format!("{}={}", one.role, one.column.as_ref().unwrap())).collect();
        let rows = (0..table.len()).map(|row| table.row(row).collect::<Vec<_>>().join(",")).collect();
        Some([table.names, rows, said])
    }

    #[test]
    fn a_row_for_each_answer_becomes_a_row_for_each_item() {
        let export = "id,annotator,label,judge\na,anna,yes,no\na,ben,no,no\nb,anna,no,yes\nc,,,yes\n";
        let [names, rows, said] = wide(export).unwrap();
        assert_eq!(names, ["id", "judge", "anna", "ben"]);
        assert_eq!(rows, ["a,no,yes,no", "b,yes,no,", "c,yes,,"]);
        assert_eq!(said, ["human=anna", "human=ben"]);
        let raters = "item_id,rater,rating\na,gpt-4o,3\na,p1,4\nb,gpt-4o,5\nb,p1,5\n";
        assert_eq!(wide(raters).unwrap()[2], ["verdict=gpt-4o", "human=p1"]);
    }

    #[test]
    fn a_judge_among_the_raters_is_known_by_its_name_its_kind_or_its_answers() {
        for (header, judge, kind) in [
            ("item,rater,score", "gpt4o", ["", ""]),
            ("example,evaluator,verdict", "LLM judge", ["", ""]),
            ("doc_id,worker_id,label,worker_type", "r7", [",model", ",human"]),
            ("item_id,rater,score", "r7", ["", ""]),
            ("log_id,evaluator,judgment,evaluator_type", "auto-eval", [",ai", ",human"]),
        ] {
            let row = |item: &str, who: &str, answer: u8| {
                format!("{item},{who},{answer}{}\n", kind[usize::from(who != judge)])
            };
            let rows = [("a", judge, 3), ("a", "p1", 4), ("b", judge, 5), ("b", "p2", 5), ("c", judge, 1)];
            let rows: String = rows.into_iter().map(|(item, who, answer)| row(item, who, answer)).collect();
            let [names, rows, mut said] = wide(&format!("{header}\n{rows}")).unwrap();
            said.sort();
            assert_eq!(said, ["human=p1".to_owned(), "human=p2".to_owned(), format!("verdict={judge}")], "{header}");
            assert_eq!((rows.len(), names.len()), (3, 4), "{header}: {names:?}");
        }
    }

    #[test]
    fn participants_of_a_survey_are_raters() {
        let survey = "item_url,llm_rating,PROLIFIC_PID,rating\nx/1,3,5f1,4\nx/1,3,5f2,3\nx/2,1,5f1,2\nx/3,2,,\n";
        let [names, rows, said] = wide(survey).unwrap();
        assert_eq!((names.join(","), rows.len()), ("item_url,llm_rating,5f1,5f2".to_owned(), 3));
        assert_eq!(said, ["human=5f1", "human=5f2"]);
    }

    #[test]
    fn turns_and_systems_are_items_and_a_second_answer_is_kept() {
        let turns =
            "conversation_id,turn,rater,score\nc,1,gpt-4,3\nc,2,gpt-4,4\nc,1,p,3\nd,1,gpt-4,5\nd,2,gpt-4,5\nd,2,p,1\n";
        assert_eq!(wide(turns).unwrap()[1], ["c,1,3,3", "c,2,4,", "d,1,5,", "d,2,5,1"]);
        let again = "item,rater,run,score\na,gpt-4,1,3\na,gpt-4,2,4\na,p,1,3\nb,gpt-4,1,5\nb,gpt-4,2,5\n";
        let [names, rows, said] = wide(again).unwrap();
        assert_eq!(
            (names[2..].join(","), rows),
            ("gpt-4,gpt-4 (2),p".to_owned(), vec!["a,1,3,4,3".to_owned(), "b,1,5,5,".to_owned()])
        );
        assert_eq!(said, ["verdict=gpt-4", "verdict=gpt-4 (2)", "human=p"]);
    }

    #[test]
    fn reviewers_of_people_s_labels_are_raters_unless_that_is_open() {
        let row = |cells: &str, i: usize| cells.replace('#', &i.to_string()).replace('@', ["yes", "no"][i % 2]);
        let rows = |cells: &str| (0..6).map(|i| row(cells, i) + "\n").collect::<String>();
        let one = format!("id,judge,human,reviewer\n{}x,yes,no,\n", rows("q#,@,no,ann"));
        let [names, _, said] = wide(&one).unwrap();
        assert_eq!(
            (names.join(","), said),
            ("id,judge,ann,human".to_owned(), vec!["human=ann".into(), "human=human".into()])
        );
        let read = |text: &str, said: &[&str]| {
            let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
            let cells = CellTable::new(lines.next().unwrap(), lines, "CSV");
            let said: Vec<Correction> = said.iter().map(|text| text.parse().unwrap()).collect();
            let mapping = Mapping::new(&cells, &said).unwrap();
            widened(&cells, &mapping, &said).map(|found| found.map(|wide| wide.0.names.join(",")))
        };
        let two = format!("id,judge,human_1,human_2,reviewer\n{}", rows("q#,@,no,yes,ann"));
        assert!(read(&two, &[]).unwrap_err().contains("several columns hold labels (human_1, human_2)"));
        assert_eq!(read(&two, &["human=human_1"]), Ok(Some("id,judge,human_2,ann".to_owned())));
        assert_eq!(read(&one, &["annotator="]), Ok(None));
        let other = format!("id,judge,human,shift\n{}", rows("q#,@,no,ann"));
        assert_eq!(read(&other, &[]), Ok(None));
        assert_eq!(read(&other, &["annotator=shift"]), Ok(Some("id,judge,ann".to_owned())));
    }

    #[test]
    fn a_column_of_answers_is_no_rater() {
        assert_eq!(wide("id,judge,annotator,label\na,yes,yes,no\nb,no,no,yes\nc,no,no,no\n"), None);
        assert_eq!(wide("id,judge,annotator\na,yes,yes\nb,no,no\n"), None);
        assert_eq!(wide("id,judge,label\na,yes,yes\nb,no,no\n"), None);
    }
}
