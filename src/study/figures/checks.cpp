// The verdicts of a figure's checks, and the numbers in their sentences.
#include "numbers.hpp"

#include "memlane/study/figures/result.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace memlane {

using sweep::Cell;
using sweep::Rows;

Result<std::string> filled(const std::string& sentence, Span span, const std::string& path,
                           const Rows& rows, bool plain) {
  std::string out, last;
  bool from = false; // "From n = 2 to 2" stays
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t open = sentence.find('{', at);
    const std::string between = sentence.substr(at, open - at);
    out += between;
    if (open == std::string::npos) break;
    const std::size_t close = sentence.find('}', open);
    const std::string name = sentence.substr(open + 1, close - open - 1);
    const auto column = close == std::string::npos ? std::nullopt : column_of(rows, name);
    if (!column) {
      std::vector<std::string> help = did_you_mean(name, rows.columns);
      help.push_back(fmt::format("the query's columns are {}", fmt::join(rows.columns, ", ")));
      return error_at(
          span,
          fmt::format("{}: the sentence names {{{}}}, which the query does not give", path, name),
          std::move(help));
    }
    const Cell& cell = rows.rows.front()[*column];
    if (const double* real = std::get_if<double>(&cell);
        std::holds_alternative<std::monostate>(cell) || (real && !std::isfinite(*real)))
      return error_at(span,
                      fmt::format("{}: {} is {} for the sentence", path, name, cell_in_words(cell)),
                      {"none: a point that the query needs is missing, or a number is divided by "
                       "0"});
    const std::string value = cell_in_words(cell, plain);
    if (between == " to " && value == last && !from) {
      out.resize(out.size() - between.size());
    } else {
      from = between.find("rom ") != std::string::npos;
      out += value;
    }
    last = value;
    at = close + 1;
  }
  return out;
}

namespace {

/// The verdict of the query's row. What is neither 1 nor 0 is an error, never a pass.
Result<bool> verdict_in(const Rows& rows, const FigureQuery& query, const std::string& path) {
  const auto column = column_of(rows, "shown");
  if (!column)
    return query_error(
        query, path, "the query has no column shown",
        {"write SELECT … AS shown, with 1 where the model shows it and 0 where not"});
  if (rows.rows.size() != 1)
    return query_error(query, path,
                       fmt::format("the query gives {} rows, not one", rows.rows.size()));
  const Cell& cell = rows.rows.front()[*column];
  const auto* shown = std::get_if<std::int64_t>(&cell);
  if (shown && (*shown == 0 || *shown == 1)) return *shown == 1;
  std::vector<std::string> help;
  std::string_view kind;
  if (std::holds_alternative<std::monostate>(cell))
    help.emplace_back("a point that the query needs is missing, or a number is divided by 0");
  else if (!shown) {
    kind = std::holds_alternative<double>(cell) ? " (a real number)" : " (a text)";
    help.emplace_back("a comparison gives 1 or 0; CAST(… AS INTEGER) makes an integer");
  }
  return query_error(query, path,
                     fmt::format("shown is {}{}, neither 1 nor 0", cell_in_words(cell), kind),
                     std::move(help));
}

/// Requires a query.
Result<JudgedTest> judged(const FigureTest& test, const std::string& path, const FigureSpec& spec,
                          const FigureSelect& select) {
  const auto rows = rows_of(*test.query, path + ".query", spec, select);
  if (!rows) return rows.errors();
  const auto shown = verdict_in(*rows, *test.query, path + ".query");
  if (!shown) return shown.errors();
  const auto says = filled(test.says, test.span, path + ".says", *rows);
  if (!says) return says.errors();
  JudgedTest out{*shown ? FigureVerdict::shows : FigureVerdict::shows_not, *says};
  if (*shown || test.otherwise.empty()) return out;
  const auto otherwise = filled(test.otherwise, test.span, path + ".otherwise", *rows);
  if (!otherwise) return otherwise.errors();
  out.says += " " + *otherwise;
  return out;
}

Result<JudgedCheck> judged_check(const FigureCheck& check, const std::string& path,
                                 const FigureSpec& spec, const FigureSelect& select) {
  JudgedCheck out;
  out.finding = check.finding;
  out.must_hold = check.must_hold;
  out.says = check.cannot_say;
  if (check.query && spec.quick && check.full_only) {
    out.says = "This needs the sizes of the full run, without --quick.";
    return out;
  }
  if (check.query) {
    const auto test = judged(check, path, spec, select);
    if (!test) return test.errors();
    static_cast<JudgedTest&>(out) = *test;
  }
  if (!check.with_keys) return out;
  const auto test = judged(*check.with_keys, path + ".with_keys", spec, select);
  if (!test) return test.errors();
  out.with_keys = *test;
  return out;
}

} // namespace

std::string_view name_of(FigureVerdict verdict) {
  switch (verdict) {
  case FigureVerdict::shows: return "shows it";
  case FigureVerdict::shows_not: return "does not show it";
  case FigureVerdict::cannot_say: return "cannot say";
  }
  return "";
}

Status judge_figure(FigureResult& figure, const FigureSelect& store, const TextOfPoint& text_of) {
  ErrorCollector errors;
  const FigureSpec& spec = figure.spec;
  // An error in a view is said at the view, not in each query that reads it.
  std::vector<FigureView> before;
  for (const FigureView& view : spec.views) {
    errors.check(rows_of(view.query, "views." + view.name, spec, with_views(before, store)));
    before.push_back(view);
  }
  if (!errors.ok()) return errors.status();
  const FigureSelect select = with_views(spec.views, store);
  for (std::size_t i = 0; i < spec.charts.size(); ++i) {
    const std::string path = fmt::format("charts[{}].query", i);
    const auto rows = rows_of(spec.charts[i].query, path, spec, select);
    if (!errors.check(rows)) continue;
    auto chart = chart_of(spec.charts[i], path, *rows, text_of);
    if (errors.check(chart)) figure.charts.push_back(std::move(*chart));
  }
  for (std::size_t i = 0; i < spec.tables.size(); ++i) {
    auto table = table_of(spec.tables[i], fmt::format("tables[{}].query", i), spec, select);
    if (errors.check(table)) figure.tables.push_back(std::move(*table));
  }
  for (std::size_t i = 0; i < spec.checks.size(); ++i) {
    auto check = judged_check(spec.checks[i], fmt::format("checks[{}]", i), spec, select);
    if (errors.check(check)) figure.checks.push_back(std::move(*check));
  }
  return errors.status();
}

} // namespace memlane
