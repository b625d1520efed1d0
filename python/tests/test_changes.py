"""Vectors that are added to an index in memory and removed from it."""

import pickle
import threading

import numpy as np
import pytest

import summand


def answers_of(model_of, x, queries, ids, metric="euclidean"):
    """What an index of these rows finds that is made at once of the same words."""
    codes = summand.encode(model_of, x[ids])
    found = summand.index_of_codes(model_of, codes, metric=metric).search(queries, k=10)
    return ids[found.ids], found.scores


def test_what_is_added_gives_the_bytes_of_one_build_of_all(x):
    model = summand.build(x[:1500], "PQ4")
    index = pickle.loads(pickle.dumps(model))
    assert (index.add(x[1500:1501]) == [1500]).all()
    assert (index.add(x[1501:].astype(np.float64)) == np.arange(1501, 2000)).all()
    quantizer, _ = summand.parts_of_index(model)
    assert index.to_bytes() == summand.index_of_codes(quantizer, summand.encode(quantizer, x)).to_bytes()
    assert len(index) == 2000 and len(model) == 1500


def test_what_is_removed_leaves_the_answers(x, queries, index):
    model, _ = summand.parts_of_index(index)
    gone = [3, 7, 1999]
    assert index.remove(gone + [5000]) == 3 and len(index) == 1997
    assert 7 not in index and 8 in index and np.int64(8) in index
    kept = np.setdiff1d(np.arange(2000), gone)
    assert (index.ids == kept).all()
    ids, scores = answers_of(model, x, queries, kept)
    found = index.search(queries, k=10)
    assert (found.ids == ids).all() and (found.scores == scores).all()
    assert (summand.evaluate(index, queries, ids, k=10)["vectors"]) == 1997


@pytest.mark.parametrize("spec", ["LOCQ4", "IVF16,PQ4", "IVF16,PQ4,Refine(fp16)", "PQ4,Refine(LOCQ4)"])
def test_ids_of_the_caller_are_searched_filtered_saved_and_pickled(x, queries, spec):
    index = summand.build(x[:1000], spec)
    large = 1 << 40
    assert (index.add(x[1000:1002], ids=[large, 5000]) == [large, 5000]).all()
    assert index.add(x[1002]) == [large + 1]
    added = [5000, large, large + 1]
    found = index.search(queries, k=5, filter=range(1000, 1 << 50))
    assert (np.sort(found.ids[:, :3], axis=1) == added).all() and (found.counts == 3).all()
    within = index.search_range(queries, radius=1e9, filter=added)
    assert (within.counts == 3).all() and set(within.ids) == set(added)
    index.save("index.smd")
    for again in (summand.open("index.smd"), pickle.loads(pickle.dumps(index)), summand.open(index.to_bytes())):
        assert (again.search(queries, k=5).ids == index.search(queries, k=5).ids).all()
        assert large in again and 5001 not in again
        assert again.add(x[3:4]) == [large + 2]


def test_an_id_that_is_there_is_refused_or_replaced(x, queries):
    index = summand.build(x[:1000], "PQ8,Refine(fp32)")
    before = index.to_bytes()
    with pytest.raises(summand.Error, match="the id 5 is in the index already"):
        index.add(x[1000:1002], ids=[5, 1000])
    assert index.to_bytes() == before
    index.add(x[1000:1002], ids=[5, 1000], replace=True)
    found = index.search(x[1000], k=1, refine=1000)
    assert found.ids[0] == 5 and found.scores[0] == 0 and len(index) == 1001


@pytest.mark.parametrize(
    "vectors, ids, words",
    [
        (np.zeros((1, 3)), None, "16 dimensions, got 3"),
        (np.zeros((2, 16)), [1], "an id for each of 2 vectors, got 1"),
        (np.zeros((1, 16)), [-4], "got -4"),
        (np.zeros((1, 16)), [0.5], "whole numbers"),
        (np.full((1, 16), np.nan), None, "finite"),
    ],
)
def test_what_cannot_be_added_is_refused(index, vectors, ids, words):
    with pytest.raises(summand.Error, match=words):
        index.add(vectors, ids=ids)
    assert len(index) == 2000


def test_a_second_layer_that_cannot_grow_says_what_can(x):
    index = summand.build(x, "PQ4,Refine(sq8)")
    with pytest.raises(summand.Error, match=r"build it with Refine\(fp16\)"):
        index.add(x[:1])
    with pytest.raises(summand.Error, match=r"build it with Refine\(fp16\)"):
        index.remove([1])


def test_a_filter_says_what_is_removed(index):
    assert index.remove(summand.Filter(range(100, 200))) == 100
    assert index.remove(summand.Filter(np.arange(2000) < 150)) == 100
    assert index.ids[0] == 200


def test_changes_and_searches_of_several_threads(x, queries):
    index = summand.build(x[:1000], "PQ4")
    model, _ = summand.parts_of_index(index)
    wrong = []

    def add(first):
        index.add(x[first : first + 100], ids=range(first, first + 100), threads=1)

    def search():
        for _ in range(20):
            found = index.search(queries, k=3, threads=1)
            if not (found.counts == 3).all():
                wrong.append(found)

    threads = [threading.Thread(target=add, args=(first,)) for first in range(1000, 2000, 100)]
    threads += [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(index) == 2000
    ids, _ = answers_of(model, x, queries, np.arange(2000))
    assert (index.search(queries, k=10).ids == ids).all()
