"""How many bytes does a recall take? Tries codes of 2, 4 and 8 bytes and draws what they find.

bits_for_recall.py [VECTORS]      a file of vectors; without one, the images of Fashion-MNIST or random vectors
"""

import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np

import summand

TARGET = 0.9  # share of queries whose nearest neighbour is among the first 10
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz")


def vectors() -> summand.Floats:
    if len(sys.argv) > 1:
        return summand.read_vectors(sys.argv[1])
    if FASHION.exists():
        return summand.read_vectors(FASHION)[:4000]
    return np.random.default_rng(1).standard_normal((6000, 64), dtype=np.float32)


every = vectors()
queries, base = every[:500], every[500:]
truth = summand.exact_neighbors(base, queries, k=1).ids

for method in ("PQ", "LOCQ"):
    sizes, recalls = [], []
    for dictionaries in (2, 4, 8):
        index = summand.build(base, f"{method}{dictionaries}")
        sizes.append(index.code_bytes)
        recalls.append(summand.recall(index.search(queries, k=10), truth, answers=10))
        print(f"{index.spec:>8} {sizes[-1]:>3} bytes per vector: recall@10 {recalls[-1]:.3f}")
    enough = [size for size, recall in zip(sizes, recalls) if recall >= TARGET]
    print(f"{method}: " + (f"{enough[0]} bytes reach {TARGET}" if enough else f"{sizes[-1]} bytes do not reach {TARGET}"))
    plt.plot(sizes, recalls, marker="o", label=method)

plt.axhline(TARGET, color="grey", linestyle="dotted")
plt.xlabel("bytes per vector")
plt.ylabel("recall@10 of the nearest neighbour")
plt.legend()
plt.savefig("bits_for_recall.svg")
