// The picture of memory of a run: at the costliest request, at that of a line, or at the moment of the player; with buttons that
// save it.
import { element } from "../timeline/dom.js";
import { make_picture } from "../timeline/picture.js";
import { read_or_refuse } from "../timeline/read.js";
import { save_picture } from "./save_picture.js";

/**
 * `timelines`: of a run, the first with its costliest request; `line`: the costliest; `name`: of files. Null without a request,
 * else { node, show_line(line), follow(model, time, unit) }.
 */
export const make_memory_part = (timelines, line, name) => {
  const host = element("div"), picture = make_picture(host), heading = element("span");
  const models = timelines.map((timeline) => read_or_refuse(host, timeline)).filter((model) => model && model.count > 0);
  if (!models.length) return null;
  const back = element("button", { type: "button", class: "save", title: "show the costliest request again", hidden: true }, "costliest");
  const show_costliest = (text, model, of_line) => {
    heading.textContent = text;
    back.hidden = model === models[0] && of_line === line;
    host.style.minHeight = "";
    picture.show_costliest(model, of_line);
  };
  const show_all = () => show_costliest("Memory at the costliest request", models[0], line);
  back.addEventListener("click", show_all);
  const save = (ending) => {
    const button = element("button", { type: "button", class: "save", title: `save the picture as .${ending}` }, ending.toUpperCase());
    button.addEventListener("click", () => save_picture(host.querySelector("table"), host.querySelector(".mt-says").textContent, `${name}.${ending}`));
    return button;
  };
  show_all();
  const node = element("section", { class: "shown-memory" }, element("h3", {}, heading, save("svg"), save("png"), back), host);
  return {
    node,
    show_line(wanted) {
      const model = models.find(({ requests }) => requests.line.some((own, i) => own === wanted && requests.source[i] === 0));
      if (!model) return;
      show_costliest(`Memory at the costliest request of line ${wanted}`, model, wanted);
      node.scrollIntoView({ block: "nearest" });
    },
    /** What the player shows; the page below stays where it is while a reader plays. */
    follow(model, time, unit) {
      const height = host.offsetHeight;
      if (!picture.show_moment(model, time, [model.units[unit], ...model.units])) return show_all();
      heading.textContent = `Memory at time ${time}`;
      back.hidden = false;
      host.style.minHeight = `${height}px`;
    },
  };
};
