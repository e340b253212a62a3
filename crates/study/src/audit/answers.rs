//! Answers of judge and people in one vocabulary.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::table::present;
use crate::input::scale::{Places, Scale};
use crate::input::spelling::{folded, number, polarity};
use judge_uncertainty_formats::logs::tokens;

/// With more different answers than this, a column does not have classes.
const MOST_CLASSES: usize = 20;

/// What people write who give no answer.
const SKIPPED: [&str; 14] = [
    "skip",
    "skipped",
    "unsure",
    "not sure",
    "can't tell",
    "cannot tell",
    "can't say",
    "don't know",
    "unknown",
    "idk",
    "tbd",
    "todo",
    "pending",
    "unclear",
];
/// What stands in place of an answer where the judge failed, at its start.
const FAILURES: [&str; 6] = ["error", "timeout", "exception", "invalid", "unparsable", "parse error"];
/// Ends of the scales that are usual.
const ENDS: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 100.0];

/// Steps of scales in words, the lowest first, with other words for the same step.
const STEPS: [&[&[&str]]; 4] = [
    &[
        &["strongly disagree", "completely disagree"],
        &["disagree", "somewhat disagree"],
        &["neutral", "neither agree nor disagree", "neither"],
        &["agree", "somewhat agree"],
        &["strongly agree", "completely agree"],
    ],
    &[
        &["very poor", "very bad", "terrible"],
        &["poor", "bad"],
        &["fair", "ok", "okay", "average", "mediocre"],
        &["good"],
        &["very good"],
        &["excellent"],
    ],
    &[&["never"], &["rarely", "seldom"], &["sometimes"], &["often", "usually"], &["always"]],
    &[&["very low"], &["low"], &["medium", "moderate"], &["high"], &["very high"]],
];

/// What answers can be, and how judge and people write them.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerCoding {
    /// What answers can be. Of two, the good one comes last.
    pub scale: Scale,
    /// Whether the judge gives numbers where people give one of two answers.
    pub judge_scores: bool,
    /// How columns and answers were interpreted.
    pub notices: Vec<String>,
    /// Where each spelling stands among the answers.
    judge: HashMap<String, usize>,
    human: HashMap<String, usize>,
}

/// The spellings of each answer, with how often the column has them.
type Spellings = BTreeMap<String, BTreeMap<String, usize>>;

fn spellings<'c>(cells: impl Iterator<Item = &'c str>) -> Spellings {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    cells.for_each(|cell| *counts.entry(cell).or_insert(0) += 1);
    let mut found = Spellings::new();
    for (cell, count) in counts {
        found.entry(folded(cell)).or_default().insert(cell.to_owned(), count);
    }
    found
}

/// Every answer, folded and in each spelling that was found, with its place.
fn places(of: &Spellings, place: impl Fn(&str) -> Option<usize>) -> HashMap<String, usize> {
    let placed = of.iter().filter_map(|(answer, how)| Some((answer, how, place(answer)?)));
    let spelt = placed.flat_map(|(answer, how, place)| how.keys().chain([answer]).map(move |one| (one.clone(), place)));
    spelt.collect()
}

/// The place of an answer in any spelling.
fn place_of(places: &HashMap<String, usize>, cell: &str) -> Option<f64> {
    places.get(cell).or_else(|| places.get(&folded(cell))).map(|place| *place as f64)
}

/// The most frequent spelling, the first in the alphabet of several.
fn usual(spellings: &BTreeMap<String, usize>) -> String {
    let most = spellings.values().max();
    spellings.iter().find(|(_, count)| Some(*count) == most).map_or_else(String::new, |(name, _)| name.clone())
}

fn all_numbers(of: &Spellings) -> Option<Vec<f64>> {
    of.keys().map(|cell| number(cell)).collect()
}

fn is_polar(of: &Spellings) -> bool {
    !of.is_empty() && of.keys().all(|answer| polarity(answer).is_some())
}

impl AnswerCoding {
    /// Reads off what answers can be; `score` says that the judge's column was recognised as a score.
    ///
    /// # Errors
    /// Answers of judge and people that have nothing in common, or none at all.
    pub fn new<'c>(
        judge: impl Iterator<Item = &'c str>,
        human: impl Iterator<Item = &'c str>,
        score: bool,
    ) -> Result<Self, String> {
        let (mut judge, mut human) = (spellings(judge), spellings(human));
        // What only one side says, and is no answer.
        let failed = |answer: &String| is_failure(answer);
        if judge.keys().filter(|answer| !failed(answer)).count() > 1 {
            judge.retain(|answer, _| !failed(answer) || human.contains_key(answer));
        }
        human.retain(|answer, _| !SKIPPED.contains(&answer.as_str()) || judge.contains_key(answer));
        if judge.is_empty() {
            return Err("the judge gave no answer".to_owned());
        }
        let known = if human.is_empty() { &judge } else { &human };
        let polar = is_polar(known) && (human.is_empty() || is_polar(&judge) || all_numbers(&judge).is_some());
        if polar {
            return Ok(Self::of_two(&judge, &human, score));
        }
        if let Some(numbers) = all_numbers(known) {
            return Self::of_numbers(numbers, &judge, &human);
        }
        Self::of_steps(&judge, &human).map_or_else(|| Self::of_classes(&judge, &human), Ok)
    }

    /// Answers in the vocabulary of a scale that is known, however they are spelt; numbers of the judge stand for one of
    /// two answers where the scale has two and its cells do not spell them.
    pub fn from_scale<'c>(
        scale: Scale,
        judge: impl Iterator<Item = &'c str>,
        human: impl Iterator<Item = &'c str>,
    ) -> Self {
        let (judge, human, question) = (spellings(judge), spellings(human), scale.question());
        let place = |answer: &str| {
            let name = question.respelled(answer)?;
            question.classes().iter().position(|class| *class == name)
        };
        let is_spelt = judge.keys().all(|answer| place(answer).is_some());
        let judge_scores = scale.nominal() == Some(2) && !is_spelt && all_numbers(&judge).is_some();
        let [judge, human] = [judge, human].map(|of| places(&of, place));
        Self { scale, judge_scores, notices: vec![], judge, human }
    }

    /// Two answers, a bad and a good one.
    fn of_two(judge: &Spellings, human: &Spellings, score: bool) -> Self {
        let named = if human.is_empty() { judge } else { human };
        let names = [0, 1].map(|side| {
            let of_side = |of: &Spellings| {
                let mut all: BTreeMap<String, usize> = BTreeMap::new();
                of.iter().filter(|(answer, _)| polarity(answer) == Some(side)).for_each(|(_, how)| {
                    how.iter().for_each(|(name, count)| *all.entry(name.clone()).or_insert(0) += count);
                });
                usual(&all)
            };
            let name = of_side(named);
            let name = if name.is_empty() { of_side(judge) } else { name };
            match (name.is_empty(), side) {
                (true, 0) => "no".to_owned(),
                (true, _) => "yes".to_owned(),
                // Where cells are missing, pandas writes 1 as 1.0.
                (false, _) if number(&name).is_some() => folded(&name),
                (false, _) => name,
            }
        });
        let scored = score && !is_polar(judge) || !is_polar(judge);
        let mut notices = vec![];
        let others: BTreeSet<&String> = [judge, human]
            .into_iter()
            .flat_map(|of| of.values().flat_map(BTreeMap::keys))
            .filter(|spelling| !names.contains(spelling))
            .collect();
        if !scored && !others.is_empty() {
            let shown: Vec<String> = [1, 0]
                .iter()
                .filter_map(|&side| {
                    let of_side: Vec<&str> = others
                        .iter()
                        .filter(|spelling| polarity(&folded(spelling)) == Some(side))
                        .map(|spelling| spelling.as_str())
                        .collect();
                    (!of_side.is_empty()).then(|| format!("{} for {}", of_side.join(", "), names[side]))
                })
                .collect();
            notices.push(format!("Taken as the same answer: {}.", shown.join("; ")));
        }
        Self {
            scale: Scale::Classes(names.to_vec()),
            judge_scores: scored,
            notices,
            judge: places(judge, polarity),
            human: places(human, polarity),
        }
    }

    fn of_numbers(numbers: Vec<f64>, judge: &Spellings, human: &Spellings) -> Result<Self, String> {
        let of_judge = all_numbers(judge).ok_or_else(|| apart(judge, human))?;
        two_scales(judge, human).map_or(Ok(()), Err)?;
        let all: Vec<f64> = numbers.into_iter().chain(of_judge).collect();
        let (low, high) = all.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
        if low == high {
            return Err(format!("every answer is {low}"));
        }
        let whole = all.iter().all(|x| x.fract() == 0.0) && high - low < MOST_CLASSES as f64;
        let scale = match whole {
            true => Scale::Places(Places::whole(low, high)),
            false if low >= 0.0 && high <= 1.0 => Scale::Scores(0.0, 1.0),
            false => Scale::Scores(low, high),
        };
        Ok(Self { scale, judge_scores: false, notices: vec![], judge: HashMap::new(), human: HashMap::new() })
    }

    /// Steps of a scale in words, of which three or more occur; those that do are its places.
    fn of_steps(judge: &Spellings, human: &Spellings) -> Option<Self> {
        let answers: BTreeSet<&String> = judge.keys().chain(human.keys()).collect();
        let of = |steps: &&[&[&str]]| -> Option<BTreeMap<usize, &String>> {
            let step = |answer: &String| steps.iter().position(|words| words.contains(&answer.as_str()));
            let found = answers.iter().map(|&answer| Some((step(answer)?, answer)));
            let found: BTreeMap<usize, &String> = found.collect::<Option<_>>()?;
            (found.len() == answers.len() && found.len() > 2).then_some(found)
        };
        let found = STEPS.iter().find_map(of)?;
        let name = |answer: &String| usual(human.get(answer).or_else(|| judge.get(answer)).expect("it occurs"));
        let names: Vec<String> = found.into_values().map(name).collect();
        let notices = vec![format!(
            "These answers are read as steps of a scale from 1 to {}: {}.",
            names.len(),
            names.join(", ")
        )];
        let places = (1..=names.len()).map(|place| place as f64).collect();
        let scale = Scale::Places(Places { names, places });
        Some(Self { scale, judge_scores: false, notices, judge: HashMap::new(), human: HashMap::new() })
    }

    fn of_classes(judge: &Spellings, human: &Spellings) -> Result<Self, String> {
        if !human.is_empty() && !judge.keys().any(|answer| human.contains_key(answer)) {
            return Err(apart(judge, human));
        }
        let answers: BTreeSet<&String> = judge.keys().chain(human.keys()).collect();
        if !(2..=MOST_CLASSES).contains(&answers.len()) {
            let shown: Vec<String> = answers.iter().take(4).map(|answer| format!("{answer:?}")).collect();
            return Err(format!("{} different answers are no classes: {}, ...", answers.len(), shown.join(", ")));
        }
        let place: BTreeMap<&str, usize> = answers.iter().enumerate().map(|(k, a)| (a.as_str(), k)).collect();
        let name = |answer: &&String| human.get(*answer).or_else(|| judge.get(*answer)).map(usual).unwrap_or_default();
        let names: Vec<String> = answers.iter().map(name).collect();
        let other = |of: &Spellings| {
            of.iter()
                .flat_map(|(a, how)| {
                    how.keys().filter(|s| **s != names[place[a.as_str()]]).cloned().collect::<Vec<_>>()
                })
                .collect::<Vec<_>>()
        };
        let mut respelt: Vec<String> = other(judge).into_iter().chain(other(human)).collect();
        respelt.sort_unstable();
        respelt.dedup();
        let notices = match respelt.is_empty() {
            true => vec![],
            false => vec![format!("Upper and lower case of answers was ignored ({}).", respelt.join(", "))],
        };
        let [judge, human] = [judge, human].map(|of| places(of, |answer| place.get(answer).copied()));
        Ok(Self { scale: Scale::Classes(names), judge_scores: false, notices, judge, human })
    }

    /// A cell of the judge's with an answer; `None` of a blank one, and of one that says that the judge failed.
    pub fn given<'c>(&self, cell: &'c str) -> Option<&'c str> {
        present(cell).filter(|cell| self.of_judge(cell).is_some() || !is_failure(&folded(cell)))
    }

    /// An answer of the judge: the position of its class, or its number.
    pub fn of_judge(&self, cell: &str) -> Option<f64> {
        match (&self.scale, self.judge_scores) {
            (Scale::Classes(_), false) => place_of(&self.judge, cell),
            (Scale::Classes(_), true) => number(cell),
            _ => self.on_scale(cell),
        }
    }

    /// A number on the scale.
    fn on_scale(&self, cell: &str) -> Option<f64> {
        match &self.scale {
            Scale::Places(Places { names, places }) => {
                let of_number = || places.iter().position(|place| number(cell) == Some(*place));
                tokens::class_of(cell, names).or_else(of_number).map(|k| places[k])
            }
            scale => number(cell).filter(|answer| (scale.range().0..=scale.range().1).contains(answer)),
        }
    }

    /// An answer of a person.
    pub fn of_human(&self, cell: &str) -> Option<f64> {
        match &self.scale {
            Scale::Classes(_) => place_of(&self.human, cell),
            _ => self.on_scale(cell),
        }
    }
}

/// Whether a judge's cell says that it failed.
fn is_failure(answer: &str) -> bool {
    FAILURES.iter().any(|start| answer.starts_with(start))
}

/// What is to be said of numbers of judge and people that are on two scales: the usual end of one is twice that of the other
/// and more, and most answers of the judge are beyond those of people.
fn two_scales(judge: &Spellings, human: &Spellings) -> Option<String> {
    let range = |of: &Spellings| {
        let numbers = of.keys().filter_map(|cell| number(cell));
        numbers.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
    };
    let ((low, high), (least, most)) = (range(judge), range(human));
    let end = |high: f64| ENDS.into_iter().find(|end| *end >= high).unwrap_or(high);
    let times = end(high).max(end(most)) / end(high).min(end(most));
    let count = |of: &dyn Fn(f64) -> bool| -> usize {
        let counted = judge.iter().filter(|(cell, _)| number(cell).is_some_and(of));
        counted.map(|(_, how)| how.values().sum::<usize>()).sum()
    };
    let beyond = count(&|x| !(least..=most).contains(&x));
    (!human.is_empty() && times >= 2.0 && 2 * beyond > count(&|_| true)).then(|| {
        format!(
            "the judge's numbers go from {low} to {high} and people's from {least} to {most}, which are two scales: write both \
             on one, or, if they are on one, state it in a study.toml (`study init`)"
        )
    })
}

fn apart(judge: &Spellings, human: &Spellings) -> String {
    let list = |of: &Spellings| of.values().take(5).map(usual).collect::<Vec<_>>().join(", ");
    format!("judge and people give different answers: the judge {}; people {}", list(judge), list(human))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(judge: &[&str], human: &[&str]) -> Result<AnswerCoding, String> {
        AnswerCoding::new(judge.iter().copied(), human.iter().copied(), false)
    }

    #[test]
    fn steps_in_words_are_places() {
        let found = answers(&["Agree", "Strongly agree", "neutral"], &["agree", "Disagree"]).unwrap();
        let Scale::Places(Places { names, places }) = &found.scale else { panic!("{:?}", found.scale) };
        assert_eq!(
            (names.join(","), places.as_slice()),
            ("Disagree,neutral,agree,Strongly agree".to_owned(), &[1.0, 2.0, 3.0, 4.0][..])
        );
        assert_eq!((found.of_judge("Agree"), found.of_human("disagree")), (Some(3.0), Some(1.0)));
        for others in [&["agree", "disagree"][..], &["good", "bad", "ugly"], &["ok", "fair", "good"]] {
            let found = answers(others, &[]).unwrap();
            assert!(matches!(found.scale, Scale::Classes(_)), "{others:?}: {:?}", found.scale);
        }
    }

    #[test]
    fn numbers_on_two_scales_are_refused_and_no_answers_are_none() {
        assert!(answers(&["80", "90", "55"], &["1", "5", "3"]).unwrap_err().contains("two scales"));
        assert!(answers(&["0.8", "0.9", "0.2"], &["1", "5", "3"]).unwrap_err().contains("two scales"));
        assert!(answers(&["3", "9", "2", "1"], &["1", "5", "3"]).is_ok());
        let found = answers(&["pass", "fail", "ERROR: timeout"], &["pass", "unsure", "skip"]).unwrap();
        assert_eq!(
            (found.scale.classes().len(), found.of_judge("ERROR: timeout"), found.of_human("skip")),
            (2, None, None)
        );
        assert_eq!(answers(&["ok", "unclear", "bad"], &["unclear", "ok"]).unwrap().scale.classes().len(), 3);
    }

    #[test]
    fn spellings_of_the_same_answer_are_matched_and_told() {
        let found = answers(&["1", "0.0", "1.0"], &["Pass", "Pass", "pass", "fail"]).unwrap();
        assert_eq!(found.scale, Scale::Classes(vec!["fail".to_owned(), "Pass".to_owned()]));
        assert_eq!(
            (found.of_judge("1"), found.of_judge("0"), found.of_human("PASS")),
            (Some(1.0), Some(0.0), Some(1.0))
        );
        assert_eq!(found.notices, ["Taken as the same answer: 1, 1.0, pass for Pass; 0.0 for fail."]);
        let same = answers(&["yes", "no"], &["yes", "no"]).unwrap();
        assert!(same.notices.is_empty() && !same.judge_scores);
        let cased = answers(&["Billing", "refund"], &["billing", "Refund", "other"]).unwrap();
        assert_eq!(cased.scale, Scale::Classes(vec!["billing".to_owned(), "other".to_owned(), "Refund".to_owned()]));
        assert_eq!(cased.notices, ["Upper and lower case of answers was ignored (Billing, refund)."]);
    }

    #[test]
    fn numbers_are_places_scores_or_a_judges_scores_of_two_answers() {
        assert_eq!(answers(&["2", "5"], &["1", "4"]).unwrap().scale.range(), (1.0, 5.0));
        assert_eq!(answers(&["0.25", "0.5"], &["1", "0.75"]).unwrap().scale, Scale::Scores(0.0, 1.0));
        let scored = answers(&["7", "3", "9"], &["pass", "fail"]).unwrap();
        assert!(scored.judge_scores && scored.of_judge("7") == Some(7.0) && scored.of_human("pass") == Some(1.0));
        let error = answers(&["A", "B"], &["good", "bad"]).unwrap_err();
        assert_eq!(error, "judge and people give different answers: the judge A, B; people bad, good");
    }
}
