#include "memlane/claim/column_formula.hpp"

#include "memlane/lang/evaluate.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/lang/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace memlane {
namespace {

using exact::Number;
using lang::Expr;
using lang::ExprKind;

constexpr std::pair<std::string_view, Aggregate> aggregate_names[] = {
    {"mean", Aggregate::mean},    {"median", Aggregate::median}, {"min", Aggregate::least},
    {"max", Aggregate::greatest}, {"sd", Aggregate::sd},         {"count", Aggregate::count},
    {"sum", Aggregate::sum}};

/// `min(a, b)` is the smaller of two numbers of a row.
std::optional<Aggregate> aggregate_named(const Expr& e) {
  if (e.kind != ExprKind::call || e.operands.size() > 1) return std::nullopt;
  for (const auto& [name, kind] : aggregate_names)
    if (name == e.name && (e.operands.size() == 1 || kind == Aggregate::count)) return kind;
  return std::nullopt;
}

/// Columns and aggregates get names that no program has, so that letters and words of the language
/// cannot hide columns.
std::string column_word(std::size_t number) { return fmt::format("column {}", number); }
std::string aggregate_word(std::size_t number) { return fmt::format("aggregate {}", number); }

class FormulaReader {
public:
  FormulaReader(const Sources& sources, const ColumnNames& names)
      : sources_(sources), names_(names) {}

  Result<ColumnFormula> read(Expr expr, bool inside) {
    ColumnFormula formula;
    name_parts(expr, formula, inside);
    if (!errors_.ok()) return errors_.errors();
    lang::CountNames words;
    for (std::size_t i = 0; i < formula.columns.size(); ++i) words.of_run.push_back(column_word(i));
    for (std::size_t i = 0; i < formula.aggregates.size(); ++i)
      words.of_run.push_back(aggregate_word(i));
    Result<lang::TExpr> typed = lang::check_number(sources_, lang::Checked(), expr, words);
    if (!typed) return typed.errors();
    formula.expr = std::move(*typed);
    return formula;
  }

private:
  void name_column(Expr& e, const std::string& name, ColumnFormula& formula) {
    auto& all = formula.columns;
    auto at = std::find(all.begin(), all.end(), name);
    if (at == all.end()) at = all.insert(all.end(), name);
    e.kind = ExprKind::name;
    e.name = column_word(static_cast<std::size_t>(at - all.begin()));
    e.operands.clear();
  }

  void name_aggregate(Expr& e, Aggregate kind, ColumnFormula& formula) {
    ColumnAggregate aggregate{kind, {}};
    if (!e.operands.empty()) {
      Result<ColumnFormula> of = read(e.operands[0], true);
      if (!of) return errors_.ok() ? errors_.add(of.errors()) : void();
      aggregate.of.push_back(std::move(*of));
    }
    e.kind = ExprKind::name;
    e.name = aggregate_word(formula.aggregates.size());
    e.operands.clear();
    formula.aggregates.push_back(std::move(aggregate));
  }

  void name_parts(Expr& e, ColumnFormula& formula, bool inside) {
    if (const auto kind = aggregate_named(e)) {
      if (inside)
        return errors_.add(error_at(e.span,
                                    fmt::format("'{}' stands within another aggregate", e.name),
                                    {"an aggregate is over rows: mean(time/n)"}));
      if (!names_.aggregates)
        return errors_.add(error_at(e.span, fmt::format("'{}' is over several rows", e.name),
                                    {"name columns alone: n, time/n"}));
      return name_aggregate(e, *kind, formula);
    }
    if (e.kind == ExprKind::field && e.operands[0].kind == ExprKind::name) {
      const std::string whole = e.operands[0].name + "." + e.name;
      if (names_.known(whole)) return name_column(e, whole, formula);
      return unknown(e, whole);
    }
    if (e.kind == ExprKind::name)
      return names_.known(e.name) ? name_column(e, e.name, formula) : unknown(e, e.name);
    for (Expr& operand : e.operands) name_parts(operand, formula, inside);
  }

  void unknown(const Expr& e, const std::string& name) {
    errors_.add(
        error_at(e.span, fmt::format("unknown column '{}'", name), names_.suggestions(name)));
  }

  const Sources& sources_;
  const ColumnNames& names_;
  ErrorCollector errors_;
};

class ColumnEnvironment : public lang::Environment {
public:
  ColumnEnvironment(const std::vector<Number>& columns, const std::vector<Number>& aggregates)
      : columns_(columns), aggregates_(aggregates) {}

  lang::Evaluation param(lang::SymbolId) override { return lang::NoValue{}; }
  lang::Evaluation letter(const lang::TExpr&) override { return lang::NoValue{}; }
  lang::Evaluation property(const lang::TExpr& e) override {
    const std::size_t number = std::stoul(e.text.substr(e.text.find(' ') + 1));
    return lang::Evaluated{e.text.starts_with('c') ? columns_.at(number) : aggregates_.at(number)};
  }

private:
  const std::vector<Number>& columns_;
  const std::vector<Number>& aggregates_;
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

Number sum_of(const std::vector<Number>& values) {
  Number sum;
  for (const Number& value : values) sum = sum + value;
  return sum;
}

/// The deviation as a double; of n values the sum of squares is divided by n - 1.
std::optional<Number> deviation_of(const std::vector<Number>& values, const Number& mean) {
  if (values.size() < 2) return std::nullopt;
  Number squares;
  for (const Number& value : values) squares = squares + (value - mean) * (value - mean);
  const double of = static_cast<double>(values.size() - 1);
  return Number::approximate(std::sqrt(squares.to_double() / of));
}

} // namespace

Result<ColumnFormula> read_column_formula(Sources& sources, const std::string& option,
                                          const std::string& text, const ColumnNames& names) {
  Result<Expr> expr = lang::parse_expression(sources, sources.add(option, text));
  if (!expr) return expr.errors();
  return FormulaReader(sources, names).read(std::move(*expr), false);
}

std::pair<std::string, std::string> formula_and_name(const std::string& item) {
  const std::size_t at = item.rfind(" as ");
  if (at == item.npos) return {trimmed(item), trimmed(item)};
  return {trimmed(item.substr(0, at)), trimmed(item.substr(at + 4))};
}

bool is_column_word(const std::string& text) {
  return text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == text.npos;
}

std::vector<std::string> columns_of(const ColumnFormula& formula) {
  std::vector<std::string> all = formula.columns;
  for (const ColumnAggregate& aggregate : formula.aggregates)
    for (const ColumnFormula& of : aggregate.of)
      all.insert(all.end(), of.columns.begin(), of.columns.end());
  return all;
}

ColumnValue value_of(const ColumnFormula& formula, const std::vector<Number>& columns,
                     const std::vector<Number>& aggregates) {
  const lang::Checked nothing;
  ColumnEnvironment environment(columns, aggregates);
  lang::Evaluator evaluator(nothing, environment, {10'000, true, true, true});
  const auto value = evaluator.value(formula.expr);
  if (!value) return {std::nullopt, evaluator.problem().reason.message};
  const double approximately = value->number().to_double();
  if (!std::isfinite(approximately)) return {std::nullopt, "the number is too large"};
  return {value->number(), {}};
}

std::optional<Number> aggregate_of(Aggregate kind, std::vector<Number> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  if (kind == Aggregate::count) return Number(size);
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end(), [](const Number& a, const Number& b) { return a < b; });
  const std::size_t middle = values.size() / 2;
  switch (kind) {
  case Aggregate::count: break;
  case Aggregate::sum: return sum_of(values);
  case Aggregate::mean: return sum_of(values) / Number(size);
  case Aggregate::least: return values.front();
  case Aggregate::greatest: return values.back();
  case Aggregate::sd: return deviation_of(values, sum_of(values) / Number(size));
  case Aggregate::median:
    return size % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / Number(2);
  }
  return Number(size);
}

} // namespace memlane
