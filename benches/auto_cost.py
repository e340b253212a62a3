"""Processor time of `study run` under belief = "auto" beside belief = "published", in turn.

python benches/auto_cost.py PROGRAM [ITEMS ...]    needs: Python alone; PROGRAM is the path of judge-uncertainty

Each study has so many items (100, 1,000 and 10,000 if none are named), two labels each, of three classes, with two of the judge's features,
six groups and a judge that is right or flat. A CSV line for each: items, judge, seconds under both (the least of three runs) and their
ratio, which is to be at most 5; a run under `published` scores `auto` on held-out labels, too.
"""

import csv
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

CLASSES = ["no", "unclear", "yes"]
RUNS = 3


def share(draw, alpha):
    parts = [draw.gammavariate(a, 1.0) + 1e-6 for a in alpha]
    return [part / sum(parts) for part in parts]


def write(folder, items, power):
    """A study whose judge states the powers of what the labels follow: 1 is right, 2 overconfident."""
    draw = random.Random(items)
    with open(folder / "items.csv", "w") as a, open(folder / "judge.csv", "w") as b, open(folder / "labels.csv", "w") as c:
        a, b, c = csv.writer(a), csv.writer(b), csv.writer(c)
        a.writerow(["id", "group", "x", "y"])
        b.writerow(["id", *(f"p_{name}" for name in CLASSES)])
        c.writerow(["id", "annotator", "label"])
        for i in range(items):
            p = share(draw, [1.5] * 3)
            stated = [share_ ** power for share_ in p]
            stated = [s / sum(stated) for s in stated]
            a.writerow([i, f"g{i % 6}", round(draw.gauss(0, 1), 4), round(draw.gauss(0, 1), 4)])
            b.writerow([i, *(round(s, 6) for s in stated)])
            truth = share(draw, [8 * s for s in p])
            for annotator in range(2):
                c.writerow([i, f"a{(i + annotator) % 9}", draw.choices(CLASSES, truth)[0]])


def configure(folder, belief):
    (folder / "study.toml").write_text(
        f"""title = "Cost of auto"
classes = {CLASSES!r}

[items]
file = "items.csv"
numbers = ["x", "y"]
group = "group"

[judge]
file = "judge.csv"
kind = "probabilities"

[labels]
file = "labels.csv"
form = "long"

[trust]
features = ["x", "y"]
belief = "{belief}"
"""
    )


def seconds(program, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "study", "run", folder, "--force"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


program = str(pathlib.Path(sys.argv[1]).resolve())
for items in [int(n) for n in sys.argv[2:]] or [100, 1000, 10000]:
    for judge, power in [("right", 1.0), ("overconfident", 2.0)]:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write(folder, items, power)
            times = {"published": [], "auto": []}
            for _ in range(RUNS):
                for belief, found in times.items():
                    configure(folder, belief)
                    found.append(seconds(program, folder))
            published, auto = min(times["published"]), min(times["auto"])
            print(f"{items},{judge},{published:.2f},{auto:.2f},{auto / published:.1f}", flush=True)
