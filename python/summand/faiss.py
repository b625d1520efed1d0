"""Indexes of FAISS as ours, and ours as FAISS's: PQ, OPQ, and the additive quantizers.

Codes and words are taken over as they are, so that both sides give the same neighbours.

>>> import faiss
>>> theirs = faiss.index_factory(16, "PQ4x8")
>>> theirs.train(x); theirs.add(x)
>>> ours = from_faiss(theirs)
>>> bool((ours.search(queries, k=1).ids == theirs.search(queries, 1)[1]).mean() > 0.98)
True
>>> to_faiss(ours).ntotal
2000
"""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Codes, Error, Quantizer
from ._index import Index
from ._parts import index_of_codes, parts_of_index
from ._types import Bytes, Floats, Metric

faiss: Any = importlib.import_module("faiss")  # its types know less than its classes do

_METRICS = {"euclidean": faiss.METRIC_L2, "inner_product": faiss.METRIC_INNER_PRODUCT, "ip": faiss.METRIC_INNER_PRODUCT}


def from_faiss(index: Any) -> Index:
    """The index that scans the codes of an IndexPQ, IndexResidualQuantizer or IndexLocalSearchQuantizer.

    An IndexPreTransform around it, as OPQ's, must rotate. Codes of a byte or less for each dictionary are taken. A norm
    that FAISS keeps with additive codes is left out: ours is derived from the code, and is exact.
    """
    given = index  # must live as long as what is inside of it is looked at
    index = faiss.downcast_index(given)
    rotation, centre = None, np.zeros(index.d, dtype=np.float32)
    if isinstance(index, faiss.IndexPreTransform):
        rotation, centre = _rotation_of(index)
        index = faiss.downcast_index(index.index)
    metrics: dict[int, Metric] = {faiss.METRIC_L2: "euclidean", faiss.METRIC_INNER_PRODUCT: "ip"}
    if index.metric_type not in metrics:
        raise Error(f"from_faiss: expected METRIC_L2 or METRIC_INNER_PRODUCT, got {index.metric_type}")
    if isinstance(index, faiss.IndexPQ):
        model, codes = _of_pq(index, rotation, centre)
    elif isinstance(index, (faiss.IndexResidualQuantizer, faiss.IndexLocalSearchQuantizer)):
        model, codes = _of_additive(index, rotation, centre)
    else:
        raise Error(f"from_faiss: expected an index of PQ, OPQ, RQ or LSQ without cells, got {type(index).__name__}")
    return index_of_codes(model, Codes.make(codes, model, None), metric=metrics[index.metric_type])


def _rotation_of(index: Any) -> tuple[Floats, Floats]:
    if index.chain.size() != 1:
        raise Error(f"from_faiss: expected one transform, got {index.chain.size()}")
    transform = faiss.downcast_VectorTransform(index.chain.at(0))
    if not isinstance(transform, faiss.LinearTransform) or transform.d_in != transform.d_out:
        raise Error(f"from_faiss: expected a rotation, got {type(transform).__name__}")
    rotation = faiss.vector_to_array(transform.A).reshape(transform.d_out, transform.d_in)
    if not np.allclose(rotation @ rotation.T, np.eye(len(rotation)), atol=1e-3):
        raise Error("from_faiss: expected a rotation, got a transform that is not orthogonal")
    bias = faiss.vector_to_array(transform.b) if transform.have_bias else np.zeros(len(rotation), dtype=np.float32)
    return rotation, np.ascontiguousarray(-rotation.T @ bias)


def _unpacked(index: Any, dictionaries: int, bits: int) -> Bytes:
    if bits > 8:
        raise Error(f"from_faiss: expected at most 8 bits for each dictionary, got {bits}")
    packed = faiss.vector_to_array(index.codes).reshape(index.ntotal, index.code_size)
    words = faiss.unpack_bitstrings(packed, [bits] * dictionaries)
    return np.ascontiguousarray(words, dtype=np.uint8)


def _of_pq(index: Any, rotation: Floats | None, centre: Floats) -> tuple[Quantizer, Bytes]:
    pq = index.pq
    codes = _unpacked(index, pq.M, pq.nbits)
    centroids = faiss.vector_to_array(pq.centroids).reshape(pq.M, pq.ksub, pq.dsub)
    words = np.zeros((pq.M, pq.ksub, pq.d), dtype=np.float32)
    for m in range(pq.M):
        words[m, :, m * pq.dsub : (m + 1) * pq.dsub] = centroids[m]
    begin = list(range(0, pq.d + 1, pq.dsub))
    method = "PQ" if rotation is None else "OPQ"
    return _core.Quantizer.make(method, words, (words**2).sum(axis=2), centre, rotation, begin, "none", "modes"), codes


def _of_additive(index: Any, rotation: Floats | None, centre: Floats) -> tuple[Quantizer, Bytes]:
    residual = isinstance(index, faiss.IndexResidualQuantizer)
    quantizer = index.rq if residual else index.lsq
    bits = {int(bits) for bits in faiss.vector_to_array(quantizer.nbits)}
    if len(bits) != 1:
        raise Error(f"from_faiss: expected the same bits for each dictionary, got {sorted(bits)}")
    codes = _unpacked(index, quantizer.M, *bits)
    words = faiss.vector_to_array(quantizer.codebooks).reshape(quantizer.M, -1, quantizer.d)
    offsets = (words**2).sum(axis=2)
    method, search = ("RQ", "residual") if residual else ("AQ", "beam")
    return _core.Quantizer.make(method, words, offsets, centre, rotation, [], "derived", search), codes


def to_faiss(index: Index) -> Any:
    """The index of FAISS with the same words and codes: an IndexPQ where words are in blocks, else an
    IndexResidualQuantizer with norms; around it an IndexPreTransform that subtracts the centre and rotates.

    Refuses what FAISS cannot score: cells, second layers, cosine, and word offsets that are not squared lengths (LOCQ,
    NOCQ). Scores of inner products are those of FAISS's approximation, which ours shift by ``q·centre``.
    """
    model, codes = parts_of_index(index)
    if index.metric not in _METRICS:
        raise Error("to_faiss: expected euclidean or ip; FAISS has no cosine, so give it vectors of length one")
    if index.info().get("refine"):
        raise Error("to_faiss: expected an index without a second layer")
    dictionaries, words, dimensions = model.dictionaries.shape
    bits = words.bit_length() - 1
    if words != 1 << bits:
        raise Error(f"to_faiss: expected a power of two of words, got {words}")
    make = _pq_index if model.block_begin else _additive_index
    made = make(model, codes, bits, _METRICS[index.metric])
    made.ntotal = len(codes)
    if model.rotation is None and not model.centre.any():
        return made
    transform = faiss.LinearTransform(dimensions, dimensions, index.metric == "euclidean")
    rotation = np.eye(dimensions, dtype=np.float32) if model.rotation is None else model.rotation
    faiss.copy_array_to_vector(rotation.ravel(), transform.A)
    if transform.have_bias:
        faiss.copy_array_to_vector(-(rotation @ model.centre), transform.b)
    transform.is_trained = True
    return faiss.IndexPreTransform(transform, made)


def _pq_index(model: Quantizer, codes: Codes, bits: int, metric: int) -> Any:
    dictionaries, words, dimensions = model.dictionaries.shape
    begin = np.array(model.block_begin)
    if len(set(np.diff(begin))) != 1:
        raise Error(f"to_faiss: expected {dictionaries} blocks of the same number of dimensions, got {begin.tolist()}")
    if not np.allclose(model.word_offsets, (model.dictionaries**2).sum(axis=2), rtol=1e-3, atol=1e-3):
        raise Error(f"to_faiss: FAISS has no word offsets, which {model.method} needs")
    made = faiss.IndexPQ(dimensions, dictionaries, bits, metric)
    centroids = [model.dictionaries[m, :, begin[m] : begin[m + 1]] for m in range(dictionaries)]
    faiss.copy_array_to_vector(np.stack(centroids).ravel(), made.pq.centroids)
    faiss.copy_array_to_vector(_packed(codes.rows, bits).ravel(), made.codes)
    made.is_trained = True
    return made


def _packed(rows: Bytes, bits: int) -> npt.NDArray[np.uint8]:
    packed: npt.NDArray[np.uint8] = faiss.pack_bitstrings(rows.astype(np.int32), bits)
    return packed


def _additive_index(model: Quantizer, codes: Codes, bits: int, metric: int) -> Any:
    if json.loads(model.describe())["bias"] == "none":
        raise Error(f"to_faiss: FAISS has no word offsets, which {model.method} needs; RQ, AQ and CQ can be given to it")
    dictionaries, _, dimensions = model.dictionaries.shape
    kind = faiss.AdditiveQuantizer.ST_norm_float if metric == faiss.METRIC_L2 else faiss.AdditiveQuantizer.ST_LUT_nonorm
    made = faiss.IndexResidualQuantizer(dimensions, dictionaries, bits, metric, kind)
    faiss.copy_array_to_vector(model.dictionaries.ravel(), made.rq.codebooks)
    made.rq.is_trained = made.is_trained = True
    made.rq.compute_codebook_tables()
    rows = np.ascontiguousarray(codes.rows, dtype=np.int32)
    packed = np.zeros((len(rows), made.code_size), dtype=np.uint8)
    made.rq.pack_codes(len(rows), faiss.swig_ptr(rows), faiss.swig_ptr(packed))
    faiss.copy_array_to_vector(packed.ravel(), made.codes)
    return made
