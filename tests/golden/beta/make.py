"""Beta distribution functions, and what labels do to a beta variable's mean absolute deviation, by mpmath.

python3 make.py > expected.json         made with mpmath 1.4.1

Every number is that of the doubles given, at 40 digits or more, rounded to the nearest double at the end. Distribution functions
are quadratures of the density, panel by panel, and none of the program's series, fractions or asymptotics enters.
"""

import json

from mpmath import binomial, exp, log, loggamma, mp, mpf, quad, rf, sqrt

mp.dps = 40


def log_density(t, a, b):
    """Of ln(x / (1 - x)) at t, where x is Beta(a, b), up to its constant."""
    return a * t - (a + b) * log(1 + exp(t))


def tail(x, a, b):
    """The mass below x, where x is below the mean: from ln(x / (1 - x)) down, until nothing is left."""
    t = log(x / (1 - x))
    p = exp(t) / (1 + exp(t))
    # No panel is longer than the density's own scale there.
    slope = abs(a - (a + b) * p)
    width = 2 / max(slope, sqrt((a + b) * p * (1 - p)))
    longest = max(width, 2 / a)
    total, at, constant = mpf(0), t, loggamma(a) + loggamma(b) - loggamma(a + b)
    for panel in range(400):
        part = quad(lambda u: exp(log_density(u, a, b) - constant), [at - width, at])
        total, at = total + part, at - width
        # Far below, the density is exp(a t).
        width = min(1.2 * width, longest)
        if part < total * mpf(10) ** -20:
            return total
    raise ValueError((x, a, b))


def cdf(x, a, b):
    x, a, b = mpf(x), mpf(a), mpf(b)
    return tail(x, a, b) if x * (a + b) < a else 1 - tail(1 - x, b, a)


def distribution():
    shapes = [(2.5, 7.25), (0.5, 0.5), (1e-3, 2.0), (1e-6, 1e-6), (3.0, 1e-4), (150.0, 170.0), (250.0, 300.0), (201.0, 1e9)]
    shapes += [(12.5, 1e6), (1e-3, 1e12), (0.7, 1e12), (3e3, 5e4), (1e6, 3e6), (1e9, 1e9), (4e11, 6e11), (1e12, 1e12), (1e12, 300.0)]
    cases = []
    for a, b in shapes:
        mean, sd = a / (a + b), (a * b / (a + b + 1)) ** 0.5 / (a + b)
        xs = [mean + z * sd for z in (-8, -1, -1e-3, 0.6, 4)] + [mean * 0.5]
        for x in xs:
            if 0 < x < 1 and x not in (0.0, 1.0):
                cases.append({"a": a, "b": b, "x": x, "p": float(cdf(x, a, b))})
    return cases


def deviation(a, b):
    return 2 * exp(a * log(a) + b * log(b) - (a + b + 1) * log(a + b) - loggamma(a) - loggamma(b) + loggamma(a + b))


def fall(a, b, labels):
    """E|x - mean| before, less its mean after so many labels, whose number in the first class is beta-binomial."""
    a, b = mpf(a), mpf(b)
    chance = lambda i: binomial(labels, i) * rf(a, i) * rf(b, labels - i) / rf(a + b, labels)
    after = sum(chance(i) * deviation(a + i, b + labels - i) for i in range(labels + 1))
    return deviation(a, b) - after


def falls():
    mp.dps = 120
    shapes = [(1.5, 2.5), (0.02, 3.0), (1e-9, 1e9), (12.0, 31.0), (1000.5, 2.0), (1e6, 3e6), (1e9, 2.0), (1e12, 1e-3), (4e11, 6e11)]
    return [
        {"a": a, "b": b, "labels": k, "deviation": float(deviation(mpf(a), mpf(b))), "fall": float(fall(a, b, k))}
        for a, b in shapes
        for k in (1, 4, 30)
    ]


def ginis():
    """1 minus the sum of the squared means, and the value Delta of a label, of concentrated beliefs."""
    out = []
    for alpha in [(1e12, 1e-3), (1e9, 2.0, 0.5), (5.0, 1e-6), (1e12, 1e12, 1e12), (0.25, 0.5, 1e12)]:
        s = sum(mpf(a) for a in alpha)
        gini = 1 - sum((mpf(a) / s) ** 2 for a in alpha)
        manhattan = sum(fall(a, s - mpf(a), 1) for a in alpha)
        out.append({"alpha": alpha, "gini": float(gini), "delta": float(gini / (s + 1) ** 2), "manhattan": float(manhattan)})
    return out


print(json.dumps({"distribution": distribution(), "falls": falls(), "ginis": ginis()}, indent=1))
