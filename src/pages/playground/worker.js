// Runs memlane's module: a message is a question, the reply its answer. The module is WebAssembly without a script of its
// own; it asks the system for nothing but the time.
let memory, module;

const system = {
  clock_time_get: (clock, precision, place) => {
    new DataView(memory.buffer).setBigUint64(place, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  },
  proc_exit: (status) => { throw new Error(`memlane ended with status ${status}`); },
};
/** Any other function of the system fails, as if nothing were there. */
const with_failures = (imports, known) => {
  const all = {};
  for (const { module: place, name } of imports) (all[place] ??= {})[name] = known[name] ?? (() => 8);
  return all;
};

const write = (text) => {
  const bytes = new TextEncoder().encode(text);
  const place = module.memlane_text(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
};

const begin = async ({ compiled, files }) => {
  const imports = with_failures(WebAssembly.Module.imports(compiled), system);
  const instance = await WebAssembly.instantiate(compiled, imports);
  module = instance.exports;
  memory = module.memory;
  module._initialize();
  write(files);
  module.memlane_begin();
};

/** Compiles the module as the page has it: gzip in Base64, which fetch decodes outside of this thread. */
const compile = async (packed) => {
  const { body } = await fetch(`data:;base64,${packed}`);
  const bytes = body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
};

let ready;
self.onmessage = async ({ data }) => {
  if (data.compiled) return void (ready = begin(data));
  try {
    if (data.packed !== undefined) return self.postMessage({ compiled: await compile(data.packed) });
    await ready;
    write(data.question);
    const place = module.memlane_answer();
    const bytes = new Uint8Array(memory.buffer, place, module.memlane_size());
    self.postMessage({ answer: JSON.parse(new TextDecoder().decode(bytes)) });
  } catch (error) {
    self.postMessage({ failure: error.message });
  }
};
