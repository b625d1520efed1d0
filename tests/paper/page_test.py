"""The report in a real browser: colour schemes, sorting, plots. Skipped where chromium is missing."""
import json
import re
import shutil
import subprocess
import sys
import unittest

from experiments_test import PaperTest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SKIPPED = 77   # told to ctest

# Does what a reader does, and leaves what was seen in the page, which the browser then prints.
READER = """<script>
const seen = {}, ground = () => getComputedStyle(document.body).backgroundColor;
const column = (table, i) => [...table.tBodies[0].rows].map(row => row.cells[i].dataset.value);
seen.light = ground();
document.getElementById("scheme").click();
seen.dark = ground();
seen.button = document.getElementById("scheme").textContent;
document.getElementById("scheme").click();
seen.lightAgain = ground();
const table = document.querySelector("#orthogonality table"), heads = table.tHead.rows[0].cells;
seen.unsorted = column(table, 3);
heads[3].click();
seen.descending = column(table, 3);
heads[3].click();
seen.ascending = column(table, 3);
heads[1].click();
seen.names = column(table, 1);
seen.otherTable = [...document.querySelectorAll("#map [aria-sort]")].length;
seen.plots = [...document.querySelectorAll("svg")].map(svg => {
  const box = svg.getBoundingClientRect(), marks = [...svg.querySelectorAll("circle")];
  const inside = marks.every(mark => { const at = mark.getBoundingClientRect();
    return at.left >= box.left && at.right <= box.right && at.top >= box.top && at.bottom <= box.bottom; });
  return {width: box.width, height: box.height, marks: marks.length, inside};
});
seen.overflow = document.documentElement.scrollWidth - innerWidth;
const result = document.createElement("pre");
result.id = "seen";
result.textContent = JSON.stringify(seen);
document.body.append(result);
</script>"""


class Page(PaperTest):
    def seen(self, width):
        with open(self.path("read.html"), "w", encoding="utf-8") as file:
            file.write(self.text("paper/report.html").replace("</body>", READER + "</body>"))
        done = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.path('browser')}",
             f"--window-size={width},900", "--blink-settings=preferredColorScheme=1", "--dump-dom",
             "file://" + self.path("read.html")], capture_output=True, text=True, timeout=300)
        found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.S)
        self.assertTrue(found, done.stderr[-2000:])
        return json.loads(found.group(1))

    def test_reads_well(self):
        self.make_set("data/blobs")
        self.paper("--bits", "32", "--fast", "--threads", "2", "--experiment", "orthogonality", "--experiment", "map")
        for width in (1200, 500):
            with self.subTest(width=width):
                self.check(self.seen(width))

    def check(self, seen):
        self.assertNotEqual(seen["light"], seen["dark"])
        self.assertEqual(seen["light"], seen["lightAgain"])
        self.assertEqual(seen["button"], "Light colours")

        figures = sorted(seen["unsorted"], key=float)
        self.assertEqual(len(figures), 4)   # CKM, OCQ, NOCQ as printed and ours
        self.assertEqual(list(map(float, seen["descending"])), [float(figure) for figure in reversed(figures)])
        self.assertEqual(list(map(float, seen["ascending"])), [float(figure) for figure in figures])
        self.assertEqual(seen["names"], sorted(seen["names"], reverse=True))
        self.assertEqual(seen["otherTable"], 0, "sorting one table sorted another")

        self.assertEqual(len(seen["plots"]), 3)   # of the claim at the top, and of both experiments
        for plot in seen["plots"]:
            self.assertGreater(plot["width"], 200)
            self.assertGreater(plot["height"], 120)
            self.assertGreater(plot["marks"], 3)
            self.assertTrue(plot["inside"], "a mark outside of its plot")
        self.assertLessEqual(seen["overflow"], 0, "the page is wider than the window")


if __name__ == "__main__":
    if not BROWSER:
        print("skipped: no chromium on this machine; Debian's package chromium has it")
        sys.exit(SKIPPED)
    unittest.main()
