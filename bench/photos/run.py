#!/usr/bin/env python3
"""Makes data sets for object retrieval of pictures that Debian's packages install.

    ./dev bench photos DIR

writes into DIR photos-vlad and photos-fisher (MAP by the Holidays protocol: each part of a picture asks for its eleven views),
photos-vlad-four and photos-fisher-four (UKBench: four views of each). Half of the pictures are learnt from, words and codes,
the other half is searched. `./dev paper --data DIR --experiment object-retrieval` measures them.

Each quarter of a picture is an object; views are crops, scales, rotations, blurs and JPEG files of it. SIFT by OpenCV, from
PyPI; vectors by `summand aggregate`, 32 words of 32 principal directions, as the paper has 64 of 64.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]
from common import ROOT, read_vecs  # noqa: E402
from views import VIEWS, describe, pictures  # noqa: E402

WORDS, DIRECTIONS, FOUR = 32, 32, 4


def write_fvecs(path, rows):
    width = np.full((len(rows), 1), rows.shape[1], np.int32)
    np.hstack([width.view(np.float32), rows.astype(np.float32)]).tofile(path)


def write_set(folder, protocol, learn, base, views):
    """Queries are the first view of each object, which the lists name by their rows in the base."""
    folder.mkdir(parents=True, exist_ok=True)
    write_fvecs(folder / "learn.fvecs", learn)
    write_fvecs(folder / "base.fvecs", base)
    write_fvecs(folder / "query.fvecs", base[::views])
    lines = (" ".join(str(first + view) for view in range(views)) for first in range(0, len(base), views))
    (folder / f"relevance_{protocol}.txt").write_text("\n".join(lines) + "\n")


def aggregate(tool, kind, folders, scratch):
    """Vectors of the images of each folder, the vocabulary learnt from the first one."""
    vocabulary = scratch / f"{kind}.smd"
    subprocess.run([tool, "aggregate", "train", "--kind", kind, "--vocabulary", str(WORDS), "--pca", str(DIRECTIONS),
                    folders[0], "-o", vocabulary, "--quiet"], check=True)
    for folder in folders:
        vectors = scratch / f"{kind}-{folder.name}.fvecs"
        subprocess.run([tool, "aggregate", "encode", vocabulary, folder, "-o", vectors, "--quiet"], check=True)
        yield np.array(read_vecs(vectors))


def show(done, count):
    print(f"\r{done}/{count} pictures", end="" if done < count else "\n", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench photos", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--pictures", type=pathlib.Path, help="where the packages are unpacked; default: a temporary folder")
    parser.add_argument("--tool", default=str(ROOT / "build/summand"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        paths = pictures(arguments.pictures or scratch / "pictures")
        folders = [scratch / "learn", scratch / "base"]
        counts = [describe(paths[half::2], folder, show) for half, folder in enumerate(folders)]
        for kind in ("vlad", "fisher"):
            learn, base = aggregate(arguments.tool, kind, folders, scratch)
            write_set(arguments.folder / f"photos-{kind}", "holidays", learn, base, VIEWS)
            four = base.reshape(-1, VIEWS, base.shape[1])[:, :FOUR].reshape(-1, base.shape[1])
            write_set(arguments.folder / f"photos-{kind}-four", "ukbench", learn, four, FOUR)
    print(f"{counts[1]} parts of pictures to search, {counts[0]} others to learn from, {VIEWS} views each: {arguments.folder}")


if __name__ == "__main__":
    main()
