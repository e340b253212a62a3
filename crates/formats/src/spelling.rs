//! Spellings of one answer: `Pass`, `passed` and `1` where the other answer is `Fail`.

use crate::logs::tokens;

/// Spellings of the bad and of the good answer of a question with two.
const SPELLINGS: [[&str; 2]; 34] = [
    ["0", "1"],
    ["no", "yes"],
    ["n", "y"],
    ["false", "true"],
    ["f", "t"],
    ["fail", "pass"],
    ["failed", "passed"],
    ["incorrect", "correct"],
    ["wrong", "right"],
    ["bad", "good"],
    ["nein", "ja"],
    ["falsch", "richtig"],
    ["schlecht", "gut"],
    ["non", "oui"],
    ["faux", "vrai"],
    ["mauvais", "bon"],
    ["\u{1f44e}", "\u{1f44d}"],
    ["\u{274c}", "\u{2705}"],
    ["\u{2717}", "\u{2713}"],
    ["reject", "accept"],
    ["rejected", "accepted"],
    ["rejeté", "accepté"],
    ["refusé", "accepté"],
    ["no", "sí"],
    ["nie", "tak"],
    ["нет", "да"],
    ["nee", "ja"],
    ["fout", "goed"],
    ["hayir", "evet"],
    ["yanliş", "doğru"],
    ["não", "sim"],
    ["不合格", "合格"],
    ["not ok", "ok"],
    ["unacceptable", "acceptable"],
];

/// A number, written as one: `0.5`, and as spreadsheets show it, `0,5`, `1.234,5`, `1,234.5`, `50%` (50); or as stars.
pub fn number(cell: &str) -> Option<f64> {
    let finite = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    finite(cell).or_else(|| {
        let bare = cell.trim().trim_end_matches('%').trim_end();
        let digits = bare.trim_start_matches(['-', '+']);
        // Of a fixed number of points, as `4/5`.
        if let Some((points, all)) = digits.split_once('/')
            && ["5", "10", "100"].contains(&all.trim())
        {
            return finite(points.trim()).filter(|points| *points >= 0.0);
        }
        // As many as there are full stars.
        if !digits.is_empty() && digits.chars().all(|c| "★⭐☆\u{fe0f}".contains(c)) {
            return Some(digits.chars().filter(|c| "★⭐".contains(*c)).count() as f64);
        }
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit() || b",.".contains(&byte)) {
            return None;
        }
        let in_threes = |whole: &str, mark: char| {
            let mut groups = whole.split(mark);
            groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && !first.starts_with('0'))
                && groups.all(|group| group.len() == 3)
        };
        let (last_dot, last_comma) = (digits.rfind('.'), digits.rfind(','));
        let thousands = match (last_dot, last_comma) {
            (None, None) => return finite(bare),
            (Some(dot), Some(comma)) if dot > comma => ',',
            (Some(_), Some(_)) => '.',
            (None, Some(_)) if in_threes(digits, ',') => ',',
            (None, Some(_)) => '.',
            (Some(_), None) if digits.matches('.').count() > 1 => '.',
            (Some(_), None) => ',',
        };
        let decimal = if thousands == ',' { '.' } else { ',' };
        let whole = digits.split(decimal).next().unwrap_or_default();
        let is_number =
            digits.matches(decimal).count() <= 1 && (!whole.contains(thousands) || in_threes(whole, thousands));
        is_number.then(|| finite(&bare.replace(thousands, "").replace(decimal, "."))).flatten()
    })
}

/// The number that an answer is or is called by: that with which it begins, before a blank, a dash or letters, or which stands
/// in brackets at its end: `4 - good`, `4 pts`, `Agree (4)`.
pub fn numbered(answer: &str) -> Option<f64> {
    number(answer).or_else(|| {
        let digits = |text: &str| text.trim().parse::<u32>().ok().map(f64::from);
        if let Some((words, last)) = answer.trim().strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
            return digits(last).filter(|_| numbered(words).is_none());
        }
        let (first, rest) = answer.trim().split_at(answer.trim().find(|c: char| !c.is_ascii_digit())?);
        let is_name = |c: char| c.is_alphabetic();
        let (words, has_more) =
            (rest.trim_start_matches([' ', '-', '\u{2013}', ':', '=', '.', ')']), rest.contains(is_name));
        digits(first).filter(|_| has_more && words.starts_with(is_name))
    })
}

/// A cell in the form in which answers are compared: its first line in lower case without quotes and a full stop, whole numbers
/// without a fraction.
pub fn folded(cell: &str) -> String {
    let cell = cell.trim().lines().next().unwrap_or_default();
    match number(cell).filter(|x| x.fract() == 0.0 && x.abs() < 1e15) {
        Some(whole) => format!("{whole:.0}"),
        // The small letter of I in Turkish is that without a dot.
        None => tokens::bare(cell).to_lowercase().replace('ı', "i"),
    }
}

/// 0 for a folded answer that is the bad one of a question with two, 1 for the good one; `None` for neither.
pub fn polarity(folded: &str) -> Option<usize> {
    pair_of(folded)?.iter().position(|known| *known == folded)
}

/// The two answers of a question, folded, of which a folded answer is one: `fail` and `pass`; `None` of an answer that has no
/// such pair.
pub fn pair_of(folded: &str) -> Option<&'static [&'static str; 2]> {
    SPELLINGS.iter().find(|pair| pair.contains(&folded))
}

/// Whether an answer is the good one of a question with two, such as `Pass`.
pub fn is_good(answer: &str) -> bool {
    polarity(&folded(answer)) == Some(1)
}

/// The class that an answer is: apart from case, quotes and blanks, as the same number, or in other words where there are two,
/// as `1` is `pass` of `fail` and `pass`.
pub fn class_of(answer: &str, classes: &[String]) -> Option<usize> {
    let as_folded = || {
        let own = folded(answer);
        let mut found = (0..classes.len()).filter(|&k| folded(&classes[k]) == own);
        found.next().filter(|_| found.next().is_none() && !own.is_empty())
    };
    tokens::class_of(answer, classes).or_else(as_folded).or_else(|| of_two(answer, classes))
}

/// Which of two classes an answer is in other words; `None` where the classes are no such pair or the answer is another word.
fn of_two(answer: &str, classes: &[String]) -> Option<usize> {
    let sides: Vec<usize> = classes.iter().filter_map(|class| polarity(&folded(class))).collect();
    let side = polarity(&folded(answer))?;
    if classes.len() != 2 || sides.len() != 2 || sides[0] == sides[1] {
        return None;
    }
    sides.iter().position(|of_class| *of_class == side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_spreadsheets_show_them() {
        for (cell, value) in [
            ("0,85", Some(0.85)),
            ("-1,5", Some(-1.5)),
            ("1.234,5", Some(1234.5)),
            ("1,234.5", Some(1234.5)),
            ("1,234", Some(1234.0)),
            ("0,123", Some(0.123)),
            ("1.234.567", Some(1_234_567.0)),
            ("85%", Some(85.0)),
            (" 12,5 %", Some(12.5)),
            ("1,2,3", None),
            ("12,34.5", None),
            ("a,5", None),
            ("%", None),
            ("1,", Some(1.0)),
            ("nan", None),
            ("4/5", Some(4.0)),
            ("7 / 10", Some(7.0)),
            ("1/2", None),
            ("★★★☆☆", Some(3.0)),
            ("⭐️⭐️", Some(2.0)),
            ("☆☆☆☆☆", Some(0.0)),
            ("★ a", None),
        ] {
            assert_eq!(number(cell), value, "{cell}");
        }
    }

    #[test]
    fn answers_are_called_by_a_number_at_their_start_or_in_brackets() {
        for (answer, called) in [
            ("4 - good", Some(4.0)),
            ("4: good", Some(4.0)),
            ("10 out of 10", Some(10.0)),
            ("3分", Some(3.0)),
            ("Agree (4)", Some(4.0)),
            ("2.5", Some(2.5)),
            ("2026-01-02", None),
            ("10:30", None),
            ("P1", None),
            ("1 of 2 (3)", None),
            ("good", None),
            ("", None),
        ] {
            assert_eq!(numbered(answer), called, "{answer}");
        }
        assert_eq!([folded("unsafe\nS3"), folded(" Pass. ")], ["unsafe", "pass"]);
    }

    #[test]
    fn one_of_two_answers_in_other_words() {
        let classes = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        for (answer, class) in [
            ("1", Some(1)),
            ("1.0", Some(1)),
            ("\"Passed.\"", Some(1)),
            ("no", Some(0)),
            ("SÍ", Some(1)),
            ("perhaps", None),
            ("", None),
        ] {
            assert_eq!(class_of(answer, &classes(["fail", "pass"])), class, "{answer}");
        }
        assert_eq!(class_of("1", &classes(["Yes", "No"])), Some(0));
        assert_eq!(class_of("2.0", &classes(["2", "3"])), Some(0));
        // Of steps of a scale, or of two good answers, none is meant.
        assert_eq!(class_of("1", &classes(["A", "B"])), None);
        assert_eq!(class_of("1", &classes(["yes", "right"])), None);
        assert_eq!([pair_of("pass"), pair_of("A")], [Some(&["fail", "pass"]), None]);
    }
}
