// How a code comes to its picture and its score: the words that are added up, one after the other.

import { element, number, tableCanvas, vectorCanvas, wordCanvas } from "./draw.js";

const MOST_ENTRIES = 16;

function figure(canvas, caption, strong) {
  return element("figure", {}, canvas, element("figcaption", {}, strong ? element("b", {}, strong) : null, strong ? element("br") : null, caption));
}

// The sum as it grows, and what is added at each step, under which stands the entry of the query's table where it is known.
function steps(index, id, code, terms, shape) {
  const sum = index.approximation(id), row = element("div", { class: "steps", tabindex: "0", role: "group", "aria-label": "the sum, word by word" });
  const words = code.map((k, m) => index.word(m, k));
  const scale = Math.max(...words.map((word) => Math.max(...word.map(Math.abs)))) * 0.6 || 1;
  for (const word of words) for (let d = 0; d < sum.length; ++d) sum[d] -= word[d];
  row.append(element("div", { class: "step" }, element("div", { class: "word none" }), figure(vectorCanvas(sum, shape), index.cells?.partition.residual ? "the cell" : "the mean", "start")));
  words.forEach((word, m) => {
    for (let d = 0; d < sum.length; ++d) sum[d] += word[d];
    row.append(element("div", { class: "step" }, element("div", { class: "word" }, wordCanvas(word, shape, scale)),
      figure(vectorCanvas(sum, shape), terms ? number(terms[m]) : "", `+ word ${code[m]}`)));
  });
  return row;
}

// The entries of a score, few enough to be read.
function entries(terms) {
  const all = terms.map((term) => `(${number(term)})`);
  return all.length <= MOST_ENTRIES ? all : [...all.slice(0, MOST_ENTRIES - 2), "…", all.at(-1)];
}

// The query's table, and the entries of it that a code takes. A second layer has the last word on the score.
function scored(index, { code, table, terms, offset, bias }, score) {
  const sum = [number(offset), ...(bias ? [number(bias)] : []), ...entries(terms)].join(" + ");
  const first = number(terms.reduce((total, term) => total + term, offset + bias));
  return [
    element("p", { class: "soft" }, "The query's table, a row for each dictionary and a column for each word; blue entries are near the query, orange ones are this code's."),
    element("div", { class: "table" }, tableCanvas(table, code)),
    element("p", { class: "sum" }, index.second ? `${sum} = ${first}, by which it is a candidate; the second layer scores it ${number(score)}`
      : `score = ${sum} = ${number(score)}`),
  ];
}

export function explanation(index, query, { id, score, shape }) {
  const code = index.code(id), own = index.cells ? null : index.explain(query, id);
  const bytes = element("div", { class: "bytes" }, ...code.map((k) => element("code", {}, k.toString(16).padStart(2, "0"))));
  const under = own ? " Under it, the entry of the query's table, which is the word's share in the score." : "";
  return [
    element("p", { class: "soft" }, `${index.cells ? "Beside its cell, all" : "All"} that the page knows of this ${shape ? "picture" : "vector"} are the numbers of ${code.length} words:`), bytes,
    ...(shape ? [element("p", { class: "soft" }, `Above, the word that is added: orange adds light, blue takes it away. Below, the sum so far.${under}`),
      steps(index, id, code, own?.terms, shape)] : []),
    ...(own ? scored(index, own, score) : [element("p", { class: "soft" }, "Tables of an index with cells are not drawn here.")]),
  ];
}
