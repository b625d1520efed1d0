// Times searches in a worker: one query after the other, the index in memory.
import { open } from "/summand.js";

const K = 100, WARM = 20;

async function floats(path) {
  const bytes = new Uint8Array(await (await fetch(path)).arrayBuffer());
  const columns = new DataView(bytes.buffer).getInt32(0, true), stride = 4 + columns;
  return Array.from({ length: bytes.length / stride }, (_, i) => Float32Array.from(bytes.subarray(i * stride + 4, (i + 1) * stride)));
}

async function measured(file, wasm, queries) {
  const begin = performance.now();
  const index = await open(file, { wasm });
  const opened = performance.now() - begin;
  const times = queries.map((query, i) => {
    const start = performance.now();
    index.search(query, { k: K });
    return i < WARM ? null : performance.now() - start;
  }).filter((time) => time !== null).sort((a, b) => a - b);
  return { wasm, kernel: Boolean(index.scan.kernel), method: index.method, size: index.size, bytes: index.codeBytes, k: K, opened,
    median: times[times.length >> 1], ninety: times[Math.floor(0.9 * times.length)], queries: times.length };
}

const queries = await floats("/query.bvecs");
const file = await (await fetch("/index.smd")).arrayBuffer();
const results = [];
for (const wasm of [true, false]) results.push(await measured(file, wasm, queries.slice(0, 120)));
await fetch("/results", { method: "POST", body: JSON.stringify({ agent: navigator.userAgent, results }) });
