"""The parts: models, codes, tables, measures."""

import pickle

import numpy as np
import pytest

import summand


@pytest.fixture(scope="module")
def model(x):
    return summand.train(x, "LOCQ4")


def test_a_code_is_a_sum_of_words(model, x):
    codes = summand.encode(model, x)
    assert codes.rows.shape == (2000, 4) and codes.rows.dtype == np.uint8 and len(codes) == 2000
    words = model.dictionaries[np.arange(4), codes.rows].sum(axis=1)
    rotated = words if model.rotation is None else words @ model.rotation
    assert np.allclose(summand.decode(model, codes), rotated + model.centre, atol=1e-4)
    assert codes.model == model.identity


def test_a_score_is_a_sum_of_look_ups(model, x, queries):
    codes = summand.encode(model, x)
    table = summand.lookup_table(model, queries[0])
    by_hand = table.offset + table.entries[np.arange(4), codes.rows].sum(axis=1)
    assert np.allclose(table.scores(codes.rows), by_hand, rtol=1e-4, atol=1e-3)
    found = summand.index_of_codes(model, codes).search(queries[0], k=5)
    assert np.allclose(found.scores, table.scores(codes.rows)[found.ids], rtol=1e-4, atol=1e-3)
    with pytest.raises(summand.Error, match="codes of 4 bytes, got 3"):
        table.scores(np.zeros((1, 3), np.uint8))


def test_parts_make_the_index_that_build_makes(model, x, queries, locq):
    codes = summand.encode(model, x)
    assert (summand.index_of_codes(model, codes).search(queries).ids == locq.search(queries).ids).all()
    built_model, built_codes = summand.parts_of_index(locq)
    assert built_model == model and (built_codes.rows == codes.rows).all()
    with pytest.raises(summand.Error, match="without cells"):
        summand.parts_of_index(summand.build(x, "IVF8,PQ4"))


def test_a_model_is_saved_and_pickled(model, x):
    model.save("model.smd")
    for again in (summand.Quantizer.open("model.smd"), pickle.loads(pickle.dumps(model))):
        assert again == model and again.identity == model.identity and hash(again) == hash(model)
    codes = summand.encode(model, x)
    codes.save("codes.smd", model)
    assert (summand.Codes.open("codes.smd").rows == codes.rows).all()


def test_arrays_of_a_model_are_views_that_outlive_it(x):
    words = summand.train(x, "PQ4").dictionaries
    assert not words.flags.writeable and not words.flags.owndata
    assert np.isfinite(words).all()


def test_codes_of_another_model_are_refused(model, x):
    other = summand.train(x, "LOCQ4", seed=2)
    with pytest.raises(summand.Error, match="model"):
        summand.decode(model, summand.encode(other, x))
    with pytest.raises(summand.Error, match="without cells"):
        summand.train(x, "IVF8,PQ4")


def test_effort(model, x):
    fast = summand.distortion(model, x, summand.encode(model, x, effort="fast"))
    assert summand.distortion(model, x, summand.encode(model, x, effort="best")) <= fast
    with pytest.raises(summand.Error, match="effort"):
        summand.encode(model, x, effort="none")


def test_exact_neighbors(x, queries):
    distances = ((queries[:, None, :] - x[None]) ** 2).sum(axis=2)
    found = summand.exact_neighbors(x, queries, k=4)
    assert (found.ids == np.argsort(distances, axis=1, kind="stable")[:, :4]).all()
    one = summand.exact_neighbors(x, queries[1], k=4)
    assert one.ids.shape == (4,) and (one.ids == found.ids[1]).all()


def test_recall_and_average_precision():
    truth = np.array([[1, 2, 3], [4, 5, 6]])
    assert summand.recall([[9, 1], [4, 9]], truth, answers=1) == 0.5
    assert summand.recall([[9, 1], [4, 5]], truth, answers=2, truths=2) == 0.75
    assert summand.mean_average_precision([[1, 2, 3], [4, 5, 6]], truth, relevant=3) == 1
    with pytest.raises(summand.Error, match="whole numbers"):
        summand.recall([[0.5]], truth, answers=1)


def test_evaluate(locq, x, queries):
    truth = summand.exact_neighbors(x, queries, k=10).ids
    report = summand.evaluate(locq, queries, truth, k=10)
    recalls = {(point["truths"], point["answers"]): point["recall"] for point in report["recalls"]}
    assert recalls[1, 10] == pytest.approx(summand.recall(locq.search(queries, k=10), truth, 10))


def test_methods():
    names = [method.name for method in summand.methods()]
    assert "LOCQ" in names and len(set(names)) == len(names)
    assert all(method.summary and method.options for method in summand.methods())


def test_files(locq, x):
    summand.write_vectors("x.fvecs", x)
    assert (summand.read_vectors("x.fvecs") == x).all()
    summand.write_ids("ids.ivecs", np.arange(6, dtype=np.uint8).reshape(2, 3))
    assert summand.read_ids("ids.ivecs").tolist() == [[0, 1, 2], [3, 4, 5]]
    locq.save("index.smd")
    assert summand.file_info("index.smd")["vectors"] == 2000
    assert summand.file_info("x.fvecs")["dimensions"] == 16
    with pytest.raises(summand.Error, match="ids.ivecs"):
        summand.write_ids("missing/ids.ivecs", [[1]])
