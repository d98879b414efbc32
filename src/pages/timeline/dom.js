// Elements of a page.

export const element = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  node.append(...children);
  return node;
};

const svg_space = "http://www.w3.org/2000/svg";

/** A picture of 16 x 16, which needs no font. */
export const icon = (path) => {
  const svg = document.createElementNS(svg_space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(svg_space, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
};

/** Sets text and class only where they differ: most cells stay as they are from one time unit to the next. */
export const show = (node, text, style, title = null) => {
  if (node.shown_text !== text) node.textContent = node.shown_text = text;
  if (node.shown_style !== style) node.className = node.shown_style = style;
  if (title !== null && node.shown_title !== title) node.title = node.shown_title = title;
};

/** A canvas as sharp as the screen, in CSS pixels, with its context; cleared. */
export const fit_canvas = (canvas, width, height) => {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
};

/** The colours that the style has for `names` in this moment: light, dark, or on paper. */
export const colours = (node, names) => {
  const style = getComputedStyle(node);
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--mt-${name}`).trim()]));
};
