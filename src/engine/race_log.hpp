// Race detection of a run: finds races with the words' shadows and the paths of an `if`, and
// reports them.
#pragma once

#include "lanes.hpp"
#include "races.hpp"

#include "memlane/engine/run.hpp"

#include <map>
#include <optional>
#include <tuple>

namespace memlane {

struct Memory;

/// The accesses of lanes on the then-path of a divergent `if`. An access on the else-path must not
/// conflict with them, although the paths run one after the other.
class PathLog {
public:
  struct Entry {
    std::int32_t array = 0;
    std::int64_t element = 0;
    bool write = false;
    Access access;
  };

  void begin(std::uint64_t serial);
  bool belongs_to(std::uint64_t serial) const { return serial_ == serial; }
  void add(const Entry& entry);
  /// An access of the then-path that conflicts with an access of the else-path, among those of the
  /// plane; else null.
  const Entry* find(std::int32_t array, std::int64_t element, bool write, std::size_t plane);

private:
  void tidy();

  std::uint64_t serial_ = 0;
  std::size_t tidy_ = 0; ///< entries that are sorted and unique
  std::vector<Entry> entries_;
};

/// A launch for RaceLog.
struct LoggedLaunch {
  const ir::Function* kernel = nullptr;
  std::int64_t number = 0; ///< its number in the run
  Span at;                 ///< place in host code
};

/// The races of a run. Access::site is the number of the instruction in the launch's kernel.
class RaceLog {
public:
  RaceLog(const ir::Program& program, const Memory& memory, const Sources& sources,
          const RunOptions& options)
      : program_(&program), memory_(&memory), sources_(&sources), allow_(options.allow_races),
        heed_text_(options.heed_racy_text) {}

  /// `independent`: the launch is one of the same `concurrent` as the one before it.
  void begin_launch(const LoggedLaunch& launch, bool independent);
  Phases& phases() { return phases_; }
  const RaceCounts& counts() const { return counts_; }

  /// Checks an access against earlier ones to the same word. Returns an error if the run must stop.
  std::optional<Diagnostic> check(const Shadow& shadow, std::int32_t array, std::int64_t element,
                                  const Access& access, bool write);
  /// Logs an access for the other path of each enclosing divergent `if`, and checks it against the
  /// accesses of that path unless `told`: a race of this access was reported already.
  std::optional<Diagnostic> check_paths(const Lanes& lanes, std::vector<PathLog>& logs,
                                        std::int32_t array, std::int64_t element,
                                        const Access& access, bool write, bool told);

private:
  struct RacingAccesses {
    std::int32_t array;
    std::int64_t element;
    const Access* earlier;
    AccessKind earlier_does;
    const Access* later;
    AccessKind later_does;
  };

  const LoggedLaunch& launch_of(const Access& access) const {
    return launches_[phases_.launch_of(access.phase)];
  }
  Span span_of(const Access& access) const;
  std::string name_of(std::int32_t array, std::int64_t element) const;
  std::string thread_of(const Access& access) const;
  std::string launched_thread_of(const Access& access) const;
  std::string loop_of(const Access& access) const;
  std::string races_allowed(const RacingAccesses& at) const;
  void count(const RacingAccesses& at, Diagnostic race);
  std::optional<Diagnostic> found(const RacingAccesses& at, const std::string& message,
                                  std::vector<std::string> help,
                                  std::vector<Diagnostic> notes = {});
  std::optional<Diagnostic> found(const RacingAccesses& at, Conflict conflict);
  std::optional<Diagnostic> found_between_launches(const RacingAccesses& at,
                                                   const std::string& name);

  const ir::Program* program_;
  const Memory* memory_;
  const Sources* sources_;
  std::vector<LoggedLaunch> launches_; ///< those that Phases::launch_of numbers
  bool allow_;                         ///< all
  bool heed_text_;                     ///< some, as the program says
  Phases phases_;
  RaceCounts counts_;
  /// Places in counts_.pairs, by array and by files and lines.
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t>,
           std::size_t>
      pairs_;
};

} // namespace memlane
