"""Plays what advice-4.toml, advice-5.toml, advice-6.toml or choice.toml registers and writes NAME.csv and NAME-verdicts.csv of evidence.

    python played.py NOW FORMER POOLS VERDICTS NAME SEED SEEDS VERDICT_SEED      (NumPy)

NOW and FORMER are the program of today and of the commit that the registration names, POOLS its pools with the conversations,
VERDICTS the worlds of pools_3.py. advice-4.toml is advice-share 700 100 2000; advice-5.toml is advice-prior 800 60 3000,
advice-6.toml advice-second 900 60 4000 (NOW is there the program of commit 5a64a16f); choice.toml is advice-choice 1100 60 5000.
"""

import csv
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

EVIDENCE = Path(__file__).resolve().parents[3] / "evidence"
POLICIES = ["advice", "fewest_labels", "random"]


def play(program, pool, seed, policies, belief="auto"):
    """Rows of simulation.csv, by policy."""
    with tempfile.TemporaryDirectory() as out:
        options = ["--rules", ",".join(policies), "--beliefs", belief, "--seeds", "1", "--seed", str(seed), "--threads", "1", "--out", f"{out}/s"]
        subprocess.run([program, "study", "simulate", pool, *options], check=True, capture_output=True)
        with open(f"{out}/s/simulation.csv") as file:
            rows = list(csv.DictReader(file))
    return {rule: sorted((row for row in rows if row["rule"] == rule), key=lambda row: int(row["round"])) for rule in policies}


def mean(values):
    return np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))


def written(file, head, rows):
    with open(file, "w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([head, *rows])


def loops(now, former, pools, file, seeds, many):
    rows = []
    for pool in sorted(Path(pools).iterdir()):
        played = list(many.map(lambda seed: play(now, pool, seed, POLICIES), seeds))
        before = list(many.map(lambda seed: play(former, pool, seed, ["advice"]), seeds))
        published = list(many.map(lambda seed: play(now, pool, seed, ["advice"], "published"), seeds))
        errors = {rule: np.array([[float(row["error"]) for row in p[rule]] for p in played]) for rule in POLICIES}
        for other, plays in [("former", before), ("published", published)]:
            errors[other] = np.array([[float(row["error"]) for row in p["advice"]] for p in plays])
        for name, rounds in [*((str(r), slice(r, r + 1)) for r in range(1, 9)), ("1 to 8", slice(1, 9))]:
            of = {rule: values[:, rounds].mean(axis=1) for rule, values in errors.items()}
            against = [x for other in ["fewest_labels", "random", "former", "published"] for x in mean(of["advice"] - of[other])]
            rows.append([pool.name, name, len(played), f"{of['advice'].mean():.5f}", *(f"{x:+.5f}" for x in against)])
        print(pool.name, rows[-1], file=sys.stderr, flush=True)
    names = [x for other in ["fewest", "random", "former", "published"] for x in [f"minus_{other}", f"se_minus_{other}"]]
    written(EVIDENCE / f"{file}.csv", ["pool", "rounds", "seeds", "error", *names], rows)


def verdicts(now, worlds, name, first, many):
    rows = []
    for world in sorted(Path(worlds).iterdir()):
        played = list(many.map(lambda seed: play(now, world, seed, POLICIES), range(first, first + 60)))
        for r in [4, 8]:
            def removed(rule):
                of = [p[rule] for p in played]
                return np.array([300 * (float(p[0]["squared_error"]) - float(p[r]["squared_error"])) / int(p[r]["labels"]) for p in of])
            advice, random = removed("advice"), removed("random")
            labels = int(played[0]["advice"][r]["labels"])
            ahead = int(np.mean((advice - random)[:5]) >= 0)
            difference = mean(advice - random)
            rows.append([world.name, "advice", r, labels, len(played), f"{advice.mean():.5f}", f"{random.mean():.5f}", *(f"{x:+.5f}" for x in difference), ahead])
        print(world.name, rows[-1], file=sys.stderr, flush=True)
    head = "world,rule,round,labels,seeds,removed_per_label,removed_per_label_random,difference,se,at_least_random_in_5_seeds".split(",")
    written(EVIDENCE / f"{name}-verdicts.csv", head, rows)


if __name__ == "__main__":
    now, former, pools, worlds, name, *numbers = sys.argv[1:]
    first, seeds, first_of_verdicts = map(int, numbers)
    with ThreadPoolExecutor(2) as many:
        loops(now, former, pools, name, range(first, first + seeds), many)
        verdicts(now, worlds, name, first_of_verdicts, many)
