"""Finds Debian packages by what they do: their descriptions, as vectors of a small language model.

text_search.py [QUESTION …]      needs `apt-cache` and `pip install wordllama`, whose package holds the model
"""

import pathlib
import shutil
import subprocess
import sys

import numpy as np
import wordllama

import summand

if not shutil.which("apt-cache"):
    print("apt-cache is missing: this example reads the descriptions of Debian's packages")
    sys.exit(0)

package, descriptions = "", {}
for line in subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True).stdout.splitlines():
    if line.startswith("Package: "):
        package = line[9:]
    elif line.startswith("Description: "):
        descriptions[package] = line[13:]
if len(descriptions) < 1000:
    print(f"apt knows {len(descriptions)} packages only; 'apt update' brings the others")
    sys.exit(0)
names, texts = list(descriptions), list(descriptions.values())

model = wordllama.WordLlama.load(cache_dir=pathlib.Path(wordllama.__file__).parent, disable_download=True)
vectors = np.asarray(model.embed(texts), dtype=np.float32) + 1e-6  # a text of unknown words would have no direction
index = summand.build(vectors, "PQ32,Refine(sq8)", metric="cosine", learn_size=10_000)
print(index)

for question in sys.argv[1:] or ["edit photographs", "watch birds and name them", "play chess against the computer"]:
    found = index.search(np.asarray(model.embed(question), dtype=np.float32).ravel(), k=3)
    print(question)
    for id, score in zip(found.ids, found.scores):
        print(f"  {1 - score / 2:.2f}  {names[id]}: {texts[id]}")
