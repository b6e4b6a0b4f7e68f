"""Parts of results: keys that are attributes, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Record(Mapping[str, Any]):
    """A part of a result with named values, all in SI units; ``None`` stands for what has no value.

    >>> import gudgeon as gd
    >>> force = gd.Record({"abs_max": 12.5, "unit": "N"})
    >>> force.abs_max, force["unit"]
    (12.5, 'N')
    """

    __slots__ = ("_of",)
    _of: dict[str, Any]

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_of", dict(values))

    def __getitem__(self, name: str) -> Any:
        try:
            return wrap(self._of[name])
        except KeyError:
            raise KeyError(unknown(name, self._of)) from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return wrap(self._of[name])
        except KeyError:
            raise AttributeError(unknown(name, self._of)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("results are not changed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._of]

    def __repr__(self) -> str:
        return f"Record({self._of!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Record, (self._of,)

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists."""
        return dict(self._of)


def wrap(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [wrap(item) for item in value]
    return value


def unknown(name: object, names: Any) -> str:
    """What to say of a name that is not there."""
    from difflib import get_close_matches

    known = [str(one) for one in names]
    near = get_close_matches(str(name), known, n=1)
    help = f"did you mean `{near[0]}`?" if near else "there are " + ", ".join(f"`{one}`" for one in known[:20])
    return f"there is no `{name}`; {help if known else 'there is nothing here'}"


def preformatted(text: str) -> str:
    """Text as a notebook shows it."""
    import html

    return f"<pre>{html.escape(text)}</pre>"
