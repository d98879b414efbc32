#include "awaited_reads.hpp"

#include "memlane/ptx/opcodes.hpp"

namespace memlane::ptx {

namespace {

template <class F>
void each_source(const Step& step, F f) {
  for_sources(step, f);
  const Opcode opcode = step.op->opcode;
  if (opcode == Opcode::call || opcode == Opcode::ret) f(in_parameters);
  if (opcode == Opcode::addc || opcode == Opcode::subc || opcode == Opcode::madc) f(in_carry);
  if (opcode == Opcode::ld && step.op->space == Space::local) f(in_local);
}

template <class F>
void each_destination(const Step& step, F f) {
  f(step.d);
  f(step.q);
  if (step.op->d.kind == OperandKind::vector)
    for (int k = 0; k < step.op->d.count; ++k) f(step.elements[k]);
  if (step.op->words.has(Word::cc)) f(in_carry);
  if (step.op->opcode != Opcode::st) return;
  if (step.op->space == Space::param) f(in_parameters);
  if (step.op->space == Space::local) f(in_local);
}

} // namespace

void AwaitedReads::read(const Step& step, std::uint32_t lanes, std::int64_t number) {
  each_destination(step, [&](Place place) {
    if (place >= 0) rows_.push_back({activation_, place, lanes, number});
  });
}

void AwaitedReads::need(Place place, std::uint32_t lanes) {
  find(place, lanes, [&](std::uint32_t, std::int64_t number) {
    if (std::find(needed_.begin(), needed_.end(), number) == needed_.end())
      needed_.push_back(number);
  });
}

/// The lanes get other values there.
void AwaitedReads::forget(Place place, std::uint32_t lanes) {
  if (place < 0 || place == in_parameters || place == in_local) return;
  for (Row& row : rows_)
    if (row.place == place && row.activation == activation_) row.lanes &= ~lanes;
}

std::span<const std::int64_t> AwaitedReads::pass(const Step& step, bool free, std::uint32_t path,
                                                 std::uint32_t mask) {
  needed_.clear();
  passed_.clear();
  need(step.guard, path);
  each_source(step, [&](Place source) {
    if (!free) return need(source, mask);
    find(source, mask, [&](std::uint32_t lanes, std::int64_t number) {
      passed_.push_back({activation_, source, lanes, number});
    });
  });
  each_destination(step, [&](Place place) { forget(place, mask); });
  each_destination(step, [&](Place place) {
    if (place < 0) return;
    for (const Row& row : passed_) rows_.push_back({activation_, place, row.lanes, row.number});
  });
  std::erase_if(rows_, [&](const Row& row) {
    return row.lanes == 0 ||
           (!all_ && std::find(needed_.begin(), needed_.end(), row.number) != needed_.end());
  });
  return needed_;
}

} // namespace memlane::ptx
