// A run beside the pinned one: what became of each cause of time, and of each line.
import { number, part, table } from "./results.js";

const causes = [
  ["busy", "stages entered"], ["idle_latency", "waited for latency"], ["idle_barrier", "waited at a barrier"], ["idle_drain", "last requests on their way"],
  ["idle_empty", "no block was there"],
];

const difference = (before, now) => (now === before ? "=" : `${now > before ? "+" : "−"}${number(Math.abs(now - before))}`);
const row = (name, before, now) => [name, number(before), number(now), difference(before, now)];

/** The lines of a run by their text, so that a line that moved is still the same. */
const lines_of = (run) => {
  const texts = run.text.split("\n"), found = new Map();
  for (const line of run.costs.lines) {
    const text = (texts[line.line - 1] ?? "").trim(), key = found.has(text) ? `${text} (line ${line.line})` : text;
    found.set(key, line);
  }
  return found;
};

const stages_of_lines = (pinned, now) => {
  const [before, after] = [lines_of(pinned), lines_of(now)];
  return [...new Set([...after.keys(), ...before.keys()])].map((text) => row(text, before.get(text)?.stages ?? 0, after.get(text)?.stages ?? 0));
};

const unit_rows = (pinned, now) => {
  const rows = [], names = [...new Set([...now.units, ...pinned.units].map((unit) => unit.name))];
  for (const name of names) {
    const [before, after] = [pinned, now].map((run) => run.units.find((unit) => unit.name === name) ?? {});
    for (const [cause, text] of causes)
      if (before[cause] || after[cause]) rows.push(row(`${name} memory: ${text}`, before[cause] ?? 0, after[cause] ?? 0));
  }
  return rows;
};

/** Both as `pinnable` of results.js gives them. */
export const difference_part = (pinned, now) => {
  const heads = ["", "pinned", "now", "difference"];
  const about = `Pinned: ${pinned.command}`;
  const [by_cause, by_line] = [unit_rows(pinned, now), stages_of_lines(pinned, now)];
  const time = pinned.time !== null && now.time !== null ? [row("time units", pinned.time, now.time)] : [];
  const node = part("Beside the pinned run", table([heads[0] || "by cause", ...heads.slice(1)], [...time, ...by_cause]));
  if (by_line.length) node.append(table(["stages by line", ...heads.slice(1)], by_line));
  node.append(Object.assign(document.createElement("p"), { className: "small", textContent: about }));
  node.classList.add("difference");
  return node;
};
