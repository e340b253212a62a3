//! What goes beyond the paper: the registration, the halves, and the committed results against independent figures.

use std::fs;

use judge_uncertainty::belief::Recalibration;
use judge_uncertainty::experiments::extended::chosen::{self, ChosenQuantity};
use judge_uncertainty::experiments::extended::confirmation::{ExtendedRegistration, Judgement, Side};
use judge_uncertainty::experiments::extended::corpus::{Corpus, SPLIT_SEED};
use judge_uncertainty::experiments::extended::stage::BeliefName;
use judge_uncertainty::familiarity::neighbours::{Exact, UnitRows};
use judge_uncertainty::formats::ChaosNliData;
use judge_uncertainty::formats::checksum::sha256_hex;
use judge_uncertainty::report::figures::{self, Shape};
use judge_uncertainty::report::paper::extended_tables::tables;
use judge_uncertainty::report::paper::findings::Findings;
use judge_uncertainty::system::progress::Silent;
use serde_json::Value;

use crate::support::{assert_close, committed, number, repository};

fn at(results: &Value, path: &str) -> f64 {
    number(results.pointer(&format!("/{path}")).unwrap_or_else(|| panic!("no `{path}`")))
}

#[test]
fn a_registration_that_was_edited_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["extended.toml", "SHA256SUMS"] {
        fs::copy(repository("data/registration").join(file), folder.path().join(file)).unwrap();
    }
    let (registration, digest) = ExtendedRegistration::load(folder.path()).unwrap();
    assert_eq!((registration.split_seed, registration.developed.recalibration), (SPLIT_SEED, Recalibration::ByGroup));
    let path = folder.path().join("extended.toml");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(digest, sha256_hex(text.as_bytes()));
    fs::write(&path, text.replace("rule = \"delta\"", "rule = \"v\"")).unwrap();
    let error = ExtendedRegistration::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("extended.toml") && error.contains(&digest), "{error}");
}

/// By NumPy: u = default_rng(7).random(3113); within each source, order by u, the first half develops. The first items
/// of each half, and how many SNLI items develop.
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

/// The planning calculations were made in Python, independently of this program (protocol, section 7): values without
/// the label draw on the same 200 re-draws, published belief; errors of both beliefs.
#[test]
fn the_planning_figures_come_out() {
    let results = serde_json::to_value(committed().0.extended.expect("the committed artifact has them")).unwrap();
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
        assert_close(belief, &[of("error/all"), of("error/unlabelled")], &[error, unlabelled], 0.005);
    }
}

/// Under the same labels the published belief has the errors of Experiment 2, by another path through the program.
#[test]
fn the_published_belief_is_that_of_the_paper() {
    let results = committed().0;
    let (paper, extended) = (results.chaosnli.unwrap(), results.extended.expect("the committed artifact has them"));
    let extended = serde_json::to_value(extended).unwrap();
    let of = |what: &str| at(&extended, &format!("exploration/beliefs/published/{what}/mean"));
    assert_close("error", &[of("error/all")], &[paper.full.mean_error.mean], 1e-9);
    assert_close("trust", &[of("sd_log_trust")], &[paper.full.sd_log_trust.mean], 1e-9);
}

#[test]
fn committed_findings_rest_on_the_registration_and_on_figures_that_exist() {
    let extended = committed().0.extended.expect("the committed artifact has them");
    let (registration, digest) = ExtendedRegistration::load(&repository("data/registration")).unwrap();
    assert_eq!((&extended.registration, &extended.registration_sha256), (&registration, &digest));
    assert!(extended.development_agrees, "{:?}", extended.development.choice);
    let values = serde_json::to_value(&extended).unwrap();
    let all = Findings::built_in().unwrap().from_results(Some(&extended)).unwrap();
    assert!(all.len() >= 15);
    for finding in all {
        assert!(values.pointer(&format!("/{}", finding.evidence)).is_some(), "{finding:?}");
        assert!(!finding.sentence.contains("NaN"), "{}", finding.sentence);
    }
}

/// What is said of the chosen belief follows from the errors under the same labels.
#[test]
fn the_chosen_belief_is_compared_under_the_same_labels() {
    let data = ChaosNliData::load(&repository("data/chaosnli")).unwrap();
    let engine = Exact::new(UnitRows::new(data.embeddings.view()).unwrap());
    let corpus = Corpus::new(&data, &engine).unwrap();
    let (registration, _) = ExtendedRegistration::load(&repository("data/registration")).unwrap();
    let items: Vec<usize> = corpus.halves()[1].iter().copied().step_by(20).collect();
    let chosen = chosen::run(corpus.deploy(items), &registration, 2, &Silent).unwrap();
    assert_eq!((chosen.redraws, chosen.maps.values().sum::<usize>()), (2, 2));
    for compared in &chosen.comparisons {
        let of = |name: BeliefName| chosen.errors[&name];
        let (own, other) = match compared.measured {
            ChosenQuantity::Error { than } => (of(BeliefName::Chosen).all, of(than).all),
            ChosenQuantity::ErrorUnlabelled { than } => (of(BeliefName::Chosen).unlabelled, of(than).unlabelled),
            ChosenQuantity::Advantage { .. } => continue,
        };
        assert_close("change", &[compared.found.redraws.mean], &[own.mean - other.mean], 1e-12);
    }
    // In the committed run the published belief errs as it does in the confirmation, whose first re-draws these are.
    let extended = committed().0.extended.expect("the committed artifact has them");
    let published = [&extended.chosen.errors, &extended.confirmation.errors].map(|of| of[&BeliefName::Published].all);
    assert!((published[0].mean - published[1].mean).abs() < 4.0 * published[0].se, "{published:?}");
    assert_eq!(extended.chosen.items, extended.confirmation.items);
}

/// The registration: confirmed where the simultaneous interval lies on the expected side of 0. Whatever a reader sees
/// says the same, and refuted is said by the same interval only.
#[test]
fn verdicts_rest_on_the_simultaneous_interval_everywhere() {
    let results = committed().0;
    let extended = results.extended.as_ref().expect("the committed artifact has them");
    let registered = tables(extended).into_iter().find(|table| table.name == "extended-confirmation").unwrap();
    let sets = [&extended.confirmation, &extended.transfer["snli_to_mnli"], &extended.transfer["mnli_to_snli"]];
    let (mut confirmed, mut refuted) = (0, 0);
    for (column, set) in sets.into_iter().enumerate() {
        for (verdict, row) in set.verdicts.iter().zip(&registered.rows) {
            let x = &verdict.found;
            let side = if verdict.expected == Side::Above { 1.0 } else { -1.0 };
            let [lo, hi] = [x.simultaneous_lo, x.simultaneous_hi].map(|end| end * side);
            let chance = verdict.monte_carlo.expect("every comparison varies");
            assert_eq!(chance.margin, lo.abs().min(hi.abs()), "{verdict:?}");
            assert_eq!(chance.settled, chance.bound_error < 0.1 * chance.margin, "{verdict:?}");
            let far = chance.margin >= 3.0 * chance.bound_error;
            let is = [lo.min(hi) > 0.0 && far, lo.max(hi) < 0.0 && far];
            assert_eq!(is, [Judgement::Confirmed, Judgement::Refuted].map(|o| verdict.outcome == o), "{verdict:?}");
            let said = row[column + 1].text();
            let words = [said.contains(", confirmed"), said.contains("refuted")];
            assert_eq!(is, words, "{said}");
            assert_eq!(said.contains("Monte-Carlo error"), !chance.settled, "{said}");
            confirmed += usize::from(is[0]);
            refuted += usize::from(is[1]);
        }
    }
    let marks = |label: &str| -> usize {
        let series = figures::beyond(&results).into_iter().flat_map(|f| f.panels).flat_map(|p| p.series);
        let points = series.filter(|s| s.label == label).map(|s| match s.shape {
            Shape::Rows { points, .. } => points.len(),
            other => panic!("{other:?}"),
        });
        points.sum()
    };
    assert!(confirmed > 0 && refuted > 0);
    // Figures mark the verdicts as registered, whatever the later intervals decide.
    let first = fs::read_to_string(repository("data/registration/as_registered.csv")).unwrap();
    let as_registered = |verdict: &str| first.lines().filter(|row| row.ends_with(&format!(",{verdict}"))).count();
    let marked = ["confirmed", "refuted"].map(|verdict| marks(&format!("{verdict} as registered")));
    assert_eq!(marked, ["confirmed", "refuted"].map(as_registered));
}
