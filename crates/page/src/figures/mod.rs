//! Figures that the paper and studies of other data have in common, drawn from what both hold.

pub mod advantage;
pub mod budget;
pub mod calibration;
pub mod coefficients;
pub mod components;

use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::{Interval, Summary};
use judge_uncertainty_evaluation::{ByRule, Escalation};
use judge_uncertainty_figures::Point;
use judge_uncertainty_figures::axis::signed;
use judge_uncertainty_system::numbers::{NumberStyle, three};

/// Budgets that a figure has room for.
const MOST_BUDGETS: usize = 4;

/// How intervals over replicates are to be read, the same words for every figure.
pub const OVER_REPLICATES: &str = "run from the 2.5 to the 97.5 percentile over replicates: the spread from one \
                                          draw of labels to the next, not the precision of the mean, which is far \
                                          finer";

/// A mean over replicates with its 2.5 and 97.5 percentiles.
pub fn over_replicates(at: f64, summary: &Summary) -> Point {
    Point { at, value: summary.mean, interval: Some(Interval { lo: summary.lo, hi: summary.hi }) }
}

/// What an evaluation measured, and how figures name it.
pub struct EvaluationView<'a> {
    /// Evaluated items.
    pub items: usize,
    /// Error removed.
    pub full: &'a Escalation,
    /// Error removed minus that by the rule `reference`.
    pub differences: &'a ByRule,
    /// The rule that others are compared with.
    pub reference: Rule,
    /// What that rule ranks by.
    pub reference_name: &'a str,
    /// The error.
    pub error: &'a str,
    /// Its units.
    pub units: &'a str,
    /// Names of the rules.
    pub name: fn(Rule) -> &'static str,
    /// Rules that are left out.
    pub left_out: &'a [Rule],
    /// What to know of the markers.
    pub markers: &'a str,
}

/// What to know of the markers where all rules are the paper's.
pub const PAPERS_RULES: &str = "; filled markers are the paper's rules";

impl<'a> EvaluationView<'a> {
    /// An evaluation of labels that are classes.
    pub fn of_classes(items: usize, full: &'a Escalation) -> Self {
        Self {
            items,
            full,
            differences: &full.minus_judge_entropy,
            reference: Rule::JudgeEntropy,
            reference_name: "the judge's entropy",
            error: "Manhattan error (0 to 2 per item)",
            units: "Manhattan units",
            name: |rule| rule.row().figure,
            left_out: &[],
            markers: PAPERS_RULES,
        }
    }

    /// The rules, highest mean of `value` at the headline budget first.
    fn ranked_rules(&self, value: impl Fn(Rule, Budget) -> f64) -> Vec<Rule> {
        let headline = headline(self.full);
        let mut rules: Vec<Rule> = self.full.value.keys().copied().filter(|r| !self.left_out.contains(r)).collect();
        rules.sort_by(|a, b| value(*b, headline).total_cmp(&value(*a, headline)));
        rules
    }
}

/// A number in a table.
pub fn show(value: f64) -> String {
    signed(&three(value))
}

/// A share as a whole percentage.
pub fn percent(share: f64) -> String {
    format!("{}%", NumberStyle::plain(0).format(100.0 * share))
}

/// A number in a sentence.
pub fn say(value: f64, decimals: i8) -> String {
    signed(&NumberStyle::plain(decimals).format(value))
}

/// The budgets of an evaluation, in ascending order.
pub fn budgets(full: &Escalation) -> Vec<Budget> {
    full.value.values().next().map_or(vec![], |by_budget| by_budget.keys().copied().collect())
}

/// The budget that tables and sentences show: a tenth of the items, or the largest below it, or the smallest there is.
pub fn headline(full: &Escalation) -> Budget {
    Budget::headline_of(&budgets(full))
}

/// The budgets that figures show: all, or four spread over them, the headline among them.
fn shown_budgets(full: &Escalation) -> Vec<Budget> {
    spread_over(&budgets(full))
}

fn spread_over(all: &[Budget]) -> Vec<Budget> {
    if all.len() <= MOST_BUDGETS {
        return all.to_vec();
    }
    let headline = Budget::headline_of(all);
    let mut shown: Vec<Budget> = (0..MOST_BUDGETS).map(|k| all[k * (all.len() - 1) / (MOST_BUDGETS - 1)]).collect();
    if !shown.contains(&headline) {
        // In place of the nearer of the inner ones; the ends stay.
        let distance = |k: &usize| shown[*k].in_percent().abs_diff(headline.in_percent());
        let nearest = (1..MOST_BUDGETS - 1).min_by_key(distance).unwrap_or(1);
        shown[nearest] = headline;
    }
    shown
}

/// What a figure leaves out, if anything.
fn other_budgets(full: &Escalation) -> &'static str {
    if budgets(full).len() > MOST_BUDGETS { " Other budgets were evaluated too." } else { "" }
}

/// A count with its noun: in words up to twelve, as books print it.
pub fn counted(count: usize, noun: &str) -> String {
    const WORDS: [&str; 13] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let number = WORDS.get(count).map_or_else(|| count.to_string(), |word| (*word).to_owned());
    format!("{number} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A count with its noun, as a sentence starts with it: its first letter is a capital.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// `1, 5, 10 and 20`.
pub fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_budgets_are_thinned_and_the_headline_stays() {
        let of = |percents: &[u32]| percents.iter().filter_map(|p| Budget::percent(*p)).collect::<Vec<_>>();
        assert_eq!(spread_over(&of(&[5, 10])), of(&[5, 10]));
        assert_eq!(spread_over(&of(&[5, 10, 15, 20, 25, 50])), of(&[5, 10, 20, 50]));
        assert_eq!(spread_over(&of(&[1, 2, 3, 4, 5, 6, 10, 20])), of(&[1, 3, 10, 20]));
        assert_eq!([of(&[20, 30]), of(&[1, 7, 20]), vec![]].map(|b| Budget::headline_of(&b).in_percent()), [20, 7, 10]);
    }

    #[test]
    fn counts_and_lists_read_as_prose() {
        assert_eq!(capital(&counted(8, "rule")), "Eight rules");
        assert_eq!([counted(1, "budget"), counted(13, "rule")], ["one budget", "13 rules"]);
        let parts = |n: usize| (1..=n).map(|k| k.to_string()).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 4].map(|n| listed(&parts(n))), ["", "1", "1 and 2", "1, 2, 3 and 4"]);
    }
}
