//! Second reader: what do the numbers show? One finding after the other, each with its figure.

use super::shared::{Figures, count, difference, fixed, signed, with_interval};
use crate::artifact::Results;
use crate::experiments::chaosnli::ChaosNliResults;
use crate::experiments::dice::{DiceResults, Tier};
use crate::experiments::isolation::Isolation;
use crate::experiments::simulations::results::{CalibratedPoint, SimulationResults};
use crate::rules::{self, PAPER};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_page::{Block, Section, Table, Text};

pub(super) fn section(results: &Results, figures: &mut Figures) -> Section {
    let mut blocks = Vec::new();
    if let Some(dice) = &results.dice {
        isolation(dice, results.simulations.as_ref(), &mut blocks);
        convergence(dice, figures, &mut blocks);
        confidence(dice, results.chaosnli.as_ref(), figures, &mut blocks);
    }
    if let Some(simulations) = &results.simulations {
        trust_spread(simulations, figures, &mut blocks);
        correlation(simulations, figures, &mut blocks);
        misspecified(simulations, figures, &mut blocks);
    }
    if let Some(chaosnli) = &results.chaosnli {
        escalation(chaosnli, figures, &mut blocks);
    }
    Section { id: "story".to_owned(), title: "The story in figures".to_owned(), blocks }
}

/// A finding: heading, two sentences, figure.
pub(super) fn finding(heading: &str, sentences: String, figure: Option<&str>, figures: &mut Figures) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(heading.to_owned()), Block::Prose(Text::plain(sentences))];
    blocks.extend(figure.and_then(|name| figures.remove(name)).map(Block::Figure));
    blocks
}

fn isolation(dice: &DiceResults, simulations: Option<&SimulationResults>, blocks: &mut Vec<Block>) {
    let judge = &dice.isolation.components;
    blocks.push(Block::Heading("Each part of the uncertainty follows its own truth".to_owned()));
    blocks.push(Block::Prose(Text::plain(format!(
        "On {} dice whose biases are known, the aleatoric estimate ranks the dice by their true disagreement ({}) and \
         not by the error of the belief ({}). The epistemic estimate does the reverse ({} with disagreement, {} with \
         error), although the two truths are themselves correlated at {}.",
        count(dice.items),
        fixed(judge.aleatoric_disagreement.mean, 2),
        fixed(judge.aleatoric_error.mean, 2),
        fixed(judge.epistemic_disagreement.mean, 2),
        fixed(judge.epistemic_error.mean, 2),
        fixed(judge.truth_truth.mean, 2),
    ))));
    let row = |world: &str, isolation: &Isolation| {
        let correlations = [
            &isolation.aleatoric_disagreement,
            &isolation.aleatoric_error,
            &isolation.epistemic_disagreement,
            &isolation.epistemic_error,
            &isolation.truth_truth,
        ];
        let cells = correlations.map(|summary| with_interval(summary, 2));
        std::iter::once(world.to_owned()).chain(cells).collect()
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    rows.extend(simulations.map(|simulations| row("Calibrated simulation", &simulations.isolation)));
    rows.push(row("Real judge on dice", judge));
    blocks.push(Block::Table(
        Table::new(
            "isolation",
            "Rank correlation of each estimate with each truth (the paper's Tables 1 and 4)",
            "lrrrrr",
            &[
                "World",
                "Aleatoric with disagreement",
                "Aleatoric with error",
                "Epistemic with disagreement",
                "Epistemic with error",
                "Disagreement with error",
            ],
            rows,
        )
        .with_note(
            "Spearman rank correlations: 1 means the same order of items, 0 no relation, -1 the reverse order. \
             Isolation needs the first and the fourth column high and the two between them near 0. In brackets: the \
             range that holds 95% of the re-draws of the labels (dice) or of the simulated worlds; it says nothing \
             about other items.",
        ),
    ));
}

fn convergence(dice: &DiceResults, figures: &mut Figures, blocks: &mut Vec<Block>) {
    let range = &dice.convergence_range;
    let text = format!(
        "As each die reveals 0 to 10 rolls, the epistemic part falls from {} to {} nats. The aleatoric part stays \
         between {} and {}, a little below the true disagreement of {}, so that labels take ignorance away and leave \
         disagreement.",
        fixed(range.epistemic.max, 3),
        fixed(range.epistemic.min, 3),
        fixed(range.aleatoric.min, 2),
        fixed(range.aleatoric.max, 2),
        fixed(dice.mean_true_disagreement, 3),
    );
    blocks.extend(finding("Labels drain ignorance, not disagreement", text, Some("convergence"), figures));
}

fn confidence(dice: &DiceResults, chaosnli: Option<&ChaosNliResults>, figures: &mut Figures, blocks: &mut Vec<Block>) {
    let tier = |tier: Tier| &dice.tiers[&tier];
    let mut text = format!(
        "The judge states a confidence of {} of 100 for dice about which it is told nothing, and {} once it hears that \
         the die is weighted; over all dice, higher confidence goes with higher error (rank correlation {}).",
        fixed(tier(Tier::None).stated_confidence, 1),
        fixed(tier(Tier::Weak).stated_confidence, 1),
        signed(dice.spearman_confidence_error, 2),
    );
    if let Some(chaosnli) = chaosnli {
        let judge = &chaosnli.judge;
        text.push_str(&format!(
            " On ChaosNLI it states {} on average while its predictions miss by {}, {} times what two halves of the \
             annotators differ by, and neither its confidence ({}) nor the entropy of its prediction ({}) tells where.",
            fixed(judge.mean_confidence, 1),
            fixed(judge.mean_error, 3),
            fixed(judge.error_over_ceiling, 1),
            signed(judge.spearman_confidence_error, 2),
            signed(judge.spearman_entropy_error, 2),
        ));
    }
    blocks.extend(finding("Stated confidence is no guide to error", text, Some("calibration"), figures));
    let tiers = [
        (Tier::None, "none: told nothing"),
        (Tier::Weak, "weak: told that the die is weighted"),
        (Tier::Directional, "directional"),
        (Tier::Strong, "strong: near complete information"),
    ];
    let rows = tiers.map(|(key, name)| {
        let row = tier(key);
        [
            name.to_owned(),
            fixed(row.judge_error, 3),
            fixed(row.stated_confidence, 1),
            fixed(row.variant_spread, 4),
            count(row.with_confidence),
        ]
    });
    blocks.push(Block::Table(
        Table::new(
            "tiers",
            "The judge by what it was told about a die (the paper's Tables 3 and 5)",
            "lrrrr",
            &["Description", "Judge error", "Stated confidence", "Spread over prompts", "Dice with a confidence"],
            rows,
        )
        .with_note(format!(
            "{} dice in each row. Error: Manhattan distance of the predicted to the true distribution over faces, from \
             0 (exact) to 2 (no face in common). Confidence: as stated, 0 to 100. Spread: standard deviation of the \
             predicted probabilities over three wordings of the prompt. A judge that knew its errors would show the \
             highest confidence in the row with the lowest error.",
            count(dice.items_per_tier)
        )),
    ));
}

fn trust_spread(simulations: &SimulationResults, figures: &mut Figures, blocks: &mut Vec<Block>) {
    let (Some(first), Some(last)) = (simulations.trust_spread.first(), simulations.trust_spread.last()) else {
        return;
    };
    let dose = &simulations.dose_response;
    let (Some(narrow), Some(wide)) =
        (dose.iter().min_by_key(|p| p.trust_ratio), dose.iter().max_by_key(|p| p.trust_ratio))
    else {
        return;
    };
    let regret = |point: &CalibratedPoint, rule: Rule| fixed(point.regret_pp[&rule].mean, 0);
    let text = format!(
        "Where trust is equal and only label counts differ, ranking by entropy forgoes {} of 100 points of what the \
         same labels could have removed; where trust varies most it forgoes {}, hardly less than random escalation \
         ({}), while ranking by the value of a label never forgoes more than {}. The world need not be extreme: from a \
         {}-fold range of trust down to a {}-fold one, the advantage over entropy only falls from {} to {} points.",
        regret(&first.point, Rule::JudgeEntropy),
        regret(&last.point, Rule::JudgeEntropy),
        regret(&last.point, Rule::Random),
        fixed(simulations.derived.delta_regret_max_pp, 1),
        wide.trust_ratio,
        narrow.trust_ratio,
        fixed(wide.oracle.advantage_pp.mean, 0),
        fixed(narrow.oracle.advantage_pp.mean, 0),
    );
    let heading = "The more trust varies, the more ranking by entropy costs";
    blocks.extend(finding(heading, text, Some("trust-spread"), figures));
}

fn correlation(simulations: &SimulationResults, figures: &mut Figures, blocks: &mut Vec<Block>) {
    let widest = simulations.correlation.iter().filter_map(|(key, points)| Some((key, points.last()?)));
    let by_advantage = |a: &(&String, f64), b: &(&String, f64)| a.1.total_cmp(&b.1);
    let advantages: Vec<_> = widest.map(|(key, sweep)| (key, sweep.point.advantage_pp.mean)).collect();
    let (Some(least), Some(most)) =
        (advantages.iter().copied().min_by(by_advantage), advantages.iter().copied().max_by(by_advantage))
    else {
        return;
    };
    let text = format!(
        "The hardest case for the method is a world in which contentious items are also the unfamiliar ones, because \
         entropy then points at ignorance by accident. At the widest spread of trust its advantage there is still {} \
         points, against {} at the most favourable correlation.",
        fixed(least.1, 0),
        fixed(most.1, 0),
    );
    blocks.extend(finding("An unfavourable correlation shrinks the gain and leaves it", text, Some("phase"), figures));
}

fn misspecified(simulations: &SimulationResults, figures: &mut Figures, blocks: &mut Vec<Block>) {
    let advantage = |set: &str, gamma: &str| simulations.misspecified.get(set)?.get(gamma).map(|p| p.advantage_pp.mean);
    let (Some(honest), Some(inverted), Some(dead), Some(rescued)) = (
        advantage("plain", "gamma_0"),
        advantage("plain", "gamma_1_5"),
        advantage("plain", "gamma_1"),
        advantage("familiarity", "gamma_1"),
    ) else {
        return;
    };
    let text = format!(
        "In worlds that break the model's assumptions the method keeps {} points of advantage when confidence is \
         honest and {} when it is inverted, because the fit learns the sign. When confidence says nothing at all while \
         the quality of predictions varies, {} points are left; a middling signal of familiarity that does not come \
         from the judge raises that to {}.",
        fixed(honest, 0),
        fixed(inverted, 0),
        fixed(dead, 1),
        fixed(rescued, 1),
    );
    blocks.extend(finding("One kind of broken confidence defeats it", text, Some("corruption"), figures));
}

fn escalation(chaosnli: &ChaosNliResults, figures: &mut Figures, blocks: &mut Vec<Block>) {
    let value = |rule: Rule| &chaosnli.full.value[&rule][&Budget::HEADLINE];
    let derived = &chaosnli.derived;
    let text = format!(
        "One label for each of the {} items with the largest epistemic part removes {} units of error, for the {} with \
         the largest entropy {}: {}% more for the same labels. The rules fall into two groups, those that see how many \
         labels an item holds ({} to {}) and those that don't ({} to {}).",
        count(chaosnli.escalated_items_b10),
        fixed(value(Rule::Info).mean, 1),
        count(chaosnli.escalated_items_b10),
        fixed(value(Rule::JudgeEntropy).mean, 1),
        fixed(derived.info_over_entropy_percent, 0),
        fixed(derived.count_aware_min, 1),
        fixed(derived.count_aware_max, 1),
        fixed(derived.count_blind_min, 1),
        fixed(derived.count_blind_max, 1),
    );
    let heading = "On real disagreement, the epistemic ranking removes more error than entropy";
    blocks.extend(finding(heading, text, Some("budget"), figures));
    let mut rules = PAPER;
    rules.sort_by(|a, b| value(*b).mean.total_cmp(&value(*a).mean));
    let rows = rules.map(|rule| {
        let advantage = &chaosnli.full.minus_judge_entropy[&rule][&Budget::HEADLINE];
        let advantage = if rule == Rule::JudgeEntropy { "reference".to_owned() } else { difference(advantage, 1) };
        let (mean, se) = (fixed(value(rule).mean, 1), fixed(value(rule).se, 1));
        [rules::with_origin(rule), format!("{mean} ({se})"), advantage]
    });
    blocks.push(Block::Table(
        Table::new(
            "rules",
            "Error removed on ChaosNLI at a budget of 10% (the paper's Tables 2 and 6)",
            "lrr",
            &["Items are ranked by", "Error removed (standard error)", "More than entropy of the judge's output [95%]"],
            rows,
        )
        .with_note(format!(
            "Error removed: by how much the Manhattan error of the belief falls when each escalated item gets one more \
             label, summed over the escalated items; means over {} random halvings of the annotators. The standard \
             error is that of the mean. The interval is another thing: it holds 95% of the differences within single \
             halvings, so it tells what to expect of one labelling round, not how well the mean is known. {} rules are \
             compared, and no interval is corrected for that.",
            count(chaosnli.replicates),
            count(PAPER.len()),
        )),
    ));
    for name in ["advantage", "components"] {
        blocks.extend(figures.remove(name).map(Block::Figure));
    }
}
