//! Answers of judge and people in one vocabulary.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::table::present;
use crate::input::config::StudyConfig;
use crate::input::scale::{Given, Places, Scale, usual_end};
use crate::input::spelling::{folded, number, numbered, pair_of, polarity};
use judge_uncertainty_system::numbers::three;
use judge_uncertainty_system::shell_word;

/// With more different answers than this, a column does not have classes.
pub(crate) const MOST_CLASSES: usize = 20;

/// What people write who give no answer, perhaps with a reason behind a colon or another sign.
const SKIPPED: &str = "skip, skipped, unsure, not sure, can't tell, cannot tell, can't say, cannot say, can't judge, cannot judge, \
                       can't answer, don't know, unknown, idk, tbd, todo, pending, unclear, no answer, no label, not applicable, \
                       not labelled, not labeled, unlabelled, unlabeled, not annotated, ignore, ignored, \
                       prefer not to say, (blank), none, \u{1f937}";
/// What stands in place of an answer where the judge failed, at its start.
const FAILURES: &str = "error, timeout, exception, invalid, unparsable, parse error, content_filter, i'm sorry, i\u{2019}m sorry, \
                        i am sorry, i can't, i cannot, as an ai";
/// Grades, bad and good: two of a kind beside each other are two answers, as `ok` and `good`.
const GRADES: [[&str; 5]; 2] =
    [["bad", "schlecht", "mauvais", "not ok", "unacceptable"], ["good", "gut", "bon", "ok", "acceptable"]];
/// Answers of two that judges are often asked for, beside those whose words say which is good: a judge that gave one could have
/// given the other.
const PAIRS: [[&str; 2]; 2] = [["C", "I"], ["A", "B"]];

/// Steps of scales in words, the lowest first, with other words for the same step.
const STEPS: [&str; 18] = [
    "strongly disagree/completely disagree, disagree/somewhat disagree, neutral/neither agree nor disagree/neither, \
     agree/somewhat agree, strongly agree/completely agree",
    "very poor/very bad/terrible, poor/bad, fair/ok/okay/average/mediocre, good, very good, excellent",
    "never, rarely/seldom, sometimes, often/usually, always",
    "none, very low/minimal, low/minor/mild, medium/moderate, high/major/severe, very high/critical",
    "pessimo, scarso, insufficiente, sufficiente, discreto, buono, ottimo",
    "muy malo, malo/deficiente, regular/aceptable, bueno, muy bueno, excelente",
    "très mauvais, mauvais, insuffisant, passable/moyen, bon, très bon, excellent",
    "sehr schlecht, schlecht, mangelhaft, ausreichend/mittel, befriedigend, gut, sehr gut",
    "とても悪い/非常に悪い, 悪い, 普通, 良い, とても良い/非常に良い",
    "非常差/很差, 差/较差, 一般/中等, 好/较好/良好, 非常好/很好/优秀",
    "strongly disagree/completely disagree, disagree, somewhat disagree/slightly disagree, \
     neutral/neither agree nor disagree/neither, somewhat agree/slightly agree, agree, strongly agree/completely agree",
    "very dissatisfied/extremely dissatisfied, dissatisfied/somewhat dissatisfied, \
     neutral/neither satisfied nor dissatisfied/neither, satisfied/somewhat satisfied, very satisfied/extremely satisfied",
    "not at all, slightly/a little/a bit, moderately/somewhat, very/quite/quite a bit, extremely/completely",
    "much worse, worse/slightly worse/somewhat worse, about the same/the same/same, better/slightly better/somewhat better, \
     much better",
    "very unlikely/extremely unlikely, unlikely/somewhat unlikely, neutral/neither likely nor unlikely/neither, \
     likely/somewhat likely, very likely/extremely likely",
    "incorrect/wrong/completely incorrect, mostly incorrect, partially correct/partly correct, mostly correct, \
     correct/fully correct/completely correct",
    "stimme überhaupt nicht zu/stimme gar nicht zu, stimme nicht zu/stimme eher nicht zu, \
     teils teils/teils-teils/weder noch/neutral, stimme zu/stimme eher zu, stimme voll zu/stimme voll und ganz zu/stimme völlig zu",
    "sehr unzufrieden, unzufrieden/eher unzufrieden, neutral/teils-teils, zufrieden/eher zufrieden, sehr zufrieden",
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
    /// What each spelling of an answer that was found is on the scale.
    spelt: BTreeMap<String, f64>,
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

/// The most frequent spelling, the first in the alphabet of several.
fn usual(spellings: &BTreeMap<String, usize>) -> String {
    let most = spellings.values().max();
    spellings.iter().find(|(_, count)| Some(*count) == most).map_or_else(String::new, |(name, _)| name.clone())
}

fn all_numbers(of: &Spellings) -> Option<Vec<f64>> {
    of.keys().map(|cell| number(cell)).collect()
}

/// The numbers among answers, each as often as it was given.
fn given_numbers(of: &Spellings) -> impl Iterator<Item = f64> + Clone {
    let times = |how: &BTreeMap<String, usize>| how.values().sum();
    of.iter().filter_map(move |(answer, how)| Some(std::iter::repeat_n(number(answer)?, times(how)))).flatten()
}

/// How far the judge's answer is above an even share where its score or its probabilities leave that open.
pub(super) const AHEAD: f64 = 1e-9;

/// The probability of the good answer that a score between two ends stands for, the middle just above an even share.
pub(crate) fn share_of_score(score: f64, (low, high): (f64, f64)) -> f64 {
    let share = ((score - low) / (high - low)).clamp(0.0, 1.0);
    if share == 0.5 { share + AHEAD } else { share }
}

fn is_polar(of: &Spellings) -> bool {
    let has_one = |grades: [&str; 5]| grades.into_iter().filter(|grade| of.contains_key(*grade)).count() < 2;
    !of.is_empty() && of.keys().all(|answer| polarity(answer).is_some()) && GRADES.into_iter().all(has_one)
}

impl AnswerCoding {
    /// Reads off what answers can be: a bad and a good one, in whatever words; numbers on the smallest scale in use that holds
    /// them (0 to 1; 0 or 1 to 5, 7 or 10, or to 2, 3 or 4 where 50 answers go no further; 0 to 20 or 100); steps of a scale
    /// in words; a few classes. Numbers of the judge beside one of two answers of people are scores of the good one.
    ///
    /// # Errors
    /// Answers of judge and people that have nothing in common or are on two scales, always the same answer, too many of them,
    /// or none at all.
    pub fn new<'c>(judge: impl Iterator<Item = &'c str>, human: impl Iterator<Item = &'c str>) -> Result<Self, String> {
        let (mut judge, mut human) = (spellings(judge), spellings(human));
        // What only one side says, and is no answer.
        let failed = |answer: &String| is_failure(answer) || answer == "none" && !human.is_empty();
        if judge.keys().filter(|answer| !failed(answer)).count() > 1 {
            judge.retain(|answer, _| !failed(answer) || human.contains_key(answer));
        }
        let all = |of: &Spellings| of.values().flat_map(BTreeMap::values).sum::<usize>();
        let given = all(&human);
        // An answer of a tenth of the labels that says that nothing fits is one, but where there are two opposites.
        let says_none = |answer: &str, how: &BTreeMap<String, usize>| {
            ["none", "unclear", "not applicable"].contains(&answer) && 10 * how.values().sum::<usize>() >= given
        };
        let opposites = is_polar(&judge);
        human.retain(|answer, how| {
            !is_skipped(answer) || judge.contains_key(answer) || !opposites && says_none(answer, how)
        });
        // Where both mostly give numbers, single words say nothing of what answers can be.
        let mostly_numbers = |of: &Spellings| 2 * given_numbers(of).count() > all(of);
        if !is_polar(&judge) && mostly_numbers(&judge) {
            let of_people = human.is_empty() || mostly_numbers(&human);
            human.retain(|answer, _| !of_people || numbered(answer).is_some());
            let stands = of_people || is_polar(&human);
            judge.retain(|answer, _| !stands || numbered(answer).is_some());
        }
        if judge.is_empty() {
            return Err("the judge gave no answer".to_owned());
        }
        retain_answers(&judge, &mut human);
        Self::of(&judge, &human)
    }

    /// Of what is left when all that is no answer is out.
    fn of(judge: &Spellings, human: &Spellings) -> Result<Self, String> {
        let known = if human.is_empty() { judge } else { human };
        let polar = is_polar(known) && (human.is_empty() || is_polar(judge) || all_numbers(judge).is_some());
        if !polar && all_numbers(known).is_some() {
            return Self::of_numbers(judge, human);
        }
        let steps = Self::of_steps(judge, human).or_else(|| Self::of_numbered(judge, human)).filter(|_| !polar);
        steps.map_or_else(|| Self::of_classes(judge, human, polar), Ok)
    }

    /// Answers in the vocabulary of a study, however they are spelt; numbers of the judge stand for one of two answers
    /// where its scale has two and its cells do not spell them, or they did in its table.
    pub fn from_study<'c>(
        config: &StudyConfig,
        judge: impl Iterator<Item = &'c str>,
        human: impl Iterator<Item = &'c str>,
    ) -> Self {
        let (judge, human, scale) = (spellings(judge), spellings(human), config.scale.clone());
        let is_spelt = judge.keys().all(|answer| scale.answer(answer).is_some());
        let judge_scores =
            scale.nominal() == Some(2) && (config.scores().is_some() || !is_spelt) && all_numbers(&judge).is_some();
        // What the study spells otherwise.
        let mut others: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for answer in judge.keys().filter(|_| scale.nominal().is_some() && !judge_scores) {
            let class = scale.answer(answer).map(|class| class as usize);
            let other = class.filter(|&class| folded(&scale.classes()[class]) != *answer);
            other.into_iter().for_each(|class| others.entry(class).or_default().push(answer));
        }
        let others = others.iter().map(|(&class, of)| format!("{} for {}", of.join(", "), scale.classes()[class]));
        let notices = same_answers(others.collect());
        Self::on(scale, judge_scores, notices.into_iter().collect(), [&judge, &human])
    }

    fn on(scale: Scale, judge_scores: bool, notices: Vec<String>, [judge, human]: [&Spellings; 2]) -> Self {
        // Numbers are read anew each time, as there may be as many as rows.
        let found = [human].into_iter().chain((!judge_scores).then_some(judge)).filter(|_| !scale.is_numbers());
        let all = found.flat_map(BTreeMap::values).flat_map(BTreeMap::keys);
        let spelt = all.filter_map(|cell| Some((cell.clone(), scale.answer(cell)?))).collect();
        Self { scale, judge_scores, notices, spelt }
    }

    fn of_numbers(judge: &Spellings, human: &Spellings) -> Result<Self, String> {
        if all_numbers(judge).is_none() {
            return Err(apart(judge, human));
        }
        two_scales(judge, human).map_or(Ok(()), Err)?;
        let (of_judge, of_people) = (given_numbers(judge), given_numbers(human));
        let given = Given::new(of_judge.clone().chain(of_people.clone()));
        let scale = Scale::of_numbers(given, of_judge.chain(of_people).all(|x| x.fract() == 0.0));
        let (low, high) = given.ends;
        let notices = match scale.range() {
            found if found == (low, high) && low == high => return Err(format!("every answer is {low}")),
            found if found == (low, high) => vec![],
            (first, last) => {
                vec![format!("Answers go from {low} to {high}, which is read as on a scale from {first} to {last}.")]
            }
        };
        Ok(Self::on(scale, false, notices, [judge, human]))
    }

    /// Three or more steps of a scale that each begin or end with a number, as `4 - good`, `4 pts` and `Agree (4)`.
    fn of_numbered(judge: &Spellings, human: &Spellings) -> Option<Self> {
        let mut found: BTreeMap<i64, &BTreeMap<String, usize>> = BTreeMap::new();
        for of in [human, judge] {
            let mut own = BTreeSet::new();
            for (answer, how) in of {
                let place = numbered(answer).filter(|place| place.fract() == 0.0)? as i64;
                // Two classes of one number are no steps.
                if !own.insert(place) {
                    return None;
                }
                found.entry(place).or_insert(how);
            }
        }
        let places = found.keys().map(|place| *place as f64).collect();
        let names = found.into_values().map(usual).collect::<Vec<_>>();
        let scale = Scale::Places(Places { names, places });
        (2..MOST_CLASSES).contains(&(scale.classes().len() - 1)).then(|| Self::on(scale, false, vec![], [judge, human]))
    }

    /// Steps of a scale in words, of which three or more occur; those that do are its places.
    fn of_steps(judge: &Spellings, human: &Spellings) -> Option<Self> {
        let answers: BTreeSet<&String> = judge.keys().chain(human.keys()).collect();
        let of = |steps: &&str| -> Option<BTreeMap<usize, &String>> {
            let step =
                |answer: &String| steps.split(", ").position(|words| words.split('/').any(|word| word == answer));
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
        Some(Self::on(Scale::Places(Places { names, places }), false, notices, [judge, human]))
    }

    /// Classes, each by its most frequent spelling, people's before the judge's: the bad and the good one of two, in whatever
    /// words, with numbers of the judge as scores; or else what is spelt alike.
    fn of_classes(judge: &Spellings, human: &Spellings, polar: bool) -> Result<Self, String> {
        let judge_scores = polar && !is_polar(judge);
        if !polar && !human.is_empty() && !judge.keys().any(|answer| human.contains_key(answer)) {
            return Err(apart(judge, human));
        }
        let key = |answer: &String| if polar { polarity(answer).map(|k| k.to_string()) } else { Some(answer.clone()) };
        let mut classes: BTreeMap<String, [BTreeMap<String, usize>; 2]> = BTreeMap::new();
        for (side, of) in [human, judge].into_iter().enumerate().filter(|(side, _)| !(judge_scores && *side == 1)) {
            for (key, (name, times)) in
                of.iter().flat_map(|(answer, how)| how.iter().filter_map(|of| Some((key(answer)?, of))))
            {
                *classes.entry(key).or_default()[side].entry(name.clone()).or_insert(0) += times;
            }
        }
        let name = |[human, judge]: &[BTreeMap<String, usize>; 2]| {
            let name = usual(if human.is_empty() { judge } else { human });
            // Where cells are missing, pandas writes 1 as 1.0.
            if number(&name).is_some() { folded(&name) } else { name }
        };
        let mut names: Vec<String> = classes.values().map(name).collect();
        let other = |of: &[BTreeMap<String, usize>; 2]| {
            let others: BTreeSet<&String> =
                of.iter().flat_map(BTreeMap::keys).filter(|one| !names.contains(one)).collect();
            let others: Vec<String> = others.into_iter().map(|one| one.replace('\n', " ")).collect();
            (!others.is_empty()).then(|| format!("{} for {}", others.join(", "), name(of)))
        };
        let others: Vec<String> = classes.values().rev().filter_map(other).collect();
        let notice = same_answers(others);
        let is_alone = |(answer, _): &(&String, _)| !polar && !judge.contains_key(*answer);
        let times =
            |(_, how): (_, &BTreeMap<String, usize>)| format!("{} ({})", usual(how), how.values().sum::<usize>());
        let alone: Vec<String> = human.iter().filter(is_alone).map(times).collect();
        let alone = (!alone.is_empty()).then(|| {
            format!("Answers that the judge never gives: {}; correct what is misspelt or none.", alone.join(", "))
        });
        if let [only] = names.as_slice()
            && let Some(pair) = PAIRS.iter().find(|pair| pair.contains(&only.as_str())).or(pair_of(&folded(only)))
        {
            let own = only.clone();
            names = pair.map(|name| if folded(name) == folded(&own) { own.clone() } else { name.to_owned() }).to_vec();
        }
        if !(2..=MOST_CLASSES).contains(&names.len()) {
            let shown: Vec<String> = names.iter().take(4).map(|answer| format!("{answer:?}")).collect();
            let shown = shown.join(", ");
            return Err(match names.len() {
                1 if names[0] == "+" => {
                    "every answer is \"+\", as \"-\" stands for no answer; write pass and fail".to_owned()
                }
                1 => format!("every answer is {shown}"),
                several => format!("{several} different answers are no classes: {shown}, ..."),
            });
        }
        Ok(Self::on(Scale::Classes(names), judge_scores, notice.into_iter().chain(alone).collect(), [judge, human]))
    }

    /// What is to be said of scores of the judge, with the ends of their scale, that stand for one of two answers.
    pub(crate) fn of_scores(&self, name: &str, (low, high): (f64, f64)) -> String {
        let (good, middle) = (self.scale.text(1.0), three(0.5 * (low + high)));
        let other = format!("verdict={name}>={middle}");
        let other = shell_word(&other);
        format!(
            "{name} counts as {good} from {middle} up, the middle of {low} to {high}; rates use the score itself. For another \
             threshold: --columns {other} with its number."
        )
    }

    /// A cell of the judge's with an answer; `None` of a blank one, and of one that says that the judge failed, as words do where
    /// it gives numbers.
    pub fn given<'c>(&self, cell: &'c str) -> Option<&'c str> {
        let of_places = || self.scale.has_order() && self.scale.classes().iter().all(|class| numbered(class).is_some());
        let is_word = |cell: &str| !cell.contains(|c: char| c.is_ascii_digit()) && (self.judge_scores || of_places());
        let failed = |cell: &str| is_failure(&folded(cell)) || is_word(cell);
        present(cell).filter(|cell| self.of_judge(cell).is_some() || !failed(cell))
    }

    /// An answer of the judge: the position of its class, or its number.
    pub fn of_judge(&self, cell: &str) -> Option<f64> {
        if self.judge_scores { number(cell) } else { self.of_human(cell) }
    }

    /// An answer of a person.
    pub fn of_human(&self, cell: &str) -> Option<f64> {
        self.spelt.get(cell).copied().or_else(|| self.scale.answer(cell))
    }
}

/// What is to be said of words that are taken as one answer, such as `yes for pass`.
fn same_answers(others: Vec<String>) -> Option<String> {
    (!others.is_empty()).then(|| format!("Taken as the same answer: {}.", others.join("; ")))
}

/// Takes numbers that surveys write where nobody answered out of people's: codes that the judge never gives, on a scale that
/// does not go there.
fn retain_answers(judge: &Spellings, human: &mut Spellings) {
    const CODES: [f64; 9] = [-1.0, -9.0, -77.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0];
    let is_code = |answer: &String| !judge.contains_key(answer) && number(answer).is_some_and(|x| CODES.contains(&x));
    let others = human.keys().filter(|answer| !is_code(answer)).chain(judge.keys());
    let others: Vec<f64> = others.filter_map(|answer| number(answer)).collect();
    let (low, high) = Given::new(others.iter().copied()).ends;
    let is_beyond = |x: f64| !others.is_empty() && if x < 0.0 { low >= 0.0 } else { high <= 20.0 };
    human.retain(|answer, _| !is_code(answer) || !number(answer).is_some_and(is_beyond));
}

/// Whether the person skipped the row.
pub(crate) fn is_skipped(answer: &str) -> bool {
    let ends = |rest: &str| rest.is_empty() || rest.trim_start().starts_with([':', '-', '(', '\u{2013}', '\u{200d}']);
    SKIPPED.split(", ").any(|words| answer.strip_prefix(words).is_some_and(ends))
}

/// Whether a judge's cell says that it failed.
fn is_failure(answer: &str) -> bool {
    FAILURES.split(", ").any(|start| answer.starts_with(start))
}

/// What is to be said of numbers of judge and people that are on two scales: the usual end of one is twice that of the other
/// and more, and most answers of the judge are beyond those of people, or of people beyond a judge's from 0 to 1.
fn two_scales(judge: &Spellings, human: &Spellings) -> Option<String> {
    let ((low, high), (least, most)) = (Given::new(given_numbers(judge)).ends, Given::new(given_numbers(human)).ends);
    let times = usual_end(high).max(usual_end(most)) / usual_end(high).min(usual_end(most));
    let mostly_beyond = |of: &Spellings, (low, high): (f64, f64)| {
        2 * given_numbers(of).filter(|x| !(low..=high).contains(x)).count() > given_numbers(of).count()
    };
    let apart = mostly_beyond(judge, (least, most)) || (low, high) == (0.0, 1.0) && mostly_beyond(human, (low, high));
    (!human.is_empty() && times >= 2.0 && apart).then(|| {
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
        AnswerCoding::new(judge.iter().copied(), human.iter().copied())
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
    fn grades_of_one_column_are_several_answers() {
        let found = answers(&["ok", "good", "bad"], &["bad", "good", "ok"]).unwrap();
        assert!(
            matches!(&found.scale, Scale::Places(Places { names, .. }) if names.join(",") == "bad,ok,good"),
            "{found:?}"
        );
        assert_eq!(answers(&["ok", "not ok"], &["good", "bad"]).unwrap().scale.classes().len(), 2);
        let refused = answers(&["yes", "no", "I'm sorry, but I can't assist with that."], &["yes", "no"]).unwrap();
        assert_eq!((refused.scale.classes().len(), refused.of_judge("I'm sorry, but no")), (2, None));
    }

    #[test]
    fn numbers_on_two_scales_are_refused_and_no_answers_are_none() {
        assert!(answers(&["80", "90", "55"], &["1", "5", "3"]).unwrap_err().contains("two scales"));
        assert!(answers(&["0.8", "0.9", "0.2"], &["1", "5", "3"]).unwrap_err().contains("two scales"));
        assert!(answers(&["0", "1", "1", "1"], &["1", "5", "3"]).unwrap_err().contains("two scales"));
        assert!(answers(&["3", "9", "2", "1"], &["1", "5", "3"]).is_ok());
        assert!(answers(&["1", "2", "1", "1"], &["1", "5", "3"]).is_ok());
        let found = answers(&["pass", "fail", "ERROR: timeout"], &["pass", "unsure", "skip"]).unwrap();
        assert_eq!(
            (found.scale.classes().len(), found.of_judge("ERROR: timeout"), found.of_human("skip")),
            (2, None, None)
        );
        assert_eq!(answers(&["ok", "unclear", "bad"], &["unclear", "ok"]).unwrap().scale.classes().len(), 3);
    }

    #[test]
    fn people_who_skip_and_answers_that_people_alone_give_are_told_apart() {
        let found =
            answers(&["pass", "fail"], &["pass", "skipped: too long", "Cannot judge", "unsure (language)"]).unwrap();
        assert_eq!((found.scale.classes().len(), found.of_human("skipped: too long")), (2, None));
        assert!(found.notices.is_empty(), "{:?}", found.notices);
        let typo = answers(&["pass", "fail", "none of these"], &["pass", "pas", "none of these", "pas"]).unwrap();
        assert_eq!(typo.scale.classes().len(), 4);
        assert_eq!(typo.notices, ["Answers that the judge never gives: pas (2); correct what is misspelt or none."]);
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
        assert_eq!(
            cased.notices,
            [
                "Taken as the same answer: refund for Refund; Billing for billing.",
                "Answers that the judge never gives: other (1); correct what is misspelt or none."
            ]
        );
    }

    #[test]
    fn numbers_are_places_scores_or_a_judges_scores_of_two_answers() {
        assert_eq!(answers(&["2", "5"], &["1", "4"]).unwrap().scale.range(), (1.0, 5.0));
        assert_eq!(answers(&["0.25", "0.5"], &["1", "0.75"]).unwrap().scale, Scale::Scores(0.0, 1.0));
        let scored = answers(&["7", "3", "9"], &["pass", "fail"]).unwrap();
        assert!(scored.judge_scores && scored.of_judge("7") == Some(7.0) && scored.of_human("pass") == Some(1.0));
        // A word among the numbers of people is no class, and the only answer of a pair has another beside it.
        let one_word = answers(&["1", "5", "3"], &["4", "5", "great"]).unwrap();
        assert_eq!((one_word.scale.range(), one_word.of_human("great")), ((1.0, 5.0), None));
        let only = |answer: &str| answers(&[answer, answer], &[]).map(|found| found.scale.classes().join(" "));
        assert_eq!([only("Pass"), only("I"), only("1")], ["fail Pass", "C I", "0 1"].map(|names| Ok(names.to_owned())));
        assert_eq!(only("blue"), Err("every answer is \"blue\"".to_owned()));
        let error = answers(&["A", "B"], &["good", "bad"]).unwrap_err();
        assert_eq!(error, "judge and people give different answers: the judge A, B; people bad, good");
    }
}
