//! Tables whose rows or columns are no plain answers: scores with a threshold, repeated answers, several judges.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use assert_cmd::assert::Assert;
use serde_json::Value;

use crate::audit::{audit, said};

fn answers(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&said(audit(folder, &[arguments, &["--json", "--force"]].concat()))).unwrap()
}

fn found<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let all = answer["answer"]["findings"].as_array().unwrap();
    &all.iter().find(|one| one["id"] == id).unwrap()["found"]
}

/// Whether people pass an item, and how well the judge does at its `time`.
fn passes(item: usize, time: usize) -> bool {
    (item * 7 + time * (item % 4)) % 10 > 3
}

/// Scores that all lie above the middle of their scale say the same only as long as nobody says from where an item passes.
#[test]
fn a_score_is_compared_with_the_threshold_that_the_user_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "id,judge_score,human\n".to_owned();
    for i in 0..120 {
        let score = if passes(i, 1) { 8 + i % 3 } else { 6 + i % 2 };
        writeln!(text, "q{i},{score},{}", ["fail", "pass"][usize::from(passes(i, 0))]).unwrap();
    }
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let plain = answers(folder.path(), &["t.csv"]);
    assert_eq!(plain["answer"]["verdict"], "constant");
    let named = answers(folder.path(), &["t.csv", "--columns", "verdict=judge_score>=8"]);
    let right = (0..120).filter(|&i| passes(i, 0) == passes(i, 1)).count() as f64 / 120.0;
    assert!((found(&named, "agreement")["value"].as_f64().unwrap() - right).abs() < 1e-9, "{named}");
    // The belief reads further tables by the threshold, too.
    fs::write(folder.path().join("new.csv"), "id,judge_score\na,9\nb,6\nc,8\n").unwrap();
    let mut apply = assert_cmd::Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
    let applied = apply.current_dir(folder.path()).args(["apply", "t-audit", "--items", "new.csv", "--out", "o"]);
    let told = said(applied.assert());
    assert!(told.contains("verdict=judge_score>=8"), "{told}");
}

/// Repeated answers of a judge below each other are those of one item, and judges below each other have a study each.
#[test]
fn rows_of_runs_are_one_item_and_rows_of_judges_are_studies() {
    let folder = tempfile::tempdir().unwrap();
    let table = |column: &str, values: [&str; 2]| {
        let mut text = format!("id,{column},verdict,human\n");
        for i in 0..90 {
            for (time, value) in values.iter().enumerate() {
                let [human, judge] = [0, time + 1].map(|time| ["fail", "pass"][usize::from(passes(i, time))]);
                writeln!(text, "q{i},{value},{judge},{}", if i % 3 > 0 { human } else { "" }).unwrap();
            }
        }
        fs::write(folder.path().join("t.csv"), text).unwrap();
        answers(folder.path(), &["t.csv"])
    };
    let right = |time: usize| {
        let labelled = (0..90).filter(|i| i % 3 > 0);
        labelled.filter(|&i| passes(i, 0) == passes(i, time)).count() as f64 / 60.0
    };
    let agreement = |answer: &Value| found(answer, "agreement")["value"].as_f64().unwrap();
    let runs = table("run", ["1", "2"]);
    assert_eq!((&runs["answer"]["items"], &runs["answer"]["labelled"]), (&90.into(), &60.into()));
    assert!((agreement(&runs) - (right(1) + right(2)) / 2.0).abs() < 1e-9, "{runs}");
    let judges = table("judge_model", ["gpt-4o", "claude-3"]);
    for (name, time) in [("gpt-4o", 1), ("claude-3", 2)] {
        assert!(judges.to_string().contains(name), "{judges}");
        let own = answers(folder.path(), &[&format!("t-audit/{name}")]);
        assert!((agreement(&own) - right(time)).abs() < 1e-9, "{own}");
    }
}

/// The page for labels is the program's, so that `--force` replaces it; another file of its name is not.
#[test]
fn a_page_for_labels_is_replaced_and_a_file_of_its_name_stays() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String =
        (0..40).map(|i| format!("q{i},text {i},{}\n", ["fail", "pass"][usize::from(passes(i, 1))])).collect();
    fs::write(folder.path().join("t.csv"), format!("id,text,judge_verdict\n{rows}")).unwrap();
    audit(folder.path(), &["t.csv"]).success();
    let mut page = assert_cmd::Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
    page.current_dir(folder.path()).args(["study", "labels", "page", "t-audit"]).assert().success();
    let again = |code: i32| -> Assert { audit(folder.path(), &["t.csv", "--force"]).code(code) };
    again(0);
    let html = folder.path().join("t-audit/label.html");
    assert!(!html.exists());
    fs::write(&html, "mine").unwrap();
    again(2);
    assert_eq!(fs::read_to_string(&html).unwrap(), "mine");
}

/// A column that says what people say, or else what the judge says; codes and words for no answer; rows below that sum up;
/// whether somebody found the judge right: none of these is an answer of a person.
#[test]
fn what_only_looks_like_a_persons_answer_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let word = |is: bool| ["fail", "pass"][usize::from(is)];
    let read = |header: &str, row: &dyn Fn(usize) -> String, end: &str| {
        let rows: String = (0..120).map(|i| format!("q{i},{}\n", row(i))).collect();
        fs::write(folder.path().join("t.csv"), format!("id,{header}\n{rows}{end}")).unwrap();
        answers(folder.path(), &["t.csv"])
    };
    let [judge, human] = [1, 0].map(|time| move |i: usize| word(passes(i, time)));
    let is_labelled = |i: usize| i.is_multiple_of(2);
    let right = (0..120).filter(|&i| is_labelled(i) && judge(i) == human(i)).count() as f64 / 60.0;
    let is_right = |answer: &Value| {
        assert_eq!((&answer["answer"]["items"], &answer["answer"]["labelled"]), (&120.into(), &60.into()), "{answer}");
        let agreement = found(answer, "agreement")["value"].as_f64().unwrap();
        assert!((agreement - right).abs() < 1e-9, "{agreement} for {right}");
    };
    let blank = |i: usize, other: &str| if is_labelled(i) { human(i).to_owned() } else { other.to_owned() };
    is_right(&read(
        "judge_verdict,human_verdict,final_verdict",
        &|i| format!("{},{},{}", judge(i), blank(i, ""), blank(i, judge(i))),
        "",
    ));
    is_right(&read("judge,human", &|i| format!("{},{}", judge(i), blank(i, "not labelled")), ""));
    is_right(&read(
        "judge,human",
        &|i| format!("{},{}", judge(i), blank(i, "")),
        "Average,0.6,0.7\nMax,1,1\nStdDev,0.1,0.1\nN,120,60\n",
    ));
    let in_numbers = |i: usize| {
        let number = |text: &str| 1 + 2 * usize::from(text == "pass");
        let human = if is_labelled(i) { number(human(i)).to_string() } else { "-99".to_owned() };
        format!("{},{human}", if i.is_multiple_of(7) { 2 } else { number(judge(i)) })
    };
    let ratings = read("judge_score,human_score", &in_numbers, "");
    assert_eq!(ratings["answer"]["labelled"], 60, "{ratings}");
    assert!(found(&ratings, "rate.mean")["lo"].as_f64().unwrap() > 1.0, "{ratings}");
    for header in ["llm_verdict,Judge correct?", "llm_verdict,reviewer_agrees"] {
        let row = |i: usize| {
            let is = ["no", "yes"][usize::from(judge(i) == human(i))];
            format!("{},{}", judge(i), if is_labelled(i) { is } else { "" })
        };
        let checked = read(header, &row, "");
        assert_eq!((&checked["answer"]["items"], &checked["answer"]["labelled"]), (&120.into(), &0.into()), "{header}");
    }
}

/// Columns called after two models are two judges, and not one that was asked twice.
#[test]
fn judges_side_by_side_are_studies() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "id,gpt4o_verdict,claude_verdict,human\n".to_owned();
    for i in 0..90 {
        let [human, gpt, claude] = [0, 1, 2].map(|time| ["fail", "pass"][usize::from(passes(i, time))]);
        writeln!(text, "q{i},{gpt},{claude},{human}").unwrap();
    }
    fs::write(folder.path().join("t.csv"), text).unwrap();
    answers(folder.path(), &["t.csv"]);
    for (name, time) in [("gpt", 1), ("claude", 2)] {
        let own = answers(folder.path(), &[&format!("t-audit/{name}")]);
        let right = (0..90).filter(|&i| passes(i, 0) == passes(i, time)).count() as f64 / 90.0;
        assert!((found(&own, "agreement")["value"].as_f64().unwrap() - right).abs() < 1e-9, "{name}");
    }
}

/// Half of the outputs are one refusal in the same words, which people may label as often as it is drawn; names in a second
/// header row belong to those above them.
#[test]
fn outputs_that_are_alike_are_queued_and_header_rows_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = ",,LLM,Human,\nID,Response,Verdict,Anna,Ben\n".to_owned();
    for i in 0_usize..120 {
        let response =
            if i.is_multiple_of(2) { "I can't help with that.".to_owned() } else { format!("Answer {i} to it.") };
        let [judge, anna, ben] = [1, 0, 2].map(|time| ["no", "yes"][usize::from(passes(i, time))]);
        let [anna, ben] = if i.is_multiple_of(3) { [anna, ben] } else { [""; 2] };
        writeln!(text, "q{i},{response},{judge},{anna},{ben}").unwrap();
    }
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let answer = answers(folder.path(), &["t.csv"]);
    assert_eq!((&answer["answer"]["items"], &answer["answer"]["labelled"]), (&120.into(), &40.into()), "{answer}");
    let queue = fs::read_to_string(folder.path().join("t-audit/queue/queue.csv")).unwrap();
    assert!(queue.matches("I can't help with that.").count() > 1, "{queue}");
    assert!(answer.to_string().contains("Human Anna") && answer.to_string().contains("Human Ben"), "{answer}");
    // Comments that were judged are what people read.
    let comments = |i: usize| format!("q{i},Comment {i} of somebody who writes at length,{}\n", ["no", "yes"][i % 2]);
    let text = "comment_id,comment,judge\n".to_owned() + &(0..40).map(comments).collect::<String>();
    fs::write(folder.path().join("c.csv"), text).unwrap();
    answers(folder.path(), &["c.csv"]);
    let queue = fs::read_to_string(folder.path().join("c-audit/queue/queue.csv")).unwrap();
    assert!(queue.contains("of somebody who writes at length"), "{queue}");
}
