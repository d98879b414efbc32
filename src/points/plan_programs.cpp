#include "plan_state.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/lang/walk.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

lang::Expr whole_literal(std::int64_t value, Span span) {
  lang::Expr expr;
  expr.kind = lang::ExprKind::integer;
  expr.integer = value;
  expr.span = span;
  return expr;
}

/// Says for which program a text of the sweep is wrong.
Diagnostics for_program(Diagnostics errors, const std::string& program) {
  for (Diagnostic& error : errors)
    error.message = fmt::format("for {}: {}", program, error.message);
  return errors;
}

class ProgramValues {
public:
  ProgramValues(const Sources& sources, const lang::Checked& checked)
      : sources_(sources), checked_(checked) {}

  Result<lang::ParamValue> value(const lang::ParamSymbol& param, Span text) const {
    Result<lang::Expr> expr = lang::parse_expression(sources_, text);
    if (!expr) return expr.errors();
    Result<lang::TExpr> typed = lang::check_param_value(sources_, checked_, param, *expr);
    if (!typed) return typed.errors();
    return lang::ParamValue{param.name, std::move(*expr), text,
                            std::make_shared<const lang::TExpr>(std::move(*typed))};
  }

  Result<CheckedValues> values(const PlannedAxis& planned) const {
    CheckedValues values{
        planned.group, planned.axis, lang::find_param(checked_, planned.axis->name), {}};
    ErrorCollector errors;
    constexpr std::size_t most_errors = 20; // the most that one axis reports
    for (std::size_t k = 0; k < planned.axis->parts.size(); ++k) {
      if (errors.errors().size() >= most_errors) break;
      const AxisPart& part = planned.axis->parts[k];
      values.parts.emplace_back();
      if (!part.numbers) {
        Result<lang::ParamValue> one = value(*values.param, part.span);
        if (errors.check(one)) values.parts.back() = std::move(*one);
        continue;
      }
      // The values ascend: if the first and the last fit, all do.
      for (const std::int64_t number : {part.begin, last_of(*planned.axis, k)})
        if (!errors.check(lang::whole_param_value(
                *values.param, part.numbers->at(number - part.begin), part.span)))
          break;
    }
    if (!errors.ok()) return errors.errors();
    return values;
  }

  /// Two values of one axis that are equal make points that are equal.
  Status check_distinct(const CheckedValues& values) const {
    std::vector<std::pair<std::string, std::size_t>> known;
    for (std::size_t k = 0; k < values.parts.size(); ++k) {
      const auto& part = values.parts[k];
      if (!part || !lang::is_fitted(*part->checked)) continue;
      known.emplace_back(ir::to_string(values.param->type, part->checked->value), k);
    }
    std::stable_sort(known.begin(), known.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 1; k < known.size(); ++k)
      if (known[k].first == known[k - 1].first)
        return error_at(
            values.axis->parts[known[k].second].span,
            fmt::format("{} has the value {} twice", values.axis->title(), known[k].first),
            {"leave one out"});
    return Done{};
  }

private:
  static std::int64_t last_of(const SweepAxis& axis, std::size_t part) {
    return (part + 1 < axis.parts.size() ? axis.parts[part + 1].begin : axis.size) - 1;
  }

  const Sources& sources_;
  const lang::Checked& checked_;
};

Result<lang::TExpr> checked_where(const Sources& sources, const lang::Checked& checked,
                                  Span where) {
  const Result<lang::Expr> expr = lang::parse_expression(sources, where);
  if (!expr) return expr.errors();
  constexpr const char* may_name = "it may name parameters, constants, the machine's letters and "
                                   "settings, and layouts: t.layout == rows, t.padding == 1";
  Result<lang::TExpr> typed = lang::check_condition(sources, checked, *expr);
  if (!typed) {
    Diagnostics errors = typed.errors();
    for (Diagnostic& error : errors)
      if (error.help.empty()) error.help = {may_name};
    return errors;
  }
  std::optional<Span> unknown;
  lang::each_part(*typed, [&](const lang::TExpr& part) {
    const bool later =
        part.kind == lang::TExprKind::fn_count || part.kind == lang::TExprKind::count;
    if (later && !unknown) unknown = part.span;
  });
  if (unknown)
    return error_at(*unknown,
                    "a condition of a sweep cannot name this: it chooses the points "
                    "before they run",
                    {may_name});
  return typed;
}

/// Arrays by name and layout. Of them, a condition asks for their padding, too, which each point
/// has its own value of.
void add_outline(PlannedProgram& planned) {
  const auto& arrays = planned.program.checked.arrays;
  for (std::size_t at = 0; at < arrays.size(); ++at) {
    const lang::ArraySymbol& symbol = arrays[at];
    if (symbol.kind != lang::ArrayKind::memory && symbol.kind != lang::ArrayKind::shared) continue;
    if (!symbol.used) continue;
    ir::Array array;
    array.name = symbol.name;
    array.layout_name = symbol.layout_name();
    array.layout = symbol.layout_kind();
    planned.outline.arrays.push_back(std::move(array));
    planned.symbols.push_back(at);
  }
}

} // namespace

lang::ParamValue CheckedValues::value(std::int64_t number) const {
  const AxisPart& from = axis->part(number);
  const auto& known = parts[static_cast<std::size_t>(&from - axis->parts.data())];
  if (known) return *known;
  const std::int64_t whole = from.numbers->at(number - from.begin);
  return {param->name, whole_literal(whole, from.span), from.span,
          std::make_shared<const lang::TExpr>(*lang::whole_param_value(*param, whole, from.span))};
}

std::vector<lang::ParamValue> PlannedProgram::parameters(const GroupValues& values) const {
  std::vector<lang::ParamValue> all = own;
  all.reserve(own.size() + axes.size());
  for (const CheckedValues& one : axes) all.push_back(one.value(values[one.group]));
  return all;
}

const lang::TExpr* PlannedProgram::padding(std::size_t array) const {
  const lang::ArraySymbol& symbol = program.checked.arrays[symbols[array]];
  const bool padded = outline.arrays[array].layout_name == "padded";
  return padded && !symbol.layout_arguments.empty() ? &symbol.layout_arguments.front() : nullptr;
}

bool has_memory_array(const lang::Checked& program, std::string_view name) {
  const std::string_view owner = name.substr(0, name.find('.'));
  return std::any_of(
      program.arrays.begin(), program.arrays.end(), [&](const lang::ArraySymbol& array) {
        return array.kind == lang::ArrayKind::memory && array.used && array.name == owner;
      });
}

Result<PlannedProgram> planned_program(const SweepSpec& sweep, const SweptProgram& swept,
                                       CheckedProgram program, const std::vector<PlannedAxis>& axes,
                                       const Sources& sources) {
  PlannedProgram planned;
  planned.program = std::move(program);
  const lang::Checked& checked = planned.program.checked;
  const ProgramValues values(sources, checked);
  ErrorCollector errors;
  for (const SweepDefinition& definition : swept.definitions) {
    const lang::ParamSymbol* param = lang::find_param(checked, definition.name);
    if (!param) {
      std::vector<std::string> names;
      for (const auto& known : checked.params) names.push_back(known.name);
      auto help = did_you_mean(definition.name, names);
      help.push_back(names.empty() ? "it has no parameters"
                                   : fmt::format("its parameters: {}", fmt::join(names, ", ")));
      errors.add(error_at(definition.span,
                          fmt::format("{} has no parameter '{}'", swept.name, definition.name),
                          std::move(help)));
      continue;
    }
    Result<lang::ParamValue> value = values.value(*param, definition.span);
    if (errors.check(value)) planned.own.push_back(std::move(*value));
  }
  for (const PlannedAxis& axis : axes) {
    if (axis.role != AxisRole::parameter) continue;
    Result<CheckedValues> checked_values = values.values(axis);
    if (!errors.check(checked_values)) continue;
    if (sweep.axes[axis.group].size() == 1) errors.check(values.check_distinct(*checked_values));
    planned.axes.push_back(std::move(*checked_values));
  }
  if (!sweep.where.empty()) {
    Result<lang::TExpr> where = checked_where(sources, checked, sweep.where_span);
    if (errors.check(where)) planned.where = std::move(*where);
  }
  if (!errors.ok())
    return sweep.programs.size() == 1 ? errors.errors() : for_program(errors.errors(), swept.name);
  add_outline(planned);
  return planned;
}

} // namespace memlane::sweep
