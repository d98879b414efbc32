// Data and counted operators (model.md, section 6).
#include "checker.hpp"

#include <algorithm>

namespace memlane::lang {

namespace {

class Counter {
public:
  explicit Counter(Checked& checked)
      : checked_(checked), array_data_(checked.arrays.size(), false) {
    for (std::size_t i = 0; i < checked.arrays.size(); ++i) {
      ArrayKind kind = checked.arrays[i].kind;
      array_data_[i] = kind == ArrayKind::memory || kind == ArrayKind::shared;
    }
  }

  void run() {
    do {
      changed_ = false;
      for (TFunction& function : checked_.functions) spread(function.body);
    } while (changed_);
    for (TFunction& function : checked_.functions) mark(function.body);
  }

private:
  void raise(std::vector<bool>& flags, SymbolId id) {
    if (flags[static_cast<std::size_t>(id)]) return;
    flags[static_cast<std::size_t>(id)] = true;
    changed_ = true;
  }
  void raise_variable(SymbolId id) {
    bool& flag = checked_.variables[static_cast<std::size_t>(id)].data;
    changed_ = changed_ || !flag;
    flag = true;
  }
  bool array_data(SymbolId id) const {
    return array_data_[static_cast<std::size_t>(root_array(checked_, id))];
  }

  bool data(const TExpr& e) const;
  void spread(const std::vector<TStatement>& body);
  void spread_bindings(const TExpr& e);
  void spread_actuals(const TStatement& s);
  void mark(std::vector<TStatement>& body);
  void mark_statement(TStatement& s);
  void mark_operators(TExpr& e);
  void mark_operands(TExpr& e, bool in_index);

  Checked& checked_;
  std::vector<bool> array_data_; ///< by array: in memory or shared, or given something that is
  bool changed_ = false;
};

/// Does the expression read data outside index brackets?
bool Counter::data(const TExpr& e) const {
  switch (e.kind) {
  case TExprKind::element: return array_data(e.symbol);
  case TExprKind::initial: return true;
  case TExprKind::lookup: return false;
  case TExprKind::variable: return checked_.variables[static_cast<std::size_t>(e.symbol)].data;
  default: break;
  }
  auto is_data = [&](const TExpr& operand) { return data(operand); };
  return std::any_of(e.operands.begin(), e.operands.end(), is_data) ||
         std::any_of(e.bindings.begin(), e.bindings.end(),
                     [&](const auto& binding) { return data(binding.value); });
}

void Counter::spread_bindings(const TExpr& e) {
  for (const auto& [variable, value] : e.bindings) {
    spread_bindings(value);
    if (data(value)) raise_variable(variable);
  }
  for (const TExpr& operand : e.operands) spread_bindings(operand);
}

/// Formals are registers, and names of arrays, that calls assign.
void Counter::spread_actuals(const TStatement& s) {
  const TFunction& function = checked_.functions[static_cast<std::size_t>(s.symbol)];
  for (std::size_t i = 0; i < s.actuals.size(); ++i) {
    const TActual& actual = s.actuals[i];
    SymbolId formal = function.formals[i].symbol;
    if (actual.value) spread_bindings(*actual.value);
    if (actual.value && data(*actual.value)) raise_variable(formal);
    if (!actual.array) continue;
    if (array_data(actual.array->array)) raise(array_data_, formal);
    // By reference: what the proc stores is in the caller's array.
    SymbolId root = root_array(checked_, actual.array->array);
    if (array_data_[static_cast<std::size_t>(formal)]) raise(array_data_, root);
  }
}

void Counter::spread(const std::vector<TStatement>& body) {
  for (const TStatement& s : body) {
    if (s.value) spread_bindings(*s.value);
    switch (s.kind) {
    case TStatementKind::assign_variable:
    case TStatementKind::assign_field:
      if (data(*s.value)) raise_variable(s.symbol);
      break;
    case TStatementKind::assign_element:
      if (data(*s.value)) raise(array_data_, root_array(checked_, s.symbol));
      break;
    case TStatementKind::call:
    case TStatementKind::launch: spread_actuals(s); break;
    default: break;
    }
    spread(s.body);
    spread(s.alternative);
  }
}

void Counter::mark(std::vector<TStatement>& body) {
  for (TStatement& s : body) {
    mark_statement(s);
    if (s.value) mark_operands(*s.value, false);
    for (TExpr& e : s.indices) mark_operands(e, true);
    for (TExpr& e : s.expressions) mark_operands(e, false);
    for (TRange& range : s.ranges) {
      mark_operands(range.lo, false);
      mark_operands(range.hi, false);
    }
    for (TActual& actual : s.actuals) {
      if (actual.value) mark_operands(*actual.value, false);
    }
    mark(s.body);
    mark(s.alternative);
  }
}

/// Only assignments count; the initial value of a `let` or `var` is free.
void Counter::mark_statement(TStatement& s) {
  bool target = false;
  switch (s.kind) {
  case TStatementKind::assign_variable:
    if (s.declaration) return;
    [[fallthrough]];
  case TStatementKind::assign_field:
    target = checked_.variables[static_cast<std::size_t>(s.symbol)].data;
    break;
  case TStatementKind::assign_element: target = array_data(s.symbol); break;
  default: return;
  }
  if (!target && !data(*s.value)) return;
  s.counted = s.assign_op != AssignOp::set;
  mark_operators(*s.value);
}

/// The operators of a data statement's right side.
void Counter::mark_operators(TExpr& e) {
  bool operand_data = std::any_of(e.operands.begin(), e.operands.end(),
                                  [&](const TExpr& operand) { return data(operand); });
  switch (e.kind) {
  case TExprKind::element:
  case TExprKind::initial:
  case TExprKind::lookup: return; // index arithmetic is free
  case TExprKind::conditional:    // as conditions are
    mark_operators(e.operands[1]);
    mark_operators(e.operands[2]);
    return;
  case TExprKind::fn_call: // one operator, whatever its body does
    for (auto& [variable, value] : e.bindings) {
      mark_operators(value);
      if (e.symbol >= 0 && data(value)) e.counted = true;
    }
    if (e.symbol < 0) mark_operators(e.operands[0]);
    return;
  case TExprKind::operation:
  case TExprKind::comparison:
  case TExprKind::logical_not:
  case TExprKind::logical_and:
  case TExprKind::logical_or:
  case TExprKind::is_pow2:
  case TExprKind::random: e.counted = operand_data; break;
  default: break;
  }
  for (TExpr& operand : e.operands) mark_operators(operand);
  // max(a, b, c) is one call, written as two operations of the same place.
  bool fold =
      e.kind == TExprKind::operation && (e.op == ir::Opcode::min || e.op == ir::Opcode::max);
  if (fold && e.operands[0].kind == e.kind && e.operands[0].op == e.op &&
      e.operands[0].span == e.span) {
    e.operands[0].counted = false;
  }
}

void Counter::mark_operands(TExpr& e, bool in_index) {
  if (e.kind == TExprKind::element) e.data = !in_index;
  bool indexed =
      e.kind == TExprKind::element || e.kind == TExprKind::initial || e.kind == TExprKind::lookup;
  for (auto& [variable, value] : e.bindings) mark_operands(value, in_index);
  for (TExpr& operand : e.operands) mark_operands(operand, in_index || indexed);
}

} // namespace

void mark_counted(Checked& checked) { Counter(checked).run(); }

} // namespace memlane::lang
