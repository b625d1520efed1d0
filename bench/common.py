"""What the benchmark drivers share."""
import pathlib
import subprocess
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]


def read_vecs(path):
    """Rows of .fvecs, .bvecs, .ivecs or .u8bin; bytes stay bytes."""
    if path.suffix == ".u8bin":
        rows, columns = np.fromfile(path, "<u4", 2)
        return np.memmap(path, np.uint8, "r", 8, (int(rows), int(columns)))
    kind = {".fvecs": np.float32, ".bvecs": np.uint8, ".ivecs": np.int32}[path.suffix]
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    columns = int(raw[:4].view(np.int32)[0])
    stride = 4 + columns * np.dtype(kind).itemsize
    return np.ascontiguousarray(raw.reshape(-1, stride)[:, 4:]).view(kind)


def find(folder, name):
    for suffix in (".bvecs", ".fvecs", ".ivecs", ".u8bin"):
        if (folder / (name + suffix)).exists():
            return folder / (name + suffix)
    raise SystemExit(f"{folder}: expected {name}.bvecs, .fvecs, .ivecs or .u8bin")


class Program:
    """A benchmark program; a line in, a line of numbers out, of which a call gives the first one."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *words):
        return self.numbers(*words)[0]

    def numbers(self, *words):
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.process.args[0]} ended while it was asked to {words[0]}")
        return [float(number) for number in answer.split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def interleaved(rounds, cases, least_seconds=0):
    """Best seconds of each of `cases`, {name: function that returns seconds}, taken in turns.

    Shared machines are slow for seconds on end: short cases need turns for `least_seconds` in all, so that each of
    them meets a time when it is not.
    """
    best = {name: float("inf") for name in cases}
    begin = time.perf_counter()
    done = 0
    while done < rounds or time.perf_counter() - begin < least_seconds:
        for name, case in cases.items():
            best[name] = min(best[name], case())
        done += 1
    return best
