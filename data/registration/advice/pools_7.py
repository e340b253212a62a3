"""The pools of choice.toml but for the conversations: those of pools_6.py, with worlds of new seeds, and four judges of ChaosNLI made by training.

    python pools_7.py DATA OUT      (NumPy, scikit-learn 1.9.1; as pools.py)

A trained judge is a network of one hidden layer, of 1,000 items drawn at random; it is trained on all others, so it has seen none of its items. Its
inputs are their embeddings and, of three of the four, the log predictions of the language model. It learns the class that most labels name, or one
label of each item, and is stopped when it is far too sure of itself, as classifiers are that were trained on one label an item.
"""

import csv
import sys
from pathlib import Path

import numpy as np
import pools
import pools_2
import pools_5
from sklearn.neural_network import MLPClassifier

CLASSES = ["e", "n", "c"]
# Whether it reads the language model, hidden units, penalty, rounds, and whether it learns from one label of each item.
JUDGES = [(True, 64, 1e-4, 30, False), (True, 64, 1e-2, 12, True), (False, 128, 1e-3, 30, False), (True, 32, 1e-4, 100, False)]


def trained(data, out):
    labels = list(csv.DictReader(open(data / "chaosnli/labels.csv")))
    judge = {row["uid"]: row for row in csv.DictReader(open(data / "chaosnli/judge.csv"))}
    uids = [row["uid"] for row in csv.DictReader(open(data / "chaosnli/embeddings_uids.csv"))]
    place = {uid: k for k, uid in enumerate(uids)}
    embeddings = np.load(data / "chaosnli/embeddings_f16.npy").astype(float)[[place[row["uid"]] for row in labels]]
    shares = np.array([[int(row[c]) for c in CLASSES] for row in labels], float)
    shares /= shares.sum(axis=1, keepdims=True)
    variants = ["neutral", "strict", "intuitive"]
    stated = np.array([[[float(judge[row["uid"]][f"{v}_{c}"] or 33) + 1 for c in CLASSES] for v in variants] for row in labels])
    logs = np.log(stated / stated.sum(axis=2, keepdims=True)).reshape(len(labels), -1)
    for seed, (reads, hidden, penalty, rounds, single) in enumerate(JUDGES, start=300):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(labels))
        items, others = np.sort(order[:1000]), order[1000:]
        inputs = np.hstack([10 * embeddings, logs]) if reads else 10 * embeddings
        learned = [rng.choice(3, p=shares[i]) for i in others] if single else shares[others].argmax(axis=1)
        network = MLPClassifier((hidden,), alpha=penalty, max_iter=rounds, random_state=seed).fit(inputs[others], learned)
        q = np.maximum(network.predict_proba(inputs[items]), 1e-5)
        q /= q.sum(axis=1, keepdims=True)
        ids = [labels[i]["uid"] for i in items]
        pools.write(
            out / f"trained_{seed}",
            pools.study("ChaosNLI, a trained judge", CLASSES, 'kind = "probabilities"\n', 'group = "source"\n'),
            [["id", "source"], *([uid, labels[i]["source"]] for uid, i in zip(ids, items))],
            [["id", "p_e", "p_n", "p_c"], *([uid, *(f"{x:.6f}" for x in row)] for uid, row in zip(ids, q))],
            [["id", "n_e", "n_n", "n_c"], *([uid, *(labels[i][c] for c in CLASSES)] for uid, i in zip(ids, items))],
        )


if __name__ == "__main__":
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    pools_2.worlds(out, [80, 81], True)
    for seed in [80, 81]:
        pools_5.of_trust(out, 2.0, seed)
        pools_5.of_trust(out, 20.0, seed)
    pools.dice(data, out)
    pools_2.other_half(data, out)
    pools.chaosnli(data, out)
    trained(data, out)
