#!/usr/bin/env python3
"""An index in a folder: what segments and dead rows cost a search, what commits and opening cost, and a soak test.

    ./dev bench store --data DIR --measures search [--specs PQ8 IVF1024,PQ8]
    ./dev bench store --data DIR --measures add [--specs LOCQ8] [--folder /dev/shm]
    ./dev bench store --measures open [--specs PQ8 IVF1024,PQ8] [--vectors 100000000]
    ./dev bench store --data DIR --measures soak [--seconds 90] [--vectors 1000000]

DIR holds base and query files. On a file system in memory, where syncs cost nothing, `add` shows the rest. `open` makes a
file and a folder of that many random codes, and removes them again. The soak test lets four processes change one folder, kills one of them again and again, and
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
    parser.add_argument("--data", type=pathlib.Path, help="folder with base and query files; `open` needs none")
    parser.add_argument("--measures", nargs="+", choices=["search", "add", "open", "soak"], default=["search", "add"])
    parser.add_argument("--specs", nargs="+", default=["PQ8", "LOCQ8", "IVF1024,PQ8"])
    parser.add_argument("--folder", type=pathlib.Path, help="where indexes are made; default: a temporary folder")
    parser.add_argument("--seconds", type=int, default=90, help="of the soak test")
    parser.add_argument("--vectors", type=int, help="of `open` (default 100,000,000), or to begin the soak test with "
                                                    "(default 1,000,000)")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/bench", help=argparse.SUPPRESS)
    parser.add_argument("--json", help="write what was measured to this file")
    return parser.parse_args()


def numbers(*command):
    shown = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: float(value) for name, value in (line.split() for line in shown.splitlines())}


def command(options, measure, spec, folder):
    program = options.programs / {"open": "open_bench", "soak": "soak"}.get(measure, "store_bench")
    if measure == "open":
        return program, options.vectors or 100_000_000, spec, folder
    if options.data is None:
        raise SystemExit(f"{measure}: expected --data DIR")
    if measure == "soak":
        return program, find(options.data, "base"), folder, options.vectors or 1_000_000, options.seconds
    return program, measure, find(options.data, "base"), find(options.data, "query"), folder, spec


def main():
    options = arguments()
    measured = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        folder = pathlib.Path(scratch) / "index"
        for measure in options.measures:
            for spec in ["soak"] if measure == "soak" else options.specs:
                found = numbers(*command(options, measure, spec, folder))
                measured.setdefault(measure, {})[spec] = found
                print(measure, spec, *(f"\n  {name:<32} {value:,.4g}" for name, value in found.items()), flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
