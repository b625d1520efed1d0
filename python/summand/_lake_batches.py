"""What an index in a table does with Arrow batches, the same for every engine: pure functions of one thread."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ._core import Error
from ._index import Index
from ._lake_table import FileEntry, Manifest, open_file
from ._rows import RowModel, Rows
from ._searched import Filter
from ._types import Floats, Ids

ENCODED_AT_ONCE = 16384  # rows whose floats are held
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)


def single(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return column


def _key(keys: pa.Array | None, row: int) -> str:
    return f"row {row}" if keys is None else f"the row with the key {keys[row].as_py()!r}"


def vectors_of(column: pa.Array, dimensions: int, name: str, keys: pa.Array | None = None) -> Floats:
    """Vectors of a column of lists of numbers. What is wrong with one is told with its key."""
    column = single(column)
    if not any(is_list(column.type) for is_list in _LISTS) or not (
        pa.types.is_floating(column.type.value_type) or pa.types.is_integer(column.type.value_type)
    ):
        raise Error(f"column {name}: expected lists of numbers, got {column.type}")
    if column.null_count:
        row = int(np.argmin(column.is_valid().to_numpy(zero_copy_only=False)))
        raise Error(f"column {name}: {_key(keys, row)} has no vector (null)")
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    wrong = np.flatnonzero(lengths != dimensions)
    if len(wrong):
        row = int(wrong[0])
        raise Error(f"column {name}: {_key(keys, row)} has {lengths[row]} values, expected {dimensions}")
    values = column.flatten()
    if values.null_count:
        row = int(np.argmin(values.is_valid().to_numpy(zero_copy_only=False))) // dimensions
        raise Error(f"column {name}: {_key(keys, row)} has a value that is null")
    vectors: Floats = values.to_numpy(zero_copy_only=False).astype(np.float32, copy=False).reshape(-1, dimensions)
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise Error(f"column {name}: {_key(keys, row)} has a value that is not finite as a 32-bit float")
    return vectors


def lists_of(vectors: Floats) -> pa.Array:
    """A column of vectors."""
    return pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])


def row_columns(model: RowModel, rows: Rows) -> dict[str, pa.Array]:
    """Rows as columns. Without cells, all are in cell 0."""
    codes = np.ascontiguousarray(rows.codes)
    cells = np.zeros(len(codes), np.int32) if rows.cells is None else rows.cells.view(np.int32)
    data = [None, pa.py_buffer(codes)]
    columns = {
        "cell": pa.array(cells),
        "code": pa.FixedSizeBinaryArray.from_buffers(pa.binary(model.code_bytes), len(codes), data),
    }
    if model.stores_bias:
        columns["bias"] = pa.array(np.zeros(0, np.float32) if rows.bias is None else rows.bias)
    return columns


def encoded_columns(
    model: RowModel, vectors: Floats, keys: pa.Array | None, name: str
) -> dict[str, pa.Array]:
    """The columns cell, code and perhaps bias of vectors."""
    try:
        rows = model.encode(vectors, threads=1)
    except Error as error:
        if len(vectors) > 1:  # a vector that has no direction, or is too long: which one?
            for row in range(len(vectors)):
                encoded_columns(model, vectors[row : row + 1], None if keys is None else keys[row : row + 1], name)
            raise
        raise Error(f"column {name}: {_key(keys, 0)}: {error}") from None
    return row_columns(model, rows)


def encode(
    model: RowModel, batch: pa.RecordBatch, column: str, id: str | None, keep_vectors: bool = False
) -> Iterator[pa.RecordBatch]:
    """The batch with cells and codes instead of its vectors, in pieces; with ``keep_vectors`` also with these."""
    for first in range(0, max(1, batch.num_rows), ENCODED_AT_ONCE):
        part = batch.slice(first, ENCODED_AT_ONCE)
        keys = None if id is None else part.column(id)
        vectors = vectors_of(part.column(column), model.dimensions, column, keys)
        columns = {name: part.column(name) for name in part.schema.names if name != column}
        columns.update(encoded_columns(model, vectors, keys, column))
        if keep_vectors:
            columns["vector"] = lists_of(vectors)
        yield pa.RecordBatch.from_pydict(columns)


def ids_of(column: pa.Array, name: str) -> pa.Array:
    """Ids of a table: 64-bit integers from 0 on, or strings."""
    column = single(column)
    if column.null_count:
        raise Error(f"column {name}: expected an id in every row, got null")
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return column.cast(pa.string())
    if not pa.types.is_integer(column.type):
        raise Error(f"column {name}: expected ids as whole numbers or strings, got {column.type}")
    column = column.cast(pa.int64())
    if len(column) and pc.min(column).as_py() < 0:
        raise Error(f"column {name}: expected ids from 0 on, got {pc.min(column).as_py()}")
    return column


def read_file(
    folder: str, kind: str, entry: FileEntry, manifest: Manifest, columns: Sequence[str], cells: Ids | None = None
) -> Iterator[pa.Table]:
    """Rows of a file, of the row groups that may hold one of the ``cells``. A column that it has not is null."""
    with open_file(folder, kind, entry, manifest) as file:
        own = [name for name in columns if name in file.schema_arrow.names]
        place = file.schema_arrow.names.index("cell") if kind == "data" else 0
        for group in range(file.metadata.num_row_groups):
            statistics = file.metadata.row_group(group).column(place).statistics
            if cells is not None and statistics is not None and statistics.has_min_max:
                first, last = np.searchsorted(cells, [statistics.min, statistics.max + 1])
                if first == last:
                    continue
            try:
                table = file.read_row_group(group, columns=own, use_threads=False)
            except (OSError, pa.ArrowException) as error:
                raise Error(f"{os.path.join(folder, entry.path)}: row group {group} is damaged ({error})") from None
            if cells is not None:
                table = table.filter(pc.is_in(table.column("cell"), value_set=pa.array(cells, pa.int32())))
            yield table.replace_schema_metadata(None)


def rows_of(model: RowModel, table: pa.Table) -> Rows:
    """The rows of a table."""
    size, width = table.num_rows, model.code_bytes
    column = single(table.column("code"))
    if pa.types.is_fixed_size_binary(column.type) and column.type.byte_width == width and not column.null_count:
        data = np.frombuffer(column.buffers()[1], np.uint8, size * width, column.offset * width)
    else:
        lengths = pc.binary_length(column).to_numpy(zero_copy_only=False)
        if column.null_count or not (lengths == width).all():
            raise Error(f"column code: expected {width} bytes in every row")
        data = np.frombuffer(column.cast(pa.binary(width)).buffers()[1], np.uint8, size * width)
    cells = single(table.column("cell")).to_numpy(zero_copy_only=False).astype(np.int32, copy=False).view(np.uint32)
    bias = single(table.column("bias")).to_numpy(zero_copy_only=False) if model.stores_bias else None
    return Rows(
        np.ascontiguousarray(cells) if model.cells else None,
        data.reshape(size, width),
        None if bias is None or not size else np.ascontiguousarray(bias, np.float32),
    )


class Packed:
    """Rows as an index, in the order of their ids; its answers are their places in ``ids``."""

    def __init__(self, index: Index, ids: pa.Array) -> None:
        self.index = index
        self.ids = ids

    @staticmethod
    def of(model: RowModel, table: pa.Table) -> Packed:
        """Of rows in any order."""
        table = table.take(pc.sort_indices(table.column("id")))
        return Packed(model.index_of(rows_of(model, table)), single(table.column("id")))

    def search(
        self, queries: Floats, k: int, *, probes: int = 0, reach: float = 0, rows: Filter | None = None, threads: int = 1
    ) -> tuple[Ids, Floats]:
        """Places and scores of shape (queries, k); -1 and infinity where there are fewer."""
        if not len(self.ids) or not len(queries):
            shape = (len(queries), k)
            return np.full(shape, -1, np.int64), np.full(shape, np.inf, np.float32)
        found = self.index.search(queries, k, probes=probes, reach=reach, filter=rows, threads=threads)
        return found.ids, found.scores

    def answers(self, keys: pa.Array, places: Ids, scores: Floats) -> pa.Table:
        """Answers as rows ``query_id, id, score, rank``, those of a query together, the best first."""
        there = places >= 0
        queries, ranks = np.nonzero(there)
        return pa.table(
            {
                "query_id": keys.take(pa.array(queries)),
                "id": self.ids.take(pa.array(places[there])),
                "score": pa.array(scores[there]),
                "rank": pa.array((ranks + 1).astype(np.int32)),
            }
        )


def visits(model: RowModel, queries: Floats, probes: int, reach: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Which query visits which cell: numbers of queries and cells, a pair for each visit."""
    begin, cells = model.visited(queries, probes=probes, reach=reach, threads=1)
    return np.repeat(np.arange(len(queries)), np.diff(begin)), cells.view(np.int32)


def best(answers: pa.Table, k: int) -> pa.Table:
    """The k best answers of each query of several partial ones, the best first; equal scores by id."""
    order = [("query_id", "ascending"), ("score", "ascending"), ("id", "ascending")]
    answers = answers.take(pc.sort_indices(answers, sort_keys=order))
    if not answers.num_rows:
        return answers.append_column("rank", pa.array([], pa.int32()))
    keys = single(answers.column("query_id"))
    new = np.ones(len(keys), bool)
    new[1:] = pc.not_equal(keys[1:], keys[:-1]).to_numpy(zero_copy_only=False)
    begin = np.flatnonzero(new)
    ranks = np.arange(len(keys)) - np.repeat(begin, np.diff(np.append(begin, len(keys)))) + 1
    ranked = answers.append_column("rank", pa.array(ranks.astype(np.int32)))
    return ranked.filter(pa.array(ranks <= k))


def rescored(model: RowModel, query: Floats, candidates: pa.Table) -> pa.Table:
    """Candidates ``query_id, id, vector`` of one query with the scores of their vectors."""
    vectors = vectors_of(candidates.column("vector"), model.dimensions, "vector", single(candidates.column("id")))
    scores = pa.array(model.exact_scores(query, vectors))
    return pa.table({"query_id": candidates.column("query_id"), "id": candidates.column("id"), "score": scores})
