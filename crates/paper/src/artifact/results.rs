//! The results of all experiments, in memory and on disk.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::manifest::Head;
use super::{Error, Experiment, Manifest, SCHEMA, read, results_file};
use crate::experiments::authors::AuthorsResults;
use crate::experiments::chaosnli::ChaosNliResults;
use crate::experiments::dice::DiceResults;
use crate::experiments::simulations::results::SimulationResults;
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::to_json;

/// Defines [`Results`] from the list of experiments, each with its field and the type of its results.
macro_rules! results {
    ($($(#[$doc:meta])+ $field:ident: $type:ty = $experiment:ident;)+) => {
        /// Results of the experiments that were run.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct Results {
            $($(#[$doc])+ pub $field: Option<$type>,)+
        }

        impl Results {
            /// Loads the results that a folder's manifest lists.
            ///
            /// # Errors
            /// A missing, damaged or later changed file, another schema, or a field of another type.
            pub fn load(folder: &Path, manifest: &Manifest) -> Result<Self, Error> {
                Ok(Self { $($field: load(folder, manifest, Experiment::$experiment)?,)+ })
            }

            /// The results of one experiment, from the bytes of its file; `path` is the file's name in messages.
            ///
            /// # Errors
            /// Another schema, or a field that is missing or of another type.
            pub fn parse(experiment: Experiment, path: &Path, text: &[u8]) -> Result<Self, Error> {
                let mut results = Self::default();
                match experiment {
                    $(Experiment::$experiment => results.$field = Some(parse(experiment, path, text)?),)+
                }
                Ok(results)
            }

            /// Whether an experiment has results.
            pub fn has(&self, experiment: Experiment) -> bool {
                match experiment { $(Experiment::$experiment => self.$field.is_some(),)+ }
            }

            /// Takes over the results of experiments that have none here.
            pub fn fill_from(&mut self, other: Self) {
                $(self.$field = self.$field.take().or(other.$field);)+
            }

            /// Text of an experiment's results file.
            pub fn to_json(&self, experiment: Experiment) -> Option<String> {
                match experiment {
                    $(Experiment::$experiment => {
                        let file = |results| File { schema: SCHEMA, experiment, results };
                        self.$field.as_ref().map(|results| to_json(&file(results)))
                    })+
                }
            }

            /// The results as JSON values by experiment, which claims are looked up in.
            pub fn values(&self) -> BTreeMap<Experiment, Value> {
                let all = [$((Experiment::$experiment, self.$field.as_ref().map(value)),)+];
                all.into_iter().filter_map(|(experiment, value)| Some((experiment, value?))).collect()
            }
        }
    };
}

results! {
    /// The simulations.
    simulations: SimulationResults = Simulations;
    /// Experiment 1.
    dice: DiceResults = Dice;
    /// Experiment 2.
    chaosnli: ChaosNliResults = ChaosNli;
    /// Experiment 2 by the authors' procedure.
    authors: AuthorsResults = Authors;
}

#[derive(Serialize, Deserialize)]
struct File<T> {
    schema: u32,
    experiment: Experiment,
    results: T,
}

fn value<T: Serialize>(results: &T) -> Value {
    serde_json::to_value(results).expect("results are plain data with string keys")
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
    parse(experiment, &path, &text).map(Some)
}

fn parse<T: DeserializeOwned>(experiment: Experiment, path: &Path, text: &[u8]) -> Result<T, Error> {
    let of_schema = |found: u32| match found == SCHEMA {
        true => Ok(()),
        false => Err(Error::Schema { path: path.to_owned(), found, read: SCHEMA }),
    };
    let file: File<T> = serde_json::from_slice(text).map_err(|error| {
        // Fields of another version are no damage.
        let head = serde_json::from_slice(text).map(|head: Head| of_schema(head.schema));
        head.ok().and_then(Result::err).unwrap_or_else(|| Error::json(path)(error))
    })?;
    of_schema(file.schema)?;
    match file.experiment == experiment {
        true => Ok(file.results),
        false => Err(Error::OtherExperiment { path: path.to_owned(), expected: experiment, found: file.experiment }),
    }
}
