//! Experiment 2's data: human labels, judge predictions and embeddings of the ChaosNLI items.

use std::collections::BTreeMap;
use std::path::Path;

use ndarray::{Array2, ArrayView1, Axis};

use super::judges::{JudgeLayout, read_folder, read_hundred, read_table};
use crate::checksum::CheckedFolder;
use crate::error::{Problem, Result, excerpt};
use crate::items::{ItemIds, names};
use crate::judge::JudgeVariants;
use crate::npy::read_matrix;

/// Entailment, neutral, contradiction.
const CLASSES: [&str; 3] = ["e", "n", "c"];

/// Width of an all-MiniLM-L6-v2 embedding.
const EMBEDDING_WIDTH: usize = 384;

const UID: &str = "uid";
const SOURCE: &str = "source";
const LABELS: &str = "labels.csv";
const ITEMS: &str = "items.csv";
const JUDGE: &str = "judge.csv";
const EMBEDDINGS: &str = "embeddings_f16.npy";
const EMBEDDING_UIDS: &str = "embeddings_uids.csv";

const LAYOUT: JudgeLayout<'static> = JudgeLayout {
    id: UID,
    variants: &["neutral", "strict", "intuitive"],
    classes: &CLASSES,
    stated_label: Some("label"),
    self_update: None,
};

/// The items of Experiment 2 (paper, section "Experiment 2: ChaosNLI"), in the order of `labels.csv`; the folder's
/// README says what the columns mean.
#[derive(Debug, Clone)]
pub struct ChaosNliData {
    /// ChaosNLI's uids.
    pub ids: ItemIds,
    /// Where each item comes from: `snli` or `mnli_m`.
    pub sources: Vec<String>,
    /// Length of each item's premise in characters.
    pub premise_chars: Vec<u32>,
    /// Length of each item's hypothesis in characters.
    pub hypothesis_chars: Vec<u32>,
    /// The 100 human labels of each item; classes e, n, c.
    pub labels: Array2<u32>,
    /// The judge's answers, stated label and confidence.
    pub judge: JudgeVariants,
    /// Embeddings, items x 384.
    pub embeddings: Array2<f32>,
    /// SHA-256 sums of the files read, by name.
    pub hashes: BTreeMap<String, String>,
}

impl ChaosNliData {
    /// Reads the folder `data/chaosnli`, all files joined on `uid`.
    ///
    /// # Errors
    /// A file that is missing or whose checksum differs; a table or matrix that contradicts the folder's README; an
    /// item that is in one file but not in another, or about which two files disagree.
    pub fn load(dir: &Path) -> Result<Self> {
        let mut folder = CheckedFolder::open(dir)?;
        let (ids, sources, labels) = read_labels(&mut folder)?;
        let [premise_chars, hypothesis_chars] = read_lengths(&mut folder, &ids, &sources)?;
        let table = read_table(&mut folder, JUDGE, UID)?;
        let judge = LAYOUT.read(&table, &table.rows_of(&ids, &folder.path(LABELS))?, ids.clone())?;
        let embeddings = read_embeddings(&mut folder, &ids)?;
        Ok(ChaosNliData {
            ids,
            sources,
            premise_chars,
            hypothesis_chars,
            labels,
            judge,
            embeddings,
            hashes: folder.into_hashes(),
        })
    }

    /// These items with the predictions of another judge, from a folder that `judge run` wrote.
    ///
    /// # Errors
    /// A table that is refused, or an item that is not one of these.
    pub fn with_judge(mut self, dir: &Path) -> Result<Self> {
        let (judge, hashes) = read_folder(dir, &self.ids, self.judge.classes())?;
        self.judge = judge;
        self.hashes.remove(JUDGE);
        self.hashes.extend(hashes);
        Ok(self)
    }
}

fn read_labels(folder: &mut CheckedFolder) -> Result<(ItemIds, Vec<String>, Array2<u32>)> {
    let table = read_table(folder, LABELS, UID)?;
    table.expect_columns(&names(&[&[UID, SOURCE], &CLASSES[..]].concat()))?;
    let source = table.column(SOURCE)?;
    let classes = table.columns(&CLASSES)?;
    let ids = table.ids()?;
    let sources = table.rows().map(|row| row.text(source).map(str::to_owned)).collect::<Result<_>>()?;
    let mut counts = Array2::zeros((ids.len(), CLASSES.len()));
    for (row, mut item) in table.rows().zip(counts.rows_mut()) {
        item.assign(&ArrayView1::from(&read_hundred(&row, &classes)?));
    }
    Ok((ids, sources, counts))
}

fn read_lengths(folder: &mut CheckedFolder, ids: &ItemIds, sources: &[String]) -> Result<[Vec<u32>; 2]> {
    let table = read_table(folder, ITEMS, UID)?;
    table.expect_columns(&names(&[UID, SOURCE, "premise_chars", "hypothesis_chars"]))?;
    let reference = folder.path(LABELS);
    let rows = table.rows_of(ids, &reference)?;
    let source = table.column(SOURCE)?;
    for (row, expected) in rows.iter().zip(sources) {
        if row.cell(source) != expected {
            let [value, other_value] = [row.cell(source), expected].map(excerpt);
            let reason = format!("{value:?} where {} has {other_value:?}", reference.display());
            return Err(row.refuse(source, Problem::unfit(reason, "make the two files agree")));
        }
    }
    let lengths = |name: &str| -> Result<Vec<u32>> {
        let column = table.column(name)?;
        rows.iter().map(|row| row.count(column)).collect()
    };
    Ok([lengths("premise_chars")?, lengths("hypothesis_chars")?])
}

/// The rows of the matrix belong to the uids of [`EMBEDDING_UIDS`]; they are put into the order of `ids`.
fn read_embeddings(folder: &mut CheckedFolder, ids: &ItemIds) -> Result<Array2<f32>> {
    let table = read_table(folder, EMBEDDING_UIDS, UID)?;
    table.expect_columns(&names(&[UID]))?;
    table.rows_of(ids, &folder.path(LABELS))?;
    let matrix_ids = table.ids()?;
    let bytes = folder.read(EMBEDDINGS)?;
    let matrix = read_matrix(&folder.path(EMBEDDINGS), &bytes, &matrix_ids, EMBEDDING_WIDTH)?;
    let order: Vec<usize> = ids.iter().filter_map(|uid| matrix_ids.position(uid)).collect();
    Ok(matrix.select(Axis(0), &order))
}
