"""Whether intervals of win rates cover what they promise: studies of four systems, 300 pairs each, 90 labelled at random.

Usage: win_rates.py PROGRAM [STUDIES]

The truth is the share of wins among all labels of a study, of which the program sees 90. The judge likes other systems than
people do, leans to the answer shown first, and gives a person's answer in 40% of pairs. Prints how many of the 95% intervals
of win rates hold, in how many studies all six differences hold together, and how many orders that were told apart are wrong.
"""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

PAIRS, LABELLED, SYSTEMS = 300, 90, 4


def study(draws):
    people, liked = ([draws.gauss(0, 1) for _ in range(SYSTEMS)] for _ in range(2))

    def answer(lead):
        return 2 if draws.random() < 0.15 else int(draws.random() > 1 / (1 + math.exp(-lead)))

    labelled, rows, truth = set(draws.sample(range(PAIRS), LABELLED)), [], []
    for i in range(PAIRS):
        a, b = draws.sample(range(SYSTEMS), 2)
        human = answer(1.5 * (people[a] - people[b]))
        lead = people[a] - people[b] + liked[a] - liked[b]
        verdicts = [human if draws.random() < 0.4 else answer(lead + 0.6), answer(lead - 0.6)]
        words = [f"m{a}", f"m{b}", "tie"]
        rows.append([i, *words[:2], *(words[verdict] for verdict in verdicts), words[human] if i in labelled else ""])
        truth.append((a, b, human))
    return rows, truth


def main():
    program, studies = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rates, together, told, wrong = [], [], 0, 0
    for seed in range(studies):
        rows, truth = study(random.Random(seed))
        with tempfile.TemporaryDirectory() as folder:
            lines = ["id,model_a,model_b,judge_original,judge_swapped,human", *(",".join(map(str, row)) for row in rows)]
            (pathlib.Path(folder) / "t.csv").write_text("\n".join(lines) + "\n")
            arguments = [program, "audit", "t.csv", "--labelled", "random", "--json"]
            answer = json.loads(subprocess.run(arguments, cwd=folder, capture_output=True, check=True).stdout)["answer"]
        found = {finding["id"]: finding["found"] for finding in answer["findings"]}
        wins = {}
        for k in range(SYSTEMS):
            won = [0.5 if human == 2 else float((a, b)[human] == k) for a, b, human in truth if k in (a, b)]
            wins[f"m{k}"] = sum(won) / len(won)
            interval = found[f"wins.m{k}"]
            rates.append(interval["lo"] <= wins[f"m{k}"] <= interval["hi"])
        all_hold = True
        for name in [name for name in found if ".over." in name and name.startswith("wins.")]:
            first, second = name.removeprefix("wins.").split(".over.")
            difference, interval = wins[first] - wins[second], found[name]
            all_hold &= interval["lo"] <= difference <= interval["hi"]
            told += interval["lo"] > 0
            wrong += interval["lo"] > 0 >= difference
        together.append(all_hold)
    print(f"win rates: {sum(rates)} of {len(rates)} intervals hold")
    print(f"differences: all hold in {sum(together)} of {len(together)} studies; {told} orders told apart, {wrong} wrong")


main()
