// The map: a point for each vector, coloured by label. It is dragged, zoomed by wheel, pinch, buttons or keys, and a click
// chooses the nearest point.

import { element } from "./draw.js";

const NEAR = 14, MOST_ZOOM = 60;  // pixels

export class VectorMap {
  #view = { x: 0, y: 0, zoom: 1 };
  #pointers = new Map();
  #moved = 0;
  #marks = { query: null, found: [] };
  #drawing = false;

  // `choose(id)` is called for a click, `hint(id or null, x, y)` while the mouse moves.
  constructor(canvas, points, labels, { choose, hint }) {
    Object.assign(this, { canvas, points, labels, choose, hint });
    this.#listen();
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  mark(query, found) {
    this.#marks = { query, found };
    this.draw();
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const view = this.#view, [wx, wy] = this.#toPlane(x, y);
    view.zoom = Math.min(MOST_ZOOM, Math.max(1, view.zoom * factor));
    const [nx, ny] = this.#toPlane(x, y);
    this.#move(wx - nx, wy - ny);
  }

  reset() {
    this.#view = { x: 0, y: 0, zoom: 1 };
    this.draw();
  }

  #move(dx, dy) {
    const view = this.#view, most = 1 - 0.5 / view.zoom;
    view.x = Math.min(most, Math.max(-most, view.x + dx));
    view.y = Math.min(most, Math.max(-most, view.y + dy));
    this.draw();
  }

  get #scale() {
    return (Math.min(this.canvas.clientWidth, this.canvas.clientHeight) / 2.1) * this.#view.zoom;
  }

  #toPlane(x, y) {
    const { clientWidth, clientHeight } = this.canvas;
    return [(x - clientWidth / 2) / this.#scale + this.#view.x, (y - clientHeight / 2) / this.#scale + this.#view.y];
  }

  #toPixels(id) {
    const { clientWidth, clientHeight } = this.canvas;
    return [(this.points[2 * id] - this.#view.x) * this.#scale + clientWidth / 2,
      (this.points[2 * id + 1] - this.#view.y) * this.#scale + clientHeight / 2];
  }

  #nearest(x, y) {
    const [px, py] = this.#toPlane(x, y), reach = (NEAR / this.#scale) ** 2;
    let best = reach, found = null;
    for (let i = 0; i < this.points.length / 2; ++i) {
      const distance = (this.points[2 * i] - px) ** 2 + (this.points[2 * i + 1] - py) ** 2;
      if (distance < best) [best, found] = [distance, i];
    }
    return found;
  }

  draw() {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.#paint();
    });
  }

  #paint() {
    const { canvas, labels, points } = this, ratio = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (width === 0 || height === 0) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const style = getComputedStyle(canvas), colours = [];
    for (let i = 0; i < 10; ++i) colours.push(style.getPropertyValue(`--l${i}`));
    const context = canvas.getContext("2d"), size = ratio * Math.min(6, 1.3 + 0.35 * Math.sqrt(this.#view.zoom) + Math.min(2.5, 1000 / points.length));
    context.clearRect(0, 0, width, height);
    context.globalAlpha = Math.min(0.9, 0.5 + this.#view.zoom / 20);
    const scale = this.#scale * ratio, x0 = width / 2 - this.#view.x * scale, y0 = height / 2 - this.#view.y * scale;
    for (let label = 0; label < (labels ? 10 : 1); ++label) {  // a colour at a time
      context.fillStyle = colours[label];
      for (let i = 0; i < points.length / 2; ++i) {
        if (labels && labels[i] % 10 !== label) continue;
        const x = points[2 * i] * scale + x0, y = points[2 * i + 1] * scale + y0;
        if (x > 0 && y > 0 && x < width && y < height) context.fillRect(x, y, size, size);
      }
    }
    context.globalAlpha = 1;
    this.#paintMarks(context, ratio, style.getPropertyValue("--ink"), style.getPropertyValue("--card"));
  }

  #paintMarks(context, ratio, ink, card) {
    const ring = (id, radius) => {
      const [x, y] = this.#toPixels(id).map((place) => place * ratio);
      for (const [colour, wide] of [[card, 5], [ink, 2.2]]) {
        Object.assign(context, { strokeStyle: colour, lineWidth: wide * ratio });
        context.beginPath();
        context.arc(x, y, radius * ratio, 0, 7);
        context.stroke();
      }
    };
    for (const id of this.#marks.found) ring(id, 5);
    if (this.#marks.query !== null) ring(this.#marks.query, 10);
  }

  #listen() {
    const { canvas } = this;
    const at = (event) => [event.offsetX, event.offsetY];
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 300), ...at(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, at(event));
      if (this.#pointers.size === 1) this.#moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => this.#drag(event, at(event)));
    canvas.addEventListener("pointerleave", () => this.hint(null));
    const end = (event) => this.#pointers.delete(event.pointerId);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerup", (event) => {
      end(event);
      const id = this.#moved < 4 ? this.#nearest(...at(event)) : null;
      if (id !== null) this.choose(id);
    });
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  #drag(event, [x, y]) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") this.hint(this.#nearest(x, y), x, y);
      return;
    }
    this.hint(null);
    if (this.#pointers.size === 2) {
      const other = [...this.#pointers].find(([id]) => id !== event.pointerId)[1];
      const distance = ([ax, ay]) => Math.hypot(ax - other[0], ay - other[1]) || 1;
      this.zoom(distance([x, y]) / distance(before), (x + other[0]) / 2, (y + other[1]) / 2);
    } else {
      this.#move((before[0] - x) / this.#scale, (before[1] - y) / this.#scale);
    }
    this.#moved += Math.hypot(x - before[0], y - before[1]);
    this.#pointers.set(event.pointerId, [x, y]);
  }

  #key(event) {
    const step = 0.2 / this.#view.zoom;
    const keys = { ArrowLeft: () => this.#move(-step, 0), ArrowRight: () => this.#move(step, 0), ArrowUp: () => this.#move(0, -step),
      ArrowDown: () => this.#move(0, step), "+": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5), 0: () => this.reset(),
      Enter: () => {
        const id = this.#nearest(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2);
        if (id !== null) this.choose(id);
      } };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }
}

export const legend = (names) => element("ul", { class: "legend" },
  ...names.map((name, i) => element("li", {}, element("i", { style: `background: var(--l${i % 10})` }), name)));
