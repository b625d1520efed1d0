#!/usr/bin/env python3
"""Few vectors to learn from: error and recall of block and composite methods on vectors that none learnt from.

    ./dev bench few --data DIR [--sizes 2000 5000 10000 30000] [--specs OPQ8 NOCQ8 …] [--json FILE] [--svg FILE]

prints a table. FILE of --json is written with each row, and what it holds already is not measured again.

DIR holds the learn file; its evaluation queries are not looked at. In random order, the first vectors are queries, the
next are searched, the others are learnt from. A spec with anchor=0 is what training did before words were pulled to
their start.
"""
import argparse
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, Program, find  # noqa: E402

SPECS = [spec for bytes in (8, 16)
         for spec in (f"OPQ{bytes}", f"NOCQ{bytes}(anchor=0)", f"NOCQ{bytes}", f"LOCQ{bytes}(anchor=0)", f"LOCQ{bytes}")]
RANKS = (1, 10)
COLOURS = {"OPQ": "#7f8c8d", "NOCQ": "#2980b9", "LOCQ": "#c0392b"}


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench few", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with a learn file")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 5000, 10000, 30000])
    parser.add_argument("--specs", nargs="+", default=SPECS)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--searched", type=int, default=5000)
    parser.add_argument("--bench", type=pathlib.Path, default=ROOT / "build/bench/few_bench", help=argparse.SUPPRESS)
    parser.add_argument("--json", help="write what was measured to this file")
    parser.add_argument("--svg", help="plot the errors against the number of vectors")
    return parser.parse_args()


def rounded(error):
    return f"{error:,.0f}" if error >= 1000 else f"{error:.4g}"


def kept(options):
    """Rows of an earlier run."""
    path = options.json and pathlib.Path(options.json)
    rows = json.loads(path.read_text())["rows"] if path and path.exists() else []
    return {(row["size"], row["spec"]): row for row in rows}


def keep(options, rows):
    if options.json:
        text = json.dumps({"data": options.data.name, "rows": list(rows.values())}, indent=1)
        pathlib.Path(options.json).write_text(text + "\n")


def measure(options):
    bench = Program([options.bench, find(options.data, "learn"), str(options.queries), str(options.searched)])
    print("| learnt from | method | held-out error | recall@1 | recall@10 | train, CPU s |\n|---|---|---|---|---|---|")
    rows = kept(options)
    for size in options.sizes:
        for spec in options.specs:
            if (size, spec) not in rows:
                row = {"size": size, "spec": spec, "train_seconds": bench("train", spec, size), "error": bench("error")}
                row["recall"] = {str(rank): bench("recall", rank) for rank in RANKS}
                rows[size, spec] = row
                keep(options, rows)
            row = rows[size, spec]
            print(f"| {size:,} | {spec} | {rounded(row['error'])} | {row['recall']['1']:.3f} | {row['recall']['10']:.3f} | "
                  f"{row['train_seconds']:.0f} |", flush=True)
    bench.close()
    return list(rows.values())


def plot(rows, path):
    """Error relative to that of the first method from as many vectors, a line per method; dashed without an anchor."""
    sizes = sorted({row["size"] for row in rows})
    specs = list(dict.fromkeys(row["spec"] for row in rows))
    first = {row["size"]: row["error"] for row in rows if row["spec"] == specs[0]}
    ratios = {(row["spec"], row["size"]): row["error"] / first[row["size"]] for row in rows}
    width, height, left, right, bottom = 760, 420, 60, 220, 50
    highest = max(ratios.values()) * 1.05
    x = lambda size: left + (width - left - right) * sizes.index(size) / max(1, len(sizes) - 1)
    y = lambda ratio: 20 + (height - bottom - 20) * (1 - ratio / highest)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             f'font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for level in (0, 0.5, 1, 1.5, 2, 2.5, 3):
        if level <= highest:
            parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y(level):.1f}" y2="{y(level):.1f}" stroke="#ddd"/>'
                         f'<text x="{left - 8}" y="{y(level) + 4:.1f}" text-anchor="end">{level}</text>')
    for size in sizes:
        parts.append(f'<text x="{x(size):.1f}" y="{height - bottom + 18}" text-anchor="middle">{size:,}</text>')
    for number, spec in enumerate(specs):
        colour = COLOURS.get(spec.split("(")[0].rstrip("0123456789"), "#000")
        dash = ' stroke-dasharray="5 4"' if "anchor=0" in spec else ""
        points = " ".join(f"{x(size):.1f},{y(ratios[spec, size]):.1f}" for size in sizes if (spec, size) in ratios)
        at = 30 + 18 * number
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
                     f'<line x1="{width - right + 10}" x2="{width - right + 40}" y1="{at - 4}" y2="{at - 4}" stroke="{colour}" '
                     f'stroke-width="2"{dash}/><text x="{width - right + 46}" y="{at}">{spec}</text>')
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">vectors learnt from</text>'
                 f'<text x="14" y="{height / 2}" transform="rotate(-90 14 {height / 2})" text-anchor="middle">held-out error ÷ '
                 f'that of {specs[0]}</text></svg>')
    pathlib.Path(path).write_text("\n".join(parts) + "\n", encoding="utf-8")


def main():
    options = arguments()
    rows = measure(options)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"data": options.data.name, "rows": rows}, indent=1) + "\n")
    if options.svg:
        plot(rows, options.svg)


if __name__ == "__main__":
    main()
