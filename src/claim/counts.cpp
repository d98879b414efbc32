#include "counts.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/count/fields.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace memlane::claims {
namespace {

constexpr std::string_view multiplicity = "multiplicity";
constexpr std::array<std::string_view, 4> later_counts = {"work", "span", "overhead", "steps"};

template <class Table>
auto find(const Table& table, std::string_view name) -> decltype(table.data()) {
  const auto it = std::find_if(table.begin(), table.end(),
                               [&](const auto& entry) { return entry.name == name; });
  return it == table.end() ? nullptr : &*it;
}

/// Steps of the simulation are not the steps of papers, so claims cannot name them.
const Field<RunResult>* run_field(std::string_view name) {
  return is_later_count(name) ? nullptr : find(run_fields(), name);
}

/// The parts of `shared_stages`: which units, and the count of each.
struct UnitName {
  bool shared = true;
  bool global = true;
  const Field<UnitCounts>* entry = nullptr;
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
  result.entry = find(unit_fields(), name);
  return result;
}

std::int64_t sum(const std::vector<UnitCounts>& units, const Field<UnitCounts>& entry) {
  std::int64_t total = 0;
  for (const UnitCounts& unit : units) total += entry.get(unit);
  return total;
}

template <class T>
CountValue known(const Field<T>& field, const T& counts) {
  if (const auto count = field.count(counts)) return *count;
  return not_applicable(std::string(field.name) + " is defined for blocks of w threads alone");
}

constexpr std::string_view mmm_prefix = "mmm_";

/// `work` of mmm_work.
CountValue mmm_count(std::string_view name, const Counts& counts) {
  if (!counts.mmm) return not_applicable("only an mmm counts mmm_" + std::string(name));
  if (const auto* entry = find(mmm_fields(), name)) return entry->get(*counts.mmm);
  const auto* bound = find(mmm_bounds(), name);
  if (!bound) return not_evaluated("unknown count mmm_" + std::string(name));
  if (const auto value = bound->get(*counts.mmm)) return *value;
  return not_applicable("the machine has fewer than K multiprocessors");
}

CountValue count_in(std::string_view name, const MachineSpec& machine, const Counts& counts) {
  if (name.substr(0, mmm_prefix.size()) == mmm_prefix)
    return mmm_count(name.substr(mmm_prefix.size()), counts);
  if (const auto* entry = find(count_fields(), name)) return known(*entry, counts);
  if (machine.model == Model::mmm)
    return not_applicable("an MMM does not count " + std::string(name));
  if (name == "io") return known(*find(agpu_fields(), name), counts.agpu);
  if (machine.model == Model::agpu && claims::is_timed(name))
    return not_applicable("an AGPU has no stages in time");
  const UnitName unit = unit_name(name);
  if (!unit.entry) return not_evaluated("unknown count " + std::string(name));
  if (!unit.global && !machine.shared) return not_applicable("the machine has no shared memory");
  if (!unit.shared && !machine.global) return not_applicable("the machine has no global memory");
  return (unit.shared ? sum(counts.shared, *unit.entry) : 0) +
         (unit.global ? sum(counts.global, *unit.entry) : 0);
}

} // namespace

lang::NoValue not_applicable(std::string reason) { return {error_in("", std::move(reason)), true}; }
lang::NoValue not_evaluated(std::string reason) { return {error_in("", std::move(reason))}; }

bool is_later_count(std::string_view name) {
  return std::find(later_counts.begin(), later_counts.end(), name) != later_counts.end();
}

bool is_timed(std::string_view name) {
  const UnitName unit = unit_name(name);
  return name == "time" ||
         (unit.entry && (unit.entry->name == "busy" || unit.entry->name.substr(0, 4) == "idle"));
}

CountValue run_count(std::string_view name, const MachineSpec& machine, const RunResult& run) {
  if (const auto* entry = run_field(name)) return entry->get(run);
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

namespace memlane {

lang::CountNames claim_counts() {
  lang::CountNames names;
  names.of_kernel = {"io", std::string(claims::multiplicity)};
  for (const auto& entry : count_fields()) names.of_kernel.emplace_back(entry.name);
  for (const auto& entry : mmm_fields())
    names.of_kernel.push_back(std::string(claims::mmm_prefix) + std::string(entry.name));
  for (const BoundField& bound : mmm_bounds())
    names.of_kernel.push_back(std::string(claims::mmm_prefix) + std::string(bound.name));
  for (const std::string prefix : {"", "shared_", "global_"})
    for (const auto& entry : unit_fields())
      names.of_kernel.push_back(prefix + std::string(entry.name));
  names.of_run = names.of_kernel;
  for (const auto& entry : run_fields())
    if (!claims::is_later_count(entry.name)) names.of_run.emplace_back(entry.name);
  names.not_counted.assign(claims::later_counts.begin(), claims::later_counts.end());
  return names;
}

} // namespace memlane
