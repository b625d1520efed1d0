"""The files of an index that is a Parquet table: the manifest that names all others, and how they change (docs/lake.md).

A commit writes new files beside the old ones and then replaces the manifest: temporary file, fsync, rename. What is not
named by it is not there, so a job that fails leaves the last state, and attempts that were repeated leave no rows twice.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import struct
import time
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ._core import Error
from ._rows import RowModel

VERSION = 1
MANIFEST = "lake.json"
MODEL = "model.smd"
ROW_GROUP = 16384
_MODEL_KEY, _KIND_KEY = b"summand.model", b"summand.kind"


@dataclass(frozen=True)
class FileEntry:
    """A Parquet file: how much is in it, and what tells it from any other."""

    path: str  # from the folder of the lake
    commit: int  # that added it; removals concern files of earlier ones
    rows: int
    bytes: int
    footer_crc32: int
    cells: tuple[int, int] = (0, 0)  # the smallest and the largest

    @staticmethod
    def of(content: dict[str, Any]) -> FileEntry:
        """From what ``asdict`` and JSON have made of it."""
        return FileEntry(**{**content, "cells": tuple(content["cells"])})


@dataclass(frozen=True)
class Manifest:
    """All that a lake is at one moment."""

    commit: int
    model: dict[str, Any]
    id: str  # int64 or string
    vectors: bool = False  # whether rows have their vectors
    columns: dict[str, str] = field(default_factory=dict)  # others that were kept, and their types
    files: tuple[FileEntry, ...] = ()
    deletes: tuple[FileEntry, ...] = ()
    retired: tuple[tuple[str, float], ...] = field(default=())  # files of earlier commits, and since when

    @property
    def rows(self) -> int:
        """Rows of all files, those that were removed since included."""
        return sum(entry.rows for entry in self.files)


def is_lake(path: str | os.PathLike[str]) -> bool:
    """Whether there is a lake at that path."""
    return os.path.isfile(os.path.join(path, MANIFEST))


def _checksum(content: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def read_manifest(folder: str) -> Manifest:
    """The manifest that is there now."""
    path = os.path.join(folder, MANIFEST)
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        expected = content.pop("crc32")
        if content["format"] != "summand-lake":
            raise KeyError("format")
    except FileNotFoundError:
        raise Error(f"{path}: there is no such file, expected a lake") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Error(f"{path}: expected the manifest of a lake ({type(error).__name__}: {error})") from None
    if content["version"] != VERSION:
        raise Error(f"{path}: expected version {VERSION}, got {content['version']}")
    if _checksum(content) != expected:
        raise Error(f"{path}: the checksum is {expected}, but that of the content {_checksum(content)}")
    for name in ("format", "version", "crc32"):
        content.pop(name, None)
    for name in ("files", "deletes"):
        content[name] = tuple(FileEntry.of(entry) for entry in content[name])
    content["retired"] = tuple((str(name), float(since)) for name, since in content["retired"])
    return Manifest(**content)


def read_model(folder: str, manifest: Manifest) -> RowModel:
    """The model of a lake, which must be the one that the manifest names."""
    path = os.path.join(folder, MODEL)
    with open(path, "rb") as file:
        data = file.read()
    if zlib.crc32(data) != manifest.model["crc32"]:
        raise Error(f"{path}: the checksum is not the one in {MANIFEST}")
    model = RowModel.from_bytes(data, manifest.model["metric"], manifest.model["seed"])
    if model.identity != manifest.model["identity"]:
        raise Error(f"{path}: expected the model {manifest.model['identity']}, got {model.identity}")
    return model


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_whole(path: str, data: bytes) -> None:
    temporary = f"{path}.{uuid.uuid4().hex}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(os.path.dirname(path))


def new_manifest(folder: str, model: RowModel, id_type: str, vectors: bool) -> Manifest:
    """Makes the folder with its model; the lake is there with the first commit."""
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    os.makedirs(os.path.join(folder, "deletes"), exist_ok=True)
    data = model.to_bytes()
    _write_whole(os.path.join(folder, MODEL), data)
    description = {
        "identity": model.identity,
        "crc32": zlib.crc32(data),
        "spec": model.spec,
        "metric": model.metric,
        "seed": model.seed,
        "dimensions": model.dimensions,
        "cells": model.cells,
        "code_bytes": model.code_bytes,
        "bias": model.stores_bias,
    }
    return Manifest(0, description, id_type, vectors)


def commit(folder: str, before: Manifest, **changes: Any) -> Manifest:
    """Replaces the manifest. Files that it names no more are retired, and stay for those who read them."""
    after = replace(before, commit=before.commit + 1, **changes)
    named = {entry.path for entry in (*after.files, *after.deletes)}
    gone = [entry.path for entry in (*before.files, *before.deletes) if entry.path not in named]
    after = replace(after, retired=(*after.retired, *((path, time.time()) for path in gone)))
    content = json.loads(json.dumps({"format": "summand-lake", "version": VERSION, **asdict(after)}))
    content["crc32"] = _checksum(content)
    _write_whole(os.path.join(folder, MANIFEST), (json.dumps(content, indent=1) + "\n").encode())
    return after


@contextlib.contextmanager
def writing(folder: str) -> Iterator[None]:
    """Holds the lock of a lake: one writer at a time, free again however it ends."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Error(f"{folder}: another writer changes this lake now") from None
        yield


def remove_retired(folder: str, manifest: Manifest, keep_seconds: float) -> Manifest:
    """Removes what no reader may need any more: files that were retired so long ago, and those that no commit named."""
    limit = time.time() - keep_seconds
    kept = tuple((path, since) for path, since in manifest.retired if since > limit)
    named = {entry.path for entry in (*manifest.files, *manifest.deletes)} | {path for path, _ in kept}
    for kind in ("data", "deletes"):
        for entry in os.scandir(os.path.join(folder, kind)):
            if f"{kind}/{entry.name}" not in named and entry.stat().st_mtime <= limit:
                os.unlink(entry.path)
    return replace(manifest, retired=kept)


def _footer_crc32(path: str, size: int) -> int:
    with open(path, "rb") as file:
        file.seek(max(0, size - 8))
        length = struct.unpack("<I", file.read(8)[:4].rjust(4, b"\0"))[0]
        file.seek(max(0, size - 8 - length))
        return zlib.crc32(file.read())


def write_file(folder: str, kind: str, batches: Iterator[pa.Table], model: RowModel, commit: int) -> FileEntry | None:
    """Writes a file of rows (``data``) or of removed ids (``deletes``); None where there are none.

    It appears whole, under a name that nobody else has, and belongs to the lake once a commit names it.
    """
    first = next((batch for batch in batches if batch.num_rows), None)
    if first is None:
        return None
    name = f"{kind}/{uuid.uuid4().hex}.parquet"
    path = os.path.join(folder, name)
    metadata = {_MODEL_KEY: model.identity.encode(), _KIND_KEY: kind.encode()}
    schema = first.schema.with_metadata(metadata)
    rows, smallest, largest = 0, 2**32, 0
    try:
        with open(path + ".tmp", "wb") as file:
            with pq.ParquetWriter(
                file, schema, compression="zstd", write_page_checksum=True, use_dictionary=_repeated(schema)
            ) as writer:
                for batch in _chain(first, batches):
                    writer.write_table(batch.cast(schema), row_group_size=ROW_GROUP)
                    rows += batch.num_rows
                    if kind == "data":
                        cells = batch.column("cell").to_numpy()
                        smallest, largest = min(smallest, int(cells.min())), max(largest, int(cells.max()))
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".tmp", path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path + ".tmp")
        raise
    _sync_folder(os.path.dirname(path))
    size = os.path.getsize(path)
    cells = (smallest, largest) if kind == "data" else (0, 0)
    return FileEntry(name, commit, rows, size, _footer_crc32(path, size), cells)


def _repeated(schema: pa.Schema) -> list[str]:
    """Columns whose values come again and again."""
    return [name for name in schema.names if name not in ("id", "code", "bias", "vector")]


def _chain(first: pa.Table, others: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from (table for table in others if table.num_rows)


def open_file(folder: str, kind: str, entry: FileEntry, manifest: Manifest) -> pq.ParquetFile:
    """A file that the manifest names, checked against it; its pages are checked as they are read."""
    path = os.path.join(folder, entry.path)
    try:
        size = os.path.getsize(path)
    except FileNotFoundError:
        raise Error(f"{path}: the file is missing") from None
    if size != entry.bytes:
        raise Error(f"{path}: expected {entry.bytes} bytes, got {size}")
    if _footer_crc32(path, size) != entry.footer_crc32:
        raise Error(f"{path}: the checksum of the footer is not the one in {MANIFEST}")
    file = pq.ParquetFile(path, page_checksum_verification=True)
    metadata = file.schema_arrow.metadata or {}
    identity = metadata.get(_MODEL_KEY, b"").decode()
    if identity != manifest.model["identity"] or metadata.get(_KIND_KEY, b"").decode() != kind:
        raise Error(f"{path}: expected {kind} of the model {manifest.model['identity']}, got those of {identity or 'none'}")
    return file
