"""Where SciPy's BFGS ends on four functions, with its defaults and no gradient.

    python make.py > expected.json        # SciPy 1.17.1, NumPy 2.4.6
"""

import json

import numpy as np
from scipy.optimize import minimize, rosen

CASES = {
    "rosenbrock_2": (rosen, [-1.2, 1.0], 1e-5),
    "rosenbrock_5": (rosen, [-1.2, 1.0, 0.5, -0.3, 2.0], 1e-5),
    "beale": (
        lambda x: sum((c - x[0] * (1 - x[1] ** k)) ** 2 for c, k in zip([1.5, 2.25, 2.625], [1, 2, 3])),
        [1.0, 0.8],
        1e-5,
    ),
    "wavy": (lambda x: abs(x[0] - 3) ** 1.5 + np.cos(4 * x[1]) + x[1] ** 2, [0.0, 0.3], 1e-4),
}

expected = {}
for name, (function, start, within) in CASES.items():
    found = minimize(function, np.array(start), method="BFGS")
    expected[name] = {
        "start": start, "x": list(found.x), "f": float(found.fun), "steps": int(found.nit),
        "evaluations": int(found.nfev), "within": within,
    }
print(json.dumps(expected, indent=1))
