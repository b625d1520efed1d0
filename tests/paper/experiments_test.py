"""The paper's experiments on small generated data: all of them run, a stopped run goes on, figures do not vary."""
import json
import os
import re
import signal
import subprocess
import unittest

from support import ToolTest, clustered, squared_distance, write_fvecs

TOOL = os.environ.get("SUMMAND_PAPER", "build/summand-paper")
EXPERIMENTS = ["distortion", "query-time", "orthogonality", "additive", "upper-bound", "quantization-error",
               "third-term", "augmented", "training", "convergence", "epsilon", "translation", "recall", "map", "inner-product",
               "query-compression", "multi-index", "object-retrieval"]
SMALL = ["--bits", "32", "--fast", "--threads", "2"]


def without_times(value):
    """What must be the same in every run."""
    if isinstance(value, dict):
        return {name: without_times(part) for name, part in value.items()
                if not name.endswith("_seconds") and name not in ("queries_per_second", "threads", "machine")}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def verdict(held, checks):
    if held in (0, checks):
        return "agrees" if held else "differs"
    return "agrees in half" if 2 * held == checks else "mostly agrees" if 2 * held > checks else "mostly differs"


class PaperTest(ToolTest):
    def make_set(self, folder, prefix="", columns=32, rows=(500, 300, 20)):
        os.makedirs(self.path(folder), exist_ok=True)
        vectors = clustered(sum(rows), columns)
        for name, count in zip(("base", "learn", "query"), rows):
            write_fvecs(self.path(f"{folder}/{prefix}{name}.fvecs"), vectors[:count])
            vectors = vectors[count:]

    def make_lists(self, path, columns=32, rows=500, queries=range(0, 100, 5)):
        """Those nearest to an image count as relevant to it."""
        images = clustered(rows, columns)   # as make_set does
        with open(self.path(path), "w", encoding="utf-8") as file:
            for query in queries:
                near = sorted(range(rows), key=lambda i: squared_distance(images[i], images[query]))
                file.write(" ".join(map(str, near[:4])) + "\n")

    def paper(self, *arguments, output="paper", **options):
        return self.succeed("--data", self.path("data"), "-o", self.path(output), *arguments, tool=TOOL, **options)

    def refuse(self, code, *arguments, says):
        return self.fail_with(code, *arguments, says=says, tool=TOOL, speaker="summand-paper")

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def report(self, output="paper"):
        return json.loads(self.text(f"{output}/report.json"))


class Experiments(PaperTest):
    def setUp(self):
        super().setUp()
        self.make_set("data/blobs")

    def test_every_experiment_runs_and_has_its_section(self):
        self.make_lists("data/blobs/relevance_holidays.txt")
        self.make_lists("data/blobs/relevance_ukbench.txt")
        done = self.paper(*SMALL)
        self.assertIn("ETA", done.stderr)
        self.assertIn("checks hold", done.stdout)
        report, page = self.report(), self.text("paper/report.html")
        self.assertEqual([one["name"] for one in report["experiments"]], EXPERIMENTS)
        for one in report["experiments"]:
            self.assertTrue(one["checks"], one["name"])
            self.assertEqual(one["held"], sum(check["holds"] for check in one["checks"]))
            self.assertEqual(one["verdict"], verdict(one["held"], len(one["checks"])), one["name"])
            self.assertTrue(one["blocks"][0]["tables"][0]["rows"], one["name"])
            self.assertIn(f'<section id="{one["name"]}">', page)
        for legend in re.findall(r'<ul class="legend">(.*?)</ul>', page):
            colours = re.findall(r'class="swatch" style="background:(.*?)"', legend)
            self.assertEqual(len(set(colours)), len(colours), legend)
        self.assertEqual(report["sets"][0]["base"], 500)
        self.assertEqual(report["sets"][0]["published_as"], "")
        self.assertNotIn('class="hollow"', page)   # this is not the paper's data
        self.assertIn("Paper @10, 1M SIFT", page)   # whose figures have columns of their own
        self.assertFalse(re.search(r'(?:src|href)="(?!#)', page), "a link to another file")

        before = self.text("paper/report.html")
        again = self.paper(*SMALL)
        self.assertRegex(again.stderr, r"(\d+) cells, \1 of them finished before")
        self.assertEqual(self.text("paper/report.html"), before)

    def test_figures_do_not_depend_on_threads_or_the_cache(self):
        chosen = ["--experiment", "orthogonality", "--experiment", "map", "--bits", "32", "--fast"]
        self.paper(*chosen, "--threads", "1", output="one")
        self.paper(*chosen, "--threads", "3", output="three")
        self.assertEqual(without_times(self.report("one")), without_times(self.report("three")))

    def test_a_stopped_run_goes_on_from_its_cells(self):
        arguments = ["--data", self.path("data"), "-o", self.path("paper"), *SMALL]
        with subprocess.Popen([TOOL, *arguments], stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                if line.startswith("2/"):
                    process.send_signal(signal.SIGINT)
                    break
            said = process.stderr.read()
            self.assertEqual(process.wait(), 130, said)
        stopped, page = self.report(), self.text("paper/report.html")
        self.assertGreaterEqual(len(stopped["cells"]), 2)
        self.assertIn(f'{len(stopped["cells"])} of {len(stopped["cells"]) + stopped["missing_cells"]} cells', page)
        self.assertEqual([one["name"] for one in stopped["experiments"]], EXPERIMENTS)
        self.assertIn("Not finished: blobs", stopped["experiments"][-3]["notes"][0])
        kept = len(os.listdir(self.path("paper/cache/cells")))
        self.assertGreaterEqual(kept, 2)
        self.assertFalse([name for name in os.listdir(self.path("paper/cache/cells")) if not name.endswith(".json")])
        again = self.paper(*SMALL, "--experiment", "additive")   # cells are measured in order of their names: AQ first
        self.assertRegex(again.stderr, r"5 cells, [2-5] of them finished before")
        self.assertEqual(self.report()["missing_cells"], 0)
        self.assertNotIn("Not finished", self.text("paper/report.html"))

    def test_an_unfinished_report_has_the_sets_that_are_complete(self):
        chosen = ["--experiment", "orthogonality", *SMALL]
        self.paper(*chosen)
        whole = self.report()["experiments"][0]
        self.make_set("data/later", columns=16)
        cells = self.path("paper/cache/cells")
        before = len(os.listdir(cells))
        with subprocess.Popen([TOOL, "--data", self.path("data"), "-o", self.path("paper"), *chosen],
                              stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                if line.startswith("1/"):
                    process.send_signal(signal.SIGKILL)
                    break
            process.stderr.read()
        self.assertLess(len(os.listdir(cells)), before + 3)
        stopped = self.report()
        self.assertGreater(stopped["missing_cells"], 0)
        self.assertEqual(stopped["experiments"][0]["blocks"], whole["blocks"])
        self.assertEqual(stopped["experiments"][0]["checks"], whole["checks"])
        self.assertIn("Not finished: later is left out", stopped["experiments"][0]["notes"][-1])

    def test_a_damaged_cell_is_named(self):
        chosen = ["--experiment", "augmented", *SMALL]
        self.paper(*chosen)
        cells = self.path("paper/cache/cells")
        cell = os.path.join(cells, sorted(os.listdir(cells))[0])
        with open(cell, "w", encoding="utf-8") as file:
            file.write("{")
        self.refuse(1, "--data", self.path("data"), "-o", self.path("paper"), *chosen, says=[cell])

    def test_parts_measure_together_what_one_run_measures(self):
        chosen = ["--experiment", "orthogonality", "--experiment", "upper-bound", *SMALL]
        self.paper(*chosen, output="whole")
        for part in (1, 2):
            self.paper(*chosen, "--part", f"{part}/2", output=f"part{part}")
        parts = [self.report(f"part{part}") for part in (1, 2)]
        specs = [{cell["spec"] for cell in report["cells"]} for report in parts]
        self.assertTrue(all(specs))
        self.assertFalse(specs[0] & specs[1], "a cell of both parts")
        merged = self.paper(*chosen, "--merge", self.path("part1"), self.path("part2"), output="merged")
        self.assertRegex(merged.stderr, r"(\d+) cells, \1 of them finished before")
        self.assertEqual(without_times(self.report("merged")["cells"]), without_times(self.report("whole")["cells"]))
        self.assertEqual({cell["sources"] for cell in self.report("merged")["cells"]}, {self.report("whole")["sources"]})
        self.refuse(1, "--data", self.path("data"), "-o", self.path("paper"), "--merge", self.path("nowhere"),
                    says=["nowhere", "expected the cells of another run"])
        for wrong in ("3/2", "0/2", "2", "a/b"):
            self.refuse(2, "--data", self.path("data"), "--part", wrong, says=["expected a part such as 2/8", wrong])

    def test_a_dry_run_says_what_it_would_take_and_measures_nothing(self):
        chosen = ["--experiment", "orthogonality", *SMALL]
        self.assertRegex(self.paper(*chosen, "--dry-run").stdout, r"4 cells, 4 to measure here: about .* on one thread")
        self.paper(*chosen)
        self.assertRegex(self.paper(*chosen, "--dry-run").stdout, "4 cells, 0 to measure here")

    def test_variants_are_measured_on_a_slice(self):
        self.paper("--experiment", "epsilon", "--experiment", "orthogonality", *SMALL, "--slice-base", "400",
                   "--slice-learn", "280")
        report = self.report()
        self.assertEqual({one["name"]: (one["base"], one["learn"]) for one in report["sets"]},
                         {"blobs": (500, 300), "blobs-slice": (400, 280)})
        sets = {cell["spec"]: cell["set"] for cell in report["cells"]}
        self.assertEqual(sets["OCQ4(iterations=2)"], "blobs")
        self.assertEqual(sets["NOCQ4(epsilon=0,iterations=2)"], "blobs-slice")
        epsilon = next(one for one in report["experiments"] if one["name"] == "epsilon")
        self.assertIn("slice: 400 searched, 280 learnt from, 20 queries", epsilon["blocks"][0]["set"])

    def test_the_summary_names_every_check_that_fails(self):
        self.paper(*SMALL)
        summary = self.text("paper/summary.md")
        for one in self.report()["experiments"]:
            self.assertIn(f"**{one['title']}**", summary)
            for check in one["checks"]:
                if not check["holds"]:
                    self.assertIn(check["figures"], summary)

    def test_pairs_that_are_looked_up_cost_more_than_dictionaries_do(self):
        self.paper("--experiment", "query-time", *SMALL)
        cells = {cell["spec"]: cell for cell in self.report()["cells"]}
        self.assertGreater(cells["AQ4(iterations=2)"]["quadratic_seconds"]["median"], 0)
        self.assertNotIn("quadratic_seconds", cells["PQ4(iterations=5)"])

    def test_other_data_of_the_same_name_has_other_cells(self):
        chosen = ["--experiment", "augmented", *SMALL]
        self.paper(*chosen)
        self.make_set("data/blobs", rows=(501, 300, 20))
        self.assertIn("2 cells, 0 of them finished before", self.paper(*chosen).stderr)


class Applications(PaperTest):
    """The multi-index and object retrieval: what the verbs for single indexes measure is the oracle."""

    def setUp(self):
        super().setUp()
        self.make_set("data/blobs")
        self.base, self.queries = self.path("data/blobs/base.fvecs"), self.path("data/blobs/query.fvecs")

    def built(self, spec):
        index = self.path("index.smd")
        self.succeed("build", "--spec", spec, "--learn", self.path("data/blobs/learn.fvecs"), self.base, "-o", index)
        return index

    def cells(self, measure, output="paper"):
        return [cell for cell in self.report(output)["cells"] if cell["measure"] == measure]

    def test_the_multi_index_measures_what_evaluate_does(self):
        self.paper("--experiment", "multi-index", "--bits", "64", "--fast", "--threads", "2")
        cells = self.cells("multi-index")
        self.assertEqual(sorted({cell["candidates"] for cell in cells}), [100, 300, 500])
        self.assertEqual(len({cell["spec"] for cell in cells}), 5)
        cell = next(cell for cell in cells if cell["spec"].startswith("IMI2x4(coarse=NOCQ),NOCQ8")
                    and cell["candidates"] == 100)
        truth = self.path("truth.ivecs")
        self.succeed("exact", self.base, self.queries, "-k", 100, "-o", truth)
        measured = json.loads(self.succeed("evaluate", self.built(cell["spec"]), self.queries, truth, "--candidates",
                                           100, "--json", "-", "--quiet").stdout)[0]
        self.assertEqual(cell["report"]["recalls"], measured["recalls"])
        for seconds in (cell["reconstruct_seconds"], cell["report"]["cell_order_seconds"]):
            self.assertGreater(seconds, 0)

        found = self.report()["experiments"][0]
        table = found["blocks"][0]["tables"][0]
        row = next(row for row in table["rows"] if row[:3] == [64, "NOCQ", 100])
        self.assertEqual(row[table["columns"].index("Recall@10")],
                         next(p["recall"] for p in measured["recalls"] if p["truths"] == 1 and p["answers"] == 10))
        self.assertEqual(row[table["columns"].index("Paper L, 1B SIFT")], 10000)
        self.assertEqual(row[table["columns"].index("Paper @10, 1B SIFT")], 0.558)
        self.assertEqual(row[table["columns"].index("Paper T2, ms, 1B SIFT")], 7.1)
        self.assertEqual(len(found["checks"]), 3 * 9)

    def test_object_retrieval_measures_what_evaluate_does(self):
        for protocol in ("holidays", "ukbench"):
            lists = self.path(f"data/blobs/relevance_{protocol}.txt")
            self.make_lists(f"data/blobs/relevance_{protocol}.txt")
            self.paper("--experiment", "object-retrieval", *SMALL)
            cells = self.cells(protocol)
            self.assertEqual(len(cells), 5)
            cell = next(cell for cell in cells if cell["spec"].startswith("NOCQ4"))
            measured = json.loads(self.succeed("evaluate", self.built(cell["spec"]), self.base, "--relevance", lists,
                                               "--protocol", protocol, "--json", "-", "--quiet").stdout)
            self.assertEqual(cell["retrieval"], measured["map" if protocol == "holidays" else "score"])
            self.assertEqual(cell["report"]["queries"], 20)
        found = self.report()["experiments"][0]
        self.assertEqual(len(found["checks"]), 2 * 3)
        self.assertEqual(found["notes"], [])
        self.assertEqual(found["blocks"][1]["tables"][0]["columns"],
                         ["Bits", "Method", "UKBench score", "Paper, UKBench, Fisher", "Paper, UKBench, VLAD"])
        self.assertEqual(found["blocks"][1]["tables"][0]["rows"][3][3:], [2.74, 2.746])

        self.make_lists("data/blobs/relevance_ukbench.txt", queries=[1])   # other lists, other cells
        self.assertIn("10 cells, 5 of them finished before", self.paper("--experiment", "object-retrieval", *SMALL).stderr)

    def test_without_lists_nothing_is_judged(self):
        done = self.paper("--experiment", "object-retrieval", *SMALL)
        self.assertIn("0 of 0 checks hold", done.stdout)
        found = self.report()["experiments"][0]
        self.assertEqual((found["verdict"], found["checks"], found["blocks"]), ("open", [], []))
        self.assertRegex(found["notes"][0], "No data set with lists of relevant images was found")
        self.assertIn(found["notes"][0], self.text("paper/report.html"))

    def test_a_slice_is_not_judged_by_lists_of_the_whole(self):
        self.make_lists("data/blobs/relevance_holidays.txt")
        self.paper("--experiment", "object-retrieval", *SMALL, "--base-size", "400")
        found = self.report()["experiments"][0]
        self.assertEqual((found["checks"], found["blocks"]), ([], []))
        self.assertRegex(found["notes"][0], "blobs was not judged .* Holidays: only 400 of its 500 images")

    def test_wrong_lists_are_told_before_anything_is_measured(self):
        with open(self.path("data/blobs/relevance_holidays.txt"), "w", encoding="utf-8") as file:
            file.write("0 1\n2 500\n")
        self.refuse(1, "--data", self.path("data"), "-o", self.path("paper"), *SMALL,
                       says=["relevance_holidays.txt", "line 2", "below 500", "got 500"])

    def test_figures_do_not_depend_on_threads(self):
        self.make_lists("data/blobs/relevance_holidays.txt")
        chosen = ["--experiment", "multi-index", "--experiment", "object-retrieval", "--bits", "32", "--fast"]
        self.paper(*chosen, "--threads", "1", output="one")
        self.paper(*chosen, "--threads", "3", output="three")
        self.assertEqual(without_times(self.report("one")["cells"]), without_times(self.report("three")["cells"]))


class DataSets(PaperTest):
    def found(self, *arguments):
        report = "orthogonality"
        self.paper("--experiment", report, *SMALL, *arguments)
        return [one["name"] for one in self.report()["sets"]]

    def test_finds_sets_by_their_usual_names(self):
        self.make_set("data", prefix="sift_", columns=16)
        self.make_set("data/gist", prefix="gist_", columns=16)
        self.make_set("data/mine", columns=16)
        self.assertEqual(self.found(), ["sift", "gist", "mine"])
        self.assertEqual([one["title"] for one in self.report()["sets"]], ["sift", "gist", "mine"])
        self.assertEqual(self.found("--set", "mine", "--set", "sift"), ["mine", "sift"])

    def test_finds_lists_by_the_name_of_their_set(self):
        self.make_set("data", prefix="sift_", columns=16)
        self.make_set("data", prefix="mine_", columns=16)
        self.make_lists("data/mine_relevance_ukbench.txt", queries=[0])
        self.found()
        self.assertEqual({one["name"]: one["relevance"] for one in self.report()["sets"]},
                         {"sift": [], "mine": ["ukbench"]})

    def test_learns_from_the_base_where_nothing_else_is_there(self):
        self.make_set("data/mine", columns=16)
        os.remove(self.path("data/mine/learn.fvecs"))
        self.assertEqual(self.found(), ["mine"])
        self.assertEqual(self.report()["sets"][0]["learn"], 500)

    def test_sizes_limit_what_is_used(self):
        self.make_set("data/mine", columns=16)
        self.found("--base-size", "400", "--learn-size", "290", "--query-size", "5")
        used = self.report()["sets"][0]
        self.assertEqual([used[name] for name in ("base", "learn", "queries", "base_rows")], [400, 290, 5, 500])

    def test_a_set_has_its_own_learn_size(self):
        self.make_set("data/mine", columns=16)
        self.make_set("data/other", columns=16)
        self.found("--learn-size", "290", "--learn-size-of", "other=280")
        self.assertEqual({one["name"]: one["learn"] for one in self.report()["sets"]}, {"mine": 290, "other": 280})
        data = ["--data", self.path("data"), "-o", self.path("paper"), "--learn-size-of"]
        self.refuse(1, *data, "third=280", says=["third=280", "no data set 'third'"])
        for wrong, says in (("280", "NAME=SIZE"), ("=280", "NAME=SIZE"), ("mine=", "whole number"),
                            ("mine=0", "whole number"), ("mine=x", "whole number")):
            self.refuse(2, *data, wrong, says=["--learn-size-of", says])

    def test_says_what_was_looked_for(self):
        os.makedirs(self.path("data"))
        data = ["--data", self.path("data"), "-o", self.path("paper")]
        self.refuse(1, *data, says=["no data set found", "NAME_base", "sift_base.fvecs", "t10k-images-idx3-ubyte"])
        self.make_set("data/mine", columns=16)
        self.refuse(1, *data, "--set", "sift", says=["no data set 'sift'", "found: mine", "NAME_base"])
        self.refuse(1, *data, "--experiment", "magic", says=["unknown experiment 'magic'", "known: distortion, "])
        for bits in ("12", "8", "520"):
            self.refuse(1, *data, "--bits", bits, says=["multiples of 8 from 16 to 512", f"got {bits}"])
        self.refuse(1, "--data", self.path("nowhere"), says=[self.path("nowhere"), "expected a folder"])
        write_fvecs(self.path("data/mine/query.fvecs"), clustered(5, 8))
        self.refuse(1, *data, says=["query.fvecs", "expected vectors of 16 dimensions", "got 8"])


if __name__ == "__main__":
    unittest.main()
