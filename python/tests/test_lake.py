"""An index that is a Parquet table, without Spark."""

import json
import os
import pathlib

import numpy as np
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import summand
from summand import lake

QUERIES = np.arange(100)


def table_of(x, ids, **columns):
    return pa.table({"id": ids, "vector": pa.FixedSizeListArray.from_arrays(x.reshape(-1), x.shape[1]), **columns})


def asked(queries):
    return table_of(queries, QUERIES).rename_columns(["query_id", "vector"])


def oracle(model, x, ids):
    """One index of the vectors, and a function from its ids to those of the lake."""
    order = np.argsort(ids)
    index = model.index_of(model.encode(x[order]))
    return index, np.asarray(ids)[order]


def assert_answers(found, expected, names):
    ids, scores = expected
    np.testing.assert_array_equal(found.scores, scores)
    np.testing.assert_array_equal(found.ids, np.where(ids >= 0, names[ids], -1))


@pytest.fixture(params=["IVF16,PQ4", "PQ4", "IVF16,CQ3x4", "IMI2x2,LOCQ2"], scope="module")
def model(request, x):
    return lake.train(x, request.param)


@pytest.fixture
def cells(x):
    return lake.train(x, "IVF16,PQ4")


@pytest.fixture
def written(cells, x):
    lake.write_index(table_of(x, np.arange(2000)), "lake", model=cells, file_rows=600)
    return pathlib.Path("lake")


def test_answers_are_those_of_one_index(model, x, queries):
    ids = np.random.default_rng(3).permutation(5000)[:2000]
    lake.write_index(table_of(x, ids), "lake", model=model, file_rows=700)
    index, names = oracle(model, x, ids)
    probes = 3 if model.cells else 0
    expected = index.search(queries, k=20, probes=probes)
    opened = summand.open("lake")
    assert_answers(opened.search(queries, k=20, probes=probes), expected, names)
    some = set(ids[:100].tolist())
    kept = np.isin(names, ids[:100])
    assert_answers(
        opened.search(queries, k=5, probes=probes, filter=some),
        index.search(queries, k=5, probes=probes, filter=kept),
        names,
    )
    rows = lake.search(asked(queries), "lake", k=20, probes=3)
    np.testing.assert_array_equal(rows["id"], names[expected.ids[expected.ids >= 0]])
    np.testing.assert_array_equal(rows["score"], expected.scores[expected.ids >= 0])
    assert rows["rank"].to_pylist()[:20] == list(range(1, 21))


def test_only_cells_that_are_visited_are_packed(written, cells, x, queries):
    index, names = oracle(cells, x, np.arange(2000))
    opened = lake.open("lake", queries=queries[:2], probes=2, folder="packed")
    assert 0 < len(opened) < 1000
    assert_answers(opened.search(queries[:2], k=10, probes=2), index.search(queries[:2], k=10, probes=2), names)
    assert summand.open("packed/index.smd").spec == "IVF16,PQ4"


def test_ids_may_be_strings(cells, x, queries):
    ids = [f"id {number}" for number in range(2000)]
    lake.write_index(table_of(x, ids), "lake", model=cells)
    index, names = oracle(cells, x, np.array(ids))
    found, expected = summand.open("lake").search(queries, k=10, probes=1), index.search(queries, k=10, probes=1)
    np.testing.assert_array_equal(found.scores, expected.scores)
    assert found.ids[expected.ids >= 0].tolist() == names[expected.ids[expected.ids >= 0]].tolist()
    assert summand.open("lake").search(queries[0], k=2, filter=["id 7"]).ids.tolist() in (["id 7", None], [None, None])


def test_appended_removed_and_replaced_rows(cells, x, queries):
    lake.write_index(table_of(x[:1000], np.arange(1000)), "lake", model=cells)
    before = lake.Lake("lake")
    lake.append(table_of(x[1000:1500], np.arange(1000, 1500)), "lake")
    lake.delete([3, 1200, 99999], "lake")
    lake.append(table_of(x[1500:1502], np.array([3, 4])), "lake", replace=True)
    ids = np.concatenate([np.arange(5, 1200), np.arange(1201, 1500), [0, 1, 2], [3, 4]])
    rows = np.concatenate([ids[:-2], [1500, 1501]])

    def check():
        index, names = oracle(cells, x[rows], ids)
        assert_answers(summand.open("lake").search(queries, k=10), index.search(queries, k=10), names)

    check()
    lake.compact("lake", file_rows=400)
    check()
    assert lake.Lake("lake").manifest.deletes == ()
    assert before.table(["id"]).num_rows == 1000  # who reads an older commit still can
    lake.compact("lake", keep_seconds=0)
    check()
    with pytest.raises(summand.Error, match="the file is missing"):
        before.table(["id"])


def test_files_have_cells_in_order_so_that_few_are_read(written):
    lake.compact("lake", file_rows=500)
    entries = sorted(entry.cells for entry in lake.Lake("lake").manifest.files)
    assert len(entries) > 2
    assert all(first[1] < second[0] for first, second in zip(entries, entries[1:]))


def test_other_programs_read_it(written):
    lake.delete([5], "lake")
    manifest = json.loads((written / "lake.json").read_text())
    paths = [written / entry["path"] for entry in manifest["files"]]
    gone = polars.read_parquet([written / entry["path"] for entry in manifest["deletes"]])
    live = polars.read_parquet(paths).join(gone, on="id", how="anti")
    assert sorted(live["id"].to_list()) == [id for id in range(2000) if id != 5]
    assert {len(code) for code in live["code"]} == {4}
    dataset = ds.dataset([str(path) for path in paths])
    assert dataset.to_table(filter=pc.field("cell") == 3)["cell"].to_pylist() == [3] * live.filter(cell=3).height
    first = pq.ParquetFile(paths[0])
    assert first.schema_arrow.metadata[b"summand.model"].decode() == manifest["model"]["identity"]
    assert first.schema_arrow.names == ["id", "cell", "code"]


def test_columns_that_are_kept_filter_and_may_come_later(cells, x, queries):
    lake.write_index(table_of(x[:1000], np.arange(1000)), "lake", model=cells)
    colours = pa.array(["red", "blue"] * 500)
    more = table_of(x[1000:], np.arange(1000, 2000), colour=colours)
    lake.append(more, "lake", keep=["colour"])
    opened = lake.open("lake", filter=pc.field("colour") == "red")
    index, names = oracle(cells, x[1000:][::2], np.arange(1000, 2000, 2))
    assert_answers(opened.search(queries, k=5), index.search(queries, k=5), names)
    lake.compact("lake")
    assert len(lake.open("lake", filter=pc.field("colour") == "red")) == 500
    with pytest.raises(summand.Error, match="column colour: expected string as before, got int64"):
        lake.append(table_of(x[:1], [1], colour=pa.array([3])), "lake", keep=["colour"])
    with pytest.raises(summand.Error, match="a column cell cannot be kept"):
        lake.append(table_of(x[:1], [1], cell=pa.array([3])), "lake", keep=["cell"])
    assert len(lake.open("lake")) == 2000


@pytest.mark.parametrize("metric", ["euclidean", "ip", "cosine"])
def test_kept_vectors_score_candidates_again(x, queries, metric):
    model = lake.train(x, "IVF16,PQ4", metric=metric)
    lake.write_index(table_of(x, np.arange(2000)), "lake", model=model, vectors=True)
    rows = lake.search(asked(queries), "lake", k=5, probes=8, refine=50)
    exact = summand.build(x, "IVF16,PQ4,Refine(fp32)", metric=metric).search(queries, k=5, probes=8, refine=50)
    np.testing.assert_array_equal(np.asarray(rows["score"]).reshape(-1, 5), exact.scores)
    np.testing.assert_array_equal(np.asarray(rows["id"]).reshape(-1, 5), exact.ids)
    lake.write_index(table_of(x, np.arange(2000)), "without", model=model)
    with pytest.raises(summand.Error, match="refine needs the vectors"):
        lake.search(asked(queries), "without", refine=50)


def test_a_living_index_is_exported(x, queries):
    living = summand.LivingIndex.create("folder", x, "IVF16,CQ3x4,Refine(fp16)")
    living.add(x[:900])
    living.add(x[900:], ids=np.arange(5000, 6100))
    living.remove([7, 5001])
    lake.export(living, "lake")
    found, expected = summand.open("lake").search(queries, k=10), living.search(queries, k=10, refine=0)
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_tables_are_encoded_row_by_row(cells, x):
    table, expected = table_of(x, np.arange(2000), colour=["red"] * 2000), cells.encode(x)
    for part in (table, table.slice(1999), table.slice(2000)):
        coded = lake.encode(part, "vector", cells)
        assert coded.column_names == ["id", "colour", "cell", "code"]
        first = 2000 - part.num_rows
        assert coded["code"].to_pylist() == [code.tobytes() for code in expected.codes[first:]]
        np.testing.assert_array_equal(coded["cell"], expected.cells[first:])


def test_every_form_of_vectors_gives_the_same_codes(cells, x):
    values = np.round(x[:500] * 8) / 8  # halves hold them exactly
    plain = pa.array(list(values.astype(np.float32)))
    forms = [plain, plain.cast(pa.large_list(pa.float32())), plain.cast(pa.list_(pa.float64(), 16))]
    forms.append(pa.FixedSizeListArray.from_arrays(pa.array(values.astype(np.float16).reshape(-1)), 16))
    codes = []
    for number, form in enumerate(forms):
        lake.write_index(pa.table({"id": np.arange(500), "vector": form}), f"lake{number}", model=cells)
        codes.append(lake.Lake(f"lake{number}").table(["id", "cell", "code"]).sort_by("id"))
    assert all(code.equals(codes[0]) for code in codes)


@pytest.mark.parametrize(
    "vector, why",
    [
        (None, "the row with the key 701 has no vector"),
        ([1.0] * 15, "the row with the key 701 has 15 values, expected 16"),
        ([1.0] * 15 + [None], "the row with the key 701 has a value that is null"),
        ([1.0] * 15 + [float("inf")], "the row with the key 701 has a value that is not finite"),
    ],
)
def test_a_bad_vector_is_told_by_its_key_and_nothing_is_written(cells, x, vector, why):
    vectors = [*x[:700].tolist(), vector]
    with pytest.raises(summand.Error, match=why):
        lake.write_index(pa.table({"id": np.arange(1, 702), "vector": vectors}), "lake", model=cells)
    assert not os.path.exists("lake/lake.json")
    with pytest.raises(summand.Error, match="expected ids from 0 on, got -1"):
        lake.write_index(table_of(x[:1], [-1]), "lake", model=cells)


def test_a_write_that_fails_leaves_the_last_state(written, x):
    def broken():
        yield table_of(x[:1000], np.arange(3000, 4000)).to_batches()[0]
        raise RuntimeError("the source broke")

    schema = table_of(x[:1], [0]).schema
    with pytest.raises(pa.ArrowInvalid, match="the source broke"):
        lake.append(pa.RecordBatchReader.from_batches(schema, broken()), "lake", file_rows=100)
    assert len(summand.open("lake")) == 2000
    orphans = len(os.listdir("lake/data")) - len(lake.Lake("lake").manifest.files)
    assert orphans > 0
    lake.compact("lake", keep_seconds=0)
    assert len(os.listdir("lake/data")) == len(lake.Lake("lake").manifest.files)


def test_one_writer_at_a_time(written, x):
    def inner():
        with pytest.raises(summand.Error, match="another writer changes this lake"):
            lake.delete([1], "lake")
        yield table_of(x[:1], [7000]).to_batches()[0]

    lake.append(pa.RecordBatchReader.from_batches(table_of(x[:1], [0]).schema, inner()), "lake")
    assert len(summand.open("lake")) == 2001


def flipped(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def test_damaged_files_are_refused(written):
    path = written / lake.Lake("lake").manifest.files[1].path
    whole = path.read_bytes()
    for place in [*range(4, len(whole), 97), len(whole) - 9]:
        flipped(path, place)
        with pytest.raises(summand.Error, match=path.name):
            lake.open("lake")
        path.write_bytes(whole)
    path.write_bytes(whole[:-1])
    with pytest.raises(summand.Error, match=f"{path.name}: expected {len(whole)} bytes, got {len(whole) - 1}"):
        lake.open("lake")
    path.write_bytes(whole)
    for name in ("model.smd", "lake.json"):
        kept = (written / name).read_bytes()
        flipped(written / name, len(kept) // 2)
        with pytest.raises((summand.Error, ValueError), match=name):
            lake.open("lake")
        (written / name).write_bytes(kept)
    assert len(lake.open("lake")) == 2000


def test_files_of_other_models_are_refused(written, x):
    other = lake.train(x, "IVF16,PQ4", seed=2)
    lake.write_index(table_of(x, np.arange(2000)), "other", model=other, file_rows=600)
    ours, theirs = lake.Lake("lake").manifest, lake.Lake("other").manifest
    content = json.loads(pathlib.Path("lake/lake.json").read_text())
    entry = dict(zip(("path", "bytes", "footer_crc32"), (theirs.files[0].path, theirs.files[0].bytes, theirs.files[0].footer_crc32)))
    os.link(f"other/{entry['path']}", f"lake/{entry['path']}")
    content["files"][0].update(entry)
    del content["crc32"]
    content["crc32"] = lake.files._checksum(content)
    pathlib.Path("lake/lake.json").write_text(json.dumps(content))
    with pytest.raises(summand.Error, match=f"expected data of the model {ours.model['identity']}, got those of {other.identity}"):
        lake.open("lake")
    with pytest.raises(summand.Error, match="keeps its model"):
        lake.write_index(table_of(x, np.arange(2000)), "lake", model=other, overwrite=True)


def test_a_lake_is_replaced_only_when_asked(written, cells, x):
    with pytest.raises(summand.Error, match="there is a lake already"):
        lake.write_index(table_of(x[:10], np.arange(10)), "lake", model=cells)
    lake.write_index(table_of(x[:10], [str(i) for i in range(10)]), "lake", model=cells, overwrite=True)
    assert len(summand.open("lake")) == 10
    with pytest.raises(summand.Error, match="there is no such file, expected a lake"):
        lake.open("nothing")
    with pytest.raises(summand.Error, match="expected ids as string, got int64"):
        lake.append(table_of(x[:10], np.arange(10)), "lake")


def test_a_model_is_its_file_metric_and_seed(cells, x):
    import pickle

    again = pickle.loads(pickle.dumps(cells))
    assert again == cells and hash(again) == hash(cells)
    assert lake.train(x, "PQ4") != lake.train(x, "PQ4", metric="ip")
    cells.save("model.smd")
    assert summand.file_info("model.smd")["kind"] == "inverted model"
