#include "evaluator.hpp"

#include "counts.hpp"
#include "names.hpp"

#include "memlane/machine/spec.hpp"

#include <algorithm>
#include <cmath>

namespace memlane::claims {
namespace {

constexpr int deepest = 500;

bool holds(lang::CompareOp op, std::partial_ordering order) {
  switch (op) {
  case lang::CompareOp::eq: return order == 0;
  case lang::CompareOp::ne: return order != 0;
  case lang::CompareOp::lt: return order < 0;
  case lang::CompareOp::le: return order <= 0;
  case lang::CompareOp::gt: return order > 0;
  case lang::CompareOp::ge: return order >= 0;
  }
  return false;
}

} // namespace

Problem Evaluator::too_many_steps() {
  return not_evaluated("more than " + std::to_string(longest) +
                       " steps: does every loop of its fns end, where '/' is exact?");
}

Evaluator::Answer Evaluator::fail(Problem problem) {
  problem_ = std::move(problem);
  return std::nullopt;
}

Evaluator::Answer Evaluator::give(Number number) {
  if (number.too_large())
    return fail(
        not_evaluated("a number of more than " + std::to_string(exact::most_bits) + " bits"));
  if (!number.exact() && std::isnan(number.to_double())) return fail(not_evaluated(undecided));
  if (!number.exact() && std::isinf(number.to_double()))
    return fail(not_evaluated("a number beyond the range of double"));
  return Value{false, false, std::move(number)};
}

Evaluator::Answer Evaluator::give_real(Number number, double nearest, const std::string& what) {
  if (number.rational()) return give(std::move(number));
  if (irrational_.empty()) irrational_ = what + " is irrational";
  return give(precision_ == Precision::exact ? std::move(number) : Number::approximate(nearest));
}

std::optional<Number> Evaluator::number(const lang::Expr& expr) {
  const Answer answer = evaluate(expr);
  if (!answer) return std::nullopt;
  if (!answer->boolean) return answer->number;
  fail(not_evaluated("a condition where a number belongs"));
  return std::nullopt;
}

std::optional<bool> Evaluator::condition(const lang::Expr& expr) {
  const Answer answer = evaluate(expr);
  if (!answer) return std::nullopt;
  if (answer->boolean) return answer->truth;
  fail(not_evaluated("a number where a condition belongs"));
  return std::nullopt;
}

Evaluator::Answer Evaluator::evaluate(const lang::Expr& expr) {
  if (depth_ >= deepest) return fail(not_evaluated("the claim's formulas are nested too deeply"));
  if (++steps_ > longest) return fail(too_many_steps());
  ++depth_;
  Answer answer = dispatch(expr);
  --depth_;
  return answer;
}

Evaluator::Answer Evaluator::dispatch(const lang::Expr& expr) {
  using lang::ExprKind;
  const auto& operands = expr.operands;
  switch (expr.kind) {
  case ExprKind::integer: return give(Number(expr.integer));
  case ExprKind::real:
    if (!std::isfinite(expr.real))
      return fail(not_evaluated("a number beyond the range of double"));
    return give(Number::decimal(expr.real));
  case ExprKind::boolean: return give(expr.integer != 0);
  case ExprKind::name: return name(expr);
  case ExprKind::call: return call(expr);
  case ExprKind::initial: return fail(not_evaluated("a claim cannot read arrays"));
  case ExprKind::element: return element(expr);
  case ExprKind::field: return field(expr);
  case ExprKind::negate:
  case ExprKind::complement: {
    const auto a = number(operands[0]);
    if (!a) return std::nullopt;
    if (expr.kind == ExprKind::negate) return give(*a * Number(-1));
    if (!a->is_integer()) return fail(not_evaluated("~ of " + a->brief() + ", no integer"));
    return give(*a * Number(-1) - Number(1));
  }
  case ExprKind::logical_not: {
    const auto a = condition(operands[0]);
    return a ? give(!*a) : std::nullopt;
  }
  case ExprKind::logical_and:
  case ExprKind::logical_or: {
    const bool decided_by = expr.kind == ExprKind::logical_or;
    const auto a = condition(operands[0]);
    if (!a) return std::nullopt;
    if (*a == decided_by) return give(*a);
    const auto b = condition(operands[1]);
    return b ? give(*b) : std::nullopt;
  }
  case ExprKind::binary: return binary(expr);
  case ExprKind::comparison: return comparison(expr);
  case ExprKind::conditional: {
    const auto a = condition(operands[0]);
    if (!a) return std::nullopt;
    return evaluate(operands[*a ? 1 : 2]);
  }
  }
  return fail(not_evaluated("an expression that claims do not have"));
}

Evaluator::Answer Evaluator::name(const lang::Expr& expr) {
  for (std::size_t k = arguments_.size(); k-- > 0;)
    if (arguments_[k].name == expr.name) return arguments_[k].value;
  switch (classify(program_, expr.name)) {
  case NameKind::param:
  case NameKind::constant: return constant(expr.name);
  case NameKind::fn: return fn(*find_fn(program_, expr.name), expr);
  case NameKind::count: return count(expr.name);
  case NameKind::letter: return letter(expr.name);
  case NameKind::setting: return setting(expr.name);
  case NameKind::later_count:
    return fail(not_evaluated(expr.name + " is not counted by this version"));
  case NameKind::table:
  case NameKind::kernel:
  case NameKind::array:
  case NameKind::unknown: break;
  }
  return fail(not_evaluated("'" + expr.name + "' has no value in a claim"));
}

Evaluator::Answer Evaluator::constant(const std::string& name) {
  for (const ir::Constant& constant : inputs_.program->constants) {
    if (constant.name != name) continue;
    if (constant.type == ir::Scalar::boolean) return give(constant.value.truth());
    if (!ir::is_real(constant.type)) return give(Number(constant.value.integer()));
    if (!std::isfinite(constant.value.real()))
      return fail(not_evaluated("'" + name + "' is no finite number"));
    return give(Number::from_double(constant.value.real()));
  }
  return fail(not_evaluated("'" + name + "' has no value in this run"));
}

Evaluator::Answer Evaluator::letter(const std::string& name) {
  const MachineSpec& machine = *inputs_.machine;
  if (name == "instruction_cost") return give(Number(machine.instruction_cost.value));
  if (name == "barrier_cost") return give(Number(machine.barrier_cost.value));
  if (name == "launch_cost") return give(Number(machine.launch_cost.value));
  const auto values = letters(machine);
  const auto it = values.find(name);
  if (it == values.end()) return fail(not_applicable("the machine has no " + name));
  return give(Number(it->second));
}

Evaluator::Answer Evaluator::setting(const std::string& name) {
  if (name == "lockstep") return give(inputs_.machine->lockstep);
  const Model model = inputs_.machine->model;
  if (model == Model::agpu || model == Model::mmm)
    return fail(not_evaluated("whether the machine is volatile is not known to this version"));
  return give(true); // shared memory is a block's own: nothing outlives it
}

Evaluator::Answer Evaluator::count(const std::string& name) {
  if (!inputs_.run) return fail(not_evaluated("there is no run yet"));
  const bool ratio = name == "multiplicity";
  const CountValue value = run_count(ratio ? "shared_words" : name, *inputs_.machine, *inputs_.run);
  if (const auto* problem = std::get_if<Problem>(&value)) return fail(*problem);
  return ratio ? multiplicity(std::get<std::int64_t>(value))
               : give(Number(std::get<std::int64_t>(value)));
}

Evaluator::Answer Evaluator::multiplicity(std::int64_t shared_words) {
  if (shared_words == 0) return fail(not_applicable("no shared memory is used"));
  const auto values = letters(*inputs_.machine);
  const auto it = values.find("M");
  if (it == values.end()) return fail(not_applicable("the machine's memory has no capacity"));
  return give(Number(Integer(it->second), Integer(shared_words)));
}

Evaluator::Answer Evaluator::field(const lang::Expr& expr) {
  const lang::Expr& owner = expr.operands[0];
  if (owner.kind == lang::ExprKind::name && expr.name == "padding") {
    const ir::Array* array = placed_array(owner.name);
    return array ? give(Number(array->padding)) : std::nullopt;
  }
  if (!inputs_.run) return fail(not_evaluated("there is no run yet"));
  if (owner.kind == lang::ExprKind::name && find_kernel(program_, owner.name)) {
    if (is_later_count(expr.name))
      return fail(not_evaluated(expr.name + " is not counted by this version"));
    const bool ratio = expr.name == "multiplicity";
    const CountValue value = kernel_count(owner.name, ratio ? "shared_words" : expr.name,
                                          *inputs_.machine, *inputs_.run);
    if (const auto* problem = std::get_if<Problem>(&value)) return fail(*problem);
    return ratio ? multiplicity(std::get<std::int64_t>(value))
                 : give(Number(std::get<std::int64_t>(value)));
  }
  if (owner.kind == lang::ExprKind::name && find_fn(program_, owner.name) &&
      (expr.name == "calls" || expr.name == "steps")) {
    const auto it = inputs_.run->fns.find(owner.name);
    if (it == inputs_.run->fns.end()) return give(Number(0));
    return give(Number(expr.name == "calls" ? it->second.calls : it->second.steps));
  }
  return fail(not_evaluated("'." + expr.name + "' has no value in a claim"));
}

Evaluator::Answer Evaluator::element(const lang::Expr& expr) {
  const std::string& name = expr.operands[0].name;
  const lang::ConstDecl* declaration = find_const(program_, name);
  const auto table = std::find_if(inputs_.program->tables.begin(), inputs_.program->tables.end(),
                                  [&](const ir::Table& t) { return t.name == name; });
  if (!declaration || table == inputs_.program->tables.end())
    return fail(not_evaluated("a claim cannot read '" + name + "'"));
  const auto size = static_cast<std::int64_t>(table->values.size());
  std::int64_t position = 0;
  for (std::size_t k = 1; k < expr.operands.size(); ++k) {
    const auto index = number(expr.operands[k]);
    if (!index) return std::nullopt;
    // The first extent bounds nothing that the table's size does not.
    std::optional<Number> extent = Number(size);
    if (k > 1 && k - 1 < declaration->extents.size()) extent = number(declaration->extents[k - 1]);
    if (!extent) return std::nullopt;
    if (!index->small() || !extent->small() || *index < Number(0) || *index >= *extent)
      return fail(not_evaluated("index " + index->brief() + " of '" + name + "' is out of range"));
    position = position * (k > 1 ? *extent->small() : 1) + *index->small();
    if (position >= size)
      return fail(not_evaluated("index " + index->brief() + " of '" + name + "' is out of range"));
  }
  const ir::Value value = table->values[static_cast<std::size_t>(position)];
  if (table->type == ir::Scalar::boolean) return give(value.truth());
  if (!ir::is_real(table->type)) return give(Number(value.integer()));
  if (!std::isfinite(value.real()))
    return fail(not_evaluated("'" + name + "' is not finite there"));
  return give(Number::from_double(value.real()));
}

Evaluator::Answer Evaluator::fn(const lang::FnDecl& fn, const lang::Expr& expr) {
  const std::size_t given = expr.kind == lang::ExprKind::call ? expr.operands.size() : 0;
  if (given != fn.parameters.size())
    return fail(not_evaluated("'" + fn.name.text + "' with a wrong number of arguments"));
  std::vector<Argument> arguments;
  for (std::size_t k = 0; k < given; ++k) {
    Answer value = evaluate(expr.operands[k]);
    if (!value) return std::nullopt;
    arguments.push_back({fn.parameters[k].text, std::move(*value)});
  }
  arguments_.swap(arguments);
  Answer answer = fn.has_block ? block_value(fn) : evaluate(fn.body);
  arguments_.swap(arguments);
  return answer;
}

const ir::Array* Evaluator::placed_array(const std::string& name) {
  const ir::Array* found = nullptr;
  for (const ir::Array& candidate : inputs_.program->arrays) {
    if (candidate.name != name) continue;
    if (found &&
        (found->layout_name != candidate.layout_name || found->padding != candidate.padding)) {
      fail(not_evaluated("several arrays '" + name + "' with different layouts"));
      return nullptr;
    }
    found = &candidate;
  }
  if (!found) fail(not_applicable("array '" + name + "' is not used"));
  return found;
}

std::optional<Evaluator::Answer> Evaluator::layout_comparison(const lang::Expr& expr) {
  using lang::ExprKind;
  if (expr.operands.size() != 2) return std::nullopt;
  const bool first = expr.operands[0].kind == ExprKind::field && expr.operands[0].name == "layout";
  const bool second = expr.operands[1].kind == ExprKind::field && expr.operands[1].name == "layout";
  if (first == second) return std::nullopt;
  const std::string& array = expr.operands[first ? 0 : 1].operands[0].name;
  const std::string& wanted = expr.operands[first ? 1 : 0].name;
  const ir::Array* found = placed_array(array);
  if (!found) return Answer(); // its reason is noted
  const std::string layout = found->layout_name.empty() ? "rows" : found->layout_name;
  return give((layout == wanted) == (expr.comparisons[0] == lang::CompareOp::eq));
}

Evaluator::Answer Evaluator::comparison(const lang::Expr& expr) {
  if (auto answer = layout_comparison(expr)) return *answer;
  Answer left = evaluate(expr.operands[0]);
  if (!left) return std::nullopt;
  for (std::size_t k = 0; k < expr.comparisons.size(); ++k) {
    Answer right = evaluate(expr.operands[k + 1]);
    if (!right) return std::nullopt;
    if (left->boolean != right->boolean)
      return fail(not_evaluated("a condition compared with a number"));
    const std::partial_ordering order = left->boolean
                                            ? std::partial_ordering(left->truth <=> right->truth)
                                            : left->number <=> right->number;
    if (order == std::partial_ordering::unordered) return fail(not_evaluated(undecided));
    if (!holds(expr.comparisons[k], order)) return give(false);
    left = std::move(right);
  }
  return give(true);
}

} // namespace memlane::claims
