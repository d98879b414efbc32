// The rules of a launch that both engines follow: ports, which blocks are resident where, when a
// barrier opens, how far a launch may go (configs/README.md sections 3 and 4).
#pragma once

#include "saturate.hpp"

#include "memlane/engine/launch_fault.hpp"
#include "memlane/engine/stream.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/machine/stages.hpp"
#include "memlane/support/limits.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memlane::reference {

// The ports of a memory unit's pipeline (configs/README.md section 3, "Ports").

/// Up to `ports` stages enter in each time unit. The stages of a request that do not fit enter in
/// the next ones.
struct Port {
  Cycles last{-1};          ///< the latest time unit in which a stage enters
  std::int64_t entered = 0; ///< stages that enter in that time unit
};

/// Whether a request may be dispatched at `now`.
constexpr bool has_room(const Port& port, const UnitSpec& unit, Cycles now) {
  return port.last < now || (port.last == now && port.entered < unit.ports);
}

/// The first time, not before `now`, at which there is room.
constexpr Cycles next_room(const Port& port, const UnitSpec& unit, Cycles now) {
  if (port.last < now) return now;
  return port.entered < unit.ports ? port.last : later(port.last, {1});
}

/// The stages of one request enter from `now` on; requires room at `now` and at least one stage.
/// Returns how many further time units become busy. The request completes a latency after the
/// beginning of `port.last`.
constexpr std::int64_t enter(Port& port, const UnitSpec& unit, Cycles now, std::int64_t stages) {
  const bool fresh = port.last < now;
  if (fresh) port = {now, 0};
  const std::int64_t room = unit.ports - port.entered;
  if (stages <= room) {
    port.entered += stages;
    return fresh ? 1 : 0;
  }
  const std::int64_t spilled = stages - room;
  const std::int64_t units = (spilled - 1) / unit.ports + 1;
  port = {later(now, {units}), spilled - (units - 1) * unit.ports};
  return units + (fresh ? 1 : 0);
}

// Atomics (configs/README.md section 11).

/// Time units for which a group of a unified unit serves an atomic.
constexpr std::int64_t service_time(const UnitSpec& unit, const AtomicGroup& group) {
  return std::max(unit.atomic_service.value, group.lanes);
}

/// The address groups of a unified unit: each serves its atomics one after the other.
class AtomicService {
public:
  /// The groups of an atomic enter one after the other from `now` on; `before` is the port as it
  /// was. Returns the last time unit in which one of them is served. O(groups log groups).
  Cycles serve(const UnitSpec& unit, const Port& before, Cycles now,
               std::span<const AtomicGroup> groups);
  /// The same of one group that enters at this time.
  Cycles serve_one(const UnitSpec& unit, Cycles enters, const AtomicGroup& group);

  /// The last time unit in which one of them serves; `now` if none does.
  Cycles busy_until(Cycles now) const;
  /// The most time units for which one of them has served without a pause.
  std::int64_t longest() const { return longest_; }
  /// `time` time units more have passed like those from `begin` to `now`.
  void repeat(Cycles begin, Cycles now, std::int64_t time);
  /// Calls f(group, end) for each group that serves at `now` or later, rising: it is free again
  /// at `end`. False if f returned false for one of them.
  template <class F>
  bool each_busy(Cycles now, F f) const {
    return std::all_of(served_.begin(), served_.end(), [&](const auto& served) {
      return served.second.end <= now || f(served.first, served.second.end);
    });
  }

private:
  /// What a group serves without a pause.
  struct Served {
    Cycles begin{0}, end{0};
  };
  void forget_old(Cycles now);

  std::map<std::int64_t, Served> served_; ///< by group: the latest
  std::size_t most_ = 1024;               ///< groups at which those that are free are forgotten
  std::int64_t longest_ = 0;
};

// Own ports of multiprocessors (configs/README.md section 10).

/// The address groups of global memory that requests have asked for at the ports of their
/// multiprocessors: they enter the device's port one after the other, whosever they are.
class GroupQueue {
public:
  /// A request, by a number of the caller's, has left its multiprocessor's port: so many groups
  /// join the end. Requires at least one.
  void join(std::int64_t request, std::size_t groups) {
    waiting_.push_back({request, false, groups, Cycles{0}});
  }
  /// Likewise an atomic; its groups rise.
  void join(std::int64_t request, std::span<const AtomicGroup> groups) {
    waiting_.push_back({request, true, groups.size(), Cycles{0}});
    of_atomics_.insert(of_atomics_.end(), groups.begin(), groups.end());
  }
  bool empty() const { return waiting_.empty(); }

  /// The last time unit in which one of them would be served, if no other joined: as many enter
  /// in each time unit from `now` on as the port takes. O(groups log groups).
  Cycles drained(const UnitSpec& unit, AtomicService atomics, Cycles now) const;

  /// As many as the port takes in a time unit enter at `now`; returns how many. Calls
  /// each(request, port) for each of them. Where the last group of a request enters, calls
  /// f(request, last): `last` is the request's last time unit of service.
  template <class Each, class F>
  std::int64_t enter(const UnitSpec& unit, AtomicService& atomics, Cycles now, Each each, F f) {
    std::int64_t entered = 0;
    while (!waiting_.empty() && entered < unit.ports) {
      Waiting& first = waiting_.front();
      Cycles served = now;
      if (first.atomic) {
        served = atomics.serve_one(unit, now, of_atomics_.front());
        of_atomics_.pop_front();
      }
      first.last = std::max(first.last, served);
      each(first.request, entered++);
      if (--first.left > 0) continue;
      f(first.request, first.last);
      waiting_.pop_front();
    }
    return entered;
  }

private:
  struct Waiting {
    std::int64_t request = 0;
    bool atomic = false;
    std::size_t left = 0; ///< of its groups
    Cycles last{0};
  };
  std::deque<Waiting> waiting_;
  std::deque<AtomicGroup> of_atomics_; ///< which groups they are matters to these alone
};

/// A multiprocessor's own port: it takes one stage in each time unit.
inline UnitSpec own_port_of(const UnitSpec& global) {
  UnitSpec port = global;
  port.ports = 1;
  return port;
}

/// Stages of a request that touches so many lines, in its multiprocessor's own port.
constexpr std::int64_t stages_of_lines(const UnitSpec& global, std::int64_t lines) {
  return std::max(global.least_stages, lines);
}

/// Whether reads of this kind need no group that their block has read.
constexpr bool reuses(const UnitSpec& global, AccessKind kind, bool is_volatile) {
  return global.reuse == Reuse::block && kind == AccessKind::read && !is_volatile;
}

// Residency, the assignment of blocks, barriers and limits (configs/README.md sections 3 and 4).

/// The multiprocessors and slots that a launch uses.
struct Residency {
  Residency(const MachineSpec& machine, const LaunchShape& shape);

  std::int64_t multiprocessors; ///< those that get a block
  /// Blocks that a multiprocessor holds at the same time, at most as many as the launch has for it.
  /// On a DMM, every block's shared words keep their own place in the only memory.
  std::int64_t slots;
  std::int64_t most_slots; ///< the same with any number of resident blocks
  std::int64_t warps_of_block;

  /// Warps that are resident at the same time; INT64_MAX if too many to be counted.
  std::int64_t warps() const {
    return saturating_multiply(saturating_multiply(multiprocessors, slots), warps_of_block);
  }
  /// Whether this many warps fit the limit of memory.
  bool fits(const Limits& limits) const;
};

/// The memory counted for a resident warp, in bytes.
inline constexpr std::int64_t bytes_of_warp = 112;

/// Whether the address groups of requests to the memory arrays' unit are counted beside their
/// stages: where a stage is no group of w words, in blocks of one full warp, whose I/O is defined
/// (configs/README.md section 6).
constexpr bool counts_groups(const MachineSpec& machine, const LaunchShape& shape) {
  const bool differ = !machine.global || machine.stage_words(*machine.global) != machine.width;
  return differ && shape.threads == machine.width;
}

/// Whether two threads of one request must not write one word: an MMM's memory is CREW ([HMX]
/// section 2.1). Elsewhere that is a concurrent write (configs/README.md section 2).
constexpr bool writes_exclusively(const MachineSpec& machine) {
  return machine.model == Model::mmm;
}

/// Whether block g always runs on multiprocessor g mod d.
bool deals_statically(const MachineSpec& machine);

/// The assignment of blocks. Static: block g runs on multiprocessor g mod d, in increasing order.
/// Dynamic: the next block goes to the multiprocessor with the fewest resident blocks, ties to the
/// lower number.
class BlockAssignment {
public:
  BlockAssignment(const MachineSpec& machine, const LaunchShape& shape, const Residency& residency);

  struct Start {
    std::int64_t block = 0, multiprocessor = 0;
  };
  /// Takes the next block to start now, which becomes resident. None: no multiprocessor with room
  /// has a block left.
  std::optional<Start> next();
  /// Call this when a block of the multiprocessor has ended.
  void leave(std::int64_t multiprocessor);

  /// Static: further blocks of the multiprocessor have started and ended.
  void pass(std::int64_t multiprocessor, std::int64_t blocks);
  /// Static: how many blocks multiprocessors have had, and how many are left for one.
  const std::vector<std::int64_t>& dealt() const { return dealt_; }
  std::int64_t left(std::size_t multiprocessor) const;

  std::int64_t started() const { return started_; }
  std::int64_t finished() const { return finished_; }
  /// Whether all blocks have ended.
  bool over() const { return finished_ == blocks_; }

private:
  std::optional<Start> next_static();
  std::optional<Start> next_dynamic();

  bool dynamic_;
  std::int64_t blocks_, all_multiprocessors_, slots_;
  std::vector<std::int64_t> dealt_, resident_; ///< blocks, by multiprocessor
  /// Static: earlier multiprocessors have no room or no block left. Dynamic: their number where
  /// none has room.
  std::size_t look_at_ = 0;
  std::int64_t started_ = 0, finished_ = 0;
};

/// A barrier opens when all warps of its block have arrived. A warp that has ended counts as
/// arrived.
constexpr bool opens_barrier(std::int64_t arrived, std::int64_t ended, std::int64_t warps) {
  return arrived > 0 && arrived + ended >= warps;
}

/// The last time allowed of a launch that starts at `start`. It is less than `never`, so a time
/// within the limit has not overflowed.
inline Cycles last_time(const Limits& limits, Cycles start) {
  return std::min(Cycles{limits.time}, Cycles{INT64_MAX - 1}) - start;
}

} // namespace memlane::reference
