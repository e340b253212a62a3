//! Log-probabilities of tokens as a distribution over classes.
//!
//! At the token with which the answer's label begins, the probability of a class is that of the tokens that mean it:
//!
//! ```text
//! p(class) = sum over the listed tokens t that mean the class of exp(log-probability of t)
//! outside  = 1 - sum over the classes of p(class)
//! ```
//!
//! A token means the class that it spells (blanks, quotes and case apart), or the one with which it begins in those
//! answers of the same log that are a class as a whole. `outside` holds other tokens and what the list leaves out.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::Problem;

/// An answer with the log-probabilities of its tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The text.
    pub text: String,
    /// Its tokens, in order.
    pub tokens: Vec<Token>,
}

/// A token of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// Its text.
    pub text: String,
    /// The tokens that were likely in its place with their log-probabilities (natural); itself, too.
    pub likely: Vec<(String, f64)>,
}

/// Names of fields under which judges write a label into JSON.
const LABEL_FIELDS: [&str; 8] = ["label", "answer", "verdict", "score", "rating", "choice", "winner", "class"];

/// The label of an answer: the text, or the one value (or that of a field such as `label`) of a JSON object.
pub fn label_of(text: &str) -> String {
    let plain = text.trim();
    let Ok(Value::Object(members)) = serde_json::from_str::<Value>(plain) else { return plain.to_owned() };
    let named = LABEL_FIELDS.iter().find_map(|name| members.get(*name));
    let value = named.or_else(|| members.values().next().filter(|_| members.len() == 1));
    value.and_then(super::json::scalar).unwrap_or_else(|| plain.to_owned())
}

/// A text without white space, quotes, marks and a full stop around it.
pub(crate) fn bare(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'', '*', '`']).trim_end_matches('.').trim()
}

/// The class that a text spells: letter by letter, or apart from blanks, quotes, a full stop and case if that is one
/// class.
pub fn class_of(text: &str, classes: &[String]) -> Option<usize> {
    let exact = |text: &str| classes.iter().position(|class| class == text);
    exact(text).or_else(|| exact(bare(text))).or_else(|| {
        let text = bare(text).to_lowercase();
        let mut found = (0..classes.len()).filter(|&k| bare(&classes[k]).to_lowercase() == text);
        found.next().filter(|_| found.next().is_none() && !text.is_empty())
    })
}

impl Answered {
    /// The token with which the label begins.
    fn first_of_label(&self) -> Option<&Token> {
        let label = label_of(&self.text);
        let from = self.text.rfind(&label).filter(|_| !label.is_empty())?;
        let mut end = 0;
        let token = self.tokens.iter().find(|token| {
            end += token.text.len();
            end > from && !bare(&token.text).is_empty()
        });
        // Tokens that don't spell the text have no places in it.
        let spelt = self.tokens.iter().map(|token| token.text.as_str()).collect::<String>();
        token.filter(|_| spelt.starts_with(self.text.trim_end()) || spelt.trim() == self.text.trim())
    }

    /// The probabilities of the classes, given the tokens with which they begin ([`class_starts`]); `None` where the
    /// answer begins with none of them.
    pub fn shares(&self, starts: &BTreeMap<String, usize>, classes: &[String]) -> Option<Vec<f64>> {
        /// Log-probabilities are rounded, and so may sum to a little more than 1.
        const ROUNDING: f64 = 1.01;
        let mut shares = vec![0.0; classes.len()];
        for (text, log_probability) in &self.first_of_label()?.likely {
            if let Some(class) = class_of(text, classes).or_else(|| starts.get(bare(text)).copied()) {
                shares[class] += log_probability.exp();
            }
        }
        let sum: f64 = shares.iter().sum();
        if sum > 1.0 && sum < ROUNDING {
            shares.iter_mut().for_each(|share| *share /= sum);
        }
        (sum > 0.0).then_some(shares)
    }
}

/// The classes by the tokens with which they begin, as the answers show that are a class as a whole.
///
/// # Errors
/// Classes that begin with the same token, so that the token does not distinguish them.
pub fn class_starts<'a>(
    answers: impl Iterator<Item = &'a Answered>,
    classes: &[String],
) -> Result<BTreeMap<String, usize>, Problem> {
    let mut starts = BTreeMap::new();
    for answer in answers {
        let Some(class) = class_of(&label_of(&answer.text), classes) else { continue };
        let Some(token) = answer.first_of_label() else { continue };
        let start = bare(&token.text).to_owned();
        if class_of(&start, classes).is_some_and(|spelt| spelt == class) {
            continue;
        }
        if let Some(other) = starts.insert(start.clone(), class)
            && other != class
        {
            let (one, two) = (&classes[other], &classes[class]);
            let reason = format!("the classes {one:?} and {two:?} both begin with the token {start:?}");
            let remedy = "let the judge answer with labels that differ in their first token, such as A, B, C; or take \
                          the answers as they are with kind = \"labels\"";
            return Err(Problem::unfit(reason, remedy));
        }
    }
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn answered(tokens: &[(&str, &[(&str, f64)])]) -> Answered {
        let text = tokens.iter().map(|(text, _)| *text).collect();
        let likely = |likely: &[(&str, f64)]| likely.iter().map(|(t, p)| ((*t).to_owned(), p.ln())).collect();
        let tokens = tokens.iter().map(|(t, l)| Token { text: (*t).to_owned(), likely: likely(l) }).collect();
        Answered { text, tokens }
    }

    fn shares(answer: &Answered, classes: &[&str]) -> Option<Vec<f64>> {
        let classes = names(classes);
        let starts = class_starts(std::iter::once(answer), &classes).unwrap();
        answer.shares(&starts, &classes).map(|shares| shares.iter().map(|p| (p * 1e6).round() / 1e6).collect())
    }

    #[test]
    fn tokens_that_mean_a_class_are_summed_and_the_rest_is_outside() {
        let plain = answered(&[(" yes", &[(" yes", 0.5), ("Yes", 0.2), ("no", 0.1), ("maybe", 0.15)])]);
        assert_eq!(shares(&plain, &["yes", "no"]), Some(vec![0.7, 0.1]));
        let blank = answered(&[("\n", &[("\n", 1.0)]), ("no", &[("no", 0.75), ("yes", 0.125)])]);
        assert_eq!(shares(&blank, &["yes", "no"]), Some(vec![0.125, 0.75]));
        let other = answered(&[("I", &[("I", 0.9), ("yes", 0.1)]), (" think", &[(" think", 1.0)])]);
        assert_eq!(shares(&other, &["yes", "no"]), Some(vec![0.1, 0.0]));
        assert_eq!(shares(&other, &["a", "b"]), None);
    }

    #[test]
    fn labels_of_several_tokens_are_known_by_their_first() {
        let long =
            answered(&[("ent", &[("ent", 0.6), ("neutral", 0.3), ("en", 0.1)]), ("ailment", &[("ailment", 1.0)])]);
        assert_eq!(shares(&long, &["entailment", "neutral"]), Some(vec![0.6, 0.3]));
    }

    #[test]
    fn the_label_of_a_json_answer_is_where_its_value_stands() {
        let tokens: [(&str, &[(&str, f64)]); 5] = [
            ("{\"", &[("{\"", 1.0)]),
            ("score", &[("score", 1.0)]),
            ("\":", &[("\":", 1.0)]),
            (" 4", &[(" 4", 0.5), (" 3", 0.25)]),
            ("}", &[("}", 1.0)]),
        ];
        assert_eq!(shares(&answered(&tokens), &["3", "4"]), Some(vec![0.25, 0.5]));
    }

    #[test]
    fn classes_that_share_their_first_token_are_refused() {
        let answers = [
            answered(&[("not", &[("not", 1.0)]), (" urgent", &[(" urgent", 1.0)])]),
            answered(&[("not", &[("not", 1.0)]), (" relevant", &[(" relevant", 1.0)])]),
        ];
        let problem = class_starts(answers.iter(), &names(&["not urgent", "not relevant"])).unwrap_err();
        assert_eq!(
            problem.to_string(),
            "the classes \"not urgent\" and \"not relevant\" both begin with the token \"not\""
        );
    }

    #[test]
    fn words_are_classes_apart_from_their_dress() {
        let classes = names(&["Yes", "no", "NO "]);
        let found: Vec<_> =
            ["Yes", " yes.", "\"no\"", "NO ", "No", "", "y"].iter().map(|t| class_of(t, &classes)).collect();
        assert_eq!(found, [Some(0), Some(0), Some(1), Some(2), None, None, None]);
    }
}
