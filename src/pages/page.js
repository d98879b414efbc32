// What pages do: show what was run at a mark of a chart, and open lessons.
// A mark shows the command that repeats it: the mark nearest to the pointer or to a finger, or the one that the arrow keys reach. Marks have both as their titles, which browsers show without a script.
(() => {
const farthest = 40; // from the pointer to the mark that it shows, in units of the picture

const element = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

/** The marks of a picture in the order of its panels and series, without their titles. A bar's marker is no mark of its own. */
const take_marks = (svg) => {
  const marks = [...svg.querySelectorAll(".panel .bar, .panel .mark")].map((shape) => {
    const title = shape.querySelector("title");
    title.remove();
    const [text, command = ""] = title.textContent.split("\n");
    return { shape, text, command };
  });
  return marks.filter(({ shape }) => !shape.matches(".bar + .mark"));
};

/** From a place to a bar, or to the middle of a marker. */
const distance_of = ({ shape }, { x, y }) => {
  const box = shape.getBBox();
  if (!shape.matches(".bar")) return Math.hypot(x - box.x - box.width / 2, y - box.y - box.height / 2);
  return Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height));
};

const nearest_of = (marks, place) => {
  let nearest, least = farthest;
  for (const mark of marks) {
    const distance = distance_of(mark, place);
    if (distance < least) [nearest, least] = [mark, distance];
  }
  return nearest;
};

const words_of = ({ text, command }) => [element("span", {}, text), ...(command ? [element("code", {}, command)] : [])];

const copy_button = (command) => {
  const button = element("button", { type: "button" }, "Copy");
  button.addEventListener("click", () =>
    navigator.clipboard?.writeText(command).then(() => (button.textContent = "Copied"), () => {}));
  return button;
};

const add_details = (figure) => {
  const picture = figure.querySelector(".picture");
  const tip = element("div", { class: "tip", "aria-hidden": "true", hidden: "" });
  const detail = element("p", { class: "detail", "aria-live": "polite" });
  picture.append(tip);
  figure.append(detail); // below the notes: its room is no gap between them and the chart
  let shown;

  const hide = () => {
    shown?.shape.classList.remove("shown");
    tip.hidden = true;
  };
  const show = (mark) => {
    if (mark && mark === shown && !tip.hidden) return;
    hide();
    if (!mark) return;
    if (mark !== shown) detail.replaceChildren(...words_of(mark), ...(mark.command ? [copy_button(mark.command)] : []));
    shown = mark;
    mark.shape.classList.add("shown");
    tip.replaceChildren(...words_of(mark));
    tip.hidden = false;
    const frame = picture.getBoundingClientRect(), at = mark.shape.getBoundingClientRect();
    const left = at.x + at.width / 2 - frame.x - tip.offsetWidth / 2;
    const is_room_above = at.y > tip.offsetHeight + 8;
    tip.style.left = `${Math.max(0, Math.min(left, frame.width - tip.offsetWidth))}px`;
    tip.style.top = `${at.y - frame.y + (is_room_above ? -tip.offsetHeight - 8 : Math.min(at.height, 8) + 8)}px`;
  };

  for (const svg of picture.querySelectorAll("svg")) {
    const marks = take_marks(svg);
    if (marks.length === 0) continue;
    const point = (event) =>
      show(nearest_of(marks, new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse())));
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
    svg.addEventListener("blur", hide);
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const at = marks.indexOf(shown);
      const next = marks[at < 0 && step < 0 ? marks.length - 1 : (at + step + marks.length) % marks.length];
      show(next);
      next.shape.scrollIntoView({ block: "nearest" });
    });
  }
};

const figures = document.querySelectorAll(".charts figure");
figures[0]?.closest(".charts").before(element("p", { class: "hint" },
  "A mark shows what was run, and the command that repeats it: point at it, touch it, or use the arrow keys in a chart."));
figures.forEach(add_details);

// Lessons: a guess opens what is behind it. Which lessons were guessed at is kept in the browser, and the index marks them.
const store_name = "memlane lessons";
const page_of = (address) => new URL(address, location).pathname.split("/").pop();
const lessons_done = () => {
  try {
    return JSON.parse(localStorage.getItem(store_name)) ?? [];
  } catch {
    return []; // no storage, or another's
  }
};
const note_done = () => {
  try {
    localStorage.setItem(store_name, JSON.stringify([...new Set([...lessons_done(), page_of(location.href)])]));
  } catch {} // without storage, nothing is marked
};
const after = document.querySelector("details.after");
for (const choice of document.querySelectorAll(".choices details"))
  choice.addEventListener("toggle", () => {
    if (!choice.open) return;
    if (after) after.open = true;
    note_done();
  });
const done = new Set(lessons_done());
for (const link of document.querySelectorAll(".cards section > p a"))
  if (done.has(page_of(link.href))) link.after(element("span", { class: "done" }, "✓ done"));
})();
