"""Maps of the ladder, fitted by an independent program: SciPy's gamma functions and search, derivatives by differences.

    python make.py > expected.json          (Python 3.11, NumPy 2, SciPy 1.14 or later)

Items are drawn here and written with the fits. Biases are coordinates in an orthonormal basis from a QR factorisation, which is not
the program's; independent equal priors do not know the difference. Each variance is at MacKay's fixed point.
"""

import json

import numpy as np
import scipy
from scipy.optimize import brentq, minimize
from scipy.special import gammaln, softmax
from scipy.stats import chi2

RNG = np.random.default_rng(20261122)
N, K = 60, 3
GONE = 1e-9  # variance of a block that is left out
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)  # the program takes 7
WEIGHTS = WEIGHTS / WEIGHTS.sum()
BASIS = np.linalg.qr(np.column_stack([np.ones(K), np.eye(K)[:, :2]]))[0][:, 1:]


def draw():
    q = RNG.dirichlet([1.5] * K, N)
    noise = RNG.dirichlet([1.0] * K, N)
    variants = [0.5 * q + 0.5 * noise, q]
    groups = np.arange(N) % 2
    x = RNG.normal(size=N)
    x = (x - x.mean()) / x.std()
    logits = 0.5 * np.log(q) + np.outer(np.where(groups == 0, 1, -1), [0.8, 0, -0.8])
    counts = np.zeros((N, K), dtype=int)
    for i in range(N):
        p = RNG.dirichlet(np.exp(1.5 + 0.4 * x[i]) * softmax(logits[i]) + 1e-6)
        counts[i] = RNG.multinomial(RNG.integers(0, 11), p)
    return q, variants, groups, x, counts


def smoothed(share, q):
    return (1 - share) * q + share / K


def share_of_guesses(rung, q, variants, groups, x, counts):
    """The share at which the labels and a Beta(1, 10) prior are likeliest under smoothing, or with a temperature and biases of variance 1."""
    if rung == "identity":
        return 0.0
    n = counts.sum(axis=1)

    def minus(w):
        r = smoothed(w[-1] ** 2, q)
        logs = np.log(r) - np.log(r).mean(axis=1, keepdims=True)
        more = np.append(w[2:-1], np.zeros(K - len(w[2:-1])))
        trust, mean = np.exp(w[0] + w[1] * x), softmax(np.log(r) + more[0] * logs + BASIS @ more[1:], axis=1)
        a = trust[:, None] * mean
        value = (gammaln(trust) - gammaln(trust + n)).sum() + (gammaln(a + counts) - gammaln(a)).sum()
        return -value + (w[0] - np.log(8)) ** 2 / 2 + w[1] ** 2 * 2 + (w[2:-1] ** 2).sum() / 2 - 9 * np.log1p(-w[-1] ** 2)

    size = 3 if rung == "smoothing" else 3 + K
    starts = [np.r_[np.log(8), np.zeros(size - 2), root] for root in (0.05, 0.3, 0.7)]
    bounds = [(None, None)] * (size - 1) + [(0, 0.995)]
    best = min((minimize(minus, w, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14, "gtol": 1e-8, "maxiter": 1000}) for w in starts),
               key=lambda found: found.fun)
    return best.x[-1] ** 2


def blocks_of(rung, q, variants, groups):
    """Blocks of terms: per item a K-vector for each parameter."""
    logs = np.log(q) - np.log(q).mean(axis=1, keepdims=True)
    biases = lambda f: [f[:, None] * BASIS[:, m] for m in range(K - 1)]
    blocks = []
    if rung not in ("identity", "smoothing"):
        blocks.append([logs] + biases(np.ones(N)))
    if rung in ("groups", "ensemble", "matrix"):
        blocks.append([t for g in range(2) for t in [(groups == g)[:, None] * logs] + biases((groups == g) * 1.0)])
    if rung == "ensemble":
        blocks.append([np.log(v) - np.log(v).mean(axis=1, keepdims=True) - logs for v in variants])
    if rung == "matrix":
        blocks.append([t for j in range(K) for t in biases(logs[:, j])])
    return blocks


def fit(rung, q, variants, groups, x, counts):
    share = share_of_guesses(rung, q, variants, groups, x, counts)
    q, variants = smoothed(share, q), [smoothed(share, v) for v in variants]
    blocks = blocks_of(rung, q, variants, groups)
    terms = np.array([t for block in blocks for t in block]).reshape(-1, N, K)
    sizes = [len(block) for block in blocks]
    edges = np.cumsum([2] + sizes)
    n = counts.sum(axis=1)

    def parts(w):
        return np.exp(w[0] + w[1] * x), softmax(np.log(q) + np.tensordot(w[2:], terms, 1), axis=1)

    def minus(w, precision):
        trust, mean = parts(w)
        a = trust[:, None] * mean
        value = (gammaln(trust) - gammaln(trust + n)).sum() + (gammaln(a + counts) - gammaln(a)).sum()
        return -value + 0.5 * ((w - centre) ** 2 * precision).sum()

    centre = np.zeros(2 + len(terms))
    centre[0] = np.log(8)

    def gradient(w, precision, h=1e-5):
        g = np.empty_like(w)
        for k in range(len(w)):
            e = np.zeros_like(w)
            e[k] = h
            g[k] = (8 * (minus(w + e, precision) - minus(w - e, precision))
                    - (minus(w + 2 * e, precision) - minus(w - 2 * e, precision))) / (12 * h)
        return g

    def hessian(w, precision, h=1e-3):
        rows = []
        for k in range(len(w)):
            e = np.zeros_like(w)
            e[k] = h
            rows.append((gradient(w + e, precision) - gradient(w - e, precision)) / (2 * h))
        return 0.5 * (np.array(rows) + np.array(rows).T)

    variances, w = np.full(len(sizes), 0.1), centre.copy()
    for _ in range(300):
        precision = np.ones(len(w))
        precision[1] = 0.5**-2
        for b, s in enumerate(variances):
            precision[edges[b]:edges[b + 1]] = 1 / s
        w = minimize(minus, w, (precision,), "BFGS", jac=gradient, options={"gtol": 1e-7}).x
        covariance = np.linalg.inv(hessian(w, precision))
        fresh = []
        for b, s in enumerate(variances):
            own = slice(edges[b], edges[b + 1])
            determined = sizes[b] - np.trace(covariance[own, own]) / s
            new = np.clip((w[own] ** 2).sum() / max(determined, 1e-9), max(s / 10, 1e-4), min(s * 10, 100))
            fresh.append(GONE if new <= 1e-4 or s == GONE else new)
        moved = np.abs(np.log(np.array(fresh) / variances)).max(initial=0)
        variances = np.array(fresh)
        if moved < 1e-4:
            break
    def profile(at, others=w[1:]):
        held = lambda v: minus(np.r_[at, v], precision) - 0.5 * (at - centre[0]) ** 2
        slope = lambda v: gradient(np.r_[at, v], precision)[1:]
        return -minimize(held, others, method="BFGS", jac=slope, options={"gtol": 1e-6}).fun

    top = -minimize(lambda at: -profile(at[0]), [w[0]], method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-8}).fun
    fallen = lambda at: profile(at) - top + chi2.ppf(0.95, 1) / 2
    ends = [brentq(fallen, w[0], limit, xtol=1e-5) if fallen(limit) < 0 else None for limit in (np.log(1e-3), np.log(1e6))]
    trust, mean = parts(w)
    lowered = []
    for i in range(N):
        jacobian = np.diag(mean[i]) - np.outer(mean[i], mean[i])
        logits = terms[:, i].T @ covariance[2:, 2:] @ terms[:, i] if len(terms) else np.zeros((K, K))
        variance = np.trace(jacobian @ logits @ jacobian)
        gini = 1 - (mean[i] ** 2).sum()
        z = np.array([1, x[i]])
        r = WEIGHTS @ (1 / (1 + trust[i] * np.exp(np.sqrt(z @ covariance[:2, :2] @ z) * NODES)))
        expected = (max(r, 1 / (1 + trust[i])) * (gini - variance) + variance) / gini
        lowered.append(1 / max(expected, 1 / (1 + trust[i])) - 1)
    return {"rung": rung, "guesses": share, "coefficients": w[:2].tolist(), "variances": np.where(variances == GONE, 0, variances).tolist(), "mean": mean.tolist(),
            "known": trust.tolist(), "trust": lowered, "interval": ends}


if __name__ == "__main__":
    data = draw()
    q, variants, groups, x, counts = data
    fits = [fit(rung, *data) for rung in ("identity", "smoothing", "temperature", "groups", "ensemble", "matrix")]
    print(json.dumps({"scipy": scipy.__version__, "q": q.tolist(), "variants": [v.tolist() for v in variants],
                      "groups": groups.tolist(), "x": x.tolist(), "counts": counts.tolist(), "fits": fits}, indent=1))
