//! Which items a queue holds, in which order, with how many labels each.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::queue::files::LEAST_DRAWN;
use judge_uncertainty_core::escalation::{Rule, Selection, top};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_evaluation::protocol::seeded;

/// What a queue is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueRequest {
    /// What ranks.
    pub rule: Order,
    /// How much is sent.
    pub amount: Amount,
    /// Labels per item, 1 or more.
    pub labels_per_item: u32,
    /// Share of the budget that is spent at random, above 0 and up to 1; `None` for none.
    pub explore: Option<f64>,
    /// Seed of the tie breaks, of the rule random and of the random share; after labels were added they fall otherwise.
    pub seed: u64,
}

/// The stream of the random share of a queue, under a seed and after so many batches of added labels.
pub(crate) fn share_stream(seed: u64, batches: usize) -> Stream {
    /// Numbers of the streams of later queues: this and the batches before them.
    const LATER_SHARES: u64 = 1 << 62;
    match batches {
        0 => Stream::new(seed),
        _ => seeded(seed, LATER_SHARES + batches as u64),
    }
}

/// What a queue needs to know about every item.
#[derive(Debug)]
pub struct Candidates<'a> {
    /// What the rule ranks by, higher first.
    pub priority: &'a [f64],
    /// Labels in hand.
    pub labels: &'a [u32],
    /// Uniform draws that order equal scores.
    pub tie_break: &'a [f64],
    /// Batches of labels that were added before: after each of them the random share falls otherwise.
    pub batches_before: usize,
}

/// One entry of a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct SentItem {
    /// Position of the item.
    pub item: usize,
    /// Labels suggested, 1 or more.
    pub labels: u32,
    /// Drawn at random rather than for its rank.
    pub drawn: bool,
}

/// A queue, and what it was chosen from.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    /// The entries in the order of their ranks.
    pub entries: Vec<SentItem>,
    /// Rank of every item under the rule, from 1.
    pub ranks: Vec<usize>,
    /// Selection probability of every item.
    pub probability: Vec<f64>,
}

impl Queue {
    /// Fills a request. Streams: that of the request's seed, for the random share only.
    ///
    /// # Errors
    /// A request that contradicts itself.
    pub fn fill(request: &QueueRequest, candidates: &Candidates<'_>) -> Result<Self, Error> {
        let Candidates { priority, labels, tie_break, batches_before } = *candidates;
        let items = priority.len();
        let ranking = top(priority, tie_break, items);
        let mut ranks = vec![0; items];
        ranking.iter().zip(1..).for_each(|(&i, rank)| ranks[i] = rank);
        let budget = request.amount.among(items);
        let draws_unlabelled = request.rule.draws_unlabelled();
        if let Some(share) = request.explore.filter(|_| !draws_unlabelled) {
            check_draws(share, budget, items)?;
        }
        let selection = match request.explore {
            Some(share) => {
                Selection::exploring(&ranking, budget, share, &mut share_stream(request.seed, batches_before))
            }
            None => Selection::top(&ranking, budget),
        };
        let selection = match draws_unlabelled {
            true => selection.among_equals(&ranking, |i, j| labels[i] == labels[j]),
            false => selection,
        };
        let mut entries: Vec<SentItem> = selection
            .ranked
            .iter()
            .map(|i| (i, false))
            .chain(selection.drawn.iter().map(|i| (i, true)))
            .map(|(i, drawn)| SentItem { item: *i, labels: request.labels_per_item, drawn })
            .collect();
        entries.sort_by_key(|entry| ranks[entry.item]);
        Ok(Self { entries, ranks, probability: selection.probability })
    }

    /// Fills a request with items of several criteria: `about` numbers the item that each row is about. An item is
    /// worth what its criteria are worth together, the sum of their priorities; a budget counts items, and each is sent
    /// with all its criteria, which share its rank.
    ///
    /// # Errors
    /// As [`Self::fill`].
    pub fn fill_whole(request: &QueueRequest, candidates: &Candidates<'_>, about: &[usize]) -> Result<Self, Error> {
        let (priority, tie_break) = of_wholes(candidates.priority, candidates.tie_break, about);
        let mut labels = vec![0; priority.len()];
        about.iter().zip(candidates.labels).for_each(|(&item, number)| labels[item] += number);
        let whole = Candidates { priority: &priority, labels: &labels, tie_break: &tie_break, ..*candidates };
        let queue = Self::fill(request, &whole)?;
        let rows = |item: usize| (0..about.len()).filter(move |&row| about[row] == item);
        let entries = queue.entries.iter().flat_map(|e| rows(e.item).map(|row| SentItem { item: row, ..*e })).collect();
        Ok(Self {
            entries,
            ranks: about.iter().map(|&item| queue.ranks[item]).collect(),
            probability: about.iter().map(|&item| queue.probability[item]).collect(),
        })
    }
}

/// What each item of several criteria is worth, the sum of their priorities, and the draw of its first criterion, which
/// is the item's; `about` numbers the item that each row is about.
pub(crate) fn of_wholes(priority: &[f64], tie_break: &[f64], about: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let items = about.iter().max().map_or(0, |last| last + 1);
    let (mut sums, mut draws) = (vec![0.0; items], vec![None; items]);
    for (row, &item) in about.iter().enumerate() {
        sums[item] += priority[row];
        draws[item] = draws[item].or(tie_break.get(row).copied());
    }
    (sums, draws.into_iter().flatten().collect())
}

/// Refuses to draw so few items that nothing could be estimated from them.
fn check_draws(share: f64, budget: usize, items: usize) -> Result<(), Error> {
    let budget = budget.min(items);
    let draws = Selection::draws(budget, share);
    let needed = LEAST_DRAWN.min(items - (budget - draws));
    if draws >= needed {
        return Ok(());
    }
    // Rounded up to a hundredth, so that it does.
    let explore = ((100.0 * needed as f64 / budget as f64).ceil() / 100.0).min(1.0).to_string();
    Err(Error::TooFewDrawn { draws, budget, needed, explore })
}

// How much is sent to experts, and what ranks it.

/// How many items are sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// A share of the items in percent, rounded down but never to nothing.
    Percent(f64),
    /// A number.
    Number(usize),
}

impl Amount {
    /// What a queue takes where nothing is asked for.
    pub const DEFAULT: Self = Self::Number(50);

    /// The budget among `items`.
    pub fn among(self, items: usize) -> usize {
        match self {
            Amount::Percent(percent) => ((items as f64 * percent / 100.0).floor() as usize).max(1),
            Amount::Number(number) => number,
        }
    }
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let positive = |number: &str| number.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
        let amount = match text.strip_suffix('%') {
            Some(percent) => positive(percent).map(Amount::Percent),
            None => text.parse().ok().filter(|n| *n > 0).map(Amount::Number),
        };
        amount.ok_or_else(|| format!("{text:?} is not a budget such as 10% or 300"))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Percent(percent) => write!(f, "{percent}%"),
            Amount::Number(number) => write!(f, "{number}"),
        }
    }
}

/// What labels are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To know every item: fewest labels first, a tenth at random.
    Items,
    /// To find the judge's mistakes: where it is most likely wrong, a fifth at random so that every finding stays estimable.
    Errors,
    /// To narrow the rate over all items: at random.
    Rate,
}

impl FromStr for Purpose {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "items" => Ok(Self::Items),
            "errors" => Ok(Self::Errors),
            "rate" => Ok(Self::Rate),
            _ => Err(format!("{text:?} is no purpose; write items, errors or rate")),
        }
    }
}

/// What ranks the items of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// A rule, which looks at one item at a time.
    By(Rule),
    /// Where the judge is most likely wrong, as the labels have it by group and answer
    /// ([`crate::queue::ranked`]); labelled items last.
    LikelyErrors,
}

impl Order {
    /// Key on the command line and in files, e.g. `judge_entropy`.
    pub fn key(self) -> &'static str {
        match self {
            Self::By(rule) => rule.name(),
            Self::LikelyErrors => "likely_errors",
        }
    }

    /// What it ranks by, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::By(rule) => rule.words(),
            Self::LikelyErrors => "how likely the judge is wrong, by group and answer",
        }
    }

    /// Whether a queue takes any of the items without a label alike, so that those which it chooses are a random sample
    /// of them: by number of labels they are equals, and equals come in random order.
    pub fn draws_unlabelled(self) -> bool {
        self == Self::By(Rule::FewestLabels)
    }
}

impl From<Rule> for Order {
    fn from(rule: Rule) -> Self {
        Self::By(rule)
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "likely_errors" => Ok(Self::LikelyErrors),
            _ => text.parse().map(Self::By).map_err(|error: <Rule as FromStr>::Err| error.to_string()),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_core::escalation::Rule;

    fn fill(amount: &str, labels_per_item: u32, explore: Option<f64>) -> Result<Queue, Error> {
        let (labels, priority) = ([0, 3, 1, 2], [2.0, 0.5, 0.1, 2.0 / 3.0]);
        let request = QueueRequest {
            rule: Rule::Info.into(),
            amount: amount.parse().unwrap(),
            labels_per_item,
            explore,
            seed: 3,
        };
        Queue::fill(&request, &Candidates { priority: &priority, labels: &labels, tie_break: &[], batches_before: 0 })
    }

    fn listed(queue: &Queue) -> Vec<(usize, u32)> {
        queue.entries.iter().map(|e| (e.item, e.labels)).collect()
    }

    #[test]
    fn budgets_are_in_items() {
        let queue = fill("50%", 3, None).unwrap();
        assert_eq!(listed(&queue), vec![(0, 3), (3, 3)]);
        assert_eq!(
            (queue.ranks.as_slice(), queue.probability.as_slice()),
            (&[1, 3, 4, 2][..], &[1.0, 0.0, 0.0, 1.0][..])
        );
        assert_eq!(listed(&fill("3", 1, None).unwrap()), [(0, 1), (3, 1), (1, 1)]);
    }

    #[test]
    fn items_of_several_criteria_are_worth_their_sum() {
        // Rows 0 and 2 are about one item, worth 4 + 1; row 1 is worth 4.5 alone; row 3 is worth 2.
        let candidates = Candidates {
            priority: &[4.0, 4.5, 1.0, 2.0],
            labels: &[0; 4],
            tie_break: &[0.1, 0.2, 0.3, 0.4],
            batches_before: 0,
        };
        let amount = "2".parse().unwrap();
        let request = QueueRequest { rule: Rule::Info.into(), amount, labels_per_item: 2, explore: None, seed: 3 };
        let about = [0, 1, 0, 2];
        let queue = Queue::fill_whole(&request, &candidates, &about).unwrap();
        assert_eq!(listed(&queue), [(0, 2), (2, 2), (1, 2)]);
        assert_eq!(queue.ranks, [1, 2, 1, 3]);
        assert_eq!(queue.probability, [1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn exploration_gives_every_item_a_chance() {
        let priority: Vec<f64> = (0..24).map(f64::from).collect();
        let explored = |share: f64| {
            let request = QueueRequest {
                rule: Rule::Info.into(),
                amount: "12".parse().unwrap(),
                labels_per_item: 2,
                explore: Some(share),
                seed: 3,
            };
            let labels = [0; 24];
            Queue::fill(
                &request,
                &Candidates { priority: &priority, labels: &labels, tie_break: &[], batches_before: 0 },
            )
        };
        let queue = explored(0.9).unwrap();
        assert_eq!((queue.entries.len(), queue.entries.iter().filter(|e| e.drawn).count()), (12, 11));
        assert_eq!((queue.probability[23], queue.probability[0]), (1.0, 11.0 / 23.0));
        assert!(queue.entries.is_sorted_by_key(|e| queue.ranks[e.item]));
        assert_eq!(queue, explored(0.9).unwrap());
        // Six drawn items estimate nothing; ten do.
        let refused = explored(0.5).unwrap_err();
        let is_wanted =
            matches!(&refused, Error::TooFewDrawn { draws: 6, budget: 12, needed: 10, explore } if explore == "0.84");
        assert!(is_wanted, "{refused}");
        assert!(explored(0.84).is_ok());
        // Where all the others are drawn, they are enough.
        assert!(fill("4", 2, Some(0.5)).is_ok());
    }
}

#[cfg(test)]
mod tests_of_amount {
    use super::*;

    #[test]
    fn amounts_are_read_and_shown_alike() {
        for (text, amount, of_250) in
            [("10%", Amount::Percent(10.0), 25), ("0.5%", Amount::Percent(0.5), 1), ("300", Amount::Number(300), 300)]
        {
            assert_eq!(text.parse(), Ok(amount));
            assert_eq!((amount.to_string().as_str(), amount.among(250)), (text, of_250));
        }
        assert_eq!(Amount::Percent(0.1).among(5), 1);
        for bad in ["0", "-3", "0%", "1e999%", "3.5", "epistemic<0.05", "", "%", "ten"] {
            assert!(bad.parse::<Amount>().is_err(), "{bad}");
        }
    }
}
