#include "warp_pieces.hpp"

#include "memlane/ptx/opcodes.hpp"

#include <algorithm>
#include <bit>

namespace memlane::ptx {

namespace {

/// Whether no step moves across this one.
bool is_piece(const Step& step) {
  const Operation& op = *step.op;
  switch (row_of(op.opcode).effects) {
  case Effects::none: return !step.run; // a clock
  case Effects::reads:
  case Effects::writes:
    return !step.run || op.words.any(Word::volatile_, Word::relaxed, Word::acquire) ||
           op.words.any(Word::release, Word::mmio);
  default: return true;
  }
}

/// What an access may mean: generic ones any memory.
std::uint8_t memories_of(const Step& step, const LaneAddresses& lanes) {
  if (step.op->space == Space::generic && step.op->opcode != Opcode::cp) return IssueOrder::any;
  return lanes.space == Space::shared ? IssueOrder::shared : IssueOrder::global;
}

/// Whether a read of one register from shared memory, which may be a part of a wider one.
bool is_narrow_read(const Step& step) {
  const Operation& op = *step.op;
  return op.opcode == Opcode::ld && op.space == Space::shared && op.lanes_of_vector == 1 &&
         bits_of(op.type) == 32;
}

} // namespace

bool WarpPieces::ends_before(const Step& step, std::uint32_t mask) const {
  return alone_ || step.begins_loop || is_piece(step) ||
         (mask != 0 && lanes_ != 0 && mask != lanes_);
}

void WarpPieces::execute(const Step& step, const StepCount& count, std::uint32_t mask,
                         std::span<const std::int64_t> needs) {
  alone_ = is_piece(step);
  if (mask != 0) lanes_ = mask;
  needs_.assign(needs.begin(), needs.end());
  count_ = &count;
  number_ = read_ = -1;
  const bool counted = count.counted && mask != 0;
  if (needs.empty() && !counted) return;
  number_ = order_.add(IssueOrder::Kind::operation, IssueOrder::none, needs);
  steps_.push_back({&count, counted});
  if (mask != 0) reads_.read(step, mask, number_); // a copy, too, is there once its guard is
}

void WarpPieces::access(const Access& access, bool returns) {
  // Its own operation comes first; the write of an asynchronous copy needs its read.
  std::vector<std::int64_t> needs;
  if (number_ >= 0) needs.push_back(number_);
  if (read_ >= 0 && access.step->op->opcode == Opcode::cp) needs.push_back(read_);
  const std::uint8_t memories = memories_of(*access.step, access.lanes);
  const std::int64_t number =
      order_.add(returns ? IssueOrder::Kind::read : IssueOrder::Kind::write, memories, needs);
  if (returns && is_narrow_read(*access.step) && widest_ > narrow) {
    const Step& step = *access.step;
    const bool constant = (step.a & 3) == in_constants;
    const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes.mask));
    mergeable_.push_back(
        {number, accesses_.size(), constant ? Place{in_constants} : step.a,
         constant ? static_cast<std::int64_t>(access.lanes.address[first]) : step.value, writes_,
         needs_});
  }
  if (!returns && (memories & IssueOrder::shared) != 0) ++writes_;
  steps_.push_back({count_, false, static_cast<std::int32_t>(accesses_.size())});
  accesses_.push_back(access);
  if (!returns) return;
  read_ = number;
  reads_.read(*access.step, access.lanes.mask, number);
}

/// The reads that make one of so many bytes with the first, each once. False: some are missing, or
/// it would not be aligned in all lanes.
bool WarpPieces::find_parts(std::size_t first, std::int64_t bytes,
                            std::vector<std::size_t>& parts) const {
  const Mergeable& read = mergeable_[first];
  const LaneAddresses& lanes = accesses_[read.access].lanes;
  const auto within = [&](int lane) {
    return static_cast<std::int64_t>(lanes.address[lane] % static_cast<std::uint64_t>(bytes));
  };
  const std::int64_t before = within(std::countr_zero(lanes.mask));
  for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1)
    if (within(std::countr_zero(left)) != before) return false;
  parts.clear();
  for (std::int64_t at = -before; at < bytes - before; at += narrow) {
    const auto part = std::find_if(
        mergeable_.begin() + static_cast<std::ptrdiff_t>(first), mergeable_.end(),
        [&](const Mergeable& other) {
          if (other.merged || other.offset != read.offset + at || other.base != read.base ||
              other.writes != read.writes || other.needs != read.needs)
            return false;
          // The base has not changed.
          const LaneAddresses& others = accesses_[other.access].lanes;
          for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            if (others.address[lane] != lanes.address[lane] + static_cast<std::uint64_t>(at))
              return false;
          }
          return true;
        });
    if (part == mergeable_.end()) return false;
    parts.push_back(static_cast<std::size_t>(part - mergeable_.begin()));
  }
  return true;
}

void WarpPieces::merge_reads() {
  std::vector<std::size_t> parts;
  for (std::size_t first = 0; first < mergeable_.size(); ++first)
    for (std::int64_t bytes = widest_; bytes > narrow && !mergeable_[first].merged; bytes /= 2) {
      if (!find_parts(first, bytes, parts)) continue;
      const Mergeable& read = mergeable_[first];
      LaneAddresses& lanes = accesses_[read.access].lanes;
      for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1) {
        std::uint64_t& address = lanes.address[std::countr_zero(left)];
        address -= address % static_cast<std::uint64_t>(bytes);
      }
      lanes.bytes = static_cast<int>(bytes);
      for (const std::size_t part : parts) {
        mergeable_[part].merged = true;
        if (part == first) continue;
        order_.merge(mergeable_[part].number, read.number);
        reads_.rename(mergeable_[part].number, read.number); // for steps of later pieces
      }
    }
}

void WarpPieces::complete_reads() {
  order_.complete_reads();
  forget();
}

void WarpPieces::forget() {
  steps_.clear();
  accesses_.clear();
  mergeable_.clear();
  writes_ = 0;
  lanes_ = 0;
  reads_.keep_if([&](std::int64_t number) { return order_.is_open(number); });
}

} // namespace memlane::ptx
