"""Builds of inverted indexes that are killed go on from their checkpoint, and end with the same bytes."""
import os
import random
import re
import signal
import struct
import subprocess
import time
import unittest

from support import SUMMAND, ToolTest, read_bytes

SPEC = "IVF4,PQ4x4(iterations=2)"


class Resume(ToolTest):
    def setUp(self):
        super().setUp()
        self.checkpoint, self.index = self.path("work.smd"), self.path("index.smd")

    def bytes_file(self, name, rows, columns, seed=1):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(struct.pack("<II", rows, columns))
            file.write(random.Random(seed).randbytes(rows * columns))
        return path

    def put(self, name, row, value):
        """The first value of a row of a file of 16 dimensions."""
        with open(self.path(name), "r+b") as file:
            file.seek(row * (4 + 16 * 4) + 4)
            file.write(struct.pack("<f", value))

    def build(self, base, *more):
        return ["build", "--spec", SPEC, base, "-o", self.index, "--checkpoint", self.checkpoint, *more]

    def unfinished(self):
        """A build that ends at a vector which cannot be encoded, and leaves its checkpoint."""
        base, learn = self.vectors("base.fvecs", 500, 16), self.vectors("learn.fvecs", 300, 16, seed=2)
        build = self.build(base, "--learn", learn)
        self.put("base.fvecs", 3, float("nan"))
        self.fail_with(1, *build, says=["base.fvecs", "row 3"])
        self.assertFalse(os.path.exists(self.index))
        return build

    def stop_after_a_chunk(self, arguments, number):
        """Ends the build with that signal as soon as it has kept one more chunk."""
        before = os.path.getsize(self.checkpoint) if os.path.exists(self.checkpoint) else None
        process = subprocess.Popen([SUMMAND, *arguments, "--quiet"], stderr=subprocess.PIPE, text=True)
        while process.poll() is None:
            size = os.path.getsize(self.checkpoint) if os.path.exists(self.checkpoint) else None
            if before is not None and size > before:
                break
            before = size if before is None else before
            time.sleep(0.001)
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130 if number == signal.SIGINT else -number, said)
        self.assertFalse(os.path.exists(self.index))
        return said

    def test_stopped_and_resumed_equals_uninterrupted(self):
        base = self.bytes_file("base.u8bin", 8192 * 5, 2048)   # five chunks
        learn = self.bytes_file("learn.u8bin", 500, 2048, seed=2)
        arguments = self.build(base, "--learn", learn)
        said = self.stop_after_a_chunk(arguments, signal.SIGINT)
        self.assertRegex(said, r"^summand( build)?: interrupted\n$")   # without the verb where the work was slow to stop
        self.stop_after_a_chunk(arguments, signal.SIGKILL)
        done = self.succeed(*arguments, "-t", 1)
        self.assertRegex(done.stdout, r"work.smd: (8,192|16,384|24,576|32,768) of 40,960 vectors were encoded before")
        before = int(done.stdout.split("work.smd: ")[1].split()[0].replace(",", ""))
        rate, seconds = re.search(r"encode: 40,960/40,960  100 %  ([\d,]+)/s  in (\d+ ms|[\d.]+ s)", done.stderr).groups()
        seconds = float(seconds.split()[0]) / (1000 if seconds.endswith("ms") else 1)
        counted = float(rate.replace(",", "")) * seconds   # what the speed stands for: rows of this run only
        self.assertLess(abs(counted - (40960 - before)), 0.1 * 40960)
        self.assert_only("base.u8bin", "learn.u8bin", "index.smd")
        whole = self.path("whole.smd")
        self.succeed("build", "--spec", SPEC, base, "--learn", learn, "-o", whole)
        self.assertEqual(read_bytes(self.index), read_bytes(whole))

    def test_another_build_is_refused_by_what_differs(self):
        build = self.unfinished()
        before = read_bytes(self.checkpoint)
        other_learn = self.vectors("other.fvecs", 301, 16, seed=2)
        for more, name in ((["--seed", 2], "--seed was 1, now it is 2"), (["--metric", "ip"], "--metric"),
                           (["--spec", "IVF5,PQ4x4"], "--spec"), (["--learn-size", 200], "--learn-size was 300"),
                           (["--learn", other_learn], "--learn was 300 vectors")):
            changed = list(build)
            if more[0] in changed:
                changed[changed.index(more[0]) + 1] = more[1]
            else:
                changed += more
            self.fail_with(1, *changed, says=[self.checkpoint, "belongs to another build", name])
        self.put("base.fvecs", 499, 1)
        self.fail_with(1, *build, says=[self.checkpoint, "BASE was 500 vectors of 16 dimensions with hash"])
        self.assertEqual(read_bytes(self.checkpoint), before)

    def test_a_damaged_checkpoint_is_refused(self):
        build = self.unfinished()
        with open(self.checkpoint, "r+b") as file:
            file.seek(os.path.getsize(self.checkpoint) // 2)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1]))
        self.fail_with(1, *build, says=[self.checkpoint, "is damaged"])

    def test_a_file_of_another_kind_is_kept(self):
        base = self.vectors("base.fvecs", 500, 16)
        with open(self.checkpoint, "w", encoding="utf-8") as file:
            file.write("precious")
        self.fail_with(1, *self.build(base), says=[self.checkpoint, "expected a file of an unfinished build"])
        self.assertEqual(read_bytes(self.checkpoint), b"precious")

    def test_info_tells_what_the_build_was_asked_for(self):
        self.unfinished()
        shown = self.succeed("info", self.checkpoint).stdout
        for text in ("unfinished index", "IVF4,PQ4x4(iterations=2)", "300 vectors of 16 dimensions"):
            self.assertIn(text, shown)

    def test_the_training_goes_on_first_where_it_can(self):
        base, spec = self.vectors("base.fvecs", 1000, 16), "IVF4,LOCQ2x4(iterations=30)"
        arguments = ["build", "--spec", spec, base, "-o", self.index, "--checkpoint", self.checkpoint]
        process = subprocess.Popen([SUMMAND, *arguments, "--quiet"])
        while process.poll() is None and not os.path.exists(self.checkpoint):
            time.sleep(0.001)
        process.kill()
        process.wait()
        self.succeed(*arguments)
        self.assert_only("base.fvecs", "index.smd")
        whole = self.path("whole.smd")
        self.succeed("build", "--spec", spec, base, "-o", whole)
        self.assertEqual(read_bytes(self.index), read_bytes(whole))


if __name__ == "__main__":
    unittest.main()
