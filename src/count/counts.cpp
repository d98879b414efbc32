#include "memlane/count/counts.hpp"

#include <algorithm>

namespace memlane {

namespace {

void add(std::vector<UnitCounts>& sums, const std::vector<UnitCounts>& others) {
  sums.resize(std::max(sums.size(), others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) sums[i] += others[i];
}

} // namespace

UnitCounts& UnitCounts::operator+=(const UnitCounts& other) {
  UnitAccount::operator+=(other);
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

Counts& Counts::operator+=(const Counts& other) {
  time += other.time;
  launches += other.launches;
  barriers += other.barriers;
  instructions += other.instructions;
  shared_words = std::max(shared_words, other.shared_words);
  add(shared, other.shared);
  add(global, other.global);
  for (const auto& [place, line] : other.lines) {
    LineCounts& sum = lines[place];
    sum.requests += line.requests;
    sum.stages += line.stages;
    sum.worst = std::max(sum.worst, line.worst);
  }
  return *this;
}

} // namespace memlane
