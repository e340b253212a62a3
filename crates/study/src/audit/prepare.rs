//! A table as a study that waits to be written, and what is to be said of how it was read.

use std::path::Path;

use super::columns::{self, Correction, Mapping, ReadColumn, RecognisedBy, Role, has_word};
use super::folder::{self, MadeStudy};
use super::rows::AuditRows;
use super::table::CellTable;
use super::{Audited, Labelled};
use crate::input::config::StudyConfig;
use crate::input::spelling::number;
use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_system::shell_word;

pub(super) fn unreadable(path: &Path, reason: String) -> Error {
    Error::unfit(Place::file(path), reason, "correct the columns with --columns ROLE=COLUMN, or the file")
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// What the study of a table is called.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "audit".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// What gives columns a role, as it is written behind a command.
fn options(role: Role, names: &[&str]) -> String {
    names.iter().map(|name| format!(" --columns {}", shell_word(&format!("{role}={name}")))).collect()
}

/// Labels of which one agrees with the judge at least, unless people enter corrections alone.
const LEAST_CORRECTED: usize = 10;
/// Unused columns that a notice names.
const MOST_NAMED: usize = 30;

/// What is to be said of columns that are not used.
pub(crate) fn not_used(names: &[String], is_used: impl Fn(&str) -> bool) -> Option<String> {
    let unused: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !name.trim().is_empty() && !is_used(name)).collect();
    let more = unused.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!unused.is_empty()).then(|| format!("Not used: {}{more}.", unused[..unused.len().min(MOST_NAMED)].join(", ")))
}

/// A study of the table in the file `name`, whose columns are recognised and corrected; `given` says how its labelled rows were
/// chosen. Of one whose scale is `known`, rows that can't be used are set aside.
///
/// # Errors
/// No answers of a judge; answers that can't be read; a column that is not there.
pub fn of_table(
    cells: &CellTable,
    name: &Path,
    corrections: &[Correction],
    (given, known): (&Labelled, Option<&StudyConfig>),
) -> Result<MadeStudy, Error> {
    let refused = |reason: String| unreadable(name, reason);
    let columns = Mapping::new(cells, corrections).map_err(refused)?;
    let chances = match given {
        Labelled::Column(column) => Some(column.as_str()),
        Labelled::Random | Labelled::Unknown => None,
    };
    let rows = AuditRows::new(cells, &columns, (chances, known)).map_err(refused)?;
    let table = columns.read_columns(cells, corrections);
    let used = columns.names();
    let first = [perhaps_people(cells, &columns, corrections), guessed_people(cells, &table), guessed_judge(&table)];
    let last = [
        if *given == Labelled::Unknown { chance(cells) } else { None },
        several_verdicts(&columns),
        only_corrections(&rows),
        not_used(&cells.names, |name| used.contains(name) || chances == Some(name)),
    ];
    let of_reading = [&cells.notices[..], &rows.notices].concat();
    let audited = Audited {
        audit: file_name(name),
        format: cells.format.clone(),
        rows: rows.len(),
        table,
        chosen: given.unless_all(rows.labelled().len() == rows.len()),
        notices: first.into_iter().flatten().chain(of_reading).chain(last.into_iter().flatten()).collect(),
        columns,
        ..Audited::default()
    };
    Ok(folder::of_table(&stem(name), cells, audited, rows))
}

/// Columns that may be people's though none, or another one, was read as theirs.
fn perhaps_people(cells: &CellTable, mapping: &Mapping, corrections: &[Correction]) -> Option<String> {
    let perhaps = mapping.perhaps_people(cells);
    if perhaps.is_empty() || corrections.iter().any(|one| one.role == Role::Human) {
        return None;
    }
    let unlike = |name| format!("{name} was read as people's answers, though it has other words than the judge's.");
    let which = mapping.one(Role::Human).map_or("No column was read as people's answers.".to_owned(), unlike);
    let (names, options) = (perhaps.join(", "), options(Role::Human, &perhaps));
    Some(format!("{which} If people gave those in {names}:{options}"))
}

/// People's columns that were recognised by their answers and may be something else.
fn guessed_people(cells: &CellTable, table: &[ReadColumn]) -> Option<String> {
    let is_number =
        |name: &str| cells.column(name).is_some_and(|k| cells.distinct(k).all(|cell| number(cell).is_some()));
    let names = guessed(table, &[Role::Human], |column| column.filled == cells.len() || is_number(&column.column))?;
    Some(format!("Read as people's answers, as they are like the judge's: {names} (else --columns human=)."))
}

/// The judge's columns that were recognised by their answers.
fn guessed_judge(table: &[ReadColumn]) -> Option<String> {
    let names = guessed(table, &[Role::Verdict, Role::Score], |column| column.column != columns::LIKELIEST)?;
    Some(format!("Read as the judge's answers, as they are like people's: {names} (else --columns verdict=)."))
}

/// The names of columns with some of these roles that were recognised by their values, as far as they are as asked.
fn guessed(table: &[ReadColumn], roles: &[Role], is: impl Fn(&ReadColumn) -> bool) -> Option<String> {
    let of_roles = |one: &&ReadColumn| roles.iter().any(|role| one.role.as_deref() == Some(role.name()));
    let found = table.iter().filter(of_roles).filter(|one| one.by == Some(RecognisedBy::Values) && is(one));
    let names: Vec<&str> = found.map(|one| one.column.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// A column that may have the probabilities with which rows were given to people.
fn chance(cells: &CellTable) -> Option<String> {
    let is_chance = |name: &&String| {
        let words = columns::words(name);
        has_word(&words, columns::CHANCE) && has_word(&words, columns::PROBABILITY)
    };
    let name = cells.names.iter().find(is_chance)?;
    let word = shell_word(name);
    Some(format!("If {name} is the probability that a row was given to people: --labelled {word}."))
}

/// Several columns that were read as one judge's.
fn several_verdicts(mapping: &Mapping) -> Option<String> {
    let judges = mapping.of(Role::Verdict);
    let [first, .., last] = judges[..] else { return None };
    // One judge's columns are told apart by numbers, which are not those of versions.
    let unnumbered = |name: &str| name.trim_end_matches(|c: char| !c.is_alphabetic()).to_owned();
    let are_several = unnumbered(first) != unnumbered(last) || unnumbered(first).ends_with('v');
    are_several.then(|| {
        let (all, one) = (judges.join(", "), options(Role::Verdict, &[first]));
        format!("{all} are read as repeated answers of one judge; for one alone:{one}.")
    })
}

/// People who perhaps entered their answer only where the judge was wrong.
fn only_corrections(rows: &AuditRows) -> Option<String> {
    let labelled = rows.labelled();
    let differs = |&row: &usize| rows.humans[row].iter().all(|(_, label)| !rows.repeats[row].contains(label));
    let is_told =
        labelled.len() >= LEAST_CORRECTED && rows.answers.scale.nominal().is_some() && labelled.iter().all(differs);
    is_told.then(|| {
        format!(
            "People never answer as the judge, in {} labelled rows: if they only corrected it, add their answers to the other \
             rows that they saw, or agreement and rates are wrong.",
            labelled.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::read as read_files;
    use judge_uncertainty_system::Staged;

    /// 40 rows as an office exports them; people answered every other one, in the column `name`.
    fn table(name: &str) -> String {
        let mut text = format!("id;topic;judge_verdict;judge_confidence;words;comment;{name}\n");
        for i in 0..40 {
            let (judge, human) = (["pass", "fail"][i % 2], if i % 4 < 2 { ["Pass ", "FAIL"][i / 2 % 2] } else { "" });
            text += &format!("q{i};{};{judge};0,{};1.{:03},5;x;{human}\n", ["a", "b"][i % 2], 50 + i, i);
        }
        text
    }

    /// A study of a table, whose rows are items.
    fn made(text: &str, corrections: &[&str]) -> Result<(Audited, Staged), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let cells = CellTable::read(&path, None).unwrap();
        let corrections: Vec<Correction> = corrections.iter().map(|text| text.parse().unwrap()).collect();
        let study = of_table(&cells, &path, &corrections, (&Labelled::Random, None));
        study.map(|study| study.staged(&[])).map_err(|error| error.to_string())
    }

    fn read(text: &str, corrections: &[&str]) -> Result<Audited, String> {
        made(text, corrections).map(|(audited, _)| audited)
    }

    /// The studies of whatever a file holds.
    fn read_whole(text: &str) -> Vec<(Audited, Staged)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let studies = read_files(std::slice::from_ref(&path), &[], (&Labelled::Random, None)).unwrap();
        studies.into_iter().map(|study| study.staged(&[])).collect()
    }

    /// The judge's probabilities of either class say the same, beside its verdict or alone.
    #[test]
    fn a_probability_is_that_of_the_class_that_its_column_names() {
        let table = |verdict: bool, columns: &[&str]| {
            let mut text = format!("id,{}{},human\n", if verdict { "judge," } else { "" }, columns.join(","));
            for i in 0..40 {
                let pass = 0.05 + 0.9 * f64::from(i * 7 % 40) / 40.0;
                let of = |name: &&str| format!("{:.3}", if name.ends_with("fail") { 1.0 - pass } else { pass });
                let cells: Vec<String> = columns.iter().map(of).collect();
                let judge = if verdict { ["fail,", "pass,"][usize::from(pass > 0.5)] } else { "" };
                text += &format!("q{i},{judge}{},{}\n", cells.join(","), ["fail", "pass"][usize::from(i % 3 > 0)]);
            }
            text
        };
        let judge = |text: String| {
            let (_, files) = made(&text, &[]).unwrap();
            let numbers = |line: &str| line.split(',').skip(2).map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>();
            files.text("judge.csv").unwrap().lines().skip(1).map(numbers).collect::<Vec<_>>()
        };
        for verdict in [true, false] {
            let pass = judge(table(verdict, &["p_pass"]));
            assert!(pass.iter().all(|row| row.len() == 2));
            for columns in [&["p_fail"][..], &["p_fail", "p_pass"], &["p_pass", "p_fail"]] {
                let found = judge(table(verdict, columns));
                let apart =
                    |(one, other): (&Vec<f64>, &Vec<f64>)| (one[1] - other[1]).abs() + (one[0] - other[0]).abs();
                assert!(
                    pass.iter().zip(&found).all(|rows| apart(rows) < 3e-3),
                    "{columns:?} with a verdict: {verdict}"
                );
            }
        }
    }

    #[test]
    fn what_spreadsheets_add_changes_nothing() {
        let plain = read(&table("human"), &[]).unwrap();
        let of = |audited: &Audited, role| audited.columns.of(role).join(",");
        let roles = [Role::Id, Role::Group, Role::Verdict, Role::Confidence, Role::Number, Role::Human];
        let found = roles.map(|role| of(&plain, role));
        assert_eq!(found, ["id", "topic", "judge_verdict", "judge_confidence", "words", "human"]);
        assert!(plain.notices.contains(&"Not used: comment.".to_owned()), "{:?}", plain.notices);
        let blank = read(&(table("human") + ";;;;;;\n;;;;;;\n"), &[]).unwrap();
        assert_eq!((&blank.columns, blank.rows), (&plain.columns, plain.rows));
        let twice = table("human") + table("human").lines().nth(3).unwrap() + "\n";
        let twice = read(&twice, &[]).unwrap();
        assert_eq!((twice.rows, of(&twice, Role::Id)), (40, "id".to_owned()));
        assert!(twice.notices.iter().any(|text| text.contains("cell by cell (1)")), "{:?}", twice.notices);
    }

    /// Where no column is called after people and every row has their answers, a flag of the items looks like a label.
    #[test]
    fn whole_columns_like_the_judge_s_are_asked_about_and_read_beside_its_criterion() {
        let whole = |human: &str| {
            let mut text = format!("id,llm_verdict,{human}\n");
            for i in 0..40 {
                text += &format!("q{i},{},{}\n", ["pass", "fail"][i % 2], ["PASS", "fail"][i / 2 % 2]);
            }
            text
        };
        for (name, correction, asked, people) in [
            ("anna", "group=", true, 0),
            ("anna", "human=", false, 0),
            ("anna", "human=anna", false, 1),
            ("prev_status", "group=", false, 0),
            ("gpt-4o", "group=", false, 0),
        ] {
            let found = read(&whole(name), &[correction]).unwrap();
            let is_asked = found.notices.iter().any(|text| text.contains("human=anna"));
            assert_eq!((is_asked, found.columns.of(Role::Human).len()), (asked, people), "{name} {correction}");
        }
        // A flag in other words, and numbers, which measure much else.
        for text in [
            whole("has_citation")
                .replace("PASS", "yes")
                .replace(",fail,fail", ",fail,no")
                .replace(",pass,fail", ",pass,no"),
            whole("priority").replace("pass", "1").replace("PASS", "1").replace("fail", "2"),
        ] {
            let found = read(&text, &[]).unwrap();
            assert!(found.columns.of(Role::Human).is_empty() && !found.notices.iter().any(|n| n.contains("people")));
        }
        let mut criteria = "id,tone_judge,tone_anna,relevance_judge,relevance_anna,priority\n".to_owned();
        for i in 0..40 {
            let [a, b, c] = [1 + i % 5, 1 + i / 2 % 5, 1 + i / 3 % 5];
            criteria += &format!("q{i},{a},{b},{b},{c},{c}\n");
        }
        let people = read_whole(&criteria).into_iter().map(|(audited, _)| audited.columns.of(Role::Human).join(","));
        assert_eq!(people.collect::<Vec<_>>(), ["tone_anna", "relevance_anna"]);
    }

    /// Readings that may be others are said, with what takes the other one.
    #[test]
    fn answers_that_are_perhaps_no_answers_are_told() {
        let rows = |row: &dyn Fn(usize) -> String| (0..40).map(|i| row(i) + "\n").collect::<String>();
        let flag = |i: usize| format!("q{i},{},{},{}", i % 2, ["True", "False"][i / 2 % 2], i / 3 % 2);
        let found = read(&format!("id,gpt4_toxicity,human_annotation,toxicity\n{}", rows(&flag)), &[]).unwrap();
        assert_eq!(found.columns.of(Role::Human), ["human_annotation"]);
        assert!(found.notices[0].ends_with("in toxicity: --columns 'human=toxicity'"), "{:?}", found.notices);
        let corrected = |i: usize| format!("q{i},{},{}", ["yes", "no"][i % 2], ["no", "yes", "", ""][i % 4]);
        let found = read(&format!("id,judge,human_override\n{}", rows(&corrected)), &[]).unwrap();
        assert!(found.notices.iter().any(|text| text.contains("in 20 labelled rows")), "{:?}", found.notices);
        let agreed = |i: usize| corrected(i).replace(",no,yes", ",no,no");
        let found = read(&format!("id,judge,human_override\n{}", rows(&agreed)), &[]).unwrap();
        assert!(found.notices.is_empty(), "{:?}", found.notices);
    }

    #[test]
    fn a_column_of_items_is_their_id_though_rows_come_twice() {
        let mut text = table("human").replacen("id;", "Ticket;", 1);
        text += &text.lines().skip(3).take(2).map(|row| format!("{row}\n")).collect::<String>();
        let found = read(&text, &[]).unwrap();
        assert_eq!((found.rows, found.columns.of(Role::Id)), (40, vec!["Ticket"]));
    }

    #[test]
    fn a_role_that_a_column_can_not_have_is_refused_with_its_first_bad_cell() {
        let error = read(&table("human").replacen("0,53", "high", 1), &["confidence=judge_confidence"]).unwrap_err();
        assert!(
            error.contains("row 4: judge_confidence is \"high\", which is not a number, and it is the confidence"),
            "{error}"
        );
    }

    /// Columns as several tools and languages name them, with cells that are no answers.
    #[test]
    fn names_and_cells_of_other_tools_and_languages_are_read() {
        let table = |header: &str, row: &dyn Fn(usize, &str) -> String| {
            let rows = (0..40).map(|i| row(i, if i % 4 < 2 { ["yes", "no"][i / 2 % 2] } else { "" }) + "\n");
            format!("{header}\n{}", rows.collect::<String>())
        };
        let judge = |i: usize| ["yes", "no"][i % 2];
        let of = |text: &str, role: Role| -> String { read(text, &[]).unwrap().columns.of(role).join(",") };
        // A person who is not sure gives no answer, whatever the column is called, and though its name is that of a text.
        for (name, word) in
            [("Zoë", "unsure"), ("answer of Zoë", "unsure"), ("Antwort Prüferin", "k.A."), ("x", "#N/A")]
        {
            let human = |i: usize, human: &str| if i == 8 { word.to_owned() } else { human.to_owned() };
            let text = table(&format!("id,judge,{name}"), &|i, text| format!("q{i},{},{}", judge(i), human(i, text)));
            assert_eq!(of(&text, Role::Human), name);
        }
        // A mark is called a note in two languages; remarks are not.
        let mark = |human: &str| ["", "1", "4"][usize::from(human == "yes") + usize::from(!human.is_empty())];
        let text =
            table("id,Note KI,Note Gutachter,notes", &|i, human| format!("q{i},{},{},x", 1 + i % 5, mark(human)));
        assert_eq!([of(&text, Role::Verdict), of(&text, Role::Human)], ["Note KI", "Note Gutachter"]);
        // A number that counts the rows names them, and explains nothing.
        for (header, id) in [("codice,judge,human", "codice"), ("codice,ticket,judge,human", "ticket")] {
            let ticket = |i: usize| if id == "ticket" { format!("t{i},") } else { String::new() };
            let text = table(header, &|i, human| format!("{},{}{},{human}", i + 1, ticket(i), judge(i)));
            assert_eq!([of(&text, Role::Id), of(&text, Role::Number)], [id, ""]);
        }
        let text = table("Datum,judge,human", &|i, human| format!("{},{},{human}", 46_000 + i, judge(i)));
        assert_eq!(of(&text, Role::Id), "", "days that follow on each other are no count of rows");
        let text = table("番号,AI判定,人間の判定", &|i, human| format!("{i},{},{human}", judge(i)));
        assert_eq!([of(&text, Role::Verdict), of(&text, Role::Human)], ["AI判定", "人間の判定"]);
        let text = table("id,modelo_juez,etiqueta,tema", &|i, human| format!("q{i},{},{human},{}", judge(i), i % 3));
        assert_eq!(
            [of(&text, Role::Verdict), of(&text, Role::Human), of(&text, Role::Group)],
            ["modelo_juez", "etiqueta", "tema"]
        );
        let lists = |human: &str| if human.is_empty() { "[]".to_owned() } else { format!("\"['{human}', 'no']\"") };
        let text = table("id,tone.responses,tone.suggestion,tone.suggestion.score", &|i, human| {
            format!("q{i},{},{},0.{}", lists(human), judge(i), 50 + i)
        });
        let (audited, _) = read_whole(&text).remove(0);
        assert_eq!(
            [audited.columns.of(Role::Verdict), audited.columns.of(Role::Human)],
            [vec!["tone.suggestion"], vec!["tone.responses 1", "tone.responses 2"]]
        );
    }

    #[test]
    fn a_score_in_the_middle_is_the_answer_that_the_note_says() {
        let rows: String = (0..40).map(|i| format!("q{i},0.{},{}\n", i % 10, ["no", "yes"][i % 2])).collect();
        let (audited, files) = made(&format!("id,score,human\n{rows}"), &[]).unwrap();
        assert!(audited.notices.join(" ").contains("score counts as yes from 0.500 up"), "{:?}", audited.notices);
        let judge = files.text("judge.csv").unwrap();
        let of =
            |id: &str| judge.lines().find_map(|line| line.strip_prefix(id)).unwrap().split(',').collect::<Vec<_>>();
        let [_, no, yes] = of("q5,")[..] else { panic!("{judge}") };
        assert!(yes.parse::<f64>().unwrap() > no.parse().unwrap(), "{no} {yes}");
        assert_eq!(of("q6,"), ["yes", "0.4", "0.6"]);
    }

    /// A verdict by a threshold of its own, such as 0.3, is the judge's answer, and not what its probabilities say.
    #[test]
    fn a_verdict_counts_where_its_probabilities_say_otherwise() {
        for (columns, of) in [
            ("prob", &(|p: f64, _| format!("{p:.2}")) as &dyn Fn(f64, usize) -> String),
            ("p_a,p_b,p_c", &|_, k| ["0.2,0.3,0.5", "0.2,0.3,0.5", "0.3,0.3,0.4"][k].to_owned()),
        ] {
            let classes = if columns == "prob" { ["no", "yes", "yes"] } else { ["a", "b", "c"] };
            let of_row = |i: usize| (classes[i % 3], of([0.1, 0.4, 0.9][i % 3], i % 3));
            let row = |i: usize| of_row(i).1 + "," + of_row(i).0;
            let rows: String = (0..60)
                .map(|i| format!("q{i},{},{}\n", row(i), if i % 2 == 0 { classes[i % 3] } else { "" }))
                .collect();
            let (audited, files) = read_whole(&format!("id,{columns},judge,human\n{rows}")).remove(0);
            let n = if columns == "prob" { 20 } else { 40 };
            let told = format!("In {n} rows the judge's answer is not the likeliest by {}", columns.replace(',', ", "));
            assert!(audited.notices.join(" ").contains(&told), "{:?}", audited.notices);
            for line in files.text("judge.csv").unwrap().lines().skip(1) {
                let (label, shares) = line.split_once(',').unwrap().1.split_once(',').unwrap();
                let shares: Vec<f64> = shares.split(',').map(|share| share.parse().unwrap()).collect();
                let likeliest = crate::model::study::largest(shares.iter().copied());
                let class =
                    if columns == "prob" { usize::from(label == "yes") } else { (label.as_bytes()[0] - b'a').into() };
                assert_eq!(likeliest, class, "{line}");
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{line}");
            }
        }
    }

    #[test]
    fn names_of_judges_and_what_people_agreed_on_are_no_answers() {
        let judges: String = (0..40)
            .map(|i| {
                format!(
                    "q{},{},{},{}\n",
                    i / 2,
                    ["gpt-4o", "claude"][i % 2],
                    ["yes", "no"][i % 3 % 2],
                    ["yes", ""][i / 2 % 2]
                )
            })
            .collect();
        let found = read(&format!("id,judge,verdict,human\n{judges}"), &[]).unwrap().columns;
        assert_eq!([found.of(Role::Verdict), found.of(Role::System)], [["verdict"], ["judge"]]);
        // A consensus is no second person; where it is all that there is for most rows, it is not left out.
        let agreed = |human: &dyn Fn(usize) -> bool| {
            let cell = |i: usize, is: bool| if is { ["yes", "no"][i % 2] } else { "" };
            let row = |i: usize| format!("q{i},yes,{},{}\n", cell(i, human(i)), cell(i, i.is_multiple_of(2) || i == 1));
            let rows: String = (0..40).map(row).collect();
            read(&format!("id,judge,human,human_consensus\n{rows}q40,no,,\n"), &[])
                .unwrap()
                .columns
                .of(Role::Human)
                .join(",")
        };
        assert_eq!(agreed(&|i| i.is_multiple_of(2) || i < 4), "human");
        assert_eq!(agreed(&|i| i < 4), "human,human_consensus");
    }

    /// What a table has of people and judges beside their answers.
    #[test]
    fn what_is_about_people_and_judges_is_no_answer_of_theirs() {
        let read = |header: &str, row: &dyn Fn(usize, &str) -> String| {
            let word = |i: usize| ["yes", "no"][i % 2];
            let rows =
                (0..40).map(|i| format!("q{i},{},{}\n", word(i / 3), row(i, if i % 4 < 2 { word(i) } else { "" })));
            let text = format!("id,judge,{header}\n{}", rows.collect::<String>());
            let (audited, _) = read_whole(&text).remove(0);
            [Role::Human, Role::Confidence].map(|role| audited.columns.of(role).join(","))
        };
        let if_any = |human: &str, cell: String| if human.is_empty() { String::new() } else { cell };
        let of = |header: &str, row: &dyn Fn(usize, &str) -> String| read(header, row)[0].clone();
        let gold = ["red", "Rome", "1912"];
        assert_eq!(of("gold_answer,human", &|i, human| format!("{},{human}", gold[i % 3])), "human");
        let agree = |i: usize, human: &str| format!("{human},{}", if_any(human, (i % 2).to_string()));
        assert_eq!(of("human,agreement", &agree), "human");
        let person = |i: usize, human: &str| {
            format!("{human},{}", if_any(human, format!("{},{}", ["f", "m"][i / 4 % 2], 20 + i)))
        };
        let of_person = |i: usize, human: &str| person(i, human) + if human.is_empty() { "," } else { "" };
        assert_eq!(of("annotator_answer,annotator_gender,annotator_age", &of_person), "annotator_answer");
        let both = |i: usize, human: &str| format!("0.{},0.{},{human}", 30 + i % 9, 60 + i % 9);
        assert_eq!(read("model_confidence,judge_confidence,human", &both), ["human", "judge_confidence"]);
    }

    #[test]
    fn several_models_are_told_to_be_read_as_one() {
        let table = |header: &str| {
            let rows: String = (0..40).map(|i| format!("q{i},{0},{0},yes\n", ["yes", "no"][i % 2])).collect();
            read(&format!("id,{header},human\n{rows}"), &[]).unwrap().notices.join(" ")
        };
        let told = "gpt-4o, claude-sonnet-4 are read as repeated answers of one judge; for one alone: --columns 'verdict=gpt-4o'.";
        assert!(table("gpt-4o,claude-sonnet-4").contains(told), "{}", table("gpt-4o,claude-sonnet-4"));
        assert!(table("judge_v1,judge_v2").contains("repeated"));
        assert!(!table("judge_1,judge_2").contains("repeated"));
    }

    #[test]
    fn people_are_known_by_their_answers_whatever_their_column_is_called() {
        for name in [
            "QA result",
            "qa",
            "sme",
            "manual_review",
            "anna",
            "final",
            "human",
            "expert",
            "gold",
            "annotator",
            "reviewer",
            "truth",
            "qa_verdict",
            "Agent check",
            "label",
            "adjudicated",
        ] {
            let found = read(&table(name), &[]).unwrap();
            assert_eq!(
                (found.columns.of(Role::Human), found.columns.of(Role::Verdict)),
                (vec![name], vec!["judge_verdict"])
            );
        }
        // A judge that failed on some rows is no person.
        let failed = read(
            &table("human;judge_2")
                .replace("Pass \n", "Pass ;pass\n")
                .replace("FAIL\n", "FAIL;\n")
                .replace(";x;\n", ";x;;\n"),
            &[],
        )
        .unwrap();
        assert_eq!(failed.columns.of(Role::Verdict), ["judge_verdict", "judge_2"]);
        let several = read(
            &table("anna;ben")
                .replace("Pass \n", "Pass ;pass\n")
                .replace("FAIL\n", "FAIL;\n")
                .replace(";x;\n", ";x;;\n"),
            &[],
        )
        .unwrap();
        assert_eq!(several.columns.of(Role::Human), ["anna", "ben"]);
    }
}
