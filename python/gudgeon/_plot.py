"""Pictures with matplotlib, for notebooks and papers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gudgeon._record import unknown

if TYPE_CHECKING:
    from gudgeon._run import Run


def plot(
    run: Run,
    *outputs: str,
    over: str = "t",
    baseline: bool = False,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Draws outputs of a run over time, or over another output, and gives the axes.

    :param outputs: names; the first output of the run unless given. Several stand below one another,
        and an array of axes comes back.
    :param over: what is drawn over, the time unless given
    :param baseline: draw the same mechanism with ideal joints behind it
    :param ax: axes to draw into, as many as there are outputs
    :param style: what ``Axes.plot`` takes

    >>> import gudgeon as gd, matplotlib
    >>> matplotlib.use("agg")
    >>> run = gd.load("slider_crank").run(until="0.2 rev")
    >>> axes = run.plot("pin.contact_force", baseline=True)
    >>> axes.get_ylabel(), len(axes.lines)
    ('pin.contact_force / N', 2)
    """
    import numpy as np

    names = list(outputs) or run.outputs[:1]
    for name in [*names, over]:
        if name not in run.series:
            raise KeyError(unknown(name, run.series.columns))
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(len(names), 1, sharex=True, squeeze=False)
    axes = np.atleast_1d(ax).ravel()
    if len(axes) != len(names):
        raise ValueError(f"{len(names)} outputs need {len(names)} axes, {len(axes)} are given")
    ideal = run.ideal_series() if baseline else None
    for name, each in zip(names, axes, strict=True):
        if ideal is not None and name in ideal:
            each.plot(ideal[over], ideal[name], color="0.6", linewidth=1.0, label="ideal joints")
        each.plot(run[over], run[name], **{"linewidth": 1.0, "label": name, **style})
        each.set_ylabel(_label(name, run.units[name]))
        if ideal is not None:
            each.legend()
    axes[-1].set_xlabel(_label(over, run.units[over]))
    return axes[0] if len(axes) == 1 else axes


def _label(name: str, unit: str) -> str:
    return f"{name} / {unit}" if unit else name
