"""Takes the queues of logs with several criteria through the tools' own packages and back, into `round-trip/`.

    pip install label-studio-sdk==2.1.2 argilla==2.8.0 openpyxl==3.1.5
    python round_trip.py PROGRAM      # the program judge-uncertainty

Each criterion of `../logs/deepeval.json` (scores) and `../logs/inspect-graded.json` (classes and places) is a study with a queue. Label
Studio's package validates the interface and every task and converts the answers; Argilla's makes the records and hands them out; openpyxl
fills in the workbook. Prodigy has no public package: its answers are the queue's own lines with the fields that it documents. An annotator
answers by what is shown alone (`annotators.py`). doccano needs an environment of its own: `make_doccano.py QUEUE OUT`, for each queue that
is left in `queues/`.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import MagicMock
from uuid import UUID

import argilla as rg
import openpyxl
from argilla.records._io import GenericIO
from label_studio_sdk.converter import Converter
from label_studio_sdk.label_interface import LabelInterface

from annotators import answer

HERE = Path(__file__).parent
rg.Argilla._get_default = classmethod(lambda cls: MagicMock())


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def label_studio(queue, out, classes):
    xml = (queue / "label-studio.xml").read_text()
    interface = LabelInterface(xml)
    interface.validate()
    exported = []
    for number, task in enumerate(json.loads((queue / "label-studio.json").read_text()), 1):
        interface.validate_task(task)
        label = answer(f"{task['data']['criterion']}\n\n{task['data']['text']}", classes)
        value = {"choices": [label]} if classes else {"number": label}
        kind = "choices" if classes else "number"
        result = {"from_name": "label", "to_name": "text", "type": kind, "value": value, "id": str(number), "origin": "manual"}
        annotation = {"id": number, "completed_by": {"id": 1, "email": "ann@example.org"}, "result": [result], "was_cancelled": False,
                      "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z", "lead_time": 1.0}
        exported.append({"id": 1000 + number, "data": task["data"], "annotations": [annotation], "predictions": []})
    (out / "label-studio.json").write_text(json.dumps(exported, indent=1, ensure_ascii=False) + "\n")
    for layout, suffix in (("JSON_MIN", ".json"), ("CSV", ".csv")):
        with tempfile.TemporaryDirectory() as folder:
            converter = Converter(xml, None, download_resources=False)
            converter.convert(str(out / "label-studio.json"), folder, layout, is_dir=False)
            (found,) = [path for path in Path(folder).iterdir() if path.suffix == suffix]
            (out / f"label-studio-min{suffix}").write_bytes(found.read_bytes())


def argilla(queue, out, classes):
    settings = rg.Settings.from_json(queue / "argilla-settings.json")
    settings.validate()
    assert [field.name for field in settings.fields] == ["criterion", "text"]
    records = []
    for row in lines(queue / "argilla.jsonl"):
        record = rg.Record.from_dict(row)
        label = answer(f"{record.fields['criterion']}\n\n{record.fields['text']}", classes)
        response = rg.Response("label", label if classes else str(label), user_id=UUID(int=1), status="submitted")
        records.append(rg.Record(id=record.id, fields=dict(record.fields), metadata=dict(record.metadata), responses=[response]))
    text = json.dumps(GenericIO.to_list(records, flatten=True), indent=1, ensure_ascii=False)
    (out / "argilla.json").write_text(text + "\n")


def prodigy(queue, out, classes):
    answered = []
    for row in lines(queue / "prodigy.jsonl"):
        label = answer(row["text"], classes)
        given = {"accept": [label]} if classes else {"user_input": str(label)}
        answered.append({**row, **given, "answer": "accept", "_timestamp": 1767323045, "_annotator_id": "queue-ann"})
    (out / "prodigy.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in answered))


def spreadsheet(queue, out, classes):
    book = openpyxl.load_workbook(queue / "spreadsheet.xlsx")
    sheet = book["queue"]
    header = [cell.value for cell in sheet[1]]
    for row in sheet.iter_rows(min_row=2):
        cell = {name: row[k] for k, name in enumerate(header)}
        cell["label"].value = answer(f"{cell['criterion'].value}\n\n{cell['text'].value}", classes)
        cell["annotator"].value = "ann"
    book.save(out / "spreadsheet.xlsx")


def main():
    program = Path(sys.argv[1]).resolve()

    def run(*arguments):
        subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    queues = Path("queues")
    shutil.rmtree(queues, ignore_errors=True)
    for log in ("deepeval", "inspect-graded"):
        made = queues / log
        run("audit", HERE.parent / "logs" / f"{log}.json", "--out", made)
        for study in sorted(path.parent for path in made.glob("*/study.toml")):
            run("study", "queue", study, "--budget", "100%", "--force")
            queue, out = study / "queue", HERE / "round-trip" / log / study.name
            out.mkdir(parents=True, exist_ok=True)
            options = lines(queue / "prodigy.jsonl")[0].get("options")
            classes = [option["id"] for option in options] if options else None
            for tool in (label_studio, argilla, prodigy, spreadsheet):
                tool(queue, out, classes)
            print(out.relative_to(HERE), sorted(path.name for path in out.iterdir()))


main()
