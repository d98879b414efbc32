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

UnwrittenValues::Marks UnwrittenValues::find(Place place) const {
  for (const Row& row : rows_)
    if (row.place == place && row.activation == activation_) return row.marks;
  return {};
}

/// Of all operands that the step reads; of a vector that it writes none. Without bytes.
UnwrittenValues::Marks UnwrittenValues::sources(const Step& step) const {
  Marks all;
  for_sources(step, [&](Place place) {
    if (place < 0) return;
    const Marks one = find(place);
    if (all.lanes == 0) all.origin = one.origin;
    all.lanes |= one.lanes;
    all.made |= one.made;
  });
  return all;
}

/// Of what is computed of such values.
UnwrittenValues::Marks UnwrittenValues::computed(Marks from) {
  from.made = from.lanes;
  from.bytes.fill(0xff);
  return from;
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

UnwrittenValues::Marks UnwrittenValues::stored_values(const Step& step) const {
  Step value = step;
  value.b = -1; // the address
  return sources(value);
}

void UnwrittenValues::define(Place place, std::uint32_t mask, const Marks& marks) {
  if (place < 0) return;
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) {
    return one.place == place && one.activation == activation_;
  });
  const std::uint32_t lanes = marks.lanes & mask;
  if (row == rows_.end()) {
    if (lanes == 0) return;
    row = rows_.insert(rows_.end(), {activation_, place, {}});
  }
  Marks& now = row->marks;
  now.lanes = (now.lanes & ~mask) | lanes;
  now.made = (now.made & ~mask) | (marks.made & lanes);
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(left));
    now.bytes[l] = marks.bytes[l];
  }
  if (lanes != 0) now.origin = marks.origin;
  if (now.lanes == 0) rows_.erase(row);
}

void UnwrittenValues::define_all(const Step& step, std::uint32_t mask, const Marks& marks) {
  define(step.d, mask, marks);
  define(step.q, mask, marks);
  if (step.op->d.kind == OperandKind::vector)
    for (int k = 0; k < step.op->d.count; ++k) define(step.elements[k], mask, marks);
}

bool UnwrittenValues::uses(const Marks& marks, std::uint32_t lanes, Fault& fault) const {
  if (lanes == 0) return false;
  const Origin& origin = origins_[marks.origin];
  // A lane may have another lane's value.
  const std::uint32_t own = lanes & origin.lanes.mask;
  const int lane = std::countr_zero(own != 0 ? own : origin.lanes.mask);
  fault = {FaultKind::uninitialised, lane,       Space::shared, origin.lanes.address[lane],
           origin.lanes.bytes,       origin.step};
  return true;
}

namespace {

std::uint32_t all_bytes(int bytes) { return ~std::uint32_t{0} >> (32 - bytes); }
/// Those of an access that nothing has written: all, if the access itself has written them.
std::uint32_t missing_bytes(const SharedWords& words, std::uint64_t address, int bytes) {
  std::uint32_t missing = 0;
  for (int at = 0; at < bytes; ++at)
    if (!words.has(address + static_cast<std::uint64_t>(at), 1)) missing |= std::uint32_t{1} << at;
  return missing != 0 ? missing : all_bytes(bytes);
}

} // namespace

/// What is read may be padding if other bytes of it were written, or if it is a few single bytes,
/// as compilers copy it.
void UnwrittenValues::load(std::int32_t activation, const Step& step, const LaneAddresses& lanes,
                           const SharedWords& words) {
  activation_ = activation;
  auto origin = std::find_if(origins_.begin(), origins_.end(),
                             [&](const Origin& one) { return one.step == &step; });
  if (origin == origins_.end()) origin = origins_.insert(origins_.end(), {&step, {}});
  origin->lanes.bytes = lanes.bytes;
  origin->lanes.mask |= lanes.mask;
  const int count = step.op->lanes_of_vector, bytes = lanes.bytes / count;
  std::array<Marks, 8> of_element;
  for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    origin->lanes.address[l] = lanes.address[l];
    const std::uint32_t missing = missing_bytes(words, lanes.address[l], lanes.bytes);
    for (int k = 0; k < count; ++k) {
      Marks& element = of_element[static_cast<std::size_t>(k)];
      const std::uint32_t own = missing >> k * bytes & ((1U << bytes) - 1);
      const bool fills = is_signed(step.op->type) && (own >> (bytes - 1) & 1) != 0;
      element.bytes[static_cast<std::size_t>(l)] =
          static_cast<std::uint8_t>(fills ? own | 0xffU << bytes : own);
      element.lanes |= static_cast<std::uint32_t>(own != 0) << l;
      const bool single = count > 1 && bytes == 1;
      if (missing == all_bytes(lanes.bytes) && !single) element.made |= std::uint32_t{1} << l;
    }
  }
  for (int k = 0; k < count; ++k) {
    Marks& element = of_element[static_cast<std::size_t>(k)];
    element.origin = static_cast<std::size_t>(origin - origins_.begin());
    define(count == 1 ? step.d : step.elements[k], lanes.mask, element);
  }
}

bool UnwrittenValues::pass_guard(std::int32_t activation, const Step& step, std::uint32_t path,
                                 Fault& fault) {
  activation_ = activation;
  const Marks guard = find(step.guard);
  return !uses(guard, guard.lanes & path, fault);
}

/// Lanes whose predicate one source decides, whatever the other one is: false and x, true or x.
std::uint32_t UnwrittenValues::decided(const Step& step, const Warp& warp) const {
  const Operation& op = *step.op;
  const bool by_ones = op.opcode == Opcode::or_ || op.words.has(Word::or_);
  const auto by = [&](Place place, bool negated) {
    const std::uint32_t row = *source<std::uint32_t>(warp, place);
    return (negated == by_ones ? ~row : row) & ~find(place).lanes;
  };
  const bool combines =
      op.opcode == Opcode::setp && step.e >= 0 && op.words.any(Word::and_, Word::or_);
  if (combines) return by(step.e, step.e_negated);
  const bool both =
      op.type == Type::pred && (op.opcode == Opcode::and_ || op.opcode == Opcode::or_);
  return both ? by(step.a, false) | by(step.b, false) : 0;
}

bool UnwrittenValues::pass(std::int32_t activation, const Step& step, Warp& warp, Fault& fault) {
  activation_ = activation;
  const std::uint32_t mask = warp.mask;
  const Operation& op = *step.op;
  Marks all = sources(step);
  switch (op.opcode) {
  case Opcode::st: {
    const Marks address = find(step.b), values = stored_values(step);
    return !uses(address, address.lanes & mask, fault) &&
           !uses(values, values.made & mask & ~lanes_in_shared(step, warp), fault);
  }
  case Opcode::shfl: {
    Step others = step;
    others.a = -1;
    const Marks used = sources(others);
    if (uses(used, used.lanes & mask, fault)) return false;
    shuffle(step, warp);
    return true;
  }
  case Opcode::mov:
    if (op.d.kind == OperandKind::vector || op.a.kind == OperandKind::vector)
      move_halves(step, mask);
    else
      define(step.d, mask, find(step.a));
    return true;
  case Opcode::selp: {
    // What is not chosen is not used.
    const Marks a = find(step.a), b = find(step.b), p = find(step.e);
    const std::uint32_t bits = *source<std::uint32_t>(warp, step.e);
    const std::uint32_t chosen = step.e_negated ? ~bits : bits;
    define(step.d, mask & chosen, a);
    define(step.d, mask & ~chosen, b);
    if (p.lanes != 0) define(step.d, mask & p.lanes, computed(p));
    return true;
  }
  default: {
    if (move_bits(step, warp)) return true;
    const Effects effects = row_of(op.opcode).effects;
    const bool computes = effects == Effects::none && !op.words.has(Word::cc);
    if (!computes && uses(all, all.lanes & mask, fault)) return false;
    if (computes) all.lanes &= ~decided(step, warp);
  }
  }
  define_all(step, mask, computed(all));
  return true;
}

void UnwrittenValues::stored(std::int32_t activation, const Step& step, Warp& warp) {
  activation_ = activation;
  const Memories& memories = *warp.memories;
  if (!memories.shared_words) return;
  const int count = step.op->lanes_of_vector, bytes = bytes_of(step.op->type);
  for (int k = 0; k < count; ++k) {
    const Marks marks = find(count == 1 ? step.a : step.elements[k]);
    for (std::uint32_t left = marks.lanes & warp.mask; left != 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      std::uint64_t at = 0;
      if (!place_in_shared(step, warp, l, at)) continue;
      for (int byte = 0; byte < bytes; ++byte)
        if ((marks.bytes[static_cast<std::size_t>(l)] >> byte & 1) != 0)
          memories.shared_words->forget(at + static_cast<std::uint64_t>(k * bytes + byte), 1);
    }
  }
}

} // namespace memlane::ptx
