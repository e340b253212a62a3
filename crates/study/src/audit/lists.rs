//! Cells with the answers of several people: `pass;fail;pass`, `["pass", "fail"]`, or a list of objects with a name and a label
//! each. They become a column for each person.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::columns::{Correction, HUMAN, JUDGE, MACHINE, Mapping, OF_JUDGE, RecognisedBy, Role, has_word, words};
use super::long::{WHAT, WHO, Widened};
use super::shares;
use super::table::{CellTable, present};
use crate::input::spelling::{folded, number, polarity};

/// People that a cell can hold answers of.
const MOST: usize = 50;

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
    if people.len() > MOST || people.iter().any(|name| cells.column(name).is_some()) {
        return None;
    }
    let answer = |row: usize, person: &String| {
        let mut of_row = lists[row].iter().enumerate();
        of_row.find(|given| title(*given) == *person).map_or("", |(_, (_, answer))| answer)
    };
    let kept: Vec<usize> = (0..cells.names.len()).filter(|k| !columns.contains(k)).collect();
    let names = kept.iter().map(|&k| cells.names[k].clone()).chain(people.iter().cloned()).collect();
    let row = |row: usize| {
        let own = kept.iter().map(move |&k| cells.cell(row, k));
        own.chain(people.iter().map(move |person| answer(row, person))).collect::<Vec<_>>()
    };
    let mut table = cells.with_columns(names, (0..cells.len()).map(row));
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
        cell => cell.parse::<usize>().ok().filter(|n| *n <= MOST),
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
                Value::Array(all) if all.len() <= MOST && all.iter().all(Value::is_object) => Some(all),
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
    let kept: Vec<usize> = (0..cells.names.len()).filter(|&k| k != column).collect();
    let rows = found.iter().enumerate().flat_map(|(row, all)| all.iter().map(move |fields| (row, fields)));
    let rows = rows.map(|(row, fields)| {
        let own = kept.iter().map(move |&k| cells.cell(row, k));
        own.chain(names.iter().map(move |name| fields.get(name).map_or("", String::as_str))).collect::<Vec<_>>()
    });
    let all = kept.iter().map(|&k| cells.names[k].clone()).chain(names.iter().cloned()).collect();
    let mut table = cells.with_columns(all, rows);
    table.keep_lines(found.iter().map(Vec::len));
    Some((table, vec![]))
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
