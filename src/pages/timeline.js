// Plays a timeline: what every warp, bank, address group and pipeline stage does in each time unit of a run.
import { element, icon, show } from "./timeline/dom.js";
import { make_figure } from "./timeline/figure.js";
import { make_moment } from "./timeline/moment.js";
import { read_or_refuse, times_of_line, upper_bound } from "./timeline/read.js";
import { make_source, make_thread, states_at } from "./timeline/side.js";
import { state_at } from "./timeline/state.js";
import { make_strip } from "./timeline/strip.js";
import { make_values } from "./timeline/values.js";
import { line_words, sentence, slow_request, state_words } from "./timeline/words.js";

const speeds = [0.5, 1, 2, 4, 8, 16, 60, 250, 1000]; // time units a second
const pictures = {
  start: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", play: "M4 2l10 6-10 6z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  step: "M5 3v10l7-5z", end: "M3 3v10l7-5zM11 3h2v10h-2z",
};
const keys = [
  ["space", "play or pause"], ["→ ←", "a time unit forward or back"], ["shift → ←", "ten time units"], ["Home End", "the start, the end"],
  ["c  C", "the next or previous request of several stages"], ["b  B", "the next or previous barrier"], ["l  L", "the next or previous request of the same line"],
  ["+  −  0", "zoom the chart of the warps (or ctrl and the wheel); 0: all of it"], ["?", "this list"],
];

/**
 * Plays `timeline` (an object as the JSON Schema `timeline` describes it, wherever it comes from) in the element `host`, whose
 * content it replaces. Of another version than it reads, or of no timeline, it shows a sentence and returns null.
 *
 * options: `time`: where it begins; `keys`: the element whose key presses it follows (the host, if it is not given);
 *   `fall`: false keeps rows from moving; `picture`: false leaves out the picture of memory, where the page shows it elsewhere; `on_move(time, unit)` is called when the time unit changes, with the number of the
 *   memory unit that is shown.
 * Returns { go(time), play(), pause(), time(), value(array, word), model, destroy() }.
 */
export const mountTimeline = (host, timeline, options = {}) => {
  const model = read_or_refuse(host, timeline);
  if (!model) return null;
  const { requests, units } = model;
  const values = make_values(model);
  const state = { time: null, unit: 0, row: model.rows.length ? 0 : -1, line: null, speed: 2, playing: null, follows: units.length > 1 };
  const calm = window.matchMedia?.("(prefers-reduced-motion: reduce)");

  // The bar.
  const button = (label, title, act, picture) => {
    const node = element("button", { type: "button", title, "aria-label": label }, picture ? icon(pictures[picture]) : label);
    node.addEventListener("click", act);
    return node;
  };
  const play_button = button("play", "play or pause (space)", () => (state.playing ? pause() : play()), "play");
  const clock = element("input", { type: "number", min: model.from, max: model.to, "aria-label": "time unit", class: "mt-clock" });
  clock.addEventListener("change", () => clock.value !== "" && go(Number(clock.value)));
  const speed = element("select", { "aria-label": "speed" });
  for (const rate of speeds) speed.append(element("option", { value: rate, ...(rate === state.speed ? { selected: true } : {}) }, `${rate} a second`));
  speed.addEventListener("change", () => ((state.speed = Number(speed.value)), state.playing && (pause(), play())));
  const pair = (name, key, jump) => {
    const [back, next] = [button(`previous ${name}`, `previous ${name} (${key.toUpperCase()})`, () => jump(-1), "back"),
      button(`next ${name}`, `next ${name} (${key})`, () => jump(1), "step")];
    return element("span", { class: "mt-pair", role: "group", "aria-label": name }, back, element("span", { "aria-hidden": "true" }, name), next);
  };
  const several_stages = slow_request(model);
  const help_button = button("keys", "what the keys do (?)", () => toggle_help());
  const bar = element("div", { class: "mt-bar", role: "group", "aria-label": "time" },
    element("div", { class: "mt-main" },
      element("span", { class: "mt-pair" }, button("to the start", "to the start (Home)", () => go(model.from), "start"),
        button("a time unit back", "a time unit back (←)", () => go(state.time - 1), "back"), play_button,
        button("a time unit forward", "a time unit forward (→)", () => go(state.time + 1), "step"),
        button("to the end", "to the end (End)", () => go(model.to), "end")),
      element("label", { class: "mt-time" }, "time ", clock, ` of ${model.json.time ?? model.to}`)),
    element("div", { class: "mt-more" },
      element("label", { class: "mt-speed" }, "speed ", speed),
      element("span", { class: "mt-jumps" }, pair(several_stages, "c", (way) => jump_conflict(way)), pair("barrier", "b", (way) => jump_barrier(way)),
        pair("line", "l", (way) => jump_line(way))),
      help_button));
  const help = element("dl", { class: "mt-keys", hidden: true }, ...keys.flatMap(([key, text]) => [element("dt", {}, key), element("dd", {}, text)]));
  const toggle_help = () => {
    help.hidden = !help.hidden;
    help_button.setAttribute("aria-expanded", String(!help.hidden));
  };
  help_button.setAttribute("aria-expanded", "false");
  const say = element("p", { class: "mt-say", "aria-live": "polite", "aria-atomic": "true" });

  // The parts. A figure is made when its unit is first shown.
  const figures = new Map();
  const stage = element("div", { class: "mt-stage" });
  const tabs = element("div", { class: "mt-units", role: "group", "aria-label": "memory shown" });
  const tab_buttons = units.map((unit, i) => {
    const node = element("button", { type: "button" }, unit.short);
    node.addEventListener("click", () => (set_follow(false), choose_unit(i)));
    return node;
  });
  const follow_button = button("follow the warp", "show the memory that the chosen warp uses", () => (set_follow(!state.follows), update()));
  const many = units.length > 6;
  const unit_choice = element("select", { "aria-label": "memory shown" });
  units.forEach((unit, i) => unit_choice.append(element("option", { value: i }, unit.name)));
  unit_choice.addEventListener("change", () => (set_follow(false), choose_unit(Number(unit_choice.value))));
  if (units.length > 1) tabs.append(...(many ? [unit_choice] : tab_buttons), follow_button);
  const set_follow = (follows) => {
    state.follows = follows;
    follow_button.setAttribute("aria-pressed", String(follows));
  };
  set_follow(state.follows);
  const figure = () => {
    if (!units[state.unit]) return null;
    if (!figures.has(state.unit)) figures.set(state.unit, make_figure(model, units[state.unit], values));
    return figures.get(state.unit);
  };
  const strip = make_strip(model, {
    on_time: (time) => go(time),
    on_row: (row) => choose_row(row),
    describe: (row, time) => {
      const what = state_at(model, row, time);
      const line = what.line && ["waits", "enters", "extra", "flight"].includes(what.state) ? `, ${line_words(model, what.line, what.source)}` : "";
      return `${row.name}, time unit ${time}: ${state_words[what.state]}${line}`;
    },
  });
  const source = make_source(model, (file, line) => (choose_line(file, line), jump_line(1)));
  const thread = make_thread(model, (row) => choose_row(row));
  const zoom = element("span", { class: "mt-zoom", role: "group", "aria-label": "zoom" },
    button("−", "less of each time unit (−)", () => strip.zoom(0.5)), button("+", "more of each time unit (+)", () => strip.zoom(2)),
    button("all", "the whole timeline (0)", () => strip.zoom(0)));
  zoom.children[0].setAttribute("aria-label", "zoom out");
  zoom.children[1].setAttribute("aria-label", "zoom in");
  strip.node.append(zoom);
  const notes = model.json.notes.length
    ? element("details", { class: "mt-notes" }, element("summary", {}, "What this page leaves out"), element("ul", {}, ...model.json.notes.map((note) => element("li", {}, note)))) : "";
  const moment = options.picture !== false && model.count > 0 ? make_moment(model) : null;
  const root = element("div", { class: "mt" }, bar, help, say, strip.node,
    element("div", { class: `mt-body${model.width <= 8 ? " mt-narrow" : ""}` }, element("div", { class: "mt-machine" }, tabs, stage, moment?.node ?? ""), element("div", { class: "mt-side" }, source.node, thread.node)), notes);
  host.replaceChildren(root);

  // Time.
  const update = () => {
    const { time } = state;
    values.go(time);
    const states = states_at(model, time);
    const own = states[state.row]?.request ?? -1;
    if (state.follows && own >= 0 && requests.unit[own] !== state.unit) show_unit(requests.unit[own]);
    if (units.length > 1 && !many) show_activity(states);
    const unit = units[state.unit];
    const text = sentence(model, unit, time);
    say.textContent = `${time === model.to ? "" : `Time unit ${time}. `}${text}`;
    if (document.activeElement !== clock) clock.value = time;
    strip.show(time, state.row, text);
    figure()?.show(time);
    moment?.show(time, unit);
    source.show(time, states);
    if (state.row >= 0) thread.show(time, state.row, states);
    root.dataset.time = time;
  };
  const go = (wanted) => {
    const time = Math.min(model.to, Math.max(model.from, Math.round(Number(wanted)) || 0));
    const step = state.time === null ? 0 : time - state.time;
    if (step === 0 && state.time !== null) return;
    const first = state.time === null;
    state.time = time;
    update();
    if (!first) options.on_move?.(time, state.unit);
    const gentle = options.fall !== false && !calm?.matches && (!state.playing || state.speed <= 8);
    if (gentle && Math.abs(step) === 1) figure()?.fall(step, state.playing ? Math.min(300, 500 / state.speed) : 220);
  };
  const show_playing = () => {
    play_button.replaceChildren(icon(pictures[state.playing ? "pause" : "play"]));
    play_button.setAttribute("aria-label", state.playing ? "pause" : "play");
    say.setAttribute("aria-live", state.playing ? "off" : "polite"); // a reader could not follow
  };
  const play = () => {
    if (state.time >= model.to) go(model.from);
    let last = performance.now(), due = 0;
    const tick = () => {
      const now = performance.now();
      due += ((now - last) * state.speed) / 1000;
      last = now;
      if (due >= 1) {
        go(state.time + Math.floor(due));
        due %= 1;
      }
      if (state.time >= model.to) return pause();
      state.playing = setTimeout(tick, Math.max(16, ((1 - due) * 1000) / state.speed));
    };
    state.playing = setTimeout(tick, Math.max(16, 1000 / state.speed));
    show_playing();
  };
  const pause = () => {
    if (state.playing) clearTimeout(state.playing);
    state.playing = null;
    show_playing();
  };

  // Choices and jumps.
  const choose_row = (row) => {
    state.row = row;
    if (state.time !== null) update();
  };
  /** Which memories have a stage that enters, or stages in their pipelines. */
  const show_activity = (states) => {
    const marks = units.map(() => "");
    for (const one of states) {
      if (one.state === "enters" || one.state === "extra") marks[requests.unit[one.request]] = " ▸";
      else if (one.state === "flight") marks[requests.unit[one.request]] ||= " ↓";
    }
    tab_buttons.forEach((node, i) => show(node, units[i].short + marks[i], node.className,
      { " ▸": "a stage enters now", " ↓": "stages are in its pipeline" }[marks[i]] ?? "no stage is in its pipeline"));
  };
  const show_unit = (unit) => {
    state.unit = unit;
    unit_choice.value = unit;
    tab_buttons.forEach((node, i) => node.setAttribute("aria-pressed", String(i === unit)));
    const shown = figure();
    stage.replaceChildren(...(shown ? [shown.node] : []));
  };
  const choose_unit = (unit) => {
    show_unit(unit);
    if (state.time !== null) update();
  };
  const choose_line = (file, line) => {
    state.line = [file, line];
    source.choose(state.line);
    state.times = times_of_line(model, file, line);
  };
  /** The next time of an ascending list, behind or before the present one; says so if there is none. */
  const jump = (times, way, what, arrive = () => {}) => {
    pause();
    const at = way > 0 ? upper_bound(times, state.time) : upper_bound(times, state.time - 1) - 1;
    if (at < 0 || at >= times.length) return void (say.textContent = `There is no ${way > 0 ? "later" : "earlier"} ${what} in this timeline.`);
    arrive(times[at]);
    go(times[at]);
  };
  const jump_conflict = (way) => jump(model.conflicts, way, several_stages, (time) => show_request(model.conflict_requests.get(time)));
  const jump_barrier = (way) => jump(model.barriers, way, "barrier");
  /** The warp of a request is the chosen one, and its memory is shown. */
  const show_request = (request) => {
    state.row = model.row_of[request];
    if (requests.unit[request] !== state.unit) show_unit(requests.unit[request]);
  };
  const jump_line = (way) => {
    if (!state.line) {
      const request = latest_dispatch();
      if (request < 0) return void (say.textContent = "No request is in this timeline.");
      choose_line(requests.source[request], requests.line[request]);
    }
    jump(state.times, way, `request of line ${state.line[1]}`, (time) => {
      const at = model.requests.dispatched.findIndex((when, i) => when === time && requests.line[i] === state.line[1] && requests.source[i] === state.line[0]);
      source.open(at);
      show_request(at);
    });
  };
  const latest_dispatch = () => {
    let found = model.count > 0 ? 0 : -1;
    for (let i = 0; i < model.count && requests.dispatched[i] <= state.time; ++i) if (requests.unit[i] === state.unit) found = i;
    return found;
  };

  const on_key = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const tag = event.target.tagName;
    if (tag === "SELECT" || tag === "INPUT" || tag === "TEXTAREA") return;
    if (event.key === " " && (tag === "BUTTON" || tag === "SUMMARY")) return; // it presses the button
    const far = event.shiftKey ? 10 : 1;
    const act = {
      " ": () => (state.playing ? pause() : play()), ArrowRight: () => (pause(), go(state.time + far)), ArrowLeft: () => (pause(), go(state.time - far)),
      Home: () => (pause(), go(model.from)), End: () => (pause(), go(model.to)), c: () => jump_conflict(1), C: () => jump_conflict(-1),
      b: () => jump_barrier(1), B: () => jump_barrier(-1), l: () => jump_line(1), L: () => jump_line(-1), "?": toggle_help,
      "+": () => strip.zoom(2), "-": () => strip.zoom(0.5), 0: () => strip.zoom(0),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const listener = options.keys ?? host;
  listener.addEventListener("keydown", on_key);
  const resized = new ResizeObserver(() => strip.resize());
  resized.observe(strip.node);
  const repaint = () => strip.redraw();
  const schemes = ["(prefers-color-scheme: dark)", "print"].map((query) => window.matchMedia(query));
  for (const scheme of schemes) scheme.addEventListener("change", repaint);

  choose_unit(requests.unit[0] ?? 0);
  strip.resize();
  go(options.time ?? model.from);
  return {
    go, play, pause, model,
    time: () => state.time,
    value: (array, word) => values.at(array, word),
    destroy() {
      pause();
      listener.removeEventListener("keydown", on_key);
      resized.disconnect();
      for (const scheme of schemes) scheme.removeEventListener("change", repaint);
      host.replaceChildren();
    },
  };
};
