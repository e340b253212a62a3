"""Has the tools' own packages read the files of a queue.

    pip install label-studio-sdk==2.1.2 argilla==2.8.0 pyarrow==26.0.1
    python check_queue.py QUEUE
"""

import csv
import json
import sys
from pathlib import Path
from unittest.mock import MagicMock

import argilla as rg
import pyarrow.parquet as pq
from label_studio_sdk.label_interface import LabelInterface

queue = Path(sys.argv[1])
interface = LabelInterface((queue / "label-studio.xml").read_text())
interface.validate()
tasks = json.loads((queue / "label-studio.json").read_text())
for task in tasks:
    interface.validate_task(task)
print("Label Studio:", len(tasks), "tasks,", [(name, type(control).__name__) for name, control in interface._controls.items()])
rg.Argilla._get_default = classmethod(lambda cls: MagicMock())
settings = rg.Settings.from_json(queue / "argilla-settings.json")
settings.validate()
rows = [json.loads(line) for line in (queue / "argilla.jsonl").read_text().splitlines()]
records = [rg.Record.from_dict(row) for row in rows]
assert [record.id for record in records] == [row["id"] for row in rows]
print("Argilla:", len(records), "records,", [type(question).__name__ for question in settings.questions], repr(settings.guidelines))
table = pq.read_table(queue / "queue.parquet").to_pylist()
with open(queue / "queue.csv", newline="") as file:
    listed = list(csv.DictReader(file))
assert [row.keys() for row in table] == [row.keys() for row in listed]
for found, expected in zip(table, listed, strict=True):
    for name, value in found.items():
        assert str(value) == expected[name] or float(value) == float(expected[name]), (name, value, expected[name])
print("Parquet:", len(table), "rows as in queue.csv")
