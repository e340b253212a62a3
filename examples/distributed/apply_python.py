"""Applies a belief in one process, without an engine.

Usage: apply_python.py BELIEF ITEMS OUT [--top N] [--rule RULE]

ITEMS is a folder of Parquet files; OUT gets `items/`, a part for each, and with --top `queue.csv`.
"""

import argparse
import csv
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

import judge_uncertainty


def main(arguments):
    belief = judge_uncertainty.Belief.load(arguments.belief)
    out = pathlib.Path(arguments.out)
    (out / "items").mkdir(parents=True)
    priority = f"priority_{arguments.rule}"
    order = [(priority, "descending"), ("tie_break", "descending"), ("id", "ascending")]
    first = None
    for part in sorted(pathlib.Path(arguments.items).glob("*.parquet")):
        writer = None
        for batch in pq.ParquetFile(part).iter_batches(65_536):
            applied = pa.table(belief.apply(batch))
            writer = writer or pq.ParquetWriter(out / "items" / part.name, applied.schema)
            writer.write_table(applied)
            if arguments.top:
                ranked = applied.select(["id", priority, "tie_break"])
                ranked = ranked if first is None else pa.concat_tables([first, ranked])
                first = ranked.sort_by(order).slice(0, arguments.top)
        if writer:
            writer.close()
    if first is not None:
        with open(out / "queue.csv", "w", newline="") as file:
            lines = csv.DictWriter(file, ["id", priority, "tie_break"])
            lines.writeheader()
            lines.writerows(first.to_pylist())


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("belief")
    parser.add_argument("items")
    parser.add_argument("out")
    parser.add_argument("--top", type=int)
    parser.add_argument("--rule", default="info")
    return parser.parse_args()


if __name__ == "__main__":
    main(parsed())
