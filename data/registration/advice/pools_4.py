"""The pools of advice-4.toml but for the conversations: worlds of new seeds of the kinds of pools_2, and the dice.

    python pools_4.py DATA OUT      (as pools.py)
"""

import sys
from pathlib import Path

import pools
import pools_2

if __name__ == "__main__":
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    pools_2.worlds(out, [40, 41], True)
    pools.dice(data, out)
