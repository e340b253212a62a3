"""The loop from tables, against the command line: the same files, byte for byte."""

import pathlib
import shutil
import subprocess
import tempfile

import pytest

import judge_uncertainty as ju

PROGRAM = ju.study._program()
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STARTER = REPOSITORY / "examples" / "starter"
NAMES = ["items.csv", "judge.csv", "labels.csv"]
LIBRARIES = ["pandas", "polars", "pyarrow", "rows"]


def run(*arguments):
    done = subprocess.run([PROGRAM, "study", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tables(library):
    """The tables of the starter study, as a library reads them."""
    if library == "rows":
        import csv

        return [list(csv.DictReader((STARTER / name).read_text(encoding="utf-8").splitlines())) for name in NAMES]
    module = pytest.importorskip(library)
    if library == "pyarrow":
        from pyarrow import csv as arrow_csv

        return [arrow_csv.read_csv(STARTER / name) for name in NAMES]
    return [module.read_csv(STARTER / name) for name in NAMES]


def made(folder, library="rows", **options):
    items, judge, labels = tables(library)
    return ju.Study.from_tables(
        items, judge, labels, folder=folder, classes=["positive", "negative", "mixed"], numbers=["words"],
        variant="variant", confidence="confidence", **options,
    )


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_loop_gives_the_bytes_of_the_command(tmp_path, library):
    study = made(tmp_path / "a", library)
    # The command, on files that nobody made from tables.
    other = tmp_path / "b"
    other.mkdir()
    for name in NAMES:
        shutil.copy(STARTER / name, other / name)
    shutil.copy(study.folder / "study.toml", other / "study.toml")
    assert study.check()["items"] == 40
    results = study.run(replicates=0)
    run("run", other, "--replicates", "0")
    ours, theirs = (folder / "run" / "items.csv" for folder in (study.folder, other))
    assert ours.read_bytes() == theirs.read_bytes()
    ids = ju.study._columns(results.items)["id"]
    assert ids[0] == "r01" and "Can I rely" in results._repr_html_()
    assert type(results.items).__module__.startswith({"rows": "pandas"}.get(library, library))
    queue = study.queue(12, explore=0.2, seed=3)
    run("queue", other, "--budget", "12", "--explore", "0.2", "--seed", "3")
    for name in ["label-studio.json", "argilla.jsonl", "prodigy.jsonl", "doccano.jsonl", "spreadsheet.csv", "selection.csv"]:
        assert (queue.folder / name).read_bytes() == (other / "queue" / name).read_bytes(), name
    ids = ju.study._columns(queue.tasks)["id"]
    assert len(queue) == 12 == len(ids) and "<table>" in queue._repr_html_()
    answers = {"id": ids, "annotator": ["zoe"] * 12, "label": ["positive", "mixed"] * 6}
    assert "12 labels of 12 items added" in study.add_labels(answers)
    plan = study.plan(target=5)
    assert plan["target"] == 5 and "How narrow" in repr(plan) and study.label_page().exists()
    assert study.compare(study.path)["studies"]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_items_of_a_large_run_come_from_parquet(tmp_path, library):
    pytest.importorskip("pyarrow.parquet")
    study = made(tmp_path / "a", library)
    results = study.run(replicates=0)
    of_csv = ju.study._columns(results.items)
    (study.folder / "run" / "items.csv").unlink()
    found = results.items
    of_parquet = ju.study._columns(found)
    assert ju.study._library(found) == library and list(of_parquet) == list(of_csv) and of_parquet["id"] == of_csv["id"]
    for name in ["trust", "total", "epistemic"]:
        assert [float(value) for value in of_parquet[name]] == [float(value) for value in of_csv[name]], name


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_go_out_as_they_came_in(library):
    pytest.importorskip(library)
    out = ju.study._frame(ju.Table({"id": ["a", "b"], "p": [0.1, None]}), library)
    assert ju.study._library(out) == library and ju.study._columns(out)["id"] == ["a", "b"]
    assert [ju.study._cell(value) for value in ju.study._columns(out)["p"]] == ["0.1", ""]


def test_nothing_speaks_of_the_command_line(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    found = ju.audit(judged("rows"), labelled="random")
    study = found.study
    shown = [repr(found), found._repr_html_(), repr(study.plan()), repr(study.run()), repr(study.compare(study)), repr(study.queue(5, rule="epistemic"))]
    shown += [study.add_labels({"id": ["m45"], "annotator": ["zoe"], "label": ["pass"]}), *capfd.readouterr()]
    with pytest.raises(ju.JudgeUncertaintyError) as refused:
        ju.audit([{"id": "a", "x": "1"}, {"id": "b", "x": "2"}], columns={"verdict": "y"})
    shown.append(str(refused.value))
    for text in shown:
        assert not any(word in text for word in ("\x1b", " --", tempfile.gettempdir(), str(found.folder), "table.csv")), text


def test_rates_are_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = ju.audit(judged("rows"), labelled="random").plot()
    assert len(axes.get_yticklabels()) >= 1


def test_errors_are_those_of_the_command(tmp_path):
    items, judge, labels = tables("rows")
    labels.append({"id": "r01", "annotator": "new", "label": "superb"})
    with pytest.raises(ju.JudgeUncertaintyError, match='"superb" is not one of positive, negative, mixed'):
        ju.Study.from_tables(
            items, judge, labels, folder=tmp_path / "a", classes=["positive", "negative", "mixed"], variant="variant"
        )
    with pytest.raises(ju.JudgeUncertaintyError, match="different lengths"):
        ju.Study.from_tables({"id": ["a"], "x": []}, judge, folder=tmp_path / "b", scale=(0, 1))
    study = made(tmp_path / "c")
    with pytest.raises(ju.JudgeUncertaintyError, match="exists: name another folder"):
        made(tmp_path / "c")
    with pytest.raises(ju.JudgeUncertaintyError, match="unknown"):
        study.add_labels({"id": ["nobody"], "annotator": ["a"], "label": ["mixed"]})


def test_a_log_becomes_studies_that_queue(tmp_path):
    studies = ju.Study.from_log(REPOSITORY / "tests/golden/logs/deepeval.json", folder=tmp_path / "made")
    assert [study.folder.name for study in studies] == ["Helpful-GEval", "Polite-GEval"]
    queues = [study.queue("100%") for study in studies]
    assert [queue.record["criterion"]["name"] for queue in queues] == ["Helpful [GEval]", "Polite [GEval]"]
    assert all(len(queue) == 3 for queue in queues)


def judged(library):
    """60 rows, of which 40 have a label; the judge is right in three of four."""
    rows = [
        {"id": f"m{i}", "topic": ["law", "art"][i % 2], "text": f"Message {i}", "judge_verdict": ["pass", "fail"][i % 3 == 0],
         "human": None if i >= 40 else ["pass", "fail"][(i % 3 == 0) != (i % 4 == 0)]}
        for i in range(60)
    ]
    if library == "rows":
        return rows
    module = pytest.importorskip(library)
    return module.Table.from_pylist(rows) if library == "pyarrow" else module.DataFrame(rows)


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_audit_is_that_of_the_command(tmp_path, library):
    found = ju.audit(judged(library), labelled="random", budget=12, folder=tmp_path / "by-module")
    file = tmp_path / "table.csv"
    ju.study._write(judged("rows"), file)
    said = subprocess.run(
        [PROGRAM, "audit", str(file), "--labelled", "random", "--budget", "12", "--out", str(tmp_path / "by-shells")],
        capture_output=True, text=True, check=True,
    ).stdout
    assert found.summary == said.replace("by-shells", "by-module")
    ours, theirs = (contents(tmp_path / name) for name in ("by-module", "by-shells"))
    named = [name for name in ours if name != "manifest.json" and ours[name] != theirs[name].replace(b"by-shells", b"by-module")]
    assert named == [] and ours.keys() == theirs.keys()
    rates, findings, following = map(ju.study._columns, (found.rates, found.findings, found.next))
    rows = [row for row in zip(rates["lo"], rates["value"], rates["hi"]) if row[0] is not None and row[0] == row[0]]
    assert rows and all(low <= value <= high for low, value, high in rows)
    assert "agreement" in list(findings["id"]) and len(found.findings) > 3 and len(found.disagreements) > 3
    assert set(following["id"]) <= {f"m{i}" for i in range(40, 60)}
    assert ju.study._library(found.findings) == {"rows": "pandas"}.get(library, library)
    shown = found._repr_html_()
    assert "Can I rely on the judge?" in shown and "<h4>Findings</h4>" in shown and "<h4>Label next</h4>" in shown
    assert found.study.check()["items"] == 60


@pytest.mark.parametrize("library", [library for library in LIBRARIES if library != "rows"])
def test_a_belief_is_applied_to_the_table_of_its_audit(tmp_path, library):
    table = judged(library)
    ju.audit(table, labelled="random", folder=tmp_path / "audit")
    belief = ju.Belief.load(tmp_path / "audit" / "run")
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    applied = belief.apply(table)
    found, of_run = pa.table(applied).to_pylist(), parquet.read_table(tmp_path / "audit" / "run" / "items.parquet").to_pylist()
    shared = [name for name in of_run[0] if name in found[0]]
    assert len(shared) > 10 and applied.set_aside == []
    assert [[row[name] for name in shared] for row in found] == [[row[name] for name in shared] for row in of_run]
    # Another spelling of the answers, and one row that the judge did not answer.
    other = judged("rows")[40:]
    for row in other:
        row["judge_verdict"] = {"pass": "Yes", "fail": "no"}[row["judge_verdict"]]
    other[3]["judge_verdict"] = None
    rest = belief.apply(pa.Table.from_pylist(other))
    assert len(rest) == 19 and [row["item"] for row in rest.set_aside] == ["m43"]
    expected = {row["id"]: row["mean_pass"] for row in of_run}
    assert all(row["mean_pass"] == expected[row["id"]] for row in pa.table(rest).to_pylist())
    other[4]["judge_verdict"] = "perhaps"
    with pytest.raises(ju.JudgeUncertaintyError, match="perhaps"):
        belief.apply(pa.Table.from_pylist(other))


def test_an_audit_of_a_log_is_one_for_each_criterion(tmp_path):
    log = REPOSITORY / "tests/golden/logs/deepeval.json"
    found = ju.audit(log, folder=tmp_path / "several")
    assert [one.folder.name for one in found] == ["Helpful-GEval", "Polite-GEval"]
    rates = [ju.study._columns(one.rates) for one in found]
    by_judge = [row for one in rates for row in zip(one["id"], one["value"]) if row[0].endswith(".by_judge")]
    assert [value for _, value in by_judge] == pytest.approx([0.4, 0.7])
    subprocess.run([PROGRAM, "audit", str(log), "--out", str(tmp_path / "another")], capture_output=True, check=True)
    for one in found:
        command = [PROGRAM, "audit", str(tmp_path / "another" / one.folder.name)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert one.summary == said.replace("another", "several")
    assert all(one.study.check()["items"] == 3 and "Nobody can tell yet" in one._repr_html_() for one in found)
    # A log in two files, with one criterion.
    files = [REPOSITORY / "tests/golden/logs" / f"openai-batch-{name}.jsonl" for name in ("input", "output")]
    assert ju.audit(files, folder=tmp_path / "one").results["items"] > 0


def test_an_audit_refuses_with_the_message_of_the_command(tmp_path):
    with pytest.raises(ju.JudgeUncertaintyError, match="no column holds the judge's answers"):
        ju.audit({"id": ["a"], "text": ["x"]}, folder=tmp_path / "a")
    found = ju.audit({"name": ["a", "b"], "says": ["yes", "no"]}, columns={"verdict": "says"}, folder=tmp_path / "b")
    assert found.results["items"] == 2
