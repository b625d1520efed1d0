"""What searches and other calls give back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._types import Floats, Ids


class Found:
    """Answers of a search; ``ids, scores = found`` takes it apart.

    ``ids`` and ``scores`` have the shape (queries, k), or (k,) for one query given with one dimension; the best comes
    first. Scores are smaller-is-better: squared distances, ``-q·x`` for inner products, ``2 - 2 cos`` for cosine. Where
    a query found fewer than k, the row ends with the id -1 and the score +infinity, and ``counts`` says how many there
    are. Ids that are texts are in an array of objects, with None behind the last one.

    >>> found = index.search(queries[0], k=3)
    >>> found.ids.shape, found.scores.shape, int(found.counts)
    ((3,), (3,), 3)
    """

    __slots__ = ("ids", "scores")

    def __init__(self, ids: npt.NDArray[Any], scores: Floats) -> None:
        self.ids = ids
        self.scores = scores

    @property
    def counts(self) -> Any:
        """How many each query found: an array of shape (queries,), or a number for one query."""
        return np.count_nonzero(self.scores < np.inf, axis=-1)

    def __iter__(self) -> Iterator[Any]:
        yield self.ids
        yield self.scores

    def __repr__(self) -> str:
        return f"Found(ids={self.ids!r}, scores={self.scores!r})"


class RangeFound:
    """Answers of a range search: as many for each query as lie within the radius.

    ``found[i]`` is (ids, scores) of query i, best first. ``ids`` and ``scores`` hold all of them one query after the
    other; query i begins at ``begin[i]``.

    >>> found = index.search_range(queries, radius=8.0)
    >>> ids, scores = found[0]
    >>> bool((scores < 8.0).all()), len(found) == len(queries)
    (True, True)
    """

    __slots__ = ("begin", "ids", "scores")

    def __init__(self, begin: Ids, ids: npt.NDArray[Any], scores: Floats) -> None:
        self.begin = begin
        self.ids = ids
        self.scores = scores

    @property
    def counts(self) -> Ids:
        """How many each query found, of shape (queries,)."""
        return np.diff(self.begin)

    def __len__(self) -> int:
        return len(self.begin) - 1

    def __getitem__(self, query: int) -> tuple[npt.NDArray[Any], Floats]:
        place = range(len(self))[query]
        part = slice(self.begin[place], self.begin[place + 1])
        return self.ids[part], self.scores[part]

    def __repr__(self) -> str:
        return f"RangeFound({len(self)} queries, {len(self.ids)} answers)"


class Trial(NamedTuple):
    """One setting that was tried; counts are means over the queries."""

    parameters: dict[str, float]
    cells: float
    vectors: float
    cost: float
    recall: float
    seconds: float


class Tuning(NamedTuple):
    """What :meth:`Index.tune` tried, in order, and what it chose; None where nothing reaches the target."""

    trials: list[Trial]
    chosen: Trial | None


class Estimate(NamedTuple):
    """What a build takes: bytes at the peak, of the file and of the index when searched, and seconds."""

    spec: str
    memory_bytes: float
    output_bytes: float
    search_bytes: float
    train_seconds: float
    encode_seconds: float


class Proposal(NamedTuple):
    """A spec whose index fits some memory when it is searched, and why."""

    spec: str
    memory_bytes: float
    reasons: list[str]


class Method(NamedTuple):
    """A method as specs name it."""

    name: str
    summary: str
    options: list[str]
    resumable: bool
