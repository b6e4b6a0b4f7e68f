"""Exceptions: what went wrong, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gudgeon._run import Run

__all__ = [
    "AssemblyError",
    "Diagnostic",
    "GudgeonError",
    "ModelError",
    "RunError",
    "StudyError",
]


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a model: its code, what is wrong, and what to do."""

    code: str
    message: str
    help: str | None = None
    #: The key it is about, such as ``bodies.rod.mass``.
    path: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    #: ``error``, ``warning`` or ``note``.
    severity: str = "error"


class GudgeonError(Exception):
    """Anything that Gudgeon refuses or that fails in it."""


class ModelError(GudgeonError):
    """A model that cannot be used: all its errors at once, printed as the command prints them.

    >>> import gudgeon as gd
    >>> try:
    ...     gd.load("slider_crank").set(clearence="0.2 mm")
    ... except gd.ModelError as error:
    ...     print(error.diagnostics[0].message)
    there is no parameter `clearence`
    """

    diagnostics: list[Diagnostic]

    def __init__(self, text: str, diagnostics: list[Any] | None = None) -> None:
        super().__init__(text)
        found = diagnostics or []
        self.diagnostics = [one if isinstance(one, Diagnostic) else Diagnostic(**one) for one in found]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.diagnostics)


class AssemblyError(ModelError):
    """A mechanism that cannot be assembled: loops that do not close, motions that contradict each other."""


class RunError(GudgeonError):
    """A run that did not get to its end; ``run`` has everything up to then."""

    #: What there is of the run; ``None`` where it was raised in another process.
    run: Run | None
    #: When it failed, s.
    time: float
    #: Why, without the help.
    cause: str

    def __init__(self, text: str, run: Run | None = None, time: float = float("nan"), cause: str = "") -> None:
        super().__init__(text)
        self.run = run
        self.time = time
        self.cause = cause

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], None, self.time, self.cause)


class StudyError(GudgeonError):
    """A study that cannot start or go on; finished samples are kept where it has a folder.

    ``result`` has what there is of the study, where it was begun.
    """

    result: Any

    def __init__(self, text: str, result: Any = None) -> None:
        super().__init__(text)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0],)
