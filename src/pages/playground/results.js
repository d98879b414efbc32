// What a run gave: its time, its units, its lines, its claims and its account.
import { element } from "../timeline/dom.js";
import { difference_part } from "./compare.js";
import { make_memory_part } from "./memory_part.js";

export const number = (value) => Number(value).toLocaleString("en-US").replaceAll(",", "\u202f");
const percent = (part, whole) => (whole > 0 ? `${Math.round((100 * part) / whole)} %` : "–");

/** The units of the result, those of shared memory together. */
const units_of = (counts) => Object.entries(counts.units ?? {}).map(([name, list]) => {
  const all = { name, of: list.length };
  for (const unit of list)
    for (const [member, value] of Object.entries(unit)) if (typeof value === "number") all[member] = (all[member] ?? 0) + value;
  return all;
});

const causes = [
  ["busy", "stages enter"], ["idle_latency", "all warps wait for latency"], ["idle_barrier", "warps wait at a barrier"],
  ["idle_drain", "the last requests are on their way"], ["idle_empty", "no block is there"],
];

const cause_bar = (unit, time) => {
  const whole = unit.of * time;
  const parts = causes.map(([cause, text]) => ({ cause, text, part: unit[cause] ?? 0 })).filter(({ part }) => part > 0);
  const bar = element("div", { class: "causes", role: "img", "aria-label": parts.map(({ text, part }) => `${text}: ${percent(part, whole)}`).join("; ") });
  for (const { cause, text, part } of parts) {
    const piece = element("i", { class: cause, title: `${text}: ${number(part)} of ${number(whole)} time units` });
    piece.style.flexGrow = part;
    bar.append(piece);
  }
  return element("div", { class: "unit" }, element("b", {}, unit.of > 1 ? `${unit.name} × ${unit.of}` : unit.name), bar,
    element("p", { class: "legend" }, ...parts.map(({ cause, text, part }) => element("span", {}, element("i", { class: cause }), `${text} ${percent(part, whole)}`))));
};

export const table = (heads, rows) => element("div", { class: "scroll" }, element("table", { class: "numbers" },
  element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
  element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell)))))));

export const part = (title, ...children) => element("section", {}, element("h3", {}, title), ...children);

/** The time of a run, whatever its model counts as time; null: it counts none. */
const time_of = ({ time, agpu, mmm }) => time ?? agpu?.time ?? mmm?.time ?? null;

/** What is kept of a run to hold a later one against it. */
export const pinnable = (answer, text) => ({ text, command: answer.command, time: time_of(answer.run.counts), units: units_of(answer.run.counts), costs: answer.costs });

const headline = (run, before, pinned) => {
  const shown = time_of(run.counts);
  if (shown === null) return [element("p", { class: "time" }, "no time: this model counts blocks")];
  const parts = [element("p", { class: "time" }, element("b", { id: "time" }, number(shown)), run.stop === "none" ? " time units" : " time units so far")];
  const [word, other] = pinned ? ["pinned", pinned.time] : ["before", before];
  if (other !== null && (pinned || other !== shown) && other > 0 && shown > 0) {
    const slower = shown > other, ratio = slower ? shown / other : other / shown;
    const style = ratio < 1.005 ? "before" : `before ${slower ? "slower" : "faster"}`;
    parts.push(element("p", { class: style }, `${word} ${number(other)}: ${ratio === 1 ? "as long" : ratio < 1.005 ? "about as long" : `${ratio.toFixed(2)} × ${slower ? "as long" : "as fast"}`}`));
  }
  return parts;
};

const units_table = (units) => table(["unit", "requests", "stages", "conflicts", "stages a request"], units.map((unit) => [unit.of > 1 ? `${unit.name} × ${unit.of}` : unit.name,
  number(unit.requests), number(unit.stages), number(unit.conflicts), unit.requests > 0 ? (unit.stages / unit.requests).toFixed(2) : "–"]));

const lines_table = (costs, choose) => table(["line", "requests", "stages", "conflicts", "worst", "share"], costs.lines.map((line) => {
  const button = element("button", { type: "button", class: "line", title: "show the line and the memory that it accesses" }, line.line);
  button.addEventListener("click", () => choose(line.line));
  return [button, number(line.requests), number(line.stages), number(line.conflicts), number(line.worst), percent(line.cost, costs.of_all)];
}));

const claims_list = (run) => {
  const told = run.claims.filter((claim) => claim.verdict !== "not applicable");
  const others = run.claims.length - told.length;
  const nothing = run.stop === "none" ? "The program claims nothing." : "Claims are checked only at the end of a run.";
  if (!told.length) return element("p", {}, run.claims.length ? "No claim of the program applies to this run." : nothing);
  const marks = { holds: "✓", fails: "✗" };
  const rest = others > 0 ? [element("li", {}, element("small", {}, `${others} more ${others === 1 ? "does" : "do"} not apply to this run`))] : [];
  return element("ul", { class: "claims" }, ...told.map((claim) => element("li", { class: claim.verdict.replaceAll(" ", "-") },
    element("b", { title: claim.verdict }, marks[claim.verdict] ?? "·"), element("code", {}, claim.text),
    element("small", {}, claim.left?.text && claim.right?.text ? `${claim.left.text} and ${claim.right.text}; ${claim.source}` : claim.source))), ...rest);
};

/** The lines of `print`. */
export const printed_part = ({ printed }) => (printed ? [part("Printed", element("pre", { class: "printed" }, printed))] : []);

/** What a line's share is of. */
const share_words = { stages: "Share: of the stages of the busiest unit.", waits: "Share: of the time that warps wait for requests.", agpu_time: "Share: of the time after Koike.", operators: "Share: of the stages of the busiest unit of operations.", port_stages: "Share: of the stages of own ports." };

/**
 * `answer` to the question `run`, its time in `head`; `text`: the program. `before`: the time of the run before it, or null;
 * `pinned`: the run it is held against, or null. Returns the part with the picture of memory, or null.
 */
export const show_result = (host, head, answer, { text, name, before, pinned, go_to }) => {
  const { run, costs, account } = answer;
  const units = units_of(run.counts);
  const checks = run.verify === "passed" ? "its result is right" : run.verify === "failed" ? "its result is WRONG" : "its result is not checked";
  const costly = costs.lines.reduce((best, line) => (!best || line.stages > best.stages ? line : best), null);
  const memory = make_memory_part([answer.costliest, answer.timeline].filter(Boolean), costly?.line ?? null, name);
  const choose = (line) => (go_to(line), memory?.show_line(line));
  head.replaceChildren(...headline(run, before, pinned), element("p", { class: run.verify }, checks));
  host.replaceChildren(
    ...(pinned ? [difference_part(pinned, pinnable(answer, text))] : []),
    ...(memory ? [memory.node] : []),
    part("Where the time went", ...units.filter((unit) => causes.some(([cause]) => unit[cause])).map((unit) => cause_bar(unit, run.counts.time)), ...account.flatMap(({ heading, paragraphs }) => [
      element("h4", {}, heading), ...paragraphs.map(({ text, code }) => element(code ? "pre" : "p", {}, text))])),
    ...(units.length ? [part("Units", units_table(units))] : []),
    ...(costs.lines.length ? [part("Lines", lines_table(costs, choose), element("p", { class: "small" }, share_words[costs.by] ?? ""))] : []),
    ...printed_part(answer),
    ...(answer.kernels ? [] : [part("Claims", claims_list(run))]),
    part("The same run in a terminal", element("pre", { class: "command" }, answer.command)));
  return memory;
};

/** Mistakes, those that are in no line of the program first. */
export const show_errors = (host, errors, go_to) => {
  host.hidden = errors.length === 0;
  host.replaceChildren(...errors.map((error) => {
    const where = error.begin !== undefined ? `line ${error.line}: ` : error.line ? `${error.file}, line ${error.line}: ` : error.place ? `${error.place}: ` : "";
    const item = element("div", { class: "error" }, element("p", {}, element("b", {}, where), error.message), ...(error.help ?? []).map((way) => element("p", { class: "way" }, `→ ${way}`)));
    if (error.begin !== undefined) item.addEventListener("click", () => go_to(error.line));
    return item;
  }));
};
