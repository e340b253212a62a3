"""What the three programs share of their command lines and queues."""

import argparse
import csv


def parser():
    """BELIEF ITEMS OUT [--top N] [--rule RULE]; a program adds options of its own."""
    given = argparse.ArgumentParser()
    given.add_argument("belief")
    given.add_argument("items")
    given.add_argument("out")
    given.add_argument("--top", type=int)
    given.add_argument("--rule", default="epistemic")
    return given


def columns(rule):
    """What a queue says of an item; it is ranked by the second of them, then by the third, then by the first."""
    return ["id", f"priority_{rule}", "tie_break"]


def write_queue(path, rule, rows):
    """Writes ranked `rows`, mappings from column to value, as CSV."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns(rule))
        writer.writeheader()
        writer.writerows(rows)
