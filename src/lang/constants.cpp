#include "constants.hpp"

#include "given.hpp"

#include "memlane/ir/arithmetic.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace memlane::lang {

Constants::Constants(const Checked& program, const Bindings& bindings, const Sources& sources)
    : program_(program), bindings_(bindings), sources_(sources) {
  params_.resize(program.params.size());
  consts_.resize(program.consts.size());
  param_wraps_.resize(program.params.size());
  const_wraps_.resize(program.consts.size());
  tables_.resize(program.consts.size());
  extents_.resize(program.consts.size());
  bind_params();
  if (!errors_.empty()) return;
  for (std::size_t i = 0; i < program.consts.size(); ++i) bind_const(i);
  if (errors_.empty()) check_conditions();
}

void Constants::bind_params() {
  std::vector<std::string> names;
  for (const auto& param : program_.params) names.push_back(param.name);
  for (const auto& given : bindings_.params) {
    if (std::find(names.begin(), names.end(), given.name) == names.end()) {
      auto help = did_you_mean(given.name, names);
      if (const auto key = bindings_.keys.find(given.name); key != bindings_.keys.end())
        help.push_back(fmt::format(
            "{} is the machine's: --set {}={}", given.name, key->second,
            given.value.kind == ExprKind::integer ? sources_.text(given.value.span) : "…"));
      help.push_back(names.empty() ? "this program has no parameters"
                                   : fmt::format("parameters: {}", fmt::join(names, ", ")));
      errors_.push_back(error_at(given.name_span.known() ? given.name_span : given.value.span,
                                 fmt::format("the program has no parameter '{}'", given.name),
                                 std::move(help)));
    }
  }
  // A parameter may stand on constants declared before it, and the other way round: bind both in
  // the order of their places in the text, by need.
  for (std::size_t i = 0; i < program_.params.size(); ++i) bind_param(i);
}

void Constants::bind_param(std::size_t i) {
  if (params_[i]) return;
  const ParamSymbol& param = program_.params[i];
  const Expr* given = nullptr;
  for (const auto& g : bindings_.params)
    if (g.name == param.name) given = &g.value; // the last one given counts
  if (!given) {
    if (auto value = evaluate(param.value, param_wraps_[i])) params_[i] = *value;
    return;
  }
  auto names = [&](const std::string& name) -> std::optional<double> {
    for (std::size_t k = 0; k < program_.params.size(); ++k)
      if (program_.params[k].name == name && params_[k])
        return ir::is_real(program_.params[k].type) ? params_[k]->real()
                                                    : static_cast<double>(params_[k]->integer());
    auto letter = bindings_.letters.find(name);
    if (letter == bindings_.letters.end()) return std::nullopt;
    return static_cast<double>(letter->second);
  };
  auto value = given_value(*given, param.type, param.name, names);
  if (value)
    params_[i] = *value;
  else
    errors_.insert(errors_.end(), value.errors().begin(), value.errors().end());
}

void Constants::bind_const(std::size_t i) {
  if (consts_[i] || !tables_[i].empty()) return;
  const ConstSymbol& constant = program_.consts[i];
  if (constant.extents.empty()) {
    if (auto value = evaluate(constant.values[0], const_wraps_[i])) consts_[i] = *value;
    return;
  }
  std::int64_t size = 1;
  for (const auto& e : constant.extents) {
    extents_[i].push_back(extent(e, constant.name));
    size *= extents_[i].back();
  }
  if (constant.list && size != static_cast<std::int64_t>(constant.values.size()))
    fail(constant.span, fmt::format("table {} has {} words, its list {}", constant.name, size,
                                    constant.values.size()));
  std::optional<ir::Wrap> unused; // a table's words may be hashes
  for (const auto& v : constant.values)
    tables_[i].push_back(evaluate(v, unused).value_or(ir::Value{}));
  if (!constant.list) tables_[i].resize(static_cast<std::size_t>(size), tables_[i].front());
}

namespace {

void add_letters(const TExpr& e, std::set<std::string>& letters) {
  if (e.kind == TExprKind::letter) letters.insert(e.text);
  for (const TExpr& operand : e.operands) add_letters(operand, letters);
}

} // namespace

/// The parameter can be changed, and if the condition asks for the machine's letters, the machine.
std::vector<std::string> Constants::ways_to_meet(const ParamSymbol& param) const {
  std::vector<std::string> ways = {
      fmt::format("give another value: {} {}=…", bindings_.option, param.name)};
  std::set<std::string> letters;
  add_letters(*param.where, letters);
  std::string machine;
  for (const std::string& letter : letters) {
    const auto bound = bindings_.letters.find(letter);
    if (bound == bindings_.letters.end()) continue;
    machine += fmt::format("{}{} = {}", machine.empty() ? "" : ", ", letter, bound->second);
  }
  const bool grid = bindings_.option == "--grid"; // which gives the letters values, too
  if (!machine.empty())
    ways.push_back(grid ? "or other values of the machine, here " + machine
                        : "or take another machine: this one has " + machine);
  return ways;
}

void Constants::check_conditions() {
  for (std::size_t i = 0; i < program_.params.size(); ++i) {
    const ParamSymbol& param = program_.params[i];
    if (!param.where) continue;
    auto holds = evaluate(*param.where);
    if (holds && !holds->truth())
      fail(param.where->span,
           fmt::format("parameter {} = {} breaks its condition: {}", param.name,
                       to_string(param.type, *params_[i]), sources_.text(param.where->span)),
           ways_to_meet(param));
  }
}

std::vector<ir::Constant> Constants::listing() const {
  std::vector<ir::Constant> all;
  for (std::size_t i = 0; i < params_.size(); ++i)
    if (params_[i])
      all.push_back({program_.params[i].name, program_.params[i].type, *params_[i], true});
  for (std::size_t i = 0; i < consts_.size(); ++i)
    if (consts_[i])
      all.push_back({program_.consts[i].name, program_.consts[i].type, *consts_[i], false});
  return all;
}

std::optional<ir::Value> constant_value(const Checked& program, const Bindings& bindings,
                                        const Sources& sources, const TExpr& expr) {
  return Constants(program, bindings, sources).fold(expr);
}

std::optional<ir::Value> Constants::fold(const TExpr& expr) {
  quiet_ = true;
  auto value = evaluate(expr);
  quiet_ = false;
  return value;
}

ir::Value Constants::require(const TExpr& expr) {
  auto value = evaluate(expr);
  return value ? *value : ir::Value{};
}

std::int64_t Constants::extent(const TExpr& expr, const std::string& array) {
  std::optional<ir::Wrap> wrap;
  auto value = evaluate(expr, wrap);
  if (!value) return 1;
  if (wrap) {
    wrap->made = value->integer();
    if (!quiet_) errors_.push_back(ir::wrapped_extent(expr.span, array, *wrap, sources_));
    return 1;
  }
  if (value->integer() >= 1) return value->integer();
  fail(expr.span,
       fmt::format("an extent of {} is {}: extents are at least 1", array, value->integer()),
       {"where it depends on params, give them other values, or a 'where'"});
  return 1;
}

std::optional<ir::Value> Constants::fail(Span span, std::string message,
                                         std::vector<std::string> help) {
  if (!quiet_) errors_.push_back(error_at(span, std::move(message), std::move(help)));
  return std::nullopt;
}

std::optional<ir::Value> Constants::evaluate(const TExpr& expr) {
  if (depth_++ == 0) steps_ = 0;
  auto value = evaluate_kind(expr);
  // Nothing of a fn that was executed, perhaps in part, is known to the code that is lowered.
  if (--depth_ == 0) variables_.clear(), variable_wraps_.clear(), arrays_.clear();
  return value;
}

std::optional<ir::Value> Constants::evaluate(const TExpr& expr, std::optional<ir::Wrap>& wrap) {
  const auto around = std::exchange(wrap_, std::nullopt);
  auto value = evaluate(expr);
  wrap = std::exchange(wrap_, around);
  return value;
}

std::optional<ir::Value> Constants::with_wrap(std::optional<ir::Value> value,
                                              const std::optional<ir::Wrap>& wrap) {
  if (!wrap_) wrap_ = wrap;
  return value;
}

std::optional<ir::Value> Constants::evaluate_kind(const TExpr& expr) {
  if (expr.counted) return std::nullopt; // of code only, which executes it
  switch (expr.kind) {
  case TExprKind::literal: return expr.value;
  case TExprKind::param:
    bind_param(index(expr.symbol));
    return with_wrap(params_[index(expr.symbol)], param_wraps_[index(expr.symbol)]);
  case TExprKind::constant:
    bind_const(index(expr.symbol));
    return with_wrap(consts_[index(expr.symbol)], const_wraps_[index(expr.symbol)]);
  case TExprKind::letter: return letter(expr);
  case TExprKind::lookup: return lookup(expr);
  case TExprKind::variable: {
    auto found = variables_.find(expr.symbol);
    if (found != variables_.end()) return with_wrap(found->second, variable_wraps_[expr.symbol]);
    return fail(expr.span, "this value is not known before the run");
  }
  case TExprKind::element: {
    if (arrays_.count(expr.symbol) == 0) break;
    const ir::Value* word = element(expr.symbol, expr.operands);
    return word ? std::optional(*word) : std::nullopt;
  }
  case TExprKind::operation:
  case TExprKind::comparison: return operate(expr, expr.op);
  case TExprKind::logical_not: return operate(expr, ir::Opcode::logical_not);
  case TExprKind::convert: return operate(expr, ir::Opcode::convert);
  case TExprKind::is_pow2: return operate(expr, ir::Opcode::is_pow2);
  case TExprKind::logical_and:
  case TExprKind::logical_or:
  case TExprKind::conditional: return logical(expr);
  case TExprKind::fn_call: {
    for (const auto& [variable, argument] : expr.bindings) {
      std::optional<ir::Wrap> wrap;
      auto value = evaluate(argument, wrap);
      if (!value) return std::nullopt;
      variables_[variable] = *value;
      variable_wraps_[variable] = std::move(wrap);
    }
    return expr.block.empty() ? evaluate(expr.operands[0]) : block_value(expr);
  }
  default: break;
  }
  return fail(expr.span, "this value is not known before the run");
}

std::optional<ir::Value> Constants::letter(const TExpr& expr) {
  auto found = bindings_.letters.find(expr.text);
  names_threads_ = names_threads_ || expr.text == "p";
  if (found != bindings_.letters.end()) return ir::Value::of(found->second);
  std::vector<std::string> known;
  for (const auto& entry : bindings_.letters) known.push_back(entry.first);
  return fail(expr.span, fmt::format("machine {} has no {}", bindings_.machine, expr.text),
              {fmt::format("it has {}", fmt::join(known, ", "))});
}

std::optional<ir::Value> Constants::lookup(const TExpr& expr) {
  bind_const(index(expr.symbol));
  const auto& extents = extents_[index(expr.symbol)];
  std::int64_t at = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    std::optional<ir::Wrap> unused; // the word stands at the place whatever gave its index
    auto i = evaluate(expr.operands[k], unused);
    if (!i) return std::nullopt;
    if (i->integer() < 0 || i->integer() >= extents[k])
      return fail(expr.operands[k].span,
                  fmt::format("index {} is outside table {} (0..{})", i->integer(),
                              program_.consts[index(expr.symbol)].name, extents[k]));
    at = at * extents[k] + i->integer();
  }
  const auto& table = tables_[index(expr.symbol)];
  if (static_cast<std::size_t>(at) >= table.size()) return std::nullopt; // reported already
  return table[static_cast<std::size_t>(at)];
}

std::optional<ir::Value> Constants::operate(const TExpr& expr, ir::Opcode op) {
  const auto before = wrap_;
  std::array<ir::Value, 3> values{};
  for (std::size_t i = 0; i < expr.operands.size(); ++i) {
    auto value = evaluate(expr.operands[i]);
    if (!value) return std::nullopt;
    values.at(i) = *value;
  }
  ir::Scalar from = expr.operands[0].type.scalar;
  bool of_result = expr.kind == TExprKind::operation || expr.kind == TExprKind::convert;
  auto outcome =
      ir::apply(op, of_result ? expr.type.scalar : from, values[0], values[1], values[2], from);
  if (outcome.trap) return fail(expr.span, outcome.trap);
  if (!of_result || ir::takes_some_bits(op)) wrap_ = before;
  return with_wrap(outcome.value, ir::wrap_of(op, expr.type.scalar, from, values[0], values[1],
                                              outcome.value, expr.span));
}

std::optional<ir::Value> Constants::logical(const TExpr& expr) {
  std::optional<ir::Wrap> unused; // of a condition
  auto first = evaluate(expr.operands[0], unused);
  if (!first) return std::nullopt;
  if (expr.kind == TExprKind::conditional) return evaluate(expr.operands[first->truth() ? 1 : 2]);
  bool decided = first->truth() == (expr.kind == TExprKind::logical_or);
  return decided ? first : evaluate(expr.operands[1]);
}

} // namespace memlane::lang
