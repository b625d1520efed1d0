"""The transformers, by scikit-learn's own checks and beside its own classes."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from summand.sklearn import CompositeQuantizer, NeighborsTransformer

# Two words are learnt from the few vectors of the checks.
SMALL = "PQ1x1"


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [CompositeQuantizer(SMALL), NeighborsTransformer(n_neighbors=2, spec=SMALL + ",Refine(fp32)")],
)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_codes_and_back(x):
    quantizer = CompositeQuantizer("LOCQ8").fit(x)
    codes = quantizer.transform(x)
    assert codes.shape == (2000, 8) and codes.dtype == np.uint8
    error = ((quantizer.inverse_transform(codes) - x) ** 2).sum(axis=1).mean()
    assert error < 0.3 * x.var(axis=0).sum()
    assert list(quantizer.get_feature_names_out()) == [f"compositequantizer{m}" for m in range(8)]


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_graph_is_that_of_sklearn(x, queries, metric):
    ours = NeighborsTransformer(n_neighbors=4, spec="PQ8,Refine(fp32)", refine=2000, metric=metric).fit(x)
    theirs = KNeighborsTransformer(n_neighbors=4, metric=metric, algorithm="brute").fit(x)
    for vectors in (x, queries):
        a, b = ours.transform(vectors), theirs.transform(vectors)
        assert a.shape == b.shape and a.nnz == b.nnz
        assert np.allclose(a.toarray(), b.toarray(), atol=2e-3)


def test_in_pipelines(x):
    labels = (x[:, 0] > 0).astype(int)
    classify = make_pipeline(NeighborsTransformer(n_neighbors=6, spec="PQ8"), KNeighborsClassifier(5, metric="precomputed"))
    assert classify.fit(x, labels).score(x, labels) > 0.9


def test_metrics_without_distances_are_refused(x):
    with pytest.raises(ValueError, match="not negative"):
        NeighborsTransformer(metric="ip").fit(x)
    with pytest.raises(ValueError, match="mode"):
        NeighborsTransformer(mode="both").fit(x)
