// What the warps of a tile ask of the machine between two barriers, in order: one entry for all
// warps that ask the same.
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/machine/stages.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace memlane::fast {

/// `atomic`: an atomic on the global unit, where it is a unified one. `port`: a request to the
/// global unit by the multiprocessor's own port. `operate`: operators for a unit of operations.
/// `wait`: earlier requests must be complete. `repeat`: the entries before it are repeated.
enum class Ask : std::uint8_t { shared, global, atomic, port, compute, operate, wait, repeat };

/// `amount`: stages of a request, or counted operators of a computation. If `each`: the place of
/// the first warp's amount in `amounts`, where 0 means that the warp has no such step. Of an
/// atomic: its index in `atomics`, never `each`. At a port: in `ports`, if `each` the first warp's,
/// where no stages mean no step. Of operators: how many, and their class (Operators). Of a wait:
/// its index in `waits`, if `each` that and 1. Of a repetition: its index in `repeats`. Whether a
/// request `returns` a value matters only where a warp may have several on their way.
struct Entry {
  Ask ask = Ask::global;
  bool each = false;
  bool returns = false;
  std::uint32_t amount = 0;

  bool operator==(const Entry&) const = default;
};

/// Operators of one class, one after the other, as the amount of an entry.
struct Operators {
  OperationClass operation = OperationClass::other;
  std::int64_t count = 0;

  static constexpr std::int64_t most = INT32_MAX / static_cast<std::int64_t>(operation_classes);
  static Operators of(std::uint32_t amount) {
    constexpr auto classes = static_cast<std::uint32_t>(operation_classes);
    return {static_cast<OperationClass>(amount % classes), amount / classes};
  }
  std::uint32_t amount() const {
    return static_cast<std::uint32_t>(count) * static_cast<std::uint32_t>(operation_classes) +
           static_cast<std::uint32_t>(operation);
  }
};

/// What a request asks at its multiprocessor's own port.
struct PortAccess {
  std::uint32_t site = 0, stages = 0;
  std::uint32_t first = 0, count = 0; ///< its address groups, in `groups`
  std::uint32_t needed = 0;           ///< groups that its words need (needed_stages)
  bool atomic = false, reuses = false;

  bool operator==(const PortAccess&) const = default;
};

/// What an atomic asks of the global unit: its instruction's site, and its groups.
struct AtomicAccess {
  std::uint32_t site = 0;
  std::vector<AtomicGroup> groups;

  bool operator==(const AtomicAccess&) const = default;
};

struct Repeat {
  std::uint32_t length = 0; ///< entries before the one of this repetition; none is a repetition
  std::int64_t times = 0;   ///< how often they are repeated after the entries themselves

  bool operator==(const Repeat&) const = default;
};

/// A wait for earlier requests.
struct Wait {
  std::int32_t instruction = -1;      ///< as in Step
  std::vector<std::uint32_t> earlier; ///< as Step::awaited
  std::vector<std::int32_t> sites;    ///< of these (ValueWait::site)

  bool operator==(const Wait&) const = default;
};

/// The sites of a warp's latest requests, which later steps may await.
class LatestSites {
public:
  void add(std::int32_t site);
  /// Of the request so many before the next one; -1: there is none, or it was too long ago.
  std::int32_t of(std::uint32_t earlier) const {
    return earlier <= sites_.size() ? sites_[sites_.size() - earlier] : -1;
  }

private:
  std::vector<std::int32_t> sites_;
};

struct StepLog {
  std::vector<Entry> entries;
  std::vector<std::uint16_t> amounts;
  std::vector<Repeat> repeats;
  std::vector<AtomicAccess> atomics; ///< equal ones may be one
  std::vector<PortAccess> ports;     ///< equal ones may be one
  std::vector<AtomicGroup> groups;   ///< of requests at ports
  std::vector<Wait> waits;           ///< equal ones may be one

  bool operator==(const StepLog&) const = default;
  void clear() {
    entries.clear();
    amounts.clear();
    repeats.clear();
    atomics.clear();
    ports.clear();
    groups.clear();
    waits.clear();
  }
  /// What the warp at a place of the tile asks in each round of the repetition at entry `at`.
  struct Round {
    std::uint32_t requests = 0;
    std::int64_t computed = 0; ///< counted operators
  };
  Round round(std::uint32_t at, std::size_t place) const;
  /// A reader is at a repetition: moves `next` back to its first entry, or past it if none is left.
  /// `left`: repetitions to come; -1 outside. If the warp makes no request in them, all are
  /// skipped: returns what it computes in them.
  std::int64_t repeat(std::uint32_t& next, std::int64_t& left, std::size_t place) const;
  /// Adds one amount for each warp. Amounts equal to the last ones are stored once.
  void add_each(Ask ask, const std::uint16_t* each, std::size_t warps, bool returns = false);
  /// Of the accesses in `ports` from `first` on, one for each warp of the tile: those that ask the
  /// same as one of the last few times are kept once. Returns the amount of their entry.
  std::uint32_t keep_ports(std::size_t first);
  /// The amount of an atomic's entry, or of a wait's. Equal ones that come soon again are kept
  /// once, so that rounds of a loop are equal.
  std::uint32_t index_of(const AtomicAccess& access);
  std::uint32_t index_of(const Wait& wait);
  /// The access of an entry at a port, of the warp at a place of the tile.
  const PortAccess& port(const Entry& entry, std::size_t place) const {
    return ports[entry.amount + (entry.each ? place : 0)];
  }
  /// What the warp at a place of the tile waits for; null: nothing.
  const Wait* wait(const Entry& entry, std::size_t place) const {
    if (!entry.each) return &waits[entry.amount];
    const std::size_t one = amounts[entry.amount + place];
    return one > 0 ? &waits[one - 1] : nullptr;
  }
  /// Appends what the warp at a place of another log's tile asks of memory units and operators.
  /// Returns its stages, indexed by UnitId.
  std::array<std::int64_t, 2> append(const StepLog& of_tile, std::size_t place);
  /// Replaces repeated entries by repetitions, or extends those that the log has.
  void fold();
  /// Removes the first entries, which all warps have passed, once they are half of the log: so
  /// each entry is moved once in the mean. Returns how many; 0 if the log has repetitions.
  std::uint32_t drop(std::uint32_t passed_entries);

private:
  void fold_runs();
  void widen_repeats();
};

/// Amounts of warps fit 16 bits: a request has at most as many stages as a warp has lanes.
inline constexpr std::int64_t most_amount = UINT16_MAX;

} // namespace memlane::fast
