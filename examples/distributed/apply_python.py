"""Applies a belief in one process, without an engine.

Usage: apply_python.py BELIEF ITEMS OUT [--top N] [--rule RULE]

ITEMS is a folder of Parquet files; OUT gets `items/`, a part for each, and with --top `queue.csv`.
"""

import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

import command
import judge_uncertainty


def main(arguments):
    belief = judge_uncertainty.Belief.load(arguments.belief)
    out = pathlib.Path(arguments.out)
    (out / "items").mkdir(parents=True)
    identifier, priority, tie_break = queued = command.columns(arguments.rule)
    order = [(priority, "descending"), (tie_break, "descending"), (identifier, "ascending")]
    first = None
    for part in sorted(pathlib.Path(arguments.items).glob("*.parquet")):
        writer = None
        for batch in pq.ParquetFile(part).iter_batches(65_536):
            applied = pa.table(belief.apply(batch))
            writer = writer or pq.ParquetWriter(out / "items" / part.name, applied.schema)
            writer.write_table(applied)
            if arguments.top:
                ranked = applied.select(queued)
                ranked = ranked if first is None else pa.concat_tables([first, ranked])
                first = ranked.sort_by(order).slice(0, arguments.top)
        if writer:
            writer.close()
    if first is not None:
        command.write_queue(out / "queue.csv", arguments.rule, first.to_pylist())


if __name__ == "__main__":
    main(command.parser().parse_args())
