"""The verbs one after another: each step's file is what the next one needs."""
import json
import os
import struct
import subprocess
import unittest

from support import SUMMAND, ToolTest, clustered, read_bytes, read_ivecs, squared_distance, write_fvecs


class Pipeline(ToolTest):
    def setUp(self):
        super().setUp()
        self.base = self.vectors("base.fvecs", 1500, 16, seed=1)
        self.queries = self.path("queries.fvecs")
        write_fvecs(self.queries, clustered(1500, 16, seed=1)[:20])   # the first rows of the base itself

    def test_build_and_search_find_a_vector_that_is_in_the_base(self):
        index, result = self.path("index.smd"), self.path("result.ivecs")
        self.succeed("build", "--spec", "PQ8", self.base, "-o", index, "--quiet")
        done = self.succeed("search", index, self.queries, "-k", 10, "-o", result, "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")
        rows = read_ivecs(result)
        self.assertEqual([len(row) for row in rows], [10] * 20)
        self.assertGreaterEqual(sum(i in row for i, row in enumerate(rows)), 18)

    def test_the_default_spec_needs_no_options(self):
        index = self.path("index.smd")
        self.succeed("build", self.base, "-o", index)
        self.assertEqual(json.loads(self.succeed("info", index, "--json").stdout)["vectors"], 1500)

    def test_train_writes_the_objective_of_every_iteration(self):
        report = self.path("train.json")
        self.succeed("train", "--spec", "NOCQ4(iterations=6)", self.base, "-o", self.path("model.smd"), "--json", report)
        with open(report, encoding="utf-8") as file:
            measured = json.load(file)
        self.assertEqual(len(measured["objective"]), 6)
        self.assertLess(measured["objective"][-1], measured["objective"][0])
        self.assertGreater(measured["held_out_distortion"], 0)

    def test_vectors_to_learn_from_fit_a_budget_of_memory(self):
        large, estimate = self.path("large.u8bin"), self.path("estimate.json")
        with open(large, "wb") as file:   # a sparse file, of which nothing is read
            file.write(struct.pack("<ii", 50_000_000, 128))
            file.truncate(8 + 50_000_000 * 128)
        sizes = []
        for options in ([], ["--learn-size", 20_000_000]):
            self.succeed("train", large, "--dry-run", "--json", estimate, *options)
            with open(estimate, encoding="utf-8") as file:
                sizes.append(json.load(file)["memory_bytes"])
        self.assertLessEqual(sizes[0], 2 << 30)
        self.assertGreater(sizes[1], 10 << 30)

    def test_steps_give_the_same_index_as_build(self):
        model, codes = self.path("model.smd"), self.path("codes.smd")
        self.succeed("train", "--spec", "OPQ4", self.base, "-o", model)
        self.succeed("encode", model, self.base, "-o", codes)
        self.succeed("build", "--model", model, "--codes", codes, self.base, "-o", self.path("steps.smd"))
        self.succeed("build", "--model", model, self.base, "-o", self.path("model_only.smd"))
        self.succeed("build", "--spec", "OPQ4", self.base, "-o", self.path("direct.smd"))
        direct = read_bytes(self.path("direct.smd"))
        self.assertEqual(read_bytes(self.path("steps.smd")), direct)
        self.assertEqual(read_bytes(self.path("model_only.smd")), direct)

    def test_exact_equals_brute_force(self):
        truth = self.path("truth.ivecs")
        self.succeed("exact", self.base, self.queries, "-k", 5, "-o", truth)
        base, queries = clustered(1500, 16, seed=1), clustered(1500, 16, seed=1)[:20]
        for query, row in zip(queries, read_ivecs(truth)):
            expected = sorted(range(1500), key=lambda i: squared_distance(query, base[i]))[:5]
            self.assertEqual(list(row), expected)

    def test_evaluate_writes_the_report_as_table_and_json(self):
        index, truth, report = self.path("index.smd"), self.path("truth.ivecs"), self.path("report.json")
        self.succeed("build", "--spec", "PQ8", self.base, "-o", index)
        self.succeed("exact", self.base, self.queries, "-k", 100, "-o", truth)
        shown = self.succeed("evaluate", index, self.queries, truth, "--json", report).stdout
        self.assertIn("R@10of1", shown)
        with open(report, encoding="utf-8") as file:
            measured = json.load(file)[0]
        self.assertEqual(measured["code_bytes"], 8)
        self.assertGreater(measured["map"], 0)
        recalls = {(p["truths"], p["answers"]): p["recall"] for p in measured["recalls"]}
        self.assertGreaterEqual(recalls[1, 10], 0.9)

    def test_other_metrics_are_kept_in_the_index(self):
        for metric in ("ip", "cosine"):
            index = self.path(metric + ".smd")
            self.succeed("build", "--metric", metric, "--spec", "PQ4", self.base, "-o", index)
            self.succeed("search", index, self.queries, "-k", 3, "-o", self.path("result.ivecs"))
            self.assertIn(metric[:2], json.loads(self.succeed("info", "--json", index).stdout)["metric"].replace("inner_product", "ip"))

    def test_learn_file_is_used_instead_of_the_base(self):
        learn = self.vectors("learn.fvecs", 400, 16, seed=9)
        index = self.path("index.smd")
        self.succeed("build", "--spec", "PQ4", "--learn", learn, self.base, "-o", index)
        info = json.loads(self.succeed("info", "--json", index).stdout)
        self.assertEqual(info["model"]["learn_vectors"], 400)
        self.assertEqual(info["vectors"], 1500)

    def test_k_beyond_the_index_returns_what_there_is(self):
        small = self.vectors("small.fvecs", 300, 16)
        index, result = self.path("index.smd"), self.path("result.ivecs")
        self.succeed("build", "--spec", "PQ4", small, "-o", index)
        self.succeed("search", index, self.queries, "-k", 400, "-o", result)
        for row in read_ivecs(result):
            self.assertEqual(sorted(row), list(range(300)))

    def test_info_describes_every_kind_of_file(self):
        model, codes, index = self.path("model.smd"), self.path("codes.smd"), self.path("index.smd")
        self.succeed("train", "--spec", "PQ4x4", self.base, "-o", model)
        self.succeed("encode", model, self.base, "-o", codes)
        self.succeed("build", "--model", model, "--codes", codes, self.base, "-o", index)
        for path, kind in ((model, "model"), (codes, "codes"), (index, "index"), (self.base, "vectors")):
            info = json.loads(self.succeed("info", path, "--json").stdout)
            self.assertEqual(info["kind"], kind)
            self.assertIn(kind, self.succeed("info", path).stdout)
        self.assertEqual(info["vectors"], 1500)
        self.assertEqual(info["dimensions"], 16)

    def test_info_tells_what_was_not_measured(self):
        for spec, measured in (("PQ4x4", False), ("NOCQ4x4(iterations=1)", True)):
            model = self.path("model.smd")
            self.succeed("train", "--spec", spec, self.base, "-o", model)
            figure = json.loads(self.succeed("info", model, "--json").stdout)["model"]["held_out_distortion"]
            self.assertEqual(figure is not None, measured)
            self.assertEqual("not measured" in self.succeed("info", model).stdout, not measured)

    def test_convert_keeps_the_values(self):
        npy, back = self.path("part.npy"), self.path("back.fvecs")
        self.succeed("convert", self.base, npy, "--rows", "5:100")
        self.succeed("convert", npy, back)
        row = 4 + 4 * 16
        self.assertEqual(read_bytes(back), read_bytes(self.base)[5 * row:105 * row])

    @unittest.skipIf(os.environ.get("SANITIZED"), "sanitizers keep freed memory")
    def test_convert_needs_the_same_memory_for_a_file_of_any_size(self):
        peaks = []
        for megabytes in (1, 64):
            base, rows = self.path("base.u8bin"), megabytes << 13
            with open(base, "wb") as file:
                file.write(struct.pack("<II", rows, 128))
                file.truncate(8 + rows * 128)
            process = subprocess.Popen([SUMMAND, "convert", base, self.path("copy.u8bin"), "--quiet"])
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status   # waited for, although not by its object
            self.assertEqual(status, 0)
            self.assertEqual(os.path.getsize(self.path("copy.u8bin")), os.path.getsize(base))
            peaks.append(usage.ru_maxrss)
        self.assertLess(peaks[1] - peaks[0], 40 << 10)   # KiB; the floats are 256 MiB

    def test_dry_run_estimates_and_writes_nothing(self):
        index = self.path("index.smd")
        shown = self.succeed("build", "--dry-run", self.base, "-o", index).stdout
        for word in ("memory  about", "output  about", "train   about", "work    about", "within a fifth",
                     "within a factor of two"):
            self.assertIn(word, shown)
        without_output = json.loads(self.succeed("train", "--dry-run", self.base, "--json", "-").stdout)
        self.assertGreater(without_output["train_seconds"], 0)
        self.assert_only("base.fvecs", "queries.fvecs")

    def test_dry_run_counts_what_the_spec_costs(self):
        def seconds(spec, verb="train"):
            figures = json.loads(self.succeed(verb, "--dry-run", "--spec", spec, self.base, "--json", "-").stdout)
            return figures["train_seconds"], figures["work_seconds"]
        for method in [method["name"] for method in json.loads(self.succeed("methods", "--json").stdout)]:
            few, many = (seconds(f"{method}8(iterations={count})")[0] for count in (1, 10000))
            self.assertGreater(many, 3 * few, method)   # far more, but the speed is measured anew for each
        self.assertGreater(seconds("NOCQ8(effort=best)", "build")[1], 3 * seconds("NOCQ8(effort=fast)", "build")[1])
        model = self.path("model.smd")
        self.succeed("train", "--spec", "PQ8", self.base, "-o", model)
        figures = json.loads(self.succeed("build", "--dry-run", "--model", model, self.base, "--json", "-").stdout)
        self.assertEqual(figures["train_seconds"], 0)
        self.assertGreater(figures["work_seconds"], 0)

    def test_search_without_output_prints_the_ids(self):
        index = self.path("index.smd")
        self.succeed("build", "--spec", "PQ8", self.base, "-o", index)
        lines = self.succeed("search", index, self.queries, "-k", 3).stdout.splitlines()
        self.assertEqual(len(lines), 20)
        self.assertEqual(len(lines[0].split()), 3)

    def test_json_of_each_step_tells_its_time(self):
        index = self.path("index.smd")
        summary = json.loads(self.succeed("build", "--spec", "PQ8", self.base, "-o", index, "--json", "-").stdout)
        self.assertGreater(summary["train_seconds"], 0)
        self.assertEqual(summary["code_bytes"], 8)

    def test_an_output_that_exists_is_replaced(self):
        index = self.path("index.smd")
        with open(index, "w", encoding="utf-8") as file:
            file.write("old")
        self.succeed("build", "--spec", "PQ8", self.base, "-o", index)
        self.assertEqual(json.loads(self.succeed("info", index, "--json").stdout)["kind"], "index")


class EveryMethod(ToolTest):
    """Each method through all verbs, in a small shape."""

    SHAPES = {"CQc": "6x5", "ITQ": "16"}

    def test_is_built_evaluated_and_described(self):
        base, truth = self.vectors("base.fvecs", 600, 16), self.path("truth.ivecs")
        self.succeed("exact", base, base, "-k", 10, "-o", truth)
        for method in json.loads(self.succeed("methods", "--json").stdout):
            name = method["name"]
            spec = name + self.SHAPES.get(name, "4x5")
            with self.subTest(spec=spec):
                index, report = self.path("index.smd"), self.path("report.json")
                self.succeed("build", "--spec", spec + "(iterations=1)", base, "-o", index)
                self.succeed("evaluate", index, base, truth, "-k", 10, "--json", report)
                with open(report, encoding="utf-8") as file:
                    measured = json.load(file)[0]
                self.assertEqual(measured["method"], spec)
                model = json.loads(self.succeed("info", index, "--json").stdout)["model"]
                self.assertEqual(model["method"], name)
                self.assertEqual(model["code_bytes"], measured["code_bytes"])

    def test_info_counts_the_values_of_sparse_words(self):
        base, model = self.vectors("base.fvecs", 600, 16), self.path("model.smd")
        for level, expected in ((1, 32 * 16), (2, 32 * 16 + 16 * 16)):
            self.succeed("train", "--spec", f"SNOCQ4x5(level={level},iterations=3)", base, "-o", model)
            info = json.loads(self.succeed("info", model, "--json").stdout)
            self.assertEqual(info["model"]["nonzeros"], expected)


class SameBytes(ToolTest):
    """Models, codes, indexes and results do not depend on threads or instruction sets."""

    def outputs(self, spec, *options, **environment):
        model, codes, index, result = (self.path(name) for name in ("m.smd", "c.smd", "i.smd", "r.ivecs"))
        self.succeed("train", "--spec", spec, self.base, "-o", model, *options, environment=environment)
        self.succeed("encode", model, self.base, "-o", codes, *options, environment=environment)
        self.succeed("build", "--spec", spec, self.base, "-o", index, *options, environment=environment)
        self.succeed("search", index, self.base, "-k", 10, "-o", result, *options, environment=environment)
        return [read_bytes(path) for path in (model, codes, index, result)]

    def test_threads_and_kernels_do_not_change_a_byte(self):
        self.base = self.vectors("base.fvecs", 3000, 24)
        names = [method["name"] for method in json.loads(self.succeed("methods", "--json").stdout)]
        shapes = {"CQc": "6x6", "ITQ": "16"}
        for name in names:
            spec = name + shapes.get(name, "4x6") + "(iterations=2)"
            with self.subTest(spec=spec):
                one = self.outputs(spec, "--threads", "1")
                self.assertEqual(self.outputs(spec, "--threads", "2"), one)
                self.assertEqual(self.outputs(spec, "--threads", "2", SUMMAND_KERNELS="scalar"), one)


if __name__ == "__main__":
    unittest.main()
