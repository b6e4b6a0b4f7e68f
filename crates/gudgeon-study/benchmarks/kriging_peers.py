#!/usr/bin/env python3
"""Other Kriging programs on the samples of `cargo bench -p gudgeon-study --bench kriging`.

    cargo bench -p gudgeon-study --bench kriging     # ours; writes target/kriging/branin_*.csv
    python3 crates/gudgeon-study/benchmarks/kriging_peers.py --install   # once: a venv with the peers
    python3 crates/gudgeon-study/benchmarks/kriging_peers.py             # the peers

Branin function, squared exponential with one theta per input, constant trend, ten starts. Times are
CPU seconds of one thread, the best of several repetitions; RMSE over the 61 x 61 grid.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "target" / "kriging"
PYTHON = FOLDER / "venv" / "bin" / "python"
SIZES = (50, 100, 200, 400)


def install():
    FOLDER.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "venv", PYTHON.parents[1]], check=True)
    packages = ["egobox", "smt", "scikit-learn", "numpy"]
    subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *packages], check=True)


def run_in_venv():
    threads = ("OMP", "OPENBLAS", "MKL", "RAYON")
    one = {f"{name}_NUM_THREADS": "1" for name in threads}
    arguments = [PYTHON, __file__, "--peers", *sys.argv[1:]]
    return subprocess.run(arguments, env=os.environ | one).returncode


def branin(x):
    import numpy as np

    a, b = x[:, 0], x[:, 1]
    valley = b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6
    return valley**2 + 10 * ((1 - 1 / (8 * np.pi)) * np.cos(a) + 1)


def egobox(x, y):
    import egobox

    kind = egobox.CorrelationSpec.SQUARED_EXPONENTIAL
    model = egobox.Gpx.builder(corr_spec=kind, theta_n_start=10, seed=1).fit(x, y)
    return model.predict, model.predict_var


def smt(x, y):
    from smt.surrogate_models import KRG

    model = KRG(corr="squar_exp", n_start=10, print_global=False, seed=1)
    model.set_training_values(x, y)
    model.train()
    return model.predict_values, model.predict_variances


def scikit_learn(x, y):
    import warnings

    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    low, high = x.min(axis=0), x.max(axis=0)
    kernel = ConstantKernel(1.0, (1e-3, 1e7)) * RBF([0.5, 0.5], (1e-2, 1e2))
    model = GaussianProcessRegressor(
        kernel, alpha=1e-12, n_restarts_optimizer=9, normalize_y=True, random_state=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit((x - low) / (high - low), y.ravel())
    scaled = lambda points: (points - low) / (high - low)
    mean = lambda points: model.predict(scaled(points))
    # Mean and deviation come from one call.
    return mean, lambda points: model.predict(scaled(points), return_std=True)


def best(repetitions, run):
    seconds = float("inf")
    for _ in range(repetitions):
        start = time.process_time()
        result = run()
        seconds = min(seconds, time.process_time() - start)
    return result, seconds


def peers(sizes):
    import numpy as np

    axes = np.linspace(-5, 10, 61), np.linspace(0, 15, 61)
    grid = np.stack(np.meshgrid(*axes), -1).reshape(-1, 2)
    many = np.random.default_rng(2).random((100_000, 2)) * 15 - [5, 0]
    for size in sizes:
        path = FOLDER / f"branin_{size}.csv"
        if not path.exists():
            sys.exit(f"{path} is missing: run the bench first (see --help)")
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        x, y = table[:, :2], table[:, 2:]
        for program in (egobox, smt, scikit_learn):
            (mean, variance), seconds = best(3, lambda: program(x, y))
            error = np.sqrt(np.mean((mean(grid).ravel() - branin(grid)) ** 2))
            both = lambda: (mean(many), variance(many))
            run = (lambda: variance(many)) if program is scikit_learn else both
            _, predicting = best(1, run)
            print(
                f"n {size:4d}  {program.__name__:12s}: fit {seconds:.4f} s, RMSE {error:.3e}, "
                f"1e5 predictions {predicting:.4f} s",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the venv with the peers")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="numbers of samples")
    parser.add_argument("--peers", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.install:
        install()
    elif arguments.peers:
        peers(arguments.sizes)
    elif not PYTHON.exists():
        sys.exit("the peers are not installed: run with --install first")
    else:
        sys.exit(run_in_venv())


if __name__ == "__main__":
    main()
