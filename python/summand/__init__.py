"""Compact codes and nearest-neighbour search.

>>> index = summand.build(x, "LOCQ4")          # vectors of shape (n, d) in 4 bytes each
>>> ids, scores = index.search(queries, k=10)
>>> index.save("index.smd")
>>> index = summand.open("index.smd")
"""

from ._build import build, estimate_build, open, propose
from ._core import Cancelled, Codes, Error, LookupTable, Quantizer, blas_library, kernel_level
from ._core import version as _version
from ._index import Index
from ._living import LivingIndex
from ._parts import (
    decode,
    distortion,
    encode,
    evaluate,
    exact_neighbors,
    file_info,
    index_of_codes,
    lookup_table,
    mean_average_precision,
    methods,
    parts_of_index,
    read_ids,
    read_vectors,
    recall,
    train,
    write_ids,
    write_vectors,
)
from ._results import Estimate, Found, Method, Proposal, RangeFound, Trial, Tuning
from ._rows import RowModel, Rows
from ._searched import Filter
from ._types import Bytes, Floats, Ids, VectorsLike

__version__: str = _version()

__all__ = [
    "Bytes",
    "Cancelled",
    "Codes",
    "Error",
    "Estimate",
    "Filter",
    "Floats",
    "Found",
    "Ids",
    "Index",
    "LivingIndex",
    "LookupTable",
    "Method",
    "Proposal",
    "Quantizer",
    "RangeFound",
    "RowModel",
    "Rows",
    "Trial",
    "Tuning",
    "VectorsLike",
    "blas_library",
    "build",
    "decode",
    "distortion",
    "encode",
    "estimate_build",
    "evaluate",
    "exact_neighbors",
    "file_info",
    "index_of_codes",
    "kernel_level",
    "lookup_table",
    "mean_average_precision",
    "methods",
    "open",
    "parts_of_index",
    "propose",
    "read_ids",
    "read_vectors",
    "recall",
    "train",
    "write_ids",
    "write_vectors",
]

# Errors and pickles name the package, not the module inside it.
for _type in (Error, Cancelled, Quantizer, Codes, LookupTable):
    _type.__module__ = "summand"
