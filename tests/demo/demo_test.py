"""The demo without data: generated images, a page that stands alone, and JSON."""
import json
import os
import re
import unittest

from support import ToolTest

TOOL = os.environ.get("SUMMAND_DEMO", "build/summand-demo")


class Demo(ToolTest):
    def test_writes_a_page_that_needs_nothing_else(self):
        done = self.succeed("--spec", "PQ4x4", "--spec", "PQ8x4", "-o", self.path("demo"), tool=TOOL)
        self.assertIn("generated", done.stderr)
        self.assertIn("PQ8x4", done.stdout)
        with open(self.path("demo/report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("in 2 to 4 bytes per image", page)
        self.assertIn("<svg", page)
        self.assertIn("prefers-color-scheme: dark", page)
        self.assertEqual(page.count("<polyline"), 2)
        self.assertEqual(page.count("data:image/png;base64,"), 12 * 9)
        self.assertFalse(re.search(r'(?:src|href)="(?!data:)', page), "a link to another file")
        with open(self.path("demo/explorer.html"), encoding="utf-8") as file:
            explorer = file.read()
        self.assertFalse(re.search(r'(?:src|href)="(?!data:)', explorer), "a link to another file")
        self.assertEqual(explorer.count('id="part-index-'), 2)
        with open(self.path("demo/report.json"), encoding="utf-8") as file:
            self.assertEqual([report["method"] for report in json.load(file)], ["PQ4x4", "PQ8x4"])

    def test_a_folder_without_images_is_an_error(self):
        self.fail_with(1, "--data", self.folder, "-o", self.path("demo"), tool=TOOL, speaker="summand-demo",
                       says=[self.folder, "idx3-ubyte"])


if __name__ == "__main__":
    unittest.main()
