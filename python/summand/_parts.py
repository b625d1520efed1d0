"""The parts of which indexes are made, under their names in C++."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy.typing as npt

from . import _core
from ._core import Codes, LookupTable, Quantizer
from ._index import Index
from ._inputs import as_ids, as_vectors
from ._progress import progress_hook
from ._results import Found, Method
from ._types import Effort, Floats, Ids, Metric, Progress, VectorsLike


def train(
    vectors: VectorsLike,
    spec: str = "LOCQ8",
    *,
    metric: Metric = "euclidean",
    seed: int = 1,
    learn_size: int = 0,
    threads: int = 0,
    progress: Progress = None,
) -> Quantizer:
    """A model of vectors of shape (vectors, dimensions).

    >>> model = summand.train(x, "PQ4")
    >>> model.dictionaries.shape, model.word_offsets.shape
    ((4, 256, 16), (4, 256))
    """
    with progress_hook(progress) as hook:
        return _core.train(as_vectors(vectors), spec, metric, seed, learn_size, threads, hook)


def encode(
    model: Quantizer,
    vectors: VectorsLike,
    *,
    effort: Effort | None = None,
    threads: int = 0,
    progress: Progress = None,
) -> Codes:
    """Codes of vectors: ``codes.rows`` has the shape (vectors, M).

    >>> model = summand.train(x, "PQ4")
    >>> summand.encode(model, x).rows.shape
    (2000, 4)
    """
    with progress_hook(progress) as hook:
        return _core.encode(model, as_vectors(vectors), effort, threads, hook)


def decode(model: Quantizer, codes: Codes, *, threads: int = 0) -> Floats:
    """The vectors that codes stand for, of shape (vectors, dimensions).

    >>> model = summand.train(x, "PQ4")
    >>> summand.decode(model, summand.encode(model, x)).shape
    (2000, 16)
    """
    return _core.decode(model, codes, threads)


def lookup_table(model: Quantizer, query: VectorsLike, *, metric: Metric = "euclidean") -> LookupTable:
    """Tables of one query of shape (dimensions,): the score of a code is a sum of M entries and the offset.

    >>> model = summand.train(x, "PQ4")
    >>> table = summand.lookup_table(model, queries[0])
    >>> table.entries.shape
    (4, 256)
    >>> scores = table.scores(summand.encode(model, x).rows)
    >>> int(scores.argmin()) == int(summand.index_of_codes(model, summand.encode(model, x)).search(queries[0]).ids[0])
    True
    """
    return _core.lookup_table(model, as_vectors(query), metric)


def index_of_codes(model: Quantizer, codes: Codes, *, metric: Metric = "euclidean") -> Index:
    """An index that scans codes; ids are their row numbers.

    >>> model = summand.train(x, "PQ4")
    >>> summand.index_of_codes(model, summand.encode(model, x)).spec
    'PQ4'
    """
    return Index(_core.index_of_codes(model, codes, metric))


def parts_of_index(index: Index) -> tuple[Quantizer, Codes]:
    """Model and codes of an index without cells.

    >>> model, codes = summand.parts_of_index(index)
    >>> codes.rows.shape
    (2000, 4)
    """
    return _core.parts_of_index(index._core)


def exact_neighbors(
    vectors: VectorsLike,
    queries: VectorsLike,
    k: int = 10,
    *,
    metric: Metric = "euclidean",
    threads: int = 0,
    progress: Progress = None,
) -> Found:
    """The k nearest vectors of each query by brute force; ties go to the smaller id.

    >>> ids, scores = summand.exact_neighbors(x, queries, k=5)
    >>> ids.shape
    (100, 5)
    """
    base, asked = as_vectors(vectors), as_vectors(queries)
    with progress_hook(progress) as hook:
        ids, scores = _core.exact_neighbors(base, asked, k, metric, threads, hook)
    return Found(ids[0], scores[0]) if asked.single else Found(ids, scores)


def recall(found: Found | npt.ArrayLike, truth: npt.ArrayLike, answers: int, truths: int = 1) -> float:
    """Mean share of the ``truths`` nearest true neighbours that are among the first ``answers`` found.

    >>> truth, _ = summand.exact_neighbors(x, queries, k=10)
    >>> summand.recall(truth, truth, answers=10, truths=10)
    1.0
    """
    ids = found.ids if isinstance(found, Found) else found
    return _core.recall(as_ids(ids, "found"), as_ids(truth, "truth"), answers, truths)


def mean_average_precision(found: Found | npt.ArrayLike, truth: npt.ArrayLike, relevant: int = 100) -> float:
    """Mean average precision with the first ``relevant`` true neighbours as the relevant answers.

    >>> truth, _ = summand.exact_neighbors(x, queries, k=10)
    >>> summand.mean_average_precision(truth, truth, relevant=10)
    1.0
    """
    ids = found.ids if isinstance(found, Found) else found
    return _core.mean_average_precision(as_ids(ids, "found"), as_ids(truth, "truth"), relevant)


def distortion(model: Quantizer, vectors: VectorsLike, codes: Codes, *, threads: int = 0) -> float:
    """Mean squared distance of vectors to what their codes stand for.

    >>> model = summand.train(x, "PQ4")
    >>> summand.distortion(model, x, summand.encode(model, x)) < 16
    True
    """
    return _core.distortion(model, as_vectors(vectors), codes, threads)


def evaluate(
    index: Index,
    queries: VectorsLike,
    truth: npt.ArrayLike,
    k: int = 100,
    *,
    probes: int = 0,
    reach: float = 0,
    candidates: int = 0,
    refine: int | None = None,
    threads: int = 0,
) -> dict[str, Any]:
    """Recall at 1, 2, 5, 10 … k, mean average precision, times and sizes, as ``summand evaluate --json`` says them.

    >>> truth, _ = summand.exact_neighbors(x, queries, k=10)
    >>> report = summand.evaluate(index, queries, truth, k=10)
    >>> report["code_bytes"]
    4
    """
    text = index._core.evaluate(
        as_vectors(queries), as_ids(truth, "truth"), k, probes, reach, candidates, refine, threads
    )
    reports: list[dict[str, Any]] = json.loads(text)
    return reports[0]


def methods() -> list[Method]:
    """All methods, in the order they are shown to users.

    >>> summand.methods()[0].name
    'PQ'
    """
    return [Method(*method) for method in _core.methods()]


def read_vectors(path: str | os.PathLike[str]) -> Floats:
    """All vectors of a file, of shape (vectors, dimensions).

    >>> summand.write_vectors("x.fvecs", x)
    >>> summand.read_vectors("x.fvecs").shape
    (2000, 16)
    """
    return as_vectors(path).numpy()


def write_vectors(path: str | os.PathLike[str], vectors: VectorsLike) -> None:
    """Writes a file whose format the extension says: fvecs, bvecs, ivecs, fbin, u8bin, i8bin, ibin or npy."""
    _core.write_vectors(os.fspath(path), as_vectors(vectors))


def read_ids(path: str | os.PathLike[str]) -> Ids:
    """Ground truth or results: ivecs, ibin, npy or npz."""
    return _core.read_ids(os.fspath(path))


def write_ids(path: str | os.PathLike[str], ids: npt.ArrayLike) -> None:
    """Writes ids of shape (queries, k): ivecs, ibin or npy.

    >>> summand.write_ids("truth.ivecs", [[1, 2], [3, 4]])
    >>> summand.read_ids("truth.ivecs").tolist()
    [[1, 2], [3, 4]]
    """
    _core.write_ids(os.fspath(path), as_ids(ids, "ids"))


def file_info(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What ``summand info --json`` says of a file: an index, a model, codes, vectors and others.

    >>> index.save("index.smd")
    >>> summand.file_info("index.smd")["kind"]
    'index'
    """
    found: dict[str, Any] = json.loads(_core.describe_file(os.fspath(path)))
    return found


