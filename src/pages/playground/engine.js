// Asks memlane: in workers made of this page's own text, so that a run never holds up the page and can be cancelled.
import worker_text from "./worker.js?text";

/** A part of the page: gzip in Base64. */
const packed = (id) => document.getElementById(id).textContent;
const bytes_of = (base64) => {
  const letters = atob(base64), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i); // much faster than Uint8Array.from
  return bytes;
};
const unpacked_json = (base64) => new Response(new Response(bytes_of(base64)).body.pipeThrough(new DecompressionStream("gzip"))).json();

/** The compiled module. A worker unpacks it, so that the page can be shown meanwhile. */
const compile = (address) => new Promise((resolve, reject) => {
  const worker = new Worker(address);
  worker.onmessage = ({ data }) => {
    worker.terminate();
    data.compiled ? resolve(data.compiled) : reject(new Error(data.failure));
  };
  worker.onerror = (event) => (event.preventDefault(), reject(new Error(event.message)));
  worker.postMessage({ packed: packed("memlane-module") });
});

/**
 * The texts of the shipped programs, what there is to choose from (`list`, the module's answer when the page was built), and
 * `make_asker`. The first worker compiles the module, which the first questions wait for; `at_once` begins with that.
 */
export const begin_engine = async (at_once) => {
  const address = URL.createObjectURL(new Blob([worker_text], { type: "text/javascript" }));
  let compiling = at_once ? compile(address) : null;
  compiling?.catch(() => {}); // each question says it
  const { files, list, answers } = await unpacked_json(packed("memlane-files"));
  const files_text = JSON.stringify(files);
  const make_worker = () => {
    const worker = new Worker(address), begun = (compiling ??= compile(address)).then((module) => worker.postMessage({ compiled: module, files: files_text }));
    worker.ask = (question) => begun.then(() => worker.postMessage({ question }));
    return worker;
  };
  return { files, list, make_asker: () => make_asker(make_worker, answers) };
};

/** Asks one question at a time: a new one cancels the one before, whose promise then gives null; `cancel` returns whether there was one. `answers` to some questions came with the page: each is taken from there once, without a worker. `warm_up` asks the same of a worker: the browser compiles what the next question needs. */
const make_asker = (make_worker, answers) => {
  let worker = null, pending = null, unasked = null;
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
    if (!known || worker) return run(text);
    unasked = text;
    return Promise.resolve(known);
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
  const warm_up = () => unasked && !worker && void run(unasked);
  return { ask, cancel, warm_up };
};
