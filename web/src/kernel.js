// The kernel in WebAssembly (kernel.c) and the memory that it shares with the page:
//
//     | stack | codes' description | rows | tops | words | rotation | entries | bounds | query | listed vectors | sums |

import { KERNEL } from "./kernel_bytes.js";

const PAGE = 65536, LINE = 64;
const DESCRIPTION = 7;  // numbers of 32 bits
export const PLANE_BOUNDS = 32;
const MOST_PLANES = 65;
export const MOST_LISTED = 32768;  // vectors looked at in one call

let compiled = null;  // once for all indexes of a page

export class Kernel {
  // Nothing where the browser has no WebAssembly with vectors, where the page forbids it, or where it lacks the memory.
  static async open(codes, quantizer, entries) {
    try {
      compiled ??= WebAssembly.compile(Uint8Array.from(atob(KERNEL), (letter) => letter.charCodeAt(0)));
      const kernel = new Kernel(codes, quantizer, entries);
      const instance = await WebAssembly.instantiate(await compiled, { env: { memory: kernel.memory } });
      kernel.calls = instance.exports;
      return kernel;
    } catch {
      return null;
    }
  }

  constructor(codes, quantizer, entries) {
    const { rows, tops, height, quads, count, pairs, planes, biased } = codes;
    this.end = PAGE;
    const width = quantizer.dimensions, rotation = quantizer.rotation ?? new Float32Array(0);
    const places = { description: 4 * DESCRIPTION, rows: rows.length, tops: tops.length, words: 4 * quantizer.words.length,
      rotation: 4 * rotation.length, entries: 4 * entries, bounds: PLANE_BOUNDS * MOST_PLANES, query: 4 * width, listed: 4 * MOST_LISTED,
      sums: 4 * Math.max(MOST_LISTED, width) };
    for (const name of Object.keys(places)) places[name] = this.#reserve(places[name]);
    this.places = places;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(this.end / PAGE) });
    const { buffer } = this.memory;
    const bytes = (at, from) => {
      const own = new Uint8Array(buffer, at, from.length);
      own.set(from);
      return own;
    };
    codes.rows = bytes(places.rows, rows);
    codes.tops = bytes(places.tops, tops);
    new Float32Array(buffer, places.words, quantizer.words.length).set(quantizer.words);
    new Float32Array(buffer, places.rotation, rotation.length).set(rotation);
    new Uint32Array(buffer, places.description, DESCRIPTION).set([places.rows, places.tops, height,
      planes + Number(biased), quads, count, pairs ? planes : 0]);
    this.entries = new Float32Array(buffer, places.entries, entries);
    this.bounds = new Uint8Array(buffer, places.bounds, PLANE_BOUNDS * MOST_PLANES);
    this.query = new Float32Array(buffer, places.query, width);
    this.listed = new Uint32Array(buffer, places.listed, MOST_LISTED);
    this.found = new Float32Array(buffer, places.sums, Math.max(MOST_LISTED, width));
  }

  #reserve(bytes) {
    const at = this.end;
    this.end = Math.ceil((at + bytes) / LINE) * LINE;
    return at;
  }

  // Lists the vectors of blocks first … last - 1 whose bounds sum up to at most `limit`; returns how many.
  survivors(first, last, limit) {
    const { description, bounds, listed } = this.places;
    return this.calls.survivors(description, first, last, bounds, limit, listed);
  }

  // Sums of the look-ups of the vectors listed, or of vectors first … last - 1, into `found`.
  listedSums(count) {
    const { description, entries, listed, sums } = this.places;
    this.calls.listed_sums(description, entries, listed, count, sums);
  }

  sums(first, last) {
    const { description, entries, sums } = this.places;
    this.calls.sums(description, entries, first, last, sums);
  }

  // As `products` of arithmetic.js, of words that the kernel holds.
  #products(query, words, width, count, out, to) {
    this.query.set(query);
    this.calls.products(this.places.query, words, width, count, this.places.sums);
    out.set(this.found.subarray(0, count), to);
  }

  products(query, from, width, count, out, to) {
    this.#products(query, this.places.words + 4 * from, width, count, out, to);
  }

  rotate(query, out) {
    this.#products(query, this.places.rotation, query.length, query.length, out, 0);
  }
}
