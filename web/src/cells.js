// Cells of an inverted index: which are nearest to a query, and the tables that belong to a cell.

import { Fields } from "./container.js";
import { dot, fround, isFiniteFloat, products } from "./arithmetic.js";
import { TableBuilder } from "./tables.js";

export const CELL_SECTIONS = ["cell_words", "cell_offsets", "cell_groups", "cell_group_begin", "lists", "ids"];
const REACH_CELL = 8;
const MOST_CELL_WORDS = 2 ** 20, MOST_PAIRED_CELL_WORDS = 2 ** 14;
const LEAST_GROUPS = 8, SPARE_CELLS = 32, SPARE_VECTORS = 16;  // of two levels: how many groups are looked at
const KEPT_TABLES = 2 ** 24;  // floats

export async function readPartition(container, metadata, dimensions) {
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
export async function readLists(container, cells, size) {
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

export class Cells {
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
