"""Queries as codes: encoded on one side, put together again and searched on the other."""
import json
import os
import unittest

from support import ToolTest, clustered, read_fvecs, read_ivecs, write_fvecs


class Queries(ToolTest):
    def setUp(self):
        super().setUp()
        self.base = self.vectors("base.fvecs", 1500, 16, seed=1)
        self.queries = self.path("queries.fvecs")
        write_fvecs(self.queries, clustered(1500, 16, seed=1)[:20])   # the first rows of the base itself
        self.index, self.model, self.codes = (self.path(name) for name in ("index.smd", "model.smd", "codes.smd"))

    def prepare(self, spec="CQd8(iterations=2)", *options):
        self.succeed("build", "--spec", "PQ8", self.base, "-o", self.index)
        self.succeed("train", "--spec", spec, self.base, "-o", self.model, *options)
        self.succeed("encode", "--queries", self.model, self.queries, "-o", self.codes)

    def found(self, *arguments):
        result = self.path("result.ivecs")
        self.succeed("search", self.index, "-o", result, *arguments)
        return read_ivecs(result)

    def test_codes_of_queries_find_what_the_queries_find(self):
        self.prepare()
        rows = self.found(self.codes, "--query-model", self.model)
        self.assertEqual([len(row) for row in rows], [10] * 20)
        self.assertGreaterEqual(sum(i in row for i, row in enumerate(rows)), 16)

    def test_a_query_takes_as_many_bytes_as_dictionaries(self):
        self.prepare()
        one = os.path.getsize(self.codes)
        write_fvecs(self.queries, clustered(1500, 16, seed=1)[:148])   # 128 more
        self.succeed("encode", "--queries", self.model, self.queries, "-o", self.codes)
        self.assertIn(os.path.getsize(self.codes) - one, range(128 * 8 - 64, 128 * 8 + 65))   # sections are aligned

    def test_codes_of_queries_mind_the_error_alone(self):
        self.succeed("train", "--spec", "NOCQ8x5(iterations=4,mu=1)", self.base, "-o", self.model)
        write_fvecs(self.queries, clustered(1500, 16, seed=1)[:256])
        self.succeed("build", "--spec", "PQ1", self.queries, "-o", self.index)   # a word for each, so without error
        errors = []
        for options in ([], ["--queries"]):
            self.succeed("encode", *options, self.model, self.queries, "-o", self.codes)
            rows = self.found(self.codes, "--query-model", self.model, "-k", 256, "--scores", self.path("scores.fvecs"))
            scores = read_fvecs(self.path("scores.fvecs"))
            errors.append(sum(scores[i][row.index(i)] for i, row in enumerate(rows)))
        self.assertLess(errors[1], errors[0])

    def test_evaluate_takes_codes_too(self):
        self.prepare()
        truth, report = self.path("truth.ivecs"), self.path("report.json")
        self.succeed("exact", self.base, self.queries, "-k", 100, "-o", truth)
        recall = {}
        for name, arguments in (("vectors", [self.queries, truth]),
                                ("codes", [self.codes, truth, "--query-model", self.model])):
            self.succeed("evaluate", self.index, *arguments, "--json", report)
            with open(report, encoding="utf-8") as file:
                recall[name] = {p["answers"]: p["recall"] for p in json.load(file)[0]["recalls"] if p["truths"] == 1}
        self.assertGreaterEqual(recall["codes"][10], 0.8)
        self.assertGreaterEqual(recall["vectors"][1], recall["codes"][1])

    def test_inverted_indexes_take_codes(self):
        self.prepare()
        self.succeed("build", "--spec", "IVF8,PQ8", self.base, "-o", self.index)
        rows = self.found(self.codes, "--query-model", self.model, "--probes", 8)
        self.assertGreaterEqual(sum(i in row for i, row in enumerate(rows)), 16)

    def test_wrong_use_is_told(self):
        self.prepare()
        self.fail_with(1, "search", self.index, self.codes, says=["codes.smd", "--query-model"])
        self.fail_with(1, "search", self.index, self.queries, "--query-model", self.model,
                       says=["queries.fvecs", "is not a summand file"])
        other = self.path("other.smd")
        self.succeed("train", "--spec", "PQ8", self.base, "-o", other)
        self.fail_with(1, "search", self.index, self.codes, "--query-model", other,
                       says=["codes.smd", "another model", "other.smd"])
        self.fail_with(1, "search", self.index, self.codes, "--query-model", self.index, says=["index.smd", "a model"])
        self.succeed("train", "--spec", "PQ8", "--metric", "cosine", self.base, "-o", other)
        self.fail_with(1, "search", self.index, self.codes, "--query-model", other,
                       says=["other.smd", "cosine", "euclidean"])
        narrow = self.vectors("narrow.fvecs", 300, 12)
        self.succeed("train", "--spec", "PQ4", narrow, "-o", other)
        self.fail_with(1, "search", self.index, self.codes, "--query-model", other, says=["other.smd", 16, 12])
        self.fail_with(1, "search", self.index, self.codes, "--query-model", self.model, "-o", self.model,
                       says=["model.smd"])

    def test_a_model_that_stores_a_bias_is_refused(self):
        self.succeed("train", "--spec", "CQ4(iterations=1)", self.base, "-o", self.model)
        self.fail_with(1, "encode", "--queries", self.model, self.queries, "-o", self.codes,
                       says=["model.smd", "CQ stores a bias", "--spec CQd4"])
        self.assertFalse(os.path.exists(self.codes))


if __name__ == "__main__":
    unittest.main()
