#!/usr/bin/env python3
"""A pendulum of one cable of 64 elements, by this program and by Exudyn, in one table.

    python3 crates/gudgeon/benches/exudyn_cable.py --install   # first: a venv with exudyn
    python3 crates/gudgeon/benches/exudyn_cable.py             # later

Both have the same cable (absolute nodal coordinates, no inertia of the sections, Exudyn's
`ANCFCable2D`), released level from a pin, and the same integrator: generalized-alpha with spectral radius 0.8,
positions constrained, fixed steps of 1 ms and 0.5 ms, one second. They run turn by turn. CPU seconds are those of
the time integration alone, medians of all pairs: ours as reported (`cpu.stepping`; with `cpu.outputs`, which holds
extremes and energy balance, in brackets), Exudyn's around `SolveDynamic`, which writes no files, with the faster
of its modified and its full Newton iteration. The error is the largest distance of the tip at 0.7, 0.8, 0.9 and 1 s from the
same program's own reference in steps of 1/32 ms; how far both references are apart is printed too. At equal
error: Exudyn's time at our error of 1 ms, on the line through its two steps. Exits with 1 where
that is less than twice ours.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "target" / "exudyn"
LENGTH, SIDE, YOUNG, DENSITY, GRAVITY = 1.0, 0.005, 1e9, 7800.0, 9.81
AREA, INERTIA, RHO = SIDE**2, SIDE**4 / 12, 0.8
TIMES = (0.7, 0.8, 0.9, 1.0)
STEPS = (1e-3, 5e-4)
REFERENCE = 1e-3 / 32


def install(venv):
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin" / "pip", "install", "--quiet", "exudyn", "numpy"], check=True)


def model(elements):
    return f"""format = 1
[model]
name = "cable pendulum"
space = "planar"
gravity = "{GRAVITY} m/s^2 along -y"
[bodies.link]
frames.root = "0, 0"
frames.tip = "{LENGTH} m, 0"
section = {{ area = "{AREA!r} m^2", inertia_z = "{INERTIA!r} m^4", young = "{YOUNG!r} Pa", mass_per_length = "{DENSITY * AREA!r} kg/m", rotary = false }}
flexible = {{ method = "ancf", element = "cable", elements = {elements}, from = "root", to = "tip" }}
[joints]
pin = {{ type = "revolute", between = ["ground", "link.root"] }}
[run]
until = "1 s"
method = "generalized-alpha"
rho = {RHO}
index = 3
step = "1 ms"
outputs = ["link.tip.position.x", "link.tip.position.y"]
"""


def ours(program, file, step, until=1.0):
    """CPU seconds of steps and of outputs, and the place of the tip at the end."""
    command = [program, "run", file, "--only", "summary", "--json", "--no-baseline", "--every", "1 s"]
    command += ["--set", f"run.step={step!r} s", "--until", f"{until} s"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    record = json.loads(done.stdout)
    cpu = record["cpu"]
    return (cpu["stepping"], cpu["outputs"]), [record["final"][f"link.tip.position.{axis}"] for axis in "xy"]


def peer(elements, step, modified):
    """CPU seconds of Exudyn and the places of the tip at `TIMES`."""
    import time

    import exudyn
    from exudyn.itemInterface import (
        LoadMassProportional, MarkerBodyMass, MarkerNodeCoordinate, NodePoint2DSlope1, NodePointGround,
        ObjectANCFCable2D, ObjectConnectorCoordinate, SensorNode,
    )

    container = exudyn.SystemContainer()
    system = container.AddSystem()
    one = LENGTH / elements
    nodes = [
        system.AddNode(NodePoint2DSlope1(referenceCoordinates=[k * one, 0, 1, 0])) for k in range(elements + 1)
    ]
    for k in range(elements):
        cable = system.AddObject(ObjectANCFCable2D(
            length=one, massPerLength=DENSITY * AREA, bendingStiffness=YOUNG * INERTIA,
            axialStiffness=YOUNG * AREA, nodeNumbers=[nodes[k], nodes[k + 1]],
        ))
        marker = system.AddMarker(MarkerBodyMass(bodyNumber=cable))
        system.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=[0, -GRAVITY, 0]))
    ground = system.AddNode(NodePointGround())
    fixed = system.AddMarker(MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for axis in range(2):
        own = system.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=axis))
        system.AddObject(ObjectConnectorCoordinate(markerNumbers=[fixed, own]))
    sensor = system.AddSensor(SensorNode(
        nodeNumber=nodes[-1], storeInternal=True, writeToFile=False, outputVariableType=exudyn.OutputVariableType.Position,
    ))
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(1.0 / step)
    settings.timeIntegration.endTime = 1.0
    settings.timeIntegration.adaptiveStep = False
    settings.timeIntegration.generalizedAlpha.spectralRadius = RHO
    settings.timeIntegration.generalizedAlpha.useIndex2Constraints = False
    settings.timeIntegration.newton.useModifiedNewton = modified
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = 0.1
    settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
    start = time.process_time()
    system.SolveDynamic(settings)
    cpu = time.process_time() - start
    rows = system.GetSensorStoredData(sensor)
    places = [list(min(rows, key=lambda row: abs(row[0] - t))[1:3]) for t in TIMES]
    return cpu, [[float(x) for x in place] for place in places]


def other(venv, elements, step, modified=True):
    one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    command = [venv / "bin" / "python", __file__, "--peer", repr(step), "--elements", str(elements)]
    command += [] if modified else ["--full"]
    done = subprocess.run(
        command, env=os.environ | one, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("[")][-1])


def apart(some, others):
    return max(math.dist(a, b) for a, b in zip(some, others))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the venv with exudyn first")
    parser.add_argument("--venv", type=Path, default=FOLDER / "venv", help="place of the venv")
    parser.add_argument("--program", type=Path, help="the command; built first unless given")
    parser.add_argument("--elements", type=int, default=64)
    parser.add_argument("--pairs", type=int, default=7, help="runs of each program and step")
    parser.add_argument("--peer", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--full", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer is not None:
        print(json.dumps(peer(arguments.elements, arguments.peer, not arguments.full)), flush=True)
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    venv = arguments.venv.resolve()
    if arguments.install:
        install(venv)
    if not (venv / "bin" / "python").exists():
        sys.exit("exudyn is not installed: run with --install first")
    program = arguments.program
    if program is None:
        subprocess.run(["cargo", "build", "--release", "-p", "gudgeon-cli"], cwd=ROOT, check=True)
        program = ROOT / "target" / "release" / "gudgeon"
    program = program.resolve()
    file = FOLDER / "cable_pendulum.toml"
    file.write_text(model(arguments.elements))
    places = lambda step: [ours(program, file, step, t)[1] for t in TIMES]
    references = places(REFERENCE), other(venv, arguments.elements, REFERENCE)[1]
    print(f"references of both programs are {apart(*references):.1e} m apart")
    print("program      step ms    CPU s  range             error m")
    found = {}
    for step in STEPS:
        names = ("gudgeon", "exudyn", "exudyn full")
        runs, outputs = {name: [] for name in names}, []
        error = {"gudgeon": apart(places(step), references[0])}
        for _ in range(arguments.pairs):
            (stepping, reading), _ = ours(program, file, step)
            runs["gudgeon"].append(stepping)
            outputs.append(reading)
            for name in names[1:]:
                cpu, tips = other(venv, arguments.elements, step, name == "exudyn")
                runs[name].append(cpu)
                error[name] = apart(tips, references[1])
        for name, cpu in runs.items():
            middle, extra = statistics.median(cpu), ""
            if name == "gudgeon":
                extra = f" ({middle + statistics.median(outputs):.4f})"
                found["outputs", step] = statistics.median(outputs)
            found[name, step] = middle, error[name]
            print(
                f"{name:12s} {1e3 * step:6.2f}  {middle:7.4f}  {min(cpu):.4f} … {max(cpu):.4f}  {error[name]:8.1e}{extra}"
            )
    own, error = found["gudgeon", STEPS[0]]
    all_of_it = own + found["outputs", STEPS[0]]
    equal = {}
    for name in ("exudyn", "exudyn full"):
        (coarse, one), (fine, two) = found[name, STEPS[0]], found[name, STEPS[1]]
        equal[name] = coarse * (error / one) ** (math.log(fine / coarse) / math.log(two / one))
    name = min(equal, key=equal.get)
    print(
        f"{name} over gudgeon: {found[name, STEPS[0]][0] / own:.2f} at equal steps,"
        f" {equal[name] / own:.2f} at equal error ({equal[name] / all_of_it:.2f} with outputs)"
    )
    if equal[name] < 2 * own:
        sys.exit("less than twice as fast")


if __name__ == "__main__":
    main()
