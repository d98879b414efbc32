// What the page asks the module about a setting.

/** What the page shows first. Its answers are made with the page: build.mjs. */
export const first_setting = { path: "programs/access/strided.lane", machine: "dmm-w32", define: { n: "256", s: "2" }, layout: {}, set: {}, seed: 1 };

const options_of = (map) => Object.entries(map).filter(([, text]) => text !== null && text !== "").map(([name, text]) => `${name}=${text}`);

/** `ask`: run, launch, describe. */
export const question_of = (ask, { path, text, machine, set, define, layout, seed, launches = [] }) =>
  ({ ask, path, text, machine, set: options_of(set), define: options_of(define), layout: options_of(layout), seed, launches });
