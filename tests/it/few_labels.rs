//! What a study says of error, agreement, calibration and beliefs where items have one label or three, and of two
//! studies of the same items.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use judge_uncertainty::evaluation::held_out::{Given, Score};
use judge_uncertainty::random::Stream;
use judge_uncertainty::report::study::{describe, describe_comparison, plan_answer};
use judge_uncertainty::study::evaluate::OrReason;
use judge_uncertainty::study::evaluate::compare::{StudyComparison, matched};
use judge_uncertainty::study::evaluate::held_out::HeldOutReport;
use judge_uncertainty::study::findings::Answer;
use judge_uncertainty::study::findings::plan::LabelPlan;
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::study::{Decomposition, Error, Study, StudyResults, evaluate};
use judge_uncertainty::system::progress::Silent;
use tempfile::TempDir;

const CLASSES: &str = "classes = [\"1\", \"2\", \"3\"]\n";
const PLACES: &str = "places = [1, 2, 3]\n";

/// A study of classes or places whose judge is overconfident; `judge` seeds its predictions.
fn written(head: &str, items: usize, labels: usize, judge: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (mut truth, mut noise) = (Stream::new(4), Stream::new(judge));
    let (mut ids, mut p, mut n) = ("id\n".to_owned(), "id,p_1,p_2,p_3\n".to_owned(), "id,n_1,n_2,n_3\n".to_owned());
    for i in 0..items {
        let shares = drawn([1.5, 1.0, 0.5], &mut truth);
        let stated = drawn(shares.map(|p| 4.0 * p + 0.05), &mut noise).map(|q| q * q + 1e-3);
        let sum: f64 = stated.iter().sum();
        let mut counts = [0; 3];
        for _ in 0..labels {
            let u = truth.random();
            counts[usize::from(u > shares[0]) + usize::from(u > shares[0] + shares[1])] += 1;
        }
        ids += &format!("i{i}\n");
        p += &format!("i{i},{},{},{}\n", stated[0] / sum, stated[1] / sum, stated[2] / sum);
        n += &format!("i{i},{},{},{}\n", counts[0], counts[1], counts[2]);
    }
    let toml = format!(
        "title = \"Few\"\n{head}[items]\nfile = \"items.csv\"\n[judge]\nfile = \"judge.csv\"\nkind = \
         \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \"counts\"\n"
    );
    put(folder.path(), [("items.csv", ids), ("judge.csv", p), ("labels.csv", n), ("study.toml", toml)]);
    folder
}

fn put<const N: usize>(folder: &Path, files: [(&str, String); N]) {
    files.into_iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
}

fn drawn(alpha: [f64; 3], stream: &mut Stream) -> [f64; 3] {
    let gammas = alpha.map(|a| stream.gamma(a) + 1e-9);
    let sum: f64 = gammas.iter().sum();
    gammas.map(|g| g / sum)
}

fn results(folder: &TempDir) -> StudyResults {
    let study = Study::load(folder.path()).unwrap();
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let evaluation = evaluate(&study, None, &Silent).unwrap();
    StudyResults::new(&study, &decomposition, evaluation, None, (Amount::DEFAULT, None), &Silent).unwrap()
}

fn report(results: &StudyResults) -> &HeldOutReport {
    results.held_out.found().unwrap()
}

fn words(results: &StudyResults) -> String {
    describe(results).unwrap().iter().map(|line| line.text().to_owned() + "\n").collect()
}

fn nothing_undefined(written: &str) {
    for word in ["NaN", " inf", ":inf", "\"value\":null", "\"lo\":null"] {
        assert!(!written.contains(word), "{word} in {written}");
    }
}

/// 150 items with one label: scores and calibration are there; what takes two labels is not, and says so.
#[test]
fn one_label_an_item_tells_scores_and_calibration() {
    let results = results(&written(CLASSES, 150, 1, 1));
    let found = report(&results);
    assert_eq!((found.items, found.labels, found.twice_labelled), (150, 150, 0));
    let mean = |name: &str, score: Score| {
        let one = found.scores.iter().find(|one| one.prediction == name && one.score == score).unwrap();
        *one.mean.estimate().unwrap()
    };
    for score in [Score::Log, Score::Brier] {
        assert!(mean("judge", score).lo < mean("judge", score).value);
        assert!(mean("auto", score).value < mean("judge", score).value, "the judge is overconfident: {found:?}");
    }
    assert!(found.scores.iter().all(|one| one.given == Given::NoLabel));
    assert!(found.disagreement.reason().unwrap().contains("two labels"), "{:?}", found.disagreement);
    assert!(found.squared_errors.iter().all(|one| one.mean.estimate().is_none()));
    assert_eq!(found.calibration.iter().map(|point| point.items).sum::<usize>(), 150);
    let overconfident = found.calibration_in_the_large.estimate().unwrap();
    assert!(overconfident.hi < 0.0, "{overconfident:?}");
    let said = words(&results);
    for what in ["the squared error against the pool", "how much labels of an item disagree"] {
        assert!(said.contains(&format!("Not estimable: {what}: it takes items with two labels or more")), "{said}");
    }
    assert!(said.contains("150 labels of 150 items (0 with two labels or more)"), "{said}");
    nothing_undefined(&said);
    nothing_undefined(&serde_json::to_string(&results).unwrap());
}

/// With three labels the squared error against the pool is there without bias, and the belief that recalibrates is told
/// from the published one.
#[test]
fn three_labels_an_item_tell_errors_and_beliefs() {
    let results = results(&written(CLASSES, 150, 3, 1));
    let found = report(&results);
    let squared = found.squared_errors.iter().find(|one| one.prediction == "judge").unwrap().mean.estimate().unwrap();
    let brier = found.scores.iter().find(|one| one.prediction == "judge" && one.score == Score::Brier).unwrap();
    let disagreement = found.disagreement.estimate().unwrap();
    assert!((squared.value + disagreement.value - brier.mean.estimate().unwrap().value).abs() < 1e-12);
    let better = found.comparisons.iter().find(|one| {
        (one.prediction.as_str(), one.than.as_str(), one.given, one.score)
            == ("published", "auto", Given::OtherLabels, Score::Log)
    });
    assert!(better.unwrap().advantage.estimate().unwrap().hi < 0.0, "{better:?}");
    assert!(words(&results).contains("is WORSE than belief with the chosen map, the item's other labels"));
}

#[test]
fn places_and_scores_have_their_own_scores() {
    let ordinal = results(&written(PLACES, 60, 2, 1));
    let scored: Vec<Score> = report(&ordinal).scores.iter().map(|one| one.score).take(3).collect();
    assert_eq!(scored, [Score::Log, Score::Crps, Score::Squared]);
    nothing_undefined(&words(&ordinal));
    let scores = results(&of_scores(60));
    let found = report(&scores);
    let judge: Vec<Score> = found.scores.iter().filter(|one| one.prediction == "judge").map(|one| one.score).collect();
    assert_eq!(judge, [Score::Log, Score::Crps, Score::Squared, Score::Coverage]);
    // The judge states the pool's standard deviation, 5, and is off by 5: two fifths too narrow.
    let covered = found.scores.iter().find(|one| one.prediction == "judge" && one.score == Score::Coverage).unwrap();
    assert!(covered.mean.estimate().unwrap().hi < 0.9, "{covered:?}");
    let squared = found.squared_errors.iter().find(|one| one.prediction == "judge").unwrap().mean.estimate().unwrap();
    assert!(squared.lo < 25.0 && squared.hi > 25.0, "{squared:?}");
    nothing_undefined(&words(&scores));
}

fn of_scores(items: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut stream = Stream::new(9);
    let (mut ids, mut judge, mut labels) =
        ("id\n".to_owned(), "id,mean,sd\n".to_owned(), "id,annotator,score\n".to_owned());
    for i in 0..items {
        let mu = 30.0 + 40.0 * stream.random();
        ids += &format!("i{i}\n");
        judge += &format!("i{i},{},5\n", mu + 5.0 * stream.standard_normal());
        (0..3).for_each(|a| labels += &format!("i{i},a{a},{}\n", mu + 5.0 * stream.standard_normal()));
    }
    let toml = "title = \"Scores\"\nscale = [0, 100]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \"judge.csv\"\nsd \
                = \"sd\"\n[labels]\nfile = \"labels.csv\"\n";
    put(
        folder.path(),
        [("items.csv", ids), ("judge.csv", judge), ("labels.csv", labels), ("study.toml", toml.to_owned())],
    );
    folder
}

#[test]
fn too_few_labelled_items_have_a_reason() {
    let results = results(&written(CLASSES, 12, 1, 1));
    match &results.held_out {
        OrReason::NotEstimable { not_estimable } => {
            assert!(not_estimable.contains("there are 12") && not_estimable.contains("8 more"), "{not_estimable}");
        }
        OrReason::Found(_) => panic!("{:?}", results.held_out),
    }
    assert!(words(&results).contains("Not estimable: scores on held-out labels: they need 20"));
}

fn compared(first: &TempDir, second: &TempDir) -> StudyComparison {
    let studies = [first, second].map(|folder| Study::load(folder.path()).unwrap());
    let decompositions = studies.each_ref().map(|study| Decomposition::new(study, &Silent).unwrap());
    StudyComparison::new([&studies[0], &studies[1]], [&decompositions[0], &decompositions[1]]).unwrap()
}

/// A judge that is the other one made noisy is worse, and which items they part on is told; the same judge with another
/// belief is the same judge.
#[test]
fn two_judges_are_compared_on_the_same_labels() {
    let (good, bad) = (written(CLASSES, 150, 2, 1), written(CLASSES, 150, 2, 1));
    let text = fs::read_to_string(bad.path().join("judge.csv")).unwrap();
    let reversed: String = text
        .lines()
        .enumerate()
        .map(|(row, line)| {
            let cells: Vec<&str> = line.split(',').collect();
            match row {
                0 => format!("{line}\n"),
                _ => format!("{},{},{},{}\n", cells[0], cells[3], cells[2], cells[1]),
            }
        })
        .collect();
    fs::write(bad.path().join("judge.csv"), reversed).unwrap();
    let found = compared(&good, &bad);
    assert_eq!(found.judges_differ.as_deref(), Some("the predictions"));
    let judge = found.scores.iter().find(|one| one.prediction == "judge" && one.score == Score::Log).unwrap();
    assert!(judge.advantage.estimate().unwrap().lo > 0.0, "{judge:?}");
    // Either agreement is that which its own study prints, and the difference is theirs, paired.
    for (folder, judge) in [&good, &bad].into_iter().zip(&found.agreement.judges) {
        let study = Study::load(folder.path()).unwrap();
        let answer =
            Answer::new(&study, &Decomposition::new(&study, &Silent).unwrap(), (Amount::DEFAULT, None)).unwrap();
        assert_eq!(answer.trust.agreement, *judge);
    }
    let [one, other] = found.agreement.judges.each_ref().map(|judge| judge.estimate().unwrap().value);
    let more = found.agreement.advantage.estimate().unwrap();
    assert!((more.value - (one - other)).abs() < 1e-12 && more.lo > 0.0, "{more:?} for {one} and {other}");
    assert!(found.apart.len() == 10 && found.apart.is_sorted_by(|a, b| a.distance >= b.distance));
    assert!(found.drift["mean_1"].estimate().unwrap().hi < 0.0, "{:?}", found.drift);
    assert!(found.drift["mean_2"].reason().is_some());
    let said: String = describe_comparison(&found).unwrap().iter().map(|line| line.text().to_owned() + "\n").collect();
    assert!(said.contains("the FIRST is better") && said.contains("Trust is fitted for each judge"), "{said}");
    // The other way round it is the other one.
    let back = compared(&bad, &good);
    let judge = back.scores.iter().find(|one| one.prediction == "judge" && one.score == Score::Log).unwrap();
    assert!(judge.advantage.estimate().unwrap().hi < 0.0);

    let toml = fs::read_to_string(good.path().join("study.toml")).unwrap();
    let other = written(CLASSES, 150, 2, 1);
    let belief = "[trust]\nbelief = \"temperature\"\n";
    fs::write(other.path().join("study.toml"), toml.clone() + belief).unwrap();
    fs::write(good.path().join("study.toml"), toml + "[trust]\nbelief = \"published\"\n").unwrap();
    let found = compared(&other, &good);
    assert_eq!((found.judges_differ, found.apart.len()), (None, 0));
    let belief = found.scores.iter().find(|one| one.prediction == "belief" && one.score == Score::Log).unwrap();
    assert!(belief.advantage.estimate().unwrap().lo > 0.0, "{belief:?}");
}

/// A plan from 60 labelled items names the width that as many labels as it plans give, and a number that does.
#[test]
fn plans_foresee_widths() {
    let of = |labelled: usize, seed: u64, target: Option<f64>| {
        let folder = written(CLASSES, 400, 1, seed);
        let labels = fs::read_to_string(folder.path().join("labels.csv")).unwrap();
        let kept: String = labels.lines().take(labelled + 1).map(|line| line.to_owned() + "\n").collect();
        let toml = fs::read_to_string(folder.path().join("study.toml")).unwrap();
        let toml = toml.replace("file = \"items.csv\"", "file = \"items.csv\"\ndrawn = \"random\"");
        put(folder.path(), [("labels.csv", kept), ("study.toml", toml)]);
        LabelPlan::of_study(&Study::load(folder.path()).unwrap(), target)
    };
    let [mut planned, mut came] = [vec![0.0; 3], vec![0.0; 3]];
    for seed in 0..20 {
        let (before, after) = (of(60, seed, None), of(260, seed, None));
        for (k, (one, other)) in before.figures.iter().zip(&after.figures).enumerate() {
            planned[k] += one.after.iter().find(|width| width.labels == 200).unwrap().half;
            came[k] += other.now.unwrap();
        }
    }
    for (planned, came) in planned.iter().zip(&came) {
        assert!((planned / came - 1.0).abs() < 0.1, "planned {planned}, came {came}");
    }
    let plan = of(60, 1, Some(5.0));
    let rate = &plan.figures[0];
    let needed = rate.needed.unwrap();
    let then = of(60 + needed, 1, None).figures[0].now.unwrap();
    assert!(needed > 0 && (then / 0.05 - 1.0).abs() < 0.15, "{needed} labels give {then}");
    let said: String =
        plan_answer(&plan, "s", None).unwrap().iter().map(|line| line.text().to_owned() + "\n").collect();
    assert!(said.contains(&format!("{needed} more labels")) && said.contains(&format!("--budget {needed}")), "{said}");
    nothing_undefined(&said);
    nothing_undefined(&serde_json::to_string(&plan).unwrap());
}

/// A target that is reached asks for nothing, and one a hair's breadth narrower for one label, in the singular.
#[test]
fn a_target_asks_for_no_label_for_one_or_for_several() {
    let folder = written(CLASSES, 200, 1, 1);
    let labels = fs::read_to_string(folder.path().join("labels.csv")).unwrap();
    let toml = fs::read_to_string(folder.path().join("study.toml")).unwrap();
    let toml = toml.replace("file = \"items.csv\"", "file = \"items.csv\"\ndrawn = \"random\"");
    put(folder.path(), [("labels.csv", labels.lines().take(61).collect::<Vec<_>>().join("\n")), ("study.toml", toml)]);
    let study = Study::load(folder.path()).unwrap();
    let decomposition = Decomposition::new(&study, &Silent).unwrap();
    let rate = LabelPlan::of_study(&study, None).figures.remove(0);
    let (now, later) = (100.0 * rate.now.unwrap(), 100.0 * rate.after[0].half);
    for (target, needed, step, planned, budget) in [
        (now, 0, "Label these, or stop: the widest rate is as narrow as you ask.", " is known to ", None),
        (
            now * (1.0 - 1e-9),
            1,
            "Label these; one more label makes the widest rate as narrow as you ask.",
            ": 1 more label;",
            Some(1),
        ),
        (
            later,
            25,
            "Label these; 25 more labels make the widest rate as narrow as you ask.",
            ": 25 more labels;",
            Some(25),
        ),
    ] {
        let answer = Answer::new(&study, &decomposition, (Amount::DEFAULT, Some(target))).unwrap();
        assert_eq!((answer.plan.figures[0].needed, answer.step.as_str()), (Some(needed), step));
        let lines = plan_answer(&answer.plan, "s", None).unwrap();
        let said = lines.iter().map(|line| line.text()).find(|line| line.starts_with("What it takes")).unwrap();
        assert!(said.contains(planned), "{said}");
        let command = lines.last().unwrap().text();
        assert_eq!(command.split_once("--budget ").map(|(_, budget)| budget.parse().unwrap()), budget, "{command}");
    }
}

/// Where nobody says how the 60 labelled items were chosen, a random queue replaces the assumption that they were drawn at
/// random, and the plan names the width that it leaves.
#[test]
fn plans_foresee_that_a_queue_replaces_an_assumption() {
    let [mut planned, mut came] = [0.0, 0.0];
    for seed in 0..6 {
        let folder = written(CLASSES, 300, 1, seed);
        let labels = fs::read_to_string(folder.path().join("labels.csv")).unwrap();
        let rows: Vec<&str> = labels.lines().collect();
        put(folder.path(), [("labels.csv", rows[..=60].join("\n"))]);
        let rate = || LabelPlan::of_study(&Study::load(folder.path()).unwrap(), None).figures.remove(0);
        planned += rate().after.iter().find(|width| width.labels == 50).unwrap().half;
        let run = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_judge-uncertainty"));
            command.current_dir(folder.path()).args(["study"]).args(arguments).assert().success();
        };
        run(&["queue", ".", "--rule", "fewest_labels", "--explore", "0", "--budget", "50", "--out", "queue"]);
        let queue = fs::read_to_string(folder.path().join("queue/queue.csv")).unwrap();
        let queued: HashSet<&str> = queue.lines().skip(1).map(|row| row.split(',').nth(1).unwrap()).collect();
        let label = |row: &&str| {
            let cells: Vec<&str> = row.split(',').collect();
            let class = cells.iter().position(|cell| *cell == "1")?;
            queued.contains(cells[0]).then(|| format!("{},zoe,{class}\n", cells[0]))
        };
        let back: String = rows[1..].iter().filter_map(label).collect();
        put(folder.path(), [("back.csv", format!("id,annotator,label\n{back}"))]);
        run(&["labels", "add", "back.csv", "."]);
        came += rate().now.unwrap();
    }
    assert!((planned / came - 1.0).abs() < 0.1, "planned {planned}, came {came}");
}

#[test]
fn studies_that_do_not_match_are_refused() {
    let load = |folder: &TempDir| Study::load(folder.path()).unwrap();
    let (first, fewer) = (written(CLASSES, 30, 1, 1), written(CLASSES, 29, 1, 1));
    let refused = |one: &TempDir, other: &TempDir| matched(&load(one), &load(other)).unwrap_err();
    let found = refused(&first, &fewer);
    assert!(matches!(found, Error::OtherItems { id, in_which: "first", others: 1 } if id == "i29"));
    assert!(matches!(refused(&fewer, &first), Error::OtherItems { in_which: "second", .. }));
    let more = written(CLASSES, 30, 2, 1);
    assert!(matches!(refused(&first, &more), Error::OtherLabels { .. }));
    let renamed = written("classes = [\"3\", \"2\", \"1\"]\n", 30, 1, 1);
    assert!(matches!(refused(&first, &renamed), Error::OtherScale { key: "classes" }));
}
