//! Asking a judge: the real program against a server that speaks the protocol and misbehaves on purpose.

mod endpoint;
mod exchange;
mod parsing;
mod resume;
mod server;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use server::Server;

/// A key that no other text holds.
const KEY: &str = "sk-test/9f2c4b7e+KEEP-ME-SECRET";

/// A folder with items, in which the program runs.
struct Desk {
    folder: TempDir,
    items: usize,
}

impl Desk {
    fn with(items: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rows: String = (0..items).map(|i| format!("item-{i},text number {i}\n")).collect();
        fs::write(folder.path().join("items.csv"), format!("id,text\n{rows}")).unwrap();
        let desk = Desk { folder, items };
        desk.scale("classes = [\"red\", \"green\", \"blue\"]");
        desk
    }

    /// Makes the folder a study with labels on this scale, whose judge is asked.
    fn scale(&self, scale: &str) {
        let classes =
            if scale.starts_with("classes") { ("kind = \"probabilities\"\n", "form = \"long\"\n") } else { ("", "") };
        let items = "[items]\nfile = \"items.csv\"\ntext = \"{text}\"\n";
        let judge = format!("[judge]\nfile = \"out/predictions.csv\"\nvariant = \"variant\"\n{}", classes.0);
        let labels = format!("[labels]\nfile = \"labels.csv\"\n{}", classes.1);
        fs::write(self.path("study.toml"), format!("title = \"colours\"\n{scale}\n{items}{judge}{labels}")).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn out(&self, name: &str) -> PathBuf {
        self.path("out").join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.out(name)).unwrap()
    }

    /// One question per item: a distribution over red, green and blue under one variant.
    fn run(&self, server: &Server) -> Command {
        let mut command = self.command();
        command.args(["judge", "run", ".", "--out", "out"]);
        command.args(["--variants", "neutral", "--confidence", "none", "--model", "test-model"]);
        command.args(["--base-url", &server.base()]);
        command
    }

    fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
        command.current_dir(self.folder.path()).env("OPENAI_API_KEY", KEY).stdin(Stdio::null());
        command.env("JUDGE_UNCERTAINTY_TEST_WAITS", "10,10000");
        command
    }

    fn entries(&self) -> Vec<Value> {
        lines(&self.out("answers.jsonl"))
    }

    fn summary(&self) -> Value {
        serde_json::from_str(&self.text("summary.json")).unwrap()
    }

    /// Shares of each item, none where the cells are blank.
    fn predictions(&self) -> BTreeMap<String, Option<Vec<f64>>> {
        let text = self.text("predictions.csv");
        let rows = text.lines().skip(1).map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let shares = cells[2..5].iter().map(|cell| cell.parse().ok()).collect();
            (cells[0].to_owned(), shares)
        });
        rows.collect()
    }
}

/// JSON lines; every line must be whole.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "torn: {:?}", text.lines().last());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs a command that must end with `code`; standard output and standard error.
fn ends(command: &mut Command, code: i32) -> (String, String) {
    let output = command.output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(code), "{command:?}\n{stdout}\n{stderr}");
    (stdout, stderr)
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// Counts by kind as the summary has them.
fn counts(value: &Value) -> BTreeMap<String, u64> {
    value.as_object().unwrap().iter().map(|(kind, count)| (kind.clone(), count.as_u64().unwrap())).collect()
}
