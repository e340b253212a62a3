"""Value, gradient, Hessian and maximum of the recalibrated belief's log posterior, by mpmath, sharing no code with the program.

python3 derivatives.py > derivatives.txt        made with mpmath 1.4.1

Twelve items of three classes in two groups, one feature. The log posterior is written in log-gamma functions at 60 digits and
differentiated by central differences whose error is below 1e-20; the maximum is the root of that gradient. A line is a name and
its numbers; parameters are the intercept, the feature's coefficient, then ln tau and the biases of the second and third class
of each group.
"""

from mpmath import exp, log, loggamma, matrix, lu_solve, mp, mpf

mp.dps = 60

Q = ["0.7 0.2 0.1", "0.05 0.9 0.05", "0.3 0.3 0.4", "0.02 0.08 0.9", "0.5 0.45 0.05", "0.25 0.25 0.5",
     "0.85 0.1 0.05", "0.15 0.6 0.25", "0.34 0.33 0.33", "0.1 0.2 0.7", "0.4 0.55 0.05", "0.01 0.04 0.95"]
COUNTS = ["3 2 0", "0 4 1", "1 1 3", "0 0 2", "0 0 0", "2 0 0", "5 1 4", "0 1 0", "2 2 2", "1 0 6", "1 1 0", "0 3 9"]
Z = "0.5 -1.2 0.3 1.7 -0.4 0 -0.9 0.8 1.1 -1.5 0.25 -0.65"
GROUP = [i % 2 for i in range(12)]
RIDGE, SD_TAU, SD_BIAS, SD_TRUST = (mpf(x) for x in ("0.5", "0.75", "1.25", "2"))
AT = "1.25 -0.5 -0.375 0.25 0.125 0.5 -0.625 0.0625"


def doubles(text):
    """The doubles nearest to the numbers of a text, as the program reads them."""
    return [mpf(float(x)) for x in text.split()]


q, counts, z = [doubles(row) for row in Q], [doubles(row) for row in COUNTS], doubles(Z)


def log_posterior(theta):
    value = -RIDGE * theta[1] ** 2 / 2 - (theta[0] - log(8)) ** 2 / (2 * SD_TRUST**2)
    for g in range(2):
        biases = [mpf(0), theta[3 + 3 * g], theta[4 + 3 * g]]
        mean = sum(biases) / 3
        value -= theta[2 + 3 * g] ** 2 / (2 * SD_TAU**2) + sum((b - mean) ** 2 for b in biases) / (2 * SD_BIAS**2)
    for row, c, x, g in zip(q, counts, z, GROUP):
        n = sum(c)
        if n == 0:
            continue
        biases = [mpf(0), theta[3 + 3 * g], theta[4 + 3 * g]]
        weights = [p ** exp(theta[2 + 3 * g]) * exp(b) for p, b in zip(row, biases)]
        trust = exp(theta[0] + theta[1] * x)
        alpha = [trust * w / sum(weights) for w in weights]
        value += loggamma(trust) - loggamma(trust + n)
        value += sum(loggamma(a + k) - loggamma(a) for a, k in zip(alpha, c))
    return value


H = mpf(10) ** -14


def moved(theta, *steps):
    theta = list(theta)
    for at, by in steps:
        theta[at] += by
    return log_posterior(theta)


def gradient(theta):
    return [(moved(theta, (a, H)) - moved(theta, (a, -H))) / (2 * H) for a in range(len(theta))]


def hessian(theta):
    size = range(len(theta))
    corner = lambda a, b: sum(s * t * moved(theta, (a, s * H), (b, t * H)) for s in (1, -1) for t in (1, -1)) / (4 * H * H)
    upper = {(a, b): corner(a, b) for a in size for b in size if a <= b}
    return [[upper[min(a, b), max(a, b)] for b in size] for a in size]


def maximum():
    theta = [log(mpf(8))] + [mpf(0)] * 7
    for _ in range(60):
        slope = gradient(theta)
        if max(abs(s) for s in slope) < mpf(10) ** -20:
            return theta
        step = lu_solve(matrix(hessian(theta)), -matrix(slope))
        length = max(abs(s) for s in step)
        theta = [t + s * min(1, 1 / length) for t, s in zip(theta, step)]
    raise ValueError(theta)


def line(name, values):
    print(name, *(repr(float(v)) for v in values))


for row, c, x, g in zip(q, counts, z, GROUP):
    line("item", [*row, *c, x, g])
line("options", [RIDGE, SD_TAU, SD_BIAS, SD_TRUST])
for name, theta in (("point", doubles(AT)), ("maximum", maximum())):
    line(name, theta)
    line("value", [log_posterior(theta)])
    line("gradient", gradient(theta))
    line("hessian", [h for row in hessian(theta) for h in row])
