"""How often the interval of what a fitted map gains over the judge holds, where judge and map are alike.

`python benches/alike.py [STUDIES [SEED]] > evidence/alike.csv` (NumPy and SciPy) simulates studies of three classes with one label an item,
a judge whose shares are raised to a power (1: nearly calibrated), and a map of one or three parameters fitted in ten folds. The
interval is that of `Ask::difference` of `stats::estimator`, for a fit; what is true is the mean over the folds' fits on 4,000 further
items. `compared` is how many studies compare the two: all, or those of `Scores::too_near`, whose labels are expected to gain 1 or more.
"""
import sys

import numpy as np
from scipy.stats import t as student


def world(rng, items, power):
    known = rng.standard_gamma([1.5, 1.0, 0.5], (items, 3)) + 1e-9
    known /= known.sum(1, keepdims=True)
    p = rng.standard_gamma(8 * known + 1e-6) + 1e-9
    q = known ** power + 1e-3
    return p / p.sum(1, keepdims=True), q / q.sum(1, keepdims=True)


def features(q, parameters):
    logs = np.log(q)
    columns = [logs - logs.mean(1, keepdims=True)]
    if parameters == 3:
        columns += [np.tile(tilt, (len(q), 1)) for tilt in ([1, 0, -1.0], [0, 1, -1.0])]
    return np.stack(columns, 2)


def mapped(q, x, slopes):
    logits = np.log(q) + x @ slopes
    shares = np.exp(logits - logits.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def fit(q, x, labels):
    slopes, precision = np.zeros(x.shape[2]), 4.0
    for _ in range(12):
        shares = mapped(q, x, slopes)
        expected = (shares[:, :, None] * x).sum(1)
        gradient = (x[np.arange(len(labels)), labels] - expected).sum(0) - precision * slopes
        curvature = np.einsum("nk,nkp,nkq->pq", shares, x, x) - expected.T @ expected + precision * np.eye(len(slopes))
        slopes = slopes + np.clip(np.linalg.solve(curvature, gradient), -0.7, 0.7)
    return slopes


def interval(d):
    n, centre, sd = len(d), d.mean(), d.std(ddof=1)
    skew, se, t = (((d - centre) / sd) ** 3).mean(), sd * ((1 + 40 / n) / n) ** 0.5, student.ppf(0.975, n - 1)
    root = n ** 0.5
    back = lambda x: 3 * root / skew * (np.cbrt(1 + skew * (x / root - skew / (6 * n))) - 1) if abs(skew) > 1e-6 else x
    return min(centre - se * back(t), centre - se * t), max(centre - se * back(-t), centre + se * t)


def study(rng, items, power, parameters, further):
    p, q = world(rng, items, power)
    labels = (rng.random(items)[:, None] > p.cumsum(1)[:, :2]).sum(1)
    x, fold, shares, truth = features(q, parameters), rng.permutation(items) % 10, np.zeros((items, 3)), 0.0
    for k in range(10):
        own = fold == k
        slopes = fit(q[~own], x[~own], labels[~own])
        shares[own] = mapped(q[own], x[own], slopes)
        new_p, new_q, new_x = further
        truth += (new_p * (np.log(mapped(new_q, new_x, slopes)) - np.log(new_q))).sum(1).mean() / 10
    gained = np.log(shares / q)
    return [(shares * gained).sum(), truth, *interval(gained[np.arange(items), labels])]


studies = int(sys.argv[1]) if len(sys.argv) > 1 else 400
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 28
print("items,power,parameters,compared,share,holds,too low,too high,verdicts of all,wrong of all")
for items, power, parameters in [(50, 1, 1), (50, 1, 3), (50, 1.4, 3), (50, 2, 3), (200, 1, 3), (200, 1.3, 3)]:
    rng = np.random.default_rng([seed, items, int(10 * power), parameters])
    p, q = world(rng, 4000, power)
    found = np.array([study(rng, items, power, parameters, (p, q, features(q, parameters))) for _ in range(studies)])
    expected, truth, lo, hi = found.T
    for words, kept in [("all", expected > -1), ("expected gain of 1", expected >= 1)]:
        low, high = (kept & (hi < truth)).sum(), (kept & (lo > truth)).sum()
        verdict = kept & ((lo > 0) | (hi < 0))
        wrong = verdict & (np.sign(lo) != np.sign(truth))
        of = lambda count: f"{count / kept.sum():.3f}"
        print(f"{items},{power},{parameters},{words},{kept.mean():.3f},{of(kept.sum() - low - high)},{of(low)},{of(high)},"
              f"{verdict.mean():.3f},{wrong.mean():.3f}", flush=True)
