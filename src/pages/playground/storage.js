// What the page keeps: the address's fragment has a whole setting, to be shared; the browser's storage has the setting of
// this tab, which a new tab begins with, and every program that was edited, so that choosing another one loses nothing.

const current_key = "memlane-playground", texts_key = "memlane-playground-texts";

const pipe = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();

/** A text in the letters of addresses and lines, as `packed` of the room points makes them. */
export const packed_text = async (text) => {
  const bytes = new Uint8Array(await pipe(new TextEncoder().encode(text), new CompressionStream("deflate-raw")));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/** A setting as letters that an address may have. */
export const packed = (setting) => packed_text(JSON.stringify(setting));

/** The setting of an address's fragment, whatever a sentence around it has added; null: there is none. Throws where it is damaged or of another version. */
export const unpacked = async (fragment) => {
  if (!fragment) return null;
  const [, letters] = fragment.match(/^#1\.([-\w]+)/) ?? [];
  if (!letters) throw new Error("the address has no setting of this version");
  const text = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await pipe(Uint8Array.from(text, (letter) => letter.charCodeAt(0)), new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(bytes));
};

const read = (storage, key) => {
  try {
    return JSON.parse(window[storage].getItem(key));
  } catch {
    return null; // storage is closed to this page, or its text is no longer JSON
  }
};
/** Whether the browser keeps it. */
const write = (storage, key, value) => {
  try {
    window[storage].setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
};

export const kept_setting = () => read("sessionStorage", current_key) ?? read("localStorage", current_key);
export const keep_setting = (setting) => ["sessionStorage", "localStorage"].forEach((storage) => write(storage, current_key, setting));

/** Edited programs: by path, the text. */
export const kept_texts = () => ({ __proto__: null, ...read("localStorage", texts_key) });
export const keep_text = (path, text) => write("localStorage", texts_key, { ...kept_texts(), [path]: text });
export const forget_text = (path) => {
  const { [path]: _, ...others } = kept_texts();
  return write("localStorage", texts_key, others);
};

/** The names that a text may be kept under: its path, then names of copies, such as `01_map-2.lane`. */
const name_of = (path, n) => (n === 1 ? path : path.replace(/^.*\//, "").replace(/(-\d+)?(\.\w+)?$/, (_, copy, ending = "") => `-${n}${ending}`));
/** The first of them, from number `n` on, that no other text has. */
export const free_name = (path, text, n = 1) => {
  const other = kept_texts()[name_of(path, n)];
  return other === undefined || other === text ? name_of(path, n) : free_name(path, text, n + 1);
};
