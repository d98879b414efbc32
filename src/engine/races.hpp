// Races (configs/README.md section 7): unordered accesses to one word, at least one of them a
// write.
//
// Two readers and two writers of each word are enough to find a race if there is one. A new access
// replaces the accesses ordered before it: a later access that conflicts with one of those also
// conflicts with the new one. Of unordered accesses, the two that are farthest apart conflict with
// every access that conflicts with any of them. Accesses of racy statements are kept apart from the
// others, which they must not replace: two racy accesses may race, a racy one and another may not.
// So are atomics, which do not race with each other. An access has the plane of its kind.
#pragma once

#include "memlane/engine/kernel_info.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace memlane {

/// One lane's access to one word.
struct Access {
  std::uint32_t phase = 0; ///< (launch, block, barriers passed), numbered from 1; 0: no access
  std::uint32_t warp = 0;
  std::uint32_t thread = 0;
  std::uint32_t site = 0;     ///< the caller's number of the place in the source
  std::uint32_t forall = 0;   ///< which forall of the warp; 0: none
  bool racy = false;          ///< its statement is written `racy`
  bool atomic = false;        ///< no race with other atomics
  std::int64_t iteration = 0; ///< iteration of that forall
};

constexpr AccessKind kind_of(const Access& access, bool writes) {
  if (access.atomic) return AccessKind::atomic;
  return writes ? AccessKind::write : AccessKind::read;
}

inline constexpr std::size_t access_planes = 4;
constexpr std::size_t plane_of(const Access& access) {
  return (access.atomic ? 2u : 0u) + (access.racy ? 1u : 0u);
}
/// Whether accesses of the plane may race with this one.
constexpr bool may_race(const Access& access, std::size_t plane) {
  return !access.atomic || plane < 2;
}

/// Why two accesses are unordered; later values are farther apart.
enum class Conflict : std::uint8_t { none, iterations, warps, blocks, launches };

/// The phases of a launch, or of launches that are independent of each other: which block, and
/// which launch, each belongs to.
class Phases {
public:
  /// `independent`: the launch is one of the same `concurrent` as the one before it.
  void begin_launch(bool independent);
  /// A block starts or passes a barrier.
  std::uint32_t begin(std::int64_t block);
  std::int64_t block_of(std::uint32_t phase) const { return blocks_[phase - first_]; }
  /// The launch, counted from 0 since the last one that was not independent.
  std::size_t launch_of(std::uint32_t phase) const;
  /// Accesses of earlier launches conflict only if the launches are independent.
  Conflict conflict(const Access& earlier, const Access& later) const;

private:
  std::uint32_t first_ = 1;
  std::vector<std::int64_t> blocks_;    ///< blocks of phases first_, first_ + 1, …
  std::vector<std::uint32_t> launches_; ///< their first phases
};

/// The accesses to the words of one array, or of one address space.
class Shadow {
public:
  struct Found {
    Conflict conflict = Conflict::none;
    bool earlier_writes = false;
    Access earlier;
  };

  /// An earlier access that conflicts with this one, among those of the plane.
  Found find(const Phases& phases, std::int64_t word, const Access& access, bool write,
             std::size_t plane = 0) const;
  void record(const Phases& phases, std::int64_t word, const Access& access, bool write);

private:
  using Pair = std::array<Access, 2>;
  struct Word {
    Pair readers, writers;
  };
  static constexpr std::int64_t page_words = 512;

  using Pages = std::unordered_map<std::int64_t, std::unique_ptr<Word[]>>;

  std::array<Pages, access_planes> pages_; ///< words that were accessed, by plane
};

} // namespace memlane
