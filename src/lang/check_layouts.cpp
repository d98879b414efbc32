// Layouts: the known ones, and fns from indices to word.
#include "checker.hpp"

#include "memlane/support/suggest.hpp"

namespace memlane::lang {

void Checker::check_layout(SymbolId id, const LayoutClause& layout) {
  auto index = static_cast<std::size_t>(id);
  const std::string& name = layout.name.text;
  if (checked_.arrays[index].kind == ArrayKind::local) {
    error(layout.name.span, "`var` arrays have no layout: they lie in no memory unit");
    return;
  }
  bool padded = name == "padded";
  bool known = padded || name == "rows" || name == "diagonal" || name == "random_shift" ||
               name == "random_permute";
  const Entity* entity = lookup(name);
  bool is_fn = entity && entity->kind == EntityKind::fn;
  if (!known && !is_fn) {
    std::vector<std::string> names = {"rows", "padded", "diagonal", "random_shift",
                                      "random_permute"};
    for (const auto& [text, other] : top_.names) {
      if (other.kind == EntityKind::fn) names.push_back(text);
    }
    std::vector<std::string> help = did_you_mean(name, names);
    if (help.empty()) {
      help = {"layouts are rows, padded(k), diagonal, random_shift, random_permute, or a fn from "
              "indices to word"};
    }
    error(layout.name.span, "unknown layout " + in_quotes(name), help);
    return;
  }
  if (layout.arguments.size() != (padded ? 1U : 0U)) {
    error(layout.name.span,
          padded ? "'padded' takes 1 argument, the spare words of a row"
                 : "layout " + in_quotes(name) + " takes no arguments",
          {padded ? "write padded(1)" : "write layout " + name});
    return;
  }
  checked_.arrays[index].layout = name;
  if (is_fn && !known) return check_layout_fn(id, layout, entity->id);
  std::vector<TExpr> arguments;
  for (const Expr& e : layout.arguments) {
    Typed argument = constant_expr(e, Setting::constant, "the argument of a layout");
    if (argument && require_integer(*argument, "the argument of a layout")) {
      arguments.push_back(std::move(*argument));
    }
  }
  checked_.arrays[index].layout_arguments = std::move(arguments);
}

/// A layout of one's own: the fn's body over one variable a dimension.
/// The call of a fn with variables of type int.
Typed Checker::call_with(SymbolId fn, const std::vector<SymbolId>& variables, Span span) {
  std::vector<TExpr> arguments;
  for (const SymbolId variable : variables) {
    arguments.push_back(node(TExprKind::variable, int_type, span));
    arguments.back().symbol = variable;
  }
  return expand(fn, std::move(arguments), span);
}

void Checker::check_layout_fn(SymbolId id, const LayoutClause& layout, SymbolId fn_id) {
  auto index = static_cast<std::size_t>(id);
  const FnDecl& fn = checked_.program.fns[static_cast<std::size_t>(fn_id)];
  auto rank = static_cast<std::size_t>(checked_.arrays[index].rank);
  if (fn.parameters.size() != rank) {
    error(layout.name.span,
          "layout " + in_quotes(fn.name.text) + " takes " +
              (fn.parameters.size() == 1 ? std::string("1 index")
                                         : std::to_string(fn.parameters.size()) + " indices") +
              ", " + in_quotes(checked_.arrays[index].name) + " has " +
              counted_noun(rank, "dimension"),
          {}, {note_at(fn.name.span, "it is declared here")});
    return;
  }
  fn_expanded_[static_cast<std::size_t>(fn_id)] = true;
  if (fn_unusable_[static_cast<std::size_t>(fn_id)]) return;
  Setting before = setting_;
  std::vector<Scope> scopes(1);
  std::vector<SymbolId> indices;
  for (const Name& parameter : fn.parameters) {
    SymbolId variable = new_variable(parameter.text, parameter.span, int_type, false);
    scopes[0].names[parameter.text] = {EntityKind::variable, variable, parameter.span, {}};
    indices.push_back(variable);
  }
  std::swap(locals_, scopes);
  setting_ = Setting::constant;
  trail_.push_back(layout.name.span);
  Typed word = fn.has_block ? call_with(fn_id, indices, layout.name.span) : expr(fn.body);
  if (word && require_integer(*word, "the word of a layout")) {
    // The indices stand for constants here.
    TExpr whole = node(TExprKind::fn_call, word->type, word->span);
    for (SymbolId variable : indices) {
      whole.bindings.push_back({variable, literal(int_type, {}, word->span)});
    }
    whole.operands.push_back(*word);
    if (!require_constant(whole, Setting::constant, "the word of a layout")) word.reset();
    checked_.arrays[index].layout_word = coerce(std::move(word), long_type, "the word of a layout");
    checked_.arrays[index].layout_indices = std::move(indices);
  }
  trail_.pop_back();
  setting_ = before;
  std::swap(locals_, scopes);
}

} // namespace memlane::lang
