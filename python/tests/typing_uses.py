"""What type checkers must accept, and what they must know of the results. Checked, not run."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

import summand


def batches() -> Iterator[npt.NDArray[np.float16]]:
    yield np.zeros((3, 4), dtype=np.float16)


def uses(x: npt.NDArray[np.float32]) -> list[float]:
    index = summand.build(x, "LOCQ8", metric="cosine", progress=lambda done, total: done < total)
    summand.build(pathlib.Path("base.fvecs"))
    summand.build([[1.0, 2.0]])
    summand.build(batches)
    summand.build(batches())
    found = index.search(x, k=3, filter=range(10))
    ids: npt.NDArray[np.int64] = found.ids
    scores: npt.NDArray[np.float32] = found.scores
    index.search(x, filter={1, 2})
    index.search(x, filter=summand.Filter(np.array([True, False])))
    named: npt.NDArray[np.int64] = index.add(x, ids=[7, 8])
    index.remove(named)
    index.remove(summand.Filter("0-6"))
    assert 7 not in index and len(index) > 0
    summand.open(index.to_bytes())
    model: summand.Quantizer = summand.train(x)
    codes: npt.NDArray[np.uint8] = summand.encode(model, x).rows
    words: npt.NDArray[np.float32] = model.dictionaries
    with summand.LivingIndex.create("folder", x, "LOCQ8") as living:
        added: npt.NDArray[np.int64] = living.add(x, ids=range(3))
        living.remove(added)
    tuned = index.tune(x, ids).chosen
    return [float(scores[0, 0]), float(codes[0, 0]), float(words[0, 0, 0]), tuned.recall if tuned else 0.0]
