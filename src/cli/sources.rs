//! What the experiments read: data folders, and predictions in place of the published ones.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use super::Error;
use super::familiarity::{FamiliarityArgs, FamiliarityChannel};
use crate::formats::{ChaosNliData, DiceData};

/// Predictions in place of the published ones. The paper's claims are about the published ones alone.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Judges {
    /// Predictions for the dice in place of the published ones: a folder that `judge run dice` wrote.
    /// Claims about the dice are not judged then.
    #[arg(long, value_name = "DIR")]
    pub(super) dice_judge: Option<PathBuf>,
    /// Predictions for ChaosNLI in place of the published ones. Claims about ChaosNLI are not judged then.
    #[arg(long, value_name = "DIR")]
    pub(super) chaosnli_judge: Option<PathBuf>,
}

impl Judges {
    /// Whether any prediction is not the published one.
    pub(super) fn any(&self) -> bool {
        self.dice_judge.is_some() || self.chaosnli_judge.is_some()
    }
}

/// The data folder and the options about it; each data set is read and checked when it is first asked for.
pub(super) struct ExperimentData<'a> {
    data: &'a Path,
    pub(super) judges: &'a Judges,
    familiarity: &'a FamiliarityArgs,
    dice: OnceCell<DiceData>,
    chaosnli: OnceCell<(ChaosNliData, FamiliarityChannel)>,
}

impl<'a> ExperimentData<'a> {
    /// The sources below the folder `data`.
    pub(super) fn new(data: &'a Path, judges: &'a Judges, familiarity: &'a FamiliarityArgs) -> Self {
        let (dice, chaosnli) = Default::default();
        Self { data, judges, familiarity, dice, chaosnli }
    }

    /// The dice with the judge's predictions.
    ///
    /// # Errors
    /// A file that is missing, changed or malformed.
    pub(super) fn dice(&self) -> Result<&DiceData, Error> {
        once(&self.dice, || {
            let data = DiceData::load(&self.data.join("dice"))?;
            Ok(match &self.judges.dice_judge {
                Some(dir) => data.with_judge(dir)?,
                None => data,
            })
        })
    }

    /// ChaosNLI with the judge's predictions, and where its neighbours come from.
    ///
    /// # Errors
    /// A file that is missing, changed or malformed.
    pub(super) fn chaosnli(&self) -> Result<&(ChaosNliData, FamiliarityChannel), Error> {
        once(&self.chaosnli, || {
            let published = ChaosNliData::load(&self.data.join("chaosnli"))?;
            let familiarity = FamiliarityChannel::check(self.familiarity, self.data, &published.ids)?;
            let data = match &self.judges.chaosnli_judge {
                Some(dir) => published.with_judge(dir)?,
                None => published,
            };
            Ok((data, familiarity))
        })
    }
}

fn once<T>(cell: &OnceCell<T>, read: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    match cell.get() {
        Some(value) => Ok(value),
        None => {
            let value = read()?;
            Ok(cell.get_or_init(|| value))
        }
    }
}
