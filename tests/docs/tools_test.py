"""What checks the documents finds what is wrong with them."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(TOOLS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class SiteLinks(unittest.TestCase):
    def test_links_to_no_file_and_to_no_place_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "a.html").write_text('<a href="b.html#here">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>'
                                         '<a href="https://example.org/x">4</a><a href="#own">5</a><p id="own">')
            (root / "b.html").write_text('<p id="here">')
            found = list(load("site_links").offences(root))
        self.assertEqual(found, ["a.html: b.html#gone leads to no place of the page", "a.html: c.html leads to no file"])


class Blocks(unittest.TestCase):
    def blocks(self, text):
        return list(load("site_blocks").blocks(text))

    def test_fenced_and_indented_blocks_are_found_with_their_lines(self):
        text = "Text\n\n    summand one\n\n    summand two\n\nmore\n```python\nx = 1\n```\n"
        self.assertEqual(self.blocks(text), [(3, "", "summand one\n\nsummand two\n", None), (8, "python", "x = 1\n", None)])

    def test_the_reason_why_a_block_is_not_run_belongs_to_the_next_one(self):
        text = "<!-- not run: slow -->\n    summand one\n\nText\n\n    summand two\n"
        self.assertEqual([reason for *_, reason in self.blocks(text)], ["slow", None])

    def test_indented_lines_of_a_list_are_no_block(self):
        self.assertEqual(self.blocks("- item\n    that goes on\n"), [])

    def test_only_calls_of_summand_are_commands(self):
        is_commands = load("site_blocks").is_commands
        self.assertTrue(is_commands("", "summand a \\\n  b\n\nsummand c\n"))
        self.assertFalse(is_commands("", "summand a\nrm b\n"))
        self.assertFalse(is_commands("python", "summand a\n"))


if __name__ == "__main__":
    unittest.main()
