//! Numbers in REPRODUCE.md that no claim holds: each is what the committed results or a calculation here give.

use std::collections::BTreeMap;

use judge_uncertainty::belief::{Quantity, dirichlet::row, manhattan};
use judge_uncertainty::escalation::Budget;
use judge_uncertainty::experiments::dice::{DiceExperiment, FeatureSet};
use judge_uncertainty::experiments::steps::{Published, Steps};
use judge_uncertainty::formats::{ChaosNliData, DiceData};
use judge_uncertainty::stats::mean;
use judge_uncertainty::system::progress::Silent;
use serde_json::Value;

use crate::support::{number, repository};

fn json(file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(repository(file)).unwrap()).unwrap()
}

/// Asserts that the notes have these sentences, however their lines are broken.
fn assert_noted(sentences: &[String]) {
    let notes = std::fs::read_to_string(repository("REPRODUCE.md")).unwrap();
    let notes = notes.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in sentences {
        assert!(notes.contains(sentence), "REPRODUCE.md has not: {sentence}");
    }
}

#[test]
fn counts_of_claims_and_of_the_record_are_those_of_the_run() {
    let judged = json("artifact/results/claims.json");
    let claims = judged["claims"].as_array().unwrap();
    let of = |class: &str, verdict: &str| {
        claims.iter().filter(|c| c["class"] == class && (verdict.is_empty() || c["verdict"] == verdict)).count()
    };
    let mut sentences = vec![
        format!("**exact** ({} claims", of("exact", "")),
        format!("({} claims) are *approximate*", of("approximate", "")),
        format!("({} claims: a tolerance is allowed)", of("monte-carlo", "")),
        format!(
            "Of the {}, {} agree to the printed digit all the same, and {} lie within tolerance.",
            of("monte-carlo", ""),
            of("monte-carlo", "agrees"),
            of("monte-carlo", "within-tolerance")
        ),
    ];
    // The table of places: its first words, and how many claims stand there.
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for claim in claims {
        *places.entry(claim["place"].as_str().unwrap().split(',').next().unwrap().to_owned()).or_default() += 1;
    }
    let notes = std::fs::read_to_string(repository("REPRODUCE.md")).unwrap();
    for (place, count) in &places {
        let line =
            notes.lines().find(|line| line.starts_with(&format!("| {place}"))).unwrap_or_else(|| panic!("{place}"));
        assert_eq!(line.split('|').nth(2).unwrap().trim(), count.to_string(), "{line}");
    }
    let record = judged["record"].as_object().unwrap();
    let sum = |key: &str, some: &[&str]| -> u64 {
        let groups = record.iter().filter(|(group, _)| some.is_empty() || some.contains(&group.as_str()));
        groups.map(|(_, tally)| tally[key].as_u64().unwrap()).sum()
    };
    let by_fit = sum("farther", &["value", "minus_judge_entropy"]);
    sentences.push(format!(
        "This reproduction gives {} of them to the last digit and {} more to 0.001",
        sum("to_the_digit", &[]),
        sum("near", &[])
    ));
    sentences.push(format!("Of the other {}, {by_fit} are values of rules that rank by the fit", sum("farther", &[])));
    assert_eq!([sum("farther", &["isolation"]), sum("farther", &["dice; regret"])], [1, 5]);
    assert_eq!(sum("farther", &[]), by_fit + 6);
    assert_noted(&sentences);
}

#[test]
fn deviations_have_the_numbers_of_the_run() {
    let results = ["dice", "chaosnli", "simulations", "authors"]
        .map(|experiment| json(&format!("artifact/results/{experiment}.json"))["results"].take());
    let [dice, ours, simulations, authors] = &results;
    let at = |results: &Value, path: &str, decimals: usize| {
        let value = results.pointer(path).unwrap_or_else(|| panic!("{path}"));
        format!("{:.decimals$}", number(value))
    };
    let interval = |results: &Value, path: &str, decimals: usize| {
        let [mean, lo, hi] = ["mean", "lo", "hi"].map(|part| at(results, &format!("{path}/{part}"), decimals));
        format!("{mean} [{lo}, {hi}]")
    };
    let value = |rule: &str| at(ours, &format!("/full/value/{rule}/b10/mean"), 2);
    let less_entropy =
        |results: &Value, place: &str, decimals| at(results, &format!("/full/minus_judge_entropy/{place}"), decimals);
    let counts_only = "/counts_only_delta_minus_full_judge_entropy/b10";
    let overlap = |part: &str, decimals| at(authors, &format!("/overlap/{part}/mean"), decimals);
    let coefficients = |decimals| {
        let of = |k: usize| at(ours, &format!("/full/coefficients/{k}/1/mean"), decimals);
        (0..6).map(of).collect::<Vec<_>>().join(", ")
    };
    let signed = |text: String| if text.starts_with('-') { text } else { format!("+{text}") };
    assert_noted(&[
        format!("We find {}, {} and {} units of error removed", value("info"), value("delta"), value("v")),
        format!(
            "is {} by the authors' procedure and {} at the optimum",
            interval(authors, counts_only, 2),
            interval(ours, counts_only, 2).replacen("[0", "[+0", 1)
        ),
        format!(
            "is {} at the optimum, within its tolerance, and {} by the authors' procedure",
            less_entropy(ours, "delta/b10/lo", 2),
            less_entropy(authors, "delta/b10/lo", 2)
        ),
        format!("is {} and {}", less_entropy(ours, "info/b10/hi", 2), less_entropy(authors, "info/b10/hi", 2)),
        format!("comes out as {} here, within its tolerance", less_entropy(ours, "info/b20/hi", 2)),
        format!("is {} here, which prints -5.9", less_entropy(ours, "low_confidence/b10/lo", 3)),
        format!(
            "({} [{}, {}] at 5%)",
            signed(less_entropy(ours, "info/b5/mean", 1)),
            less_entropy(ours, "info/b5/lo", 1),
            signed(less_entropy(ours, "info/b5/hi", 1))
        ),
        format!("The standard error of random escalation is {} (0.1)", at(ours, "/full/value/random/b10/se", 3)),
        format!("comes out as {}.", interval(dice, "/judge_entropy_minus_delta_pp", 2)),
        format!("scores give {} in that order", interval(dice, "/judge_entropy_minus_delta_by_numpys_sort_pp/b10", 2)),
        format!("It comes out ({})", interval(dice, "/low_confidence_minus_random_pp", 2)),
        format!(
            "({} against {})",
            at(dice, "/self_update/judge_error", 3),
            at(dice, "/self_update/conjugate_tier_error", 3)
        ),
        format!("Ours: `full/coefficients` in `results/chaosnli.json`, {}.", coefficients(3)),
        format!("epistemic isolation is {};", at(simulations, "/isolation/epistemic_error/hi", 6)),
        format!(
            "`unconverged_fits` is {} of 400 on the dice and {} of 400 on ChaosNLI",
            dice["unconverged_fits"],
            ours["full"]["unconverged_fits"].as_u64().unwrap()
                + ours["counts_only"]["unconverged_fits"].as_u64().unwrap()
        ),
        format!(
            "Of the {} items that each rule escalates they share {} ({} by chance). {}% of the items that I escalates have \
             no label, all of the other rule's, and the rank correlation of I with having few labels is {}. With the same \
             trust for all items they would share {}.",
            authors["overlap"]["escalated"],
            overlap("shared", 0),
            at(authors, "/overlap/shared_by_chance", 0),
            overlap("unlabelled_percent", 0),
            overlap("spearman", 2),
            overlap("shared_with_equal_trust", 0)
        ),
    ]);
    assert_eq!(overlap("fewest_unlabelled_percent", 0), "100");
}

/// `tests/golden/bfgs/forms.py` computed counts-only advantages by SciPy, in other forms of the same formulas.
#[test]
fn forms_of_the_likelihood_move_the_counts_only_bound() {
    let forms = std::fs::read_to_string(repository("tests/golden/bfgs/forms.csv")).unwrap();
    let rows: Vec<Vec<&str>> = forms.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let column = |k: usize| rows.iter().map(move |row| row[k].parse::<f64>().unwrap());
    let least = |k: usize| column(k).fold(f64::INFINITY, f64::min);
    let most = |k: usize| column(k).fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(rows.len(), 8 * 4 * 2);
    assert_noted(&[format!(
        "The lower bound came out between {:.2} and {:+.2}, the mean between {:.2} and {:.2}.",
        least(4),
        most(4),
        least(3),
        most(3)
    )]);
    // One of them is the record, and what the program follows.
    let agrees = |row: &Vec<&str>| {
        let recorded = [6.9421, -0.4247, 14.6871];
        recorded.iter().zip(&row[3..]).all(|(recorded, found)| (recorded - found.parse::<f64>().unwrap()).abs() < 0.002)
    };
    let found: Vec<&Vec<&str>> = rows.iter().filter(|row| agrees(row)).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0][..3], ["textbook", "gini", "default"]);
}

#[test]
fn the_error_of_the_judge_is_that_of_the_floored_prediction() {
    let data = ChaosNliData::load(&repository("data/chaosnli")).unwrap();
    let error = |floor: Option<f64>| {
        let q = data.judge.aggregate(floor).unwrap().q;
        let of = |(q, labels): (ndarray::ArrayView1<f64>, ndarray::ArrayView1<u32>)| {
            let all = f64::from(labels.sum());
            manhattan(row(q), &labels.iter().map(|n| f64::from(*n) / all).collect::<Vec<_>>())
        };
        mean(&q.rows().into_iter().zip(data.labels.rows()).map(of).collect::<Vec<_>>())
    };
    assert_noted(&[
        format!("mean Manhattan error is {:.5}.", error(Some(0.005))),
        format!("gave it has {:.5}", error(None)),
    ]);
}

/// Trust that is held within its limits outside the likelihood, too.
struct Limited;

impl Steps for Limited {
    fn trust(&self, fitted: Vec<f64>) -> Vec<f64> {
        fitted.into_iter().map(|trust| trust.clamp(1e-3, 1e6)).collect()
    }
}

#[test]
fn the_dice_pass_the_limit_of_the_trust_and_tie() {
    let data = DiceData::load(&repository("data/dice")).unwrap();
    let isolation = |steps: &dyn Steps| {
        DiceExperiment::new(&data, steps)
            .unwrap()
            .run(200, &Silent)
            .unwrap()
            .isolation
            .components
            .epistemic_disagreement
            .mean
    };
    assert_noted(&[
        format!("with disagreement is {:.4} and prints 0.08", isolation(&Published)),
        format!("Held at the limit it is {:.3} and prints 0.09", isolation(&Limited)),
    ]);
    let experiment = DiceExperiment::new(&data, &Published).unwrap();
    let (mut beyond, mut tied) = (0, vec![]);
    for r in 0..200 {
        let draw = experiment.draw(r).unwrap();
        let tier = &draw.evaluations[&FeatureSet::Tier];
        let trust = tier.fit.trust(experiment.judged(FeatureSet::Tier).design);
        let labelled = |die: usize| draw.counts.row(die).sum() > 0;
        beyond += usize::from((0..500).any(|die| labelled(die) && trust[die] > 1e6));
        let values: Vec<f64> =
            tier.beliefs.all(Quantity::LabelValue).into_iter().map(|value| tier.beliefs.settle(value)).collect();
        let mut sorted = values.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let border = sorted[Budget::HEADLINE.of(500) - 1];
        tied.push(values.iter().filter(|value| **value == border).count() as f64);
    }
    assert!((90..=110).contains(&beyond), "{beyond} of 200");
    assert_noted(&[format!("on average {:.0} of them tie at the border of the escalated tenth", mean(&tied))]);
}
