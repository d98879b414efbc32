// The editor: a program's text, its mistakes where they are, and in the margin what each line costs.
import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { drawSelection, EditorView, gutter, GutterMarker, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { lane_completions, lane_language } from "./lane_language.js";
import { element } from "../timeline/dom.js";

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--keyword)" }, { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--string)" }, { tag: tags.number, color: "var(--number)" }, { tag: tags.typeName, color: "var(--type)" },
  { tag: tags.atom, color: "var(--letter)", fontWeight: "600" }, { tag: tags.standard(tags.variableName), color: "var(--type)" },
]);

/** A bar in the margin: as long as the line's part of all costs, its conflicts in their colour. */
class CostMarker extends GutterMarker {
  constructor(line, share) {
    super();
    Object.assign(this, { line, share });
  }
  eq(other) { return other.share === this.share && JSON.stringify(other.line) === JSON.stringify(this.line); }
  toDOM() {
    const { stages, conflicts, requests } = this.line;
    const lost = stages > 0 ? conflicts / stages : 0;
    const bar = element("span", { class: "cost-bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max(2, this.share * 100)}%`;
    bar.style.setProperty("--lost", `${lost * 100}%`);
    const title = `line ${this.line.line}: ${requests} requests, ${stages} stages, of them ${conflicts} by conflicts; ${Math.round(this.share * 100)} % of the cost`;
    return element("span", { class: "cost", title }, bar);
  }
}

const set_costs = StateEffect.define();
const costs_field = StateField.define({
  create: () => new Map(),
  update(costs, transaction) {
    for (const effect of transaction.effects) if (effect.is(set_costs)) return effect.value;
    return transaction.docChanged ? new Map() : costs; // they are of another text
  },
});
const cost_gutter = gutter({
  class: "cm-costs",
  lineMarker: (view, block) => view.state.field(costs_field).get(view.state.doc.lineAt(block.from).number) ?? null,
  lineMarkerChange: (update) => update.startState.field(costs_field) !== update.state.field(costs_field),
  initialSpacer: () => new CostMarker({ line: 0, stages: 0, conflicts: 0, requests: 0 }, 0),
});

/** Byte offsets of a text as offsets of its letters. */
const from_bytes = (text) => {
  const bytes = new TextEncoder().encode(text);
  return (offset) => new TextDecoder().decode(bytes.subarray(0, offset)).length;
};

/** A mistake's message, with its ways out. */
export const message_of = (error) => [error.message, ...(error.help ?? []).map((way) => `→ ${way}`)].join("\n");

/** What a word is, where the pointer rests on it. */
const explanations = (explain) => hoverTooltip((view, pos) => {
  const word = view.state.wordAt(pos);
  const told = word && explain(view.state.sliceDoc(word.from, word.to));
  if (!told) return null;
  return { pos: word.from, end: word.to, above: true, create: () => ({ dom: element("div", { class: "cm-hover" }, ...told.filter(Boolean).map((text) => element("p", {}, text))) }) };
});

/** `explain(word)`: sentences about it, or null. */
export const make_editor = (host, words, on_change, explain) => {
  const extensions = [
    lintGutter(), lineNumbers(), cost_gutter, costs_field, highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(), bracketMatching(),
    closeBrackets(), indentOnInput(), highlightSelectionMatches(), lane_language(words), syntaxHighlighting(colours),
    explanations(explain), autocompletion({ override: [lane_completions(words)] }),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ "aria-label": "program; Escape, then Tab leaves the editor" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) on_change(update.state.doc.toString());
    }),
  ];
  let shown_errors = 0;
  const view = new EditorView({ parent: host, state: EditorState.create({ extensions }) });
  return {
    text: () => view.state.doc.toString(),
    /** Another program: no change of this one, and nothing to be undone. */
    load(text) {
      shown_errors = 0;
      view.setState(EditorState.create({ doc: text, extensions }));
    },
    show_errors(errors) {
      if (errors.length === 0 && shown_errors === 0) return; // an empty list would lay out the page for nothing
      shown_errors = errors.length;
      const text = view.state.doc.toString(), place = from_bytes(text);
      const found = errors.filter((error) => error.begin !== undefined).map((error) => {
        const from = Math.min(place(error.begin), text.length);
        const to = Math.min(Math.max(place(error.end), from + 1), text.length);
        return { from: Math.min(from, to), to, severity: "error", message: message_of(error) };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
    show_costs({ lines = [], of_all = 0 } = {}) {
      const costs = new Map(lines.map((line) => [line.line, new CostMarker(line, of_all > 0 ? line.cost / of_all : 0)]));
      view.dispatch({ effects: set_costs.of(costs) });
    },
    go_to(line) {
      const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      view.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
      view.focus();
    },
  };
};
