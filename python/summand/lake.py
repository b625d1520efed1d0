"""An index as a Parquet table: written, changed and searched with pyarrow alone (docs/lake.md has the format).

>>> import pyarrow as pa, summand.lake
>>> table = pa.table({"id": range(len(x)), "vector": list(x)})
>>> model = summand.lake.train(x, "IVF16,PQ4")
>>> summand.lake.write_index(table, "lake", model=model)
>>> summand.lake.delete([3, 4], "lake")
>>> index = summand.open("lake")
>>> ids, scores = index.search(queries, k=10, probes=4)
>>> asked = pa.table({"query_id": range(100), "vector": list(queries)})
>>> summand.lake.search(asked, "lake", k=10, probes=4).column_names
['query_id', 'id', 'score', 'rank']

:mod:`summand.spark` has the same functions on Spark.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import _lake_table as files
from ._core import Error
from ._lake_batches import Packed, best, ids_of, rescored, row_columns, single, vectors_of
from ._lake_batches import encode as encode_batch
from ._lake_index import Lake, LakeIndex
from ._living import LivingIndex
from ._rows import RowModel, Rows
from ._types import Ids, VectorsLike

__all__ = [
    "Lake",
    "LakeIndex",
    "RowModel",
    "append",
    "compact",
    "delete",
    "encode",
    "export",
    "open",
    "search",
    "train",
    "write_index",
]

FILE_ROWS = 1_000_000
KEEP_SECONDS = 24 * 3600.0
RESERVED = ("id", "cell", "code", "bias", "vector")
#: The name under which the functions of this module know a model's training.
train = RowModel.train


def batches_of(data: Any) -> Iterator[pa.RecordBatch]:
    """Batches of a table, a reader or a dataset of pyarrow, or of anything that gives an Arrow stream."""
    if hasattr(data, "to_batches"):
        yield from data.to_batches()
    elif hasattr(data, "__arrow_c_stream__"):
        yield from pa.RecordBatchReader.from_stream(data)
    else:
        raise Error(f"lake: expected a table, reader or dataset of pyarrow, got {type(data).__name__}")


def kept_columns(schema: pa.Schema, keep: Sequence[str], before: dict[str, str], where: str) -> dict[str, str]:
    """Types of columns that are kept, with those of before. A type may not change, and a name not be one of ours."""
    columns = dict(before)
    for name in keep:
        if name in RESERVED:
            raise Error(f"{where}: a column {name} cannot be kept, the name has a meaning of its own")
        kind = schema.field(name).type
        kind = pa.string() if pa.types.is_large_string(kind) else kind
        try:
            known = pa.type_for_alias(str(kind)) == kind
        except ValueError:
            known = False
        if not known:
            raise Error(f"{where}: column {name}: expected a simple type to keep, got {kind}")
        if columns.setdefault(name, str(kind)) != str(kind):
            raise Error(f"{where}: column {name}: expected {columns[name]} as before, got {kind}")
    return columns


def in_order(table: pa.Table) -> pa.Table:
    """By cell, then by id: as rows lie in a file."""
    return table.take(pc.sort_indices(table, sort_keys=[("cell", "ascending"), ("id", "ascending")]))


def with_ids(batch: pa.RecordBatch, id: str, column: str, keep: Sequence[str], types: dict[str, str]) -> pa.RecordBatch:
    """The columns that are needed, ids checked and named ``id``."""
    columns = {"id": ids_of(batch.column(id), id), column: batch.column(column)}
    columns.update({name: batch.column(name).cast(pa.type_for_alias(types[name])) for name in keep})
    return pa.RecordBatch.from_pydict(columns)


def _written(
    tables: Iterable[pa.Table], folder: str, model: RowModel, commit: int, file_rows: int
) -> Iterator[files.FileEntry]:
    """Files of so many rows, each in the order of cells."""
    waiting: list[pa.Table] = []

    def flush() -> Iterator[files.FileEntry]:
        if waiting:
            entry = files.write_file(folder, "data", iter([in_order(pa.concat_tables(waiting))]), model, commit)
            waiting.clear()
            if entry is not None:
                yield entry

    for table in tables:
        for first in range(0, table.num_rows, file_rows):
            waiting.append(table.slice(first, file_rows))
            if sum(part.num_rows for part in waiting) >= file_rows:
                yield from flush()
    yield from flush()


def encode(table: pa.Table, column: str, model: RowModel, *, id: str | None = None) -> pa.Table:
    """The table with ``cell``, ``code`` and where the method has one ``bias`` instead of the column of vectors.

    It depends on each row alone, and may be what an engine maps over Arrow tables. ``id`` names rows in errors.

    >>> import pyarrow as pa
    >>> table = pa.table({"id": range(len(x)), "vector": list(x)})
    >>> summand.lake.encode(table, "vector", summand.lake.train(x, "IVF16,PQ4")).column_names
    ['id', 'cell', 'code']
    """
    whole = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
    return pa.Table.from_batches([part for batch in whole for part in encode_batch(model, batch, column, id)])


class _Source:
    """A table of vectors on its way into a lake. What is known of its columns grows as batches come."""

    def __init__(self, data: Any, column: str, id: str, keep: Sequence[str], before: files.Manifest) -> None:
        self.data, self.column, self.id, self.keep = data, column, id, keep
        self.columns = dict(before.columns)
        self.id_type = before.id
        self.ids: list[pa.Array] = []

    def encoded(self, folder: str, model: RowModel, vectors: bool) -> Iterator[pa.Table]:
        """Rows of the lake, without an order."""
        for batch in batches_of(self.data):
            self.columns = kept_columns(batch.schema, self.keep, self.columns, folder)
            given = with_ids(batch, self.id, self.column, self.keep, self.columns)
            kind = str(given.schema.field("id").type)
            self.id_type = self.id_type or kind
            if kind != self.id_type:
                raise Error(f"{folder}: column {self.id}: expected ids as {self.id_type}, got {kind}")
            self.ids.append(given.column("id"))
            for part in encode_batch(model, given, self.column, "id", vectors):
                yield pa.Table.from_batches([part])


def _add(
    source: _Source, folder: str, before: files.Manifest, model: RowModel, file_rows: int, replace: bool = False
) -> None:
    """Commits the rows of a source; those of ``before`` stay."""
    rows = source.encoded(folder, model, before.vectors)
    written = tuple(_written(rows, folder, model, before.commit + 1, file_rows))
    gone = _delete_file(folder, pa.concat_arrays(source.ids), model, before.commit + 1) if replace and source.ids else ()
    changes = {"id": source.id_type or "int64", "columns": source.columns}
    files.commit(folder, before, files=before.files + written, deletes=before.deletes + gone, **changes)


def _delete_file(folder: str, ids: pa.Array, model: RowModel, commit: int) -> tuple[files.FileEntry, ...]:
    entry = files.write_file(folder, "deletes", iter([pa.table({"id": pc.unique(ids)})]), model, commit)
    return () if entry is None else (entry,)


def started(folder: str, model: RowModel, vectors: bool, overwrite: bool) -> files.Manifest:
    """The manifest that a first commit goes on from; the lock is held."""
    if not files.is_lake(folder):
        return files.new_manifest(folder, model, "", vectors)
    if not overwrite:
        raise Error(f"{folder}: there is a lake already; use append, or overwrite=True to replace it")
    old = files.read_manifest(folder)
    if old.model["identity"] != model.identity:
        raise Error(f"{folder}: a lake keeps its model {old.model['identity']}; write to another folder")
    gone = ((entry.path, time.time()) for entry in (*old.files, *old.deletes))
    return files.Manifest(old.commit, old.model, "", vectors, retired=(*old.retired, *gone))


def write_index(
    data: Any,
    path: str | os.PathLike[str],
    *,
    model: RowModel,
    column: str = "vector",
    id: str = "id",
    keep: Sequence[str] = (),
    vectors: bool = False,
    overwrite: bool = False,
    file_rows: int = FILE_ROWS,
) -> None:
    """Writes the codes of a table's vectors as a new lake.

    ``data`` is a table, a reader or a dataset of pyarrow, read in batches. ``keep`` are columns to keep beside the
    codes, for filters; ``vectors`` keeps the vectors as 32-bit floats, for ``refine`` of searches. A lake that is there is
    an error, or replaced in one step.
    """
    folder = os.path.abspath(path)
    with files.writing(folder):
        before = started(folder, model, vectors, overwrite)
        _add(_Source(data, column, id, keep, before), folder, before, model, file_rows)


def append(
    data: Any,
    path: str | os.PathLike[str],
    *,
    column: str = "vector",
    id: str = "id",
    keep: Sequence[str] = (),
    replace: bool = False,
    file_rows: int = FILE_ROWS,
) -> None:
    """Adds vectors, in one step. Ids that are there already are found twice, or with ``replace`` once: the new vector."""
    folder = os.path.abspath(path)
    with files.writing(folder):
        lake = Lake(folder)
        source = _Source(data, column, id, keep, lake.manifest)
        _add(source, folder, lake.manifest, lake.model, file_rows, replace)


def delete(ids: Any, path: str | os.PathLike[str]) -> None:
    """Removes ids, in one step; those that are not there are no error."""
    folder = os.path.abspath(path)
    with files.writing(folder):
        lake = Lake(folder)
        column: Any = ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else pa.array(ids, lake.id_type)
        gone = ids_of(column, "id").cast(lake.id_type)
        entries = _delete_file(folder, gone, lake.model, lake.manifest.commit + 1)
        files.commit(folder, lake.manifest, deletes=lake.manifest.deletes + entries)


def compact(
    path: str | os.PathLike[str], *, file_rows: int = FILE_ROWS, keep_seconds: float = KEEP_SECONDS
) -> None:
    """Writes the live rows anew, in the order of cells across files, so that searches read few of them.

    Files that are not needed any more are removed once they have not been for ``keep_seconds``: longer than any search.
    """
    folder = os.path.abspath(path)
    with files.writing(folder):
        lake = Lake(folder)
        columns = [*lake.row_columns, *(["vector"] if lake.manifest.vectors else []), *lake.manifest.columns]
        tables = (lake.table(columns, cells) for cells in _ranges(lake, file_rows))
        written = tuple(_written(tables, folder, lake.model, lake.manifest.commit + 1, file_rows))
        after = files.commit(folder, lake.manifest, files=written, deletes=())
        remaining = files.remove_retired(folder, after, keep_seconds)
        if remaining.retired != after.retired:
            files.commit(folder, remaining)


def _ranges(lake: Lake, file_rows: int) -> Iterator[Ids]:
    """Runs of cells that hold about so many rows each."""
    counts = np.bincount(lake.table(["cell"]).column("cell").to_numpy(), minlength=max(1, lake.model.cells))
    run = np.cumsum(counts) // max(1, file_rows)
    for number in np.unique(run):
        yield np.flatnonzero(run == number)


def export(living: LivingIndex, path: str | os.PathLike[str]) -> None:
    """Writes the live vectors of an index in a folder as a new lake: codes are copied, not made again.

    >>> living = summand.LivingIndex.create("folder", x, "IVF16,PQ4")
    >>> added = living.add(x)
    >>> export(living, "exported")
    >>> len(summand.open("exported"))
    2000
    """
    folder = os.path.abspath(path)
    model = RowModel(living._core.row_model())
    tables: list[pa.Table] = []

    def take(ids: Any, rows: Any) -> None:
        tables.append(pa.table({"id": pa.array(ids), **row_columns(model, Rows(*rows))}))

    with files.writing(folder):
        before = started(folder, model, False, False)
        living._core.for_each_rows(take)
        written = tuple(_written(tables, folder, model, 1, FILE_ROWS))
        files.commit(folder, before, id="int64", files=written)


def open(
    path: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    queries: VectorsLike | None = None,
    probes: int = 0,
    reach: float = 0,
    filter: pc.Expression | None = None,
) -> LakeIndex:
    """Packs rows of a lake into a memory-mapped index on this machine, with the same answers.

    ``folder`` keeps its files; without it they are temporary. With ``queries`` only the cells that these visit are
    packed, which is enough for them. ``filter`` is an expression of pyarrow on columns of the lake.
    """
    lake = Lake(path)
    cells = None if queries is None else lake.visited(queries, probes, reach)
    return LakeIndex(lake, lake.table(lake.row_columns, cells, filter), folder)


def search(
    queries: pa.Table,
    path: str | os.PathLike[str],
    k: int = 10,
    probes: int = 16,
    *,
    column: str = "vector",
    query_id: str = "query_id",
    reach: float = 0,
    filter: pc.Expression | None = None,
    refine: int = 0,
) -> pa.Table:
    """The k best of each query as rows ``query_id, id, score, rank``, read from the cells that the queries visit.

    Ranks begin with 1. ``refine`` is how many candidates are scored again by their vectors, which the lake must keep.
    """
    lake = Lake(path)
    vectors = vectors_of(queries.column(column), lake.model.dimensions, column, single(queries.column(query_id)))
    keys = single(queries.column(query_id))
    probes = probes if lake.model.cells else 0
    cells = lake.visited(vectors, probes, reach) if len(vectors) else None
    if refine and not lake.manifest.vectors:
        raise Error(f"{lake.path}: refine needs the vectors, which are kept where the lake is written with vectors=True")
    packed = Packed.of(lake.model, lake.table(lake.row_columns, cells, filter))
    found = packed.search(vectors, max(k, refine), probes=probes, reach=reach, threads=0)
    answers = packed.answers(keys, *found)
    return _refined(lake, vectors, packed, found[0], keys, cells, k) if refine else answers


def _refined(
    lake: Lake, queries: Any, packed: Packed, places: Ids, keys: pa.Array, cells: Ids | None, k: int
) -> pa.Table:
    wanted = np.unique(places[places >= 0])
    ids = packed.ids.take(pa.array(wanted))
    rows = [t.filter(pc.is_in(t.column("id"), value_set=ids)) for t in _vector_tables(lake, cells)]
    table = pa.concat_tables([lake.schema(["id", "vector"]).empty_table(), *rows])
    found = table.column("id").combine_chunks()
    partial = []
    for query, own in enumerate(places):
        rows_of_query = table.take(pc.index_in(packed.ids.take(pa.array(own[own >= 0])), value_set=found))
        key = keys.take(pa.array(np.full(rows_of_query.num_rows, query)))
        partial.append(rescored(lake.model, queries[query], rows_of_query.append_column("query_id", key)))
    return best(pa.concat_tables(partial), k) if partial else packed.answers(keys, places, places.astype(np.float32))


def _vector_tables(lake: Lake, cells: Ids | None) -> Iterator[pa.Table]:
    for entry in lake.manifest.files:
        yield from lake.file_tables(entry, ["id", "vector"], cells)
