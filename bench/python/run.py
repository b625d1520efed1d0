#!/usr/bin/env python3
"""The Python package beside its peers, in one run on one machine.

    ./dev bench python --data DIR --plot FILE.svg --table FILE.md      DIR holds base, learn and query (.bvecs or .fvecs)
    ./dev bench python --overhead                  what Python costs over the library: a call, a batch, memory of a build

Each library builds an index of the same vectors from its newest wheel and is searched at several settings: bytes per
vector, build time, and recall (share of the 10 nearest among 10 answers) against queries per second, on one thread, all
queries in one call. Settings are measured in turns; the best of them counts. Libraries that are not installed are left out
and named.
"""
import argparse
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, find, interleaved, read_vecs, seconds  # noqa: E402

K = 10


def need_summand():
    """Installs the package of this tree; what was built before is built on."""
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)], check=True)


class Summand:
    def __init__(self, base, learn, spec, settings):
        import summand
        self.index = summand.build(base, spec, learn=learn)
        self.name, self.settings = f"summand {spec}", settings
        self.bytes = self.index.memory_bytes / len(base)

    def search(self, queries, setting):
        return self.index.search(queries, K, threads=1, **setting).ids


class Faiss:
    def __init__(self, base, learn, factory, settings, parameter):
        import faiss
        self.faiss, self.parameter = faiss, parameter
        self.index = faiss.index_factory(base.shape[1], factory)
        self.index.train(learn)
        self.index.add(base)
        self.name, self.settings = f"faiss {factory}", settings
        self.bytes = len(faiss.serialize_index(self.index)) / len(base)
        faiss.omp_set_num_threads(1)

    def search(self, queries, setting):
        self.faiss.ParameterSpace().set_index_parameter(self.index, self.parameter, setting)
        return self.index.search(queries, K)[1]


class Scann:
    def __init__(self, base, learn, settings):
        import scann
        leaves = int(len(base) ** 0.5)
        self.index = (scann.scann_ops_pybind.builder(base, K, "squared_l2")
                      .tree(leaves, max(settings), training_sample_size=len(learn))
                      .score_ah(2, anisotropic_quantization_threshold=0.2).reorder(100).build())
        self.name, self.settings = "scann tree, AH 2, reorder 100", settings
        self.bytes = base.shape[1] * 4 + base.shape[1] / 4   # as its documentation says; it tells none itself

    def search(self, queries, setting):
        return self.index.search_batched(queries, leaves_to_search=setting)[0]


class Usearch:
    def __init__(self, base, learn, settings):
        from usearch.index import Index
        self.index = Index(ndim=base.shape[1], metric="l2sq", dtype="f16")
        self.index.add(np.arange(len(base)), base)
        self.name, self.settings = "usearch HNSW f16", settings
        self.bytes = self.index.memory_usage / len(base)

    def search(self, queries, setting):
        self.index.expansion_search = setting
        return self.index.search(queries, K, threads=1).keys


class Hnswlib:
    def __init__(self, base, learn, settings):
        import hnswlib
        self.index = hnswlib.Index(space="l2", dim=base.shape[1])
        self.index.init_index(max_elements=len(base), ef_construction=100, M=16)
        self.index.add_items(base)
        self.index.set_num_threads(1)
        self.name, self.settings = "hnswlib M=16", settings
        self.bytes = self.index.index_file_size() / len(base)

    def search(self, queries, setting):
        self.index.set_ef(setting)
        return self.index.knn_query(queries, K)[0]


def makers(rows):
    """Every index that is compared, by the module that it needs."""
    cells = 1 << max(4, int(np.log2(rows)) // 2)
    probes = [p for p in (1, 2, 4, 8, 16, 32, 64) if p <= cells]
    refined = [{"probes": p, "refine": r} for p in probes for r in (50, 200)]
    effort = [16, 32, 64, 128, 256]
    return [
        ("summand", lambda b, l: Summand(b, l, "LOCQ8", [{}])),
        ("summand", lambda b, l: Summand(b, l, f"IVF{cells},LOCQ16", [{"probes": p} for p in probes])),
        ("summand", lambda b, l: Summand(b, l, f"IVF{cells},LOCQ8,Refine(fp16)", refined)),
        ("faiss", lambda b, l: Faiss(b, l, "PQ8", [0], "verbose")),
        ("faiss", lambda b, l: Faiss(b, l, f"IVF{cells},PQ16", probes, "nprobe")),
        ("faiss", lambda b, l: Faiss(b, l, "HNSW16", effort, "efSearch")),
        ("scann", lambda b, l: Scann(b, l, probes)),
        ("usearch", lambda b, l: Usearch(b, l, effort)),
        ("hnswlib", lambda b, l: Hnswlib(b, l, effort)),
    ]


def measure(maker, base, learn, queries, truth, rounds):
    begin = time.perf_counter()
    index = maker(base, learn)
    build_seconds = time.perf_counter() - begin
    recalls = [float(np.mean([len(set(a) & set(t)) / K for a, t in zip(index.search(queries, s), truth)]))
               for s in index.settings]
    times = interleaved(rounds, {i: lambda s=s: seconds(lambda: index.search(queries, s))
                                 for i, s in enumerate(index.settings)})
    return {"name": index.name, "bytes": index.bytes, "build_seconds": build_seconds,
            "points": [{"setting": setting, "recall": recalls[i], "queries_per_second": len(queries) / times[i]}
                       for i, setting in enumerate(index.settings)]}


def frontier(points):
    """Points that no other one beats in recall and speed."""
    best = []
    for point in sorted(points, key=lambda p: -p["queries_per_second"]):
        if not best or point["recall"] > best[-1]["recall"]:
            best.append(point)
    return best


ENOUGH = 0.9  # recall at which the table compares speed


def table(result):
    """Markdown: one row for each index, speed where it first reaches enough recall."""
    lines = [f"{result['rows']:,} vectors, {result['queries']:,} queries, {K} nearest, one thread, all queries in one call.", "",
             f"| index | bytes per vector | build, s | highest recall | queries/s at recall {ENOUGH} |", "|---|---|---|---|---|"]
    for row in result["indexes"]:
        enough = [point for point in row["points"] if point["recall"] >= ENOUGH]
        fastest = max(enough, key=lambda point: point["queries_per_second"], default=None)
        speed = f"{fastest['queries_per_second']:,.0f} (recall {fastest['recall']:.3f})" if fastest else "not reached"
        highest = max(point["recall"] for point in row["points"])
        lines.append(f"| {row['name']} | {row['bytes']:.1f} | {row['build_seconds']:.1f} | {highest:.3f} | {speed} |")
    if result["missing"]:
        lines += ["", "Not installed: " + ", ".join(result["missing"]) + "."]
    return "\n".join(lines)


def draw(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    for row in rows:
        points = frontier(row["points"])
        plt.plot([p["recall"] for p in points], [p["queries_per_second"] for p in points], marker="o",
                 label=f"{row['name']} ({row['bytes']:.0f} bytes)")
    plt.yscale("log")
    plt.xlabel(f"share of the {K} nearest found among {K} answers")
    plt.ylabel("queries per second, one thread")
    plt.legend(fontsize="x-small")
    plt.savefig(path)


def peers(arguments):
    base, learn, queries = (read_vecs(find(arguments.data, name)).astype(np.float32) for name in ("base", "learn", "query"))
    base, queries = base[:arguments.rows], queries[:arguments.queries]
    import summand
    truth = summand.exact_neighbors(base, queries, K).ids
    rows, missing = [], set()
    for module, maker in makers(len(base)):
        try:
            importlib.import_module(module)
        except ImportError:
            missing.add(module)
            continue
        row = measure(maker, base, learn, queries, truth, arguments.rounds)
        rows.append(row)
        print(f"measured {row['name']}", file=sys.stderr, flush=True)
    result = {"rows": len(base), "queries": len(queries), "indexes": rows, "missing": sorted(missing)}
    print(table(result))
    if arguments.table:
        arguments.table.write_text(table(result) + "\n")
    if arguments.plot:
        draw(rows, arguments.plot)
    return result


# Of a build from an array of 1 GB, beyond what a build of a little of it has taken before.
PEAK = """
import resource
import numpy as np
import summand
x = np.empty((4_000_000, 64), np.float32)
for first in range(0, len(x), 10_000):
    x[first:first + 10_000] = np.random.default_rng(first).standard_normal((10_000, 64), dtype=np.float32)
summand.build(x[:100_000], "PQ8(iterations=2)", learn_size=5000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
summand.build(x, "PQ8(iterations=2)", learn_size=5000)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / x.nbytes)
"""


def overhead():
    """A call on an index of almost nothing is all overhead; 1,000 queries on a million codes beside the command line; the
    peak of memory of a build."""
    import summand
    random = np.random.default_rng(1)
    tiny = summand.build(random.standard_normal((64, 16), dtype=np.float32), "PQ1x1")
    query = random.standard_normal(16, dtype=np.float32)
    calls = 2000
    def loop():
        for _ in range(calls):
            tiny.search(query, 1, threads=1)
    call = interleaved(5, {"call": lambda: seconds(loop)}, 2)["call"] / calls
    print(f"one query on 64 vectors: {call * 1e6:.1f} microseconds")

    base = random.standard_normal((1_000_000, 16), dtype=np.float32)
    index = summand.build(base, "PQ8", learn_size=20_000)
    queries = random.standard_normal((1000, 16), dtype=np.float32)
    scratch = tempfile.TemporaryDirectory()
    folder = pathlib.Path(scratch.name)
    index.save(folder / "index.smd")
    summand.write_vectors(folder / "queries.fvecs", queries)

    def tool():
        subprocess.run([ROOT / "build" / "summand", "search", folder / "index.smd", folder / "queries.fvecs", "-k", "10",
                        "-o", folder / "ids.ivecs", "--threads", "1", "--quiet", "--json", folder / "report.json"], check=True)
        return len(queries) / json.loads((folder / "report.json").read_text())["queries_per_second"]

    best = interleaved(5, {"python": lambda: seconds(lambda: index.search(queries, 10, threads=1)), "tool": tool}, 10)
    print(f"1,000 queries on 1,000,000 codes: {best['python']:.3f} s from Python, {best['tool']:.3f} s in the command line tool, "
          f"{best['python'] / best['tool']:.3f} of it")
    share = float(subprocess.run([sys.executable, "-c", PEAK], check=True, capture_output=True, text=True).stdout)
    print(f"a build from 1.0 GB of 32-bit floats, codes included, takes {share:.3f} of that more at its peak")
    return {"call_microseconds": call * 1e6, "python_seconds": best["python"], "tool_seconds": best["tool"],
            "build_memory_of_array": share}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--overhead", action="store_true")
    parser.add_argument("--rows", type=int, default=1_000_000, help="vectors of the base, at most")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path, help="a .md of what is printed")
    parser.add_argument("--plot", type=pathlib.Path, help="an .svg or .png of recall against queries per second")
    arguments = parser.parse_args()
    need_summand()
    if not arguments.overhead and not arguments.data:
        parser.error("--data or --overhead is needed")
    result = overhead() if arguments.overhead else peers(arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
