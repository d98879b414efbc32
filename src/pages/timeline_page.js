// Mounts the timelines of a page: an element of class memlane-timeline names the script element that holds its JSON. One of
// class memlane-memory shows what a timeline's costliest request accesses, of its data-line if it has one.
import { mountTimeline } from "./timeline.js";
import { element } from "./timeline/dom.js";
import { mountMemory } from "./timeline/picture.js";

/** Large timelines are in the format of zlib, in base 64. */
const unpacked = (text) => {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const ignore = () => {}; // the reader has the same error
  writer.write(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))).catch(ignore);
  writer.close().catch(ignore);
  return new Response(stream.readable).text();
};

/** Mounts those of `root` that are not mounted yet; an element that is played has what mountTimeline returns as `memlaneTimeline`. */
export const mountTimelines = (root = document) => {
  const hosts = [...root.querySelectorAll(".memlane-timeline, .memlane-memory")].filter((host) => !host.memlaneMounted);
  const whole = hosts.length === 1 && document.body.classList.contains("mt-page");
  for (const host of hosts) {
    host.memlaneMounted = true;
    const holder = document.getElementById(host.dataset.timeline);
    const mount = host.matches(".memlane-memory") ? (text) => mountMemory(host, JSON.parse(text), host.dataset.line ? Number(host.dataset.line) : null)
      : (text) => (host.memlaneTimeline = mountTimeline(host, JSON.parse(text), whole ? { keys: document } : {}));
    if (holder.type === "application/json") mount(holder.textContent);
    else new Promise((done) => done(unpacked(holder.textContent))).then(mount).catch((error) =>
      host.prepend(element("p", { class: "mt-refused", role: "alert" }, `This browser cannot unpack the timeline: ${error.message}`)));
  }
};

export { mountMemory, mountTimeline };
if (typeof document !== "undefined") mountTimelines();
