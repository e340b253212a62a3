"""The pools of advice-5.toml but for the conversations: worlds of new seeds, also of judges worth 2 or 20 labels, the dice, ChaosNLI.

    python pools_5.py DATA OUT      (as pools.py)
"""

import sys
from pathlib import Path

import numpy as np
import pools
import pools_2


def of_trust(out, trust, seed):
    rng = np.random.default_rng(23_000_000 + seed)
    q = pools.dirichlet(rng, np.full((500, 3), 0.7))
    pools.known(out / f"trust_{trust}_{seed}", f"A calibrated judge worth {trust} labels", pools.dirichlet(rng, trust * q), q, rng)


if __name__ == "__main__":
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    pools_2.worlds(out, [50, 51], True)
    for seed in [50, 51]:
        of_trust(out, 2.0, seed)
        of_trust(out, 20.0, seed)
    pools.dice(data, out)
    pools_2.other_half(data, out)
    pools.chaosnli(data, out)
