// The picture of memory in the player: of the request whose stage enters the shown unit now, or is on its way there.
import { element } from "./dom.js";
import { make_picture, request_sentence } from "./picture.js";

export const make_moment = (model) => {
  const host = element("div"), nothing = element("p", { class: "mt-faint", hidden: true });
  const picture = make_picture(host, request_sentence);
  const node = element("section", { class: "mt-moment" }, element("h3", {}, "Memory of the request that enters, or is on its way"), nothing, host);
  let most_rows_shown = 0;
  return {
    node,
    show(time, unit) {
      const is_shown = picture.show_moment(model, time, [unit]);
      host.hidden = !is_shown;
      nothing.hidden = is_shown;
      nothing.textContent = `No request is in the pipeline of the ${unit.name} now.`;
      // What is below stays where it is while a reader plays.
      const rows = host.querySelectorAll("tr").length;
      if (rows > most_rows_shown) most_rows_shown = rows, (node.style.minHeight = `${node.offsetHeight}px`);
    },
  };
};
