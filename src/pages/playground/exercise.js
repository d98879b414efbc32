// An exercise: its task above the editor, its hints one after the other, and the grade of the text below it.
import { element } from "../timeline/dom.js";
import { show_errors } from "./results.js";
import { packed_text } from "./storage.js";

const at = (id) => document.getElementById(id);

/** The paragraphs of a description; its lines are not those of the page. */
const paragraphs = (text) => text.split(/\n\s*\n/).map((lines) => element("p", {}, lines.trim().replace(/\s+/g, " ")));

const points = (count, most) => `${count} of ${most} ${most === 1 ? "point" : "points"}`;

/** Why it is fulfilled or is not, with the line that costs most and a hint. */
const criterion_item = ({ name, fulfilled, points: own, most_points, says, details, worst_line, hint }) => element("li", { class: fulfilled ? "holds" : "fails" },
  element("b", { title: fulfilled ? "fulfilled" : "not fulfilled" }, fulfilled ? "✓" : "✗"), `${name}: ${points(own, most_points)}`, element("small", {}, says),
  ...(details ? [element("small", {}, details)] : []), ...(worst_line ? [element("small", { class: "code" }, worst_line)] : []), ...(hint ? [element("small", {}, `hint: ${hint}`)] : []));

/** What a CUDA exercise needs beside its task: the page has no compiler. */
const cuda_parts = (source) => [
  element("p", { id: "cuda-note" }, "This page has no CUDA compiler: it runs and grades PTX. Write the kernel in CUDA C++, compile it with ",
    element("code", {}, "nvcc -ptx -lineinfo kernel.cu"), " or let Compiler Explorer (godbolt.org, an NVCC compiler) show its PTX. Paste the PTX into the editor in place of all that is there."),
  element("details", {}, element("summary", {}, "The kernel to begin with, in CUDA C++"), element("pre", { id: "cuda-source" }, source)),
];

/** The exercise of a path, or of a file that is named like it (`01_map.lane`, `map.lane`, a copy `01_map-2.lane`) and not like a shipped program. */
const exercise_of = ({ exercises, programs }, path) => {
  const [, name, ending] = path.match(/^([^/]*?)(?:-\d+| \(\d+\))?(\.\w+)$/) ?? [];
  const is_named = (own) => own === name || (own.replace(/^\d+_/, "") === name && !programs.some((program) => program.name === name));
  return exercises.find((one) => one.path === path || (one.path.endsWith(ending) && is_named(one.name))) ?? null;
};

const verdicts = { passed: "passed", "not yet": "not yet", error: "the program cannot run", stopped: "stopped at a limit" };

/** The line for a learning platform, with a button that copies it. */
const result_part = (line) => {
  const box = element("input", { id: "result-line", readonly: true, value: line, "aria-label": "result string" });
  const copy = element("button", { type: "button", id: "copy-result" }, "Copy");
  copy.addEventListener("click", async () => {
    box.select();
    try {
      await navigator.clipboard.writeText(line);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Selected: copy it"; // a page from a disk may not write to the clipboard everywhere
    }
  });
  return element("div", {}, element("h4", {}, "To hand in"), element("p", { class: "small" }, "This line holds your program and its grade; memlane grade --verify checks it."),
    element("div", { class: "copied" }, box, copy));
};

const grade_parts = ({ grade, errors, result }, go_to) => {
  const messages = element("div", { class: "messages" });
  show_errors(messages, errors, go_to);
  const kept = grade.criteria.every(({ earned }) => earned);
  const named = new Set(); // two criteria may complain about the same line
  const criteria = grade.criteria.map((one) => criterion_item(named.has(one.worst_line) ? { ...one, worst_line: null } : (named.add(one.worst_line), one)));
  return [
    element("h3", { class: grade.status === "passed" && "passed", id: "verdict" }, `${verdicts[grade.status]}: ${points(grade.points, grade.most_points)}`),
    element("ul", { class: "claims" }, ...criteria),
    ...(kept ? [] : [element("p", { class: "small" }, "The program that the exercise begins with fulfils as much. Points begin with a criterion that it lacks, or with half of its ratio.")]),
    messages, ...(result ? [result_part(result)] : []),
  ];
};

/**
 * The exercises of the page, of its `list`. `asker`: answers the question `grade`; `busy(on)`: it works on one; `go_to(line)` of the editor.
 */
export const make_exercises = (list, asker, { busy, go_to }) => {
  let exercise = null, hints = 0, text = "";

  const show_hints = () => {
    const all = exercise.criteria.filter(({ hint }) => hint);
    at("hints").replaceChildren(...all.slice(0, hints).map(({ name, hint }) => element("li", {}, `${name}: ${hint}`)));
    at("hint").hidden = hints >= all.length;
    at("hint").textContent = hints ? "Next hint" : "Hint";
  };
  at("hint").addEventListener("click", () => {
    ++hints;
    show_hints();
  });

  const grade = async () => {
    const asked = exercise;
    busy(true);
    const answer = await asker.ask({ ask: "grade", exercise: asked.name, path: asked.path, text, seconds: asked.seconds });
    busy(false);
    if (!answer || asked !== exercise) return;
    at("grade").classList.remove("old");
    const line = answer.result && `${answer.result[0]}${await packed_text(answer.result[1])}${answer.result[2]}`;
    if (answer.grade) at("grade").replaceChildren(...grade_parts({ ...answer, result: line }, go_to));
    else show_errors(at("grade"), answer.errors, go_to);
    at("grade").hidden = false;
  };
  at("grade-it").addEventListener("click", grade);

  return {
    /** Ends a grade that is made now, and says so. */
    stop() {
      if (!asker.cancel()) return;
      at("grade").classList.remove("old");
      show_errors(at("grade"), [{ place: "", message: "the grade was stopped before its end: nothing was judged", help: ["press Grade to begin again"] }], go_to);
    },
    find: (path) => exercise_of(list, path),
    /** Another program: the exercise of this path, if there is one. */
    show(path) {
      asker.cancel();
      exercise = exercise_of(list, path);
      hints = 0;
      at("exercise").hidden = exercise === null;
      at("grade").hidden = true;
      at("grade").replaceChildren();
      if (!exercise) return;
      at("task").replaceChildren(element("h2", {}, exercise.title), ...paragraphs(exercise.task), ...(exercise.source ? cuda_parts(exercise.source) : []));
      show_hints();
    },
    /** The program's text, which the grade is not of until it is graded again. */
    take(own) {
      if (own !== text) at("grade").classList.add("old"), asker.cancel();
      text = own;
    },
  };
};
