// The page: queries, answers, how an answer came about, the map, and the figures of the methods.

import { open } from "./summand.js";
import { description, part } from "./data.js";
import { element, number, vectorCanvas } from "./draw.js";
import { explanation } from "./explain.js";
import { Items } from "./items.js";
import { legend, VectorMap } from "./map.js";
import { Numbers } from "./numbers.js";
import { places } from "./plane.js";
import { Sketch } from "./sketch.js";
import { spoken, Words } from "./words.js";

const byId = (id) => document.getElementById(id);
const EXAMPLES = 12, TRUTHS = 12;
const decoded = (bytes) => new TextDecoder().decode(bytes);

class Explorer {
  constructor(about) {
    this.about = about;
    this.state = { method: 0, query: null, chosen: 0 };
    this.indexes = new Map();
  }

  async start() {
    const { about } = this, read = (name) => part(name, about.folder);
    this.fillPage();
    await this.readQueries(read);
    if (this.queries) this.showExamples();
    await this.readItems(read);
    await this.index(0);
    if (!this.queries) this.showExamples();
    this.ask(this.queries ? { kind: "example", number: 0 } : { kind: "item", id: 0 });
    await this.readWords(read);
    this.showMap();
    document.body.dataset.ready = "yes";
  }

  // All that the description tells, with room for what is read later, so that nothing moves then.
  fillPage() {
    const { about } = this, { classList, dataset } = document.body;
    document.title = about.title;
    byId("title").textContent = about.title;
    byId("about").textContent = about.text;
    classList.toggle("texts", about.items.kind === "numbers");
    classList.toggle("rows", about.items.columns?.length > 1);
    classList.toggle("pictures", Boolean(about.shape));
    this.fillControls();
    const room = (id, count, ...below) => byId(id).replaceChildren(...Array.from({ length: count }, () =>
      element("li", {}, element("div", { class: "picture none" }), ...below.map((name) => element(name, {}, "\u00a0")))));
    room("examples", Math.min(EXAMPLES, about.queries?.count ?? EXAMPLES));
    room("answers", Number(byId("k").value), "small");
    byId("truth-box").hidden = !about.queries?.truths;
    if (about.queries?.truths) room("truth", Math.min(TRUTHS, about.queries.truths));
    if (about.items.labelNames) byId("map-box").append(legend(about.items.labelNames));
    this.showFigures();
    dataset.filled = "yes";
  }

  async index(i) {
    if (!this.indexes.has(i)) {
      const index = await open(await part(`index-${i}`, this.about.folder));
      this.indexes.set(i, index);
    }
    return this.indexes.get(i);
  }

  get own() {
    return this.indexes.get(this.state.method);
  }

  async readQueries(read) {
    const { queries } = this.about;
    if (!queries) return;
    const bytes = await read("queries"), columns = queries.dimensions;
    const all = queries.bytes ? Float32Array.from(new Uint8Array(bytes)) : new Float32Array(bytes);
    this.queries = Array.from({ length: queries.count }, (_, i) => all.subarray(i * columns, (i + 1) * columns));
    this.truth = queries.truths ? new Uint32Array(await read("truth")) : null;
    this.queryLabels = queries.labelled ? new Uint8Array(await read("query-labels")) : null;
  }

  async readItems(read) {
    const { items, shape } = this.about;
    this.labels = items.labelNames ? new Uint8Array(await read("labels")) : null;
    const pixels = items.kind === "pixels" ? new Uint8Array(await read("pixels")) : null;
    const rows = items.columns ? decoded(await read("texts")).split("\n").map((row) => row.split("\t")) : null;
    this.items = new Items({ ...items, shape }, { rows, pixels, labels: this.labels });
  }

  async readWords(read) {
    if (!this.about.words) return;
    this.words = new Words(await open(await read("words")), decoded(await read("vocabulary")).split("\n"));
    const typed = byId("typed");
    typed.disabled = false;
    typed.addEventListener("input", () => this.askTyped(typed.value));
    byId("typing").addEventListener("submit", (event) => {
      event.preventDefault();
      this.askTyped(typed.value);
    });
  }

  askTyped(text) {
    const words = this.words.cut(text), known = words.some(spoken);
    if (known) this.ask({ kind: "typed", vector: this.words.vector(words), text, words });
    else if (text.trim()) byId("status").textContent = "No word of it is known.";
  }

  fillControls() {
    const { about } = this, names = about.items.labelNames;
    byId("methods").append(...about.indexes.map((own, i) => element("button", { type: "button", "aria-pressed": String(i === 0),
      onclick: () => this.chooseMethod(i) }, own.name)));
    byId("one-method").hidden = about.indexes.length < 2;
    byId("typing").hidden = !about.words;
    byId("k").addEventListener("change", () => this.search());
    byId("one-filter").hidden = !names;
    if (names) byId("filter").append(...names.map((name, i) => element("option", { value: i }, `only ${name}`)));
    byId("filter").addEventListener("change", () => this.search());
    byId("random").addEventListener("click", () => this.own && this.ask({ kind: "item", id: Math.floor(Math.random() * this.own.size) }));
    this.fillOwn();
    byId("search-this").addEventListener("click", () => this.found && this.ask({ kind: "item", id: this.found.ids[this.state.chosen] }));
    byId("others").addEventListener("click", () => this.queries && this.showExamples(true));
    byId("others").hidden = !(about.queries?.count > EXAMPLES);
  }

  // Drawing pictures, or writing numbers; words are typed.
  fillOwn() {
    const { shape, words } = this.about, search = (vector) => this.ask({ kind: "own", vector });
    if (words) return;
    const dialog = shape ? new Sketch(byId("sketch"), shape, search) : new Numbers(byId("numbers"), () => this.own.dimensions, search);
    byId("own").textContent = shape ? "Draw or upload" : "A vector of your own";
    byId("own").hidden = false;
    byId("own").addEventListener("click", () => this.own && dialog.open());
  }

  showExamples(others = false) {
    const total = this.queries ? this.queries.length : this.own.size;
    this.firstExample = others ? ((this.firstExample ?? 0) + EXAMPLES) % total : 0;
    const numbers = Array.from({ length: Math.min(EXAMPLES, total) }, (_, i) =>
      this.queries ? (this.firstExample + i) % total : Math.floor((i * total) / EXAMPLES));
    byId("examples").replaceChildren(...numbers.map((number) => element("li", {}, element("button",
      { type: "button", class: "picture", "aria-label": this.queries ? `search for ${this.exampleName(number)}` : `search for ${this.items.name(number)}`,
        onclick: () => this.ask(this.queries ? { kind: "example", number } : { kind: "item", id: number }) },
      this.queries ? this.showQuery(number) : this.items.show(number, this.own)))));
  }

  showQuery(number) {
    return this.about.shape ? vectorCanvas(this.queries[number], this.about.shape) : element("span", { class: "text" }, this.exampleName(number));
  }

  exampleName(number) {
    return this.about.queries.names?.[number] ?? `example ${number + 1}`;
  }

  // The page has the codes of its items, not their vectors: what an item's code stands for is the query.
  vectorOf(query) {
    if (query.vector) return query.vector;
    return query.kind === "example" ? this.queries[query.number] : this.own.approximation(query.id);
  }

  ask(query) {
    if (!this.own) return;  // examples are shown before the index has been read
    this.state.query = query;
    this.search();
  }

  async chooseMethod(i) {
    await this.index(i);
    this.state.method = i;
    [...byId("methods").children].forEach((button, j) => button.setAttribute("aria-pressed", String(i === j)));
    this.search();
  }

  search() {
    const { query } = this.state, k = Number(byId("k").value), label = byId("filter").value;
    if (!query) return;
    this.vector = this.vectorOf(query);
    const begin = performance.now();
    const filter = label === "" ? undefined : (id) => this.labels[id] === Number(label);
    this.found = this.own.search(this.vector, { k, filter });
    const time = performance.now() - begin;
    this.state.chosen = 0;
    this.showAnswers(time);
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => this.showExplanation());  // answers first
    this.map?.mark(query.kind === "item" ? query.id : null, this.found.ids);
  }

  // The true neighbours of the query, best first, where the page knows them.
  trueNeighbors() {
    const { query } = this.state;
    if (!this.truth || query.kind !== "example") return null;
    const { truths } = this.about.queries;
    return [...this.truth.subarray(query.number * truths, (query.number + 1) * truths)];
  }

  showAnswers(time) {
    const { query } = this.state, truth = this.trueNeighbors(), { ids, scores } = this.found;
    byId("query-picture").replaceChildren(this.pictureOf(query));
    byId("query-name").textContent = this.nameOf(query);
    const hits = truth ? ids.filter((id) => truth.includes(id)).length : 0;
    byId("status").textContent = `${ids.length} of ${this.own.size.toLocaleString("en")} in ${time.toFixed(1)} ms` +
      (truth ? `; ${hits} of them are among the ${truth.length} nearest by the exact scan, marked ✓` : "");
    byId("answers").replaceChildren(...ids.map((id, rank) => this.answer(id, rank, scores[rank], truth)));
    this.showTruth(truth);
  }

  pictureOf(query) {
    if (query.kind === "typed") return "";  // its name says it
    if (query.kind === "own") return this.about.shape ? vectorCanvas(query.vector, this.about.shape) : "";
    return query.kind === "item" ? this.items.show(query.id, this.own) : this.showQuery(query.number);
  }

  nameOf(query) {
    if (query.kind === "own") return this.about.shape ? "your picture" : "your vector";
    if (query.kind === "typed") return `“${query.text.trim()}”, read as ${query.words.map(spoken).filter(Boolean).join(" + ")}`;
    const label = query.kind === "item" ? this.items.label(query.id) : this.queryLabels && this.about.items.labelNames[this.queryLabels[query.number]];
    const name = query.kind === "item" ? this.items.name(query.id) : this.exampleName(query.number);
    return label ? `${name}: ${label}` : name;
  }

  answer(id, rank, score, truth) {
    const place = truth ? truth.indexOf(id) : -1, label = this.items.label(id);
    const title = `answer ${rank + 1}: ${this.items.whole(id)}${label ? `, ${label}` : ""}, score ${number(score)}` +
      (truth ? (place >= 0 ? `, true neighbour number ${place + 1}` : ", not among the true neighbours") : "");
    return element("li", {}, element("button", { type: "button", class: `picture${place >= 0 ? " hit" : ""}`, "aria-label": title, title,
      "aria-pressed": String(rank === 0), onclick: () => this.choose(rank) }, this.items.show(id, this.own)),
    element("small", {}, place >= 0 ? "✓ " : "", number(score)));
  }

  showTruth(truth) {
    if (!this.truth) return;
    const shown = Array.from({ length: Math.min(TRUTHS, this.about.queries.truths) }, (_, rank) => truth?.[rank]);
    byId("truth").replaceChildren(...shown.map((id, rank) => element("li", {}, id === undefined ? element("div", { class: "picture none" }) : element("button",
      { type: "button", class: `picture${this.found.ids.includes(id) ? " hit" : ""}`, title: this.items.name(id), "aria-label": `true neighbour ${rank + 1}: ${this.items.name(id)}, search for it`,
        onclick: () => this.ask({ kind: "item", id }) }, this.items.show(id, this.own)))));
    byId("truth-title").textContent = truth ? "What the exact scan finds" : "What the exact scan finds is known for the examples alone";
  }

  choose(rank) {
    this.state.chosen = rank;
    [...byId("answers").querySelectorAll("button")].forEach((button, i) => button.setAttribute("aria-pressed", String(i === rank)));
    this.showExplanation();
  }

  showExplanation() {
    const id = this.found.ids[this.state.chosen];
    byId("search-this").disabled = id === undefined;
    byId("explained").textContent = id === undefined ? "" : `answer ${this.state.chosen + 1}, ${this.items.name(id)}`;
    byId("explanation").replaceChildren(...(id === undefined ? [element("p", { class: "soft" }, "No answer.")]
      : explanation(this.own, this.vector, { id, score: this.found.scores[this.state.chosen], shape: this.about.shape })));
  }

  showMap() {
    const hint = byId("hint");
    this.map = new VectorMap(byId("map"), places(this.own), this.labels, {
      choose: (id) => this.ask({ kind: "item", id }),
      hint: (id, x, y) => {
        hint.hidden = id === null;
        if (id === null) return;
        hint.replaceChildren(this.items.show(id, this.own), element("small", {}, this.items.label(id) ?? this.items.name(id)));
        Object.assign(hint.style, { left: `${x}px`, top: `${y}px` });
      },
    });
    byId("zoom-in").addEventListener("click", () => this.map.zoom(1.6));
    byId("zoom-out").addEventListener("click", () => this.map.zoom(1 / 1.6));
    byId("zoom-all").addEventListener("click", () => this.map.reset());
    this.map.mark(this.state.query.kind === "item" ? this.state.query.id : null, this.found.ids);
  }

  showFigures() {
    const { figures } = this.about;
    byId("figures-box").hidden = !figures;
    if (!figures) return;
    const row = (cells, name) => element("tr", {}, ...cells.map((cell, i) => element(i === 0 ? "th" : name, { scope: name === "th" ? "col" : i === 0 ? "row" : null }, cell)));
    byId("figures").append(element("thead", {}, row(figures.titles, "th")), element("tbody", {}, ...figures.rows.map((cells) => row(cells, "td"))));
    byId("figures-note").textContent = figures.note ?? "";
  }
}

function switchScheme() {
  const dark = document.documentElement.dataset.scheme
    ? document.documentElement.dataset.scheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.scheme = dark ? "light" : "dark";
}

const explorer = new Explorer(description());
byId("scheme").addEventListener("click", () => {
  switchScheme();
  explorer.map?.draw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => explorer.map?.draw());
explorer.start().catch((error) => {
  document.body.dataset.filled = "yes";
  byId("status").textContent = `This page cannot be shown: ${error.message}`;
  throw error;
});
