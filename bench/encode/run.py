#!/usr/bin/env python3
"""Encoding beside FAISS, one thread, each round times ours and theirs one after the other, the best of each counts.

    ./dev bench encode --data DIR [--spec LOCQ8] [--vectors 20000] [--json FILE]

DIR holds learn and base (.bvecs or .fvecs). FAISS's quantizers are LSQ7x8, which with its norm has 8 bytes, and RQ8x8;
they are trained briefly, which changes what they find but not how fast they search for it. The share of matrix products
is the time of the products alone, in the encoder's pieces, beside that of the whole; the rest are sweeps over the words.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import faiss

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, Program, find, interleaved, read_vecs, seconds  # noqa: E402

EFFORTS = ("fast", "default", "best")


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench encode", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with base and learn files")
    parser.add_argument("--spec", default="LOCQ8")
    parser.add_argument("--vectors", type=int, default=20_000, help="to encode (default 20000)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path, help="write all figures here")
    return parser.parse_args()


def peers(learn):
    """FAISS's quantizers, trained with few vectors and iterations."""
    dimensions = learn.shape[1]
    lsq = faiss.LocalSearchQuantizer(dimensions, 7, 8)
    lsq.train_iters = 2
    rq = faiss.ResidualQuantizer(dimensions, 8, 8)
    for quantizer in (lsq, rq):
        quantizer.train(learn[:20_000])
    return {"LSQ7x8": lsq, "RQ8x8": rq}


def main():
    options = arguments()
    faiss.omp_set_num_threads(1)
    learn = read_vecs(find(options.data, "learn")).astype("float32")
    base_path = find(options.data, "base")
    base = read_vecs(base_path)[:options.vectors].astype("float32")
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.smd"
        subprocess.run([ROOT / "build/summand", "train", "--spec", options.spec, find(options.data, "learn"), "-o", model,
                        "--quiet"], check=True)
        ours = Program([ROOT / "build/bench/encode_bench", model, base_path, str(len(base))])
        cases = {f"summand {effort}": lambda effort=effort: ours("encode", effort) for effort in EFFORTS}
        cases["matrix products alone"] = lambda: ours("products")
        for name, quantizer in peers(learn).items():
            cases[f"faiss {name}"] = lambda quantizer=quantizer: seconds(lambda: quantizer.compute_codes(base))
        best = interleaved(options.rounds, cases)
        peak = max(ours("peak") for _ in range(3))
        errors = {effort: ours("distortion", effort) for effort in EFFORTS}
        dictionaries = json.loads(subprocess.run([ROOT / "build/summand", "info", "--json", model], check=True,
                                                 capture_output=True, text=True).stdout)["model"]
        ours.close()
    report(options, best, peak, errors, dictionaries, base)


def report(options, best, peak, errors, model, base):
    for name, value in best.items():
        error = errors.get(name.split()[-1]) if name.startswith("summand") else None
        print(f"{name:<24} {len(base) / value:>10.0f} vectors/s" + (f"   distortion {error:.6g}" if error else ""))
    operations = 2.0 * len(base) * base.shape[1] * model["dictionaries"] * model["words"]
    ratios = {"default_vs_lsq": best["faiss LSQ7x8"] / best["summand default"],
              "fast_vs_rq": best["faiss RQ8x8"] / best["summand fast"],
              "default_vs_rq": best["faiss RQ8x8"] / best["summand default"],
              "products_share_of_fast": best["matrix products alone"] / best["summand fast"],
              "products_share_of_default": best["matrix products alone"] / best["summand default"],
              "products_of_peak": operations / best["matrix products alone"] / peak,
              "default_of_peak": operations / best["summand default"] / peak}
    print(f"peak of a matrix product: {peak / 1e9:.0f} GFLOP/s")
    for name, value in ratios.items():
        print(f"{name:<28} {value:.2f}")
    if options.json:
        options.json.write_text(json.dumps({
            "data": options.data.name, "spec": options.spec, "vectors": len(base), "faiss": faiss.__version__,
            "date": time.strftime("%Y-%m-%d"), "seconds": best, "distortion": errors, "peak_flops": peak,
            "ratios": ratios}, indent=2) + "\n")


if __name__ == "__main__":
    main()
