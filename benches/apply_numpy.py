"""The yardstick of `apply`: what it says of items, in plain numpy and pyarrow.

python benches/apply_numpy.py BELIEF.json ITEMS.parquet|ITEMS.csv OUT.parquet      needs: pip install numpy pyarrow

For published beliefs about classes whose trust depends on `spread` and `confidence`, and items as examples/distributed/make_items.py
writes them. It checks nothing, watches no drift and writes whatever comes.
"""

import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet


def digamma(x):
    """By recurrence to 6 or more and the asymptotic series; x is above 0."""
    shift, x = np.zeros_like(x), x.copy()
    while (small := x < 6).any():
        shift[small] -= 1 / x[small]
        x[small] += 1
    y = 1 / (x * x)
    return shift + np.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))


def parts(alpha):
    """Aleatoric part and total of a Dirichlet belief, in nats."""
    mean = alpha / (evidence := alpha.sum(1))[:, None]
    return digamma(evidence + 1) - (mean * digamma(alpha + 1)).sum(1), -(mean * np.log(mean)).sum(1)


belief = json.load(open(sys.argv[1]))
classes, columns, fit = belief["settings"]["classes"], belief["columns"], belief["fit"]["published"]
table = (pa.csv.read_csv if sys.argv[2].endswith(".csv") else pa.parquet.read_table)(sys.argv[2])


def numbers(pattern, variant=""):
    names = [pattern.replace("{variant}", variant).replace("{class}", name) for name in classes]
    return np.stack([table[name].to_numpy().astype(float) for name in names], 1)


answers = np.stack([numbers(columns["answers"], variant) for variant in belief["variants"]])
answers /= answers.sum(2, keepdims=True)
q = np.maximum(np.nanmean(answers, 0), belief["settings"]["judge"]["floor"])
q /= q.sum(1, keepdims=True)
spread = np.nanstd(answers, 0).mean(1)
spread[np.isnan(answers).any((0, 2))] = np.nan
known = {"spread": spread, "confidence": table[columns["confidence"]].to_numpy().astype(float)}
z = [np.clip(np.nan_to_num((known[f["name"]] - f["mean"]) / f["sd"]), f["low"], f["high"]) for f in belief["features"]]
trust = np.exp(np.column_stack([np.ones(len(q)), *z]) @ fit["coefficients"])
labels = np.nan_to_num(numbers(columns["labels"]))
alpha = trust[:, None] * q + labels
evidence = alpha.sum(1)
mean = alpha / evidence[:, None]
aleatoric, total = parts(alpha)
v = (mean * (1 - mean)).sum(1) / (evidence + 1)
out = {"id": table["id"], "group": table["trade"], "labels": labels.sum(1), "trust": trust, "total_evidence": evidence}
out |= {"total": total, "aleatoric": aleatoric, "epistemic": total - aleatoric, "v": v, "delta": v / (evidence + 1)}
out |= {"priority_judge_entropy": -(q * np.log(q)).sum(1), "feature_spread": spread, "feature_confidence": known["confidence"]}
for k, name in enumerate(classes):
    out |= {f"q_{name}": q[:, k], f"mean_{name}": mean[:, k], f"n_{name}": labels[:, k]}
pa.parquet.write_table(pa.table(out), sys.argv[3])
