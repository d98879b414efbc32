// Asks memlane: in workers made of this page's own text, so that a run never holds up the page and can be cancelled.
import worker_text from "./worker.js?text";

const bytes_of = (base64) => {
  const letters = atob(base64), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i); // Uint8Array.from takes a second for the module
  return bytes;
};
const unpacked = (id) => new Blob([bytes_of(document.getElementById(id).textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));

/**
 * The texts of the shipped programs, what there is to choose from (`list`, the module's answer when the page was built), and
 * `make_asker`. The module is compiled meanwhile; the first questions wait for it.
 */
export const begin_engine = async () => {
  const compiled = WebAssembly.compileStreaming(new Response(unpacked("memlane-module"), { headers: { "Content-Type": "application/wasm" } }));
  const { files, list, answers } = await new Response(unpacked("memlane-files")).json();
  const address = URL.createObjectURL(new Blob([worker_text], { type: "text/javascript" }));
  const files_text = JSON.stringify(files);
  const make_worker = () => {
    const worker = new Worker(address);
    const begun = compiled.then((module) => worker.postMessage({ compiled: module, files: files_text }));
    worker.ask = (question) => begun.then(() => worker.postMessage({ question }));
    return worker;
  };
  return { files, list, make_asker: (later = false) => make_asker(make_worker, answers, later) };
};

/** Asks one question at a time: a new one cancels the one before, whose promise then gives null; `cancel` returns whether there was one. `later`: no worker waits for the first one. `answers` to some questions came with the page: each is taken from there once, while the browser compiles what the worker needs for the same. */
const make_asker = (make_worker, answers, later) => {
  let worker = later ? null : make_worker(), pending = null;
  const settle = (answer) => {
    const { resolve } = pending;
    pending = null;
    resolve(answer);
  };
  const cancel = () => {
    if (!pending) return false;
    worker.terminate();
    worker = make_worker();
    settle(null);
    return true;
  };
  const ask = (question) => {
    const text = JSON.stringify(question), known = answers[text];
    delete answers[text];
    if (known && !worker) return Promise.resolve(known);
    const answer = run(text);
    return known ? Promise.resolve(known) : answer;
  };
  const run = (text) => {
    cancel();
    worker ??= make_worker();
    return new Promise((resolve) => {
      pending = { resolve };
      const failed = (message) => {
        worker.terminate();
        worker = make_worker(); // its memory may be in any state
        settle({ errors: [{ place: "", message, help: ["choose smaller numbers, or run it in a terminal: memlane run"] }] });
      };
      worker.onmessage = ({ data }) => (data.failure ? failed(`the run needs more than this page has (${data.failure})`) : settle(data.answer));
      worker.onerror = (event) => (event.preventDefault(), failed(`the run broke off (${event.message})`));
      worker.ask(text).catch((error) => failed(error.message));
    });
  };
  return { ask, cancel };
};
