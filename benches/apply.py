"""Processor time of `apply` against plain numpy and pyarrow (apply_numpy.py), run in turn.

python benches/apply.py PROGRAM BELIEF.json ITEMS.parquet|ITEMS.csv [TIMES]      needs: pip install numpy pyarrow

Each process has one thread. The two are held against each other: every number that both write, within 1e-9. Prints CSV lines of the
least: what, items, seconds, ratio to numpy, peak in MiB.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

program, belief, items, *times = sys.argv[1:]
times = int(times[0]) if times else 5
HERE = pathlib.Path(__file__).parent
ONE = {name: "1" for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_NUM_THREADS")}


def measured(command):
    """Seconds of processor time, user and system, and the peak in MiB."""
    process = subprocess.Popen(command, env={**os.environ, **ONE}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


with tempfile.TemporaryDirectory() as folder:
    out, plain = pathlib.Path(folder, "out"), pathlib.Path(folder, "plain.parquet")
    ours = [program, "apply", belief, "--items", items, "--out", out, "--force", "--threads", "1"]
    numpy = [sys.executable, HERE / "apply_numpy.py", belief, items, plain]
    found = {"apply": [], "numpy": []}
    for _ in range(times):
        found["apply"].append(measured(ours))
        found["numpy"].append(measured(numpy))
    # Not before: the peak of a process is no less than what the one that starts it takes.
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = [pq.read_table(part) for part in sorted(out.glob("part-*.parquet"))]
    tables = pa.concat_tables(parts), pq.read_table(plain)
    rows = tables[1].num_rows
    for name in set(tables[0].column_names) & set(tables[1].column_names) - {"id", "group"}:
        a, b = (table[name].to_numpy().astype(float) for table in tables)
        assert np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True), name
least = {what: [min(values) for values in zip(*runs)] for what, runs in found.items()}
for what, (seconds, peak) in least.items():
    print(f"{what} {pathlib.Path(items).suffix[1:]},{rows},{seconds:.2f},{seconds / least['numpy'][0]:.2f},{peak:.0f}")
