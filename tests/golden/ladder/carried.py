"""A map that starts from that of another study, fitted by the program of make.py.

    python carried.py > carried.json          (Python 3.11, NumPy 2, SciPy 1.14 or later)

The first study's map is a temperature with biases; the second has few labels, which agree with it or have two classes exchanged.
"""

import json

import make
import numpy as np
import scipy

if __name__ == "__main__":
    data = make.draw()
    carry = []
    first = make.fit("temperature", *data, of=carry.append)
    q, variants, groups, x, counts = make.draw()
    counts[30:] = 0
    start = carry[0](q, groups)
    turned = counts[:, [2, 1, 0]]
    fits = [make.fit(rung, q, variants, groups, x, labels, start) for labels in (counts, turned) for rung in ("identity", "temperature")]
    study = lambda q, groups, x, counts: {"q": q.tolist(), "groups": groups.tolist(), "x": x.tolist(), "counts": counts.tolist()}
    print(json.dumps({"scipy": scipy.__version__, "first": study(data[0], *data[2:]), "second": study(q, groups, x, counts),
                      "turned": turned.tolist(), "added": start[0].tolist(), "unknown": start[1].tolist(), "fits": fits}))
