"""Expected values for crates/evaluation/src/held_out.rs, by NumPy and SciPy: python3 make.py > expected.json

What a Dirichlet belief foresees of its error, the error that labels show, and where labels lie. The error is the mean over
ordered pairs of an item's labels of the product of their distances from the mean, (y - m)'(y' - m), which has the
expectation |p - m|^2; the program has it as a score less a disagreement.
"""
import json

import numpy as np
import scipy
from scipy.stats import betabinom, dirichlet

rng = np.random.default_rng(6)


def labels_of(counts):
    return np.eye(len(counts))[np.repeat(np.arange(len(counts)), counts)]


def shown(counts, mean_without):
    """mean_without(k): the mean against which label k is held."""
    labels = labels_of(counts)
    n = len(labels)
    disagreement = np.mean([1 - labels[k] @ labels[l] for k in range(n) for l in range(n) if k != l])
    of = []
    for k in range(n):
        m = mean_without(k)
        of.append(np.sum((labels[k] - m) ** 2))
    return np.mean(of) - disagreement, disagreement


def by_pairs(counts, m):
    labels = labels_of(counts)
    n = len(labels)
    return np.mean([(labels[k] - m) @ (labels[l] - m) for k in range(n) for l in range(n) if k != l])


def foreseen(alpha):
    spread = dirichlet(alpha).var().sum()
    m = alpha / alpha.sum()
    return spread, 1 - np.sum(m ** 2) - spread


def within(alpha, counts, level):
    k, n = int(np.argmax(alpha)), int(counts.sum())
    held = betabinom(n, alpha[k], alpha.sum() - alpha[k])
    lo, hi = held.cdf(counts[k] - 1), held.cdf(counts[k])
    low, high = 0.5 - 0.5 * level, 0.5 + 0.5 * level
    return float(max(min(hi, high) - max(lo, low), 0) / (hi - lo))


cases = []
for n in (2, 3, 7, 20):
    alpha = rng.gamma(1.0, 2.0, 3) + 0.05
    counts = rng.multinomial(n, rng.dirichlet([1, 1, 1]))
    labels = labels_of(counts)
    before = shown(counts, lambda k: alpha / alpha.sum())
    assert abs(before[0] - by_pairs(counts, alpha / alpha.sum())) < 1e-12
    others = [alpha + labels.sum(0) - labels[k] for k in range(n)]
    after = shown(counts, lambda k: others[k] / others[k].sum())
    cases.append({
        "alpha": alpha.tolist(),
        "counts": counts.tolist(),
        "foreseen": list(foreseen(alpha)),
        "shown": before[0],
        "foreseen_after": np.mean([foreseen(other) for other in others], axis=0).tolist(),
        "shown_after": after[0],
        "within": [within(alpha, counts, level) for level in (0.8, 0.95)],
    })
print(json.dumps({"made_with": f"NumPy {np.__version__}, SciPy {scipy.__version__}", "cases": cases}, indent=1))
