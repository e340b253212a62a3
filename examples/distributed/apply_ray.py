"""Applies a belief with Ray Data.

Usage: apply_ray.py BELIEF ITEMS OUT [--top N] [--rule RULE] [--cpus N] [--die-once FILE]

ITEMS is a folder of Parquet files; OUT gets `items/`, Parquet parts, and with --top `queue.csv`.
"""

import os
import pathlib

import pyarrow.parquet as pq
import ray

import command
import worker


def main(arguments):
    belief = str(pathlib.Path(arguments.belief).resolve())
    items, out = pathlib.Path(arguments.items).resolve(), pathlib.Path(arguments.out).resolve()
    # Where the workers find worker.py.
    path = os.pathsep.join([str(pathlib.Path(__file__).resolve().parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    # A cluster of this machine, or the one that RAY_ADDRESS names. Tasks that are lost with their process are done again.
    options = {} if arguments.cpus is None else {"num_cpus": arguments.cpus}
    ray.init(include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": path}}, **options)
    names = worker.reads(belief, pq.ParquetFile(min(items.glob("*.parquet"))).schema_arrow.names)
    die_once = arguments.die_once

    def of_rows(table):
        return worker.applied(belief, table, die_once)

    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        # Ray's own number of parts of a sort is 200, which is for clusters.
        context.default_hash_shuffle_parallelism = 8
        context.read_op_min_num_blocks = 8
        table = ray.data.read_parquet(str(items)).select_columns(names)
        table.map_batches(of_rows, batch_format="pyarrow", batch_size=16_384).write_parquet(str(out / "items"))
        if arguments.top:
            identifier, priority, tie_break = queued = command.columns(arguments.rule)
            done = ray.data.read_parquet(str(out / "items")).select_columns(queued)
            ranked = done.sort([priority, tie_break, identifier], descending=[True, True, False]).take(arguments.top)
            command.write_queue(out / "queue.csv", arguments.rule, ranked)
    finally:
        ray.shutdown()


def parser():
    given = command.parser()
    given.add_argument("--cpus", type=int)
    given.add_argument("--die-once")
    return given


if __name__ == "__main__":
    main(parser().parse_args())
