"""The index: vectors in a few bytes each, to be searched."""

from __future__ import annotations

import html
import json
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Index as CoreIndex
from ._inputs import as_ids, as_number_ids, as_vectors
from ._progress import progress_hook
from ._results import Trial, Tuning
from ._searched import Searched
from ._types import Ids, Progress, VectorsLike


class Index(Searched[CoreIndex]):
    """Vectors in a few bytes each. Made by :func:`summand.build`, opened by :func:`summand.open`.

    Any number of threads may search one index at once, also while one changes it: a search keeps what it began with.
    It can be pickled. Ids are row numbers until :meth:`add` is given others.

    >>> index
    <summand.Index LOCQ4: 2,000 vectors of 16 dimensions in 4 bytes each, euclidean>
    >>> len(index)
    2000
    """

    __slots__ = ("_path",)

    def __init__(self, core: CoreIndex, path: str = "") -> None:
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

    def add(
        self,
        vectors: VectorsLike,
        ids: npt.ArrayLike | None = None,
        *,
        replace: bool = False,
        seed: int = 1,
        threads: int = 0,
        progress: Progress = None,
    ) -> Ids:
        """Encodes vectors of shape (vectors, dimensions) with the model of the index, and returns their ids.

        ``ids`` go on from the largest that ever was where none are given. An id that is there already is an error, and
        nothing is added then; with ``replace`` its vector is replaced. ``seed`` is that of the build: searches then find
        what an index built of all vectors with this model finds. Each call passes over all codes once, so give it many
        vectors; :class:`LivingIndex` is made for many small changes.

        >>> index = summand.build(x[:1000], "LOCQ4")
        >>> index.add(x[1000:1003])
        array([1000, 1001, 1002])
        >>> index.add(x[1003:1005], ids=[7_000_000, 5000])
        array([7000000,    5000])
        >>> 5000 in index, 4999 in index, len(index)
        (True, False, 1005)
        """
        given = as_vectors(vectors)
        with progress_hook(progress) as hook:
            if ids is None:
                first = self._core.add(given, seed, threads, hook)
                return np.arange(first, first + given.rows)
            listed = as_number_ids(ids, "add")
            self._core.add_with_ids(given, listed, replace, seed, threads, hook)
            return listed

    @property
    def ids(self) -> Ids:
        """Of all vectors, ascending, of shape (vectors,)."""
        return self._core.ids

    def tune(
        self, queries: VectorsLike, truth: npt.ArrayLike, target: str = "recall@10=0.95", *, threads: int = 0
    ) -> Tuning:
        """The cheapest search that finds enough of ``truth``, ids of shape (queries, neighbours) or their file.

        The target is the share of the 10 nearest among 10 answers; ``"recall@10of1=0.9"`` is that of the nearest one.
        What is chosen becomes the default of this index; :meth:`save` keeps it. ``chosen`` is None where nothing reaches
        the target, and the index is then as it was.

        >>> cells = summand.build(x, "IVF16,PQ4,Refine(fp16)")
        >>> truth, _ = summand.exact_neighbors(x, queries, k=10)
        >>> tuning = cells.tune(queries, truth, "recall@10=0.9")
        >>> tuning.chosen.recall >= 0.9, cells.defaults == tuning.chosen.parameters
        (True, True)
        """
        trials, chosen = self._core.tune(as_vectors(queries), as_ids(truth, "truth"), target, threads)
        return Tuning([Trial(**trial) for trial in trials], None if chosen is None else Trial(**chosen))

    def set_defaults(
        self, *, probes: int = 0, reach: float = 0, candidates: int = 0, refine: int | None = None
    ) -> None:
        """What a search does that is not told otherwise. 0 and None: 16 cells, 4·k candidates."""
        self._core.set_defaults(probes, reach, candidates, refine)

    @property
    def defaults(self) -> dict[str, float]:
        """What a search does that is not told otherwise, as far as it was set or tuned."""
        return self._core.defaults

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
