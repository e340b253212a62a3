//! What loops came to, over items and seeds.

use serde::Serialize;

use super::play::{Course, Game, Policy, Start};
use crate::model::kind::Kind;
use judge_uncertainty_core::stats::student::student_quantile;
use judge_uncertainty_core::stats::{Interval, mean};

/// Version of the layout.
pub const SCHEMA: u32 = 1;

/// A simulation of the loop. Intervals are 95% intervals over the items (things, where several items are about one) and
/// the seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simulation {
    /// Version of the layout.
    pub schema: u32,
    /// Title of the study.
    pub study: String,
    /// The kind of labels.
    pub kind: &'static str,
    /// Items that are played with.
    pub items: usize,
    /// Labels that an item needs to take part.
    pub least_labels: u32,
    /// What is known when the loop begins.
    pub start: Start,
    /// Things that they are about, which are sent with all their items, where `items.item` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub things: Option<usize>,
    /// Items that get a label in a round; things, where there are any.
    pub batch: usize,
    /// Seeds, from `seed`.
    pub seeds: usize,
    /// The first seed.
    pub seed: u64,
    /// The policies; the first is the one that labels saved are counted against.
    pub policies: Vec<PlayedPolicy>,
    /// Differences between every two policies after each round.
    pub differences: Vec<Difference>,
    /// Every file of the folder.
    pub files: Vec<String>,
}

/// A policy and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayedPolicy {
    /// The policy.
    #[serde(flatten)]
    pub policy: Policy,
    /// Round by round, from 0.
    pub rounds: Vec<Round>,
    /// Labels saved at the error that the first policy ends with.
    pub saved: LabelsSaved,
}

/// Where a policy stands after a round; means over seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Round {
    /// The round.
    pub round: usize,
    /// Labels given.
    pub labels: f64,
    /// Items that have any.
    pub labelled: f64,
    /// Distance of the belief's means to the whole pools.
    pub error: Crossed,
    /// Squared error of these means.
    pub squared: f64,
    /// What the belief takes that for.
    pub hoped: f64,
}

/// One policy's error minus another's after a round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Position of the policy.
    pub policy: usize,
    /// Position of the other.
    pub than: usize,
    /// The round.
    pub round: usize,
    /// The difference: below 0 the policy is better.
    pub difference: Crossed,
}

/// Labels that a policy needs less than the first one, to come to the error with which that ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabelsSaved {
    /// Labels saved; `None` where the policy does not get there in these rounds.
    pub labels: Option<f64>,
    /// The fewest that the interval of the difference allows; `None` where none are sure.
    pub least: Option<f64>,
    /// The most.
    pub most: Option<f64>,
}

/// A mean over items and seeds that are crossed: every seed has every item.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Crossed {
    /// The mean.
    pub value: f64,
    /// Its standard error.
    pub se: f64,
    /// Its 95% interval; of one seed it covers the items alone.
    pub interval: Interval,
}

impl Crossed {
    /// The mean of `values`, seeds x items; items with the same number of `things` vary together.
    ///
    /// ```text
    /// variance = A + B,   reach = (t_I A + t_S B) / sqrt(A + B),   A = max(V_items - V_rest, 0),   B = V_seeds
    /// ```
    ///
    /// with V_items the variance of the mean of item means, V_seeds that of seed means, and V_rest what of both is the
    /// variance of single cells (crossed random effects, by the method of moments); t_I and t_S are Student's quantiles
    /// of items and of seeds, each less 1 (Cochran and Cox 1950, for a sum of parts that are estimated apart). In
    /// trials these hold in 0.94 to 0.97 from five seeds on; with three up to 0.975 and with two up to 0.983
    /// (`evidence/loop-intervals.csv`).
    pub fn new(values: &[Vec<f64>], things: &[usize]) -> Self {
        let (seeds, items) = (values.len() as f64, things.len() as f64);
        let of_seed: Vec<f64> = values.iter().map(|of| mean(of)).collect();
        let value = mean(&of_seed);
        let number = things.iter().max().map_or(0, |last| last + 1);
        // Sums over the items of a thing, of every seed.
        let sums: Vec<Vec<f64>> = values
            .iter()
            .zip(&of_seed)
            .map(|(of, own)| {
                let mut sums = vec![0.0; number];
                of.iter().zip(things).for_each(|(x, &thing)| sums[thing] += x - own);
                sums
            })
            .collect();
        let of_thing: Vec<f64> = (0..number).map(|t| sums.iter().map(|sums| sums[t]).sum::<f64>() / seeds).collect();
        let things = number as f64;
        let square = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
        let by_items = square(&mut of_thing.iter().copied()) * things / (things - 1.0) / (items * items);
        let (mut by_seeds, mut rest) = (0.0, 0.0);
        if values.len() > 1 {
            by_seeds = square(&mut of_seed.iter().map(|own| own - value)) / (seeds - 1.0) / seeds;
            let mut cells = sums.iter().flat_map(|sums| sums.iter().zip(&of_thing).map(|(x, own)| x - own));
            rest = square(&mut cells) / ((seeds - 1.0) * (things - 1.0)) * things / (seeds * items * items);
        }
        let by_items = (by_items - rest).max(0.0);
        let se = (by_items + by_seeds).sqrt();
        let t = |units: f64| student_quantile(0.975, (units - 1.0).max(1.0));
        let reach = if se > 0.0 { (t(things) * by_items + t(seeds) * by_seeds) / se } else { 0.0 };
        Self { value, se, interval: Interval { lo: value - reach, hi: value + reach } }
    }
}

impl Simulation {
    /// Summarises the courses of all policies, those of the first seed first.
    pub fn new<K: Kind>(game: &Game<'_, K>, courses: &[Course]) -> Self {
        let study = game.study();
        let (policies, things) = (&game.policies, game.things());
        let of = |policy: usize| courses.iter().skip(policy).step_by(policies.len());
        let errors = |policy: usize, round: usize| -> Vec<&[f64]> {
            of(policy).map(|course| course.errors[round].as_slice()).collect()
        };
        let minus = |(policy, at): (usize, usize), (than, then): (usize, usize)| {
            let paired = errors(policy, at).into_iter().zip(errors(than, then));
            let values: Vec<Vec<f64>> = paired.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a - b).collect()).collect();
            Crossed::new(&values, &things)
        };
        let labels =
            |policy: usize, round: usize| mean(&of(policy).map(|c| c.labels[round] as f64).collect::<Vec<_>>());
        let round = |policy: usize, round: usize| {
            let values: Vec<Vec<f64>> = errors(policy, round).into_iter().map(<[f64]>::to_vec).collect();
            let over = |part: &dyn Fn(&Course) -> f64| mean(&of(policy).map(part).collect::<Vec<_>>());
            Round {
                round,
                labels: labels(policy, round),
                labelled: over(&|c| c.labelled[round] as f64),
                error: Crossed::new(&values, &things),
                squared: over(&|c| c.squared[round]),
                hoped: over(&|c| c.hoped[round]),
            }
        };
        let last = game.rounds;
        let saved = |policy: usize| {
            let course: Vec<(f64, Crossed)> =
                (0..=last).map(|round| (labels(policy, round), minus((policy, round), (0, last)))).collect();
            LabelsSaved::new(labels(0, last), &course)
        };
        let played = policies.iter().enumerate().map(|(k, policy)| PlayedPolicy {
            policy: policy.clone(),
            rounds: (0..=last).map(|r| round(k, r)).collect(),
            saved: saved(k),
        });
        let pairs = (0..policies.len()).flat_map(|a| (0..policies.len()).filter(move |b| *b != a).map(move |b| (a, b)));
        let differences = pairs.flat_map(|(policy, than)| (0..=last).map(move |round| (policy, than, round)));
        Self {
            schema: SCHEMA,
            study: study.file.config.title.clone(),
            kind: K::FACTS.name,
            items: game.items(),
            least_labels: study.file.config.evaluation.least_labels,
            start: game.start,
            things: game.wholes(),
            batch: game.batch,
            seeds: courses.len() / policies.len(),
            seed: game.seed,
            policies: played.collect(),
            differences: differences
                .map(|(policy, than, round)| Difference {
                    policy,
                    than,
                    round,
                    difference: minus((policy, round), (than, round)),
                })
                .collect(),
            files: vec![],
        }
    }

    /// The rounds of all policies as a table.
    pub fn csv(&self) -> String {
        let mut text =
            "belief,rule,round,labels,labelled_items,error,se,lo,hi,squared_error,hoped_squared_error,labels_saved\n"
                .to_owned();
        for played in &self.policies {
            let saved = played.saved.labels.map_or_else(String::new, |saved| saved.to_string());
            for (k, r) in played.rounds.iter().enumerate() {
                let Crossed { value, se, interval } = r.error;
                let saved = if k + 1 == played.rounds.len() { saved.as_str() } else { "" };
                text.push_str(&format!(
                    "{},{},{},{},{},{value},{se},{},{},{},{},{saved}\n",
                    played.policy.belief,
                    played.policy.rule,
                    r.round,
                    r.labels,
                    r.labelled,
                    interval.lo,
                    interval.hi,
                    r.squared,
                    r.hoped
                ));
            }
        }
        text
    }

    /// The differences between policies as a table.
    pub fn differences_csv(&self) -> String {
        let mut text = "belief,rule,than_belief,than_rule,round,difference,se,lo,hi\n".to_owned();
        for one in &self.differences {
            let [policy, than] = [one.policy, one.than].map(|k| &self.policies[k].policy);
            let Crossed { value, se, interval } = one.difference;
            text.push_str(&format!(
                "{},{},{},{},{},{value},{se},{},{}\n",
                policy.belief, policy.rule, than.belief, than.rule, one.round, interval.lo, interval.hi
            ));
        }
        text
    }
}

impl judge_uncertainty_system::Record for Simulation {
    const FILE: &'static str = "simulation.json";
    const KEY: &'static str = "policies";

    fn set_files(&mut self, files: Vec<String>) {
        self.files = files;
    }
}

impl LabelsSaved {
    /// From the labels of the first policy and, by labels given, a policy's error minus that of the first at its end.
    fn new(of_first: f64, course: &[(f64, Crossed)]) -> Self {
        let reached = |part: &dyn Fn(&Crossed) -> f64| -> Option<f64> {
            let at = course.iter().position(|(_, minus)| part(minus) <= 0.0)?;
            let (labels, now) = (course[at].0, part(&course[at].1));
            let Some((before, above)) = at.checked_sub(1).map(|k| (course[k].0, part(&course[k].1))) else {
                return Some(of_first - labels);
            };
            Some(of_first - (before + (labels - before) * above / (above - now)))
        };
        Self { labels: reached(&|m| m.value), least: reached(&|m| m.interval.hi), most: reached(&|m| m.interval.lo) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_core::random::Stream;
    use judge_uncertainty_core::stats::normal::normal_quantile;

    /// Items, seeds and single cells vary, items with heavy tails.
    #[test]
    fn intervals_hold_as_often_as_they_say() {
        let mut stream = Stream::new(3);
        let mut normal = move || normal_quantile(stream.random().clamp(1e-12, 1.0 - 1e-12));
        let of_five = [(5, 0.0, 0.3), (5, 0.05, 0.3), (5, 0.02, 0.1)];
        // Seeds that vary three and ten times as much as the mean over items.
        for (seeds, seed_sd, cell_sd) in of_five.into_iter().chain([(3, 0.1, 0.3), (3, 0.3, 0.3), (2, 0.3, 0.3)]) {
            let (items, worlds) = (100, 600);
            let mut held = 0;
            for _ in 0..worlds {
                let of_item: Vec<f64> = (0..items).map(|_| normal() * if normal() > 1.3 { 0.6 } else { 0.2 }).collect();
                let values: Vec<Vec<f64>> = (0..seeds)
                    .map(|_| {
                        let own = seed_sd * normal();
                        of_item.iter().map(|x| x + own + cell_sd * normal()).collect()
                    })
                    .collect();
                let Interval { lo, hi } = Crossed::new(&values, &(0..items).collect::<Vec<_>>()).interval;
                held += u32::from((lo..=hi).contains(&0.0));
            }
            let share = f64::from(held) / f64::from(worlds);
            assert!((0.93..=0.985).contains(&share), "{seeds} seeds, {seed_sd} {cell_sd}: {share}");
        }
    }

    #[test]
    fn items_about_one_thing_count_once() {
        let one = [vec![1.0, 2.0, 4.0, 6.0], vec![1.5, 2.0, 5.0, 6.5]];
        let twice: Vec<Vec<f64>> = one.iter().map(|of| of.iter().chain(of).copied().collect()).collect();
        let (a, b) = (Crossed::new(&one, &[0, 1, 2, 3]), Crossed::new(&twice, &[0, 1, 2, 3, 0, 1, 2, 3]));
        assert!((a.se - b.se).abs() < 1e-12 && a.value == b.value && a.se > 0.0);
    }

    #[test]
    fn labels_saved_by_hand() {
        let at = |value: f64| Crossed { value, se: 0.1, interval: Interval { lo: value - 0.2, hi: value + 0.2 } };
        let course = [(0.0, at(0.5)), (10.0, at(0.1)), (20.0, at(-0.1)), (30.0, at(-0.3))];
        let saved = LabelsSaved::new(30.0, &course);
        let close = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 1e-9;
        // It gets there at 15 labels; the upper end at 25, the lower one at 7.5.
        assert!(close(saved.labels, 15.0) && close(saved.least, 5.0) && close(saved.most, 22.5), "{saved:?}");
        assert_eq!(LabelsSaved::new(30.0, &course[..2]).labels, None);
    }
}
