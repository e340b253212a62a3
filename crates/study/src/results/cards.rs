//! Items for readers: what is known of each, and in words why it stands where it does.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::input::question::Remark;
use crate::model::study::{Decomposition, Study};
use judge_uncertainty_core::belief::Feature;
use judge_uncertainty_core::escalation::{Budget, Rule, places, top};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_core::stats::quantile::percentiles;
use judge_uncertainty_evaluation::{ItemComponents, LabelPool, Luck};

/// Items that are listed first under each rule.
pub const FIRST: usize = 20;
/// Letters of a text that a page holds at most.
const MOST_LETTERS: usize = 1200;

/// One item.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its id.
    pub id: String,
    /// What experts read, cut where it is long; `None` without texts, or where they must not be shown.
    pub text: Option<String>,
    /// Whether the text was cut.
    pub cut: bool,
    /// What the judge wrote beside its answer, cut where it is long; blank where nothing is known of it.
    pub transcript: String,
    /// What annotators said who skipped it or commented on it.
    pub remarks: Vec<String>,
    /// Its group.
    pub group: Option<String>,
    /// Labels held.
    pub labels: u32,
    /// Judge and belief.
    pub profile: Profile,
    /// Aleatoric part.
    pub aleatoric: f64,
    /// Epistemic part.
    pub epistemic: f64,
    /// Trust, in labels.
    pub trust: f64,
    /// Place under each rule, from 1.
    pub ranks: BTreeMap<Rule, usize>,
    /// What stands out, in words.
    pub why: Vec<String>,
}

/// The items of a page: all of a small study; of a large one the first under each rule and a random sample of the
/// others.
#[derive(Debug, Clone, PartialEq)]
pub struct Cards {
    /// Items of the study.
    pub items: usize,
    /// The rules that rank them.
    pub rules: Vec<Rule>,
    /// The rule under which they are listed at first.
    pub rule: Rule,
    /// The items, in the order of that rule.
    pub cards: Vec<Card>,
}

impl Cards {
    /// The items of a decomposition, among them those with the ids `named`; without `texts` none of their texts is kept.
    pub fn new(study: &Study, decomposition: &Decomposition, texts: bool, named: &[&str]) -> Self {
        let priority = |rule: Rule| Some((rule, decomposition.priority(rule)?));
        let priorities: Vec<(Rule, Vec<f64>)> = study.rules().into_iter().filter_map(priority).collect();
        let rules: Vec<Rule> = priorities.iter().map(|(rule, _)| *rule).collect();
        let rule = if rules.contains(&Rule::Info) { Rule::Info } else { rules[0] };
        let Luck { jitter, random } = &decomposition.luck;
        let mut chosen = chosen(&priorities, (jitter, random), MOST_SHOWN);
        chosen.extend(named.iter().filter_map(|id| study.items.ids.position(id)));
        let order: Vec<usize> = chosen.iter().copied().collect();
        let ranks: Vec<(Rule, Vec<usize>)> =
            priorities.into_iter().map(|(rule, priority)| (rule, places(&priority, jitter, &order))).collect();
        let words = Words::new(decomposition);
        let mut remarks: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for one in study.labels.remarks.iter().filter(|one| chosen.contains(&one.item)) {
            let said = match one.remark {
                Remark::Skip => format!("{} skipped it: {}", one.annotator, one.words),
                Remark::Comment => format!("{}: {}", one.annotator, one.words),
            };
            remarks.entry(one.item).or_default().push(said);
        }
        let card = |(k, &i): (usize, &usize)| {
            let belief = decomposition.belief(i);
            let profile = Profile::new(study, decomposition, i);
            let text = study.items.texts.as_ref().filter(|_| texts).map(|texts| texts[i].as_str());
            let cut = |text: &str| text.chars().take(MOST_LETTERS).collect::<String>();
            let shown = text.map(cut);
            let transcript = study.items.transcripts.as_ref().filter(|_| texts).map(|all| match cut(&all[i]) {
                whole if whole.len() == all[i].len() => whole,
                cut => cut + " …",
            });
            Card {
                id: study.items.ids[i].to_owned(),
                cut: shown.as_ref().zip(text).is_some_and(|(shown, text)| shown.len() < text.len()),
                text: shown,
                transcript: transcript.unwrap_or_default(),
                remarks: remarks.remove(&i).unwrap_or_default(),
                group: study.items.groups.as_ref().map(|groups| groups.name(i).to_owned()),
                labels: decomposition.numbers[i],
                why: words.why(decomposition, i, &profile),
                profile,
                aleatoric: belief.aleatoric(),
                epistemic: belief.epistemic(),
                trust: decomposition.trust[i],
                ranks: ranks.iter().map(|(rule, places)| (*rule, places[k])).collect(),
            }
        };
        let mut cards: Vec<Card> = order.iter().enumerate().map(card).collect();
        cards.sort_by_key(|card| card.ranks[&rule]);
        Self { items: study.len(), rules, rule, cards }
    }

    /// The place of an item among the cards.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.cards.iter().position(|card| card.id == id)
    }

    /// Whether some items are left out.
    pub fn is_partial(&self) -> bool {
        self.cards.len() < self.items
    }
}

/// The first items under each rule, filled up to `most` at random.
fn chosen(priorities: &[(Rule, Vec<f64>)], (jitter, random): (&[f64], &[f64]), most: usize) -> BTreeSet<usize> {
    if random.len() <= most {
        return (0..random.len()).collect();
    }
    let first = priorities.iter().flat_map(|(_, priority)| top(priority, jitter, FIRST));
    let mut chosen: BTreeSet<usize> = first.collect();
    for i in top(random, &[], most) {
        if chosen.len() >= most {
            break;
        }
        chosen.insert(i);
    }
    chosen
}

/// Beyond which values an item stands out, by the study's own items.
struct Words {
    most_labels: u32,
    half_have: u32,
    /// Feature by feature, its 90 percentile (10 for confidence); `None` where it does not vary.
    limits: Vec<Option<f64>>,
    least_trust: Option<f64>,
    most_total: Option<f64>,
}

impl Words {
    fn new(decomposition: &Decomposition) -> Self {
        let limit = |values: &[f64], percent: f64| -> Option<f64> {
            let [least, at, most] = percentiles(values, [0.0, percent, 100.0]);
            (most - least > 1e-9 * most.abs().max(1.0)).then_some(at)
        };
        let of = |values: &[Option<f64>], percent: f64| {
            let present: Vec<f64> = values.iter().flatten().copied().collect();
            if present.is_empty() { None } else { limit(&present, percent) }
        };
        let mut numbers = decomposition.numbers.clone();
        numbers.sort_unstable();
        let percent = |feature: &Feature| if *feature == Feature::Confidence { 10.0 } else { 90.0 };
        Self {
            most_labels: numbers.last().copied().unwrap_or(0),
            half_have: numbers.get(numbers.len() / 2).copied().unwrap_or(0),
            limits: decomposition.features.iter().map(|f| of(&f.values, percent(&f.feature))).collect(),
            least_trust: limit(&decomposition.trust, 10.0),
            most_total: limit(&decomposition.map(|belief| belief.total()), 90.0),
        }
    }

    fn why(&self, decomposition: &Decomposition, i: usize, profile: &Profile) -> Vec<String> {
        let mut why = vec![];
        match decomposition.numbers[i] {
            0 if self.most_labels > 0 => why.push("no label yet".to_owned()),
            0 => {}
            n if 2 * n <= self.half_have => {
                why.push(format!("few labels: {n}, where half of the items have {} or more", self.half_have));
            }
            _ => {}
        }
        let mut far = false;
        for (feature, limit) in decomposition.features.iter().zip(&self.limits) {
            let (Some(x), Some(limit)) = (feature.values[i], *limit) else { continue };
            match &feature.feature {
                distance if distance.is_distance() && x >= limit && !far => {
                    far = true;
                    why.push("far from what is labelled".to_owned());
                }
                Feature::Spread if x >= limit => why.push("the judge's variants disagree".to_owned()),
                Feature::Confidence if x <= limit => why.push("the judge states little confidence".to_owned()),
                _ => {}
            }
        }
        if self.least_trust.is_some_and(|least| decomposition.trust[i] <= least) {
            why.push("the judge is trusted least here".to_owned());
        }
        if decomposition.numbers[i] > 0 && profile.is_apart() {
            why.push("its labels say otherwise than the judge".to_owned());
        }
        let belief = decomposition.belief(i);
        if self.most_total.is_some_and(|most| belief.total() >= most) {
            why.push("much is open in all".to_owned());
        }
        why
    }
}

/// Judge and belief are apart where so much probability lies elsewhere, or so many standard deviations of the judge's.
const APART: f64 = 0.25;

/// What the judge predicts of an item, beside what is believed once its labels are in.
#[derive(Debug, Clone, PartialEq)]
pub enum Profile {
    /// Shares of the classes.
    Shares {
        /// The judge's prediction.
        judge: Vec<f64>,
        /// The mean of the belief.
        belief: Vec<f64>,
        /// Labels held, by class.
        counts: Vec<u32>,
    },
    /// Places on a scale.
    Scores {
        /// The judge's score, and its standard deviation if one is stated.
        judge: (f64, Option<f64>),
        /// Mean of the belief, and standard deviation of a fresh label.
        belief: (f64, f64),
        /// Labels held, one per annotator.
        labels: Vec<f64>,
    },
}

impl Profile {
    /// What judge, belief and labels say of an item.
    pub fn new(study: &Study, decomposition: &Decomposition, item: usize) -> Self {
        let judge = study.judge.predictions.row(item).to_vec();
        let believed = decomposition.pool.believed(&decomposition.fitted.beliefs, item);
        match &decomposition.pool {
            LabelPool::Classes(_) => {
                let belief = believed[believed.len() - judge.len()..].to_vec();
                Self::Shares { judge, belief, counts: study.labels.counts.row(item).to_vec() }
            }
            LabelPool::Ratings(pool) => Self::Scores {
                judge: (judge[0], study.judge.variances[item].map(f64::sqrt)),
                belief: (believed[0], decomposition.belief(item).total().sqrt()),
                labels: pool.ratings()[item].iter().map(|scores| mean(scores)).collect(),
            },
        }
    }

    /// Whether the labels have moved the belief far from the judge's prediction.
    pub fn is_apart(&self) -> bool {
        match self {
            Self::Shares { judge, belief, .. } => {
                0.5 * judge.iter().zip(belief).map(|(q, m)| (q - m).abs()).sum::<f64>() > APART
            }
            Self::Scores { judge, belief, .. } => (judge.0 - belief.0).abs() > judge.1.unwrap_or(belief.1),
        }
    }
}

/// Items that a figure shows at most.
pub const MOST_SHOWN: usize = 2000;

/// Items for a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemSample {
    /// Items of the study. Where they are more than the components hold, these are a simple random sample: the items
    /// that the rule `random` ranks first.
    pub items: usize,
    /// The items shown, in their order; escalated are those of a tenth of all items that are shown.
    pub components: ItemComponents,
}

impl ItemSample {
    /// Samples the items of a decomposition, with what the epistemic part and the judge's uncertainty escalate.
    pub fn new(decomposition: &Decomposition) -> Self {
        let priorities =
            [Rule::Info, Rule::JudgeEntropy].into_iter().filter_map(|rule| Some((rule, decomposition.priority(rule)?)));
        let parts = |i: usize| {
            let belief = decomposition.belief(i);
            (belief.aleatoric(), belief.epistemic())
        };
        Self::drawn(&decomposition.luck, parts, priorities.collect())
    }

    /// `parts` gives aleatoric and epistemic part of an item, `priorities` what rules rank the items by.
    fn drawn(luck: &Luck, parts: impl Fn(usize) -> (f64, f64), priorities: BTreeMap<Rule, Vec<f64>>) -> Self {
        let items = luck.random.len();
        let mut shown = top(&luck.random, &[], MOST_SHOWN);
        shown.sort_unstable();
        let budget = Budget::HEADLINE;
        let escalated = |priority: Vec<f64>| -> Vec<usize> {
            let picks = top(&priority, &luck.jitter, budget.of(items));
            let mut places: Vec<usize> = picks.iter().filter_map(|item| shown.binary_search(item).ok()).collect();
            places.sort_unstable();
            places
        };
        let (aleatoric, epistemic) = shown.iter().map(|&i| parts(i)).unzip();
        let escalated = priorities.into_iter().map(|(rule, priority)| (rule, escalated(priority))).collect();
        Self { items, components: ItemComponents { aleatoric, epistemic, budget, escalated } }
    }

    /// Whether some items are left out.
    pub fn is_partial(&self) -> bool {
        self.components.aleatoric.len() < self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_system::progress::Silent;

    fn starter() -> (Study, Decomposition) {
        let study = Study::load("../../examples/starter".as_ref()).unwrap();
        let decomposition = Decomposition::new(&study, &Silent).unwrap();
        (study, decomposition)
    }

    #[test]
    fn all_items_of_a_small_study_with_their_places() {
        let (study, decomposition) = starter();
        let cards = Cards::new(&study, &decomposition, true, &[]);
        assert!(!cards.is_partial() && cards.cards.len() == study.len());
        let ranking = decomposition.ranking(Rule::Info).unwrap();
        for (place, (card, i)) in cards.cards.iter().zip(ranking).enumerate() {
            assert_eq!((card.id.as_str(), card.ranks[&Rule::Info]), (&study.items.ids[i], place + 1));
            let Profile::Shares { judge, belief, counts } = &card.profile else { panic!("{card:?}") };
            for shares in [judge, belief] {
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
            assert_eq!(counts.iter().sum::<u32>(), card.labels);
            assert_eq!(card.text, Some(study.items.texts.as_ref().unwrap()[i].clone()));
        }
        assert!(cards.cards.iter().all(|card| (card.labels == 0) == card.why.contains(&"no label yet".to_owned())));
        assert!(Cards::new(&study, &decomposition, false, &[]).cards.iter().all(|card| card.text.is_none()));
    }

    #[test]
    fn of_many_items_the_first_of_every_rule_and_a_sample() {
        let random: Vec<f64> = (0..500).map(|i| f64::from((i * 211) % 500)).collect();
        let rising: Vec<f64> = (0..500).map(f64::from).collect();
        let falling = rising.iter().rev().copied().collect();
        let priorities = [(Rule::Info, rising), (Rule::Delta, falling)];
        let chosen = chosen(&priorities, (&[], &random), 100);
        assert_eq!(chosen.len(), 100);
        assert!((0..FIRST).chain(480..500).all(|i| chosen.contains(&i)));
        // The others are those that the random draws rank highest.
        let least = chosen.iter().filter(|i| (FIRST..480).contains(*i)).map(|&i| random[i]).fold(f64::MAX, f64::min);
        assert!((FIRST..480).filter(|i| !chosen.contains(i)).all(|i| random[i] < least));
        assert_eq!(super::chosen(&priorities, (&[], &random), 500).len(), 500);
    }

    #[test]
    fn what_stands_out_is_said() {
        let (study, decomposition) = starter();
        let words = Words::new(&decomposition);
        let spread = decomposition.features.iter().find(|f| f.feature == Feature::Spread).unwrap();
        let limit =
            words.limits[decomposition.features.iter().position(|f| f.feature == Feature::Spread).unwrap()].unwrap();
        for i in 0..study.len() {
            let why = words.why(&decomposition, i, &Profile::new(&study, &decomposition, i));
            let disagree = why.iter().any(|reason| reason.starts_with("the judge's variants disagree"));
            assert_eq!(disagree, spread.values[i].is_some_and(|x| x >= limit), "{why:?}");
        }
        let apart = Profile::Shares { judge: vec![0.9, 0.1], belief: vec![0.5, 0.5], counts: vec![0, 4] };
        let near = Profile::Shares { judge: vec![0.9, 0.1], belief: vec![0.8, 0.2], counts: vec![0, 1] };
        assert!(apart.is_apart() && !near.is_apart());
    }
    use judge_uncertainty_core::random::Stream;

    fn sample(items: usize) -> ItemSample {
        let mut stream = Stream::new(4);
        let random: Vec<f64> = (0..items).map(|_| stream.random()).collect();
        let priority: Vec<f64> = (0..items).map(|i| i as f64).collect();
        let luck = Luck { jitter: vec![], random };
        ItemSample::drawn(&luck, |i| (i as f64, -(i as f64)), [(Rule::Info, priority)].into())
    }

    #[test]
    fn a_small_study_is_shown_whole() {
        let all = sample(30);
        assert!(!all.is_partial());
        assert_eq!(all.components.aleatoric, (0..30).map(f64::from).collect::<Vec<_>>());
        assert_eq!(all.components.escalated[&Rule::Info], [27, 28, 29]);
    }

    /// A simple random sample of 2000 out of 20,000: about a tenth of it is escalated (200 in expectation, standard
    /// deviation 12.7 by the hypergeometric law), and its mean is that of all items (9999.5; standard error 122).
    #[test]
    fn a_large_one_by_a_random_sample_that_keeps_the_proportions() {
        let part = sample(20_000);
        let shown = &part.components;
        assert!(part.is_partial() && part.items == 20_000 && shown.aleatoric.len() == MOST_SHOWN);
        assert!(shown.aleatoric.is_sorted());
        let escalated = &shown.escalated[&Rule::Info];
        assert!((150..250).contains(&escalated.len()), "{}", escalated.len());
        assert!(escalated.iter().all(|&k| shown.aleatoric[k] >= 18_000.0));
        let mean = shown.aleatoric.iter().sum::<f64>() / MOST_SHOWN as f64;
        assert!((mean - 9999.5).abs() < 500.0, "{mean}");
        assert_eq!(part, sample(20_000));
    }
}
