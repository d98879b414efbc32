#include "memlane/count/counts.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace memlane {

namespace {

template <class Unit>
void add(std::vector<Unit>& sums, const std::vector<Unit>& others) {
  sums.resize(std::max(sums.size(), others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) sums[i] += others[i];
}

/// Unknown if one of them is.
void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& other) {
  if (sum && other)
    *sum += *other;
  else
    sum.reset();
}

/// What one of them does not have is none of a launch.
template <class T>
void add_counted(std::optional<T>& sum, const std::optional<T>& other) {
  if (sum && other)
    *sum += *other;
  else if (other)
    sum = other;
}

} // namespace

std::int64_t UnitCounts::idle_without_wait() const {
  return idle() - std::accumulate(waits.begin(), waits.end(), std::int64_t{0});
}

UnitCounts& UnitCounts::operator+=(const UnitCounts& other) {
  UnitAccount::operator+=(other);
  timed = timed && other.timed;
  requests += other.requests;
  stages += other.stages;
  reads += other.reads;
  writes += other.writes;
  concurrent_writes += other.concurrent_writes;
  further_needed += other.further_needed;
  flown += other.flown;
  tells_waits = tells_waits || other.tells_waits;
  for (const auto& [lines, waited] : other.waits_of_lines) waits_of_lines[lines] += waited;
  for (const auto& [of_one, number] : other.congestion) congestion[of_one] += number;
  return *this;
}

PortCounts& PortCounts::operator+=(const PortCounts& other) {
  UnitCounts::operator+=(other);
  lines += other.lines;
  groups += other.groups;
  groups_reused += other.groups_reused;
  groups_reused_extra += other.groups_reused_extra;
  return *this;
}

UnitCounts sum_of(const std::vector<UnitCounts>& units) {
  UnitCounts sum;
  for (const UnitCounts& unit : units) sum += unit;
  return sum;
}

std::string Multiplicity::text() const {
  const std::int64_t common = std::gcd(capacity, used);
  return used == common ? std::to_string(capacity / common)
                        : std::to_string(capacity / common) + "/" + std::to_string(used / common);
}

AgpuCounts& AgpuCounts::operator+=(const AgpuCounts& other) {
  add(time, other.time);
  add(io, other.io);
  if (other.shared_words > shared_words) multiplicity = other.multiplicity;
  shared_words = std::max(shared_words, other.shared_words);
  if (!global_words) global_words = other.global_words;
  return *this;
}

std::string_view name_of(PramClass needs) {
  constexpr std::array<std::string_view, 3> names = {"EREW", "CREW", "CRCW"};
  return names[static_cast<std::size_t>(needs)];
}

PramCounts& PramCounts::operator+=(const PramCounts& other) {
  steps += other.steps;
  work += other.work;
  const bool needs_more = other.needs > needs;
  const bool needs_earlier = other.needs == needs && other.place < place;
  if (needs_more || needs_earlier) {
    needs = other.needs;
    place = other.place;
    file = other.file;
  }
  return *this;
}

BspCounts& BspCounts::operator+=(const BspCounts& other) {
  operators += other.operators;
  words += other.words;
  return *this;
}

ModelCounts& ModelCounts::operator+=(const ModelCounts& other) {
  agpu += other.agpu;
  add_counted(pram, other.pram);
  add_counted(bsp, other.bsp);
  return *this;
}

MmmLineCounts& MmmLineCounts::operator+=(const MmmLineCounts& other) {
  work += other.work;
  reads += other.reads;
  writes += other.writes;
  local_accesses += other.local_accesses;
  return *this;
}

LineCounts& LineCounts::operator+=(const LineCounts& other) {
  requests += other.requests;
  stages += other.stages;
  further_needed += other.further_needed;
  worst = std::max(worst, other.worst);
  add(agpu_time, other.agpu_time);
  add(io, other.io);
  operators += other.operators;
  for (std::size_t k = 0; k < operation_classes; ++k) operations[k] += other.operations[k];
  if (other.mmm) {
    if (!mmm) mmm.emplace();
    *mmm += *other.mmm;
  }
  return *this;
}

Counts& Counts::operator+=(const Counts& other) {
  ModelCounts::operator+=(other);
  time += other.time;
  time_known = time_known && other.time_known;
  launches += other.launches;
  barriers += other.barriers;
  instructions += other.instructions;
  shared_words = std::max(shared_words, other.shared_words);
  add(shared, other.shared);
  add(global, other.global);
  add(ports, other.ports);
  add(operations, other.operations);
  for (const auto& [place, line] : other.lines) lines[place] += line;
  return *this;
}

} // namespace memlane
