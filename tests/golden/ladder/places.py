"""Maps of ordinal labels, fitted by the program of make.py with a bias and a slope along the scale among the terms.

    python places.py > places.json          (Python 3.11, NumPy 2, SciPy 1.14 or later)

Slopes along the scale, in mean steps, are NumPy's gradient of the log prediction, of the second order at both ends.
"""

import json

import make
import numpy as np
import scipy
from scipy.special import softmax

PLACES = np.array([1.0, 2.0, 3.0, 5.0, 9.0])
make.N, make.K = 60, len(PLACES)
make.RNG = np.random.default_rng(20261123)
make.BASIS = np.linalg.qr(np.column_stack([np.ones(make.K), np.eye(make.K)[:, : make.K - 1]]))[0][:, 1:]


def draw():
    rng, n = make.RNG, make.N
    centre, spread = 3.5 + 2 * rng.normal(size=n), 1.0 + rng.uniform(size=n)
    groups = np.arange(n) % 2
    bell = lambda at: softmax(-0.5 * ((PLACES - at[:, None]) / spread[:, None]) ** 2, axis=1) * 0.99 + 0.01 / make.K
    q, fair = bell(centre + np.where(groups == 0, 1.5, 0.3)), bell(centre)
    x = rng.normal(size=n)
    x = (x - x.mean()) / x.std()
    counts = np.zeros((n, make.K), dtype=int)
    for i in range(n):
        p = rng.dirichlet(np.exp(1.8 + 0.4 * x[i]) * fair[i] + 1e-6)
        counts[i] = rng.multinomial(rng.integers(0, 11), p)
    return q, groups, x, counts


def blocks_of(rung, q, variants, groups, whole=None):
    logs = np.log(q) - np.log(q).mean(axis=1, keepdims=True)
    one = np.ones(make.N)
    times = lambda f, vectors: [f[:, None] * v for v in vectors]
    members = [(groups == g) * 1.0 for g in range(2)]
    steps = (PLACES - (PLACES[0] + PLACES[-1]) / 2) / np.diff(PLACES).mean()
    slopes = -np.gradient(np.log(q), steps, axis=1, edge_order=2)
    line = [t - t.mean(axis=1, keepdims=True) for t in (slopes, steps * slopes)]
    blocks = [line, [logs] + times(one, make.BASIS.T)]
    if rung == "groups":
        blocks.append([t for f in members for t in [f[:, None] * logs] + times(f, make.BASIS.T)])
        blocks.append([f[:, None] * t for f in members for t in line])
    return blocks


make.blocks_of = blocks_of

if __name__ == "__main__":
    q, groups, x, counts = draw()
    fits = [make.fit(rung, q, [], groups, x, counts) for rung in ("temperature", "groups")]
    print(json.dumps({"scipy": scipy.__version__, "places": PLACES.tolist(), "q": q.tolist(), "groups": groups.tolist(), "x": x.tolist(),
                      "counts": counts.tolist(), "fits": fits}))
