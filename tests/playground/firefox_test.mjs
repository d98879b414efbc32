// The playground's page in Firefox, from a file: it opens, runs a program and grades an exercise. Firefox's own protocol
// (Marionette: a length, a colon and a JSON list) needs no package.
//
//   node firefox_test.mjs PAGE FIREFOX MEMLANE SOURCE
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [page_path, firefox_path, memlane, source] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "memlane-firefox-"));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const free_port = () => new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const port = await free_port();
writeFileSync(join(folder, "user.js"), `user_pref("marionette.port", ${port});\n`);
const firefox = spawn(firefox_path, ["--headless", "--marionette", "--no-remote", "--profile", folder], { stdio: "ignore", env: { ...process.env, HOME: folder } });

const connected = async () => {
  for (const end = Date.now() + 120_000; ; await pause(200)) {
    try {
      return await new Promise((resolve, reject) => {
        const socket = connect(port, "127.0.0.1", () => resolve(socket)).once("error", reject);
      });
    } catch (error) {
      if (Date.now() > end || firefox.exitCode !== null) throw new Error(`Firefox does not answer: ${error.message}`);
    }
  }
};
const socket = await connected();

let bytes = Buffer.alloc(0), last = 0;
const waiting = new Map();
socket.on("data", (more) => {
  bytes = Buffer.concat([bytes, more]);
  for (;;) {
    const colon = bytes.indexOf(":"), size = colon < 0 ? 0 : Number(bytes.subarray(0, colon));
    if (colon < 0 || bytes.length < colon + 1 + size) return;
    const message = JSON.parse(bytes.subarray(colon + 1, colon + 1 + size));
    bytes = bytes.subarray(colon + 1 + size);
    if (!Array.isArray(message)) continue; // its greeting
    const [, id, error, result] = message;
    const { resolve, reject } = waiting.get(id);
    error ? reject(new Error(error.message)) : resolve(result);
  }
});
const send = (name, parameters = {}) => new Promise((resolve, reject) => {
  waiting.set(++last, { resolve, reject });
  const text = JSON.stringify([0, last, name, parameters]);
  socket.write(`${Buffer.byteLength(text)}:${text}`);
});
const evaluate = async (script, ...args) => (await send("WebDriver:ExecuteScript", { script, args })).value;
/** What the script returns as soon as that is true. */
const until = async (script, ...args) => {
  for (const end = Date.now() + 120_000; ; await pause(100)) {
    const value = await evaluate(script, ...args);
    if (value) return value;
    if (Date.now() > end) throw new Error(`this does not become true: ${script}`);
  }
};
const choose = (path) => evaluate("const box = document.getElementById('program'); box.value = arguments[0]; box.dispatchEvent(new Event('change'));", path);

let failed = false;
try {
  await send("WebDriver:NewSession");
  await send("WebDriver:Navigate", { url: pathToFileURL(page_path).href });
  const time = await until("return document.body.dataset.round && document.body.dataset.time");
  const told = execFileSync(memlane, ["run", "strided", "-m", "dmm-w32", "-D", "n=256", "-D", "s=2", "--format", "json"], { cwd: source, encoding: "utf8" });
  assert.equal(Number(time), JSON.parse(told).counts.time);

  // The text is in the browser's storage before the page is opened again: nothing types here.
  await evaluate("localStorage.setItem('memlane-playground-texts', JSON.stringify({ [arguments[0]]: arguments[1] }))",
    "programs/exercises/01_map.lane", readFileSync(join(source, "tests/exercises/01_map.lane"), "utf8"));
  await choose("programs/exercises/01_map.lane");
  await evaluate("document.getElementById('grade-it').click()");
  assert.equal(await until("return document.getElementById('verdict')?.textContent"), "passed: 10 of 10 points");
  const line = await evaluate("return document.getElementById('result-line').value");
  assert.equal(spawnSync(memlane, ["grade", "--verify", line], { cwd: source }).status, 0);
  console.log("ok: Firefox opens the page, runs a program and grades an exercise");
} catch (error) {
  failed = true;
  console.error(`FAILED: ${error.stack}`);
}
await send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
firefox.kill();
await new Promise((resolve) => (firefox.exitCode === null && firefox.signalCode === null ? firefox.once("exit", resolve) : resolve()));
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.exit(failed ? 1 : 0);
