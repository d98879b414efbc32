// A picture of the memory that one request accesses: banks side by side, address groups below each other, the numbers of the
// lanes where they access. memory_text.cpp in the room timeline draws the same as text.
import { element } from "./dom.js";
import { name_of_word } from "./memory.js";
import { read_or_refuse } from "./read.js";
import { position_of, stages_at, stages_of } from "./state.js";
import { action, capital, counted, empty_words, has_banks, group_noun, group_words, line_of_request, ranges, sentence, warp_name } from "./words.js";

const most_picture_rows = 40, most_rows_between = 2, widest_with_indices = 8;

/** The request with the most stages, of the line if it has one; the first of these. -1: there is none. */
const costliest_request = (model, line) => {
  const most_of = (chosen) => {
    let best = -1;
    for (let i = 0; i < model.count; ++i)
      if (chosen(i) && (best < 0 || model.requests.stages[i] > model.requests.stages[best])) best = i;
    return best;
  };
  const of_line = line === null ? -1 : most_of((i) => model.requests.line[i] === line && model.requests.source[i] === 0);
  return of_line >= 0 ? of_line : most_of(() => true);
};

/** The request of which a stage enters at `time`, in the first of `units` where one does, else the latest on its way. -1: there is none. */
const request_at = (model, time, units) => {
  for (const is_there of [(one) => one.position === 1, (one, unit) => one.position > 1 && one.position <= unit.latency])
    for (const unit of units) {
      const found = stages_at(model, unit, time).filter((one) => is_there(one, unit));
      if (found.length > 0) return found[found.length - 1].request;
    }
  return -1;
};

/** What a request accesses: its words by address, each with its lanes and the stage in which it enters. */
const accessed_memory = (model, request) => {
  const unit = model.units[model.requests.unit[request]], words = new Map(), stages = stages_of(model, request);
  stages.forEach((all, stage) => all.forEach(({ address, lanes }) => {
    const known = words.get(address);
    if (known) known.lanes.push(...lanes);
    else words.set(address, { lanes: [...lanes], stage });
  }));
  return { request, unit, words, row_words: group_words(model, unit), filled: stages.filter((all) => all.length > 0).length };
};

/** What the request accesses, and why it takes its stages. accessed.cpp in the room timeline says the same. */
const access_sentence = (model, { request, unit, words, row_words, filled }) => {
  const { requests } = model, stages = requests.stages[request];
  const different = (numbers) => new Set(numbers).size;
  const lanes = different([...words.values()].flatMap((word) => word.lanes));
  const needed = Math.max(1, Math.ceil(words.size / row_words));
  const array = model.json.arrays[requests.array[request] ?? -1];
  const where = has_banks(unit) ? counted(different([...words.keys()].map((address) => address % model.width)), "bank")
    : counted(different([...words.keys()].map((address) => Math.floor(address / row_words))), group_noun(unit));
  const rest = filled < stages ? empty_words(filled, stages)
    : stages === 1 ? "one stage delivers all of them."
      : `${has_banks(unit) ? "a bank delivers one word a stage" : `a stage delivers one ${group_noun(unit)}`}, so the request takes ${stages} stages${stages > needed ? ` instead of ${needed}.` : ", the fewest for so many words."}`;
  const line = requests.line[request] === null ? "" : `${capital(line_of_request(model, request))}: `;
  const does = `${requests.write[request] ? "write" : "read"}${lanes === 1 ? "s" : ""}`;
  return `${line}${counted(lanes, "lane")} of a warp ${does} ${counted(words.size, "word")}${array ? ` of ${array.name}` : ""} in ${where}; ${rest}`;
};

/** The array of each address that the request's block sees: a function of the address. */
const arrays_seen = (model, { request, unit }) => {
  const { requests } = model;
  const arrays = model.json.arrays.map((array, index) => ({ ...array, index })).filter((array) => array.unit === unit.index && array.words > 0 &&
    (array.block === null || array.block === requests.block[request]) && (array.launch === null || array.launch === requests.launch[request]));
  return (address) => arrays.find(({ first, words }) => address >= first && address < first + words);
};

/** How a word's stage is at a time: it waits, enters, flies or is over; without a time, whether it is the first. */
const style_of_stage = (model, { request, unit }, stage, time) => {
  if (time === null) return stage > 0 ? "mt-extra" : "mt-first";
  const position = position_of(model, unit, request, stage, time);
  return position < 1 ? "mt-waits" : position > unit.latency ? "mt-over" : position > 1 ? "mt-flies" : stage > 0 ? "mt-extra" : "mt-first";
};
const words_of_stage = { "mt-waits": ", waits", "mt-over": ", is over", "mt-flies": ", in the pipeline" };

/** A cell has room for `0–3`. */
const lanes_in_short = (lanes) => {
  const text = ranges(lanes);
  return text.length <= 4 ? text : `${lanes[0]}…`;
};

const picture_table = (model, accessed, time) => {
  const { unit, words, row_words } = accessed;
  const array_at = arrays_seen(model, accessed), with_indices = row_words <= widest_with_indices;
  /** The cell of a word: which lanes access it, in which stage; whether it is spare, or none of an array's. */
  const cell_of = (address) => {
    const word = words.get(address), array = array_at(address);
    const name = array ? name_of_word(model, array.index, address - array.first) : null;
    const label = !array ? "no array is here" : name ?? `a spare word of ${array.name}'s layout`;
    const index = with_indices && name !== null ? [element("small", {}, name.slice(array.name.length + 1, -1))] : [];
    if (!word) return element("td", { class: !array ? "mt-outside" : name === null ? "mt-spare" : "", title: label }, ...index);
    const style = style_of_stage(model, accessed, word.stage, time);
    return element("td", { class: style, title: `${label}: lane ${ranges(word.lanes)}, stage ${word.stage + 1}${words_of_stage[style] ?? ""}` },
      ...index, lanes_in_short(word.lanes));
  };
  const banks = Array.from({ length: row_words }, (_, bank) => bank);
  const row_of = (row) => element("tr", {}, element("th", { scope: "row", title: `${group_noun(unit)} ${row}` }, row), ...banks.map((bank) => cell_of(row * row_words + bank)));
  const gap = (text) => element("tr", { class: "mt-gap" }, element("th", {}, "⋮"), element("td", { colspan: row_words }, text));
  const rows = [...new Set([...words.keys()].map((address) => Math.floor(address / row_words)))].sort((a, b) => a - b);
  const body = element("tbody");
  rows.slice(0, most_picture_rows).forEach((row, i) => {
    const left_out = i === 0 ? 0 : row - rows[i - 1] - 1;
    if (left_out > most_rows_between) body.append(gap(`${left_out} ${group_noun(unit)}s without a lane`));
    else for (let between = row - left_out; between < row; ++between) body.append(row_of(between));
    body.append(row_of(row));
  });
  if (rows.length > most_picture_rows) body.append(gap(counted(rows.length - most_picture_rows, `more ${group_noun(unit)}`)));
  const busy = banks.map(() => 0);
  for (const address of words.keys()) busy[address % row_words] += 1;
  const head = element("tr", {}, element("th", {}, has_banks(unit) ? "bank" : "word"), ...banks.map((bank) =>
    element("th", { scope: "col", class: has_banks(unit) && busy[bank] > 1 ? "mt-hot" : "" }, bank)));
  const wide = !with_indices && row_words > 16;
  return element("table", { class: `mt-cells${with_indices ? " mt-indexed" : wide ? " mt-wide" : ""}`, ...(wide ? { style: `min-width:${2.2 + 1.15 * row_words}rem` } : {}) }, element("thead", {}, head), body);
};

/** What marks mean, of those that the table has. */
const picture_legend = (unit, time, table) => {
  const sample = (style, text) => element("span", {}, element("i", { class: `mt-sample mt-key-${style}`, "aria-hidden": "true" }), text);
  const further = has_banks(unit) ? "in a further stage: a bank conflict" : `in a further stage: another ${group_noun(unit)}`;
  const keys = { ...(time === null ? { first: "a lane, in the first stage", extra: further }
    : { first: "its stage enters now", extra: `enters now, ${further}`, waits: "waits for a later time unit", flies: "in the pipeline", over: "was read or written" }),
    spare: "spare words of a layout", outside: "no array" };
  return element("p", { class: "mt-legend" }, ...Object.entries(keys).filter(([style]) => table.querySelector(`.mt-${style}`)).map(([style, text]) => sample(style, text)));
};

const sentence_at = (model, { unit }, time) => `Time unit ${time}. ${sentence(model, unit, time)}`;

/** "Warp 1's write: line 12: 32 lanes …": where the page says elsewhere what happens at the moment. */
export const request_sentence = (model, accessed) => {
  const { request } = accessed, text = access_sentence(model, accessed);
  return `${capital(warp_name(model, request))}'s ${action(model, request)}. ${text}`;
};

/** A picture in `host`, whose content it replaces. `says(model, accessed, time)`: the sentence above the picture of a moment. */
export const make_picture = (host, says = sentence_at) => {
  const root = element("div", { class: "mt mt-picture" });
  host.replaceChildren(root);
  const show = (model, request, time) => {
    const accessed = accessed_memory(model, request);
    const table = picture_table(model, accessed, time);
    root.replaceChildren(
      element("p", { class: "mt-says" }, time === null ? access_sentence(model, accessed) : says(model, accessed, time)),
      element("div", { class: "mt-scroll", tabindex: "0", role: "region", "aria-label": "memory that the request accesses" }, table),
      picture_legend(accessed.unit, time, table));
    return true;
  };
  return {
    /** The request with the most stages of the line, or of all. Returns whether there is one. */
    show_costliest(model, line) {
      const request = costliest_request(model, line);
      if (request >= 0) return show(model, request, null);
      root.replaceChildren(element("p", { class: "mt-says" }, "No request is in this timeline."));
      return false;
    },
    /** The request of which a stage enters or is on its way at a time, in the first of the units that has one; false: there is none. */
    show_moment(model, time, units) {
      const request = request_at(model, time, units);
      return request >= 0 && show(model, request, time);
    },
  };
};

/**
 * Shows in `host` what the request with the most stages accesses, of `line` or of all, of a timeline as mountTimeline takes it.
 * Returns whether there is a request; without one it says so.
 */
export const mountMemory = (host, timeline, line = null) => {
  const model = read_or_refuse(host, timeline);
  return model !== null && make_picture(host).show_costliest(model, line);
};
