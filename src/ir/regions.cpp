#include "memlane/ir/regions.hpp"

namespace memlane::ir {

int nesting(Opcode op) {
  if (op == Opcode::if_ || op == Opcode::loop) return 1;
  if (op == Opcode::endif || op == Opcode::endloop) return -1;
  return 0;
}

namespace {

std::size_t end_of(const Function& function, std::size_t begin) {
  int depth = 0;
  std::size_t at = begin;
  for (;; ++at) {
    depth += nesting(function.code[at].op);
    if (depth == 0) return at;
  }
}

/// The region of the innermost loop around `at`.
Region loop_around(const Function& function, std::size_t at) {
  int depth = 0;
  std::size_t begin = at;
  for (;;) {
    --begin;
    depth += nesting(function.code[begin].op);
    if (depth <= 0) continue;
    if (function.code[begin].op == Opcode::loop) return {begin, end_of(function, begin)};
    depth = 0; // an `if` around it
  }
}

/// Whether lanes in the region leave a loop around it.
bool leaves(const Function& function, const Region& region) {
  int loops = 0;
  for (std::size_t at = region.first; at <= region.last; ++at) {
    const Opcode op = function.code[at].op;
    loops += op == Opcode::loop ? 1 : op == Opcode::endloop ? -1 : 0;
    if (op == Opcode::while_ && loops == 0) return true;
    if (op == Opcode::break_ && function.code[at].immediate >= loops) return true;
  }
  return false;
}

/// Once a machine has costs of statements, these are visible, too.
bool is_visible(const Instruction& in) {
  if (in.counted) return true;
  switch (group_of(in.op)) {
  case OpcodeGroup::value:
  case OpcodeGroup::arithmetic:
  case OpcodeGroup::comparison:
  case OpcodeGroup::check:
  case OpcodeGroup::own:
  case OpcodeGroup::control:
  case OpcodeGroup::print: return false;
  case OpcodeGroup::draw:
  case OpcodeGroup::access:
  case OpcodeGroup::drain:
  case OpcodeGroup::snapshot:
  case OpcodeGroup::parallel:
  case OpcodeGroup::call:
  case OpcodeGroup::launch:
  case OpcodeGroup::end: return true;
  }
  return true;
}

} // namespace

Region region_of_condition(const Function& function, std::size_t at) {
  Region region = function.code[at].op == Opcode::while_ ? loop_around(function, at)
                                                         : Region{at, end_of(function, at)};
  while (leaves(function, region)) region = loop_around(function, region.first);
  return region;
}

std::optional<std::size_t> first_visible(const Function& function, const Region& region) {
  for (std::size_t at = region.first; at <= region.last; ++at)
    if (is_visible(function.code[at])) return at;
  return std::nullopt;
}

} // namespace memlane::ir
