"""Writes `ids.parquet`: ids as a warehouse has them. Made with DuckDB 2.0.0.

`ids.csv` is the same table as DuckDB itself writes it as text, which is what the ids must come back to.
"""

import pathlib

import duckdb

FOLDER = pathlib.Path(__file__).parent
duckdb.sql("""
    create table ids as select * from (values
        ('0b8bd1f2-5a5c-4e3a-9c3f-6b1f0a7d2e11'::uuid, timestamp '2026-01-02 03:04:05', timestamp_ns '2026-01-02 03:04:05.123456789', 7::bigint),
        ('ffffffff-0000-4000-8000-000000000001'::uuid, timestamp '1969-12-31 23:59:59.5', timestamp_ns '2026-01-02 03:04:05', 9007199254740993),
        ('00000000-0000-0000-0000-000000000000'::uuid, timestamp '2026-07-01 00:00:00.000001', timestamp_ns '2026-01-02 00:00:00', -1)
    ) as t(id, asked, exactly, number)
""")
duckdb.sql(f"copy ids to '{FOLDER / 'ids.parquet'}' (format parquet)")
duckdb.sql(f"copy ids to '{FOLDER / 'ids.csv'}' (header)")
