"""Computes what a belief about ordinal ratings answers, sharing no code with the program, and draws a small study.

Python 3.11 with numpy 2.4.6, scipy 1.17.1, scikit-learn 1.9.1 and mpmath 1.4.1: `python make.py` rewrites items.csv,
judge.csv, labels.csv and expected.json.

Parts are computed at 60 digits, at exactly the doubles given, from the second moments of the Dirichlet distribution.
Mean absolute deviations of beta variables come from incomplete beta functions (and, where the shapes are moderate, from
quadrature as well, which must agree). What k labels do is enumerated: all sequences of labels for small k, the
beta-binomial number of labels below each cut for larger k. Nothing here uses the closed forms of the program.
"""

import csv
import functools
import itertools
import json
from fractions import Fraction

import mpmath as mp
import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln
from scipy.stats import spearmanr, wasserstein_distance
from sklearn.metrics import cohen_kappa_score

mp.mp.dps = 60
CLASSES = ["very_poor", "poor", "fair", "good", "excellent"]
PLACES = [-2.0, -1.0, 0.0, 1.0, 2.5]


def incomplete(a, b):
    """Regularised incomplete beta function I_m(a, b) and I_m(a + 1, b) at m = a / (a + b)."""
    m = a / (a + b)
    low = mp.betainc(a, b, 0, m, regularized=True)
    # I_x(a + 1, b) = I_x(a, b) - x^a (1 - x)^b / (a B(a, b)) holds, but would be the closed form again.
    return low, mp.betainc(a + 1, b, 0, m, regularized=True)


@functools.cache
def deviation(a, b):
    """E|x - m| = 2 (m P(x < m) - E[x; x < m]) for x ~ Beta(a, b) with mean m; E[x; x < m] = m I_m(a + 1, b)."""
    if a <= 0 or b <= 0:
        return mp.mpf(0)
    a, b = mp.mpf(a), mp.mpf(b)
    if a + b > 2000:
        return integrated_deviation(a, b)
    low, shifted = incomplete(a, b)
    return 2 * a / (a + b) * (low - shifted)


def integrated_deviation(a, b):
    """The same by quadrature against the beta density, 60 standard deviations to each side of the mean."""
    a, b = mp.mpf(a), mp.mpf(b)
    s, m = a + b, a / (a + b)
    sd = mp.sqrt(m * (1 - m) / (s + 1))
    scale = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(s)
    density = lambda x: mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - scale) if 0 < x < 1 else mp.mpf(0)
    ends = [0] + [m - k * sd for k in (60, 20, 8, 4, 2, 1) if m - k * sd > 0] + [m]
    ends += [m + k * sd for k in (1, 2, 4, 8, 20, 60) if m + k * sd < 1] + [1]
    if s > 2000:
        ends = [x for x in ends if abs(x - m) <= 61 * sd]
    with mp.workdps(40):
        return mp.quad(lambda x: abs(x - m) * density(x), ends)


def cuts(alpha):
    """Evidence below and above each cut between neighbouring classes."""
    return [(mp.fsum(alpha[: k + 1]), mp.fsum(alpha[k + 1 :])) for k in range(len(alpha) - 1)]


def expected_wasserstein(alpha, places):
    gaps = [places[k + 1] - places[k] for k in range(len(places) - 1)]
    return mp.fsum(gap * deviation(a, b) for gap, (a, b) in zip(gaps, cuts(alpha)))


def parts(alpha, places):
    """Variance of the place of a fresh label and its parts, from E[p_j p_k] = a_j (a_k + [j = k]) / (e (e + 1))."""
    e = mp.fsum(alpha)
    mean = mp.fsum(s * a for s, a in zip(places, alpha)) / e
    square = mp.fsum(s * s * a for s, a in zip(places, alpha)) / e
    second = mp.fsum(
        s * t * a * (b + (1 if j == k else 0)) / (e * (e + 1))
        for (j, (s, a)), (k, (t, b)) in itertools.product(enumerate(zip(places, alpha)), repeat=2)
    )
    return {"mean_place": mean, "total": square - mean**2, "aleatoric": square - second, "epistemic": second - mean**2}


def after(alpha, labels, value):
    """Expectation of value(alpha + labels) over all sequences of that many labels drawn from the belief."""
    if labels == 0:
        return value(alpha)
    e = mp.fsum(alpha)
    grown = lambda j: [a + (1 if j == k else 0) for k, a in enumerate(alpha)]
    return mp.fsum(a / e * after(grown(j), labels - 1, value) for j, a in enumerate(alpha) if a > 0)


def beta_binomial(a, b, k, i):
    return mp.binomial(k, i) * mp.beta(a + i, b + k - i) / mp.beta(a, b)


def wasserstein_reduction(alpha, places, labels):
    fall = mp.mpf(0)
    for k, (a, b) in enumerate(cuts(alpha)):
        if a > 0 and b > 0:
            later = mp.fsum(
                beta_binomial(a, b, labels, i) * deviation(a + i, b + labels - i) for i in range(labels + 1)
            )
            fall += (places[k + 1] - places[k]) * (deviation(a, b) - later)
    return fall


def belief(alpha, places, sequences):
    exact_alpha, exact_places = [mp.mpf(a) for a in alpha], [mp.mpf(s) for s in places]
    now = parts(exact_alpha, exact_places)
    epistemic_after = {
        k: after(exact_alpha, k, lambda later: parts(later, exact_places)["epistemic"]) for k in range(1, sequences + 2)
    }
    epistemic_after[0] = now["epistemic"]
    reductions = {k: wasserstein_reduction(exact_alpha, exact_places, k) for k in (1, 3, 10)}
    if sequences >= 3:
        error = lambda later: expected_wasserstein(later, exact_places)
        enumerated = error(exact_alpha) - after(exact_alpha, 3, error)
        assert abs(enumerated / reductions[3] - 1) < mp.mpf(10) ** -25
    return {
        "alpha": alpha,
        "places": places,
        **now,
        "label_value": epistemic_after[0] - epistemic_after[1],
        "after": [
            {"labels": k, "epistemic": epistemic_after[k], "label_value": epistemic_after[k] - epistemic_after[k + 1]}
            for k in range(1, sequences + 1)
        ],
        "expected_wasserstein": expected_wasserstein(exact_alpha, exact_places),
        "reductions": [{"labels": k, "wasserstein": reductions[k]} for k in sorted(reductions)],
    }


def beliefs():
    cases = [
        ([0.4, 0.8, 2.6, 1.8, 0.4], [1.0, 2.0, 3.0, 4.0, 5.0], 3),
        ([1.5, 2.25], [0.0, 1.0], 3),
        ([0.3, 0.9, 4.0], [-2.0, 0.5, 7.0], 3),
        ([0.05, 0.01, 0.2, 0.04], [0.0, 1.0, 2.0, 3.0], 3),
        ([12.0, 30.5, 7.25], [-1.0, 0.0, 1.0], 3),
        ([0.0, 2.0, 5.0], [1.0, 2.0, 4.0], 3),
        ([0.0, 0.0, 5.0], [1.0, 2.0, 4.0], 1),
        ([3.0, 1.0, 2.0], [1000001.0, 1000002.0, 1000003.0], 1),
        ([40.0, 0.5, 900.0, 60.25, 3.0, 8.0, 1.0], [0.0, 0.1, 0.3, 0.7, 1.5, 3.1, 6.3], 1),
        ([1e-3, 2e-3, 1e-3], [1.0, 2.0, 3.0], 1),
        ([2.5e5, 7.5e5, 1e5], [1.0, 2.0, 3.0], 1),
    ]
    return [belief(*case) for case in cases]


def deviations():
    shapes = [
        (1e-6, 1e-6), (1e-4, 3.0), (0.02, 0.01), (0.5, 0.5), (1.0, 1.0), (2.5, 7.25), (9.9, 10.1), (31.0, 0.3),
        (120.0, 45.5), (1000.5, 2.0), (3e4, 7e4), (3e5, 7e5), (1e6, 4.0),
    ]
    for a, b in shapes:
        if min(a, b) >= 0.5 and a + b <= 2000:
            assert abs(integrated_deviation(a, b) / deviation(a, b) - 1) < mp.mpf(10) ** -18, (a, b)
    return [{"a": a, "b": b, "deviation": deviation(a, b)} for a, b in shapes]


def quadratic_kappa(places, first, second):
    """1 - observed / expected disagreement with weights (s_a - s_b)^2, by the table of pairs."""
    k, n = len(places), len(first)
    table = np.zeros((k, k))
    np.add.at(table, (first, second), 1.0 / n)
    weights = np.subtract.outer(np.array(places), np.array(places)) ** 2
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    return 1.0 - (weights * table).sum() / (weights * expected).sum()


def kappas(rng):
    cases = []
    for places in [[1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0, 4.0], [-2.0, 0.5, 7.0], [-2.0, -1.0, 0.0, 1.0, 2.5]]:
        for agreement in (0.0, 0.5, 0.9):
            k = len(places)
            first = rng.integers(k, size=50)
            second = np.where(rng.random(50) < agreement, first, rng.integers(k, size=50))
            kappa = quadratic_kappa(places, first, second)
            if len(set(np.diff(places))) == 1:
                theirs = cohen_kappa_score(first, second, labels=range(k), weights="quadratic")
                assert abs(kappa - theirs) < 1e-14
                kappa = theirs
            cases.append({"places": places, "first": first.tolist(), "second": second.tolist(), "kappa": kappa})
    return cases


def draw(rng):
    """60 items with 24 labels each, drawn around a judge that is worth about five labels; no two classes tie for the most
    labels or for the highest probability."""
    judge, labels = [], []
    while len(judge) < 60:
        stated = np.round(0.03 + 0.85 * rng.dirichlet(0.6 + 2.0 * np.exp(-((np.arange(5) - 4 * rng.random()) ** 2))), 3)
        stated[4] = np.round(1.0 - stated[:4].sum(), 3)
        counts = rng.multinomial(24, rng.dirichlet(5.0 * stated / stated.sum()))
        top, likeliest = np.sort(counts)[::-1], np.sort(stated)[::-1]
        if top[0] > top[1] and likeliest[0] > likeliest[1] and stated.min() >= 0.03:
            judge.append(stated)
            labels.append(counts)
    names = [f"o{i:02}" for i in range(60)]
    for file, header, rows in [
        ("items.csv", ["id", "text"], [[name, f"Answer {name[1:]}"] for name in names]),
        ("judge.csv", ["id", *(f"p_{c}" for c in CLASSES)], [[n, *(f"{p:.3f}" for p in q)] for n, q in zip(names, judge)]),
        ("labels.csv", ["id", *(f"n_{c}" for c in CLASSES)], [[n, *c] for n, c in zip(names, labels)]),
    ]:
        with open(file, "w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([header, *rows])


def read():
    rows = lambda file: list(csv.reader(open(file)))[1:]
    q = np.array([[float(p) for p in row[1:]] for row in rows("judge.csv")])
    counts = np.array([[int(n) for n in row[1:]] for row in rows("labels.csv")])
    return q / q.sum(axis=1, keepdims=True), counts


def fit(q, counts):
    """Intercept beta of ln lambda at the maximum of the Dirichlet-multinomial likelihood: the root of its slope at 60 digits,
    checked against a search."""
    n = counts.sum(axis=1)

    def value(beta):
        trust = np.exp(beta)
        return (
            (gammaln(trust) - gammaln(trust + n)).sum() + (gammaln(trust * q + counts) - gammaln(trust * q)).sum()
        )

    def slope(beta):
        trust = mp.exp(beta)
        return trust * (
            mp.fsum(mp.digamma(trust) - mp.digamma(trust + int(m)) for m in n)
            + mp.fsum(
                mp.mpf(p) * (mp.digamma(trust * mp.mpf(p) + int(c)) - mp.digamma(trust * mp.mpf(p)))
                for p, c in zip(q.ravel(), counts.ravel())
            )
        )

    search = minimize_scalar(lambda beta: -value(beta), bounds=(-3, 6), method="bounded", options={"xatol": 1e-10})
    with mp.workdps(30):
        beta = mp.findroot(slope, search.x)
        h = mp.mpf(10) ** -8
        curvature = (slope(beta + h) - slope(beta - h)) / (2 * h)
        trust = mp.exp(beta)
        log_likelihood = mp.fsum(mp.loggamma(trust) - mp.loggamma(trust + int(m)) for m in n) + mp.fsum(
            mp.loggamma(trust * mp.mpf(p) + int(c)) - mp.loggamma(trust * mp.mpf(p))
            for p, c in zip(q.ravel(), counts.ravel())
        )
    assert abs(float(beta) - search.x) < 1e-6
    assert abs(float(log_likelihood) - value(float(beta))) < 1e-9 * abs(value(float(beta)))
    return {"intercept": beta, "standard_error": 1 / mp.sqrt(-curvature), "log_likelihood": log_likelihood}


def study():
    q, counts = read()
    shares = counts / counts.sum(axis=1, keepdims=True)
    found = fit(q, counts)
    trust, places = mp.exp(found["intercept"]), [mp.mpf(s) for s in PLACES]
    items = []
    for p, c in zip(q, counts):
        alpha = [trust * mp.mpf(x) + int(k) for x, k in zip(p, c)]
        now = parts(alpha, places)
        evidence = mp.fsum(alpha)
        nats = [a / evidence for a in alpha]
        entropy = -mp.fsum(m * mp.log(m) for m in nats)
        disagreement = mp.digamma(evidence + 1) - mp.fsum(m * mp.digamma(a + 1) for m, a in zip(nats, alpha))
        items.append(
            {
                "evidence": evidence,
                **now,
                "v": now["epistemic"],
                "delta": now["epistemic"] - after(alpha, 1, lambda later: parts(later, places)["epistemic"]),
                "wasserstein": wasserstein_reduction(alpha, places, 1),
                "total_nats": entropy,
                "aleatoric_nats": disagreement,
                "epistemic_nats": entropy - disagreement,
            }
        )
    columns = {name: [float(item[name]) for item in items] for name in items[0]}
    # Exact fractions, so that equal means tie.
    exact = [Fraction(s) for s in PLACES]
    label_means = [sum(s * int(n) for s, n in zip(exact, c)) / int(c.sum()) for c in counts]
    ranks = {value: k for k, value in enumerate(sorted(set(label_means)))}
    assert len(ranks) < len(label_means)
    judge_means = q @ PLACES
    assert np.diff(np.sort(judge_means)).min() > 1e-9
    errors = [wasserstein_distance(PLACES, PLACES, a, b) for a, b in zip(q, shares)]
    return {
        "classes": CLASSES,
        "places": PLACES,
        "fit": found,
        "items": columns,
        "judge": {
            "mean_wasserstein": float(np.mean(errors)),
            "quadratic_kappa": quadratic_kappa(PLACES, counts.argmax(axis=1), q.argmax(axis=1)),
            "spearman_mean_place": float(spearmanr(judge_means, [ranks[m] for m in label_means]).statistic),
            "bias_of_mean_place": float(np.mean((q - shares) @ PLACES)),
        },
    }


def plain(value):
    """The same with every number as the nearest double."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return float(value) if isinstance(value, (mp.mpf, np.floating)) else value


rng = np.random.default_rng(20260942)
draw(rng)
expected = {"beliefs": beliefs(), "deviations": deviations(), "kappas": kappas(rng), "study": study()}
with open("expected.json", "w") as out:
    json.dump(plain(expected), out, indent=1)
    out.write("\n")
