#!/usr/bin/env python3
"""The scan beside FAISS, in one run: each round times ours and theirs one after the other, the best of each counts.

All searches are for one thread unless said otherwise and include the construction of look-up tables. FAISS's
IndexPQ searches the very same codes with the same words; FastScan has twice as many dictionaries of 16 words, which
are the same number of bytes, and ours searches those too (exactly, where FastScan rounds its tables).
"""
import argparse
import json
import pathlib
import platform
import shutil
import sys
import tempfile

import faiss
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, Program, interleaved, seconds  # noqa: E402

DIMENSIONS = 128
BATCH = 64
LEAST_SECONDS = 8


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="write every figure, and the ratios, to this file")
    parser.add_argument("--svg", help="plot vectors per second against the number of codes")
    parser.add_argument("--quick", action="store_true", help="30k and 1M codes, fewer rounds")
    parser.add_argument("--rounds", type=int, help="rounds of each case (default 7, quick 3)")
    parser.add_argument("--binary", default=str(ROOT / "build/bench/scan_bench"))
    return parser.parse_args()


def clustered(count, seed):
    """Points around 200 centres on a 32-dimensional subspace, with noise in all dimensions."""
    shape = numpy.random.default_rng(5)
    basis = shape.standard_normal((32, DIMENSIONS), dtype=numpy.float32)
    centres = shape.standard_normal((200, 32), dtype=numpy.float32)
    random = numpy.random.default_rng(seed)
    points = numpy.empty((count, DIMENSIONS), dtype=numpy.float32)
    for first in range(0, count, 100_000):
        n = min(100_000, count - first)
        inner = centres[random.integers(0, 200, n)] + 0.7 * random.standard_normal((n, 32), dtype=numpy.float32)
        noise = 0.8 * random.standard_normal((n, DIMENSIONS), dtype=numpy.float32)
        points[first:first + n] = inner @ basis + noise
    return points


def unpacked(codes, bits, dictionaries):
    """A byte per code."""
    if bits == 8:
        return codes
    pairs = numpy.empty((codes.shape[0], 2 * codes.shape[1]), dtype=numpy.uint8)
    pairs[:, 0::2] = codes & 15
    pairs[:, 1::2] = codes >> 4
    return pairs[:, :dictionaries]


class Peers:
    """FAISS indexes of the same bytes, and the codes that both sides search."""

    def __init__(self, bytes_per_code, learn, base, queries, folder):
        self.bytes = bytes_per_code
        self.queries = queries
        self.base = base
        self.pq = faiss.IndexPQ(DIMENSIONS, bytes_per_code, 8)
        self.pq.pq.cp.niter = 10
        self.pq.train(learn)
        self.fast = faiss.IndexPQFastScan(DIMENSIONS, 2 * bytes_per_code, 4)
        self.fast.train(learn)
        self.codes = self.pq.pq.compute_codes(base)
        self.folder = folder
        self.folders = {8: self.write(8, self.pq.pq, self.codes, bytes_per_code),
                        4: self.write(4, self.fast.pq, self.fast.pq.compute_codes(base), 2 * bytes_per_code)}
        self.filled = (0, 0)

    def write(self, bits, pq, codes, dictionaries):
        folder = self.folder / f"m{self.bytes}b{bits}"
        folder.mkdir()
        faiss.vector_to_array(pq.centroids).tofile(folder / "words.f32")
        unpacked(codes, bits, dictionaries).tofile(folder / "codes.u8")
        self.queries.tofile(folder / "queries.f32")
        return folder

    def load(self, ours, bits, size):
        dictionaries = self.bytes if bits == 8 else 2 * self.bytes
        if bits == 8 and size < len(self.base):
            self.codes[:size].tofile(self.folders[8] / "codes.u8")
        ours("load", self.folders[bits], size, 1, DIMENSIONS, dictionaries, 2 ** bits)
        if bits == 8 and size < len(self.base):
            self.codes.tofile(self.folders[8] / "codes.u8")

    def fill(self, size):
        """Both FAISS indexes hold the first `size` vectors; more than there are repeats their codes (IndexPQ only)."""
        self.pq.reset()
        self.fast.reset()
        copies = [self.codes[:size - first] for first in range(0, size, len(self.codes))]
        codes = copies[0] if len(copies) == 1 else numpy.concatenate(copies)
        faiss.copy_array_to_vector(numpy.ascontiguousarray(codes).reshape(-1), self.pq.codes)
        self.pq.ntotal = size
        if size <= len(self.base):
            self.fast.add(self.base[:size])


def cases_of(ours, peers, size, k, queries, inner):
    """One size, k and number of queries, for codes of 8 bits."""
    asked = peers.queries[:queries]

    def theirs(index, times):
        def run():
            return min(seconds(lambda: index.search(asked, k)) for _ in range(times))
        return run

    cases = {"summand": lambda: ours("search", "best", queries, k, 1, 1000, inner),
             "indexpq": theirs(peers.pq, max(1, inner // 8))}  # slow: as often as the others would be most of the time
    if peers.fast.ntotal == size:
        cases["fastscan"] = theirs(peers.fast, inner)
    return cases


def extra_cases(ours, peers, inner, levels):
    """What else is measured with k = 100. What a ratio divides by is timed again here, in turns with it."""
    asked = peers.queries[:1]
    cases = {f"level_{level}": lambda level=level: ours("search", level, 1, 100, 1, 1000, max(1, inner // 4))
             for level in levels}
    cases["float_scan"] = lambda: ours("float", max(1, inner // 4))
    cases["read"] = lambda: ours("read", inner)
    cases["filter_1_percent"] = lambda: ours("search", "best", 1, 100, 1, 10, inner)
    cases["indexpq_again"] = lambda: min(seconds(lambda: peers.pq.search(asked, 100)) for _ in range(max(1, inner // 8)))
    cases["no_filter"] = lambda: ours("search", "best", 1, 100, 1, 1000, inner)
    cases["batch_1_thread"] = lambda: ours("search", "best", BATCH, 100, 1, 1000, max(1, inner // 8))
    cases["batch_2_threads"] = lambda: ours("search", "best", BATCH, 100, 2, 1000, max(1, inner // 8))
    cases["tables"] = lambda: ours("tables", BATCH, inner)
    return cases


class Report:
    def __init__(self):
        self.rows = []
        print(f"{'codes':>12} {'bytes':>5} {'k':>4} {'queries':>7}  {'what':<18} {'µs / query':>11} "
              f"{'M vectors/s':>12} {'GB/s':>7}")

    def add(self, size, code_bytes, k, queries, what, best):
        row = {"codes": size, "bytes": code_bytes, "k": k, "queries": queries, "what": what,
               "seconds_per_query": best / queries, "vectors_per_second": size * queries / best,
               "bytes_per_second": size * code_bytes * queries / best}
        self.rows.append(row)
        print(f"{size:>12,} {code_bytes:>5} {k:>4} {queries:>7}  {what:<18} {1e6 * best / queries:>11.1f} "
              f"{row['vectors_per_second'] / 1e6:>12.0f} {row['bytes_per_second'] / 1e9:>7.1f}", flush=True)

    def speed(self, size, code_bytes, k, queries, what):
        for row in self.rows:
            if (row["codes"], row["bytes"], row["k"], row["queries"], row["what"]) == (
                    size, code_bytes, k, queries, what):
                return row["vectors_per_second"]
        return None


def run_size(report, ours, peers, size, rounds):
    inner = max(1, min(40, int(16e6 / size)))
    peers.load(ours, 8, size)
    peers.fill(size)
    for k in (10, 100):
        for queries in (1, BATCH):
            for what, best in interleaved(rounds, cases_of(ours, peers, size, k, queries, inner),
                                          LEAST_SECONDS).items():
                report.add(size, peers.bytes, k, queries, what, best)


def run_extras(report, ours, peers, size, rounds, levels):
    best = interleaved(rounds, extra_cases(ours, peers, 16, levels), LEAST_SECONDS)
    for what, value in best.items():
        queries = BATCH if what in ("batch_1_thread", "batch_2_threads", "tables") else 1
        report.add(size, peers.bytes, 100, queries, what, value)


def run_four_bits(report, ours, peers, size, rounds):
    peers.load(ours, 4, size)
    asked = peers.queries[:1]
    best = interleaved(rounds, {
        "summand_4_bit": lambda: ours("search", "best", 1, 100, 1, 1000, 4),
        "fastscan_again": lambda: min(seconds(lambda: peers.fast.search(asked, 100)) for _ in range(4))},
        LEAST_SECONDS)
    for what, value in best.items():
        report.add(size, peers.bytes, 100, 1, what, value)


def run_large(report, ours, peers, size, rounds):
    """Codes that only memory holds: ours, the read bandwidth, and IndexPQ once."""
    ours("load", peers.folders[8], size, size // len(peers.base), DIMENSIONS, peers.bytes, 256)
    best = interleaved(rounds, {
        "summand": lambda: ours("search", "best", 1, 100, 1, 1000, 1),
        "read": lambda: ours("read", 1)})
    for what, value in best.items():
        report.add(size, peers.bytes, 100, 1, what, value)
    best = interleaved(2, {
        "batch_1_thread": lambda: ours("search", "best", BATCH, 100, 1, 1000, 1),
        "batch_2_threads": lambda: ours("search", "best", BATCH, 100, 2, 1000, 1)})
    for what, value in best.items():
        report.add(size, peers.bytes, 100, BATCH, what, value)
    peers.fill(size)
    asked = peers.queries[:1]
    report.add(size, peers.bytes, 100, 1, "indexpq", min(seconds(lambda: peers.pq.search(asked, 100)) for _ in range(2)))
    peers.pq.reset()


def same_ids(ours, peers, size):
    """Whether ours finds what IndexPQ finds; equal sums may be ordered otherwise, so sets are compared."""
    peers.load(ours, 8, size)
    peers.fill(size)
    ours("ids", 100)
    found = numpy.fromfile(peers.folders[8] / "result.i64", dtype=numpy.int64)
    _, expected = peers.pq.search(peers.queries[:1], 100)
    return len(set(found) & set(expected[0]))


def ratios(report, sizes):
    small, middle = sizes[0], sizes[1]
    found = {}

    def ratio(name, one, other):
        if one and other:
            found[name] = one / other

    for m in (4, 8, 16):
        speed = lambda size, queries, what, k=100: report.speed(size, m, k, queries, what)
        for peer in ("indexpq", "fastscan"):
            ratio(f"{peer}_1m_m{m}", speed(middle, 1, "summand"), speed(middle, 1, peer))
            ratio(f"{peer}_1m_m{m}_batch", speed(middle, BATCH, "summand"), speed(middle, BATCH, peer))
            ratio(f"{peer}_small_m{m}", speed(small, 1, "summand"), speed(small, 1, peer))
            ratio(f"{peer}_small_m{m}_batch", speed(small, BATCH, "summand"), speed(small, BATCH, peer))
        ratio(f"avx2_indexpq_1m_m{m}", speed(middle, 1, "level_avx2"), speed(middle, 1, "indexpq_again"))
        ratio(f"four_bit_fastscan_1m_m{m}", speed(middle, 1, "summand_4_bit"), speed(middle, 1, "fastscan_again"))
        ratio(f"filter_1_percent_1m_m{m}", speed(middle, 1, "filter_1_percent"), speed(middle, 1, "no_filter"))
        ratio(f"two_threads_1m_m{m}", speed(middle, BATCH, "batch_2_threads"), speed(middle, BATCH, "batch_1_thread"))
        if len(sizes) > 2:
            large = sizes[2]
            ratio(f"indexpq_100m_m{m}", speed(large, 1, "summand"), speed(large, 1, "indexpq"))
            ratio(f"bandwidth_100m_m{m}", speed(large, 1, "summand"), speed(large, 1, "read"))
            ratio(f"batch_100m_m{m}", speed(large, BATCH, "batch_1_thread"), speed(large, 1, "summand"))
            ratio(f"two_threads_100m_m{m}", speed(large, BATCH, "batch_2_threads"), speed(large, BATCH, "batch_1_thread"))
    return found


def plot(report, sizes, path):
    """Vectors per second against codes, M = 8, k = 100, one query; both axes logarithmic."""
    width, height, left, top, right, bottom = 760, 460, 80, 40, 190, 60
    colours = {"summand": "#0b6e4f", "read": "#888888", "fastscan": "#c8553d", "indexpq": "#3d5a80"}
    labels = {"summand": "summand (exact)", "read": "read bandwidth", "fastscan": "FAISS FastScan (4-bit)",
              "indexpq": "FAISS IndexPQ (exact)"}
    low, high = 7.5, 10.5

    def x(size):
        span = numpy.log10(sizes[-1]) - numpy.log10(sizes[0])
        return left + (numpy.log10(size) - numpy.log10(sizes[0])) / span * (width - left - right)

    def y(speed):
        return height - bottom - (numpy.log10(speed) - low) / (high - low) * (height - top - bottom)

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             f'font-size="13"><rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{left}" y="22" font-size="15">Scan of 8-byte codes, k = 100, one query, one thread</text>']
    for power in (8, 9, 10):
        lines.append(f'<line x1="{left}" x2="{width - right}" y1="{y(10 ** power):.1f}" y2="{y(10 ** power):.1f}" '
                     f'stroke="#dddddd"/><text x="{left - 8}" y="{y(10 ** power) + 4:.1f}" text-anchor="end">'
                     f'{10 ** (power - 9):g} G/s</text>')
    for size in sizes:
        lines.append(f'<text x="{x(size):.1f}" y="{height - bottom + 20}" text-anchor="middle">{size:,}</text>')
    lines.append(f'<text x="{(left + width - right) / 2}" y="{height - 14}" text-anchor="middle">codes</text>')
    lines.append(f'<text x="16" y="{height / 2}" transform="rotate(-90 16 {height / 2})" text-anchor="middle">'
                 'vectors per second</text>')
    for what, colour in colours.items():
        points = [(x(size), y(speed)) for size in sizes if (speed := report.speed(size, 8, 100, 1, what))]
        if not points:
            continue
        path_data = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        dash = ' stroke-dasharray="6 4"' if what == "read" else ""
        lines.append(f'<polyline points="{path_data}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        lines += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{colour}"/>' for px, py in points]
        lines.append(f'<text x="{points[-1][0] + 10:.1f}" y="{points[-1][1] + 4:.1f}" fill="{colour}">'
                     f'{labels[what]}</text>')
    pathlib.Path(path).write_text("\n".join(lines + ["</svg>", ""]))


def cpu_name():
    try:
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def available_memory():
    try:
        for line in open("/proc/meminfo"):
            if line.startswith("MemAvailable"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def main():
    options = arguments()
    faiss.omp_set_num_threads(1)
    rounds = options.rounds or (3 if options.quick else 7)
    sizes = [32768, 1_000_000] if options.quick else [32768, 1_000_000, 100_000_000]
    levels = ["scalar", "avx2", "avx512"] if platform.machine() in ("x86_64", "AMD64") else ["scalar", "neon"]
    machine = {"cpu": cpu_name(), "faiss": faiss.__version__, "faiss_level": faiss.get_compile_options().strip()}
    print(f"{machine['cpu']}; FAISS {machine['faiss']} ({machine['faiss_level']}); one thread, best of {rounds} rounds")
    report = Report()
    ours = Program([options.binary])
    base, learn, queries = clustered(1_000_000, 1), clustered(20_000, 2), clustered(BATCH, 3)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="scan-bench-"))
    common = {}
    try:
        for m in (4, 8, 16):
            peers = Peers(m, learn, base, queries, folder)
            common[f"m{m}"] = same_ids(ours, peers, sizes[0])
            for size in sizes[:2]:
                run_size(report, ours, peers, size, rounds)
                run_extras(report, ours, peers, size, rounds, levels)
            run_four_bits(report, ours, peers, sizes[1], rounds)
            for size in sizes[2:]:
                needed = 5 * size * m
                if available_memory() < needed:
                    print(f"{size:,} codes of {m} bytes skipped: {needed >> 30} GiB of memory are not available")
                    continue
                run_large(report, ours, peers, size, max(2, rounds // 2))
    finally:
        ours.close()
        shutil.rmtree(folder)
    if len(sizes) > 2:
        print("FastScan at 100M codes was not run: its index takes float vectors only, 48 GiB of them")
    found = ratios(report, sizes)
    print("\nids of the 100 best that IndexPQ finds as well:", ", ".join(f"{k} {v}" for k, v in common.items()))
    print("\nratios of vectors per second")
    for name, value in found.items():
        print(f"  {name:<28} {value:6.2f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(
            {"machine": machine, "rounds": rounds, "ratios": found, "same_ids": common, "rows": report.rows},
            indent=1) + "\n")
    if options.svg:
        plot(report, sizes, options.svg)


if __name__ == "__main__":
    main()
