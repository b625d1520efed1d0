"""Builds and searches a small index; tools/python_tests runs it on a CPU without AVX2."""

import numpy as np

import summand

assert summand.kernel_level() == "scalar", summand.kernel_level()
x = np.random.default_rng(1).integers(-9, 9, (300, 8)).astype(np.float32)
index = summand.build(x, "OPQ2x4,Refine(fp32)", threads=1)
found = index.search(x[:20], k=1, refine=300, threads=1)
assert (found.scores == 0).all(), found
print(f"check_old_cpu: {index} works without AVX2")
