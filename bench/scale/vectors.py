#!/usr/bin/env python3
"""Writes seeded clustered vectors of any number, a chunk at a time: base.u8bin, query.u8bin and planted.ivecs.

A vector is one of 1,000 centres, plus a few random directions that all clusters share, plus noise in every dimension,
rounded to bytes. A query is a vector of the base with more noise; planted.ivecs names that vector. It need not be the
nearest one: the truth is found by exact search (run.py).
"""
import argparse
import pathlib

import numpy as np

CENTRES, DIRECTIONS = 1000, 16
CHUNK = 1 << 18
SPREAD, ALONG, NOISE, QUERY_NOISE = 30.0, 12.0, 3.0, 8.0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--vectors", type=int, required=True)
    parser.add_argument("--dimensions", type=int, required=True)
    parser.add_argument("--queries", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    return parser.parse_args()


def as_bytes(values):
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


class Source:
    """Chunk i is the same whatever the number of vectors, and whoever asks for it."""

    def __init__(self, dimensions, seed):
        draw = np.random.default_rng([seed, 0])
        self.seed = seed
        self.centres = draw.normal(128, SPREAD, (CENTRES, dimensions)).astype(np.float32)
        self.directions = (draw.normal(0, ALONG, (DIRECTIONS, dimensions)) / np.sqrt(DIRECTIONS)).astype(np.float32)

    def chunk(self, number, rows):
        draw = np.random.default_rng([self.seed, 1 + number])
        values = self.centres[draw.integers(0, CENTRES, rows)]
        values += draw.standard_normal((rows, DIRECTIONS), np.float32) @ self.directions
        values += NOISE * draw.standard_normal(values.shape, np.float32)
        return as_bytes(values)


def write_bin(path, rows, columns, parts):
    with open(path, "wb") as file:
        np.array([rows, columns], "<u4").tofile(file)
        for part in parts:
            part.tofile(file)


def main():
    options = arguments()
    source = Source(options.dimensions, options.seed)
    draw = np.random.default_rng([options.seed])
    planted = np.sort(draw.choice(options.vectors, options.queries, replace=False))
    chosen = []

    def chunks():
        for first in range(0, options.vectors, CHUNK):
            part = source.chunk(first // CHUNK, min(CHUNK, options.vectors - first))
            begin, end = np.searchsorted(planted, (first, first + len(part)))
            chosen.append(part[planted[begin:end] - first])
            yield part

    write_bin(options.folder / "base.u8bin", options.vectors, options.dimensions, chunks())
    queries = np.concatenate(chosen)
    moved = as_bytes(queries + draw.normal(0, QUERY_NOISE, queries.shape))
    write_bin(options.folder / "query.u8bin", options.queries, options.dimensions, [moved])
    rows = np.stack([np.ones_like(planted), planted], axis=1)
    rows.astype("<i4").tofile(options.folder / "planted.ivecs")


if __name__ == "__main__":
    main()
