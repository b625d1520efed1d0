"""An index as a Parquet table, built and searched on Spark (docs/lake.md).

    model = summand.spark.train(df, "vector", "IVF256,LOCQ8")
    summand.spark.write_index(df, path, column="vector", id="id", model=model)
    summand.spark.search(queries_df, path, k=10, probes=16)      # rows query_id, id, score, rank
    summand.spark.knn_join(left, right, sf.call_function("vector_l2_distance", left.v, right.v), 10, "approx", "distance")

Spark is the engine: tasks are pure functions of Arrow batches, with one thread each. ``path`` is a folder that the driver
and all executors see. Answers are those of one index of the same model, bit for bit, for any number of partitions.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from dataclasses import replace as replace_fields
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import BinaryType, FloatType, IntegerType, StructField, StructType

from . import _core
from . import _lake_table as files
from ._core import Error
from ._lake_batches import Packed, ids_of, rescored, single, vectors_of, visits
from ._lake_batches import encode as encode_batch
from ._lake_index import Lake, map_packed, save_packed
from ._rows import RowModel
from ._types import Floats, Metric
from .lake import KEEP_SECONDS, kept_columns, started, with_ids

__all__ = ["append", "compact", "delete", "encode", "knn_join", "search", "train", "write_index"]

Batches = Iterator[pa.RecordBatch]

BROADCAST_BYTES = 512 << 20  # of an index that every executor gets whole
BUCKET_ROWS = 4_000_000  # that a task searches at once where the index is larger
FILE_ROWS = 4_000_000  # that compact writes to a file
FEW_ROWS = 4096  # that a join had better compare one by one


class _SharedModel:
    """A model that an executor is sent once, and that a worker makes once."""

    _sent: dict[tuple[str, str, int], Any] = {}  # of the driver
    _made: dict[tuple[str, int], RowModel] = {}  # of a worker

    def __init__(self, spark: SparkSession, model: RowModel) -> None:
        self._name = (model.identity, model.seed)
        key = (spark.sparkContext.applicationId, *self._name)
        if key not in self._sent:
            self._sent[key] = spark.sparkContext.broadcast(model)
        self._value = self._sent[key]

    def __call__(self) -> RowModel:
        if self._name not in self._made:
            self._made[self._name] = self._value.value
        return self._made[self._name]


def _plain(schema: pa.Schema) -> pa.Schema:
    """As Spark hands columns on: codes and vectors have no fixed size there."""

    def kind(given: pa.DataType) -> pa.DataType:
        if pa.types.is_fixed_size_binary(given):
            return pa.binary()
        return pa.list_(given.value_type) if pa.types.is_fixed_size_list(given) else given

    return pa.schema([(field.name, kind(field.type)) for field in schema])


def _as_spark(table: pa.Table | pa.RecordBatch) -> pa.Table:
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    return table.cast(_plain(table.schema))


def _of_code(model: RowModel) -> list[StructField]:
    fields = [StructField("cell", IntegerType(), False), StructField("code", BinaryType(), False)]
    return fields + ([StructField("bias", FloatType(), False)] if model.stores_bias else [])


def train(
    df: DataFrame,
    column: str,
    spec: str,
    *,
    metric: Metric | None = None,
    seed: int = 1,
    learn_size: int = 0,
    threads: int = 0,
) -> RowModel:
    """Learns a model on the driver, from vectors that the cluster draws: the same ones whatever the partitions.

    ``learn_size`` is how many are drawn; 0: as many as :func:`summand.build` would.
    """
    given = df.select(sf.col(column).alias("vector")).where(sf.col("vector").isNotNull())
    first = given.first()
    if first is None:
        raise Error(f"train: column {column}: expected at least one vector, got none")
    dimensions, rows = len(first["vector"]), given.count()
    size = min(rows, learn_size or _core.usual_learn_size(spec, rows, dimensions))
    # The smallest hashes are a sample. A few more are fetched than are needed, so that there are enough.
    share = min(1.0, (size + 8 * size**0.5 + 8) / rows)
    limit = int(-(2**63) + share * (2**64 - 1)) if share < 1 else 2**63 - 1
    hashed = given.withColumn("hash", sf.xxhash64("vector")).where(sf.col("hash") <= sf.lit(limit))
    table = hashed.toArrow().sort_by("hash").slice(0, size)
    sample = vectors_of(single(table.column("vector")), dimensions, column)
    return RowModel.train(sample, spec, metric=metric, seed=seed, threads=threads)


def encode(df: DataFrame, column: str, model: RowModel, *, id: str | None = None) -> DataFrame:
    """The rows with ``cell``, ``code`` and where the method has one ``bias`` instead of the column of vectors.

    A vector that is missing, of other dimensions or not finite is an error that names the row by the column ``id``.
    """
    shared = _SharedModel(df.sparkSession, model)

    def work(batches: Batches) -> Batches:
        for batch in batches:
            for part in encode_batch(shared(), batch, column, id):
                yield from _as_spark(part).to_batches()

    kept = [field for field in df.schema.fields if field.name != column]
    return df.mapInArrow(work, StructType(kept + _of_code(model)))


def _encoded(
    df: DataFrame, lake: Lake, model: RowModel, column: str, id: str, keep: Sequence[str], columns: dict[str, str]
) -> DataFrame:
    """Rows of a lake."""
    shared, vectors = _SharedModel(df.sparkSession, model), lake.manifest.vectors
    names = [*lake.row_columns, *keep, *(["vector"] if vectors else [])]
    schema = _plain(lake.schema(names))

    def work(batches: Batches) -> Batches:
        for batch in batches:
            given = with_ids(batch, id, column, keep, columns)
            for part in encode_batch(shared(), given, column, "id", vectors):
                yield from pa.Table.from_batches([part]).select(names).cast(schema).to_batches()

    return df.select(*dict.fromkeys([id, column, *keep])).mapInArrow(work, from_arrow_schema(schema))


def _bucket(model: RowModel, buckets: int) -> Column:
    """Which bucket a row belongs to: runs of cells, or parts of all rows where there are none."""
    if not model.cells:
        return sf.pmod(sf.xxhash64("id"), sf.lit(buckets)).cast("int")
    return sf.floor(sf.col("cell").cast("long") * sf.lit(buckets) / sf.lit(model.cells)).cast("int")


def _write(rows: DataFrame, lake: Lake, model: RowModel, count: int) -> tuple[files.FileEntry, ...]:
    """Files of rows, each of a run of cells and in their order. Only what tasks that succeed have written is returned."""
    count = max(1, min(count, model.cells or count))
    names, folder, commit = rows.columns, lake.path, lake.manifest.commit + 1
    schema, shared = lake.schema(names), _SharedModel(rows.sparkSession, model)

    def work(batches: Batches) -> Batches:
        tables = (pa.Table.from_batches([batch]).cast(schema) for batch in batches)
        entry = files.write_file(folder, "data", tables, shared(), commit)
        if entry is not None:
            yield pa.RecordBatch.from_pydict({"entry": [json.dumps(asdict(entry))]})

    ordered = rows.repartitionById(count, _bucket(model, count)).sortWithinPartitions("cell", "id")
    return _entries(ordered.mapInArrow(work, "entry string"))


def _write_deletes(ids: DataFrame, lake: Lake) -> tuple[files.FileEntry, ...]:
    folder, model, commit = lake.path, lake.model, lake.manifest.commit + 1
    id_type, shared = lake.id_type, _SharedModel(ids.sparkSession, model)
    name = ids.columns[0]

    def work(batches: Batches) -> Batches:
        tables = (pa.table({"id": ids_of(batch.column(0), name).cast(id_type)}) for batch in batches)
        entry = files.write_file(folder, "deletes", tables, shared(), commit)
        if entry is not None:
            yield pa.RecordBatch.from_pydict({"entry": [json.dumps(asdict(entry))]})

    return _entries(ids.distinct().mapInArrow(work, "entry string"))


def _entries(written: DataFrame) -> tuple[files.FileEntry, ...]:
    found = [json.loads(row["entry"]) for row in written.collect()]
    entries = map(files.FileEntry.of, found)
    return tuple(sorted(entries, key=lambda entry: (entry.cells, entry.path)))


def _usual_files(df: DataFrame, count: int) -> int:
    return count or int(str(df.sparkSession.conf.get("spark.sql.shuffle.partitions")))


def _added(
    df: DataFrame, before: files.Manifest, folder: str, model: RowModel, column: str, id: str, keep: Sequence[str]
) -> tuple[Lake, DataFrame]:
    """The lake with the columns that are added, and the rows to add."""
    schema = to_arrow_schema(df.select(*dict.fromkeys([id, *keep])).schema)
    columns = kept_columns(schema, keep, before.columns, folder)
    kind = schema.field(id).type
    id_type = "string" if pa.types.is_string(kind) else "int64"
    if before.id and before.id != id_type:
        raise Error(f"{folder}: column {id}: expected ids as {before.id}, got {kind}")
    lake = Lake(folder, replace_fields(before, id=id_type, columns=columns))
    return lake, _encoded(df, lake, model, column, id, keep, columns)


def write_index(
    df: DataFrame,
    path: str | os.PathLike[str],
    *,
    column: str = "vector",
    id: str = "id",
    model: RowModel,
    keep: Sequence[str] = (),
    vectors: bool = False,
    overwrite: bool = False,
    file_count: int = 0,
) -> None:
    """Writes the codes of a table's vectors as a new lake; the arguments are those of :func:`summand.lake.write_index`.

    Each of the ``file_count`` files has a run of cells; 0: as many as Spark shuffles to. The lake is there, or replaced,
    once all of them are written.
    """
    folder = os.path.abspath(path)
    with files.writing(folder):
        before = started(folder, model, vectors, overwrite)
        lake, rows = _added(df, before, folder, model, column, id, keep)
        written = _write(rows, lake, model, _usual_files(df, file_count))
        files.commit(folder, lake.manifest, files=written)


def append(
    df: DataFrame,
    path: str | os.PathLike[str],
    *,
    column: str = "vector",
    id: str = "id",
    keep: Sequence[str] = (),
    replace: bool = False,
    file_count: int = 0,
) -> None:
    """Adds vectors, in one step; the arguments are those of :func:`summand.lake.append`."""
    folder = os.path.abspath(path)
    with files.writing(folder):
        old = Lake(folder)
        lake, rows = _added(df, old.manifest, folder, old.model, column, id, keep)
        written = _write(rows, lake, old.model, _usual_files(df, file_count))
        gone = _write_deletes(df.select(id), lake) if replace else ()
        before = lake.manifest
        files.commit(folder, before, files=before.files + written, deletes=before.deletes + gone)


def delete(df: DataFrame, path: str | os.PathLike[str], *, id: str = "id") -> None:
    """Removes the ids of a column, in one step; those that are not there are no error."""
    folder = os.path.abspath(path)
    with files.writing(folder):
        lake = Lake(folder)
        gone = _write_deletes(df.select(id), lake)
        files.commit(folder, lake.manifest, deletes=lake.manifest.deletes + gone)


def compact(
    path: str | os.PathLike[str], *, file_count: int = 0, keep_seconds: float = KEEP_SECONDS
) -> None:
    """Writes the live rows anew, each file a run of cells; see :func:`summand.lake.compact`."""
    folder = os.path.abspath(path)
    spark = _session()
    with files.writing(folder):
        lake = Lake(folder)
        names = [*lake.row_columns, *lake.manifest.columns, *(["vector"] if lake.manifest.vectors else [])]
        count = file_count or -(-lake.manifest.rows // FILE_ROWS)
        written = _write(_scan(spark, lake, names), lake, lake.model, count)
        after = files.commit(folder, lake.manifest, files=written, deletes=())
        remaining = files.remove_retired(folder, after, keep_seconds)
        if remaining.retired != after.retired:
            files.commit(folder, remaining)


def _session() -> SparkSession:
    spark = SparkSession.getActiveSession()
    if spark is None:
        raise Error("spark: there is no active session")
    return spark


def _scan(spark: SparkSession, lake: Lake, columns: Sequence[str]) -> DataFrame:
    """Live rows of a lake, a task for each file, which checks it as it reads."""
    path, manifest, names = lake.path, lake.manifest, list(columns)
    schema = _plain(lake.schema(names))

    def work(batches: Batches) -> Batches:
        own = Lake(path, manifest)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for table in own.file_tables(manifest.files[number], names):
                    yield from table.cast(schema).to_batches()

    count = len(manifest.files)
    return spark.range(0, count, 1, max(1, count)).mapInArrow(work, from_arrow_schema(schema))


def search(
    queries_df: DataFrame,
    path: str | os.PathLike[str],
    k: int = 10,
    probes: int = 16,
    *,
    column: str = "vector",
    query_id: str = "query_id",
    reach: float = 0,
    filter: Column | str | None = None,
    refine: int = 0,
    broadcast_bytes: int = BROADCAST_BYTES,
    buckets: int = 0,
) -> DataFrame:
    """The k best of each query as rows ``query_id, id, score, rank``; ranks begin with 1, query ids are unique.

    An index of up to ``broadcast_bytes`` goes to every executor whole, as a mapped file. Of a larger one, queries go to
    the cells that they visit: each task searches one of ``buckets`` runs of cells, and the partial answers are merged.
    ``filter`` is a condition on columns of the lake. ``refine`` is how many candidates are scored again by their vectors,
    which the lake must keep.
    """
    lake, spark = Lake(path), queries_df.sparkSession
    if refine and not lake.manifest.vectors:
        raise Error(f"{lake.path}: refine needs the vectors, which are kept where the lake is written with vectors=True")
    queries = queries_df.select(sf.col(query_id).alias("query_id"), sf.col(column).alias("vector"))
    names = lake.row_columns
    if filter is None:
        rows = _scan(spark, lake, names)
    else:
        rows = _scan(spark, lake, [*names, *lake.manifest.columns]).where(filter).select(*names)
    asked = _Asked(max(k, refine), probes if lake.model.cells else 0, reach, column, lake.model.dimensions)
    name = f"{lake.path}#{lake.manifest.commit}" if filter is None else ""
    size = _Size(lake.manifest.rows, broadcast_bytes, buckets)
    found = _found(queries, rows, lake.model, asked, size, name)
    return _refined(found, queries, _scan(spark, lake, ["id", "vector"]), lake.model, k) if refine else found


@dataclass(frozen=True)
class _Asked:
    """What a search is asked; tasks have it."""

    k: int
    probes: int
    reach: float
    column: str
    dimensions: int

    def vectors(self, keys: pa.Array, lists: pa.Array) -> Floats:
        return vectors_of(lists, self.dimensions, self.column, keys)

    def answers(self, packed: Packed, keys: pa.Array, lists: pa.Array) -> pa.Table:
        found = packed.search(self.vectors(keys, lists), self.k, probes=self.probes, reach=self.reach)
        return packed.answers(keys, *found)


def _found(queries: DataFrame, rows: DataFrame, model: RowModel, asked: _Asked, size: _Size, name: str) -> DataFrame:
    """The k best of rows; ``name`` tells rows that may be searched again."""
    fields = [queries.schema["query_id"], StructField("id", rows.schema["id"].dataType), StructField("score", FloatType())]
    if size.rows * (model.code_bytes + 16) > size.broadcast_bytes:
        partial = _partial(queries, rows, model, asked, size.buckets or -(-size.rows // BUCKET_ROWS), StructType(fields))
        return _ranked(partial, asked.k)
    shared = _SharedIndex.of(queries.sparkSession, model, rows, name)

    def work(batches: Batches) -> Batches:
        for batch in batches:
            yield from asked.answers(shared(), batch.column("query_id"), batch.column("vector")).to_batches()

    return queries.mapInArrow(work, StructType([*fields, StructField("rank", IntegerType())]))


class _Size(NamedTuple):
    """What decides between one index for all executors and one for each task."""

    rows: int
    broadcast_bytes: int
    buckets: int


def _partial(
    queries: DataFrame, rows: DataFrame, model: RowModel, asked: _Asked, count: int, schema: StructType
) -> DataFrame:
    """Answers from each bucket of cells to the queries that visit one of them."""
    shared, cells, empty = _SharedModel(queries.sparkSession, model), model.cells, to_arrow_schema(schema).empty_table()

    def route(batches: Batches) -> Batches:
        for batch in batches:
            vectors = asked.vectors(batch.column("query_id"), batch.column("vector"))
            if cells:
                numbers, visited = visits(shared(), vectors, asked.probes, asked.reach)
                pairs = np.unique(np.stack([numbers, visited.astype(np.int64) * count // cells]), axis=1)
            else:
                pairs = np.indices((len(vectors), count)).reshape(2, -1)
            routed = batch.take(pa.array(pairs[0]))
            yield routed.append_column("bucket", pa.array(pairs[1].astype(np.int32)))

    def search_bucket(own: pa.Table, bucket: pa.Table) -> pa.Table:
        if not own.num_rows or not bucket.num_rows:
            return empty
        packed = Packed.of(shared(), bucket)
        return asked.answers(packed, single(own.column("query_id")), single(own.column("vector"))).drop_columns(["rank"])

    routed = queries.mapInArrow(route, StructType([*queries.schema.fields, StructField("bucket", IntegerType())]))
    bucketed = rows.withColumn("bucket", _bucket(model, count))
    return routed.groupBy("bucket").cogroup(bucketed.groupBy("bucket")).applyInArrow(search_bucket, schema)


class _SharedIndex:
    """An index that every executor gets as two files, which its workers map."""

    _sent: dict[tuple[str, str], _SharedIndex] = {}
    _mapped: dict[str, Packed] = {}

    def __init__(self, spark: SparkSession, packed: Packed) -> None:
        folder = tempfile.TemporaryDirectory(prefix="summand-spark-")
        atexit.register(folder.cleanup)  # executors may ask for the files as long as the session lives
        name = uuid.uuid4().hex
        self._files = []
        for path in save_packed(packed, folder.name):
            unique = os.path.join(folder.name, f"{name}-{os.path.basename(path)}")
            os.rename(path, unique)
            spark.sparkContext.addFile(unique)
            self._files.append(os.path.basename(unique))

    @staticmethod
    def of(spark: SparkSession, model: RowModel, rows: DataFrame, name: str) -> _SharedIndex:
        """``name`` tells rows that were shared before; empty: they were not."""
        key = (spark.sparkContext.applicationId, name)
        if name and key in _SharedIndex._sent:
            return _SharedIndex._sent[key]
        shared = _SharedIndex(spark, Packed.of(model, rows.toArrow()))
        if name:
            _SharedIndex._sent[key] = shared
        return shared

    def __call__(self) -> Packed:
        if self._files[0] not in self._mapped:
            self._mapped[self._files[0]] = map_packed(*(SparkFiles.get(name) for name in self._files))
        return self._mapped[self._files[0]]


def _ranked(found: DataFrame, k: int) -> DataFrame:
    """The k best of each query of partial answers."""
    order = Window.partitionBy("query_id").orderBy("score", "id")
    return found.withColumn("rank", sf.row_number().over(order)).where(sf.col("rank") <= k)


def _refined(found: DataFrame, queries: DataFrame, vectors: DataFrame, model: RowModel, k: int) -> DataFrame:
    """Candidates ranked by the scores of their vectors."""
    shared, dimensions = _SharedModel(found.sparkSession, model), model.dimensions
    schema = StructType([found.schema["query_id"], found.schema["id"], found.schema["score"]])
    asked = queries.select("query_id", sf.col("vector").alias("query"))
    candidates = found.select("query_id", "id").join(vectors, "id").join(asked, "query_id")

    def work(rows: pa.Table) -> pa.Table:
        query = vectors_of(single(rows.column("query").slice(0, 1)), dimensions, "query")
        return rescored(shared(), query[0], rows)

    return _ranked(candidates.groupBy("query_id").applyInArrow(work, schema), k)


_RANKING = re.compile(r"(vector_l2_distance|vector_inner_product|vector_cosine_similarity)\((\w+), (\w+)\)")
_METRICS: dict[str, tuple[Metric, str]] = {
    "vector_l2_distance": ("euclidean", "distance"),
    "vector_inner_product": ("ip", "similarity"),
    "vector_cosine_similarity": ("cosine", "similarity"),
}


def knn_join(
    left: DataFrame,
    other: DataFrame,
    rankingExpression: Column,
    numResults: int,
    mode: str,
    direction: str,
    *,
    joinType: str = "inner",
    spec: str = "",
    probes: int = 16,
    refine: int = 0,
    learn_size: int = 0,
    broadcast_bytes: int = BROADCAST_BYTES,
    buckets: int = 0,
) -> DataFrame:
    """``left.nearestByJoin(other, …)`` by an index of ``other`` that is made for the join.

    ``rankingExpression`` is one of Spark's vector_l2_distance ("distance"), vector_inner_product and
    vector_cosine_similarity ("similarity") of a column of ``left`` and one of ``other``. ``mode`` "exact" is
    nearestByJoin itself. ``spec`` is that of the index, ``probes`` its cells that a row of ``left`` visits, and ``refine`` how
    many candidates are ranked by their vectors; 0: ten for each result.
    """
    if mode == "exact":
        return left.nearestByJoin(other, rankingExpression, numResults, mode, direction, joinType=joinType)
    if mode != "approx" or joinType not in ("inner", "leftouter"):
        raise Error(f"knn_join: expected approx or exact, and inner or leftouter, got {mode} and {joinType}")
    function, first, second = _ranking_of(rankingExpression)
    metric, expected = _METRICS[function]
    if direction != expected:
        raise Error(f"knn_join: {function} ranks by {expected}, got {direction}")
    if first not in left.columns or second not in other.columns:
        raise Error(f"knn_join: expected {function} of a column of the left side and one of the right, got {first}, {second}")
    # Numbers of rows must not change between the search and the join: both sides are kept as they are now.
    asked = left.withColumn("_query", sf.monotonically_increasing_id()).localCheckpoint()
    base = other.withColumn("_id", sf.monotonically_increasing_id()).localCheckpoint()
    size = base.count()
    if not spec and size < FEW_ROWS:
        return left.nearestByJoin(other, rankingExpression, numResults, mode, direction, joinType=joinType)
    chosen = spec or f"IVF{1 << (2 * int(size**0.5)).bit_length() - 1},PQ8"
    model = train(base, second, chosen, metric=metric, learn_size=learn_size)
    rows = encode(base.select(sf.col("_id").alias("id"), second), second, model, id="id")
    queries = asked.select(sf.col("_query").alias("query_id"), sf.col(first).alias("vector"))
    there = queries.where(sf.col("vector").isNotNull())
    count = max(numResults, refine or 10 * numResults)
    how_many = _Asked(count, probes if model.cells else 0, 0, first, model.dimensions)
    candidates = _found(there, rows, model, how_many, _Size(size, broadcast_bytes, buckets), "")
    vectors = base.select(sf.col("_id").alias("id"), sf.col(second).alias("vector"))
    found = _refined(candidates, there, vectors, model, numResults)
    how = "left" if joinType == "leftouter" else "inner"
    joined = asked.alias("l").join(found.alias("f"), sf.col("l._query") == sf.col("f.query_id"), how)
    joined = joined.join(base.alias("r"), sf.col("f.id") == sf.col("r._id"), how)
    names = [("l", name) for name in left.columns] + [("r", name) for name in other.columns]
    return joined.select(*(sf.col(f"{side}.`{name}`") for side, name in names))


def _ranking_of(expression: Column) -> tuple[str, str, str]:
    match = _RANKING.search(str(expression))
    if match is None:
        raise Error(f"knn_join: expected one of {', '.join(_METRICS)} of two columns, got {expression}")
    return match[1], match[2], match[3]
