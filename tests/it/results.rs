//! The committed results against an independent Python calculation of the same summaries.
//!
//! The checks on a clean clone regenerate the results and compare them with the committed ones, so these golden values
//! bind the program as well.

use judge_uncertainty::escalation::Budget;
use judge_uncertainty::stats::Summary;
use serde_json::Value;

use crate::support::{assert_close, committed, golden, number, numbers};

/// Follows a path of keys and positions separated by `/`.
fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('/').fold(value, |value, key| match value {
        Value::Array(list) => &list[key.parse::<usize>().unwrap()],
        _ => value.get(key).unwrap_or_else(|| panic!("no `{key}` of `{path}`")),
    })
}

/// Regrets of one cell: golden as shares, ours in percentage points.
fn assert_regrets(what: &str, ours: &Value, golden: &Value, tolerance_pp: f64) {
    let rules = golden["regret_b10"].as_object().unwrap();
    assert!(rules.len() >= 6);
    for (rule, share) in rules.iter().filter(|(rule, _)| *rule != "oracle") {
        let got = number(at(ours, &format!("regret_pp/{rule}/mean")));
        assert_close(&format!("{what}: {rule}"), &[got], &[100.0 * number(share)], tolerance_pp);
    }
}

/// Tolerances in percentage points: the oracle's cells involve no fit. The reference fitted the others with numeric
/// gradients, which moves a regret by up to about a hundredth of a point.
const ORACLE: f64 = 1e-8;
const ESTIMATED: f64 = 0.05;

#[test]
fn simulations() {
    let results = serde_json::to_value(committed().0.simulations.unwrap()).unwrap();
    let golden = golden("computed.json");
    let golden = golden["simulations"].as_object().unwrap();
    let index = |text: &str| (text.parse::<f64>().unwrap() * 10.0).round() as usize;
    let mut cells = 0;
    for (key, want) in golden {
        let parts: Vec<&str> = key.split('/').collect();
        let (path, tolerance) = match parts.as_slice() {
            ["s1", width] => (format!("trust_spread/{}", index(width)), ORACLE),
            ["s2", rho, width] => {
                let rho = match *rho {
                    "-0.8" => "rho_minus_0_8",
                    "-0.4" => "rho_minus_0_4",
                    "0.0" => "rho_0",
                    "0.4" => "rho_0_4",
                    "0.8" => "rho_0_8",
                    other => panic!("unknown correlation {other}"),
                };
                (format!("correlation/{rho}/{}", index(width)), ORACLE)
            }
            ["s3", r, width] => {
                let width = match *width {
                    "0.25" => "width_quarter",
                    "0.5" => "width_half",
                    "1.0" => "width_full",
                    other => panic!("unknown width {other}"),
                };
                (format!("informativeness/{width}/{}", index(r)), ESTIMATED)
            }
            ["s5", width] => (format!("tracking/points/{}", index(width)), ESTIMATED),
            ["s6", ratio, condition] => {
                let place = ["4.0", "16.0", "64.0", "256.0", "1024.0"].iter().position(|r| r == ratio).unwrap();
                let tolerance = if *condition == "oracle" { ORACLE } else { ESTIMATED };
                (format!("dose_response/{place}/{condition}"), tolerance)
            }
            ["s7", variant, seeds, gamma] => {
                let variant = match (*variant, *seeds) {
                    ("None", "100") => "plain",
                    ("0.5", "50") => "familiarity",
                    // The familiarity variant with more seeds than the paper's.
                    ("0.5", "100") => continue,
                    other => panic!("unknown variant {other:?}"),
                };
                let gamma = gamma.trim_end_matches(".0").replace('.', "_");
                (format!("misspecified/{variant}/gamma_{gamma}"), ESTIMATED)
            }
            _ => continue,
        };
        assert_regrets(key, at(&results, &path), want, tolerance);
        cells += 1;
    }
    assert_eq!(cells, 11 + 55 + 33 + 11 + 10 + 12);
    for condition in ["oracle", "estimated"] {
        let want = &golden[&format!("s4/{condition}")];
        let got = at(&results, &format!("criterion/{condition}"));
        let bounds = numbers(&want["ci"]);
        let want = [number(&want["adv"]), bounds[0], bounds[1]].map(|share| 100.0 * share);
        let got = ["advantage_pp", "ci_lo_pp", "ci_hi_pp"].map(|key| number(&got[key]));
        assert_close(condition, &got, &want, if condition == "oracle" { ORACLE } else { ESTIMATED });
    }
    for (name, want) in golden["isolation_seeds42_61"].as_object().unwrap() {
        for bound in ["mean", "lo", "hi"] {
            let got = number(at(&results, &format!("isolation/{name}/{bound}")));
            // The reference rounded each world's correlation to four digits, after a fit with numeric gradients.
            assert_close(name, &[got], &[number(&want[bound])], 5e-4);
        }
    }
}

#[test]
fn convergence_of_the_dice() {
    let results = serde_json::to_value(committed().0.dice.unwrap()).unwrap();
    let golden = golden("computed.json");
    let lines = [
        ("total", "tot"),
        ("aleatoric", "alea"),
        ("epistemic", "info"),
        ("spread", "v"),
        ("error", "err"),
        ("add_one_error", "cnt"),
    ];
    for (ours, theirs) in lines {
        for bound in ["mean", "lo", "hi"] {
            let want = numbers(at(&golden, &format!("dice/convergence/{theirs}/{bound}")));
            let got: Vec<f64> =
                (0..=10).map(|n| number(at(&results, &format!("convergence/{ours}/{n}/{bound}")))).collect();
            // The reference's search stops short of the optimum in some draws.
            assert_close(&format!("{ours} {bound}"), &got, &want, 5e-3);
        }
    }
}

#[test]
fn chaosnli() {
    let results = serde_json::to_value(committed().0.chaosnli.unwrap()).unwrap();
    let golden = golden("computed.json");
    let golden = &golden["chaosnli"]["all200"];
    for table in ["value", "minus_judge_entropy"] {
        for (rule, by_budget) in golden[table].as_object().unwrap() {
            // Ties that the reference's unstable sort left to the processor swap label draws: in the closed-form
            // scores, and where the jitter of low confidence collides.
            let (mean, bound) = match rule.as_str() {
                "info" | "delta" | "v" | "posterior_entropy" => (0.15, 1.5),
                "low_confidence" => (0.02, 0.3),
                _ => (1e-4, 1e-3),
            };
            for (budget, want) in by_budget.as_object().unwrap() {
                let got = at(&results, &format!("full/{table}/{rule}/{budget}"));
                for (key, tolerance) in [("mean", mean), ("se", 0.02), ("lo", bound), ("hi", bound)] {
                    let what = format!("{table} {rule} {budget} {key}");
                    assert_close(&what, &[number(&got[key])], &[number(&want[key])], tolerance);
                }
            }
        }
    }
    let betas: Vec<f64> = (0..6).map(|k| number(at(&results, &format!("full/coefficients/{k}/1/mean")))).collect();
    assert_close("mean beta", &betas, &numbers(&golden["mean_beta"]), 1e-4);
    let sd = number(at(&results, "full/sd_log_trust/mean"));
    assert_close("sd of log trust", &[sd], &[number(&golden["sd_log_lambda"]["mean"])], 1e-5);
}

/// Many dice tie under Delta. `tests/golden/dice_ties/make.py` computed the difference of the judge's entropy and Delta
/// independently, under several orders of ties.
#[test]
fn ties_of_the_dice_equal_an_independent_calculation() {
    let golden: Value = serde_json::from_str(include_str!("../golden/dice_ties/expected.json")).unwrap();
    let of = |instructions: &str, order: &str| numbers(&golden["orders"][instructions][order]);
    let dice = committed().0.dice.unwrap();
    let is_near = |ours: &Summary, theirs: Vec<f64>, tolerance: f64| {
        assert!((ours.mean - theirs[0]).abs() < tolerance, "{ours:?} {theirs:?}");
        for (ours, theirs) in [ours.lo, ours.hi].into_iter().zip(&theirs[1..]) {
            assert!((ours - theirs).abs() < 1e-3, "{ours} {theirs}");
        }
    };
    for instructions in ["avx512", "avx2", "none"] {
        is_near(&dice.judge_entropy_minus_delta_pp, of(instructions, "stable"), 1e-3);
    }
    // Scores that are not rounded are equal or not by their last bits, which depend on how a formula is written; that
    // moves a few draws, and no bound.
    is_near(&dice.judge_entropy_minus_delta_by_numpys_sort_pp[&Budget::HEADLINE], of("avx512", "default"), 0.1);
    // What the paper prints is what NumPy's default sort leaves with these instructions, both ways round, and no other.
    let prints =
        |instructions: &str, order: &str| -> Vec<f64> { of(instructions, order).into_iter().map(f64::round).collect() };
    for order in ["default", "reversed"] {
        assert_eq!(prints("avx512", order), [6.0, -25.0, 28.0], "{order}");
        assert_ne!(prints("avx2", order), [6.0, -25.0, 28.0], "{order}");
        assert_ne!(prints("none", order), [6.0, -25.0, 28.0], "{order}");
    }
}
