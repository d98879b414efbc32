// Queries of figures and lessons, and their numbers in sentences and tables.
#pragma once

#include "memlane/store/store.hpp"
#include "memlane/study/figures/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Powers of two from 2^10 on as `2^20`; whole numbers as they are; others with three significant
/// digits; nothing as `none`. `plain`: no powers.
std::string cell_in_words(const sweep::Cell& cell, bool plain = false);

/// The place of a column; none: the rows do not have it.
std::optional<std::size_t> column_of(const sweep::Rows& rows, std::string_view name);
/// An error about a query, with where it is in its figure.
Diagnostic query_error(const FigureQuery& query, const std::string& path, std::string message,
                       std::vector<std::string> help = {});

/// The rows of a query; errors have its place and `path`.
Result<sweep::Rows> rows_of(const FigureQuery& query, const std::string& path,
                            const FigureSpec& spec, const FigureSelect& select);
/// `WITH a AS (…), b AS (…) ` before a query, which may have tables of its own.
FigureSelect with_views(const std::vector<FigureView>& all, const FigureSelect& select);
/// The sentence with the numbers of the only row in place of `{column}`; `{a} to {b}` with equal
/// numbers is one of them, unless it begins with `from`. An error at `span`: there
/// is no such column.
Result<std::string> filled(const std::string& sentence, Span span, const std::string& path,
                           const sweep::Rows& rows, bool plain = false);

/// The chart that the rows of its query, at `path`, give.
Result<Chart> chart_of(const FigureChart& chart, const std::string& path, const sweep::Rows& rows,
                       const TextOfPoint& text_of);
Result<PageTable> table_of(const FigureTable& table, const std::string& path,
                           const FigureSpec& spec, const FigureSelect& select);

} // namespace memlane
