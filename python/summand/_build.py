"""From vectors to an index, in one call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core
from ._core import Error
from ._index import Index
from ._inputs import as_vectors, check_counts
from ._living import LivingIndex
from ._progress import progress_hook
from ._results import Estimate, Proposal
from ._types import Metric, Progress, VectorsLike

if TYPE_CHECKING:
    from ._lake_index import LakeIndex


def build(
    vectors: VectorsLike,
    spec: str = "",
    *,
    metric: Metric | None = None,
    seed: int = 1,
    learn: VectorsLike | None = None,
    learn_size: int = 0,
    path: str | os.PathLike[str] = "",
    checkpoint: str | os.PathLike[str] = "",
    threads: int = 0,
    progress: Progress = None,
) -> Index:
    """An index of vectors of shape (vectors, dimensions); ids are their row numbers.

    ``vectors`` may be

    - an array: 32-bit floats in rows are used without a copy; halves, bfloat16, doubles, integers and other strides are
      converted in pieces. Tensors of torch and others come through DLPack, lists of lists are rows;
    - an Arrow column of lists (pyarrow, polars), or a table with one;
    - a path: fvecs, fbin, npy, csv, Parquet (``"file.parquet:column"``) and others, read in pieces;
    - a dataset that gives slices (h5py), a Parquet file or dataset of pyarrow;
    - a function that returns a new iterator of batches whenever it is called, or an iterator, whose batches are kept in
      a temporary file.

    ``spec`` names a method and its bytes, and cells and a second layer where wanted: ``"LOCQ8"``,
    ``"IVF1024,LOCQ8,Refine(fp16)"``; empty: one is chosen to fit the memory of the vectors, and tuned. ``learn`` are vectors to learn
    from instead of these, ``learn_size`` how many are drawn. ``path`` is where the index will be saved, from which
    Refine(flat) finds the file of the vectors again. ``checkpoint`` is a file from which a build that was stopped goes
    on. ``progress`` is True for a bar, or a function (done, total) that may return False to stop.

    The same vectors, spec and seed give the same bytes, whatever the number of threads.

    >>> index = summand.build(x, "LOCQ4", metric="euclidean")
    >>> ids, scores = index.search(queries, k=10)
    """
    check_counts("build", seed=seed, learn_size=learn_size, threads=threads)
    with progress_hook(progress) as hook:
        built = _core.build(
            as_vectors(vectors),
            spec,
            metric,
            seed,
            None if learn is None else as_vectors(learn),
            learn_size,
            os.fspath(path),
            os.fspath(checkpoint),
            threads,
            hook,
        )
    return Index(built)


def open(path: str | os.PathLike[str] | bytes) -> Index | LivingIndex | LakeIndex:
    """Opens an index to search: its file, mapped, the folder of a living one, a lake, which is packed to be mapped, or the
    bytes of a file.

    :meth:`LivingIndex.open` opens a folder to write as well, :func:`summand.lake.open` packs a part of a lake.

    >>> index.save("index.smd")
    >>> summand.open("index.smd").spec
    'LOCQ4'
    """
    if isinstance(path, bytes):
        return Index.from_bytes(path)
    if os.path.isfile(os.path.join(path, "lake.json")):
        from . import lake

        return lake.open(path)
    return LivingIndex.open(path) if os.path.isdir(path) else Index.open(path)


def estimate_build(
    vectors: VectorsLike,
    spec: str = "",
    *,
    metric: Metric | None = None,
    learn: VectorsLike | None = None,
    learn_size: int = 0,
    threads: int = 0,
) -> Estimate:
    """What a build would take, from sizes and a moment of measuring this machine.

    >>> summand.estimate_build(x, "LOCQ4").search_bytes > 4 * len(x)
    True
    """
    found = _core.estimate(
        as_vectors(vectors), spec, metric, None if learn is None else as_vectors(learn), learn_size, threads
    )
    return Estimate(**found)


def propose(vectors: VectorsLike, memory: str | int, *, metric: Metric = "euclidean") -> Proposal:
    """A spec whose index fits ``memory`` (bytes, or text as "2G") when it is searched.

    >>> summand.propose(x, "1M").memory_bytes <= 1 << 20
    True
    """
    size = _core.parse_bytes(memory) if isinstance(memory, str) else memory
    if size < 0:
        raise Error(f"propose: expected memory as bytes or as '2G', got {memory!r}")
    return Proposal(*_core.propose(as_vectors(vectors), metric, size))
