//! The cache: what was embedded before is not embedded again, whatever happened to the file.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use judge_uncertainty::familiarity::embedding::{
    EmbeddedText, Embedder, EmbeddingCache, EmbeddingError, Embeddings, embed_texts,
};
use judge_uncertainty::system::progress::{Progress, Silent};

use super::{StandIn, strings};

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
    let mut cache = EmbeddingCache::open(dir, &embedder).unwrap();
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
    EmbeddingCache::open(dir.path(), &StandIn { dimension: 21, max_words: 4 }).unwrap();
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
    let held = EmbeddingCache::open(dir.path(), &embedder).unwrap();
    let busy = EmbeddingCache::open(dir.path(), &embedder).unwrap_err();
    assert!(matches!(busy, EmbeddingError::CacheBusy { .. }), "{busy}");
    let path = held.path().to_path_buf();
    drop(held);
    fs::write(&path, "something else").unwrap();
    let foreign = EmbeddingCache::open(dir.path(), &embedder).unwrap_err();
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
fn a_cache_whose_header_states_a_huge_dimension_holds_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let embedder = StandIn { dimension: 4, max_words: 8 };
    let path = EmbeddingCache::open(dir.path(), &embedder).unwrap().path().to_owned();
    let header = fs::read_to_string(&path).unwrap().replace("dimension=4\n", "dimension=99999999999\n");
    fs::write(&path, header).unwrap();
    assert_eq!(EmbeddingCache::lacking(dir.path(), &embedder.settings(), &strings(&["a", "b"])).unwrap(), 2);
}
