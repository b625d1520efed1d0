// 8-bit lower bounds of a query's tables, as src/index/query_bounds.h derives them: with the smallest entry of every
// table taken out, a score is base + X, and what is left of the entries is scaled and rounded down. A score up to the
// limit has Σ of bounds <= `limit()`. A look-up takes the low four bits of a byte, and in planes of whole bytes the
// smallest of the 16 entries that share them.

import { PLANE_BOUNDS } from "./kernel.js";

const MOST_LIMIT = 254, LEAST_LIMIT = 208, LARGEST_SCALE = 1e30, ROUNDED_UP = 1 + 2 ** -20;
const LARGEST = 3.4028234663852886e38;

export class Bounds {
  // `out`: room for the bounds of all planes.
  constructor(codes, entries, offset, out) {
    const { count, slotCount, pairs, planes, biased, bias, levels } = codes;
    Object.assign(this, { offset, out, base: 0, magnitude: 0, largest: 0, scale: -1 });
    this.rounding = (count + 2) * 2 ** -24;
    this.excess = new Float64Array((planes + Number(biased)) * PLANE_BOUNDS);
    for (let m = 0; m < count; ++m)
      this.#add(entries, m * slotCount, slotCount, pairs ? 16 * m : PLANE_BOUNDS * m);
    if (biased) this.#add(levels, 0, levels.length, PLANE_BOUNDS * planes);
    else if (bias) this.#addRange(bias.reduce((a, b) => Math.min(a, b)), bias.reduce((a, b) => Math.max(a, b)));
  }

  #addRange(least, most) {
    this.base += least;
    this.magnitude += Math.abs(least);
    this.largest += Math.max(Math.abs(least), Math.abs(most));
  }

  // Slots with the same low four bits share a bound.
  #add(values, from, slots, to) {
    let least = Infinity, most = -Infinity;
    for (let s = from; s < from + slots; ++s) {
      least = Math.min(least, values[s]);
      most = Math.max(most, values[s]);
    }
    this.excess.fill(Infinity, to, to + 16);
    for (let s = 0; s < slots; ++s) this.excess[to + (s & 15)] = Math.min(this.excess[to + (s & 15)], values[from + s] - least);
    this.#addRange(least, most);
  }

  // The most that bounds of a score up to `score` sum up to; -1 where no vector can have one, 255 where none is ruled
  // out.
  limit(score) {
    const size = Math.abs(this.offset);
    if (score >= LARGEST || size + this.largest >= LARGEST / 2) return 255;
    const reach = (score - (this.offset + this.base) + this.rounding * (size + this.magnitude)) / (1 - this.rounding);
    if (reach < 0) return -1;
    const limit = reach * this.scale * ROUNDED_UP;
    if (!(limit >= LEAST_LIMIT && limit < MOST_LIMIT + 1)) this.#quantise(reach);
    return Math.floor(reach * this.scale * ROUNDED_UP);
  }

  #quantise(reach) {
    this.scale = Math.min(MOST_LIMIT / ROUNDED_UP / reach, LARGEST_SCALE);
    for (let i = 0; i < this.excess.length; ++i) this.out[i] = Math.min(255, Math.floor(this.excess[i] * this.scale));
  }
}
