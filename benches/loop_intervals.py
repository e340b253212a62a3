"""How often the intervals of `study simulate` hold the mean over items and seeds; needs NumPy and SciPy.

A copy of `Crossed::new` (crates/study/src/evaluate/simulation/summary.rs) on worlds whose mean is 0: items, seeds and
single cells vary. `seed_sd` is in standard errors of the mean over items. Writes evidence/loop-intervals.csv.

    python benches/loop_intervals.py > evidence/loop-intervals.csv
"""

import numpy as np
from scipy.stats import t

TRIALS = 2000


def reach(x):
    """Half the width of the interval of each trial; x is trials x seeds x items."""
    _, seeds, items = x.shape
    of_seed = x.mean(2)
    off = x - of_seed[:, :, None]
    of_item = off.mean(1)
    by_items = (of_item**2).sum(1) / (items - 1) / items
    by_seeds = of_seed.var(1, ddof=1) / seeds
    rest = ((off**2).sum((1, 2)) - seeds * (of_item**2).sum(1)) / ((seeds - 1) * (items - 1)) / (seeds * items)
    by_items = np.maximum(by_items - rest, 0)
    quantiles = [t.ppf(0.975, n - 1) for n in (items, seeds)]
    return (quantiles[0] * by_items + quantiles[1] * by_seeds) / np.sqrt(by_items + by_seeds)


def main():
    random = np.random.default_rng(29)
    print("seeds,items,item_effects,seed_sd,trials,held")
    for seeds in (2, 3, 5, 9):
        for items in (50, 300):
            for shape in ("normal", "heavy_tails"):
                for seed_sd in (0, 0.5, 1, 3, 10):
                    held = 0
                    for _ in range(TRIALS // 100):
                        own = 0.3 * random.standard_normal((100, 1, items))
                        if shape == "heavy_tails":
                            own *= np.where(random.random(own.shape) < 0.1, 2, 0.67)
                        se = np.sqrt((0.9 * 0.67**2 + 0.1 * 4 if shape == "heavy_tails" else 1) * 0.09 / items)
                        of_seed = seed_sd * se * random.standard_normal((100, seeds, 1))
                        x = own + of_seed + 0.3 * random.standard_normal((100, seeds, items))
                        held += (np.abs(x.mean((1, 2))) <= reach(x)).sum()
                    print(f"{seeds},{items},{shape},{seed_sd},{TRIALS},{held / TRIALS:.3f}", flush=True)


main()
