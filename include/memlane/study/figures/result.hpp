// What came out for a figure: charts and tables of its points, and the verdict of each check.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/store/query.hpp"
#include "memlane/study/figures/figure.hpp"
#include "memlane/study/pages/charts_page.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

enum class FigureVerdict : std::uint8_t { shows, shows_not, cannot_say };
/// `shows it`, `does not show it`, `cannot say`: what follows `the model`.
std::string_view name_of(FigureVerdict verdict);

struct JudgedTest {
  FigureVerdict verdict = FigureVerdict::cannot_say;
  std::string says; ///< the model's numbers, or why it cannot say
};

struct JudgedCheck : JudgedTest {
  std::string finding; ///< what the paper says
  bool must_hold = false;
  std::optional<JudgedTest> with_keys; ///< on a machine with the keys of the GPU

  /// It must hold, and does not.
  bool failed() const { return must_hold && verdict == FigureVerdict::shows_not; }
};

struct FigureResult {
  FigureSpec spec;
  std::vector<Chart> charts;
  std::vector<PageTable> tables;
  std::vector<JudgedCheck> checks;
  std::vector<sweep::ScaledFormula> formulas; ///< they give the points that were not run
  std::int64_t points = 0;                    ///< the points of all its sweeps
  std::int64_t run_now = 0;                   ///< points that the store did not have before
  std::vector<std::string> failed;            ///< points without a result, and why
  std::string command;                        ///< the command that repeats the figure
};

/// The configuration of a point and the command that repeats it.
struct PointText {
  std::string label, command;
};

/// The rows of a query over the figure's tables.
using FigureSelect = std::function<Result<sweep::Rows>(const std::string& sql)>;
/// By the key of a point; empty texts where it is unknown.
using TextOfPoint = std::function<PointText(const std::string& key)>;

/// Fills charts, tables and checks. Errors: a query that SQLite does not understand, that lacks a
/// column, or that gives no verdict; a sentence that names no column. Each with its place.
Status judge_figure(FigureResult& figure, const FigureSelect& select, const TextOfPoint& text_of);

/// All figures as one page. One figure gives the page its title.
ChartsPage figures_page(const std::vector<FigureResult>& figures, std::string_view version);
/// All figures as a table, Markdown, LaTeX or JSON; ends with a line end.
std::string render_figures(const std::vector<FigureResult>& figures, Format format,
                           TableStyle style, std::string_view version);
/// The JSON Schema of the JSON form.
nlohmann::ordered_json figures_schema();

} // namespace memlane
