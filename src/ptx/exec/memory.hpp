// What warps may access, and how (PTX ISA 9.0, sections 5.1 and 9.7.9): every address is checked
// before it is used.
#pragma once

#include "awaited_reads.hpp"
#include "barriers.hpp"
#include "launch_state.hpp"
#include "step.hpp"

#include "memlane/ptx/texture_object.hpp"

#include <algorithm>
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

  TextureObjects objects;

  /// Ranges do not overlap, except that an allocation takes the place of freed ones.
  void add(std::uint64_t begin, std::uint64_t bytes, std::string name = {});
  /// The allocation is freed: accesses to it are errors that say so. False: there is none.
  bool free(std::uint64_t begin);
  /// Ends all ranges and objects.
  void clear();
  /// The range that has this address; null: none. O(log ranges).
  const Range* find(std::uint64_t address) const;
  /// Where the first range begins, rounded down to 256 bytes; 0: there is none.
  std::uint64_t origin() const { return ranges_.empty() ? 0 : ranges_.begin()->first / 256 * 256; }
  /// The range before an address that none has; null: none is.
  const Range* before(std::uint64_t address) const;
  /// The range behind it; null: none is.
  const Range* behind(std::uint64_t address) const;
  /// How often ranges have changed.
  std::uint64_t changes() const { return changes_; }

private:
  std::uint64_t changes_ = 0;
  std::map<std::uint64_t, Range> ranges_; ///< keyed by their begins
};

struct Fault {
  FaultKind kind = FaultKind::none;
  int lane = 0;
  Space space = Space::generic;
  std::uint64_t address = 0;
  int bytes = 0;
  const Step* step = nullptr;
  std::string detail = {}; ///< ThreadFault::detail
};

/// The words that one warp's operation accesses.
struct LaneAddresses {
  Space space = Space::global; ///< global, shared or local
  int bytes = 4;               ///< of a lane, which follow each other
  std::uint32_t mask = 0;
  std::uint64_t address[warp_lanes]; ///< in the space; of global memory the host's

  LaneAddresses() : address{} {}
  /// All addresses are set afterwards: zeros would take as long as the rest of most accesses.
  LaneAddresses(Space in, int bytes_of_lane, std::uint32_t lanes)
      : space(in), bytes(bytes_of_lane), mask(lanes) {}
};

/// What becomes of a round of a loop in which a warp may wait for others (WarpRun::waits_in_vain).
enum class RoundEvent : std::uint8_t {
  begins,
  counts, ///< all that the warp has done since it began
  vain,   ///< nothing of it; the next one begins
};

/// Told of each access to global and shared memory, before it happens.
class AccessObserver {
public:
  virtual ~AccessObserver() = default;
  virtual void accesses(const Warp& warp, const Step& step, const LaneAddresses& lanes) = 0;
  /// A fence that orders the warp's accesses before it and after it for other blocks.
  virtual void fences(const Warp&, const Step&) {}
  /// A lane has so much new memory of the heap, which others may have had before.
  virtual void allocates(const Warp&, std::uint64_t /*begin*/, std::uint64_t /*bytes*/) {}
  /// A phase of an mbarrier of the block is complete.
  virtual void completes() {}
  /// Its latest operations (Warp::operated) are followed by some of another class.
  virtual void operates(const Warp&) {}
  /// The step that follows, which is counted here, needs these of the warp's reads
  /// (Memories::reads).
  virtual void needs(const Warp&, const StepCount&, std::span<const std::int64_t> /*reads*/) {}
  /// Where `reads` follows all steps: the step is executed next, in the warp's lanes, and needs
  /// these earlier ones.
  virtual void executes(const Warp&, const Step&, const StepCount&,
                        std::span<const std::int64_t> /*steps*/) {}
  /// False: so much was told since the round began that it counts, though it was in vain.
  virtual bool round(RoundEvent) { return true; }
};

/// Which bytes of a block's shared memory have been written.
struct SharedWords {
  explicit SharedWords(std::int64_t bytes)
      : written(static_cast<std::size_t>(bytes + 3) / 4, 0), left(written.size()) {
    // Bytes behind the last one that there is are nobody's.
    if (bytes % 4 != 0) written.back() = static_cast<std::uint8_t>(whole & (whole << bytes % 4));
  }
  static constexpr std::uint8_t whole = 15;
  std::vector<std::uint8_t> written; ///< by word of 4 bytes: a bit for each
  std::size_t left = 0;              ///< words that nothing has written as a whole
  std::size_t ready = 0;             ///< all words before this one have been written

  /// The bits of those bytes that are in the word.
  static std::uint8_t bits(std::uint64_t word, std::uint64_t begin, std::uint64_t bytes) {
    const std::uint64_t first = std::max(begin, 4 * word) - 4 * word;
    const std::uint64_t last = std::min(begin + bytes, 4 * word + 4) - 4 * word;
    return static_cast<std::uint8_t>((1U << last) - (1U << first));
  }
  /// Whether all of these bytes have been written.
  bool has(std::uint64_t begin, std::uint64_t bytes) const {
    for (std::uint64_t word = begin / 4; word <= (begin + bytes - 1) / 4; ++word)
      if ((~written[word] & bits(word, begin, bytes)) != 0) return false;
    return true;
  }
  void write(std::uint64_t begin, std::uint64_t bytes) {
    for (std::uint64_t word = begin / 4; word <= (begin + bytes - 1) / 4; ++word) {
      const std::uint8_t before = written[word];
      written[word] = static_cast<std::uint8_t>(before | bits(word, begin, bytes));
      left -= before != whole && written[word] == whole ? 1 : 0;
    }
    while (ready < written.size() && written[ready] == whole) ++ready;
  }
  /// What is there now counts as not written.
  void forget(std::uint64_t begin, std::uint64_t bytes) {
    for (std::uint64_t word = begin / 4; word <= (begin + bytes - 1) / 4; ++word) {
      left += written[word] == whole ? 1 : 0;
      written[word] = static_cast<std::uint8_t>(written[word] & ~bits(word, begin, bytes));
    }
    ready = std::min<std::size_t>(ready, begin / 4);
  }
};

/// Where a warp finds its memory.
struct Memories {
  const DeviceMemory* device = nullptr;
  std::uint8_t* shared = nullptr; ///< of its block
  std::int64_t shared_bytes = 0;
  SharedWords* shared_words = nullptr; ///< null: reads of words that are not written are no faults
  std::uint8_t* local = nullptr;       ///< of lane 0; the lanes' memories follow each other
  std::int64_t local_bytes = 0;        ///< of a lane: Code::stack_bytes of the kernel
  std::int64_t local_base = 0;         ///< where the present function's variables are
  std::int64_t* stack = nullptr;       ///< by lane: where its next alloca begins, from there on
  const std::uint8_t* kernel_params = nullptr;
  std::int64_t kernel_param_bytes = 0;
  std::uint8_t* params = nullptr; ///< of the present function's calls
  std::int64_t param_bytes = 0;   ///< of a lane
  AccessObserver* observer = nullptr;
  AwaitedReads* reads = nullptr;     ///< of the warp; null: not followed
  std::int64_t writes = 0;           ///< operations that changed global or shared memory
  LaunchState* launch = nullptr;     ///< null: no fault is allowed, nothing is printed
  BlockBarriers* barriers = nullptr; ///< of its block; null: bar.arrive counts nothing
  std::int64_t block = 0, warp = 0;  ///< numbers: x first
  /// Ranges of global memory that were accessed last.
  struct Known {
    std::uint64_t begin = 1, end = 0;
  };
  static constexpr std::size_t known_ranges = 4;
  Known known[known_ranges];
  std::size_t next_known = 0;
  Fault fault;
  /// Lanes to which a load has given words that nothing has written; the faults are those of the
  /// steps that use them (unwritten.hpp). Warp::faulted is set with them.
  LaneAddresses unwritten;
};

/// A fault of a lane. True: faults of this kind are allowed, and this one has been counted; else
/// the launch ends.
bool report(Warp& warp, const Step& step, Fault fault);

/// Whether kernels may access these bytes of global memory, and remembers the range.
bool is_accessible(Memories& memories, std::uint64_t address, std::uint64_t bytes);

// Handlers. A fault is in Memories::fault; lanes that have none are not served either. Of kinds
// that are allowed, lanes with faults read zeros and write nothing.

void load(Warp& warp, const Step& step);
void store(Warp& warp, const Step& step);
void atomic(Warp& warp, const Step& step);
void load_matrix(Warp& warp, const Step& step);
void copy_async(Warp& warp, const Step& step);
/// wmma.load and wmma.store: an access for each register of the fragment whose elements follow each
/// other in memory, else one for each element.
void load_fragment(Warp& warp, const Step& step);
void store_fragment(Warp& warp, const Step& step);
/// wmma.mma and mma.
void multiply_matrices(Warp& warp, const Step& step);
/// mbarrier, except for its waits.
void use_mbarrier(Warp& warp, const Step& step);
/// mbarrier.test_wait and .try_wait. Whether all lanes need not wait.
bool is_phase_over(Warp& warp, const Step& step);
/// An address in a space as one of any, and back.
void convert_address(Warp& warp, const Step& step);
void is_in_space(Warp& warp, const Step& step);
/// alloca, stacksave and stackrestore (PTX ISA 9.0, section 9.7.15).
void use_stack(Warp& warp, const Step& step);

} // namespace memlane::ptx
