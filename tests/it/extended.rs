//! What goes beyond the paper: the registration, the halves, and the committed results against independent figures.

use std::fs;

use judge_uncertainty::artifact::{Manifest, Results};
use judge_uncertainty::belief::Recalibration;
use judge_uncertainty::dataset::ChaosNliData;
use judge_uncertainty::dataset::checksum::sha256_hex;
use judge_uncertainty::experiments::extended::confirmation::Registration;
use judge_uncertainty::experiments::extended::corpus::{Corpus, SPLIT_SEED};
use judge_uncertainty::familiarity::neighbours::{Exact, UnitRows};
use judge_uncertainty::report::extended::findings;
use serde_json::Value;

use crate::support::{assert_close, number, repository};

fn committed() -> Results {
    let folder = repository("artifact");
    Results::load(&folder, &Manifest::load(&folder).unwrap()).unwrap()
}

fn at(results: &Value, path: &str) -> f64 {
    number(results.pointer(&format!("/{path}")).unwrap_or_else(|| panic!("no `{path}`")))
}

#[test]
fn a_registration_that_was_edited_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["extended.toml", "SHA256SUMS"] {
        fs::copy(repository("data/registration").join(file), folder.path().join(file)).unwrap();
    }
    let (registration, digest) = Registration::load(folder.path()).unwrap();
    assert_eq!((registration.split_seed, registration.developed.recalibration), (SPLIT_SEED, Recalibration::ByGroup));
    let path = folder.path().join("extended.toml");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(digest, sha256_hex(text.as_bytes()));
    fs::write(&path, text.replace("rule = \"delta\"", "rule = \"v\"")).unwrap();
    let error = Registration::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("extended.toml") && error.contains(&digest), "{error}");
}

/// By NumPy: u = default_rng(7).random(3113); within each source, order by u, the first half develops. The first items of
/// each half, and how many SNLI items develop.
#[test]
fn the_halves_are_those_of_the_protocol() {
    let data = ChaosNliData::load(&repository("data/chaosnli")).unwrap();
    let engine = Exact::new(UnitRows::new(data.embeddings.view()).unwrap());
    let corpus = Corpus::new(&data, &engine).unwrap();
    let [develops, confirms] = corpus.halves();
    assert_eq!((develops.len(), confirms.len()), (1556, 1557));
    let snli = corpus.of_source(0).len();
    assert_eq!(develops.iter().filter(|&&i| i < snli).count(), 757);
    assert_eq!((&develops[..8], &confirms[..8]), (&[3, 4, 6, 9, 10, 11, 12, 13][..], &[0, 1, 2, 5, 7, 8, 14, 15][..]));
    let mut all = [develops, confirms].concat();
    all.sort_unstable();
    assert_eq!(all, corpus.all());
}

/// The planning calculations were made in Python, independently of this program (protocol, section 7): values without the
/// label draw on the same 200 re-draws, published belief; errors of both beliefs.
#[test]
fn the_planning_figures_come_out() {
    let results = serde_json::to_value(committed().extended.expect("the committed artifact has them")).unwrap();
    let value =
        |rule: &str, budget: &str| at(&results, &format!("exploration/beliefs/published/value/{rule}/{budget}/mean"));
    let planned = [
        ("info", [1.9, 8.1, 15.3, 27.3]),
        ("fewest_labels", [1.4, 7.1, 14.2, 28.4]),
        ("fewest_labels_by_info", [2.2, 8.8, 15.6, 28.8]),
        ("judge_entropy", [1.0, 4.1, 8.1, 14.3]),
        ("random", [0.9, 4.2, 8.3, 16.6]),
        ("oracle", [6.6, 24.7, 41.8, 66.2]),
    ];
    for (rule, figures) in planned {
        let found = ["b1", "b5", "b10", "b20"].map(|b| value(rule, b));
        // Printed to one digit; the draws for ties are not the planning's.
        assert_close(rule, &found, &figures, 0.15);
    }
    for (belief, error, unlabelled) in [("published", 0.360, 0.468), ("planned", 0.325, 0.405)] {
        let of = |what: &str| at(&results, &format!("exploration/beliefs/{belief}/{what}/mean"));
        assert_close(belief, &[of("error"), of("error_unlabelled")], &[error, unlabelled], 0.005);
    }
}

/// Under the same labels the published belief has the errors of Experiment 2, by another path through the program.
#[test]
fn the_published_belief_is_that_of_the_paper() {
    let results = committed();
    let (paper, extended) = (results.chaosnli.unwrap(), results.extended.expect("the committed artifact has them"));
    let extended = serde_json::to_value(extended).unwrap();
    let of = |what: &str| at(&extended, &format!("exploration/beliefs/published/{what}/mean"));
    assert_close("error", &[of("error")], &[paper.full.mean_error.mean], 1e-9);
    assert_close("trust", &[of("sd_log_trust")], &[paper.full.sd_log_trust.mean], 1e-9);
}

#[test]
fn committed_findings_rest_on_the_registration_and_on_figures_that_exist() {
    let extended = committed().extended.expect("the committed artifact has them");
    let (registration, digest) = Registration::load(&repository("data/registration")).unwrap();
    assert_eq!((&extended.registration, &extended.registration_sha256), (&registration, &digest));
    assert!(extended.development_agrees, "{:?}", extended.development.choice);
    let values = serde_json::to_value(&extended).unwrap();
    let all = findings(&extended);
    assert!(all.len() >= 15);
    for finding in all {
        assert!(values.pointer(&format!("/{}", finding.evidence)).is_some(), "{finding:?}");
        assert!(!finding.sentence.contains("NaN"), "{}", finding.sentence);
    }
}
