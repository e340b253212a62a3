//! Cells with the answers of several people: `pass;fail;pass`, `["pass", "fail"]`, or a list of objects with a name and a label
//! each. They become a column for each person.

use std::collections::BTreeSet;

use serde_json::Value;

use super::columns::{Correction, HUMAN, JUDGE, MACHINE, Mapping, RecognisedBy, Role, has_word, words};
use super::long::{WHAT, WHO, Widened};
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
    let (numbers, two) = (known.iter().all(|k| number(k).is_some()), known.iter().all(|k| polarity(k).is_some()));
    let is_answer = |text: &str| {
        let text = folded(text);
        known.contains(&text) || numbers && number(&text).is_some() || two && polarity(&text).is_some()
    };
    let of_judge = |k: usize| {
        let words = words(&cells.names[k]);
        has_word(&words, &format!("{JUDGE} {MACHINE}")) && !has_word(&words, HUMAN)
    };
    let of_people = || corrections.iter().filter(|one| one.role == Role::Human);
    let is = |one: &Correction, k: usize| one.column.as_ref() == Some(&cells.names[k]);
    let lists = |k: &usize| -> Option<(usize, Vec<Vec<Given>>)> {
        let role = |role: Role| mapping.of(role).contains(&cells.names[*k].as_str());
        let is_other = of_people().count() > 0 && !of_people().any(|one| is(one, *k))
            || corrections.iter().any(|one| one.role != Role::Human && is(one, *k));
        if is_other || of_judge(*k) || [Role::Id, Role::Text, Role::Verdict, Role::Score].into_iter().any(role) {
            return None;
        }
        let of_row = |row: usize| match present(cells.cell(row, *k)) {
            Some(cell) => list(cell).filter(|all| all.iter().all(|(_, text)| text.is_empty() || is_answer(text))),
            None => Some(vec![]),
        };
        let lists: Vec<Vec<Given>> = (0..cells.len()).map(of_row).collect::<Option<_>>()?;
        lists.iter().any(|list| list.len() > 1).then_some((*k, lists))
    };
    let (column, lists) = (0..cells.names.len()).find_map(|k| lists(&k))?;
    let title = |(at, (who, _)): (usize, &Given)| match who {
        Some(name) => name.clone(),
        None => format!("{} {}", cells.names[column], at + 1),
    };
    let people: BTreeSet<String> = lists.iter().flat_map(|list| list.iter().enumerate().map(title)).collect();
    if people.len() > MOST || people.iter().any(|name| cells.column(name).is_some()) {
        return None;
    }
    let answer = |row: usize, person: &String| {
        let mut of_row = lists[row].iter().enumerate();
        of_row.find(|given| title(*given) == *person).map_or("", |(_, (_, answer))| answer)
    };
    let kept: Vec<usize> = (0..cells.names.len()).filter(|&k| k != column).collect();
    let names = kept.iter().map(|&k| cells.names[k].clone()).chain(people.iter().cloned()).collect();
    let row = |row: usize| {
        let own = kept.iter().map(move |&k| cells.cell(row, k));
        own.chain(people.iter().map(move |person| answer(row, person))).collect::<Vec<_>>()
    };
    let mut table = cells.with_columns(names, (0..cells.len()).map(row));
    let n = people.len();
    let notice = format!(
        "The column {:?} holds several labels in a cell, which are read as those of {n} people.",
        cells.names[column]
    );
    table.notices.push(notice);
    let by = if of_people().count() > 0 { RecognisedBy::Given } else { RecognisedBy::Cells };
    let raters = people.into_iter().map(|name| Correction { role: Role::Human, column: Some(name), by }).collect();
    Some(Widened { cells: table, raters })
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
                let (_, answer) = of(WHAT).or_else(|| of("answer verdict choice"))?;
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
