// Codes in blocks of 512 vectors as the scan reads them (docs/format.md). A plane has a byte of each vector: a slot of a
// dictionary, or of two dictionaries where there are at most 16 words. Four planes may lie in three rows and a top row.

import { Fields, TYPE } from "./container.js";
import { dot, isFiniteFloat } from "./arithmetic.js";
import { addWords, dictionariesOf, wordsOf } from "./quantizer.js";
import { isDistance } from "./tables.js";

export const BLOCK = 512;
const BYTE_SLOTS = 256, NIBBLE_SLOTS = 16, MOST_VECTORS = 2 ** 48;

export const CODE_SECTIONS = ["codes", "slots", "packed", "packed_tops", "bias", "bias_levels", "piece_sums"];

// What the metadata say of the codes, held against the model.
function readShape(container, metadata, quantizer, metric) {
  const fields = new Fields(container, metadata, "codes");
  const size = fields.count("vectors"), count = dictionariesOf(fields), words = wordsOf(fields);
  container.check(size <= MOST_VECTORS, `expected at most ${MOST_VECTORS} vectors, got ${size}`);
  container.check(fields.hash("model") === quantizer.identity, `the codes were made by model ${fields.text("model")}, `,
    `the file holds model ${quantizer.identity}`);
  container.check(count === quantizer.count && words === quantizer.size, `the codes are of ${count} dictionaries of `,
    `${words} words, the model has ${quantizer.count} of ${quantizer.size}`);
  const rows = container.has("codes"), pairs = words <= NIBBLE_SLOTS;
  const biased = rows ? quantizer.bias === "stored" : quantizer.bias !== "none" && isDistance(metric);
  container.check(container.has("bias") === biased, biased ? "the codes lack the biases that the model stores"
    : "the codes have biases that this model and metric do not use");
  const quads = !rows && container.has("packed_tops") && !pairs ? Math.floor(count / 4) : 0;
  return { size, count, pairs, biased, quads, slotCount: pairs ? NIBBLE_SLOTS : BYTE_SLOTS,
    blocks: Math.ceil(size / BLOCK), planes: (pairs ? Math.ceil(count / 2) : count) };
}

export async function readPackedCodes(container, metadata, quantizer, metric) {
  const shape = readShape(container, metadata, quantizer, metric);
  return container.has("codes") ? fromRows(container, shape, quantizer, metric) : fromPacked(container, shape, quantizer);
}

async function fromPacked(container, shape, quantizer) {
  const { blocks, planes, quads, biased } = shape;
  const height = planes - quads + Number(biased);
  const slots = await container.bytes("slots", [shape.count, shape.slotCount]);
  container.check(slots.every((word) => word < quantizer.size), "a slot names a word that does not exist");
  const bias = biased ? await container.floats("bias", [shape.size]) : null;
  const levels = biased ? await container.floats("bias_levels", [BYTE_SLOTS]) : null;
  const rows = await container.bytes("packed", [blocks, height, BLOCK]);
  const tops = quads > 0 ? await container.bytes("packed_tops", [blocks, quads, BLOCK]) : new Uint8Array(0);
  const packed = new PackedCodes({ ...shape, height, slots, rows, tops, bias, levels });
  for (let i = 0; biased && i < shape.size; ++i) {
    const level = levels[rows[(Math.floor(i / BLOCK) * height + height - 1) * BLOCK + (i % BLOCK)]];
    container.check(level <= bias[i] && levels[0] <= level, `the bias of row ${i} does not fit its level`);
  }
  return packed;
}

// Codes in row order, which the first programs wrote, and all do where the bias is derived.
async function fromRows(container, shape, quantizer, metric) {
  const { size, count, pairs, planes } = shape;
  const codes = await container.bytes("codes", [size, count], pairs ? TYPE.nibble : TYPE.uint8);
  const stored = shape.biased ? await container.floats("bias", [size]) : null;
  const code = new Uint8Array(count), rows = new Uint8Array(shape.blocks * planes * BLOCK);
  const biased = quantizer.bias !== "none" && isDistance(metric);
  const bias = biased ? stored ?? new Float32Array(size) : null;
  const sum = new Float32Array(quantizer.dimensions);
  for (let i = 0; i < size; ++i) {
    for (let m = 0; m < count; ++m) {
      code[m] = pairs ? (codes[i * planes + (m >> 1)] >> (4 * (m % 2))) & 15 : codes[i * count + m];
      container.check(code[m] < quantizer.size, `row ${i} of the codes names word ${code[m]} of a dictionary of `,
        `${quantizer.size} words`);
      rows[(Math.floor(i / BLOCK) * planes + (pairs ? m >> 1 : m)) * BLOCK + (i % BLOCK)] |= pairs ? code[m] << (4 * (m % 2)) : code[m];
    }
    container.check(!pairs || count % 2 === 0 || codes[(i + 1) * planes - 1] < 16,
      "section codes has bits set in the unused half of a byte");
    if (biased && !stored) bias[i] = derivedBias(quantizer, code, sum);
    container.check(!biased || Math.abs(bias[i]) <= Math.fround(1e36), `expected the bias of row ${i} within ±1e36`);
  }
  const slots = new Uint8Array(count * shape.slotCount);
  for (let e = 0; e < slots.length; ++e) slots[e] = e % shape.slotCount < quantizer.size ? e % shape.slotCount : 0;
  return new PackedCodes({ ...shape, biased: false, quads: 0, height: planes, slots, rows, tops: new Uint8Array(0), bias });
}

// |ȳ|² - Σ_m word_offset[m][code_m], of doubles but for the sums of the kernels.
function derivedBias(quantizer, code, sum) {
  let offsets = 0;
  code.forEach((k, m) => (offsets += quantizer.offsets[m * quantizer.size + k]));
  addWords(quantizer, code, sum);
  return dot(sum, sum, sum.length) - offsets;
}

// `biased`: whether a last plane has the levels of the biases; `bias` may be there without.
export class PackedCodes {
  constructor(parts) {
    Object.assign(this, parts);
  }

  // The byte of vector i in a plane.
  #byte(i, plane) {
    const block = Math.floor(i / BLOCK), at = block * this.height * BLOCK + (i % BLOCK);
    if (plane >= 4 * this.quads) return this.rows[at + (plane - this.quads) * BLOCK];
    const quad = plane >> 2, row = (r) => this.rows[at + (3 * quad + r) * BLOCK];
    const top = this.tops[(block * this.quads + quad) * BLOCK + (i % BLOCK)];
    const own = plane % 4;
    if (own < 3) return (row(own) & 63) | (((top >> (2 * own)) & 3) << 6);
    return (row(0) >> 6) | ((row(1) >> 6) << 2) | ((row(2) >> 6) << 4) | (top & 192);
  }

  // The slots that vector i names, one for each dictionary.
  slotsOf(i) {
    return Array.from({ length: this.count }, (_, m) =>
      this.pairs ? (this.#byte(i, m >> 1) >> (4 * (m % 2))) & 15 : this.#byte(i, m));
  }

  // The words that vector i names.
  code(i) {
    return this.slotsOf(i).map((slot, m) => this.slots[m * this.slotCount + slot]);
  }
}
