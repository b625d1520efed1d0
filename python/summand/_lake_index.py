"""A lake as it was when it was opened, and rows of it as an index on this machine."""

from __future__ import annotations

import functools
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._core import Error
from ._index import Index
from ._inputs import as_vectors
from ._lake_batches import Packed, ids_of, read_file, single
from ._lake_table import FileEntry, Manifest, read_manifest, read_model
from ._results import Found
from ._rows import RowModel
from ._searched import Filter
from ._types import Ids, VectorsLike


class Lake:
    """The rows of a lake at one commit. It stays as it is while others add, remove and compact."""

    def __init__(self, path: str | os.PathLike[str], manifest: Manifest | None = None) -> None:
        self.path = os.path.abspath(os.fspath(path))
        self.manifest = read_manifest(self.path) if manifest is None else manifest
        self._removed: dict[int, pa.Array] = {}

    @functools.cached_property
    def model(self) -> RowModel:
        """The model that made its codes."""
        return read_model(self.path, self.manifest)

    @property
    def id_type(self) -> pa.DataType:
        """Of ids: int64 or string."""
        return pa.type_for_alias(self.manifest.id)

    @property
    def row_columns(self) -> list[str]:
        """The columns that make an index."""
        return ["id", "cell", "code", *(["bias"] if self.manifest.model["bias"] else [])]

    def schema(self, columns: Sequence[str]) -> pa.Schema:
        """Types of columns; an error for one that no file has."""
        model = self.manifest.model
        known = {"id": self.id_type, "cell": pa.int32(), "code": pa.binary(model["code_bytes"])}
        if model["bias"]:
            known["bias"] = pa.float32()
        if self.manifest.vectors:
            known["vector"] = pa.list_(pa.float32(), model["dimensions"])
        known.update({name: pa.type_for_alias(kind) for name, kind in self.manifest.columns.items()})
        for name in columns:
            if name not in known:
                raise Error(f"{self.path}: there is no column {name}, only {', '.join(known)}")
        return pa.schema([(name, known[name]) for name in columns])

    def removed_since(self, commit: int) -> pa.Array:
        """Ids that were removed after a commit."""
        if commit not in self._removed:
            later = [entry for entry in self.manifest.deletes if entry.commit > commit]
            tables = [t for e in later for t in read_file(self.path, "deletes", e, self.manifest, ["id"])]
            empty = pa.schema([("id", self.id_type)]).empty_table()
            self._removed[commit] = pa.concat_tables([empty, *tables]).column("id").combine_chunks()
        return self._removed[commit]

    def file_tables(self, entry: FileEntry, columns: Sequence[str], cells: Ids | None = None) -> Iterator[pa.Table]:
        """Rows of a file that were not removed, of some cells; columns that the file lacks are null."""
        schema = self.schema(columns)
        read = list(dict.fromkeys([*columns, "id", "cell"]))
        removed = self.removed_since(entry.commit)
        for table in read_file(self.path, "data", entry, self.manifest, read, cells):
            if len(removed):
                table = table.filter(pc.invert(pc.is_in(table.column("id"), value_set=removed)))
            for name in columns:
                if name not in table.schema.names:
                    table = table.append_column(name, pa.nulls(table.num_rows, schema.field(name).type))
            yield table.select(columns).cast(schema)

    def table(
        self, columns: Sequence[str], cells: Ids | None = None, filter: pc.Expression | None = None
    ) -> pa.Table:
        """All live rows, of some cells, as a table in memory."""
        read = list(columns) if filter is None else list(dict.fromkeys([*columns, *self.manifest.columns]))
        tables = [self.schema(read).empty_table()]
        for entry in self.manifest.files:
            if cells is None or np.searchsorted(cells, entry.cells[0]) < np.searchsorted(cells, entry.cells[1] + 1):
                tables += self.file_tables(entry, read, cells)
        whole = pa.concat_tables(tables)
        return whole if filter is None else whole.filter(filter).select(columns)

    def visited(self, queries: VectorsLike, probes: int, reach: float) -> Ids | None:
        """The cells that any of the queries visits, ascending; None: all."""
        if not self.model.cells:
            return None
        return np.unique(self.model.visited(queries, probes=probes, reach=reach)[1]).astype(np.int64)


class LakeIndex:
    """Rows of a lake as a memory-mapped index on this machine; its answers are those of one index of these vectors.

    ``ids`` of answers are those of the lake, and where they are strings an array of objects with None in place of -1.
    """

    def __init__(self, lake: Lake, table: pa.Table, folder: str | os.PathLike[str] | None = None) -> None:
        if folder is None:
            temporary = tempfile.TemporaryDirectory(prefix="summand-lake-")
            weakref.finalize(self, temporary.cleanup)
            folder = temporary.name
        os.makedirs(folder, exist_ok=True)
        packed = Packed.of(lake.model, table)
        self.path = lake.path
        self.model = lake.model
        self._packed = map_packed(*save_packed(packed, folder))

    @property
    def index(self) -> Index:
        """The index itself; its ids are places in :attr:`ids`."""
        return self._packed.index

    @property
    def ids(self) -> pa.Array:
        """The ids of its rows, ascending."""
        return self._packed.ids

    def search(
        self,
        queries: VectorsLike,
        k: int = 10,
        *,
        probes: int = 0,
        reach: float = 0,
        filter: Iterable[Any] | None = None,
        threads: int = 0,
    ) -> Found:
        """The k best of each query, among the ids of ``filter`` where there is one; see :meth:`summand.Index.search`."""
        given = as_vectors(queries)
        asked = given.numpy()
        rows = None if filter is None else self._rows(filter)
        places, scores = self._packed.search(asked, k, probes=probes, reach=reach, rows=rows, threads=threads)
        absent = -1 if pa.types.is_integer(self.ids.type) else None
        known = self.ids.to_numpy(zero_copy_only=False)
        named = np.full(places.shape, absent, known.dtype)
        named[places >= 0] = known[places[places >= 0]]
        return Found(named[0], scores[0]) if given.single else Found(named, scores)

    def _rows(self, ids: Iterable[Any]) -> Filter:
        wanted: Any = ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else pa.array(list(ids), self.ids.type)
        return Filter(pc.is_in(self.ids, value_set=ids_of(wanted, "filter")).to_numpy(zero_copy_only=False))

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<summand.LakeIndex {self.model.spec}: {len(self):,} vectors of {self.path}, {self.model.metric}>"


def save_packed(packed: Packed, folder: str | os.PathLike[str]) -> tuple[str, str]:
    """Writes index and ids as two files that can be mapped."""
    files = os.path.join(folder, "index.smd"), os.path.join(folder, "ids.arrow")
    packed.index.save(files[0])
    table = pa.table({"id": packed.ids})
    with pa.OSFile(files[1], "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return files


def map_packed(index: str, ids: str) -> Packed:
    """What was saved, mapped."""
    with pa.memory_map(ids) as source:
        column = pa.ipc.open_file(source).read_all().column("id")
    return Packed(Index.open(index), single(column))
