// What the tests in Node share: the indexes of make_indexes, and what the library answers.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const folder = process.env.SUMMAND_INDEXES;
export const cases = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8"));

export function bytesOf(name) {
  const bytes = readFileSync(join(folder, `${name}.smd`));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}
