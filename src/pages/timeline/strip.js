// The time strip: warps down, time across, as in the papers' figures; and below it the whole run on one line.
import { element, fit_canvas, colours } from "./dom.js";
import { upper_bound } from "./read.js";
import { has_banks, state_words } from "./words.js";

const names = ["ground", "ink", "faint", "line", "stage", "on-stage", "extra", "on-extra", "flight", "barrier", "compute", "selected"];
const axis_height = 21, overview_height = 32, most_height = 165, most_scale = 48;

/** A distance of ticks that leaves room for texts: 1, 2, 5, 10, … */
const tick_step = (scale, room) => {
  let step = 1;
  for (let i = 0; step * scale < room; ++i) step = [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3);
  return step;
};

const font_for = (row_height) => Math.min(row_height > 20 ? 13 : 11, Math.max(8, row_height - 1));
const label_font = (row_height) => Math.max(9, font_for(row_height));
const row_height_for = (count) => (count <= 4 ? 26 : count <= 8 ? 20 : Math.min(15, Math.max(6, Math.floor(most_height / count))));

/** `on_time(t)` and `on_row(i)` are called when the reader chooses; `describe(row, time)` is a cell's text. */
export const make_strip = (model, { on_time, on_row, describe }) => {
  const canvas = element("canvas", { class: "mt-strip-canvas" });
  const now = element("div", { class: "mt-now", "aria-hidden": "true" });
  const spacer = element("div", { class: "mt-strip-spacer" }, canvas);
  const scroller = element("div", { class: "mt-strip-rows", role: "slider", tabindex: "0", "aria-label": "time, all warps",
    "aria-valuemin": model.from, "aria-valuemax": model.to }, spacer);
  const overview = element("canvas", { class: "mt-overview-canvas" });
  const view_mark = element("div", { class: "mt-view", "aria-hidden": "true" });
  const now_mark = element("div", { class: "mt-now", "aria-hidden": "true" });
  const overview_box = element("div", { class: "mt-overview", title: "the whole timeline: click or drag to a time" }, overview, view_mark, now_mark);
  const node = element("div", { class: "mt-strip" }, element("div", { class: "mt-strip-box" }, scroller, now), overview_box);

  const span = Math.max(1, model.to - model.from);
  const count = model.rows.length + model.unit_rows.length; // warps, then units
  const row_height = row_height_for(count);
  const measured = element("canvas").getContext("2d");
  measured.font = `700 ${label_font(row_height)}px system-ui, sans-serif`;
  const gutter = Math.min(120, 14 + Math.max(16, ...[...model.rows, ...model.unit_rows].map((row) => measured.measureText(row.label).width)));
  const view = { width: 0, scale: 0, from: model.from, zoom: null };
  let time = model.from, selected = -1, dirty = true;

  const shown = () => (view.width - gutter) / view.scale; // time units
  const x_of = (t) => gutter + (t - view.from) * view.scale;
  const set_scale = () => {
    const fit = (view.width - gutter - 2) / (span + 1);
    view.scale = view.zoom ?? Math.min(most_scale, Math.max(fit, 11));
  };
  const clamp_view = () => {
    const last = Math.max(model.from, model.to + 1 - shown());
    view.from = Math.min(Math.max(view.from, model.from), last);
  };

  const draw_run = (context, from, to, y, height, style) => {
    const x = x_of(from), w = Math.max(1, (to - from) * view.scale);
    const c = view.colours;
    const gap = view.scale > 6 ? 1 : 0;
    if (style === "flight") {
      context.fillStyle = c.flight;
      context.fillRect(x, y + height * 0.32, w - gap, height * 0.36);
    } else if (style === "waits") {
      context.strokeStyle = c.faint;
      context.setLineDash([2, 3]);
      context.lineWidth = height < 12 ? 1 : 1.5;
      context.globalAlpha = height < 12 ? 0.6 : 1;
      context.beginPath();
      context.moveTo(x + 1, y + height / 2), context.lineTo(x + w - 1, y + height / 2);
      context.stroke();
      context.globalAlpha = 1;
      context.setLineDash([]);
    } else if (style === "barrier") {
      context.fillStyle = c.barrier;
      context.globalAlpha = 0.25;
      context.fillRect(x, y + 1, w - gap, height - 2);
      context.globalAlpha = 1;
      if (height < 10) return void context.fillRect(x, y + 1, 1.5, height - 2); // bars would be a pattern of dots
      const bars = view.scale >= 8 ? view.scale : Math.max(4, view.scale);
      for (let at = x + bars / 2 - 1; at < x + w - 1; at += bars) context.fillRect(at, y + 2, 2, height - 4);
    } else if (style === "computes") {
      context.fillStyle = c.compute;
      for (let at = x; at < x + w - 1; at += 3) context.fillRect(at, y + height / 2 - 1, 1.5, 3);
    }
  };

  const draw_stages = (context, request, y, height) => {
    const c = view.colours, { requests } = model;
    const first = model.enters(request, 0), last = model.enters(request, requests.stages[request] - 1) + 1;
    const one_each = last - first === requests.stages[request];
    if (view.scale < 5) { // too narrow for stages: what they take together
      context.fillStyle = c.stage;
      context.fillRect(x_of(first), y + 1, Math.max(1, view.scale), height - 2);
      if (requests.stages[request] > 1) {
        context.fillStyle = c.extra;
        context.fillRect(x_of(first + 1), y, Math.max(1, (last - first - 1) * view.scale), height - 1);
      }
      return;
    }
    for (let at = first; at < last; ++at) {
      const extra = at > first;
      context.fillStyle = extra ? c.extra : c.stage;
      context.fillRect(x_of(at), y + (extra ? 0 : 1), view.scale - 1, height - (extra ? 1 : 2));
      if (extra && height < 12 || view.scale < 11) { // a notch for an extra stage where no number fits
        if (extra) context.clearRect(x_of(at) + view.scale / 2 - 1.5, y + height / 2 - 1.5, 2.5, 2.5);
        continue;
      }
      context.fillStyle = extra ? c["on-extra"] : c["on-stage"];
      if (height >= 12 && one_each)
        context.fillText(String(at - first + 1), x_of(at) + (view.scale - 1) / 2, y + height / 2 + 0.5);
    }
  };

  const draw_row = (context, row, y) => {
    const { json, requests } = model;
    const end = view.from + shown() + 1;
    const each = (list, from, to, draw) => {
      let i = upper_bound(list, view.from, (k) => from[list[k]]) - 1;
      while (i > 0 && (to[list[i - 1]] ?? Infinity) > view.from) --i;
      for (i = Math.max(0, i); i < list.length && from[list[i]] < end; ++i) draw(list[i]);
    };
    const height = row_height;
    context.save();
    context.beginPath();
    context.rect(gutter, y, view.width - gutter, height);
    context.clip();
    // What a warp does is drawn over its requests that are in pipelines.
    each(row.requests, requests.issued, requests.completed, (i) => {
      const last = model.enters(i, requests.stages[i] - 1) + 1;
      if (requests.completed[i] > last) draw_run(context, last, requests.completed[i], y, height, "flight");
    });
    each(row.barriers, json.barriers.arrived, json.barriers.released, (i) =>
      draw_run(context, json.barriers.arrived[i], json.barriers.released[i] ?? model.to, y, height, "barrier"));
    for (const i of row.waiting) draw_run(context, json.waiting.issued[i], model.to, y, height, "waits");
    each(row.computes, json.computes.issued, json.computes.to, (i) => {
      if (json.computes.from[i] > json.computes.issued[i]) draw_run(context, json.computes.issued[i], json.computes.from[i], y, height, "waits");
      draw_run(context, json.computes.from[i], json.computes.to[i] ?? model.to, y, height, "computes");
    });
    each(row.requests, requests.issued, requests.completed, (i) => {
      if (requests.dispatched[i] > requests.issued[i]) draw_run(context, requests.issued[i], requests.dispatched[i], y, height, "waits");
      draw_stages(context, i, y, height);
    });
    context.restore();
  };

  const draw_unit_row = (context, row, y) => {
    const c = view.colours, end = view.from + shown() + 1;
    context.save();
    context.beginPath();
    context.rect(gutter, y, view.width - gutter, row_height);
    context.clip();
    for (let i = Math.max(0, upper_bound(row.bars, view.from, (k) => row.bars[k][0]) - 1); i < row.bars.length && row.bars[i][0] < end; ++i) {
      const [from, to, , warp] = row.bars[i], w = Math.max(1, (to - from) * view.scale - (view.scale > 6 ? 1 : 0));
      context.fillStyle = c.compute;
      context.fillRect(x_of(from), y + 1, w, row_height - 2);
      context.fillStyle = c.ground;
      if (row_height >= 12 && w >= 8 * String(warp).length) context.fillText(String(warp), x_of(from) + w / 2, y + row_height / 2 + 0.5);
    }
    context.restore();
  };

  const draw_axis = (context, height) => {
    const c = view.colours;
    const step = tick_step(view.scale, 14 + 7 * String(model.to).length);
    context.textAlign = "center";
    context.font = "11px system-ui, sans-serif";
    for (let t = Math.ceil(view.from / step) * step; x_of(t) < view.width && t <= model.to; t += step) {
      const middle = view.scale >= 11 ? view.scale / 2 : 0;
      context.fillStyle = c.line;
      context.fillRect(Math.round(x_of(t)), axis_height - 4, 1, height);
      context.fillStyle = c.faint;
      if (x_of(t) + middle > gutter + 8) context.fillText(String(t), x_of(t) + middle, 9);
    }
    context.fillStyle = c.ink;
    for (const launch of model.json.launches) {
      const x = Math.round(x_of(launch.begin));
      if (launch.begin > model.from && x >= gutter && x < view.width) context.fillRect(x, axis_height - 5, 1.5, height);
    }
    context.fillStyle = c.faint;
    context.textAlign = "left";
    context.fillText("time", 2, 9);
  };

  const draw_rows = () => {
    const height = scroller.clientHeight;
    const context = fit_canvas(canvas, view.width, height);
    const top = scroller.scrollTop;
    context.textBaseline = "middle";
    const first = Math.floor(top / row_height);
    const last = Math.min(count, Math.ceil((top + height) / row_height));
    const c = view.colours;
    draw_axis(context, height);
    context.save();
    context.beginPath();
    context.rect(0, axis_height - 3, view.width, height - axis_height + 3);
    context.clip();
    const font = font_for(row_height);
    const each_label = Math.ceil(11 / row_height);
    for (let i = first; i < last; ++i) {
      const y = axis_height + i * row_height - top;
      if (i === selected) {
        context.fillStyle = c.selected;
        context.fillRect(0, y, view.width, row_height);
      }
      context.fillStyle = c.line;
      context.fillRect(0, y + row_height - 0.5, view.width, 0.5);
      context.textAlign = "center";
      context.font = `600 ${font}px system-ui, sans-serif`;
      const unit = model.unit_rows[i - model.rows.length];
      unit ? draw_unit_row(context, unit, y) : draw_row(context, model.rows[i], y);
      if (i !== selected && (i % each_label !== 0 || Math.abs(i - selected) < each_label)) continue;
      context.textAlign = "left";
      context.font = `${i === selected ? "700 " : ""}${label_font(row_height)}px system-ui, sans-serif`;
      context.fillStyle = i === selected ? c.ink : c.faint;
      context.fillText((unit ?? model.rows[i]).label, 2, y + row_height / 2 + 0.5);
    }
    context.restore();
  };

  /** The whole run: how full the ports are, conflicts above, barriers below. */
  const draw_overview = () => {
    const width = view.width;
    const context = fit_canvas(overview, width, overview_height);
    const c = view.colours, { requests } = model;
    const scale = width / (span + 1);
    const columns = Math.ceil(width);
    const busy = new Float64Array(columns), lost = new Float64Array(columns);
    for (let i = 0; i < model.count; ++i)
      for (let stage = 0; stage < requests.stages[i]; ++stage) {
        const x = (model.enters(i, stage) - model.from) * scale;
        for (let k = Math.floor(x); k < Math.max(Math.floor(x) + 1, Math.floor(x + scale)); ++k) {
          if (k < 0 || k >= columns) continue;
          busy[k] += Math.min(1, scale);
          if (stage > 0) lost[k] += Math.min(1, scale);
        }
      }
    const most = Math.max(1, busy.reduce((a, b) => Math.max(a, b), 0));
    const room = overview_height - 12;
    context.fillStyle = c.line;
    context.fillRect(0, 5 + room, width, 1);
    for (let k = 0; k < columns; ++k) {
      const [whole, extra] = [(busy[k] / most) * room, (lost[k] / most) * room];
      context.fillStyle = c.stage;
      context.fillRect(k, 5 + room - whole, 1, whole);
      if (extra <= 0) continue;
      context.fillStyle = c.extra;
      context.fillRect(k, 5 + room - whole, 1, extra);
      context.fillRect(k, 0, 1, 3);
    }
    context.fillStyle = c.barrier;
    for (const t of model.barriers) context.fillRect((t - model.from) * scale, 7 + room, 1.5, 5);
  };

  const place_marks = () => {
    const x = x_of(time);
    now.style.display = x >= gutter - 1 && x <= view.width ? "" : "none";
    now.style.transform = `translateX(${x}px)`;
    now.style.width = `${Math.max(2, view.scale - 1)}px`;
    const scale = view.width / (span + 1);
    now_mark.style.transform = `translateX(${(time - model.from) * scale}px)`;
    now_mark.style.width = `${Math.max(2, scale)}px`;
    const part = Math.min(1, shown() / (span + 1));
    view_mark.style.display = part < 1 ? "" : "none";
    view_mark.style.transform = `translateX(${(view.from - model.from) * scale}px)`;
    view_mark.style.width = `${part * view.width}px`;
  };

  const draw = () => {
    if (!view.width) return;
    if (dirty) {
      view.colours = colours(node, names);
      clamp_view();
      draw_rows();
      dirty = false;
    }
    place_marks();
  };

  const resize = () => {
    const width = Math.floor(node.clientWidth);
    if (!width) return;
    view.width = width;
    const height = axis_height + Math.min(count * row_height, most_height) + 1;
    scroller.style.height = `${height}px`;
    spacer.style.height = `${axis_height + count * row_height}px`;
    now.style.height = `${height}px`;
    set_scale();
    follow(true);
    view.colours = colours(node, names);
    overview_box.hidden = shown() >= span + 1;
    if (!overview_box.hidden) draw_overview();
    dirty = true;
    draw();
  };

  /** Moves the view so that the time is in it, a page at a time. */
  const follow = (centre = false) => {
    const room = shown();
    if (!centre && time >= view.from && time + 1 <= view.from + room) return;
    view.from = Math.floor(time - room * (centre ? 0.5 : time < view.from ? 0.85 : 0.15));
    clamp_view();
    dirty = true;
  };

  /** Larger or smaller by a factor; 0: the whole run. */
  const zoom = (factor) => {
    const fit = (view.width - gutter - 2) / (span + 1);
    view.zoom = factor === 0 ? Math.min(most_scale, fit) : Math.min(most_scale, Math.max(Math.min(fit, 2), view.scale * factor));
    resize();
  };

  const pointed = (event) => {
    const box = scroller.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const row = Math.floor((y - axis_height + scroller.scrollTop) / row_height);
    return { x, time: Math.floor(view.from + (x - gutter) / view.scale), row: y > axis_height ? row : -1 };
  };
  const drag = (target, move) => {
    target.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      target.setPointerCapture(event.pointerId);
      move(event, true);
    });
    target.addEventListener("pointermove", (event) => target.hasPointerCapture(event.pointerId) && move(event, false));
  };
  drag(scroller, (event, begins) => {
    const { x, time, row } = pointed(event);
    if (begins && row >= 0 && row < model.rows.length) on_row(row);
    if (x >= gutter) on_time(time);
  });
  drag(overview_box, (event) => {
    const box = overview_box.getBoundingClientRect();
    on_time(model.from + Math.floor(((event.clientX - box.left) / box.width) * (span + 1)));
  });
  scroller.addEventListener("pointermove", (event) => {
    const { x, time, row } = pointed(event);
    const there = row >= 0 && row < model.rows.length && x >= gutter && time >= model.from && time <= model.to;
    const bar = model.unit_rows[row - model.rows.length]?.bars.find(([from, to]) => from <= time && time < to);
    scroller.title = there ? describe(model.rows[row], time)
      : bar ? `block ${bar[2]}, warp ${bar[3]} enters ${model.unit_rows[row - model.rows.length].label}` : "";
  });
  scroller.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.25 : 0.8);
  }, { passive: false });
  scroller.addEventListener("scroll", () => ((dirty = true), draw()));

  const sample = (style, text) => element("span", {}, element("i", { class: `mt-sample mt-${style}`, "aria-hidden": "true" }), text);
  const legend = element("p", { class: "mt-legend" },
    sample("enters", "stage enters"), sample("extra", model.units.every(has_banks) ? "further stage: conflict" : "further stage"), sample("flight", state_words.flight),
    sample("waits", state_words.waits), sample("barrier", state_words.barrier),
    ...(model.json.computes.launch.length ? [sample("computes", "computes")] : []),
    ...(model.unit_rows.length ? [element("span", {}, "rows of units: the warp that enters")] : []));
  node.append(legend);

  return {
    node, resize,
    redraw() { dirty = true; resize(); },
    show(t, row, text) {
      time = t;
      if (row !== selected) {
        selected = row;
        dirty = true;
        const y = row * row_height;
        const room = scroller.clientHeight - axis_height;
        if (y < scroller.scrollTop || y + row_height > scroller.scrollTop + room) scroller.scrollTop = y - room / 2;
      }
      follow();
      draw();
      scroller.setAttribute("aria-valuenow", t);
      scroller.setAttribute("aria-valuetext", text);
    },
    zoom,
  };
};
