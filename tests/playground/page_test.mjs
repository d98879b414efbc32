// The playground's page in Chromium, from a file: what a person does on it, and the numbers of the command line.
//
//   node page_test.mjs PAGE PACKAGES CHROMIUM MEMLANE SOURCE [SCREENSHOTS]
//
// MEMLANE_PAGE_TESTS=WORDS: the first test, which opens the page, and those whose names have the words.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync, gunzipSync } from "node:zlib";

const [page_path, packages, chromium_path, memlane, source, screenshots] = process.argv.slice(2);
const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "memlane-playground-"));
const address = pathToFileURL(page_path).href;
const context = await chromium.launchPersistentContext(join(folder, "profile"), {
  executablePath: chromium_path, args: ["--no-sandbox"], viewport: { width: 1280, height: 900 }, acceptDownloads: true,
});
context.setDefaultTimeout(120_000); // tests run beside others
const asked = [], problems = [];
const page = context.pages()[0] ?? (await context.newPage());
page.on("request", (request) => asked.push(request.url()));
page.on("pageerror", (error) => problems.push(error.message));
page.on("console", (message) => ["warning", "error"].includes(message.type()) && problems.push(message.text()));

/** Waits for the run of the latest change. */
const act = async (action) => {
  const before = await page.evaluate(() => Number(document.body.dataset.round ?? 0));
  await action();
  await page.waitForFunction((round) => Number(document.body.dataset.round ?? 0) > round, before, { timeout: 120_000 });
  await page.waitForFunction(() => !document.body.classList.contains("running"));
};
/** Waits for a grade. */
const graded = async (action) => {
  await page.evaluate(() => (document.getElementById("grade").hidden = true));
  await action();
  await page.waitForFunction(() => !document.getElementById("grade").hidden, null, { timeout: 120_000 });
};
const open = async (where = address) => {
  await page.goto("about:blank");
  await page.goto(where);
  await page.waitForFunction(() => document.body.dataset.round, null, { timeout: 120_000 });
};
const shown_time = async () => Number((await page.textContent("#time")).replace(/\D/g, ""));
const time_of = (...words) => JSON.parse(execFileSync(memlane, ["run", ...words, "--format", "json"], { cwd: source, encoding: "utf8" })).counts.time;
const fill = (name, value) => act(async () => {
  await page.fill(`[data-name="${name}"] input:not([type=range])`, String(value));
  await page.keyboard.press("Enter");
});
const editor = ".cm-content";
const write_program = async (text) => {
  await page.click(editor);
  await page.keyboard.press("Control+a");
  await act(() => page.keyboard.insertText(text));
};

/** Asks the page's module without the page, by the script of its worker. */
const begin_module = async () => {
  const html = readFileSync(page_path, "utf8");
  const part = (id) => gunzipSync(Buffer.from(html.match(new RegExp(`id="${id}">([^<]*)<`))[1], "base64"));
  const self = {};
  let settle;
  self.postMessage = (message) => settle(message);
  new Function("self", readFileSync(join(source, "src/pages/playground/worker.js"), "utf8"))(self);
  const { files, list, answers } = JSON.parse(part("memlane-files"));
  self.onmessage({ data: { compiled: await WebAssembly.compile(part("memlane-module")), files: JSON.stringify(files) } });
  const ask = (question) => new Promise((resolve) => {
    settle = resolve;
    self.onmessage({ data: { question: JSON.stringify(question) } });
  });
  return { ask, files, list, answers };
};

/** Program, machine, and the options of both. */
const settings = () => {
  const all = [];
  for (const machine of ["dmm-w32", "umm-w32", "hmm-titan-plain"])
    for (const s of [1, 2, 3, 4, 8, 16, 32, 33]) all.push(["access/strided", machine, { define: [`s=${s}`, "n=192"] }]);
  for (const layout of ["rows", "padded(1)", "diagonal", "swizzle"])
    for (const n of [32, 64, 96]) all.push(["matrix/transpose", "hmm-rtx3080", { define: [`n=${n}`], layout: [`t=${layout}`] }]);
  for (const latency of [1, 7, 100]) all.push(["reduction/sum", "umm-w32", { set: [`latency=${latency}`], define: ["n=2^12"] }]);
  for (const program of ["reduction/reduction", "scan/prefix_sums", "scan/scan_brent_kung_padded", "sort/bitonic_sort", "matrix/multiply", "access/contiguous"]) {
    all.push([program, "", {}]);
    all.push([program, "", { set: ["threads=64"] }]);
  }
  return all;
};

const tests = {
  async "opens from a disk without a network and runs its first program"() {
    await open();
    assert.equal(await shown_time(), time_of("strided", "-m", "dmm-w32", "-D", "n=256", "-D", "s=2"));
    assert.deepEqual(asked.filter((url) => !/^(file|blob|data|about):/.test(url)), []);
    assert.ok(statSync(page_path).size <= 3 * 2 ** 20);
  },

  async "the first run is shown without the module, as the module answers it"() {
    const { ask, answers } = await begin_module();
    const questions = Object.keys(answers);
    assert.deepEqual(questions.map((question) => JSON.parse(question).ask), ["run", "describe"]);
    for (const question of questions) assert.deepEqual((await ask(JSON.parse(question))).answer, answers[question]);
    const without_module = join(folder, "without_module.html");
    writeFileSync(without_module, readFileSync(page_path, "utf8").replace(/(id="memlane-module">)[^<]*/, "$1"));
    const other = await context.newPage();
    await other.goto(pathToFileURL(without_module).href);
    await other.waitForFunction(() => document.body.dataset.time);
    assert.equal(await other.textContent("#time"), await page.textContent("#time"));
    await other.close();
  },
  async "a slider of the stride shows the time of the command line, and why"() {
    const slider = page.locator('[data-name="s"] input[type=range]');
    await slider.focus();
    await act(() => page.keyboard.press("ArrowRight"));
    assert.equal(await page.inputValue('[data-name="s"] input:not([type=range])'), "3");
    assert.equal(await shown_time(), time_of("strided", "-m", "dmm-w32", "-D", "n=256", "-D", "s=3"));
    await fill("s", 32);
    assert.equal(await shown_time(), time_of("strided", "-m", "dmm-w32", "-D", "n=256", "-D", "s=32"));
    assert.match(await page.textContent(".mt-says"), /32 lanes of a warp write 32 words of a in 1 bank.*32 stages/);
    assert.equal(await page.locator(".mt-cells td.mt-extra").count(), 31);
    assert.match(await page.textContent(".before"), /as long/);
  },

  async "other machines, keys and layouts have the times of the command line"() {
    await act(() => page.selectOption("#machine", "umm-w32"));
    await fill("width", 16);
    await fill("latency", 9);
    assert.equal(await shown_time(), time_of("strided", "-m", "umm-w32", "--set", "width=16", "--set", "latency=9", "-D", "n=256", "-D", "s=32"));
    await act(() => page.selectOption("#program", "programs/matrix/transpose.lane"));
    await fill("n", 64);
    await act(() => page.selectOption('[data-name="layout-t"] select', "rows"));
    assert.equal(await shown_time(), time_of("transpose", "-D", "n=64", "--layout", "t=rows"));
    await fill("multiprocessors", 3);
    assert.equal(await shown_time(), time_of("transpose", "-D", "n=64", "--layout", "t=rows", "--set", "multiprocessors=3"));
    await act(() => page.selectOption("#program", "programs/scan/scan_brent_kung_padded.lane"));
    assert.equal(await shown_time(), time_of("scan_brent_kung_padded"));
  },

  async "fifty settings have the counts of the command line"() {
    const { ask, files } = await begin_module();
    const list = settings();
    assert.ok(list.length >= 50);
    for (const [program, machine, options] of list) {
      const path = `programs/${program}.lane`;
      const { answer } = await ask({ ask: "run", path, text: files[path], machine, ...options });
      assert.deepEqual(answer.errors, [], path);
      const flags = Object.entries({ define: "-D", set: "--set", layout: "--layout" }).flatMap(([name, flag]) => (options[name] ?? []).flatMap((value) => [flag, value]));
      const told = execFileSync(memlane, ["run", path, ...(machine ? ["-m", machine] : []), ...flags, "--format", "json"], { cwd: source, encoding: "utf8" });
      assert.deepEqual(answer.run.counts, JSON.parse(told).counts, `${path} ${machine} ${flags}`);
    }
  },

  async "a value that no run accepts is an error with a way out"() {
    await act(() => page.selectOption("#program", "programs/matrix/transpose.lane"));
    await fill("n", 33);
    assert.match(await page.textContent("#errors"), /n % w == 0/);
    assert.match(await page.textContent("#earlier"), /latest run without an error/);
    await fill("n", "");
    assert.equal(await page.inputValue('[data-name="n"] input:not([type=range])'), "256");
    await fill("n", 32);
    assert.equal(await page.isHidden("#errors"), true);
    assert.equal(await page.isHidden("#earlier"), true);
  },

  async "a key that may be none takes none again"() {
    await act(() => page.selectOption("#machine", "hmm-titan-plain"));
    const box = '[data-name="shared.capacity"] input:not([type=range])';
    const before = await page.inputValue(box);
    await fill("shared.capacity", 4096);
    await fill("shared.capacity", "none");
    assert.equal(await page.isHidden("#errors"), true, await page.textContent("#errors"));
    assert.equal(await page.inputValue(box), "none");
    await fill("shared.capacity", "");
    assert.equal(await page.inputValue(box), before);
  },

  async "a program whose time is no unit's has no empty bars of units, and one control for arrays of one name"() {
    await act(() => page.selectOption("#program", "programs/reduction/reduction.lane"));
    assert.equal(await page.locator('[data-name="layout-y"]').count(), 1);
    await act(() => page.selectOption("#machine", "agpu-teaching"));
    assert.equal(await page.locator("#result .unit").count(), 0);
    assert.notEqual(await page.textContent("#result h3 + h4"), "");
  },

  async "the program is held in its row while the page is scrolled"() {
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    for (const at of [600, 1100]) {
      await page.evaluate((y) => scrollTo(0, y), at);
      const [end, begin] = await page.evaluate(() => [document.querySelector("#editor").getBoundingClientRect().bottom, document.querySelector("#timeline").getBoundingClientRect().top]);
      assert.ok(end <= begin, `the editor ends at ${end}, the next row begins at ${begin}`);
    }
    await page.evaluate(() => scrollTo(0, 0));
  },

  async "results of another program are not shown beside an error, but what was printed is"() {
    const own = join(folder, "prints.lane");
    const write = (end) => writeFileSync(own, `memory a[4]: int\nkernel k() { print "thread ", thread  ${end} }\nmain { launch k() threads=2 }\nverify { }\n`);
    write("a[9] = thread");
    await act(() => page.setInputFiles("#file", own));
    assert.equal(await page.locator("#time").count(), 0);
    assert.equal(await page.textContent("#result"), "");
    assert.equal(await page.isHidden("#timeline"), true);
    assert.match(await page.textContent("#errors .printed"), /thread +0/);
    write("a[thread] = thread");
    await act(() => page.setInputFiles("#file", own));
    assert.match(await page.textContent("#result .printed"), /thread +0\n.*thread +1$/);
    assert.match(await page.textContent("#said"), /Another text of prints.lane is kept; this one is prints-2.lane/);
    await act(() => page.selectOption("#program", "programs/matrix/transpose.lane"));
    assert.equal(await page.textContent("#said"), "");
  },

  async "a mistake is underlined where it is, with its way out, and the text is kept"() {
    await act(() => page.selectOption("#program", "programs/access/contiguous.lane"));
    await page.click(editor);
    await page.keyboard.press("Control+Home");
    await act(() => page.keyboard.insertText("param size: itn = 4\n"));
    assert.equal(await page.locator(".cm-lintRange-error").first().textContent(), "itn");
    assert.match(await page.textContent("#errors"), /line 1: .*→ .*int/s);
    await page.reload();
    await page.waitForFunction(() => document.body.dataset.round);
    assert.match(await page.textContent(editor), /^param size: itn = 4/);
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    await act(() => page.selectOption("#program", "programs/access/contiguous.lane"));
    assert.match(await page.textContent(editor), /^param size: itn = 4/);
    await act(() => page.click("#reset"));
    assert.doesNotMatch(await page.textContent(editor), /itn/);
    assert.match(await page.textContent("#said"), /kept as contiguous-2.lane/);
    await write_program("// another one\n");
    await act(() => page.click("#reset"));
    assert.match(await page.textContent("#said"), /kept as contiguous-3.lane/);
    await page.reload();
    await page.waitForFunction(() => document.body.dataset.round);
    for (const [name, begin] of [["contiguous-2.lane", "param size: itn = 4"], ["contiguous-3.lane", "// another one"]]) {
      await act(() => page.selectOption("#program", name));
      assert.equal(await page.locator(".cm-line").first().textContent(), begin);
    }
  },

  async "a text is never put in the place of another one: of a link, of a file, of another tab"() {
    const exercise = "programs/exercises/03_guards.lane";
    await act(() => page.selectOption("#program", exercise));
    await page.click("#share");
    await page.waitForFunction(() => location.hash.startsWith("#1."));
    const shared = page.url();
    await write_program("// mine\n");
    await open(shared);
    assert.match(await page.textContent("#said"), /Another text of 03_guards.lane is kept; this one is 03_guards-2.lane/);
    assert.equal(await page.isVisible("#grade-it"), true);
    await write_program("// from a link\n");
    const other = await context.newPage();
    await other.goto(address);
    await other.waitForFunction(() => document.body.dataset.round);
    assert.equal(await other.inputValue("#program"), "03_guards-2.lane");
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    await other.reload();
    await other.waitForFunction(() => document.body.dataset.round);
    assert.equal(await other.inputValue("#program"), "03_guards-2.lane");
    await other.selectOption("#program", exercise);
    await other.waitForFunction(() => document.querySelector(".cm-line").textContent === "// mine");
    await act(() => page.selectOption("#program", exercise));
    await write_program("// mine, from one tab\n");
    await other.bringToFront();
    await other.click(editor);
    await other.keyboard.press("Control+End");
    await other.keyboard.type("// and from another");
    assert.match(await other.textContent("#said"), /Another text of 03_guards.lane is kept; this one is 03_guards-3.lane/);
    await other.close();
    await page.bringToFront();
    await page.reload();
    await page.waitForFunction(() => document.body.dataset.round);
    assert.equal(await page.inputValue("#program"), exercise);
    assert.equal(await page.textContent(editor), "// mine, from one tab");
    await page.evaluate(() => (localStorage["full"] = "x".repeat(5 * 2 ** 20 - JSON.stringify(localStorage).length - 2 ** 14)));
    for (let i = 0; i < 2; ++i) await write_program(`// mine, too large ${i}${"x".repeat(2 ** 17)}\n`);
    assert.match(await page.textContent("#said"), /This browser keeps nothing/);
    assert.equal(await page.inputValue("#program"), exercise);
    await page.evaluate(() => localStorage.removeItem("full"));
    for (const [name, text] of [["03_guards-2.lane", "// from a link"], ["03_guards-3.lane", "// mine// and from another"]]) {
      await act(() => page.selectOption("#program", name));
      assert.equal(await page.textContent(editor), text);
    }
  },

  async "an address has the program and the numbers"() {
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    await act(() => page.selectOption("#machine", "dmm-w32"));
    await fill("s", 12);
    const time = await shown_time();
    await page.click("#share");
    await page.waitForFunction(() => location.hash.startsWith("#1."));
    const shared = page.url();
    await fill("s", 1);
    assert.notEqual(await shown_time(), time);
    await open(shared);
    assert.equal(await shown_time(), time);
    assert.equal(await page.inputValue('[data-name="s"] input:not([type=range])'), "12");
    for (const end of [".", ")", "==", "…"]) {
      await open(shared + end);
      assert.equal(await shown_time(), time);
    }
    await open(shared.slice(0, -9));
    assert.match(await page.textContent("#said"), /damaged/);
    await open(`${address}#9.abc`);
    assert.match(await page.textContent("#said"), /of another version of memlane/);
    for (const members of [{ define: null }, { define: { n: {} } }, { path: 5 }, { launches: 5 }, { set: "x" }]) {
      await open(`${address}#1.${deflateRawSync(JSON.stringify({ path: "programs/access/strided.lane", ...members })).toString("base64url")}`);
      assert.equal(await shown_time(), time_of("strided", "-m", "dmm-w32"), JSON.stringify(members));
    }
  },

  async "an address that memlane run says has its program and its numbers"() {
    const own = join(folder, "shared.lane");
    writeFileSync(own, "param n: int = 64\nmemory a[n]: int\nkernel k() { forall i in 0..n { a[i] = i } }\nmain { launch k() }\nverify { assert a[3] == 3 }\n");
    for (const words of [["transpose", "-m", "hmm-rtx3080", "-D", "n=64", "--layout", "t=rows"], [own, "-m", "umm-w32", "--set", "latency=9", "-D", "n=96"]]) {
      const { stderr, stdout } = spawnSync(memlane, ["run", ...words, "--format", "json", "--share"], { cwd: source, encoding: "utf8" });
      const [link] = stderr.match(/(?<=playground\.html)#1\.[-\w]+/);
      await open(address + link);
      assert.equal(await shown_time(), JSON.parse(stdout).counts.time);
    }
  },

  async "a file is opened and saved"() {
    const own = join(folder, "mine.lane");
    const text = "memory a[64]: int\nkernel k() { forall i in 0..64 { a[i] = i } }\nmain { launch k() }\nverify { assert a[3] == 3 }\n";
    writeFileSync(own, text);
    await act(() => page.setInputFiles("#file", own));
    assert.equal(await shown_time(), time_of(own));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
    assert.equal(download.suggestedFilename(), "mine.lane");
    assert.equal(readFileSync(await download.path(), "utf8"), text);
    await act(() => page.selectOption("#machine", "umm-w32"));
    await fill("latency", 77);
    const [machine] = await Promise.all([page.waitForEvent("download"), page.click("#save-machine")]);
    assert.equal(machine.suggestedFilename(), "umm-w32.json");
    const file = join(folder, "umm-w32.json");
    await machine.saveAs(file);
    assert.equal(await shown_time(), time_of(own, "-m", file));
    assert.notEqual(await shown_time(), time_of(own, "-m", "umm-w32"));
  },

  async "an exercise is read, graded, solved, and its result string holds"() {
    const solution = readFileSync(join(source, "tests/exercises/01_map.lane"), "utf8");
    await act(() => page.selectOption("#program", "programs/exercises/01_map.lane"));
    assert.match(await page.textContent("#task"), /Compute c\[i\] = 3 \* a\[i\] \+ 1 for all i/);
    assert.equal(await page.textContent(".command"), "memlane run 01_map.lane -m umm-w32");
    await page.click("#hint");
    assert.match(await page.textContent("#hints"), /let all threads work/);
    assert.equal(await page.isHidden("#hint"), true);
    await graded(() => page.click("#grade-it"));
    assert.equal(await page.textContent("#verdict"), "not yet: 0 of 10 points");
    assert.match(await page.textContent("#grade .fails"), /c\[0\] is -19, expected -56/);
    await write_program(solution);
    assert.equal(await page.locator("#grade.old").count(), 1);
    await page.focus("#grade-it");
    await graded(() => page.keyboard.press("Enter"));
    assert.equal(await page.textContent("#verdict"), "passed: 10 of 10 points");
    const line = await page.inputValue("#result-line");
    const verified = spawnSync(memlane, ["grade", "--verify", line], { cwd: source, encoding: "utf8" });
    assert.equal(verified.stdout, "true: 01_map: passed, 10 of 10 points\n", verified.stderr);
    await page.click("#copy-result");
    await page.waitForFunction(() => document.getElementById("copy-result").textContent !== "Copy");
    await page.reload();
    await page.waitForFunction(() => document.body.dataset.round);
    assert.match(await page.textContent(editor), /A solution of the exercise 01_map/);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
    const saved = join(folder, download.suggestedFilename());
    await download.saveAs(saved);
    await act(() => page.setInputFiles("#file", saved));
    assert.equal(await page.inputValue("#program"), "01_map.lane");
    await graded(() => page.click("#grade-it"));
    assert.equal(await page.textContent("#verdict"), "passed: 10 of 10 points");
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    assert.equal(await page.isHidden("#exercise"), true);
    assert.equal(await page.isHidden("#grade"), true);
  },

  async "an exercise for CUDA takes PTX, says so, and is graded"() {
    const exercise = "15_cuda_transpose";
    await act(() => page.selectOption("#program", `programs/exercises/${exercise}.ptx`));
    assert.match(await page.textContent("#task"), /a transpose in CUDA.*no CUDA compiler.*nvcc -ptx.*Compiler Explorer/s);
    assert.equal(await page.textContent("#cuda-source"), readFileSync(join(source, `programs/exercises/${exercise}.cu`), "utf8"));
    assert.match(await page.inputValue("#launch-0"), /^transpose<<<1, \(32, 8\)>>>/);
    assert.equal(await page.isHidden("#errors"), true, await page.textContent("#errors"));
    await page.click("#hint");
    assert.match(await page.textContent("#hints"), /rows of a and rows of c/);
    await graded(() => page.click("#grade-it"));
    const before = await page.textContent("#verdict");
    assert.match(before, /^not yet: \d of 8 points$/);
    await write_program('extern "C" __global__ void transpose(float *c, const float *a, int n) {}\n');
    assert.equal(await page.inputValue("#program"), `programs/exercises/${exercise}.ptx`);
    assert.match(await page.textContent("#errors"), /nvcc -ptx makes PTX/);
    await write_program(readFileSync(join(source, `tests/exercises/${exercise}.ptx`), "utf8"));
    await graded(() => page.click("#grade-it"));
    assert.equal(await page.textContent("#verdict"), "passed: 8 of 8 points");
    const verified = spawnSync(memlane, ["grade", "--verify", await page.inputValue("#result-line")], { cwd: source, encoding: "utf8" });
    assert.equal(verified.stdout, `true: ${exercise}: passed, 8 of 8 points\n`, verified.stderr);
  },

  async "a race and a mistake of an exercise have their lines, and a grade is stopped"() {
    await act(() => page.selectOption("#program", "programs/exercises/11_prefix_sum.lane"));
    await graded(() => page.click("#grade-it"));
    assert.match(await page.textContent("#grade .messages"), /line 13: .*race/s);
    await page.click(editor);
    await page.keyboard.press("Control+Home");
    await act(() => page.keyboard.insertText("kernel \n"));
    await graded(() => page.click("#grade-it"));
    assert.equal(await page.textContent("#verdict"), "the program cannot run: 0 of 10 points");
    await act(() => page.selectOption("#program", "programs/exercises/13_matrix_multiplication.lane"));
    await page.click("#grade-it");
    await page.click("#stop");
    await page.waitForFunction(() => !document.body.classList.contains("grading"));
    assert.match(await page.textContent("#grade"), /the grade was stopped before its end.*press Grade to begin again/);
    assert.equal(await page.locator("#verdict").count(), 0);
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    assert.equal(await page.isHidden("#grade"), true);
  },

  async "the page has what memlane handout gives of exercises, and grades as memlane grade does"() {
    const { ask, files, list } = await begin_module();
    assert.deepEqual((await ask({ ask: "list" })).answer, list);
    execFileSync(memlane, ["handout", "-o", join(folder, "handed-out")], { cwd: source });
    const own = Object.entries(files).filter(([path]) => path.startsWith("programs/exercises/"));
    assert.ok(own.length >= 14 * 3 + 5 * 4, `${own.length} files`);
    for (const [path, text] of own) {
      assert.equal(text, readFileSync(join(folder, "handed-out", path.split("/").at(-1)), "utf8"), path);
      assert.doesNotMatch(text, /solution/, path);
    }
    const { answer: { exercises } } = await ask({ ask: "list" });
    assert.equal(exercises.length, 19);
    for (const { name, seconds, path: skeleton } of exercises) {
      const path = `tests/exercises/${skeleton.split("/").at(-1)}`;
      const { answer } = await ask({ ask: "grade", exercise: name, path, text: readFileSync(join(source, path), "utf8"), seconds });
      const told = JSON.parse(execFileSync(memlane, ["grade", path, "--format", "json"], { cwd: source, encoding: "utf8" }));
      assert.deepEqual(answer.grade, told, name);
    }
  },

  async "a long run does not hold up the page and can be stopped"() {
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    await page.selectOption("#machine", "dmm-w32");
    await page.fill('[data-name="n"] input:not([type=range])', "2^22");
    await page.keyboard.press("Enter");
    await page.waitForTimeout(100);
    await fill("n", 128);
    assert.equal(await shown_time(), time_of("strided", "-m", "dmm-w32", "-D", "n=128"));
  },

  async "a run that was stopped has no false numbers, and no other run is held against it"() {
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    await act(() => page.selectOption("#machine", "dmm-w32"));
    await fill("n", 128);
    const time = await shown_time();
    for (const [name, value] of [["n", 100000000], ["width", 0]]) {
      await fill(name, value);
      assert.equal(await page.isHidden("#errors"), false);
      assert.equal(await page.textContent("#earlier"), "Results of the latest run without an error:");
      assert.equal(await shown_time(), time);
      assert.doesNotMatch(await page.textContent("#result"), /claims nothing|took no time/);
    }
    await fill("width", "");
    const launches = (loop) => `memory a[4]: int\nkernel k() { a[thread] = 1 }\nmain { ${loop} { launch k() threads=4 } }\nverify { }\n`;
    await write_program(launches("whole"));
    assert.match(await page.textContent("#errors"), /line 3/);
    await page.click(editor);
    await page.keyboard.press("Control+a");
    await act(async () => {
      await page.keyboard.insertText(launches("while true"));
      await page.waitForFunction(() => document.body.classList.contains("running") && document.getElementById("errors").hidden);
    });
    assert.match(await page.textContent("#errors"), /stopped after 10 seconds.*choose smaller numbers, see that every loop ends/);
    assert.match(await page.textContent(".time"), /^[^0].* time units so far$/);
    assert.equal(await page.locator(".before").count(), 0);
    assert.match(await page.textContent("#result"), /Claims are checked only at the end of a run/);
    await page.click("#pin");
    assert.match(await page.textContent("#said"), /stopped before its end/);
    assert.equal(await page.getAttribute("#pin", "aria-pressed"), "false");
    await fill("width", 0);
    assert.match(await page.textContent("#earlier"), /an earlier run, which had an error/);
    await fill("width", "");
    await write_program(launches("for i = 0 to 2"));
    assert.match(await page.textContent(".before"), new RegExp(`^before ${time}: `));
    await act(() => page.click("#reset"));
  },

  async "a pinned run is held against the next ones, by cause and by line"() {
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    await act(() => page.selectOption("#machine", "dmm-w32"));
    await fill("s", 1);
    await page.click("#pin");
    const pinned = await shown_time();
    await fill("s", 32);
    assert.match(await page.textContent(".before"), new RegExp(`pinned ${pinned}: .* as long`));
    const rows = await page.locator(".difference tbody tr").allTextContents();
    assert.ok(rows.some((row) => row.startsWith(`time units${pinned}`)), rows.join("; "));
    assert.ok(rows.some((row) => row.startsWith("forall i in 0..n { a[s * i] = i + 1 }")), rows.join("; "));
    await page.click("#pin");
    assert.equal(await page.locator(".difference").count(), 0);
  },

  async "the picture of memory is saved as SVG and as PNG"() {
    for (const [at, begins] of [["SVG", "<svg"], ["PNG", "\x89PNG"]]) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: at, exact: true }).click()]);
      assert.equal(download.suggestedFilename(), `strided.${at.toLowerCase()}`);
      const content = readFileSync(await download.path(), "latin1");
      assert.equal(content.slice(0, begins.length), begins);
      if (at === "SVG") assert.ok((content.match(/<rect/g) ?? []).length > 32);
    }
  },

  async "the picture shows where a layout puts elements, and the memory of a line"() {
    await act(() => page.selectOption("#program", "programs/matrix/transpose.lane"));
    await act(() => page.selectOption("#machine", "hmm-teaching"));
    await fill("n", 8);
    await act(() => page.selectOption('[data-name="layout-t"] select', "rows"));
    const column = () => page.locator(".mt-cells tbody tr td:nth-child(2)").evaluateAll((cells) => cells.map((cell) => cell.textContent));
    assert.deepEqual(await column(), ["0, 00", "1, 01", "2, 02", "3, 03"]);
    await act(() => page.selectOption('[data-name="layout-t"] select', "padded(1)"));
    await page.locator(".line", { hasText: "13" }).click();
    assert.deepEqual(await column(), ["0, 00", "", "1, 3", "2, 2"]); // a spare word, and elements that no lane reads
    assert.equal(await page.locator(".mt-cells td.mt-spare").count(), 3);
    assert.match(await page.textContent(".mt-says"), /^Line 13: 4 lanes of a warp read 4 words of t in 4 banks; one stage/);
    assert.match(await page.textContent(".gave h3"), /costliest request of line 13/);
  },

  async "the picture follows the player, and goes back to the costliest request"() {
    await act(() => page.selectOption('[data-name="layout-t"] select', "rows"));
    const costliest = await page.textContent(".mt-says");
    const next = page.getByRole("button", { name: "a time unit forward", exact: true });
    const seen = new Set();
    for (let time = 1; time < 60 && seen.size < 4; ++time) {
      await next.click();
      for (const style of ["waits", "flies", "extra", "first"]) if (await page.locator(`.mt-picture td.mt-${style}`).count()) seen.add(style);
    }
    assert.deepEqual([...seen].sort(), ["extra", "first", "flies", "waits"]);
    const time = await page.locator("#player .mt").getAttribute("data-time");
    assert.match(await page.textContent(".gave h3"), new RegExp(`^Memory at time ${time}`));
    assert.match(await page.textContent(".mt-picture .mt-says"), new RegExp(`^Time unit ${time}\\. `));
    await page.getByRole("button", { name: "costliest", exact: true }).click();
    assert.equal(await page.textContent(".mt-says"), costliest);
  },

  async "memlane bank writes a page of one request, whose numbers and layout can be changed"() {
    const own = join(folder, "request.html");
    execFileSync(memlane, ["bank", "lane * stride + offset", "-D", "stride=4", "-D", "offset=0", "--html", "-o", own], { cwd: source, stdio: "ignore" });
    await open(pathToFileURL(own).href);
    assert.match(await page.textContent(".mt-says"), /32 lanes of a warp read 32 words of m in 8 banks.* 4 stages/);
    await fill("stride", 32);
    assert.match(await page.textContent(".mt-says"), /in 1 bank;.* 32 stages/);
    await act(() => page.selectOption('[data-name="layout-m"] select', "padded(1)"));
    assert.match(await page.textContent(".mt-says"), /in 32 banks; one stage/);
    await act(() => page.selectOption("#machine", "umm-w32"));
    assert.match(await page.textContent(".mt-says"), /in 32 address groups;/);
    await fill("width", 8);
    assert.match(await page.textContent(".mt-says"), /8 lanes of a warp/);
    await page.reload();
    await page.waitForFunction(() => document.body.dataset.round);
    assert.equal(await page.inputValue('[data-name="stride"] input:not([type=range])'), "4");
    await open();
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    await act(() => page.selectOption("#machine", "dmm-w32"));
  },

  async "a word says what it is, and the keyboard reaches everything"() {
    const letter = page.locator(".cm-line", { hasText: "fn banks" }).getByText("w", { exact: true });
    await letter.hover();
    await page.waitForSelector(".cm-hover");
    assert.match(await page.textContent(".cm-hover"), /w = 32: width/);
    await page.mouse.move(0, 0);
    for (const [line, word] of [["forall i in", "forall"], ["param n", "int"], ["verify {", "verify"]]) {
      await page.waitForSelector(".cm-hover", { state: "detached" });
      await page.locator(".cm-line", { hasText: line }).first().getByText(word, { exact: true }).hover();
      await page.waitForSelector(".cm-hover");
      const told = execFileSync(memlane, ["explain", "word", word], { encoding: "utf8" });
      assert.equal(await page.locator(".cm-hover p").allTextContents().then((lines) => lines.join("\n  ")), told.trimEnd());
      await page.mouse.move(0, 0);
    }
    await page.focus("#program");
    const reached = new Set();
    for (let i = 0; i < 60 && reached.size < 20; ++i) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => document.activeElement.closest("[data-name]")?.dataset.name ?? (document.activeElement.closest(".cm-editor") ? "editor" : document.activeElement.id));
      if (at === "editor") await page.keyboard.press("Escape");
      if (at) reached.add(at);
    }
    for (const name of ["machine", "share", "pin", "n", "s"]) assert.ok(reached.has(name), `${name} of ${[...reached]}`);
  },

  async "PTX that is pasted is launched, and its lines have costs"() {
    await page.click(editor);
    await page.keyboard.press("Control+a");
    const text = [".version 8.0", ".target sm_80", ".address_size 64", ".visible .entry every(.param .u64 out, .param .u32 step) {", ".reg .b32 %r<4>;", ".reg .b64 %rd<4>;",
      "ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [step];", "mov.u32 %r2, %tid.x;", "mul.lo.s32 %r3, %r2, %r1;", "mul.wide.s32 %rd2, %r3, 4;", "add.s64 %rd3, %rd1, %rd2;", "st.global.u32 [%rd3], %r2;", "ret;", "}"].join("\n");
    await act(() => page.keyboard.insertText(text));
    assert.match(await page.inputValue("#launch-0"), /^every<<<4, 256>>>\(a: float\[1024\] = random, 1024\)$/);
    assert.match(await page.textContent("#errors"), /outside of all allocations/);
    await act(async () => {
      await page.fill("#launch-0", "every<<<2, 64>>>(a: int[2048], 32)");
      await page.keyboard.press("Tab");
    });
    assert.equal(await page.isHidden("#errors"), true, await page.textContent("#errors"));
    assert.equal(await page.locator(".cost-bar").count(), 2); // with the one that keeps the room
    assert.match(await page.textContent(".command"), /^memlane ptx kernels\.ptx .*--launch/);
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    assert.doesNotMatch(await page.textContent(editor), /\.version/);
  },

  async "a telephone shows all of it without scrolling sideways"() {
    await page.setViewportSize({ width: 390, height: 844 });
    await open();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `the page is ${width} px wide`);
    assert.ok(await page.isVisible("#time"));
    await act(() => page.selectOption("#program", "programs/exercises/02_zip.lane"));
    await graded(() => page.click("#grade-it"));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `the page with a grade is ${wide} px wide`);
    assert.match(await page.textContent("#grade"), /hint: the threads of a warp should access/);
    await act(() => page.selectOption("#program", "programs/access/strided.lane"));
    await page.setViewportSize({ width: 1280, height: 900 });
  },

  async "the timeline is played by its keys"() {
    await page.locator("#timeline .mt-bar button").nth(3).click();
    assert.equal(await page.locator("#player .mt").getAttribute("data-time"), "1");
  },
};

const take_screenshots = async () => {
  const shoot = async (name, width, scale, scheme, fragment = "") => {
    const other = await context.browser()?.newContext({ viewport: { width, height: 1000 }, deviceScaleFactor: scale, colorScheme: scheme });
    const tab = other ? await other.newPage() : page;
    if (!other) await tab.setViewportSize({ width, height: 1000 }), await tab.emulateMedia({ colorScheme: scheme });
    await tab.goto("about:blank");
    await tab.goto(address + fragment);
    await tab.waitForFunction(() => document.body.dataset.round);
    await tab.waitForTimeout(400);
    await tab.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
    await other?.close();
  };
  for (const scheme of ["light", "dark"])
    for (const [width, scale] of [[1280, 1], [390, 2], [960, 2]]) await shoot(`${width}-${scheme}`, width, scale, scheme);
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (test !== Object.values(tests)[0] && !name.includes(process.env.MEMLANE_PAGE_TESTS ?? "")) continue;
  try {
    await test();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED: ${name}\n${error.stack}`);
    if (screenshots) await page.screenshot({ path: join(screenshots, `failed-${failed}.png`) }).catch(() => {});
  }
}
if (problems.length) failed += 1, console.error(`the page's scripts failed:\n${problems.join("\n")}`);
if (screenshots) await take_screenshots();
await context.close();
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
