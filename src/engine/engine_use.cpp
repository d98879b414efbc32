#include "memlane/engine/engine_use.hpp"

#include "saturate.hpp"

#include <numeric>

namespace memlane {

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
      {"barriers", "intervals between barriers", "executed", "the rest replayed from recordings",
       &EngineWork::intervals},
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
