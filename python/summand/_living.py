"""An index that lives in a folder: vectors are added and removed while others search it."""

from __future__ import annotations

import json
import os
from types import TracebackType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Error, IdFilter
from ._core import LivingIndex as CoreLivingIndex
from ._inputs import as_id_list, as_vectors, check_counts
from ._progress import progress_hook
from ._searched import Filter, FilterLike, Searched, filter_of
from ._types import Ids, Metric, Progress, VectorsLike


class LivingIndex(Searched[CoreLivingIndex]):
    """An index in a folder, to which vectors are added and from which they are removed.

    What a call has changed is on the disk when it returns. One object of one process writes at a time; any number of
    processes read, and see what was committed when they call :meth:`refresh`. Any number of threads may search while one
    changes it.

    >>> with summand.LivingIndex.create("folder", x, "LOCQ4") as living:
    ...     first = living.add(x[:1000])
    ...     living.add(x[1000:], ids=range(5000, 6000))
    ...     len(living), 5999 in living, 4999 in living
    array([5000, 5001, ..., 5999])
    (2000, True, False)
    >>> reader = summand.open("folder")
    >>> reader.search(queries, k=5, filter=range(1000)).ids.max() < 1000
    np.True_

    Ids are whole numbers or texts, whichever the first vectors come with. Then searches answer, and filters are, texts:

    >>> named = summand.LivingIndex.create("named", x, "PQ4,Refine(fp32)")
    >>> texts = named.add(x[:3], ids=["a", "b", "c"])
    >>> named.search(x[1], k=2, filter=["b"]).ids
    array(['b', None], dtype=object)
    >>> named.remove("b"), "b" in named, "a" in named
    (1, False, True)
    """

    __slots__ = ()

    def __init__(self, core: CoreLivingIndex) -> None:
        self._core = core

    @staticmethod
    def create(
        folder: str | os.PathLike[str],
        learn: VectorsLike,
        spec: str = "",
        *,
        metric: Metric | None = None,
        seed: int = 1,
        learn_size: int = 0,
        threads: int = 0,
        progress: Progress = None,
    ) -> LivingIndex:
        """Makes an empty index in a new folder, with a model learnt from vectors like those that will come.

        The arguments are those of :func:`summand.build`. The result may write.
        """
        check_counts("create", seed=seed, learn_size=learn_size, threads=threads)
        with progress_hook(progress) as hook:
            return LivingIndex(
                _core.LivingIndex.create(
                    os.fspath(folder), as_vectors(learn), spec, metric, seed, learn_size, threads, hook
                )
            )

    @staticmethod
    def open(folder: str | os.PathLike[str], *, write: bool = False) -> LivingIndex:
        """Opens the folder to search, or to write as well, for which it takes the lock."""
        return LivingIndex(_core.LivingIndex.open(os.fspath(folder), write))

    def add(
        self,
        vectors: VectorsLike,
        ids: npt.ArrayLike | None = None,
        *,
        replace: bool = False,
        threads: int = 0,
        progress: Progress = None,
    ) -> Any:
        """Adds vectors of shape (vectors, dimensions), and returns their ids: an array of numbers, or a list of texts.

        ``ids`` go on from the largest that ever was where none are given. An id that is there already is an error, and
        nothing is added then; with ``replace`` its vector is replaced.

        >>> living = summand.LivingIndex.create("folder", x, "LOCQ4")
        >>> living.add(x[:3])
        array([0, 1, 2])
        >>> living.add(x[0], ids=2, replace=True)
        array([2])
        """
        given = as_vectors(vectors)
        with progress_hook(progress) as hook:
            if ids is None:
                first = self._core.add(given, threads, hook)
                return np.arange(first, first + given.rows)
            listed = as_id_list(ids, "add")
            self._core.add_with_ids(given, listed, replace, threads, hook)
            return listed

    def update(self, vectors: VectorsLike, ids: npt.ArrayLike, *, threads: int = 0) -> None:
        """Replaces vectors in one step; an id that is not there is an error, and nothing changes then."""
        self._core.update(as_vectors(vectors), as_id_list(ids, "update"), threads)

    def remove(self, ids: npt.ArrayLike | Filter) -> int:
        """Removes ids, numbers or texts, or all that a filter keeps, and returns how many there were.

        >>> living = summand.LivingIndex.create("folder", x, "LOCQ4")
        >>> ids = living.add(x)
        >>> living.remove([3, 4, 77777]), living.remove(summand.Filter(range(100)))
        (2, 98)
        """
        return super().remove(ids) if isinstance(ids, Filter) else self._core.remove(as_id_list(ids, "remove"))

    def __contains__(self, id: int | str) -> bool:
        return self._core.contains(id)

    def _filter_of(self, filter: FilterLike) -> IdFilter:
        if self._core.named and not isinstance(filter, Filter):
            names = as_id_list(filter, "filter")  # type: ignore[arg-type]
            if isinstance(names, list):
                return self._core.filter(names)
            raise Error("filter: expected ids of the index, which are texts, got numbers")
        return filter_of(filter)

    def _ids_of(self, found: Ids) -> npt.NDArray[Any]:
        if not self._core.named:
            return found
        names = np.array(self._core.names(found.ravel()), dtype=object)
        names[names == ""] = None
        return names.reshape(found.shape)

    def set_commit_every(self, changes: int) -> None:
        """How many vectors may change before that is committed by itself: 1 at first, 0 never."""
        self._core.set_commit_every(changes)

    def commit(self) -> None:
        """Makes all changes durable and visible to others at once."""
        self._core.commit()

    def refresh(self) -> bool:
        """Takes up what another process has committed; True where there was something."""
        return self._core.refresh()

    def compact(self, what: Literal["all", "tiers"] = "all", *, threads: int = 0, progress: Progress = None) -> None:
        """Merges segments and drops removed vectors; searches and changes go on meanwhile."""
        with progress_hook(progress) as hook:
            self._core.compact(what, threads, hook)

    def info(self) -> dict[str, Any]:
        """What ``summand info --json`` says of it: vectors, removed ones, segments, the next id, commits."""
        said: dict[str, Any] = json.loads(self._core.describe())
        return said

    def close(self) -> None:
        """Frees the lock; what was not committed is gone. Every later call is an error."""
        self._core.close()

    def __enter__(self) -> LivingIndex:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"<summand.LivingIndex {self.spec}: {len(self):,} vectors of {self.dimensions} dimensions, {self.metric}>"
        )
