"""Draws the items of this folder and fits the recalibrated belief to them, sharing no code with the program.

Python 3 with numpy 2.4.6 and scipy 1.17.1: `python make.py` rewrites items.csv, judge.csv, labels.csv and expected.json.

The likelihood is written here in log-gamma functions and its gradient in digamma functions. The maximum is searched by
BFGS from three starts, which must agree, and then polished as a root of the gradient. Standard errors come from central
differences of the gradient.
"""

import csv
import json

import numpy as np
from scipy.optimize import minimize, root
from scipy.special import digamma, gammaln

CLASSES = ["a", "b", "c"]
GROUPS = ["north", "south"]


def draw(rng):
    """Two groups with judges that err in different ways; one in five items has no label, some lack the feature x."""
    items, judge, labels = [], [], []
    for i in range(80):
        group = i % 2
        x = rng.normal()
        stated = np.round(0.03 + 0.91 * rng.dirichlet([1.2, 1.2, 1.2]), 3)
        stated[2] = np.round(1.0 - stated[0] - stated[1], 3)
        tau, bias = [(0.5, [0.0, 0.5, -0.3]), (1.3, [0.0, -0.4, 0.2])][group]
        prior = stated**tau * np.exp(bias)
        prior /= prior.sum()
        truth = rng.dirichlet(np.exp(1.6 + 0.5 * x) * prior)
        n = rng.choice([0, 1, 2, 5, 10])
        name = f"i{i:02}"
        items.append([name, GROUPS[group], "" if i % 13 == 4 else f"{x:.3f}"])
        judge.append([name, *(f"{p:.3f}" for p in stated)])
        labels.append([name, *rng.multinomial(n, truth)])
    for file, header, rows in [
        ("items.csv", ["id", "group", "x"], items),
        ("judge.csv", ["id", *(f"p_{c}" for c in CLASSES)], judge),
        ("labels.csv", ["id", *(f"n_{c}" for c in CLASSES)], labels),
    ]:
        with open(file, "w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([header, *rows])


def read():
    rows = lambda file: list(csv.reader(open(file)))[1:]
    items = rows("items.csv")
    q = np.array([[float(p) for p in row[1:]] for row in rows("judge.csv")])
    counts = np.array([[int(n) for n in row[1:]] for row in rows("labels.csv")])
    group = np.array([GROUPS.index(row[1]) for row in items])
    x = np.array([float(row[2]) if row[2] else np.nan for row in items])
    x[np.isnan(x)] = np.nanmean(x)
    log_labels = np.log1p(counts.sum(axis=1))
    z = np.stack([log_labels, x], axis=1)
    return q, counts, group, (z - z.mean(axis=0)) / z.std(axis=0)


class Posterior:
    """Log-likelihood and log prior as functions of (intercept, beta, then ln tau and biases of each group)."""

    def __init__(self, data, recalibration, ridge, sd_tau, sd_bias, sd_trust):
        self.q, self.counts, group, self.z = data
        self.groups = {"off": 0, "shared": 1, "by_group": 2}[recalibration]
        self.group = np.zeros_like(group) if self.groups == 1 else group
        self.ridge, self.sd_tau, self.sd_bias, self.sd_trust = ridge, sd_tau, sd_bias, sd_trust
        self.labelled = self.counts.sum(axis=1) > 0

    def split(self, theta):
        beta, rest = theta[:3], theta[3:].reshape(self.groups, 3)
        return beta, np.exp(rest[:, 0]), np.column_stack([np.zeros(self.groups), rest[:, 1:]])

    def alpha(self, theta):
        """Trust and recalibrated prediction of every item."""
        beta, tau, bias = self.split(theta)
        trust = np.exp(beta[0] + self.z @ beta[1:])
        if self.groups == 0:
            return trust, self.q
        powers = self.q ** tau[self.group][:, None] * np.exp(bias[self.group])
        return trust, powers / powers.sum(axis=1, keepdims=True)

    def log_likelihood(self, theta):
        trust, q = self.alpha(theta)
        a, c = (trust[:, None] * q)[self.labelled], self.counts[self.labelled]
        whole = gammaln(a.sum(axis=1)) - gammaln(a.sum(axis=1) + c.sum(axis=1))
        return np.sum(whole) + np.sum(gammaln(a + c) - gammaln(a))

    def log_prior(self, theta):
        beta, tau, bias = self.split(theta)
        spread = bias - bias.mean(axis=1, keepdims=True)
        return -(
            self.ridge * np.sum(beta[1:] ** 2) / 2
            + (beta[0] - np.log(8)) ** 2 / (2 * self.sd_trust**2)
            + np.sum(np.log(tau) ** 2) / (2 * self.sd_tau**2)
            + np.sum(spread**2) / (2 * self.sd_bias**2)
        )

    def value(self, theta):
        return self.log_likelihood(theta) + self.log_prior(theta)

    def gradient(self, theta):
        beta, tau, bias = self.split(theta)
        trust, q = self.alpha(theta)
        a, n = trust[:, None] * q, self.counts.sum(axis=1)
        by_alpha = (digamma(trust) - digamma(trust + n))[:, None] + digamma(a + self.counts) - digamma(a)
        by_alpha[~self.labelled] = 0.0
        by_log_trust = np.sum(by_alpha * a, axis=1)
        out = [np.sum(by_log_trust), *(self.z.T @ by_log_trust)]
        # d q_j / d u_m = q_j (1[j = m] - q_m), with u = tau ln q + b
        by_q = by_alpha * trust[:, None]
        by_u = q * (by_q - np.sum(by_q * q, axis=1, keepdims=True))
        for g in range(self.groups):
            own = self.group == g
            out.append(np.sum(by_u[own] * tau[g] * np.log(self.q[own])))
            out.extend(np.sum(by_u[own], axis=0)[1:])
        out = np.array(out)
        out[0] -= (beta[0] - np.log(8)) / self.sd_trust**2
        out[1:3] -= self.ridge * beta[1:]
        for g in range(self.groups):
            out[3 + 3 * g] -= np.log(tau[g]) / self.sd_tau**2
            out[4 + 3 * g : 6 + 3 * g] -= (bias[g] - bias[g].mean())[1:] / self.sd_bias**2
        return out

    def fit(self):
        size = 3 + 3 * self.groups
        ends = []
        for shift in (0.0, 0.4, -0.4):
            start = np.full(size, shift)
            start[0] += np.log(8)
            search = minimize(lambda t: -self.value(t), start, jac=lambda t: -self.gradient(t), method="BFGS")
            found = root(self.gradient, search.x, tol=1e-14).x
            assert np.max(np.abs(self.gradient(found))) < 1e-9, self.gradient(found)
            ends.append(found)
        assert all(np.max(np.abs(end - ends[0])) < 1e-9 for end in ends), ends
        theta = ends[0]
        h = 1e-5
        steps = np.eye(size) * h
        numeric = [(self.value(theta + e) - self.value(theta - e)) / (2 * h) for e in steps]
        assert np.max(np.abs(numeric)) < 1e-6, numeric
        hessian = np.array([(self.gradient(theta + e) - self.gradient(theta - e)) / (2 * h) for e in steps])
        covariance = np.linalg.inv(-(hessian + hessian.T) / 2)
        beta, tau, bias = self.split(theta)
        trust, q = self.alpha(theta)
        return {
            "coefficients": beta.tolist(),
            "tau": tau.tolist(),
            "bias": bias.tolist(),
            "standard_errors": np.sqrt(np.diag(covariance)).tolist(),
            "log_likelihood": self.log_likelihood(theta),
            "alpha": (trust[:, None] * q + self.counts).tolist(),
        }


def main():
    draw(np.random.default_rng(2026))
    data = read()
    cases = []
    for recalibration in ("off", "shared", "by_group"):
        for ridge, sd_tau, sd_bias, sd_trust in ((1.0, 1.0, 1.0, 3.0), (0.2, 0.5, 0.7, 1.5)):
            options = {
                "recalibration": recalibration,
                "ridge": ridge,
                "prior": {"log_tau_sd": sd_tau, "bias_sd": sd_bias, "log_trust_sd": sd_trust},
            }
            fit = Posterior(data, recalibration, ridge, sd_tau, sd_bias, sd_trust).fit()
            cases.append({"options": options, "fit": fit})
    with open("expected.json", "w") as out:
        out.write('{"cases": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]}\n")


main()
