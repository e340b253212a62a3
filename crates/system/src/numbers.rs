//! Numbers as text: the only place that formats a number for a reader, and that reads one off a printed page.

/// Numbers that come in lie between this and its negative, so that squares of their squares can be summed.
pub const LARGEST: f64 = 1e70;

/// How a number is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberStyle {
    /// Digits after the point; `-1` rounds to tens, `-2` to hundreds.
    pub decimals: i8,
    /// A positive number carries a `+`.
    pub plus: bool,
    /// A number between -1 and 1 shows the 0 before its point (`0.76`, not `.76`).
    pub leading_zero: bool,
    /// Commas between groups of three digits before the point (`3,113`).
    pub thousands: bool,
}

impl NumberStyle {
    /// Fixed `decimals` and nothing else: `6.8`, `-0.12`, `3113`.
    pub const fn plain(decimals: i8) -> Self {
        Self { decimals, plus: false, leading_zero: true, thousands: false }
    }

    /// Writes `value` in this style, rounded as [`rounded`] rounds.
    ///
    /// A value that rounds to zero keeps its sign (`-0.0`), because the paper prints a bound just below zero that way;
    /// zero never carries a `+` unless the value is positive.
    pub fn format(self, value: f64) -> String {
        let (places, value) = match usize::try_from(self.decimals) {
            Ok(places) => (places, value),
            Err(_) => (0, rounded(value, self.decimals)),
        };
        let fixed = format!("{:.places$}", value.abs());
        let (whole, fraction) = match fixed.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (fixed.as_str(), None),
        };
        let mut text = String::new();
        if value.is_sign_negative() {
            text.push('-');
        } else if self.plus && value > 0.0 {
            text.push('+');
        }
        if whole != "0" || fraction.is_none() || self.leading_zero {
            text.push_str(&if self.thousands { grouped(whole) } else { whole.to_owned() });
        }
        if let Some(fraction) = fraction {
            text.push('.');
            text.push_str(fraction);
        }
        text
    }
}

/// The shortest text that reads back as `value`: a number typed by hand is printed as it was typed.
pub fn shortest(value: f64) -> String {
    value.to_string()
}

/// Inserts a comma before every third digit from the right.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `value` rounded to `decimals` digits after the point (negative: to tens, hundreds, ...).
///
/// The exact binary value decides, and an exact tie goes to the even digit, as in Python's and C's fixed formatting.
/// The result is the number nearest to the decimal that would be printed, so two rounded numbers are equal exactly when
/// their printed digits are.
pub fn rounded(value: f64, decimals: i8) -> f64 {
    match usize::try_from(decimals) {
        // A fixed decimal is always a number again.
        Ok(places) => format!("{value:.places$}").parse().unwrap_or(value),
        Err(_) => {
            let unit = 10f64.powi(-i32::from(decimals));
            (value / unit).round_ties_even() * unit
        }
    }
}

/// Three significant digits in fixed notation; what is less than nine decimals show is 0.00.
pub fn three(value: f64) -> String {
    significant(value, 3)
}

/// Two of them.
pub fn two(value: f64) -> String {
    significant(value, 2)
}

fn significant(value: f64, digits: i32) -> String {
    let value = if value.abs() < 5e-10 { 0.0 } else { value };
    let magnitude = if value == 0.0 || !value.is_finite() { 0 } else { value.abs().log10().floor() as i32 };
    NumberStyle::plain((digits - 1 - magnitude).clamp(0, 9) as i8).format(value)
}

/// `value` with at most `decimals` digits after the point and no zeros at their end, for files that programs read.
pub fn trimmed(value: f64, decimals: u8) -> String {
    let text = format!("{value:.*}", usize::from(decimals));
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// `value` rounded first to `through` decimals and the result, a decimal, to `decimals`, halves away from zero.
///
/// This is what happens to a number that is copied from an already rounded figure: 0.146 becomes 0.15 and then 0.2.
/// Meant for `0 <= decimals < through`.
pub fn rounded_twice(value: f64, through: i8, decimals: i8) -> f64 {
    let ten_to = |power: i8| 10f64.powi(i32::from(power));
    let first = (value * ten_to(through)).round();
    (first / ten_to(through - decimals)).round() / ten_to(decimals)
}

/// A number as it was read off a printed page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrintedNumber {
    /// The number itself.
    pub value: f64,
    /// The style it was printed in, with the decimals that it shows.
    pub style: NumberStyle,
    /// It was marked as approximate by a leading `~`.
    pub approximate: bool,
}

impl PrintedNumber {
    /// Reads an optional `~`, an optional sign, digits (with commas in groups of three if any) and an optional
    /// fraction.
    ///
    /// Returns `None` for anything else, words and numbers with a unit included.
    pub fn read(text: &str) -> Option<Self> {
        let (approximate, rest) = strip(text, '~');
        let (minus, rest) = strip(rest, '-');
        let (plus, rest) = if minus { (false, rest) } else { strip(rest, '+') };
        let (whole, fraction) = match rest.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None if rest.is_empty() => return None,
            None => (rest, ""),
        };
        let digits: String = whole.chars().filter(|c| *c != ',').collect();
        let thousands = digits.len() < whole.len();
        let all_digits = digits.chars().chain(fraction.chars()).all(|c| c.is_ascii_digit());
        if !all_digits || (thousands && grouped(&digits) != whole) {
            return None;
        }
        let sign = if minus { "-" } else { "" };
        Some(Self {
            value: format!("{sign}0{digits}.{fraction}0").parse().ok()?,
            style: NumberStyle {
                decimals: i8::try_from(fraction.len()).ok()?,
                plus,
                leading_zero: !whole.is_empty(),
                thousands,
            },
            approximate,
        })
    }
}

/// Takes a leading mark off a text and says whether it was there.
fn strip(text: &str, mark: char) -> (bool, &str) {
    match text.strip_prefix(mark) {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected digits: the paper's own, and Python 3's fixed formatting for the ties.
    #[test]
    fn a_number_is_written_as_the_paper_prints_it() {
        let signed = NumberStyle { plus: true, ..NumberStyle::plain(1) };
        let bare = NumberStyle { leading_zero: false, ..NumberStyle::plain(2) };
        let grouped = NumberStyle { thousands: true, ..NumberStyle::plain(0) };
        for (style, value, text) in [
            (signed, 6.821, "+6.8"),
            (signed, -1.25, "-1.2"),
            (signed, -0.012, "-0.0"),
            (signed, 0.012, "+0.0"),
            (signed, 0.0, "0.0"),
            (bare, 0.7561, ".76"),
            (bare, -0.14155, "-.14"),
            (bare, 0.999, "1.00"),
            (grouped, 3113.0, "3,113"),
            (grouped, 311.0, "311"),
            (grouped, -1_234_567.0, "-1,234,567"),
            (NumberStyle::plain(0), 0.4, "0"),
            (NumberStyle::plain(0), 0.5, "0"),
            (NumberStyle::plain(0), 1.5, "2"),
            (NumberStyle::plain(2), 0.125, "0.12"),
            (NumberStyle::plain(2), 0.375, "0.38"),
            (NumberStyle::plain(3), 0.19013816, "0.190"),
            (NumberStyle::plain(-1), 47.01, "50"),
            (NumberStyle::plain(-1), 44.99, "40"),
        ] {
            assert_eq!(style.format(value), text, "{value} in {style:?}");
        }
    }

    #[test]
    fn rounding_gives_the_number_that_would_be_printed() {
        assert_eq!(rounded(0.145, 2), 0.14); // the nearest double of 0.145 lies below it
        assert_eq!(rounded(-5.850077, 1), -5.9);
        assert_eq!(rounded(-0.012, 1), 0.0);
        assert_eq!(rounded(45.0, -1), 40.0);
        assert_eq!(rounded(46.99, -1), 50.0);
    }

    #[test]
    fn rounding_twice_carries_a_half_that_rounding_once_would_drop() {
        assert_eq!(rounded(0.1465, 1), 0.1);
        assert_eq!(rounded_twice(0.1465, 2, 1), 0.2);
        assert_eq!(rounded_twice(0.1442, 2, 1), 0.1);
        assert_eq!(rounded_twice(0.504525, 3, 2), 0.51);
        assert_eq!(rounded_twice(-0.504525, 3, 2), -0.51);
        assert_eq!(rounded_twice(20.347, 2, 1), 20.4);
    }

    #[test]
    fn a_number_that_is_as_good_as_nothing_shows_no_row_of_zeros() {
        let shown: Vec<String> = [0.0, 1e-12, -1e-17, 1.234_5e-8, 12.345].map(three).to_vec();
        assert_eq!(shown, ["0.00", "0.00", "0.00", "0.000000012", "12.3"]);
    }

    #[test]
    fn trimmed_numbers_end_in_a_digit_that_counts() {
        let all = [1.5, 2.0, -0.001, 100.0, 0.126].map(|v| trimmed(v, 2));
        assert_eq!(all, ["1.5", "2", "0", "100", "0.13"]);
        assert_eq!(trimmed(120.4, 0), "120");
    }

    #[test]
    fn a_printed_number_is_read_with_its_style() {
        for text in ["+6.8", "-0.0", ".76", "-.14", "3,113", "0.0002", "83", "1.0", "-14", "+0.22", "12,345,678.90"] {
            let number = PrintedNumber::read(text).expect(text);
            assert!(!number.approximate);
            assert_eq!(number.style.format(number.value), text);
        }
        let about = PrintedNumber::read("~98").expect("approximate");
        assert!(about.approximate && about.value == 98.0 && about.style.decimals == 0);
        assert_eq!(PrintedNumber::read("-0.63").map(|n| n.value), Some(-0.63));
    }

    #[test]
    fn what_is_not_a_plain_number_is_not_read() {
        for text in
            ["", "~", "+", "-", ".", "6.", "+-6", "6.8pp", "83%", "triple", "31,13", "3,11", ",113", "1e5", " 6"]
        {
            assert_eq!(PrintedNumber::read(text), None, "{text:?}");
        }
    }
}
