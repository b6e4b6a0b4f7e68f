"""Studies: here, in pools, on a cluster; the same bytes everywhere."""

import multiprocessing
import os
import pickle
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import functions
import gudgeon as gd
from gudgeon import _remote

#: What holds the results, without times.
FILES = ("samples.csv", "study.json")


def crank(samples=6, model=None, until="0.3 rev", **more):
    return gd.Study(
        model or gd.load("slider_crank"),
        variables={"clearance": ("0.05 mm", "0.5 mm"), "speed": (200.0, 400.0)},
        responses={"force": "abs_max(pin.contact_force)", "power": "mean(motor.power)"},
        run={"until": until, "measure_from": "0.05 rev"},
        design=gd.LatinHypercube(samples, seed=3),
        surrogate=gd.Kriging(),
        **more,
    )


def contents(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    folder = tmp_path_factory.mktemp("local") / "crank"
    return crank().run(out=folder, jobs=1), contents(folder)


def test_a_study_gives_samples_and_surrogates(local):
    done, _ = local
    assert done.status == "ok" and done.samples.height == 6 and not done.failures
    assert done.samples.units["clearance"] == "m" and done.samples.units["force"] == "N"
    at = {"clearance": done.samples["clearance"], "speed": done.samples["speed"]}
    mean, variance = done.surrogates["force"].predict(at, variance=True)
    assert np.allclose(mean, done.samples["force"], rtol=1e-4) and (variance >= 0).all()
    assert "force" in str(done)


def test_the_same_numbers_as_a_run(local):
    done, _ = local
    row = next(done.samples.rows())
    model = gd.load("slider_crank").set(clearance=row["clearance"], speed=row["speed"])
    run = model.run(until="0.3 rev", measure_from="0.05 rev")
    assert run.extremes["pin.contact_force"].abs_max == row["force"]


def test_nothing_stays_without_a_folder(tmp_path, monkeypatch, local):
    monkeypatch.chdir(tmp_path)
    done = crank().run()
    assert done.folder is None and not list(tmp_path.iterdir())
    assert done.samples == local[0].samples


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes_give_the_same_bytes(tmp_path, local, method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        crank().run(executor=pool, out=tmp_path / "a")
    assert contents(tmp_path / "a") == local[1]


def test_a_cluster_with_a_worker_that_is_killed_gives_the_same_bytes(tmp_path):
    distributed = pytest.importorskip("dask.distributed")
    study = crank(samples=40, until="1.5 rev")
    study.run(out=tmp_path / "local")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        processes = client.run(os.getpid)
        killed = []

        def kill():
            while not (tmp_path / "cluster" / "study.journal").exists() and time.monotonic() < end:
                time.sleep(0.005)
            os.kill(next(iter(processes.values())), signal.SIGKILL)
            killed.append(True)

        end = time.monotonic() + 20
        thread = threading.Thread(target=kill)
        thread.start()
        study.run(executor=client, out=tmp_path / "cluster")
        thread.join()
        assert killed and time.monotonic() < end, "the worker was killed too late"
    assert contents(tmp_path / "cluster") == contents(tmp_path / "local")


def test_workers_of_another_version_are_refused():
    frozen = pickle.dumps((crank()._core.freeze(), None))
    with pytest.raises(gd.StudyError, match="same wheel"):
        _remote.sample(frozen, "a", "0.0.0", [1e-4, 300.0], 1)


def test_an_executor_that_dies_keeps_what_is_finished(tmp_path):
    study = gd.Study(
        functions.deadly, variables={"x": (0.0, 1.0)}, responses=["y"], design=gd.Sobol(4), name="deadly"
    )
    with ProcessPoolExecutor(1) as pool, pytest.raises(gd.StudyError, match="resume=True") as caught:
        study.run(executor=pool, out=tmp_path / "a")
    assert caught.value.result.status == "interrupted"
    done = ThreadPoolExecutor(1)
    done.shutdown()
    with pytest.raises(gd.StudyError, match="the executor died"):
        study.run(executor=done, out=tmp_path / "b")


def test_functions_are_studied_here_and_elsewhere(tmp_path):
    study = gd.Study(
        functions.bowl,
        variables={"x": (0.0, 3.0), "z": (-1.0, 1.0)},
        responses={"y": "m"},
        design=gd.LatinHypercube(10, seed=2),
        surrogate=gd.Kriging(),
        optimise={"minimise": ["y"], "on": "surrogate"},
    )
    here = study.run(out=tmp_path / "a")
    with ProcessPoolExecutor(2) as pool:
        study.run(executor=pool, out=tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert abs(here.optimum.variables.x - 1.0) < 0.2 and here.samples.units["y"] == "m"


def test_functions_that_raise_or_give_no_number_are_failures():
    study = gd.Study(functions.moody, variables={"x": (0.0, 3.0)}, responses=["y"], design=gd.Sobol(8))
    done = study.run()
    causes = [one.cause for one in done.failures]
    assert any("ValueError: too far" in cause for cause in causes) and any("NaN" in cause for cause in causes)
    assert done.samples.height == 8 and np.isfinite(done.samples["y"]).sum() == 8 - len(causes)
    with pytest.raises(gd.StudyError, match="cannot be sent") as caught:
        gd.Study(lambda at: 1.0, variables={"x": (0, 1)}, responses=["y"], design=gd.Sobol(2)).run(
            executor=ProcessPoolExecutor(1)
        )
    assert "module" in str(caught.value)


def test_a_study_is_resumed_and_never_overwritten_by_chance(tmp_path, local):
    study = crank()
    told = []

    def stop(part, share, left):
        told.append(share)
        if 0 < share < 1:
            raise KeyboardInterrupt

    slow = gd.Study(
        lambda at: (time.sleep(0.05), at["x"])[1], variables={"x": (0.0, 1.0)}, responses=["y"], design=gd.Sobol(16)
    )
    with pytest.raises(KeyboardInterrupt) as caught:
        slow.run(out=tmp_path / "slow", jobs=1, progress=stop)
    assert caught.value.result.status == "interrupted"
    assert slow.run(out=tmp_path / "slow", resume=True).samples.height == 16
    study.run(out=tmp_path / "a")
    with pytest.raises(gd.StudyError, match="resume=True"):
        study.run(out=tmp_path / "a")
    again = study.run(out=tmp_path / "a", resume=True)
    assert again.record.resumed == 6 and contents(tmp_path / "a") == local[1]
    study.run(out=tmp_path / "a", overwrite=True)


def test_ask_and_tell():
    study = gd.Study(
        functions.bowl, variables={"x": (0.0, 3.0), "z": (-1.0, 1.0)}, responses=["y"], design=gd.Sobol(8)
    )
    points = study.ask(8)
    assert points == study.points
    study.tell(points, [functions.bowl(point) for point in points])
    for _ in range(4):
        [point] = study.ask()
        study.tell([point], [functions.bowl(point)["y"]])
    assert study.told.height == 12 and min(study.told["y"]) < -0.7
    assert set(study.fit()) == {"y"}
    again = pickle.loads(pickle.dumps(study))
    assert again.told == study.told and again.variables == study.variables
    with pytest.raises(KeyError, match="did you mean"):
        study.tell([{"xx": 1.0}], [1.0])


def test_studies_are_opened_and_loaded(tmp_path):
    study = gd.Study.load("branin")
    done = study.run(out=tmp_path / "a", plots=False)
    again = gd.open(tmp_path / "a")
    assert again.samples == done.samples and set(again.surrogates) == set(done.surrogates)
    at = {name: [0.5] for name in study.variables}
    for name, surrogate in done.surrogates.items():
        assert surrogate.predict(at)[0].hex() == again.surrogates[name].predict(at)[0].hex()


def test_designs_and_their_mistakes():
    make = lambda design, **more: gd.Study(  # noqa: E731
        functions.bowl,
        **{"variables": {"x": (0.0, 1.0), "z": (0.0, 1.0)}, "responses": ["y"], **more},
        design=design,
    )
    assert len(make(gd.Factorial(3)).points) == 9
    assert make([{"x": 0.25, "z": 0.5}, {"x": 0.5, "z": 0.75}]).points[1] == {"x": 0.5, "z": 0.75}
    assert len(make(gd.MonteCarlo(5, seed=9)).points) == 5
    with pytest.raises(gd.ModelError, match="no values to take"):
        make(gd.Sobol(4), variables={"x": 3})
    with pytest.raises(gd.ModelError):
        crank(optimise={"minimise": ["farce"]})
    with pytest.raises(gd.ModelError, match="did you mean"):
        gd.Study("slider_crank", variables={"clearence": ("1 um", "2 um")}, responses={"f": "max(motor.power)"})


def test_kriging_is_fitted_saved_and_pickled(tmp_path):
    x = np.linspace(0.0, 3.0, 15)
    model = gd.Kriging("linear", "matern-5/2").fit({"x": x}, np.cos(x))
    mean, variance = model.predict({"x": [0.5, 1.5]}, variance=True)
    assert np.allclose(mean, np.cos([0.5, 1.5]), atol=1e-3) and (variance > 0).all()
    assert model.q2 > 0.99 and len(model.samples[0]) == 15
    model.save(tmp_path / "k.json")
    for again in (gd.Kriging.load(tmp_path / "k.json", ["x"]), pickle.loads(pickle.dumps(model))):
        assert again.predict({"x": [0.7]})[0].hex() == model.predict({"x": [0.7]})[0].hex()
    with pytest.raises(KeyError, match="there is no"):
        model.predict({"y": [1.0]})
    with pytest.raises(gd.StudyError, match="not fitted"):
        gd.Kriging().predict([[1.0]])
    with pytest.raises(gd.StudyError):
        gd.Kriging().fit([[1.0], [1.0]], [1.0, 2.0])


def test_searches_find_minima_and_hand_exceptions_on():
    camel = lambda p: (4 - 2.1 * p["x"] ** 2 + p["x"] ** 4 / 3) * p["x"] ** 2 + p["x"] * p["y"] + 4 * (p["y"] ** 2 - 1) * p["y"] ** 2  # noqa: E731, E501
    bounds = {"x": (-2.0, 2.0), "y": (-1.0, 1.0)}
    for method, evaluations in (("ga", 3000), ("ego", 40), ("compass", 2000)):
        start = {"x": 0.2, "y": -0.5}
        found = gd.minimise(camel, bounds, method=method, evaluations=evaluations, start=start, seed=1)
        assert found.value < -1.02, method
        assert found.evaluations <= evaluations and found.history[-1][1] == found.value
    with pytest.raises(ZeroDivisionError):
        gd.minimise(lambda p: 1 / 0, bounds)
    with pytest.raises(ValueError, match="no range"):
        gd.minimise(camel, {"x": (1.0, 1.0)})
