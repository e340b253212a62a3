"""``python -m judge_uncertainty``: the program of the wheel."""

import subprocess
import sys

from .study import _program

if __name__ == "__main__":
    sys.exit(subprocess.call([_program(), *sys.argv[1:]]))
