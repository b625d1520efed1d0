// A query of one's own, where vectors are no pictures: numbers, written or taken from a text file.

export class Numbers {
  // `search(vector)` is called with as many numbers as `dimensions()` says.
  constructor(dialog, dimensions, search) {
    Object.assign(this, { dialog, dimensions, text: dialog.querySelector("textarea") });
    dialog.querySelector("#numbers-close").addEventListener("click", () => dialog.close());
    dialog.querySelector("#numbers-file").addEventListener("change", async ({ target }) => {
      if (target.files[0]) this.text.value = (await target.files[0].text()).trim();
      target.value = "";
      this.#note();
    });
    this.text.addEventListener("input", () => this.#note());
    dialog.querySelector("#numbers-search").addEventListener("click", () => {
      if (this.#fault()) return this.#note();
      dialog.close();
      return search(Float32Array.from(this.#numbers));
    });
  }

  open() {
    this.#note();
    this.dialog.showModal();
  }

  get #numbers() {
    return this.text.value.split(/[\s,;[\]]+/).filter(Boolean).map(Number);
  }

  // What is wrong with the numbers, or nothing.
  #fault() {
    const numbers = this.#numbers, wanted = this.dimensions();
    if (numbers.length !== wanted) return `Expected ${wanted} numbers, got ${numbers.length}.`;
    return numbers.every((x) => Number.isFinite(Math.fround(x))) ? "" : "Expected numbers alone.";
  }

  #note() {
    this.dialog.querySelector("#numbers-note").textContent = this.#fault();
  }
}
