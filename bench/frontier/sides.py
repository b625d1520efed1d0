"""The sides of bench/frontier: each builds its index unless it is kept in a folder, opens it, and searches.

A side has a name, what building took, the bytes of its files, settings(k) to try, and

    search(setting, k, mode, count) → (Timed, ids of the first `count` queries)

mode: `batchN` with N threads, `single` for one query at a time, `cold` for a side that reads vectors from a file.
"""
import dataclasses
import itertools
import json
import os
import pathlib
import subprocess
import time

import numpy

from common import Program, read_vecs

PROBES = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192)
REFINE = (20, 30, 50, 80, 120, 200, 300, 400, 800, 1500)
REACHES = (1.02, 1.04, 1.06, 1.08, 1.1, 1.13, 1.16, 1.2, 1.25, 1.3)
GRAPH = (10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 400, 600)
MANY = 200_000  # vectors that take more cells


@dataclasses.dataclass
class Timed:
    seconds: float      # of all queries
    slow: float = None  # one by one: those that 99 of 100 queries stay below
    pages: float = None  # cold: of 4,096 bytes, read for a query


def file_name(spec):
    return spec.translate(str.maketrans("(),=", "____"))


def refined(k):
    """Numbers of candidates to score again."""
    return tuple(count for count in REFINE if 1.5 * k <= count <= 80 * k)


def kept(path, build):
    """Runs `build` unless its result is there; the seconds it took, by the clock and of CPU time, are kept beside it."""
    note = path.parent / (path.name + ".built.json")
    if not note.exists():
        clock, cpu = time.perf_counter(), sum(os.times()[:4])
        build()
        note.write_text(json.dumps({"seconds": time.perf_counter() - clock, "cpu_seconds": sum(os.times()[:4]) - cpu}))
    return json.loads(note.read_text())


def size_of(path):
    return sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) if path.is_dir() else path.stat().st_size


class Ours:
    def __init__(self, spec, data, folder):
        self.name, self.data, self.spec = "summand " + spec, data, spec
        self.index, self.ids = folder / (file_name(spec) + ".smd"), folder / (file_name(spec) + ".ivecs")
        learn = ["--learn", data.files["learn"]] if "learn" in data.files else []
        self.built = kept(self.index, lambda: subprocess.run(
            [data.binary, "build", "--spec", spec, "--metric", data.metric, *learn, data.files["base"].resolve(), "-o", self.index,
             "--quiet"], check=True))
        self.bytes = size_of(self.index)

    def open(self):
        self.program = Program([self.data.program, self.index, self.data.files["query"], self.ids,
                                "cpu" if self.data.cpu else "clock"])

    def settings(self, k):
        cells = self.spec.startswith("IVF")
        where = [(probes, 0) for probes in PROBES] if cells else [(0, 0)]
        if cells and self.data.metric != "ip" and "groups" not in self.spec:
            where += [(0, reach) for reach in REACHES]
        return tuple((*visited, refine) for visited in where for refine in refined(k))

    def search(self, setting, k, mode, count):
        timed = Timed(*self.program.numbers(k, *setting, mode, count))
        return timed, read_vecs(self.ids)

    def describe(self, setting):
        probes, reach, refine = setting
        return (f"probes {probes}, " if probes else f"reach {reach}, " if reach else "") + f"refine {refine}"

    @property
    def reads_file(self):
        return "Refine(flat)" in self.spec


class Peer:
    """What the peers share: queries in memory, called from Python. `all_of(queries, k, threads)` and `one_of(query, k)`
    give ids."""
    reads_file = False

    def __init__(self, name, data):
        self.name, self.data = name, data

    def search(self, setting, k, mode, count):
        self.use(setting, k)
        queries = self.data.query[:count]
        if mode != "single":
            begin = self.data.clock()
            found = self.all_of(queries, k, int(mode.removeprefix("batch")))
            return Timed(self.data.clock() - begin), numpy.asarray(found).astype(numpy.int64)
        seconds, found = [], []
        for query in queries:
            begin = self.data.clock()
            ids = self.one_of(query, k)
            seconds.append(self.data.clock() - begin)
            found.append(numpy.asarray(ids).ravel())
        ids = numpy.array([numpy.pad(row, (0, k - len(row)), constant_values=-1) for row in found], numpy.int64)
        return Timed(sum(seconds), sorted(seconds)[len(seconds) * 99 // 100]), ids


class Faiss(Peer):
    """With a second layer or without; HNSW has one number. Cosine is the distance of vectors of length one."""

    def __init__(self, spec, data, folder):
        import faiss
        super().__init__("FAISS " + spec, data)
        self.faiss, self.graph = faiss, spec.startswith("HNSW")
        self.path = folder / (file_name(spec) + ".faiss")

        def build():
            faiss.omp_set_num_threads(os.cpu_count())
            index = faiss.index_factory(data.dimensions, spec)
            index.train(data.learn)
            index.add(data.base)
            faiss.write_index(index, str(self.path))
        self.built = kept(self.path, build)
        self.bytes = size_of(self.path)

    def open(self):
        self.index = self.faiss.read_index(str(self.path))

    def settings(self, k):
        if self.graph:
            return tuple((effort,) for effort in GRAPH if effort >= k)
        return tuple(itertools.product(PROBES, sorted({max(2, refine // k) for refine in refined(k)})))

    def use(self, setting, k):
        space = self.faiss.ParameterSpace()
        for name, value in zip(("efSearch",) if self.graph else ("nprobe", "k_factor_rf"), setting):
            space.set_index_parameter(self.index, name, value)

    def all_of(self, queries, k, threads):
        self.faiss.omp_set_num_threads(threads)
        return self.index.search(queries, k)[1]

    def one_of(self, query, k):
        return self.all_of(query[None], k, 1)[0]

    def describe(self, setting):
        return "efSearch {}".format(*setting) if self.graph else "probes {}, refine {} x k".format(*setting)


class Scann(Peer):
    def __init__(self, data, folder):
        import scann
        leaves = 1000 if data.rows > MANY else 250
        super().__init__(f"ScaNN tree {leaves}, AH 2, reorder", data)
        self.path = folder / "scann"

        def build():
            self.path.mkdir(exist_ok=True)
            builder = scann.scann_ops_pybind.builder(data.base, 10, "squared_l2")
            builder = builder.tree(num_leaves=leaves, num_leaves_to_search=100, training_sample_size=100_000)
            builder = builder.score_ah(2, anisotropic_quantization_threshold=0.2).reorder(100)
            builder.set_n_training_threads(os.cpu_count()).build().serialize(str(self.path))
        self.built = kept(self.path, build)
        self.bytes = size_of(self.path)

    def open(self):
        import scann
        self.searcher = scann.scann_ops_pybind.load_searcher(str(self.path))

    def settings(self, k):
        return tuple(itertools.product(PROBES, refined(k)))

    def use(self, setting, k):
        leaves, reorder = setting
        self.how = {"final_num_neighbors": k, "leaves_to_search": leaves, "pre_reorder_num_neighbors": reorder}

    def all_of(self, queries, k, threads):
        if threads == 1:
            return self.searcher.search_batched(queries, **self.how)[0]
        self.searcher.set_num_threads(threads)
        return self.searcher.search_batched_parallel(queries, **self.how)[0]

    def one_of(self, query, k):
        return self.searcher.search(query, **self.how)[0]

    def describe(self, setting):
        return "leaves {}, reorder {}".format(*setting)


class Hnswlib(Peer):
    def __init__(self, data, folder):
        import hnswlib
        super().__init__("hnswlib M 16", data)
        self.path = folder / "hnswlib"

        def build():
            index = hnswlib.Index("l2", data.dimensions)
            index.init_index(data.rows, ef_construction=200, M=16)
            index.set_num_threads(os.cpu_count())
            index.add_items(data.base)
            index.save_index(str(self.path))
        self.built = kept(self.path, build)
        self.bytes = size_of(self.path)

    def open(self):
        import hnswlib
        self.index = hnswlib.Index("l2", self.data.dimensions)
        self.index.load_index(str(self.path))

    def settings(self, k):
        return tuple((effort,) for effort in GRAPH if effort >= k)

    def use(self, setting, k):
        self.index.set_ef(setting[0])

    def all_of(self, queries, k, threads):
        return self.index.knn_query(queries, k, num_threads=threads)[0]

    def one_of(self, query, k):
        return self.all_of(query, k, 1)[0]

    def describe(self, setting):
        return "ef {}".format(*setting)


class Usearch(Peer):
    def __init__(self, data, folder):
        from usearch.index import Index
        super().__init__("USearch f32", data)
        self.path = folder / "usearch"

        def build():
            index = Index(ndim=data.dimensions, metric="l2sq", dtype="f32")
            index.add(numpy.arange(data.rows), data.base, threads=os.cpu_count())
            index.save(str(self.path))
        self.built = kept(self.path, build)
        self.bytes = size_of(self.path)

    def open(self):
        from usearch.index import Index
        self.index = Index.restore(str(self.path))

    def settings(self, k):
        return tuple((effort,) for effort in GRAPH if effort >= k)

    def use(self, setting, k):
        self.index.expansion_search = setting[0]

    def all_of(self, queries, k, threads):
        return self.index.search(queries, k, threads=threads).keys

    def one_of(self, query, k):
        return self.index.search(query, k, threads=1).keys

    def describe(self, setting):
        return "expansion {}".format(*setting)


def faiss_cells(data, folder):
    """A code of 4 bits for every four dimensions, or for every two."""
    parts = data.dimensions // 4 if data.dimensions % 4 == 0 else data.dimensions // 2
    return [Faiss(f"IVF{1024 if data.rows > MANY else 256},PQ{parts}x4fsr,RFlat", data, folder)]


PEERS = {
    "faiss": faiss_cells,
    "faiss-hnsw": lambda data, folder: [Faiss("HNSW32", data, folder)],
    "scann": lambda data, folder: [Scann(data, folder)],
    "hnswlib": lambda data, folder: [Hnswlib(data, folder)],
    "usearch": lambda data, folder: [Usearch(data, folder)],
}
