"""Writes a folder of Parquet parts with synthetic items for the belief of the example study `support_desk`.

Usage: make_items.py FOLDER ITEMS PARTS [plain]

An item has two answers of the judge, a confidence, a trade, a length, an embedding of 384 numbers and, one in five, labels. All are
made from its number by whole-number arithmetic and single sums, so every machine makes the same. The embeddings lie around those of
the study's messages; plain items have none.
"""

import pathlib
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CLASSES = ["now", "soon", "whenever"]
VARIANTS = ["brief", "reasoned"]
TRADES = ["parcels", "banking", "bees", "locks", "organs", "phone"]
MESSAGES = np.load(pathlib.Path(__file__).resolve().parent.parent / "support_desk" / "embeddings_f16.npy").astype(np.float32)
DIMENSIONS = MESSAGES.shape[1]
ROWS = 16_384


def mixed(x):
    """The last step of MurmurHash3: bits of a number, well mixed."""
    x = x.astype(np.uint64)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))


def draws(i, stream, most):
    """Whole numbers below `most`, one per item."""
    return (mixed(i.astype(np.uint64) * np.uint64(64) + np.uint64(stream)) % np.uint64(most)).astype(np.int64)


def vectors(i):
    """Embeddings: that of a message of the study, and noise of the item, about 0.35 long where the message has length 1."""
    of_item = (i + 1_000_000).astype(np.uint64)[:, None] * np.uint64(DIMENSIONS) + np.arange(DIMENSIONS, dtype=np.uint64)
    noise = (mixed(of_item) & np.uint64(0x7FFF)).astype(np.int32) - 0x4000
    return MESSAGES[draws(i, 0, len(MESSAGES))] + noise.astype(np.float32) / np.float32(1 << 19)


def items(start, stop, plain):
    """The items with these numbers; plain ones have no embeddings."""
    i = np.arange(start, stop)
    columns = {"id": [f"item{k:010}" for k in i], "trade": pa.array(np.array(TRADES)[draws(i, 1, len(TRADES))])}
    columns["characters"] = 40 + draws(i, 2, 120)
    columns["confidence"] = pa.array((70 + 5 * draws(i, 3, 6)).astype(np.float64), mask=draws(i, 4, 20) == 0)
    for v, variant in enumerate(VARIANTS):
        weights = np.stack([1 + draws(i, 10 + v * 8 + k, 60) for k in range(len(CLASSES))])
        # One item in 25 has no second answer.
        blank = (draws(i, 5, 25) == 0) & (v == 1)
        for name, weight in zip(CLASSES, weights):
            columns[f"p_{variant}_{name}"] = pa.array(weight / weights.sum(axis=0), mask=blank)
    unlabelled = draws(i, 6, 5) > 0
    for k, name in enumerate(CLASSES):
        columns[f"n_{name}"] = pa.array(draws(i, 30 + k, 9), mask=unlabelled)
    if not plain:
        columns["embedding"] = pa.FixedSizeListArray.from_arrays(pa.array(vectors(i).ravel()), DIMENSIONS)
    return pa.table(columns)


def main(folder, count, parts, plain=False):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    for part in range(parts):
        first, last = part * count // parts, (part + 1) * count // parts
        writer = None
        for start in range(first, last, ROWS):
            table = items(start, min(start + ROWS, last), plain)
            writer = writer or pq.ParquetWriter(folder / f"items-{part:05}.parquet", table.schema)
            writer.write_table(table)
        if writer:
            writer.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["plain"])
