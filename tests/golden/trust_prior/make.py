"""Fits of the trust under the weak prior, and what the labels without it say of ln lambda, by SciPy.

python3 make.py > expected.json         made with SciPy 1.17

Labels are drawn here, so that nothing but this file is needed. Log-likelihoods are written with gamma functions, maxima
are found by BFGS without derivatives of ours, and profiles are the highest values on a dense grid of both parameters, from
1e-3 to 1e6 labels.
"""

import json
import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln
from scipy.stats import chi2

LOG_TRUST, SLOPE, LOG_FREEDOM, LOG_SCALE = (np.log(8), 1.0), (0.0, 0.5), (np.log(4), 1.5), 2.0


def normal(x, mean, sd):
    return -0.5 * ((x - mean) / sd) ** 2


def maximum(log_posterior, start):
    found = np.array(start, float)
    for method in ["Nelder-Mead", "BFGS", "Nelder-Mead"]:
        options = {"xatol": 1e-12, "fatol": 1e-15, "maxiter": 20000, "maxfev": 20000} if method != "BFGS" else {"gtol": 1e-9}
        found = minimize(lambda x: -log_posterior(x), found, method=method, options=options).x
    return found


def interval(grid, profile):
    """Where the profile is within 1.92 nats of its maximum; None for an end at which it is so up to the grid's end."""
    near = np.flatnonzero(profile >= profile.max() - chi2.ppf(0.95, 1) / 2)
    fall = profile - profile.max() + chi2.ppf(0.95, 1) / 2
    cross = lambda i: np.interp(0, sorted(fall[i : i + 2]), grid[i : i + 2][np.argsort(fall[i : i + 2])])
    low, high = near[0], near[-1]
    return {
        "lo": None if low == 0 else cross(low - 1),
        "hi": None if high == len(grid) - 1 else cross(high),
    }


def dirichlet_multinomial(log_trust, q, counts):
    a = np.exp(log_trust)[:, None] * q
    n = counts.sum(1)
    return (gammaln(a.sum(1)) - gammaln(a.sum(1) + n) + (gammaln(a + counts) - gammaln(a)).sum(1)).sum()


def classes(stream, items, most):
    q = stream.dirichlet([1, 1, 1], items) * 0.97 + 0.01
    x = stream.normal(size=items).round(3)
    pool = np.array([stream.dirichlet(6 * np.exp(0.5 * z) * row) for row, z in zip(q, x)])
    counts = np.array([stream.multinomial(n, p) for n, p in zip(stream.integers(0, most + 1, items), pool)])
    # As a study does: standardised over all items, then kept within what labelled items have.
    z = (x - x.mean()) / x.std()
    labelled = counts.sum(1) > 0
    z = z.clip(z[labelled].min(), z[labelled].max())

    def log_posterior(b):
        return dirichlet_multinomial(b[0] + b[1] * z, q, counts) + normal(b[0], *LOG_TRUST) + normal(b[1], *SLOPE)

    best = maximum(log_posterior, [np.log(8), 0])
    b0, b1 = np.linspace(np.log(1e-3), np.log(1e6), 901), np.linspace(-5, 5, 401)
    table = np.array([[log_posterior((u, v)) for v in b1] for u in b0])
    # What the labels say of b0: its own prior is taken out again.
    profile = interval(b0, table.max(1) - normal(b0, *LOG_TRUST))
    return {"q": q.tolist(), "x": x.tolist(), "counts": counts.tolist(), "coefficients": best.tolist(), "profile": profile}


def ratings(stream, items):
    mu = stream.uniform(0, 10, items).round(3)
    true = [stream.normal(m, 1.0, n) for m, n in zip(stream.normal(mu, 0.6), stream.integers(0, 5, items))]
    labels = [row.round(3).tolist() for row in true]
    off = np.concatenate([np.array(row) - m for row, m in zip(labels, mu) if row])
    centre = np.log((off**2).mean())

    def log_posterior(b):
        trust, nu, scale = np.exp(b[0]), 2 + np.exp(b[1]), np.exp(b[2])
        value = normal(b[0], *LOG_TRUST) + normal(b[1], *LOG_FREEDOM) + normal(b[2], centre, LOG_SCALE)
        for row, m in zip(labels, mu):
            n = len(row)
            if n:
                y = np.array(row)
                a = nu * scale
                c = a + ((y - y.mean()) ** 2).sum() + trust * n / (trust + n) * (y.mean() - m) ** 2
                value += gammaln((nu + n) / 2) - gammaln(nu / 2) + nu / 2 * np.log(a) - (nu + n) / 2 * np.log(c)
                value += 0.5 * np.log(trust / (trust + n))
        return value

    return {"mu": mu.tolist(), "labels": labels, "parameters": maximum(log_posterior, [np.log(8), np.log(4), centre]).tolist()}


stream = np.random.default_rng(20261122)
print(json.dumps({
    "few": classes(stream, 20, 3),
    "some": classes(stream, 60, 5),
    "single": classes(stream, 30, 1),
    "ratings": ratings(stream, 40),
}, indent=1))
