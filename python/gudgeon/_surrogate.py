"""Kriging models, expected improvement, and searches."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gudgeon import _gudgeon
from gudgeon._errors import StudyError
from gudgeon._gudgeon import KrigingCore
from gudgeon._record import unknown

if TYPE_CHECKING:
    import numpy.typing as npt

#: Points: columns by name, or rows.
Points: TypeAlias = Mapping[str, Any] | Sequence[Sequence[float]] | Any


class Kriging:
    """A Kriging model: what was chosen about it, and, once it is fitted, the model itself.

    :param trend: ``constant``, ``linear`` or ``quadratic``
    :param correlation: ``power-exponential``, ``squared-exponential``, ``matern-3/2`` or ``matern-5/2``
    :param nugget: noise: ``True`` for one that is fitted, or its share of the variance
    :param starts: starts of the search for the greatest likelihood
    :param log: names of inputs whose logarithm is used; ``True`` for the response in :meth:`fit`
    :param of: in a study, names of the responses that are fitted, all unless given
    :param validation: in a study, ``"leave-one-out"`` or a number of folds

    >>> import gudgeon as gd, numpy as np
    >>> x = np.linspace(0, 3, 12)
    >>> model = gd.Kriging().fit({"x": x}, np.sin(x))
    >>> bool(abs(model.predict({"x": [1.0]})[0] - np.sin(1.0)) < 1e-3)
    True
    """

    def __init__(
        self,
        trend: str = "constant",
        correlation: str = "power-exponential",
        *,
        nugget: bool | float | None = None,
        starts: int = 10,
        log: Sequence[str] | bool = (),
        of: Sequence[str] | None = None,
        validation: str | int | None = None,
        seed: int = 0,
    ) -> None:
        self.trend = trend
        self.correlation = correlation
        self.nugget = nugget
        self.starts = starts
        self.log = log
        self.of = of
        self.validation = validation
        self.seed = seed
        self._core: KrigingCore | None = None
        self._names: list[str] | None = None

    def _section(self) -> dict[str, Any]:
        """As a study file says it."""
        given = {
            "trend": self.trend,
            "correlation": self.correlation,
            "nugget": self.nugget,
            "starts": self.starts,
            "log": list(self.log) if not isinstance(self.log, bool) and self.log else None,
            "of": None if self.of is None else list(self.of),
            "validation": self.validation,
        }
        return {key: value for key, value in given.items() if value is not None}

    def _chosen(self, names: Sequence[str] | None, count: int) -> str:
        """As the engine reads it."""
        import json

        nugget: Any = "none"
        if self.nugget is True:
            nugget = "fitted"
        elif self.nugget not in (None, False):
            nugget = {"fixed": float(self.nugget)}
        chosen: dict[str, Any] = {
            "trend": self.trend,
            "correlation": _CORRELATIONS.get(self.correlation, self.correlation),
            "nugget": nugget,
            "starts": self.starts,
            "seed": self.seed,
        }
        if self.log is True:
            chosen["response"] = "log"
        elif self.log:
            known = list(names or [])
            for name in self.log if not isinstance(self.log, bool) else []:
                if name not in known:
                    raise KeyError(unknown(name, known))
            logs = self.log if not isinstance(self.log, bool) else []
            chosen["inputs"] = ["log" if name in logs else "linear" for name in known]
        return json.dumps(chosen)

    @classmethod
    def _of(cls, core: KrigingCore, names: Sequence[str] | None) -> Kriging:
        model = cls()
        model._core, model._names = core, None if names is None else list(names)
        return model

    def fit(self, points: Points, values: Any) -> Kriging:
        """The model fitted to values at points: columns by name, or rows."""
        names = list(points) if isinstance(points, Mapping) else None
        rows = _rows(points, names)
        given = [float(value) for value in values]
        if len(rows) != len(given):
            raise ValueError(f"{len(rows)} points and {len(given)} values")
        core = KrigingCore.fit(self._chosen(names, len(rows[0]) if rows else 0), rows, given)
        fitted = Kriging(
            self.trend, self.correlation, nugget=self.nugget, starts=self.starts, log=self.log, seed=self.seed
        )
        fitted._core, fitted._names = core, names
        return fitted

    @property
    def _fitted(self) -> KrigingCore:
        if self._core is None:
            raise StudyError("the Kriging model is not fitted yet: `Kriging(…).fit(points, values)`")
        return self._core

    def predict(self, points: Points, variance: bool = False) -> Any:
        """Predicted means at points; with ``variance`` also the variances."""
        import numpy as np

        means, variances = self._fitted.predict(_rows(points, self._names))
        mean: npt.NDArray[np.float64] = np.array(means)
        return (mean, np.array(variances)) if variance else mean

    @property
    def q2(self) -> float:
        """Share of the variance that it explains when every sample is left out once."""
        return self._fitted.q2()

    @property
    def parameters(self) -> dict[str, Any]:
        """What was found by maximum likelihood: θ and α of every scaled input, nugget, ln 𝓛."""
        theta, exponent, nugget, likelihood = self._fitted.parameters()
        return {"theta": theta, "exponent": exponent, "nugget": nugget, "log_likelihood": likelihood}

    @property
    def samples(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The points and values that it was fitted to."""
        import numpy as np

        return np.array(self._fitted.inputs()), np.array(self._fitted.responses())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted model as JSON; studies write the same files."""
        Path(path).write_text(self._fitted.to_json(), encoding="utf-8")

    @staticmethod
    def load(path: str | os.PathLike[str], names: Sequence[str] | None = None) -> Kriging:
        """A model that was saved; ``names`` are those of its inputs."""
        return Kriging._of(KrigingCore.from_json(Path(path).read_text(encoding="utf-8")), names)

    def __repr__(self) -> str:
        state = "" if self._core is None else f", fitted to {len(self._core.responses())} samples"
        return f"<Kriging: {self.trend} trend, {self.correlation}{state}>"

    def __reduce__(self) -> tuple[Any, ...]:
        text = None if self._core is None else self._core.to_json()
        return _thaw, (text, self._names, self._section(), self.log, self.seed)


def _thaw(text: str | None, names: list[str] | None, section: dict[str, Any], log: Any, seed: int) -> Kriging:
    model = Kriging(**{**section, "log": log, "seed": seed})
    if text is not None:
        model._core, model._names = KrigingCore.from_json(text), names
    return model


#: Their names in stored models.
_CORRELATIONS = {"matern-3/2": "matern32", "matern-5/2": "matern52"}


def _rows(points: Points, names: Sequence[str] | None) -> list[list[float]]:
    """Points as rows, their columns in the order of the names."""
    import numpy as np

    if isinstance(points, Mapping):
        known = list(names or points)
        for name in points:
            if name not in known:
                raise KeyError(unknown(name, known))
        for name in known:
            if name not in points:
                raise KeyError(f"`{name}` is missing; give {', '.join(f'`{one}`' for one in known)}")
        columns = [np.atleast_1d(np.asarray(points[name], dtype=float)) for name in known]
        table = np.column_stack(np.broadcast_arrays(*columns))
    else:
        table = np.asarray(points, dtype=float)
        if table.ndim == 1:
            table = table[:, None] if names is None or len(names) == 1 else table[None, :]
    return table.tolist()  # type: ignore[no-any-return]


class Ego:
    """Efficient global optimisation: where a run of a dear function promises most.

    :param bounds: ranges by name, or pairs
    :param kriging: the surrogate, ``Kriging()`` unless given

    >>> import gudgeon as gd
    >>> ego = gd.Ego({"x": (0.0, 3.0)})
    >>> points = {"x": [0.1, 1.0, 2.0, 2.9]}
    >>> [next] = ego.suggest(points, [(x - 1.5) ** 2 for x in points["x"]])
    >>> bool(1.0 < next["x"] < 2.0)
    True
    """

    def __init__(
        self,
        bounds: Mapping[str, tuple[float, float]] | Sequence[tuple[float, float]],
        kriging: Kriging | None = None,
        *,
        seed: int = 0,
    ) -> None:
        self.names, self.bounds = _bounds(bounds)
        self.kriging = kriging or Kriging()
        self.seed = seed

    def suggest(self, points: Points, values: Any, n: int = 1) -> list[dict[str, float]]:
        """The next points to run after these; values that failed are NaN or ``None``."""
        rows = _rows(points, self.names) if len(points) else []
        given = [float("nan") if value is None else float(value) for value in values]
        if len(rows) != len(given):
            raise ValueError(f"{len(rows)} points and {len(given)} values")
        chosen = self.kriging._chosen(self.names, len(self.names))
        found = _gudgeon.suggest(self.bounds, rows, given, n, chosen, self.seed)
        return [dict(zip(self.names, row, strict=True)) for row in found]


class Minimum(NamedTuple):
    """What :func:`minimise` has found."""

    point: dict[str, float]
    value: float
    evaluations: int
    #: Evaluations so far and the best value, whenever it fell.
    history: list[tuple[int, float]]


def minimise(
    function: Callable[[dict[str, float]], float],
    bounds: Mapping[str, tuple[float, float]] | Sequence[tuple[float, float]],
    *,
    method: str = "ga",
    evaluations: int = 2000,
    start: Mapping[str, float] | None = None,
    kriging: Kriging | None = None,
    seed: int = 0,
) -> Minimum:
    """Searches the point where a function of named numbers is smallest.

    :param method: ``ga`` for many optima, ``compass`` for the nearest one of a rough function, ``ego`` for
        one so dear that every evaluation is chosen by a surrogate

    >>> import gudgeon as gd
    >>> found = gd.minimise(lambda p: (p["x"] - 1) ** 2 + p["y"] ** 2, {"x": (-2, 2), "y": (-2, 2)})
    >>> round(found.point["x"], 3), found.value < 1e-6
    (1.0, True)
    """
    methods = ("ga", "compass", "ego")
    if method not in methods:
        raise ValueError(unknown(method, methods))
    names, ranges = _bounds(bounds)
    named = lambda row: function(dict(zip(names, row, strict=True)))  # noqa: E731
    first = None if start is None else _rows({name: [start[name]] for name in names}, names)[0]
    chosen = (kriging or Kriging())._chosen(names, len(names))
    point, value, runs, history = _gudgeon.minimise(named, ranges, method, evaluations, seed, first, chosen)
    return Minimum(dict(zip(names, point, strict=True)), value, runs, history)


def _bounds(bounds: Any) -> tuple[list[str], list[tuple[float, float]]]:
    named = bounds if isinstance(bounds, Mapping) else {f"x{i}": pair for i, pair in enumerate(bounds)}
    pairs = [(float(low), float(high)) for low, high in named.values()]
    for name, (low, high) in zip(named, pairs, strict=True):
        if not low < high:
            raise ValueError(f"`{name}` has no range from {low} to {high}")
    return list(named), pairs
