#!/usr/bin/env python3
"""Recall against queries per second beside FAISS and ScaNN, one thread, in a batch and one query by one.

    ./dev bench frontier --data DIR [--folder DIR] [--specs SPEC …] [--json FILE]

DIR holds learn, base and query (.bvecs or .fvecs) and gt.ivecs. Recall is the share of the ten true neighbours found in ten
answers. Each side tries all its settings once; those that nothing of their own side beats are then timed in turns, and
the best of the rounds counts. The table has, for each side and recall, the fastest setting that reaches it. Indexes are
kept in --folder, with the seconds that building them took; FAISS and ScaNN are left out with --ours.
"""
import argparse
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, Program, find, read_vecs  # noqa: E402

clock = time.perf_counter
K = 10
LEVELS = (0.90, 0.95, 0.98, 0.99)
OURS = tuple(f"IVF1024,LOCQ8,Refine({rows})" for rows in ("flat", "fp32", "fp16", "sq8", "u8"))
PROBES = (8, 12, 16, 24, 32, 48, 64, 96)
REFINE = (20, 30, 50, 80, 120, 200, 400)
SINGLE = 1000  # queries that are asked one by one


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, help="where indexes are kept; default: a temporary one")
    parser.add_argument("--specs", nargs="+", default=OURS)
    parser.add_argument("--ours", action="store_true", help="leave FAISS and ScaNN out")
    parser.add_argument("--queries", type=int, default=10_000, help="use the first so many")
    parser.add_argument("--cpu", action="store_true", help="count CPU time: where the machine is shared with other work")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", help="write every figure to this file")
    parser.add_argument("--binary", default=str(ROOT / "build/summand"))
    parser.add_argument("--program", default=str(ROOT / "build/bench/frontier_bench"))
    return parser.parse_args()


def seconds(work):
    begin = clock()
    work()
    return clock() - begin


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
    settings = tuple(itertools.product(PROBES, REFINE))

    def __init__(self, spec, options, folder):
        self.name = "summand " + spec
        index, self.ids = folder / (file_name(spec) + ".smd"), folder / (file_name(spec) + ".ivecs")
        query = find(options.data, "query")
        rows = lambda count: first_rows(query, count, folder)
        self.build_seconds = kept(index, lambda: subprocess.run(
            [options.binary, "build", "--spec", spec, "--learn", find(options.data, "learn"),
             find(options.data, "base"), "-o", index, "--quiet"], check=True))
        self.bytes = size_of(index)
        start = lambda queries: Program([options.program, index, queries, str(K), self.ids, "cpu" if options.cpu else "clock"])
        self.programs = {"batch": start(rows(options.queries)), "single": start(rows(SINGLE))}

    def search(self, setting, mode):
        taken = self.programs[mode](*setting, mode)
        return taken, read_vecs(self.ids)

    def describe(self, setting):
        return "probes {}, refine {}".format(*setting)


class Faiss:
    """With a second layer or without; HNSW has one number."""

    def __init__(self, spec, vectors, folder):
        import faiss
        faiss.omp_set_num_threads(os.cpu_count())
        self.name, self.queries, self.faiss = "FAISS " + spec, vectors["query"], faiss
        path = folder / (file_name(spec) + ".faiss")

        def build():
            index = faiss.index_factory(vectors["base"].shape[1], spec)
            index.train(vectors["learn"])
            index.add(vectors["base"])
            faiss.write_index(index, str(path))
        self.build_seconds = kept(path, build)
        self.bytes = size_of(path)
        self.index = faiss.read_index(str(path))
        faiss.omp_set_num_threads(1)
        self.graph = spec.startswith("HNSW")
        self.settings = (tuple((e,) for e in (10, 16, 24, 32, 48, 64, 96, 128, 192, 256)) if self.graph else
                         tuple(itertools.product(PROBES, (2, 3, 5, 8, 12, 20, 40))))

    def search(self, setting, mode):
        space = self.faiss.ParameterSpace()
        for name, value in zip(("efSearch",) if self.graph else ("nprobe", "k_factor_rf"), setting):
            space.set_index_parameter(self.index, name, value)
        queries = self.queries if mode == "batch" else self.queries[:SINGLE]
        found = []
        size = len(queries) if mode == "batch" else 1
        taken = seconds(lambda: found.extend(self.index.search(queries[i:i + size], K)[1]
                                             for i in range(0, len(queries), size)))
        return taken, numpy.concatenate(found)

    def describe(self, setting):
        return "efSearch {}".format(*setting) if self.graph else "probes {}, refine {} x k".format(*setting)


class Scann:
    name = "ScaNN tree 1000, AH 2, reorder"
    settings = tuple(itertools.product((4, 6, 8, 12, 16, 24, 32, 48, 64, 96), (20, 30, 50, 80, 120, 200, 400)))

    def __init__(self, vectors, folder):
        import scann
        path = folder / "scann"
        self.queries = vectors["query"]

        def build():
            path.mkdir(exist_ok=True)
            builder = scann.scann_ops_pybind.builder(vectors["base"], K, "squared_l2")
            builder = builder.tree(num_leaves=1000, num_leaves_to_search=100, training_sample_size=100_000)
            builder = builder.score_ah(2, anisotropic_quantization_threshold=0.2).reorder(100)
            builder.set_n_training_threads(os.cpu_count()).build().serialize(str(path))
        self.build_seconds = kept(path, build)
        self.bytes = size_of(path)
        self.searcher = scann.scann_ops_pybind.load_searcher(str(path))

    def search(self, setting, mode):
        leaves, reorder = setting
        how = {"final_num_neighbors": K, "leaves_to_search": leaves, "pre_reorder_num_neighbors": reorder}
        found = []
        if mode == "batch":
            taken = seconds(lambda: found.append(self.searcher.search_batched(self.queries, **how)[0]))
            return taken, found[0].astype(numpy.int64)
        taken = seconds(lambda: found.extend(self.searcher.search(q, **how)[0] for q in self.queries[:SINGLE]))
        return taken, numpy.array([numpy.pad(row, (0, K - len(row)), constant_values=-1) for row in found], numpy.int64)

    def describe(self, setting):
        return "leaves {}, reorder {}".format(*setting)


def recall(ids, truth):
    hits = sum(len(numpy.intersect1d(row, true)) for row, true in zip(ids, truth[:, :K]))
    return hits / (K * len(ids))


def tried(side, truth):
    """Every setting once, in a batch."""
    points = {}
    for setting in side.settings:
        taken, ids = side.search(setting, "batch")
        points[setting] = {"recall": recall(ids, truth), "batch": taken / len(ids)}
    return points


def front(points, slack=1.15):
    """Settings that nothing of at least their recall is much faster than."""
    return [s for s, p in points.items()
            if not any(o["recall"] >= p["recall"] and slack * o["batch"] < p["batch"] for o in points.values())]


def timed(sides, points, rounds):
    """The fronts again, in turns, in both modes."""
    for _ in range(rounds):
        cases = [[(side, setting) for setting in front(points[side.name])] for side in sides]
        for turn in itertools.zip_longest(*cases):
            for side, setting in filter(None, turn):
                for mode in ("batch", "single"):
                    taken, ids = side.search(setting, mode)
                    point = points[side.name][setting]
                    point[mode] = min(point.get(mode, float("inf")), taken / len(ids))


def fastest(points, level, mode):
    good = [(p[mode], s) for s, p in points.items() if p["recall"] >= level and mode in p]
    return min(good, default=None)


def table(sides, points):
    lines = ["| recall >= | side | batch, q/s | setting | one by one, q/s | setting |", "|---|---|---|---|---|---|"]
    for level in LEVELS:
        for side in sides:
            cells = []
            for mode in ("batch", "single"):
                best = fastest(points[side.name], level, mode)
                cells += [f"{1 / best[0]:,.0f}", side.describe(best[1])] if best else ["-", "-"]
            lines.append(f"| {level:.2f} | {side.name} | " + " | ".join(cells) + " |")
    lines += ["", "| side | bytes of the index file | seconds to build |", "|---|---|---|"]
    lines += [f"| {side.name} | {side.bytes:,} | {side.build_seconds:.0f} |" for side in sides]
    return "\n".join(lines)


def run(options, folder):
    vectors = {name: read_vecs(find(options.data, name)) for name in ("learn", "base", "query", "gt")}
    sides = [Ours(spec, options, folder) for spec in options.specs]
    if not options.ours:
        for name in ("learn", "base", "query"):
            vectors[name] = vectors[name].astype(numpy.float32)
        vectors["query"] = vectors["query"][:options.queries]
        sides += [Faiss(spec, vectors, folder) for spec in ("IVF1024,PQ32x4fsr,RFlat", "HNSW32")]
        sides.append(Scann(vectors, folder))
    points = {side.name: tried(side, vectors["gt"]) for side in sides}
    timed(sides, points, options.rounds)
    print(table(sides, points))
    if options.json:
        result = [{"side": side.name, "bytes": side.bytes, "build_seconds": side.build_seconds,
                   "points": [{"setting": side.describe(s), **p} for s, p in points[side.name].items()]}
                  for side in sides]
        pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def main():
    global clock
    options = arguments()
    clock = time.process_time if options.cpu else time.perf_counter
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        run(options, options.folder)
    else:
        with tempfile.TemporaryDirectory() as folder:
            run(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
