"""Inverted indexes through the verbs: built in chunks, searched by cells, never half-written."""
import json
import os
import signal
import subprocess
import time
import unittest

from support import SUMMAND, IndexTest, clustered, read_bytes, read_fvecs, read_ivecs, write_fvecs


class Inverted(IndexTest):
    def setUp(self):
        super().setUp()
        self.base = self.vectors("base.fvecs", 1500, 16, seed=1)
        self.queries = self.path("queries.fvecs")
        write_fvecs(self.queries, clustered(1500, 16, seed=1)[:20])   # the first rows of the base itself

    def test_build_and_search_find_a_vector_that_is_in_the_base(self):
        for spec in ("IVF32,PQ8", "IVF32(coding=plain),PQ8", "IMI2x4,PQ8"):
            rows = self.found(self.build(spec), "--probes", 8)
            self.assertGreaterEqual(sum(i in row for i, row in enumerate(rows)), 18, spec)

    def test_all_cells_of_plain_codes_equal_the_flat_index(self):
        inverted, flat = self.build("IVF32(coding=plain),PQ8"), self.build("PQ8", name="flat.smd")
        self.assertEqual(self.found(inverted, "--probes", 32), self.found(flat))
        self.assertEqual(self.found(inverted, "--candidates", 1500), self.found(flat))

    def test_the_same_command_gives_the_same_bytes_for_any_number_of_threads(self):
        first, second = self.build("IVF32,PQ4", "-t", 1), self.build("IVF32,PQ4", "-t", 3, name="again.smd")
        self.assertEqual(read_bytes(first), read_bytes(second))

    def test_info_shows_cells_and_lists(self):
        info = json.loads(self.succeed("info", self.build("IMI2x4(coding=plain),PQ4"), "--json").stdout)
        self.assertEqual((info["kind"], info["cells"], info["vectors"]), ("inverted index", 256, 1500))
        self.assertEqual((info["coding"], info["cell_table_bytes"]), ("plain", 0))
        self.assertLessEqual(info["longest_list"], 1500)
        self.assertIn("ids", [section["name"] for section in info["sections"]])

    def test_evaluate_reports_the_cells_that_were_visited(self):
        index, truth, report = self.build("IVF32,PQ8"), self.path("truth.ivecs"), self.path("report.json")
        self.succeed("exact", self.base, self.queries, "-k", 100, "-o", truth)
        shown = self.succeed("evaluate", index, self.queries, truth, "--probes", 9, "--json", report).stdout
        self.assertIn("IVF32,PQ8 probes=9", shown)
        with open(report, encoding="utf-8") as file:
            measured = json.load(file)[0]
        self.assertEqual((measured["probes"], measured["candidates"], measured["code_bytes"]), (9, 0, 8))
        self.assertIn("IVF32,PQ8 L=300",
                      self.succeed("evaluate", index, self.queries, truth, "--candidates", 300).stdout)

    def test_other_metrics_work_with_cells(self):
        for metric in ("ip", "cosine"):
            index = self.build("IVF16,PQ8", "--metric", metric)
            self.assertIn(metric[:2], json.loads(self.succeed("info", "--json", index).stdout)["metric"]
                          .replace("inner_product", "ip"))
            self.found(index, "--probes", 16)

    def test_dry_run_counts_the_cells(self):
        small, large = (json.loads(self.succeed("build", "--spec", spec, self.base, "-n", "--json", "-").stdout)
                        for spec in ("PQ8", "IVF1000,PQ8"))
        self.assertGreater(large["train_seconds"], small["train_seconds"])
        self.assertGreater(large["output_bytes"], small["output_bytes"])

    def test_lists_with_fewer_neighbours_have_infinite_scores(self):
        ids, scores = self.path("ids.ivecs"), self.path("scores.fvecs")
        self.succeed("search", self.build("IVF32,PQ4"), self.queries, "--probes", 1, "-k", 400, "-o", ids, "--scores",
                     scores)
        rows = read_ivecs(ids)
        for row, its_scores in zip(rows, read_fvecs(scores)):
            self.assertEqual([score == float("inf") for score in its_scores], [i == -1 for i in row])
        self.assertTrue(any(-1 in row for row in rows))

    def test_a_model_with_cells_is_trained_once_and_serves_several_builds(self):
        model, index = self.path("model.smd"), self.path("by_model.smd")
        self.succeed("train", self.base, "--spec", "IVF16,PQ2x4", "-o", model)
        self.assertIn("inverted model", self.succeed("info", model).stdout)
        self.succeed("build", self.base, "--model", model, "-o", index)
        self.assertEqual(read_bytes(index), read_bytes(self.build("IVF16,PQ2x4")))

    def test_an_index_serves_as_the_model_of_another(self):
        first, second = self.build("IVF16,PQ2x4,Refine(PQ4x4)"), self.path("second.smd")
        self.succeed("build", self.base, "--model", first, "-o", second)
        self.assertEqual(read_bytes(second), read_bytes(first))
        told = self.fail_with(1, "build", self.base, "--model", first, "--metric", "cosine", "-o", second)
        self.assertIn("expected a model trained with --metric cosine", told)

    def test_a_filter_keeps_the_ids_that_it_names(self):
        for spec in ("PQ2x4", "IVF8,PQ2x4", "PQ2x4,Refine(flat)"):
            index = self.build(spec)
            printed = self.succeed("search", index, self.base, "-k", 5, "--filter", "3,10-19,1000000000000-").stdout
            found = {int(word) for word in printed.split()}
            self.assertTrue(found <= {-1, 3, *range(10, 20)}, found)
            self.assertIn(3, found)
        self.assertIn("expected ids such as", self.fail_with(1, "search", index, self.base, "--filter", "x"))

    def test_a_radius_finds_all_within_it(self):
        for spec, probes in (("PQ2x4", ()), ("IVF8,PQ2x4", ("--probes", 8)), ("IVF8,PQ2x4,Refine(flat)", ("--probes", 8, "--refine", 12))):
            index, result = self.build(spec), self.path("result.tsv")
            near = self.succeed("search", index, self.base, "-k", 3, "--json", "-", *probes).stdout
            radius = sorted(json.loads(near)["scores"][0])[1] * 1.0001
            self.succeed("search", index, self.base, "--radius", radius, "-o", result, *probes)
            rows = [line.split("\t") for line in open(result).read().splitlines()]
            self.assertTrue(all(float(score) < radius for _, _, score in rows))
            self.assertTrue({str(id) for id in json.loads(near)["ids"][0][:2]} <= {id for query, id, _ in rows if query == "0"})
        self.assertIn("--radius", self.fail_with(2, "search", index, self.base, "--radius", 1, "-k", 3))

    def test_more_cells_than_learn_vectors_are_refused(self):
        self.fail_with(1, "build", "--spec", "IVF300,PQ4x4", "--learn-size", 200, self.base, "-o", self.path("x.smd"),
                       says=[self.base, "each of 300 cells from, got 200 vectors", "or ask for fewer cells"])

    def test_wrong_use_is_told(self):
        index, flat = self.build("IVF32,PQ4"), self.build("PQ4", name="flat.smd")
        self.fail_with(1, "search", flat, self.queries, "--probes", 3, says=[flat, "has no cells"])
        self.fail_with(2, "search", index, self.queries, "--probes", 0, says=["--probes", "from 1"])
        self.fail_with(2, "search", index, self.queries, "--probes", 1, "--candidates", 5, says=["--candidates"])
        self.fail_with(1, "build", "--spec", "IVF32", self.base, "-o", self.path("x.smd"), says=["a comma and the method"])
        self.fail_with(1, "train", "--spec", "IVF32,PQ4,Refine(flat)", self.base, "-o", self.path("x.smd"),
                       says=["leave Refine(...) out"])

    def test_killed_builds_leave_no_half_index(self):
        base = self.vectors("large.fvecs", 4000, 64)
        index = self.path("killed.smd")
        for number in (signal.SIGINT, signal.SIGKILL):
            before = set(os.listdir(self.folder))
            process = subprocess.Popen([SUMMAND, "build", "--spec", "IVF16,OPQ8(iterations=10000)", base, "-o", index,
                                        "--quiet"], stderr=subprocess.PIPE)
            time.sleep(0.7)
            self.assertIsNone(process.poll(), "the work was over before it could be interrupted")
            process.send_signal(number)
            process.communicate(timeout=60)
            self.assertFalse(os.path.exists(index))
            self.assertEqual(set(os.listdir(self.folder)), before)


if __name__ == "__main__":
    unittest.main()
