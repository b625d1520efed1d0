#!/usr/bin/env python3
"""Recall of every method at several sizes and seeds, by this build and, beside it, by an older one.

    ./dev bench recall --data DIR [DIR …]                      base, learn and query files of each DIR
    ./dev bench recall --data DIR --before TOOL                the same with another build of the tool
    ./dev bench recall --data DIR --methods LOCQ --seeds 1 2   what is measured already is not measured again

Learns from the first --learn-rows vectors of learn and searches the last --base-rows of base, so that images that are
learnt from are not searched, against brute force. Each figure is written as it is made; a run that was stopped goes on. The
tables go to bench/results/recall.md, the figures to recall.json: means over seeds, the standard error of the
difference, and a mark where this build is below the other by more than two of them.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, find, read_vecs  # noqa: E402

METHODS = ["PQ", "OPQ", "CQ", "OCQ", "NOCQ", "LOCQ", "SNOCQ", "CQe", "CQd", "QAV", "UB", "RQ", "AQ", "OTQ", "ITQ"]
RANKS = (1, 10, 100)


def spec_of(method, size):
    """The spec whose code takes `size` bytes, but for what CQ stores beside it."""
    return f"ITQ{8 * size}" if method == "ITQ" else f"{method}{size}"


class Slice:
    """The part of a data set that is measured, as files."""

    def __init__(self, folder, arguments, scratch):
        self.name = folder.name
        self.paths = {}
        parts = {"base": slice(-arguments.base_rows, None), "learn": slice(arguments.learn_rows),
                 "query": slice(arguments.query_rows)}
        for name, rows in parts.items():
            self.paths[name] = scratch / f"{self.name}.{name}.npy"
            np.save(self.paths[name], read_vecs(find(folder, name))[rows])
        truth = scratch / f"{self.name}.truth.ivecs"
        subprocess.run([arguments.tool, "exact", self.paths["base"], self.paths["query"], "-k", "1", "-o", truth, "-q"],
                       check=True)
        self.nearest = read_vecs(truth)[:, :1]


def run(tool, verb, *options):
    """What a verb says of itself, and its CPU seconds."""
    process = subprocess.Popen([tool, verb, *map(str, options), "--threads", "1", "--json", "-", "-q"], stdout=subprocess.PIPE)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"{tool} {verb} {' '.join(map(str, options))} failed with status {status}")
    return json.loads(said), usage.ru_utime + usage.ru_stime


def measure(tool, data, spec, seed, learn_rows):
    with tempfile.TemporaryDirectory() as name:
        model, index, found = (pathlib.Path(name) / file for file in ("model.smd", "index.smd", "found.ivecs"))
        _, train = run(tool, "train", "--spec", spec, "--seed", seed, "--learn-size", learn_rows, data.paths["learn"],
                       "-o", model)
        built, encode = run(tool, "build", "--model", model, data.paths["base"], "-o", index)
        run(tool, "search", index, data.paths["query"], "-k", max(RANKS), "-o", found)
        ids = read_vecs(found)
    recall = [float((ids[:, :rank] == data.nearest).any(axis=1).mean()) for rank in RANKS]
    return {"recall": recall, "bytes": built["code_bytes"], "train_cpu_seconds": train, "encode_cpu_seconds": encode}


class Table:
    """Rows by key, saved after each."""

    def __init__(self, path):
        self.path = path
        self.rows = json.loads(path.read_text()) if path.exists() else {}

    def put(self, key, row):
        self.rows[key] = row
        self.path.write_text(json.dumps(self.rows, indent=1, sort_keys=True) + "\n")


def of_seeds(rows, rank):
    return [row["recall"][RANKS.index(rank)] for row in rows]


def error_of_difference(after, before):
    spread = sum(statistics.variance(values) / len(values) for values in (after, before) if len(values) > 1)
    return spread ** 0.5


def compared(after, before, rank):
    """".297 (.295, +.002 ± .001)", and whether the loss exceeds two standard errors."""
    now = statistics.mean(of_seeds(after, rank))
    if not before:
        return f"{now:.3f}", False
    then = statistics.mean(of_seeds(before, rank))
    error = error_of_difference(of_seeds(after, rank), of_seeds(before, rank))
    worse = now < then - 2 * error and len(after) > 1
    return f"{now:.3f} ({then:.3f}, {now - then:+.3f} ± {error:.3f}{', **lower**' if worse else ''})", worse


def seconds(rows, name):
    return statistics.mean(row[name] for row in rows)


def markdown(rows, arguments):
    """A table for each data set; rows in the order of methods, then sizes."""
    lines = []
    for folder in arguments.data:
        lines += [f"\n## {folder.name}\n", "| | seeds | recall@1 | recall@10 | training, CPU s | encoding, CPU s |",
                  "|---|---|---|---|---|---|"]
        for method in arguments.methods:
            for size in arguments.bytes:
                spec = spec_of(method, size)
                after, before = ([row for row in rows.values() if (row["set"], row["spec"], row["side"]) ==
                                  (folder.name, spec, side)] for side in ("after", "before"))
                if not after:
                    continue
                cells = [compared(after, before, rank)[0] for rank in (1, 10)]
                times = [f"{seconds(after, name):.1f}" + (f" ({seconds(before, name):.1f})" if before else "")
                         for name in ("train_cpu_seconds", "encode_cpu_seconds")]
                lines.append(f"| {spec} | {len(after)} | " + " | ".join(cells + times) + " |")
    return "\n".join(lines)


def version(tool):
    return hashlib.sha256(pathlib.Path(tool).read_bytes()).hexdigest()[:12]


def main():
    parser = argparse.ArgumentParser(prog="./dev bench recall", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--tool", type=pathlib.Path, default=ROOT / "build/summand")
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--bytes", type=int, nargs="+", default=[4, 8, 16])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--learn-rows", type=int, default=20_000)
    parser.add_argument("--base-rows", type=int, default=50_000)
    parser.add_argument("--query-rows", type=int, default=5_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="measurements side by side, of one thread each")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results/recall.json")
    arguments = parser.parse_args()
    table = Table(arguments.results)
    sides = {"after": arguments.tool} | ({"before": arguments.before} if arguments.before else {})
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        sets = [Slice(folder, arguments, pathlib.Path(scratch)) for folder in arguments.data]
        waiting = {}
        for seed in arguments.seeds:
            for method in arguments.methods:
                for data in sets:
                    for size in arguments.bytes:
                        for side, tool in sides.items():
                            spec = spec_of(method, size)
                            key = (f"{data.name} {spec} seed {seed}, {arguments.learn_rows} learnt, "
                                   f"{arguments.base_rows} searched, {version(tool)}")
                            if key in table.rows:
                                continue
                            work = pool.submit(measure, tool, data, spec, seed, arguments.learn_rows)
                            waiting[work] = key, {"set": data.name, "spec": spec, "seed": seed, "side": side}
        begin = time.perf_counter()
        for done, work in enumerate(concurrent.futures.as_completed(waiting), 1):
            key, row = waiting[work]
            table.put(key, row | work.result())
            print(f"{done}/{len(waiting)}, {time.perf_counter() - begin:.0f} s: {key}: "
                  + " ".join(f"{value:.3f}" for value in table.rows[key]["recall"]), flush=True)
    text = (f"# Recall of every method, this build and the one before\n\n`./dev bench recall`: {arguments.learn_rows:,} "
            f"vectors learnt from, {arguments.base_rows:,} searched, {arguments.query_rows:,} queries at most, seeds "
            f"{' '.join(map(str, arguments.seeds))}. In brackets: the build before, the difference and its standard error."
            f"\n{markdown(table.rows, arguments)}\n")
    arguments.results.with_suffix(".md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
