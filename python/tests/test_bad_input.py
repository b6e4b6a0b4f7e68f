"""Bad input: exceptions that say where, what, and what to do."""

import pickle

import pytest

import gudgeon as gd
from test_models import PENDULUM


def refused(call):
    with pytest.raises(gd.ModelError) as caught:
        call()
    error = caught.value
    assert error.diagnostics and str(error).startswith("error[G")
    assert any(one.help for one in error.diagnostics)
    return error


def test_unknown_names_are_suggested(model):
    assert "did you mean" in str(refused(lambda: model.set(clearence="0.2 mm")))
    assert "did you mean" in str(refused(lambda: gd.load("slider_crnk")))
    assert "did you mean" in str(refused(lambda: model.run(outputs=["pin.contact_farce"])))
    assert "did you mean" in str(refused(lambda: model.ideal("pim")))


def test_units_and_kinds_are_checked(model):
    assert "0.2" in str(refused(lambda: model.set(clearance="0.2 s")))
    error = refused(lambda: model.set({"bodies.rod.mass": None}))
    assert error.diagnostics[0].path == "bodies.rod.mass"
    error = refused(lambda: model.set(clearance=float("nan")))
    assert "finite" in str(error)


def test_messages_name_the_path():
    tree = {**PENDULUM, "bodies": {"rod": {"mass": "1 m", "inertia": 0.01, "frames": {"pivot": "0, 0"}}}}
    error = refused(lambda: gd.Model(tree).check())
    assert error.diagnostics[0].path == "bodies.rod.mass"
    assert "bodies.rod.mass" in str(error)


def test_all_errors_come_at_once():
    tree = {**PENDULUM, "bodies": {"rod": {"mass": "1 m", "inertia": "2 s"}}}
    assert len(refused(lambda: gd.Model(tree).check()).diagnostics) >= 3


def test_a_file_that_is_gone(tmp_path, model):
    path = tmp_path / "mine.toml"
    path.write_text(model.to_toml())
    gd.load(path)
    path.unlink()
    error = refused(lambda: gd.load(path))
    assert "there is no file" in str(error)


def test_what_cannot_be_assembled():
    wide = {**PENDULUM, "joints": {**PENDULUM["joints"], "far": {"type": "revolute", "between": ["ground", "rod"]}}}
    with pytest.raises(gd.AssemblyError):
        gd.Model(wide).run()


def test_exceptions_cross_processes(model):
    error = refused(lambda: model.set(clearence=1))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is gd.ModelError and again.diagnostics == error.diagnostics


def test_wrong_arguments(model):
    with pytest.raises(TypeError):
        model.run(untill="1 rev")
    with pytest.raises(KeyError, match="did you mean"):
        model.run(until="0.1 rev")["pin.contact_farce"]
    with pytest.raises(gd.GudgeonError, match="run.json"):
        gd.open("/nowhere")
