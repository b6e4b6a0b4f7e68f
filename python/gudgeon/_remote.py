"""Samples of studies in other processes and on other machines."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError
from typing import Any, TypeAlias

from gudgeon._errors import StudyError
from gudgeon._gudgeon import Cancel, StudyCore, __version__

#: Status, values, cause, notes, and whether values may be missing.
Sampled: TypeAlias = tuple[str, list[float], str, list[str], bool]
Ask: TypeAlias = Callable[[list[float], int, Cancel], Sampled]

#: Studies that this process has read, by what they say.
_READ: dict[str, Callable[[list[float], int], Sampled]] = {}
#: More are not kept.
_MOST = 16

_HELP = "finished samples are kept: run again with `resume=True` and an executor that works"


def sample(frozen: bytes, digest: str, version: str, point: list[float], seed: int) -> Sampled:
    """One sample, in whatever process this is."""
    if version != __version__:
        raise StudyError(
            f"this worker has gudgeon {__version__}, the study comes from {version}\n"
            "  = help: install the same wheel everywhere, results would differ"
        )
    study = _READ.get(digest)
    if study is None:
        while len(_READ) >= _MOST:
            _READ.pop(next(iter(_READ)))
        study = _READ[digest] = _thaw(pickle.loads(frozen))
    return study(point, seed)


def _thaw(frozen: Any) -> Callable[[list[float], int], Sampled]:
    study, function = frozen
    core = StudyCore(study)
    return core.sample if function is None else answers(core, function)


def answers(core: StudyCore, function: Callable[..., Any]) -> Callable[[list[float], int], Sampled]:
    """A function of named values as something that answers to points."""
    names = [name for name, _ in core.responses()]

    def answer(point: list[float], seed: int) -> Sampled:
        try:
            found = function(core.named(point))
            if not isinstance(found, dict):
                found = dict(zip(names, found if isinstance(found, (list, tuple)) else [found], strict=True))
            missing = [name for name in names if name not in found]
            if missing:
                return "failed", [], f"the function gave no `{missing[0]}`", [], False
            return "done", [float(found[name]) for name in names], "", [], False
        except Exception as error:
            return "failed", [], f"{type(error).__name__}: {error}", [], False

    return answer


def asker(executor: Any, core: StudyCore, function: Callable[..., Any] | None) -> Ask:
    """What asks an executor for samples, and waits for it."""
    try:
        frozen = pickle.dumps((core.freeze(), function))
    except Exception as error:
        raise StudyError(
            f"the function cannot be sent to other processes: {error}\n"
            "  = help: define it in a module that the workers can import, not in a notebook or as a lambda"
        ) from error
    digest = hashlib.blake2b(frozen, digest_size=16).hexdigest()
    if hasattr(executor, "get_executor"):  # a client of Dask
        executor = executor.get_executor(pure=False)
    if not hasattr(executor, "submit"):
        raise TypeError("`executor` is one of `concurrent.futures`, or a `dask.distributed.Client`")

    def ask(point: list[float], seed: int, stopping: Cancel) -> Sampled:
        try:
            future = executor.submit(sample, frozen, digest, __version__, point, seed)
            while True:
                try:
                    return future.result(timeout=0.05)  # type: ignore[no-any-return]
                except TimeoutError:
                    if future.done():
                        return future.result()  # type: ignore[no-any-return]
                    if stopping.cancelled:
                        future.cancel()
                        raise StudyError("the study was stopped") from None
        except StudyError:
            raise
        except (BrokenExecutor, CancelledError, RuntimeError, OSError) as error:
            text = f"the executor died: {type(error).__name__}: {error}\n  = help: {_HELP}"
            raise StudyError(text) from error
        except Exception as error:
            text = f"the executor could not run a sample: {type(error).__name__}: {error}\n  = help: {_HELP}"
            raise StudyError(text) from error

    return ask


def workers(executor: Any) -> int:
    """How many samples an executor runs at a time, and as many more that wait for it."""
    if hasattr(executor, "nthreads"):
        known = sum(executor.nthreads().values())
    else:
        known = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    return max(1, 2 * int(known))
