#include "cuda_report.hpp"

#include "cuda_run.hpp"

#include "memlane/ptx/names.hpp"
#include "memlane/show/machine_code.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace memlane::cli {

namespace {

/// What the summary shows of it.
MachineCode machine_code_in(const nlohmann::json& json) {
  MachineCode code;
  code.kernel = text_in(json, "kernel");
  code.name = text_in(json, "name");
  code.architecture = integer_in(json, "architecture");
  code.note = text_in(json, "note");
  const auto is_counted = json.find("counted");
  code.counted = is_counted != json.end() && *is_counted == true;
  if (const auto told = json.find("differences"); told != json.end() && told->is_array())
    for (const nlohmann::json& difference : *told)
      if (difference.is_string()) code.differences.push_back(difference.get<std::string>());
  return code;
}

/// Whether it is chosen.
bool add_launch(CudaSummary& summary, const nlohmann::json& line, const LaunchChoice& choice) {
  const auto name = line.find("kernel");
  if (name == line.end() || !name->is_string()) {
    ++summary.unreadable;
    return false;
  }
  const std::string symbol = text_in(line, "symbol");
  auto kernel = std::find_if(summary.kernels.begin(), summary.kernels.end(),
                             [&](const KernelSummary& k) { return k.name == *name; });
  if (kernel == summary.kernels.end()) {
    summary.kernels.emplace_back().name = name->get<std::string>();
    kernel = std::prev(summary.kernels.end());
    kernel->symbol = symbol;
  }
  if (const auto code = line.find("machine_code"); code != line.end() && code->is_object())
    kernel->machine_code = machine_code_in(*code);
  ++summary.all_launches;
  summary.stop = std::max(summary.stop, stop_named(text_in(line, "stop")));
  std::int64_t count = 0;
  if (const auto faults = line.find("faults"); faults != line.end() && faults->is_array())
    for (const nlohmann::json& fault : *faults) {
      if (!fault.is_object()) continue;
      count += integer_in(fault, "times");
      if (const auto allowed = fault.find("allowed");
          summary.fatal.empty() && allowed != fault.end() && *allowed == false)
        summary.fatal = fmt::format("{} in launch {}, kernel {}", text_in(fault, "fault"),
                                    integer_in(line, "launch"), ptx::source_name(symbol));
    }
  if (!choice.has(integer_in(line, "launch"), symbol)) return false;
  ++kernel->launches;
  kernel->warp_instructions += integer_in(line, "warp_instructions");
  kernel->registers = integer_in(line, "registers");
  kernel->static_shared = integer_in(line, "static_shared");
  kernel->faults += count;
  ++summary.launches;
  summary.warp_instructions += integer_in(line, "warp_instructions");
  summary.faults += count;
  return true;
}

} // namespace

CudaSummary summary_of(const std::string& lines, const LaunchChoice& choice) {
  CudaSummary summary;
  std::map<std::int64_t, std::int64_t> launches; // by process
  std::set<std::int64_t> priced;                 // processes
  summary.unreadable += each_report_line(lines, [&](const nlohmann::json& line, const auto& text) {
    bool kept = true;
    if (line.contains("launch")) {
      kept = add_launch(summary, line, choice);
      const std::int64_t process = integer_in(line, "process");
      launches[process] += kept ? 1 : 0;
      if (line.contains("time")) priced.insert(process);
    } else {
      ++summary.errors;
    }
    if (kept) summary.lines += text + '\n';
  });
  for (const auto& [process, count] : launches)
    if (!priced.empty() && !priced.contains(process)) summary.forked += count;
  return summary;
}

std::string summary_text(const CudaSummary& summary, bool machine_code, std::size_t columns) {
  const std::string unreadable =
      summary.unreadable > 0
          ? fmt::format("  {} of the report cannot be read\n", counted(summary.unreadable, "line"))
          : "";
  if (summary.all_launches == 0)
    return (!unreadable.empty()   ? "memlane: it is not known what was launched\n"
            : summary.errors == 0 ? "memlane: no kernel was launched\n"
                                  : fmt::format("memlane: no kernel was launched, {}\n",
                                                counted(summary.errors, "error"))) +
           unreadable;
  TextTable table(
      {Align::name, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.add({"kernel", "launches", "warp instructions", "registers", "shared bytes",
             summary.faults > 0 ? "faults" : ""});
  std::int64_t kernels = 0;
  for (const KernelSummary& kernel : summary.kernels) {
    if (kernel.launches == 0) continue;
    ++kernels;
    table.add({kernel.name, fmt::format("{}", kernel.launches),
               fmt::format("{}", kernel.warp_instructions),
               kernel.registers > 0 ? fmt::format("{}", kernel.registers) : "?",
               fmt::format("{}", kernel.static_shared),
               summary.faults > 0 ? fmt::format("{}", kernel.faults) : ""});
  }
  const std::string of_all =
      summary.launches < summary.all_launches ? fmt::format(" of {}", summary.all_launches) : "";
  std::string text =
      fmt::format("memlane: {}, {}{}, {}{}\n", counted(kernels, "kernel"),
                  counted(summary.launches, "launch", "launches"), of_all,
                  counted(summary.warp_instructions, "warp instruction"),
                  summary.faults > 0 ? fmt::format(", {}", counted(summary.faults, "fault")) : "");
  if (summary.errors > 0)
    text.insert(text.size() - 1, fmt::format(", {}", counted(summary.errors, "error")));
  if (summary.launches > 0) text += table.text(2, columns);
  if (summary.forked > 0)
    text += fmt::format("  {} of forked processes, executed, but not priced\n",
                        counted(summary.forked, "launch", "launches"));
  if (machine_code) {
    std::vector<MachineCode> codes;
    for (const KernelSummary& kernel : summary.kernels)
      if (kernel.machine_code && kernel.launches > 0) codes.push_back(*kernel.machine_code);
    text += machine_code_text(codes);
  }
  return text + unreadable;
}

namespace {

std::string launched_kernels(const CudaSummary& summary) {
  constexpr std::size_t most_names = 20;
  std::vector<std::string> names;
  for (const KernelSummary& kernel : summary.kernels) {
    std::string name = ptx::source_name(kernel.symbol);
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  const std::size_t more = names.size() - std::min(names.size(), most_names);
  names.resize(names.size() - more);
  std::string text = fmt::format("launched: {}", fmt::join(names, ", "));
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

} // namespace

Status check_chosen(const CudaSummary& summary, const LaunchChoice& choice) {
  ErrorCollector errors;
  const auto is_named = [&](const std::string& name) {
    return std::any_of(
        summary.kernels.begin(), summary.kernels.end(),
        [&](const KernelSummary& kernel) { return names_kernel(name, kernel.symbol); });
  };
  for (const std::string& name : choice.kernels)
    if (summary.all_launches == 0)
      errors.add(error_in("--kernel", fmt::format("no kernel was launched, nor '{}'", name)));
    else if (!is_named(name))
      errors.add(error_in("--kernel",
                          fmt::format("no kernel that was launched has the name '{}'", name),
                          {launched_kernels(summary)}));
  for (const LaunchRange& range : choice.ranges)
    if (range.first >= summary.all_launches)
      errors.add(
          error_in("--launches",
                   fmt::format("there is no launch {}: the program had {}, numbered from 0",
                               range.first, counted(summary.all_launches, "launch", "launches"))));
  return errors.status();
}

} // namespace memlane::cli
