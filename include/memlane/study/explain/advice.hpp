// What would make a run faster: changes whose effect is simulated, so that it is known and not
// guessed.
#pragma once

#include "memlane/points/change.hpp"
#include "memlane/points/point.hpp"
#include "memlane/show/explanation.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// A changed run, ready to be bound. `program` is what the point refers to.
struct ChangedRun {
  std::shared_ptr<const CheckedProgram> program;
  Point point;
};
/// Makes a changed run of the base; errors if it cannot be made.
using MakeChanged = std::function<Result<ChangedRun>(const std::vector<Change>& changes)>;

/// The changes that may help a run, by what it spends its time on: more threads and resident blocks
/// where warps wait for latency (powers of two up to 8 times, and the advice of the account of
/// latency), other layouts for the three arrays with the most extra stages, and half and twice the
/// integer parameters that leave the sizes of all memory arrays as they are; matrices by rows also
/// by columns. At most about 30.
std::vector<Change> candidates(const Point& base, const RunResult& run);
/// Of parameters whose change has helped: half or twice the value again.
std::vector<Change> further(const Point& base, const std::vector<Suggestion>& found);

/// Simulates the candidates and keeps the best of each kind and name that save `least_gain`. What
/// helps is taken further as long as it helps more. A change of a parameter must leave the final
/// contents of all memory arrays as they are, or, where verify passes before and after it, those of
/// arrays with initial values. They are `run.outputs`, and without them parameters are left alone.
/// Other runs have no verify, no claims and no data where time does not depend on them.
Advice advise(const Point& base, const RunResult& run, const MakeChanged& make,
              const PointRuns& runs, const Sources& sources);

/// The run without the extra stages of the line that has most of them; none if it has more than
/// `most_steps` instructions, no extra stages, or another reason ends the simulation.
std::optional<ConflictFreeLine> without_conflicts(const Point& base, const RunResult& run,
                                                  const Sources& sources,
                                                  std::int64_t most_steps = std::int64_t{1} << 21);

/// Memory arrays that only one of two programs has, or that have other sizes in them.
struct OtherArrays {
  std::vector<std::string> names;
  /// The first with initial values; empty: none. If it differs, the problem is another one. What
  /// else differs may be scratch, or a result with spare words.
  std::string input;
};
OtherArrays other_memory_arrays(const ir::Program& first, const ir::Program& second);
/// The memory arrays of both have the same names and sizes: else they solve other problems.
bool same_memory_arrays(const ir::Program& first, const ir::Program& second);
/// A sentence about them; empty if there are none.
std::string other_sizes_sentence(const OtherArrays& others);

/// The time of a changed run by simulation without its data; none if its time depends on them.
std::optional<std::int64_t> predicted_time(const Point& changed, const Sources& sources);

} // namespace memlane::sweep
