// The pipeline of a unit of memory: what waits at its port, the stages in it, one row for each time unit since they entered.
import { element, show } from "./dom.js";
import { stages_at, stages_of, waiting_at } from "./state.js";
import { action, counted, ranges, warp_name, place_of_word } from "./words.js";

const most_queued = 3, most_queued_narrow = 2, unfolded = 8, first_shown = 3, last_shown = 2;

/** The most stages that ever wait at a unit's port, one entering each time unit; as many as have room. */
const longest_queue = (model, unit) => {
  const events = [];
  for (const request of unit.requests)
    for (let stage = 0; stage < model.requests.stages[request]; ++stage)
      events.push([model.requests.issued[request], 1], [model.enters(request, stage), -1]);
  events.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let now = 0, most = 0;
  for (const [, change] of events) most = Math.max(most, (now += change));
  return Math.min(model.width > 16 ? most_queued_narrow : most_queued, most);
};

/** Row labels: the warp, whether it reads or writes, and which stage of how many. */
const stage_label = (model, { request, stage }) => {
  const count = model.requests.stages[request];
  const warp = `${model.one_block ? "" : `B${model.requests.block[request]} `}W${model.requests.warp[request]}`;
  const does = action(model, request);
  return `${warp} ${model.width > 16 ? does[0] : does}${count > 1 ? ` ${stage + 1}/${count}` : ""}`;
};

const stage_title = (model, one) => {
  const { stages, line } = model.requests;
  return `${warp_name(model, one.request)}, ${action(model, one.request)} of line ${line[one.request]}, stage ${one.stage + 1} of ${stages[one.request]}`;
};

export const make_pipeline = (model, unit, make_row) => {
  const folds = unit.latency > unfolded;
  const positions = []; // of each row; [from, to] of the folded ones
  for (let position = 1; position <= unit.latency; ++position) {
    if (!folds || position <= first_shown || position > unit.latency - last_shown) positions.push([position, position]);
    else if (position === first_shown + 1) positions.push([position, unit.latency - last_shown]);
  }
  const queued = longest_queue(model, unit);
  const queue = Array.from({ length: queued }, () => make_row("mt-queued"));
  const rows = positions.map(([from, to]) => (from === to ? make_row(from === 1 ? "mt-entering" : "mt-flying") : null));
  const fold = element("div", { class: "mt-fold" });
  const fold_text = element("span"), fold_marks = element("div", { class: "mt-fold-marks", "aria-hidden": "true" });
  fold.append(fold_text, fold_marks);
  const more = element("span");
  const body = element("div", { class: "mt-pipe" }, ...rows.map((row) => row?.node ?? fold));
  const caption = (text, detail) => element("p", { class: "mt-caption" }, element("b", {}, text), " ", detail);
  const node = element("div", { class: "mt-pipeline" },
    ...(queued ? [caption("Waiting at the port", more), element("div", { class: "mt-queue" }, ...queue.map((row) => row.node))] : []),
    caption("Pipeline", `latency ${unit.latency}: a stage enters above, falls a row each time unit, and reaches the memory below`), body);
  const dots = [];

  const room = model.width <= 8 ? 9 : model.width <= 16 ? 6 : 4;
  /** An address, or its last digits where a column has no room: its group is known by the row of its memory. */
  const address_text = (address) => {
    const text = String(address);
    return text.length <= room ? text : `·${text.slice(text.length - room + 1)}`;
  };

  /** Shows stages in a row, each word's address in the column of its bank. */
  const fill = (row, stages, style, position) => {
    const cells = row.cells.map(() => null);
    for (const one of stages)
      for (const word of stages_of(model, one.request)[one.stage] ?? []) {
        const cell = (cells[word.bank] ??= { texts: [], lanes: [], extra: false, bank: word.bank, address: word.address, one });
        cell.texts.push(word.address), cell.lanes.push(...word.lanes);
        cell.extra ||= one.stage > 0;
      }
    row.cells.forEach((node, bank) => {
      const cell = (node.holds = cells[bank]);
      if (!cell) return show(node, "", "mt-slot");
      show(node, cell.texts.length > 1 ? `×${cell.texts.length}` : address_text(cell.texts[0]), `mt-slot mt-word ${style}${cell.extra ? " mt-extra" : ""}`);
    });
    const several = stages.length > 2 ? ` +${stages.length - 1}` : "";
    show(row.label, stages.length === 0 ? "" : (several ? stages.slice(0, 1) : stages).map((one) => stage_label(model, one)).join(", ") + several,
      "mt-label", stages.map((one) => stage_title(model, one)).join("; "));
    show(row.place, position, "mt-place");
    row.node.classList.toggle("mt-none", stages.length === 0);
  };

  const show_queue = (flying, waiting) => {
    const stages = flying.filter((one) => one.position < 1);
    let total = stages.length;
    for (const request of waiting) {
      const count = model.requests.stages[request];
      total += count;
      for (let stage = 0; stage < count && stages.length < queued; ++stage) stages.push({ request, stage });
    }
    queue.forEach((row, i) => {
      const one = stages[queued - 1 - i];
      fill(row, one ? [one] : [], "mt-waiting", "");
    });
    show(more, total === 0 ? "nothing" : `${counted(total, "stage")}; the lowest is the next${total > queued ? `, ${total - queued} ${total - queued === 1 ? "is" : "are"} not shown` : ""}`, "");
  };

  const show_fold = ([from, to], stages) => {
    const warps = [...new Set(stages.map((one) => (model.one_block ? model.requests.warp[one.request] : warp_name(model, one.request))))];
    const whose = stages.length === 0 ? "no stage"
      : model.one_block ? `${counted(stages.length, "stage")} of ${warps.length === 1 ? "warp" : "warps"} ${ranges(warps, 5)}`
        : `${counted(stages.length, "stage")} of ${counted(warps.length, "warp")}`;
    show(fold_text, `${from} … ${to}: ${whose}`, "mt-fold-text");
    const shown = stages.slice(0, 200);
    while (dots.length < shown.length) fold_marks.append((dots[dots.length] = element("i")));
    dots.forEach((dot, i) => {
      const one = shown[i];
      show(dot, "", one ? (one.stage > 0 ? "mt-dot mt-extra" : "mt-dot") : "mt-away");
      if (one) dot.style.left = `${((one.position - from) / Math.max(1, to - from)) * 100}%`;
    });
  };

  node.addEventListener("pointerover", (event) => {
    const cell = event.target.holds;
    if (cell) event.target.title = `${stage_title(model, cell.one)}: ${place_of_word(model, unit, cell.address)}, word ${cell.texts.join(", ")}, lane ${ranges(cell.lanes)}`;
    else if (event.target.classList.contains("mt-slot")) event.target.title = "";
  });

  return {
    node,
    /** Shows a time unit; the stages under way, for the memory below. */
    show(time) {
      const stages = stages_at(model, unit, time);
      if (queued) show_queue(stages, waiting_at(model, unit, time));
      positions.forEach((range, i) => {
        const here = stages.filter((one) => one.position >= range[0] && one.position <= range[1]);
        if (rows[i]) fill(rows[i], here, range[0] === 1 ? "mt-enters" : "mt-flies", range[0]);
        else show_fold(range, here);
      });
      return stages;
    },
    /** Lets all rows fall by one (or rise, -1). */
    fall(direction, duration) {
      for (const row of rows)
        row?.node.animate([{ transform: `translateY(${-direction * 100}%)`, opacity: 0.5 }, { transform: "none", opacity: 1 }],
          { duration, easing: "ease-out" });
    },
  };
};
