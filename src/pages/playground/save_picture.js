// A table as a picture of its own: what a person sees of it, for a slide or a paper.
import { element } from "../timeline/dom.js";

const svg_space = "http://www.w3.org/2000/svg";
const shape = (name, attributes, ...children) => {
  const node = document.createElementNS(svg_space, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

const is_drawn = (colour) => colour !== "transparent" && !/,\s*0\)$/.test(colour);

/** Marks cells of a hatched style: pictures have no CSS gradients. */
const hatch = (colour) => shape("pattern", { id: "hatch", width: 4, height: 4, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
  shape("rect", { width: 1, height: 4, fill: colour }));

/** The cells of `table` as an SVG with the colours that they have now; `title` is below it. */
const svg_of = (table, title) => {
  const frame = table.getBoundingClientRect(), page = getComputedStyle(document.body);
  const [width, height] = [Math.ceil(frame.width) + 1, Math.ceil(frame.height) + 24];
  const svg = shape("svg", { xmlns: svg_space, viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "sans-serif" },
    shape("title", {}, title), shape("defs", {}, hatch(page.color)), shape("rect", { width, height, fill: page.backgroundColor }));
  for (const cell of table.querySelectorAll("td, th")) {
    const box = cell.getBoundingClientRect(), style = getComputedStyle(cell);
    const [x, y] = [box.left - frame.left, box.top - frame.top];
    if (cell.tagName === "TD" && parseFloat(style.borderTopWidth) > 0)
      svg.append(shape("rect", { x, y, width: box.width, height: box.height, stroke: style.borderTopColor,
        fill: style.backgroundImage !== "none" ? "url(#hatch)" : is_drawn(style.backgroundColor) ? style.backgroundColor : "none" }));
    if (style.outlineStyle === "dashed")
      svg.append(shape("rect", { x: x + 3, y: y + 3, width: box.width - 6, height: box.height - 6, stroke: style.outlineColor, fill: "none", "stroke-dasharray": "3 2" }));
  }
  const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (texts.nextNode()) {
    range.selectNodeContents(texts.currentNode);
    const box = range.getBoundingClientRect(), style = getComputedStyle(texts.currentNode.parentElement);
    svg.append(shape("text", { x: box.left - frame.left + box.width / 2, y: box.top - frame.top + box.height / 2, "dominant-baseline": "central", "text-anchor": "middle",
      "font-size": style.fontSize, "font-weight": style.fontWeight, fill: style.color }, texts.currentNode.data));
  }
  svg.append(shape("text", { x: 4, y: height - 8, "font-size": 11, fill: page.color }, title));
  return svg;
};

export const save_blob = (blob, name) => {
  const link = element("a", { download: name, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

/** Saves what `table` shows as `name`, whose ending says how: .svg, or .png at twice its size. */
export const save_picture = async (table, title, name) => {
  const svg = svg_of(table, title);
  const blob = new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
  if (name.endsWith(".svg")) return save_blob(blob, name);
  const image = new Image(), scale = 2;
  image.src = `data:image/svg+xml,${encodeURIComponent(await blob.text())}`;
  await image.decode();
  const canvas = element("canvas", { width: image.width * scale, height: image.height * scale });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  save_blob(await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), name);
};
