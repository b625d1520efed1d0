// The float sums of the library, bit for bit. A float is a number that Math.fround leaves as it is. Products and sums of
// two floats are rounded as the hardware rounds them, because a double holds either with room to spare.

export const fround = Math.fround;
const LANES = 16;

// a·b + c of floats, rounded once. The product is exact in double, and rounding the double sum to float gives what
// rounding the exact sum gives, unless the double lies in the middle between two floats.
export function fused(a, b, c) {
  const product = a * b, sum = product + c, near = fround(sum), rest = sum - near;
  if (rest === 0) return near;
  const beyond = near + 2 * rest;
  return fround(beyond) === beyond ? fusedFromMiddle(product, c, sum, near, beyond) : near;
}

// `near` and `beyond` are the two floats beside the middle; the error of the double sum says which is nearer.
function fusedFromMiddle(product, c, sum, near, beyond) {
  const part = sum - product;
  const error = product - (sum - part) + (c - part);
  if (error === 0) return near;
  return error > 0 === beyond > near ? beyond : near;
}

// out[w] = Σ_d query[d]·words[from + w·width + d], d ascending, each step fused. Four words at a time, since a step
// waits for the one before.
export function products(query, words, from, width, count, out, to) {
  let w = 0;
  for (; w + 4 <= count; w += 4) {
    const first = from + w * width, second = first + width, third = second + width, fourth = third + width;
    let a = 0, b = 0, c = 0, e = 0;
    for (let d = 0; d < width; ++d) {
      const value = query[d];
      a = fused(value, words[first + d], a);
      b = fused(value, words[second + d], b);
      c = fused(value, words[third + d], c);
      e = fused(value, words[fourth + d], e);
    }
    out[to + w] = a;
    out[to + w + 1] = b;
    out[to + w + 2] = c;
    out[to + w + 3] = e;
  }
  for (; w < count; ++w) {
    let sum = 0;
    for (let d = 0, at = from + w * width; d < width; ++d, ++at) sum = fused(query[d], words[at], sum);
    out[to + w] = sum;
  }
}

// Sums of terms in 16 lanes, which are added in halves: ((l0+l8)+(l4+l12)) + …
function laneTotal(size, term) {
  const lanes = new Float32Array(LANES);
  for (let i = 0; i < size; ++i) lanes[i % LANES] += term(i);
  for (let half = LANES >> 1; half > 0; half >>= 1)
    for (let i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

// The second vector is b[from], b[from + 1], …
export function dot(a, b, size, from = 0) {
  return laneTotal(size, (i) => fround(a[i] * b[from + i]));
}

export function squaredDistance(a, b, size, from = 0) {
  return laneTotal(size, (i) => {
    const difference = fround(a[i] - b[from + i]);
    return fround(difference * difference);
  });
}

// |query - scale·row|² with a factor for each dimension: scale(i).
export function scaledDistance(query, scale, row, size, from) {
  return laneTotal(size, (i) => {
    const difference = fround(query[i] - fround(scale(i) * row[from + i]));
    return fround(difference * difference);
  });
}

export const isFiniteFloat = (x) => x - x === 0;

// Scales to length one, in place; false where there is no direction.
export function scaleToUnitLength(vector) {
  const square = dot(vector, vector, vector.length);
  if (square > fround(1e-30) && square < fround(1e37)) {
    const length = fround(Math.sqrt(square));
    for (let d = 0; d < vector.length; ++d) vector[d] = vector[d] / length;
    return true;
  }
  let sum = 0;
  for (const x of vector) sum += x * x;
  const length = Math.sqrt(sum);
  if (!(length > 0)) return false;
  for (let d = 0; d < vector.length; ++d) vector[d] = vector[d] / length;
  return true;
}

// IEEE half precision, exactly.
export function halfToFloat(half) {
  const exponent = (half >> 10) & 31, fraction = half & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? (fraction ? NaN : Infinity)
    : (1024 + fraction) * 2 ** (exponent - 25);
  return half & 0x8000 ? -size : size;
}
