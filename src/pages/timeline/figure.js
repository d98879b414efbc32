// One unit of memory: its pipeline above its words, with one column for each bank through both.
import { element } from "./dom.js";
import { make_memory } from "./memory.js";
import { make_pipeline } from "./pipeline.js";
import { has_banks } from "./words.js";

export const make_figure = (model, unit, values) => {
  const { width } = model;
  const make_row = (style) => {
    const place = element("span", { class: "mt-place" }), label = element("span", { class: "mt-label" });
    const cells = Array.from({ length: width }, () => element("span", { class: "mt-slot" }));
    return { node: element("div", { class: `mt-row ${style}` }, place, label, ...cells), place, label, cells };
  };
  const head = make_row("mt-head");
  head.label.textContent = has_banks(unit) ? "bank" : "in its group";
  head.cells.forEach((cell, bank) => ((cell.textContent = bank), (cell.className = "mt-bank")));
  const pipeline = make_pipeline(model, unit, make_row);
  const memory = make_memory(model, unit, values, make_row);
  const size = width <= 8 ? "large" : width <= 16 ? "medium" : "small";
  const grid = element("div", { class: `mt-grid mt-${size}` }, head.node, pipeline.node, memory.node);
  grid.style.setProperty("--mt-width", width);
  grid.style.setProperty("--mt-digits", String(unit.latency).length); // of the places in its pipeline
  const node = element("div", { class: "mt-figure", tabindex: "0", role: "region", "aria-label": `${unit.name}: its pipeline and its words` }, grid);
  return {
    node,
    show(time) { memory.show(time, pipeline.show(time)); },
    fall: pipeline.fall,
  };
};
