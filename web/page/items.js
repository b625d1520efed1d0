// What stands for a vector on the page: a picture, a text, or its number.

import { element, greyCanvas, vectorCanvas } from "./draw.js";

export class Items {
  // `description` of the items; `rows` of a table, or null; `pixels`: the bytes of packed pictures.
  constructor(description, { rows, pixels, labels }) {
    Object.assign(this, { ...description, rows, pixels, labels });
  }

  label(id) {
    return this.labels ? this.labelNames[this.labels[id]] : null;
  }

  name(id) {
    return this.rows ? this.rows[id][0] : `no. ${id}`;
  }

  // `index` approximates vectors that are pictures themselves where the page has no others.
  show(id, index) {
    switch (this.kind) {
      case "pixels":
        return this.#packed(id);
      case "files":
        return element("img", { src: this.files[id], alt: "", loading: "lazy" });
      case "vectors":
        return vectorCanvas(index.approximation(id), this.shape);
      default:
        return this.#text(id);
    }
  }

  // The fields of a table that follow the name.
  #others(id) {
    return this.rows ? this.rows[id].slice(1).filter(Boolean).join(" · ") : "";
  }

  // All that is said of a vector.
  whole(id) {
    return `${this.name(id)} ${this.#others(id)}`.trim();
  }

  // The name, and below it the other fields.
  #text(id) {
    const name = this.name(id), others = this.#others(id);
    if (!others) return element("span", { class: "text" }, name);
    return element("span", { class: "text" }, element("b", {}, name), " ", element("br"), element("span", {}, others));
  }

  // Two pixels to a byte, of a few grey values each.
  #packed(id) {
    const { width, height, steps } = this.small, size = width * height, begin = id * size;
    return greyCanvas(width, height, (i) => (255 / (steps - 1)) * ((this.pixels[(begin + i) >> 1] >> (4 * ((begin + i) & 1))) & 15));
  }
}
