// One run, or one replayed trace, as people and programs read it.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/claim/prices.hpp"
#include "memlane/count/counts.hpp"
#include "memlane/count/watch.hpp"
#include "memlane/lang/checked_program.hpp"
#include "memlane/machine/spec.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// The texts of an option that replaced parts of the program: `t=rows;x=padded(1)`.
std::string replaced_cell(const ProgramInfo& program, std::string_view option);

/// What was replayed.
struct TraceInfo {
  std::string path;
  bool whole = true; ///< it has an end line
};

/// The computer and the build that made the result.
struct HostInfo {
  std::string system, architecture, compiler;
};

enum class Format { table, json, csv, jsonl, markdown, latex };

/// What others conclude from a run, as its result has it.
struct AddedPart {
  std::function<nlohmann::ordered_json()> json;
  /// For a table, whose rows have at most so many columns (0: any number), Markdown or LaTeX.
  std::function<std::string(Format, std::size_t columns)> text;
};

/// What the rows of CSV are.
enum class CsvRows { run, kernels, launches, lines, blocks };
std::string_view name_of(CsvRows rows);
std::vector<std::string> csv_rows_names();
std::optional<CsvRows> csv_rows_named(std::string_view name);

/// What the requests of one source line to global memory moved.
struct SectorLine {
  std::string file;
  std::int64_t line = 0, requests = 0;
  std::int64_t sectors = 0; ///< pieces of 32 bytes that requests touched, request by request
  std::int64_t needed = 0;  ///< pieces that as many words side by side would touch
  std::string text;         ///< of the source, without its margin

  double of_request() const { return static_cast<double>(sectors) / static_cast<double>(requests); }
};

/// Instructions of one kind and width, counted in two texts of a kernel.
struct ComparedInstructions {
  std::string access;    ///< `shared load`
  std::int64_t bits = 0; ///< of a lane; 0: compared without a width
  std::int64_t ptx = 0, machine = 0;
};

/// A kernel's machine code, held against the PTX that was executed.
struct MachineCode {
  std::string kernel;             ///< its symbol
  std::string name;               ///< as its source has it
  std::int64_t architecture = 0;  ///< 80: sm_80; 0: the program has no machine code of it
  std::int64_t registers = 0;     ///< of a thread; 0: unknown
  std::int64_t static_shared = 0; ///< bytes of a block
  std::int64_t instructions = 0;
  bool counted = false; ///< memlane knows the instructions of the architecture
  std::vector<ComparedInstructions> accesses;
  std::vector<std::string> differences; ///< in plain words; none: what was counted is equal
  std::string note;                     ///< what is not covered; empty: nothing
};

/// The time of a run of whose launches a part of the blocks was executed.
struct EstimatedTime {
  std::int64_t time = 0;                               ///< of all blocks of all launches
  std::int64_t launches = 0, blocks = 0, executed = 0; ///< launches in part, and their blocks
  bool executed_all = false; ///< the other blocks were executed, too, and not priced
  bool of_one_wave = false;  ///< an estimate is made from one wave of blocks alone
};

/// Launches of a kernel that did not begin, all for one reason.
struct RefusedLaunches {
  std::string kernel; ///< as its source has it
  std::string reason;
  std::int64_t launches = 0;
};

/// What a result says of CUDA kernels beside what it says of every run.
struct CudaKernels {
  std::vector<SectorLine> sectors; ///< of the lines that access global memory, by file and line
  /// Launches that were executed but not timed: an earlier one had made the same requests.
  std::int64_t equal_launches = 0;
  std::vector<MachineCode> machine_code = {}; ///< of the kernels that a program launched
  std::optional<EstimatedTime> estimated = {};
  std::string race_search = {}; ///< which accesses were looked at: all, part or none
  std::vector<RefusedLaunches> refused = {};
};

/// All that a result says. Exactly one of `program` and `trace` is given.
struct RunReport {
  std::string version; ///< of the tool
  std::optional<ProgramInfo> program;
  std::optional<TraceInfo> trace;
  MachineSpec machine;
  std::string machine_path;
  bool standard_machine = false; ///< none was asked for
  std::uint64_t seed = 1;
  bool timing_only = false; ///< nothing was computed
  HostInfo host;
  RunResult run;
  std::vector<ClaimOutcome> claims;
  std::vector<Price> prices;        ///< of --price and --prices
  std::optional<WatchRecord> watch; ///< of --watch
  CsvRows csv_rows = CsvRows::run;
  /// Of --explain and of each --try. Where one is given, text has it instead of the summary.
  std::optional<AddedPart> explanation;
  std::vector<AddedPart> tries;
  std::optional<CudaKernels> cuda; ///< none: another program, or a trace
  /// What text has beside the summary: tables of units, kernels, launches and lines; each claim.
  bool details = true, each_claim = true;
  /// Options that say more, which text without details names.
  std::string offers = "--details (units, lines), --claims, --explain (what would help)";

  /// Seconds of its time units; none where the machine has no clock, or the time is unknown.
  std::optional<double> seconds() const;
};

/// The counts of one source line of a run.
struct CountedLine {
  std::string file; ///< as the program names it
  std::int32_t number = 0;
  std::string text; ///< without its margin, on one line
  LineCounts counts;
};

/// The lines of a run that made requests, in the order of files and lines. Those of a trace have
/// neither file nor text.
std::vector<CountedLine> counted_lines(const Counts& counts, const Sources& sources);

/// Idle time of units that is charged to waits of one line for the values of another line's reads,
/// as people read it.
struct ShownWait {
  std::string unit;        ///< `global`, `port` or `shared`: of all multiprocessors together
  std::int64_t time = 0;   ///< time units
  CountedLine waits, read; ///< number 0: a barrier or the end of a warp; unknown
};

/// By unit, the most time first.
std::vector<ShownWait> shown_waits(const Counts& counts, const Sources& sources);

/// The names of all formats, as --format takes them.
std::vector<std::string> format_names();

/// The format of a name, or none.
std::optional<Format> format_named(std::string_view name);
std::string_view name_of(Format format);
/// The format that the ending of a file's name stands for; table for others.
Format format_of_path(std::string_view path);

/// How a table may look.
struct TableStyle {
  bool color = false;
  std::size_t columns = 0; ///< of the terminal; 0: tables may have any width
};

/// The result as interfaces promise it. Sections of models that this version does not price are
/// not there.
nlohmann::ordered_json run_json(const RunReport& report, const Sources& sources);
/// The schema of that object; added parts are any objects.
nlohmann::ordered_json run_schema();
/// A heading and one row; the columns are the same for every run.
std::string run_csv(const RunReport& report, const Sources& sources);
std::string run_table(const RunReport& report, const Sources& sources, TableStyle style);
/// Any of them, ending with a line end.
std::string render_run(const RunReport& report, const Sources& sources, Format format,
                       TableStyle style);

/// Whether the report shows a check that failed: verify, or a claim that one run can refute.
bool any_check_failed(const RunReport& report);

/// `none` for a run that came to its end; else what stopped it, in one word.
std::string_view name_of(Stop stop);
/// The stop of that name, or none.
Stop stop_named(std::string_view name);
/// `passed`, `failed` or `none`.
std::string_view name_of(Verdict verdict);

} // namespace memlane
