//! What follows on a queue and on a registration, in sentences and as sections of a study's page.

use super::figures::Figure;
use super::figures::study::hypotheses;
use super::numbers::three;
use super::page::{Block, Column, FigureBlock, Section, Table, Text};
use super::rules::in_figures as rule_name;
use super::study_page::{section, show, with_interval};
use crate::escalation::WeightedMean;
use crate::study::estimates::PoolMean;
use crate::study::hypothesis::{JudgedHypothesis, Measure, Status};
use crate::study::movement::{Comparison, Movement, Shift, Stages};
use crate::study::registered::Registered;

/// What labels moved that came back.
pub fn describe_movement(movement: &Movement) -> Vec<String> {
    let batches = movement.batches.len();
    let mut lines = vec![format!(
        "{} labels came back for {} items (from {batches} file{}):",
        movement.labels,
        movement.touched.items,
        if batches == 1 { "" } else { "s" }
    )];
    let shift = |name: &str, shift: &Shift| {
        let stages =
            |s: &Stages| format!("{} -> {} (refitted {})", three(s.before), three(s.by_labels), three(s.after));
        [
            format!("  {name}: epistemic {}", stages(&shift.epistemic)),
            format!("  {name}: aleatoric {}", stages(&shift.aleatoric)),
        ]
    };
    lines.extend(shift("items with new labels", &movement.touched));
    if let Some(untouched) = &movement.untouched {
        lines.extend(shift("all other items", untouched));
    }
    let against = |c: &Comparison| {
        let se = c.se.map_or(String::new(), |se| format!(" (standard error {})", three(se)));
        format!("foreseen {}, realised {}{se}", three(c.predicted), three(c.realised))
    };
    lines.push(format!("  squared error against the new labels, per item: {}", against(&movement.first)));
    lines.push(match &movement.removed {
        Some(removed) => format!(
            "  squared error removed, measured on held-out new labels of {} items: {}",
            removed.items,
            against(removed)
        ),
        None => "  error removed can't be measured: no item got two new labels, one to learn from and one to test"
            .to_owned(),
    });
    lines
}

/// How the registered hypotheses fared.
pub fn describe_registered(registered: &Registered) -> Vec<String> {
    let mut lines = vec![format!(
        "Registered {} (digest {}): {} hypotheses, intervals adjusted to hold together with probability {}.",
        registered.registered,
        &registered.digest[..12.min(registered.digest.len())],
        registered.family,
        registered.level
    )];
    for h in &registered.hypotheses {
        let status = verdict(h.status).to_uppercase();
        let figures = match (h.difference, h.adjusted) {
            (Some(difference), Some([low, high])) => format!(
                ": {} [{}, {}] against a margin of {}",
                three(difference),
                three(low),
                three(high),
                h.hypothesis.margin
            ),
            _ => String::new(),
        };
        lines.push(format!("  {:<13}{}{figures}", status, h.hypothesis.id));
        lines.extend(h.note.iter().map(|note| format!("               {note}")));
    }
    for e in &registered.excluded {
        lines.push(format!("  EXCLUDED     {}: {}", e.id, e.reason));
    }
    for d in &registered.deviations {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
        lines.push(format!(
            "  DEVIATION    {} {}: registered {}, found {}",
            d.kind,
            d.name,
            text(&d.registered),
            text(&d.found)
        ));
    }
    let exploratory = registered.comparisons.iter().filter(|c| !c.registered).count();
    lines.push(format!("  {exploratory} other comparisons in the results are exploratory."));
    lines
}

fn verdict(status: Status) -> &'static str {
    match status {
        Status::Confirmed => "confirmed",
        Status::Refuted => "refuted",
        Status::Inconclusive => "inconclusive",
    }
}

/// The section on labels that came back; `unit` is that of the decomposition.
pub(super) fn movement_section(movement: &Movement, unit: &str) -> Section {
    let groups = [Some(("with new labels", &movement.touched)), movement.untouched.as_ref().map(|s| ("all others", s))];
    let rows = groups.into_iter().flatten().flat_map(|(name, shift)| {
        [("epistemic", &shift.epistemic), ("aleatoric", &shift.aleatoric), ("squared error", &shift.spread)].map(
            |(part, stages)| {
                let mut row = vec![name.to_owned(), shift.items.to_string(), part.to_owned()];
                row.extend([stages.before, stages.by_labels, stages.after].map(show));
                row.into_iter().map(Text::plain).collect()
            },
        )
    });
    let moved = Table {
        id: "table-movement".to_owned(),
        caption: format!("What the new labels moved: means over items, uncertainty in {unit}"),
        columns: vec![
            Column::text("items"),
            Column::numbers("number"),
            Column::text("part"),
            Column::numbers("before"),
            Column::numbers("with the labels"),
            Column::numbers("fitted anew"),
        ],
        rows: rows.collect(),
        note: Some(
            "Labels are to drain the epistemic part and leave the aleatoric part about where it was. The second column of \
             figures has the trust as it was before, the third fits it anew, which moves items without new labels too. The \
             squared error is the one that the belief expects of its mean."
                .into(),
        ),
    };
    let of = |what: &str, c: &Comparison| {
        let se = c.se.map_or_else(|| "—".to_owned(), show);
        [what.to_owned(), c.items.to_string(), show(c.predicted), show(c.realised), se].map(Text::plain).to_vec()
    };
    let mut rows = vec![of("squared error against the new labels", &movement.first)];
    rows.extend(movement.removed.as_ref().map(|removed| of("squared error removed by them", removed)));
    let promised = Table {
        id: "table-realised".to_owned(),
        caption: "What was foreseen before the new labels, and what came of it, per item".to_owned(),
        columns: vec![
            Column::text("quantity"),
            Column::numbers("items"),
            Column::numbers("foreseen"),
            Column::numbers("realised"),
            Column::numbers("standard error"),
        ],
        rows,
        note: Some(
            "The error removed is measured by holding out one new label of an item at a time: the error against it with and \
             without the item's other new labels."
                .into(),
        ),
    };
    let batches = movement.batches.len();
    let came = format!(
        "{} labels came back for {} items, from {batches} file{}.",
        movement.labels,
        movement.touched.items,
        if batches == 1 { "" } else { "s" }
    );
    let mut blocks = vec![Block::Prose(came.into()), Block::Table(moved), Block::Table(promised)];
    if movement.removed.is_none() {
        blocks.push(Block::Prose(
            "The error removed can't be measured: no item got two new labels, one to learn from and one to test."
                .into(),
        ));
    }
    section("movement", "What the new labels moved", blocks)
}

/// The section on registered hypotheses.
pub(super) fn registered_section(registered: &Registered, figures: &[Figure]) -> Section {
    let mut blocks = vec![Block::Prose(
        format!(
            "Registered {} under the digest {}: a family of {} hypotheses, whose adjusted intervals hold together with \
             probability {} (Bonferroni). {} other comparisons in the results are exploratory.",
            registered.registered,
            registered.digest,
            registered.family,
            registered.level,
            registered.comparisons.iter().filter(|c| !c.registered).count()
        )
        .into(),
    )];
    blocks.push(Block::Table(hypotheses_table(registered)));
    let own = figures.iter().filter(|figure| figure.name().starts_with(hypotheses::NAME));
    let drawn: Vec<Block> = own.map(|figure| Block::Figure(FigureBlock::of(figure))).collect();
    if drawn.is_empty() {
        blocks.push(Block::Prose("There is no figure of the hypotheses, for none of them has an interval.".into()));
    }
    blocks.extend(drawn);
    let list = |title: &str, points: Vec<Text>| match points.is_empty() {
        true => vec![],
        false => vec![Block::Heading(title.to_owned()), Block::List(points)],
    };
    let said = |h: &JudgedHypothesis| {
        let note = h.note.as_ref().map_or(String::new(), |note| format!(" (Note: {note}.)"));
        Text::plain(format!("{}: {}{note}", h.hypothesis.id, h.hypothesis.statement))
    };
    let plain = |texts: &[String]| texts.iter().map(|text| Text::plain(text.as_str())).collect();
    blocks.extend(list("The hypotheses in words", registered.hypotheses.iter().map(said).collect()));
    blocks.extend(list("What was to be left out", plain(&registered.exclusions)));
    blocks.extend(list("What had been seen before", plain(&registered.seen)));
    blocks.push(if registered.deviations.is_empty() {
        Block::Prose("There are no deviations: inputs and settings are those that were registered.".into())
    } else {
        Block::Table(deviations(registered))
    });
    section("registered", "Registered hypotheses", blocks)
}

fn hypotheses_table(registered: &Registered) -> Table {
    let row = |j: &JudgedHypothesis| {
        let h = &j.hypothesis;
        let interval = |ends: Option<[f64; 2]>| match ends {
            Some([low, high]) => format!("[{}, {}]", show(low), show(high)),
            None => "—".to_owned(),
        };
        let measure = match h.measure {
            Measure::Value => "error removed",
            Measure::SelectiveError => "error of the others",
            Measure::SelectiveSquaredError => "squared error of the others",
            Measure::SquaredValue => "squared error removed",
        };
        [
            h.id.clone(),
            format!("{} against {}: {measure} at {}%", rule_name(h.better), rule_name(h.than), h.budget),
            show(h.margin),
            match (j.difference, j.adjusted) {
                (Some(difference), Some(adjusted)) => with_interval(difference, adjusted),
                (difference, _) => difference.map_or_else(|| "—".to_owned(), show),
            },
            interval(j.interval),
            verdict(j.status).to_owned(),
        ]
        .map(Text::plain)
        .to_vec()
    };
    Table {
        id: "table-registered".to_owned(),
        caption: "Registered hypotheses and how they fared".to_owned(),
        columns: vec![
            Column::text("hypothesis"),
            Column::text("comparison"),
            Column::numbers("margin"),
            Column::numbers("difference [adjusted]"),
            Column::numbers("[not adjusted]"),
            Column::text("verdict"),
        ],
        rows: registered.hypotheses.iter().map(row).collect(),
        note: Some(
            "Differences are signed so that positive favours the rule named first. Confirmed: the adjusted interval lies \
             wholly above the margin; refuted: wholly below; otherwise inconclusive."
                .into(),
        ),
    }
}

/// What the run does otherwise than registered.
fn deviations(registered: &Registered) -> Table {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
    let rows = registered
        .deviations
        .iter()
        .map(|d| [d.kind.to_string(), d.name.clone(), text(&d.registered), text(&d.found)].map(Text::plain).to_vec());
    Table {
        id: "table-deviations".to_owned(),
        caption: "Deviations from the registration".to_owned(),
        columns: ["kind", "what", "registered", "found"].map(Column::text).to_vec(),
        rows: rows.collect(),
        note: Some("With any of these, the hypotheses were not tested as they were frozen.".into()),
    }
}

/// A mean over all items.
pub fn describe_estimate(estimate: &PoolMean) -> Vec<String> {
    let text = |m: &WeightedMean| format!("{} [{}, {}]", three(m.mean), three(m.low), three(m.high));
    let mut lines = vec![format!("{}: {} from the labels, weighted", estimate.quantity, text(&estimate.weighted))];
    if let Some(assisted) = &estimate.assisted {
        lines.push(format!("{}: {} with the belief's help", estimate.quantity, text(assisted)));
    }
    lines
}
