// One warp's request in detail: which lane is in which bank and address group, and what other
// layouts would make of it (configs/README.md section 2).
#pragma once

#include "memlane/machine/layout.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// What the stages of a machine's requests depend on.
struct BankShape {
  // A machine with the papers' keys is its width.
  BankShape(std::int64_t lanes) : width(lanes), group(lanes) {} // NOLINT(*-explicit-*)
  /// `bytes`: of an element.
  BankShape(const MachineSpec& machine, std::int64_t bytes);

  std::int64_t width, group; ///< banks and lanes; words of an address group
  std::int64_t words = 1;    ///< of an element
  std::int64_t least = 1;    ///< stages of a request to the unit with banks
  bool operator==(const BankShape&) const = default;
};

/// What a lane accesses. An inactive one accesses nothing.
struct LaneAccess {
  std::int64_t lane = 0;
  /// Of the first word of its element.
  std::optional<std::int64_t> address, bank, group;
  /// The first lane with the same address, whose access this one is merged with.
  std::optional<std::int64_t> merged_with;
};

/// Stages of one request in both kinds of memory unit.
struct RequestStages {
  std::int64_t banks = 0;  ///< discrete, such as the most distinct addresses in one bank
  std::int64_t groups = 0; ///< unified: distinct address groups
  bool operator==(const RequestStages&) const = default;
};

struct BankAccess {
  BankShape shape = 1;
  std::vector<LaneAccess> lanes; ///< of the warp: `width`
  std::int64_t addresses = 0;    ///< distinct ones: elements
  std::int64_t banks = 0;        ///< that have a word
  RequestStages stages;
  std::int64_t conflict = 0;         ///< the most distinct words in one bank
  std::vector<std::int64_t> fullest; ///< banks with so many, in order

  std::int64_t lost = 0; ///< stages in banks that the words do not need wherever they lie
};

/// An array index or address of each lane; none: the lane is inactive.
using LaneIndices = std::vector<std::optional<std::int64_t>>;

/// The request for these elements, at least 0, one for each of `width` lanes: element i begins at
/// address i, of several words at as many times i. Stages as runs count them. O(w log w).
BankAccess bank_access(const BankShape& shape, const LaneIndices& elements);

/// A layout that may remove conflicts.
struct LayoutChoice {
  LayoutKind kind = LayoutKind::rows; ///< one that is not random and no fn
  std::int64_t spare = 0;             ///< of padded
  Swizzle swizzle;
  std::int64_t pitch = 0; ///< of strides(1, pitch): words between the columns of two dimensions
  BitMap bits = {};

  std::string text() const; ///< as programs write it
  /// The word of element i as CUDA writes it.
  std::string cuda_text(std::int64_t row_length) const;
  Placement place(std::int64_t elements, std::int64_t row_length) const;
};
/// Rows, 1 to 4 spare words, the diagonal, and, if w and the rows are powers of two, the XOR
/// swizzles that change up to log2(w) bits, with more bits each. They read the lowest bits of the
/// row's number; where rows are shorter than w, these are in the bank's number already, and they
/// read the bits above the bank's. The last one takes w consecutive elements of a column to w
/// banks. What `bank` shows, and what `--explain` tries.
std::vector<LayoutChoice> layout_choices(std::int64_t width, std::int64_t row_length);

/// An access to elements of an array that has another layout.
struct LayoutStages {
  std::string layout; ///< as programs write it
  RequestStages stages;
  std::int64_t lost = 0; ///< as BankAccess::lost
};
/// For each of layout_choices. The array begins at a multiple of w. Elements are numbered
/// row-major, in rows of `row_length` elements.
std::vector<LayoutStages> layout_stages(const BankShape& shape, const LaneIndices& elements,
                                        std::int64_t row_length);

/// How a GPU splits the request of a warp for elements of 8 or 16 bytes, which are `words` words of
/// 4 bytes each: into `words` requests, each of w / `words` lanes. Requires that `words` divides w.
std::vector<RequestStages> split_stages(std::int64_t width, const LaneIndices& elements,
                                        std::int64_t words);

} // namespace memlane
