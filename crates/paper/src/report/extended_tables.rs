//! The tables of what goes beyond the paper: finished strings, set by the page and by LaTeX alike.

use crate::rules::{self, CONTENDERS, Contender};
use serde::Serialize;

use super::extended::{
    FOUR, ONE, SIGNED_FOUR, SIGNED_ONE, SIGNED_THREE, THREE, TWO, WHOLE, WORLDS, chance, judged, scaled, sets,
    style_of, value,
};
use super::registered::AsRegistered;
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::chosen::{ChosenComparison, ChosenQuantity};
use crate::experiments::extended::confirmation::{RegisteredComparison, RegisteredQuantity};
use crate::experiments::extended::stage::BeliefName;
use judge_uncertainty_core::belief::Recalibration;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_core::stats::inference::Inference;
use judge_uncertainty_system::numbers::{NumberStyle, with_minus};

/// A table as rows of finished strings.
#[derive(Debug, Serialize)]
pub struct ExtendedTable {
    /// Name: of its file, and its anchor on the page.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// How to read it, in sentences.
    pub note: String,
    /// Headings; the first column names the rows.
    pub columns: Vec<&'static str>,
    /// Cells by row.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "each field is what its name says")]
pub enum Cell {
    /// Words.
    Words { text: String },
    /// A number.
    Number { text: String },
    /// A mean with an interval.
    Interval { mean: String, lo: String, hi: String },
    /// A registered comparison: a mean with its simultaneous interval, and what it makes of the expectation.
    Judged { mean: String, lo: String, hi: String, confirmed: bool, refuted: bool, words: String },
    /// Nothing to tell.
    None,
}

impl ExtendedTable {
    /// Whether a column holds nothing but numbers.
    pub(crate) fn is_numeric(&self, column: usize) -> bool {
        self.rows.iter().all(|row| !matches!(row[column], Cell::Words { .. } | Cell::Judged { .. }))
    }
}

impl Cell {
    fn words(text: impl Into<String>) -> Self {
        Self::Words { text: text.into() }
    }

    fn number(value: f64, style: NumberStyle) -> Self {
        Self::Number { text: style.format(value) }
    }

    fn over_redraws(x: &Summary, style: NumberStyle) -> Self {
        let [mean, lo, hi] = [x.mean, x.lo, x.hi].map(|x| style.format(x));
        Self::Interval { mean, lo, hi }
    }

    fn simultaneous(x: &Inference, style: NumberStyle) -> Self {
        let [mean, lo, hi] = [x.redraws.mean, x.simultaneous_lo, x.simultaneous_hi].map(|x| style.format(x));
        Self::Interval { mean, lo, hi }
    }

    /// The verdict as registered, and in words the one of later as well.
    fn judged(items: &str, verdict: &RegisteredComparison) -> Self {
        let style = style_of(verdict.quantity);
        let words = judged(items, verdict, style);
        let Some(first) = AsRegistered::find(items, verdict.quantity) else { return Self::words(words) };
        let [mean, lo, hi] = first.found;
        let (confirmed, refuted) = (first.verdict == "confirmed", first.verdict == "refuted");
        Self::Judged { mean, lo, hi, confirmed, refuted, words }
    }

    /// The cell as one text.
    pub fn text(&self) -> String {
        match self {
            Self::Words { text } | Self::Number { text } => text.clone(),
            Self::Interval { mean, lo, hi } => format!("{mean} [{lo}, {hi}]"),
            Self::Judged { words, .. } => words.clone(),
            Self::None => "–".to_owned(),
        }
    }
}

/// All tables: what was registered first, then what is exploratory, then the worlds whose truth is known.
pub fn tables(results: &ExtendedResults) -> Vec<ExtendedTable> {
    vec![
        registered(results),
        chosen(results),
        rules(results),
        parts(results),
        features(results),
        recalibrations(results),
        spent(results),
        power(results),
        recovered(results),
        worlds(results),
    ]
}

/// Name of a belief in tables.
fn belief_name(belief: BeliefName) -> &'static str {
    match belief {
        BeliefName::Published => "published",
        BeliefName::Recalibrated => "recalibrated",
        BeliefName::Planned => "as planned",
        BeliefName::Chosen => "chosen by the labels",
    }
}

/// Name of a rule at the head of a row.
fn short_name(contender: Contender) -> &'static str {
    rules::in_text(contender).trim_start_matches("the ")
}

fn registered(results: &ExtendedResults) -> ExtendedTable {
    let sets = sets(results);
    let name = |quantity: RegisteredQuantity| match quantity {
        RegisteredQuantity::Error { belief } => format!("{}: error", belief_name(belief)),
        RegisteredQuantity::ErrorUnlabelled { belief } => {
            format!("{}: error, items without labels", belief_name(belief))
        }
        RegisteredQuantity::Advantage { belief, rule, over, budget } => {
            let over = rules::in_text(over).trim_start_matches("fewest labels, ");
            format!("{}: {} vs {over}, {}%", belief_name(belief), rules::in_text(rule), budget.in_percent())
        }
    };
    let row = |(k, verdict): (usize, &RegisteredComparison)| {
        let cells = sets.iter().map(|(items, set)| Cell::judged(items, &set.verdicts[k]));
        std::iter::once(Cell::words(name(verdict.quantity))).chain(cells).collect()
    };
    ExtendedTable {
        name: "extended-confirmation",
        title: "The registered comparisons",
        note: format!(
            "Errors are differences to the published belief and expected below 0; the others are differences of the \
             error removed at a budget, to fewest labels first without and with ties broken by I, and expected above \
             0. The first interval of each is that of the registered procedure, simultaneous, 95%, over bootstrap \
             samples of items, and decides what is confirmed (in print: bold) and what is refuted (a dagger). The \
             second was chosen when the first verdicts were known (data/registration/STATUS.md): simultaneous, for new \
             items, the fit taken as given; what it makes of a comparison is exploratory. {}",
            chance(results)
        ),
        columns: std::iter::once("comparison").chain(sets.iter().map(|(name, _)| *name)).collect(),
        rows: results.confirmation.verdicts.iter().enumerate().map(row).collect(),
    }
}

fn rules(results: &ExtendedResults) -> ExtendedTable {
    let beliefs = [BeliefName::Published, BeliefName::Recalibrated].map(|b| &results.exploration.beliefs[&b]);
    let mut contenders = CONTENDERS.to_vec();
    contenders.sort_by(|a, b| value(beliefs[1], *b).total_cmp(&value(beliefs[1], *a)));
    let row = |contender: Contender| {
        let cells = beliefs.iter().flat_map(|explored| {
            let minus = explored.minus_fewest.get(&contender).map(|by_budget| &by_budget[&Budget::HEADLINE]);
            let minus = minus.map_or(Cell::None, |x| Cell::simultaneous(x, SIGNED_ONE));
            [Cell::number(value(explored, contender), ONE), minus]
        });
        std::iter::once(Cell::words(short_name(contender))).chain(cells).collect()
    };
    ExtendedTable {
        name: "extended-rules",
        title: "Every rule at 10% of all items",
        note: "Error removed, averaged over each item's unrevealed labels, and the \
                  difference to fewest labels with a 95% interval for new items, simultaneous over three beliefs, all \
                  rules and four budgets. Exploratory."
            .to_owned(),
        columns: vec!["rule", "published", "minus fewest labels", "recalibrated", "minus fewest labels"],
        rows: contenders.into_iter().map(row).collect(),
    }
}

fn parts(results: &ExtendedResults) -> ExtendedTable {
    let row = |part: &crate::experiments::extended::exploration::Ablation| {
        vec![
            Cell::words(match part.recalibration {
                Recalibration::Off => "none",
                Recalibration::Shared => "one",
                Recalibration::ByGroup => "by source",
            }),
            Cell::words(if part.trust_features { "those planned" } else { "none" }),
            Cell::number(part.error.mean, THREE),
            Cell::number(part.sd_log_trust.mean, TWO),
            Cell::over_redraws(&part.spread_minus_fewest, SIGNED_ONE),
        ]
    };
    ExtendedTable {
        name: "extended-parts",
        title: "What recalibration and trust features contribute, all items",
        note: "Mean error before any label is bought, \
                  standard deviation of log trust, and what v removes beyond fewest labels at 10%, with percentiles \
                  over re-draws of the labels. Exploratory."
            .to_owned(),
        columns: vec!["recalibration", "trust features", "error", "sd(log λ)", "v minus fewest labels"],
        rows: results.exploration.parts.iter().map(row).collect(),
    }
}

fn features(results: &ExtendedResults) -> ExtendedTable {
    let gain = |gain: &crate::experiments::extended::development::HeldOutGain| {
        Cell::words(with_minus(&format!("{} ± {}", SIGNED_FOUR.format(gain.nats), FOUR.format(gain.se))))
    };
    let development = &results.development;
    let mut rows = vec![
        vec![
            Cell::words("one recalibration, over none"),
            Cell::None,
            gain(&development.shared_over_off),
            Cell::None,
            Cell::words(if development.shared_over_off.earns() { "yes" } else { "no" }),
        ],
        vec![
            Cell::words("one for each source, over one for all"),
            Cell::None,
            gain(&development.by_source_over_shared),
            Cell::None,
            Cell::words(if development.by_source_over_shared.earns() { "yes" } else { "no" }),
        ],
    ];
    rows.extend(development.blocks.iter().map(|block| {
        vec![
            Cell::words(format!("trust: {}", block.name)),
            Cell::words(format!("{} ({})", ONE.format(block.likelihood_ratio), block.features.len())),
            gain(&block.alone),
            gain(&block.beside_the_others),
            Cell::words(if block.chosen { "yes" } else { "no" }),
        ]
    }));
    ExtendedTable {
        name: "extended-features",
        title: "What earned its place on the development half",
        note: "Likelihood ratio: twice the rise of the log-likelihood, \
                  mean over re-draws, with the number of features in brackets. Gains: cross-validated log-likelihood \
                  per labelled item in nats, with its standard error over items, of a block alone and beside those \
                  chosen. What gains more than its standard error is taken."
            .to_owned(),
        columns: vec!["change", "likelihood ratio", "gain alone", "gain in the last step", "taken"],
        rows,
    }
}

fn recalibrations(results: &ExtendedResults) -> ExtendedTable {
    let beliefs = [BeliefName::Recalibrated, BeliefName::Planned].map(|b| (b, &results.exploration.beliefs[&b]));
    let rows = beliefs.iter().flat_map(|(belief, explored)| {
        let groups: &[&str] = if explored.tau.len() == 2 { &["SNLI", "MNLI"] } else { &["all items"] };
        groups.iter().enumerate().map(move |(g, group)| {
            let mut row = vec![
                Cell::words(format!("{}, {group}", belief_name(*belief))),
                Cell::over_redraws(&explored.tau[g], TWO),
            ];
            row.extend(explored.bias[g][1..].iter().map(|b| Cell::over_redraws(b, NumberStyle { plus: true, ..TWO })));
            row
        })
    });
    ExtendedTable {
        name: "extended-recalibration",
        title: "How the judge's prediction is read, all items",
        note: "Its logarithm times tau (below 1: the judge is \
                  overconfident), plus a bias for each class against entailment (above 0: the judge gives the class \
                  too little). Means with percentiles over re-draws of the labels. Exploratory."
            .to_owned(),
        columns: vec!["belief and items", "tau", "bias of neutral", "bias of contradiction"],
        rows: rows.collect(),
    }
}

fn spent(results: &ExtendedResults) -> ExtendedTable {
    let sequential = &results.sequential;
    let path = |belief: BeliefName, rule: Contender| {
        sequential.paths.iter().find(|path| path.belief == belief && path.rule == rule)
    };
    // The last point at which no more than so many labels per item are bought.
    let bought = |labels: f64| sequential.labels_per_item.iter().rposition(|&x| x <= labels + 1e-9).unwrap_or(0);
    let cells = |belief: BeliefName, rule: Contender| {
        let Some(path) = path(belief, rule) else { return vec![] };
        let errors = [1.0, 2.0, 3.0].map(|labels| Cell::number(path.error[bought(labels)].mean, THREE));
        let needed = path.labels_for_fewest_at_one.map_or(Cell::words("more"), |labels| Cell::number(labels, TWO));
        errors.into_iter().chain([needed]).collect()
    };
    let end = |rule: Contender| {
        let path = path(BeliefName::Recalibrated, rule);
        path.map_or(f64::INFINITY, |path| path.error[bought(1.0)].mean)
    };
    let mut contenders = CONTENDERS.to_vec();
    contenders.sort_by(|a, b| end(*a).total_cmp(&end(*b)));
    let row = |rule: Contender| {
        let both = [BeliefName::Published, BeliefName::Recalibrated].map(|belief| cells(belief, rule));
        std::iter::once(Cell::words(short_name(rule))).chain(both.into_iter().flatten()).collect()
    };
    let starts = [BeliefName::Published, BeliefName::Recalibrated].map(|belief| {
        path(belief, Contender::Rule(Rule::FewestLabels)).map_or_else(String::new, |p| THREE.format(p.error[0].mean))
    });
    ExtendedTable {
        name: "extended-spent",
        title: "Error after labels bought in rounds, all items",
        note: format!(
            "Mean error after 1, 2 and 3 labels per item under the published and the \
             recalibrated belief (before the first label: {} and {}), and the labels per item with which a rule \
             reaches what fewest labels reaches with 1 under the same belief. Means over {} replicates. Exploratory.",
            starts[0], starts[1], sequential.replicates,
        ),
        columns: vec!["rule", "published: 1", "2", "3", "labels for it", "recalibrated: 1", "2", "3", "labels for it"],
        rows: contenders.into_iter().map(row).collect(),
    }
}

fn chosen(results: &ExtendedResults) -> ExtendedTable {
    let chosen = &results.chosen;
    let row = |compared: &ChosenComparison| {
        let (name, style) = match compared.measured {
            ChosenQuantity::Error { than } => (format!("error, minus {}", belief_name(than)), SIGNED_THREE),
            ChosenQuantity::ErrorUnlabelled { than } => {
                (format!("error, items without labels, minus {}", belief_name(than)), SIGNED_THREE)
            }
            ChosenQuantity::Advantage { rule, budget } => {
                (format!("{} vs ties by I, {}%", rules::in_text(rule), budget.in_percent()), SIGNED_ONE)
            }
        };
        vec![
            Cell::words(name),
            Cell::simultaneous(&compared.found, style),
            compared.monte_carlo.map_or(Cell::None, |chance| Cell::number(chance.bound_error, FOUR)),
        ]
    };
    let error = |name: BeliefName| THREE.format(chosen.errors[&name].all.mean);
    let maps: Vec<String> = chosen.maps.iter().map(|(map, times)| format!("{map} {times}")).collect();
    ExtendedTable {
        name: "extended-chosen",
        title: "The belief whose map the labels choose",
        note: format!(
            "On the {} items of the held-out half, before any label is bought, its error is {}, that of the \
             recalibrated belief {} and that of the paper's {}; below, what it changes in these errors, and by how \
             much more error its rules remove than fewest labels with ties broken by I. Maps chosen in {} re-draws of \
             the labels: {}. Simultaneous 95% intervals for new items, fit and choice taken as given, with the \
             Monte-Carlo error of their ends. Exploratory: a larger run is registered.",
            WHOLE.format(chosen.items as f64),
            error(BeliefName::Chosen),
            error(BeliefName::Recalibrated),
            error(BeliefName::Published),
            chosen.redraws,
            maps.join(", ")
        ),
        columns: vec!["quantity", "difference", "Monte-Carlo error"],
        rows: chosen.comparisons.iter().map(row).collect(),
    }
}

fn power(results: &ExtendedResults) -> ExtendedTable {
    let row = |p: &crate::experiments::extended::exploration::Power| {
        vec![
            Cell::words(format!(
                "{}: {} minus {}",
                belief_name(p.belief),
                rules::in_text(p.rule),
                rules::in_text(p.over)
            )),
            Cell::simultaneous(&p.difference, SIGNED_ONE),
            Cell::number(p.difference.deployment_sd, ONE),
            p.items_needed.map_or(Cell::None, |n| Cell::words(WHOLE.format(n.ceil()))),
        ]
    };
    ExtendedTable {
        name: "extended-power",
        title: "How many items would separate two rules at 10%",
        note: format!(
            "The difference over all {} items with its simultaneous 95% \
             interval for new items, its standard deviation from one deployment (new items, one draw of their labels) \
             to the next, and the items that one deployment would need for 80% power at a two-sided level of 5%, if \
             the difference found were the true one. Exploratory.",
            WHOLE.format(results.exploration.items as f64)
        ),
        columns: vec!["belief and rules", "difference", "sd of a deployment", "items needed"],
        rows: results.exploration.power.iter().map(row).collect(),
    }
}

fn recovered(results: &ExtendedResults) -> ExtendedTable {
    let rows = WORLDS.iter().filter_map(|(key, name)| Some((name, results.worlds.get(*key)?)));
    let rows = rows.flat_map(|(name, world)| {
        world.recovered.iter().map(move |r| {
            vec![
                Cell::words(format!("{name}: {}", r.name)),
                Cell::number(r.truth, THREE),
                Cell::number(r.bias, SIGNED_THREE),
                Cell::number(r.sd, THREE),
                Cell::number(r.stated_se, THREE),
                Cell::number(100.0 * r.coverage, ONE),
            ]
        })
    });
    ExtendedTable {
        name: "extended-recovery",
        title: "Recovery of the parameters in worlds drawn from the recalibrated belief",
        note: "Mean \
                  deviation of the estimate from the truth, its standard deviation over worlds, the standard error \
                  that the fit states, and the percentage of worlds whose 95% interval holds the truth."
            .to_owned(),
        columns: vec!["world and parameter", "truth", "deviation", "sd", "stated", "held (%)"],
        rows: rows.collect(),
    }
}

fn worlds(results: &ExtendedResults) -> ExtendedTable {
    let rows = WORLDS.iter().filter_map(|(key, name)| Some((name, results.worlds.get(*key)?)));
    let row = |(name, world): (&&str, &crate::experiments::extended::worlds::KnownWorlds)| {
        vec![
            Cell::words(*name),
            Cell::number(world.agreement["published"].error.mean, THREE),
            Cell::over_redraws(&world.error_difference, SIGNED_THREE),
            Cell::over_redraws(&scaled(&world.regret_difference, 100.0), SIGNED_ONE),
        ]
    };
    ExtendedTable {
        name: "extended-worlds",
        title: "Where the recalibration helps and what it costs, against known truths",
        note: "Mean error of the published \
                  belief, and what the recalibrated one changes in it and in the regret of Delta at 10% (percentage \
                  points; below 0 is better), with percentiles over worlds or re-draws."
            .to_owned(),
        columns: vec!["world", "error, published", "change of the error", "change of the regret"],
        rows: rows.map(row).collect(),
    }
}
