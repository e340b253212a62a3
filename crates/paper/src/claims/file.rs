//! Reading and checking `claims.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::{Claim, Claims, ClaimsError, Class, Conclusion, Experiment, JudgedBy, Record, Relation, Runs};
use judge_uncertainty_system::numbers::{PrintedNumber, rounded};
use judge_uncertainty_system::read;

/// The file as typed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedFile {
    #[serde(default)]
    reasons: BTreeMap<String, String>,
    #[serde(default)]
    code: BTreeMap<String, String>,
    #[serde(default, rename = "claim")]
    claims: Vec<toml::Spanned<Claim>>,
    #[serde(default, rename = "reading")]
    readings: Vec<toml::Spanned<TypedReading>>,
    #[serde(default, rename = "conclusion")]
    conclusions: Vec<toml::Spanned<Conclusion>>,
    #[serde(default)]
    deviations: BTreeMap<String, String>,
    #[serde(default)]
    judged_by: BTreeMap<String, String>,
}

/// A literal reading as typed; what it does not state (published number, precision, unit, class) is its claim's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedReading {
    id: String,
    of: String,
    statement: String,
    quantity: String,
    published: Option<String>,
    value: Option<f64>,
    decimals: Option<i8>,
    unit: Option<String>,
    relation: Option<Relation>,
    beside: Option<f64>,
}

/// What is wrong with one claim, and what to do about it.
type ClaimFault = (String, &'static str);

impl Claims {
    /// Reads and checks a claims file, with the runs in `runs.csv` in the same folder.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or parsed, or a claim contradicts itself or another: an id that is used twice or
    /// cannot become a LaTeX macro, a printed text that is another number or another precision than the value, a class
    /// whose spread or reason is missing or superfluous, a quantity outside the claim's experiment, a
    /// reason that nothing cites. The error names file, line, claim and remedy.
    pub fn load(path: &Path) -> Result<Self, ClaimsError> {
        let text = read::text(path).map_err(|source| ClaimsError::Read { path: path.to_owned(), source })?;
        Ok(Self { runs: Runs::beside(path)?, record: Record::beside(path)?, ..Self::parse(&text, path)? })
    }

    /// As [`Claims::load`], from the text of the file; `path` only appears in errors.
    ///
    /// # Errors
    ///
    /// As [`Claims::load`], reading apart.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ClaimsError> {
        let file: TypedFile = toml::from_str(text)
            .map_err(|source| ClaimsError::Parse { path: path.to_owned(), source: Box::new(source) })?;
        let mut ids = BTreeSet::new();
        // Where a table starts, and what it is about; an error names the line of its id.
        let mut checked = |header: usize, id: &str, check: Result<(), ClaimFault>| {
            let fresh = match ids.insert(id.to_owned()) {
                true => Ok(()),
                false => Err(("the id is used by an earlier claim".to_owned(), "give each claim its own id")),
            };
            fresh.and(check).map_err(|(problem, remedy)| {
                let at = header + text[header..].find("\nid").map_or(0, |end| end + 2);
                let (path, line, id) = (path.to_owned(), text[..at].lines().count(), id.to_owned());
                ClaimsError::Claim { path, line, id, problem, remedy }
            })
        };
        let (mut claims, mut readings, mut conclusions) = (vec![], vec![], vec![]);
        for typed in file.claims {
            let (header, claim) = (typed.span().start, typed.into_inner());
            checked(header, &claim.id, check(&claim, &file.reasons))?;
            claims.push(claim);
        }
        for typed in file.readings {
            let (header, typed) = (typed.span().start, typed.into_inner());
            let (id, made) = (typed.id.clone(), reading(typed, &claims, &file.reasons));
            checked(header, &id, made.as_ref().map(drop).map_err(Clone::clone))?;
            readings.extend(made);
        }
        for typed in file.conclusions {
            let (header, conclusion) = (typed.span().start, typed.into_inner());
            let remedy = "data/paper/README.md says what a condition is";
            let sound = check_id(&conclusion.id);
            let sound = sound.and_then(|()| conclusion.check().map_err(|problem| (problem, remedy)));
            checked(header, &conclusion.id, sound)?;
            conclusions.push(conclusion);
        }
        let whole_file = |problem: String, remedy| ClaimsError::File { path: path.to_owned(), problem, remedy };
        if claims.is_empty() {
            return Err(whole_file("it holds no claim".to_owned(), "add one [[claim]] per published number"));
        }
        let cited: BTreeSet<&str> = claims.iter().filter_map(|claim: &Claim| claim.reason.as_deref()).collect();
        if let Some(name) = file.reasons.keys().find(|name| !cited.contains(name.as_str())) {
            let problem = format!("no claim cites the reason `{name}`");
            return Err(whole_file(problem, "remove it, or name it in the claims that it is for"));
        }
        let known = |id: &String| claims.iter().any(|claim: &Claim| claim.id == *id);
        if let Some(id) = file.deviations.keys().find(|id| !known(id)) {
            return Err(whole_file(format!("no claim has the id `{id}` of a deviation"), "remove it, or name a claim"));
        }
        let (reasons, code, deviations) = (file.reasons, file.code, file.deviations);
        let judged_by = JudgedBy(file.judged_by);
        Ok(Self { reasons, code, claims, readings, conclusions, deviations, judged_by, ..Self::default() })
    }
}

/// Turns a typed literal reading into a checked claim, with the claim that it belongs to.
fn reading(typed: TypedReading, claims: &[Claim], reasons: &BTreeMap<String, String>) -> Result<Claim, ClaimFault> {
    let TypedReading { id, of, statement, quantity, published, value, decimals, unit, relation, beside } = typed;
    let Some(claim) = claims.iter().find(|claim| claim.id == of) else {
        return Err((format!("no claim has the id `{of}`"), "name the claim that it belongs to as `of`"));
    };
    let literal = Claim { id, of: Some(of), statement, quantity, ..claim.clone() };
    match (published, value, decimals) {
        (Some(published), Some(value), Some(decimals)) => {
            let spread = Claim { sd: None, bound: None, reason: None, rounded_through: None, ..literal };
            let own = Claim { published, value, decimals, unit, relation, class: Class::Exact, beside, ..spread };
            let class = if is_approximate(&own) { Class::Approximate } else { Class::Exact };
            let own = Claim { class, ..own };
            check(&own, reasons).map(|()| own)
        }
        (None, None, None) if unit.is_none() && relation.is_none() && beside.is_none() => {
            check_id(&literal.id)?;
            check_quantity(&literal.quantity, claim.experiment)?;
            if literal.quantity == claim.quantity {
                let problem = format!("`{}` is the quantity of the claim itself", claim.quantity);
                return Err((problem, "name what the sentence says word for word, or state a number of its own"));
            }
            if literal.statement.trim().is_empty() {
                return Err(("`statement` is empty".to_owned(), "say what is computed"));
            }
            Ok(literal)
        }
        _ => {
            let problem = "it states a part of a number of its own".to_owned();
            Err((
                problem,
                "give `published`, `value` and `decimals`, or none of them, and no `unit`, `relation` or `beside`",
            ))
        }
    }
}

/// Refuses a claim that contradicts itself.
fn check(claim: &Claim, reasons: &BTreeMap<String, String>) -> Result<(), ClaimFault> {
    check_id(&claim.id)?;
    for (field, text) in [("place", &claim.place), ("statement", &claim.statement), ("published", &claim.published)] {
        if text.trim().is_empty() {
            return Err((format!("`{field}` is empty"), "type it from the paper"));
        }
    }
    check_quantity(&claim.quantity, claim.experiment)?;
    check_value(claim)?;
    check_published(claim)?;
    check_second_rounding(claim)?;
    check_class(claim, reasons)
}

/// An id becomes the name of a LaTeX macro, which may hold letters only.
fn check_id(id: &str) -> Result<(), ClaimFault> {
    let word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
    if id.split('-').all(word) {
        return Ok(());
    }
    let problem = "the id cannot become a LaTeX macro".to_owned();
    Err((problem, "use lower-case words joined by hyphens, digits spelled out, such as `esc-info-value`"))
}

/// A quantity starts at its experiment's results and names at least one key in them.
fn check_quantity(quantity: &str, experiment: Experiment) -> Result<(), ClaimFault> {
    let mut segments = quantity.split('/');
    if segments.next() != Some(experiment.name()) {
        let problem = format!("the quantity `{quantity}` does not start with `{experiment}/`");
        return Err((problem, "name a path into the results of the claim's own experiment"));
    }
    let key =
        |key: &str| !key.is_empty() && key.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit());
    let mut keys = segments.peekable();
    if keys.peek().is_some() && keys.all(key) {
        return Ok(());
    }
    let problem = format!("`{quantity}` is not a path into results");
    Err((problem, "join keys of lower-case letters, digits and `_`, and array positions, by `/`"))
}

/// The value must be a number of the stated precision.
fn check_value(claim: &Claim) -> Result<(), ClaimFault> {
    let (value, decimals) = (claim.value, claim.decimals);
    if !(-3..=9).contains(&decimals) {
        return Err((format!("{decimals} decimals"), "state a precision between -3 and 9 decimals"));
    }
    if !value.is_finite() {
        return Err((format!("the value is {value}"), "type a finite number"));
    }
    if rounded(value, decimals) != value {
        let problem = format!("the value {value} has more digits than its {decimals} decimals");
        return Err((problem, "make `decimals` the precision of the published number"));
    }
    Ok(())
}

/// A published text that is a number must be the value, to the same precision; words must be free of digits.
fn check_published(claim: &Claim) -> Result<(), ClaimFault> {
    let published = claim.published.as_str();
    let number = claim.relation.and_then(|relation| published.strip_prefix(relation.word())).unwrap_or(published);
    let Some(printed) = PrintedNumber::read(number) else {
        if number.contains(|c: char| c.is_ascii_digit()) {
            let problem = format!("the published text `{published}` holds digits but is not a number");
            return Err((problem, "type the number without its unit, with `relation` for above or below"));
        }
        return Ok(());
    };
    if printed.value != claim.value {
        let problem = format!("the published text `{published}` is not the value {}", claim.value);
        return Err((problem, "type both from the paper"));
    }
    let shown = printed.style.decimals;
    if claim.decimals != shown {
        let problem = format!("the published text `{published}` shows {shown} decimals, not {}", claim.decimals);
        return Err((problem, "count the digits after the point"));
    }
    Ok(())
}

/// A second rounding starts from more digits than it ends with.
fn check_second_rounding(claim: &Claim) -> Result<(), ClaimFault> {
    let Some(through) = claim.rounded_through else {
        return Ok(());
    };
    if claim.decimals < 0 || !(claim.decimals + 1..=9).contains(&through) {
        let problem = format!("a rounding through {through} decimals cannot end at {}", claim.decimals);
        return Err((problem, "state the decimals of the figure that was rounded again, or remove it"));
    }
    if claim.relation.is_some() || !matches!(claim.class, Class::Exact) {
        let problem = "only a number that must agree to the digit can have a second rounding".to_owned();
        return Err((problem, "remove `rounded_through`, or make the class `exact` without `relation`"));
    }
    Ok(())
}

/// Whether a text states a number roughly: a word that is not a threshold and does not begin with `exactly`, or a `~`.
fn is_approximate(claim: &Claim) -> bool {
    let published = claim.published.as_str();
    let rough = PrintedNumber::read(published).is_none_or(|printed| printed.approximate);
    rough && claim.relation.is_none() && !published.starts_with("exactly ")
}

/// A word or a `~` has no spread of runs, and for zero the number that the paper compares it with.
fn check_approximate(claim: &Claim) -> Result<(), ClaimFault> {
    if claim.has_spread() {
        let problem = "an approximate claim says how far runs lie apart".to_owned();
        return Err((problem, "remove them: a word or a `~` states a number to within a tenth"));
    }
    match (claim.value, claim.beside) {
        (0.0, beside) if beside.is_none_or(|beside| !beside.is_finite() || beside == 0.0) => {
            let problem = "a word for zero lacks the number that the paper compares it with".to_owned();
            Err((problem, "type that number as `beside`; a tenth of it counts as zero"))
        }
        (value, Some(_)) if value != 0.0 => Err((format!("`beside` is for zero, not for {value}"), "remove it")),
        _ => Ok(()),
    }
}

/// An exact claim has no spread of runs; a Monte-Carlo claim has one, and a known reason.
fn check_class(claim: &Claim, reasons: &BTreeMap<String, String>) -> Result<(), ClaimFault> {
    if is_approximate(claim) != (claim.class == Class::Approximate) {
        let problem = format!("the published text `{}` and the class do not fit", claim.published);
        return Err((problem, "a word without `relation` or `exactly`, and a `~`, is `approximate`; nothing else is"));
    }
    if claim.beside.is_some() && claim.class != Class::Approximate {
        return Err(("`beside` in a claim that is not approximate".to_owned(), "remove it"));
    }
    match claim.class {
        Class::Approximate => check_approximate(claim),
        Class::Exact if claim.has_spread() => {
            let problem = "an exact claim has `sd`, `bound` or a reason".to_owned();
            Err((problem, "remove them, or make the class `monte-carlo`"))
        }
        Class::Exact => Ok(()),
        Class::MonteCarlo => check_monte_carlo(claim, reasons),
    }
}

fn check_monte_carlo(claim: &Claim, reasons: &BTreeMap<String, String>) -> Result<(), ClaimFault> {
    let apart = match (claim.sd, claim.bound) {
        (Some(apart), None) | (None, Some(apart)) => apart,
        _ => {
            let problem = "a monte-carlo claim needs `sd` or `bound`, one of the two".to_owned();
            return Err((problem, "state how far runs lie apart, or make the class `exact`"));
        }
    };
    let Some(reason) = &claim.reason else {
        let problem = "a monte-carlo claim lacks its reason".to_owned();
        return Err((problem, "state it, or make the class `exact`"));
    };
    if claim.relation.is_some() {
        let problem = "a monte-carlo claim has a relation".to_owned();
        return Err((problem, "a spread is for plain numbers: remove the other, or make the class `exact`"));
    }
    if !(apart.is_finite() && apart > 0.0) {
        let problem = format!("runs that lie {apart} apart");
        return Err((problem, "state how far runs of the method lie apart, a number above 0"));
    }
    if reasons.get(reason).is_none_or(|text| text.trim().is_empty()) {
        let problem = format!("the reason `{reason}` is not given under [reasons]");
        return Err((problem, "define it once there, with where the spread was measured"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_leads_to_code_that_exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let claims = Claims::load(&root.join("../../data/paper/claims.toml")).unwrap();
        let readings = claims.readings.iter();
        let quantities = claims.claims.iter().chain(readings).map(|claim| &claim.quantity);
        let conditions = claims.conclusions.iter().flat_map(|conclusion| &conclusion.when);
        let words = conditions.flat_map(|condition| condition.split_whitespace()).filter(|word| word.contains('/'));
        let judged = quantities.map(String::as_str).chain(words).map(|q| claims.judged_by.quantities(q).0);
        let judged: Vec<String> = judged.collect();
        let used: BTreeSet<_> =
            judged.iter().map(|q| claims.code_of(q).unwrap_or_else(|| panic!("{q}: no code"))).collect();
        for (path, code) in &claims.code {
            let (file, function) = code.split_once('#').unwrap();
            let text = std::fs::read_to_string(root.join("src/experiments").join(file)).unwrap();
            assert!(text.contains(&format!("fn {function}(")), "{path}: {file} has no function {function}");
            assert!(used.contains(&(file, function)), "{path}: no claim leads to {code}");
        }
        assert_eq!(claims.code_of("dice/tiers/none/judge_error"), Some(("dice.rs", "tier_row")));
        assert_eq!(claims.code_of("dicey/x"), None);
    }
}
