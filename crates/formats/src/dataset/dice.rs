//! Experiment 1's data: the judge's predictions for the dice.

use std::collections::BTreeMap;
use std::path::Path;

use super::judges::{JudgeLayout, PREDICTIONS, check_self_updates, read_folder, read_table};
use crate::checksum::CheckedFolder;
use crate::error::{Problem, Result};
use crate::items::ItemIds;
use crate::judge::JudgeVariants;

const LAYOUT: JudgeLayout<'static> = JudgeLayout {
    id: "die",
    variants: &["neutral", "sceptical", "literal"],
    classes: &["red", "green", "blue"],
    stated_label: None,
    self_update: Some("selfupdate"),
};

/// Half a roll of 100.
const FLOOR: f64 = 0.005;

/// The judge's predictions for the dice of Experiment 1 (paper, section "Experiment 1: dice"); the folder's README says
/// what its columns mean.
#[derive(Debug, Clone)]
pub struct DiceData {
    /// Numbers of the dice: "0", "1", ...
    pub ids: ItemIds,
    /// The judge's answers for the faces red, green and blue, its confidence, its own updates.
    pub judge: JudgeVariants,
    /// Least share of a face in a prediction; `None` for the published predictions, which need none.
    pub floor: Option<f64>,
    /// SHA-256 sums of the files read, by name.
    pub hashes: BTreeMap<String, String>,
}

impl DiceData {
    /// Reads `judge.csv` of the folder `data/dice`.
    ///
    /// # Errors
    /// A file that is missing or whose sum differs; a table that is not as the folder's README says; dice that are not
    /// numbered 0, 1, 2, ... in order.
    pub fn load(dir: &Path) -> Result<Self> {
        let mut folder = CheckedFolder::open(dir)?;
        let table = read_table(&mut folder, "judge.csv", LAYOUT.id)?;
        let ids = table.ids()?;
        let rows: Vec<_> = table.rows().collect();
        for (i, row) in rows.iter().enumerate() {
            let expected = i.to_string();
            if row.id() != expected {
                return Err(row.refuse_id(Problem::IdOrder { found: row.id().to_owned(), expected }));
            }
        }
        let judge = LAYOUT.read(&table, &rows, ids.clone())?;
        Ok(DiceData { ids, judge, floor: None, hashes: folder.into_hashes() })
    }

    /// These dice with the predictions of another judge, from a folder that `judge run` wrote.
    ///
    /// Where it calls a face impossible, all its predictions get the floor of half a roll of 100: a face that was
    /// rolled all the same would leave the trust regression undefined.
    ///
    /// # Errors
    /// A table that is refused, other dice than these, a die without a prediction, or no self-update at all.
    pub fn with_judge(self, dir: &Path) -> Result<Self> {
        let (judge, hashes) = read_folder(dir, &self.ids, self.judge.classes())?;
        check_self_updates(dir, &judge)?;
        let aggregated = judge.aggregate(None).map_err(|error| error.in_file(&dir.join(PREDICTIONS)))?;
        let impossible = aggregated.q.iter().any(|&share| share <= 0.0);
        Ok(DiceData { judge, floor: impossible.then_some(FLOOR), hashes, ..self })
    }
}
