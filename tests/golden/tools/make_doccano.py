"""Exports of doccano 1.8.4, made by its own code with a database in memory.

    pip install doccano==1.8.4 'numpy<2' 'marshmallow<4' 'setuptools<80'
    python make_doccano.py                         # writes the files beside this script
    python make_doccano.py EXAMPLES [LABELS]       # checks that doccano imports a queue's doccano.jsonl and doccano-labels.json
    python make_doccano.py QUEUE OUT               # takes a queue through doccano: answered by what is shown, exported to OUT

doccano's numbers of examples are the ids of other items, which travel in `uid`.
"""

import json
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import backend

HERE = Path(__file__).parent
sys.path.insert(0, str(Path(backend.__file__).parent))
work = tempfile.mkdtemp()
os.environ.update(DJANGO_SETTINGS_MODULE="config.settings.development", DATABASE_URL=f"sqlite:///{work}/db.sqlite3", STANDALONE="True")

import django
from django.conf import settings

django.setup()
settings.MEDIA_ROOT = work

from django.contrib.auth import get_user_model
from django.core.management import call_command

call_command("migrate", verbosity=0)
call_command("create_roles", verbosity=0)

from data_export.celery_tasks import export_dataset
from data_import.datasets import load_dataset
from data_import.pipeline.catalog import create_file_format
from data_import.pipeline.readers import FileName
from examples.models import Example
from label_types.models import CategoryType
from label_types.serializers import CategoryTypeSerializer
from labels.models import Category
from projects.models import Member, ProjectType, TextClassificationProject
from roles.models import Role

LABELS = [{"text": name, "background_color": "#209cee", "text_color": "#ffffff"} for name in ("yes", "no")]
ITEMS = [{"text": f'text of "{uid}"; a, b', "label": [], "uid": uid, "rank": rank} for rank, uid in enumerate(("3", "1", "2"), 1)]


def imported(examples, labels):
    users = [get_user_model().objects.create(username=name) for name in ("ann", "ben")]
    project = TextClassificationProject.objects.create(
        name="queue", project_type=ProjectType.DOCUMENT_CLASSIFICATION, created_by=users[0], single_class_classification=True
    )
    for user in users:
        Member.objects.get_or_create(project=project, user=user, defaults={"role": Role.objects.first()})
    serializer = CategoryTypeSerializer(data=labels, many=True)
    serializer.is_valid(raise_exception=True)
    serializer.save(project=project)
    name = FileName(full_path=str(examples), generated_name=examples.name, upload_name=examples.name)
    data = load_dataset(ProjectType.DOCUMENT_CLASSIFICATION, create_file_format("JSONL"), [name], project, column_data="text", column_label="label")
    data.save(users[0], batch_size=100)
    assert not data.errors, data.errors
    return project, users


if len(sys.argv) == 3 and Path(sys.argv[1]).is_dir():
    from annotators import answer

    queue, out = map(Path, sys.argv[1:])
    labels = json.loads((queue / "doccano-labels.json").read_text())
    project, (ann, _) = imported(queue / "doccano.jsonl", labels)
    kinds = {kind.text: kind for kind in CategoryType.objects.filter(project=project)}
    for example in Example.objects.filter(project=project):
        Category.objects.create(example=example, user=ann, label=kinds[answer(example.text, [label["text"] for label in labels])])
    with zipfile.ZipFile(export_dataset(project.id, "JSONL")) as found:
        (out / "doccano.jsonl").write_bytes(found.read("ann.jsonl"))
elif len(sys.argv) > 1:
    labels = json.loads(Path(sys.argv[2]).read_text()) if len(sys.argv) > 2 else []
    project, _ = imported(Path(sys.argv[1]), labels)
    print([(example.text, example.meta) for example in Example.objects.filter(project=project)])
    print([label.text for label in CategoryType.objects.filter(project=project)], Category.objects.count(), "labels already")
else:
    source = Path(work) / "doccano.jsonl"
    source.write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    project, (ann, ben) = imported(source, LABELS)
    kinds = {kind.text: kind for kind in CategoryType.objects.filter(project=project)}
    by_uid = {example.meta["uid"]: example for example in Example.objects.filter(project=project)}
    for uid, user, label in (("3", ann, "yes"), ("1", ann, "no"), ("3", ben, "no")):
        Category.objects.create(example=by_uid[uid], user=user, label=kinds[label])
    for layout in ("JSONL", "JSON", "CSV"):
        archive = export_dataset(project.id, layout)
        with zipfile.ZipFile(archive) as found, zipfile.ZipFile(HERE / f"doccano.{layout.lower()}.zip", "w", zipfile.ZIP_DEFLATED) as out:
            for name in sorted(found.namelist()):
                out.writestr(zipfile.ZipInfo(name), found.read(name), zipfile.ZIP_DEFLATED)
            if layout == "JSONL":
                (HERE / "doccano-ann.jsonl").write_bytes(found.read("ann.jsonl"))
shutil.rmtree(work)
