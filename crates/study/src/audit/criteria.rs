//! Tables with several criteria, side by side or below each other: each is a question of its own, with labels, a scale and a
//! rubric of its own, and so a table of its own.
//!
//! | layout | columns |
//! |---|---|
//! | judges side by side | `gpt4_verdict`, `claude_verdict` |
//! | side by side | `judge_tone`, `judge_faithfulness`; people's have the same words: `tone_anna`, `human_faithfulness` |
//! | below each other | `criterion` (or `metric`, `dimension`, `aspect`), perhaps `rubric`; `judge_model` with several judges |

use std::collections::BTreeSet;

use super::columns::{
    Correction, HUMAN, JUDGE, MACHINE, MACHINE_TOO, Mapping, Role, family, has_word, is_model, words,
};
use super::repeats;
use super::table::CellTable;
use crate::input::question::Criterion;
use crate::input::spelling::{folded, number, polarity};

/// Criteria that judges are often asked for, which distinguish columns of judges alone from repeated answers.
pub(super) const USUAL: &str = "accuracy adherence clarity coherence completeness conciseness correctness creativity empathy engagement \
                     factuality faithfulness fluency formality grammar groundedness harmfulness harmlessness helpfulness \
                     honesty informativeness instruction politeness quality readability relevance relevancy safety style \
                     tone toxicity truthfulness usefulness verbosity";
const NAMED: &str = "criterion criteria metric dimension aspect skill kriterium critère criterio";
/// Words that say what an answer is, and not what it is about.
const ANSWER: &str =
    "score scores rating ratings grade label labels answer verdict verdicts decision result output p prob";
/// Criteria that a column can have.
pub(super) const MOST: usize = 20;

/// A word of a name that may tell a criterion: not who answered, and not what an answer is.
fn tells(word: &str) -> bool {
    let known = [JUDGE, MACHINE, MACHINE_TOO, HUMAN, ANSWER].join(" ");
    !known.split(' ').any(|known| known == word) && !is_model(word) && number(word).is_none()
}

/// Tables of one criterion each, of a table that has several; none of another.
pub fn split(cells: &CellTable, mapping: &Mapping, corrections: &[Correction]) -> Vec<CellTable> {
    let below = below_each_other(cells, mapping, corrections);
    if below.is_empty() { side_by_side(cells, mapping) } else { below }
}

fn below_each_other(cells: &CellTable, mapping: &Mapping, corrections: &[Correction]) -> Vec<CellTable> {
    let corrected: Vec<&Correction> = corrections.iter().filter(|one| one.role == Role::Criterion).collect();
    // Answers about one metric name no criteria.
    let is_answer = |cell: &str| number(cell).is_some() || polarity(&folded(cell)).is_some();
    let column = match corrected.as_slice() {
        [] => (0..cells.names.len())
            .find(|&k| has_word(&words(&cells.names[k]), NAMED) && !cells.distinct(k).all(is_answer))
            .or_else(|| repeats::judges(cells, mapping)),
        corrections => corrections.iter().find_map(|one| cells.column(one.column.as_deref()?)),
    };
    let Some(column) = column.filter(|&column| cells.is_whole(column)) else { return vec![] };
    let names: BTreeSet<&str> = cells.distinct(column).collect();
    // A name of every row is no criterion.
    if !(2..=MOST).contains(&names.len()) || 2 * names.len() > cells.len() {
        return vec![];
    }
    let rubric = (0..cells.names.len()).find(|&k| has_word(&words(&cells.names[k]), "rubric rubrics"));
    let of = |name: &str| {
        let rows: Vec<usize> = (0..cells.len()).filter(|&row| cells.cell(row, column).trim() == name).collect();
        let texts: BTreeSet<&str> =
            rubric.iter().flat_map(|&k| rows.iter().map(move |&row| cells.cell(row, k).trim())).collect();
        let one = texts.first().filter(|text| texts.len() == 1 && !text.is_empty()).map(|&text| text.to_owned());
        let kept: Vec<usize> =
            (0..cells.names.len()).filter(|&k| k != column && !(one.is_some() && Some(k) == rubric)).collect();
        cells.some(&kept, rows.into_iter(), Criterion { name: name.to_owned(), rubric: one })
    };
    names.into_iter().map(of).collect()
}

fn side_by_side(cells: &CellTable, mapping: &Mapping) -> Vec<CellTable> {
    let key = |name: &str| -> Vec<String> { words(name).into_iter().filter(|word| tells(word)).collect() };
    let judge: Vec<&str> = mapping.of(Role::Verdict).into_iter().chain(mapping.of(Role::Score)).collect();
    let models: BTreeSet<&str> = judge.iter().filter_map(|name| family(name)).collect();
    if judge.len() > 1 && models.len() == judge.len() {
        let of = |model: &str| {
            let is_own = |&k: &usize| family(&cells.names[k]).is_none_or(|other| other == model);
            let kept: Vec<usize> = (0..cells.names.len()).filter(is_own).collect();
            cells.some(&kept, 0..cells.len(), Criterion { name: model.to_owned(), rubric: None })
        };
        return models.into_iter().map(of).collect();
    }
    let keys: Vec<Vec<String>> = judge.iter().map(|name| key(name)).collect();
    let distinct: BTreeSet<&Vec<String>> = keys.iter().collect();
    if keys.len() < 2 || distinct.len() < keys.len() || keys.iter().any(Vec::is_empty) {
        return vec![];
    }
    // The criterion that a column is about: of several that its name tells, the one in most words.
    let about = |name: &str| -> Option<usize> {
        let own = words(name);
        let tells = |k: &usize| keys[*k].iter().all(|word| own.contains(word));
        (0..keys.len()).filter(tells).max_by_key(|k| keys[*k].len())
    };
    let of_people: BTreeSet<usize> = mapping.of(Role::Human).into_iter().filter_map(about).collect();
    let is_usual = |key: &Vec<String>| has_word(key, USUAL);
    if of_people.len() < 2 && !keys.iter().all(is_usual) {
        return vec![];
    }
    let of = |k: usize| {
        let kept = (0..cells.names.len()).filter(|&column| about(&cells.names[column]).is_none_or(|other| other == k));
        let criterion = Criterion { name: keys[k].join(" "), rubric: None };
        cells.some(&kept.collect::<Vec<_>>(), 0..cells.len(), criterion)
    };
    (0..keys.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criteria(text: &str) -> Vec<(String, String)> {
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let cells = CellTable::new(lines.next().unwrap(), lines, "CSV");
        let mapping = Mapping::new(&cells, &[]).unwrap();
        let name = |table: &CellTable| table.criterion.as_ref().unwrap().name.clone();
        split(&cells, &mapping, &[]).iter().map(|table| (name(table), table.names.join(","))).collect()
    }

    #[test]
    fn criteria_are_told_from_repeated_answers() {
        let rows = "1,yes,no,yes,\n2,no,yes,,no\n3,no,no,no,yes\n";
        let found = criteria(&format!("id,judge_tone,judge_faithfulness,human_tone,faithfulness_anna\n{rows}"));
        let of = |name: &str, columns: &str| (name.to_owned(), columns.to_owned());
        assert_eq!(
            found,
            [of("tone", "id,judge_tone,human_tone"), of("faithfulness", "id,judge_faithfulness,faithfulness_anna")]
        );
        for header in
            ["judge_gpt_1,judge_gpt_2,human_1,human_2", "judge_1,judge_2,anna,ben", "judge,llm,tone_anna,tone_ben"]
        {
            assert_eq!(criteria(&format!("id,{header}\n{rows}")), [], "{header}");
        }
        let judges = criteria(&format!("id,judge_gpt,judge_claude,human_1,human_2\n{rows}"));
        let columns = ["claude", "gpt"].map(|name| of(name, &format!("id,judge_{name},human_1,human_2")));
        assert_eq!(judges, columns);
        let found = criteria("id,judge_tone,judge_relevance\n1,2,3\n2,4,4\n3,1,5\n");
        assert_eq!(found.len(), 2);
        // Criteria are not called after the model that judged by them.
        let found = criteria("tone,style,gpt4_tone,gpt4_style\n2,3,2,4\n4,4,4,5\n1,5,2,3\n");
        assert_eq!(found, [of("tone", "tone,gpt4_tone"), of("style", "style,gpt4_style")]);
    }

    #[test]
    fn a_column_of_criteria_divides_the_rows() {
        let long = "id,metric,judge,human\n1,tone,yes,no\n1,style,4,\n2,tone,no,\n2,style,3,5\n";
        assert_eq!(criteria(long).len(), 2);
        assert_eq!(criteria("id,metric,judge\n1,tone,yes\n2,style,no\n3,length,no\n"), []);
        // What a metric says of each row is no criterion.
        assert_eq!(criteria("id,metric_correctness,judge\n1,1,yes\n2,0,no\n3,1,no\n4,0,no\n"), []);
    }
}
