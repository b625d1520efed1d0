// The container file (docs/format.md). A reader verifies header, table and layout first, and each section's checksum as
// it is read; nothing is allocated by a number that was not held against the file's size.

import { crc32 } from "./hash.js";
import { isFiniteFloat } from "./arithmetic.js";
import { sourceOf } from "./source.js";

export const KIND = { model: 1, index: 3, inverted: 5 };
const KIND_NAMES = [null, "a model", "codes", "an index", "a checkpoint", "an inverted index", "a vocabulary",
  "an unfinished index", "an inverted model", "the manifest of an index in a folder", "a segment of an index in a folder"];
const FIRST_OF_FOLDER = 9;
export const TYPE = { text: 1, uint8: 2, nibble: 3, uint64: 4, float32: 5, float64: 6, float16: 7 };
const TYPE_NAMES = [null, "text", "uint8", "nibble", "uint64", "float32", "float64", "float16"];
const TYPE_BYTES = [0, 1, 1, 1, 8, 4, 8, 2];
const HEADER = 64, ENTRY = 96, ALIGNMENT = 64, MOST_SECTIONS = 32, LONGEST_METADATA = 1 << 20, DEEPEST_METADATA = 8;
const MAGIC = "SUMMAND\n";

// Sizes of a shape are BigInt until they were compared with what they must be.
const bigSize = (view, at) => view.getBigUint64(at, true);

function byteLength(type, shape) {
  const factors = [...shape];
  if (type === TYPE.nibble) factors[factors.length - 1] = (factors[factors.length - 1] + 1n) / 2n;
  return factors.reduce((product, size) => product * size, BigInt(TYPE_BYTES[type]));
}

export class Container {
  static async open(given) {
    const container = new Container();
    container.source = await sourceOf(given);
    container.name = container.source.name;
    await container.#readHead();
    await container.#checkLayout();
    return container;
  }

  check(ok, ...parts) {
    if (!ok) throw new Error(`${this.name}: ${parts.join("")}`);
  }

  async #readHead() {
    const { size } = this.source;
    this.check(size > 0, "the file is empty");
    const start = await this.source.read(0, Math.min(size, HEADER));
    this.check([...start.subarray(0, 8)].every((byte, i) => byte === MAGIC.charCodeAt(i)),
      "is not a summand file: it does not begin with SUMMAND");
    this.check(size >= HEADER, `truncated: the header takes ${HEADER} bytes, the file has ${size}`);
    const fields = new DataView(start.buffer, start.byteOffset, start.length);
    const version = fields.getUint32(8, true), count = fields.getUint32(24, true), total = bigSize(fields, 16);
    this.check(version === 1, `format version ${version}, this program reads version 1`);
    this.check(count >= 1 && count <= MOST_SECTIONS, `damaged header: ${count} sections, expected 1 to ${MOST_SECTIONS}`);
    const length = HEADER + ENTRY * count;
    this.check(size >= length, "truncated: the table of sections is cut");
    const head = (await this.source.read(0, length)).slice();
    const view = new DataView(head.buffer);
    const crc = view.getUint32(28, true);
    view.setUint32(28, 0, true);
    this.check(crc === crc32(head), "damaged header: its checksum does not match");
    this.check(total <= BigInt(size), `truncated: ${total - BigInt(size)} of ${total} bytes are missing`);
    this.check(total === BigInt(size), `trailing bytes: ${BigInt(size) - total} follow the ${total} of the file`);
    this.kind = view.getUint32(12, true);
    this.check(this.kind >= 1 && this.kind < KIND_NAMES.length, `kind ${this.kind}, expected 1 to ${KIND_NAMES.length - 1}`);
    this.sections = new Map();
    for (let i = 0; i < count; ++i) this.#addSection(view, HEADER + ENTRY * i);
    this.end = length;
  }

  #addSection(view, at) {
    const letters = new Uint8Array(view.buffer, at, 32), used = letters.indexOf(0);
    const name = String.fromCharCode(...letters.subarray(0, used < 0 ? 32 : used));
    this.check(/^[a-z_]+$/.test(name), "a section has a name that is not made of the letters a to z");
    this.check(!this.sections.has(name), `section ${name} occurs twice`);
    const type = view.getUint32(at + 32, true), dimensions = view.getUint32(at + 36, true);
    this.check(type >= 1 && type < TYPE_NAMES.length, `section ${name} has element type ${type}, expected 1 to 7`);
    this.check(dimensions >= 1 && dimensions <= 4, `section ${name} has ${dimensions} dimensions, expected 1 to 4`);
    const shape = Array.from({ length: dimensions }, (_, i) => bigSize(view, at + 40 + 8 * i));
    this.sections.set(name, { name, type, shape, offset: bigSize(view, at + 72), length: bigSize(view, at + 80),
      crc: view.getUint32(at + 88, true) });
  }

  // Sections fill the file in the order of the table, with zeros up to the next multiple of 64 between them.
  async #checkLayout() {
    let end = this.end;
    for (const section of this.sections.values()) {
      this.check(byteLength(section.type, section.shape) === section.length, `section ${section.name} has `,
        `${section.length} bytes, which its shape ${section.shape.join("×")} does not take`);
      const expected = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
      this.check(section.offset === BigInt(expected) && section.offset + section.length <= BigInt(this.source.size),
        `section ${section.name} lies at byte ${section.offset} with ${section.length} bytes, expected it at `,
        `${expected} and inside the file`);
      section.offset = expected;
      section.length = Number(section.length);
      section.padding = expected - end;
      end = expected + section.length;
    }
    this.check(end === this.source.size, `trailing bytes: ${this.source.size - end} follow the last section`);
  }

  has(name) {
    return this.sections.has(name);
  }

  expect(kind, known) {
    this.check(this.kind === kind, `holds ${KIND_NAMES[this.kind]}, expected ${KIND_NAMES[kind]}`,
      this.kind >= FIRST_OF_FOLDER ? ": pages open indexes of one file, as summand build writes them" : "");
    for (const name of this.sections.keys())
      this.check(name === "metadata" || known.includes(name),
        `has a section ${name}, which does not belong to ${KIND_NAMES[kind]}`);
  }

  #find(name, type, shape) {
    const section = this.sections.get(name);
    this.check(section, `has no section ${name}`);
    const fits = section.type === type && section.shape.length === shape.length &&
      shape.every((size, i) => section.shape[i] === BigInt(size));
    this.check(fits, `section ${name} is ${section.shape.join("×")} ${TYPE_NAMES[section.type]}, expected `,
      `${shape.join("×")} ${TYPE_NAMES[type]}`);
    return section;
  }

  // The zeros before the section are read with it.
  async #verified(section) {
    section.verified = true;
    const all = await this.source.read(section.offset - section.padding, section.padding + section.length);
    this.check(all.subarray(0, section.padding).every((byte) => byte === 0),
      `damaged: the padding before section ${section.name} is not zero`);
    const bytes = all.subarray(section.padding);
    this.check(crc32(bytes) === section.crc, `section ${section.name} is damaged: its checksum does not match`);
    return bytes;
  }

  bytes(name, shape, type = TYPE.uint8) {
    return this.#verified(this.#find(name, type, shape));
  }

  // As many floats as the shape says, all of them finite.
  async floats(name, shape) {
    const bytes = await this.bytes(name, shape, TYPE.float32);
    const values = new Float32Array(bytes.slice().buffer);
    this.check(values.every(isFiniteFloat), `section ${name} holds a number that is not finite`);
    return values;
  }

  // Whole numbers. JavaScript counts up to 2^53 - 1; a section with larger ones comes as a BigUint64Array.
  async wholes(name, shape) {
    const bytes = await this.bytes(name, shape, TYPE.uint64);
    const words = new Uint32Array(bytes.slice().buffer), values = new Float64Array(words.length / 2);
    for (let i = 0; i < values.length; ++i) values[i] = words[2 * i + 1] * 2 ** 32 + words[2 * i];
    return values.every(Number.isSafeInteger) ? values : new BigUint64Array(words.buffer);
  }

  async counts(name, shape) {
    const values = await this.wholes(name, shape);
    this.check(values instanceof Float64Array, `section ${name} holds a number from 2^53 on`);
    return values;
  }

  // Checks the sections that nobody has asked for.
  async verifyRest() {
    for (const section of this.sections.values()) if (!section.verified) await this.#verified(section);
  }

  async metadata() {
    const section = this.sections.get("metadata");
    this.check(section, "has no section metadata");
    this.check(section.type === TYPE.text && section.shape.length === 1 && section.length <= LONGEST_METADATA,
      `section metadata is ${section.length} bytes of ${TYPE_NAMES[section.type]}, expected text of at most `,
      LONGEST_METADATA);
    const bytes = await this.#verified(section);
    let parsed;
    try {
      parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      parsed = null;
    }
    this.check(isObject(parsed), "section metadata is not a JSON object");
    this.check(!isDeeperThan(parsed, DEEPEST_METADATA),
      `section metadata nests objects deeper than ${DEEPEST_METADATA} levels`);
    return parsed;
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function isDeeperThan(value, levels) {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

// The fields of one object of the metadata, each checked for its type.
export class Fields {
  constructor(container, metadata, key) {
    container.check(Object.hasOwn(metadata, key) && isObject(metadata[key]), `metadata has no object ${key}`);
    Object.assign(this, { container, key, object: metadata[key] });
  }

  has(key) {
    return Object.hasOwn(this.object, key);
  }

  #at(key, fits, what) {
    this.container.check(this.has(key), `metadata has no ${this.key}.${key}`);
    this.container.check(fits(this.object[key]), `metadata ${this.key}.${key} is not ${what}`);
    return this.object[key];
  }

  count(key, smallest = 0, largest = Number.MAX_SAFE_INTEGER) {
    const value = this.#at(key, (given) => Number.isSafeInteger(given) && given >= 0, "a whole number");
    this.container.check(value >= smallest && value <= largest,
      `metadata ${this.key}.${key} is ${value}, expected ${smallest} to ${largest}`);
    return value;
  }

  // Of the training: a number, or null where it is none.
  figure(key) {
    return this.#at(key, (value) => value === null || Number.isFinite(value), "a number");
  }

  flag(key) {
    return this.#at(key, (value) => typeof value === "boolean", "true or false");
  }

  text(key) {
    return this.#at(key, (value) => typeof value === "string", "a text");
  }

  number(key, otherwise) {
    if (otherwise !== undefined && !this.has(key)) return otherwise;
    return this.#at(key, (value) => typeof value === "number" && Math.abs(value) <= 3.4028234663852886e38,
      "a finite number");
  }

  // A text that is one of a few.
  choice(key, names) {
    const text = this.text(key);
    this.container.check(names.includes(text), `metadata ${this.key}.${key} is '${text}', expected ${names.join(", ")}`);
    return text;
  }

  hash(key) {
    const digits = this.text(key);
    this.container.check(/^[0-9a-f]{16}$/.test(digits),
      `metadata ${this.key}.${key} is '${digits}', expected 16 hexadecimal digits`);
    return digits;
  }
}
