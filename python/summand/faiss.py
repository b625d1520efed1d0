"""Indexes of FAISS as ours, and ours as FAISS's: PQ, OPQ, the additive quantizers, and cells with any of them.

Codes, words and cells are taken over as they are, so that both sides give the same neighbours.

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
from ._types import Bytes, Floats, Ids, Metric

faiss: Any = importlib.import_module("faiss")  # its types know less than its classes do

_METRICS = {"euclidean": faiss.METRIC_L2, "inner_product": faiss.METRIC_INNER_PRODUCT, "ip": faiss.METRIC_INNER_PRODUCT}


def from_faiss(index: Any) -> Index:
    """The index that scans the codes of an IndexPQ, IndexResidualQuantizer or IndexLocalSearchQuantizer, or of the lists
    of an IndexIVFPQ, IndexIVFResidualQuantizer or IndexIVFLocalSearchQuantizer, whose ids it keeps.

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
    metric = metrics[index.metric_type]
    if isinstance(index, faiss.IndexIVF):
        return _of_cells(index, rotation, centre, metric)
    packed = faiss.vector_to_array(index.codes).reshape(index.ntotal, -1) if hasattr(index, "codes") else None
    model, codes = _of_codes(index, packed, rotation, centre)
    return index_of_codes(model, Codes.make(codes, model, None), metric=metric)


def _of_codes(index: Any, packed: Any, rotation: Floats | None, centre: Floats) -> tuple[Quantizer, Bytes]:
    if hasattr(index, "pq"):
        return _of_pq(index.pq, packed, rotation, centre)
    for name, method, search in (("rq", "RQ", "residual"), ("lsq", "AQ", "beam")):
        if hasattr(index, name):
            return _of_additive(getattr(index, name), packed, method, search, rotation, centre)
    raise Error(f"from_faiss: expected an index of PQ, OPQ, RQ or LSQ, with cells or without, got {type(index).__name__}")


def _of_cells(index: Any, rotation: Floats | None, centre: Floats, metric: Metric) -> Index:
    cells = faiss.downcast_index(index.quantizer)
    if not isinstance(cells, faiss.IndexFlat):
        raise Error(f"from_faiss: expected cells whose centres are in an IndexFlat, got {type(cells).__name__}")
    centres = cells.reconstruct_n(0, index.nlist)
    if rotation is not None:  # FAISS's are rotated, as their vectors are
        centres = np.ascontiguousarray(centres @ rotation + centre)
    lists, size = index.invlists, index.code_size
    lengths = [lists.list_size(cell) for cell in range(index.nlist)]
    filled = [cell for cell in range(index.nlist) if lengths[cell]]
    ids = [faiss.rev_swig_ptr(lists.get_ids(cell), lengths[cell]) for cell in filled]
    packed = [faiss.rev_swig_ptr(lists.get_codes(cell), lengths[cell] * size).reshape(-1, size) for cell in filled]
    if not filled:
        raise Error("from_faiss: expected an index that holds vectors, got none")
    # What is coded is a residual, from which nothing is subtracted; else a vector.
    own_centre = np.zeros_like(centre) if index.by_residual else centre
    model, codes = _of_codes(index, np.concatenate(packed), rotation, own_centre)
    of_cell = np.repeat(np.arange(index.nlist, dtype=np.uint32), lengths)
    made = Codes.make(codes, model, None)
    return Index(
        _core.index_of_lists(model, centres, of_cell, made, np.concatenate(ids), index.by_residual, metric)
    )


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


def _unpacked(packed: Any, dictionaries: int, bits: int) -> Bytes:
    if bits > 8:
        raise Error(f"from_faiss: expected at most 8 bits for each dictionary, got {bits}")
    words = faiss.unpack_bitstrings(packed, [bits] * dictionaries)
    return np.ascontiguousarray(words, dtype=np.uint8)


def _of_pq(pq: Any, packed: Any, rotation: Floats | None, centre: Floats) -> tuple[Quantizer, Bytes]:
    codes = _unpacked(packed, pq.M, pq.nbits)
    centroids = faiss.vector_to_array(pq.centroids).reshape(pq.M, pq.ksub, pq.dsub)
    words = np.zeros((pq.M, pq.ksub, pq.d), dtype=np.float32)
    for m in range(pq.M):
        words[m, :, m * pq.dsub : (m + 1) * pq.dsub] = centroids[m]
    begin = list(range(0, pq.d + 1, pq.dsub))
    method = "PQ" if rotation is None else "OPQ"
    return _core.Quantizer.make(method, words, (words**2).sum(axis=2), centre, rotation, begin, "none", "modes"), codes


def _of_additive(
    quantizer: Any, packed: Any, method: str, search: str, rotation: Floats | None, centre: Floats
) -> tuple[Quantizer, Bytes]:
    bits = {int(bits) for bits in faiss.vector_to_array(quantizer.nbits)}
    if len(bits) != 1:
        raise Error(f"from_faiss: expected the same bits for each dictionary, got {sorted(bits)}")
    codes = _unpacked(packed, quantizer.M, *bits)
    words = faiss.vector_to_array(quantizer.codebooks).reshape(quantizer.M, -1, quantizer.d)
    offsets = (words**2).sum(axis=2)
    return _core.Quantizer.make(method, words, offsets, centre, rotation, [], "derived", search), codes


def to_faiss(index: Index) -> Any:
    """The index of FAISS with the same words and codes: an IndexPQ where words are in blocks, else an
    IndexResidualQuantizer with norms, or an IndexIVFPQ or IndexIVFResidualQuantizer where there are cells; around it an
    IndexPreTransform that subtracts the centre and rotates.

    Refuses what FAISS cannot score: pairs of cells, second layers, cosine, and word offsets that are not squared lengths
    (LOCQ, NOCQ). Scores of inner products are those of FAISS's approximation, which ours shift by ``q·centre`` where
    there are no cells.
    """
    if index.metric not in _METRICS:
        raise Error("to_faiss: expected euclidean or ip; FAISS has no cosine, so give it vectors of length one")
    if index.info().get("refine"):
        raise Error("to_faiss: expected an index without a second layer")
    if not np.array_equal(index.ids, np.arange(len(index))):
        raise Error("to_faiss: expected ids that are row numbers; FAISS keeps others in an IndexIDMap around its index")
    metric = _METRICS[index.metric]
    if index.spec.startswith(("IVF", "IMI")):
        model, centres, cells, codes, ids, residual = _core.lists_of_index(index._core)
        return _with_cells(model, (centres, cells, ids), codes, residual, metric)
    model, codes = parts_of_index(index)
    made = _pq_index(model, codes, metric) if model.block_begin else _additive_index(model, codes, metric)
    made.ntotal = len(codes)
    return _transformed(model, model.centre, made, metric)


def _transformed(model: Quantizer, centre: Floats, made: Any, metric: int) -> Any:
    """What subtracts the centre and rotates before ``made``; ``made`` itself where there is nothing to do."""
    if model.rotation is None and not centre.any():
        return made
    transform = faiss.LinearTransform(made.d, made.d, metric == faiss.METRIC_L2)
    rotation = np.eye(made.d, dtype=np.float32) if model.rotation is None else model.rotation
    faiss.copy_array_to_vector(rotation.ravel(), transform.A)
    if transform.have_bias:
        faiss.copy_array_to_vector(-(rotation @ centre), transform.b)
    transform.is_trained = True
    return faiss.IndexPreTransform(transform, made)


def _bits_of(model: Quantizer) -> int:
    words = int(model.dictionaries.shape[1])
    if words & (words - 1):
        raise Error(f"to_faiss: expected a power of two of words, got {words}")
    return words.bit_length() - 1


def _block_words(model: Quantizer, shift: Floats) -> Floats:
    """Words of shape (M, K, dimensions of a block); ``shift`` is added to what they sum to."""
    begin = np.array(model.block_begin)
    if len(set(np.diff(begin))) != 1:
        raise Error(f"to_faiss: expected {len(begin) - 1} blocks of the same number of dimensions, got {begin.tolist()}")
    if not np.allclose(model.word_offsets, (model.dictionaries**2).sum(axis=2), rtol=1e-3, atol=1e-3):
        raise Error(f"to_faiss: FAISS has no word offsets, which {model.method} needs")
    words = model.dictionaries + shift
    return np.stack([words[m, :, begin[m] : begin[m + 1]] for m in range(len(begin) - 1)])


def _dense_words(model: Quantizer, shift: Floats) -> Floats:
    if json.loads(model.describe())["bias"] == "none":
        raise Error(f"to_faiss: FAISS has no word offsets, which {model.method} needs; RQ, AQ and CQ can be given to it")
    words = model.dictionaries.copy()
    words[0] += shift
    return words


def _search_type(metric: int) -> Any:
    return faiss.AdditiveQuantizer.ST_norm_float if metric == faiss.METRIC_L2 else faiss.AdditiveQuantizer.ST_LUT_nonorm


def _train_additive(made: Any, words: Floats) -> None:
    faiss.copy_array_to_vector(words.ravel(), made.rq.codebooks)
    made.rq.is_trained = made.is_trained = True
    made.rq.compute_codebook_tables()


def _pq_index(model: Quantizer, codes: Codes, metric: int) -> Any:
    dictionaries, _, dimensions = model.dictionaries.shape
    words, bits = _block_words(model, np.zeros(dimensions, np.float32)), _bits_of(model)
    made = faiss.IndexPQ(dimensions, dictionaries, bits, metric)
    faiss.copy_array_to_vector(words.ravel(), made.pq.centroids)
    faiss.copy_array_to_vector(_packed(codes.rows, bits).ravel(), made.codes)
    made.is_trained = True
    return made


def _packed(rows: Bytes, bits: int) -> npt.NDArray[np.uint8]:
    packed: npt.NDArray[np.uint8] = faiss.pack_bitstrings(rows.astype(np.int32), bits)
    return packed


def _additive_index(model: Quantizer, codes: Codes, metric: int) -> Any:
    dictionaries, _, dimensions = model.dictionaries.shape
    words, bits = _dense_words(model, np.zeros(dimensions, np.float32)), _bits_of(model)
    made = faiss.IndexResidualQuantizer(dimensions, dictionaries, bits, metric, _search_type(metric))
    _train_additive(made, words)
    faiss.copy_array_to_vector(_packed_additive(made, codes.rows).ravel(), made.codes)
    return made


def _packed_additive(made: Any, rows: Bytes) -> npt.NDArray[np.uint8]:
    """Codes with the norms of what they stand for."""
    words = np.ascontiguousarray(rows, dtype=np.int32)
    packed = np.zeros((len(rows), made.code_size), dtype=np.uint8)
    made.rq.pack_codes(len(rows), faiss.swig_ptr(words), faiss.swig_ptr(packed))
    return packed


def _with_cells(model: Quantizer, lists: tuple[Floats, Any, Ids], codes: Codes, residual: bool, metric: int) -> Any:
    centres, cells, ids = lists
    dictionaries, _, dimensions = model.dictionaries.shape
    rotation = np.eye(dimensions, dtype=np.float32) if model.rotation is None else model.rotation
    # The centre that is subtracted from residuals becomes a part of the words; cells stay where they are.
    centre = np.zeros_like(model.centre) if residual else model.centre
    shift = (rotation @ (model.centre - centre)).astype(np.float32)
    around = np.ascontiguousarray((centres - centre) @ rotation.T)
    flat = faiss.IndexFlat(dimensions, metric)
    flat.add(around)
    bits = _bits_of(model)
    if model.block_begin:
        made = faiss.IndexIVFPQ(flat, dimensions, len(centres), dictionaries, bits, metric)
        faiss.copy_array_to_vector(_block_words(model, shift).ravel(), made.pq.centroids)
        packed = _packed(codes.rows, bits)
    else:
        made = faiss.IndexIVFResidualQuantizer(
            flat, dimensions, len(centres), dictionaries, bits, metric, _search_type(metric)
        )
        _train_additive(made, _dense_words(model, shift))
        packed = _packed_additive(made, codes.rows)
    made.by_residual = residual
    made.is_trained = True
    if model.block_begin and residual:
        made.precompute_table()
    for cell in range(len(centres)):
        rows = np.flatnonzero(cells == cell)
        own, names = np.ascontiguousarray(packed[rows]), ids[rows].astype(np.int64)
        made.invlists.add_entries(cell, len(rows), faiss.swig_ptr(names), faiss.swig_ptr(own))
    made.ntotal = len(ids)
    return _transformed(model, centre, made, metric)
