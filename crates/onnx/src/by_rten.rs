//! Running a model with rten, a runtime written in Rust.

use std::sync::Arc;

use judge_uncertainty_familiarity::embedding::{EmbeddingError, Model, Pooling};
use judge_uncertainty_formats::guarded::guarded;
use rten::{ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use crate::tokens::{Session, TokenBatch};

/// What the manifests and caches call this runtime; its version is part of it, because another may round otherwise.
pub(crate) const NAME: &str = "backend=rten, version=0.27.0";

/// A model that rten has loaded; its sessions share it.
#[derive(Clone)]
pub(crate) struct Loaded {
    model: Arc<rten::Model>,
    inputs: [Option<NodeId>; 3],
    output: NodeId,
    pooling: Pooling,
}

/// Loads a model, and takes the content of its file, which is not needed any more.
pub(crate) fn load(model: &mut Model, packed: bool) -> Result<Loaded, EmbeddingError> {
    let onnx = std::mem::take(&mut model.onnx);
    let refused = |problem: String| EmbeddingError::ModelFile { path: model.path.clone(), problem };
    let load = || Ok(ModelOptions::with_all_ops().prepack_weights(packed).load(onnx));
    let loaded = guarded(&model.path, load)
        .map_err(|e| e.to_string())
        .and_then(|loaded| loaded.map_err(|e| e.to_string()))
        // Names in a damaged file may hold line ends.
        .map_err(|e| refused(format!("the model cannot be loaded: {}", e.replace(char::is_control, " "))))?;
    let outputs = loaded.output_ids();
    let named = ["text_embeds", "last_hidden_state", "sentence_embedding"];
    let output = match outputs {
        [only] => Some(*only),
        _ => named.iter().filter_map(|name| loaded.find_node(name)).find(|id| outputs.contains(id)),
    };
    let output = output.ok_or_else(|| refused(format!("none of the model's outputs is one of {named:?}")))?;
    let find = |name: &str| loaded.find_node(name).filter(|id| loaded.input_ids().contains(id));
    let inputs = ["input_ids", "attention_mask", "token_type_ids"].map(find);
    Ok(Loaded { inputs, output, pooling: model.pooling, model: Arc::new(loaded) })
}

impl Loaded {
    /// Runs batches on one thread.
    pub(crate) fn session(&self, model: &Model) -> Session {
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        let (this, path) = (self.clone(), model.path.clone());
        Box::new(move |batch| {
            // A damaged model may contradict itself only when it is run.
            let run = || guarded(&path, || Ok(this.run(batch, &pool)));
            pool.run(run).map_err(|e| e.to_string())?
        })
    }

    /// The pooled vectors of texts of equal length, not yet normalised.
    fn run(&self, batch: &TokenBatch, pool: &Arc<ThreadPool>) -> Result<Vec<Vec<f32>>, String> {
        let (texts, length) = (batch.tokens.len(), batch.length());
        let tensor = |numbers: Vec<i32>| ValueOrView::from(NdTensor::from_data([texts, length], numbers));
        let signed = |number: &u32| i32::try_from(*number).map_err(|e| e.to_string());
        let ids = batch.tokens.iter().flat_map(|tokens| &tokens.ids).map(signed).collect::<Result<_, _>>()?;
        let types = batch.tokens.iter().flat_map(|tokens| &tokens.types).map(signed).collect::<Result<_, _>>()?;
        // Without padding, every token counts.
        let values = [ids, vec![1; texts * length], types].map(tensor);
        let inputs = self.inputs.into_iter().zip(values).filter_map(|(id, value)| Some((id?, value)));
        let options = RunOptions::default().with_thread_pool(Some(pool.clone()));
        let outputs = self.model.run(inputs.collect(), &[self.output], Some(options)).map_err(|e| e.to_string())?;
        let output: Option<Tensor<f32>> = outputs.into_iter().next().and_then(|output| output.try_into().ok());
        let output = output.ok_or("its output is not made of 32-bit floats")?;
        let shape = output.shape().to_vec();
        let numbers = output.to_vec();
        match shape[..] {
            // Pooled by the model itself.
            [rows, width] if rows == texts && width > 0 => Ok(numbers.chunks(width).map(<[f32]>::to_vec).collect()),
            [rows, tokens, width] if rows == texts && tokens == length && width > 0 => {
                Ok(numbers.chunks(length * width).map(|text| self.pooled(text, width)).collect())
            }
            _ => Err(format!("its output has the shape {shape:?} for {texts} texts of {length} tokens")),
        }
    }

    /// One vector from those of a text's tokens, which follow each other.
    fn pooled(&self, tokens: &[f32], width: usize) -> Vec<f32> {
        let mut vector = tokens[..width].to_vec();
        if self.pooling == Pooling::Mean {
            for token in tokens.chunks(width).skip(1) {
                vector.iter_mut().zip(token).for_each(|(sum, x)| *sum += x);
            }
            let count = (tokens.len() / width) as f32;
            vector.iter_mut().for_each(|x| *x /= count);
        }
        vector
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_in_the_name_is_the_one_that_is_built() {
        let version = super::NAME.rsplit('=').next().unwrap_or_default();
        assert!(include_str!("../../../Cargo.toml").contains(&format!("rten = {{ version = \"={version}\"")));
    }
}
