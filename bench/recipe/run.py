#!/usr/bin/env python3
"""Turns each heuristic of composite training off, one at a time, and prints what it gains.

./dev bench recipe --data DIR    DIR holds a folder for each data set, with base and learn files

Queries are rows of the base that are neither searched nor learnt from; evaluation queries are never read. A cell is a
data set, a seed and a spec. Finished cells are kept in the JSON file, so that an interrupted run goes on.
"""
import argparse
import collections
import json
import math
import pathlib
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_DIMENSIONS = 256  # a subspace of the starts is only for longer vectors

# What is turned off, by the options of a spec.
VARIANTS = {
    "levels start": "starts=3",
    "levels and third start": "starts=2",
    "giving up hopeless starts": "hopeless=1000000",
    "ties of two standard errors, to the objective": "tie=0",
    "comparing starts by search (objective alone)": "tie=1000000",
    "comparing starts at all (OPQ)": "start=opq",
    "comparing starts at all (PQ)": "start=pq",
    "cubic fit of the tilt": "fineness=0",
    "extrapolation of the rule, x4": "growth=1",
    "search for the rule (a=0.9, theta=0)": "theta=0,expectation=0.9",
    "perturbations in training": "perturbations=0",
    "ramp": "ramp=0",
    "near pairs: mu=25/E|x|^2": "mu=energy",
    "coding factor of its own": "coding_factor=0.5",
    "iterations (half)": "iterations=5",
    "iterations (twice)": "iterations=20",
    "subspace of the starts": "start_dimensions=100000",
}
COLUMNS = ("recall@1", "recall@10", "recall@100", "distortion", "seconds", "model")


def with_options(spec, options):
    return f"{spec}({options})" if options else spec


def dimensions(folder):
    path = next(path for suffix in (".bvecs", ".fvecs") if (path := folder / ("base" + suffix)).exists())
    with path.open("rb") as file:
        return struct.unpack("<i", file.read(4))[0]


class Cells:
    """Finished cells, in a file."""

    def __init__(self, path):
        self.path = path
        self.known = json.loads(path.read_text())["cells"] if path.exists() else []

    def find(self, **key):
        return next((cell for cell in self.known if all(cell[name] == value for name, value in key.items())), None)

    def add(self, cell, settings):
        self.known.append(cell)
        self.path.write_text(json.dumps({"settings": settings, "cells": self.known}, indent=1) + "\n")


def measure(programs, settings, cells, key):
    if cells.find(**key):
        return
    if key["data"] not in programs:
        command = [settings["program"], str(pathlib.Path(settings["data"]) / key["data"]), str(settings["learn"]),
                   str(settings["base"]), str(settings["queries"])]
        programs[key["data"]] = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    program = programs[key["data"]]
    program.stdin.write(f"{key['seed']} {key['spec']}\n")
    program.stdin.flush()
    answer = program.stdout.readline().split()
    if not answer:
        raise SystemExit(f"{program.args[0]} ended at {key}")
    values = {name: value if name == "model" else float(value) for name, value in zip(COLUMNS, answer)}
    cells.add({**key, **values}, {name: settings[name] for name in ("learn", "base", "queries")})
    print(key, values, flush=True)


def mean_and_error(values):
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, float("nan")
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))


def gains(cells, spec, name, options, measure_name):
    """Of the heuristic: with it less without it, by data set."""
    found = collections.defaultdict(list)
    for cell in cells.known:
        if cell["spec"] != with_options(spec, options):
            continue
        usual = cells.find(data=cell["data"], seed=cell["seed"], spec=spec)
        if usual:
            found[cell["data"]].append(usual[measure_name] - cell[measure_name])
    return found


def table(cells, specs, sets):
    lines = []
    for spec in specs:
        lines += ["", f"## {spec}", "",
                  "| turned off | " + " | ".join(sets) + " | all: recall@10 | all: recall@1 | seconds | cells |",
                  "|---|" + "---|" * (len(sets) + 4)]
        for name, options in VARIANTS.items():
            found = gains(cells, spec, name, options, "recall@10")
            every = [value for values in found.values() for value in values]
            if not every:
                continue
            row = []
            for data in sets:
                row.append("{:+.4f}".format(sum(found[data]) / len(found[data])) if found[data] else "")
            first = [v for values in gains(cells, spec, name, options, "recall@1").values() for v in values]
            time = [v for values in gains(cells, spec, name, options, "seconds").values() for v in values]
            both = ["{:+.4f} ± {:.4f}".format(*mean_and_error(values)) for values in (every, first)]
            row += both + ["{:+.1f}".format(sum(time) / len(time)), str(len(every))]
            lines.append(f"| {name} (`{options}`) | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--sets", default="sift,fashion-mnist,mnist,words")
    parser.add_argument("--specs", default="LOCQ4,LOCQ8,LOCQ16", help="of LOCQ or NOCQ")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--learn", type=int, default=20000)
    parser.add_argument("--base", type=int, default=50000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--program", default=str(ROOT / "build" / "bench" / "recipe_bench"))
    parser.add_argument("--output", default=str(ROOT / "bench" / "results" / "recipe"), help="without .md and .json")
    parser.add_argument("--only-table", action="store_true")
    settings = vars(parser.parse_args())
    sets, specs = settings["sets"].split(","), settings["specs"].split(",")
    output = pathlib.Path(settings["output"])
    cells, programs = Cells(output.with_suffix(".json")), {}
    for seed in range(1, settings["seeds"] + 1):
        for spec in specs:
            for options in ("", *VARIANTS.values()):
                for data in sets:
                    without = "start_dimensions" in options and dimensions(
                        pathlib.Path(settings["data"]) / data) <= START_DIMENSIONS
                    if not settings["only_table"] and not without:
                        measure(programs, settings, cells, {"data": data, "seed": seed,
                                                            "spec": with_options(spec, options)})
    for program in programs.values():
        program.stdin.close()
        program.wait()
    text = (f"# What each heuristic of composite training gains\n\nRecall with it less recall without it, mean ± standard "
            f"error over data sets and seeds. {settings['learn']:,} vectors to learn from, {settings['base']:,} to search, "
            f"{settings['queries']:,} queries held out of the base; ./dev bench recipe. Seconds are of a shared machine.\n")
    output.with_suffix(".md").write_text(text + table(cells, specs, sets))
    print(table(cells, specs, sets))


if __name__ == "__main__":
    main()
