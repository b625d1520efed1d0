"""Progress of long calls: a bar of tqdm, a line where tqdm is missing, or a function of the caller."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, Union

from ._types import Progress

Hook = Callable[[str, int, int], Union[bool, None]]


@contextlib.contextmanager
def progress_hook(progress: Progress) -> Iterator[Hook | None]:
    """What the library calls with (stage, done, total)."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            yield _line
            print(file=sys.stderr)
        else:
            with tqdm(unit="", unit_scale=True) as bar:
                yield lambda stage, done, total: _show(bar, stage, done, total)
    elif callable(progress):
        yield lambda stage, done, total: progress(done, total)
    else:
        raise TypeError(f"progress: expected True, False or a function (done, total), got {progress!r}")


def _show(bar: Any, stage: str, done: int, total: int) -> None:
    if bar.desc != stage + ": " or bar.total != total:
        bar.reset(total)
        bar.set_description(stage, refresh=False)
    bar.n = done
    bar.refresh()


def _line(stage: str, done: int, total: int) -> None:
    print(f"\r{stage}: {done:,} of {total:,}\033[K", end="", file=sys.stderr, flush=True)
