// What stands for a vector on the page: a picture, a text, or its number.

import { element, greyCanvas, vectorCanvas } from "./draw.js";

export class Items {
  // `items` of the description; `pixels`: the bytes of packed pictures.
  constructor(description, pixels, labels) {
    Object.assign(this, { ...description, pixels, labels });
  }

  label(id) {
    return this.labels ? this.labelNames[this.labels[id]] : null;
  }

  name(id) {
    return this.kind === "texts" ? this.texts[id] : this.kind === "files" ? this.names[id] : `no. ${id}`;
  }

  // `index` approximates vectors that are pictures themselves where the page has no others.
  show(id, index) {
    switch (this.kind) {
      case "pixels":
        return this.#packed(id);
      case "files":
        return element("img", { src: this.files[id], alt: "", loading: "lazy" });
      case "texts":
        return element("span", { class: "text" }, this.texts[id]);
      case "vectors":
        return vectorCanvas(index.approximation(id), this.shape);
      default:
        return element("span", { class: "text" }, `no. ${id}`);
    }
  }

  // Two pixels to a byte, of a few grey values each.
  #packed(id) {
    const { width, height, steps } = this.small, size = width * height, begin = id * size;
    return greyCanvas(width, height, (i) => (255 / (steps - 1)) * ((this.pixels[(begin + i) >> 1] >> (4 * ((begin + i) & 1))) & 15));
  }
}
