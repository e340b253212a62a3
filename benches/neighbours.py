"""Processor time of lists of neighbours: this program's two engines, faiss and hnswlib, in turn.

python benches/neighbours.py PROGRAM NxDIMENSIONS[xLABELLED] ... [--peers]      needs: pip install numpy; with --peers faiss-cpu hnswlib

Directions with neighbourhoods (points of 24 dimensions about 1,000 centres, turned into so many dimensions) have their 32 nearest
listed. One thread each. This program's times are those of its whole process, the file read and the lists written; those of the
others of building and searching. With LABELLED, a study of these items of which so many have labels is run under either engine, which
then finds the nearest labelled ones. Prints CSV lines: engine, items, dimensions, labelled, seconds, ratio to exact, share of the
exact neighbours (of a study, of items whose mean distance is the same).
"""

import csv
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

WIDTH = 32
ONE = {name: "1" for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
os.environ.update(ONE)


def directions(items, dimensions):
    draw = np.random.default_rng(7)
    centres, plane = draw.normal(size=(1000, 24)), draw.normal(size=(24, dimensions))
    points = 1.5 * centres[draw.integers(1000, size=items)] + draw.normal(size=(items, 24))
    return np.ascontiguousarray(points @ plane, dtype="<f4")


def by_program(program, file, engine):
    command = [program, "neighbours", "--embeddings", file, "--k", str(WIDTH), "--engine", engine]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ)
    lists = {}
    for line in process.stdout:
        item, _, neighbour, _ = line.split(b",")
        lists.setdefault(item, set()).add(neighbour)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{engine} failed")
    return used.ru_utime + used.ru_stime, lists


def by_study(program, folder, items, labelled, engine):
    with open(os.path.join(folder, "study.toml"), "w") as config:
        config.write(f"""title = "t"\nclasses = ["a", "b"]\n[items]\nfile = "items.csv"\n[judge]\nfile = "items.csv"
kind = "probabilities"\n[labels]\nfile = "labels.csv"\nform = "long"\n[trust]\nbelief = "published"
features = ["mean_nearest_labelled"]\n[familiarity]\nembeddings = "rows.npy"\nengine = "{engine}"\n""")
    with open(os.path.join(folder, "items.csv"), "w") as table:
        table.writelines(["id,p_a,p_b\n", *(f"{i},{(share := (i * 37 % 89 + 5) / 100):.2f},{1 - share:.2f}\n" for i in range(items))])
    with open(os.path.join(folder, "labels.csv"), "w") as table:
        those = range(0, items, items // labelled)
        table.writelines(["id,annotator,label\n", *(f"{i},{k},{'ab'[(i // 7 + k) % 2]}\n" for i in those for k in range(2))])
    command = [program, "study", "run", folder, "--replicates", "0", "--force"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(told)
    with open(os.path.join(folder, "run", "items.csv")) as table:
        return used.ru_utime + used.ru_stime, {row["id"]: {row["feature_mean_nearest_labelled"]} for row in csv.DictReader(table)}


def by_peers(rows):
    import faiss
    import hnswlib

    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    start = time.process_time()
    flat = faiss.IndexFlatIP(rows.shape[1])
    flat.add(rows)
    exact, _ = flat.search(rows, WIDTH + 1)
    yield "faiss flat", time.process_time() - start, 1.0
    for effort in (100, 200):
        start = time.process_time()
        index = hnswlib.Index("ip", rows.shape[1])
        index.init_index(len(rows), M=16, ef_construction=100)
        index.add_items(rows, num_threads=1)
        index.set_ef(effort)
        _, found = index.knn_query(rows, WIDTH + 1, num_threads=1)
        yield f"hnswlib {effort}", time.process_time() - start, (1 - found >= exact[:, -1:] - 1e-6).mean()


program, *sizes = [argument for argument in sys.argv[1:] if argument != "--peers"]
print("engine,items,dimensions,labelled,seconds,to_exact,recall", flush=True)
for size in sizes:
    items, dimensions, *labelled = map(int, size.split("x"))
    rows = directions(items, dimensions)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "rows.npy")
        np.save(file, rows)
        with open(file + ".ids.txt", "w") as ids:
            ids.writelines(f"{item}\n" for item in range(items))
        first = None
        for engine in ("exact", "hnsw"):
            seconds, lists = by_study(program, folder, items, *labelled, engine) if labelled else by_program(program, file, engine)
            first = first or (seconds, lists)
            recall = sum(len(lists[item] & near) for item, near in first[1].items()) / sum(map(len, first[1].values()))
            print(f"{engine},{items},{dimensions},{(labelled or [items])[0]},{seconds:.2f},{seconds / first[0]:.2f},{recall:.5f}", flush=True)
        for engine, seconds, recall in by_peers(rows) if "--peers" in sys.argv and not labelled else ():
            print(f"{engine},{items},{dimensions},{items},{seconds:.2f},{seconds / first[0]:.2f},{recall:.5f}", flush=True)
