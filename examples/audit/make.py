"""Makes the two invented files of the README, support.csv and answers.csv, and its transcripts from them.

    python make.py            # in this folder; Python's own generator, so the same bytes everywhere
    python make.py PROGRAM    # also runs PROGRAM on both and puts what it prints into README.md
"""

import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
README = HERE.parents[1] / "README.md"

TOPICS = {
    "delivery": (0.80, 0.92, ["Where is my parcel", "The courier did not ring", "Can I change the address"]),
    "billing": (0.70, 0.85, ["I was charged twice", "The invoice has no VAT", "How do I pay by card"]),
    "returns": (0.50, 0.70, ["The shoes do not fit", "How long can I return it", "The label does not print"]),
    "account": (0.72, 0.88, ["I forgot my password", "Please delete my account", "The code does not arrive"]),
    "law": (0.55, 0.60, ["Is the warranty valid abroad", "May you keep my data", "Who pays for the damage"]),
}


def support(rng):
    """300 replies of a support desk, judged pass or fail with a confidence; two people labelled 120 of them."""
    labelled = set(rng.sample(range(300), 120))
    rows = []
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
    return ["id", "topic", "text", "judge_verdict", "judge_confidence", "human_1", "human_2"], rows


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
    return ["id", "question", "answer", "judge_score", "human"], rows


for name, table, seed in [("support.csv", support, 20261), ("answers.csv", answers, 20262)]:
    header, rows = table(random.Random(seed))
    with open(HERE / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if len(sys.argv) > 1:
    page = README.read_text()
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for arguments in (["support.csv"], ["answers.csv", "--labelled", "random"]):
            (Path(folder) / arguments[0]).write_bytes((HERE / arguments[0]).read_bytes())
            printed = subprocess.run([program, "audit", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout
            start = page.index(f"$ judge-uncertainty audit {' '.join(arguments)}\n")
            end = page.index("```\n", start)
            page = page[:start] + f"$ judge-uncertainty audit {' '.join(arguments)}\n" + printed.rstrip() + "\n" + page[end:]
    README.write_text(page)
