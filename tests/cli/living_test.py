"""An index in a folder: create, add, update, remove, compact, verify, repair, and search as of any index."""
import json
import os
import struct
import unittest

from support import ToolTest, clustered, read_ivecs, squared_distance, write_fvecs


def write_ivecs(path, rows):
    with open(path, "wb") as file:
        for row in rows:
            file.write(struct.pack(f"<i{len(row)}i", len(row), *row))


def write_npy_list(path, numbers):
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(numbers)},), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(numbers)}q", *numbers))


class Living(ToolTest):
    def setUp(self):
        super().setUp()
        self.rows = clustered(600, 16)
        self.learn = self.path("learn.fvecs")
        write_fvecs(self.learn, self.rows)
        self.queries = self.path("queries.fvecs")
        write_fvecs(self.queries, [[x + 0.1 for x in row] for row in self.rows[:20]])
        self.index = self.path("index")

    def create(self, spec, *arguments):
        self.succeed("create", self.index, "--spec", spec, "--learn", self.learn, *arguments)

    def vectors(self, name, first, last):
        path = self.path(name)
        write_fvecs(path, self.rows[first:last])
        return path

    def found(self, *arguments):
        result = self.path("result.ivecs")
        self.succeed("search", self.index, self.queries, "-k", 10, "-o", result, *arguments)
        return read_ivecs(result)

    def info(self):
        return json.loads(self.succeed("info", self.index, "--json").stdout)

    def test_a_folder_finds_what_one_index_finds(self):
        for spec, probes in (("PQ4x4", ()), ("IVF16,PQ4x4", ("--probes", 4)), ("PQ2x4,Refine(PQ4x4)", ())):
            with self.subTest(spec):
                self.index = self.path("index-" + spec)
                self.create(spec)
                for first in (0, 200, 400):
                    self.succeed("add", self.index, self.vectors("part.fvecs", first, first + 200))
                model = self.path("one.smd")
                self.succeed("build", self.learn, "--spec", spec, "-o", model)
                one = self.path("one.ivecs")
                self.succeed("search", model, self.queries, "-k", 10, "-o", one, *probes)
                self.assertEqual(self.found(*probes), read_ivecs(one))
                self.succeed("compact", self.index)
                self.assertEqual(self.found(*probes), read_ivecs(one))
                self.assertEqual(len(self.info()["segments"]), 1)

    def test_ids_may_be_texts(self):
        def texts(name, lines):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in lines))
            return self.path(name)

        names = [f"photo {i} \u00e4" for i in range(600)]
        self.create("PQ4x4,Refine(fp32)")
        self.succeed("add", self.index, self.vectors("a.fvecs", 0, 500), "--ids", texts("a.txt", names[:500]))
        self.fail_with(1, "add", self.index, self.vectors("b.fvecs", 0, 1), "--ids", texts("b.txt", names[:1]),
                       says=[f"the id '{names[0]}' is in the index already"])
        numbers = texts("c.txt", ["7", "8"])  # texts like others, in an index whose ids are texts
        self.succeed("add", self.index, self.vectors("c.fvecs", 500, 502), "--ids", numbers, "--commit-every", 1)
        self.succeed("update", self.index, self.vectors("d.fvecs", 7, 8), "--ids", texts("d.txt", names[7:8]))
        self.succeed("remove", self.index, "--ids", texts("e.txt", [names[0], "none"]))
        self.succeed("compact", self.index)
        self.assertEqual((self.info()["ids"], self.info()["vectors"]), ("texts", 501))

        known = dict(zip(names[:500] + ["7", "8"], self.rows))
        del known[names[0]]
        queries = [[x + 0.1 for x in row] for row in self.rows[:20]]
        expected = [sorted(known, key=lambda name: squared_distance(known[name], query))[:3] for query in queries]
        search = ("search", self.index, self.queries, "-k", 3, "--refine", 501)
        self.assertEqual(self.succeed(*search).stdout, "".join("\t".join(row) + "\n" for row in expected))
        self.assertEqual(json.loads(self.succeed(*search, "--json", "-").stdout)["ids"], expected)
        filtered = self.succeed(*search, "--filter", "@" + texts("f.txt", ["7", names[3]])).stdout.splitlines()
        self.assertEqual({frozenset(line.split("\t")) for line in filtered}, {frozenset(["7", names[3]])})
        nearest = self.succeed("search", self.index, self.queries, "--radius", 400).stdout.splitlines()
        self.assertIn(["1", names[1]], [line.split("\t")[:2] for line in nearest])
        self.fail_with(1, *search, "-o", self.path("result.ivecs"), says=["result.ivecs", "which are texts"])
        self.fail_with(1, *search, "--filter", "0-9", says=["expected @FILE"])
        self.fail_with(1, "remove", self.index, "--ids", texts("g.txt", ["a", "", "b"]), says=["g.txt", "line 2 is empty"])
        self.succeed("remove", self.index, "--filter", "@" + texts("h.txt", names[1:400]))
        self.succeed("retrain", self.index, "--vectors", self.vectors("i.fvecs", 400, 502), "--ids",
                     texts("i.txt", names[400:500] + ["7", "8"]))
        self.succeed("verify", self.index)
        self.assertEqual(self.info()["vectors"], 102)

    def test_ids_come_from_ivecs_npy_or_text(self):
        self.create("PQ4x4", "--metric", "ip")
        ivecs, npy, text = self.path("ids.ivecs"), self.path("ids.npy"), self.path("ids.txt")
        write_ivecs(ivecs, [[7], [8], [9]])
        write_npy_list(npy, [2**40, 2**40 + 5])
        with open(text, "w", encoding="utf-8") as file:
            file.write("100, 101\n102\n")
        self.succeed("add", self.index, self.vectors("a.fvecs", 0, 3), "--ids", ivecs)
        self.succeed("add", self.index, self.vectors("b.fvecs", 3, 5), "--ids", npy)
        self.succeed("add", self.index, self.vectors("c.fvecs", 5, 8), "--ids", text)
        self.succeed("add", self.index, self.vectors("d.fvecs", 8, 9))
        self.assertEqual(self.info()["next_id"], 2**40 + 7)
        removed = json.loads(self.succeed("remove", self.index, "--ids", text, "--json", "-").stdout)
        self.assertEqual((removed["removed_now"], removed["vectors"]), (3, 6))
        self.succeed("remove", self.index, "--filter", "0-8")
        self.assertEqual(self.info()["vectors"], 4)
        self.fail_with(1, "add", self.index, self.vectors("c.fvecs", 0, 2), "--ids", npy,
                       says=["ids.npy", f"the id {2**40} is in the index already"])
        self.succeed("add", self.index, self.vectors("c.fvecs", 0, 2), "--ids", npy, "--replace")
        self.succeed("update", self.index, self.vectors("c.fvecs", 0, 2), "--ids", npy)
        self.fail_with(1, "update", self.index, self.vectors("c.fvecs", 0, 3), "--ids", ivecs, says=["the id 7 is not"])
        self.assertEqual(self.info()["vectors"], 4)

    def test_a_wrong_call_is_told_and_changes_nothing(self):
        self.create("PQ4x4")
        part = self.vectors("part.fvecs", 0, 3)
        self.succeed("add", self.index, part)
        before = self.info()
        for text, says in (("1 2", "expected an id for each of the 3 vectors"), ("5 x 6", "line 1 holds 'x'"),
                           ("5 6 6", "the id 6 is given twice"), ("5 6 -1", "got -1"), ("4 5 2", "the id 2 is in")):
            ids = self.path("ids.txt")
            with open(ids, "w", encoding="utf-8") as file:
                file.write(text)
            self.fail_with(1, "add", self.index, part, "--ids", ids, says=["ids.txt", says])
        self.fail_with(1, "create", self.index, "--learn", self.learn, says=[self.index, "holds an index already"])
        self.fail_with(1, "create", self.path("new"), says=["--learn"])
        self.fail_with(1, "add", self.path("nowhere"), part, says=["nowhere"])
        self.fail_with(1, "remove", self.index, says=["--ids or --filter"])
        self.assertEqual(self.info(), before)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_verify_and_repair(self):
        self.create("IVF8,PQ4x4")
        for first in (0, 100):
            self.succeed("add", self.index, self.vectors("part.fvecs", first, first + 100))
        self.assertIn("sound", self.succeed("verify", self.index).stdout)
        segment = os.path.join(self.index, "segment-00000002.smd")
        self.succeed("verify", segment)
        with open(segment, "r+b") as file:
            file.seek(1000)
            byte = file.read(1)
            file.seek(1000)
            file.write(bytes([byte[0] ^ 1]))
        self.fail_with(1, "verify", self.index, says=["segment-00000002.smd"])
        self.fail_with(1, "search", self.index, self.queries, says=["segment-00000002.smd"])
        repaired = json.loads(self.succeed("repair", self.index, "--json", "-").stdout)
        self.assertEqual((repaired["vectors_lost"], repaired["vectors"]), (100, 100))
        self.succeed("verify", self.index)
        self.fail_with(1, "verify", self.path("nothing"), says=["nothing"])
        self.succeed("verify", self.learn)

    def test_health_is_told_in_words_and_json(self):
        self.create("IVF8,PQ4x4")
        self.succeed("add", self.index, self.learn)
        health = json.loads(self.succeed("health", self.index, "--json", "-").stdout)
        self.assertEqual((health["vectors"], health["sampled"], health["retrain"]), (600, 600, False))
        self.assertGreater(health["recall_at_10"], 0.2)
        self.assertEqual([s["vectors"] for s in health["segments"]], [600])
        self.assertIn("nothing speaks for a new model", self.succeed("health", self.index).stdout)

    def test_indexes_are_split_merged_and_trained_anew(self):
        self.create("IVF8,PQ4x4,Refine(fp16)")
        self.succeed("add", self.index, self.learn)
        before, whole = self.found(), self.index
        parts = [self.path("part-1"), self.path("part-2")]
        self.succeed("split", whole, *parts)
        self.index = parts[0]
        self.succeed("merge", *parts)
        self.assertEqual(self.found(), before)
        self.fail_with(1, "merge", *parts, says=[parts[1], "is in both indexes"])
        self.succeed("retrain", self.index, "--spec", "IVF4,OPQ4x4,Refine(fp16)")
        self.assertEqual(self.info()["spec"], "IVF4,OPQ4x4,Refine(fp16)")
        self.succeed("verify", self.index)

    def test_vectors_may_be_committed_as_they_come(self):
        self.create("PQ4x4")
        self.succeed("add", self.index, self.learn, "--commit-every", 250)
        self.assertEqual((self.info()["commit"], self.info()["vectors"]), (3, 600))


if __name__ == "__main__":
    unittest.main()
