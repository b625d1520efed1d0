// The k best (score, id) of a stream. Smaller scores come first, equal ones by the smaller id.

export class TopK {
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
