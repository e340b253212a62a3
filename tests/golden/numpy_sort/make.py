"""The order that NumPy's default sort leaves among equal numbers, with AVX-512 instructions.

    python make.py > expected.json

Entry i of a case of `size` numbers with so many `values` is ((i^2 + 3 i) 2654435761 mod 2^32 >> 16) mod values.
"""

import json

import numpy as np

CASES = [(1, 1), (7, 3), (8, 2), (9, 4), (100, 7), (256, 9), (257, 9), (290, 3), (500, 40), (1000, 5), (3113, 60)]


def numbers(size, values):
    return np.array([(((i * i + 3 * i) * 2654435761 % 2**32) >> 16) % values for i in range(size)], float)


assert "AVX512_SKX" in np.__config__.CONFIG["SIMD Extensions"]["found"] or "X86_V4" in np.__config__.CONFIG["SIMD Extensions"]["found"]
cases = [{"size": size, "values": values, "order": np.argsort(numbers(size, values)).tolist()} for size, values in CASES]
print(json.dumps({"numpy": np.__version__, "cases": cases}, separators=(",", ":")))
