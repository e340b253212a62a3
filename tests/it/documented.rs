//! Commands in README, REPRODUCE and the guides: each exists with its options, and those that are quick do what is
//! promised.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{repository, run};

/// Lines of a document's `sh` blocks that call the program, without comments, by file; `.ci/documented` runs them all.
fn commands() -> Vec<(String, String)> {
    let guides = fs::read_dir(repository("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = guides.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    files.extend([repository("README.md"), repository("REPRODUCE.md")]);
    files.sort();
    let mut commands = vec![];
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let blocks = text.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
        for line in blocks.flat_map(str::lines) {
            let line = line
                .trim()
                .strip_prefix("cargo run --release -- ")
                .map_or(line.trim().to_owned(), |rest| format!("judge-uncertainty {rest}"));
            if line.starts_with("judge-uncertainty ") {
                commands.push((file.file_name().unwrap().to_string_lossy().into_owned(), line));
            }
        }
    }
    commands
}

/// Words of a command up to a comment, a pipe or a redirection.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().skip(1).take_while(|word| !["#", "|", ">", "2>", "&&", ";", "\\"].contains(word)).collect()
}

#[test]
fn every_documented_command_has_the_options_it_is_shown_with() {
    let commands = commands();
    assert!(commands.len() > 25, "{}", commands.len());
    let mut seen = BTreeSet::new();
    for (file, line) in &commands {
        let words = words(line);
        let named = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
        let help = (1..=words.iter().take(3).take_while(named).count()).rev().find_map(|depth| {
            let path = &words[..depth];
            // Only what the level above lists is a command; the rest is an argument.
            let mut args: Vec<&str> = path[..depth - 1].to_vec();
            args.push("--help");
            let (above, _) = run(&args, 0);
            let listed = above.lines().any(|l| l.split_whitespace().next() == path.last().copied());
            listed.then(|| run(&[path, &["--help"]].concat(), 0).0)
        });
        let help = help.unwrap_or_else(|| panic!("{file}: `{line}`: no such command"));
        for option in words.iter().filter(|word| word.starts_with("--")) {
            let option = option.split('=').next().unwrap();
            if seen.insert((words[0].to_owned(), option.to_owned())) {
                assert!(help.contains(option), "{file}: `{line}`: no option {option}");
            }
        }
    }
}

/// The exit status that a line promises in its comment; 0 where it promises none.
fn promised(line: &str) -> i32 {
    let (_, comment) = line.split_once('#').unwrap_or(("", ""));
    let number = comment.split_once("exit status ").map(|(_, rest)| rest.trim_end_matches('.').trim());
    number.and_then(|text| text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).unwrap_or(0)
}

#[test]
fn quick_commands_for_reviewers_end_as_promised() {
    let quick: Vec<_> = commands()
        .into_iter()
        .filter(|(file, line)| {
            ["REPRODUCE.md", "review.md"].contains(&file.as_str())
                && ["judge-uncertainty verify", "judge-uncertainty explain"].iter().any(|c| line.starts_with(c))
                && !line.contains("wrong.toml")
        })
        .collect();
    assert!(quick.len() >= 4, "{quick:?}");
    for (_, line) in quick {
        run(&words(&line), promised(&line));
    }
}
