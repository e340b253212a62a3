"""Expected values for crates/core/src/stats/sampling.rs, by NumPy, SciPy and statsmodels: python3 make.py > expected.json

Written from the formulas of the textbooks (Cochran 1977 for strata and ratio means, Hall 1992 for the interval), with things as
arrays of totals; the robust variance of things drawn at random is that of statsmodels' clusters.
"""
import json

import numpy as np
import statsmodels.api as sm
from scipy.stats import t as student

rng = np.random.default_rng(28)


def interval(mean, variance, third, freedom):
    se, skew = variance ** 0.5, third / variance ** 1.5
    quantile = student.ppf(0.975, freedom)
    back = lambda x: 3 / skew * (np.cbrt(1 + skew * (x - skew / 6)) - 1)
    return {"mean": mean, "standard_error": se, "lo": mean - se * back(quantile), "hi": mean - se * back(-quantile)}


def by_stages(y, things, stages, population):
    """stages: (stratum of each thing or None, sizes) or (None, probabilities)."""
    number = max(things) + 1
    totals = np.bincount(things, y, number)
    rows = np.bincount(things, minlength=number).astype(float)
    parts = []
    for strata, sizes in stages:
        if strata is None:
            p, strata, chosen = np.array(sizes), np.zeros(number, int), np.ones(number, bool)
        else:
            chosen = np.array([h is not None for h in strata])
            strata = np.array([0 if h is None else h for h in strata])
            p = np.zeros(number)
            for h, size in enumerate(sizes):
                own = chosen & (strata == h)
                p[own] = own.sum() / size
        w = np.where(chosen, 1 / np.where(chosen, p, 1), 0)
        noise = ((1 - p) * w ** 2)[chosen].sum() / w.sum() ** 2
        parts.append((chosen, strata, p, w, noise))
    a = np.array([1 / noise for *_, noise in parts])
    a /= a.sum()
    mean = sum(share * (w * totals).sum() / (w * rows).sum() for share, (_, _, _, w, _) in zip(a, parts))
    z = totals - mean * rows
    variances, freedoms, third = [], [], 0.0
    for share, (chosen, strata, p, w, _) in zip(a, parts):
        total = (w * rows).sum()
        n = chosen.sum()
        # Mean over all things of their squared residuals, as a variance of the ratio mean over the population.
        mean_rows = total / w.sum()
        for h in range(strata[chosen].max() + 1):
            own = chosen & (strata == h)
            m = own.sum()
            u = (w * z / total)[own]
            drawn = m / max(m - 1, 1) * ((1 - p[own]) * (u - u.mean()) ** 2).sum()
            of_all = (w[own] * z[own] ** 2).sum() / w.sum() * n / (n - 1) / population / mean_rows ** 2
            variances.append(share ** 2 * drawn + share * of_all)
            freedoms.append(max(m - 1, 1))
            third += share ** 3 * ((u - u.mean()) ** 3).sum()
    variances, freedoms = np.array(variances), np.array(freedoms)
    variance = variances.sum()
    return interval(mean, variance, third, variance ** 2 / (variances ** 2 / freedoms).sum())


def lure(y, known, population):
    """The estimator of unbiased active testing (Farquhar, Gal and Rainforth 2021, equation 5; Kossen et al. 2021) of the mean over all
    items: the first `known` values are of items that were certain, the others were drawn one by one from the rest, each as likely."""
    drawn, rest = y[known:], population - known
    M, total = len(drawn), 0.0
    for m, loss in enumerate(drawn, start=1):
        q = 1 / (rest - m + 1)
        v = 1 + (rest - M) / (rest - m) * (1 / ((rest - m + 1) * q) - 1)
        total += v * loss
    return (y[:known].sum() + rest * total / M) / population


def case(name, y, things, stages, population, found):
    written = [
        {"probabilities": list(sizes)} if strata is None else {"strata": strata, "sizes": sizes} for strata, sizes in stages
    ]
    return {
        "name": name, "values": list(map(float, y)), "things": list(map(int, things)), "stages": written,
        "population": population, **{key: float(value) for key, value in found.items()},
    }


cases = []
# Things of one to five items, drawn at random.
things = np.repeat(np.arange(30), rng.integers(1, 6, 30))
y = rng.gamma(0.7, size=len(things)) + 0.5 * rng.standard_normal(30)[things]
fit = sm.OLS(y, np.ones_like(y)).fit(cov_type="cluster", cov_kwds={"groups": things, "use_correction": False})
z = np.bincount(things, y - y.mean(), 30)
variance = float(fit.cov_params()[0, 0]) * 30 / 29
cases.append(case("things at random", y, things, [], 0, interval(y.mean(), variance, ((z / len(y)) ** 3).sum(), 29)))

# One queue: what had labels before, what was ranked first, what was drawn from the others.
y = np.concatenate([rng.gamma(1.0, size=30), 2 + rng.gamma(1.0, size=25), rng.gamma(0.5, size=35)])
strata = [0] * 30 + [1] * 25 + [2] * 35
singles = np.arange(90)
stages = [(strata, [30, 25, 245])]
cases.append(case("one exploring queue", y, singles, stages, 300, by_stages(y, singles, stages, 300)))
cases[-1]["lure"] = float(lure(y, 55, 300))

# A pilot drawn at random before it.
stages = [([0] * 30 + [None] * 60, [300]), (strata, [30, 25, 245])]
cases.append(case("a pilot and a queue", y, singles, stages, 300, by_stages(y, singles, stages, 300)))

# The same with things of several items.
size = rng.integers(1, 5, 90)
things = np.repeat(np.arange(90), size)
y = np.repeat(y, size) + 0.3 * rng.standard_normal(size.sum())
cases.append(case("things in two stages", y, things, stages, 300, by_stages(y, things, stages, 300)))

# Probabilities that differ from item to item.
p = 0.1 + 0.8 * rng.random(60)
y = rng.gamma(1.0, size=60) + p
stages = [(None, p)]
cases.append(case("unequal probabilities", y, np.arange(60), stages, 200, by_stages(y, np.arange(60), stages, 200)))

print(json.dumps({"made_by": "tests/golden/sampling/make.py", "cases": cases}, indent=1))
