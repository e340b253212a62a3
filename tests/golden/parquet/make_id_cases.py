"""Writes `ids/`: ids of every type that warehouses and data frames keep, each by the real writer, and `ids/expected.csv`, the text that
DuckDB reads of each. Made with DuckDB 2.0.0, pyarrow 26.0.1, polars 2.1.0 and pandas 3.1.1.

    python make_id_cases.py            # writes the files beside this script
    python make_id_cases.py --check    # tells only whether what is there is what DuckDB reads

Each file has three items with a judge's probabilities. Bytes that are no text are told as hexadecimal digits behind 0x, for want of a
text of their own.
"""

import csv
import datetime as dt
import decimal
import pathlib
import sys
import uuid

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = pathlib.Path(__file__).parent / "ids"
UUIDS = [uuid.UUID("0b8bd1f2-5a5c-4e3a-9c3f-6b1f0a7d2e11"), uuid.UUID(int=0), uuid.UUID("ffffffff-0000-4000-8000-000000000001")]
TIMES = [dt.datetime(2026, 1, 2, 3, 4, 5), dt.datetime(1969, 12, 31, 23, 59, 59, 500000), dt.datetime(2026, 7, 1, 0, 0, 0, 1)]
MILLIS = [time.replace(microsecond=time.microsecond // 1000 * 1000) for time in TIMES]
ZONED = [time.replace(tzinfo=dt.timezone.utc) for time in TIMES]
DATES = [dt.date(2026, 2, 28), dt.date(1969, 12, 31), dt.date(2000, 1, 1)]
BIG = [2**63 - 1, -(2**53) - 1, 0]
TEXTS = ["007", " 1e5", "Ä/ß,\"x\""]
DECIMALS = [decimal.Decimal(text) for text in ("1.50", "-0.01", "1234567.00")]
WIDE = [decimal.Decimal(text) for text in ("12345678901234567890.1234567890", "-1.0000000000", "0.0000000001")]


def rest(n=3):
    return {"text": [f"Text {i}" for i in range(n)], "p_yes": [0.2, 0.5, 0.9][:n], "p_no": [0.8, 0.5, 0.1][:n]}


def by_pyarrow(name, values, kind, **options):
    table = pa.table({"id": pa.array(values, kind), **rest()})
    pq.write_table(table, FOLDER / f"pyarrow-{name}.parquet", **options)


def by_duckdb(name, expressions):
    rows = ", ".join(f"({text}, 'Text {i}', {0.2 + 0.3 * i}::double, {0.8 - 0.3 * i}::double)" for i, text in enumerate(expressions))
    duckdb.sql(f"copy (select * from (values {rows}) as t(id, text, p_yes, p_no)) to '{FOLDER}/duckdb-{name}.parquet' (format parquet)")


def by_polars(name, values, kind):
    pl.DataFrame({"id": pl.Series(values, dtype=kind), **rest()}).write_parquet(FOLDER / f"polars-{name}.parquet")


def by_pandas(name, values, kind):
    pd.DataFrame({"id": pd.Series(values, dtype=kind), **rest()}).to_parquet(FOLDER / f"pandas-{name}.parquet", index=False)


def make():
    FOLDER.mkdir(exist_ok=True)
    by_duckdb("uuid", [f"'{one}'::uuid" for one in UUIDS])
    by_duckdb("timestamp", [f"timestamp '{time}'" for time in TIMES])
    by_duckdb("timestamp_ns", [f"timestamp_ns '{time}'" for time in TIMES])
    by_duckdb("timestamptz", [f"timestamptz '{time}'" for time in ZONED])
    by_duckdb("date", [f"date '{date}'" for date in DATES])
    by_duckdb("time", ["time '03:04:05'", "time '23:59:59.5'", "time '00:00:00.000001'"])
    by_duckdb("bigint", [f"{n}::bigint" for n in BIG])
    by_duckdb("ubigint", ["18446744073709551615::ubigint", "1::ubigint", "0::ubigint"])
    by_duckdb("decimal", [f"{n}::decimal(9,2)" for n in DECIMALS])
    by_duckdb("decimal_wide", [f"{n}::decimal(38,10)" for n in WIDE])
    by_duckdb("varchar", ["'{}'".format(text) for text in TEXTS])
    by_duckdb("enum", [f"'{name}'::enum('a', 'b b', 'ß')" for name in ("ß", "a", "b b")])
    by_pyarrow("uuid", [one.bytes for one in UUIDS], pa.uuid())
    by_pyarrow("fixed_bytes", [b"item 001", b"item 002", b"\xff\x00\x01 \x80abc"], pa.binary(8))
    by_pyarrow("bytes", [b"a1", b"b", "ß".encode()], pa.binary())
    by_pyarrow("timestamp_ms", MILLIS, pa.timestamp("ms"))
    by_pyarrow("timestamp_int96", TIMES, pa.timestamp("ns"), use_deprecated_int96_timestamps=True)
    by_pyarrow("timestamp_utc", ZONED, pa.timestamp("us", "UTC"))
    by_pyarrow("dictionary", ["b", "a", "b b"], pa.dictionary(pa.int32(), pa.string()))
    by_pyarrow("decimal128", DECIMALS, pa.decimal128(18, 2))
    by_pyarrow("int8", [-128, 0, 127], pa.int8())
    by_polars("datetime", TIMES, pl.Datetime("us"))
    by_polars("categorical", ["b", "a", "b b"], pl.Categorical)
    by_polars("decimal", DECIMALS, pl.Decimal(12, 2))
    by_pandas("datetime64", TIMES, "datetime64[us]")
    by_pandas("category", ["b", "a", "b b"], "category")
    by_pandas("uint64", [2**64 - 1, 1, 0], "uint64")


def expected():
    duckdb.sql("set timezone = 'UTC'")
    for file in sorted(FOLDER.glob("*.parquet")):
        kind = duckdb.sql(f"describe select id from '{file}'").fetchall()[0][1]
        text = "try(decode(id))" if kind == "BLOB" else "cast(id as varchar)"
        other = "'0x' || lower(hex(id))" if kind == "BLOB" else "null"
        for k, (found,) in enumerate(duckdb.sql(f"select coalesce({text}, {other}) from '{file}'").fetchall()):
            yield [file.name, str(k), found]


if "--check" not in sys.argv:
    make()
    with open(FOLDER / "expected.csv", "w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows([["file", "row", "id"], *expected()])
with open(FOLDER / "expected.csv", newline="", encoding="utf-8") as lines:
    found = list(csv.reader(lines))[1:]
assert found == list(expected()), "expected.csv is not what DuckDB reads"
print(len({row[0] for row in found}), "files,", len(found), "ids")
