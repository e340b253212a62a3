//! `items.csv`, `items.parquet` and their data dictionary: everything known about every item.

use std::sync::Arc;

use parquet::basic::{ConvertedType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::decompose::Decomposition;
use super::{Error, Study};
use crate::belief::{Belief, BeliefTable};
use crate::escalation::Rule;

/// Rows of a group in the Parquet file.
const GROUP: usize = 131_072;

/// A column of the output.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputColumn {
    /// Name in the header.
    pub name: String,
    /// What it says.
    pub meaning: String,
    /// Unit and range.
    pub unit: &'static str,
    /// One value per item.
    pub values: Values,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Words.
    Text(Vec<String>),
    /// Whole numbers.
    Count(Vec<u32>),
    /// Numbers; `None` is missing.
    Number(Vec<Option<f64>>),
}

/// Everything known about every item of a decomposed study, column by column.
pub fn columns(study: &Study, decomposition: &Decomposition) -> Vec<OutputColumn> {
    let mut columns = Vec::new();
    let mut put = |name: String, unit: &'static str, meaning: String, values: Values| {
        columns.push(OutputColumn { name, meaning, unit, values });
    };
    let classes = study.labels.counts.classes();
    let beliefs = &decomposition.beliefs;
    let number = |values: Vec<f64>| Values::Number(values.into_iter().map(Some).collect());

    put(
        "id".into(),
        "",
        "Id of the item, as in the input".into(),
        Values::Text(study.items.ids.iter().map(str::to_owned).collect()),
    );
    if let Some(groups) = &study.items.groups {
        put("group".into(), "", "Group of the item".into(), Values::Text(groups.clone()));
    }
    put("labels".into(), "labels", "Human labels in hand".into(), Values::Count(decomposition.numbers.clone()));
    for (k, class) in classes.iter().enumerate() {
        let counts = study.labels.counts.counts().column(k).to_vec();
        put(format!("n_{class}"), "labels", format!("Human labels {class:?}"), Values::Count(counts));
    }
    for (k, class) in classes.iter().enumerate() {
        let q = study.predictions.q.column(k).to_vec();
        let meaning = format!("The judge's predicted share of {class:?}: mean over variants, floored");
        put(format!("q_{class}"), "0 to 1", meaning, number(q));
    }
    let meaning = "Trust lambda: how many labels the judge's prediction is worth";
    put("trust".into(), "labels", meaning.into(), number(decomposition.trust.clone()));
    let meaning = "Total evidence alpha_0 = trust + labels";
    put("total_evidence".into(), "labels", meaning.into(), number(beliefs.map(|b| b.evidence())));
    for (k, class) in classes.iter().enumerate() {
        let means = beliefs.map(|b| b.alpha()[k] / b.evidence());
        put(format!("mean_{class}"), "0 to 1", format!("Posterior mean share of {class:?}"), number(means));
    }
    let meaning = "Total uncertainty about a fresh label: entropy of the posterior mean = aleatoric + epistemic";
    put("total".into(), "nats, 0 to ln K", meaning.into(), number(beliefs.map(|b| b.total())));
    let meaning = "Aleatoric part: disagreement that labels cannot reduce";
    put("aleatoric".into(), "nats", meaning.into(), number(beliefs.map(|b| b.aleatoric())));
    let meaning = "Epistemic part I: what one further label tells about the label distribution";
    put("epistemic".into(), "nats", meaning.into(), number(beliefs.map(|b| b.epistemic())));
    let meaning = "Posterior spread: expected squared error of the posterior mean";
    put("v".into(), "0 to 1", meaning.into(), number(beliefs.map(|b| b.spread())));
    let meaning = "One-label value Delta: how much one label is expected to lower v";
    put("delta".into(), "0 to 1", meaning.into(), number(beliefs.map(|b| b.label_value())));
    for rule in study.rules() {
        let mut ranks = vec![0; beliefs.len()];
        for (item, rank) in decomposition.ranking(study, rule).into_iter().zip(1..) {
            ranks[item] = rank;
        }
        let meaning = format!("Place under the rule {} (1 = escalate first); ties by the seed", describe(rule));
        put(format!("rank_{}", rule.key()), "1 to items", meaning, Values::Count(ranks));
    }
    for feature in &decomposition.features {
        let meaning = format!("Feature {:?} of the trust regression; blank counts as the mean", feature.name);
        put(format!("feature_{}", feature.name), "its own", meaning, Values::Number(feature.values.clone()));
    }
    let meaning = "What to know about the item, separated by blanks: no_labels; no_FEATURE (missing, taken as the mean); \
                   trust_at_limit (beyond 1e-3 or 1e6 labels)";
    put("flags".into(), "", meaning.into(), Values::Text(flags(decomposition)));
    columns
}

/// A rule in words.
pub fn describe(rule: Rule) -> &'static str {
    match rule {
        Rule::Info => "epistemic part I",
        Rule::Delta => "one-label value Delta",
        Rule::Spread => "posterior spread v",
        Rule::PosteriorEntropy => "entropy of the posterior mean",
        Rule::JudgeEntropy => "entropy of the judge's prediction",
        Rule::LowConfidence => "lowest stated confidence",
        Rule::FewestLabels => "fewest labels",
        Rule::Random => "random",
        Rule::FewestLabelsByInfo => "fewest labels, ties by the epistemic part I",
        Rule::Manhattan => "expected fall of the Manhattan error by one label",
        Rule::ManhattanTen => "expected fall of the Manhattan error by ten labels",
        Rule::Margin => "smallest margin between the judge's likeliest classes",
        Rule::Wasserstein => "expected fall of the Wasserstein error by one label",
    }
}

fn flags(decomposition: &Decomposition) -> Vec<String> {
    let of = |i: usize| {
        let mut flags = Vec::new();
        if decomposition.numbers[i] == 0 {
            flags.push("no_labels".to_owned());
        }
        let missing = decomposition.features.iter().filter(|feature| feature.values[i].is_none());
        flags.extend(missing.map(|feature| format!("no_{}", feature.name.replace(' ', "_"))));
        if !(1e-3..=1e6).contains(&decomposition.trust[i]) {
            flags.push("trust_at_limit".to_owned());
        }
        flags.join(" ")
    };
    (0..decomposition.numbers.len()).map(of).collect()
}

/// The table as CSV; numbers have the fewest digits that read back exactly.
pub fn to_csv(columns: &[OutputColumn]) -> Vec<u8> {
    let rows = columns.first().map_or(0, |column| column.values.len());
    let mut out = Vec::with_capacity(rows * columns.len() * 12);
    let mut cell = String::new();
    for (k, column) in columns.iter().enumerate() {
        separate(&mut out, k);
        quote(&mut out, &column.name);
    }
    out.push(b'\n');
    for i in 0..rows {
        for (k, column) in columns.iter().enumerate() {
            separate(&mut out, k);
            match &column.values {
                Values::Text(values) => quote(&mut out, &values[i]),
                values => {
                    cell.clear();
                    values.write(i, &mut cell);
                    out.extend_from_slice(cell.as_bytes());
                }
            }
        }
        out.push(b'\n');
    }
    out
}

/// The data dictionary as CSV: column, unit, meaning.
pub fn dictionary(columns: &[OutputColumn]) -> Vec<u8> {
    let mut out = b"column,unit,meaning\n".to_vec();
    for column in columns {
        for (k, text) in [column.name.as_str(), column.unit, column.meaning.as_str()].into_iter().enumerate() {
            separate(&mut out, k);
            quote(&mut out, text);
        }
        out.push(b'\n');
    }
    out
}

fn separate(out: &mut Vec<u8>, k: usize) {
    if k > 0 {
        out.push(b',');
    }
}

/// Writes a cell, in quotes where it needs them (RFC 4180).
fn quote(out: &mut Vec<u8>, text: &str) {
    if text.contains(['"', ',', '\n', '\r']) {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

impl Values {
    /// Number of items.
    pub fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Count(values) => values.len(),
            Values::Number(values) => values.len(),
        }
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn write(&self, i: usize, out: &mut String) {
        use std::fmt::Write;
        let written = match self {
            Values::Text(values) => out.write_str(&values[i]),
            Values::Count(values) => write!(out, "{}", values[i]),
            Values::Number(values) => match values[i] {
                Some(value) => write!(out, "{value:?}"),
                None => Ok(()),
            },
        };
        written.expect("writing to a string can't fail");
    }
}

/// The same table as Parquet, version 1, uncompressed; missing numbers are nulls.
///
/// # Errors
/// The encoder refuses.
pub fn to_parquet(columns: &[OutputColumn]) -> Result<Vec<u8>, Error> {
    let field = |column: &OutputColumn| {
        let (physical, converted, repetition) = match column.values {
            Values::Text(_) => (PhysicalType::BYTE_ARRAY, ConvertedType::UTF8, Repetition::REQUIRED),
            Values::Count(_) => (PhysicalType::INT64, ConvertedType::NONE, Repetition::REQUIRED),
            Values::Number(_) => (PhysicalType::DOUBLE, ConvertedType::NONE, Repetition::OPTIONAL),
        };
        let builder = Type::primitive_type_builder(&column.name, physical);
        Ok::<_, Error>(Arc::new(builder.with_converted_type(converted).with_repetition(repetition).build()?))
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("items").with_fields(fields).build()?);
    let properties = Arc::new(WriterProperties::builder().set_created_by("judge-uncertainty".to_owned()).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties)?;
    let rows = columns.first().map_or(0, |column| column.values.len());
    for start in (0..rows).step_by(GROUP) {
        let range = start..rows.min(start + GROUP);
        let mut group = writer.next_row_group()?;
        for column in columns {
            if let Some(mut written) = group.next_column()? {
                write_column(&column.values, range.clone(), &mut written)?;
                written.close()?;
            }
        }
        group.close()?;
    }
    Ok(writer.into_inner()?)
}

fn write_column(
    values: &Values,
    rows: std::ops::Range<usize>,
    to: &mut SerializedColumnWriter<'_>,
) -> Result<(), Error> {
    match values {
        Values::Text(values) => {
            let texts: Vec<ByteArray> = values[rows].iter().map(|text| ByteArray::from(text.as_str())).collect();
            to.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
        }
        Values::Count(values) => {
            let counts: Vec<i64> = values[rows].iter().map(|&count| i64::from(count)).collect();
            to.typed::<Int64Type>().write_batch(&counts, None, None)?;
        }
        Values::Number(values) => {
            let present: Vec<f64> = values[rows.clone()].iter().flatten().copied().collect();
            let levels: Vec<i16> = values[rows].iter().map(|value| i16::from(value.is_some())).collect();
            to.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?;
        }
    }
    Ok(())
}
