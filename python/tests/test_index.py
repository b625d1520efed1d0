"""The short way: build, search, save, open."""

import multiprocessing
import pickle
import threading

import numpy as np
import pytest

import summand


def scores_of(x, query, ids):
    return ((x[ids] - query) ** 2).sum(axis=1)


def test_a_search_gives_ids_scores_and_counts(index, x, queries):
    found = index.search(queries, k=7)
    assert found.ids.shape == found.scores.shape == (100, 7)
    assert found.ids.dtype == np.int64 and found.scores.dtype == np.float32
    assert (found.counts == 7).all()
    ids, scores = found
    assert ids is found.ids and scores is found.scores
    assert (np.diff(scores, axis=1) >= 0).all()
    assert summand.recall(found, summand.exact_neighbors(x, queries, k=1).ids, answers=7) > 0.5


def test_one_query_gives_one_dimension(index, queries):
    found, all_found = index.search(queries[3], k=5), index.search(queries, k=5)
    assert found.ids.shape == (5,) and found.counts == 5
    assert (found.ids == all_found.ids[3]).all() and (found.scores == all_found.scores[3]).all()


def test_where_fewer_exist_the_row_ends_with_minus_one(index, queries):
    found = index.search(queries, k=10, filter=[4, 8])
    assert (found.counts == 2).all()
    assert (found.ids[:, 2:] == -1).all() and np.isinf(found.scores[:, 2:]).all()
    assert index.search(queries[0], k=3, filter=[5]).counts == 1


@pytest.mark.parametrize(
    "given",
    [
        range(100, 200),
        slice(100, 200),
        list(range(199, 99, -1)),
        set(range(100, 200)),
        (i for i in range(100, 200)),
        np.arange(100, 200, dtype=np.uint16),
        np.arange(400)[100:200:1],
        np.isin(np.arange(2000), np.arange(100, 200)),
        [100 <= i < 200 for i in range(2000)],
        "100-150,151-199",
        summand.Filter(range(100, 200)),
    ],
    ids=lambda given: type(given).__name__,
)
def test_every_kind_of_filter_keeps_the_same_ids(index, queries, given):
    expected = index.search(queries, k=100, filter=range(100, 200)).ids
    assert (index.search(queries, k=100, filter=given).ids == expected).all()
    assert (np.sort(expected, axis=1) == np.arange(100, 200)).all()


@pytest.mark.parametrize("name", ["BitMap", "BitMap64", "FrozenBitMap"])
def test_roaring_bitmaps_are_filters(index, queries, name):
    bitmap = getattr(pytest.importorskip("pyroaring"), name)
    expected = index.search(queries, k=100, filter=range(100, 200)).ids
    assert (index.search(queries, k=100, filter=bitmap(range(100, 200))).ids == expected).all()
    assert (index.search(queries, filter=bitmap()).counts == 0).all()


def test_a_filter_may_keep_nothing(index, queries):
    assert (index.search(queries, filter=[]).counts == 0).all()
    assert (index.search(queries, filter=range(0)).counts == 0).all()


def test_ranges_with_steps_are_filters(index, queries):
    assert (index.search(queries, k=5, filter=range(1, 2000, 2)).ids % 2 == 1).all()
    assert (index.search(queries, k=5, filter=slice(1990, None)).ids >= 1990).all()


@pytest.mark.parametrize(
    "given, words",
    [
        ([0.5, 1.0], "expected ids or a mask"),
        (np.zeros((2, 2), dtype=np.int64), "2 dimensions"),
        (slice(None), "slice of ids with an end"),
        ("5-x", "5-x"),
        ([-1], "-1"),
    ],
)
def test_a_wrong_filter_is_refused(index, queries, given, words):
    with pytest.raises(summand.Error, match=words):
        index.search(queries, filter=given)


def test_a_range_search_finds_all_within_the_radius(index, queries):
    every = index.search(queries, k=len(index))
    found = index.search_range(queries, radius=20.0)
    assert len(found) == 100 and found.counts.sum() == len(found.ids)
    for i in range(100):
        ids, scores = found[i]
        expected = every.ids[i][every.scores[i] < 20.0]
        assert (ids == expected).all() and (np.diff(scores) >= 0).all()
    with pytest.raises(IndexError):
        found[100]
    assert (found[-1][0] == found[99][0]).all()


def test_metrics(x, queries):
    cosine = summand.build(x, "PQ8", metric="cosine")
    assert cosine.metric == "cosine"
    assert (cosine.search(queries * 7, k=3).ids == cosine.search(queries, k=3).ids).all()
    products = summand.build(x, "PQ8", metric="ip")
    best = (queries @ x.T).argmax(axis=1)
    assert summand.recall(products.search(queries, k=10), best[:, None], answers=10) > 0.5
    with pytest.raises(summand.Error, match="metric"):
        summand.build(x, metric="manhattan")


def test_the_same_build_gives_the_same_bytes(x, locq):
    assert summand.build(x, "LOCQ4", threads=1).to_bytes() == locq.to_bytes()
    assert summand.build(x, "LOCQ4", seed=2).to_bytes() != locq.to_bytes()


def test_save_and_open(index, queries):
    index.save("index.smd")
    opened = summand.open("index.smd")
    assert opened.to_bytes() == index.to_bytes() and len(opened) == 2000
    assert (opened.search(queries).ids == index.search(queries).ids).all()
    assert "index.smd" in opened._repr_html_()


def test_pickle_and_other_processes(index, queries):
    again = pickle.loads(pickle.dumps(index))
    assert (again.search(queries).ids == index.search(queries).ids).all()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(len, (index,)) == 2000


def test_set_defaults_and_tune_change_this_index_only(x, queries):
    index = summand.build(x, "IVF32,PQ8,Refine(fp16)")
    truth = summand.exact_neighbors(x, queries, k=10).ids
    copy = pickle.loads(pickle.dumps(index))
    tuning = index.tune(queries, truth, "recall@10of10=0.8")
    assert tuning.chosen.recall >= 0.8 and tuning.chosen in tuning.trials
    assert index.defaults == tuning.chosen.parameters and copy.defaults == {}
    assert summand.recall(index.search(queries, k=10), truth, 10, 10) == pytest.approx(tuning.chosen.recall)
    index.set_defaults(probes=32)
    assert index.defaults == {"probes": 32}
    assert (index.search(queries, reach=1.5).ids >= 0).all()
    with pytest.raises(summand.Error, match="recall@R"):
        index.tune(queries, truth, "everything")


def test_a_target_out_of_reach_leaves_the_index_as_it_was(x, queries):
    index = summand.build(x, "PQ2x4")
    truth = summand.exact_neighbors(x, queries, k=1).ids
    assert index.tune(queries, truth, "recall@1=1").chosen is None
    assert index.defaults == {}


def test_cells_and_second_layers_take_their_parameters(x, queries):
    index = summand.build(x, "IVF32,PQ4,Refine(fp32)")
    truth = summand.exact_neighbors(x, queries, k=10).ids
    few = summand.recall(index.search(queries, probes=1, refine=10), truth, 10, 10)
    many = summand.recall(index.search(queries, probes=32, refine=2000), truth, 10, 10)
    assert few < many == 1
    with pytest.raises(summand.Error, match="cells"):
        summand.build(x, "PQ4").search(queries, probes=3)


def test_info_and_repr(index):
    info = index.info()
    assert info["spec"] == "LOCQ4" and info["vectors"] == 2000 and info["model"]["code_bytes"] == 4
    assert repr(index) == "<summand.Index LOCQ4: 2,000 vectors of 16 dimensions in 4 bytes each, euclidean>"
    assert "<td" in index._repr_html_() and "4 of 64" in index._repr_html_()
    index.save("<b>.smd")
    assert "<b>" not in summand.open("<b>.smd")._repr_html_()


def test_searches_of_several_threads_agree(index, queries):
    expected = index.search(queries, k=10)
    results = [None] * 8

    def search(i):
        results[i] = index.search(queries, k=10, threads=1)

    threads = [threading.Thread(target=search, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found.ids == expected.ids).all() for found in results)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda i, q: i.search(q[:, :5]), "expected queries of 16 dimensions, got 5"),
        (lambda i, q: i.search(q, k=0), "k of at least 1"),
        (lambda i, q: i.search(q, k=-1), "expected k from 0 on, got -1"),
        (lambda i, q: i.search_range(q, 1.0, refine=-1), "expected refine from 0 on, got -1"),
        (lambda i, q: summand.build(q, "PQ1", seed=-1), "expected seed from 0 on, got -1"),
        (lambda i, q: i.search(q * np.nan), "not finite"),
        (lambda i, q: summand.open("missing.smd"), "missing.smd"),
        (lambda i, q: summand.Index.from_bytes(b"nothing"), "memory"),
        (lambda i, q: summand.build(q, "XQ8"), "XQ8?"),
        (lambda i, q: summand.propose(q, "many"), "many"),
    ],
)
def test_errors_say_what_was_expected(index, queries, call, words):
    with pytest.raises(summand.Error, match=words) as error:
        call(index, queries)
    assert isinstance(error.value, ValueError)
    assert type(error.value).__module__ == "summand"


def test_arguments_of_other_names_are_refused(index, queries):
    with pytest.raises(TypeError):
        index.search(queries, radius=3)
    with pytest.raises(TypeError):
        index.search(queries, 10, range(5))


def test_the_second_layer_in_a_file_is_found_again(x, queries):
    summand.write_vectors("base.fvecs", x)
    index = summand.build("base.fvecs", "PQ4,Refine(flat)", path="index.smd")
    index.save("index.smd")
    truth = summand.exact_neighbors("base.fvecs", queries, k=1).ids
    assert summand.recall(summand.open("index.smd").search(queries, k=1, refine=200), truth, 1) > 0.95


def test_a_build_goes_on_from_its_checkpoint(x):
    whole = summand.build(x, "LOCQ2x4", checkpoint="first.smd")
    assert summand.build(x, "LOCQ2x4", checkpoint="first.smd").to_bytes() == whole.to_bytes()


def test_estimates_and_proposals(x):
    estimate = summand.estimate_build(x, "LOCQ4")
    assert estimate.spec == "LOCQ4" and estimate.memory_bytes > estimate.search_bytes > 8000
    proposal = summand.propose(x, 1 << 20)
    assert proposal.memory_bytes <= 1 << 20 and proposal.reasons
    assert summand.propose(x, "1M").spec == proposal.spec
