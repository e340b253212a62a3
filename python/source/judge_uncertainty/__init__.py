"""Studies from tables in memory, and fitted beliefs applied to any table with the Arrow C interface."""

from ._native import (
    Applied,
    Belief,
    Columns,
    Fit,
    JudgeUncertaintyError,
    __version__,
    decompose,
    fit,
    priority,
    rules,
)
from .study import Audit, Queue, Result, Run, Study, Table, audit

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
