//! What a model's ONNX file says of the model, read before it is run.

use std::path::Path;

use judge_uncertainty_familiarity::embedding::{EmbeddingError, Model};
use rten_onnx::onnx::{GraphProto, ModelProto, NodeProto};
use rten_onnx::protobuf::{DecodeMessage, ErrorKind, OwnedValues, ProtobufError, ReadValue};
use serde_json::Value;

/// Refuses a model whose graph needs inputs that a text does not give, or that embeds fewer tokens than the tokenizer
/// has. Returns whether the model is quantised while it runs, with a scale computed from the whole batch.
///
/// # Errors
/// The model is refused, or the file is not an ONNX model.
pub fn check(model: &Model) -> Result<bool, EmbeddingError> {
    let graph = ModelProto::decode(Bytes { bytes: &model.onnx, at: 0 }).ok().and_then(|model| model.graph);
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

/// Fields in the bytes of a file. rten-onnx 0.27 has a reader, too: it reads on without end after a number of ten bytes
/// that has no last one, takes as much memory as a field says it is long, and skips back where that is above 2^63.
struct Bytes<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Bytes<'b> {
    /// The next `length` bytes.
    fn take(&mut self, length: usize) -> Result<&'b [u8], ProtobufError> {
        let taken = self.bytes[self.at..].get(..length).ok_or_else(|| ProtobufError::new(ErrorKind::Eof))?;
        self.at += length;
        Ok(taken)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], ProtobufError> {
        Ok(self.take(N)?.try_into().expect("so many bytes were taken"))
    }
}

impl ReadValue for Bytes<'_> {
    type Types = OwnedValues;

    fn read_i32(&mut self) -> Result<i32, ProtobufError> {
        self.take_array().map(i32::from_le_bytes)
    }

    fn read_i64(&mut self) -> Result<i64, ProtobufError> {
        self.take_array().map(i64::from_le_bytes)
    }

    fn read_varint(&mut self) -> Result<u64, ProtobufError> {
        let mut value = 0;
        for place in 0..10 {
            // Only a number that does not begin is the end of a message.
            let invalid = if place == 0 { ErrorKind::Eof } else { ErrorKind::InvalidVarint };
            let [byte] = self.take_array().map_err(|_| ProtobufError::new(invalid))?;
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ProtobufError::new(ErrorKind::InvalidVarint))
    }

    fn read_bytes(&mut self, length: usize) -> Result<Vec<u8>, ProtobufError> {
        self.take(length).map(<[u8]>::to_vec)
    }

    fn read_string(&mut self, length: usize) -> Result<String, ProtobufError> {
        String::from_utf8(self.read_bytes(length)?).map_err(|_| ProtobufError::new(ErrorKind::InvalidUtf8))
    }

    fn skip(&mut self, length: usize) -> Result<(), ProtobufError> {
        self.take(length).map(drop)
    }

    fn position(&self) -> u64 {
        self.at as u64
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
    fn lengths_and_numbers_beyond_the_bytes_are_refused() {
        let mut bytes = Bytes { bytes: &[0x96, 0x01, b'a', b'b', 0xff], at: 0 };
        assert_eq!(bytes.read_varint().unwrap(), 150);
        assert!(bytes.skip(usize::MAX).is_err() && bytes.read_bytes(4).is_err() && bytes.read_i32().is_err());
        assert_eq!((bytes.read_string(2).unwrap().as_str(), bytes.position()), ("ab", 4));
        assert!(matches!(bytes.read_varint().unwrap_err().kind(), ErrorKind::InvalidVarint));
        assert!(matches!(bytes.read_varint().unwrap_err().kind(), ErrorKind::Eof));
        assert!(Bytes { bytes: &[0xf0; 15], at: 0 }.read_varint().is_err());
        let longest = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(Bytes { bytes: &longest, at: 0 }.read_varint().unwrap(), u64::MAX);
    }
}
