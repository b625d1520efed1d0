"""Vectors as users have them, made into what the library reads.

Arrays of 32-bit floats in rows are used where they are. Everything else is read or converted in pieces, so that a base
larger than memory needs a piece of memory only.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Error, Vectors
from ._types import Ids, VectorsLike

_BATCH_ROWS = 65536


def as_vectors(vectors: VectorsLike | Vectors) -> Vectors:
    """Vectors of any form."""
    given: Any = vectors
    if isinstance(given, np.ndarray):
        return _of_array(given)
    if isinstance(given, Vectors):
        return given
    if isinstance(given, (str, os.PathLike)):
        return _of_path(os.fspath(given))
    if hasattr(given, "__arrow_c_stream__"):
        return Vectors.arrow_stream(given.__arrow_c_stream__())
    if hasattr(given, "__arrow_c_array__"):
        return Vectors.arrow_array(*given.__arrow_c_array__())
    if hasattr(given, "iter_batches"):  # pyarrow.parquet.ParquetFile
        return _of_parquet_file(given, "Parquet file", None)
    if hasattr(given, "to_batches") and hasattr(given, "count_rows"):  # pyarrow.dataset.Dataset
        return _of_dataset(given)
    if hasattr(given, "__dlpack__"):
        return _of_tensor(given)
    if hasattr(given, "shape") and hasattr(given, "dtype") and hasattr(given, "__getitem__"):  # h5py, zarr
        return _of_slices(given)
    if callable(given):
        begin: Any = given
        return _of_batches(begin, "batches")
    if isinstance(given, Iterator):
        return _of_iterator(given)
    return _of_sequence(given)


def _of_array(array: npt.NDArray[Any]) -> Vectors:
    if array.dtype.name == "bfloat16":  # of ml_dtypes, which NumPy cannot hand on
        return Vectors.array(array.view(np.uint16), bfloat16_bits=True)
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise Error(f"vectors: expected numbers, got an array of {array.dtype}")
    if not array.dtype.isnative:
        return _of_slices(array)
    return Vectors.array(array)


def _of_tensor(tensor: Any) -> Vectors:
    try:
        return Vectors.array(tensor)
    except TypeError:
        raise Error(
            f"vectors: {type(tensor).__module__}.{type(tensor).__name__} gave no array; "
            "expected one in the memory of the CPU that needs no gradient"
        ) from None


def _of_slices(array: Any) -> Vectors:
    """Whatever has a shape and gives rows as arrays: read a piece at a time."""
    if len(array.shape) != 2:
        raise Error(f"vectors: expected an array of 2 dimensions, got {len(array.shape)}")
    rows, columns = array.shape
    return Vectors.function(
        rows, columns, lambda first, count: _of_sequence(array[first : first + count]), getattr(array, "name", "vectors")
    )


def _of_sequence(given: Any) -> Vectors:
    try:
        array = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise Error(f"vectors: expected rows of numbers, got {type(given).__name__} ({error})") from None
    return Vectors.array(array)


def _of_path(path: str) -> Vectors:
    file, _, column = path.partition(".parquet:")
    if column:
        return _of_parquet(file + ".parquet", column)
    if path.endswith(".parquet"):
        return _of_parquet(path, None)
    return Vectors.file(path)


def _of_parquet(path: str, column: str | None) -> Vectors:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise Error(f"{path}: Parquet files are read through pyarrow, which is not installed") from None
    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise Error(f"{path}: {error}") from None
    return _of_parquet_file(file, path, None if column is None else [column])


def _of_parquet_file(file: Any, name: str, columns: list[str] | None) -> Vectors:
    """One group of rows after the other: pyarrow fetches all that it is asked for at once."""

    def batches() -> Iterator[Any]:
        for group in range(file.num_row_groups):
            yield from file.iter_batches(_BATCH_ROWS, row_groups=[group], columns=columns)

    return _of_batches(batches, name, file.metadata.num_rows)


def _of_dataset(dataset: Any) -> Vectors:
    """Without what pyarrow reads ahead: many pieces of 4 files, and whole files of Parquet."""
    options: dict[str, Any] = {"batch_size": 8192, "batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}
    if getattr(getattr(dataset, "format", None), "default_extname", "") == "parquet":
        from pyarrow.dataset import ParquetFragmentScanOptions

        options["fragment_scan_options"] = ParquetFragmentScanOptions(pre_buffer=False)
    return _of_batches(lambda: dataset.to_batches(**options), "dataset", dataset.count_rows())


def _of_batches(begin: Callable[[], Iterable[Any]], name: str, rows: int | None = None) -> Vectors:
    """Batches that can be begun again: read from the start whenever earlier rows are asked for."""
    reader = _BatchReader(begin, name)
    return Vectors.function(reader.count() if rows is None else rows, reader.columns(), reader.read, name)


def _of_iterator(batches: Iterator[Any]) -> Vectors:
    """Batches that come once: kept in a temporary file without a name, which goes with the last reader."""
    columns = 0
    with tempfile.TemporaryFile() as file:
        for batch in batches:
            part = as_vectors(batch).numpy()
            if columns not in (0, part.shape[1]):
                raise Error(f"batches: expected rows of {columns} values as in the first batch, got {part.shape[1]}")
            columns = part.shape[1]
            part.tofile(file)
        if not columns:
            raise Error("batches: expected at least one, got none")
        file.flush()
        return Vectors.array(np.memmap(file, dtype=np.float32, mode="r").reshape(-1, columns))


class _BatchReader:
    """Rows of batches by number."""

    def __init__(self, begin: Callable[[], Iterable[Any]], name: str) -> None:
        self._begin = begin
        self._name = name
        self._columns = 0
        self._restart()

    def _restart(self) -> None:
        self._batches = iter(self._begin())
        self._batch: npt.NDArray[np.float32] | None = None
        self._batch_begin = 0

    def _next(self) -> bool:
        if self._batch is not None:
            self._batch_begin += len(self._batch)
        batch = next(self._batches, None)
        self._batch = None if batch is None else as_vectors(batch).numpy()
        if self._batch is None:
            return False
        self._columns = self._columns or self._batch.shape[1]
        if self._batch.shape[1] != self._columns:
            raise Error(
                f"{self._name}: expected rows of {self._columns} values as in the first batch, got {self._batch.shape[1]}"
            )
        return True

    def count(self) -> int:
        self._restart()
        while self._next():
            pass
        return self._batch_begin

    def columns(self) -> int:
        self._restart()
        if not self._next() or self._batch is None:
            raise Error(f"{self._name}: expected at least one batch, got none")
        return self._columns

    def read(self, first: int, count: int) -> Vectors:
        if first < self._batch_begin or self._batch is None:
            self._restart()
        parts = []
        while count > 0:
            if self._batch is None or first >= self._batch_begin + len(self._batch):
                if not self._next():
                    raise Error(f"{self._name}: ended before row {first}; expected the same rows in every pass")
                continue
            part = self._batch[first - self._batch_begin :][:count]
            parts.append(part)
            first += len(part)
            count -= len(part)
        return Vectors.array(parts[0] if len(parts) == 1 else np.concatenate(parts))


def check_counts(what: str, **counts: int | None) -> None:
    """Throws for a number below zero, which the library's numbers cannot be."""
    for name, count in counts.items():
        if count is not None and count < 0:
            raise Error(f"{what}: expected {name} from 0 on, got {count}")


def as_ids(given: npt.ArrayLike, what: str) -> Ids:
    """Rows of ids."""
    if isinstance(given, (str, os.PathLike)):
        return _core.read_ids(os.fspath(given))
    array = np.asarray(given)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise Error(f"{what}: expected ids as whole numbers in rows, got {array.ndim} dimensions of {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.int64)


def as_number_ids(given: npt.ArrayLike, what: str) -> Ids:
    """Ids of an index in memory or in a file, which are numbers."""
    listed = as_id_list(given, what)
    if isinstance(listed, list):
        raise Error(f"{what}: expected ids as whole numbers, got texts; a LivingIndex has texts as ids")
    return listed


def as_id_list(given: npt.ArrayLike, what: str) -> Ids | list[str]:
    """Ids in one dimension, numbers or texts; a single one counts as a list of it."""
    array = np.atleast_1d(np.asarray(given))
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim == 1 and (array.dtype.kind == "U" or all(isinstance(one, str) for one in array)):
        return [str(one) for one in array]
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise Error(f"{what}: expected ids as whole numbers or texts, got {array.ndim} dimensions of {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.int64)
