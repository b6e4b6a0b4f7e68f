#!/usr/bin/env python3
"""Kriging of this program and of others on the same samples, in one table.

    python3 crates/gudgeon-study/benchmarks/kriging_peers.py --install   # first: a venv with the peers
    python3 crates/gudgeon-study/benchmarks/kriging_peers.py             # later

Runs `cargo bench -p gudgeon-study --bench kriging`, which writes its samples to target/kriging, then
the peers on these. Branin function, squared exponential with one theta per input, constant trend, ten
starts. Times are CPU seconds of one thread, the best of several repetitions; RMSE over a 61 x 61 grid.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "target" / "kriging"
SIZES = (50, 100, 200, 400)
OURS = re.compile(
    r"n +(?P<n>\d+) +SquaredExponential: fit (?P<fit>\S+) s,.* RMSE (?P<rmse>[^,]+), "
    r"1e5 predictions (?P<predict>\S+) s"
)


def install(venv):
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    packages = ["egobox", "smt", "scikit-learn", "numpy"]
    subprocess.run([venv / "bin" / "pip", "install", "--quiet", *packages], check=True)


def ours():
    """Rows of the bench; it also writes the samples."""
    command = ["cargo", "bench", "-p", "gudgeon-study", "--bench", "kriging"]
    text = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [match.groupdict() for match in OURS.finditer(text)]
    if not rows:
        sys.exit("the bench printed no line that this script knows")
    return [{"program": "gudgeon", **{key: float(value) for key, value in row.items()}} for row in rows]


def others(venv, sizes):
    """Rows of the peers, each program on one thread."""
    threads = ("OMP", "OPENBLAS", "MKL", "RAYON")
    one = {f"{name}_NUM_THREADS": "1" for name in threads}
    command = [venv / "bin" / "python", __file__, "--peers", "--sizes", *map(str, sizes)]
    done = subprocess.run(command, env=os.environ | one, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def table(rows):
    print("   n  program        fit [CPU s]       RMSE  1e5 predictions [CPU s]")
    for row in sorted(rows, key=lambda row: (row["n"], row["fit"])):
        print(
            f"{row['n']:4.0f}  {row['program']:12s}  {row['fit']:12.4f}  {row['rmse']:9.2e}"
            f"  {row['predict']:23.4f}"
        )


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
            row = {"n": size, "program": program.__name__, "fit": seconds, "rmse": error, "predict": predicting}
            print(json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the venv with the peers first")
    parser.add_argument("--venv", type=Path, default=FOLDER / "venv", help="place of the venv")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="numbers of samples")
    parser.add_argument("--peers", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peers:
        return peers(arguments.sizes)
    venv = arguments.venv.resolve()
    if arguments.install:
        install(venv)
    if not (venv / "bin" / "python").exists():
        sys.exit("the peers are not installed: run with --install first")
    rows = [row for row in ours() if row["n"] in arguments.sizes]
    table(rows + others(venv, arguments.sizes))


if __name__ == "__main__":
    main()
