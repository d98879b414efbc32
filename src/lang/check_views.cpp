// Views and slices.
#include "checker.hpp"

#include "memlane/support/suggest.hpp"

namespace memlane::lang {

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
    error(name.span,
          entity ? quoted(name.text) + " is not an array" : "unknown array " + quoted(name.text),
          did_you_mean(name.text, known));
    return std::nullopt;
  }
  SymbolId id = entity->id;
  checked_.arrays[static_cast<std::size_t>(id)].used = true;
  bool top_view_waits =
      id >= first_view_ && id - first_view_ < static_cast<SymbolId>(view_progress_.size());
  if (top_view_waits) top_view(id);
  if (!array_good_[static_cast<std::size_t>(id)]) return std::nullopt;
  return id;
}

/// The name of the array that an actual is, or is a slice of.
std::optional<Name> Checker::array_of(const Actual& actual) {
  if (!actual.value) return actual.array;
  if (actual.value->kind == ExprKind::name) return Name{actual.value->name, actual.value->span};
  error(actual.span, "an array or a slice of one is needed here",
        {"write its name, or a slice such as a[0 .. n]"});
  return std::nullopt;
}

/// Views of views are followed one by one, wherever an element is.
bool Checker::fits_view(const ViewDecl& view, SymbolId target) {
  constexpr std::int32_t most_views = 500;
  if (checked_.arrays[static_cast<std::size_t>(target)].views < most_views) return true;
  error(view.span, "this view is nested too deeply",
        {"at most " + std::to_string(most_views) + " views may be views of each other in a chain"});
  return false;
}

/// Element type and rank of a top-level view; those it refers to first.
void Checker::top_view(SymbolId id) {
  auto at = static_cast<std::size_t>(id - first_view_);
  const ViewDecl& view = checked_.program.views[at];
  if (view_progress_[at] == Progress::active) {
    error(view.name.span, "view " + quoted(view.name.text) + " is a view of itself");
  }
  if (view_progress_[at] != Progress::waiting) return;
  view_progress_[at] = Progress::active;
  const Depth depth(*this, view.span, 1);
  std::optional<Name> name = array_of(view.target);
  std::optional<SymbolId> target;
  if (name && depth) target = array_named(*name);
  if (target && fits_view(view, *target)) {
    const ArraySymbol array = checked_.arrays[static_cast<std::size_t>(*target)];
    ArraySymbol& symbol = checked_.arrays[static_cast<std::size_t>(id)];
    symbol.element = array.element;
    symbol.rank = view.target.value ? array.rank : 1;
    symbol.views = array.views + 1;
    array_good_[static_cast<std::size_t>(id)] = true;
  }
  view_progress_[at] = Progress::done;
}

std::optional<ArraySlice> Checker::slice(const Actual& actual) {
  std::optional<Name> name = array_of(actual);
  if (!name) return std::nullopt;
  std::optional<SymbolId> array = array_named(*name);
  ArraySlice result;
  result.span = actual.span;
  result.whole = actual.value.has_value();
  if (array) result.array = *array;
  if (result.whole) return array ? std::optional(result) : std::nullopt;
  bool good = array.has_value();
  for (const Expr& e : actual.lead) {
    Typed index = expr(e);
    if (!index || !require_integer(*index, "an index")) {
      good = false;
    } else {
      result.lead.push_back(std::move(*index));
    }
  }
  for (const Expr& e : actual.bounds) {
    Typed bound = expr(e);
    if (!bound || !require_integer(*bound, "the bound of a slice")) {
      good = false;
    } else {
      result.range.push_back(std::move(*bound));
    }
  }
  if (!good) return std::nullopt;
  auto rank = static_cast<std::size_t>(checked_.arrays[static_cast<std::size_t>(*array)].rank);
  if (actual.lead.size() + 1 != rank) {
    static constexpr const char* forms[] = {"[lo .. hi]", "[i, lo .. hi]", "[i, j, lo .. hi]"};
    error(actual.span, quoted(name->text) + " has " + counted_noun(rank, "dimension") +
                           ": a slice of it is " + std::string(forms[rank - 1]));
    return std::nullopt;
  }
  if (!unify({&result.range[0], &result.range[1]})) return std::nullopt;
  return result;
}

void Checker::local_view(const ViewDecl& view, std::vector<TStatement>& out) {
  std::optional<ArraySlice> target = slice(view.target);
  if (!target || !fits_view(view, target->array)) {
    declare_local(view.name, {EntityKind::poison, -1, view.name.span, {}});
    return;
  }
  ArraySymbol symbol;
  symbol.name = view.name.text;
  symbol.span = view.name.span;
  symbol.kind = ArrayKind::view;
  const ArraySymbol& array = checked_.arrays[static_cast<std::size_t>(target->array)];
  symbol.element = array.element;
  symbol.rank = target->whole ? array.rank : 1;
  symbol.views = array.views + 1;
  symbol.target = std::move(*target);
  symbol.used = true;
  checked_.arrays.push_back(std::move(symbol));
  array_good_.push_back(true);
  auto id = static_cast<SymbolId>(checked_.arrays.size() - 1);
  declare_local(view.name, {EntityKind::array, id, view.name.span, {}});
  TStatement statement;
  statement.kind = TStatementKind::declare_view;
  statement.span = view.span;
  statement.symbol = id;
  out.push_back(std::move(statement));
}

SymbolId root_array(const Checked& checked, SymbolId array,
                    const std::map<SymbolId, SymbolId>& formals) {
  while (true) {
    const ArraySymbol& symbol = checked.arrays[static_cast<std::size_t>(array)];
    auto formal = formals.find(array);
    if (symbol.kind == ArrayKind::view && symbol.target) {
      array = symbol.target->array;
    } else if (formal != formals.end() && formal->second != array) {
      array = formal->second;
    } else {
      return array;
    }
  }
}

} // namespace memlane::lang
