// What tests in Node and in a browser hold beside each other: an index and what the library answers.

const isThird = (id) => id % 3 === 1;  // the filter of make_indexes

// Whether two arrays of floats have the same bits, zeros of either sign being one.
export const sameFloats = (a, b) => a.length === b.length && a.every((x, i) => x === Math.fround(b[i]));

// The first difference between an index and what the library answers, or nothing.
export function difference(index, { name, queries, searches }) {
  for (const { ids, scores, filtered, ...options } of searches)
    for (const [q, query] of queries.entries()) {
      const found = index.search(Float32Array.from(query), filtered ? { ...options, filter: isThird } : options);
      const what = `${name}, query ${q}, ${JSON.stringify(options)}${filtered ? ", filtered" : ""}`;
      if (found.ids.length !== ids[q].length) return `${what}: expected ${ids[q].length} answers, got ${found.ids.length}`;
      const id = ids[q].findIndex((expected, i) => expected !== found.ids[i]);
      if (id >= 0) return `${what}: expected id ${ids[q][id]} at ${id}, got ${found.ids[id]} (scores ${scores[q][id]}, ${found.scores[id]})`;
      if (!sameFloats(found.scores, scores[q])) return `${what}: expected scores ${scores[q]}, got ${found.scores}`;
    }
  return null;
}
