//! What a model's ONNX file says of the model, read before it is run.

use std::io::{BufRead, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use judge_uncertainty_familiarity::embedding::{EmbeddingError, Model};
use rten_onnx::onnx::{GraphProto, ModelProto, NodeProto};
use rten_onnx::protobuf::{DecodeMessage, ReadPos, ValueReader};
use serde_json::Value;

/// Refuses a model whose graph needs other inputs than a text gives, or embeds fewer tokens than the tokenizer has.
/// Says whether it is quantised while it runs, with a scale taken from the whole batch.
///
/// # Errors
/// It is refused, or is no ONNX model.
pub fn check(model: &Model) -> Result<bool, EmbeddingError> {
    let fields = ValueReader::new(ReadPos::new(Forward { bytes: Cursor::new(model.onnx.as_slice()), stuck: false }));
    let graph = ModelProto::decode(fields).ok().and_then(|model| model.graph);
    let graph = graph.ok_or_else(|| EmbeddingError::ModelFile {
        path: model.path.clone(),
        problem: "not an ONNX model; place the file that was published with the model".into(),
    })?;
    check_inputs(&model.path, &graph)?;
    // Both were read as JSON when the model was opened.
    let [config, tokens] = [&model.tokenizer.config, &model.tokenizer.tokenizer]
        .map(|content| serde_json::from_slice::<Value>(content).unwrap_or_default());
    let rows = embedding_rows(&graph).or_else(|| config["vocab_size"].as_u64());
    match (highest_token(&tokens), rows) {
        (Some(highest), Some(rows)) if highest >= rows => {
            Err(EmbeddingError::TokenizerMismatch { path: model.folder.join("tokenizer.json"), highest, rows })
        }
        _ => Ok(graph.node.iter().any(|node| operator(node).starts_with("DynamicQuant"))),
    }
}

/// Bytes that are read forwards only, and never without getting on: rten-onnx 0.27 reads on without end after a number
/// of ten bytes that has no last one, and skips a field by its length as a signed number, which leads back above 2^63.
struct Forward<'b> {
    bytes: Cursor<&'b [u8]>,
    stuck: bool,
}

impl Read for Forward<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.bytes.read(into)
    }
}

impl BufRead for Forward<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.stuck { Err(ErrorKind::InvalidData.into()) } else { self.bytes.fill_buf() }
    }

    fn consume(&mut self, amount: usize) {
        self.stuck = amount == 0;
        self.bytes.consume(amount);
    }
}

impl Seek for Forward<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let left = (self.bytes.get_ref().len() as u64).saturating_sub(self.bytes.position());
        match to {
            SeekFrom::Current(by) if u64::try_from(by).is_ok_and(|by| by <= left) => self.bytes.seek(to),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn operator(node: &NodeProto) -> &str {
    node.op_type.as_deref().unwrap_or_default()
}

/// Refuses a graph that needs inputs which a text does not give.
fn check_inputs(path: &Path, graph: &GraphProto) -> Result<(), EmbeddingError> {
    let stored = |name: &str| graph.initializer.iter().any(|tensor| tensor.name.as_deref() == Some(name));
    let inputs = graph.input.iter().filter_map(|input| input.name.as_deref());
    let inputs: Vec<&str> = inputs.filter(|&name| !stored(name)).collect();
    let needed = ["input_ids", "attention_mask"];
    let fits = needed.iter().all(|name| inputs.contains(name))
        && inputs.iter().all(|name| needed.contains(name) || *name == "token_type_ids");
    if fits {
        return Ok(());
    }
    Err(EmbeddingError::ModelFile {
        path: path.to_path_buf(),
        problem: format!(
            "the model's inputs are {inputs:?}, those of a sentence encoder are \"input_ids\", \"attention_mask\" and \
             perhaps \"token_type_ids\"; choose another model"
        ),
    })
}

/// How many tokens the graph embeds: the rows of the table that `input_ids` look up, if that is how it is written.
fn embedding_rows(graph: &GraphProto) -> Option<u64> {
    let lookup = graph
        .node
        .iter()
        .find(|node| operator(node) == "Gather" && node.input.get(1).is_some_and(|ids| ids == "input_ids"))?;
    let mut table = lookup.input.first()?;
    // The table may be cast or dequantised on the way; a damaged graph may go in a circle.
    for _ in 0..graph.node.len() {
        let Some(node) = graph.node.iter().find(|node| node.output.contains(table)) else { break };
        table = node.input.first()?;
    }
    let stored = graph.initializer.iter().find(|tensor| tensor.name.as_ref() == Some(table))?;
    stored.dims.first().and_then(|&rows| u64::try_from(rows).ok())
}

/// The highest token id of a `tokenizer.json`, added tokens included.
fn highest_token(tokenizer: &Value) -> Option<u64> {
    let model = match &tokenizer["model"]["vocab"] {
        Value::Object(ids) => ids.values().filter_map(Value::as_u64).max(),
        // Unigram models list their tokens in order.
        Value::Array(tokens) => (tokens.len() as u64).checked_sub(1),
        _ => None,
    };
    let added = tokenizer["added_tokens"].as_array().into_iter().flatten();
    added.filter_map(|token| token["id"].as_u64()).chain(model).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_forwards_only() {
        let mut bytes = Forward { bytes: Cursor::new(b"abc".as_slice()), stuck: false };
        assert!(bytes.seek_relative(-1).is_err() && bytes.seek_relative(4).is_err());
        bytes.seek_relative(2).unwrap();
        assert_eq!(bytes.fill_buf().unwrap(), b"c");
        assert!(bytes.seek_relative(-1).is_err());
        bytes.consume(0);
        assert!(bytes.fill_buf().is_err());
    }
}
