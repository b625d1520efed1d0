"""The index: vectors in a few bytes each, to be searched."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Error, IdFilter
from ._inputs import as_ids, as_vectors
from ._results import Found, RangeFound, Trial, Tuning
from ._types import VectorsLike

#: Which ids a search may return: ids, a range, a mask of booleans, text as "0-999,2000-", or a :class:`Filter`.
FilterLike = Union["Filter", range, slice, str, npt.ArrayLike, Iterable[int], None]


class Filter:
    """The ids a search may return, prepared once for many searches.

    Takes what ``filter=`` of a search takes: ids in any order, a range, a mask with an element for each id, or ranges
    as text.

    >>> even = Filter(range(0, 2000, 2))
    >>> 10 in even, 11 in even
    (True, False)
    >>> bool((index.search(queries, k=5, filter=even).ids % 2 == 0).all())
    True
    """

    __slots__ = ("_core",)

    def __init__(self, ids: FilterLike) -> None:
        self._core = _filter_of(ids)

    def __contains__(self, id: int) -> bool:
        return self._core.keeps(id)

    @property
    def memory_bytes(self) -> int:
        """Bytes it takes."""
        return self._core.memory_bytes


def _filter_of(given: FilterLike) -> IdFilter:
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
    array = np.asarray(given if hasattr(given, "__array__") or not isinstance(given, Iterable) else list(given))
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim == 1 and array.dtype == np.bool_:
        return IdFilter.mask(np.ascontiguousarray(array))
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise Error(f"filter: expected ids or a mask in one dimension, got {array.ndim} dimensions of {array.dtype}")
    return IdFilter.ids(np.ascontiguousarray(array, dtype=np.int64))


class Index:
    """Vectors in a few bytes each. Made by :func:`summand.build`, opened by :func:`summand.open`.

    Any number of threads may search one index at once. It can be pickled.

    >>> index
    <summand.Index LOCQ4: 2,000 vectors of 16 dimensions in 4 bytes each, euclidean>
    >>> len(index)
    2000
    """

    __slots__ = ("_core", "_path")

    def __init__(self, core: _core.Index, path: str = "") -> None:
        self._core = core
        self._path = path

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Index:
        """Maps the file of an index: codes stay in it, and processes share its pages.

        The file must not be changed while the index lives; replacing it, as :meth:`save` does, is safe.
        """
        return Index(_core.Index.open(os.fspath(path)), os.fspath(path))

    @staticmethod
    def from_bytes(data: bytes) -> Index:
        """The index that :meth:`to_bytes` wrote.

        >>> Index.from_bytes(index.to_bytes()).spec
        'LOCQ4'
        """
        return Index(_core.Index.from_bytes(data))

    def to_bytes(self) -> bytes:
        """The bytes of its file."""
        return self._core.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file; a crash leaves the old one or the new one."""
        self._core.save(os.fspath(path))

    def search(
        self,
        queries: VectorsLike,
        k: int = 10,
        *,
        filter: FilterLike = None,
        probes: int = 0,
        candidates: int = 0,
        refine: int | None = None,
        threads: int = 0,
    ) -> Found:
        """The k best of each query.

        ``queries`` has the shape (queries, dimensions), or (dimensions,) for one query, whose answers then have one
        dimension as well. ``filter`` says which ids may be returned. Of an index with cells, ``probes`` cells are
        visited, or as many as hold ``candidates`` vectors; of one with a second layer, ``refine`` candidates are scored
        again. 0 and None: what the index says (:attr:`defaults`).

        >>> ids, scores = index.search(queries, k=10)
        >>> ids.shape, ids.dtype, scores.dtype
        ((100, 10), dtype('int64'), dtype('float32'))
        >>> index.search(queries[0], k=3, filter=range(1000)).ids.max() < 1000
        np.True_
        """
        vectors = as_vectors(queries)
        kept = None if filter is None else _filter_of(filter)
        ids, scores = self._core.search(vectors, k, probes, candidates, refine, kept, threads)
        if vectors.single:
            return Found(ids[0], scores[0])
        return Found(ids, scores)

    def search_range(
        self,
        queries: VectorsLike,
        radius: float,
        *,
        filter: FilterLike = None,
        probes: int = 0,
        candidates: int = 0,
        refine: int | None = None,
        threads: int = 0,
    ) -> RangeFound:
        """Every id with a score below ``radius`` (a squared distance for euclidean); see :meth:`search` for the rest.

        >>> index.search_range(queries, radius=8.0).counts.shape
        (100,)
        """
        kept = None if filter is None else _filter_of(filter)
        return RangeFound(
            *self._core.search_range(as_vectors(queries), radius, probes, candidates, refine, kept, threads)
        )

    def tune(
        self, queries: VectorsLike, truth: npt.ArrayLike, target: str = "recall@10=0.9", *, threads: int = 0
    ) -> Tuning:
        """The cheapest search that finds enough of ``truth``, ids of shape (queries, neighbours) or their file.

        What is chosen becomes the default of this index; :meth:`save` keeps it. ``chosen`` is None where nothing reaches
        the target, and the index is then as it was.

        >>> cells = summand.build(x, "IVF16,PQ4,Refine(fp16)")
        >>> truth, _ = summand.exact_neighbors(x, queries, k=1)
        >>> tuning = cells.tune(queries, truth, "recall@10=0.9")
        >>> tuning.chosen.recall >= 0.9, cells.defaults == tuning.chosen.parameters
        (True, True)
        """
        trials, chosen = self._core.tune(as_vectors(queries), as_ids(truth, "truth"), target, threads)
        return Tuning([Trial(**trial) for trial in trials], None if chosen is None else Trial(**chosen))

    def set_defaults(self, *, probes: int = 0, candidates: int = 0, refine: int | None = None) -> None:
        """What a search does that is not told otherwise. 0 and None: 16 cells, 4·k candidates."""
        self._core.set_defaults(probes, candidates, refine)

    @property
    def defaults(self) -> dict[str, int]:
        """What a search does that is not told otherwise, as far as it was set or tuned."""
        return self._core.defaults

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

    @property
    def code_bytes(self) -> int:
        """Bytes that a vector takes, both layers, without its id."""
        return self._core.code_bytes

    @property
    def memory_bytes(self) -> int:
        """Bytes of all that is held."""
        return self._core.memory_bytes

    def info(self) -> dict[str, Any]:
        """What ``summand info --json`` says of an index.

        >>> index.info()["model"]["method"]
        'LOCQ'
        """
        return {"spec": self.spec, **json.loads(self._core.describe())}

    def __reduce__(self) -> tuple[Any, ...]:
        return Index.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return (
            f"<summand.Index {self.spec}: {len(self):,} vectors of {self.dimensions} dimensions "
            f"in {self.code_bytes} bytes each, {self.metric}>"
        )

    def _repr_html_(self) -> str:
        rows = {
            "spec": self.spec,
            "vectors": f"{len(self):,}",
            "dimensions": self.dimensions,
            "metric": self.metric,
            "bytes per vector": f"{self.code_bytes} of {4 * self.dimensions:,}",
            "memory": _core.bytes_text(self.memory_bytes),
            "searches with": ", ".join(f"{name} {value}" for name, value in self.defaults.items()) or "defaults",
            "instructions": _core.kernel_level(),
        }
        if self._path:
            rows["file"] = self._path
        cells = "".join(
            f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{html.escape(str(value))}</td></tr>'
            for name, value in rows.items()
        )
        return f"<table><caption>summand.Index</caption>{cells}</table>"
