// The client's side of mobile search, as in include/summand/client.h: a query travels as a code of a few bytes.

import { Container, KIND } from "./container.js";
import { MODEL_SECTIONS, readQuantizer, wordOf } from "./quantizer.js";
import { crc32 } from "./hash.js";
import { fround } from "./arithmetic.js";

const SWEEPS = 16, ROUNDS = 16, NONE = -1;

// Opens a model file for encoding queries.
export async function openModel(source) {
  const container = await Container.open(source);
  const metadata = await container.metadata();
  container.expect(KIND.model, MODEL_SECTIONS);
  const quantizer = await readQuantizer(container, metadata);
  container.check(quantizer.bias !== "stored", "stores a bias with each code, which a query does not need; train with --spec CQd8");
  await container.verifyRest();
  return new QueryEncoder(quantizer);
}

export class QueryEncoder {
  constructor(quantizer) {
    this.quantizer = quantizer;
    this.distance = new Float32Array(quantizer.size);
  }

  get dimensions() {
    return this.quantizer.dimensions;
  }

  get dictionaries() {
    return this.quantizer.count;
  }

  get words() {
    return this.quantizer.size;
  }

  // A word number for each dictionary. More rounds, smaller error.
  encode(vector, rounds = ROUNDS) {
    const M = this.dictionaries;
    let best = { code: new Uint8Array(M), rest: this.#inCodeSpace(vector), error: 0 };
    for (let m = 0; m < M; ++m) this.#choose(m, NONE, best);
    this.#settle(0, best);
    let state = 1;
    const below = (n) => {  // of a linear congruential generator
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state >>> 8) % n;
    };
    for (let round = 0; round < rounds && M > 1 && !this.quantizer.blocks; ++round) {
      const attempt = { code: best.code.slice(), rest: best.rest.slice(), error: best.error };
      const m = round % M, other = (m + 1 + below(M - 1)) % M;
      this.#add(other, 1, attempt);
      attempt.code[other] = below(this.words);
      this.#add(other, -1, attempt);
      this.#add(m, 1, attempt);
      this.#choose(m, attempt.code[m], attempt);
      this.#settle(m + 1, attempt);
      if (attempt.error < best.error) best = attempt;
    }
    return best.code;
  }

  #inCodeSpace(vector) {
    const { dimensions: D, centre, rotation, unitLength } = this.quantizer;
    if (vector?.length !== D) throw new Error(`encode: expected ${D} values, got ${vector?.length}`);
    const own = Float32Array.from(vector);
    let squared = 0;
    for (const x of own) squared += x * x;
    if (!Number.isFinite(squared) || (squared === 0 && unitLength))
      throw new Error("encode: expected finite values, not all of them zero where the model is for cosine");
    const length = unitLength ? Math.sqrt(squared) : 1;
    const moved = own.map((x, d) => fround(x / length) - centre[d]);
    if (!rotation) return moved;
    const rotated = new Float32Array(D);
    for (let i = 0; i < D; ++i) for (let d = 0; d < D; ++d) rotated[i] += fround(rotation[i * D + d] * moved[d]);
    return rotated;
  }

  // Modes, beginning with dictionary `first`, until nothing changes.
  #settle(first, attempt) {
    const M = this.dictionaries;
    let changed = !this.quantizer.blocks;  // words of blocks do not influence each other
    for (let sweep = 0; sweep < SWEEPS && changed; ++sweep) {
      changed = false;
      for (let turn = 0; turn < M; ++turn) {
        const m = (first + turn) % M, before = attempt.code[m];
        this.#add(m, 1, attempt);
        this.#choose(m, NONE, attempt);
        changed ||= attempt.code[m] !== before;
      }
    }
    attempt.error = 0;
    for (const value of attempt.rest) attempt.error += value * value;
  }

  // Takes the word nearest to the rest, but not the excluded one.
  #choose(m, excluded, attempt) {
    const { begin, end, start, words } = this.quantizer, { rest } = attempt;
    const width = end[m] - begin[m];
    let least = Infinity, nearest = 0;
    for (let k = 0; k < this.words; ++k) {
      let distance = 0;
      for (let d = 0, at = start[m] + k * width; d < width; ++d) {
        const difference = fround(rest[begin[m] + d] - words[at + d]);
        distance = fround(distance + fround(difference * difference));
      }
      if (k === excluded || !(distance < least)) continue;
      least = distance;
      nearest = k;
    }
    attempt.code[m] = nearest;
    this.#add(m, -1, attempt);
  }

  // The present word of dictionary m to the rest, or from it.
  #add(m, sign, { code, rest }) {
    const word = wordOf(this.quantizer, m, code[m]), begin = this.quantizer.begin[m];
    for (let d = 0; d < word.length; ++d) rest[begin + d] += sign * word[d];
  }

  // The code file of some codes, one after the other, byte for byte as the library writes it.
  codeFile(codes) {
    const M = this.dictionaries, K = this.words;
    if (codes.length === 0 || codes.length % M !== 0)
      throw new Error(`code file: expected codes of ${M} bytes each, got ${codes.length} bytes`);
    const wrong = codes.find((code) => code >= K);
    if (wrong !== undefined) throw new Error(`code file: expected codes below ${K}, got ${wrong}`);
    const n = codes.length / M;
    const text = `{"codes":{"dictionaries":${M},"model":"${this.quantizer.identity}","vectors":${n},"words":${K}}}`;
    const nibbles = K <= 16;
    return codesContainer([
      { name: "codes", type: nibbles ? 3 : 2, shape: [n, M], bytes: nibbles ? packNibbles(codes, M) : Uint8Array.from(codes) },
      { name: "metadata", type: 1, shape: [text.length], bytes: new TextEncoder().encode(text) },
    ]);
  }
}

// Two codes to a byte, the first in the low half; a vector begins a new byte.
function packNibbles(codes, M) {
  const width = (M + 1) >> 1, packed = new Uint8Array((codes.length / M) * width);
  codes.forEach((code, i) => (packed[Math.floor(i / M) * width + ((i % M) >> 1)] |= code << (4 * ((i % M) % 2))));
  return packed;
}

function codesContainer(sections) {
  const HEADER = 64, ENTRY = 96, CODES = 2, aligned = (size) => Math.ceil(size / 64) * 64;
  let total = HEADER + ENTRY * sections.length;
  const offsets = sections.map(({ bytes }) => {
    const offset = aligned(total);
    total = offset + bytes.length;
    return offset;
  });
  const file = new Uint8Array(total), view = new DataView(file.buffer);
  const wide = (at, value) => view.setBigUint64(at, BigInt(value), true);
  file.set(new TextEncoder().encode("SUMMAND\n"));
  view.setUint32(8, 1, true);
  view.setUint32(12, CODES, true);
  wide(16, total);
  view.setUint32(24, sections.length, true);
  sections.forEach(({ name, type, shape, bytes }, i) => {
    const at = HEADER + ENTRY * i;
    file.set(new TextEncoder().encode(name), at);
    view.setUint32(at + 32, type, true);
    view.setUint32(at + 36, shape.length, true);
    shape.forEach((size, j) => wide(at + 40 + 8 * j, size));
    wide(at + 72, offsets[i]);
    wide(at + 80, bytes.length);
    view.setUint32(at + 88, crc32(bytes), true);
    file.set(bytes, offsets[i]);
  });
  view.setUint32(28, crc32(file.subarray(0, HEADER + ENTRY * sections.length)), true);
  return file;
}
