"""Design studies: samples, surrogates, optimum, sensitivity."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gudgeon import _gudgeon, _values
from gudgeon._errors import StudyError
from gudgeon._gudgeon import Cancel, StudyCore
from gudgeon._model import Model, load
from gudgeon._progress import Progress, reporter
from gudgeon._record import Record, preformatted, unknown
from gudgeon._surrogate import Ego, Kriging
from gudgeon._tables import Table


@dataclass(frozen=True)
class LatinHypercube:
    """So many samples, one in every slice of every range, spread evenly."""

    samples: int
    seed: int | None = None
    optimise: bool = True
    centred: bool = False

    def _section(self) -> dict[str, Any]:
        return {"method": "lhs", "samples": self.samples, "optimise": self.optimise, "centred": self.centred}


@dataclass(frozen=True)
class Sobol:
    """So many samples of a Sobol sequence."""

    samples: int
    seed: int | None = None

    def _section(self) -> dict[str, Any]:
        return {"method": "sobol", "samples": self.samples}


@dataclass(frozen=True)
class MonteCarlo:
    """So many samples at random."""

    samples: int
    seed: int | None = None

    def _section(self) -> dict[str, Any]:
        return {"method": "monte-carlo", "samples": self.samples}


@dataclass(frozen=True)
class Factorial:
    """All combinations of levels: one number for all variables, or one for each."""

    levels: int | Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None

    def _section(self) -> dict[str, Any]:
        levels = self.levels if isinstance(self.levels, int) else dict(self.levels)
        return {"method": "factorial", **({"levels": levels} if levels else {})}


class Study:
    """A model or a function, what is varied, and what is measured.

    :param model: a model, its name or path, or a function of a dictionary of values that gives a number or a
        dictionary of numbers
    :param variables: by parameter or path: ``(from, to)``, a list of choices, or a table as in a study file
    :param responses: by name: ``"abs_max(pin.contact_force)"``, a formula; of a function: units, or a list of
        names
    :param design: where the samples lie; a design, or a list of points
    :param surrogate: a Kriging model of the responses
    :param optimise: what is searched, ``{"minimise": ["force"]}``
    :param sensitivity: ``{"methods": ["sobol"]}``
    :param sweep: one variable through its range, ``{"variable": "clearance"}``
    :param run: replaces ``until``, ``measure_from`` and ``rtol`` of the model
    :param ensemble: runs per sample, from starts that differ by a nanometre
    :param time_limit: CPU time of one sample

    >>> import gudgeon as gd
    >>> study = gd.Study(
    ...     lambda at: (at["x"] - 1) ** 2,
    ...     variables={"x": (0.0, 3.0)},
    ...     responses=["y"],
    ...     design=gd.LatinHypercube(8, seed=1),
    ...     surrogate=gd.Kriging(),
    ... )
    >>> done = study.run()
    >>> done.samples.height, abs(done.surrogates["y"].predict({"x": [1.0]})[0]) < 1e-2
    (8, np.True_)
    """

    def __init__(
        self,
        model: Model | str | os.PathLike[str] | Callable[..., Any],
        *,
        variables: Mapping[str, Any],
        responses: Mapping[str, str] | Sequence[str],
        design: Any = None,
        surrogate: Kriging | None = None,
        optimise: Mapping[str, Any] | None = None,
        sensitivity: Mapping[str, Any] | None = None,
        sweep: Mapping[str, Any] | None = None,
        run: Mapping[str, Any] | None = None,
        seed: int | None = None,
        ensemble: int | None = None,
        time_limit: str | float | None = None,
        name: str = "study",
    ) -> None:
        if isinstance(model, (str, os.PathLike)):
            model = load(model)
        given = getattr(design, "seed", None) if seed is None else seed
        head: dict[str, Any] = {"name": name, "seed": given or 1}
        files: list[tuple[str, str]] = []
        data: list[tuple[str, str]] = []
        self.model: Model | None = None
        self._function: Callable[..., Any] | None = None
        if isinstance(model, Model):
            self.model = model
            path = re.sub(r"[^A-Za-z0-9_-]+", "_", model.name).strip("_") or "model"
            head["model"] = f"{path}.toml"
            files.append((f"{path}.toml", model.to_toml()))
            data = list(model._core.freeze()[2])
        elif callable(model):
            self._function = model
            responses = _given(responses)
        else:
            raise TypeError("a study is one of a model or of a function")
        if not isinstance(responses, Mapping):
            raise TypeError("responses of a model are measures by name, such as `abs_max(pin.contact_force)`")
        head.update({"ensemble": ensemble} if ensemble is not None else {})
        head.update({"time_limit": time_limit} if time_limit is not None else {})
        sections: dict[str, Any] = {
            "study": head,
            "run": run,
            "variables": {key: _variable(key, value) for key, value in variables.items()},
            "design": _design(design, list(variables), files),
            "responses": dict(responses),
            "surrogate": None if surrogate is None else surrogate._section(),
            "optimise": optimise,
            "sensitivity": sensitivity,
            "sweep": sweep,
        }
        text = _text(sections)
        self._start(StudyCore((f"{name}.study.toml", text, files, data + files)))

    def _start(self, core: StudyCore) -> None:
        self._core = core
        self._asked = 0
        self._told: list[tuple[dict[str, Any], dict[str, float]]] = []

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Study:
        """A study file, a folder with ``study.toml``, or a shipped study.

        >>> import gudgeon as gd
        >>> gd.Study.load("branin").responses
        ['valley', 'branin']
        """
        study = cls.__new__(cls)
        study.model, study._function = None, None
        study._start(StudyCore.find(Path(path)))
        return study

    @property
    def name(self) -> str:
        """Its title."""
        return self._core.name

    @property
    def variables(self) -> list[str]:
        """Names of what is varied."""
        return [name for name, _, _ in self._core.variables()]

    @property
    def responses(self) -> list[str]:
        """Names of what is measured."""
        return [name for name, _ in self._core.responses()]

    @property
    def points(self) -> list[dict[str, Any]]:
        """The points of the design: numbers in SI, words of choices."""
        return [self._core.named(point) for point in self._core.points(None)]

    def run(
        self,
        *,
        executor: Any = None,
        jobs: int = 0,
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        overwrite: bool = False,
        plots: bool = True,
        progress: Progress = False,
        cancel: Cancel | None = None,
        raise_on_failure: bool = True,
    ) -> StudyResult:
        """Runs the samples and everything that follows from them.

        :param executor: runs the samples elsewhere: any executor of ``concurrent.futures``, or a
            ``dask.distributed.Client``; the results are those of a run here, to the last byte
        :param jobs: samples at a time; all cores, or what the executor has, unless given
        :param out: the result folder; finished samples survive there whatever happens. Without it nothing
            stays on the disk
        :param resume: go on with the samples that the folder holds
        :param overwrite: begin anew in a folder that holds a study
        :param plots: draw the pictures of the command into the folder

        Ctrl-C raises ``KeyboardInterrupt`` whose ``result`` is what there is.
        """
        import tempfile

        from gudgeon import _remote

        ask: Any = None
        if executor is not None:
            ask = _remote.asker(executor, self._core, self._function)
            jobs = jobs or _remote.workers(executor)
        elif self._function is not None:
            answer = _remote.answers(self._core, self._function)
            ask = lambda point, seed, stopping: answer(point, seed)  # noqa: E731
        report, bar = reporter(progress)
        with tempfile.TemporaryDirectory() as aside:
            folder = Path(aside) / "study" if out is None else Path(out)
            try:
                record, text, models, error = self._core.run(
                    folder, resume, overwrite, jobs, None, plots and out is not None, ask, report, cancel
                )
            finally:
                if bar is not None:
                    bar.close()
        surrogates = {name: Kriging._of(core, self.variables) for name, core in models}
        result = StudyResult(record, text, surrogates, None if out is None else folder)
        if error is not None:
            error.result = result
            raise error
        if raise_on_failure and result.status == "failed":
            raise StudyError(str(result.record.error or result), result)
        return result

    def ask(self, n: int = 1) -> list[dict[str, Any]]:
        """The next points to run: those of the design, then those that promise most.

        >>> import gudgeon as gd
        >>> study = gd.Study(len, variables={"x": (0.0, 1.0)}, responses=["y"], design=gd.Sobol(2))
        >>> points = study.ask(2)
        >>> study.tell(points, [{"y": point["x"] ** 2} for point in points])
        >>> [list(point) for point in study.ask(1)]
        [['x']]
        """
        design = self._core.points(None)
        found = [self._core.named(point) for point in design[self._asked : self._asked + n]]
        self._asked += len(found)
        return found + self._suggested(n - len(found)) if len(found) < n else found

    def _suggested(self, n: int) -> list[dict[str, Any]]:
        bounds = {name: pair for name, _, pair in self._core.variables() if pair is not None}
        if len(bounds) != len(self.variables) or not self._told:
            raise StudyError(
                "the design has no more points\n  = help: `tell` what the points gave; choices and "
                "distributions have no further points"
            )
        response = self.responses[0]
        points = {name: [at[name] for at, _ in self._told] for name in bounds}
        values = [values.get(response) for _, values in self._told]
        return list(Ego(bounds, seed=self._core.seed).suggest(points, values, n))

    def tell(self, points: Sequence[Mapping[str, Any]], values: Sequence[Any]) -> None:
        """What points gave: dictionaries of responses, or numbers where there is one; ``None`` if it failed."""
        if len(points) != len(values):
            raise ValueError(f"{len(points)} points and {len(values)} values")
        for point, given in zip(points, values, strict=True):
            for name in point:
                if name not in self.variables:
                    raise KeyError(unknown(name, self.variables))
            found = given if isinstance(given, Mapping) else {self.responses[0]: given}
            for name in found:
                if name not in self.responses:
                    raise KeyError(unknown(name, self.responses))
            self._told.append((dict(point), {k: v for k, v in found.items() if v is not None}))

    @property
    def told(self) -> Table:
        """What has been told so far."""
        units = {name: unit for name, unit, _ in self._core.variables()} | dict(self._core.responses())
        return _table([{**point, **values} for point, values in self._told], units)

    def fit(self, kriging: Kriging | None = None) -> dict[str, Kriging]:
        """Surrogates of what has been told."""
        fitted = {}
        for response in self.responses:
            done = [(at, values[response]) for at, values in self._told if response in values]
            points = {name: [at[name] for at, _ in done] for name in self.variables}
            fitted[response] = (kriging or Kriging()).fit(points, [value for _, value in done])
        return fitted

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {', '.join(self.responses)} over {', '.join(self.variables)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _thaw, (self._core.freeze(), self.model, self._function, self._asked, self._told)


def _thaw(frozen: Any, model: Model | None, function: Any, asked: int, told: Any) -> Study:
    study = Study.__new__(Study)
    study.model, study._function = model, function
    study._start(StudyCore(frozen))
    study._asked, study._told = asked, told
    return study


class StudyResult:
    """What came of a study, printed as the command prints it."""

    def __init__(
        self, record: dict[str, Any], text: str, surrogates: dict[str, Kriging], folder: Path | None
    ) -> None:
        #: Everything that ``gudgeon study --json`` answers.
        self.record = Record(record)
        #: Kriging models by response.
        self.surrogates = surrogates
        #: The result folder, where there is one.
        self.folder = folder
        self._text = text

    @property
    def status(self) -> str:
        """``ok``, ``failed`` or ``interrupted``."""
        return str(self.record.status)

    @property
    def samples(self) -> Table:
        """Variables and responses of every sample, in the order of the design."""
        record = self.record.to_dict()
        units = {one["name"]: one["unit"] for one in [*record["variables"], *record["responses"]]}
        rows = [
            {
                "sample": one["sample"],
                **one["variables"],
                **(one["responses"] or {}),
                "status": one["status"],
            }
            for one in record.get("samples") or []
        ]
        return _table(rows, units)

    @property
    def failures(self) -> list[Record]:
        """Samples without values, and why."""
        return self.record.failures  # type: ignore[no-any-return]

    @property
    def statistics(self) -> Record:
        """By response: mean, standard deviation, percentiles."""
        return self.record.statistics  # type: ignore[no-any-return]

    @property
    def optimum(self) -> Record | None:
        """The best point: its variables, what was predicted, what its simulation gave."""
        search = self.record.optimum
        return None if search is None or not search.points else search.points[0]

    @property
    def front(self) -> list[Record]:
        """All points of the Pareto front, where there are several objectives."""
        search = self.record.optimum
        return [] if search is None else search.points

    @property
    def sensitivity(self) -> Record | None:
        """Which variables matter, where that was asked for."""
        return self.record.sensitivity  # type: ignore[no-any-return]

    @property
    def sweep(self) -> Record | None:
        """One variable through its range, where that was asked for."""
        return self.record.sweep  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<StudyResult {self.record.study.name!r}: {self.status}>"

    def _repr_html_(self) -> str:
        return preformatted(self._text)


def _table(rows: list[dict[str, Any]], units: dict[str, str]) -> Table:
    import json

    return Table(_gudgeon.table_of_json(json.dumps(rows), list(units.items())))


def opened(folder: Path) -> StudyResult:
    """A study that was written earlier."""
    import json

    record = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    names = [one["name"] for one in record["variables"]]
    surrogates = {
        one["response"]: Kriging.load(folder / one["file"], names)
        for one in record.get("surrogates", [])
        if one.get("file")
    }
    text = f"{record['study']['name']}: {record['status']}\n"
    return StudyResult(record, text, surrogates, folder)


def _given(responses: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    if isinstance(responses, Mapping):
        return {name: f"given in {unit}" if unit else "given" for name, unit in responses.items()}
    return dict.fromkeys(responses, "given")


def _variable(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        table = dict(value)
    elif isinstance(value, tuple) and len(value) == 2:
        table = {"from": value[0], "to": value[1]}
    elif isinstance(value, list):
        table = {"choice": value}
    else:
        raise _values.wrong(
            f"variables.{name}",
            f"`{name}` has no values to take",
            'give `("0.05 mm", "0.5 mm")`, a list of choices, or a table as in a study file',
        )
    return {"path": name, **table} if "." in name and "path" not in table else table


def _design(design: Any, names: list[str], files: list[tuple[str, str]]) -> dict[str, Any] | None:
    """A design, or points as a file of a study."""
    if design is None or isinstance(design, Mapping):
        return None if design is None else dict(design)
    if hasattr(design, "_section"):
        return design._section()  # type: ignore[no-any-return]
    rows = [[point[name] for name in names] if isinstance(point, Mapping) else list(point) for point in design]
    lines = [",".join(names), *(",".join(str(_values.plain(value)) for value in row) for row in rows)]
    files.append(("points.csv", "\n".join(lines) + "\n"))
    return {"method": "file", "file": "points.csv"}


def _text(sections: Mapping[str, Any]) -> str:
    lines = ['format = 1\nnumbers = "SI"']
    for section, table in sections.items():
        if table is None:
            continue
        lines.append(f"\n[{section}]")
        for key, value in table.items():
            name = _values.quoted(key) if "." in key else key
            name = re.sub(r"[^A-Za-z0-9_]", "_", key) if section == "variables" else name
            lines.append(f"{name} = {_values.toml(value, f'{section}.{key}')}")
    return "\n".join(lines) + "\n"

