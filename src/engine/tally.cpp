// Sums of what the engines deliver: tallies of launches, and their own work.
#include "memlane/engine/tally.hpp"

#include "saturate.hpp"

#include "memlane/engine/outcome.hpp"

#include <algorithm>
#include <numeric>

namespace memlane {

namespace {

/// Element by element; the longer one gives the length.
template <class T>
void add_all(std::vector<T>& sums, const std::vector<T>& others) {
  if (sums.size() < others.size()) sums.resize(others.size());
  for (std::size_t k = 0; k < others.size(); ++k) sums[k] += others[k];
}

/// Adds to the same wait; those without time are left out.
void add(std::vector<ValueWait>& waits, const ValueWait& wait) {
  const auto key = [](const ValueWait& of) { return std::pair(of.instruction, of.site); };
  const auto at =
      std::lower_bound(waits.begin(), waits.end(), wait,
                       [&](const ValueWait& a, const ValueWait& b) { return key(a) < key(b); });
  if (at == waits.end() || key(*at) != key(wait)) {
    if (wait.time != 0) waits.insert(at, wait);
    return;
  }
  at->time += wait.time;
  if (at->time == 0) waits.erase(at);
}

} // namespace

UnitAccount& UnitAccount::operator+=(const UnitAccount& other) {
  busy += other.busy;
  idle_latency += other.idle_latency;
  idle_barrier += other.idle_barrier;
  idle_drain += other.idle_drain;
  idle_empty += other.idle_empty;
  resident_warps = std::max(resident_warps, other.resident_warps);
  latency_bound += other.latency_bound;
  service_bound += other.service_bound;
  exposed += other.exposed;
  for (std::size_t k = 0; k < latency_doublings; ++k) {
    exposed_with_threads[k] += other.exposed_with_threads[k];
    exposed_with_blocks[k] += other.exposed_with_blocks[k];
  }
  for (std::size_t k = 0; k < wait_causes; ++k) waits[k] += other.waits[k];
  for (const ValueWait& wait : other.value_waits) add(value_waits, wait);
  return *this;
}

void UnitAccount::charge(WaitCause cause, const ValueWait& wait) {
  waits[static_cast<std::size_t>(cause)] += wait.time;
  if (cause == WaitCause::value) add(value_waits, wait);
}

std::string_view name_of(WaitCause cause) {
  constexpr std::array<std::string_view, wait_causes> names = {
      "port", "requests", "value", "fence", "reuse", "operation", "computation", "barrier"};
  return names[static_cast<std::size_t>(cause)];
}

void RequestTally::add(std::int64_t stages, std::int64_t requests) {
  const auto at =
      std::lower_bound(by_stages.begin(), by_stages.end(), stages,
                       [](const EqualRequests& e, std::int64_t s) { return e.stages < s; });
  if (at != by_stages.end() && at->stages == stages) {
    at->requests += requests;
  } else {
    by_stages.insert(at, {stages, requests});
  }
}

std::int64_t RequestTally::requests() const {
  std::int64_t sum = 0;
  for (const EqualRequests& equal : by_stages) sum += equal.requests;
  return sum;
}

std::int64_t RequestTally::stages() const {
  std::int64_t sum = 0;
  for (const EqualRequests& equal : by_stages) sum += equal.stages * equal.requests;
  return sum;
}

OperationAccount& OperationAccount::operator+=(const OperationAccount& other) {
  unit = other.unit;
  multiprocessor = other.multiprocessor;
  operations += other.operations;
  stages += other.stages;
  busy += other.busy;
  idle += other.idle;
  return *this;
}

PortTally& PortTally::operator+=(const PortTally& other) {
  stages += other.stages;
  needed += other.needed;
  lines += other.lines;
  reused += other.reused;
  reused_extra += other.reused_extra;
  flown += other.flown;
  return *this;
}

RequestTally& RequestTally::operator+=(const RequestTally& other) {
  for (const EqualRequests& equal : other.by_stages) add(equal.stages, equal.requests);
  concurrent_writes += other.concurrent_writes;
  groups += other.groups;
  further_needed += other.further_needed;
  added += other.added;
  port += other.port;
  return *this;
}

void add_requests(std::vector<RequestTally>& sums, const std::vector<RequestTally>& others) {
  add_all(sums, others);
}

RequestTally& Tally::of_site(std::size_t site) {
  if (requests.size() <= site) requests.resize(site + 1);
  return requests[site];
}

Tally& Tally::operator+=(const Tally& other) {
  executed.resize(std::max(executed.size(), other.executed.size()));
  for (std::size_t k = 0; k < other.executed.size(); ++k) {
    // Traces may have computed as much as a number can say.
    executed[k].warps = reference::saturating_add(executed[k].warps, other.executed[k].warps);
    executed[k].threads += other.executed[k].threads;
  }
  add_requests(requests, other.requests);
  add_all(silent, other.silent);
  return *this;
}

LaunchTally& LaunchTally::operator+=(const LaunchTally& other) {
  time += other.time;
  barriers += other.barriers;
  shared_words = std::max(shared_words, other.shared_words);
  add_all(multiprocessors, other.multiprocessors);
  dynamic.resize(std::max(dynamic.size(), other.dynamic.size()));
  for (std::size_t mp = 0; mp < other.dynamic.size(); ++mp)
    add_requests(dynamic[mp], other.dynamic[mp]);
  add_all(shared, other.shared);
  add_all(ports, other.ports);
  add_all(global, other.global);
  add_all(operations, other.operations);
  return *this;
}

void SparedWork::add(const SparedWork& other) {
  total = reference::saturating_add(total, other.total);
  skipped = reference::saturating_add(skipped, other.skipped);
}

EngineWork& EngineWork::operator+=(const EngineWork& other) {
  for (const WorkColumn& column : work_columns()) (this->*column.of).add(other.*column.of);
  return *this;
}

std::span<const WorkColumn> work_columns() {
  static constexpr WorkColumn columns[] = {
      {"loops", "iterations", "executed", "the rest extrapolated or replayed",
       &EngineWork::iterations},
      {"barriers", "intervals between barriers", "executed",
       "the rest replayed, or as in another block", &EngineWork::intervals},
      {"blocks", "blocks of one warp", "executed alone", "the rest together", &EngineWork::blocks},
      {"time", "time units of multiprocessors", "simulated", "the rest skipped as repetitions",
       &EngineWork::time_units},
  };
  return columns;
}

std::string_view name_of(EnginePhase phase) {
  switch (phase) {
  case EnginePhase::arrays: return "arrays";
  case EnginePhase::host: return "main";
  case EnginePhase::execution: return "execution of kernels";
  case EnginePhase::timeline: return "timeline";
  case EnginePhase::verify: return "verify";
  case EnginePhase::discarded: return "before restarts";
  }
  return "";
}

void EngineUse::discard(const PhaseSeconds& attempt) {
  seconds[static_cast<std::size_t>(EnginePhase::discarded)] +=
      std::accumulate(attempt.begin(), attempt.end(), 0.0);
}

} // namespace memlane
