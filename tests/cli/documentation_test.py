"""Help, man page and completion are written from the parser itself: none may lack what another has."""
import json
import re
import shutil
import subprocess
import unittest

from support import SUMMAND, ToolTest


def verbs_of(tool, *path):
    """All verbs below `path`, those of groups too, as --help lists them."""
    text = tool.succeed(*path, "--help").stdout
    if "Subcommands:" not in text:
        return [path]
    names = re.findall(r"^  (\w+) ", text.split("Subcommands:")[1].split("\n\n")[0], re.MULTILINE)
    return [verb for name in names for verb in verbs_of(tool, *path, name)]


def options_of(tool, *verb):
    text = tool.succeed(*verb, "--help").stdout
    return re.findall(r"(?<![\w-])--[a-z][a-z-]*", text.split("Options:")[1].split("Example")[0])


class Help(ToolTest):
    def test_help_of_a_verb_is_that_of_its_option(self):
        self.assertEqual(self.succeed("help").stdout, self.succeed("--help").stdout)
        for verb in verbs_of(self):
            self.assertEqual(self.succeed("help", *verb).stdout, self.succeed(*verb, "--help").stdout)

    def test_unknown_verbs_are_wrong_usage_with_or_without_help(self):
        for arguments in (["serch"], ["serch", "--help"], ["help", "serch"], ["serch", "-h"]):
            done = self.run_tool(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn("unknown verb 'serch', did you mean 'search'?", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertNotIn("did you mean", self.run_tool("nonsense").stderr)
        self.assertIn("unknown verb 'trian', did you mean 'train'?", self.run_tool("help", "aggregate", "trian").stderr)

    def test_unknown_options_are_named_in_their_order(self):
        for arguments, says in ((["search", "i", "q", "--xyzzy", "x"], "unknown option '--xyzzy' ("),
                                (["search", "i", "q", "--neighbor", "3"],
                                 "unknown option '--neighbor', did you mean '--neighbors'?"),
                                (["search", "i", "q", "one", "two"], "unexpected argument 'one' (")):
            done = self.run_tool(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("summand search: " + says, done.stderr)

    def test_verbs_that_find_neighbours_say_what_scores_mean(self):
        for verb in ("search", "exact", "evaluate"):
            shown = self.succeed(verb, "--help").stdout
            for part in ("squared distance", "2 - 2 cos", "minus the inner product"):
                self.assertIn(part, shown)


class ManPage(ToolTest):
    def setUp(self):
        super().setUp()
        self.page = self.succeed("documentation", "man").stdout

    def test_every_verb_and_option_is_there(self):
        for verb in verbs_of(self):
            section = self.page.split(f'.SS "summand {" ".join(verb)}"')[1].split(".SS")[0]
            for option in options_of(self, *verb):
                self.assertIn(option.replace("-", "\\-"), section, verb)

    def test_it_renders_without_a_warning(self):
        tools = {"groff": ["groff", "-man", "-Tutf8", "-ww", "-b"], "mandoc": ["mandoc", "-man", "-T", "lint", "-W", "warning"]}
        found = [name for name in tools if shutil.which(name)]
        if not found:
            self.skipTest("neither groff nor mandoc is installed")
        for name in found:
            done = subprocess.run(tools[name], input=self.page, capture_output=True, text=True, check=False)
            lines = (done.stderr + (done.stdout if name == "mandoc" else "")).splitlines()
            self.assertEqual([line for line in lines if "missing date" not in line], [])   # it is made at every build


class MarkdownPage(ToolTest):
    def test_every_verb_and_option_is_there(self):
        page = self.succeed("documentation", "markdown").stdout
        for verb in verbs_of(self):
            section = page.split(f"## summand {' '.join(verb)}\n")[1].split("\n## ")[0]
            for option in set(options_of(self, *verb)) - {"-h", "--help"}:
                self.assertIn(option, section, verb)

    def test_what_markdown_would_read_otherwise_is_escaped(self):
        page = self.succeed("documentation", "markdown").stdout
        self.assertIn("second layer, Refine(...), scores again", page)
        self.assertIn("FILE.html, which holds all, or a folder for index.html", page)
        self.assertIn("\\`summand exact\\`", page)


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class BashCompletion(ToolTest):
    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = ('source <("$0" documentation bash); COMP_WORDS=(summand "$@"); COMP_CWORD=$#; _summand;'
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", script, SUMMAND, *words], capture_output=True, text=True,
                              cwd=self.folder, check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1] if done.stdout != "\n" else []

    def test_verbs(self):
        self.assertEqual(self.complete("sea"), ["search"])
        self.assertEqual(self.complete("aggregate", "tr"), ["train"])
        self.assertEqual(self.complete("help", "tu"), ["tune"])
        self.assertNotIn("documentation", self.complete(""))

    def test_every_option_of_every_verb(self):
        for verb in verbs_of(self):
            self.assertLessEqual(set(options_of(self, *verb)), set(self.complete(*verb, "--")), verb)

    def test_choices_and_methods(self):
        self.assertEqual(self.complete("build", "--metric", "co"), ["cosine"])
        self.assertEqual(self.complete("build", "-m", "e"), ["euclidean"])
        self.assertEqual(self.complete("build", "--metric", "=", "eu"), ["euclidean"])
        methods = [method["name"] for method in json.loads(self.succeed("methods", "--json").stdout)]
        self.assertEqual(sorted(self.complete("train", "--spec", "")), sorted(methods))

    def test_files_but_not_where_a_number_is_meant(self):
        self.vectors("base one.fvecs", 1, 1)
        self.assertEqual(self.complete("build", "bas"), ["base one.fvecs"])
        self.assertEqual(self.complete("build", "--learn", "bas"), ["base one.fvecs"])
        self.assertEqual(self.complete("build", "--threads", ""), [])


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class FishCompletion(ToolTest):
    def complete(self, line):
        script = f'"{SUMMAND}" documentation fish | source; complete -C "{line}"'
        done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return {candidate.split("\t")[0] for candidate in done.stdout.splitlines()}

    def test_verbs_options_and_choices(self):
        self.assertEqual(self.complete("summand sea"), {"search"})
        self.assertEqual(self.complete("summand build --metric co"), {"cosine"})
        self.assertEqual(self.complete("summand aggregate tr"), {"train"})
        for verb in verbs_of(self):
            self.assertLessEqual(set(options_of(self, *verb)) - {"--help"}, self.complete(f"summand {' '.join(verb)} --"))


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class ZshCompletion(ToolTest):
    def test_it_is_a_script_with_every_option(self):
        script = self.succeed("documentation", "zsh").stdout
        done = subprocess.run(["zsh", "-n"], input=script, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for verb in verbs_of(self):
            function = script.split(f"\n_summand_{'_'.join(verb)}() {{")[1].split("\n}")[0]
            for option in options_of(self, *verb):
                self.assertIn(option, function)


if __name__ == "__main__":
    unittest.main()
