#!/usr/bin/env python3
"""summand and FAISS side by side, in one run on one machine.

    ./dev bench peers --data DIR                 DIR holds base, learn, query (.bvecs or .fvecs) and gt.ivecs
    ./dev bench peers --data DIR --only kmeans --json bench/results/peers.json

Two parts: k-means at the same data, iterations and threads (time), and recall of codes of the same size (recall@R of
the true nearest neighbour, training and encoding time). Both sides read the same files, learn from the same vectors
and are measured the same way; CPU time counts all threads. Add a pair to PAIRS to compare more.
"""
import argparse
import json
import os
import pathlib
import platform
import resource
import subprocess
import tempfile
import time

import faiss
import numpy as np

# Our spec, their factory string, at equal bytes per vector.
PAIRS = [
    ("PQ8", "PQ8"),
    ("OPQ8", "OPQ8,PQ8"),
]
RANKS = (1, 10, 100)


def read_vecs(path):
    """Rows of .fvecs, .bvecs or .ivecs; bytes stay bytes."""
    kind = {".fvecs": np.float32, ".bvecs": np.uint8, ".ivecs": np.int32}[path.suffix]
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    columns = int(raw[:4].view(np.int32)[0])
    stride = 4 + columns * np.dtype(kind).itemsize
    return np.ascontiguousarray(raw.reshape(-1, stride)[:, 4:]).view(kind)


def find(folder, name):
    for suffix in (".bvecs", ".fvecs", ".ivecs"):
        if (folder / (name + suffix)).exists():
            return folder / (name + suffix)
    raise SystemExit(f"{folder}: expected {name}.bvecs, .fvecs or .ivecs")


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


def measure_ours(spec, arguments, tool, truth):
    base, learn, queries = (find(arguments.data, name) for name in ("base", "learn", "query"))
    index, result = tool.scratch / "index.smd", tool.scratch / "result.ivecs"
    with Clock() as build:
        summary = tool("build", "--spec", spec, "--learn", learn, base, "-o", index)
    with Clock() as search:
        found = tool("search", index, queries, "-k", max(RANKS), "-o", result)
    return {"name": "summand " + spec, "bytes": summary["code_bytes"], "recall": recalls(read_vecs(result), truth),
            "train": summary["train_seconds"], "encode": summary["encode_seconds"],
            "queries_per_second": found["queries_per_second"], "cpu": build.cpu + search.cpu, "wall": build.wall + search.wall}


def measure_theirs(factory, arguments, truth):
    base, learn, queries = (read_vecs(find(arguments.data, name)) for name in ("base", "learn", "query"))
    with Clock() as total:
        index = faiss.index_factory(base.shape[1], factory)
        with Clock() as train:
            index.train(learn.astype(np.float32))
        with Clock() as encode:
            for first in range(0, len(base), 100_000):
                index.add(base[first:first + 100_000].astype(np.float32))
        floats = queries.astype(np.float32)
        with Clock() as search:
            _, found = index.search(floats, max(RANKS))
    codes = faiss.downcast_index(index.index if isinstance(index, faiss.IndexPreTransform) else index)
    return {"name": "FAISS " + factory, "bytes": codes.code_size, "recall": recalls(found, truth), "train": train.wall,
            "encode": encode.wall, "queries_per_second": len(queries) / search.wall, "cpu": total.cpu, "wall": total.wall}


def recall(arguments, tool):
    truth = read_vecs(find(arguments.data, "gt"))
    rows = []
    print("  ".join(["method".ljust(22), "bytes", *(f"R@{rank}".rjust(6) for rank in RANKS), "train s", "encode s", "queries/s",
                     "  CPU s", " wall s"]))
    for spec, factory in arguments.pairs:
        for row in (measure_ours(spec, arguments, tool, truth), measure_theirs(factory, arguments, truth)):
            rows.append(row)
            print("  ".join([row["name"].ljust(22), f"{row['bytes']:5}", *(f"{value:6.4f}" for value in row["recall"]),
                             f"{row['train']:7.1f}", f"{row['encode']:8.1f}", f"{row['queries_per_second']:9.0f}",
                             f"{row['cpu']:7.1f}", f"{row['wall']:7.1f}"]), flush=True)
        ours, theirs = rows[-2], rows[-1]
        gains = "  ".join(f"{a - b:+6.4f}" for a, b in zip(ours["recall"], theirs["recall"]))
        print(f"{'  ours - theirs'.ljust(22)}         {gains}   train x{ours['train'] / theirs['train']:.2f}"
              f"  encode x{ours['encode'] / theirs['encode']:.2f}"
              f"  queries/s x{ours['queries_per_second'] / theirs['queries_per_second']:.1f}\n")
    return rows


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench peers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with base, learn, query and gt files")
    parser.add_argument("--only", choices=("kmeans", "recall"), help="one part instead of both")
    parser.add_argument("--pair", nargs=2, action="append", metavar=("SPEC", "FACTORY"), dest="pairs",
                        help="compare these instead (may be repeated)")
    parser.add_argument("--iterations", type=int, default=25, help="of k-means")
    parser.add_argument("--repeat", type=int, default=3, help="runs of k-means on each side")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--tool", default="build/summand")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures here")
    arguments = parser.parse_args()
    arguments.pairs = arguments.pairs or PAIRS
    return arguments


def main():
    arguments = parse_arguments()
    faiss.omp_set_num_threads(arguments.threads)
    results = {"faiss": faiss.__version__, "threads": arguments.threads, "machine": platform.machine(),
               "date": time.strftime("%Y-%m-%d")}
    with tempfile.TemporaryDirectory() as scratch:
        tool = Tool(arguments.tool, arguments.threads, scratch)
        if arguments.only != "recall":
            results["kmeans"] = kmeans(arguments, tool)
        if arguments.only != "kmeans":
            results["recall"] = recall(arguments, tool)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
