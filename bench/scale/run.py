#!/usr/bin/env python3
"""Inverted indexes of 1, 10 and 100 million vectors: rates of the build, memory, recall, and what 10^9 would take.

    ./dev bench scale [--sizes 1M 10M 100M] [--dimensions 32] [--json FILE]

Vectors are generated (vectors.py): clustered, seeded, bytes, written and read in chunks. 32 dimensions keep 100 million
of them at 3.2 GB, so that one disk holds base, index and checkpoint; what is measured per vector, code and id, does not
depend on it, the encoding rate does. The truth is found by `summand exact`, which reads the base once in constant
memory. Cells are a power of two near 4·√N, but no more than leave their tables (8 KiB each for 8-byte codes) at a fifth
of codes and ids; with 8,192 and more of them in two levels.

Resident memory is the peak of the whole process, as wait4 reports it: this program does without numpy, for a child
inherits the peak of its parent. A size that does not fit on the disk is skipped.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BILLION = 10**9
ID_BYTES, CHECKPOINT_CELL_BYTES = 8, 4   # per vector, beside its code
TABLE_BYTES = 8192                       # per cell, for 8 dictionaries of 256 words
SPARE = 1.1


def count(text):
    """20k, 1M, 100M or a plain number."""
    units = {"k": 10**3, "M": 10**6, "G": 10**9}
    return int(float(text[:-1]) * units[text[-1]]) if text[-1] in units else int(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=count, default=[10**6], help="vectors: 1M, 10M, 100M; default 1M")
    parser.add_argument("--dimensions", type=int, default=32)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--spec", default="IVF{cells},LOCQ8", help="{cells} stands for the number chosen for the size")
    parser.add_argument("--probes", nargs="+", type=int, default=[1, 2, 4, 8, 16, 32, 64])
    parser.add_argument("--threads", type=int, default=0, help="of build and search; 0: all")
    parser.add_argument("--learn-size", type=int, help="vectors to learn from; default: the program's own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path, help="for data and indexes, kept; default: a temporary one")
    parser.add_argument("--json", type=pathlib.Path, help="write every figure to this file")
    parser.add_argument("--binary", default=str(ROOT / "build/summand"))
    return parser.parse_args()


def size_text(size):
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size / 1e3:.0f} kB"


def time_text(seconds):
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds:.1f} s"


def cells_for(vectors):
    near, most = 4 * math.sqrt(vectors), max(1.0, vectors * (8 + ID_BYTES) / 5 / TABLE_BYTES)
    return 1 << max(4, min(round(math.log2(near)), math.floor(math.log2(most))))


def cells_text(cells):
    return f"{cells}(groups={1 << (cells.bit_length() - 1) // 2})" if cells >= 8192 else str(cells)


class Tool:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def __call__(self, *words):
        """What --json tells, with the wall time and the peak of resident memory of that process."""
        report = self.folder / "report.json"
        command = [self.options.binary, *map(str, words), "--json", str(report), "--quiet"]
        begin = time.perf_counter()
        process = subprocess.Popen(command)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        told = json.loads(report.read_text(encoding="utf-8"))
        told = told[0] if isinstance(told, list) else told
        return {**told, "wall_seconds": time.perf_counter() - begin, "peak_bytes": usage.ru_maxrss * 1024}


def generate(options, vectors, folder):
    """Base, queries and truth, unless they are there from a run before."""
    if not (folder / "truth.ivecs").exists():
        subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("vectors.py")), str(folder), "--vectors",
                        str(vectors), "--dimensions", str(options.dimensions), "--queries", str(options.queries),
                        "--seed", str(options.seed)], check=True)
        Tool(options, folder)("exact", folder / "base.u8bin", folder / "query.u8bin", "-k", 1, "-o",
                              folder / "truth.ivecs", "-t", options.threads)
    ids = [[row[1] for row in struct.iter_unpack("<ii", (folder / name).read_bytes())]
           for name in ("truth.ivecs", "planted.ivecs")]
    return sum(a == b for a, b in zip(*ids)) / options.queries


def build(options, vectors, folder, tool):
    spec = options.spec.replace("{cells}", cells_text(cells_for(vectors)))
    learn = ["--learn-size", options.learn_size] if options.learn_size else []
    index = folder / "index.smd"
    told = tool("build", "--spec", spec, folder / "base.u8bin", "-o", index, "--checkpoint", folder / "work.smd", *learn,
                "-t", options.threads, "--seed", options.seed)
    codes_and_ids = vectors * (told["code_bytes"] + ID_BYTES)
    return {"spec": spec, "cells": told["cells"], "code_bytes": told["code_bytes"], "learn_vectors": told["learn_vectors"],
            "train_seconds": told["train_seconds"], "train_rate": told["learn_vectors"] / told["train_seconds"],
            "encode_seconds": told["encode_seconds"], "encode_rate": vectors / told["encode_seconds"],
            "wall_seconds": told["wall_seconds"], "peak_bytes": told["peak_bytes"],
            "codes_and_ids_bytes": codes_and_ids, "peak_ratio": told["peak_bytes"] / codes_and_ids,
            "cell_table_bytes": told["cell_table_bytes"], "index_bytes": index.stat().st_size}


def single_query(options, folder, tool, probes):
    """Median seconds of searches for one query in a fresh process each, loading not counted."""
    with open(folder / "query.u8bin", "rb") as file:
        rows = file.read()[8:]
    taken = []
    for i in range(5):
        row = rows[i * options.dimensions:(i + 1) * options.dimensions]
        (folder / "one.u8bin").write_bytes(struct.pack("<II", 1, options.dimensions) + row)
        taken.append(tool("search", folder / "index.smd", folder / "one.u8bin", "-k", 100, "--probes", probes, "-t", 1,
                          "-o", folder / "one.ivecs")["seconds"])
    return statistics.median(taken)


def points(options, folder, tool, cells):
    for probes in (p for p in options.probes if p <= cells):
        told = tool("evaluate", folder / "index.smd", folder / "query.u8bin", folder / "truth.ivecs", "-k", 100, "--probes",
                    probes, "-t", options.threads)
        recalls = {p["answers"]: p["recall"] for p in told["recalls"] if p["truths"] == 1}
        yield {"probes": probes, "recall": {str(r): recalls[r] for r in (1, 10, 100)},
               "queries_per_second": told["queries_per_second"],
               "single_query_seconds": single_query(options, folder, tool, probes)}


def search_memory(options, folder, tool, built):
    """The peak of a search for all queries, and what it is made of."""
    told = tool("search", folder / "index.smd", folder / "query.u8bin", "-k", 100, "--probes", max(options.probes), "-t",
                options.threads, "-o", folder / "found.ivecs")
    known = built["codes_and_ids_bytes"] + built["cell_table_bytes"]
    return {"peak_bytes": told["peak_bytes"], "ratio": told["peak_bytes"] / built["codes_and_ids_bytes"],
            "cell_table_bytes": built["cell_table_bytes"], "rest_bytes": told["peak_bytes"] - known}


def build_bytes(results):
    """The peak of a build of 10^9: along the line through the two largest sizes, or through one and nothing at zero."""
    small, large = ([{"vectors": 0, "build": {"peak_bytes": 0}}] + results)[-2:]
    slope = (large["build"]["peak_bytes"] - small["build"]["peak_bytes"]) / (large["vectors"] - small["vectors"])
    return large["build"]["peak_bytes"] + slope * (BILLION - large["vectors"])


def extrapolated(options, results):
    """10^9 vectors by the bytes and the rates of the largest size. More cells are counted as memory and training, not as a
    slower choice of a vector's cell."""
    built, rest = results[-1]["build"], max(results[-1]["search"]["rest_bytes"], 0)
    cells = cells_for(BILLION)
    codes_and_ids = BILLION * (built["code_bytes"] + ID_BYTES)
    words = cells * 4 * options.dimensions
    search = codes_and_ids + cells * built["cell_table_bytes"] / built["cells"] + 3 * words + rest
    return {"cells": cells, "codes_and_ids_bytes": codes_and_ids, "search_bytes": search,
            "search_ratio": search / codes_and_ids, "build_bytes": build_bytes(results),
            "base_bytes": BILLION * options.dimensions, "index_bytes": codes_and_ids + words,
            "checkpoint_bytes": BILLION * (built["code_bytes"] + CHECKPOINT_CELL_BYTES),
            "train_seconds": built["train_seconds"] * cells / built["cells"],
            "encode_seconds": BILLION / built["encode_rate"]}


def show(options, result):
    built, searched = result["build"], result["search"]
    print(f"\n{result['vectors']:,} vectors of {options.dimensions} bytes, {built['spec']}; of {options.queries} queries "
          f"{result['planted']:.1%} have the vector they were made from as nearest one")
    print(f"  build   learnt {built['learn_vectors']:,} in {time_text(built['train_seconds'])} "
          f"({built['train_rate']:,.0f}/s), encoded in {time_text(built['encode_seconds'])} "
          f"({built['encode_rate']:,.0f}/s), peak {size_text(built['peak_bytes'])} = "
          f"{built['peak_ratio']:.2f} x (codes + ids)")
    print(f"  search  peak {size_text(searched['peak_bytes'])} = {searched['ratio']:.2f} x (codes + ids): "
          f"{size_text(built['codes_and_ids_bytes'])}, tables of cells {size_text(searched['cell_table_bytes'])}, rest "
          f"{size_text(max(searched['rest_bytes'], 0))}; file {size_text(built['index_bytes'])}")
    print(f"  {'probes':>6} {'R@1':>6} {'R@10':>6} {'R@100':>6} {'queries/s':>10} {'one query':>10}")
    for point in result["points"]:
        recalls = " ".join(f"{point['recall'][r]:6.3f}" for r in ("1", "10", "100"))
        print(f"  {point['probes']:6} {recalls} {point['queries_per_second']:10,.0f} "
              f"{1e3 * point['single_query_seconds']:7.2f} ms")


def show_billion(vectors, billion):
    print(f"\n10^9 vectors from the figures of {vectors:,}, {billion['cells']:,} cells:")
    print(f"  memory  search {size_text(billion['search_bytes'])} ({billion['search_ratio']:.2f} x codes + ids), build "
          f"{size_text(billion['build_bytes'])}")
    print(f"  disk    base {size_text(billion['base_bytes'])}, index {size_text(billion['index_bytes'])}, checkpoint "
          f"{size_text(billion['checkpoint_bytes'])} while it is built")
    print(f"  time    training {time_text(billion['train_seconds'])} at most (as the cells), encoding "
          f"{time_text(billion['encode_seconds'])} (at the rate measured)")


def missing_room(options, vectors, folder):
    """Base, checkpoint and index, which are there at once; code bytes are taken as 16 at most."""
    needed = SPARE * vectors * (options.dimensions + 2 * (16 + ID_BYTES))
    free = shutil.disk_usage(folder).free
    return f"needs {size_text(needed)} in {folder}, {size_text(free)} are free" if needed > free else None


def measure(options, vectors, root):
    folder = root / f"{vectors}-{options.dimensions}-{options.queries}-{options.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    tool = Tool(options, folder)
    result = {"vectors": vectors, "dimensions": options.dimensions, "planted": generate(options, vectors, folder)}
    result["build"] = build(options, vectors, folder, tool)
    result["search"] = search_memory(options, folder, tool, result["build"])
    result["points"] = list(points(options, folder, tool, result["build"]["cells"]))
    if not options.folder:
        shutil.rmtree(folder)
    return result


def run(options, root):
    results = []
    for vectors in sorted(options.sizes):
        if reason := missing_room(options, vectors, root):
            print(f"{vectors:,} vectors: skipped, {reason}")
            continue
        results.append(measure(options, vectors, root))
        show(options, results[-1])
    if not results:
        return
    billion = extrapolated(options, results)
    show_billion(results[-1]["vectors"], billion)
    if options.json:
        text = json.dumps({"sizes": results, "billion": billion}, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")


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
