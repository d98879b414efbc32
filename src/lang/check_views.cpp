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

SymbolId root_array(const Checked& checked, SymbolId array,
                    const std::map<SymbolId, SymbolId>& formals) {
  while (true) {
    const ArraySymbol& symbol = checked.array(array);
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
