// Memory as banks and address groups: a column a bank, a row an address group, arrays one below the other. Only the rows in
// view are elements.
import { element, show } from "./dom.js";
import { stages_of } from "./state.js";
import { unknown } from "./values.js";
import { counted, group_noun, group_words, has_banks, place_of_word, ranges, value_text } from "./words.js";

const row_height = 28, most_rows = 9, most_rows_seen = 5; // the first ones are seldom below the window's end

/** A value in so many characters; a longer number keeps its first digits. The ellipsis is as wide as two of them. */
const short_text = (value, room) => {
  if (value === unknown) return "?";
  const text = value_text(value);
  if (text.length <= room) return text;
  if (typeof value === "number" && !Number.isInteger(value)) {
    for (let digits = Math.max(1, room); digits > 0; --digits) {
      const rounded = String(Number(value.toPrecision(digits)));
      if (rounded.length <= room) return rounded;
    }
  }
  return `${text.slice(0, Math.max(1, room - 2))}…`;
};

/** The arrays of a unit that are there at a time: those of blocks that have ended are gone. */
const arrays_at = (model, unit, time) => {
  const { arrays, blocks } = model.json;
  const ended = new Set();
  blocks.launch.forEach((launch, i) => {
    const there = blocks.from[i] <= time && (blocks.to[i] === null || time <= blocks.to[i]);
    if (!there) ended.add(`${launch},${blocks.block[i]}`);
  });
  const list = [];
  arrays.forEach((array, index) => {
    if (array.unit !== unit.index || array.words === 0) return;
    if (array.block !== null && unit.multiprocessor !== null && ended.has(`${array.launch ?? 0},${array.block}`)) return;
    list.push(index);
  });
  return list;
};

/** "a[3, 1]" for a word of an array; null for a spare word. */
export const name_of_word = (model, index, word) => {
  const array = model.json.arrays[index];
  const elements = array.extents.reduce((a, b) => a * b, 1);
  const placement = model.json.placements[array.words_of ?? -1];
  if (placement && !placement.element_at) placement.element_at = new Map(placement.map((where, i) => [where, i]));
  let at = placement ? placement.element_at.get(word) : word;
  if (at === undefined || at >= elements) return null;
  const indices = [];
  for (const extent of [...array.extents].reverse()) indices.unshift(at % extent), (at = Math.floor(at / extent));
  return `${array.name}[${indices.join(", ")}]`;
};

export const make_memory = (model, unit, values, make_row) => {
  const { width, json } = model, row_noun = group_words(model, unit) === width ? group_noun(unit) : "row";
  const spacer = element("div", { class: "mt-memory-spacer" });
  const scroller = element("div", { class: "mt-memory-rows", tabindex: "0", role: "group", "aria-label": `words of the ${unit.name}: ${has_banks(unit) ? "columns are banks, " : ""}rows are ${row_noun}s` }, spacer);
  const about = element("span");
  const caption = element("p", { class: "mt-caption" }, element("b", {}, unit.name.charAt(0).toUpperCase() + unit.name.slice(1)), " ", about);
  const sample = (style, text) => element("span", {}, element("i", { class: `mt-sample mt-${style}`, "aria-hidden": "true" }), text);
  const has_spare = json.arrays.some((array) => array.unit === unit.index && array.words > array.extents.reduce((a, b) => a * b, 1));
  const legend = element("p", { class: "mt-legend" }, sample("key-enters", "its stage enters now"), sample("key-flies", "in the pipeline"),
    sample("key-reads", "read now"), sample("key-writes", "written now"), ...(has_spare ? [sample("spare", "spare words of a layout")] : []), `${width <= 8 ? "→T2: read by thread 2 of the warp, ←T2: written by it" : "→2: read by lane 2, ←2: written by it, ×3: three lanes"}; –: not written yet${json.arrays.some((array) => !array.initial) ? "; ?: not in this page" : ""}`);
  const node = element("div", { class: "mt-memory" }, caption, scroller, legend);
  const pool = [];
  let sections = [], total = 0, key = null, caption_text = "", marks = new Map();
  let scrolled = 0; // as the browser has it, which would lay out the page to say so

  /** Sections and rows of as many words as a warp has lanes: a heading for each array, then its rows. */
  const lay_out = (time) => {
    const list = arrays_at(model, unit, time);
    const wanted = list.join();
    if (wanted === key) return;
    key = wanted;
    total = 0;
    sections = list.map((index) => {
      const array = json.arrays[index];
      const section = { index, array, top: total, first_group: Math.floor(array.first / width) };
      section.groups = Math.max(1, Math.floor((array.first + array.words - 1) / width) - section.first_group + 1);
      total += 1 + section.groups;
      return section;
    });
    scrolled = Math.min(scrolled, Math.max(0, total - most_rows) * row_height);
    spacer.style.height = `${total * row_height + 1}px`;
    scroller.style.height = `${Math.min(total, most_rows) * row_height + 2}px`;
    caption_text = !sections.length ? "holds no array now" : has_banks(unit) ? `${counted(width, "bank")}; a row is an address group`
      : `${row_noun}s of ${counted(width, "word")}, a row each`;
  };

  const heading_of = ({ array }) => {
    const of = array.block === null ? "" : ` of block ${array.block}`;
    const layout = array.layout && array.layout !== "rows" ? `, layout ${array.layout}` : "";
    return `${array.name}[${array.extents.join(", ")}]: ${array.type}${of}${layout}`;
  };

  const show_row = (row, section, group) => {
    const { index, array } = section;
    row.node.classList.remove("mt-heading");
    show(row.place, "", "mt-place");
    show(row.label, `${row_noun.replace(/.* /, "")} ${section.first_group + group}`, "mt-label");
    const room = width <= 8 ? 8 : width <= 16 ? 5 : 4;
    row.cells.forEach((cell, bank) => {
      const word = (section.first_group + group) * width + bank - array.first;
      cell.place = [index, word];
      if (word < 0 || word >= array.words) return show_cell(cell, "", "mt-cell mt-outside", "", "");
      const mark = marks.get(index * 2 ** 32 + word);
      const value = values.at(index, word);
      const name = name_of_word(model, index, word);
      if (name === null && !mark) return show_cell(cell, width <= 8 ? "spare" : "", "mt-cell mt-spare", "", "");
      const style = `mt-cell${value === null ? " mt-unwritten" : ""}${mark ? ` mt-${mark.state}${mark.extra ? " mt-extra" : ""}${mark.write ? " mt-writes" : " mt-reads"}` : ""}`;
      show_cell(cell, short_text(value, room), style, mark?.lanes ?? "", width <= 8 ? (name ?? "spare").slice(name && name.length > 9 ? array.name.length : 0) : "");
    });
  };
  const show_cell = (cell, text, style, lanes, address) => {
    if (cell.shown_key === `${text}|${style}|${lanes}|${address}`) return;
    cell.shown_key = `${text}|${style}|${lanes}|${address}`;
    cell.className = style;
    cell.replaceChildren(...(address ? [element("small", { class: "mt-address" }, address)] : []), text,
      ...(lanes ? [element("small", { class: "mt-lanes" }, lanes)] : []));
  };

  const draw = () => {
    const top = Math.floor(scrolled / row_height);
    const count = Math.min(total, most_rows + 1);
    while (pool.length < count) {
      const row = make_row("mt-memory-row");
      pool.push(row);
      spacer.append(row.node);
    }
    let section = 0;
    const above = sections.filter((one) => one.top < top).pop(); // whose heading is out of view
    show(about, `${above ? `${heading_of(above)}; ` : ""}${caption_text}`, "");
    pool.forEach((row, i) => {
      const at = top + i;
      row.node.style.display = at < total && i < count ? "" : "none";
      if (at >= total || i >= count) return;
      while (section + 1 < sections.length && sections[section + 1].top <= at) ++section;
      row.node.style.top = `${at * row_height}px`;
      if (at > sections[section].top) return show_row(row, sections[section], at - sections[section].top - 1);
      row.node.classList.add("mt-heading");
      show(row.label, heading_of(sections[section]), "mt-label");
    });
  };

  /** What the stages under way do to words; what happens now overrides what is on the way. */
  const mark_words = (stages) => {
    marks = new Map();
    let first = null;
    const rank = { flies: 0, lands: 1, enters: 2 };
    for (const one of stages) {
      if (one.position < 1) continue;
      const state = one.position === 1 ? "enters" : one.position > unit.latency ? "lands" : "flies";
      const array = model.requests.array[one.request];
      for (const word of stages_of(model, one.request)[one.stage] ?? []) {
        const at = word.address - (json.arrays[array]?.first ?? 0);
        const place = array * 2 ** 32 + at;
        const known = marks.get(place);
        if (known && rank[known.state] >= rank[state]) continue;
        const write = model.requests.write[one.request];
        const lanes = word.lanes.length > 1 ? (width <= 8 ? `T${ranges(word.lanes, 2)}` : `×${word.lanes.length}`) : `${width <= 8 ? "T" : ""}${word.lanes[0]}`;
        const way = state !== "lands" ? "" : write ? "←" : "→";
        marks.set(place, { state, write, extra: one.stage > 0, lanes: state === "flies" ? "" : way + lanes });
        if (!first || rank[state] > first.rank) first = { rank: rank[state], array, at };
      }
    }
    return first;
  };

  /** Scrolls so that a word is in view; nothing if it is. */
  const follow = ({ array, at }) => {
    const section = sections.find((one) => one.index === array);
    if (!section) return;
    const row = section.top + 1 + Math.floor((section.array.first + at) / width) - section.first_group;
    const top = scrolled / row_height;
    const visible = Math.min(total, most_rows);
    if (row >= top && row + 1 <= top + (total > visible ? most_rows_seen : visible)) return;
    const wish = row - section.top < most_rows_seen ? section.top : row - 1;
    scrolled = Math.max(0, Math.min(wish, total - visible)) * row_height;
    scroller.scrollTop = scrolled;
  };

  scroller.addEventListener("scroll", () => ((scrolled = scroller.scrollTop), draw()));
  scroller.addEventListener("pointerover", (event) => {
    const cell = event.target.closest?.(".mt-cell");
    if (!cell?.place || cell.classList.contains("mt-outside")) return;
    const [index, word] = cell.place;
    const array = json.arrays[index], address = array.first + word, value = values.at(index, word);
    const name = name_of_word(model, index, word);
    cell.title = (name === null ? `a spare word of ${array.name}'s layout: no element is there` : `${name}: ${value === unknown ? "not in this page" : value === null ? "not written yet" : value_text(value)}`) +
      ` (word ${address}, ${place_of_word(model, unit, address)}${has_banks(unit) ? `, address group ${Math.floor(address / width)}` : ""})`;
  });

  return {
    node,
    show(time, stages) {
      lay_out(time);
      const first = mark_words(stages);
      if (first && first.rank > 0) follow(first);
      draw();
    },
  };
};
