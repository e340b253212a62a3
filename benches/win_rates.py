"""Whether intervals of win rates cover what they promise: studies of four systems and 300 pairs, 90 of them labelled.

Usage: win_rates.py PROGRAM [STUDIES] | .ci/evidence rate-interval-coverage 'win rate'

The truth is the share of wins among all labels of a study, of which the program sees some. The judge likes other systems than
people do, leans to the answer shown first, and gives a person's answer in 40% of pairs. In the worlds with questions, four pairs
share a question, by which people like one system more: 90 pairs are labelled at random, or all of 22 questions and two pairs of
another. In the worlds with a queue, 60 pairs are labelled at random and a queue of 50 comes back in part: each answer with a chance
of two in three, or ties and wins of the second answer in a third and wins of the first in nine of ten. Columns: the share of 95%
intervals of win rates that hold and their mean width, the share of studies in which all six differences hold together, and of the
orders that are told apart how many are wrong.
"""

import collections
import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

PAIRS, SYSTEMS = 300, 4
WORLDS = ["pairs at random", "questions, pairs at random", "questions, whole", "queue, answers missing", "queue, answers missing by what they say"]


def study(draws, world):
    people, liked = ([draws.gauss(0, 1) for _ in range(SYSTEMS)] for _ in range(2))
    of_question = [[draws.gauss(0, 1.5) for _ in range(SYSTEMS)] for _ in range(PAIRS // 4)]

    def answer(lead):
        return 2 if draws.random() < 0.15 else int(draws.random() > 1 / (1 + math.exp(-lead)))

    rows, truth, of_four = [], [], []
    for i in range(PAIRS):
        a, b = draws.sample(range(SYSTEMS), 2)
        lead = people[a] - people[b]
        if world.startswith("questions"):
            # Of the six pairs of systems a question has four.
            if i % 4 == 0:
                of_four = draws.sample([(a, b) for a in range(SYSTEMS) for b in range(a)], 4)
            a, b = draws.sample(of_four[i % 4], 2)
            effect = of_question[i // 4]
            lead = people[a] - people[b] + effect[a] - effect[b]
        human = answer(1.5 * lead)
        seen = people[a] - people[b] + liked[a] - liked[b]
        verdicts = [human if draws.random() < 0.4 else answer(seen + 0.6), answer(seen - 0.6)]
        question = f"q{i // 4}" if world.startswith("questions") else f"q{i}"
        rows.append([question, f"m{a}", f"m{b}", *verdicts])
        truth.append((a, b, human))
    return rows, truth


def labelled(draws, world):
    if world == "questions, whole":
        return {4 * question + k for question in draws.sample(range(PAIRS // 4), 23) for k in range(4)}
    return set(draws.sample(range(PAIRS), 60 if world.startswith("queue") else 90))


def name(row, answer):
    return "tie" if answer == 2 else row[1 + answer]


def answered(draws, world, human):
    return draws.random() < (2 / 3 if world == "queue, answers missing" else 0.9 if human == 0 else 1 / 3)


def audited(program, draws, world, rows, truth):
    """What the audit of a study's table finds, after the answers to its queue where it has one."""
    known = labelled(draws, world)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def run(*arguments):
            return subprocess.run([program, *arguments], cwd=folder, capture_output=True, check=True).stdout

        with open(folder / "t.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["question_id", "model_a", "model_b", "judge_original", "judge_swapped", "human"])
            for i, (row, (_, _, human)) in enumerate(zip(rows, truth)):
                table.writerow([*row[:3], *(name(row, answer) for answer in row[3:]), name(row, human) if i in known else ""])
        found = run("audit", "t.csv", "--labelled", "random", "--json", "--out", "s")
        if world.startswith("queue"):
            run("study", "queue", "s", "--budget", "50", "--force")
            queue = [json.loads(line) for line in open(folder / "s/queue/queue.jsonl")]
            with open(folder / "new.csv", "w", newline="") as file:
                table = csv.writer(file)
                table.writerow(["id", "annotator", "label"])
                for task in queue:
                    i = int(task.get("item", task["id"])[1:])
                    human = truth[i][2]
                    first, second = sorted(rows[i][1:3])
                    if answered(draws, world, human):
                        label = "tie" if human == 2 else "A" if name(rows[i], human) == first else "B"
                        table.writerow([f"q{i}", "zoe", label])
            run("study", "labels", "add", "new.csv", "s")
            found = run("audit", "s", "--json")
    return {finding["id"]: finding["found"] for finding in json.loads(found)["answer"]["findings"]}


def main():
    program, studies = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    print("world,studies,estimable,holds,mean_width,differences_hold_together,orders_told,wrong")
    for world in WORLDS:
        counts, widths, told, wrong = collections.Counter(), [], 0, 0
        for seed in range(studies):
            draws = random.Random(f"{world} {seed}")
            rows, truth = study(draws, world)
            found = audited(program, draws, world, rows, truth)
            wins, all_hold = {}, True
            for k in range(SYSTEMS):
                won = [0.5 if human == 2 else float((a, b)[human] == k) for a, b, human in truth if k in (a, b)]
                wins[f"m{k}"] = sum(won) / len(won)
                interval = found[f"wins.m{k}"]
                counts["rates"] += 1
                if interval.get("lo") is not None:
                    counts["estimable"] += 1
                    counts["hold"] += interval["lo"] <= wins[f"m{k}"] <= interval["hi"]
                    widths.append(interval["hi"] - interval["lo"])
            for pair in [id for id in found if ".over." in id and id.startswith("wins.")]:
                first, second = pair.removeprefix("wins.").split(".over.")
                difference, interval = wins[first] - wins[second], found[pair]
                if interval.get("lo") is None:
                    continue
                all_hold &= interval["lo"] <= difference <= interval["hi"]
                told += interval["lo"] > 0
                wrong += interval["lo"] > 0 >= difference
            counts["together"] += all_hold
        estimable = counts["estimable"]
        numbers = [estimable / counts["rates"], counts["hold"] / max(estimable, 1), sum(widths) / max(estimable, 1), counts["together"] / studies]
        print(f'"{world}"', studies, *(f"{number:.3f}" for number in numbers), told, wrong, sep=",", flush=True)


main()
