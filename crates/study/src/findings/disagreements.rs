//! The items on which judge and people disagree, by what that says.

use serde::{Deserialize, Serialize};

use super::ratings::Ratings;

/// Answers on a scale that lie further apart than this part of it disagree.
const FAR: f64 = 0.25;

/// What a disagreement says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// People agree, and the judge differs from them.
    JudgeWrong,
    /// People differ.
    PeopleDiffer,
    /// People differ, and so do the judge's answers.
    Unclear,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::JudgeWrong, Self::PeopleDiffer, Self::Unclear];

    /// What it says, and what to do about it.
    pub fn says(self) -> (&'static str, &'static str) {
        match self {
            Self::JudgeWrong => {
                ("judge wrong", "people agree and the judge differs: read these, and mend its prompt or examples")
            }
            Self::PeopleDiffer => {
                ("people differ", "no judge can agree with all of them: settle the rubric, or accept the spread")
            }
            Self::Unclear => {
                ("unclear", "judge and people both waver: the rubric or the item itself needs other words")
            }
        }
    }
}

/// An item on which judge and people disagree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disagreement {
    /// Its id.
    pub id: String,
    /// What it says.
    pub cause: Cause,
    /// The judge's answer.
    pub judge: String,
    /// Those of people, each with how many gave it.
    pub people: String,
}

/// The disagreements of a study, by cause and then in the order of the items, whose ids `id` gives.
pub fn disagreements(ratings: &Ratings, id: impl Fn(usize) -> String) -> Vec<Disagreement> {
    let (low, high) = ratings.scale.range();
    let far = if ratings.scale.nominal().is_some() { 0.0 } else { FAR * (high - low) };
    let cause = |item: usize| {
        let differ = ratings.between(item).is_some_and(|between| between > far);
        let wavers = ratings.within(item).is_some_and(|within| within > far);
        match (differ, wavers) {
            (true, true) => Some(Cause::Unclear),
            (true, false) => Some(Cause::PeopleDiffer),
            (false, _) => (ratings.miss(item, ratings.verdict[item]) > far).then_some(Cause::JudgeWrong),
        }
    };
    let of = |item: usize| {
        let said = |(answer, n): &(f64, f64)| match *n as u64 {
            1 => ratings.scale.text(*answer).into_owned(),
            n => format!("{} ({n})", ratings.scale.text(*answer)),
        };
        let people: Vec<String> = ratings.people[item].iter().map(said).collect();
        Some(Disagreement { id: id(item), cause: cause(item)?, judge: ratings.judged(item), people: people.join(", ") })
    };
    let mut all: Vec<Disagreement> = ratings.labelled().into_iter().filter_map(of).collect();
    all.shrink_to_fit();
    all.sort_by_key(|one| one.cause);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    #[test]
    fn each_disagreement_has_its_cause() {
        let names = ["no", "yes"].map(str::to_owned).to_vec();
        let ratings = |people: Vec<Vec<(f64, f64)>>, repeats: Vec<Vec<f64>>, scale: Scale| Ratings {
            is_repeated: true,
            scale,
            clusters: (0..people.len()).collect(),
            verdict: repeats.iter().map(|answers| answers[0]).collect(),
            predicted: vec![vec![0.0]; people.len()].into_iter().collect(),
            confidence: vec![None; people.len()],
            group: None,
            system: None,
            contests: None,
            covariates: vec![],
            people: people.into_iter().collect(),
            counted: None,
            unlike_pairs: None,
            left_out: None,
            repeats: repeats.into_iter().collect(),
        };
        let of = |ratings: &Ratings| -> Vec<(String, Cause, String)> {
            let all = disagreements(ratings, |item| item.to_string());
            all.into_iter().map(|one| (one.id, one.cause, one.people)).collect()
        };
        let classes = ratings(
            vec![
                vec![(1.0, 2.0)],
                vec![(0.0, 1.0)],
                vec![(0.0, 1.0), (1.0, 2.0)],
                vec![(0.0, 1.0), (1.0, 1.0)],
                vec![],
            ],
            vec![vec![1.0], vec![1.0], vec![1.0], vec![1.0, 0.0], vec![1.0]],
            Scale::Classes(names),
        );
        let expected = [
            ("1", Cause::JudgeWrong, "no"),
            ("2", Cause::PeopleDiffer, "no, yes (2)"),
            ("3", Cause::Unclear, "no, yes"),
        ];
        assert_eq!(of(&classes), expected.map(|(id, cause, people)| (id.to_owned(), cause, people.to_owned())));
        // On a scale from 0 to 10 answers disagree from 2.5 on.
        let scores = ratings(
            vec![vec![(5.0, 1.0)], vec![(5.0, 1.0)], vec![(1.0, 1.0), (9.0, 1.0)]],
            vec![vec![7.0649999999999995], vec![9.0], vec![5.0]],
            Scale::Scores(0.0, 10.0),
        );
        assert_eq!(scores.judged(0), "7.065");
        // On however small a scale.
        let small = ratings(vec![vec![]], vec![vec![0.000012]], Scale::Scores(0.0, 0.0001));
        assert_eq!(small.judged(0), "0.000012");
        let causes: Vec<Cause> = of(&scores).into_iter().map(|(_, cause, _)| cause).collect();
        assert_eq!(causes, [Cause::JudgeWrong, Cause::PeopleDiffer]);
    }
}
