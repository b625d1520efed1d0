"""Indexes that go to FAISS and come from it give the same neighbours."""

import numpy as np
import pytest

faiss = pytest.importorskip("faiss")

import summand
from summand.faiss import from_faiss, to_faiss

faiss.omp_set_num_threads(1)


def same(ours, theirs, queries, scores=True):
    """Scores agree, and ids where no other score is equal."""
    a = ours.search(queries, k=11)
    distances, ids = theirs.search(queries, 11)
    if scores:
        signed = distances if theirs.metric_type == faiss.METRIC_L2 else -distances
        assert np.allclose(a.scores, signed, rtol=1e-3, atol=1e-2)
    apart = np.diff(a.scores, axis=1) > 1e-3
    alone = apart[:, 1:] & apart[:, :-1]
    assert alone.any() and (a.ids == ids)[:, 1:-1][alone].mean() > 0.97


@pytest.mark.parametrize("metric", ["METRIC_L2", "METRIC_INNER_PRODUCT"])
@pytest.mark.parametrize("factory", ["PQ4x8", "PQ8x4", "PQ2x6", "OPQ4,PQ4x8", "RQ4x6_Nfloat", "LSQ4x6_Nfloat"])
def test_from_faiss(x, queries, factory, metric):
    if metric == "METRIC_INNER_PRODUCT":
        factory = factory.replace("_Nfloat", "_Nnone")
    theirs = faiss.index_factory(16, factory, getattr(faiss, metric))
    theirs.train(x)
    theirs.add(x)
    ours = from_faiss(theirs)
    assert len(ours) == 2000
    same(ours, theirs, queries)
    same(summand.Index.from_bytes(ours.to_bytes()), theirs, queries)


def probing_all(theirs):
    """FAISS visits one cell unless it is told otherwise; ours 16, which is more than there are."""
    faiss.extract_index_ivf(theirs).nprobe = 8
    return theirs


@pytest.mark.parametrize("metric", ["METRIC_L2", "METRIC_INNER_PRODUCT"])
@pytest.mark.parametrize("factory", ["IVF8,PQ4x8", "OPQ4,IVF8,PQ4x8", "IVF8,PQ8x4", "IVF8,RQ4x6_Nfloat", "IVF8,LSQ4x6_Nfloat"])
def test_cells_from_faiss(x, queries, factory, metric):
    if metric == "METRIC_INNER_PRODUCT":
        factory = factory.replace("_Nfloat", "_Nnone")
    theirs = faiss.index_factory(16, factory, getattr(faiss, metric))
    theirs.train(x)
    theirs.add_with_ids(x, np.arange(2000)[::-1] * 7)
    ours = from_faiss(theirs)
    assert len(ours) == 2000 and 7 in ours and 8 not in ours
    same(ours, probing_all(theirs), queries)
    same(summand.Index.from_bytes(ours.to_bytes()), theirs, queries)


@pytest.mark.parametrize("coding", ["residual", "plain"])
@pytest.mark.parametrize("code", ["PQ4", "OPQ4", "RQ4x6", "AQ4x6"])
def test_cells_to_faiss(x, queries, code, coding):
    ours = summand.build(x, f"IVF8(coding={coding}),{code}")
    theirs = probing_all(to_faiss(ours))
    same(ours, theirs, queries)
    same(from_faiss(theirs), theirs, queries)


@pytest.mark.parametrize("spec", ["PQ4", "PQ4x4", "OPQ4", "RQ4x6", "AQ4x6", "CQ4x6"])
def test_to_faiss(x, queries, spec):
    ours = summand.build(x, spec)
    same(ours, to_faiss(ours), queries)


@pytest.mark.parametrize("spec", ["PQ4", "OPQ4"])
def test_inner_products_to_faiss(x, queries, spec):
    ours = summand.build(x, spec, metric="ip")
    same(ours, to_faiss(ours), queries, scores=False)


def test_there_and_back(x, queries):
    ours = summand.build(x, "OPQ4")
    again = from_faiss(to_faiss(ours))
    assert (again.search(queries).ids == ours.search(queries).ids).mean() > 0.97


@pytest.mark.parametrize(
    "spec, metric, words",
    [
        ("LOCQ4", "euclidean", "no word offsets, which LOCQ needs"),
        ("PQ4", "cosine", "no cosine"),
        ("IMI2x2,PQ4", "euclidean", "pairs of words"),
        ("IVF8,LOCQ4", "euclidean", "no word offsets, which LOCQ needs"),
        ("PQ4,Refine(fp16)", "euclidean", "without a second layer"),
    ],
)
def test_what_faiss_cannot_score_is_refused(x, spec, metric, words):
    with pytest.raises(summand.Error, match=words):
        to_faiss(summand.build(x, spec, metric=metric))


def test_ids_of_the_caller_are_refused(x):
    index = summand.build(x, "PQ4")
    index.remove([7])
    with pytest.raises(summand.Error, match="ids that are row numbers"):
        to_faiss(index)


@pytest.mark.parametrize("factory, words", [("IVF8_HNSW,PQ4x8", "IndexHNSW"), ("IVF8,Flat", "IndexIVFFlat"), ("Flat", "IndexFlat"), ("PCA8,PQ4x8", "rotation"), ("PQ1x9", "at most 8 bits")])
def test_what_is_no_code_of_ours_is_refused(x, factory, words):
    theirs = faiss.index_factory(16, factory)
    theirs.train(x)
    theirs.add(x)
    with pytest.raises(summand.Error, match=words):
        from_faiss(theirs)
