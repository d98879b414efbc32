#include "explained_cuda.hpp"

#include "memlane/show/columns.hpp"
#include "memlane/show/explanation_json.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

namespace {

constexpr std::size_t most_kernel_parts = 4, most_launches_shown = 16;
constexpr double least_share = 0.05; ///< of the run's time, of a kernel with a part of its own

/// A line in the table of all kernels.
struct LineOfKernel {
  std::string kernel;
  const ExplainedLine* line = nullptr;
};

const Columns<LineOfKernel>& line_of_kernel_columns() {
  using R = LineOfKernel;
  const auto number = [](std::string heading, auto count) {
    return table_column<R>(Shown{std::move(heading), Align::right},
                           [count](const R& row) { return std::to_string(count(*row.line)); });
  };
  static const Columns<R> columns(
      {table_column<R>(Shown{.heading = "kernel", .align = Align::name, .hide_empty = true},
                       &R::kernel),
       number("line", [](const ExplainedLine& l) { return l.line.number; }),
       table_column<R>(Shown{.heading = "source", .width = 44, .is_code = true},
                       [](const R& row) { return row.line->line.text; }),
       number("requests", [](const ExplainedLine& l) { return l.line.counts.requests; }),
       number("stages", [](const ExplainedLine& l) { return l.line.counts.stages; }),
       number("lost", [](const ExplainedLine& l) { return l.line.counts.conflicts(); }),
       number("waits", [](const ExplainedLine& l) { return l.waits; }),
       table_column<R>(Shown{.heading = "idle", .align = Align::right, .hide_empty = true},
                       [](const R& row) {
                         return row.line->idle ? std::to_string(*row.line->idle) : std::string();
                       }),
       table_column<R>(Shown{.heading = "without lost", .align = Align::right, .hide_empty = true},
                       [](const R& row) {
                         const auto time = row.line->conflict_free;
                         return time ? std::to_string(*time) : std::string();
                       })});
  return columns;
}

std::int64_t time_of(const ExplainedLaunch& launch, Cause cause) {
  return launch.unit ? launch.unit->time[static_cast<std::size_t>(cause)] : 0;
}

const Columns<ExplainedLaunch>& explained_launch_columns() {
  using L = ExplainedLaunch;
  const auto cause = [](std::string heading, Cause of) {
    return table_column<L>(Shown{std::move(heading), Align::right}, [of](const L& launch) {
      return launch.unit ? std::to_string(time_of(launch, of)) : std::string();
    });
  };
  static const Columns<L> columns(
      {table_column<L>(Shown{"launch", Align::right},
                       [](const L& l) { return std::to_string(l.number); }),
       table_column<L>(Shown{"kernel", Align::name}, &L::kernel),
       table_column<L>(Shown{"blocks", Align::right},
                       [](const L& l) { return std::to_string(l.blocks); }),
       table_column<L>(Shown{"threads", Align::right},
                       [](const L& l) { return std::to_string(l.threads); }),
       table_column<L>(Shown{"time", Align::right},
                       [](const L& l) { return std::to_string(l.time); }),
       table_column<L>(Shown{"memory"},
                       [](const L& l) {
                         return l.unit ? std::string(name_of_unit(l.unit->unit)) : std::string();
                       }),
       cause("first stages", Cause::first_stages), cause("extra", Cause::extra_stages),
       cause("latency", Cause::latency), cause("barrier", Cause::barrier),
       cause("drain", Cause::drain), table_column<L>(Shown{"other", Align::right}, [](const L& l) {
         return l.unit ? std::to_string(time_of(l, Cause::launch) + time_of(l, Cause::empty))
                       : std::string();
       })});
  return columns;
}

std::vector<LineOfKernel> all_lines(const ExplainedCuda& cuda) {
  std::vector<LineOfKernel> rows;
  for (const ExplainedKernel& kernel : cuda.kernels)
    for (const ExplainedLine& line : kernel.lines)
      rows.push_back({cuda.kernels.size() > 1 ? kernel.name : "", &line});
  return rows;
}

/// The launches with the most time, in their order.
std::vector<ExplainedLaunch> longest_launches(const ExplainedCuda& cuda) {
  std::vector<ExplainedLaunch> launches = cuda.launches;
  std::stable_sort(launches.begin(), launches.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  if (launches.size() > most_launches_shown) launches.resize(most_launches_shown);
  std::sort(launches.begin(), launches.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return launches;
}

} // namespace

std::vector<ExplainedPart> kernel_parts(const Explanation& explanation) {
  std::vector<ExplainedPart> parts;
  const ExplainedCuda& cuda = *explanation.cuda;
  if (cuda.kernels.size() < 2) return parts;
  for (const ExplainedKernel& kernel : cuda.kernels) {
    const bool small = static_cast<double>(kernel.time.value) <
                       least_share * static_cast<double>(explanation.time.value);
    if (small || parts.size() == most_kernel_parts) break;
    ExplainedPart part{fmt::format("kernel {}: {} in {} ({})", kernel.name,
                                   counted(kernel.time.value, "time unit"),
                                   counted(kernel.launches, "launch", "launches"),
                                   percent(kernel.time.value, explanation.time.value)),
                       {}};
    for (ExplainedPart& own : account_parts(kernel))
      for (ExplainedPart::Paragraph& paragraph : own.paragraphs)
        part.paragraphs.push_back(std::move(paragraph));
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string explained_cuda_tables(const Explanation& explanation, Format format,
                                  std::size_t columns) {
  const ExplainedCuda& cuda = *explanation.cuda;
  const std::vector<LineOfKernel> lines = all_lines(cuda);
  const std::vector<ExplainedLaunch> launches =
      cuda.launches.size() > 1 ? longest_launches(cuda) : std::vector<ExplainedLaunch>();
  const std::int64_t others = explanation.launches - static_cast<std::int64_t>(launches.size());
  const bool several = std::any_of(lines.begin(), lines.end(), [&](const LineOfKernel& line) {
    return line.kernel != lines.front().kernel;
  });
  std::string text;
  if (format != Format::table) {
    if (!lines.empty())
      text += '\n' + paper_text({line_of_kernel_columns().paper("Source lines", lines)}, format);
    if (!launches.empty())
      text += '\n' + paper_text({explained_launch_columns().paper("Launches", launches)}, format);
    return text;
  }
  if (!lines.empty())
    text += '\n' +
            paragraph_text(
                fmt::format("what each source line costs (waits: time units that warps wait for "
                            "its requests, added over all warps; {}without lost: the run's time if "
                            "the line lost no stages{})",
                            lines.front().line->idle ? "idle: those in which global memory idles "
                                                       "and a warp waits for values of the line; "
                                                     : "",
                            several ? " in any kernel" : ""),
                0) +
            line_of_kernel_columns().text(lines).text(2, columns);
  if (!launches.empty())
    text += "\nwhere the time of each launch went\n" +
            explained_launch_columns().text(launches).text(2, columns);
  if (!launches.empty() && others > 0)
    text += fmt::format("  and {}\n", counted(others, "launch", "launches"));
  return text;
}

namespace {

const schema::Table<ExplainedLine>& explained_line_table() {
  using L = ExplainedLine;
  static const schema::Table<L> table({
      {"file", "as the program names it", [](const L& l) { return l.line.file; }},
      {"line", "its number in the file", [](const L& l) { return l.line.number; }},
      {"source", "the line without its margin", [](const L& l) { return l.line.text; }},
      {"requests", "of all warps", [](const L& l) { return l.line.counts.requests; }},
      {"stages", "of these requests", [](const L& l) { return l.line.counts.stages; }},
      {"worst", "most stages of one request", [](const L& l) { return l.line.counts.worst; }},
      {"lost", "stages that conflicts add", [](const L& l) { return l.line.counts.conflicts(); }},
      {"waits", "time units that warps wait for its requests, added over all warps", &L::waits},
      {"idle",
       "time units in which the global memory idles and a warp waits for values that the line "
       "reads, "
       "on machines with requests_in_flight, operations or own ports",
       [](const L& l) { return *l.idle; }, [](const L& l) { return l.idle.has_value(); }},
      {"conflict_free_time",
       "of the run (time units), if the line's requests took the stages that their words need; "
       "null: it loses none, or that was not simulated",
       &L::conflict_free},
  });
  return table;
}

const schema::Table<ExplainedLaunch>& explained_launch_table() {
  using L = ExplainedLaunch;
  static const schema::Table<L> table({
      {"launch", "its number in the run, from 0", &L::number},
      {"kernel", "its name", &L::kernel},
      {"blocks", "of the launch", &L::blocks},
      {"threads", "of a block", &L::threads},
      {"time", "time units", &L::time},
      {"unit", explained_unit_table(),
       "the memory with the largest bound of its time; null: it made no requests", &L::unit},
  });
  return table;
}

const schema::Table<ExplainedKernel>& explained_kernel_table() {
  using K = ExplainedKernel;
  static const schema::Table<K> table({
      {"kernel", "its name", &K::name},
      {"launches", "of the kernel", &K::launches},
      {"time", "of all its launches (time units)", [](const K& k) { return k.time.value; }},
      {"units", explained_unit_table(), "a memory unit", "the unit with the largest bound first",
       &K::units},
      {"value_waits", wait_columns().json(), "a line that waits and the line of a read",
       "idle time while warps waited for values, the most first", &K::value_waits,
       schema::Presence::if_any},
      {"tight", schema::or_null(limitation_schema()), &K::tight},
      {"bound", "the largest lower bound of the time (time units)", &K::bound},
      {"costliest_line", costly_line_table(), "null: no requests", &K::costliest},
      {"lines", explained_line_table(), "a source line with requests", "by file and line",
       &K::lines},
  });
  return table;
}

} // namespace

const schema::Table<ExplainedCuda>& explained_cuda_table() {
  static const schema::Table<ExplainedCuda> table({
      {"kernels", explained_kernel_table(), "all launches of a kernel", "the most time first",
       &ExplainedCuda::kernels},
      {"launches", explained_launch_table(), "a launch", "the first ones",
       &ExplainedCuda::launches},
      {"untried", "why no changes were simulated; empty: they were", &ExplainedCuda::untried},
  });
  return table;
}

} // namespace memlane
