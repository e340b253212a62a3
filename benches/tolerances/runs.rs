//! Runs that could have produced the published numbers.

use std::error::Error;
use std::path::Path;

use judge_uncertainty::belief::{AsPublished, TrustSearch};
use judge_uncertainty::escalation::{Budget, Rule};
use judge_uncertainty::evaluation::{Ties, replicate};
use judge_uncertainty::experiments::Experiment;
use judge_uncertainty::experiments::chaosnli::{ChaosNliExperiment, PUBLISHED_REPLICATES};
use judge_uncertainty::experiments::dice::{DiceExperiment, PUBLISHED_DRAWS};
use judge_uncertainty::experiments::steps::Published;
use judge_uncertainty::familiarity::features::SelfNeighbour;
use judge_uncertainty::familiarity::neighbours::{Exact, UnitRows};
use judge_uncertainty::formats::{ChaosNliData, DiceData};
use judge_uncertainty::random::Stream;
use judge_uncertainty::report::claims::ResultValues;
use judge_uncertainty::system::progress::Silent;
use ndarray::Array2;

/// What is not known of the authors' run, chosen for one run.
#[derive(Debug)]
pub(crate) struct Unknown {
    seed: u64,
    embeddings: Embeddings,
    search: TrustSearch,
}

/// Which numbers stand for the authors' embeddings.
#[derive(Debug)]
enum Embeddings {
    /// Some 32-bit matrix that the committed 16-bit one is the rounding of: every entry anywhere within half a unit.
    Full,
    /// The committed matrix as other arithmetic would have rounded it to 16 bits: one entry in a hundred lies one unit
    /// off.
    RoundedAnew,
}

impl Unknown {
    /// The choices of a run: embeddings at random, the search in turn.
    pub(crate) fn draw(seed: u64) -> Self {
        let plain = AsPublished::default();
        let searches = [
            plain,
            AsPublished { difference: 1.490_116_119_384_765_6e-8, ..plain },
            AsPublished { fall: 1e-12, ..plain },
            AsPublished { slope: 1e-4, fall: 1e-8, ..plain },
        ];
        Self {
            seed,
            embeddings: if seed.is_multiple_of(2) { Embeddings::Full } else { Embeddings::RoundedAnew },
            search: TrustSearch::AsPublished(searches[(seed / 2 % 4) as usize]),
        }
    }

    /// An order of equal scores, the same in all replicates of a run; for as many items as there are at most.
    fn ties(&self) -> Ties {
        let mut stream = Stream::new((1 << 41) + self.seed);
        Ties::Given(Vec::leak((0..MOST_ITEMS).map(|_| stream.random()).collect()))
    }

    fn disturbed(&self, committed: &Array2<f32>) -> Array2<f32> {
        let mut stream = Stream::new((1 << 40) + self.seed);
        committed.mapv(|x| match self.embeddings {
            Embeddings::Full => x + (stream.random() as f32 - 0.5) * unit(x),
            Embeddings::RoundedAnew => {
                let (moved, up) = (stream.random() < 0.01, stream.random() < 0.5);
                if moved { x + if up { unit(x) } else { -unit(x) } } else { x }
            }
        })
    }
}

/// Distance of a 16-bit float to its neighbours: 11 significant bits, and no fewer than 2^-24.
fn unit(x: f32) -> f32 {
    let exponent = x.abs().max(f32::MIN_POSITIVE).log2().floor().max(-14.0);
    (exponent - 10.0).exp2()
}

/// Items of the larger data set, ChaosNLI.
const MOST_ITEMS: usize = 3113;

/// A value that moves by less has the same labels; what the fit does to the errors of the same items is smaller.
pub(crate) const CHANGE: f64 = 0.01;

/// What the experiments read.
pub(crate) struct Inputs {
    dice: DiceData,
    chaosnli: ChaosNliData,
}

impl Inputs {
    pub(crate) fn load() -> Result<Self, Box<dyn Error>> {
        let (dice, chaosnli) = (Path::new("data/dice"), Path::new("data/chaosnli"));
        Ok(Self { dice: DiceData::load(dice)?, chaosnli: ChaosNliData::load(chaosnli)? })
    }

    /// The results of a run.
    pub(crate) fn run(&self, unknown: &Unknown) -> Result<ResultValues, Box<dyn Error>> {
        let embeddings = unknown.disturbed(&self.chaosnli.embeddings);
        let engine = Exact::new(UnitRows::new(embeddings.view())?);
        let ties = unknown.ties();
        let experiment =
            ChaosNliExperiment::new(&self.chaosnli, &engine, SelfNeighbour::Published, unknown.search)?.with_ties(ties);
        let chaosnli = serde_json::to_value(experiment.run(PUBLISHED_REPLICATES, &Silent)?)?;
        let dice = DiceExperiment::new(&self.dice, &Published)?.varied(unknown.search, ties);
        let dice = serde_json::to_value(dice.run(PUBLISHED_DRAWS, &Silent)?)?;
        Ok(ResultValues::from([(Experiment::ChaosNli, chaosnli), (Experiment::Dice, dice)]))
    }

    /// In how many replicates one disturbance alone changes the value of I at 10% by more than [`CHANGE`]: by name, of
    /// the published number of replicates.
    pub(crate) fn causes(&self) -> Result<Vec<(&'static str, usize)>, Box<dyn Error>> {
        let committed = || self.chaosnli.embeddings.clone();
        let of = |seed| Unknown::draw(seed).disturbed(&self.chaosnli.embeddings);
        let plain = self.values(committed(), TrustSearch::Optimum)?;
        let published = TrustSearch::AsPublished(AsPublished::default());
        let causes = [
            ("embeddings in 32 bits", of(0), TrustSearch::Optimum),
            ("embeddings rounded anew", of(1), TrustSearch::Optimum),
            ("a search of the published kind", committed(), published),
        ];
        let changed = |(name, embeddings, search)| {
            let values = self.values(embeddings, search)?;
            Ok((name, values.iter().zip(&plain).filter(|(a, b)| (*a - *b).abs() > CHANGE).count()))
        };
        causes.into_iter().map(changed).collect()
    }

    /// The value of I at 10% in every replicate.
    fn values(&self, embeddings: Array2<f32>, search: TrustSearch) -> Result<Vec<f64>, Box<dyn Error>> {
        let engine = Exact::new(UnitRows::new(embeddings.view())?);
        let experiment = ChaosNliExperiment::new(&self.chaosnli, &engine, SelfNeighbour::Published, search)?;
        let seeds: Vec<u64> = (0..PUBLISHED_REPLICATES as u64).collect();
        Ok(replicate("chaosnli", &seeds, &Silent, |&seed| {
            let (full, _) = experiment.replicate(seed)?;
            Ok::<f64, judge_uncertainty::experiments::Error>(full.measured.value[&Rule::Info][&Budget::HEADLINE])
        })?)
    }
}
