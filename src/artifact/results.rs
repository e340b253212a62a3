//! The results of all experiments, in memory and on disk.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Error, Experiment, Manifest, SCHEMA, read, results_file};
use crate::dataset::checksum::sha256_hex;
use crate::experiments::chaosnli::ChaosNliResults;
use crate::experiments::dice::DiceResults;
use crate::experiments::extended::ExtendedResults;
use crate::experiments::simulations::results::SimulationResults;
use crate::output::to_json;

/// Results of the experiments that were run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// The simulations.
    pub simulations: Option<SimulationResults>,
    /// Experiment 1.
    pub dice: Option<DiceResults>,
    /// Experiment 2.
    pub chaosnli: Option<ChaosNliResults>,
    /// Beyond the paper.
    pub extended: Option<ExtendedResults>,
}

#[derive(Serialize, Deserialize)]
struct File<T> {
    schema: u32,
    experiment: Experiment,
    results: T,
}

impl Results {
    /// Loads the results that a folder's manifest lists.
    ///
    /// # Errors
    /// A missing, damaged or later changed file, or another schema.
    pub fn load(folder: &Path, manifest: &Manifest) -> Result<Self, Error> {
        Ok(Self {
            simulations: load(folder, manifest, Experiment::Simulations)?,
            dice: load(folder, manifest, Experiment::Dice)?,
            chaosnli: load(folder, manifest, Experiment::ChaosNli)?,
            extended: load(folder, manifest, Experiment::Extended)?,
        })
    }

    /// Loads only what goes beyond the paper.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_extended(folder: &Path, manifest: &Manifest) -> Result<Self, Error> {
        Ok(Self { extended: load(folder, manifest, Experiment::Extended)?, ..Self::default() })
    }

    /// Whether an experiment has results.
    pub fn has(&self, experiment: Experiment) -> bool {
        match experiment {
            Experiment::Simulations => self.simulations.is_some(),
            Experiment::Dice => self.dice.is_some(),
            Experiment::ChaosNli => self.chaosnli.is_some(),
            Experiment::Extended => self.extended.is_some(),
        }
    }

    /// Takes over the results of experiments that have none here.
    pub fn fill_from(&mut self, other: Self) {
        self.simulations = self.simulations.take().or(other.simulations);
        self.dice = self.dice.take().or(other.dice);
        self.chaosnli = self.chaosnli.take().or(other.chaosnli);
        self.extended = self.extended.take().or(other.extended);
    }

    /// Text of an experiment's results file.
    pub fn to_json(&self, experiment: Experiment) -> Option<String> {
        fn text<T: Serialize>(experiment: Experiment, results: &T) -> String {
            to_json(&File { schema: SCHEMA, experiment, results })
        }
        match experiment {
            Experiment::Simulations => self.simulations.as_ref().map(|r| text(experiment, r)),
            Experiment::Dice => self.dice.as_ref().map(|r| text(experiment, r)),
            Experiment::ChaosNli => self.chaosnli.as_ref().map(|r| text(experiment, r)),
            Experiment::Extended => self.extended.as_ref().map(|r| text(experiment, r)),
        }
    }

    /// The results as JSON values by experiment, which claims are looked up in.
    pub fn values(&self) -> BTreeMap<Experiment, Value> {
        fn value<T: Serialize>(results: &Option<T>) -> Option<Value> {
            results.as_ref().map(|r| serde_json::to_value(r).expect("results are plain data with string keys"))
        }
        let all = [
            (Experiment::Simulations, value(&self.simulations)),
            (Experiment::Dice, value(&self.dice)),
            (Experiment::ChaosNli, value(&self.chaosnli)),
            (Experiment::Extended, value(&self.extended)),
        ];
        all.into_iter().filter_map(|(e, v)| v.map(|v| (e, v))).collect()
    }
}

fn load<T: DeserializeOwned>(folder: &Path, manifest: &Manifest, experiment: Experiment) -> Result<Option<T>, Error> {
    let Some(provenance) = manifest.deterministic.get(&experiment) else {
        return Ok(None);
    };
    let path = folder.join(results_file(experiment));
    let text = read(&path)?;
    let found = sha256_hex(&text);
    if found != provenance.results_sha256 {
        return Err(Error::Changed { path, expected: provenance.results_sha256.clone(), found });
    }
    let file: File<T> = serde_json::from_slice(&text).map_err(Error::json(&path))?;
    Ok(Some(file.results))
}
