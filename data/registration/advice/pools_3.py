"""The worlds of advice-3.toml: those of pools.verdicts under seeds that nothing was run on.

    python pools_3.py OUT      (as pools.py)
"""

import sys
from pathlib import Path

import numpy as np
import pools

if __name__ == "__main__":
    own = np.random.default_rng
    np.random.default_rng = lambda seed: own(seed + 500_000)
    pools.verdicts(Path(sys.argv[1]))
