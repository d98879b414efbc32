// What warps may access, and how (PTX ISA 9.0, sections 5.1 and 9.7.9): every address is checked
// before it is used.
#pragma once

#include "step.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memlane::ptx {

/// The allocations of a device and its modules' variables. Addresses are the host's, so copies are
/// copies of bytes.
class DeviceMemory {
public:
  struct Range {
    std::uint64_t begin = 0, end = 0;
    bool freed = false;
    std::string name; ///< of a variable; empty: an allocation
  };

  /// Ranges do not overlap, except that an allocation takes the place of freed ones.
  void add(std::uint64_t begin, std::uint64_t bytes, std::string name = {});
  /// The allocation is freed: accesses to it are errors that say so. False: there is none.
  bool free(std::uint64_t begin);
  /// The range that has this address; null: none. O(log ranges).
  const Range* find(std::uint64_t address) const;
  /// Where the first range begins, rounded down to 256 bytes; 0: there is none.
  std::uint64_t origin() const { return ranges_.empty() ? 0 : ranges_.begin()->first / 256 * 256; }

private:
  std::map<std::uint64_t, Range> ranges_; ///< keyed by their begins
};

enum class FaultKind : std::uint8_t {
  none,
  outside, ///< no variable or allocation
  freed,
  misaligned,
  uninitialised, ///< a word of shared memory that nothing has written
  inactive,      ///< a value of a lane that is not active
  trapped,
  no_function,    ///< a call to what is no function
  too_deep,       ///< more nested calls than there is memory for
  parted_barrier, ///< a barrier that some lanes of the warp do not reach together
};

struct Fault {
  FaultKind kind = FaultKind::none;
  int lane = 0;
  Space space = Space::generic;
  std::uint64_t address = 0;
  int bytes = 0;
  const Step* step = nullptr;
};

/// The words that one warp's operation accesses.
struct LaneAddresses {
  Space space = Space::global; ///< global, shared or local
  int bytes = 4;               ///< of a lane, which follow each other
  std::uint32_t mask = 0;
  std::uint64_t address[warp_lanes] = {}; ///< in the space; of global memory the host's
};

/// Told of each access to global and shared memory, before it happens.
class AccessObserver {
public:
  virtual ~AccessObserver() = default;
  virtual void accesses(const Warp& warp, const Step& step, const LaneAddresses& lanes) = 0;
  /// A fence that orders the warp's accesses before it and after it for other blocks.
  virtual void fences(const Warp&, const Step&) {}
};

/// Where a warp finds its memory.
struct Memories {
  const DeviceMemory* device = nullptr;
  std::uint8_t* shared = nullptr; ///< of its block
  std::int64_t shared_bytes = 0;
  std::vector<std::uint8_t>* written = nullptr; ///< by shared word of 4 bytes; null: not asked for
  std::uint8_t* local = nullptr;
  std::int64_t local_bytes = 0; ///< of a lane
  const std::uint8_t* kernel_params = nullptr;
  std::int64_t kernel_param_bytes = 0;
  std::uint8_t* params = nullptr; ///< of the present function's calls
  std::int64_t param_bytes = 0;   ///< of a lane
  AccessObserver* observer = nullptr;
  std::int64_t writes = 0;  ///< operations that wrote to global or shared memory
  DeviceMemory::Range last; ///< the range that was accessed last
  Fault fault;
};

// Handlers. A fault is in Memories::fault; lanes that have none are not served either.

void load(Warp& warp, const Step& step);
void store(Warp& warp, const Step& step);
void atomic(Warp& warp, const Step& step);
void load_matrix(Warp& warp, const Step& step);
void copy_async(Warp& warp, const Step& step);
/// An address in a space as one of any, and back.
void convert_address(Warp& warp, const Step& step);
void is_in_space(Warp& warp, const Step& step);

} // namespace memlane::ptx
