// The rows that queries of figures and lessons give, over the views of their file.
#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace memlane {

using sweep::Cell;
using sweep::Rows;

std::optional<std::size_t> column_of(const Rows& rows, std::string_view name) {
  const auto found = std::find(rows.columns.begin(), rows.columns.end(), name);
  if (found == rows.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rows.columns.begin());
}

Diagnostic query_error(const FigureQuery& query, const std::string& path, std::string message,
                       std::vector<std::string> help) {
  return error_at(query.span, fmt::format("{}: {}", path, message), std::move(help));
}

static std::string tables_of(const FigureSpec& spec) {
  std::vector<std::string> names;
  for (const FigureSweep& sweep : spec.sweeps) names.push_back(sweep.table);
  for (const FigureView& view : spec.views) names.push_back(view.name);
  return fmt::format("the figure's sweeps and views are {}", fmt::join(names, ", "));
}

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

namespace {

constexpr const char* blanks = " \t\r\n";

/// Behind the word and the blanks after it, if the SQL has it there behind blanks; else 0.
std::size_t after_word(const std::string& sql, std::size_t from, std::string_view word) {
  const std::size_t begin = std::min(sql.size(), sql.find_first_not_of(blanks, from));
  const std::string_view there = std::string_view(sql).substr(begin, word.size());
  const bool is_there =
      std::equal(there.begin(), there.end(), word.begin(), word.end(),
                 [](char c, char of_word) { return c == of_word || c == of_word - 'A' + 'a'; });
  const std::size_t end = begin + word.size();
  const std::size_t next = is_there ? sql.find_first_not_of(blanks, end) : std::string::npos;
  return next == std::string::npos || next == end ? 0 : next;
}

/// The statement without a `;` at its end.
std::string without_end(const std::string& sql) {
  const std::size_t last = sql.find_last_not_of(blanks);
  return last != std::string::npos && sql[last] == ';' ? sql.substr(0, last) : sql;
}

} // namespace

FigureSelect with_views(const std::vector<FigureView>& all, const FigureSelect& select) {
  std::string views;
  for (const FigureView& view : all)
    views += fmt::format("{}{} AS ({}\n)", views.empty() ? "WITH " : ", ", view.name,
                         without_end(view.query.sql));
  if (views.empty()) return select;
  return [views, &select](const std::string& sql) {
    // The query is on lines of its own, since errors quote them. SQLite needs no RECURSIVE.
    const std::size_t own = after_word(sql, 0, "WITH");
    if (own == 0) return select(views + "\n" + sql);
    return select(views + ",\n" + sql.substr(std::max(own, after_word(sql, own, "RECURSIVE"))));
  };
}

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

} // namespace memlane
