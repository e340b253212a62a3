"""The pools of advice-6.toml but for the conversations: those of pools_5.py, with worlds of new seeds.

    python pools_6.py DATA OUT      (as pools.py)
"""

import sys
from pathlib import Path

import pools
import pools_2
import pools_5

if __name__ == "__main__":
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    pools_2.worlds(out, [60, 61], True)
    for seed in [60, 61]:
        pools_5.of_trust(out, 2.0, seed)
        pools_5.of_trust(out, 20.0, seed)
    pools.dice(data, out)
    pools_2.other_half(data, out)
    pools.chaosnli(data, out)
