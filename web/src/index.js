// An index that was opened: flat or with cells, with or without a second layer.

import { Container, Fields, KIND } from "./container.js";
import { Cells, CELL_SECTIONS, readLists, readPartition } from "./cells.js";
import { CODE_SECTIONS, readPackedCodes } from "./packed_codes.js";
import { checkQuery, isDistance, TableBuilder } from "./tables.js";
import { Decoder, MODEL_SECTIONS, readQuantizer } from "./quantizer.js";
import { fround, scaleToUnitLength } from "./arithmetic.js";
import { Kernel } from "./kernel.js";
import { readSecondLayer, REFINE_SECTIONS } from "./refine.js";
import { Scan } from "./scan.js";
import { TopK } from "./top_k.js";

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
