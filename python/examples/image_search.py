"""Finds the images that look like others: Fashion-MNIST, 784 pixels in 16 bytes.

The images are Debian's package dataset-fashion-mnist.
"""

import gzip
import pathlib
import sys

import numpy as np

import summand

FOLDER = pathlib.Path("/usr/share/datasets/fashion-mnist")
CLOTHES = "T-shirt trousers pullover dress coat sandal shirt sneaker bag boot".split()

if not FOLDER.exists():
    print(f"{FOLDER} is missing; 'apt install dataset-fashion-mnist' brings it")
    sys.exit(0)


def labels(name: str) -> summand.Bytes:
    with gzip.open(FOLDER / f"{name}-labels-idx1-ubyte.gz") as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=8)


# The second layer holds the pixels, and scores the best candidates of the first again.
index = summand.build(FOLDER / "train-images-idx3-ubyte.gz", "PQ16,Refine(u8)", learn_size=10_000)
queries = summand.read_vectors(FOLDER / "t10k-images-idx3-ubyte.gz")[:1000]
ids, _ = index.search(queries, k=5)
print(index)

of_base, of_queries = labels("train"), labels("t10k")[:1000]
for i in range(5):
    print(f"a {CLOTHES[of_queries[i]]} looks like: " + ", ".join(CLOTHES[label] for label in of_base[ids[i]]))
votes = np.array([np.bincount(row, minlength=10).argmax() for row in of_base[ids]])
print(f"the five nearest images tell what {np.mean(votes == of_queries):.1%} of the images show")
