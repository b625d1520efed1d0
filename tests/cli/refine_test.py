"""A second layer through the verbs: built with the index, searched with it, refused where it does not fit."""
import json
import os
import unittest

from support import IndexTest, clustered, read_bytes, read_ivecs, write_fvecs

SPECS = ("PQ2,Refine(flat)", "PQ2,Refine(OPQ8)", "IVF16,PQ2,Refine(flat)", "IMI2x3,PQ2,Refine(PQ8)",
         "IVF16,PQ2,Refine(sq8)", "PQ2,Refine(fp16)")


class Refine(IndexTest):
    def setUp(self):
        super().setUp()
        self.base = self.vectors("base.fvecs", 1500, 16)
        self.queries = self.path("queries.fvecs")
        write_fvecs(self.queries, [[x + 0.2 for x in row] for row in clustered(1500, 16)[:20]])
        self.truth = self.path("truth.ivecs")

    def exact(self, metric):
        self.succeed("exact", self.base, self.queries, "-k", 10, "-m", metric, "-o", self.truth)
        return read_ivecs(self.truth)

    def test_all_candidates_scored_with_the_vectors_are_the_exact_neighbours(self):
        for metric in ("euclidean", "ip", "cosine"):
            exact = self.exact(metric)
            self.assertEqual(self.found(self.build("PQ2,Refine(flat)", "-m", metric), "--refine", 1500), exact)
            inverted = self.build("IVF8,PQ2,Refine(flat)", "-m", metric)
            self.assertEqual(self.found(inverted, "--refine", 1500, "--probes", 8), exact)

    def test_every_second_layer_finds_more(self):
        exact = self.exact("euclidean")
        hits = lambda rows: sum(len(set(a) & set(b)) for a, b in zip(rows, exact))
        for spec in SPECS:
            index = self.build(spec)
            self.assertGreater(hits(self.found(index, "--refine", 100)), hits(self.found(index, "--refine", 0)), spec)

    def test_the_same_command_gives_the_same_bytes_for_any_number_of_threads(self):
        for spec in SPECS:
            first, second = self.build(spec, "-t", 1), self.build(spec, "-t", 3, name="again.smd")
            self.assertEqual(read_bytes(first), read_bytes(second), spec)
            self.assertEqual(self.found(first, "-t", 1), self.found(first, "-t", 3), spec)

    def test_a_relative_base_may_move_with_its_index(self):
        os.makedirs(self.path("here/data"))
        write_fvecs(self.path("here/data/base.fvecs"), clustered(1500, 16))
        self.succeed("build", "--spec", "PQ2,Refine(flat)", "data/base.fvecs", "-o", "index.smd", cwd=self.path("here"))
        before = self.found(self.path("here/index.smd"))
        os.rename(self.path("here"), self.path("there"))
        self.assertEqual(self.found(self.path("there/index.smd")), before)
        info = json.loads(self.succeed("info", self.path("there/index.smd"), "--json").stdout)
        self.assertEqual(info["refine"], {"with": "file", "path": "data/base.fvecs", "vectors": 1500})

    def test_info_evaluate_and_dry_run_tell_of_it(self):
        index = self.build("IVF16,PQ2,Refine(PQ8)", "--json", self.path("built.json"))
        with open(self.path("built.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["code_bytes"], 10)
        info = json.loads(self.succeed("info", index, "--json").stdout)
        self.assertEqual((info["refine"]["with"], info["refine"]["model"]["method"]), ("codes", "PQ"))
        self.exact("euclidean")
        report = json.loads(self.succeed("evaluate", index, self.queries, self.truth, "-k", 10, "--json", "-").stdout)[0]
        self.assertEqual((report["refine"], report["probes"], report["code_bytes"]), (40, 16, 10))
        shown = self.succeed("evaluate", index, self.queries, self.truth, "--refine", 30, "-k", 10).stdout
        self.assertIn("IVF16,PQ2,Refine(PQ8) probes=16 refine=30", shown)
        dry = lambda spec: json.loads(self.succeed("build", "-s", spec, self.base, "-n", "--json", "-").stdout)
        self.assertGreater(dry("PQ2,Refine(PQ8)")["output_bytes"], dry("PQ2")["output_bytes"])
        self.assertEqual(dry("PQ2,Refine(fp16)")["output_bytes"] - dry("PQ2")["output_bytes"], 1500 * 16 * 2)
        info = json.loads(self.succeed("info", self.build("IVF16,PQ2,Refine(fp16)"), "--json").stdout)
        self.assertEqual(info["refine"], {"with": "rows", "format": "fp16", "bytes": 1500 * 16 * 2})
        self.assertEqual(info["sections"][-2]["type"], "float16")

    def test_wrong_use_is_told(self):
        plain, index = self.build("PQ2", name="plain.smd"), self.build("PQ2,Refine(flat)")
        self.fail_with(1, "search", plain, self.queries, "--refine", 50, says=[plain, "has no second layer"])
        self.fail_with(2, "search", index, self.queries, "--refine", "x", says=["--refine", "whole number"])
        self.fail_with(1, "build", "-s", "PQ2,Refine(XQ2)", self.base, "-o", self.path("x.smd"), says=["unknown method"])
        self.fail_with(1, "build", "-s", "PQ2,Refine(u8)", self.base, "-o", self.path("x.smd"),
                       says=[self.base, "Refine(u8) holds whole numbers from 0 to 255; row 0 has"])
        self.fail_with(1, "train", "-s", "PQ2,Refine(flat)", self.base, "-o", self.path("x.smd"), says=["Refine(flat)"])
        self.vectors("base.fvecs", 1500, 16, seed=5)
        self.fail_with(1, "search", index, self.queries, says=[self.base, "some of their values are others"])
        os.remove(self.base)
        self.fail_with(1, "search", index, self.queries, says=[self.base, "No such file", "--refine-file"])

    def test_vectors_may_move(self):
        index, moved = self.build("PQ2,Refine(flat)"), self.path("moved.fvecs")
        again, first = self.found(index, "--refine", 1500), self.found(index, "--refine", 0)
        os.rename(self.base, moved)
        self.assertEqual(self.found(index, "--refine", 0), first)
        self.assertEqual(self.found(index, "--refine", 1500, "--refine-file", moved), again)
        self.succeed("exact", moved, self.queries, "-k", 10, "-o", self.truth)
        self.succeed("tune", index, self.queries, "--truth", self.truth, "--refine-file", moved)
        self.assertEqual(json.loads(self.succeed("info", index, "--json").stdout)["refine"]["path"], self.base)


if __name__ == "__main__":
    unittest.main()
