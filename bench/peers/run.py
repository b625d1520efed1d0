#!/usr/bin/env python3
"""summand and FAISS side by side, in one run on one machine.

    ./dev bench peers --data DIR                 DIR holds base, learn, query (.bvecs or .fvecs) and gt.ivecs
    ./dev bench peers --data DIR --only kmeans --json bench/results/peers.json
    ./dev bench peers --data DIR --bytes 4 8 --json FILE --resume

Two parts: k-means at the same data, iterations and threads (time), and recall of codes of the same size (recall@R of
the true nearest neighbour; training, encoding and search time). Both sides read the same files, learn from the same
vectors and are measured the same way; CPU time counts all threads, and every byte stored per vector counts: FAISS's
additive quantizers need a norm, so RQ7x8_Nqint8 is the one of 8 bytes. --seeds trains each of ours with several seeds.
A long run can be stopped: --resume keeps the rows of FILE that the same tool and the same FAISS measured. `./dev bench
data` fetches public data sets.
"""
import argparse
import hashlib
import json
import os
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile
import time

import faiss
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import find, read_vecs  # noqa: E402

# What is compared at each number of bytes per vector.
OURS = ("PQ{0}", "OPQ{0}", "NOCQ{0}", "LOCQ{0}")
THEIRS = ("PQ{0}", "OPQ{0},PQ{0}", "RQ{1}x8_Nqint8", "LSQ{1}x8_Nqint8")
RANKS = (1, 10, 100)


class Clock:
    """Wall and CPU seconds of a block; CPU time of child processes included."""

    def __enter__(self):
        self.begin = self.now()
        return self

    def __exit__(self, *_):
        end = self.now()
        self.wall, self.cpu = end[0] - self.begin[0], end[1] - self.begin[1]

    @staticmethod
    def now():
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return time.monotonic(), sum(u.ru_utime + u.ru_stime for u in used)


def recalls(found, truth):
    return [float((found[:, :rank] == truth[:, :1]).any(axis=1).mean()) for rank in RANKS]


class Tool:
    """Our command line tool; each call also returns what it measured itself."""

    def __init__(self, path, threads, scratch):
        self.path, self.threads, self.scratch = path, threads, pathlib.Path(scratch)

    def __call__(self, verb, *arguments):
        report = self.scratch / "report.json"
        subprocess.run([self.path, verb, *map(str, arguments), "--threads", str(self.threads), "--json", report, "--quiet"],
                       check=True)
        return json.loads(report.read_text())


def kmeans(arguments, tool):
    """Plain k-means is PQ with one dictionary. The best of `repeat` runs of each side counts, taken in turns."""
    learn_path = find(arguments.data, "learn")
    learn = read_vecs(learn_path).astype(np.float32)
    spec = f"PQ1(iterations={arguments.iterations})"
    ours, theirs = [], []
    for _ in range(arguments.repeat):
        with Clock() as clock:
            summary = tool("train", "--spec", spec, "--learn-size", len(learn), learn_path, "-o", tool.scratch / "model.smd")
        ours.append((summary["train_seconds"], clock.cpu, summary["distortion"]))
        with Clock() as clock:
            peer = faiss.Kmeans(learn.shape[1], 256, niter=arguments.iterations, max_points_per_centroid=len(learn))
            peer.train(learn)
        distances, _ = peer.index.search(learn, 1)
        theirs.append((clock.wall, clock.cpu, float(distances.mean())))
    (our_time, our_cpu, our_error), (peer_time, peer_cpu, peer_error) = min(ours), min(theirs)
    print(f"k-means, {len(learn):,} x {learn.shape[1]}, 256 centres, {arguments.iterations} iterations, {arguments.threads} threads")
    print(f"  summand {our_time:7.2f} s  {our_cpu:7.2f} CPU s (reading included)  distortion {our_error:.1f}")
    print(f"  FAISS   {peer_time:7.2f} s  {peer_cpu:7.2f} CPU s                     distortion {peer_error:.1f}")
    print(f"  summand takes {our_time / peer_time:.2f} of FAISS's time, {our_cpu / peer_cpu:.2f} of its CPU time\n")
    return {"vectors": len(learn), "iterations": arguments.iterations,
            "summand": {"seconds": our_time, "cpu_seconds": our_cpu, "distortion": our_error},
            "faiss": {"seconds": peer_time, "cpu_seconds": peer_cpu, "distortion": peer_error},
            "ratio": our_time / peer_time, "cpu_ratio": our_cpu / peer_cpu}


def measure_ours(name, arguments, tool):
    spec, _, seed = name.partition(" seed ")
    base, learn, queries = (find(arguments.data, name) for name in ("base", "learn", "query"))
    model, index, result = (tool.scratch / name for name in ("model.smd", "index.smd", "result.ivecs"))
    with Clock() as train:
        summary = tool("train", "--spec", spec, "--seed", seed or 1, "--learn-size", arguments.learn_rows, learn, "-o", model)
    with Clock() as encode:
        built = tool("build", "--model", model, base, "-o", index)
    found = tool("search", index, queries, "-k", max(RANKS), "-o", result)
    return {"bytes": built["code_bytes"], "train_seconds": summary["train_seconds"], "train_cpu_seconds": train.cpu,
            "encode_seconds": built["encode_seconds"], "encode_cpu_seconds": encode.cpu,
            "queries_per_second": found["queries_per_second"]}, read_vecs(result)


def measure_theirs(factory, arguments):
    base, learn, queries = (read_vecs(find(arguments.data, name)) for name in ("base", "learn", "query"))
    index = faiss.index_factory(base.shape[1], factory)
    floats = learn.astype(np.float32)
    with Clock() as train:
        index.train(floats)
    with Clock() as encode:
        for first in range(0, len(base), 100_000):
            index.add(base[first:first + 100_000].astype(np.float32))
    floats = queries.astype(np.float32)
    with Clock() as search:
        _, found = index.search(floats, max(RANKS))
    codes = faiss.downcast_index(index.index if isinstance(index, faiss.IndexPreTransform) else index)
    return {"bytes": codes.code_size, "train_seconds": train.wall, "train_cpu_seconds": train.cpu,
            "encode_seconds": encode.wall, "encode_cpu_seconds": encode.cpu,
            "queries_per_second": len(queries) / search.wall}, found


COLUMNS = [("bytes", "bytes", "{:d}"), ("train s", "train_seconds", "{:.1f}"), ("CPU s", "train_cpu_seconds", "{:.1f}"),
           ("encode s", "encode_seconds", "{:.1f}"), ("CPU s", "encode_cpu_seconds", "{:.1f}"),
           ("queries/s", "queries_per_second", "{:.0f}")]


def print_row(row):
    cells = [format.format(row[key]).rjust(9) for _, key, format in COLUMNS]
    print(" ".join([row["name"].ljust(24), *cells, *(f"{value:.4f}".rjust(7) for value in row["recall"])]), flush=True)


def print_margins(rows):
    """Ours against the best of theirs, at each rank."""
    ours, theirs = ([row for row in rows if row["side"] == side] for side in ("summand", "faiss"))
    for row in ours if theirs else []:
        gains = (value - max(peer["recall"][i] for peer in theirs) for i, value in enumerate(row["recall"]))
        print(f"  {row['name']} minus the best of FAISS: " + "  ".join(f"R@{rank} {gain:+.4f}" for rank, gain in zip(RANKS, gains)))
    print()


class Rows:
    """Measured rows, written after each one, so that a run can be resumed."""

    def __init__(self, arguments, results):
        self.arguments, self.results = arguments, results
        self.truth = read_vecs(find(arguments.data, "gt"))
        self.tool = hashlib.sha256(pathlib.Path(arguments.tool).read_bytes()).hexdigest()[:16]
        old = arguments.json.read_text() if arguments.resume and arguments.json.exists() else "{}"
        self.rows = [row for row in json.loads(old).get("recall", []) if row["measured_with"] == self.version(row["side"])]
        results["recall"] = self.rows

    def version(self, side):
        return self.tool if side == "summand" else faiss.__version__

    def row(self, side, name, measure):
        for row in self.rows:
            if (row["side"], row["name"]) == (side, f"{side} {name}"):
                return row
        figures, found = measure(name)
        row = {"name": f"{side} {name}", "side": side, "measured_with": self.version(side),
               "date": time.strftime("%Y-%m-%d"), **figures,
               "recall": recalls(found, self.truth)}
        self.rows.append(row)
        if self.arguments.json:
            self.arguments.json.write_text(json.dumps(self.results, indent=2) + "\n")
        return row


def their_names(arguments, size):
    """FAISS cuts vectors into equal blocks only: where that is not possible, its OPQ keeps fewer dimensions."""
    dimensions = read_vecs(find(arguments.data, "query")).shape[1]
    uneven = dimensions % size != 0
    for factory in arguments.theirs:
        if uneven and factory == "PQ{0}":
            print(f"faiss PQ{size}: left out, {dimensions} dimensions are not a multiple of {size}")
        else:
            name = factory.format(size, size - 1)
            yield name.replace(f"OPQ{size},", f"OPQ{size}_{dimensions - dimensions % size},") if uneven else name


def our_names(arguments, size):
    for spec in arguments.ours:
        for seed in arguments.seeds:
            yield spec.format(size) + (f" seed {seed}" if seed != 1 else "")


def recall(arguments, tool, results):
    rows = Rows(arguments, results)
    arguments.learn_rows = len(read_vecs(find(arguments.data, "learn")))  # all, as FAISS does; not what our budget allows
    print(" ".join(["method".ljust(24), *(title.rjust(9) for title, _, _ in COLUMNS), *(f"R@{rank}".rjust(7) for rank in RANKS)]))
    for size in arguments.bytes:
        wanted = [("summand", name, lambda name: measure_ours(name, arguments, tool)) for name in our_names(arguments, size)]
        wanted += [("faiss", name, lambda name: measure_theirs(name, arguments)) for name in their_names(arguments, size)]
        group = []
        for side, name, measure in wanted:
            group.append(rows.row(side, name, measure))
            print_row(group[-1])
        print_margins(group)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench peers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with base, learn, query and gt files")
    parser.add_argument("--only", choices=("kmeans", "recall"), help="one part instead of both")
    parser.add_argument("--bytes", type=int, nargs="+", default=[8], help="stored per vector (default 8)")
    parser.add_argument("--ours", nargs="*", default=OURS, metavar="SPEC",
                        help="our methods; {0} stands for the bytes (default %(default)s)")
    parser.add_argument("--theirs", nargs="*", default=THEIRS, metavar="FACTORY",
                        help="FAISS's; {1} stands for the bytes less one (default %(default)s)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="of our training (default 1)")
    parser.add_argument("--iterations", type=int, default=25, help="of k-means")
    parser.add_argument("--repeat", type=int, default=3, help="runs of k-means on each side")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--tool", default="build/summand")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures here, after each row")
    parser.add_argument("--resume", action="store_true", help="keep the rows that --json holds already")
    arguments = parser.parse_args()
    if arguments.resume and not arguments.json:
        parser.error("--resume needs --json")
    return arguments


def main():
    arguments = parse_arguments()
    faiss.omp_set_num_threads(arguments.threads)
    results = {"faiss": faiss.__version__, "threads": arguments.threads, "machine": platform.machine()}
    with tempfile.TemporaryDirectory() as scratch:
        tool = Tool(arguments.tool, arguments.threads, scratch)
        if arguments.only != "recall":
            results["kmeans"] = kmeans(arguments, tool)
        if arguments.only != "kmeans":
            recall(arguments, tool, results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
