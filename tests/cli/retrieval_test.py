"""Object retrieval through the verbs: images of known objects, judged by lists of what is relevant."""
import json
import random
import unittest

from support import ToolTest, write_fvecs

OBJECTS, VIEWS = 100, 4


def views(dimensions=16, seed=3):
    """Image i shows object i // 4: points near that object's own."""
    draw = random.Random(seed)
    objects = [[draw.gauss(0, 10) for _ in range(dimensions)] for _ in range(OBJECTS)]
    return [[value + draw.gauss(0, 1) for value in objects[i // VIEWS]] for i in range(OBJECTS * VIEWS)]


class Retrieval(ToolTest):
    def setUp(self):
        super().setUp()
        self.images, self.index = self.path("images.fvecs"), self.path("index.smd")
        write_fvecs(self.images, views())
        self.succeed("build", "--spec", "PQ8", self.images, "-o", self.index)
        self.lists = self.relevance("".join(f"{i} {' '.join(str(i // 4 * 4 + j) for j in range(4))}\n"
                                            for i in range(OBJECTS * VIEWS)))

    def relevance(self, text):
        path = self.path("objects.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def evaluate(self, protocol, *arguments):
        return json.loads(self.succeed("evaluate", self.index, self.images, "--relevance", self.lists, "--protocol",
                                       protocol, "--json", "-", *arguments).stdout)

    def test_views_of_an_object_find_each_other(self):
        measured = self.evaluate("holidays")
        self.assertEqual((measured["queries"], measured["images"], measured["k"]), (400, 400, 400))
        self.assertGreater(measured["map"], 0.99)
        measured = self.evaluate("ukbench")
        self.assertEqual(measured["k"], 4)
        self.assertGreater(measured["score"], 3.95)
        self.assertLessEqual(measured["score"], 4)

    def test_wrong_lists_are_not_found(self):
        self.relevance("".join(f"{i} {(i + 200) % 400}\n" for i in range(0, 400, 4)))
        self.assertLess(self.evaluate("holidays")["map"], 0.2)

    def test_the_result_is_told_in_words(self):
        shown = self.succeed("evaluate", self.index, self.images, "--relevance", self.lists, "--protocol", "ukbench").stdout
        self.assertRegex(shown, r"^score [34]\.\d{4}: 400 queries among 400 images\n$")

    def test_queries_may_be_codes(self):
        model, codes = self.path("model.smd"), self.path("codes.smd")
        self.succeed("train", "--spec", "CQd8x5(iterations=2)", self.images, "-o", model)
        self.succeed("encode", "--queries", model, self.images, "-o", codes)
        measured = json.loads(self.succeed("evaluate", self.index, codes, "--query-model", model, "--relevance",
                                           self.lists, "--protocol", "holidays", "--json", "-").stdout)
        self.assertGreater(measured["map"], 0.95)

    def test_wrong_use_is_told(self):
        evaluate = ["evaluate", self.index, self.images]
        self.fail_with(2, *evaluate, says=["TRUTH or --relevance"])
        self.fail_with(2, *evaluate, "--relevance", self.lists, says=["--protocol"])
        self.fail_with(2, *evaluate, "--protocol", "holidays", says=["--relevance"])
        self.fail_with(2, *evaluate, "--relevance", self.lists, "--protocol", "oxford", says=["oxford"])
        self.fail_with(2, *evaluate, "truth.ivecs", "--relevance", self.lists, "--protocol", "ukbench", says=["TRUTH"])
        holidays = ["--relevance", self.relevance("0 1\n5 4x\n"), "--protocol", "holidays"]
        self.fail_with(1, *evaluate, *holidays, says=["objects.txt", "line 2", "'4x'"])
        self.relevance("0 1\n5 400\n")
        self.fail_with(1, *evaluate, *holidays, says=["objects.txt", "line 2", "below 400", "got 400"])
        self.relevance("0 1\n")
        self.fail_with(1, *evaluate, "--relevance", self.lists, "--protocol", "ukbench", "-k", 3, says=["3 answers", "got 4"])
        few = self.path("few.fvecs")
        write_fvecs(few, views()[:8])
        self.fail_with(1, "evaluate", self.index, few, *holidays, says=["few.fvecs", "400 images", "got 8"])


if __name__ == "__main__":
    unittest.main()
