"""Progress: a bar on a terminal that is gone at the end, plain lines in a pipe, nothing when quiet."""
import os
import pty
import subprocess
import unittest

from support import SUMMAND, ToolTest


def shown_on_terminal(*arguments, with_output=False):
    """What the tool writes to stderr when that is a terminal, and to stdout if it is the same."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([SUMMAND, *arguments], stderr=follower,
                               stdout=follower if with_output else subprocess.DEVNULL)
    os.close(follower)
    shown = b""
    try:
        while part := os.read(leader, 65536):
            shown += part
    except OSError:   # the terminal is closed on the other side
        pass
    os.close(leader)
    return process.wait(), shown.decode()


class ProgressTest(ToolTest):
    def setUp(self):
        super().setUp()
        base = self.vectors("base.fvecs", 2000, 32)
        self.arguments = ["build", "--spec", "OPQ4", base, "-o", self.path("index.smd")]

    def test_terminal_gets_a_bar_that_is_erased(self):
        code, shown = shown_on_terminal(*self.arguments)
        self.assertEqual(code, 0)
        for text in ("[=", "objective", "/s", "encode"):
            self.assertIn(text, shown)
        self.assertTrue(shown.endswith("\r\033[K"), repr(shown[-80:]))
        self.assertNotIn("\n", shown)

    def test_the_summary_has_a_line_of_its_own(self):
        base = self.arguments[3]
        for arguments in (self.arguments, ["exact", base, base, "-k", "3", "-o", self.path("truth.ivecs")],
                          ["exact", base, base, "-k", "3", "-o", "-"]):
            code, shown = shown_on_terminal(*arguments, with_output=True)
            self.assertEqual(code, 0)
            self.assertIn("[=", shown)
            summary = shown[shown.rindex("\r\033[K") + 4:]
            self.assertNotIn("[=", summary)
            self.assertRegex(summary, r"^[\w/.-]+: |^\d+ \d+ \d+\r\n")

    def test_terminal_gets_nothing_when_quiet(self):
        self.assertEqual(shown_on_terminal(*self.arguments, "--quiet"), (0, ""))

    def test_pipe_gets_plain_lines(self):
        done = self.succeed(*self.arguments)
        self.assertNotIn("\r", done.stderr)
        self.assertNotIn("\033", done.stderr)
        lines = done.stderr.splitlines()
        self.assertTrue(any(line.startswith("encode: 2,000/2,000  100 %") for line in lines), done.stderr)
        self.assertLess(len(lines), 20)

    def test_pipe_gets_nothing_when_quiet(self):
        done = self.succeed(*self.arguments, "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_summary_goes_to_standard_output(self):
        self.assertIn("2,000 vectors of 32 dimensions in 4 bytes each", self.succeed(*self.arguments).stdout)


if __name__ == "__main__":
    unittest.main()
