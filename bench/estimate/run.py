#!/usr/bin/env python3
"""Compares what `summand build --dry-run` says with what the build takes: peak memory, bytes of the file, seconds.

    ./dev bench estimate                          every spec on 100,000 generated vectors of 128 dimensions
    ./dev bench estimate --data FILE [FILE ...]   and the main ones on each file of vectors
    ./dev bench estimate --only CQ8 IVF1024,PQ8 --learn-size 100000

Both run with one thread, and seconds are those that the processor works for the build (user and system time), so that
other work on the machine does not count; the clock only says how training and encoding share them. Bytes should be
within a fifth, seconds within a factor of two. The table goes to bench/results/estimate.md, the figures to
estimate.json.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPECS = ["PQ8", "OPQ8", "CQ8", "OCQ8", "NOCQ8", "LOCQ8", "LOCQ4", "LOCQ16", "CQe8", "CQd8", "CQc12", "QAV8", "UB8",
         "SNOCQ8", "RQ8", "AQ8", "AQe8", "OTQ8", "ITQ64", "IVF1024,PQ8", "IVF1024,LOCQ8", "IVF4096(groups=64),OPQ8",
         "IMI2x8,LOCQ8", "IMI2x12,PQ8", "PQ8,Refine(PQ8)", "IVF1024,LOCQ8,Refine(LOCQ8)"]
MAIN = ["PQ8", "OPQ8", "CQ8", "NOCQ8", "LOCQ8", "RQ8", "IVF1024,LOCQ8"]


def generated(path, rows=100_000, columns=128):
    """Directions with falling spread around 500 centres."""
    random = np.random.default_rng(1)
    spread = (np.arange(1, columns + 1) ** -0.5).astype(np.float32)
    centres = 2 * random.standard_normal((500, columns), np.float32) * spread
    vectors = centres[random.integers(0, 500, rows)] + random.standard_normal((rows, columns), np.float32) * spread
    np.save(path, vectors.astype(np.float32))


def measured(command):
    """Peak resident bytes and processor seconds of a command, and what it wrote as JSON."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(map(str, command))} failed with status {status}")
        output.seek(0)
        return usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime, json.loads(output.read())


def compare(tool, spec, base, learn_size, folder):
    index = folder / "index.smd"
    options = [tool, "build", "--spec", spec, base, "-o", index, "--json", "-", "-q", "-t", "1"]
    if learn_size:
        options += ["--learn-size", str(learn_size)]
    _, _, said = measured([*options, "--dry-run"])
    peak, seconds, done = measured(options)
    train = seconds * done["train_seconds"] / (done["train_seconds"] + done["encode_seconds"])
    row = {"base": base.name, "spec": spec, "memory": said["memory_bytes"] / peak, "file": said["output_bytes"] / index.stat().st_size,
           "seconds": (said["train_seconds"] + said["work_seconds"]) / seconds, "peak_bytes": peak,
           "file_bytes": index.stat().st_size, "processor_seconds": seconds, "learn_vectors": done["learn_vectors"],
           "train_ratio": said["train_seconds"] / max(train, 1e-3),
           "encode_ratio": said["work_seconds"] / max(seconds - train, 1e-3)}
    index.unlink()
    return row


def markdown(rows):
    lines = ["| base | spec | learnt from | memory | file | time | training alone | encoding alone | peak | took |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row['base']} | `{row['spec']}` | {row['learn_vectors']:,} | {row['memory']:.2f} | {row['file']:.2f} | {row['seconds']:.2f} | "
                     f"{row['train_ratio']:.2f} | {row['encode_ratio']:.2f} | {row['peak_bytes'] / 1e6:.0f} MB | "
                     f"{row['processor_seconds']:.1f} s |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench estimate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, nargs="+", default=[])
    parser.add_argument("--only", nargs="+", help="specs, on every base")
    parser.add_argument("--learn-size", type=int, default=0)
    parser.add_argument("--tool", default=ROOT / "build/summand")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = folder / "generated.npy"
        maker = multiprocessing.Process(target=generated, args=(made,))   # peaks begin at that of who starts them
        maker.start()
        maker.join()
        rows = []
        for base, specs in [(made, SPECS), *((path, MAIN) for path in arguments.data)]:
            for spec in arguments.only or specs:
                rows.append(compare(arguments.tool, spec, base, arguments.learn_size, folder))
                print(markdown(rows).splitlines()[-1], flush=True)
    text = ("# What --dry-run says, divided by what was measured\n\n"
            "`./dev bench estimate`, one thread, processor seconds: 1 is right, bytes should be within 0.8 to 1.2, times\n"
            f"within 0.5 to 2.\n\n{markdown(rows)}\n")
    arguments.results.mkdir(exist_ok=True)
    (arguments.results / "estimate.md").write_text(text)
    (arguments.results / "estimate.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
