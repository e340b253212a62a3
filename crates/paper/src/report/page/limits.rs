//! Where the method does not win, and what the paper itself says that it cannot show.

use super::shared::{Figures, count, difference, fixed};
use super::story::finding;
use crate::artifact::Results;
use crate::experiments::authors::AuthorsResults;
use crate::experiments::chaosnli::ChaosNliResults;
use crate::rules::PAPER;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_page::{Block, Section, Table, Text};

pub(super) fn section(results: &Results, figures: &mut Figures) -> Section {
    let mut blocks = Vec::new();
    if let Some(chaosnli) = &results.chaosnli {
        fewest_labels(chaosnli, figures, &mut blocks);
        flat_trust(chaosnli, figures, &mut blocks);
    }
    if let Some(authors) = &results.authors {
        overlap(authors, figures, &mut blocks);
    }
    let caveats = caveats(results);
    if !caveats.is_empty() {
        blocks.push(Block::Heading("What the numbers cannot show".to_owned()));
        blocks.push(Block::List(caveats));
    }
    Section { id: "limits".to_owned(), title: "Where the method does not win".to_owned(), blocks }
}

fn includes_zero(summary: &Summary) -> bool {
    summary.lo <= 0.0 && 0.0 <= summary.hi
}

fn fewest_labels(chaosnli: &ChaosNliResults, figures: &mut Figures, blocks: &mut Vec<Block>) {
    let minus_fewest = |rule: Rule, budget: Budget| &chaosnli.full.minus_fewest_labels[&rule][&budget];
    let headline = minus_fewest(Rule::Info, Budget::HEADLINE);
    let verdict = if includes_zero(headline) { "so the two cannot be told apart" } else { "an interval without 0" };
    let text = format!(
        "Escalating the items that hold the fewest labels needs no judge and no fit, and removes {} units of error at \
         a budget of 10%. The epistemic ranking differs from it by {}, {verdict}.",
        fixed(chaosnli.full.value[&Rule::FewestLabels][&Budget::HEADLINE].mean, 1),
        difference(headline, 1),
    );
    blocks.extend(finding("Counting labels does as well", text, None, figures));
    let rows = Budget::PAPER.map(|budget| {
        let [info, delta, spread] =
            [Rule::Info, Rule::Delta, Rule::Spread].map(|rule| difference(minus_fewest(rule, budget), 1));
        [format!("{}%", budget.of(100)), info, delta, spread]
    });
    blocks.push(Block::Table(
        Table::new(
            "fewest-labels",
            "Error removed beyond fewest labels first, by budget",
            "lrrr",
            &["Budget", "Epistemic part I", "Label value Δ", "Posterior spread v"],
            rows,
        )
        .with_note(
            "Differences in Manhattan units, paired within each halving of the annotators, with the range that holds \
             95% of them. Above 0: the rule removes more error than fewest labels first. A range that holds 0 decides \
             nothing.",
        ),
    ));
}

fn flat_trust(chaosnli: &ChaosNliResults, figures: &mut Figures, blocks: &mut Vec<Block>) {
    let text = format!(
        "On ChaosNLI the fit gives nearly every prediction the same trust, about {} labels (standard deviation of log \
         trust {}), so total evidence varies with label counts most of all. Whether fitted trust beats counting needs items that the \
         judge truly knows unequally well.",
        fixed(chaosnli.full.labels_worth, 1),
        fixed(chaosnli.full.sd_log_trust.mean, 2),
    );
    blocks.extend(finding("The fitted trust came out flat", text, Some("coefficients"), figures));
}

/// The paper's reason for the tie, held against the two rankings.
fn overlap(authors: &AuthorsResults, figures: &mut Figures, blocks: &mut Vec<Block>) {
    let found = &authors.overlap;
    let text = format!(
        "The paper explains the tie by a ranking that follows label counts, \"exactly what fewest-labels-first does\". \
         It does not: of the {} items that each rule escalates they share {}, where two random choices would share {}. \
         {}% of the items that I escalates have no label, {}% of those of the other rule, and the rank correlation of I \
         with having few labels is {}. With the same trust for all items they would share {}. So even a nearly flat \
         trust decides most of the ranking by I, in part because the features give items without a label {} times the \
         trust of the others. The two rules remove as much error with largely different sets of items.",
        count(found.escalated),
        fixed(found.shared.mean, 0),
        fixed(found.shared_by_chance, 0),
        fixed(found.unlabelled_percent.mean, 0),
        fixed(found.fewest_unlabelled_percent.mean, 0),
        fixed(found.spearman.mean, 2),
        fixed(found.shared_with_equal_trust.mean, 0),
        fixed(found.trust_ratio.mean, 2),
    );
    blocks.extend(finding("The tie is between two different sets of items", text, Some("overlap"), figures));
}

/// The paper's own limitations, with the numbers that show their size.
fn caveats(results: &Results) -> Vec<Text> {
    let mut caveats = Vec::new();
    let mut say = |text: String| caveats.push(Text::plain(text));
    if results.dice.is_some() {
        say("The whole method is shown on synthetic dice only, where the truth is known. One judge and one design of \
             the prompt stand behind each experiment."
            .to_owned());
    }
    if let Some(chaosnli) = &results.chaosnli {
        let minus_entropy = |rule: Rule| &chaosnli.full.minus_judge_entropy[&rule][&Budget::HEADLINE];
        let by_authors = results.authors.as_ref().map(|authors| &authors.counts_only_delta_minus_full_judge_entropy);
        let counts_only = by_authors.unwrap_or(&chaosnli.counts_only_delta_minus_full_judge_entropy);
        say(format!(
            "The comparison that was planned as the headline, ranking by Δ against entropy, {}: {}. Trust fitted on \
             label counts alone gives {}. The other comparisons are exploratory, and {} rules are compared.",
            if includes_zero(minus_entropy(Rule::Delta)) { "is inconclusive" } else { "has an interval without 0" },
            difference(minus_entropy(Rule::Delta), 1),
            difference(&counts_only[&Budget::HEADLINE], 1),
            count(PAPER.len()),
        ));
        say("Intervals come from drawing labels again for the same items. They say nothing about new \
             items."
            .to_owned());
    }
    if let Some(dice) = &results.dice {
        say(format!(
            "The dice cannot show a gain from escalation: this judge predicts the uniform distribution just where it \
             knows nothing, so entropy already ranks by ignorance. Its regret exceeds that of ranking by Δ by {} \
             points, and draws differ far more than that.",
            difference(&dice.judge_entropy_minus_delta_by_numpys_sort_pp[&Budget::HEADLINE], 0),
        ));
    }
    if let Some(simulations) = &results.simulations {
        let worthless = simulations.informativeness.get("width_full").and_then(|points| points.first());
        let left = worthless.map(|point| {
            format!(
                " A signal of familiarity that is merely worthless leaves the ranking by label counts, {} points \
                 better than entropy.",
                fixed(point.point.advantage_pp.mean, 0)
            )
        });
        say(format!(
            "Effects in simulations depend on how their worlds are made and do not predict effects elsewhere.{}",
            left.unwrap_or_default()
        ));
    }
    if !caveats.is_empty() {
        caveats.push(Text::plain(
            "There is no defence against a judge that deceives, that is, one that plays with the signals behind its \
             trust.",
        ));
    }
    caveats
}
