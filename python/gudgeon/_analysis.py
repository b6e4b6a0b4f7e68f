"""Analyses without a motion, and one model in variants."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gudgeon import _gudgeon
from gudgeon._errors import GudgeonError, RunError
from gudgeon._gudgeon import Cancel
from gudgeon._progress import Progress, reporter
from gudgeon._record import Record, preformatted

if TYPE_CHECKING:
    from gudgeon._model import Model


class Analysis(Record):
    """What an analysis found: the record that ``--json`` answers, printed as the command prints it.

    >>> import gudgeon as gd
    >>> found = gd.load("rotor").modal(2)
    >>> [mode.frequency > 0 for mode in found.modes]
    [True, True]
    """

    __slots__ = ("_text",)
    _text: str

    def __init__(self, values: dict[str, Any], text: str) -> None:
        super().__init__(values)
        object.__setattr__(self, "_text", text)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Analysis: {self['status']}>"

    def _repr_html_(self) -> str:
        return preformatted(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Analysis, (self._of, self._text)


def analyse(model: Model, analysis: str, keys: dict[str, Any]) -> Analysis:
    from gudgeon._model import _request

    out, progress = keys.pop("out", None), keys.pop("progress", False)
    cancel, raise_on_failure = keys.pop("cancel", None), keys.pop("raise_on_failure", True)
    time_limit = keys.pop("time_limit", None)
    request = _request(analysis=analysis, keys=keys, time_limit=time_limit)
    report, bar = reporter(progress)
    try:
        record, text = _gudgeon.analyse(
            model._core, request, None if out is None else Path(out), report, cancel
        )
    finally:
        if bar is not None:
            bar.close()
    return _finished(Analysis(record, text), raise_on_failure)


def compare(
    model: Model,
    *,
    methods: Sequence[str] = (),
    coordinates: Sequence[str] = (),
    laws: Sequence[str] = (),
    films: Sequence[str] = (),
    converge: float | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Progress = False,
    cancel: Cancel | None = None,
    raise_on_failure: bool = True,
    **run: Any,
) -> Analysis:
    """One model in variants that differ by one word, as ``gudgeon compare``.

    :param methods: formulations of flexible links, ``["rigid", "ancf", "rfem"]``
    :param coordinates: coordinates of bodies
    :param laws: normal laws of contacts
    :param films: models of films
    :param converge: refine each mesh until its largest values change by less than this share
    :param run: what :meth:`Model.run` takes of ``until``, ``measure_from``, ``outputs``, ``rtol``, …

    >>> import gudgeon as gd
    >>> found = gd.compare(gd.load("slider_crank"), laws=["hertz", "flores"], until="0.1 rev")
    >>> [variant.name for variant in found.variants]
    ['hertz', 'flores']
    """
    from gudgeon._model import _request

    axes = {"methods": methods, "coordinates": coordinates, "laws": laws, "films": films}
    given = [(axis, list(words)) for axis, words in axes.items() if words]
    if len(given) != 1:
        raise TypeError("give one of `methods`, `coordinates`, `laws` and `films`, a list of words")
    [(axis, words)] = given
    report, bar = reporter(progress)
    try:
        record, text = _gudgeon.compare(
            model._core,
            _request(**run),
            axis,
            words,
            None if converge is None else float(converge),
            None if out is None else Path(out),
            report,
            cancel,
        )
    finally:
        if bar is not None:
            bar.close()
    return _finished(Analysis(record, text), raise_on_failure)


def _finished(found: Analysis, raise_on_failure: bool) -> Analysis:
    if raise_on_failure and found["status"] == "failed":
        raise RunError(str(found).strip())
    return found


class SavedAnalysis(Analysis):
    """An analysis that was written earlier."""

    __slots__ = ()

    def __init__(self, values: dict[str, Any]) -> None:
        if not values:
            raise GudgeonError("there is no record of an analysis")
        super().__init__(values, f"{values.get('analysis', 'analysis')}: {values.get('status')}\n")
