//! Reads the text of an answer: strict about its content, lenient about its form.
//!
//! An answer counts if it names every class once, and nothing else, with numbers of 0 or more that sum to 100, or to 1
//! if they are shares. Order, spaces, letter case, code fences, text around it, percent signs and numbers in quotes do
//! not matter. A sum that is off by rounding (1 in 100) is accepted and counted as normalised. A text with two answers
//! that differ counts as a failure.

use serde::{Deserialize, Serialize};

use judge_uncertainty_formats::records::Members;
use judge_uncertainty_system::limits;

/// What is wrong with an answer that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// No text.
    Empty,
    /// The model declined.
    Refusal,
    /// The endpoint's filter withheld the answer, or refused the prompt.
    ContentFilter,
    /// The prompt is too long for the model.
    PromptTooLong,
    /// The answer was cut at its token limit before it said anything.
    Truncated,
    /// No complete reply arrived, and the question may be on the bill all the same.
    NoReply,
    /// The endpoint's reply is not JSON.
    NotJson,
    /// The endpoint's reply is not a chat completion, or lacks what was asked for.
    WrongShape,
    /// The endpoint's reply is larger than any answer, or would take longer to read than any
    /// ([`limits::BYTES_IN_VAIN`]).
    TooLarge,
    /// No answer in the form asked for was found.
    Unparseable,
    /// Two different answers.
    Ambiguous,
    /// A class has no number.
    MissingClass,
    /// A number for a name that is not a class.
    ExtraClass,
    /// A number below 0.
    Negative,
    /// Not a number where one is due.
    NotANumber,
    /// The numbers sum to something else than 100 or 1.
    WrongSum,
    /// A confidence outside 0 to 100, a score off its scale.
    OutOfRange,
    /// No label among the listed tokens.
    NoLabelToken,
}

/// A predicted label distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Share of each class; sums to 1 except for rounding.
    pub shares: Vec<f64>,
    /// Whether the answer's numbers did not sum to 100 or 1 exactly.
    pub normalised: bool,
    /// Probability that was not on any label, for predictions from log-probabilities.
    pub unseen: Option<f64>,
}

/// How far a sum of whole percentages may be off.
const ROUNDING: f64 = 1.0;
/// What floating point adds to that.
const EPSILON: f64 = 1e-9;
/// What an opening brace costs that begins no object, in bytes, however few are read.
const LEAST_IN_VAIN: usize = 64;
/// Fields for a remark, next to the numbers.
const REMARKS: [&str; 6] = ["reasoning", "explanation", "rationale", "comment", "note", "notes"];

/// Names with the JSON texts of their values; a name that is there twice may hide a second meaning.
type Fields<'t> = Vec<(String, &'t str)>;

/// Reads the answer to `Ask::Distribution` or `Update`.
///
/// # Errors
/// What is wrong with it.
pub fn distribution(text: &str, classes: &[String]) -> Result<Distribution, Failure> {
    let weights = named_numbers(text, classes)?;
    if weights.iter().any(|&w| w < 0.0) {
        return Err(Failure::Negative);
    }
    let sum: f64 = weights.iter().sum();
    let near = |whole: f64| (sum - whole).abs() <= whole / 100.0 * ROUNDING + EPSILON;
    if !near(100.0) && !near(1.0) {
        return Err(Failure::WrongSum);
    }
    let normalised = (sum - 100.0).abs() > EPSILON && (sum - 1.0).abs() > EPSILON;
    Ok(Distribution { shares: weights.iter().map(|w| w / sum).collect(), normalised, unseen: None })
}

/// Reads a stated confidence, 0 to 100. A number between 0 and 1 fails, because it could be on either scale.
///
/// # Errors
/// What is wrong with it.
pub fn confidence(text: &str) -> Result<f64, Failure> {
    let value = named_numbers(text, &["confidence"])?[0];
    match value {
        value if value < 0.0 => Err(Failure::Negative),
        value if value > 0.0 && value < 1.0 => Err(Failure::Ambiguous),
        value if value > 100.0 => Err(Failure::OutOfRange),
        value => Ok(value),
    }
}

/// Reads a predicted mean and standard deviation.
///
/// # Errors
/// What is wrong with it.
pub fn score(text: &str, (low, high): (f64, f64)) -> Result<[f64; 2], Failure> {
    let numbers = named_numbers(text, &["mean", "sd"])?;
    let [mean, sd] = [numbers[0], numbers[1]];
    match () {
        () if sd < 0.0 => Err(Failure::Negative),
        () if mean < low || mean > high || sd > high - low => Err(Failure::OutOfRange),
        () => Ok([mean, sd]),
    }
}

/// Shares of the labels from the log-probabilities of the answer's first token.
///
/// A token counts for the one class that it, spaces and case aside, is the beginning of. The shares are
/// share\[j\] = m\[j\] / sum m with m\[j\] the summed probability of the tokens of class j, and the unseen mass is
/// 1 - sum m: other tokens, those that begin several classes, and those that the endpoint did not list.
///
/// # Errors
/// No label among the tokens, or a value that is not a log-probability.
pub fn label_tokens(tokens: &[(String, f64)], classes: &[String]) -> Result<Distribution, Failure> {
    let mut mass = vec![0.0; classes.len()];
    for (token, log) in tokens {
        if log.is_nan() || *log > EPSILON {
            return Err(Failure::NotANumber);
        }
        let token = token.trim().to_lowercase();
        let begins = |class: &&String| class.to_lowercase().starts_with(&token);
        let exact = find(classes, &token);
        let mut beginning = classes.iter().enumerate().filter(|(_, class)| begins(class)).map(|(j, _)| j);
        let only = match (exact, beginning.next(), beginning.next()) {
            _ if token.is_empty() => None,
            (Some(j), ..) => Some(j),
            (None, Some(j), None) => Some(j),
            _ => None,
        };
        if let Some(j) = only {
            mass[j] += log.exp();
        }
    }
    let seen: f64 = mass.iter().sum();
    if seen <= 0.0 {
        return Err(Failure::NoLabelToken);
    }
    let unseen = (1.0 - seen).max(0.0);
    Ok(Distribution { shares: mass.iter().map(|m| m / seen).collect(), normalised: false, unseen: Some(unseen) })
}

/// Position of the class of that name: letter by letter, else the only one that matches apart from case and spaces.
fn find(classes: &[impl AsRef<str>], name: &str) -> Option<usize> {
    if let Some(j) = classes.iter().position(|class| class.as_ref() == name) {
        return Some(j);
    }
    let folded = |text: &str| text.trim().to_lowercase();
    let wanted = folded(name);
    let mut fitting = (0..classes.len()).filter(|&j| folded(classes[j].as_ref()) == wanted);
    match (fitting.next(), fitting.next()) {
        (Some(j), None) => Some(j),
        _ => None,
    }
}

/// The numbers of these names, each named once and nothing else beside remarks. With one name a bare number will do.
fn named_numbers(text: &str, names: &[impl AsRef<str>]) -> Result<Vec<f64>, Failure> {
    if let ([_], Some(bare)) = (names, number_of(text.trim().trim_end_matches('.'))) {
        return Ok(vec![bare]);
    }
    let mut found = vec![None; names.len()];
    for (name, value) in &fields(text, &|name| find(names, name).is_some())? {
        match find(names, name) {
            Some(j) => {
                let number = number(value).ok_or(Failure::NotANumber)?;
                if found[j].replace(number).is_some_and(|before| before != number) {
                    return Err(Failure::Ambiguous);
                }
            }
            None if is_remark(name, value) => {}
            None => return Err(Failure::ExtraClass),
        }
    }
    found.into_iter().collect::<Option<_>>().ok_or(Failure::MissingClass)
}

/// The fields of the one JSON object in a text, or of its `name: number` lines if it has no object.
fn fields<'t>(text: &'t str, known: &dyn Fn(&str) -> bool) -> Result<Fields<'t>, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::Empty);
    }
    let mut found: Option<Fields> = None;
    for object in objects(text)? {
        let object = unwrapped(object, known);
        match &found {
            Some(before) if !same(before, &object) => return Err(Failure::Ambiguous),
            _ => found = Some(object),
        }
    }
    match found {
        Some(fields) => Ok(fields),
        // An object that was begun and not ended is cut off, whatever its lines say.
        None if text.split('{').skip(1).any(|rest| rest.trim_start().starts_with('"')) => Err(Failure::Unparseable),
        None => {
            let pairs = pairs(text);
            if pairs.iter().any(|(name, _)| known(name)) { Ok(pairs) } else { Err(Failure::Unparseable) }
        }
    }
}

/// Objects at the top level of a text.
///
/// A brace may begin an object that breaks off only at the end of the text, and so may those within it: what is read in
/// vain is limited, because an answer of nothing but braces would take minutes.
fn objects(text: &str) -> Result<Vec<Fields<'_>>, Failure> {
    let (mut found, mut in_vain) = (vec![], 0);
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        rest = &rest[start..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Members>();
        match stream.next() {
            Some(Ok(Members(fields))) => {
                let end = stream.byte_offset();
                found.push(fields);
                rest = &rest[end..];
            }
            other => {
                in_vain += other.and_then(Result::err).map_or(0, |error| read_until(rest, &error)).max(LEAST_IN_VAIN);
                limits::BYTES_IN_VAIN.check(in_vain as u64).map_err(|_| Failure::TooLarge)?;
                rest = &rest[1..];
            }
        }
    }
    Ok(found)
}

/// How many bytes of a text were read until an error.
fn read_until(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column()
}

/// The inner object of `{"distribution": {...}}`, unless that name is one that is asked for.
fn unwrapped<'t>(fields: Fields<'t>, known: &dyn Fn(&str) -> bool) -> Fields<'t> {
    match &fields[..] {
        [(name, inner)] if !known(name) => serde_json::from_str(inner).map_or(fields, |Members(inner)| inner),
        _ => fields,
    }
}

/// Whether two objects say the same, in any order.
fn same(a: &Fields, b: &Fields) -> bool {
    let text = |value: &str| number(value).map_or_else(|| value.to_owned(), |number| number.to_string());
    let sorted = |fields: &Fields| {
        let mut said: Vec<_> = fields.iter().map(|(name, value)| (name.clone(), text(value))).collect();
        said.sort();
        said
    };
    sorted(a) == sorted(b)
}

/// `name: number` pairs, one per line or between commas.
fn pairs<'t>(text: &'t str) -> Fields<'t> {
    let decoration = |c: char| c.is_whitespace() || matches!(c, '*' | '-' | '`' | '"' | '\'' | '•');
    let pair = |part: &'t str| {
        let (name, value) = part.split_once([':', '='])?;
        let value = value.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"' | '\'' | '.'));
        let name = name.trim_matches(decoration);
        number_of(value).map(|_| (name.to_owned(), value))
    };
    text.split(['\n', ',', ';']).filter_map(pair).collect()
}

/// A remark next to the numbers.
fn is_remark(name: &str, value: &str) -> bool {
    value.starts_with('"') && REMARKS.contains(&name.trim().to_lowercase().as_str())
}

/// The number of a JSON number or text.
fn number(value: &str) -> Option<f64> {
    serde_json::from_str(value).map_or_else(|_| number_of(value), |text: String| number_of(&text))
}

/// A finite decimal number, with a percent sign or `/100` behind it or not.
fn number_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_suffix('%').or_else(|| text.strip_suffix("/100")).unwrap_or(text).trim_end();
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+')) || !text.chars().all(plain) {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Vec<String> {
        ["red", "green", "blue"].map(String::from).to_vec()
    }

    fn read(text: &str) -> Result<Vec<f64>, Failure> {
        distribution(text, &classes()).map(|d| d.shares)
    }

    #[test]
    fn form_does_not_matter() {
        for text in [
            r#"{"red": 50, "green": 30, "blue": 20}"#,
            "{\"blue\":20,\n\t\"red\" : 50 , \"green\":30}",
            "```json\n{\"red\": 50, \"green\": 30, \"blue\": 20}\n```",
            "Here you are: {\"red\": \"50%\", \"green\": \"30\", \"blue\": 20.0}. Good luck {really}!",
            r#"{"Red ": 50, "GREEN": 30, "blue": 20, "reasoning": "it {is} so"}"#,
            r#"{"distribution": {"red": 0.5, "green": 0.3, "blue": 0.2}}"#,
            "{\"red\": 50, \"green\": 30, \"blue\": 20}\n{\"blue\": 20, \"green\": 30, \"red\": 50}",
            "- **red**: 50%\n- **green**: 30%\n- **blue**: 20%",
            "red = 50, green = 30; blue = 20",
        ] {
            assert_eq!(read(text), Ok(vec![0.5, 0.3, 0.2]), "{text}");
        }
    }

    #[test]
    fn meaning_does() {
        for (text, failure) in [
            ("", Failure::Empty),
            (" \n", Failure::Empty),
            ("I can't help with that.", Failure::Unparseable),
            (r#"{"red": 50, "green": 50}"#, Failure::MissingClass),
            (r#"{"red": 50, "green": 30, "blue": 20, "white": 0}"#, Failure::ExtraClass),
            (r#"{"red": 50, "green": 30, "blue": 20, "total": 100}"#, Failure::ExtraClass),
            (r#"{"red": 50, "green": 70, "blue": -20}"#, Failure::Negative),
            (r#"{"red": 50, "green": 30, "blue": "some"}"#, Failure::NotANumber),
            (r#"{"red": 50, "green": 30, "blue": null}"#, Failure::NotANumber),
            (r#"{"red": 50, "green": 30, "blue": [20]}"#, Failure::NotANumber),
            (r#"{"red": 50, "green": 30, "blue": 10}"#, Failure::WrongSum),
            (r#"{"red": 0, "green": 0, "blue": 0}"#, Failure::WrongSum),
            (r#"{"red": 50, "green": 30, "blue": 20, "red": 10}"#, Failure::Ambiguous),
            (r#"{"red":50,"green":30,"blue":20} or {"red":40,"green":40,"blue":20}"#, Failure::Ambiguous),
            (r#"{"red": 50, "green": 30, "bl"#, Failure::Unparseable),
            ("red: 50, green: 30, blue: 20, white: 5", Failure::ExtraClass),
            ("red: 100", Failure::MissingClass),
        ] {
            assert_eq!(read(text), Err(failure), "{text}");
        }
    }

    #[test]
    fn an_answer_of_braces_is_given_up() {
        // Each of these braces begins something that is read on: by 2 bytes, by 127 braces, by all that follows.
        let tail = format!("{}1, {}", "{\"a\": ".repeat(120), "\"b\": 1, ".repeat(20_000));
        for text in ["{".repeat(500_000), "{\"a\":".repeat(100_000), tail] {
            assert_eq!(read(&text), Err(Failure::TooLarge), "{}", &text[..20]);
            assert_eq!(confidence(&text), Err(Failure::TooLarge));
        }
        // Braces in the text around an answer are no reason.
        let around = format!("{} {{\"red\": 50, \"green\": 30, \"blue\": 20}}", "x_{i} \\frac{a}{b} ".repeat(500));
        assert_eq!(read(&around), Ok(vec![0.5, 0.3, 0.2]));
        assert_eq!(read_until("{\n\"a\": }", &serde_json::from_str::<Members>("{\n\"a\": }").err().unwrap()), 8);
    }

    #[test]
    fn rounding_is_normalised_and_counted() {
        let thirds = |text| distribution(text, &classes()).map(|d| (d.shares, d.normalised));
        let equal = vec![1.0 / 3.0; 3];
        assert_eq!(thirds(r#"{"red": 33, "green": 33, "blue": 33}"#), Ok((equal.clone(), true)));
        let one = thirds(r#"{"red": 34, "green": 34, "blue": 33}"#).unwrap();
        assert_eq!(one, (vec![34.0 / 101.0, 34.0 / 101.0, 33.0 / 101.0], true));
        assert_eq!(thirds(r#"{"red": 33, "green": 33, "blue": 34}"#).map(|d| d.1), Ok(false));
        assert_eq!(thirds(r#"{"red": 33, "green": 33, "blue": 32}"#), Err(Failure::WrongSum));
        assert_eq!(thirds(r#"{"red": 0.33, "green": 0.33, "blue": 0.33}"#).map(|d| d.1), Ok(true));
        assert_eq!(thirds(r#"{"red": 0.1, "green": 0.2, "blue": 0.7}"#).map(|d| d.1), Ok(false));
    }

    #[test]
    fn confidence_is_one_number_on_the_scale_asked_for() {
        for text in [
            "85",
            " 85% ",
            "85/100",
            "85.",
            "{\"confidence\": 85}",
            "Confidence: 85",
            "```\n{\"confidence\":\"85\"}\n```",
        ] {
            assert_eq!(confidence(text), Ok(85.0), "{text}");
        }
        for (text, failure) in [
            ("", Failure::Empty),
            ("high", Failure::Unparseable),
            ("0.85", Failure::Ambiguous),
            ("{\"confidence\": 85} no, {\"confidence\": 20}", Failure::Ambiguous),
            ("-3", Failure::Negative),
            ("101", Failure::OutOfRange),
            ("8/10", Failure::Unparseable),
            ("{\"confidence\": \"high\"}", Failure::NotANumber),
            ("{\"red\": 85}", Failure::ExtraClass),
        ] {
            assert_eq!(confidence(text), Err(failure), "{text}");
        }
        assert_eq!((confidence("0"), confidence("1"), confidence("100")), (Ok(0.0), Ok(1.0), Ok(100.0)));
    }

    #[test]
    fn scores_are_on_their_scale() {
        let scale = (1.0, 5.0);
        assert_eq!(score("{\"mean\": 3.2, \"sd\": 0.8}", scale), Ok([3.2, 0.8]));
        assert_eq!(score("{\"mean\": 6, \"sd\": 0.8}", scale), Err(Failure::OutOfRange));
        assert_eq!(score("{\"mean\": 3, \"sd\": -1}", scale), Err(Failure::Negative));
        assert_eq!(score("{\"mean\": 3}", scale), Err(Failure::MissingClass));
    }

    #[test]
    fn label_tokens_keep_the_unseen_mass() {
        let classes = ["yes", "no", "not sure"].map(String::from);
        let tokens = |list: &[(&str, f64)]| list.iter().map(|(t, p)| ((*t).to_owned(), p.ln())).collect::<Vec<_>>();
        // " Y" and "yes" are one class; "n" begins two and "maybe" none; "no" is exact although it begins "not sure"
        // too.
        let listed = tokens(&[("yes", 0.4), (" Y", 0.1), ("no", 0.3), ("n", 0.05), ("maybe", 0.05), ("not", 0.0)]);
        let d = label_tokens(&listed, &classes).unwrap();
        for (got, want) in d.shares.iter().zip([0.625, 0.375, 0.0]) {
            assert!((got - want).abs() < 1e-12, "{got} for {want}");
        }
        assert!((d.unseen.unwrap() - 0.2).abs() < 1e-12);
        assert_eq!(label_tokens(&tokens(&[("maybe", 1.0)]), &classes), Err(Failure::NoLabelToken));
        assert_eq!(label_tokens(&[], &classes), Err(Failure::NoLabelToken));
        assert_eq!(label_tokens(&[("yes".into(), 0.5)], &classes), Err(Failure::NotANumber));
    }
}
