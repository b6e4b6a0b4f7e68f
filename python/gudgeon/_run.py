"""Runs: what a mechanism did."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gudgeon import _gudgeon
from gudgeon._errors import GudgeonError, RunError
from gudgeon._gudgeon import Cancel, RunCore, TableCore
from gudgeon._progress import Progress, reporter
from gudgeon._record import Record, preformatted, unknown
from gudgeon._tables import Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from gudgeon._model import Model


class Run:
    """What came of a run: outputs over time, extremes, impacts, ledger. All numbers are in SI units.

    ``print(run)`` gives the summary of the command, ``run["pin.contact_force"]`` an output over ``run.t``.

    >>> import gudgeon as gd
    >>> run = gd.load("slider_crank").run(until="0.5 rev")
    >>> run["pin.contact_force"].shape == run.t.shape
    True
    >>> force = run.extremes["pin.contact_force"]
    >>> bool(force.abs_max >= abs(run["pin.contact_force"]).max())
    True
    """

    #: The model that was run; ``None`` for a result that was opened.
    model: Model | None = None
    _core: RunCore | None = None
    _kept: dict[str, Any]
    _rows: TableCore
    _request: dict[str, Any]
    _beside: dict[str, Any]
    _folder: Path | None

    def __init__(
        self, core: RunCore, model: Model, request: dict[str, Any], beside: dict[str, Any]
    ) -> None:
        self.model = model
        self._beside = beside
        self._folder = core.folder
        self._core = core
        self._kept = {}
        self._rows = core.series
        self._request = request

    @property
    def record(self) -> Record:
        """Everything that ``gudgeon run --json`` answers."""
        if "record" not in self._kept and self._core is not None:
            self._kept["record"] = Record(self._core.record())
        record: Record = self._kept["record"]
        return record

    @property
    def status(self) -> str:
        """``ok``, ``failed`` or ``interrupted``."""
        return self._core.status if self._core is not None else str(self.record.status)

    @property
    def series(self) -> Table:
        """The outputs over time."""
        return Table(self._rows)

    @property
    def t(self) -> npt.NDArray[np.float64]:
        """The times of the rows, s."""
        return self.series["t"]

    def __getitem__(self, output: str) -> npt.NDArray[np.float64]:
        return self.series[output]

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs."""
        return self._rows.names()[1:]

    @property
    def units(self) -> dict[str, str]:
        """Units of the outputs and of the time."""
        return self.series.units

    @property
    def extremes(self) -> Record:
        """By output: ``min``, ``max``, ``abs_max`` with their times, ``rms``, ``mean`` over the measuring window."""
        return self.record.extremes  # type: ignore[no-any-return]

    @property
    def window(self) -> Record:
        """The measuring window: ``from`` and ``to``, s."""
        return self.record.window  # type: ignore[no-any-return]

    @property
    def impacts(self) -> Table:
        """Every impact of the run: joint, times, speeds, peaks, restitution, losses."""
        if "impacts" not in self._kept and self._core is not None:
            self._kept["impacts"] = self._core.impacts()
        return Table(self._kept["impacts"])

    @property
    def contacts(self) -> Record:
        """By clearance joint: impacts, share in contact, deepest indentation."""
        return self.record.contacts  # type: ignore[no-any-return]

    @property
    def ledger(self) -> Table:
        """Where the energy came from and went, J."""
        if "ledger" not in self._kept and self._core is not None:
            self._kept["ledger"] = self._core.ledger()
        return Table(self._kept["ledger"])

    @property
    def energy(self) -> Record:
        """The balance of the ledger: residual, absolute and relative."""
        return self.record.energy  # type: ignore[no-any-return]

    @property
    def certificate(self) -> Record | None:
        """How many digits hold, where that was asked for."""
        return self.record.get("certificate")

    @property
    def baseline(self) -> Record | None:
        """Extremes with ideal joints, where they were asked for."""
        return self.record.get("baseline")

    @property
    def ensemble(self) -> Record | None:
        """Spread over starts that differ by a nanometre, where it was asked for."""
        return self.record.get("ensemble")

    @property
    def warnings(self) -> list[Record]:
        """What is to be known about the model and the run."""
        return self.record.warnings  # type: ignore[no-any-return]

    @property
    def solver(self) -> Record:
        """The method, and what the integration took."""
        return self.record.solver  # type: ignore[no-any-return]

    def motion(self, body: str) -> Table:
        """Position, velocity and acceleration of a body over time, by the names of its outputs.

        The motion is run again where the run did not report them; it is the same to the last bit.

        >>> import gudgeon as gd
        >>> motion = gd.load("slider_crank").run(until="0.1 rev").motion("rod")
        >>> motion.columns[:4]
        ['t', 'position.x', 'position.y', 'velocity.x']
        """
        model = self._again("the motion of a body")
        if body not in model.bodies:
            raise KeyError(unknown(body, model.bodies))
        wanted = [
            name
            for name in model.outputs
            if name.split(".")[0] == body and name.split(".", 1)[1] in _MOTION
        ]
        source = self.series
        if not set(wanted) <= set(source.columns):
            request = {**self._request, "set": [*self._request["set"], ("run.outputs", _list(wanted))]}
            source = run(model, request, _ALONE, None, False, None, False).series
        return Table(source._core.chosen([("t", "t"), *((name, name.split(".", 1)[1]) for name in wanted)]))

    def _again(self, what: str) -> Model:
        if self.model is None:
            raise GudgeonError(f"{what} is not in a result that was opened; run its model, `gd.load(…).run(…)`")
        return self.model

    def ideal_series(self) -> Table:
        """The outputs over time of the same mechanism with ideal joints."""
        if "ideal" not in self._kept:
            self._again("the run with ideal joints")
            assert self._core is not None
            self._kept["ideal"] = self._core.ideal_series()
        return Table(self._kept["ideal"])

    def save(self, folder: str | os.PathLike[str] | None = None) -> Path:
        """Writes rows and record into a result folder, ``results/NAME`` unless given, and answers with it.

        ``gudgeon plot`` and :func:`open` read it. Pictures are made by a run into files, ``run(out=…)``.

        >>> import gudgeon as gd, tempfile, pathlib
        >>> run = gd.load("slider_crank").run(until="0.1 rev")
        >>> folder = run.save(pathlib.Path(tempfile.mkdtemp()) / "loose")
        >>> gd.open(folder).series == run.series
        True
        """
        self._again("what can be saved")
        assert self._core is not None
        return Path(self._core.save(None if folder is None else Path(folder)))

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report of the command: one page that opens in any browser, with the mechanism moving.

        It is written to ``path`` where one is given, and answered as text. Poses and pictures are not kept by a
        run in memory, which therefore runs once more, to the same bits; a run with ``out=…`` does not.

        >>> import gudgeon as gd
        >>> page = gd.load("slider_crank").run(until="0.1 rev").report()
        >>> page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
        True
        """
        page: str | None = self._kept.get("report")
        if page is None:
            page = self._kept["report"] = self._page()
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def _page(self) -> str:
        if self._folder is not None and (self._folder / "run.json").is_file():
            return _gudgeon.report_of(self._folder)
        import tempfile

        model = self._again("the report of a folder that is gone")
        with tempfile.TemporaryDirectory() as aside:
            folder = Path(aside) / "run"
            if self.status == "interrupted":
                self.save(folder)
            else:
                run(model, self._request, self._beside, folder, False, None, False)
            return _gudgeon.report_of(folder)

    def plot(self, *outputs: str, **options: Any) -> Any:
        """Draws outputs over time with matplotlib; see :func:`gudgeon.plot`."""
        from gudgeon._plot import plot

        return plot(self, *outputs, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        # What is in the engine stays there; the results and the text go.
        tables = (self.series, self.impacts, self.ledger)
        return _thaw, (self._folder, self.record.to_dict(), *tables, str(self))

    def __str__(self) -> str:
        if self._core is not None:
            return self._core.summary()
        return str(self._kept.get("text") or summary(self))

    def __repr__(self) -> str:
        rows = len(self._rows)
        return f"<Run {self.record.model.name!r}: {self.status}, {rows} rows of {len(self.outputs)} outputs>"

    def _repr_html_(self) -> str:
        cheap = self._core is None or self._core.integration < _SHOWN
        if self.status == "interrupted" or not (self._folder is not None or cheap):
            return preformatted(str(self))
        import html

        page = html.escape(self.report())
        style = "width: 100%; height: 40em; border: 1px solid #ccc"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'


#: Outputs of a body that are its motion.
_MOTION = {"angle", "angular_velocity", "angular_acceleration"} | {
    f"{quantity}.{axis}"
    for quantity in ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration")
    for axis in "xyz"
}
#: CPU time of a run that a notebook may repeat for its report, s.
_SHOWN = 2.0
_ALONE = {"baseline": False, "certify": False, "ensemble": None, "seed": 1, "jobs": 0}


def _list(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def run(
    model: Model,
    request: dict[str, Any],
    beside: dict[str, Any],
    out: str | os.PathLike[str] | None,
    progress: Progress,
    cancel: Cancel | None,
    raise_on_failure: bool,
) -> Run:
    """Runs a model as it was asked for."""
    report, bar = reporter(progress)
    try:
        folder = None if out is None else Path(out)
        core = _gudgeon.run(model._core, request, beside, folder, report, cancel)
    except BaseException as error:
        core = error.__dict__.pop("_run", None)
        if core is not None:
            error.run = Run(core, model, request, beside)  # type: ignore[attr-defined]
        raise
    finally:
        if bar is not None:
            bar.close()
    done = Run(core, model, request, beside)
    failure = core.failure()
    if failure is not None and raise_on_failure:
        text, time, cause = failure
        raise RunError(text, done, time, cause)
    return done


def summary(run: Run) -> str:
    """A result that was opened, in a few lines."""
    lines = [str(run.record.model.name), f"  {run.status}, {len(run._rows)} rows"]
    for name, extreme in run.extremes.items():
        lines.append(f"  {name}: abs max {extreme.abs_max:.6g} {extreme.unit} at {extreme.t_abs_max:.6g} s")
    return "\n".join(lines) + "\n"


class SavedRun(Run):
    """A run that was written earlier: everything but what needs the model again."""

    def __init__(
        self,
        folder: Path | None,
        record: dict[str, Any],
        rows: TableCore,
        impacts: TableCore,
        ledger: TableCore,
    ) -> None:
        self._folder = folder
        self._beside = {}
        self._kept = {"record": Record(record), "impacts": impacts, "ledger": ledger}
        self._rows = rows
        self._request = {}


def _thaw(
    folder: Path | None, record: dict[str, Any], series: Table, impacts: Table, ledger: Table, text: str
) -> SavedRun:
    run = SavedRun(folder, record, series._core, impacts._core, ledger._core)
    run._kept["text"] = text
    return run
