//! Whether the sentence model at hand is the one that committed embeddings come from.

use std::path::Path;

use ndarray::{Array2, ArrayView2, s};
use serde::Deserialize;

use super::Error;
use crate::familiarity::agreement::EmbeddingAgreement;
use crate::formats::items::ItemIds;
use crate::formats::npy::read_matrix;

/// Texts that are ours: the messages of an example study.
const TEXTS: &str = include_str!("../../examples/support_desk/items.csv");
/// Their embeddings by the model of the data folder, in 16 bits.
const EMBEDDINGS: &[u8] = include_bytes!("../../examples/support_desk/embeddings_f16.npy");
/// Numbers in an embedding of that model.
const DIMENSION: usize = 384;
/// One message in 20 is embedded: twelve of 240 suffice to recognise another model, in a fraction of the time and
/// memory.
const EVERY: usize = 20;
/// Nearest neighbours that are compared.
const NEIGHBOURS: usize = 3;
/// Rounding to 16 bits and other processors leave cosines above 0.999999.
const LEAST_COSINE: f64 = 0.9999;

#[derive(Deserialize)]
struct Message {
    id: String,
    text: String,
}

fn messages() -> impl Iterator<Item = Message> {
    csv::Reader::from_reader(TEXTS.as_bytes()).into_deserialize().map(|row| row.expect("a table of our own"))
}

/// The texts to embed.
pub(super) fn texts() -> Vec<String> {
    messages().step_by(EVERY).map(|message| message.text).collect()
}

/// The committed embeddings of the [`texts`].
fn committed() -> Result<Array2<f32>, Error> {
    let ids = ItemIds::new(messages().map(|message| message.id))?;
    let all = read_matrix(Path::new("the embeddings of the example"), EMBEDDINGS, &ids, DIMENSION)?;
    Ok(all.slice(s![..;EVERY, ..]).to_owned())
}

/// Holds fresh embeddings of the [`texts`] by the model of a folder against the committed ones, and says how far they
/// agree.
///
/// # Errors
/// They are another model's.
pub(super) fn agreement(fresh: ArrayView2<f32>, model: &Path) -> Result<String, Error> {
    let other = |found: String| Error::OtherModel { model: model.to_path_buf(), found };
    if fresh.ncols() != DIMENSION {
        return Err(other(format!("{} numbers for a text in place of {DIMENSION}", fresh.ncols())));
    }
    let agreement = EmbeddingAgreement::new(fresh, committed()?.view(), NEIGHBOURS)?;
    // Not "<", for a cosine with nothing is not a number.
    let near = agreement.least_cosine >= LEAST_COSINE;
    if !near {
        return Err(other(agreement.to_string()));
    }
    Ok(format!("embeds {} texts of an example as committed: {agreement}", fresh.nrows()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embeddings_of_another_model_are_refused() {
        let committed = committed().unwrap();
        assert_eq!((texts().len(), committed.nrows()), (12, 12));
        let said = |fresh: &Array2<f32>| agreement(fresh.view(), Path::new("MODEL")).map_err(|error| error.to_string());
        assert!(
            said(&committed).unwrap().starts_with("embeds 12 texts of an example as committed: cosine at least 1.0000")
        );

        // One text in another place, numbers that fade, nothing at all, another dimension.
        let mut other = committed.clone();
        other.row_mut(7).assign(&committed.row(8));
        let refused = said(&other).unwrap_err();
        assert!(refused.contains("MODEL") && refused.contains("cosine at least 0."), "{refused}");
        let faded = Array2::from_shape_fn(committed.dim(), |(i, j)| if j % 50 == 0 { 0.0 } else { committed[[i, j]] });
        assert!(said(&faded).is_err());
        assert!(said(&Array2::zeros(committed.dim())).is_err());
        assert!(said(&Array2::ones((12, 3))).unwrap_err().contains("3 numbers for a text in place of 384"));
    }
}
