// Asks memlane: in workers made of this page's own text, so that a run never holds up the page and can be cancelled.
import worker_text from "./worker.js?text";

const unpacked = (id) => {
  const text = document.getElementById(id).textContent;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
};

/** The texts of the shipped programs, and `ask(question)`. */
export const begin_engine = async () => {
  const [compiled, files] = await Promise.all([unpacked("memlane-module").arrayBuffer().then((bytes) => WebAssembly.compile(bytes)), unpacked("memlane-files").text()]);
  const address = URL.createObjectURL(new Blob([worker_text], { type: "text/javascript" }));
  const make_worker = () => {
    const worker = new Worker(address);
    worker.postMessage({ compiled, files });
    return worker;
  };
  return { files: JSON.parse(files), make_asker: (later = false) => make_asker(make_worker, later) };
};

/** Asks one question at a time: a new one cancels the one before, whose promise then gives null. `later`: no worker waits for the first one. */
const make_asker = (make_worker, later) => {
  let worker = later ? null : make_worker(), pending = null;
  const settle = (answer) => {
    const { resolve } = pending;
    pending = null;
    resolve(answer);
  };
  const cancel = () => {
    if (!pending) return;
    worker.terminate();
    worker = make_worker();
    settle(null);
  };
  const ask = (question) => {
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
      worker.postMessage({ question: JSON.stringify(question) });
    });
  };
  return { ask, cancel };
};
