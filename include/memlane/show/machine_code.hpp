// What a result says of kernels' machine code: where ptxas made other loads and stores of the PTX.
#pragma once

#include "memlane/show/columns.hpp"
#include "memlane/show/run_report.hpp"

#include <string>
#include <vector>

namespace memlane {

/// A kernel as JSON, with its schema.
const schema::Table<MachineCode>& machine_code_table();

/// For people: the differences kernel by kernel, then the names of kernels without any. Empty: no
/// kernels.
std::string machine_code_text(const std::vector<MachineCode>& kernels);

} // namespace memlane
