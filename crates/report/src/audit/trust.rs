//! Whether the judge can be trusted, in sentences.

use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_study::audit::Audit;
use judge_uncertainty_study::audit::trust::{Confidence, GroupTrust, TrustVerdict};
use judge_uncertainty_system::numbers::three;

use super::words::{Unit, side};

/// The verdict, in a sentence; it says no more than intervals leave without doubt.
pub(super) fn verdict(audit: &Audit) -> String {
    let base = format!("always answering {:?}", audit.trust.base.0);
    match audit.trust.verdict {
        TrustVerdict::NoLabels => "Nobody can tell yet: no row has an answer of a person.".to_owned(),
        TrustVerdict::TooFew => format!("{} labelled rows are too few to tell.", audit.labelled),
        TrustVerdict::Unlike => "The labels cannot tell: the labelled rows are not like the others.".to_owned(),
        TrustVerdict::Constant => format!("No: it gives the same answer, {:?}, to every row.", audit.trust.base.0),
        TrustVerdict::WorseThanConstant => format!("No: {base} agrees with people better."),
        TrustVerdict::LikeConstant => format!("Not shown: the labels leave open whether it does better than {base}."),
        TrustVerdict::WorseThanPerson => {
            format!("In part: it does better than {base}, and worse than another person would.")
        }
        TrustVerdict::LikePerson => {
            format!(
                "Yes, as far as the labels tell: it does better than {base}, and is not shown to be worse than a \
                 person."
            )
        }
        TrustVerdict::BetterThanPerson => "Yes: it agrees with people better than they do with each other.".to_owned(),
        TrustVerdict::BetterThanConstant => {
            format!("It does better than {base}; how well people agree is not known, as no row has two labels.")
        }
    }
}

/// The figures behind the verdict.
pub(super) fn trust_lines(audit: &Audit) -> Vec<String> {
    let trust = &audit.trust;
    let mut lines: Vec<String> = vec![];
    lines.extend(consistency(audit));
    if audit.labelled == 0 {
        return lines;
    }
    let unit = Unit::from_audit(audit);
    if let Some(found) = trust.agreement.estimate() {
        let mut text = match audit.classes {
            true => format!("It agrees with a person on {} of rows", unit.estimate(found)),
            false => format!("It is {} from a person's answer on average", unit.estimate(found)),
        };
        if let Some(base) = trust.base.1.estimate() {
            text += &format!("; always {:?}: {}", trust.base.0, unit.estimate(base));
        }
        if let Some(people) = trust.between_people.estimate() {
            text += &format!("; two people with each other: {}", unit.estimate(people));
        }
        if let Some(kappa) = trust.kappa.estimate() {
            text += &format!("; kappa {}", Unit::Number.estimate(kappa));
        }
        lines.push(text + ".");
    }
    lines.extend(bias(audit));
    lines.extend(trust.confidence.as_ref().and_then(|confidence| honesty(audit, confidence)));
    lines.extend(weakest(audit));
    lines.extend(covariates(audit));
    lines
}

fn consistency(audit: &Audit) -> Option<String> {
    let found = audit.consistency.estimate()?;
    let text = Unit::from_audit(audit).estimate(found);
    Some(match audit.classes {
        true => format!("Asked again, the judge gives the same answer in {text} of cases."),
        false => format!("Asked again, the judge's answers are {text} apart on average."),
    })
}

fn bias(audit: &Audit) -> Option<String> {
    let unit = Unit::of_differences(audit);
    let all = &audit.trust.bias;
    let beyond = all.iter().filter(|(_, found)| side(found) != 0);
    let size = |found: &Estimable| found.estimate().map_or(0.0, |found| found.value.abs());
    let largest = beyond.max_by(|a, b| size(&a.1).total_cmp(&size(&b.1)));
    match (largest, all.as_slice()) {
        (Some((answer, found)), _) => {
            let estimate = found.estimate()?;
            let size = unit.size(estimate);
            Some(match (audit.classes, estimate.value > 0.0) {
                (true, true) => format!("Bias: it says {answer:?} {size} too often."),
                (true, false) => format!("Bias: it says {answer:?} {size} too seldom."),
                (false, true) => format!("Bias: it is {size} too high."),
                (false, false) => format!("Bias: it is {size} too low."),
            })
        }
        (None, [(answer, found)]) => {
            let text = unit.estimate(found.estimate()?);
            let what = if audit.classes { format!("towards {answer:?} ") } else { String::new() };
            Some(format!("No bias {what}is shown: {text}{}.", if audit.classes { " points" } else { "" }))
        }
        (None, several) if several.iter().any(|(_, found)| found.estimate().is_some()) => {
            Some("Bias: no answer is shown to be given too often or too seldom.".to_owned())
        }
        _ => None,
    }
}

fn honesty(audit: &Audit, confidence: &Confidence) -> Option<String> {
    let unit = Unit::of_differences(audit);
    let stated = match &confidence.excess {
        Some(excess) => {
            let found = excess.estimate()?;
            match side(excess) {
                1 => format!("it is too high by {}", unit.size(found)),
                -1 => format!("it is too low by {}", unit.size(found)),
                _ => format!("on average it is not shown to be too high or too low ({} points)", unit.estimate(found)),
            }
        }
        None => "it is not a probability".to_owned(),
    };
    let informs = confidence.informs.estimate().map(|found| {
        let above = format!("above {}", three(confidence.median));
        let size = unit.size(found);
        match (side(&confidence.informs), audit.classes) {
            (1, true) => format!("{above} the judge agrees {size} more often"),
            (-1, true) => format!("{above} the judge agrees {size} less often"),
            (1, false) => format!("{above} the judge is {size} nearer"),
            (-1, false) => format!("{above} the judge is {size} farther off"),
            _ => format!("{above} the judge is not shown to be right more often ({size})"),
        }
    });
    Some(format!("Confidence: {stated}{}.", informs.map_or_else(String::new, |text| format!("; {text}"))))
}

fn weakest(audit: &Audit) -> Option<String> {
    let trust = &audit.trust;
    let unit = Unit::from_audit(audit);
    if let Some(group) = trust.weakest() {
        let found = group.agreement.estimate()?;
        return Some(format!(
            "Weakest group: {}, {} on {} labelled rows.",
            group.name,
            unit.estimate(found),
            group.labelled
        ));
    }
    let worse = |group: &&GroupTrust| group.over_others.estimate().is_some();
    let value = |g: &GroupTrust| g.over_others.estimate().map_or(0.0, |f| f.value);
    let lowest = trust.groups.iter().filter(worse).min_by(|a, b| value(a).total_cmp(&value(b)))?;
    let found = lowest.agreement.estimate()?;
    Some(format!(
        "Weakest group: none is shown to be worse than the others; lowest is {}, {}.",
        lowest.name,
        unit.estimate(found)
    ))
}

fn covariates(audit: &Audit) -> Option<String> {
    let unit = Unit::of_differences(audit);
    let all = &audit.trust.covariates;
    let shown: Vec<String> = all
        .iter()
        .filter(|covariate| side(&covariate.difference) != 0)
        .filter_map(|covariate| {
            let found = covariate.difference.estimate()?;
            let way = if found.value > 0.0 { "higher" } else { "lower" };
            Some(format!("above {} {} its bias is {} {way}", covariate.name, three(covariate.median), unit.size(found)))
        })
        .take(2)
        .collect();
    let names: Vec<&str> = all.iter().map(|covariate| covariate.name.as_str()).collect();
    match (shown.is_empty(), names.is_empty()) {
        (false, _) => Some(format!("Bias by row: {}.", shown.join("; "))),
        (true, false) => Some(format!("Bias by {} is not shown.", names.join(", "))),
        _ => None,
    }
}
