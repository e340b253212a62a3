//! What a reader of TOML says, in words that a person who writes a configuration knows.

use judge_uncertainty_formats::error::excerpt;

/// A number with more characters than this is written as a power of ten.
const MOST: usize = 24;

/// What readers call types, and what people call them.
const WORDS: [(&str, &str); 18] = [
    ("expected u8", "expected a whole number of 0 or more"),
    ("expected u16", "expected a whole number of 0 or more"),
    ("expected u32", "expected a whole number of 0 or more"),
    ("expected u64", "expected a whole number of 0 or more"),
    ("expected usize", "expected a whole number of 0 or more"),
    ("expected i64", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected a sequence", "expected a list: [..., ...]"),
    ("expected a tuple of size 2", "expected a list of two: [..., ...]"),
    ("expected a map", "expected a table"),
    ("floating point `", "the number `"),
    ("integer `", "the number `"),
    ("type: sequence", "type: a list"),
    ("type: map", "type: a table"),
    ("` as i128", "`"),
    ("` as u128", "`"),
    (
        "duplicate field `scale`",
        "two keys that say what labels can be: `classes`, `scale` and `places` exclude each other",
    ),
    // A study is of classes if it does not say otherwise.
    ("missing field `scale`", "missing field `classes` (or `scale` for scores, `places` for ordinal ratings)"),
];

/// A message of the TOML reader without line ends, the names of this program's types, numbers of hundreds of digits and
/// other long words.
pub(crate) fn in_words(message: &str) -> String {
    let message = with_short_numbers(message);
    let short = |(k, part): (usize, &str)| if k % 2 == 1 { excerpt(part) } else { part.to_owned() };
    let message: Vec<String> = message.split('`').enumerate().map(short).collect();
    let mut message = message.join("`").replace('\n', "; ");
    for (typed, said) in WORDS {
        // Whole words: "u32" begins no other.
        message = message.replace(typed, said);
    }
    match message.find("expected struct ") {
        Some(at) => {
            let (before, rest) = message.split_at(at);
            let name = rest["expected struct ".len()..].find(|c: char| !c.is_alphanumeric());
            let after = name.map_or("", |end| &rest["expected struct ".len() + end..]);
            format!("{before}expected a table: {{ ... }}{after}")
        }
        None => message,
    }
}

/// The text with numbers of hundreds of digits as powers of ten.
pub(super) fn with_short_numbers(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let length = rest[start..].find(|c| !is_part(c)).unwrap_or(rest.len() - start);
        let (before, number) = (&rest[..start], &rest[start..start + length]);
        shown.push_str(before);
        match number.parse::<f64>() {
            Ok(value) if number.len() > MOST => shown.push_str(&format!("{value:e}")),
            _ => shown.push_str(number),
        }
        rest = &rest[start + length..];
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::{in_words, with_short_numbers};

    #[test]
    fn types_and_long_numbers_are_told_in_words() {
        let long = format!("invalid type: floating point `1{}.0`, expected u32", "0".repeat(300));
        let told = "invalid type: the number `1e300`, expected a whole number of 0 or more";
        for (message, expected) in [
            (long.as_str(), told),
            (
                "invalid type: integer `3`, expected struct Options; in it",
                "invalid type: the number `3`, expected a table: { ... }; in it",
            ),
            (
                "invalid value: integer `-1` as i128,\nexpected u64",
                "invalid value: the number `-1`,; expected a whole number of 0 or more",
            ),
            ("unknown variant `floating`, expected one of `a`", "unknown variant `floating`, expected one of `a`"),
        ] {
            assert_eq!(in_words(message), expected);
        }
    }

    #[test]
    fn long_numbers_are_powers_of_ten() {
        let long = format!("[1.0, -1{}.0, 0.25, v1.2, ...]", "0".repeat(300));
        assert_eq!(with_short_numbers(&long), "[1.0, -1e300, 0.25, v1.2, ...]");
    }
}
