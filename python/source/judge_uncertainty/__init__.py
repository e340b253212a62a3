"""Applies the belief that ``judge-uncertainty study run`` fitted to any table with the Arrow C interface."""

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

__all__ = [
    "Applied",
    "Belief",
    "Columns",
    "Fit",
    "JudgeUncertaintyError",
    "__version__",
    "decompose",
    "fit",
    "priority",
    "rules",
]
