// How long the playground's page takes to open, from a file: until it can be used, and until its first run is shown.
// Budget: 1 s and 1.5 s, and a size of 3 MiB.
//
//   node tests/bench/playground.mjs [PAGE [PACKAGES [CHROMIUM]]]
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [page_path = "build/playground/playground.html", packages = "build/playground/npm", executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(packages), "package.json"))("playwright-core");
const times = 7;
const middle = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const [ready, first_run] = [[], []];
for (let i = 0; i < times; ++i) {
  const page = await (await browser.newContext()).newPage();
  const begin = performance.now();
  await page.goto(pathToFileURL(resolve(page_path)).href);
  await page.waitForFunction(() => document.querySelector(".cm-content"));
  ready.push(performance.now() - begin);
  await page.waitForFunction(() => document.body.dataset.time);
  first_run.push(performance.now() - begin);
  await page.context().close();
}
await browser.close();
console.log(`size ${(statSync(page_path).size / 2 ** 20).toFixed(2)} MiB; can be used after ${middle(ready).toFixed(0)} ms, first run after ${middle(first_run).toFixed(0)} ms (median of ${times})`);
