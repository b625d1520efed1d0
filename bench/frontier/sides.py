"""The sides of bench/frontier: each opens its index, kept in a folder, and searches a batch or one query at a time.

A side has a name, settings to try, the seconds that building it took, the bytes of its files and of what a process holds
after opening it, and search(setting, mode) → (seconds, ids).
"""
import itertools
import os
import pathlib
import subprocess
import time

import numpy

from common import Program, find, read_vecs

PROBES = (8, 12, 16, 24, 32, 48, 64, 96)
REFINE = (20, 30, 50, 80, 120, 200, 400, 800)
REACHES = (1.02, 1.04, 1.06, 1.08, 1.1, 1.13, 1.16, 1.2, 1.25, 1.3)
SINGLE = 1000  # queries that are asked one by one


def file_name(spec):
    return spec.translate(str.maketrans("(),=", "____"))


def kept(path, build):
    """Runs `build` unless its result is there; the seconds it took are kept beside it."""
    note = path.parent / (path.name + ".seconds")
    if not note.exists():
        begin = time.perf_counter()
        build()
        note.write_text(str(time.perf_counter() - begin))
    return float(note.read_text())


def first_rows(path, count, folder):
    copy = folder / f"{count}_{path.name}"
    row = path.stat().st_size // len(read_vecs(path))
    copy.write_bytes(path.read_bytes()[:row * count])
    return copy


def size_of(path):
    return sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) if path.is_dir() else path.stat().st_size


class Ours:
    def __init__(self, spec, data, folder):
        self.name, self.data = "summand " + spec, data
        index, self.ids = folder / (file_name(spec) + ".smd"), folder / (file_name(spec) + ".ivecs")
        query = find(data.folder, "query")
        self.build_seconds = kept(index, lambda: subprocess.run(
            [data.binary, "build", "--spec", spec, "--metric", data.metric, "--learn", find(data.folder, "learn"),
             find(data.folder, "base"), "-o", index, "--quiet"], check=True))
        self.bytes = size_of(index)
        cells = spec.startswith("IVF")
        probes = [(p, 0) for p in (*PROBES, 128, 192)] if cells else [(0, 0)]
        reaches = [(0, r) for r in REACHES] if cells and data.metric != "ip" and "groups" not in spec else []
        self.settings = tuple((*where, max(refine, data.k)) for where in probes + reaches for refine in REFINE
                              if refine * 4 > data.k)
        clock = "cpu" if data.cpu else "clock"
        self.programs = {mode: Program([data.program, index, first_rows(query, count, folder), str(data.k), self.ids, clock,
                                        str(data.threads)])
                         for mode, count in (("batch", len(data.query)), ("single", SINGLE))}

    def search(self, setting, mode):
        taken = self.programs[mode](*setting, mode)
        return taken, read_vecs(self.ids)

    def describe(self, setting):
        probes, reach, refine = setting
        return (f"probes {probes}, " if probes else f"reach {reach}, " if reach else "") + f"refine {refine}"


class Peer:
    """What the peers share: queries in memory, called from Python."""

    def __init__(self, name, data):
        self.name, self.data = name, data

    def batched(self, work):
        begin = self.data.clock()
        found = work(self.data.query)
        return self.data.clock() - begin, numpy.asarray(found).astype(numpy.int64)

    def one_by_one(self, work):
        begin = self.data.clock()
        found = [work(query) for query in self.data.query[:SINGLE]]
        taken = self.data.clock() - begin
        rows = [numpy.asarray(row).ravel() for row in found]
        return taken, numpy.array([numpy.pad(row, (0, self.data.k - len(row)), constant_values=-1) for row in rows], numpy.int64)


class Faiss(Peer):
    """With a second layer or without; HNSW has one number. Cosine is the distance of vectors of length one."""

    def __init__(self, spec, data, folder):
        import faiss
        super().__init__("FAISS " + spec, data)
        self.faiss, self.graph = faiss, spec.startswith("HNSW")
        path = folder / (file_name(spec) + ".faiss")

        def build():
            faiss.omp_set_num_threads(os.cpu_count())
            index = faiss.index_factory(data.base.shape[1], spec)
            index.train(data.learn)
            index.add(data.base)
            faiss.write_index(index, str(path))
        self.build_seconds = kept(path, build)
        self.bytes = size_of(path)
        self.index = faiss.read_index(str(path))
        faiss.omp_set_num_threads(data.threads)
        self.settings = (tuple((e,) for e in (10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 400) if e >= data.k) if self.graph
                         else tuple(itertools.product((*PROBES, 128, 192), (2, 3, 5, 8, 12, 20, 40))))

    def search(self, setting, mode):
        space = self.faiss.ParameterSpace()
        for name, value in zip(("efSearch",) if self.graph else ("nprobe", "k_factor_rf"), setting):
            space.set_index_parameter(self.index, name, value)
        if mode == "batch":
            return self.batched(lambda queries: self.index.search(queries, self.data.k)[1])
        return self.one_by_one(lambda query: self.index.search(query[None], self.data.k)[1][0])

    def describe(self, setting):
        return "efSearch {}".format(*setting) if self.graph else "probes {}, refine {} x k".format(*setting)


class Scann(Peer):
    settings = tuple(itertools.product((4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128), (20, 30, 50, 80, 120, 200, 400, 800)))

    def __init__(self, data, folder):
        import scann
        leaves = 1000 if len(data.base) > 200_000 else 250
        super().__init__(f"ScaNN tree {leaves}, AH 2, reorder", data)
        path = folder / "scann"

        def build():
            path.mkdir(exist_ok=True)
            builder = scann.scann_ops_pybind.builder(data.base, data.k, "squared_l2")
            builder = builder.tree(num_leaves=leaves, num_leaves_to_search=100, training_sample_size=100_000)
            builder = builder.score_ah(2, anisotropic_quantization_threshold=0.2).reorder(100)
            builder.set_n_training_threads(os.cpu_count()).build().serialize(str(path))
        self.build_seconds = kept(path, build)
        self.bytes = size_of(path)
        self.searcher = scann.scann_ops_pybind.load_searcher(str(path))
        if data.threads > 1:
            self.searcher.set_num_threads(data.threads)

    def search(self, setting, mode):
        leaves, reorder = setting
        how = {"final_num_neighbors": self.data.k, "leaves_to_search": leaves,
               "pre_reorder_num_neighbors": max(reorder, self.data.k)}
        if mode == "batch":
            parallel = self.data.threads > 1
            search = self.searcher.search_batched_parallel if parallel else self.searcher.search_batched
            return self.batched(lambda queries: search(queries, **how)[0])
        return self.one_by_one(lambda query: self.searcher.search(query, **how)[0])

    def describe(self, setting):
        return "leaves {}, reorder {}".format(*setting)


class Hnswlib(Peer):
    def __init__(self, data, folder):
        import hnswlib
        super().__init__("hnswlib M 16", data)
        path = folder / "hnswlib"
        self.settings = tuple((e,) for e in (10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 400) if e >= data.k)

        def build():
            index = hnswlib.Index("l2", data.base.shape[1])
            index.init_index(len(data.base), ef_construction=200, M=16)
            index.set_num_threads(os.cpu_count())
            index.add_items(data.base)
            index.save_index(str(path))
        self.build_seconds = kept(path, build)
        self.bytes = size_of(path)
        self.index = hnswlib.Index("l2", data.base.shape[1])
        self.index.load_index(str(path))
        self.index.set_num_threads(data.threads)

    def search(self, setting, mode):
        self.index.set_ef(setting[0])
        if mode == "batch":
            return self.batched(lambda queries: self.index.knn_query(queries, self.data.k, num_threads=self.data.threads)[0])
        return self.one_by_one(lambda query: self.index.knn_query(query, self.data.k, num_threads=1)[0][0])

    def describe(self, setting):
        return "ef {}".format(*setting)


class Usearch(Peer):
    def __init__(self, data, folder):
        from usearch.index import Index
        super().__init__("USearch f32", data)
        path = folder / "usearch"
        self.settings = tuple((e,) for e in (16, 32, 64, 128, 256, 512) if e >= data.k)

        def build():
            index = Index(ndim=data.base.shape[1], metric="l2sq", dtype="f32")
            index.add(numpy.arange(len(data.base)), data.base, threads=os.cpu_count())
            index.save(str(path))
        self.build_seconds = kept(path, build)
        self.bytes = size_of(path)
        self.index = Index.restore(str(path))

    def search(self, setting, mode):
        self.index.expansion_search = setting[0]
        if mode == "batch":
            return self.batched(lambda queries: self.index.search(queries, self.data.k, threads=self.data.threads).keys)
        return self.one_by_one(lambda query: self.index.search(query, self.data.k, threads=1).keys)

    def describe(self, setting):
        return "expansion {}".format(*setting)


PEERS = {
    "faiss": lambda data, folder: [Faiss(f"IVF{1024 if len(data.base) > 200_000 else 256},PQ{data.faiss_bytes}x4fsr,RFlat", data, folder)],
    "faiss-hnsw": lambda data, folder: [Faiss("HNSW32", data, folder)],
    "scann": lambda data, folder: [Scann(data, folder)],
    "hnswlib": lambda data, folder: [Hnswlib(data, folder)],
    "usearch": lambda data, folder: [Usearch(data, folder)],
}
