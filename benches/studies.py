"""Processor time and peak memory of the commands on a study of classes, one after the other.

python benches/studies.py PROGRAM ITEMS LABELLED [DIMENSIONS [BELIEF]]      needs: pip install numpy

Items have a prediction over four classes; LABELLED of them three labels each; with DIMENSIONS, embeddings of 32-bit numbers. Nothing
is evaluated (`--replicates 0`). BELIEF is that of the study (auto). Prints CSV lines: command, items, labelled, dimensions, seconds,
seconds on the clock, peak in MiB.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

program, items, labelled, *more = sys.argv[1:]
items, labelled, dimensions = int(items), int(labelled), int(more[0]) if more else 0
belief = more[1] if more[1:] else "auto"
CLASSES = "abcd"


def make(folder, study):
    import numpy as np

    draw = np.random.default_rng(3)
    study.mkdir()
    p = 0.999 * draw.dirichlet(np.ones(4), size=items)
    with open(study / "items.csv", "w") as file:
        file.writelines(["id\n", *(f"i{i}\n" for i in range(items))])
    with open(study / "judge.csv", "w") as file:
        file.writelines(["id,p_a,p_b,p_c,p_d\n", *(f"i{i},{a:.5f},{b:.5f},{c:.5f},{d:.5f}\n" for i, (a, b, c, d) in enumerate(p))])
    with open(study / "labels.csv", "w") as file:
        file.write("id,annotator,label\n")
        for i in range(0, items, max(items // labelled, 1)):
            truth = draw.dirichlet(3 * p[i] + 0.01)
            file.writelines(f"i{i},ann{k},{CLASSES[draw.choice(4, p=truth)]}\n" for k in range(3))
    with open(pathlib.Path(folder, "new.csv"), "w") as file:
        file.writelines(["id,annotator,label\n", *(f"i{i},zoe,{CLASSES[i % 4]}\n" for i in range(50))])
    config = f"""title = "t"\nclasses = ["a", "b", "c", "d"]\n[items]\nfile = "items.csv"\n[judge]\nfile = "judge.csv"
kind = "probabilities"\n[labels]\nfile = "labels.csv"\nform = "long"\n[trust]\nbelief = "{belief}"\n"""
    if dimensions:
        file = np.lib.format.open_memmap(study / "embeddings.npy", "w+", "<f4", (items, dimensions))
        for start in range(0, items, 10_000):
            file[start : start + 10_000] = draw.normal(size=(min(10_000, items - start), dimensions))
        del file
        config += 'features = ["mean_nearest_labelled"]\n[familiarity]\nembeddings = "embeddings.npy"\n'
    (study / "study.toml").write_text(config)


with tempfile.TemporaryDirectory() as folder:
    study = pathlib.Path(folder, "study")
    # In a process of its own: the peak of a command is no less than what the process that starts it takes.
    if not os.fork():
        make(folder, study)
        os._exit(0)
    if os.wait()[1]:
        sys.exit("the study could not be made")
    print("command,items,labelled,dimensions,seconds,clock,peak_mib")
    for command in (
        ["check", study],
        ["labels", "export", f"{folder}/all.csv", study],
        ["run", study, "--replicates", "0"],
        ["queue", study, "--budget", "1%"],
        ["labels", "add", f"{folder}/new.csv", study],
        ["labels", "list", study],
    ):
        start = time.monotonic()
        process = subprocess.Popen([program, "study", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        told = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        name = " ".join(word for word in command if isinstance(word, str) and word.isalpha())
        seconds, clock = used.ru_utime + used.ru_stime, time.monotonic() - start
        print(f"{name},{items},{labelled},{dimensions},{seconds:.2f},{clock:.1f},{used.ru_maxrss / 1024:.0f}", flush=True)
        if status:
            sys.exit(told)
