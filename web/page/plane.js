// All vectors in two dimensions: what their codes stand for, along the two directions in which they spread most. Every
// word has a place of its own, and that of a vector is the sum of its words' places.

const SAMPLE = 1500, ROUNDS = 25;

const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);

function unit(vector) {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((x) => x / length);
}

// The two main directions of the rows, by multiplying with their covariance again and again.
function directions(rows, dimensions) {
  const found = [];
  for (const seed of [1, 2]) {
    let own = unit(Float64Array.from({ length: dimensions }, (_, d) => Math.sin(seed * (d + 1) * 12.9898)));
    for (let round = 0; round < ROUNDS; ++round) {
      const next = new Float64Array(dimensions);
      for (const row of rows) {
        const along = dot(row, own);
        for (let d = 0; d < dimensions; ++d) next[d] += along * row[d];
      }
      for (const other of found) {
        const along = dot(next, other);
        for (let d = 0; d < dimensions; ++d) next[d] -= along * other[d];
      }
      own = unit(next);
    }
    found.push(own);
  }
  return found;
}

// Moves nearly all places into the square from -1 to 1, the longer side filling it. A few may lie far out.
function fit(all) {
  const along = (axis) => {
    const sorted = all.filter((_, i) => i % 2 === axis).sort(), far = Math.floor(sorted.length / 1000);
    return [sorted[far], sorted[sorted.length - 1 - far]];
  };
  const limits = [along(0), along(1)], half = Math.max(...limits.map(([low, high]) => (high - low) / 2)) || 1;
  return all.map((x, i) => (x - (limits[i % 2][0] + limits[i % 2][1]) / 2) / half);
}

// The places of all vectors: x₀ y₀ x₁ y₁ …
export function places(index) {
  const { size, dimensions, centre } = index;
  const sample = Array.from({ length: Math.min(SAMPLE, size) }, (_, i) => index.approximation(Math.floor((i * size) / Math.min(SAMPLE, size))));
  const mean = new Float64Array(dimensions);
  for (const row of sample) row.forEach((x, d) => (mean[d] += x / sample.length));
  const axes = directions(sample.map((row) => row.map((x, d) => x - mean[d])), dimensions);
  const origin = axes.map((axis) => dot(centre, axis) - dot(mean, axis));
  const words = new Map();
  const placeOf = (m, k) => {
    const number = 256 * m + k;
    if (!words.has(number)) words.set(number, axes.map((axis) => dot(index.word(m, k), axis)));
    return words.get(number);
  };
  const all = new Float32Array(2 * size);
  for (let i = 0; i < size; ++i) {
    let [x, y] = origin;
    index.code(i).forEach((k, m) => {
      const place = placeOf(m, k);
      x += place[0];
      y += place[1];
    });
    all[2 * i] = x;
    all[2 * i + 1] = y;
  }
  return fit(all);
}
