// Statements: assignments, structured control under masks, calls and launches.
#include "lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::lang {

using enum ir::Opcode;

void Lowering::block(const std::vector<TStatement>& body) {
  FunctionBuilder::Scope scope(code());
  for (const auto& s : body) statement(s);
}

/// Makes the instructions that follow part of a data statement of a kernel, or of none.
FunctionBuilder::Statement Lowering::costed(Span span, bool data) {
  using Costs = FunctionBuilder::Statement::Costs;
  return {code(), span, data && in_kernel_ ? Costs::always : Costs::never};
}

/// … to a condition, bound or range, which costs if it makes requests (configs/README.md section
/// 6).
FunctionBuilder::Statement Lowering::evaluation(const TExpr& expr) {
  using Costs = FunctionBuilder::Statement::Costs;
  return {code(), expr.span, in_kernel_ ? Costs::with_requests : Costs::never};
}

ir::Register Lowering::evaluate(const TExpr& expr) {
  const auto own = evaluation(expr);
  return scalar(expr);
}

Operand Lowering::evaluate_bound(const TExpr& expr) {
  const auto own = evaluation(expr);
  return operand(expr);
}

void Lowering::statement(const TStatement& s) {
  if (!watch_.go_on(2 * sizeof(ir::Instruction))) return;
  code().at(s.span);
  const bool outer = code().racy(); // the block of a fn may be part of a racy statement
  code().set_racy(outer || s.racy);
  program_.racy_statements = program_.racy_statements || s.racy;
  const auto own = costed(s.span, s.data);
  std::optional<FunctionBuilder::Scope> scope;
  // Else nothing declared here outlives the statement: its registers are free again after it.
  if (s.kind != TStatementKind::assign_variable && s.kind != TStatementKind::declare_array &&
      s.kind != TStatementKind::declare_view)
    scope.emplace(code());
  switch (s.kind) {
  case TStatementKind::assign_variable: assign_variable(s); break;
  case TStatementKind::declare_array:
  case TStatementKind::declare_view: declare(s); break;
  case TStatementKind::launch: lower_launch(s); break;
  case TStatementKind::assign_field:
    lower_into(*s.value, {variable(s.symbol)[static_cast<std::size_t>(s.field)]});
    break;
  case TStatementKind::assign_element: assign_element(s); break;
  case TStatementKind::update: lower_atomic(*s.value, false); break;
  case TStatementKind::if_: lower_if(s); break;
  case TStatementKind::while_: lower_while(s); break;
  case TStatementKind::for_: lower_for(s); break;
  case TStatementKind::forall: lower_forall(s); break;
  case TStatementKind::barrier: code().emit(barrier, ir::Scalar::boolean, -1); break;
  case TStatementKind::break_: leave_loops(leaving_.loops.back().itself); break;
  case TStatementKind::continue_: leave_loops(leaving_.loops.back().body); break;
  case TStatementKind::return_: lower_return(s); break;
  case TStatementKind::print: lower_print(s); break;
  case TStatementKind::assert_: lower_assert(s); break;
  case TStatementKind::concurrent: lower_concurrent(s); break;
  case TStatementKind::call: lower_call(s); break;
  }
  code().set_racy(outer);
}

void Lowering::lower_assert(const TStatement& s) {
  ir::AssertSite site;
  std::set<SymbolId> taken; // or bound within the condition
  add_named(*s.value, taken, site.variables);
  ir::Register a = evaluate(*s.value);
  code().at(s.span);
  site.message = message(s.text);
  code().emit(assert_, ir::Scalar::boolean, -1, a, -1, -1, site.message);
  if (!site.variables.empty()) code().add_assert(std::move(site));
}

/// Adds the variables that an expression mentions, each once.
void Lowering::add_named(const TExpr& expr, std::set<SymbolId>& taken,
                         std::vector<ir::NamedRegister>& named) {
  for (const auto& [variable, value] : expr.bindings) {
    add_named(value, taken, named);
    taken.insert(variable);
  }
  for (const auto& operand : expr.operands) add_named(operand, taken, named);
  if (expr.kind != TExprKind::variable || !taken.insert(expr.symbol).second) return;
  const VariableSymbol& symbol = checked_.variable(expr.symbol);
  const Registers& registers = variable(expr.symbol);
  for (std::size_t f = 0; f < registers.size(); ++f) {
    named.push_back({variable_name(symbol, f), scalars_of(checked_, symbol.type)[f], registers[f]});
  }
}

std::int64_t Lowering::message(std::string text) {
  program_.messages.push_back(std::move(text));
  return static_cast<std::int64_t>(program_.messages.size()) - 1;
}

void Lowering::assign_variable(const TStatement& s) {
  auto found = variables_.find(s.symbol);
  if (s.declaration || found == variables_.end()) {
    // The variable's registers come before the temporaries of its value, which are freed.
    Registers target = fresh(s.value->type);
    {
      FunctionBuilder::Scope temporaries(code());
      lower_into(*s.value, target);
    }
    bind_variable(s.symbol, target);
    return;
  }
  Registers target = found->second;
  // What an iteration passes to the next one of its thread depends on the distribution of
  // iterations.
  if (target.front() < forall_registers_) program_.threads_matter = true;
  FunctionBuilder::Scope temporaries(code());
  lower_into(*s.value, target);
}

void Lowering::assign_element(const TStatement& s) {
  ArrayRef ref = resolve(s.symbol);
  std::size_t field = s.field < 0 ? 0 : static_cast<std::size_t>(s.field);
  std::size_t last = s.field < 0 ? ref.roots.size() : field + 1;
  Registers values;
  Operand at;
  if (s.assign_op == AssignOp::set) {
    values = lower(*s.value);
    at = number(ref, s.indices);
  } else {
    // The requests of e come first, then those of the indices; the target is read last.
    ir::Register right = scalar(*s.value);
    TExpr target;
    target.kind = TExprKind::element;
    target.type = s.value->type;
    target.span = s.span;
    at = number(ref, s.indices);
    ir::Register left = load(ref, field, at, target);
    ir::Register d = code().fresh();
    code().at(s.span);
    code().emit(opcode_of(s.assign_op), s.value->type.scalar, d, left, right).counted = s.counted;
    values = {d};
  }
  code().at(s.span);
  auto types = scalars_of(checked_, s.value->type);
  for (std::size_t f = field; f < last; ++f) store(ref, f, at, values[f - field], types[f - field]);
}

// A copy of an operand's present value, since its variable may change.
Operand Lowering::keep(Operand operand) {
  if (operand.known) return operand;
  ir::Register kept = code().fresh();
  code().emit(ir::Opcode::move, ir::Scalar::int64, kept, operand.reg);
  return Operand::in(kept);
}

void Lowering::declare(const TStatement& s) {
  const ArraySymbol& symbol = checked_.array(s.symbol);
  if (s.kind == TStatementKind::declare_view) {
    ArrayRef ref = slice(*symbol.target);
    ref.name = symbol.name;
    ref.offset = keep(ref.offset);
    for (auto& extent : ref.extents) extent = keep(extent);
    arrays_[s.symbol] = ref;
    return;
  }
  if (symbol.kind == ArrayKind::shared) return; // declared with the kernel
  ArrayRef ref;
  ref.local = true;
  ref.name = symbol.name;
  Operand size = Operand::of(1);
  for (const auto& e : symbol.extents) {
    Operand extent = evaluate_bound(e);
    if (extent.known) extent = Operand::of(constants_.extent(e, symbol.name));
    ref.extents.push_back(keep(extent));
    size = code().integer(mul, size, extent);
  }
  for (auto type : scalars_of(checked_, symbol.element)) {
    ref.roots.push_back(code().local(symbol.name, type));
    code().at(s.span);
    code().emit(local_new, type, -1, code().reg(size), -1, -1, ref.roots.back());
  }
  arrays_[s.symbol] = ref;
  fill(symbol, ref, size);
}

// The initial values of a local array; without any it is all zero already.
void Lowering::fill(const ArraySymbol& symbol, const ArrayRef& ref, Operand size) {
  if (symbol.initial.empty()) return;
  FunctionBuilder::Scope scope(code());
  auto types = scalars_of(checked_, symbol.element);
  auto put = [&](Operand at, const TExpr& value) {
    const auto own = evaluation(value);
    Registers values = lower(value);
    for (std::size_t f = 0; f < types.size(); ++f) store(ref, f, at, values[f], types[f]);
  };
  if (symbol.initial_list) {
    if (size.known && size.value != static_cast<std::int64_t>(symbol.initial.size())) {
      constants_.errors().push_back(
          error_at(symbol.span, fmt::format("array {} has {} elements, its list {}", symbol.name,
                                            size.value, symbol.initial.size())));
      return;
    }
    for (std::size_t i = 0; i < symbol.initial.size(); ++i)
      put(Operand::of(static_cast<std::int64_t>(i)), symbol.initial[i]);
    return;
  }
  ir::Register i = code().fresh(), more = code().fresh();
  auto top = code().label(), end = code().label();
  const auto wide = ir::Scalar::int64;
  code().emit(ir::Opcode::move, wide, i, code().reg(Operand::of(0)));
  code().emit(loop, ir::Scalar::boolean, -1);
  code().bind(top);
  code().emit(lt, wide, more, i, code().reg(size));
  code().jump(while_, end, more);
  const ir::Register outer = std::exchange(index_, i); // what `index` stands for in the value
  put(Operand::in(i), symbol.initial[0]);
  index_ = outer;
  code().emit(add, wide, i, i, code().reg(Operand::of(1)));
  code().jump(again, top);
  code().bind(end);
  code().emit(endloop, ir::Scalar::boolean, -1);
}

void Lowering::lower_if(const TStatement& s) {
  if (auto known = constants_.fold(*s.value)) return block(known->truth() ? s.body : s.alternative);
  ir::Register c = evaluate(*s.value);
  auto otherwise = code().label(), end = code().label();
  const int outer = std::exchange(leaving_.outermost, Leaving::nothing);
  code().at(s.span);
  code().jump(if_, otherwise, c);
  leaving_.exits.push_back(otherwise);
  block(s.body);
  code().bind(otherwise);
  code().at(s.span);
  code().jump(else_, end);
  leaving_.exits.back() = end;
  block(s.alternative);
  leaving_.exits.pop_back();
  code().bind(end);
  code().at(s.span);
  code().emit(endif, ir::Scalar::boolean, -1);
  if (leaving_.outermost != Leaving::nothing) // all lanes may have left a loop
    code().jump(exit, leaving_.exits.back());
  leaving_.outermost = std::min(leaving_.outermost, outer);
}

void Lowering::lower_while(const TStatement& s) {
  auto top = code().label(), end = code().label();
  open_loop(end);
  code().bind(top);
  ir::Register c = evaluate(*s.value);
  code().at(s.span);
  code().jump(while_, end, c);
  loop_body(s.body);
  code().at(s.span);
  code().jump(again, top);
  close_loop(end);
}

// The checker checks literal steps; this checks others when the loop begins.
void Lowering::check_step(const TStatement& s, ir::Register step) {
  ir::Register least = code().constant(
      ir::Scalar::int64, ir::Value::of(std::int64_t{s.step_kind == StepKind::add ? 1 : 2}));
  ir::Register bad = code().fresh();
  auto otherwise = code().label(), end = code().label();
  code().emit(lt, ir::Scalar::int64, bad, step, least);
  code().jump(if_, otherwise, bad);
  code().emit(trap, ir::Scalar::boolean, -1, -1, -1, -1,
              message(s.step_kind == StepKind::add ? "the step of a loop is at least 1"
                                                   : "the factor of a loop's step is at least 2"));
  code().bind(otherwise);
  code().jump(else_, end);
  code().bind(end);
  code().emit(endif, ir::Scalar::boolean, -1);
}

/// What indices that another one follows lie below, or above when the loop counts down. Beside the
/// ends of a long, an index that is stepped too far would wrap around; this bound does not.
Operand Lowering::bound_of_followed(const TStatement& s, Operand to, Operand step) {
  const auto word = [&](ir::Opcode op, Operand a, Operand b) { return code().integer(op, a, b); };
  const Operand one = Operand::of(1);
  if (step_of(s) == mul) return word(add, word(div, to, step), one);
  const Operand room = word(sub, step, one);
  if (room.known && room.value == 0) return to;
  if (s.down) return word(add, word(min, to, word(sub, Operand::of(INT64_MAX), room)), room);
  return word(sub, word(max, to, word(add, Operand::of(INT64_MIN), room)), room);
}

/// An int counts in 64 bits and so goes beyond its last value: the loop asks before each round. A
/// long cannot: the loop asks before the first round, and then before each step.
void Lowering::lower_for(const TStatement& s) {
  const auto wide = ir::Scalar::int64;
  ir::Register i = code().fresh();
  {
    const auto own = evaluation(s.expressions[0]);
    lower_into(s.expressions[0], {i});
  }
  Operand to = keep(evaluate_bound(s.expressions[1]));
  Operand step = Operand::of(1);
  if (s.expressions.size() > 2) step = keep(evaluate_bound(s.expressions[2]));
  if (!step.known) check_step(s, step.reg);
  bind_variable(s.symbol, {i});
  const bool asks_before_step = s.expressions[0].type.scalar == wide && step_of(s) != div;
  auto top = code().label(), end = code().label();
  code().at(s.span);
  const ir::Register more = code().fresh();
  const auto ask = [&](ir::Opcode op, ir::Register limit) {
    code().emit(op, wide, more, s.down ? limit : i, s.down ? i : limit);
  };
  const ir::Register last = code().reg(to);
  const ir::Register followed =
      asks_before_step ? code().reg(bound_of_followed(s, to, step)) : last;
  if (asks_before_step) ask(le, last);
  open_loop(end);
  code().bind(top);
  if (!asks_before_step) ask(le, last);
  code().jump(while_, end, more);
  loop_body(s.body);
  code().at(s.span);
  if (asks_before_step) ask(lt, followed);
  code().emit(step_of(s), wide, i, i, code().reg(step));
  code().jump(again, top);
  close_loop(end);
}

void Lowering::lower_call(const TStatement& s) {
  const TFunction& proc = checked_.function(s.symbol);
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    const TFormal& formal = proc.formals[k];
    if (!formal.array) {
      Registers target = fresh(s.actuals[k].value->type);
      const auto own = costed(s.actuals[k].value->span, s.actuals[k].data);
      lower_into(*s.actuals[k].value, target);
      bind_variable(formal.symbol, target);
      continue;
    }
    bind_formal(formal.symbol, slice(*s.actuals[k].array));
  }
  block(s.variant < 0 ? proc.body : checked_.variants[static_cast<std::size_t>(s.variant)]);
}

void Lowering::bind_formal(SymbolId id, ArrayRef ref) {
  const ArraySymbol& symbol = checked_.array(id);
  for (std::size_t k = 0; k < symbol.extent_names.size(); ++k)
    if (symbol.extent_names[k] >= 0)
      bind_variable(symbol.extent_names[k], {code().reg(ref.extents[k])});
  ref.name = symbol.name;
  arrays_[id] = std::move(ref);
}

void Lowering::lower_concurrent(const TStatement& s) {
  code().emit(concurrent, ir::Scalar::boolean, -1);
  block(s.body);
  code().at(s.span);
  code().emit(endconcurrent, ir::Scalar::boolean, -1);
}

void Lowering::lower_launch(const TStatement& s) {
  const TFunction& function = checked_.function(s.symbol);
  ir::LaunchSite site;
  std::vector<ArrayRef> arrays;
  for (const auto& actual : s.actuals) {
    if (actual.value) {
      for (auto r : lower(*actual.value)) site.actuals.push_back(r);
      continue;
    }
    ArrayRef ref = slice(*actual.array);
    if (!ref.offset.known) site.actuals.push_back(ref.offset.reg);
    for (const auto& extent : ref.extents)
      if (!extent.known) site.actuals.push_back(extent.reg);
    arrays.push_back(std::move(ref));
  }
  site.blocks = s.blocks ? scalar(*s.blocks)
                         : code().constant(ir::Scalar::int64, ir::Value::of(std::int64_t{1}));
  if (s.threads) site.threads = scalar(*s.threads);
  FunctionBuilder* host = builder_;
  Leaving outer = std::exchange(leaving_, {});
  site.kernel = kernel(function, arrays);
  leaving_ = std::move(outer);
  builder_ = host;
  code().at(s.span);
  program_.launches.push_back(site);
  code().emit(launch, ir::Scalar::boolean, -1, -1, -1, -1,
              static_cast<std::int64_t>(program_.launches.size()) - 1);
}

} // namespace memlane::lang
