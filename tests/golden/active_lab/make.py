"""Scores of ActiveLab, made by the package cleanlab 2.9.0 itself:

    pip install cleanlab==2.9.0
    python make.py > scores.json

`as_shipped` is what the package returns. `repaired` is the same with `value_counts` given whole numbers, so that it puts the
counts of classes where they belong: the labels it is given are floating-point numbers, for which it fills the first positions.
"""

import contextlib
import json
import sys
import warnings

import cleanlab
import numpy as np
from cleanlab.internal import multiannotator_utils
from cleanlab.multiannotator import get_active_learning_scores

SHIPPED = multiannotator_utils.value_counts


def repaired_counts(x, *, num_classes=None):
    return SHIPPED(np.asarray(x).astype(int), num_classes=num_classes)


def scores(q, labels, counts):
    multiannotator_utils.value_counts = counts
    given = ~np.isnan(labels)
    has = given.any(axis=1)
    labels = labels[:, given.any(axis=0)]
    out = np.full(len(q), np.nan)
    if has.any():
        labelled, unlabelled = get_active_learning_scores(
            labels[has], q[has], q[~has] if (~has).any() else None
        )
        out[has] = labelled
    else:
        _, unlabelled = get_active_learning_scores(pred_probs_unlabeled=q)
    if (~has).any():
        out[~has] = unlabelled
    return out


def predictions(rng, n, k, concentration):
    q = rng.dirichlet(np.full(k, concentration), n)
    q = np.round(np.maximum(q, 0.005), 4)
    return q / q.sum(axis=1, keepdims=True)


def drawn(rng, p, numbers, annotators):
    """Labels from p by annotators drawn without replacement."""
    labels = np.full((len(p), annotators), np.nan)
    for i, n in enumerate(numbers):
        who = rng.choice(annotators, n, replace=False)
        labels[i, who] = rng.choice(p.shape[1], n, p=p[i])
    return labels


def by_class(labels):
    """The same labels with annotators forgotten: each item's in the order of their classes, from the first column on."""
    return np.sort(labels, axis=1)


def cases():
    rng = np.random.default_rng(20230127)
    for name, n, k, concentration, exponent, annotators in [
        ("two classes", 40, 2, 1.0, 1.0, 5),
        ("three classes", 60, 3, 0.6, 1.0, 10),
        ("judge too sharp", 50, 3, 0.2, 0.3, 6),
        ("judge too flat", 50, 4, 6.0, 6.0, 6),
        ("many classes, few labels", 50, 8, 0.4, 1.0, 12),
    ]:
        q = predictions(rng, n, k, concentration)
        p = q**exponent
        p /= p.sum(axis=1, keepdims=True)
        labels = drawn(rng, p, rng.choice([0, 1, 2, 5], n), annotators)
        yield name, q, labels
        yield name + ", annotators forgotten", q, by_class(labels)
    q = predictions(rng, 20, 3, 1.0)
    yield "at most one label", q, drawn(rng, q, rng.choice([0, 1], 20), 4)
    yield "no labels", q, np.full((20, 2), np.nan)
    # Annotator 3 shares no item with anybody, and majorities tie with equal predictions.
    q = np.array([[0.4, 0.4, 0.2], [0.25, 0.25, 0.5], [0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.3, 0.4, 0.3]])
    nan = np.nan
    labels = np.array(
        [[0, 1, nan, nan], [1, 0, nan, nan], [0, 0, 1, nan], [1, 1, 1, nan], [nan, nan, nan, 2], [nan, 1, 1, nan]]
    )
    yield "ties and a stranger", q, labels


def main():
    warnings.simplefilter("error")
    out = []
    for name, q, labels in cases():
        # The package remarks on standard output.
        with np.errstate(all="ignore"), contextlib.redirect_stdout(sys.stderr):
            row = {
                "name": name,
                "q": q.tolist(),
                "labels": [[None if np.isnan(x) else int(x) for x in row] for row in labels],
                "as_shipped": scores(q, labels, SHIPPED).tolist(),
                "repaired": scores(q, labels, repaired_counts).tolist(),
            }
        out.append(row)
    made = {"cleanlab": cleanlab.__version__, "numpy": np.__version__, "cases": out}
    text = json.dumps(made, separators=(",", ":"))
    sys.stdout.write(text.replace('{"name"', '\n{"name"') + "\n")


if __name__ == "__main__":
    main()
