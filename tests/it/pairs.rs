//! Tables of pairs: the same verdicts in the layouts that people keep give the same findings, and the right order of systems.

use assert_cmd::Command;
use judge_uncertainty::random::Stream;
use serde_json::Value;

/// Systems with their strength, the best first; the judge likes the third best most.
const SYSTEMS: [(&str, f64, f64); 4] =
    [("ember", 1.6, 1.0), ("cobalt", 1.0, 0.4), ("birch", 0.4, 2.4), ("dune", -1.2, -1.0)];

/// A pair as it was judged in both orders and perhaps by a person. Answers are 0 for the first system, 1 for the second and 2
/// for a tie.
struct Pair {
    systems: [usize; 2],
    judge: [usize; 2],
    human: Option<usize>,
}

fn pairs(seed: u64) -> Vec<Pair> {
    let mut stream = Stream::new(seed);
    let mut draw = |lead: f64| -> usize {
        if stream.random() < 0.1 {
            return 2;
        }
        usize::from(stream.random() > 1.0 / (1.0 + (-lead).exp()))
    };
    let mut all = vec![];
    for i in 0..600 {
        // All twelve ordered pairs of systems in turn.
        let (first, second) = (i % 4, (i % 4 + 1 + i / 4 % 3) % 4);
        let lead = SYSTEMS[first].1 - SYSTEMS[second].1;
        let seen = SYSTEMS[first].2 - SYSTEMS[second].2;
        let human = Some(draw(1.5 * lead)).filter(|_| i % 4 == (i / 12) % 4);
        // Half a logit and more for the answer shown first.
        all.push(Pair { systems: [first, second], judge: [draw(seen + 1.2), draw(seen - 1.2)], human });
    }
    all
}

fn mirrored(answer: usize) -> usize {
    [1, 0, 2][answer]
}

fn letter(answer: usize) -> &'static str {
    ["A", "B", "tie"][answer]
}

fn name(pair: &Pair, answer: usize) -> &'static str {
    if answer == 2 { "tie" } else { SYSTEMS[pair.systems[answer]].0 }
}

/// A table with a row per pair and order, or per pair.
fn table(header: &str, row: impl Fn(usize, &Pair) -> String) -> String {
    let rows = pairs(7).iter().enumerate().map(|(i, pair)| row(i, pair)).collect::<String>();
    format!("{header}\n{rows}")
}

fn human(pair: &Pair, cell: impl Fn(usize) -> String) -> String {
    pair.human.map_or_else(String::new, cell)
}

fn systems(pair: &Pair) -> String {
    pair.systems.map(|k| SYSTEMS[k].0).join(",")
}

/// The layouts, each with the name of its file.
fn layouts() -> Vec<(&'static str, String)> {
    let wide = table("question_id,prompt,model_a,model_b,verdict_ab,verdict_ba,human", |i, pair| {
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(letter);
        let human = human(pair, |answer| letter(answer).to_owned());
        format!("q{i},Question {i}?,{},{ab},{ba},{human}\n", systems(pair))
    });
    let by_name = table("id,system_1,system_2,judge_original,judge_swapped,expert", |i, pair| {
        let [ab, ba] = pair.judge.map(|answer| name(pair, answer));
        format!("q{i},{},{ab},{ba},{}\n", systems(pair), human(pair, |answer| name(pair, answer).to_owned()))
    });
    let long = table("id,question_id,model_a,model_b,order,verdict,human", |i, pair| {
        let human = human(pair, |answer| letter(answer).to_owned());
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(letter);
        let names = systems(pair);
        format!("r{i}a,q{i},{names},ab,[[{ab}]],{human}\nr{i}b,q{i},{names},ba,[[{ba}]],{human}\n")
    });
    let by_place = table("pair_id,model_a,model_b,shown_first,judge_winner,human", |i, pair| {
        let place = |answer: usize| ["first", "second", "tie"][answer];
        let human = human(pair, |answer| name(pair, answer).to_owned());
        let ([a, b], names) = (pair.systems.map(|k| SYSTEMS[k].0), systems(pair));
        let [ab, ba] = [place(pair.judge[0]), place(mirrored(pair.judge[1]))];
        format!("q{i},{names},{a},{ab},{human}\nq{i},{names},{b},{ba},{human}\n")
    });
    let changing = table("question_id,model_a,model_b,judge_winner,human", |i, pair| {
        let human = human(pair, |answer| name(pair, answer).to_owned());
        let [a, b] = pair.systems.map(|k| SYSTEMS[k].0);
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(|answer| ["model_a", "model_b", "tie"][answer]);
        format!("q{i},{a},{b},{ab},{human}\nq{i},{b},{a},{ba},{human}\n")
    });
    let lines = pairs(7).into_iter().enumerate().map(|(i, pair)| {
        let [a, b] = pair.systems.map(|k| SYSTEMS[k].0);
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(letter);
        let mut row = serde_json::json!({"id": i, "model_a": a, "model_b": b, "verdict_ab": ab, "verdict_ba": ba});
        row["human"] = pair.human.map(|answer| Value::from(letter(answer))).unwrap_or(Value::Null);
        format!("{row}\n")
    });
    vec![
        ("wide.csv", wide),
        ("by_name.csv", by_name),
        ("long.csv", long),
        ("by_place.csv", by_place),
        ("changing.csv", changing),
        ("lines.jsonl", lines.collect()),
    ]
}

fn audit(name: &str, text: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
    let ran =
        command.current_dir(folder.path()).args(["audit", name, "--labelled", "random", "--json"]).output().unwrap();
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    let answer = &serde_json::from_slice::<Value>(&ran.stdout).unwrap()["answer"];
    answer.clone()
}

/// What `audit` prints.
fn printed(name: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
    let ran = command.current_dir(folder.path()).args(["audit", name, "--labelled", "random"]).output().unwrap();
    String::from_utf8(ran.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn value(answer: &Value, id: &str) -> f64 {
    let found = answer["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == id);
    found.unwrap_or_else(|| panic!("no finding {id}"))["found"]["value"].as_f64().unwrap()
}

#[test]
fn every_layout_of_the_same_pairs_gives_the_same_findings() {
    let all = pairs(7);
    let flips = all.iter().filter(|pair| pair.judge[0] != pair.judge[1]).count() as f64 / all.len() as f64;
    assert!((0.3..0.7).contains(&flips), "{flips}");
    let mut seen: Option<Vec<f64>> = None;
    for (name, text) in layouts() {
        let answer = audit(name, &text);
        assert_eq!(answer["items"], 600, "{name}");
        let found = value(&answer, "position.flips");
        assert!((found - flips).abs() < 1e-9, "{name}: {found} and {flips}");
        let ids =
            ["position.to_first", "agreement", "wins.ember", "wins.birch", "wins.ember.over.birch", "consistency"];
        let values: Vec<f64> = ids.map(|id| value(&answer, id)).to_vec();
        // Questions have other names, and so the order of items differs; sums do in the last digits.
        let expected = seen.get_or_insert_with(|| values.clone());
        for ((value, expected), id) in values.iter().zip(expected).zip(ids) {
            assert!((*value - *expected).abs() < 1e-6, "{name}: {id} is {value} and not {expected}");
        }
    }
}

#[test]
fn the_order_of_systems_is_that_of_people() {
    let (name, text) = layouts().swap_remove(0);
    let answer = audit(name, &text);
    let wins = SYSTEMS.map(|(name, ..)| value(&answer, &format!("wins.{name}")));
    assert!(wins.is_sorted_by(|a, b| a >= b), "{wins:?}");
    let text = printed(name, &text);
    assert!(text.contains("The judge has birch above ember; people have ember above birch by"), "{text}");
}

#[test]
fn letters_whose_meaning_nobody_tells_are_said_to_be_taken_for_places() {
    let text = table("question_id,model_a,model_b,verdict_ab,verdict_ba", |i, pair| {
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(letter);
        format!("q{i},{},{ab},{ba}\n", systems(pair))
    });
    let text = printed("t.csv", &text);
    assert!(text.contains("A of the judge is taken for the answer shown first: the labels do not tell"), "{text}");
    assert!(text.contains("so label pages show ids alone"), "{text}");
}

#[test]
fn a_label_page_shows_two_answers_in_random_order_and_names_no_system() {
    let text = table("id,prompt,model_a,model_b,response_a,response_b,judge_winner", |i, pair| {
        format!("{i},Which {i}?,{},First {i},Second {i},{}\n", systems(pair), name(pair, pair.judge[0]))
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), text).unwrap();
    for arguments in [&["audit", "t.csv"][..], &["study", "labels", "page", "t-audit"]] {
        let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
        command.current_dir(folder.path()).args(arguments).assert().success();
    }
    let html = std::fs::read_to_string(folder.path().join("t-audit/label.html")).unwrap();
    assert!(html.contains("Which answer is better, A or B?"));
    for (name, ..) in SYSTEMS {
        assert!(!html.contains(name), "{name}");
    }
    let queue = html.split("id=\"queue\">").nth(1).unwrap().split("</script>").next().unwrap();
    let queue: Value = serde_json::from_str(queue).unwrap();
    let items = queue["items"].as_array().unwrap();
    let mut swapped = 0;
    for item in items {
        let id: usize = item["id"].as_str().unwrap().parse().unwrap();
        let pair = &pairs(7)[id];
        // A is the system that comes first by its name, and stands second where the item is swapped.
        let by_name = SYSTEMS[pair.systems[0]].0 < SYSTEMS[pair.systems[1]].0;
        let is_swapped = item["swapped"] == true;
        let first = if by_name == is_swapped { "Second" } else { "First" };
        assert!(item["text"].as_str().unwrap().contains(&format!("A: {first} {id}\n")), "{item}");
        swapped += usize::from(is_swapped);
    }
    assert!((items.len() / 4..3 * items.len() / 4).contains(&swapped), "{swapped} of {}", items.len());
}
