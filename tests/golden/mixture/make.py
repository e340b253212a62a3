"""What mixtures of Dirichlet distributions say, by routes that the program does not take: SciPy's quadrature of the marginals' densities for
every expectation over p, gamma functions for the weights, and sequences of labels one by one for what labels are expected to do.

    python make.py > expected.json          (Python 3.11, NumPy 2, SciPy 1.14 or later)
"""

import itertools
import json

import numpy as np
import scipy
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gammaln
from scipy.stats import beta

PLACES = np.array([1.0, 2.0, 4.0, 7.0])


def update(weights, alpha, labels):
    labels = np.asarray(labels)
    log = gammaln(alpha.sum(1)) - gammaln(alpha.sum(1) + labels.sum()) + (gammaln(alpha + labels) - gammaln(alpha)).sum(1)
    w = weights * np.exp(log - log.max())
    return w / w.sum(), alpha + labels


def mean(weights, alpha):
    return weights @ (alpha / alpha.sum(1, keepdims=True))


def integral(f, a, b, kinks=()):
    """E f(x) of x ~ Beta(a, b), by pieces; the power at either end is taken in by the weight of the rule."""
    edges = [0.0, *sorted(k for k in kinks if 0 < k < 1), 1.0]
    log = -(gammaln(a) + gammaln(b) - gammaln(a + b))
    sum_ = 0.0
    for left, right in zip(edges, edges[1:]):
        if left == 0.0:
            g = lambda x: f(x) * np.exp(log) * (1 - x) ** (b - 1)
            sum_ += quad(g, left, right if right < 1 else 0.5, weight="alg", wvar=(a - 1, 0), epsabs=1e-14, epsrel=1e-13, limit=400)[0]
            left = right if right < 1 else 0.5
        if right == 1.0 and left < 1.0:
            g = lambda x: f(x) * np.exp(log) * x ** (a - 1)
            sum_ += quad(g, left, 1.0, weight="alg", wvar=(0, b - 1), epsabs=1e-14, epsrel=1e-13, limit=400)[0]
        elif left < right < 1.0 and left > 0.0:
            sum_ += quad(lambda x: f(x) * np.exp(log) * x ** (a - 1) * (1 - x) ** (b - 1), left, right, epsabs=1e-14, epsrel=1e-13, limit=400)[0]
    return sum_


def entropy(m):
    return -sum(x * np.log(x) for x in m if x > 0)


def expected(weights, alpha, f, kinks=()):
    """sum_j E f_j(p_j)."""
    total = alpha.sum(1)
    return sum(
        w * sum(integral(lambda x, j=j: f(j, x), a[j], s - a[j], kinks and [kinks[j]]) for j in range(len(a)))
        for w, a, s in zip(weights, alpha, total)
    )


def aleatoric(weights, alpha):
    return expected(weights, alpha, lambda _, x: -x * np.log(x) if x > 0 else 0.0)


def spread(weights, alpha):
    m = mean(weights, alpha)
    return expected(weights, alpha, lambda j, x: (x - m[j]) ** 2)


def manhattan(weights, alpha):
    m = mean(weights, alpha)
    return expected(weights, alpha, lambda j, x: abs(x - m[j]), list(m))


def wasserstein(weights, alpha, places):
    below = np.cumsum(alpha, axis=1)[:, :-1]
    error = 0.0
    for k, gap in enumerate(np.diff(places)):
        pair = np.column_stack([below[:, k], alpha.sum(1) - below[:, k]])
        at = mean(weights, pair)[0]
        error += gap * sum(w * integral(lambda x: abs(x - at), a, b, [at]) for w, (a, b) in zip(weights, pair))
    return error


def after(weights, alpha, k, f):
    """Mean over every sequence of k labels."""
    classes, sum_, seen = alpha.shape[1], 0.0, {}
    for sequence in itertools.product(range(classes), repeat=k):
        labels = np.bincount(sequence, minlength=classes)
        log = gammaln(alpha.sum(1)) - gammaln(alpha.sum(1) + k) + (gammaln(alpha + labels) - gammaln(alpha)).sum(1)
        key = tuple(labels)
        if key not in seen:
            seen[key] = f(*update(weights, alpha, labels))
        sum_ += (weights @ np.exp(log)) * seen[key]
    return sum_


def case(weights, alpha, labels):
    weights, alpha = np.array(weights), np.array(alpha)
    places = PLACES[: alpha.shape[1]]
    m = mean(weights, alpha)
    place = lambda w, a: mean(w, a) @ places
    v, disagreement = spread(weights, alpha), aleatoric(weights, alpha)
    known = lambda w, a: entropy(mean(w, a))
    error, distance = manhattan(weights, alpha), wasserstein(weights, alpha, places)
    # Var(M) of the mean place M = s^T p: covariances of each component and of the components' means.
    variance = 0.0
    for w, a in zip(weights, alpha):
        s = a.sum()
        c = (np.diag(a / s) - np.outer(a, a) / s**2) / (s + 1)
        variance += w * (places @ c @ places + ((a / s - m) @ places) ** 2)
    move = lambda k: variance - after(weights, alpha, k, lambda w, a: (place(w, a) - m @ places) ** 2)
    renewed = update(weights, alpha, labels)
    cdf = lambda x, j: sum(w * beta.cdf(x, a[j], a.sum() - a[j]) for w, a in zip(weights, alpha))
    return {
        "weights": weights.tolist(),
        "alpha": alpha.tolist(),
        "labels": labels,
        "weights_after": renewed[0].tolist(),
        "mean_after": mean(*renewed).tolist(),
        "mean": m.tolist(),
        "total": entropy(m),
        "aleatoric": disagreement,
        "epistemic": entropy(m) - disagreement,
        "spread": v,
        "evidence": (1 - m @ m) / v - 1,
        "epistemic_after": [after(weights, alpha, k, known) - disagreement for k in (1, 2, 4)],
        "spread_after": [after(weights, alpha, k, spread) for k in (1, 2)],
        "manhattan_reduction": [error - after(weights, alpha, k, manhattan) for k in (1, 2)],
        "wasserstein": distance,
        "wasserstein_reduction": [distance - after(weights, alpha, k, lambda w, a: wasserstein(w, a, places)) for k in (1, 2)],
        "place_variance": variance,
        "place_variance_after": [move(k) for k in (1, 3)],
        "quantiles": [[brentq(lambda x, u=u, j=j: cdf(x, j) - u, 0, 1, xtol=1e-15) for u in (0.025, 0.5, 0.9)] for j in range(len(m))],
    }


CASES = [
    case([0.7, 0.3], [[6.0, 2.0], [1.5, 4.5]], [1, 3]),
    case([0.5, 0.2, 0.3], [[3.0, 1.2, 0.8], [0.6, 5.0, 2.0], [8.0, 8.0, 24.0]], [0, 2, 1]),
    case([0.25, 0.25, 0.4, 0.1], [[1.1, 0.7, 2.0, 0.9], [12.0, 3.0, 1.5, 1.0], [2.0, 2.0, 2.0, 2.0], [0.8, 30.0, 1.0, 5.0]], [3, 0, 1, 1]),
]
print(json.dumps({"made_with": {"numpy": np.__version__, "scipy": scipy.__version__}, "cases": CASES}, indent=1))
