// The playground: a program and a machine, and what they give, at once.
import { mountTimeline } from "../timeline.js";
import { element } from "../timeline/dom.js";
import { show_controls } from "./controls.js";
import { make_editor } from "./editor.js";
import { begin_engine } from "./engine.js";
import { make_exercises } from "./exercise.js";
import { first_setting, question_of, setting_of } from "./question.js";
import { pinnable, printed_part, show_errors, show_result } from "./results.js";
import { save_blob } from "./save_picture.js";
import { forget_text, free_name, keep_setting, keep_text, kept_setting, kept_texts, packed, unpacked } from "./storage.js";

const pause_of_typing = 250; // ms from the last key to the run
const late = 600; // ms of a run until the errors before it are gone, as late as playground.css shows that it runs

const at = (id) => document.getElementById(id);
/** When the page has been painted as it is now. A hidden page is not painted. */
const painted = () => document.hidden ? null : new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
const say = (text) => (at("said").textContent = text);

/** Values of parameters and layouts of arrays that the text no longer declares would be errors without a control. */
const forget_removed = (setting, text) => {
  const without = (values, declaration) => Object.fromEntries(Object.entries(values).filter(([name]) => {
    const declares = new RegExp(declaration.replace("NAME", name));
    return declares.test(text) || !declares.test(setting.text);
  }));
  setting.define = without(setting.define, "\\bparam\\s+NAME\\b");
  setting.layout = without(setting.layout, "\\bNAME\\s*\\[");
};

const keeps_nothing = "This browser keeps nothing: download the program before you leave.";
const usual_names = { ptx: "kernels.ptx", lane: "program.lane" };

const start = async () => {
  // What this browser shows first has its answers in the page; anything else needs the module.
  const chosen_before = kept_setting();
  const engine = await begin_engine(Boolean(location.hash || chosen_before));
  const describer = engine.make_asker(), runner = engine.make_asker(), grader = engine.make_asker();
  const { list } = engine;
  // `kept`: what the browser's storage has under the setting's path, as far as this tab knows; `note`: about that name.
  let setting = setting_of(null), kept, note = "", before = null, shown_time = null, player = null, timer = 0, round = 0, offered = {}, pinned = null, shown = null, memory = null;

  const shipped_text = (path) => (Object.hasOwn(engine.files, path) ? engine.files[path] : "");
  /** Of an exercise for CUDA, whatever is pasted is meant as PTX. */
  const is_ptx = ({ path, text }) => /^\s*\.version\s/m.test(text) || exercises.find(path)?.path.endsWith(".ptx");
  const file_name = (path = setting.path) => path.replace(/^.*\//, "");
  const take_name = (path) => {
    note = path === setting.path ? "" : `Another text of ${file_name()} is kept; this one is ${file_name(path)}.`;
    setting.path = path;
  };
  /** Keeps the edited text, under another name where a different text has its own. Returns whether the browser keeps it. */
  const keep = () => {
    const { path, text } = setting, stored = kept_texts()[path], taken = ![undefined, kept, text].includes(stored);
    if (taken) take_name(free_name(path, text, 2));
    const wanted = text.trim() && text !== shipped_text(setting.path) ? text : undefined;
    const done = wanted === undefined ? forget_text(setting.path) : keep_text(setting.path, text);
    if (done) kept = wanted;
    if (taken || !stored !== !wanted) show_name();
    return done;
  };
  const editor = make_editor(at("editor"), list.words, (text) => {
    forget_removed(setting, text);
    setting.text = text;
    exercises.take(text);
    const kind = is_ptx(setting) ? "ptx" : "lane";
    if (text.trim() && !setting.path.endsWith(`.${kind}`)) rename(usual_names[kind]);
    changed(pause_of_typing, keep() ? note : keeps_nothing);
  }, (word) => explain(word));

  /** What a word of the program is. */
  const explain = (word) => {
    const parameter = offered.parameters?.find(({ name }) => name === word);
    if (parameter) return [`${word} = ${parameter.value}: ${parameter.type}`, parameter.meaning, parameter.where && `where ${parameter.where}`];
    const array = offered.arrays?.find(({ name }) => name === word);
    if (array) return [`${word}[${array.extents.join(", ")}] in ${array.shared ? "shared" : "global"} memory`, `layout ${array.layout}`];
    const key = offered.keys?.find(({ letter }) => letter === word);
    if (key) return [`${word} = ${key.value ?? "none"}: ${key.path} of ${setting.machine || "the machine"}`, key.meaning];
    const known = list.words.find(({ name }) => name === word);
    return known ? [known.usage, known.meaning] : null;
  };

  const go_to = (line) => editor.go_to(line);
  const exercises = make_exercises(list, grader, { go_to, busy: (on) => document.body.classList.toggle("grading", on) });
  const question = (ask) => question_of(ask, setting);

  const show_mistakes = (errors) => {
    editor.show_errors(errors);
    show_errors(at("errors"), errors, go_to);
  };
  /** `run`: what there is of the run in spite of its errors. */
  const refuse = (errors, run = null) => {
    show_mistakes(errors);
    document.body.classList.toggle("stale", errors.length > 0);
    at("earlier")?.remove();
    if (shown && errors.length && !run)
      at("headline").prepend(element("p", { id: "earlier" }, shown.answer.errors.length ? "Results of an earlier run, which had an error:" : "Results of the latest run without an error:"));
  };

  const show_timeline = (timeline) => {
    player?.destroy();
    player = null;
    at("timeline").hidden = !timeline;
    if (timeline) player = mountTimeline(at("player"), timeline, { picture: false, on_move: (time, unit) => memory?.follow(player.model, time, unit) });
  };

  /** A run that was stopped has numbers of a part: it is held against no other run, and no other run against it. */
  const has_ended = ({ run }) => run.stop === "none";
  const show_run = () => {
    const others = has_ended(shown.answer) ? { before, pinned } : { before: null, pinned: null };
    memory = show_result(at("result"), at("headline"), shown.answer, { text: shown.text, name: file_name().replace(/\.lane$/, ""), ...others, go_to });
  };

  /** As the latest run had it. */
  const save_machine = () => {
    if (!shown?.answer.run.machine) return say("There is no run yet whose machine could be saved.");
    save_blob(new Blob([JSON.stringify(shown.answer.run.machine, null, 2), "\n"], { type: "application/json" }), `${at("machine").value || "machine"}.json`);
  };

  const show_found = (found) => {
    at("machine").value = found.machine;
    // A value that no run accepts leaves no parameters to describe: those before it are still there to be changed.
    if (found.parameters) Object.assign(offered, { parameters: found.parameters, arrays: found.arrays });
    Object.assign(offered, { keys: found.keys, kernels: found.kernels });
    show_controls(at("controls"), { ...offered, ...found }, setting, set, save_machine);
  };

  const show_answer = (answer) => {
    document.body.classList.remove("running");
    refuse(answer.errors, answer.run);
    if (!answer.run) return at("errors").append(...printed_part(answer));
    if (has_ended(answer)) {
      if (shown_time !== null) before = shown_time;
      shown_time = answer.run.counts.time ?? null;
    }
    shown = { answer, text: setting.text };
    show_run();
    editor.show_costs(answer.costs);
    document.body.dataset.time = shown_time ?? "";
  };

  const update = async () => {
    const own = ++round;
    document.body.classList.add("running");
    const kernels = is_ptx(setting);
    const describe = () => kernels ? null : describer.ask(question("describe")).then((found) => {
      if (found && own === round && found.keys) show_found(found);
    });
    // At first the answers need no worker. The module, and the player, which is further down the page, wait until the rest
    // has been painted.
    const first = !document.body.dataset.round, described = first ? null : describe();
    const of_before = setTimeout(() => show_mistakes([]), late);
    const answer = await runner.ask(question(kernels ? "launch" : "run"));
    clearTimeout(of_before);
    if (!answer || own !== round) return;
    if (kernels && answer.keys) show_found(answer);
    if (kernels && answer.kernels?.length && !setting.launches.length) return set_launches([answer.kernels[0].launch]);
    show_answer(answer);
    if (first) {
      await describe();
      await painted();
      runner.warm_up();
      if (own !== round) return;
    }
    if (answer.run) show_timeline(answer.timeline);
    await described;
    document.body.dataset.round = own;
    if (first) describer.warm_up();
  };

  /** `message`: in place of what was said of the change before. */
  const changed = (pause = 0, message = note) => {
    say(message);
    keep_setting(setting);
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    clearTimeout(timer);
    timer = setTimeout(update, pause);
  };

  const set_launches = (launches) => {
    setting.launches = launches;
    changed();
  };
  const rename = (path) => {
    Object.assign(setting, { path, launches: [], define: {}, layout: {} });
    offered = {};
    kept = undefined;
    note = "";
    if (is_ptx(setting)) setting.machine = "";
    show_name();
    exercises.show(path);
  };

  /** A control changed: an empty text or null is the program's or the machine's own value. */
  const set = (kind, name, text) => {
    if (kind === "launches") return set_launches(text);
    setting[kind] = { ...setting[kind], [name]: text };
    if (kind === "set" && name === "width") {
      const width = Number(text), box = at("control-threads");
      const threads = Number(setting.set.threads ?? box?.value);
      if (width > 0 && threads > 0 && threads % width !== 0) setting.set.threads = String(Math.ceil(threads / width) * width);
    }
    changed(60);
  };

  /** The chosen program in the menu, whose first group has the texts that the browser keeps beside those of the page. */
  const listed = new Set([...list.programs, ...list.exercises].map(({ path }) => path));
  const own_programs = element("optgroup", { label: "yours" });
  const show_name = () => {
    const own = [...new Set([setting.path, ...Object.keys(kept_texts())])].filter((path) => !listed.has(path));
    own_programs.replaceChildren(...own.sort().map((path) => element("option", { value: path }, file_name(path))));
    own_programs.hidden = own.length === 0;
    at("program").value = setting.path;
  };
  window.addEventListener("storage", show_name); // another tab keeps its texts, too

  /** The results of another program. */
  const forget_run = () => {
    before = shown_time = shown = memory = null;
    refuse([]);
    show_timeline(null);
    for (const id of ["headline", "result"]) at(id).replaceChildren();
  };

  const show_setting = (wanted) => {
    setting = setting_of(wanted);
    setting.text ??= kept_texts()[setting.path] ?? shipped_text(setting.path);
    take_name(free_name(setting.path, setting.text));
    say(note);
    kept = kept_texts()[setting.path];
    offered = {};
    forget_run();
    show_name();
    exercises.show(setting.path);
    exercises.take(setting.text);
    at("machine").value = setting.machine;
    editor.load(setting.text);
    update();
  };

  // The programs by their folders, the machines by their models.
  const fill = (select, groups) => {
    for (const [label, options] of groups)
      select.append(element("optgroup", { label }, ...options.map(([value, text, title]) => element("option", { value, title }, text))));
  };
  at("program").append(own_programs);
  fill(at("program"), Map.groupBy ? [...Map.groupBy(list.programs, ({ path }) => path.split("/")[1])].map(([folder, all]) => [folder, all.map(({ name, path }) => [path, name])]) : [["programs", list.programs.map(({ name, path }) => [path, name])]]);
  fill(at("program"), [["exercises", list.exercises.map(({ name, path, title }) => [path, name, title])]]);
  const models = [...new Set(list.machines.map(({ model }) => model))];
  fill(at("machine"), models.map((model) => [model.toUpperCase(), list.machines.filter((machine) => machine.model === model).map(({ name, title }) => [name, name, title])]));
  /** Another program, with the machine that it is for. */
  const choose = (path, text) => {
    const exercise = exercises.find(path);
    show_setting({ path, text, machine: exercise?.machine ?? "", launches: exercise?.launches ?? [] });
    keep_setting(setting);
  };
  at("program").addEventListener("change", () => choose(at("program").value));
  at("machine").addEventListener("change", () => {
    Object.assign(setting, { machine: at("machine").value, set: {} });
    changed();
  });

  at("reset").addEventListener("click", () => {
    const original = shipped_text(setting.path);
    if (!original) return say("This program is your own: there is no other text of it.");
    const copy = setting.text !== original && free_name(setting.path, setting.text, 2);
    if (copy && !keep_text(copy, setting.text)) return say(keeps_nothing);
    if (kept_texts()[setting.path] === setting.text) forget_text(setting.path);
    show_setting({ ...setting, text: original, define: {}, layout: {}, set: {} });
    keep_setting(setting);
    say(`The program and the machine are as they were${copy ? `; your text is kept as ${copy}` : ""}.`);
  });
  at("open").addEventListener("click", () => at("file").click());
  at("file").addEventListener("change", async () => {
    const [file] = at("file").files;
    if (!file) return;
    choose(file.name, await file.text());
    at("file").value = "";
    if (keep_text(setting.path, setting.text)) kept = setting.text;
    else say(keeps_nothing);
  });
  at("download").addEventListener("click", () => {
    save_blob(new Blob([setting.text], { type: "text/plain" }), file_name());
  });
  at("pin").addEventListener("click", () => {
    if (!shown) return;
    if (!pinned && !has_ended(shown.answer)) return say("This run was stopped before its end: no other run can be held against it.");
    pinned = pinned ? null : pinnable(shown.answer, shown.text);
    at("pin").textContent = pinned ? "Unpin" : "Pin";
    at("pin").setAttribute("aria-pressed", String(pinned !== null));
    show_run();
  });
  at("projector").addEventListener("click", () => {
    const on = document.body.classList.toggle("projector");
    at("projector").setAttribute("aria-pressed", String(on));
  });
  at("share").addEventListener("click", async () => {
    history.replaceState(null, "", `#1.${await packed(setting)}`);
    try {
      await navigator.clipboard.writeText(location.href);
      say("The address of this program and these numbers is copied.");
    } catch {
      say("The address of this page now has this program and these numbers: copy it from the address bar.");
    }
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      event.preventDefault();
      changed();
    }
  });
  at("stop").addEventListener("click", () => {
    exercises.stop();
    if (!document.body.classList.contains("running")) return;
    ++round;
    runner.cancel();
    document.body.classList.remove("running");
    refuse([{ place: "", message: "the run was stopped", help: ["change a number to run it again"] }]);
  });

  /** What the address says, or this copy of the page (memlane bank --html); `otherwise`: the setting if both say nothing. */
  const show_address = async (otherwise) => {
    let shared = null, damaged = false;
    try {
      shared = (await unpacked(location.hash)) ?? (await unpacked(at("memlane-setting").textContent));
    } catch {
      damaged = true;
    }
    if (shared ?? otherwise) show_setting(shared ?? otherwise);
    if (damaged) say("The address of this page is damaged, or of another version of memlane. This is the program that you had.");
  };
  window.addEventListener("hashchange", () => location.hash && show_address());
  await show_address(chosen_before ?? first_setting);
  if (chosen_before && !location.hash) keep_setting(setting); // what other tabs choose from now on is theirs
  document.body.classList.add("ready");
};

start().catch((error) => {
  document.body.classList.add("ready");
  show_errors(at("errors"), [{ place: "", message: `the playground cannot start: ${error.message}`, help: ["open it in a current Firefox, Chrome, Edge or Safari"] }], () => {});
});
