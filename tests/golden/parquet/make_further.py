"""Writes `further/`: the same further items by the writers that people use, each with the codec that it takes by itself, and by pyarrow
with others. Made with pyarrow 26.0.1, polars 2.1.0, pandas 3.1.1 and DuckDB 2.0.0.

The embedding is a list of fixed size (pyarrow, polars), of any size (DuckDB, gzip) or of 64-bit floats (pandas).
"""

import json
import pathlib

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = pathlib.Path(__file__).parent / "further"
CLASSES = ["positive", "negative", "mixed"]


def row(i):
    """An item for a belief of the starter study: some without confidence, without an answer of the second variant or without labels."""
    item = {"id": f"new {i}", "words": 4 + 3 * i, "confidence": None if i == 2 else 60 + i}
    for variant, shift in (("plain", 0), ("strict", 2)):
        weights = [(i * 3 + shift) % 7 + 1, (i * 5 + shift) % 4 + 1, (i + shift) % 3 + 1]
        for name, weight in zip(CLASSES, weights):
            item[f"p_{variant}_{name}"] = None if variant == "strict" and i == 4 else weight / sum(weights)
    for k, name in enumerate(CLASSES):
        item[f"n_{name}"] = (i + k) % 3 if i % 2 else None
    # Numbers of 32 bits by their shortest digits.
    vector = np.array([0.1 * i, -0.3, 0.7, 1.0 / (i + 1)], dtype=np.float32)
    item["embedding"] = [float(str(x)) for x in vector]
    return item


ROWS = [row(i) for i in range(6)]
FIELDS = [("id", pa.string()), ("words", pa.int64()), ("confidence", pa.float64())]
FIELDS += [(f"p_{variant}_{name}", pa.float64()) for variant in ("plain", "strict") for name in CLASSES]
FIELDS += [(f"n_{name}", pa.int64()) for name in CLASSES]


def table(embedding):
    return pa.Table.from_pylist(ROWS, schema=pa.schema([*FIELDS, ("embedding", embedding)]))


FOLDER.mkdir(exist_ok=True)
with open(FOLDER / "items.jsonl", "w") as file:
    file.writelines(json.dumps(item) + "\n" for item in ROWS)
fixed, lists = table(pa.list_(pa.float32(), 4)), table(pa.list_(pa.float32()))
pq.write_table(fixed, FOLDER / "pyarrow.parquet")
pq.write_table(lists, FOLDER / "gzip.parquet", compression="gzip", data_page_version="2.0")
pq.write_table(lists, FOLDER / "brotli.parquet", compression="brotli")
frame = pl.from_arrow(fixed)
assert frame.schema["embedding"] == pl.Array(pl.Float32, 4)
frame.write_parquet(FOLDER / "polars.parquet")
frame.write_parquet(FOLDER / "lz4.parquet", compression="lz4")
table(pa.list_(pa.float64())).to_pandas().to_parquet(FOLDER / "pandas.parquet")
duckdb.sql("SELECT * FROM lists").write_parquet(str(FOLDER / "duckdb.parquet"))
for file in sorted(FOLDER.glob("*.parquet")):
    print(file.name, pq.ParquetFile(file).metadata.row_group(0).column(0).compression)
