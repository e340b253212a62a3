//! Models: the default one against its reference, any other from its folder, bad ones refused.

use std::fs;
use std::path::Path;

use judge_uncertainty::familiarity::embedding::{
    DEFAULT_MODEL, Embedder, EmbedderOptions, EmbeddingError, Embeddings, Model, OnnxEmbedder, Pooling, embed_texts,
};
use judge_uncertainty::system::progress::Silent;
use tempfile::TempDir;

use super::{StandIn, TINY, cosine, embed, options, strings};
use crate::support::{note_trials, skipped};

/// The reference is described in the golden file; its texts are short, long, non-Latin, emoji and upper case.
#[test]
fn default_model_agrees_with_the_reference() {
    let golden: serde_json::Value = serde_json::from_slice(&fs::read("tests/golden/embeddings.json").unwrap()).unwrap();
    let texts: Vec<String> = serde_json::from_value(golden["texts"].clone()).unwrap();
    let reference: Vec<Vec<f64>> = serde_json::from_value(golden["embeddings"].clone()).unwrap();
    let embeddings = embed(DEFAULT_MODEL, &texts, EmbedderOptions::default());
    assert_eq!(embeddings.matrix.dim(), (12, 384));
    for ((row, reference), text) in embeddings.matrix.rows().into_iter().zip(&reference).zip(&texts) {
        let cosine = cosine(row.iter().map(|&x| f64::from(x)), reference.iter().copied());
        assert!(cosine >= 0.99999, "cosine {cosine} for {text:?}");
        let norm = row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
        assert!((norm - 1.0).abs() < 1e-6, "norm {norm} for {text:?}");
    }
    assert_eq!(embeddings.truncated, 1, "only the last text is longer than 256 tokens");
}

#[test]
fn threads_and_batches_do_not_change_a_byte() {
    // Eleven lengths, from one to four texts of each.
    let texts: Vec<String> = (0..28)
        .map(|i| format!("Label {i} is{}", " very".repeat(i % 11)))
        .chain([String::new(), "é".into(), "Label 3 is very very very".into()])
        .collect();
    let expected = embed(DEFAULT_MODEL, &texts, options(1, 1));
    for (threads, batch) in [(1, 32), (3, 2), (2, 32)] {
        let found = embed(DEFAULT_MODEL, &texts, options(threads, batch));
        let apart = (expected.matrix.iter().zip(&found.matrix)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let allowed = if onnxruntime() { 1e-6 } else { 0.0 };
        assert!(apart <= allowed, "{threads} threads, batches of {batch}: {apart:e} apart");
    }
}

/// Whether the tests run with ONNX Runtime.
fn onnxruntime() -> bool {
    cfg!(feature = "onnxruntime") && std::env::var_os("ORT_DYLIB_PATH").is_some()
}

#[test]
fn the_runtime_is_the_one_asked_for() {
    let embedder = OnnxEmbedder::new(Model::find(TINY).unwrap(), EmbedderOptions::default()).unwrap();
    let expected = if onnxruntime() { " backend=onnxruntime, version=" } else { " backend=rten, version=" };
    assert!(embedder.settings().contains(expected), "{}", embedder.settings());
    if !onnxruntime() {
        skipped("nothing was tested with ONNX Runtime; it takes --features onnxruntime and ORT_DYLIB_PATH");
    }
}

/// Expected rows: means of rows of the table in tests/golden/tiny-model/make.py, divided by their norms, by hand.
#[test]
fn any_sentence_model_works_from_a_directory() {
    let texts = strings(&["Red", "green red", "blue blue blue GREEN red", "what", "red red"]);
    let embeddings = embed(TINY, &texts, EmbedderOptions::default());
    let expected = [
        [1.0, 0.0, 0.0],
        [0.6, 0.8, 0.0],
        // Cut after four tokens: (0, 4, 15) / 4.
        [0.0, 4.0 / 241f32.sqrt(), 15.0 / 241f32.sqrt()],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0],
    ];
    for (row, expected) in embeddings.matrix.rows().into_iter().zip(expected) {
        for (x, expected) in row.iter().zip(expected) {
            assert!((x - expected).abs() < 1e-6, "{row} is not {expected:?}");
        }
    }
    assert_eq!(embeddings.truncated, 1);
}

/// Copies the tiny model without its hashes and lets `change` spoil it.
fn changed_model(change: impl FnOnce(&Path)) -> (TempDir, Result<OnnxEmbedder, EmbeddingError>) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("1_Pooling")).unwrap();
    for name in [
        "model.onnx",
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "sentence_bert_config.json",
        "1_Pooling/config.json",
    ] {
        fs::copy(Path::new(TINY).join(name), dir.path().join(name)).unwrap();
    }
    change(dir.path());
    let model = Model::open(dir.path());
    (dir, model.and_then(|model| OnnxEmbedder::new(model, EmbedderOptions::default())))
}

#[test]
fn a_models_settings_are_followed() {
    let (_dir, model) = changed_model(|dir| {
        fs::write(dir.join("1_Pooling/config.json"), r#"{"pooling_mode_cls_token": true}"#).unwrap();
        fs::write(dir.join("sentence_bert_config.json"), r#"{"max_seq_length": 2}"#).unwrap();
        fs::create_dir(dir.join("onnx")).unwrap();
        fs::rename(dir.join("model.onnx"), dir.join("onnx/model.onnx")).unwrap();
    });
    let mut embedder = model.unwrap();
    assert!(embedder.settings().contains(" max_tokens=2 pooling=Cls "), "{}", embedder.settings());
    let texts = strings(&["green red", "green red blue"]);
    let embeddings = embed_texts(&mut embedder, &texts, None, &Silent).unwrap();
    assert_eq!(embeddings.matrix, ndarray::arr2(&[[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]));
    assert_eq!(embeddings.truncated, 1);

    let plain = OnnxEmbedder::new(Model::find(TINY).unwrap(), EmbedderOptions::default()).unwrap();
    let (_dir, same) = changed_model(|_| {});
    assert_eq!(plain.settings(), same.unwrap().settings());
    let (dir, other) = changed_model(|dir| fs::remove_dir_all(dir.join("1_Pooling")).unwrap());
    other.unwrap();
    let other = Model::open(dir.path()).unwrap();
    assert!(!plain.settings().contains(&other.hash));
    assert_eq!(other.pooling, Pooling::Mean);
}

/// The message of the error that a spoilt model gives.
fn refusal(change: impl FnOnce(&Path)) -> String {
    let (dir, model) = changed_model(change);
    let message = model.err().expect("a refusal").to_string();
    message.replace(&dir.path().display().to_string(), "DIR")
}

#[test]
fn bad_models_are_refused_with_place_and_remedy() {
    let missing = refusal(|dir| fs::remove_file(dir.join("tokenizer.json")).unwrap());
    assert!(missing.starts_with("no sentence model at DIR: tokenizer.json is missing; place"));

    let damaged = refusal(|dir| {
        let zeros = "0".repeat(64);
        fs::write(dir.join("SHA256SUMS"), format!("{zeros}  model.onnx\n")).unwrap();
    });
    assert!(damaged.starts_with("DIR/model.onnx: the file is damaged or was changed (SHA-256"));
    assert!(damaged.contains("restore it"));

    let listed = refusal(|dir| {
        let zeros = "0".repeat(64);
        fs::write(dir.join("SHA256SUMS"), format!("{zeros}  special_tokens_map.json\n")).unwrap();
    });
    assert!(listed.contains("special_tokens_map.json is missing"), "{listed}");

    let mismatch = refusal(|dir| {
        let path = dir.join("tokenizer.json");
        let json = fs::read_to_string(&path).unwrap().replace("\"grey\": 5", "\"grey\": 6");
        fs::write(path, json).unwrap();
    });
    assert!(
        mismatch.starts_with(
            "DIR/tokenizer.json: the tokenizer's highest token id is 6, but the model embeds only 6 tokens (ids 0 to 5)"
        ),
        "{mismatch}"
    );

    let not_onnx = refusal(|dir| fs::write(dir.join("model.onnx"), "not a model").unwrap());
    assert!(not_onnx.starts_with("DIR/model.onnx: not an ONNX model"), "{not_onnx}");

    let inputs = refusal(|dir| {
        let path = dir.join("model.onnx");
        let mut onnx = fs::read(&path).unwrap();
        let name = b"attention_mask";
        for at in 0..onnx.len() - name.len() {
            if onnx[at..].starts_with(name) {
                onnx[at] = b'A';
            }
        }
        fs::write(path, onnx).unwrap();
    });
    assert!(inputs.contains("inputs are [\"input_ids\", \"Attention_mask\"]"), "{inputs}");

    let pooling = refusal(|dir| {
        let settings = r#"{"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true}"#;
        fs::write(dir.join("1_Pooling/config.json"), settings).unwrap();
    });
    assert!(pooling.starts_with("DIR/1_Pooling/config.json: the model pools"), "{pooling}");

    let json = refusal(|dir| fs::write(dir.join("config.json"), "{").unwrap());
    assert!(json.starts_with("DIR/config.json: not JSON"), "{json}");
}

/// Every bit of the tiny model's graph is changed in turn, sums aside. A library in C would be handed the file as it
/// is.
#[test]
fn a_damaged_graph_is_refused_or_runs_but_never_ends_the_process() {
    if onnxruntime() {
        return skipped("damaged models are tried with rten alone");
    }
    let whole = Model::find(TINY).unwrap();
    let (mut refused, mut ran) = (0, 0);
    for bit in 0..whole.onnx.len() * 8 {
        let mut model = whole.clone();
        model.onnx[bit / 8] ^= 1 << (bit % 8);
        let texts = strings(&["green red", "blue"]);
        let embedded = OnnxEmbedder::new(model, options(1, 2))
            .and_then(|mut embedder| embed_texts(&mut embedder, &texts, None, &Silent));
        match embedded {
            Ok(_) => ran += 1,
            Err(error) => {
                assert!(error.to_string().contains(TINY), "bit {bit}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 1000 && ran > 100, "{refused} refused, {ran} ran");
    note_trials("single-bit flips of model.onnx in the process itself", refused + ran, "ends the process", 0);
}

#[test]
fn a_name_that_is_no_directory_says_what_to_place_where() {
    let message = Model::find("no-such-model").unwrap_err().to_string();
    assert!(message.starts_with("cannot load a model named \"no-such-model\": there is no such directory"));
    assert!(message.contains("model.onnx, tokenizer.json"), "{message}");
}

#[test]
fn the_stand_in_keeps_kinship_of_texts() {
    let texts = strings(&["the red die", "the red dice", "no word shared", "", "THE RED DIE"]);
    let mut stand_in = StandIn { dimension: 100, max_words: 9 };
    let Embeddings { matrix, .. } = embed_texts(&mut stand_in, &texts, None, &Silent).unwrap();
    let row = |i: usize| matrix.row(i).to_vec().into_iter().map(f64::from);
    assert!(cosine(row(0), row(1)) > 0.4, "two words of three are shared");
    assert!(cosine(row(0), row(2)).abs() < 0.4);
    assert_eq!(matrix.row(0), matrix.row(4));
    for row in matrix.rows() {
        assert!((row.dot(&row) - 1.0).abs() < 1e-5);
    }
}
