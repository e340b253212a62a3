//! Maps of the ladder against an independent program (`tests/golden/ladder`).

use std::fs;
use std::path::Path;

use judge_uncertainty::belief::maps::{MapName, fit, typical_log_trust};
use judge_uncertainty::belief::{Design, FeatureColumn, JudgedItems};
use judge_uncertainty::study::error::Error as StudyError;
use judge_uncertainty::study::{Decomposition, FitReport, Study};
use judge_uncertainty::system::progress::Silent;
use ndarray::Array2;
use serde_json::Value;

use crate::apply::mended;
use crate::support::{assert_close, golden, numbers, repository, run};

fn table(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    let width = rows[0].len();
    Array2::from_shape_vec((rows.len(), width), rows.concat()).unwrap()
}

/// Items of a golden file: their features, predictions, groups and labels.
struct Items {
    design: Design,
    q: Array2<f64>,
    groups: Vec<usize>,
    counts: Array2<u32>,
}

impl Items {
    fn new(golden: &Value) -> Self {
        Self {
            design: Design::raw(&[FeatureColumn::complete("x", numbers(&golden["x"]))]).unwrap(),
            q: table(&golden["q"]),
            groups: numbers(&golden["groups"]).into_iter().map(|g| g as usize).collect(),
            counts: table(&golden["counts"]).mapv(|c| c as u32),
        }
    }

    fn judged(&self) -> JudgedItems<'_> {
        JudgedItems::new(&self.design, self.q.view(), &self.groups)
    }
}

/// Variances end near their fixed point, and what follows from them is as near as that leaves it.
#[track_caller]
fn assert_fit(expected: &Value, readings: &JudgedItems, counts: &Array2<u32>) -> String {
    let name = expected["rung"].as_str().unwrap();
    let map = fit(MapName::try_from(name).unwrap(), readings, counts.view()).unwrap().unwrap();
    assert!(map.regression.converged, "{name}");
    let wanted = expected["guesses"].as_f64().unwrap();
    assert!((map.guesses() - wanted).abs() < 2e-3, "{name}: {} for {wanted}", map.guesses());
    let variances: Vec<f64> = map.variances.iter().map(|block| block.variance).collect();
    assert_close(name, &variances, &numbers(&expected["variances"]), 2e-3);
    assert_close(name, &map.regression.coefficients, &numbers(&expected["coefficients"]), 1e-3);
    let means = map.predictions(readings);
    assert_close(name, means.as_slice().unwrap(), table(&expected["mean"]).as_slice().unwrap(), 5e-4);
    let logs = |values: Vec<f64>| values.into_iter().map(f64::ln).collect::<Vec<_>>();
    // Of a map that is known, and less for what is not.
    assert_close(name, &map.regression.log_trust(readings.design), &logs(numbers(&expected["known"])), 2e-3);
    assert_close(name, &map.log_trust(readings), &logs(numbers(&expected["trust"])), 2e-3);
    if let Some([lo, hi]) = expected["interval"].as_array().map(Vec::as_slice) {
        let profile = typical_log_trust(readings, counts.view(), &map, 1.0).unwrap();
        let ends = [profile.at_least.unwrap(), profile.at_most.unwrap()];
        assert_close(name, &ends, &[lo, hi].map(|end| end.as_f64().unwrap()), 2e-3);
    }
    name.to_owned()
}

/// The fits of a golden file to the items of one.
#[track_caller]
fn assert_fits((golden, fits): (&Value, &Value), places: &[f64]) -> Vec<String> {
    let items = Items::new(golden);
    let variants: Vec<Array2<f64>> = golden["variants"].as_array().into_iter().flatten().map(table).collect();
    let readings = JudgedItems { variants: &variants, places, ..items.judged() };
    let fits = fits["fits"].as_array().unwrap().iter();
    fits.map(|expected| assert_fit(expected, &readings, &items.counts)).collect()
}

#[test]
fn maps_are_fitted_as_by_an_independent_program() {
    let golden = golden("ladder/expected.json");
    let fitted = assert_fits((&golden, &golden), &[]);
    assert_eq!(fitted, ["identity", "guesses", "temperature", "groups"]);
}

/// Of its 208 parameters most are weights of waves, whose frequencies the other program draws by NumPy's generator.
#[test]
fn the_full_recalibration_is_fitted_as_by_an_independent_program() {
    let fitted = assert_fits((&golden("ladder/expected.json"), &golden("ladder/waves.json")), &[]);
    assert_eq!(fitted, ["recalibrated"]);
}

#[test]
fn maps_of_places_are_fitted_as_by_an_independent_program() {
    let golden = golden("ladder/places.json");
    let fitted = assert_fits((&golden, &golden), &numbers(&golden["places"]));
    assert_eq!(fitted, ["temperature", "groups"]);
}

/// With labels that agree with the map of another study, and with those of two classes exchanged.
#[test]
fn maps_that_start_from_another_study_are_fitted_as_by_an_independent_program() {
    let golden = golden("ladder/carried.json");
    let [first, second] = ["first", "second"].map(|study| Items::new(&golden[study]));
    let map = fit(MapName::Temperature, &first.judged(), first.counts.view()).unwrap().unwrap();
    let start = map.carry(&second.judged());
    let readings = JudgedItems { carried: Some(&start), ..second.judged() };
    let turned = table(&golden["turned"]).mapv(|c| c as u32);
    let fits = golden["fits"].as_array().unwrap();
    for (expected, counts) in fits.iter().zip([&second.counts, &second.counts, &turned, &turned]) {
        assert_fit(expected, &readings, counts);
    }
    assert_eq!(fits.len(), 4);
}

/// The items of the recalibration's fixture as a study with a belief.
fn study(folder: &Path, scale: &str, belief: &str) {
    let file = |name: &str| repository("tests/golden/recalibration").join(name).display().to_string();
    let config = format!(
        "title = \"Ladder\"\n{scale}\n\n[items]\nfile = {:?}\nnumbers = [\"x\"]\ngroup = \"group\"\n\n[judge]\nfile = \
         {:?}\nkind = \"probabilities\"\n\n[labels]\nfile = {:?}\nform = \"counts\"\n\n[trust]\nfeatures = \
         [\"x\"]\nbelief = {belief}\n",
        file("items.csv"),
        file("judge.csv"),
        file("labels.csv"),
    );
    fs::write(folder.join("study.toml"), config).unwrap();
}

const CLASSES: &str = "classes = [\"a\", \"b\", \"c\"]";

#[test]
fn a_study_says_which_map_its_labels_chose_and_why() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), CLASSES, "\"auto\"");
    let loaded = Study::load(folder.path()).unwrap();
    let decomposition = Decomposition::new(&loaded, &Silent).unwrap();
    let report = FitReport::new(&loaded, &decomposition).unwrap();
    let map = report.own.of_classes().map.clone().expect("a map is fitted");
    let choice = map.choice.expect("the labels chose it");
    assert_eq!(choice.chosen, map.name);
    let compared: Vec<MapName> = choice.candidates.iter().map(|candidate| candidate.map).collect();
    assert_eq!(compared, [MapName::Identity, MapName::Guesses, MapName::Temperature, MapName::Groups]);
    let left_out: Vec<_> = choice.left_out.iter().map(|(map, why)| (*map, why.to_string())).collect();
    let [(MapName::Recalibrated, why)] = &left_out[..] else { panic!("{left_out:?}") };
    assert!(why.contains("more than the") && why.contains("numbers that the labels carry"), "{why}");
    let chosen = choice.candidates.iter().find(|candidate| candidate.map == map.name).unwrap();
    assert!(chosen.below_best <= 2.0 * chosen.se, "{chosen:?}");
    let text = serde_json::to_value(&report).unwrap();
    assert_eq!(text["map"]["choice"]["candidates"].as_array().unwrap().len(), compared.len());

    let (out, _) = run(&["study", "run", "--details", folder.path().to_str().unwrap()], 0);
    assert!(out.contains(&format!("(recalibration `{}`)", map.name)) && out.contains("labelled items"), "{out}");
}

/// A named map is taken as it is, `identity` is the published belief under the weak prior but for what is unknown of
/// its trust, and what a map has no use for is refused in words.
#[test]
fn a_study_names_its_map() {
    let folder = tempfile::tempdir().unwrap();
    let decomposed = |belief: &str| {
        study(folder.path(), CLASSES, belief);
        let loaded = Study::load(folder.path()).unwrap();
        let decomposition = Decomposition::new(&loaded, &Silent)?;
        let coefficients = decomposition.fitted.fit.regression().coefficients.clone();
        let evidence = decomposition.map(|belief| belief.evidence());
        Ok::<_, StudyError>((coefficients, evidence, FitReport::new(&loaded, &decomposition).unwrap()))
    };
    let (published, known, _) = decomposed("\"published\"").unwrap();
    let (identity, unknown, report) = decomposed("\"identity\"").unwrap();
    assert_eq!(report.own.of_classes().map.as_ref().unwrap().choice, None);
    assert_close("coefficients", &identity, &published, 1e-6);
    assert!(unknown.iter().zip(&known).all(|(a, b)| *a < b * (1.0 + 1e-6)), "{unknown:?} {known:?}");
    study(folder.path(), CLASSES, "\"ensemble\"");
    let error = Study::load(folder.path()).err().unwrap().to_string();
    assert!(error.contains("no map \"ensemble\"; the maps are identity, guesses"), "{error}");
    study(folder.path(), CLASSES, "\"line\"");
    let error = Study::load(folder.path()).err().unwrap().to_string();
    assert!(error.contains("trust.belief") && error.contains("this map reads ratings"), "{error}");
}

/// A study of the fixture's items under a belief, started from another run where one is named; with labels or without.
fn starts(folder: &Path, belief: &str, from: Option<&Path>, labels: Option<&str>) {
    study(folder, CLASSES, belief);
    let path = folder.join("study.toml");
    let mut config = fs::read_to_string(&path).unwrap();
    let own = format!("file = {:?}\nform", repository("tests/golden/recalibration/labels.csv").display().to_string());
    assert!(config.contains(&own));
    config = match labels {
        Some(labels) => config.replace(&own, &format!("file = {labels:?}\nform")),
        None => config.replace(&format!("[labels]\n{own} = \"counts\"\n"), ""),
    };
    config += &from.map_or_else(String::new, |run| format!("carry_from = {:?}\n", run.display().to_string()));
    fs::write(path, config).unwrap();
}

/// A belief is carried where its labels tell more of the trust than the prior does, whether or not they bound it.
#[test]
fn a_belief_is_carried_if_its_labels_tell_of_the_trust() {
    let [first, second] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let own = repository("tests/golden/recalibration/labels.csv").display().to_string();
    starts(first.path(), "\"groups\"", None, Some(&own));
    run(&["study", "run", first.path().to_str().unwrap()], 0);
    let file = first.path().join("run/results/belief.json");
    let mut belief: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    starts(second.path(), "\"identity\"", Some(&first.path().join("run")), None);
    for (unidentified, status) in [(serde_json::json!([]), 0), (serde_json::json!(["intercept"]), 2)] {
        belief["fit"]["mapped"]["map"]["regression"]["unidentified"] = unidentified;
        fs::write(&file, mended(belief.clone()).unwrap()).unwrap();
        let (_, refused) = run(&["study", "check", second.path().to_str().unwrap()], status);
        assert_eq!(status == 2, refused.contains("do not determine its trust"), "{refused}");
    }
}

/// From no label to labels that contradict it: the map of another study stands, is judged by the first labels in words,
/// and loses its weight.
#[test]
fn a_map_is_carried_over_and_the_study_says_whether_it_fits() {
    let [first, second] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let own = repository("tests/golden/recalibration/labels.csv").display().to_string();
    starts(first.path(), "\"groups\"", None, Some(&own));
    let of = |folder: &tempfile::TempDir| folder.path().to_str().unwrap().to_owned();
    run(&["study", "run", &of(&first)], 0);
    let run_folder = first.path().join("run");
    let there = Study::load(first.path()).unwrap();
    let found = Decomposition::new(&there, &Silent).unwrap();

    starts(second.path(), "\"auto\"", Some(&run_folder), None);
    let here = Study::load(second.path()).unwrap();
    let decomposition = Decomposition::new(&here, &Silent).unwrap();
    let map = &found.fitted.fit.of_classes().mapped().unwrap().map;
    let groups = there.items.group_numbers();
    let items = JudgedItems::new(&found.fitted.design, there.judge.predictions.view(), groups);
    let wanted = map.predictions(&items);
    let means: Vec<f64> =
        decomposition.fitted.beliefs.of_classes().iter().flat_map(|belief| belief.mean().collect::<Vec<_>>()).collect();
    assert_close("means", &means, wanted.as_slice().unwrap(), 1e-9);
    let (said, _) = run(&["study", "run", "--details", &of(&second)], 0);
    assert!(said.contains("which is partly the trust of the other study and not an estimate"), "{said}");
    let (checked, _) = run(&["study", "check", &of(&second)], 0);
    let checked = checked.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(checked.contains("the trust and map carried over from \"Ladder\""), "{checked}");
    assert!(
        said.contains("The recalibration `groups` of \"Ladder\" may or may not fit here: 0 labelled items"),
        "{said}"
    );

    let labels = fs::read_to_string(&own).unwrap();
    let mut turned = "id,n_a,n_b,n_c\n".to_owned();
    for line in labels.lines().skip(1).filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.split(',').collect();
        turned += &format!("{},{},{},{}\n", cells[0], cells[3], cells[1], cells[2]);
    }
    let file = second.path().join("turned.csv");
    fs::write(&file, turned).unwrap();
    let mut weights = vec![];
    for (labels, verdict, words) in [
        (own.clone(), "supported", "also fits the labels here"),
        (file.display().to_string(), "contradicted", "does NOT fit here"),
    ] {
        starts(second.path(), "\"identity\"", Some(&run_folder), Some(&labels));
        let (said, _) = run(&["study", "run", "--details", &of(&second), "--force"], 0);
        assert!(said.contains(words) && said.contains("The labels give it a weight of"), "{said}");
        let text = fs::read_to_string(second.path().join("run/results/study.json")).unwrap();
        let results: Value = serde_json::from_str(&text).unwrap();
        let carried = &results["fit"]["map"]["carried"];
        assert_eq!(
            (&carried["labels_here"]["verdict"], &carried["map"]),
            (&Value::from(verdict), &Value::from("groups"))
        );
        weights.push(carried["weight"].as_f64().unwrap());
        let html = fs::read_to_string(second.path().join("run/report/index.html")).unwrap();
        assert!(html.contains(words));
    }
    assert!((weights[0] - 1.0).abs() < 0.3 && weights[1] < 0.5, "{weights:?}");

    // The trust of a map is not taken without the map.
    starts(second.path(), "\"published\"", Some(&run_folder), None);
    let (_, refused) = run(&["study", "check", &of(&second)], 2);
    assert!(refused.contains("goes with its map") && refused.contains("belief = \"auto\""), "{refused}");
}
