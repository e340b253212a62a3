"""Studies from tables in memory: ``judge-uncertainty audit`` and the whole loop of ``judge-uncertainty study``.

Every call runs one command of the program, so that results are the command's, byte for byte. The program comes with the
wheel; the environment variable ``JUDGE_UNCERTAINTY`` names another one.
"""

from __future__ import annotations

import csv
import hashlib
import html
import importlib
import importlib.metadata
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

from ._native import JudgeUncertaintyError

__all__ = ["Audit", "Queue", "Result", "Run", "Study", "Table", "audit"]

# Folders of audits and studies that the caller names none for; they go when Python ends.
_TEMPORARY: list[tempfile.TemporaryDirectory[str]] = []


def _program() -> str:
    named = os.environ.get("JUDGE_UNCERTAINTY")
    if named:
        return named
    try:
        files = importlib.metadata.files("judge-uncertainty-module") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    # Where pip put the scripts of this wheel, wherever that is.
    own = [pathlib.Path(str(file.locate())).resolve() for file in files if file.stem == "judge-uncertainty"]
    beside = pathlib.Path(sys.executable).with_name("judge-uncertainty")
    there = next((str(file) for file in [*own, beside] if file.is_file()), None)
    found = there or shutil.which("judge-uncertainty")
    if not found:
        raise JudgeUncertaintyError(
            "the program judge-uncertainty is not found; install it, or name it in the environment variable JUDGE_UNCERTAINTY"
        )
    return found


def _folder(named: str | os.PathLike[str] | None) -> pathlib.Path:
    """The folder that the caller names, or a temporary one."""
    if named is not None:
        return pathlib.Path(named)
    _TEMPORARY.append(tempfile.TemporaryDirectory(prefix="judge-uncertainty-"))
    return pathlib.Path(_TEMPORARY[-1].name)


def _spoken(text: str, table: pathlib.Path | None = None) -> str:
    """A text of the command as a Python user reads it: arguments in place of options, ``the table`` in place of its file."""
    if table is not None:
        text = text.replace(str(table), "the table").replace(table.name, "the table")
    text = re.sub(r"--columns ([a-z_]+)=([^\s,;)]+[^\s,;).])", r'columns={"\1": "\2"}', text)
    text = re.sub(r"--([a-z][a-z-]*) ([a-z0-9]+)\b(?=[,;.)])", lambda m: f'{m[1].replace("-", "_")}="{m[2]}"', text)
    return re.sub(r"--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_"), text)


def _shown(summary: str, folder: pathlib.Path | None = None) -> str:
    """An answer without what is of use on a command line only: paths in the study's folder, and the next commands."""
    lines, kept = [], True
    if folder is not None:
        summary = re.sub(rf",\s+in\s+{re.escape(str(folder))}/[\w-]+", "", summary)
    for line in summary.splitlines():
        if not line.startswith(" "):
            kept = not line.startswith(("Report:", "Next:", "All of one criterion"))
        if kept:
            lines.append(line)
    return _spoken("\n".join(lines)) + "\n"


def _call(*arguments: object, progress: bool = False, table: pathlib.Path | None = None) -> str:
    """The standard output of a command. Its messages become an exception if it refuses or fails; warnings and progress
    go to ``sys.stderr``. ``table`` is the file into which a table in memory was written."""
    command = [_program(), *map(str, arguments)]
    # No escape codes, whatever a notebook's server sets.
    environment = {name: value for name, value in os.environ.items() if name not in ("CLICOLOR_FORCE", "FORCE_COLOR")}
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        env=environment | {"NO_COLOR": "1"},
    )
    said: list[str] = []

    def listen() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            if progress:
                print(line, end="", file=sys.stderr, flush=True)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        assert process.stdout is not None
        output = process.stdout.read()
        code = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    listener.join()
    message = "".join(said).strip()
    if code != 0:
        raise JudgeUncertaintyError(_spoken(message.removeprefix("error: "), table) or f"the program ended with status {code}")
    if message and not progress:
        print(_spoken(message, table), file=sys.stderr)
    return output


def _columns(table: Any) -> dict[str, list[Any]]:
    """The columns of a table of pandas, polars, pyarrow or any library with the Arrow C interface, of a mapping of columns,
    or of a list of mappings."""
    if isinstance(table, Table):
        return table.columns
    if isinstance(table, Mapping):
        return {str(name): list(column) for name, column in table.items()}
    if hasattr(table, "to_pydict"):
        return dict(table.to_pydict())
    if hasattr(table, "iter_rows") and hasattr(table, "to_dict"):
        return dict(table.to_dict(as_series=False))
    if hasattr(table, "columns") and hasattr(table, "iloc"):
        return {str(name): table[name].tolist() for name in table.columns}
    if hasattr(table, "__arrow_c_stream__"):
        import pyarrow  # type: ignore[import-untyped]

        return dict(pyarrow.table(table).to_pydict())
    if isinstance(table, Iterable):
        rows = list(table)
        if rows and all(isinstance(row, Mapping) for row in rows):
            return _rows(rows).columns
    raise JudgeUncertaintyError(
        f"a table is needed, not {type(table).__name__}: give a DataFrame of pandas or polars, a pyarrow.Table, "
        "a mapping of columns or a list of mappings"
    )


def _cell(value: Any) -> str:
    if value is None or isinstance(value, float) and math.isnan(value) or str(value) in ("<NA>", "NaT"):
        return ""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "true" if value else "false"
    # The shortest text that is read as the same number.
    return repr(float(value)) if isinstance(value, float) else str(value)


def _write(table: Any, file: pathlib.Path) -> None:
    columns = _columns(table)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise JudgeUncertaintyError(f"the columns have different lengths: {lengths}")
    with open(file, "x", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(value) for value in row] for row in zip(*columns.values(), strict=True))


def _library(table: Any) -> str | None:
    """The library of data frames that made a table; ``None`` for rows, columns and files."""
    name = type(table).__module__.partition(".")[0]
    return name if name in ("pandas", "polars", "pyarrow") else None


def _frame(table: Table, library: str | None) -> Any:
    """The table as a data frame of a library, by default of pandas; as it is where pandas is not installed."""
    try:
        module = importlib.import_module(library or "pandas")
    except ImportError:
        return table
    return (module.table if library == "pyarrow" else module.DataFrame)(table.columns)


class Table:
    """Columns by name: what results are where no library of data frames is installed."""

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self.columns: dict[str, list[Any]] = {name: list(column) for name, column in columns.items()}

    @classmethod
    def _read(cls, file: pathlib.Path) -> Table:
        with open(file, newline="", encoding="utf-8-sig") as lines:
            rows = csv.reader(lines)
            header = next(rows)
            columns: list[list[str]] = [[] for _ in header]
            for row in rows:
                for column, value in zip(columns, row, strict=True):
                    column.append(value)
        return cls({name: _typed(column) for name, column in zip(header, columns, strict=True)})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]

    def __repr__(self) -> str:
        return f"Table of {len(self)} rows: {', '.join(self.columns)}"

    def _repr_html_(self) -> str:
        def cells(values: Iterable[Any], tag: str) -> str:
            shown = [f"{value:.4g}" if isinstance(value, float) else _cell(value) for value in values]
            return "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in shown)

        rows = list(zip(*self.columns.values(), strict=True))
        body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows[:20])
        more = f"<p>{len(rows) - 20} further rows</p>" if len(rows) > 20 else ""
        return f"<table><thead><tr>{cells(self.columns, 'th')}</tr></thead><tbody>{body}</tbody></table>{more}"


def _typed(column: list[str]) -> list[Any]:
    """A column of numbers as numbers, blank cells missing; any other as texts."""
    filled = [value for value in column if value]
    # A number that is spelled in another way, such as 007, is a text.
    for kind in (int, float):
        try:
            if filled and all(kind is float or str(int(value)) == value for value in filled):
                return [kind(value) if value else None for value in column]
        except ValueError:
            continue
    return column


class Audit:
    """What ``judge-uncertainty audit`` says of a judge: as text, as data frames, and as the study that goes on from it.

    Data frames are of the library that the table came in, else of pandas.
    """

    def __init__(
        self, folder: pathlib.Path, summary: str, progress: bool = False, library: str | None = None, in_memory: bool = False
    ) -> None:
        self.folder = folder
        self.summary = summary
        self._progress = progress
        self._in_memory = in_memory
        self._library = library
        text = (folder / "run" / "results" / "study.json").read_text(encoding="utf-8")
        self.results: dict[str, Any] = json.loads(text)["answer"]

    def _rows(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        return _frame(_rows(rows), self._library)

    @property
    def verdict(self) -> str:
        """Whether the judge can be relied on, in a sentence."""
        return str(self.results["says"])

    @property
    def findings(self) -> Any:
        """Data frame of every figure: ``id``, ``over``, ``value`` with the ends ``lo`` and ``hi`` of its 95% interval and the
        number of ``items``, or why it is ``not_estimable``, and the sentence, ``says``."""
        return self._rows(self._findings())

    def _findings(self) -> list[dict[str, Any]]:
        return [{"id": one["id"], "over": one["over"], **_interval(one["found"]), "says": one["says"]}
                for one in self.results["findings"]]

    def _rates(self) -> list[dict[str, Any]]:
        return [{"id": one["id"], "over": one["over"], **_interval(one["found"])}
                for one in self.results["findings"] if one["id"].startswith("rate.")]

    @property
    def rates(self) -> Any:
        """Data frame of the findings that are rates, or means, over all items, groups and systems."""
        return self._rows(self._rates())

    @property
    def disagreements(self) -> Any:
        """Data frame of the items on which judge and people disagree: ``id``, ``cause``, ``judge``, ``people``."""
        return self._rows(self.results["disagreements"])

    @property
    def next(self) -> Any:
        """Data frame of the first items to label, with the reason, ``why``."""
        return self._rows(self._next())

    def _next(self) -> list[dict[str, Any]]:
        return list((self.results["next"] or {}).get("first", []))

    def plot(self, ax: Any = None) -> Any:
        """Draws the rates with their 95% intervals by matplotlib, on ``ax`` or on new axes, which it returns."""
        import matplotlib.pyplot as plt  # type: ignore[import-untyped, import-not-found, unused-ignore]

        rates = [rate for rate in self._rates() if rate["value"] is not None][::-1]
        ax = ax or plt.subplots(figsize=(6, 0.4 * len(rates) + 1))[1]
        for place, rate in enumerate(rates):
            if rate["lo"] is not None:
                ax.plot([rate["lo"], rate["hi"]], [place, place], color="0.5")
            ax.plot(rate["value"], place, "o", color="black")
        ax.set_yticks(range(len(rates)), [rate["id"].removeprefix("rate.") for rate in rates])
        ax.set_xlabel("rate, with its 95% interval")
        return ax

    @property
    def study(self) -> Study:
        """The study that the audit wrote."""
        study = Study(self.folder, progress=self._progress)
        study._library = self._library
        return study

    @property
    def report(self) -> pathlib.Path:
        """The page of the answer."""
        return self.folder / "run" / "report" / "index.html"

    def __repr__(self) -> str:
        shown = _shown(self.summary, self.folder)
        return re.sub(r"^table\.csv \(CSV\)", "the table", shown) if self._in_memory else shown

    def _repr_html_(self) -> str:
        tables = [("Findings", _rows(self._findings())), ("Label next", _rows(self._next()))]
        shown = "".join(f"<h4>{name}</h4>{table._repr_html_()}" for name, table in tables if len(table))
        return f"<pre>{html.escape(repr(self))}</pre>{shown}"


class Result(dict[str, Any]):
    """What a command says: its JSON as a mapping, shown as the command prints it."""

    def __init__(self, found: Mapping[str, Any], summary: str) -> None:
        super().__init__(found)
        self.summary = summary

    def __repr__(self) -> str:
        return _shown(self.summary)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


@overload
def audit(
    table: str | os.PathLike[str] | list[pathlib.Path],
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    labelled: str = "unknown",
    budget: int | str = 50,
    folder: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Audit | list[Audit]: ...


@overload
def audit(
    table: Any,
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    labelled: str = "unknown",
    budget: int | str = 50,
    folder: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Audit: ...


def audit(
    table: Any,
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    labelled: str = "unknown",
    budget: int | str = 50,
    folder: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Audit | list[Audit]:
    """Says whether the judge of a table can be trusted, what the rate is without its errors, and what to label next.

    Args:
        table: A row per item with the judge's answer, and people's answers in some rows: of pandas, polars or pyarrow, rows,
            or the path of a file; of a log that stands in several files, a list of ``pathlib.Path``.
        columns: What columns hold where their names do not tell: ``{"verdict": "llm_says", "human": ["ann", "ben"]}``.
        labelled: How the labelled rows were chosen: ``random``, ``unknown``, or the column with the probability of each.
        budget: How many rows are queued, such as 50 or ``"10%"``.
        folder: Where the study is written; without it, into a temporary folder that goes when Python ends.
        progress: Whether the program's progress is printed to ``sys.stderr``.

    Returns:
        The audit; of a log with several criteria a list of one for each, in the order of their folders' names.

    Raises:
        JudgeUncertaintyError: What the command refuses, with its message.
    """
    to = _folder(folder)
    options: list[object] = ["--labelled", labelled, "--budget", budget, "--out", to]
    for role, names in (columns or {}).items():
        options += [part for name in ([names] if isinstance(names, str) else names) for part in ("--columns", f"{role}={name}")]
    files = [table] if isinstance(table, (str, os.PathLike)) else table
    in_memory = not (isinstance(files, list) and files and all(isinstance(file, (str, os.PathLike)) for file in files))
    if not in_memory:
        summary = _call("audit", *files, *options, progress=progress)
    else:
        with tempfile.TemporaryDirectory() as place:
            written = pathlib.Path(place) / "table.csv"
            _write(table, written)
            summary = _call("audit", written, *options, progress=progress, table=written)
    if (to / "audit.json").exists():
        return Audit(to, summary, progress, _library(table), in_memory)
    # Several criteria are compared on one screen; each has an answer of its own.
    folders = sorted(file.parent for file in to.glob("*/audit.json"))
    return [Audit(one, _call("audit", one, progress=progress), progress, _library(table)) for one in folders]


def _interval(estimate: Mapping[str, Any]) -> dict[str, Any]:
    """The value of an estimate with its interval, or the reason why it is missing."""
    return {name: estimate.get(name) for name in ("value", "lo", "hi", "items", "not_estimable")}


def _rows(rows: Sequence[Mapping[str, Any]]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Table({name: [row.get(name) for row in rows] for name in names})


class Run:
    """What ``judge-uncertainty study run`` found."""

    def __init__(
        self, folder: pathlib.Path, results: dict[str, Any], summary: str, study: pathlib.Path, library: str | None = None
    ) -> None:
        self.folder = folder
        self._study = study
        self.results = results
        self.summary = summary
        self._library = library

    @property
    def items(self) -> Any:
        """Data frame with a row for each item: the judge's prediction, the belief and its parts.

        Of more than 200,000 items the run has a Parquet file alone, which pyarrow reads.
        """
        table = self.folder / "items.csv"
        if table.exists():
            return _frame(Table._read(table), self._library)
        try:
            parquet = importlib.import_module("pyarrow.parquet")
        except ImportError:
            raise JudgeUncertaintyError(f"{table.with_suffix('.parquet')} holds the items: install pyarrow to read it") from None
        columns = parquet.read_table(table.with_suffix(".parquet"))
        return columns if self._library == "pyarrow" else _frame(Table(columns.to_pydict()), self._library)

    @property
    def report(self) -> pathlib.Path:
        """The page of the run."""
        return self.folder / "report" / "index.html"

    def __repr__(self) -> str:
        return _shown(self.summary, self._study)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


class Queue:
    """What experts should label next, as ``judge-uncertainty study queue`` wrote it."""

    def __init__(self, folder: pathlib.Path, record: dict[str, Any], library: str | None = None) -> None:
        self.folder = folder
        self.record = record
        self._library = library

    def _tasks(self) -> Table:
        return Table._read(self.folder / "queue.csv")

    @property
    def tasks(self) -> Any:
        """Data frame with a row for each item of the queue in the order of its rank."""
        return _frame(self._tasks(), self._library)

    def __len__(self) -> int:
        return int(self.record["queued"])

    def __repr__(self) -> str:
        return f"{len(self)} of {self.record['items']} items by the rule {self.record['rule']}"

    def _repr_html_(self) -> str:
        tasks = self._tasks()
        shown = Table({name: tasks[name] for name in ("rank", "id", "text", "labels_suggested")})
        return f"<p>{html.escape(repr(self))}</p>{shown._repr_html_()}"


class Study:
    """A study in a folder: ``study.toml`` and its tables."""

    def __init__(self, path: str | os.PathLike[str], *, progress: bool = False) -> None:
        path = pathlib.Path(path)
        self.folder = path.parent if path.name.endswith(".toml") else path
        self.path = path
        self.progress = progress
        self._library: str | None = None
        self.check()

    @classmethod
    def from_tables(
        cls,
        items: Any,
        judge: Any,
        labels: Any = None,
        *,
        classes: Sequence[str] | None = None,
        places: Sequence[int] | None = None,
        scale: tuple[float, float] | None = None,
        folder: str | os.PathLike[str] | None = None,
        title: str = "Study",
        text: str | None = None,
        criterion: str | None = None,
        rubric: str | None = None,
        instruction: str | None = None,
        group: str | None = None,
        numbers: Sequence[str] = (),
        categories: Sequence[str] = (),
        variant: str | None = None,
        confidence: str | None = None,
        belief: str | None = None,
        seed: int | None = None,
        progress: bool = False,
    ) -> Study:
        """Writes a study of three tables and reads it.

        ``items`` has a column ``id``. ``judge`` has ``id`` and, for classes or places, ``label`` or a column ``p_CLASS`` for
        each class, for scores ``mean``. ``labels`` has ``id``, ``annotator`` and ``label``. ``text`` is a template of what
        experts read, by default the column ``text``. Without ``folder`` it is written
        into a temporary one that goes when Python ends.
        """
        if sum(kind is not None for kind in (classes, places, scale)) != 1:
            raise JudgeUncertaintyError("say what labels can be with one of classes, places and scale")
        where = _folder(folder)
        where.mkdir(parents=True, exist_ok=True)
        if (where / "study.toml").exists():
            raise JudgeUncertaintyError(f"{where / 'study.toml'} exists: name another folder, or open it with Study(folder)")
        item_columns, judge_columns = _columns(items), _columns(judge)
        _write(item_columns, where / "items.csv")
        _write(judge_columns, where / "judge.csv")
        _write(labels if labels is not None else {"id": [], "annotator": [], "label": []}, where / "labels.csv")
        if text is None and "text" in item_columns:
            text = "{text}"
        kind = "labels" if "label" in judge_columns else "probabilities"
        lines = [f"title = {_toml(title)}"]
        lines += [
            f"{key} = {_toml(list(value))}"
            for key, value in (("classes", classes), ("places", places), ("scale", scale))
            if value is not None
        ]
        lines += _settings(instruction=instruction, seed=seed)
        if criterion is not None:
            lines += ["", "[criterion]", *_settings(name=criterion, rubric=rubric)]
        lines += ["", "[items]", *_settings(file="items.csv", text=text, group=group)]
        lines += _settings(numbers=list(numbers) or None, categories=list(categories) or None)
        lines += ["", "[judge]", 'file = "judge.csv"']
        lines += _settings(kind=kind if scale is None else None, variant=variant, confidence=confidence)
        lines += ["", "[labels]", 'file = "labels.csv"']
        lines += ['form = "long"'] if scale is None else ['score = "label"']
        if belief is not None:
            lines += ["", "[trust]", *_settings(belief=belief)]
        # Last, because this file makes the folder a study.
        (where / "study.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        study = cls(where, progress=progress)
        study._library = _library(items)
        return study

    @classmethod
    def from_log(cls, *logs: str | os.PathLike[str], folder: str | os.PathLike[str], progress: bool = False) -> list[Study]:
        """Makes a study of each criterion of a judge's log, as ``audit`` does."""
        _call("audit", *logs, "--out", folder)
        made = pathlib.Path(folder)
        folders = [made] if (made / "study.toml").exists() else sorted(p.parent for p in made.glob("*/study.toml"))
        return [cls(one, progress=progress) for one in folders]

    def _json(self, *arguments: object) -> Any:
        return json.loads(_call("study", *arguments, "--json", progress=self.progress))

    def check(self) -> dict[str, Any]:
        """What was read: items, answers of the judge, labels, and what is missing."""
        found: dict[str, Any] = self._json("check", self.path)
        return found

    def run(self, *, out: str | os.PathLike[str] | None = None, replicates: int | None = None) -> Run:
        """Decomposes the uncertainty about every item; replaces the run that the folder holds."""
        to = pathlib.Path(out) if out is not None else self.folder / "run"
        options = ["--out", to, *([] if replicates is None else ["--replicates", replicates])]
        options += ["--force"] if to.exists() else []
        summary = _call("study", "run", self.path, *options, progress=self.progress)
        results = json.loads((to / "results" / "study.json").read_text(encoding="utf-8"))
        return Run(to, results, summary, self.folder, self._library)

    def queue(
        self,
        budget: int | str | None = None,
        *,
        rule: str | None = None,
        until: str | None = None,
        labels_per_item: int | None = None,
        explore: float | None = None,
        seed: int | None = None,
        with_suggestions: bool = False,
        out: str | os.PathLike[str] | None = None,
    ) -> Queue:
        """Ranks the items and writes those within the budget; replaces the queue that the folder holds."""
        to = pathlib.Path(out) if out is not None else self.folder / "queue"
        options: list[object] = ["--out", to]
        options += ["--until", until] if until is not None else [] if budget is None else ["--budget", budget]
        for name, value in (("--rule", rule), ("--labels-per-item", labels_per_item), ("--explore", explore), ("--seed", seed)):
            options += [] if value is None else [name, value]
        options += ["--with-suggestions"] if with_suggestions else []
        options += ["--force"] if to.exists() else []
        return Queue(to, self._json("queue", self.path, *options), self._library)

    def add_labels(self, labels: Any, *, annotator: str | None = None, skip_known: bool = False) -> str:
        """Adds labels from a table ``id, annotator, label`` or a file of a labelling tool; returns what was added.

        Labels that are there already are left out; ``skip_known``, which once asked for that, changes nothing.
        """
        options: list[object] = [] if annotator is None else ["--annotator", annotator]
        options += ["--skip-known"] if skip_known else []
        if isinstance(labels, (str, os.PathLike)):
            return _spoken(_call("study", "labels", "add", labels, self.path, *options, progress=self.progress))
        with tempfile.TemporaryDirectory() as folder:
            written = pathlib.Path(folder) / "labels.csv"
            _write(labels, written)
            sum_of_bytes = hashlib.sha256(written.read_bytes()).hexdigest()
            named = written.rename(written.with_name(f"table-{sum_of_bytes[:12]}.csv"))
            return _shown(_call("study", "labels", "add", named, self.path, *options, progress=self.progress, table=named))

    def _result(self, *command: object) -> Result:
        found = json.loads(_call(*command, "--json", progress=self.progress))
        return Result(found, _call(*command, progress=self.progress))

    def compare(self, other: Study | str | os.PathLike[str]) -> Result:
        """This judge against that of another study of the same items."""
        return self._result("compare", self.path, other.path if isinstance(other, Study) else other)

    def plan(self, *, target: float | None = None) -> Result:
        """How narrow the rate, agreement and kappa become with further labels; with ``target`` (points of a hundred, of numbers
        units of their scale) also how many labels half an interval of that width needs."""
        return self._result("study", "plan", self.path, *([] if target is None else ["--target", target]))

    def label_page(self, *, out: str | os.PathLike[str] | None = None) -> pathlib.Path:
        """Writes the page on which experts label the queue."""
        to = pathlib.Path(out) if out is not None else self.folder / "label.html"
        _call("study", "labels", "page", self.path, "--out", to, progress=self.progress)
        return to

    def __repr__(self) -> str:
        return f"Study({str(self.path)!r})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(_call('study', 'check', self.path))}</pre>"


def _toml(value: Any) -> str:
    """A text, a number or a list of these as TOML."""
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for the character that JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(one) for one in value)}]"
    return str(value)


def _settings(**settings: Any) -> list[str]:
    return [f"{key} = {_toml(value)}" for key, value in settings.items() if value is not None]
