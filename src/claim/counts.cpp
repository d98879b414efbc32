#include "counts.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace memlane::claims {
namespace {

template <class T>
struct Entry {
  std::string_view name;
  std::int64_t (*of)(const T&);
};

constexpr std::array<Entry<UnitCounts>, 11> unit_counts = {{
    {"requests", [](const UnitCounts& u) { return u.requests; }},
    {"stages", [](const UnitCounts& u) { return u.stages; }},
    {"reads", [](const UnitCounts& u) { return u.reads; }},
    {"writes", [](const UnitCounts& u) { return u.writes; }},
    {"concurrent_writes", [](const UnitCounts& u) { return u.concurrent_writes; }},
    {"conflicts", [](const UnitCounts& u) { return u.conflicts(); }},
    {"busy", [](const UnitCounts& u) { return u.busy; }},
    {"idle_latency", [](const UnitCounts& u) { return u.idle_latency; }},
    {"idle_barrier", [](const UnitCounts& u) { return u.idle_barrier; }},
    {"idle_drain", [](const UnitCounts& u) { return u.idle_drain; }},
    {"idle_empty", [](const UnitCounts& u) { return u.idle_empty; }},
}};

constexpr std::array<Entry<Counts>, 5> whole_counts = {{
    {"time", [](const Counts& c) { return c.time.value; }},
    {"launches", [](const Counts& c) { return c.launches; }},
    {"barriers", [](const Counts& c) { return c.barriers; }},
    {"instructions", [](const Counts& c) { return c.instructions; }},
    {"shared_words", [](const Counts& c) { return c.shared_words; }},
}};

constexpr std::array<Entry<RunResult>, 2> result_counts = {{
    {"host_words", [](const RunResult& r) { return r.host_words; }},
    {"global_words", [](const RunResult& r) { return r.global_words; }},
}};

constexpr std::string_view multiplicity = "multiplicity";
constexpr std::array<std::string_view, 5> later_counts = {"io", "work", "span", "overhead",
                                                          "steps"};

template <class Table>
auto find(const Table& table, std::string_view name) -> decltype(table.data()) {
  const auto it = std::find_if(table.begin(), table.end(),
                               [&](const auto& entry) { return entry.name == name; });
  return it == table.end() ? nullptr : &*it;
}

/// `shared_stages` apart: which units, and the count of each.
struct UnitName {
  bool shared = true;
  bool global = true;
  const Entry<UnitCounts>* entry = nullptr;
};

UnitName unit_name(std::string_view name) {
  UnitName result;
  for (const std::string_view prefix : {"shared_", "global_"})
    if (name.substr(0, prefix.size()) == prefix) {
      result.shared = prefix == "shared_";
      result.global = prefix == "global_";
      name.remove_prefix(prefix.size());
      break;
    }
  result.entry = find(unit_counts, name);
  return result;
}

std::int64_t sum(const std::vector<UnitCounts>& units, const Entry<UnitCounts>& entry) {
  std::int64_t total = 0;
  for (const UnitCounts& unit : units) total += entry.of(unit);
  return total;
}

CountValue count_in(std::string_view name, const MachineSpec& machine, const Counts& counts) {
  if (machine.model == Model::agpu || machine.model == Model::mmm)
    return not_evaluated(std::string(name) + " is not counted on this kind of machine");
  if (const auto* entry = find(whole_counts, name)) return entry->of(counts);
  const UnitName unit = unit_name(name);
  if (!unit.entry) return not_evaluated("unknown count " + std::string(name));
  if (!unit.global && !machine.shared) return not_applicable("the machine has no shared memory");
  if (!unit.shared && !machine.global) return not_applicable("the machine has no global memory");
  return (unit.shared ? sum(counts.shared, *unit.entry) : 0) +
         (unit.global ? sum(counts.global, *unit.entry) : 0);
}

} // namespace

bool is_kernel_count(std::string_view name) {
  return name == multiplicity || find(whole_counts, name) || unit_name(name).entry;
}

bool is_run_count(std::string_view name) {
  return is_kernel_count(name) || find(result_counts, name);
}

bool is_later_count(std::string_view name) {
  return std::find(later_counts.begin(), later_counts.end(), name) != later_counts.end();
}

bool is_timed(std::string_view name) {
  const UnitName unit = unit_name(name);
  return name == "time" ||
         (unit.entry && (unit.entry->name == "busy" || unit.entry->name.substr(0, 4) == "idle"));
}

std::vector<std::string> kernel_count_names() {
  std::vector<std::string> names{std::string(multiplicity)};
  for (const auto& entry : whole_counts) names.emplace_back(entry.name);
  for (const std::string prefix : {"", "shared_", "global_"})
    for (const auto& entry : unit_counts) names.push_back(prefix + std::string(entry.name));
  return names;
}

std::vector<std::string> run_count_names() {
  std::vector<std::string> names = kernel_count_names();
  for (const auto& entry : result_counts) names.emplace_back(entry.name);
  return names;
}

CountValue run_count(std::string_view name, const MachineSpec& machine, const RunResult& run) {
  if (const auto* entry = find(result_counts, name)) return entry->of(run);
  return count_in(name, machine, run.counts);
}

CountValue kernel_count(std::string_view kernel, std::string_view name, const MachineSpec& machine,
                        const RunResult& run) {
  const auto it = run.kernels.find(std::string(kernel));
  if (it == run.kernels.end() || it->second.launches == 0)
    return not_applicable("kernel '" + std::string(kernel) + "' was not launched");
  return count_in(name, machine, it->second);
}

} // namespace memlane::claims
