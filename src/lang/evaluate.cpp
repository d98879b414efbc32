#include "memlane/lang/evaluate.hpp"

#include "memlane/ir/arithmetic.hpp"
#include "memlane/lang/exact/number.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace memlane::lang {

namespace {

std::size_t position(SymbolId id) { return static_cast<std::size_t>(id); }

NoValue not_known(Span span) { return {error_at(span, "this value is not known before the run")}; }

} // namespace

Evaluation Environment::property(const TExpr& e) { return not_known(e.span); }

std::optional<Evaluated> Environment::variable(SymbolId) { return std::nullopt; }

const Limits& Environment::limits() const {
  static const Limits none;
  return none;
}

NoValue Evaluator::problem() const { return unknown_ ? not_known(*unknown_) : problem_; }

Evaluator::Answer Evaluator::unknown(Span span) {
  unknown_ = span;
  return std::nullopt;
}

Evaluator::Answer Evaluator::fail(Span span, std::string message, std::vector<std::string> help) {
  unknown_.reset();
  problem_ = {error_at(span, std::move(message), std::move(help))};
  return std::nullopt;
}

Evaluator::Answer Evaluator::take(Evaluation evaluation) {
  if (auto* value = std::get_if<Evaluated>(&evaluation)) return std::move(*value);
  unknown_.reset();
  problem_ = std::get<NoValue>(std::move(evaluation));
  return std::nullopt;
}

/// False, with the problem, where the evaluation must stop.
bool Evaluator::go_on() {
  if (watch_.go_on()) return true;
  take(NoValue{stopped_while(watch_.stop(), "evaluating an expression")});
  return false;
}

std::optional<Evaluated> Evaluator::value(const TExpr& e) {
  if (!go_on()) return std::nullopt;
  if (depth_ == 0) steps_ = 0;
  ++depth_;
  Answer answer = evaluate(e);
  // The next evaluation must not see variables of fns that this one executed, perhaps in part.
  if (--depth_ == 0) variables_.clear(), arrays_.clear();
  return answer;
}

Evaluator::Answer Evaluator::evaluate(const TExpr& e) {
  if (e.counted && !rules.executes_counted) return unknown(e.span);
  switch (e.kind) {
  case TExprKind::literal: return e.type.exact ? exact_literal(e) : Evaluated{e.value};
  case TExprKind::param: return take(environment_->param(e.symbol));
  case TExprKind::constant: return constant(e.symbol);
  case TExprKind::letter: return take(environment_->letter(e));
  case TExprKind::count:
  case TExprKind::fn_count:
  case TExprKind::padding:
  case TExprKind::layout: return take(environment_->property(e));
  case TExprKind::variable: return variable(e);
  case TExprKind::element: {
    if (arrays_.count(e.symbol) == 0) break;
    const ir::Value* word = element(e.symbol, e.operands);
    return word ? Answer(Evaluated{*word}) : std::nullopt;
  }
  case TExprKind::lookup: return lookup(e);
  case TExprKind::operation:
  case TExprKind::comparison: return operate(e, e.op);
  case TExprKind::logical_not: return operate(e, ir::Opcode::logical_not);
  case TExprKind::convert: return operate(e, ir::Opcode::convert);
  case TExprKind::is_pow2: return operate(e, ir::Opcode::is_pow2);
  case TExprKind::floor:
  case TExprKind::ceiling: return rounded(e);
  case TExprKind::logical_and:
  case TExprKind::logical_or:
  case TExprKind::conditional: return logical(e);
  case TExprKind::fn_call: return fn_call(e);
  case TExprKind::special:
  case TExprKind::index_number:
  case TExprKind::initial:
  case TExprKind::atomic:
  case TExprKind::of_warp:
  case TExprKind::random:
  case TExprKind::record:
  case TExprKind::field: break;
  }
  return unknown(e.span);
}

Evaluator::Answer Evaluator::variable(const TExpr& e) {
  if (const auto found = variables_.find(e.symbol); found != variables_.end()) return found->second;
  if (auto known = environment_->variable(e.symbol)) return known;
  return unknown(e.span);
}

std::optional<Evaluated> Evaluator::constant(SymbolId id) {
  std::optional<Evaluation>& kept = constants_[position(id)];
  if (!kept) {
    const ConstSymbol& symbol = checked_->constant(id);
    if (!environment_->knows_constant(id)) return unknown(symbol.span);
    // A constant is needed in any case, so the step limit of folding does not apply to it.
    const auto most_steps = std::exchange(rules.most_steps, EvaluationRules{}.most_steps);
    const auto steps = std::exchange(steps_, 0);
    Answer answer = value(symbol.values[0]);
    rules.most_steps = most_steps, steps_ = steps;
    kept = answer ? Evaluation(std::move(*answer)) : Evaluation(problem());
  }
  return take(*kept);
}

const TableWords* Evaluator::table(SymbolId id) {
  std::optional<TableWords>& kept = tables_[position(id)];
  if (kept) return &*kept;
  const ConstSymbol& symbol = checked_->constant(id);
  if (!environment_->knows_constant(id)) return unknown(symbol.span), nullptr;
  TableWords table;
  std::size_t size = 1;
  for (const TExpr& e : symbol.extents) {
    const Answer extent = value(e);
    if (!extent) return nullptr;
    table.extents.push_back(extent->word().integer());
    size *= static_cast<std::size_t>(table.extents.back());
  }
  for (const TExpr& e : symbol.values) {
    const Answer word = value(e);
    if (!word) return nullptr;
    table.words.push_back(word->word());
  }
  if (!symbol.list) table.words.resize(size, table.words.front());
  return &kept.emplace(std::move(table));
}

std::optional<std::int64_t> Evaluator::extent(const TExpr& e, const std::string& array,
                                              const Sources& sources) {
  const Answer extent = value(e);
  if (!extent) return std::nullopt;
  const std::int64_t words = extent->word().integer();
  if (extent->wrap) {
    ir::Wrap wrap = *extent->wrap;
    wrap.made = words;
    unknown_.reset();
    problem_ = {ir::wrapped_extent(e.span, array, wrap, sources)};
    return std::nullopt;
  }
  if (words >= 1) return words;
  fail(e.span, fmt::format("an extent of {} is {}: extents are at least 1", array, words),
       {"where it depends on params, give them other values, or a 'where'"});
  return std::nullopt;
}

/// The index in one dimension. Claims compute it exactly, so it may not be a whole number.
std::optional<std::int64_t> Evaluator::table_index(const TExpr& e, const std::string& table,
                                                   std::int64_t extent) {
  const Answer index = value(e);
  if (!index) return std::nullopt;
  const auto number = e.type.exact ? index->number().small() : index->word().integer();
  if (number && *number >= 0 && *number < extent) return *number;
  if (e.type.exact)
    fail(e.span, fmt::format("index {} of '{}' is out of range", index->number().brief(), table));
  else
    fail(e.span, fmt::format("index {} is outside table {} (0..{})", *number, table, extent));
  return std::nullopt;
}

Evaluator::Answer Evaluator::lookup(const TExpr& e) {
  const TableWords* words = table(e.symbol);
  if (!words) return std::nullopt;
  std::int64_t at = 0;
  for (std::size_t k = 0; k < e.operands.size(); ++k) {
    const auto index =
        table_index(e.operands[k], checked_->constant(e.symbol).name, words->extents[k]);
    if (!index) return std::nullopt;
    at = at * words->extents[k] + *index;
  }
  return Evaluated{words->words[static_cast<std::size_t>(at)]};
}

Evaluator::Answer Evaluator::operate(const TExpr& e, ir::Opcode op) {
  const Type operand_type = e.operands[0].type;
  if (e.type.exact || operand_type.exact)
    return op == ir::Opcode::convert ? exact_conversion(e) : exact_operation(e, op);
  std::array<ir::Value, 3> values{};
  std::optional<ir::Wrap> wrap;
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    Answer operand = value(e.operands[i]);
    if (!operand) return std::nullopt;
    values.at(i) = operand->word();
    if (!wrap) wrap = std::move(operand->wrap);
  }
  const bool of_result = e.kind == TExprKind::operation || e.kind == TExprKind::convert;
  const ir::Outcome outcome = ir::apply(op, of_result ? e.type.scalar : operand_type.scalar,
                                        values[0], values[1], values[2], operand_type.scalar);
  if (outcome.trap) return fail(e.span, outcome.trap);
  if (!of_result || ir::takes_some_bits(op)) wrap.reset();
  if (!wrap)
    wrap = ir::wrap_of(op, e.type.scalar, operand_type.scalar, values[0], values[1], outcome.value,
                       e.span);
  return Evaluated{outcome.value, std::move(wrap)};
}

/// The operand that is not needed is not evaluated: it may have no value.
Evaluator::Answer Evaluator::logical(const TExpr& e) {
  const Answer first = value(e.operands[0]);
  if (!first) return std::nullopt;
  const bool truth = first->word().truth();
  if (e.kind == TExprKind::conditional) return value(e.operands[truth ? 1 : 2]);
  if (truth == (e.kind == TExprKind::logical_or)) return Evaluated{ir::Value::of(truth)};
  return value(e.operands[1]);
}

Evaluator::Answer Evaluator::fn_call(const TExpr& e) {
  for (const auto& [variable, argument] : e.bindings) {
    Answer answer = value(argument);
    if (!answer) return std::nullopt;
    variables_.insert_or_assign(variable, std::move(*answer));
  }
  if (e.block.empty()) return value(e.operands[0]);
  if (execute(e.block) != Completion::returned)
    return std::nullopt; // it failed: every path returns
  return returned_;
}

// Exact numbers: formulas of claims, and `-D` values before they are given a type.

using exact::Number;

Evaluator::Answer Evaluator::give(Span span, Number number) {
  if (const std::string problem = exact::problem_with(number); !problem.empty())
    return fail(span, problem);
  return Evaluated{std::move(number)};
}

/// A real one is the decimal number that is written, not the double nearest to it.
Evaluator::Answer Evaluator::exact_literal(const TExpr& e) {
  if (!std::isfinite(e.value.real())) return fail(e.span, "a number beyond the range of double");
  return give(e.span, Number::decimal(e.value.real()));
}

/// To whole numbers it truncates; all else keeps the value.
Evaluator::Answer Evaluator::exact_conversion(const TExpr& e) {
  const TExpr& operand = e.operands[0];
  Answer answer = value(operand);
  if (!answer) return std::nullopt;
  if (operand.type.exact) {
    if (is_exact_whole(e.type)) return give(e.span, exact::truncate(answer->number()));
    return answer;
  }
  const ir::Value word = answer->word();
  if (ir::is_integer(operand.type.scalar)) return Evaluated{Number(word.integer())};
  if (std::isfinite(word.real())) return Evaluated{Number::from_double(word.real())};
  const bool named = operand.kind == TExprKind::param || operand.kind == TExprKind::constant ||
                     operand.kind == TExprKind::lookup;
  if (!named) return fail(operand.span, "this is not a finite number");
  const bool param = operand.kind == TExprKind::param;
  const auto id = static_cast<std::size_t>(operand.symbol);
  return fail(operand.span,
              fmt::format("'{}' is not a finite number",
                          param ? checked_->params[id].name : checked_->consts[id].name));
}

Evaluator::Answer Evaluator::exact_operation(const TExpr& e, ir::Opcode op) {
  std::array<Number, 3> numbers;
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    const Answer operand = value(e.operands[i]);
    if (!operand) return std::nullopt;
    numbers.at(i) = operand->number();
  }
  const auto& [a, b, c] = numbers;
  if (e.kind == TExprKind::is_pow2) return Evaluated{ir::Value::of(exact::is_pow2(a))};
  if (e.kind == TExprKind::comparison) {
    const std::partial_ordering order = a <=> b;
    if (order == std::partial_ordering::unordered) return fail(e.span, exact::undecided);
    const bool holds = op == ir::Opcode::eq   ? order == 0
                       : op == ir::Opcode::ne ? order != 0
                       : op == ir::Opcode::lt ? order < 0
                                              : order <= 0;
    return Evaluated{ir::Value::of(holds)};
  }
  exact::Outcome outcome = exact::apply(op, is_exact_whole(e.type), a, b, c);
  if (!outcome.value) return fail(e.span, std::move(outcome.problem));
  if (outcome.irrational.empty()) return give(e.span, std::move(*outcome.value));
  if (irrational_.empty()) irrational_ = outcome.irrational + " is irrational";
  return give(e.span, rules.approximates ? Number::approximate(outcome.nearest)
                                         : std::move(*outcome.value));
}

/// floor and ceil. Those of a logarithm are known even where it is irrational.
Evaluator::Answer Evaluator::rounded(const TExpr& e) {
  const TExpr& operand = e.operands[0];
  const bool up = e.kind == TExprKind::ceiling;
  const bool logarithm = operand.kind == TExprKind::operation && operand.op == ir::Opcode::log2;
  const Answer answer = value(logarithm ? operand.operands[0] : operand);
  if (!answer) return std::nullopt;
  const Number& a = answer->number();
  if (!logarithm) return give(e.span, up ? exact::ceil(a) : exact::floor(a));
  if (a.sign() <= 0) return fail(e.span, "log2(" + a.brief() + ")");
  return give(e.span, up ? exact::ceil_log2(a) : exact::floor_log2(a));
}

} // namespace memlane::lang
