"""Transformers for scikit-learn.

>>> from summand.sklearn import CompositeQuantizer, NeighborsTransformer
>>> CompositeQuantizer("LOCQ4").fit_transform(x).shape
(2000, 4)
>>> graph = NeighborsTransformer(n_neighbors=5, spec="PQ8").fit_transform(x)
>>> graph.shape, graph.nnz
((2000, 2000), 12000)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._build import build
from ._parts import decode, encode, train
from ._types import Bytes, Floats, Metric


class CompositeQuantizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Vectors to codes of a few bytes, and back to what the codes stand for.

    ``transform`` gives codes of shape (vectors, M), ``inverse_transform`` vectors of shape (vectors, dimensions). ``spec``
    names the method, as ``"LOCQ8"``; ``random_state`` is the seed of every random choice, ``n_jobs`` the number of
    threads (None: as many as the machine has).

    >>> quantizer = CompositeQuantizer("PQ4").fit(x)
    >>> codes = quantizer.transform(x)
    >>> float(((quantizer.inverse_transform(codes) - x) ** 2).sum(axis=1).mean()) < 16
    True
    """

    def __init__(self, spec: str = "LOCQ8", *, random_state: int = 1, n_jobs: int | None = None) -> None:
        self.spec = spec
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> CompositeQuantizer:
        """Learns the model, ``model_``, from vectors of shape (vectors, dimensions)."""
        X = validate_data(self, X, dtype=[np.float32, np.float64], ensure_min_samples=2)
        self.model_ = train(X, self.spec, seed=self.random_state, threads=self.n_jobs or 0)
        self._n_features_out = self.model_.dictionaries.shape[0]
        return self

    def transform(self, X: Any) -> Bytes:
        """Codes of shape (vectors, M)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float32, np.float64], reset=False)
        return encode(self.model_, X, threads=self.n_jobs or 0).rows

    def inverse_transform(self, X: npt.ArrayLike) -> Floats:
        """The vectors that codes stand for."""
        check_is_fitted(self)
        codes = _core.Codes.make(np.ascontiguousarray(X, dtype=np.uint8), self.model_, None)
        return decode(self.model_, codes, threads=self.n_jobs or 0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


class NeighborsTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The graph of the nearest neighbours, in place of sklearn's KNeighborsTransformer.

    ``transform`` gives a sparse matrix of shape (queries, vectors): distances (``mode="distance"``) or ones
    (``mode="connectivity"``). As there, a row of distances has a neighbour more than ``n_neighbors``, since a vector of the
    training set is its own first one. ``spec``, ``metric``, ``probes`` and ``refine`` as in :func:`summand.build` and
    :meth:`summand.Index.search`.

    >>> NeighborsTransformer(n_neighbors=3, mode="connectivity", spec="PQ8").fit(x).transform(queries).sum(axis=1).max()
    np.float32(3.0)
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        mode: str = "distance",
        spec: str = "LOCQ16,Refine(fp16)",
        metric: Metric = "euclidean",
        probes: int = 0,
        refine: int | None = None,
        random_state: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.mode = mode
        self.spec = spec
        self.metric = metric
        self.probes = probes
        self.refine = refine
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> NeighborsTransformer:
        """Builds the index, ``index_``, of vectors of shape (vectors, dimensions)."""
        if self.mode not in ("distance", "connectivity"):
            raise ValueError(f"mode: expected distance or connectivity, got {self.mode!r}")
        if self.metric not in ("euclidean", "cosine"):
            raise ValueError(f"metric: expected euclidean or cosine, whose distances are not negative, got {self.metric!r}")
        X = validate_data(self, X, dtype=[np.float32, np.float64], ensure_min_samples=2)
        self.index_ = build(X, self.spec, metric=self.metric, seed=self.random_state, threads=self.n_jobs or 0)
        self._n_features_out = len(self.index_)
        return self

    def transform(self, X: Any) -> csr_matrix:
        """The graph from vectors of shape (queries, dimensions) to those that were learnt."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float32, np.float64], reset=False)
        k = min(self.n_neighbors + (self.mode == "distance"), len(self.index_))
        found = self.index_.search(X, k, probes=self.probes, refine=self.refine, threads=self.n_jobs or 0)
        kept = found.ids >= 0
        values: npt.NDArray[Any] = np.ones_like(found.scores)
        if self.mode == "distance":  # of scores, which are squared; rounding may leave one below zero
            values = np.maximum(found.scores, 0) / (2 if self.metric == "cosine" else 1)
            values = values if self.metric == "cosine" else np.sqrt(values)
        ends = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        return csr_matrix((values[kept], found.ids[kept], ends), shape=(len(X), len(self.index_)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
