"""summand page: what stands for the vectors, words to type, and inputs that do not fit each other."""
import base64
import os
import re
import unittest
import zlib

from support import ToolTest, clustered, write_fvecs

ROWS = 60


class Page(ToolTest):
    def setUp(self):
        super().setUp()
        self.index = self.built("index", self.vectors("base.fvecs", ROWS, 8))

    def built(self, name, vectors):
        self.succeed("build", "--quiet", "--spec", "PQ2x3", vectors, "-o", self.path(f"{name}.smd"))
        return self.path(f"{name}.smd")

    def text(self, name, content):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(content)
        return self.path(name)

    def page(self, *arguments):
        self.succeed("page", self.index, *arguments, "-o", self.path("page.html"))
        with open(self.path("page.html"), encoding="utf-8") as file:
            return file.read()

    def part(self, page, name):
        packed = re.search(f'id="part-{name}">([^<]*)<', page).group(1)
        return zlib.decompress(base64.b64decode(packed)).decode()

    def refuse(self, *arguments, says, code=1):
        self.fail_with(code, "page", self.index, *arguments, "-o", self.path("page.html"), says=says)
        self.assertFalse(os.path.exists(self.path("page.html")))

    def table(self, ending, rows, head="name,said,label"):
        separator = "\t" if ending == "tsv" else ","
        return self.text(f"items.{ending}", "\n".join([head, *rows]).replace(",", separator) + "\n")

    def test_tables_name_columns_and_kinds(self):
        for ending in ("csv", "tsv"):
            page = self.page("--items", self.table(ending, [f"n{i},said of {i},kind {i % 3}" for i in range(ROWS)]))
            self.assertIn('"columns":["name","said"]', page)
            self.assertIn('"labelNames":["kind 0","kind 1","kind 2"]', page)

    def test_fields_in_quotes_hold_commas_lines_and_quotes(self):
        rows = ["name,said"] + [f'"a ""quoted"" name, {i}","two\r\nlines"' for i in range(ROWS)]
        page = self.page("--items", self.text("items.csv", "\r\n".join(rows) + "\r\n"))
        self.assertEqual(self.part(page, "texts"), "\n".join(f'a "quoted" name, {i}\ttwo lines' for i in range(ROWS)))

    def test_pictures_of_a_table_lie_beside_it(self):
        os.mkdir(self.path("p"))
        for i in range(ROWS):
            self.text(f"p/{i}.svg", "<svg/>")
        page = self.page("--items", self.text("items.csv", "picture\n" + "".join(f"p/{i}.svg\n" for i in range(ROWS))))
        self.assertEqual(page.count("data:image/svg+xml;base64,"), ROWS)

    def test_tables_that_do_not_fit_are_refused(self):
        rows = [f"n{i},said,k" for i in range(ROWS)]
        self.refuse("--items", self.table("csv", rows[:-1]), says=["items.csv", "each of the 60 vectors", "got 59"])
        self.refuse("--items", self.table("csv", rows[:5] + ["only one"]), says=["items.csv", "3 fields", "got 1 in row 6"])
        self.refuse("--items", self.table("tsv", []), says=["items.tsv", "names of the columns"])
        self.refuse("--items", self.text("items.csv", 'a\n"b'), says=["items.csv", "quote that nothing closes"])
        self.refuse("--items", self.text("items.csv", 'a\n"b"c\n'), says=["items.csv", "after 'b' in row 1"])
        self.refuse("--items", self.text("items.txt", ""), says=["items.txt", "a line for each vector"])
        self.refuse("--items", self.path("none.csv"), says=["none.csv", "cannot be read"])
        self.refuse("--items", self.table("csv", rows), "--labels", self.path("kinds.txt"), says=["items.csv", "no --labels"])
        many = self.table("csv", [f"n,s,{i}" for i in range(300)])
        self.refuse("--items", many, says=["items.csv", "at most 256 different labels"])

    def test_words_are_typed(self):
        words = self.built("words", self.vectors("words.fvecs", 40, 8, seed=2))
        page = self.page("--words", words, "--vocabulary", self.text("words.txt", "".join(f"w{i}\n" for i in range(40))))
        self.assertIn('"words":true', page)
        self.assertIn('id="part-vocabulary"', page)

    def test_words_that_do_not_fit_are_refused(self):
        words = self.built("words", self.vectors("words.fvecs", 40, 8, seed=2))
        few = self.text("few.txt", "a\nb\n")
        self.refuse("--words", words, "--vocabulary", few, says=["few.txt", "each of the 40 words", "got 2"])
        self.refuse("--words", words, says=["--vocabulary"], code=2)
        write_fvecs(self.path("wide.fvecs"), clustered(40, 9))
        wide = self.built("wide", self.path("wide.fvecs"))
        self.refuse("--words", wide, "--vocabulary", few, says=["words of 8 dimensions, got 9"])

    def test_names_of_queries_fit_them(self):
        queries = self.vectors("queries.fvecs", 5, 8, seed=3)
        self.refuse("--queries", queries, "--query-names", self.text("names.txt", "a\n"), says=["names.txt", "5 queries, got 1"])
        page = self.page("--queries", queries, "--query-names", self.text("names.txt", "a\nb\nc\nd\ne\n"))
        self.assertIn('"names":["a","b","c","d","e"]', page)


if __name__ == "__main__":
    unittest.main()
