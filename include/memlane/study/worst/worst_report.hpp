// What a search for the worst input found: sentences, tables, rows and JSON.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/study/worst/search.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// The source line that makes most of what was searched.
struct WorstLine {
  CountedLine line;
  std::int64_t requests = 0, stages = 0;
  std::int64_t worst = 0;  ///< most stages of one request
  std::int64_t of_all = 0; ///< stages of all lines in the same memory
};

/// The line with the most stages, in shared or global memory alone where the count names it. None
/// if the run made no requests.
std::optional<WorstLine> worst_line(const std::string& count, const RunResult& run,
                                    const Sources& sources);

/// The claims that bound the count from the searched side: its left side is the count.
std::vector<ClaimOutcome> claims_about(const std::string& count, bool least,
                                       const lang::Checked& checked, const Sources& sources,
                                       const std::vector<ClaimOutcome>& claims);

/// An input that was tried.
struct WorstInput {
  std::string label; ///< program, machine, parameters
  std::string how;   ///< `descending`
  std::optional<double> value;
};

/// An input that refutes a claim, fails verify, or for which the program ends with an error.
struct RefutingInput {
  std::string label; ///< of its point
  std::string how;
  std::int64_t trial = 0;
  std::vector<std::string> what;                          ///< a sentence each
  std::vector<std::pair<std::string, std::string>> files; ///< array and file
  std::string command; ///< that repeats its run, or writes the inputs of its search
};

struct WorstReport {
  std::string version;
  std::string label; ///< of the point of the worst input
  std::vector<std::pair<std::string, std::string>>
      values;        ///< of that point: each axis and its value
  std::string count; ///< what was searched
  bool least = false;
  std::string value;      ///< exact, as claims have it
  double number = 0;      ///< the same
  std::string how;        ///< `descending`, `local search from descending`
  std::int64_t trial = 0; ///< the number of the trial that found it
  std::vector<WorstInput> inputs;
  std::int64_t trials = 0, failed = 0;
  std::int64_t limited = 0; ///< of `failed`, trials that reached a limit of their run
  std::string limit;        ///< the first such limit: `stopped at the limit of --max-time`
  std::int64_t known = 0;   ///< trials that the store had
  std::string failure;      ///< why the first trial without a value has none
  bool every_input = false;
  std::string stopped; ///< why it stopped before its trials were used up; or empty
  std::optional<WorstLine> line;
  std::vector<ClaimOutcome> about;                        ///< claims about the count
  std::vector<ClaimOutcome> failing;                      ///< claims that the input refutes
  std::vector<std::pair<std::string, std::string>> files; ///< array and file
  std::vector<std::string> left_out;     ///< points that cannot run, and why: on one line each
  std::optional<RefutingInput> refuting; ///< the first one, if it is another input
  std::string command;                   ///< that repeats the run, or writes its input
};

nlohmann::ordered_json worst_schema();
/// A line of `--format jsonl`: an input that was tried.
nlohmann::ordered_json worst_line_schema();
/// Any of the formats, ending with a line end.
std::string render_worst(const WorstReport& report, Format format);

/// Searches of one count at several points: a row for each. JSON is a list of what one has.
nlohmann::ordered_json worst_of_each_schema();
/// Requires a report.
std::string render_worst_of_each(const std::vector<WorstReport>& reports, Format format);

} // namespace memlane
