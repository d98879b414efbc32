// A picture of the memory that one request accesses: banks side by side, address groups below each other, the numbers of the
// lanes where they access. memory_text.cpp in the room timeline draws the same as text.
import { element } from "./dom.js";
import { name_of_word } from "./memory.js";
import { read_or_refuse } from "./read.js";
import { stages_of } from "./state.js";
import { counted, has_banks, ranges } from "./words.js";

const most_picture_rows = 40, most_rows_between = 2;

/** The request with the most stages, of the line if it has one; the first of these. -1: there is none. */
const costliest_request = (model, line) => {
  const most_of = (chosen) => {
    let best = -1;
    for (let i = 0; i < model.count; ++i)
      if (chosen(i) && (best < 0 || model.requests.stages[i] > model.requests.stages[best])) best = i;
    return best;
  };
  const of_line = line === null ? -1 : most_of((i) => model.requests.line[i] === line);
  return of_line >= 0 ? of_line : most_of(() => true);
};

/** What the request accesses, and why it takes its stages. */
const request_sentence = (model, unit, request, stages) => {
  const words = stages.flat(), lanes = new Set(words.flatMap((word) => word.lanes)).size;
  const banks = new Set(words.map((word) => word.bank)).size, groups = new Set(words.map((word) => Math.floor(word.address / model.width))).size;
  const does = model.requests.write[request] ? "write" : "read";
  const where = has_banks(unit) ? counted(banks, "bank") : counted(groups, "address group");
  const rest = stages.length === 1 ? "one stage delivers all of them."
    : has_banks(unit) ? `a bank delivers one word a stage, so the request takes ${stages.length} stages instead of 1.`
      : `a stage delivers one address group, so the request takes ${stages.length} stages instead of ${Math.ceil(words.length / model.width)}.`;
  return `Line ${model.requests.line[request]}: ${counted(lanes, "lane")} of a warp ${does} ${counted(words.length, "word")} in ${where}; ${rest}`;
};

/** The cell of a word: which lanes access it, in which stage; whether it is spare, or none of an array's. */
const picture_cell = (model, arrays, accessed, address) => {
  const word = accessed.get(address);
  const array = arrays.find(({ first, words }) => address >= first && address < first + words);
  const name = array ? name_of_word(model, array.index, address - array.first) : null;
  const label = !array ? "no array is here" : name ?? `a spare word of ${array.name}'s layout`;
  if (!word) return element("td", { class: !array ? "mt-outside" : name === null ? "mt-spare" : "", title: label });
  const lanes = word.lanes.length > 1 ? `${word.lanes[0]}…` : `${word.lanes[0]}`;
  return element("td", { class: word.stage > 0 ? "mt-extra" : "mt-first", title: `${label}: lane ${ranges(word.lanes)}, stage ${word.stage + 1}` }, lanes);
};

const picture_table = (model, unit, stages, request) => {
  const accessed = new Map();
  stages.forEach((words, stage) => words.forEach((word) => accessed.set(word.address, { ...word, stage })));
  const arrays = model.json.arrays.map((array, index) => ({ ...array, index })).filter((array) => array.unit === unit.index && array.words > 0 &&
    (array.block === null || array.block === model.requests.block[request]));
  const { width } = model;
  const row_of = (row) => element("tr", {}, element("th", { scope: "row" }, row),
    ...Array.from({ length: width }, (_, bank) => picture_cell(model, arrays, accessed, row * width + bank)));
  const gap = (text) => element("tr", { class: "mt-gap" }, element("th", {}, "⋮"), element("td", { colspan: width }, text));
  const rows = [...new Set([...accessed.keys()].map((address) => Math.floor(address / width)))].sort((a, b) => a - b);
  const body = element("tbody");
  rows.slice(0, most_picture_rows).forEach((row, i) => {
    const left_out = i === 0 ? 0 : row - rows[i - 1] - 1;
    if (left_out > most_rows_between) body.append(gap(`${left_out} address groups without a lane`));
    else for (let between = row - left_out; between < row; ++between) body.append(row_of(between));
    body.append(row_of(row));
  });
  if (rows.length > most_picture_rows) body.append(gap(counted(rows.length - most_picture_rows, "more address group")));
  const busy = new Map();
  for (const { bank } of accessed.values()) busy.set(bank, (busy.get(bank) ?? 0) + 1);
  const head = element("tr", {}, element("th", {}, has_banks(unit) ? "bank" : "group"), ...Array.from({ length: width }, (_, bank) =>
    element("th", { scope: "col", class: has_banks(unit) && busy.get(bank) > 1 ? "mt-hot" : "" }, bank)));
  return element("table", { class: `mt-cells${width > 16 ? " mt-wide" : ""}` }, element("thead", {}, head), body);
};

/**
 * Shows in `host` what the request with the most stages accesses, of `line` or of all, of a timeline as mountTimeline takes it.
 * Returns whether there is a request; without one it says so.
 */
export const mountMemory = (host, timeline, line = null) => {
  const model = read_or_refuse(host, timeline);
  if (!model) return false;
  const request = costliest_request(model, line);
  const root = element("div", { class: "mt mt-picture" });
  host.replaceChildren(root);
  if (request < 0) return root.append(element("p", { class: "mt-says" }, "No request is in this timeline.")), false;
  const unit = model.units[model.requests.unit[request]], stages = stages_of(model, request);
  const sample = (style, text) => element("span", {}, element("i", { class: `mt-sample mt-key-${style}`, "aria-hidden": "true" }), text);
  root.append(
    element("p", { class: "mt-says" }, request_sentence(model, unit, request, stages)),
    element("div", { class: "mt-scroll", tabindex: "0", role: "region", "aria-label": "memory that the request accesses" }, picture_table(model, unit, stages, request)),
    element("p", { class: "mt-legend" }, sample("first", "a lane, in the first stage"), sample("extra", has_banks(unit) ? "in a further stage: a bank conflict" : "in a further stage: another address group"),
      sample("spare", "spare words of a layout"), sample("outside", "no array")));
  return true;
};
