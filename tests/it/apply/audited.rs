//! `apply` reads what `audit` reads, and says of each item what the run says.

use super::stream::cells_of;
use super::*;

/// Audits a file and applies the belief to the same file; the folders of its runs.
fn audited(folder: &Path, files: &[PathBuf], more: &[&str]) -> Vec<PathBuf> {
    let out = folder.join("a");
    let mut arguments = vec!["audit", "--out", out.to_str().unwrap()];
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    run(&[&arguments, more].concat(), 0);
    let studies = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path().join("run"));
    let runs = [out.join("run")].into_iter().chain(studies);
    let mut runs: Vec<PathBuf> = runs.filter(|run| run.join("results").is_dir()).collect();
    runs.sort();
    runs
}

fn apply(belief: &Path, files: &[PathBuf], out: &Path, more: &[&str], code: i32) -> (String, String) {
    let mut arguments = vec!["apply", belief.to_str().unwrap(), "--out", out.to_str().unwrap()];
    files.iter().for_each(|file| arguments.extend(["--items", file.to_str().unwrap()]));
    run(&[&arguments, more].concat(), code)
}

/// Every number that a run states of its items is there, to the bit; items that the run left out may be there, too.
fn assert_as_in_run(name: &str, run: &Path, applied: &Path) {
    let of_run = cells_of(&[run.join("items.parquet")]);
    let found = cells_of(&[applied.join("part-00000.parquet")]);
    let places: Vec<Option<usize>> =
        of_run["id"].iter().map(|id| found["id"].iter().position(|other| other == id)).collect();
    let mut compared = 0;
    for (column, cells) in &of_run {
        let Some(found) = found.get(column) else { continue };
        let found: Vec<Option<&String>> = places.iter().map(|place| place.map(|place| &found[place])).collect();
        assert_eq!(found, cells.iter().map(Some).collect::<Vec<_>>(), "{name}: {column}");
        compared += 1;
    }
    assert!(compared > 10, "{name}: {compared} columns");
}

fn assert_alike(name: &str, files: &[PathBuf]) {
    let folder = tempfile::tempdir().unwrap();
    let runs = audited(folder.path(), files, &[]);
    assert!(!runs.is_empty(), "{name}");
    for (k, run) in runs.iter().enumerate() {
        let out = folder.path().join(format!("applied-{k}"));
        apply(run, files, &out, &[], 0);
        assert_as_in_run(name, run, &out);
    }
}

#[test]
fn every_table_that_is_audited_can_be_applied_to() {
    let tables = repository("tests/golden/tables");
    let expected: BTreeMap<String, Value> =
        serde_json::from_slice(&fs::read(tables.join("expected.json")).unwrap()).unwrap();
    let readable = expected.iter().filter(|(_, expected)| expected["error"].is_null());
    let names: Vec<&String> = readable.map(|(name, _)| name).collect();
    assert!(names.len() >= 40, "{}", names.len());
    names.into_iter().for_each(|name| assert_alike(name, &[tables.join(name)]));
}

#[test]
fn every_log_that_is_audited_can_be_applied_to() {
    let logs = repository("tests/golden/logs");
    for names in [
        &["braintrust.jsonl"][..],
        &["deepeval.json"],
        &["every-eval-ever-choice_samples.jsonl"],
        &["inspect-graded.eval"],
        &["inspect-metadata.json"],
        &["judge-bench.json"],
        &["langfuse-scores.csv"],
        &["mlflow-genai.csv"],
        &["mt-bench-pairs.jsonl"],
        &["openai-batch-input.jsonl", "openai-batch-output.jsonl"],
        &["phoenix-annotations.csv"],
        &["promptfoo.json"],
        &["ragas.csv"],
        &["samples_judge_generate.jsonl"],
    ] {
        let files: Vec<PathBuf> = names.iter().map(|name| logs.join(name)).collect();
        assert_alike(&names.join(" "), &files);
    }
}

/// 60 rows in the user's own words, of which people labelled the first 40.
fn table(verdicts: [&str; 2], rows: std::ops::Range<usize>) -> String {
    let of = |i: usize| {
        let verdict = verdicts[usize::from(i.is_multiple_of(3))];
        let human = if i < 40 { ["bad", "good"][usize::from(i.is_multiple_of(3) || i.is_multiple_of(7))] } else { "" };
        format!("t{i},{},{verdict},{human}\n", ["mail", "chat"][i % 2])
    };
    "ticket_id,topic,llm_says,anna\n".to_owned() + &rows.map(of).collect::<String>()
}

#[test]
fn further_rows_may_spell_answers_in_other_words_and_a_word_that_is_none_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let put = |name: &str, text: String| {
        fs::write(at(name), text).unwrap();
        vec![at(name)]
    };
    let own = put("own.csv", table(["bad", "good"], 0..60));
    let named = ["--columns", "verdict=llm_says", "--columns", "human=anna"];
    let run = audited(folder.path(), &own, &named).remove(0);
    apply(&run, &own, &at("own"), &[], 0);
    assert_as_in_run("own.csv", &run, &at("own"));
    // The same rows in other words, without labels' columns, and under another name of the column.
    let other = put("other.csv", table(["NO ", "1"], 40..60));
    apply(&run, &other, &at("other"), &[], 0);
    let (own, applied) = (cells_of(&[at("own/part-00000.parquet")]), cells_of(&[at("other/part-00000.parquet")]));
    for (name, cells) in &applied {
        assert_eq!(cells[..], own[name][40..], "{name}");
    }
    let renamed = put("renamed.csv", table(["bad", "good"], 40..60).replace("llm_says", "said"));
    let (_, error) = apply(&run, &renamed, &at("renamed"), &[], 2);
    assert!(error.contains("--columns verdict="), "{error}");
    apply(&run, &renamed, &at("renamed"), &["--columns", "verdict=said"], 0);
    assert_eq!(cells_of(&[at("renamed/part-00000.parquet")]), applied);
    // The third row stands in line 4.
    let wrong = put("wrong.csv", table(["bad", "good"], 40..60).replace("t42,mail,good", "t42,mail,perhaps"));
    let (_, error) = apply(&run, &wrong, &at("wrong"), &[], 2);
    for part in ["wrong.csv:4", "llm_says", "t42", "\"perhaps\"", "bad", "good"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let aside = at("aside.jsonl");
    apply(&run, &wrong, &at("wrong"), &["--set-aside", aside.to_str().unwrap()], 0);
    let row: Value = serde_json::from_str(&fs::read_to_string(&aside).unwrap()).unwrap();
    assert_eq!((&row["line"], &row["item"], &row["column"]), (&json!(4), &json!("t42"), &json!("llm_says")));
    assert_eq!(cells_of(&[at("wrong/part-00000.parquet")])["id"].len(), 19);
    // A row without an answer is counted, as in an audit.
    let failed = put("failed.csv", table(["bad", "good"], 40..60).replace("t42,mail,good", "t42,mail,"));
    let (said, _) = apply(&run, &failed, &at("failed"), &[], 0);
    assert!(said.contains("19 items") && said.contains("1 of 20 rows have no answer of the judge"), "{said}");
}

/// Each command that is printed runs as it stands, in a folder whose name a shell would divide and with columns that were
/// named.
#[test]
fn printed_commands_run_in_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("It's mine");
    fs::create_dir(&place).unwrap();
    fs::write(place.join("own table.csv"), table(["bad", "good"], 0..60)).unwrap();
    fs::write(place.join("new.csv"), table(["bad", "good"], 40..60).replace("llm_says", "what it says")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("judge-uncertainty");
    let shell = |command: &str| {
        let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let mut ran = std::process::Command::new("sh");
        let ran = ran.args(["-c", command]).current_dir(&place).env("PATH", path).output().unwrap();
        assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    let next = |said: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix("Next: ")).unwrap_or_else(|| panic!("{said}"));
        line.to_owned()
    };
    let audited = "judge-uncertainty audit 'own table.csv' --columns verdict=llm_says --columns human=anna";
    let page = next(&shell(audited));
    assert!(page.contains("labels page"), "{page}");
    shell(&page);
    shell(&next(&shell("judge-uncertainty study check 'own table-audit'")).replace("study run", "study check"));
    let applied = "judge-uncertainty apply 'own table-audit/run' --items new.csv --out 'one more' --columns 'verdict=what it says'";
    let queued = next(&shell(applied));
    assert!(shell(&queued).contains("Label next: 20 items"), "{queued}");
}

#[test]
fn scores_stand_for_two_answers_as_in_the_audit_whatever_the_further_rows_hold() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let row = |i: usize| {
        let human = if i < 50 { ["fail", "pass"][usize::from(i * 7 % 10 > 3)] } else { "" };
        format!("r{i},{},{human}\n", 1 + i * 7 % 10)
    };
    let text = |rows: std::ops::Range<usize>| "id,judge_score,human\n".to_owned() + &rows.map(row).collect::<String>();
    fs::write(at("own.csv"), text(0..60)).unwrap();
    let run = audited(folder.path(), &[at("own.csv")], &[]).remove(0);
    apply(&run, &[at("own.csv")], &at("own"), &[], 0);
    assert_as_in_run("own.csv", &run, &at("own"));
    // These scores alone go from 2 to 6; they still mean what they meant among 1 to 10.
    let few: Vec<usize> = (50..60).filter(|i| (2..=6).contains(&(1 + i * 7 % 10))).collect();
    let few: String = few.into_iter().map(row).collect();
    fs::write(at("few.csv"), "id,judge_score,human\n".to_owned() + &few).unwrap();
    apply(&run, &[at("few.csv")], &at("few"), &[], 0);
    let (own, found) = (cells_of(&[at("own/part-00000.parquet")]), cells_of(&[at("few/part-00000.parquet")]));
    for (k, id) in found["id"].iter().enumerate() {
        let place = own["id"].iter().position(|other| other == id).unwrap();
        found.iter().for_each(|(name, cells)| assert_eq!(cells[k], own[name][place], "{id}: {name}"));
    }
    fs::write(at("high.csv"), "id,judge_score\nh1,3\nh2,11\n").unwrap();
    let (_, error) = apply(&run, &[at("high.csv")], &at("high"), &[], 2);
    assert!(error.contains("high.csv:3") && error.contains("11") && error.contains("10"), "{error}");
}

#[test]
fn of_several_criteria_the_beliefs_own_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("both.csv");
    let row = |i: usize| {
        let answer = |k: usize| ["no", "yes"][usize::from(i.is_multiple_of(k))];
        let human = |k: usize| if i < 40 { answer(k) } else { "" };
        format!("r{i},{},{},{},{}\n", answer(2), human(3), answer(5), human(5))
    };
    let head = "id,judge_tone,human_tone,judge_relevance,human_relevance\n";
    fs::write(&file, head.to_owned() + &(0..60).map(row).collect::<String>()).unwrap();
    let runs = audited(folder.path(), std::slice::from_ref(&file), &[]);
    assert_eq!(runs.len(), 2);
    // A table that has neither.
    let others = folder.path().join("others.csv");
    let text = fs::read_to_string(&file).unwrap().replace("tone", "safety").replace("relevance", "style");
    fs::write(&others, text).unwrap();
    let (_, error) = apply(&runs[0], &[others], &folder.path().join("others"), &[], 2);
    assert!(error.contains("safety, style") && error.contains("relevance"), "{error}");
    for (k, run) in runs.iter().enumerate() {
        let out = folder.path().join(format!("applied-{k}"));
        apply(run, std::slice::from_ref(&file), &out, &[], 0);
        assert_as_in_run("both.csv", run, &out);
    }
}

/// A row whose probabilities don't add up to 1 is refused or set aside, and the others are what the run says of them. An audit
/// of the table goes by the likeliest classes alone and says so.
#[test]
fn a_row_whose_probabilities_do_not_add_up_is_at_fault() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let file = repository("tests/golden/tables/shares_of_three.csv");
    let run_of = audited(folder.path(), std::slice::from_ref(&file), &[]).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    let row = text.lines().nth(3).unwrap();
    let mut cells: Vec<&str> = row.split(',').collect();
    cells[1] = "0.95";
    fs::write(at("bad.csv"), text.replace(row, &cells.join(","))).unwrap();
    let bad = [at("bad.csv")];
    let (_, error) = apply(&run_of, &bad, &at("applied"), &[], 2);
    for part in ["bad.csv:4", "prob_", "the probabilities add up to 1."] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let aside = at("aside.jsonl");
    apply(&run_of, &bad, &at("applied"), &["--set-aside", aside.to_str().unwrap()], 0);
    let noted: Value = serde_json::from_str(&fs::read_to_string(&aside).unwrap()).unwrap();
    assert_eq!((&noted["line"], &noted["item"]), (&json!(4), &json!(cells[0])));
    let (of_run, found) = (cells_of(&[run_of.join("items.parquet")]), cells_of(&[at("applied/part-00000.parquet")]));
    for name in ["id", "q_refund", "mean_delay"] {
        let others = of_run["id"].iter().zip(&of_run[name]).filter(|(id, _)| id.trim_matches('"') != cells[0]);
        assert_eq!(found[name], others.map(|(_, cell)| cell.clone()).collect::<Vec<_>>(), "{name}");
    }
    // Without labels, too.
    let unlabelled: String =
        text.lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0)).collect::<String>();
    let bad_row = cells[..4].join(",");
    let whole = row.rsplit_once(',').unwrap().0;
    fs::write(at("unlabelled.csv"), unlabelled.replace(whole, &bad_row)).unwrap();
    let (_, error) = apply(&run_of, &[at("unlabelled.csv")], &at("others"), &[], 2);
    assert!(error.contains("unlabelled.csv:4") && error.contains("add up to"), "{error}");
    let (said, _) = run(&["audit", bad[0].to_str().unwrap(), "--out", at("b").to_str().unwrap()], 0);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("Not used: prob_refund, prob_delay, prob_other, as probabilities that add up to 1"),
        "{said}"
    );
}

/// Columns that only the user's word makes probabilities are read by it in further tables, too.
#[test]
fn columns_that_were_named_as_probabilities_are_so_in_further_tables() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("named.csv");
    let text = fs::read_to_string(repository("tests/golden/tables/shares_of_three.csv")).unwrap();
    fs::write(&file, text.replace("prob_", "").replace("gold", "who")).unwrap();
    let named = ["probability=refund", "probability=delay", "probability=other", "human=who"];
    let named: Vec<&str> = named.into_iter().flat_map(|one| ["--columns", one]).collect();
    let run = audited(folder.path(), std::slice::from_ref(&file), &named).remove(0);
    let out = folder.path().join("applied");
    apply(&run, std::slice::from_ref(&file), &out, &[], 0);
    assert_as_in_run("named.csv", &run, &out);
}
