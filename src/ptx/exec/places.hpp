// The places in the host's memory of what an operation's lanes access, checked; and rows of
// registers by their bits.
#pragma once

#include "memory.hpp"

#include <cstring>

namespace memlane::ptx {

/// The host's places of what lanes access.
struct Places {
  std::uint8_t* at[warp_lanes] = {};
  std::uint32_t mask = 0;  ///< lanes that access their place: those without a fault
  LaneAddresses unwritten; ///< of shared memory, which nothing has written
};

/// An operation's access: which operand has the addresses, and what it does there.
struct Access {
  Space space = Space::generic;
  Place base = -1;
  int bits = 64; ///< of the base's register
  std::int64_t offset = 0;
  int bytes = 4;
  bool writes = false;
  bool loads = false; ///< into registers: words that nothing has written are no fault yet; with
                      ///< `writes`, an update, which leaves them so
};

/// Finds and checks the places of an operation's lanes; false: there is a fault.
bool find_places(Warp& warp, const Step& step, const Access& access, Places& places);

/// The bits of a value of `bytes` bytes in memory.
inline std::uint64_t read_bytes(const std::uint8_t* at, int bytes, bool sign) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<std::size_t>(bytes));
  if (sign && bytes < 8 && (bits >> (8 * bytes - 1) & 1) != 0)
    bits |= ~std::uint64_t{0} << (8 * bytes);
  return bits;
}
inline std::uint64_t read_row(const Warp& warp, Place place, int bits, int lane) {
  if (bits == 16) return source<std::uint16_t>(warp, place)[lane];
  return bits == 32 ? source<std::uint32_t>(warp, place)[lane]
                    : source<std::uint64_t>(warp, place)[lane];
}
inline void write_row(Warp& warp, Place place, int bits, int lane, std::uint64_t value) {
  if (bits == 16)
    destination<std::uint16_t>(warp, place)[lane] = static_cast<std::uint16_t>(value);
  else if (bits == 32)
    destination<std::uint32_t>(warp, place)[lane] = static_cast<std::uint32_t>(value);
  else
    destination<std::uint64_t>(warp, place)[lane] = value;
}

} // namespace memlane::ptx
