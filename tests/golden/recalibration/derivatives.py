"""Log posterior of the recalibrated belief with gradient and Hessian, by mpmath, for the items that make.py drew.

Python 3 with numpy 2.4.6, scipy 1.17.1 and mpmath 1.3.0: `python derivatives.py` rewrites derivatives.json. Densities are log-gamma functions at 50
digits, derivatives central differences with steps of 1e-16.
"""

import json

import mpmath as mp

mp.mp.dps = 50
STEP = mp.mpf("1e-16")
# make.py writes its files when imported; only its reader is wanted.
source = {}
with open("make.py") as file:
    exec(file.read().rsplit("\nmain()", 1)[0], source)
Q, COUNTS, GROUP, Z = source["read"]()


def log_posterior(theta, groups, ridge, sd_tau, sd_bias, sd_trust):
    beta, rest = theta[:3], theta[3:]
    value = -ridge * (beta[1] ** 2 + beta[2] ** 2) / 2 - (beta[0] - mp.log(8)) ** 2 / (2 * sd_trust**2)
    for g in range(groups):
        log_tau, bias = rest[3 * g], [0, rest[3 * g + 1], rest[3 * g + 2]]
        mean = sum(bias) / 3
        value -= log_tau**2 / (2 * sd_tau**2) + sum((b - mean) ** 2 for b in bias) / (2 * sd_bias**2)
    for q, counts, group, z in zip(Q.tolist(), COUNTS.tolist(), GROUP.tolist(), Z.tolist()):
        n = sum(counts)
        if n == 0:
            continue
        g = group if groups == 2 else 0
        trust = mp.exp(beta[0] + beta[1] * z[0] + beta[2] * z[1])
        if groups:
            bias = [0, rest[3 * g + 1], rest[3 * g + 2]]
            q = [mp.exp(mp.exp(rest[3 * g]) * mp.log(p) + b) for p, b in zip(q, bias)]
            whole = sum(q)
            q = [p / whole for p in q]
        a = [trust * p for p in q]
        whole = sum(a)
        value += mp.loggamma(whole) - mp.loggamma(whole + n)
        value += sum(mp.loggamma(x + c) - mp.loggamma(x) for x, c in zip(a, counts))
    return value


def derivatives(at, *options):
    theta = [mp.mpf(t) for t in at]
    p = len(theta)

    def moved(*moves):
        there = list(theta)
        for k, sign in moves:
            there[k] += sign * STEP
        return log_posterior(there, *options)

    middle = moved()
    up, down = [moved((k, 1)) for k in range(p)], [moved((k, -1)) for k in range(p)]
    hessian = [[0.0] * p for _ in range(p)]
    for a in range(p):
        hessian[a][a] = float((up[a] - 2 * middle + down[a]) / STEP**2)
        for b in range(a):
            both = moved((a, 1), (b, 1)) - moved((a, 1), (b, -1)) - moved((a, -1), (b, 1)) + moved((a, -1), (b, -1))
            hessian[a][b] = hessian[b][a] = float(both / (4 * STEP**2))
    gradient = [float((u - d) / (2 * STEP)) for u, d in zip(up, down)]
    return {"at": at, "value": float(middle), "gradient": gradient, "hessian": hessian}


cases = []
for name, groups in (("off", 0), ("shared", 1), ("by_group", 2)):
    for ridge, sd_tau, sd_bias, sd_trust in ((1.0, 1.0, 1.0, 3.0), (0.2, 0.5, 0.7, 1.5)):
        options = {
            "recalibration": name,
            "ridge": ridge,
            "prior": {"log_tau_sd": sd_tau, "bias_sd": sd_bias, "log_trust_sd": sd_trust},
        }
        at = [1.3, -0.4, 0.6, -0.5, 0.3, -0.7, 0.4, -0.2, 0.9][: 3 + 3 * groups]
        cases.append({"options": options} | derivatives(at, groups, *map(mp.mpf, (ridge, sd_tau, sd_bias, sd_trust))))
with open("derivatives.json", "w") as out:
    out.write('{"cases": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]}\n")
