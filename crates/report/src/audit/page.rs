//! The page of an audit: its first screen says what a terminal says, then come the tables.

use judge_uncertainty_page::{Block, KeyNumber, Page, Section, Table, Text, Tone};
use judge_uncertainty_study::audit::Audit;
use judge_uncertainty_study::audit::columns::ROLES;
use judge_uncertainty_study::audit::next::Pick;
use judge_uncertainty_study::audit::trust::{OfGroup, Rate, TrustVerdict};

use super::trust::{trust_lines, verdict};
use super::words::Unit;
use super::{counted, rate_lines, worth};
use crate::blocks::{number, section};

/// The page; `folder` is that of the study, as the user names it.
pub fn audit_page(audit: &Audit, folder: &str) -> Page {
    let mut sections = vec![first(audit, folder)];
    sections.extend(groups(audit));
    sections.push(rates(audit));
    sections.push(read(audit));
    Page { title: format!("Can the judge of {} be trusted?", audit.file), lead: verdict(audit).into(), sections }
}

fn tone(verdict: TrustVerdict) -> Tone {
    match verdict {
        TrustVerdict::WorseThanConstant | TrustVerdict::Constant => Tone::Bad,
        TrustVerdict::Unlike | TrustVerdict::LikeConstant | TrustVerdict::WorseThanPerson => Tone::Fair,
        TrustVerdict::LikePerson | TrustVerdict::BetterThanPerson => Tone::Good,
        TrustVerdict::NoLabels | TrustVerdict::TooFew | TrustVerdict::BetterThanConstant => Tone::Neutral,
    }
}

/// What a terminal says.
fn first(audit: &Audit, folder: &str) -> Section {
    let unit = Unit::from_audit(audit);
    let mut tiles: Vec<KeyNumber> = vec![];
    if let Some(found) = audit.trust.agreement.estimate() {
        let label = if audit.classes { "agreement with a person" } else { "distance from a person" };
        tiles.push(number(unit.estimate(found), label, tone(audit.trust.verdict)));
    }
    if let Some(found) = audit.trust.kappa.estimate() {
        tiles.push(number(Unit::Number.estimate(found), "agreement beyond chance (kappa)", Tone::Neutral));
    }
    if let Some(rate) = audit.rates.first() {
        let label = match audit.classes {
            true => format!("rate of {:?} over all rows, corrected", rate.of),
            false => "mean over all rows, corrected".to_owned(),
        };
        let text = rate.corrected.estimate().map_or_else(|| unit.plain(rate.by_judge), |found| unit.estimate(found));
        tiles.push(number(text, &label, Tone::Neutral));
    }
    let mut points: Vec<Text> = trust_lines(audit).into_iter().map(Text::plain).collect();
    points.extend(rate_lines(audit).iter().map(|line| Text::plain(line.text())));
    points.extend(audit.notices.iter().map(|text| Text::plain(format!("Note: {text}"))));
    let mut blocks = vec![Block::Numbers(tiles)];
    if let Some(next) = &audit.next {
        let pick = |pick: &Pick| Text::plain(format!("{} (judge: {}): {}", pick.id, pick.judge, pick.why));
        let mut list: Vec<Text> = next.first.iter().map(pick).collect();
        let page = format!("judge-uncertainty study labels page {folder}");
        list.push(Text::plain(format!("All {} rows: ", next.queued)).then(Text::code(page)));
        list.extend(worth(next, audit).map(Text::plain));
        blocks.extend([Block::List(points), Block::Next(list)]);
    } else {
        blocks.push(Block::List(points));
    }
    section("answers", "The answers", blocks)
}

fn groups(audit: &Audit) -> Option<Section> {
    let unit = Unit::from_audit(audit);
    let rows: Vec<[String; 5]> = audit
        .trust
        .groups
        .iter()
        .map(|group| {
            [
                group.name.clone(),
                group.rows.to_string(),
                group.labelled.to_string(),
                unit.estimable(&group.agreement),
                Unit::of_differences(audit).estimable(&group.over_others),
            ]
        })
        .collect();
    (!rows.is_empty()).then(|| {
        let table = Table::new(
            "table-groups",
            "The judge by group; the intervals of a column hold together",
            "lrrrr",
            &[
                "group",
                "rows",
                "labelled",
                if audit.classes { "agreement" } else { "distance" },
                "better than elsewhere by",
            ],
            rows,
        );
        section("groups", "The judge by group", vec![Block::Table(table)])
    })
}

fn rates(audit: &Audit) -> Section {
    let unit = Unit::from_audit(audit);
    let of = |rate: &Rate| {
        let group = move |name: String, of: &OfGroup| {
            [rate.of.clone(), name, of.rows.to_string(), unit.plain(of.by_judge), unit.estimable(&of.corrected)]
        };
        let all = [
            rate.of.clone(),
            "all rows".to_owned(),
            audit.rows.to_string(),
            unit.plain(rate.by_judge),
            unit.estimable(&rate.corrected),
        ];
        let groups = rate.groups.iter().chain(&rate.systems).map(move |of| group(of.name.clone(), of));
        std::iter::once(all).chain(groups).collect::<Vec<_>>()
    };
    let table = Table::new(
        "table-rates",
        "Rates over all rows, by the judge alone and corrected by the labels",
        "llrrr",
        &["answer", "rows", "number", "by the judge", "corrected"],
        audit.rates.iter().flat_map(of),
    )
    .with_note(
        "Each interval contains the rate with probability 95%: the rate that would result if the people who labelled \
         some rows of this file had labelled all of them. Other people might answer differently, and other files may \
         differ.",
    );
    section("rates", "Rates", vec![Block::Table(table)])
}

fn read(audit: &Audit) -> Section {
    let columns = ROLES.iter().filter_map(|(role, name)| {
        let columns = audit.columns.of(*role);
        (!columns.is_empty()).then(|| [(*name).to_owned(), columns.join(", ")])
    });
    let table = Table::new("table-columns", "Which column holds what", "ll", &["role", "columns"], columns);
    section("read", "What was read", vec![Block::Prose(counted(audit).into()), Block::Table(table)])
}
