// Elements of arrays and tables, and fields of records.
#include "checker.hpp"
#include "suggestions.hpp"

#include "memlane/support/machine_names.hpp"
#include "memlane/support/suggest.hpp"

namespace memlane::lang {
std::optional<std::int32_t> Checker::field_number(Type type, const std::string& field, Span span) {
  if (!type.is_record()) {
    error(span, "this is " + name_of(type) + ", which has no field " + in_quotes(field));
    return std::nullopt;
  }
  const RecordType& record = checked_.records[static_cast<std::size_t>(type.record)];
  std::vector<std::string> known;
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (record.fields[i].name == field) return static_cast<std::int32_t>(i);
    known.push_back(record.fields[i].name);
  }
  std::vector<std::string> help = did_you_mean(field, known);
  if (help.empty()) {
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    help = {"its fields are " + all};
  }
  error(span, in_quotes(record.name) + " has no field " + in_quotes(field), help);
  return std::nullopt;
}

/// `c[i][0]` as it is written here; `e` is an element of an element.
std::string Checker::indices_together(const Expr& e) const {
  std::string base = text(e.operands[0].span);
  if (base.back() != ']') return "the indices of an element stand together: a[i, j]";
  base.back() = ',';
  for (std::size_t i = 1; i < e.operands.size(); ++i)
    base += (i == 1 ? " " : ", ") + text(e.operands[i].span);
  return "the indices of an element stand together: " + base + "]";
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
    if (entity && entity->kind == EntityKind::array && e.name == "layout") {
      error(e.span, "the layout of an array can be asked for in claims only");
      return std::nullopt;
    }
    if (entity && entity->kind == EntityKind::array) {
      auto suggestion = call_suggestion("length");
      error(e.span, in_quotes(base.name) + " is an array: it has no field " + in_quotes(e.name),
            suggestion);
      return std::nullopt;
    }
  }
  Typed record = expr(base);
  if (!record) return std::nullopt;
  auto number = field_number(record->type, e.name, e.span);
  if (!number) return std::nullopt;
  const auto& fields = checked_.records[static_cast<std::size_t>(record->type.record)].fields;
  Type type = scalar_type(fields[static_cast<std::size_t>(*number)].type);
  std::vector<TExpr> operands;
  operands.push_back(std::move(*record));
  TExpr result = node(TExprKind::field, type, e.span, std::move(operands));
  result.symbol = *number;
  return result;
}

/// The indices of an element expression: operands[1…].
std::optional<std::vector<TExpr>> Checker::indices(const Expr& e, std::size_t rank) {
  std::vector<TExpr> result;
  std::size_t given = e.operands.size() - 1;
  bool good = true;
  for (std::size_t i = 1; i <= given; ++i) {
    Typed index = expr(e.operands[i]);
    if (!index || !require_integer(*index, "an index")) {
      good = false;
    } else {
      result.push_back(std::move(*index));
    }
  }
  if (given != rank) {
    const Expr& base = e.operands[0];
    const Entity* found = base.kind == ExprKind::name ? lookup(base.name) : nullptr;
    std::vector<std::string> help;
    if (given < rank && found && found->kind == EntityKind::array)
      help = {text(e.span) + " is an array: name it with view, or give it to a formal array"};
    error(e.span,
          in_quotes(text(e.operands[0].span)) + " has " + counted_noun(rank, "dimension") + ", " +
              (given == 1 ? std::string("1 index is") : std::to_string(given) + " indices are") +
              " given",
          help);
    return std::nullopt;
  }
  if (!good) return std::nullopt;
  return result;
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
    checked_.arrays[index].used = true;
    bool good = array_good_[index];
    auto places = indices(e, good ? static_cast<std::size_t>(checked_.arrays[index].rank)
                                  : e.operands.size() - 1);
    if (!good || !places) return std::nullopt;
    TExpr result =
        node(TExprKind::element, checked_.arrays[index].element, e.span, std::move(*places));
    result.symbol = id;
    return result;
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
  const ArraySymbol& array = checked_.arrays[static_cast<std::size_t>(*id)];
  Type type = array.element;
  auto places = indices(e, static_cast<std::size_t>(array.rank));
  if (!places) return std::nullopt;
  TExpr result = node(TExprKind::initial, type, e.span, std::move(*places));
  result.symbol = *id;
  return result;
}

Typed Checker::lookup_table(const Expr& e, SymbolId id) {
  auto index = static_cast<std::size_t>(id);
  const Entity entity = *lookup(e.operands[0].name);
  if (!check_order(entity, e.operands[0].span)) return std::nullopt;
  if (const_progress_[index] == Progress::active) {
    error(e.span, "the value of " + in_quotes(e.operands[0].name) + " depends on itself");
  }
  check_const(id);
  if (const_good_[index] && checked_.consts[index].extents.empty()) {
    error(e.operands[0].span, in_quotes(e.operands[0].name) + " is one value, not a table");
    return std::nullopt;
  }
  auto places = indices(e, const_good_[index] ? checked_.consts[index].extents.size()
                                              : e.operands.size() - 1);
  if (!const_good_[index] || !places) return std::nullopt;
  TExpr result =
      node(TExprKind::lookup, scalar_type(checked_.consts[index].type), e.span, std::move(*places));
  result.symbol = id;
  return result;
}

} // namespace memlane::lang
