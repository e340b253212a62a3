"""Exports of annotation tools, written by the tools' own packages.

    pip install label-studio-sdk==2.1.2 argilla==2.8.0
    python make.py              # writes the files beside this script
    python make.py SETTINGS     # checks that Argilla loads a queue's argilla-settings.json

Label Studio's task numbers (`id`) are chosen so that they are the ids of other items, which travel in `uid`.
"""

import json
import sys
import tempfile
from pathlib import Path
from unittest.mock import MagicMock
from uuid import UUID

import argilla as rg
from label_studio_sdk.converter import Converter

HERE = Path(__file__).parent
# Settings are made and read without a server.
rg.Argilla._get_default = classmethod(lambda cls: MagicMock())
CLASSES = """<View><Text name="text" value="$text"/><Choices name="label" toName="text" choice="single">
<Choice value="yes"/><Choice value="no"/></Choices></View>"""
COMMENT = CLASSES.replace("</View>", '<TextArea name="comment" toName="text"/></View>')
RANKING = """<View><List name="text" value="$answers"/><Ranker name="label" toName="text"/></View>"""
BUCKETS = RANKING.replace("/></View>", '><Bucket name="yes"/><Bucket name="no"/></Ranker></View>')
SCORES = """<View><Text name="text" value="$text"/><Number name="label" toName="text" min="0" max="10"/></View>"""


def annotation(number, annotator, results, cancelled=False):
    return {
        "id": 100 + number,
        "completed_by": annotator,
        "was_cancelled": cancelled,
        "created_at": f"2026-01-0{number}T03:04:05.000000Z",
        "updated_at": f"2026-01-0{number}T03:04:05.000000Z",
        "lead_time": 1.5,
        "result": results,
    }


def result(name, kind, value):
    return {"id": f"r-{name}", "from_name": name, "to_name": "text", "type": kind, "value": value}


def tasks(first, second, third, *more):
    """Three tasks with two, one and one annotations; the item's id stands in `uid`, not in `id`."""
    task = lambda number, uid, annotations: {
        "id": number,
        "data": {"uid": uid, "text": f'text of "{uid}"; a, b', "rank": 4 - number},
        "annotations": annotations,
    }
    return [
        task(1, "3", [annotation(1, 7, [first, *more]), annotation(2, 8, [second, *more])]),
        task(2, "1", [annotation(3, 7, [third, *more])]),
        task(3, "2", [annotation(4, 7, [])]),
    ]


def label_studio(name, interface, exported):
    (HERE / f"label-studio-{name}.json").write_text(json.dumps(exported, indent=1) + "\n")
    for layout, suffix in (("JSON_MIN", "json"), ("CSV", "csv"), ("TSV", "tsv")):
        with tempfile.TemporaryDirectory() as folder:
            converter = Converter(interface, None, download_resources=False)
            source = Path(folder) / "tasks.json"
            source.write_text(json.dumps(exported))
            converter.convert(str(source), str(Path(folder) / "out"), layout, is_dir=False)
            (found,) = [path for path in (Path(folder) / "out").iterdir() if path.suffix in (".json", ".csv", ".tsv")]
            kind = "min.json" if suffix == "json" else suffix
            (HERE / f"label-studio-{name}.{kind}").write_bytes(found.read_bytes())


def argilla():
    ann, ben = UUID(int=1), UUID(int=2)
    answer = lambda value, user, status: rg.Response("label", value, user_id=user, status=status)
    records = [
        rg.Record(id="3", fields={"text": "x"}, responses=[answer("yes", ann, "submitted"), answer("no", ben, "submitted")]),
        rg.Record(id="1", fields={"text": "y"}, responses=[answer("no", ann, "draft"), answer("yes", ben, "discarded")]),
        rg.Record(id="2", fields={"text": "z"}),
    ]
    from argilla.records._io import GenericIO

    for flatten, name in ((False, "nested"), (True, "flat")):
        text = json.dumps(GenericIO.to_list(records, flatten=flatten), indent=1)
        (HERE / f"argilla-{name}.json").write_text(text + "\n")
    settings = rg.Settings(
        fields=[rg.TextField(name="text")],
        questions=[rg.LabelQuestion(name="label", labels=["yes", "no"]), rg.TextQuestion(name="score")],
        metadata=[rg.IntegerMetadataProperty(name="rank"), rg.FloatMetadataProperty(name="score")],
        distribution=rg.TaskDistribution(min_submitted=2),
    )
    (HERE / "argilla-settings.json").write_text(json.dumps(settings.serialize(), indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for file in sys.argv[1:]:
            loaded = rg.Settings.from_json(file)
            loaded.validate()
            print([(question.name, type(question).__name__) for question in loaded.questions], loaded.distribution)
    else:
        choice = lambda value: result("label", "choices", {"choices": [value]})
        number = lambda value: result("label", "number", {"number": value})
        comment = result("comment", "textarea", {"text": ["a remark"]})
        label_studio("choices", CLASSES, tasks(choice("yes"), choice("no"), choice("no")))
        label_studio("comment", COMMENT, tasks(choice("yes"), choice("no"), choice("no"), comment))
        label_studio("scores", SCORES, tasks(number(2.5), number(7), number(0)))
        ranking = lambda **ranked: [
            {"id": 1, "data": {"answers": [{"id": uid, "title": uid} for uid in ("1", "2", "3")]},
             "annotations": [annotation(1, 7, [result("label", "ranker", {"ranker": ranked})]), annotation(2, 8, [])]}
        ]
        label_studio("ranking", RANKING, ranking(rank=["3", "1", "2"]))
        label_studio("buckets", BUCKETS, ranking(yes=["3"], no=["1", "2"]))
        argilla()
