//! Results files against their JSON Schemas in `docs/schemas`.

use std::fs;
use std::path::Path;

use judge_uncertainty::artifact::Manifest;
use judge_uncertainty::escalation::Rule;
use serde_json::{Value, json};

use crate::support::{repository, run};

/// What of a value does not follow a schema, by place. Knows the keywords that the schemas use, and refuses others.
fn faults(value: &Value, schema: &Value, root: &Value, place: &str, found: &mut Vec<String>) {
    let mut fault = |what: String| found.push(format!("{place}: {what}"));
    let Value::Object(keywords) = schema else { panic!("{place}: a schema is an object") };
    for (keyword, stated) in keywords {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "required" | "additionalProperties" => {}
            "properties" | "patternProperties" | "items" | "anyOf" | "$ref" => {}
            "type" => {
                let kinds: Vec<&str> = match stated {
                    Value::String(kind) => vec![kind],
                    kinds => kinds.as_array().unwrap().iter().map(|kind| kind.as_str().unwrap()).collect(),
                };
                if !kinds.iter().any(|kind| is(value, kind)) {
                    fault(format!("{value} is none of {kinds:?}"));
                }
            }
            "enum" if !stated.as_array().unwrap().contains(value) => fault(format!("{value} is not among {stated}")),
            "pattern" if value.as_str().is_some_and(|text| !matches(stated, text)) => {
                fault(format!("{value} is not as {stated}"));
            }
            "minProperties" if value.as_object().is_some_and(|o| (o.len() as u64) < stated.as_u64().unwrap()) => {
                fault("too few names".to_owned());
            }
            "enum" | "pattern" | "minProperties" => {}
            other => panic!("{place}: the keyword {other} is not known here"),
        }
    }
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let definition = root.pointer(name.strip_prefix('#').unwrap()).expect("a definition");
        faults(value, definition, root, place, found);
    }
    if let Some(forms) = schema.get("anyOf").and_then(Value::as_array) {
        let of = |form| {
            let mut found = vec![];
            faults(value, form, root, place, &mut found);
            found
        };
        let tried: Vec<Vec<String>> = forms.iter().map(of).collect();
        if tried.iter().all(|found| !found.is_empty()) {
            found.extend(tried.into_iter().flatten());
        }
    }
    match value {
        Value::Array(list) => {
            for (i, item) in list.iter().enumerate() {
                schema.get("items").into_iter().for_each(|s| faults(item, s, root, &format!("{place}/{i}"), found));
            }
        }
        Value::Object(object) => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            for name in required.filter(|name| !object.contains_key(name.as_str().unwrap())) {
                found.push(format!("{place}: lacks {name}"));
            }
            for (name, value) in object {
                let place = format!("{place}/{name}");
                let patterns = schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
                let own = schema.get("properties").and_then(|own| own.get(name));
                let other = patterns.filter(|(pattern, _)| matches(&json!(pattern), name)).map(|(_, schema)| schema);
                let mut schemas: Vec<&Value> = own.into_iter().chain(other).collect();
                match schema.get("additionalProperties") {
                    Some(Value::Bool(false)) if schemas.is_empty() => found.push(format!("{place}: is not foreseen")),
                    Some(rest @ Value::Object(_)) if schemas.is_empty() => schemas.push(rest),
                    _ => {}
                }
                schemas.into_iter().for_each(|schema| faults(value, schema, root, &place, found));
            }
        }
        _ => {}
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no kind {other}"),
    }
}

/// The patterns in use: one of some words, `b` and a number, or a SHA-256 sum.
fn matches(pattern: &Value, text: &str) -> bool {
    let pattern = pattern.as_str().unwrap();
    match pattern {
        "^b[0-9]{1,3}$" => {
            text.strip_prefix('b').is_some_and(|n| (1..=3).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit()))
        }
        "^[0-9a-f]{64}$" => text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)),
        _ => {
            let words = pattern.strip_prefix("^(").and_then(|p| p.strip_suffix(")$")).expect("one of some words");
            words.split('|').any(|word| word == text)
        }
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .unwrap()
}

/// What of a results file does not follow the schema of a name.
pub(crate) fn faults_of(value: &Value, name: &str) -> Vec<String> {
    let schema = read(&repository(&format!("docs/schemas/{name}.schema.json")));
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let mut found = vec![];
    faults(value, &schema, &schema, "", &mut found);
    found
}

const OF_THE_ARTIFACT: [&str; 6] = ["simulations", "dice", "chaosnli", "authors", "claims", "manifest"];

#[test]
fn every_results_file_of_the_artifact_follows_its_schema() {
    let manifest = Manifest::load(&repository("artifact")).unwrap();
    let files = manifest.sums.keys().filter(|file| file.starts_with("results/")).count() + 1;
    assert_eq!(files, OF_THE_ARTIFACT.len(), "a results file without a schema");
    for name in OF_THE_ARTIFACT {
        let found = faults_of(&read(&repository(&format!("artifact/results/{name}.json"))), name);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

/// Tables by rule of a study take the rules that there are.
#[test]
fn the_schema_of_a_study_has_the_rules_of_the_table() {
    let schema = fs::read_to_string(repository("docs/schemas/study.schema.json")).unwrap();
    let rules: Vec<&str> = Rule::those(|_| true).into_iter().map(Rule::key).collect();
    let pattern = format!("\"^({})$\"", rules.join("|"));
    let wrong: Vec<&str> =
        schema.lines().filter(|line| line.contains("\"^(info|") && !line.contains(&pattern)).collect();
    assert!(schema.contains(&pattern) && wrong.is_empty(), "write {pattern} for {wrong:#?}");
}

#[test]
fn answers_follow_their_schema() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| repository("examples").join(name).to_str().unwrap().to_owned();
    let program = |arguments: &[&str]| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
        let out = program.current_dir(folder.path()).args(arguments).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        out.stdout
    };
    let (support, answers, ann) = (file("support.csv"), file("answers.csv"), file("support_ann.csv"));
    let audited = ["audit", &answers, "--labelled", "random", "--target", "2", "--at-least", "agreement=0.8", "--json"];
    let printed = [program(&["audit", &support, "--json"]), program(&audited), {
        program(&["study", "labels", "add", &ann, "support-audit"]);
        program(&["study", "run", "support-audit", "--json"])
    }];
    for printed in printed {
        let value: Value = serde_json::from_slice(&printed).unwrap();
        let found = faults_of(&value["answer"], "answer");
        assert!(found.is_empty(), "{found:#?}");
        let mut less = value["answer"].clone();
        less["findings"][0].as_object_mut().unwrap().remove("found");
        assert!(!faults_of(&less, "answer").is_empty());
    }
}

/// A change of a file at a place, and what the schema says of it.
#[test]
fn broken_files_are_refused() {
    let file = |name: &str| read(&repository(&format!("artifact/results/{name}.json")));
    let refused = |name: &str, change: &dyn Fn(&mut Value), said: &str| {
        let mut value = file(name);
        change(&mut value);
        let found = faults_of(&value, name);
        assert!(found.iter().any(|fault| fault.contains(said)), "{name}: {said}: {found:?}");
    };
    refused("dice", &|v| drop(v["results"].as_object_mut().unwrap().remove("tiers")), "/results: lacks \"tiers\"");
    refused("dice", &|v| v["results"]["items"] = json!(2.5), "/results/items: 2.5 is none of");
    refused("dice", &|v| v["results"]["more"] = json!(1), "/results/more: is not foreseen");
    refused("chaosnli", &|v| v["results"]["full"]["value"]["info"]["ten"] = json!({}), "info/ten: is not foreseen");
    refused("chaosnli", &|v| v["results"]["full"]["value"]["luck"] = json!({}), "value/luck: is not foreseen");
    refused(
        "chaosnli",
        &|v| v["results"]["full"]["value"]["info"]["b10"]["hi"] = json!("12"),
        "b10/hi: \"12\" is none of",
    );
    refused("claims", &|v| v["claims"][3]["verdict"] = json!("fine"), "/claims/3/verdict: \"fine\" is not among");
    refused(
        "manifest",
        &|v| v["deterministic"]["dice"]["results_sha256"] = json!("0"),
        "results_sha256: \"0\" is not as",
    );
    refused("simulations", &|v| v["results"] = json!([]), "/results: [] is none of");
}

#[test]
fn results_of_a_study_follow_their_schema() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("s");
    run(&["study", "init", study.to_str().unwrap()], 0);
    run(&["study", "run", study.to_str().unwrap()], 0);
    let results = study.join("run/results");
    for (file, name) in [("study.json", "study"), ("manifest.json", "study-manifest")] {
        let found = faults_of(&read(&results.join(file)), name);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
    let whole = read(&results.join("study.json"));
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut value = whole.clone();
        change(&mut value);
        faults_of(&value, "study")
    };
    assert!(broken(&|v| drop(v.as_object_mut().unwrap().remove("fit")))[0].contains("lacks \"fit\""));
    assert!(broken(&|v| v["kind"] = json!("colours"))[0].contains("\"colours\" is not among"));
    assert!(!broken(&|v| v["fit"]["coefficients"] = json!("many")).is_empty());
    assert!(!broken(&|v| v["items"]["items"] = json!("12")).is_empty());
}
