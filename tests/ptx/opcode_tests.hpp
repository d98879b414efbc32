// Which test executes which rows of the table of opcodes: every row is in one of these lists, and
// each test goes through its list.
#pragma once

#include "memlane/ptx/opcodes.hpp"

#include <vector>

namespace memlane::test {

/// opcodes_test.cpp: against scalar_result, and sums with carries.
bool computes(const ptx::OpcodeRow& row);
const std::vector<ptx::Opcode>& opcodes_with_carries();
/// memory_opcodes_test.cpp, stack_test.cpp
const std::vector<ptx::Opcode>& memory_opcodes();
/// matrices_test.cpp
const std::vector<ptx::Opcode>& matrix_opcodes();
/// mbarriers_test.cpp
const std::vector<ptx::Opcode>& mbarrier_opcodes();
/// warp_opcodes_test.cpp
const std::vector<ptx::Opcode>& warp_opcodes();
/// textures_test.cpp
const std::vector<ptx::Opcode>& texture_opcodes();
/// control_opcodes_test.cpp
const std::vector<ptx::Opcode>& control_opcodes();

} // namespace memlane::test
