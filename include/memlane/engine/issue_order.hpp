// In which order a warp issues its steps (configs/README.md section 10, "Reads that are hoisted").
#pragma once

#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memlane {

/// The steps of one warp, piece by piece: they are added in the order of the program, and issued
/// when the piece ends. Steps have numbers that rise from 0. Memory: the present piece, and 16
/// bytes for each read that no step has awaited since the last barrier.
class IssueOrder {
public:
  /// `write`: also an atomic whose old value is not used; any other atomic is a `read`.
  enum class Kind : std::uint8_t { operation, read, write };
  /// Memories, as a set: those that an access may mean.
  static constexpr std::uint8_t none = 0, shared = 1, global = 2, any = 3;

  /// A step that is issued.
  struct Issued {
    std::int64_t number = 0;
    /// As Step::awaited: the reads that it needs and no step before it has awaited.
    std::vector<std::uint32_t> awaited;
  };

  explicit IssueOrder(Schedule schedule) : schedule_(schedule) {}

  /// The warp's next step in the order of the program. `needs`: the steps that have given the
  /// values that it uses. Returns its number.
  std::int64_t add(Kind kind, std::uint8_t memories, std::span<const std::int64_t> needs);
  /// The number that `add` has returned last; -1: none.
  std::int64_t latest() const { return first_ + static_cast<std::int64_t>(steps_.size()) - 1; }
  /// The read is a part of an earlier read of the present piece, and is not issued.
  void merge(std::int64_t read, std::int64_t into);

  /// The piece ends: its steps in the order in which they are issued. Valid until the next call.
  /// O(n log n) for n steps and what they need.
  std::span<const Issued> end_piece();
  /// Whether the step is a read that no issued step has awaited: only such steps matter to later
  /// pieces.
  bool is_open(std::int64_t number) const;
  /// The warp has waited for all its reads.
  void complete_reads() { open_.clear(); }

private:
  struct Added {
    Kind kind = Kind::operation;
    std::uint8_t memories = none;
    std::size_t needs = 0;  ///< where they begin in `needs_`; they end where the next step's begin
    std::int32_t into = -1; ///< the read of the piece that it was merged into; -1: none
    bool issued = false, wanted = false;
  };
  /// A read that is issued, and how many requests the warp had made before.
  struct Open {
    std::int64_t number = 0, request = 0;
  };

  std::span<const std::int64_t> needs_of(std::size_t step) const;
  void want(std::size_t step);
  void issue_wanted();
  void issue(std::size_t step);

  Schedule schedule_;
  std::int64_t first_ = 0;    ///< the number of the present piece's first step
  std::int64_t requests_ = 0; ///< issued
  std::vector<Added> steps_;
  std::vector<std::int64_t> needs_;
  std::vector<std::size_t> writes_; ///< of the piece, not issued
  std::vector<std::size_t> wanted_; ///< for the read at hand
  std::vector<Open> open_;          ///< by number, rising
  std::vector<Issued> issued_;
  std::size_t count_ = 0; ///< of `issued_`, which keeps its memory
};

} // namespace memlane
