//! Studies of ratings, and how they read a judge's scale.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use judge_uncertainty::belief::maps::MapName;
use judge_uncertainty::random::Stream;
use judge_uncertainty::report::page::Block;
use judge_uncertainty::report::study::cards::Cards;
use judge_uncertainty::report::study::{describe, figures, page};
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::study::results::columns::columns;
use judge_uncertainty::study::{Decomposition, EvaluationOutcome, Study, StudyResults, evaluate};
use judge_uncertainty::system::progress::Silent;

use crate::support::run;

/// What a study under a belief says, and its words.
struct Said {
    results: StudyResults,
    words: String,
    columns: Vec<String>,
    cards: Cards,
}

/// A judge that knows the ratings' scale, and one with a scale of its own for each kind of items: what it gives talks
/// is 20 points too high and news 15 too low, it doubles the differences between items, and it claims a third of the
/// deviation.
#[derive(Clone, Copy, PartialEq)]
enum JudgedBy {
    Right,
    OwnScale,
    /// Near the ends of its scale it hardly tells items apart.
    Bent,
}

/// 60 items of two kinds with eight ratings each.
fn newsroom(folder: &Path, judge: JudgedBy, trust: &str, seed: u64) -> Said {
    let mut stream = Stream::new(seed);
    let mut tables = ["id,kind\n", "id,mean,sd\n", "id,annotator,score\n"].map(str::to_owned);
    for i in 0..60 {
        let (kind, bias) = if i % 2 == 0 { ("talk", 20.0) } else { ("news", -15.0) };
        let right = 50.0 + 8.0 * stream.standard_normal();
        let pool = right + 2.0 * stream.standard_normal();
        tables[0] += &format!("i{i:02},{kind}\n");
        let (mean, sd) = match judge {
            JudgedBy::Right => (right, 6),
            JudgedBy::OwnScale => ((50.0 + 2.0 * (right - 50.0) + bias).clamp(0.0, 100.0), 2),
            JudgedBy::Bent => (50.0 + 30.0 * ((right - 50.0) / 5.0).tanh(), 2),
        };
        tables[1] += &format!("i{i:02},{mean:.2},{sd}\n");
        for a in 0..8 {
            let rating = (pool + 6.0 * stream.standard_normal()).clamp(0.0, 100.0);
            tables[2] += &format!("i{i:02},a{a},{rating:.1}\n");
        }
    }
    for (name, table) in ["items.csv", "judge.csv", "ratings.csv"].iter().zip(&tables) {
        fs::write(folder.join(name), table).unwrap();
    }
    let config = format!(
        "title = \"Newsroom\"\nscale = [0, 100]\n[items]\nfile = \"items.csv\"\ngroup = \"kind\"\n[judge]\nfile = \
         \"judge.csv\"\nsd = \"sd\"\n[labels]\nfile = \"ratings.csv\"\n[evaluation]\nleast_labels = 8\nreveal = [0, 1, \
         2]\nreplicates = 10\n[trust]\n{trust}\n"
    );
    fs::write(folder.join("study.toml"), config).unwrap();
    let study = Study::load(folder).unwrap();
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let evaluation = evaluate(&study, None, &Silent).unwrap();
    let results =
        StudyResults::new(&study, &decomposition, evaluation, None, (Amount::DEFAULT, None), &Silent).unwrap();
    let words = describe(&results).unwrap().iter().map(|line| line.text().to_owned() + "\n").collect();
    let columns: Vec<String> = columns(&study, &decomposition).iter().map(|column| column.name.clone()).collect();
    let cards = Cards::new(&study, &decomposition, true, &[]);
    Said { results, words, columns, cards }
}

const BY_GROUP: &str = "belief = \"groups\"";

impl Said {
    fn tells_of_a_misfit(&self) -> bool {
        ["contradict", "too narrow", "too wide"].iter().any(|found| self.words.contains(found))
    }

    /// Of the half splits: mean error of the belief, and the share of held-out ratings in the 80% interval.
    fn held_out(&self) -> (f64, f64) {
        let EvaluationOutcome::Evaluated(evaluation) = &self.results.evaluation else { panic!("not evaluated") };
        let coverage = &evaluation.held_out.as_ref().unwrap().coverage[1];
        assert_eq!(coverage.level, 0.8);
        (evaluation.full.mean_error.mean, coverage.inside)
    }
}

/// The belief as it is takes such a judge for ignorant and says what to switch on; read by kind it is worth several
/// ratings, and halves of the ratings that no fit has seen bear that out.
#[test]
fn a_judge_with_a_scale_of_its_own_is_read_properly() {
    let folder = tempfile::tempdir().unwrap();
    let said = |trust: &str| newsroom(folder.path(), JudgedBy::OwnScale, trust, 5);
    let published = said("belief = \"published\"");
    let shared = said("belief = \"line\"");
    let by_group = said(BY_GROUP);

    let (words, read) = (&published.words, "Set belief = \"recalibrated\" in [trust]");
    assert!(words.contains("With few ratings in hand the intervals are too narrow") && words.contains(read), "{words}");
    assert!(!by_group.tells_of_a_misfit(), "{}", by_group.words);
    let trust = |said: &Said| said.results.fit.assumed_trust;
    assert!(trust(&published) < 1.0 && trust(&by_group) > 4.0, "{} {}", trust(&published), trust(&by_group));

    let [(error, inside), (shared_error, _), (read_error, read_inside)] =
        [&published, &shared, &by_group].map(Said::held_out);
    assert!(read_error < shared_error && shared_error < error, "{read_error} {shared_error} {error}");
    assert!(read_error < 0.8 * error, "{read_error} {error}");
    assert!(
        (read_inside - 0.8).abs() < (inside - 0.8).abs() && (read_inside - 0.8).abs() < 0.05,
        "{read_inside} {inside}"
    );

    let readings = by_group.results.fit.own.of_ratings().recalibration.as_ref().unwrap();
    assert_eq!(readings.iter().map(|r| r.group.as_deref().unwrap()).collect::<Vec<_>>(), ["news", "talk"]);
    for (reading, bias) in readings.iter().zip([-15.0, 20.0]) {
        let (b, s, f) = (reading.bias.unwrap(), reading.slope.unwrap(), reading.factor.unwrap());
        // About its own average c the judge should have said 50 + (c - bias - 50)/2.
        let truth = reading.centre - 50.0 - 0.5 * (reading.centre - bias - 50.0);
        for (estimate, truth) in [(b, truth), (s, 0.5), (f, 3.0)] {
            assert!((estimate.value - truth).abs() < 4.0 * estimate.standard_error, "{estimate:?} for {truth}");
        }
        assert!(s.hi < 0.7 && f.lo > 1.5, "{s:?} {f:?}");
    }
    let table = |said: &Said| {
        let page = page(&said.results, &said.cards, &figures(&said.results).unwrap()).unwrap();
        let blocks = page.sections.into_iter().flat_map(|section| section.blocks);
        blocks.into_iter().find_map(|block| match block {
            Block::Table(table) if table.id == "table-reading" => Some(table),
            _ => None,
        })
    };
    let shown = table(&by_group).unwrap();
    assert_eq!((shown.rows.len(), shown.columns.len()), (2, 5), "{shown:?}");
    assert!(table(&published).is_none());
    let words = &by_group.words;
    assert!(words.contains("The judge's scores for \"news\" are read on the scale of the ratings"), "{words}");
    assert!(words.contains("they exaggerate how far items differ") && words.contains("overconfident"), "{words}");
    assert!(by_group.columns.contains(&"judge_mean_read".to_owned()));
    assert!(!published.columns.contains(&"judge_mean_read".to_owned()));
}

/// The labels choose that each kind is read by itself, and results, terminal and held-out labels say so; a curve is
/// told at the deciles of its scores.
#[test]
fn the_labels_choose_how_a_judge_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let said = |trust: &str| newsroom(folder.path(), JudgedBy::OwnScale, trust, 5);
    let (auto, published) = (said("belief = \"auto\""), said("belief = \"published\""));
    let map = auto.results.fit.own.of_ratings().map.as_ref().unwrap();
    let choice = map.choice.as_ref().unwrap();
    assert_eq!((map.name, choice.chosen), (MapName::Recalibrated, MapName::Recalibrated));
    assert_eq!(
        choice.candidates.iter().map(|of| of.map).collect::<Vec<_>>(),
        [MapName::Identity, MapName::Recalibrated]
    );
    // Biases of 20 and -15 were planted, and equal slopes and factors.
    let [biases, slopes, factors, _] = &map.variances[..] else { panic!("{map:?}") };
    assert!(biases.variance > 25.0 && slopes.variance < 0.05 && factors.variance < 0.05, "{map:?}");
    // In halves of the ratings the labels choose anew.
    let ((error, inside), (as_stated, _)) = (auto.held_out(), published.held_out());
    assert!(error < 0.95 * as_stated && (inside - 0.8).abs() < 0.1, "{error} {as_stated} {inside}");
    assert!(
        auto.words.contains("(recalibration `recalibrated`)")
            && auto.words.contains("Standard deviations between groups"),
        "{}",
        auto.words
    );
    assert!(!auto.tells_of_a_misfit(), "{}", auto.words);
    let names: BTreeSet<&str> =
        auto.results.held_out.found().unwrap().scores.iter().map(|score| score.prediction.as_str()).collect();
    let beliefs = ["auto", "published"];
    assert!(beliefs.iter().all(|belief| names.contains(belief)), "{names:?}");

    let curve = newsroom(folder.path(), JudgedBy::Bent, "belief = \"recalibrated\"", 5);
    let points = &curve.results.fit.own.of_ratings().curve;
    assert!(points.len() == 9 && points.is_sorted_by(|a, b| a.score < b.score), "{points:?}");
    assert!(
        curve.words.contains("To this line a smooth curve adds") && curve.words.contains("names this recalibration"),
        "{}",
        curve.words
    );
}

/// A judge that needs no reading: hardly any evaluated study is told to switch something on.
#[test]
fn few_evaluated_studies_without_a_misfit_are_told_of_one() {
    let folder = tempfile::tempdir().unwrap();
    for trust in ["", BY_GROUP] {
        let told = |seed: &u64| newsroom(folder.path(), JudgedBy::Right, trust, 100 + seed).tells_of_a_misfit();
        let alarms = (0..60).filter(told).count();
        assert!(alarms <= 3, "{trust:?}: {alarms} of 60");
    }
}

/// What it does not know, it lists.
#[test]
fn a_belief_that_is_none_is_refused_with_those_there_are() {
    let folder = tempfile::tempdir().unwrap();
    newsroom(folder.path(), JudgedBy::OwnScale, "belief = \"line\"", 5);
    let refused = |belief: &str| {
        let path = folder.path().join("study.toml");
        let config = fs::read_to_string(&path).unwrap().replace("\"line\"", belief);
        let other = folder.path().join(format!("{}.toml", belief.len()));
        fs::write(&other, config).unwrap();
        Study::load(&other).unwrap_err().to_string()
    };
    let unknown = refused("\"recal\"");
    assert!(unknown.contains("recal") && unknown.contains("recalibrated; beside these"), "{unknown}");
    let map = refused("\"temperature\"");
    assert!(map.contains("trust.belief") && map.contains("this map reads classes"), "{map}");
}

/// Another study of the same judge, without a rating, reads it as the first one found.
#[test]
fn a_study_of_ratings_starts_from_another() {
    let [first, second] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    newsroom(first.path(), JudgedBy::OwnScale, BY_GROUP, 5);
    run(&["study", "run", first.path().to_str().unwrap()], 0);
    for file in ["items.csv", "judge.csv"] {
        fs::copy(first.path().join(file), second.path().join(file)).unwrap();
    }
    let config = fs::read_to_string(first.path().join("study.toml")).unwrap();
    let (head, _) = config.split_once("[labels]").unwrap();
    let carry = format!("[trust]\nbelief = \"auto\"\ncarry_from = {:?}\n", first.path().join("run"));
    fs::write(second.path().join("study.toml"), head.to_owned() + &carry).unwrap();
    let read = |folder: &Path| {
        let study = Study::load(folder).unwrap();
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        (
            decomposition.pool.of_ratings().read(decomposition.fitted.fit.of_ratings()).mean,
            decomposition.assumed_trust(),
        )
    };
    let ((here, trust), (there, found)) = (read(second.path()), read(first.path()));
    assert!(here.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-6), "{here:?} {there:?}");
    assert!((trust / found).ln().abs() < 1e-6, "{trust} {found}");
    let (said, _) = run(&["study", "check", second.path().to_str().unwrap()], 0);
    assert!(said.contains("the trust and map carried over from"), "{said}");
}
