#!/usr/bin/env python3
"""Recall against queries per second beside FAISS, ScaNN, hnswlib and USearch: in a batch by one thread and by two, and
one query by one; 10 of 10 and 100 of 100.

    ./dev bench frontier --data DIR --folder KEPT [--metric cosine] [--specs SPEC …] [--build] [--json FILE] [--svg FILE]

DIR holds base and query (.bvecs, .fvecs or .u8bin) or the images of MNIST, vectors to learn from unless these are the base,
and for euclidean gt.ivecs; a truth that is missing is computed. Recall is the share of the k true neighbours found in k answers. Each side tries all its settings once;
those that nothing of their own side beats are then timed in turns, and the best of the rounds counts. The tables have, for
each side and recall, the fastest setting that reaches it. Indexes are kept in --folder with what building them took, and
--build stops when they are there. For cosine the peers get vectors of length one.

With a spec that ends in Refine(flat), a last table tells what its searches read where the vectors are not in the cache of
the system.
"""
import argparse
import functools
import gzip
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

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]
from common import ROOT, find, read_vecs  # noqa: E402
from sides import PEERS, Ours, kept  # noqa: E402
from tables import LEVELS, cold_table, plot, size_table, speed_table  # noqa: E402

OURS = ("IVF1024(coding=plain),LOCQ8,Refine(u8)",)
LEAST_TIMED = 0.85  # recall
LEARN = 250_000
SINGLE, COLD = 1000, 200  # queries that are asked one by one


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--metric", choices=("euclidean", "cosine"), default="euclidean")
    parser.add_argument("--folder", type=pathlib.Path, help="where indexes are kept; default: a temporary one")
    parser.add_argument("--specs", nargs="+", default=OURS)
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=tuple(PEERS))
    parser.add_argument("--k", nargs="+", type=int, default=(10, 100))
    parser.add_argument("--threads", nargs="+", type=int, default=(1, 2), help="of a batch")
    parser.add_argument("--queries", type=int, default=2500, help="use the first so many")
    parser.add_argument("--build", action="store_true", help="only build the indexes that --folder lacks")
    parser.add_argument("--cpu", action="store_true", help="count CPU time: where the machine is shared with other work")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", help="write every figure to this file")
    parser.add_argument("--svg", help="plot recall against queries per second, in a batch by one thread")
    parser.add_argument("--binary", default=str(ROOT / "build/summand"))
    parser.add_argument("--program", default=str(ROOT / "build/bench/frontier_bench"))
    return parser.parse_args()


class Data:
    """Vectors as the peers get them, and what all sides are told."""

    def __init__(self, options, folder):
        self.metric, self.binary, self.program, self.cpu = options.metric, options.binary, options.program, options.cpu
        self.clock = time.process_time if options.cpu else time.perf_counter
        self.folder, self.kept = options.data, folder
        self.files = self.images() if (self.folder / "train-images-idx3-ubyte.gz").exists() else self.parts()
        stored = read_vecs(self.files["base"])
        self.rows, self.dimensions = stored.shape
        self.query = self.floats("query")[:options.queries]

    def parts(self):
        names = ["base", "query"] + ["learn"] * any(self.folder.glob("learn.*"))
        return {name: find(self.folder, name) for name in names}

    def images(self):
        """Those of MNIST as rows."""
        files = {name: self.kept / f"{name}.bvecs" for name in ("base", "query")}
        for path, part in zip(files.values(), ("train", "t10k")):
            if path.exists():
                continue
            with gzip.open(self.folder / f"{part}-images-idx3-ubyte.gz") as file:
                rows = numpy.frombuffer(file.read(), numpy.uint8, offset=16).reshape(-1, 784)
            header = numpy.full((len(rows), 1), 784, "<i4").view(numpy.uint8)
            numpy.hstack([header, rows]).tofile(path)
        return files

    def floats(self, name):
        rows = read_vecs(self.files[name]).astype(numpy.float32)
        return rows / numpy.linalg.norm(rows, axis=1, keepdims=True) if self.metric == "cosine" else rows

    base = functools.cached_property(lambda self: self.floats("base"))

    @functools.cached_property
    def learn(self):
        """Of some rows of the base where nothing else is given."""
        return self.floats("learn") if "learn" in self.files else self.base[::-(-self.rows // LEARN)]

    def truth(self):
        given, made = self.folder / "gt.ivecs", self.kept / f"truth_{self.metric}.ivecs"
        if self.metric == "euclidean" and given.exists():
            return read_vecs(given)[:len(self.query)]
        kept(made, lambda: subprocess.run([self.binary, "exact", self.files["base"], self.files["query"], "-k", "100", "--metric",
                                           self.metric, "-o", made, "--quiet"], check=True))
        return read_vecs(made)[:len(self.query)]


def recall(ids, truth):
    hits = sum(len(numpy.intersect1d(row, true)) for row, true in zip(ids, truth))
    return hits / (truth.shape[1] * len(ids))


def tried(side, k, truth):
    """Every setting once, in a batch by one thread."""
    points = {}
    for setting in side.settings(k):
        timed, ids = side.search(setting, k, "batch1", len(truth))
        points[setting] = {"recall": recall(ids, truth), "batch1": timed.seconds / len(ids)}
    return points


def front(points, slack=1.15):
    """Settings that nothing of at least their recall is much faster than."""
    return [s for s, p in points.items() if p["recall"] >= LEAST_TIMED
            and not any(o["recall"] >= p["recall"] and slack * o["batch1"] < p["batch1"] for o in points.values())]


def timed(sides, points, k, options):
    """The fronts again, in turns, in all modes."""
    counts = {**{f"batch{threads}": options.queries for threads in options.threads}, "single": min(SINGLE, options.queries)}
    for _ in range(options.rounds):
        cases = [[(side, setting) for setting in front(points[side.name])] for side in sides]
        for side, setting in filter(None, itertools.chain(*itertools.zip_longest(*cases))):
            for mode, count in counts.items():
                taken, ids = side.search(setting, k, mode, count)
                point = points[side.name][setting]
                point[mode] = min(point.get(mode, float("inf")), taken.seconds / len(ids))
                if taken.slow is not None and mode == "single":
                    point["slow"] = min(point.get("slow", float("inf")), taken.slow)


def read_cold(side, points, k, truth):
    """What searches that reach a recall read and take where no vector is in the cache."""
    rows = []
    for level in LEVELS:
        good = [(p["batch1"], s) for s, p in points.items() if p["recall"] >= level]
        if good:
            setting = min(good)[1]
            taken, ids = side.search(setting, k, "cold", COLD)
            rows.append((level, setting, taken, recall(ids, truth[:len(ids)]), len(ids)))
    return rows


def measure(sides, data, k, options):
    truth = data.truth()[:, :k]
    points = {side.name: tried(side, k, truth) for side in sides}
    timed(sides, points, k, options)
    print(speed_table(sides, points, k, options.threads), flush=True)
    for side in sides:
        if side.reads_file:
            print("\n" + cold_table(side, read_cold(side, points[side.name], k, truth)), flush=True)
    return points


def run(options, folder):
    data = Data(options, folder)
    sides = [Ours(spec, data, folder) for spec in options.specs]
    for peer in options.peers:
        sides += PEERS[peer](data, folder)
    data.truth()
    print(size_table(sides, data.rows), flush=True)
    if options.build:
        return
    for side in sides:
        side.open()
    points = {k: measure(sides, data, k, options) for k in options.k}
    if options.svg:
        plot(options.svg, f"{options.data.name}, {options.metric}, one thread", sides, points)
    if options.json:
        result = [{"side": side.name, "bytes": side.bytes, "built": side.built, "k": k,
                   "points": [{"setting": side.describe(s), **p} for s, p in points[k][side.name].items()]}
                  for k in options.k for side in sides]
        pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def main():
    options = arguments()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        run(options, options.folder)
    else:
        with tempfile.TemporaryDirectory() as folder:
            run(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
