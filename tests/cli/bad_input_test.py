"""Every bad input gets one clear line, the right exit code, and leaves nothing behind."""
import gzip
import math
import os
import resource
import struct
import subprocess
import unittest

from support import SUMMAND, ToolTest, clustered, read_bytes, write_fvecs


class BadInput(ToolTest):
    def setUp(self):
        super().setUp()
        self.base = self.vectors("base.fvecs", 400, 16)
        self.index = self.path("index.smd")

    def build(self, *arguments):
        self.succeed("build", *arguments, "--quiet")

    def fail_build(self, *arguments, says, **options):
        self.fail_with(1, "build", *arguments, "-o", self.path("bad.smd"), says=says, **options)
        self.assertFalse([name for name in os.listdir(self.folder) if "bad.smd" in name])

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    # Files

    def test_missing_file(self):
        self.fail_build(self.path("none.fvecs"), says=["none.fvecs"])

    def test_empty_file(self):
        for name in ("empty.fvecs", "empty.npy", "empty.fbin", "empty.smd"):
            path = self.write(name, b"")
            self.fail_build(path, says=[name])
        self.fail_with(1, "search", self.path("empty.smd"), self.base, "-k", 1, says=["empty.smd"])

    def test_zero_vectors(self):
        self.fail_build(self.write("zero.fbin", struct.pack("<II", 0, 16)), says=["zero.fbin"])

    def test_header_that_lies_about_the_size(self):
        many, most = 1 << 30, (1 << 32) - 1
        shape = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({many}, 16), }}".encode()
        npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(shape)) + shape
        idx = struct.pack(">IIII", 0x803, most, 28, 28)
        lies = {"fvecs": (struct.pack("<i", many), many), "bvecs": (struct.pack("<i", many), many),
                "ivecs": (struct.pack("<i", many), many), "fbin": (struct.pack("<II", many, 16), many),
                "u8bin": (struct.pack("<II", most, most), most), "i8bin": (struct.pack("<II", many, 16), many),
                "ibin": (struct.pack("<II", many, 16), many), "npy": (npy, many), "idx": (idx, most),
                "gz": (gzip.compress(idx), most)}
        for extension, (header, value) in lies.items():
            with self.subTest(extension=extension):
                path = self.write("lie." + extension, header + bytes(64 if extension != "gz" else 0))
                self.fail_build(path, says=["lie." + extension, value])

    def test_truncated_vectors(self):
        self.fail_build(self.write("cut.fvecs", read_bytes(self.base)[:-3]), says=["cut.fvecs"])

    def test_unknown_extension(self):
        self.fail_build(self.write("vectors.xyz", b"abc"), says=["vectors.xyz"])

    def test_folder_instead_of_file(self):
        self.fail_build(self.folder, says=[self.folder])

    def test_no_permission(self):
        options = {}
        if os.geteuid() == 0:   # root may do everything: become nobody, who must be able to run the tool
            options["preexec_fn"] = lambda: os.setuid(65534)
            os.chmod(self.folder, 0o755)
            try:
                self.run_tool("methods", **options)
            except (PermissionError, subprocess.SubprocessError) as error:
                self.skipTest(f"nobody cannot run the tool: {error}")
        os.chmod(self.base, 0)
        self.fail_build(self.base, says=["base.fvecs", "cannot open for reading: Permission denied"], **options)
        os.chmod(self.base, 0o644)
        os.chmod(self.folder, 0o555)
        self.fail_build("--spec", "PQ4", self.base, says=["bad.smd", "cannot write: Permission denied"], **options)
        os.chmod(self.folder, 0o755)

    def test_nan_and_infinity_name_the_row(self):
        for value in (math.nan, math.inf):
            rows = clustered(400, 16)
            rows[123][7] = value
            path = self.path("bad_values.fvecs")
            write_fvecs(path, rows)
            self.fail_build("--spec", "PQ4", path, says=["bad_values.fvecs", "row 123"])

    def test_row_without_direction_is_named_as_in_the_file(self):
        rows = clustered(20000, 16)   # more than one piece, and more than are learnt from
        rows[17003] = [0] * 16
        path, queries = self.path("zeros.fvecs"), self.path("queries.fvecs")
        write_fvecs(path, rows)
        write_fvecs(queries, rows[17000:17010])
        self.succeed("train", "--spec", "PQ4x4", "--metric", "cosine", self.base, "-o", self.path("model.smd"))
        for arguments in (["train", "--spec", "PQ4x4", "--metric", "cosine", "--learn-size", 19990, path],
                          ["encode", self.path("model.smd"), path],
                          ["build", "--model", self.path("model.smd"), "--metric", "cosine", path]):
            self.fail_with(1, *arguments, "-o", self.path("bad.smd"), says=["zeros.fvecs", "row 17003", "all zeros"])
        exact = ["exact", "--metric", "cosine", "-k", 3, "-o", self.path("bad.ivecs")]
        self.fail_with(1, *exact, path, self.base, says=["zeros.fvecs", "row 17003", "all zeros"])
        self.fail_with(1, *exact, self.base, queries, says=["queries.fvecs", "row 3", "all zeros"])

    def test_damaged_index(self):
        self.build("--spec", "PQ4", self.base, "-o", self.index)
        whole = read_bytes(self.index)
        for name, data in (("cut.smd", whole[:-10]), ("flip.smd", whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:]),
                           ("foreign.smd", b"something else entirely" * 10)):
            path = self.write(name, data)
            self.fail_with(1, "search", path, self.base, "-k", 1, says=[name])
            self.assertEqual(self.run_tool("info", path).returncode, 1)

    def test_wrong_kind_of_container(self):
        self.succeed("train", "--spec", "PQ4", self.base, "-o", self.path("model.smd"), "--quiet")
        self.fail_with(1, "search", self.path("model.smd"), self.base, "-k", 1, says=["model.smd", "model"])

    # Sizes and specs

    def test_wrong_dimension(self):
        other = self.vectors("other.fvecs", 300, 12)
        self.build("--spec", "PQ4", self.base, "-o", self.index)
        self.fail_with(1, "search", self.index, other, "-k", 1, says=["other.fvecs", 16, 12])
        self.fail_build("--learn", other, self.base, says=["other.fvecs", 16, 12])
        self.fail_with(1, "exact", self.base, other, "-o", self.path("bad.ivecs"), says=["other.fvecs", 16, 12])

    def test_fewer_vectors_than_words(self):
        self.fail_build("--spec", "PQ4", self.vectors("few.fvecs", 100, 16), says=["few.fvecs", 256, 100])

    def test_unknown_method(self):
        self.fail_build("--spec", "MAGIC8", self.base, says=["MAGIC", "PQ"])

    def test_unknown_option_of_a_method(self):
        self.fail_build("--spec", "PQ4(speed=11)", self.base, says=["speed"])

    def test_more_than_256_words(self):
        self.fail_build("--spec", "PQ4x9", self.base, says=["PQ4x9", 8, 9])

    def test_more_dictionaries_than_dimensions(self):
        self.fail_build("--spec", "PQ20", self.base, says=[20, 16])

    def test_zero_dictionaries(self):
        self.fail_build("--spec", "PQ0", self.base, says=["PQ0"])

    def test_k_of_zero(self):
        self.build("--spec", "PQ4", self.base, "-o", self.index)
        self.fail_with(1, "search", self.index, self.base, "-k", 0, "-o", self.path("bad.ivecs"), says=["k", "at least 1"])
        self.assertFalse(os.path.exists(self.path("bad.ivecs")))

    def test_codes_of_another_model(self):
        one, two, codes = self.path("one.smd"), self.path("two.smd"), self.path("codes.smd")
        self.succeed("train", "--spec", "PQ4", self.base, "-o", one)
        self.succeed("train", "--spec", "PQ4", "--seed", 2, self.base, "-o", two)
        self.succeed("encode", one, self.base, "-o", codes)
        self.fail_build("--model", two, "--codes", codes, self.base, says=["codes.smd", "another model"])

    def test_truth_of_fewer_queries(self):
        self.build("--spec", "PQ4", self.base, "-o", self.index)
        few = self.path("few.fvecs")
        write_fvecs(few, clustered(400, 16)[:10])
        self.succeed("exact", self.base, few, "-k", 10, "-o", self.path("truth.ivecs"))
        self.fail_with(1, "evaluate", self.index, self.base, self.path("truth.ivecs"), says=["truth.ivecs", 400, 10])

    def test_unknown_kernels(self):
        self.fail_build("--spec", "PQ4", self.base, says=["SUMMAND_KERNELS", "scalar", "'abacus'"],
                        environment={"SUMMAND_KERNELS": "abacus"})

    # Outputs

    def test_output_folder_is_missing(self):
        self.fail_with(1, "build", self.base, "-o", self.path("no/index.smd"), says=["no/index.smd", "does not exist"])

    def test_output_that_is_also_read(self):
        self.build("--spec", "PQ4", self.base, "-o", self.index)
        old, other = read_bytes(self.base), os.path.join(self.folder, ".", "base.fvecs")
        link = self.path("link.fvecs")
        os.symlink(self.base, link)
        for arguments in (["build", "--spec", "PQ4", self.base, "-o", self.base],
                          ["build", "--spec", "PQ4", self.base, "-o", other],
                          ["build", "--spec", "PQ4", self.base, "-o", link],
                          ["train", "--spec", "PQ4", self.base, "-o", self.path("m.smd"), "--json", self.base],
                          ["search", self.index, self.base, "-o", self.path("r.ivecs"), "--json", self.index],
                          ["evaluate", self.index, self.base, self.path("truth.ivecs"), "--json", self.base]):
            with self.subTest(arguments=arguments):
                self.fail_with(1, *arguments, says=["also to be read"])
        result = self.run_tool("convert", self.base, self.base, "--rows", "0:1")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(read_bytes(self.base), old)

    def test_one_file_for_two_outputs(self):
        self.build("--spec", "PQ4", self.base, "-o", self.index)
        same = self.path("same.npy")
        self.fail_with(1, "search", self.index, self.base, "-o", same, "--scores", same, says=["same.npy", "two outputs"])
        self.fail_with(1, "train", "--spec", "NOCQ4x4", self.base, "-o", same, "--checkpoint", same, says=["two outputs"])
        self.assert_only("base.fvecs", "index.smd")

    def test_output_of_a_format_that_cannot_hold_it(self):
        self.build("--spec", "PQ4", self.base, "-o", self.index)
        for name in ("ids.fvecs", "ids.smd", "ids"):
            self.fail_with(1, "search", self.index, self.base, "-o", self.path(name), says=[name, ".ivecs .ibin or .npy"])
            self.fail_with(1, "exact", self.base, self.base, "-o", self.path(name), says=[name, ".ivecs .ibin or .npy"])
        self.fail_with(1, "search", self.index, self.base, "-o", self.path("ids.npy"), "--scores", self.path("s.ivecs"),
                       says=["s.ivecs", ".fvecs .fbin or .npy"])
        self.fail_with(1, "convert", self.base, self.path("copy.xyz"), says=["copy.xyz", "'.xyz'", ".fvecs"])
        self.fail_with(1, "convert", self.base, self.path("copy.bvecs"), says=["copy.bvecs", "row 0", "0..255"])
        self.assert_only("base.fvecs", "index.smd")

    def test_rows_that_the_file_does_not_have(self):
        for rows in ("0:0", "400:1", "399:2", "18446744073709551615:2"):
            self.fail_with(1, "convert", self.base, self.path("copy.npy"), "--rows", rows, says=["base.fvecs", 400, rows])
        self.assert_only("base.fvecs")

    def test_output_is_a_folder(self):
        self.fail_with(1, "build", self.base, "-o", self.folder, says=[self.folder])

    def test_full_disk_leaves_the_old_file(self):
        self.build("--spec", "PQ4", self.base, "-o", self.index)
        old, names = read_bytes(self.index), sorted(os.listdir(self.folder))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        self.fail_with(1, "build", "--spec", "PQ8", self.base, "-o", self.index, says=["index.smd"], preexec_fn=limit)
        self.assertEqual(read_bytes(self.index), old)
        self.assertEqual(sorted(os.listdir(self.folder)), names)

    def test_full_disk_for_every_kind_of_output(self):
        self.build("--spec", "PQ4", self.base, "-o", self.index)
        model = self.path("model.smd")
        self.succeed("train", "--spec", "PQ4", self.base, "-o", model)
        names = sorted(os.listdir(self.folder))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        for arguments in (["convert", self.base, self.path("copy.npy")],
                          ["search", self.index, self.base, "-o", self.path("r.ivecs")],
                          ["exact", self.base, self.base, "-o", self.path("t.ibin")],
                          ["train", "--spec", "PQ4", self.base, "-o", self.path("m.smd")],
                          ["train", "--spec", "NOCQ4x4", self.base, "-o", model, "--checkpoint", self.path("c.smd")],
                          ["encode", model, self.base, "-o", self.path("c.smd")]):
            with self.subTest(arguments=arguments):
                self.fail_with(1, *arguments, says=["cannot write: File too large"], preexec_fn=limit)
                self.assertEqual(sorted(os.listdir(self.folder)), names)

    def test_full_disk_behind_standard_output(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([SUMMAND, "methods"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)


class WrongUsage(ToolTest):
    def test_no_verb(self):
        done = self.run_tool()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("--help", done.stderr)

    def test_unknown_verb_is_named(self):
        self.assertIn("summand: unknown verb 'fly'", self.run_tool("fly").stderr)
        self.assertIn("summand: unknown option '--fly'", self.run_tool("--fly").stderr)

    def test_unknown_verb_and_options(self):
        for arguments in (["fly"], ["build"], ["build", "a.fvecs"], ["build", "a.fvecs", "-o", "b", "--fast"],
                          ["search", "i", "q", "-k", "-1"], ["search", "i", "q", "-k", "many"],
                          ["search", "i", "q", "-k", "1.5"], ["search", "i", "q", "-k", ""],
                          ["search", "i", "q", "-k", "18446744073709551616"], ["train", "a", "-o", "b", "--seed", "-1"],
                          ["train", "a", "-o", "b", "--learn-size", "0"], ["train", "a", "-o", ""], ["train", "a"],
                          ["convert", "a.npy", "b.npy", "--rows", "5"], ["convert", "a.npy", "b.npy", "--rows", "-1:2"],
                          ["build", "a", "-o", "b", "--model", "m", "--learn", "l"],
                          ["build", "a", "-o", "b", "--model", "m", "--checkpoint", "c"],
                          ["build", "a", "-o", "b", "--metric", "taxicab"], ["build", "a", "-o", "b", "--codes", "c"],
                          ["build", "a", "-o", "b", "--spec", "PQ8", "--model", "m"], ["train", "a", "-o", "b", "--threads", "-2"]):
            with self.subTest(arguments=arguments):
                done = self.run_tool(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn("--help", done.stderr)
                self.assertLess(len(done.stderr), 160)

    def test_every_verb_has_help_with_an_example(self):
        verbs = "train encode build search evaluate exact info convert methods aggregate".split()
        overview = self.succeed("--help").stdout
        for verb in verbs:
            shown = self.succeed(verb, "--help").stdout
            self.assertIn(f"summand {verb} ", shown)
            self.assertIn("Example", shown)
            self.assertIn(f"  {verb} ", overview)

    def test_version(self):
        shown = self.succeed("--version", environment={"SUMMAND_KERNELS": "scalar"}).stdout
        self.assertRegex(shown, r"^summand \d+\.\d+\.\d+\ncommit +\S+\ncompiler +.*(GCC|Clang) \d.*\nBLAS +\S.*\nkernels +scalar\n$")
        self.fail_with_one_line("--version", environment={"SUMMAND_KERNELS": "abacus"})

    def fail_with_one_line(self, *arguments, **options):
        done = self.run_tool(*arguments, **options)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        return done.stderr

    def test_no_thread_can_be_started(self):
        def limit():
            os.setuid(65534)
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        if os.geteuid() != 0:
            self.skipTest("only root can become a user without other processes")
        try:
            said = self.fail_with_one_line("methods", preexec_fn=limit, environment={"OPENBLAS_NUM_THREADS": "1"})
        except (PermissionError, subprocess.SubprocessError) as error:
            self.skipTest(f"nobody cannot run the tool: {error}")
        self.assertIn("cannot start a thread", said)


if __name__ == "__main__":
    unittest.main()
