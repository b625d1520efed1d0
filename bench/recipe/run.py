#!/usr/bin/env python3
"""Turns each heuristic of composite training off, one at a time, and prints what it gains.

./dev bench recipe --data DIR    DIR holds a folder for each data set, with base and learn files

Queries are rows of the base that are neither searched nor learnt from; evaluation queries are never read. A cell is a
data set, a seed and a spec. Finished cells are kept in the JSON file, so that an interrupted run goes on.
"""
import argparse
import json
import math
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What is turned off, by the options of a spec.
VARIANTS = {
    "comparing starts at all (OPQ)": "start=opq",
    "comparing starts at all (PQ)": "start=pq",
    "extrapolation of the rule, x4": "growth=1",
    "search for the rule (a=0.9, theta=0)": "theta=0,expectation=0.9",
    "perturbations in training": "perturbations=0",
    "ramp": "ramp=0",
    "coding factor of its own": "coding_factor=0.5",
    "iterations (half)": "iterations=5",
    "iterations (10)": "iterations=10",
    "iterations (20)": "iterations=20",
}
# No options any more: their rows come from cells that commit b5320e5 measured.
REMOVED = {
    "levels start": "starts=3",
    "levels and third start": "starts=2",
    "giving up hopeless starts": "hopeless=1000000",
    "ties of two standard errors, to the objective": "tie=0",
    "comparing starts by search (objective alone)": "tie=1000000",
    "levels, third start, giving up, ties": "starts=2,hopeless=1000000,tie=0",
    "cubic fit of the tilt": "fineness=0",
    "cubic fit and extrapolation": "fineness=0,growth=1",
    "near pairs (instead mu=25/E[x^2])": "mu=energy",
    "subspace of the starts": "start_dimensions=100000",
}
INTRODUCTION = """# What each heuristic of composite training gains

Recall with a heuristic less recall without it, mean ± standard error over seeds, or over data sets and seeds: what is
positive helps. Queries are rows of the base that are neither searched nor learnt from; evaluation queries were not read.
`same model` counts the cells whose words and offsets are the same bits without it. `./dev bench recipe --data DIR` repeats it. Rows of heuristics that are removed by now
come from the commit that could still turn them off.
"""
COLUMNS = ("recall@1", "recall@10", "recall@100", "distortion", "cpu_seconds", "model")


def with_options(spec, options):
    return f"{spec}({options})" if options else spec


class Cells:
    """Finished cells, in a file."""

    def __init__(self, path):
        self.path = path
        self.known = json.loads(path.read_text())["cells"] if path.exists() else []

    def find(self, **key):
        return next((cell for cell in self.known if all(cell[name] == value for name, value in key.items())), None)

    def add(self, cell):
        self.known.append(cell)
        text = ",\n".join(json.dumps(cell) for cell in self.known)
        self.path.write_text(f'{{"cells": [\n{text}\n]}}\n')


def measure(programs, settings, cells, key):
    if cells.find(**key):
        return
    if key["data"] not in programs:
        command = [settings["program"], str(pathlib.Path(settings["data"]) / key["data"])]
        command += [str(settings[name]) for name in ("learn", "base", "queries")]
        programs[key["data"]] = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    program = programs[key["data"]]
    program.stdin.write(f"{key['seed']} {key['spec']}\n")
    program.stdin.flush()
    answer = program.stdout.readline().split()
    if not answer:
        raise SystemExit(f"{program.args[0]} ended at {key}")
    values = {name: value if name == "model" else float(value) for name, value in zip(COLUMNS, answer)}
    cells.add({**key, **values})
    print(key, values, flush=True)


def mean_and_error(values):
    mean = sum(values) / len(values)
    if len(values) < 2:
        return f"{mean:+.4f}"
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    return f"{mean:+.4f} ± {error:.4f}"


def gains(cells, group, options):
    """Pairs of a cell with the heuristic and the same without it."""
    pairs = []
    for cell in cells.known:
        if cell["spec"] != with_options(group["spec"], options):
            continue
        key = {name: cell[name] for name in ("data", "seed", "learn", "base")}
        usual = cells.find(spec=group["spec"], **key)
        if usual and all(cell[name] == group[name] for name in ("learn", "base")):
            pairs.append((usual, cell))
    return pairs


def row(name, options, pairs, sets):
    def difference(what, only=None):
        return [usual[what] - without[what] for usual, without in pairs if only in (None, usual["data"])]

    cells = [mean_and_error(difference("recall@10", data)) if difference("recall@10", data) else "" for data in sets]
    cells += [mean_and_error(difference("recall@10")), mean_and_error(difference("recall@1"))]
    same = sum(usual["model"] == without["model"] for usual, without in pairs)
    return f"| {name} (`{options}`) | " + " | ".join(cells) + f" | {same} of {len(pairs)} |"


def table(cells):
    lines = []
    groups = {json.dumps({name: cell[name] for name in ("learn", "base")} | {"spec": cell["spec"].split("(")[0]})
              for cell in cells.known}
    for group in sorted(json.loads(text)["spec"] + text for text in groups):
        group = json.loads(group[group.index("{"):])
        sets = sorted({cell["data"] for cell in cells.known if cell["spec"].split("(")[0] == group["spec"]
                       and cell["base"] == group["base"]})
        lines += ["", f"## {group['spec']}, {group['learn']:,} to learn from, {group['base']:,} to search", "",
                  "| turned off | " + " | ".join(sets) + " | all: recall@10 | all: recall@1 | same model |",
                  "|---|" + "---|" * (len(sets) + 3)]
        for names in (VARIANTS, REMOVED):
            for name, options in names.items():
                if pairs := gains(cells, group, options):
                    lines.append(row(name, options, pairs, sets))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--sets", default="sift,fashion-mnist,mnist,words")
    parser.add_argument("--specs", default="LOCQ4,LOCQ8,LOCQ16", help="without options")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--learn", type=int, default=20000)
    parser.add_argument("--base", type=int, default=50000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--program", default=str(ROOT / "build" / "bench" / "recipe_bench"))
    parser.add_argument("--output", default=str(ROOT / "bench" / "results" / "recipe"), help="without .md and .json")
    parser.add_argument("--variants", help="options to try, separated by semicolons; default all")
    parser.add_argument("--only-table", action="store_true")
    settings = vars(parser.parse_args())
    variants = settings["variants"].split(";") if settings["variants"] else list(VARIANTS.values())
    output = pathlib.Path(settings["output"])
    cells, programs = Cells(output.with_suffix(".json")), {}
    for seed in range(1, settings["seeds"] + 1) if not settings["only_table"] else []:
        for spec in settings["specs"].split(","):
            for options in ("", *variants):
                for data in settings["sets"].split(","):
                    measure(programs, settings, cells,
                            {"data": data, "seed": seed, "spec": with_options(spec, options),
                             "learn": settings["learn"], "base": settings["base"]})
    for program in programs.values():
        program.stdin.close()
        program.wait()
    output.with_suffix(".md").write_text(INTRODUCTION + table(cells))
    print(table(cells))


if __name__ == "__main__":
    main()
