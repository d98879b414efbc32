// Elements of arrays and tables, and fields of records.
#include "checker.hpp"
#include "suggestions.hpp"

#include "memlane/support/machine_names.hpp"
#include "memlane/support/suggest.hpp"

namespace memlane::lang {

/// The field of a record that the program writes as `field`.
Typed Checker::field_of(TExpr record, const Expr& field) {
  if (!record.type.is_record())
    return error(field.span, "this is " + name_of(record.type) + ", which has no field " +
                                 in_quotes(field.name));
  const RecordType& type = checked_.record(record.type);
  std::vector<std::string> known;
  for (const RecordField& of : type.fields) {
    if (of.name == field.name)
      return node(TExprKind::field, scalar_type(of.type), field.span,
                  operands_of(std::move(record)), static_cast<SymbolId>(known.size()));
    known.push_back(of.name);
  }
  std::vector<std::string> help = did_you_mean(field.name, known);
  if (help.empty()) {
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    help = {"its fields are " + all};
  }
  return error(field.span, in_quotes(type.name) + " has no field " + in_quotes(field.name), help);
}

/// `c[i][0]` as it is written here; `e` is an element of an element.
std::string Checker::indices_together(const Expr& e) const {
  std::string base = text(e.operands[0].span);
  if (base.back() != ']') return "write the indices of an element in one pair of brackets: a[i, j]";
  base.back() = ',';
  for (std::size_t i = 1; i < e.operands.size(); ++i)
    base += (i == 1 ? " " : ", ") + text(e.operands[i].span);
  return "write the indices of an element in one pair of brackets: " + base + "]";
}

void Checker::not_an_array(const Expr& e, const Entity* found) {
  const Expr& base = e.operands[0];
  std::vector<std::string> help;
  if (base.kind == ExprKind::element) help = {indices_together(e)};
  if (found && found->kind == EntityKind::letter) {
    help = {base.name + " is the machine's " + std::string(find_machine_name(base.name)->meaning) +
            "; an array of that name is declared: memory " + base.name + "[…]: int"};
  }
  error(base.span, in_quotes(text(base.span)) + " is not an array: it has no elements", help);
}

Typed Checker::field(const Expr& e) {
  if (setting_ == Setting::claim) return claim_field(e);
  const Expr& base = e.operands[0];
  if (base.kind == ExprKind::name) {
    const Entity* entity = lookup(base.name);
    const bool of_array = entity && entity->kind == EntityKind::array;
    if (of_array && e.name == "layout")
      return error(e.span, "the layout of an array can be asked for in claims only");
    if (of_array)
      return error(e.span,
                   in_quotes(base.name) + " is an array: it has no field " + in_quotes(e.name),
                   call_suggestion("length"));
  }
  Typed record = expr(base);
  if (!record) return std::nullopt;
  return field_of(std::move(*record), e);
}

/// The indices of an element expression: operands[1…].
std::optional<std::vector<TExpr>> Checker::indices(const Expr& e, std::size_t rank) {
  std::vector<TExpr> result;
  const std::size_t given = e.operands.size() - 1;
  for (std::size_t i = 1; i <= given; ++i) add_integer(expr(e.operands[i]), "an index", result);
  if (given != rank) {
    const Expr& base = e.operands[0];
    const Entity* found = base.kind == ExprKind::name ? lookup(base.name) : nullptr;
    std::vector<std::string> help;
    if (given < rank && found && found->kind == EntityKind::array)
      help = {text(e.span) + " is an array: name it with view, or give it to a formal array"};
    return error(
        e.span,
        in_quotes(text(e.operands[0].span)) + " has " + counted_noun(rank, "dimension") + ", " +
            (given == 1 ? std::string("1 index is") : std::to_string(given) + " indices are") +
            " given",
        help);
  }
  return result.size() == given ? std::optional(std::move(result)) : std::nullopt;
}

Typed Checker::element(const Expr& e) {
  const Expr& base = e.operands[0];
  if (base.kind == ExprKind::initial && setting_ != Setting::claim) return initial_element(e);
  const Entity* found = base.kind == ExprKind::name ? lookup(base.name) : nullptr;
  if (base.kind == ExprKind::name && !found) {
    unknown_name(base.name, base.span);
  } else if (found && found->kind == EntityKind::constant) {
    return lookup_table(e, found->id);
  } else if (setting_ == Setting::claim) {
    return no_arrays_in_claims(e.span);
  } else if (found && found->kind == EntityKind::array) {
    SymbolId id = found->id;
    auto index = static_cast<std::size_t>(id);
    checked_.array(id).used = true;
    bool good = array_good_[index];
    auto places = indices(e, good ? static_cast<std::size_t>(checked_.array(id).rank)
                                  : e.operands.size() - 1);
    if (!good || !places) return std::nullopt;
    return node(TExprKind::element, checked_.array(id).element, e.span, std::move(*places), id);
  } else if (!found || found->kind != EntityKind::poison) {
    not_an_array(e, found);
  }
  for (std::size_t i = 1; i < e.operands.size(); ++i) expr(e.operands[i]);
  return std::nullopt;
}

Typed Checker::initial_element(const Expr& e) {
  const Expr& base = e.operands[0];
  auto id = array_named({base.name, base.span});
  if (!id) {
    for (std::size_t i = 1; i < e.operands.size(); ++i) expr(e.operands[i]);
    return std::nullopt;
  }
  const ArraySymbol& array = checked_.array(*id);
  Type type = array.element;
  auto places = indices(e, static_cast<std::size_t>(array.rank));
  if (!places) return std::nullopt;
  return node(TExprKind::initial, type, e.span, std::move(*places), *id);
}

Typed Checker::lookup_table(const Expr& e, SymbolId id) {
  auto index = static_cast<std::size_t>(id);
  const Entity entity = *lookup(e.operands[0].name);
  if (!check_order(entity, e.operands[0].span)) return std::nullopt;
  if (const_progress_[index] == Progress::active) {
    error(e.span, "the value of " + in_quotes(e.operands[0].name) + " depends on itself");
  }
  check_const(id);
  if (const_good_[index] && checked_.constant(id).extents.empty())
    return error(e.operands[0].span, in_quotes(e.operands[0].name) + " is one value, not a table");
  auto places =
      indices(e, const_good_[index] ? checked_.constant(id).extents.size() : e.operands.size() - 1);
  if (!const_good_[index] || !places) return std::nullopt;
  return node(TExprKind::lookup, scalar_type(checked_.constant(id).type), e.span,
              std::move(*places), id);
}

} // namespace memlane::lang
