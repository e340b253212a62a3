"""What cleanlab, PPI++, majority vote and this program say of one file, support.csv: the numbers of docs/compared.md.

    pip install cleanlab==2.9.0 ppi-python==0.2.3 scikit-learn    # run with these versions
    python examples/compared.py PROGRAM

The file is invented, so what is true of each row is known (make.py). Prints a table in Markdown.
"""

import csv
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from cleanlab.multiannotator import get_active_learning_scores, get_majority_vote_label
from ppi_py import classical_mean_ci, ppi_mean_ci, ppi_mean_pointestimate

import make

PROGRAM = Path(sys.argv[1]).resolve()
FILES = 40


def audit(table):
    """The answer, and the rows of the queues for items and for errors."""
    with tempfile.TemporaryDirectory() as folder:
        with open(Path(folder) / "support.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(table)
        run = lambda *words: subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, check=True).stdout
        answer = json.loads(run("audit", "support.csv", "--labelled", "random", "--out", "s", "--json"))["answer"]
        queued = lambda: [int(row["id"][1:]) - 1 for row in csv.DictReader(open(Path(folder) / "s/queue/queue.csv", newline=""))]
        items = queued()
        run("study", "queue", "s", "--for", "errors", "--force")
        return answer, items, queued()


def compared(seed):
    """Rates with their intervals by name, rows that the judge is wrong on in 50 by name, and the true rate, of one file."""
    header, rows, truths = make.support(random.Random(seed))
    column = {name: [row[k] for row in rows] for k, name in enumerate(header)}
    truth, judge = (np.array(words) == "pass" for words in (truths, column["judge_verdict"]))
    confidence = np.array(column["judge_confidence"], float)
    value = {"pass": 1.0, "fail": 0.0, "": np.nan}
    people = np.array([[value[word] for word in column[name]] for name in ("human_1", "human_2")]).T
    labelled = ~np.isnan(people[:, 0])
    open_ = np.flatnonzero(~labelled)
    answer, items, errors = audit([header, *rows])
    ours = next(finding["found"] for finding in answer["findings"] if finding["id"] == "rate.pass")

    y, f, rest = people[labelled].mean(axis=1), judge[labelled].astype(float), judge[~labelled].astype(float)
    votes = (people[labelled].sum(axis=1) >= 1).astype(float)
    ends = lambda found: np.ravel(found).tolist()
    rates = {
        "the judge alone": (judge.mean(), None),
        "majority vote (ties: pass)": (votes.mean(), ends(classical_mean_ci(votes, alpha=0.05))),
        "mean of people's labels": (y.mean(), ends(classical_mean_ci(y, alpha=0.05))),
        "PPI++": (ends(ppi_mean_pointestimate(y, f, rest))[0], ends(ppi_mean_ci(y, f, rest, alpha=0.05))),
        "judge-uncertainty": (ours["value"], (ours["lo"], ours["hi"])),
    }
    # cleanlab takes probabilities of a model: here the judge's answer with its stated confidence.
    p = np.where(judge, confidence, 1 - confidence)
    p = np.column_stack([1 - p, p])
    _, scores = get_active_learning_scores(labels_multiannotator=people[labelled], pred_probs=p[labelled], pred_probs_unlabeled=p[~labelled])
    first = lambda score: open_[np.argsort(score, kind="stable")[:50]]
    wrong = judge != truth
    found = {
        "judge-uncertainty, --for errors": wrong[errors].sum(),
        "judge-uncertainty, --for items": wrong[items].sum(),
        "cleanlab, active learning scores": wrong[first(scores)].sum(),
        "least confident first": wrong[first(confidence[open_])].sum(),
        "at random, expected": 50 * wrong[open_].mean(),
    }
    return rates, found, truth.mean()


def main():
    runs = [compared(make.SUPPORT + 100 * k) for k in range(FILES)]
    rates, found, truth = runs[0]
    print(f"| rate of pass, in truth {100 * truth:.1f}% | support.csv | {FILES} files: interval contains the truth | mean width |\n|---|---|--:|--:|")
    for name, (value, ends) in rates.items():
        if ends is None:
            print(f"| {name} | {100 * value:.1f} | | |")
            continue
        holds = sum(run[name][1][0] <= true <= run[name][1][1] for run, _, true in runs)
        width = np.mean([run[name][1][1] - run[name][1][0] for run, _, _ in runs])
        print(f"| {name} | {100 * value:.1f} [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}] | {holds} | {100 * width:.1f} |")
    print(f"\n| errors of the judge in 50 rows | support.csv | mean of {FILES} files |\n|---|--:|--:|")
    for name, number in found.items():
        print(f"| {name} | {number:.0f} | {np.mean([run[name] for _, run, _ in runs]):.1f} |")


main()
