// Layouts: built-in ones, and fns from indices to words.
#include "checker.hpp"

#include "memlane/ir/program.hpp"
#include "memlane/support/suggest.hpp"

#include <algorithm>

namespace memlane::lang {

/// The built-in layouts and all fns.
std::vector<std::string> Checker::layout_names() const {
  std::vector<std::string> names;
  for (const ir::Layout layout : ir::built_in_layouts()) names.emplace_back(ir::name_of(layout));
  for (const FnDecl& fn : checked_.program.fns) names.push_back(fn.name.text);
  return names;
}

/// The program's own fn, which a name without arguments stands for; else a built-in layout's name
/// stands for that.
const Entity* Checker::layout_fn(const LayoutClause& layout) {
  if (!layout.arguments.empty() && ir::layout_named(layout.name.text)) return nullptr;
  const Entity* entity = lookup(layout.name.text);
  return entity && entity->kind == EntityKind::fn ? entity : nullptr;
}

bool Checker::check_layout_arguments(const LayoutClause& layout, ir::Layout built_in) {
  const std::string& name = layout.name.text;
  const std::string parameters(ir::parameters_of(built_in));
  const auto wanted =
      parameters.empty() ? 0 : 1 + std::count(parameters.begin(), parameters.end(), ',');
  if (layout.arguments.size() == static_cast<std::size_t>(wanted)) return true;
  switch (built_in) {
  case ir::Layout::padded:
    error(layout.name.span, "'padded' takes 1 argument, the spare words of a row",
          {"write padded(1)"});
    break;
  case ir::Layout::swizzle:
    error(layout.name.span,
          "'swizzle' takes 3 arguments: B bits change, from bit M on, by those S bits above",
          {"write swizzle(5, 0, 5) for rows of 32 words"});
    break;
  default:
    error(layout.name.span, "layout " + in_quotes(name) + " takes no arguments",
          {"write layout " + name});
  }
  return false;
}

void Checker::check_layout(SymbolId id, const LayoutClause& layout) {
  const std::string& name = layout.name.text;
  if (checked_.array(id).kind == ArrayKind::local) {
    error(layout.name.span, "`var` arrays have no layout: they are in no memory unit");
    return;
  }
  const std::optional<ir::Layout> built_in = ir::layout_named(name);
  if (const Entity* fn = layout_fn(layout)) {
    checked_.array(id).layout = name;
    return check_layout_fn(id, layout, fn->id);
  }
  if (!built_in) {
    std::vector<std::string> help = did_you_mean(name, layout_names());
    if (help.empty())
      help = {"layouts are " + ir::layouts_in_words() + ", or a fn from indices to word"};
    error(layout.name.span, "unknown layout " + in_quotes(name), help);
    return;
  }
  if (!check_layout_arguments(layout, *built_in)) return;
  checked_.array(id).layout = name;
  std::vector<TExpr> arguments;
  const std::string what = "the argument of a layout";
  for (const Expr& e : layout.arguments)
    add_integer(constant_expr(e, Setting::constant, what), what, arguments);
  checked_.array(id).layout_arguments = std::move(arguments);
}

/// The call of a fn with variables of type int.
Typed Checker::call_with(SymbolId fn, const std::vector<SymbolId>& variables, Span span) {
  std::vector<TExpr> arguments;
  for (const SymbolId variable : variables)
    arguments.push_back(node(TExprKind::variable, int_type, span, {}, variable));
  return expand(fn, std::move(arguments), span);
}

/// A layout that a fn computes: its body over a variable for each dimension.
void Checker::check_layout_fn(SymbolId id, const LayoutClause& layout, SymbolId fn_id) {
  const FnDecl& fn = checked_.program.fns[static_cast<std::size_t>(fn_id)];
  if (!layout.arguments.empty()) {
    error(layout.name.span, "layout " + in_quotes(fn.name.text) + " takes no arguments",
          {"write layout " + fn.name.text});
    return;
  }
  auto rank = static_cast<std::size_t>(checked_.array(id).rank);
  if (fn.parameters.size() != rank) {
    error(layout.name.span,
          "layout " + in_quotes(fn.name.text) + " takes " +
              (fn.parameters.size() == 1 ? std::string("1 index")
                                         : std::to_string(fn.parameters.size()) + " indices") +
              ", " + in_quotes(checked_.array(id).name) + " has " + counted_noun(rank, "dimension"),
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
    checked_.array(id).layout_word = coerce(std::move(word), long_type, "the word of a layout");
    checked_.array(id).layout_indices = std::move(indices);
  }
  trail_.pop_back();
  setting_ = before;
  std::swap(locals_, scopes);
}

} // namespace memlane::lang
