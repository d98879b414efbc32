// What the page asks the module about a setting.

/** What the page shows first. Its answers are made with the page: build.mjs. */
export const first_setting = { path: "programs/access/strided.lane", machine: "dmm-w32", define: { n: "256", s: "2" }, layout: {}, set: {}, seed: 1 };

const is_text = (value) => typeof value === "string";
const is_map = (value) => Object(value) === value && Object.values(value).every((own) => own === null || ["string", "number"].includes(typeof own));
const members = { path: (value) => is_text(value) && value !== "", text: is_text, machine: is_text, define: is_map, layout: is_map, set: is_map, seed: Number.isInteger, launches: (value) => Array.isArray(value) && value.every(is_text) };
/** A setting that was kept or shared, and that a person may have changed: members that are none of its own are left out. */
export const setting_of = (wanted) => ({ ...first_setting, define: {}, layout: {}, set: {}, launches: [], ...Object.fromEntries(Object.entries(wanted ?? {}).filter(([name, value]) => members[name]?.(value))) });

const options_of = (map) => Object.entries(map).filter(([, text]) => text !== null && text !== "").map(([name, text]) => `${name}=${text}`);

/** `ask`: run, launch, describe. */
export const question_of = (ask, { path, text, machine, set, define, layout, seed, launches = [] }) =>
  ({ ask, path, text, machine, set: options_of(set), define: options_of(define), layout: options_of(layout), seed, launches });
