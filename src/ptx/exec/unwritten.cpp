#include "unwritten.hpp"

#include "image.hpp"

#include <algorithm>
#include <bit>

namespace memlane::ptx {

void UnwrittenValues::clear() {
  rows_.clear();
  origins_.clear();
}

void UnwrittenValues::leave(std::int32_t activation) {
  std::erase_if(rows_, [=](const Row& row) { return row.activation == activation; });
}

UnwrittenValues::Found UnwrittenValues::find(Place place) const {
  for (const Row& row : rows_)
    if (row.place == place && row.activation == activation_) return {row.lanes, row.origin};
  return {};
}

/// Of all operands that the step reads; of a vector that it writes none.
UnwrittenValues::Found UnwrittenValues::sources(const Step& step) const {
  Found all;
  for_sources(step, [&](Place place) {
    if (place < 0) return;
    const Found one = find(place);
    if (all.lanes == 0) all.origin = one.origin;
    all.lanes |= one.lanes;
  });
  return all;
}

namespace {

/// Where in shared memory a lane stores; false: it does so elsewhere.
bool place_in_shared(const Step& step, const Warp& warp, int lane, std::uint64_t& at) {
  const Memories& memories = *warp.memories;
  at = (step.bits_a == 32 ? source<std::uint32_t>(warp, step.b)[lane]
                          : source<std::uint64_t>(warp, step.b)[lane]) +
       static_cast<std::uint64_t>(step.value);
  if (step.op->space == Space::generic) at -= reinterpret_cast<std::uint64_t>(memories.shared);
  return (step.op->space == Space::generic || step.op->space == Space::shared) &&
         at < static_cast<std::uint64_t>(memories.shared_bytes);
}
std::uint32_t lanes_in_shared(const Step& step, const Warp& warp) {
  std::uint64_t at = 0;
  return test_lanes([&](int l) { return place_in_shared(step, warp, l, at); });
}

} // namespace

UnwrittenValues::Found UnwrittenValues::stored_values(const Step& step) const {
  Step value = step;
  value.b = -1; // the address
  return sources(value);
}

void UnwrittenValues::define(Place place, std::uint32_t mask, Found found) {
  if (place < 0) return;
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) {
    return one.place == place && one.activation == activation_;
  });
  const std::uint32_t lanes = found.lanes & mask;
  if (row == rows_.end()) {
    if (lanes != 0) rows_.push_back({activation_, place, lanes, found.origin});
    return;
  }
  row->lanes = (row->lanes & ~mask) | lanes;
  if (lanes != 0) row->origin = found.origin;
  if (row->lanes == 0) rows_.erase(row);
}

void UnwrittenValues::define_all(const Step& step, std::uint32_t mask, Found found) {
  define(step.d, mask, found);
  define(step.q, mask, found);
  if (step.op->d.kind == OperandKind::vector)
    for (int k = 0; k < step.op->d.count; ++k) define(step.elements[k], mask, found);
}

bool UnwrittenValues::uses(Found found, std::uint32_t mask, Fault& fault) const {
  const std::uint32_t lanes = found.lanes & mask;
  if (lanes == 0) return false;
  const Origin& origin = origins_[found.origin];
  // A lane may have another lane's value.
  const std::uint32_t own = lanes & origin.lanes.mask;
  const int lane = std::countr_zero(own != 0 ? own : origin.lanes.mask);
  fault = {FaultKind::uninitialised, lane,       Space::shared, origin.lanes.address[lane],
           origin.lanes.bytes,       origin.step};
  return true;
}

void UnwrittenValues::load(std::int32_t activation, const Step& step, const LaneAddresses& lanes) {
  activation_ = activation;
  auto origin = std::find_if(origins_.begin(), origins_.end(),
                             [&](const Origin& one) { return one.step == &step; });
  if (origin == origins_.end()) origin = origins_.insert(origins_.end(), {&step, {}});
  origin->lanes.bytes = lanes.bytes;
  origin->lanes.mask |= lanes.mask;
  for (int l = 0; l < warp_lanes; ++l)
    if ((lanes.mask >> l & 1) != 0) origin->lanes.address[l] = lanes.address[l];
  define_all(step, lanes.mask, {lanes.mask, static_cast<std::size_t>(origin - origins_.begin())});
}

bool UnwrittenValues::pass_guard(std::int32_t activation, const Step& step, std::uint32_t path,
                                 Fault& fault) {
  activation_ = activation;
  return !uses(find(step.guard), path, fault);
}

/// The lanes' marks go where their values go.
void UnwrittenValues::shuffle(const Step& step, Warp& warp) {
  const Found values = find(step.a);
  Step marks = step;
  marks.a = static_cast<Place>(warp.scratch);
  marks.d = marks.a + static_cast<Place>(scratch_bytes / 2);
  marks.q = -1;
  for (int l = 0; l < warp_lanes; ++l)
    destination<std::uint32_t>(warp, marks.a)[l] = values.lanes >> l & 1;
  (step.together ? step.together : step.run)(warp, marks);
  const auto* const moved = source<std::uint32_t>(warp, marks.d);
  Found found{0, values.origin};
  for (int l = 0; l < warp_lanes; ++l) found.lanes |= (moved[l] & 1) << l;
  define(step.q, warp.mask, {});
  define(step.d, warp.mask, found);
}

/// Lanes whose result one source decides, whatever the other one is: 0 and x, or all ones or x.
std::uint32_t UnwrittenValues::decided(const Step& step, const Warp& warp) const {
  const Operation& op = *step.op;
  const bool by_ones = op.opcode == Opcode::or_ || op.words.has(Word::or_);
  const auto by = [&](Place place, int bits, bool negated) {
    std::uint32_t lanes = 0;
    if (bits == 1) {
      const std::uint32_t row = *source<std::uint32_t>(warp, place);
      lanes = negated == by_ones ? ~row : row;
    } else {
      const std::uint64_t wanted = by_ones ? ~std::uint64_t{0} >> (64 - bits) : 0;
      lanes = test_lanes([&](int l) {
        return (bits == 16   ? source<std::uint16_t>(warp, place)[l]
                : bits == 32 ? source<std::uint32_t>(warp, place)[l]
                             : source<std::uint64_t>(warp, place)[l]) == wanted;
      });
    }
    return lanes & ~find(place).lanes;
  };
  if (op.opcode == Opcode::and_ || op.opcode == Opcode::or_) {
    const int bits = op.type == Type::pred ? 1 : bits_of(op.type);
    return by(step.a, bits, false) | by(step.b, bits, false);
  }
  const bool combines =
      op.opcode == Opcode::setp && step.e >= 0 && op.words.any(Word::and_, Word::or_);
  return combines ? by(step.e, 1, step.e_negated) : 0;
}

bool UnwrittenValues::pass(std::int32_t activation, const Step& step, Warp& warp, Fault& fault) {
  activation_ = activation;
  const std::uint32_t mask = warp.mask;
  const Operation& op = *step.op;
  Found all = sources(step);
  switch (op.opcode) {
  case Opcode::st:
    if (uses(find(step.b), mask, fault)) return false;
    return !uses(stored_values(step), mask & ~lanes_in_shared(step, warp), fault);
  case Opcode::shfl: {
    Step others = step;
    others.a = -1;
    if (uses(sources(others), mask, fault)) return false;
    shuffle(step, warp);
    return true;
  }
  case Opcode::selp: {
    // What is not chosen is not used.
    const Found a = find(step.a), b = find(step.b), p = find(step.e);
    const std::uint32_t bits = *source<std::uint32_t>(warp, step.e);
    const std::uint32_t chosen = step.e_negated ? ~bits : bits;
    all.lanes = (a.lanes & chosen) | (b.lanes & ~chosen) | p.lanes;
    break;
  }
  default: {
    const Effects effects = row_of(op.opcode).effects;
    const bool computes = effects == Effects::none && !op.words.has(Word::cc);
    if (!computes && uses(all, mask, fault)) return false;
    if (computes) all.lanes &= ~decided(step, warp);
  }
  }
  define_all(step, mask, all);
  return true;
}

void UnwrittenValues::stored(std::int32_t activation, const Step& step, Warp& warp) {
  activation_ = activation;
  const std::uint32_t lanes = stored_values(step).lanes & warp.mask;
  const Memories& memories = *warp.memories;
  const auto bytes = static_cast<std::uint64_t>(bytes_of(step.op->type) * step.op->lanes_of_vector);
  for (std::uint32_t left = lanes; left != 0 && memories.shared_words; left &= left - 1) {
    std::uint64_t at = 0;
    if (place_in_shared(step, warp, std::countr_zero(left), at))
      memories.shared_words->forget(at, bytes);
  }
}

} // namespace memlane::ptx
