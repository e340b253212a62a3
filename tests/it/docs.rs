//! The documents: how long they and their sentences are, where links lead, and whether readers find their answers.

use std::fs;
use std::path::Path;

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

#[test]
fn all_pages_together_have_at_most_16_000_words() {
    let words: usize = pages().iter().map(|(_, text)| text.split_whitespace().count()).sum();
    assert!(words <= 16_000, "{words} words");
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

/// What readers ask, the page that answers (README or one link from it), and words of the answer.
const QUESTIONS: [(&str, &str, &str); 12] = [
    ("What does it need?", "README.md", "a C compiler"),
    ("How long does it take?", "README.md", "minutes"),
    ("Is my judge good?", "docs/studies.md", "## Can I trust the judge?"),
    ("What should be labelled next?", "docs/studies.md", "## What should experts label next?"),
    ("When should I stop?", "docs/studies.md", "## When to stop?"),
    ("What does an interval cover?", "docs/intervals.md", "| number | covers |"),
    ("How do I add a rule?", "CONTRIBUTING.md", "A rule that ranks items"),
    ("How do I cite it?", "README.md", "CITATION.cff"),
    ("What leaves my machine?", "README.md", "leaves your machine"),
    ("What does a killed run leave?", "docs/files.md", "what a killed run leaves"),
    ("How do I use it from Python?", "docs/python.md", "import judge_uncertainty"),
    ("What differs from the paper?", "REPRODUCE.md", "differs"),
];

#[test]
fn twelve_questions_are_answered_within_two_clicks_of_the_readme() {
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
