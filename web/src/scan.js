// Scores of packed codes by the tables of one query:
//
//     (((table[0][slot_0] + table[1][slot_1]) + …) + bias) + offset

import { fround } from "./arithmetic.js";
import { Bounds } from "./bounds.js";
import { MOST_LISTED } from "./kernel.js";
import { BLOCK } from "./packed_codes.js";

// Sums of the look-ups of the vectors first … last - 1, which lie in one block, at the front of `sums`.
function sumBlock(codes, entries, first, last, sums) {
  const { rows, tops, height, quads, count, pairs } = codes;
  const n = last - first, block = Math.floor(first / BLOCK), inside = first % BLOCK;
  const at = block * height * BLOCK + inside;
  sums.fill(-0, 0, n);  // any x + -0 has the bits of x
  if (pairs) {
    for (let m = 0; m < count; ++m)
      for (let j = 0, row = at + (m >> 1) * BLOCK, shift = 4 * (m & 1), table = 16 * m; j < n; ++j)
        sums[j] += entries[table + ((rows[row + j] >> shift) & 15)];
    return;
  }
  for (let q = 0; q < quads; ++q) {
    const row = at + 3 * q * BLOCK, top = (block * quads + q) * BLOCK + inside, table = 1024 * q;
    for (let j = 0; j < n; ++j) {
      const a = rows[row + j], b = rows[row + BLOCK + j], c = rows[row + 2 * BLOCK + j], t = tops[top + j];
      let sum = fround(sums[j] + entries[table + ((a & 63) | ((t << 6) & 192))]);
      sum = fround(sum + entries[table + 256 + ((b & 63) | ((t << 4) & 192))]);
      sum = fround(sum + entries[table + 512 + ((c & 63) | ((t << 2) & 192))]);
      sums[j] = sum + entries[table + 768 + ((a >> 6) | ((b >> 4) & 12) | ((c >> 2) & 48) | (t & 192))];
    }
  }
  for (let m = 4 * quads; m < count; ++m)
    for (let j = 0, row = at + (m - quads) * BLOCK, table = 256 * m; j < n; ++j) sums[j] += entries[table + rows[row + j]];
}

const WORD = 64;  // vectors that are scored together to guess a limit
const LEAST_BLOCKS = 16, LEAST_SAMPLE = 4096;

export class Scan {
  #sums = new Float32Array(BLOCK);

  // `kernel`: null where there is none.
  constructor(codes, kernel) {
    Object.assign(this, { codes, kernel });
  }

  // Offers the vectors at positions first … last - 1 whose id is kept. `idOf` and `keeps` may be null.
  run(entries, offset, first, last, wanted) {
    if (this.kernel) this.kernel.entries.set(entries);
    const all = this.kernel && first === 0 && last === this.codes.size && this.codes.blocks >= LEAST_BLOCKS;
    if (all) return this.#scanByBounds(entries, offset, wanted);
    for (let begin = first, end; begin < last; begin = end) {
      end = Math.min(last, (Math.floor(begin / BLOCK) + 1) * BLOCK);
      this.#offerBlock(entries, offset, begin, end, wanted);
    }
  }

  #score(sum, vector, offset) {
    const { bias } = this.codes;
    return fround((bias ? fround(sum + bias[vector]) : sum) + offset);
  }

  #offer(sum, vector, offset, { best, idOf, keeps }) {
    const score = this.#score(sum, vector, offset);
    if (!(score <= best.limit)) return;
    const id = idOf ? idOf[vector] : vector;
    if (!keeps || keeps(id)) best.offer(score, id);
  }

  // The vectors of one block, or some of them.
  #offerBlock(entries, offset, first, last, wanted) {
    let sums = this.#sums;
    if (this.kernel) {
      this.kernel.sums(first, last);
      sums = this.kernel.found;
    } else {
      sumBlock(this.codes, entries, first, last, sums);
    }
    for (let j = 0; j < last - first; ++j) this.#offer(sums[j], first + j, offset, wanted);
  }

  // Rules most vectors out by their bounds, once a limit is known.
  #scanByBounds(entries, offset, wanted) {
    const { kernel, codes } = this, { best } = wanted;
    const bounds = new Bounds(codes, entries, offset, kernel.bounds);
    best.limit = Math.min(best.limit, this.#likelyLimit(offset, wanted));
    const most = MOST_LISTED / BLOCK;
    for (let first = 0; first < codes.blocks; first += most) {
      const last = Math.min(first + most, codes.blocks), limit = bounds.limit(best.limit);
      if (limit < 0) return;
      if (limit === 255) {
        for (let b = first; b < last; ++b) this.#offerBlock(entries, offset, b * BLOCK, Math.min((b + 1) * BLOCK, codes.size), wanted);
        continue;
      }
      const count = kernel.survivors(first, last, limit);
      kernel.listedSums(count);
      for (let i = 0; i < count; ++i)
        if (kernel.listed[i] < codes.size) this.#offer(kernel.found[i], kernel.listed[i], offset, wanted);
    }
  }

  // The k-th best score of some vectors that are spread over all: the k-th best of all is not above it.
  #likelyLimit(offset, { best: { k }, keeps }) {
    const { kernel, codes } = this, words = Math.floor(codes.size / WORD), found = [];
    const step = Math.max(1, Math.floor((words * WORD) / Math.max(LEAST_SAMPLE, 8 * k)));
    for (let word = 0; word < words; word += step) {
      kernel.sums(word * WORD, (word + 1) * WORD);
      for (let j = 0; j < WORD; ++j)
        if (!keeps || keeps(word * WORD + j)) found.push(this.#score(kernel.found[j], word * WORD + j, offset));
    }
    return found.length < k ? Infinity : Float32Array.from(found).sort()[k - 1];
  }
}
