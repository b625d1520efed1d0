// All that training produced. Words of dictionary m lie in the dimensions begin[m] … end[m] - 1, row after row:
//
//     word k of dictionary m = words[start[m] + k·width …],  width = end[m] - begin[m]

import { TYPE, Fields } from "./container.js";
import { Hash } from "./hash.js";

export const MODEL_SECTIONS = ["centre", "rotation", "blocks", "words", "word_offsets", "objective"];
const MOST_DICTIONARIES = 64, MOST_WORDS = 256, MOST_DIMENSIONS = 2 ** 32;
const BIASES = ["none", "stored", "derived"];

export const dictionariesOf = (fields) => fields.count("dictionaries", 1, MOST_DICTIONARIES);
export const wordsOf = (fields) => fields.count("words", 2, MOST_WORDS);

export async function readQuantizer(container, metadata) {
  const fields = new Fields(container, metadata, "model");
  const dimensions = fields.count("dimensions", 1, MOST_DIMENSIONS);
  const quantizer = { method: fields.text("method"), unitLength: fields.flag("unit_length"), bias: biasOf(fields), dimensions,
    binaryQueries: fields.has("binary_queries") && fields.flag("binary_queries") };
  quantizer.centre = await container.floats("centre", [dimensions]);
  quantizer.rotation = container.has("rotation") ? await container.floats("rotation", [dimensions, dimensions]) : null;
  quantizer.count = dictionariesOf(fields);
  quantizer.size = wordsOf(fields);
  await readWords(container, quantizer);
  quantizer.offsets = await container.floats("word_offsets", [quantizer.count, quantizer.size]);
  checkRest(fields);
  await container.bytes("objective", [fields.count("iterations")], TYPE.float64);
  quantizer.identity = identityOf(quantizer);
  container.check(fields.hash("identity") === quantizer.identity, `the model's identity is ${quantizer.identity}, the `,
    `file says ${fields.text("identity")}`);
  return quantizer;
}

function biasOf(fields) {
  const stored = fields.flag("stores_bias"), derived = fields.has("derives_bias") && fields.flag("derives_bias");
  fields.container.check(!stored || !derived, "metadata says that the model's bias is both stored and derived");
  return stored ? "stored" : derived ? "derived" : "none";
}

// What an encoder would use and what training measured is checked and left.
function checkRest(fields) {
  fields.count("trained_on");
  for (const key of ["distortion", "held_out_distortion", "cross_term_deviation"]) fields.figure(key);
  for (const key of ["penalty", "theta"]) fields.number(key);
  for (const key of ["expectation", "absolute_penalty", "norm"]) fields.number(key, 0);
  fields.choice("effort", ["fast", "default", "best"]);
  if (fields.has("search")) fields.choice("search", ["beam", "residual", "tree"]);
}

async function readWords(container, quantizer) {
  const { count, size, dimensions } = quantizer;
  const blocks = container.has("blocks");
  quantizer.blocks = blocks ? Array.from(await container.counts("blocks", [count + 1])) : null;
  const limits = quantizer.blocks ?? [];
  container.check(!blocks || (limits[0] === 0 && limits[count] === dimensions && limits.every((x, i) => i === 0 || x >= limits[i - 1])),
    `the blocks do not cover all ${dimensions} dimensions in order`);
  quantizer.words = await container.floats("words", blocks ? [size, dimensions] : [count, size, dimensions]);
  const each = Array.from({ length: count }, (_, m) => m);
  quantizer.begin = each.map((m) => (blocks ? limits[m] : 0));
  quantizer.end = each.map((m) => (blocks ? limits[m + 1] : dimensions));
  quantizer.start = each.map((m) => size * (blocks ? limits[m] : m * dimensions));
}

// The values of a word in its dictionary's dimensions.
export function wordOf(quantizer, m, k) {
  const width = quantizer.end[m] - quantizer.begin[m], at = quantizer.start[m] + k * width;
  return quantizer.words.subarray(at, at + width);
}

// The hash that the library makes of all that gives codes their meaning.
function identityOf(quantizer) {
  const { count, size, dimensions } = quantizer;
  const hash = new Hash();
  const bits = (floats) => new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  const numbers = (values) => values.flatMap((value) => [value >>> 0, Math.floor(value / 2 ** 32)]);
  hash.words(numbers([count, size, dimensions, Number(quantizer.unitLength) + 2 * Number(quantizer.binaryQueries),
    BIASES.indexOf(quantizer.bias)]));
  hash.words(bits(quantizer.centre));
  hash.words(quantizer.rotation ? bits(quantizer.rotation) : []);
  hash.begin(4 * count * size * dimensions);
  for (let m = 0; m < count; ++m)
    for (let k = 0; k < size; ++k) {
      for (let d = 0; d < quantizer.begin[m]; ++d) hash.word(0);
      for (const word of bits(wordOf(quantizer, m, k))) hash.word(word);
      for (let d = quantizer.end[m]; d < dimensions; ++d) hash.word(0);
    }
  hash.end();
  hash.words(numbers(quantizer.blocks ?? []));
  hash.words(bits(quantizer.offsets));
  return hash.text();
}

// Adds the words of a code, in the space of the words: Σ_m c[m][code_m], m ascending.
export function addWords(quantizer, code, sum) {
  sum.fill(0);
  for (let m = 0; m < quantizer.count; ++m) {
    const word = wordOf(quantizer, m, code[m]), begin = quantizer.begin[m];
    for (let d = 0; d < word.length; ++d) sum[begin + d] += word[d];
  }
}

// The words of a model where the data lie, turned back one by one as they are needed.
export class Decoder {
  #turned = new Map();

  constructor(quantizer) {
    this.quantizer = quantizer;
    this.sum = new Float32Array(quantizer.dimensions);
  }

  word(m, k) {
    const { rotation, dimensions, begin, size } = this.quantizer;
    const number = m * size + k;
    if (!this.#turned.has(number)) {
      const own = wordOf(this.quantizer, m, k), turned = new Float32Array(dimensions);
      if (!rotation) turned.set(own, begin[m]);
      for (let i = 0; rotation && i < own.length; ++i)
        if (own[i] !== 0)
          for (let d = 0, row = (begin[m] + i) * dimensions; d < dimensions; ++d)
            turned[d] += Math.fround(own[i] * rotation[row + d]);
      this.#turned.set(number, turned);
    }
    return this.#turned.get(number);
  }

  // vector += the approximation that the code stands for.
  add(code, vector) {
    const { sum } = this, { centre } = this.quantizer;
    sum.fill(0);
    code.forEach((k, m) => {
      const word = this.word(m, k);
      for (let d = 0; d < sum.length; ++d) sum[d] += word[d];
    });
    for (let d = 0; d < sum.length; ++d) vector[d] = Math.fround(vector[d] + centre[d]) + sum[d];
  }
}
