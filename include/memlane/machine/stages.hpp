// One warp request: how many pipeline stages it occupies (configs/README.md section 2).
#pragma once

#include "memlane/machine/spec.hpp"
#include "memlane/support/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memlane {

constexpr BankId bank(Address address, std::int64_t width) { return {address.value % width}; }
constexpr GroupId address_group(Address address, std::int64_t width) {
  return {address.value / width};
}

/// Stages of a request for these addresses (those of the active threads only, in any order,
/// equal ones allowed; none: 0). Discrete unit: the largest number of distinct addresses in one
/// bank; unified unit: the number of distinct address groups. O(k log k) for k addresses.
/// Nakano 2014, section 2; distinct cells: Nakano & Ito 2014, section II.
std::int64_t stages(UnitKind kind, std::int64_t width, std::span<const Address> addresses);

/// Stages of a request whose lane j accesses `words` words from lanes[j] on; -1: it is not active.
/// Lanes of several words: a discrete unit takes max(1, w / words) lanes after the other, a unified
/// unit the address groups of all words: `width` is its group.
std::int64_t stages_of_lanes(UnitKind kind, std::int64_t width, std::span<const std::int64_t> lanes,
                             std::int64_t words);

/// Stages that so many distinct words need wherever they lie; a stage takes `stage_words` of them
/// (MachineSpec::stage_words). Those beyond are lost.
constexpr std::int64_t needed_stages(std::int64_t distinct, std::int64_t stage_words) {
  return distinct <= stage_words ? 1 : (distinct - 1) / stage_words + 1;
}

/// Stages that a request takes of the unit itself, whatever it accesses: those of a unified unit
/// are of the ports before it.
constexpr std::int64_t least_stages(const UnitSpec& unit) {
  return unit.kind == UnitKind::discrete ? unit.least_stages : 1;
}

// Atomics (configs/README.md section 11).

/// As stages_of_lanes of a discrete unit, but words that several lanes name are not merged.
std::int64_t unmerged_stages(std::int64_t width, std::span<const std::int64_t> lanes,
                             std::int64_t words);

/// An address group that an atomic accesses.
struct AtomicGroup {
  std::int64_t group = 0;
  std::int64_t lanes = 1; ///< the most that name one element of it

  bool operator==(const AtomicGroup&) const = default;
};
/// The groups of `group_words` words that an atomic's lanes name, rising.
std::vector<AtomicGroup> atomic_groups(std::int64_t group_words,
                                       std::span<const std::int64_t> lanes, std::int64_t words);

} // namespace memlane
