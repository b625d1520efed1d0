// Scores of packed codes by the tables of one query:
//
//     (((table[0][slot_0] + table[1][slot_1]) + …) + bias) + offset

import { fround } from "./arithmetic.js";
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

export class Scan {
  #sums = new Float32Array(BLOCK);

  constructor(codes) {
    this.codes = codes;
  }

  // Offers the vectors at positions first … last - 1 whose id is kept. `idOf` and `keeps` may be null.
  run(entries, offset, first, last, { best, idOf, keeps }) {
    const { bias } = this.codes, sums = this.#sums;
    for (let begin = first; begin < last; ) {
      const end = Math.min(last, (Math.floor(begin / BLOCK) + 1) * BLOCK);
      sumBlock(this.codes, entries, begin, end, sums);
      for (let j = 0; j < end - begin; ++j) {
        const score = fround((bias ? fround(sums[j] + bias[begin + j]) : sums[j]) + offset);
        if (!(score <= best.limit)) continue;
        const id = idOf ? idOf[begin + j] : begin + j;
        if (!keeps || keeps(id)) best.offer(score, id);
      }
      begin = end;
    }
  }
}
