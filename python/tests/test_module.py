"""The module against the command line, to the bit: the program that came with the wheel."""

import ast
import csv
import inspect
import json
import os
import pathlib
import shutil
import struct
import subprocess
import threading
import time

import duckdb
import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import judge_uncertainty as ju

PROGRAM = ju.study._program()
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CLASSES = ["positive", "negative", "mixed"]


def run(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stderr


def answers(count):
    """Items for the belief of the starter study, some with labels, some without an answer under one variant."""
    columns = {"id": [f"new{i}" for i in range(count)], "words": [i % 30 for i in range(count)]}
    columns["confidence"] = [None if i % 7 == 0 else float(i % 101) for i in range(count)]
    for variant, shift in (("plain", 0), ("strict", 31)):
        shares = [((i * 37 + shift) % 89 + 1, (i * 11 + shift) % 53 + 1, (i + shift) % 17 + 1) for i in range(count)]
        for k, name in enumerate(CLASSES):
            blank = variant == "strict"
            column = [None if blank and i % 5 == 0 else s[k] / (sum(s) + 1) for i, s in enumerate(shares)]
            columns[f"p_{variant}_{name}"] = column
    for k, name in enumerate(CLASSES):
        columns[f"n_{name}"] = [(i * (k + 1)) % 4 if i % 3 == 0 else None for i in range(count)]
    return pa.table(columns)


def bits(table):
    """Every value of a table, numbers by their bytes."""
    table = pa.table(table)
    def of(x):
        return struct.pack("<d", x) if isinstance(x, float) else x
    return {name: [of(x) for x in table.column(name).to_pylist()] for name in table.column_names}


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    run("study", "init", folder / "s")
    # `decompose` and `fit` are those of the published belief.
    file = folder / "s" / "study.toml"
    text = file.read_text(encoding="utf-8")
    assert '# belief = "auto"' in text
    file.write_text(text.replace('# belief = "auto"', 'belief = "published"  #'), encoding="utf-8")
    run("study", "run", folder / "s", "--replicates", "0")
    return folder / "s" / "run"


@pytest.fixture(scope="session")
def applied(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("applied")
    pq.write_table(answers(5000), folder / "new.parquet")
    run("apply", study, "--items", folder / "new.parquet", "--out", folder / "out", "--batch", "1700", "--top", "20")
    return folder


def parts(folder):
    return pa.concat_tables([pq.read_table(part) for part in sorted(folder.glob("part-*.parquet"))])


def test_a_table_gets_what_the_command_gives_it(study, applied):
    belief = ju.Belief.load(study)
    ours = belief.apply(answers(5000))
    expected = parts(applied / "out")
    assert pa.table(ours).schema.remove_metadata() == expected.schema.remove_metadata()
    assert bits(ours) == bits(expected)
    assert len(ours) == 5000 and ours.set_aside == []
    record = json.loads((applied / "out" / "apply.json").read_text())
    assert ours.drift == record["drift"]
    assert belief.kind == "classes" and belief.sha256 == record["belief"]
    assert {f"priority_{rule}" for rule in belief.rules} <= set(expected.column_names)


def test_the_queue_is_what_sorting_gives(study, applied):
    table = pa.table(ju.Belief.load(study).apply(answers(5000)))
    order = [("priority_epistemic", "descending"), ("tie_break", "descending"), ("id", "ascending")]
    ranked = table.sort_by(order).column("id").to_pylist()[:20]
    lines = (applied / "out" / "queue.csv").read_text().splitlines()[1:]
    assert ranked == [line.split(",")[1] for line in lines]


def test_other_libraries_and_chunks_are_the_same(study):
    belief = ju.Belief.load(str(study / "results" / "belief.json"))
    table = answers(300)
    expected = bits(belief.apply(table))
    chunks = pa.concat_tables([table.slice(0, 1), table.slice(1, 250), table.slice(251)])
    assert bits(belief.apply(chunks)) == expected
    assert bits(belief.apply(chunks.to_reader())) == expected
    assert bits(belief.apply(table.combine_chunks().to_batches()[0])) == expected
    assert bits(belief.apply(polars.from_arrow(table))) == expected
    assert bits(belief.apply(table.to_pandas())) == expected
    assert bits(belief.apply(duckdb.from_arrow(table))) == expected
    # Batches that DuckDB makes one by one from a table of Python's.
    assert bits(belief.apply(duckdb.from_arrow(chunks).to_arrow_reader(100))) == expected
    dictionary = table.set_column(0, "id", table.column("id").dictionary_encode())
    assert bits(belief.apply(dictionary)) == expected
    assert bits(polars.DataFrame(belief.apply(table))) == expected
    assert bits(polars.from_arrow(table).lazy().collect().pipe(belief.apply)) == expected
    nothing = belief.apply(table.slice(0, 0))
    assert len(nothing) == 0 and pa.table(nothing).column_names == list(expected)

    class OnlyAnArray:
        """As tables of other libraries: one batch, without a stream."""

        def __arrow_c_array__(self, requested_schema=None):
            return table.combine_chunks().to_batches()[0].__arrow_c_array__()

    assert bits(belief.apply(OnlyAnArray())) == expected
    with pytest.raises(ju.JudgeUncertaintyError, match="is not a table: give a struct of columns"):
        belief.apply(pa.array([1, 2]))


def test_embeddings_come_in_lists_of_any_kind(tmp_path):
    study = tmp_path / "s"
    run("study", "init", study)
    ids = [line.split(",")[0] for line in (study / "items.csv").read_text().splitlines()[1:]]
    lines = [f"{name},{i * 0.1},{(i * 7 % 11) / 11},{1 - i * 0.05},1\n" for i, name in enumerate(ids)]
    (study / "embeddings.csv").write_text("id,x,y,z,w\n" + "".join(lines))
    config = (study / "study.toml").read_text()
    config = config.replace('["spread", "confidence"]', '["spread", "mean_nearest_labelled"]')
    config += '\n[familiarity]\nneighbours = 3\nembeddings = "embeddings.csv"\n'
    (study / "study.toml").write_text(config)
    run("study", "run", study, "--replicates", "0")
    golden = REPOSITORY / "tests/golden/parquet/further"
    run("apply", study / "run", "--items", golden / "items.jsonl", "--out", tmp_path / "out")
    expected = bits(parts(tmp_path / "out"))
    belief = ju.Belief.load(study / "run")
    for writer in ["pyarrow", "pandas", "polars", "duckdb", "gzip", "lz4", "brotli"]:
        assert bits(belief.apply(pq.read_table(golden / f"{writer}.parquet"))) == expected, writer
    assert bits(belief.apply(polars.read_parquet(golden / "polars.parquet"))) == expected
    assert bits(belief.apply(pandas.read_parquet(golden / "pandas.parquet"))) == expected
    file = str(golden / "duckdb.parquet")
    assert bits(belief.apply(duckdb.read_parquet(file))) == expected


def test_scores_with_ratings_get_what_the_command_gives_them(tmp_path):
    study = tmp_path / "recipes"
    shutil.copytree(REPOSITORY / "examples" / "recipes", study)
    run("study", "run", study, "--replicates", "0")
    belief = ju.Belief.load(study / "run")
    assert belief.kind == "scores"
    with open(study / "embeddings.npy", "rb") as file:
        vectors = np.load(file)[:20]
    settings = json.loads((study / "run" / "results" / "belief.json").read_text())
    columns = settings["columns"]
    variants = settings["variants"] if "{variant}" in columns["answers"] else [""]
    rows = []
    for i in range(20):
        row = {columns["id"]: f"new{i}", "embedding": vectors[i].astype(np.float32).tolist()}
        for name in belief.reads:
            if name not in row and name not in (columns["labels"], columns.get("group")):
                row[name] = 1.5 + i % 5 / 4
        if columns.get("group"):
            row[columns["group"]] = settings["groups"][i % len(settings["groups"])]
        row[columns["labels"]] = [[3.0], [2.5, 3.5]] if i % 3 == 0 else []
        rows.append(row)
    assert variants
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("apply", study / "run", "--items", tmp_path / "new.jsonl", "--out", tmp_path / "out")
    ours = belief.apply(pa.Table.from_pylist(rows))
    assert bits(ours) == bits(parts(tmp_path / "out"))


def test_errors_have_the_text_of_the_command(study, tmp_path):
    belief = ju.Belief.load(study)
    bad = answers(10).to_pydict()
    bad["p_plain_mixed"][4] = 1.5
    table = pa.table(bad)
    with pytest.raises(ju.JudgeUncertaintyError) as refused:
        belief.apply(table)
    file = tmp_path / "bad.parquet"
    pq.write_table(table, file)
    said = run("apply", study, "--items", file, "--out", tmp_path / "out", code=2)
    # Where the command names the file stands the word table.
    assert str(refused.value).startswith("table:5 ")
    assert f"error: {str(refused.value).replace('table', str(file), 1)}\n" == said
    rows = belief.apply(table, set_aside=True)
    assert len(rows) == 9 and [(row["row"], row["item"]) for row in rows.set_aside] == [(5, "new4")]
    with pytest.raises(ValueError, match='has no column "p_plain_mixed"'):
        belief.apply(table.drop_columns(["p_plain_mixed"]))
    with pytest.raises(ju.JudgeUncertaintyError, match="Arrow C interface"):
        belief.apply([1, 2])
    labels = table.column_names.index("n_mixed")
    too_large = answers(10).set_column(labels, "n_mixed", pa.array([2**63] + [1] * 9, pa.uint64()))
    with pytest.raises(ju.JudgeUncertaintyError, match='"9223372036854775808" is not a count'):
        belief.apply(too_large)
    belief_json = json.loads((study / "results" / "belief.json").read_text())
    belief_json["seed"] = 1
    (tmp_path / "belief.json").write_text(json.dumps(belief_json))
    with pytest.raises(ju.JudgeUncertaintyError) as refused:
        ju.Belief.load(tmp_path / "belief.json")
    arguments = ["apply", tmp_path / "belief.json", "--items", file, "--out", tmp_path / "out"]
    assert f"error: {refused.value}\n" == run(*arguments, code=2)
    with pytest.raises(ju.JudgeUncertaintyError) as refused:
        ju.Belief.load(tmp_path / "nothing.json")
    assert f"error: {refused.value}\n" == run("apply", tmp_path / "nothing.json", *arguments[2:], code=2)
    with pytest.raises(ju.JudgeUncertaintyError) as refused:
        ju.Belief.load(study, columns={"answer": "x"})
    assert f"error: {refused.value}\n" == run("apply", study, *arguments[2:], "--columns", "answer=x", code=2)


def test_ids_of_every_type_are_the_text_of_their_source(study):
    folder = REPOSITORY / "tests" / "golden" / "parquet" / "ids"
    expected = {}
    with open(folder / "expected.csv", newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            expected.setdefault(row["file"], []).append(row["id"])
    assert len(expected) == 27
    belief = ju.Belief.load(study)
    for name, ids in expected.items():
        table = answers(len(ids))
        # As the file's own library hands it over, which of DuckDB's times in 96 bits is one with nanoseconds.
        table = table.set_column(table.column_names.index("id"), "id", pq.read_table(folder / name).column("id"))
        assert pa.table(belief.apply(table)).column("id").to_pylist() == ids, name


def test_the_forms_are_those_of_the_belief(study):
    table = pa.table(ju.Belief.load(study).apply(answers(200)))
    column = lambda name: table.column(name).to_pylist()
    q = list(zip(*(column(f"q_{name}") for name in CLASSES)))
    counts = list(zip(*(column(f"n_{name}") for name in CLASSES)))
    parts = pa.table(ju.decompose(q, counts, column("trust")))
    for name in ["total", "aleatoric", "epistemic", "v", "delta", "total_evidence"]:
        assert bits(parts)[name] == bits(table)[name], name
    for rule in ["epistemic", "delta", "v", "posterior_entropy", "judge_entropy", "fewest_labels"]:
        assert ju.priority(rule, q, counts, column("trust")) == column(f"priority_{rule}"), rule
    assert "random" not in ju.rules() and "delta" in ju.rules()
    confidence = answers(200).column("confidence").to_pylist()
    assert ju.priority("low_confidence", q, counts, column("trust"), confidence)[1] == -1.0
    assert ju.priority("fewest_labels", np.array(q), np.array(counts), np.array(column("trust"))) == [
        -float(sum(row)) + 0.0 for row in counts
    ]
    with pytest.raises(ju.JudgeUncertaintyError, match="above 0 that sum to 1"):
        ju.decompose([[1.0, 0.5]], [[0, 0]], [1.0])
    with pytest.raises(ju.JudgeUncertaintyError, match="items x classes"):
        ju.decompose([[0.5, 0.5]], [[0, 0, 0]], [1.0])


def test_a_fit_is_that_of_the_run(study):
    table = pq.read_table(study / "items.parquet")
    column = lambda name: table.column(name).to_pylist()
    q = list(zip(*(column(f"q_{name}") for name in CLASSES)))
    counts = list(zip(*(column(f"n_{name}") for name in CLASSES)))
    regression = json.loads((study / "results" / "belief.json").read_text())["fit"]
    of_run, names = leaf(regression, "coefficients"), leaf(regression, "names")
    features = {name: column(f"feature_{name}") for name in names[1:]}
    fitted = ju.fit(q, counts, features)
    assert fitted.names == names and fitted.coefficients == of_run
    assert fitted.converged and fitted.unidentified == [] and fitted.covariance == leaf(regression, "covariance")
    assert np.array(fitted.covariance).shape == (3, 3)
    # A study keeps features of items without labels within those of items with labels.
    labelled = [i for i, row in enumerate(counts) if sum(row)]
    trust = fitted.trust(dict(reversed(features.items())))
    assert len(labelled) > 20
    assert [trust[i] for i in labelled] == [column("trust")[i] for i in labelled]
    alone = ju.fit(q, counts, prior="none")
    assert alone.names == ["intercept"] and len(alone.trust(items=4)) == 4
    with pytest.raises(ju.JudgeUncertaintyError, match="the fit has no features"):
        alone.trust({"confidence": [1.0]})
    with pytest.raises(ju.JudgeUncertaintyError, match='"strong" is not a prior'):
        ju.fit(q, counts, prior="strong")


def leaf(value, name):
    """The first value of this name, however deep."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        return next((found for inner in value.values() if (found := leaf(inner, name)) is not None), None)
    return None


def test_the_interpreter_runs_on_while_a_belief_is_applied(study):
    belief, table = ju.Belief.load(study), answers(60_000)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    belief.apply(table)
    during = len(ticks) - before
    done.set()
    thread.join()
    # Held, the lock would let the other thread run at most once at either end.
    assert during > 3


def test_stubs_and_help_say_the_same():
    stubs = ast.parse((pathlib.Path(ju.__file__).parent / "__init__.pyi").read_text())
    held = 0
    for node in stubs.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            within = [inner for inner in getattr(node, "body", []) if isinstance(inner, ast.FunctionDef)]
            for owner, inner in [(ju, node), *((getattr(ju, node.name), inner) for inner in within)]:
                if (text := ast.get_docstring(inner)) is not None:
                    assert inspect.getdoc(getattr(owner, inner.name)).split() == text.split(), inner.name
                    held += 1
    assert held > 20
