// Queries of a figure: charts, tables, and the verdicts of its checks.
#include "numbers.hpp"

#include "memlane/study/figures/result.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

namespace memlane {
namespace {

using sweep::Cell;
using sweep::Rows;

std::optional<std::size_t> column_of(const Rows& rows, std::string_view name) {
  const auto found = std::find(rows.columns.begin(), rows.columns.end(), name);
  if (found == rows.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rows.columns.begin());
}

std::optional<double> number_in(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

/// An error about a query, with where it is in its figure.
Diagnostic query_error(const FigureQuery& query, const std::string& path, std::string message,
                       std::vector<std::string> help = {}) {
  return error_at(query.span, fmt::format("{}: {}", path, message), std::move(help));
}

std::string tables_of(const FigureSpec& spec) {
  std::vector<std::string> names;
  for (const FigureSweep& sweep : spec.sweeps) names.push_back(sweep.table);
  for (const FigureView& view : spec.views) names.push_back(view.name);
  return fmt::format("the figure's sweeps and views are {}", fmt::join(names, ", "));
}

} // namespace

Result<Rows> rows_of(const FigureQuery& query, const std::string& path, const FigureSpec& spec,
                     const FigureSelect& select) {
  Result<Rows> rows = select(query.sql);
  if (rows) return rows;
  Diagnostics errors = rows.errors();
  for (Diagnostic& error : errors) {
    if (error.stop != Stop::none) continue; // no fault of the query's
    if (error.message.starts_with("no such table")) error.help = {tables_of(spec)};
    error = query_error(query, path, error.message, error.help);
  }
  return errors;
}

FigureSelect with_views(const std::vector<FigureView>& all, const FigureSelect& select) {
  std::string views;
  for (const FigureView& view : all)
    views += fmt::format("{}{} AS ({})", views.empty() ? "WITH " : ", ", view.name, view.query.sql);
  if (views.empty()) return select;
  return [views, &select](const std::string& sql) {
    const std::size_t begin = sql.find_first_not_of(" \n");
    const bool own = begin != std::string::npos &&
                     (sql.compare(begin, 5, "WITH ") == 0 || sql.compare(begin, 5, "with ") == 0);
    return select(own ? views + ", " + sql.substr(begin + 5) : views + " " + sql);
  };
}

namespace {

// --- Charts.

/// Puts the rows of a query into panels and series, in the order in which they appear.
class ChartRows {
public:
  ChartRows(const FigureChart& chart, const std::string& path, const Rows& rows)
      : chart_(chart), path_(path), rows_(rows) {}

  Result<Chart> read(const TextOfPoint& text_of);

private:
  /// A column that no chart reads is a name that is spelt wrong.
  Status check_columns() const;
  /// The text of a column; empty where there is none.
  std::string text(const std::vector<Cell>& row, std::string_view column) const;
  Result<double> x_of(const std::vector<Cell>& row);
  Result<SeriesBasis> basis_of(const std::vector<Cell>& row) const;
  ChartSeries& series_of(const std::string& panel, const std::string& name, SeriesBasis basis);

  const FigureChart& chart_;
  const std::string& path_;
  const Rows& rows_;
  Chart out_;
};

Status ChartRows::check_columns() const {
  const std::vector<std::string> read = {"x",     "y",     "least", "greatest", "series",
                                         "panel", "basis", "text",  "key"};
  for (const std::string& column : rows_.columns) {
    if (std::find(read.begin(), read.end(), column) != read.end()) continue;
    std::vector<std::string> help = did_you_mean(column, read);
    help.push_back(fmt::format("a chart reads {}", fmt::join(read, ", ")));
    return query_error(chart_.query, path_, fmt::format("a chart has no column {}", column),
                       std::move(help));
  }
  if (rows_.rows.empty()) return query_error(chart_.query, path_, "the query gives no row", {});
  return Done{};
}

std::string ChartRows::text(const std::vector<Cell>& row, std::string_view column) const {
  const auto at = column_of(rows_, column);
  if (!at || std::holds_alternative<std::monostate>(row[*at])) return "";
  return cell_in_words(row[*at]);
}

Result<double> ChartRows::x_of(const std::vector<Cell>& row) {
  const Cell& cell = row[*column_of(rows_, "x")];
  if (chart_.x.scale == AxisScale::categories) {
    const std::string name = cell_in_words(cell);
    auto& names = out_.x.categories;
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    if (static_cast<std::size_t>(at) == names.size()) names.push_back(name);
    return static_cast<double>(at);
  }
  if (const auto number = number_in(cell)) return *number;
  return query_error(chart_.query, path_, fmt::format("x is {}, not a number", cell_in_words(cell)),
                     {R"(for texts write "scale": "categories" in the x axis)"});
}

Result<SeriesBasis> ChartRows::basis_of(const std::vector<Cell>& row) const {
  const std::string name = text(row, "basis");
  if (name.empty()) return SeriesBasis::model;
  std::vector<std::string> words;
  for (const auto basis :
       {SeriesBasis::model, SeriesBasis::formula, SeriesBasis::measured, SeriesBasis::printed}) {
    if (name_of(basis) == name) return basis;
    words.emplace_back(name_of(basis));
  }
  return query_error(chart_.query, path_, fmt::format("basis is {}", in_quotes(name)),
                     {fmt::format("accepted: {}", fmt::join(words, ", "))});
}

ChartSeries& ChartRows::series_of(const std::string& panel, const std::string& name,
                                  SeriesBasis basis) {
  auto& panels = out_.panels;
  auto in_panel = std::find_if(panels.begin(), panels.end(),
                               [&](const ChartPanel& p) { return p.title == panel; });
  if (in_panel == panels.end()) in_panel = panels.insert(panels.end(), {panel, {}});
  auto& all = in_panel->series;
  auto series = std::find_if(all.begin(), all.end(), [&](const ChartSeries& s) {
    return s.name == name && s.basis == basis;
  });
  if (series == all.end()) series = all.insert(all.end(), {name, basis, chart_.mark, {}});
  return *series;
}

Result<Chart> ChartRows::read(const TextOfPoint& text_of) {
  out_.title = chart_.title;
  out_.caption = chart_.caption;
  out_.x = chart_.x;
  out_.y = chart_.y;
  out_.look = chart_.look;
  for (const char* column : {"x", "y"})
    if (!column_of(rows_, column))
      return query_error(chart_.query, path_, fmt::format("the query has no column {}", column),
                         {fmt::format("its columns are {}", fmt::join(rows_.columns, ", "))});
  if (Status known = check_columns(); !known) return known.errors();
  const std::size_t y_column = *column_of(rows_, "y");
  for (const std::vector<Cell>& row : rows_.rows) {
    if (std::holds_alternative<std::string>(row[y_column]))
      return query_error(chart_.query, path_,
                         fmt::format("y is {}, not a number", cell_in_words(row[y_column])), {});
    const auto x = x_of(row);
    const auto basis = basis_of(row);
    if (!x) return x.errors();
    if (!basis) return basis.errors();
    const auto number = [&](std::string_view column) {
      const auto at = column_of(rows_, column);
      return at ? number_in(row[*at]).value_or(NAN) : NAN;
    };
    const std::string key = text(row, "key");
    const PointText point = key.empty() ? PointText{} : text_of(key);
    std::string about = text(row, "text");
    if (about.empty()) about = point.label;
    about += fmt::format("{}{} {}", about.empty() ? "" : ": ", chart_.y.name,
                         cell_in_words(row[y_column]));
    series_of(text(row, "panel"), text(row, "series"), *basis)
        .points.push_back({*x, number("y"), std::move(about), point.command, number("least"),
                           number("greatest")});
  }
  std::vector<std::string> names;
  for (const ChartPanel& panel : out_.panels)
    for (const ChartSeries& series : panel.series)
      if (!series.name.empty() && std::find(names.begin(), names.end(), series.name) == names.end())
        names.push_back(series.name);
  out_.summary = fmt::format("{} over {}{}", chart_.y.name, chart_.x.name,
                             names.empty() ? "" : fmt::format(": {}", fmt::join(names, ", ")));
  return std::move(out_);
}

Result<PageTable> table_of(const FigureTable& table, const std::string& path,
                           const FigureSpec& spec, const FigureSelect& select) {
  const auto rows = rows_of(table.query, path, spec, select);
  if (!rows) return rows.errors();
  PageTable out{table.title, {rows->columns}, {}};
  for (const auto& row : rows->rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell_in_words(cell, spec.plain));
    out.rows.push_back(std::move(cells));
  }
  const auto is_text = [&](std::size_t column) {
    return std::none_of(rows->rows.begin(), rows->rows.end(), [&](const std::vector<Cell>& row) {
      return number_in(row[column]).has_value();
    });
  };
  for (std::size_t column = 0; column < rows->columns.size(); ++column)
    if (is_text(column)) out.texts.insert(column);
  return out;
}

// --- Checks.

} // namespace

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
  if (std::holds_alternative<std::monostate>(cell))
    help.emplace_back("a point that the query needs is missing, or a number is divided by 0");
  return query_error(query, path, fmt::format("shown is {}, neither 1 nor 0", cell_in_words(cell)),
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

std::string cell_in_words(const Cell& cell, bool plain) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    const auto bits = static_cast<std::uint64_t>(*whole);
    if (!plain && *whole >= 1024 && std::has_single_bit(bits))
      return fmt::format("2^{}", std::countr_zero(bits));
    return std::to_string(*whole);
  }
  const auto* real = std::get_if<double>(&cell);
  if (!real) return "none";
  if (!std::isfinite(*real)) return fmt::format("{}", *real);
  if (std::abs(*real) >= 100 || *real == std::trunc(*real)) return fmt::format("{:.0f}", *real);
  return fmt::format("{:.3g}", *real);
}

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
    auto chart = ChartRows(spec.charts[i], path, *rows).read(text_of);
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
