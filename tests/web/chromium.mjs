// The browser of the tests: Debian's Chromium, driven by Playwright. Ends the test with 77, and prints why, where they are not
// installed.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

function installedPackages() {
  try {
    return execFileSync(new URL("browser/packages", import.meta.url).pathname, { encoding: "utf8" }).trim();
  } catch {
    return skip("the packages of tests/web/browser are not installed (./dev test does it)");
  }
}

// `require` of the packages of npm.
export const require = createRequire(join(installedPackages(), "package.json"));

export function launched() {
  const executablePath = PROGRAMS.find((path) => statSync(path, { throwIfNoEntry: false }));
  if (!executablePath) skip("no Chromium, which Debian has as the package chromium");
  return require("playwright-core").chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
