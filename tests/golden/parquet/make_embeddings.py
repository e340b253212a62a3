"""Writes datasets/embeddings.parquet: rows of a data set with embeddings as a column of lists; made with datasets 5.2.0 and pyarrow 26.0.1."""

import pathlib

from datasets import Dataset, Features, List, Value

FEATURES = Features({"id": Value("string"), "words": List(Value("string")), "embedding": List(Value("float32"))})
rows = [
    {"id": "b", "words": ["x"], "embedding": [0.0, 0.125]},
    {"id": "a", "words": [], "embedding": [1.0, -2.5]},
    {"id": "c", "words": ["y", "z"], "embedding": [1024.0, 0.00390625]},
]
Dataset.from_list(rows, features=FEATURES).to_parquet(pathlib.Path(__file__).parent / "datasets/embeddings.parquet")
