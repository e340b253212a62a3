//! Studies made from logs that their tools wrote.

use std::path::{Path, PathBuf};

use super::*;
use crate::audit::from_cells;
use crate::audit::table::CellTable;
use crate::findings::Answer;
use crate::results::StudyManifest;
use crate::{Error as StudyError, InputReport, Study};
use judge_uncertainty_formats::logs::{HumanLabel, Log, LogRecord, detect};
use judge_uncertainty_system::Run;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/logs").join(name)
}

fn all(logs: &[&str], options: &LogOptions<'_>) -> Result<Vec<MadeStudy>> {
    let paths: Vec<PathBuf> = logs.iter().map(|name| golden(name)).collect();
    let mut source = Source::default();
    let format = detect(&paths[0], &source.read(&paths[0])?)?;
    studies(source.read_logs(&paths, format)?, &source, options)
}

fn made(logs: &[&str], options: &LogOptions<'_>) -> Result<MadeStudy> {
    let mut made = all(logs, options)?;
    assert_eq!(made.len(), 1);
    Ok(made.remove(0))
}

/// A file of the study.
fn text_of(study: &MadeStudy, name: &str) -> String {
    study.clone().staged(&[]).1.text(name).unwrap().to_owned()
}

fn written(study: &MadeStudy) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let names = study.files.iter().map(|(name, _)| *name).chain(["study.toml"]);
    names.for_each(|name| std::fs::write(folder.path().join(name), text_of(study, name)).unwrap());
    folder
}

fn loaded(folder: &Path) -> Study {
    Study::load(folder).map_err(|error: StudyError| error.to_string()).unwrap()
}

#[test]
fn a_log_with_edits_becomes_a_study_with_labels() {
    let files = all(&["inspect-graded.eval"], &LogOptions::default()).unwrap().remove(0);
    assert_eq!(files.audited.rows, 5);
    let folder = written(&files);
    let study = loaded(folder.path());
    let report = InputReport::new(&study);
    assert_eq!((report.items, report.labels.number(), report.labels.per_class.clone()), (5, 3, vec![2, 1]));
    // Annotators don't see the reference answer.
    assert_eq!(study.items.texts.as_ref().unwrap()[3], "input: What is 4 + 4?\n\noutput: It is 9.");
    // The manifest of a run has the log: its sum, the tool and its version.
    let manifest = StudyManifest::new(&study, Run::since(std::time::Instant::now()));
    let (name, log) = manifest.logs.iter().next().unwrap();
    assert!(name.ends_with("inspect-graded.eval") && log.sha256.len() == 64, "{name} {log:?}");
    assert_eq!((log.tool.as_str(), log.version.as_deref()), ("inspect_ai", Some("0.3.285")));
}

#[test]
fn every_criterion_is_a_study_on_its_own_scale() {
    let scales = |log: &str| -> Vec<(String, String, usize)> {
        let made = all(&[log], &LogOptions::default()).unwrap();
        let setting = |files: &MadeStudy| {
            let toml = text_of(files, "study.toml");
            let keys = ["classes", "places", "scale"];
            toml.lines().find(|line| keys.iter().any(|key| line.starts_with(key))).unwrap().to_owned()
        };
        let failed = |f: &MadeStudy| f.audited.notices.iter().filter(|text| text.ends_with("that failed (1).")).count();
        made.iter().map(|f| (f.folder.clone().unwrap(), setting(f), failed(f))).collect()
    };
    let of = |name: &str, setting: &str, failed| (name.to_owned(), setting.to_owned(), failed);
    let expected =
        [of("model_graded_qa", r#"classes = ["C", "I"]"#, 0), of("politeness", "places = [1, 2, 3, 4, 5]", 1)];
    assert_eq!(scales("inspect-graded.eval"), expected);
    let expected = [of("helpful", r#"classes = ["0", "1"]"#, 1), of("quality", "places = [1, 2, 3, 4, 5]", 1)];
    assert_eq!(scales("ragas.jsonl"), expected);
    let expected = [of("Helpful-GEval", "scale = [0, 1]", 1), of("Polite-GEval", "scale = [0, 1]", 1)];
    assert_eq!(scales("deepeval.json"), expected);
}

#[test]
fn a_criterion_keeps_its_rubric() {
    let made = all(&["deepeval.json"], &LogOptions::default()).unwrap();
    let folder = written(&made[1]);
    let study = loaded(folder.path());
    let criterion = study.file.config.criterion.as_ref().unwrap();
    assert_eq!((criterion.name.as_str(), criterion.rubric.as_deref()), ("Polite [GEval]", Some("Is it polite?\nlook")));
    // The case without a score is left out; the item's own id stands beside that of the question.
    assert_eq!(study.left_out, ["case-2/Polite [GEval]"]);
    assert!(text_of(&made[1], "items.csv").starts_with("id,item,"));
    let files = made_of(&["promptfoo.json"]);
    assert!(files.contains("[criterion]\nname = \"helpful\"\nrubric = \"Names a time\"\n"), "{files}");
    // What the judge of a batch was told stands above its questions.
    let files = made_of(&["openai-batch-input.jsonl", "openai-batch-output.jsonl"]);
    assert!(files.contains("instruction = \"How soon? urgent, soon or later.\""), "{files}");
}

/// The `study.toml` of a log.
fn made_of(logs: &[&str]) -> String {
    text_of(&made(logs, &LogOptions::default()).unwrap(), "study.toml")
}

#[test]
fn logs_are_read_directly_as_well() {
    let files = made(&["openai-batch-input.jsonl", "openai-batch-output.jsonl"], &LogOptions::default()).unwrap();
    assert_eq!(files.audited.rows, 7);
    assert!(
        files.audited.notices.contains(&"Left out: answers of the judge that failed (2).".to_owned()),
        "{:?}",
        files.audited.notices
    );
    let folder = written(&files);
    let labels = "id,annotator,label\nm1,a,urgent\nm1,b,soon\nm2,a,later\nm3,a,soon\nm4,a,soon\n";
    std::fs::write(folder.path().join("labels.csv"), labels).unwrap();
    let direct = written(&files);
    std::fs::write(direct.path().join("labels.csv"), labels).unwrap();
    for name in ["openai-batch-input.jsonl", "openai-batch-output.jsonl"] {
        std::fs::copy(golden(name), direct.path().join(name)).unwrap();
    }
    // An answer in passing, "Well, soon", is no class: the setting is corrected where the study stands.
    let own = "classes = [\"urgent\", \"soon\", \"later\"]";
    let inferred = "classes = [\"later\", \"soon\", \"urgent\", \"Well, soon\"]";
    let config = &text_of(&files, "study.toml");
    assert!(config.contains(inferred), "{config}");
    std::fs::write(folder.path().join("study.toml"), config.replace(inferred, own)).unwrap();
    let setup = format!("title = \"direct\"\n{own}\nunmatched = \"leave_out\"\n");
    let tables = "[items]\nfile = \"openai-batch-input.jsonl\"\nformat = \"openai\"\ntext = \"{prompt}\"\n\
                  [judge]\nfile = \"openai-batch-output.jsonl\"\nformat = \"openai\"\nkind = \"probabilities\"\n\
                  [labels]\nfile = \"labels.csv\"\nform = \"long\"\n";
    std::fs::write(direct.path().join("study.toml"), format!("{setup}{tables}")).unwrap();
    let (one, other) = (loaded(folder.path()), loaded(direct.path()));
    assert_eq!(one.judge.predictions, other.judge.predictions);
    assert_eq!(one.items.ids, other.items.ids);
    // Mass outside the classes is recorded: 1 - 0.8 - 0.01 - 0.15 - 0.02 for m1, and most of m6's.
    let mass = other.judge.report.of_classes().mass.unwrap();
    assert!((mass.least - 0.25).abs() < 1e-9, "{mass:?}");
    assert_eq!((other.judge.unused()[0], other.left_out.as_slice()), (2, &["m5".to_owned(), "m7".to_owned()][..]));
    let manifest = StudyManifest::new(&other, Run::since(std::time::Instant::now()));
    assert_eq!(manifest.logs["openai-batch-output.jsonl"].stated["system_fingerprint"], "fp_local");
}

#[test]
fn pairs_become_a_study_with_the_order_as_a_variant() {
    let files = made(&["mt-bench-pairs.jsonl"], &LogOptions::default()).unwrap();
    let folder = written(&files);
    let labels = "id,annotator,label\n81/adf44854/1,a,B\n81/93ae36bb/1,a,A\n";
    std::fs::write(folder.path().join("labels.csv"), labels).unwrap();
    let study = loaded(folder.path());
    assert_eq!(study.judge.variants, ["gpt-4 pair-v2", "gpt-4 pair-v2 (swapped)"]);
    // The failed answer has no pair, and two pairs are too few to say anything of others.
    let position = Answer::of_labels(&study).position.expect("both orders");
    assert_eq!((position.items, position.without_verdict, position.flips.estimate()), (2, 0, None));
}

#[test]
fn verdicts_of_a_table_are_mirrored() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("items.csv", "id\np\nq\nr\n");
    write(
        "judge.csv",
        "id,order,p_A,p_tie,p_B\np,0,0.7,0.1,0.2\np,1,0.1,0.1,0.8\nq,0,0.6,0.2,0.2\nq,1,0.6,0.2,0.2\n\
         r,0,0.2,0.6,0.2\nr,1,0.4,0.2,0.4\n",
    );
    write("labels.csv", "id,annotator,label\np,a,A\nq,a,tie\nq,b,A\nr,a,B\n");
    let toml = "title = \"pairs\"\nclasses = [\"A\", \"tie\", \"B\"]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \
                \"judge.csv\"\nkind = \"probabilities\"\nswapped = \"order\"\nmirror = [\"A\", \"B\"]\n[labels]\nfile \
                = \"labels.csv\"\nform = \"long\"\n";
    write("study.toml", toml);
    let study = loaded(folder.path());
    let answers = study.judge.answers.as_ref().unwrap().answers(0);
    assert_eq!(answers.collect::<Vec<_>>(), [[0.7, 0.1, 0.2], [0.8, 0.1, 0.1]]);
    let position = Answer::of_labels(&study).position.expect("both orders");
    assert_eq!((position.items, position.without_verdict), (2, 1));
    write("study.toml", &toml.replace("[\"A\", \"B\"]", "[\"A\", \"C\"]"));
    let error = Study::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("judge.mirror = [\"A\", \"C\"]: are not two of the classes"), "{error}");
    write("study.toml", toml);
    write("judge.csv", "id,order,p_A,p_tie,p_B\np,maybe,0.7,0.1,0.2\n");
    let error = Study::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("judge.csv:2:2 (column \"order\", item \"p\"): \"maybe\" is not one of 0, 1"), "{error}");
}

#[test]
fn what_does_not_make_a_study_is_refused() {
    let message = |logs: &[&str], options: LogOptions<'_>| made(logs, &options).unwrap_err().to_string();
    let error = message(&["openai-batch-input.jsonl"], LogOptions::default());
    assert!(error.contains("the logs hold no answer of the judge; add the file with the judge's answers"), "{error}");
    let error = message(
        &["samples_judge_choice.jsonl"],
        LogOptions { id: Some("doc.uid".to_owned()), ..LogOptions::default() },
    );
    assert!(
        error.contains("the header has no column \"doc.uid\"; the table needs the column doc.uid, and has prompt"),
        "{error}"
    );
    let error = message(&["arena-votes.jsonl"], LogOptions::default());
    assert!(error.contains("the logs hold no answer of the judge"), "{error}");
    // Documents of two tasks with the same numbers are not the same items.
    let error = message(&["samples_judge_choice.jsonl", "every-eval-ever-choice_samples.jsonl"], LogOptions::default());
    assert!(error.contains("the document's id is null"), "{error}");
}

#[test]
fn reference_answers_are_labels_on_request() {
    let options =
        LogOptions { id: Some("doc.id".to_owned()), labels_from: Some("doc.gold".to_owned()), ..LogOptions::default() };
    let files = made(&["samples_judge_choice.jsonl"], &options).unwrap();
    assert_eq!((files.audited.rows, &files.audited.chosen), (4, &Labelled::Random));
    let folder = written(&files);
    let study = loaded(folder.path());
    assert_eq!(study.labels.annotators, ["doc.gold"]);
    assert!(!study.items.texts.as_ref().unwrap()[0].contains("urgent"), "{:?}", study.items.texts);
}

/// Answers of judge and people have one scale, on which every one of them is read, whether they stand in a table or in a log.
#[test]
fn a_log_and_a_table_of_the_same_answers_have_one_scale() {
    let cycle = |words: &'static [&'static str]| move |i: usize| words[i % words.len()];
    let cases: [(&[&str], &[&str], &str); 6] = [
        (&["1", "2", "3", "4"], &["2", "4", "3"], "places = [1, 2, 3, 4]"),
        (&["1", "0.0", "1.0"], &["Pass", "fail", "pass"], "classes = [\"fail\", \"Pass\"]"),
        (&["3", "9", "6"], &["Pass", "Pass", "fail"], "classes = [\"fail\", \"Pass\"]"),
        (&["37", "92", "85%"], &["50", "60", "92"], "scale = [0, 100]"),
        (
            &["Agree.", "neutral", "disagree"],
            &["agree", "Disagree"],
            "places = [[\"Disagree\", 1], [\"neutral\", 2], [\"agree\", 3]]",
        ),
        (&["\"billing\"", "other"], &["billing", "Other"], "classes = [\"billing\", \"Other\"]"),
    ];
    for (judge, people, expected) in cases {
        let (judge, people) = (cycle(judge), cycle(people));
        let record = |i: usize| LogRecord {
            prediction: Some(LoggedAnswer::Label(judge(i).to_owned())),
            labels: vec![HumanLabel { annotator: "anna".to_owned(), value: people(i).to_owned() }],
            ..LogRecord::new(Place::default(), &format!("q{i}"))
        };
        let log = Log::new("made", "made", (0..60).map(record).collect());
        let logs = Logs::from_log(PathBuf::from("made.json"), log);
        let study = studies(logs, &Source::default(), &LogOptions::default()).unwrap().remove(0);
        assert_eq!((study.audited.rows, &study.audited.chosen), (60, &Labelled::Random), "{expected}");
        assert!(!study.audited.notices.iter().any(|text| text.starts_with("Left out")), "{expected}");
        let rows = (0..60).map(|i| vec![format!("q{i}"), judge(i).to_owned(), people(i).to_owned()]);
        let cells = CellTable::new(["id", "judge", "human"].map(str::to_owned).to_vec(), rows, "made");
        let table = from_cells(cells, Path::new("made.csv"), &[], (&Labelled::Random, None)).unwrap().remove(0);
        let (_, table) = table.staged(&[]);
        let log = text_of(&study, "study.toml");
        for text in [log.as_str(), table.text("study.toml").unwrap()] {
            assert!(text.lines().any(|line| line == expected), "{expected}\n{text}");
        }
        assert_eq!(text_of(&study, "labels.csv"), table.text("labels.csv").unwrap().replace(",human,", ",anna,"));
        let answers = |text: &str| {
            let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
            let header = lines.next().unwrap();
            let names = if header.iter().any(|name| name.starts_with("p_")) { "p_" } else { "label" };
            let kept: Vec<usize> = (0..header.len()).filter(|&k| header[k].starts_with(names)).collect();
            lines.map(|cells| kept.iter().map(|&k| cells[k].clone()).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        assert_eq!(answers(&text_of(&study, "judge.csv")), answers(table.text("judge.csv").unwrap()), "{expected}");
        let _ = loaded(written(&study).path());
    }
}
