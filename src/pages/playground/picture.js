// A picture of the memory that the costliest request accesses: banks side by side, address groups below each other, the
// numbers of the lanes where they access.
import { element } from "../timeline/dom.js";
import { name_of_word } from "../timeline/memory.js";
import { read_timeline } from "../timeline/read.js";
import { stages_of } from "../timeline/state.js";
import { counted, has_banks, ranges } from "../timeline/words.js";

const most_rows = 40;

/** The request with the most stages, of the line if it is given; the first of these. */
const costliest = (model, line) => {
  let best = -1;
  for (let i = 0; i < model.count; ++i) {
    if (line !== null && model.requests.line[i] !== line) continue;
    if (best < 0 || model.requests.stages[i] > model.requests.stages[best]) best = i;
  }
  return best;
};

const sentence = (model, unit, request, stages) => {
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
const cell_of = (model, arrays, accessed, address) => {
  const word = accessed.get(address);
  const index = arrays.findIndex((array) => address >= array.first && address < array.first + array.words);
  const array = arrays[index];
  const name = array ? name_of_word(model, array.index, address - array.first) : null;
  const label = !array ? "no array is here" : name ?? `a spare word of ${array.name}'s layout`;
  if (!word) return element("td", { class: !array ? "outside" : name === null ? "spare" : "", title: label });
  const lanes = word.lanes.length > 1 ? `${word.lanes[0]}…` : `${word.lanes[0]}`;
  return element("td", { class: word.stage > 0 ? "extra" : "first", title: `${label}: lane ${ranges(word.lanes)}, stage ${word.stage + 1}` }, lanes);
};

const table_of = (model, unit, stages, request) => {
  const accessed = new Map();
  stages.forEach((words, stage) => words.forEach((word) => accessed.set(word.address, { ...word, stage })));
  const arrays = model.json.arrays.map((array, index) => ({ ...array, index })).filter((array) => array.unit === unit.index && array.words > 0 &&
    (array.block === null || array.block === model.requests.block[request]));
  const { width } = model;
  const rows = [...new Set([...accessed.keys()].map((address) => Math.floor(address / width)))].sort((a, b) => a - b);
  const body = element("tbody");
  let last = null;
  for (const row of rows.slice(0, most_rows)) {
    const left_out = last === null ? 0 : row - last - 1;
    if (left_out > 0 && left_out <= 2) for (let between = last + 1; between < row; ++between) body.append(row_of(between));
    else if (left_out > 0) body.append(element("tr", { class: "gap" }, element("th", {}, "⋮"), element("td", { colspan: width }, `${left_out} address groups without a lane`)));
    body.append(row_of(row));
    last = row;
  }
  if (rows.length > most_rows) body.append(element("tr", { class: "gap" }, element("th", {}, "⋮"), element("td", { colspan: width }, `${rows.length - most_rows} more address groups`)));
  function row_of(row) {
    const cells = Array.from({ length: width }, (_, bank) => cell_of(model, arrays, accessed, row * width + bank));
    return element("tr", {}, element("th", { scope: "row" }, row), ...cells);
  }
  const busy = new Map();
  for (const { bank } of accessed.values()) busy.set(bank, (busy.get(bank) ?? 0) + 1);
  const head = element("tr", {}, element("th", {}, has_banks(unit) ? "bank" : "group"), ...Array.from({ length: width }, (_, bank) =>
    element("th", { scope: "col", class: has_banks(unit) && busy.get(bank) > 1 ? "hot" : "" }, bank)));
  return element("table", { class: `memory${width > 16 ? " small" : ""}` }, element("thead", {}, head), body);
};

/** Shows the request with the most stages of the line (or of all) in a timeline; nothing without a request. */
export const show_picture = (host, timeline, line) => {
  host.replaceChildren();
  if (!timeline) return;
  const model = read_timeline(timeline);
  let request = costliest(model, line);
  if (request < 0) request = costliest(model, null);
  if (request < 0) return;
  const unit = model.units[model.requests.unit[request]], stages = stages_of(model, request);
  const sample = (style, text) => element("span", {}, element("i", { class: style }), text);
  host.append(
    element("p", { class: "says" }, sentence(model, unit, request, stages)),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "memory of the costliest request" }, table_of(model, unit, stages, request)),
    element("p", { class: "legend" }, sample("first", "a lane, in the first stage"), sample("extra", has_banks(unit) ? "in a further stage: a bank conflict" : "in a further stage: another address group"), sample("spare", "spare words of a layout"), sample("outside", "no array")));
};
