// Which function executes an operation that only computes. The same source is compiled for several
// instruction sets; all give the same bits.
#pragma once

#include "neighbours.hpp"
#include "step.hpp"

#include <string_view>
#include <vector>

namespace memlane::ptx {

/// Bits of the registers of d and a, which may be wider than the types of conversions.
struct RegisterBits {
  int d = 0, a = 0;
};

/// Null: the operation does more than compute (memory, control, barriers).
using ChooseHandler = Handler (*)(const Operation&, RegisterBits);

/// Of `ld` and `st`, by the bits of the address's register and those of the values'. Null: the
/// general load or store.
using ChooseAccess = Handler (*)(const Operation&, int address_bits, int value_bits);

namespace plain {
Handler choose(const Operation& op, RegisterBits bits);
Handler choose_access(const Operation& op, int address_bits, int value_bits);
Neighbours find_neighbours(const std::uint64_t* addresses, int shift, std::uint64_t words);
bool are_moved(const std::uint64_t* addresses, const std::uint64_t* others, std::uint64_t period);
} // namespace plain
namespace avx2 {
Handler choose(const Operation& op, RegisterBits bits);
Handler choose_access(const Operation& op, int address_bits, int value_bits);
Neighbours find_neighbours(const std::uint64_t* addresses, int shift, std::uint64_t words);
bool are_moved(const std::uint64_t* addresses, const std::uint64_t* others, std::uint64_t period);
} // namespace avx2
namespace avx512 {
Handler choose(const Operation& op, RegisterBits bits);
Handler choose_access(const Operation& op, int address_bits, int value_bits);
Neighbours find_neighbours(const std::uint64_t* addresses, int shift, std::uint64_t words);
bool are_moved(const std::uint64_t* addresses, const std::uint64_t* others, std::uint64_t period);
} // namespace avx512

struct InstructionSet {
  std::string_view name;
  ChooseHandler choose = nullptr;
  ChooseAccess choose_access = nullptr;
  FindNeighbours find_neighbours = nullptr;
  AreMoved are_moved = nullptr;
};
/// Those that this processor has, the widest last.
const std::vector<InstructionSet>& instruction_sets();
/// The widest.
inline const InstructionSet& best_handlers() { return instruction_sets().back(); }

} // namespace memlane::ptx
