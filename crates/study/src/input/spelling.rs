//! Spellings of one answer: `Pass`, `passed` and `1` where the other answer is `Fail`.

/// Spellings of the bad and of the good answer of a question with two.
const SPELLINGS: [[&str; 2]; 14] = [
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
    ["reject", "accept"],
    ["rejected", "accepted"],
    ["not ok", "ok"],
    ["unacceptable", "acceptable"],
];

/// A number, written as one.
pub fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A cell in the form in which answers are compared: lower case, whole numbers without a fraction.
pub(crate) fn folded(cell: &str) -> String {
    match number(cell).filter(|x| x.fract() == 0.0 && x.abs() < 1e15) {
        Some(whole) => format!("{whole:.0}"),
        None => cell.trim().to_lowercase(),
    }
}

/// Whether a folded answer is the good or the bad one; `None` for neither.
pub(crate) fn polarity(folded: &str) -> Option<usize> {
    SPELLINGS.iter().find_map(|pair| pair.iter().position(|known| *known == folded))
}

/// Whether an answer is the good one of a question with two, such as `Pass`.
pub fn is_good(answer: &str) -> bool {
    polarity(&folded(answer)) == Some(1)
}

/// Which of two classes an answer is in other words, as `1` is `pass` of `fail` and `pass`; `None` where the classes are no
/// such pair or the answer is none of them.
pub fn of_two(answer: &str, classes: &[String]) -> Option<usize> {
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
    fn one_of_two_answers_in_other_words() {
        let classes = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        for (answer, class) in
            [("1", Some(1)), ("1.0", Some(1)), ("Passed", Some(1)), ("no", Some(0)), ("perhaps", None)]
        {
            assert_eq!(of_two(answer, &classes(["fail", "pass"])), class, "{answer}");
        }
        assert_eq!(of_two("1", &classes(["Yes", "No"])), Some(0));
        // Of steps of a scale, or of two good answers, none is meant.
        assert_eq!(of_two("1", &classes(["A", "B"])), None);
        assert_eq!(of_two("1", &classes(["yes", "right"])), None);
    }
}
