// What a person changes beside the program: its parameters, the layouts of its arrays, and the machine.
import { element } from "../timeline/dom.js";

const steps_of = (least, most) => {
  const all = [];
  for (let n = 0; n <= 16; ++n) all.push(n);
  for (let power = 16; power <= 2 ** 20; power *= 2) all.push(power, power + power / 2);
  return [...new Set(all)].filter((n) => n >= least && n <= most);
};

/** Values of a key's slider: those of the threads are whole warps. */
const values_of_key = (key, width) => {
  if (key.path === "threads") return steps_of(1, 64).map((warps) => warps * width).filter((n) => n <= key.maximum);
  if (key.path === "width") return [1, 2, 4, 8, 16, 32, 64].filter((n) => n >= key.minimum && n <= key.maximum);
  if (key.path === "multiprocessors") return steps_of(Math.max(key.minimum, 1), Math.min(key.maximum, 128));
  return steps_of(key.minimum, Math.min(key.maximum, 1024));
};

/** A number with a slider over `values` and a box for any other; `change(text)` is called with what is chosen. */
const number_row = ({ name, label, title, value, values, change }) => {
  const id = `control-${name}`;
  const sorted = [...new Set([...values, ...(Number.isFinite(Number(value)) ? [Number(value)] : [])])].sort((a, b) => a - b);
  const box = element("input", { id, type: "text", inputmode: "numeric", autocomplete: "off", spellcheck: "false", value, size: 7 });
  const slider = element("input", { type: "range", min: 0, max: Math.max(sorted.length - 1, 1), step: 1, "aria-label": name, hidden: sorted.length < 2 });
  slider.value = Math.max(0, sorted.indexOf(Number(value)));
  slider.setAttribute("aria-valuetext", value);
  slider.addEventListener("input", () => {
    box.value = sorted[slider.value];
    slider.setAttribute("aria-valuetext", box.value);
    change(box.value);
  });
  box.addEventListener("change", () => change(box.value.trim()));
  return element("div", { class: "row", "data-name": name }, element("label", { for: id, title }, ...label), slider, box);
};

const choice_row = ({ name, label, title, value, choices, change }) => {
  const id = `control-${name}`;
  const select = element("select", { id });
  for (const choice of [...new Set([...choices, value])]) select.append(element("option", { value: choice, selected: choice === value }, choice));
  select.addEventListener("change", () => change(select.value));
  return element("div", { class: "row choice", "data-name": name }, element("label", { for: id, title }, ...label), select);
};

const as_written = "as written";

const section = (title, ...rows) => (rows.length ? [element("h3", {}, title), ...rows] : []);

/** The launches of PTX's kernels: texts as `memlane ptx --launch` takes them; choosing a kernel begins with another one. */
const launch_rows = (kernels, launches, set) => {
  const change = (at, text) => set("launches", null, launches.map((own, i) => (i === at ? text : own)).filter((own) => own.trim()));
  const rows = launches.map((text, i) => {
    const box = element("textarea", { rows: 4, spellcheck: "false", "aria-label": `launch ${i + 1}`, id: `launch-${i}` });
    box.value = text;
    box.addEventListener("change", () => change(i, box.value));
    return element("div", { class: "launch", "data-name": `launch-${i}` }, box);
  });
  const select = element("select", { "aria-label": "kernel", id: "kernel" }, element("option", { value: "" }, "launch another kernel …"), ...kernels.map(({ name, launch }) => element("option", { value: launch }, name)));
  select.addEventListener("change", () => select.value && set("launches", null, [select.value]));
  return [...rows, element("p", { class: "small" }, "KERNEL<<<BLOCKS, THREADS>>>(ARGUMENT, …): a number, or an array such as a: float[1024] = random"), ...(kernels.length > 1 ? [select] : [])];
};

/** `found` is the answer to `describe`; `set(kind, name, text)` with kind define, layout, set or launches. */
export const show_controls = (host, found, setting, set, save_machine) => {
  const focused = host.contains(document.activeElement) ? document.activeElement : null;
  const [focus, is_slider] = [focused?.closest("[data-name]")?.dataset.name, focused?.type === "range"];
  const parameters = (found.parameters ?? []).map((parameter) => {
    const common = { name: parameter.name, label: [element("b", {}, parameter.name)], title: [parameter.meaning, parameter.where && `where ${parameter.where}`].filter(Boolean).join(" — "), change: (text) => set("define", parameter.name, text) };
    if (parameter.type === "bool") return choice_row({ ...common, value: parameter.value, choices: ["false", "true"] });
    return number_row({ ...common, value: setting.define[parameter.name] || parameter.value, values: parameter.values });
  });
  const layouts = (found.arrays ?? []).filter((array) => array.layouts.length > 1).map((array) =>
    choice_row({
      name: `layout-${array.name}`, label: ["layout of ", element("b", {}, array.name)], title: "where the array's elements lie in memory",
      value: setting.layout[array.name] ?? as_written, choices: [as_written, ...array.layouts],
      change: (text) => set("layout", array.name, text === as_written ? null : text),
    }));
  const width = found.keys.find((key) => key.path === "width")?.value ?? 32;
  const row_of_key = (key) => {
    const common = { name: key.path, title: key.meaning, label: key.letter ? [element("b", {}, key.letter), " ", element("small", {}, key.path)] : [key.path], change: (text) => set("set", key.path, key.nullable && text === "none" ? "null" : text) };
    const own = setting.set[key.path] || String(key.value), value = own === "null" ? "none" : own;
    if (key.choices) return choice_row({ ...common, value, choices: key.choices });
    return number_row({ ...common, value, values: key.nullable && key.value === null ? [] : values_of_key(key, width) });
  };
  const keys = [...found.keys];
  const main = keys.filter((key) => key.letter), others = keys.filter((key) => !key.letter);
  const was_open = host.querySelector("details")?.open;
  const save = element("button", { type: "button", id: "save-machine", title: "save the machine with these numbers as a file, for memlane run -m FILE" }, "Save machine");
  save.addEventListener("click", save_machine);
  host.replaceChildren(
    ...(found.kernels ? section("Launch", ...launch_rows(found.kernels, setting.launches, set)) : []), ...section("Parameters", ...parameters), ...section("Layouts", ...layouts), ...section("Machine", ...main.map(row_of_key)),
    element("details", { open: was_open }, element("summary", {}, `${others.length} more keys of the machine`), ...others.map(row_of_key)), save);
  if (focus) host.querySelector(`[data-name="${CSS.escape(focus)}"] ${is_slider ? "input[type=range]" : "input:not([type=range]), select, textarea"}`)?.focus();
};
