#include "program_pieces.hpp"

#include "memlane/ir/flow.hpp"

#include <algorithm>

namespace memlane {

using ir::Opcode;

namespace {

/// Whether no step moves across the instruction (configs/README.md section 10).
bool is_piece(const ir::Instruction& in) {
  using ir::OpcodeGroup;
  // A level of an operation of a warp, behind the first.
  if (in.op == Opcode::move && in.counted && in.a == in.d) return true;
  switch (ir::group_of(in.op)) {
  case OpcodeGroup::warp:
  case OpcodeGroup::drain:
  case OpcodeGroup::control:
  case OpcodeGroup::parallel:
  case OpcodeGroup::call:
  case OpcodeGroup::launch:
  case OpcodeGroup::end: return true;
  case OpcodeGroup::access: return ir::is_atomic(in.op);
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

bool ProgramPieces::ends_before(const WarpInstruction& now) const {
  return alone_ || is_piece(now.in) ||
         !std::equal(now.active.begin(), now.active.end(), lanes_.begin(), lanes_.end());
}

void ProgramPieces::execute(const WarpInstruction& now, LaneReads& reads) {
  const ir::Instruction& in = now.in;
  alone_ = is_piece(in);
  lanes_.assign(now.active.begin(), now.active.end());
  reads.pass(now);
  if (ir::makes_request(in.op) && in.op != Opcode::defer) return;
  const std::vector<std::int64_t> needs = reads.take_needed();
  if (!in.counted && needs.empty()) return;
  const std::int64_t number = order_.add(IssueOrder::Kind::operation, IssueOrder::none, needs);
  instructions_.push_back(now.instruction);
  if (ir::has_operand(in, 'd') && in.d >= 0) reads.read(in.d, now.active, number);
}

std::int64_t ProgramPieces::request(UnitId unit, bool returns, std::int32_t instruction,
                                    LaneReads& reads) {
  instructions_.push_back(instruction);
  return order_.add(returns ? IssueOrder::Kind::read : IssueOrder::Kind::write,
                    unit == UnitId::shared ? IssueOrder::shared : IssueOrder::global,
                    reads.take_needed());
}

} // namespace memlane
