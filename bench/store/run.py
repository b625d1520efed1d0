#!/usr/bin/env python3
"""An index in a folder: what changes cost, what segments and dead rows cost a search, and a soak test.

    ./dev bench store --data DIR [--specs PQ8 IVF1024,LOCQ8] [--soak SECONDS] [--vectors N] [--json FILE]

DIR holds base and query files. The soak test lets four processes change one folder, kills one of them again and again, and
compares the folder with an index filled from the logs of what was acknowledged; it fails where they differ.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, find  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench store", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with base and query files")
    parser.add_argument("--specs", nargs="*", default=["PQ8", "LOCQ8", "IVF1024,PQ8"])
    parser.add_argument("--soak", type=int, default=0, help="seconds of the soak test; 0: none")
    parser.add_argument("--vectors", type=int, default=1000000, help="of the soak test, to begin with")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/bench", help=argparse.SUPPRESS)
    parser.add_argument("--json", help="write what was measured to this file")
    return parser.parse_args()


def numbers(*command):
    shown = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: float(value) for name, value in (line.split() for line in shown.splitlines())}


def main():
    options = arguments()
    base, queries = find(options.data, "base"), find(options.data, "query")
    measured = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "index"
        for spec in options.specs:
            measured[spec] = numbers(options.programs / "store_bench", base, queries, folder, spec)
            print(spec, *(f"\n  {name:<32} {value:,.4g}" for name, value in measured[spec].items()))
        if options.soak:
            measured["soak"] = numbers(options.programs / "soak", base, folder, options.vectors, options.soak)
            print("soak", *(f"\n  {name:<32} {value:,.0f}" for name, value in measured["soak"].items()))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
