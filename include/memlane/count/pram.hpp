// What a run costs on other models of parallel machines, as far as warps report it: the steps, work
// and class of a PRAM, the operators and words of BSP (configs/README.md section 9).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace memlane {

/// A source line: file and number. Line 0: unknown.
using SourceLine = std::pair<std::int32_t, std::int32_t>;

/// Which PRAM a run needs. A later one can do all that an earlier one can.
enum class PramClass : std::uint8_t {
  erew, ///< exclusive read, exclusive write: no two threads access one word in one round
  crew, ///< concurrent read, exclusive write
  crcw, ///< concurrent read, concurrent write
};
/// `EREW`, `CREW` or `CRCW`.
std::string_view name_of(PramClass needs);

/// Where a run needs its class: the smallest line of the earliest round that does.
struct PramPlace {
  std::int64_t launch = 0;
  std::int64_t round = 0; ///< of the launch, from 0
  SourceLine line{0, 0};

  auto operator<=>(const PramPlace&) const = default;
};

/// A run, the launches of a kernel, or one launch on a PRAM.
struct PramCounts {
  std::int64_t steps = 0; ///< rounds: in each, every warp that can makes one request
  std::int64_t work = 0;  ///< active threads, summed over the rounds
  PramClass needs = PramClass::erew;
  PramPlace place;  ///< unless it needs EREW only
  std::string file; ///< of the place's line, as the program names it

  /// Adds launches that come before or after these, or between them.
  PramCounts& operator+=(const PramCounts& other);
  bool operator==(const PramCounts&) const = default;
};

/// A run, the launches of a kernel, or one launch on `multiprocessors` of BSP: block g is on
/// multiprocessor g mod `multiprocessors`, and a launch is a superstep.
struct BspCounts {
  std::int64_t multiprocessors = 1;
  /// Counted operators, once for each warp that executes one: of each launch's multiprocessor with
  /// the most, summed over the launches.
  std::int64_t operators = 0;
  /// Words of memory arrays, reads and writes by threads: likewise.
  std::int64_t words = 0;

  BspCounts& operator+=(const BspCounts& other);
  bool operator==(const BspCounts&) const = default;
};

} // namespace memlane
