"""Models are values: loaded, changed, written, compared, pickled."""

import pickle

import numpy as np
import pytest

import gudgeon as gd

PENDULUM = {
    "model": {"name": "pendulum", "gravity": "9.81 m/s^2 along -y"},
    "bodies": {"rod": {"mass": 1.0, "inertia": 0.01, "frames": {"pivot": "0, 0.5 m"}}},
    "joints": {"pivot": {"type": "revolute", "between": ["ground", "rod.pivot"]}},
    "start": {"rod": {"angle": "90 deg"}},
    "run": {"until": "1 s", "outputs": ["rod.position.x", "pivot.reaction"]},
}


def test_a_change_gives_a_new_model(model):
    loose = model.set(clearance="0.2 mm", speed=314.16)
    assert loose.parameters["clearance"].value == 2e-4
    assert loose.parameters["speed"].value == 314.16
    assert model.parameters["clearance"].value == 1e-4
    assert loose != model and loose == model.set(speed=314.16, clearance="0.2 mm")


def test_numbers_are_si_and_numpy_is_taken(model):
    for value in (2e-4, np.float64(2e-4), np.array(2e-4), "0.2 mm"):
        assert model.set(clearance=value).parameters["clearance"].value == 2e-4


def test_paths_reach_any_key(model):
    changed = model.set({"bodies.rod.mass": 0.3, "joints.pin.clearance.contact.restitution": 0.7})
    assert "mass = 0.3" in changed.to_toml() and "restitution = 0.7" in changed.to_toml()
    vector = model.set({"bodies.rod.frames.small_end": [0.061, 0.0]})
    assert vector.check().status == "ok"


def test_a_model_of_a_dictionary_runs():
    run = gd.Model(PENDULUM).run()
    assert run.status == "ok"
    # From rest at the side, below the pivot only: |x| never exceeds its arm.
    assert abs(run["rod.position.x"]).max() <= 0.5 + 1e-6


def test_a_model_in_pieces_is_that_of_a_dictionary():
    pieces = gd.Model({key: PENDULUM[key] for key in ("model", "start", "run")})
    pieces = pieces.body("rod", **PENDULUM["bodies"]["rod"])
    pieces = pieces.joint("pivot", type="revolute", between=["ground", "rod.pivot"])
    assert pieces.check().status == "ok"
    a, b = pieces.run(), gd.Model(PENDULUM).run()
    assert a["rod.position.x"].tobytes() == b["rod.position.x"].tobytes()
    heavier = pieces.body("rod", mass="2 kg")
    assert heavier != pieces and "mass = \"2 kg\"" in heavier.to_toml()


def test_texts_give_the_same_model(model):
    changed = model.set(clearance="0.3 mm").ideal("pin")
    again = gd.Model.from_toml(changed.to_toml())
    assert again == changed and hash(again) == hash(changed)
    first, second = changed.run(until="0.2 rev"), again.run(until="0.2 rev")
    assert first.series == second.series


@pytest.mark.parametrize("name", ["slider_crank", "zhang_slider_crank", "rotor"])
def test_pickles_need_no_files(name, tmp_path):
    if name not in gd.shipped_models():
        pytest.skip("not shipped")
    model = gd.load(name)
    again = pickle.loads(pickle.dumps(model))
    assert again == model and again.path == model.path


def test_a_pickle_outlives_its_file(model, tmp_path):
    data = tmp_path / "model.toml"
    data.write_text(model.to_toml())
    frozen = pickle.dumps(gd.load(data).set(clearance="0.2 mm"))
    data.unlink()
    assert pickle.loads(frozen).run(until="0.1 rev").status == "ok"


def test_every_shipped_model_loads_and_is_written():
    for name in gd.shipped_models():
        model = gd.load(name)
        if ".csv" in model.to_toml():
            # Its data files are embedded: a pickle brings them along.
            assert pickle.loads(pickle.dumps(model)) == model, name
            continue
        assert gd.Model.from_toml(model.to_toml(), name=str(model.path)) == model, name


def test_outputs_and_check_tell_what_there_is(model):
    assert model.outputs["motor.torque"].unit == "N m"
    assert model.check().model.joints == 4
    assert model.analysis == "motion" and model.bodies == ["crank", "rod", "slider"]
