"""What an index in a file and one in a folder have in common: they are searched, and vectors are removed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, Literal, Protocol, TypeVar, Union

import numpy as np
import numpy.typing as npt

from ._core import Error, IdFilter
from ._core import Index as CoreIndex
from ._core import LivingIndex as CoreLivingIndex
from ._inputs import as_number_ids, as_vectors, check_counts
from ._results import Found, RangeFound
from ._types import Ids, VectorsLike

Core = TypeVar("Core", CoreIndex, CoreLivingIndex)


class SupportsToArray(Protocol):
    """A set of ids such as pyroaring.BitMap."""

    def to_array(self) -> Any: ...


#: Which ids a search may return: ids, a range, a mask of booleans, a pyroaring.BitMap, text as "0-999,2000-", or a
#: :class:`Filter`.
FilterLike = Union["Filter", range, slice, str, npt.ArrayLike, Iterable[int], SupportsToArray, None]


class Filter:
    """The ids a search may return, prepared once for many searches.

    Takes what ``filter=`` of a search takes: ids in any order, a range, a mask with an element for each id, a
    pyroaring.BitMap, or ranges as text.

    >>> even = Filter(range(0, 2000, 2))
    >>> 10 in even, 11 in even
    (True, False)
    >>> bool((index.search(queries, k=5, filter=even).ids % 2 == 0).all())
    True
    """

    __slots__ = ("_core",)

    def __init__(self, ids: FilterLike) -> None:
        self._core = filter_of(ids)

    @staticmethod
    def roaring(data: bytes, bits: Literal[32, 64] = 32) -> Filter:
        """The ids of a Roaring bitmap in its portable format, of 32 or of 64 bits, as pyroaring serializes it.

        >>> few = Filter.roaring(bytes.fromhex("3a30000001000000000001001000000003000700"))
        >>> 3 in few, 7 in few, 5 in few
        (True, True, False)
        """
        if bits not in (32, 64):
            raise Error(f"filter: expected a bitmap of 32 or 64 bits, got {bits}")
        filter = Filter.__new__(Filter)
        filter._core = IdFilter.roaring(data, bits == 64)
        return filter

    def __contains__(self, id: int) -> bool:
        return self._core.keeps(id)

    @property
    def memory_bytes(self) -> int:
        """Bytes it takes."""
        return self._core.memory_bytes


def filter_of(given: FilterLike) -> IdFilter:
    if isinstance(given, Filter):
        return given._core
    if isinstance(given, str):
        return IdFilter.text(given)
    if isinstance(given, slice):
        if given.start is None and given.stop is None or given.step not in (None, 1):
            raise Error(f"filter: expected a slice of ids with an end and without a step, got {given}")
        return IdFilter.range(given.start or 0, np.iinfo(np.int64).max if given.stop is None else given.stop)
    if isinstance(given, range) and given.step == 1:
        return IdFilter.range(given.start, max(given.start, given.stop))
    rows: Any = given
    if hasattr(rows, "to_array"):  # pyroaring.BitMap and BitMap64
        rows = rows.to_array()
    array: Any = np.asarray(rows if hasattr(rows, "__array__") or not isinstance(rows, Iterable) else list(rows))
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim == 1 and array.dtype == np.bool_:
        return IdFilter.mask(np.ascontiguousarray(array))
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise Error(f"filter: expected ids or a mask in one dimension, got {array.ndim} dimensions of {array.dtype}")
    return IdFilter.ids(np.ascontiguousarray(array, dtype=np.int64))


class Searched(Generic[Core]):
    """Whatever holds an index to search in."""

    __slots__ = ("_core",)

    _core: Core

    def search(
        self,
        queries: VectorsLike,
        k: int = 10,
        *,
        filter: FilterLike = None,
        probes: int = 0,
        reach: float = 0,
        candidates: int = 0,
        refine: int | None = None,
        threads: int = 0,
    ) -> Found:
        """The k best of each query.

        ``queries`` has the shape (queries, dimensions), or (dimensions,) for one query, whose answers then have one
        dimension as well. ``filter`` says which ids may be returned. Of an index with cells, ``probes`` cells are
        visited; or with ``reach`` those that are up to so many times as far as the eighth nearest; or as many as hold
        ``candidates`` vectors. Of one with a second layer, ``refine`` candidates are scored
        again. 0 and None: what the index says (:attr:`Index.defaults`).

        >>> ids, scores = index.search(queries, k=10)
        >>> ids.shape, ids.dtype, scores.dtype
        ((100, 10), dtype('int64'), dtype('float32'))
        >>> index.search(queries[0], k=3, filter=range(1000)).ids.max() < 1000
        np.True_
        """
        check_counts("search", k=k, probes=probes, candidates=candidates, refine=refine, threads=threads)
        vectors = as_vectors(queries)
        kept = None if filter is None else self._filter_of(filter)
        found, scores = self._core.search(vectors, k, probes, reach, candidates, refine, kept, threads)
        ids = self._ids_of(found)
        if vectors.single:
            return Found(ids[0], scores[0])
        return Found(ids, scores)

    def _filter_of(self, filter: FilterLike) -> IdFilter:
        return filter_of(filter)

    def _ids_of(self, found: Ids) -> npt.NDArray[Any]:
        """What users call the ids that the library has found."""
        return found

    def search_range(
        self,
        queries: VectorsLike,
        radius: float,
        *,
        filter: FilterLike = None,
        probes: int = 0,
        reach: float = 0,
        candidates: int = 0,
        refine: int | None = None,
        threads: int = 0,
    ) -> RangeFound:
        """Every id with a score below ``radius`` (a squared distance for euclidean); see :meth:`search` for the rest.

        >>> index.search_range(queries, radius=8.0).counts.shape
        (100,)
        """
        check_counts("search_range", probes=probes, candidates=candidates, refine=refine, threads=threads)
        kept = None if filter is None else self._filter_of(filter)
        begin, ids, scores = self._core.search_range(
            as_vectors(queries), radius, probes, reach, candidates, refine, kept, threads
        )
        return RangeFound(begin, self._ids_of(ids), scores)

    def remove(self, ids: npt.ArrayLike | Filter) -> int:
        """Removes ids, or all that a filter keeps, and returns how many there were; others are no error.

        >>> index = summand.build(x, "LOCQ4")
        >>> index.remove([3, 4, 77777]), index.remove(summand.Filter(range(100)))
        (2, 98)
        >>> 3 in index, len(index)
        (False, 1900)
        """
        if isinstance(ids, Filter):
            return self._core.remove_kept(ids._core)
        return self._core.remove(as_number_ids(ids, "remove"))

    def __contains__(self, id: int) -> bool:
        return self._core.contains(id)

    def __len__(self) -> int:
        return len(self._core)

    @property
    def spec(self) -> str:
        """The shortest spec that names cells, method and second layer."""
        return self._core.spec

    @property
    def metric(self) -> str:
        """euclidean, ip or cosine."""
        return self._core.metric

    @property
    def dimensions(self) -> int:
        """Of a vector."""
        return self._core.dimensions
