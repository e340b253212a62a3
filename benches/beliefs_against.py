"""Compares the beliefs of two versions of the program on the same studies, most of them with a known truth.

    python benches/beliefs_against.py BASE NEW [--quick] [--only WORD] [--csv FILE] [--cache FOLDER] [--conversations FOLDER] [--jobs N]
    python benches/beliefs_against.py BASE --alone [--quick] ...        only the errors of BASE
    python benches/beliefs_against.py PROGRAM --published [--quick] ... `auto` against `published` of one program, without limits

Needs NumPy, SciPy and scikit-learn (for judges that are trained on half of ChaosNLI). BASE and NEW are programs, for example
target/release/judge-uncertainty of two trees. Both run `study run` on the same folders; results are kept in the cache (by the sums of the
program and of the study), so a second comparison only runs the new program. --quick takes about a fifth of the seeds (minutes instead of
half an hour). --only takes the cells whose name contains WORD (several: separated by commas); --list names them. --conversations adds loops
on a study folder with many labels an item (its labels.csv has one label a row, its judge.csv has variants).

Columns: cell; what is measured; seeds; mean under BASE and NEW; NEW - BASE with its standard error over seeds; the limit for that
difference; and whether it is kept: `ok` (the mean is within the limit), `open` (it is beyond, by less than 1.645 standard errors) or
`NO`. Measured are, over all items of a study:
  manhattan   mean over items of sum_k |m_k - p_k|; m is the mean of the belief, p the true shares of labels
  squared     the same of sum_k (m_k - p_k)^2
  error       for ratings: mean absolute error of the belief's mean
  coverage    share of true shares (of at least 0.001), or true means, inside their central 95% interval
  top tenth   coverage among the tenth of items with the largest share of one class in the judge's prediction
  above marginal   squared error minus that of the shares of the labels in hand (NEW has a limit of its own)
  trust above, trust below, trust inside, trust none   share of studies whose interval of the typical trust lies there or is not printed
Limits: 0.001 from 200 items on and 0.002 over all cells of 50; 0.003 in loops; coverage not lower, ratings of 50 items at least 0.92;
0.01 above the marginal; intervals of the trust above or below the truth in 5% of the studies at most, each.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from scipy.stats import beta as beta_distribution

Z = 1.645
DATA = pathlib.Path(__file__).resolve().parent.parent / "data" / "chaosnli"
LETTERS = "abcdefghijklmnop"
VARIANTS = ["neutral", "strict", "intuitive"]
LENIENT = 1.5


# Studies: a dictionary of file names and their text, the truth by item, and the classes (or None for ratings).


def table(header, rows):
    return "\n".join([",".join(header), *(",".join(str(cell) for cell in row) for row in rows)]) + "\n"


def shares(weights):
    return weights / weights.sum(axis=-1, keepdims=True)


def dirichlet(rng, rows):
    return shares(rng.standard_gamma(np.maximum(rows, 1e-3)) + 1e-9)


def drawn(rng, p, counts):
    """Labels of classes: an item's number of labels is that of `counts`."""
    return np.array([rng.multinomial(n, row) for n, row in zip(counts, p)])


def up_to_six(rng, items):
    """A third of the items has no label, the others have one to six."""
    return np.where(rng.random(items) < 1 / 3, 0, rng.integers(1, 7, items))


def classes_study(p, q, counts, groups=None, variants=None, places=False, features=None, hard=False, long=None):
    items, classes = p.shape
    names = [str(k + 1) for k in range(classes)] if places else list(LETTERS[:classes])
    listed = ", ".join(names if places else (f'"{name}"' for name in names))
    columns = [] if groups is None else [("g", [f"g{g}" for g in groups])]
    columns += [] if features is None else [("x", [f"{x:.5f}" for x in features])]
    config = [f'title = "A study"\n{"places" if places else "classes"} = [{listed}]\n[items]\nfile = "items.csv"']
    config += ['group = "g"'] if groups is not None else []
    config += ['numbers = ["x"]'] if features is not None else []
    config += [f'[judge]\nfile = "judge.csv"\nkind = "{"labels" if hard else "probabilities"}"']
    if variants is not None:
        config += ['variant = "variant"']
        judge = table(
            ["id", "variant", *(f"p_{name}" for name in names)],
            [[f"i{i}", f"v{v}", *(f"{x:.6f}" for x in one[i])] for i in range(items) for v, one in enumerate(variants)],
        )
    elif hard:
        config += ['label = "label"']
        judge = table(["id", "label"], [[f"i{i}", names[int(q[i].argmax())]] for i in range(items)])
    else:
        judge = table(["id", *(f"p_{name}" for name in names)], [[f"i{i}", *(f"{x:.6f}" for x in q[i])] for i in range(items)])
    if long is not None:
        config += ['[labels]\nfile = "labels.csv"\nform = "long"']
        labels = table(["id", "annotator", "label"], [[f"i{i}", who, names[k]] for i, who, k in long])
    else:
        config += ['[labels]\nfile = "labels.csv"\nform = "counts"']
        rows = [[f"i{i}", *row] for i, row in enumerate(counts) if row.sum() > 0]
        labels = table(["id", *(f"n_{name}" for name in names)], rows)
    ids = [[f"i{i}", *(column[i] for _, column in columns)] for i in range(items)]
    files = {
        "study.toml": "\n".join(config) + "\n",
        "items.csv": table(["id", *(name for name, _ in columns)], ids),
        "judge.csv": judge,
        "labels.csv": labels,
    }
    return {"files": files, "truth": p, "classes": names, "stated": q, "counts": counts}


def ratings_study(truth, stated, scale, labels, groups):
    items = len(truth)
    files = {
        "study.toml": 'title = "A study"\nscale = [-100, 100]\n[items]\nfile = "items.csv"\ngroup = "g"\n'
        '[judge]\nfile = "judge.csv"\nsd = "sd"\n[labels]\nfile = "labels.csv"\n[trust]\nfeatures = []\n',
        "items.csv": table(["id", "g"], [[f"i{i}", f"g{groups[i]}"] for i in range(items)]),
        "judge.csv": table(["id", "mean", "sd"], [[f"i{i}", f"{stated[i]:.6f}", f"{scale[i] ** 0.5:.6f}"] for i in range(items)]),
        "labels.csv": table(["id", "annotator", "score"], [[f"i{i}", f"p{k}", f"{x:.6f}"] for i, row in enumerate(labels) for k, x in enumerate(row)]),
    }
    return {"files": files, "truth": truth, "classes": None}


# Known worlds of classes: what the judge should state is q, the truth is drawn from Dirichlet(trust q).


def power(q, tau):
    return shares(q**tau)


def world(kind, items, seed):
    rng = np.random.default_rng([41, items, seed])
    classes = {"eleven": 11, "eleven_sure": 11, "two_sure": 2, "confused": 5}.get(kind, 3)
    q = np.maximum(dirichlet(rng, np.full((items, classes), 0.7)), 1e-6)
    trust = {"trust_2": 2.0, "trust_20": 20.0, "trust_by_feature": np.exp(0.8 * rng.standard_normal((items, 1))) * 6}.get(kind, 6.0)
    p = dirichlet(rng, trust * q)
    counts = drawn(rng, p, up_to_six(rng, items))
    guess = dirichlet(rng, np.full((items, classes), 0.7))
    groups = np.arange(items) % (2 if kind == "opposite_groups" else 4)
    more = {}
    if kind in ("overconfident", "eleven_sure", "two_sure"):
        stated = power(q, 3.0)
    elif kind == "underconfident":
        stated = power(q, 0.4)
    elif kind == "biased":
        stated = shares(q * [3.0, 1.0, 0.5])
    elif kind == "biased_and_sure":
        stated = shares(power(q, 2.0) * [3.0, 1.0, 0.5])
    elif kind == "groups_alike":
        stated, more = power(q, 2.0), {"groups": groups}
    elif kind == "opposite_groups":
        stated, more = shares(q * np.array([[4.0, 1, 1], [1, 1, 4.0]])[groups]), {"groups": groups}
    elif kind == "half_guesses":
        stated = np.where((np.arange(items) % 2 == 0)[:, None], q, guess)
    elif kind == "fifth_guesses":
        stated = np.where((rng.random(items) < 0.2)[:, None], guess, q)
    elif kind == "lapsing":
        stated = np.where((rng.random(items) < 0.15)[:, None], guess, power(q, 1.5))
    elif kind == "confused":
        stated = q.copy()
        stated[:, 1], stated[:, 2] = 0.4 * q[:, 1] + 0.6 * q[:, 2], 0.6 * q[:, 1] + 0.4 * q[:, 2]
    elif kind == "one_hot":
        stated, more = q, {"hard": True}
    elif kind == "variants":
        variants = [shares(power(q, tau) * np.exp(sd * rng.standard_normal(q.shape))) for tau, sd in [(1, 0.4), (2, 0.8), (1, 1.6)]]
        stated, more = np.mean(variants, axis=0), {"variants": variants}
    elif kind == "trust_by_feature":
        stated, more = q, {"features": np.log(trust[:, 0])}
    else:
        stated = q
    return classes_study(p, shares(np.maximum(stated, 1e-6)), counts, **more)


KINDS = """calibrated overconfident underconfident biased biased_and_sure groups_alike opposite_groups half_guesses fifth_guesses lapsing confused
one_hot variants trust_2 trust_20 trust_by_feature two_sure eleven eleven_sure""".split()


# Places on a scale of seven: the worlds of place_maps.

FAVOUR = np.array([1.0, 3.0, 0.5, 1.0, 2.5, 0.5, 1.0])
PLACES = "calibrated too_high too_narrow favours_places opposite_groups".split()


def bell(centre, spread):
    weights = np.exp(-0.5 * ((np.arange(1, 8) - centre[:, None]) / spread[:, None]) ** 2)
    return 0.999 * shares(weights) + 0.001 / 7


def places_world(kind, items, seed):
    rng = np.random.default_rng([42, items, seed])
    centre, spread, groups = 4 + 1.5 * rng.standard_normal(items), 0.6 + 0.8 * rng.random(items), np.arange(items) % 3
    p = dirichlet(rng, 8.0 * bell(centre, spread))
    counts = drawn(rng, p, up_to_six(rng, items))
    off = {"too_high": 1.0, "opposite_groups": np.array([-1.0, 0.3, 1.0])[groups]}.get(kind, 0.0)
    q = bell(centre + off, spread * (0.6 if kind == "too_narrow" else 1.0))
    if kind == "favours_places":
        q = 0.999 * shares(q * FAVOUR) + 0.001 / 7
    return classes_study(p, q, counts, places=True, groups=groups if kind == "opposite_groups" else None)


# Ratings: the worlds of rating_maps.

BIASES = np.array([-1.0, 0.8, 0.2, -0.5, 1.2])
RATINGS = {
    "calibrated": lambda x, g: x,
    "biased": lambda x, g: x + 1.0,
    "wrong_slope": lambda x, g: 1.5 * x,
    "stretched": lambda x, g: np.exp(0.7 * x),
    "wavy": lambda x, g: x + 0.6 * np.sin(1.5 * x),
    "opposite_groups": lambda x, g: x + BIASES[g],
}


def ratings_world(kind, items, seed):
    rng = np.random.default_rng([43, items, seed])
    x, scale, groups = rng.standard_normal(items), 0.2 + 0.4 * rng.random(items), np.arange(items) % 5
    variance = 6 * scale / (2 * rng.standard_gamma(3.0, items))
    truth = x + np.sqrt(variance / 5) * rng.standard_normal(items)
    labels = [truth[i] + variance[i] ** 0.5 * rng.standard_normal(n) for i, n in enumerate(up_to_six(rng, items))]
    return ratings_study(truth, RATINGS[kind](x, groups), scale, labels, groups)


# Loops from a cold start on real labels: 5% of the items get one label in a round, fewest labels first, ties at random.


def chaosnli():
    """Shares of labels, answers of the language model by variant, embeddings, and draws that make two halves of the items."""
    rows = list(csv.DictReader(open(DATA / "labels.csv")))
    judge = {row["uid"]: row for row in csv.DictReader(open(DATA / "judge.csv"))}
    place = {row["uid"]: k for k, row in enumerate(csv.DictReader(open(DATA / "embeddings_uids.csv")))}
    embeddings = np.load(DATA / "embeddings_f16.npy").astype(float)[[place[row["uid"]] for row in rows]]
    counts = np.array([[int(row[c]) for c in "enc"] for row in rows])
    stated = np.array([[[float(judge[row["uid"]][f"{v}_{c}"] or 33) + 1 for c in "enc"] for v in VARIANTS] for row in rows])
    half = np.random.Generator(np.random.PCG64(7)).random(len(rows)).argsort().argsort() % 2
    return counts, shares(stated), embeddings, half, np.array([row["source"] for row in rows])


# Whether it reads the language model, hidden units, penalty, rounds, and whether it learns one label of each item: far too sure of itself.
JUDGES = [(True, 64, 1e-4, 30, False), (True, 64, 1e-2, 12, True), (False, 128, 1e-3, 30, False), (True, 32, 1e-4, 100, False)]


def pools(cache, conversations):
    """Name -> (counts, variants of the judge, groups): two halves of ChaosNLI, judges trained on other items, conversations."""
    counts, stated, embeddings, half, source = chaosnli()
    found = {}
    for k in range(2):
        items = np.flatnonzero(half == k)[:1000]
        found[f"chaosnli_{k}"] = (counts[items], [stated[items, v] for v in range(3)], source[items])
    logs, p = np.log(stated).reshape(len(stated), -1), shares(counts)
    for seed, (reads, hidden, penalty, rounds, single) in enumerate(JUDGES, start=300):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(counts))
        items, others = np.sort(order[:1000]), order[1000:]
        file = cache / f"trained_{seed}.npy"
        if not file.exists():
            from sklearn.neural_network import MLPClassifier

            inputs = np.hstack([10 * embeddings, logs]) if reads else 10 * embeddings
            learned = [rng.choice(3, p=p[i]) for i in others] if single else p[others].argmax(axis=1)
            network = MLPClassifier((hidden,), alpha=penalty, max_iter=rounds, random_state=seed)
            with warnings.catch_warnings(action="ignore"):
                network.fit(inputs[others], learned)
            np.save(file, shares(np.maximum(network.predict_proba(inputs[items]), 1e-5)))
        found[f"trained_{seed}"] = (counts[items], [np.load(file)], source[items])
    if conversations:
        folder = pathlib.Path(conversations)
        ids = [row["id"] for row in csv.DictReader(open(folder / "items.csv"))]
        place = {one: k for k, one in enumerate(ids)}
        rows = list(csv.DictReader(open(folder / "judge.csv")))
        names = [name[2:] for name in rows[0] if name.startswith("p_")]
        variants = {}
        for row in rows:
            variants.setdefault(row["variant"], np.zeros((len(ids), len(names))))[place[row["id"]]] = [float(row[f"p_{n}"]) for n in names]
        own = np.zeros((len(ids), len(names)), int)
        for row in csv.DictReader(open(folder / "labels.csv")):
            own[place[row["id"]], names.index(row["label"])] += 1
        some = np.sort(np.random.default_rng(5).permutation(len(ids))[:350])
        found["conversations"] = (own[some], [q[some] for q in variants.values()], None)
    return found


def played(pool, labelled, seed):
    """`labelled` is the share of items with one label; None for zero to six labels of each."""
    counts, variants, groups = pool
    rng, items = np.random.default_rng([44, seed]), len(counts)
    p, order = shares(counts), rng.permutation(items)
    one = drawn(rng, p, np.ones(items, int))
    if labelled is None:
        one = drawn(rng, p, up_to_six(rng, items))
    else:
        one[order[round(labelled * items) :]] = 0
    q = shares(np.mean(variants, axis=0))
    more = {"variants": variants} if len(variants) > 1 else {}
    return classes_study(p, q, one, groups=groups, **more)


# A judge that is sure and knows nothing, or one that is right in three of four cases; few single labels.


def ignorant(kind, classes, labels, seed):
    rng = np.random.default_rng([45, classes, labels, seed])
    items = 200
    common = shares(0.6 ** np.arange(classes))
    p = dirichlet(rng, np.tile(8.0 * common, (items, 1)))
    named = rng.integers(classes, size=items)
    if kind == "right_of_four":
        named = np.where(rng.random(items) < 0.75, rng.choice(classes, items, p=common), named)
        p = dirichlet(rng, 8.0 * (0.9 * np.eye(classes)[named] + 0.1 * common))
        named = np.where(rng.random(items) < 0.75, named, rng.integers(classes, size=items))
    counts = drawn(rng, p, np.ones(items, int))
    counts[rng.permutation(items)[labels:]] = 0
    stated = 0.97 * np.eye(classes)[named] + 0.03 / classes
    return classes_study(p, stated, counts, hard=kind == "one_hot")


# One lenient and one strict annotator label each item; on the scale of logits they are as far from the pool on either side.


def lenient_and_strict(items, trust, seed):
    rng = np.random.default_rng([46, items, seed])
    q = np.maximum(dirichlet(rng, np.ones((items, 2))), 1e-3)
    q = shares(q)
    p = dirichlet(rng, trust * q)
    logit = np.log(p[:, 1] + 1e-9) - np.log(p[:, 0] + 1e-9)
    mean_of = lambda x: 0.5 / (1 + np.exp(-x - LENIENT)) + 0.5 / (1 + np.exp(-x + LENIENT))
    low, high = np.full(items, -60.0), np.full(items, 60.0)
    for _ in range(60):
        middle = (low + high) / 2
        below = mean_of(middle) < p[:, 1]
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    long = []
    for who, off in [("lenient", LENIENT), ("strict", -LENIENT)]:
        says = rng.random(items) < 1 / (1 + np.exp(-low - off))
        long += [(i, who, int(says[i])) for i in range(items)]
    counts = np.zeros((items, 2), int)
    for i, _, k in long:
        counts[i, k] += 1
    study = classes_study(p, q, counts, long=sorted(long))
    return {**study, "trust": trust}


# Cells.


def limit_of(items):
    return 0.002 if items == 50 else 0.001


def cells(arguments):
    """Name, seeds, how a study is made, and limits by what is measured."""
    quick = arguments.quick
    seeds = {50: 12, 200: 6, 700: 3} if quick else {50: 60, 200: 30, 700: 12}
    found = []

    def add(name, seeds, make, limits):
        found.append((name, seeds, make, limits))

    for items, count in seeds.items():
        for kind in KINDS:
            limits = {"manhattan": limit_of(items), "squared": limit_of(items), "coverage": 0.0}
            if kind == "fifth_guesses":
                limits["top tenth"] = 0.0
            add(f"{kind} {items}", count, lambda s, k=kind, n=items: world(k, n, s), limits)
        for kind in PLACES:
            limits = {"manhattan": limit_of(items), "squared": limit_of(items), "coverage": 0.0}
            add(f"places {kind} {items}", count, lambda s, k=kind, n=items: places_world(k, n, s), limits)
    for items in [50, 200] if quick else [50, 200, 700]:
        for kind in RATINGS:
            limits = {"error": limit_of(items), "coverage": 0.0}
            add(f"ratings {kind} {items}", seeds[items], lambda s, k=kind, n=items: ratings_world(k, n, s), limits)
    cache = pathlib.Path(arguments.cache)
    cache.mkdir(parents=True, exist_ok=True)
    for name, pool in pools(cache, arguments.conversations).items():
        for turn in [1, 2, 4, 8]:
            limits = {"manhattan": 0.003, "squared": 0.003, "coverage": 0.0}
            add(f"loop {name} round {turn}", 3 if quick else 12, lambda s, p=pool, r=turn: played(p, 0.05 * r, s), limits)
        limits = {"manhattan": 0.001, "squared": 0.001, "coverage": 0.0}
        add(f"many {name}", 2 if quick else 8, lambda s, p=pool: played(p, None, s), limits)
    for classes in [3, 11]:
        for labels in [8, 20, 60]:
            for kind in ["sure", "one_hot", "right_of_four"]:
                limits = {"above marginal": 0.01, "squared": None}
                make = lambda s, k=kind, c=classes, n=labels: ignorant(k, c, n, s)
                add(f"nothing {kind} {classes} classes {labels} labels", 10 if quick else 40, make, limits)
    for items in [60, 200]:
        make = lambda s, n=items: lenient_and_strict(n, 6.0, s)
        limits = {"trust above": 0.05, "trust below": 0.05, "trust inside": None, "trust none": None, "squared": None}
        add(f"annotators lenient and strict {items}", 20 if quick else 100, make, limits)
    return found


# Running and reading.


def interval(low, high, truth, least):
    inside = (low <= truth) & (truth <= high)
    return float(inside[truth >= least].mean())


def typical_trust(value):
    """Ends of the interval of the typical trust; None for an end that labels do not give."""
    if isinstance(value, dict):
        if "typical_trust" in value:
            both, bounds = value["typical_trust"] or {}, value.get("bounds") or {}
            return both.get("lo", bounds.get("at_least")), both.get("hi", bounds.get("at_most"))
        value = list(value.values())
    found = [typical_trust(one) for one in value] if isinstance(value, list) else []
    return next((one for one in found if one is not None), None)


def read(run, study):
    rows = list(csv.DictReader(open(run / "items.csv")))
    rows.sort(key=lambda row: int(row["id"][1:]))
    truth, classes = study["truth"], study["classes"]
    if classes is None:
        mean, low, high = (np.array([float(row[name]) for row in rows]) for name in ["mean", "mean_low", "mean_high"])
        return {"error": float(np.abs(mean - truth).mean()), "coverage": interval(low, high, truth, -np.inf)}
    mean = np.array([[float(row[f"mean_{name}"]) for name in classes] for row in rows])
    low, high = intervals(rows, classes, mean)
    off = mean - truth
    top = np.argsort(-study["stated"].max(axis=1), kind="stable")[: max(len(rows) // 10, 1)]
    found = {
        "manhattan": float(np.abs(off).sum(axis=1).mean()),
        "squared": float((off**2).sum(axis=1).mean()),
        "coverage": interval(low, high, truth, 1e-3),
        "top tenth": interval(low[top], high[top], truth[top], 1e-3),
    }
    marginal = shares(study["counts"].sum(axis=0).astype(float))
    found["above marginal"] = found["squared"] - float(((marginal - truth) ** 2).sum(axis=1).mean())
    if "trust" in study:
        low, high = typical_trust(json.loads((run / "results" / "study.json").read_text())) or (None, None)
        known = low is not None or high is not None
        above, below = low is not None and low > study["trust"], high is not None and high < study["trust"]
        found |= {"trust above": above, "trust below": below, "trust none": not known, "trust inside": known and not (above or below)}
    return found


def intervals(rows, classes, mean):
    """Central 95% intervals of shares: those printed, or else of Beta distributions with the mean and the evidence of the belief."""
    if f"low_{classes[0]}" in rows[0]:
        return tuple(np.array([[float(row[f"{end}_{name}"]) for name in classes] for row in rows]) for end in ["low", "high"])
    if "v" in rows[0]:
        v = np.array([float(row["v"]) for row in rows])
        evidence = (1 - (mean**2).sum(axis=1)) / np.maximum(v, 1e-15) - 1
    else:
        evidence = np.array([float(row["total_evidence"]) for row in rows])
    evidence = np.maximum(evidence, 1e-9)[:, None]
    a, b = np.maximum(mean * evidence, 1e-9), np.maximum((1 - mean) * evidence, 1e-9)
    return beta_distribution.ppf(0.025, a, b), beta_distribution.ppf(0.975, a, b)


def sum_of(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:16]


# Changes whenever `read` measures other things.
READING = "2"


def published(study):
    files = dict(study["files"])
    text = files["study.toml"]
    files["study.toml"] = text.replace("[trust]\n", '[trust]\nbelief = "published"\n') if "[trust]" in text else text + '[trust]\nbelief = "published"\n'
    return {**study, "files": files}


def one(program, program_sum, study, cache):
    digest = hashlib.sha256(json.dumps([READING, program_sum, study["files"]], sort_keys=True).encode()).hexdigest()
    kept = cache / program_sum / f"{digest[:24]}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text in study["files"].items():
            (folder / name).write_text(text)
        command = [program, "study", "run", str(folder), "--replicates", "0", "--threads", "1"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        if done.returncode:
            return {"failed": (done.stderr or done.stdout).strip()[-300:]}
        found = read(folder / "run", study)
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}.{digest[-6:]}")
    part.write_text(json.dumps(found))
    part.rename(kept)
    return found


# Here the limit is that of NEW, not of a difference.
ABSOLUTE = ("above marginal", "trust above", "trust below")


def verdict(name, what, difference, se, limit, new):
    """The limit in words, and whether it is kept."""
    if limit is None:
        return "", ""
    if what in ("coverage", "top tenth"):
        least = 0.92 if name.startswith("ratings") and name.endswith(" 50") else None
        kept = difference >= 0 or (least is not None and new >= least)
        words = f">= base{'' if least is None else f' or {least}'}"
        return words, "ok" if kept else "open" if difference + Z * se >= 0 else "NO"
    over = (new if what in ABSOLUTE else difference) - limit
    return f"{'new <= ' if what in ABSOLUTE else ''}{limit:+}", "ok" if over <= 0 else "open" if over <= Z * se else "NO"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("base")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--csv")
    parser.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "beliefs_against"))
    parser.add_argument("--conversations")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    os.nice(max(5 - os.nice(0), 0))
    words = [word for word in arguments.only.split(",") if word]
    chosen = [cell for cell in cells(arguments) if not words or any(word in cell[0] for word in words)]
    if arguments.list:
        return print("\n".join(name for name, *_ in chosen))
    if arguments.published:
        arguments.new = arguments.new or arguments.base
    if not arguments.new and not arguments.alone:
        parser.error("name a second program, --alone or --published")
    programs = [os.path.abspath(one) for one in [arguments.base, arguments.new][: 1 if arguments.alone else 2]]
    sums, cache = [sum_of(program) for program in programs], pathlib.Path(arguments.cache)
    beliefs = ["published", "auto"] if arguments.published else ["base", "new"]
    header = ["cell", "measured", "seeds", *beliefs, "difference", "se", "limit", "kept"]
    out = open(arguments.csv, "w") if arguments.csv else None
    print(f"{header[0]:42} {header[1]:15} {'seeds':>5} {beliefs[0]:>9} {beliefs[1]:>8} {'difference':>10} {'se':>7} {'limit':>15} kept")
    if out:
        print(",".join(header), file=out)
    fifty, bad, opened = [], [], 0

    def row(name, what, base, new, limit, seeds, spread=None):
        nonlocal opened
        difference = new - base
        se = spread if spread is not None else float("nan")
        is_held = not arguments.alone and not arguments.published
        words, kept = verdict(name, what, difference, se, limit, new) if is_held else ("", "")
        if kept == "NO":
            bad.append(f"{name}, {what}")
        opened += kept == "open"
        print(f"{name:42} {what:15} {seeds:5} {base:9.4f} {new:8.4f} {difference:+10.4f} {se:7.4f} {words:>15} {kept}", flush=True)
        if out:
            print(f"{name},{what},{seeds},{base:.4f},{new:.4f},{difference:+.4f},{se:.4f},{words},{kept}", file=out, flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        def both(make, seed):
            study = make(seed)
            read_as = [published(study) if arguments.published else study, study]
            return [one(program, own, study, cache) for program, own, study in zip(programs, sums, read_as)]

        waiting = [(cell, [pool.submit(both, cell[2], seed) for seed in range(cell[1])]) for cell in chosen]
        for (name, seeds, _, limits), futures in waiting:
            found = [future.result() for future in futures]
            failed = [(k, seed, one["failed"]) for seed, pair in enumerate(found) for k, one in enumerate(pair) if "failed" in one]
            for k, seed, why in failed[:1]:
                print(f"{name}: {len(failed)} runs failed; {['BASE', 'NEW'][k]}, seed {seed}: {why}", flush=True)
            if any(k == 1 for k, *_ in failed):
                bad.append(f"{name}, run")
            found = [pair for pair in found if not any("failed" in one for one in pair)]
            for what, limit in limits.items():
                if not found:
                    continue
                base, new = (np.array([float(pair[k][what]) for pair in found]) for k in (0, -1))
                se = (new if what in ABSOLUTE else new - base).std(ddof=1) / len(found) ** 0.5 if len(found) > 1 else float("nan")
                own = limit
                # The limit at 50 items is on the average over cells.
                if name.endswith(" 50") and what in ("manhattan", "squared", "error"):
                    fifty.append((what, base.mean(), new.mean(), se))
                    own = None
                row(name, what, base.mean(), new.mean(), own, len(found), se)
        for what in ["manhattan", "squared", "error"]:
            own = [one[1:] for one in fifty if one[0] == what]
            if own:
                base, new = np.mean([one[0] for one in own]), np.mean([one[1] for one in own])
                row("all of 50", what, base, new, 0.002, len(own), float(np.sqrt(np.sum([one[2] ** 2 for one in own])) / len(own)))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{len(bad)} not kept, {opened} open; {used.ru_utime + used.ru_stime:.0f} s of processor time of the programs in this run")
    print("\n".join(f"NO: {one}" for one in bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
