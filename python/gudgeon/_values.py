"""Values of Python as texts of a model: quantities with units as they are, numbers in SI."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gudgeon._errors import Diagnostic, ModelError

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def wrong(path: str, message: str, help: str, code: str = "G0103") -> ModelError:
    text = f"error[{code}]: {message}\n --> {path}\n  = help: {help}"
    return ModelError(text, [Diagnostic(code, message, help, path)])


def plain(value: Any) -> Any:
    """NumPy scalars and arrays as numbers and lists."""
    if hasattr(value, "tolist") and not isinstance(value, (str, bytes)):
        return value.tolist()
    return value


def number(value: Any, path: str) -> str:
    given = float(value)
    if not math.isfinite(given):
        raise wrong(path, f"`{path}` is {given}", "give a finite number", "G0202")
    return repr(given)


def toml(value: Any, path: str) -> str:
    """A value as TOML writes it."""
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, numbers.Real):
        return number(value, path)
    if isinstance(value, Mapping):
        entries = [f"{key(name, path)} = {toml(item, f'{path}.{name}')}" for name, item in value.items()]
        return "{ " + ", ".join(entries) + " }" if entries else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(item, path) for item in value) + "]"
    raise _kind(value, path)


def change(value: Any, path: str) -> str:
    """A value as ``--set`` takes it."""
    value = plain(value)
    if isinstance(value, str):
        # At the beginning these begin a value in TOML.
        return quoted(value) if "." in path and value.lstrip()[:1] in ("[", "{", '"', "'") else value
    return toml(value, path)


def instant(value: Any, path: str) -> str:
    """``"3 rev"``, seconds, or ``{"joint": "3 rev", "at_most": "10 s"}``."""
    value = plain(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={instant(item, f'{path}.{name}')}" for name, item in value.items())
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return number(value, path)
    raise _kind(value, path)


def quoted(text: str) -> str:
    import json

    # What JSON escapes TOML reads, too, except for the escape of pairs, which `ensure_ascii` avoids.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def key(name: Any, path: str) -> str:
    """A key, or a path of keys with dots."""
    if not isinstance(name, str):
        raise wrong(path, f"a key is {name!r}", "keys are texts")
    parts = name.split(".")
    return name if all(_BARE.match(part) for part in parts) else quoted(name)


def lines(tree: Mapping[Any, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Every value behind its whole path."""
    for name, value in tree.items():
        here = f"{path}.{key(name, path)}" if path else key(name, path)
        value = plain(value)
        if isinstance(value, Mapping) and value:
            yield from lines(value, here)
        else:
            yield here, toml(value, here)


def _kind(value: Any, path: str) -> ModelError:
    kind = "nothing" if value is None else f"a value of type `{type(value).__name__}`"
    return wrong(
        path,
        f"`{path}` is {kind}",
        'values are numbers in SI, texts with units such as `"0.2 mm"`, true or false, lists and tables',
    )
