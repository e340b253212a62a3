//! What comes from files reaches the terminal without the controls that it holds, whatever the command.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::{note_trials, repository};

/// A title of the window, colours in both notations, a bell, a backspace, and a text from right to left.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}31m\u{8}\u{202e}\u{2066}\u{7f}\u{85}end";

/// Items to apply the belief of the starter study to.
pub(super) const FURTHER: &str = "id,words,confidence,p_plain_positive,p_plain_negative,p_plain_mixed,\
                                  p_strict_positive,p_strict_negative,p_strict_mixed,n_positive,n_negative,n_mixed\n\
                                  n1,5,60,0.5,0.3,0.2,0.4,0.4,0.2,0,0,0\nn2,7,70,0.2,0.3,0.5,0.2,0.2,0.6,1,0,0\n";

/// Runs a command on a terminal of its own; what it showed.
fn shown(folder: &Path, arguments: &[&str]) -> (Vec<u8>, Output) {
    let quoted = |text: &&str| format!("'{}'", text.replace('\'', "'\\''"));
    let program = assert_cmd::cargo::cargo_bin!("judge-uncertainty").display().to_string();
    let command = [vec![program.as_str()], arguments.to_vec()].concat();
    let command = command.iter().map(quoted).collect::<Vec<_>>().join(" ");
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(folder).env("TERM", "xterm").stdin(Stdio::null());
    let output = script.output().expect("`script` of util-linux is installed");
    (output.stdout.clone(), output)
}

/// On a terminal, without arguments, `study init` asks for a table and a folder; what is typed there.
#[test]
fn study_init_asks_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..12).map(|i| format!("m{i},Message {i},{}\n", ["pass", "fail"][i % 2])).collect();
    fs::write(folder.path().join("t.csv"), format!("id,text,judge_verdict\n{rows}")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("judge-uncertainty").display().to_string();
    for (typed, study, said) in [("\n\n", "my-study", "study check my-study"), ("t.csv\nmine\n", "mine", "Label next:")]
    {
        let mut script = Command::new("script");
        script.args(["-qec", &format!("'{program}' study init"), "/dev/null"]).current_dir(folder.path());
        let mut running = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        running.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let output = running.wait_with_output().unwrap();
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && shown.contains("Table with a row per item") && shown.contains(said),
            "{shown}"
        );
        assert!(folder.path().join(study).join("study.toml").is_file());
    }
}

/// What a file could have put there; bars and colours of the program's own are other sequences.
fn raw(shown: &[u8]) -> Vec<&'static str> {
    let controls = [
        ("\u{1b}]", "the title of the window"),
        ("\u{1b}[31m", "a colour"),
        ("\u{9b}", "a control of C1"),
        ("\u{85}", "a line end of C1"),
        ("\u{7}", "a bell"),
        ("\u{8}", "a backspace"),
        ("\u{7f}", "a delete"),
        ("\u{202e}", "an override"),
        ("\u{2066}", "an isolate"),
    ];
    let has = |bytes: &[u8]| shown.windows(bytes.len()).any(|window| window == bytes);
    controls.iter().filter(|(control, _)| has(control.as_bytes())).map(|(_, name)| *name).collect()
}

/// The starter study with controls in its title, texts, ids, annotators and paths, where it may have them.
fn hostile(folder: &Path) {
    let study = folder.join("s");
    fs::create_dir(&study).unwrap();
    for file in ["items.csv", "judge.csv", "labels.csv", "study.toml"] {
        let text = fs::read_to_string(repository("examples/starter").join(file)).unwrap();
        // The id r02 and the text of r03, in every file.
        let text = match file {
            "study.toml" => text,
            "items.csv" => {
                let row = text.lines().find(|line| line.starts_with("r03,")).unwrap().to_owned();
                let cells: Vec<&str> = row.splitn(2, ',').collect();
                text.replace(&row, &format!("r03,{HOSTILE} {}", cells[1].trim_matches('"')))
                    .replace("r02", &format!("r02{HOSTILE}"))
            }
            _ => text.replace("r02", &format!("r02{HOSTILE}")),
        };
        fs::write(study.join(file), text).unwrap();
    }
    let odd = format!("{HOSTILE}.csv");
    fs::write(folder.join(&odd), format!("id,annotator,label\nr01,{HOSTILE},mixed\nr02{HOSTILE},zoe,mixed\n")).unwrap();
    fs::write(folder.join("wrong.csv"), format!("id,annotator,label\n{HOSTILE},zoe,mixed\n")).unwrap();
    fs::write(folder.join("value.csv"), format!("id,annotator,label\nr01,zoe,{HOSTILE}\n")).unwrap();
    fs::write(folder.join("further.csv"), FURTHER.replace("n2", &format!("n2{HOSTILE}"))).unwrap();
    fs::write(folder.join("plan.toml"), format!("[[hypothesis]]\nid = {:?}\n", "x")).unwrap();
    let missing = fs::read_to_string(study.join("study.toml")).unwrap();
    fs::create_dir(folder.join("lost")).unwrap();
    fs::write(
        folder.join("lost/study.toml"),
        missing.replace("items.csv", "i\\u001b]0;owned\\u0007\\u009b31m\\u202e.csv"),
    )
    .unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn no_command_shows_a_terminal_what_steers_it() {
    let folder = tempfile::tempdir().unwrap();
    hostile(folder.path());
    let odd = format!("{HOSTILE}.csv");
    let dry = ["judge", "run", "s", "--dry-run", "--model", "m", "--out", "j"];
    let commands: &[&[&str]] = &[
        &["study", "check", "s"],
        &["study", "check", "s", "--json"],
        &["study", "check", "lost"],
        &["study", "run", "lost"],
        &["study", "labels", "add", &odd, "s"],
        &["study", "labels", "add", "wrong.csv", "s"],
        &["study", "labels", "add", "value.csv", "s"],
        &["study", "labels", "list", "s"],
        &["study", "run", "s", "--replicates", "2"],
        &["study", "run", "s", "--replicates", "2", "--force", "--json"],
        &["study", "plan", "s"],
        &["study", "queue", "s", "--budget", "100%", "--explore", "1"],
        &["study", "queue", "s", "--budget", "3", "--force", "--json"],
        &["study", "label", "s"],
        &["study", "labels", "export", "all.csv", "s"],
        &["study", "labels", "remove", "one.csv", "s"],
        &["study", "labels", "set-aside", "s"],
        &["study", "compare", "s", "s"],
        &["study", "register", "s", "--plan", "plan.toml"],
        &["audit", &odd, "--out", "made"],
        &["apply", "s/run", "--items", "further.csv", "--out", "applied"],
        &["apply", "s/run", "--items", &odd, "--out", "again"],
        &dry,
        &["embed", "--items", &odd, "--text", "{text}", "--model", "none", "--out", "m.npy"],
        &["neighbours", "--embeddings", "s/items.csv"],
        &["compare", &odd, &odd],
        &["verify", "--artifact", &odd],
        &["render", "--artifact", &odd],
        &["verify", "--claims", &odd],
        &["audit", &odd],
        &["explain", HOSTILE],
        &["reproduce", "--only", "dice", "--data", &odd, "--out", "a"],
        &["data", "fetch", "chaosnli", "--from", &odd],
    ];
    let mut succeeded = 0;
    for arguments in commands {
        let (bytes, output) = shown(folder.path(), arguments);
        let found = raw(&bytes);
        assert!(found.is_empty(), "{arguments:?}: {found:?} in {}", String::from_utf8_lossy(&bytes).escape_debug());
        assert!(!bytes.is_empty(), "{arguments:?} shows nothing");
        succeeded += usize::from(output.status.success());
    }
    assert!(succeeded >= 14, "{succeeded} of {} commands succeeded", commands.len());
    note_trials("commands on a terminal over files with controls", commands.len(), "shows a control raw", 0);
}
