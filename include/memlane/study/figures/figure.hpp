// A figure of a paper: what was measured, the sweeps that simulate it, the charts that show them,
// and checks that compute whether the model shows it. Read from a file (configs/figures/*.json).
#pragma once

#include "memlane/chart/chart.hpp"
#include "memlane/points/sweep_spec.hpp"
#include "memlane/study/figures/continuation.hpp"
#include "memlane/support/json_text.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// An SQL SELECT over the figure's sweeps, each a table with all columns of the view `results`, and
/// `basis`: `model`, or `formula` for points beyond the simulated sizes.
struct FigureQuery {
  std::string sql;
  Span span;
};

/// A sweep of the figure, at the sizes that were asked for.
struct FigureSweep {
  sweep::SweepSpec spec; ///< its name is the figure's, a dot, and `table`
  std::string table;     ///< its name in queries
  Span span;             ///< where the name is written
  std::optional<sweep::Continuation> continuation;
};

/// A query that the others may read as a table.
struct FigureView {
  std::string name;
  FigureQuery query;
  Span span = {}; ///< where the name is written
};

/// The query gives `x`, `y`, and may give `least` and `greatest`, `series`, `panel`, `basis` and
/// `text`, and `key`, the point's key, which adds its configuration and command.
struct FigureChart {
  std::string title, caption;
  ChartAxis x, y;
  Mark mark = Mark::line;
  ChartLook look;
  FigureQuery query;
};

/// The query's columns are the table's.
struct FigureTable {
  std::string title;
  FigureQuery query;
};

/// What decides whether the model shows something. The query gives one row with `shown`, 1 or 0,
/// and the numbers that the sentences name in braces: `{n}`.
struct FigureTest {
  std::optional<FigureQuery> query;
  std::string says;      ///< the numbers of the model, in a sentence
  std::string otherwise; ///< where the model does not show it: why, as far as it is known
  Span span;             ///< where `says` is written
};

/// Whether the model shows something that was measured.
struct FigureCheck : FigureTest {
  std::string finding;                 ///< quotes the paper's words and numbers
  std::string cannot_say;              ///< why the model cannot say, where there is no query
  bool must_hold = false;              ///< exact: it is an error if the model does not show it
  bool full_only = false;              ///< not computed for quick sweeps
  std::optional<FigureTest> with_keys; ///< the same on a machine with the keys of the GPU
};

struct FigureSpec {
  std::string name, title, source;
  std::vector<std::string> measured; ///< paragraphs: what the paper measured
  std::vector<std::string> model;    ///< paragraphs: what is simulated in its place
  std::vector<FigureSweep> sweeps;
  std::vector<FigureView> views;
  std::vector<FigureChart> charts;
  std::vector<FigureTable> tables;
  std::vector<FigureCheck> checks;
  bool quick = false;   ///< the sweeps are the quick ones
  bool shipped = false; ///< memlane brings it: a figure of the papers
  bool plain = false;   ///< whole numbers are written in digits, never as powers of two
};

/// Reads a figure file that is in `sources`. `name` is the figure's; `quick` asks for the quick
/// form of each sweep. Returns all independent errors, each with its place. Cost: the size of the
/// file.
Result<FigureSpec> read_figure(Sources& sources, std::int32_t file, const std::string& name,
                               bool quick);

/// The keys of figure files, in display order.
std::vector<FileKey> figure_keys();
/// The JSON Schema of such a file, for editors.
nlohmann::ordered_json figure_schema();

} // namespace memlane
