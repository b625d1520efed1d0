// Damaged and forged files are refused as the C++ reader refuses them.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { open, openModel } from "../../web/summand.js";
import { crc32 } from "../../web/src/hash.js";
import { sameFloats } from "./compare.mjs";
import { bytesOf, cases } from "./support.mjs";

const forged = JSON.parse(readFileSync(join(process.env.SUMMAND_INDEXES, "forgeries.json"), "utf8"));

const refusal = (bytes) => open(bytes).then(() => null, (error) => error);

// Makes all checksums right again, as one who forges a file would.
function reseal(bytes) {
  const view = new DataView(bytes), count = view.getUint32(24, true);
  for (let at = 64; at < 64 + 96 * count; at += 96) {
    const offset = view.getBigUint64(at + 72, true), length = view.getBigUint64(at + 80, true);
    if (offset <= bytes.byteLength && length <= BigInt(bytes.byteLength) - offset)
      view.setUint32(at + 88, crc32(new Uint8Array(bytes, Number(offset), Number(length))), true);
  }
  view.setUint32(28, 0, true);
  view.setUint32(28, crc32(new Uint8Array(bytes, 0, 64 + 96 * count)), true);
}

test("flipped bits are refused, with an error that names the file", async () => {
  for (const { name } of forged) {
    const good = bytesOf(name);
    assert.strictEqual(await refusal(good), null, name);
    for (let bit = 0; bit < 8 * good.byteLength; bit += 11) {
      const bad = good.slice();
      new Uint8Array(bad)[bit >> 3] ^= 1 << (bit & 7);
      const error = await refusal(bad);
      assert.ok(error, `${name}: bit ${bit & 7} of byte ${bit >> 3}`);
      assert.match(error.message, /^memory: /);
    }
  }
});

test("every cut is refused, and so is what follows the end", async () => {
  for (const { name } of forged) {
    const good = bytesOf(name);
    for (let length = 0; length < good.byteLength; length += 7) assert.ok(await refusal(good.slice(0, length)), `${name}: ${length} bytes`);
    const longer = new Uint8Array(good.byteLength + 1);
    longer.set(new Uint8Array(good));
    assert.match((await refusal(longer)).message, /trailing bytes: 1 follow/);
  }
});

test("forged files get the verdict of the library", async () => {
  let refused = 0, accepted = 0;
  for (const { name, spec, query, forgeries } of forged)
    for (const { at, change, verdict } of forgeries) {
      const what = `${spec}: byte ${at} changed by ${change}`, bytes = bytesOf(name);
      new Uint8Array(bytes)[at] ^= change;
      if (at < 24 || at >= 28) reseal(bytes);
      let found = "refused";
      try {
        found = (await open(bytes)).search(query, { k: 5, refine: 0 });
      } catch (error) {
        assert.ok(error.constructor === Error, `${what}: ${error.stack}`);
      }
      if (verdict === "refused") {
        assert.strictEqual(found, "refused", what);
        ++refused;
      } else {
        assert.notStrictEqual(found, "refused", what);
        assert.deepStrictEqual(found.ids.map(Number), verdict.ids, what);  // JSON has no larger numbers
        assert.ok(sameFloats(found.scores, verdict.scores), what);
        ++accepted;
      }
    }
  console.log(`${refused} refused, ${accepted} accepted`);
  assert.ok(refused > 1000 && accepted > 100);
});

test("a file of another kind is named", async () => {
  const model = bytesOf(cases.models[0].name), index = bytesOf(cases.indexes[0].name);
  await assert.rejects(open(model), /holds a model, expected an index/);
  await assert.rejects(openModel(index), /holds an index, expected a model/);
  const inFolder = /of an index in a folder, expected an index: pages open indexes of one file/;
  await assert.rejects(open(bytesOf("folder/manifest")), inFolder);
  await assert.rejects(open(bytesOf("folder/segment-00000001")), inFolder);
  await assert.rejects(open(new ArrayBuffer(100)), /is not a summand file/);
  await assert.rejects(open(new ArrayBuffer(0)), /the file is empty/);
  await assert.rejects(open(7), /expected an ArrayBuffer/);
});

test("wrong queries and options are told", async () => {
  const index = await open(bytesOf("PQ-euclidean")), cosine = await open(bytesOf("PQ-cosine"));
  const query = new Float32Array(16);
  const told = (work, pattern) => assert.throws(work, pattern);
  told(() => index.search(new Float32Array(3)), /expected a query of 16 dimensions, got 3/);
  told(() => index.search(new Float32Array(16).fill(NaN)), /not finite/);
  told(() => index.search(new Float32Array(16).fill(3e38)), /table entries that are not finite/);
  told(() => index.search(query, { k: 0 }), /expected k of at least 1, got 0/);
  told(() => index.search(query, { probes: 3 }), /has no cells to probe/);
  told(() => index.search(query, { reach: 2 }), /has no cells to probe/);
  told(() => index.search(query, { refine: 3 }), /has no second layer/);
  told(() => index.search(query, { filter: "3" }), /a function or a Set/);
  told(() => cosine.search(query), /has no direction/);
});
