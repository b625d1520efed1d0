// Indexes come from memory, from a Blob, and from a URL, in ranges where the server knows them.
import assert from "node:assert";
import { createServer } from "node:http";
import { test } from "node:test";

import { open } from "../../web/summand.js";
import { difference } from "./compare.mjs";
import { bytesOf, cases } from "./support.mjs";

const expected = cases.indexes.find(({ name }) => name === "IVF6,OPQ4x4(iterations=1),Refine(fp32)-euclidean");
const good = new Uint8Array(bytesOf(expected.name));

// Serves `bytes` on the loopback while work(url) runs; returns the bytes sent.
async function served(bytes, { ranges }, work) {
  let sent = 0;
  const server = createServer((request, response) => {
    const wanted = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (request.url !== "/index.smd") return void response.writeHead(404).end();
    if (!ranges || !wanted) return void response.writeHead(200).end(bytes);
    const [from, last] = [Number(wanted[1]), Math.min(Number(wanted[2]), bytes.length - 1)];
    if (from > last) return void response.writeHead(416).end();
    sent += last + 1 - from;
    response.writeHead(206, { "Content-Range": `bytes ${from}-${last}/${bytes.length}` }).end(bytes.subarray(from, last + 1));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    await work(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return sent;
}

test("memory and blobs give the same index", async () => {
  const odd = new Uint8Array(good.length + 1);
  odd.set(good, 1);
  for (const source of [good.buffer, good, odd.subarray(1), new Blob([good])])
    assert.strictEqual(difference(await open(source), expected), null);
});

test("a URL is read with ranges and without", async () => {
  for (const ranges of [true, false])
    await served(good, { ranges }, async (url) => {
      assert.strictEqual(difference(await open(`${url}/index.smd`), expected), null);
      assert.strictEqual(difference(await open(new URL(`${url}/index.smd`)), expected), null);
    });
});

test("a damaged head costs no more than the first range", async () => {
  const large = new Uint8Array(1 << 20);
  large.set(good);
  const sent = await served(large, { ranges: true }, (url) => assert.rejects(open(`${url}/index.smd`), /index\.smd: trailing bytes/));
  assert.ok(sent <= 1 << 16);
});

test("errors name the URL", async () => {
  await served(good, { ranges: true }, (url) => assert.rejects(open(`${url}/none.smd`), /none\.smd: cannot be read, status 404/));
  await served(new Uint8Array(0), { ranges: true }, (url) => assert.rejects(open(`${url}/index.smd`), /the file is empty/));
});
