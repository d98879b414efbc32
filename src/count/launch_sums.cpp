#include "memlane/count/launch_sums.hpp"

namespace memlane {

namespace {

std::optional<Multiplicity> multiplicity_of(const MachineSpec& machine, std::int64_t shared_words) {
  const auto capacity = machine.shared ? machine.shared->capacity : std::nullopt;
  if (!capacity || shared_words == 0) return std::nullopt;
  return Multiplicity{*capacity, shared_words};
}

} // namespace

void forget_time(Counts& counts) {
  for (auto* units : {&counts.shared, &counts.global})
    for (UnitCounts& unit : *units) {
      static_cast<UnitAccount&>(unit) = {};
      unit.timed = false;
    }
}

Cycles time_on(const MachineSpec& machine, Cycles time, const AgpuCounts& agpu) {
  return machine.model == Model::agpu ? Cycles{agpu.time.value_or(0)} : time;
}

AgpuCounts LaunchSums::add(const LaunchTally& launch) {
  launches_ += 1;
  sum_ += launch;
  AgpuCounts agpu{std::nullopt, std::nullopt, launch.shared_words, {}, {}};
  agpu.multiplicity = multiplicity_of(machine_, launch.shared_words);
  if (launch.threads == machine_.width && machine_.model != Model::mmm) {
    agpu.io = count_io(launch, facts_);
    if (facts_.all_statements) agpu.time = add_slowest(launch);
  }
  agpu_ += agpu;
  return agpu;
}

/// [K]: a launch takes the time of its slowest multiprocessor, launches add up.
std::int64_t LaunchSums::add_slowest(const LaunchTally& launch) {
  std::int64_t most = -1;
  for (const Tally& of_mp : launch.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    count_statements(of_mp, facts_, statements_);
    const std::int64_t time = sum_of_costs(statements_);
    if (time <= most) continue;
    most = time;
    slowest_.swap(statements_);
  }
  if (most < 0) return 0;
  for (std::size_t s = 0; s < time_.size(); ++s) time_[s] += slowest_[s].cost();
  return most;
}

void LaunchSums::add_statement_lines(Counts& counts) const {
  for (std::size_t s = 0; s < time_.size(); ++s)
    if (const SourceLine line = facts_.statements[s].line; time_[s] > 0 && line.second > 0)
      *counts.lines[line].agpu_time += time_[s];
  for (auto& [place, line] : counts.lines) {
    if (!counts.agpu.time) line.agpu_time.reset();
    if (!counts.agpu.io) line.io.reset();
  }
}

Counts LaunchSums::counts() const {
  Counts counts;
  counts.agpu = agpu_;
  counts.pram = of_warps_.pram;
  counts.bsp = of_warps_.bsp;
  counts.time = time_on(machine_, sum_.time, agpu_);
  counts.time_known = machine_.model != Model::agpu || agpu_.time;
  counts.launches = launches_;
  counts.barriers = sum_.barriers;
  counts.instructions = count_operators(sum_, facts_);
  counts.shared_words = sum_.shared_words;
  if (machine_.model == Model::mmm) {
    count_mmm_lines(sum_, facts_, counts);
    return counts;
  }
  count_units(sum_, facts_, counts);
  if (!is_timed(machine_.model)) forget_time(counts);
  count_lines(sum_, facts_, counts);
  add_statement_lines(counts);
  return counts;
}

} // namespace memlane
