// Layouts, views and slices of arrays.
#include "checker.hpp"

#include "memlane/ir/program.hpp"
#include "memlane/support/suggest.hpp"

#include <algorithm>

namespace memlane::lang {

// Layouts: built-in ones, and fns from indices to words.

/// The built-in layouts and all fns.
std::vector<std::string> Checker::layout_names() const {
  std::vector<std::string> names;
  for (const LayoutKind layout : built_in_layouts()) names.emplace_back(memlane::name_of(layout));
  for (const FnDecl& fn : checked_.program.fns) names.push_back(fn.name.text);
  return names;
}

/// The program's own fn, which a name without arguments stands for; else a built-in layout's name
/// stands for that.
const Entity* Checker::layout_fn(const LayoutClause& layout) {
  if (!layout.arguments.empty() && layout_named(layout.name.text)) return nullptr;
  const Entity* entity = lookup(layout.name.text);
  return entity && entity->kind == EntityKind::fn ? entity : nullptr;
}

bool Checker::check_layout_arguments(SymbolId id, const LayoutClause& layout, LayoutKind built_in) {
  const std::string& name = layout.name.text;
  if (!layout.sizes.empty() && built_in != LayoutKind::strides)
    return error(layout.shape, "layout " + in_quotes(name) + " takes no shape",
                 {"layouts with a shape are strides: strides((4, 8):(1, 32))"}),
           false;
  if (built_in == LayoutKind::strides) return check_strides(id, layout);
  if (built_in == LayoutKind::bits) {
    if (!layout.arguments.empty()) return true;
    return error(layout.name.span, "'bits' takes the words of the elements 1, 2, 4, …",
                 {"write bits(1, 2, 5) for 8 words, the upper half in another order"}),
           false;
  }
  const std::string parameters(parameters_of(built_in));
  const auto wanted =
      parameters.empty() ? 0 : 1 + std::count(parameters.begin(), parameters.end(), ',');
  if (layout.arguments.size() == static_cast<std::size_t>(wanted)) return true;
  switch (built_in) {
  case LayoutKind::padded:
    error(layout.name.span, "'padded' takes 1 argument, the spare words of a row",
          {"write padded(1)"});
    break;
  case LayoutKind::swizzle:
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

/// A stride for each dimension, or a shape with as many parts as the array has dimensions. An array
/// of one dimension may have a shape of many parts, which are the digits of its index.
bool Checker::check_strides(SymbolId id, const LayoutClause& layout) {
  ArraySymbol& array = checked_.array(id);
  const auto rank = static_cast<std::size_t>(array.rank);
  const bool sized = !layout.sizes.empty();
  array.layout_digits = sized ? layout.modes : std::vector(layout.arguments.size(), std::size_t{1});
  if (sized && rank == 1) array.layout_digits = {layout.arguments.size()};
  if (layout.arguments.empty() || array.layout_digits.size() != rank) {
    error(sized ? layout.shape : layout.name.span,
          (sized ? std::string("the shape has ") +
                       counted_noun(array.layout_digits.size(), "dimension")
                 : std::string("'strides' takes ") +
                       (rank == 1 ? "1 stride" : std::to_string(rank) + " strides")) +
              ", " + in_quotes(array.name) + " has " + counted_noun(rank, "dimension"),
          {rank == 1   ? "write strides(2), or strides((4, 8):(1, 32)) for 4 * 8 elements"
           : rank == 2 ? "write strides(33, 1), or strides((4, 8):(1, 32)) for 4 x 8 elements"
                       : "write strides(64, 8, 1), or strides((4, 8, 2):(1, 32, 4))"});
    return false;
  }
  constexpr std::size_t most_digits = 48; // more of size 2 are beyond any memory
  if (layout.arguments.size() > most_digits)
    return error(layout.name.span,
                 "more than " + std::to_string(most_digits) + " sizes are beyond any memory"),
           false;
  return true;
}

void Checker::check_layout(SymbolId id, const LayoutClause& layout) {
  const std::string& name = layout.name.text;
  if (checked_.array(id).kind == ArrayKind::local) {
    error(layout.name.span, "`var` arrays have no layout: they are in no memory unit");
    return;
  }
  const std::optional<LayoutKind> built_in = layout_named(name);
  if (const Entity* fn = layout_fn(layout)) {
    checked_.array(id).layout = name;
    return check_layout_fn(id, layout, fn->id);
  }
  if (!built_in) {
    std::vector<std::string> help = did_you_mean(name, layout_names());
    if (help.empty())
      help = {"layouts are " + layouts_in_words() + ", or a fn from indices to word"};
    error(layout.name.span, "unknown layout " + in_quotes(name), help);
    return;
  }
  if (!check_layout_arguments(id, layout, *built_in)) return;
  checked_.array(id).layout = name;
  const std::string what = "the argument of a layout";
  const auto integers = [&](const std::vector<Expr>& exprs) {
    std::vector<TExpr> numbers;
    for (const Expr& e : exprs)
      add_integer(constant_expr(e, Setting::constant, what), what, numbers);
    return numbers;
  };
  std::vector<TExpr> arguments = integers(layout.arguments), sizes = integers(layout.sizes);
  checked_.array(id).layout_arguments = std::move(arguments);
  checked_.array(id).layout_sizes = std::move(sizes);
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

// Views and slices.

/// The array a name stands for; marks it as mentioned.
std::optional<SymbolId> Checker::array_named(const Name& name) {
  const Entity* entity = lookup(name.text);
  if (!entity || entity->kind != EntityKind::array) {
    if (entity && entity->kind == EntityKind::poison) return std::nullopt;
    std::vector<std::string> known;
    auto take = [&](const Scope& scope) {
      for (const auto& [text, other] : scope.names) {
        if (other.kind == EntityKind::array) known.push_back(text);
      }
    };
    for (const Scope& scope : locals_) take(scope);
    take(top_);
    return error(name.span,
                 entity ? in_quotes(name.text) + " is not an array"
                        : "unknown array " + in_quotes(name.text),
                 did_you_mean(name.text, known));
  }
  SymbolId id = entity->id;
  checked_.array(id).used = true;
  bool top_view_waits =
      id >= first_view_ && id - first_view_ < static_cast<SymbolId>(view_progress_.size());
  if (top_view_waits) top_view(id);
  if (!array_good_[static_cast<std::size_t>(id)]) return std::nullopt;
  return id;
}

/// The name of the array that an actual is, or is a slice of.
std::optional<Name> Checker::array_of(const Actual& actual) {
  if (!actual.value) return actual.array;
  const bool element = actual.value->kind == ExprKind::element;
  const Expr& base = element ? actual.value->operands[0] : *actual.value;
  if (base.kind == ExprKind::name) return Name{base.name, base.span};
  return error(actual.span, "an array or a slice of one is needed here",
               {"write its name, or a slice such as a[0 .. n]"});
}

/// How many leading dimensions an actual fixes.
static std::size_t leading_indices(const Actual& actual) {
  if (!actual.value) return actual.lead.size();
  return actual.value->kind == ExprKind::element ? actual.value->operands.size() - 1 : 0;
}

/// Whether an array has a dimension for each index of a slice, and one for what remains.
bool Checker::fits_slice(const Actual& actual, const Name& name, std::int32_t rank) {
  const auto fixed = static_cast<std::int32_t>(leading_indices(actual));
  const bool ranged = !actual.value.has_value();
  if (ranged ? fixed + 1 == rank : fixed < rank) return true;
  static constexpr const char* ranges[] = {"[lo .. hi]", "[i, lo .. hi]", "[i, j, lo .. hi]"};
  static constexpr const char* parts[] = {"", ", or [i]", ", or [i] or [i, j]"};
  const auto dimensions = static_cast<std::size_t>(rank);
  const bool element = !ranged && fixed == rank;
  return error(actual.span, (element ? in_quotes(text(actual.span)) +
                                           " is one element, and an array is needed here: "
                                     : std::string()) +
                                in_quotes(name.text) + " has " +
                                counted_noun(dimensions, "dimension") +
                                (element ? ", a slice of it is " : ": a slice of it is ") +
                                ranges[dimensions - 1] + parts[dimensions - 1]),
         false;
}

/// Every access to an element follows its chain of views.
bool Checker::fits_view(const ViewDecl& view, SymbolId target) {
  constexpr std::int32_t most_views = 500;
  if (checked_.array(target).views < most_views) return true;
  return error(view.span, "this view is nested too deeply",
               {"at most " + std::to_string(most_views) +
                " views may be views of each other in a chain"}),
         false;
}

/// Element type and rank of a top-level view; those it refers to first.
void Checker::top_view(SymbolId id) {
  auto at = static_cast<std::size_t>(id - first_view_);
  const ViewDecl& view = checked_.program.views[at];
  if (view_progress_[at] == Progress::active) {
    error(view.name.span, "view " + in_quotes(view.name.text) + " is a view of itself");
  }
  if (view_progress_[at] != Progress::waiting) return;
  view_progress_[at] = Progress::active;
  const Depth depth(*this, view.span, 1);
  std::optional<Name> name = array_of(view.target);
  std::optional<SymbolId> target;
  if (name && depth) target = array_named(*name);
  if (target && fits_view(view, *target)) {
    const ArraySymbol array = checked_.array(*target);
    ArraySymbol& symbol = checked_.array(id);
    symbol.element = array.element;
    const auto fixed = static_cast<std::int32_t>(leading_indices(view.target));
    const bool good = fits_slice(view.target, *name, array.rank);
    symbol.rank = view.target.value ? array.rank - fixed : 1;
    symbol.views = array.views + 1;
    array_good_[static_cast<std::size_t>(id)] = good;
  }
  view_progress_[at] = Progress::done;
}

std::optional<ArraySlice> Checker::slice(const Actual& actual) {
  std::optional<Name> name = array_of(actual);
  if (!name) return std::nullopt;
  std::optional<SymbolId> array = array_named(*name);
  ArraySlice result;
  result.span = actual.span;
  const std::size_t fixed = leading_indices(actual);
  result.whole = actual.value && fixed == 0;
  if (array) result.array = *array;
  if (result.whole) return array ? std::optional(result) : std::nullopt;
  bool good = array.has_value();
  for (std::size_t k = 0; k < fixed; ++k) {
    const Expr& index = actual.value ? actual.value->operands[k + 1] : actual.lead[k];
    good = add_integer(expr(index), "an index", result.lead) && good;
  }
  for (const Expr& e : actual.bounds)
    good = add_integer(expr(e), "the bound of a slice", result.range) && good;
  if (!good) return std::nullopt;
  const std::int32_t rank = checked_.array(*array).rank;
  if (!fits_slice(actual, *name, rank)) return std::nullopt;
  if (!result.range.empty() && !unify({&result.range[0], &result.range[1]})) return std::nullopt;
  return result;
}

void Checker::local_view(const ViewDecl& view, std::vector<TStatement>& out) {
  std::optional<ArraySlice> target = slice(view.target);
  if (!target || !fits_view(view, target->array)) {
    declare_local(view.name, EntityKind::array, -1);
    return;
  }
  const SymbolId id = add_array(view.name, ArrayKind::view);
  array_good_.back() = true;
  ArraySymbol& symbol = checked_.array(id);
  const ArraySymbol& array = checked_.array(target->array);
  symbol.element = array.element;
  symbol.rank = target->rank_in(array.rank);
  symbol.views = array.views + 1;
  symbol.target = std::move(*target);
  symbol.used = true;
  declare_local(view.name, EntityKind::array, id);
  out.push_back(typed_statement(TStatementKind::declare_view, view.span, id));
}

} // namespace memlane::lang
