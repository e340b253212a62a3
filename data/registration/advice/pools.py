"""Studies with many labels an item on which the loop is played (advice.toml): the dice, known worlds, half of ChaosNLI.

    python pools.py DATA OUT      (NumPy; DATA is the folder `data` of the repository)

Every folder of OUT is a study for `judge-uncertainty study simulate`. Known worlds have the truth in truth.csv, which no study reads.
"""

import csv
import sys
from pathlib import Path

import numpy as np

FACES = ["red", "green", "blue"]
LABELS = 60


def write(folder, study, items, judge, labels, truth=None):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(study)
    for name, rows in [("items", items), ("judge", judge), ("labels", labels), ("truth", truth)]:
        if rows is not None:
            with open(folder / f"{name}.csv", "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)


def study(title, classes, judge, features=""):
    names = ", ".join(f'"{name}"' for name in classes)
    return (
        f'title = "{title}"\nclasses = [{names}]\n\n[items]\nfile = "items.csv"\n{features}\n[judge]\nfile = "judge.csv"\n{judge}\n'
        '[labels]\nfile = "labels.csv"\nform = "counts"\n'
    )


def counted(rng, p, n):
    return [[f"i{i}", *rng.multinomial(n, row)] for i, row in enumerate(p)]


def known(folder, title, p, q, rng, n=LABELS):
    classes = ["a", "b", "c"]
    ids = [[f"i{i}"] for i in range(len(p))]
    judge = [[f"i{i}", *(f"{x:.6f}" for x in row)] for i, row in enumerate(q)]
    write(
        folder,
        study(title, classes, 'kind = "probabilities"\n'),
        [["id"], *ids],
        [["id", *(f"p_{c}" for c in classes)], *judge],
        [["id", *(f"n_{c}" for c in classes)], *counted(rng, p, n)],
        [["id", *classes], *([f"i{i}", *row] for i, row in enumerate(p))],
    )


def power(q, tau):
    powered = q**tau
    return powered / powered.sum(axis=1, keepdims=True)


def dirichlet(rng, rows):
    drawn = np.maximum(np.array([rng.dirichlet(np.maximum(row, 1e-3)) for row in rows]), 1e-6)
    return drawn / drawn.sum(axis=1, keepdims=True)


def worlds(out):
    items = 500
    for seed in range(2):
        rng = np.random.default_rng(20_000_000 + seed)
        q = dirichlet(rng, np.full((items, 3), 0.7))
        # The belief is right: the truth is drawn from it.
        p = dirichlet(rng, 6.0 * q)
        known(out / f"calibrated_{seed}", "A calibrated judge", p, q, rng)
        known(out / f"overconfident_{seed}", "An overconfident judge", p, power(q, 3.0), rng)
        # Right on one half of the items, a guess on the other, and nothing tells them apart.
        guess = dirichlet(rng, np.full((items, 3), 0.7))
        mixed = np.where((np.arange(items) % 2 == 0)[:, None], q, guess)
        known(out / f"half_guesses_{seed}", "A judge that guesses half of the time", p, mixed, rng)


def verdicts(out):
    """A verdict and a stated confidence, of a judge that claims too much."""
    items, classes = 300, ["yes", "no", "unsure"]
    for seed in range(20):
        rng = np.random.default_rng(21_000_000 + seed)
        q = dirichlet(rng, np.full((items, 3), 0.6))
        p = dirichlet(rng, 4.0 * q)
        seen = q.max(axis=1)
        confidence = np.clip(100 * (0.5 + 0.5 * seen) + 5 * rng.normal(size=items), 34, 100).round()
        rows = [[f"i{i}", classes[row.argmax()], int(confidence[i])] for i, row in enumerate(q)]
        write(
            out / f"verdicts_{seed:02}",
            study("Verdicts", classes, 'kind = "labels"\nconfidence = "confidence"\nconfidence_range = [0, 100]\n'),
            [["id"], *([f"i{i}"] for i in range(items))],
            [["id", "label", "confidence"], *rows],
            [["id", *(f"n_{c}" for c in classes)], *counted(rng, p, 40)],
            [["id", *classes], *([f"i{i}", *row] for i, row in enumerate(p))],
        )


def dice(data, out):
    """Experiment 1 as the program draws it (tests/golden/dice_ties/make.py), with rolls of our own."""
    rng = np.random.default_rng(0)
    t = rng.random(500)
    order = np.argsort(rng.random((500, 3)), axis=1)
    p = (1 - t)[:, None] * np.array([0.9, 0.05, 0.05])[order] + t[:, None] / 3
    rows = list(csv.DictReader(open(data / "dice/judge.csv")))
    answered = [i for i, row in enumerate(rows) if row["neutral_red"]]
    judge = [["id", "variant", *(f"n_{face}" for face in FACES)]]
    judge += [[i, v, *(rows[i][f"{v}_{face}"] for face in FACES)] for i in answered for v in ["neutral", "sceptical", "literal"]]
    rng = np.random.default_rng(22_000_000)
    rolls = rng.multinomial(LABELS, p)
    write(
        out / "dice",
        study("Dice", FACES, 'kind = "counts"\nvariant = "variant"\n'),
        [["id"], *([i] for i in answered)],
        judge,
        [["id", *(f"n_{face}" for face in FACES)], *([i, *rolls[i]] for i in answered)],
        [["id", *FACES], *([i, *p[i]] for i in answered)],
    )


def chaosnli(data, out):
    """1,000 items of the development half of ChaosNLI: those of it with the smallest draws that made the half."""
    labels = list(csv.DictReader(open(data / "chaosnli/labels.csv")))
    judge = {row["uid"]: row for row in csv.DictReader(open(data / "chaosnli/judge.csv"))}
    draws = np.random.Generator(np.random.PCG64(7)).random(len(labels))
    develops = []
    for source in sorted({row["source"] for row in labels}):
        own = sorted((i for i, row in enumerate(labels) if row["source"] == source), key=lambda i: draws[i])
        develops += own[: len(own) // 2]
    items = sorted(sorted(develops, key=lambda i: draws[i])[:1000])
    answers = [["id", "variant", "n_e", "n_n", "n_c"]]
    for i in items:
        row = judge[labels[i]["uid"]]
        answers += [[row["uid"], v, *(row[f"{v}_{c}"] for c in "enc")] for v in ["neutral", "strict", "intuitive"]]
    write(
        out / "chaosnli",
        study("ChaosNLI, development half", ["e", "n", "c"], 'kind = "counts"\nvariant = "variant"\n', 'group = "source"\n'),
        [["id", "source"], *([labels[i]["uid"], labels[i]["source"]] for i in items)],
        answers,
        [["id", "n_e", "n_n", "n_c"], *([labels[i]["uid"], *(labels[i][c] for c in "enc")] for i in items)],
    )


if __name__ == "__main__":
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    worlds(out)
    verdicts(out)
    dice(data, out)
    chaosnli(data, out)
