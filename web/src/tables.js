// Tables of a query, so that the score of a code is a sum of look-ups:
//
//     distances   table[m][s] = word_offset[m][k] - 2 q'·c[m][k]    offset = |q'|²,  q' = rotation·(q - centre)
//     products    table[m][s] = -(rotation·q)·c[m][k]               offset = -q·centre
//
// k is the word that slot s stands for.

import { dot, fused, fround, isFiniteFloat, products } from "./arithmetic.js";
import { wordOf } from "./quantizer.js";

export const isDistance = (metric) => metric !== "ip";

// Few enough values that are not zero for the others to be left out.
function isSparse(quantizer) {
  if (quantizer.blocks) return false;
  let zeros = 0;
  for (const value of quantizer.words) if (value === 0) ++zeros;
  return 2 * zeros > quantizer.words.length;
}

// Values that are not zero, word after word: those of word w are begin[w] … begin[w+1] - 1.
function sparseWords({ words, dimensions }) {
  const sparse = { begin: [0], dimensions: [], values: [] };
  for (let at = 0; at < words.length; ++at) {
    if (words[at] !== 0) {
      sparse.dimensions.push(at % dimensions);
      sparse.values.push(words[at]);
    }
    if ((at + 1) % dimensions === 0) sparse.begin.push(sparse.values.length);
  }
  return sparse;
}

export class TableBuilder {
  // `slots`: the word of each slot, `slotCount` for each dictionary.
  constructor(quantizer, distance, slots, slotCount) {
    Object.assign(this, { quantizer, distance, slots, slotCount });
    this.multiplied = new Float32Array(quantizer.count * quantizer.size);
    this.multiplier = {
      products: (query, ...task) => products(query, quantizer.words, ...task),
      rotate: (query, out) => products(query, quantizer.rotation, 0, query.length, query.length, out, 0),
    };
    this.sparse = isSparse(quantizer) ? sparseWords(quantizer) : null;
    this.signs = quantizer.binaryQueries ? magnitudes(quantizer) : null;
  }

  get entries() {
    return this.slots.length;
  }

  // The query where the words are.
  #moved(query) {
    const { centre, rotation, dimensions } = this.quantizer;
    let moved = Float32Array.from(query);
    if (this.distance) for (let d = 0; d < dimensions; ++d) moved[d] -= centre[d];
    if (rotation) {
      const turned = new Float32Array(dimensions);
      this.multiplier.rotate(moved, turned);
      moved = turned;
    }
    if (this.signs) moved = this.signs.map((size, d) => (moved[d] > 0 ? size : -size));
    return moved;
  }

  #multiply(query) {
    const { quantizer, sparse, multiplied: out } = this;
    if (!sparse) {
      for (let m = 0; m < quantizer.count; ++m)
        this.multiplier.products(query.subarray(quantizer.begin[m], quantizer.end[m]), quantizer.start[m],
          quantizer.end[m] - quantizer.begin[m], quantizer.size, out, m * quantizer.size);
      return;
    }
    for (let w = 0; w < out.length; ++w) {
      let sum = 0;
      for (let i = sparse.begin[w]; i < sparse.begin[w + 1]; ++i)
        sum = fused(query[sparse.dimensions[i]], sparse.values[i], sum);
      out[w] = sum;
    }
  }

  // Fills `entries` and returns the offset.
  build(query, entries) {
    const { quantizer, distance, slots, slotCount } = this;
    const moved = this.#moved(query);
    const offset = distance ? dot(moved, moved, moved.length) : -dot(query, quantizer.centre, query.length);
    this.#multiply(moved);
    const factor = distance ? -2 : -1;
    let finite = isFiniteFloat(offset);
    for (let e = 0, m = 0; m < quantizer.count; ++m)
      for (let s = 0; s < slotCount; ++s, ++e) {
        const word = m * quantizer.size + slots[e];
        entries[e] = (distance ? quantizer.offsets[word] : 0) + fround(factor * this.multiplied[word]);
        finite &&= isFiniteFloat(entries[e]);
      }
    if (!finite) throw new Error("search: the query makes table entries that are not finite");
    return offset;
  }
}

// The largest value of each dimension: what a sign stands for.
function magnitudes(quantizer) {
  const largest = new Float32Array(quantizer.dimensions);
  for (let m = 0; m < quantizer.count; ++m)
    for (let k = 0; k < quantizer.size; ++k)
      wordOf(quantizer, m, k).forEach((value, i) => {
        const d = quantizer.begin[m] + i;
        largest[d] = Math.max(largest[d], value);
      });
  return largest;
}

// Throws unless the query has the index's dimension, finite values and, for cosine, a direction.
export function checkQuery(query, dimensions, metric) {
  if (!(Array.isArray(query) || ArrayBuffer.isView(query)) || query.length !== dimensions)
    throw new Error(`search: expected a query of ${dimensions} dimensions, got ${query?.length}`);
  const floats = Float32Array.from(query);
  if (!floats.every(isFiniteFloat)) throw new Error("search: the query holds a value that is not finite (NaN or infinity)");
  if (metric === "cosine" && !floats.some((x) => x !== 0))
    throw new Error("search: the query is all zeros, which has no direction; cosine needs non-zero queries");
  return floats;
}
