"""Runs: the command's numbers, tables without copies, cancellation."""

import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import gudgeon as gd

LONG = {"until": "2000 rev", "measure_from": "1999 rev"}


def command(*words, cwd=None):
    done = subprocess.run(
        [sys.executable, "-m", "gudgeon", *words], capture_output=True, text=True, cwd=cwd, check=False
    )
    return done


def bits(value):
    """A record with every number as its bits."""
    if isinstance(value, dict):
        return {key: bits(item) for key, item in value.items()}
    if isinstance(value, list):
        return [bits(item) for item in value]
    return value.hex() if isinstance(value, float) else value


def timeless(record):
    for part in (record, record["solver"], record["baseline"]["solver"]):
        for key in ("cpu_seconds", "cpu", "result", "kept"):
            part.pop(key, None)
    return bits(record)


def test_every_number_is_the_commands(tmp_path):
    words = ("run", "slider_crank", "--set", "clearance=0.2 mm", "--until", "0.6 rev", "--json", "--out", "r")
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    model = gd.load("slider_crank").set(clearance="0.2 mm")
    theirs = timeless(json.loads(done.stdout))
    written = model.run(until="0.6 rev", baseline=True, out=tmp_path / "p")
    assert timeless(written.record.to_dict()) == theirs
    # In memory nothing is drawn, which saves evaluations of what is drawn, and changes nothing else.
    run = model.run(until="0.6 rev", baseline=True)
    ours = timeless(run.record.to_dict())
    for record in (ours, theirs):
        record["solver"].pop("evaluations")
        record["baseline"]["solver"].pop("evaluations")
        record["baseline"]["solver"].pop("rows")
    assert ours == theirs
    rows = pl.read_parquet(tmp_path / "r" / "series.parquet")
    for index, name in enumerate(run.series.columns):
        assert run[name].tobytes() == rows[rows.columns[index]].to_numpy().tobytes()


def test_the_summary_is_the_commands():
    done = command("run", "slider_crank", "--until", "0.2 rev", "--only", "summary", "--no-baseline")
    ours = str(gd.load("slider_crank").run(until="0.2 rev"))
    told = lambda text: [line for line in text.splitlines() if "CPU" not in line]  # noqa: E731
    assert told(ours) == told(done.stdout)


def test_columns_are_shared_not_copied(run):
    a, b = run["pin.contact_force"], run["pin.contact_force"]
    assert np.shares_memory(a, b) and not a.flags.writeable and not a.flags.owndata
    arrow = pa.table(run.series)
    there = np.asarray(arrow["pin.contact_force"].chunk(0))
    assert np.shares_memory(a, there)


def test_libraries_of_tables_take_them(run):
    frame = pl.DataFrame(run.series)
    assert frame.columns == run.series.columns and frame.height == run.series.height
    pandas = run.series.to_pandas()
    assert pandas.attrs["units"]["t"] == "s"
    assert isinstance(pandas, pd.DataFrame) and pandas["t"].to_numpy().tobytes() == run.t.tobytes()
    schema = pa.table(run.series).schema
    assert schema.field("pin.contact_force").metadata == {b"unit": b"N"}
    impacts = pl.DataFrame(run.impacts)
    assert impacts.height == len(run.record.impacts) and impacts["joint"].dtype == pl.String
    assert run.ledger.units["value"] == "J"
    assert "<table>" in run.series._repr_html_()


def test_what_is_beside_a_run(model):
    run = model.run(until="0.3 rev", baseline=True, ensemble=3, certify=True)
    assert run.baseline is not None and run.ensemble.n == 3 and run.certificate.outputs
    assert run.extremes["pin.contact_force"].abs_max > run.baseline.extremes["pin.contact_force"].abs_max
    plain = model.run(until="0.3 rev")
    assert plain.baseline is None and plain.ensemble is None and plain.certificate is None
    assert bits(plain.extremes.to_dict()) == bits(run.extremes.to_dict())


def test_methods_and_windows(model):
    run = model.run(until=0.01, measure_from={"main_bearing": "10 deg"}, method={"method": "rk4", "step": "1e-6 s"}, every=1e-4)
    assert run.solver.method == "rk4" and run.window["to"] == 0.01 and run.window["from"] > 0
    assert np.allclose(np.diff(run.t)[1:5], 1e-4) or len(run.t) >= 100


def test_results_are_saved_and_opened(run, tmp_path):
    folder = run.save(tmp_path / "a")
    again = gd.open(folder)
    assert again.series == run.series and again.status == "ok"
    assert bits(again.extremes.to_dict()) == bits(run.extremes.to_dict())
    assert again.impacts.height == run.impacts.height and again.ledger == run.ledger
    assert "pin.contact_force" in str(again)
    drawn = command("plot", str(folder), "--output", "pin.contact_force", "--svg", "f.svg", cwd=tmp_path)
    assert drawn.returncode == 0, drawn.stderr
    with pytest.raises(gd.GudgeonError):
        again.motion("rod")


def test_a_run_into_files_is_the_commands(tmp_path, model):
    run = model.run(until="0.2 rev", out=tmp_path / "a")
    assert (tmp_path / "a" / "plot.svg").is_file()
    command("run", "slider_crank", "--until", "0.2 rev", "--no-baseline", "--out", "b", cwd=tmp_path)
    for name in ("series.csv", "series.parquet"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert gd.open(tmp_path / "a").series == run.series


def test_nothing_is_written_unless_asked(tmp_path, monkeypatch, model):
    monkeypatch.chdir(tmp_path)
    run = model.run(until="0.1 rev", baseline=True)
    str(run), run.motion("rod"), run.ideal_series()
    assert list(tmp_path.iterdir()) == []


def test_the_motion_of_a_body(run):
    motion = run.motion("crank")
    assert motion.columns[:4] == ["t", "position.x", "position.y", "velocity.x"]
    # 1 rev = 2π.
    assert abs(motion["angle"][-1] - motion["angle"][0] - np.pi) < 1e-9


def test_a_run_that_fails_keeps_what_it_has(model):
    with pytest.raises(gd.RunError) as caught:
        model.run(until="50 rev", max_steps=500)
    error = caught.value
    assert error.run.status == "failed" and error.time > 0 and "500" in error.cause
    assert len(error.run.t) > 0 and "help" in str(error)
    quiet = model.run(until="50 rev", max_steps=500, raise_on_failure=False)
    assert quiet.status == "failed"


def test_a_time_limit_counts_from_the_run(model):
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
    assert model.run(until="0.1 rev", time_limit=0.25).status == "ok"
    with pytest.raises(gd.RunError, match="CPU time"):
        model.run(**LONG, time_limit=0.1)


def interrupt_after(seconds):
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return time.monotonic() + seconds


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("beside", [{}, {"ensemble": 100000}], ids=["run", "ensemble"])
def test_ctrl_c_ends_it_and_keeps_what_there_is(model, beside):
    asked = LONG if not beside else {"until": "0.2 rev"}
    at = interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.run(**asked, **beside)
    assert time.monotonic() - at < 0.1 + 0.2  # the machine may be busy
    run = caught.value.run
    assert run.status == "interrupted" and len(run.t) > 0


def test_threads_take_a_token_and_run_at_once(model):
    token = gd.Cancel()
    found = []
    thread = threading.Thread(target=lambda: found.append(model.run(**LONG, cancel=token)))
    thread.start()
    time.sleep(0.2)
    # The lock is free meanwhile.
    assert model.run(until="0.1 rev").status == "ok"
    token.cancel()
    thread.join(2)
    assert not thread.is_alive() and found[0].status == "interrupted" and token.cancelled


def test_progress_is_told_and_its_exceptions_end_the_run(model):
    told = []
    model.run(until="20 rev", measure_from="19 rev", progress=lambda *at: told.append(at))
    assert told and all(0 <= share <= 1 for _, share, _ in told) and told[-1][0] == "run"

    def stop(part, share, left):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough") as caught:
        model.run(**LONG, progress=stop)
    assert caught.value.run.status == "interrupted"


def test_reports_are_pages(run, tmp_path, model):
    page = run.report(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text() == page and "</html>" in page
    assert "<iframe" in run._repr_html_()
    written = model.run(until="0.5 rev", measure_from="0.1 rev", out=tmp_path / "r")
    assert written.report() == gd.open(tmp_path / "r").report() == (tmp_path / "r" / "report.html").read_text()
    saved = gd.open(run.save(tmp_path / "s"))
    assert "</html>" in saved.report()


def test_runs_come_back_from_other_processes(run, model):
    again = pickle.loads(pickle.dumps(run))
    assert again.series == run.series and str(again) == str(run) and again.impacts == run.impacts
    assert bits(again.record.to_dict()) == bits(run.record.to_dict())
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(quick, model).result()
    assert there.series == quick(model).series


def quick(model):
    return model.run(until="0.1 rev")
