"""The pools of advice-2.toml but for the conversations: worlds of new seeds and kinds, the dice, the other half of ChaosNLI.

    python pools_2.py DATA OUT      (as pools.py)
"""

import sys
from pathlib import Path

import numpy as np
import pools


def worlds(out, seeds, more):
    for seed in seeds:
        rng = np.random.default_rng(20_000_000 + seed)
        q = pools.dirichlet(rng, np.full((500, 3), 0.7))
        p = pools.dirichlet(rng, 6.0 * q)
        guess = pools.dirichlet(rng, np.full((500, 3), 0.7))
        judges = {
            "calibrated": q,
            "overconfident": pools.power(q, 3.0),
            "half_guesses": np.where((np.arange(500) % 2 == 0)[:, None], q, guess),
        }
        if more:
            judges["underconfident"] = pools.power(q, 0.4)
            judges["biased"] = pools.power(q * np.array([3.0, 1.0, 0.5]), 1.0)
            judges["lapsing"] = np.where((rng.random(500) < 0.15)[:, None], guess, pools.power(q, 1.5))
        for name, stated in judges.items():
            pools.known(out / f"{name}_{seed}", f"A judge of the kind {name}", p, stated, rng)


def other_half(data, out):
    """As pools.chaosnli, which takes the first half of the items of a source: the draws are turned round."""

    class Turned:
        @staticmethod
        def Generator(source):
            draws = np.random.Generator(source)
            return type("Draws", (), {"random": staticmethod(lambda n: 1.0 - draws.random(n))})

        PCG64 = np.random.PCG64

    own, pools.np = pools.np, type("NumPy", (), {"random": Turned})
    pools.chaosnli(data, out)
    pools.np = own
    folder = (out / "chaosnli").rename(out / "chaosnli_2")
    file = folder / "study.toml"
    file.write_text(file.read_text().replace("development half", "confirmation half"))


if __name__ == "__main__":
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    worlds(out, [2], True)
    worlds(out, [3], False)
    pools.dice(data, out)
    other_half(data, out)
