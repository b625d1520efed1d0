"""Types of what the package takes and gives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, Protocol, Union

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

Metric = Literal["euclidean", "ip", "inner_product", "cosine"]
Effort = Literal["fast", "standard", "best"]


class SupportsDLPack(Protocol):
    """A tensor of another library, such as torch, in the memory of the CPU."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> object: ...


class SupportsArrowArray(Protocol):
    """An Arrow array, such as pyarrow.FixedSizeListArray."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


class SupportsArrowStream(Protocol):
    """Arrow arrays one after the other: a column or table of pyarrow or polars."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: Vectors in all their forms; see :func:`summand.build`.
VectorsLike = Union[
    npt.ArrayLike,
    str,
    "os.PathLike[str]",
    SupportsDLPack,
    SupportsArrowArray,
    SupportsArrowStream,
    Callable[[], Iterable[Any]],
    Iterator[Any],
]

#: True for a bar, or a function (done, total) that may return False to stop.
Progress = Union[bool, None, Callable[[int, int], Union[bool, None]]]
