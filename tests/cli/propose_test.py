"""summand build --memory: proposes an index that fits, says why, and builds it."""
import json
import struct
import unittest

from support import ToolTest


class Propose(ToolTest):
    def headers_only(self, rows, columns):
        """A file of that shape whose values are a hole."""
        path = self.path(f"{rows}x{columns}.u8bin")
        with open(path, "wb") as file:
            file.write(struct.pack("<II", rows, columns))
            file.truncate(8 + rows * columns)
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
        self.assert_only("1000000x128.u8bin")

    def test_more_memory_gives_more_bytes_and_never_too_many(self):
        base = self.headers_only(1_000_000, 128)
        sizes = [int(self.proposed(base, memory).rsplit("Q", 1)[1]) for memory in ("8M", "60M", "1G")]
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual((sizes[0], sizes[-1]), (4, 64))

    def test_cells_come_with_many_vectors_and_room_for_ids(self):
        self.assertEqual(self.proposed(self.headers_only(50_000, 64), "1G"), "OPQ64")
        base = self.headers_only(1_000_000, 128)
        self.assertEqual(self.proposed(base, "100M"), "IVF2048,LOCQ16")
        self.assertEqual(self.proposed(base, "12M"), "LOCQ8")
        self.assertIn("groups=256", self.proposed(self.headers_only(300_000_000, 8), "100G"))

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
        self.assert_only("1000000x128.u8bin")


if __name__ == "__main__":
    unittest.main()
