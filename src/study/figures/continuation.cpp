#include "memlane/study/figures/continuation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace memlane::sweep {
namespace {

/// A run of a line, with the value of the axis.
struct LineRun {
  std::int64_t number = 0; ///< in the plan of runs
  double at = 0;
};

/// The number of an axis' value, to order runs by.
double axis_number(const PlannedPoint& point, const std::string& axis) {
  for (const auto& [name, text] : point.values)
    if (name == axis) return std::strtod(text.c_str(), nullptr);
  return 0;
}

/// What the points of a line share, as messages name it.
std::string line_of(const PlannedPoint& point, const std::string& axis) {
  std::string text = fmt::format("{} on {}", point.program, point.machine->spec.name);
  for (const auto& [name, value] : point.values)
    if (name != axis) text += fmt::format(", {}={}", name, value);
  return text;
}

/// What makes two points of one line: all but the axis. Two programs may have one name.
std::string identity_of(const PlannedPoint& point, const std::string& axis) {
  std::string text = line_of(point, axis);
  for (const auto& [option, replacement] : point.point.program->info.replaced)
    text += fmt::format("\n{} {}", option, replacement);
  for (const auto& [part, content] : point.key_parts)
    if (part == "machine" || part == "program") text += "\n" + content;
  return text + fmt::format("\n{}", point.point.options.seed);
}

/// The first claim that begins so and applies to the machine.
std::optional<std::size_t> find_claim(const CheckedProgram& program, const std::string& begin,
                                      const ClaimInputs& inputs, const Sources& sources) {
  const lang::Checked& checked = program.checked;
  for (std::size_t claim = 0; claim < checked.claims.size(); ++claim)
    if (claim_text(checked.program.claims[claim], sources).starts_with(begin) &&
        may_apply(checked, claim, inputs))
      return claim;
  return std::nullopt;
}

/// A formula's value at a point.
struct FormulaAt {
  double value = 0;
  std::string claim;
};

Result<FormulaAt> formula_at(const PlannedPoint& point, const ir::Program& code,
                             const std::string& begin, const Continuation& continuation,
                             const Sources& sources) {
  const CheckedProgram& program = *point.point.program;
  const ClaimInputs inputs{&code, &point.point.machine, nullptr, &sources.limits()};
  const auto claim = find_claim(program, begin, inputs, sources);
  if (!claim)
    return error_at(continuation.span,
                    fmt::format("{} has no claim that begins with '{}' and applies to {}",
                                point.program, begin, point.label),
                    {fmt::format("memlane explain claim {} lists its claims", point.program)});
  const FormulaValue formula = evaluate_formula(program.checked, *claim, inputs);
  const std::string text = claim_text(program.checked.program.claims[*claim], sources);
  if (!formula.value || !(*formula.value > 0))
    return error_at(continuation.span,
                    fmt::format("the claim '{}' gives no number for {}{}", text, point.label,
                                formula.reason.empty() ? "" : ": " + formula.reason));
  return FormulaAt{*formula.value, text};
}

/// Finds lines of runs and scales formulas to them.
class Continuer {
public:
  Continuer(const Continuation& continuation, const Plan& run, const CountOfRun& count,
            const Sources& sources)
      : continuation_(continuation), run_(run), count_(count), sources_(sources) {
    for (std::int64_t number = 0; number < run.size(); ++number) {
      const PlannedPoint point = run.point(number);
      if (!count(point.key, continuation.counts.front().first)) continue;
      lines_[identity_of(point, continuation.along)].push_back(
          {number, axis_number(point, continuation.along)});
    }
    for (auto& [line, runs] : lines_)
      std::stable_sort(runs.begin(), runs.end(),
                       [](const LineRun& a, const LineRun& b) { return a.at < b.at; });
  }

  Status add(const Plan& beyond, std::int64_t number);
  ContinuedPoints result;

private:
  Result<ScaledFormula> scaled(const std::string& line, const std::vector<LineRun>& runs,
                               const std::pair<std::string, std::string>& count);
  Result<double> factor_at(const LineRun& run, const std::pair<std::string, std::string>& count,
                           std::string* claim = nullptr);

  const Continuation& continuation_;
  const Plan& run_;
  const CountOfRun& count_;
  const Sources& sources_;
  std::map<std::string, std::vector<LineRun>> lines_; ///< by identity, the smallest first
  std::map<std::string, std::map<std::string, double>> factors_; ///< by identity and count
};

/// The count of a run divided by the formula's value there.
Result<double> Continuer::factor_at(const LineRun& run,
                                    const std::pair<std::string, std::string>& count,
                                    std::string* claim) {
  const PlannedPoint point = run_.point(run.number);
  Result<ir::Program> code = bind_point(point.point, sources_);
  if (!code) return code.errors();
  const auto formula = formula_at(point, *code, count.second, continuation_, sources_);
  if (!formula) return formula.errors();
  const auto counted = count_(point.key, count.first);
  if (!counted)
    return error_at(continuation_.span,
                    fmt::format("{} has no count '{}'", point.label, count.first),
                    {"columns of results are named as in CSV"});
  if (claim) *claim = formula->claim;
  return *counted / formula->value;
}

Result<ScaledFormula> Continuer::scaled(const std::string& line, const std::vector<LineRun>& runs,
                                        const std::pair<std::string, std::string>& count) {
  ScaledFormula formula;
  formula.line = line;
  formula.count = count.first;
  const auto factor = factor_at(runs.back(), count, &formula.claim);
  if (!factor) return factor.errors();
  formula.factor = *factor;
  const PlannedPoint largest = run_.point(runs.back().number);
  for (const auto& [name, text] : largest.values)
    if (name == continuation_.along) formula.largest = text;
  if (runs.size() > 1) {
    const auto before = factor_at(runs[runs.size() - 2], count);
    if (!before) return before.errors();
    formula.error = *before / *factor - 1;
  }
  return formula;
}

Status Continuer::add(const Plan& beyond, std::int64_t number) {
  const PlannedPoint point = beyond.point(number);
  Result<ir::Program> code = bind_point(point.point, sources_);
  if (!code) return code.errors();
  const std::vector<ir::Constant> parameters = parameters_of(*code);
  if (std::none_of(parameters.begin(), parameters.end(), [&](const ir::Constant& parameter) {
        return parameter.name == continuation_.along;
      }))
    return error_at(continuation_.span,
                    fmt::format("'{}' is no parameter of {}", continuation_.along, point.program),
                    {"formulas continue along a parameter; machines do not change"});
  const std::string identity = identity_of(point, continuation_.along);
  const auto line = lines_.find(identity);
  if (line == lines_.end())
    return error_at(continuation_.span,
                    fmt::format("no run from which {} could be continued", point.label),
                    {fmt::format("only the values of {} may be others", continuation_.along)});
  ContinuedPoint continued;
  continued.number = number;
  continued.largest = run_.point(line->second.back().number).key;
  continued.parameters = parameters;
  for (const auto& count : continuation_.counts) {
    auto& factors = factors_[identity];
    if (factors.find(count.first) == factors.end()) {
      const auto formula = scaled(line_of(point, continuation_.along), line->second, count);
      if (!formula) return formula.errors();
      factors[count.first] = formula->factor;
      result.formulas.push_back(*formula);
    }
    const auto formula = formula_at(point, *code, count.second, continuation_, sources_);
    if (!formula) return formula.errors();
    continued.counts.emplace_back(count.first, formula->value * factors[count.first]);
  }
  result.points.push_back(std::move(continued));
  return Done{};
}

} // namespace

Result<ContinuedPoints> continue_points(const Continuation& continuation, const Plan& run,
                                        const Plan& beyond, const CountOfRun& count,
                                        const Sources& sources) {
  Continuer continuer(continuation, run, count, sources);
  for (std::int64_t number = 0; number < beyond.size(); ++number)
    if (const Status added = continuer.add(beyond, number); !added) return added.errors();
  return std::move(continuer.result);
}

} // namespace memlane::sweep
