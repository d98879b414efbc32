// By what a register differs between the blocks of a launch (alike_blocks.hpp): a value in block 0,
// and a change that is the same in all lanes.
#pragma once

#include <cstdint>
#include <optional>

namespace memlane::fast::changes {

inline constexpr std::int64_t most_int = std::int64_t{1} << 31, most_change = std::int64_t{1} << 61;

/// How a number goes on from block 0 to the last block, whose value lies at one end of all.
enum class Course : std::uint8_t {
  same, ///< in all blocks
  up,   ///< the least in block 0, the greatest in the last
  down, ///< the reverse
  ends, ///< one of the two, by the path to here, which all blocks take
  free, ///< none of these
};

/// The values of a register in all blocks.
struct OfBlocks {
  std::int64_t least = 0, most = 0;
  std::int64_t first = 0, last = 0; ///< in block 0 and in the last one
  bool by_block = true; ///< they depend on nothing but the block; else `first`, `last` say nothing
  bool operator==(const OfBlocks&) const = default;
  bool is_constant() const { return by_block && least == most; }
};

/// By what a register differs in a block from what it is in block 0: the same in all lanes.
struct Change {
  bool known = true;
  bool narrow = false; ///< an int, which may have wrapped, but no index yet
  Course course = Course::same;
  std::int64_t multiple = 0; ///< divides it; 0: there is no change
  std::int64_t most = 0;     ///< its magnitude is at most this
  std::optional<OfBlocks> values;

  bool operator==(const Change&) const = default;
  bool is_same() const { return known && multiple == 0; }
};

inline constexpr Change unknown{false, false, Course::free, 1, 0, {}};

/// Of what depends on nothing but the block.
Change of_values(const OfBlocks& v);
/// Of what is the same in all blocks, but not in all lanes.
Change of_lanes(std::int64_t least, std::int64_t most);
inline Change constant(std::int64_t value) { return of_values({value, value, value, value}); }
/// Where paths join.
Change either(const Change& a, const Change& b);
Change add(const Change& a, const Change& b);
Change negate(Change a);
/// A product with a constant.
Change times(const Change& a, std::int64_t by);
// What depends on nothing but the block and is not negative, divided by a positive constant.
Change quotient(const Change& a, std::int64_t by, bool up);
Change remainder(const Change& a, std::int64_t by);

} // namespace memlane::fast::changes
