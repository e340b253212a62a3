"""Processor time of hnswlib and faiss for what benches/index_size.rs measures: lists of 32 in 384 dimensions.

python benches/peers.py FILE.f32 [INDEXED]    needs: pip install hnswlib faiss-cpu numpy

FILE holds 32-bit little-endian numbers, 384 to a row (`index_size --write FILE.f32 SOURCE` makes one). With INDEXED, so many
of the rows, spaced evenly, are indexed, and the nearest of them are searched for every row.
"""

import sys
import time

import faiss
import hnswlib
import numpy

WIDTH = 32

rows = numpy.fromfile(sys.argv[1], dtype="<f4").reshape(-1, 384)
rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
items = len(rows)
indexed = int(sys.argv[2]) if len(sys.argv) > 2 else items
held = numpy.arange(indexed) * items // indexed
some = numpy.arange(min(1000, items)) * items // min(1000, items)
sought = rows if items * indexed <= 11_000_000_000 else rows[some]


def timed(name, work):
    start = time.process_time()
    result = work()
    print(f"  {name} {time.process_time() - start:.2f} s", flush=True)
    return result


print(f"{sys.argv[1]}: {items} items, {indexed} indexed, {len(sought)} lists")
flat = faiss.IndexFlatIP(384)
flat.add(rows[held])
timed("faiss flat, lists", lambda: flat.search(sought, WIDTH + 1))
# Neighbours as near as the last count, whichever of them was found.
exact = flat.search(rows[some], WIDTH + 1)[0][:, WIDTH]

index = hnswlib.Index("ip", 384)
index.init_index(indexed, M=24, ef_construction=200)
timed("hnswlib, insertion", lambda: index.add_items(rows[held], numpy.arange(indexed)))
for effort in (100, 200, 400):
    index.set_ef(effort)
    timed(f"hnswlib at effort {effort}, lists", lambda: index.knn_query(sought, WIDTH + 1))
    _, distances = index.knn_query(rows[some], WIDTH + 1)
    recall = (1 - distances >= exact[:, None] - 1e-6).mean()
    print(f"    recall@{WIDTH + 1} {recall:.5f}", flush=True)
