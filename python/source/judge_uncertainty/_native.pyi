"""The compiled part, whose names the package hands on."""

from . import Applied as Applied
from . import Belief as Belief
from . import Columns as Columns
from . import Fit as Fit
from . import JudgeUncertaintyError as JudgeUncertaintyError
from . import __version__ as __version__
from . import decompose as decompose
from . import fit as fit
from . import priority as priority
from . import rules as rules

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
