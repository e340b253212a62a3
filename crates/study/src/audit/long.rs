//! Tables with a row for each answer of a rater, as annotation tools export them: `id, annotator, label`, perhaps with the
//! judge's answer beside it, or with the judge as one of the raters. They become a row for each item, with a column for each
//! rater.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::columns::{CLUSTER, Correction, HUMAN, ID, ITEM, JUDGE, Mapping, Role, has_word, is_model, words};
use super::table::{CellTable, present};

const WHO: &str = "annotator annotators rater reviewer labeler labeller worker coder";
/// Columns that name raters where their values are a judge's and people's.
const PERHAPS_WHO: &str = "source by user evaluator grader judge who";
const WHAT: &str = "label labels rating ratings score vote annotation value";
/// What an answer is called where no column has a name of [`WHAT`].
const PERHAPS_WHAT: &str = "verdict answer grade judgement judgment decision";
/// Columns that tell the answers of one item apart, as turns of a conversation do.
const PARTS: &str = "turn step round system model policy arm candidate";
/// Raters with a column each; of more, columns hold the first, second, ... answer of each item.
const MOST: usize = 50;

/// The column that names the rater of each row.
fn who(cells: &CellTable) -> Option<usize> {
    let named = |known: &str, not: &str| -> Vec<usize> {
        let is = |k: &usize| {
            let words = words(&cells.names[*k]);
            has_word(&words, known) && !has_word(&words, not)
        };
        (0..cells.names.len()).filter(is).collect()
    };
    let about = "kind type count number";
    let with_both = |k: &usize| {
        let mut known = HashSet::new();
        let (mut models, mut others) = (false, false);
        for name in cells.filled(*k).filter(|name| known.insert(*name)) {
            match is_model(name) {
                true => models = true,
                false => others = true,
            }
            if models && others {
                return true;
            }
        }
        false
    };
    let judge = format!("{JUDGE} {about}");
    let found = [named(WHO, &format!("{judge} id")), named(WHO, &judge)].concat();
    found.first().copied().or_else(|| named(PERHAPS_WHO, about).into_iter().find(with_both))
}

/// The column of the answers.
fn what(cells: &CellTable, who: usize) -> Option<usize> {
    let named = |known: &str, not: &str| {
        (0..cells.names.len()).find(|&k| {
            let words = words(&cells.names[k]);
            k != who && has_word(&words, known) && !has_word(&words, not)
        })
    };
    let others = "id kind type rater annotator";
    named(WHAT, &format!("{JUDGE} {others}")).or_else(|| named(PERHAPS_WHAT, &format!("judge llm {others}")))
}

/// Names of raters that rows have, in a table with a row for each answer; none in another.
pub fn raters(cells: &CellTable) -> BTreeSet<&str> {
    let names = who(cells).filter(|&who| what(cells, who).is_some()).map(|who| cells.filled(who).collect());
    names.unwrap_or_default()
}

/// The columns that tell items apart: the ids of items, which come again where several rate one, or failing them a text; with
/// the turn or the system, where one rater answers to several of an item.
fn key(cells: &CellTable, mapping: &Mapping, who: usize) -> Option<Vec<usize>> {
    let distinct = |columns: &[usize]| -> usize {
        let key = |row: usize| columns.iter().map(|&k| cells.cell(row, k).trim()).collect::<Vec<_>>();
        (0..cells.len()).map(key).collect::<HashSet<_>>().len()
    };
    let is_whole = |k: &usize| cells.filled(*k).count() == cells.len();
    let identifies = |k: &usize| {
        let words = words(&cells.names[*k]);
        words.last().is_some_and(|word| ID.split(' ').any(|id| id == word)) || has_word(&words, ITEM)
    };
    let of_name = |role: Role| mapping.of(role).into_iter().filter_map(|name| cells.column(name)).collect::<Vec<_>>();
    let shared = |k: &usize| has_word(&words(&cells.names[*k]), CLUSTER);
    let all = || (0..cells.names.len()).filter(|k| *k != who).filter(is_whole);
    let candidates: Vec<usize> = all()
        .filter(identifies)
        .chain(all().filter(shared))
        .chain(of_name(Role::Text).into_iter().filter(is_whole))
        .collect();
    // A number of each row identifies none of its items.
    let first = candidates.iter().find(|&&k| distinct(&[k]) < cells.len()).or(candidates.first())?;
    let mut key = vec![*first];
    let answered = |key: &[usize]| distinct(&[key, &[who]].concat());
    let is_part = |k: &usize| !key.contains(k) && has_word(&words(&cells.names[*k]), PARTS);
    let parts: Vec<usize> = of_name(Role::System).into_iter().chain(all().filter(is_part)).collect();
    for part in parts {
        let with = [&key[..], &[part]].concat();
        if !key.contains(&part) && answered(&with) > answered(&key) && distinct(&with) < cells.len() {
            key = with;
        }
    }
    Some(key)
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

/// An item: its rows' first cells that are not blank, and the answers of its raters.
struct Item {
    cells: Vec<String>,
    given: BTreeMap<String, String>,
}

/// A row for each item, and what its columns of raters are; `None` of a table that has no row for each answer.
pub fn widened(cells: &CellTable, mapping: &Mapping) -> Option<(CellTable, Vec<Correction>)> {
    let who = who(cells)?;
    let what = what(cells, who)?;
    let key = key(cells, mapping, who)?;
    let names: BTreeSet<&str> = cells.filled(who).collect();
    let answers: BTreeSet<&str> = cells.filled(what).collect();
    // Names come again and are no answers.
    if names.is_empty() || names.len() >= cells.filled(who).count() || !names.is_disjoint(&answers) {
        return None;
    }
    let kinds = kinds(cells, [who, what]);
    let is_machine = |name: &str| match &kinds {
        Some((_, kinds)) => kinds.get(name).copied().unwrap_or(false),
        None => is_model(name),
    };
    let judges = [Role::Verdict, Role::Score, Role::Probability]
        .iter()
        .any(|role| mapping.of(*role).iter().any(|name| cells.column(name).is_some_and(|k| ![who, what].contains(&k))));
    let by_name = names.len() <= MOST;
    let kept: Vec<usize> = (0..cells.names.len())
        .filter(|k| ![who, what].contains(k) && kinds.as_ref().is_none_or(|(kind, _)| kind != k))
        .collect();
    let mut place: HashMap<Vec<&str>, usize> = HashMap::new();
    let mut items: Vec<Item> = vec![];
    let key_of = |row: usize| -> Vec<&str> { key.iter().map(|&k| cells.cell(row, k).trim()).collect() };
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
    let mut seen = HashSet::new();
    for row in 0..cells.len() {
        // Another row that is there twice says nothing new.
        if !asked_again.contains(cells.cell(row, who).trim()) && !seen.insert(row_of(row)) {
            continue;
        }
        let at = *place.entry(key_of(row)).or_insert_with(|| {
            items.push(Item { cells: vec![String::new(); kept.len()], given: BTreeMap::new() });
            items.len() - 1
        });
        for (own, &k) in items[at].cells.iter_mut().zip(&kept) {
            if own.trim().is_empty() {
                cells.cell(row, k).clone_into(own);
            }
        }
        let (Some(name), Some(answer)) = (present(cells.cell(row, who)), present(cells.cell(row, what))) else {
            continue;
        };
        let given = &mut items[at].given;
        let people = given.keys().filter(|name| name.starts_with("person ")).count();
        let name =
            if by_name || !judges && is_machine(name) { name.to_owned() } else { format!("person {}", people + 1) };
        // A rater who answers again has a further column.
        let mut again = std::iter::once(name.clone()).chain((2..).map(|k| format!("{name} ({k})")));
        let name = again.find(|name| !given.contains_key(name)).unwrap_or(name);
        given.insert(name, answer.to_owned());
    }
    let raters: BTreeSet<String> = items.iter().flat_map(|item| item.given.keys().cloned()).collect();
    let rater_of =
        |column: &str| names.iter().find(|name| column == **name || column.starts_with(&format!("{name} ("))).copied();
    let by_name_or_kind = |rater: &String| rater_of(rater).is_some_and(&is_machine);
    let whole = |rater: &&String| items.iter().all(|item| item.given.contains_key(*rater));
    // Failing a name that tells it, the judge is the only rater who answered everything.
    let of_all: Vec<&String> = raters.iter().filter(whole).collect();
    let by_coverage = match of_all.as_slice() {
        [one] if !judges && raters.len() > 1 && !raters.iter().any(by_name_or_kind) => Some((*one).clone()),
        _ => None,
    };
    let is_judge = |rater: &String| !judges && (by_name_or_kind(rater) || by_coverage.as_ref() == Some(rater));
    // A rater that is called as a column is another one.
    let title = |rater: &String| if cells.column(rater).is_some() { format!("{rater} (rater)") } else { rater.clone() };
    let rows = items.iter().map(|item| {
        let given = raters.iter().map(|rater| item.given.get(rater).cloned().unwrap_or_default());
        item.cells.iter().cloned().chain(given).collect::<Vec<_>>()
    });
    let role = |rater: &String| if is_judge(rater) { Role::Verdict } else { Role::Human };
    let corrections = raters.iter().map(|rater| Correction { role: role(rater), column: Some(title(rater)) }).collect();
    let names = kept.iter().map(|&k| cells.names[k].clone()).chain(raters.iter().map(title)).collect();
    let mut table = CellTable::new(names, rows, &cells.format);
    (table.bytes, table.criterion, table.notices) = (cells.bytes, cells.criterion.clone(), cells.notices.clone());
    table.notices.extend(by_coverage.map(|rater| {
        format!(
            "{rater} is read as the judge, because of all raters in the column {:?} only this one answered every item. If it is a person, name the \
             judge: --columns verdict=NAME.",
            cells.names[who]
        )
    }));
    Some((table, corrections))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str) -> Option<[Vec<String>; 3]> {
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let cells = CellTable::new(lines.next().unwrap(), lines, "CSV");
        let mapping = Mapping::new(&cells, &[]).unwrap();
        let (table, corrections) = widened(&cells, &mapping)?;
        let said = corrections.iter().map(|one| format!("{}={}", one.role, one.column.as_ref().unwrap())).collect();
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
    fn a_column_of_answers_is_no_rater() {
        assert_eq!(wide("id,judge,annotator,label\na,yes,yes,no\nb,no,no,yes\nc,no,no,no\n"), None);
        assert_eq!(wide("id,judge,annotator\na,yes,yes\nb,no,no\n"), None);
        assert_eq!(wide("id,judge,label\na,yes,yes\nb,no,no\n"), None);
    }
}
