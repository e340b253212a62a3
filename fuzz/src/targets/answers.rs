//! What a judge answers, and the file that keeps its answers.

use std::fs;

use judge_uncertainty::judge::cache::AnswerCache;
use judge_uncertainty::judge::{Ask, parse, read_reply};

use super::tables::told;
use crate::scratch::{Scratch, choice};

/// The text of an answer.
pub(crate) fn answer(data: &[u8]) {
    let (ask, data) = choice(data, 4);
    let text = String::from_utf8_lossy(data);
    let classes = ["yes", "no", "not sure"].map(str::to_owned);
    match ask {
        0 => {
            if let Ok(found) = parse::distribution(&text, &classes) {
                assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{found:?}");
                assert!(found.shares.iter().all(|share| (0.0..=1.0).contains(share)), "{found:?}");
            }
        }
        1 => assert!(
            parse::confidence(&text).is_ok_and(|found| (0.0..=100.0).contains(&found))
                || parse::confidence(&text).is_err()
        ),
        2 => {
            if let Ok(found) = parse::score(&text, (1.0, 5.0)) {
                assert!((1.0..=5.0).contains(&found[0]) && found[1] >= 0.0, "{found:?}");
            }
        }
        _ => {
            let tokens: Vec<(String, f64)> = text
                .lines()
                .filter_map(|line| line.rsplit_once(' '))
                .filter_map(|(token, log)| Some((token.to_owned(), log.parse().ok()?)))
                .collect();
            if let Ok(found) = parse::label_tokens(&tokens, &classes) {
                assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{found:?}");
            }
        }
    }
}

/// What an endpoint replies.
pub(crate) fn reply(data: &[u8]) {
    let (ask, data) = choice(data, 2);
    let text = String::from_utf8_lossy(data);
    let answer = read_reply(&text, [Ask::Distribution, Ask::Label][ask]);
    assert!(answer.raw.is_some() || answer.failure.is_some());
}

/// `answers.jsonl`: what was opened once holds the same when it is opened again.
pub(crate) fn answer_cache(data: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.put("answers.jsonl", data);
    let Ok(cache) = AnswerCache::open(&path).map_err(told) else {
        assert_eq!(fs::read(&path).expect("what was refused is left"), data);
        return;
    };
    let entries = cache.entries().to_vec();
    drop(cache);
    let again = AnswerCache::open(&path).expect("it was opened before");
    assert!(again.repaired() == 0 && again.entries() == entries);
}
