#include "command_counts.hpp"

#include "memlane/kernels/priced_run.hpp"
#include "memlane/support/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <sstream>

namespace memlane::sweep {
namespace {

using nlohmann::json;

std::int64_t number_at(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

UnitCounts unit_of(const json& unit) {
  UnitCounts counts;
  counts.requests = number_at(unit, "requests");
  counts.stages = number_at(unit, "stages");
  counts.further_needed = counts.stages - counts.requests - number_at(unit, "conflicts");
  counts.reads = number_at(unit, "reads");
  counts.writes = number_at(unit, "writes");
  counts.concurrent_writes = number_at(unit, "concurrent_writes");
  counts.busy = number_at(unit, "busy");
  counts.idle_latency = number_at(unit, "idle_latency");
  counts.idle_barrier = number_at(unit, "idle_barrier");
  counts.idle_drain = number_at(unit, "idle_drain");
  counts.idle_empty = number_at(unit, "idle_empty");
  counts.resident_warps = number_at(unit, "resident_warps");
  return counts;
}

Counts counts_of(const json& result) {
  const json& own = result.at("counts");
  Counts counts;
  counts.agpu.time = counts.agpu.io = std::nullopt;
  counts.time = Cycles{number_at(own, "time")};
  counts.launches = number_at(own, "launches");
  counts.barriers = number_at(own, "barriers");
  counts.instructions = number_at(own, "instructions");
  counts.shared_words = number_at(own, "shared_words");
  const auto units = [&](const char* kind) { // those that the machine has
    return own.at("units").value(kind, json::array());
  };
  for (const json& unit : units("global")) counts.global.push_back(unit_of(unit));
  for (const json& unit : units("shared")) counts.shared.push_back(unit_of(unit));
  for (const json& port : units("ports")) {
    PortCounts& counted = counts.ports.emplace_back();
    static_cast<UnitCounts&>(counted) = unit_of(port);
    counted.lines = number_at(port, "lines");
    counted.groups = number_at(port, "groups");
    counted.groups_reused = number_at(port, "groups_reused");
    counted.groups_reused_extra = number_at(port, "groups_reused_extra");
  }
  // The bound of latency: of shared memory, of the multiprocessor that is explained.
  const json hiding = result.value("latency_hiding", json::object());
  if (hiding.contains("global") && hiding["global"].is_object() && !counts.global.empty())
    counts.global.front().latency_bound = number_at(hiding["global"], "latency");
  if (hiding.contains("shared") && hiding["shared"].is_object()) {
    const auto at = static_cast<std::size_t>(number_at(hiding["shared"], "multiprocessor"));
    if (at < counts.shared.size())
      counts.shared[at].latency_bound = number_at(hiding["shared"], "latency");
  }
  return counts;
}

/// The greatest bound of the time, as the result names it: its counts do not have all bounds.
std::optional<Limitation> largest_of(const json& result) {
  const json hiding = result.value("latency_hiding", json());
  const json named = hiding.is_object() ? hiding.value("largest", json()) : json();
  for (auto k = static_cast<int>(last_limitation); k >= 0; --k)
    if (named.is_string() && named == name_of(static_cast<Limitation>(k)))
      return static_cast<Limitation>(k);
  return std::nullopt;
}

/// The lines of source files, read once each.
class SourceLines {
public:
  explicit SourceLines(const std::string& program) : read_(source_reader(program)) {}

  std::string text(const std::string& file, std::int64_t number) {
    auto known = lines_.find(file);
    if (known == lines_.end()) {
      known = lines_.emplace(file, std::vector<std::string>()).first;
      std::istringstream all(read_(file).value_or(""));
      for (std::string line; std::getline(all, line);) known->second.push_back(line);
    }
    if (number < 1 || number > static_cast<std::int64_t>(known->second.size())) return "";
    const std::string& line = known->second[static_cast<std::size_t>(number - 1)];
    constexpr std::size_t widest = 400;
    return on_one_line(line.substr(std::min(line.size(), line.find_first_not_of(" \t"))), widest);
  }

private:
  ptx::ReadSource read_;
  std::map<std::string, std::vector<std::string>> lines_;
};

std::vector<CountedLine> lines_of(const json& result, const std::string& program) {
  SourceLines sources(program);
  std::vector<CountedLine> lines;
  for (const json& own : result.at("counts").at("lines")) {
    if (number_at(own, "requests") == 0) continue;
    CountedLine line;
    line.file = own.value("file", "");
    line.number = static_cast<std::int32_t>(number_at(own, "line"));
    line.text = sources.text(line.file, line.number);
    LineCounts& counts = line.counts;
    counts.requests = number_at(own, "requests");
    counts.stages = number_at(own, "stages");
    counts.worst = number_at(own, "worst");
    counts.further_needed = counts.stages - counts.requests - number_at(own, "lost");
    counts.agpu_time = counts.io = std::nullopt;
    counts.operators = number_at(own.value("agpu", json::object()), "operators");
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace

void take_command_counts(const CommandOutput& output, ComparisonRow& row) {
  const json result = json::parse(output.json, nullptr, false);
  if (!result.is_object()) return;
  try {
    row.counts = counts_of(result);
    row.lines = lines_of(result, row.info.path);
    row.races = number_at(result.at("counts"), "races");
  } catch (const json::exception&) { // another program wrote it
    return;
  }
  if (!output.message.empty()) row.reason = output.message;
  if (row.ran == Ran::done) row.largest = largest_of(result);
}

} // namespace memlane::sweep
