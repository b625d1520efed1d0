#!/usr/bin/env python3
"""Recall against queries per second beside FAISS, ScaNN, hnswlib and USearch, in a batch and one query by one.

    ./dev bench frontier --data DIR [--metric cosine] [--folder DIR] [--specs SPEC …] [--json FILE] [--svg FILE]

DIR holds learn, base and query (.bvecs or .fvecs), and for euclidean gt.ivecs; a truth that is missing is computed. Recall
is the share of the k true neighbours found in k answers. Each side tries all its settings once; those that nothing of
their own side beats are then timed in turns, and the best of the rounds counts. The table has, for each side and recall,
the fastest setting that reaches it. Indexes are kept in --folder, with the seconds that building them took. For cosine the
peers get vectors of length one.
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

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]
from common import ROOT, find, read_vecs  # noqa: E402
from sides import PEERS, Ours  # noqa: E402

LEVELS = (0.90, 0.95, 0.98, 0.99)
OURS = ("IVF1024(coding=plain),LOCQ8,Refine(u8)",)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--metric", choices=("euclidean", "cosine"), default="euclidean")
    parser.add_argument("--folder", type=pathlib.Path, help="where indexes are kept; default: a temporary one")
    parser.add_argument("--specs", nargs="+", default=OURS)
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=tuple(PEERS))
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1, help="of a batch")
    parser.add_argument("--queries", type=int, default=10_000, help="use the first so many")
    parser.add_argument("--cpu", action="store_true", help="count CPU time: where the machine is shared with other work")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", help="write every figure to this file")
    parser.add_argument("--svg", help="plot recall against queries per second, in a batch")
    parser.add_argument("--binary", default=str(ROOT / "build/summand"))
    parser.add_argument("--program", default=str(ROOT / "build/bench/frontier_bench"))
    return parser.parse_args()


class Data:
    """Vectors as the peers get them, and what all sides are told."""

    def __init__(self, options, folder):
        self.folder, self.metric, self.k, self.threads = options.data, options.metric, options.k, options.threads
        self.binary, self.program, self.cpu = options.binary, options.program, options.cpu
        self.clock = time.process_time if options.cpu else time.perf_counter
        self.learn, self.base, self.query = (self.rows(name) for name in ("learn", "base", "query"))
        self.query = self.query[:options.queries]
        self.faiss_bytes = self.base.shape[1] // 4 if self.base.shape[1] % 4 == 0 else self.base.shape[1] // 2
        self.truth = read_vecs(self.truth_file(folder))[:len(self.query), :self.k]

    def rows(self, name):
        rows = read_vecs(find(self.folder, name)).astype(numpy.float32)
        return rows / numpy.linalg.norm(rows, axis=1, keepdims=True) if self.metric == "cosine" else rows

    def truth_file(self, folder):
        given, made = self.folder / "gt.ivecs", folder / f"truth_{self.metric}.ivecs"
        if self.metric == "euclidean" and given.exists():
            return given
        if not made.exists():
            subprocess.run([self.binary, "exact", find(self.folder, "base"), find(self.folder, "query"), "-k", "100",
                            "--metric", self.metric, "-o", made, "--quiet"], check=True)
        return made


def recall(ids, truth):
    hits = sum(len(numpy.intersect1d(row, true)) for row, true in zip(ids, truth))
    return hits / (truth.shape[1] * len(ids))


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
    """Queries per second, and how many times as many the first side has."""
    lines = ["| recall >= | side | batch, q/s | ratio | setting | one by one, q/s | ratio | setting |",
             "|---|---|---|---|---|---|---|---|"]
    for level in LEVELS:
        first = {mode: fastest(points[sides[0].name], level, mode) for mode in ("batch", "single")}
        for side in sides:
            cells = []
            for mode in ("batch", "single"):
                best = fastest(points[side.name], level, mode)
                ratio = f"{best[0] / first[mode][0]:.2f}" if best and first[mode] else "-"
                cells += [f"{1 / best[0]:,.0f}", ratio, side.describe(best[1])] if best else ["-", "-", "-"]
            lines.append(f"| {level:.2f} | {side.name} | " + " | ".join(cells) + " |")
    lines += ["", "| side | bytes of the index file | seconds to build |", "|---|---|---|"]
    lines += [f"| {side.name} | {side.bytes:,} | {side.build_seconds:.0f} |" for side in sides]
    return "\n".join(lines)


def plot(path, title, sides, points, k):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"svg.hashsalt": "summand", "font.size": 10})
    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    for side in sides:
        own = sorted((p["recall"], 1 / p["batch"]) for s, p in points[side.name].items())
        best = [(r, q) for r, q in own if r >= 0.8 and all(q > other for recall_of, other in own if recall_of > r)]
        axes.plot(*zip(*best), marker="o", markersize=3, linewidth=2.2 if side is sides[0] else 1.2, label=side.name)
    axes.set(xlabel=f"recall: share of the {k} nearest among {k} answers", ylabel="queries per second", yscale="log", title=title)
    axes.grid(True, which="both", alpha=0.25)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def run(options, folder):
    data = Data(options, folder)
    sides = [Ours(spec, data, folder) for spec in options.specs]
    for peer in options.peers:
        sides += PEERS[peer](data, folder)
    points = {side.name: tried(side, data.truth) for side in sides}
    timed(sides, points, options.rounds)
    print(table(sides, points))
    if options.svg:
        plot(options.svg, f"{options.data.name}, {options.metric}, {options.threads} thread", sides, points, options.k)
    if options.json:
        result = [{"side": side.name, "bytes": side.bytes, "build_seconds": side.build_seconds,
                   "points": [{"setting": side.describe(s), **p} for s, p in points[side.name].items()]}
                  for side in sides]
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
