"""Applies one belief with the command, with Python, with Spark and with Ray. `.ci/distributed` installs what it needs; Linux.

Usage: check.py PROGRAM [--items N] [--plain] [--folder FOLDER]

Fails unless every way gives every item the same bytes and the same queue, also where a worker is killed while it works. Prints CSV lines
of what each takes: processor time of all its processes, of which what it takes for a few items is the start. With --plain trust depends on
no embeddings, and items have none. Items that FOLDER holds are not made again.
"""

import argparse
import csv
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import make_items

HERE = pathlib.Path(__file__).resolve().parent
DESK = HERE.parent / "support_desk"
TOP, CORES, PARTS, FEW = 100, 2, 8, 512
TICK = os.sysconf("SC_CLK_TCK")


class Processes(threading.Thread):
    """Adds up the processor time of all processes that a command starts, known by a mark in their environment, and keeps the peak in
    KiB of the largest (what the system says of a child is no less than its parent's)."""

    def __init__(self, mark):
        super().__init__(daemon=True)
        self.mark, self.spent, self.peak, self.done = mark.encode(), {}, 0, threading.Event()

    def look(self):
        for process in pathlib.Path("/proc").iterdir():
            try:
                # One that has ended and is waited for has no environment any more.
                if process.name.isdigit() and (process.name in self.spent or self.mark in (process / "environ").read_bytes()):
                    user, system = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
                    self.spent[process.name] = (int(user) + int(system)) / TICK
                    held = re.search(r"VmHWM:\s+(\d+)", (process / "status").read_text())
                    self.peak = max(self.peak, int(held[1]) if held else 0)
            except OSError:
                pass

    def run(self):
        while not self.done.wait(0.2):
            self.look()

    def seconds(self):
        self.done.set()
        self.join()
        self.look()
        return sum(self.spent.values())


def run(*command, threads=1):
    """Seconds of all processors and on the clock, and MiB at the peak of the largest process."""
    mark = uuid.uuid4().hex
    environment = os.environ | {"RUN_OF_CHECK": mark, "RAYON_NUM_THREADS": str(threads), "PYTHONPATH": str(HERE)}
    watch, started = Processes(mark), time.monotonic()
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen([str(part) for part in command], stdout=said, stderr=said, cwd=HERE, env=environment)
        watch.start()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        clock, spent = time.monotonic() - started, watch.seconds()
        if child.wait() != 0:
            said.seek(0)
            sys.exit(f"{' '.join(map(str, command))}\n{said.read()[-12_000:]}")
    return spent, clock, watch.peak / 1024


def digest(files):
    """SHA-256 of all items in the order of their ids: names of the columns, and of each the values by their bytes."""
    table = pa.concat_tables([pq.read_table(file) for file in sorted(files)]).combine_chunks().sort_by("id")
    sum = hashlib.sha256()
    for name in sorted(table.column_names):
        column = table.column(name).combine_chunks()
        sum.update(name.encode() + b"\0" + np.packbits(column.is_valid().to_numpy(zero_copy_only=False)).tobytes())
        if pa.types.is_floating(column.type):
            sum.update(pc.cast(column.fill_null(0.0), pa.float64()).to_numpy().tobytes())
        elif pa.types.is_integer(column.type):
            sum.update(pc.cast(column.fill_null(0), pa.int64()).to_numpy().tobytes())
        else:
            sum.update("\0".join(column.fill_null("").to_pylist()).encode())
    return table.num_rows, sum.hexdigest()


def queue(out):
    """Ids in the order of a queue."""
    file = next((out / "queue").glob("*.csv")) if (out / "queue").is_dir() else out / "queue.csv"
    with open(file, newline="") as lines:
        return [row["id"] for row in csv.DictReader(lines)]


def belief(program, folder, plain):
    """The example study of messages to a support desk, run with the embeddings that stand beside it, or without any."""
    study = folder / "study"
    study.mkdir()
    for file in [*DESK.glob("*.csv"), *DESK.glob("embeddings_f16.npy*")]:
        shutil.copy(file, study)
    config = (DESK / "study.toml").read_text()
    changed = config.replace('engine = "hnsw"', 'embeddings = "embeddings_f16.npy"')
    if plain:
        changed = config.partition("[familiarity]")[0].replace('"mean_nearest_labelled"', '"confidence"')
    assert changed != config
    (study / "study.toml").write_text(changed)
    run(program, "study", "run", study, "--replicates", "0")
    return study / "run"


class Way:
    """A way to apply a belief: what is called with belief, items and folder, where its parts lie, whether a worker can be killed."""

    def __init__(self, name, command, more, parts, threads, engine):
        self.name, self.command, self.more, self.parts, self.threads, self.engine = name, command, more, parts, threads, engine

    def run(self, fitted, items, out, *more):
        took = run(*self.command(fitted, items, out), "--top", TOP, *self.more, *more, threads=self.threads)
        return took, digest(out.glob(self.parts)), queue(out)


def ways(program):
    """The command first, then every other way that can be had here."""
    def command(fitted, items, out):
        return program, "apply", fitted, "--items", items, "--out", out

    def script(name):
        return lambda fitted, items, out: (sys.executable, name, fitted, items, out)

    found = [Way("apply", command, ["--threads", CORES], "part-*.parquet", CORES, False)]
    found.append(Way("Python", script("apply_python.py"), [], "items/*.parquet", CORES, False))
    engines = [("Spark", "pyspark", "apply_spark.py", []), ("Ray Data", "ray", "apply_ray.py", ["--cpus", CORES])]
    for name, module, file, more in engines:
        if importlib.util.find_spec(module) is None or (module == "pyspark" and shutil.which("java") is None):
            print(f"\n*** SKIPPED: {name} was NOT tested: {module} or what it needs is missing here ***\n", file=sys.stderr)
        else:
            found.append(Way(name, script(file), more, "items/*.parquet", 1, True))
    return found


def same(name, found, expected):
    (_, items, ranked), (_, of_apply, of_queue) = found, expected
    if items != of_apply:
        sys.exit(f"{name}: items and their sum are {items}, and those of apply are {of_apply}")
    if ranked != of_queue:
        sys.exit(f"{name}: its own sort gives another queue than apply")


def said(text):
    print(text, file=sys.stderr, flush=True)


def main(program, count, plain, kept):
    folder = pathlib.Path(tempfile.mkdtemp())
    kept = kept or folder
    try:
        fitted = belief(program, folder, plain)
        kind = "plain" if plain else "embedded"
        of = {"few": kept / f"{kind}-{FEW}", "all": kept / f"{kind}-{count}"}
        for items, number in zip(of.values(), (FEW, count)):
            if not items.exists():
                said(f"writing {number} items")
                make_items.main(items, number, PARTS, plain)
        expected, rows = {}, []
        for k, way in enumerate(ways(program)):
            out, took = folder / f"out-{k}", {}
            for name, items in of.items():
                said(f"{way.name}, {name}")
                found = way.run(fitted, items, out)
                same(way.name, found, expected.setdefault(name, found))
                took[name] = found[0]
                said(f"{found[0][0]:.1f} s of processor time, {found[0][1]:.1f} on the clock")
                shutil.rmtree(out)
            if way.engine:
                said(f"{way.name}, with a worker that is killed")
                mark = folder / f"died-{k}"
                found = way.run(fitted, of["few"], out, "--die-once", mark)
                if not mark.exists():
                    sys.exit(f"{way.name}: no worker was killed, so nothing was shown")
                same(way.name, found, expected["few"])
            rows.append((way, took))
        assert expected["all"][1][0] == count
        print("way,items are,items,cores,processor_s,start_s,items_a_processor_second,clock_s,largest_process_mib,killed worker,sha256 of all items")
        for way, took in rows:
            print(row(count, kind, way, took, expected["all"][1][1]))
    finally:
        shutil.rmtree(folder)


def rate(count, took):
    """Items a second of processor, without the start; blank where so few items take hardly more than the start, which varies itself."""
    start, beyond = took["few"][0], took["all"][0] - took["few"][0]
    return f"{(count - FEW) / beyond:.0f}" if beyond > start / 2 else ""


def row(count, kind, way, took, sum):
    """A line of a way that gave the bytes of `apply`; an engine did so with a worker killed, too."""
    (spent, clock, peak), start = took["all"], took["few"][0]
    killed = "its part done again with the same bytes" if way.engine else ""
    return f"{way.name},{kind},{count},{CORES},{spent:.1f},{start:.1f},{rate(count, took)},{clock:.1f},{peak:.0f},{killed},{sum}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    given = parser.parse_args()
    main(given.program.resolve(), given.items, given.plain, given.folder and given.folder.resolve())
