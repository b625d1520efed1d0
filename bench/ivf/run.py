#!/usr/bin/env python3
"""Inverted indexes beside FAISS's, in one run: recall against queries per second, one thread, k = 100.

    ./dev bench ivf --data DIR [--json FILE] [--svg FILE]

DIR holds learn, base and query (.bvecs or .fvecs) and gt.ivecs. Each index is built once; then every point of every curve is
measured in turns, and the best of the rounds counts. Bytes per vector are those of the code: ids take 8 bytes on both
sides. The multi-index is also searched with reconstruction (T1 of the paper) and from tables (T2), for L candidates.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import faiss
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, find, interleaved, read_vecs, seconds  # noqa: E402

K = 100
PROBES = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)
CANDIDATES = (1000, 3000, 10000, 30000)
OURS = ("IVF1024,OPQ16x4", "IVF1024,LOCQ8", "IVF1024(coding=plain),LOCQ8", "IMI2x8,LOCQ8")
THEIRS = ("IVF1024,PQ8", "IVF1024,PQ16x4fsr", "IMI2x8,PQ8")
RECONSTRUCTED = "IMI2x8(coarse=NOCQ),NOCQ8"
RECONSTRUCTED_QUERIES = 1000  # reconstruction is slow


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--json", help="write every figure to this file")
    parser.add_argument("--svg", help="plot recall@10 against queries per second")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path, help="where our indexes are kept; default: a temporary one")
    parser.add_argument("--binary", default=str(ROOT / "build/summand"))
    return parser.parse_args()


def recall(ids, truth, answers):
    return float((ids[:, :answers] == truth[:, :1]).any(axis=1).mean())


class Ours:
    """An index on the command line; a measurement is one run of `evaluate`."""

    def __init__(self, spec, options, folder):
        self.spec, self.binary = spec, options.binary
        self.index = folder / (spec.translate(str.maketrans("(),=", "____")) + ".smd")
        self.files = [find(options.data, "query"), find(options.data, "gt")]
        if not self.index.exists():
            self.run("build", "--spec", spec, "--learn", find(options.data, "learn"), find(options.data, "base"), "-o",
                     self.index, "--quiet")

    def run(self, *words):
        subprocess.run([self.binary, *map(str, words)], check=True)

    def measure(self, *how):
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            self.run("evaluate", self.index, *self.files, "-k", K, "-t", 1, *how, "--json", report.name, "--quiet")
            return json.load(open(report.name, encoding="utf-8"))[0]

    def point(self, *how):
        """What one run measured, with its recalls by their number of answers."""
        report = self.measure(*how)
        recalls = {p["answers"]: p["recall"] for p in report["recalls"] if p["truths"] == 1}
        return {"recall": {str(r): recalls[r] for r in (1, 10, 100)}, "seconds": 1 / report["queries_per_second"],
                "cell_order_seconds": report["cell_order_seconds"], "word_score_seconds": report["word_score_seconds"]}


class Theirs:
    def __init__(self, spec, vectors):
        self.spec, self.vectors = spec, vectors
        self.index = faiss.index_factory(vectors["query"].shape[1], spec)
        self.index.train(vectors["learn"])
        self.index.add(vectors["base"])

    def point(self, probes):
        faiss.ParameterSpace().set_index_parameter(self.index, "nprobe", probes)
        found = []
        queries = self.vectors["query"]
        taken = seconds(lambda: found.append(self.index.search(queries, K)[1]))
        return {"recall": {str(r): recall(found[0], self.vectors["gt"], r) for r in (1, 10, 100)},
                "seconds": taken / len(queries)}


def measured(rounds, cases):
    """The last point of each case, with the best seconds of all rounds."""
    points = {}

    def keep(name, case):
        points[name] = case()
        return points[name]["seconds"]

    best = interleaved(rounds, {name: (lambda n=name, c=case: keep(n, c)) for name, case in cases.items()})
    return {name: {**points[name], "seconds": best[name], "queries_per_second": 1 / best[name]} for name in cases}


def curve_cases(ours, theirs):
    cases = {}
    for index in ours:
        for probes in PROBES if index.spec.startswith("IVF") else tuple(16 * p for p in PROBES):
            cases["summand", index.spec, probes] = lambda i=index, p=probes: i.point("--probes", p)
    for index in theirs:
        for probes in PROBES if index.spec.startswith("IVF") else tuple(16 * p for p in PROBES):
            cases["FAISS", index.spec, probes] = lambda i=index, p=probes: i.point(p)
    return cases


def rows(points):
    for (library, spec, probes), point in points.items():
        yield {"library": library, "spec": spec, "probes": probes, **point}


def show(table):
    print(f"{'':8} {'index':32} {'probes':>6} {'R@1':>6} {'R@10':>6} {'R@100':>6} {'queries/s':>10}")
    for row in table:
        recalls = " ".join(f"{row['recall'][r]:6.3f}" for r in ("1", "10", "100"))
        print(f"{row['library']:8} {row['spec']:32} {row['probes']:6} {recalls} {row['queries_per_second']:10,.0f}")


def fastest(table, least):
    """The fastest of our points with at least that recall@10."""
    good = [r for r in table if r["library"] == "summand" and r["recall"]["10"] >= least]
    return max(good, key=lambda r: r["queries_per_second"], default=None)


def compare(table):
    """At the recall of each of their points with 16 probes, how much faster we are."""
    result = []
    for row in table:
        if row["library"] != "FAISS" or row["probes"] != (16 if row["spec"].startswith("IVF") else 256):
            continue
        ours = fastest(table, row["recall"]["10"])
        quick = [r for r in table if r["library"] == "summand" and r["queries_per_second"] >= row["queries_per_second"]]
        result.append({"their": row["spec"], "recall@10": row["recall"]["10"],
                       "speed_ratio": ours and ours["queries_per_second"] / row["queries_per_second"],
                       "our": ours and [ours["spec"], ours["probes"]],
                       "recall_gain_at_their_speed":
                           max((r["recall"]["10"] for r in quick), default=0) - row["recall"]["10"]})
    return result


def everywhere(table):
    """For each of their indexes the point where we are least ahead: our speed at its recall, by its speed."""
    result = {}
    for row in (r for r in table if r["library"] == "FAISS"):
        ours = fastest(table, row["recall"]["10"])
        ratio = ours["queries_per_second"] / row["queries_per_second"] if ours else 0
        if ratio < result.get(row["spec"], {"ratio": float("inf")})["ratio"]:
            result[row["spec"]] = {"ratio": ratio, "probes": row["probes"], "recall@10": row["recall"]["10"],
                                   "our": ours and [ours["spec"], ours["probes"]]}
    return result


def first_rows(path, folder):
    """A copy of the first rows of an .fvecs, .bvecs or .ivecs file."""
    row = 4 + int(numpy.fromfile(path, "<i4", 1)[0]) * (1 if path.suffix == ".bvecs" else 4)
    copy = folder / f"first_{path.name}"
    with open(path, "rb") as file:
        copy.write_bytes(file.read(row * RECONSTRUCTED_QUERIES))
    return copy


def reconstruction(options, folder):
    index = Ours(RECONSTRUCTED, options, folder)
    index.files = [first_rows(path, folder) for path in index.files]
    cases = {}
    for count in CANDIDATES:
        cases["T1", count] = lambda c=count: index.point("--candidates", c, "--reconstruct")
        cases["T2", count] = lambda c=count: index.point("--candidates", c)
    points = measured(options.rounds, cases)
    table = []
    for count in CANDIDATES:
        t1, t2 = points["T1", count], points["T2", count]
        table.append({"candidates": count, "recall": t2["recall"], "T1_ms": 1e3 * t1["seconds"],
                      "T2_ms": 1e3 * t2["seconds"], "multi_sequence_ms": 1e3 * t2["cell_order_seconds"]})
        print(f"{RECONSTRUCTED} L={count}: R@10 {t2['recall']['10']:.3f}, T1 {table[-1]['T1_ms']:.3f} ms, "
              f"T2 {table[-1]['T2_ms']:.3f} ms, multi-sequence {table[-1]['multi_sequence_ms']:.3f} ms")
    return table


def plot(table, path):
    width, height, left, right, bottom = 820, 440, 60, 270, 50
    speeds = [numpy.log10(r["queries_per_second"]) for r in table]
    low, high = min(speeds), max(speeds)
    x = lambda r: left + (width - left - right) * (numpy.log10(r["queries_per_second"]) - low) / max(high - low, 1e-9)
    y = lambda r: 20 + (height - bottom - 20) * (1 - r["recall"]["10"])
    colours = ["#c0392b", "#e67e22", "#8e44ad", "#d81b60", "#2980b9", "#16a085", "#7f8c8d"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             f'font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for tenth in range(11):
        level = 20 + (height - bottom - 20) * (1 - tenth / 10)
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{level:.1f}" y2="{level:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 8}" y="{level + 4:.1f}" text-anchor="end">{tenth / 10:.1f}</text>')
    for power in range(int(numpy.ceil(low)), int(high) + 1):
        at = left + (width - left - right) * (power - low) / max(high - low, 1e-9)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="20" y2="{height - bottom}" stroke="#ddd"/>'
                     f'<text x="{at:.1f}" y="{height - bottom + 16}" text-anchor="middle">{10 ** power:,}</text>')
    names = list(dict.fromkeys((r["library"], r["spec"]) for r in table))
    for number, name in enumerate(names):
        own = [r for r in table if (r["library"], r["spec"]) == name]
        dash = "" if name[0] == "summand" else ' stroke-dasharray="5 4"'
        points = " ".join(f"{x(r):.1f},{y(r):.1f}" for r in own)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colours[number % len(colours)]}" stroke-width="2"{dash}/>'
                     f'<text x="{width - right + 12}" y="{30 + 18 * number}" fill="{colours[number % len(colours)]}">'
                     f'{name[0]} {name[1]}</text>')
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">queries per second, one '
                 f'thread</text><text x="14" y="{height / 2}" transform="rotate(-90 14 {height / 2})" '
                 f'text-anchor="middle">recall@10</text></svg>')
    pathlib.Path(path).write_text("\n".join(parts) + "\n", encoding="utf-8")


def run(options, folder):
    vectors = {name: read_vecs(find(options.data, name)) for name in ("learn", "base", "query", "gt")}
    for name in ("learn", "base", "query"):
        vectors[name] = vectors[name].astype(numpy.float32)
    ours = [Ours(spec, options, folder) for spec in OURS]
    theirs = [Theirs(spec, vectors) for spec in THEIRS]
    faiss.omp_set_num_threads(1)
    table = list(rows(measured(options.rounds, curve_cases(ours, theirs))))
    show(table)
    result = {"points": table, "comparison": compare(table), "least_ahead": everywhere(table),
              "multi_index": reconstruction(options, folder)}
    for line in result["comparison"]:
        print(line)
    for spec, least in result["least_ahead"].items():
        print(f"least ahead of {spec}: {least}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if options.svg:
        plot(table, options.svg)


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
