#include "lowering.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

namespace memlane::lang {
namespace {

// Numbers at or above this stand for pooled registers until `finish` knows how many others there
// are.
constexpr ir::Register pooled = 1 << 24;

} // namespace

FunctionBuilder::FunctionBuilder(std::string name, Span span) : span_(span) {
  function_.name = std::move(name);
  function_.span = span;
}

ir::Register FunctionBuilder::fresh() {
  function_.registers = std::max(function_.registers, next_ + 1);
  return next_++;
}

ir::Register FunctionBuilder::next_pooled() const {
  return pooled +
         static_cast<ir::Register>(constants_.size() + specials_.size() + launch_extents_.size());
}

ir::Register FunctionBuilder::constant(ir::Scalar type, ir::Value value) {
  return constants_.try_emplace({type, value.bits}, next_pooled()).first->second;
}

ir::Register FunctionBuilder::special(ir::Special which) {
  return specials_.try_emplace(which, next_pooled()).first->second;
}

ir::Register FunctionBuilder::launch_extent(std::int32_t array, std::int32_t dimension) {
  return launch_extents_.try_emplace({array, dimension}, next_pooled()).first->second;
}

ir::Register FunctionBuilder::reg(Operand operand) {
  return operand.known ? constant(ir::Scalar::int64, ir::Value::of(operand.value)) : operand.reg;
}

ir::Instruction& FunctionBuilder::emit(ir::Opcode op, ir::Scalar type, ir::Register d,
                                       ir::Register a, ir::Register b, ir::Register c,
                                       std::int64_t immediate) {
  return function_.code.emplace_back(ir::Instruction{op, type, false, ir::StatementMark::none, d, a,
                                                     b, c, immediate, span_, statement_, racy_});
}

Operand FunctionBuilder::integer(ir::Opcode op, Operand a, Operand b) {
  using enum ir::Opcode;
  if (a.known && b.known) {
    auto outcome = ir::apply(op, ir::Scalar::int64, ir::Value::of(a.value), ir::Value::of(b.value),
                             {}, ir::Scalar::int64);
    if (!outcome.trap) return Operand::of(outcome.value.integer());
  }
  if (op == add && a.known && a.value == 0) return b;
  if ((op == add || op == sub) && b.known && b.value == 0) return a;
  if (op == mul && b.known && b.value == 1) return a;
  ir::Register left = reg(a);
  ir::Register right = reg(b);
  ir::Register d = fresh();
  emit(op, ir::Scalar::int64, d, left, right);
  return Operand::in(d);
}

FunctionBuilder::Label FunctionBuilder::label() {
  labels_.push_back({false, -1});
  return labels_.size() - 1;
}

void FunctionBuilder::jump(ir::Opcode op, Label target, ir::Register a) {
  emit(op, ir::Scalar::boolean, -1, a, -1, -1, static_cast<std::int64_t>(target));
}

void FunctionBuilder::bind(Label label) {
  labels_[label] = {true, static_cast<std::int64_t>(function_.code.size())};
}

std::int32_t FunctionBuilder::local(std::string name, ir::Scalar type) {
  function_.locals.push_back({std::move(name), type});
  return static_cast<std::int32_t>(function_.locals.size()) - 1;
}

void FunctionBuilder::share(std::int32_t array) {
  auto& shared = function_.shared;
  auto at = std::lower_bound(shared.begin(), shared.end(), array);
  if (at == shared.end() || *at != array) shared.insert(at, array);
}

void FunctionBuilder::variable(std::string name, ir::Scalar type, ir::Register reg, Span span) {
  if (name.front() == '_') return; // the program does not write it
  const std::size_t first = function_.code.size();
  open_variables_.push_back(function_.variables.size());
  function_.variables.push_back({std::move(name), type, reg, span, first, first});
}

/// Ends the open variables but the first `left`.
void FunctionBuilder::end_variables(std::size_t left) {
  for (std::size_t i = left; i < open_variables_.size(); ++i)
    function_.variables[open_variables_[i]].last = function_.code.size();
  open_variables_.resize(left);
}

void FunctionBuilder::reserve(std::int32_t registers, const std::vector<ir::LocalArray>& locals) {
  next_ = function_.registers = registers;
  function_.locals = locals;
}

FunctionBuilder::Statement::Statement(FunctionBuilder& builder, Span span, Costs costs)
    : builder_(builder), costs_(costs), outer_(builder.statement_),
      first_(builder.function_.code.size()) {
  builder_.statement_ = -1;
  if (costs == Costs::never) return;
  builder_.statement_ = static_cast<std::int32_t>(builder.function_.statements.size());
  builder_.function_.statements.push_back({.span = span});
}

FunctionBuilder::Statement::~Statement() {
  auto& code = builder_.function_.code;
  const std::int32_t own = std::exchange(builder_.statement_, outer_);
  const auto makes_request = [&](const ir::Instruction& in) {
    return in.statement == own && ir::makes_request(in.op);
  };
  const auto first = code.begin() + static_cast<std::ptrdiff_t>(first_);
  if (costs_ != Costs::with_requests || std::any_of(first, code.end(), makes_request)) return;
  for (auto in = first; in != code.end(); ++in)
    if (in->statement == own) in->statement = -1;
}

/// Statements without instructions are dropped.
void FunctionBuilder::number_statements() {
  std::vector<std::int32_t> numbers(function_.statements.size(), -1);
  std::vector<ir::Statement> statements;
  for (ir::Instruction& in : function_.code) {
    if (in.statement < 0) continue;
    const auto old = static_cast<std::size_t>(in.statement);
    if (numbers[old] < 0) {
      numbers[old] = static_cast<std::int32_t>(statements.size());
      statements.push_back(function_.statements[old]);
    }
    in.statement = numbers[old];
  }
  function_.statements = std::move(statements);
}

ir::Function FunctionBuilder::finish() {
  emit(ir::Opcode::end, ir::Scalar::boolean, -1);
  end_variables(0);
  const auto pool = static_cast<std::size_t>(next_pooled() - pooled);
  std::vector<ir::Instruction> prologue(pool);
  auto place = [&](ir::Register number, ir::Opcode op, ir::Scalar type, std::int64_t immediate) {
    auto& instruction = prologue[static_cast<std::size_t>(number - pooled)];
    instruction.op = op;
    instruction.type = type;
    instruction.d = number;
    instruction.immediate = immediate;
    instruction.span = function_.span;
  };
  for (const auto& [key, number] : constants_)
    place(number, ir::Opcode::constant, key.first, static_cast<std::int64_t>(key.second));
  for (const auto& [which, number] : specials_)
    place(number, ir::Opcode::special, ir::Scalar::int32, static_cast<std::int64_t>(which));
  std::erase_if(prologue, [](const auto& instruction) { return instruction.d < 0; });
  for (const auto& [extent, number] : launch_extents_) { // the launch sets these registers
    function_.launch_extents.push_back({extent.first, extent.second});
    function_.formals.push_back(number);
  }

  auto shift = static_cast<std::int64_t>(prologue.size());
  for (auto& instruction : function_.code) {
    if (ir::operands(instruction.op).find('T') == std::string_view::npos) continue;
    auto [bound, target] = labels_[static_cast<std::size_t>(instruction.immediate)];
    assert(bound);
    instruction.immediate = target + shift;
  }
  function_.code.insert(function_.code.begin(), prologue.begin(), prologue.end());
  pool_begin_ = function_.registers;
  for (auto& i : function_.code)
    for (auto* r : {&i.d, &i.a, &i.b, &i.c}) *r = settled(*r);
  for (auto& formal : function_.formals) formal = settled(formal);
  for (ir::Variable& variable : function_.variables) {
    variable.reg = settled(variable.reg);
    variable.first += prologue.size();
    variable.last += prologue.size();
  }
  for (auto& site : function_.asserts)
    for (auto& variable : site.variables) variable.reg = settled(variable.reg);
  function_.registers += static_cast<std::int32_t>(pool);
  number_statements();
  return std::move(function_);
}

ir::Register FunctionBuilder::settled(ir::Register r) const {
  return r >= pooled ? pool_begin_ + (r - pooled) : r;
}

} // namespace memlane::lang
