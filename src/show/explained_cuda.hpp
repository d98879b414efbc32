// What an explanation says of the kernels of a CUDA program.
#pragma once

#include "memlane/show/explanation.hpp"
#include "memlane/support/json_table.hpp"

#include <string>
#include <vector>

namespace memlane {

/// A part for each kernel that has a good share of the time, if there are several.
std::vector<ExplainedPart> kernel_parts(const Explanation& explanation);
/// Tables of source lines and, if there are several, of launches. `columns`: of a row, 0: any.
std::string explained_cuda_tables(const Explanation& explanation, Format format,
                                  std::size_t columns);
const schema::Table<ExplainedCuda>& explained_cuda_table();

} // namespace memlane
