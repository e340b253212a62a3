//! Items for readers: what is known of each, and in words why it stands where it does.

use std::collections::{BTreeMap, BTreeSet};

use super::shown::Vocabulary;
use judge_uncertainty_core::belief::Feature;
use judge_uncertainty_core::escalation::{Rule, places, top};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_core::stats::quantile::percentiles;
use judge_uncertainty_evaluation::{LabelPool, RuleDraws};
use judge_uncertainty_page::figures::show;
use judge_uncertainty_study::input::question::Remark;
use judge_uncertainty_study::results::parts::MOST_SHOWN;
use judge_uncertainty_study::{Decomposition, Study};
use judge_uncertainty_system::numbers::three;
use serde_json::{Value, json};

/// Items that are listed first under each rule.
pub const FIRST: usize = 20;
/// Letters of a text that a page holds at most.
const MOST_LETTERS: usize = 1200;
/// Classes that a card shows; with more, those with most probability.
const MOST_CLASSES: usize = 6;

/// One item.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its id.
    pub id: String,
    /// Its group.
    pub group: Option<String>,
    /// Labels held.
    pub labels: u32,
    /// Aleatoric part.
    pub aleatoric: f64,
    /// Epistemic part.
    pub epistemic: f64,
    /// What stands out, in words.
    pub why: Vec<String>,
    /// All that a page shows of it, besides where its dot is.
    pub view: Value,
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
    /// Whether they have texts.
    pub texts: bool,
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
        let RuleDraws { jitter, random } = &decomposition.draws;
        let mut chosen = chosen(&priorities, (jitter, random), MOST_SHOWN);
        chosen.extend(named.iter().filter_map(|id| study.items.ids.position(id)));
        let order: Vec<usize> = chosen.iter().copied().collect();
        let ranks: BTreeMap<Rule, Vec<usize>> =
            priorities.into_iter().map(|(rule, priority)| (rule, places(&priority, jitter, &order))).collect();
        let mut remarks: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for one in study.labels.remarks.iter().filter(|one| chosen.contains(&one.item)) {
            let said = match one.remark {
                Remark::Skip => format!("{} skipped it: {}", one.annotator, one.words),
                Remark::Comment => format!("{}: {}", one.annotator, one.words),
            };
            remarks.entry(one.item).or_default().push(said);
        }
        let (words, unit) = (Words::new(decomposition), Vocabulary::of(study.scale()).unit);
        let cut = |text: &String| text.chars().take(MOST_LETTERS).collect::<String>();
        let own = |all: &Option<Vec<String>>, i: usize| {
            let own = all.as_ref().filter(|_| texts).map(|all| &all[i])?;
            Some(cut(own)).map(|shown| (shown.len() < own.len(), shown))
        };
        let card = |(k, &i): (usize, &usize)| {
            let (belief, trust) = (decomposition.belief(i), decomposition.trust[i]);
            let (aleatoric, epistemic) = (belief.aleatoric(), belief.epistemic());
            let (answered, held, bars, is_apart) = compared(study, decomposition, i);
            let (id, group) =
                (study.items.ids[i].to_owned(), study.items.groups.as_ref().map(|of| of.name(i).to_owned()));
            let why = words.why(decomposition, i, is_apart);
            let (is_cut, text) = own(&study.items.texts, i).unzip();
            let transcript = own(&study.items.transcripts, i);
            let of_rule = |(rule, places): (&Rule, &Vec<usize>)| format!("{}:{}", rule.key(), places[k]);
            let view = json!({
                "id": id,
                "text": text,
                "cut": is_cut == Some(true),
                "answered": answered,
                "transcript": transcript.map_or_else(String::new, |(cut, shown)| if cut { shown + " …" } else { shown }),
                "remarks": remarks.remove(&i).unwrap_or_default(),
                "group": group,
                "labels": held,
                "bars": bars,
                "parts": format!(
                    "aleatoric {}, epistemic {} {unit}; the judge counts as {} labels",
                    show(aleatoric),
                    show(epistemic),
                    three(trust)
                ),
                "why": why,
                "ranks": ranks.iter().map(of_rule).collect::<Vec<_>>().join(" "),
                "place": ranks[&rule][k],
            });
            (ranks[&rule][k], Card { id, group, labels: decomposition.numbers[i], aleatoric, epistemic, why, view })
        };
        let mut cards: Vec<(usize, Card)> = order.iter().enumerate().map(card).collect();
        cards.sort_by_key(|(place, _)| *place);
        let cards = cards.into_iter().map(|(_, card)| card).collect();
        Self { items: study.len(), rules, rule, texts: texts && study.items.texts.is_some(), cards }
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

    fn why(&self, decomposition: &Decomposition, i: usize, is_apart: bool) -> Vec<String> {
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
        if decomposition.numbers[i] > 0 && is_apart {
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

/// What the judge predicts of an item, beside what is believed once its labels are in: the judge's answer, its likeliest class
/// or its mean; the labels; bars, a pair for each class, or one pair on the scale with the labels as marks, with places and
/// widths in percent; and whether the labels have moved the belief far from the judge's prediction.
fn compared(study: &Study, decomposition: &Decomposition, item: usize) -> (String, String, Vec<Value>, bool) {
    let judge = study.judge.predictions.row(item).to_vec();
    let believed = decomposition.pool.believed(&decomposition.fitted.beliefs, item);
    let held = match decomposition.numbers[item] {
        0 => "no label".to_owned(),
        1 => "1 label".to_owned(),
        n => format!("{n} labels"),
    };
    let pool = match &decomposition.pool {
        LabelPool::Ratings(pool) => pool,
        LabelPool::Classes(_) => {
            let (belief, counts) = (&believed[believed.len() - judge.len()..], study.labels.counts.row(item));
            let mut classes: Vec<usize> = (0..judge.len()).collect();
            if classes.len() > MOST_CLASSES {
                let weight = |k: &usize| judge[*k].max(belief[*k]);
                classes.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
                classes.truncate(MOST_CLASSES);
                classes.sort_unstable();
            }
            let track = |share: f64| json!({"from": 0.0, "width": percent(share), "text": format!("{share:.2}")});
            let bar = |k: usize| {
                let held = if counts[k] > 0 { counts[k].to_string() } else { String::new() };
                let name = &study.scale().classes()[k];
                json!({"name": name, "judge": track(judge[k]), "belief": track(belief[k]), "held": held, "marks": []})
            };
            let bars = classes.into_iter().map(bar).collect();
            return (study.prediction(item), held, bars, are_apart(&judge, belief));
        }
    };
    let labels: Vec<f64> = pool.ratings()[item].iter().map(|scores| mean(scores)).collect();
    let sd = study.judge.variances[item].map(f64::sqrt);
    let (judge, belief, of_belief) = (judge[0], believed[0], decomposition.belief(item).total().sqrt());
    let held = match labels.len() {
        0 | 1 => held,
        n => format!("{held}, mean {}", three(labels.iter().sum::<f64>() / n as f64)),
    };
    let (low, high) = study.scale().range();
    let place = |value: f64| percent((value - low) / (high - low));
    let track = |mean: f64, sd: Option<f64>| {
        let reach = sd.unwrap_or(0.0);
        let (from, to) = (place(mean - reach), place(mean + reach));
        let text = sd.map_or_else(|| three(mean), |sd| format!("{} ± {}", three(mean), three(sd)));
        // A score without a spread is still to be seen.
        json!({"from": from.min(99.0), "width": tenths((to - from).max(1.0)), "text": text})
    };
    let name = format!("{} to {}", three(low), three(high));
    let marks: Vec<f64> = labels.iter().map(|label| place(*label)).collect();
    let bars = vec![json!({
        "name": name, "judge": track(judge, sd), "belief": track(belief, Some(of_belief)), "held": "", "marks": marks,
    })];
    (three(judge), held, bars, (judge - belief).abs() > sd.unwrap_or(of_belief))
}

/// Whether the shares of two distributions are far apart.
fn are_apart(judge: &[f64], belief: &[f64]) -> bool {
    0.5 * judge.iter().zip(belief).map(|(q, m)| (q - m).abs()).sum::<f64>() > APART
}

fn percent(share: f64) -> f64 {
    tenths(100.0 * share.clamp(0.0, 1.0))
}

fn tenths(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
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
            assert_eq!((card.id.as_str(), &card.view["place"]), (&study.items.ids[i], &json!(place + 1)));
            let bars = card.view["bars"].as_array().unwrap();
            for of in ["judge", "belief"] {
                let whole: f64 = bars.iter().map(|bar| bar[of]["width"].as_f64().unwrap()).sum();
                assert!((whole - 100.0).abs() < 0.2, "{bars:?}");
            }
            let held = bars.iter().filter_map(|bar| bar["held"].as_str()?.parse::<u32>().ok()).sum::<u32>();
            assert_eq!(held, card.labels);
            assert_eq!(card.view["text"], json!(study.items.texts.as_ref().unwrap()[i]));
        }
        assert!(cards.cards.iter().all(|card| (card.labels == 0) == card.why.contains(&"no label yet".to_owned())));
        let without = Cards::new(&study, &decomposition, false, &[]);
        assert!(!without.texts && without.cards.iter().all(|card| card.view["text"].is_null()));
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
            let why = words.why(&decomposition, i, compared(&study, &decomposition, i).3);
            let disagree = why.iter().any(|reason| reason.starts_with("the judge's variants disagree"));
            assert_eq!(disagree, spread.values[i].is_some_and(|x| x >= limit), "{why:?}");
        }
        assert!(are_apart(&[0.9, 0.1], &[0.5, 0.5]) && !are_apart(&[0.9, 0.1], &[0.8, 0.2]));
    }
}
