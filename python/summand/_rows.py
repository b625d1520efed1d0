"""A model for those who keep codes as rows of a table, and its rows."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import RowModel as CoreRowModel
from ._index import Index
from ._inputs import as_vectors
from ._progress import progress_hook
from ._types import Bytes, Floats, Metric, Progress, VectorsLike

Cells = npt.NDArray[np.uint32]


class Rows(NamedTuple):
    """What is kept of vectors: a cell each where the model has cells, a code, a bias where the method keeps one."""

    cells: Cells | None
    codes: Bytes
    bias: Floats | None


class RowModel:
    """Cells and words, for those who keep codes themselves. Made by :func:`summand.lake.train`.

    Any subset of rows makes an index; the best of the answers of several are those of the index of all rows, bit for
    bit. It can be pickled, and any number of threads may use one.

    >>> model = RowModel.train(x, "IVF16,PQ4")
    >>> rows = model.encode(x)
    >>> rows.codes.shape, int(rows.cells.max()) < 16, rows.bias is None
    ((2000, 4), True, True)
    >>> model.index_of(rows).spec
    'IVF16,PQ4'
    """

    __slots__ = ("_core",)

    def __init__(self, core: CoreRowModel) -> None:
        self._core = core

    @staticmethod
    def train(
        vectors: VectorsLike,
        spec: str,
        *,
        metric: Metric | None = None,
        seed: int = 1,
        learn_size: int = 0,
        threads: int = 0,
        progress: Progress = None,
    ) -> RowModel:
        """Learns cells and words; the arguments are those of :func:`summand.build`."""
        with progress_hook(progress) as hook:
            return RowModel(CoreRowModel.train(as_vectors(vectors), spec, metric, seed, learn_size, threads, hook))

    @staticmethod
    def from_bytes(data: bytes, metric: Metric | str | None = None, seed: int = 1) -> RowModel:
        """A model from the bytes of its file, which says neither the metric of a model without cells nor the seed."""
        return RowModel(CoreRowModel.from_bytes(data, metric, seed))

    def to_bytes(self) -> bytes:
        """The bytes of its file."""
        return self._core.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes its file, which the command line and C++ load; a crash leaves the old one or the new one."""
        self._core.save(os.fspath(path))

    def encode(self, vectors: VectorsLike, *, threads: int = 0) -> Rows:
        """Rows of vectors: each depends on the model and that vector alone."""
        return Rows(*self._core.encode(as_vectors(vectors), threads))

    def index_of(self, rows: Rows) -> Index:
        """An index in which row i has the id i. Rows that the model cannot have made are an error."""
        return Index(self._core.index_of(*rows))

    def visited(
        self, queries: VectorsLike, *, probes: int = 0, reach: float = 0, threads: int = 0
    ) -> tuple[npt.NDArray[np.int64], Cells]:
        """The cells that searches look at, the nearest first: those of query i are ``cells[begin[i]:begin[i + 1]]``.

        >>> begin, cells = RowModel.train(x, "IVF16,PQ4").visited(queries, probes=3)
        >>> begin[:3].tolist(), len(cells) == 3 * len(queries)
        ([0, 3, 6], True)
        """
        return self._core.visited(as_vectors(queries), probes, reach, threads)

    def exact_scores(self, query: VectorsLike, vectors: VectorsLike) -> Floats:
        """Scores of vectors themselves for a query, as an index with ``Refine(fp32)`` gives them."""
        return _core.exact_scores(self.metric, as_vectors(query), as_vectors(vectors))

    @property
    def identity(self) -> str:
        """Hash of all that gives rows their meaning: words, cells and metric."""
        return self._core.identity

    @property
    def spec(self) -> str:
        """The shortest spec that names cells and method."""
        return self._core.spec

    @property
    def metric(self) -> str:
        """euclidean, ip or cosine."""
        return self._core.metric

    @property
    def seed(self) -> int:
        """Of the encoder."""
        return self._core.seed

    @property
    def dimensions(self) -> int:
        """Of a vector."""
        return self._core.dimensions

    @property
    def code_bytes(self) -> int:
        """Bytes of a code, without cell and bias."""
        return self._core.code_bytes

    @property
    def cells(self) -> int:
        """How many cells there are; 0: none."""
        return self._core.cells

    @property
    def stores_bias(self) -> bool:
        """Whether rows have a bias."""
        return self._core.stores_bias

    def __reduce__(self) -> tuple[Any, ...]:
        return RowModel.from_bytes, (self.to_bytes(), self.metric, self.seed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowModel) and (self.identity, self.seed) == (other.identity, other.seed)

    def __hash__(self) -> int:
        return hash((self.identity, self.seed))

    def __repr__(self) -> str:
        return f"<summand.RowModel {self.spec}: {self.dimensions} dimensions, {self.metric}, {self.identity}>"
