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
        ("IVF8,PQ4", "euclidean", "without cells"),
        ("PQ4,Refine(fp16)", "euclidean", "without a second layer"),
    ],
)
def test_what_faiss_cannot_score_is_refused(x, spec, metric, words):
    with pytest.raises(summand.Error, match=words):
        to_faiss(summand.build(x, spec, metric=metric))


@pytest.mark.parametrize("factory, words", [("Flat", "IndexFlat"), ("PCA8,PQ4x8", "rotation"), ("PQ1x9", "at most 8 bits")])
def test_what_is_no_code_of_ours_is_refused(x, factory, words):
    theirs = faiss.index_factory(16, factory)
    theirs.train(x)
    theirs.add(x)
    with pytest.raises(summand.Error, match=words):
        from_faiss(theirs)
