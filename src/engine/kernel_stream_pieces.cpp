// The pieces of a warp's steps, where the machine hoists reads (configs/README.md section 10).
#include "kernel_stream.hpp"

#include "memlane/ir/flow.hpp"

#include <algorithm>

namespace memlane {

using ir::Instruction;
using ir::Opcode;

namespace {

/// Whether no step moves across the instruction (configs/README.md section 10).
bool is_piece(Opcode op) {
  using ir::OpcodeGroup;
  switch (ir::group_of(op)) {
  case OpcodeGroup::warp:
  case OpcodeGroup::drain:
  case OpcodeGroup::control:
  case OpcodeGroup::parallel:
  case OpcodeGroup::call:
  case OpcodeGroup::launch:
  case OpcodeGroup::end: return true;
  case OpcodeGroup::access: return ir::is_atomic(op);
  case OpcodeGroup::value:
  case OpcodeGroup::arithmetic:
  case OpcodeGroup::comparison:
  case OpcodeGroup::draw:
  case OpcodeGroup::snapshot:
  case OpcodeGroup::own:
  case OpcodeGroup::check:
  case OpcodeGroup::print: break;
  }
  return false;
}

} // namespace

/// Before the warp's instruction: it is a step if it is counted, or needs others. Accesses become
/// steps with their requests.
void KernelStream::follow_steps(Warp& warp) {
  const Instruction& in = warp.lanes.instruction();
  const auto lanes = warp.lanes.mask();
  const bool same_lanes =
      std::equal(lanes.begin(), lanes.end(), warp.piece_lanes.begin(), warp.piece_lanes.end());
  const bool alone = is_piece(in.op);
  if (alone || warp.alone || !same_lanes) end_piece(warp);
  warp.alone = alone;
  if (!same_lanes) warp.piece_lanes.assign(lanes.begin(), lanes.end());
  warp.reads.pass(present(warp));
  if (ir::makes_request(in.op) && in.op != Opcode::defer) return;
  const std::vector<std::int64_t> needs = warp.reads.take_needed();
  if (!in.counted && needs.empty()) return;
  const std::int64_t number = warp.order.add(IssueOrder::Kind::operation, IssueOrder::none, needs);
  if (ir::has_operand(in, 'd') && in.d >= 0) warp.reads.read(in.d, lanes, number);
}

void KernelStream::end_piece(Warp& warp) {
  for (const IssueOrder::Issued& step : warp.order.end_piece()) warp.issued.push_back(step);
  if (!several()) warp.order.complete_reads();
  warp.reads.keep_if([&](std::int64_t number) { return warp.order.is_open(number); });
}

} // namespace memlane
