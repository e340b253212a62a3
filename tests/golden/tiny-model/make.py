"""Writes the sentence model that tests can compute by hand: each token's vector is a row of a table, nothing more.

    pip install -r ../../../data/models/all-MiniLM-L6-v2/requirements.txt
    python make.py
"""

import json
import pathlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
WORDS = ["[PAD]", "[UNK]", "red", "green", "blue", "grey"]
TABLE = [[0, 0, 0], [0, 0, 1], [3, 0, 0], [0, 4, 0], [0, 0, 5], [1, 1, 1]]


def tokens(name):
    return helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])


def write(name, content):
    (HERE / name).write_text(json.dumps(content, indent=1) + "\n")


graph = helper.make_graph(
    [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("Cast", ["attention_mask"], ["kept"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["kept", "last"], ["mask"]),
        helper.make_node("Mul", ["rows", "mask"], ["last_hidden_state"]),
    ],
    "tiny",
    [tokens("input_ids"), tokens("attention_mask")],
    [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", 3])],
    [
        numpy_helper.from_array(np.array(TABLE, np.float32), "table"),
        numpy_helper.from_array(np.array([2], np.int64), "last"),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
(HERE / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
write("config.json", {"vocab_size": len(WORDS), "pad_token_id": 0})
write("tokenizer_config.json", {"model_max_length": 64, "pad_token": "[PAD]"})
write("sentence_bert_config.json", {"max_seq_length": 4})
write("1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False})
write(
    "tokenizer.json",
    {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "unk_token": "[UNK]",
            "vocab": {word: i for i, word in enumerate(WORDS)},
        },
    },
)
