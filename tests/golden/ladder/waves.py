"""The full recalibration, fitted by the program of make.py with waves, a matrix and the judge's variants among the terms.

    python waves.py > waves.json          (Python 3.11, NumPy 2, SciPy 1.14 or later)

Items are those of make.py. The waves' frequencies come from NumPy's generator and act on Helmert contrasts of log predictions.
"""

import json

import make
import numpy as np
import scipy

SEED, FREQUENCIES, LENGTHS = 0x1ADD, 12, (0.5, 2.0)
K, WIDTH = make.K, make.K - 1
HELMERT = np.array([[(k <= m) - (k == m + 1) * (m + 1) for m in range(WIDTH)] for k in range(K)]) / np.sqrt([(m + 1) * (m + 2) for m in range(WIDTH)])
DATA = make.draw()
BLOCKS = make.blocks_of


def frequencies(inputs):
    """Of each length scale: Student's with 3 degrees of freedom, one draw of the scale and then its normal deviates at a time."""
    def one(length):
        stretch = np.sqrt(3 / (2 * RNG.standard_gamma(1.5))) / (length * np.sqrt(inputs))
        return stretch * RNG.standard_normal(inputs)
    return [np.array([one(length) for _ in range(FREQUENCIES)]) for length in LENGTHS]


def waves(frequencies, inputs):
    angles = inputs @ frequencies.T
    return np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(len(inputs), -1) / np.sqrt(FREQUENCIES)


def blocks_of(rung, q, variants, groups, whole=None):
    if rung != "recalibrated":
        return BLOCKS(rung, q, variants, groups)
    centred = lambda p: np.log(p) - np.log(p).mean(axis=1, keepdims=True)
    coordinates = lambda p: centred(p) @ HELMERT
    logs = centred(q)
    deviations = lambda q, variants: [coordinates(v) - coordinates(q) for v in variants]
    of_all = coordinates(whole[0])
    unit = lambda rows: np.sqrt(((rows - rows.mean(axis=0)) ** 2).mean())
    prediction = (coordinates(q) - of_all.mean(axis=0)) / unit(of_all)
    further = [d / unit(np.concatenate(deviations(*whole))) for d in deviations(q, variants)]
    inputs = np.column_stack([prediction, *further, DATA[3]])
    times = lambda numbers: [f[:, None] * HELMERT[:, m] for m in range(WIDTH) for f in numbers.T]
    blocks = BLOCKS("groups", q, variants, groups)
    blocks += [[centred(v) - logs for v in variants], times(logs)]
    blocks += [times(waves(of, prediction)) for of in OF_PREDICTION] + [times(waves(of, inputs)) for of in OF_ALL]
    return blocks


RNG = np.random.default_rng(SEED)
OF_PREDICTION = frequencies(WIDTH)
OF_ALL = frequencies(WIDTH * (1 + len(DATA[1])) + 1)
make.blocks_of = blocks_of
make.ORDER.append("recalibrated")

if __name__ == "__main__":
    print(json.dumps({"scipy": scipy.__version__, "fits": [make.fit("recalibrated", *DATA)]}))
