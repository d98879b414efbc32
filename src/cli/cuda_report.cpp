#include "cuda_report.hpp"

#include "memlane/show/machine_code.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace memlane::cli {

namespace {

std::int64_t integer_in(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::string text_in(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

/// What the summary shows of it.
MachineCode machine_code_in(const nlohmann::json& json) {
  MachineCode code;
  code.kernel = text_in(json, "kernel");
  code.architecture = integer_in(json, "architecture");
  code.note = text_in(json, "note");
  const auto is_counted = json.find("counted");
  code.counted = is_counted != json.end() && *is_counted == true;
  if (const auto told = json.find("differences"); told != json.end() && told->is_array())
    for (const nlohmann::json& difference : *told)
      if (difference.is_string()) code.differences.push_back(difference.get<std::string>());
  return code;
}

void add_launch(CudaSummary& summary, const nlohmann::json& line) {
  const auto name = line.find("kernel");
  if (name == line.end() || !name->is_string()) {
    ++summary.unreadable;
    return;
  }
  auto kernel = std::find_if(summary.kernels.begin(), summary.kernels.end(),
                             [&](const KernelSummary& k) { return k.name == *name; });
  if (kernel == summary.kernels.end()) {
    summary.kernels.emplace_back().name = name->get<std::string>();
    kernel = std::prev(summary.kernels.end());
  }
  if (const auto code = line.find("machine_code"); code != line.end() && code->is_object())
    kernel->machine_code = machine_code_in(*code);
  std::int64_t count = 0;
  if (const auto faults = line.find("faults"); faults != line.end() && faults->is_array())
    for (const nlohmann::json& fault : *faults)
      count += fault.is_object() ? integer_in(fault, "times") : 0;
  ++kernel->launches;
  kernel->warp_instructions += integer_in(line, "warp_instructions");
  kernel->registers = integer_in(line, "registers");
  kernel->static_shared = integer_in(line, "static_shared");
  kernel->faults += count;
  ++summary.launches;
  summary.warp_instructions += integer_in(line, "warp_instructions");
  summary.faults += count;
}

} // namespace

CudaSummary summary_of(const std::string& lines) {
  CudaSummary summary;
  std::stringstream in(lines);
  for (std::string text; std::getline(in, text);) {
    const nlohmann::json line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object())
      ++summary.unreadable;
    else if (line.contains("launch"))
      add_launch(summary, line);
    else
      ++summary.errors;
  }
  return summary;
}

std::string summary_text(const CudaSummary& summary, bool machine_code) {
  if (summary.launches == 0) return "memlane: no kernel was launched\n";
  TextTable table(
      {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.add({"kernel", "launches", "warp instructions", "registers", "shared bytes",
             summary.faults > 0 ? "faults" : ""});
  for (const KernelSummary& kernel : summary.kernels)
    table.add({on_one_line(kernel.name, 60), fmt::format("{}", kernel.launches),
               fmt::format("{}", kernel.warp_instructions),
               kernel.registers > 0 ? fmt::format("{}", kernel.registers) : "?",
               fmt::format("{}", kernel.static_shared),
               summary.faults > 0 ? fmt::format("{}", kernel.faults) : ""});
  std::string text =
      fmt::format("memlane: {}, {}, {}{}\n",
                  counted(static_cast<std::int64_t>(summary.kernels.size()), "kernel"),
                  counted(summary.launches, "launch", "launches"),
                  counted(summary.warp_instructions, "warp instruction"),
                  summary.faults > 0 ? fmt::format(", {}", counted(summary.faults, "fault")) : "");
  text += table.text(2);
  if (machine_code) {
    std::vector<MachineCode> kernels;
    for (const KernelSummary& kernel : summary.kernels)
      if (kernel.machine_code) kernels.push_back(*kernel.machine_code);
    text += machine_code_text(kernels);
  }
  if (summary.unreadable > 0)
    text += fmt::format("  {} of the report cannot be read\n", counted(summary.unreadable, "line"));
  return text;
}

} // namespace memlane::cli
