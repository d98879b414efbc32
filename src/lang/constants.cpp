// Values of what is known before a run: parameters, constants, machine letters.
#include "constants.hpp"

#include "checker.hpp"

#include "memlane/lang/evaluate.hpp"
#include "memlane/lang/values.hpp"
#include "memlane/lang/walk.hpp"
#include "memlane/support/result.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace memlane::lang {

// The values that options give parameters: `-D n=2^10`, `-D m=n`, `-D commutative=true`.

namespace {

/// A literal, for which the program is not needed; most values of a grid are literals.
bool is_number_or_truth(const Expr& value) {
  return value.kind == ExprKind::integer || value.kind == ExprKind::real ||
         value.kind == ExprKind::boolean;
}

/// The expression over params, consts, fns and machine letters, its numbers exact. Errors: those of
/// the checker. Cost: the size of the program.
Result<TExpr> check_defined_value(const Sources& sources, const Checked& checked, const Expr& value,
                                  const std::string& param) {
  if (is_number_or_truth(value)) return Checker(sources, Program()).defined_value(value, param);
  Checker checker(sources, checked.program);
  checker.take_names(checked);
  return checker.defined_value(value, param);
}

/// The value in the parameter's type, rounded once if that is a real one. Errors: a value of the
/// wrong kind, not whole, or larger than the type.
Result<ir::Value> fit_to_param(const Evaluated& value, Span span, const ParamSymbol& param) {
  const auto wrong = [&](std::string_view reason,
                         std::vector<std::string> help = {}) -> Result<ir::Value> {
    const bool is_int = param.type == ir::Scalar::int32;
    return error_at(span,
                    fmt::format("parameter {} is {}: {}", param.name,
                                is_int ? "an int" : fmt::format("a {}", ir::name_of(param.type)),
                                reason),
                    std::move(help));
  };
  const bool is_number = std::holds_alternative<exact::Number>(value.value);
  if (param.type == ir::Scalar::boolean && is_number) return wrong("write true or false");
  if (!is_number && param.type != ir::Scalar::boolean) return wrong("write a number");
  if (!is_number) return value.word();
  const exact::Number& number = value.number();
  if (ir::is_real(param.type)) {
    const double nearest =
        param.type == ir::Scalar::float32 ? double{number.to_float()} : number.to_double();
    if (!std::isfinite(nearest)) return wrong(number.brief() + " is beyond its range");
    return ir::Value::of(nearest);
  }
  if (!number.is_integer())
    return wrong("write a whole number", {"floor(…) rounds down, ceil(…) rounds up"});
  const auto word = number.small();
  if (!word)
    return wrong(fmt::format("{} does not fit {} bits", number.brief(),
                             param.type == ir::Scalar::int32 ? 32 : 64));
  if (param.type == ir::Scalar::int32 && (*word < std::numeric_limits<std::int32_t>::min() ||
                                          *word > std::numeric_limits<std::int32_t>::max()))
    return wrong(fmt::format("{} does not fit 32 bits", *word),
                 {fmt::format("the program can declare it long: param {}: long = …", param.name)});
  return ir::Value::of(*word);
}

/// Exact numbers have no -0.0; `-0` is how a repeated command writes it.
bool is_negative_zero(const TExpr& typed) {
  if (typed.kind == TExprKind::literal)
    return ir::is_real(typed.type.scalar) && typed.value.real() == 0 &&
           std::signbit(typed.value.real());
  if (typed.kind != TExprKind::operation || typed.op != ir::Opcode::neg) return false;
  const TExpr& operand = typed.operands[0];
  return operand.kind == TExprKind::convert && operand.operands[0].kind == TExprKind::literal &&
         operand.operands[0].value.integer() == 0;
}

Result<ir::Value> fit_to_param(const Evaluated& value, const TExpr& typed,
                               const ParamSymbol& param) {
  if (ir::is_real(param.type) && is_negative_zero(typed)) return ir::Value::of(-0.0);
  return fit_to_param(value, typed.span, param);
}

/// An expression without names has no environment.
class NoNames : public Environment {
public:
  explicit NoNames(const Sources& sources) : sources_(sources) {}
  Evaluation param(SymbolId) override { return NoValue(); }
  Evaluation letter(const TExpr&) override { return NoValue(); }
  const Limits& limits() const override { return sources_.limits(); }

private:
  const Sources& sources_;
};

bool names_anything(const TExpr& typed) {
  return contains(typed, [](const TExpr& part) {
    return part.kind == TExprKind::param || part.kind == TExprKind::constant ||
           part.kind == TExprKind::letter || part.kind == TExprKind::lookup;
  });
}

TExpr fitted_literal(const ParamSymbol& param, ir::Value value, Span span) {
  TExpr literal = node(TExprKind::literal, scalar_type(param.type), span);
  literal.value = value;
  return literal;
}

} // namespace

const ParamSymbol* find_param(const Checked& program, std::string_view name) {
  for (const ParamSymbol& param : program.params)
    if (param.name == name) return &param;
  return nullptr;
}

bool is_fitted(const TExpr& checked) {
  return checked.kind == TExprKind::literal && !checked.type.exact;
}

Result<TExpr> check_param_value(const Sources& sources, const Checked& program,
                                const ParamSymbol& param, const Expr& value) {
  Result<TExpr> typed = check_defined_value(sources, program, value, param.name);
  if (!typed || names_anything(*typed)) return typed;
  NoNames nothing(sources);
  Evaluator evaluator(program, nothing, {});
  const auto exact = evaluator.value(*typed);
  if (!exact) return evaluator.problem().reason;
  const Result<ir::Value> fitted = fit_to_param(*exact, *typed, param);
  if (!fitted) return fitted.errors();
  return fitted_literal(param, *fitted, typed->span);
}

Result<TExpr> whole_param_value(const ParamSymbol& param, std::int64_t value, Span span) {
  const Result<ir::Value> fitted = fit_to_param({exact::Number(value)}, span, param);
  if (!fitted) return fitted.errors();
  return fitted_literal(param, *fitted, span);
}

TExpr truth_param_value(const ParamSymbol& param, bool value) {
  return fitted_literal(param, ir::Value::of(value), {});
}

Result<std::int64_t> whole_number_of(const Sources& sources, const Expr& value,
                                     std::string_view what) {
  const Checked nothing;
  const Result<TExpr> typed = check_defined_value(sources, nothing, value, std::string(what));
  if (!typed) return typed.errors();
  if (names_anything(*typed))
    return error_at(typed->span, fmt::format("{} depends on the machine", what));
  NoNames names(sources);
  Evaluator evaluator(nothing, names, {});
  const auto number = evaluator.value(*typed);
  if (!number) return evaluator.problem().reason;
  const auto* exact = std::get_if<exact::Number>(&number->value);
  if (!exact || !exact->is_integer())
    return error_at(typed->span, fmt::format("{} must be a whole number", what));
  if (const auto small = exact->small()) return *small;
  return error_at(typed->span, fmt::format("{} does not fit 64 bits", what));
}

Result<TExpr> check_condition(const Sources& sources, const Checked& program,
                              const Expr& condition) {
  Checker checker(sources, program.program);
  checker.take_names(program);
  return checker.condition_of_runs(condition);
}

Result<TExpr> check_number(const Sources& sources, const Checked& program, const Expr& number,
                           const CountNames& counts) {
  Checker checker(sources, program.program, counts);
  checker.take_names(program);
  return checker.number_of_runs(number);
}

Constants::Constants(const Checked& program, const Bindings& bindings, const Sources& sources,
                     Bind what)
    : program_(program), bindings_(bindings), sources_(sources), what_(what),
      params_(program.params.size()), being_bound_(program.params.size()),
      evaluator_(program, *this, {}) {
  bind_params();
  if (what != Bind::all) return;
  check_conditions(); // first: a parameter that breaks its condition may spoil the constants
  if (!errors_.empty()) return;
  for (std::size_t i = 0; i < program.consts.size(); ++i) bind_const(static_cast<SymbolId>(i));
}

/// Everything that depends on a wrong value has the same problem, which is reported once.
void Constants::report(const NoValue& problem) {
  const Diagnostic& reason = problem.reason;
  const bool told = std::any_of(errors_.begin(), errors_.end(), [&](const Diagnostic& error) {
    return error.span == reason.span && error.message == reason.message;
  });
  if (!told) errors_.push_back(reason);
}

void Constants::bind_params() {
  for (const ParamValue& set : bindings_.params) {
    if (find_param(program_, set.name)) continue;
    std::vector<std::string> names;
    for (const auto& param : program_.params) names.push_back(param.name);
    auto help = did_you_mean(set.name, names);
    if (const auto key = bindings_.keys.find(set.name); key != bindings_.keys.end())
      help.push_back(
          fmt::format("{} is the machine's: --set {}={}", set.name, key->second,
                      set.value.kind == ExprKind::integer ? sources_.text(set.value.span) : "…"));
    help.push_back(names.empty() ? "this program has no parameters"
                                 : fmt::format("parameters: {}", fmt::join(names, ", ")));
    errors_.push_back(error_at(set.name_span.known() ? set.name_span : set.value.span,
                               fmt::format("the program has no parameter '{}'", set.name),
                               std::move(help)));
  }
  for (std::size_t i = 0; i < program_.params.size(); ++i) {
    const Evaluation value = param(static_cast<SymbolId>(i));
    if (const auto* problem = std::get_if<NoValue>(&value)) report(*problem);
  }
}

/// A parameter may need constants before it, and these others, so each is bound when it is needed.
/// A `-D` value may name any parameter, even its own.
Evaluation Constants::param(SymbolId id) {
  const auto i = static_cast<std::size_t>(id);
  const ParamSymbol& symbol = program_.params[i];
  if (params_[i]) return *params_[i];
  if (being_bound_[i])
    return NoValue{error_at(
        symbol.span, fmt::format("the value of parameter {} depends on itself", symbol.name))};
  being_bound_[i] = true;
  params_[i] = bind_param(symbol);
  being_bound_[i] = false;
  return *params_[i];
}

Evaluation Constants::bind_param(const ParamSymbol& param) {
  const ParamValue* value = nullptr;
  for (const ParamValue& set : bindings_.params)
    if (set.name == param.name) value = &set; // the last one counts
  if (value) return value_of_option(param, *value);
  Evaluator own(program_, *this, {}); // another evaluation may be under way
  auto standard = own.value(param.value);
  if (!standard) return own.problem();
  return std::move(*standard);
}

Evaluation Constants::value_of_option(const ParamSymbol& param, const ParamValue& set) {
  if (set.checked)
    return is_fitted(*set.checked) ? Evaluated{set.checked->value}
                                   : evaluate_option(param, *set.checked);
  const Result<TExpr> typed = check_defined_value(sources_, program_, set.value, param.name);
  if (typed) return evaluate_option(param, *typed);
  for (const Diagnostic& error : typed.errors()) report({error});
  return NoValue{typed.errors().front()};
}

Evaluation Constants::evaluate_option(const ParamSymbol& param, const TExpr& typed) {
  Evaluator own(program_, *this, {});
  const auto exact = own.value(typed);
  if (!exact) return own.problem();
  const Result<ir::Value> fitted = fit_to_param(*exact, typed, param);
  if (!fitted) return NoValue{fitted.errors().front()};
  return Evaluated{*fitted};
}

Evaluation Constants::letter(const TExpr& e) {
  asked_letters_.insert(e.text);
  const auto found = bindings_.letters.find(e.text);
  if (found != bindings_.letters.end()) return Evaluated{ir::Value::of(found->second)};
  std::vector<std::string> known;
  for (const auto& entry : bindings_.letters) known.push_back(entry.first);
  std::vector<std::string> help{fmt::format("it has {}", fmt::join(known, ", "))};
  if (const auto key = bindings_.keys.find(e.text); key != bindings_.keys.end())
    help.push_back(e.text == "P" ? fmt::format("P is unbounded: --set {}=… bounds it", key->second)
                                 : fmt::format("--set {}=… gives it one", key->second));
  return NoValue{error_at(e.span, fmt::format("machine {} has no {}", bindings_.machine, e.text),
                          std::move(help))};
}

void Constants::bind_const(SymbolId id) {
  const ConstSymbol& symbol = program_.consts[static_cast<std::size_t>(id)];
  if (symbol.extents.empty()) {
    if (!evaluator_.constant(id)) report(evaluator_.problem());
    return;
  }
  // The evaluator's words and those of the program.
  constexpr auto bytes = static_cast<std::int64_t>(2 * sizeof(ir::Value));
  const std::int64_t most = std::max<std::int64_t>(sources_.limits().memory / bytes, 1);
  std::int64_t size = 1;
  bool fits = true;
  for (const TExpr& e : symbol.extents) {
    const std::int64_t words = extent(e, symbol.name);
    fits = fits && words <= most / size;
    if (fits) size *= words;
  }
  if (!errors_.empty()) return;
  if (!fits) {
    Diagnostic error = stopped_while(Stop::memory, "computing table " + symbol.name);
    error.span = symbol.span;
    errors_.push_back(std::move(error));
    return;
  }
  if (symbol.list && size != static_cast<std::int64_t>(symbol.values.size()))
    return report({error_at(symbol.span, fmt::format("table {} has {} words, its list {}",
                                                     symbol.name, size, symbol.values.size()))});
  if (!evaluator_.table(id)) report(evaluator_.problem());
}

bool Constants::is_set(const ParamSymbol& param) const {
  return std::any_of(bindings_.params.begin(), bindings_.params.end(),
                     [&](const ParamValue& set) { return set.name == param.name; });
}

/// The parameters that the default of a parameter names, those that the user set first; none if the
/// user set the parameter itself.
std::vector<std::string> Constants::named_by_default(const ParamSymbol& param) const {
  std::vector<std::string> own, others;
  if (is_set(param)) return own;
  std::set<SymbolId> seen;
  each_part(param.value, [&](const TExpr& part) {
    if (part.kind != TExprKind::param || !seen.insert(part.symbol).second) return;
    const ParamSymbol& named = program_.params[static_cast<std::size_t>(part.symbol)];
    (is_set(named) ? own : others).push_back(named.name);
  });
  own.insert(own.end(), others.begin(), others.end());
  return own;
}

/// Advice: another value of the parameter, or of those that its default names, or another machine
/// if the condition names its letters.
std::vector<std::string> Constants::remedies(const ParamSymbol& param) const {
  const std::string option = bindings_.option;
  std::vector<std::string> ways;
  std::string values = fmt::format("{} {}=…", option, param.name);
  const std::vector<std::string> named = named_by_default(param);
  for (const std::string& name : named) values += fmt::format(" or {} {}=…", option, name);
  if (!named.empty())
    ways.push_back(fmt::format("{} was not given: its default is {}", param.name,
                               on_one_line(std::string(sources_.text(param.value.span)), 200)));
  ways.push_back(
      fmt::format("give another value{}: {}", named.empty() ? "" : " of one of them", values));
  std::set<std::string> letters;
  each_part(*param.where, [&](const TExpr& part) {
    if (part.kind == TExprKind::letter) letters.insert(part.text);
  });
  std::string machine;
  for (const std::string& letter : letters) {
    const auto bound = bindings_.letters.find(letter);
    if (bound == bindings_.letters.end()) continue;
    machine += fmt::format("{}{} = {}", machine.empty() ? "" : ", ", letter, bound->second);
  }
  const bool grid = bindings_.option == "--grid"; // --grid gives the letters values, too
  if (!machine.empty())
    ways.push_back(grid ? "or other values of the machine, here " + machine
                        : "or take another machine: this one has " + machine);
  return ways;
}

void Constants::check_conditions() {
  for (const ParamSymbol& param : program_.params) {
    const auto id = static_cast<SymbolId>(&param - program_.params.data());
    if (!param.where || std::holds_alternative<NoValue>(this->param(id))) continue;
    const auto holds = evaluator_.value(*param.where);
    if (!holds) {
      report(evaluator_.problem());
      continue;
    }
    if (holds->word().truth()) continue;
    const ir::Value value = std::get<Evaluated>(this->param(id)).word();
    report({error_at(param.where->span,
                     fmt::format("parameter {} = {} breaks its condition: {}", param.name,
                                 to_string(param.type, value), sources_.text(param.where->span)),
                     remedies(param))});
  }
}

std::vector<ir::Constant> Constants::params() const {
  std::vector<ir::Constant> all;
  for (std::size_t i = 0; i < params_.size(); ++i)
    all.push_back({program_.params[i].name, program_.params[i].type,
                   std::get<Evaluated>(*params_[i]).word(), true});
  return all;
}

std::vector<ir::Constant> Constants::listing() {
  std::vector<ir::Constant> all = params();
  for (std::size_t i = 0; i < program_.consts.size(); ++i) {
    if (!program_.consts[i].extents.empty()) continue;
    all.push_back({program_.consts[i].name, program_.consts[i].type,
                   evaluator_.constant(static_cast<SymbolId>(i))->word(), false});
  }
  return all;
}

std::optional<ir::Value> Constants::fold(const TExpr& expr) {
  evaluator_.rules = folding_rules;
  const auto value = evaluator_.value(expr);
  evaluator_.rules = {};
  return value ? std::optional(value->word()) : std::nullopt;
}

ir::Value Constants::require(const TExpr& expr) {
  if (const auto value = evaluator_.value(expr)) return value->word();
  report(evaluator_.problem());
  return {};
}

std::int64_t Constants::extent(const TExpr& expr, const std::string& array) {
  if (const auto extent = evaluator_.extent(expr, array, sources_)) return *extent;
  report(evaluator_.problem());
  return 1;
}

Result<BoundParams> bind_params(const Checked& program, const Bindings& bindings,
                                const Sources& sources, bool tried) {
  Constants constants(program, bindings, sources,
                      tried ? Constants::Bind::tried_params : Constants::Bind::params);
  if (!constants.errors().empty()) return constants.errors();
  BoundParams bound{constants.params(), {}};
  if (!tried) constants.check_conditions();
  bound.broken = std::move(constants.errors());
  return bound;
}

} // namespace memlane::lang
