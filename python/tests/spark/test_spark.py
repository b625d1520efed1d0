"""summand.spark on a real Spark, against one index of the same vectors."""

import json
import os

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable, write_deltalake
from pyspark.errors import PythonException
from pyspark.sql import functions as sf

import summand
import summand.lake
import summand.spark


def answers(found, k):
    """ids and scores of shape (queries, k) of rows query_id, id, score, rank; every query found k."""
    table = found.toArrow().sort_by([("query_id", "ascending"), ("rank", "ascending")])
    assert table.column_names == ["query_id", "id", "score", "rank"]
    assert table["rank"].to_pylist() == [*range(1, k + 1)] * (table.num_rows // k)
    return np.asarray(table["id"]).reshape(-1, k), np.asarray(table["score"]).reshape(-1, k)


def assert_same(found, expected):
    np.testing.assert_array_equal(found[1], expected.scores)
    np.testing.assert_array_equal(found[0], expected.ids)


@pytest.fixture(scope="module")
def written(tmp_path_factory, rows_of, x, model):
    folder = tmp_path_factory.mktemp("written") / "lake"
    df = rows_of(x, np.arange(2000), even=np.arange(2000) % 2 == 0)
    summand.spark.write_index(df, folder, model=model, vectors=True, keep=["even"])
    return folder


@pytest.fixture(scope="module")
def oracle(x, model):
    return model.index_of(model.encode(x))


def test_a_model_is_the_same_for_any_partitions(rows_of, x):
    models = [
        summand.spark.train(rows_of(x, np.arange(2000), partitions=n), "vector", "IVF16,PQ4", learn_size=1200)
        for n in (1, 3)
    ]
    assert models[0].to_bytes() == models[1].to_bytes()


def test_codes_are_the_same_for_any_partitions(rows_of, x, model):
    expected = model.encode(x)
    for partitions in (1, 3):
        df = rows_of(x, np.arange(2000), partitions=partitions)
        table = summand.spark.encode(df, "vector", model).toArrow().sort_by("id")
        assert table.column_names == ["id", "cell", "code"]
        assert b"".join(table["code"].to_pylist()) == expected.codes.tobytes()
        np.testing.assert_array_equal(table["cell"], expected.cells)


def test_doubles_and_stored_biases_are_encoded(rows_of, x):
    model = summand.RowModel.train(x, "CQ3x4")
    df = rows_of(x[:100], np.arange(100)).withColumn("vector", sf.col("vector").cast("array<double>"))
    table = summand.spark.encode(df, "vector", model).toArrow().sort_by("id")
    np.testing.assert_array_equal(table["bias"], model.encode(x[:100]).bias)


@pytest.mark.parametrize("vector, why", [(None, "has no vector"), ([1.0], "has 1 values, expected 16")])
def test_a_bad_vector_is_told_by_its_key(spark, model, x, vector, why, tmp_path):
    df = spark.createDataFrame([(7, x[0].tolist()), (8, vector)], "id long, vector array<float>")
    with pytest.raises(PythonException, match=f"the row with the key 8 {why}"):
        summand.spark.encode(df, "vector", model, id="id").collect()
    with pytest.raises(PythonException, match=f"the row with the key 8 {why}"):
        summand.spark.write_index(df, tmp_path / "lake", model=model)
    assert not (tmp_path / "lake/lake.json").exists()


@pytest.mark.parametrize("how", [{}, {"broadcast_bytes": 0, "buckets": 1}, {"broadcast_bytes": 0, "buckets": 5}])
def test_answers_are_those_of_one_index(asked, written, oracle, queries, how):
    found = summand.spark.search(asked, written, k=10, probes=3, **how)
    assert_same(answers(found, 10), oracle.search(queries, k=10, probes=3))


def test_answers_without_cells_are_those_of_one_index(asked, rows_of, x, queries, tmp_path):
    model = summand.RowModel.train(x, "PQ4")
    summand.spark.write_index(rows_of(x, np.arange(2000)), tmp_path / "lake", model=model)
    found = summand.spark.search(asked, tmp_path / "lake", k=10, broadcast_bytes=0, buckets=3)
    assert_same(answers(found, 10), model.index_of(model.encode(x)).search(queries, k=10))


def test_filters_and_second_scores_are_those_of_one_index(asked, written, oracle, queries, x):
    even = oracle.search(queries, k=10, probes=5, filter=np.arange(2000) % 2 == 0)
    for how in ({}, {"broadcast_bytes": 0, "buckets": 2}):
        assert_same(answers(summand.spark.search(asked, written, 10, 5, filter="even", **how), 10), even)
    exact = summand.build(x, "IVF16,PQ4,Refine(fp32)").search(queries, k=5, probes=8, refine=60)
    assert_same(answers(summand.spark.search(asked, written, 5, 8, refine=60), 5), exact)


def test_from_lake_to_machine(written, oracle, queries):
    found, expected = summand.open(written).search(queries, k=10, probes=3), oracle.search(queries, k=10, probes=3)
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_appended_removed_and_replaced_rows(spark, asked, rows_of, x, queries, model, tmp_path):
    path = tmp_path / "lake"
    summand.spark.write_index(rows_of(x[:1000], np.arange(1000)), path, model=model)
    size = pa.array(np.arange(502), pa.int64())
    summand.spark.append(rows_of(x[1000:1502], np.r_[1000:1500, 3, 4], size=size), path, keep=["size"], replace=True)
    summand.spark.delete(spark.createDataFrame([(5,), (1200,), (99999,)], "id long"), path)
    ids = np.array([id for id in range(1500) if id not in (5, 1200)])
    rows = np.where(ids == 3, 1500, np.where(ids == 4, 1501, ids))
    expected = model.index_of(model.encode(x[rows])).search(queries, k=10, probes=4)
    expected.ids = ids[expected.ids]
    assert_same(answers(summand.spark.search(asked, path, k=10, probes=4), 10), expected)
    summand.spark.compact(path, file_count=3, keep_seconds=0)
    manifest = summand.lake.Lake(path).manifest
    assert manifest.rows == 1498 and not manifest.deletes and len(os.listdir(path / "data")) == len(manifest.files)
    assert_same(answers(summand.spark.search(asked, path, k=10, probes=4, broadcast_bytes=0, buckets=2), 10), expected)
    assert len(summand.lake.open(path, filter=pc.field("size") < 500)) == 499
    with pytest.raises(summand.Error, match="expected ids as int64, got string"):
        summand.spark.append(rows_of(x[:2], np.array(["a", "b"])), path)


def test_a_worker_that_is_killed_leaves_a_readable_table(fault, rows_of, x, queries, model, tmp_path):
    path = tmp_path / "lake"
    fault.touch()
    summand.spark.write_index(rows_of(x[:1000], np.arange(1000)), path, model=model, file_count=3)
    assert not fault.exists()  # a worker died, and its task was tried again
    names = os.listdir(path / "data")
    assert sum(name.endswith(".tmp") for name in names) == 1
    assert len(names) == 1 + len(summand.lake.Lake(path).manifest.files)
    before = summand.open(path)
    assert len(before) == 1000

    def always(batches):
        os.kill(os.getpid(), 9)
        yield from batches

    df = rows_of(x[1000:], np.arange(1000, 2000))
    with pytest.raises(Exception, match="(?i)crashed|exited|abort"):
        summand.spark.append(df.mapInArrow(always, df.schema), path)
    after = summand.open(path)
    assert after.ids.equals(before.ids)
    summand.spark.append(df, path)
    assert summand.open(path).ids.to_pylist() == list(range(2000))


def test_damaged_and_foreign_files_are_refused(asked, rows_of, x, model, tmp_path):
    path = tmp_path / "lake"
    summand.spark.write_index(rows_of(x[:500], np.arange(500)), path, model=model, file_count=1)
    [entry] = summand.lake.Lake(path).manifest.files
    data = bytearray((path / entry.path).read_bytes())
    data[300] ^= 1
    (path / entry.path).write_bytes(data)
    with pytest.raises(PythonException, match="row group 0 is damaged"):
        summand.spark.search(asked, path, k=1).collect()
    (path / entry.path).write_bytes(data[:-4])
    with pytest.raises(PythonException, match=f"expected {entry.bytes} bytes, got {entry.bytes - 4}"):
        summand.spark.search(asked, path, k=1).collect()
    other = summand.RowModel.train(x, "IVF16,PQ4", seed=5)
    with pytest.raises(summand.Error, match="keeps its model"):
        summand.spark.write_index(rows_of(x[:500], np.arange(500)), path, model=other, overwrite=True)


@pytest.mark.parametrize("join", ["inner", "leftouter"])
def test_one_word_changes_a_nearest_by_join(spark, rows_of, x, queries, join):
    left = rows_of(queries, [f"q{i}" for i in range(40)], "name")
    left = left.unionByName(spark.createDataFrame([("none", None)], "name string, vector array<float>"))
    right = rows_of(x, np.arange(2000))
    ranking = sf.call_function("vector_l2_distance", left.vector, right.vector)
    theirs = left.nearestByJoin(right, ranking, 3, "exact", "distance", joinType=join)
    full = {"spec": "IVF8,PQ4", "probes": 8, "refine": 2000, "broadcast_bytes": 0 if join == "inner" else 1 << 20}
    ours = summand.spark.knn_join(left, right, ranking, 3, "approx", "distance", joinType=join, **full)
    assert ours.columns == theirs.columns == ["name", "vector", "id", "vector"]

    def pairs(df):
        return sorted((row[0], -1 if row[2] is None else row[2]) for row in df.collect() if row[0] != "none")

    assert pairs(ours) == pairs(theirs)
    unmatched = [row for row in ours.collect() if row[0] == "none"]
    assert [row[2] for row in unmatched] == ([None] if join == "leftouter" else [])
    with pytest.raises(summand.Error, match="ranks by distance, got similarity"):
        summand.spark.knn_join(left, right, ranking, 3, "approx", "similarity")
    with pytest.raises(summand.Error, match="expected one of vector_l2_distance"):
        summand.spark.knn_join(left, right, sf.col("name") + sf.col("id"), 3, "approx", "distance")


def test_duckdb_and_delta_tables_read_and_feed_it(spark, asked, written, x, model, oracle, queries, tmp_path):
    manifest = json.loads((written / "lake.json").read_text())
    names = [str(written / entry["path"]) for entry in manifest["files"]]
    count = duckdb.sql(f"SELECT count(*), sum(octet_length(code)) FROM read_parquet({names}) WHERE cell < 8").fetchall()
    expected = int((model.encode(x).cells < 8).sum())
    assert count == [(expected, 4 * expected)]
    # A Delta table is Parquet: as a source of vectors, and as a target of codes.
    write_deltalake(tmp_path / "delta", pa.table({"id": np.arange(2000), "vector": pa.array(list(x))}))
    summand.lake.write_index(DeltaTable(tmp_path / "delta").to_pyarrow_dataset(), tmp_path / "lake", model=model)
    assert_same(answers(summand.spark.search(asked, tmp_path / "lake", 10, 3), 10), oracle.search(queries, k=10, probes=3))
    rows = summand.lake.Lake(tmp_path / "lake").table(["id", "cell", "code"])
    write_deltalake(tmp_path / "codes", rows)
    assert DeltaTable(tmp_path / "codes").to_pyarrow_table().sort_by("id")["code"].to_pylist() == [
        code.tobytes() for code in model.encode(x).codes
    ]
