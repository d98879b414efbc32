// Blocks of fns whose arguments are constant, executed before the run.
#include "constants.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::lang {

namespace {

/// Before the run there are no limits yet: a block that must be constant may take so many steps.
/// One that only might be folded is left to the run after fewer.
constexpr std::int64_t most_steps = 10000000, most_steps_of_folding = 20000;
/// Elements of a local array.
constexpr std::int64_t most_elements = 1000000;

} // namespace

bool Constants::step(Span at) {
  if (++steps_ <= (quiet_ ? most_steps_of_folding : most_steps)) return true;
  fail(at, fmt::format("this takes more than {} steps before the run", most_steps),
       {"does the loop end for these parameters?"});
  return false;
}

std::optional<ir::Value> Constants::block_value(const TExpr& call) {
  const auto around = wrap_;
  const Went went = execute(call.block);
  wrap_ = around; // of conditions, bounds and what was not returned
  if (went != Went::returned) return std::nullopt; // it failed: every path returns
  return with_wrap(returned_, returned_wrap_);
}

Constants::Went Constants::execute(const std::vector<TStatement>& body) {
  for (const TStatement& s : body)
    if (const Went went = execute(s); went != Went::on) return went;
  return Went::on;
}

Constants::Went Constants::execute(const TStatement& s) {
  if (!step(s.span)) return Went::failed;
  switch (s.kind) {
  case TStatementKind::assign_variable: {
    std::optional<ir::Wrap> wrap;
    const auto value = evaluate(*s.value, wrap);
    if (!value) return Went::failed;
    variables_[s.symbol] = *value;
    variable_wraps_[s.symbol] = std::move(wrap);
    return Went::on;
  }
  case TStatementKind::declare_array: return declare_array(s) ? Went::on : Went::failed;
  case TStatementKind::assign_element: return assign_element(s) ? Went::on : Went::failed;
  case TStatementKind::if_: {
    const auto value = evaluate(*s.value);
    if (!value) return Went::failed;
    return execute(value->truth() ? s.body : s.alternative);
  }
  case TStatementKind::while_:
  case TStatementKind::for_: return execute_loop(s);
  case TStatementKind::break_: return Went::broke;
  case TStatementKind::continue_: return Went::skipped;
  case TStatementKind::return_: {
    const auto value = evaluate(*s.value, returned_wrap_);
    if (!value) return Went::failed;
    returned_ = *value;
    return Went::returned;
  }
  default: // of records
    fail(s.span, "this value is not known before the run");
    return Went::failed;
  }
}

/// Bounds and step are evaluated once; the index counts in 64 bits, as in code.
Constants::Went Constants::execute_loop(const TStatement& s) {
  std::vector<std::int64_t> bounds = {0, 0, 1};
  for (std::size_t k = 0; k < s.expressions.size(); ++k) {
    const auto value = evaluate(s.expressions[k]);
    if (!value) return Went::failed;
    bounds[k] = value->integer();
  }
  if (bounds[2] < (s.step_kind == StepKind::add ? 1 : 2)) {
    fail(s.span, "the step of a loop is at least 1, a factor at least 2");
    return Went::failed;
  }
  for (std::int64_t i = bounds[0];; i = next_index(s, i, bounds[2])) {
    if (s.kind == TStatementKind::for_) {
      if (s.down ? i < bounds[1] : i > bounds[1]) return Went::on;
      variables_[s.symbol] = ir::Value::of(i);
      variable_wraps_.erase(s.symbol);
    } else {
      const auto value = evaluate(*s.value);
      if (!value) return Went::failed;
      if (!value->truth()) return Went::on;
    }
    if (!step(s.span)) return Went::failed;
    const Went went = execute(s.body);
    if (went == Went::broke) return Went::on;
    if (went == Went::returned || went == Went::failed) return went;
  }
}

std::int64_t Constants::next_index(const TStatement& s, std::int64_t i, std::int64_t step) {
  using enum ir::Opcode;
  const ir::Opcode op = s.step_kind == StepKind::multiply ? mul
                        : s.step_kind == StepKind::divide ? ir::Opcode::div
                        : s.down                          ? sub
                                                          : add;
  return ir::apply(op, ir::Scalar::int64, ir::Value::of(i), ir::Value::of(step), {},
                   ir::Scalar::int64)
      .value.integer();
}

bool Constants::declare_array(const TStatement& s) {
  const ArraySymbol& symbol = program_.arrays[index(s.symbol)];
  Array array;
  std::int64_t size = 1;
  for (const TExpr& e : symbol.extents) {
    const auto extent = evaluate(e);
    if (!extent) return false;
    array.extents.push_back(std::clamp<std::int64_t>(extent->integer(), 0, most_elements));
    size = std::min(size * array.extents.back(), most_elements + 1);
  }
  if (symbol.element.is_record() || size < 1 || size > most_elements || !symbol.initial.empty()) {
    fail(s.span, fmt::format("array {} is not known before the run", symbol.name),
         {fmt::format("before the run, a fn has arrays of up to {} numbers, without initial values",
                      most_elements)});
    return false;
  }
  steps_ += size;
  array.values.resize(static_cast<std::size_t>(size));
  arrays_[s.symbol] = std::move(array);
  return true;
}

ir::Value* Constants::element(SymbolId id, const std::vector<TExpr>& indices) {
  std::int64_t at = 0;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const auto i = evaluate(indices[k]);
    if (!i) return nullptr;
    const auto found = arrays_.find(id); // an index may have a call with arrays of its own
    if (found == arrays_.end()) {
      fail(indices[k].span, "this value is not known before the run");
      return nullptr;
    }
    const std::int64_t extent = found->second.extents[k];
    if (i->integer() < 0 || i->integer() >= extent) {
      fail(indices[k].span, fmt::format("index {} is outside array {} (0..{})", i->integer(),
                                        program_.arrays[index(id)].name, extent));
      return nullptr;
    }
    at = at * extent + i->integer();
  }
  return &arrays_[id].values[static_cast<std::size_t>(at)];
}

bool Constants::assign_element(const TStatement& s) {
  auto value = evaluate(*s.value);
  ir::Value* word = value ? element(s.symbol, s.indices) : nullptr;
  if (!word) return false;
  if (s.assign_op != AssignOp::set) {
    const ir::Opcode op = s.assign_op == AssignOp::add   ? ir::Opcode::add
                          : s.assign_op == AssignOp::sub ? ir::Opcode::sub
                                                         : ir::Opcode::mul;
    const ir::Scalar type = s.value->type.scalar;
    value = ir::apply(op, type, *word, *value, {}, type).value;
  }
  *word = *value;
  return true;
}

} // namespace memlane::lang
