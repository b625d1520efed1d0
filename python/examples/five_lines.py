"""Vectors in 8 bytes each, searched, saved and opened again."""

import numpy as np

import summand

x = np.random.default_rng(1).standard_normal((20_000, 64), dtype=np.float32)
index = summand.build(x, "LOCQ8", metric="cosine")
ids, scores = index.search(x[:5], k=10)
index.save("index.smd")
print(summand.open("index.smd"), ids[:, 0])
