// Times a page in Chromium: opened from the disk, then 48 clicks on examples for each method, in a window of 1280 × 900 pixels.
//
//     clicks.mjs PAGE        prints JSON
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { launched } from "../../tests/web/chromium.mjs";

const CLICKS = 48, EXAMPLES = 12;
const path = resolve(process.argv[2]), browser = await launched();

// Keeps when the first picture and the first answers were painted, in milliseconds since the page was asked for.
async function watch(page) {
  await page.addInitScript(() => {
    window.seen = {};
    const wanted = { picture: "#examples canvas, #examples img, #examples .text", answers: "#answers button" };
    new MutationObserver(() => {
      for (const [name, selector] of Object.entries(wanted)) {
        if (window.seen[name] || !document.querySelector(selector)) continue;
        window.seen[name] = Infinity;
        requestAnimationFrame(() => setTimeout(() => (window.seen[name] = performance.now())));
      }
    }).observe(document, { childList: true, subtree: true });
  });
}

// Milliseconds of one click, until the answers stand in the page and have their places, and what the search alone took.
const click = (number) => {
  const button = document.querySelector(`#examples li:nth-child(${number + 1}) button`), begin = performance.now();
  button.click();
  document.getElementById("answers").getBoundingClientRect();
  const time = performance.now() - begin;
  return { time, search: Number(/in ([\d.]+) ms/.exec(document.getElementById("status").textContent)[1]) };
};

async function clicks(page) {
  const found = [];
  for (let i = 0; i < CLICKS; ++i) {
    found.push(await page.evaluate(click, i % EXAMPLES));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    if (i % EXAMPLES === EXAMPLES - 1) await page.evaluate(() => document.getElementById("others").click());
  }
  const part = (name, share) => found.map((own) => own[name]).sort((a, b) => a - b)[Math.floor(share * CLICKS)];
  return { search: [part("search", 0.5), part("search", 0.9)], click: [part("time", 0.5), part("time", 0.9)] };
}

const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await watch(page);
await page.goto(pathToFileURL(path).href);
await page.waitForSelector("body[data-ready=yes]", { timeout: 120000 });
const methods = await page.$$eval("#methods button", (buttons) => buttons.map((button) => button.textContent)), rows = [];
for (const [i, method] of methods.entries()) {
  await page.click(`#methods button:nth-child(${i + 1})`);
  await page.waitForSelector(`#methods button:nth-child(${i + 1})[aria-pressed=true]`);
  rows.push({ method, ...(await clicks(page)) });
}
console.log(JSON.stringify({ bytes: statSync(path).size, ...(await page.evaluate(() => window.seen)), clicks: CLICKS, methods: rows }));
await browser.close();
