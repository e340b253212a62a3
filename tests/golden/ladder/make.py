"""Maps of the ladder, fitted by an independent program: SciPy's gamma functions and search, second derivatives by differences.

    python make.py > expected.json          (Python 3.11, NumPy 2, SciPy 1.14 or later)

Items are drawn here and written with the fits. Biases are coordinates in an orthonormal basis from a QR factorisation, which is not
the program's; independent equal priors do not know the difference. Each variance is at MacKay's fixed point.
"""

import json

import numpy as np
import scipy
from scipy.optimize import brentq, check_grad, minimize
from scipy.special import digamma, gammaln, softmax
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


def guess(counts, leave_out):
    """What a guess is for each item: Laplace's estimate of the distribution of labels, items counted alike, the item itself left out or not."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    seen = 1 + shares.sum(axis=0) - (shares if leave_out else 0 * shares)
    return seen / seen.sum(axis=1, keepdims=True)


def smoothed(share, q, guesses):
    return (1 - share) * q + share * guesses


def share_of_guesses(rung, q, variants, groups, x, counts, added):
    """The share at which labels, other priors and a Beta(1, 10) one are likeliest with a temperature and biases of variance 1; with guesses
    alone s times where they are likeliest without that prior, s = L^2 / (L^2 + 9), L by how many nats they are likelier than at no share."""
    if rung == "identity":
        return 0.0
    n, guesses = counts.sum(axis=1), guess(counts, True)
    against = 0 if rung == "guesses" else 9

    def minus(w, root=None):
        root, others = (w[-1], w[:-1]) if root is None else (root, w)
        r = smoothed(root**2, q, guesses)
        more = others[2:]
        terms = terms_of(with_start(blocks_of(min(rung, "temperature", key=ORDER.index), r, [], groups), added))
        trust, mean = np.exp(others[0] + others[1] * x), softmax(np.log(r) + added + np.tensordot(more, terms, 1), axis=1)
        a = trust[:, None] * mean
        value = (gammaln(trust) - gammaln(trust + n)).sum() + (gammaln(a + counts) - gammaln(a)).sum()
        return -value + (others[0] - np.log(8)) ** 2 / 2 + others[1] ** 2 * 2 + (more**2).sum() / 2 - against * np.log1p(-(root**2))

    options = {"ftol": 1e-14, "gtol": 1e-8, "maxiter": 2000, "maxfun": 200000}
    size = 2 + len(terms_of(with_start(blocks_of(min(rung, "temperature", key=ORDER.index), q, [], groups), added)))
    centre = np.r_[np.log(8), np.zeros(size - 1)]
    bounds = [(None, None)] * size + [(0, 0.99**0.5)]
    searches = (minimize(minus, np.r_[centre, root], method="L-BFGS-B", bounds=bounds, options=options) for root in (0.05, 0.3, 0.7))
    best = min(searches, key=lambda found: found.fun)
    if against:
        return best.x[-1] ** 2
    without = minimize(minus, centre, (0.0,), method="L-BFGS-B", options=options)
    lead = max(without.fun - best.fun, 0.0)
    return best.x[-1] ** 2 * lead**2 / (lead**2 + 9)


ORDER = ["identity", "guesses", "temperature", "groups"]


def blocks_of(rung, q, variants, groups, whole=None):
    """Blocks of terms: per item a K-vector for each parameter. `whole` is what `q` and `variants` are where guesses know all labels."""
    logs = np.log(q) - np.log(q).mean(axis=1, keepdims=True)
    biases = lambda f: [f[:, None] * BASIS[:, m] for m in range(K - 1)]
    blocks = []
    if rung in ("temperature", "groups"):
        blocks.append([logs] + biases(np.ones(N)))
    if rung == "groups":
        blocks.append([t for g in range(2) for t in [(groups == g)[:, None] * logs] + biases((groups == g) * 1.0)])
    return blocks


def error_of(mean, terms, covariance):
    """Squared error of an item's mean that comes from what is unknown of the terms' weights."""
    jacobian = np.diag(mean) - np.outer(mean, mean)
    logits = terms.T @ covariance @ terms if len(terms) else np.zeros((K, K))
    return np.trace(jacobian @ logits @ jacobian)


def with_start(blocks, added):
    """With the term of a map from another study, if it adds anything: a block of its own, after the others."""
    return [*blocks, [added]] if np.any(added) else blocks


def terms_of(blocks):
    return np.array([t for block in blocks for t in block]).reshape(-1, N, K)


def fit(rung, q, variants, groups, x, counts, start=None, of=None):
    """The fit as results have it. `start` is what a map from another study adds to the logits of each item, and the squared error
    of its mean there that is unknown; `of` is called with (q, groups) of further items and gets what this map adds to theirs."""
    added, unknown = (np.zeros((N, K)), np.zeros(N)) if start is None else start
    share = share_of_guesses(rung, q, variants, groups, x, counts, added)
    # Labels are fitted with guesses that do not know them; items without labels are read with all.
    read, *of_variants = [[smoothed(share, p, guess(counts, leave_out)) for leave_out in (True, False)] for p in [q, *variants]]
    of_variants = [[of[at] for of in of_variants] for at in (0, 1)]
    all_blocks = [with_start(blocks_of(rung, read[at], of_variants[at], groups, (read[1], of_variants[1])), added) for at in (0, 1)]
    all_terms = [terms_of(blocks) for blocks in all_blocks]
    blocks = all_blocks[0]
    sizes = [len(block) for block in blocks]
    edges = np.cumsum([2] + sizes)
    n = counts.sum(axis=1)

    def parts(w, at=0):
        return np.exp(w[0] + w[1] * x), softmax(np.log(read[at]) + added + np.tensordot(w[2:], all_terms[at], 1), axis=1)

    def minus(w, precision):
        trust, mean = parts(w)
        a = trust[:, None] * mean
        value = (gammaln(trust) - gammaln(trust + n)).sum() + (gammaln(a + counts) - gammaln(a)).sum()
        return -value + 0.5 * ((w - centre) ** 2 * precision).sum()

    centre = np.zeros(2 + len(all_terms[0]))
    centre[0] = np.log(8)

    def gradient(w, precision):
        trust, mean = parts(w)
        a = trust[:, None] * mean
        of_class = digamma(a + counts) - digamma(a)
        over = (mean * of_class).sum(axis=1)
        of_log_trust = trust * (digamma(trust) - digamma(trust + n) + over)
        of_logits = a * (of_class - over[:, None])
        slope = np.r_[of_log_trust.sum(), (of_log_trust * x).sum(), np.tensordot(all_terms[0], of_logits, 2)]
        return -slope + (w - centre) * precision

    def hessian(w, precision, h=1e-4):
        rows = []
        for k in range(len(w)):
            e = np.zeros_like(w)
            e[k] = h
            near, far = (gradient(w + by * e, precision) - gradient(w - by * e, precision) for by in (1, 2))
            rows.append((8 * near - far) / (12 * h))
        return 0.5 * (np.array(rows) + np.array(rows).T)

    assert check_grad(minus, gradient, centre + 0.1, np.ones(len(centre))) < 1e-3
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
            square = (w[own] ** 2).sum()
            # The weight of another study's map has a prior on its variance, 0.25, which counts as one such weight.
            wanted = (square + 0.25) / (determined + 1) if b == len(sizes) - 1 and start is not None else square / max(determined, 1e-9)
            new = np.clip(wanted, max(s / 10, 1e-4), min(s * 10, 100))
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
    weight = 1 + w[-1] if start is not None else 1
    unsure = lambda mean, terms: error_of(mean, terms, covariance[2:, 2:])
    (trust, mean), terms = parts(w, 1), all_terms[1]
    lowered = []
    for i in range(N):
        variance = unsure(mean[i], terms[:, i]) + weight**2 * unknown[i]
        gini = 1 - (mean[i] ** 2).sum()
        z = np.array([1, x[i]])
        r = WEIGHTS @ (1 / (1 + trust[i] * np.exp(np.sqrt(z @ covariance[:2, :2] @ z) * NODES)))
        expected = (r * (gini - variance) + variance) / gini
        lowered.append(1 / max(expected, 1 / (1 + trust[i])) - 1)
    if of is not None:
        def carry(q, groups):
            r = smoothed(share, q, guess(counts, False)[:1])
            terms = terms_of(blocks_of(rung, r, [], groups))
            mean = softmax(np.log(r) + np.tensordot(w[2:], terms, 1), axis=1)
            logits = np.log(mean) - np.log(q)
            return logits - logits.mean(axis=1, keepdims=True), np.array([unsure(mean[i], terms[:, i]) for i in range(N)])
        of(carry)
    return {"rung": rung, "guesses": share, "coefficients": w[:2].tolist(), "variances": np.where(variances == GONE, 0, variances).tolist(), "mean": mean.tolist(),
            "known": trust.tolist(), "trust": lowered, "interval": ends}


if __name__ == "__main__":
    data = draw()
    q, variants, groups, x, counts = data
    fits = [fit(rung, *data) for rung in ORDER]
    print(json.dumps({"scipy": scipy.__version__, "q": q.tolist(), "variants": [v.tolist() for v in variants],
                      "groups": groups.tolist(), "x": x.tolist(), "counts": counts.tolist(), "fits": fits}, indent=1))
