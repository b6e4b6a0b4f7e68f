#!/usr/bin/env python3
"""Expected improvement of this program and of egobox on the same functions, in one table.

    python3 crates/gudgeon-study/benchmarks/ego_peers.py --install   # first: a venv with egobox
    python3 crates/gudgeon-study/benchmarks/ego_peers.py             # later

Each program gets as many samples to begin with and as many evaluations after them, for 20 seeds, with
its defaults: ours through `gudgeon study`, egobox through `Egor.minimize`. The functions are written
once, as formulas of a study. The gap of a seed is (best - minimum)/|minimum|; it succeeds where that is
at most 0.01. CPU seconds are those of one seed on one thread, the mean of all. Exits with 1 where
egobox succeeds more often.
"""

import argparse
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "target" / "ego"
SUCCESS = 0.01


def hartmann(a, p):
    square = lambda i, j: f"{a[i][j]} * (x{j + 1} - {p[i][j]})^2"
    exponent = lambda i: " + ".join(square(i, j) for j in range(len(a[i])))
    terms = [f"{alpha} * exp(-({exponent(i)}))" for i, alpha in enumerate((1.0, 1.2, 3.0, 3.2))]
    return f"-({' + '.join(terms)})"


class Function(NamedTuple):
    formula: str
    bounds: list
    minimum: float
    samples: int
    evaluations: int

    def value(self, x):
        names = {f"x{k + 1}": value for k, value in enumerate(x)}
        return eval(self.formula.replace("^", "**"), {"pi": math.pi, "cos": math.cos, "exp": math.exp}, names)


FUNCTIONS = {
    "branin": Function(
        "(x2 - 5.1 / (4 * pi^2) * x1^2 + 5 / pi * x1 - 6)^2 + 10 * (1 - 1 / (8 * pi)) * cos(x1) + 10",
        [(-5, 10), (0, 15)], 10 / (8 * math.pi), samples=10, evaluations=30,
    ),
    "goldstein-price": Function(
        "(1 + (x1 + x2 + 1)^2 * (19 - 14 * x1 + 3 * x1^2 - 14 * x2 + 6 * x1 * x2 + 3 * x2^2))"
        " * (30 + (2 * x1 - 3 * x2)^2 * (18 - 32 * x1 + 12 * x1^2 + 48 * x2 - 36 * x1 * x2 + 27 * x2^2))",
        [(-2, 2)] * 2, 3.0, samples=20, evaluations=40,
    ),
    "hartmann-3": Function(
        hartmann(
            [(3.0, 10.0, 30.0), (0.1, 10.0, 35.0)] * 2,
            [(0.3689, 0.1170, 0.2673), (0.4699, 0.4387, 0.7470),
             (0.1091, 0.8732, 0.5547), (0.0381, 0.5743, 0.8828)],
        ),
        [(0, 1)] * 3, -3.862779787332660, samples=15, evaluations=45,
    ),
    "hartmann-6": Function(
        hartmann(
            [(10.0, 3.0, 17.0, 3.5, 1.7, 8.0), (0.05, 10.0, 17.0, 0.1, 8.0, 14.0),
             (3.0, 3.5, 1.7, 10.0, 17.0, 8.0), (17.0, 8.0, 0.05, 10.0, 0.1, 14.0)],
            [(0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886), (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
             (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650), (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381)],
        ),
        [(0, 1)] * 6, -3.322368011415515, samples=30, evaluations=120,
    ),
}


def install(venv):
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin" / "pip", "install", "--quiet", "egobox", "numpy"], check=True)


def study(function, seed):
    ranges = [f"x{k + 1} = {{ from = {low}, to = {high} }}" for k, (low, high) in enumerate(function.bounds)]
    return "\n".join([
        "format = 1", "[study]", f"seed = {seed}", "[variables]", *ranges,
        "[design]", 'method = "lhs"', f"samples = {function.samples}",
        "[responses]", f'f = "{function.formula}"', "[surrogate]",
        "[optimise]", 'minimise = ["f"]', 'method = "ego"', f"evaluations = {function.evaluations}", "",
    ])


def ours(program, name, seed):
    """Best value and evaluations of one seed."""
    file, folder = FOLDER / f"{name}_{seed}.study.toml", FOLDER / f"{name}_{seed}"
    file.write_text(study(FUNCTIONS[name], seed))
    shutil.rmtree(folder, ignore_errors=True)
    command = [program, "study", file, "--out", folder, "--jobs", "1", "--no-plots"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    optimum = json.loads((folder / "study.json").read_text())["optimum"]
    return optimum["points"][0]["simulated"]["f"], optimum["evaluations"]


def peer(name, seed):
    """The same of egobox."""
    import egobox
    import numpy

    function = FUNCTIONS[name]
    batch = lambda rows: numpy.array([[function.value(x)] for x in rows])
    search = egobox.Egor([list(bounds) for bounds in function.bounds], n_doe=function.samples, seed=seed)
    result = search.minimize(batch, max_iters=function.evaluations).result
    return float(result.y_opt[0]), len(result.y_doe) - function.samples


def cpu():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def rows(program, run, names, seeds):
    """One row per function, printed as soon as it is there."""
    for name in names:
        start, gaps, fewest = cpu(), [], math.inf
        for seed in range(1, seeds + 1):
            best, evaluations = run(name, seed)
            minimum = FUNCTIONS[name].minimum
            gaps.append((best - minimum) / abs(minimum))
            fewest = min(fewest, evaluations)
        yield {
            "function": name, "program": program, "success": int(sum(gap <= SUCCESS for gap in gaps)), "seeds": seeds,
            "median": statistics.median(gaps), "worst": max(gaps), "fewest": fewest,
            "cpu": (cpu() - start) / seeds, "gaps": gaps,
        }


def others(venv, arguments):
    one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "RAYON")}
    command = [venv / "bin" / "python", __file__, "--peer", "--seeds", str(arguments.seeds), "--functions"]
    done = subprocess.run(
        command + arguments.functions, env=os.environ | one, check=True, stdout=subprocess.PIPE, text=True
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def table(all_rows, gaps):
    print("function         samples + evaluations  program   success  median gap  worst gap  fewest  CPU s")
    for row in sorted(all_rows, key=lambda row: list(FUNCTIONS).index(row["function"])):
        function = FUNCTIONS[row["function"]]
        print(
            f"{row['function']:15s}  {function.samples:7d} + {function.evaluations:<11d}  {row['program']:8s}"
            f"  {row['success']:3d}/{row['seeds']:<3d}  {row['median']:10.1e}  {row['worst']:9.1e}"
            f"  {row['fewest']:6d}  {row['cpu']:5.2f}"
        )
        if gaps:
            print("    " + " ".join(f"{gap:.0e}" for gap in row["gaps"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the venv with egobox first")
    parser.add_argument("--venv", type=Path, default=FOLDER / "venv", help="place of the venv")
    parser.add_argument("--program", type=Path, help="the command; built first unless given")
    parser.add_argument("--functions", nargs="*", default=list(FUNCTIONS), choices=list(FUNCTIONS))
    parser.add_argument("--seeds", type=int, default=20, help="seeds 1 to this number")
    parser.add_argument("--alone", action="store_true", help="without egobox")
    parser.add_argument("--gaps", action="store_true", help="also the gap of every seed")
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        for row in rows("egobox", peer, arguments.functions, arguments.seeds):
            print(json.dumps(row), flush=True)
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    venv = arguments.venv.resolve()
    if arguments.install:
        install(venv)
    if not arguments.alone and not (venv / "bin" / "python").exists():
        sys.exit("egobox is not installed: run with --install first")
    program = arguments.program
    if program is None:
        subprocess.run(["cargo", "build", "--release", "-p", "gudgeon-cli"], cwd=ROOT, check=True)
        program = ROOT / "target" / "release" / "gudgeon"
    run = lambda name, seed: ours(program.resolve(), name, seed)
    found = list(rows("gudgeon", run, arguments.functions, arguments.seeds))
    theirs = [] if arguments.alone else others(venv, arguments)
    table(found + theirs, arguments.gaps)
    fewer = [a["function"] for a, b in zip(found, theirs) if a["success"] < b["success"]]
    if fewer:
        sys.exit(f"egobox succeeds more often on {', '.join(fewer)}")


if __name__ == "__main__":
    main()
