// web/summand.js answers in Chromium as the C++ library does, bit for bit. No server runs: the files are handed to the
// browser in answer to its requests, in ranges where it asks for them.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launched } from "./chromium.mjs";
import { cases, folder } from "./support.mjs";

const SITE = "http://localhost";
const here = new URL(".", import.meta.url).pathname;
const folders = { module: join(here, "../../web"), test: here, index: folder };
let browser, page;

async function hand(route) {
  const [, from, name] = decodeURIComponent(new URL(route.request().url()).pathname).split("/");
  if (from === "case") return route.fulfill({ json: cases.indexes[name] });
  if (!name) return route.fulfill({ contentType: "text/html", body: "<!doctype html><title>test</title>" });
  const contentType = /js$/.test(name) ? "text/javascript" : "application/octet-stream", body = readFileSync(join(folders[from], name));
  const range = /^bytes=(\d+)-(\d+)$/.exec(route.request().headers().range ?? "");
  if (!range) return route.fulfill({ contentType, body });
  const begin = Number(range[1]), end = Math.min(Number(range[2]) + 1, body.length);
  return route.fulfill({ status: 206, contentType, body: body.subarray(begin, end),
    headers: { "Content-Range": `bytes ${begin}-${end - 1}/${body.length}` } });
}

before(async () => {
  browser = await launched();
  page = await browser.newPage();
  await page.route(`${SITE}/**`, hand);
  await page.goto(`${SITE}/`);
});

after(() => browser?.close());

for (const wasm of [true, false])
  test(`every index gives the ids and scores of the library, ${wasm ? "WebAssembly" : "plain JavaScript"}`, async () => {
    assert.ok(cases.indexes.length > 200);
    const found = await page.evaluate(async ([count, wasm]) => {
      const { open } = await import("/module/summand.js"), { difference } = await import("/test/compare.mjs");
      for (let i = 0; i < count; ++i) {
        const expected = await (await fetch(`/case/${i}`)).json();
        const index = await open(`/index/${encodeURIComponent(expected.name)}.smd`, { wasm });
        if (Boolean(index.scan.kernel) !== wasm) return `${expected.name}: ${wasm ? "no kernel" : "a kernel"}`;
        const other = difference(index, expected);
        if (other) return other;
      }
      return null;
    }, [cases.indexes.length, wasm]);
    assert.strictEqual(found, null);
  });

test("models encode queries as the client does", async () => {
  const found = await page.evaluate(async (models) => {
    const { openModel } = await import("/module/summand.js");
    return Promise.all(models.map(async ({ name, queries }) => {
      const encoder = await openModel(`/index/${encodeURIComponent(name)}.smd`);
      return queries.map((query) => [...encoder.encode(query)]);
    }));
  }, cases.models.map(({ name, queries }) => ({ name, queries })));
  assert.deepStrictEqual(found, cases.models.map(({ codes }) => codes));
});
