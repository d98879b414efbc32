#include "memlane/show/cuda_kernels.hpp"

#include "memlane/count/hiding.hpp"
#include "memlane/show/machine_code.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane {

namespace {

constexpr std::size_t widest_line = 40; ///< columns of a source line

/// A kernel in the table of all.
struct KernelRow {
  std::string name;
  const Counts* counts = nullptr;
  double percent = 0;      ///< of the run's time
  std::string bound, line; ///< empty: unknown, or no line makes requests
};

/// The line that loses the most stages; if none does, the one with the most requests.
std::string worst_line(const Counts& counts, const Sources& sources) {
  const std::vector<CountedLine> lines = counted_lines(counts, sources);
  const auto key = [](const CountedLine& line) {
    return std::pair(line.counts.conflicts(), line.counts.requests);
  };
  const auto worst =
      std::max_element(lines.begin(), lines.end(),
                       [&](const CountedLine& a, const CountedLine& b) { return key(a) < key(b); });
  if (worst == lines.end() || worst->counts.requests == 0) return "";
  return fmt::format("{}  {}", worst->number, on_one_line(worst->text, widest_line));
}

KernelRow row_of(const std::string& name, const Counts& counts, const RunReport& report,
                 const Sources& sources) {
  KernelRow row{name, &counts, 0, "", worst_line(counts, sources)};
  if (const std::int64_t all = report.run.counts.time.value; all > 0)
    row.percent = 100 * static_cast<double>(counts.time.value) / static_cast<double>(all);
  if (report.run.stop != Stop::none) return row; // the bounds are those of whole runs
  if (const auto largest = latency_hiding(report.machine, counts).largest) {
    row.bound = name_of(*largest);
    std::replace(row.bound.begin(), row.bound.end(), '_', ' ');
  }
  return row;
}

const Columns<KernelRow>& kernel_row_columns() {
  const auto number = [](std::string heading, auto count) {
    return table_column<KernelRow>(
        Shown{std::move(heading), Align::right},
        [count](const KernelRow& row) { return std::to_string(count(*row.counts)); });
  };
  static const Columns<KernelRow> columns(
      {table_column<KernelRow>(Shown{"kernel", Align::name}, &KernelRow::name),
       number("launches", [](const Counts& c) { return c.launches; }),
       number("time", [](const Counts& c) { return c.time.value; }),
       table_column<KernelRow>(
           Shown{"%", Align::right},
           [](const KernelRow& row) { return fmt::format("{:.1f}", row.percent); }),
       number("global lost", [](const Counts& c) { return sum_of(c.global).conflicts(); }),
       number("shared lost", [](const Counts& c) { return sum_of(c.shared).conflicts(); }),
       table_column<KernelRow>(Shown{"bound"}, &KernelRow::bound),
       table_column<KernelRow>(Shown{"worst line"}, &KernelRow::line)});
  return columns;
}

} // namespace

const Columns<SectorLine>& sector_columns() {
  using C = Column<SectorLine>;
  static const Columns<SectorLine> columns(
      {C("file", "of the source", &SectorLine::file),
       C(Shown{"line", Align::right}, "line", "its number, from 1", &SectorLine::line),
       C(Shown{"requests", Align::right}, "requests", "of warps to global memory",
         &SectorLine::requests),
       C(Shown{"sectors", Align::right}, "sectors",
         "pieces of 32 bytes that the requests touch, request by request", &SectorLine::sectors),
       table_column<SectorLine>(
           Shown{"a request", Align::right},
           [](const SectorLine& line) { return fmt::format("{:.2f}", line.of_request()); }),
       C(Shown{"needed", Align::right}, "needed",
         "pieces that as many words side by side would touch", &SectorLine::needed),
       table_column<SectorLine>(Shown{"source", Align::left},
                                [](const SectorLine& line) { return line.text; })});
  return columns;
}

std::string cuda_kernels_text(const RunReport& report, const Sources& sources,
                              std::size_t columns) {
  if (report.run.kernels.size() < 2) return "";
  std::vector<KernelRow> rows;
  for (const auto& [name, counts] : report.run.kernels)
    rows.push_back(row_of(name, counts, report, sources));
  std::stable_sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return a.counts->time.value > b.counts->time.value;
  });
  return "\nby kernel\n" + kernel_row_columns().text(rows).text(2, columns) +
         (report.details ? "" : "\n"); // before the summary
}

const schema::Table<RefusedLaunches>& refused_launches_table() {
  static const schema::Table<RefusedLaunches> table({
      {"kernel", "its name", &RefusedLaunches::kernel},
      {"reason", "why they did not begin", &RefusedLaunches::reason},
      {"launches", schema::count("launches refused for this reason", 1),
       &RefusedLaunches::launches},
  });
  return table;
}

const schema::Table<EstimatedTime>& estimated_time_table() {
  static const schema::Table<EstimatedTime> table({
      {"time", "an estimate of the time units of all blocks of all launches", &EstimatedTime::time},
      {"launches", "of which a part of the blocks was executed", &EstimatedTime::launches},
      {"blocks", "of these launches", &EstimatedTime::blocks},
      {"executed", "of these blocks: executed, under memlane cuda priced",
       &EstimatedTime::executed},
  });
  return table;
}

std::string estimate_text(const RunReport& report) {
  if (!report.cuda || !report.cuda->estimated) return "";
  const EstimatedTime& all = *report.cuda->estimated;
  std::string text = counted(all.time, "time unit");
  if (const auto seconds = report.machine.seconds(all.time))
    text += fmt::format(" = {}", short_time(1e9 * *seconds));
  return labelled_lines(
      "estimated",
      fmt::format("{} for all blocks. {} are {} of {} of {}; everything "
                  "else here is of these alone{}",
                  text, all.executed_all ? "Priced" : "Executed", all.executed,
                  counted(all.blocks, "block"), counted(all.launches, "launch", "launches"),
                  all.executed_all ? "" : ", memory too") +
          (all.of_one_wave ? ". The estimate is made from one wave of blocks, which "
                             "may still fill the machine: take a larger N"
                           : ""),
      11);
}

std::string sectors_text(const RunReport& report, std::size_t columns) {
  std::string text;
  const CudaKernels& kernels = *report.cuda;
  if (report.details && !kernels.sectors.empty())
    text += "\nsectors of 32 bytes, by source line\n" +
            sector_columns().text(kernels.sectors).text(2, columns);
  if (kernels.equal_launches > 0)
    text += fmt::format("\n{} of {} made the same requests as earlier ones, which were timed\n",
                        kernels.equal_launches,
                        counted(report.run.counts.launches, "launch", "launches"));
  if (kernels.race_search == "part")
    text += "\nthe search for races could not follow all accesses of a launch: it may have missed "
            "some\n";
  if (const std::string code = machine_code_text(kernels.machine_code); !code.empty())
    text += '\n' + code;
  return text;
}

} // namespace memlane
