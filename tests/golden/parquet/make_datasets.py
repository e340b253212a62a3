"""Writes datasets/data/: a data set in two parts, as Hugging Face lays them out; made with datasets 5.2.0 and pyarrow 26.0.1.

`label` is a ClassLabel, whose names stand in the metadata of the file. `zstd.parquet` and `gzip.parquet` are the first part, written
again by pyarrow with these codecs.
"""

import datetime
import pathlib

import pyarrow.parquet as pq
from datasets import ClassLabel, Dataset, Features, List, Value

FOLDER = pathlib.Path(__file__).parent / "datasets"
FEATURES = Features({
    "id": Value("string"),
    "annotator": Value("string"),
    "label": ClassLabel(names=["no", "yes"]),
    "asked": Value("timestamp[us]"),
    "day": Value("date32"),
    "picture": Value("binary"),
    "words": List(Value("string")),
})
DAY = datetime.date(2026, 2, 28)
rows = Dataset.from_list(
    [
        {"id": f"item {k}", "annotator": ["ann", "ben"][k % 2], "label": [1, 0, -1][k % 3], "asked": datetime.datetime(2026, 1, 2, 3, 4, k),
         "day": DAY, "picture": bytes([255, k]), "words": ["a", "ß"][: k % 3]}
        for k in range(5)
    ],
    features=FEATURES,
)
(FOLDER / "data").mkdir(parents=True, exist_ok=True)
for part in range(2):
    rows.shard(2, part).to_parquet(FOLDER / f"data/train-{part:05}-of-00002.parquet")
first = pq.read_table(FOLDER / "data/train-00000-of-00002.parquet")
for codec in ("zstd", "gzip"):
    pq.write_table(first, FOLDER / f"{codec}.parquet", compression=codec)
