// Bundles page.js with what it imports, and the licences of that, and the player of timelines, as C++ string literals.
// Run in a folder with node_modules: node bundle.mjs PAGE_OUTPUT TIMELINE_OUTPUT
import { build } from "esbuild";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const bundle = (entry, options) => build({
  entryPoints: [entry], bundle: true, minify: true, write: false, metafile: true,
  charset: "ascii", format: "iife", target: "es2020", legalComments: "none", logLevel: "error", ...options,
});

/** Texts of licences, each with the packages that have it. */
const licences_of = (result) => {
  const licences = new Map();
  const folders = Object.keys(result.metafile.inputs)
    .map((path) => path.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean);
  for (const folder of new Set(folders)) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : `Licence: ${license}\n`;
    const key = text.replaceAll("*/", "* /").replace(/[^\x20-\x7e\n]/g, "?").trim();
    licences.set(key, [...(licences.get(key) ?? []), `${name} ${version}`]);
  }
  return [...licences].map(([text, packages]) => `${packages.join(", ")}\n\n${text}`);
};

/** Compilers need accept no literal that is longer than 65536 characters. */
const write = (path, script) => {
  for (const forbidden of ["</script", "<!--", ')memlane"'])
    if (script.toLowerCase().includes(forbidden)) throw new Error(`the bundle contains ${forbidden}`);
  const parts = script.match(/[^]{1,16000}/g);
  writeFileSync(path, parts.map((part) => `R"memlane(${part})memlane",\n`).join(""));
};

const page = await bundle("page.js");
const timeline = await bundle("timeline_page.js", { globalName: "memlane_timeline" });
write(process.argv[2], `/*\n${licences_of(page).join("\n\n----\n\n")}\n*/\n${page.outputFiles[0].text}`);
write(process.argv[3], timeline.outputFiles[0].text);
