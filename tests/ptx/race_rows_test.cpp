// The accesses that races are found from: rows of words against single words, and the parts of
// requests against their lanes, one after the other.
#include "price/grid_races.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/support/random.hpp"

namespace memlane::test {

namespace {

/// Random numbers, one after the other.
struct Draws {
  std::uint64_t seed = 0, drawn = 0;
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return random_integer(17, seed, drawn++, low, high);
  }
};

struct PlainWord {
  ptx::LaneAccess writer{}, first{}, second{};
};

void read_plainly(PlainWord& word, const ptx::LaneAccess& access, ptx::NewReader reader) {
  if (reader == ptx::NewReader::none) return;
  (reader == ptx::NewReader::second ? word.second : word.first) = access;
  if (reader == ptx::NewReader::alone) word.second = {};
}

} // namespace

TEST_CASE("the row of a memory has the accesses to each of its words") {
  std::int64_t read_by_two = 0;
  for (std::uint64_t seed = 0; seed < (sanitized ? 50 : 1000); ++seed) {
    Draws draw{seed};
    ptx::RaceRow row;
    ptx::RaceRow::Room room;
    std::vector<PlainWord> plain(ptx::RaceRow::words);
    ptx::RacePhases phases;
    std::vector<std::uint32_t> begun{phases.begin(0)};
    const std::int64_t most_warps = draw(1, 12);
    for (int round = 0; round < 60; ++round) {
      if (draw(0, 9) == 0) begun.push_back(phases.begin(draw(0, 2)));
      if (draw(0, 50) == 0) {
        phases.begin_launch();
        begun.assign(1, phases.begin(0));
        plain.assign(plain.size(), {});
      }
      row.forget_before(phases.first());
      const auto shift = static_cast<std::uint8_t>(draw(0, 2));
      const auto phase =
          begun[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(begun.size()) - 1))];
      // Of any word, the lane's number is one of the warp's.
      const ptx::LaneAccesses accesses{
          ptx::LaneAccess::of(phase, static_cast<std::uint64_t>(32 * draw(0, most_warps)), 7,
                              false),
          static_cast<std::int8_t>(draw(0, 1)), shift};
      auto left = static_cast<std::uint32_t>(draw(0, 1) == 0 ? draw(1, UINT32_MAX)
                                                             : std::int64_t{255} << draw(0, 24));
      const bool write = draw(0, 3) == 0;
      while (left != 0) {
        const ptx::RaceRow::Alike at = row.look_at(left);
        const auto& [word, words] = at;
        REQUIRE((words & ~left) == 0);
        REQUIRE((words & (~left + 1) & left) != 0);
        const ptx::LaneAccess one = accesses.of(std::countr_zero(left));
        const ptx::NewReader reader = word.place_of(phases, one);
        for (int k = 0; k < ptx::RaceRow::words; ++k) {
          if ((words >> k & 1) == 0) continue;
          PlainWord& own = plain[static_cast<std::size_t>(k)];
          CHECK(own.writer.is_like(word.writer));
          CHECK(own.first.is_like(word.first));
          CHECK(own.second.is_like(word.second));
          if (write)
            own = {accesses.of(k)};
          else
            read_plainly(own, accesses.of(k), reader);
        }
        if (write)
          row.write(at, accesses, room);
        else
          row.read(at, accesses, reader, room);
        left &= ~words;
      }
      for (int k = 0; k < ptx::RaceRow::words; ++k) {
        const ptx::RaceWord is = row.look_at(std::uint32_t{1} << k).word;
        const PlainWord& own = plain[static_cast<std::size_t>(k)];
        CHECK((is.writer == own.writer && is.first == own.first && is.second == own.second));
        read_by_two += is.second.phase() > 0 ? 1 : 0;
      }
    }
  }
  CHECK(read_by_two > 1000);
}

TEST_CASE("a memory of races keeps no more than it may") {
  ptx::RaceMemory memory(std::size_t{1} << 16);
  ptx::RacePhases phases;
  const ptx::LaneAccesses accesses{ptx::LaneAccess::of(phases.begin(0), 0, 7, false), 1};
  std::int64_t row = 0;
  while (ptx::RaceRow* const found = memory.find(row)) {
    REQUIRE(found->forget_before(phases.first()));
    found->begin(~std::uint32_t{0}, accesses, true);
    ++row;
  }
  CHECK(row == (1 << 16) / static_cast<std::int64_t>(sizeof(ptx::RaceRow)));
  CHECK(memory.is_partial());
  memory.clear();
  REQUIRE(memory.find(0));
  CHECK(memory.find(0)->forget_before(phases.first()));
  CHECK(memory.is_partial());
}

namespace {

/// Addresses of a warp: rows of lanes, of one word or several, or any.
ptx::LaneAddresses lanes_of(Draws& draw) {
  ptx::LaneAddresses lanes;
  lanes.space = draw(0, 1) == 0 ? ptx::Space::shared : ptx::Space::global;
  lanes.bytes = 1 << draw(0, 4);
  const std::int64_t first = draw(0, 90), inner = draw(0, 4), outer = draw(0, 33);
  const std::int64_t in_row = std::int64_t{1} << draw(0, 5);
  const bool any = draw(0, 5) == 0;
  for (int lane = 0; lane < ptx::warp_lanes; ++lane) {
    const std::int64_t place =
        any ? draw(0, 200) : first + lane % in_row * inner + lane / in_row * outer;
    lanes.address[lane] = static_cast<std::uint64_t>(4096 + place * lanes.bytes);
  }
  lanes.mask = draw(0, 2) == 0 ? static_cast<std::uint32_t>(draw(1, UINT32_MAX)) : ptx::all_lanes;
  return lanes;
}

std::string told(const RaceCounts& counts) {
  std::string text = std::to_string(counts.races);
  for (const RacePair& pair : counts.pairs)
    text += '\n' + std::to_string(pair.races) + ' ' + pair.first.message;
  return text;
}

} // namespace

TEST_CASE("requests race by rows as they do lane by lane") {
  std::int64_t races = 0, in_parts = 0;
  for (std::uint64_t seed = 0; seed < (sanitized ? 100 : 1500); ++seed) {
    Draws draw{seed};
    ptx::PricedKernel kernel;
    for (const AccessKind kind : {AccessKind::read, AccessKind::write, AccessKind::atomic}) {
      kernel.info.sites.emplace_back().kind = kind;
      kernel.spans.emplace_back();
    }
    const ptx::DeviceMemory device;
    ptx::GridRaces by_rows, by_lanes;
    std::vector<std::pair<ptx::GridRaces::Block*, ptx::GridRaces::Block*>> blocks;
    by_rows.begin_launch(kernel, device);
    by_lanes.begin_launch(kernel, device);
    for (std::int64_t block = 0; block < 2; ++block)
      blocks.emplace_back(&by_rows.begin_block(block), &by_lanes.begin_block(block));
    const std::int64_t reads = draw(1, 40); // beside one write or atomic
    for (int round = 0; round < 40; ++round) {
      const auto& [block, same] = blocks[static_cast<std::size_t>(draw(0, 1))];
      if (draw(0, 7) == 0) {
        by_rows.barrier(*block);
        by_lanes.barrier(*same);
      }
      if (draw(0, 15) == 0) {
        by_rows.fence(*block);
        by_lanes.fence(*same);
      }
      const ptx::LaneAddresses addresses = lanes_of(draw);
      const ptx::RequestLanes lanes(addresses);
      const auto site = static_cast<std::size_t>(draw(0, reads) > 0 ? 0 : draw(1, 2));
      const std::vector<ptx::RowPart> parts = ptx::row_parts(lanes, site != 0);
      in_parts += parts.empty() ? 0 : 1;
      const std::int64_t warp = draw(0, 3);
      by_rows.access(*block, warp, site, lanes, parts);
      by_lanes.access(*same, warp, site, lanes, {});
    }
    CAPTURE(seed);
    CHECK(told(by_rows.counts()) == told(by_lanes.counts()));
    races += by_rows.counts().races;
  }
  CHECK(races > 1000);
  CHECK(in_parts > 1000);
}

} // namespace memlane::test
