#include "memlane/count/counts.hpp"

#include <algorithm>
#include <numeric>

namespace memlane {

namespace {

void add(std::vector<UnitCounts>& sums, const std::vector<UnitCounts>& others) {
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

UnitCounts& UnitCounts::operator+=(const UnitCounts& other) {
  UnitAccount::operator+=(other);
  timed = timed && other.timed;
  requests += other.requests;
  stages += other.stages;
  reads += other.reads;
  writes += other.writes;
  concurrent_writes += other.concurrent_writes;
  for (const auto& [of_one, number] : other.congestion) congestion[of_one] += number;
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
  worst = std::max(worst, other.worst);
  add(agpu_time, other.agpu_time);
  add(io, other.io);
  operators += other.operators;
  if (other.mmm) {
    if (!mmm) mmm.emplace();
    *mmm += *other.mmm;
  }
  return *this;
}

Counts& Counts::operator+=(const Counts& other) {
  time += other.time;
  time_known = time_known && other.time_known;
  launches += other.launches;
  barriers += other.barriers;
  instructions += other.instructions;
  shared_words = std::max(shared_words, other.shared_words);
  add(shared, other.shared);
  add(global, other.global);
  agpu += other.agpu;
  add_counted(pram, other.pram);
  add_counted(bsp, other.bsp);
  for (const auto& [place, line] : other.lines) lines[place] += line;
  return *this;
}

} // namespace memlane
