"""Bars that show how far long work is, in a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeAlias

#: Called with the part of the work, the share of it that is done, and the seconds left where they are known.
Progress: TypeAlias = bool | Callable[[str, float, float | None], None]

_WIDTH = 30


class Bar:
    """A bar that is drawn over and over, and goes when the work is done."""

    def __init__(self) -> None:
        self._handle: Any = _display()
        self._drawn = False

    def __call__(self, part: str, share: float, left: float | None) -> None:
        done = round(_WIDTH * min(max(share, 0.0), 1.0))
        text = f"{part:>9} {'█' * done}{'░' * (_WIDTH - done)} {100 * share:3.0f} %"
        if left is not None:
            text += f" {left:.0f} s left"
        self._drawn = True
        if self._handle is not None:
            self._handle.update({"text/plain": text}, raw=True)
        else:
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()

    def close(self) -> None:
        if not self._drawn:
            return
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)
        else:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _display() -> Any:
    """Where a notebook shows the bar."""
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    from IPython.display import display

    show: Callable[..., Any] = display
    return show({"text/plain": ""}, raw=True, display_id=True)


def reporter(progress: Progress) -> tuple[Callable[[str, float, float | None], None] | None, Bar | None]:
    """What is called, and the bar that is to be closed."""
    if callable(progress):
        return progress, None
    if not progress:
        return None, None
    bar = Bar()
    return bar, bar
