// The second layer: scores of the best candidates from something more precise, which the file holds (docs/refine.md).

import { Container, Fields, KIND, TYPE } from "./container.js";
import { dot, fround, halfToFloat, isFiniteFloat, scaledDistance, squaredDistance } from "./arithmetic.js";
import { Decoder, MODEL_SECTIONS, readQuantizer } from "./quantizer.js";
import { isDistance } from "./tables.js";

export const REFINE_SECTIONS = ["refine_model", "refine_codes", "refine_sample", "refine_rows", "refine_ranges"];
const FORMATS = { fp32: TYPE.float32, fp16: TYPE.float16, sq8: TYPE.uint8, u8: TYPE.uint8 };

// `first` finds the approximation of an id: first.reconstruct(id, vector).
export async function readSecondLayer(container, metadata, first) {
  const fields = new Fields(container, metadata, "refine");
  const kind = fields.choice("with", ["codes", "file", "rows"]);
  if (kind === "codes") return CodeLayer.read(container, fields, first);
  if (kind === "rows") return RowLayer.read(container, fields, first);
  await container.floats("refine_sample", [fields.count("sample"), first.dimensions]);
  return new FileLayer(fields.text("path"));
}

class FileLayer {
  constructor(path) {
    this.path = path;
  }

  scorer() {
    throw new Error(`search: the vectors of Refine(flat) lie in ${this.path}, which a page cannot read; expected refine: 0`);
  }
}

class CodeLayer {
  static async read(container, fields, first) {
    const bytes = await container.bytes("refine_model", [fields.count("model_bytes")]);
    const file = await Container.open(bytes);
    file.name = `${container.name}: refine_model`;
    file.expect(KIND.model, MODEL_SECTIONS);
    const quantizer = await readQuantizer(file, await file.metadata());
    container.check(quantizer.dimensions === first.dimensions, `expected a second layer of ${first.dimensions} `,
      `dimensions, got ${quantizer.dimensions}`);
    const rows = await container.bytes("refine_codes", [first.size, quantizer.count]);
    container.check(rows.every((word) => word < quantizer.size), "the second layer names a word that does not exist");
    first.requireIdsFromZero(container);
    return Object.assign(new CodeLayer(), { first, rows, count: quantizer.count, decoder: new Decoder(quantizer) });
  }

  // score(id) for one query.
  scorer(query, metric) {
    const { first, rows, count, decoder } = this, vector = new Float32Array(query.length);
    return (id) => {
      vector.fill(0);
      first.reconstruct(id, vector);
      decoder.add(rows.subarray(id * count, (id + 1) * count), vector);
      return isDistance(metric) ? squaredDistance(query, vector, query.length) : -dot(query, vector, query.length);
    };
  }
}

// Vectors by position.
class RowLayer {
  static async read(container, fields, first) {
    const format = fields.choice("format", Object.keys(FORMATS)), { size, dimensions } = first;
    const bytes = await container.bytes("refine_rows", [size, dimensions], FORMATS[format]);
    const layer = Object.assign(new RowLayer(), { format, dimensions, byPosition: true });
    if (format === "fp32") layer.rows = new Float32Array(bytes.slice().buffer);
    else if (format === "fp16") layer.rows = Float32Array.from(new Uint16Array(bytes.slice().buffer), halfToFloat);
    else layer.rows = bytes;
    container.check(format.startsWith("fp") ? layer.rows.every(isFiniteFloat) : true,
      "the second layer holds a number that is not finite");
    if (format === "sq8") await layer.#readRanges(container);
    return layer;
  }

  async #readRanges(container) {
    const { dimensions } = this, ranges = await container.floats("refine_ranges", [2, dimensions]);
    this.smallest = ranges.subarray(0, dimensions);
    this.steps = ranges.subarray(dimensions);
    this.steps.forEach((step, d) => container.check(step >= 0 && isFiniteFloat(fround(this.smallest[d] + fround(255 * step))),
      `expected a range of finite numbers for dimension ${d} of the second layer`));
  }

  // What scales a row of bytes to length one.
  #scale(row) {
    let squares = 0;
    for (let d = 0; d < this.dimensions; ++d) squares += this.rows[row + d] ** 2;
    return squares === 0 ? 0 : fround(1 / Math.sqrt(squares));
  }

  // score(position) for one query.
  scorer(query, metric) {
    const { format, rows, dimensions: D } = this;
    if (format === "sq8") return this.#steppedScorer(query, metric);
    if (!isDistance(metric)) return (position) => -dot(query, rows, D, position * D);
    if (format !== "u8" || metric !== "cosine") return (position) => squaredDistance(query, rows, D, position * D);
    return (position) => {
      const scale = this.#scale(position * D);
      return scaledDistance(query, () => scale, rows, D, position * D);
    };
  }

  #steppedScorer(query, metric) {
    const { rows, smallest, steps, dimensions: D } = this;
    if (isDistance(metric)) {
      const moved = query.map((x, d) => x - smallest[d]);
      return (position) => scaledDistance(moved, (d) => steps[d], rows, D, position * D);
    }
    const scaled = query.map((x, d) => x * steps[d]), offset = dot(query, smallest, D);
    return (position) => -fround(offset + dot(scaled, rows, D, position * D));
  }
}
