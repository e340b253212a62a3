//! What the client makes of an endpoint's behaviour, good and bad.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use serde_json::json;

use super::server::{Call, Reply, Server, completion, completion_body, expected, good, good_text, refusal};
use super::{Desk, KEY, counts, ends};
use crate::support::repository;

#[test]
fn trouble_that_passes_costs_no_answer() {
    // The first request of every question goes wrong in one of eight ways.
    let server = Server::start(|call: &Call| match (call.repeat, call.item() % 8) {
        (0, 0) => Reply::Full(429, vec![("Retry-After", "0".into())], "{}".into()),
        (0, 1) => Reply::Full(429, vec![], "slow down".into()),
        (0, 2) => refusal(500, "server_error", None, "our fault"),
        (0, 3) => Reply::Full(502, vec![], "<html>bad gateway</html>".into()),
        (0, 4) => Reply::Cut(completion_body(&good_text(call.item()))),
        (0, 5) => Reply::HangUp,
        (0, 6) => Reply::Slow(Duration::from_secs(60), Box::new(good(call))),
        (1, 1) => Reply::Full(503, vec![("Retry-After", "Tue, 18 Aug 2020 00:00:00 GMT".into())], String::new()),
        _ => good(call),
    });
    let desk = Desk::with(24);
    ends(desk.run(&server).args(["--concurrency", "8", "--price", "1:10"]), 0);
    let (summary, predictions) = (desk.summary(), desk.predictions());
    assert_eq!((&summary["answered"], &summary["usable"]), (&json!(24), &json!(24)));
    assert_eq!((&summary["failures"], &summary["unreached"]), (&json!({}), &json!({})));
    assert_eq!(summary["served_models"], json!(["test-model-2026-01-01"]));
    assert_eq!(summary["hosts"], json!(["127.0.0.1"]));
    assert_eq!(summary["tokens"], json!({ "prompt": 24 * 50, "completion": 24 * 20 }));
    for i in 0..desk.items {
        let shares = expected(i).map(|n| f64::from(n) / 100.0);
        assert_eq!(predictions[&format!("item-{i}")].as_deref(), Some(&shares[..]), "item {i}");
    }
    // Three questions per kind, one more request for each, and a third for those that met two kinds.
    assert_eq!(server.calls().len(), 24 + 21 + 3);
    assert_eq!(desk.entries().len(), 24);
}

/// A server without TLS is told at once and with its reason; and nothing was spent, not less than nothing.
#[test]
fn a_connection_that_can_t_be_secured_is_told_with_its_reason() {
    let (stdout, stderr) = asked_once(|mut stream| {
        let mut hello = [0; 64];
        std::io::Read::read(&mut stream, &mut hello).unwrap();
        std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    });
    assert!(stderr.contains("127.0.0.1: no secure connection: ") && stderr.contains("check the address"), "{stderr}");
    assert!(stdout.contains("spent       0.0000"), "{stdout}");
}

/// So is one whose certificate nobody but itself has signed.
#[test]
fn a_certificate_that_nobody_has_signed_is_told_with_its_reason() {
    let file = |name: &str| fs::read(repository("tests/golden/tls").join(name)).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let settings = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![file("certificate.der").into()], file("key.der").try_into().unwrap())
        .unwrap();
    let (_, stderr) = asked_once(move |mut stream| {
        let mut secured = rustls::ServerConnection::new(settings.into()).unwrap();
        let refused = (0..9).find_map(|_| secured.complete_io(&mut stream).err());
        assert!(refused.is_some(), "the connection was taken");
    });
    assert!(stderr.contains("127.0.0.1: no secure connection: invalid peer certificate: "), "{stderr}");
    assert!(stderr.contains("a certificate must be one that common authorities have signed"), "{stderr}");
}

/// What a run says that asks one question of a server of these answers, and ends with status 1: there is one
/// connection, because nothing is tried again.
fn asked_once(answer: impl FnOnce(std::net::TcpStream) + Send + 'static) -> (String, String) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}/v1", listener.local_addr().unwrap());
    let answering = std::thread::spawn(move || answer(listener.accept().unwrap().0));
    let desk = Desk::with(1);
    let mut command = desk.command();
    command.args(["judge", "run", ".", "--out", "out", "--variants", "neutral", "--confidence", "none"]);
    command.args(["--model", "m", "--price", "1:10", "--base-url", &address]);
    let said = ends(&mut command, 1);
    answering.join().unwrap();
    said
}

#[test]
fn trouble_that_stays_leaves_the_question_open() {
    let server = Server::start(|call: &Call| match call.item() {
        0 => Reply::Full(429, vec![], "{}".into()),
        1 => Reply::Full(500, vec![], "{}".into()),
        2 => Reply::HangUp,
        // Nobody waits that long.
        3 => Reply::Full(429, vec![("Retry-After", "86400".into())], "{}".into()),
        _ => good(call),
    });
    let desk = Desk::with(6);
    let (stdout, _) = ends(&mut desk.run(&server), 10);
    assert!(stdout.contains("unanswered  2 rate_limited"), "{stdout}");
    let summary = desk.summary();
    assert_eq!(
        counts(&summary["unreached"]),
        [("connection", 1), ("rate_limited", 2), ("server_error", 1)].map(|(k, n)| (k.to_owned(), n)).into()
    );
    assert_eq!(server.calls().len(), 7 + 7 + 7 + 1 + 2);
    // The connections that broke may be on the bill, so a line says what they may have cost.
    let lines: Vec<bool> = desk.entries().iter().map(|entry| entry["answer"]["failure"] == "no_reply").collect();
    assert_eq!((lines.len(), lines.iter().filter(|lost| **lost).count()), (3, 1));
    assert_eq!(desk.predictions()["item-0"], None);
    // Once the trouble is over, the same command asks these four and no others.
    let before = server.calls().len();
    let well = Server::start(good);
    ends(&mut desk.run(&well), 0);
    assert_eq!((server.calls().len(), well.calls().len()), (before, 4));
}

#[test]
fn an_endpoint_that_asks_for_time_gets_it() {
    let server = Server::start(|call: &Call| match call.repeat {
        0 => Reply::Full(429, vec![("Retry-After", "1".into())], "{}".into()),
        1 => Reply::Full(429, vec![("retry-after-ms", "700".into())], "{}".into()),
        _ => good(call),
    });
    let desk = Desk::with(1);
    ends(&mut desk.run(&server), 0);
    // Waiting longer than asked is no fault, so that a busy machine can't fail this.
    let at: Vec<_> = server.calls().iter().map(|call| call.at).collect();
    assert!(at[1] - at[0] >= Duration::from_secs(1) && at[2] - at[1] >= Duration::from_millis(700), "{at:?}");
}

#[test]
fn answers_that_say_nothing_are_kept_and_counted() {
    let huge = "x".repeat(2 << 20);
    let server = Server::start(move |call: &Call| match call.item() {
        0 => Reply::Full(200, vec![], "{\"choices\": [".into()),
        1 => Reply::Full(200, vec![], json!({ "choices": [] }).to_string()),
        2 => Reply::Full(
            200,
            vec![],
            json!({ "choices": [{ "message": { "content": "", "refusal": "I will not." } }] }).to_string(),
        ),
        3 => completion("   "),
        4 => completion(&huge),
        5 => completion("{\"red\": 50, \"green\": 50}"),
        6 => completion("{\"red\": 120, \"green\": -20, \"blue\": 0}"),
        7 => completion("I am sorry, but I can't help with that."),
        8 => refusal(400, "content_filter", None, "filtered"),
        9 => refusal(400, "context_length_exceeded", None, "too long"),
        10 => Reply::Full(
            200,
            vec![],
            json!({ "choices": [{ "message": { "content": "{\"red\": 5" }, "finish_reason": "length" }] }).to_string(),
        ),
        11 => completion("{\"red\": 33, \"green\": 33, \"blue\": 33}"),
        _ => good(call),
    });
    let desk = Desk::with(14);
    let (stdout, _) = ends(&mut desk.run(&server), 10);
    assert!(stdout.contains("failed      1 refusal") && stdout.contains("usable      3 (1 normalised)"), "{stdout}");
    let kinds = [
        "not_json",
        "wrong_shape",
        "refusal",
        "empty",
        "too_large",
        "missing_class",
        "negative",
        "unparseable",
        "content_filter",
        "prompt_too_long",
        "truncated",
    ];
    assert_eq!(counts(&desk.summary()["failures"]), kinds.map(|kind| (kind.to_owned(), 1)).into());
    let raws: BTreeMap<String, String> = desk
        .entries()
        .iter()
        .map(|e| (e["item"].as_str().unwrap().to_owned(), e["answer"]["raw"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(raws.len(), 14);
    assert_eq!(raws["item-0"], "{\"choices\": [");
    assert_eq!(raws["item-7"], "I am sorry, but I can't help with that.");
    assert!(raws["item-4"].len() < 10_000 && raws["item-4"].contains("xxxx"));
    let predictions = desk.predictions();
    assert!((0..11).all(|i| predictions[&format!("item-{i}")].is_none()), "{predictions:?}");
    assert_eq!(predictions["item-11"], Some(vec![1.0 / 3.0; 3]));

    // Not asked again unless that is wanted; then only the failures are.
    let well = Server::start(good);
    ends(&mut desk.run(&well), 10);
    assert_eq!(well.calls().len(), 0);
    ends(desk.run(&well).arg("--retry-failed"), 0);
    assert_eq!((well.calls().len(), desk.entries().len()), (11, 25));
    assert_eq!(desk.summary()["superseded"], 11);
    // Asked again on purpose, no endpoint may take it for the same question.
    assert!(well.calls().iter().all(|call| call.repeat == 0 && call.key.len() > 64));
}

#[test]
fn the_key_is_shown_to_the_endpoint_and_nobody_else() {
    let escaped = KEY.replace('/', "\\/");
    let in_json = serde_json::to_string(KEY).unwrap();
    let server = Server::start(move |call: &Call| match (call.repeat, call.item()) {
        (0, 0) => refusal(500, "server_error", None, &format!("failed with {KEY}")),
        (_, 0) => completion(&format!("your key is {KEY}")),
        // The same letters, written as JSON may write them.
        (_, 1) => Reply::Full(
            200,
            vec![],
            format!("{{\"model\": {in_json}, \"choices\": [{{\"message\": {{\"content\": \"{escaped}\"}}}}]}}"),
        ),
        (_, 2) => Reply::Full(200, vec![], format!("not JSON: {KEY} {escaped}")),
        (_, 3) => refusal(400, "content_filter", None, KEY),
        (_, 4) => Reply::Full(
            200,
            vec![],
            json!({ "choices": [{ "message": { "content": "", "refusal": KEY } }] }).to_string(),
        ),
        (_, 5) => refusal(401, "invalid_api_key", None, &format!("Incorrect API key provided: {KEY}")),
        _ => good(call),
    });
    let desk = Desk::with(6);
    let mut seen = vec![];
    for extra in [&["--concurrency", "1"][..], &["--json"], &["--dry-run"]] {
        let output = desk.run(&server).args(extra).output().unwrap();
        let code = if extra[0] == "--dry-run" { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        seen.extend([output.stdout, output.stderr]);
    }
    let refused = String::from_utf8_lossy(&seen[1]).into_owned();
    assert!(refused.contains("Incorrect API key provided: [key]") && refused.contains("environment"), "{refused}");
    seen.extend(fs::read_dir(desk.path("out")).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap()));
    assert_eq!(seen.len(), 6 + 3, "answers, predictions and summary");
    for bytes in &seen {
        // The end of the key is in it however it was written.
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("KEEP-ME-SECRET"), "{text}");
    }
    // The search would find it: it was sent, and came back in five answers.
    let sent = format!("Bearer {KEY}");
    assert!(server.calls().iter().all(|call| call.headers["authorization"] == sent));
    assert_eq!(desk.text("answers.jsonl").matches("[key]").count(), 8, "{}", desk.text("answers.jsonl"));
}

#[test]
fn a_key_comes_from_the_environment_or_not_at_all() {
    let server = Server::start(good);
    let desk = Desk::with(1);
    let (_, stderr) = ends(desk.run(&server).env("OTHER", "two words").args(["--key-env", "OTHER"]), 2);
    assert!(stderr.contains("OTHER holds no key") && !stderr.contains("two words"), "{stderr}");
    assert_eq!(server.calls().len(), 0);
    let openai = ["judge", "run", ".", "--out", "out", "--model", "m"];
    let (_, stderr) = ends(desk.command().args(openai).env_remove("OPENAI_API_KEY"), 2);
    assert!(stderr.contains("OPENAI_API_KEY is not set"), "{stderr}");
    // An endpoint of one's own may need none.
    let (_, stderr) = ends(desk.run(&server).env_remove("OPENAI_API_KEY"), 0);
    assert!(stderr.contains("without a key"), "{stderr}");
    assert!(!server.calls()[0].headers.contains_key("authorization"));
}

#[test]
fn what_is_not_given_is_not_sent_and_what_is_refused_is_told() {
    let server = Server::start(|call: &Call| match call.body["temperature"].is_null() {
        true => good(call),
        false => refusal(400, "unsupported_value", Some("temperature"), "temperature is not supported"),
    });
    let desk = Desk::with(3);
    let (_, stderr) = ends(desk.run(&server).args(["--temperature", "0", "--max-tokens", "100"]), 1);
    assert!(stderr.contains("does not accept temperature"), "{stderr}");
    assert_eq!(desk.entries().len(), 0);
    ends(desk.run(&server).args(["--max-tokens", "100"]), 0);
    assert_eq!(server.calls().pop().unwrap().body["max_completion_tokens"], 100);
    ends(&mut desk.run(&server), 0);
    assert!(server.calls().pop().unwrap().body["max_completion_tokens"].is_null());
}

#[test]
fn an_endpoint_that_refuses_everything_is_asked_little() {
    for (reply, words) in [
        (refusal(404, "model_not_found", None, "no such model"), "no such model"),
        (refusal(429, "insufficient_quota", None, "no money left"), "no money left"),
        (Reply::Full(301, vec![("Location", "http://example.invalid/".into())], String::new()), "redirects"),
    ] {
        let server = Server::start(move |_: &Call| reply.clone());
        let desk = Desk::with(50);
        let (_, stderr) = ends(desk.run(&server).args(["--concurrency", "4"]), 1);
        assert!(stderr.contains(words), "{stderr}");
        assert!(server.calls().len() <= 4, "{}", server.calls().len());
    }
    let server = Server::start(|_: &Call| Reply::HangUp);
    let (_, stderr) = ends(&mut Desk::with(500).run(&server), 1);
    assert!(stderr.contains("goes on from there"), "{stderr}");
    // 20 questions in vain, each asked seven times, and what was under way.
    assert!(server.calls().len() < 7 * 24, "{}", server.calls().len());
}

#[test]
fn spending_stops_before_its_limit() {
    let server = Server::start(good);
    let desk = Desk::with(40);
    // An answer costs 10 x 20 = 200 millionths and its prompt: the 50 tokens that the server states, or ours if more.
    let limits = ["--price", "1:10", "--max-spend", "0.002", "--concurrency", "3", "--max-tokens", "20"];
    let (_, stderr) = ends(desk.run(&server).args(limits), 10);
    assert!(stderr.contains("--max-spend"), "{stderr}");
    let spent = desk.summary()["spent"].as_f64().unwrap();
    let calls = server.calls().len();
    assert!(spent <= 0.002 && spent >= 250e-6 * calls as f64 && calls >= 5, "{spent} in {calls}");
    // What is on file counts: the same limit allows at most what is left of it.
    ends(desk.run(&server).args(limits), 10);
    assert!(250e-6 * server.calls().len() as f64 <= 0.002);
}

/// What an endpoint says of its tokens, and what it sends in place of an answer, lets no run spend more than it may.
#[test]
fn lies_of_an_endpoint_do_not_pass_the_limit() {
    fn usage(usage: impl Into<String>) -> impl Fn(&Call) -> String {
        let usage = usage.into();
        move |call| {
            let content = serde_json::to_string(&good_text(call.item())).unwrap();
            format!("{{\"choices\": [{{\"message\": {{\"content\": {content}}}}}], \"usage\": {usage}}}")
        }
    }
    let counts = |prompt: &str, completion: &str| {
        format!("{{\"prompt_tokens\": {prompt}, \"completion_tokens\": {completion}}}")
    };
    let text = |text: &str| {
        let text = text.to_owned();
        move |_: &Call| text.clone()
    };
    type Body = Box<dyn Fn(&Call) -> String + Send + Sync>;
    let liars: [(&str, Option<Body>); 12] = [
        ("nothing used", Some(Box::new(usage(counts("0", "0"))))),
        ("no usage", Some(Box::new(usage("null")))),
        ("one count", Some(Box::new(usage("{\"prompt_tokens\": 1}")))),
        ("below zero", Some(Box::new(usage(counts("-9000", "-9000"))))),
        ("words", Some(Box::new(usage(counts("\"few\"", "\"none\""))))),
        ("fractions", Some(Box::new(usage(counts("0.5", "1e-300"))))),
        ("twice", Some(Box::new(usage("{\"prompt_tokens\": 90, \"prompt_tokens\": 0}")))),
        ("all that there is", Some(Box::new(usage(counts("18446744073709551615", "18446744073709551615"))))),
        ("stream", Some(Box::new(text("data: {\"choices\": []}\n\ndata: [DONE]\n\n")))),
        ("empty", Some(Box::new(text("")))),
        ("no JSON", Some(Box::new(text(&"x".repeat(3000))))),
        ("hangs up", None),
    ];
    let trials = 5 * liars.len();
    for (name, body) in liars {
        let server = Server::start(move |call: &Call| match &body {
            Some(body) => Reply::Full(200, vec![], body(call)),
            None => Reply::HangUp,
        });
        let desk = Desk::with(60);
        let limits = ["--price", "1:10", "--max-spend", "0.004", "--concurrency", "3", "--max-tokens", "20"];
        let run = |further: &[&str]| desk.run(&server).args(limits).args(further).output().unwrap();
        let mut spent = 0.0;
        for round in 0..4 {
            let output = run(&["--retry-failed"]);
            assert!(output.status.code().is_some_and(|code| code != 101), "{name}: {output:?}");
            let now = desk.summary()["spent"].as_f64().unwrap();
            assert!(
                now >= spent && (now <= 0.004 || name.starts_with("all")),
                "{name}, round {round}: {now} after {spent}"
            );
            spent = now;
        }
        // Each request costs at least its prompt, of which nothing that the server says takes a token.
        let prompts: usize = server.calls().iter().map(|call| call.prompt().len() / 4).sum();
        assert!(prompts as f64 <= 4000.0, "{name}: {prompts} tokens of prompts");
        // What a run begins with is what the last one ended with.
        let output = run(&[]);
        let again = desk.summary()["spent"].as_f64().unwrap();
        assert!(again >= spent - 1e-12, "{name}: {again} after {spent}: {output:?}");
    }
    crate::support::note_trials("runs against endpoints that lie about costs", trials, "spends more than it may", 0);
}

#[test]
fn failures_cost_the_same_after_resuming() {
    let server = Server::start(|call: &Call| match call.item() {
        0 => Reply::Full(200, vec![], "y".repeat(100_000)),
        1 => Reply::HangUp,
        2 => Reply::Full(200, vec![], "data: {}\n\n".into()),
        _ => good(call),
    });
    let desk = Desk::with(5);
    let price = ["--price", "1:10"];
    let (_, stderr) = ends(desk.run(&server).args(price), 10);
    assert!(stderr.contains("2 answers") && stderr.contains("--retry-failed"), "{stderr}");
    let spent = desk.summary()["spent"].as_f64().unwrap();
    // 25,000 tokens of an answer that is kept in part only.
    assert!(spent > 0.25, "{spent}");
    fs::remove_file(desk.out("summary.json")).unwrap();
    let refuses = Server::start(|_: &Call| refusal(401, "no", None, "no"));
    ends(desk.run(&refuses).args(price), 1);
    assert_eq!(desk.summary()["spent"].as_f64(), Some(spent));
}

#[test]
fn log_probabilities_keep_the_mass_off_the_labels() {
    let listed = |call: &Call| {
        let top: Vec<_> = [("red", 0.5), (" Green", 0.3), ("the", 0.1)]
            .iter()
            .map(|(token, p): &(&str, f64)| json!({ "token": token, "logprob": p.ln() }))
            .collect();
        let logprobs = json!({ "content": [{ "token": "red", "logprob": -0.69, "top_logprobs": top }] });
        let logprobs = if call.item() == 1 { json!(null) } else { logprobs };
        let choice = json!({ "message": { "content": "red" }, "logprobs": logprobs, "finish_reason": "stop" });
        Reply::Full(200, vec![], json!({ "choices": [choice] }).to_string())
    };
    let server = Server::start(listed);
    let desk = Desk::with(2);
    ends(desk.run(&server).args(["--prediction", "logprobs"]), 10);
    assert_eq!(server.calls()[0].body["logprobs"], json!(true));
    assert_eq!(server.calls()[0].body["top_logprobs"], json!(20));
    let table = desk.text("predictions.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["id", "variant", "p_red", "p_green", "p_blue", "confidence", "unseen_mass"]);
    let numbers: Vec<f64> = [2, 3, 4, 6].map(|i| rows[1][i].parse().unwrap()).to_vec();
    for (got, want) in numbers.iter().zip([0.5, 0.3, 0.0, 0.2]) {
        assert!((got - want).abs() < 1e-12, "{numbers:?}");
    }
    // The text "red" is no prediction where its log-probabilities are missing.
    assert_eq!(rows[2][2..], ["", "", "", "", ""]);
    assert_eq!(counts(&desk.summary()["failures"]), [("wrong_shape".to_owned(), 1)].into());
}

#[test]
fn a_dry_run_sends_and_writes_nothing() {
    let server = Server::start(good);
    let desk = Desk::with(3);
    let (stdout, _) = ends(desk.run(&server).args(["--dry-run", "--price", "10:2500"]), 0);
    assert!(stdout.contains("text number 0") && !stdout.contains("text number 1"), "{stdout}");
    // 3 answers of 40 tokens at 2500 per million, and less than a cent for the prompts.
    assert!(stdout.contains("requests: 3\n") && stdout.contains("cost, about: 0.30\n"), "{stdout}");
    assert_eq!(server.calls().len(), 0);
    assert!(!desk.path("out").exists());
}
