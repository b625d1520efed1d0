#!/usr/bin/env python3
"""Makes a page that finds Debian's packages by what one types: demo/text/index.html.

    ./dev demo text

Descriptions become vectors by the model in the PyPI package wordllama: the mean of 256 numbers for each part of a word. The
page has the codes of the descriptions, and codes of the parts of words, so that it makes vectors of what is typed itself.
"""
import argparse
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/data"))
from descriptions import distinct, packages  # noqa: E402

SPECS = ("OPQ32", "LOCQ16", "PQ16")
WORD_SPEC = "PQ64"
LEARN_SIZE, NEIGHBOURS = 20_000, 24
NO_DIRECTION = np.float32(1e-6)  # added, since a text of unknown words would be a vector of zeros

KINDS = {
    "libraries": "libs libdevel oldlibs introspection debug",
    "Python": "python zope",
    "Perl, Ruby, PHP": "perl ruby php",
    "Haskell, Rust, Go, Lisp": "haskell rust golang ocaml lisp",
    "Java, JavaScript, .NET": "java javascript cli-mono",
    "science": "science math gnu-r electronics hamradio education",
    "network and system": "net admin mail comm kernel database shells otherosfs news embedded httpd web",
    "games, sound, pictures": "games sound video graphics fonts",
    "desktop and text": "x11 gnome kde xfce gnustep text tex editors",
}
KIND_OF = {section: kind for kind, sections in KINDS.items() for section in sections.split()}

ABOUT = """A description is the mean of the vectors that a small language model has for its parts of words. What you type is
read in the same way, from codes of these parts that the page brings along."""

QUESTIONS = """edit photographs
play chess against the computer
recover deleted files
listen to internet radio
manage passwords
watch the stars and planets
write music scores
measure network speed
simulate molecules
learn the alphabet
convert documents to pdf
draw diagrams
find duplicate files
read e-books
monitor the temperature of the processor
compress pictures without loss
solve sudoku
translate subtitles
encrypt a hard disk
plot functions
download videos
block spam
compare two directories
teach children arithmetic""".splitlines()


class Model:
    """Small letters and single blanks, as the page reads what is typed."""

    def __init__(self):
        folder = pathlib.Path(importlib.util.find_spec("wordllama").origin).parent
        self.words = load_file(folder / "weights/l2_supercat_256.safetensors")["embedding.weight"].astype(np.float32)
        self.tokens = Tokenizer.from_file(str(folder / "tokenizers/l2_supercat_tokenizer_config.json"))
        self.tokens.no_padding()
        self.tokens.no_truncation()

    def vocabulary(self):
        """A line each; what would break lines is not typed."""
        tokens = [self.tokens.id_to_token(number) for number in range(len(self.words))]
        return ["" if "\r" in token else token for token in tokens]

    def __call__(self, texts):
        encoded = self.tokens.encode_batch([" ".join(text.lower().split()) for text in texts], add_special_tokens=False)
        return np.stack([self.words[text.ids].mean(0) for text in encoded]) + NO_DIRECTION


def section_kind(section):
    return KIND_OF.get(section.rsplit("/", 1)[-1], "others")


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def make(scratch, output):
    tool = lambda *words: subprocess.run((ROOT / "build/summand", *map(str, words)), check=True)
    found = distinct(packages())
    print(f"making vectors of {len(found):,} descriptions", flush=True)
    model = Model()
    write_lines(scratch / "items.tsv", ["package\tdescription\tlabel"] + [
        "\t".join((name, text.replace("\t", " "), section_kind(section))) for name, section, text in found])
    write_lines(scratch / "questions.txt", QUESTIONS)
    write_lines(scratch / "vocabulary.txt", model.vocabulary())
    for name, rows in (("base", model([text for *_, text in found])), ("queries", model(QUESTIONS)), ("words", model.words)):
        np.save(scratch / f"{name}.npy", rows)
    indexes = [scratch / f"{spec}.smd" for spec in SPECS]
    for spec, index in zip(SPECS, indexes):
        tool("build", "--spec", spec, "--metric", "cosine", "--learn-size", LEARN_SIZE, scratch / "base.npy", "-o", index)
    tool("build", "--spec", WORD_SPEC, scratch / "words.npy", "-o", scratch / "words.smd")
    tool("exact", "--quiet", "--metric", "cosine", scratch / "base.npy", scratch / "queries.npy", "-k", NEIGHBOURS, "-o",
         scratch / "truth.ivecs")
    tool("page", *indexes, "--items", scratch / "items.tsv", "--queries", scratch / "queries.npy", "--query-names",
         scratch / "questions.txt", "--truth", scratch / "truth.ivecs", "--words", scratch / "words.smd", "--vocabulary",
         scratch / "vocabulary.txt", "--title", "Debian's packages, by what they do", "--about", ABOUT, "-o", output)


def main():
    parser = argparse.ArgumentParser(prog="./dev demo text", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "demo/text", help="folder of the page")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            make(pathlib.Path(scratch), arguments.output)
        except LookupError as missing:
            sys.exit(f"./dev demo text: {missing}")


if __name__ == "__main__":
    main()
