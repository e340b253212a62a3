//! A fitted belief as a file, applied to further items and to those of its own study.

mod audited;
mod belief;
mod bits;
mod stream;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use judge_uncertainty::belief::maps::MapName;
use judge_uncertainty::escalation::Rule;
use judge_uncertainty::evaluation::RuleDraws;
use judge_uncertainty::formats::batches::{Batch, Header};
use judge_uncertainty::formats::judge::JudgeVariants;
use judge_uncertainty::formats::output::ColumnValues;
use judge_uncertainty::study::apply::applier::{Applier, priority_column};
use judge_uncertainty::study::belief_file::{BeliefFile, REFERENCE};
use judge_uncertainty::study::input::labels::Labels;
use judge_uncertainty::study::results::columns::columns;
use judge_uncertainty::study::{Decomposition, Study};
use judge_uncertainty::system::progress::Silent;
use serde_json::{Value, json};
use tempfile::TempDir;

use judge_uncertainty::study::input::config::{StudyConfig, scale_key};

use crate::ordinal_study::study as answers;
use crate::study_run::desk;
use crate::support::{repository, run};

/// A belief written to a folder and read again.
fn written(study: &Study, decomposition: &Decomposition) -> (TempDir, Applier) {
    let folder = tempfile::tempdir().unwrap();
    let (belief, bytes) = BeliefFile::new(study, decomposition);
    let path = folder.path().join("belief.json");
    fs::write(&path, belief.text()).unwrap();
    if let Some(bytes) = bytes {
        fs::write(folder.path().join(REFERENCE), bytes).unwrap();
    }
    let applier = Applier::read(&path, &[]).unwrap();
    assert_eq!(applier.file.text(), belief.text());
    (folder, applier)
}

/// A table in memory: its columns, with a cell for each item.
struct Made(Vec<(String, Vec<String>)>);

/// The text of each value, blank for a missing one.
fn cells<T: ToString>(values: impl IntoIterator<Item = Option<T>>) -> Vec<String> {
    values.into_iter().map(|value| value.map(|value| value.to_string()).unwrap_or_default()).collect()
}

impl Made {
    fn put(&mut self, name: &str, cells: Vec<String>) {
        self.0.push((name.to_owned(), cells));
    }

    fn header(&self) -> Header {
        let names = self.0.iter().map(|(name, _)| name.clone()).collect();
        Header { file: "made.csv".into(), names, complete: true }
    }

    fn rows(&self, rows: std::ops::Range<usize>) -> Batch {
        let mut batch = Batch::new(Path::new("made.csv"), self.header().names);
        rows.for_each(|row| batch.push(row as u64 + 2, self.0.iter().map(|(_, cells)| &cells[row]), None));
        batch
    }

    /// What every kind of study knows of its items besides judge and labels.
    fn from_study(study: &Study) -> Self {
        let mut made = Self(vec![("id".to_owned(), cells(study.items.ids.iter().map(Some)))]);
        if let (Some(name), Some(groups)) = (&study.file.config.items.group, &study.items.groups) {
            made.put(name, cells(groups.iter().map(Some)));
        }
        for column in study.items.columns.iter().filter(|column| column.categories.is_empty()) {
            made.put(&column.source, cells(column.feature.values.to_vec()));
        }
        if let Some(embeddings) = &study.embeddings {
            made.put("embedding", cells(embeddings.rows().into_iter().map(|row| Some(json!(row.to_vec())))));
        }
        made
    }

    fn classes(&mut self, judge: &JudgeVariants, labels: &Labels, confidence: Option<&str>, pattern: &str) {
        let variants = judge.variants();
        let items = judge.ids().len();
        for (v, variant) in variants.iter().enumerate() {
            for (k, class) in judge.classes().iter().enumerate() {
                let cell = |i| judge.answer(i, v).map(|weights| weights[k]);
                let name = pattern.replace("{variant}", variant).replace("{class}", class);
                self.put(&name, cells((0..items).map(cell)));
            }
        }
        if let Some(name) = confidence {
            self.put(name, cells((0..items).map(|i| judge.confidence(i))));
        }
        for (k, class) in judge.classes().iter().enumerate() {
            self.put(&format!("n_{class}"), cells(labels.counts.column(k).iter().map(Some)));
        }
    }
}

/// Every column that a run states of an item but its ranks, and every priority, is the same to the bit.
fn assert_same_bits(study: &Study, decomposition: &Decomposition, made: &Made) {
    let (_folder, applier) = written(study, decomposition);
    let header = made.header();
    applier.check(&header).unwrap();
    let applied = applier.apply(&header, (&made.rows(0..study.len()), None), None).unwrap();
    assert_eq!(applied.bad, []);
    let bits = |values: &ColumnValues| match values {
        ColumnValues::Number(values) => format!("{:?}", values.iter().map(|x| x.to_bits()).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    };
    let column = |name: &str| {
        let found = applied.columns.iter().find(|column| column.name == name);
        found.unwrap_or_else(|| panic!("{name} is missing")).clone()
    };
    let of_run: Vec<_> = columns(study, decomposition);
    for of_run in &of_run {
        let of_apply = column(&of_run.name);
        assert!(bits(&of_apply.values) == bits(&of_run.values), "{} differs", of_run.name);
        assert_eq!((&of_apply.meaning, of_apply.unit), (&of_run.meaning, of_run.unit));
    }
    assert!(of_run.len() > 10);
    let none = vec![0.0; study.len()];
    let without_draws =
        Decomposition { draws: RuleDraws { jitter: none.clone(), random: none }, ..decomposition.clone() };
    let rules: Vec<Rule> = study.rules().into_iter().filter(|rule| *rule != Rule::Random).collect();
    assert_eq!(applier.file.rules, rules);
    for rule in rules {
        let of_run = without_draws.priority(rule).unwrap();
        let of_apply = column(&priority_column(rule));
        let of_run = ColumnValues::Number(of_run);
        assert!(bits(&of_apply.values) == bits(&of_run), "the priority under {} differs", rule.key());
    }
    // Without labels of their own, and one by one in another order: the same whatever stands beside an item.
    let one = applier.apply(&header, (&made.rows(3..4), None), None).unwrap();
    for (all, one) in applied.columns.iter().zip(&one.columns) {
        let of_all = match &all.values {
            ColumnValues::Text(values) => ColumnValues::Text(Arc::new([&values[3]].into_iter().collect())),
            ColumnValues::Count(values) => ColumnValues::Count(vec![values[3]]),
            ColumnValues::Number(values) => ColumnValues::Number(vec![values[3]]),
        };
        assert!(bits(&of_all) == bits(&one.values), "{} of one item differs", all.name);
    }
    // The fit's own items have not drifted; nothing of labelled items is outside.
    for (baseline, tally) in applier.file.drift.iter().zip(&applied.tallies) {
        assert!(baseline.drift(tally).psi.unwrap().abs() < 1e-12, "{}", baseline.name);
    }
}

fn desk_table(study: &Study) -> Made {
    let mut made = Made::from_study(study);
    made.classes(study.judge.answers.as_ref().unwrap(), &study.labels, Some("confidence"), "p_{variant}_{class}");
    made
}

fn with_settings(study: &Study, edit: impl Fn(&mut Value)) -> Study {
    let mut settings = serde_json::to_value(&study.file.config).unwrap();
    edit(&mut settings);
    let mut study = study.clone();
    let key = scale_key(settings.as_object().unwrap().keys());
    study.file.config = StudyConfig::read(key, settings).unwrap();
    study
}

fn recipes_table(study: &Study, judge: &[(String, String, f64, Option<f64>)]) -> Made {
    let mut made = Made::from_study(study);
    for variant in &study.judge.variants {
        let of = |id: &str| judge.iter().find(|row| row.0 == id && row.1 == *variant);
        made.put(&format!("mean_{variant}"), cells(study.items.ids.iter().map(|id| of(id).map(|row| row.2))));
        made.put(&format!("sd_{variant}"), cells(study.items.ids.iter().map(|id| of(id).and_then(|row| row.3))));
    }
    let ratings = study.labels.scores();
    made.put("ratings", cells(ratings.iter().map(|of_item| Some(json!(of_item)))));
    made
}

/// A study without familiarity: starter data.
fn starter() -> Study {
    Study::load(&repository("examples/starter")).unwrap()
}

/// A belief with its sum mended; `None` if it can't be read at all.
pub(crate) fn mended(mut changed: Value) -> Option<String> {
    changed["sha256"] = json!("");
    let path = Path::new("belief.json");
    let message = BeliefFile::parse(path, &serde_json::to_vec(&changed).unwrap()).err()?.to_string();
    let sum = message.split("the rest is ").nth(1)?.get(..64)?.to_owned();
    changed["sha256"] = json!(sum);
    Some(changed.to_string())
}
