"""Runs the tool and makes small files for it. Standard library only."""
import os
import random
import struct
import subprocess
import tempfile
import unittest

SUMMAND = os.environ.get("SUMMAND", "build/summand")


def clustered(rows, columns, seed=1, clusters=40):
    """Vectors around random centres, so that neighbours mean something."""
    draw = random.Random(seed)
    centres = [[draw.uniform(-10, 10) for _ in range(columns)] for _ in range(clusters)]
    return [[value + draw.gauss(0, 1) for value in draw.choice(centres)] for _ in range(rows)]


def write_fvecs(path, rows):
    with open(path, "wb") as file:
        for row in rows:
            file.write(struct.pack(f"<i{len(row)}f", len(row), *row))


def read_vecs(path, letter):
    with open(path, "rb") as file:
        data = file.read()
    rows, at = [], 0
    while at < len(data):
        (count,) = struct.unpack_from("<i", data, at)
        rows.append(struct.unpack_from(f"<{count}{letter}", data, at + 4))
        at += 4 + 4 * count
    return rows


def read_ivecs(path):
    return read_vecs(path, "i")


def read_fvecs(path):
    return read_vecs(path, "f")


def squared_distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b))


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class ToolTest(unittest.TestCase):
    """A scratch folder for each test, and checks of what the tool says."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def vectors(self, name, rows, columns, seed=1):
        path = self.path(name)
        write_fvecs(path, clustered(rows, columns, seed))
        return path

    def run_tool(self, *arguments, tool=SUMMAND, **options):
        environment = dict(os.environ, **options.pop("environment", {}))
        return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                              env=environment, **options)

    def succeed(self, *arguments, **options):
        result = self.run_tool(*arguments, **options)
        self.assertEqual(result.returncode, 0, f"{arguments}: {result.stderr}")
        return result

    def fail_with(self, code, *arguments, says=(), speaker=None, **options):
        """Exactly one line on stderr that begins with the verb, or another speaker, and holds each of `says`."""
        result = self.run_tool(*arguments, "--quiet", **options)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stderr}")
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith((speaker or f"summand {arguments[0]}") + ": "), lines[0])
        for text in says:
            self.assertIn(str(text), lines[0])
        return lines[0]

    def assert_only(self, *names):
        """The scratch folder holds these files and nothing else, no temporary ones either."""
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))


class IndexTest(ToolTest):
    """Builds indexes of `self.base` and asks them for `self.queries`, which setUp makes."""

    def build(self, spec, *arguments, name="index.smd"):
        index = self.path(name)
        self.succeed("build", "--spec", spec, self.base, "-o", index, *arguments)
        return index

    def found(self, index, *arguments):
        result = self.path("result.ivecs")
        self.succeed("search", index, self.queries, "-k", 10, "-o", result, *arguments)
        return read_ivecs(result)
