// The float sums of web/src/arithmetic.js beside exact ones.
import assert from "node:assert";
import { test } from "node:test";

import { dot, fused, halfToFloat } from "../../web/src/arithmetic.js";
import { Hash } from "../../web/src/hash.js";

const bits = new DataView(new ArrayBuffer(8));

function randomFloat(random) {
  bits.setUint32(0, random());
  return bits.getFloat32(0);
}

function generator(seed) {
  let state = BigInt(seed);
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
    return Number(state >> 32n);
  };
}

// A float as a whole number of 2^-298, of which every product of two floats is a multiple.
function scaled(x) {
  bits.setFloat64(0, x);
  const all = bits.getBigUint64(0), exponent = Number((all >> 52n) & 2047n);
  const size = ((all & ((1n << 52n) - 1n)) | (1n << 52n)) << BigInt(exponent - 1075 + 1000);
  return x === 0 ? 0n : (x < 0 ? -size : size);
}

// The float nearest to an exact value, found among the neighbours of the double sum's float.
function nearest(exact, guess) {
  const distance = (x) => { const d = scaled(x) - exact; return d < 0n ? -d : d; };
  bits.setFloat32(0, guess);
  const own = bits.getInt32(0);
  let best = guess;
  for (const step of [-1, 1]) {
    bits.setInt32(0, own + step);
    const other = bits.getFloat32(0);
    const isEven = ((own + step) & 1) === 0;
    if (Number.isFinite(other) && (distance(other) < distance(best) || (distance(other) === distance(best) && isEven))) best = other;
  }
  return best;
}

test("fused multiply-adds are rounded once", () => {
  const random = generator(1);
  let corrected = 0;
  for (let i = 0; i < 300000; ++i) {
    // Few bits each, far apart: sums in the middle between two floats, and a little beside it.
    const few = () => Math.fround(((random() & 4095) | 1) * 2 ** ((random() % 80) - 60) * (random() & 1 ? 1 : -1));
    const near = () => Math.fround((1 + (random() % 4096) / 4096) * 2 ** ((random() % 20) - 10));
    const kind = i % 3;
    let a = kind === 0 ? few() : near(), b = kind === 0 ? few() : near(), c = kind === 0 ? few() : near();
    if (kind === 2) {  // a product in the middle between two floats, and a sum that is not
      a = 1 + 2 ** -12;
      b = 1 + 2 ** -12;
      c = Math.fround((random() & 1 ? 1 : -1) * 2 ** -(54 + (random() % 40)));
    }
    const exact = scaled(a) * 1n, sum = a * b + c;
    const product = (scaled(a) * scaled(b)) >> 1000n;
    if (!Number.isFinite(Math.fround(sum)) || (product << 1000n) !== scaled(a) * scaled(b) || exact === 0n) continue;
    const expected = nearest(product + scaled(c), Math.fround(sum));
    assert.strictEqual(fused(a, b, c) + 0, expected + 0, `${a}·${b} + ${c}`);
    corrected += expected !== Math.fround(sum);
  }
  assert.ok(corrected > 1000, `${corrected} sums needed more than a double`);
});

test("dot products are summed in sixteen lanes", () => {
  const random = generator(2);
  for (const size of [1, 15, 16, 17, 40]) {
    const a = Float32Array.from({ length: size }, () => (randomFloat(random) % 10) || 1), b = a.map((x) => x / 3);
    const lanes = new Float32Array(16);
    a.forEach((x, i) => (lanes[i % 16] += Math.fround(x * b[i])));
    const [h, q] = [lanes.map((x, i) => x + lanes[i + 8]), (v, n) => v.slice(0, n).map((x, i) => x + v[i + n])];
    const expected = q(q(q(h, 4), 2), 1)[0];
    assert.strictEqual(dot(a, b, size), expected);
  }
});

test("halves are widened exactly", () => {
  for (const [half, value] of [[0x3c00, 1], [0xc000, -2], [0x7bff, 65504], [0x0001, 2 ** -24], [0x3555, 0.333251953125]])
    assert.strictEqual(halfToFloat(half), value);
});

test("the hash is that of 64-bit words", () => {
  const mask = (1n << 64n) - 1n, random = generator(3);
  const mix = (x) => {
    x = (x + 0x9e3779b97f4a7c15n) & mask;
    x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & mask;
    return x ^ (x >> 31n);
  };
  for (const length of [0, 1, 2, 7, 100]) {
    const words = Uint32Array.from({ length }, random), hash = new Hash();
    hash.words(words);
    let expected = mix(BigInt(4 * length));
    for (let i = 0; i < length; i += 2) expected = mix(expected ^ (BigInt(words[i]) | (BigInt(words[i + 1] ?? 0) << 32n)));
    assert.strictEqual(hash.text(), expected.toString(16).padStart(16, "0"));
  }
});
