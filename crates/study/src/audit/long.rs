//! Tables with a row for each answer of a rater, as annotation tools export them: `id, annotator, label`, perhaps with the
//! judge's answer beside it, or with the judge as one of the raters. They become a row for each item, with a column for each
//! rater.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::columns::{Correction, JUDGE, Mapping, Role, has_word, words};
use super::table::{CellTable, present};

const WHO: &str = "annotator annotators rater reviewer labeler labeller worker coder";
const WHAT: &str = "label labels rating ratings score vote annotation value";
/// Raters that are models by their names.
const MODELS: &str = "judge llm gpt claude gemini llama mistral mixtral qwen deepseek command autorater";
/// Raters with a column each; of more, columns hold the first, second, ... answer of each item.
const MOST: usize = 50;

/// A row for each item, and what its columns of raters are; `None` of a table that has no row for each answer.
pub fn widened(cells: &CellTable, mapping: &Mapping) -> Option<(CellTable, Vec<Correction>)> {
    let find = |known: &str, not: Option<usize>| {
        let is = |k: &usize| {
            let words = words(&cells.names[*k]);
            Some(*k) != not && has_word(&words, known) && !has_word(&words, JUDGE) && !has_word(&words, "id kind type")
        };
        (0..cells.names.len()).find(is)
    };
    let id = cells.column(mapping.one(Role::Id)?)?;
    let who = find(WHO, None)?;
    let what = find(WHAT, Some(who))?;
    let names: BTreeSet<&str> = cells.filled(who).map(str::trim).collect();
    let answers: BTreeSet<&str> = cells.filled(what).map(str::trim).collect();
    // Names come again and are no answers.
    if names.is_empty() || names.len() >= cells.filled(who).count() || !names.is_disjoint(&answers) {
        return None;
    }
    let is_model = |name: &str| has_word(&words(name), MODELS);
    let judges = [Role::Verdict, Role::Score, Role::Probability]
        .iter()
        .any(|role| mapping.of(*role).iter().any(|name| cells.column(name) != Some(what)));
    let by_name = names.len() <= MOST;
    let mut place: HashMap<&str, usize> = HashMap::new();
    let mut rows: Vec<(usize, BTreeMap<String, String>)> = vec![];
    for row in 0..cells.len() {
        let cell = |column| cells.cell(row, column);
        let at = *place.entry(cell(id).trim()).or_insert_with(|| {
            rows.push((row, BTreeMap::new()));
            rows.len() - 1
        });
        let (Some(name), Some(answer)) = (present(cell(who)), present(cell(what))) else { continue };
        let given = &mut rows[at].1;
        let name =
            if by_name || !judges && is_model(name) { name.to_owned() } else { format!("person {}", given.len() + 1) };
        given.insert(name, answer.to_owned());
    }
    let raters: BTreeSet<String> = rows.iter().flat_map(|(_, given)| given.keys().cloned()).collect();
    let kept: Vec<usize> = (0..cells.names.len()).filter(|&k| k != who && k != what).collect();
    // A rater that is called as a column is another one.
    let title = |rater: &String| if cells.column(rater).is_some() { format!("{rater} (rater)") } else { rater.clone() };
    let of = |(row, given): &(usize, BTreeMap<String, String>)| -> Vec<String> {
        let own = kept.iter().map(|&k| cells.cell(*row, k).to_owned());
        own.chain(raters.iter().map(|rater| given.get(rater).cloned().unwrap_or_default())).collect()
    };
    let role = |rater: &String| if !judges && is_model(rater) { Role::Verdict } else { Role::Human };
    let corrections = raters.iter().map(|rater| Correction { role: role(rater), column: Some(title(rater)) }).collect();
    let names = kept.iter().map(|&k| cells.names[k].clone()).chain(raters.iter().map(title)).collect();
    let mut table = CellTable::new(names, rows.iter().map(of), &cells.format);
    (table.bytes, table.criterion) = (cells.bytes, cells.criterion.clone());
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
    fn a_column_of_answers_is_no_rater() {
        assert_eq!(wide("id,judge,annotator,label\na,yes,yes,no\nb,no,no,yes\nc,no,no,no\n"), None);
        assert_eq!(wide("id,judge,annotator\na,yes,yes\nb,no,no\n"), None);
        assert_eq!(wide("id,judge,label\na,yes,yes\nb,no,no\n"), None);
    }
}
