// Makes playground.html: node build.mjs SOURCE MODULE PACKAGES OUT. SOURCE: the project's folder, MODULE: the WebAssembly
// module, PACKAGES: the folder with node_modules.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { first_setting, question_of } from "./question.js";

const [source, module_path, packages, out] = process.argv.slice(2);
const { build, transformSync } = createRequire(join(packages, "package.json"))("esbuild");
const pages = join(source, "src/pages");
const target = ["es2022"];

const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");

/** The shipped files with one of the endings, by their paths in the project. */
const files_in = (folder, ending) => readdirSync(join(source, folder), { recursive: true }).map((name) => join(folder, name)).filter((path) => path.endsWith(ending)).sort();
// The programs of lessons are wrong on purpose, those of inputs run for another one.
const left_out = /^programs\/(lessons|inputs)\//;
const read = (path) => readFileSync(join(source, path), "utf8");
// Of exercises, what 'memlane handout' gives: the keys of teachers are `writeOnly` in the schema.
const { properties } = JSON.parse(read("configs/exercise.schema.json"));
const as_handed_out = (text) => `${JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).filter(([key]) => !properties[key]?.writeOnly)), null, 2)}\n`;
const files = Object.fromEntries([...files_in("programs", ".lane"), ...files_in("configs/machines", ".json")].filter((path) => !left_out.test(path)).map((path) => [path, read(path)]));
for (const ending of [".cu", ".ptx"]) for (const path of files_in("programs/exercises", ending)) files[path] = read(path);
for (const path of files_in("programs/exercises", ".grade.json")) files[path] = as_handed_out(read(path));

/** `import text from "./worker.js?text"`: the script as a text. */
const as_text = {
  name: "text",
  setup(own) {
    own.onResolve({ filter: /\?text$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path.replace("?text", "")), namespace: "text" }));
    own.onLoad({ filter: /.*/, namespace: "text" }, ({ path }) => ({ contents: transformSync(readFileSync(path, "utf8"), { minify: true, target }).code, loader: "text" }));
  },
};
const bundle = await build({ entryPoints: [join(pages, "playground/main.js")], bundle: true, minify: true, format: "esm", target, write: false, plugins: [as_text],
  nodePaths: [join(packages, "node_modules")], legalComments: "none", logLevel: "warning" });
const style = ["timeline.css", "playground/playground.css"].map((name) => readFileSync(join(pages, name), "utf8")).join("\n");

/** What the module answers: its worker runs here as it does in the page. */
const answer_of = async (question) => {
  let reply;
  const self = { postMessage: (message) => (reply = message) };
  runInContext(readFileSync(join(pages, "playground/worker.js"), "utf8"), createContext({ self, WebAssembly, TextEncoder, TextDecoder, performance }));
  await self.onmessage({ data: { compiled: await WebAssembly.compile(readFileSync(module_path)), files: JSON.stringify(files) } });
  await self.onmessage({ data: { question: JSON.stringify(question) } });
  if (!reply.answer) throw new Error(`the module does not answer: ${reply.failure}`);
  return reply.answer;
};
const list = await answer_of({ ask: "list" });
// The first run needs no module: a browser takes a second to compile what it needs of it.
const answers = {};
for (const ask of ["run", "describe"]) {
  const question = question_of(ask, { ...first_setting, text: files[first_setting.path] });
  answers[JSON.stringify(question)] = await answer_of(question);
}

const parts = {
  style: transformSync(style, { loader: "css", minify: true }).code, module: packed(readFileSync(module_path)), files: packed(JSON.stringify({ files, list, answers })),
  script: bundle.outputFiles[0].text.replaceAll("</script", "<\\/script"),
};
const page = readFileSync(join(pages, "playground/playground.html"), "utf8").replace(/@(\w+)@/g, (whole, name) => parts[name] ?? whole);
const most_bytes = 3 * 2 ** 20;
if (page.length > most_bytes) throw new Error(`the page has ${page.length} bytes, more than ${most_bytes}`);
writeFileSync(out, page);
