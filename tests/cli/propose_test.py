"""summand build --memory: proposes an index that fits, says why, and builds it."""
import json
import struct
import unittest

from support import ToolTest


class Propose(ToolTest):
    def headers_only(self, rows, columns, first=0.5):
        """A file of that shape whose values are a hole, but for the first."""
        path = self.path(f"{rows}x{columns}.fbin")
        with open(path, "wb") as file:
            file.write(struct.pack("<IIf", rows, columns, first))
            file.truncate(8 + 4 * rows * columns)
        return path

    def proposed(self, base, memory, *arguments):
        return json.loads(self.succeed("build", base, "--memory", memory, "-n", "--json", "-", *arguments).stdout)["spec"]

    def test_what_is_proposed_is_built_and_fits(self):
        base, index, summary = self.vectors("base.fvecs", 3000, 16), self.path("index.smd"), self.path("built.json")
        shown = self.succeed("build", base, "--memory", "80K", "-o", index, "--json", summary).stdout
        with open(summary, encoding="utf-8") as file:
            built = json.load(file)
        self.assertIn("spec    " + built["spec"], shown)
        self.assertLessEqual(built["memory_bytes"], 80_000)
        self.assertEqual(json.loads(self.succeed("info", index, "--json").stdout)["vectors"], 3000)

    def test_a_dry_run_says_why_and_writes_nothing(self):
        base = self.headers_only(1_000_000, 128)
        shown = self.succeed("build", base, "--memory", "100M", "--dry-run").stdout
        for word in ("cells   ", "method  ", "bytes   ", "memory  about ", "spec    IVF", "1,000,000 vectors"):
            self.assertIn(word, shown)
        self.assert_only("1000000x128.fbin")

    def test_more_memory_gives_more_bytes_and_never_too_many(self):
        base = self.headers_only(1_000_000, 128)
        sizes = [int(self.proposed(base, memory).rsplit("Q", 1)[1]) for memory in ("8M", "60M", "120M")]
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual((sizes[0], sizes[-1]), (4, 32))

    def test_vectors_are_held_where_there_is_room_for_them(self):
        base = self.headers_only(1_000_000, 128)
        self.assertEqual(self.proposed(base, "1G"), "IVF1024(coding=plain),LOCQ8,Refine(fp16)")
        self.assertEqual(self.proposed(base, "200M"), "IVF1024(coding=plain),LOCQ8,Refine(sq8)")
        self.assertEqual(self.proposed(self.headers_only(60_000, 128), "1G"), "IVF256(coding=plain),LOCQ8,Refine(fp16)")
        self.assertEqual(self.proposed(self.headers_only(40_000, 128), "1G"), "LOCQ8,Refine(fp16)")
        many = self.headers_only(60_000, 384)
        self.assertEqual(self.proposed(many, "1G"), "IVF256(coding=plain),PQ16,Refine(fp16)")
        self.assertEqual(self.proposed(many, "1G", "--metric", "ip"), "IVF256(coding=plain),PQ16,Refine(fp16)")
        whole = self.headers_only(1_000_000, 32, first=7)
        self.assertEqual(self.proposed(whole, "1G"), "IVF1024(coding=plain),LOCQ8,Refine(u8)")
        shown = self.succeed("build", base, "--memory", "200M", "--dry-run").stdout
        for word in ("rows    sq8", "fp16 would take", "other   IVF1024,LOCQ8 in "):
            self.assertIn(word, shown)

    def test_without_a_spec_searches_find_what_was_wanted(self):
        base, queries, index = self.vectors("base.fvecs", 3000, 16), self.vectors("queries.fvecs", 50, 16, seed=9), self.path("index.smd")
        truth, summary = self.path("truth.ivecs"), self.path("summary.json")
        self.succeed("exact", base, queries, "-k", 10, "-o", truth)
        shown = self.succeed("build", base, "-o", index, "--target", "recall@10=0.8", "--json", summary).stdout
        self.assertIn("for recall@10=0.8", shown)
        with open(summary, encoding="utf-8") as file:
            built = json.load(file)
        self.assertEqual(built["spec"], "LOCQ8,Refine(fp16)")
        self.assertGreaterEqual(built["recall"], 0.8)
        report = json.loads(self.succeed("evaluate", index, queries, truth, "-k", 10, "--json", "-").stdout)[0]
        reached = [p["recall"] for p in report["recalls"] if (p["truths"], p["answers"]) == (10, 10)]
        self.assertGreater(reached[0], 0.7)
        self.fail_with(2, "build", base, "-o", index, "--spec", "PQ8", "--target", "recall@10=0.8", says=["--target"])
        self.fail_with(2, "build", base, "-o", index, "--target", "recall@10=2", says=["--target", "recall@R=VALUE"])

    def test_cells_come_with_many_vectors_and_room_for_ids(self):
        self.assertEqual(self.proposed(self.headers_only(50_000, 64), "4M"), "OPQ32")
        base = self.headers_only(1_000_000, 128)
        self.assertEqual(self.proposed(base, "100M"), "IVF2048,LOCQ16")
        self.assertEqual(self.proposed(base, "12M"), "LOCQ8")
        self.assertIn("groups=256", self.proposed(self.headers_only(300_000_000, 8), "5G"))

    def test_inner_products_get_the_method_that_is_made_for_them(self):
        base = self.headers_only(1_000_000, 128)
        for memory, spec in (("30M", "IVF4096(coding=plain),CQ16(anisotropy=4)"), ("12M", "CQ8(anisotropy=4)")):
            shown = self.succeed("build", base, "--metric", "ip", "--memory", memory, "--dry-run").stdout
            self.assertIn(f"spec    {spec}\n", shown)

    def test_units_are_those_of_the_output(self):
        base = self.headers_only(1_000_000, 128)
        for same in ("100000000", "100MB", "0.1G", "100.1M", "95.5MiB"):
            self.assertEqual(self.proposed(base, same), "IVF2048,LOCQ16")

    def test_wrong_use_is_told(self):
        base, index = self.headers_only(1_000_000, 128), self.path("x.smd")
        self.fail_with(1, "build", base, "--memory", "3M", "-o", index,
                       says=[base, "1,000,000 vectors of 128 dimensions take at least 4.5 MB", "got --memory of 3.0 MB"])
        for text in ("lots", "-1G", "0", "2X", "2Gb"):
            self.fail_with(2, "build", base, f"--memory={text}", "-o", index, says=["--memory", text])
        self.fail_with(2, "build", base, "--memory", "1G", "--spec", "PQ8", "-o", index, says=["--spec"])
        self.assert_only("1000000x128.fbin")


if __name__ == "__main__":
    unittest.main()
