"""What the counts-only advantage of Experiment 2 is (Delta under counts-only trust less judge entropy under full trust, B = 10%, 200
replicates) where its formulas are written in other forms that are equal in exact arithmetic.

    python forms.py ../../../data/chaosnli > forms.csv

Eight forms of the likelihood, fitted by `scipy.optimize.minimize(method="BFGS")`; four forms of Delta; NumPy's default sort and its stable
one. On a processor with AVX-512, which decides the last bits.
"""

import copy
import multiprocessing
import sys

import replicates
from replicates import HIGH, LOW, np, gammaln, minimize

REPLICATES = 200
BUDGETS = (1, 5, 10, 20)


def likelihoods(rows, q, c, n):
    def trust(beta):
        return np.exp(np.clip(rows @ beta, LOW, HIGH))

    def evidence(beta):
        a0 = trust(beta)
        return a0, a0[:, None] * q

    def rises(a):
        return gammaln(a + c) - gammaln(a)

    def terms(beta):
        a0, a = evidence(beta)
        return (gammaln(a0) - gammaln(a0 + n) + rises(a).sum(axis=1)).sum()

    def parts(beta):
        a0, a = evidence(beta)
        return gammaln(a0).sum() - gammaln(a0 + n).sum() + gammaln(a + c).sum() - gammaln(a).sum()

    def turned(beta):
        a0, a = evidence(beta)
        return np.sum(gammaln(a0) - gammaln(n + a0) + np.sum(gammaln(c + a) - gammaln(a), axis=1))

    def intercept_apart(beta):
        a0 = np.exp(np.clip(beta[0] + rows[:, 1:] @ beta[1:], LOW, HIGH))
        return (gammaln(a0) - gammaln(a0 + n) + rises(a0[:, None] * q).sum(axis=1)).sum()

    def two_sums(beta):
        a0, a = evidence(beta)
        return (gammaln(a0) - gammaln(a0 + n) + gammaln(a + c).sum(axis=1) - gammaln(a).sum(axis=1)).sum()

    def textbook(beta):
        a = evidence(beta)[1]
        a0 = a.sum(axis=1)
        return (gammaln(a0) - gammaln(a0 + n) + rises(a).sum(axis=1)).sum()

    def by_class(beta):
        a0 = trust(beta)
        sum_ = gammaln(a0) - gammaln(a0 + n)
        for j in range(q.shape[1]):
            sum_ = sum_ + gammaln(a0 * q[:, j] + c[:, j]) - gammaln(a0 * q[:, j])
        return sum_.sum()

    def by_class_in_pairs(beta):
        a0 = trust(beta)
        sum_ = gammaln(a0) - gammaln(a0 + n)
        for j in range(q.shape[1]):
            sum_ = sum_ + (gammaln(a0 * q[:, j] + c[:, j]) - gammaln(a0 * q[:, j]))
        return sum_.sum()

    return [terms, parts, turned, intercept_apart, two_sums, textbook, by_class, by_class_in_pairs]


def deltas(alpha):
    a0 = alpha.sum(axis=1)
    m = alpha / a0[:, None]
    gini, products = 1 - (m**2).sum(axis=1), m * (1 - m)
    return {
        "gini": gini / (a0 + 1) ** 2,
        "spread": gini / (a0 + 1) / (a0 + 1),
        "products": products.sum(axis=1) / (a0 + 1) ** 2,
        "products of a class": (products / (a0 + 1)[:, None]).sum(axis=1) / (a0 + 1),
    }


def bought(rule, order, alpha, left, truth, rng):
    """Error that one label each of the first 10% removes; rules before this one have made their draws."""
    sizes = [len(alpha) * budget // 100 for budget in BUDGETS]
    rng.random(rule * sum(sizes) + sizes[0] + sizes[1])
    top = order[: sizes[2]]
    drawn = rng.random(len(top))
    shares = np.cumsum(left[top] / left[top].sum(axis=1, keepdims=True), axis=1)
    after = alpha[top].copy()
    after[np.arange(len(top)), np.minimum((drawn[:, None] > shares).sum(axis=1), 2)] += 1
    error = lambda a: np.abs(a / a.sum(axis=1, keepdims=True) - truth[top]).sum(axis=1)
    return float((error(alpha[top]) - error(after)).sum())


def replicate(seed):
    folder = sys.argv[1]
    q, spread, confidence = replicates.judge(folder)
    counts = np.array([[int(row[c]) for c in "enc"] for row in replicates.table(f"{folder}/labels.csv")])
    rng = np.random.default_rng(seed)
    half = replicates.subsample(rng, counts, np.full(len(counts), 50))
    truth = (counts - half) / 50
    n = rng.choice([0, 1, 2, 5, 10], size=len(counts))
    c = replicates.subsample(rng, half, n).astype(float)
    jitter = rng.random(len(counts))
    rng.random(len(counts))
    near = np.sort(DISTANCES[:, n > 0], axis=1)[:, :10]
    full = np.column_stack([spread, np.log1p(n), confidence, near[:, 0], near.mean(axis=1)])
    full = (full - full.mean(axis=0)) / np.maximum(full.std(axis=0), 1e-9)
    alone = np.log1p(n)
    alone = ((alone - alone.mean()) / alone.std())[:, None]
    has = n > 0

    def fitted(features, form):
        rows = np.column_stack([np.ones(len(features)), features])
        log_likelihood = likelihoods(rows[has], q[has], c[has], n[has].astype(float))[form]
        found = minimize(lambda beta: -log_likelihood(beta), [np.log(8)] + [0] * features.shape[1], method="BFGS")
        return np.exp(np.clip(rows @ found.x, LOW, HIGH))[:, None] * q + c

    def value(rule, order, alpha):
        return bought(rule, order, alpha, half - c, truth, copy.deepcopy(rng))

    entropy = -(q * np.log(q)).sum(axis=1) + 1e-9 * jitter
    judge_entropy = value(4, np.argsort(-entropy), fitted(full, 5))
    out = []
    for form in range(8):
        alpha = fitted(alone, form)
        for delta in deltas(alpha).values():
            out += [value(1, np.argsort(-delta, kind=sort), alpha) - judge_entropy for sort in (None, "stable")]
    return out


def main():
    with multiprocessing.Pool(2) as pool:
        found = np.array(pool.map(replicate, range(REPLICATES), chunksize=5))
    names = [f.__name__.replace("_", " ") for f in likelihoods(None, np.zeros((1, 3)), None, None)]
    columns = [(name, delta, sort) for name in names for delta in deltas(np.ones((1, 3))) for sort in ("default", "stable")]
    print("likelihood,delta,sort,mean,lower,upper")
    for column, values in zip(columns, found.T):
        lower, upper = np.percentile(values, [2.5, 97.5])
        print(*column, f"{values.mean():.4f}", f"{lower:.4f}", f"{upper:.4f}", sep=",")


DISTANCES = replicates.distances(sys.argv[1]) if len(sys.argv) > 1 else None

if __name__ == "__main__":
    main()
