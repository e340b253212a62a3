//! Reading and checking `claims.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::{Claim, Claims, ClaimsError, Class, Experiment, Relation};
use crate::report::numbers::{PrintedNumber, rounded};

/// The file as typed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedFile {
    #[serde(default)]
    reasons: BTreeMap<String, String>,
    #[serde(default, rename = "claim")]
    claims: Vec<TypedClaim>,
}

/// A claim as typed; the position of its id locates every complaint about it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedClaim {
    id: toml::Spanned<String>,
    experiment: Experiment,
    place: String,
    statement: String,
    published: String,
    value: f64,
    decimals: i8,
    rounded_through: Option<i8>,
    unit: Option<String>,
    quantity: String,
    relation: Option<Relation>,
    class: TypedClass,
    tolerance: Option<f64>,
    reason: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TypedClass {
    Exact,
    MonteCarlo,
}

/// What is wrong with one claim, and what to do about it.
type Complaint = (String, &'static str);

impl Claims {
    /// Reads and checks a claims file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or parsed, or a claim contradicts itself or another: an id that is used twice or
    /// cannot become a LaTeX macro, a printed text that is another number or another precision than the value, a class
    /// whose tolerance or reason is missing, superfluous or too small, a quantity outside the claim's experiment, a
    /// reason that nothing cites. The error names file, line, claim and remedy.
    pub fn load(path: &Path) -> Result<Self, ClaimsError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| ClaimsError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, path)
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
        let mut claims = Vec::with_capacity(file.claims.len());
        for typed in file.claims {
            let start = typed.id.span().start;
            let id = typed.id.get_ref().clone();
            let checked = if ids.insert(id.clone()) {
                check(typed, &file.reasons)
            } else {
                Err(("the id is used by an earlier claim".to_owned(), "give each claim its own id"))
            };
            claims.push(checked.map_err(|(problem, remedy)| ClaimsError::Claim {
                path: path.to_owned(),
                line: text[..start].lines().count(),
                id,
                problem,
                remedy,
            })?);
        }
        let whole_file = |problem: String, remedy| ClaimsError::File { path: path.to_owned(), problem, remedy };
        if claims.is_empty() {
            return Err(whole_file("it holds no claim".to_owned(), "add one [[claim]] per published number"));
        }
        let cited: BTreeSet<&str> = claims.iter().filter_map(Claim::reason).collect();
        if let Some(name) = file.reasons.keys().find(|name| !cited.contains(name.as_str())) {
            let problem = format!("no claim cites the reason `{name}`");
            return Err(whole_file(problem, "remove it, or name it in the claims that it is for"));
        }
        Ok(Self { reasons: file.reasons, claims })
    }
}

/// Turns a typed claim into a checked one.
fn check(typed: TypedClaim, reasons: &BTreeMap<String, String>) -> Result<Claim, Complaint> {
    check_id(typed.id.get_ref())?;
    for (field, text) in [("place", &typed.place), ("statement", &typed.statement), ("published", &typed.published)] {
        if text.trim().is_empty() {
            return Err((format!("`{field}` is empty"), "type it from the paper"));
        }
    }
    check_quantity(&typed.quantity, typed.experiment)?;
    check_value(&typed)?;
    check_published(&typed)?;
    check_second_rounding(&typed)?;
    let class = check_class(&typed, reasons)?;
    Ok(Claim {
        id: typed.id.into_inner(),
        experiment: typed.experiment,
        place: typed.place,
        statement: typed.statement,
        published: typed.published,
        value: typed.value,
        decimals: typed.decimals,
        rounded_through: typed.rounded_through,
        unit: typed.unit,
        quantity: typed.quantity,
        relation: typed.relation,
        class,
    })
}

/// An id becomes the name of a LaTeX macro, which may hold letters only.
fn check_id(id: &str) -> Result<(), Complaint> {
    let word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
    if id.split('-').all(word) {
        return Ok(());
    }
    let problem = "the id cannot become a LaTeX macro".to_owned();
    Err((problem, "use lower-case words joined by hyphens, digits spelled out, such as `esc-info-value`"))
}

/// A quantity starts at its experiment's results and names at least one key in them.
fn check_quantity(quantity: &str, experiment: Experiment) -> Result<(), Complaint> {
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
fn check_value(typed: &TypedClaim) -> Result<(), Complaint> {
    let (value, decimals) = (typed.value, typed.decimals);
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
fn check_published(typed: &TypedClaim) -> Result<(), Complaint> {
    let published = typed.published.as_str();
    let number = typed.relation.and_then(|relation| published.strip_prefix(relation.word())).unwrap_or(published);
    let Some(printed) = PrintedNumber::read(number) else {
        if number.contains(|c: char| c.is_ascii_digit()) {
            let problem = format!("the published text `{published}` holds digits but is not a number");
            return Err((problem, "type the number without its unit, with `relation` for above or below"));
        }
        return Ok(());
    };
    if printed.value != typed.value {
        let problem = format!("the published text `{published}` is not the value {}", typed.value);
        return Err((problem, "type both from the paper"));
    }
    let shown = printed.style.decimals;
    let matches = if printed.approximate { typed.decimals <= shown } else { typed.decimals == shown };
    if !matches {
        let problem = format!("the published text `{published}` shows {shown} decimals, not {}", typed.decimals);
        return Err((problem, "count the digits after the point; only a text with `~` may stand for fewer"));
    }
    Ok(())
}

/// A second rounding starts from more digits than it ends with.
fn check_second_rounding(typed: &TypedClaim) -> Result<(), Complaint> {
    let Some(through) = typed.rounded_through else {
        return Ok(());
    };
    if typed.decimals < 0 || !(typed.decimals + 1..=9).contains(&through) {
        let problem = format!("a rounding through {through} decimals cannot end at {}", typed.decimals);
        return Err((problem, "state the decimals of the figure that was rounded again, or remove it"));
    }
    if typed.relation.is_some() {
        let problem = "a threshold is not a rounded number".to_owned();
        return Err((problem, "remove `rounded_through` or `relation`"));
    }
    Ok(())
}

/// An exact claim has no tolerance; a Monte-Carlo claim has one that is wider than the rounding, and a known reason.
fn check_class(typed: &TypedClaim, reasons: &BTreeMap<String, String>) -> Result<Class, Complaint> {
    match (typed.class, typed.tolerance, &typed.reason) {
        (TypedClass::Exact, None, None) => Ok(Class::Exact),
        (TypedClass::Exact, ..) => {
            let problem = "an exact claim has a tolerance or a reason".to_owned();
            Err((problem, "remove them, or make the class `monte-carlo`"))
        }
        (TypedClass::MonteCarlo, Some(tolerance), Some(reason)) => {
            if typed.relation.is_some() {
                let problem = "a monte-carlo claim has a relation".to_owned();
                return Err((problem, "a tolerance is for plain numbers: remove the other, or make the class `exact`"));
            }
            let half_unit = 0.5 * 10f64.powi(-i32::from(typed.decimals));
            if !(tolerance.is_finite() && tolerance > half_unit) {
                let problem =
                    format!("the tolerance {tolerance} is not a number above {half_unit}, half a printed unit");
                return Err((problem, "derive it from the reason, the rounding of the printed number included"));
            }
            if reasons.get(reason).is_none_or(|text| text.trim().is_empty()) {
                let problem = format!("the reason `{reason}` is not given under [reasons]");
                return Err((problem, "define it once there, with the derivation of the tolerance"));
            }
            Ok(Class::MonteCarlo { tolerance, reason: reason.clone() })
        }
        (TypedClass::MonteCarlo, ..) => {
            let problem = "a monte-carlo claim lacks its tolerance or its reason".to_owned();
            Err((problem, "state both, or make the class `exact`"))
        }
    }
}
