"""Models: mechanisms with what is asked of their runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gudgeon import _values
from gudgeon._gudgeon import Cancel, ModelCore
from gudgeon._record import Record

if TYPE_CHECKING:
    from gudgeon._analysis import Analysis
    from gudgeon._progress import Progress
    from gudgeon._run import Run

#: ``"3 rev"``, seconds, or ``{"joint": "3 rev", "at_most": "10 s"}``.
Instant: TypeAlias = str | float | Mapping[str, str | float]


class Parameter(NamedTuple):
    """A parameter of a model, in SI."""

    value: float
    unit: str
    about: str | None


class Output(NamedTuple):
    """Something that a run can report."""

    unit: str
    about: str


class Model:
    """A mechanism as a value: nothing changes it, methods give new ones.

    It is made of the tables and keys of a model file (``docs/model-file.md``). Texts are quantities with
    units, numbers are SI, texts that begin with ``=`` are expressions.

    >>> import gudgeon as gd
    >>> pendulum = gd.Model({
    ...     "model": {"name": "pendulum", "gravity": "9.81 m/s^2 along -y"},
    ...     "bodies": {"rod": {"mass": 1.0, "inertia": 0.01, "frames": {"pivot": "0, 0.5 m"}}},
    ...     "joints": {"pivot": {"type": "revolute", "between": ["ground", "rod.pivot"]}},
    ...     "start": {"rod": {"angle": "90 deg"}},
    ...     "run": {"until": "1 s", "outputs": ["rod.position.x", "pivot.reaction"]},
    ... })
    >>> pendulum.run().status
    'ok'

    Models compare by what they say, hash, and are pickled as their texts, so that other processes need no
    files.

    >>> model = gd.load("slider_crank")
    >>> model.set(clearance="0.2 mm") == model.set(clearance="0.2 mm") != model
    True
    """

    _core: ModelCore

    def __init__(
        self, tree: Mapping[str, Any], *, name: str = "model", folder: str | os.PathLike[str] = ""
    ) -> None:
        """``name`` stands for the file in messages; data files are looked for in ``folder``."""
        text = 'format = 1\nnumbers = "SI"\n'
        given = {key: value for key, value in tree.items() if key not in ("format", "numbers")}
        text += "".join(f"{path} = {value}\n" for path, value in _values.lines(given))
        self._core = ModelCore.text(Path(folder) / name, text, False)

    @classmethod
    def _of(cls, core: ModelCore) -> Model:
        model = cls.__new__(cls)
        model._core = core
        return model

    @classmethod
    def from_toml(
        cls, text: str, *, name: str = "model.toml", folder: str | os.PathLike[str] = ""
    ) -> Model:
        """The model of a text as a model file holds it.

        >>> import gudgeon as gd
        >>> model = gd.load("slider_crank")
        >>> gd.Model.from_toml(model.to_toml()) == model
        True
        """
        return cls._of(ModelCore.text(Path(folder) / name, text, True))

    def set(self, changes: Mapping[str, Any] | None = None, /, **named: Any) -> Model:
        """With other values: parameters by name, any key by its path, as ``--set`` of the command.

        >>> import gudgeon as gd
        >>> model = gd.load("slider_crank")
        >>> loose = model.set({"joints.pin.clearance.contact.restitution": 0.8}, clearance="0.2 mm")
        >>> loose.parameters["clearance"].value
        0.0002
        """
        given = {**(changes or {}), **named}
        return Model._of(
            self._core.set([(path, _values.change(value, path)) for path, value in given.items()])
        )

    def ideal(self, *joints: str) -> Model:
        """With these joints, or all that have clearance, without clearance, friction and film.

        >>> import gudgeon as gd
        >>> run = gd.load("slider_crank").ideal("pin").run(until="0.1 rev")
        >>> run.impacts.height
        0
        """
        return Model._of(self._core.ideal(list(joints)))

    def _with(self, section: str, name: str, keys: Mapping[str, Any]) -> Model:
        path = f"{section}.{name}"
        lines = [(inner[len(path) + 1 :], value) for inner, value in _values.lines(keys, path)]
        return Model._of(self._core.add(section, name, lines))

    def body(self, name: str, **keys: Any) -> Model:
        """With one more body, or with other keys of one that is there.

        >>> import gudgeon as gd
        >>> model = gd.load("slider_crank").body("rod", mass="0.25 kg")
        >>> "rod" in model.bodies
        True
        """
        return self._with("bodies", name, keys)

    def joint(self, name: str, **keys: Any) -> Model:
        """With one more joint, or with other keys of one that is there."""
        return self._with("joints", name, keys)

    def driver(self, name: str, **keys: Any) -> Model:
        """With one more driver, or with other keys of one that is there."""
        return self._with("drivers", name, keys)

    def force(self, name: str, **keys: Any) -> Model:
        """With one more force, or with other keys of one that is there."""
        return self._with("forces", name, keys)

    @property
    def name(self) -> str:
        """Its title."""
        return self._core.name

    @property
    def path(self) -> Path:
        """The file it was read from, or what stands for it."""
        return Path(self._core.path)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Its parameters with their values in SI."""
        return {
            name: Parameter(value, unit, about)
            for name, value, unit, about in self._core.parameters()
        }

    @property
    def bodies(self) -> list[str]:
        """Names of its bodies without the ground."""
        return self._core.owners()["bodies"]

    @property
    def joints(self) -> list[str]:
        """Names of its joints."""
        return self._core.owners()["joints"]

    @property
    def drivers(self) -> list[str]:
        """Names of its drivers."""
        return self._core.owners()["drivers"]

    @property
    def forces(self) -> list[str]:
        """Names of its forces."""
        return self._core.owners()["forces"]

    @property
    def analysis(self) -> str:
        """What its file asks for: ``motion``, ``ked``, ``bearing``, ``static``, ``modal`` or ``response``."""
        return self._core.analysis()

    @property
    def outputs(self) -> dict[str, Output]:
        """Everything that a run can report.

        >>> import gudgeon as gd
        >>> gd.load("slider_crank").outputs["pin.contact_force"].unit
        'N'
        """
        return {one["name"]: Output(one["unit"], one["about"]) for one in self._core.check(True)["outputs"]}

    def check(self) -> Record:
        """Assembles it without running it: pose, mobility, warnings.

        >>> import gudgeon as gd
        >>> check = gd.load("slider_crank").check()
        >>> check.model.bodies, check.assembly.mobility
        (3, 2)
        """
        return Record(self._core.check(False))

    def to_toml(self) -> str:
        """The model with all its changes as the text of one file."""
        return self._core.to_toml()

    def run(
        self,
        *,
        until: Instant | None = None,
        measure_from: Instant | None = None,
        outputs: Sequence[str] | None = None,
        rtol: float | None = None,
        method: str | Mapping[str, Any] | None = None,
        every: str | float | None = None,
        baseline: bool = False,
        certify: bool = False,
        ensemble: int | None = None,
        seed: int = 1,
        jobs: int = 0,
        time_limit: str | float | None = None,
        max_steps: int | None = None,
        analysis: str | None = None,
        out: str | os.PathLike[str] | None = None,
        progress: Progress = False,
        cancel: Cancel | None = None,
        raise_on_failure: bool = True,
    ) -> Run:
        """Runs the model; what is not given is what the model says. Nothing is written without ``out``.

        :param until: end of the run: ``"3 rev"`` of the driven joint, a time, or ``{"joint": "3 rev"}``
        :param measure_from: start of the measuring window, in which extremes and means are taken
        :param outputs: names or patterns of what is reported, ``pin.*``
        :param rtol: relative tolerance of the integrator
        :param method: the integrator, ``"radau5"`` or ``{"method": "rk4", "step": "1e-5 s"}``
        :param every: interval of the rows, or ``"steps"``
        :param baseline: also run the same mechanism with ideal joints
        :param certify: also find how many digits hold
        :param ensemble: also run so many starts that differ by a nanometre
        :param seed: of the ensemble
        :param jobs: threads of the ensemble, 0 for all cores
        :param time_limit: CPU time after which the run fails
        :param max_steps: steps after which it fails
        :param analysis: ``"motion"`` or ``"ked"`` where the file asks for something else
        :param out: write everything that ``gudgeon run`` writes into this folder as the run goes
        :param progress: a bar, or a function of part, share done and seconds left
        :param cancel: ends the run from another thread; it then has the status ``interrupted``
        :param raise_on_failure: raise :class:`RunError` where it fails; else look at ``status``

        Ctrl-C raises ``KeyboardInterrupt`` whose ``run`` is what there is.

        >>> import gudgeon as gd
        >>> run = gd.load("slider_crank").run(until="0.2 rev", outputs=["pin.contact_force"])
        >>> run.extremes["pin.contact_force"].unit
        'N'
        """
        from gudgeon._run import run

        request = _request(until, measure_from, outputs, rtol, method, every, time_limit, max_steps, analysis)
        beside = {
            "baseline": bool(baseline),
            "certify": bool(certify),
            "ensemble": ensemble,
            "seed": seed,
            "jobs": jobs,
        }
        return run(self, request, beside, out, progress, cancel, raise_on_failure)

    def static(self, **keys: Any) -> Analysis:
        """Where it rests under its loads; keys are those of ``[run]``, such as ``about="spinning"``."""
        return self._analyse("static", keys)

    def modal(self, modes: int | None = None, **keys: Any) -> Analysis:
        """Its natural frequencies, damping and modes; keys are those of ``[run]``.

        >>> import gudgeon as gd
        >>> found = gd.load("rotor").modal(4)
        >>> len(found.modes)
        4
        """
        return self._analyse("modal", {**({} if modes is None else {"modes": modes}), **keys})

    def response(self, **keys: Any) -> Analysis:
        """What a harmonic load does to it; keys are those of ``[run]``."""
        return self._analyse("response", keys)

    def bearing(self, **keys: Any) -> Analysis:
        """Where its journals rest in their films, and the coefficients of the films there."""
        return self._analyse("bearing", keys)

    def _analyse(self, analysis: str, keys: Mapping[str, Any]) -> Analysis:
        from gudgeon._analysis import analyse

        return analyse(self, analysis, dict(keys))

    def __eq__(self, other: object) -> bool:
        return self._core.equals(other._core) if isinstance(other, Model) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __repr__(self) -> str:
        return f"<Model of `{self._core.path}`>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _thaw, (self._core.freeze(),)


def _thaw(frozen: Any) -> Model:
    return Model._of(ModelCore.thaw(frozen))


def load(path: str | os.PathLike[str]) -> Model:
    """A model: a file, a folder with ``model.toml``, or the name of a shipped one.

    >>> import gudgeon as gd
    >>> gd.load("slider_crank").joints
    ['main_bearing', 'big_end', 'guide', 'pin']
    """
    return Model._of(ModelCore.find(Path(path)))


def _request(
    until: Instant | None = None,
    measure_from: Instant | None = None,
    outputs: Iterable[str] | None = None,
    rtol: float | None = None,
    method: str | Mapping[str, Any] | None = None,
    every: str | float | None = None,
    time_limit: str | float | None = None,
    max_steps: int | None = None,
    analysis: str | None = None,
    keys: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What is asked of a run, in the words of the command line."""
    changes: list[tuple[str, str]] = []
    if isinstance(outputs, str):
        outputs = [outputs]
    if outputs is not None:
        changes.append(("run.outputs", _values.toml(list(outputs), "run.outputs")))
    if isinstance(method, Mapping):
        given = {**({"analysis": analysis} if analysis else {}), **method}
    else:
        given = {**({"analysis": analysis} if analysis else {}), **(keys or {})}
    for key, value in given.items():
        changes.append((f"run.{key}", _values.change(value, f"run.{key}")))

    def text(value: Any, path: str) -> str | None:
        return None if value is None else _values.change(value, path)

    def when(value: Any, path: str) -> str | None:
        return None if value is None else _values.instant(value, path)

    return {
        "set": changes,
        "until": when(until, "run.until"),
        "measure_from": when(measure_from, "run.measure_from"),
        "rtol": None if rtol is None else float(_values.number(rtol, "run.rtol")),
        "method": method if isinstance(method, str) else None,
        "every": text(every, "run.every"),
        "time_limit": text(time_limit, "run.time_limit"),
        "max_steps": text(max_steps, "run.max_steps"),
    }


__all__ = ["Instant", "Model", "Output", "Parameter", "load"]
