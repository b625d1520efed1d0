"""The interface of ann-benchmarks and VIBE: their `module.py` is one line, ``from summand.ann_benchmarks import Summand``.

>>> algorithm = Summand("euclidean", "IVF16,LOCQ4,Refine(fp16)")
>>> algorithm.fit(x)
>>> algorithm.set_query_arguments(8, 50)
>>> algorithm.query(queries[0], 5).shape
(5,)
>>> algorithm.batch_query(queries, 5)
>>> algorithm.get_batch_results().shape
(100, 5)
"""

from __future__ import annotations

import numpy.typing as npt

from ._build import build
from ._core import Error
from ._types import Floats, Ids, Metric

_METRICS: dict[str, Metric] = {"euclidean": "euclidean", "angular": "cosine", "cosine": "cosine", "ip": "ip", "normalized": "ip"}


class Summand:
    """An algorithm of ann-benchmarks: ``metric`` is theirs, ``spec`` ours. Queries run on one thread, batches on all."""

    def __init__(self, metric: str, spec: str) -> None:
        if metric not in _METRICS:
            raise Error(f"ann_benchmarks: expected one of {', '.join(_METRICS)}, got {metric!r}")
        self._metric: Metric = _METRICS[metric]
        self._spec = spec
        self._arguments: dict[str, int | None] = {}
        self.name = f"summand({spec})"

    def fit(self, X: npt.ArrayLike) -> None:
        """Builds the index."""
        self._index = build(X, self._spec, metric=self._metric)

    def set_query_arguments(self, probes: int = 0, refine: int | None = None) -> None:
        """Cells to visit and candidates to score again."""
        self._arguments = {"probes": probes, "refine": refine}
        self.name = f"summand({self._spec}, probes={probes}, refine={refine})"

    def query(self, q: Floats, n: int) -> Ids:
        """Ids of the n nearest."""
        return self._search(q, n, threads=1)

    def batch_query(self, X: Floats, n: int) -> None:
        """Searches many at once; `get_batch_results` gives the ids."""
        self._found = self._search(X, n, threads=0)

    def get_batch_results(self) -> Ids:
        """Ids of the last batch."""
        return self._found

    def _search(self, queries: Floats, n: int, threads: int) -> Ids:
        refine = self._arguments.get("refine")
        return self._index.search(
            queries,
            n,
            probes=self._arguments.get("probes") or 0,
            refine=None if refine is None else max(refine, n),
            threads=threads,
        ).ids

    def get_memory_usage(self) -> float:
        """Kilobytes of the index."""
        return self._index.memory_bytes / 1024

    def done(self) -> None:
        """Nothing to free."""

    def __str__(self) -> str:
        return self.name
