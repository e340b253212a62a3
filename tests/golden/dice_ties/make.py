"""The regret difference of the dice (judge's entropy less Delta, 10%) under several orders of equal scores.

An independent calculation of Experiment 1 with NumPy and SciPy, which shares no code with the program:

    python make.py ../../../data/dice/judge.csv > expected.json

Many dice have exactly equal scores. `stable` keeps the order of the dice among them; `default` is `np.argsort(-score)` and
`reversed` is `np.argsort(score)[::-1]` with NumPy's default sort, which is not stable, and whose order of equals depends on the
vector instructions that it uses. Each is run with the instructions named, the others switched off.
"""

import csv
import json
import os
import pickle
import subprocess
import sys
import tempfile

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import scipy
from scipy.optimize import minimize

DICE, DRAWS, TOP = 500, 200, 50
LOW, HIGH = np.log(1e-3), np.log(1e6)
# What is switched off so that NumPy sorts with these instructions.
INSTRUCTIONS = {
    "avx512": "",
    "avx2": "X86_V4 AVX512_ICL AVX512_SPR",
    "none": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
}


def number(text):
    return float(text) if text else np.nan


def judge(path):
    rows = list(csv.DictReader(open(path)))
    variants = [
        [[number(row[f"{variant}_{face}"]) for face in ("red", "green", "blue")] for variant in ("neutral", "sceptical", "literal")]
        for row in rows
    ]
    p = np.array(variants) / np.array(variants).sum(axis=2, keepdims=True)
    confidence = np.array([number(row["confidence"]) for row in rows])
    return np.nanmean(p, axis=1), np.nanstd(p, axis=1).mean(axis=1), confidence


def world():
    rng = np.random.default_rng(0)
    t = rng.random(DICE)
    order = np.argsort(rng.random((DICE, 3)), axis=1)
    p = (1 - t)[:, None] * np.array([0.9, 0.05, 0.05])[order] + t[:, None] * (1 / 3)
    return p, rng.choice([0, 1, 2, 5, 10], size=DICE)


def standardised(columns):
    x = np.column_stack(columns)
    x = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
    return (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-9)


def fit(z, q, c):
    labelled = c.sum(axis=1) > 0
    rows, q, c = np.column_stack([np.ones(labelled.sum()), z[labelled]]), q[labelled], c[labelled]
    n = c.sum(axis=1)

    def objective(beta):
        eta = rows @ beta
        trust = np.exp(np.clip(eta, LOW, HIGH))
        value, slope = 0.0, np.zeros(len(eta))
        for i in range(n.max()):
            has = n > i
            value -= (np.log(trust + i) * has).sum()
            slope -= has / (trust + i)
            for j in range(3):
                has, a = c[:, j] > i, trust * q[:, j] + i
                value += (np.log(a) * has).sum()
                slope += has * q[:, j] / a
        slope *= trust * ((eta > LOW) & (eta < HIGH))
        return -value, -rows.T @ slope

    start = np.zeros(rows.shape[1])
    start[0] = np.log(8)
    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 2000}
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x


def prophet(rng, alpha, p):
    before = np.abs(alpha / alpha.sum(axis=1, keepdims=True) - p).sum(axis=1)
    value = np.zeros(DICE)
    for _ in range(20):
        label = np.minimum((rng.random(DICE)[:, None] > np.cumsum(p, axis=1)).sum(axis=1), 2)
        after = alpha.copy()
        after[np.arange(DICE), label] += 1
        value += before - np.abs(after / after.sum(axis=1, keepdims=True) - p).sum(axis=1)
    return value / 20


def draws(path):
    """Prophet values, scores of the judge's entropy and Delta of every label re-draw."""
    q, spread, confidence = judge(path)
    p, n = world()
    base = [spread, np.log1p(n), confidence]
    tiers = [(np.arange(DICE) % 4 == tier).astype(float) for tier in (1, 2, 3)]
    designs = [standardised(base), standardised(tiers + base)]
    out = []
    for draw in range(DRAWS):
        rng = np.random.default_rng(10_000 + draw)
        c = np.zeros((DICE, 3), int)
        for i in np.flatnonzero(n):
            c[i] = rng.multinomial(n[i], p[i])
        for z in designs:
            beta = fit(z, q, c)
            alpha = np.exp(beta[0] + z @ beta[1:])[:, None] * q + c
            value = prophet(rng, alpha, p)
            tie = rng.random(DICE) * 1e-9
            rng.random(DICE)
        total = alpha.sum(axis=1)
        mean = alpha / total[:, None]
        delta = (1 - (mean**2).sum(axis=1)) / (total + 1) ** 2
        out.append((value, -(q * np.log(q)).sum(axis=1) + tie, delta))
    return out


def regret(value, order):
    best = np.sort(value)[-TOP:].sum()
    return 100 * (best - value[order[:TOP]].sum()) / best


def orders(done):
    def summary(order):
        x = [regret(value, np.argsort(-entropy, kind="stable")) - regret(value, order(delta)) for value, entropy, delta in done]
        return [float(np.mean(x)), *(float(bound) for bound in np.percentile(x, [2.5, 97.5]))]

    return {
        "stable": summary(lambda score: np.argsort(-np.round(score, 12), kind="stable")),
        "default": summary(lambda score: np.argsort(-score)),
        "reversed": summary(lambda score: np.argsort(score)[::-1]),
    }


def main():
    if sys.argv[1] == "--orders":
        print(json.dumps(orders(pickle.load(open(sys.argv[2], "rb")))))
        return
    found = {"numpy": np.__version__, "scipy": scipy.__version__, "orders": {}}
    with tempfile.NamedTemporaryFile() as file:
        pickle.dump(draws(sys.argv[1]), file)
        file.flush()
        for name, disabled in INSTRUCTIONS.items():
            environment = os.environ | {"NPY_DISABLE_CPU_FEATURES": disabled}
            command = [sys.executable, __file__, "--orders", file.name]
            found["orders"][name] = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
