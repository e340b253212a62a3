"""Processor time of `embed` against ONNX Runtime with the same model and tokens, in turn, one thread each.

python benches/embed.py PROGRAM [TEXTS] [TIMES]      needs: pip install numpy onnxruntime tokenizers

The texts are those of examples/support_desk, repeated with a number before them. First the embeddings are held against each other.
Prints CSV lines: engine, texts, seconds (start included), ratio to ONNX Runtime, peak in MiB.
"""

import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "data/models/all-MiniLM-L6-v2"


def by_onnx_runtime(file, out):
    import numpy as np
    import onnxruntime
    import tokenizers

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(MODEL / "model.onnx"), options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.no_padding()
    texts = [row["text"] for row in csv.DictReader(open(file))]
    tokens = tokenizer.encode_batch(texts)
    order = sorted(range(len(texts)), key=lambda i: len(tokens[i].ids))
    names = {given.name for given in session.get_inputs()}
    rows = np.empty((len(texts), 384), "f4")
    for start in range(0, len(order), 16):
        block = order[start : start + 16]
        width = max(len(tokens[i].ids) for i in block)
        ids = np.zeros((len(block), width), "i8")
        mask = np.zeros_like(ids)
        for row, i in enumerate(block):
            ids[row, : len(tokens[i].ids)] = tokens[i].ids
            mask[row, : len(tokens[i].ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = session.run(None, {name: value for name, value in given.items() if name in names})[0]
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        rows[block] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    np.save(out, rows)


def measured(command):
    environment = {**os.environ, "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main(program, texts="600", times="3"):
    import numpy as np

    messages = [row["text"] for row in csv.DictReader(open(ROOT / "examples/support_desk/items.csv"))]
    with tempfile.TemporaryDirectory() as folder:
        items, ours, theirs = (pathlib.Path(folder, name) for name in ("items.csv", "ours.npy", "theirs.npy"))
        with open(items, "w", newline="") as file:
            write = csv.writer(file).writerow
            write(["id", "text"])
            for i in range(int(texts)):
                write([i, f"{i}: {messages[i % len(messages)]}"])
        embed = [program, "embed", "--items", items, "--text", "{text}", "--out", ours, "--model", MODEL, "--threads", "1"]
        found = {"embed": [], "onnxruntime": []}
        for _ in range(int(times)):
            ours.unlink(missing_ok=True)
            found["embed"].append(measured(embed))
            found["onnxruntime"].append(measured([sys.executable, __file__, "--child", items, theirs]))
        a, b = np.load(ours), np.load(theirs)
        assert (a * b).sum(1).min() > 0.9999, "the embeddings are others"
    median = {what: [statistics.median(values) for values in zip(*runs)] for what, runs in found.items()}
    for what, (seconds, peak) in median.items():
        print(f"{what},{texts},{seconds:.2f},{seconds / median['onnxruntime'][0]:.2f},{peak:.0f}")


if __name__ == "__main__":
    by_onnx_runtime(*sys.argv[2:]) if sys.argv[1] == "--child" else main(*sys.argv[1:])
