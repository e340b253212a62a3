"""Makes the invented tables of the pages, support.csv and answers.csv.

    python examples/make.py            # Python's own generator, so the same bytes everywhere
    python examples/make.py PROGRAM    # also makes support_ann.csv: what Ann answers to the first queue of PROGRAM

`UPDATE_PAGES=1 cargo test pages_show` then writes the outputs in the pages anew.
"""

import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

SUPPORT = 20261
TOPICS = {
    "delivery": (0.80, 0.92, ["Where is my parcel", "The courier did not ring", "Can I change the address"]),
    "billing": (0.70, 0.85, ["I was charged twice", "The invoice has no VAT", "How do I pay by card"]),
    "returns": (0.50, 0.70, ["The shoes do not fit", "How long can I return it", "The label does not print"]),
    "account": (0.72, 0.88, ["I forgot my password", "Please delete my account", "The code does not arrive"]),
    "law": (0.55, 0.60, ["Is the warranty valid abroad", "May you keep my data", "Who pays for the damage"]),
}


def support(rng):
    """300 replies of a support desk, judged pass or fail with a confidence; two people labelled 120 of them. Also what is true of each."""
    labelled = set(rng.sample(range(300), 120))
    rows, truths = [], []
    for k in range(300):
        topic = rng.choice(list(TOPICS))
        share, hit, texts = TOPICS[topic]
        truth = rng.random() < share - 0.08
        right = rng.random() < hit - (0.12 if truth else -0.04)
        verdict = truth if right else not truth
        confidence = min(0.99, max(0.5, rng.gauss(0.9, 0.07)))
        people = [truth if rng.random() < 0.95 else not truth for _ in range(2)] if k in labelled else [None, None]
        word = lambda value: "" if value is None else "pass" if value else "fail"
        text = f"{rng.choice(texts)}? Reply {k + 1}."
        rows.append([f"m{k + 1}", topic, text, word(verdict), f"{confidence:.2f}", *map(word, people)])
        truths.append(word(truth))
    return ["id", "topic", "text", "judge_verdict", "judge_confidence", "human_1", "human_2"], rows, truths


def answers(rng):
    """4,000 answers judged Pass or Fail; 600 of them, drawn at random, have one label, 1 or 0."""
    labelled = set(rng.sample(range(4000), 600))
    rows = []
    for k in range(4000):
        truth = rng.random() < 0.7
        verdict = truth if rng.random() < (0.94 if truth else 0.74) else not truth
        words = "it depends on the case and the year of the report in question".split()
        question = "What does " + " ".join(rng.choices(words, k=rng.randint(3, 8))) + " mean?"
        answer = " ".join(rng.choices(words, k=rng.randint(5, 15))) + "."
        human = str(int(truth)) if k in labelled else ""
        rows.append([k + 1, question, answer, "Pass" if verdict else "Fail", human])
    return ["id", "question", "answer", "judge_score", "human"], rows, None


def write(name, header, rows):
    with open(HERE / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def ann(program):
    """Ann's answers to the first queue of support.csv; she errs once in twenty, as the others do."""
    _, rows, truths = support(random.Random(SUPPORT))
    truth = {row[0]: word for row, word in zip(rows, truths)}
    with tempfile.TemporaryDirectory() as folder:
        command = [Path(program).resolve(), "audit", HERE / "support.csv", "--out", "study"]
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
        queue = [row["id"] for row in csv.DictReader(open(Path(folder) / "study/queue/queue.csv", newline=""))]
    rng = random.Random(20263)
    other = {"pass": "fail", "fail": "pass"}
    rows = [[item, "ann", truth[item] if rng.random() < 0.95 else other[truth[item]]] for item in queue]
    write("support_ann.csv", ["id", "annotator", "label"], rows)


if __name__ == "__main__":
    for name, table, seed in [("support.csv", support, SUPPORT), ("answers.csv", answers, 20262)]:
        header, rows, _ = table(random.Random(seed))
        write(name, header, rows)
    if len(sys.argv) > 1:
        ann(sys.argv[1])
