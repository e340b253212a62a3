//! Tables with several rows for an item, in which the judge's answers differ and people's do not: one judge that was asked
//! several times (`run`, `seed`), or several judges (`judge_model`).

use std::collections::{BTreeSet, HashMap, HashSet};

use super::columns::{Correction, JUDGE, Mapping, OF_JUDGE, RecognisedBy, Role, has_word, is_model, words};
use super::long::Widened;
use super::table::{CellTable, present};
use judge_uncertainty_system::shell_word;

/// Columns that number the answers of a judge that was asked several times.
const TIMES: &str = "run repeat repeats repetition rerun trial attempt sample seed epoch replicate iteration";
/// Most rows of an item.
const MOST: usize = 50;

/// The column with the names of judges that each answered to the items.
pub(super) fn judges(cells: &CellTable, mapping: &Mapping) -> Option<usize> {
    let are_judges = |k: usize| {
        let models = cells.distinct(k).filter(|name| is_model(name)).count();
        models == cells.distinct(k).len() || models == 0 && has_word(&words(&cells.names[k]), JUDGE)
    };
    let [_, judge] = apart(cells, mapping, are_judges)?;
    Some(judge)
}

/// A table with a row for each item and a column for each time that the judge was asked; `None` of another table, and where the
/// user names a column of criteria.
pub(super) fn widened(cells: &CellTable, mapping: &Mapping, corrections: &[Correction]) -> Option<Widened> {
    if corrections.iter().any(|one| one.role == Role::Criterion && one.column.is_some()) {
        return None;
    }
    let role = [Role::Verdict, Role::Score].into_iter().find(|role| !mapping.of(*role).is_empty())?;
    let [what] = cells.of_role(mapping, role)[..] else { return None };
    let [id, time] = apart(cells, mapping, |k| has_word(&words(&cells.names[k]), TIMES))?;
    let varies = |&k: &usize| differ(cells, id, &[k]) && k != what && k != time;
    let dropped: Vec<usize> = (0..cells.names.len()).filter(varies).collect();
    let kept: Vec<usize> =
        (0..cells.names.len()).filter(|k| ![what, time].contains(k) && !dropped.contains(k)).collect();
    let times: HashMap<&str, usize> = cells.distinct(time).enumerate().map(|(at, name)| (name, at)).collect();
    let mut place = HashMap::new();
    let mut items: Vec<(usize, Vec<&str>)> = vec![];
    for row in 0..cells.len() {
        let at = *place.entry(cells.cell(row, id).trim()).or_insert_with(|| {
            items.push((row, vec![""; kept.len() + times.len()]));
            items.len() - 1
        });
        let of_item = &mut items[at].1;
        for (own, &k) in of_item.iter_mut().zip(&kept).filter(|(own, _)| own.trim().is_empty()) {
            *own = cells.cell(row, k);
        }
        of_item[kept.len() + times[cells.cell(row, time).trim()]] = cells.cell(row, what);
    }
    let of_times: Vec<String> = (1..=times.len()).map(|at| format!("{} {at}", cells.names[what])).collect();
    let names = kept.iter().map(|&k| cells.names[k].clone()).chain(of_times.iter().cloned());
    let all: Vec<usize> = (0..cells.names.len()).collect();
    let mut table = cells.replaced(&all, names, items.into_iter());
    let list = |of: &[usize]| of.iter().map(|&k| cells.names[k].as_str()).collect::<Vec<_>>().join(", ");
    table.notices.push(format!(
        "The rows of each {:?} are read as repeated answers of the judge to one item; if they are about different answers: \
         --columns {}.",
        cells.names[id],
        shell_word(&format!("system={}", cells.names[time]))
    ));
    if !dropped.is_empty() {
        table.notices.push(format!("Not used: {}, as it differs among the rows of an item.", list(&dropped)));
    }
    let column = |name| Correction { role, column: Some(name), by: RecognisedBy::Rows };
    Some((table, of_times.into_iter().map(column).collect()))
}

/// The column of the ids of items, and one that tells the rows of an item apart, if these have different answers of the judge and
/// else describe one item: answers of people, its text, group and system. `is` says what the column is called or holds.
fn apart(cells: &CellTable, mapping: &Mapping, is: impl Fn(usize) -> bool) -> Option<[usize; 2]> {
    let columns = |roles: &[Role]| roles.iter().flat_map(|role| cells.of_role(mapping, *role)).collect::<Vec<_>>();
    let id = columns(&[Role::Id]).into_iter().find(|&id| cells.is_whole(id))?;
    let used: BTreeSet<usize> = mapping.names().into_iter().filter_map(|name| cells.column(name)).collect();
    let tells = |&k: &usize| {
        let values = cells.distinct(k).len();
        let rows = || (0..cells.len()).map(|row| cells.cells_of(&[id, k], row)).collect::<HashSet<_>>().len();
        !used.contains(&k)
            && (2..=MOST).contains(&values)
            && is(k)
            && cells.is_whole(k)
            && 3 * cells.distinct(id).len() < 2 * cells.len()
            && rows() == cells.len()
    };
    let part = (0..cells.names.len()).find(tells)?;
    let of_item = columns(&[Role::Human, Role::Text, Role::Group, Role::System, Role::Cluster]);
    (differ(cells, id, &columns(&OF_JUDGE)) && !differ(cells, id, &of_item)).then_some([id, part])
}

/// Whether the rows of an item have different cells in one of these columns, apart from blank ones.
fn differ(cells: &CellTable, id: usize, columns: &[usize]) -> bool {
    columns.iter().any(|&k| {
        let mut first = HashMap::new();
        (0..cells.len()).any(|row| {
            let cell = present(cells.cell(row, k));
            cell.is_some_and(|cell| *first.entry(cells.cell(row, id).trim()).or_insert(cell) != cell)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(header: &str, row: impl Fn(usize, usize) -> String) -> (CellTable, Mapping) {
        let rows = (0..30).flat_map(|item| (0..3).map(move |time| (item, time)));
        let rows: Vec<Vec<String>> =
            rows.map(|(item, time)| row(item, time).split(',').map(str::to_owned).collect()).collect();
        let cells = CellTable::new(header.split(',').map(str::to_owned).collect(), rows, "CSV");
        let mapping = Mapping::new(&cells, &[]).unwrap();
        (cells, mapping)
    }

    fn verdict(item: usize, time: usize) -> &'static str {
        ["pass", "fail"][(item * 7 + time * item) % 5 / 3]
    }

    #[test]
    fn runs_of_one_judge_are_columns_of_one_row() {
        let human = |item: usize, time: usize| if time == 1 { verdict(item, 1) } else { "" };
        let row = |item, time| format!("q{item},{time},{},{}", verdict(item, time), human(item, time));
        let (cells, mapping) = table("id,run,verdict,human", row);
        let (wide, of) = widened(&cells, &mapping, &[]).unwrap();
        assert_eq!(wide.names, ["id", "human", "verdict 1", "verdict 2", "verdict 3"]);
        assert_eq!((wide.len(), of.len()), (30, 3));
        let expected = [verdict(4, 1), verdict(4, 0), verdict(4, 1), verdict(4, 2)];
        assert_eq!(wide.row(4).skip(1).collect::<Vec<_>>(), expected);
        // Labels that differ among the runs are of different answers.
        let row = |item, time| format!("q{item},{time},{},{}", verdict(item, time), verdict(item, time + 1));
        let (cells, mapping) = table("id,run,verdict,human", row);
        assert_eq!(widened(&cells, &mapping, &[]), None);
    }

    #[test]
    fn judges_are_told_from_people_who_give_the_labels() {
        let judge =
            |item: usize, time: usize| format!("q{item},judge{time},{},{}", verdict(item, time), verdict(item, 0));
        let (cells, mapping) = table("id,judge_name,verdict,human", judge);
        assert_eq!(judges(&cells, &mapping), Some(1));
        let person = |item: usize, time: usize| format!("q{item},p{time},{},{}", verdict(item, 0), verdict(item, time));
        let (cells, mapping) = table("id,grader,verdict,human", person);
        assert_eq!(judges(&cells, &mapping), None);
    }
}
