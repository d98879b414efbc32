#include "lane_reads.hpp"

#include "memlane/ir/flow.hpp"

#include <algorithm>

namespace memlane {

using ir::Opcode;
using ir::OpcodeGroup;

namespace {

/// Whether both have a lane.
bool meet(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  for (std::size_t lane = 0; lane < a.size(); ++lane)
    if (a[lane] != 0 && b[lane] != 0) return true;
  return false;
}

/// Whether the instruction needs its sources; else it copies, or its sources are no values of the
/// program.
bool needs_sources(Opcode op) {
  switch (ir::group_of(op)) {
  case OpcodeGroup::value: return op != Opcode::move;
  case OpcodeGroup::arithmetic:
  case OpcodeGroup::comparison:
  case OpcodeGroup::warp:
  case OpcodeGroup::check:
  case OpcodeGroup::control:
  case OpcodeGroup::access: return true;
  case OpcodeGroup::own: return op == Opcode::lookup || op == Opcode::local_new;
  case OpcodeGroup::draw:
  case OpcodeGroup::snapshot:
  case OpcodeGroup::drain:
  case OpcodeGroup::parallel:
  case OpcodeGroup::call:
  case OpcodeGroup::print:
  case OpcodeGroup::launch:
  case OpcodeGroup::end: break;
  }
  return false;
}

constexpr std::int64_t place_of_arrays = std::int64_t{1} << 40; ///< and elements of each

/// The place of a thread's own array in LaneReads: its elements follow.
std::int64_t first_element(std::int64_t array) { return (array + 1) * place_of_arrays; }

} // namespace

void LaneReads::read(ir::Register reg, std::span<const std::uint8_t> lanes, std::int64_t number) {
  rows_.push_back({reg, {lanes.begin(), lanes.end()}, number});
}

void LaneReads::need(std::int64_t number, std::int32_t instruction) {
  if (!all_) std::erase_if(rows_, [=](const Row& row) { return row.number == number; });
  if (std::none_of(needed_.begin(), needed_.end(),
                   [=](const Needed& known) { return known.number == number; }))
    needed_.push_back({number, instruction});
}

std::vector<std::int64_t> LaneReads::of(ir::Register reg,
                                        std::span<const std::uint8_t> lanes) const {
  std::vector<std::int64_t> numbers;
  for (const Row& row : rows_)
    if (reg >= 0 && row.place == reg && meet(row.lanes, lanes)) numbers.push_back(row.number);
  return numbers;
}

std::vector<std::int64_t> LaneReads::take_needed() {
  std::vector<std::int64_t> numbers;
  for (const Needed& one : needed_) numbers.push_back(one.number);
  needed_.clear();
  return numbers;
}

std::vector<LaneReads::Wait> LaneReads::take_waits(std::int64_t before) {
  std::vector<Wait> waits;
  for (const Needed& one : needed_) {
    if (waits.empty() || waits.back().instruction != one.instruction)
      waits.push_back({one.instruction, {}});
    waits.back().awaited.push_back(static_cast<std::uint32_t>(before - one.number));
  }
  for (Wait& wait : waits) std::sort(wait.awaited.begin(), wait.awaited.end());
  needed_.clear();
  return waits;
}

void LaneReads::need_register(ir::Register reg, const WarpInstruction& now) {
  for (const std::int64_t number : of(reg, now.active)) need(number, now.instruction);
}

/// The lanes get other values there.
void LaneReads::forget(Place place, std::span<const std::uint8_t> lanes) {
  for (Row& row : rows_)
    for (std::size_t lane = 0; row.place == place && lane < lanes.size(); ++lane)
      if (lanes[lane] != 0) row.lanes[lane] = 0;
  std::erase_if(rows_, [](const Row& row) {
    return std::find(row.lanes.begin(), row.lanes.end(), 1) == row.lanes.end();
  });
}

std::vector<LaneReads::Row> LaneReads::copies(Place from, Place to,
                                              std::span<const std::uint8_t> lanes) const {
  std::vector<Row> copies;
  for (const Row& row : rows_) {
    if (row.place != from || !meet(row.lanes, lanes)) continue;
    Row& copied = copies.emplace_back(row);
    copied.place = to;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      if (lanes[lane] == 0) copied.lanes[lane] = 0;
  }
  return copies;
}

void LaneReads::copy(Place from, Place to, std::span<const std::uint8_t> lanes) {
  const std::vector<Row> copied = copies(from, to, lanes);
  forget(to, lanes);
  rows_.insert(rows_.end(), copied.begin(), copied.end());
}

/// A conditional expression copies: each lane what its condition chooses.
void LaneReads::pass_select(const WarpInstruction& now) {
  const ir::Instruction& in = now.in;
  need_register(in.a, now);
  std::vector<Row> chosen;
  for (const bool truth : {true, false}) {
    std::vector<std::uint8_t> lanes(now.active.begin(), now.active.end());
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      if (lanes[lane] != 0 && (now.element(static_cast<int>(lane)) != 0) != truth) lanes[lane] = 0;
    for (Row& row : copies(truth ? in.b : in.c, in.d, lanes)) chosen.push_back(std::move(row));
  }
  forget(in.d, now.active);
  rows_.insert(rows_.end(), chosen.begin(), chosen.end());
}

/// Lanes may access different elements.
void LaneReads::pass_own_array(const WarpInstruction& now) {
  const ir::Instruction& in = now.in;
  need_register(in.a, now);
  const bool loads = in.op == Opcode::local_load;
  std::vector<std::uint8_t> one(now.active.size());
  for (std::size_t lane = 0; lane < one.size(); ++lane) {
    if (now.active[lane] == 0) continue;
    one[lane] = 1;
    const Place element = first_element(in.immediate) + now.element(static_cast<int>(lane));
    copy(loads ? element : in.b, loads ? in.d : element, one);
    one[lane] = 0;
  }
}

/// Whether it uses or replaces a value of a read, in whichever lanes.
bool LaneReads::touches(const WarpInstruction& now) const {
  const ir::Instruction& in = now.in;
  const bool own = ir::group_of(in.op) == OpcodeGroup::own && in.op != Opcode::lookup;
  const auto names = [&](char letter, ir::Register reg, Place place) {
    return ir::has_operand(in, letter) && reg >= 0 && reg == place;
  };
  return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
    return names('a', in.a, row.place) || names('b', in.b, row.place) ||
           names('c', in.c, row.place) || names('d', in.d, row.place) ||
           (own && row.place / place_of_arrays == in.immediate + 1);
  });
}

void LaneReads::pass(const WarpInstruction& now) {
  if (rows_.empty()) return;
  const ir::Instruction& in = now.in;
  if (now.depends_on_data) {
    if (unclear_ < 0 && touches(now)) unclear_ = now.instruction;
    return;
  }
  if (in.op == Opcode::move) return copy(in.a, in.d, now.active);
  if (in.op == Opcode::select) return pass_select(now);
  if (in.op == Opcode::local_load || in.op == Opcode::local_store) return pass_own_array(now);
  if (needs_sources(in.op)) {
    if (ir::has_operand(in, 'a')) need_register(in.a, now);
    if (ir::has_operand(in, 'b') && in.op != Opcode::defer) need_register(in.b, now);
    if (ir::has_operand(in, 'c')) need_register(in.c, now);
  }
  if (ir::has_operand(in, 'd') && in.d >= 0) forget(in.d, now.active);
}

} // namespace memlane
