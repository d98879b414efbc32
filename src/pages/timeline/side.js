// Beside the memory: the program with the current line of each warp, and one thread with its registers.
import { element, show } from "./dom.js";
import { by_lane } from "./read.js";
import { block_at, latest_request, state_at } from "./state.js";
import { name_of_word } from "./memory.js";
import { does_words, line_of_request, place_of_word, state_words, value_text } from "./words.js";

const most_lines = 2000, most_chips = 4;
const urgency = { extra: 0, enters: 1, waits: 2, flight: 3, barrier: 4, computes: 5, done: 6, idle: 7, empty: 8 };

/** A source's lines; of a long one, those around its requests. */
const lines_of = (model, source) => {
  const lines = model.json.sources[source].text.replace(/\n$/, "").split("\n");
  if (lines.length <= most_lines) return { first: 1, lines };
  const used = model.requests.line.filter((_, i) => model.requests.source[i] === source);
  const middle = used.length ? used.reduce((a, b) => Math.min(a, b)) : 1;
  const first = Math.max(1, middle - 50);
  return { first, lines: lines.slice(first - 1, first - 1 + most_lines) };
};

/** Whether a layout as it is written is the one in force; an argument that is no number, or is not told, may be right. */
const is_layout = (written, layout) => written === layout ||
  ((/\([^)]*[a-z]/i.test(written) || !layout.includes("(")) && written.split("(")[0] === layout.split("(")[0]);

/** A line of code. Where an array is declared with another layout than the run has, that is struck out, and the run's follows. */
const code_of = (model, line) => {
  const code = line.replace(/\/\/.*/, "");
  const array = /^\s*(memory|shared)\b/.test(code) &&
    model.json.arrays.find((one) => one.layout && new RegExp(`[\\s,]${one.name}\\s*\\[`).test(code));
  if (!array) return element("code", {}, line || " ");
  const written = /\blayout\s+\w+(\([^)]*\))?/.exec(code);
  if (is_layout(written ? written[0].replace(/^layout\s+/, "").replace(/\s/g, "") : "rows", array.layout)) return element("code", {}, line);
  const added = element("ins", { title: "the layout of this run" }, `layout ${array.layout}`);
  if (!written) return element("code", {}, code.trimEnd(), " ", added, line.slice(code.trimEnd().length));
  const end = written.index + written[0].length;
  return element("code", {}, line.slice(0, written.index), element("del", { title: "replaced in this run" }, written[0]), " ", added, line.slice(end));
};

/** `on_line(source, line)` is called for a line that the reader chooses. */
export const make_source = (model, on_line) => {
  const { requests } = model;
  const list = element("ol", { class: "mt-lines", tabindex: "0", "aria-label": "the program" });
  const choice = element("select", { "aria-label": "file" });
  model.json.sources.forEach((source, i) => choice.append(element("option", { value: i }, source.path)));
  const title = element("span", { class: "mt-path" }, model.json.sources[0]?.path ?? "");
  const several = model.json.sources.length > 1;
  const node = element("section", { class: "mt-source" }, element("h3", {}, "Program ", several ? choice : title), list);
  let entries = [], source = -1, first = 1, chosen = null, visible = null;

  const lay_out = (wanted) => {
    source = wanted;
    choice.value = wanted;
    const with_requests = new Set(requests.line.filter((_, i) => requests.source[i] === wanted));
    const text = model.json.sources[wanted] ? lines_of(model, wanted) : { first: 1, lines: [] };
    first = text.first;
    entries = text.lines.map((line, i) => {
      const number = first + i;
      const mark = with_requests.has(number)
        ? element("button", { type: "button", class: "mt-number", title: `line ${number}: go to its next request` }, String(number))
        : element("span", { class: "mt-number" }, String(number));
      if (with_requests.has(number)) mark.addEventListener("click", () => on_line(wanted, number));
      const chips = element("span", { class: "mt-chips" });
      return { node: element("li", {}, mark, code_of(model, line), chips), chips, shown: "" };
    });
    list.replaceChildren(...entries.map((entry) => entry.node));
  };
  choice.addEventListener("change", () => (lay_out(Number(choice.value)), last && update(...last)));
  if (model.json.sources.length) lay_out(0);
  let last = null;

  const chip_text = (row, state) => `${row.label}${{ enters: " ▸", extra: " ▸▸", waits: " …", flight: " ↓", barrier: " ‖", computes: " +" }[state] ?? ""}`;
  /** As time goes on, the file in which something happens. */
  const follow = (states) => {
    const active = states.filter((one) => model.json.sources[one.source] && !["done", "idle", "empty"].includes(one.state));
    if (active.length && !active.some((one) => one.source === source)) lay_out(active.reduce((a, b) => (urgency[b.state] < urgency[a.state] ? b : a)).source);
  };
  const update = (time, states) => {
    if (several && last?.[0] !== time) follow(states);
    last = [time, states];
    const at = new Map();
    states.forEach((one, i) => {
      if (one.source !== source || ["done", "idle", "empty"].includes(one.state)) return;
      if (!at.has(one.line)) at.set(one.line, []);
      at.get(one.line).push([model.rows[i], one.state]);
    });
    let top = null;
    entries.forEach((entry, i) => {
      const here = at.get(first + i) ?? [];
      here.sort((a, b) => urgency[a[1]] - urgency[b[1]] || a[0].index - b[0].index);
      const key = here.slice(0, most_chips).map(([row, state]) => row.index + state).join() + here.length;
      const style = `${here.length ? "mt-current" : ""}${chosen && chosen[0] === source && chosen[1] === first + i ? " mt-chosen" : ""}`;
      if (entry.node.className !== style) entry.node.className = style;
      if (here.length && (top === null || urgency[here[0][1]] < top.urgency)) top = { urgency: urgency[here[0][1]], entry };
      if (entry.shown === key) return;
      entry.shown = key;
      entry.chips.replaceChildren(...here.slice(0, most_chips).map(([row, state]) =>
        element("span", { class: `mt-chip mt-${state}`, title: `${row.name}: ${state_words[state]}` }, chip_text(row, state))),
        ...(here.length > most_chips ? [element("span", { class: "mt-chip" }, `+${here.length - most_chips}`)] : []));
    });
    if (top && top.entry !== visible) keep_visible((visible = top.entry).node); // it reads the layout
  };
  const keep_visible = (line) => {
    const above = line.offsetTop - list.offsetTop;
    if (above < list.scrollTop || above + line.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = Math.max(0, above - list.clientHeight / 3);
  };

  return {
    node,
    show: update,
    choose(at) { chosen = at; },
    /** Shows the file of the request, if the page has several. */
    open(request) { if (request >= 0 && requests.source[request] !== source && model.json.sources[requests.source[request]]) lay_out(requests.source[request]); },
  };
};

/** Values of registers at a time: the last change of each name, for one warp of one block of one launch. */
const make_registers = (model) => {
  const { registers } = model.json;
  if (!registers) return null;
  const changes = new Map();
  const { events } = registers;
  events.launch.forEach((launch, i) => {
    const key = `${launch},${events.block[i]},${events.warp[i]}`;
    if (!changes.has(key)) changes.set(key, []);
    changes.get(key).push(i);
  });
  return (launch, block, warp, lane, time) => {
    const found = new Map();
    for (const i of changes.get(`${launch},${block},${warp}`) ?? []) {
      if (events.time[i] > time) break;
      found.set(events.name[i], i);
    }
    return [...found].map(([name, i]) => ({
      name: registers.names[name], value: by_lane(events.values[i], model.width)[lane], fresh: events.time[i] === time,
    }));
  };
};

/** `on_row(row)` is called for a warp that the reader chooses. */
export const make_thread = (model, on_row) => {
  const { requests, width, json } = model;
  const warps = element("select", { "aria-label": "warp" });
  model.rows.forEach((row, i) => warps.append(element("option", { value: i }, row.name)));
  const lanes = element("input", { type: "number", min: 0, max: width - 1, value: 0, "aria-label": "thread of the warp (lane)" });
  const say = element("p", { class: "mt-thread-say" });
  const table = element("table", { class: "mt-registers" });
  const none = element("p", { class: "mt-faint" });
  const node = element("section", { class: "mt-thread" },
    element("h3", {}, "One thread"),
    element("p", { class: "mt-choose" }, element("label", {}, "of ", warps), element("label", {}, " lane ", lanes)), say, table, none);
  const registers = make_registers(model);
  let last = null, rows = [];

  const does = (state, lane) => {
    const request = state.request;
    if (request < 0 || ["idle", "empty", "barrier", "computes", "done"].includes(state.state)) return "";
    const address = by_lane(requests.addresses[request], width)[lane];
    if (address === null || address === undefined) return " The thread itself is not active.";
    const array = json.arrays[requests.array[request]];
    const name = array ? name_of_word(model, requests.array[request], address - array.first) : null;
    const value = by_lane(requests.values[request], width)[lane];
    const word = `${name ?? "word"} (word ${address}, ${place_of_word(model, model.units[requests.unit[request]], address)})`;
    const known = value !== undefined && value !== null;
    const text = requests.write[request] ? ` It writes ${known ? `${value_text(value)} to ` : ""}${word}` : ` It reads ${word}${known ? `, which is ${value_text(value)}` : ""}`;
    return `${text}, ${line_of_request(model, request)}.`;
  };

  const update = (time, row_index, states) => {
    last = [time, row_index, states];
    const row = model.rows[row_index];
    if (!row) return;
    warps.value = row_index;
    const lane = Math.min(width - 1, Math.max(0, Math.floor(Number(lanes.value)) || 0));
    const place = block_at(model, row, time);
    const state = states[row_index];
    const [launch, block] = place >= 0 ? [json.blocks.launch[place], json.blocks.block[place]]
      : state.request >= 0 ? [requests.launch[state.request], requests.block[state.request]] : [0, 0];
    const thread = row.place[2] * width + lane;
    say.textContent = `Thread ${thread}${model.one_block ? "" : ` of block ${block}`}: its warp ${does_words[state.state]}.${does(state, lane)}`;
    if (!registers) return void (none.textContent = "Its registers are not in this page.");
    const list = registers(launch, block, row.place[2], lane, time);
    none.textContent = list.length === 0 ? "No register has a value yet." : "";
    while (rows.length < list.length) {
      const cells = [element("th", { scope: "row" }), element("td")];
      rows.push({ node: element("tr", {}, ...cells), cells });
    }
    rows.forEach((one, i) => {
      if (i >= list.length) return one.node.remove();
      if (!one.node.parentNode) table.append(one.node);
      show(one.cells[0], list[i].name, "");
      show(one.cells[1], value_text(list[i].value ?? null), list[i].fresh ? "mt-fresh" : "");
    });
  };
  warps.addEventListener("change", () => on_row(Number(warps.value)));
  lanes.addEventListener("input", () => last && update(...last));
  return { node, show: update };
};

/** What every row does at a time. */
export const states_at = (model, time) => model.rows.map((row) => state_at(model, row, time));
