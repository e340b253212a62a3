//! The page on which experts label a queue.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{repository, run};

fn starter() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["items.csv", "judge.csv", "labels.csv", "study.toml"] {
        fs::copy(repository("examples/starter").join(name), folder.path().join(name)).unwrap();
    }
    folder
}

/// The queue within a page.
fn queue(html: &str) -> Value {
    let start = html.split("id=\"queue\">").nth(1).unwrap();
    serde_json::from_str(start.split("</script>").next().unwrap()).unwrap()
}

fn edit(folder: &Path, from: &str, to: &str) {
    let path = folder.join("study.toml");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1);
    fs::write(path, text.replace(from, to)).unwrap();
}

/// What the page asks, of which items, in which order; nothing that the judge or the study believes is in it.
#[test]
fn the_page_holds_the_queue_and_is_blind() {
    let folder = starter();
    let study = folder.path().display().to_string();
    edit(folder.path(), "title = ", "instruction = \"Is it </script> good?\"\ntitle = ");
    let (_, error) = run(&["study", "label", &study], 2);
    assert!(error.contains("queue.jsonl") && error.contains("make a queue with `study queue`"), "{error}");
    run(&["study", "queue", &study, "--budget", "5", "--with-suggestions"], 0);
    let (said, _) = run(&["study", "label", &study], 0);
    assert!(said.starts_with("5 items to label, without the judge's predictions"), "{said}");
    let html = fs::read_to_string(folder.path().join("label.html")).unwrap();
    assert!(html.contains("Is it &lt;/script&gt; good?"));
    let queue = queue(&html);
    assert_eq!(queue["question"]["classes"], serde_json::json!(["positive", "negative", "mixed"]));
    let lines = fs::read_to_string(folder.path().join("queue/queue.jsonl")).unwrap();
    let wanted: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let items = queue["items"].as_array().unwrap();
    assert_eq!(items.len(), wanted.len());
    for (item, wanted) in items.iter().zip(&wanted) {
        assert_eq!((&item["id"], &item["text"]), (&wanted["id"], &wanted["text"]));
        assert_eq!(item.as_object().unwrap().len(), 2, "{item}");
    }
    for word in ["suggestion", "score\":", "rank", "http:", "https:"] {
        assert!(!serde_json::to_string(&queue).unwrap().contains(word), "{word}");
    }
    assert!(!html.contains("src=") && html.contains("default-src 'none'"));
    // The page of before is replaced, and nothing else.
    run(&["study", "label", &study], 0);
    fs::write(folder.path().join("label.html"), "mine").unwrap();
    let (_, error) = run(&["study", "label", &study], 2);
    assert!(error.contains("label.html"), "{error}");
}

/// A queue of items that the study does not have is refused with its place.
#[test]
fn a_queue_of_other_items_is_refused() {
    let folder = starter();
    let study = folder.path().display().to_string();
    run(&["study", "queue", &study, "--budget", "5"], 0);
    let path = folder.path().join("queue/queue.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let id = serde_json::from_str::<Value>(text.lines().nth(2).unwrap()).unwrap()["id"].as_str().unwrap().to_owned();
    fs::write(&path, text.replace(&format!("\"{id}\""), "\"elsewhere\"")).unwrap();
    let (_, error) = run(&["study", "label", &study], 2);
    assert!(error.contains("queue.jsonl:3") && error.contains("the id \"elsewhere\" is unknown"), "{error}");
    fs::write(&path, &text[..text.len() - 20]).unwrap();
    let (_, error) = run(&["study", "label", &study], 2);
    assert!(error.contains("queue.jsonl:5") && error.contains("no entry of a queue"), "{error}");
    fs::write(&path, "").unwrap();
    assert!(run(&["study", "label", &study], 2).1.contains("the queue is empty"));
}

/// The instruction reaches the tools that can show it.
#[test]
fn the_instruction_is_shown_by_the_tools() {
    let folder = starter();
    let study = folder.path().display().to_string();
    edit(folder.path(), "title = ", "instruction = \"Read \\\"all\\\" & say\"\ntitle = ");
    run(&["study", "queue", &study, "--budget", "5"], 0);
    let read = |name: &str| fs::read_to_string(folder.path().join("queue").join(name)).unwrap();
    assert!(read("label-studio.xml").contains("<Header value=\"Read &quot;all&quot; &amp; say\"/>"));
    let settings: Value = serde_json::from_str(&read("argilla-settings.json")).unwrap();
    assert_eq!(settings["guidelines"], "Read \"all\" & say");
}
