//! Two studies of the same items and labels: two judges, two versions of a judge, or two beliefs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::error::Error;
use crate::evaluate::held_out::{SAME, ScoredItems, advantage};
use crate::findings::trust::{Sample, Values, agreement, ask};
use crate::input::judge::JudgeFiles;
use crate::model::chosen::ItemSampling;
use crate::model::study::name_of_own;
use crate::model::study::{Decomposition, Study};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::estimator::{Ask, Design, LEAST_ITEMS};
use judge_uncertainty_core::stats::rank::item_spearman;
use judge_uncertainty_core::stats::{Estimable, mean};
use judge_uncertainty_evaluation::held_out::{Given, ItemScores, Prediction, Score};

/// Version of the layout of a comparison.
pub const SCHEMA: u32 = 2;
/// Items that are named where two judges part.
const NAMED: usize = 10;

/// Two studies held against each other. Intervals are central 95% ones over items, each on its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyComparison {
    /// Version of the layout.
    pub schema: u32,
    /// The kind of labels.
    pub kind: &'static str,
    /// Items of both.
    pub items: usize,
    /// Items whose labels were scored.
    pub scored_items: usize,
    /// The first study and the second.
    pub studies: [One; 2],
    /// What differs between the judges, in words; `None` for one and the same.
    pub judges_differ: Option<String>,
    /// How often either judge agrees with a person.
    pub agreement: PairedAgreement,
    /// Scores on held-out labels, second less first, paired: above 0 the first is better. Empty with
    /// [`Self::not_estimable`].
    pub scores: Vec<PairedScore>,
    /// How the labelled items were chosen, in words, see [`crate::evaluate::held_out::HeldOutReport::chosen`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// The reason for missing scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_estimable: Option<String>,
    /// How alike the two rank the items.
    pub ranks: RankAgreement,
    /// How the judge's predictions moved from the first study to the second, over all items, by quantity.
    pub drift: BTreeMap<String, Estimable>,
    /// The items whose predictions are furthest apart, furthest first.
    pub apart: Vec<Apart>,
}

/// One of two studies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct One {
    /// Its title.
    pub title: String,
    /// Its belief.
    pub belief: String,
    /// What a typical prediction counts for in it, in labels. It belongs to this judge and no other.
    pub assumed_trust: f64,
    /// Its judge.
    pub judge: JudgeFiles,
}

/// Both judges compared with the same people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedAgreement {
    /// How often each agrees with a person; of numbers, how far it is from one on average. As its own study finds it.
    pub judges: [Estimable; 2],
    /// By how much the first is better, paired over items: it agrees more often, or is that much nearer.
    pub advantage: Estimable,
}

impl PairedAgreement {
    /// `at` has the position of each item of the first study in the second.
    fn new(studies: [&Study; 2], at: &[usize]) -> Self {
        let samples = studies.map(Sample::new);
        let [first, second] = [&samples[0], &samples[1]].map(|sample| sample.ratings);
        let labelled = &samples[0].labelled;
        let of = [labelled.clone(), labelled.iter().map(|&item| at[item]).collect()];
        let [one, other] = [0, 1].map(|k| ItemSampling::new(studies[k], &of[k]));
        let miss = |item: usize| second.over_judge(at[item], |answer| first.miss(item, answer));
        let nearer = samples[0].values(|item| Some(miss(item) - first.judge_miss(item)));
        let advantage = match nearer.iter().flatten().all(|nearer| nearer.abs() <= SAME) {
            true => Estimable::not("the two are right on the same items"),
            false => chosen_for(studies, [&one, &other]).design.estimate(&ask(first, &nearer, Values::Differences)),
        };
        Self { judges: samples.each_ref().map(agreement), advantage }
    }
}

/// A score of both studies on the same labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedScore {
    /// `judge` or `belief`.
    pub prediction: &'static str,
    /// What it knows.
    pub given: Given,
    /// The score.
    pub score: Score,
    /// How much lower the first study's is, paired over items.
    pub advantage: Estimable,
}

/// Agreement of two rankings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankAgreement {
    /// Spearman correlation of the epistemic parts over items.
    pub spearman_epistemic: Estimable,
    /// Of the total uncertainties.
    pub spearman_total: Estimable,
    /// Share of the tenth of the items with most epistemic uncertainty that both have.
    pub shared_tenth: f64,
    /// That share with an interval (that tenth as a random sample, which held in 0.97 or more of simulated rankings).
    pub shared_tenth_of_new_items: Estimable,
}

/// An item on which the two judges part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Apart {
    /// Its id.
    pub id: String,
    /// The first judge's answer, as a label is written.
    pub first: String,
    /// The second's.
    pub second: String,
    /// Manhattan distance of the predictions; on a scale, the distance of the means.
    pub distance: f64,
}

/// For every item of the first study its position in the second.
///
/// # Errors
/// Scales, items or labels that are not the same.
pub fn matched(first: &Study, second: &Study) -> Result<Vec<usize>, Error> {
    if first.file.config.scale != second.file.config.scale {
        return Err(Error::OtherScale { key: first.scale().key() });
    }
    let lacking = |of: &Study, from: &Study, in_which| {
        let ids: Vec<&str> = of.items.ids.iter().filter(|id| from.items.ids.position(id).is_none()).collect();
        ids.first().map(|id| Error::OtherItems { id: (*id).to_owned(), in_which, others: ids.len() })
    };
    if let Some(refused) = lacking(first, second, "first").or_else(|| lacking(second, first, "second")) {
        return Err(refused);
    }
    let at: Vec<usize> = first.items.ids.iter().filter_map(|id| second.items.ids.position(id)).collect();
    let (one, other) = (first.labels.as_numbers(), second.labels.as_numbers());
    let differs = |i: &usize| one[*i] != other[at[*i]];
    let others: Vec<usize> = (0..first.len()).filter(differs).collect();
    match others.first() {
        Some(&i) => Err(Error::OtherLabels { id: first.items.ids[i].to_owned(), others: others.len() }),
        None => Ok(at),
    }
}

impl StudyComparison {
    /// Holds two studies of the same items and labels against each other.
    ///
    /// # Errors
    /// As [`matched`], or a fit that is impossible.
    pub fn new(studies: [&Study; 2], decompositions: [&Decomposition; 2]) -> Result<Self, Error> {
        let [first, second] = studies;
        let at = matched(first, second)?;
        let labelled: Vec<usize> = (0..first.len()).filter(|i| decompositions[0].numbers[*i] > 0).collect();
        let (scores, scored_items, chosen, not_estimable) = if labelled.len() < LEAST_ITEMS {
            let have = labelled.len();
            (
                vec![],
                0,
                None,
                Some(format!("scores on held-out labels need {LEAST_ITEMS} labelled items, and there are {have}")),
            )
        } else {
            let one = ScoredItems::new(first, decompositions[0], &labelled)?;
            let same: Vec<usize> = one.kept.iter().map(|&i| at[i]).collect();
            let chosen = chosen_for(studies, [&one.chosen, &ItemSampling::new(second, &same)]);
            let other = ScoredItems::over(second, decompositions[1], same, (&one.folds, chosen))?;
            (paired(&one, &other), one.kept.len(), other.chosen.words.clone(), None)
        };
        let predicted: Vec<(Vec<f64>, Vec<f64>)> =
            (0..first.len()).map(|i| (first.predicted(i), second.predicted(at[i]))).collect();
        let report = |k: usize| One {
            title: studies[k].file.config.title.clone(),
            belief: name_of_own(studies[k]).to_owned(),
            assumed_trust: decompositions[k].assumed_trust(),
            judge: studies[k].judge_files.clone(),
        };
        let reports = [report(0), report(1)];
        Ok(Self {
            schema: SCHEMA,
            kind: first.scale().name(),
            items: first.len(),
            scored_items,
            judges_differ: reports[0].judge.differs(&reports[1].judge),
            studies: reports,
            agreement: PairedAgreement::new(studies, &at),
            scores,
            chosen,
            not_estimable,
            ranks: RankAgreement::new(decompositions, &at),
            drift: drift(first.file.config.scale.quantities(), &predicted),
            apart: apart(studies, &at, &predicted),
        })
    }
}

impl RankAgreement {
    fn new([first, second]: [&Decomposition; 2], at: &[usize]) -> Self {
        let both = |f: &dyn Fn(&Decomposition, usize) -> f64| {
            let one: Vec<f64> = (0..at.len()).map(|i| f(first, i)).collect();
            let other: Vec<f64> = at.iter().map(|&i| f(second, i)).collect();
            item_spearman(&one, &other)
        };
        let count = Budget::HEADLINE.of(at.len());
        let tenth = |of: &Decomposition| of.ranking(Rule::Info).unwrap_or_default()[..count].to_vec();
        let (one, other) = (tenth(first), tenth(second));
        let second: BTreeSet<usize> = other.into_iter().collect();
        let both_have = |i: &usize| f64::from(u8::from(second.contains(&at[*i])));
        let shared: Vec<f64> = one.iter().map(both_have).collect();
        Self {
            spearman_epistemic: both(&|d, i| d.belief(i).epistemic()),
            spearman_total: both(&|d, i| d.belief(i).total()),
            shared_tenth: mean(&shared),
            shared_tenth_of_new_items: Design::random((0..at.len()).collect())
                .estimate(&Ask::share(&shared.iter().copied().map(Some).collect::<Vec<_>>())),
        }
    }
}

/// How the items were chosen that two studies share: as the one says that knows more than that its files hold them.
/// Added labels without any queue are copies of those of the other, whose record counts.
fn chosen_for(studies: [&Study; 2], [first, second]: [&ItemSampling; 2]) -> ItemSampling {
    let tells = |study: &Study, chosen: &ItemSampling| {
        !chosen.design.is_simple() || chosen.design.reason().is_some() || !study.queues.is_empty()
    };
    let copies = studies.map(|study| study.batches() > 0 && study.queues.is_empty());
    let differ = first.design != second.design && !(first.design.is_even() && second.design.is_even());
    match (tells(studies[0], first), tells(studies[1], second)) {
        (true, true) if differ && copies[0] == copies[1] => {
            let reason = "the two studies say different things of how the items were chosen; this describes these \
                          items, not new ones";
            let design = Design::unknown(first.design.clusters().to_vec(), reason);
            ItemSampling {
                is_assumed: false,
                design,
                words: Some("The two studies differ in how the labelled items were chosen.".to_owned()),
            }
        }
        (true, true) if copies[0] => second.clone(),
        (false, true) => second.clone(),
        _ => first.clone(),
    }
}

fn scores_of<'a>(of: &'a ScoredItems, name: &str, given: Given, score: Score) -> Option<&'a ItemScores> {
    of.table.get(&Prediction { name: name.to_owned(), given })?.get(&score)
}

/// Judges and beliefs of both studies on the same labels; predictions that are those of the judges are left out.
fn paired(first: &ScoredItems, second: &ScoredItems) -> Vec<PairedScore> {
    let compared =
        [("judge", Given::NoLabel, false), ("belief", Given::NoLabel, true), ("belief", Given::OtherLabels, true)];
    let mut found = vec![];
    for (prediction, given, fitted) in compared {
        let name = |of: &ScoredItems| if fitted { of.own.clone() } else { "judge".to_owned() };
        let judges = fitted && [first, second].iter().all(|of| of.is_judge(&Prediction { name: name(of), given }));
        for score in first.pool.scores().iter().filter(|score| **score != Score::Coverage && !judges) {
            let both = (scores_of(first, &name(first), given, *score), scores_of(second, &name(second), given, *score));
            if let (Some(one), Some(other)) = both {
                found.push(PairedScore {
                    prediction,
                    given,
                    score: *score,
                    advantage: advantage(&second.chosen.design, [other, one], fitted),
                });
            }
        }
    }
    found
}

fn drift(quantities: Vec<String>, predicted: &[(Vec<f64>, Vec<f64>)]) -> BTreeMap<String, Estimable> {
    let of = |(k, quantity): (usize, String)| {
        let moved: Vec<Option<f64>> = predicted.iter().map(|(one, other)| Some(other[k] - one[k])).collect();
        let estimable = match moved.iter().flatten().all(|moved| moved.abs() <= SAME) {
            true => Estimable::not("no prediction moved"),
            false => Design::random((0..moved.len()).collect()).estimate(&Ask::mean(&moved)),
        };
        (quantity, estimable)
    };
    quantities.into_iter().enumerate().map(of).collect()
}

fn apart([first, second]: [&Study; 2], at: &[usize], predicted: &[(Vec<f64>, Vec<f64>)]) -> Vec<Apart> {
    // On a scale the first quantity is the mean; without one all are shares.
    let terms = if !first.scale().has_order() { usize::MAX } else { 1 };
    let distance = |(one, other): &(Vec<f64>, Vec<f64>)| -> f64 {
        one.iter().zip(other).take(terms).map(|(one, other)| (one - other).abs()).sum()
    };
    let mut order: Vec<usize> = (0..at.len()).filter(|&i| distance(&predicted[i]) > SAME).collect();
    order.sort_by(|&a, &b| distance(&predicted[b]).total_cmp(&distance(&predicted[a])));
    let of = |i: usize| Apart {
        id: first.items.ids[i].to_owned(),
        first: first.prediction(i),
        second: second.prediction(at[i]),
        distance: distance(&predicted[i]),
    };
    order.into_iter().take(NAMED).map(of).collect()
}
