"""Ctrl-C during long work: a quick end, exit code 130, nothing half-written."""
import os
import signal
import struct
import subprocess
import time
import unittest

from support import SUMMAND, ToolTest

PATIENCE = 10 if os.environ.get("SANITIZED") else 2.5   # seconds; the aim is one, tests run on busy machines


class Interrupt(ToolTest):
    def interrupted(self, *arguments, number=signal.SIGINT, after=0.5, times=1):
        process = subprocess.Popen([SUMMAND, *arguments], stderr=subprocess.PIPE, text=True)
        time.sleep(after)
        self.assertIsNone(process.poll(), "the work was over before it could be interrupted")
        begin = time.monotonic()
        for _ in range(times):
            process.send_signal(number)
            time.sleep(0.001)   # two that wait to be delivered are one
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

    def test_convert_removes_the_file_in_the_making(self):
        base = self.path("base.u8bin")
        rows, columns = 1 << 20, 1 << 14
        with open(base, "wb") as file:   # 16 GB of zeros that take no room
            file.write(struct.pack("<II", rows, columns))
            file.truncate(8 + rows * columns)
        for times in (1, 2):
            said = self.interrupted("convert", base, self.path("copy.u8bin"), "--quiet", after=0.3, times=times)
            self.assertEqual(said, "summand convert: interrupted, nothing was written\n")
            self.assert_only("base.u8bin")


if __name__ == "__main__":
    unittest.main()
