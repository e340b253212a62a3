//! The half-split evaluation of a study, over the items with enough labels, and its journal.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::config::EvaluationConfig;
use super::decompose::{engine, neighbourhood};
use super::diagnostics::JudgeDiagnostics;
use super::{Error, Feature, Study};
use crate::dataset::Predictions;
use crate::dataset::checksum::sha256_hex;
use crate::escalation::Budget;
use crate::experiments::half_split::{Escalation, Familiarity, HalfSplit, Measured, Settings, summarise};
use crate::familiarity::neighbours::Neighbours;
use crate::output::FileError;
use crate::progress::Progress;
use crate::stats::Summary;

/// Fewer items than this say nothing about a ranking.
pub const LEAST_ITEMS: usize = 20;
/// How the names of journals end.
pub const JOURNAL_SUFFIX: &str = ".evaluation.jsonl";
/// Replicates that are written to the journal together.
const BATCH: usize = 16;

/// What escalation achieves on the items that have enough labels to tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Evaluated items.
    pub items: usize,
    /// Labels that an item needs to be evaluated.
    pub least_labels: u32,
    /// Half splits.
    pub replicates: usize,
    /// How labelled neighbours were found among them, in words; `None` without embeddings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<String>,
    /// The judge against the labels.
    pub judge: JudgeDiagnostics,
    /// All features.
    pub full: Escalation,
    /// The most that escalation can be expected to remove, by budget.
    pub oracle: BTreeMap<Budget, Summary>,
    /// The number of labels as the only feature; `None` where that is no feature or the only one.
    pub counts_only: Option<Escalation>,
    /// Every replicate under all features, from which registered hypotheses are judged; not written.
    #[serde(skip)]
    pub measured: Vec<Measured>,
}

/// An evaluation, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome<E = Evaluation> {
    /// It was run.
    Evaluated(E),
    /// It can't be run, and why.
    NotEvaluated(String),
}

/// The items with enough labels, by position, or why they are too few; excluded ones are left out.
pub fn evaluated_items(study: &Study) -> Result<Vec<usize>, String> {
    enough(&study.file.config.evaluation, &study.numbers(), &study.excluded)
}

/// The same from the numbers of labels.
pub(super) fn enough(
    config: &EvaluationConfig,
    numbers: &[u32],
    excluded: &BTreeMap<usize, String>,
) -> Result<Vec<usize>, String> {
    let least = config.least_labels;
    let kept: Vec<usize> = (0..numbers.len()).filter(|i| numbers[*i] >= least && !excluded.contains_key(i)).collect();
    if config.replicates == 0 {
        return Err("evaluation.replicates is 0".to_owned());
    }
    if kept.len() < LEAST_ITEMS {
        let left_out = match excluded.len() {
            0 => String::new(),
            n => format!(" ({n} items are excluded as registered)"),
        };
        return Err(format!(
            "what escalation achieves here can't be measured: one half of an item's labels has to serve as its truth, and \
             {} of {} items have {least} labels or more (evaluation.least_labels), where {LEAST_ITEMS} such items are \
             needed{left_out}. The judge's error, its calibration and its agreement with experts can't be measured for \
             the same reason. Trust, decomposition and rankings need none of this and are given for all items",
            kept.len(),
            numbers.len()
        ));
    }
    Ok(kept)
}

/// An evaluation that is set up: [`Self::replicate`] is one half split.
pub struct Evaluator<'a> {
    study: &'a Study,
    kept: Vec<usize>,
    split: HalfSplit<'a>,
    /// How neighbours are found.
    engine: Option<&'a dyn Neighbours>,
    /// Column of the features that is the number of labels, where it is not the only feature.
    counts: Option<usize>,
}

/// What a replicate measured under all features and, where that is something else, under the number of labels alone.
pub type Replicate = (Measured, Option<Measured>);

impl<'a> Evaluator<'a> {
    /// Sets up the evaluation of the items at positions `kept`; `engine` searches their embeddings.
    pub fn new(study: &'a Study, kept: Vec<usize>, engine: Option<&'a dyn Neighbours>) -> Self {
        let config = &study.file.config;
        let pool = study.labels.counts.counts().select(ndarray::Axis(0), &kept);
        let some = |values: &[Option<f64>]| kept.iter().map(|&i| values[i]).collect();
        let judge = Predictions {
            q: study.predictions.q.select(ndarray::Axis(0), &kept),
            spread: some(&study.predictions.spread),
            confidence: some(&study.predictions.confidence),
        };
        let settings = Settings {
            seed: config.seed,
            reveal: config.evaluation.reveal.clone(),
            budgets: config.evaluation.budgets(),
            rules: study.rules(),
            belief: config.trust.belief,
        };
        let (neighbours, mode) = neighbourhood(study);
        let near = engine.map(|engine| Familiarity::new(engine, neighbours, mode));
        let of_kept = kept.clone();
        let features =
            Box::new(move |numbers: &[u32], near: Option<&_>| study.feature_columns(&of_kept, numbers, near));
        let groups = study.group_numbers();
        let groups = kept.iter().filter_map(|&i| groups.get(i).copied()).collect();
        let split = HalfSplit::new(pool.view(), judge, near, features, settings).with_groups(groups);
        let counts = study.features.iter().position(|feature| *feature == Feature::LogLabels);
        Self { study, kept, split, engine, counts: counts.filter(|_| study.features.len() > 1) }
    }

    /// One half split.
    ///
    /// # Errors
    /// A fit that is impossible, for instance because no label was revealed.
    pub fn replicate(&self, replicate: u64) -> Result<Replicate, Error> {
        let mut stream = self.split.stream(replicate);
        let labels = self.split.draw_labels(&mut stream);
        let mut again = stream.clone();
        let features = self.split.features(&labels);
        let full = self.split.evaluate(&labels, &features, &mut stream)?.measured;
        let counts_only = match self.counts {
            Some(k) => Some(self.split.evaluate(&labels, &features[k..=k], &mut again)?.measured),
            None => None,
        };
        Ok((full, counts_only))
    }

    /// Summarises all replicates.
    pub fn summarise(&self, replicates: Vec<Replicate>) -> Evaluation {
        let count = replicates.len();
        let (full, counts_only): (Vec<Measured>, Vec<Option<Measured>>) = replicates.into_iter().unzip();
        let counts_only: Vec<Measured> = counts_only.into_iter().flatten().collect();
        let budgets = self.split.settings().budgets.iter();
        Evaluation {
            items: self.kept.len(),
            least_labels: self.study.file.config.evaluation.least_labels,
            replicates: count,
            neighbours: self.engine.map(|engine| engine.describe()),
            judge: JudgeDiagnostics::of(self.study, &self.kept, self.split.noise_ceiling()),
            oracle: budgets.map(|b| (*b, Summary::over(&full, |m| m.oracle[b]))).collect(),
            counts_only: (!counts_only.is_empty()).then(|| summarise(&counts_only)),
            full: summarise(&full),
            measured: full,
        }
    }
}

/// Runs all replicates, those apart that the journal holds from an interrupted run.
///
/// # Errors
/// A fit that is impossible, or a journal that can't be written.
pub fn evaluate(study: &Study, journal: Option<&mut Journal>, progress: &dyn Progress) -> Result<Outcome, Error> {
    let kept = match evaluated_items(study) {
        Ok(kept) => kept,
        Err(reason) => return Ok(Outcome::NotEvaluated(reason)),
    };
    let engine = engine(study, &kept, progress)?;
    let evaluator = Evaluator::new(study, kept, engine.as_deref());
    let mut none = Journal::default();
    let journal = journal.unwrap_or(&mut none);
    let wanted = study.file.config.evaluation.replicates;
    let replicates = journal.complete(wanted, |replicate| evaluator.replicate(replicate), progress)?;
    Ok(Outcome::Evaluated(evaluator.summarise(replicates)))
}

/// Finished replicates on disk, one per line under a line that says what they belong to, so that an interrupted
/// evaluation goes on where it stopped.
#[derive(Debug)]
pub struct Journal<R = Replicate> {
    path: PathBuf,
    file: Option<File>,
    done: Vec<R>,
}

impl<R> Default for Journal<R> {
    /// A journal in memory only.
    fn default() -> Self {
        Self { path: PathBuf::new(), file: None, done: vec![] }
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Heading {
    program: String,
    evaluation_of: String,
}

impl Journal {
    /// Opens the journal of a run folder, beside it; what another study, other inputs or another version left there is
    /// replaced.
    ///
    /// # Errors
    /// It can't be read or written.
    pub fn open(folder: &Path, study: &Study) -> Result<Self, Error> {
        let mut config = study.file.config.clone();
        config.evaluation.replicates = 0;
        Self::of(folder, fingerprint(&(config, &study.excluded), study.inputs.sums()))
    }
}

impl<R: Serialize + DeserializeOwned + Send> Journal<R> {
    /// Opens the journal of a run folder, beside it; what another study, other inputs or another version left there is
    /// replaced. A line that was cut off is dropped. `fingerprint` stands for all that replicates depend on.
    ///
    /// # Errors
    /// It can't be read or written.
    pub(super) fn of(folder: &Path, fingerprint: String) -> Result<Self, Error> {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let path = folder.with_file_name(format!(".{name}{JOURNAL_SUFFIX}"));
        let heading = Heading { program: env!("CARGO_PKG_VERSION").to_owned(), evaluation_of: fingerprint };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let same =
            lines.next().and_then(|line| serde_json::from_str::<Heading>(line).ok()).is_some_and(|h| h == heading);
        let mut done = Vec::new();
        if same {
            done.extend(lines.map_while(|line| serde_json::from_str::<R>(line).ok()));
        }
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .open(&path)
            .map_err(FileError::at(&path, "writing"))?;
        let mut again = line(&heading);
        done.iter().for_each(|replicate| again.push_str(&line(replicate)));
        file.write_all(again.as_bytes()).map_err(FileError::at(&path, "writing"))?;
        Ok(Self { path, file: Some(file), done })
    }

    /// Replicates that need not be run again.
    pub fn finished(&self) -> usize {
        self.done.len()
    }

    /// Runs the replicates that are missing to `wanted` and hands over all of them.
    ///
    /// # Errors
    /// That of a replicate, or the journal can't be written.
    pub(super) fn complete(
        &mut self,
        wanted: usize,
        replicate: impl Fn(u64) -> Result<R, Error> + Sync,
        progress: &dyn Progress,
    ) -> Result<Vec<R>, Error> {
        self.done.truncate(wanted);
        progress.start("half splits", wanted as u64);
        progress.advance(self.done.len() as u64);
        while self.done.len() < wanted {
            let first = self.done.len();
            let batch: Vec<Result<R, Error>> = (first..wanted.min(first + BATCH))
                .into_par_iter()
                .map(|number| {
                    let measured = replicate(number as u64);
                    progress.advance(1);
                    measured
                })
                .collect();
            self.append(batch.into_iter().collect::<Result<_, _>>()?)?;
        }
        progress.finish();
        Ok(std::mem::take(&mut self.done))
    }

    fn append(&mut self, batch: Vec<R>) -> Result<(), Error> {
        if let Some(file) = &mut self.file {
            let text: String = batch.iter().map(line).collect();
            file.write_all(text.as_bytes()).map_err(FileError::at(&self.path, "writing"))?;
        }
        self.done.extend(batch);
        Ok(())
    }

    /// Removes the journal of a run that is complete.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn remove(self) -> Result<(), Error> {
        match self.file {
            Some(_) => Ok(fs::remove_file(&self.path).map_err(FileError::at(&self.path, "removing"))?),
            None => Ok(()),
        }
    }
}

fn line<T: Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string(value).expect("what was measured is plain data with string keys");
    text.push('\n');
    text
}

/// Sum of everything that replicates depend on, their number apart: settings (with what is excluded) and input files.
pub(super) fn fingerprint(settings: &impl Serialize, inputs: &BTreeMap<String, String>) -> String {
    sha256_hex(line(&(settings, inputs.values().collect::<Vec<_>>())).as_bytes())
}
