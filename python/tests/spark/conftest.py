"""A Spark of its own: two threads that try a task three times."""

import os
import pathlib
import sys

import numpy as np
import pyarrow as pa
import pytest

import summand

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def fault(tmp_path_factory):
    """A file; while it is there, the next worker that writes dies half-way and takes it away."""
    return tmp_path_factory.mktemp("fault") / "kill"


@pytest.fixture(scope="session")
def spark(fault, tmp_path_factory):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = str(HERE / "fault")
    os.environ["SUMMAND_FAULT"] = str(fault)
    session = (
        SparkSession.builder.master("local[2,3]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.local.dir", str(tmp_path_factory.mktemp("local")))
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def queries(queries):
    return queries[:40]


@pytest.fixture(scope="session")
def model(x):
    return summand.RowModel.train(x, "IVF16,PQ4")


@pytest.fixture(scope="session")
def rows_of(spark):
    """A table of vectors with their keys, in so many partitions."""

    def make(x, ids, key="id", partitions=2, **columns):
        table = pa.table({key: ids, "vector": pa.array(list(x)), **columns})
        return spark.createDataFrame(table).repartition(partitions)

    return make


@pytest.fixture(scope="session")
def asked(rows_of, queries):
    return rows_of(queries, np.arange(100, 140), "query_id").cache()
