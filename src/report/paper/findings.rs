//! What goes beyond the paper, in sentences that can be quoted. All figures come from the results.

use serde::Serialize;

use super::extended::{
    FEWEST, FOUR, ONE, SIGNED_FOUR, SIGNED_ONE, SIGNED_THREE, THREE, TWO, WHOLE, interval, judged, scaled, value,
};
use crate::belief::Recalibration;
use crate::escalation::{Budget, Rule};
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::confirmation::{Confirmation, Outcome, Quantity, Verdict};
use crate::experiments::extended::contest::Contender;
use crate::experiments::extended::stage::BeliefName;
use crate::report::numbers::NumberStyle;
use crate::report::rules::contender_in_text;
use crate::stats::mean;

/// File of the findings within an artifact folder.
pub const FILE: &str = "results/findings.json";

/// How far a finding carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Registered, and its simultaneous interval lies where it was expected.
    Confirmed,
    /// Registered, and not confirmed.
    NotConfirmed,
    /// Registered, and its simultaneous interval lies on the other side.
    Refuted,
    /// Not registered.
    Exploratory,
    /// About worlds whose truth is known.
    Simulated,
}

impl Status {
    /// Name for a reader.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotConfirmed => "not confirmed",
            Self::Refuted => "refuted",
            Self::Exploratory => "exploratory",
            Self::Simulated => "known truth",
        }
    }
}

/// One sentence that can be quoted, with where its figures are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Short name.
    pub id: &'static str,
    /// How far it carries.
    pub status: Status,
    /// The sentence.
    pub sentence: String,
    /// Path of the figures below `results` in `results/extended.json`.
    pub evidence: String,
}

/// The findings, in the order in which a reader meets them.
pub fn findings(results: &ExtendedResults) -> Vec<Finding> {
    let mut all = vec![];
    all.extend(errors(results));
    all.extend(advantages(results));
    all.push(rule_choice(results));
    all.push(trust_features(results));
    all.extend(temperatures(results));
    all.push(parts(results));
    all.push(removed_without_labels(results));
    all.extend(labels_spared(results));
    all.push(planning(results));
    all.extend(power(results));
    all.extend(known_worlds(results));
    all.push(development(results));
    all
}

fn find(confirmation: &Confirmation, quantity: Quantity) -> Option<(usize, &Verdict)> {
    confirmation.verdicts.iter().enumerate().find(|(_, v)| v.quantity == quantity)
}

fn status(verdict: &Verdict) -> Status {
    match verdict.outcome {
        Outcome::Confirmed => Status::Confirmed,
        Outcome::Refuted => Status::Refuted,
        Outcome::Suggested | Outcome::Open | Outcome::Doubted => Status::NotConfirmed,
    }
}

/// What the recalibrated belief does to the error, on the confirmation half and under transfer.
fn errors(results: &ExtendedResults) -> Vec<Finding> {
    let confirmation = &results.confirmation;
    let mut all = vec![];
    let belief = BeliefName::Recalibrated;
    let error_of = |c: &Confirmation, b: BeliefName| THREE.format(c.errors[&b].all.mean);
    if let Some((k, v)) = find(confirmation, Quantity::Error { belief }) {
        all.push(Finding {
            id: "recalibration",
            status: status(v),
            sentence: format!(
                "On {} held-out items, reading the judge's prediction through a fitted temperature and class biases \
                 changes the mean Manhattan error of the belief without a new label, from {} to {}: {}. (95% interval \
                 for new items, simultaneous over {} registered comparisons.)",
                WHOLE.format(confirmation.items as f64),
                error_of(confirmation, BeliefName::Published),
                error_of(confirmation, belief),
                judged(v),
                confirmation.verdicts.len(),
            ),
            evidence: format!("confirmation/verdicts/{k}"),
        });
    }
    if let Some((k, v)) = find(confirmation, Quantity::ErrorUnlabelled { belief }) {
        all.push(Finding {
            id: "recalibration-unlabelled",
            status: status(v),
            sentence: format!("For held-out items that have no label at all the change is {}.", judged(v),),
            evidence: format!("confirmation/verdicts/{k}"),
        });
    }
    for (name, title) in
        [("snli_to_mnli", "learned on SNLI and used on MNLI"), ("mnli_to_snli", "learned on MNLI and used on SNLI")]
    {
        let Some(transfer) = results.transfer.get(name) else { continue };
        if let Some((k, v)) = find(transfer, Quantity::Error { belief }) {
            all.push(Finding {
                id: if name == "snli_to_mnli" { "transfer-to-mnli" } else { "transfer-to-snli" },
                status: status(v),
                sentence: format!(
                    "A recalibration {title} changes the error there from {} (under the paper's belief, fitted to \
                     those items themselves) to {}: {}.",
                    error_of(transfer, BeliefName::Published),
                    error_of(transfer, belief),
                    judged(v),
                ),
                evidence: format!("transfer/{name}/verdicts/{k}"),
            });
        }
    }
    all
}

/// What the registered rules gain over fewest labels.
fn advantages(results: &ExtendedResults) -> Vec<Finding> {
    let registration = &results.registration;
    let confirmation = &results.confirmation;
    let cases = [
        (
            "rule-developed",
            BeliefName::Recalibrated,
            registration.developed.rule,
            "recalibrated belief as developed",
            "",
        ),
        (
            "rule-planned",
            BeliefName::Planned,
            registration.planned.rule,
            "belief of the planning calculation (one recalibration, many trust features)",
            " The planning figures were +3.4, +4.3 and +3.1, over all items and thus twice as many.",
        ),
    ];
    let mut all = vec![];
    for (id, belief, rule, title, planning) in cases {
        let rule = Contender::Rule(rule);
        let at = |budget| find(confirmation, Quantity::Advantage { belief, rule, over: FEWEST, budget });
        let found: Vec<(usize, &Verdict)> = Budget::PAPER[1..].iter().filter_map(|&b| at(b)).collect();
        let by_info = Contender::Rule(Rule::FewestLabelsByInfo);
        let harder = find(confirmation, Quantity::Advantage { belief, rule, over: by_info, budget: Budget::HEADLINE });
        if let ([(k, five), (_, ten), (_, twenty)], Some((_, harder))) = (found.as_slice(), harder) {
            all.push(Finding {
                id,
                status: status(ten),
                sentence: format!(
                    "Under the {title}, ranking by {} instead of fewest labels first removes more units of error on the \
                     held-out items: at 5% {}; at 10% {}; at 20% {}. Against fewest labels with ties broken by I at \
                     10%: {}.{planning}",
                    contender_in_text(rule),
                    judged(five),
                    judged(ten),
                    judged(twenty),
                    judged(harder),
                ),
                evidence: format!("confirmation/verdicts/{k}"),
            });
        }
    }
    all
}

fn rule_choice(results: &ExtendedResults) -> Finding {
    let candidates = results.development.rules.iter().map(|(rule, advantage)| {
        format!("{} {}", contender_in_text(Contender::Rule(*rule)), interval(advantage, SIGNED_ONE))
    });
    Finding {
        id: "rule-choice",
        status: Status::Exploratory,
        sentence: format!(
            "On the {} items of the development half, under the belief developed there, the candidates for the headline \
             remove beyond fewest labels at 10% (with percentiles over re-draws): {}.",
            WHOLE.format(results.development.items as f64),
            candidates.collect::<Vec<_>>().join(", "),
        ),
        evidence: "development/rules".to_owned(),
    }
}

/// How overconfident the judge is, where the recalibration is by source and where there is one.
fn temperatures(results: &ExtendedResults) -> Option<Finding> {
    let tau = |belief: BeliefName| -> Vec<String> {
        results.exploration.beliefs[&belief].tau.iter().map(|tau| interval(tau, TWO)).collect()
    };
    let (by_source, shared) = (tau(BeliefName::Recalibrated), tau(BeliefName::Planned));
    let ([snli, mnli], [all]) = (by_source.as_slice(), shared.as_slice()) else { return None };
    Some(Finding {
        id: "temperature",
        status: Status::Exploratory,
        sentence: format!(
            "The judge is overconfident: the exponent tau that the labels ask for is {snli} on SNLI, {mnli} on MNLI, and \
             {all} with one for all items (planning figure 0.46), where 1 would leave the prediction as it is."
        ),
        evidence: "exploration/beliefs".to_owned(),
    })
}

fn trust_features(results: &ExtendedResults) -> Finding {
    let development = &results.development;
    let chosen: Vec<&str> = development.blocks.iter().filter(|b| b.chosen).map(|b| b.name.as_str()).collect();
    let best = development.blocks.iter().max_by(|a, b| a.alone.nats.total_cmp(&b.alone.nats));
    let verdict = if chosen.is_empty() {
        "no block of trust features raises the cross-validated likelihood by more than its standard error: flat trust \
         is a finding about these items, not an artefact of the features"
            .to_owned()
    } else {
        format!("these trust features raise the cross-validated likelihood: {}", chosen.join(", "))
    };
    let best = best.map_or(String::new(), |b| {
        format!(
            " (best alone: {}, {} nats per labelled item, standard error {})",
            b.name,
            SIGNED_FOUR.format(b.alone.nats),
            FOUR.format(b.alone.se)
        )
    });
    Finding {
        id: "trust-features",
        status: Status::Exploratory,
        sentence: format!(
            "Once the prediction is recalibrated (gain {} nats per labelled item; by source {} more), {verdict}{best}.",
            THREE.format(development.shared_over_off.nats),
            THREE.format(development.by_source_over_shared.nats),
        ),
        evidence: "development".to_owned(),
    }
}

fn parts(results: &ExtendedResults) -> Finding {
    let part = |recalibration: Recalibration, features: bool| {
        results.exploration.parts.iter().find(|p| p.recalibration == recalibration && p.trust_features == features)
    };
    let text = |recalibration, features| {
        part(recalibration, features).map_or(("-".to_owned(), "-".to_owned(), "-".to_owned()), |p| {
            (THREE.format(p.error.mean), TWO.format(p.sd_log_trust.mean), SIGNED_ONE.format(p.spread_minus_fewest.mean))
        })
    };
    let (off, shared, by_group) =
        (text(Recalibration::Off, true), text(Recalibration::Shared, true), text(Recalibration::ByGroup, true));
    Finding {
        id: "where-trust-varies",
        status: Status::Exploratory,
        sentence: format!(
            "With the same trust features, the error is {} without recalibration, {} with one for all items and {} with \
             one per source; the fitted trust varies by sd(log lambda) {}, {} and {}, and v gains {}, {} and {} units \
             over fewest labels at 10%.",
            off.0, shared.0, by_group.0, off.1, shared.1, by_group.1, off.2, shared.2, by_group.2,
        ),
        evidence: "exploration/parts".to_owned(),
    }
}

fn removed_without_labels(results: &ExtendedResults) -> Finding {
    let exploration = &results.exploration;
    let (published, ours) =
        (&exploration.beliefs[&BeliefName::Published], &exploration.beliefs[&BeliefName::Recalibrated]);
    let removed = exploration.items as f64 * (published.error.all.mean - ours.error.all.mean);
    let bought = Budget::HEADLINE.of(exploration.items);
    let best = Contender::all()
        .into_iter()
        .filter(|c| *c != Contender::Oracle)
        .max_by(|a, b| value(published, *a).total_cmp(&value(published, *b)))
        .unwrap_or(FEWEST);
    Finding {
        id: "units-without-labels",
        status: Status::Exploratory,
        sentence: format!(
            "Over all {} items the recalibration removes {} units of error with no new label (mean error {} to {}; items \
             without labels {} to {}), where the best ranking under the paper's belief, {}, removes {} with {} bought \
             labels and the oracle {}.",
            WHOLE.format(exploration.items as f64),
            WHOLE.format(removed),
            THREE.format(published.error.all.mean),
            THREE.format(ours.error.all.mean),
            THREE.format(published.error.unlabelled.mean),
            THREE.format(ours.error.unlabelled.mean),
            contender_in_text(best),
            ONE.format(value(published, best)),
            bought,
            ONE.format(value(published, Contender::Oracle)),
        ),
        evidence: "exploration/beliefs".to_owned(),
    }
}

fn labels_spared(results: &ExtendedResults) -> Vec<Finding> {
    let sequential = &results.sequential;
    let most = sequential.labels_per_item.last().copied().unwrap_or(0.0);
    let mut all = vec![Finding {
        id: "labels-spared",
        status: Status::Exploratory,
        sentence: match sequential.published_labels_for_recalibrated_start {
            Some(labels) => format!(
                "To reach the error that the recalibrated belief has before anything is bought, the paper's belief needs \
                 {} further labels per item, bought where labels are fewest.",
                TWO.format(labels)
            ),
            None => format!(
                "The paper's belief does not reach the error that the recalibrated belief has before anything is bought, \
                 even with {} further labels per item, bought where labels are fewest.",
                ONE.format(most)
            ),
        },
        evidence: "sequential/published_labels_for_recalibrated_start".to_owned(),
    }];
    let rule = Contender::Rule(results.registration.developed.rule);
    let of = |rule| {
        let path = sequential.paths.iter().position(|p| p.belief == BeliefName::Recalibrated && p.rule == rule)?;
        Some((path, sequential.paths[path].labels_for_fewest_at_one?))
    };
    if let Some((k, ours)) = of(rule) {
        let random = of(Contender::Rule(Rule::Random))
            .map_or_else(|| format!("more than {}", WHOLE.format(most)), |(_, labels)| TWO.format(labels));
        all.push(Finding {
            id: "buying-in-rounds",
            status: Status::Exploratory,
            sentence: format!(
                "Bought in rounds under the recalibrated belief, {} labels per item ranked by {} reach what 1 label per \
                 item reaches bought where labels are fewest; random buying needs {}.",
                TWO.format(ours),
                contender_in_text(rule),
                random,
            ),
            evidence: format!("sequential/paths/{k}"),
        });
    }
    all
}

/// The planning figures of the pool-averaged values against those found, all items, published belief.
fn planning(results: &ExtendedResults) -> Finding {
    let published = &results.exploration.beliefs[&BeliefName::Published];
    let planned = &results.exploration.beliefs[&BeliefName::Planned];
    let rule = Contender::Rule;
    let pairs = [
        ("I", rule(Rule::Info), 15.3),
        ("fewest labels", FEWEST, 14.2),
        ("fewest labels, ties by I", rule(Rule::FewestLabelsByInfo), 15.6),
        ("the judge's entropy", rule(Rule::JudgeEntropy), 8.1),
        ("random", rule(Rule::Random), 8.3),
        ("the oracle", Contender::Oracle, 41.8),
    ];
    let texts: Vec<String> = pairs
        .iter()
        .map(|(name, contender, plan)| {
            format!("{name} {} ({})", ONE.format(value(published, *contender)), ONE.format(*plan))
        })
        .collect();
    let spread = rule(Rule::Spread);
    Finding {
        id: "planning-figures",
        status: Status::Exploratory,
        sentence: format!(
            "Values without the label draw at 10% of all items, with the planning figures in brackets: {}; v under the \
             belief of the planning calculation gains {} (+4.3) over fewest labels, with sd(log lambda) {} (0.34). Mean \
             error under the paper's belief {} (0.360), under that of the planning {} (0.325); items without labels {} \
             (0.468) and {} (0.405); that is {} units (109) without a new label.",
            texts.join(", "),
            SIGNED_ONE.format(value(planned, spread) - value(planned, FEWEST)),
            TWO.format(planned.sd_log_trust.mean),
            THREE.format(published.error.all.mean),
            THREE.format(planned.error.all.mean),
            THREE.format(published.error.unlabelled.mean),
            THREE.format(planned.error.unlabelled.mean),
            WHOLE.format(results.exploration.items as f64 * (published.error.all.mean - planned.error.all.mean)),
        ),
        evidence: "exploration/beliefs".to_owned(),
    }
}

fn power(results: &ExtendedResults) -> Option<Finding> {
    let power = &results.exploration.power;
    let texts: Vec<String> = power
        .iter()
        .filter(|p| p.belief == BeliefName::Published)
        .map(|p| {
            let needed = p.items_needed.map_or("no number of".to_owned(), |n| WHOLE.format(n.ceil()));
            format!("{} from {}: {needed}", contender_in_text(p.rule), contender_in_text(p.over))
        })
        .collect();
    (!texts.is_empty()).then(|| Finding {
        id: "power",
        status: Status::Exploratory,
        sentence: format!(
            "Items needed to separate two of the paper's rules in one deployment (10% escalated, 80% power, two-sided 5%; \
             the differences found taken as true): {}. There are {}.",
            texts.join("; "),
            WHOLE.format(results.exploration.items as f64),
        ),
        evidence: "exploration/power".to_owned(),
    })
}

fn known_worlds(results: &ExtendedResults) -> Vec<Finding> {
    let percent = |x: f64| ONE.format(100.0 * x);
    let mut all = vec![];
    if let Some(w) = results.worlds.get("overconfident") {
        let coverages: Vec<f64> = w.recovered.iter().map(|r| r.coverage).collect();
        let truth = |name: &str| w.recovered.iter().find(|r| r.name == name);
        let tau = truth("ln tau").map_or(String::new(), |r| {
            format!(
                "ln tau is {} and comes out with a bias of {}; ",
                THREE.format(r.truth),
                SIGNED_THREE.format(r.bias)
            )
        });
        all.push(Finding {
            id: "recovery",
            status: Status::Simulated,
            sentence: format!(
                "In {} simulated worlds with an overconfident judge, {tau}95% intervals of the five parameters hold the \
                 truth in {}% of cases, 95% credible intervals of class probabilities in {}% (paper's belief: {}%), and \
                 the error falls from {} to {} (true belief: {}).",
                w.replicates,
                WHOLE.format(100.0 * mean(&coverages)),
                percent(w.agreement["recalibrated"].coverage[&95]),
                percent(w.agreement["published"].coverage[&95]),
                FOUR.format(w.agreement["published"].error.mean),
                FOUR.format(w.agreement["recalibrated"].error.mean),
                FOUR.format(w.agreement["true"].error.mean),
            ),
            evidence: "worlds/overconfident".to_owned(),
        });
    }
    if let Some(w) = results.worlds.get("nothing_miscalibrated") {
        all.push(Finding {
            id: "cost",
            status: Status::Simulated,
            sentence: format!(
                "Where nothing is miscalibrated the recalibration costs {} in mean error ({} with the paper's belief) and \
                 {} percentage points of Delta's regret.",
                interval(&w.error_difference, NumberStyle { plus: true, ..NumberStyle::plain(5) }),
                FOUR.format(w.agreement["published"].error.mean),
                interval(&scaled(&w.regret_difference, 100.0), NumberStyle { plus: true, ..TWO }),
            ),
            evidence: "worlds/nothing_miscalibrated".to_owned(),
        });
    }
    for (key, id, title) in [
        ("misspecified_honest", "misspecified-honest", "the paper's misspecified worlds with honest stated confidence"),
        (
            "misspecified_uninformative",
            "misspecified-uninformative",
            "the paper's misspecified worlds with uninformative stated confidence",
        ),
        ("dice", "dice", "the dice, one recalibration for all of them"),
        ("dice_by_tier", "dice-by-tier", "the dice, one recalibration for each tier"),
    ] {
        if let Some(w) = results.worlds.get(key) {
            all.push(Finding {
                id,
                status: if key.starts_with("dice") { Status::Exploratory } else { Status::Simulated },
                sentence: format!(
                    "In {title}, the recalibration changes the error by {} (from {}), Delta's regret by {} percentage \
                     points, and the coverage of 95% credible intervals from {}% to {}%.",
                    interval(&w.error_difference, SIGNED_FOUR),
                    FOUR.format(w.agreement["published"].error.mean),
                    interval(&scaled(&w.regret_difference, 100.0), SIGNED_ONE),
                    percent(w.agreement["published"].coverage[&95]),
                    percent(w.agreement["recalibrated"].coverage[&95]),
                ),
                evidence: format!("worlds/{key}"),
            });
        }
    }
    all
}

fn development(results: &ExtendedResults) -> Finding {
    let agrees =
        if results.development_agrees { "chooses what was registered" } else { "does NOT choose what was registered" };
    Finding {
        id: "registration",
        status: Status::Exploratory,
        sentence: format!(
            "Run again, the development half {agrees} ({}; SHA-256 {}). The ideas themselves came from planning \
             calculations on all items, so the confirmation guards the choices, not the ideas.",
            results.registration.registered, results.registration_sha256,
        ),
        evidence: "registration".to_owned(),
    }
}
