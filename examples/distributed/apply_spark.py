"""Applies a belief with Spark.

Usage: apply_spark.py BELIEF ITEMS OUT [--top N] [--rule RULE] [--master MASTER] [--die-once FILE]

ITEMS is a folder of Parquet files; OUT gets `items/`, Parquet parts, and with --top `queue/`, one CSV file.
"""

import os
import pathlib
import sys

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession, functions
from pyspark.sql.pandas.types import from_arrow_schema

import command
import worker


def session(master):
    builder = SparkSession.builder.master(master).appName("judge-uncertainty")
    # Where the workers find worker.py.
    path = os.pathsep.join([str(pathlib.Path(__file__).resolve().parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        # Rows that are handed over at once; what is said of a row does not depend on it.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "16384",
        # A part that was lost with its worker is done again.
        "spark.task.maxFailures": "4",
        "spark.executorEnv.PYTHONPATH": path,
        "spark.sql.shuffle.partitions": "8",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main(arguments):
    belief = str(pathlib.Path(arguments.belief).resolve())
    items, out = pathlib.Path(arguments.items).resolve(), pathlib.Path(arguments.out).resolve()
    found = pq.ParquetFile(min(items.glob("*.parquet"))).schema_arrow
    names = worker.reads(belief, found.names)
    comes = pa.schema([found.field(name) for name in names])
    schema = from_arrow_schema(worker.schema(belief, comes.empty_table()))
    die_once = arguments.die_once

    def of_part(batches):
        for batch in batches:
            yield from worker.applied(belief, pa.Table.from_batches([batch]), die_once).to_batches()

    spark = session(arguments.master)
    try:
        table = spark.read.parquet(str(items)).select(*names).mapInArrow(of_part, schema)
        table.write.mode("errorifexists").option("compression", "snappy").parquet(str(out / "items"))
        if arguments.top:
            done = spark.read.parquet(str(out / "items"))
            identifier, priority, tie_break = queued = command.columns(arguments.rule)
            order = [functions.desc(priority), functions.desc(tie_break), functions.asc(identifier)]
            queue = done.select(*queued).orderBy(*order).limit(arguments.top)
            queue.coalesce(1).write.mode("errorifexists").option("header", True).csv(str(out / "queue"))
    finally:
        spark.stop()


def parser():
    given = command.parser()
    # Two workers of a core and 1 GiB each, processes of their own.
    given.add_argument("--master", default="local-cluster[2,1,1024]")
    given.add_argument("--die-once")
    return given


if __name__ == "__main__":
    main(parser().parse_args())
