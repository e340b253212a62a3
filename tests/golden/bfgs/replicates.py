"""Where SciPy's BFGS with numeric gradients ends on the first replicates of Experiment 2: all features, and counts alone.

    python replicates.py ../../../data/chaosnli > replicates.json

An independent calculation of the replicates with NumPy on a processor with AVX-512, which decides the last bits; the objective is
the likelihood in log-gamma functions, the start a trust of 8 labels and zeros, all options of
`scipy.optimize.minimize(method="BFGS")` at their defaults. `delta_b10`: the value of the 311 items that Delta ranks first.
"""

import copy
import csv
import json
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import scipy
from scipy.optimize import minimize
from scipy.special import gammaln

REPLICATES = 12
LOW, HIGH = np.log(1e-3), np.log(1e6)


def table(path):
    return list(csv.DictReader(open(path)))


def judge(folder):
    rows = table(f"{folder}/judge.csv")
    variants = [[[float(row[f"{v}_{c}"]) for c in "enc"] for v in ("neutral", "strict", "intuitive")] for row in rows]
    p = np.array(variants) / np.array(variants).sum(axis=2, keepdims=True)
    q = np.maximum(p.mean(axis=1), 0.005)
    return q / q.sum(axis=1, keepdims=True), p.std(axis=1).mean(axis=1), np.array([float(r["confidence"]) for r in rows])


def subsample(rng, pool, sizes):
    """Without replacement, class by class."""
    out, left, need = np.zeros_like(pool), pool.sum(axis=1), sizes.copy()
    for j in range(pool.shape[1]):
        left = left - pool[:, j]
        out[:, j] = rng.hypergeometric(pool[:, j], left, np.minimum(need, pool[:, j] + left))
        need = need - out[:, j]
    return out


def value_of_delta(alpha, left, truth, rng):
    evidence = alpha.sum(axis=1)
    m = alpha / evidence[:, None]
    order = np.argsort(-((1 - (m**2).sum(axis=1)) / (evidence + 1) ** 2))
    items = len(alpha)
    sizes = [items * budget // 100 for budget in (1, 5, 10, 20)]
    # Ties and the random rule, what I buys, what Delta buys at 1% and 5%.
    rng.random(2 * items + sum(sizes) + sizes[0] + sizes[1])
    top = order[: sizes[2]]
    drawn = rng.random(len(top))
    shares = np.cumsum(left[top] / left[top].sum(axis=1, keepdims=True), axis=1)
    after = alpha[top].copy()
    after[np.arange(len(top)), np.minimum((drawn[:, None] > shares).sum(axis=1), 2)] += 1

    def error(a):
        return np.abs(a / a.sum(axis=1, keepdims=True) - truth[top]).sum()

    return float(error(alpha[top]) - error(after))


def distances(folder):
    x = np.load(f"{folder}/embeddings_f16.npy").astype(float)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    d = np.maximum(1 - x @ x.T, 0)
    np.fill_diagonal(d, 0)
    return d


def main():
    folder = sys.argv[1]
    q, spread, confidence = judge(folder)
    counts = np.array([[int(row[c]) for c in "enc"] for row in table(f"{folder}/labels.csv")])
    d = distances(folder)
    out = []
    for seed in range(REPLICATES):
        rng = np.random.default_rng(seed)
        half = subsample(rng, counts, np.full(len(counts), 50))
        truth = (counts - half) / 50
        n = rng.choice([0, 1, 2, 5, 10], size=len(counts))
        c = subsample(rng, half, n).astype(float)
        near = np.sort(d[:, n > 0], axis=1)[:, :10]
        x = np.column_stack([spread, np.log1p(n), confidence, near[:, 0], near.mean(axis=1)])
        x = (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-9)
        alone = np.log1p(n)
        alone = (alone - alone.mean()) / alone.std()
        every, counts_only = [np.column_stack([np.ones(len(x)), features]) for features in (x, alone)]
        labels, p, total = c[n > 0], q[n > 0], n[n > 0].astype(float)

        def fit(features):
            rows = features[n > 0]

            def objective(beta):
                trust = np.exp(np.clip(rows @ beta, LOW, HIGH))
                a = trust[:, None] * p
                a0 = a.sum(axis=1)
                return -(gammaln(a0) - gammaln(a0 + total) + (gammaln(a + labels) - gammaln(a)).sum(axis=1)).sum()

            found = minimize(objective, [np.log(8)] + [0] * (rows.shape[1] - 1), method="BFGS")
            alpha = np.exp(np.clip(features @ found.x, LOW, HIGH))[:, None] * q + c
            return {
                "steps": int(found.nit), "evaluations": int(found.nfev), "coefficients": found.x.tolist(),
                "delta_b10": value_of_delta(alpha, half - c, truth, copy.deepcopy(rng)),
            }

        out.append({"full": fit(every), "counts_only": fit(counts_only)})
    print(json.dumps({"scipy": scipy.__version__, "numpy": np.__version__, "replicates": out}, indent=1))


if __name__ == "__main__":
    main()
