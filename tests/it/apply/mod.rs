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
use judge_uncertainty::evaluation::Luck;
use judge_uncertainty::formats::batches::{Batch, BatchColumn, Header, Lists};
use judge_uncertainty::formats::judge::JudgeVariants;
use judge_uncertainty::formats::output::ColumnValues;
use judge_uncertainty::study::apply::applier::{Applier, priority_column};
use judge_uncertainty::study::belief_file::{BeliefFile, reference};
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
        fs::write(folder.path().join(reference::REFERENCE), bytes).unwrap();
    }
    let applier = Applier::read(&path, &[]).unwrap();
    assert_eq!(applier.file.text(), belief.text());
    (folder, applier)
}

/// A table in memory.
struct Made(Header, Batch);

impl Made {
    fn new(ids: Vec<String>) -> Self {
        let mut batch = Batch::new(Path::new("made.csv"));
        batch.lines = (0..ids.len()).map(|i| i as u64 + 2).collect();
        let mut made = Self(Header { file: "made.csv".into(), names: vec![], complete: true }, batch);
        made.put("id", BatchColumn::Text(ids));
        made
    }

    fn put(&mut self, name: &str, cells: BatchColumn) {
        self.0.names.push(name.to_owned());
        self.1.put(name.to_owned(), cells);
    }

    /// What every kind of study knows of its items besides judge and labels.
    fn from_study(study: &Study) -> Self {
        let mut made = Self::new(study.items.ids.iter().map(str::to_owned).collect());
        if let (Some(name), Some(groups)) = (&study.file.config.items.group, &study.items.groups) {
            made.put(name, BatchColumn::Text(groups.iter().map(str::to_owned).collect()));
        }
        for column in study.items.columns.iter().filter(|column| column.categories.is_empty()) {
            made.put(&column.source, BatchColumn::Number(column.feature.values.to_vec()));
        }
        if let Some(embeddings) = &study.embeddings {
            let mut lists = Lists::default();
            embeddings.rows().into_iter().for_each(|row| lists.push(Some(row.to_vec())));
            made.put("embedding", BatchColumn::Vector(lists));
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
                self.put(&name, BatchColumn::Number((0..items).map(cell).collect()));
            }
        }
        if let Some(name) = confidence {
            self.put(name, BatchColumn::Number((0..items).map(|i| judge.confidence(i)).collect()));
        }
        for (k, class) in judge.classes().iter().enumerate() {
            let column = labels.counts.column(k).iter().map(|n| Some(i64::from(*n))).collect();
            self.put(&format!("n_{class}"), BatchColumn::Whole(column));
        }
    }
}

/// Every column that a run states of an item but its ranks, and every priority, is the same to the bit.
fn assert_same_bits(study: &Study, decomposition: &Decomposition, made: &Made) {
    let (_folder, applier) = written(study, decomposition);
    applier.check(&made.0).unwrap();
    let applied = applier.apply(&made.0, (&made.1, None), None).unwrap();
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
    let without_draws = Decomposition { luck: Luck { jitter: none.clone(), random: none }, ..decomposition.clone() };
    let rules: Vec<Rule> = study.rules().into_iter().filter(|rule| *rule != Rule::Random).collect();
    assert_eq!(applier.file.rules, rules);
    for rule in rules {
        let of_run = without_draws.priority(rule).unwrap();
        let of_apply = column(&priority_column(rule));
        let of_run = ColumnValues::Number(of_run);
        assert!(bits(&of_apply.values) == bits(&of_run), "the priority under {} differs", rule.key());
    }
    // Without labels of their own, and one by one in another order: the same whatever stands beside an item.
    let one = applier.apply(&made.0, (&single(&made.1, 3), None), None).unwrap();
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

fn single(batch: &Batch, row: usize) -> Batch {
    let mut one = Batch::new(&batch.file);
    one.lines = vec![batch.lines[row]];
    for (name, cells) in batch.columns() {
        let cells = match cells {
            BatchColumn::Text(cells) => BatchColumn::Text(vec![cells[row].clone()]),
            BatchColumn::Number(cells) => BatchColumn::Number(vec![cells[row]]),
            BatchColumn::Whole(cells) => BatchColumn::Whole(vec![cells[row]]),
            BatchColumn::List(cells) => {
                let mut list = Lists::default();
                list.push(cells.get(row).map(<[f64]>::to_vec));
                BatchColumn::List(list)
            }
            BatchColumn::Vector(cells) => {
                let mut list = Lists::default();
                list.push(cells.get(row).map(<[f32]>::to_vec));
                BatchColumn::Vector(list)
            }
        };
        one.put(name.clone(), cells);
    }
    one
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
        let means = study.items.ids.iter().map(|id| of(id).map(|row| row.2)).collect();
        made.put(&format!("mean_{variant}"), BatchColumn::Number(means));
        let sds = study.items.ids.iter().map(|id| of(id).and_then(|row| row.3)).collect();
        made.put(&format!("sd_{variant}"), BatchColumn::Number(sds));
    }
    let ratings = study.labels.scores();
    made.put("ratings", BatchColumn::Text(ratings.iter().map(|of_item| json!(of_item).to_string()).collect()));
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
