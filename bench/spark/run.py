#!/usr/bin/env python3
"""summand.spark beside the library, Spark's own join and a FAISS join, on a local Spark.

    ./dev bench spark [--base 1000000] [--queries 100000] [--columns 128] [--cores 1 2] [--json FILE]

    build   vectors per second and core of `write_index`, against the library's encoder on one thread: by the clock, and by
            processor time, which a busy machine changes less
    join    `knn_join` against `nearestByJoin` (every pair) on as many queries as take bearable time, and against a FAISS
            IVF,PQ index that is broadcast and refined by the vectors, as a user would write it: seconds and recall@10
            (part `build` also takes half and a quarter of the rows, and each number of cores: growth without fixed costs)

Vectors are clustered Gaussians with decaying variances. Every figure comes with the load of the machine.
"""
import argparse
import contextlib
import functools
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "python/requirements-spark.txt"
K = 10


def need(module, *what):
    if importlib.util.find_spec(module) is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *what], check=True)


def vectors(rows, columns, seed):
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((1000, columns)).astype(np.float32)
    scale = (np.arange(1, columns + 1) ** -0.4).astype(np.float32)
    return (centres[random.integers(0, 1000, rows)] + random.standard_normal((rows, columns), dtype=np.float32)) * scale


def write_parquet(path, x, key):
    import pyarrow as pa
    import pyarrow.parquet as pq

    os.makedirs(path)
    for number, rows in enumerate(np.array_split(np.arange(len(x)), 8)):
        values = pa.array(x[rows].reshape(-1))
        column = pa.FixedSizeListArray.from_arrays(values, x.shape[1]).cast(pa.list_(pa.float32()))
        pq.write_table(pa.table({key: rows, "vector": column}), f"{path}/{number}.parquet")


def session(cores, events):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.makedirs(events, exist_ok=True)
    return (SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
            .config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", events)
            .config("spark.eventLog.compress", "false").config("spark.eventLog.rolling.enabled", "false")
            .config("spark.driver.memory", "4g").config("spark.sql.shuffle.partitions", str(4 * cores)).getOrCreate())


def shuffled(events):
    """Bytes that the tasks of all sessions have written for others to read."""
    total = 0
    for path in pathlib.Path(events).iterdir():
        for line in path.read_text(encoding="utf-8").splitlines():
            metrics = json.loads(line).get("Task Metrics") or {}
            total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def worked():
    """Seconds of processor time of Spark: all processes that descend from this one."""
    parent, seconds = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            number = int(path.parent.name)
            parent[number], seconds[number] = int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    ours = {os.getpid()}
    while more := {child for child, own in parent.items() if own in ours} - ours:
        ours |= more
    return sum(seconds[number] for number in ours - {os.getpid()})


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def measure_build(folder, options):
    """Rates of the whole job, from Parquet to a committed lake, and of the library alone, in turns."""
    import summand
    import summand.spark

    x = vectors(options.base, options.columns, 1)
    sample, rates = x[:20000], []
    model = summand.RowModel.train(x[:50000], options.spec)
    events, rows_written = f"{folder}/events", 0
    for cores in options.cores:
        spark = session(cores, events)
        for part in (1, 2, 4) if cores == options.cores[0] else (1,):
            rows = len(x) // part
            path = f"{folder}/base{rows}"
            if not os.path.exists(path):
                write_parquet(path, x[:rows], "id")
            df = spark.read.parquet(path)
            summand.spark.encode(df.limit(100), "vector", model).count()  # workers are there
            lake = functools.partial(summand.spark.write_index, df, f"{folder}/lake{cores}-{rows}", model=model)
            before = time.process_time()
            library_seconds, _ = timed(lambda: model.encode(sample, threads=1))
            library, before = (time.process_time() - before) / len(sample), worked()
            seconds, _ = timed(lake)
            spark_cpu = (worked() - before) / rows
            rows_written += rows
            rates.append({"cores": cores, "rows": rows, "seconds": seconds, "rate_per_core": rows / seconds / cores,
                          "ratio": rows / seconds / cores * library_seconds / len(sample),
                          "cpu_rate": 1 / spark_cpu, "library_cpu_rate": 1 / library, "cpu_ratio": library / spark_cpu,
                          "load": os.getloadavg()[0]})
            print(rates[-1], flush=True)
        spark.stop()
    return {"rates": rates, "shuffled_bytes_per_row": shuffled(events) / rows_written}


def recall(found, truth):
    return float(np.mean([len(set(own) & set(true)) / K for own, true in zip(found, truth)]))


def rows_of(df, queries):
    """Ids found of each query."""
    result = [[] for _ in range(queries)]
    for row in df.toArrow().to_pylist():
        result[row["query_id"]].append(row["id"])
    return result


def faiss_join(spark, left, base, columns, probes, refine):
    """As a user would write it: an index on the driver, broadcast, and searched by each batch of queries."""
    import faiss
    import pyarrow as pa

    faiss.omp_set_num_threads(1)
    x = np.stack(base.orderBy("id").toArrow()["vector"].to_numpy())
    pieces = next(count for count in (8, 10, 12, 16, 1) if columns % count == 0)
    index = faiss.index_factory(columns, f"IVF{1 << (2 * int(len(x) ** 0.5)).bit_length() - 1},PQ{pieces},RFlat")
    index.train(x[:50000])
    index.add(x)
    shared = spark.sparkContext.broadcast(faiss.serialize_index(index))

    def search(batches):
        faiss.omp_set_num_threads(1)
        own = faiss.deserialize_index(shared.value)
        faiss.extract_index_ivf(own.base_index).nprobe = probes
        own.k_factor = refine / K
        for batch in batches:
            asked = np.stack(batch.column("vector").to_numpy(zero_copy_only=False))
            ids = own.search(asked, K)[1].reshape(-1)
            keys = np.repeat(batch.column("query_id").to_numpy(), K)
            yield pa.RecordBatch.from_pydict({"query_id": keys, "id": ids})

    return left.mapInArrow(search, "query_id long, id long")


def measure_join(folder, options):
    import summand
    import summand.spark
    from pyspark.sql import functions as sf

    cores = options.cores[-1]
    spark = session(cores, f"{folder}/join-events")
    base, queries = vectors(options.base, options.columns, 1), vectors(options.queries, options.columns, 2)
    write_parquet(f"{folder}/join-base", base, "id")
    write_parquet(f"{folder}/join-queries", queries, "query_id")
    right, left = spark.read.parquet(f"{folder}/join-base"), spark.read.parquet(f"{folder}/join-queries")
    ranking = sf.call_function("vector_l2_distance", left.vector, right.vector)
    truth = summand.exact_neighbors(base, queries[: options.exact_queries], K, threads=cores).ids
    some = left.where(sf.col("query_id") < options.exact_queries)
    result = {}

    def case(name, count, work):
        seconds, found = timed(lambda: rows_of(work().select("query_id", "id"), options.queries))
        result[name] = {"seconds": seconds, "queries": count, "queries_per_second": count / seconds,
                        "recall": recall(found[: len(truth)], truth), "load": os.getloadavg()[0]}
        print(name, result[name], flush=True)

    some_ranking = sf.call_function("vector_l2_distance", some.vector, right.vector)
    case("nearestByJoin", options.exact_queries, lambda: some.nearestByJoin(right, some_ranking, K, "approx", "distance"))
    case("knn_join", options.queries, lambda: summand.spark.knn_join(
        left, right, ranking, K, "approx", "distance", probes=options.probes, refine=options.refine))
    case("FAISS", options.queries, lambda: faiss_join(spark, left, right, options.columns, options.probes, options.refine))
    spark.stop()
    return result


def main():
    parser = argparse.ArgumentParser(prog="./dev bench spark", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="*", choices=["build", "join"], default=["build", "join"])
    parser.add_argument("--base", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--exact-queries", type=int, default=100, help="of nearestByJoin, whose time grows with each")
    parser.add_argument("--columns", type=int, default=128)
    parser.add_argument("--spec", default="IVF256,LOCQ8", help="of the build")
    parser.add_argument("--cores", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--probes", type=int, default=32)
    parser.add_argument("--refine", type=int, default=100)
    parser.add_argument("--json", type=pathlib.Path, help="write what was measured to this file")
    options = parser.parse_args()
    need("pyspark", "-r", str(REQUIREMENTS))
    need("faiss", "faiss-cpu")
    need("summand", str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        measure = {"build": measure_build, "join": measure_join}
        measured = {part: measure[part](folder, options) for part in options.parts}
    if options.json:
        options.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
