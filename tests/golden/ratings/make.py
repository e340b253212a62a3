"""Fits of ratings with and without a reading of the judge's scale, and derivatives, sharing no code with the program.

Python 3 with numpy 2.4.6, scipy 1.17.1 and mpmath 1.3.0: `python make.py` rewrites expected.json.

An item's labels are multivariate Student t: nu degrees of freedom, location mu', scale matrix s0'^2 (I + 1 1^T / lambda). Maxima
are searched with scipy.stats.multivariate_t from three starts by BFGS without derivatives, and then polished by Newton steps with
mpmath (50 digits), where densities come from LU decompositions and derivatives from central differences with steps of 1e-16. The
log posterior, its gradient and its Hessian at two other points are mpmath's alone.
"""

import json

import mpmath as mp
import numpy as np
from scipy.optimize import minimize
from scipy.stats import multivariate_t

mp.mp.dps = 50
STEP = mp.mpf("1e-16")


def draw(rng, items):
    group = [i % 2 for i in range(items)]
    x = rng.normal(size=items).round(3)
    right = rng.normal(5, 1.5, items)
    variance = 6 * 0.8 / rng.chisquare(6, items)
    pool = rng.normal(right, np.sqrt(variance / np.exp(1 + 0.4 * x)))
    labels = [rng.normal(m, np.sqrt(v), n).round(3).tolist() for m, v, n in zip(pool, variance, rng.integers(0, 5, items))]
    bias, slope, factor = np.array([(1.2, 0.7, 2.0), (-0.5, 1.3, 0.7)])[group].T
    mean = (5 + (right - 5 + bias) / slope).round(3)
    sd = (np.sqrt(0.8) * rng.uniform(0.7, 1.4, items) / factor).round(3)
    return {"x": x.tolist(), "group": group, "mean": mean.tolist(), "sd": sd.tolist(), "labels": labels}


class Posterior:
    """Log posterior in (intercept, slope of x, ln(nu - 2), then for each group bias, slope, ln factor, ln s0^2, as far as fitted)."""

    def __init__(self, data, recalibration, prior, stated):
        self.read, self.weak = recalibration != "off", prior == "weak"
        self.groups = 2 if recalibration == "by_group" else 1
        x = np.array(data["x"])
        z = (x - x.mean()) / x.std()
        sd = {"all": lambda i: True, "none": lambda i: False, "some": lambda i: i % 3 != 0}[stated]
        self.stated, self.common = stated != "none", stated != "all"
        self.items = [
            (float(z[i]), g if self.groups == 2 else 0, data["mean"][i], data["sd"][i] if sd(i) else None, data["labels"][i])
            for i, g in enumerate(data["group"])
            if data["labels"][i]
        ]
        labels = sum(len(y) for *_, y in self.items)
        about = sum((v - m) ** 2 for *_, m, _, y in self.items for v in y) / labels
        self.unit, self.variance = about**0.5, about
        self.centre = [0.0] * self.groups
        if self.read:
            lines = []
            for g in range(self.groups):
                own = [(m, np.mean(y)) for _, group, m, _, y in self.items if group == g]
                m, y = np.array(own).T
                self.centre[g] = m.mean()
                lines.append(np.polyfit(m - m.mean(), y, 1))
            off = lambda g, m, v: v - lines[g][1] - lines[g][0] * (m - self.centre[g])
            self.variance = sum(off(g, m, v) ** 2 for _, g, m, _, y in self.items for v in y) / labels
        self.names = ["intercept", "x", "ln(nu - 2)"]
        for g in range(self.groups):
            of = f" of group {g}" if self.groups == 2 else ""
            own = (["bias", "slope"] + ["ln factor"] * self.stated) * self.read + ["ln s0^2"] * self.common
            self.names += [name + of for name in own]

    def per_group(self, theta, g):
        width = (len(self.names) - 3) // self.groups
        own = list(theta[3 + g * width : 3 + (g + 1) * width])
        bias, slope = (own.pop(0), own.pop(0)) if self.read else (0, 1)
        log_factor = own.pop(0) if self.read and self.stated else 0
        return bias, slope, log_factor, own.pop(0) if self.common else None

    def log_prior(self, theta, log=np.log):
        terms = []
        if self.weak:
            terms += [theta[0] - log(8), theta[1] / 0.5, (theta[2] - log(4)) / 1.5]
        for g in range(self.groups):
            bias, slope, log_factor, log_variance = self.per_group(theta, g)
            if self.read:
                terms += [bias / self.unit, slope - 1, log_factor]
            if self.weak and self.common:
                terms.append((log_variance - log(self.variance)) / 2)
        return -sum(t * t for t in terms) / 2

    def of_items(self, theta, exp):
        for z, g, m, sd, y in self.items:
            bias, slope, log_factor, log_variance = self.per_group(theta, g)
            variance = exp(log_variance) if sd is None else sd * sd * exp(2 * log_factor)
            mean = self.centre[g] - bias + slope * (m - self.centre[g]) if self.read else m
            yield y, mean, variance, exp(theta[0] + theta[1] * z), 2 + exp(theta[2])

    def by_scipy(self, theta):
        value = self.log_prior(theta)
        for y, mean, variance, trust, nu in self.of_items(theta, np.exp):
            n = len(y)
            shape = variance * (np.eye(n) + np.ones((n, n)) / trust)
            value += multivariate_t.logpdf(y, np.full(n, mean), shape, df=nu)
        return value

    def by_mpmath(self, theta):
        value = self.log_prior(theta, mp.log)
        for y, mean, variance, trust, nu in self.of_items(theta, mp.exp):
            n = len(y)
            shape = mp.matrix(n, n)
            for a in range(n):
                for b in range(n):
                    shape[a, b] = variance * (int(a == b) + 1 / trust)
            off = mp.matrix([v - mean for v in y])
            distance = (off.T * mp.lu_solve(shape, off))[0]
            value += mp.loggamma((nu + n) / 2) - mp.loggamma(nu / 2) - mp.mpf(n) / 2 * mp.log(nu * mp.pi)
            value += -mp.log(mp.det(shape)) / 2 - (nu + n) / 2 * mp.log1p(distance / nu)
        return value

    def derivatives(self, theta):
        theta = [mp.mpf(t) for t in theta]
        p = len(theta)

        def at(*moves):
            there = list(theta)
            for k, sign in moves:
                there[k] += sign * STEP
            return self.by_mpmath(there)

        middle = self.by_mpmath(theta)
        up, down = [at((k, 1)) for k in range(p)], [at((k, -1)) for k in range(p)]
        gradient = [(u - d) / (2 * STEP) for u, d in zip(up, down)]
        hessian = mp.matrix(p, p)
        for a in range(p):
            hessian[a, a] = (up[a] - 2 * middle + down[a]) / STEP**2
            for b in range(a):
                both = at((a, 1), (b, 1)) - at((a, 1), (b, -1)) - at((a, -1), (b, 1)) + at((a, -1), (b, -1))
                hessian[a, b] = hessian[b, a] = both / (4 * STEP**2)
        return middle, gradient, hessian

    def maximum(self):
        ends = []
        for shift in (0.0, 0.3, -0.3):
            start = np.full(len(self.names), shift)
            start[0] += np.log(8)
            for k, name in enumerate(self.names):
                start[k] += 1.0 if name.startswith("slope") else np.log(self.variance) if name.startswith("ln s0") else 0.0
            ends.append(minimize(lambda t: -self.by_scipy(t), start, method="BFGS", options={"gtol": 1e-4}))
        ends.sort(key=lambda end: end.fun)
        assert abs(self.by_scipy(ends[0].x) - float(self.by_mpmath([mp.mpf(t) for t in ends[0].x]))) < 1e-8
        theta = [mp.mpf(t) for t in ends[0].x]
        for _ in range(8):
            value, gradient, hessian = self.derivatives(theta)
            if max(abs(g) for g in gradient) < mp.mpf("1e-14"):
                break
            step = mp.lu_solve(-hessian, mp.matrix(gradient))
            theta = [t + s for t, s in zip(theta, step)]
        assert max(abs(g) for g in gradient) < mp.mpf("1e-14"), gradient
        assert all(e > 0 for e in mp.eigsy(-hessian, eigvals_only=True))
        covariance = mp.inverse(-hessian)
        errors = [mp.sqrt(covariance[k, k]) for k in range(len(theta))]
        return theta, errors, value - self.log_prior(theta, mp.log)


def floats(values):
    return [float(v) for v in values]


def case(data, recalibration, prior, stated):
    posterior = Posterior(data, recalibration, prior, stated)
    theta, errors, log_likelihood = posterior.maximum()
    points = []
    for shift in ("0.25", "-0.4"):
        at = [round(float(t) + float(shift) * (-1) ** k, 3) for k, t in enumerate(theta)]
        value, gradient, hessian = posterior.derivatives(at)
        rows = [floats(hessian[a, b] for b in range(len(at))) for a in range(len(at))]
        points.append({"at": at, "value": float(value), "gradient": floats(gradient), "hessian": rows})
    return {
        "recalibration": recalibration, "prior": prior, "stated": stated, "names": posterior.names,
        "maximum": floats(theta), "standard_errors": floats(errors), "log_likelihood": float(log_likelihood), "points": points,
    }


data = draw(np.random.default_rng(20261122), 40)
cases = [
    case(data, "off", "none", "all"),
    case(data, "off", "weak", "some"),
    case(data, "shared", "weak", "all"),
    case(data, "shared", "weak", "none"),
    case(data, "shared", "none", "some"),
]
with open("expected.json", "w") as out:
    out.write('{"data": ' + json.dumps(data) + ',\n"cases": [\n' + ",\n".join(json.dumps(c) for c in cases) + "\n]}\n")
