//! The answer cache: killed runs, torn lines, two processes, changed prompts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use judge_uncertainty::judge::cache::AnswerCache;
use judge_uncertainty::random::Stream;

use super::server::{Call, Reply, Server, completion, expected, good, good_text};
use super::{Desk, ends, lines};
use crate::support::repository;

#[test]
fn a_killed_run_loses_no_answer_and_asks_none_again() {
    const ITEMS: usize = 120;
    const CONCURRENCY: usize = 4;
    const KILLS: usize = 12;
    // Answers take up to 20 ms, so that kills hit waiting, arriving, storing and synced answers alike. Requests beyond
    // those allowed wait until their run is killed: a run can't end before it, however late this thread is.
    let (arrived, allowed) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let limit = Arc::clone(&allowed);
    let server = Server::start(move |call: &Call| {
        let held = arrived.fetch_add(1, Ordering::SeqCst) >= limit.load(Ordering::SeqCst);
        let wait = Duration::from_millis(if held { 60_000 } else { (call.item() % 21) as u64 });
        let reply = if call.item() % 10 == 3 { completion("no idea") } else { good(call) };
        Reply::Slow(wait, Box::new(reply))
    });
    let desk = Desk::with(ITEMS);
    let concurrency = CONCURRENCY.to_string();
    let mut random = Stream::new(20_261_121);
    let mut stored: BTreeSet<String> = BTreeSet::new();
    let mut killed = 0;
    for _ in 0..KILLS {
        let before = server.calls().len();
        let (k, pause) = (1 + random.choice(12) as usize, u64::from(random.choice(30)));
        allowed.store(before + k + CONCURRENCY, Ordering::SeqCst);
        let mut command = desk.run(&server);
        command.args(["--concurrency", &concurrency]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // Killed a little after the k-th request, or earlier if all is answered.
        while server.calls().len() < before + k && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(pause));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever is on file is whole, and what was there is still there.
        let now: BTreeSet<String> = lines(&desk.out("answers.jsonl")).iter().map(key_of).collect();
        assert!(stored.is_subset(&now));
        // What was on file before this run was not asked again in it.
        assert!(server.calls()[before..].iter().all(|call| !stored.contains(&call.key)));
        stored = now;
    }
    assert!(killed >= KILLS / 2, "only {killed} runs were still going when they were killed");
    allowed.store(usize::MAX, Ordering::SeqCst);
    ends(desk.run(&server).args(["--concurrency", &concurrency]), 10);

    let entries = desk.entries();
    let keys: BTreeSet<String> = entries.iter().map(key_of).collect();
    assert_eq!((entries.len(), keys.len()), (ITEMS, ITEMS), "one line per answer");
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for call in server.calls() {
        *asked.entry(call.key).or_default() += 1;
    }
    assert_eq!(asked.keys().cloned().collect::<BTreeSet<_>>(), keys);
    // Only what was under way when a run was killed can have been asked twice, and it bears the same idempotency key.
    let again: usize = asked.values().map(|n| n - 1).sum();
    assert!(again <= killed * CONCURRENCY, "{again} asked again in {killed} kills");
    let (summary, predictions) = (desk.summary(), desk.predictions());
    assert_eq!((summary["answered"].as_u64(), summary["usable"].as_u64()), (Some(120), Some(108)));
    for i in 0..ITEMS {
        let shares = (i % 10 != 3).then(|| expected(i).map(|n| f64::from(n) / 100.0).to_vec());
        assert_eq!(predictions[&format!("item-{i}")], shares, "item {i}");
    }
}

fn key_of(entry: &serde_json::Value) -> String {
    entry["key"].as_str().unwrap().to_owned()
}

#[test]
fn two_processes_on_one_cache_are_refused() {
    let server = Server::start(good);
    let desk = Desk::with(2);
    fs::create_dir(desk.path("out")).unwrap();
    let held = AnswerCache::open(&desk.out("answers.jsonl")).unwrap();
    let (_, stderr) = ends(&mut desk.run(&server), 2);
    assert!(stderr.contains("another process is writing"), "{stderr}");
    assert_eq!(server.calls().len(), 0);
    drop(held);
    ends(&mut desk.run(&server), 0);
}

#[test]
fn a_torn_last_line_is_cut_off_and_asked_again() {
    let server = Server::start(good);
    let desk = Desk::with(5);
    ends(&mut desk.run(&server), 0);
    let path = desk.out("answers.jsonl");
    let whole = fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    // Every length of the last line but the whole: torn; the whole without its newline: kept.
    for length in (last + 1..whole.len()).step_by(37).chain([whole.len() - 2, whole.len() - 1]) {
        fs::write(&path, &whole[..length]).unwrap();
        let cache = AnswerCache::open(&path).unwrap();
        let complete = length == whole.len() - 1;
        assert_eq!(cache.entries().len(), if complete { 5 } else { 4 }, "{length}");
        assert_eq!(cache.repaired() > 0, !complete);
        drop(cache);
        assert_eq!(fs::read(&path).unwrap().len(), if complete { whole.len() } else { last });
    }
    fs::write(&path, &whole[..last + 20]).unwrap();
    let (_, stderr) = ends(&mut desk.run(&server), 0);
    assert!(stderr.contains("cut off 20 bytes"), "{stderr}");
    assert_eq!((server.calls().len(), desk.entries().len()), (6, 5));
}

#[test]
fn a_damaged_or_edited_line_is_refused_with_its_number() {
    let server = Server::start(good);
    let desk = Desk::with(3);
    ends(&mut desk.run(&server), 0);
    let path = desk.out("answers.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let cut: String =
        text.lines().enumerate().map(|(i, l)| if i == 1 { &l[..30] } else { l }.to_owned() + "\n").collect();
    fs::write(&path, cut).unwrap();
    let (_, stderr) = ends(&mut desk.run(&server), 2);
    assert!(stderr.contains("answers.jsonl:2: no answer of a judge"), "{stderr}");
    fs::write(&path, text.replacen("\"model\":\"test-model\"", "\"model\":\"better-model\"", 1)).unwrap();
    let (_, stderr) = ends(&mut desk.run(&server), 2);
    assert!(stderr.contains("answers.jsonl:1: its key is") && stderr.contains("edited"), "{stderr}");
    assert_eq!(server.calls().len(), 3);
}

#[test]
fn answers_to_another_prompt_are_not_reused_silently() {
    let server = Server::start(good);
    let desk = Desk::with(3);
    let prompts = desk.path("prompts");
    fs::create_dir(&prompts).unwrap();
    for file in fs::read_dir(repository("templates/prompts")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), prompts.join(file.file_name())).unwrap();
    }
    let args = ["--prompts", "prompts"];
    ends(desk.run(&server).args(args), 0);
    let first = desk.summary()["templates"].clone();
    let mut template = fs::OpenOptions::new().append(true).open(prompts.join("study.distribution.txt.tera")).unwrap();
    template.write_all(b"Think twice.\n").unwrap();
    let (_, stderr) = ends(desk.run(&server).args(args), 2);
    assert!(stderr.contains("3 of its answers were given to another prompt") && stderr.contains("--out"), "{stderr}");
    assert_eq!(server.calls().len(), 3);
    // In another folder all is asked again; another temperature is another question and stands in nobody's way.
    fs::rename(desk.path("out"), desk.path("before")).unwrap();
    ends(desk.run(&server).args(args), 0);
    assert!(server.calls()[5].prompt().ends_with("Think twice."));
    assert_ne!(desk.summary()["templates"], first);
    ends(desk.run(&server).args(args).args(["--temperature", "0.5"]), 0);
    assert_eq!((server.calls().len(), desk.entries().len()), (9, 6));
    // A template that is missing or asks for what is not there.
    fs::write(prompts.join("study.distribution.txt.tera"), "{{ item.texture }}").unwrap();
    let (_, stderr) = ends(desk.run(&server).args(args), 2);
    assert!(stderr.contains("study.distribution.txt.tera") && stderr.contains("texture"), "{stderr}");
    fs::remove_file(prompts.join("study.variants.txt.tera")).unwrap();
    let (_, stderr) = ends(desk.run(&server).args(args), 2);
    assert!(stderr.contains("study.variants.txt.tera"), "{stderr}");
}

#[test]
fn samples_of_one_question_are_separate_answers() {
    let server = Server::start(|call: &Call| {
        let turn = call.headers["idempotency-key"].bytes().map(u32::from).sum::<u32>() % 2;
        completion(&if turn == 0 { good_text(10) } else { good_text(30) })
    });
    let desk = Desk::with(1);
    ends(desk.run(&server).args(["--samples", "8"]), 0);
    assert_eq!((server.calls().len(), desk.entries().len()), (8, 8));
    let samples: BTreeSet<u64> = desk.entries().iter().map(|entry| entry["sample"].as_u64().unwrap()).collect();
    assert_eq!(samples, (0..8).collect());
    let texts = desk.entries();
    let tens = texts.iter().filter(|entry| entry["answer"]["raw"] == good_text(10)).count() as f64;
    let red = desk.predictions()["item-0"].clone().unwrap()[0];
    assert!((red - (0.1 * tens + 0.3 * (8.0 - tens)) / 8.0).abs() < 1e-12, "{red} of {tens}");
    ends(desk.run(&server).args(["--samples", "10"]), 0);
    assert_eq!(server.calls().len(), 10);
}
