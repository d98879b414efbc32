// Values of arrays while a run goes on: after every barrier or launch, where they changed.
#pragma once

#include "memlane/engine/observer.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/support/result.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// Elements that one --watch may name, and values at points that one run records.
inline constexpr std::int64_t most_watched_elements = 1024, most_watched_points = 1000;

/// Part of an array: consecutive elements of one row, or a whole array.
struct WatchedPart {
  std::string text; ///< as --watch has it
  bool shared = false;
  std::vector<std::int32_t> arrays;   ///< numbers in Program::arrays: one, or one a field
  std::vector<ir::Scalar> types;      ///< types of these
  std::vector<std::int64_t> elements; ///< row-major numbers
  std::vector<std::string> names;     ///< names of these: `[0]`, `[1, 3]`
};

/// `a`, `a[3]`, `a[lo..hi]`, `a[i, lo..hi]`, with whole numbers: hi excluded; a row where fewer
/// indices are given than the array has. Errors: no such array (with the nearest), indices outside
/// it, too many elements, an array whose size differs between launches.
Result<WatchedPart> watched_part(const std::string& text, const ir::Program& program);

/// Values of a part after a barrier or at the end of a launch; before the first launch: `launch`
/// is -1.
struct WatchPoint {
  std::size_t part = 0;
  std::int64_t launch = -1;
  std::string kernel;
  std::optional<std::int64_t> block, barrier; ///< none: the launch has ended; barriers from 1
  std::optional<std::int64_t> time; ///< time since the start of the run; none: an AGPU counts it
  std::vector<std::string> values;  ///< empty: a shared word that nothing has written
  std::vector<bool> changed;        ///< differs from the part's last point (its block's if shared)
};

enum class WatchAt { barrier, launch };

/// What --watch recorded.
struct WatchRecord {
  std::vector<WatchedPart> parts;
  std::vector<WatchPoint> points; ///< sorted by time
  std::int64_t omitted = 0;       ///< points beyond the limit
};

/// Records the points where a part changed. It observes values, so the reference engine runs the
/// program.
class WatchRecorder : public Observer, public TimeObserver, public ValueObserver {
public:
  /// `ahead`: names of kernels whose values are computed before their time (ir::has_atomics): at
  /// their barriers, memory arrays have no values of that time.
  WatchRecorder(std::vector<WatchedPart> parts, WatchAt at, std::set<std::string> ahead = {})
      : at_(at), ahead_(std::move(ahead)), last_(parts.size()) {
    record_.parts = std::move(parts);
  }

  TimeObserver* times() override { return this; }
  ValueObserver* values() override { return this; }
  void run_begins() override;
  void memory_made(std::span<const ArrayView> arrays) override;
  void launch_begins(std::int64_t launch, const LaunchShape&, std::string_view kernel) override;
  void time_advances(Cycles now) override { now_ = now; }
  void block_memory_made(std::int64_t block, std::span<const ArrayView> arrays) override;
  void released(std::int64_t launch, std::int64_t block) override;
  void block_ends(std::int64_t launch, std::int64_t block) override;
  void launch_ends(std::int64_t launch, const LaunchTally&) override;

  const WatchRecord& record() const { return record_; }

private:
  using Views = std::map<std::int32_t, ArrayView>; ///< keyed by number in Program::arrays

  /// Looks at all parts that `block` (-1: none) sees.
  void look(std::int64_t launch, std::int64_t block);
  void compare(std::size_t part, std::int64_t launch, std::int64_t block);
  const ArrayView* view_of(std::int32_t array, std::int64_t block) const;

  WatchRecord record_;
  WatchAt at_;
  std::set<std::string> ahead_;
  std::string kernel_;
  Cycles now_{0};
  Views memory_;
  std::map<std::int64_t, Views> shared_;          ///< keyed by block
  std::map<std::int64_t, std::int64_t> barriers_; ///< the launch's barriers, keyed by block
  /// The last values, by part and block (-1: of all).
  std::vector<std::map<std::int64_t, std::vector<std::string>>> last_;
};

} // namespace memlane
