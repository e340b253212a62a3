//! How labelled items were chosen, on small studies.

use super::*;
use crate::Decomposition;
use crate::evaluate::compare::StudyComparison;
use crate::evaluate::held_out::HeldOutReport;
use crate::findings::Answer;
use crate::findings::plan::LabelPlan;
use crate::input::label_store::{LabelStore, NewLabel};
use crate::queue::files::read_selection;
use crate::queue::{Amount, QueueRequest, Ranked};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::beta::most_by_chance;
use judge_uncertainty_core::stats::estimator::Ask;
use judge_uncertainty_formats::error::Place;
use judge_uncertainty_system::progress::Silent;
use tempfile::TempDir;

const ITEMS: usize = 120;

/// A study of items i0 to i119, whose first `own` have one label by the user's own file, with `each` rows to a
/// cluster.
fn folder(own: usize, each: usize, settings: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (mut items, mut judge, mut labels) = ("id,about,pi\n".to_owned(), "id,p_a,p_b\n".to_owned(), String::new());
    for i in 0..ITEMS {
        items += &format!("i{i},t{},{}\n", i / each, if i % 2 == 0 { 0.5 } else { 0.25 });
        judge += &format!("i{i},{},{}\n", 0.05 + 0.9 * (i as f64 / 119.0), 0.95 - 0.9 * (i as f64 / 119.0));
        if i < own {
            labels += &format!("i{i},ann,{}\n", if i * 7 % 3 == 0 { "a" } else { "b" });
        }
    }
    let with_labels = if own > 0 { "[labels]\nfile = \"labels.csv\"\nform = \"long\"\n" } else { "" };
    let toml = format!(
        "title = \"t\"\nclasses = [\"a\", \"b\"]\n[items]\nfile = \"items.csv\"\n{settings}\n[judge]\nfile = \
         \"judge.csv\"\nkind = \"probabilities\"\n{with_labels}"
    );
    let labels = format!("id,annotator,label\n{labels}");
    for (name, text) in [("study.toml", toml), ("items.csv", items), ("judge.csv", judge), ("labels.csv", labels)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Plans are about clusters: 25 labels more of rows anywhere, after 15 whole clusters of four, leave the width that was planned.
#[test]
fn plans_count_clusters_and_not_their_rows() {
    let folder = folder(60, 4, "drawn = \"random\"\ncluster = \"about\"");
    let widths = || {
        let plan = LabelPlan::of_study(&load(&folder), None);
        let half =
            |labels: usize| plan.figures[0].after.iter().find(|width| width.labels == labels).map(|width| width.half);
        (plan.figures[0].now.unwrap(), half(25), half(ITEMS - 60))
    };
    let (_, planned, of_all) = widths();
    let mut labels = fs::read_to_string(folder.path().join("labels.csv")).unwrap();
    for i in (0..25).map(|k| 60 + k * 7 % 60) {
        labels += &format!("i{i},ann,{}\n", if i * 7 % 3 == 0 { "a" } else { "b" });
    }
    fs::write(folder.path().join("labels.csv"), labels).unwrap();
    let came = widths().0;
    assert!((planned.unwrap() / came - 1.0).abs() < 0.2, "{planned:?} for {came}");
    assert!(of_all.unwrap() < 1e-6);
}

/// A queue that drew single rows of clusters, after own labels that may have been picked: rows labelled before stand for their
/// own half, those of the queue for the other one, and rows without a label in a cluster that has some are not known.
#[test]
fn rows_of_a_queue_stand_for_the_rows_of_their_clusters() {
    let folder = folder(60, 4, "cluster = \"about\"");
    answered_by(Rule::FewestLabels, &folder, "queue", None, true);
    let study = load(&folder);
    let kept: Vec<usize> = study.ratings().labelled();
    let found = ItemSampling::new(&study, &kept);
    assert!(kept.len() > 80 && kept.len() < ITEMS, "{}", kept.len());
    let weights = found.design.weights();
    let of_own: f64 = kept.iter().zip(&weights).filter(|(item, _)| **item < 60).map(|(_, weight)| weight).sum();
    assert!((of_own - 0.5).abs() < 0.04, "{of_own}");
    let values: Vec<Option<f64>> = (0..kept.len()).map(|i| Some(f64::from(u8::from(i % 3 == 0)))).collect();
    let rate = *found.design.estimate(&Ask::share(&values).of_study()).estimate().unwrap();
    assert!(rate.hi - rate.lo > 0.08, "{rate:?}");
}

/// A cluster without a label that holds a third of all rows: its rows could be quite another.
#[test]
fn a_long_cluster_without_a_label_makes_intervals_wider_and_readers_are_told() {
    let drawn = |long: usize| {
        let folder = folder(40, 1, "drawn = \"random\"\ncluster = \"about\"");
        let items: String =
            (0..ITEMS).map(|i| format!("i{i},t{}\n", if i >= ITEMS - long { ITEMS } else { i / 2 })).collect();
        fs::write(folder.path().join("items.csv"), format!("id,about\n{items}")).unwrap();
        let study = load(&folder);
        let kept: Vec<usize> = (0..40).collect();
        let found = ItemSampling::new(&study, &kept);
        let values: Vec<Option<f64>> = (0..40).map(|i| Some(f64::from(u8::from(i % 3 == 0)))).collect();
        let rate = *found.design.estimate(&Ask::share(&values).of_study()).estimate().unwrap();
        (rate.hi - rate.lo, found.words.unwrap())
    };
    let ((narrow, plain), (wide, told)) = (drawn(2), drawn(40));
    assert!(wide > 1.3 * narrow, "{wide} for {narrow}");
    assert!(
        told.contains(" 33% of all rows are in one cluster without a label") && !plain.contains("without a label"),
        "{told}"
    );
}

fn load(folder: &TempDir) -> Study {
    Study::load(folder.path()).unwrap()
}

/// A queue of 30 by the rule info, answered once by all of it.
fn answered(folder: &TempDir, name: &str, explore: Option<f64>, answer: bool) {
    answered_by(Rule::Info, folder, name, explore, answer);
}

fn answered_by(rule: Rule, folder: &TempDir, name: &str, explore: Option<f64>, answer: bool) {
    answered_first(rule, folder, name, (30, explore), if answer { usize::MAX } else { 0 });
}

/// The first `answers` of the queue come back.
fn answered_first(rule: Rule, folder: &TempDir, name: &str, (number, explore): (usize, Option<f64>), answers: usize) {
    let study = load(folder);
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let (amount, labels_per_item) = (Amount::Number(number), 1);
    let request = QueueRequest { rule: rule.into(), amount, labels_per_item, explore, seed: 5 };
    let ranked = Ranked::new(&study, &decomposition, &request).unwrap();
    let (staged, _) = ranked.send(&request, false).unwrap();
    let queue = folder.path().join(name);
    fs::create_dir(&queue).unwrap();
    for file in ["queue.json", "selection.csv"] {
        fs::write(queue.join(file), staged.text(file).unwrap()).unwrap();
    }
    let ids = staged.text("queue.csv").unwrap().lines().skip(1).map(|line| line.split(',').nth(1).unwrap());
    if answers > 0 {
        add(folder, name, ids.take(answers));
    }
}

/// A batch of labels of these items.
fn add<'i>(folder: &TempDir, name: &str, ids: impl Iterator<Item = &'i str>) {
    let label = |id: &str| NewLabel {
        id: id.to_owned(),
        annotator: format!("zoe of {name}"),
        value: if id.len().is_multiple_of(2) { "a" } else { "b" }.to_owned(),
        given: String::new(),
        place: Place::file(folder.path()),
    };
    let log = LabelStore::read(folder.path(), None, &mut Source::default()).unwrap();
    log.append(&folder.path().join(name), &format!("{:064}", name.len()), &ids.map(label).collect::<Vec<_>>()).unwrap();
}

fn chosen(study: &Study) -> (Vec<usize>, ItemSampling) {
    let kept: Vec<usize> = (0..study.len()).filter(|&i| study.numbers()[i] > 0).collect();
    let chosen = ItemSampling::new(study, &kept);
    (kept, chosen)
}

#[test]
fn items_that_a_rule_chose_describe_themselves() {
    let folder = folder(0, 1, "");
    answered(&folder, "queue", None, true);
    let study = load(&folder);
    let (kept, told) = chosen(&study);
    assert_eq!(kept.len(), 30);
    assert!(told.design.reason().unwrap().contains("chosen by epistemic"), "{told:?}");
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let scores = HeldOutReport::new(&study, &decomposition);
    let report = scores.found().unwrap();
    assert!(report.scores.iter().all(|one| one.mean.estimate().is_none() && one.mean.described().is_some()));
    assert!(report.comparisons.iter().all(|one| one.advantage.estimate().is_none()), "no verdict");
    assert!(report.chosen.as_ref().unwrap().contains("no new items"), "{:?}", report.chosen);
}

/// A queue in random order, as the first one is by default, is a random sample for all statements, also about clusters.
#[test]
fn a_queue_at_random_is_a_random_sample() {
    for (each, settings, clusters) in [(1, "", 30), (5, "item = \"about\"", 24)] {
        let folder = folder(0, each, settings);
        answered_by(Rule::Random, &folder, "queue", None, true);
        let study = load(&folder);
        let (kept, told) = chosen(&study);
        assert!(told.design.is_even() && told.design.reason().is_none(), "{told:?}");
        assert!(!told.words.unwrap().contains("Means weight"));
        let labelled = kept.iter().map(|&i| i / each).collect::<BTreeSet<_>>().len();
        assert_eq!(labelled, clusters);
        let b = kept.iter().filter(|&&i| !study.items.ids[i].len().is_multiple_of(2)).count();
        let rate = *Answer::of_labels(&study).rates[0].by_labels.estimate().unwrap();
        assert!((rate.value - b as f64 / kept.len() as f64).abs() < 1e-12, "{rate:?}");
        // Of clusters that are all labelled nothing is left to estimate.
        assert_eq!(rate.lo < rate.hi, clusters < ITEMS / each, "{rate:?}");
    }
}

/// Items of a cluster are alike, but those that a rule ranked first are not like the others of theirs: with them nothing is
/// said of new items, and the queue says so at once. Drawn at random they stand for their clusters.
#[test]
fn single_items_of_clusters_count_where_they_were_drawn() {
    let folder = folder(0, 4, "cluster = \"about\"");
    answered_by(Rule::Random, &folder, "queue", None, true);
    answered_by(Rule::FewestLabels, &folder, "queue-2", Some(0.1), true);
    let (_, told) = chosen(&load(&folder));
    assert!(told.design.reason().is_none() && told.words.unwrap().contains("clusters"));
    answered_by(Rule::Info, &folder, "queue-3", Some(0.5), true);
    let (_, told) = chosen(&load(&folder));
    assert!(told.design.reason().unwrap().contains("\"queue-3\" ranked single items of clusters"), "{told:?}");
    let record = fs::read_to_string(folder.path().join("queue-3/queue.json")).unwrap();
    assert!(record.contains("none: single items of clusters are ranked"), "{record}");
}

/// Fewest labels first takes any of the unlabelled items, so queues of it are one random sample, whatever share
/// gives second labels; behind a queue by rank they tell of the rest.
#[test]
fn queues_by_fewest_labels_are_a_random_sample() {
    for (own, each, settings) in [(0, 1, ""), (20, 1, "drawn = \"random\""), (0, 3, "item = \"about\"")] {
        let folder = folder(own, each, settings);
        for (queue, name) in ["queue", "queue-2"].into_iter().enumerate() {
            answered_by(Rule::FewestLabels, &folder, name, Some(0.1), true);
            let study = load(&folder);
            let (_, told) = chosen(&study);
            assert!(told.design.is_even() && told.design.reason().is_none(), "{told:?}");
            assert!(!told.words.unwrap().contains("Means weight"));
            // All of them are one random sample, and the share is that of its labels.
            let counts = study.labels.counts.rows().into_iter().filter(|counts| counts.sum() > 0);
            let of_labels: Vec<f64> = counts.map(|counts| f64::from(counts[1]) / f64::from(counts.sum())).collect();
            let mean = of_labels.iter().sum::<f64>() / of_labels.len() as f64;
            let rate = *Answer::of_labels(&study).rates[0].by_labels.estimate().unwrap();
            assert!((rate.value - mean).abs() < 1e-12, "queue {queue}: {rate:?}");
        }
        if each > 1 {
            // Both queues together have asked about every cluster.
            continue;
        }
        let (kept, _) = chosen(&load(&folder));
        answered_by(Rule::Info, &folder, "queue-3", None, true);
        let (later, told) = chosen(&load(&folder));
        let weights = later.iter().zip(told.design.weights());
        assert!(weights.into_iter().all(|(item, weight)| (weight > 0.0) == kept.contains(item)), "{told:?}");
        answered_by(Rule::FewestLabels, &folder, "queue-4", Some(0.1), true);
        let (_, told) = chosen(&load(&folder));
        assert!(!told.design.is_even() && told.design.weights().iter().all(|weight| *weight > 0.0), "{told:?}");
    }
}

/// Whom a first queue asked in vain is missing from the sample that a second one completes.
#[test]
fn answers_that_an_earlier_queue_lacks_are_missing() {
    let folder = folder(0, 1, "");
    answered_first(Rule::FewestLabels, &folder, "queue", (30, Some(0.1)), 10);
    answered_by(Rule::FewestLabels, &folder, "queue-2", Some(0.1), true);
    let study = load(&folder);
    let asked: BTreeSet<usize> = ["queue", "queue-2"]
        .iter()
        .flat_map(|name| {
            let text = fs::read_to_string(folder.path().join(name).join("selection.csv")).unwrap();
            let item = |line: &str| study.items.ids.iter().position(|id| line.split(',').next() == Some(id)).unwrap();
            text.lines().skip(1).map(item).collect::<Vec<_>>()
        })
        .collect();
    let (_, told) = chosen(&study);
    let answered = study.numbers().iter().filter(|number| **number > 0).count();
    assert!(asked.len() > answered);
    assert!((told.design.lost() - (asked.len() - answered) as f64 / asked.len() as f64).abs() < 1e-12, "{told:?}");
}

/// Of a queue of 30, most of them at random, 20 came back: what the others would say is unknown, so scores are
/// of the labelled items alone and the bounds of shares allow for any answer.
#[test]
fn answers_that_did_not_come_back_are_allowed_for() {
    for (rule, explore) in [(Rule::Info, 0.8), (Rule::FewestLabels, 0.1)] {
        let of = |answers: usize| {
            let folder = folder(0, 1, "");
            answered_first(rule, &folder, "queue", (30, Some(explore)), answers);
            let study = load(&folder);
            let (kept, told) = chosen(&study);
            let values: Vec<Option<f64>> = (0..kept.len()).map(|k| Some(f64::from(u8::from(k % 3 > 0)))).collect();
            (told, values)
        };
        let (all, values) = of(usize::MAX);
        let share = *all.design.estimate(&Ask::share(&values)).estimate().unwrap();
        assert!(all.design.lost() == 0.0 && !all.words.unwrap().contains("have no label"));
        let (part, values) = of(20);
        assert!(part.design.lost() > 0.3, "{}", part.design.lost());
        assert!(part.words.as_ref().unwrap().contains("of the 30 that it selected 10 have no label"), "{part:?}");
        let scores = part.design.estimate(&Ask::mean(&values));
        assert!(scores.estimate().is_none(), "{scores:?}");
        let wide = *part.design.estimate(&Ask::share(&values)).estimate().unwrap();
        assert!(wide.hi - wide.lo > share.hi - share.lo + 0.2, "{share:?} {wide:?}");
    }
}

/// Nobody says that the labels of the user's own file were drawn at random: beside a queue they count for their items
/// alone, and before one on condition.
#[test]
fn own_labels_that_may_have_been_picked_stand_for_themselves() {
    for (settings, alone) in [("", true), ("drawn = \"unknown\"", true), ("drawn = \"random\"", false)] {
        let folder = folder(20, 1, settings);
        answered_by(Rule::FewestLabels, &folder, "queue", Some(0.1), true);
        let (kept, told) = chosen(&load(&folder));
        assert!(!told.is_assumed, "{settings}");
        let weights = told.design.weights();
        let of_own = kept.iter().zip(&weights).filter(|(item, _)| **item < 20).map(|(_, weight)| weight);
        let own = of_own.sum::<f64>() / weights.iter().sum::<f64>();
        // They are 20 of 120 items, and 20 of some 50 that have labels.
        assert_eq!((own - 20.0 / 120.0).abs() < 1e-9, alone, "{settings}: {own}");
    }
}

/// The judge's share of b is far from that of all items on those that are labelled.
#[test]
fn labels_that_are_not_like_the_others_tell_nothing_of_all() {
    for (settings, tells) in [("", false), ("drawn = \"unknown\"", false), ("drawn = \"random\"", true)] {
        let study = load(&folder(60, 1, settings));
        let (_, told) = chosen(&study);
        assert_eq!(told.design.reason().is_none(), tells, "{settings}: {told:?}");
        let answer = Answer::of_labels(&study);
        assert_eq!(answer.rates[0].corrected.estimate().is_some(), tells, "{settings}");
        assert!(tells || answer.trust.agreement.reason().unwrap().contains("not like the others"), "{settings}");
    }
}

/// Where every item is labelled, further labels of some change nothing of how they were chosen.
#[test]
fn a_queue_of_labelled_items_changes_no_chances() {
    let folder = folder(ITEMS, 1, "");
    answered(&folder, "queue", Some(0.5), true);
    let (_, told) = chosen(&load(&folder));
    assert!(told.design.is_simple() && told.words.is_none(), "{told:?}");
}

#[test]
fn behind_a_queue_by_rank_the_random_items_alone_count() {
    let folder = folder(40, 1, "drawn = \"random\"");
    answered(&folder, "queue", None, true);
    let (kept, told) = chosen(&load(&folder));
    let weights = told.design.weights();
    assert!(kept.iter().zip(&weights).all(|(&item, weight)| (*weight > 0.0) == (item < 40)), "{weights:?}");
    assert!(told.words.unwrap().contains("40 of 120 at random"));
}

/// 40 known, 15 by rank, and the drawn ones stand for the others: weights of the second stage sum to the number of
/// items.
#[test]
fn an_exploring_queue_stands_for_all_items() {
    let folder = folder(40, 1, "drawn = \"random\"");
    answered(&folder, "queue", Some(0.5), true);
    let study = load(&folder);
    let (kept, told) = chosen(&study);
    assert!(told.design.reason().is_none() && !told.design.is_simple());
    assert!(told.design.weights().iter().all(|weight| *weight > 0.0));
    assert_eq!(study.queues[0].batches, [0].into());
    assert!(kept.len() > 40, "{}", kept.len());
    // A later queue by rank alone takes nothing from what the first one tells, and its answers are its own.
    answered(&folder, "queue-2", None, true);
    let study = load(&folder);
    assert_eq!(study.queues.iter().map(|queue| queue.batches.clone()).collect::<Vec<_>>(), [[0].into(), [1].into()]);
}

/// A queue that was written elsewhere is known by the note in the study's folder.
#[test]
fn a_queue_elsewhere_is_recorded() {
    let folder = folder(40, 1, "drawn = \"random\"");
    answered(&folder, "queue", Some(0.5), true);
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("sent");
    fs::rename(folder.path().join("queue"), &moved).unwrap();
    let (_, told) = chosen(&load(&folder));
    assert!(told.words.unwrap().contains("not recorded by a queue"));
    fs::write(folder.path().join(QUEUES_ELSEWHERE), format!("{}\n", moved.display())).unwrap();
    let study = load(&folder);
    let (_, told) = chosen(&study);
    assert!(told.design.reason().is_none() && told.words.unwrap().contains("at random"));
}

/// Labels of 60 of the 80 items without one, of which a queue of 30 holds some by chance, are no answers to it: means rest on
/// the user's own labels as before.
#[test]
fn labels_that_no_queue_asked_for_answer_none() {
    let folder = folder(40, 1, "drawn = \"random\"");
    answered_by(Rule::FewestLabels, &folder, "queue", None, false);
    let ids: Vec<String> = (40..100).map(|item| load(&folder).items.ids[item].to_owned()).collect();
    add(&folder, "queue", ids.iter().map(|id| &**id));
    let study = load(&folder);
    let (kept, told) = chosen(&study);
    assert!(study.queues.is_empty() && told.design.reason().is_none(), "{told:?}");
    assert!(kept.iter().zip(told.design.weights()).all(|(&item, weight)| (weight > 0.0) == (item < 40)));
}

/// Second labels of the items that a rule ranks first enter no mean; those of items drawn at random do.
#[test]
fn second_labels_by_rank_count_for_the_belief_alone() {
    for (rule, counts) in [(Rule::Info, false), (Rule::FewestLabels, true)] {
        let folder = folder(ITEMS, 1, "");
        let before = load(&folder).ratings().labelled().len();
        answered_by(rule, &folder, "queue", None, true);
        let study = load(&folder);
        let twice = (0..study.len()).filter(|&item| study.numbers()[item] == 2).count();
        let compared = (0..study.len()).filter(|&item| study.ratings().between(item).is_some()).count();
        assert_eq!((before, twice, compared), (ITEMS, 30, if counts { 30 } else { 0 }), "{rule:?}");
    }
}

/// One further label, drawn at random, joins those that were.
#[test]
fn a_queue_of_one_item_counts() {
    let folder = folder(40, 1, "drawn = \"random\"");
    answered_first(Rule::FewestLabels, &folder, "queue", (1, None), 1);
    let (kept, told) = chosen(&load(&folder));
    assert!(
        kept.len() == 41 && told.design.weights().iter().all(|weight| (weight * 41.0 - 1.0).abs() < 1e-9),
        "{told:?}"
    );
}

#[test]
fn what_is_said_of_own_labels_counts() {
    let all = folder(ITEMS, 1, "");
    let (_, told) = chosen(&load(&all));
    assert!(told.design.is_simple() && told.words.is_none(), "{told:?}");
    let unsaid = folder(60, 1, "");
    let (_, told) = chosen(&load(&unsaid));
    assert!(told.design.reason().unwrap().contains("not like the others"), "{told:?}");
    let unequal = folder(60, 1, "probability = \"pi\"");
    let (_, told) = chosen(&load(&unequal));
    let weights = told.design.weights();
    assert!((weights[1] / weights[0] - 2.0).abs() < 1e-12, "{weights:?}");
    let both = folder(60, 1, "probability = \"pi\"\ndrawn = \"random\"");
    let refused = Study::load(both.path()).unwrap_err().to_string();
    assert!(refused.contains("items.probability") && refused.contains("remove items.drawn"), "{refused}");
}

/// Five rows to a cluster: they share a fold, intervals go over clusters, and a queue draws clusters.
#[test]
fn rows_of_one_thing_belong_together() {
    let folder = folder(100, 5, "item = \"about\"\ndrawn = \"random\"");
    let study = load(&folder);
    let (kept, told) = chosen(&study);
    let of = |items: usize| told.design.clusters()[..items].to_vec();
    assert_eq!((kept.len(), of(6)), (100, vec![0, 0, 0, 0, 0, 1]));
    assert!(!told.design.is_simple() && told.design.is_even());
    assert!(told.words.unwrap().contains("form 20 clusters"));
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let scores = crate::evaluate::held_out::ScoredItems::new(&study, &decomposition, &kept).unwrap();
    assert!(scores.folds.chunks(5).all(|cluster| cluster.iter().all(|fold| *fold == cluster[0])), "{:?}", scores.folds);
    let (amount, labels_per_item) = ("10".parse().unwrap(), 1);
    let request = QueueRequest { rule: Rule::Info.into(), amount, labels_per_item, explore: Some(1.0), seed: 5 };
    let (_, record) = Ranked::new(&study, &decomposition, &request).unwrap().send(&request, false).unwrap();
    assert_eq!(record.queued, 50);
}

/// A queue whose record has a line for every item, as older ones do, selected the same.
#[test]
fn what_a_queue_left_out_is_known_by_its_chance() {
    for (each, settings) in [(1, ""), (5, "item = \"about\"")] {
        let folder = folder(40, each, settings);
        let study = load(&folder);
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        let request = QueueRequest {
            rule: Rule::Info.into(),
            amount: (80 / each).to_string().parse().unwrap(),
            labels_per_item: 1,
            explore: Some(0.9),
            seed: 5,
        };
        let ranked = Ranked::new(&study, &decomposition, &request).unwrap();
        let (staged, mut record) = ranked.send(&request, false).unwrap();
        let read = |record: &QueueRecord, selection: &str| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("selection.csv"), selection).unwrap();
            read_selection(folder.path(), Some(record), &study.items.ids, &study.items.file).unwrap()
        };
        let mut selection = staged.text("selection.csv").unwrap().to_owned();
        let now = read(&record, &selection);
        assert_eq!(selection.lines().count(), 81);
        let rest = record.not_selected.take().unwrap();
        let header: Vec<String> = selection.lines().next().unwrap().split(',').map(str::to_owned).collect();
        let listed: BTreeSet<String> =
            selection.lines().map(|line| line.split(',').next().unwrap().to_owned()).collect();
        for item in (0..ITEMS).filter(|&item| !listed.contains(&study.items.ids[item])) {
            let cell = |name: &String| match name.as_str() {
                "id" => study.items.ids[item].to_owned(),
                "selection_probability" => rest.probability.to_string(),
                _ => String::new(),
            };
            selection += &(header.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
        }
        let then = read(&record, &selection);
        assert_eq!(now, then);
    }
}

/// One label an item: no prediction knows another label of the item.
#[test]
fn studies_with_one_label_an_item_are_compared() {
    let folder = folder(60, 1, "");
    let study = load(&folder);
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let compared = StudyComparison::new([&study, &study], [&decomposition, &decomposition]).unwrap();
    assert!(!compared.scores.is_empty());
}

/// Labels by chances that follow what they say: the few items that are seldom chosen stand for many, and may all be missing.
#[test]
fn intervals_hold_where_chances_follow_what_labels_say() {
    let (studies, items) = (200, 1500);
    let missed = (0..studies).filter(|seed| {
        let folder = folder(0, 1, "");
        let mut stream = Stream::new(*seed);
        let (mut table, mut judge, mut labels) =
            ("id,pi\n".to_owned(), "id,p_a,p_b\n".to_owned(), "id,annotator,label\n".to_owned());
        let mut rate = 0.0;
        for i in 0..items {
            let p = 1.0 / (1.0 + (1.0 - 1.5 * stream.standard_normal()).exp());
            let chance = (0.5 * (1.0 - p).powi(3)).clamp(0.004, 0.95);
            let is = stream.random() < p;
            rate += f64::from(u8::from(!is)) / f64::from(items);
            table += &format!("i{i},{chance}\n");
            judge += &format!("i{i},0.5,0.5\n");
            if stream.random() < chance {
                labels += &format!("i{i},ann,{}\n", if is { "a" } else { "b" });
            }
        }
        let toml = "title = \"t\"\nclasses = [\"a\", \"b\"]\n[items]\nfile = \"items.csv\"\nprobability = \"pi\"\n[judge]\nfile = \
                    \"judge.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \"long\"\n";
        for (name, text) in [("study.toml", toml), ("items.csv", &table), ("judge.csv", &judge), ("labels.csv", &labels)] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let found = *Answer::of_labels(&load(&folder)).rates[0].by_labels.estimate().unwrap();
        !(found.lo..=found.hi).contains(&rate)
    });
    let (missed, most) = (missed.count() as u64, most_by_chance(studies, 0.05, 1e-3));
    assert!(missed <= most, "{missed} of {studies} missed");
}
