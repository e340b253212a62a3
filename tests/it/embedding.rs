//! Embeddings: against a reference, byte for byte over threads and batches, from caches, models and items good and bad.
//!
//! With the feature `onnxruntime` and `ORT_DYLIB_PATH` set, all of it runs with that runtime.

use std::cell::{Cell, RefCell};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use judge_uncertainty::dataset::checksum::sha256_hex;
use judge_uncertainty::familiarity::chaosnli_text::read_chaosnli_texts;
use judge_uncertainty::familiarity::embedding::{
    Cache, DEFAULT_MODEL, Destination, EmbeddedText, Embedder, EmbeddingError, Embeddings, Items, Model, OnnxEmbedder,
    Options, Pooling, Precision, StandIn, embed_texts, read_item_lines, read_items,
};
use judge_uncertainty::familiarity::user_embeddings::read_identified;
use judge_uncertainty::progress::{Progress, Silent};
use tempfile::TempDir;

use crate::support::{repository, run};

/// All words of the tiny model are rows of the table in its make.py, so its embeddings are known by hand.
const TINY: &str = "tests/golden/tiny-model";

fn options(threads: usize, batch: usize) -> Options {
    let count = |n| NonZeroUsize::new(n).unwrap();
    Options { threads: count(threads), batch: count(batch) }
}

fn embed(model: &str, texts: &[String], options: Options) -> Embeddings {
    let mut embedder = OnnxEmbedder::new(Model::find(model).unwrap(), options).unwrap();
    embed_texts(&mut embedder, texts, None, &Silent).unwrap()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn cosine(a: impl IntoIterator<Item = f64>, b: impl IntoIterator<Item = f64>) -> f64 {
    let (mut dot, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.into_iter().zip(b) {
        dot += x * y;
        aa += x * x;
        bb += y * y;
    }
    dot / (aa * bb).sqrt()
}

/// The reference is described in the golden file; its texts are short, long, non-Latin, emoji and upper case.
#[test]
fn default_model_agrees_with_the_reference() {
    let golden: serde_json::Value = serde_json::from_slice(&fs::read("tests/golden/embeddings.json").unwrap()).unwrap();
    let texts: Vec<String> = serde_json::from_value(golden["texts"].clone()).unwrap();
    let reference: Vec<Vec<f64>> = serde_json::from_value(golden["embeddings"].clone()).unwrap();
    let embeddings = embed(DEFAULT_MODEL, &texts, Options::default());
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
    let embedder = OnnxEmbedder::new(Model::find(TINY).unwrap(), Options::default()).unwrap();
    let expected = if onnxruntime() { "backend=onnxruntime" } else { "backend=ort-tract" };
    assert!(embedder.runtime().starts_with(expected), "{}", embedder.runtime());
    assert!(embedder.settings().ends_with(embedder.runtime()));
    if !onnxruntime() {
        eprintln!("SKIPPED: nothing was tested with ONNX Runtime; it takes --features onnxruntime and ORT_DYLIB_PATH");
    }
}

/// Expected rows: means of rows of the table in tests/golden/tiny-model/make.py, divided by their norms, by hand.
#[test]
fn any_sentence_model_works_from_a_directory() {
    let texts = strings(&["Red", "green red", "blue blue blue GREEN red", "what", "red red"]);
    let embeddings = embed(TINY, &texts, Options::default());
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
fn changed_model(change: impl FnOnce(&Path)) -> (TempDir, Result<Model, EmbeddingError>) {
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
    (dir, model)
}

#[test]
fn a_models_settings_are_followed() {
    let (_dir, model) = changed_model(|dir| {
        fs::write(dir.join("1_Pooling/config.json"), r#"{"pooling_mode_cls_token": true}"#).unwrap();
        fs::write(dir.join("sentence_bert_config.json"), r#"{"max_seq_length": 2}"#).unwrap();
        fs::create_dir(dir.join("onnx")).unwrap();
        fs::rename(dir.join("model.onnx"), dir.join("onnx/model.onnx")).unwrap();
    });
    let model = model.unwrap();
    assert_eq!((model.max_tokens, &model.pooling), (2, &Pooling::Cls));
    let mut embedder = OnnxEmbedder::new(model, Options::default()).unwrap();
    let texts = strings(&["green red", "green red blue"]);
    let embeddings = embed_texts(&mut embedder, &texts, None, &Silent).unwrap();
    assert_eq!(embeddings.matrix, ndarray::arr2(&[[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]));
    assert_eq!(embeddings.truncated, 1);

    let plain = Model::find(TINY).unwrap();
    let (_dir, same) = changed_model(|_| {});
    assert_eq!(plain.hash, same.unwrap().hash);
    let (_dir, other) = changed_model(|dir| fs::remove_dir_all(dir.join("1_Pooling")).unwrap());
    let other = other.unwrap();
    assert_ne!(plain.hash, other.hash);
    assert_eq!(other.pooling, Pooling::Mean);
}

/// The message of the error that a spoilt model gives.
fn refusal(change: impl FnOnce(&Path)) -> String {
    let (dir, model) = changed_model(change);
    let message = model.unwrap_err().to_string();
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

#[test]
fn a_name_that_is_no_directory_says_what_to_place_where() {
    let message = Model::find("no-such-model").unwrap_err().to_string();
    assert!(message.starts_with("cannot load a model named \"no-such-model\": there is no such directory"));
    assert!(message.contains("model.onnx, tokenizer.json"), "{message}");
}

/// Counts the texts it embeds and can be told to fail after some batches, like a run that is killed.
struct Watched {
    inner: StandIn,
    embedded: RefCell<Vec<String>>,
    left: Cell<usize>,
}

impl Watched {
    fn new(left: usize) -> Self {
        let inner = StandIn { dimension: 20, max_words: 4 };
        Self { inner, embedded: RefCell::default(), left: Cell::new(left) }
    }
}

impl Embedder for Watched {
    fn settings(&self) -> String {
        self.inner.settings()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension
    }

    fn embed(
        &mut self,
        texts: &[&str],
        done: &mut dyn FnMut(Vec<EmbeddedText>) -> Result<(), EmbeddingError>,
    ) -> Result<(), EmbeddingError> {
        let (embedded, left) = (&self.embedded, &self.left);
        self.inner.embed(texts, &mut |batch| {
            if left.get() == 0 {
                return Err(EmbeddingError::Runtime { problem: "killed".into() });
            }
            left.set(left.get() - 1);
            embedded.borrow_mut().extend(batch.iter().map(|e| texts[e.index].to_owned()));
            done(batch)
        })
    }
}

/// A run over `texts` with the cache in `dir`: its result, and the texts it embedded itself.
fn cached_run(dir: &Path, texts: &[String], left: usize) -> (Result<Embeddings, EmbeddingError>, Vec<String>) {
    let mut embedder = Watched::new(left);
    let mut cache = Cache::open(dir, &embedder).unwrap();
    let result = embed_texts(&mut embedder, texts, Some(&mut cache), &Silent);
    (result, embedder.embedded.into_inner())
}

fn cache_file(dir: &Path) -> PathBuf {
    let files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    files[0].clone()
}

#[test]
fn a_second_run_embeds_only_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    let texts = strings(&["a b", "c", "a b", "one two three four five"]);
    let plain = embed_texts(&mut Watched::new(9), &texts, None, &Silent).unwrap();
    assert_eq!((plain.truncated, plain.from_cache), (1, 0));

    let (first, embedded) = cached_run(dir.path(), &texts, 9);
    assert_eq!(first.unwrap(), plain);
    assert_eq!(embedded.len(), 3, "equal texts are embedded once");

    let (second, embedded) = cached_run(dir.path(), &texts, 0);
    assert_eq!(second.unwrap(), Embeddings { from_cache: 4, ..plain });
    assert!(embedded.is_empty());

    let changed = strings(&["c", "new", "a b"]);
    let (third, embedded) = cached_run(dir.path(), &changed, 9);
    assert_eq!(embedded, ["new"]);
    let expected = embed_texts(&mut Watched::new(9), &changed, None, &Silent).unwrap();
    assert_eq!(third.unwrap().matrix, expected.matrix);

    // Other settings, another file.
    Cache::open(dir.path(), &StandIn { dimension: 21, max_words: 4 }).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn a_killed_run_loses_only_the_batch_in_flight() {
    let dir = tempfile::tempdir().unwrap();
    let texts: Vec<_> = (0..10).map(|i| format!("text {i}")).collect();
    let (killed, embedded) = cached_run(dir.path(), &texts, 6);
    assert!(matches!(killed, Err(EmbeddingError::Runtime { .. })));
    assert_eq!(embedded.len(), 6);
    let (resumed, embedded) = cached_run(dir.path(), &texts, 9);
    assert_eq!(embedded.len(), 4);
    assert_eq!(resumed.unwrap().from_cache, 6);
}

#[test]
fn a_torn_or_damaged_record_is_dropped_and_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let texts = strings(&["a", "b", "c"]);
    let (whole, _) = cached_run(dir.path(), &texts, 9);
    let whole = whole.unwrap().matrix;
    let path = cache_file(dir.path());
    let bytes = fs::read(&path).unwrap();
    let record = 32 + 1 + 4 * 20 + 8;
    // Every length from the empty file to the whole one: header torn, then one, two, three records torn.
    for length in 0..=bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let kept = 3usize.saturating_sub((bytes.len() - length).div_ceil(record));
        let (result, embedded) = cached_run(dir.path(), &texts, 9);
        assert_eq!(embedded.len(), 3 - kept, "cut after {length} of {} bytes", bytes.len());
        assert_eq!(result.unwrap().matrix, whole);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    // A flipped bit in the second record takes it and the third away.
    let mut damaged = bytes.clone();
    damaged[bytes.len() - 2 * record + 40] ^= 1;
    fs::write(&path, damaged).unwrap();
    let (result, embedded) = cached_run(dir.path(), &texts, 9);
    assert_eq!(embedded, ["b", "c"]);
    assert_eq!(result.unwrap().matrix, whole);
}

#[test]
fn foreign_and_busy_caches_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let embedder = Watched::new(0);
    let held = Cache::open(dir.path(), &embedder).unwrap();
    let busy = Cache::open(dir.path(), &embedder).unwrap_err();
    assert!(matches!(busy, EmbeddingError::CacheBusy { .. }), "{busy}");
    let path = held.path().to_path_buf();
    drop(held);
    fs::write(&path, "something else").unwrap();
    let foreign = Cache::open(dir.path(), &embedder).unwrap_err();
    assert!(matches!(foreign, EmbeddingError::CacheForeign { .. }), "{foreign}");
    assert_eq!(fs::read(&path).unwrap(), b"something else", "a foreign file is left alone");
}

#[test]
fn progress_counts_every_text() {
    #[derive(Default)]
    struct Steps(Mutex<Vec<u64>>, AtomicBool);
    impl Progress for Steps {
        fn start(&self, _: &str, total: u64) {
            self.0.lock().unwrap().push(total);
        }
        fn advance(&self, steps: u64) {
            self.0.lock().unwrap().push(steps);
        }
        fn finish(&self) {
            self.1.store(true, Ordering::Relaxed);
        }
    }
    let steps = Steps::default();
    let texts = strings(&["a", "b", "a", "c"]);
    embed_texts(&mut Watched::new(9), &texts, None, &steps).unwrap();
    let seen = steps.0.into_inner().unwrap();
    assert_eq!((seen[0], seen[1..].iter().sum::<u64>()), (4, 4));
    assert!(steps.1.load(Ordering::Relaxed));
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

fn items(name: &str, content: &str, template: &str) -> Result<Items, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, content).unwrap();
    read_items(&path, "id", &template.parse().unwrap())
        .map_err(|e| e.to_string().replace(&path.display().to_string(), "FILE"))
}

#[test]
fn rows_of_a_parquet_file_are_items() {
    let file = repository("tests/golden/parquet/datasets/zstd.parquet");
    let lines = judge_uncertainty::study::input::parquet::lines(&file, &fs::read(&file).unwrap()).unwrap();
    let read = |template: &str| read_item_lines(&file, &lines, "id", &template.parse().unwrap());
    let items = read("{id} by {annotator}").unwrap();
    assert_eq!((items.ids[1].as_str(), items.texts[1].as_str()), ("item 1", "item 1 by ben"));
    let error = read("{question}").unwrap_err().to_string();
    assert!(error.contains("zstd.parquet") && error.contains("question"), "{error}");
}

#[test]
fn items_come_from_csv_and_jsonl() {
    let expected = Items { ids: strings(&["x", "7"]), texts: strings(&["Q: a, \"b\"\nA: c", "Q: two\nlines\nA: "]) };
    let template = r"Q: {q}\nA: {a}";
    let csv = "\u{feff}a,id,other,q\r\nc,x,1,\"a, \"\"b\"\"\"\r\n,7,,\"two\nlines\"\r\n";
    assert_eq!(items("i.CSV", csv, template).unwrap(), expected);
    let jsonl = "\u{feff}{\"id\":\"x\",\"q\":\"a, \\\"b\\\"\",\"a\":\"c\",\"n\":null}\n\n\
                 {\"a\":\"\",\"q\":\"two\\nlines\",\"id\":7}\n";
    assert_eq!(items("i.jsonl", jsonl, template).unwrap(), expected);
}

#[test]
fn bad_items_are_refused_with_file_and_line() {
    let error = |name, content| items(name, content, "{q}").unwrap_err();
    for (name, content, expected) in [
        ("i.txt", "id,q\n", "FILE: the items must be a .csv, .jsonl or .parquet file"),
        ("i.csv", "", "FILE: the file holds no items"),
        ("i.csv", "id,q\n", "FILE: the file holds no items"),
        ("i.jsonl", "\n \n", "FILE: the file holds no items"),
        ("i.csv", "id,p\n1,x\n", "FILE:1: there is no column \"q\"; the columns are \"id\", \"p\""),
        ("i.csv", "q\nx\n", "FILE:1: there is no column \"id\"; the columns are \"q\""),
        ("i.csv", "q,id,q\na,1,b\n", "FILE:1: the column \"q\" stands twice in the header; rename one"),
        ("i.csv", "id,q\n1,a\n2,b\n1,c\n", "FILE:4: the id \"1\" stands on line 2 already; ids must be unique"),
        ("i.csv", "id,q\n1,a\n ,b\n", "FILE:3: the id (column \"id\") is empty"),
        (
            "i.csv",
            "id,q\n1,\"a\nb\"\n2, \n",
            "FILE:4: the item \"2\" has no text (every column of the template is blank)",
        ),
        ("i.csv", "id,q\n\"1\n2\",a\n", "FILE:2: the id \"1\\n2\" is broken over lines"),
        ("i.csv", "id,q\n1,a,b\n", "FILE:2: 3 fields where the header has 2; quote fields that contain commas"),
        (
            "i.jsonl",
            "{\"id\":\"1\",\"q\":\"a\"}\n{\"id\":\"2\"}\n",
            "FILE:2: there is no column \"q\"; the columns are \"id\"",
        ),
        (
            "i.jsonl",
            "{\"id\":\"1\",\"q\":null}\n",
            "FILE:1: \"q\" must be a text, not null; quote it or use another column",
        ),
        (
            "i.jsonl",
            "{\"id\":1.5,\"q\":\"a\"}\n",
            "FILE:1: \"id\" must be a text, not 1.5; quote it or use another column",
        ),
        ("i.jsonl", "[1]\n", "FILE:1: not a JSON object: "),
    ] {
        let message = error(name, content);
        assert!(message.starts_with(expected), "{message:?} for {content:?}");
    }
    let dir = tempfile::tempdir().unwrap();
    for (name, before) in [("i.csv", "id,q\n1,a\n2,"), ("i.jsonl", "{\"id\":\"1\",\"q\":\"a\"}\n\n")] {
        let path = dir.path().join(name);
        fs::write(&path, [before.as_bytes(), b"\xff\n"].concat()).unwrap();
        let error = read_items(&path, "id", &"{q}".parse().unwrap()).unwrap_err().to_string();
        assert!(error.ends_with(":3: not UTF-8; save the file in that encoding"), "{error}");
    }
}

fn read_npy<T: npyz::Deserialize>(path: &Path) -> (Vec<u64>, Vec<T>) {
    let npy = npyz::NpyFile::new(fs::File::open(path).unwrap()).unwrap();
    (npy.shape().to_vec(), npy.into_vec().unwrap())
}

#[test]
fn matrices_are_written_whole_with_their_ids() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.npy");
    // 1 + 2^-11 and 1 + 3 * 2^-11 lie between two 16-bit floats, which are 2^-10 apart: the even one is taken.
    let exact = [1.0, -0.5, 1.0 + 0.5f32.powi(11), 1.0 + 3.0 * 0.5f32.powi(11)];
    let matrix = ndarray::arr2(&[[exact[0], exact[1]], [exact[2], exact[3]]]);
    let ids = strings(&["b", "ä"]);
    let beside = Destination::check(&path, &[]).unwrap().write(&ids, matrix.view(), Precision::Single).unwrap();
    assert_eq!(read_npy::<f32>(&path), (vec![2, 2], exact.to_vec()));
    assert_eq!(beside, dir.path().join("m.npy.ids.txt"));
    let sum = |path: &Path| sha256_hex(&fs::read(path).unwrap());
    let expected = |path: &Path| format!("b\nä\n# SHA-256 of the matrix: {}\n", sum(path));
    assert_eq!(fs::read_to_string(&beside).unwrap(), expected(&path));

    Destination::check(&path, &[]).unwrap().write(&ids, matrix.view(), Precision::Half).unwrap();
    assert_eq!(fs::read_to_string(&beside).unwrap(), expected(&path));
    let (shape, half) = read_npy::<half::f16>(&path);
    let half: Vec<f32> = half.into_iter().map(f32::from).collect();
    assert_eq!((shape, half), (vec![2, 2], vec![1.0, -0.5, 1.0, 1.0 + 0.5f32.powi(9)]));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing temporary stays");

    Destination::check(&path, &[]).unwrap();
    let error = Destination::check(&dir.path().join("none/m.npy"), &[]).unwrap_err();
    assert!(matches!(error, EmbeddingError::Write { .. }), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn a_cache_whose_header_states_a_huge_dimension_holds_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let embedder = StandIn { dimension: 4, max_words: 8 };
    let path = Cache::open(dir.path(), &embedder).unwrap().path().to_owned();
    let header = fs::read_to_string(&path).unwrap().replace("dimension=4\n", "dimension=99999999999\n");
    fs::write(&path, header).unwrap();
    assert_eq!(Cache::lacking(dir.path(), &embedder.settings(), &strings(&["a", "b"])).unwrap(), 2);
}

/// What a kill between the two files leaves: the ids of the new matrix beside the old one.
#[test]
fn a_matrix_is_not_paired_with_ids_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.npy"), dir.path().join("new.npy"));
    let matrix = ndarray::arr2(&[[1.0f32, 0.0], [0.0, 1.0]]);
    let ids = strings(&["a", "b"]);
    Destination::check(&old, &[]).unwrap().write(&ids, matrix.view(), Precision::Single).unwrap();
    assert_eq!(read_identified(&old).unwrap().1, matrix);
    let turned = matrix.dot(&ndarray::arr2(&[[0.0f32, 1.0], [1.0, 0.0]]));
    let beside =
        Destination::check(&new, &[]).unwrap().write(&strings(&["b", "a"]), turned.view(), Precision::Single).unwrap();
    fs::copy(&beside, dir.path().join("old.npy.ids.txt")).unwrap();
    let refused = read_identified(&old).unwrap_err().to_string();
    assert!(refused.contains("old.npy") && refused.contains("belong to another matrix"), "{refused}");
    // Embedding again mends it.
    Destination::check(&old, &[]).unwrap();
    // Without a sum, as others write it, the number of rows has to be right.
    fs::write(&beside, "a\nb\n").unwrap();
    assert_eq!(read_identified(&new).unwrap().1, turned);
    Destination::check(&new, &[]).unwrap();
    fs::write(&beside, "a\nb\nc\n").unwrap();
    read_identified(&new).unwrap_err();
    assert!(matches!(Destination::check(&new, &[]), Err(EmbeddingError::OutputForeign { .. })));
    // Two at once.
    let held = Destination::check(&old, &[]).unwrap();
    assert!(matches!(Destination::check(&old, &[]), Err(EmbeddingError::Output(_))));
    drop(held);
    drop(Destination::check(&old, &[]).unwrap());
}

#[test]
fn files_of_a_user_are_not_overwritten_by_embeddings() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name);
    let items = "id,a\nx,red\n";
    fs::write(file("i.csv"), items).unwrap();
    fs::write(file("mine.npy"), "mine").unwrap();
    fs::write(file("i.npy.ids.txt"), "mine").unwrap();
    let before = fs::read_dir(dir.path()).unwrap().count();
    for (out, problem) in [
        ("i.csv", "is the file that is read"),
        ("mine.npy", "holds something else"),
        ("i.npy", "i.npy.ids.txt: holds something else"),
        (".", "is a folder"),
    ] {
        let (items, out) = (file("i.csv"), file(out));
        let paths = ["--items", items.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let (_, stderr) = run(&[&["embed", "--text", "{a}", "--model", TINY], &paths[..]].concat(), 2);
        assert!(stderr.contains(problem), "{stderr}");
    }
    assert_eq!(fs::read_to_string(file("i.csv")).unwrap(), items);
    assert_eq!(fs::read_to_string(file("mine.npy")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(file("i.npy.ids.txt")).unwrap(), "mine");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), before);
}

/// Runs `embed` on `i.csv` of the folder, writing `out.npy` there; returns its standard output and error.
fn command(dir: &Path, more: &[&str], code: i32) -> (String, String) {
    let (items, out) = (dir.join("i.csv"), dir.join("out.npy"));
    let args = ["embed", "--items", items.to_str().unwrap(), "--out", out.to_str().unwrap()];
    run(&[&args[..], more].concat(), code)
}

#[test]
fn the_command_embeds_a_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("i.csv"), "key,a,b\nx,red,green\ny,blue,\n").unwrap();
    let cache = dir.path().join("cache");
    let arguments = [
        "--text",
        r"{a}\n{b}",
        "--id",
        "key",
        "--model",
        TINY,
        "--half",
        "--cache",
        cache.to_str().unwrap(),
        "--threads",
        "1",
        "--batch",
        "4",
    ];
    let (report, _) = command(dir.path(), &arguments, 0);
    assert!(report.starts_with("2 items embedded in 3 dimensions (0 from the cache; 0 cut"), "{report}");
    let (shape, values) = read_npy::<half::f16>(&dir.path().join("out.npy"));
    let expected = [0.6, 0.8, 0.0, 0.0, 0.0, 1.0].map(half::f16::from_f32);
    assert_eq!((shape, values), (vec![2, 3], expected.to_vec()));
    let written = fs::read_to_string(dir.path().join("out.npy.ids.txt")).unwrap();
    assert!(written.starts_with("x\ny\n# SHA-256"), "{written}");
    let (again, _) = command(dir.path(), &arguments, 0);
    assert!(again.contains("2 from the cache"), "{again}");
}

#[test]
fn the_command_refuses_bad_input_before_it_writes() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("i.csv"), "id,a\nx,red\nx,blue\n").unwrap();
    for (more, expected) in [
        (["--text", "{a}", "--model", TINY], "i.csv:3: the id \"x\" stands on line 2 already"),
        (["--text", "{b}", "--model", TINY], "i.csv:1: there is no column \"b\""),
        (["--text", "{a", "--model", TINY], "the brace opened at character 1 is never closed"),
        (["--text", "{a}", "--model", "no-such-model"], "stands on line 2 already"),
    ] {
        let (_, stderr) = command(dir.path(), &more, 2);
        assert!(stderr.contains(expected), "{stderr}");
    }
    fs::write(dir.path().join("i.csv"), "id,a\nx,red\n").unwrap();
    let (_, stderr) = command(dir.path(), &["--text", "{a}", "--model", "no-such-model"], 2);
    assert!(stderr.contains("cannot load a model named \"no-such-model\""), "{stderr}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing was written");
}

#[test]
fn chaosnli_originals_are_asked_for_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    let missing = read_chaosnli_texts(dir.path()).unwrap_err().to_string();
    assert!(missing.contains("chaosNLI_snli.jsonl is missing; run `judge-uncertainty data fetch chaosnli`"));
    fs::create_dir(dir.path().join("chaosNLI_v1.0")).unwrap();
    fs::write(dir.path().join("chaosNLI_v1.0/chaosNLI_snli.jsonl"), "{}").unwrap();
    let changed = read_chaosnli_texts(dir.path()).unwrap_err().to_string();
    // The hash of "{}" is from coreutils' sha256sum.
    let found = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    assert!(changed.contains(found) && changed.contains("99f9015d"), "{changed}");
}

#[test]
fn chaosnli_originals_are_read_in_order() {
    let Some(dir) = std::env::var_os("CHAOSNLI_DIR") else {
        eprintln!("SKIPPED: CHAOSNLI_DIR does not name a directory with the ChaosNLI download");
        return;
    };
    let Items { ids, texts } = read_chaosnli_texts(dir.as_ref()).unwrap();
    assert_eq!((ids.len(), texts.len()), (3113, 3113));
    assert_eq!(ids[0], "2407214681.jpg#0r1n");
    assert!(texts.iter().all(|text| text.starts_with("Premise: ") && text.contains("\nHypothesis: ")));
}
