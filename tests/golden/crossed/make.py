"""Expected values for crates/core/src/stats/crossed.rs, by statsmodels and SciPy: python3 make.py > expected.json

The mean over items of the means over their labels is a weighted least squares fit of a constant; its variance with items and
annotators crossed is statsmodels' for two-way clusters, with the factor G/(G - 1) for each.
"""
import json

import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.stats import t as student

rng = np.random.default_rng(4)


own = np.random.default_rng(5)


def random_effects(item, annotator, value, weights):
    """Standard error of the weighted mean under value = mean + item + annotator + rest, crossed, by restricted maximum likelihood
    over the three variances, written out."""
    n = len(value)
    of_items = (item[:, None] == item).astype(float)
    of_annotators = (annotator[:, None] == annotator).astype(float)

    def covariance(logs):
        a, b, c = np.exp(logs)
        return a * of_items + b * of_annotators + c * np.eye(n)

    def lost(logs):
        inverse = np.linalg.inv(covariance(logs))
        precision = inverse.sum()
        rest = value - (inverse @ value).sum() / precision
        return np.linalg.slogdet(covariance(logs))[1] + np.log(precision) + rest @ inverse @ rest

    best = minimize(lost, np.log([1.0, 0.2, 0.1]), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-8, "maxiter": 4000})
    w = weights / weights.sum()
    return float((w @ covariance(best.x) @ w) ** 0.5)


def case(items, annotators, each):
    item, annotator, value = [], [], []
    bias, level = rng.normal(0, 0.5, annotators), rng.normal(0, 1, items)
    for i in range(items):
        for j in rng.choice(annotators, size=each[i % len(each)], replace=False):
            item.append(i)
            annotator.append(int(j))
            value.append(level[i] + bias[j] + rng.normal(0, 0.3))
    item, annotator, value = map(np.array, (item, annotator, value))
    number = np.bincount(item)
    weights = 1 / number[item]
    fit = sm.WLS(value, np.ones(len(value)), weights=weights).fit()

    def variance(groups):
        size = len(np.unique(groups))
        robust = fit.get_robustcov_results("cluster", groups=groups, use_correction=False)
        return robust.cov_params()[0, 0] * size / (size - 1), size

    of_items, number_items = variance(item)
    of_annotators, number_annotators = variance(annotator)
    of_labels, _ = variance(np.arange(len(value)))
    total = max(of_items + of_annotators - of_labels, of_items, of_annotators)
    added = max(of_annotators - of_labels, 0)
    freedom = total ** 2 / (of_items ** 2 / (number_items - 1) + added ** 2 / (number_annotators - 1))
    freedom = max(freedom, number_annotators - 1)
    mean = fit.params[0]
    # Skewness of the items' part; Hall's interval, or Student's where that reaches further.
    means = np.bincount(item, weights * value)
    skewness = ((means - mean) ** 3).sum() / items ** 3 / total ** 1.5
    t = student.ppf(0.975, freedom)
    low, high = (3 / skewness * (np.cbrt(1 + skewness * (x - skewness / 6)) - 1) for x in (t, -t))
    lo, hi = mean - total ** 0.5 * max(low, t), mean - total ** 0.5 * min(high, -t)
    # Owen's (2007) pigeonhole bootstrap: items and annotators are each drawn anew, and a label counts as often as both.
    draws = []
    for _ in range(4000):
        i = np.bincount(own.integers(items, size=items), minlength=items)
        j = np.bincount(own.integers(annotators, size=annotators), minlength=annotators)
        w = weights * i[item] * j[annotator]
        draws.append((w * value).sum() / w.sum())
    return {
        "pigeonhole": float(np.std(draws)), "random_effects": random_effects(item, annotator, value, weights),
        "item": item.tolist(), "annotator": annotator.tolist(), "value": value.tolist(),
        "mean": mean, "standard_error": total ** 0.5, "lo": lo, "hi": hi,
    }


cases = [case(24, 6, [6]), case(40, 9, [1, 2, 5]), case(30, 30, [2])]
made = f"statsmodels {statsmodels.__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"
print(json.dumps({"made_with": made, "cases": cases}))
