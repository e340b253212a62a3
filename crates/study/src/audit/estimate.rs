//! How the labelled rows of a file were chosen.

use serde::Serialize;

use judge_uncertainty_core::stats::estimator::{Ask, Design, LEAST_ITEMS, Stage};
use judge_uncertainty_core::stats::mean;

use super::rows::AuditRows;

/// How the labelled rows were chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Labelled {
    /// At random.
    Random,
    /// Each with the probability that a column has.
    Column(String),
    /// Nobody told.
    Unknown,
}

impl std::str::FromStr for Labelled {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "random" => Self::Random,
            "unknown" => Self::Unknown,
            column => Self::Column(column.to_owned()),
        })
    }
}

/// The labelled rows with how they were chosen.
#[derive(Debug)]
pub struct Audited<'r> {
    /// All rows.
    pub rows: &'r AuditRows,
    /// The labelled ones.
    pub labelled: Vec<usize>,
    /// How these were chosen.
    pub design: Design,
    /// How they differ from all rows, where no column says with which probability each was labelled: the judge's mean answer, or
    /// mean confidence, of all rows lies outside the 99% interval that the labelled ones give for it.
    pub unlike: Option<String>,
}

impl<'r> Audited<'r> {
    /// The labelled rows, which were chosen as `given` says. Rows of one thing count together. Rows of which nobody says
    /// how they were chosen count as drawn at random unless the judge's answers or confidence show that they are not like
    /// the others: see [`Audited::unlike`].
    ///
    /// # Errors
    /// A labelled row whose probability is missing, or not above 0 and up to 1.
    pub fn new(rows: &'r AuditRows, given: &Labelled) -> Result<Self, String> {
        let labelled = rows.labelled();
        let unlike = unlike(rows).filter(|_| rows.chances.is_none());
        let design = match unlike.as_ref().filter(|_| *given == Labelled::Unknown) {
            Some(reason) => Design::unknown(design(rows, &labelled)?.things().to_vec(), reason),
            None => design(rows, &labelled)?,
        };
        Ok(Self { rows, labelled, design, unlike })
    }

    /// A value of every labelled row.
    pub fn values(&self, of: impl Fn(usize) -> Option<f64>) -> Vec<Option<f64>> {
        self.labelled.iter().map(|&row| of(row)).collect()
    }
}

fn design(rows: &AuditRows, labelled: &[usize]) -> Result<Design, String> {
    let things: Vec<usize> = labelled.iter().map(|&row| rows.things[row]).collect();
    let Some(chances) = &rows.chances else {
        return Ok(Design::random_of(things, rows.things.iter().max().map_or(0, |last| last + 1)));
    };
    let known = |row: usize| chances[row].filter(|p| *p > 0.0 && *p <= 1.0);
    let chance = |&row: &usize| {
        known(row)
            .map(Some)
            .ok_or_else(|| format!("row {:?} is labelled and has no probability above 0 and up to 1", rows.ids[row]))
    };
    let own = labelled.iter().map(chance).collect::<Result<Vec<_>, _>>()?;
    let stage = Stage::try_unequal(&own).map_err(|not| not.to_string())?;
    let stage = stage.with_all_probabilities((0..rows.len()).filter_map(known));
    let each = (0..labelled.len()).collect();
    Ok(Design::from_stages(each, vec![stage], rows.len()).unwrap_or_else(|| Design::random(vec![])))
}

/// Says how the labelled rows differ from all rows in what the judge says of them, beyond chance: the mean over all rows
/// lies outside the 99% interval that the labelled ones give for it. `None` where it does not, and with fewer than 20 rows
/// with labels or without.
fn unlike(rows: &AuditRows) -> Option<String> {
    let labelled = rows.labelled();
    if labelled.len() < LEAST_ITEMS || rows.len() - labelled.len() < LEAST_ITEMS {
        return None;
    }
    let design = Design::random_of(
        labelled.iter().map(|&row| rows.things[row]).collect(),
        rows.things.iter().max().map_or(0, |last| last + 1),
    );
    let text = |x: f64| judge_uncertainty_system::numbers::three(x);
    let differs = |name: &str, value: &dyn Fn(usize) -> Option<f64>| {
        let all: Vec<f64> = (0..rows.len()).filter_map(value).collect();
        let ends = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        let own: Vec<Option<f64>> = labelled.iter().map(|&row| value(row)).collect();
        let found = design.estimate(&Ask::mean(&own).within(ends.0, ends.1).of_study().at(0.99));
        let (found, of_all) = (*found.estimate()?, mean(&all));
        (of_all < found.lo - 1e-9 || of_all > found.hi + 1e-9).then(|| {
            format!(
                "The labelled rows are not like the others: {name} is {} on them and {} on all rows, more apart than \
                 chance explains. They describe all rows only if --labelled names the column with the probability with \
                 which each row was labelled.",
                text(found.value),
                text(of_all)
            )
        })
    };
    let predicted = |row: usize| Some(rows.predicted[row][0]);
    differs("the judge's mean", &predicted).or_else(|| differs("its mean confidence", &|row| rows.confidence[row]))
}
