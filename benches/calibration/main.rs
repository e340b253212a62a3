//! Whether what a study says about its trust and its items is true: coverage of its intervals in worlds that are known.
//!
//! ```text
//! cargo bench --bench calibration -- trust STUDIES TRUST SEED     what is said of the typical trust
//! cargo bench --bench calibration -- items STUDIES TRUST SEED     what is said of items, and the ranking
//! cargo bench --bench calibration -- items STUDIES TRUST SEED auto     the same of one belief
//! ```
//!
//! simulates so many studies of each world (half as many with 1,000 items, a quarter with 3,000) whose typical trust is
//! TRUST labels, and prints a table of docs/calibration-tables.md. In every world features z are standard normal, ln
//! lambda is the logarithm of TRUST plus 0.5 times the sum of an item's z, true predictions q are uniform over the
//! simplex and raised off 0 by 0.005, pools are Dir(lambda q), and labels are drawn from them. What the judge states is
//! q, or q made overconfident or biased. Studies take the weak prior.

mod items;
mod trust;
mod world;

fn main() {
    // cargo bench adds --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number = |at: usize, default: f64| arguments.get(at).map_or(default, |text| text.parse().expect("a number"));
    let (studies, typical, seed) = (number(1, 20.0) as usize, number(2, 6.0), number(3, 1.0) as u32);
    match arguments.first().map(String::as_str) {
        Some("items") => items::table(studies, typical, seed, arguments.get(4).map(String::as_str)),
        _ => trust::table(studies, typical, seed),
    }
}

/// So many studies of a world of so many items.
fn studies_of(studies: usize, items: usize) -> usize {
    match items {
        0..1000 => studies,
        1000..3000 => studies / 2,
        _ => studies / 4,
    }
}

/// A share as text.
fn share(part: f64, all: usize) -> String {
    if all == 0 { "-".to_owned() } else { format!("{:.3}", part / all as f64) }
}
