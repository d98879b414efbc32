// The account of a run as a person would give it, as plain data: where its time went, the line that
// costs most, the bound that is tight, and what would help.
#pragma once

#include "memlane/count/hiding.hpp"
#include "memlane/sweep/access_pattern.hpp"
#include "memlane/sweep/advice.hpp"
#include "memlane/sweep/line_pairs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// By what a line is the costliest.
enum class LineCost : std::uint8_t {
  stages,    ///< of the unit whose bound is the largest: that is its bandwidth
  waits,     ///< time units that warps wait for requests, where stages fill less than half the time
  agpu_time, ///< after Koike
};
/// `stages`, `waits`, `agpu_time`.
std::string_view name_of(LineCost cost);

/// The source line that costs most.
struct CostlyLine {
  CountedLine line;
  LineCost by = LineCost::stages;
  UnitId unit = UnitId::global; ///< of `stages`
  std::int64_t cost = 0;
  std::int64_t of_all = 0;            ///< the cost of all lines
  std::vector<AccessCounts> accesses; ///< of the line, the costliest first
  /// A request of the access with the most extra stages, if there are any, and which that is.
  std::optional<AccessPattern> pattern;
  std::size_t pattern_of = 0;
};

/// A source line, of an MMM's run the one with the most operators, or with the most words to move.
struct MmmLine {
  CountedLine line;
  std::int64_t cost = 0;
  std::int64_t of_all = 0; ///< the cost of all lines
};

/// A lower bound of the time that the program claims, at its best: a constant factor is open.
struct ClaimedBound {
  std::string formula; ///< as the program writes it
  std::string value;
  std::string source;
  double ratio = 0; ///< of the time to it
};
/// The claim `time = Omega(…)` with the greatest value; none if there is none that applies.
std::optional<ClaimedBound> claimed_bound(const std::vector<ClaimOutcome>& claims);

struct Explanation {
  Model model = Model::umm;
  Cycles time{0};
  Stop stop = Stop::none; ///< other than none: only up to there, and no advice
  std::int64_t multiprocessors = 1;
  std::int64_t launches = 0;
  std::int64_t barriers = 0;
  Cycles barrier_cost{0};
  std::vector<ExplainedUnit> units;
  std::optional<Limitation>
      tight;              ///< the largest lower bound of the time; none: all are 0, or stopped
  std::int64_t bound = 0; ///< in time units
  std::optional<ClaimedBound> claimed; ///< set by the caller, who has the claims
  AgpuCounts agpu;
  std::optional<MmmCounts> mmm;                 ///< on an MMM
  std::optional<MmmLine> work_line, words_line; ///< on an MMM; none: no work, no words
  std::optional<CostlyLine> costliest;          ///< none: no requests
  Advice advice;

  bool counted() const { return model == Model::agpu; }
};

/// What the counts of a run tell: all but the pattern of the costliest line and the advice.
Explanation account_of(const MachineSpec& machine, const RunResult& run, const Sources& sources);
/// All but the advice. Cost: that of find_pattern.
Explanation explain(const Point& point, const RunResult& run, const Sources& sources);

} // namespace memlane::sweep
