//! Damaged and hostile sentence models: one sentence with the file's name, and never a crash.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{copy, is_tried, note_trials, repository};

/// The small model in a folder, with texts to embed.
fn with_model() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&repository("tests/golden/tiny-model"), &folder.path().join("model"));
    let items = format!("id,text\na,red green\nb,{}\n", "a".repeat(24));
    fs::write(folder.path().join("items.csv"), items).unwrap();
    folder
}

fn embed(folder: &Path) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    let arguments = ["embed", "--items", "items.csv", "--text", "{text}", "--model", "model", "--out", "m.npy"];
    command.args(arguments).args(["--threads", "1"]).current_dir(folder).output().unwrap()
}

/// What is said of a model that is refused: one line that names a file of the model.
fn refusal(output: &Output) -> Option<String> {
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> = told.lines().filter(|line| line.starts_with("error: ")).collect();
    let as_it_should = told.lines().count() == 1 && said.len() == 1 && told.contains("model/");
    (matches!(output.status.code(), Some(1 | 2)) && as_it_should).then_some(told)
}

/// Flips single bits of a file of the model, evenly over it.
fn flipped(name: &str, flips: usize) {
    let folder = with_model();
    let file = folder.path().join("model").join(name);
    let whole = fs::read(&file).unwrap();
    let (mut trials, mut refused, mut wrong) = (0, 0, vec![]);
    for k in (0..flips).filter(|k| is_tried(*k, 16)) {
        let (mut bytes, bit) = (whole.clone(), k * whole.len() * 8 / flips);
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, bytes).unwrap();
        let output = embed(folder.path());
        trials += 1;
        match output.status.success() {
            true => {}
            false if refusal(&output).is_some() => refused += 1,
            false => wrong.push(format!("bit {bit}: {:?} {}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }
    assert!(wrong.is_empty(), "{name}, {} of {trials}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused * 10 > trials, "{name}: {refused} of {trials} are refused");
    let class = format!("single-bit flips of {name} of a small model");
    note_trials(&class, trials, "ends by a signal or a panic or with more than one line", wrong.len());
}

#[test]
fn a_flipped_bit_of_a_model_is_no_crash() {
    flipped("model.onnx", 400);
}

#[test]
fn a_flipped_bit_of_a_tokenizer_is_no_crash() {
    flipped("tokenizer.json", 400);
}

#[test]
fn a_flipped_bit_of_a_setting_is_no_crash() {
    for name in ["config.json", "tokenizer_config.json", "sentence_bert_config.json", "1_Pooling/config.json"] {
        flipped(name, 200);
    }
}

/// A field of a protocol buffer: a number, or bytes.
fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [&varint(field << 3 | 2), &varint(value.len() as u64), value].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = vec![];
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A model of these nodes, whose output is named `last_hidden_state`; `stored` are numbers that it holds, by name.
fn model(nodes: &[(&str, &[&str], &str)], stored: &[(&str, &[u64])]) -> Vec<u8> {
    let node = |(operator, inputs, output): &(&str, &[&str], &str)| {
        let inputs = inputs.iter().flat_map(|input| bytes(1, input.as_bytes())).collect::<Vec<u8>>();
        bytes(1, &[inputs, bytes(2, output.as_bytes()), bytes(4, operator.as_bytes())].concat())
    };
    let tensor = |(name, values): &(&str, &[u64])| {
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        bytes(5, &[number(1, values.len() as u64), number(2, 7), bytes(8, name.as_bytes()), bytes(9, &data)].concat())
    };
    let nodes: Vec<u8> = nodes.iter().flat_map(node).collect();
    let stored: Vec<u8> = stored.iter().flat_map(tensor).collect();
    let inputs = ["input_ids", "attention_mask"].map(|name| bytes(11, &bytes(1, name.as_bytes()))).concat();
    let output = bytes(12, &bytes(1, b"last_hidden_state"));
    let graph = [nodes, bytes(2, b"g"), stored, inputs, output].concat();
    [number(1, 8), bytes(7, &graph), bytes(8, &[bytes(1, b""), number(2, 17)].concat())].concat()
}

#[cfg(target_os = "linux")]
#[test]
fn a_small_model_that_asks_for_much_is_one_sentence() {
    let out = "last_hidden_state";
    let wide: &[u64] = &[40_000, 40_000];
    // Graphs in attributes of nodes of graphs.
    let deep = (0..10_000).fold(vec![], |inner, _| bytes(1, &bytes(5, &bytes(6, &inner))));
    let models = [
        ("constant.onnx", model(&[("ConstantOfShape", &["shape"], out)], &[("shape", wide)])),
        ("expand.onnx", model(&[("Expand", &["input_ids", "shape"], out)], &[("shape", &[1 << 20, 1 << 20])])),
        (
            "squares.onnx",
            model(
                &[("ConstantOfShape", &["shape"], "a"), ("MatMul", &["a", "a"], "b"), ("MatMul", &["b", "a"], out)],
                &[("shape", &[8_000, 8_000])],
            ),
        ),
        ("claims.onnx", model(&[("ConstantOfShape", &["shape"], out)], &[("shape", &[u64::MAX >> 1, 4])])),
        ("nested.onnx", [number(1, 8), bytes(7, &deep)].concat()),
    ];
    for (name, content) in &models {
        assert!(content.len() < 1_000_000);
        let folder = with_model();
        fs::write(folder.path().join("model/model.onnx"), content).unwrap();
        let output = embed(folder.path());
        let told = refusal(&output);
        assert!(told.is_some(), "{name}: {:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    note_trials("models below 1 MB that ask for much", models.len(), "takes more than 160 MB or crashes", 0);
}

/// A pattern that takes exponential time where it is tried back and forth.
#[test]
fn a_pattern_of_a_tokenizer_that_goes_back_and_forth_is_one_sentence() {
    let folder = with_model();
    let file = folder.path().join("model/tokenizer.json");
    let text = fs::read_to_string(&file).unwrap();
    let split = r#"{"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": false}"#;
    let mut tokenizer: serde_json::Value = serde_json::from_str(&text).unwrap();
    tokenizer["pre_tokenizer"] = serde_json::from_str(split).unwrap();
    fs::write(&file, tokenizer.to_string()).unwrap();
    fs::write(folder.path().join("items.csv"), format!("id,text\na,{}!\n", "a".repeat(24))).unwrap();
    let output = embed(folder.path());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || refusal(&output).is_some(), "{:?} {told}", output.status);
}

/// A number whose ten bytes all say that another follows.
#[test]
fn a_model_with_a_number_without_an_end_is_refused_at_once() {
    let folder = with_model();
    fs::write(folder.path().join("model/model.onnx"), [0xf0; 15]).unwrap();
    let told = refusal(&embed(folder.path())).unwrap();
    assert!(told.contains("not an ONNX model"), "{told}");
}

/// A kilobyte of a tokenizer that makes gigabytes of a text.
#[cfg(target_os = "linux")]
#[test]
fn a_tokenizer_that_multiplies_is_one_sentence() {
    let double = serde_json::json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
    let long = "u".repeat(900_000);
    let steps: [(&str, serde_json::Value); 4] = [
        ("/normalizer", serde_json::json!({"type": "Sequence", "normalizers": vec![double; 40]})),
        ("/normalizer", serde_json::json!({"type": "Replace", "pattern": {"Regex": "."}, "content": long})),
        ("/pre_tokenizer", serde_json::json!({"type": "Metaspace", "replacement": long, "prepend_scheme": "always"})),
        ("/model/unk_token", serde_json::json!(long)),
    ];
    for (place, step) in &steps {
        let folder = with_model();
        let file = folder.path().join("model/tokenizer.json");
        let mut tokenizer: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        *tokenizer.pointer_mut(place).unwrap() = step.clone();
        fs::write(&file, tokenizer.to_string()).unwrap();
        fs::write(folder.path().join("items.csv"), format!("id,text\na,{}\n", "a b ".repeat(20_000))).unwrap();
        let output = embed(folder.path());
        let told = refusal(&output).unwrap_or_default();
        assert!(
            told.contains("times as long"),
            "{place}: {:?} {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    note_trials("tokenizers that multiply", steps.len(), "takes more than 160 MB or crashes", 0);
}
