"""Results that were written earlier, by Python or by the command."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gudgeon import _gudgeon
from gudgeon._analysis import SavedAnalysis
from gudgeon._errors import GudgeonError
from gudgeon._run import SavedRun
from gudgeon._study import opened


def open(folder: str | os.PathLike[str]) -> Any:  # noqa: A001
    """The result in a folder: a run, an analysis, a comparison or a study.

    >>> import gudgeon as gd, tempfile
    >>> folder = tempfile.mkdtemp() + "/crank"
    >>> run = gd.load("slider_crank").run(until="0.1 rev", out=folder)
    >>> gd.open(folder).extremes == run.extremes
    True
    """
    path = Path(folder)
    if (path / "study.json").is_file():
        return opened(path)
    if not (path / "run.json").is_file():
        help = "give the folder that a run was written to, such as `results/slider_crank`"
        what = "is no folder of a result" if path.exists() else "does not exist"
        raise GudgeonError(f"`{path}` {what}: it has no `run.json`\n  = help: {help}")
    record, rows, impacts, ledger = _gudgeon.open_folder(path)
    if rows is not None and "extremes" in record:
        return SavedRun(path, record, rows, impacts, ledger)
    return SavedAnalysis(record)
