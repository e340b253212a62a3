"""The notebook examples/tour.ipynb runs under a real kernel, and shows no escape codes, temporary paths or options of the command."""

import json
import pathlib
import shutil
import tempfile

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def test_the_tour_runs(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    for name in ("tour.ipynb", "support.csv"):
        shutil.copy(EXAMPLES / name, tmp_path / name)
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    notebook = nbformat.read(tmp_path / "tour.ipynb", as_version=4)
    client.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = 0
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = {kind: text for kind, text in output.get("data", {}).items() if kind.startswith("text/")}
            text = json.dumps(data) + output.get("text", "")
            shown += 1
            for word in ("\\u001b", "\x1b", tempfile.gettempdir(), "judge-uncertainty-", " --"):
                assert word not in text, text
    assert shown >= 8
