// The pages that `summand page` and the demo write, in a browser: opened from the disk, used by mouse and keys, in both
// colour schemes and on a phone, and looked over by axe-core. Skipped, with the reason, where there is no browser.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";

import { crc32 } from "../../web/src/hash.js";
import { launched, require, skip } from "./chromium.mjs";

if (!process.env.SUMMAND || !process.env.SUMMAND_DEMO) skip("the tools that write pages are not built");

const WORDS = [..."abcdefghij"].map((letter) => `\u2581${letter}`).concat("\u2581", ..."abcdefghij");  // the first ten are heights
const PHONE = { width: 390, height: 844 }, DESK = { width: 1280, height: 900 };
const shots = process.env.SUMMAND_SHOTS;  // where pictures of the pages are kept, to be looked at
let scratch, browser, axe;
const pages = {};

const run = (tool, ...words) => execFileSync(process.env[tool], words, { stdio: ["ignore", "ignore", "inherit"] });

// Vectors of 36 values: bright bars at ten heights, with noise from a seed.
function barVectors(count, seed) {
  let state = seed;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return Array.from({ length: count }, (_, i) => Float32Array.from({ length: 36 }, (_, d) => {
    const near = Math.abs(Math.floor(d / 6) - (i % 10) / 2) < 1;
    return Math.round(near ? 170 + 80 * random() : 40 * random());
  }));
}

function writeFvecs(path, rows) {
  const head = Buffer.from(Int32Array.of(rows[0].length).buffer);
  writeFileSync(path, Buffer.concat(rows.flatMap((row) => [head, Buffer.from(row.buffer)])));
}

// A grey picture of 6 × 6.
function png(values) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]), length = Buffer.alloc(4), sum = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const rows = Buffer.concat(Array.from({ length: 6 }, (_, y) => Buffer.from([0, ...values.slice(6 * y, 6 * y + 6)])));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", Buffer.from([0, 0, 0, 6, 0, 0, 0, 6, 8, 0, 0, 0, 0])),
    chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

function writePages() {
  const path = (name) => join(scratch, name), base = barVectors(400, 1), queries = barVectors(30, 2);
  writeFvecs(path("base.fvecs"), base);
  writeFvecs(path("queries.fvecs"), queries);
  mkdirSync(path("pictures"));
  base.forEach((row, i) => writeFileSync(path(`pictures/bar ${i}.png`), png(row)));
  writeFileSync(path("items.csv"), `name,said,label\n${base.map((_, i) => `The bar number ${i} <b>&amp;</b> its </script> name,"a bar, as it is",height ${i % 10}\n`).join("")}`);
  writeFvecs(path("words.fvecs"), [...barVectors(10, 3), ...barVectors(WORDS.length - 10, 4)]);
  writeFileSync(path("words.txt"), WORDS.join("\n") + "\n");
  writeFileSync(path("kinds.txt"), base.map((_, i) => `height ${i % 10}`).join("\n") + "\n");
  run("SUMMAND", "build", "--quiet", "--spec", "PQ4x4", path("base.fvecs"), "-o", path("pq.smd"));
  run("SUMMAND", "build", "--quiet", "--spec", "PQ6x4", path("words.fvecs"), "-o", path("words.smd"));
  run("SUMMAND", "build", "--quiet", "--spec", "IVF4,OPQ4x4", path("base.fvecs"), "-o", path("cells.smd"));
  run("SUMMAND", "exact", "--quiet", path("base.fvecs"), path("queries.fvecs"), "-k", "10", "-o", path("truth.ivecs"));
  run("SUMMAND", "page", path("pq.smd"), path("cells.smd"), "--items", path("pictures"), "--labels", path("kinds.txt"), "--queries", path("queries.fvecs"),
    "--truth", path("truth.ivecs"), "--pictures", "6x6", "--title", "Bars", "-o", path("folder"));
  run("SUMMAND", "page", path("pq.smd"), "--items", path("items.csv"), "--words", path("words.smd"), "--vocabulary", path("words.txt"), "-o", path("texts.html"));
  writeFileSync(path("vector.txt"), `[${base[7].join(", ")}]\n`);
  run("SUMMAND", "build", "--quiet", "--spec", "PQ4x4,Refine(fp32)", path("base.fvecs"), "-o", path("exact.smd"));
  run("SUMMAND", "page", path("exact.smd"), "-o", path("numbers.html"));
  run("SUMMAND_DEMO", "--spec", "LOCQ4x5(iterations=2)", "--spec", "PQ4x5", "--learn-size", "2000", "--quiet", "-o", path("demo"));
  Object.assign(pages, { folder: path("folder/index.html"), texts: path("texts.html"), numbers: path("numbers.html"), demo: process.env.SUMMAND_PAGE ?? path("demo/explorer.html") });
}

before(async () => {
  scratch = mkdtempSync(join(tmpdir(), "summand-browser-"));
  writePages();
  axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  browser = await launched();
});

after(async () => {
  await browser?.close();
  if (scratch) rmSync(scratch, { recursive: true });
});

// Opens the page from the disk and calls work(page); nothing may be written to the console, nothing fetched.
async function opened(name, options, work) {
  const context = await browser.newContext({ viewport: DESK, ...options }), page = await context.newPage();
  const faults = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => /^https?:/.test(request.url()) && faults.push(`asked for ${request.url()}`));
  await page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shifted += value))).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(pathToFileURL(pages[name]).href);
  await page.waitForSelector("body[data-ready=yes]", { timeout: 60000 });
  await work(page);
  assert.deepStrictEqual(faults, []);
  await context.close();
}

async function shot(page, name) {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

async function overlooked(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
}

const answers = (page) => page.$$eval("#answers button", (buttons) => buttons.map((button) => button.getAttribute("aria-label")));

for (const name of ["folder", "demo"])
  test(`${name}: a click on an example, an answer and the map searches`, async () => {
    await opened(name, {}, async (page) => {
      const first = await answers(page);
      assert.strictEqual(first.length, 12);
      await page.click("#examples li:nth-child(3) button");
      assert.notDeepStrictEqual(await answers(page), first);
      assert.match(await page.textContent("#status"), /12 of [\d,]+ in [\d.]+ ms; \d+ of them are among the/);
      await page.click("#answers li:nth-child(2) button");
      assert.match(await page.textContent("#explained"), /^answer 2,/);
      await page.click("#search-this");
      const before = await page.textContent("#query-name");
      await page.click("#map", { position: await page.$eval("#map", (map) => ({ x: map.clientWidth / 2, y: map.clientHeight / 2 })) });
      await page.focus("#map");
      for (const key of ["+", "ArrowLeft", "-", "0", "Enter"]) await page.keyboard.press(key);
      assert.ok(before);
      await page.selectOption("#k", "24");
      assert.strictEqual((await answers(page)).length, 24);
    });
  });

test("a code is taken apart into its words, and the score into their entries", async () => {
  await opened("folder", {}, async (page) => {
    await page.click("#answers li:nth-child(4) button");
    const label = (await answers(page))[3];
    assert.strictEqual(await page.locator(".bytes code").count(), 4);
    assert.strictEqual(await page.locator(".step").count(), 5);
    const [, score] = /score ([\d.,]+)/.exec(label);
    assert.ok((await page.textContent(".sum")).endsWith(`= ${score.replace(/,$/, "")}`), label);
  });
});

test("the filter keeps one kind", async () => {
  await opened("folder", {}, async (page) => {
    await page.selectOption("#filter", { label: "only height 3" });
    const found = await answers(page);
    assert.strictEqual(found.length, 12);
    for (const label of found) assert.match(label, /height 3/);
  });
});

test("a drawing and a file are searched for", async () => {
  await opened("folder", {}, async (page) => {
    await page.click("#own");
    const { x, y, width, height } = await page.locator("#sketch canvas").boundingBox();
    await page.mouse.move(x + 0.1 * width, y + 0.5 * height);
    await page.mouse.down();
    await page.mouse.move(x + 0.9 * width, y + 0.5 * height, { steps: 4 });
    await page.mouse.up();
    assert.deepStrictEqual(await overlooked(page), []);
    await page.click("#sketch-search");
    assert.strictEqual(await page.textContent("#query-name"), "your picture");
    const drawn = await answers(page);
    await page.click("#own");
    await page.setInputFiles("#sketch-file", join(scratch, "items.csv"));
    await page.waitForFunction(() => document.getElementById("sketch-note").textContent.includes("no picture"));
    await page.setInputFiles("#sketch-file", join(scratch, "pictures/bar 1.png"));
    await page.waitForFunction(() => document.getElementById("sketch-note").textContent === "");
    await page.click("#sketch-search");
    assert.notDeepStrictEqual(await answers(page), drawn);
  });
});

test("numbers are searched for, once there are as many as dimensions", async () => {
  await opened("numbers", {}, async (page) => {
    await page.click("#own");
    await page.fill("#numbers textarea", "1, 2");
    assert.strictEqual(await page.textContent("#numbers-note"), "Expected 36 numbers, got 2.");
    assert.deepStrictEqual(await overlooked(page), []);
    await page.setInputFiles("#numbers-file", join(scratch, "vector.txt"));
    await page.waitForFunction(() => document.getElementById("numbers-note").textContent === "");
    await page.click("#numbers-search");
    assert.strictEqual(await page.textContent("#query-name"), "your vector");
    assert.match((await answers(page))[0], /no\. 7, score 0/);
    assert.match(await page.textContent(".sum"), /the second layer scores it 0$/);
  });
});

test("another method searches the same vectors", async () => {
  await opened("folder", {}, async (page) => {
    await page.click("#methods button:nth-child(2)");
    await page.waitForSelector("#methods button:nth-child(2)[aria-pressed=true]");
    assert.strictEqual((await answers(page)).length, 12);
    assert.match(await page.textContent("#explanation"), /^Beside its cell, all that the page knows/);
    assert.strictEqual(await page.locator(".step").count(), 5);
  });
});

test("texts are shown as they are", async () => {
  await opened("texts", {}, async (page) => {
    const texts = await page.$$eval("#answers .text", (spans) => spans.map((span) => span.textContent));
    assert.match(texts[0], /^The bar number \d+ <b>&amp;<\/b> its <\/script> name a bar, as it is$/);
  });
});

test("what is typed is searched for, letter by letter", async () => {
  await opened("texts", {}, async (page) => {
    for (const [typed, read, height] of [["D", "d", 3], ["  f F ", "f + f", 5]]) {
      await page.fill("#typed", typed);
      assert.strictEqual(await page.textContent("#query-name"), `“${typed.trim()}”, read as ${read}`);
      const found = await answers(page);
      assert.strictEqual(found.length, 12);
      for (const label of found) assert.match(label, new RegExp(`height ${height}`));
    }
    await page.fill("#typed", "ж");
    assert.strictEqual(await page.textContent("#status"), "No word of it is known.");
  });
});

for (const name of ["folder", "texts", "demo"])
  for (const colorScheme of ["light", "dark"])
    for (const [size, viewport] of [["desk", DESK], ["phone", PHONE]])
      test(`${name}: ${colorScheme}, ${size}: nothing overflows or jumps, and axe-core finds nothing serious`, async () => {
        await opened(name, { viewport, colorScheme, hasTouch: size === "phone" }, async (page) => {
          assert.ok(await page.evaluate(() => window.shifted) < 0.01, "the page moves while it is read");
          const wide = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          assert.strictEqual(await wide(), 0);
          const place = () => page.$eval("#map", (map) => map.getBoundingClientRect().top + window.scrollY);
          const before = await place();
          await page.click("#examples li:nth-child(2) button");
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
          assert.strictEqual(await place(), before, "an answer moves what is below it");
          assert.deepStrictEqual(await overlooked(page), []);
          await page.mouse.move(0, 0);
          await shot(page, `${name}-${colorScheme}-${size}`);
        });
      });

test("the switch turns the colours round", async () => {
  await opened("folder", { colorScheme: "light" }, async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.click("#scheme");
    assert.notStrictEqual(await paper(), light);
    await page.click("#scheme");
    assert.strictEqual(await paper(), light);
  });
});

test("a folder holds its pictures and parts beside the page", async () => {
  assert.strictEqual(readdirSync(join(scratch, "folder/items")).length, 400);
  assert.ok(readdirSync(join(scratch, "folder/parts")).includes("index-0.js"));
});
