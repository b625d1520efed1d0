// web/summand.js answers as the C++ library does, bit for bit.
import assert from "node:assert";
import { test } from "node:test";

import { open, openModel } from "../../web/summand.js";
import { difference } from "./compare.mjs";
import { bytesOf, cases } from "./support.mjs";

for (const wasm of [true, false])
  test(`every index gives the ids and scores of the library, ${wasm ? "WebAssembly" : "plain JavaScript"}`, async () => {
    assert.ok(cases.indexes.length > 200);
    for (const expected of cases.indexes) {
      const index = await open(bytesOf(expected.name), { wasm });
      assert.strictEqual(Boolean(index.scan.kernel), wasm);
      assert.deepStrictEqual([index.size, index.dimensions, index.metric], [expected.size, expected.dimensions, expected.metric]);
      assert.strictEqual(difference(index, expected), null);
    }
  });

test("models encode queries as the client does", async () => {
  for (const { name, queries, codes, file } of cases.models) {
    const encoder = await openModel(bytesOf(name));
    const found = queries.map((query) => encoder.encode(query));
    assert.deepStrictEqual(found.map((code) => [...code]), codes, name);
    assert.deepStrictEqual([...encoder.codeFile(found.flatMap((code) => [...code]))], file, name);
  }
});
