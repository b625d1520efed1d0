// Style and script of the pages that tools write. Colours are in two schemes: what the system prefers, unless the
// switch on the page has chosen.
#pragma once

namespace summand::cli {

inline constexpr const char* kLightColours = R"css(
  --paper: #fbfbf9; --card: #ffffff; --ink: #1c1f24; --soft: #5d6570; --line: #e2e4e8; --good: #12855b; --miss: #b9bec7; --shade: #0003;
  --s0: #2563eb; --s1: #d97706; --s2: #0b7a4b; --s3: #8b2fd6; --s4: #a8161f; --s5: #ec4899; --s6: #8a6d3b; --s7: #475569;
)css";

inline constexpr const char* kDarkColours = R"css(
  --paper: #14161a; --card: #1c1f25; --ink: #e8eaee; --soft: #a0a8b4; --line: #313640; --good: #3ecf95; --miss: #4a515d; --shade: #fff4;
  --s0: #5b9bff; --s1: #ffb347; --s2: #35d08f; --s3: #b983ff; --s4: #ff5a4d; --s5: #ffa3e0; --s6: #a8823f; --s7: #b4bdc9;
)css";

inline constexpr const char* kPageStyle = R"css(
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
#scheme { float: right; margin: 0 0 .5rem 1rem; padding: .35rem .8rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); color: var(--soft); font: inherit; font-size: .85rem; cursor: pointer; }
main { max-width: 66rem; margin: 0 auto; padding: 2rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; }
p { margin: .4rem 0 .8rem; } .soft { color: var(--soft); font-size: .93rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; }
.scroll { overflow-x: auto; padding: .2rem 0;
  background: linear-gradient(90deg, var(--card) 1.4rem, transparent 3rem) local, linear-gradient(270deg, var(--card) 1.4rem, transparent 3rem) local,
    linear-gradient(90deg, var(--shade), transparent 1.4rem) scroll, linear-gradient(270deg, var(--shade), transparent 1.4rem) scroll, var(--card); }
.more { display: none; margin: .3rem 0 0; text-align: right; } .cut + .more { display: block; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { text-align: right; padding: .5rem .6rem; white-space: nowrap; }
th:first-child, td:first-child, .words { text-align: left; }
th { white-space: normal; vertical-align: bottom; color: var(--soft); font-weight: 600; cursor: pointer; border-bottom: 1px solid var(--line); user-select: none; }
th::after { content: " \2195"; opacity: .35; font-weight: 400; } th[aria-sort=ascending]::after { content: " \2191"; opacity: 1; }
th[aria-sort=descending]::after { content: " \2193"; opacity: 1; }
tbody tr + tr td { border-top: 1px solid var(--line); } td.best { font-weight: 700; }
.swatch { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin-right: .5rem; vertical-align: -.08rem; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 13px; }
svg .name { fill: var(--ink); font-weight: 600; } .grid { stroke: var(--line); }
.curve { fill: none; stroke-width: 2.5; stroke-linejoin: round; } .hollow { fill: var(--card); stroke-width: 2; }
@media (max-width: 40rem) { svg.wide text { font-size: 22px; } .wide .curve { stroke-width: 4; } }
.ring { background: none; border: 2px solid; border-radius: 50%; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: .6rem 0 0; padding: 0; list-style: none; font-size: .93rem; }
.gallery { display: grid; gap: .9rem 1.6rem; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); }
.row { display: grid; grid-template-columns: 1.35fr repeat(8, 1fr); gap: .25rem; align-items: center; }
.row img { width: 100%; aspect-ratio: 1; image-rendering: pixelated; border-radius: .25rem; display: block; background: #000; }
.row .query { margin-right: .45rem; outline: 2px solid var(--ink); outline-offset: 1px; }
.hit { border-bottom: 3px solid var(--good); padding-bottom: 2px; } .other { border-bottom: 3px solid var(--miss); padding-bottom: 2px; }
.contents td:first-child { white-space: normal; min-width: 9rem; }
@media (max-width: 40rem) { svg.small text { font-size: 17px; } }
.plots { display: grid; gap: 1rem 1.4rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); } figure { margin: 0; }
h3 { font-size: 1rem; margin: 1.4rem 0 .5rem; } section { margin-top: 3rem; } section .card + .card { margin-top: .8rem; }
a { color: var(--s0); text-decoration: none; } a:hover { text-decoration: underline; }
.source { color: var(--soft); font-weight: 400; font-size: .9rem; margin: 0 .3rem; }
.badge { display: inline-block; padding: .05rem .6rem; border-radius: 1rem; font-size: .8rem; font-weight: 600; border: 1px solid; white-space: nowrap; }
.badge.agrees { color: var(--good); } .badge.partly { color: var(--s1); } .badge.differs { color: var(--s4); } .badge.open { color: var(--soft); }
.note { border-left: 3px solid var(--s1); padding-left: .8rem; }
details { margin: 0 0 .8rem; font-size: .93rem; } summary { cursor: pointer; color: var(--soft); }
.checks { margin: .4rem 0; padding-left: 1.3rem; } .held::marker { content: "\2713  "; color: var(--good); } .broken::marker { content: "\2717  "; color: var(--s4); }
code { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: .9em; }
)css";

inline constexpr const char* kPageScript = R"js(
document.querySelectorAll("th").forEach(head => head.addEventListener("click", () => {
  const body = head.closest("table").tBodies[0], up = head.getAttribute("aria-sort") === "descending";
  head.parentNode.querySelectorAll("th").forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = row => row.cells[head.cellIndex].dataset.value, order = up ? 1 : -1;
  const compare = (a, b) => a === "" || b === "" ? (a === "") - (b === "")
    : order * (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
  [...body.rows].sort((a, b) => compare(key(a), key(b))).forEach(row => body.append(row));
}));
const markCut = () => document.querySelectorAll(".scroll").forEach(box =>
  box.classList.toggle("cut", box.scrollWidth > box.clientWidth + 1));
addEventListener("resize", markCut);
markCut();
const root = document.documentElement, scheme = document.getElementById("scheme");
const darkNow = () => root.dataset.scheme ? root.dataset.scheme === "dark"
  : matchMedia("(prefers-color-scheme: dark)").matches;
const nameScheme = () => scheme.textContent = darkNow() ? "Light colours" : "Dark colours";
scheme.addEventListener("click", () => { root.dataset.scheme = darkNow() ? "light" : "dark"; nameScheme(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameScheme);
nameScheme();
)js";

}  // namespace summand::cli
