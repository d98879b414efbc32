// Draws the charts of a page with Observable Plot, from the JSON that the page holds. Scales, ticks,
// texts, markers and the extents of bars are computed by memlane, as for its SVG.
import * as Plot from "@observablehq/plot";

const { charts, markers, dashes } = JSON.parse(document.getElementById("memlane-charts").textContent);
const smallest_panel = 270;

/** Draws memlane's marker number `n`; a symbol of Plot, whose size is an area. */
const symbol_of = (n) => {
  const corners = markers[n];
  if (corners.length === 0) return "circle";
  return {
    draw(context, size) {
      const radius = Math.sqrt(size / Math.PI);
      corners.forEach(([x, y], i) => (i ? context.lineTo(x * radius, y * radius) : context.moveTo(x * radius, y * radius)));
      context.closePath();
    },
  };
};

const element = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

const placed = (axis, value) => value !== null && (!axis.scale.startsWith("log") || value > 0);
for (const chart of charts)
  for (const panel of chart.panels)
    for (const series of panel.series)
      for (const point of series.points) {
        point.drawn = placed(chart.x, point.x) && placed(chart.y, point.y);
        point.middle = point.x;
        if (point.from !== undefined) // in the middle of its bar, as the axis counts
          point.middle = chart.x.scale.startsWith("log") ? Math.sqrt(point.from * point.to) : (point.from + point.to) / 2;
      }

const colour_of = (series) => `var(--s${series.colour})`;
const is_hollow = (series) => series.basis === "measured" || series.basis === "printed";

/** Scale, domain and ticks of an axis, for Plot. Places of categories are numbers, as in the SVG. */
const scale_of = (axis) => ({
  type: axis.scale.startsWith("log") ? "log" : "linear",
  base: axis.scale === "log2" ? 2 : 10,
  domain: axis.domain,
  axis: null,
  label: axis.name,
});

/** The ticks whose texts fit side by side. */
const fitting_ticks = (axis, width) => {
  const longest = Math.max(1, ...axis.ticks.map((tick) => tick.text.length));
  const room = axis.slanted ? 16 : 7 * longest + 10;
  const step = Math.max(1, Math.ceil((axis.ticks.length * room) / width));
  return axis.ticks.filter((_, i) => i % step === 0);
};

const point_marks = (chart, series, small) => {
  const colour = colour_of(series);
  const points = series.points.filter((point) => point.drawn);
  const dot = (r) =>
    Plot.dot(points, {
      x: "x", y: "y", r, symbol: symbol_of(series.marker),
      fill: is_hollow(series) ? "var(--ground)" : colour,
      stroke: is_hollow(series) ? colour : "none", strokeWidth: 1.5,
    });
  if (series.mark === "bars")
    return [
      Plot.rect(points, {
        x1: "from", x2: "to", y1: "base", y2: "y", stroke: colour,
        fill: series.basis === "model" || series.basis === "measured" ? colour : "none",
        fillOpacity: series.basis === "measured" ? 0.3 : 1,
        strokeDasharray: series.basis === "formula" ? "4 3" : undefined,
      }),
      ...(series.marked ? [Plot.dot(points, { x: "middle", y: "y", r: 3, symbol: symbol_of(series.marker),
        fill: is_hollow(series) ? "var(--ground)" : colour, stroke: colour })] : []),
    ];
  const marks = [];
  if (series.mark === "line") {
    const line = series.points
      .filter((point) => placed(chart.x, point.x))
      .map((point) => ({ x: point.x, y: point.drawn ? point.y : NaN }));
    line.sort((a, b) => a.x - b.x);
    marks.push(Plot.line(line, { x: "x", y: "y", stroke: colour, strokeWidth: 1.8,
      strokeDasharray: dashes[series.basis] || undefined }));
  }
  const count = series.points.length;
  if (series.mark === "points" || count <= 150) marks.push(dot(small ? 2 : count > 60 ? 2.4 : 3.4));
  return marks;
};

/** One panel as an SVG element of Plot. */
const draw_panel = (chart, panel, width, alone) => {
  const longest = Math.max(1, ...chart.y.ticks.map((tick) => tick.text.length));
  const slanted = chart.x.slanted ? 7 * Math.max(...chart.x.ticks.map((tick) => tick.text.length)) : 0;
  const left = Math.max(14 + 7 * longest, 0.77 * slanted);
  const slant = 0.64 * slanted;
  const points = panel.series.flatMap((series) => series.points.filter((point) => point.drawn));
  const x_ticks = fitting_ticks(chart.x, width - left - 16);
  const text_of = (ticks) => (value) => ticks.find((tick) => tick.at === value)?.text ?? "";
  const at = (tick) => tick.at;
  return Plot.plot({
    width,
    height: Math.round(Math.min(alone ? 360 : 300, Math.max(220, 0.62 * width)) + slant),
    marginLeft: left, marginRight: 16, marginTop: 22, marginBottom: 42 + slant,
    style: { background: "none", fontSize: "12px", overflow: "visible" },
    x: scale_of(chart.x),
    y: scale_of(chart.y),
    ariaLabel: `${chart.title}${panel.title ? ", " + panel.title : ""}`,
    ariaDescription: chart.summary,
    marks: [
      Plot.gridX(x_ticks.map(at), { stroke: "var(--line)", strokeOpacity: 1 }),
      Plot.gridY(chart.y.ticks.map(at), { stroke: "var(--line)", strokeOpacity: 1 }),
      Plot.frame({ stroke: "var(--edge)" }),
      Plot.axisX(x_ticks.map(at), { tickFormat: text_of(x_ticks), tickSize: 0, color: "var(--faint)", label: null,
        tickRotate: chart.x.slanted ? -40 : 0 }),
      Plot.axisY(chart.y.ticks.map(at), { tickFormat: text_of(chart.y.ticks), tickSize: 0, color: "var(--faint)", label: null }),
      Plot.text([chart.y.name], { frameAnchor: "top-left", dx: -left + 4, dy: -18, textAnchor: "start", fill: "var(--ink)" }),
      Plot.text([chart.x.name], { frameAnchor: "bottom", dy: 32 + slant, fill: "var(--ink)" }),
      ...chart.guides.flatMap((guide) => guide.lines.map((line) =>
        Plot.line(line, { stroke: guide.strong ? "var(--ink)" : "var(--faint)", strokeWidth: guide.strong ? 1.3 : 1,
          strokeDasharray: guide.strong ? undefined : "5 4" }))),
      ...panel.series.flatMap((series) => point_marks(chart, series, points.length > 400)),
      Plot.tip(points, Plot.pointer({
        x: "middle", y: "y", fill: "var(--ground)", stroke: "var(--edge)",
        lineWidth: width < 420 ? 18 : 30, maxRadius: 40, fontSize: 12,
        title: (point) => (point.command ? `${point.text}\n${point.command}` : point.text),
      })),
    ],
  });
};

const legend_of = (chart) => {
  const legend = element("div", { class: "legend" });
  const svg = "http://www.w3.org/2000/svg";
  const shape = (name, attributes) => {
    const node = document.createElementNS(svg, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const line = (colour, dash, width) =>
    shape("path", { d: "M0,7h30", stroke: colour, "stroke-width": width, "stroke-dasharray": dash, fill: "none" });
  const add = (text, ...shapes) => {
    const sample = shape("svg", { viewBox: "0 0 30 14", "aria-hidden": "true" });
    sample.append(...shapes);
    legend.append(element("span", {}, sample, text));
  };
  for (const entry of chart.legend) {
    const colour = colour_of(entry);
    const style = is_hollow(entry) ? { fill: "var(--ground)", stroke: colour, "stroke-width": 1.5 } : { fill: colour };
    const corners = markers[entry.marker];
    const marker = corners.length === 0
      ? shape("circle", { cx: 15, cy: 7, r: 3.8, ...style })
      : shape("polygon", { points: corners.map(([x, y]) => `${15 + 3.8 * x},${7 + 3.8 * y}`).join(" "), ...style });
    add(entry.text, ...(entry.mark === "line" ? [line(colour, dashes[entry.basis] || "none", 1.8)] : []), marker);
  }
  for (const guide of chart.guides)
    if (guide.label) add(guide.label, line(guide.strong ? "var(--ink)" : "var(--faint)", guide.strong ? "none" : "5 4", 1.2));
  return legend;
};

/** Shows a point below its chart: what it is, and the command that repeats it, to copy. */
const show_detail = (detail, point) => {
  if (!point) return;
  detail.replaceChildren(element("span", {}, point.text));
  if (!point.command) return;
  const copy = element("button", { type: "button" }, "Copy");
  copy.addEventListener("click", () =>
    navigator.clipboard?.writeText(point.command).then(() => (copy.textContent = "Copied"), () => {}));
  detail.append(element("code", {}, point.command), copy);
};

/** Arrow keys move from point to point as the pointer would. */
const add_keys = (svg, chart, panel) => {
  const points = panel.series.flatMap((series) =>
    series.points.filter((point) => point.drawn).sort((a, b) => a.x - b.x));
  if (points.length === 0) return;
  let at = -1;
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    at = (at + step + points.length) % points.length;
    const place = svg.createSVGPoint();
    place.x = svg.scale("x").apply(points[at].middle);
    place.y = svg.scale("y").apply(points[at].y);
    const { x, y } = place.matrixTransform(svg.getScreenCTM());
    svg.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, pointerType: "mouse", bubbles: true }));
  });
};

const draw = (chart) => {
  const figure = document.getElementById(chart.id);
  const place = figure.querySelector(".drawn");
  const width = Math.floor(place.clientWidth || 640);
  const columns = Math.max(1, Math.min(chart.columns, Math.floor(width / smallest_panel)));
  const panels = element("div", { class: "panels" });
  panels.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  const detail = element("p", { class: "detail", "aria-live": "polite" });
  for (const panel of chart.panels) {
    const svg = draw_panel(chart, panel, Math.floor((width - 8 * (columns - 1)) / columns), chart.panels.length === 1);
    svg.addEventListener("input", () => show_detail(detail, svg.value));
    add_keys(svg, chart, panel);
    panels.append(element("div", {}, ...(panel.title ? [element("h4", {}, panel.title)] : []), svg));
  }
  place.replaceChildren(legend_of(chart), panels);
  figure.querySelector(".detail")?.remove();
  figure.append(detail); // below the notes: its room is no gap between them and the chart
  figure.classList.add("plotted");
  return width;
};

if (charts.length > 0)
  document.querySelector(".charts").before(element("p", { class: "hint" },
    "Point at a mark, or move with the arrow keys in a chart, to see what was run and the command that repeats it."));
for (const chart of charts) {
  let width = draw(chart);
  const place = document.getElementById(chart.id).querySelector(".drawn");
  new ResizeObserver(() => {
    if (Math.abs(place.clientWidth - width) > 1 && place.clientWidth > 0) width = draw(chart);
  }).observe(place);
}

const text = document.getElementById("memlane-charts").textContent;
const link = element("a", { download: "charts.json", href: URL.createObjectURL(new Blob([text], { type: "application/json" })) },
  "The data of the charts (JSON)");
if (charts.length > 0) document.querySelector("main").append(element("p", { class: "data" }, link));
