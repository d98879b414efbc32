// What the page keeps: the address's fragment has a whole setting, to be shared; the browser's storage has the setting of
// this page, and every program that was edited, so that choosing another one loses nothing.

const current_key = "memlane-playground", texts_key = "memlane-playground-texts";

const pipe = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();

/** A text in the letters of addresses and lines, as `packed` of the room points makes them. */
export const packed_text = async (text) => {
  const bytes = new Uint8Array(await pipe(new TextEncoder().encode(text), new CompressionStream("deflate-raw")));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/** A setting as letters that an address may have. */
export const packed = (setting) => packed_text(JSON.stringify(setting));

/** The setting of an address's fragment; null: it has none. Throws where it is damaged. */
export const unpacked = async (fragment) => {
  if (!fragment.startsWith("#1.")) return null;
  const text = atob(fragment.slice(3).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await pipe(Uint8Array.from(text, (letter) => letter.charCodeAt(0)), new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(bytes));
};

const read = (key) => {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null; // storage is closed to this page, or its text is no longer JSON
  }
};
/** Whether the browser keeps it. */
const write = (key, value) => {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
};

export const kept_setting = () => read(current_key);
export const keep_setting = (setting) => write(current_key, setting);

/** Edited programs: by path, the text. */
export const kept_texts = () => read(texts_key) ?? {};
export const keep_text = (path, text) => write(texts_key, { ...kept_texts(), [path]: text });
export const forget_text = (path) => {
  const { [path]: _, ...others } = kept_texts();
  return write(texts_key, others);
};
