"""Whether queues for errors of a rating judge find larger errors than random items do.

Usage: error_queues.py PROGRAM [STUDIES [DICES]] | .ci/evidence queue-against-random 'errors of ratings'

Each study has 300 items whose true mean rating is uniform from 1 to 5, and 100 (or 30) of them have the rating of a person, with a
standard deviation of 0.5 about it. The judge's error is the same everywhere (constant), larger for low ratings (place) or for middle
ones (middle), comes from a scale that it compresses to three tenths (compressed), or is that of a judge who in a quarter of the items
says 5 whatever is true (sure). Groups of items are drawn at random and tell nothing. Ratings are whole or have two decimals. DICES is
the folder of a study of its 990 conversations: people's ratings are means of five of its raters' answers (no 0, unsure 5, yes 10), the
truth is the mean of all, and 200 items have a rating. Columns: the mean absolute error of the judge in the ranked part of a queue of 40,
that of all items without a label, and the difference with its standard error over studies.
"""

import collections
import csv
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ITEMS = 300
WORLDS = {
    "constant": lambda draws, x: x + draws.gauss(0, 0.9),
    "place": lambda draws, x: x + draws.gauss(0, 0.3 + 0.4 * (5 - x)),
    "middle": lambda draws, x: x + draws.gauss(0, 1.4 if 2 < x < 4 else 0.3),
    "compressed": lambda draws, x: 3 + 0.3 * (x - 3) + draws.gauss(0, 0.3),
    "sure": lambda draws, x: 5 if draws.random() < 0.25 else x + draws.gauss(0, 0.4),
}


def simulated(world, digits, labelled, seed):
    draws = random.Random(f"{world} {digits} {labelled} {seed}")

    def rating(x):
        return round(max(1.0, min(5.0, x)), digits)

    truth = [draws.uniform(1, 5) for _ in range(ITEMS)]
    judge = [rating(WORLDS[world](draws, x)) for x in truth]
    known = set(draws.sample(range(ITEMS), labelled))
    people = [rating(x + draws.gauss(0, 0.5)) if i in known else "" for i, x in enumerate(truth)]
    return truth, judge, people, [draws.choice("abcd") for _ in truth]


def dices(folder, seed):
    draws = random.Random(f"dices {seed}")
    value = {"No": 0, "Unsure": 5, "Yes": 10}
    answers, judge = collections.defaultdict(list), {}
    for row in csv.DictReader(open(folder / "labels.csv", newline="")):
        answers[row["id"]].append(value[row["label"]])
    for row in csv.DictReader(open(folder / "judge.csv", newline="")):
        judge.setdefault(row["id"], round(10 * float(row["p_Yes"]) + 5 * float(row["p_Unsure"]), 2))
    ids = list(judge)
    known = set(draws.sample(ids, 200))
    people = [statistics.mean(draws.sample(answers[one], 5)) if one in known else "" for one in ids]
    return [statistics.mean(answers[one]) for one in ids], [judge[one] for one in ids], people, [draws.choice("abcd") for _ in ids]


def queued(program, truth, judge, people, groups):
    """The error in the ranked part of a queue, and that of all items without a label."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with open(folder / "t.csv", "w", newline="") as file:
            csv.writer(file).writerows([["id", "topic", "judge_score", "human"], *zip(range(len(truth)), groups, judge, people)])
        for arguments in (["audit", "t.csv", "--labelled", "random", "--out", "s"], ["study", "queue", "s", "--budget", "40", "--for", "errors", "--force"]):
            subprocess.run([program, *arguments], cwd=folder, capture_output=True, check=True)
        rows = [json.loads(line) for line in open(folder / "s/queue/queue.jsonl")]
    error = [abs(a - b) for a, b in zip(truth, judge)]
    return (
        statistics.mean(error[int(row["id"])] for row in rows if row["selected_by"] == "rank"),
        statistics.mean(error[i] for i, person in enumerate(people) if person == ""),
    )


def main():
    program, studies = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    cells = [
        (world, digits, labelled, lambda seed, cell=(world, digits, labelled): simulated(*cell, seed))
        for labelled in (100, 30) for digits in (0, 2) for world in WORLDS
    ]
    if len(sys.argv) > 3:
        cells.append(("dices", 2, 200, lambda seed: dices(pathlib.Path(sys.argv[3]), seed)))
    print("world,ratings,labelled,studies,error_in_queue,error_of_unlabelled,larger_by,se")
    for world, digits, labelled, study in cells:
        found = [queued(program, *study(seed)) for seed in range(studies)]
        differences = [a - b for a, b in found]
        means = [statistics.mean(column) for column in (*zip(*found), differences)]
        error = statistics.stdev(differences) / studies**0.5
        ratings = "two decimals" if digits else "whole"
        print(world, ratings, labelled, studies, *(f"{number:.3f}" for number in (*means, error)), sep=",", flush=True)


main()
