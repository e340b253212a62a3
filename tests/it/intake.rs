//! The way in and the way out, with the program as it is built: tools' exports, Parquet, workbooks, LeWiDi's files, and
//! messages that say what to do.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::repository;

/// A folder with a study.
struct Folder(TempDir);

const CONFIG: &str = "title = \"t\"\nclasses = [\"yes\", \"no\"]\n\n[items]\nfile = \"items.csv\"\ntext = \
                      \"{text}\"\n\n[judge]\nfile = \"judge.csv\"\nkind = \"probabilities\"\n\n[labels]\nfile = \
                      \"labels.csv\"\nform = \"long\"\n";
const ITEMS: &str = "id,text\n1,One\n2,\"Two, or\nthree\"\n3,=SUM(1)\n";
const JUDGE: &str = "id,p_yes,p_no\n1,0.5,0.5\n2,0.9,0.1\n3,0.25,0.75\n";
const LABELS: &str = "id,annotator,label\n1,zoe,yes\n";

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in [("study.toml", CONFIG), ("items.csv", ITEMS), ("judge.csv", JUDGE), ("labels.csv", LABELS)]
        {
            folder.put(name, text);
        }
        folder
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.0.path().join(name)).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from:?} in {name}");
        self.put(name, text.replace(from, to));
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// Runs `study ARGS` in the folder; it must end with `code`.
    fn study(&self, args: &[&str], code: i32) -> String {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
        let output = command.current_dir(self.0.path()).arg("study").args(args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{args:?}\n{stdout}\n{stderr}");
        if code == 0 { stdout } else { stderr }
    }

    /// What `study labels export` lists as id, annotator and label.
    fn labels(&self) -> BTreeSet<(String, String, String)> {
        self.study(&["labels", "export", "--force", "all.csv"], 0);
        let text = self.text("all.csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let cell = |row: &csv::StringRecord, k: usize| row[k].to_owned();
        reader.records().map(|row| row.unwrap()).map(|row| (cell(&row, 0), cell(&row, 1), cell(&row, 2))).collect()
    }
}

fn labels<const N: usize>(rows: [(&str, &str, &str); N]) -> BTreeSet<(String, String, String)> {
    rows.into_iter().map(|(id, by, label)| (id.to_owned(), by.to_owned(), label.to_owned())).collect()
}

fn golden(name: &str) -> String {
    repository("tests/golden").join(name).display().to_string()
}

/// Records in a list, in an object, by column: JSON as notebooks save it.
#[test]
fn labels_of_a_json_document_are_added() {
    for text in [
        r#"[{"id": 1, "annotator": "ann", "label": "yes"},
            {"id": 3, "annotator": "ann", "label": "no"}]"#,
        r#"{"labels": [{"id": 1, "annotator": "ann", "label": "yes"}, {"id": 3, "annotator": "ann", "label": "no"}]}"#,
        r#"{"id": {"0": 1, "1": 3}, "annotator": {"0": "ann", "1": "ann"}, "label": {"0": "yes", "1": "no"}}"#,
    ] {
        let folder = Folder::new();
        folder.put("new.json", text);
        folder.study(&["labels", "add", "new.json", "."], 0);
        assert_eq!(folder.labels(), labels([("1", "ann", "yes"), ("1", "zoe", "yes"), ("3", "ann", "no")]), "{text}");
    }
    let folder = Folder::new();
    folder.put("new.json", "[{\"id\": 1, \"annotator\": \"ann\", \"label\": \"yes\"},\n{\"id\": 9, \"annotator\": \"a\", \"label\": \"no\"}]");
    let error = folder.study(&["labels", "add", "new.json", "."], 2);
    assert!(error.contains("new.json:2 (item \"9\")"), "{error}");
    // The items of a study too.
    folder.put("items.json", r#"[{"id": 1, "text": "One"}, {"id": 2, "text": "Two"}, {"id": 3, "text": "Three"}]"#);
    folder.edit("study.toml", "items.csv", "items.json");
    folder.study(&["check", "."], 0);
}

/// Excel on Windows saves plain "CSV" as Windows-1252; every command reads it, and says of labels that it did.
#[test]
fn tables_in_windows_1252_are_read() {
    let folder = Folder::new();
    // é and “ ” of Windows-1252.
    folder.put("items.csv", b"id,text\n1,caf\xe9\n2,\x93Two\x94\n3,Three\n");
    folder.put("new.csv", b"id;annotator;label\n2;Zo\xe9;no\n3;Zo\xe9;yes\n");
    folder.study(&["check", "."], 0);
    let said = folder.study(&["labels", "add", "new.csv", "."], 0);
    assert!(said.contains("Windows-1252"), "{said}");
    assert_eq!(folder.labels(), labels([("1", "zoe", "yes"), ("2", "Zoé", "no"), ("3", "Zoé", "yes")]));
    folder.put("bad.csv", b"id,annotator,label\n1,Zo\xe9,no\n2,Zo\x81,no\n");
    let error = folder.study(&["labels", "add", "bad.csv", "."], 2);
    assert!(error.contains("bad.csv:3:5: the byte is not a character of UTF-8 or Windows-1252"), "{error}");
}

/// Whoever mends a file wants to know all of it at once.
#[test]
fn all_faults_of_a_file_of_labels_are_told() {
    let folder = Folder::new();
    let rows: String = (10..18).map(|k| format!("{k},ann,yes\n")).collect();
    folder.put("new.csv", format!("id,annotator,label\n1,ann,perhaps\n2,ann,yes\n2,ann,no\n{rows}"));
    let error = folder.study(&["labels", "add", "new.csv", "."], 2);
    for part in ["new.csv:2 ", "\"perhaps\"", "new.csv:4 ", "new.csv:7 ", "and 5 more"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(folder.labels(), labels([("1", "zoe", "yes")]));
}

// Wrong, silently.

/// Label Studio's numbers of tasks, 1 to 3, are the ids of other items here.
#[test]
fn every_export_of_label_studio_reaches_the_right_items_and_can_be_undone() {
    for file in ["csv", "tsv", "json", "min.json"] {
        let folder = Folder::new();
        let said = folder.study(&["labels", "add", &golden(&format!("tools/label-studio-choices.{file}"))], 0);
        assert!(said.contains("3 labels of 2 items added") && said.contains("1 answers left out: blank"), "{said}");
        let added = [("1", "label-studio-7", "no"), ("3", "label-studio-7", "yes"), ("3", "label-studio-8", "no")];
        let mut expected = labels(added);
        expected.extend(labels([("1", "zoe", "yes")]));
        assert_eq!(folder.labels(), expected, "{file}");
        assert!(folder.study(&["labels", "list"], 0).contains(": 3 labels from label-studio-choices."));
        folder.study(&["labels", "remove", &format!("label-studio-choices.{file}")], 0);
        assert_eq!(folder.labels(), labels([("1", "zoe", "yes")]));
        assert!(folder.study(&["labels", "list"], 0).contains(", taken back "));
    }
}

#[test]
fn an_id_column_that_is_not_ours_is_never_guessed() {
    let folder = Folder::new();
    let export = fs::read_to_string(repository("tests/golden/tools/label-studio-choices.csv")).unwrap();
    for (text, message) in [
        (export.replace("\"uid\"", "\"name\""), "this is Label Studio's table, whose id is the number of its task"),
        ("id,uid,annotator,label\n1,3,ann,yes\n".to_owned(), "both columns id and uid could be the items' ids; keep"),
    ] {
        folder.put("export.csv", text);
        let refused = folder.study(&["labels", "add", "export.csv"], 2);
        assert!(refused.contains(message), "{refused}");
    }
    assert!(!folder.0.path().join("labels").exists());
}

#[test]
fn drafts_and_discarded_answers_of_argilla_are_no_labels() {
    let folder = Folder::new();
    let refused = folder.study(&["labels", "add", &golden("tools/argilla-nested.json")], 2);
    assert!(refused.contains("the answer has no status") && refused.contains("flatten=True"), "{refused}");
    let said = folder.study(&["labels", "add", &golden("tools/argilla-flat.json")], 0);
    assert!(said.contains("2 labels of 1 items added") && said.contains("2 answers left out: not submitted"), "{said}");
    // Argilla 1 lists its responses, and an export without any answer is no success.
    folder.put(
        "first.json",
        r#"[{"fields": {}, "external_id": "2", "responses": [
            {"user_id": "u", "status": "submitted", "values": {"label": {"value": "no"}}}]}]"#,
    );
    assert!(folder.study(&["labels", "add", "first.json"], 0).contains("1 labels of 1 items added"));
    folder.put("none.json", r#"[{"id": "2", "fields": {}, "responses": []}]"#);
    let refused = folder.study(&["labels", "add", "none.json"], 2);
    assert!(refused.contains("external") || refused.contains("hold no answer"), "{refused}");
}

#[test]
fn confidence_and_left_out_rows_are_not_misread() {
    let folder = Folder::new();
    folder.edit("study.toml", "\"probabilities\"\n", "\"probabilities\"\nconfidence = \"sure\"\n");
    folder.put("judge.csv", "id,p_yes,p_no,sure\n1,0.5,0.5,0.5\n2,0.9,0.1,0.9\n3,0.25,0.75,0.75\n");
    let refused = folder.study(&["check"], 2);
    assert!(
        refused.contains("all confidences are between 0 and 1") && refused.contains("confidence_range = [0, 1]"),
        "{refused}"
    );
    let folder = Folder::new();
    folder.edit("study.toml", "\n[items]", "unmatched = \"leave_out\"\n\n[items]");
    folder.put("judge.csv", "id,p_yes,p_no\n1,0.5,0.5\n2,,\nx,0.5,0.5\n");
    folder.put("labels.csv", "id,annotator,label\n1,zoe,yes\n2,zoe,no\n3,zoe,no\ny,zoe,no\nz,zoe,no\n");
    let report: Value = serde_json::from_str(&folder.study(&["check", "--json"], 0)).unwrap();
    // Items 2 and 3 have no answer; the labels that they have are not those of unknown items.
    assert_eq!((&report["items"], &report["left_out"].as_array().map(Vec::len)), (&json!(1), &Some(2)), "{report}");
    assert_eq!(
        (&report["judge"]["unknown_rows"], &report["labels"]["unknown_rows"]),
        (&json!(1), &json!(2)),
        "{report}"
    );
}

// Refused without need.

#[test]
fn every_layout_of_a_table_is_read_with_the_same_results() {
    let plain = Folder::new();
    plain.study(&["run"], 0);
    let items = plain.text("run/items.csv");
    let other = |change: &dyn Fn(&Folder)| {
        let folder = Folder::new();
        change(&folder);
        folder.study(&["run"], 0);
        assert_eq!(folder.text("run/items.csv"), items);
    };
    other(&|folder| {
        let divided = JUDGE.replace(',', ";");
        folder.put("judge.csv", divided);
    });
    other(&|folder| {
        let divided = JUDGE.replace(',', "\t");
        folder.put("judge.csv", divided);
    });
    other(&|folder| {
        folder.put("a.jsonl", "{\"id\": 1, \"p_yes\": 0.5, \"p_no\": 0.5}\n");
        folder.put(
            "b.jsonl",
            "{\"id\": \"2\", \"p\": {\"yes\": 0.9, \"no\": 0.1}}\n{\"id\": 3, \"p_yes\": 0.25, \"p_no\": 0.75}\n",
        );
        folder.edit("study.toml", "\"judge.csv\"", "[\"a.jsonl\", \"b.jsonl\"]");
    });
}

#[test]
fn real_test_predictions_of_lewidi_make_a_first_queue_and_come_back() {
    let folder = Folder::new();
    let item = |n: usize| {
        format!(
            "\"{n}\": {{\"text\": {{\"post\": \"p{n}\"}}, \"annotators\": \"Ann1,Ann2\", \"annotations\": {{}}, \
             \"soft_label\": {{}}}}"
        )
    };
    folder.put("MP_test_clear.json", format!("{{{}}}", (1..=4).map(item).collect::<Vec<_>>().join(",\n")));
    let config = |items: &str, judge: &str| {
        format!(
            "title = \"MP\"\n{items}\nformat = \"lewidi\"\ntext = \"{{text_post}}\"\n\n[judge]\nformat = \
             \"lewidi\"\n{judge}\n"
        )
    };
    let classes = "classes = [\"0\", \"1\"]\n\n[items]\nfile = \"MP_test_clear.json\"";
    folder.put("study.toml", config(classes, "file = \"mp_test_soft.tsv\"\nkind = \"probabilities\""));
    let soft = "1\t[0.25, 0.75]\n2\t[0.5, 0.5]\n3\t[0.9, 0.1]\n4\t[0.4, 0.6]\n";
    folder.put("mp_test_soft.tsv", soft);
    folder.study(&["queue", "--rule", "judge_entropy", "--budget", "1"], 0);
    assert!(folder.text("queue/queue.csv").lines().nth(1).unwrap().starts_with("1,2,p2,"));
    folder.study(&["run"], 0);
    // A label for each annotator, in place of shares.
    folder.put("mp_test_pe.tsv", "1\t[1, 0]\n2\t[1, 1]\n3\t[0, 0]\n4\t['0', '1']\n");
    folder.put("study.toml", config(classes, "file = \"mp_test_pe.tsv\"\nkind = \"counts\""));
    folder.study(&["queue", "--rule", "judge_entropy", "--budget", "2", "--force"], 0);
    assert!(
        folder.text("queue/queue.csv").lines().skip(1).all(|line| line.contains(",1,p1,") || line.contains(",4,p4,"))
    );
    folder.put("study.toml", config(classes, "file = \"mp_test_pe.tsv\"\nkind = \"labels\""));
    assert!(
        folder
            .study(&["check"], 2)
            .contains("write kind = \"probabilities\" for soft predictions, or kind = \"counts\"")
    );
}

#[test]
fn varierrnli_goes_in_and_out_nested() {
    let folder = Folder::new();
    let item = |n: usize, annotations: &str| {
        format!(
            "\"{n}\": {{\"annotation task\": \"natural language inference\", \"text\": {{\"context\": \"c{n}\", \
             \"statement\": \"s{n}\"}}, \"number of annotators\": 2, \"annotators\": \"Ann1,Ann2\", \"annotations\": \
             {{{annotations}}}, \"soft_label\": {{\"entailment\": {{\"0\": 0.5, \"1\": 0.5}}}}, \"other_info\": \
             {{\"explanations\": [[\"entailment\", \"because\"]]}}, \"split\": \"dev\", \"lang\": \"en\"}}"
        )
    };
    let both = "\"Ann1\": \"entailment,neutral\", \"Ann2\": [\"contradiction\"]";
    folder.put(
        "VariErrNLI_dev.json",
        format!("{{{},\n{}}}", item(5, both), item(6, "\"Ann1\": \"neutral\", \"Ann2\": \"\"")),
    );
    folder.put("ven_dev_soft.tsv", "5\t[[0.5, 0.5], [0.25, 0.75], [0.5, 0.5]]\n6\t[[1, 0], [0.5, 0.5], [0.1, 0.9]]\n");
    folder.put(
        "study.toml",
        "title = \"VEN\"\nclasses = [\"0\", \"1\"]\n\n[items]\nfile = \"VariErrNLI_dev.json\"\nformat = \
         \"lewidi\"\nmultilabel = [\"contradiction\", \"entailment\", \"neutral\"]\ntext = \"{text_context} \
         {text_statement} {label}?\"\n\n[judge]\nfile = \"ven_dev_soft.tsv\"\nformat = \"lewidi\"\nkind = \
         \"probabilities\"\n\n[labels]\nfile = \"VariErrNLI_dev.json\"\nformat = \"lewidi\"\n",
    );
    folder.study(&["run"], 0);
    // A 0 or 1 of each annotator for each label.
    folder.put("ven_dev_soft.tsv", "5\t[[0, 1], [1, 1], [0, 0]]\n6\t[[0, 0], [0, 1], [1, 1]]\n");
    folder.edit("study.toml", "kind = \"probabilities\"", "kind = \"counts\"");
    let report: Value = serde_json::from_str(&folder.study(&["check", "--json"], 0)).unwrap();
    assert_eq!((&report["items"], &report["judge"]["answers"]), (&json!(6), &json!(6)));
    assert_eq!(report["labels"]["labels"], json!(9));
}

#[test]
fn ratings_of_lewidi_are_scores() {
    let folder = Folder::new();
    let item = |n: usize, one: i32, two: i32| {
        format!(
            "\"{n}\": {{\"text\": {{\"q\": \"t{n}\"}}, \"annotations\": {{\"Ann1\": \"{one}\", \" Ann2\": \"{two}\"}}, \
             \"soft_label\": {{\"0\": 0.5}}}}"
        )
    };
    folder.put("Paraphrase_dev.json", format!("{{{}, {}, {}}}", item(1, -5, 3), item(2, 4, 5), item(3, 0, 0)));
    folder.put("par_dev_pe.tsv", "1\t[-4, 2]\n2\t[5, 5]\n3\t[1, -1]\n");
    folder.put(
        "study.toml",
        "title = \"Par\"\nscale = [-5, 5]\n\n[items]\nfile = \"Paraphrase_dev.json\"\nformat = \"lewidi\"\ntext = \
         \"{text_q}\"\n\n[judge]\nfile = \"par_dev_pe.tsv\"\nformat = \"lewidi\"\n\n[labels]\nfile = \
         \"Paraphrase_dev.json\"\nformat = \"lewidi\"\n",
    );
    folder.study(&["run"], 0);
    folder.study(&["labels", "export", "all.csv"], 0);
    let text = folder.text("all.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "id,annotator,label,added,judge");
    assert_eq!(lines[1..3], ["1,Ann1,-5,,-1", "1,Ann2,3,,-1"]);
    let refused = folder.study(&["labels", "export", "Paraphrase_dev.csv.json"], 2);
    assert!(refused.contains("ends in neither .csv nor .parquet"), "{refused}");
}

// Messages that help.

#[test]
fn messages_say_what_is_meant() {
    let cases: [(&str, &str, &str, &[&str]); 9] = [
        (
            "items.csv",
            "id,text",
            "ID ,text",
            &["items.csv:1: the header has no column \"id\"; write id instead of \"ID \""],
        ),
        ("items.csv", "id,text", "key,text", &["the table needs the column id, and has key, text"]),
        (
            "judge.csv",
            "1,0.5,0.5",
            "1.0,0.5,0.5",
            &["the id \"1.0\" is unknown: ", "items.csv has \"1\"; write \"1\", letter by letter"],
        ),
        ("judge.csv", "2,0.9,0.1", "002,0.9,0.1", &["the id \"002\" is unknown: ", "has \"2\""]),
        ("labels.csv", "1,zoe,yes", "1 ,zoe,yes", &["the id \"1 \" is unknown: ", "has \"1\""]),
        ("labels.csv", "1,zoe,yes", "1,zoe,Yes", &["\"Yes\" is not one of yes, no; write \"yes\""]),
        (
            "judge.csv",
            "1,0.5,0.5",
            "1,0.5,0.5\n1,0.6,0.4",
            &["name the column that says which, under [judge]: variant = \"COLUMN\""],
        ),
        ("judge.csv", "1,0.5,0.5", "1,1e308,0.5", &["the probabilities sum to 1e308, more than 1"]),
        ("judge.csv", "1,0.5,0.5", "1,-1e308,0.5", &["-1e308 is outside the range of 0 and more"]),
    ];
    for (file, from, to, messages) in cases {
        let folder = Folder::new();
        folder.edit(file, from, to);
        let refused = folder.study(&["check"], 2);
        for message in messages {
            assert!(refused.contains(message), "{to:?}: {refused}");
        }
    }
    // Semicolons, and a header in capitals.
    let folder = Folder::new();
    folder.put("items.csv", "ID;text\n1;One\n");
    let refused = folder.study(&["check"], 2);
    assert!(refused.contains("write id instead of \"ID\""), "{refused}");
    // What the judge still has to be asked.
    let folder = Folder::new();
    fs::remove_file(folder.0.path().join("judge.csv")).unwrap();
    let refused = folder.study(&["check"], 2);
    assert!(refused.contains("`judge-uncertainty judge run . --out DIR`"), "{refused}");
}

/// No message repeats how the program's own types are written.
#[test]
fn messages_show_settings_as_they_are_written() {
    for (from, to) in [
        ("file = \"judge.csv\"", "file = \"judge.csv\"\nformat = \"chaosnli\""),
        ("kind = \"probabilities\"", "kind = \"probabilities\"\ncolumns = \"p_{variant}_{class}\""),
        ("form = \"long\"", "form = \"long\"\nformat = \"lewidi\""),
        ("form = \"long\"", "form = \"long\"\n[trust]\nbelief = \"groups\""),
        ("form = \"long\"", "form = \"long\"\n[evaluation]\nbudgets = [0]"),
        ("classes = [\"yes\", \"no\"]", "scale = [1, 1e300]"),
        ("classes = [\"yes\", \"no\"]", "places = [1, 1e300]"),
        ("classes = [\"yes\", \"no\"]", "places = [[1, \"a\"], [2, \"b\"]]"),
        ("classes = [\"yes\", \"no\"]", "classes = \"yes\""),
        ("title = \"t\"", "title = \"t\"\nseed = -1"),
        ("form = \"long\"", "form = \"long\"\n[evaluation]\nbudgets = [1e300]"),
        ("form = \"long\"", "form = \"long\"\n[evaluation]\nreplicates = 99999999999999999999"),
        ("form = \"long\"", "form = \"long\"\n[familiarity]\nneighbours = -5"),
        ("form = \"long\"", "form = \"long\"\n[trust]\nbelief = { recalibrated = 3 }"),
    ] {
        let folder = Folder::new();
        folder.edit("study.toml", from, to);
        let refused = folder.study(&["check"], 2);
        for word in ["Some(", "None", "Recalibrated", "Options", "LeWiDi)", "ChaosNli", "ByGroup"] {
            assert!(!refused.contains(word), "{to}: {refused}");
        }
        for word in ["u32", "u64", "usize", "128", "sequence", "untagged", "struct ", "0000000000000000000000000"] {
            assert!(!refused.contains(word), "{to}: {refused}");
        }
        assert!(refused.contains("study.toml:") && refused.len() < 900, "{to}: {refused}");
    }
}

#[test]
fn an_evaluation_that_is_not_possible_says_what_it_takes() {
    let folder = Folder::new();
    let said = folder.study(&["check"], 0);
    assert!(said.contains("0 items have 20 labels or more (evaluation.least_labels), where 20 are needed"), "{said}");
    folder.study(&["run"], 0);
    let report = folder.text("run/results/study.json");
    assert!(!report.contains("0.000000000"), "a deviation that is none");
}

// Parquet and workbooks.

#[test]
fn parquet_stands_wherever_csv_does() {
    let folder = Folder::new();
    folder.put(
        "study.toml",
        format!(
            "title = \"t\"\nclasses = [\"yes\", \"no\"]\n\n[items]\nfile = \"hub\"\n\n[judge]\nfile = \
             \"judge.csv\"\nkind = \"probabilities\"\n\n[labels]\nfile = \"{}\"\nform = \"long\"\n",
            golden("parquet/datasets/data/train-00000-of-00002.parquet")
        ),
    );
    for part in ["train-00000-of-00002.parquet", "train-00001-of-00002.parquet"] {
        folder.put(&format!("hub/data/{part}"), fs::read(golden(&format!("parquet/datasets/data/{part}"))).unwrap());
    }
    folder.put("judge.csv", (0..5).fold("id,p_yes,p_no\n".to_owned(), |text, k| text + &format!("item {k},0.5,0.5\n")));
    let expected =
        labels([("item 0", "ann", "yes"), ("item 1", "ben", "no"), ("item 3", "ben", "yes"), ("item 4", "ann", "no")]);
    assert_eq!(folder.labels(), expected);
    // The run's items and exported labels go in again.
    folder.study(&["run"], 0);
    folder.study(&["labels", "export", "labels.parquet"], 0);
    let first = folder.text("run/items.csv");
    folder.edit("study.toml", "file = \"hub\"", "file = \"run/items.parquet\"");
    folder.edit("study.toml", &golden("parquet/datasets/data/train-00000-of-00002.parquet"), "labels.parquet");
    folder.study(&["run", "--out", "again"], 0);
    assert_eq!(folder.text("again/items.csv"), first);
    assert_eq!(folder.labels(), expected);
    // The study's own file is not replaced.
    let refused = folder.study(&["labels", "export", "--force", "labels.parquet"], 2);
    assert!(refused.contains("the study reads this file; choose another name"), "{refused}");
    // Labels come back as Parquet, too.
    folder.put("study.toml", folder.text("study.toml").split("[labels]").next().unwrap());
    let said = folder.study(&["labels", "add", &golden("parquet/datasets/zstd.parquet")], 0);
    assert!(said.contains("2 labels of 2 items added") && said.contains("1 answers left out: blank"), "{said}");
    folder.study(&["queue", "--budget", "2"], 0);
    folder.edit("study.toml", "file = \"run/items.parquet\"", "file = \"queue/queue.parquet\"\ntext = \"{id}\"");
    let report: Value = serde_json::from_str(&{
        folder.edit("study.toml", "\n[items]", "unmatched = \"leave_out\"\n\n[items]");
        folder.study(&["check", "--json"], 0)
    })
    .unwrap();
    assert_eq!(report["items"], json!(2));
}

#[test]
fn a_spreadsheet_goes_out_and_comes_back_filled_in() {
    let folder = Folder::new();
    folder.edit("study.toml", "\n[items]", "instruction = \"Is it <good>?\"\n\n[items]");
    folder.study(&["queue", "--budget", "3", "--rule", "random"], 0);
    let sheet = folder.text("queue/spreadsheet.csv");
    assert!(sheet.starts_with("id,text,choices,label,annotator\n") && sheet.contains("One,yes | no,,\n"), "{sheet}");
    assert!(!sheet.contains("0.9"), "the judge's prediction");
    // As it went out it has no label yet.
    for (name, rows) in [("queue/spreadsheet.csv", 3), ("queue/spreadsheet.xlsx", 3)] {
        let said = folder.study(&["labels", "add", name], 0);
        assert!(said.contains("Nothing to add") && said.contains(&format!("{rows} answers left out: blank")), "{said}");
    }
    folder.put("filled.csv", sheet.replace("One,yes | no,,\n", "One,yes | no,no,\n"));
    let refused = folder.study(&["labels", "add", "filled.csv"], 2);
    assert!(refused.contains("(column \"annotator\", item \"1\"): the cell is blank"), "{refused}");
    folder.study(&["labels", "add", "filled.csv", "--annotator", "ann"], 0);
    assert_eq!(folder.labels(), labels([("1", "zoe", "yes"), ("1", "ann", "no")]));
    // Filled in by another program (tests/golden/tools/make_spreadsheet.py).
    let said = folder.study(&["labels", "add", &golden("tools/spreadsheet.xlsx")], 0);
    assert!(said.contains("2 labels of 2 items added"), "{said}");
    assert!(folder.labels().is_superset(&labels([("2", "ben", "yes"), ("3", "ben", "no")])));
}

#[test]
fn workbooks_are_tables_of_the_study() {
    let folder = Folder::new();
    folder.put("items.xlsx", fs::read(golden("tools/items.xlsx")).unwrap());
    folder.edit("study.toml", "\"items.csv\"", "\"items.xlsx\"");
    let report: Value = serde_json::from_str(&folder.study(&["check", "--json"], 0)).unwrap();
    assert_eq!(report["items"], json!(3));
    folder.edit("judge.csv", "2,0.9,0.1\n", "");
    let refused = folder.study(&["check"], 2);
    assert!(refused.contains("(item \"2\"): 1 of 3 items have no answer"), "{refused}");
    folder.put("items.xlsx", &fs::read(golden("tools/items.xlsx")).unwrap()[..2000]);
    let refused = folder.study(&["check"], 2);
    assert!(refused.contains("items.xlsx: "), "{refused}");
}

/// Each tool's import has its instruction, and the ids under which answers come back.
#[test]
fn every_tool_is_told_what_to_do() {
    let folder = Folder::new();
    folder.edit("study.toml", "\n[items]", "instruction = \"Is it <good>?\"\n\n[items]");
    folder.study(&["queue", "--budget", "3", "--rule", "random"], 0);
    let queue = |name: &str| folder.text(&format!("queue/{name}"));
    assert!(queue("label-studio.xml").contains("<Header value=\"Is it &lt;good&gt;?\"/>"));
    let settings: Value = serde_json::from_str(&queue("argilla-settings.json")).unwrap();
    assert_eq!(settings["guidelines"], json!("Is it <good>?"));
    let settings: Value = serde_json::from_str(&queue("prodigy.json")).unwrap();
    assert!(queue(settings["instructions"].as_str().unwrap()).contains("Is it &lt;good&gt;?"));
    let labels: Value = serde_json::from_str(&queue("doccano-labels.json")).unwrap();
    assert_eq!(
        labels.as_array().unwrap().iter().map(|label| label["text"].as_str().unwrap()).collect::<Vec<_>>(),
        ["yes", "no"]
    );
    for (file, id) in [("doccano.jsonl", "uid"), ("prodigy.jsonl", "uid"), ("argilla.jsonl", "id")] {
        let ids: BTreeSet<String> = queue(file)
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()[id].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(ids, ["1", "2", "3"].map(str::to_owned).into(), "{file}");
    }
    assert!(!queue("doccano.jsonl").contains("suggestion"));
}

#[test]
fn every_export_of_doccano_reaches_the_right_items() {
    let expected = [("3", "ann", "yes"), ("1", "ann", "no"), ("3", "ben", "no")];
    for file in ["doccano.jsonl.zip", "doccano.json.zip", "doccano.csv.zip"] {
        let folder = Folder::new();
        fs::remove_file(folder.0.path().join("labels.csv")).unwrap();
        folder.put("study.toml", CONFIG.split("[labels]").next().unwrap());
        folder.study(&["labels", "add", &golden(&format!("tools/{file}"))], 0);
        assert_eq!(folder.labels(), labels(expected), "{file}");
    }
    // Who labelled stands nowhere in a file alone.
    let folder = Folder::new();
    let one = repository("tests/golden/tools/doccano-ann.jsonl");
    let refused = folder.study(&["labels", "add", path(&one)], 2);
    assert!(refused.contains("do not say who labelled them") && refused.contains("--annotator NAME"), "{refused}");
    folder.study(&["labels", "add", path(&one), "--annotator", "ann"], 0);
    assert!(folder.labels().is_superset(&labels([("3", "ann", "yes"), ("1", "ann", "no")])));
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}
