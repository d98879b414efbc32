// Stages and sectors of requests, against their definitions.
#include "exec/vectors.hpp"
#include "price/request_shape.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/machine/stages.hpp"
#include "memlane/support/random.hpp"

#include <map>
#include <set>

namespace memlane::test {

namespace {

/// Addresses of a warp: contiguous, of one word, strided, in rows of lanes, backwards, or random;
/// of all lanes, of some that follow each other, or of any.
ptx::LaneAddresses some_lanes(std::uint64_t seed) {
  std::uint64_t drawn = 0;
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return random_integer(5, seed, drawn++, low, high);
  };
  ptx::LaneAddresses lanes;
  lanes.bytes = 1 << draw(0, 5);
  const std::int64_t pattern = draw(0, 6), first = draw(0, 300), step = draw(0, 70);
  const std::int64_t inner = draw(0, 2), row = draw(1, 31);
  for (int lane = 0; lane < ptx::warp_lanes; ++lane) {
    const std::int64_t place = pattern == 0   ? first + lane
                               : pattern == 1 ? first
                               : pattern == 2 ? first + lane * step
                               : pattern == 3 ? first + draw(0, 40)
                               : pattern == 4 ? first + lane % row * inner + lane / row * step
                               : pattern == 5 ? 4000 - lane * step
                                              : draw(0, 100000);
    lanes.address[lane] = static_cast<std::uint64_t>(place * lanes.bytes);
  }
  const std::int64_t begin = draw(0, 31), count = draw(1, 32 - begin), kind = draw(0, 2);
  lanes.mask = kind == 0   ? ptx::all_lanes
               : kind == 1 ? static_cast<std::uint32_t>(((std::int64_t{1} << count) - 1) << begin)
                           : static_cast<std::uint32_t>(draw(1, UINT32_MAX));
  return lanes;
}

} // namespace

TEST_CASE("stages, sectors and shared words of requests are those of their definitions") {
  for (std::uint64_t seed = 0; seed < (sanitized ? 2000 : 40000); ++seed) {
    const ptx::LaneAddresses lanes = some_lanes(seed);
    std::vector<std::int64_t> first(ptx::warp_lanes, -1);
    std::set<std::uint64_t> sectors;
    std::map<std::int64_t, int> lanes_of_word;
    const std::int64_t words = ptx::words_of_lane(lanes.bytes);
    for (std::size_t lane = 0; lane < ptx::warp_lanes; ++lane) {
      if ((lanes.mask >> lane & 1) == 0) continue;
      first[lane] = static_cast<std::int64_t>(lanes.address[lane] / 4);
      for (std::int64_t word = first[lane]; word < first[lane] + words; ++word)
        ++lanes_of_word[word];
      for (int byte = 0; byte < lanes.bytes; ++byte)
        sectors.insert((lanes.address[lane] + static_cast<std::uint64_t>(byte)) / 32);
    }
    std::int64_t several = 0;
    for (const auto& [word, count] : lanes_of_word) several += count > 1 ? 1 : 0;
    CAPTURE(seed, lanes.bytes, lanes.mask);
    for (const UnitKind kind : {UnitKind::discrete, UnitKind::unified}) {
      const ptx::RequestCounts counts = ptx::counts_of(kind, ptx::RequestLanes(lanes), true);
      CHECK(counts.stages == stages_of_lanes(kind, 32, first, words));
      CHECK(counts.sectors == static_cast<std::int64_t>(sectors.size()));
      CHECK(counts.several == several);
      CHECK(counts.needed == needed_stages(static_cast<std::int64_t>(lanes_of_word.size()), 32));
    }
    for (const std::int64_t group : {1, 2, 8, 32}) {
      const ptx::RequestCounts counts =
          ptx::counts_of(UnitKind::unified, ptx::RequestLanes(lanes), false, group);
      CHECK(counts.stages == stages_of_lanes(UnitKind::unified, group, first, words));
      CHECK(counts.needed == needed_stages(static_cast<std::int64_t>(lanes_of_word.size()), group));
      std::vector<AtomicGroup> groups;
      ptx::find_groups(lanes, 0, group, AccessKind::atomic, groups);
      CHECK(groups == atomic_groups(group, first, words));
      CHECK(static_cast<std::int64_t>(groups.size()) == counts.stages);
    }
    CHECK(ptx::unmerged_stages_of(lanes) == unmerged_stages(32, first, words));
  }
}

TEST_CASE("requests like one that is known have its counts") {
  std::int64_t alike = 0;
  for (std::uint64_t seed = 0; seed < (sanitized ? 500 : 10000); ++seed) {
    const ptx::LaneAddresses lanes = some_lanes(seed);
    ptx::LaneAddresses other = lanes;
    std::uint64_t drawn = 1000;
    const auto draw = [&](std::int64_t low, std::int64_t high) {
      return random_integer(5, seed, drawn++, low, high);
    };
    // Moved by any distance; sometimes one lane lies elsewhere, or another lane takes part.
    const auto moved = static_cast<std::uint64_t>(draw(0, 40) * (draw(0, 2) == 0 ? 8 : 128));
    for (std::uint64_t& address : other.address) address += moved;
    if (draw(0, 3) == 0) other.address[draw(0, 31)] += static_cast<std::uint64_t>(lanes.bytes);
    if (draw(0, 5) == 0) other.mask ^= std::uint32_t{1} << draw(0, 31);
    if (other.mask == 0) continue;
    CAPTURE(seed, lanes.bytes, lanes.mask, moved);
    for (const std::int64_t group : {1, 32, 64}) {
      ptx::KnownRequest known;
      known.period = ptx::period_of(group);
      CHECK_FALSE(known.is_like(other));
      const ptx::RequestLanes of_lanes(lanes);
      known.lanes = lanes;
      known.words = of_lanes.words();
      known.units = of_lanes.units();
      if (!known.is_like(other)) continue;
      ++alike;
      const ptx::RequestLanes of_other(other), of_known(other, known);
      for (const UnitKind kind : {UnitKind::discrete, UnitKind::unified})
        for (const bool write : {false, true}) {
          const ptx::RequestCounts is = ptx::counts_of(kind, of_known, write, group),
                                   first = ptx::counts_of(kind, of_lanes, write, group),
                                   fresh = ptx::counts_of(kind, of_other, write, group);
          CHECK((is == fresh));
          CHECK((first == fresh));
        }
      CHECK(of_known.count() == of_other.count());
      CHECK(of_known.units().same == of_other.units().same);
      CHECK(of_known.units().next == of_other.units().next);
      CHECK(ptx::unmerged_stages_of(lanes) == ptx::unmerged_stages_of(other));
    }
  }
  CHECK(alike > (sanitized ? 300 : 6000));
}

TEST_CASE("addresses that are moved are found by every instruction set") {
  for (const ptx::InstructionSet& set : ptx::instruction_sets()) {
    INFO(set.name);
    ptx::LaneAddresses lanes = some_lanes(3), moved = lanes;
    for (std::uint64_t& address : moved.address) address += 256;
    CHECK(set.are_moved(moved.address, lanes.address, 128));
    CHECK(set.are_moved(lanes.address, moved.address, 256));
    CHECK_FALSE(set.are_moved(lanes.address, moved.address, 512));
    for (std::uint64_t& address : moved.address) {
      address ^= std::uint64_t{1} << 40;
      CHECK_FALSE(set.are_moved(lanes.address, moved.address, 128));
      address ^= std::uint64_t{1} << 40;
    }
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const ptx::LaneAddresses some = some_lanes(seed);
      for (const int shift : {0, 2})
        for (const std::uint64_t words : {std::uint64_t{1}, std::uint64_t{4}}) {
          const ptx::Neighbours is = set.find_neighbours(some.address, shift, words);
          for (int lane = 1; lane < ptx::warp_lanes; ++lane) {
            const auto at = [&](int k) {
              return static_cast<std::int64_t>(some.address[k] >> shift);
            };
            const auto bit = [lane](std::uint32_t bits) { return (bits >> lane & 1) != 0; };
            const std::int64_t distance = at(lane) - at(lane - 1);
            CAPTURE(seed, shift, words, lane);
            CHECK(bit(is.same) == (distance == 0));
            CHECK(bit(is.next) == (distance == static_cast<std::int64_t>(words)));
            CHECK(bit(is.apart) == (distance >= static_cast<std::int64_t>(words)));
            CHECK(bit(is.rising) == (distance >= 0));
            CHECK(bit(is.sector) == (some.address[lane] / 32 != some.address[lane - 1] / 32));
            CHECK(bit(is.group) == (some.address[lane] / 128 != some.address[lane - 1] / 128));
            if (lane > 1) CHECK(bit(is.even) == (distance == at(lane - 1) - at(lane - 2)));
          }
        }
    }
  }
}

} // namespace memlane::test
