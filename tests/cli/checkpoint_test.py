"""A training that is killed goes on from its checkpoint, and ends with the same bytes."""
import os
import subprocess
import time
import unittest

from support import SUMMAND, ToolTest


class Checkpoint(ToolTest):
    def arguments(self, learn, output, *more, spec="LOCQ4x4(iterations=40,start=pq)"):
        return [SUMMAND, "train", "--spec", spec, learn, "-o", self.path(output), "--quiet", *more]

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def killed_and_resumed(self, learn, spec):
        checkpoint = self.path("training.smd")
        resumable = self.arguments(learn, "resumed.smd", "--checkpoint", checkpoint, spec=spec)
        subprocess.run(self.arguments(learn, "whole.smd", spec=spec), check=True)
        process = subprocess.Popen(resumable)
        while process.poll() is None:
            try:
                with open(checkpoint, "rb"):
                    process.kill()
                    break
            except FileNotFoundError:
                time.sleep(0.01)
        process.wait()
        subprocess.run(resumable, check=True)
        self.assertEqual(self.read("resumed.smd"), self.read("whole.smd"), spec)
        os.remove(checkpoint)

    def test_killed_and_resumed_equals_uninterrupted(self):
        learn = self.vectors("learn.fvecs", 4000, 32)
        for spec in ("LOCQ4x4(iterations=40,start=pq)", "CQ4x4(iterations=40)", "OCQ4x4(iterations=20)"):
            self.killed_and_resumed(learn, spec)

    def test_a_checkpoint_of_another_task_is_refused(self):
        learn = self.vectors("learn.fvecs", 1000, 16)
        checkpoint = self.path("training.smd")
        subprocess.run(self.arguments(learn, "model.smd", "--checkpoint", checkpoint), check=True)
        other = self.vectors("other.fvecs", 1200, 16)
        done = subprocess.run(self.arguments(other, "other.smd", "--checkpoint", checkpoint), capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the checkpoint belongs to a training with other data or options", done.stderr)

    def test_methods_that_make_none_say_so(self):
        learn = self.vectors("learn.fvecs", 300, 16)
        for spec in ("PQ4x4", "OPQ4x4", "QAV4x4", "AQ4x4"):
            for verb in ("train", "build"):
                self.fail_with(1, verb, "--spec", spec, learn, "-o", self.path("out.smd"), "--checkpoint",
                               self.path("training.smd"), says=[spec[:-3], "NOCQ, LOCQ"])
        self.assert_only("learn.fvecs")


if __name__ == "__main__":
    unittest.main()
