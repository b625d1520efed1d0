"""Ctrl-C during long work: a quick end, exit code 130, nothing half-written."""
import os
import signal
import subprocess
import time
import unittest

from support import SUMMAND, ToolTest

PATIENCE = 10 if os.environ.get("SANITIZED") else 2.5   # seconds; the aim is one, tests run on busy machines


class Interrupt(ToolTest):
    def interrupted(self, *arguments, number=signal.SIGINT, after=0.5):
        process = subprocess.Popen([SUMMAND, *arguments], stderr=subprocess.PIPE, text=True)
        time.sleep(after)
        self.assertIsNone(process.poll(), "the work was over before it could be interrupted")
        begin = time.monotonic()
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, PATIENCE)
        self.assertEqual(process.returncode, 130, said)
        return said

    def long_build(self):
        base = self.vectors("base.fvecs", 4000, 64)
        return ["build", "--spec", "OPQ8(iterations=10000)", base, "-o", self.path("index.smd"), "--quiet"]

    def test_stops_and_leaves_no_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            said = self.interrupted(*self.long_build(), number=number)
            self.assertEqual(said, "summand build: interrupted, nothing was written\n")
            self.assert_only("base.fvecs")

    def test_keeps_the_old_output(self):
        arguments = self.long_build()
        with open(self.path("index.smd"), "w", encoding="utf-8") as file:
            file.write("old")
        self.interrupted(*arguments)
        with open(self.path("index.smd"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        self.assert_only("base.fvecs", "index.smd")


if __name__ == "__main__":
    unittest.main()
