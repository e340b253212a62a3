"""Studies from tables in memory, and fitted beliefs applied to any table with the Arrow C interface.

Every number is that of the command line, to the bit. Work releases the GIL.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, final

from .study import Audit as Audit
from .study import Queue as Queue
from .study import Result as Result
from .study import Run as Run
from .study import Study as Study
from .study import Table as Table
from .study import audit as audit

__all__ = [
    "Applied",
    "Audit",
    "Belief",
    "Columns",
    "Fit",
    "JudgeUncertaintyError",
    "Queue",
    "Result",
    "Run",
    "Study",
    "Table",
    "__version__",
    "audit",
    "decompose",
    "fit",
    "priority",
    "rules",
]

__version__: str

class JudgeUncertaintyError(ValueError):
    """What was refused, with the text of the command line: what is wrong, where, with which value, and what to do."""

class _Stream(Protocol):
    def __arrow_c_stream__(self) -> object: ...

class _Array(Protocol):
    def __arrow_c_array__(self) -> tuple[object, object]: ...

@final
class Applied:
    """What a belief says of a table: itself a table by the Arrow C interface, for ``pyarrow.table(applied)`` or
    ``polars.DataFrame(applied)``.

    Its columns are those of the parts that ``judge-uncertainty apply`` writes; its ``columns.csv`` states their units.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table, as the Arrow C interface hands it over; it is not cast to a requested schema."""

    def __len__(self) -> int: ...
    @property
    def set_aside(self) -> list[dict[str, Any]]:
        """Rows that could not be used: ``row`` (from 1), ``item``, ``column``, ``problem``."""

    @property
    def drift(self) -> list[dict[str, Any]]:
        """Per quantity ``name``: ``psi`` (nats), ``psi_by_chance``, ``outside`` and ``missing`` (shares of the items)."""

@final
class Belief:
    """The belief that ``judge-uncertainty study run`` fitted and wrote to ``results/belief.json``."""

    @staticmethod
    def load(
        path: str | PathLike[str],
        *,
        columns: Mapping[str, str] | None = None,
        judge: str | PathLike[str] | None = None,
        model: str | None = None,
        cache: str | PathLike[str] | None = None,
    ) -> Belief:
        """Reads a ``belief.json``, or the one in a run folder.

        Args:
            path: The file, or its run folder.
            columns: Names of columns of further items where they differ from those of the belief, such as
                ``{"answers": "share_{class}"}``; the keys are id, answers, deviations, confidence, labels, group, embedding.
            judge: The ``summary.json`` of ``judge run`` for the predictions; a judge other than the belief's is refused.
            model: Folder of the sentence model that embeds texts; by default that of the study.
            cache: Folder for embeddings of texts.

        Raises:
            JudgeUncertaintyError: The file is not a belief, was changed or contradicts itself; another judge made the predictions.
        """

    @property
    def kind(self) -> Literal["classes", "ordinal", "scores"]:
        """What its labels are: classes, ordinal or scores."""

    @property
    def sha256(self) -> str:
        """SHA-256 of the belief."""

    @property
    def rules(self) -> list[str]:
        """The rules that rank further items; each has a column ``priority_RULE``."""

    @property
    def reads(self) -> list[str]:
        """The columns that are read of a table, if it has them."""

    def apply(self, table: _Stream | _Array, *, set_aside: bool = False) -> Applied:
        """Applies the belief to every row of a table: one item a row, with the judge's answers and, optionally, labels.

        The whole table is read, and the result stays in memory: pass a long stream batch by batch, because the result for
        a row does not depend on the other rows. All cores are used, or as many as the environment variable ``RAYON_NUM_THREADS`` says.

        Args:
            table: A row per item, with the Arrow C interface: a pyarrow.Table, RecordBatch or RecordBatchReader, a polars or
                pandas DataFrame, a DuckDB relation. Its columns are those of the audited table, those that ``reads`` names,
                or others that ``audit`` recognises; rows without an answer of the judge are then left out and listed.
            set_aside: Whether rows that can't be used are left out and listed, instead of refused.

        Raises:
            JudgeUncertaintyError: A column that is missing or of another class, or a row that can't be used.
        """

@final
class Fit:
    """A fitted trust: ln lambda = intercept + sum of coefficient x feature, features in standard deviations from their mean."""

    @property
    def names(self) -> list[str]:
        """``intercept``, then the features in the order in which the fit was given them."""

    @property
    def coefficients(self) -> list[float]:
        """In the order of ``names``; of ln labels, per standard deviation of the feature."""

    @property
    def covariance(self) -> list[list[float]]:
        """Covariance of the coefficients, row by row."""

    @property
    def converged(self) -> bool:
        """Whether the search ended at a maximum."""

    @property
    def unidentified(self) -> list[str]:
        """Coefficients that the labels do not determine."""

    def trust(
        self, features: Mapping[str, Sequence[float | None]] | None = None, *, items: int | None = None
    ) -> list[float]:
        """Trust lambda of items, in labels: what a prediction of the judge is worth.

        Args:
            features: Those of the fit, a value or None per item.
            items: How many, for a fit without features.
        """

@final
class Columns:
    """A table of results, by the Arrow C interface, for ``pyarrow.table(columns)`` or ``polars.DataFrame(columns)``."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table, as the Arrow C interface hands it over; it is not cast to a requested schema."""

def decompose(q: Sequence[Sequence[float]], counts: Sequence[Sequence[int]], trust: Sequence[float]) -> Columns:
    """Total = aleatoric + epistemic uncertainty about a fresh label under the belief Dir(trust q + counts).

    Args:
        q: Items x classes, the judge's predicted shares: above 0, each row sums to 1.
        counts: Items x classes, labels in hand.
        trust: Per item, in labels, above 0.

    Returns:
        A row per item: ``total``, ``aleatoric``, ``epistemic`` (nats), ``v`` (posterior spread, 0 to 1), ``delta`` (fall of v by
        one label) and ``total_evidence`` (labels).

    Raises:
        JudgeUncertaintyError: Shapes that differ, or a value out of its range, with its item.
    """

def fit(
    q: Sequence[Sequence[float]],
    counts: Sequence[Sequence[int]],
    features: Mapping[str, Sequence[float | None]] | None = None,
    *,
    prior: Literal["weak", "none"] = "weak",
) -> Fit:
    """Fits the trust in the judge to labels, as a study of classes with ``belief = "published"`` does, but
    features of items without labels are not kept within those of items with labels.

    Args:
        q: Items x classes, the judge's predicted shares: above 0, each row sums to 1.
        counts: Items x classes, labels in hand; items without any do not enter.
        features: What trust may depend on, by name: a value or None per item, which counts as the average.
        prior: ``weak``, or ``none`` for the paper's maximum likelihood.

    Raises:
        JudgeUncertaintyError: Shapes that differ, a value out of its range, or with prior ``none`` no labels at all.
    """

def priority(
    rule: str,
    q: Sequence[Sequence[float]],
    counts: Sequence[Sequence[int]],
    trust: Sequence[float],
    confidence: Sequence[float | None] | None = None,
) -> list[float]:
    """The priority of every item under one of ``rules()``, higher first, without the draws that break ties.

    Args:
        rule: One of ``rules()``.
        q: Items x classes, the judge's predicted shares: above 0, each row sums to 1.
        counts: Items x classes, labels in hand.
        trust: Per item, in labels, above 0.
        confidence: Per item, 0 to 100 or None, for the rule ``low_confidence``.

    Raises:
        JudgeUncertaintyError: As ``decompose``; an unknown rule, or one that needs the missing confidence.
    """

def rules() -> list[str]:
    """The rules that rank items whose labels are classes, except the random one."""
