// The arrays of a run: their memory, the addresses and values of their elements, and what ended
// blocks have left in shared ones.
#pragma once

#include "budget.hpp"
#include "races.hpp"

#include "memlane/engine/run.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/machine/layout.hpp"
#include "memlane/machine/spec.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace memlane {

// Memory for arrays. Large arrays use large pages if the system has them: random accesses then
// cause fewer TLB misses.

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}
  bool operator==(const LargePages&) const { return true; }

  static constexpr std::size_t page = std::size_t{1} << 21;
  static bool is_large(std::size_t count) { return count >= 2 * page / sizeof(T); }

  T* allocate(std::size_t count) {
    if (!is_large(count)) return static_cast<T*>(::operator new(count * sizeof(T)));
    void* memory = ::operator new (count * sizeof(T), std::align_val_t{page});
#ifdef __linux__
    madvise(memory, count * sizeof(T), MADV_HUGEPAGE); // a wish: nothing is lost without
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (is_large(count)) return ::operator delete (memory, std::align_val_t{page});
    ::operator delete(memory);
  }
};

using Bytes = std::vector<unsigned char, LargePages<unsigned char>>;

// What the blocks that have ended have left in the shared memories (configs/README.md section 6).

/// Whether the array's words outlive a block: on an AGPU that is not volatile, a shared array that
/// is declared at the program's top level.
inline bool is_kept(const ir::Array& array, const MachineSpec& machine) {
  return !machine.is_volatile && array.space == ir::Space::shared && array.top_level;
}
/// Whether the program has such arrays.
bool keeps_shared_words(const ir::Program& program, const MachineSpec& machine);

/// By multiprocessor and shared array: which elements blocks that have ended had written, and in
/// which launch. Only for messages, so what does not fit the limit of memory is not noted.
class SharedLeft {
public:
  /// `written`: by element, 1 if the block has written it.
  void note(std::int64_t mp, std::int32_t array, std::int64_t launch,
            const std::vector<std::uint8_t>& written, Budget& budget);
  /// The last launch before which or in which a block that has ended wrote the element.
  std::optional<std::int64_t> writer(std::int64_t mp, std::int32_t array,
                                     std::int64_t element) const;

private:
  static constexpr std::uint32_t no_launch = 0; ///< others are 1 + their number
  std::map<std::pair<std::int64_t, std::int32_t>, std::vector<std::uint32_t>> launches_;
};

// The arrays of a run: the addresses and values of their elements.

/// Word i at `data`, of size_of(type) bytes: the only definition of how values are stored.
inline ir::Value get_word(ir::Scalar type, const void* data, std::int64_t i) {
  const auto read = [&](auto word) {
    std::memcpy(&word, static_cast<const unsigned char*>(data) + i * std::int64_t{sizeof word},
                sizeof word);
    return word;
  };
  switch (type) {
  case ir::Scalar::boolean: return ir::Value::of(read(std::uint8_t{}) != 0);
  case ir::Scalar::int32: return ir::Value::of(std::int64_t{read(std::int32_t{})});
  case ir::Scalar::float32: return ir::Value::of(static_cast<double>(read(float{})));
  case ir::Scalar::int64:
  case ir::Scalar::float64: return {read(std::uint64_t{})};
  }
  return {};
}

inline void set_word(ir::Scalar type, void* data, std::int64_t i, ir::Value value) {
  const auto write = [&](auto word) {
    std::memcpy(static_cast<unsigned char*>(data) + i * std::int64_t{sizeof word}, &word,
                sizeof word);
  };
  switch (type) {
  case ir::Scalar::boolean: return write(std::uint8_t{value.truth()});
  case ir::Scalar::int32: return write(static_cast<std::int32_t>(value.integer()));
  case ir::Scalar::float32: return write(static_cast<float>(value.real()));
  case ir::Scalar::int64:
  case ir::Scalar::float64: return write(value.bits);
  }
}

/// Words of one scalar type, size_of(type) bytes each.
class Words {
public:
  Words() = default;
  Words(ir::Scalar type, std::int64_t count)
      : type_(type), bytes_(static_cast<std::size_t>(count * ir::size_of(type))) {}
  /// Large ones: zeros, or a copy. They mean nothing if the budget is then stopped.
  Words(ir::Scalar type, std::int64_t count, Budget& budget);
  Words(const Words& from, Budget& budget);

  ir::Value get(std::int64_t i) const { return get_word(type_, bytes_.data(), i); }
  void set(std::int64_t i, ir::Value value) { set_word(type_, bytes_.data(), i, value); }
  /// Sets words first, first + 1, …
  void set(std::int64_t first, const ir::Value* values, std::int64_t count);
  /// The words, size_of(type) bytes each.
  unsigned char* data() { return bytes_.data(); }

private:
  ir::Scalar type_ = ir::Scalar::int32;
  Bytes bytes_;
};

/// Words of an array that are read or written between two polls.
constexpr std::int64_t words_between = std::int64_t{1} << 20;

/// An array of the program. Values are stored by element; the layout affects only addresses.
struct ArrayState {
  Placement placement;
  std::vector<std::int64_t> extents; ///< the present launch's, if it sets them
  std::int64_t elements = 0;
  std::int64_t base = 0; ///< address of a memory array's first word
  std::int64_t words_of_element = 1;
  Words words;                  ///< words of a memory array
  Words snapshot;               ///< the initial contents, if verify uses them
  Shadow shadow;                ///< shadow of a memory array
  std::int64_t sized_for = -1;  ///< threads of the launch that has set the extents
  std::int64_t table_bytes = 0; ///< taken from the budget for the placement of such a launch

  /// With spare words of the layout.
  std::int64_t all_words() const { return placement.footprint * words_of_element; }
  /// An element's first word, from the array's first one on.
  std::int64_t word(std::int64_t element) const {
    return placement.word(element) * words_of_element;
  }
};

/// A shared array of a multiprocessor that is not volatile.
struct KeptWords {
  Words words;
  std::vector<std::uint8_t> written; ///< each element: 1 if anything was
};

/// All memory, set up before main begins.
struct Memory {
  std::vector<ArrayState> arrays; ///< as in Program::arrays
  std::int64_t words = 0;         ///< words of all memory arrays, spare words included
  std::int64_t end = 0;           ///< the first free address, a multiple of w
  SharedLeft left;                ///< used by the reference engine
  /// The words of arrays that are kept (is_kept), by multiprocessor and array.
  std::map<std::pair<std::int64_t, std::int32_t>, KeptWords> kept;
};

/// The next multiple of so many words: every array starts at one.
std::int64_t aligned(std::int64_t address, std::int64_t words);

using ir::element_name;

/// Streams of random numbers: different uses draw different numbers.
enum class Draws : std::uint64_t { initial = 1, layout = 2, host = 3 };
std::uint64_t stream_of(Draws use, std::int64_t array, std::int64_t site);

/// A random number of the instruction's type between the values of two registers.
/// Requires a <= b (integers), which `random_fault` checks.
ir::Value draw(const ir::Instruction& in, std::uint64_t seed, std::uint64_t stream,
               std::uint64_t counter, ir::Value a, ir::Value b);
/// Why `random` has no result for these bounds; empty if it has one.
std::string random_fault(const ir::Instruction& in, ir::Value a, ir::Value b);

/// Takes the bytes of the arrays from the budget before anything is allocated. If they do not fit,
/// the budget has stopped and the memory is empty.
Result<Memory> make_memory(const ir::Program& program, const MachineSpec& machine,
                           const RunOptions& options, Budget& budget);

/// The placement of an array's elements (src/engine/placement.cpp). `threads`: of the launch that
/// has set the extents, if one has.
Result<Placement> make_placement(const ir::Program& program, std::int32_t array,
                                 const std::vector<std::int64_t>& extents, std::int64_t threads,
                                 const MachineSpec& machine, std::uint64_t seed, Budget& budget);

/// Extents and placement of the kernel's shared arrays that are sized by `threads`, for a launch of
/// that many (src/engine/placement.cpp). Errors: an extent below 1, an array larger than any
/// memory, an error or a wrap in the extent's expression. Cost: constant; a user-defined layout is
/// evaluated for each element.
Status size_arrays(const ir::Program& program, const ir::Function& kernel, std::int64_t threads,
                   const MachineSpec& machine, std::uint64_t seed, const Sources& sources,
                   Budget& budget, Memory& memory);

/// Runs a function of specials `index` and `threads` for every element of an array and gives `take`
/// the elements first, first + 1, … with their results, some at a time. `what` ends messages:
/// "initial value".
Status for_elements(const ir::Program& program, std::int32_t array, std::int32_t function,
                    const std::vector<std::int64_t>& extents, std::int64_t threads,
                    std::uint64_t seed, const char* what, Budget& budget,
                    const std::function<void(std::int64_t first, const ir::Value* values,
                                             std::int64_t count)>& take);

/// The addresses of shared arrays (configs/README.md section 1). On a DMM, which has one memory,
/// the shared arrays of a launch's blocks follow the memory arrays. On other machines, the shared
/// memory of each block begins at address 0.
class SharedPlaces {
public:
  SharedPlaces(const ir::Function& kernel, const Memory& memory, const MachineSpec& machine);

  /// The first address of a block's array, by its place in Function::shared.
  std::int64_t address(std::int64_t block, std::size_t array) const {
    return first_ + block * pitch_ + offsets_[array];
  }

private:
  std::vector<std::int64_t> offsets_;
  std::int64_t first_ = 0, pitch_ = 0;
};

} // namespace memlane
