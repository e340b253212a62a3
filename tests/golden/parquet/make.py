"""Writes the Parquet files of this folder; made with pyarrow 26.0.1.

`data/train-0000N-of-00002.parquet` is a table in two parts, laid out as `datasets` does, compressed with Snappy.
"""

import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = pa.schema([
    ("id", pa.int64()),
    ("text", pa.string()),
    ("p", pa.struct([("yes", pa.float64()), ("no", pa.float64())])),
    ("weight", pa.float32()),
    ("tags", pa.list_(pa.string())),
    ("topic", pa.dictionary(pa.int32(), pa.string())),
    ("checked", pa.bool_()),
])
ROWS = [
    {"id": 7, "text": 'One, "two"\nthree', "p": {"yes": 0.1, "no": 0.9}, "weight": 0.1, "tags": ["a", "b"], "topic": "law", "checked": True},
    {"id": 9007199254740993, "text": None, "p": {"yes": 0.25, "no": 0.75}, "weight": None, "tags": [], "topic": "art", "checked": False},
    {"id": 8, "text": "矛盾", "p": {"yes": 1 / 3, "no": 2 / 3}, "weight": 2.5, "tags": None, "topic": "law", "checked": None},
]

folder = pathlib.Path(__file__).parent
for part, rows in enumerate([ROWS[:2], ROWS[2:]]):
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    pq.write_table(table, folder / f"data/train-{part:05}-of-00002.parquet", compression="snappy")
