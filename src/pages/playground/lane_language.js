// The language of programs for the editor: comments, texts, numbers and words. The words are memlane's own. PTX begins with
// `.version` and has words with dots and registers.
import { LanguageSupport, StreamLanguage } from "@codemirror/language";

const numbers = /^(0x[0-9a-fA-F_]+|[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?)/;
/** How each kind of words is coloured, and what the list of completions calls it. */
const kinds = {
  reserved: ["keyword", "keyword"], type: ["typeName", "type"], thread: ["atom", "constant"], builtin: ["variableName.standard", "function"],
  layout: ["variableName.standard", "class"], machine: ["atom", "constant"],
};

/** `words` as the question `list` answers: each with its kind, its usage and its meaning. */
export const lane_language = (words) => {
  const styles = new Map();
  for (const { name, kind } of words) if (!styles.has(name)) styles.set(name, kinds[kind][0]);
  const parser = {
    name: "lane",
    startState: () => ({ ptx: false }),
    token(stream, state) {
      if (stream.eatSpace()) return null;
      if (stream.match(/^\.version\b/)) return (state.ptx = true), "keyword";
      if (state.ptx && stream.match(/^\.[a-z_][\w.]*/)) return "typeName";
      if (state.ptx && stream.match(/^%[\w.]+/)) return "atom";
      if (stream.match("//")) return stream.skipToEnd(), "comment";
      if (stream.match(/^"[^"]*"?/)) return "string";
      // `0..n`: the dots are no part of the number.
      if (stream.match(numbers)) return "number";
      const word = stream.match(/^[A-Za-z_][A-Za-z_0-9]*/);
      if (word) return styles.get(word[0]) ?? "variableName";
      stream.next();
      return "operator";
    },
    languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
  };
  return new LanguageSupport(StreamLanguage.define(parser));
};

/** What the editor offers while a word is typed. */
export const lane_completions = (words) => {
  const options = words.map(({ kind, name, usage, meaning }) => ({ label: name, detail: usage === name ? meaning : usage, info: usage === name ? undefined : meaning, type: kinds[kind][1] }));
  return (context) => {
    const word = context.matchBefore(/[A-Za-z_][A-Za-z_0-9]*/);
    return word && (word.to - word.from > 1 || context.explicit) ? { from: word.from, options, validFor: /^\w*$/ } : null;
  };
};
