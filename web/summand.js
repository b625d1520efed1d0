// summand in a page: opens indexes and models, searches and encodes as the C++ library does, bit for bit.
//
//     import { open } from "./summand.js";
//     const index = await open("index.smd");                        // or an ArrayBuffer, or a Blob
//     const { ids, scores } = index.search(query, { k: 10 });       // an array of index.dimensions numbers
//
// Made by web/make from web/src: edit those files.

// --- hash.js
// Checksums and identities.

const CRC_TABLES = crcTables();

// Row i of the tables takes a byte i places further.
function crcTables() {
  const tables = new Uint32Array(8 * 256);
  for (let i = 0; i < 256; ++i) {
    let value = i;
    for (let bit = 0; bit < 8; ++bit) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
    tables[i] = value;
  }
  for (let i = 256; i < tables.length; ++i) tables[i] = (tables[i - 256] >>> 8) ^ tables[tables[i - 256] & 255];
  return tables;
}

// CRC-32 as in zlib, eight bytes at a time.
function crc32(bytes) {
  const t = CRC_TABLES;
  let crc = ~0, i = 0;
  for (; i + 8 <= bytes.length; i += 8) {
    const low = crc ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    crc = t[1792 + (low & 255)] ^ t[1536 + ((low >>> 8) & 255)] ^ t[1280 + ((low >>> 16) & 255)] ^
      t[1024 + (low >>> 24)] ^ t[768 + bytes[i + 4]] ^ t[512 + bytes[i + 5]] ^ t[256 + bytes[i + 6]] ^ t[bytes[i + 7]];
  }
  for (; i < bytes.length; ++i) crc = t[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

// The 64-bit hash of the library (splitmix64 of each word), in halves of 32 bits. Feed it arrays as the library does:
// `begin` with the number of bytes, then their words of 32 bits, then `end`.
class Hash {
  high = 0;
  low = 0;
  #half = -1;
  #waiting = 0;

  begin(bytes) {
    this.#mix(Math.floor(bytes / 2 ** 32), bytes >>> 0);
    this.#half = -1;
  }

  word(bits) {
    if (this.#half < 0) {
      this.#half = 0;
      this.#waiting = bits;
      return;
    }
    this.#half = -1;
    this.#mix(bits, this.#waiting);
  }

  end() {
    if (this.#half >= 0) this.#mix(0, this.#waiting);
    this.#half = -1;
  }

  words(array) {
    this.begin(4 * array.length);
    for (const bits of array) this.word(bits);
    this.end();
  }

  text() {
    const digits = (half) => (half >>> 0).toString(16).padStart(8, "0");
    return digits(this.high) + digits(this.low);
  }

  #mix(high, low) {
    this.high ^= high;
    this.low ^= low;
    const sum = (this.low >>> 0) + 0x7f4a7c15;
    this.high = (this.high + 0x9e3779b9 + (sum > 0xffffffff ? 1 : 0)) | 0;
    this.low = sum | 0;
    this.#xorShift(30);
    this.#multiply(0xbf58476d, 0x1ce4e5b9);
    this.#xorShift(27);
    this.#multiply(0x94d049bb, 0x133111eb);
    this.#xorShift(31);
  }

  // x ^= x >> bits
  #xorShift(bits) {
    const low = (this.low >>> bits) | (this.high << (32 - bits));
    this.high ^= this.high >>> bits;
    this.low ^= low;
  }

  #multiply(high, low) {
    const a = this.low >>> 16, b = this.low & 0xffff, c = low >>> 16, d = low & 0xffff;
    const cross = a * d, other = b * c;
    const middle = ((b * d) >>> 16) + (cross & 0xffff) + (other & 0xffff);
    const carry = a * c + (cross >>> 16) + (other >>> 16) + (middle >>> 16);
    this.high = (carry + Math.imul(this.high, low) + Math.imul(this.low, high)) | 0;
    this.low = Math.imul(this.low, low);
  }
}

// --- arithmetic.js
// The float sums of the library, bit for bit. A float is a number that Math.fround leaves as it is. Products and sums of
// two floats are rounded as the hardware rounds them, because a double holds either with room to spare.

const fround = Math.fround;
const LANES = 16;

// a·b + c of floats, rounded once. The product is exact in double, and rounding the double sum to float gives what
// rounding the exact sum gives, unless the double lies in the middle between two floats.
function fused(a, b, c) {
  const product = a * b, sum = product + c, near = fround(sum), rest = sum - near;
  if (rest === 0) return near;
  const beyond = near + 2 * rest;
  return fround(beyond) === beyond ? fusedFromMiddle(product, c, sum, near, beyond) : near;
}

// `near` and `beyond` are the two floats beside the middle; the error of the double sum says which is nearer.
function fusedFromMiddle(product, c, sum, near, beyond) {
  const part = sum - product;
  const error = product - (sum - part) + (c - part);
  if (error === 0) return near;
  return error > 0 === beyond > near ? beyond : near;
}

// out[w] = Σ_d query[d]·words[from + w·width + d], d ascending, each step fused. Four words at a time, since a step
// waits for the one before.
function products(query, words, from, width, count, out, to) {
  let w = 0;
  for (; w + 4 <= count; w += 4) {
    const first = from + w * width, second = first + width, third = second + width, fourth = third + width;
    let a = 0, b = 0, c = 0, e = 0;
    for (let d = 0; d < width; ++d) {
      const value = query[d];
      a = fused(value, words[first + d], a);
      b = fused(value, words[second + d], b);
      c = fused(value, words[third + d], c);
      e = fused(value, words[fourth + d], e);
    }
    out[to + w] = a;
    out[to + w + 1] = b;
    out[to + w + 2] = c;
    out[to + w + 3] = e;
  }
  for (; w < count; ++w) {
    let sum = 0;
    for (let d = 0, at = from + w * width; d < width; ++d, ++at) sum = fused(query[d], words[at], sum);
    out[to + w] = sum;
  }
}

// Sums of terms in 16 lanes, which are added in halves: ((l0+l8)+(l4+l12)) + …
function laneTotal(size, term) {
  const lanes = new Float32Array(LANES);
  for (let i = 0; i < size; ++i) lanes[i % LANES] += term(i);
  for (let half = LANES >> 1; half > 0; half >>= 1)
    for (let i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

// The second vector is b[from], b[from + 1], …
function dot(a, b, size, from = 0) {
  return laneTotal(size, (i) => fround(a[i] * b[from + i]));
}

function squaredDistance(a, b, size, from = 0) {
  return laneTotal(size, (i) => {
    const difference = fround(a[i] - b[from + i]);
    return fround(difference * difference);
  });
}

// |query - scale·row|² with a factor for each dimension: scale(i).
function scaledDistance(query, scale, row, size, from) {
  return laneTotal(size, (i) => {
    const difference = fround(query[i] - fround(scale(i) * row[from + i]));
    return fround(difference * difference);
  });
}

const isFiniteFloat = (x) => x - x === 0;

// Scales to length one, in place; false where there is no direction.
function scaleToUnitLength(vector) {
  const square = dot(vector, vector, vector.length);
  if (square > fround(1e-30) && square < fround(1e37)) {
    const length = fround(Math.sqrt(square));
    for (let d = 0; d < vector.length; ++d) vector[d] = vector[d] / length;
    return true;
  }
  let sum = 0;
  for (const x of vector) sum += x * x;
  const length = Math.sqrt(sum);
  if (!(length > 0)) return false;
  for (let d = 0; d < vector.length; ++d) vector[d] = vector[d] / length;
  return true;
}

// IEEE half precision, exactly.
function halfToFloat(half) {
  const exponent = (half >> 10) & 31, fraction = half & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? (fraction ? NaN : Infinity)
    : (1024 + fraction) * 2 ** (exponent - 25);
  return half & 0x8000 ? -size : size;
}

// --- source.js
// Where the bytes of a file come from: memory, a Blob, or a URL that is read in ranges.

function sourceOf(given) {
  if (given instanceof ArrayBuffer) return memorySource(new Uint8Array(given));
  if (ArrayBuffer.isView(given)) return memorySource(new Uint8Array(given.buffer, given.byteOffset, given.byteLength));
  if (typeof Blob !== "undefined" && given instanceof Blob) return blobSource(given);
  if (typeof given === "string" || given instanceof URL) return urlSource(String(given));
  throw new Error("open: expected an ArrayBuffer, a typed array, a Blob or a URL");
}

function memorySource(bytes) {
  return { name: "memory", size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}

function blobSource(blob) {
  const read = async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer());
  return { name: blob.name || "blob", size: blob.size, read };
}

// The first request says how long the file is. A server that knows no ranges sends all of it.
async function urlSource(url) {
  const FIRST = 1 << 16;
  const get = async (from, length) => {
    const answer = await fetch(url, { headers: { Range: `bytes=${from}-${from + length - 1}` } });
    if (!answer.ok && answer.status !== 416) throw new Error(`${url}: cannot be read, status ${answer.status}`);
    return answer;
  };
  const first = await get(0, FIRST);
  if (first.status === 416) return { ...memorySource(new Uint8Array(0)), name: url };
  const bytes = new Uint8Array(await first.arrayBuffer());
  if (first.status !== 206) return { ...memorySource(bytes), name: url };
  const total = /^bytes 0-\d+\/(\d+)$/.exec(first.headers.get("Content-Range") ?? "");
  if (!total) throw new Error(`${url}: the server does not say how long the file is`);
  const read = async (offset, length) => {
    if (length === 0) return new Uint8Array(0);
    if (offset + length <= bytes.length) return bytes.subarray(offset, offset + length);
    const answer = await get(offset, length);
    const part = new Uint8Array(await answer.arrayBuffer());
    if (answer.status !== 206 || part.length !== length)
      throw new Error(`${url}: expected ${length} bytes from ${offset} on, got ${part.length}`);
    return part;
  };
  return { name: url, size: Number(total[1]), read };
}

// --- container.js
// The container file (docs/format.md). A reader verifies header, table and layout first, and each section's checksum as
// it is read; nothing is allocated by a number that was not held against the file's size.


const KIND = { model: 1, index: 3, inverted: 5 };
const KIND_NAMES = [null, "a model", "codes", "an index", "a checkpoint", "an inverted index", "a vocabulary",
  "an unfinished index", "an inverted model", "the manifest of an index in a folder", "a segment of an index in a folder"];
const FIRST_OF_FOLDER = 9;
const TYPE = { text: 1, uint8: 2, nibble: 3, uint64: 4, float32: 5, float64: 6, float16: 7 };
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

class Container {
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
class Fields {
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

// --- quantizer.js
// All that training produced. Words of dictionary m lie in the dimensions begin[m] … end[m] - 1, row after row:
//
//     word k of dictionary m = words[start[m] + k·width …],  width = end[m] - begin[m]


const MODEL_SECTIONS = ["centre", "rotation", "blocks", "words", "word_offsets", "objective"];
const MOST_DICTIONARIES = 64, MOST_WORDS = 256, MOST_DIMENSIONS = 2 ** 32;
const BIASES = ["none", "stored", "derived"];

const dictionariesOf = (fields) => fields.count("dictionaries", 1, MOST_DICTIONARIES);
const wordsOf = (fields) => fields.count("words", 2, MOST_WORDS);

async function readQuantizer(container, metadata) {
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
function wordOf(quantizer, m, k) {
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
function addWords(quantizer, code, sum) {
  sum.fill(0);
  for (let m = 0; m < quantizer.count; ++m) {
    const word = wordOf(quantizer, m, code[m]), begin = quantizer.begin[m];
    for (let d = 0; d < word.length; ++d) sum[begin + d] += word[d];
  }
}

// The words of a model where the data lie, turned back one by one as they are needed.
class Decoder {
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

// --- tables.js
// Tables of a query, so that the score of a code is a sum of look-ups:
//
//     distances   table[m][s] = word_offset[m][k] - 2 q'·c[m][k]    offset = |q'|²,  q' = rotation·(q - centre)
//     products    table[m][s] = -(rotation·q)·c[m][k]               offset = -q·centre
//
// k is the word that slot s stands for.


const isDistance = (metric) => metric !== "ip";

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

class TableBuilder {
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
function checkQuery(query, dimensions, metric) {
  if (!(Array.isArray(query) || ArrayBuffer.isView(query)) || query.length !== dimensions)
    throw new Error(`search: expected a query of ${dimensions} dimensions, got ${query?.length}`);
  const floats = Float32Array.from(query);
  if (!floats.every(isFiniteFloat)) throw new Error("search: the query holds a value that is not finite (NaN or infinity)");
  if (metric === "cosine" && !floats.some((x) => x !== 0))
    throw new Error("search: the query is all zeros, which has no direction; cosine needs non-zero queries");
  return floats;
}

// --- cells.js
// Cells of an inverted index: which are nearest to a query, and the tables that belong to a cell.


const CELL_SECTIONS = ["cell_words", "cell_offsets", "cell_groups", "cell_group_begin", "lists", "ids"];
const REACH_CELL = 8;
const MOST_CELL_WORDS = 2 ** 20, MOST_PAIRED_CELL_WORDS = 2 ** 14;
const LEAST_GROUPS = 8, SPARE_CELLS = 32, SPARE_VECTORS = 16;  // of two levels: how many groups are looked at
const KEPT_TABLES = 2 ** 24;  // floats

async function readPartition(container, metadata, dimensions) {
  const fields = new Fields(container, metadata, "cells");
  const count = fields.count("dictionaries", 1, 2);
  const size = fields.count("words", 1, count === 1 ? MOST_CELL_WORDS : MOST_PAIRED_CELL_WORDS);
  const partition = { count, size, dimensions, orthogonal: fields.flag("orthogonal"),
    residual: fields.choice("coding", ["residual", "plain"]) === "residual", cells: size ** count };
  partition.words = await container.floats("cell_words", [count, size, dimensions]);
  partition.offsets = await container.floats("cell_offsets", [count, size]);
  const groups = fields.count("groups", 0, count === 1 ? size : 0);
  if (groups === 0) return partition;
  partition.groups = await container.floats("cell_groups", [groups, dimensions]);
  const begin = await container.counts("cell_group_begin", [groups + 1]);
  container.check(begin[0] === 0 && begin[groups] === size && begin.every((x, g) => g === 0 || x >= begin[g - 1]),
    `section cell_group_begin does not divide ${size} cells`);
  return { ...partition, begin };
}

// The lists of cells: that of cell c is the positions begin[c] … begin[c+1] - 1. Ids are numbers, or all of them BigInt
// where one is 2^53 or more.
async function readLists(container, cells, size) {
  const begin = await container.counts("lists", [cells + 1]);
  const ids = await container.wholes("ids", [size]);
  container.check(ids.every((id) => id < 2 ** 63), "expected ids below 2^63");
  container.check(begin[0] === 0 && begin[cells] === size, `expected lists of ${size} vectors, got ${begin[cells] - begin[0]}`);
  const bad = begin.findIndex((x, c) => c > 0 && x < begin[c - 1]);
  container.check(bad < 0, `the list of cell ${bad - 1} ends before it begins`);
  return { begin, ids };
}

const isBefore = (a, b) => a.score < b.score || (a.score === b.score && a.cell < b.cell);
const inOrder = (a, b) => (isBefore(a, b) ? -1 : 1);

// Takes probes, best first, until there are enough cells or enough vectors in their lists.
class Quota {
  constructor(lists, { probes, candidates }) {
    Object.assign(this, { lists, probes, candidates, vectors: 0, taken: [] });
  }

  get filled() {
    return this.candidates > 0 ? this.vectors >= this.candidates : this.taken.length >= this.probes;
  }

  take(probe) {
    this.taken.push(probe);
    this.vectors += this.lists.begin[probe.cell + 1] - this.lists.begin[probe.cell];
  }
}

// Pairs of words in the order of their sums: a pair may come next once both its predecessors have come.
class MultiSequence {
  #heap = [];
  #taken;

  constructor(first, second) {
    Object.assign(this, { first, second });
    this.#taken = new Uint32Array(first.length);
    this.#push(0, 0);
  }

  get done() {
    return this.#heap.length === 0;
  }

  // All pairs with the smallest sum that is left, in the order of cells.
  next() {
    const size = this.first.length, equal = [], { score } = this.#heap[0];
    while (!this.done && this.#heap[0].score === score) {
      const { i, j } = this.#pop();
      equal.push({ cell: this.first[i].cell * size + this.second[j].cell, score });
      ++this.#taken[i];
      if (i + 1 < size && this.#taken[i + 1] === j) this.#push(i + 1, j);
      if (j + 1 < size && (i === 0 || this.#taken[i - 1] > j + 1)) this.#push(i, j + 1);
    }
    return equal.sort(inOrder);
  }

  #push(i, j) {
    const heap = this.#heap, place = { i, j, score: fround(this.first[i].score + this.second[j].score) };
    let at = heap.push(place) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && heap[parent].score > place.score; parent = (at - 1) >> 1) {
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = place;
  }

  #pop() {
    const heap = this.#heap, top = heap[0], last = heap.pop();
    for (let at = 0; heap.length > 0; ) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && heap[child + 1].score < heap[child].score) ++child;
      if (child >= heap.length || heap[child].score >= last.score) {
        heap[at] = last;
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    return top;
  }
}

class Cells {
  #tables = new Map();

  constructor(partition, lists, quantizer, metric, slots, slotCount) {
    const distance = metric !== "ip";
    Object.assign(this, { partition, lists, quantizer, distance });
    this.scores = new Float32Array(partition.offsets.length);
    // A word of the partition is a query for inner products: its entries are -(R c)·r, its offset -c·centre.
    if (distance && partition.residual) this.builder = new TableBuilder(quantizer, false, slots, slotCount);
    this.groupOffsets = partition.groups ? this.#groupOffsets() : null;
  }

  // Whether each cell has tables of its own.
  get hasTables() {
    return Boolean(this.builder);
  }

  #groupOffsets() {
    const { groups, dimensions, begin } = this.partition;
    return Float32Array.from({ length: begin.length - 1 }, (_, g) => {
      const centre = groups.subarray(g * dimensions, (g + 1) * dimensions);
      return dot(centre, centre, dimensions);
    });
  }

  // out[w] = offsets[w] - 2 query·word, or -query·word, of `count` words from `first` on.
  #scoreWords(query, words, offsets, first, count, out) {
    const { dimensions } = this.partition;
    products(query, words, first * dimensions, dimensions, count, out, first);
    for (let w = first; w < first + count; ++w) {
      out[w] = this.distance ? offsets[w] + fround(-2 * out[w]) : 0 - out[w];
      if (!isFiniteFloat(out[w])) throw new Error("search: the query makes scores of cells that are not finite");
    }
  }

  // Whether there are distances of cells, all known at once.
  get hasReach() {
    return this.distance && this.partition.count === 1 && !this.partition.groups;
  }

  // The largest score of a cell up to `reach` times as far as the eighth nearest one.
  #scoreInReach(query, sorted, reach) {
    const factor = fround(reach), square = dot(query, query, this.partition.dimensions);
    const nearest = sorted[Math.min(sorted.length, REACH_CELL) - 1].score;
    const within = fround(fround(fround(factor * factor) * Math.max(0, fround(nearest + square))) - square);
    return Math.max(nearest, within);
  }

  // The cells to visit, best first, with their scores.
  nearest(query, limit) {
    const { partition, lists, scores } = this, { count, size } = partition;
    const quota = new Quota(lists, limit);
    if (partition.groups) return this.#nearestOfGroups(query, limit, quota);
    this.#scoreWords(query, partition.words, partition.offsets, 0, count * size, scores);
    const words = (i) => Array.from({ length: size }, (_, cell) => ({ cell, score: scores[i * size + cell] })).sort(inOrder);
    if (count === 1) {
      const sorted = words(0), most = limit.reach ? this.#scoreInReach(query, sorted, limit.reach) : Infinity;
      for (const probe of sorted) if (!quota.filled && probe.score <= most) quota.take(probe);
      return quota.taken;
    }
    const sequence = new MultiSequence(words(0), words(1));
    while (!sequence.done && !quota.filled)
      for (const probe of sequence.next()) if (!quota.filled) quota.take(probe);
    return quota.taken;
  }

  // Two levels: the cells of the nearest groups alone.
  #nearestOfGroups(query, { probes, candidates }, quota) {
    const { partition, lists } = this, { begin } = partition, groups = begin.length - 1;
    const near = new Float32Array(groups), found = [];
    this.#scoreWords(query, partition.groups, this.groupOffsets, 0, groups, near);
    const order = Array.from(near, (score, cell) => ({ cell, score })).sort(inOrder);
    let looked = 0, cells = 0, vectors = 0;
    for (const { cell: group } of order) {
      const enough = candidates > 0 ? Math.floor(vectors / SPARE_VECTORS) >= candidates : Math.floor(cells / SPARE_CELLS) >= probes;
      if (looked++ >= LEAST_GROUPS && enough) break;
      const first = begin[group], last = begin[group + 1];
      cells += last - first;
      vectors += lists.begin[last] - lists.begin[first];
      this.#scoreWords(query, partition.words, partition.offsets, first, last - first, this.scores);
      for (let cell = first; cell < last; ++cell) found.push({ cell, score: this.scores[cell] });
    }
    for (const probe of found.sort(inOrder)) if (!quota.filled) quota.take(probe);
    return quota.taken;
  }

  // Entries and shift of word w of the partition, made when it is first visited.
  #tablesOf(w) {
    if (!this.#tables.has(w)) {
      const { partition, builder } = this, { dimensions } = partition;
      if ((this.#tables.size + 1) * builder.entries > KEPT_TABLES) this.#tables.clear();
      const word = partition.words.subarray(w * dimensions, (w + 1) * dimensions);
      const entries = new Float32Array(builder.entries);
      let shift = fround(-2 * builder.build(word, entries));
      for (let e = 0; e < entries.length; ++e) entries[e] = 0 + fround(-2 * entries[e]);
      if (!partition.orthogonal) shift = fround(shift + fround(dot(word, word, dimensions) - partition.offsets[w]));
      this.#tables.set(w, { entries, shift });
    }
    return this.#tables.get(w);
  }

  // The words of a cell, as rows of the partition.
  #wordsOf(cell) {
    const { count, size } = this.partition;
    return count === 1 ? [cell] : [Math.floor(cell / size), size + (cell % size)];
  }

  // Writes the query's tables with those of the cell added; returns what the offset of the cell adds.
  addTables(entries, cell, out) {
    const { partition } = this, tables = this.#wordsOf(cell).map((w) => this.#tablesOf(w));
    for (let e = 0; e < out.length; ++e) {
      const sum = fround(entries[e] + tables[0].entries[e]);
      out[e] = tables.length === 1 ? sum : sum + tables[1].entries[e];
    }
    if (tables.length === 1) return tables[0].shift;
    const shift = fround(tables[0].shift + tables[1].shift);
    if (partition.orthogonal) return shift;
    const [first, second] = this.#wordsOf(cell), { words, dimensions } = partition;
    const own = words.subarray(first * dimensions, (first + 1) * dimensions);
    return fround(shift + fround(2 * dot(own, words, dimensions, second * dimensions)));
  }

  // The cell whose list holds a position.
  cellOf(position) {
    const { begin } = this.lists;
    let low = 0, high = begin.length - 1;  // begin[low] <= position < begin[high]
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (begin[middle] <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  // vector += the centre of the cell.
  addCentre(cell, vector) {
    const { words, dimensions } = this.partition;
    for (const w of this.#wordsOf(cell))
      for (let d = 0; d < dimensions; ++d) vector[d] += words[w * dimensions + d];
  }
}

// --- packed_codes.js
// Codes in blocks of 512 vectors as the scan reads them (docs/format.md). A plane has a byte of each vector: a slot of a
// dictionary, or of two dictionaries where there are at most 16 words. Four planes may lie in three rows and a top row.


const BLOCK = 512;
const BYTE_SLOTS = 256, NIBBLE_SLOTS = 16, MOST_VECTORS = 2 ** 48;

const CODE_SECTIONS = ["codes", "slots", "packed", "packed_tops", "bias", "bias_levels", "piece_sums"];

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

async function readPackedCodes(container, metadata, quantizer, metric) {
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
class PackedCodes {
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

// --- kernel_bytes.js
// kernel.c, compiled by web/make.

const KERNEL =
  "AGFzbQEAAAABGgNgBn9/f39/fwF/YAV/f39/fwBgA39/fwF9Ag8BA2VudgZtZW1vcnkCAAEDBgUAAQIBAQQFAXABAQEGCAF/AUGAyAALBy0ECXN1" +
  "cnZpdm9ycwAAC2xpc3RlZF9zdW1zAAEEc3VtcwADCHByb2R1Y3RzAAQKvx4F7wQGAX8BewZ/AXsEfwN7QQAhBgJAIAEgAk8NACAE/Q8hByABQQl0" +
  "IQggACgCACEJQQAhBgNAIAFBCXQhCkEAIQsDQCAJIAogACgCCCIEbGogC2ohDAJAAkAgACgCECINDQD9DAAAAAAAAAAAAAAAAAAAAAAhDiADIQQM" +
  "AQsgDUGADGwhDyAJIAggBGxqIRD9DAAAAAAAAAAAAAAAAAAAAAAhDiANIREgAyEEA0AgDiAE/QAAACAQIAtqIhL9AAAAIhP9DA8PDw8PDw8PDw8P" +
  "Dw8PDw8iFP1O/Q4gBEEgav0AAAAgEkGABGr9AAAAIhUgFP1O/Q79cCAEQcAAav0AAAAgEkGACGr9AAAAIBT9Tv0OIARB4ABq/QAAACAVQQT9bf0M" +
  "DAwMDAwMDAwMDAwMDAwMDP1OIBNBBv1t/VD9Dv1w/XD9cCEOIARBgAFqIQQgEEGADGohECARQX9qIhENAAsgDCAPaiEMIAMgDUEHdGohBAsCQCAN" +
  "QQJ0IhAgACgCDCISTw0AIAAoAhghEQNAIAT9AAAAIAz9AAAAIhP9DA8PDw8PDw8PDw8PDw8PDw/9Tv0OIRQCQCAQIBFPDQAgFCAEQRBq/QAAACAT" +
  "QQT9bf0O/XAhFAsgBEEgaiEEIAxBgARqIQwgDiAU/XAhDiASIBBBAWoiEEcNAAsLAkAgByAO/Sz9ZCIERQ0AIAsgCmohEiAFIAZBAnRqIRADQCAQ" +
  "IBIgBGhqNgIAIBBBBGohECAGQQFqIQYgBEF/aiAEcSIEDQALCyALQfADSSEEIAtBEGohCyAEDQALIAhBgARqIQggAUEBaiIBIAJHDQALCyAGCzgA" +
  "AkAgA0UNAANAIAQgACACKAIAIAEQgoCAgAA4AgAgAkEEaiECIARBBGohBCADQX9qIgMNAAsLC4oGAwV/AX0GfyAAKAIAIgMgAUGAfHEiBCAAKAII" +
  "bCIFaiABQf8DcSIGaiEBAkACQCAAKAIYRQ0AAkAgACgCFCIGDQBDAAAAgA8LIAZBAXEhBwJAAkAgBkEBRw0AQwAAAIAhCEEAIQQMAQsgBkF+cSEJ" +
  "QwAAAIAhCEEAIQQgASEGA0AgCCACIAYtAAAiBUEPcUECdGoqAgCSIAIgBUECdkE8cWpBwABqKgIAkiEIIAZBgARqIQYgAkGAAWohAiAJIARBAmoi" +
  "BEcNAAsLIAdFDQEgCCACIAEgBEEIdEGAfHFqLQAAIARBAnRBBHF2QQ9xQQJ0aioCAJIhCAwBCwJAAkAgACgCECIKDQBDAAAAgCEIDAELIApBCnQh" +
  "CyAFIApBgAxsaiAGciEMIAAoAgQgBCAKbGogBmohBUMAAACAIQggCiEJIAIhBgNAIAggBiAFLQAAIgRBBnRBwAFxIAEtAAAiB0E/cXJBAnRqKgIA" +
  "kiAGIARBBHRBwAFxIAFBgARqLQAAIg1BP3FyQQJ0akGACGoqAgCSIAYgBEECdEHAAXEgAUGACGotAAAiDkE/cXJBAnRqQYAQaioCAJIgBiAEQcAB" +
  "cSAHQQZ2ciANQQR2QQxxciAOQQJ2QTBxckECdGpBgBhqKgIAkiEIIAFBgAxqIQEgBkGAIGohBiAFQYAEaiEFIAlBf2oiCQ0ACyADIAxqIQEgAiAL" +
  "QQJ0aiECCyAAKAIUIgcgCkECdCIFTQ0AIAcgBUF/c2ohDQJAIAdBA3EiCUUNACABIQYgAiEEA0AgBUEBaiEFIAggBCAGLQAAQQJ0aioCAJIhCCAG" +
  "QYAEaiIBIQYgBEGACGoiAiEEIAlBf2oiCQ0ACwsgDUEDSQ0AIAcgBWshBgNAIAggAiABLQAAQQJ0aioCAJIgAiABQYAEai0AAEECdGpBgAhqKgIA" +
  "kiACIAFBgAhqLQAAQQJ0akGAEGoqAgCSIAIgAUGADGotAABBAnRqQYAYaioCAJIhCCABQYAQaiEBIAJBgCBqIQIgBkF8aiIGDQALCyAICzMAAkAg" +
  "AiADTw0AA0AgBCAAIAIgARCCgICAADgCACAEQQRqIQQgAyACQQFqIgJHDQALCwvSEgoIfwV7AXwBewF8AX8BfAN7BXwBe0EAIQUCQCADQQhJDQAC" +
  "QCACRQ0AIAJBAnQhBiACQQV0IQdBACEIIAEhCUEIIQoDQCAKIQUgACELIAkhCiACIQz9DAAAAAAAAAAAAAAAAAAAAAAiDSEOIA0hDyANIRAgDSER" +
  "A0ACQCARIAsqAgC7IhL9FCITIAoqAgC7IhT9FCAKIAZqIhUqAgC7Ihb9IgH98gH98AEiFyAX/SEAtrv9FCAX/SEBtrv9IgEiF/3xASIYIBj98AEg" +
  "F/3wASIZIBn9IQC2u/0UIBn9IQG2u/0iAf1HIBggDf1I/U79U0UNAAJAIBH9IQAiGiASIBSiIhugIhwgHLa7IhShIh1EAAAAAAAAAABhDQAgHSAd" +
  "oCAUoCIdIB22u2INACAUIBQgHSAaIBwgG6EiHqEgGyAcIB6hoaAiHEQAAAAAAAAAAGQgHSAUZHMbIBxEAAAAAAAAAABhGyEUCwJAIBH9IQEiGiAS" +
  "IBaiIhugIhwgHLa7IhahIh1EAAAAAAAAAABhDQAgHSAdoCAWoCIdIB22u2INACAWIBYgHSAaIBwgG6EiHqEgGyAcIB6hoaAiHEQAAAAAAAAAAGQg" +
  "HSAWZHMbIBxEAAAAAAAAAABhGyEWCyAU/RQgFv0iASEXCwJAIBAgEyAVIAZqIhUqAgC7IhT9FCAVIAZqIhUqAgC7Ihb9IgH98gH98AEiGCAY/SEA" +
  "trv9FCAY/SEBtrv9IgEiGP3xASIZIBn98AEgGP3wASIRIBH9IQC2u/0UIBH9IQG2u/0iAf1HIBn9DAAAAAAAAAAAAAAAAAAAAAAiEf1I/U79U0UN" +
  "AAJAIBD9IQAiGiASIBSiIhugIhwgHLa7IhShIh1EAAAAAAAAAABhDQAgHSAdoCAUoCIdIB22u2INACAUIBQgHSAaIBwgG6EiHqEgGyAcIB6hoaAi" +
  "HEQAAAAAAAAAAGQgHSAUZHMbIBxEAAAAAAAAAABhGyEUCwJAIBD9IQEiGiASIBaiIhugIhwgHLa7IhahIh1EAAAAAAAAAABhDQAgHSAdoCAWoCId" +
  "IB22u2INACAWIBYgHSAaIBwgG6EiHqEgGyAcIB6hoaAiHEQAAAAAAAAAAGQgHSAWZHMbIBxEAAAAAAAAAABhGyEWCyAU/RQgFv0iASEYCwJAIA8g" +
  "EyAVIAZqIhUqAgC7IhT9FCAVIAZqIhUqAgC7Ihb9IgH98gH98AEiGSAZ/SEAtrv9FCAZ/SEBtrv9IgEiGf3xASIQIBD98AEgGf3wASIfIB/9IQC2" +
  "u/0UIB/9IQG2u/0iAf1HIBAgEf1I/U79U0UNAAJAIA/9IQAiGiASIBSiIhugIhwgHLa7IhShIh1EAAAAAAAAAABhDQAgHSAdoCAUoCIdIB22u2IN" +
  "ACAUIBQgHSAaIBwgG6EiHqEgGyAcIB6hoaAiHEQAAAAAAAAAAGQgHSAUZHMbIBxEAAAAAAAAAABhGyEUCwJAIA/9IQEiGiASIBaiIhugIhwgHLa7" +
  "IhahIh1EAAAAAAAAAABhDQAgHSAdoCAWoCIdIB22u2INACAWIBYgHSAaIBwgG6EiHqEgGyAcIB6hoaAiHEQAAAAAAAAAAGQgHSAWZHMbIBxEAAAA" +
  "AAAAAABhGyEWCyAU/RQgFv0iASEZCwJAIA4gEyAVIAZqIhUqAgC7IhT9FCAVIAZqKgIAuyIW/SIB/fIB/fABIhMgE/0hALa7/RQgE/0hAba7/SIB" +
  "IhP98QEiECAQ/fABIBP98AEiHyAf/SEAtrv9FCAf/SEBtrv9IgH9RyAQIBH9SP1O/VNFDQACQCAO/SEAIhogEiAUoiIboCIcIBy2uyIUoSIdRAAA" +
  "AAAAAAAAYQ0AIB0gHaAgFKAiHSAdtrtiDQAgFCAUIB0gGiAcIBuhIh6hIBsgHCAeoaGgIhxEAAAAAAAAAABkIB0gFGRzGyAcRAAAAAAAAAAAYRsh" +
  "FAsCQCAO/SEBIhsgEiAWoiIdoCIWIBa2uyISoSIcRAAAAAAAAAAAYQ0AIBwgHKAgEqAiHCActrtiDQAgEiASIBwgGyAWIB2hIhqhIB0gFiAaoaGg" +
  "IhZEAAAAAAAAAABkIBwgEmRzGyAWRAAAAAAAAAAAYRshEgsgFP0UIBL9IgEhEwsgC0EEaiELIApBBGohCiATIQ4gGSEPIBghECAXIREgDEF/aiIM" +
  "DQALIAQgCEECdGoiCiAT/SEBtjgCHCAKIBP9IQC2OAIYIAogGf0hAbY4AhQgCiAZ/SEAtjgCECAKIBj9IQG2OAIMIAogGP0hALY4AgggCiAX/SEB" +
  "tjgCBCAKIBf9IQC2OAIAIAkgB2ohCSAFIQggBUEIaiIKIANNDQAMAgsLQQAhCiAEIQYDQCAG/QwAAAAAAAAAAAAAAAAAAAAAIhP9CwIAIAZBEGog" +
  "E/0LAgAgBkEgaiEGIApBEGohCyAKQQhqIgUhCiALIANNDQALCwJAIAUgA08NAAJAIAJFDQAgAkECdCEVIAEgBSACbEECdGohDANAIAAhBiAMIQog" +
  "AiELRAAAAAAAAAAAIRYDQAJAAkAgFiAGKgIAuyAKKgIAu6IiHaAiFCAUtrsiEqEiHEQAAAAAAAAAAGINACASIRYMAQsCQCAcIBygIBKgIhwgHLa7" +
  "YQ0AIBIhFgwBCyASIBIgHCAWIBQgHaEiG6EgHSAUIBuhoaAiFEQAAAAAAAAAAGQgHCASZHMbIBREAAAAAAAAAABhGyEWCyAGQQRqIQYgCkEEaiEK" +
  "IAtBf2oiCw0ACyAEIAVBAnRqIBa2OAIAIAwgFWohDCAFQQFqIgUgA0cNAAwCCwsCQCADIAVrIhVBBEkNACAVQXxxIglBfGoiBkECdkEBaiIMQQNx" +
  "IQpBACELAkAgBkEMSQ0AIAxB/P///wdxIQwgBCAFQQJ0aiEGQQAhCwNAIAb9DAAAAAAAAAAAAAAAAAAAAAAiE/0LAgAgBkEwaiAT/QsCACAGQSBq" +
  "IBP9CwIAIAZBEGogE/0LAgAgBkHAAGohBiALQRBqIQsgDEF8aiIMDQALCwJAIApFDQAgBCAFIAtqQQJ0aiEGA0AgBv0MAAAAAAAAAAAAAAAAAAAA" +
  "AP0LAgAgBkEQaiEGIApBf2oiCg0ACwsgFSAJRg0BIAUgCWohBQsgAyAFayEKIAQgBUECdGohBgNAIAZBADYCACAGQQRqIQYgCkF/aiIKDQALCws=";

// --- kernel.js
// The kernel in WebAssembly (kernel.c) and the memory that it shares with the page:
//
//     | stack | codes' description | rows | tops | words | rotation | entries | bounds | query | listed vectors | sums |


const PAGE = 65536, LINE = 64;
const DESCRIPTION = 7;  // numbers of 32 bits
const PLANE_BOUNDS = 32;
const MOST_PLANES = 65;
const MOST_LISTED = 32768;  // vectors looked at in one call

let compiled = null;  // once for all indexes of a page

class Kernel {
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

// --- refine.js
// The second layer: scores of the best candidates from something more precise, which the file holds (docs/refine.md).


const REFINE_SECTIONS = ["refine_model", "refine_codes", "refine_sample", "refine_rows", "refine_ranges"];
const FORMATS = { fp32: TYPE.float32, fp16: TYPE.float16, sq8: TYPE.uint8, u8: TYPE.uint8 };

// `first` finds the approximation of an id: first.reconstruct(id, vector).
async function readSecondLayer(container, metadata, first) {
  const fields = new Fields(container, metadata, "refine");
  const kind = fields.choice("with", ["codes", "file", "rows"]);
  if (kind === "codes") return CodeLayer.read(container, fields, first);
  if (kind === "rows") return RowLayer.read(container, fields, first);
  await container.floats("refine_sample", [fields.count("sample"), first.dimensions]);
  return new FileLayer(fields.text("path"));
}

class FileLayer {
  constructor(path) {
    this.path = path;
  }

  scorer() {
    throw new Error(`search: the vectors of Refine(flat) lie in ${this.path}, which a page cannot read; expected refine: 0`);
  }
}

class CodeLayer {
  static async read(container, fields, first) {
    const bytes = await container.bytes("refine_model", [fields.count("model_bytes")]);
    const file = await Container.open(bytes);
    file.name = `${container.name}: refine_model`;
    file.expect(KIND.model, MODEL_SECTIONS);
    const quantizer = await readQuantizer(file, await file.metadata());
    container.check(quantizer.dimensions === first.dimensions, `expected a second layer of ${first.dimensions} `,
      `dimensions, got ${quantizer.dimensions}`);
    const rows = await container.bytes("refine_codes", [first.size, quantizer.count]);
    container.check(rows.every((word) => word < quantizer.size), "the second layer names a word that does not exist");
    first.requireIdsFromZero(container);
    return Object.assign(new CodeLayer(), { first, rows, count: quantizer.count, decoder: new Decoder(quantizer) });
  }

  // score(id) for one query.
  scorer(query, metric) {
    const { first, rows, count, decoder } = this, vector = new Float32Array(query.length);
    return (id) => {
      vector.fill(0);
      first.reconstruct(id, vector);
      decoder.add(rows.subarray(id * count, (id + 1) * count), vector);
      return isDistance(metric) ? squaredDistance(query, vector, query.length) : -dot(query, vector, query.length);
    };
  }
}

// Vectors by position.
class RowLayer {
  static async read(container, fields, first) {
    const format = fields.choice("format", Object.keys(FORMATS)), { size, dimensions } = first;
    const bytes = await container.bytes("refine_rows", [size, dimensions], FORMATS[format]);
    const layer = Object.assign(new RowLayer(), { format, dimensions, byPosition: true });
    if (format === "fp32") layer.rows = new Float32Array(bytes.slice().buffer);
    else if (format === "fp16") layer.rows = Float32Array.from(new Uint16Array(bytes.slice().buffer), halfToFloat);
    else layer.rows = bytes;
    container.check(format.startsWith("fp") ? layer.rows.every(isFiniteFloat) : true,
      "the second layer holds a number that is not finite");
    if (format === "sq8") await layer.#readRanges(container);
    return layer;
  }

  async #readRanges(container) {
    const { dimensions } = this, ranges = await container.floats("refine_ranges", [2, dimensions]);
    this.smallest = ranges.subarray(0, dimensions);
    this.steps = ranges.subarray(dimensions);
    this.steps.forEach((step, d) => container.check(step >= 0 && isFiniteFloat(fround(this.smallest[d] + fround(255 * step))),
      `expected a range of finite numbers for dimension ${d} of the second layer`));
  }

  // What scales a row of bytes to length one.
  #scale(row) {
    let squares = 0;
    for (let d = 0; d < this.dimensions; ++d) squares += this.rows[row + d] ** 2;
    return squares === 0 ? 0 : fround(1 / Math.sqrt(squares));
  }

  // score(position) for one query.
  scorer(query, metric) {
    const { format, rows, dimensions: D } = this;
    if (format === "sq8") return this.#steppedScorer(query, metric);
    if (!isDistance(metric)) return (position) => -dot(query, rows, D, position * D);
    if (format !== "u8" || metric !== "cosine") return (position) => squaredDistance(query, rows, D, position * D);
    return (position) => {
      const scale = this.#scale(position * D);
      return scaledDistance(query, () => scale, rows, D, position * D);
    };
  }

  #steppedScorer(query, metric) {
    const { rows, smallest, steps, dimensions: D } = this;
    if (isDistance(metric)) {
      const moved = query.map((x, d) => x - smallest[d]);
      return (position) => scaledDistance(moved, (d) => steps[d], rows, D, position * D);
    }
    const scaled = query.map((x, d) => x * steps[d]), offset = dot(query, smallest, D);
    return (position) => -fround(offset + dot(scaled, rows, D, position * D));
  }
}

// --- bounds.js
// 8-bit lower bounds of a query's tables, as src/index/query_bounds.h derives them: with the smallest entry of every
// table taken out, a score is base + X, and what is left of the entries is scaled and rounded down. A score up to the
// limit has Σ of bounds <= `limit()`. A look-up takes the low four bits of a byte, and in planes of whole bytes the
// smallest of the 16 entries that share them.


const MOST_LIMIT = 254, LEAST_LIMIT = 208, LARGEST_SCALE = 1e30, ROUNDED_UP = 1 + 2 ** -20;
const LARGEST = 3.4028234663852886e38;

class Bounds {
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

// --- scan.js
// Scores of packed codes by the tables of one query:
//
//     (((table[0][slot_0] + table[1][slot_1]) + …) + bias) + offset


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

class Scan {
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

// --- top_k.js
// The k best (score, id) of a stream. Smaller scores come first, equal ones by the smaller id.

class TopK {
  constructor(k) {
    this.k = k;
    this.scores = [];
    this.ids = [];
    this.limit = k > 0 ? Infinity : -Infinity;  // scores above it are not wanted
  }

  offer(score, id) {
    if (!(score <= this.limit) || this.k === 0) return;
    if (this.ids.length < this.k) {
      this.#rise(this.ids.length, score, id);
      if (this.ids.length === this.k) this.limit = this.scores[0];
    } else if (this.#isAfter(0, score, id)) {
      this.#sink(score, id);
      this.limit = this.scores[0];
    }
  }

  // Whether entry i comes after the given one.
  #isAfter(i, score, id) {
    return this.scores[i] > score || (this.scores[i] === score && this.ids[i] > id);
  }

  #set(i, score, id) {
    this.scores[i] = score;
    this.ids[i] = id;
  }

  // A heap with the worst entry on top.
  #rise(i, score, id) {
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this.#isAfter(parent, score, id)) break;
      this.#set(i, this.scores[parent], this.ids[parent]);
      i = parent;
    }
    this.#set(i, score, id);
  }

  #sink(score, id) {
    const size = this.ids.length;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#isAfter(child + 1, this.scores[child], this.ids[child])) ++child;
      if (!this.#isAfter(child, score, id)) break;
      this.#set(i, this.scores[child], this.ids[child]);
      i = child;
    }
    this.#set(i, score, id);
  }

  // Best first.
  take() {
    const order = this.ids.map((_, i) => i);
    order.sort((a, b) => (this.#isAfter(a, this.scores[b], this.ids[b]) ? 1 : -1));
    return { ids: order.map((i) => this.ids[i]), scores: Float32Array.from(order, (i) => this.scores[i]) };
  }
}

// --- index.js
// An index that was opened: flat or with cells, with or without a second layer.


const METRICS = ["euclidean", "ip", "cosine"];
const DEFAULT_PROBES = 16, REFINED_PER_NEIGHBOR = 4;

// Opens an index: an ArrayBuffer, a typed array, a Blob, or a URL that is read in ranges. Refuses what is damaged.
// `wasm: false` leaves the kernel out; the answers are the same.
export async function open(source, { wasm = true } = {}) {
  const container = await Container.open(source);
  const metadata = await container.metadata();
  const inverted = container.kind === KIND.inverted;
  container.expect(inverted ? KIND.inverted : KIND.index,
    [...MODEL_SECTIONS, ...CODE_SECTIONS.filter((name) => name !== "codes" || !inverted), ...(inverted ? CELL_SECTIONS : []), ...REFINE_SECTIONS, "user_ids"]);
  const index = new Index();
  await index.read(container, metadata, inverted);
  const kernel = wasm ? await Kernel.open(index.codes, index.quantizer, index.tables.entries) : null;
  index.scan = new Scan(index.codes, kernel);
  if (kernel) for (const tables of [index.tables, index.cells?.builder]) if (tables) tables.multiplier = kernel;
  return index;
}

export class Index {
  async read(container, metadata, inverted) {
    const fields = new Fields(container, metadata, "index");
    const quantizer = await readQuantizer(container, metadata);
    this.metric = fields.choice("metric", METRICS);
    this.quantizer = quantizer;
    this.#checkMetric(container, inverted);
    this.codes = await readPackedCodes(container, metadata, quantizer, this.metric);
    this.decoder = new Decoder(quantizer);
    const { slots, slotCount } = this.codes;
    this.tables = new TableBuilder(quantizer, isDistance(this.metric), slots, slotCount);
    this.cells = null;
    if (inverted) {
      const partition = await readPartition(container, metadata, quantizer.dimensions);
      const lists = await readLists(container, partition.cells, this.codes.size);
      this.cells = new Cells(partition, lists, quantizer, this.metric, slots, slotCount);
    }
    this.second = Object.hasOwn(metadata, "refine") ? await readSecondLayer(container, metadata, this) : null;
    this.defaults = Object.fromEntries(["probes", "candidates", "refine"].filter((key) => fields.has(key)).map((key) => [key, fields.count(key)]));
    if (fields.has("reach")) this.defaults.reach = fields.number("reach");
    this.#check(this.defaults);
    this.userIds = fields.has("next_id") ? await this.#readUserIds(container, fields) : null;
    await container.verifyRest();
  }

  // What users call the rows, where that is not the rows' numbers.
  async #readUserIds(container, fields) {
    this.requireIdsFromZero(container);
    if (!container.has("user_ids")) {
      const first = fields.count("first_id");
      return Float64Array.from({ length: this.size }, (_, row) => first + row);
    }
    const ids = await container.wholes("user_ids", [this.size]);
    container.check(ids.every((id, row) => row === 0 || ids[row - 1] < id), "section user_ids is not in order");
    return ids;
  }

  #checkMetric(container, inverted) {
    const { unitLength, binaryQueries, bias } = this.quantizer;
    container.check(!inverted || (!unitLength && !binaryQueries), "an inverted index takes no quantizer of unit vectors or of signs");
    container.check(inverted || this.metric !== "cosine" || unitLength, "cosine needs a model of vectors of length one");
    container.check(!binaryQueries || this.metric === "euclidean", `Hamming distances of signs stand for euclidean, got ${this.metric}`);
    container.check(inverted || bias !== "derived" || !isDistance(this.metric) || container.has("codes"),
      "the codes are packed without the bias that the model derives, expected them in row order");
  }

  get size() {
    return this.codes.size;
  }

  get dimensions() {
    return this.quantizer.dimensions;
  }

  get method() {
    return this.quantizer.method;
  }

  // Bytes of one code.
  get codeBytes() {
    return this.codes.planes + (this.quantizer.bias === "stored" ? 4 : 0);
  }

  #check({ probes = 0, reach = 0, candidates = 0, refine = 0 }) {
    const given = { probes, candidates, refine };
    for (const [name, value] of Object.entries(given))
      if (!Number.isSafeInteger(value) || value < 0) throw new Error(`search: expected ${name} to be a whole number, got ${value}`);
    if (!this.cells && (probes || reach || candidates)) throw new Error("search: the index has no cells to probe, expected an inverted one");
    if (reach) this.#checkReach(reach, candidates);
    if (!this.second && refine) throw new Error("search: the index has no second layer, expected one built with Refine(...)");
  }

  #checkReach(reach, candidates) {
    if (!(reach >= 1 && Number.isFinite(reach))) throw new Error(`search: expected a reach of at least 1, got ${reach}`);
    if (candidates) throw new Error("search: expected a reach or a number of candidates, got both");
    if (!this.cells.hasReach) throw new Error("search: reach needs cells of one level and a metric with distances");
  }

  // The k best ids and their scores, smaller is better; fewer where fewer were found. `filter` is a function of an id, or
  // a Set of ids.
  search(query, { k = 10, filter, probes, reach, candidates, refine } = {}) {
    if (!Number.isSafeInteger(k) || k < 1) throw new Error(`search: expected k of at least 1, got ${k}`);
    this.#check({ probes, reach, candidates, refine });
    const wanted = filter instanceof Set ? (id) => filter.has(id) : filter ?? null;
    if (wanted && typeof wanted !== "function") throw new Error("search: expected a filter that is a function or a Set");
    const { userIds } = this, keeps = wanted && userIds ? (row) => wanted(userIds[row]) : wanted;
    const own = checkQuery(query, this.dimensions, this.metric);
    if (this.metric === "cosine") scaleToUnitLength(own);
    const given = probes || reach || candidates ? { probes, reach, candidates } : this.defaults;
    const limit = { probes: given.probes ?? 0, reach: given.reach ?? 0, candidates: given.candidates ?? 0 };
    if (!limit.probes && !limit.candidates) limit.probes = limit.reach ? Infinity : DEFAULT_PROBES;
    const refined = refine ?? this.defaults.refine ?? (this.second ? REFINED_PER_NEIGHBOR * k : 0);
    const { ids, scores } =
      refined > 0 ? this.#refined(own, k, Math.max(k, refined), limit, keeps) : this.#first(own, k, limit, keeps, false).take();
    return { ids: userIds ? ids.map((row) => userIds[row]) : ids, scores };
  }

  // The best of the first layer, named by their positions in the lists where a second one scores them.
  #first(query, k, limit, keeps, positions) {
    const best = new TopK(Math.min(k, this.size)), entries = new Float32Array(this.tables.entries);
    const offset = this.tables.build(query, entries);
    if (!this.cells) {
      this.scan.run(entries, offset, 0, this.size, { best, idOf: null, keeps });
      return best;
    }
    const { begin, ids } = this.cells.lists, own = this.cells.hasTables ? new Float32Array(entries.length) : entries;
    const keepsPosition = keeps && positions ? (position) => keeps(ids[position]) : keeps;
    for (const { cell, score } of this.cells.nearest(query, limit)) {
      if (begin[cell] === begin[cell + 1]) continue;
      let cellOffset = this.cells.partition.residual ? fround(offset + score) : offset;
      if (this.cells.hasTables) cellOffset = fround(cellOffset + this.cells.addTables(entries, cell, own));
      this.scan.run(own, cellOffset, begin[cell], begin[cell + 1], { best, idOf: positions ? null : ids, keeps: keepsPosition });
    }
    return best;
  }

  #refined(query, k, wanted, limit, keeps) {
    const positions = Boolean(this.cells), ids = positions ? this.cells.lists.ids : null;
    const score = this.second.scorer(query, this.metric);
    const found = this.#first(query, wanted, limit, keeps, positions).ids;
    const best = new TopK(Math.min(k, found.length));
    for (const candidate of found) {
      const id = positions ? ids[candidate] : candidate;
      const own = score(this.second.byPosition ? candidate : id);
      best.offer(Number.isNaN(own) ? Infinity : own, id);
    }
    return best.take();
  }

  // The row of an id.
  rowOf(id) {
    if (!this.userIds) return id;
    this.rows ??= new Map(Array.from(this.userIds, (own, row) => [own, row]));
    return this.rows.get(id);
  }

  // The position of a row among the codes.
  positionOf(row) {
    if (!this.cells) return row;
    this.positions ??= new Map(Array.from(this.cells.lists.ids, (own, position) => [own, position]));
    return this.positions.get(row);
  }

  requireIdsFromZero(container) {
    if (!this.cells) return;
    const seen = new Set(this.cells.lists.ids);
    container.check(seen.size === this.size && this.cells.lists.ids.every((id) => id < this.size),
      `a second layer needs the ids from 0 to ${this.size - 1}, each once`);
  }

  // The words that a vector names, one of each dictionary.
  code(id) {
    return this.codes.code(this.positionOf(this.rowOf(id)));
  }

  // A word where the data lie. Their sum and the centre is what a flat code stands for.
  word(m, k) {
    return this.decoder.word(m, k);
  }

  get centre() {
    return this.quantizer.centre;
  }

  // vector += what the code of a row stands for.
  reconstruct(row, vector) {
    const position = this.positionOf(row);
    this.decoder.add(this.codes.code(position), vector);
    if (this.cells?.partition.residual) this.cells.addCentre(this.cells.cellOf(position), vector);
  }

  approximation(id) {
    const vector = new Float32Array(this.dimensions);
    this.reconstruct(this.rowOf(id), vector);
    return vector;
  }

  // How a flat index comes to a score: the query's table, an entry for each dictionary and word, what the code of an id
  // takes from it, and the rest.
  explain(query, id) {
    const own = checkQuery(query, this.dimensions, this.metric);
    if (this.metric === "cosine") scaleToUnitLength(own);
    const { codes, quantizer } = this, entries = new Float32Array(this.tables.entries);
    const offset = this.tables.build(own, entries), row = this.rowOf(id), slots = codes.slotsOf(row);
    const table = Array.from({ length: quantizer.count }, (_, m) => {
      const words = new Float32Array(quantizer.size);
      for (let s = codes.slotCount; s-- > 0; ) words[codes.slots[m * codes.slotCount + s]] = entries[m * codes.slotCount + s];
      return words;
    });
    return { code: codes.code(row), table, terms: slots.map((slot, m) => entries[m * codes.slotCount + slot]), offset,
      bias: codes.bias ? codes.bias[row] : 0 };
  }
}

// --- query_encoder.js
// The client's side of mobile search, as in include/summand/client.h: a query travels as a code of a few bytes.


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
