"""The corrected rate of a table by PPI++, for crates/study/src/audit: python3 make.py > expected.json

With ppi-python 0.2.3 (imported as ppi_py), NumPy 2.4.6 and SciPy 1.17.1. The table has 4,000 rows, of which 600 are labelled:
judge and person in a pattern that the test repeats without a random generator.
"""
import json

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

i = np.arange(4000)
# A multiplicative pattern that looks like chance: 71% pass, the judge wrong in 7% of these and in 35% of the others.
u = (i * 2654435761 % 4294967296) / 4294967296
v = (i * 2246822519 % 4294967296) / 4294967296
truth = (u < 0.71).astype(float)
judge = np.where(truth == 1, v < 0.93, v < 0.35).astype(float)
labelled = i % 20 < 3

y, f, rest = truth[labelled], judge[labelled], judge[~labelled]
lo, hi = ppi_mean_ci(y, f, rest, alpha=0.05)
print(json.dumps({
    "passes": truth.mean(), "judge": judge.mean(), "labels": y.mean(),
    "point": float(ppi_mean_pointestimate(y, f, rest)[0]), "lo": float(lo[0]), "hi": float(hi[0]),
}, indent=1))
