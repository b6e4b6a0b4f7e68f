"""The package as a whole: its command, its import, its notices, its tutorial."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import nbclient
import nbformat
import pytest

import gudgeon as gd

HERE = Path(__file__).resolve().parent.parent


def python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_import_is_light():
    code = "import time, numpy; t = time.process_time(); import gudgeon; print(time.process_time() - t)"
    assert min(float(python(code)) for _ in range(3)) < 0.05
    assert python("import sys, gudgeon; print([m for m in ('numpy', 'pandas', 'matplotlib') if m in sys.modules])") == "[]"


def test_the_command_is_the_program():
    done = subprocess.run([sys.executable, "-m", "gudgeon", "--version"], capture_output=True, text=True)
    assert done.stdout.split() == ["gudgeon", gd.__version__] and done.returncode == 0
    wrong = subprocess.run([sys.executable, "-m", "gudgeon", "run", "slider_crnk"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "did you mean" in wrong.stderr


def test_memory_does_not_grow(model):
    def largest():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def runs(count):
        for index in range(count):
            run = model.set(clearance=1e-4 + 1e-9 * index).run(until=1e-5, every=1e-6)
            run.extremes, run["pin.contact_force"], run.impacts

    runs(300)
    before = largest()
    runs(1500)
    assert largest() - before < 2048, "kB"


def test_a_run_costs_little_beside_its_integration():
    code = (
        "import gudgeon as gd, time\n"
        "m = gd.load('slider_crank')\n"
        "def over(i):\n"
        "    t = time.process_time()\n"
        "    run = m.set(clearance=1e-4 + 1e-8 * i).run(until='0.1 rev', measure_from=0)\n"
        "    return time.process_time() - t - run._core.integration\n"
        "print(sorted(over(i) for i in range(200))[50])"
    )
    # At most 0.5 ms in an optimised build, twice that in a quick one; as much again for a busy machine.
    assert float(python(code)) < 2e-3


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="needs strace or /proc")
def test_no_file_is_touched(model):
    def opened():
        text = Path("/proc/self/io").read_text()
        return int(text.split("syscr:")[1].split()[0])

    model.set(clearance=2e-4).run(until="0.05 rev")
    before = opened()
    for index in range(20):
        model.set(clearance=1e-4 + 1e-8 * index).run(until="0.05 rev")
    # Looking reads twice: once for each look.
    assert opened() - before <= 4


def test_notices_name_every_package():
    text = (HERE / "NOTICES.txt").read_text()
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"], cwd=HERE, capture_output=True, text=True
    )
    if metadata.returncode:
        pytest.skip("cargo is not there")
    done = subprocess.run([sys.executable, str(HERE / "notices"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "| pyo3 |" in text and json.loads(metadata.stdout)


def test_the_tutorial_runs():
    notebook = nbformat.read(HERE / "tutorial.ipynb", as_version=4)
    started = time.monotonic()
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert time.monotonic() - started < 120
    texts = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("did you mean" in output.get("text", "") for output in texts)
    assert any("image/png" in output.get("data", {}) for output in texts)
