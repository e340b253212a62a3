//! Small results with invented numbers, for what is drawn from results: every part present, little in each.

use judge_uncertainty::artifact::Results;
use serde_json::{Map, Value, json};

const BUDGETS: [&str; 4] = ["b1", "b5", "b10", "b20"];

/// A mean with an interval of one to each side.
fn around(mean: f64) -> Value {
    json!({ "mean": mean, "se": 0.1, "lo": mean - 1.0, "hi": mean + 1.0 })
}

fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(k, v)| (k.into(), v)).collect::<Map<_, _>>())
}

fn by_rule(value: impl Fn(f64) -> Value) -> Value {
    map(judge_uncertainty_paper::rules::PAPER.into_iter().enumerate().map(|(k, rule)| (rule.key(), value(k as f64))))
}

fn by_rule_and_budget(scale: f64) -> Value {
    by_rule(|k| {
        map(BUDGETS.into_iter().enumerate().map(|(b, budget)| (budget, around(scale * (8.0 - k) * (b + 1) as f64))))
    })
}

fn coefficients(names: &[&str]) -> Value {
    names.iter().enumerate().map(|(k, name)| json!([name, around(0.5 * k as f64 - 0.8)])).collect()
}

fn isolation() -> Value {
    let names =
        ["aleatoric_disagreement", "aleatoric_error", "epistemic_disagreement", "epistemic_error", "truth_truth"];
    map(names.map(|name| (name, around(0.5))))
}

fn calibration() -> Value {
    let group = |confidence: f64, error: f64| {
        json!({
            "items": 10, "lowest": confidence - 2.0, "highest": confidence + 2.0, "confidence": confidence,
            "error": { "mean": error, "se": 0.02, "lo": 0.1, "hi": 0.9 },
        })
    };
    json!([group(10.0, 0.5), group(50.0, 0.25), group(90.0, 0.4)])
}

fn dice() -> Value {
    let line = |from: f64, step: f64| -> Value { (0..=10).map(|n| around(from - step * f64::from(n))).collect() };
    let lines = json!({
        "total": line(8.0, 0.3), "aleatoric": line(5.0, 0.0), "epistemic": line(3.0, 0.3), "spread": line(2.0, 0.1),
        "error": line(2.0, 0.1), "add_one_error": line(2.0, 0.1),
    });
    let ranges = map(["total", "aleatoric", "epistemic", "spread", "error", "add_one_error"]
        .map(|name| (name, json!({ "min": 0.0, "max": 1.0 }))));
    let mut components = isolation();
    components["judge_entropy_disagreement"] = around(0.1);
    components["judge_entropy_error"] = around(0.6);
    components["total_disagreement"] = around(0.3);
    components["total_error"] = around(0.4);
    components["judge_entropy_epistemic"] = around(0.6);
    components["total_epistemic"] = around(0.5);
    let tier = json!({ "judge_error": 0.5, "stated_confidence": 50.0, "variant_spread": 0.001, "with_confidence": 5 });
    json!({
        "items": 20, "items_per_tier": 5, "draws": 3, "mean_true_disagreement": 5.2,
        "tiers": map(["none", "weak", "directional", "strong"].map(|name| (name, tier.clone()))),
        "spearman_confidence_error": 0.2, "calibration": calibration(), "isolation": components,
        "regret_pp": { "base": by_rule_and_budget(1.0), "tier": by_rule_and_budget(1.0) },
        "low_confidence_minus_random_pp": around(1.0), "judge_entropy_minus_delta_pp": around(2.0),
        "judge_entropy_minus_delta_by_numpys_sort_pp": {"b5": around(2.0), "b10": around(2.0), "b20": around(2.0)},
        "convergence": lines, "convergence_range": ranges,
        "self_update": {
            "items": 15, "judge_error": 0.2, "conjugate_base_error": 0.3, "conjugate_tier_error": 0.2,
            "judge_minus_conjugate_tier_error": 0.0,
        },
        "coefficients": {
            "base": coefficients(&["intercept", "spread"]),
            "tier": coefficients(&["intercept", "weak", "strong", "spread", "confidence"]),
        },
        "unconverged_fits": 0,
    })
}

fn chaosnli() -> Value {
    let escalation = json!({
        "value": by_rule_and_budget(0.5), "minus_judge_entropy": by_rule_and_budget(0.2),
        "minus_fewest_labels": by_rule_and_budget(0.1), "selective_error": by_rule_and_budget(0.01),
        "selective_squared_error": by_rule_and_budget(0.01), "sd_log_trust": around(0.2), "mean_error": around(0.4),
        "coefficients": coefficients(&["intercept", "spread", "log_labels", "own feature"]), "labels_worth": 5.0,
        "unconverged_fits": 0, "most_iterations": 6,
    });
    let item = |k: i32| f64::from(k * 7 % 20);
    json!({
        "items": 200, "replicates": 3, "escalated_items_b10": 20,
        "judge": {
            "mean_error": 0.4, "mean_confidence": 90.0, "noise_ceiling": 0.2, "error_over_ceiling": 2.0,
            "spearman_confidence_error": -0.1, "spearman_entropy_error": 0.1, "spearman_spread_error": 0.1,
            "calibration": calibration(),
        },
        "full": escalation, "counts_only": escalation,
        "components": {
            "aleatoric": (0..20).map(|k| 0.05 * item(k)).collect::<Vec<_>>(),
            "epistemic": (0..20).map(|k| 0.01 * item(k + 3)).collect::<Vec<_>>(),
            "budget": "b10",
            "escalated": { "info": [2, 8], "judge_entropy": [8, 17] },
        },
        "counts_only_delta_minus_full_judge_entropy": map(BUDGETS.map(|budget| (budget, around(1.0)))),
        "derived": {
            "info_over_entropy_ratio": 2.0, "info_over_entropy_percent": 100.0,
            "info_over_posterior_entropy_percent": 110.0, "info_advantage_rise_b20": 1.0, "count_aware_min": 1.0,
            "count_aware_max": 2.0, "count_blind_min": 0.5, "count_blind_max": 0.9,
        },
    })
}

fn authors() -> Value {
    let chaosnli = chaosnli();
    let mut authors = json!({
        "overlap": {
            "escalated": 20, "shared": around(5.0), "shared_by_chance": 2.0, "unlabelled_percent": around(30.0),
            "fewest_unlabelled_percent": around(100.0), "spearman": around(0.5), "shared_with_equal_trust": around(9.0),
            "unlabelled_with_equal_trust_percent": around(60.0), "trust_ratio": around(1.25),
        },
    });
    for part in ["items", "replicates", "full", "counts_only", "counts_only_delta_minus_full_judge_entropy", "derived"]
    {
        authors[part] = chaosnli[part].clone();
    }
    authors
}

fn simulations() -> Value {
    let cell = |size: f64| {
        json!({
            "regret_pp": by_rule(|k| around(size * k)), "log_loss_regret_pp": by_rule(around),
            "advantage_pp": around(4.0 * size),
        })
    };
    let sweep = |slope: f64| -> Value {
        [0.0, 0.5, 1.0]
            .map(|width| {
                let mut point = cell(3.0 + slope * width);
                point["width"] = json!(width);
                point
            })
            .into()
    };
    let point = |advantage: f64| {
        json!({
            "regret_pp": by_rule(around), "advantage_pp": around(advantage), "confidence_coefficient": around(0.1),
            "stated_confidence_coefficient": around(-0.1),
        })
    };
    let corrupted = |rest: f64| {
        json!({
            "gamma_0": point(50.0), "gamma_0_5": point(48.0), "gamma_1": point(rest), "gamma_1_5": point(45.0),
        })
    };
    let criterion = json!({ "advantage_pp": 80.0, "ci_lo_pp": 79.0, "ci_hi_pp": 81.0 });
    json!({
        "trust_spread": sweep(8.0),
        "correlation": { "rho_minus_0_4": sweep(12.0), "rho_0": sweep(8.0), "rho_0_4": sweep(2.0) },
        "informativeness": {},
        "criterion": { "oracle": criterion, "estimated": criterion },
        "tracking": { "spearman": 1.0, "points": sweep(8.0) },
        "dose_response": [
            { "trust_ratio": 4, "oracle": cell(10.0), "estimated": cell(9.0) },
            { "trust_ratio": 16, "oracle": cell(12.0), "estimated": cell(11.5) },
        ],
        "null": { "posterior_entropy_advantage_pp": around(0.0), "judge_entropy_advantage_pp": around(3.0) },
        "isolation": isolation(),
        "inversion": { "judge_entropy": around(0.1), "posterior_entropy": around(0.2) },
        "misspecified": { "plain": corrupted(4.0), "familiarity": corrupted(24.0) },
        "derived": {
            "entropy_forfeits_fraction": 0.3, "spread_minus_delta_min_pp": 1.0, "spread_minus_delta_max_pp": 2.0,
            "spread_captures_percent": 98.0, "delta_regret_max_pp": 0.0, "informativeness_smallest_rise_pp": 0.1,
            "dose_response_oracle_minus_estimated_max_pp": 0.2, "spread_minus_delta_pp": {},
            "estimated_delta_regret_max_pp": 0.1, "familiarity_recovers_percent": 45.0,
            "familiarity_smallest_gain_elsewhere_pp": 0.5,
        },
    })
}

/// Results of the paper's three experiments.
pub(crate) fn results() -> Results {
    Results {
        simulations: Some(serde_json::from_value(simulations()).unwrap()),
        dice: Some(serde_json::from_value(dice()).unwrap()),
        chaosnli: Some(serde_json::from_value(chaosnli()).unwrap()),
        authors: Some(serde_json::from_value(authors()).unwrap()),
    }
}
