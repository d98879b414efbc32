// The account of a run: where its time went, the line that costs most, the bound that is tight; as
// plain data and in sentences.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/count/hiding.hpp"
#include "memlane/show/run_report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// The addresses of one request, in numbers.
struct AccessPattern {
  UnitKind kind = UnitKind::discrete;
  std::int64_t width = 1;
  std::int64_t lanes = 0;                  ///< active ones
  std::int64_t of_lane = 1;                ///< words that each of them accesses side by side
  std::int64_t words = 0;                  ///< distinct ones
  std::int64_t banks = 0;                  ///< that they lie in
  std::int64_t groups = 0;                 ///< address groups that they lie in
  std::int64_t stages = 0;                 ///< of the request
  std::optional<std::int64_t> stride = {}; ///< words from each lane to the next, if always the same
};

/// The pattern of the first words by lane; -1: not active. Requires an active lane. Cost: words,
/// sorted.
AccessPattern pattern_of(const UnitSpec& unit, std::int64_t width,
                         const std::vector<std::int64_t>& addresses, std::int64_t of_lane = 1);

/// By what a line is the costliest.
enum class LineCost : std::uint8_t {
  stages,    ///< that entered the unit whose bound is the largest: that is its bandwidth
  waits,     ///< time units that warps wait for requests, where stages fill less than half the time
  agpu_time, ///< after Koike
  operators, ///< stages of the unit of operations whose bound is the largest
  port_stages, ///< of own ports, where the bound of one is the largest
};
/// `stages`, `waits`, …
std::string_view name_of(LineCost cost);

/// The source line that costs most.
struct CostlyLine {
  CountedLine line;
  LineCost by = LineCost::stages;
  UnitId unit = UnitId::global; ///< of `stages`
  std::int64_t cost = 0;
  std::int64_t of_all = 0;            ///< the cost of all lines
  std::vector<AccessCounts> accesses; ///< of the line, the costliest first
  /// A request of the access with the most extra stages, if there are any, and which that is: set
  /// by those who can repeat the run.
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

/// What the counts of a run tell.
struct Account {
  Model model = Model::umm;
  Cycles time{0};
  Stop stop = Stop::none; ///< other than none: only up to there
  std::int64_t multiprocessors = 1;
  std::int64_t launches = 0;
  std::int64_t beside_launches = 0; ///< time_beside_launches
  std::int64_t timed_operators = 0; ///< counted ones; 0 where they take no time
  std::int64_t barriers = 0;
  Cycles barrier_cost{0};
  std::int64_t requests_in_flight = 1;
  bool reuses = false; ///< blocks reuse what they have read: other places are other groups to reuse
  std::vector<ExplainedUnit> units;
  std::vector<ShownWait> value_waits; ///< of all units
  std::optional<Limitation>
      tight;              ///< the largest lower bound of the time; none: all are 0, or stopped
  std::int64_t bound = 0; ///< in time units
  std::optional<BusiestUnit> busiest;  ///< if the bound is an own port's or of operations
  std::optional<ClaimedBound> claimed; ///< set by the caller, who has the claims
  AgpuCounts agpu;
  std::optional<MmmCounts> mmm;                 ///< on an MMM
  std::optional<MmmLine> work_line, words_line; ///< on an MMM; none: no work, no words
  std::optional<CostlyLine> costliest;          ///< none: no requests

  bool counted() const { return counts_statements(model); }
};

/// Time units that warps wait for the requests of an access: each from its first stage to its
/// completion, added over all warps.
std::int64_t waits_of(const AccessCounts& access, const MachineSpec& machine);

/// What each line costs, in the order of files and lines; what the costliest line is chosen by.
struct LineCosts {
  struct Line {
    SourceLine line{0, 0};
    std::int64_t cost = 0;
  };
  LineCost by = LineCost::stages;
  UnitId unit = UnitId::global; ///< of `stages`
  std::vector<Line> lines;
};
/// None on an MMM, of a run without requests, or where operators cost most and have no lines, as in
/// a trace. `account`: of that run.
std::optional<LineCosts> line_costs(const Account& account, const MachineSpec& machine,
                                    const RunResult& run);

/// All but the pattern of the costliest line.
Account account_of(const MachineSpec& machine, const RunResult& run, const Sources& sources);

/// A heading and its paragraphs. A paragraph that is `code` is a source line or a command, and
/// stays on one line.
struct ExplainedPart {
  struct Paragraph {
    std::string text;
    bool code = false;
  };
  std::string heading;
  std::vector<Paragraph> paragraphs;
};

/// Where the time went, the costliest line, the tight bound.
std::vector<ExplainedPart> account_parts(const Account& account);
/// What the costliest line costs, and the line; of an MMM's run those with the most work and words.
/// In 80 columns; empty where no line costs anything.
std::string costliest_text(const Account& account);
/// A part in Markdown or LaTeX. Requires `markdown` or `latex`.
std::string paper_part(const ExplainedPart& part, Format format);

} // namespace memlane
