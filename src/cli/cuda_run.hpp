// A CUDA program that is started with a library of memlane's in it, and what the library reports.
#pragma once

#include "child.hpp"

#include "memlane/kernels/price_order.hpp"
#include "memlane/support/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::cli {

/// Most bytes of a report: a line a launch.
inline constexpr std::size_t most_report_bytes = std::size_t{1} << 30;

/// A file of this folder, else a program on the path.
Result<std::string> program_path(const std::string& word);

struct ReportedRun {
  ChildEnd end;
  std::string lines;  ///< of the report
  std::string output; ///< of a quiet run: the path of what the program wrote
};
/// Whether a run has memlane's own standard input and output.
enum class RunOutput { own, quiet };
using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs a program that has been checked with memlane's runtime library and the order, both in the
/// folder. `allowed`: names of faults, with commas between them.
Result<ReportedRun> run_with_runtime(const std::vector<std::string>& words, const PriceOrder& order,
                                     const std::string& allowed, RunOutput output);
/// Runs it with the library in front of its own runtime library that measures launches.
Result<ReportedRun> run_measured(const std::vector<std::string>& words, const std::string& folder,
                                 RunOutput output);

/// The lines of a report that are JSON objects; returns the number of others.
std::int64_t
each_report_line(const std::string& lines,
                 const std::function<void(const nlohmann::json&, const std::string&)>& use);
/// A number of a line, from 0 to 2^40; 0: there is none.
std::int64_t integer_in(const nlohmann::json& line, const char* key);
/// A text of a line; empty: there is none.
std::string text_in(const nlohmann::json& line, const char* key);

} // namespace memlane::cli
