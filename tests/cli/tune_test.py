"""summand tune: chooses, keeps what it chose in the index, and leaves the index alone where nothing is enough."""
import json
import os
import unittest

from support import ToolTest, clustered, read_bytes, write_fvecs


class Tune(ToolTest):
    def setUp(self):
        super().setUp()
        self.base = self.vectors("base.fvecs", 1500, 16)
        self.queries = self.path("queries.fvecs")
        write_fvecs(self.queries, [[x + 0.2 for x in row] for row in clustered(1500, 16)[:60]])
        self.truth = self.path("truth.ivecs")
        self.succeed("exact", self.base, self.queries, "-k", 10, "-o", self.truth)

    def build(self, spec, name="index.smd"):
        index = self.path(name)
        self.succeed("build", "--spec", spec, self.base, "-o", index)
        return index

    def tune(self, index, target, *arguments):
        return json.loads(self.succeed("tune", index, self.queries, "--target", target, "--json", "-", *arguments).stdout)

    def report(self, index, *arguments):
        return json.loads(self.succeed("evaluate", index, self.queries, self.truth, "-k", 10, "--json", "-",
                                       *arguments).stdout)[0]

    def test_search_and_evaluate_use_what_was_chosen_unless_told_otherwise(self):
        index = self.build("IVF64,PQ4,Refine(flat)")
        chosen = self.tune(index, "recall@10of10=0.9", "--truth", self.truth)["chosen"]
        report = self.report(index)
        for name in ("probes", "reach", "refine"):
            self.assertEqual(report[name], chosen[name])
        reached = [p["recall"] for p in report["recalls"] if (p["truths"], p["answers"]) == (10, 10)]
        self.assertEqual(reached, [chosen["recall"]])
        self.assertGreaterEqual(chosen["recall"], 0.9)
        self.assertEqual(self.report(index, "--probes", 7)["probes"], 7)
        self.assertEqual(self.report(index, "--refine", 0)["refine"], 0)
        info = json.loads(self.succeed("info", index, "--json").stdout)
        self.assertEqual(info["search"], {name: chosen[name] for name in ("probes", "reach", "refine") if chosen[name]})
        self.succeed("search", index, self.queries, "-o", self.path("result.ivecs"))

    def test_truth_may_be_computed_from_the_base(self):
        first, second = self.build("IVF64,PQ8"), self.build("IVF64,PQ8", name="again.smd")
        given, computed = (self.tune(first, "recall@10of1=0.9", "--truth", self.truth),
                           self.tune(second, "recall@10of1=0.9", "--base", self.base, "-t", 1))
        for one in given["trials"] + computed["trials"] + [given["chosen"], computed["chosen"]]:
            del one["seconds"]
        self.assertEqual(given, computed)
        self.assertEqual(read_bytes(first), read_bytes(second))

    def test_the_index_keeps_its_permissions(self):
        index = self.build("IVF16,PQ8")
        os.chmod(index, 0o600)
        self.tune(index, "recall@10of1=0.5", "--truth", self.truth)
        self.assertEqual(os.stat(index).st_mode & 0o777, 0o600)

    def test_the_multi_index_is_tuned_by_candidates(self):
        index = self.build("IMI2x4,PQ8")
        chosen = self.tune(index, "recall@10of1=0.5", "--truth", self.truth)["chosen"]
        self.assertEqual(chosen["probes"], 0)
        self.assertEqual(self.report(index)["candidates"], chosen["candidates"])

    def test_the_table_marks_the_choice(self):
        shown = self.succeed("tune", self.build("IVF16,PQ8"), self.queries, "--target", "recall@10of1=0.8",
                             "--truth", self.truth).stdout
        self.assertEqual(sum(line.startswith("* ") for line in shown.splitlines()), 1, shown)
        self.assertRegex(shown, "searches with (probes|reach) ")

    def test_a_target_out_of_reach_leaves_the_index_alone(self):
        index = self.build("IVF16,PQ1")
        before, files = read_bytes(index), os.listdir(self.folder)
        self.fail_with(1, "tune", index, self.queries, "--target", "recall@1=1", "--truth", self.truth,
                       says=[index, "cannot reach recall@1=1", "probes 16 finds 0.", "The index is as it was"])
        self.assertEqual(read_bytes(index), before)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(files))

    def test_wrong_use_is_told(self):
        index = self.build("IVF16,PQ4")
        for target in ("recall", "recall@0=0.9", "recall@10=1.5", "recall@10=x", "recall@10of20=0.5", "precision@1=1"):
            self.fail_with(2, "tune", index, self.queries, "--target", target, "--truth", self.truth,
                           says=["--target", "recall@R=VALUE", target])
        self.fail_with(2, "tune", index, self.queries, says=["--truth or --base"])
        self.fail_with(2, "tune", index, self.queries, "--truth", self.truth, "--base", self.base, says=["--base"])
        self.fail_with(1, "tune", index, self.queries, "--base", self.queries, says=[self.queries, "expected the 1500"])
        self.fail_with(1, "tune", index, self.queries, "--target", "recall@20of11=0.5", "--truth", self.truth,
                       says=[self.truth, "11 nearest true neighbours"])
        self.fail_with(1, "tune", index, self.queries, "--truth", self.truth, "--json", index, says=["also to be read"])


if __name__ == "__main__":
    unittest.main()
