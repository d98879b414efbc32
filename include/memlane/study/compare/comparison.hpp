// Comparison: several programs on several machines, side by side; two of their runs also line by
// line.
#pragma once

#include "memlane/count/hiding.hpp"
#include "memlane/machine/machine.hpp"
#include "memlane/points/kernel_command.hpp"
#include "memlane/points/recipe.hpp"
#include "memlane/show/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// How far a program came on a machine.
enum class Ran { done, cannot_run, error, stopped };
/// `done`, `cannot_run`, `error`, `stopped`.
std::string_view name_of(Ran ran);

/// Whether the final arrays are those of the first run that came to its end; none: not compared.
enum class SameResults { none, equal, different };
/// `none`, `equal`, `different`.
std::string_view name_of(SameResults results);

// --- Lines

/// A line of the first run beside the line of the second that it matches; one of them may be
/// missing.
struct LinePair {
  std::optional<CountedLine> first, second;

  bool differs() const;
};

/// How lines are matched: of one program by their numbers, of two by their texts.
enum class LineMatch { number, text };

/// The lines of both runs, each in the order of its program. By number, lines of the same file and
/// number match. By text, an alignment of the two programs pairs equal lines, then lines that have
/// about half of their pairs of letters in common; lines that match keep their order. O(lines
/// of the first * lines of the second).
std::vector<LinePair> pair_lines(const std::vector<CountedLine>& first,
                                 const std::vector<CountedLine>& second, LineMatch match);

/// Two runs and their lines.
struct LineComparison {
  std::string first, second; ///< what tables call the runs: `transpose on hmm-titan`
  std::vector<LinePair> lines;
};

// --- Runs

/// One program on one machine.
struct ComparisonRow {
  std::string program, machine; ///< their names as the user gave them
  ProgramInfo info;
  Ran ran = Ran::done;
  Stop stop = Stop::none; ///< why it is `stopped`
  std::string reason; ///< why it is not done, which claim fails, which word of the results differs
  Counts counts;      ///< what it counted until it ended or stopped
  std::int64_t races = 0; ///< races that were found and are allowed
  Verdict verify = Verdict::none;
  bool claim_failed = false;         ///< an exact claim
  std::optional<Limitation> largest; ///< the greatest bound of its account of latency
  SameResults results = SameResults::none;
  /// Of a command, whose sources memlane's own do not have; none: a program.
  std::optional<std::vector<CountedLine>> lines = {};

  /// Counts say something unless the program could not run or was wrong.
  bool counted() const { return ran == Ran::done || ran == Ran::stopped; }
};

/// Where the time of two runs went: of one memory unit, by cause. The differences add up to
/// the difference of the runs' times.
struct CauseComparison {
  UnitId unit = UnitId::global;
  bool is_only = false; ///< the machine has one memory
  TimeByCause first{}, second{};
};

struct Comparison {
  std::string version; ///< memlane's version
  std::uint64_t seed = 1;
  bool timing_only = false;            ///< nothing was computed
  std::vector<std::string> arrays;     ///< the arrays compared: all programs have them, in one size
  std::vector<std::string> remarks;    ///< why other arrays were not compared
  std::string not_compared;            ///< why no results were; empty: some were
  std::vector<ComparisonRow> rows;     ///< machine by machine, in the order of the request
  std::optional<LineComparison> lines; ///< only where two runs are compared
  std::optional<CauseComparison> causes; ///< of two commands, beside their lines
};

/// A program to compare.
struct ComparedProgram {
  std::string name; ///< its name on the command line, options of its own included
  ProgramSelection selection;
  CheckedProgram program;
  std::vector<lang::ParamValue> parameters = {};
  std::optional<KernelCommand> command = {}; ///< it is run instead of the program
};
/// A machine to compare on.
struct ComparedMachine {
  std::string name; ///< all names that the command line has for it
  MachineSelection selection;
  LoadedMachine machine;
};

/// One program on one machine: its row, and the point if it can run.
struct ComparedRun {
  ComparisonRow row;
  Recipe recipe;      ///< includes the values of its definitions, if it is bound
  Point point;        ///< bound, or without code
  Diagnostics errors; ///< why it has no code
};

/// Every program on every machine, machine by machine, bound as far as the machine can run it.
/// `common`: the recipe of all runs, without program and machine. Points refer to `programs`.
std::vector<ComparedRun> compared_runs(const std::vector<ComparedProgram>& programs,
                                       const std::vector<ComparedMachine>& machines,
                                       const Recipe& common, const Sources& sources);

/// Chooses the arrays whose final contents are compared: those asked for, or, where none are, all
/// memory arrays that the programs have in common, of one size. Errors: an array that a program
/// does not have, or has in another size.
Status choose_arrays(const std::vector<std::string>& asked, std::vector<ComparedRun>& runs,
                     Comparison& comparison);

/// How a comparison is run.
struct ComparisonRequest {
  std::size_t jobs = 1;
  std::int64_t memory = INT64_MAX; ///< limits the arrays of concurrent runs, in bytes
  double tolerance = 0;            ///< the relative difference that real numbers may have
  bool lines = false;              ///< compares the source lines of two runs
  PointProgress progress = {};     ///< told how many runs have ended; empty: not wanted
  /// Sees every run that began, with its claims, in the order of the rows. Empty: not wanted.
  std::function<void(const ComparedRun&, const PointResult&)> see_run = {};
};
/// Called with each result, in the order of the rows.
using SeeResult = std::function<void(const ComparisonRow&, const RunResult&)>;

/// Runs all that can run and fills in the rows and lines.
void run_comparison(std::vector<ComparedRun> runs, const ComparisonRequest& request,
                    const Sources& sources, const SeeResult& see, Comparison& comparison);

/// Fills in how far the row's run came and what it counted.
void take_counts(ComparisonRow& row, const MachineSpec& machine, const PointResult& point);

/// The lines of two runs; none where one of them did not count anything. Lines are matched by
/// number if both ran the same text, else by their texts.
std::optional<LineComparison> compare_lines(const ComparisonRow& first, const ComparisonRow& second,
                                            const Sources& sources);

/// The row's time as a multiple of the best time on its machine; none where it did not end, or
/// where the best time is 0.
std::optional<double> ratio_to_best(const Comparison& comparison, const ComparisonRow& row);

/// The memory array of a name, or null.
const ir::Array* memory_array_of(const ir::Program& code, const std::string& name);

/// Of the unit with the largest bound in the first run. None if it has no requests in one of them.
std::optional<CauseComparison> compare_causes(const MachineSpec& first_machine, const Counts& first,
                                              const MachineSpec& second_machine,
                                              const Counts& second);

} // namespace memlane::sweep

namespace memlane {

/// The global unit and all shared ones as one: sums.
UnitCounts all_units(const Counts& counts);

nlohmann::ordered_json comparison_json(const sweep::Comparison& comparison);
/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json comparison_schema();
nlohmann::ordered_json comparison_line_schema();
/// Any of the formats, ending with a line end. jsonl: a row a line. With `lines`, csv and jsonl
/// have these in the place of the rows.
std::string render_comparison(const sweep::Comparison& comparison, Format format);

} // namespace memlane
