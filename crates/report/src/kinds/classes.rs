//! Classes as readers see them.

use judge_uncertainty_core::belief::maps::{BIAS_AND_SLOPE, MapChoice, MapName, Transfer, TransferVerdict};
use judge_uncertainty_study::input::labels::LabelsReport;
use judge_uncertainty_study::kinds::classes::judge::ClassJudgeReport;
use judge_uncertainty_study::kinds::classes::reports::{CarriedStart, ClassFit, FittedMap};
use judge_uncertainty_study::results::InputReport;
use judge_uncertainty_system::numbers::three;

/// Classes that a line lists at most.
const MOST_LISTED: usize = 20;

/// What labels can be, and what was found in the files.
pub(crate) fn input_rows(input: &InputReport, judge: &ClassJudgeReport) -> Vec<(&'static str, String)> {
    let names = input.scale.classes();
    let of_scale = match input.scale.places() {
        None => ("classes", names.iter().take(MOST_LISTED).cloned().collect::<Vec<_>>().join(", ")),
        Some(places) => {
            let of = |(name, &place): (&String, &f64)| match *name == place.to_string() {
                true => name.clone(),
                false => format!("{name} ({place})"),
            };
            ("places", names.iter().zip(places).map(of).collect::<Vec<_>>().join(", "))
        }
    };
    let mut rows = vec![of_scale];
    rows.extend(judge_rows(judge, input.variants.len()));
    rows.extend(label_rows(&input.labels, names));
    rows
}

/// What was found in the file of a judge of classes.
fn judge_rows(judge: &ClassJudgeReport, variants: usize) -> Vec<(&'static str, String)> {
    let variants = if variants == 1 { "1 variant".to_owned() } else { format!("{variants} variants") };
    let row = |text: String| ("judge", text);
    let mut rows = vec![row(format!("{} answers under {variants}, {} failed", judge.answers, judge.failed_answers))];
    rows.extend(
        judge
            .mass
            .map(|mass| row(format!("mass on the classes: mean {}, least {}", three(mass.mean), three(mass.least)))),
    );
    rows.extend(judge.without_confidence.map(|without| row(format!("{without} items without a stated confidence"))));
    rows.push(row(format!(
        "{} items have a class under the floor of {}, and {} a tie for the likeliest class",
        judge.floored_items, judge.floor, judge.tied_items
    )));
    rows
}

/// What was found in a file of classes.
fn label_rows(labels: &LabelsReport, classes: &[String]) -> Vec<(&'static str, String)> {
    let by = labels.annotators.map_or(String::new(), |n| format!(" by {n} annotators"));
    let per_class = classes.iter().zip(&labels.per_class).take(MOST_LISTED).map(|(class, n)| format!("{class} {n}"));
    let per_class = per_class.collect::<Vec<_>>().join(", ");
    vec![
        (
            "labels",
            format!(
                "{}{by} for {} items, at most {} per item, {} blank",
                labels.number(),
                labels.labelled_items,
                labels.most_labels,
                labels.blank
            ),
        ),
        ("labels", format!("{per_class}; {} items with a tie", labels.tied_items.unwrap_or_default())),
    ]
}

/// How the prediction is read.
pub(crate) fn recalibration_sentences(fit: &ClassFit) -> Vec<String> {
    let carried = fit.map.iter().flat_map(|map| &map.carried).map(carried_sentence);
    carried.chain(fit.map.iter().map(map_sentence)).collect()
}

/// Whether the recalibration of another study fits the labels here.
fn carried_sentence(carried: &CarriedStart) -> String {
    let Transfer { labelled_items, advantage, se, verdict } = carried.labels_here;
    let items = if labelled_items == 1 { "item" } else { "items" };
    let measured = advantage.zip(se).map_or_else(String::new, |(advantage, se)| {
        let than = if advantage < 0.0 { "less likely" } else { "likelier" };
        format!(
            "the labels of {labelled_items} {items} here are {than} after it than before it, by {} nats per labelled item \
             (standard error {})",
            three(advantage.abs()),
            three(se)
        )
    });
    let map = format!("The recalibration `{}` of {:?}", carried.map, carried.study);
    let said = match (verdict, se) {
        (TransferVerdict::Contradicted, _) => {
            format!("{map} does NOT fit here: {measured}. Do not rely on it; more labels will decide.")
        }
        (TransferVerdict::Supported, _) => {
            format!("{map} also fits the labels here: {measured}.")
        }
        (TransferVerdict::Open, Some(_)) => {
            format!("{map} may or may not fit here: {measured}. Do not rely on it before more labels decide.")
        }
        (TransferVerdict::Open, None) => format!(
            "{map} may or may not fit here: {labelled_items} labelled {items} cannot decide. Label some items before you \
             rely on it."
        ),
    };
    let weight = match (labelled_items, carried.sd_of_weight) {
        (0, _) => String::new(),
        (_, None) => {
            " It does not make held-out labels likelier than a recalibration fitted here does, so it is left out."
                .to_owned()
        }
        (_, Some(sd)) => format!(
            " The labels give it a weight of {} (1: unchanged; 0: left out; standard deviation {}).",
            three(carried.weight),
            three(sd)
        ),
    };
    let groups = match carried.new_groups.is_empty() {
        true => String::new(),
        false => format!(
            " It was fitted without these groups, whose items it treats like items without a group: {}.",
            carried.new_groups.join(", ")
        ),
    };
    let judge = carried
        .another_judge
        .as_ref()
        .map(|what| format!(" The judge here is another one: {what}."))
        .unwrap_or_default();
    format!("{said}{weight}{groups}{judge}")
}

/// The recalibration of the belief, and its evidence.
fn map_sentence(map: &FittedMap) -> String {
    let guesses = match map.guesses {
        none if none < 0.0005 => String::new(),
        some => format!(" {} of each prediction counts as a guess by how often people choose each class.", three(some)),
    };
    let on_top = map.carried.as_ref().is_some_and(|carried| carried.sd_of_weight.is_some());
    let who = if on_top { "After that recalibration, the belief" } else { "The belief" };
    let has_line = map.variances.iter().any(|block| block.block == BIAS_AND_SLOPE && block.variance > 0.0);
    let along = if has_line { ", and a bias and a slope along the scale" } else { "" };
    let words = map.name.words_of_classes().unwrap_or_default();
    let reading = format!("{who} reads the prediction {words}{along} (recalibration `{}`).{guesses}", map.name);
    choice_sentence(reading, map.choice.as_ref())
}

/// A recalibration in words, and the evidence for it.
pub(super) fn choice_sentence(reading: String, choice: Option<&MapChoice>) -> String {
    let Some(choice) = choice else {
        return reading + " The study names this recalibration; belief = \"auto\" compares it with the others.";
    };
    let Some(best) = choice.best else {
        return format!(
            "{reading} {} labelled items are too few to compare recalibrations on held-out labels.",
            choice.labelled_items
        );
    };
    let loss = |map: MapName| {
        let found = choice.candidates.iter().find(|candidate| candidate.map == map);
        found.map_or_else(String::new, |c| format!("{} (standard error {})", three(c.below_best), three(c.se)))
    };
    let others = if best == choice.chosen {
        let of = choice.candidates.iter().filter(|candidate| candidate.map != best);
        let all: Vec<String> = of.map(|c| format!("{} {}", c.map, loss(c.map))).collect();
        format!(
            "It has the best log score on held-out labels; the others are worse by these nats per labelled item: {}.",
            all.join(", ")
        )
    } else {
        format!(
            "On held-out labels `{best}` is better by {} nats per labelled item, which is too little to choose a \
             recalibration that could do more harm.",
            loss(choice.chosen)
        )
    };
    let part = match choice.strength {
        1.0 => String::new(),
        part => format!(" Its weight is {}, because the labels leave some doubt about it.", three(part)),
    };
    format!(
        "{reading} {others}{part} Each of {} labelled items was held out once. The intervals do not include the chance \
         that other labels would have chosen another recalibration.",
        choice.labelled_items
    )
}
