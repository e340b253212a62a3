//! The folder of a sentence model, as far as this program reads it itself: what runs the model is tried in a process of
//! its own (`tests/it/models.rs`).

use judge_uncertainty::familiarity::embedding::Model;

use super::tables::told;
use crate::scratch::{Scratch, choice};

/// Files of a small model. One of them is given.
const FILES: [(&str, &[u8]); 8] = [
    ("model.onnx", include_bytes!("../../../tests/golden/tiny-model/model.onnx")),
    ("tokenizer.json", include_bytes!("../../../tests/golden/tiny-model/tokenizer.json")),
    ("tokenizer_config.json", include_bytes!("../../../tests/golden/tiny-model/tokenizer_config.json")),
    ("config.json", include_bytes!("../../../tests/golden/tiny-model/config.json")),
    ("sentence_bert_config.json", include_bytes!("../../../tests/golden/tiny-model/sentence_bert_config.json")),
    ("1_Pooling/config.json", include_bytes!("../../../tests/golden/tiny-model/1_Pooling/config.json")),
    ("special_tokens_map.json", b"{\"unk_token\": \"[UNK]\"}"),
    ("SHA256SUMS", b""),
];

/// A model's folder and the graph of the model.
pub(crate) fn model(data: &[u8]) {
    let (given, data) = choice(data, FILES.len());
    let folder = Scratch::new();
    std::fs::create_dir(folder.path().join("1_Pooling")).expect("a temporary folder can be made");
    for (k, (name, sound)) in FILES.iter().enumerate() {
        folder.put(name, if k == given { data } else { *sound });
    }
    if let Ok(model) = Model::open(folder.path()).map_err(told) {
        let _ = model.settings("fuzz");
        #[cfg(feature = "models")]
        let _ = judge_uncertainty_onnx::check_graph(&model).map_err(told);
    }
}
