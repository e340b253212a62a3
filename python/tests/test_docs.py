"""The code of docs/python.md does what the page says."""

import csv
import pathlib
import re
import shutil

import pytest

import judge_uncertainty as ju

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8"), re.DOTALL)
CLASSES = ["pass", "fail"]


def rows(count):
    """Items, the judge's probabilities and two labels of each item, as tables of rows."""
    ids = [f"i{k}" for k in range(count)]
    items = [{"id": i, "text": f"answer {i}"} for i in ids]
    judge = [{"id": i, "p_pass": (k % 9 + 1) / 10, "p_fail": (9 - k % 9) / 10} for k, i in enumerate(ids)]
    labels = [
        {"id": i, "annotator": who, "label": CLASSES[(k * step) % 9 < 4]}
        for k, i in enumerate(ids) for who, step in [("ann", 1), ("ben", 5)] if k % 2
    ]
    return items, judge, labels


def write(path, table):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, table[0])
        out.writeheader()
        out.writerows(table)


def test_there_are_two_blocks():
    assert len(BLOCKS) == 2


def test_the_loop_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    items, judge, labels = rows(120)
    shutil.copy(REPOSITORY / "tests" / "golden" / "logs" / "inspect-graded.eval", "graded.eval")
    # The other study: the same items by another judge.
    other = [row | {"p_pass": row["p_fail"], "p_fail": row["p_pass"]} for row in judge]
    ju.Study.from_tables(items, other, labels, classes=CLASSES, folder="other-study").run()
    answered = {row["id"]: row["label"] for row in labels}
    names = {
        "items": items, "judge": judge, "labels": labels,
        "table": [
            {"id": row["id"], "judge": CLASSES[row["p_pass"] < 0.5], "human": answered.get(row["id"], "")} for row in judge
        ],
        "answers": [{"id": row["id"], "annotator": "cleo", "label": "pass"} for row in items],
    }
    exec(BLOCKS[0], names)
    assert all(len(table) for table in (names["found"].rates, names["found"].findings, names["found"].next))
    assert len(names["queue"]) == 20 and pathlib.Path(names["queue"].folder).is_dir()
    assert len(names["studies"]) >= 1


def test_a_belief_is_applied(tmp_path, monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    items, judge, labels = rows(120)
    ju.Study.from_tables(items, judge, labels, classes=CLASSES, folder="answers-audit").run()
    polars.DataFrame([item | row for item, row in zip(items, judge)]).write_parquet("new.parquet")
    names = {}
    exec(BLOCKS[1], names)
    assert len(names["queue"]) == 120
