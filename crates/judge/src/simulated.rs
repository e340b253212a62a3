//! A stand-in for a judge, so that the whole chain runs without a network, at no cost and with the same answers each
//! time.
//!
//! It knows the shares p of an item's labels (the dice's biases, ChaosNLI's label shares; for other items shares that
//! are invented from the text) and how familiar the item is, f from 0 to 1. Its prediction is the truth seen through
//! noise that shrinks with familiarity:
//!
//! ```text
//! q[j] ~ (p[j] + 0.01) exp(s(f) (z[j] + 0.3 v[j])),   s(f) = 0.1 + 1.4 (1 - f)
//! ```
//!
//! with z standard normal draws of the item, which all prompt variants share, and v those of the item, variant and
//! sample. Its stated confidence, 88 + 6 z, clipped to 0..100, does not depend on f: a judge that does not know what
//! it does not know. Its update is the mean of (4 q + counts)/(4 + n), so it trusts itself alike everywhere.
//!
//! An item's familiarity is how common its words are among all items: the rank, from 0 to 1, of the mean of the
//! logarithms of its words' numbers of items. For the dice it is that of the description tier. All draws come from
//! streams that are seeded by the text of their names; the form of the answers varies as real ones do (order of the
//! classes, code fences, a closing sentence).

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::client::{Answer, Judge, TokenUsage, Trouble};
use crate::prompts::Ask;
use crate::request::JudgeRequest;
use crate::task::{Item, Task};
use judge_uncertainty_core::random::Stream;

/// Weight of the simulated judge's own prediction when it updates, in labels.
const OWN_LABELS: f64 = 4.0;

/// The simulated judge.
#[derive(Debug, Clone)]
pub struct Simulated<'t> {
    task: &'t Task,
    /// Of each item the shares of the classes (of scores the place on the scale, 0 to 1), and how familiar it is, 0 to 1.
    known: Vec<(Vec<f64>, f64)>,
}

impl<'t> Simulated<'t> {
    /// A judge of the items of `task`.
    pub fn new(task: &'t Task) -> Self {
        let items: Vec<&Item> = task.items.iter().chain(&task.left_out).collect();
        let known = |(item, by_words): (&Item, f64)| {
            let invented = || invented_shares(&item.text, task.classes().len());
            let familiarity = item.truth.as_ref().and_then(|truth| truth.told).unwrap_or(by_words);
            (item.truth.as_ref().map_or_else(invented, |truth| truth.shares.clone()), familiarity)
        };
        Simulated { task, known: task.items.iter().zip(familiarity_of_words(&items)).map(known).collect() }
    }

    fn prediction(&self, request: &JudgeRequest) -> Vec<f64> {
        let (item, (shares, familiarity)) = (&self.task.items[request.item], &self.known[request.item]);
        let mut common = stream_of(&["item", &item.id]);
        let mut own = stream_of(&["variant", &item.id, &request.variant, &request.sample.to_string()]);
        let scale = noise(*familiarity);
        let weights: Vec<f64> = shares
            .iter()
            .map(|p| (p + 0.01) * (scale * (common.standard_normal() + 0.3 * own.standard_normal())).exp())
            .collect();
        let sum: f64 = weights.iter().sum();
        let own_view: Vec<f64> = weights.iter().map(|w| w / sum).collect();
        if request.ask != Ask::Update {
            return own_view;
        }
        let n: f64 = item.labels.iter().map(|&n| f64::from(n)).sum();
        let counts = item.labels.iter().map(|&n| f64::from(n));
        own_view.iter().zip(counts).map(|(q, n_j)| (OWN_LABELS * q + n_j) / (OWN_LABELS + n)).collect()
    }

    fn score(&self, request: &JudgeRequest) -> String {
        let (item, (shares, familiarity)) = (&self.task.items[request.item], &self.known[request.item]);
        let (low, high) = self.task.answers.range();
        let mut own = stream_of(&["variant", &item.id, &request.variant, &request.sample.to_string()]);
        let noise = 0.15 * noise(*familiarity) * own.standard_normal();
        let place = (shares.first().copied().unwrap_or(0.5) + noise).clamp(0.0, 1.0);
        format!("{{\"mean\": {:.3}, \"sd\": {:.3}}}", low + place * (high - low), 0.15 * (high - low))
    }
}

impl Judge for Simulated<'_> {
    fn host(&self) -> &str {
        "simulated"
    }

    fn ask(&self, request: &JudgeRequest) -> Result<Answer, Trouble> {
        let item = &self.task.items[request.item];
        let mut answer = Answer::default();
        let text = match request.ask {
            Ask::Confidence => {
                let z = stream_of(&["confidence", &item.id, &request.variant]).standard_normal();
                format!("{{\"confidence\": {:.0}}}", (88.0 + 6.0 * z).clamp(0.0, 100.0))
            }
            Ask::Score => self.score(request),
            Ask::Distribution | Ask::Update => {
                let shares = self.prediction(request);
                form(self.task.classes(), &hundred(&shares), &mut stream_of(&["form", &request.key]))
            }
            Ask::Label => {
                let shares = self.prediction(request);
                let classes = self.task.classes();
                let top = (1..shares.len()).fold(0, |best, j| if shares[j] > shares[best] { j } else { best });
                // A little mass falls on tokens that are no label.
                let tokens = classes.iter().zip(&shares).map(|(class, q)| (class.clone(), (0.98 * q).ln()));
                answer.label_tokens = Some(tokens.collect());
                classes[top].clone()
            }
        };
        answer.tokens = Some(TokenUsage {
            prompt: super::about_tokens(request.prompt.len()),
            completion: super::about_tokens(text.len()),
        });
        answer.served_model = Some("simulated".to_owned());
        answer.raw = Some(text);
        Ok(answer)
    }
}

/// Standard deviation of the noise on the logarithm of a share.
fn noise(familiarity: f64) -> f64 {
    0.1 + 1.4 * (1.0 - familiarity)
}

/// Whole numbers that sum to 100, by largest remainder; of equal remainders the first.
fn hundred(shares: &[f64]) -> Vec<u32> {
    let mut counts: Vec<u32> = shares.iter().map(|q| (100.0 * q).floor() as u32).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let rest = |j: usize| 100.0 * shares[j] - (100.0 * shares[j]).floor();
    order.sort_by(|&a, &b| rest(b).total_cmp(&rest(a)).then(a.cmp(&b)));
    let missing = 100_u32.saturating_sub(counts.iter().sum());
    for &j in order.iter().take(missing as usize) {
        counts[j] += 1;
    }
    counts
}

/// An answer in one of the forms that models use.
fn form(classes: &[String], counts: &[u32], stream: &mut Stream) -> String {
    let mut pairs: Vec<String> = classes
        .iter()
        .zip(counts)
        .map(|(class, n)| format!("{}: {n}", serde_json::Value::from(class.as_str())))
        .collect();
    let (turned, look) = (stream.choice(pairs.len() as u32), stream.choice(10));
    pairs.rotate_left(turned as usize);
    let object = format!("{{{}}}", pairs.join(", "));
    match look {
        0 => format!("```json\n{object}\n```"),
        1 => format!("{object}\n\nThese are my expectations."),
        _ => object,
    }
}

/// The stream of a list of names.
fn stream_of(names: &[&str]) -> Stream {
    let mut hash = Sha256::new();
    for name in names {
        // The length keeps ("ab", "c") apart from ("a", "bc").
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
    }
    let digest = hash.finalize();
    let words: Vec<u32> =
        digest.chunks_exact(4).map(|word| word.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte))).collect();
    Stream::from_entropy(&words)
}

/// Shares for an item that has only a text: the same text always gives the same shares.
fn invented_shares(text: &BTreeMap<String, String>, classes: usize) -> Vec<f64> {
    let texts: Vec<&str> = text.values().map(String::as_str).collect();
    let mut stream = stream_of(&[&["shares"], texts.as_slice()].concat());
    let weights: Vec<f64> = (0..classes.max(1)).map(|_| (2.0 * stream.standard_normal()).exp()).collect();
    if classes < 2 {
        return vec![stream.random()];
    }
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|w| w / sum).collect()
}

/// Familiarity of each item, 0 to 1: the rank of the mean log number of items that share its words (see above).
fn familiarity_of_words(items: &[&Item]) -> Vec<f64> {
    let words: Vec<BTreeSet<String>> = items
        .iter()
        .map(|item| {
            let all = item.text.values().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
            all.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
        })
        .collect();
    let mut holding: BTreeMap<&str, f64> = BTreeMap::new();
    for word in words.iter().flatten() {
        *holding.entry(word).or_default() += 1.0;
    }
    let common: Vec<f64> = words
        .iter()
        .map(|words| words.iter().map(|word| holding[word.as_str()].ln()).sum::<f64>() / words.len().max(1) as f64)
        .collect();
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| common[a].total_cmp(&common[b]).then(a.cmp(&b)));
    let mut familiarity = vec![0.5; items.len()];
    if items.len() > 1 {
        for (rank, &i) in order.iter().enumerate() {
            familiarity[i] = rank as f64 / (items.len() - 1) as f64;
        }
    }
    familiarity
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Truth;
    use judge_uncertainty_study::input::scale::Scale;

    #[test]
    fn counts_sum_to_a_hundred() {
        // By hand: floors 33, 33, 33 and one more for the first of equal remainders.
        assert_eq!(hundred(&[1.0 / 3.0; 3]), [34, 33, 33]);
        assert_eq!(hundred(&[0.125, 0.875]), [13, 87]);
        assert_eq!(hundred(&[1.0, 0.0]), [100, 0]);
    }

    /// A limit spares questions; the judge is the same.
    #[test]
    fn items_that_are_left_out_still_show_how_common_a_word_is() {
        let mut told = texts(["a", "b", "c", "d"]);
        let truth = |told: f64| Truth { shares: vec![0.5, 0.5], told: Some(told) };
        told.items.iter_mut().zip([0.1, 0.9, 0.4, 1.0].map(truth)).for_each(|(item, truth)| item.truth = Some(truth));
        for mut task in [told, texts(["a cat", "the cat", "the dog", "a xylograph"])] {
            let whole = Simulated::new(&task).known;
            task.limit(3);
            task.limit(2);
            assert_eq!((task.items.len(), task.left_out.len()), (2, whole.len() - 2));
            assert_eq!(Simulated::new(&task).known, whole[..2]);
        }
    }

    fn texts<const N: usize>(texts: [&str; N]) -> Task {
        let item = |text: &str| {
            let (id, text) = (text.into(), [("text".into(), text.into())].into());
            Item { id, text, labels: vec![], truth: None }
        };
        let answers = Scale::Classes(["yes", "no"].map(String::from).to_vec());
        Task::new("texts".into(), "study", String::new(), answers, texts.map(item).into())
    }

    #[test]
    fn common_words_are_familiar() {
        // "the cat" shares both words, "the dog" one, "xylograph" none.
        let task = texts(["xylograph", "The cat", "the dog", "a cat, the"]);
        let familiarity = familiarity_of_words(&task.items.iter().collect::<Vec<_>>());
        assert_eq!(familiarity[0], 0.0);
        assert_eq!(familiarity[1], 1.0);
        assert!(familiarity[2] < familiarity[1]);
    }
}
