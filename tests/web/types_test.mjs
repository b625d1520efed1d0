// web/summand.d.ts names what the module has, and the module exports nothing else.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as library from "../../web/summand.js";
import { bytesOf, cases } from "./support.mjs";

const text = readFileSync(new URL("../../web/summand.d.ts", import.meta.url), "utf8").replace(/\/\*\*[\s\S]*?\*\//g, "");
const declared = [...text.matchAll(/^export (?:function|class) (\w+)/gm)].map(([, name]) => name);
const membersOf = (name) => [...new RegExp(`^export class ${name} \\{\\n([\\s\\S]*?)^\\}`, "m").exec(text)[1].matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)]
  .map(([, member]) => member);

test("every export has a type, and every type an export", () => {
  assert.deepStrictEqual(declared.sort(), Object.keys(library).sort());
});

test("what opens has every member of its type", async () => {
  const objects = { Index: await library.open(bytesOf("PQ-euclidean")), QueryEncoder: await library.openModel(bytesOf(cases.models[0].name)) };
  for (const [name, object] of Object.entries(objects)) {
    assert.ok(object instanceof library[name]);
    assert.ok(membersOf(name).length > 4, name);
    for (const member of membersOf(name)) assert.ok(object[member] !== undefined, `${name}.${member}`);
  }
});
