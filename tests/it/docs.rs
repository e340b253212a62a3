//! The documents: how long they and their sentences are, where links lead, and whether readers find their answers.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::repository;

/// README, REPRODUCE and every page below `docs`, by path from the root, with their text.
fn pages() -> Vec<(String, String)> {
    let mut names: Vec<String> = fs::read_dir(repository("docs"))
        .unwrap()
        .map(|entry| format!("docs/{}", entry.unwrap().file_name().to_string_lossy()))
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    names.extend(["README.md", "REPRODUCE.md", "docs/schemas/README.md"].map(str::to_owned));
    names.into_iter().map(|name| (name.clone(), fs::read_to_string(repository(&name)).unwrap())).collect()
}

/// The paragraphs of a page: its text without code, tables and headings; each item of a list is one.
fn paragraphs(page: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut code = false;
    for line in page.lines() {
        let start = line.trim_start();
        if start.starts_with("```") {
            code = !code;
        }
        let item = start.starts_with("- ")
            || start.starts_with("* ")
            || start.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
        let apart =
            code || start.is_empty() || start.starts_with("```") || start.starts_with('|') || start.starts_with('#');
        if apart || item {
            paragraphs.push(String::new());
        }
        if !apart {
            let paragraph = paragraphs.last_mut().unwrap();
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    paragraphs
}

/// The sentences of a paragraph: what ends in a full stop, colon, semicolon, question or exclamation mark before a
/// blank.
fn sentences(paragraph: &str) -> Vec<String> {
    let mut sentences = vec![String::new()];
    for word in paragraph.split_whitespace() {
        let sentence = sentences.last_mut().unwrap();
        sentence.push_str(word);
        sentence.push(' ');
        if word.trim_end_matches(['*', ')', '"', '`']).ends_with(['.', ':', ';', '?', '!']) {
            sentences.push(String::new());
        }
    }
    sentences
}

#[test]
fn no_sentence_has_more_than_forty_words() {
    let mut long = Vec::new();
    for (name, text) in pages() {
        for sentence in paragraphs(&text).iter().flat_map(|paragraph| sentences(paragraph)) {
            let words = sentence.split_whitespace().count();
            if words > 40 {
                long.push(format!("{name}: {words} words: {sentence}"));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// All but what is generated: code, outputs of the program, and the list of keys.
#[test]
fn all_that_is_written_has_at_most_14_000_words() {
    let of = |text: &str| text.split("```").step_by(2).flat_map(str::split_whitespace).count();
    let words: usize = pages().iter().filter(|(name, _)| name != "docs/keys.md").map(|(_, text)| of(text)).sum();
    assert!(words <= 14_000, "{words} words");
}

/// The page with what the program prints below each `$ judge-uncertainty ...` that begins a block of text; a block that ends
/// in `...` shows as many lines as it has. The commands of a page run one after another in one folder.
fn with_output(page: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let examples = folder.path().join("examples");
    fs::create_dir(&examples).unwrap();
    for name in ["support.csv", "support_ann.csv", "answers.csv"] {
        fs::copy(repository("examples").join(name), examples.join(name)).unwrap();
    }
    let start = "```text\n$ judge-uncertainty ";
    let mut parts = page.split(start);
    let mut made = parts.next().unwrap().to_owned();
    for part in parts {
        let (block, after) = part.split_once("```").unwrap();
        let (command, shown) = block.split_once('\n').unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        let out = program.current_dir(folder.path()).args(command.split(' ')).output().unwrap();
        assert!(out.status.success(), "{command}: {}", String::from_utf8_lossy(&out.stderr));
        // The name of a batch of labels holds the time.
        let mut printed = String::from_utf8(out.stdout).unwrap();
        if let Some(at) = printed.find(" as batch ") {
            printed.replace_range(at + 10..at + 22, "3fa9c1d0e5b7");
        }
        let printed = match shown.strip_suffix("...\n") {
            Some(first) => {
                let lines = first.lines().count().max(4);
                printed.lines().take(lines).flat_map(|line| [line, "\n"]).chain(["...\n"]).collect()
            }
            None => printed,
        };
        made += &format!("{start}{command}\n{printed}```{after}");
    }
    made
}

/// What pages show is what the program prints; with `UPDATE_PAGES=1` this test writes it anew.
#[test]
fn pages_show_what_the_program_prints() {
    for (name, page) in pages() {
        let made = with_output(&page);
        match std::env::var_os("UPDATE_PAGES") {
            Some(_) if made != page => fs::write(repository(&name), made).unwrap(),
            Some(_) => {}
            None => {
                let differs = made.lines().zip(page.lines()).find(|(made, shown)| made != shown);
                assert!(made == page, "{name}: {differs:?}; UPDATE_PAGES=1 cargo test pages_show writes it anew");
            }
        }
    }
}

#[test]
fn links_lead_to_files() {
    let mut dead = Vec::new();
    for (name, text) in pages() {
        let folder = repository(&name).parent().unwrap().to_path_buf();
        for (start, _) in text.match_indices("](") {
            let target = text[start + 2..].split(')').next().unwrap();
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            if target.contains("://") {
                continue;
            }
            let file = if path.is_empty() { repository(&name) } else { folder.join(path) };
            if !file.exists() || !(anchor.is_empty() || headings(&file).contains(&anchor.to_string())) {
                dead.push(format!("{name}: {target}"));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

/// The anchors that a code host gives the headings of a Markdown file.
fn headings(file: &Path) -> Vec<String> {
    fs::read_to_string(file)
        .unwrap()
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
        })
        .collect()
}

/// What three kinds of reader ask, five questions each, the page that answers (README or one link from it), and words of the answer.
const QUESTIONS: [(&str, &str, &str); 15] = [
    // An engineer with a judge and without statistics.
    ("Is my judge good enough?", "docs/good-enough.md", "One rule decides"),
    ("How many labels do I need?", "docs/how-many-labels.md", "1 / sqrt(n)"),
    ("What should be labelled next?", "docs/which-queue.md", "| you want | purpose |"),
    ("How do I fail a build when the judge is too bad?", "docs/automation.md", "--fail-if"),
    ("What leaves my machine?", "README.md", "leaves your machine"),
    // A student who studies judges.
    ("What does the ± mean?", "docs/intervals.md", "| number | covers |"),
    ("Why not cleanlab or PPI?", "docs/compared.md", "PPI++"),
    ("Does the paper's ranking help on my data?", "docs/which-queue.md", "20 labels"),
    ("How do I use it from a notebook?", "docs/python.md", "import judge_uncertainty"),
    ("How is the belief fitted?", "docs/beliefs.md", "Dirichlet-multinomial"),
    // A reviewer of the artifact.
    ("What does it need, and how long does it take?", "README.md", "a C compiler"),
    ("What differs from the paper?", "REPRODUCE.md", "differs"),
    ("Can the judging of claims fail?", "docs/review.md", "--break"),
    ("Where do tolerances come from?", "docs/tolerances.md", "tolerance ="),
    ("How do I cite it?", "README.md", "CITATION.cff"),
];

#[test]
fn questions_of_three_readers_are_answered_within_two_clicks_of_the_readme() {
    let readme = fs::read_to_string(repository("README.md")).unwrap();
    for (question, page, words) in QUESTIONS {
        assert!(
            page == "README.md" || readme.contains(&format!("]({page})")),
            "{question} README.md does not link to {page}"
        );
        let text = fs::read_to_string(repository(page)).unwrap();
        assert!(text.contains(words), "{question} {page} does not say \"{words}\"");
    }
}
