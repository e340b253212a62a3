"""What every worker does with some rows, whichever engine hands them over."""

import functools
import os
import signal

# An engine gives a task one core, and runs as many as it has cores. Read when the module first computes.
os.environ.setdefault("RAYON_NUM_THREADS", "1")

import pyarrow as pa

import judge_uncertainty


@functools.cache
def belief(path):
    """The belief, read once by each process."""
    return judge_uncertainty.Belief.load(path)


def applied(path, table, die_once=None):
    """What the belief says of a table. With `die_once`, a file that is not there yet, the process first makes it and is killed, as
    by a machine that goes away: the engine has to do its part again."""
    if die_once and table.num_rows:
        try:
            os.close(os.open(die_once, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return pa.table(belief(path).apply(table))


def reads(path, names):
    """The columns that are handed over, of those that a table has."""
    return [name for name in names if name in belief(path).reads]


def schema(path, table):
    """The columns that come out for a table of these columns."""
    return applied(path, table.slice(0, 0)).schema
