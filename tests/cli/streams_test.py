"""Vectors from standard input and results to standard output: the same bytes as with files."""
import gzip
import json
import os
import signal
import struct
import subprocess
import unittest
import zipfile

from support import SUMMAND, ToolTest, clustered, read_bytes, read_ivecs, write_fvecs


def npy_bytes(rows):
    shape = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}\n".encode()
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(shape)) + shape
            + b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows))


class Streams(ToolTest):
    def setUp(self):
        super().setUp()
        self.base = self.vectors("base.fvecs", 600, 8)
        self.queries, self.index = self.path("queries.fvecs"), self.path("index.smd")
        write_fvecs(self.queries, clustered(600, 8)[:20])

    def piped(self, data, *arguments, code=0):
        """Runs the tool with `data` in a pipe; its standard output as bytes."""
        done = subprocess.run([SUMMAND, *map(str, arguments)], input=data, capture_output=True, check=False, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr.decode()

    def truth(self):
        path = self.path("truth.ivecs")
        self.succeed("exact", self.base, self.queries, "-k", 5, "-o", path)
        return read_bytes(path), read_ivecs(path)

    def test_every_verb_reads_a_pipe_as_it_reads_the_file(self):
        base, queries = read_bytes(self.base), read_bytes(self.queries)
        binary, _ = self.truth()
        files = {name: self.path(name) for name in ("m.smd", "m2.smd", "c.smd", "c2.smd", "i.smd", "i2.smd")}
        self.succeed("train", "--spec", "PQ4x4", self.base, "-o", files["m.smd"])
        self.piped(base, "train", "--spec", "PQ4x4", "fvecs:-", "-o", files["m2.smd"])
        self.assertEqual(read_bytes(files["m.smd"]), read_bytes(files["m2.smd"]))
        self.succeed("encode", files["m.smd"], self.base, "-o", files["c.smd"])
        self.piped(base, "encode", files["m.smd"], "fvecs:-", "-o", files["c2.smd"])
        self.assertEqual(read_bytes(files["c.smd"]), read_bytes(files["c2.smd"]))
        spec = "IVF4,PQ4x4,Refine(PQ4x4)"   # reads the base several times
        self.succeed("build", "--spec", spec, self.base, "-o", files["i.smd"])
        self.piped(base, "build", "--spec", spec, "fvecs:-", "-o", files["i2.smd"])
        self.assertEqual(read_bytes(files["i.smd"]), read_bytes(files["i2.smd"]))
        self.assertEqual(self.piped(base, "exact", "fvecs:-", self.queries, "-k", 5, "-o", "ivecs:-"), binary)
        self.assertEqual(self.piped(queries, "exact", self.base, "fvecs:-", "-k", 5, "-o", "ivecs:-"), binary)
        found = self.piped(queries, "search", files["i.smd"], "fvecs:-", "-k", 5)
        self.assertEqual(found.decode(), self.succeed("search", files["i.smd"], self.queries, "-k", 5).stdout)
        report = json.loads(self.piped(binary, "evaluate", files["i.smd"], self.queries, "ivecs:-", "--json", "-"))
        self.assertEqual(report[0]["queries"], 20)

    def test_one_pipe_may_be_two_inputs(self):
        found = self.piped(read_bytes(self.queries), "exact", "fvecs:-", "fvecs:-", "-k", 1, "-o", "-")
        self.assertEqual(found.decode().split(), [str(i) for i in range(20)])

    def test_a_redirected_file_is_read_from_where_it_stands(self):
        with open(self.queries, "rb", buffering=0) as file:
            for skipped, count in ((0, 20), (3, 17)):
                os.lseek(file.fileno(), skipped * (4 + 4 * 8), os.SEEK_SET)
                done = self.succeed("exact", self.base, "fvecs:-", "-k", 1, "-o", "-", stdin=file)
                self.assertEqual(done.stdout.split(), [str(i) for i in range(20 - count, 20)])

    def test_every_format_can_come_from_a_pipe(self):
        rows = [[1.5, -2], [3, 4], [0, 1]]
        text = "".join(f"{a};{b}\n" for a, b in rows).encode()
        archive = self.path("a.npz")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("x.npy", npy_bytes(rows))
            file.writestr("y.npy", npy_bytes(rows[:1]))
        write_fvecs(self.path("a.fvecs"), rows)
        expected = read_bytes(self.path("a.fvecs"))
        for name, data in (("csv:-", text), ("tsv:-", text), ("csv:-", gzip.compress(text)), ("npy:-", npy_bytes(rows)),
                           ("npz:-:x", read_bytes(archive)), ("fvecs:-", expected)):
            self.assertEqual(self.piped(data, "convert", name, "fvecs:-"), expected, name)
        self.succeed("convert", archive + ":x", self.path("b.fvecs"))
        self.assertEqual(read_bytes(self.path("b.fvecs")), expected)

    def test_output_is_the_same_in_files_text_and_pipes(self):
        binary, rows = self.truth()
        npy = self.path("truth.npy")
        self.succeed("exact", self.base, self.queries, "-k", 5, "-o", npy)
        self.assertEqual(self.piped(b"", "exact", self.base, self.queries, "-k", 5, "-o", "npy:-"), read_bytes(npy))
        self.assertEqual(self.piped(b"", "exact", self.base, self.queries, "-k", 5, "-o", "ivecs:-"), binary)
        lines = self.succeed("exact", self.base, self.queries, "-k", 5, "-o", "-").stdout.splitlines()
        self.assertEqual([tuple(map(int, line.split())) for line in lines], rows)

    def test_json_on_standard_output_holds_ids_and_scores(self):
        self.succeed("build", "--spec", "PQ8", self.base, "-o", self.index)
        scores = self.path("scores.fvecs")
        lines = self.succeed("search", self.index, self.queries, "-k", 3, "--scores", scores).stdout.splitlines()
        found = json.loads(self.succeed("search", self.index, self.queries, "-k", 3, "--json", "-").stdout)
        self.assertEqual([" ".join(map(str, row)) for row in found["ids"]], lines)
        stored = [struct.unpack("<3f", read_bytes(scores)[16 * i + 4:16 * i + 16]) for i in range(20)]
        self.assertEqual([tuple(row) for row in found["scores"]], stored)
        kept = json.loads(self.succeed("search", self.index, self.queries, "-o", self.path("r.ivecs"), "--json", "-").stdout)
        self.assertNotIn("ids", kept)

    def test_a_reader_that_stops_ends_the_tool_quietly(self):
        large = self.vectors("large.fvecs", 3000, 2)
        for output in ("-", "ivecs:-"):
            command = [SUMMAND, "exact", large, large, "-k", "100", "-o", output, "--quiet"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
                tool.stdout.read(1)
                tool.stdout.close()
                self.assertEqual(tool.stderr.read(), b"")
            self.assertEqual(tool.returncode, -signal.SIGPIPE)
            ignoring = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=False)
            ignoring.stdout.close()
            said = ignoring.stderr.read().decode()
            ignoring.stderr.close()
            self.assertEqual(ignoring.wait(), 1)
            self.assertEqual(len(said.splitlines()), 1, said)
            self.assertIn("Broken pipe", said)

    def test_what_cannot_be_is_refused_before_the_work(self):
        model = self.path("m.smd")
        self.assertIn("the format of standard input is not known", self.piped(b"", "train", "-", "-o", model, code=1))
        self.assertIn("fvecs:-: the file is empty", self.piped(b"", "train", "fvecs:-", "-o", model, code=1))
        self.assertIn("Refine(flat)", self.piped(read_bytes(self.base), "build", "--spec", "PQ4x4,Refine(flat)", "fvecs:-",
                                                 "-o", self.index, code=1))
        self.assertIn("expected the name of a file", self.piped(b"", "build", self.base, "-o", "-", code=2))
        self.assertIn("standard output is given for 2 outputs",
                      self.piped(b"", "exact", self.base, self.queries, "-o", "-", "--json", "-", code=1))
        self.assertIn("named before standard output as in fvecs:-", self.piped(b"", "convert", self.base, "-", code=1))
        self.assertFalse(os.path.exists(model) or os.path.exists(self.index))

    def test_refine_flat_finds_text_again(self):
        table = self.path("table.txt")
        with open(table, "w", encoding="utf-8") as file:
            file.writelines(",".join(map(repr, row)) + "\n" for row in clustered(600, 8))
        os.mkdir(self.path("folder"))
        index = self.path("folder/index.smd")
        self.succeed("build", "--spec", "PQ4x4,Refine(flat)", "csv:table.txt", "-o", index, cwd=self.folder)
        lines = self.succeed("search", index, self.queries, "-k", 1, "--refine", 100).stdout.split()
        self.assertEqual(lines, [str(i) for i in range(20)])


if __name__ == "__main__":
    unittest.main()
