//! The parser under answers that no test author thought of.

use judge_uncertainty::judge::parse::{Failure, confidence, distribution, label_tokens, score};
use proptest::prelude::*;

fn classes() -> Vec<String> {
    ["red", "dark green", "Blue"].map(String::from).to_vec()
}

/// Three whole numbers of 0 or more that sum to `total`.
fn triples(total: u32) -> impl Strategy<Value = [u32; 3]> {
    (0..=total, 0..=total).prop_map(move |(a, b)| {
        let (low, high) = (a.min(b), a.max(b));
        [low, high - low, total - high]
    })
}

/// Pieces that make texts which look like answers.
fn pieces() -> impl Strategy<Value = String> {
    // Not a union of constants, whose every arm would have a generator of its own.
    let piece = proptest::sample::select(vec![
        "{",
        "}",
        "\"",
        ":",
        ",",
        "[",
        "]",
        "\\",
        "\n",
        " ",
        "red",
        "\"red\": 50",
        "\"dark green\": 30, ",
        "\"Blue\": 20",
        "```json",
        "-",
        "1e999",
        "NaN",
        "100",
        "%",
        "confidence",
        "mean",
        "é",
    ]);
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A way to write an answer.
#[derive(Debug, Clone)]
struct Look {
    order: usize,
    quotes: bool,
    percent: bool,
    upper: bool,
    fence: bool,
    before: &'static str,
    after: &'static str,
    space: &'static str,
    shares: bool,
}

fn looks() -> impl Strategy<Value = Look> {
    let around = prop_oneof![Just(""), Just("Sure. "), Just("\n\n"), Just("My answer {roughly}: ")];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let space = prop_oneof![Just(""), Just(" "), Just("\n\t")];
    (0_usize..6, flags, around.clone(), around, space).prop_map(
        |(order, (quotes, percent, upper, fence, shares), before, after, space)| Look {
            order,
            quotes,
            percent: percent && quotes && !shares,
            upper,
            fence,
            before,
            after,
            space,
            shares,
        },
    )
}

fn write(counts: [u32; 3], look: &Look) -> String {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let space = look.space;
    let pairs = orders[look.order].map(|j| {
        let name = if look.upper { classes()[j].to_uppercase() } else { classes()[j].clone() };
        let mut value =
            if look.shares { format!("{:.2}", f64::from(counts[j]) / 100.0) } else { counts[j].to_string() };
        if look.percent {
            value.push('%');
        }
        if look.quotes {
            value = format!("\"{value}\"");
        }
        format!("{space}\"{name}\"{space}:{space}{value}")
    });
    let object = format!("{{{}{space}}}", pairs.join(","));
    let object = if look.fence { format!("```json\n{object}\n```") } else { object };
    format!("{}{object}{}", look.before, look.after)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_distribution_or_a_failure(text in prop_oneof![any::<String>(), pieces()]) {
        if let Ok(d) = distribution(&text, &classes()) {
            prop_assert_eq!(d.shares.len(), 3);
            prop_assert!(d.shares.iter().all(|share| (0.0..=1.0).contains(share)), "{:?}", d.shares);
            prop_assert!((d.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            // An answer has every class in its text.
            let folded = text.to_lowercase();
            prop_assert!(classes().iter().all(|class| folded.contains(&class.to_lowercase())));
        }
        if let Ok(c) = confidence(&text) {
            prop_assert!((0.0..=100.0).contains(&c));
            prop_assert!(text.contains(|c: char| c.is_ascii_digit()));
        }
        if let Ok(s) = score(&text, (1.0, 5.0)) {
            prop_assert!((1.0..=5.0).contains(&s[0]) && s[1] >= 0.0);
        }
    }

    #[test]
    fn a_good_answer_is_read_however_it_looks(counts in triples(100), look in looks()) {
        let text = write(counts, &look);
        let d = distribution(&text, &classes());
        prop_assert!(d.is_ok(), "{:?}: {}", d, text);
        for (share, n) in d.unwrap().shares.iter().zip(counts) {
            prop_assert!((share - f64::from(n) / 100.0).abs() < 1e-12, "{}", text);
        }
    }

    #[test]
    fn a_sum_off_by_rounding_is_normalised(
        total in prop_oneof![Just(99_u32), Just(101)], seed in triples(99), look in looks(),
    ) {
        let look = Look { shares: false, ..look };
        let counts = [seed[0], seed[1], seed[2] + total - 99];
        let d = distribution(&write(counts, &look), &classes()).unwrap();
        prop_assert!(d.normalised);
        for (share, n) in d.shares.iter().zip(counts) {
            prop_assert!((share - f64::from(n) / f64::from(total)).abs() < 1e-12);
        }
    }

    #[test]
    fn a_wrong_sum_never_counts(
        total in (2_u32..=98).prop_union(102_u32..=1000), part in 0.0..1.0_f64, look in looks(),
    ) {
        let look = Look { shares: false, ..look };
        let first = (f64::from(total) * part) as u32;
        prop_assert_eq!(distribution(&write([first, total - first, 0], &look), &classes()), Err(Failure::WrongSum));
    }

    #[test]
    fn what_is_missing_extra_or_negative_never_counts(counts in triples(100), look in looks(), j in 0_usize..3) {
        let look = Look { percent: false, ..look };
        let text = write(counts, &look);
        let name = if look.upper { classes()[j].to_uppercase() } else { classes()[j].clone() };
        let renamed = text.replace(&format!("\"{name}\""), "\"white\"");
        let failure = distribution(&renamed, &classes()).unwrap_err();
        prop_assert!(matches!(failure, Failure::ExtraClass | Failure::MissingClass), "{:?}: {}", failure, renamed);
        let extra = text.replace('{', "{\"white\": 0,").replace("{\"white\": 0,roughly}", "");
        prop_assert_eq!(distribution(&extra, &classes()), Err(Failure::ExtraClass), "{}", extra);
        let negative = write([counts[0], counts[1], counts[2]], &Look { quotes: false, shares: false, ..look.clone() });
        let at = negative.find(':').map(|at| negative[at..].find(|c: char| c.is_ascii_digit()).map(|d| at + d));
        if let Some(Some(at)) = at.filter(|_| look.before != "My answer {roughly}: ") {
            let minus = format!("{}-1{}", &negative[..at], &negative[at..]);
            prop_assert_eq!(distribution(&minus, &classes()), Err(Failure::Negative), "{}", minus);
        }
    }

    #[test]
    fn label_tokens_never_gain_mass(tokens in proptest::collection::vec((pieces(), -30.0..0.0_f64), 0..20)) {
        if let Ok(d) = label_tokens(&tokens, &classes()) {
            prop_assert!((d.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&d.unseen.unwrap()));
        }
    }
}
