//! What a run answers, in few lines and as the first screen of its page: can the judge be relied on, what is the rate,
//! what to label next.

use super::blocks::{number, section, some_figures};
use super::cards::Cards;
use super::judge;
use super::lines::{Line, MOST_LINES, within};
use super::prose::{lines, ranked, table};
use super::registered::in_short;
use super::shown::Vocabulary;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_evaluation::held_out::Given;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, IntervalBar, KeyNumber, Section, Text, Tone};
use judge_uncertainty_study::StudyResults;
use judge_uncertainty_study::evaluate::held_out::{HeldOutReport, SHARED_NOISE};
use judge_uncertainty_study::evaluate::{EvaluationOutcome, OrReason};
use judge_uncertainty_study::findings::Answer;
use judge_uncertainty_study::findings::contests::Ranking;
use judge_uncertainty_study::findings::disagreements::{Cause, Disagreement};
use judge_uncertainty_study::findings::next::{Next, Pick};
use judge_uncertainty_study::findings::trust::{ConfidenceBin, OfClass, OfGroup, Rate, TrustVerdict};
use judge_uncertainty_study::findings::words::{Unit, side};
use judge_uncertainty_study::queue::Order;
use judge_uncertainty_system::numbers::three;
use judge_uncertainty_system::shell_word;
use tera::{Context, context};

/// By how much one prediction beats another, of predictions that know no label of the item.
fn advantage<'r>(report: &'r HeldOutReport, first: &str, second: &str) -> Option<&'r Estimable> {
    let of = |prediction: &str, than: &str| {
        report.comparisons.iter().find(|one| {
            one.prediction == prediction
                && one.than == than
                && (one.given, one.than_given) == (Given::NoLabel, Given::NoLabel)
        })
    };
    of(first, second).map(|one| &one.advantage)
}

/// What should be looked at before the results are used, with the rank of each.
fn warnings(results: &StudyResults) -> Result<Vec<(u8, String)>, Error> {
    let mut view = context! { fit => &results.fit };
    if let Some(report) = results.held_out.found() {
        let is_worse =
            |prediction: &str| advantage(report, prediction, "base_rate").is_some_and(|found| side(found) < 0);
        let judged = report.squared_errors.iter().find(|one| one.prediction == "judge");
        let reason = judged.and_then(|one| one.mean.reason());
        view.insert("judge_is_worse", &is_worse("judge"));
        view.insert("shares_noise", &reason.is_some_and(|reason| reason.starts_with(SHARED_NOISE)));
        view.insert("belief_is_worse", &is_worse(&report.own));
    }
    Ok(ranked("warnings.txt", &view)?.into_iter().map(|(rank, line)| (rank, line.text().to_owned())).collect())
}

/// What orders a queue, in words.
fn order(next: &Next) -> String {
    let drawn = next.explore.map_or_else(String::new, |share| format!(", {:.0}% of them at random", 100.0 * share));
    match next.rule.parse::<Order>() {
        Ok(Order::By(Rule::Random)) => format!("drawn at random{drawn}"),
        Ok(Order::By(Rule::FewestLabels)) => format!("fewest labels first{drawn}"),
        Ok(order) => format!("ranked by {}{drawn}", order.words()),
        Err(_) => format!("ranked by {}{drawn}", next.rule),
    }
}

/// A folder of a study, as the user names the study.
fn within_study(study: &str, folder: &str) -> String {
    let path = std::path::Path::new(study);
    let path = if path.is_file() { path.with_file_name("") } else { path.to_owned() };
    path.join(folder).display().to_string()
}

/// What a run answers, in at most [`MOST_LINES`] lines of 100 columns; `study` and `run` are its folders, as the user names
/// them.
///
/// # Errors
/// A template that does not fit.
pub fn answer(results: &StudyResults, study: &str, run: &str) -> Result<Vec<Line>, Error> {
    let answer = &results.answer;
    let folder = answer.next.as_ref().and_then(|next| next.folder.as_ref());
    let queue = folder.map(|folder| within_study(study, folder));
    let view = context! {
        title => &results.input.title,
        items => &answer.items,
        labelled => &answer.labelled,
        clusters => &answer.clusters,
        most_labels => &answer.most_labels,
        says => &answer.says,
        trust => &judge::trust(answer)?,
        warnings => &warnings(results)?,
        rates => &judge::rates(answer)?,
        ranking => &ranking_helps(results)?,
        next => &answer.next,
        order => &answer.next.as_ref().map(order),
        no_queue => &answer.no_queue,
        worth => &judge::worth(answer)?,
        plan => &answer.plan.sentence(),
        step => &answer.step,
        registered => &results.registered.as_ref().map(in_short),
        run => run,
        study => &shell_word(study),
        queue => &queue,
        next_command => &next_command(study, folder.map(String::as_str), None),
    };
    Ok(within(MOST_LINES, ranked("answer.txt", &view)?))
}

/// The paper's question, for items with enough labels to answer it: whether the epistemic part shows which items to
/// label.
fn ranking_helps(results: &StudyResults) -> Result<Option<String>, Error> {
    let EvaluationOutcome::Evaluated(evaluation) = &results.evaluation else { return Ok(None) };
    let rules = &evaluation.for_new_items;
    let Some(reference) = rules.value.get(&Rule::Info).and_then(OrReason::found) else { return Ok(None) };
    let view = context! {
        escalated => &rules.budget.of(evaluation.items),
        items => &evaluation.items,
        reference => reference,
        than => Vocabulary::of(&results.input.scale).short_reference,
        fewest => &rules.epistemic_over_fewest.found(),
    };
    Ok(lines("ranking.txt", &view)?.first().map(|line| line.text().to_owned()))
}

fn tone(verdict: TrustVerdict) -> Tone {
    match verdict {
        TrustVerdict::WorseThanConstant | TrustVerdict::Constant => Tone::Bad,
        TrustVerdict::Unlike | TrustVerdict::LikeConstant | TrustVerdict::WorseThanPerson => Tone::Fair,
        TrustVerdict::LikePerson | TrustVerdict::BetterThanPerson => Tone::Good,
        TrustVerdict::NoLabels
        | TrustVerdict::TooFew
        | TrustVerdict::OpenToPerson
        | TrustVerdict::BetterThanConstant => Tone::Neutral,
    }
}

/// The figures that come first on the page.
fn tiles(answer: &Answer) -> Vec<KeyNumber> {
    let unit = Unit::of_answers(answer.classes);
    let mut tiles: Vec<KeyNumber> = vec![];
    if let Some(found) = answer.trust.agreement.estimate() {
        let label = if answer.classes { "agreement with a person" } else { "distance from a person" };
        tiles.push(number(unit.estimate(found), label, tone(answer.verdict)));
    }
    if let Some(found) = answer.trust.kappa.estimate() {
        tiles.push(number(Unit::Number.estimate(found), "agreement beyond chance (kappa)", Tone::Neutral));
    }
    if let Some(rate) = answer.rates.first() {
        let what = if answer.classes { format!("rate of {:?}", rate.of) } else { "mean".to_owned() };
        let (text, by) = match rate.corrected.estimate() {
            Some(found) => (unit.estimate(found), rate.words()),
            None => (unit.plain(rate.by_judge), "by the judge alone"),
        };
        tiles.push(number(text, &format!("{what} over all items, {by}"), Tone::Neutral));
    }
    tiles
}

/// The first screen of a page: what a terminal says.
pub(super) fn first_section(results: &StudyResults, cards: &Cards) -> Result<Section, Error> {
    let answer = &results.answer;
    let mut points = vec![Text::plain(answer.says.clone())];
    points.extend(judge::trust(answer)?.into_iter().map(Text::plain));
    points.extend(warnings(results)?.into_iter().map(|(_, text)| Text::plain(format!("Warning: {text}"))));
    points.extend(judge::rates(answer)?.into_iter().map(Text::plain));
    points.extend(ranking_helps(results)?.map(Text::plain));
    let mut blocks = vec![Block::Numbers(tiles(answer)), Block::List(points)];
    let mut next: Vec<Text> = vec![];
    if let Some(queue) = &answer.next {
        let pick = |pick: &Pick| {
            let why = format!(" (judge: {}): {}", pick.judge, pick.why);
            match cards.place(&pick.id) {
                Some(place) => Text::link(pick.id.clone(), format!("#item-{place}")).then(Text::plain(why)),
                None => Text::plain(format!("{}{why}", pick.id)),
            }
        };
        next.push(Text::plain(format!("{} items: {}.", queue.queued, order(queue))));
        next.extend(queue.first.iter().map(pick));
        next.extend(judge::worth(answer)?.map(Text::plain));
    }
    next.extend(answer.no_queue.iter().map(|why| Text::plain(format!("No queue was made: {why}."))));
    next.push(Text::plain(answer.step.clone()));
    blocks.push(Block::Next(next));
    Ok(section("answers", "Can I rely on the judge?", blocks))
}

/// Intervals as drawings on one scale: 0 to 1 for `shares`, else from the least to the largest number that is drawn. Each
/// comes with a number to compare it with.
fn bars(shares: bool, found: Vec<(&Estimable, Option<f64>)>) -> Vec<Option<IntervalBar>> {
    let drawn = |(found, mark): &(&Estimable, Option<f64>)| {
        let found = found.estimate()?;
        Some([found.lo, found.hi].into_iter().chain(*mark))
    };
    let all = || found.iter().filter_map(drawn).flatten();
    let ends = if shares {
        (0.0, 1.0)
    } else {
        (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max))
    };
    let bar = |(found, mark): &(&Estimable, Option<f64>)| {
        found.estimate().map(|found| IntervalBar::new([found.lo, found.value, found.hi], *mark, ends))
    };
    found.iter().map(bar).collect()
}

/// The judge by group.
pub(super) fn groups_section(answer: &Answer) -> Result<Option<Section>, Error> {
    let unit = Unit::of_answers(answer.classes);
    let rows: Vec<[String; 5]> = answer
        .trust
        .groups
        .iter()
        .map(|group| {
            [
                group.name.clone(),
                group.rows.to_string(),
                group.labelled.to_string(),
                unit.estimable(&group.agreement),
                Unit::of_differences(answer.classes).estimable(&group.over_others),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let all = answer.trust.agreement.estimate().map(|found| found.value);
    let found = answer.trust.groups.iter().map(|group| (&group.agreement, all));
    let table = table("judge-groups", context! { classes => &answer.classes })?
        .with_rows(rows)
        .with_bars("all items: upright", bars(answer.classes, found.collect()));
    Ok(Some(section("judge-groups", "The judge by group", vec![Block::Table(table)])))
}

/// Agreement by the confidence that the judge states.
pub(super) fn confidence_section(answer: &Answer, figures: &[Figure]) -> Result<Option<Section>, Error> {
    let unit = Unit::of_answers(answer.classes);
    let Some(confidence) = answer.trust.confidence.as_ref().filter(|_| answer.labelled > 0) else { return Ok(None) };
    let row = |bin: &ConfidenceBin| {
        [three(bin.stated), bin.rows.to_string(), bin.labelled.to_string(), unit.estimable(&bin.agreement)]
    };
    let mut table =
        table("confidence", context! { classes => &answer.classes })?.with_rows(confidence.bins.iter().map(row));
    // The figure shows the same.
    table.folded = true;
    let blocks = some_figures(figures, &["confidence"]).chain([Block::Table(table)]).collect();
    Ok(Some(section("confidence", "Is its confidence honest?", blocks)))
}

/// Systems compared pair by pair: how often each wins, and the difference of each two.
pub(super) fn systems_section(answer: &Answer) -> Result<Option<Section>, Error> {
    let (unit, points) = (Unit::of_answers(true), Unit::of_differences(true));
    let Ranking { systems, differences } = &answer.ranking;
    let wins = systems
        .iter()
        .map(|one| [one.name.clone(), one.rows.to_string(), unit.plain(one.by_judge), unit.estimable(&one.corrected)]);
    let better = differences.iter().map(|one| {
        let [first, second] = one.of.map(|k| systems[k].name.clone());
        [first, second, three(100.0 * one.by_judge), points.estimable(&one.corrected)]
    });
    if systems.len() < 2 {
        return Ok(None);
    }
    let won = systems.iter().map(|one| (&one.corrected, Some(one.by_judge)));
    let first =
        table("wins", Context::new())?.with_rows(wins).with_bars("the judge alone: upright", bars(true, won.collect()));
    let second = table("win-differences", Context::new())?.with_rows(better);
    Ok(Some(section("systems", "System by system", vec![Block::Table(first), Block::Table(second)])))
}

/// What people say against what the judge says, in shares of all labels; recall and precision of each class.
pub(super) fn classes_section(answer: &Answer) -> Result<Option<Section>, Error> {
    let classes = &answer.trust.by_class;
    let unit = Unit::Share;
    let row = |class: &OfClass| {
        let mut row = vec![class.name.clone()];
        row.extend(class.by_judge.iter().map(|share| unit.plain(*share)));
        row.extend([unit.estimable(&class.recall), unit.estimable(&class.precision)]);
        row
    };
    if classes.is_empty() || answer.labelled == 0 {
        return Ok(None);
    }
    let names: Vec<&String> = classes.iter().map(|class| &class.name).collect();
    let shades: Vec<Vec<f64>> = classes.iter().map(|class| class.by_judge.clone()).collect();
    let table =
        table("confusion", context! { classes => &names })?.with_rows(classes.iter().map(row)).with_shades(&shades);
    Ok(Some(section("confusion", "Class by class", vec![Block::Table(table)])))
}

/// Disagreements that a page lists.
const MOST_LISTED: usize = 30;

/// The items on which judge and people disagree, with what to do.
pub(super) fn disagreements_section(answer: &Answer, cards: &Cards) -> Result<Option<Section>, Error> {
    let all = &answer.disagreements;
    let of = |cause: Cause| {
        let number = all.iter().filter(|one| one.cause == cause).count();
        let (name, what) = cause.says();
        Text::plain(format!("{name}, {number} items: {what}."))
    };
    let row = |one: &Disagreement| {
        let id = match cards.place(&one.id) {
            Some(place) => Text::link(one.id.clone(), format!("#item-{place}")),
            None => Text::plain(one.id.clone()),
        };
        let rest = [one.cause.says().0.to_owned(), one.judge.clone(), one.people.clone()];
        std::iter::once(id).chain(rest.map(Text::plain)).collect::<Vec<_>>()
    };
    // The first of each cause.
    let listed = Cause::ALL
        .into_iter()
        .flat_map(|cause| all.iter().filter(move |one| one.cause == cause).take(MOST_LISTED / Cause::ALL.len()));
    if all.is_empty() {
        return Ok(None);
    }
    let table = table("disagreements", context! { number => &all.len(), on_scale => &!answer.classes })?
        .with_rows(listed.map(row));
    let blocks = vec![Block::List(Cause::ALL.map(of).to_vec()), Block::Table(table)];
    Ok(Some(section("disagreements", "Where judge and people disagree", blocks)))
}

/// The intervals of a rate, over all items and of groups and systems, each with what the judge alone says.
fn drawn(rate: &Rate) -> impl Iterator<Item = (&Estimable, Option<f64>)> {
    let groups = rate.groups.iter().chain(&rate.systems).map(|of| (&of.corrected, Some(of.by_judge)));
    std::iter::once((&rate.corrected, Some(rate.by_judge))).chain(groups)
}

/// Rates over all items, and of groups and systems.
pub(super) fn rates_section(answer: &Answer, figures: &[Figure]) -> Result<Section, Error> {
    let unit = Unit::of_answers(answer.classes);
    let of = |rate: &Rate| {
        let group = move |name: String, of: &OfGroup| {
            [rate.of.clone(), name, of.rows.to_string(), unit.plain(of.by_judge), unit.estimable(&of.corrected)]
        };
        let all = [
            rate.of.clone(),
            "all items".to_owned(),
            answer.items.to_string(),
            unit.plain(rate.by_judge),
            unit.estimable(&rate.corrected),
        ];
        let groups = rate.groups.iter().chain(&rate.systems).map(move |of| group(of.name.clone(), of));
        std::iter::once(all).chain(groups).collect::<Vec<_>>()
    };
    let table = table("rates", Context::new())?
        .with_rows(answer.rates.iter().flat_map(of))
        .with_bars("the judge alone: upright", bars(answer.classes, answer.rates.iter().flat_map(drawn).collect()));
    let blocks = std::iter::once(Block::Table(table)).chain(some_figures(figures, &["plan"])).collect();
    Ok(section("rates", "Rates", blocks))
}

/// The command that follows for a study: the page of the queue that is `waiting` in its folder, or else the queue of this
/// budget. If the study already has a queue, the next one gets a folder of its own, because the record of the first one says
/// how its labels were chosen.
pub(crate) fn next_command(study: &str, waiting: Option<&str>, budget: Option<&str>) -> String {
    if let Some(folder) = waiting {
        let command = format!("judge-uncertainty study labels page {}", shell_word(study));
        return match folder {
            "queue" => command,
            other => format!("{command} --queue {}", shell_word(&within_study(study, other))),
        };
    }
    let mut command = format!("judge-uncertainty study queue {}", shell_word(study));
    command.extend(budget.map(|budget| format!(" --budget {budget}")));
    if std::path::Path::new(&within_study(study, "queue")).exists() {
        let free = (2..).map(|number| within_study(study, &format!("queue-{number}")));
        let free = free.into_iter().find(|place| !std::path::Path::new(place).exists());
        command.extend(free.map(|place| format!(" --out {}", shell_word(&place))));
    }
    command
}
