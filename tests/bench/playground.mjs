// How long the playground's page takes to open, from a file: until it can be used, until its first run is shown, and how long
// a number that is changed right then takes. Budget of the first two: 1 s and 1.5 s, and a size of 3 MiB.
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
const [ready, first_run, change] = [[], [], []];
for (let i = 0; i < times; ++i) {
  const page = await (await browser.newContext()).newPage();
  const begin = performance.now();
  await page.goto(pathToFileURL(resolve(page_path)).href);
  await page.waitForFunction(() => document.querySelector(".cm-content"));
  ready.push(performance.now() - begin);
  await page.waitForFunction(() => document.body.dataset.time);
  first_run.push(performance.now() - begin);
  await page.waitForFunction(() => document.body.dataset.round);
  const before = await page.evaluate(() => document.body.dataset.round), changed = performance.now();
  await page.fill('[data-name="s"] input:not([type=range])', "5");
  await page.keyboard.press("Enter");
  await page.waitForFunction((round) => document.body.dataset.round !== round, before);
  change.push(performance.now() - changed);
  await page.context().close();
}
await browser.close();
console.log(`size ${(statSync(page_path).size / 2 ** 20).toFixed(2)} MiB; can be used after ${middle(ready).toFixed(0)} ms, first run after ${middle(first_run).toFixed(0)} ms, a first change takes ${middle(change).toFixed(0)} ms (median of ${times})`);
