"""Tables of results: columns with units, for NumPy, Arrow, polars and pandas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gudgeon._record import unknown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from gudgeon._gudgeon import TableCore

#: Rows that a notebook shows.
_SHOWN = 10


class Table(Mapping[str, Any]):
    """Columns of the same length by their names; numbers are NumPy arrays that share memory with the table.

    Any library that reads Arrow takes it as it is: ``pl.DataFrame(table)``, ``pa.table(table)``,
    ``pd.DataFrame.from_arrow(table)``; :meth:`to_pandas` needs pandas alone.

    >>> import gudgeon as gd
    >>> run = gd.load("slider_crank").run(until="0.1 rev")
    >>> series = run.series
    >>> series.columns[:2], series.units["motor.torque"]
    (['t', 'slider.acceleration.x'], 'N m')
    >>> series["t"][0]
    np.float64(0.0)
    """

    _core: TableCore

    def __init__(self, core: TableCore) -> None:
        self._core = core

    @property
    def columns(self) -> list[str]:
        """Names of the columns in their order."""
        return self._core.names()

    @property
    def units(self) -> dict[str, str]:
        """The SI unit of every column; empty for pure numbers and texts."""
        return dict(zip(self._core.names(), self._core.units(), strict=True))

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self._core)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        import numpy as np

        try:
            column = self._core.column(name)
        except KeyError:
            raise KeyError(unknown(name, self._core.names())) from None
        if isinstance(column, list):
            return np.array(column, dtype=None if column and None not in column else object)
        return np.frombuffer(column) if len(column) else np.empty(0)  # type: ignore[call-overload]

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.names())

    def __len__(self) -> int:
        return len(self._core.names())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.units == other.units and all(
            _bits(self[name]) == _bits(other[name]) for name in self.columns
        )

    __hash__ = None  # type: ignore[assignment]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._core.__arrow_c_schema__()

    def to_pandas(self) -> pd.DataFrame:
        """The table for pandas; ``frame.attrs["units"]`` has the units."""
        import pandas as pd

        frame = pd.DataFrame({name: self[name] for name in self.columns})
        frame.attrs["units"] = self.units
        return frame

    def to_dict(self) -> dict[str, npt.NDArray[Any]]:
        """The columns by their names."""
        return {name: self[name] for name in self.columns}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Row by row."""
        columns = {name: self[name] for name in self.columns}
        for index in range(self.height):
            yield {name: column[index] for name, column in columns.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return _thaw, (self._core.freeze(),)

    def __repr__(self) -> str:
        heads = [f"{name} [{unit}]" if unit else name for name, unit in self.units.items()]
        return f"Table({self.height} rows: {', '.join(heads)})"

    def _repr_html_(self) -> str:
        import html

        columns = {name: self[name][:_SHOWN] for name in self.columns}
        head = "".join(
            f"<th>{html.escape(name)}<br><small>{html.escape(unit)}</small></th>"
            for name, unit in self.units.items()
        )
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(column[row])}</td>" for column in columns.values()) + "</tr>"
            for row in range(min(self.height, _SHOWN))
        )
        more = f"<p>{self.height} rows</p>" if self.height > _SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _thaw(frozen: Any) -> Table:
    from gudgeon._gudgeon import TableCore

    return Table(TableCore.thaw(frozen))


def _cell(value: object) -> str:
    import html

    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))


def _bits(column: npt.NDArray[np.generic]) -> object:
    return column.tolist() if column.dtype == object else column.tobytes()
