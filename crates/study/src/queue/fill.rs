//! Which items a queue holds, in which order, with how many labels each.

use thiserror::Error as ThisError;

use super::amount::{Amount, LabelsPerItem, Order};
use super::selection::LEAST_DRAWN;
use judge_uncertainty_core::belief::{Belief, BeliefTable};
use judge_uncertainty_core::escalation::{Selection, allocate, top};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_evaluation::protocol::seeded;
use judge_uncertainty_system::limits::{self, Exceeded};

/// Most labels that one item is sent for, so that `--until` ends.
const MOST_LABELS: u32 = 10_000;

/// What a queue is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueRequest {
    /// What ranks.
    pub rule: Order,
    /// How much is sent.
    pub amount: Amount,
    /// Labels per item.
    pub labels_per_item: LabelsPerItem,
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

/// A request that contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum RequestError {
    /// Greedy allocation by a rule that can't look ahead.
    #[error(
        "labels can't be allocated greedily by the rule {rule}: it does not say what a label is worth once others are \
         in; use one of info, delta, v or fewest_labels, or a fixed --labels-per-item"
    )]
    Fixed {
        /// The rule.
        rule: &'static str,
    },
    /// Exploration where its probabilities would be unknown.
    #[error(
        "--explore needs a budget of items with a fixed number of labels each; leave out --until and --labels-per-item \
         greedy"
    )]
    Explore,
    /// Exploration that no estimate could be made from.
    #[error(
        "--explore draws {draws} of {budget} items at random, and an estimate for all items needs {needed} that come \
         back: raise --explore to {explore} or more, or the budget; leave out --explore if no estimate is wanted"
    )]
    TooFewDrawn {
        /// Items drawn.
        draws: usize,
        /// Items of the budget.
        budget: usize,
        /// Items needed.
        needed: usize,
        /// The share of the budget that would do, as text; 1 where the budget is too small.
        explore: String,
    },
    /// Greedy allocation of more labels than a limit.
    #[error("--labels-per-item greedy with --budget {budget}: {exceeded}")]
    TooManyLabels {
        /// The budget in labels.
        budget: usize,
        /// The limit.
        exceeded: Exceeded,
    },
    /// More rows about one thing than anybody labels.
    #[error("{exceeded}. If they are not about one thing, leave out items.item")]
    Together {
        /// The limit.
        exceeded: Exceeded,
    },
    /// Items of several criteria where the request is about single ones.
    #[error(
        "items.item makes a queue of items with all their criteria, for which {asked} is not defined; leave it out, or \
         remove items.item to queue criteria one by one"
    )]
    Whole {
        /// The option.
        asked: &'static str,
    },
    /// Both ways of saying how many labels.
    #[error("--until finds the number of labels of each item itself; leave out --labels-per-item")]
    Until,
}

/// What a queue needs to know about every item.
#[derive(Debug)]
pub struct Candidates<'a, T> {
    /// The current beliefs.
    pub beliefs: &'a T,
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
    pub fn fill<T: BeliefTable>(request: &QueueRequest, candidates: &Candidates<'_, T>) -> Result<Self, RequestError> {
        let Candidates { beliefs, priority, labels, tie_break, batches_before } = *candidates;
        let items = priority.len();
        let ranking = top(priority, tie_break, items);
        let mut ranks = vec![0; items];
        ranking.iter().zip(1..).for_each(|(&i, rank)| ranks[i] = rank);
        let greedy = request.labels_per_item == LabelsPerItem::Greedy;
        if request.explore.is_some() && (greedy || matches!(request.amount, Amount::Until { .. })) {
            return Err(RequestError::Explore);
        }
        let (selection, given): (Selection, Vec<u32>) = match (request.amount, request.labels_per_item) {
            (Amount::Until { .. }, LabelsPerItem::Greedy | LabelsPerItem::Fixed(2..)) => {
                return Err(RequestError::Until);
            }
            (Amount::Until { below }, _) => {
                let needed: Vec<u32> = (0..items).map(|i| labels_until(&beliefs.get(i), below)).collect();
                let wanted: Vec<usize> = ranking.iter().copied().filter(|&i| needed[i] > 0).collect();
                (chosen(wanted, items), needed)
            }
            (amount, LabelsPerItem::Greedy) => {
                let rule = request.rule.rule().filter(|rule| rule.looks_ahead());
                let rule = rule.ok_or_else(|| RequestError::Fixed { rule: request.rule.key() })?;
                let value = |i: usize, k: u32| {
                    rule.priority_after(&beliefs.get(i), labels[i], k)
                        .expect("the rule looks ahead, as was just checked")
                };
                // More than all items can take is as good as that.
                let budget = amount.among(items).min(items.saturating_mul(MOST_LABELS as usize));
                let exceeded = |exceeded| RequestError::TooManyLabels { budget: amount.among(items), exceeded };
                limits::GREEDY_LABELS.check(budget as u64).map_err(exceeded)?;
                let given = allocate(items, budget, MOST_LABELS, tie_break, value);
                let wanted: Vec<usize> = ranking.iter().copied().filter(|&i| given[i] > 0).collect();
                (chosen(wanted, items), given)
            }
            (amount, LabelsPerItem::Fixed(number)) => {
                let budget = amount.among(items);
                if let Some(share) = request.explore.filter(|_| !request.rule.draws_unlabelled(amount)) {
                    check_draws(share, budget, items)?;
                }
                let selection = match request.explore {
                    Some(share) => {
                        Selection::exploring(&ranking, budget, share, &mut share_stream(request.seed, batches_before))
                    }
                    None => Selection::top(&ranking, budget),
                };
                let selection = match request.rule.draws_unlabelled(amount) {
                    true => selection.among_equals(&ranking, |i, j| labels[i] == labels[j]),
                    false => selection,
                };
                (selection, vec![number; items])
            }
        };
        let mut entries: Vec<SentItem> = selection
            .ranked
            .iter()
            .map(|i| (i, false))
            .chain(selection.drawn.iter().map(|i| (i, true)))
            .map(|(i, drawn)| SentItem { item: *i, labels: given[*i], drawn })
            .collect();
        entries.sort_by_key(|entry| ranks[entry.item]);
        Ok(Self { entries, ranks, probability: selection.probability })
    }

    /// Fills a request with items of several criteria: `about` numbers the item that each row is about. An item is
    /// worth what its criteria are worth together, the sum of their priorities; a budget counts items, and each is sent
    /// with all its criteria, which share its rank.
    ///
    /// # Errors
    /// A request that is about single criteria: greedy, or until a level.
    pub fn fill_whole<T: BeliefTable>(
        request: &QueueRequest,
        candidates: &Candidates<'_, T>,
        about: &[usize],
    ) -> Result<Self, RequestError> {
        let asked = match (request.amount, request.labels_per_item) {
            (Amount::Until { .. }, _) => Some("--until"),
            (_, LabelsPerItem::Greedy) => Some("--labels-per-item greedy"),
            _ => None,
        };
        if let Some(asked) = asked {
            return Err(RequestError::Whole { asked });
        }
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

    /// Labels suggested in all.
    pub fn labels(&self) -> u64 {
        self.entries.iter().map(|entry| u64::from(entry.labels)).sum()
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
fn check_draws(share: f64, budget: usize, items: usize) -> Result<(), RequestError> {
    let budget = budget.min(items);
    let draws = Selection::draws(budget, share);
    let needed = LEAST_DRAWN.min(items - (budget - draws));
    if draws >= needed {
        return Ok(());
    }
    // Rounded up to a hundredth, so that it does.
    let explore = ((100.0 * needed as f64 / budget as f64).ceil() / 100.0).min(1.0).to_string();
    Err(RequestError::TooFewDrawn { draws, budget, needed, explore })
}

/// A selection of given items, the others having had no chance.
fn chosen(items: Vec<usize>, of: usize) -> Selection {
    let mut probability = vec![0.0; of];
    items.iter().for_each(|&i| probability[i] = 1.0);
    Selection { ranked: items, drawn: vec![], probability }
}

/// The least number of labels after which the expected epistemic part is below a level.
fn labels_until(belief: &impl Belief, below: f64) -> u32 {
    if belief.epistemic_after(0) < below {
        return 0;
    }
    let (mut low, mut high) = (0, 1);
    while high < MOST_LABELS && belief.epistemic_after(high) >= below {
        (low, high) = (high, (2 * high).min(MOST_LABELS));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if belief.epistemic_after(middle) < below { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_core::belief::{BeliefTable, Beliefs, Gaussian};
    use judge_uncertainty_core::escalation::Rule;

    fn gaussians() -> Vec<Gaussian> {
        [(1.0, 1.0), (4.0, 1.0), (2.0, 0.1), (9.0, 3.0)]
            .map(|(evidence, scale)| Gaussian { mean: 0.0, evidence, freedom: 4.0, scale })
            .to_vec()
    }

    fn fill(amount: &str, per_item: &str, rule: Rule, explore: Option<f64>) -> Result<Queue, RequestError> {
        let beliefs = gaussians();
        let labels = [0, 3, 1, 2];
        let priority: Vec<f64> =
            (0..4).map(|i| rule.priority_after(&beliefs[i], labels[i], 0).unwrap_or(i as f64)).collect();
        let request = QueueRequest {
            rule: rule.into(),
            amount: amount.parse().unwrap(),
            labels_per_item: per_item.parse().unwrap(),
            explore,
            seed: 3,
        };
        Queue::fill(
            &request,
            &Candidates { beliefs: &beliefs, priority: &priority, labels: &labels, tie_break: &[], batches_before: 0 },
        )
    }

    fn listed(queue: &Queue) -> Vec<(usize, u32)> {
        queue.entries.iter().map(|e| (e.item, e.labels)).collect()
    }

    #[test]
    fn budgets_in_items_and_in_labels() {
        // Epistemic parts: E[s^2] = 2 s0^2, so 2, 0.5, 0.1 and 2/3.
        let queue = fill("50%", "3", Rule::Info, None).unwrap();
        assert_eq!((listed(&queue), queue.labels()), (vec![(0, 3), (3, 3)], 6));
        assert_eq!(
            (queue.ranks.as_slice(), queue.probability.as_slice()),
            (&[1, 3, 4, 2][..], &[1.0, 0.0, 0.0, 1.0][..])
        );
        assert_eq!(listed(&fill("3", "1", Rule::Info, None).unwrap()), [(0, 1), (3, 1), (1, 1)]);
        // Greedy: values 2, 1, 2/3, 1/2.. of item 0; 6/9, 6/10.. of item 3; the tie goes to the earlier item.
        assert_eq!(listed(&fill("5", "greedy", Rule::Info, None).unwrap()), [(0, 3), (3, 2)]);
        assert_eq!(listed(&fill("100%", "greedy", Rule::FewestLabels, None).unwrap()), [(0, 3), (2, 1)]);
    }

    #[test]
    fn items_of_several_criteria_are_worth_their_sum() {
        let beliefs = gaussians();
        // Rows 0 and 2 are about one item, worth 4 + 1; row 1 is worth 4.5 alone; row 3 is worth 2.
        let candidates = Candidates {
            beliefs: &beliefs,
            priority: &[4.0, 4.5, 1.0, 2.0],
            labels: &[0; 4],
            tie_break: &[0.1, 0.2, 0.3, 0.4],
            batches_before: 0,
        };
        let request = |amount: &str, per_item: &str, explore| QueueRequest {
            rule: Rule::Info.into(),
            amount: amount.parse().unwrap(),
            labels_per_item: per_item.parse().unwrap(),
            explore,
            seed: 3,
        };
        let about = [0, 1, 0, 2];
        let queue = Queue::fill_whole(&request("2", "2", None), &candidates, &about).unwrap();
        assert_eq!(listed(&queue), [(0, 2), (2, 2), (1, 2)]);
        assert_eq!((queue.ranks.as_slice(), queue.labels()), (&[1, 2, 1, 3][..], 6));
        assert_eq!(queue.probability, [1.0, 1.0, 1.0, 0.0]);
        for (amount, per_item, asked) in [("3", "greedy", "--labels-per-item greedy"), ("epistemic<1", "1", "--until")]
        {
            let refused = Queue::fill_whole(&request(amount, per_item, None), &candidates, &about);
            assert_eq!(refused, Err(RequestError::Whole { asked }));
        }
    }

    #[test]
    fn until_a_level_is_reached() {
        // 2/(1+k) < 0.5 needs k = 4 (2/4 is not below), 2/(4+k) < 0.5 one, 6/(9+k) < 0.5 four.
        let queue = fill("epistemic<0.5", "1", Rule::Info, None).unwrap();
        assert_eq!(listed(&queue), [(0, 4), (3, 4), (1, 1)]);
        assert!(fill("epistemic<1e-9", "1", Rule::Info, None).unwrap().entries.iter().all(|e| e.labels == MOST_LABELS));
        let beliefs = Beliefs::new(ndarray::array![[0.5, 1.0]]);
        let k = labels_until(&beliefs.get(0), 0.05);
        assert!(beliefs.get(0).epistemic_after(k) < 0.05 && beliefs.get(0).epistemic_after(k - 1) >= 0.05);
    }

    #[test]
    fn exploration_gives_every_item_a_chance() {
        let priority: Vec<f64> = (0..24).map(f64::from).collect();
        let beliefs = gaussians().repeat(6);
        let explored = |share: f64| {
            let request = QueueRequest {
                rule: Rule::Info.into(),
                amount: "12".parse().unwrap(),
                labels_per_item: "2".parse().unwrap(),
                explore: Some(share),
                seed: 3,
            };
            let labels = [0; 24];
            Queue::fill(
                &request,
                &Candidates {
                    beliefs: &beliefs,
                    priority: &priority,
                    labels: &labels,
                    tie_break: &[],
                    batches_before: 0,
                },
            )
        };
        let queue = explored(0.9).unwrap();
        assert_eq!((queue.entries.len(), queue.entries.iter().filter(|e| e.drawn).count()), (12, 11));
        assert_eq!((queue.probability[23], queue.probability[0]), (1.0, 11.0 / 23.0));
        assert!(queue.entries.is_sorted_by_key(|e| queue.ranks[e.item]));
        assert_eq!(queue, explored(0.9).unwrap());
        // Six drawn items estimate nothing; ten do.
        let refused = explored(0.5).unwrap_err();
        assert_eq!(refused, RequestError::TooFewDrawn { draws: 6, budget: 12, needed: 10, explore: "0.84".to_owned() });
        assert!(explored(0.84).is_ok());
        // Where all the others are drawn, they are enough.
        assert!(fill("4", "2", Rule::Info, Some(0.5)).is_ok());
    }

    #[test]
    fn a_greedy_budget_beyond_all_reason_is_refused() {
        // Four items take 40,000 labels, whatever the budget; so many are handed out.
        let queue = fill("4000000000", "greedy", Rule::FewestLabels, None).unwrap();
        assert_eq!(queue.labels(), 4 * u64::from(MOST_LABELS));
        let (beliefs, numbers) = (gaussians().repeat(50), [0; 200]);
        let request = QueueRequest {
            rule: Rule::FewestLabels.into(),
            amount: "4000000000".parse().unwrap(),
            labels_per_item: LabelsPerItem::Greedy,
            explore: None,
            seed: 3,
        };
        let candidates = Candidates {
            beliefs: &beliefs,
            priority: &[0.0; 200],
            labels: &numbers,
            tie_break: &[],
            batches_before: 0,
        };
        let error = Queue::fill(&request, &candidates).unwrap_err().to_string();
        assert_eq!(
            error,
            "--labels-per-item greedy with --budget 4000000000: it takes 2000000 labels to be handed out one by one, \
             and the limit is 1000000; if that is meant, set JUDGE_UNCERTAINTY_LIMITS=2 in the environment, by which \
             every limit is multiplied"
        );
    }

    #[test]
    fn contradictions_are_refused() {
        assert_eq!(fill("3", "greedy", Rule::Random, None), Err(RequestError::Fixed { rule: "random" }));
        assert_eq!(fill("3", "greedy", Rule::Info, Some(0.1)), Err(RequestError::Explore));
        assert_eq!(fill("epistemic<1", "1", Rule::Info, Some(0.1)), Err(RequestError::Explore));
        assert_eq!(fill("epistemic<1", "2", Rule::Info, None), Err(RequestError::Until));
    }
}
