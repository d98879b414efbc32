// Arrays: their declarations and their elements.
#include "checker.hpp"
#include "suggestions.hpp"

#include "memlane/support/machine_names.hpp"
#include "memlane/support/suggest.hpp"

#include <algorithm>
#include <functional>

namespace memlane::lang {

// Declarations of arrays: where each kind is allowed, element types, extents, initial values.

namespace {

ArrayKind kind_of(ArraySpace space) {
  switch (space) {
  case ArraySpace::memory: return ArrayKind::memory;
  case ArraySpace::shared: return ArrayKind::shared;
  case ArraySpace::local: return ArrayKind::local;
  }
  return ArrayKind::memory;
}

bool holds_bool(const Checked& checked, Type type) {
  if (!type.is_record()) return type.scalar == ir::Scalar::boolean;
  const auto& fields = checked.fields(type);
  return std::any_of(fields.begin(), fields.end(),
                     [](const RecordField& field) { return field.type == ir::Scalar::boolean; });
}

} // namespace

bool Checker::space_allowed(const ArraysDecl& decl, bool top_level) {
  bool host = function_kind_ == FunctionKind::main || function_kind_ == FunctionKind::verify;
  Span span = decl.arrays.empty() ? decl.span : decl.arrays.front().name.span;
  if (top_level && decl.space == ArraySpace::local)
    return error(span, "`var` arrays are only allowed in kernels, procs and host code",
                 {"at top level write memory or shared"}),
           false;
  if (!top_level && decl.space == ArraySpace::memory)
    return error(span, "`memory` arrays are declared at top level",
                 {host ? "for an array of the host write var" : "here write shared or var"}),
           false;
  if (!top_level && host && decl.space == ArraySpace::shared)
    return error(span, "`shared` arrays belong to multiprocessors, not to the host",
                 {"for an array of the host write var"}),
           false;
  return true;
}

SymbolId Checker::add_array(const Name& name, ArrayKind kind) {
  ArraySymbol& symbol = checked_.arrays.emplace_back();
  symbol.name = name.text;
  symbol.span = name.span;
  symbol.kind = kind;
  array_good_.push_back(false);
  return static_cast<SymbolId>(checked_.arrays.size() - 1);
}

/// Adds the symbol with what its uses need; finish_array checks extents, layout and initial values.
SymbolId Checker::new_array(const ArraysDecl& decl, const ArrayDeclarator& array,
                            std::optional<Type> type) {
  const SymbolId id = add_array(array.name, kind_of(decl.space));
  checked_.array(id).rank = static_cast<std::int32_t>(array.extents.size());
  if (type) checked_.array(id).element = *type;
  const bool of_bool = type && decl.space != ArraySpace::local && holds_bool(checked_, *type);
  const bool has_rank = !array.extents.empty() && array.extents.size() <= 3;
  if (of_bool) error(decl.type.span, "an array in memory cannot hold bool", {"use int, 0 or 1"});
  if (!has_rank)
    error(array.name.span, in_quotes(array.name.text) + " has " +
                               counted_noun(array.extents.size(), "dimension") +
                               ": an array has one, two or three");
  array_good_.back() = type && !of_bool && has_rank;
  return id;
}

void Checker::finish_array(SymbolId id, const ArraysDecl& decl, const ArrayDeclarator& array) {
  // Arrays of the host may have any extents; check_proc_extents checks those of procs that kernels
  // call.
  bool any = !checked_.array(id).top_level && decl.space == ArraySpace::local &&
             function_kind_ != FunctionKind::kernel;
  std::vector<TExpr> extents;
  for (const Expr& e : array.extents) {
    const bool shared = decl.space == ArraySpace::shared;
    const Setting setting = shared ? Setting::shared_extent : Setting::constant;
    add_integer(any ? expr(e) : constant_expr(e, setting, "an extent"), "an extent", extents);
  }
  checked_.array(id).extents = std::move(extents);
  if (decl.layout) check_layout(id, *decl.layout);
  if (decl.initial) check_initial(id, *decl.initial);
}

void Checker::check_initial(SymbolId id, const Initializer& initial) {
  auto index = static_cast<std::size_t>(id);
  if (checked_.array(id).kind == ArrayKind::shared) {
    error(initial.span, "`shared` arrays have no initial values", {"write them in the kernel"});
    return;
  }
  if (!array_good_[index]) return;
  Type before = std::exchange(element_type_, checked_.array(id).element);
  // Each array in memory has its own draw sites, so that other declarations do not change its data.
  const bool own_draws = checked_.array(id).kind == ArrayKind::memory;
  const SymbolId draws_before = own_draws ? std::exchange(draw_sites_, 0) : 0;
  std::vector<TExpr> values;
  for (const Expr& e : initial.values) {
    Typed value = coerce(constant_expr(e, Setting::initial, "an initial value"),
                         checked_.array(id).element, "an element");
    if (value) values.push_back(std::move(*value));
  }
  if (own_draws) draw_sites_ = draws_before;
  element_type_ = before;
  checked_.array(id).initial = std::move(values);
  checked_.array(id).initial_list = initial.list;
}

void Checker::declare_top_arrays() {
  const Program& program = checked_.program;
  for (const ArraysDecl& decl : program.arrays) {
    std::optional<Type> type = type_named(decl.type);
    bool allowed = space_allowed(decl, true);
    for (const ArrayDeclarator& array : decl.arrays) {
      SymbolId id = new_array(decl, array, type);
      checked_.arrays.back().top_level = true;
      if (!allowed) array_good_.back() = false;
      declare_top(array.name, EntityKind::array, static_cast<std::size_t>(id));
    }
  }
  first_view_ = static_cast<SymbolId>(checked_.arrays.size());
  view_progress_.assign(program.views.size(), Progress::waiting);
  for (const ViewDecl& view : program.views) {
    const SymbolId id = add_array(view.name, ArrayKind::view);
    checked_.array(id).top_level = true;
    declare_top(view.name, EntityKind::array, static_cast<std::size_t>(id));
  }
  for (std::size_t i = 0; i < program.views.size(); ++i) {
    top_view(first_view_ + static_cast<SymbolId>(i));
  }
}

void Checker::check_top_arrays() {
  const Program& program = checked_.program;
  Isolated isolated(*this, Setting::constant);
  SymbolId id = 0;
  for (const ArraysDecl& decl : program.arrays) {
    for (const ArrayDeclarator& array : decl.arrays) finish_array(id++, decl, array);
  }
  for (std::size_t i = 0; i < program.views.size(); ++i, ++id) {
    auto index = static_cast<std::size_t>(id);
    if (!array_good_[index]) continue;
    std::optional<ArraySlice> target = slice(program.views[i].target);
    array_good_[index] = target.has_value();
    if (!target) continue;
    for (const std::vector<TExpr>* part : {&target->lead, &target->range}) {
      for (const TExpr& e : *part) require_constant(e, Setting::constant, "a top-level slice");
    }
    checked_.array(id).target = std::move(*target);
  }
}

/// Registers have a fixed size: local arrays of procs that kernels call need constant extents.
void Checker::check_proc_extents() {
  std::vector<bool> seen(checked_.functions.size(), false);
  const std::function<void(const std::vector<TStatement>&)> walk = [&](const auto& body) {
    for (const TStatement& s : body) {
      const auto symbol = static_cast<std::size_t>(s.symbol);
      if (s.kind == TStatementKind::declare_array && !trail_.empty() &&
          checked_.arrays[symbol].kind == ArrayKind::local) {
        for (const TExpr& e : checked_.arrays[symbol].extents)
          require_constant(e, Setting::constant, "an extent in a proc that a kernel calls");
      }
      if (s.kind == TStatementKind::call && !seen[symbol]) {
        seen[symbol] = true;
        trail_.push_back(s.span);
        walk(checked_.functions[symbol].body);
        trail_.pop_back();
      }
      walk(s.body);
      walk(s.alternative);
    }
  };
  for (const TFunction& function : checked_.functions)
    if (function.kind == FunctionKind::kernel) walk(function.body);
}

void Checker::local_arrays(const ArraysDecl& decl, std::vector<TStatement>& out) {
  if (is_formula())
    error(decl.span, "a formula has numbers only: it cannot use a fn with an array");
  std::optional<Type> type = type_named(decl.type);
  bool allowed = space_allowed(decl, false);
  for (const ArrayDeclarator& array : decl.arrays) {
    SymbolId id = new_array(decl, array, type);
    if (allowed) finish_array(id, decl, array);
    checked_.array(id).used = true;
    bool good = allowed && array_good_[static_cast<std::size_t>(id)];
    declare_local(array.name, EntityKind::array, good ? id : -1);
    out.push_back(typed_statement(TStatementKind::declare_array, array.name.span, id));
  }
}

// Elements of arrays and tables, and fields of records.

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
